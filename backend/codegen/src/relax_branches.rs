//! Pass `relax-branches`: drops jumps to the next block, and relaxes conditional branches that do not reach their
//! target. A relaxed branch is the opposite branch around a jump. A relaxed jump goes through a scratch register.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Properties, Reg, Stage};
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
    // Code only grows, so a branch that does not reach never will.
    loop {
        let far = out_of_reach(function, target);
        if far.is_empty() {
            return Ok(());
        }
        lengthen_all(function, target, &far)?;
    }
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

/// The branches that do not reach their targets, in the order of the code.
fn out_of_reach(function: &Function, target: &Target) -> Vec<(Inst, Block)> {
    let offsets = block_offsets(function, target);
    let mut far = Vec::new();
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
                    far.push((inst, to));
                }
            }
            offset += size(target, data);
        }
    }
    far
}

/// Lengthens each branch of a list in the order of the code. One that another of its block moved has a later turn.
fn lengthen_all(function: &mut Function, target: &Target, far: &[(Inst, Block)]) -> Result<(), CompileError> {
    let is_far_jump = |&(inst, _): &(Inst, Block)| is_jump(target, function.inst(inst));
    let scratch = if far.iter().any(is_far_jump) { free_on_edges(function, target) } else { None };
    // New blocks come to the end of the layout; each has its place after its branch's block instead.
    let old = function.layout().to_vec();
    let mut around: Vec<(Block, [Block; 2])> = Vec::new();
    for &(inst, to) in far {
        let Some(block) = function.block_of(inst) else { continue };
        match target.machine.invert_branch(function.inst(inst)) {
            Some(opposite) => around.push((block, lengthen(function, target, (block, inst, to), opposite))),
            None => {
                let jump = far_jump(function, target, (inst, to), scratch)?;
                function.replace(inst, jump);
            }
        }
    }
    let mut around = around.into_iter().peekable();
    let mut layout = Vec::with_capacity(old.len() + 2 * around.len());
    for block in old {
        layout.push(block);
        layout.extend(around.next_if(|(before, _)| *before == block).into_iter().flat_map(|(_, blocks)| blocks));
    }
    function.set_layout(layout);
    Ok(())
}

/// A jump of any distance in the place of `inst`, through `scratch`.
fn far_jump(
    function: &Function,
    target: &Target,
    (inst, to): (Inst, Block),
    scratch: Option<PReg>,
) -> Result<InstData, CompileError> {
    let jump = scratch.filter(|_| is_jump(target, function.inst(inst)));
    let jump = jump.and_then(|scratch| target.machine.far_jump(to, scratch));
    jump.ok_or_else(|| CompileError::unsupported(function, PASS.name, "jumps beyond the reach of the jump instruction"))
}

/// A register that no edge carries a value in. The allocator gives no value to the scratch registers, but a function
/// that others allocated may have one there.
fn free_on_edges(function: &Function, target: &Target) -> Option<PReg> {
    let carries = |register| function.layout().iter().any(|&block| reads_first(function, target, block, register));
    target.abi.scratch.iter().copied().find(|&register| !carries(register))
}

/// True if the block reads the register before it writes it.
fn reads_first(function: &Function, target: &Target, block: Block, register: PReg) -> bool {
    let is_it = |reg: Reg| reg.as_physical().is_some_and(|other| target.vocabulary.full_register(other) == register);
    for data in function.insts(block).map(|inst| function.inst(inst)) {
        if data.uses().any(|operand| is_it(operand.reg)) {
            return true;
        }
        if data.defs().any(|operand| is_it(operand.reg)) {
            return false;
        }
    }
    false
}

/// Puts the jump to the branch's target in a block of its own, and the opposite branch around it. The two new blocks
/// stand after the branch's.
fn lengthen(
    function: &mut Function,
    target: &Target,
    (block, inst, to): (Block, Inst, Block),
    opposite: InstData,
) -> [Block; 2] {
    let (jump, rest) = (function.new_block(), function.new_block());
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
    [jump, rest]
}
