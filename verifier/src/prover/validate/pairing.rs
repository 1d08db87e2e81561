//! The pairing of the blocks and of the PHIs of the two functions.

use super::Pair;
use crate::prover::side;
use rustc_hash::FxHashMap;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::semantics::{Unsupported, walk};
use tribunal_ir::{Block, Function, Inst, VReg};
use tribunal_target::Target;

/// A PHI of the earlier function and those of the later one that hold it, low part first.
#[derive(PartialEq, Eq)]
pub(super) struct Related {
    pub(super) before: Inst,
    pub(super) after: Vec<Inst>,
}

/// The number of PHIs of the later function that hold one wider PHI of the earlier. Either variant is a guess, which
/// the obligations on the edges check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parts {
    /// As many as its width takes, low part first.
    All,
    /// The low part alone, where each PHI has one partner: the high part has gone dead.
    Low,
}

/// Blocks of both, in an order in which definitions come before uses; an error if the later function has an edge that
/// the earlier one has not. An edge that it lacks must be shown never to be taken.
pub(super) fn blocks(pair: Pair<'_>) -> Result<Vec<(Block, Block)>, Unsupported> {
    let Pair { before, after } = pair;
    let changed = || Unsupported::new("control flow that changed");
    if before.layout().len() != after.layout().len() {
        return Err(changed());
    }
    let places = places(before);
    let partner = |block: Block| after.layout()[places[&block]];
    let mut blocks = Vec::new();
    for block in before.reverse_post_order() {
        let other = partner(block);
        let kept: Vec<Block> = before.successors(block).map(partner).collect();
        if !after.successors(other).all(|next| kept.contains(&next)) {
            return Err(changed());
        }
        blocks.push((block, other));
    }
    Ok(blocks)
}

/// The place of each block in the layout: LLVM numbers blocks anew when it reads a file.
pub(super) fn places(function: &Function) -> FxHashMap<Block, usize> {
    function.layout().iter().copied().zip(0..).collect()
}

pub(super) fn undefined() -> Unsupported {
    Unsupported::new("a register without a definition above its use")
}

/// The register that a PHI defines, and its width in bits.
pub(super) fn defined(function: &Function, target: &Target, phi: Inst) -> Result<(VReg, u32), Unsupported> {
    let register = function.inst(phi).vreg(0).ok_or_else(|| Unsupported::malformed("G_PHI"))?;
    match walk::register_bits(function, target.vocabulary, register) {
        bits if bits > MAX_BITS => Err(side::too_wide()),
        bits => Ok((register, bits)),
    }
}

/// The register that a PHI takes along the edge from `block`.
pub(super) fn incoming(function: &Function, phi: Inst, block: Block) -> Result<VReg, Unsupported> {
    let mut inputs = function.inst(phi).phi_inputs();
    let input = inputs.find(|&(_, from)| from == block).map(|(register, _)| register);
    input.ok_or_else(|| Unsupported::malformed("G_PHI"))
}

/// Pairs the PHIs of a block: by register where that is unchanged, otherwise by order and width. A PHI of the earlier
/// function without a partner is dead.
pub(super) fn related(
    pair: Pair<'_>,
    target: &Target,
    (block, other): (Block, Block),
    parts: Parts,
) -> Result<Vec<Related>, Unsupported> {
    let phis = |function: &Function, block| -> Vec<Inst> {
        function.insts(block).filter(|&inst| function.inst(inst).opcode.is_phi()).collect()
    };
    let (before, after) = (phis(pair.before, block), phis(pair.after, other));
    let mut left: Vec<(Inst, VReg, u32)> = Vec::new();
    for phi in after {
        let (register, bits) = defined(pair.after, target, phi)?;
        left.push((phi, register, bits));
    }
    let mut all = Vec::new();
    let mut open = Vec::new();
    for phi in before {
        let (register, bits) = defined(pair.before, target, phi)?;
        match left.iter().position(|&(_, other, kept)| other == register && kept == bits) {
            Some(index) => all.push(Related { before: phi, after: vec![left.remove(index).0] }),
            None => open.push((phi, bits)),
        }
    }
    if parts == Parts::Low && open.len() == left.len() {
        let pairs = open.into_iter().zip(left);
        all.extend(pairs.map(|((phi, _), (part, ..))| Related { before: phi, after: vec![part] }));
        return Ok(all);
    }
    let mut left = left.into_iter().peekable();
    for (phi, width) in open {
        let mut relations = Vec::new();
        let mut bits = 0;
        while bits < width
            && let Some((part, _, part_bits)) = left.next()
        {
            bits += part_bits;
            relations.push(part);
        }
        let whole = relations.is_empty() || bits == width || relations.len() == 1;
        if !whole {
            return Err(Unsupported::new("PHIs that no relation is found for"));
        }
        all.push(Related { before: phi, after: relations });
    }
    match left.peek() {
        None => Ok(all),
        Some(_) => Err(Unsupported::new("PHIs that no relation is found for")),
    }
}
