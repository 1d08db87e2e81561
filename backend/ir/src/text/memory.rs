//! The reader of memory operands.

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use super::{addresses, names, operands};
use crate::memory::{MemFlags, MemOperand, Pointer};
use crate::module::UnknownKind;
use crate::ordering::{AtomicOrdering, SyncScope};
use crate::types::Type;

/// Words before the ordering.
const MEM_FLAGS: &[(&str, MemFlags)] = &[
    ("volatile", MemFlags::VOLATILE),
    ("non-temporal", MemFlags::NON_TEMPORAL),
    ("dereferenceable", MemFlags::DEREFERENCEABLE),
    ("invariant", MemFlags::INVARIANT),
    ("load", MemFlags::LOAD),
    ("store", MemFlags::STORE),
];

/// `(load (s32) from %ir.p + 4, align 2, !tbaa !9)`.
pub(super) fn memory<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<MemOperand> {
    cursor.expect("(")?;
    let mut memory = MemOperand::new(MemFlags::empty(), Type::scalar(8), 1);
    let mut target_flag = None;
    loop {
        if let Some(&(_, flag)) = MEM_FLAGS.iter().find(|(name, _)| *name == cursor.peek_word()) {
            cursor.word();
            memory.flags |= flag;
        } else if cursor.peek() == Some('"') {
            let place = cursor.clone();
            cursor.expect("\"")?;
            target_flag = target_flag.or(Some((place, cursor.take_until(|c| c == '"'))));
            cursor.expect("\"")?;
        } else {
            break;
        }
    }
    ordering(cursor, &mut memory)?;
    memory.ty = match cursor.eat_word("unknown-size") {
        true => None,
        false => {
            cursor.expect("(")?;
            let ty = operands::ty(body, cursor)?;
            cursor.expect(")")?;
            Some(ty)
        }
    };
    memory.align = memory.ty.map_or(1, |ty| ty.bytes().next_power_of_two());
    if ["from", "into", "on"].iter().any(|word| cursor.eat_word(word)) {
        pointer(body, cursor, &mut memory)?;
    }
    trailers(body, cursor, &mut memory)?;
    cursor.expect(")")?;
    match target_flag {
        None => Ok(memory),
        Some((place, flag)) => Err(place.unknown(UnknownKind::MemoryTargetFlag, flag)),
    }
}

/// `syncscope("singlethread") acq_rel monotonic`, or nothing.
fn ordering(cursor: &mut Cursor<'_>, memory: &mut MemOperand) -> Parsed<()> {
    if cursor.eat_word("syncscope") {
        cursor.expect("(")?;
        let place = cursor.clone();
        let scope = names::meant(names::spelled(cursor)).unwrap_or_default();
        cursor.expect(")")?;
        memory.scope = SyncScope::from_name(&scope).ok_or_else(|| place.unknown(UnknownKind::SyncScope, scope))?;
    }
    for ordering in [&mut memory.ordering, &mut memory.failure_ordering] {
        if let Some(named) = AtomicOrdering::from_name(cursor.peek_word()) {
            cursor.word();
            *ordering = named;
        }
    }
    Ok(())
}

/// The pointer of the access, and the offset after it.
fn pointer<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>, memory: &mut MemOperand) -> Parsed<()> {
    let start = cursor.clone();
    let known = known_pointer(body, cursor)?;
    let offset = addresses::offset(cursor)?;
    if let (Some(pointer), Some(',' | ')')) = (known, cursor.peek()) {
        (memory.pointer, memory.offset) = (Some(pointer), offset);
        return Ok(());
    }
    *cursor = start;
    memory.pointer = Some(Pointer::Text(body.function.intern(cursor.verbatim())));
    cursor.skip_blanks();
    Ok(())
}

/// `None`, with the cursor anywhere, for a form that is not known.
fn known_pointer<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Option<Pointer>> {
    if cursor.rest().starts_with("%stack.") {
        return operands::stack_object(body, cursor).map(|slot| Some(Pointer::Stack(slot)));
    }
    if cursor.rest().starts_with("%fixed-stack.") {
        return operands::fixed_stack_object(body, cursor).map(|slot| Some(Pointer::FixedStack(slot)));
    }
    let function = &mut *body.function;
    if cursor.eat("%ir.") {
        let name = names::spelled(cursor);
        return Ok((!name.is_empty()).then(|| Pointer::Ir(function.intern(name))));
    }
    if cursor.eat("@") {
        return Ok(names::global(function, cursor).map(Pointer::Global));
    }
    if cursor.eat("`") {
        let expression = cursor.take_until(|c| c == '`');
        return Ok(cursor.eat("`").then(|| Pointer::Expression(function.intern(expression))));
    }
    if cursor.eat_word("call-entry") {
        if cursor.eat("@") {
            return Ok(names::global(function, cursor).map(Pointer::CallEntry));
        }
        let name = cursor.eat("&").then(|| names::meant(names::spelled(cursor))).flatten();
        return Ok(name.map(|name| Pointer::ExternalCallEntry(function.intern(&name))));
    }
    let known = POINTERS.iter().find(|(word, _)| *word == cursor.peek_word());
    cursor.word();
    Ok(known.map(|&(_, pointer)| pointer))
}

/// Pointers that are one word.
pub(super) const POINTERS: [(&str, Pointer); 5] = [
    ("stack", Pointer::OutgoingArguments),
    ("constant-pool", Pointer::ConstantPool),
    ("jump-table", Pointer::JumpTable),
    ("got", Pointer::Got),
    ("unknown-address", Pointer::Unknown),
];

/// `, align 4, !tbaa !9`: the alignment is read, the rest kept.
fn trailers<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>, memory: &mut MemOperand) -> Parsed<()> {
    let mut rest: Vec<&str> = Vec::new();
    while cursor.eat(",") {
        if cursor.eat_word("align") {
            let place = cursor.clone();
            memory.align = cursor.number()?;
            if !memory.align.is_power_of_two() {
                return Err(place.error("an alignment is a power of two"));
            }
            continue;
        }
        rest.push(cursor.verbatim());
        cursor.skip_blanks();
    }
    if !rest.is_empty() {
        memory.metadata = body.function.intern(&rest.join(", ")).into();
    }
    Ok(())
}
