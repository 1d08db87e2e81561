//! Undefined values that flow through PHIs: a value that is undefined differs from read to read, and so does a PHI that
//! takes it, and whatever copies the PHI (LangRef, "Undefined Values").
//!
//! Invariant: one value stands for all reads only where no execution reads it twice.

use super::trace::phis;
use crate::prover::side::{copied, is_undefined};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::{Block, Function, Inst, InstData, Operand, RegFlags, RegOperand, VReg};

/// The PHIs of the successors that take an undefined value from this block, each with the register.
pub(super) fn arrivals(function: &Function, block: Block) -> Vec<(Inst, VReg)> {
    let mut arrivals = Vec::new();
    for next in function.successors(block) {
        for phi in phis(function, next) {
            let from = inputs(function.inst(phi)).find(|&(_, from)| from == block).map(|(value, _)| value);
            let Some((value, register)) = from.and_then(|value| Some((value, value.reg.as_virtual()?))) else {
                continue;
            };
            if value.flags.contains(RegFlags::UNDEF) || is_undefined(function, register) {
                arrivals.push((phi, register));
            }
        }
    }
    arrivals
}

/// Whether some execution reads the value of one of these PHIs twice: as it is, or copied by others.
pub(super) fn is_read_again(function: &Function, phis: impl Iterator<Item = Inst>) -> bool {
    let mut holders: Vec<Inst> = phis.collect();
    let mut next = 0;
    while let Some(&holder) = holders.get(next) {
        next += 1;
        let Some(register) = function.inst(holder).vreg(0) else { continue };
        let reads = Reads::of(function, register);
        if reads.happen_twice(function, function.block_of(holder)) {
            return true;
        }
        let others = reads.copies.into_iter().filter(|copy| !holders.contains(copy)).collect::<Vec<_>>();
        holders.extend(others);
    }
    false
}

/// The values that a PHI takes, each with the block that it comes from.
pub(super) fn inputs(phi: &InstData) -> impl Iterator<Item = (&RegOperand, Block)> {
    let operands = phi.operands.get(1..).unwrap_or_default();
    operands.chunks_exact(2).filter_map(|input| match input {
        [Operand::Reg(value), Operand::Block(from)] => Some((value, *from)),
        _ => None,
    })
}

/// The reads of one register.
#[derive(Default)]
struct Reads {
    /// How many a block has after its PHIs.
    inside: FxHashMap<Block, u32>,
    /// How many PHIs read it along an edge.
    on_edges: FxHashMap<(Block, Block), u32>,
    /// The PHIs, and the copies of all of it.
    copies: Vec<Inst>,
}

impl Reads {
    fn of(function: &Function, register: VReg) -> Reads {
        let mut reads = Reads::default();
        let is_read = |operand: &&RegOperand| {
            !operand.flags.contains(RegFlags::DEF) && operand.reg.as_virtual() == Some(register)
        };
        for &block in function.layout() {
            for inst in function.insts(block) {
                let data = function.inst(inst);
                if data.opcode.is_phi() {
                    for (_, from) in inputs(data).filter(|(value, _)| is_read(value)) {
                        *reads.on_edges.entry((from, block)).or_default() += 1;
                        reads.copies.push(inst);
                    }
                    continue;
                }
                let count = data.operands.iter().filter_map(Operand::as_reg).filter(is_read).count();
                *reads.inside.entry(block).or_default() += count as u32;
                if copied(data) == Some(register) {
                    reads.copies.push(inst);
                }
            }
        }
        reads
    }

    /// Whether a way on from the block that defines the register has two, before it is defined anew.
    fn happen_twice(&self, function: &Function, defined: Option<Block>) -> bool {
        let mut waiting: Vec<(Block, u32)> = defined.map(|block| (block, 0)).into_iter().collect();
        let mut seen: FxHashSet<(Block, u32)> = waiting.iter().copied().collect();
        while let Some((block, before)) = waiting.pop() {
            let inside = before + self.inside.get(&block).copied().unwrap_or_default();
            if inside > 1 {
                return true;
            }
            for next in function.successors(block) {
                let count = inside + self.on_edges.get(&(block, next)).copied().unwrap_or_default();
                if count > 1 {
                    return true;
                }
                if Some(next) != defined && seen.insert((next, count)) {
                    waiting.push((next, count));
                }
            }
        }
        false
    }
}
