//! SSA form: each register has one definition, which dominates every use.
//!
//! Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::{Rule, Verifier};
use tribunal_ir::{Block, Function, Inst, RegFlags, VReg};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let Some(entry) = function.entry() else { return };
    let order = function.reverse_post_order();
    let tree = Tree::new(function, &order, entry);
    // Out of SSA form only a register with one definition can be judged.
    let is_ssa = verifier.is_ssa();
    // Position in the block of each register's definition; a second definition is a finding of its own.
    let mut definitions: Vec<Option<(Block, u32)>> = vec![None; function.vregs.len()];
    for &block in function.layout() {
        for (position, inst) in (1u32..).zip(function.insts(block)) {
            for register in function.inst(inst).vreg_defs() {
                let slot = &mut definitions[register.as_u32() as usize];
                if is_ssa {
                    let message = || format!("{register} is defined elsewhere too");
                    verifier.demand(Rule::SsaSingleDefinition, inst, slot.is_none(), message);
                }
                match is_ssa || slot.is_none() {
                    true => _ = slot.get_or_insert((block, position)),
                    // Position 0 of the entry block dominates everything: this register is not judged.
                    false => *slot = Some((entry, 0)),
                }
            }
        }
    }
    for &block in &order {
        for (position, inst) in (1u32..).zip(function.insts(block)) {
            uses(verifier, &tree, &definitions, block, position, inst);
        }
    }
}

fn uses(
    verifier: &mut Verifier<'_>,
    tree: &Tree,
    definitions: &[Option<(Block, u32)>],
    block: Block,
    position: u32,
    inst: Inst,
) {
    let data = verifier.function.inst(inst);
    let mut reached = |register: VReg, reaches: bool| {
        verifier.demand(Rule::SsaDominance, inst, reaches, || format!("{register} is not defined on every way here"));
    };
    if data.opcode.is_phi() {
        // A PHI reads at the end of the predecessor.
        for (register, from) in data.phi_inputs() {
            let reaches =
                definitions[register.as_u32() as usize].is_some_and(|(defined, _)| tree.dominates(defined, from));
            reached(register, reaches || !tree.is_reachable(from));
        }
    } else {
        for operand in data.uses() {
            let Some(register) = operand.reg.as_virtual() else { continue };
            let reaches = match definitions[register.as_u32() as usize] {
                Some((defined, at)) if defined == block => at < position,
                Some((defined, _)) => tree.dominates(defined, block),
                // LLVM removes `IMPLICIT_DEF` and marks the reads of its result.
                None => operand.flags.contains(RegFlags::UNDEF),
            };
            reached(register, reaches);
        }
    }
}

/// The dominator tree: the position in reverse post-order and the immediate dominator of each block.
pub struct Tree {
    rank: Vec<u32>,
    parent: Vec<u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Tree {
    /// The tree of the blocks in `order`, a reverse post-order from `entry`.
    pub fn new(function: &Function, order: &[Block], entry: Block) -> Tree {
        let mut rank = vec![UNREACHABLE; function.block_bound()];
        for (index, &block) in (0u32..).zip(order) {
            rank[block.as_u32() as usize] = index;
        }
        let predecessors = function.predecessors();
        let mut parent = vec![UNREACHABLE; order.len()];
        if let Some(first) = parent.get_mut(rank[entry.as_u32() as usize] as usize) {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (index, &block) in order.iter().enumerate().skip(1) {
                let mut new = UNREACHABLE;
                for from in &predecessors[block.as_u32() as usize] {
                    let from = rank[from.as_u32() as usize];
                    if from == UNREACHABLE || parent[from as usize] == UNREACHABLE {
                        continue;
                    }
                    new = if new == UNREACHABLE { from } else { meet(&parent, new, from) };
                }
                changed |= parent[index] != new;
                parent[index] = new;
            }
        }
        Tree { rank, parent }
    }

    /// The block that immediately dominates `block`, of those in `order`; `None` for the entry.
    pub fn above(&self, order: &[Block], block: Block) -> Option<Block> {
        let rank = self.rank[block.as_u32() as usize];
        let parent = *self.parent.get(rank as usize)?;
        (parent != rank).then(|| order.get(parent as usize).copied()).flatten()
    }

    fn is_reachable(&self, block: Block) -> bool {
        self.rank[block.as_u32() as usize] != UNREACHABLE
    }

    /// False where either block is unreachable.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let (above, mut below) = (self.rank[above.as_u32() as usize], self.rank[below.as_u32() as usize]);
        if above == UNREACHABLE || below == UNREACHABLE {
            return false;
        }
        while below > above {
            below = self.parent[below as usize];
        }
        below == above
    }
}

fn meet(parent: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = parent[a as usize];
        }
        while b > a {
            b = parent[b as usize];
        }
    }
    a
}
