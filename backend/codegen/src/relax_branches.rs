//! Pass `relax-branches`: drops jumps to the next block, and relaxes conditional branches that do not reach their
//! target. A relaxed branch is the opposite branch around a jump.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Properties, Stage};
use tribunal_target::Target;
use tribunal_target::instructions::OperandDesc;

/// The pass, as the pipeline lists it.
pub static PASS: Pass = Pass {
    name: "relax-branches",
    from: Stage::FrameLowered,
    to: Stage::BranchesRelaxed,
    drops: Properties::empty(),
    run,
};

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let target = context.target;
    simplify(function, target);
    // Each round makes some branch long for good, so there are no more rounds than branches.
    while let Some((inst, label)) = first_out_of_reach(function, target) {
        lengthen(function, target, inst, label)?;
    }
    Ok(())
}

fn flags(target: &Target, data: &InstData) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

/// The block that a branch names.
fn label(data: &InstData) -> Option<Block> {
    data.operands.iter().find_map(|operand| match operand {
        Operand::Block(block) => Some(*block),
        _ => None,
    })
}

fn is_jump(target: &Target, data: &InstData) -> bool {
    flags(target, data).contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER) && label(data).is_some()
}

/// `Bcc next; J other` becomes `Bncc other`; a jump to the next block is removed.
fn simplify(function: &mut Function, target: &Target) {
    let layout = function.layout().to_vec();
    for (index, &block) in layout.iter().enumerate() {
        let Some(last) = function.last_inst(block).filter(|&last| is_jump(target, function.inst(last))) else {
            continue;
        };
        let next = layout.get(index + 1).copied();
        let branch = function
            .previous_inst(last)
            .filter(|&inst| flags(target, function.inst(inst)).contains(OpcodeFlags::BRANCH));
        if let Some(branch) = branch
            && label(function.inst(branch)) == next
            && let Some(opposite) = target.machine.invert_branch(function.inst(branch))
            && let Some(other) = label(function.inst(last))
        {
            function.replace(branch, with_label(opposite, other));
            function.remove(last);
        } else if label(function.inst(last)) == next {
            function.remove(last);
        }
    }
}

fn with_label(mut data: InstData, to: Block) -> InstData {
    for operand in &mut data.operands {
        if matches!(operand, Operand::Block(_)) {
            *operand = Operand::Block(to);
        }
    }
    data
}

/// Bytes from the start of the function to each block.
pub(crate) fn block_offsets(function: &Function, target: &Target) -> Vec<i64> {
    let mut offsets = vec![0; function.block_bound()];
    let mut offset = 0;
    for &block in function.layout() {
        offsets[block.as_u32() as usize] = offset;
        for inst in function.insts(block) {
            offset += size(target, function.inst(inst));
        }
    }
    offsets
}

/// Bytes of machine code.
pub(crate) fn size(target: &Target, data: &InstData) -> i64 {
    match data.opcode {
        Opcode::Target(opcode) => i64::from(target.instruction(opcode).size),
        _ => 0,
    }
}

fn first_out_of_reach(function: &Function, target: &Target) -> Option<(Inst, Block)> {
    let offsets = block_offsets(function, target);
    for &block in function.layout() {
        let mut offset = offsets[block.as_u32() as usize];
        for inst in function.insts(block) {
            let data = function.inst(inst);
            if let (Opcode::Target(opcode), Some(to)) = (data.opcode, label(data)) {
                let distance = offsets[to.as_u32() as usize] - offset;
                let reaches = target.instruction(opcode).operands.iter().all(|desc| match *desc {
                    OperandDesc::Label { bits, .. } => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&distance),
                    _ => true,
                });
                if !reaches {
                    return Some((inst, to));
                }
            }
            offset += size(target, data);
        }
    }
    None
}

/// Puts the jump to `to` in a block of its own, and the opposite branch around it.
fn lengthen(function: &mut Function, target: &Target, inst: Inst, to: Block) -> Result<(), CompileError> {
    let far = || CompileError::unsupported(function, PASS.name, "jumps beyond the reach of the jump instruction");
    let opposite = target.machine.invert_branch(function.inst(inst)).ok_or_else(far)?;
    let block = function.block_of(inst).ok_or_else(far)?;
    let mut layout = function.layout().to_vec();
    let position = layout.iter().position(|&other| other == block).ok_or_else(far)?;
    let (jump, rest) = (function.new_block(), function.new_block());
    layout.splice(position + 1..position + 1, [jump, rest]);
    function.set_layout(layout);

    function.append(jump, target.machine.jump(to));
    let following: Vec<Inst> =
        std::iter::successors(function.next_inst(inst), |&inst| function.next_inst(inst)).collect();
    for inst in following {
        let data = function.inst(inst).clone();
        function.remove(inst);
        function.append(rest, data);
    }
    function.replace(inst, with_label(opposite, rest));
    let onward: Vec<_> = std::mem::take(&mut function.block_mut(block).successors);
    // The instructions after the branch may lead to its target too.
    let again = function.insts(rest).any(|inst| label(function.inst(inst)) == Some(to));
    function.block_mut(rest).successors =
        onward.iter().copied().filter(|&(successor, _)| successor != to || again).collect();
    function.block_mut(block).successors = vec![(jump, None), (rest, None)];
    function.block_mut(jump).successors = vec![(to, None)];
    Ok(())
}
