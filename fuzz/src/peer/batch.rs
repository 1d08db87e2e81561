//! One batch through all stages: each is compiled by one process, judged against the one before, and kept for the blame
//! of objects.
//!
//! A function on which the compiler fails is a finding, and leaves the batch. One whose text this project cannot read
//! is unsupported from there on, and the others go on.

use super::families::{self, PeerFault, Symptom};
use super::objects;
use super::run::{Runner, function_at, module_of};
use super::{PeerMode, Shared, StageTally, setting, summary};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::{Function, Module, text};
use tribunal_trial::validate::{self, Judged, Kind};

/// The functions of a batch after one stage.
pub(super) struct Staged {
    /// The name of the stage.
    pub name: &'static str,
    /// Those that came so far, and that this project reads.
    pub module: Module,
}

/// A stage of a mode, and the one before; `None` for the source.
type Step = (PeerMode, Option<&'static str>, &'static str);

/// Compiles the batch, judges each stage, and runs its object. A drawn number says which stage the compiler
/// reads again; without one it reads all.
pub(super) fn through_stages(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    mode: PeerMode,
    functions: Vec<Function>,
    drawn: Option<u64>,
) {
    let mut source = module_of(functions);
    let names = shared.backend.stages(mode);
    let (mut staged, mut refuted): (Vec<Staged>, _) = (Vec::new(), BTreeSet::new());
    for (place, &stage) in names.iter().enumerate() {
        let Some(text) = compiled(shared, runner, &mut source, (mode, stage), place == 0) else { break };
        let (module, is_whole) = readable(shared, &text, (mode, stage));
        if !is_whole || drawn.is_none_or(|drawn| drawn % names.len() as u64 == place as u64) {
            read_again(shared, runner, &source, &text, (mode, stage));
        }
        let earlier = staged.last().map_or(&source, |staged| &staged.module);
        let step = (mode, staged.last().map(|staged| staged.name), stage);
        refuted.extend(judge(shared, runner, [earlier, &module], &source, step));
        staged.push(Staged { name: stage, module });
    }
    shared.outcome().functions += source.functions.len() as u64;
    take_uncompiled(shared, runner, &mut source, mode);
    objects::run(shared, runner, &source, &staged, mode, |name| refuted.contains(name));
}

/// The stages of a batch, without a verdict. Functions on which the compiler fails leave it, and nobody counts them.
pub(super) fn compiled_stages(runner: &Runner<'_>, source: &mut Module, mode: PeerMode) -> Vec<Staged> {
    let mut staged = Vec::new();
    for &name in runner.backend.stages(mode) {
        let alone = |runner: &Runner<'_>, module: &Module| runner.compiled(module, mode, name).map(drop);
        if let Err(failure) = alone(runner, source) {
            runner.take_failing(source, failure, &alone);
        }
        let Ok(text) = runner.compiled(source, mode, name) else { break };
        let readable = std::iter::successors(Some(text), |text| {
            let error = text::parse_module(text, mode.target.vocabulary).err()?;
            without_function(text, &function_at(text, error.line)?)
        });
        let Some(text) = readable.last() else { break };
        let Ok(module) = text::parse_module(&text, mode.target.vocabulary) else { break };
        staged.push(Staged { name, module });
    }
    staged
}

/// Takes out the functions of which the compiler makes no object, though it goes through all stages.
fn take_uncompiled(shared: &Shared<'_>, runner: &Runner<'_>, source: &mut Module, mode: PeerMode) {
    let object =
        |runner: &Runner<'_>, module: &Module| runner.object(module, mode, None).map_or(Ok(()), |made| made.map(drop));
    let Err(failure) = object(runner, source) else { return };
    for (function, failure) in runner.take_failing(source, failure, &object) {
        // A stage that fails is the one to blame.
        let fails = |stage: &&&'static str| runner.compiled(&module_of(vec![function.clone()]), mode, stage).is_err();
        let stage = shared.backend.stages(mode).iter().find(fails).copied().unwrap_or(objects::AFTER_STAGES);
        shared.found(runner, &function, PeerFault { mode, before: None, stage, symptom: Symptom::Failed(failure) });
    }
}

/// The module after a stage. Functions on which the compiler fails are findings, and leave the batch; at the first
/// stage those that it does not read leave it before.
fn compiled(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    source: &mut Module,
    (mode, stage): (PeerMode, &'static str),
    is_first: bool,
) -> Option<String> {
    let mut made = runner.compiled(source, mode, stage);
    if is_first && made.is_err() && take_rejected(shared, runner, source, mode) {
        made = runner.compiled(source, mode, stage);
    }
    let Err(failure) = made else { return made.ok() };
    let alone = |runner: &Runner<'_>, module: &Module| runner.compiled(module, mode, stage).map(drop);
    for (function, failure) in runner.take_failing(source, failure, &alone) {
        let fault = PeerFault { mode, before: None, stage, symptom: Symptom::Failed(failure) };
        shared.found(runner, &function, fault);
    }
    let again = runner.compiled(source, mode, stage);
    if let Err(failure) = &again {
        let reason = format!("{stage}: functions that fail together: {}", failure.family());
        *shared.outcome().open.entry(reason).or_default() += source.functions.len() as u64;
    }
    again.ok()
}

/// Takes out the functions that the compiler does not read, and says whether there were any.
fn take_rejected(shared: &Shared<'_>, runner: &Runner<'_>, source: &mut Module, mode: PeerMode) -> bool {
    let Err(failure) = runner.reads(source, mode) else { return false };
    let rejected = runner.take_failing(source, failure, &|runner, module| runner.reads(module, mode));
    let mut outcome = shared.outcome();
    for (_, failure) in &rejected {
        *outcome.rejected.entry(failure.family()).or_default() += 1;
    }
    !rejected.is_empty()
}

/// The functions of a stage that this project reads, and whether these are all. The report counts the others' reasons.
fn readable(shared: &Shared<'_>, text: &str, (mode, stage): (PeerMode, &str)) -> (Module, bool) {
    let mut text = text.to_string();
    let mut is_whole = true;
    loop {
        let error = match text::parse_module(&text, mode.target.vocabulary) {
            Ok(module) => return (module, is_whole),
            Err(error) => error,
        };
        let reason = format!("{stage}: unsupported: text that is not read: {}", summary(&error.message));
        *shared.outcome().open.entry(reason).or_default() += 1;
        let shorter = function_at(&text, error.line).and_then(|name| without_function(&text, &name));
        let Some(shorter) = shorter else { return (Module::default(), false) };
        (text, is_whole) = (shorter, false);
    }
}

/// The text without the document of this function.
fn without_function(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_start = |line: &&str| line.starts_with("---");
    let is_own = |line: &&str| line.strip_prefix("name:").is_some_and(|own| own.trim() == name);
    let named = lines.iter().position(is_own)?;
    let first = lines[..named].iter().rposition(is_start)?;
    let last = lines[named..].iter().position(is_start).map_or(lines.len(), |length| named + length);
    Some(lines[..first].iter().chain(&lines[last..]).copied().collect())
}

/// The compiler must read what it wrote. Each function that it does not read leaves the text, and the rest is read
/// again.
fn read_again(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    source: &Module,
    text: &str,
    (mode, stage): (PeerMode, &'static str),
) {
    let mut text = text.to_string();
    while let Err(failure) = runner.reads_again(&text, mode) {
        let shorter = failure.hint.and_then(|name| Some((without_function(&text, &name)?, name)));
        let Some((shorter, name)) = shorter else { return unreadable_alone(shared, runner, source, (mode, stage)) };
        text = shorter;
        let Some(function) = source.functions.iter().find(|function| function.name == name) else { continue };
        confirm_unreadable(shared, runner, function, (mode, stage));
    }
}

/// Every function of the source, one by one.
fn unreadable_alone(shared: &Shared<'_>, runner: &Runner<'_>, source: &Module, step: (PeerMode, &'static str)) {
    source.functions.iter().for_each(|function| confirm_unreadable(shared, runner, function, step));
}

fn confirm_unreadable(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    function: &Function,
    (mode, stage): (PeerMode, &'static str),
) {
    if let Some(failure) = families::unreadable(runner, function, (mode, stage)) {
        shared.found(runner, function, PeerFault { mode, before: None, stage, symptom: Symptom::Failed(failure) });
    }
}

/// The verdicts on one stage; returns the names of the functions on which it is refuted.
fn judge(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    [before, after]: [&Module; 2],
    source: &Module,
    (mode, earlier, stage): Step,
) -> BTreeSet<String> {
    let own: BTreeMap<&str, &Function> = source.functions.iter().map(|own| (own.name.as_str(), own)).collect();
    let mut refuted = BTreeSet::new();
    let judged = validate::validate(&common(before, after), after, mode.target, setting());
    // Text of the others is not read, of this stage or of the one before.
    let unread = own.len().saturating_sub(judged.len()) as u64;
    let mut tally = StageTally { functions: unread, unsupported: unread, ..StageTally::default() };
    for judged in judged {
        tally.count(&judged.kind);
        count_open(shared, stage, &judged);
        if let (Some(symptom), Some(function)) = (Symptom::of_verdict(&judged), own.get(judged.function.as_str())) {
            shared.found(runner, function, PeerFault { mode, before: earlier, stage, symptom });
            refuted.insert(judged.function);
        }
    }
    for function in &after.functions {
        let Some(rule) = families::broken_rule(function, mode) else { continue };
        if let Some(own) = own.get(function.name.as_str()) {
            let fault = PeerFault { mode, before: earlier, stage, symptom: Symptom::Broken(rule) };
            shared.found(runner, own, fault);
        }
    }
    shared.outcome().stages.entry((mode.target.name, mode.level.flag(), stage)).or_default().add(&tally);
    refuted
}

/// The functions of the earlier stage that are in the later one too: the compiler failed on the others, or they are not
/// read.
fn common(before: &Module, after: &Module) -> Module {
    let names: BTreeSet<&str> = after.entries().map(|entry| entry.name()).collect();
    let mut common = before.clone();
    common.functions.retain(|function| names.contains(function.name.as_str()));
    common.unread.retain(|unread| names.contains(unread.name.as_str()));
    common
}

fn count_open(shared: &Shared<'_>, stage: &str, judged: &Judged) {
    let reason = match &judged.kind {
        Kind::Unknown(reason) => format!("{stage}: unknown: {}", summary(reason)),
        Kind::Unsupported(reason) => format!("{stage}: unsupported: {}", summary(reason)),
        Kind::Proved | Kind::Refuted(_) => return,
    };
    *shared.outcome().open.entry(reason).or_default() += 1;
}
