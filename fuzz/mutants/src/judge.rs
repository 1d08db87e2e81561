//! Puts a fault before the judges: `fuzz`, then the cases of `trial`, then `prove`, until one kills it.

use crate::MutantsError;
use crate::layer;
use crate::weave::Mutant;
use serde::{Deserialize, Serialize};
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
    /// The cases of `corpus/run`.
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
    /// No judge did; the commands that left something unknown or unsupported.
    Alive(Vec<Verb>),
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
}

/// The last line of a command's standard output; the fields that are read.
#[derive(Deserialize, Default)]
struct Report {
    #[serde(default)]
    programs: u64,
    #[serde(default)]
    reports: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    judge: String,
    kind: String,
    guilty: String,
    signature: String,
}

/// The end of a command.
struct Run {
    /// `None` if it did not end by itself with one.
    status: Option<i32>,
    is_late: bool,
    report: Report,
    seconds: f64,
}

/// Time beyond its limit that a command has for reducing and reporting.
const GRACE: u64 = 30;

impl Court {
    /// Puts one fault before each command until one kills it.
    pub fn judge(&self, mutant: &Mutant) -> Result<Fate, MutantsError> {
        let (_, pass) = layer::of(&mutant.site.file);
        let mut open = Vec::new();
        for verb in Verb::ALL {
            let run = self.run(verb, mutant.number, self.seconds)?;
            match (run.status, run.report.reports.first()) {
                (Some(0), _) => {}
                (Some(1), Some(finding)) => {
                    return Ok(Fate::Killed(MutantKill {
                        verb,
                        judge: finding.judge.clone(),
                        kind: finding.kind.clone(),
                        guilty: finding.guilty.clone(),
                        seconds: run.seconds,
                        programs: run.report.programs,
                        instructions: self.reproducer(mutant.number, &finding.signature),
                        is_blamed: pass.map(|pass| layer::pass_of(&finding.guilty) == pass),
                    }));
                }
                // A judge that needs longer than the limit has found nothing; `fuzz` ends by itself.
                (None, _) if run.is_late && verb != Verb::Fuzz => open.push(verb),
                (Some(3), _) => open.push(verb),
                (status, _) => return Ok(Fate::Killed(process(verb, &run, status))),
            }
        }
        Ok(Fate::Alive(open))
    }

    /// Without a fault every command must pass: a kill would say nothing otherwise.
    pub fn check_baseline(&self) -> Result<(), MutantsError> {
        for verb in [Verb::Fuzz, Verb::Trial] {
            let run = self.run(verb, 0, self.seconds.min(10))?;
            if run.status != Some(0) {
                let status = run.status.map_or_else(|| "no status".to_string(), |status| status.to_string());
                return Err(MutantsError::Baseline { command: verb.name().to_string(), status });
            }
        }
        Ok(())
    }

    fn place(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number}"))
    }

    fn run(&self, verb: Verb, number: u32, seconds: u64) -> Result<Run, MutantsError> {
        let place = self.place(number);
        std::fs::create_dir_all(&place).map_err(MutantsError::at(&place))?;
        let output = place.join(verb.name());
        let file = File::create(&output).map_err(MutantsError::at(&output))?;
        let mut command = Command::new(&self.program);
        command.arg(verb.name()).args(["--no-cache", "--json"]).env("TRIBUNAL_MUTANT", number.to_string());
        match verb {
            Verb::Fuzz => command
                .args(["--jobs", "1", "--findings", "1", "--seconds", &seconds.to_string(), "--out"])
                .arg(place.join("crashes")),
            Verb::Trial => command.args(cases(&self.root.join("corpus/run"))?),
            Verb::Prove => command.args(["--jobs", "1", "--out"]).arg(place.join("counterexamples")),
        };
        let started = Instant::now();
        command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null()).current_dir(&self.root);
        let mut child = command.spawn().map_err(MutantsError::at(&self.program))?;
        let limit = Duration::from_secs(seconds + if verb == Verb::Fuzz { GRACE } else { 0 });
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

    /// Instructions of the crash file with this signature.
    fn reproducer(&self, number: u32, signature: &str) -> Option<usize> {
        let folder = std::fs::read_dir(self.place(number).join("crashes")).ok()?;
        let texts = folder.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
        let line = format!("# signature: {signature}");
        texts.filter(|text| text.lines().any(|other| other == line)).map(|text| instructions(&text)).min()
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

/// The MIR files of a folder.
fn cases(folder: &Path) -> Result<Vec<PathBuf>, MutantsError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(MutantsError::at(folder))? {
        let path = entry.map_err(MutantsError::at(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "mir") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
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

    #[test]
    fn instructions_are_counted_without_labels_and_edges() {
        let text = "name: f\nbody:             |\n  bb.0:\n    successors: %bb.1\n    liveins: $x10\n\n    %0:_(s64) = COPY $x10\n    G_BR %bb.1\n\n  bb.1:\n    PseudoRET\n...\n";
        assert_eq!(instructions(text), 3);
    }
}
