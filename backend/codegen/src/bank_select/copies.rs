//! Copies from bank to bank: where they stand, and the operands that read them.
//!
//! A copy serves the reads of all blocks that its own dominates. It stands after the value's definition, or at the
//! start of another block. A PHI reads at the end of a predecessor.

use super::{Read, bank_of};
use crate::frequencies::BlockFrequencies;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::{Block, Constraint, Function, Inst, InstData, Opcode, Operand, Reg, RegBank, VReg};
use tribunal_target::Target;

/// The reads of one value that ask for it in one other bank.
struct Crossing {
    value: VReg,
    bank: RegBank,
    reads: SmallVec<[Read; 4]>,
}

/// Writes a copy for every read of a value in another bank than the operand wants: one after the definition, or with
/// frequencies the cheapest that serve all reads.
pub(super) fn write(
    function: &mut Function,
    target: &Target,
    reads: &[Read],
    frequencies: impl Fn(&Function) -> Option<BlockFrequencies>,
) {
    let crossings = crossings(function, target, reads);
    let is_elsewhere = |crossing: &Crossing| {
        let own = defining_block(function, crossing.value);
        crossing.reads.iter().any(|read| Some(read.block) != own)
    };
    let frequencies = crossings.iter().any(is_elsewhere).then(|| frequencies(function)).flatten();
    for Crossing { value, bank, reads } in crossings {
        let Some(own) = defining_block(function, value) else { continue };
        let blocks = || reads.iter().map(|read| read.block);
        let tree = frequencies.as_ref().map(|frequencies| Places::of(frequencies, own, blocks()));
        let copies: Vec<(Block, VReg)> = tree
            .as_ref()
            .map_or(vec![own], |tree| tree.cheapest())
            .into_iter()
            .map(|place| (place, copied_to(function, value, bank, place)))
            .collect();
        for read in reads {
            let serves = |block: Block| copies.iter().find(|&&(place, _)| place == block).map(|&(_, copy)| copy);
            let above = tree.as_ref().and_then(|tree| tree.way(read.block).find_map(serves));
            if let Some(copy) = above.or_else(|| serves(own)) {
                function.set_operand(read.inst, read.index, Operand::used(copy));
            }
        }
    }
}

/// The block of a value's definition.
pub(super) fn defining_block(function: &Function, value: VReg) -> Option<Block> {
    function.block_of(function.def_of(value)?)
}

fn crossings(function: &Function, target: &Target, reads: &[Read]) -> Vec<Crossing> {
    let mut crossings: Vec<Crossing> = Vec::new();
    let mut numbers: FxHashMap<(VReg, RegBank), usize> = FxHashMap::default();
    for &read in reads {
        let Some(bank) =
            read.bank(function, target).filter(|&bank| bank_of(function, target, read.value) != Some(bank))
        else {
            continue;
        };
        let number = *numbers.entry((read.value, bank)).or_insert_with(|| {
            crossings.push(Crossing { value: read.value, bank, reads: SmallVec::new() });
            crossings.len() - 1
        });
        crossings[number].reads.push(read);
    }
    crossings
}

/// The blocks between the definition of a value and its reads, in the dominator tree.
struct Places<'f> {
    frequencies: &'f BlockFrequencies,
    /// The block of the definition.
    own: Block,
    /// Whether each is read in, and the blocks right below it. Deepest blocks first.
    blocks: Vec<(Block, bool)>,
    below: FxHashMap<Block, SmallVec<[Block; 2]>>,
}

/// The blocks from one that reads a value up to that of its definition. A block that the definition does not dominate
/// is unreachable, and reads as the definition's block would.
pub(super) fn way_up(frequencies: &BlockFrequencies, own: Block, read: Block) -> impl Iterator<Item = Block> + use<'_> {
    let is_below = frequencies.dominators(read).any(|block| block == own);
    let start = if is_below { read } else { own };
    let length = frequencies.depth(start) - frequencies.depth(own) + 1;
    frequencies.dominators(start).take(length as usize)
}

impl<'f> Places<'f> {
    fn of(frequencies: &'f BlockFrequencies, own: Block, reads: impl Iterator<Item = Block>) -> Places<'f> {
        let mut places = Places { frequencies, own, blocks: vec![(own, false)], below: FxHashMap::default() };
        let mut numbers: FxHashMap<Block, usize> = FxHashMap::from_iter([(own, 0)]);
        for read in reads {
            let mut lower = None;
            for block in way_up(frequencies, own, read) {
                let known = numbers.len();
                let number = *numbers.entry(block).or_insert(known);
                if number == known {
                    places.blocks.push((block, false));
                }
                match lower {
                    Some(lower) => places.below.entry(block).or_default().push(lower),
                    None => places.blocks[number].1 = true,
                }
                if number != known {
                    break;
                }
                lower = Some(block);
            }
        }
        places.blocks.sort_unstable_by_key(|&(block, _)| std::cmp::Reverse(frequencies.depth(block)));
        places
    }

    fn way(&self, read: Block) -> impl Iterator<Item = Block> {
        way_up(self.frequencies, self.own, read)
    }

    fn below(&self, block: Block) -> &[Block] {
        self.below.get(&block).map_or(&[], SmallVec::as_slice)
    }

    /// The blocks whose copies serve every read at the least sum of frequencies. Of equals, one copy is better than
    /// several, and of single ones the lowest: a branch may go past it.
    fn cheapest(&self) -> Vec<Block> {
        let mut costs: FxHashMap<Block, (u64, bool)> = FxHashMap::default();
        for &(block, is_read) in &self.blocks {
            let (here, below) = (self.frequencies.frequency(block), self.below(block));
            let lower: u64 = below.iter().map(|block| costs.get(block).map_or(0, |&(cost, _)| cost)).sum();
            let is_here = is_read || here < lower || (here == lower && below.len() != 1);
            costs.insert(block, (if is_here { here } else { lower }, is_here));
        }
        let (mut pending, mut chosen) = (vec![self.own], Vec::new());
        while let Some(block) = pending.pop() {
            match costs.get(&block) {
                Some((_, true)) | None => chosen.push(block),
                Some((_, false)) => pending.extend(self.below(block)),
            }
        }
        chosen
    }
}

/// A copy of `value` in another bank: after its definition, or at the start of another block. PHIs, and copies of
/// machine registers, stand together.
fn copied_to(function: &mut Function, value: VReg, bank: RegBank, place: Block) -> VReg {
    let copy = function.push_vreg(function.type_of(value), Constraint::Bank(bank));
    let data = InstData::new(Opcode::COPY, [Operand::def(copy), Operand::used(value)]);
    let definition = function.def_of(value).filter(|&inst| function.block_of(inst) == Some(place));
    let first = || function.first_inst(place).filter(|&first| function.inst(first).opcode.is_phi());
    let Some(mut after) = definition.or_else(first) else {
        function.prepend(place, data);
        return copy;
    };
    let is_boundary = |function: &Function, inst: Inst| {
        let data = function.inst(inst);
        let source = data.operands.get(1).and_then(Operand::as_reg).map(|operand| operand.reg);
        data.opcode.is_phi() || data.opcode == Opcode::COPY && matches!(source, Some(Reg::Physical(_)))
    };
    while let Some(next) =
        function.next_inst(after).filter(|&next| is_boundary(function, after) && is_boundary(function, next))
    {
        after = next;
    }
    function.insert_after(after, data);
    copy
}
