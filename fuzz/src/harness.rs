//! Every judge on one function: compiled once, watched at every pass and every step, then run on inputs.

use crate::blame::{self, Record};
use crate::finding::{Finding, Judge, Tally};
use crate::inputs::{self, Plan};
use rustc_hash::FxHashMap;
use tribunal_codegen::pipeline::{self, Code, Pass};
use tribunal_codegen::{CompileError, Context, NoObserver, Observer, Options};
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::Interpreter;
use tribunal_emulator::machine::{Machine, MachineError};
use tribunal_ir::{Function, Inst, InstData, Step};
use tribunal_target::Target;
use tribunal_target::legality::LegalizerInfo;
use tribunal_verifier::prover::{Prover, Verdict};

pub use tribunal_verifier::prover::Cache as ProofCache;

/// Instructions that the interpreter may take on one input.
pub const FUEL: u64 = 1 << 16;

/// Why no trial can be held.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    #[error("the emulator did not start: {0}")]
    Emulator(#[from] MachineError),
}

/// Plants faults in a compilation, where the judges behind it will see them. Without state, so that blame can compile
/// the same function again and meet the same fault.
pub trait Saboteur {
    fn after_pass(&self, _pass: &'static Pass, _function: &mut Function) {}
    fn step(&self, _rule: &'static str, _function: &mut Function, _before: &[InstData], _after: &[Inst]) {}
}

/// The judges of one target, kept from function to function.
pub struct Harness {
    target: &'static Target,
    options: Options,
    legalizer: LegalizerInfo,
    prover: Prover,
    machine: Machine,
    rules: FxHashMap<&'static str, u64>,
}

impl Harness {
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
            machine: Machine::new(target)?,
            rules: FxHashMap::default(),
        })
    }

    pub fn target(&self) -> &'static Target {
        self.target
    }

    pub fn options(&self) -> Options {
        self.options
    }

    /// Names of the rules that fired so far.
    pub fn rules_fired(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rules.keys().copied()
    }

    /// True if the verifier finds nothing wrong with the input.
    pub fn accepts(&self, function: &Function) -> bool {
        verify(function, self.target, &self.legalizer, "input").is_empty()
    }

    /// Every judge, on inputs made by `plan`.
    pub fn trial(&mut self, function: &Function, plan: Plan) -> Tally {
        self.trial_on(function, &inputs::inputs(function, self.target, plan))
    }

    /// Every judge, on these inputs.
    pub fn trial_on(&mut self, function: &Function, inputs: &[Input]) -> Tally {
        self.trial_with(function, inputs, None)
    }

    /// The same with faults planted.
    pub fn trial_with(&mut self, function: &Function, inputs: &[Input], saboteur: Option<&dyn Saboteur>) -> Tally {
        let mut tally = Tally { functions: 1, verifications: 1, ..Tally::default() };
        tally.findings = verify(function, self.target, &self.legalizer, "input");
        if tally.findings.is_empty() {
            match self.compile_judged(function, &mut tally, saboteur) {
                Ok(code) => self.execute(function, &code, inputs, &mut tally, saboteur),
                Err(error) => compile_failure(error, &mut tally),
            }
        }
        tally.passed = u64::from(tally.is_clean() && tally.is_complete());
        tally
    }

    /// Compiles with the verifier after every pass, the prover on every step and the allocation checker.
    fn compile_judged(
        &mut self,
        function: &Function,
        tally: &mut Tally,
        saboteur: Option<&dyn Saboteur>,
    ) -> Result<Code, CompileError> {
        let mut judges = Judges {
            target: self.target,
            legalizer: &self.legalizer,
            prover: Some(&mut self.prover),
            rules: &mut self.rules,
            tally,
            saboteur,
            selected: None,
        };
        let mut context =
            Context { target: self.target, options: self.options, legalizer: &self.legalizer, observer: &mut judges };
        pipeline::compile(&mut function.clone(), &mut context)
    }

    /// Runs the code on every input and holds it to the interpreter.
    fn execute(
        &mut self,
        function: &Function,
        code: &Code,
        inputs: &[Input],
        tally: &mut Tally,
        saboteur: Option<&dyn Saboteur>,
    ) {
        let results = inputs::results(function, self.target);
        let interpreter = match Interpreter::new(function, self.target) {
            Ok(interpreter) => interpreter,
            Err(unsupported) => return tally.unsupported(unsupported.feature),
        };
        let _ = (interpreter, results, code, inputs, saboteur);
    }

    /// What the interpreter returns: the size in bits and the value of each result register.
    pub fn interpret(&self, function: &Function, input: &Input) -> Result<Vec<(u32, u64)>, String> {
        let _ = (function, input);
        Err("not written".into())
    }
}
