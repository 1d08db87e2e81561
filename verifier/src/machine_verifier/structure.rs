//! Block structure: terminators, barriers, successors, order of PHIs.
//!
//! Some edges no terminator names: an indirect branch goes to blocks whose address was taken, and a call within an
//! invoke region goes to its landing pad.

use super::{Rule, Verifier};
use tribunal_ir::{AddressBase, Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Properties};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let predecessors = function.predecessors();
    let layout = function.layout();
    let mut in_layout = vec![false; function.block_bound()];
    layout.iter().for_each(|block| in_layout[block.as_u32() as usize] = true);
    for (index, &block) in layout.iter().enumerate() {
        let exits = order(verifier, block);
        successors(verifier, block, exits, layout.get(index + 1).copied(), &in_layout);
        phis(verifier, block, &predecessors[block.as_u32() as usize]);
    }
    if let Some(entry) = function.entry() {
        let first = predecessors[entry.as_u32() as usize].is_empty();
        verifier.demand_of_block(Rule::CfgEntry, entry, first, || "the entry has a predecessor");
    }
}

/// The destinations of a block's terminators.
struct Exits {
    targets: Vec<Block>,
    falls_through: bool,
    /// A branch goes to blocks that it does not name.
    is_indirect: bool,
}

/// The successor list equals the targets of the terminators and the fall-through, each block once. Two edges to one
/// block would be one edge for PHIs, and two for a pass that splits edges.
fn successors(verifier: &mut Verifier<'_>, block: Block, exits: Exits, next: Option<Block>, in_layout: &[bool]) {
    let function = verifier.function;
    let Exits { targets: mut expected, falls_through, is_indirect } = exits;
    // A block that ends without a terminator and has no successors is left by undefined behaviour only.
    let unreachable = expected.is_empty() && function.successors(block).next().is_none();
    if falls_through && !unreachable {
        verifier.demand_of_block(Rule::CfgFallThrough, block, next.is_some(), || "nothing follows this block");
        expected.extend(next);
    }
    let unnamed = |&to: &Block| is_indirect || is_landing_pad(function, to);
    expected.extend(function.successors(block).filter(unnamed));
    let mut actual: Vec<Block> = function.successors(block).collect();
    if let Some(gone) = actual.iter().find(|&&to| !in_layout[to.as_u32() as usize]) {
        let message = format!("bb.{} is not in the function", function.block(*gone).number);
        verifier.demand_of_block(Rule::CfgSuccessors, block, false, || message);
    }
    expected.sort_unstable();
    expected.dedup();
    actual.sort_unstable();
    verifier.demand_of_block(Rule::CfgSuccessors, block, expected == actual, || {
        let names = |list: &[Block]| {
            list.iter().map(|&block| format!("bb.{}", function.block(block).number)).collect::<Vec<_>>().join(" ")
        };
        format!("the list has {}; the terminators say {}", names(&actual), names(&expected))
    });
}

/// An unwinder enters it; the text says so.
pub(super) fn is_landing_pad(function: &Function, block: Block) -> bool {
    let attributes = function.block(block).attributes.as_deref();
    attributes.is_some_and(|attributes| attributes.split(',').any(|attribute| attribute.trim() == "landing-pad"))
}

/// PHIs first, terminators last, and of these a barrier last. An invoke region is marked by a terminator before the
/// call. A trap is a terminator only where it stands last and its block has no successor: others stand after them.
fn order(verifier: &mut Verifier<'_>, block: Block) -> Exits {
    let function = verifier.function;
    let mut exits = Exits { targets: Vec::new(), falls_through: true, is_indirect: false };
    let (mut terminated, mut past_phis) = (false, false);
    for inst in function.insts(block) {
        let data = function.inst(inst);
        let flags = verifier.flags(data);
        let goes_on = !is_last(function, inst) || function.successors(block).next().is_some();
        let passes = data.opcode == Opcode::G_INVOKE_REGION_START || (flags.is_trap() && goes_on);
        let terminator = flags.contains(OpcodeFlags::TERMINATOR);
        if terminated {
            verifier.demand(Rule::CfgTerminators, inst, terminator, || "follows a terminator");
            let reached = exits.falls_through || !terminator;
            verifier.demand(Rule::CfgBarrier, inst, reached, || "control never comes here");
        }
        if data.opcode.is_phi() {
            verifier.demand(Rule::PhiPosition, inst, !past_phis, || "follows an instruction that is no PHI");
        }
        if terminator && !passes {
            exits.falls_through &= !flags.contains(OpcodeFlags::BARRIER);
            let named = targets(verifier, data, &mut exits.targets);
            exits.is_indirect |= flags.contains(OpcodeFlags::INDIRECT) && !named;
            terminated = true;
        }
        if data.opcode == Opcode::OPAQUE {
            opaque(verifier, inst, &mut exits);
        }
        past_phis |= !data.opcode.is_phi();
    }
    exits
}

fn is_last(function: &Function, inst: Inst) -> bool {
    function.next_inst(inst).is_none()
}

/// An instruction of which only the name is known may branch to the blocks that it names; the last of a block may go
/// anywhere, or nowhere.
fn opaque(verifier: &Verifier<'_>, inst: Inst, exits: &mut Exits) {
    let (function, data) = (verifier.function, verifier.function.inst(inst));
    targets(verifier, data, &mut exits.targets);
    if is_last(function, inst) {
        (exits.is_indirect, exits.falls_through) = (true, false);
    }
}

/// The blocks that an instruction names, and those of the jump table that it names. True if there are any.
fn targets(verifier: &Verifier<'_>, data: &InstData, targets: &mut Vec<Block>) -> bool {
    let (function, known) = (verifier.function, targets.len());
    for operand in &data.operands {
        match (operand, function.address_of(operand).map(|address| address.base)) {
            (Operand::Block(block), _) => targets.push(*block),
            (_, Some(AddressBase::JumpTable(table))) => {
                targets.extend(function.jump_tables.tables.get(table).into_iter().flatten());
            }
            _ => {}
        }
    }
    targets.len() > known
}

fn phis(verifier: &mut Verifier<'_>, block: Block, predecessors: &[Block]) {
    let function = verifier.function;
    for inst in function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi()) {
        let named = |operand: &Operand| if let Operand::Block(block) = operand { Some(*block) } else { None };
        let mut from: Vec<Block> = function.inst(inst).operands.iter().filter_map(named).collect();
        let mut expected = predecessors.to_vec();
        from.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        let tracked = verifier.has(Properties::TRACKS_REG_LIVENESS);
        verifier.demand(Rule::PhiLiveness, inst, tracked, || "the function does not claim `tracksRegLiveness`");
        verifier.demand(Rule::PhiInputs, inst, from == expected, || {
            format!("{} values for {} predecessors", from.len(), expected.len())
        });
    }
}
