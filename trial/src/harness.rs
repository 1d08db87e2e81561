//! The harness: one function before every judge. It compiles once, judges every pass and step, and runs the code.

use crate::blame::{self, Replay};
use crate::counterexample;
use crate::features::Recorder;
use crate::finding::{Finding, Judge, Tally};
use crate::guard;
use crate::inputs::{self, Plan};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_codegen::pipeline::{self, Code, Pass};
use tribunal_codegen::{CompileError, Context, Observer, Options};
use tribunal_emulator::input::{Input, OTHER_FRAME};
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::{CallSite, Emulator, MachineError, MachineRun};
use tribunal_emulator::observation::{Observation, Outcome, compare, compare_accesses};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Function, Inst, InstData, Stage, Step};
use tribunal_target::Target;
use tribunal_target::legality::LegalizerInfo;
use tribunal_verifier::prover::{self, Prover, Verdict};
use tribunal_verifier::{allocation, machine_verifier};

pub use tribunal_verifier::prover::Cache as ProofCache;

/// Instructions that the interpreter may take on one input; machine code gets many times as many.
pub const FUEL: u64 = 1 << 16;
const MACHINE_FUEL: u64 = FUEL * 64;

/// The kind of a finding about a judge: the prover proves what execution blames.
const DISAGREEMENT: &str = "proved-and-wrong";

/// The reason why no trial can run.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The emulator cannot work.
    #[error("the emulator does not work: {0}")]
    Emulator(#[from] MachineError),
}

/// The instructions that one application of a rule wrote.
pub type WrittenInsts = SmallVec<[Inst; 8]>;

/// Plants faults in a compilation, before the judges see it. It is stateless, so that blame can compile the same
/// function again and meet the same fault.
pub trait Saboteur {
    /// Changes the function after each pass, before the judges see it.
    fn after_pass(&self, _pass: &'static Pass, _function: &mut Function) {}
    /// Changes it after one application of a rule; `after` stays the list of the instructions that the rule wrote.
    fn step(&self, _rule: &'static str, _function: &mut Function, _before: &[InstData], _after: &mut WrittenInsts) {}
    /// Changes the code after emission, before it runs.
    fn after_emission(&self, _code: &mut Code) {}
    /// The name of the known fault that is planted, if it is one: a crash file says it.
    fn fault(&self) -> Option<&'static str> {
        None
    }
}

/// The judges that watch a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The machine verifier, after each pass.
    pub verify: bool,
    /// The prover, on each step.
    pub prove: bool,
}

/// The judges of one target, kept from function to function.
pub struct Harness {
    target: &'static Target,
    options: Options,
    legalizer: &'static LegalizerInfo,
    prover: Prover,
    machine: Emulator,
    rules: FxHashMap<&'static str, u64>,
    /// Rules in the order in which they fired in the last trial.
    fired: Vec<&'static str>,
    features: Recorder,
    /// The function in the pipeline, and as the allocator received it.
    work: Function,
    selected: Function,
}

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
        Ok(Harness {
            target,
            options,
            legalizer: (target.legality)(options.features),
            prover: Prover::with_cache(cache),
            machine: Emulator::new(target, options.features)?,
            rules: FxHashMap::default(),
            fired: Vec::new(),
            features: Recorder::default(),
            work: Function::default(),
            selected: Function::default(),
        })
    }

    /// The machine that it judges for.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// The features and the allocator of its compilations.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Names of the rules that fired so far.
    pub fn rules_fired(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rules.keys().copied()
    }

    /// Rules in the order in which they fired in the last trial.
    pub fn last_fired(&self) -> &[&'static str] {
        &self.fired
    }

    /// Features that the last trial reached, each once.
    pub fn last_features(&self) -> &[u16] {
        self.features.reached()
    }

    /// The recorder of features, for compilations that only it watches.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.features
    }

    /// True if the verifier finds no fault in the input.
    pub fn accepts(&self, function: &Function) -> bool {
        machine_verifier::verify(function, self.target, self.legalizer).is_empty()
    }

    /// Every judge, on inputs made by `plan`.
    pub fn trial(&mut self, function: &Function, plan: Plan) -> Tally {
        self.trial_on(function, &inputs::inputs(function, self.target, plan))
    }

    /// The same; `None` for a function that the verifier does not accept as input.
    pub fn trial_if_accepted(
        &mut self,
        function: &Function,
        plan: Plan,
        saboteur: Option<&dyn Saboteur>,
    ) -> Option<Tally> {
        let trial = |harness: &mut Harness| {
            let inputs = |target| inputs::inputs(function, target, plan);
            let accepted = harness.verified(function).is_empty();
            accepted.then(|| harness.trial_accepted(function, &inputs(harness.target), saboteur))
        };
        self.guarded(trial).unwrap_or_else(|panic| Some(Tally::of_panic(panic)))
    }

    /// After a panic all state kept from function to function is made anew, except proofs and counts of rules.
    fn guarded<T>(&mut self, judge: impl FnOnce(&mut Harness) -> T) -> Result<T, String> {
        guard::run(|| judge(&mut *self)).inspect_err(|_| {
            let rules = std::mem::take(&mut self.rules);
            if let Ok(fresh) = Harness::with_cache(self.target, self.options, self.prover.cache().clone()) {
                *self = Harness { rules, ..fresh };
            }
        })
    }

    /// Every judge, on these inputs.
    pub fn trial_on(&mut self, function: &Function, inputs: &[Input]) -> Tally {
        self.trial_with(function, inputs, None)
    }

    /// The same with faults planted.
    pub fn trial_with(&mut self, function: &Function, inputs: &[Input], saboteur: Option<&dyn Saboteur>) -> Tally {
        let trial = |harness: &mut Harness| {
            let findings = harness.verified(function);
            if findings.is_empty() {
                return harness.trial_accepted(function, inputs, saboteur);
            }
            let findings = about_input(function, harness.target, &findings);
            Tally { functions: 1, verifications: 1, findings, ..Tally::default() }
        };
        self.guarded(trial).unwrap_or_else(Tally::of_panic)
    }

    /// The verifier's findings about the input of a trial, whose features begin here.
    fn verified(&mut self, function: &Function) -> Vec<tribunal_verifier::Violation> {
        self.features.start(self.target);
        self.features.verify(INPUT, function, self.target, self.legalizer)
    }

    /// The trial of a function that the verifier accepted.
    fn trial_accepted(&mut self, function: &Function, inputs: &[Input], saboteur: Option<&dyn Saboteur>) -> Tally {
        let mut tally = Tally { functions: 1, verifications: 1, ..Tally::default() };
        let watch = Watch { verify: true, prove: true };
        if let Some(code) = self.compile(function, &mut tally, watch, saboteur) {
            self.execute(function, &code, inputs, &mut tally, saboteur);
        }
        tally.passed = u64::from(tally.is_clean() && tally.is_complete());
        tally
    }

    /// Compiles under judgement, without running anything.
    pub fn judge_compilation(&mut self, function: &Function, watch: Watch) -> Tally {
        let compilation = |harness: &mut Harness| {
            let mut tally = Tally { functions: 1, ..Tally::default() };
            harness.features.start(harness.target);
            harness.compile(function, &mut tally, watch, None);
            tally
        };
        self.guarded(compilation).unwrap_or_else(Tally::of_panic)
    }

    fn compile(
        &mut self,
        function: &Function,
        tally: &mut Tally,
        watch: Watch,
        saboteur: Option<&dyn Saboteur>,
    ) -> Option<Code> {
        self.fired.clear();
        if function.stage == Stage::EdgesSplit {
            self.selected.clone_from(function);
        }
        let mut judges = Judges {
            source: function,
            options: self.options,
            target: self.target,
            legalizer: self.legalizer,
            prover: &mut self.prover,
            rules: &mut self.rules,
            fired: &mut self.fired,
            features: &mut self.features,
            tally,
            watch,
            saboteur,
            selected: &mut self.selected,
        };
        let mut context =
            Context { target: self.target, options: self.options, legalizer: self.legalizer, observer: &mut judges };
        self.work.clone_from(function);
        match pipeline::compile(&mut self.work, &mut context) {
            Ok(mut code) => {
                if let Some(saboteur) = saboteur {
                    saboteur.after_emission(&mut code);
                }
                Some(code)
            }
            Err(CompileError::Unsupported { pass, feature, .. }) => {
                tally.unsupported(format!("{pass}: {feature}"));
                None
            }
            Err(CompileError::Internal { pass, reason, .. }) => {
                let guilty = pass.to_string();
                tally.findings.push(Finding {
                    judge: Judge::Compiler,
                    kind: "contract".into(),
                    guilty,
                    details: reason,
                    input: None,
                });
                None
            }
        }
    }

    /// Reproduces a finding: the same fault once more, if `function` shows it. Only the judge that found it runs, on
    /// the finding's input if it has one, and blame runs only where the kind agrees.
    pub fn reproduce(
        &mut self,
        function: &Function,
        known: &Finding,
        saboteur: Option<&dyn Saboteur>,
    ) -> Option<Finding> {
        let found = self.guarded(|harness| harness.reproduced(function, known, saboteur));
        found.unwrap_or_else(|panic| Some(Finding::panic(panic)).filter(|panic| panic.is_same_fault(known)))
    }

    fn reproduced(&mut self, function: &Function, known: &Finding, saboteur: Option<&dyn Saboteur>) -> Option<Finding> {
        let watch = Watch {
            verify: matches!(known.judge, Judge::Verifier | Judge::Allocation),
            prove: known.judge == Judge::Prover && known.kind != DISAGREEMENT,
        };
        let expected = match &known.input {
            Some(input) => Some(expected(&Interpreter::new(function, self.target), input).ok()??),
            None => None,
        };
        let mut tally = Tally::default();
        self.features.start(self.target);
        if watch.verify {
            tally.findings = verify(function, self.target, self.legalizer);
        }
        let code = match tally.findings.is_empty() {
            true => self.compile(function, &mut tally, watch, saboteur),
            false => None,
        };
        if known.judge == Judge::Compiler {
            let refused = tally.unsupported.keys().filter(|&feature| *feature == known.details);
            tally.findings.extend(refused.map(|feature| Finding::unsupported(feature)));
        }
        let runs = known.judge == Judge::Emulator || known.kind == DISAGREEMENT;
        if let (true, Some(code), Some(input), Some(expected)) = (runs, code, &known.input, expected) {
            self.load(function, &code).ok()?;
            let run = self.machine.run(input, &inputs::results(function, self.target), MACHINE_FUEL).ok()?;
            let same = |kind: &str| known.judge == Judge::Prover || kind == known.kind;
            let (kind, details) = wrong(&expected, &run).filter(|(kind, _)| same(kind))?;
            if !is_address_independent(function, self.target, input, &expected) {
                return None;
            }
            tally.findings.extend(self.blamed(function, input, kind, details, saboteur));
        }
        tally.findings.into_iter().find(|finding| finding.is_same_fault(known))
    }

    fn load(&mut self, function: &Function, code: &Code) -> Result<(), MachineError> {
        self.machine.record_accesses(function.has_volatile_accesses())?;
        self.machine.load(&code.bytes, &call_sites(code))
    }

    /// Runs the code on every input and compares it with the interpreter.
    fn execute(
        &mut self,
        function: &Function,
        code: &Code,
        inputs: &[Input],
        tally: &mut Tally,
        saboteur: Option<&dyn Saboteur>,
    ) {
        let results = inputs::results(function, self.target);
        if let Err(error) = self.load(function, code) {
            return tally.unsupported(error.to_string());
        }
        let expected = Interpreter::new(function, self.target).run_all(inputs, SETTINGS);
        for (input, expected) in inputs.iter().zip(expected) {
            let expected = match expected.map(promised) {
                Ok(Some(expected)) => expected,
                Ok(None) => {
                    tally.inconclusive += 1;
                    continue;
                }
                Err(unsupported) => return tally.unsupported(unsupported.feature),
            };
            let run = match self.machine.run(input, &results, MACHINE_FUEL) {
                Ok(run) => run,
                Err(error) => return tally.unsupported(error.to_string()),
            };
            let wrong = wrong(&expected, &run);
            if wrong.is_some() && !is_address_independent(function, self.target, input, &expected) {
                tally.inconclusive += 1;
                continue;
            }
            tally.executions += 1;
            if let Some((kind, details)) = wrong {
                tally.findings.extend(self.blamed(function, input, kind, details, saboteur));
                // One finding a function: the other inputs would show the same fault.
                return;
            }
        }
    }

    /// A finding of the emulator, with the rule or pass to blame; another if the prover proves the rewrite that is
    /// blamed.
    fn blamed(
        &self,
        function: &Function,
        input: &Input,
        kind: &'static str,
        details: String,
        saboteur: Option<&dyn Saboteur>,
    ) -> Vec<Finding> {
        let case = Replay { function, target: self.target, options: self.options, saboteur };
        let blame = blame::guilty(&case, input, kind);
        let details = format!("{details}\n{}", blame.explanation).trim_end().to_string();
        let found = |judge, kind: &str| Finding {
            judge,
            kind: kind.to_string(),
            guilty: blame.guilty.clone(),
            details: details.clone(),
            input: Some(input.clone()),
        };
        let disagreement =
            matches!(blame.verdict, Some(Verdict::Proved { .. })).then(|| found(Judge::Prover, DISAGREEMENT));
        std::iter::once(found(Judge::Emulator, kind)).chain(disagreement).collect()
    }

    /// The interpreter's results: the size in bits and the value of each result register.
    pub fn interpret(&self, function: &Function, input: &Input) -> Result<Vec<(u32, u64)>, String> {
        let interpreter = Interpreter::new(function, self.target);
        match expected(&interpreter, input) {
            Ok(Some(observation)) => {
                Ok(observation.returned.iter().map(|&(_, bits, known)| (bits, known.value)).collect())
            }
            Ok(None) => Err("the function is undefined on this input, or does not end".to_string()),
            Err(unsupported) => Err(unsupported.to_string()),
        }
    }

    /// Each step of a function through the pipeline, in text.
    pub fn explain(&mut self, function: &Function, say: &mut dyn FnMut(String)) -> Tally {
        let explanation = |harness: &mut Harness| {
            let mut tally = Tally { functions: 1, ..Tally::default() };
            let Harness { target, options, legalizer, prover, .. } = harness;
            let mut observer = ExplainObserver { target, prover, tally: &mut tally, say };
            let mut context = Context { target, options: *options, legalizer, observer: &mut observer };
            if let Err(error) = pipeline::compile(&mut function.clone(), &mut context) {
                tally.unsupported(error.to_string());
            }
            tally
        };
        self.guarded(explanation).unwrap_or_else(Tally::of_panic)
    }
}

/// The calls of the code, for an emulator.
pub fn call_sites(code: &Code) -> Vec<CallSite<'_>> {
    code.calls.iter().map(|call| CallSite { offset: call.offset, symbol: &call.symbol }).collect()
}

/// The source's observation, valid whatever the nondeterministic choices; `None` if the source determines none.
pub(crate) fn expected(interpreter: &Interpreter<'_>, input: &Input) -> Result<Option<Observation>, Unsupported> {
    interpreter.run(input, SETTINGS).map(promised)
}

/// The settings for interpreting a source.
const SETTINGS: Settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };

/// The observation that a run of the source promises.
fn promised(Execution { observation, .. }: Execution) -> Option<Observation> {
    (observation.outcome == Outcome::Returned).then_some(observation)
}

/// True if the source's observation is address-independent: the same for any layout of its stack objects.
pub(crate) fn is_address_independent(
    function: &Function,
    target: &'static Target,
    input: &Input,
    expected: &Observation,
) -> bool {
    let elsewhere = Interpreter::new(function, target).with_frame(OTHER_FRAME);
    function.stack.is_empty()
        || self::expected(&elsewhere, input).is_ok_and(|elsewhere| elsewhere.as_ref() == Some(expected))
}

/// The kind of fault that a run shows, and its description.
fn wrong(expected: &Observation, run: &MachineRun) -> Option<(&'static str, String)> {
    if let Some(fault) = &run.fault {
        return Some((fault.kind(), fault.to_string()));
    }
    let compared = compare(expected, &run.results, &run.buffers);
    let mismatch = compared.and_then(|()| compare_accesses(expected, &run.accesses)).err()?;
    Some((mismatch.kind(), mismatch.to_string()))
}

/// The guilty name in the verifier's findings about an input.
const INPUT: &str = "input";

/// The verifier's findings about an input, as findings of a trial.
pub fn verify(function: &Function, target: &Target, legalizer: &LegalizerInfo) -> Vec<Finding> {
    about_input(function, target, &machine_verifier::verify(function, target, legalizer))
}

fn about_input(function: &Function, target: &Target, findings: &[tribunal_verifier::Violation]) -> Vec<Finding> {
    findings.iter().map(|finding| from_verifier(Judge::Verifier, function, target, INPUT, finding)).collect()
}

fn from_verifier(
    judge: Judge,
    function: &Function,
    target: &Target,
    guilty: &str,
    finding: &tribunal_verifier::Violation,
) -> Finding {
    let details = finding.describe(function, target.vocabulary);
    Finding { judge, kind: finding.rule.to_string(), guilty: guilty.to_string(), details, input: None }
}

/// The judges that watch a compilation.
struct Judges<'h> {
    source: &'h Function,
    options: Options,
    target: &'static Target,
    legalizer: &'static LegalizerInfo,
    prover: &'h mut Prover,
    rules: &'h mut FxHashMap<&'static str, u64>,
    fired: &'h mut Vec<&'static str>,
    features: &'h mut Recorder,
    tally: &'h mut Tally,
    watch: Watch,
    saboteur: Option<&'h dyn Saboteur>,
    /// The function as the allocator received it, once the pipeline has come that far.
    selected: &'h mut Function,
}

impl Observer for Judges<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        if let Some(saboteur) = self.saboteur {
            saboteur.after_pass(pass, function);
        }
        if !self.watch.verify {
            return;
        }
        self.tally.verifications += 1;
        let findings = self.features.verify(pass.name, function, self.target, self.legalizer);
        if !findings.is_empty() {
            let Judges { source, target, options, saboteur, .. } = *self;
            let provenance = blame::provenance(&Replay { function: source, target, options, saboteur }, pass.name);
            self.tally.findings.extend(findings.iter().map(|finding| {
                let author = finding.inst.and_then(|inst| provenance.get(&inst));
                from_verifier(Judge::Verifier, function, target, author.unwrap_or(&pass.name), finding)
            }));
        }
        match function.stage {
            Stage::EdgesSplit => self.selected.clone_from(function),
            Stage::Allocated => {
                let findings = allocation::check(self.selected, function, self.target);
                let found = |finding| from_verifier(Judge::Allocation, function, self.target, pass.name, finding);
                self.tally.findings.extend(findings.iter().map(found));
            }
            _ => {}
        }
    }

    fn wants_steps(&self) -> bool {
        self.watch.prove || self.saboteur.is_some()
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &[Inst]) {
        let mut after = WrittenInsts::from(after);
        if let Some(saboteur) = self.saboteur {
            saboteur.step(rule, function, before, &mut after);
        }
        if !self.watch.prove {
            return;
        }
        *self.rules.entry(rule).or_default() += 1;
        self.fired.push(rule);
        self.features.step(rule, function, before, &after);
        let after: SmallVec<[InstData; 4]> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        let before = self.prover.counters();
        let verdict = self.prover.judge(self.target, &step);
        let after = self.prover.counters();
        self.tally.count(&verdict, after.looked_up > before.looked_up, rule);
        self.tally.kept += after.kept - before.kept;
        let refuted = counterexample::finding(self.target, &step, &verdict);
        self.tally.findings.extend(refuted.map(|(finding, _)| finding));
    }
}

impl Tally {
    pub(crate) fn unsupported(&mut self, feature: impl Into<String>) {
        *self.unsupported.entry(feature.into()).or_default() += 1;
    }

    fn count(&mut self, verdict: &Verdict, looked_up: bool, rule: &'static str) {
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

/// The explain observer: prints each pass and step with the prover's verdict.
struct ExplainObserver<'h> {
    target: &'static Target,
    prover: &'h mut Prover,
    tally: &'h mut Tally,
    say: &'h mut dyn FnMut(String),
}

impl Observer for ExplainObserver<'_> {
    fn after_pass(&mut self, pass: &'static Pass, function: &mut Function) {
        let text = tribunal_ir::text::print_function(function, self.target.vocabulary);
        (self.say)(format!("# after {}\n{text}", pass.name));
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &[Inst]) {
        let after: Vec<InstData> = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let step = Step { rule, function, before, after: &after };
        let verdict = self.prover.judge(self.target, &step);
        self.tally.count(&verdict, false, rule);
        (self.say)(prover::explain(&step, &verdict, self.target.vocabulary));
    }
}
