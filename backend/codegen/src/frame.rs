//! Pass `frame`: lays out the stack frame, saves and restores the callee-saved registers that the function writes, and
//! turns stack objects into offsets from the stack pointer.
//!
//! From the stack pointer up stand the arguments of the function's calls, then the saved registers, so that their
//! offsets are small. Stack objects and spill slots follow, then registers that a variadic function keeps beside the
//! arguments that its caller passed on the stack. Copies that the allocator left become machine moves, or vanish.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{
    CfiInstruction, Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg, Properties, Reg, SlotKind,
    Stage,
};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "frame", from: Stage::Allocated, to: Stage::FrameLowered, drops: Properties::empty(), run };

/// The largest frame, in bytes, that the far offset sequences of every target reach.
const LARGEST: u64 = 1 << 30;
fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let target = context.target;
    let CallFrames { has_calls, outgoing } = remove_call_frames(function, target);
    let (saved, bottom) = saved_registers(function, target, outgoing);
    let laid_out = lay_out(function, target, bottom);
    let size = laid_out.map_err(|feature| CompileError::unsupported(function, PASS.name, feature))?;
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
        info.max_call_frame_size = u32::try_from(outgoing).ok().filter(|&bytes| bytes > 0).or(info.max_call_frame_size);
    }
    Ok(())
}

/// A register that the prologue saves, and its offset from the stack pointer after it.
type Saved = (PReg, i64);

/// The callee-saved registers, and the return address, that some instruction writes, from `bottom` on; with the bytes
/// up to their end.
fn saved_registers(function: &Function, target: &Target, bottom: u64) -> (Vec<Saved>, u64) {
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
    let mut end = bottom;
    let place = |register: PReg| {
        let bytes = u64::from(target.spill_bytes(register));
        let offset = end.next_multiple_of(bytes);
        end = offset.saturating_add(bytes);
        (register, offset.cast_signed())
    };
    let saved = kept.copied().filter(|register| written.contains(register)).map(place).collect();
    (saved, end)
}

/// The calls of a function, as far as its frame has to do with them.
#[derive(Default)]
struct CallFrames {
    /// There is a call that returns here.
    has_calls: bool,
    /// Bytes of the largest call frame: the arguments that are passed on the stack stand at the bottom of the frame.
    outgoing: u64,
}

/// Removes the markers of call frames: the prologue makes room for the largest, so the stack pointer stays where it is.
fn remove_call_frames(function: &mut Function, target: &Target) -> CallFrames {
    let mut frames = CallFrames::default();
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        for inst in insts {
            let data = function.inst(inst);
            frames.has_calls |= target.call_kind(data) == Some(CallKind::Returning);
            if target.is_call_frame(data) {
                let bytes = data.imm(0).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
                frames.outgoing = frames.outgoing.max(bytes);
                function.remove(inst);
            }
        }
    }
    frames.outgoing = frames.outgoing.next_multiple_of(target.abi.stack_align.into());
    frames
}

/// Gives every object its offset from the stack pointer on entry; returns the size of the frame in bytes.
fn lay_out(function: &mut Function, target: &Target, bottom: u64) -> Result<i64, String> {
    let mut end = bottom;
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
    // Objects of the caller's frame that lie in this one, as registers of a variadic function do.
    let own = function.fixed_stack.values().map(|object| object.offset.min(0).unsigned_abs()).max().unwrap_or(0);
    let size = end.saturating_add(own).next_multiple_of(target.abi.stack_align.into());
    if size > LARGEST {
        return Err(format!("frames of more than {LARGEST} bytes"));
    }
    let mut next = bottom;
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
                            let copy = copy(target, full(dst), full(src)).ok_or_else(|| no_move(function))?;
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

/// A move, which may be of the stack pointer: that is in no bank.
fn copy(target: &Target, dst: PReg, src: PReg) -> Option<InstData> {
    let of_stack_pointer = || match target.machine.add_offset(dst, src, 0, dst).as_slice() {
        [data] if src == target.abi.stack_pointer => Some(data.clone()),
        _ => None,
    };
    target.copy(dst, src).or_else(of_stack_pointer)
}

/// The error for a move of a register for which the target has no row.
fn no_move(function: &Function) -> CompileError {
    CompileError::internal(function, PASS.name, "a register that is never moved is copied or saved")
}

/// Replaces a stack object operand and the offset after it.
fn resolve(function: &mut Function, target: &Target, inst: Inst, size: i64) {
    let data = function.inst(inst);
    let slot = data.operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::Stack(slot) => Some((index, function.stack[*slot].offset)),
        Operand::FixedStack(slot) => Some((index, function.fixed_stack[*slot].offset)),
        _ => None,
    });
    let (Some((index, place)), Opcode::Target(opcode)) = (slot, data.opcode) else { return };
    let own = data.operands.get(index + 1).and_then(Operand::as_imm).unwrap_or(0);
    let offset = place + size + target.operand_offset(opcode, own);
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

/// The contents of prologue and epilogue.
struct Frame<'t> {
    target: &'t Target,
    saved: Vec<Saved>,
    /// Bytes.
    size: i64,
}

impl Frame<'_> {
    /// The moves of the saved registers, from the stack pointer, or from scratch where the arguments of calls lie
    /// between.
    fn moves(
        &self,
        function: &Function,
        scratch: PReg,
        moved: impl Fn(PReg, PReg, i64) -> Option<InstData>,
    ) -> Result<Vec<InstData>, CompileError> {
        let (target, sp) = (self.target, self.target.abi.stack_pointer);
        let mut code = Vec::new();
        let fits = |data: &InstData, offset| match data.opcode {
            Opcode::Target(opcode) => target.offset_fits(opcode, offset),
            _ => false,
        };
        for &(register, offset) in &self.saved {
            let near = moved(register, sp, offset).ok_or_else(|| no_move(function))?;
            if fits(&near, offset) {
                code.push(near);
                continue;
            }
            code.extend(target.machine.add_offset(scratch, sp, offset, scratch));
            code.push(moved(register, scratch, 0).ok_or_else(|| no_move(function))?);
        }
        Ok(code)
    }

    fn prologue(&self, function: &mut Function) -> Result<(), CompileError> {
        let Some(entry) = function.entry() else { return Ok(()) };
        let (target, sp) = (self.target, self.target.abi.stack_pointer);
        // A local function may have an argument in the usual one.
        let mut free = target.abi.scratch.iter().chain(target.abi.caller_saved).copied();
        let free = free.find(|&register| register != target.abi.return_address && !function.is_live_in(register));
        let scratch = free.unwrap_or(target.abi.scratch[0]);
        let spills = self.moves(function, scratch, |register, base, offset| target.spill(register, base, offset))?;
        let mut code = target.machine.add_offset(sp, sp, -self.size, scratch);
        code.push(rule(CfiInstruction::DefCfaOffset(self.size as i32)));
        code.extend(spills);
        let place = |&(register, offset): &Saved| CfiInstruction::Offset(register, (offset - self.size) as i32);
        code.extend(self.saved.iter().map(place).map(rule));
        for data in code.into_iter().rev() {
            function.prepend(entry, data.with_flags(InstFlags::FRAME_SETUP));
        }
        Ok(())
    }

    /// Before every return. The block behind one, in the layout, has the unwinder's rules of those that go on.
    fn epilogues(&self, function: &mut Function) -> Result<(), CompileError> {
        let (target, sp, scratch) = (self.target, self.target.abi.stack_pointer, self.target.abi.scratch[0]);
        let is_return = |data: &InstData| match data.opcode {
            Opcode::Target(opcode) => target.instruction(opcode).flags.contains(OpcodeFlags::RETURN),
            _ => false,
        };
        let mut code = self.moves(function, scratch, |register, base, offset| target.reload(register, base, offset))?;
        code.extend(self.saved.iter().map(|&(register, _)| rule(CfiInstruction::Restore(register))));
        code.extend(target.machine.add_offset(sp, sp, self.size, scratch));
        code.push(rule(CfiInstruction::DefCfaOffset(0)));
        let layout = function.layout().to_vec();
        for (index, &block) in layout.iter().enumerate() {
            let Some(last) = function.last_inst(block).filter(|&last| is_return(function.inst(last))) else { continue };
            let next = layout.get(index + 1);
            let remembered = next.map(|_| rule(CfiInstruction::RememberState));
            for data in remembered.iter().chain(&code) {
                function.insert_before(last, data.clone().with_flags(InstFlags::FRAME_DESTROY));
            }
            if let Some(&next) = next {
                function.prepend(next, rule(CfiInstruction::RestoreState));
            }
        }
        Ok(())
    }
}

fn rule(instruction: CfiInstruction) -> InstData {
    InstData::new(Opcode::CFI_INSTRUCTION, [Operand::Cfi(instruction)])
}
