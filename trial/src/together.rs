//! The functions of a module together: each that calls others of the module runs with them, in the interpreter and as
//! bytes. [`crate::harness`] judges each function by itself, where a callee may do anything; here calls are executed.
//!
//! Invariant: these runs only add. A module that cannot run together has the verdicts that its functions have.

use crate::blame::{self, Replay, RunModule};
use crate::execution::{FIRST_REPAIRS, InputRun, SETTINGS, broken_object, judged};
use crate::finding::{Finding, Judge, Tally};
use crate::harness::Harness;
use crate::image::{ModuleImage, loaded_together};
use crate::inputs::{self, Plan};
use crate::judges::WrongRun;
use crate::kind::FindingKind;
use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{CompileError, Context, Observer};
use tribunal_emulator::input::Input;
use tribunal_emulator::interpreter::{Interpreter, reached};
use tribunal_ir::Function;

/// The functions of a module, each with its code or the reason why it has none.
struct Compiled<'m> {
    functions: &'m [&'m Function],
    codes: Vec<Result<Code, String>>,
}

impl<'m> Compiled<'m> {
    fn code(&self, function: &Function) -> Result<&Code, String> {
        let place = self.functions.iter().position(|known| std::ptr::eq(*known, function));
        let code = place.and_then(|place| self.codes.get(place)).map(Result::as_ref);
        code.unwrap_or(Err(&String::new())).map_err(Clone::clone)
    }
}

/// The functions that run together if `function` runs, itself first; `None` if it calls none of the module.
pub fn with_callees<'m>(function: &'m Function, module: &[&'m Function]) -> Option<Vec<&'m Function>> {
    let mut together = vec![function];
    together.extend(reached(function, module));
    let is_own = |base| function.symbol_name(base).is_some_and(|name| name == function.name);
    let calls_itself = function.addresses.values().any(|address| is_own(address.base));
    (together.len() > 1 || calls_itself).then_some(together)
}

impl Harness {
    /// Runs every function of a module that calls others of it, on inputs made by `plan`. The tally has executions and
    /// findings alone. `saboteur` plants the same faults whenever a function is compiled.
    pub fn trial_together(&mut self, module: &[&Function], plan: Plan, saboteur: &mut dyn Observer) -> Tally {
        self.trial_together_on(module, None, plan, saboteur)
    }

    /// The same, with one input more for the first function.
    pub fn trial_together_on(
        &mut self,
        module: &[&Function],
        chosen: Option<&Input>,
        plan: Plan,
        saboteur: &mut dyn Observer,
    ) -> Tally {
        let is_first = |function: &Function| module.first().is_some_and(|first| std::ptr::eq(*first, function));
        let mut inputs = |functions: &[&Function], harness: &Harness| {
            let chosen = chosen.filter(|_| is_first(functions[0]));
            let mut inputs: Vec<Input> = chosen.into_iter().cloned().collect();
            inputs.extend(inputs::inputs_together(functions, harness.target(), plan));
            inputs
        };
        let tally = self.guarded(|harness| harness.together(module, saboteur, &mut inputs));
        tally.unwrap_or_else(|panic| Tally { functions: 0, ..Tally::of_panic(panic) })
    }

    /// Reproduces a finding about the first function of a module, on its input.
    pub fn reproduce_together(
        &mut self,
        module: &[&Function],
        known: &Finding,
        saboteur: &mut dyn Observer,
    ) -> Option<Finding> {
        let input = known.input.clone()?;
        let first = *module.first()?;
        let found = self.guarded(|harness| {
            harness.together(module, saboteur, &mut |functions, _| match std::ptr::eq(functions[0], first) {
                true => vec![input.clone()],
                false => Vec::new(),
            })
        });
        found.ok()?.findings.into_iter().find(|finding| finding.is_same_fault(known))
    }

    fn together(
        &mut self,
        module: &[&Function],
        saboteur: &mut dyn Observer,
        inputs: &mut dyn FnMut(&[&Function], &Harness) -> Vec<Input>,
    ) -> Tally {
        let mut tally = Tally::default();
        let roots: Vec<Vec<&Function>> = module.iter().filter_map(|function| with_callees(function, module)).collect();
        if roots.is_empty() {
            return tally;
        }
        let codes = module.iter().map(|function| self.compiled(function, saboteur)).collect();
        let compiled = Compiled { functions: module, codes };
        for functions in &roots {
            let inputs = inputs(functions, self);
            match self.run_together(functions, &compiled, &inputs, &mut tally) {
                Ok(None) => {}
                Ok(Some(wrong)) => tally.findings.push(self.blamed_together(functions, wrong, saboteur)),
                Err(feature) => tally.unsupported(feature),
            }
        }
        tally
    }

    fn compiled(&self, function: &Function, saboteur: &mut dyn Observer) -> Result<Code, String> {
        let (target, options, legalizer) = (self.bench.target, self.bench.options, self.bench.legalizer);
        let mut context = Context { target, options, legalizer, observer: saboteur };
        pipeline::compile(&mut function.clone(), &mut context).map_err(|error| match error {
            CompileError::Unsupported { pass, feature, .. } => format!("{pass}: {feature}"),
            internal => internal.to_string(),
        })
    }

    /// The first wrong run of these functions, of which the first runs; else the reason why they do not run.
    fn run_together(
        &mut self,
        functions: &[&Function],
        compiled: &Compiled<'_>,
        inputs: &[Input],
        tally: &mut Tally,
    ) -> Result<Option<WrongRun>, String> {
        let target = self.bench.target;
        let mut parts = Vec::with_capacity(functions.len());
        for &function in functions {
            parts.push((function, compiled.code(function)?));
        }
        let object = match loaded_together(&parts, target) {
            Ok(object) => object,
            Err(error) if error.is_unsupported() => return Err(error.to_string()),
            Err(error) => {
                tally.findings.push(broken_object(&error));
                return Ok(None);
            }
        };
        let all: Vec<u8> = parts.iter().flat_map(|(_, code)| code.bytes.iter().copied()).collect();
        let is_strict = functions.iter().any(|function| function.is_strict());
        let machine = self.bench.machine_for(&all, is_strict).map_err(|error| error.to_string())?;
        let records = functions.iter().any(|function| function.has_volatile_accesses());
        let loaded = machine.watch_alignment(true).and_then(|()| machine.record_accesses(records));
        let load = |()| match &object {
            Some((object, sites)) => machine.load_linked(&object.unlinked(), sites),
            None => {
                let image = ModuleImage::new(&parts, target);
                machine.load_linked(&image.unlinked(), &image.call_sites())
            }
        };
        loaded.and_then(load).map_err(|error| error.to_string())?;
        let interpreter = Interpreter::in_module(functions[0], target, functions);
        let results = inputs::shown(functions[0], target);
        let mut repairs = FIRST_REPAIRS;
        for input in inputs {
            let run = interpreter.run(input, SETTINGS);
            match judged(&interpreter, &mut self.bench.machine, input, run, &results, &mut repairs)? {
                InputRun::Right => tally.executions += 1,
                InputRun::Inconclusive(reason) => tally.inconclusive(reason),
                InputRun::Wrong(wrong) => {
                    tally.executions += 1;
                    return Ok(Some(wrong));
                }
            }
        }
        Ok(None)
    }

    /// The finding of a wrong run, with the rule or pass to blame: of the first function whose stages are not right.
    fn blamed_together(&self, functions: &[&Function], wrong: WrongRun, saboteur: &mut dyn Observer) -> Finding {
        let WrongRun { input, kind, details } = wrong;
        let (target, options) = (self.bench.target, self.bench.options);
        let mut blamed = None;
        for (place, &function) in functions.iter().enumerate() {
            let mut case = Replay { function, target, options, saboteur: &mut *saboteur };
            let blame = blame::guilty_in(&mut case, RunModule { functions, place }, &input, kind);
            if blame.guilty != UNBLAMED {
                blamed = Some((blame, function));
                break;
            }
        }
        let (guilty, explanation) = match blamed {
            Some((blame, function)) => (blame.guilty, format!("in @{}: {}", function.name, blame.explanation)),
            None => {
                (UNBLAMED.to_string(), "each function agrees with its source up to the layout of frames".to_string())
            }
        };
        let names: Vec<String> = functions.iter().map(|function| format!("@{}", function.name)).collect();
        let details = format!("{} together: {details}\n{explanation}", names.join(", "));
        Finding { judge: Judge::Emulator, kind: FindingKind::Run(kind), guilty, details, input: Some(input) }
    }
}

/// The pass that is blamed where no stage is wrong.
const UNBLAMED: &str = "emit";
