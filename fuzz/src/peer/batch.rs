//! One batch through all stages: each is compiled by one process, judged against the one before, and kept for the blame
//! of objects.
//!
//! A function on which the compiler fails is a finding, and leaves the batch. One whose text this project cannot read
//! is unsupported from there on, and the others go on.

use super::again;
use super::families::{PeerFault, Symptom};
use super::objects;
use super::run::{RunFailure, Runner, function_at, module_of};
use super::{PeerMode, Shared, StageTally, setting, summary};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
    // What cannot be read after one stage seldom can after the next.
    let mut unread = BTreeSet::new();
    for (place, &stage) in names.iter().enumerate() {
        let Some(text) = compiled(shared, runner, &mut source, (mode, stage), place == 0) else { break };
        let (module, unreadable) = readable(shared, &text, (mode, stage));
        let is_drawn = drawn.is_none_or(|drawn| drawn % names.len() as u64 == place as u64);
        if is_drawn || !unreadable.is_subset(&unread) {
            let text = unread.iter().fold(text, |text, name| without_function(&text, name).unwrap_or(text));
            read_again(shared, runner, &source, &text, (mode, stage));
        }
        unread.extend(unreadable);
        let earlier = staged.last().map_or(&source, |staged| &staged.module);
        let step = (mode, staged.last().map(|staged| staged.name), stage);
        refuted.extend(judge(shared, runner, [earlier, &module], &source, step));
        staged.push(Staged { name: stage, module });
    }
    shared.outcome().functions += source.functions.len() as u64;
    let Some(object) = compiled_object(shared, runner, &mut source, mode) else { return };
    objects::run(shared, (&source, object), &staged, mode, runner, |name| refuted.contains(name));
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

/// The object of the batch; `None` of a compiler that writes none. Functions of which it makes no object, though they
/// go through all stages, are findings, and leave the batch.
fn compiled_object(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    source: &mut Module,
    mode: PeerMode,
) -> Option<Result<Vec<u8>, RunFailure>> {
    let failure = match runner.object(source, mode, None)? {
        Ok(object) => return Some(Ok(object)),
        Err(failure) => failure,
    };
    let fails =
        |runner: &Runner<'_>, module: &Module| runner.object(module, mode, None).map_or(Ok(()), |made| made.map(drop));
    for (function, failure) in runner.take_failing(source, failure, &fails) {
        // A stage that fails is the one to blame.
        let fails = |stage: &&&'static str| runner.compiled(&module_of(vec![function.clone()]), mode, stage).is_err();
        let stage = shared.backend.stages(mode).iter().find(fails).copied().unwrap_or(objects::AFTER_STAGES);
        shared.found(runner, &function, PeerFault { mode, before: None, stage, symptom: Symptom::Failed(failure) });
    }
    runner.object(source, mode, None)
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

/// The functions of a stage that this project reads, and the names of the others. The report counts their reasons.
fn readable(shared: &Shared<'_>, text: &str, (mode, stage): (PeerMode, &str)) -> (Module, BTreeSet<String>) {
    let mut text = text.to_string();
    let mut unread = BTreeSet::new();
    loop {
        let error = match text::parse_module(&text, mode.target.vocabulary) {
            Ok(module) => return (module, unread),
            Err(error) => error,
        };
        let reason = format!("{stage}: unsupported: text that is not read: {}", summary(&error.message));
        *shared.outcome().open.entry(reason).or_default() += 1;
        let name = function_at(&text, error.line).unwrap_or_default();
        let shorter = without_function(&text, &name);
        unread.insert(name);
        let Some(shorter) = shorter else { return (Module::default(), unread) };
        text = shorter;
    }
}

/// The text without the document of this function.
fn without_function(text: &str, name: &str) -> Option<String> {
    let document = document_of(text, name)?;
    Some([&text[..document.start], &text[document.end..]].concat())
}

/// The text without the documents of functions up to this one. What stands before the first of them stays.
fn after_function(text: &str, name: &str) -> Option<String> {
    let document = document_of(text, name)?;
    let (first, _) = lines_of(text).find(|(_, line)| line.starts_with("name:"))?;
    let start = lines_of(&text[..first]).filter(|(_, line)| line.starts_with("---")).last()?.0;
    Some([&text[..start], &text[document.end..]].concat())
}

/// The bytes of the document of this function.
fn document_of(text: &str, name: &str) -> Option<Range<usize>> {
    let is_own = |line: &str| line.strip_prefix("name:").is_some_and(|own| own.trim() == name);
    let (named, _) = lines_of(text).find(|(_, line)| is_own(line))?;
    let starts = || lines_of(text).filter(|(_, line)| line.starts_with("---")).map(|(at, _)| at);
    let start = starts().take_while(|&at| at < named).last()?;
    Some(start..starts().find(|&at| at > named).unwrap_or(text.len()))
}

/// The lines with the bytes before each.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// The compiler must read what it wrote. A function that it does not read leaves the text with those before it, which
/// it did read, and the rest is read again. The first function of each complaint is read alone too: the others of the
/// batch fail as it does.
fn read_again(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    source: &Module,
    text: &str,
    (mode, stage): (PeerMode, &'static str),
) {
    let mut text = text.to_string();
    let mut confirmed = BTreeSet::new();
    while let Err(failure) = runner.reads_again(&text, mode) {
        let rest = failure.hint.as_ref().and_then(|name| Some((after_function(&text, name)?, name)));
        let Some((rest, name)) = rest else { return unreadable_alone(shared, runner, source, (mode, stage)) };
        text = rest;
        let Some(function) = source.functions.iter().find(|function| function.name == *name) else { continue };
        if confirmed.contains(&failure.family()) {
            let symptom = Symptom::Failed(failure);
            shared.found(runner, function, PeerFault { mode, before: None, stage, symptom });
        } else if confirm_unreadable(shared, runner, function, (mode, stage)) {
            confirmed.insert(failure.family());
        }
    }
}

/// Every function of the source, one by one.
fn unreadable_alone(shared: &Shared<'_>, runner: &Runner<'_>, source: &Module, step: (PeerMode, &'static str)) {
    for function in &source.functions {
        confirm_unreadable(shared, runner, function, step);
    }
}

/// Whether the function alone is not read either, which is a finding then.
fn confirm_unreadable(
    shared: &Shared<'_>,
    runner: &Runner<'_>,
    function: &Function,
    (mode, stage): (PeerMode, &'static str),
) -> bool {
    let Some(failure) = again::unreadable(runner, function, (mode, stage)) else { return false };
    shared.found(runner, function, PeerFault { mode, before: None, stage, symptom: Symptom::Failed(failure) });
    true
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
        let Some(rule) = again::broken_rule(function, mode) else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "--- |\n  define void @f() { ret void }\n...\n---\nname: f\n...\n---\nname: g\n...\n---\nname: h\n...\n";

    #[test]
    fn a_function_leaves_the_text_alone_or_with_those_before_it() {
        let kept = |text: Option<String>| {
            let text = text.unwrap_or_default();
            let names = text.lines().filter_map(|line| line.strip_prefix("name: ")).collect::<Vec<_>>().concat();
            (text.starts_with("--- |\n  define"), names)
        };
        assert_eq!(kept(without_function(TEXT, "g")), (true, "fh".to_string()));
        assert_eq!(kept(after_function(TEXT, "g")), (true, "h".to_string()));
        assert_eq!(kept(after_function(TEXT, "h")), (true, String::new()));
        assert_eq!(without_function(TEXT, "i"), None);
        assert_eq!(after_function(TEXT, "i"), None);
    }
}
