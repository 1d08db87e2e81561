//! The end of one program on one machine at one level, and the sums of many.
//!
//! Invariant: a program passes only if it ran and wrote what was expected. `refused` is a tool of others that failed,
//! `unsupported` our backend that said so, and `wrong` everything else.

use serde::Serialize;
use std::collections::BTreeMap;

/// How it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramVerdict {
    /// The output and the exit status are the expected ones.
    Passed,
    /// It ran, and they are not; or the compiler broke.
    Wrong(String),
    /// The backend refuses a function, or its object does not link: the commonest reason.
    Unsupported(String),
    /// A tool of others failed.
    Refused(String),
}

impl ProgramVerdict {
    /// The word of reports, and the reason.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            ProgramVerdict::Passed => ("passed", ""),
            ProgramVerdict::Wrong(reason) => ("wrong", reason),
            ProgramVerdict::Unsupported(reason) => ("unsupported", reason),
            ProgramVerdict::Refused(reason) => ("refused", reason),
        }
    }
}

/// One program, compiled and run.
#[derive(Clone, Debug)]
pub struct ProgramResult {
    /// Its name; in a mixture with the share that the backend compiled.
    pub program: String,
    /// The target's name.
    pub target: String,
    /// The optimisation level.
    pub level: String,
    /// How it ended.
    pub verdict: ProgramVerdict,
    /// Its functions that the backend was given.
    pub functions: Functions,
}

/// Functions that went into the backend.
#[derive(Clone, Default, Debug)]
pub struct Functions {
    /// All of them.
    pub seen: u64,
    /// Those that were compiled.
    pub compiled: u64,
    /// Those that LLVM's own IR translator gave up.
    pub fallbacks: u64,
    /// The first reason of each function that was not compiled.
    pub by_reason: BTreeMap<String, u64>,
}

impl Functions {
    /// Adds up.
    pub fn add(&mut self, other: &Functions) {
        self.seen += other.seen;
        self.compiled += other.compiled;
        self.fallbacks += other.fallbacks;
        for (reason, count) in &other.by_reason {
            *self.by_reason.entry(reason.clone()).or_default() += count;
        }
    }

    /// The commonest reason.
    pub fn commonest(&self) -> Option<&str> {
        let commonest = self.by_reason.iter().max_by_key(|&(reason, count)| (*count, std::cmp::Reverse(reason)));
        commonest.map(|(reason, _)| reason.as_str())
    }
}

/// The sums: keys of `--json`.
#[derive(Clone, Default, Debug, Serialize)]
pub struct ProgramTotals {
    programs: u64,
    passed: u64,
    wrong: u64,
    unsupported: u64,
    refused: u64,
    functions: u64,
    compiled: u64,
    fallbacks: u64,
    /// Functions that were not compiled.
    by_reason: BTreeMap<String, u64>,
    /// The same on each target.
    targets: BTreeMap<String, BTreeMap<String, u64>>,
    /// Programs that did not pass.
    reports: Vec<ProgramReport>,
}

/// A program that did not pass.
#[derive(Clone, Debug, Serialize)]
struct ProgramReport {
    program: String,
    target: String,
    level: String,
    verdict: &'static str,
    reason: String,
}

impl ProgramTotals {
    /// The sums of these.
    pub fn of(results: &[ProgramResult]) -> ProgramTotals {
        let mut totals = ProgramTotals { programs: results.len() as u64, ..ProgramTotals::default() };
        let mut functions = Functions::default();
        for result in results {
            functions.add(&result.functions);
            let of_target = totals.targets.entry(result.target.clone()).or_default();
            for (reason, count) in &result.functions.by_reason {
                *of_target.entry(reason.clone()).or_default() += count;
            }
            let (word, reason) = result.verdict.words();
            let count = match &result.verdict {
                ProgramVerdict::Passed => &mut totals.passed,
                ProgramVerdict::Wrong(_) => &mut totals.wrong,
                ProgramVerdict::Unsupported(_) => &mut totals.unsupported,
                ProgramVerdict::Refused(_) => &mut totals.refused,
            };
            *count += 1;
            if result.verdict != ProgramVerdict::Passed {
                let ProgramResult { program, target, level, .. } = result.clone();
                totals.reports.push(ProgramReport {
                    program,
                    target,
                    level,
                    verdict: word,
                    reason: reason.to_string(),
                });
            }
        }
        let Functions { seen, compiled, fallbacks, by_reason } = functions;
        ProgramTotals { functions: seen, compiled, fallbacks, by_reason, ..totals }
    }

    /// Programs that are wrong.
    pub fn wrong(&self) -> u64 {
        self.wrong
    }

    /// True if every program passed.
    pub fn is_complete(&self) -> bool {
        self.passed == self.programs
    }

    /// The sums, and the reasons by frequency, as lines for a person.
    pub fn lines(&self) -> Vec<String> {
        let ProgramTotals { programs, passed, wrong, unsupported, refused, .. } = self;
        let mut lines = vec![format!(
            "programs {programs}: passed {passed}, wrong {wrong}, unsupported {unsupported}, refused {refused}"
        )];
        if self.functions > 0 {
            let ProgramTotals { functions, compiled, fallbacks, .. } = self;
            lines.push(format!("functions {functions}: compiled {compiled}, given up by LLVM {fallbacks}"));
        }
        let mut reasons: Vec<_> = self.by_reason.iter().collect();
        reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(*count), reason));
        for (reason, count) in reasons {
            let on = |(target, of_target): (&String, &BTreeMap<String, u64>)| {
                of_target.get(reason).map(|count| format!("{target} {count}"))
            };
            let targets: Vec<String> = self.targets.iter().filter_map(on).collect();
            lines.push(format!("{count:>7}  {reason}  ({})", targets.join(", ")));
        }
        lines
    }
}
