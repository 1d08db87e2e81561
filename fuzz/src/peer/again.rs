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

/// What a file of several functions says about them.
enum Together {
    /// The first that shows the fault.
    First(usize),
    /// None does.
    None,
    /// The compiler fails on one, which it may name. Where the fault is such a failure those before it do not show it.
    Fails { named: Option<usize>, is_fault: bool },
}

impl SameFault<'_> {
    fn first_of(&self, functions: &[Function]) -> Option<usize> {
        let shows = |function: &Function| again(self.runner, function, self.fault).is_some();
        if let [one] = functions {
            return shows(one).then_some(0);
        }
        match self.together(functions) {
            Together::First(place) => Some(place),
            Together::None => None,
            Together::Fails { named: Some(place), is_fault: true } => match shows(&functions[place]) {
                true => Some(place),
                false => Some(place + 1 + self.first_of(&functions[place + 1..])?),
            },
            Together::Fails { named: Some(place), is_fault: false } => {
                let others = [&functions[..place], &functions[place + 1..]].concat();
                self.first_of(&others).map(|found| found + usize::from(found >= place))
            }
            Together::Fails { named: None, .. } => {
                let (first, second) = functions.split_at(functions.len() / 2);
                self.first_of(first).or_else(|| Some(first.len() + self.first_of(second)?))
            }
        }
    }

    fn together(&self, functions: &[Function]) -> Together {
        let PeerFault { mode, before, stage, symptom } = self.fault;
        if functions.is_empty() {
            return Together::None;
        }
        let source = module_of(functions.to_vec());
        let fails = |failure: &RunFailure, is_fault| {
            let named = functions.iter().position(|function| failure.hint.as_deref() == Some(function.name.as_str()));
            Together::Fails { named, is_fault }
        };
        let of_failure = |made: Result<(), RunFailure>| match made {
            Ok(()) => Together::None,
            Err(failure) => fails(&failure, true),
        };
        let first = |shows: &dyn Fn(&Function) -> bool| {
            functions.iter().position(shows).map_or(Together::None, Together::First)
        };
        let read = |stage| self.runner.compiled(&source, *mode, stage).map(|text| parsed(&text, *mode));
        match symptom {
            Symptom::Failed(RunFailure { kind: FailureKind::Unreadable, .. }) => {
                match self.runner.compiled(&source, *mode, stage) {
                    Ok(text) => of_failure(self.runner.reads_again(&text, *mode)),
                    Err(failure) => fails(&failure, false),
                }
            }
            Symptom::Failed(_) if *stage == objects::AFTER_STAGES => {
                let made = self.runner.object(&source, *mode, None);
                of_failure(made.map_or(Ok(()), |made| made.map(drop)))
            }
            Symptom::Failed(_) => of_failure(self.runner.compiled(&source, *mode, stage).map(drop)),
            Symptom::Execution { .. } => match CompiledObject::of(self.runner, &source, *mode, None) {
                Ok(Some(object)) => {
                    first(&|function| object.wrong(function).is_some_and(|found| found.is_like(symptom)))
                }
                Ok(None) => Together::None,
                Err(failure) => fails(&failure, false),
            },
            Symptom::Broken(_) | Symptom::Miscompiled { .. } => {
                let earlier = match (symptom, before) {
                    (Symptom::Miscompiled { .. }, Some(before)) => read(before),
                    _ => Ok(Some(source.clone())),
                };
                match (earlier, read(stage)) {
                    (Ok(Some(earlier)), Ok(Some(after))) => first(&|function| {
                        let [earlier, after] = [&earlier, &after].map(|module| alone(module, &function.name));
                        symptom_of([&earlier, &after], self.fault).is_some()
                    }),
                    (Err(failure), _) | (_, Err(failure)) => fails(&failure, false),
                    _ => Together::Fails { named: None, is_fault: false },
                }
            }
        }
    }
}

/// The module with this function alone.
fn alone(module: &Module, name: &str) -> Module {
    let functions = module.functions.iter().filter(|function| function.name == name).cloned().collect();
    Module { ir: module.ir.clone(), functions, ..Module::default() }
}

/// The symptom of the fault in a stage that is read, given the one before.
fn symptom_of([earlier, after]: [&Module; 2], PeerFault { mode, symptom, .. }: &PeerFault) -> Option<Symptom> {
    let found = match symptom {
        Symptom::Broken(_) => Symptom::Broken(broken_rule(after.functions.first()?, *mode)?),
        _ => {
            let judged = validate::validate(earlier, after, mode.target, setting());
            judged.iter().find_map(Symptom::of_verdict)?
        }
    };
    found.is_like(symptom).then_some(found)
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
    let PeerFault { mode, before, stage, symptom } = fault;
    let source = module_of(vec![function.clone()]);
    let found = match symptom {
        Symptom::Failed(RunFailure { kind: FailureKind::Unreadable, .. }) => {
            Symptom::Failed(unreadable(runner, function, (*mode, stage))?)
        }
        Symptom::Execution { .. } => CompiledObject::of(runner, &source, *mode, argument).ok()??.wrong(function)?,
        Symptom::Failed(_) if *stage == objects::AFTER_STAGES => {
            Symptom::Failed(runner.object(&source, *mode, argument)?.err()?)
        }
        Symptom::Failed(_) => Symptom::Failed(runner.compiled_with(&source, *mode, stage, argument).err()?),
        Symptom::Broken(_) | Symptom::Miscompiled { .. } => {
            let earlier = match (symptom, before) {
                (Symptom::Miscompiled { .. }, Some(before)) => read(runner, &source, *mode, before, argument)?,
                _ => source.clone(),
            };
            return symptom_of([&earlier, &read(runner, &source, *mode, stage, argument)?], fault);
        }
    };
    found.is_like(symptom).then_some(found)
}

/// The module after a stage, if the compiler comes so far and it is read.
pub(super) fn read(
    runner: &Runner<'_>,
    source: &Module,
    mode: PeerMode,
    stage: &str,
    argument: Option<&str>,
) -> Option<Module> {
    parsed(&runner.compiled_with(source, mode, stage, argument).ok()?, mode)
}

fn parsed(text: &str, mode: PeerMode) -> Option<Module> {
    text::parse_module(text, mode.target.vocabulary).ok()
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
