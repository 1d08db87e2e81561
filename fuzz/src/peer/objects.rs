//! Objects of the other compiler: the functions of a batch are one file and one process, and each runs by itself.
//!
//! A function whose run is wrong is blamed on the first stage whose interpretation differs from the source's on the
//! same input. A function that a stage is already refuted on is no second finding.

use super::backend::PeerMode;
use super::batch::Staged;
use super::families::{PeerFault, Symptom};
use super::run::{RunFailure, Runner, module_of};
use super::{Shared, summary};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_emulator::input::Input;
use tribunal_ir::{Function, Module, text};
use tribunal_trial::foreign::{self, ObjectBench, ObjectRuns};
use tribunal_trial::inputs::Plan;

/// Inputs on which each function runs.
const INPUTS: Plan = Plan { count: 24, seed: 7 };

/// The stage that is named where no stage that can be interpreted differs.
pub(super) const AFTER_STAGES: &str = "after-instruction-select";

/// The reason where its object is compiled in another way, from IR that is not there.
const GIVEN_UP: &str = "the compiler gave up on it";

/// The runs of objects.
#[derive(Clone, Default, Debug)]
pub struct ObjectTally {
    /// Functions that ran on at least one conclusive input.
    pub functions: u64,
    /// Conclusive inputs.
    pub executions: u64,
    /// Inputs on which the source promises nothing.
    pub inconclusive: u64,
    /// Functions of which a run is wrong.
    pub wrong: u64,
    /// Functions that did not run, by reason.
    pub not_run: BTreeMap<String, u64>,
}

/// Runs all functions of this object. Those of which `is_refuted` says so are counted, and are no findings.
pub(super) fn run(
    shared: &Shared<'_>,
    (source, object): (&Module, Result<Vec<u8>, RunFailure>),
    staged: &[Staged],
    mode: PeerMode,
    runner: &Runner<'_>,
    is_refuted: impl Fn(&str) -> bool,
) {
    let mut tally = ObjectTally::default();
    let object = match object {
        Ok(object) => object,
        Err(failure) => {
            let reason = format!("functions that fail together: {}", failure.family());
            tally.not_run.insert(reason, source.functions.len() as u64);
            return shared.outcome().objects.add(tally);
        }
    };
    let is_last = staged.len() == runner.backend.stages(mode).len();
    let given_up = given_up(source, staged.last().filter(|_| is_last).map(|staged| &staged.module));
    let mut bench = ObjectBench::new(mode.target, mode.features);
    for function in &source.functions {
        if given_up.contains(&function.name) {
            *tally.not_run.entry(GIVEN_UP.to_string()).or_default() += 1;
            continue;
        }
        match bench.run(&object, function, INPUTS) {
            ObjectRuns::Right { executions, inconclusive } => {
                tally.functions += 1;
                tally.executions += executions;
                tally.inconclusive += inconclusive.values().sum::<u64>();
            }
            ObjectRuns::NotRun(reason) => *tally.not_run.entry(family(&reason)).or_default() += 1,
            ObjectRuns::Wrong { input, kind, details } => {
                tally.functions += 1;
                tally.wrong += 1;
                if !is_refuted(&function.name) {
                    let stage = guilty_staged(staged, function, mode, &input);
                    let symptom = Symptom::Execution { kind, difference: details, input };
                    shared.found(runner, function, PeerFault { mode, before: None, stage, symptom });
                }
            }
        }
    }
    shared.outcome().objects.add(tally);
}

impl ObjectTally {
    fn add(&mut self, other: ObjectTally) {
        self.functions += other.functions;
        self.executions += other.executions;
        self.inconclusive += other.inconclusive;
        self.wrong += other.wrong;
        other.not_run.into_iter().for_each(|(reason, count)| *self.not_run.entry(reason).or_default() += count);
    }
}

/// A reason without places. The number of a relocation stays.
fn family(reason: &str) -> String {
    match reason.strip_prefix("a relocation of kind ").and_then(|rest| rest.split(' ').next()) {
        Some(number) => format!("a relocation of kind {number}"),
        None => summary(reason),
    }
}

/// The functions that the compiler gave up on, or did not compile, at its last stage.
fn given_up(source: &Module, last: Option<&Module>) -> BTreeSet<String> {
    let done = last.iter().flat_map(|module| &module.functions).filter(|function| function.gave_up().is_none());
    let done: BTreeSet<&str> = done.map(|function| function.name.as_str()).collect();
    // A function that this project does not read may have been given up too.
    let names = source.functions.iter().map(|function| function.name.clone());
    names.filter(|name| !done.contains(name.as_str())).collect()
}

/// The object of a module, and the functions in it that the compiler gave up on.
pub(super) struct CompiledObject {
    object: Vec<u8>,
    given_up: BTreeSet<String>,
    mode: PeerMode,
}

impl CompiledObject {
    /// `None` of a compiler that writes none.
    pub fn of(
        runner: &Runner<'_>,
        source: &Module,
        mode: PeerMode,
        argument: Option<&str>,
    ) -> Result<Option<CompiledObject>, RunFailure> {
        let Some(object) = runner.object(source, mode, argument).transpose()? else { return Ok(None) };
        let last = runner.backend.stages(mode).last().and_then(|last| runner.compiled(source, mode, last).ok());
        let last = last.and_then(|text| text::parse_module(&text, mode.target.vocabulary).ok());
        Ok(Some(CompiledObject { object, given_up: given_up(source, last.as_ref()), mode }))
    }

    /// The symptom of this function of the module, if its run is wrong.
    pub fn wrong(&self, function: &Function) -> Option<Symptom> {
        if self.given_up.contains(&function.name) {
            return None;
        }
        match ObjectBench::new(self.mode.target, self.mode.features).run(&self.object, function, INPUTS) {
            ObjectRuns::Wrong { input, kind, details } => Some(Symptom::Execution { kind, difference: details, input }),
            ObjectRuns::Right { .. } | ObjectRuns::NotRun(_) => None,
        }
    }
}

/// The first stage that is wrong on this input, by interpretation, of a batch that was compiled.
fn guilty_staged(staged: &[Staged], function: &Function, mode: PeerMode, input: &Input) -> &'static str {
    let own = |staged: &Staged| staged.module.functions.iter().find(|own| own.name == function.name).cloned();
    let stages: Vec<Function> = staged.iter().map_while(own).collect();
    let wrong = foreign::first_wrong(function, &stages, mode.target, input);
    wrong.and_then(|index| staged.get(index)).map_or(AFTER_STAGES, |staged| staged.name)
}

/// The same of this function alone.
pub(super) fn guilty_stage(runner: &Runner<'_>, function: &Function, mode: PeerMode, input: &Input) -> &'static str {
    let source = module_of(vec![function.clone()]);
    let stage = |name: &&'static str| {
        let text = runner.compiled(&source, mode, name).ok()?;
        Some(Staged { name, module: text::parse_module(&text, mode.target.vocabulary).ok()? })
    };
    let staged: Vec<Staged> = runner.backend.stages(mode).iter().map_while(stage).collect();
    guilty_staged(&staged, function, mode, input)
}
