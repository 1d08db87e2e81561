//! The ledger: the proofs and their engines, as text that diffs. One line for each class of obligations, sorted, below
//! a line for its target and rule: a recipe that stops being proved, changes its engine or disappears from the
//! catalogue is a line in a review.

use std::collections::BTreeMap;
use std::fmt;
use tribunal_verifier::prover::{Engine, Verdict};

/// Obligations that count together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class {
    /// The target with its features.
    pub target: String,
    /// The rule's name.
    pub rule: String,
    /// The opcode of the instance that led here.
    pub opcode: String,
    /// The engine that proved it, or the verdict if none did.
    pub engine: String,
}

/// The number of obligations of each class.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ledger {
    /// The number of obligations of each class.
    pub rows: BTreeMap<Class, u64>,
    /// The solver that proved them, with its version; `None` where none was asked.
    pub solver: Option<String>,
    /// The time that proving them took, summed over threads; never compared.
    pub seconds: f64,
}

/// A line that is neither a heading nor a row below one: its number, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {0} is neither `target | rule` nor, indented below that, `opcode | engine | obligations`")]
pub struct LedgerError(pub usize);

/// The scope of a comparison with the ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LedgerScope {
    /// All of a target's: rows and counts must be equal.
    Whole,
    /// A part: every class met must be a row.
    Part,
}

/// The ledger's word for the engine of a verdict.
pub fn engine_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Proved { engine: Engine::Structural } => "structural",
        Verdict::Proved { engine: Engine::BitSums } => "bit-sums",
        Verdict::Proved { engine: Engine::Quotients } => "quotients",
        Verdict::Proved { engine: Engine::Exhaustive } => "exhaustive",
        Verdict::Proved { engine: Engine::Integers } => "integers",
        Verdict::Proved { engine: Engine::Cases } => "cases",
        Verdict::Proved { engine: Engine::Order } => "order",
        Verdict::Proved { engine: Engine::DoubleRounding } => "double-rounding",
        Verdict::Proved { engine: Engine::Z3 } => "z3",
        Verdict::Refuted(_) => "refuted",
        Verdict::Unknown(_) => "unknown",
        Verdict::Unsupported(_) => "unsupported",
    }
}

impl Ledger {
    /// Counts `count` obligations to a class.
    pub fn count(&mut self, target: &str, rule: &str, opcode: &str, engine: &str, count: u64) {
        let [target, rule, opcode, engine] = [target, rule, opcode, engine].map(str::to_string);
        *self.rows.entry(Class { target, rule, opcode, engine }).or_default() += count;
    }

    /// Adds the counts of another ledger.
    pub fn add(&mut self, other: Ledger) {
        self.seconds += other.seconds;
        for (class, count) in other.rows {
            *self.rows.entry(class).or_default() += count;
        }
    }

    /// Parses the text that [`Ledger`]'s `Display` wrote; lines that start with `#` are comments.
    pub fn parse(text: &str) -> Result<Ledger, LedgerError> {
        let mut ledger = Ledger::default();
        let mut heading = None;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let error = LedgerError(index + 1);
            if let Some(comment) = line.strip_prefix('#') {
                ledger.solver = comment.strip_prefix(SOLVER).map(str::to_string).or(ledger.solver);
            } else if let Some(row) = line.strip_prefix(INDENT) {
                let ((target, rule), (opcode, engine, count)) = heading.zip(parse_row(row)).ok_or(error)?;
                ledger.count(target, rule, opcode, engine, count);
            } else {
                heading = Some(line.split_once(" | ").filter(|(_, rule)| !rule.contains(" | ")).ok_or(error)?);
            }
        }
        Ok(ledger)
    }

    /// The rows of these targets only.
    pub fn of_targets(mut self, targets: &[String]) -> Ledger {
        self.rows.retain(|class, _| targets.contains(&class.target));
        self
    }

    /// The differences of `met` from this ledger, as a diff: `-` is the ledger's, `+` is that of `met`.
    pub fn differences(&self, met: &Ledger, scope: LedgerScope) -> Vec<String> {
        let mut lines = Vec::new();
        for (class, count) in &self.rows {
            if scope == LedgerScope::Whole && met.rows.get(class) != Some(count) {
                lines.push((class, format!("-{}", line(class, *count))));
            }
        }
        for (class, count) in &met.rows {
            let known = self.rows.get(class);
            if known.is_none() || (scope == LedgerScope::Whole && known != Some(count)) {
                lines.push((class, format!("+{}", line(class, *count))));
            }
        }
        // Stable: the ledger's line stands before the other of its class.
        lines.sort_by_key(|(class, _)| *class);
        lines.into_iter().map(|(_, line)| line).collect()
    }
}

/// Before the solver's name, in a comment of its own: a proof of another version is another proof.
const SOLVER: &str = " solver: ";

/// Before a row, which stands below the line of its target and rule.
const INDENT: &str = "  ";

/// The opcode, the engine and the number of obligations of a row.
fn parse_row(row: &str) -> Option<(&str, &str, u64)> {
    let (opcode, rest) = row.split_once(" | ")?;
    let (engine, count) = rest.split_once(" | ")?;
    Some((opcode, engine, count.parse().ok()?))
}

fn line(class: &Class, count: u64) -> String {
    format!("{} | {} | {} | {} | {count}", class.target, class.rule, class.opcode, class.engine)
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.rows.values().sum();
        writeln!(f, "# Written by `tribunal prove --ledger`: target | rule, and below")?;
        writeln!(f, "# opcode of the instance | engine | obligations")?;
        writeln!(f, "# {all} obligations, about {:.0} s", self.seconds)?;
        if let Some(solver) = &self.solver {
            writeln!(f, "#{SOLVER}{solver}")?;
        }
        let mut heading = None;
        for (Class { target, rule, opcode, engine }, count) in &self.rows {
            if heading.replace((target, rule)) != Some((target, rule)) {
                writeln!(f, "{target} | {rule}")?;
            }
            writeln!(f, "{INDENT}{opcode} | {engine} | {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(rows: &[(&str, &str, u64)]) -> Ledger {
        let class = |rule: &str, engine: &str| Class {
            target: "riscv64".to_string(),
            opcode: "G_ADD".to_string(),
            rule: rule.to_string(),
            engine: engine.to_string(),
        };
        let rows = rows.iter().map(|&(rule, engine, count)| (class(rule, engine), count)).collect();
        Ledger { rows, solver: Some("z3 4.8.12.0".to_string()), seconds: 0.0 }
    }

    #[test]
    fn what_is_written_is_read() {
        let written = ledger(&[("riscv64 G_ADD#2 custom_for", "structural", 3), ("combine trunc_of_ext", "z3", 1)]);
        assert_eq!(Ledger::parse(&written.to_string()).unwrap(), written);
        assert_eq!(Ledger::parse("# x\nriscv64 | rule\n  G_ADD | z3\n"), Err(LedgerError(3)));
        assert_eq!(Ledger::parse("  G_ADD | z3 | 1\n"), Err(LedgerError(1)), "a row of no rule");
        assert_eq!(Ledger::parse("riscv64 | rule | G_ADD | z3 | 1\n"), Err(LedgerError(1)), "a row and no heading");
    }

    #[test]
    fn differences_are_a_diff() {
        let (old, new) = (ledger(&[("a", "structural", 3), ("b", "z3", 1)]), ledger(&[("a", "z3", 3), ("b", "z3", 2)]));
        let whole = old.differences(&new, LedgerScope::Whole);
        let row = |sign: &str, rule: &str, rest: &str| format!("{sign}riscv64 | {rule} | G_ADD | {rest}");
        let wanted = [
            row("-", "a", "structural | 3"),
            row("+", "a", "z3 | 3"),
            row("-", "b", "z3 | 1"),
            row("+", "b", "z3 | 2"),
        ];
        assert_eq!(whole, wanted);
        assert_eq!(old.differences(&new, LedgerScope::Part), [row("+", "a", "z3 | 3")]);
        assert!(old.differences(&old, LedgerScope::Whole).is_empty());
        assert!(old.differences(&ledger(&[]), LedgerScope::Part).is_empty());
    }
}
