//! Where control goes from a block: the same way in both functions, whichever branches say so.
//!
//! The condition of an edge is a term: that no branch before it is taken, and that this one is. So branches may be
//! inverted, exchanged or merged by the later function. A block that ends without a successor is LLVM's `unreachable`:
//! to reach its end is undefined.

use super::induction::Validation;
use super::pairing::places;
use crate::prover::query::{self, StepOutput};
use crate::prover::side::{Exit, Side};
use crate::prover::term::{Symbolic, Term};
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Domain, Unsupported};
use tribunal_ir::{Block, Function};

/// Turns an end without a branch into the edge that it is, or into undefined behaviour. Every edge needs a branch: one
/// to a landing pad, which a call takes, has none.
pub(super) fn closed(d: &mut Symbolic, function: &Function, block: Block, side: &mut Side) -> Result<(), Unsupported> {
    if side.exit == Exit::Following {
        match walk::fall_through(function, block) {
            Some(next) => side.exit = Exit::Jump(next),
            None => side.reach_nothing(d),
        }
    }
    if let Exit::Indirect(to) = side.exit {
        let mut nexts: Vec<Block> = function.successors(block).collect();
        nexts.dedup();
        // One that leads to no block of this function has its destination compared.
        let Some((&last, others)) = nexts.split_last() else { return Ok(()) };
        let goes_to = |d: &mut Symbolic, next: Block| {
            let address = d.literal(walk::block_address(next) as i64, d.width_of(to));
            d.equal(to, address)
        };
        for &next in others {
            let taken = goes_to(d, next);
            side.take_branch(d, taken, next);
        }
        // The address of no block is undefined.
        let taken = goes_to(d, last);
        side.take_branch(d, taken, last);
        side.reach_nothing(d);
        side.exit = Exit::Jump(last);
    }
    if side.frame.is_some() {
        return Err(Unsupported::new("a call frame that its block does not end"));
    }
    let named = |next: Block| {
        side.exit == Exit::Anywhere || side.exit == Exit::Jump(next) || side.branches.iter().any(|&(_, to)| to == next)
    };
    match function.successors(block).all(named) {
        true => Ok(()),
        false => Err(Unsupported::new("an edge that no branch takes")),
    }
}

impl Validation<'_> {
    /// The block of the later function that stands in the place of `block`.
    pub(super) fn partner(&self, block: Block) -> Option<Block> {
        self.blocks.iter().find(|(own, _)| *own == block).map(|&(_, other)| other)
    }

    /// True where the earlier function does not go from its block to `next`, or is undefined there.
    pub(super) fn not_along(&mut self, next: Block, source: &Side) -> Term {
        let goes = goes(&mut self.graph, source, next);
        let elsewhere = self.graph.complement(goes);
        self.graph.bool_or(&source.ub, &elsewhere)
    }

    /// The same way on: every edge is taken on the same condition, and both leave the function or neither does.
    pub(super) fn destinations(
        &mut self,
        (block, other): (Block, Block),
        source: &Side,
        result: &Side,
    ) -> Vec<StepOutput> {
        let d = &mut self.graph;
        let leaves = |side: &Side| matches!(side.exit, Exit::Return | Exit::Anywhere).then_some(side.exit);
        let mut outputs = Vec::new();
        match (source.exit, result.exit) {
            (Exit::Indirect(to), Exit::Indirect(later)) => {
                outputs.push(query::condition(d, "destination", to, later, source.ub));
            }
            (Exit::Indirect(_), _) | (_, Exit::Indirect(_)) => {
                outputs.push(query::differing(d, "end of the block", source.ub));
            }
            _ => {}
        }
        if leaves(source) != leaves(result) {
            outputs.push(query::differing(d, "end of the block", source.ub));
        }
        let (before, after) = (self.setting.pair.before, self.setting.pair.after);
        let (places, others) = (places(before), places(after));
        let mut nexts: Vec<(usize, Block)> = before.successors(block).map(|next| (places[&next], next)).collect();
        nexts.sort_unstable();
        nexts.dedup();
        for (place, next) in nexts {
            let partner = after.successors(other).find(|next| others[next] == place);
            let goes_there = goes(d, source, next);
            let goes_later = partner.map_or(d.truth(false), |partner| goes(d, result, partner));
            outputs.push(query::condition(d, "destination", goes_there, goes_later, source.ub));
        }
        outputs
    }
}

/// True where control goes from the side's block to `next`.
pub(super) fn goes(d: &mut Symbolic, side: &Side, next: Block) -> Term {
    let mut goes = d.truth(side.exit == Exit::Jump(next) || side.exit == Exit::Anywhere);
    for &(taken, label) in side.branches.iter().rev() {
        goes = match label == next {
            true => d.bool_or(&taken, &goes),
            false => {
                let passed = d.complement(taken);
                d.bool_and(&passed, &goes)
            }
        };
    }
    goes
}
