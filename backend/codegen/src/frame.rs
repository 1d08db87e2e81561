//! Pass `frame`: lays out the stack frame, saves and restores the callee-saved registers that the function writes, and
//! turns stack objects into offsets from the stack pointer.
//!
//! From the stack pointer up stand the saved registers, so that their offsets always fit, then stack objects and spill
//! slots. Copies that the allocator left become machine moves, or vanish.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{
    Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg, Properties, Reg, SlotKind, StackSlot,
    Stage,
};
use tribunal_target::Target;

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "frame", from: Stage::Allocated, to: Stage::FrameLowered, drops: Properties::empty(), run };

/// The largest frame, in bytes, that the far offset sequences of every target reach.
const LARGEST: u64 = 1 << 30;
fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let target = context.target;
    let (saved, saved_bytes) = saved_registers(function, target);
    let laid_out = remove_call_frames(function, target)
        .and_then(|has_calls| lay_out(function, target, saved_bytes).map(|size| (has_calls, size)));
    let (has_calls, size) = laid_out.map_err(|feature| CompileError::unsupported(function, PASS.name, feature))?;
    expand_copies(function, target)?;
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        insts.into_iter().for_each(|inst| resolve(function, target, inst, size));
    }
    if size > 0 {
        let frame = Frame { target, saved, size };
        frame.prologue(function)?;
        frame.epilogues(function)?;
        let info = &mut function.frame_info;
        (info.stack_size, info.adjusts_stack, info.has_calls) = (size.unsigned_abs(), has_calls, has_calls);
    }
    Ok(())
}

/// A register that the prologue saves, and its offset from the stack pointer after it.
type Saved = (PReg, i64);

/// The callee-saved registers, and the return address, that some instruction writes, with the bytes that they take.
fn saved_registers(function: &Function, target: &Target) -> (Vec<Saved>, i64) {
    let mut written = Vec::new();
    for &block in function.layout() {
        for inst in function.insts(block) {
            for operand in function.inst(inst).defs() {
                if let Reg::Physical(register) = operand.reg {
                    written.push(target.vocabulary.full_register(register));
                }
            }
        }
    }
    let kept = target.abi.callee_saved.iter().chain(std::iter::once(&target.abi.return_address));
    let mut end = 0;
    let place = |register: PReg| {
        let bytes = i64::from(target.spill_bytes(register));
        let offset = (end + bytes - 1) / bytes * bytes;
        end = offset + bytes;
        (register, offset)
    };
    let saved = kept.copied().filter(|register| written.contains(register)).map(place).collect();
    (saved, end)
}

/// Removes the call frames: nothing is passed on the stack, so the stack pointer stays where the prologue puts it. True
/// if there was a call.
fn remove_call_frames(function: &mut Function, target: &Target) -> Result<bool, String> {
    let mut has_calls = false;
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        for inst in insts {
            let data = function.inst(inst);
            has_calls |= target.is_call(data);
            if target.is_call_frame(data) {
                if (data.imm(0), data.imm(1)) != (Some(0), Some(0)) {
                    return Err("stack arguments".to_string());
                }
                function.remove(inst);
            }
        }
    }
    Ok(has_calls)
}

/// Gives every object its offset from the stack pointer on entry; returns the size of the frame in bytes.
fn lay_out(function: &mut Function, target: &Target, saved: i64) -> Result<i64, String> {
    let mut end = saved as u64;
    for object in function.stack.values() {
        if object.kind == SlotKind::VariableSized {
            return Err("variable-sized stack objects".to_string());
        }
        if object.align > target.abi.stack_align {
            return Err(format!("stack objects aligned to {} bytes", object.align));
        }
        end = end.next_multiple_of(object.align.into()).saturating_add(object.size);
        if end > LARGEST {
            return Err(format!("frames of more than {LARGEST} bytes"));
        }
    }
    if !function.fixed_stack.is_empty() {
        return Err("stack arguments".to_string());
    }
    let size = end.next_multiple_of(target.abi.stack_align.into());
    let mut next = saved as u64;
    for object in function.stack.values_mut() {
        next = next.next_multiple_of(object.align.into());
        object.offset = next as i64 - size as i64;
        next += object.size;
    }
    Ok(size as i64)
}

/// Expands the copies that allocation left: to nothing where both sides are one register, else to the machine's move.
fn expand_copies(function: &mut Function, target: &Target) -> Result<(), CompileError> {
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        for inst in insts {
            let data = function.inst(inst);
            match (data.opcode, data.operands.as_slice()) {
                (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src), ..]) => {
                    let (Reg::Physical(dst), Reg::Physical(src)) = (dst.reg, src.reg) else { continue };
                    let full = |register| target.vocabulary.full_register(register);
                    match full(dst) == full(src) {
                        true => function.remove(inst),
                        false => {
                            let copy = target.copy(full(dst), full(src)).ok_or_else(|| no_move(function))?;
                            function.replace(inst, copy);
                        }
                    }
                }
                (Opcode::IMPLICIT_DEF | Opcode::KILL, _) => function.remove(inst),
                _ => {}
            }
        }
    }
    Ok(())
}

/// The error for a move of a register for which the target has no row.
fn no_move(function: &Function) -> CompileError {
    CompileError::internal(function, PASS.name, "a register that is never moved is copied or saved")
}

/// Replaces a stack object operand and the offset after it.
fn resolve(function: &mut Function, target: &Target, inst: Inst, size: i64) {
    let data = function.inst(inst);
    let slot = data.operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::Stack(slot) => Some((index, *slot)),
        _ => None,
    });
    let (Some((index, slot)), Opcode::Target(opcode)) = (slot, data.opcode) else { return };
    let own = data.operands.get(index + 1).and_then(Operand::as_imm).unwrap_or(0);
    let offset = offset_of(function, slot, size) + target.operand_offset(opcode, own);
    let base = match target.offset_fits(opcode, offset) {
        true => {
            function.set_operand(inst, index + 1, Operand::Imm(target.offset_operand(opcode, offset)));
            target.abi.stack_pointer
        }
        false => {
            let scratch = target.abi.scratch[0];
            for code in target.machine.add_offset(scratch, target.abi.stack_pointer, offset, scratch) {
                function.insert_before(inst, code);
            }
            function.set_operand(inst, index + 1, Operand::Imm(0));
            scratch
        }
    };
    function.set_operand(inst, index, Operand::used(base));
}

/// Bytes from the stack pointer after the prologue.
fn offset_of(function: &Function, slot: StackSlot, size: i64) -> i64 {
    function.stack[slot].offset + size
}

/// The contents of prologue and epilogue.
struct Frame<'t> {
    target: &'t Target,
    saved: Vec<Saved>,
    /// Bytes.
    size: i64,
}

impl Frame<'_> {
    fn prologue(&self, function: &mut Function) -> Result<(), CompileError> {
        let Some(entry) = function.entry() else { return Ok(()) };
        let (target, sp, scratch) = (self.target, self.target.abi.stack_pointer, self.target.abi.scratch[0]);
        let spills = self.saved.iter().map(|&(register, offset)| target.spill(register, sp, offset));
        let spills: Option<Vec<InstData>> = spills.collect();
        let spills = spills.ok_or_else(|| no_move(function))?;
        let code = target.machine.add_offset(sp, sp, -self.size, scratch).into_iter().chain(spills);
        for data in code.rev() {
            function.prepend(entry, data.with_flags(InstFlags::FRAME_SETUP));
        }
        Ok(())
    }

    /// Before every return.
    fn epilogues(&self, function: &mut Function) -> Result<(), CompileError> {
        let (target, sp, scratch) = (self.target, self.target.abi.stack_pointer, self.target.abi.scratch[0]);
        let is_return = |data: &InstData| match data.opcode {
            Opcode::Target(opcode) => target.instruction(opcode).flags.contains(OpcodeFlags::RETURN),
            _ => false,
        };
        let reloads = self.saved.iter().map(|&(register, offset)| target.reload(register, sp, offset));
        let reloads: Option<Vec<InstData>> = reloads.collect();
        let mut code = reloads.ok_or_else(|| no_move(function))?;
        code.extend(target.machine.add_offset(sp, sp, self.size, scratch));
        for block in function.layout().to_vec() {
            let Some(last) = function.last_inst(block).filter(|&last| is_return(function.inst(last))) else { continue };
            for data in &code {
                function.insert_before(last, data.clone().with_flags(InstFlags::FRAME_DESTROY));
            }
        }
        Ok(())
    }
}
