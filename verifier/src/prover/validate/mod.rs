//! The translation validator for two stages of one function: does the later refine the earlier?
//!
//! It works block by block, without unrolling. Values that are no PHIs are terms over the PHIs, arguments and loads
//! above them: by dominance they mean the last execution of each, which both sides share. PHIs are the cut points. At
//! the entry of a block each PHI of the earlier function stands in a relation to PHIs of the later one: equal, in the
//! low bits of a wider one, or split into several. Memory is equal there too. Each edge must preserve the relation, so
//! a proof of a loop covers any number of iterations. Promoted stack objects are PHIs too (`promote.rs`).
//!
//! Where that fails, or blocks differ, whole ways between cut points are compared (`simulation.rs`).
//!
//! The relations are guessed from the order and the widths of PHIs. Where they are too weak the verdict is `unknown`,
//! which only an execution can turn into `refuted`.

mod block;
mod control;
mod correspondence;
mod cut_points;
mod cut_values;
mod facts;
mod induction;
mod limits;
mod pairing;
mod promote;
mod rename;
mod simulation;
mod straighten;
mod tables;
mod trace;
mod undefined;
mod ways;

use super::depth::deep;
use super::{Counterexample, Verdict, machine_promises};
use cut_points::Relations;
use facts::Fact;
use induction::Validation;
use limits::Limits;
use pairing::{Parts, related};
use promote::Promoted;
use std::time::Duration;
use tribunal_ir::semantics::{Obstacle, Unsupported};
use tribunal_ir::{Block, Function, Inst, Opcode, VReg};
use tribunal_target::Target;
use tribunal_target::environment::MemoryFunction;

/// The same function before and after.
#[derive(Clone, Copy)]
pub struct Pair<'f> {
    /// The function before.
    pub before: &'f Function,
    /// The function after, with the same arguments and results.
    pub after: &'f Function,
}

/// The meaning of `G_IMPLICIT_DEF`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undef {
    /// Each use is a choice of its own, as LLVM's passes take it.
    PerUse,
    /// One value, which every use sees, as this backend compiles it.
    OneValue,
}

/// The outcome of a validation.
#[derive(Debug)]
pub struct Validated {
    /// The verdict, with the block that it fails at in words.
    pub verdict: Verdict,
    /// Blocks proved.
    pub blocks: u64,
    /// The difference that the block shows where the proof fails, if the solver found one.
    pub gap: Option<ProofGap>,
}

/// A difference that refutes nothing, since the relations may be too weak.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofGap {
    /// What differs.
    pub kind: GapKind,
    /// The values that the solver proposed: arguments, PHIs of the earlier function, and memory.
    pub proposed: Counterexample,
}

/// The kind of a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapKind {
    /// Values differ.
    Values,
    /// Poison, or undefined behaviour: promises of the later instructions may be the cause.
    Definedness,
}

impl Validated {
    fn without_gap(verdict: Verdict, blocks: u64) -> Validated {
        Validated { verdict, blocks, gap: None }
    }

    /// The same, where more was left to try when a limit was reached.
    fn and_reached(self, limit: String) -> Validated {
        let verdict = match self.verdict {
            Verdict::Unknown(reason) => Verdict::Unknown(format!("{limit}, and before it {reason}")),
            verdict => verdict,
        };
        Validated { verdict, ..self }
    }

    fn is_proved(&self) -> bool {
        matches!(self.verdict, Verdict::Proved { .. })
    }
}

/// The bits above an any-extension of the earlier block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extensions {
    /// Those of the later block's extension at the same place in order, if it has as many.
    InOrder,
    /// As each output shows them.
    Apart,
}

/// State shared by all attempts at one function.
#[derive(Clone, Copy)]
struct Setting<'f> {
    target: &'f Target,
    pair: Pair<'f>,
    /// Registers without a definition: the contents of promoted stack objects on entry.
    contents: &'f [VReg],
    undef: Undef,
    /// Memory functions of few bytes are loads and stores.
    expands: bool,
    extensions: Extensions,
    limits: Limits,
}

impl<'f> Setting<'f> {
    /// That of the first attempt at a pair, with the contents of its promoted objects on entry.
    fn new(target: &'f Target, (pair, contents): (Pair<'f>, &'f [VReg]), undef: Undef, limits: Limits) -> Setting<'f> {
        Setting { target, pair, contents, undef, expands: false, extensions: Extensions::InOrder, limits }
    }
}

/// Judges the pair within `time` of its thread and of the solver.
pub fn validate(target: &Target, pair: Pair<'_>, undef: Undef, time: Duration) -> Validated {
    if pair.before.layout().is_empty() || pair.after.layout().is_empty() {
        return Validated::without_gap(Verdict::Unknown("vacuous: a function without blocks".to_string()), 0);
    }
    // Before promotion, which replaces accesses that have flags.
    if !machine_promises::untracked_are_kept(target, pair) {
        let verdict = Verdict::Unknown("a flag that is not the earlier one's".to_string());
        return Validated::without_gap(verdict, 0);
    }
    let verdict = match deep(|| promoted(target, pair, undef, time)) {
        Ok(validated) => return validated,
        Err(Unsupported { feature, obstacle: Obstacle::Different }) => Verdict::Unknown(feature),
        Err(Unsupported { feature, obstacle: Obstacle::Undefined }) => Verdict::Unsupported(feature),
    };
    Validated::without_gap(verdict, 0)
}

fn promoted(target: &Target, pair: Pair<'_>, undef: Undef, time: Duration) -> Result<Validated, Unsupported> {
    let limits = Limits::start(time);
    let (before, after) = (rename::in_ssa_form(pair.before)?, rename::in_ssa_form(pair.after)?);
    let pair = Pair { before: &before, after: &after };
    let first = by_blocks(target, pair, undef, limits);
    let is_one_block = [pair.before, pair.after].iter().all(|function| function.layout().len() == 1);
    if is_proved(&first) || is_one_block || limits.reached().is_some() {
        return first;
    }
    let second = match promote::apart(target.vocabulary, pair) {
        None => simulation::simulate(Setting::new(target, (pair, &[]), undef, limits)),
        Some(Promoted { before, after, contents }) => simulation::simulate(Setting::new(
            target,
            (Pair { before: &before, after: &after }, &contents),
            undef,
            limits,
        )),
    };
    if is_proved(&second) || pairing::blocks(pair).is_err() { second } else { first }
}

/// Judges a pair block by block.
fn by_blocks(target: &Target, pair: Pair<'_>, undef: Undef, limits: Limits) -> Result<Validated, Unsupported> {
    let straight;
    let mut pair = pair;
    if pairing::blocks(pair).is_err() {
        straight = [pair.before, pair.after].map(|function| straighten::straightened(function, target.vocabulary));
        pair = Pair { before: &straight[0], after: &straight[1] };
    }
    match promote::promote(target.vocabulary, pair) {
        None => expansions(Setting::new(target, (pair, &[]), undef, limits)),
        Some(Promoted { before, after, contents }) => {
            expansions(Setting::new(target, (Pair { before: &before, after: &after }, &contents), undef, limits))
        }
    }
}

/// Takes memory functions as effects, and if that does not suffice, as the loads and stores that they are.
fn expansions(setting: Setting<'_>) -> Result<Validated, Unsupported> {
    let first = guesses(setting);
    let has_memory_function = |function: &Function| {
        let mut insts = function.all_insts().map(|inst| function.inst(inst));
        insts.any(|data| MemoryFunction::of_opcode(data.opcode).is_some())
    };
    if is_proved(&first) || !has_memory_function(setting.pair.before) {
        return first;
    }
    // The second reason says more, where the later function has no memory functions.
    let second = guesses(Setting { expands: true, ..setting });
    if second.is_ok() { second } else { first }
}

fn is_proved(outcome: &Result<Validated, Unsupported>) -> bool {
    outcome.as_ref().is_ok_and(Validated::is_proved)
}

/// Tries the first pairing of PHIs. If that does not suffice and there is another, that one; and then without taking
/// the bits of any-extensions for each other in their order, since the later function may have exchanged them.
fn guesses(setting: Setting<'_>) -> Result<Validated, Unsupported> {
    let first = attempts(setting, Parts::All);
    if is_proved(&first) {
        return first;
    }
    let pair = setting.pair;
    let mut blocks = pair.before.layout().iter().zip(pair.after.layout());
    let ambiguous = |(&block, &other): (&Block, &Block)| {
        let related = |parts| related(pair, setting.target, (block, other), parts).ok();
        related(Parts::All) != related(Parts::Low)
    };
    if blocks.any(ambiguous) {
        let second = attempts(setting, Parts::Low);
        if is_proved(&second) {
            return second;
        }
    }
    let extends = |function: &Function| function.all_insts().any(|inst| function.inst(inst).opcode == Opcode::G_ANYEXT);
    if extends(pair.before) && extends(pair.after) && setting.limits.reached().is_none() {
        let third = attempts(Setting { extensions: Extensions::Apart, ..setting }, Parts::All);
        if is_proved(&third) {
            return third;
        }
    }
    first
}

/// Attempts until facts bring nothing new: first facts about the PHIs that the failed obligation mentions, then about
/// all PHIs, since those may depend on others.
fn attempts(setting: Setting<'_>, parts: Parts) -> Result<Validated, Unsupported> {
    let mut facts = Vec::new();
    let mut asked = Vec::new();
    let all = phis(setting.pair.before);
    let mut asked_all = false;
    let mut outcome = attempt(setting, parts, &facts)?;
    loop {
        let mut new: Vec<Inst> = outcome.about.iter().copied().filter(|phi| !asked.contains(phi)).collect();
        if new.is_empty() || asked.len() > MOST_PHIS {
            if outcome.about.is_empty() || asked_all || all.len() > MOST_PHIS {
                return Ok(outcome.validated);
            }
            asked_all = true;
            new.clone_from(&all);
        }
        let known = facts.len();
        facts = Validation::new(setting, parts)?.invariants(&facts, &new)?;
        asked.extend(new);
        if let Some(limit) = setting.limits.reached() {
            return Ok(outcome.validated.and_reached(limit));
        }
        if facts.len() > known {
            outcome = attempt(setting, parts, &facts)?;
        }
    }
}

/// PHIs about which facts are looked for, at most.
const MOST_PHIS: usize = 16;

fn phis(function: &Function) -> Vec<Inst> {
    let insts = function.all_insts();
    insts.filter(|&inst| function.inst(inst).opcode.is_phi()).collect()
}

/// The outcome of an attempt.
struct Outcome {
    validated: Validated,
    /// PHIs of the earlier function that the failed block's obligation mentions.
    about: Vec<Inst>,
}

/// One attempt, with these facts about the earlier function.
fn attempt(setting: Setting<'_>, parts: Parts, facts: &[Fact]) -> Result<Outcome, Unsupported> {
    let mut relations = Relations::default();
    loop {
        let mut validation = Validation::new(setting, parts)?;
        validation.relations = std::mem::take(&mut relations);
        validation.facts = facts.to_vec();
        let sides = validation.evaluate()?;
        match validation.weakened(&sides)? {
            Some(weaker) => relations = weaker,
            None => return validation.decide(sides),
        }
    }
}

/// A failure of one block's obligation: relations that were guessed may be too weak for it, so it refutes nothing yet.
fn unproved(block: &str, verdict: Verdict) -> (Verdict, Option<ProofGap>) {
    match verdict {
        Verdict::Refuted(counterexample) => {
            let value = |(bits, poison): super::Shown| match poison {
                true => "poison".to_string(),
                false => format!("{bits:#x}"),
            };
            let is_wrong = |before: super::Shown, after: super::Shown| !before.1 && before != after;
            let wrong: Vec<_> =
                counterexample.outputs.iter().filter(|(_, before, after)| is_wrong(*before, *after)).collect();
            let is_poison = wrong.iter().any(|(_, _, after)| after.1);
            let kind = if wrong.is_empty() || is_poison { GapKind::Definedness } else { GapKind::Values };
            let mut shown: Vec<String> = wrong
                .iter()
                .map(|(name, before, after)| format!("{name} {} before, {} after", value(*before), value(*after)))
                .collect();
            if shown.is_empty() {
                shown.push("undefined behaviour".to_string());
            }
            let reason = format!("{block} is not shown: {}", shown.join("; "));
            (Verdict::Unknown(reason), Some(ProofGap { kind, proposed: counterexample }))
        }
        Verdict::Unknown(reason) => (Verdict::Unknown(format!("{block}: {reason}")), None),
        other => (other, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_keeps_the_reason_and_the_counterexample_that_came_before_it() {
        let nothing = || Counterexample {
            inputs: Vec::new(),
            physical: Vec::new(),
            edge: None,
            memory: Vec::new(),
            outputs: Vec::new(),
        };
        let (verdict, gap) = unproved("bb.7", Verdict::Refuted(nothing()));
        let Validated { verdict, blocks, gap } = Validated { verdict, blocks: 3, gap }.and_reached("the limit".into());
        let reason = "the limit, and before it bb.7 is not shown: undefined behaviour";
        assert_eq!((verdict, blocks), (Verdict::Unknown(reason.to_string()), 3));
        assert_eq!(gap, Some(ProofGap { kind: GapKind::Definedness, proposed: nothing() }));
    }
}
