//! The same fault once more: in a reduced program, with a rule turned off, or in the first of many candidates.
//!
//! Starting the compiler takes longer than all else that a small program needs. So candidates of a reduction are
//! functions of one file and one process; where such a file fails as a whole, its halves are asked.

use super::backend::PeerMode;
use super::families::{PeerFault, Symptom};
use super::objects::{self, CompiledObject};
use super::run::{FailureKind, RunFailure, Runner, module_of};
use super::setting;
use crate::reduce::{Case, Oracle};
use tribunal_ir::{Function, Module, Properties, text};
use tribunal_trial::validate;
use tribunal_verifier::machine_verifier::{self, Rule};

/// Finds candidates that show the same fault.
pub(super) struct SameFault<'f> {
    pub runner: &'f Runner<'f>,
    pub fault: &'f PeerFault,
}

/// Candidates of one file at most.
const AT_ONCE: usize = 32;

impl Oracle for SameFault<'_> {
    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn first(&mut self, candidates: &[Case]) -> Option<usize> {
        let functions = candidates.iter().map(|case| case.functions.first().cloned());
        let mut functions = functions.collect::<Option<Vec<Function>>>()?;
        for (place, function) in functions.iter_mut().enumerate() {
            function.name = format!("f{place}");
        }
        self.first_of(&functions)
    }
}

/// What a file of functions shows of a fault.
enum Seen {
    /// The compiler goes through, which is all that was asked.
    Through,
    /// It fails, or its text is not read. `is_fault` if that is the fault.
    Fails { failure: Option<RunFailure>, is_fault: bool },
    /// Two stages, of which each function is judged by itself.
    Stages { earlier: Module, after: Module },
    /// The object, of which each function runs by itself.
    Object(CompiledObject),
}

/// Compiles the functions in one file, as far as the fault needs it.
fn look(runner: &Runner<'_>, functions: &[Function], fault: &PeerFault, argument: Option<&str>) -> Seen {
    let PeerFault { mode, before, stage, symptom } = fault;
    let source = module_of(functions.to_vec());
    let compiled = |stage| runner.compiled_with(&source, *mode, stage, argument);
    let of_failure = |made: Result<(), RunFailure>| match made {
        Ok(()) => Seen::Through,
        Err(failure) => Seen::Fails { failure: Some(failure), is_fault: true },
    };
    let other = |failure| Seen::Fails { failure, is_fault: false };
    let read = |stage| match compiled(stage) {
        Ok(text) => text::parse_module(&text, mode.target.vocabulary).map_err(|_| None),
        Err(failure) => Err(Some(failure)),
    };
    match symptom {
        Symptom::Failed(RunFailure { kind: FailureKind::Unreadable, .. }) => match compiled(stage) {
            Ok(text) => of_failure(runner.reads_again(&text, *mode)),
            Err(failure) => other(Some(failure)),
        },
        Symptom::Failed(_) if *stage == objects::AFTER_STAGES => {
            of_failure(runner.object(&source, *mode, argument).map_or(Ok(()), |made| made.map(drop)))
        }
        Symptom::Failed(_) => of_failure(compiled(stage).map(drop)),
        Symptom::Execution { .. } => match CompiledObject::of(runner, &source, *mode, argument) {
            Ok(object) => object.map_or(Seen::Through, Seen::Object),
            Err(failure) => other(Some(failure)),
        },
        Symptom::Broken(_) | Symptom::Miscompiled { .. } => {
            let earlier = match (symptom, before) {
                (Symptom::Miscompiled { .. }, Some(before)) => read(before),
                _ => Ok(source.clone()),
            };
            match earlier.and_then(|earlier| Ok((earlier, read(stage)?))) {
                Ok((earlier, after)) => Seen::Stages { earlier, after },
                Err(failure) => other(failure),
            }
        }
    }
}

impl Seen {
    /// The symptom of this function, if it shows the fault. A failure is that of the only one.
    fn symptom(&self, function: &Function, fault: &PeerFault) -> Option<Symptom> {
        let found = match self {
            Seen::Through | Seen::Fails { is_fault: false, .. } => return None,
            Seen::Fails { failure, is_fault: true } => Symptom::Failed(failure.clone()?),
            Seen::Object(object) => object.wrong(function)?,
            Seen::Stages { earlier, after } => {
                let [earlier, after] = [earlier, after].map(|module| alone(module, &function.name));
                match fault.symptom {
                    Symptom::Broken(_) => Symptom::Broken(broken_rule(after.functions.first()?, fault.mode)?),
                    _ => {
                        let judged = validate::validate(&earlier, &after, fault.mode.target, setting());
                        judged.iter().find_map(Symptom::of_verdict)?
                    }
                }
            }
        };
        found.is_like(&fault.symptom).then_some(found)
    }
}

impl SameFault<'_> {
    fn first_of(&self, functions: &[Function]) -> Option<usize> {
        let shows = |function: &Function| again(self.runner, function, self.fault).is_some();
        let (first, second) = match functions {
            [] => return None,
            [one] => return shows(one).then_some(0),
            _ => functions.split_at(functions.len() / 2),
        };
        let seen = look(self.runner, functions, self.fault, None);
        let Seen::Fails { failure, is_fault } = seen else {
            return functions.iter().position(|function| seen.symptom(function, self.fault).is_some());
        };
        let hint = failure.and_then(|failure| failure.hint);
        let named = functions.iter().position(|function| hint.as_ref() == Some(&function.name));
        match named {
            // It went through those before, in the order of the file.
            Some(place) if is_fault => match shows(&functions[place]) {
                true => Some(place),
                false => Some(place + 1 + self.first_of(&functions[place + 1..])?),
            },
            Some(place) => {
                let others = [&functions[..place], &functions[place + 1..]].concat();
                self.first_of(&others).map(|found| found + usize::from(found >= place))
            }
            None => self.first_of(first).or_else(|| Some(first.len() + self.first_of(second)?)),
        }
    }
}

/// The module with this function alone.
fn alone(module: &Module, name: &str) -> Module {
    let functions = module.functions.iter().filter(|function| function.name == name).cloned().collect();
    Module { ir: module.ir.clone(), functions, ..Module::default() }
}

/// The symptom of the same fault in this function, if it shows it.
pub(super) fn again(runner: &Runner<'_>, function: &Function, fault: &PeerFault) -> Option<Symptom> {
    again_with(runner, function, fault, None)
}

/// The same of a compiler with one more argument.
pub(super) fn again_with(
    runner: &Runner<'_>,
    function: &Function,
    fault: &PeerFault,
    argument: Option<&str>,
) -> Option<Symptom> {
    look(runner, std::slice::from_ref(function), fault, argument).symptom(function, fault)
}

/// The module after a stage, if the compiler comes so far and it is read.
pub(super) fn read(
    runner: &Runner<'_>,
    source: &Module,
    mode: PeerMode,
    stage: &str,
    argument: Option<&str>,
) -> Option<Module> {
    text::parse_module(&runner.compiled_with(source, mode, stage, argument).ok()?, mode.target.vocabulary).ok()
}

/// The failure to read again what was written of this function alone.
pub(super) fn unreadable(
    runner: &Runner<'_>,
    function: &Function,
    (mode, stage): (PeerMode, &str),
) -> Option<RunFailure> {
    let text = runner.compiled(&module_of(vec![function.clone()]), mode, stage).ok()?;
    runner.reads_again(&text, mode).err()
}

/// The first rule of the machine verifier that the function breaks. What the compiler gave up on may break any. A type
/// that is missing is missing in the text alone: the compiler does not read that either, which is a finding.
pub(super) fn broken_rule(function: &Function, mode: PeerMode) -> Option<Rule> {
    if function.properties.contains(Properties::FAILED_ISEL) {
        return None;
    }
    let all = mode.target.default_features | mode.target.all_options();
    let rules =
        machine_verifier::verify_foreign(function, mode.target, all).into_iter().map(|violation| violation.rule);
    rules.into_iter().find(|rule| *rule != Rule::TypeMissing)
}
