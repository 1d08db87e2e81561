//! Edits of the control flow graph: blocks are removed, merged, split and moved.

use super::scope::{Scope, is_free};
use super::values::rename;
use tribunal_ir::{Block, Builder, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Position, Stage, VReg};
use tribunal_target::Target;

fn is_terminator(function: &Function, target: &Target, inst: Inst) -> bool {
    function.opcode_flags(function.inst(inst), target.vocabulary).contains(OpcodeFlags::TERMINATOR)
}

fn is_placed(function: &Function, block: Block) -> bool {
    function.layout().contains(&block)
}

/// The branch to a block: the machine's own, once its instructions are selected.
fn jump(function: &Function, target: &Target, to: Block) -> InstData {
    match function.stage < Stage::Selected {
        true => InstData::new(Opcode::G_BR, [Operand::Block(to)]),
        false => target.machine.jump(to),
    }
}

/// True for a branch to `to`, and nothing else.
fn is_jump(function: &Function, target: &Target, data: &InstData, to: Block) -> bool {
    let jump = jump(function, target, to);
    (data.opcode, &data.operands) == (jump.opcode, &jump.operands)
}

/// The next block in the layout.
fn below(function: &Function, block: Block) -> Option<Block> {
    function.layout().iter().copied().skip_while(|&other| other != block).nth(1)
}

/// Ends a block that falls into the next one with a branch to it, so that blocks may move.
fn end_explicitly(function: &mut Function, target: &Target, block: Block) {
    let ends = function.last_inst(block).is_some_and(|inst| {
        let flags = function.opcode_flags(function.inst(inst), target.vocabulary);
        flags.contains(OpcodeFlags::TERMINATOR | OpcodeFlags::BARRIER)
    });
    if let (false, Some(next)) = (ends, below(function, block))
        && function.successors(block).any(|successor| successor == next)
    {
        let jump = jump(function, target, next);
        function.append(block, jump);
    }
}

/// Removes the terminators and branches to `to`.
fn end_with_jump(function: &mut Function, target: &Target, block: Block, to: Block) {
    let ends: Vec<Inst> =
        function.insts_reversed(block).take_while(|&inst| is_terminator(function, target, inst)).collect();
    ends.into_iter().for_each(|inst| function.remove(inst));
    let jump = jump(function, target, to);
    function.append(block, jump);
    function.block_mut(block).successors = vec![(to, None)];
}

fn phis(function: &Function, block: Block) -> Vec<Inst> {
    function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi()).collect()
}

/// The PHIs of `block` lose their values for `from`.
fn drop_edge(function: &mut Function, from: Block, block: Block) {
    for inst in phis(function, block) {
        let mut data = function.inst(inst).clone();
        while let Some(index) = data.operands.iter().position(|operand| *operand == Operand::Block(from)) {
            data.operands.drain(index - 1..=index);
        }
        function.replace(inst, data);
    }
}

/// The PHIs of the successors of `block` name it where they named `old`.
fn rename_predecessor(function: &mut Function, old: Block, block: Block) {
    let successors: Vec<Block> = function.successors(block).collect();
    for inst in successors.into_iter().flat_map(|successor| phis(function, successor)).collect::<Vec<_>>() {
        let mut data = function.inst(inst).clone();
        data.operands.iter_mut().filter(|operand| **operand == Operand::Block(old)).for_each(|operand| {
            *operand = Operand::Block(block);
        });
        function.replace(inst, data);
    }
}

/// Removes unreachable blocks, with their instructions.
fn prune(function: &mut Function) {
    let reached = function.reverse_post_order();
    let gone: Vec<Block> = function.layout().iter().copied().filter(|block| !reached.contains(block)).collect();
    for &block in &gone {
        let successors: Vec<Block> = function.successors(block).collect();
        successors.into_iter().for_each(|successor| drop_edge(function, block, successor));
    }
    for &block in &gone {
        let insts: Vec<Inst> = function.insts(block).collect();
        insts.into_iter().for_each(|inst| function.remove(inst));
    }
    let layout = function.layout().iter().copied().filter(|block| !gone.contains(block)).collect();
    function.set_layout(layout);
}

pub(super) fn goto(function: &mut Function, target: &Target, block: Block, to: Block) -> bool {
    let successors: Vec<Block> = function.successors(block).collect();
    let last = function.last_inst(block).map(|inst| function.inst(inst));
    let jumps_already = last.is_some_and(|data| is_jump(function, target, data, to));
    let alone = successors.iter().all(|&successor| successor == to);
    if !is_placed(function, block) || !successors.contains(&to) || (alone && jumps_already) {
        return false;
    }
    for successor in successors.into_iter().filter(|&successor| successor != to) {
        drop_edge(function, block, successor);
    }
    end_with_jump(function, target, block, to);
    prune(function);
    true
}

pub(super) fn exchange(function: &mut Function, target: &Target, block: Block) -> bool {
    let successors: Vec<Block> = function.successors(block).collect();
    let (true, &[one, other]) = (is_placed(function, block), successors.as_slice()) else { return false };
    let is_branch = |inst: &Inst| matches!(function.inst(*inst).opcode, Opcode::G_BR | Opcode::G_BRCOND);
    let terminators = || function.insts_reversed(block).take_while(|&inst| is_terminator(function, target, inst));
    if one == other || !terminators().all(|inst| is_branch(&inst)) {
        return false;
    }
    end_explicitly(function, target, block);
    let ends: Vec<Inst> =
        function.insts_reversed(block).take_while(|&inst| is_terminator(function, target, inst)).collect();
    for inst in ends {
        let mut data = function.inst(inst).clone();
        for operand in &mut data.operands {
            match *operand {
                Operand::Block(to) if to == one => *operand = Operand::Block(other),
                Operand::Block(to) if to == other => *operand = Operand::Block(one),
                _ => {}
            }
        }
        function.replace(inst, data);
    }
    true
}

pub(super) fn fall_through(function: &mut Function, target: &Target, block: Block) -> bool {
    let Some(last) = function.last_inst(block).filter(|_| is_placed(function, block)) else { return false };
    let data = function.inst(last);
    let falls = below(function, block).is_some_and(|next| is_jump(function, target, data, next));
    if falls {
        function.remove(last);
    }
    falls
}

/// The block that defines `register` ends after its definition with a return of it.
pub(super) fn end_with_return(function: &mut Function, target: &Target, register: VReg) -> bool {
    let Some(ty) = function.type_of(register).filter(|ty| ty.is_scalar()) else { return false };
    let Some(def) = function.def_of(register) else { return false };
    let Some(block) = function.block_of(def) else { return false };
    let below = std::iter::successors(function.next_inst(def), |&inst| function.next_inst(inst));
    let gone: Vec<Inst> = below.skip_while(|&inst| function.inst(inst).opcode.is_phi()).collect();
    if !gone.first().is_some_and(|&inst| is_free(function, target, inst)) {
        return false;
    }
    let successors: Vec<Block> = function.successors(block).collect();
    successors.into_iter().for_each(|successor| drop_edge(function, block, successor));
    gone.into_iter().for_each(|inst| function.remove(inst));
    function.block_mut(block).successors.clear();
    let whole = target.register_type();
    let conversion = match ty.bits().cmp(&whole.bits()) {
        std::cmp::Ordering::Less => Some(Opcode::G_ZEXT),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Opcode::G_TRUNC),
    };
    let mut builder = Builder::new(function, Position::AtEnd(block));
    let value = conversion.map_or(register, |opcode| builder.op(whole, opcode, &[register]));
    let result = target.abi.results()[0];
    builder.push(InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(value)]));
    builder.push(InstData::new(Opcode::Target(target.abi.return_opcode), [Operand::implicit_use(result)]));
    prune(function);
    true
}

pub(super) fn join(function: &mut Function, target: &Target, block: Block) -> bool {
    let successors: Vec<Block> = function.successors(block).collect();
    let Some(&next) = successors.first() else { return false };
    let alone = successors.iter().all(|&successor| successor == next);
    let joins = is_placed(function, block) && next != block && Some(next) != function.entry();
    let predecessors = &function.predecessors()[next.as_u32() as usize];
    if !alone || !joins || predecessors.iter().any(|&other| other != block) {
        return false;
    }
    end_explicitly(function, target, next);
    let ends: Vec<Inst> =
        function.insts_reversed(block).take_while(|&inst| is_terminator(function, target, inst)).collect();
    ends.into_iter().for_each(|inst| function.remove(inst));
    for inst in phis(function, next) {
        let data = function.inst(inst);
        let value = data.phi_inputs().next().map(|(value, _)| value);
        let Some((register, value)) = data.vreg(0).zip(value) else { continue };
        rename(function, register, value);
        function.remove(inst);
    }
    move_insts(function, next, None, block);
    function.block_mut(block).successors = function.block(next).successors.clone();
    rename_predecessor(function, next, block);
    let layout = function.layout().iter().copied().filter(|&other| other != next).collect();
    function.set_layout(layout);
    true
}

/// Moves the instructions from `first` on, or all, to the end of `to`.
fn move_insts(function: &mut Function, from: Block, first: Option<Inst>, to: Block) {
    let skipped = |inst: &Inst| first.is_some_and(|first| *inst != first);
    let moved: Vec<Inst> = function.insts(from).skip_while(skipped).collect();
    for inst in moved {
        let data = function.inst(inst).clone();
        function.append(to, data);
        function.remove(inst);
    }
}

/// The new block that begins with the instructions from `inst` on.
pub(super) fn split(function: &mut Function, target: &Target, inst: Inst) -> Option<Block> {
    let block = function.block_of(inst)?;
    if !is_free(function, target, inst) {
        return None;
    }
    end_explicitly(function, target, block);
    let tail = function.new_block();
    move_insts(function, block, Some(inst), tail);
    function.block_mut(tail).successors = std::mem::take(&mut function.block_mut(block).successors);
    rename_predecessor(function, block, tail);
    let onward = jump(function, target, tail);
    function.append(block, onward);
    function.block_mut(block).successors = vec![(tail, None)];
    place_after(function, block, tail);
    Some(tail)
}

/// Moves `block`, the last in the layout, to the place after `previous`.
fn place_after(function: &mut Function, previous: Block, block: Block) {
    let mut layout: Vec<Block> = function.layout().iter().copied().filter(|&other| other != block).collect();
    let index = layout.iter().position(|&other| other == previous).map_or(layout.len(), |index| index + 1);
    layout.insert(index, block);
    function.set_layout(layout);
}

pub(super) fn diamond(function: &mut Function, target: &Target, before: Inst, condition: VReg) -> bool {
    let is_condition = function.type_of(condition) == Some(tribunal_ir::types::S1);
    if !is_condition || !Scope::new(function).is_above(function, condition, before) {
        return false;
    }
    let Some(head) = function.block_of(before) else { return false };
    let Some(tail) = split(function, target, before) else { return false };
    let side = function.new_block();
    let back = jump(function, target, tail);
    function.append(side, back);
    function.block_mut(side).successors = vec![(tail, None)];
    place_after(function, head, side);
    end_with_jump(function, target, head, tail);
    let last = function.last_inst(head);
    let branch = InstData::new(Opcode::G_BRCOND, [Operand::used(condition), Operand::Block(side)]);
    if let Some(last) = last {
        function.insert_before(last, branch);
    }
    function.block_mut(head).successors = vec![(side, None), (tail, None)];
    true
}
