//! Two stages of one function: does the later refine the earlier?
//!
//! Block by block, without unrolling. Values that are no PHIs are terms over the PHIs, arguments and loads above them: by
//! dominance they mean the last execution of each, which both sides share. PHIs are the cut points: at the entry of a block
//! each PHI of the earlier function stands in a relation to PHIs of the later one (equal, in the low bits of a wider one, or
//! split into several), memory is equal, and this is shown anew for every edge. So a loop is proved for any number of
//! rounds. The relations are guessed from the order and the widths of PHIs; where they are too weak the verdict is
//! `unknown`, which only an execution can turn into `refuted`.

mod block;
mod cut_points;
mod facts;
mod induction;
mod pairing;

use super::{Verdict, opaque};
use cut_points::Held;
use facts::Fact;
use induction::Validation;
use pairing::{Parts, related};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, Function, Inst};
use tribunal_target::Target;

/// The same function before and after.
#[derive(Clone, Copy)]
pub struct Pair<'f> {
    pub before: &'f Function,
    pub after: &'f Function,
}

/// Bytes of address space for the prover's stack; what is not used costs nothing.
const STACK: usize = 1 << 30;

/// The verdict, with the block that it fails at in words, and how many blocks were proved.
pub fn validate(target: &Target, pair: Pair<'_>) -> (Verdict, u64) {
    // Terms are walked by recursion, and those of a large block are deep.
    let run = || guesses(target, pair);
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        thread.ok().and_then(|thread| thread.join().ok())
    });
    let Some(outcome) = outcome else { return (Verdict::Unknown("the prover's thread ended".to_string()), 0) };
    match outcome {
        Ok(outcome) => outcome,
        Err(changed) if changed.feature.starts_with(opaque::CHANGED) => (Verdict::Unknown(changed.feature), 0),
        Err(unsupported) => (Verdict::Unsupported(unsupported.feature), 0),
    }
}

/// The first pairing of PHIs, and if that is not enough and there is another, that one.
fn guesses(target: &Target, pair: Pair<'_>) -> Result<(Verdict, u64), Unsupported> {
    let first = attempts(target, pair, Parts::All);
    let proved = |outcome: &Result<(Verdict, u64), Unsupported>| matches!(outcome, Ok((Verdict::Proved { .. }, _)));
    let mut blocks = pair.before.layout().iter().zip(pair.after.layout());
    let ambiguous = |(&block, &other): (&Block, &Block)| {
        related(pair, block, other, Parts::All).ok() != related(pair, block, other, Parts::Low).ok()
    };
    if proved(&first) || !blocks.any(ambiguous) {
        return first;
    }
    let second = attempts(target, pair, Parts::Low);
    if proved(&second) { second } else { first }
}

/// Attempts until facts bring nothing new.
fn attempts(target: &Target, pair: Pair<'_>, parts: Parts) -> Result<(Verdict, u64), Unsupported> {
    let mut facts = Vec::new();
    let mut asked = Vec::new();
    loop {
        let outcome = attempt(target, pair, parts, &facts)?;
        // What is not shown may follow from facts about the PHIs that it speaks of.
        let new: Vec<Inst> = outcome.about.iter().copied().filter(|phi| !asked.contains(phi)).collect();
        if new.is_empty() || asked.len() > MOST_PHIS {
            return Ok((outcome.verdict, outcome.proved));
        }
        let known = facts.len();
        facts = Validation::new(target, pair, parts)?.invariants(&facts, &new)?;
        asked.extend(new);
        if facts.len() == known {
            return Ok((outcome.verdict, outcome.proved));
        }
    }
}

/// PHIs about which facts are looked for, at most.
const MOST_PHIS: usize = 12;

/// How an attempt ends.
struct Outcome {
    verdict: Verdict,
    /// Blocks proved.
    proved: u64,
    /// PHIs of the earlier function that the block which is not proved speaks of.
    about: Vec<Inst>,
}

/// One attempt, with these facts about the earlier function.
fn attempt(target: &Target, pair: Pair<'_>, parts: Parts, facts: &[Fact]) -> Result<Outcome, Unsupported> {
    let mut held = Held::default();
    loop {
        let mut validation = Validation::new(target, pair, parts)?;
        validation.held = std::mem::take(&mut held);
        validation.facts = facts.to_vec();
        let sides = validation.evaluate()?;
        match validation.weakened(&sides)? {
            Some(weaker) => held = weaker,
            None => return validation.decide(sides),
        }
    }
}
/// A failure of one block's obligation: relations that were guessed may be too weak for it, so it refutes nothing yet.
fn unproved(block: &str, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Refuted(counterexample) => {
            let value = |(bits, poison): super::Shown| match poison {
                true => "poison".to_string(),
                false => format!("{bits:#x}"),
            };
            let wrong = counterexample.outputs.iter().filter(|(_, before, after)| !before.1 && before != after);
            let mut shown: Vec<String> = wrong
                .map(|(name, before, after)| format!("{name} {} before, {} after", value(*before), value(*after)))
                .collect();
            if shown.is_empty() {
                shown.push("undefined behaviour".to_string());
            }
            Verdict::Unknown(format!("{block} is not shown: {}", shown.join("; ")))
        }
        Verdict::Unknown(reason) => Verdict::Unknown(format!("{block}: {reason}")),
        other => other,
    }
}
