//! Planted faults of passes that do not rewrite by rules: their output is changed.

use super::{BOTH, Fault, staged};
use tribunal_ir::function::SlotKind;
use tribunal_ir::{Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg, Reg, StackSlot};
use tribunal_target::Target;

pub(super) static FAULTS: &[Fault] = &[
    staged("load-moved-across-a-store", "llvm#78477", BOTH, "select", load_before_store),
    staged("stores-reordered", "store reordered", BOTH, "select", stores_reordered),
    staged("copy-left-out", "move forgotten", BOTH, "allocate", |f, t| {
        let copy = insts(f).into_iter().rev().find(|&inst| moves(f.inst(inst), t).is_some())?;
        f.remove(copy);
        Some(())
    }),
    staged("copies-in-the-wrong-order", "parallel moves in sequence", BOTH, "allocate", copies_exchanged),
    staged("wrong-register-read", "wrong register", BOTH, "allocate", wrong_register),
    staged("result-overwritten-by-scratch", "synth#632", BOTH, "allocate", |f, t| {
        let (last, result) = returned(f, t)?;
        f.insert_before(last, t.moves(t.default_features).copy(result, t.abi.scratch[0])?);
        Some(())
    }),
    staged("spill-slots-share-memory", "stack slot overlap", BOTH, "allocate", |f, _| {
        let [first, second] = spill_slots(f)?;
        renamed(f, &insts(f), second, first)
    }),
    staged("reload-from-another-slot", "wrong slot", BOTH, "allocate", |f, t| {
        let [first, second] = spill_slots(f)?;
        let loads = |&inst: &Inst| flags(f.inst(inst), t).contains(OpcodeFlags::LOAD);
        let loads: Vec<Inst> = insts(f).into_iter().filter(loads).collect();
        renamed(f, &loads, second, first)
    }),
    staged("kept-in-a-register-that-a-call-loses", "missing clobber", BOTH, "allocate", lost_over_a_call),
    staged("callee-saved-register-not-saved", "callee-saved register lost", BOTH, "frame", |f, t| {
        let save =
            insts(f).into_iter().find(|&inst| is_frame(f, inst, InstFlags::FRAME_SETUP, t, OpcodeFlags::STORE))?;
        f.remove(save);
        Some(())
    }),
    staged("callee-saved-register-not-restored", "callee-saved register lost", BOTH, "frame", |f, t| {
        let mut restores = insts(f).into_iter().rev();
        let restore = restores.find(|&inst| is_frame(f, inst, InstFlags::FRAME_DESTROY, t, OpcodeFlags::LOAD))?;
        f.remove(restore);
        Some(())
    }),
    staged("saved-registers-share-memory", "stack slot overlap", BOTH, "frame", |f, t| {
        let saves = |&inst: &Inst| is_frame(f, inst, InstFlags::FRAME_SETUP, t, OpcodeFlags::STORE);
        let [first, second, ..] = *insts(f).into_iter().filter(saves).collect::<Vec<_>>() else { return None };
        let (offset, index) = (offset(f, first)?, offset(f, second)?.1);
        f.set_operand(second, index, Operand::Imm(offset.0));
        Some(())
    }),
    staged("frame-not-allocated", "stack slot overlap", BOTH, "frame", |f, t| {
        let frame =
            |flag| move |f: &Function, inst: Inst| f.inst(inst).flags.contains(flag) && writes_sp(f.inst(inst), t);
        let (setup, destroy) = (frame(InstFlags::FRAME_SETUP), frame(InstFlags::FRAME_DESTROY));
        let found: Vec<Inst> = insts(f).into_iter().filter(|&inst| setup(f, inst) || destroy(f, inst)).collect();
        found.iter().for_each(|&inst| f.remove(inst));
        (!found.is_empty()).then_some(())
    }),
    staged("stack-pointer-not-restored", "stack pointer lost", BOTH, "frame", |f, t| {
        let destroys =
            |&inst: &Inst| f.inst(inst).flags.contains(InstFlags::FRAME_DESTROY) && writes_sp(f.inst(inst), t);
        let last = insts(f).into_iter().rev().find(destroys)?;
        f.remove(last);
        Some(())
    }),
    staged("stack-object-off-by-a-word", "stack slot overlap", BOTH, "frame", |f, t| {
        let plain = |data: &InstData| !data.flags.intersects(InstFlags::FRAME_SETUP | InstFlags::FRAME_DESTROY);
        let reads = |data: &InstData| flags(data, t).contains(OpcodeFlags::LOAD) && uses(data, t.abi.stack_pointer);
        let load = insts(f).into_iter().rev().find(|&inst| plain(f.inst(inst)) && reads(f.inst(inst)))?;
        let (value, index) = offset(f, load)?;
        f.set_operand(load, index, Operand::Imm(value + 8));
        Some(())
    }),
    staged("return-address-not-restored", "missing clobber", BOTH, "frame", |f, t| {
        let restores = |data: &InstData| data.defs().any(|operand| operand.reg == Reg::Physical(t.abi.return_address));
        let destroys = |data: &InstData| data.flags.contains(InstFlags::FRAME_DESTROY) && restores(data);
        let reload = insts(f).into_iter().rev().find(|&inst| destroys(f.inst(inst)))?;
        f.remove(reload);
        Some(())
    }),
    staged("stack-misaligned-at-a-call", "stack alignment", BOTH, "frame", |f, t| {
        let call = insts(f).into_iter().find(|&inst| t.is_call(f.inst(inst)))?;
        let (sp, next) = (t.abi.stack_pointer, f.next_inst(call)?);
        for (position, offset) in [(call, -8), (next, 8)] {
            for data in t.machine.add_offset(sp, sp, offset, t.abi.scratch[0]) {
                f.insert_before(position, data);
            }
        }
        Some(())
    }),
    staged("condition-turned-over", "wrong predicate", BOTH, "relax-branches", |f, t| {
        let opposite = |inst: &Inst| t.machine.invert_branch(f.inst(*inst));
        let (branch, data) = insts(f).into_iter().rev().find_map(|inst| Some((inst, opposite(&inst)?)))?;
        f.replace(branch, data);
        Some(())
    }),
    staged("jump-left-out", "branch off by one", BOTH, "relax-branches", |f, t| {
        let jumps = |data: &InstData| flags(data, t).contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER);
        let jump = insts(f).into_iter().rev().find(|&inst| jumps(f.inst(inst)))?;
        f.remove(jump);
        Some(())
    }),
    staged("branch-to-another-block", "branch off by one", BOTH, "relax-branches", |f, _| {
        let layout = f.layout().to_vec();
        let (inst, index, block) = insts(f).into_iter().rev().find_map(|inst| {
            let labels = f.inst(inst).operands.iter().enumerate();
            labels.rev().find_map(|(index, operand)| match operand {
                Operand::Block(block) => Some((inst, index, *block)),
                _ => None,
            })
        })?;
        let place = layout.iter().position(|&other| other == block)?;
        let other = *layout.get(place + 1).or_else(|| layout.get(place.checked_sub(1)?))?;
        f.set_operand(inst, index, Operand::Block(other));
        Some(())
    }),
];

fn insts(function: &Function) -> Vec<Inst> {
    function.all_insts().collect()
}

fn flags(data: &InstData, target: &Target) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

fn is_frame(function: &Function, inst: Inst, flag: InstFlags, target: &Target, access: OpcodeFlags) -> bool {
    let data = function.inst(inst);
    data.flags.contains(flag) && flags(data, target).contains(access)
}

fn uses(data: &InstData, register: PReg) -> bool {
    data.uses().any(|operand| operand.reg == Reg::Physical(register))
}

fn writes_sp(data: &InstData, target: &Target) -> bool {
    data.defs().any(|operand| operand.reg == Reg::Physical(target.abi.stack_pointer))
}

/// The offset of a frame access, and its operand.
fn offset(function: &Function, inst: Inst) -> Option<(i64, usize)> {
    let data = function.inst(inst);
    let index = data.operands.iter().rposition(|operand| matches!(operand, Operand::Imm(_)))?;
    Some((data.imm(index)?, index))
}

/// Destination and source of a copy that moves something.
fn moves(data: &InstData, target: &Target) -> Option<(PReg, PReg)> {
    let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else { return None };
    let full = |reg: Reg| reg.as_physical().map(|register| target.vocabulary.full_register(register));
    let (dst, src) = (full(dst.reg)?, full(src.reg)?);
    (data.opcode == Opcode::COPY && dst != src).then_some((dst, src))
}

fn exchanged(function: &mut Function, first: Inst) -> Option<()> {
    let (second, data) = (function.next_inst(first)?, function.inst(first).clone());
    function.remove(first);
    function.insert_after(second, data);
    Some(())
}

fn copies_exchanged(function: &mut Function, target: &'static Target) -> Option<()> {
    let hangs_together = |inst: Inst| {
        let (to, from) = moves(function.inst(inst), target)?;
        let (next_to, next_from) = moves(function.inst(function.next_inst(inst)?), target)?;
        (to == next_from || next_to == from).then_some(())
    };
    let first = insts(function).into_iter().find(|&inst| hangs_together(inst).is_some())?;
    exchanged(function, first)
}

/// The last instruction that reads two registers reads the first twice.
fn wrong_register(function: &mut Function, target: &'static Target) -> Option<()> {
    let two = |data: &InstData| {
        let is_plain = flags(data, target) == OpcodeFlags::empty() && matches!(data.opcode, Opcode::Target(_));
        match data.operands.as_slice() {
            [_, a @ Operand::Reg(_), b @ Operand::Reg(_)] if is_plain && a != b => Some(*a),
            _ => None,
        }
    };
    let found = insts(function).into_iter().rev().find_map(|inst| Some((inst, two(function.inst(inst))?)));
    let (inst, operand) = found?;
    function.set_operand(inst, 2, operand);
    Some(())
}

/// The last return, and the first register that it returns.
pub(super) fn returned(function: &Function, target: &Target) -> Option<(Inst, PReg)> {
    let is_return = |data: &InstData| flags(data, target).contains(OpcodeFlags::RETURN);
    let last = insts(function).into_iter().rev().find(|&inst| is_return(function.inst(inst)))?;
    let mut results = function.inst(last).uses().filter_map(|operand| operand.reg.as_physical());
    Some((last, target.vocabulary.full_register(results.find(|register| *register != target.abi.return_address)?)))
}

fn spill_slots(function: &Function) -> Option<[StackSlot; 2]> {
    let mut spills = function.stack.iter().filter(|(_, object)| object.kind == SlotKind::Spill).map(|(slot, _)| slot);
    Some([spills.next()?, spills.next()?])
}

/// Every mention of slot `from` in `insts` becomes one of `to`.
fn renamed(function: &mut Function, insts: &[Inst], from: StackSlot, to: StackSlot) -> Option<()> {
    let mut changed = None;
    for &inst in insts {
        for index in 0..function.inst(inst).operands.len() {
            if function.inst(inst).operands[index] == Operand::Stack(from) {
                function.set_operand(inst, index, Operand::Stack(to));
                changed = Some(());
            }
        }
    }
    changed
}

/// A callee-saved register with contents becomes one that calls clobber, throughout.
fn lost_over_a_call(function: &mut Function, target: &'static Target) -> Option<()> {
    let all = insts(function);
    all.iter().find(|&&inst| target.is_call(function.inst(inst)))?;
    let full = |reg: Reg| reg.as_physical().map(|register| target.vocabulary.full_register(register));
    let mentioned: Vec<PReg> = all
        .iter()
        .flat_map(|&inst| function.inst(inst).operands.iter().filter_map(Operand::as_reg).filter_map(|o| full(o.reg)))
        .collect();
    let kept = *target.abi.callee_saved.iter().find(|register| mentioned.contains(register))?;
    // Flags have no bank.
    let free = |&&register: &&PReg| {
        target.bank_of(register) == target.bank_of(kept)
            && !mentioned.contains(&register)
            && !target.abi.scratch.contains(&register)
    };
    let lost =
        *target.abi.caller_saved.iter().filter(|register| target.abi.return_address != **register).rfind(free)?;
    for inst in all {
        for index in 0..function.inst(inst).operands.len() {
            if let Operand::Reg(mut operand) = function.inst(inst).operands[index]
                && let Some(register) = operand.reg.as_physical()
                && target.vocabulary.full_register(register) == kept
            {
                operand.reg = Reg::Physical(target.part_of(lost, target.vocabulary.register_bits(register)));
                function.set_operand(inst, index, Operand::Reg(operand));
            }
        }
    }
    Some(())
}

/// Every load right after a store moves before it.
fn load_before_store(function: &mut Function, target: &'static Target) -> Option<()> {
    exchanged_where(function, |first, second| {
        flags(first, target).contains(OpcodeFlags::STORE) && flags(second, target).contains(OpcodeFlags::LOAD)
    })
}

/// Every store without a result moves after the next one, unless something else reads or ends the block between them.
fn stores_reordered(function: &mut Function, target: &'static Target) -> Option<()> {
    let mut changed = None;
    let (mut pending, mut block) = (None, None);
    for inst in insts(function) {
        let effects = flags(function.inst(inst), target);
        if block != function.block_of(inst) || effects.intersects(OpcodeFlags::LOAD | OpcodeFlags::CALL) {
            pending = None;
        }
        block = function.block_of(inst);
        if !effects.contains(OpcodeFlags::STORE) {
            continue;
        }
        if let Some(earlier) = pending.take() {
            let data = function.inst(earlier).clone();
            function.remove(earlier);
            function.insert_after(inst, data);
            changed = Some(());
        } else if function.inst(inst).defs().next().is_none() {
            pending = Some(inst);
        }
    }
    changed
}

fn exchanged_where(function: &mut Function, wanted: impl Fn(&InstData, &InstData) -> bool) -> Option<()> {
    let mut changed = None;
    for inst in insts(function) {
        let Some(next) = function.next_inst(inst) else { continue };
        if wanted(function.inst(inst), function.inst(next)) {
            changed = exchanged(function, inst);
        }
    }
    changed
}
