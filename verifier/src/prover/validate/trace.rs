//! The evaluation of one way through a function: block after block, as if they were one.
//!
//! The conditions of the branches taken are kept apart: whatever a trace shows holds where all of them do. Undefined
//! behaviour of one block comes before everything in the next.

use super::{Undef, undefined};

use super::control;
use super::induction::Validation;
use super::ways::{self, Cuts, Way, WayEnd};

use crate::prover::query;
use crate::prover::side::{Exit, Scalar, Side, SideEvaluation, SideState, is_undefined};
use crate::prover::term::Term;
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::semantics::walk::{self, Edge};
use tribunal_ir::{Block, Function, Inst, InstData, RegFlags, VReg};

/// A way that was evaluated.
pub(super) struct Trace {
    pub way: Way,
    pub side: Side,
    /// The conditions on which control goes this way, in order.
    pub conditions: Vec<Term>,
    /// The obstacle that the evaluation met; the conditions are those up to it.
    pub obstacle: Option<Unsupported>,
}

impl Trace {
    /// The last block.
    pub fn last(&self) -> Option<Block> {
        self.way.blocks.last().copied()
    }
}

/// The state that a way starts in.
pub(super) struct TraceStart<'s> {
    pub values: &'s FxHashMap<VReg, Scalar>,
    pub place: u32,
    /// Conditions that are known to hold.
    pub known: &'s [Term],
}

/// The choices that a PHI is to whom an undefined value comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UndefinedPhi {
    /// One for each read, as LLVM has it.
    EachRead,
    /// One for all reads: among the behaviours of the earlier function.
    Once,
}

/// Ways from one cut point, and blocks of one that evaluation finds, at most.
const MOST_WAYS: usize = 64;

impl Validation<'_> {
    /// Evaluates a way; `None` if its conditions contradict each other or what is known.
    pub(super) fn trace(
        &mut self,
        function: &Function,
        way: &Way,
        start: &TraceStart<'_>,
    ) -> Result<Option<Trace>, Unsupported> {
        let mut side = self.empty_side(function, start.place, start.values.clone());
        let mut conditions: Vec<Term> = Vec::new();
        let mut obstacle = None;
        let mut from = None;
        for (index, &block) in way.blocks.iter().enumerate() {
            if let Err(unsupported) = self.execute_block(function, (from, block), &mut side) {
                obstacle = Some(unsupported);
                break;
            }
            let next = match (way.blocks.get(index + 1), way.end) {
                (Some(&next), _) | (None, WayEnd::Cut(next)) => next,
                (None, WayEnd::Out) => break,
            };
            let goes = control::goes(&mut self.graph, &side, next);
            let known: Vec<Term> = start.known.iter().chain(&conditions).copied().collect();
            let goes = query::simplified(&mut self.graph, &known, goes);
            if self.graph.is_false(goes) {
                return Ok(None);
            }
            conditions.push(goes);
            side.go_on(&mut self.graph);
            from = Some(block);
        }
        match self.inputs.registers.is_empty() {
            true => Ok(Some(Trace { way: way.clone(), side, conditions, obstacle })),
            false => Err(Unsupported::new("a register without a definition above its use")),
        }
    }

    /// The ways from a block; `None` if there are too many. Where cycles hold no cut point they are those that
    /// evaluation does not show to be impossible.
    pub(super) fn ways_from(
        &mut self,
        function: &Function,
        from: Block,
        cuts: &Cuts,
        start: &TraceStart<'_>,
    ) -> Result<Option<Vec<Way>>, Unsupported> {
        if cuts.is_closed {
            return Ok(ways::ways(function, from, cuts, MOST_WAYS));
        }
        let (mut found, mut pending) = (Vec::new(), vec![vec![from]]);
        while let Some(blocks) = pending.pop() {
            let is_too_long = blocks.len() > MOST_WAYS;
            if is_too_long || found.len() + pending.len() >= MOST_WAYS || self.setting.limits.reached().is_some() {
                return Ok(None);
            }
            let Some(&last) = blocks.last() else { continue };
            let so_far = Way { blocks, end: WayEnd::Out };
            if self.trace(function, &so_far, start)?.is_none() {
                continue;
            }
            let nexts = ways::nexts(function, last);
            for &next in &nexts {
                if cuts.end(&so_far.blocks, next) {
                    found.push(Way { blocks: so_far.blocks.clone(), end: WayEnd::Cut(next) });
                } else {
                    pending.push(so_far.blocks.iter().copied().chain([next]).collect());
                }
            }
            if nexts.is_empty() {
                found.push(so_far);
            }
        }
        Ok(Some(found))
    }

    /// Executes these instructions on a side.
    pub(super) fn run_on(
        &mut self,
        function: &Function,
        side: &mut Side,
        insts: &[InstData],
    ) -> Result<(), Unsupported> {
        self.evaluation(function, insts).run(side, insts)
    }

    fn evaluation<'e>(&'e mut self, function: &'e Function, own: &'e [InstData]) -> SideEvaluation<'e> {
        let (d, inputs, opaque) = (&mut self.graph, &mut self.inputs, Some(&mut self.opaque));
        let (target, machine, standing) = (self.setting.target, false, None);
        SideEvaluation { d, target, function, inputs, machine, standing, own, opaque }
    }

    /// Executes one block, which control enters from another of the way, or at which the way starts.
    fn execute_block(
        &mut self,
        function: &Function,
        (from, block): (Option<Block>, Block),
        side: &mut Side,
    ) -> Result<(), Unsupported> {
        let insts = self.body(function, block)?;
        if let Some(from) = from {
            self.enter(function, (from, block), UndefinedPhi::EachRead, side)?;
        }
        self.run_on(function, side, &insts)?;
        let has_next = function.successors(block).next().is_some();
        if has_next && matches!(side.exit, Exit::Indirect(_) | Exit::Anywhere) {
            return Err(Unsupported::new("an indirect branch where control flow changed"));
        }
        control::closed(&mut self.graph, function, block, side)
    }

    /// Gives the PHIs of a block the values that come along an edge.
    pub(super) fn enter(
        &mut self,
        function: &Function,
        (from, block): (Block, Block),
        choice: UndefinedPhi,
        side: &mut Side,
    ) -> Result<(), Unsupported> {
        let each_read = self.setting.undef == Undef::PerUse && choice == UndefinedPhi::EachRead;
        let mut taken: Vec<InstData> = Vec::new();
        let mut undefined: Vec<VReg> = Vec::new();
        for phi in phis(function, block) {
            let data = function.inst(phi);
            let register = data.vreg(0).filter(|_| each_read && comes_undefined(function, data, from, side));
            match register {
                Some(register) => undefined.push(register),
                None => taken.push(data.clone()),
            }
        }
        self.graph.choices.clear();
        let mut evaluation = self.evaluation(function, &taken);
        walk::phis(&mut SideState { evaluation: &mut evaluation, side }, taken.iter(), &Edge::From(from))?;
        side.choices.append(&mut self.graph.choices);
        for register in taken.iter().filter_map(|data| data.vreg(0)) {
            side.undefined_phis.remove(&register);
        }
        side.undefined_phis.extend(undefined);
        Ok(())
    }
}

/// The PHIs of a block.
pub(super) fn phis(function: &Function, block: Block) -> impl Iterator<Item = Inst> + '_ {
    function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi())
}

/// Whether a PHI takes an undefined value along the edge from a block.
pub(super) fn comes_undefined(function: &Function, phi: &InstData, from: Block, side: &Side) -> bool {
    undefined::inputs(phi).find(|&(_, block)| block == from).is_some_and(|(value, _)| {
        let is_anything = |register| is_undefined(function, register) || side.is_undefined_phi(function, register);
        value.flags.contains(RegFlags::UNDEF) || value.reg.as_virtual().is_some_and(is_anything)
    })
}
