//! Another compiler that reads and writes MIR, as a value: its stages, and how it is asked for one.

use super::rules::{ALL_COMBINES, OPTNONE_COMBINES};
use std::path::Path;
use std::process::Command;
use tribunal_target::{Features, Target};

/// The effort of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OptLevel {
    /// Without optimisation.
    O0,
    /// With the usual ones.
    O2,
}

impl OptLevel {
    /// Every level.
    pub const ALL: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

    /// The level of this flag.
    pub fn named(flag: &str) -> Option<OptLevel> {
        OptLevel::ALL.into_iter().find(|level| level.flag() == flag)
    }

    /// As on a command line: `-O2`.
    pub const fn flag(self) -> &'static str {
        match self {
            OptLevel::O0 => "-O0",
            OptLevel::O2 => "-O2",
        }
    }
}

/// The machine and the level of a compilation.
#[derive(Clone, Copy)]
pub struct PeerMode {
    /// The machine.
    pub target: &'static Target,
    /// Its instruction set.
    pub features: Features,
    /// The effort.
    pub level: OptLevel,
}

impl PeerMode {
    /// All options of the machine, on or off: `+m,-zbb`.
    fn attributes(self) -> String {
        let sign = |on| if on { '+' } else { '-' };
        let options = self.target.options.iter();
        let all = options.map(|option| format!("{}{}", sign(self.features.contains(option.feature)), option.name));
        all.collect::<Vec<_>>().join(",")
    }
}

/// The rules of a combiner, which its compiler turns off by their numbers.
pub struct Combiner {
    /// The argument that turns rules off, up to the numbers.
    pub option: String,
    /// The names of the first rules.
    pub names: &'static [&'static str],
}

impl Combiner {
    /// The argument that turns off these rules, each range with its last.
    pub fn without(&self, rules: &[(u32, u32)]) -> String {
        let range = |&(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
        format!("{}{}", self.option, rules.iter().map(range).collect::<Vec<_>>().join(","))
    }

    /// The name of a rule; of one without a name, its number.
    pub fn rule(&self, rule: u32) -> String {
        self.names.get(rule as usize).map_or_else(|| format!("rule-{rule}"), ToString::to_string)
    }
}

/// A compiler whose stages are judged.
pub trait PeerBackend: Sync {
    /// The command line that starts it, without what a stage adds.
    fn name(&self) -> String;

    /// The passes after which functions are judged, in the order in which they run on generic MIR.
    fn stages(&self, mode: PeerMode) -> &'static [&'static str];

    /// The command that compiles the generic MIR of `input`, or the LLVM IR of a file that ends in `.ll`, up to this
    /// stage, and writes it to `output`.
    fn compile(&self, mode: PeerMode, stage: &str, input: &Path, output: &Path) -> Command;

    /// The command that compiles it to an ELF object; `None` of a compiler that writes none.
    fn object(&self, mode: PeerMode, input: &Path, output: &Path) -> Option<Command>;

    /// The rules of a stage that is a combiner.
    fn combiner(&self, mode: PeerMode, stage: &str) -> Option<Combiner>;

    /// The command that only reads MIR.
    fn read(&self, mode: PeerMode, input: &Path) -> Command;

    /// The part of its messages that says why it failed, on one line.
    fn complaint(&self, messages: &str) -> String;

    /// The place at which it failed, if its messages name one. It saves time, and nobody believes it unseen.
    fn place(&self, messages: &str) -> Option<FailurePlace> {
        let _ = messages;
        None
    }
}

/// The place of a failure, as messages name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FailurePlace {
    /// A line of the input, counted from 1.
    Line(usize),
    /// A function.
    Function(String),
}

/// Texts before the name of the function that LLVM works on, in a verifier's message, in a stack of passes, and in an
/// error of GlobalISel.
const BEFORE_NAMES: [&str; 3] = ["- function:", "on function '@", "(in function: "];

/// LLVM's static compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Llc {
    program: String,
    arguments: Vec<String>,
}

/// The passes of LLVM 22 from the IR translator's output to the last that has virtual registers: the machine, by the
/// start of its name, the level, and the passes.
const STAGES: [(&str, OptLevel, &[&str]); 4] = [
    ("riscv", OptLevel::O0, &["riscv-O0-prelegalizer-combiner", "legalizer", "regbankselect", "instruction-select"]),
    (
        "riscv",
        OptLevel::O2,
        &[
            "riscv-prelegalizer-combiner",
            "legalizer",
            "riscv-postlegalizer-combiner",
            "regbankselect",
            "instruction-select",
        ],
    ),
    (
        "aarch64",
        OptLevel::O0,
        &[
            "aarch64-O0-prelegalizer-combiner",
            "legalizer",
            "aarch64-postlegalizer-lowering",
            "regbankselect",
            "instruction-select",
        ],
    ),
    (
        "aarch64",
        OptLevel::O2,
        &[
            "aarch64-prelegalizer-combiner",
            "legalizer",
            "aarch64-postlegalizer-combiner",
            "aarch64-postlegalizer-lowering",
            "regbankselect",
            "instruction-select",
        ],
    ),
];

/// The beginnings of lines that say why LLVM failed, the most telling first.
const COMPLAINTS: [&str; 4] = ["*** Bad machine code: ", "LLVM ERROR: ", "error: ", "Assertion `"];

impl Llc {
    /// Of a command line: a program and arguments, separated by blanks. `None` if there is no program.
    pub fn new(command: &str) -> Option<Llc> {
        let mut words = command.split_whitespace().map(str::to_string);
        Some(Llc { program: words.next()?, arguments: words.collect() })
    }

    fn command(&self, mode: PeerMode) -> Command {
        let mut command = Command::new(&self.program);
        // The names of its own functions in a stack trace, which take longer than the crash.
        command.env("LLVM_DISABLE_SYMBOLIZATION", "1");
        command.args(&self.arguments).arg(format!("-mtriple={}", mode.target.triple));
        command.arg(format!("-mattr={}", mode.attributes())).arg(mode.level.flag());
        command
    }
}

impl PeerBackend for Llc {
    fn name(&self) -> String {
        std::iter::once(&self.program).chain(&self.arguments).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    fn stages(&self, mode: PeerMode) -> &'static [&'static str] {
        let of_mode = |row: &&(&str, OptLevel, _)| mode.target.name.starts_with(row.0) && mode.level == row.1;
        STAGES.iter().find(of_mode).map_or(&[], |(_, _, stages)| stages)
    }

    fn compile(&self, mode: PeerMode, stage: &str, input: &Path, output: &Path) -> Command {
        let mut command = self.command(mode);
        // A function that it gives up on is marked as such, and the others go on.
        command.args(["-global-isel", "-global-isel-abort=2", "-verify-machineinstrs"]);
        if input.extension().is_none_or(|end| end != "ll") {
            command.arg("-start-after=irtranslator");
        }
        command.arg(format!("-stop-after={stage}")).arg(input).arg("-o").arg(output);
        command
    }

    fn object(&self, mode: PeerMode, input: &Path, output: &Path) -> Option<Command> {
        let mut command = self.command(mode);
        command.args(["-global-isel", "-global-isel-abort=2", "-verify-machineinstrs", "-start-after=irtranslator"]);
        command.arg("-filetype=obj").arg(input).arg("-o").arg(output);
        Some(command)
    }

    fn combiner(&self, _: PeerMode, stage: &str) -> Option<Combiner> {
        let is_combiner = stage.contains("combiner") || stage.contains("lowering");
        let names = match (stage.contains("-O0-"), stage.contains("prelegalizer")) {
            (true, _) => OPTNONE_COMBINES,
            (false, true) => ALL_COMBINES,
            (false, false) => &[],
        };
        let option = format!("--{}-disable-rule=", stage.replace('-', "").to_lowercase());
        is_combiner.then_some(Combiner { option, names })
    }

    fn read(&self, mode: PeerMode, input: &Path) -> Command {
        let mut command = self.command(mode);
        command.args(["-run-pass=none", "-o", "-"]).arg(input);
        command
    }

    fn complaint(&self, messages: &str) -> String {
        let line = |mark: &&str| messages.lines().find(|line| line.contains(*mark));
        let found = COMPLAINTS.iter().find_map(|mark| Some((line(mark)?, mark)));
        let said = found.and_then(|(line, mark)| line.split_once(mark)).map(|(_, said)| said);
        // A signal leaves the passes that ran, and no word.
        let pass = messages.lines().filter_map(|line| line.split_once("Running pass '")).map(|(_, pass)| pass);
        let pass = pass.filter_map(|pass| pass.split_once('\'')).map(|(pass, _)| pass).next_back();
        let signal = pass.map(|pass| format!("a signal in pass {pass}"));
        let said =
            said.or(signal.as_deref()).or(messages.lines().next()).unwrap_or("no message").trim_end_matches(" ***");
        // The place in a file that nobody keeps.
        let place = said.split_once(": ").filter(|(place, _)| place.contains(".mir:"));
        place.map_or(said, |(_, rest)| rest).to_string()
    }

    fn place(&self, messages: &str) -> Option<FailurePlace> {
        let ends = |c: char| c.is_whitespace() || "')".contains(c);
        let name = |rest: &str| rest.trim_start().split(ends).next().map(str::to_string);
        let named = BEFORE_NAMES.iter().find_map(|mark| name(messages.split_once(mark)?.1));
        let line = || messages.split_once(".mir:")?.1.split(':').next()?.parse().ok();
        named.map(FailurePlace::Function).or_else(|| line().map(FailurePlace::Line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_stages_at_every_level_and_all_its_options_are_said() {
        let llc = Llc::new("llc-22 -time-passes").unwrap();
        for &target in tribunal_target::ALL {
            for level in OptLevel::ALL {
                let mode = PeerMode { target, features: target.default_features, level };
                assert!(llc.stages(mode).len() >= 4, "{} {}", target.name, level.flag());
                assert_eq!(mode.attributes().split(',').count(), target.options.len());
                let command = llc.compile(mode, "legalizer", Path::new("a.mir"), Path::new("b.mir"));
                let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
                assert!(words.starts_with(&["-time-passes".to_string()]) && words.contains(&"a.mir".to_string()));
            }
        }
        assert_eq!(Llc::new(" "), None);
    }

    #[test]
    fn the_complaint_is_the_line_that_says_most() {
        let llc = Llc::new("llc").unwrap();
        let messages =
            "# Machine code for f\n*** Bad machine code: Wrong size ***\nLLVM ERROR: Found 1 machine code errors.\n";
        assert_eq!(llc.complaint(messages), "Wrong size");
        assert_eq!(llc.complaint("llc: error: a.mir:3:4: no such opcode\n"), "no such opcode");
        assert_eq!(llc.complaint(""), "no message");
        assert_eq!(llc.place("llc: error: a.mir:3:4: no such opcode\n"), Some(FailurePlace::Line(3)));
        assert_eq!(
            llc.place("- function:    f12\n- basic block: %bb.0"),
            Some(FailurePlace::Function("f12".to_string()))
        );
        let dump = "PLEASE submit\n1.\tRunning pass 'Function Pass Manager' on\n2.\tRunning pass 'Legalizer' on function '@f7'\n #0";
        assert_eq!(llc.complaint(dump), "a signal in pass Legalizer");
        assert_eq!(llc.place(dump), Some(FailurePlace::Function("f7".to_string())));
    }
}
