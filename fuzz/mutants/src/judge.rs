//! Puts a fault before the judges: `fuzz`, then the cases of `trial`, then `prove`, until one kills it.

use crate::MutantsError;
use crate::layer;
use crate::site::Change;
use crate::weave::Mutant;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// The commands, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Generated programs, one core.
    Fuzz,
    /// The cases of `corpus/run`, and modules that clang wrote.
    Trial,
    /// The catalogue, nothing known before.
    Prove,
}

impl Verb {
    /// All, in their order.
    pub const ALL: [Verb; 3] = [Verb::Fuzz, Verb::Trial, Verb::Prove];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Fuzz => "fuzz",
            Verb::Trial => "trial",
            Verb::Prove => "prove",
        }
    }
}

/// A kill.
#[derive(Clone, Debug, Serialize)]
pub struct MutantKill {
    /// The command.
    pub verb: Verb,
    /// The judge; `process` for a program that ended by itself, or did not end.
    pub judge: String,
    /// The kind of the finding.
    pub kind: String,
    /// The rule or pass that was blamed.
    pub guilty: String,
    /// Wall time to the end of the command, its reduction included.
    pub seconds: f64,
    /// Programs judged by `fuzz`.
    pub programs: u64,
    /// Instructions of the reproducer, if `fuzz` wrote one.
    pub instructions: Option<usize>,
    /// Blame names the pass of the fault; `None` where the fault's file belongs to no pass alone.
    pub is_blamed: Option<bool>,
}

/// The fate of a fault.
#[derive(Clone, Debug, Serialize)]
pub enum Fate {
    /// A judge found it.
    Killed(MutantKill),
    /// No judge did.
    Alive(Survival),
}

/// Where a fault was while no judge saw it.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Survival {
    /// The commands that left something unknown or unsupported.
    pub open: Vec<Verb>,
    /// The commands that never come to its place.
    pub unreached: Vec<Verb>,
}

impl fmt::Display for Survival {
    /// Words for behind a fault; nothing if all commands came to it and decided all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, verbs) in [("open:", &self.open), ("never reached by", &self.unreached)] {
            if !verbs.is_empty() {
                let names: Vec<&str> = verbs.iter().map(|verb| verb.name()).collect();
                write!(f, " ({title} {})", names.join(", "))?;
            }
        }
        Ok(())
    }
}

/// The place and the limits of the hunt.
pub struct Court {
    /// The binary with the faults.
    pub program: PathBuf,
    /// The root of the workspace.
    pub root: PathBuf,
    /// For output and crash files.
    pub folder: PathBuf,
    /// Of each command.
    pub seconds: u64,
    /// For each verb the faults that its commands, in their order, come to without a fault; of `check_baseline`.
    pub reached: BTreeMap<Verb, Vec<BTreeSet<u32>>>,
}

/// The last line of a command's standard output; the fields that are read.
#[derive(Deserialize, Default)]
struct Report {
    #[serde(default)]
    programs: u64,
    /// Programs that were refused, which none is without a fault.
    #[serde(default)]
    unsupported: u64,
    /// The reasons, with their counts: `PASS: FEATURE` where a pass refused.
    #[serde(default)]
    unsupported_features: BTreeMap<String, u64>,
    #[serde(default)]
    reports: Vec<Finding>,
}

#[derive(Deserialize, Clone)]
struct Finding {
    judge: String,
    kind: String,
    guilty: String,
    signature: String,
}

/// The state of the binary's switch.
#[derive(Clone, Copy)]
enum Switch<'p> {
    /// This fault is on.
    On(u32),
    /// None is, and those that are asked for are noted in this file.
    Noted(&'p Path),
}

/// The end of a command.
struct Run {
    /// `None` if it did not end by itself with one.
    status: Option<i32>,
    is_late: bool,
    report: Report,
    seconds: f64,
}

impl Run {
    /// What killed the fault: a finding, or a refusal of code that compiles without it.
    fn finding(&self) -> Option<Finding> {
        match self.status {
            Some(1) => self.report.reports.first().cloned(),
            Some(3) if self.report.unsupported > 0 => {
                Some(Finding::refusal(self.report.unsupported_features.keys().next().map_or("", String::as_str)))
            }
            _ => None,
        }
    }
}

impl Finding {
    /// The finding that `fuzz` makes of a refusal, whose feature starts with the pass that refused.
    fn refusal(feature: &str) -> Finding {
        let (judge, kind) = ("compiler".to_string(), "unsupported".to_string());
        let guilty = feature.split_once(": ").map_or(feature, |(pass, _)| pass).to_string();
        let signature = format!("{judge}: {kind}: guilty: {guilty}");
        Finding { judge, kind, guilty, signature }
    }
}

/// The time beyond its limit that a command has for its first questions, for reducing and reporting.
const GRACE: u64 = 60;

/// Seconds in which one core proves about the whole catalogue.
const CATALOGUE: u64 = 100;

/// The part of the catalogue that is proved in this time: it has all targets and widths, where the first instances have
/// one target alone.
fn shard(seconds: u64) -> String {
    format!("1/{}", CATALOGUE.div_ceil(seconds))
}

impl Court {
    /// Puts one fault before each command until one kills it.
    pub fn judge(&self, mutant: &Mutant) -> Result<Fate, MutantsError> {
        let (_, pass) = layer::of(&mutant.site.file);
        let place = self.folder.join(mutant.number.to_string());
        std::fs::create_dir_all(&place).map_err(MutantsError::at(&place))?;
        // A fault outside of the passes may be one of the definitions: no proof of before holds with it.
        if pass.is_some() {
            copy_folder(&self.proofs(), &place.join("proofs"))?;
        }
        let mut survival = Survival::default();
        for verb in Verb::ALL {
            let mut is_reached = false;
            for (index, command) in self.commands(verb, &place, self.seconds, pass.is_some())?.into_iter().enumerate() {
                // What never asks for the fault does as it did without one.
                if !self.is_reached(mutant, verb, index) {
                    continue;
                }
                is_reached = true;
                let run = self.run(verb, Switch::On(mutant.number), command, &place)?;
                let found_one = run.finding();
                if let Some(finding) = &found_one
                    && !self.shows_without_fault(&place, finding)?
                {
                    return Ok(Fate::Killed(found(verb, &run, finding, &place, pass)));
                }
                match run.status {
                    Some(0) => {}
                    // The finding is none of the fault, and ended the command before its time.
                    _ if found_one.is_some() => survival.open.push(verb),
                    // A judge that needs longer than the limit has found nothing; `fuzz` ends by itself.
                    None if run.is_late && verb != Verb::Fuzz => survival.open.push(verb),
                    Some(3) => survival.open.push(verb),
                    status => return Ok(Fate::Killed(process(verb, &run, status))),
                }
            }
            if !is_reached {
                survival.unreached.push(verb);
            }
        }
        // Proofs are large, and of no use to the next fault.
        let proofs = place.join("proofs");
        if proofs.exists() {
            std::fs::remove_dir_all(&proofs).map_err(MutantsError::at(&proofs))?;
        }
        survival.open.dedup();
        Ok(Fate::Alive(survival))
    }

    /// Whether the program without a fault reproduces a crash file of the finding, which a campaign may make too seldom
    /// to have met it there. A refusal is no finding of a replay, but its status.
    fn shows_without_fault(&self, place: &Path, finding: &Finding) -> Result<bool, MutantsError> {
        let shown = if finding.kind == "unsupported" { 3 } else { 1 };
        for (path, _) in crash_files(place, &finding.signature) {
            let mut command = Command::new(&self.program);
            command.arg("replay").arg(path).current_dir(&self.root);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if command.status().map_err(MutantsError::at(&self.program))?.code() == Some(shown) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the verb's command of this index comes to the fault. A table's fault has no place to come to.
    fn is_reached(&self, mutant: &Mutant, verb: Verb, index: usize) -> bool {
        let reached = self.reached.get(&verb).and_then(|commands| commands.get(index));
        matches!(mutant.site.change, Change::Table { .. })
            || reached.is_none_or(|reached| reached.contains(&mutant.number))
    }

    /// Without a fault every command must pass: a kill would say nothing otherwise. The proofs are kept for the faults,
    /// and the places that each command comes to.
    pub fn check_baseline(&mut self) -> Result<(), MutantsError> {
        let place = self.folder.join("0");
        std::fs::create_dir_all(&place).map_err(MutantsError::at(&place))?;
        for verb in Verb::ALL {
            for (index, command) in self.commands(verb, &place, self.seconds, true)?.into_iter().enumerate() {
                let noted = place.join(format!("{}-{index}-reached", verb.name()));
                let run = self.run(verb, Switch::Noted(&noted), command, &place)?;
                // No run of a module's function has an outcome where an address is one; that is `unknown`. A slow
                // machine does not end its part of the catalogue. No fault is killed by either.
                let is_open = verb != Verb::Fuzz && run.status == Some(3) && run.report.unsupported == 0;
                let is_late = verb == Verb::Prove && run.is_late;
                if run.status != Some(0) && !is_open && !is_late {
                    let status = run.status.map_or_else(|| "no status".to_string(), |status| status.to_string());
                    return Err(MutantsError::Baseline { command: verb.name().to_string(), status });
                }
                let text = std::fs::read_to_string(&noted).map_err(MutantsError::at(&noted))?;
                let numbers = text.lines().filter_map(|line| line.parse().ok()).collect();
                self.reached.entry(verb).or_default().push(numbers);
            }
        }
        Ok(())
    }

    /// The proofs of the program without a fault.
    fn proofs(&self) -> PathBuf {
        self.folder.join("0/proofs")
    }

    /// The command lines of a verb.
    fn commands(
        &self,
        verb: Verb,
        place: &Path,
        seconds: u64,
        keeps_proofs: bool,
    ) -> Result<Vec<Command>, MutantsError> {
        let new = || {
            let mut command = Command::new(&self.program);
            command.arg(verb.name()).arg("--json").current_dir(&self.root);
            match keeps_proofs && verb != Verb::Prove {
                true => command.arg("--cache").arg(place.join("proofs")),
                false => command.arg("--no-cache"),
            };
            command
        };
        let mut first = new();
        match verb {
            Verb::Fuzz => {
                first.args(["--jobs", "1", "--findings", "1", "--seconds", &seconds.to_string(), "--out"]);
                first.arg(place.join("crashes"));
            }
            Verb::Prove => {
                first.args(["--jobs", "1", "--seconds", &seconds.to_string(), "--shard", &shard(seconds), "--out"]);
                first.arg(place.join("counterexamples"));
            }
            Verb::Trial => {
                let of_target = |(target, cases): (String, Vec<PathBuf>)| {
                    let mut command = new();
                    command.args(["--target", &target]).args(cases);
                    command
                };
                let modules = modules(&self.root.join("trial/tests/modules"))?;
                return Ok(cases(&self.root.join("corpus/run"))?.into_iter().chain(modules).map(of_target).collect());
            }
        }
        Ok(vec![first])
    }

    fn run(&self, verb: Verb, switch: Switch<'_>, mut command: Command, place: &Path) -> Result<Run, MutantsError> {
        let output = place.join(verb.name());
        let file = File::create(&output).map_err(MutantsError::at(&output))?;
        let started = Instant::now();
        match switch {
            Switch::On(number) => command.env("TRIBUNAL_MUTANT", number.to_string()),
            Switch::Noted(path) => command.env("TRIBUNAL_MUTANTS_REACHED", path),
        };
        command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
        let mut child = command.spawn().map_err(MutantsError::at(&self.program))?;
        let limit = Duration::from_secs(self.seconds + if verb == Verb::Trial { 0 } else { GRACE });
        let ended = child.wait_timeout(limit).map_err(MutantsError::at(&self.program))?;
        if ended.is_none() {
            // It may have ended in between: either way it is gone.
            let _ = child.kill();
            child.wait().map_err(MutantsError::at(&self.program))?;
        }
        let text = std::fs::read(&output).map_err(MutantsError::at(&output))?;
        let text = String::from_utf8_lossy(&text);
        let report = text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        Ok(Run {
            status: ended.and_then(|status| status.code()),
            is_late: ended.is_none(),
            report,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

/// Instructions of the crash file with this signature.
fn reproducer(place: &Path, signature: &str) -> Option<usize> {
    crash_files(place, signature).iter().map(|(_, text)| instructions(text)).min()
}

/// The crash files with this signature, each with its text.
fn crash_files(place: &Path, signature: &str) -> Vec<(PathBuf, String)> {
    let line = format!("# signature: {signature}");
    let folder = std::fs::read_dir(place.join("crashes")).into_iter().flatten().filter_map(Result::ok);
    let texts = folder.filter_map(|entry| Some((entry.path(), std::fs::read_to_string(entry.path()).ok()?)));
    texts.filter(|(_, text)| text.lines().any(|other| other == line)).collect()
}

/// Copies the files of a folder.
fn copy_folder(from: &Path, to: &Path) -> Result<(), MutantsError> {
    std::fs::create_dir_all(to).map_err(MutantsError::at(to))?;
    for entry in std::fs::read_dir(from).map_err(MutantsError::at(from))? {
        let entry = entry.map_err(MutantsError::at(from))?;
        std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(MutantsError::at(entry.path()))?;
    }
    Ok(())
}

/// A kill by a judge of a fault that belongs to `pass`, or to no pass alone.
fn found(verb: Verb, run: &Run, finding: &Finding, place: &Path, pass: Option<&str>) -> MutantKill {
    MutantKill {
        verb,
        judge: finding.judge.clone(),
        kind: finding.kind.clone(),
        guilty: finding.guilty.clone(),
        seconds: run.seconds,
        programs: run.report.programs,
        instructions: reproducer(place, &finding.signature),
        is_blamed: pass.map(|pass| layer::pass_of(&finding.guilty) == pass),
    }
}

/// A command that ended by itself without a finding, or did not end.
fn process(verb: Verb, run: &Run, status: Option<i32>) -> MutantKill {
    let kind = match (run.is_late, status) {
        (true, _) => "hang".to_string(),
        (_, Some(status)) => format!("status {status}"),
        (_, None) => "signal".to_string(),
    };
    MutantKill {
        verb,
        judge: "process".to_string(),
        kind,
        guilty: String::new(),
        seconds: run.seconds,
        programs: run.report.programs,
        instructions: None,
        is_blamed: None,
    }
}

/// The cases of each target's folder that need no features.
fn cases(folder: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, MutantsError> {
    let mut found = Vec::new();
    for target in entries(folder)? {
        let mut cases = Vec::new();
        for path in entries(&target)? {
            let text = std::fs::read_to_string(&path).map_err(MutantsError::at(&path))?;
            if !text.lines().any(|line| line.starts_with("# features:")) {
                cases.push(path);
            }
        }
        found.push((target.file_name().unwrap_or_default().to_string_lossy().into_owned(), cases));
    }
    Ok(found)
}

/// The modules of each target, by the last part of their names: `sums.riscv64.mir`. They call each other's functions
/// by address, ask for frames and have data, which generated functions do not.
fn modules(folder: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, MutantsError> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in entries(folder)? {
        let target = path.file_stem().and_then(|stem| Path::new(stem).extension()).map(|name| name.to_string_lossy());
        if let Some(target) = target.map(|name| name.into_owned()) {
            found.entry(target).or_default().push(path);
        }
    }
    Ok(found.into_iter().collect())
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, MutantsError> {
    let read = std::fs::read_dir(folder).map_err(MutantsError::at(folder))?;
    let mut paths = read.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    if let Ok(paths) = &mut paths {
        paths.sort();
    }
    paths.map_err(MutantsError::at(folder))
}

/// Instructions in the body of a MIR file: its lines but labels, edges and live-ins.
fn instructions(text: &str) -> usize {
    let body = text.lines().skip_while(|line| !line.starts_with("body:")).skip(1).take_while(|line| *line != "...");
    let others = ["bb.", "successors:", "liveins:", ";"];
    body.map(str::trim).filter(|line| !line.is_empty() && !others.iter().any(|other| line.starts_with(other))).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::{MutationSite, Operator};

    #[test]
    fn each_target_has_its_cases_and_its_modules() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let cases = cases(&root.join("corpus/run")).expect("the cases are here");
        let modules = modules(&root.join("trial/tests/modules")).expect("the modules are here");
        let targets = |found: &[(String, Vec<PathBuf>)]| -> Vec<String> {
            assert!(found.iter().all(|(_, files)| !files.is_empty()));
            found.iter().map(|(target, _)| target.clone()).collect()
        };
        assert_eq!(targets(&modules), ["aarch64", "riscv32", "riscv64"]);
        assert!(targets(&modules).iter().all(|target| targets(&cases).contains(target)));
    }

    #[test]
    fn a_refusal_blames_the_pass_that_refused() {
        let text = r#"{"unsupported": 2, "unsupported_features": {"select: selection of G_ADD": 2}}"#;
        let report: Report = serde_json::from_str(text).expect("the report is JSON");
        let run = Run { status: Some(3), is_late: false, report, seconds: 1.0 };
        let kill = found(Verb::Trial, &run, &run.finding().expect("a refusal kills"), Path::new("."), Some("select"));
        assert_eq!((kill.judge.as_str(), kill.kind.as_str(), kill.is_blamed), ("compiler", "unsupported", Some(true)));
        let open = Run { report: Report::default(), ..run };
        assert!(open.finding().is_none());
    }

    #[test]
    fn a_command_that_never_comes_to_a_fault_is_not_run() {
        let mutant = |number, change| {
            let (file, item) = ("backend/ir/src/opcode.rs".to_string(), "f".to_string());
            let shown = ("g();".to_string(), "(nothing)".to_string());
            let site = MutationSite {
                file,
                line: 7,
                item,
                range: 0..1,
                operator: Operator::Statement,
                shown,
                change,
                alike: (1, 1),
            };
            Mutant { number, site }
        };
        let (code, table) = (Change::Drop, Change::Table { at: 0..1, with: String::new(), statics: Vec::new() });
        let folder = tempfile::tempdir().expect("a folder for the output");
        let reached = Verb::ALL.map(|verb| (verb, vec![BTreeSet::from([1]); 100]));
        // The program is not there: to run it is an error.
        let court = Court {
            program: folder.path().join("none"),
            root: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
            folder: folder.path().to_path_buf(),
            seconds: 1,
            reached: reached.into_iter().collect(),
        };
        let fate = court.judge(&mutant(2, code.clone())).expect("nothing is run");
        assert!(matches!(fate, Fate::Alive(survival) if survival.unreached == Verb::ALL && survival.open.is_empty()));
        court.judge(&mutant(1, code)).expect_err("the commands come to it");
        court.judge(&mutant(2, table)).expect_err("a table is everywhere");
    }

    #[test]
    fn instructions_are_counted_without_labels_and_edges() {
        let text = "name: f\nbody:             |\n  bb.0:\n    successors: %bb.1\n    liveins: $x10\n\n    %0:_(s64) = COPY $x10\n    G_BR %bb.1\n\n  bb.1:\n    PseudoRET\n...\n";
        assert_eq!(instructions(text), 3);
    }
}
