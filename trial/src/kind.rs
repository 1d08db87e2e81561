//! The kinds of findings: the middle part of a signature, by one name in crash files, reports and lists of known
//! findings.
//!
//! Invariant: names are distinct and never change: files of users hold them. [`FindingKind::named`] reads each back.

use std::fmt;
use tribunal_emulator::FaultKind;
use tribunal_verifier::allocation::AllocationRule;
use tribunal_verifier::machine_verifier::Rule;

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FindingKind {
    /// A rule of the machine verifier is broken.
    Rule(Rule),
    /// A rule of the allocation checker is broken.
    Allocation(AllocationRule),
    /// The prover's counterexample to a step was executed, and the step is wrong on it.
    Refuted,
    /// The prover's counterexample was executed, and no difference was seen.
    RefutedUnconfirmed,
    /// The prover's counterexample cannot be executed.
    RefutedNotExecuted,
    /// The prover proves what execution blames: a fault of a judge.
    ProvedAndWrong,
    /// A run of the machine code went wrong.
    Run(FaultKind),
    /// The machine code runs rightly in Unicorn, and wrongly by the definitions of its instructions: a fault of those.
    Definition,
    /// The text of a function is read as another.
    Text,
    /// A pass broke its own contract.
    Contract,
    /// A function was refused: no known fault, and never success.
    Unsupported,
    /// The backend or a judge panicked.
    Panic,
    /// The backend or a judge does not end.
    Stuck,
}

impl FindingKind {
    /// Kinds that are no rule's and no run's.
    const OTHERS: [FindingKind; 10] = [
        FindingKind::Refuted,
        FindingKind::RefutedUnconfirmed,
        FindingKind::RefutedNotExecuted,
        FindingKind::ProvedAndWrong,
        FindingKind::Definition,
        FindingKind::Text,
        FindingKind::Contract,
        FindingKind::Unsupported,
        FindingKind::Panic,
        FindingKind::Stuck,
    ];

    /// Every kind.
    pub fn all() -> impl Iterator<Item = FindingKind> {
        let rules = Rule::ALL.iter().copied().map(FindingKind::Rule);
        let allocation = AllocationRule::ALL.into_iter().map(FindingKind::Allocation);
        let runs = FaultKind::ALL.into_iter().map(FindingKind::Run);
        rules.chain(allocation).chain(runs).chain(FindingKind::OTHERS)
    }

    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Rule(rule) => rule.id(),
            FindingKind::Allocation(rule) => rule.id(),
            FindingKind::Run(kind) => kind.name(),
            FindingKind::Refuted => "refuted",
            FindingKind::RefutedUnconfirmed => "refuted-unconfirmed",
            FindingKind::RefutedNotExecuted => "refuted-not-executed",
            FindingKind::ProvedAndWrong => "proved-and-wrong",
            FindingKind::Definition => "wrong-definition",
            FindingKind::Text => "read-as-another",
            FindingKind::Contract => "contract",
            FindingKind::Unsupported => "unsupported",
            FindingKind::Panic => "panic",
            FindingKind::Stuck => "stuck",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<FindingKind> {
        FindingKind::all().find(|kind| kind.name() == name)
    }

    /// True if a step was refuted, however that was confirmed: which of them depends on the values that the solver
    /// chose.
    pub fn refutes(self) -> bool {
        match self {
            FindingKind::Refuted | FindingKind::RefutedUnconfirmed | FindingKind::RefutedNotExecuted => true,
            FindingKind::Rule(_)
            | FindingKind::Allocation(_)
            | FindingKind::ProvedAndWrong
            | FindingKind::Run(_)
            | FindingKind::Definition
            | FindingKind::Text
            | FindingKind::Contract
            | FindingKind::Unsupported
            | FindingKind::Panic
            | FindingKind::Stuck => false,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of users hold these names.
    #[test]
    fn every_name_is_read_back_as_its_kind() {
        for kind in FindingKind::all() {
            assert_eq!(FindingKind::named(&kind.to_string()), Some(kind), "two kinds have the name {kind}");
        }
        assert_eq!(FindingKind::named("wrong-result"), Some(FindingKind::Run(FaultKind::WrongResult)));
        assert_eq!(FindingKind::named("refuted-often"), None);
    }
}
