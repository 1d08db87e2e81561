//! Pass `split-edges`: puts a block on every critical edge, so that the moves for PHIs have a place of that edge's own.
//! Register allocation needs it.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Properties, Stage};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "split-edges", from: Stage::Selected, to: Stage::EdgesSplit, drops: Properties::empty(), run };

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    make_fall_throughs_explicit(context, function);
    let mut predecessors = vec![0u32; function.block_bound()];
    for &block in function.layout() {
        function
            .successors(block)
            .for_each(|successor| predecessors[cranelift_entity::EntityRef::index(successor)] += 1);
    }
    if let Some(entry) = function.entry() {
        // The caller is one more way into the entry.
        predecessors[cranelift_entity::EntityRef::index(entry)] += 1;
    }
    for block in function.layout().to_vec() {
        let successors: Vec<Block> = function.successors(block).collect();
        if successors.len() < 2 {
            continue;
        }
        for to in successors {
            if predecessors[cranelift_entity::EntityRef::index(to)] > 1 {
                split(context, function, block, to);
            }
        }
    }
    Ok(())
}

fn is_terminator(context: &Context<'_>, data: &InstData) -> bool {
    flags(context, data).contains(OpcodeFlags::TERMINATOR)
}

fn flags(context: &Context<'_>, data: &InstData) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => context.target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

/// Gives a block that falls through a jump; the last pass drops the jumps that are not needed.
fn make_fall_throughs_explicit(context: &Context<'_>, function: &mut Function) {
    let layout = function.layout().to_vec();
    for (index, &block) in layout.iter().enumerate() {
        let ends = function
            .last_inst(block)
            .is_some_and(|last| flags(context, function.inst(last)).contains(OpcodeFlags::BARRIER));
        if !ends && function.successors(block).next().is_none() {
            // No defined execution comes here.
            function.append(block, context.target.machine.trap());
            continue;
        }
        let Some(&next) = layout.get(index + 1) else { continue };
        if !ends && function.successors(block).any(|successor| successor == next) {
            function.append(block, context.target.machine.jump(next));
        }
    }
}

/// Puts a block with a jump between `from` and `to`.
fn split(context: &Context<'_>, function: &mut Function, from: Block, to: Block) {
    let middle = function.new_block();
    function.append(middle, context.target.machine.jump(to));
    function.block_mut(middle).successors = vec![(to, None)];
    for successor in &mut function.block_mut(from).successors {
        if successor.0 == to {
            successor.0 = middle;
        }
    }
    let terminators: Vec<Inst> =
        function.insts_reversed(from).take_while(|&inst| is_terminator(context, function.inst(inst))).collect();
    terminators.into_iter().for_each(|inst| redirect(function, inst, to, middle));
    let phis: Vec<Inst> = function.insts(to).take_while(|&inst| function.inst(inst).opcode.is_phi()).collect();
    phis.into_iter().for_each(|inst| redirect(function, inst, from, middle));
}

/// Replaces block operands.
fn redirect(function: &mut Function, inst: Inst, old: Block, new: Block) {
    for index in 0..function.inst(inst).operands.len() {
        if function.inst(inst).operands[index] == Operand::Block(old) {
            function.set_operand(inst, index, Operand::Block(new));
        }
    }
}
