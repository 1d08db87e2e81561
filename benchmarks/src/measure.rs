//! Runs the commands of a section, as a person types them, and keeps their output.
//!
//! Exit statuses are those of `tribunal`: 0 all well, 1 a judge found a fault, 3 something stayed unknown or
//! unsupported. With each of these the output counts, findings included. Any other status, and unreadable output, is a
//! failure of the section.

use crate::record::{CommandRun, Measurement, Origin, Record};
use crate::section::{Budget, Reading, Section, SectionStep};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

/// The place where commands run.
pub struct Place {
    /// The root of the workspace.
    pub root: PathBuf,
    /// Folders before those of PATH: where `tribunal` is.
    pub programs: Vec<PathBuf>,
}

impl Place {
    /// `bash` with this command, in the root.
    fn shell(&self, command: &str) -> Command {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders = self.programs.iter().cloned().chain(std::env::split_paths(&inherited));
        let path = std::env::join_paths(folders).unwrap_or_else(|_| OsString::from(&inherited));
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(&self.root).env("PATH", path);
        shell
    }

    /// Standard output of a command that succeeds, trimmed.
    pub fn answer(&self, command: &str) -> Option<String> {
        let output = self.shell(command).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    }

    /// Today, and the commit that is checked out. A change of the file that this program writes does not count.
    pub fn origin(&self) -> Origin {
        let answer = |command| self.answer(command).unwrap_or_else(|| "unknown".to_string());
        let changes = self.answer("git status --porcelain -- . ':!docs/benchmarks.md'");
        Origin {
            date: answer("date -u +%F"),
            commit: answer("git rev-parse --short=10 HEAD"),
            has_changes: changes.is_some_and(|changes| !changes.is_empty()),
        }
    }
}

/// Measures a section. `progress` receives each command before it runs.
pub fn measure(section: &Section, effort: &Budget, place: &Place, mut progress: impl FnMut(&str)) -> Record {
    let (origin, started) = (place.origin(), Instant::now());
    let missing = section.needs.iter().find(|need| place.answer(need.command).is_none());
    let outcome = match missing {
        Some(need) => Measurement::Missing(need.otherwise.to_string()),
        None => {
            let steps = (section.steps)(effort);
            let run = |step: SectionStep| {
                progress(&step.command);
                run(&step, place).map_err(|reason| (step.command, reason))
            };
            match steps.into_iter().map(run).collect() {
                Ok(runs) => Measurement::Measured(runs),
                Err((command, reason)) => Measurement::Failed { command, reason },
            }
        }
    };
    Record { origin, seconds: started.elapsed().as_secs_f64(), outcome }
}

/// Runs one command; the reason if it failed.
fn run(step: &SectionStep, place: &Place) -> Result<CommandRun, String> {
    let started = Instant::now();
    let output = place.shell(&step.command).output().map_err(|error| format!("bash cannot be started: {error}"))?;
    let seconds = started.elapsed().as_secs_f64();
    let status = match output.status.code() {
        Some(status @ (0 | 1 | 3)) => status,
        _ => return Err(format!("{}{}", output.status, last_words(&output))),
    };
    let read = match step.reading {
        Reading::Nothing => (status == 0).then_some(Value::Null),
        Reading::Json => object(&String::from_utf8_lossy(&output.stdout)),
        Reading::LibFuzzer => libfuzzer(&String::from_utf8_lossy(&output.stderr)),
        Reading::Tests => tests_passed(&String::from_utf8_lossy(&output.stdout)),
    };
    let read = read.ok_or_else(|| format!("no figures, and {}{}", output.status, last_words(&output)))?;
    Ok(CommandRun { label: step.label.to_string(), command: step.command.clone(), status, seconds, output: read })
}

/// The last line of a command's output, which gives the reason of its failure.
fn last_words(output: &Output) -> String {
    let said = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes).trim().to_string());
    let last = said.iter().filter_map(|text| text.lines().last()).next();
    last.map_or(String::new(), |line| format!("; it said: {line}"))
}

/// The object on the last line.
fn object(text: &str) -> Option<Value> {
    serde_json::from_str(text.lines().last()?).ok().filter(Value::is_object)
}

/// The number of tests that `passed`, of which there is one at least, and the `seconds` that they took. A test that
/// fails ends the command with a status that is no success.
fn tests_passed(said: &str) -> Option<Value> {
    let (mut passed, mut seconds) = (0, 0.0);
    // `test result: ok. 21 passed; 0 failed; ...; finished in 4.86s`
    for line in said.lines().filter_map(|line| line.strip_prefix("test result: ok. ")) {
        passed += line.split(' ').next()?.parse::<u64>().ok()?;
        seconds += line.rsplit(' ').next()?.strip_suffix('s')?.parse::<f64>().ok()?;
    }
    (passed > 0).then(|| json!({ "passed": passed, "seconds": seconds }))
}

/// The figures of libFuzzer's log: `runs`, `seconds`, `coverage` and `features` (as its `cov:` and `ft:`), and
/// `findings`.
fn libfuzzer(log: &str) -> Option<Value> {
    // `#9271   REDUCE cov: 8191 ft: 24463 corp: ...`
    let status = log.lines().rfind(|line| line.starts_with('#') && line.contains(" ft: "))?;
    let after = |line: &str, key: &str| -> Option<u64> {
        let mut words = line.split_whitespace().skip_while(|word| *word != key).skip(1);
        words.next()?.parse().ok()
    };
    // A unit that is slow is kept too, and finds nothing.
    let is_finding = |line: &&str| line.contains("Test unit written to") && !line.contains("slow-unit-");
    let findings = log.lines().filter(is_finding).count();
    // `Done 9271 runs in 601 second(s)`, but not after a finding.
    let (runs, seconds) = match log.lines().rfind(|line| line.starts_with("Done ")) {
        Some(done) => (after(done, "Done")?, json!(after(done, "in")?)),
        None if findings > 0 => (status.split_whitespace().next()?.trim_start_matches('#').parse().ok()?, Value::Null),
        None => return None,
    };
    let (coverage, features) = (after(status, "cov:"), after(status, "ft:")?);
    Some(json!({
        "runs": runs, "seconds": seconds, "coverage": coverage, "features": features, "findings": findings
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::Need;

    fn place() -> Place {
        Place { root: std::env::temp_dir(), programs: Vec::new() }
    }

    /// The outcome of a section of one command.
    fn outcome(needs: &'static [Need], steps: fn(&Budget) -> Vec<SectionStep>) -> Measurement {
        let section = Section { name: "", heading: "", about: "", needs, steps, parts: &[] };
        measure(&section, &Budget { seconds_a_job: 3, jobs: 2 }, &place(), |_| ()).outcome
    }

    fn runs(outcome: Measurement) -> Vec<CommandRun> {
        let Measurement::Measured(runs) = outcome else { panic!("not measured: {outcome:?}") };
        runs
    }

    #[test]
    fn the_last_line_of_a_command_is_its_output_and_its_status_is_kept() {
        let steps = |effort: &Budget| {
            let seconds = effort.seconds_a_job;
            vec![
                SectionStep::preparation("true"),
                SectionStep::json("found", format!("echo text; echo '{{\"n\": {seconds}}}'; exit 1")),
            ]
        };
        let runs = runs(outcome(&[], steps));
        assert_eq!((runs[0].status, &runs[0].output), (0, &Value::Null));
        assert_eq!((runs[1].status, &runs[1].output, runs[1].label.as_str()), (1, &json!({"n": 3}), "found"));
    }

    #[test]
    fn a_failing_command_fails_its_section_with_what_it_said_last() {
        let failed = |steps| match outcome(&[], steps) {
            Measurement::Failed { command, reason } => (command, reason),
            other => panic!("not failed: {other:?}"),
        };
        let (command, reason) = failed(|_| vec![SectionStep::json("bad", "echo one >&2; echo usage >&2; exit 2")]);
        assert_eq!(command, "echo one >&2; echo usage >&2; exit 2");
        assert_eq!(reason, "exit status: 2; it said: usage");
        assert!(failed(|_| vec![SectionStep::json("silent", "true")]).1.starts_with("no figures"));
        assert!(failed(|_| vec![SectionStep::json("list", "echo [1]")]).1.starts_with("no figures"));
        assert!(failed(|_| vec![SectionStep::preparation("exit 1")]).1.starts_with("no figures"));
        assert!(failed(|_| vec![SectionStep::json("killed", "kill -9 $$")]).1.contains("signal"));
    }

    #[test]
    fn without_its_tools_a_section_is_not_measured() {
        let needs: &'static [Need] = &[
            Need { command: "true", otherwise: "nothing is missing" },
            Need { command: "no-such-tool --version", otherwise: "no-such-tool is missing" },
        ];
        let outcome = outcome(needs, |_| vec![SectionStep::json("never", "exit 2")]);
        assert_eq!(outcome, Measurement::Missing("no-such-tool is missing".to_string()));
    }

    #[test]
    fn tests_that_pass_are_counted() {
        let one = "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; finished in 0.25s\n";
        assert_eq!(tests_passed(&one.repeat(2)), Some(json!({"passed": 4, "seconds": 0.5})));
        assert_eq!(tests_passed("test result: ok. 0 passed; 0 failed; finished in 0.00s\n"), None);
        assert_eq!(tests_passed("test result: FAILED. 1 passed; 1 failed\n"), None);
    }

    #[test]
    fn libfuzzers_log_is_read_with_and_without_a_finding() {
        let lines = "#1\tINITED cov: 80 ft: 90 corp: 1/2b\n#9271\tREDUCE cov: 8191 ft: 24463 corp: 40/9Kb lim: 32768\n";
        let slow = "artifact_prefix='./'; Test unit written to ./slow-unit-0\n";
        let done = format!("{lines}{slow}Done 9300 runs in 601 second(s)\n");
        let expected = json!({"runs": 9300, "seconds": 601, "coverage": 8191, "features": 24463, "findings": 0});
        assert_eq!(libfuzzer(&done), Some(expected));
        let crashed = format!("{lines}==1== ERROR: libFuzzer: deadly signal\nTest unit written to ./crash-0\n");
        let found = libfuzzer(&crashed).unwrap();
        assert_eq!((&found["runs"], &found["findings"]), (&json!(9271), &json!(1)));
        // It ended without a line of completion and without a finding.
        assert_eq!(libfuzzer(lines), None);
        assert_eq!(libfuzzer("error: no such target"), None);
    }
}
