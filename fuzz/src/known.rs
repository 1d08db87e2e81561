//! Known findings: a list of signatures, one a line, that a campaign counts and sets aside.
//!
//! A line is a signature as reports and crash files print it: `prover: refuted: guilty: riscv64 G_ADD#5 max_scalar`. A
//! `#` at the start of a line or after a blank starts a comment; names of rules hold `#` inside words. An unsupported
//! feature or an unknown verdict is no finding, and cannot be set aside.

use std::collections::BTreeMap;
use tribunal_ir::text::ParseError;
use tribunal_trial::finding::{Finding, FindingSignature, Judge, Tally};
use tribunal_trial::kind::FindingKind;

/// One line of the list.
#[derive(Clone, Debug)]
struct Line {
    /// Counted from 1.
    number: usize,
    judge: Judge,
    kind: FindingKind,
    guilty: String,
}

impl Line {
    fn signature(&self) -> FindingSignature<'_> {
        FindingSignature { judge: self.judge, kind: self.kind, guilty: &self.guilty }
    }
}

/// The list; empty by default.
#[derive(Clone, Debug, Default)]
pub struct KnownFindings {
    lines: Vec<Line>,
}

impl KnownFindings {
    /// Reads a list.
    pub fn read(text: &str) -> Result<KnownFindings, ParseError> {
        let mut known = KnownFindings::default();
        for (number, text) in (1..).zip(text.lines()) {
            let signature = without_comment(text).trim();
            if signature.is_empty() {
                continue;
            }
            let line = read_line(number, text, signature)?;
            if let Some(first) = known.lines.iter().find(|first| first.signature().is_same_fault(line.signature())) {
                return Err(error_at(number, text, signature, format!("line {} lists the same fault", first.number)));
            }
            known.lines.push(line);
        }
        Ok(known)
    }

    /// Every signature with its line, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, FindingSignature<'_>)> {
        self.lines.iter().map(|line| (line.number, line.signature()))
    }

    /// Takes the known findings out of the tally, and counts them in `seen` by the index of their signature.
    pub fn set_aside(&self, tally: &mut Tally, seen: &mut BTreeMap<usize, u64>) {
        if self.lines.is_empty() {
            return;
        }
        let index =
            |finding: &Finding| self.lines.iter().position(|line| line.signature().is_same_fault(finding.signature()));
        tally.findings.retain(|finding| {
            let Some(index) = index(finding) else { return true };
            *seen.entry(index).or_default() += 1;
            // A refuted step is one finding.
            tally.refuted -= u64::from(finding.kind.refutes());
            false
        });
    }
}

fn without_comment(line: &str) -> &str {
    let is_start = |&(place, _): &(usize, &str)| line[..place].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').find(is_start).map_or(line, |(place, _)| &line[..place])
}

/// `part` is a part of `line`.
fn error_at(number: usize, line: &str, part: &str, message: String) -> ParseError {
    let before = part.as_ptr() as usize - line.as_ptr() as usize;
    let column = line[..before].chars().count() + 1;
    ParseError { line: number, column, length: part.chars().count(), message }
}

/// `signature` is a part of `line`, without blanks around it.
fn read_line(number: usize, line: &str, signature: &str) -> Result<Line, ParseError> {
    let error = |part: &str, message: String| error_at(number, line, part, message);
    let parts = signature.split_once(": ").and_then(|(judge, rest)| {
        let (kind, rest) = rest.split_once(": ")?;
        Some((judge, kind, rest.strip_prefix("guilty: ")?))
    });
    let Some((judge, kind, guilty)) = parts else {
        return Err(error(signature, "expected `JUDGE: KIND: guilty: NAME`".to_string()));
    };
    let names = || Judge::ALL.map(Judge::name).join(", ");
    let Some(known) = Judge::named(judge) else {
        return Err(error(judge, format!("no judge has this name; there are {}", names())));
    };
    match FindingKind::named(kind) {
        None => Err(error(kind, "no finding is of this kind".to_string())),
        Some(FindingKind::Unsupported) => Err(error(kind, "what is unsupported is never set aside".to_string())),
        Some(kind) => Ok(Line { number, judge: known, kind, guilty: guilty.trim_start().to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(judge: Judge, kind: &str, guilty: &str) -> Finding {
        let kind = FindingKind::named(kind).unwrap();
        Finding { judge, kind, guilty: guilty.into(), details: String::new(), input: None }
    }

    #[test]
    fn a_printed_signature_is_read_as_the_same() {
        let findings =
            Judge::ALL.map(|judge| finding(judge, "wrong-result", "riscv64 G_ADD#5 max_scalar, by a name with blanks"));
        let text: String = findings.iter().map(|finding| format!("  {}  # why\n\n", finding.signature())).collect();
        let known = KnownFindings::read(&format!("# Comment\n{text}")).unwrap();
        let lines: Vec<_> = known.lines().collect();
        assert_eq!(lines.len(), findings.len());
        for ((line, signature), (index, finding)) in lines.into_iter().zip(findings.iter().enumerate()) {
            assert_eq!((line, signature), (2 + 2 * index, finding.signature()));
        }
    }

    #[test]
    fn bad_lines_have_a_place() {
        let place = |text: &str| {
            KnownFindings::read(text).map(|_| ()).map_err(|error| (error.line, error.column, error.length))
        };
        assert_eq!(place("# x\n\n  oracle: refuted: guilty: rule"), Err((3, 3, 6)));
        assert_eq!(place("prover: refuted"), Err((1, 1, 15)));
        assert_eq!(place("prover: refuted: guilty:"), Err((1, 1, 24)));
        assert_eq!(place("emulator: wrong-answer: guilty: rule"), Err((1, 11, 12)));
        assert_eq!(place("compiler: unsupported: guilty: unsupported"), Err((1, 11, 11)));
        assert_eq!(place("prover: refuted: guilty: a\n prover: refuted-unconfirmed: guilty: a"), Err((2, 2, 38)));
        assert_eq!(place(""), Ok(()));
    }

    #[test]
    fn known_findings_are_counted_and_the_rest_stays() {
        let known =
            KnownFindings::read("prover: refuted: guilty: a#1 b\nemulator: wrong-result: guilty: a#1 b\n").unwrap();
        let mut tally = Tally { refuted: 3, ..Tally::default() };
        tally.findings = vec![
            finding(Judge::Prover, "refuted-not-executed", "a#1 b"),
            finding(Judge::Prover, "refuted", "a#1 b"),
            finding(Judge::Prover, "refuted", "a#2 b"),
            finding(Judge::Prover, "proved-and-wrong", "a#1 b"),
            finding(Judge::Emulator, "callee-saved-register", "a#1 b"),
        ];
        let mut seen = BTreeMap::new();
        known.set_aside(&mut tally, &mut seen);
        assert_eq!(seen, BTreeMap::from([(0, 2)]));
        assert_eq!((tally.refuted, tally.findings.len()), (1, 3));
    }
}
