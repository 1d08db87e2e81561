//! The layout of a frame: the place of each object and of each saved register, in bytes from the stack pointer on entry
//! (the canonical frame address), and the registers from which code reaches them.
//!
//! Where the prologue aligns the stack pointer, the places of objects are those of a function whose stack pointer on
//! entry makes that alignment take nothing: their distance from the aligned stack pointer is always the same.

use super::code::fits;
use super::shape::FrameShape;
use tribunal_ir::{Function, PReg, Reg, SlotKind};
use tribunal_target::Target;
use tribunal_target::moves::Moves;

/// The largest frame, in bytes, that the far offset sequences of every target reach.
pub(super) const LARGEST: u64 = 1 << 30;

/// A register that the prologue saves, and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SavedRegister {
    pub register: PReg,
    pub place: i64,
}

/// A register from which objects are reached, and its distance to the canonical frame address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameBase {
    pub register: PReg,
    pub distance: i64,
}

/// The layout. Everything is in bytes.
pub(super) struct FrameLayout {
    pub shape: FrameShape,
    /// In the order of their moves.
    pub saved: Vec<SavedRegister>,
    /// From the lowest byte of the frame to its end.
    pub size: i64,
    /// The distance by which the stack pointer moves before the registers are saved.
    pub first: i64,
    /// The frame pointer, if there is one.
    pub frame_pointer: Option<FrameBase>,
    /// For objects of this frame.
    pub objects: FrameBase,
    /// For objects of the caller's frame.
    pub callers: FrameBase,
}

impl FrameLayout {
    /// Gives every object its place; `outgoing` bytes below them are for the arguments of calls. The error is the name
    /// of an unsupported feature.
    pub fn new(
        function: &mut Function,
        (target, moves): (&Target, Moves<'_>),
        shape: FrameShape,
        outgoing: u64,
    ) -> Result<FrameLayout, String> {
        // Objects of the caller's frame that lie in this one, as registers of a variadic function do.
        let own = function.fixed_stack.values().map(|object| object.offset.min(0).unsigned_abs()).max().unwrap_or(0);
        let own = own.next_multiple_of(target.register_bytes().into());
        let kept = kept(function, target, shape);
        let (low, high) = if shape.has_frame_pointer { (Vec::new(), kept) } else { (kept, Vec::new()) };
        let (low, bottom) = stacked(&low, (target, moves), outgoing);
        let (high, top) = stacked(&high, (target, moves), own);
        let size = size(function, bottom, top, target).ok_or_else(|| format!("frames of more than {LARGEST} bytes"))?;
        place_objects(function, bottom, size);
        // Those at the bottom count from there upwards, those at the top from the end downwards.
        let upwards = |(register, end): (PReg, u64)| {
            let start = end - saved_bytes(target, moves, register);
            SavedRegister { register, place: start.cast_signed() - size }
        };
        let downwards = |(register, end): (PReg, u64)| SavedRegister { register, place: -end.cast_signed() };
        let saved = low.into_iter().map(upwards).chain(high.into_iter().map(downwards)).collect::<Vec<_>>();
        let distance = own.cast_signed() + target.abi.frame_record_end;
        let frame = FrameBase { register: target.abi.frame_pointer, distance };
        let stack = FrameBase { register: target.abi.stack_pointer, distance: size };
        let objects = match (shape.base_pointer(target), shape.moves) {
            (Some(register), _) => FrameBase { register, distance: size },
            (None, true) => frame,
            (None, false) => stack,
        };
        let callers = if shape.moves || shape.realigned.is_some() { frame } else { stack };
        let first = first_step(&saved, (target, moves), shape, size, top);
        let frame_pointer = shape.has_frame_pointer.then_some(frame);
        Ok(FrameLayout { shape, saved, size, first, frame_pointer, objects, callers })
    }
}

/// The registers to save: those callee-saved ones, and the return address, that some instruction writes. In a frame
/// with a frame pointer the frame record is first, from its end downwards.
fn kept(function: &Function, target: &Target, shape: FrameShape) -> Vec<PReg> {
    let abi = target.abi;
    let mut written: Vec<PReg> = shape.reserved(target).collect();
    for data in function.all_insts().map(|inst| function.inst(inst)) {
        let defined = data.defs().filter_map(|operand| match operand.reg {
            Reg::Physical(register) => Some(target.vocabulary.full_register(register)),
            Reg::Virtual(_) => None,
        });
        written.extend(defined);
    }
    let record = [abi.return_address, abi.frame_pointer];
    let record = if shape.has_frame_pointer { record.as_slice() } else { &[] };
    let others = abi.callee_saved.iter().chain([&abi.return_address]);
    let others = others.filter(|register| written.contains(register) && !record.contains(register));
    record.iter().chain(others).copied().collect()
}

/// Bytes of a saved register's place: unwind tables count in general registers.
fn saved_bytes(target: &Target, moves: Moves<'_>, register: PReg) -> u64 {
    moves.spill_bytes(register).max(target.register_bytes()).into()
}

/// Each register with the end of its place when one stands after the other from `start` on, and the end of the last.
fn stacked(registers: &[PReg], (target, moves): (&Target, Moves<'_>), start: u64) -> (Vec<(PReg, u64)>, u64) {
    let mut end = start;
    let place = |&register: &PReg| {
        let bytes = saved_bytes(target, moves, register);
        end = end.next_multiple_of(bytes).saturating_add(bytes);
        (register, end)
    };
    let places = registers.iter().map(place).collect();
    (places, end)
}

/// The size of the frame, with so many bytes below its objects and above them; `None` if it is too large.
fn size(function: &Function, bottom: u64, top: u64, target: &Target) -> Option<i64> {
    let mut end = bottom;
    for object in function.stack.values().filter(|object| object.kind != SlotKind::VariableSized) {
        end = end.checked_next_multiple_of(object.align.into())?.saturating_add(object.size);
        (end <= LARGEST).then_some(())?;
    }
    let size = end.saturating_add(top).checked_next_multiple_of(target.abi.stack_align.into())?;
    (size <= LARGEST).then_some(size.cast_signed())
}

fn place_objects(function: &mut Function, bottom: u64, size: i64) {
    let mut next = bottom;
    for object in function.stack.values_mut().filter(|object| object.kind != SlotKind::VariableSized) {
        next = next.next_multiple_of(object.align.into());
        object.offset = next.cast_signed() - size;
        next += object.size;
    }
}

/// The whole size in one step, where saves reach the registers' places from there; else a step that ends below them.
/// A stack pointer that is aligned moves on from there.
fn first_step(
    saved: &[SavedRegister],
    (target, moves): (&Target, Moves<'_>),
    shape: FrameShape,
    size: i64,
    top: u64,
) -> i64 {
    let reaches = |saved: &SavedRegister| {
        let offset = saved.place + size;
        let save = moves.spill(saved.register, target.abi.stack_pointer, 0);
        save.is_some_and(|save| fits(target, &save, offset))
    };
    let is_one = !shape.has_frame_pointer || shape.realigned.is_none() && saved.iter().all(reaches);
    let top = top.next_multiple_of(target.abi.stack_align.into());
    if is_one { size } else { top.cast_signed() }
}
