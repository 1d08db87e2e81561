//! Block frequencies and dominators from their definitions, against those by which passes weigh places. Both of what a
//! pass chooses and of what a judge would choose in its place they are the same, so no comparison of costs tells that
//! they are wrong.
//!
//! A loop is a set of blocks that reach each other; its inner loops are those of what is left without the edges to its
//! entries. A block dominates those that cannot be reached without it.

use std::collections::{BTreeMap, BTreeSet};
use tribunal_codegen::frequencies::BlockFrequencies;
use tribunal_ir::{Block, Function};

/// Blocks of a function that is asked about: the definitions take long.
const MOST: usize = 48;
/// Executions of a loop's body for each time that it is entered.
const TRIPS: u64 = 10;
/// Loops that count.
const DEEPEST: u32 = 6;

type Edge = (Block, Block);

/// The first block about which `known` is wrong, in words.
pub(crate) fn wrong(function: &Function, known: &BlockFrequencies) -> Option<String> {
    let entry = function.entry()?;
    let blocks = reached(entry, None, &edges(function));
    if blocks.len() > MOST {
        return None;
    }
    let edges: Vec<Edge> = edges(function).into_iter().filter(|(from, _)| blocks.contains(from)).collect();
    let mut loops = BTreeMap::new();
    count_loops(&blocks, &edges, (entry, &edges), &mut loops);
    blocks.iter().find_map(|&block| {
        let number = function.block(block).number;
        let frequency = TRIPS.pow(loops.get(&block).copied().unwrap_or(0).min(DEEPEST));
        if known.frequency(block) != frequency {
            return Some(format!("bb.{number} has frequency {}, and {frequency} by its loops", known.frequency(block)));
        }
        let dominates = |other: &&Block| **other == block || !reached(entry, Some(**other), &edges).contains(&block);
        let dominators: BTreeSet<Block> = blocks.iter().filter(dominates).copied().collect();
        let told: BTreeSet<Block> = known.dominators(block).take(blocks.len() + 1).collect();
        let is_right = dominators == told && known.depth(block) as usize + 1 == told.len();
        (!is_right).then(|| format!("bb.{number} has {} dominators, and not {}", dominators.len(), told.len()))
    })
}

fn edges(function: &Function) -> Vec<Edge> {
    let from = |&block: &Block| function.successors(block).map(move |to| (block, to)).collect::<Vec<_>>();
    function.layout().iter().flat_map(from).collect()
}

/// The blocks that are reached from `start`, itself included, on ways around one block.
fn reached(start: Block, without: Option<Block>, edges: &[Edge]) -> Vec<Block> {
    let mut reached: Vec<Block> = [start].into_iter().filter(|&block| Some(block) != without).collect();
    let mut next = 0;
    while let Some(&block) = reached.get(next) {
        next += 1;
        let onward = edges.iter().filter(|&&(from, to)| from == block && Some(to) != without).map(|&(_, to)| to);
        for to in onward {
            if !reached.contains(&to) {
                reached.push(to);
            }
        }
    }
    reached
}

/// Adds one for each loop around a block of `blocks`, whose edges these are. The function's entry and all its edges
/// tell the entries of a loop.
fn count_loops(blocks: &[Block], edges: &[Edge], (entry, all): (Block, &[Edge]), loops: &mut BTreeMap<Block, u32>) {
    let after = |block: Block| -> Vec<Block> {
        let next = edges.iter().filter(|&&(from, _)| from == block).map(|&(_, to)| to);
        next.flat_map(|to| reached(to, None, edges)).collect()
    };
    let after: BTreeMap<Block, Vec<Block>> = blocks.iter().map(|&block| (block, after(block))).collect();
    let mut seen: Vec<Block> = Vec::new();
    for &block in blocks {
        if seen.contains(&block) || !after[&block].contains(&block) {
            continue;
        }
        let is_around = |other: &&Block| after[&block].contains(other) && after[*other].contains(&block);
        let around: Vec<Block> = blocks.iter().filter(is_around).copied().collect();
        around.iter().for_each(|&block| *loops.entry(block).or_default() += 1);
        let is_entry =
            |to: Block| to == entry || all.iter().any(|&(from, other)| other == to && !around.contains(&from));
        let inside = |&&(from, to): &&Edge| around.contains(&from) && around.contains(&to) && !is_entry(to);
        let inner: Vec<Edge> = edges.iter().filter(inside).copied().collect();
        count_loops(&around, &inner, (entry, all), loops);
        seen.extend(around);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::text;
    use tribunal_target::riscv::RISCV64;

    /// Loops in loops, and one with two ways in.
    #[test]
    fn those_of_the_passes_are_as_defined() {
        for source in [
            include_str!("../../corpus/real/loops.riscv64.O1.mir"),
            include_str!("../../corpus/real/machines.riscv64.O1.mir"),
        ] {
            let module = text::parse_module(source, RISCV64.vocabulary).expect("it is read");
            for function in &module.functions {
                assert_eq!(wrong(function, &BlockFrequencies::of(function)), None, "{}", function.name);
            }
            let [first, second] = [0, 1].map(|index| &module.functions[index]);
            assert!(wrong(first, &BlockFrequencies::of(second)).is_some(), "those of another function");
        }
    }
}
