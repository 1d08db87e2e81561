//! The harness: one function before every judge, and for each finding the rule or pass to blame.
//!
//! It compiles once, with the judges of [`crate::judges`] as observers. Where a finding needs somebody to blame, it has
//! [`crate::blame`] compile again, with the same fault planted if there is one.
//!
//! Invariant: a panic of the backend or of a judge is a finding about one function, and no state of it stays.

use crate::blame::{self, Replay};
use crate::execution::expected;
use crate::features::Recorder;
use crate::finding::{Finding, Judge, Tally, is_pass};
use crate::guard::{self, CaughtPanic};
use crate::inputs::{self, Plan};
use crate::judges::{Bench, INPUT, JudgeSet, Session, Unattributed, WrongRun, violated};
use crate::kind::FindingKind;
use crate::words;
use rustc_hash::FxHashMap;
use tribunal_codegen::pipeline;
use tribunal_codegen::{CompileError, Context, NoObserver, Observer, Observers, Options};
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::Interpreter;
use tribunal_emulator::machine::{Emulator, MachineError};
use tribunal_emulator::observation::Outcome;
use tribunal_ir::Function;
use tribunal_target::legality::LegalizerInfo;
use tribunal_target::{Features, Target};
use tribunal_verifier::Violation;
use tribunal_verifier::machine_verifier::{self, Rule};
use tribunal_verifier::prover::{Prover, Verdict};

pub use tribunal_verifier::prover::Cache as ProofCache;

/// The reason why no trial can run.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The emulator cannot work.
    #[error("the emulator does not work: {0}")]
    Emulator(#[from] MachineError),
}

/// The verifier's word on the input of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Acceptance {
    Accepted,
    Rejected,
}

/// The judges of one target, kept from function to function.
pub struct Harness {
    pub(crate) bench: Bench,
    /// The function in the pipeline.
    work: Function,
}

/// The inputs on which a panic, or a feature that is not supported, is looked for again: neither says its own.
const PANIC_INPUTS: Plan = Plan { count: 8, seed: 0 };

impl Harness {
    /// A harness with an empty proof cache.
    ///
    /// # Errors
    /// No emulator for the target.
    pub fn new(target: &'static Target, options: Options) -> Result<Harness, HarnessError> {
        Harness::with_cache(target, options, ProofCache::default())
    }

    /// Shares `cache` with other harnesses, of other threads too.
    pub fn with_cache(target: &'static Target, options: Options, cache: ProofCache) -> Result<Harness, HarnessError> {
        let bench = Bench {
            target,
            options,
            idle: None,
            stepper: None,
            legalizer: (target.legality)(options.features),
            prover: Prover::with_cache(cache),
            machine: Emulator::new(target, options.features)?,
            rules: FxHashMap::default(),
            fired: Vec::new(),
            features: Recorder::default(),
            wrong_words: words::wrong_words(target),
            selected: Function::default(),
        };
        Ok(Harness { bench, work: Function::default() })
    }

    /// Judges for other features from now on.
    pub fn set_features(&mut self, features: Features) {
        let Bench { target, options, legalizer, machine, idle, stepper, .. } = &mut self.bench;
        if options.features != features {
            (options.features, *legalizer) = (features, (target.legality)(features));
            std::iter::once(machine).chain(idle).chain(stepper).for_each(|machine| machine.set_features(features));
        }
    }

    /// Compiles with these options from now on.
    pub fn set_options(&mut self, options: Options) {
        self.set_features(options.features);
        self.bench.options = options;
    }

    /// The machine that it judges for.
    pub fn target(&self) -> &'static Target {
        self.bench.target
    }

    /// The options of its compilations.
    pub fn options(&self) -> Options {
        self.bench.options
    }

    /// Names of the rules that fired so far.
    pub fn rules_fired(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.bench.rules.keys().copied()
    }

    /// Rules in the order in which they fired in the last trial.
    pub fn last_fired(&self) -> &[&'static str] {
        &self.bench.fired
    }

    /// Features that the last trial reached, each once.
    pub fn last_features(&self) -> &[u16] {
        self.bench.features.reached()
    }

    /// The recorder of features, for compilations that only it watches.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.bench.features
    }

    /// True if the verifier finds no fault in the input.
    pub fn accepts(&self, function: &Function) -> bool {
        machine_verifier::verify(function, self.bench.target, self.bench.legalizer).is_empty()
    }

    /// Every judge, on inputs made by `plan`. Without one conclusive execution the function is unknown, unless no run
    /// of it can be defined.
    pub fn trial(&mut self, function: &Function, plan: Plan) -> Tally {
        let function = &*self.bench.target.settled(function, self.bench.options.features);
        let mut tally = self.trial_on(function, &inputs::inputs(function, self.bench.target, plan));
        tally.demand_execution(inputs::never_ends_well(function, self.bench.target));
        tally
    }

    /// Every judge, on these inputs.
    pub fn trial_on(&mut self, function: &Function, inputs: &[Input]) -> Tally {
        self.trial_with(function, inputs, &mut NoObserver)
    }

    /// The same with the faults that `saboteur` plants. It plants the same ones whenever the function is compiled.
    pub fn trial_with(&mut self, function: &Function, inputs: &[Input], saboteur: &mut dyn Observer) -> Tally {
        self.judged(function, inputs, JudgeSet::ALL, saboteur).0
    }

    /// These judges on inputs made by `plan`.
    ///
    /// # Errors
    /// What the verifier has against a function that it does not accept as input.
    pub fn trial_if_accepted(
        &mut self,
        function: &Function,
        plan: Plan,
        judges: JudgeSet,
        saboteur: &mut dyn Observer,
    ) -> Result<Tally, Vec<Finding>> {
        let function = &*self.bench.target.settled(function, self.bench.options.features);
        let inputs = inputs::inputs(function, self.bench.target, plan);
        match self.judged(function, &inputs, judges, saboteur) {
            (tally, Acceptance::Accepted) => Ok(tally),
            (tally, Acceptance::Rejected) => Err(tally.findings),
        }
    }

    /// Compiles before these judges, without running anything.
    pub fn judge_compilation(&mut self, function: &Function, judges: JudgeSet) -> Tally {
        self.judged(function, &[], judges, &mut NoObserver).0
    }

    /// The findings, and whether they are about more than the function as it was given.
    fn judged(
        &mut self,
        function: &Function,
        inputs: &[Input],
        judges: JudgeSet,
        saboteur: &mut dyn Observer,
    ) -> (Tally, Acceptance) {
        let function = &*self.bench.target.settled(function, self.bench.options.features);
        let trial = |harness: &mut Harness| {
            let (tally, wrong, acceptance) = harness.session(function, inputs, judges, saboteur);
            let mut tally = Tally { functions: 1, ..tally };
            let wrong = wrong.into_iter().flat_map(|wrong| harness.blamed(function, wrong, saboteur));
            tally.findings.extend(wrong);
            tally.passed = u64::from(tally.is_clean() && tally.is_complete());
            (tally, acceptance)
        };
        self.guarded(trial).unwrap_or_else(|panic| (Tally::of_panic(panic), Acceptance::Accepted))
    }

    /// After a panic all state kept from function to function is made anew, except proofs and counts of rules.
    pub fn guarded<T>(&mut self, judge: impl FnOnce(&mut Harness) -> T) -> Result<T, CaughtPanic> {
        guard::run(|| judge(&mut *self)).inspect_err(|_| {
            let Bench { target, options, prover, rules, .. } = &mut self.bench;
            let rules = std::mem::take(rules);
            if let Ok(fresh) = Harness::with_cache(target, *options, prover.cache().clone()) {
                *self = fresh;
                self.bench.rules = rules;
            }
        })
    }

    /// One compilation before `judges`, and their findings. A function that is rejected is not compiled. A wrong run is
    /// not blamed yet.
    fn session(
        &mut self,
        function: &Function,
        inputs: &[Input],
        judges: JudgeSet,
        saboteur: &mut dyn Observer,
    ) -> (Tally, Option<WrongRun>, Acceptance) {
        let Harness { bench, work } = self;
        let (target, options, legalizer) = (bench.target, bench.options, bench.legalizer);
        let mut session = Session::new(bench, function, inputs, judges);
        if let Some(property) = function.gave_up() {
            session.tally.unsupported(property);
            return (session.tally, None, Acceptance::Accepted);
        }
        session.input();
        if !session.tally.findings.is_empty() {
            return (session.tally, None, Acceptance::Rejected);
        }
        work.clone_from(function);
        let mut observers = Observers([&mut *saboteur, &mut session]);
        let mut context = Context { target, options, legalizer, observer: &mut observers };
        let compiled = pipeline::compile(work, &mut context);
        let Session { mut tally, unattributed, wrong, .. } = session;
        match compiled {
            Ok(_) => {}
            Err(CompileError::Unsupported { pass, feature, .. }) => tally.unsupported(format!("{pass}: {feature}")),
            Err(CompileError::Internal { pass, reason: details, .. }) => {
                let (kind, guilty) = (FindingKind::Contract, pass.to_string());
                tally.findings.push(Finding { judge: Judge::Compiler, kind, guilty, details, input: None });
            }
        }
        self.attribute(function, &unattributed, &mut tally.findings, saboteur);
        (tally, wrong, Acceptance::Accepted)
    }

    /// Blames the rules that wrote the instructions that findings name.
    fn attribute(
        &self,
        function: &Function,
        unattributed: &[Unattributed],
        findings: &mut [Finding],
        saboteur: &mut dyn Observer,
    ) {
        for in_pass in unattributed.chunk_by(|one, other| one.pass == other.pass) {
            let mut replay = self.replay(function, saboteur);
            let provenance = blame::provenance(&mut replay, in_pass[0].pass);
            for Unattributed { finding, inst, .. } in in_pass {
                if let Some(rule) = provenance.get(inst) {
                    findings[*finding].guilty = rule.to_string();
                }
            }
        }
    }

    fn replay<'a>(&self, function: &'a Function, saboteur: &'a mut dyn Observer) -> Replay<'a> {
        Replay { function, target: self.bench.target, options: self.bench.options, saboteur }
    }

    /// A finding of the emulator, with the rule or pass to blame; another if the prover proves the rewrite that is
    /// blamed.
    fn blamed(&self, function: &Function, wrong: WrongRun, saboteur: &mut dyn Observer) -> Vec<Finding> {
        let WrongRun { input, kind, details } = wrong;
        let blame = blame::guilty(&mut self.replay(function, saboteur), &input, kind);
        let details = format!("{details}\n{}", blame.explanation).trim_end().to_string();
        let found = |judge, kind| Finding {
            judge,
            kind,
            guilty: blame.guilty.clone(),
            details: details.clone(),
            input: Some(input.clone()),
        };
        let is_proved = matches!(blame.verdict, Some(Verdict::Proved { .. }));
        let disagreement = is_proved.then(|| found(Judge::Prover, FindingKind::ProvedAndWrong));
        std::iter::once(found(Judge::Emulator, FindingKind::Run(kind))).chain(disagreement).collect()
    }

    /// Reproduces a finding: the same fault once more, if `function` shows it. Only the judge that found it looks, on
    /// the finding's input if it has one, and blame runs only where the kind agrees.
    pub fn reproduce(&mut self, function: &Function, known: &Finding, saboteur: &mut dyn Observer) -> Option<Finding> {
        let found = self.guarded(|harness| harness.reproduced(function, known, saboteur));
        found.unwrap_or_else(|panic| Some(Finding::panic(panic)).filter(|panic| panic.is_same_fault(known)))
    }

    fn reproduced(&mut self, function: &Function, known: &Finding, saboteur: &mut dyn Observer) -> Option<Finding> {
        let function = &*self.bench.target.settled(function, self.bench.options.features);
        if let Some(input) = &known.input {
            expected(&Interpreter::new(function, self.bench.target), input).ok()??;
        }
        let judges = match (known.judge, known.kind) {
            (Judge::Verifier | Judge::Allocation, _) => JudgeSet::AFTER_PASSES,
            (
                Judge::Emulator,
                FindingKind::Definition
                | FindingKind::Contract
                | FindingKind::Run(FaultKind::MisalignedAccess | FaultKind::Unwinding),
            ) => JudgeSet::default().with(Judge::Emulator).looking_closely(),
            (Judge::Emulator, _) | (Judge::Prover, FindingKind::ProvedAndWrong) => {
                JudgeSet::default().with(Judge::Emulator)
            }
            (Judge::Prover | Judge::Text, _) => JudgeSet::default().with(known.judge),
            (Judge::Compiler, FindingKind::Unsupported) if is_pass(&known.guilty) => JudgeSet::default(),
            // A judge may have met it.
            (Judge::Compiler, FindingKind::Panic | FindingKind::Unsupported) => JudgeSet::ALL,
            (Judge::Compiler, _) => JudgeSet::default(),
        };
        let drawn = match judges == JudgeSet::ALL {
            true => inputs::inputs(function, self.bench.target, PANIC_INPUTS),
            false => Vec::new(),
        };
        let inputs = if drawn.is_empty() { known.input.as_slice() } else { &drawn };
        let (mut tally, wrong, _) = self.session(function, inputs, judges, saboteur);
        if known.judge == Judge::Compiler {
            let refused = tally.unsupported.keys().filter(|feature| known.refuses(feature));
            tally.findings.extend(refused.map(|feature| Finding::unsupported(feature)));
        }
        // A run blames nobody for a fault that is another one.
        let same = |wrong: &WrongRun| {
            [Judge::Prover, Judge::Compiler].contains(&known.judge) || known.kind == FindingKind::Run(wrong.kind)
        };
        let wrong = wrong.filter(same).into_iter().flat_map(|wrong| self.blamed(function, wrong, saboteur));
        tally.findings.extend(wrong);
        tally.findings.into_iter().find(|finding| finding.is_same_fault(known))
    }

    /// The end of the function on an input; `None` if it is undefined there, or does not end.
    pub fn outcome(&self, function: &Function, input: &Input) -> Option<Outcome> {
        let interpreter = Interpreter::new(function, self.bench.target);
        expected(&interpreter, input).ok()?.map(|observation| observation.outcome)
    }
}

/// The verifier's findings about an input, as findings of a trial.
pub fn verify(function: &Function, target: &Target, legalizer: &LegalizerInfo) -> Vec<Finding> {
    violations(function, target, &machine_verifier::verify(function, target, legalizer))
}

/// The same about a function that another compiler may have written.
pub fn verify_foreign(function: &Function, target: &Target, features: Features) -> Vec<Finding> {
    violations(function, target, &machine_verifier::verify_foreign(function, target, features))
}

fn violations(function: &Function, target: &Target, violations: &[Violation<Rule>]) -> Vec<Finding> {
    violations.iter().map(|violation| violated(FindingKind::Rule, function, target, INPUT, violation)).collect()
}
