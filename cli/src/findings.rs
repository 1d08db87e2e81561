//! Findings as text for a person, and as JSON.
//!
//! Invariant: on a terminal each signature appears once, with its count, in at most [`LINES`] lines; the last line
//! names the place of the rest. JSON has every finding in full.

use crate::output::FAULT;
use serde::Serialize;
use std::path::Path;
use tribunal_trial::Finding;

/// Lines of one finding on a terminal, its head included.
pub const LINES: usize = 20;

/// The place where a finding stands in full.
#[derive(Clone, Copy, Debug)]
pub enum Whole<'p> {
    /// In this file: a crash file, or a counterexample.
    File(&'p Path),
    /// In the `reports` that `--json` prints.
    Json,
}

/// The first finding of each signature, with its count.
pub fn distinct(findings: &[Finding]) -> Vec<(&Finding, u64)> {
    let mut distinct: Vec<(&Finding, u64)> = Vec::new();
    for finding in findings {
        match distinct.iter_mut().find(|(first, _)| first.signature() == finding.signature()) {
            Some((_, seen)) => *seen += 1,
            None => distinct.push((finding, 1)),
        }
    }
    distinct
}

/// One finding: its signature and count, its details indented, and the place of the lines not shown.
pub fn text(finding: &Finding, seen: u64, whole: Whole<'_>) -> String {
    let times = if seen > 1 { format!(" (seen {seen} times)") } else { String::new() };
    // A crash file stands for all that were seen.
    let others = if matches!(whole, Whole::Json) { seen.saturating_sub(1) } else { 0 };
    let details: Vec<&str> = finding.details.lines().collect();
    let limit = LINES - 1 - usize::from(others > 0);
    let shown = if details.len() <= limit { details.len() } else { LINES - 2 };
    let mut lines = vec![format!("{FAULT}{}{FAULT:#}{times}", finding.signature())];
    lines.extend(details[..shown].iter().map(|line| format!("    {line}")));
    let place = match whole {
        Whole::File(path) => format!("in {}", path.display()),
        Whole::Json => "with --json".to_string(),
    };
    match (details.len() - shown, others) {
        (0, 0) => {}
        (0, others) => lines.push(format!("    ... {others} more like it {place}")),
        (rest, 0) => lines.push(format!("    ... {rest} more lines {place}")),
        (rest, others) => lines.push(format!("    ... {rest} more lines, and {others} more like it, {place}")),
    }
    lines.join("\n")
}

/// All of them, each signature once.
pub fn texts(findings: &[Finding]) -> impl Iterator<Item = String> {
    distinct(findings).into_iter().map(|(finding, seen)| text(finding, seen, Whole::Json))
}

/// Findings as JSON: how many (`findings`), of how many signatures (`distinct`), and each in full (`reports`).
#[derive(Serialize)]
pub struct Findings {
    findings: usize,
    distinct: usize,
    reports: Vec<FindingReport>,
}

#[derive(Serialize)]
struct FindingReport {
    judge: String,
    kind: String,
    guilty: String,
    /// The line of a file of known findings (`fuzz --known`).
    signature: String,
    details: String,
}

impl From<&[Finding]> for Findings {
    fn from(findings: &[Finding]) -> Findings {
        let report = |finding: &Finding| FindingReport {
            judge: finding.judge.to_string(),
            kind: finding.kind.to_string(),
            guilty: finding.guilty.clone(),
            signature: finding.signature().to_string(),
            details: finding.details.clone(),
        };
        Findings {
            findings: findings.len(),
            distinct: distinct(findings).len(),
            reports: findings.iter().map(report).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_trial::FindingKind;
    use tribunal_trial::finding::Judge;

    fn finding(guilty: &str, lines: usize) -> Finding {
        let details: Vec<String> = (1..=lines).map(|line| format!("line {line}")).collect();
        let (kind, guilty) = (FindingKind::Refuted, guilty.to_string());
        Finding { judge: Judge::Prover, kind, guilty, details: details.join("\n"), input: None }
    }

    #[test]
    fn equal_findings_are_one_with_their_count() {
        let findings = [finding("a", 1), finding("b", 1), finding("a", 2)];
        let all: Vec<String> = texts(&findings).collect();
        let head = |guilty: &str| format!("{FAULT}prover: refuted: guilty: {guilty}{FAULT:#}");
        let first = format!("{} (seen 2 times)\n    line 1\n    ... 1 more like it with --json", head("a"));
        assert_eq!(all, [first, format!("{}\n    line 1", head("b"))]);
    }

    #[test]
    fn a_long_finding_is_cut_and_says_where_it_stands_whole() {
        for lines in [0, 1, LINES - 1] {
            let text = text(&finding("a", lines), 1, Whole::Json);
            assert!(text.lines().count() == lines + 1 && !text.contains("more lines"), "{text}");
        }
        for lines in [LINES, LINES + 1, 1000] {
            let text = text(&finding("a", lines), 1, Whole::File(Path::new("fuzz-out/a.mir")));
            assert_eq!(text.lines().count(), LINES, "{text}");
            let rest = lines - (LINES - 2);
            assert_eq!(text.lines().last(), Some(format!("    ... {rest} more lines in fuzz-out/a.mir").as_str()));
            let text = self::text(&finding("a", lines), 3, Whole::Json);
            assert_eq!(text.lines().count(), LINES, "{text}");
            let last = format!("    ... {rest} more lines, and 2 more like it, with --json");
            assert_eq!(text.lines().last(), Some(last.as_str()));
        }
    }
}
