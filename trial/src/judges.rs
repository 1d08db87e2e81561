//! The judges of a trial in one list, [`JUDGES`]: each says at which moments it looks, and what it finds.
//!
//! A [`Session`] is one function's way through the pipeline. It observes the compilation as the last of the observers:
//! whoever plants a fault stands before it, so judges see what a faulty backend would have written. The session shows
//! each moment to every judge of its set, in the order of the list.
//!
//! Invariant: a judge changes nothing but its own state and the session's findings. To blame a rule may need the
//! compilation once more: [`crate::harness`] asks for it when the session is over.

use crate::bank_costs;
use crate::counterexample;
use crate::execution::EmulatorRow;
use crate::features::Recorder;
use crate::finding::{Finding, Judge, Tally};
use crate::frequencies;
use crate::kind::FindingKind;
use crate::text;
use crate::words::WrongRow;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Display;
use tribunal_codegen::frequencies::BlockFrequencies;
use tribunal_codegen::pipeline::{Code, Pass};
use tribunal_codegen::{BankSelectMode, Observer, Options, bank_select};
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::Input;
use tribunal_emulator::machine::{CodeDesc, Emulator, MachineError};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Function, Inst, InstData, Stage, Step};
use tribunal_target::Target;
use tribunal_target::legality::LegalizerInfo;
use tribunal_verifier::machine_verifier::Rule;
use tribunal_verifier::prover::{Prover, Verdict};
use tribunal_verifier::{Violation, allocation};

/// The guilty name in the verifier's findings about an input.
pub(crate) const INPUT: &str = "input";

/// A judge, by the moments at which it looks: those that it leaves out show it nothing.
pub(crate) trait JudgeRow: Sync {
    /// Its name.
    fn judge(&self) -> Judge;
    /// At the function before the first pass.
    fn input(&self, _session: &mut Session<'_>) {}
    /// At the function after a pass.
    fn pass(&self, _session: &mut Session<'_>, _pass: &'static Pass, _function: &Function) {}
    /// At one application of one rule.
    fn step(&self, _session: &mut Session<'_>, _step: &Step<'_>) {}
    /// At the code.
    fn code(&self, _session: &mut Session<'_>, _code: &Code) {}
}

/// Every judge, in the order of the pipeline.
pub(crate) static JUDGES: [&dyn JudgeRow; 5] = [&VerifierRow, &ProverRow, &AllocationRow, &TextRow, &EmulatorRow];

/// A set of judges, and whether the emulator looks closely: at the alignment of accesses, and at the definitions of
/// machine instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JudgeSet(u8);

impl JudgeSet {
    /// Every judge, with all that it sees.
    pub const ALL: JudgeSet = JudgeSet(u8::MAX);
    /// The bit of no judge.
    const CLOSELY: u8 = 1 << 7;
    /// The machine verifier and the allocation checker: those that look after each pass.
    pub const AFTER_PASSES: JudgeSet = JudgeSet(1 << Judge::Verifier as u8 | 1 << Judge::Allocation as u8);

    /// This set and one more judge.
    pub fn with(self, judge: Judge) -> JudgeSet {
        JudgeSet(self.0 | 1 << judge as u8)
    }

    /// This set without that judge.
    pub fn without(self, judge: Judge) -> JudgeSet {
        JudgeSet(self.0 & !(1 << judge as u8))
    }

    /// This set, whose emulator looks closely: each access is slower then, and the code runs once more.
    pub fn looking_closely(self) -> JudgeSet {
        JudgeSet(self.0 | JudgeSet::CLOSELY)
    }

    /// This set, whose emulator does not.
    pub fn looking_briefly(self) -> JudgeSet {
        JudgeSet(self.0 & !JudgeSet::CLOSELY)
    }

    /// True if the emulator looks at the alignment of accesses and at definitions.
    pub fn watches_closely(self) -> bool {
        self.0 & JudgeSet::CLOSELY != 0
    }

    /// True if the judge is one of them.
    pub fn contains(self, judge: Judge) -> bool {
        self.0 & 1 << judge as u8 != 0
    }
}

/// The state that the judges of one target keep from function to function.
pub(crate) struct Bench {
    pub target: &'static Target,
    pub options: Options,
    pub legalizer: &'static LegalizerInfo,
    pub prover: Prover,
    pub machine: Emulator,
    /// The emulator for code that `machine` does not run.
    pub idle: Option<Emulator>,
    /// The machine stepper, beside an engine that shares no definition with it.
    pub stepper: Option<Emulator>,
    /// How often each rule fired.
    pub rules: FxHashMap<&'static str, u64>,
    /// Rules in the order in which they fired in the last trial.
    pub fired: Vec<&'static str>,
    pub features: Recorder,
    /// The rows of the target that write other words than LLVM.
    pub(crate) wrong_words: Vec<WrongRow>,
    /// The function as the allocator received it.
    pub selected: Function,
}

impl Bench {
    /// The emulator for this code, of a strict function or of any. The other one is kept for the next time that code
    /// needs it.
    pub fn machine_for(&mut self, bytes: &[u8], is_strict: bool) -> Result<&mut Emulator, MachineError> {
        let code = CodeDesc { features: self.options.features, bytes, is_strict };
        if !self.machine.runs(code) {
            let other = match self.idle.take() {
                Some(other) => other,
                None => Emulator::for_code(self.target, code)?,
            };
            self.idle = Some(std::mem::replace(&mut self.machine, other));
        }
        Ok(&mut self.machine)
    }
}

/// A finding after a pass that names an instruction: the rule that wrote it is to blame.
pub(crate) struct Unattributed {
    /// The index of the finding.
    pub finding: usize,
    pub pass: &'static str,
    pub inst: Inst,
}

/// A run that differs from the source.
pub(crate) struct WrongRun {
    pub input: Input,
    pub kind: FaultKind,
    pub details: String,
}

/// One function before a set of judges.
pub(crate) struct Session<'h> {
    pub source: &'h Function,
    pub inputs: &'h [Input],
    pub bench: &'h mut Bench,
    pub judges: JudgeSet,
    pub tally: Tally,
    /// Findings whose author is looked for at the end; until then the pass is to blame.
    pub unattributed: Vec<Unattributed>,
    /// The rules broken at the last stage that the verifier saw, each as often as it is broken.
    pub violations: Vec<Rule>,
    /// The run that is looked into at the end.
    pub wrong: Option<WrongRun>,
}

impl<'h> Session<'h> {
    /// Nothing is judged yet.
    pub fn new(bench: &'h mut Bench, source: &'h Function, inputs: &'h [Input], judges: JudgeSet) -> Session<'h> {
        bench.features.start(bench.target);
        bench.fired.clear();
        let (tally, unattributed, violations) = Default::default();
        Session { source, inputs, bench, judges, tally, unattributed, violations, wrong: None }
    }

    /// The source before every judge that looks at it. Nothing is compiled that is not valid.
    pub fn input(&mut self) {
        self.each(|row, session| row.input(session));
    }

    fn each(&mut self, mut look: impl FnMut(&dyn JudgeRow, &mut Session<'h>)) {
        let judges = self.judges;
        for row in JUDGES.into_iter().filter(|row| judges.contains(row.judge())) {
            look(row, self);
        }
    }
}

impl Observer for Session<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        self.each(|row, session| row.pass(session, pass, function));
    }

    fn wants_steps(&self) -> bool {
        self.judges.contains(Judge::Prover)
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        if !self.wants_steps() {
            return;
        }
        *self.bench.rules.entry(rule).or_default() += 1;
        self.bench.fired.push(rule);
        self.bench.features.step(rule, function, before, after);
        let after: SmallVec<[InstData; 4]> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        self.each(|row, session| row.step(session, &step));
    }

    fn after_emission(&mut self, code: &mut Code) {
        self.each(|row, session| row.code(session, code));
    }
}

/// The machine verifier.
struct VerifierRow;

impl JudgeRow for VerifierRow {
    fn judge(&self) -> Judge {
        Judge::Verifier
    }

    fn input(&self, session: &mut Session<'_>) {
        let Bench { target, legalizer, features, .. } = &mut *session.bench;
        session.tally.verifications += 1;
        let violations = features.verify(INPUT, session.source, target, legalizer);
        session.violations.extend(violations.iter().map(|violation| violation.rule));
        let found = |violation| violated(FindingKind::Rule, session.source, target, INPUT, violation);
        session.tally.findings.extend(violations.iter().map(found));
    }

    fn pass(&self, session: &mut Session<'_>, pass: &'static Pass, function: &Function) {
        let Bench { target, legalizer, features, .. } = &mut *session.bench;
        session.tally.verifications += 1;
        let violations = features.verify(pass.name, function, target, legalizer);
        let mut left = std::mem::take(&mut session.violations);
        session.violations.extend(violations.iter().map(|violation| violation.rule));
        for violation in &violations {
            // A pass is not to blame for what an earlier one left, in instructions that it may have written anew since:
            // only where it breaks a rule more often.
            if let Some(known) = left.iter().position(|&rule| rule == violation.rule) {
                left.swap_remove(known);
                continue;
            }
            let finding = session.tally.findings.len();
            session.unattributed.extend(violation.inst.map(|inst| Unattributed { finding, pass: pass.name, inst }));
            let found = violated(FindingKind::Rule, function, target, pass.name, violation);
            session.tally.findings.push(found);
        }
        let (target, options) = (session.bench.target, session.bench.options);
        let is_global = pass.name == bank_select::PASS.name && options.bank_select == BankSelectMode::Global;
        if !is_global || !session.judges.watches_closely() {
            return;
        }
        let wrong = frequencies::wrong(function, &BlockFrequencies::of(function));
        session.tally.findings.extend(wrong.map(Finding::dearer_banks));
        // Where something else is wrong, the source says nothing of this function.
        if session.tally.findings.is_empty() {
            let cheaper = bank_costs::cheaper(target, options, session.source, function);
            session.tally.findings.extend(cheaper.map(Finding::dearer_banks));
        }
    }
}

/// The prover.
struct ProverRow;

impl JudgeRow for ProverRow {
    fn judge(&self) -> Judge {
        Judge::Prover
    }

    fn step(&self, session: &mut Session<'_>, step: &Step<'_>) {
        let Bench { target, prover, .. } = &mut *session.bench;
        let before = prover.counters();
        let verdict = prover.judge(target, step);
        let after = prover.counters();
        session.tally.kept += after.kept - before.kept;
        // The rule wrote what has no form; later steps read it.
        if let Verdict::Unsupported(feature) = &verdict
            && Unsupported::is_malformed(feature)
        {
            let is_known =
                |finding: &Finding| finding.judge == Judge::Prover && Unsupported::is_malformed(&finding.details);
            if !session.tally.findings.iter().any(is_known) {
                session.tally.findings.push(Finding::malformed(step.rule, feature));
            }
            return;
        }
        session.tally.count(&verdict, after.looked_up > before.looked_up, step.rule);
        let refuted = counterexample::finding(target, step, &verdict);
        session.tally.findings.extend(refuted.map(|(finding, _)| finding));
    }
}

/// The allocation checker.
struct AllocationRow;

impl AllocationRow {
    /// Keeps the function that the allocator gets.
    fn keep(session: &mut Session<'_>, function: &Function) {
        if function.stage == Stage::EdgesSplit {
            session.bench.selected.clone_from(function);
        }
    }
}

impl JudgeRow for AllocationRow {
    fn judge(&self) -> Judge {
        Judge::Allocation
    }

    fn input(&self, session: &mut Session<'_>) {
        AllocationRow::keep(session, session.source);
    }

    fn pass(&self, session: &mut Session<'_>, pass: &'static Pass, function: &Function) {
        AllocationRow::keep(session, function);
        // Code that the verifier rejected before says nothing about the allocator.
        let rejected = |finding: &Finding| finding.judge == Judge::Verifier && finding.guilty.as_str() != pass.name;
        if pass.to == Stage::Allocated && !session.tally.findings.iter().any(rejected) {
            let Bench { target, selected, options, .. } = &*session.bench;
            let violations = allocation::check(selected, function, target, options.features);
            let found = |violation| violated(FindingKind::Allocation, function, target, pass.name, violation);
            session.tally.findings.extend(violations.iter().map(found));
        }
    }
}

/// The judge of texts: later passes are not asked about a part that an earlier one left unprinted.
struct TextRow;

impl TextRow {
    fn look(session: &mut Session<'_>, function: &Function, guilty: &'static str) {
        let findings = &mut session.tally.findings;
        if !findings.iter().any(|finding| finding.judge == Judge::Text) {
            findings.extend(text::judge(function, session.bench.target, guilty));
        }
    }
}

impl JudgeRow for TextRow {
    fn judge(&self) -> Judge {
        Judge::Text
    }

    fn input(&self, session: &mut Session<'_>) {
        TextRow::look(session, session.source, INPUT);
    }

    fn pass(&self, session: &mut Session<'_>, pass: &'static Pass, function: &Function) {
        TextRow::look(session, function, pass.name);
    }
}

/// A violation as a finding, with the pass to blame.
pub(crate) fn violated<R: Copy + Display>(
    kind: fn(R) -> FindingKind,
    function: &Function,
    target: &Target,
    guilty: &str,
    violation: &Violation<R>,
) -> Finding {
    let (kind, guilty) = (kind(violation.rule), guilty.to_string());
    let judge = if matches!(kind, FindingKind::Allocation(_)) { Judge::Allocation } else { Judge::Verifier };
    Finding { judge, kind, guilty, details: violation.describe(function, target.vocabulary), input: None }
}
