//! The tables of both functions: what the instructions of both name by number must be the same thing.
//!
//! | entry | the later function's may |
//! |---|---|
//! | function | be more aligned |
//! | stack object | be more aligned: no access can tell |
//! | fixed object | differ in nothing: the caller lays it out |
//! | constant | be more aligned; its value is compared where it is loaded |
//! | jump table | differ in nothing |
//! | global variable of the module | differ in nothing, if both files have their module |
//! | property that the allocator, frame lowering or `va_start` reads | differ in nothing |
//! | flag of the frame, bytes for stack arguments | be set as well; be more, and enough for each call |
//! | place in the block of locals | be new, if the objects lie in the block, aligned and apart |
//!
//! Entries that only the earlier function has are unused in the later one. One that only the later one has is a
//! constant, which nothing but a load shows, or a stack object that no instruction names: promotion may have left it.

use super::Pair;
use super::pairing::places;
use super::promote;
use std::sync::Arc;
use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, FrameInfo, Function, JumpTableKind, Properties, StackObject, StackSlot};
use tribunal_target::Target;

/// An error if an entry of the later function is not the earlier one's.
pub(super) fn compared(target: &Target, pair: Pair<'_>) -> Result<(), Unsupported> {
    let Pair { before, after } = pair;
    let is_new = |slot: &StackSlot| before.stack.get(*slot).is_none();
    if promote::named(after).iter().any(is_new) || after.fixed_stack.len() > before.fixed_stack.len() {
        return Err(Unsupported::new("new stack objects"));
    }
    let serves = |one: &StackObject, other: &StackObject| {
        let kept = |object: &StackObject| (object.kind, object.size, object.offset, object.saved);
        other.align >= one.align && kept(one) == kept(other)
    };
    let changed = |entry: &str| Unsupported::different(format!("{entry} that is not the earlier one's"));
    if !before.stack.values().zip(after.stack.values()).all(|(one, other)| serves(one, other)) {
        return Err(changed("a stack object"));
    }
    if !before.fixed_stack.values().zip(after.fixed_stack.values()).all(|(one, other)| one == other) {
        return Err(changed("a fixed stack object"));
    }
    if after.alignment.unwrap_or(1) < before.alignment.unwrap_or(1) {
        return Err(changed("an alignment of the function"));
    }
    let mut constants = before.constants.values().zip(after.constants.values());
    if !constants.all(|(one, other)| {
        one.value != other.value || (other.align >= one.align && one.target_specific == other.target_specific)
    }) {
        return Err(changed("a constant"));
    }
    if let (Some(one), Some(other)) = (&before.ir, &after.ir)
        && !Arc::ptr_eq(one, other)
        && one.globals != other.globals
    {
        return Err(changed("a global variable of the module"));
    }
    let twice = |function: &Function| function.properties.contains(Properties::EXPOSES_RETURNS_TWICE);
    if said(before) != said(after) || twice(before) != twice(after) {
        return Err(changed("a property of the function"));
    }
    if !serves_frame(target, pair) {
        return Err(changed("a frame"));
    }
    if !serves_locals(pair) {
        return Err(changed("a place in the block of locals"));
    }
    match jump_tables(before) == jump_tables(after) {
        true => Ok(()),
        false => Err(changed("a jump table")),
    }
}

/// Whether frame lowering does for the later function all that it does for the earlier one.
fn serves_frame(target: &Target, Pair { before, after }: Pair<'_>) -> bool {
    let (one, other) = (&before.frame_info, &after.frame_info);
    let flags = |info: &FrameInfo| {
        [
            info.is_frame_address_taken,
            info.is_return_address_taken,
            info.has_stack_map,
            info.has_patch_point,
            info.adjusts_stack,
            info.has_calls,
            info.has_opaque_sp_adjustment,
            info.has_va_start,
            info.has_must_tail_in_var_arg_func,
            info.has_tail_call,
        ]
    };
    let markers = after.all_insts().map(|inst| after.inst(inst)).filter(|data| target.opens_call_frame(data));
    let needed = markers.filter_map(|data| data.imm(0)).max().unwrap_or(0);
    let has_room = other.max_call_frame_size.is_none_or(|bytes| i64::from(bytes) >= needed)
        && (one.max_call_frame_size <= other.max_call_frame_size || other.max_call_frame_size.is_none());
    let kept = flags(one).into_iter().zip(flags(other)).all(|(one, other)| other || !one);
    kept && has_room && one.offset_adjustment == other.offset_adjustment
}

/// Whether the objects that a pass has placed stay there, and new places lie in the block, aligned and apart.
fn serves_locals(Pair { before, after }: Pair<'_>) -> bool {
    let bytes = |function: &Function| -i64::from(function.frame_info.local_frame_size);
    let places = |function: &Function| function.stack.values().map(|object| object.local_offset).collect::<Vec<_>>();
    if (bytes(before), places(before)) == (bytes(after), places(after)) {
        return true;
    }
    let kept = places(before).into_iter().zip(places(after)).all(|(one, other)| one.is_none() || one == other);
    let mut placed: Vec<(i64, &StackObject)> =
        after.stack.values().filter_map(|object| Some((object.local_offset?, object))).collect();
    placed.sort_by_key(|&(start, _)| start);
    let mut end = bytes(after);
    let mut fits = |(start, object): (i64, &StackObject)| {
        let is_free = start >= end && start % i64::from(object.align) == 0;
        end = start.saturating_add_unsigned(object.size);
        is_free && end <= 0
    };
    kept && placed.into_iter().all(&mut fits)
}

/// Starts of the keys by which a function says what the allocator, frame lowering and `va_start` read.
const SAID: [&str; 8] = [
    "calleeSavedRegisters",
    "callsEHReturn",
    "callsUnwindInit",
    "varArgs",
    "stackProtector",
    "functionContext",
    "savePoint",
    "restorePoint",
];

/// These lines as keys and values, without those that say what LLVM takes for granted.
fn said(function: &Function) -> Vec<(&str, &str)> {
    let own = function.extra.iter().flat_map(|(_, lines)| lines.lines()).filter_map(|line| line.split_once(':'));
    let of_frame = function.frame_info.other.iter().map(|(key, value)| (&**key, &**value));
    let trimmed = own.chain(of_frame).map(|(key, value)| (key.trim(), value.trim()));
    let is_default = |value: &str| ["''", "0", "false", "[]", ""].contains(&value);
    trimmed.filter(|(key, value)| SAID.iter().any(|start| key.starts_with(start)) && !is_default(value)).collect()
}

/// The constants that are the same in both functions.
pub(super) fn shared_constants(Pair { before, after }: Pair<'_>) -> Vec<ConstantPoolIndex> {
    let alike = before.constants.iter().zip(after.constants.values()).filter(|((_, one), other)| one == other);
    alike.map(|((index, _), _)| index).collect()
}

/// The destinations of each table, by the blocks' places in the layout, with the form of an entry.
fn jump_tables(function: &Function) -> Option<(JumpTableKind, Vec<Vec<Option<usize>>>)> {
    let places = places(function);
    let tables = function.jump_tables.tables.values();
    let tables: Vec<_> =
        tables.map(|blocks| blocks.iter().map(|block: &Block| places.get(block).copied()).collect()).collect();
    (!tables.is_empty()).then_some((function.jump_tables.kind, tables))
}
