//! Programs before every judge: the functions of a program as `tribunal trial --json` counts them, and their sums for
//! each target and level.
//!
//! A function is proved if every one of its rewrite steps is, from the input to the selected instructions. Runs count
//! by inputs: one is conclusive where the source says what must come out.
//!
//! Invariant: a command that ended without a report is no function, and is counted by its reason.

use super::command::Ended;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One program, on one machine at one level, before every judge.
#[derive(Clone, Debug)]
pub struct ProgramTrial {
    /// Its name.
    pub program: String,
    /// The target's name.
    pub target: String,
    /// The optimisation level.
    pub level: String,
    /// The counts.
    pub sums: TrialSums,
}

/// Counts of functions and of runs: keys of `--json`.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct TrialSums {
    /// Files of programs.
    pub files: u64,
    /// Files without a report, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Functions of the others.
    pub functions: u64,
    /// Those that every judge passed.
    pub passed: u64,
    /// Faults.
    pub findings: u64,
    /// The functions that have them; of several programs, each after its program, target and level.
    pub failed: Vec<String>,
    /// Functions all of whose steps are proved.
    pub proved: u64,
    /// The others, by reason.
    pub unproved: BTreeMap<String, u64>,
    /// Steps proved.
    pub steps: u64,
    /// Inputs on which code was compared with its source.
    pub conclusive: u64,
    /// Inputs on which the source fixes nothing.
    pub inconclusive: u64,
    /// The same by reason.
    pub inconclusive_reasons: BTreeMap<String, u64>,
    /// Functions without a conclusive run, by reason.
    pub without_runs: BTreeMap<String, u64>,
}

/// The keys of `tribunal trial --json` that are read.
#[derive(Deserialize)]
struct TrialReport {
    functions: u64,
    passed: u64,
    findings: u64,
    proved: u64,
    runs: Vec<FunctionRuns>,
}

#[derive(Deserialize)]
struct FunctionRuns {
    function: String,
    verdict: String,
    executions: u64,
    inconclusive: u64,
    inconclusive_reasons: BTreeMap<String, u64>,
    refuted: u64,
    #[serde(default)]
    unsupported: BTreeMap<String, u64>,
    #[serde(default)]
    unknown: BTreeMap<String, u64>,
}

/// The verdict on a function that has a fault.
const FAILED: &str = "failed";
/// The beginning of a reason that says nothing about steps, but about runs.
const WITHOUT_RUNS: &str = "no conclusive execution";
/// The beginning of a feature that the prover does not know.
const OF_PROVER: &str = "prover: ";

impl FunctionRuns {
    /// The reason why some step is not proved.
    fn unproved(&self) -> Option<String> {
        let open = self.unknown.keys().find(|reason| !reason.starts_with(WITHOUT_RUNS));
        let feature = self.unsupported.keys().find_map(|feature| feature.strip_prefix(OF_PROVER));
        let refuted = (self.refuted > 0).then(|| "refuted".to_string());
        refuted.or_else(|| open.cloned()).or_else(|| feature.map(str::to_string))
    }

    /// The reason why no input was conclusive.
    fn without_runs(&self) -> Option<String> {
        let feature = self.unsupported.keys().find(|feature| !feature.starts_with(OF_PROVER));
        let commonest = self.inconclusive_reasons.iter().max_by_key(|(_, count)| **count).map(|(reason, _)| reason);
        (self.executions == 0).then(|| feature.or(commonest).cloned().unwrap_or_else(|| "no input".to_string()))
    }
}

impl TrialSums {
    /// Of one command.
    pub(super) fn of(ended: &Ended) -> TrialSums {
        let report = ended.output.lines().last().and_then(|line| serde_json::from_str::<TrialReport>(line).ok());
        let mut sums = TrialSums { files: 1, ..TrialSums::default() };
        let Some(TrialReport { functions, passed, findings, proved, runs }) = report else {
            sums.refused.insert(ended.complaint(), 1);
            return sums;
        };
        (sums.functions, sums.passed, sums.findings, sums.steps) = (functions, passed, findings, proved);
        for function in runs {
            if function.verdict == FAILED {
                sums.failed.push(format!("@{}", function.function));
            }
            match function.unproved() {
                Some(reason) => *sums.unproved.entry(reason).or_default() += 1,
                None => sums.proved += 1,
            }
            if let Some(reason) = function.without_runs() {
                *sums.without_runs.entry(reason).or_default() += 1;
            }
            sums.conclusive += function.executions;
            sums.inconclusive += function.inconclusive;
            join(&mut sums.inconclusive_reasons, &function.inconclusive_reasons);
        }
        sums
    }

    /// Adds up.
    pub fn add(&mut self, other: &TrialSums) {
        let counts =
            |sums: &TrialSums| [sums.files, sums.functions, sums.passed, sums.findings, sums.proved, sums.steps];
        let [files, functions, passed, findings, proved, steps] = counts(other);
        self.files += files;
        self.functions += functions;
        self.passed += passed;
        self.findings += findings;
        self.proved += proved;
        self.steps += steps;
        self.failed.extend_from_slice(&other.failed);
        self.conclusive += other.conclusive;
        self.inconclusive += other.inconclusive;
        join(&mut self.refused, &other.refused);
        join(&mut self.unproved, &other.unproved);
        join(&mut self.inconclusive_reasons, &other.inconclusive_reasons);
        join(&mut self.without_runs, &other.without_runs);
    }

    /// True if every judge passed every function.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.passed == self.functions && self.findings == 0
    }

    /// The counts in one line.
    fn line(&self, name: &str) -> String {
        let share = |part: u64, rest: u64| 100.0 * part as f64 / (part + rest).max(1) as f64;
        let TrialSums { functions, passed, findings, proved, conclusive, inconclusive, .. } = self;
        format!(
            "{name}: functions {functions}, passed {passed}, findings {findings}, proved {proved} ({:.1}%), \
             runs conclusive {conclusive} ({:.1}%)",
            share(*proved, functions.saturating_sub(*proved)),
            share(*conclusive, *inconclusive)
        )
    }
}

fn join(sums: &mut BTreeMap<String, u64>, other: &BTreeMap<String, u64>) {
    for (reason, count) in other {
        *sums.entry(reason.clone()).or_default() += count;
    }
}

/// The sums of all trials, and those of each target and level: `aarch64 -O0`.
#[derive(Clone, Default, Debug, Serialize)]
pub struct TrialTotals {
    /// Of all.
    pub all: TrialSums,
    /// By target and level.
    pub rows: BTreeMap<String, TrialSums>,
}

impl TrialTotals {
    /// The sums of these.
    pub fn of(trials: &[ProgramTrial]) -> TrialTotals {
        let mut totals = TrialTotals::default();
        for ProgramTrial { program, target, level, sums } in trials {
            let mut sums = sums.clone();
            sums.failed.iter_mut().for_each(|function| *function = format!("{program} {target} {level} {function}"));
            totals.all.add(&sums);
            totals.rows.entry(format!("{target} {level}")).or_default().add(&sums);
        }
        totals
    }

    /// The sums, and the reasons by frequency, as lines for a person.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.rows.iter().map(|(name, sums)| sums.line(name)).collect();
        lines.push(self.all.line("all"));
        let TrialSums { failed, refused, unproved, without_runs, inconclusive_reasons, .. } = &self.all;
        lines.extend(failed.iter().map(|function| format!("failed: {function}")));
        for (title, reasons) in [
            ("files without a report", refused),
            ("functions not proved", unproved),
            ("functions without a conclusive run", without_runs),
            ("inconclusive runs", inconclusive_reasons),
        ] {
            let mut reasons: Vec<_> = reasons.iter().collect();
            reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(*count), reason));
            lines.extend(reasons.into_iter().map(|(reason, count)| format!("{count:>7}  {title}: {reason}")));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(output: &str) -> Ended {
        Ended { status: None, output: output.to_string(), errors: String::new() }
    }

    #[test]
    fn a_function_counts_by_its_steps_and_by_its_runs() {
        let report = r#"{"functions":3,"passed":1,"findings":0,"proved":7,"runs":[
            {"function":"a","verdict":"failed","executions":30,"inconclusive":2,"inconclusive_reasons":{"does not end":2},"refuted":0},
            {"function":"b","verdict":"unknown","executions":0,"inconclusive":32,"inconclusive_reasons":{"undefined behaviour":32},"refuted":0,
             "unknown":{"no conclusive execution: undefined behaviour (32)":1}},
            {"function":"c","verdict":"unsupported","executions":0,"inconclusive":0,"inconclusive_reasons":{},"refuted":0,
             "unsupported":{"a relocation":1,"prover: G_X":2}}]}"#;
        let sums = TrialSums::of(&ended(&report.replace('\n', "")));
        assert_eq!((sums.functions, sums.proved, sums.conclusive, sums.inconclusive), (3, 2, 30, 34));
        assert_eq!(sums.unproved, BTreeMap::from([("G_X".to_string(), 1)]));
        let without = ["a relocation", "undefined behaviour"].map(|reason| (reason.to_string(), 1));
        assert_eq!(sums.without_runs, BTreeMap::from(without));
        let mut twice = sums.clone();
        twice.add(&sums);
        assert_eq!((twice.files, twice.steps, twice.is_complete()), (2, 14, false));
        let [program, target, level] = ["lz", "aarch64", "-O2"].map(str::to_string);
        let totals = TrialTotals::of(&[ProgramTrial { program, target, level, sums }]);
        assert!(totals.lines().contains(&"failed: lz aarch64 -O2 @a".to_string()), "{:?}", totals.lines());
    }

    #[test]
    fn a_command_without_a_report_is_a_reason_and_no_function() {
        let sums = TrialSums::of(&ended("stopped"));
        assert_eq!((sums.files, sums.functions, sums.refused.len(), sums.is_complete()), (1, 0, 1, false));
    }
}
