//! Findings about a function, and the tally of a trial. Verdicts are never merged: work not done is not counted.

use crate::guard::{self, CaughtPanic};
use crate::kind::FindingKind;
use std::fmt;
use tribunal_codegen::{bank_select, legalize, pipeline};
use tribunal_emulator::Input;
use tribunal_ir::{Entry, Function, Opcode};
use tribunal_target::legality::IllDefined;
use tribunal_verifier::definitions::DefinitionFault;
use tribunal_verifier::prover::Verdict;

/// The judge that found it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Judge {
    /// The machine verifier, after a pass.
    Verifier,
    /// The SMT prover, on one rewrite step.
    Prover,
    /// The allocation checker.
    Allocation,
    /// The text of a function against the function.
    Text,
    /// Machine code run against the interpreter.
    Emulator,
    /// A pass that broke its own contract.
    Compiler,
}

impl Judge {
    /// Every judge, in the order of the pipeline.
    pub const ALL: [Judge; 6] =
        [Judge::Verifier, Judge::Prover, Judge::Allocation, Judge::Text, Judge::Emulator, Judge::Compiler];

    /// The judge of this name.
    pub fn named(name: &str) -> Option<Judge> {
        Judge::ALL.into_iter().find(|judge| judge.name() == name)
    }

    /// Its name in crash files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Judge::Verifier => "verifier",
            Judge::Prover => "prover",
            Judge::Allocation => "allocation-checker",
            Judge::Text => "text",
            Judge::Emulator => "emulator",
            Judge::Compiler => "compiler",
        }
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fault found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The judge that found it.
    pub judge: Judge,
    /// The kind of fault.
    pub kind: FindingKind,
    /// The rule or pass that is to blame, by its name in the catalogue.
    pub guilty: String,
    /// The details, in lines; of an unsupported function the feature's name.
    pub details: String,
    /// The input that shows it, if it takes one.
    pub input: Option<Input>,
}

impl Finding {
    /// A function that should have compiled and was refused for this feature. The pass that refused it is guilty, by
    /// the name in front of the feature.
    pub fn unsupported(feature: &str) -> Finding {
        let refused = Finding::of_kind(FindingKind::Unsupported, feature.to_string());
        let pass = feature.split_once(": ").map(|(pass, _)| pass).filter(|pass| is_pass(pass));
        Finding { guilty: pass.map_or(refused.guilty, str::to_string), ..refused }
    }

    /// A panic of the backend or of a judge. Its place is guilty.
    pub fn panic(panic: CaughtPanic) -> Finding {
        Finding { guilty: panic.place, ..Finding::of_kind(FindingKind::Panic, panic.message) }
    }

    /// A program whose trial does not end.
    pub fn stuck(details: String) -> Finding {
        Finding::of_kind(FindingKind::Stuck, details)
    }

    /// Two definitions of one opcode that differ: the prover and the interpreter read one of them.
    pub fn definition(fault: &DefinitionFault) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, fault.subject.clone());
        Finding { judge: Judge::Prover, kind, guilty, details: fault.details.clone(), input: None }
    }

    /// The verdict on a pair of stages is not the known one.
    pub fn wrong_verdict(pair: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, format!("verdict on {pair}"));
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// The interpreter does not give the known answer of a program.
    pub fn wrong_answer(program: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, format!("answers of {program}"));
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// A promise of a machine instruction is not that of this generic instruction, which it was selected from.
    pub fn machine_promise(opcode: Opcode, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, format!("promises of {opcode}"));
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// The meaning of an instruction of this row loses the poison of an operand, or has another width than its
    /// register.
    pub fn machine_meaning(row: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, format!("meaning of {row}"));
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// A sequence of machine code that no rule selects is not what it is documented to be.
    pub fn machine_sequence(method: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Definition, format!("sequence of {method}"));
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// The legality table of a target with features is not what a table must be.
    pub fn ill_defined(label: &str, fault: &IllDefined) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, legalize::PASS.name.to_string());
        Finding { judge: Judge::Prover, kind, guilty, details: format!("{label}: {fault}"), input: None }
    }

    /// A method of the rule language does not decide what it is known to.
    pub fn wrong_rule(method: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, legalize::PASS.name.to_string());
        Finding { judge: Judge::Prover, kind, guilty, details: format!("{method}: {details}"), input: None }
    }

    /// The rules of the legality table do not decide what they decided when the ledger was written. The first of those
    /// is guilty.
    pub fn other_decisions(rule: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, rule.to_string());
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// The code of a program costs more than it did when the ledger was written, or its last stage is another, because
    /// of this pass.
    pub fn other_code(pass: &str, details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, pass.to_string());
        Finding { judge: Judge::Compiler, kind, guilty, details, input: None }
    }

    /// A program that the judges hold is not read.
    pub fn missing_program(details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Text, "programs of the corpus".to_string());
        Finding { judge: Judge::Text, kind, guilty, details, input: None }
    }

    /// A rule wrote an instruction that has no meaning because of its form.
    pub(crate) fn malformed(rule: &str, details: &str) -> Finding {
        let (kind, guilty, details) = (FindingKind::Contract, rule.to_string(), details.to_string());
        Finding { judge: Judge::Prover, kind, guilty, details, input: None }
    }

    /// Bank selection did not find the cheapest banks, or weighs places by frequencies that are not those of the loops.
    pub(crate) fn dearer_banks(details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, bank_select::PASS.name.to_string());
        Finding { judge: Judge::Verifier, kind, guilty, details, input: None }
    }

    /// Emission broke its contract.
    pub fn emission(details: String) -> Finding {
        let (kind, guilty) = (FindingKind::Contract, "emit".to_string());
        Finding { judge: Judge::Emulator, kind, guilty, details, input: None }
    }

    /// No rule or pass is to blame: the kind stands in its place.
    fn of_kind(kind: FindingKind, details: String) -> Finding {
        Finding { judge: Judge::Compiler, kind, guilty: kind.to_string(), details, input: None }
    }

    /// True if the finding is about this feature that is not supported: of other registers and widths as well, since a
    /// smaller program has others.
    pub fn refuses(&self, feature: &str) -> bool {
        let numberless = |text: &str| {
            text.split(|letter: char| letter.is_ascii_digit())
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("#")
        };
        self.feature().is_some_and(|own| numberless(own) == numberless(feature))
    }

    /// The feature that is not supported, if the finding is about one.
    pub fn feature(&self) -> Option<&str> {
        (self.kind == FindingKind::Unsupported).then_some(self.details.as_str())
    }

    /// Findings with the same signature are the same fault.
    pub fn signature(&self) -> FindingSignature<'_> {
        FindingSignature { judge: self.judge, kind: self.kind, guilty: &self.guilty }
    }

    /// True if both are one fault.
    pub fn is_same_fault(&self, other: &Finding) -> bool {
        self.signature().is_same_fault(other.signature())
    }
}

/// True for the name of a pass, and of emission.
pub(crate) fn is_pass(name: &str) -> bool {
    name == "emit" || pipeline::PIPELINE.iter().any(|pass| pass.name == name)
}

/// The identity of a fault: `JUDGE: KIND: guilty: NAME` in text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FindingSignature<'f> {
    /// The judge that found it.
    pub judge: Judge,
    /// The kind of the fault.
    pub kind: FindingKind,
    /// The rule or the pass that is to blame.
    pub guilty: &'f str,
}

impl FindingSignature<'_> {
    /// True if both are one fault: whether a refutation is executed too depends on the values that the solver chose.
    pub fn is_same_fault(self, other: FindingSignature<'_>) -> bool {
        let same = (self.judge, self.guilty) == (other.judge, other.guilty);
        same && (self.kind == other.kind || (self.kind.refutes() && other.kind.refutes()))
    }
}

impl fmt::Display for FindingSignature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: guilty: {}", self.judge, self.kind, self.guilty)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signature())?;
        for line in self.details.lines() {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

/// The reason why a run of the source says nothing about the code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inconclusive {
    /// It has undefined behaviour.
    Undefined,
    /// Its path depends on a nondeterministic choice.
    Unconstrained,
    /// It does not end within the fuel, and does nothing before that can be observed.
    OutOfFuel,
    /// What it does depends on the addresses of its stack objects.
    Addresses,
    /// Its functions call each other too deep.
    TooDeep,
}

impl fmt::Display for Inconclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Inconclusive::Undefined => "undefined behaviour",
            Inconclusive::Unconstrained => "a nondeterministic choice decides",
            Inconclusive::OutOfFuel => "does not end",
            Inconclusive::Addresses => "depends on addresses of stack objects",
            Inconclusive::TooDeep => "calls are nested too deep",
        })
    }
}

/// The judges' results on one function, or on many once added up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Functions judged.
    pub functions: u64,
    /// Functions that every judge passed, with nothing unsupported and nothing unknown.
    pub passed: u64,
    /// Faults found, in the order of the judges.
    pub findings: Vec<Finding>,
    /// Features that were not supported, by name, with how often.
    pub unsupported: std::collections::BTreeMap<String, u64>,
    /// Rewrite steps proved, looked-up ones included.
    pub proved: u64,
    /// Of those, answered from the cache.
    pub looked_up: u64,
    /// Of those, by proofs of an earlier run.
    pub kept: u64,
    /// Rewrite steps that are wrong for some value.
    pub refuted: u64,
    /// Rewrite steps that no engine decided.
    pub unknown: u64,
    /// The reasons why steps stayed unknown, with their counts.
    pub open: std::collections::BTreeMap<String, u64>,
    /// Runs of machine code that were compared with the interpreter.
    pub executions: u64,
    /// Inputs on which the source fixes nothing that must come out: not counted as executions.
    pub inconclusive: u64,
    /// The reasons for that, with their counts.
    pub reasons: std::collections::BTreeMap<Inconclusive, u64>,
    /// The number of verifications of the function.
    pub verifications: u64,
}

/// The function of an entry that judges can work on; else the feature that is not supported: the name that the reader
/// does not know, or the property by which another compiler says that it gave up.
pub fn judged<'m>(entry: Entry<'m>) -> Result<&'m Function, String> {
    match entry {
        Entry::Function(function) => match function.gave_up() {
            Some(property) => Err(property.to_string()),
            None => Ok(function),
        },
        Entry::Unread(unread) => Err(unread.unknown.to_string()),
    }
}

impl Tally {
    /// The tally of one function of a file: that of `judge` if it can be judged, else unsupported. A panic is a finding
    /// about this function alone.
    pub fn of(entry: Entry<'_>, judge: impl FnOnce(&Function) -> Tally) -> Tally {
        match judged(entry) {
            Ok(function) => guard::run(|| judge(function)).unwrap_or_else(Tally::of_panic),
            Err(feature) => {
                let unsupported = std::iter::once((feature, 1)).collect();
                Tally { functions: 1, unsupported, ..Tally::default() }
            }
        }
    }

    /// One function, and a judge's panic about it as the finding.
    pub fn of_panic(panic: CaughtPanic) -> Tally {
        Tally { functions: 1, findings: vec![Finding::panic(panic)], ..Tally::default() }
    }

    /// Adds the tally of other functions.
    pub fn add(&mut self, other: Tally) {
        self.functions += other.functions;
        self.passed += other.passed;
        self.findings.extend(other.findings);
        for (feature, count) in other.unsupported {
            *self.unsupported.entry(feature).or_default() += count;
        }
        self.proved += other.proved;
        self.looked_up += other.looked_up;
        self.kept += other.kept;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        for (reason, count) in other.open {
            *self.open.entry(reason).or_default() += count;
        }
        self.executions += other.executions;
        self.inconclusive += other.inconclusive;
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.verifications += other.verifications;
    }

    /// True if no judge found a fault.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.refuted == 0
    }

    /// True if no judge left anything open.
    pub fn is_complete(&self) -> bool {
        self.unsupported.is_empty() && self.unknown == 0
    }
}

impl Tally {
    pub(crate) fn unsupported(&mut self, feature: impl Into<String>) {
        *self.unsupported.entry(feature.into()).or_default() += 1;
    }

    pub(crate) fn inconclusive(&mut self, reason: Inconclusive) {
        self.inconclusive += 1;
        *self.reasons.entry(reason).or_default() += 1;
    }

    /// Runs that did not say anything are no success: without one execution the function is unknown. One that never
    /// ends well, and was undefined on every input, has nothing to show: any code is right.
    pub(crate) fn demand_execution(&mut self, never_ends_well: bool) {
        let undefined = self.reasons.get(&Inconclusive::Undefined).copied();
        if self.passed == 0 || self.executions > 0 || (never_ends_well && undefined == Some(self.inconclusive)) {
            return;
        }
        let reasons: Vec<String> = self.reasons.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        let reasons = if reasons.is_empty() { "no input".to_string() } else { reasons.join(", ") };
        (self.passed, self.unknown) = (0, self.unknown + 1);
        *self.open.entry(format!("no conclusive execution: {reasons}")).or_default() += 1;
    }

    pub(crate) fn count(&mut self, verdict: &Verdict, looked_up: bool, rule: &str) {
        match verdict {
            Verdict::Proved { .. } => {
                self.proved += 1;
                self.looked_up += u64::from(looked_up);
            }
            Verdict::Refuted(_) => self.refuted += 1,
            Verdict::Unknown(reason) => {
                self.unknown += 1;
                *self.open.entry(format!("{rule}: {reason}")).or_default() += 1;
            }
            Verdict::Unsupported(feature) => self.unsupported(format!("prover: {feature}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_other_registers_and_widths_is_the_same() {
        let finding = Finding::unsupported("legalize: NarrowScalar of `%104:_(s64) = G_AND %102, %103`");
        assert!(finding.refuses("legalize: NarrowScalar of `%7:_(s128) = G_AND %5, %6`"));
        assert!(!finding.refuses("legalize: NarrowScalar of `%104:_(s64) = G_OR %102, %103`"));
        assert!(!finding.refuses("legalize: Lower of `%104:_(s64) = G_AND %102, %103`"));
    }

    #[test]
    fn the_pass_that_refused_a_function_is_guilty() {
        assert_eq!(Finding::unsupported("relax-branches: jumps beyond").guilty, "relax-branches");
        assert_eq!(Finding::unsupported("emit: sections").guilty, "emit");
        for nobody in ["prover: G_DEBUGTRAP", "call of &memcpy"] {
            assert_eq!(Finding::unsupported(nobody).guilty, "unsupported");
        }
    }
}
