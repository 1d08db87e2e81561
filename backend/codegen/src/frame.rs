//! Pass `frame`: lays out the stack frame, saves and restores the callee-saved registers that the function writes, and
//! turns stack objects into offsets from a register.
//!
//! ```text
//!     without a frame pointer              with one
//!     arguments of the caller's call       arguments of the caller's call
//!     registers of a variadic function     registers of a variadic function
//!     stack objects, spill slots           frame record, saved registers      <- frame pointer
//!     saved registers                      stack objects, spill slots         (aligned downwards)
//!     arguments of the function's calls    arguments of the function's calls  <- base pointer
//!                      stack pointer ->    objects of variable size           <- stack pointer
//! ```
//!
//! Saved registers stand where their offsets are small. Where the stack pointer moves, it moves around each call too,
//! for the arguments on the stack; the prologue reserves nothing for them. Copies that the allocator left become
//! machine moves, or vanish.

mod code;
mod layout;
mod shape;

pub use shape::FrameShape;

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use code::FrameCode;
use layout::{FrameBase, FrameLayout};
use tribunal_ir::{Function, Inst, InstData, Opcode, Operand, PReg, Properties, Reg, SlotKind, StackObject, Stage};
use tribunal_target::abi::CallKind;
use tribunal_target::moves::Moves;
use tribunal_target::{THROUGH_STACK_BYTES, Target};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "frame", from: Stage::Allocated, to: Stage::FrameLowered, drops: Properties::empty(), run };

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let (target, moves) = (context.target, context.target.moves(context.options.features));
    let shape = FrameShape::of(function, target);
    shape.check(function, target)?;
    move_through_stack(function, target);
    let CallFrames { has_calls, largest } = expand_call_frames(function, target, shape);
    let layout = FrameLayout::new(function, (target, moves), shape, if shape.moves { 0 } else { largest });
    let layout = layout.map_err(|feature| CompileError::unsupported(function, PASS.name, feature))?;
    expand_copies(function, target, moves)?;
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        insts.into_iter().for_each(|inst| resolve(function, target, inst, &layout));
    }
    if layout.size > 0 {
        let frame = FrameCode { target, moves, layout: &layout };
        frame.prologue(function)?;
        frame.epilogues(function)?;
        let info = &mut function.frame_info;
        (info.stack_size, info.adjusts_stack, info.has_calls) = (layout.size.unsigned_abs(), has_calls, has_calls);
        info.max_call_frame_size = u32::try_from(largest).ok().filter(|&bytes| bytes > 0).or(info.max_call_frame_size);
    }
    Ok(())
}

/// Gives pseudos that move values through memory an object of the frame: the stack pointer stays where it is.
fn move_through_stack(function: &mut Function, target: &Target) {
    let next = function.stack.next_key();
    for inst in function.all_insts().collect::<Vec<Inst>>() {
        let Some(moves) = target.machine.through_stack(function.inst(inst), next) else { continue };
        if !function.stack.is_valid(next) {
            let bytes = THROUGH_STACK_BYTES;
            function.stack.push(StackObject::new(SlotKind::Spill, bytes.into(), bytes));
        }
        moves.into_iter().for_each(|data| _ = function.insert_before(inst, data));
        function.remove(inst);
    }
}

/// The calls of a function, as far as its frame has to do with them.
#[derive(Default)]
struct CallFrames {
    /// There is a call that returns here.
    has_calls: bool,
    /// Bytes of the largest call frame.
    largest: u64,
}

/// Removes the markers of call frames: the prologue makes room for the largest, so the stack pointer stays where it is.
/// Where the stack pointer moves anyway, they become its moves.
fn expand_call_frames(function: &mut Function, target: &Target, shape: FrameShape) -> CallFrames {
    let mut frames = CallFrames::default();
    let (sp, align) = (target.abi.stack_pointer, u64::from(target.abi.stack_align));
    for block in function.layout().to_vec() {
        let insts: Vec<Inst> = function.insts(block).collect();
        for inst in insts {
            let data = function.inst(inst);
            frames.has_calls |= target.call_kind(data) == Some(CallKind::Returning);
            if !target.is_call_frame(data) {
                continue;
            }
            let bytes = data.imm(0).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
            let bytes = bytes.min(layout::LARGEST).next_multiple_of(align);
            frames.largest = frames.largest.max(bytes);
            let distance = if target.opens_call_frame(data) { -bytes.cast_signed() } else { bytes.cast_signed() };
            if shape.moves && bytes > 0 {
                for code in target.machine.add_offset(sp, sp, distance, target.abi.scratch[0]) {
                    function.insert_before(inst, code);
                }
            }
            function.remove(inst);
        }
    }
    frames
}

/// Expands the copies that allocation left: to nothing where both sides are one register, else to the machine's move.
fn expand_copies(function: &mut Function, target: &Target, moves: Moves<'_>) -> Result<(), CompileError> {
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
                            let copy = copy(target, moves, full(dst), full(src)).ok_or_else(|| no_move(function))?;
                            function.replace(inst, copy);
                        }
                    }
                }
                (Opcode::IMPLICIT_DEF | Opcode::KILL | Opcode::JUMP_TABLE_DEBUG_INFO, _) => function.remove(inst),
                _ => {}
            }
        }
    }
    Ok(())
}

/// A move, which may be from or to the stack pointer: that is in no bank.
fn copy(target: &Target, moves: Moves<'_>, dst: PReg, src: PReg) -> Option<InstData> {
    let of_stack_pointer = || match target.machine.add_offset(dst, src, 0, dst).as_slice() {
        [data] if [dst, src].contains(&target.abi.stack_pointer) => Some(data.clone()),
        _ => None,
    };
    moves.copy(dst, src).or_else(of_stack_pointer)
}

/// The error for a move of a register for which the target has no row.
fn no_move(function: &Function) -> CompileError {
    CompileError::internal(function, PASS.name, "a register that is never moved is copied or saved")
}

/// Replaces a stack object operand and the offset after it.
fn resolve(function: &mut Function, target: &Target, inst: Inst, layout: &FrameLayout) {
    let data = function.inst(inst);
    let slot = data.operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::Stack(slot) => Some((index, layout.objects, function.stack[*slot].offset)),
        Operand::FixedStack(slot) => Some((index, layout.callers, function.fixed_stack[*slot].offset)),
        _ => None,
    });
    let (Some((index, FrameBase { register, distance }, place)), Opcode::Target(opcode)) = (slot, data.opcode) else {
        return;
    };
    let own = data.operands.get(index + 1).and_then(Operand::as_imm).unwrap_or(0);
    let offset = place + distance + target.operand_offset(opcode, own);
    let base = match target.offset_fits(opcode, offset) {
        true => {
            function.set_operand(inst, index + 1, Operand::Imm(target.offset_operand(opcode, offset)));
            register
        }
        false => {
            let scratch = target.abi.scratch[0];
            for code in target.machine.add_offset(scratch, register, offset, scratch) {
                function.insert_before(inst, code);
            }
            function.set_operand(inst, index + 1, Operand::Imm(0));
            scratch
        }
    };
    function.set_operand(inst, index, Operand::used(base));
}
