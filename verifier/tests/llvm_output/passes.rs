//! The machine verifier on the functions of C and C++ sources after passes of `llc-22`, which are right.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tribunal_ir::text;
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::verify_foreign;

/// The options of clang for each target; the first of each makes 64-bit floats part of the machine.
/// Clang calls the runtime library for the atomics of AArch64 unless it is told not to.
const MACHINES: [(&str, &[&str]); 6] = [
    ("riscv64", &["-march=rv64gc", "-mabi=lp64d"]),
    ("riscv64", &["-march=rv64im", "-mabi=lp64"]),
    ("riscv32", &["-march=rv32imac", "-mabi=ilp32"]),
    ("aarch64", &[]),
    ("aarch64", &["-mno-outline-atomics"]),
    ("aarch64", &["-march=armv8.1-a"]),
];

/// Each level with the passes after which every function is judged.
const LEVELS: [(&str, &[&str]); 2] = [
    ("-O0", &["irtranslator", "legalizer", "regbankselect", "instruction-select", "regallocfast", "prologepilog"]),
    (
        "-O2",
        &[
            "irtranslator",
            "legalizer",
            "regbankselect",
            "instruction-select",
            "phi-node-elimination",
            "register-coalescer",
            "greedy",
            "virtregrewriter",
            "prologepilog",
            "branch-folder",
        ],
    ),
];

/// The passes after which functions are judged.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each user makes one choice")]
pub enum Choice {
    /// Those of [`LEVELS`].
    Main,
    /// Of all passes from the IR translator on, this part of so many: the first, and each that follows at that
    /// distance.
    Share(usize, usize),
}

/// Sums over files.
#[derive(Default)]
#[allow(dead_code, reason = "of its users some damage the functions first")]
pub struct Total {
    pub functions: usize,
    /// Functions with a register, class or opcode that no table has.
    pub unread: usize,
    /// Files that LLVM does not make: its own crashes.
    pub refused: usize,
    pub findings: Vec<String>,
}

/// A file that LLVM wrote after a pass.
pub struct File {
    /// The source, the machine, the level and the pass.
    pub name: String,
    pub target: &'static Target,
    /// `None` if LLVM does not make it.
    pub text: Option<String>,
}

/// Calls `each` with what LLVM makes of a source, on every machine, at every level, after the passes of the choice.
pub fn each_file(source: &Path, folder: &Path, more: &[&str], choice: Choice, mut each: impl FnMut(File)) {
    for (name, machine) in MACHINES {
        let target = tribunal_target::by_name(name).unwrap();
        for (level, main) in LEVELS {
            let ir = compiled(source, folder, name, &[machine, more, &[level]].concat());
            let all = || pipeline(name, level).into_iter();
            let passes: Vec<String> = match choice {
                Choice::Main => main.iter().map(ToString::to_string).collect(),
                Choice::Share(part, of) => all().skip(part % of).step_by(of).collect(),
            };
            for pass in passes {
                let name = format!("{} {name} {level} {pass}", source.display());
                each(File { name, target, text: after(&ir, level, &pass) });
            }
        }
    }
}

/// The IR that clang makes of a source.
fn compiled(source: &Path, folder: &Path, target: &str, options: &[&str]) -> PathBuf {
    let ir = folder.join("source.ll");
    let mut clang = Command::new("clang-22");
    clang.arg(format!("--target={target}-linux-gnu")).args(options).arg(source).arg("-o").arg(&ir);
    let made = output(clang.args(["-w", "-ffreestanding", "-fexceptions", "-S", "-emit-llvm"]));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    ir
}

/// MIR after a pass of llc.
fn after(ir: &Path, level: &str, pass: &str) -> Option<String> {
    let mut llc = Command::new("llc-22");
    llc.args([level, "-global-isel", "-global-isel-abort=2", "-simplify-mir", "-o", "-"]);
    let made = output(llc.arg(format!("-stop-after={pass}")).arg(ir));
    String::from_utf8(made.stdout).ok().filter(|_| made.status.success())
}

#[allow(dead_code, reason = "of its users some damage the functions first")]
impl Total {
    /// Judges every function of a source, on every machine, at every level, after the passes of the choice.
    pub fn add_source(&mut self, source: &Path, folder: &Path, more: &[&str], choice: Choice) {
        each_file(source, folder, more, choice, |file| match &file.text {
            Some(text) => self.judge(&file.name, text, file.target),
            None => self.refused += 1,
        });
    }

    /// Judges every function of a file that LLVM wrote.
    pub fn add_file(&mut self, path: &Path) {
        let text = std::fs::read_to_string(path).unwrap();
        let target = text::architecture(&text).and_then(|name| tribunal_target::by_name(&name)).unwrap();
        self.judge(&path.display().to_string(), &text, target);
    }

    /// Functions that LLVM gave up on are at no stage.
    fn judge(&mut self, name: &str, text: &str, target: &'static Target) {
        let module = match text::parse_module(text, target.vocabulary) {
            Ok(module) => module,
            Err(error) => return self.findings.push(format!("{name}: {error}")),
        };
        self.unread += module.unread.len();
        let features = target.default_features | target.all_options();
        for function in module.functions.iter().filter(|function| function.gave_up().is_none()) {
            self.functions += 1;
            let findings = verify_foreign(function, target, features);
            let shown = |finding| format!("{name}: @{}: {finding}", function.name);
            self.findings
                .extend(findings.iter().map(|finding| finding.describe(function, target.vocabulary)).map(shown));
        }
    }
}

/// The passes from the IR translator on, by the names that stop after them: the second time that a pass runs is
/// `NAME,1`. Analyses are none.
fn pipeline(target: &str, level: &str) -> Vec<String> {
    let mut llc = Command::new("llc-22");
    llc.args([level, "-global-isel", "-debug-pass=Arguments", "-o", "/dev/null", "-filetype=null", "/dev/null"]);
    let made = output(llc.arg(format!("-mtriple={target}-linux-gnu")));
    let text = String::from_utf8_lossy(&made.stderr).into_owned();
    let passes = text.split_whitespace().filter_map(|word| word.strip_prefix('-'));
    let mut all: Vec<String> = Vec::new();
    for pass in passes.skip_while(|pass| *pass != "irtranslator").filter(|pass| !ANALYSES.contains(pass)) {
        let times = all.iter().filter(|known| known.split(',').next() == Some(pass)).count();
        all.push(if times == 0 { pass.to_string() } else { format!("{pass},{times}") });
    }
    assert!(all.iter().any(|pass| pass == "instruction-select"), "{text}");
    all
}

/// Names in LLVM's list that change no function, and those after which nothing is printed.
const ANALYSES: [&str; 30] = [
    "branch-prob",
    "cseinfo",
    "debug-ata",
    "edge-bundles",
    "gc-analysis",
    "gisel-known-bits",
    "lazy-block-freq",
    "lazy-branch-prob",
    "lazy-machine-block-freq",
    "livedebugvars",
    "liveintervals",
    "liveregmatrix",
    "livestacks",
    "machine-block-freq",
    "machine-cycles",
    "machine-loops",
    "machine-opt-remark-emitter",
    "machine-trace-metrics",
    "machinedomtree",
    "machinepostdomtree",
    "postdomtree",
    "slotindexes",
    "spill-code-placement",
    "virtregmap",
    "riscv-asm-printer",
    "aarch64-asm-printer",
    "aa",
    "loops",
    "domtree",
    "scalar-evolution",
];

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
