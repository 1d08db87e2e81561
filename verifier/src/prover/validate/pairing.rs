//! The pairing of the blocks and of the PHIs of the two functions.

use super::Pair;
use crate::prover::side;
use rustc_hash::FxHashMap;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, Function, Inst, Type, VReg};

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

/// Blocks of both, in an order in which definitions come before uses; an error if their edges are not the same.
pub(super) fn blocks(pair: Pair<'_>) -> Result<Vec<(Block, Block)>, Unsupported> {
    let Pair { before, after } = pair;
    // By place: LLVM numbers blocks anew when it reads a file.
    let places =
        |function: &Function| -> FxHashMap<Block, usize> { function.layout().iter().copied().zip(0..).collect() };
    let (places_before, places_after) = (places(before), places(after));
    let changed = || Unsupported::new("control flow that changed");
    if places_before.len() != places_after.len() {
        return Err(changed());
    }
    let mut blocks = Vec::new();
    for block in before.reverse_post_order() {
        let other = after.layout()[places_before[&block]];
        if edges(before, block, &places_before) != edges(after, other, &places_after) {
            return Err(changed());
        }
        blocks.push((block, other));
    }
    Ok(blocks)
}

pub(super) fn undefined() -> Unsupported {
    Unsupported::new("a register without a definition above its use")
}

/// The positions of a block's successors, and the labels of its branches, in order.
fn edges(function: &Function, block: Block, places: &FxHashMap<Block, usize>) -> Vec<Option<usize>> {
    let branches = function.insts(block).map(|inst| function.inst(inst)).filter(|data| !data.opcode.is_phi());
    let labels = branches.flat_map(|data| data.operands.iter()).filter_map(|operand| match operand {
        tribunal_ir::Operand::Block(label) => Some(*label),
        _ => None,
    });
    function.successors(block).chain(labels).map(|block| places.get(&block).copied()).collect()
}

/// The register that a PHI defines, and its type.
pub(super) fn defined(function: &Function, phi: Inst) -> Result<(VReg, Type), Unsupported> {
    let register = function.inst(phi).vreg(0).ok_or_else(|| Unsupported::new("malformed G_PHI"))?;
    let ty = function.type_of(register).ok_or_else(|| Unsupported::new("a PHI without a type"))?;
    if ty.bits() > MAX_BITS {
        return Err(side::too_wide());
    }
    Ok((register, ty))
}

/// The register that a PHI takes along the edge from `block`.
pub(super) fn incoming(function: &Function, phi: Inst, block: Block) -> Result<VReg, Unsupported> {
    let mut inputs = function.inst(phi).phi_inputs();
    let input = inputs.find(|&(_, from)| from == block).map(|(register, _)| register);
    input.ok_or_else(|| Unsupported::new("malformed G_PHI"))
}

/// Pairs the PHIs of a block: by register where that is unchanged, otherwise by order and width. A PHI of the earlier
/// function without a partner is dead.
pub(super) fn related(pair: Pair<'_>, block: Block, other: Block, parts: Parts) -> Result<Vec<Related>, Unsupported> {
    let phis = |function: &Function, block| -> Vec<Inst> {
        function.insts(block).filter(|&inst| function.inst(inst).opcode.is_phi()).collect()
    };
    let (before, after) = (phis(pair.before, block), phis(pair.after, other));
    let mut left: Vec<(Inst, VReg, Type)> = Vec::new();
    for phi in after {
        let (register, ty) = defined(pair.after, phi)?;
        left.push((phi, register, ty));
    }
    let mut all = Vec::new();
    let mut open = Vec::new();
    for phi in before {
        let (register, ty) = defined(pair.before, phi)?;
        match left.iter().position(|&(_, other, kept)| other == register && kept == ty) {
            Some(index) => all.push(Related { before: phi, after: vec![left.remove(index).0] }),
            None => open.push((phi, ty)),
        }
    }
    if parts == Parts::Low && open.len() == left.len() {
        let pairs = open.into_iter().zip(left);
        all.extend(pairs.map(|((phi, _), (part, ..))| Related { before: phi, after: vec![part] }));
        return Ok(all);
    }
    let mut left = left.into_iter().peekable();
    for (phi, ty) in open {
        let mut relations = Vec::new();
        let mut bits = 0;
        while bits < ty.bits()
            && let Some((part, _, part_ty)) = left.next()
        {
            bits += part_ty.bits();
            relations.push(part);
        }
        let whole = relations.is_empty() || bits == ty.bits() || relations.len() == 1;
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
