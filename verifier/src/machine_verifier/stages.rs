//! The stage of a function as a whole: its properties, its control flow after `split-edges`, and the places of its
//! stack objects.
//!
//! What a stage promises of single instructions, `machine.rs` and `mod.rs` check; `settled.rs` checks the stages after
//! allocation.

use super::{Rule, Verifier};
use tribunal_ir::{Block, OpcodeFlags, Stage};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let Some(entry) = function.entry() else { return };
    let (stage, told) = (function.stage, Stage::of(function.properties));
    let agrees = told <= stage && function.properties.contains(stage.properties());
    verifier.demand_of_block(Rule::StageProperties, entry, agrees, || {
        format!("the stage is {stage}, the properties are of {told}: {:?}", function.properties)
    });
    if stage == Stage::EdgesSplit {
        edges(verifier);
    }
    if stage < Stage::FrameLowered && verifier.legalizer.is_some() {
        places(verifier, entry);
    }
}

/// The frame pass alone gives places, so one that stands before it is nobody's. Another compiler's files have no mark
/// of the pass that lays the frame out.
fn places(verifier: &mut Verifier<'_>, entry: Block) {
    let placed = verifier.function.stack.iter().find(|(_, object)| object.offset != 0);
    verifier.demand_of_block(Rule::StagePlaces, entry, placed.is_none(), || {
        let (slot, bytes) = placed.map(|(slot, object)| (slot.as_u32(), object.offset)).unwrap_or_default();
        format!("%stack.{slot} lies {bytes} bytes from the stack pointer on entry, before the frame is laid out")
    });
}

/// The moves for a PHI stand at the end of a predecessor, or on an edge of their own. The caller is one more way into
/// the entry.
fn edges(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let mut ways = vec![0u32; function.block_bound()];
    function.entry().into_iter().for_each(|entry| ways[entry.as_u32() as usize] += 1);
    for &block in function.layout() {
        function.successors(block).for_each(|to| ways[to.as_u32() as usize] += 1);
    }
    for &block in function.layout() {
        let critical = |&to: &Block| ways[to.as_u32() as usize] > 1;
        let critical = function.successors(block).find(critical).filter(|_| function.successors(block).count() > 1);
        verifier.demand_of_block(Rule::StageEdges, block, critical.is_none(), || {
            format!("the edge to bb.{} is critical", critical.map_or(0, |to| function.block(to).number))
        });
        let last = function.last_inst(block).map(|last| verifier.flags(function.inst(last)));
        let ends = last.is_some_and(|flags| flags.contains(OpcodeFlags::BARRIER));
        verifier.demand_of_block(Rule::StageEdges, block, ends, || "does not end in a jump or a return");
    }
}
