//! The reader of addresses: `target-flags(riscv-lo) @g + 8`.

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use super::{names, operands};
use crate::address::{AddressBase, AddressData};
use crate::module::UnknownKind;
use crate::operand::Operand;
use crate::vocabulary::TargetFlags;

/// The address that stands here; `None`, with the cursor where it was, if another operand does.
pub(super) fn read<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Option<Operand>> {
    let start = cursor.clone();
    let flags = target_flags(body, cursor)?;
    if let Some(base) = base(body, cursor)? {
        let offset = offset(cursor)?;
        return Ok(Some(body.function.address(AddressData { base, offset, flags })));
    }
    let is_address = flags != TargetFlags::NONE || start.rest().starts_with(['@', '&']);
    let is_address = is_address || ["blockaddress(", "<mcsymbol "].iter().any(|word| start.rest().starts_with(word));
    *cursor = start;
    // A flag on an operand of another kind, or a name that is no text: kept as it is.
    Ok(is_address.then(|| operands::verbatim(body, cursor)))
}

/// `target-flags(aarch64-pageoff, aarch64-nc)`, or nothing.
fn target_flags<'a>(body: &Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<TargetFlags> {
    let mut flags = TargetFlags::NONE;
    if !cursor.eat("target-flags(") {
        return Ok(flags);
    }
    while !cursor.eat(")") {
        let place = cursor.clone();
        let name = cursor.take_until(|c| matches!(c, ',' | ')'));
        let bit = body.vocabulary.target_flags().iter().position(|known| *known == name);
        let unknown = || place.unknown(UnknownKind::TargetFlag, name);
        flags = flags.union(TargetFlags(1 << bit.ok_or_else(unknown)?));
        if !cursor.eat(",") && cursor.peek() != Some(')') {
            return Err(cursor.error("expected `,` or `)`"));
        }
    }
    Ok(flags)
}

/// The entity; `None`, with the cursor anywhere, if none stands here.
fn base<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Parsed<Option<AddressBase>> {
    let start = cursor.clone();
    if cursor.eat("@") {
        return Ok(names::global(body.function, cursor).map(AddressBase::Global));
    }
    if cursor.eat("&") {
        let name = names::meant(names::spelled(cursor));
        return Ok(name.map(|name| AddressBase::External(body.function.intern(&name))));
    }
    if cursor.eat("%const.") {
        let number: u32 = cursor.number()?;
        let missing = || start.error_over(8, format!("there is no constant {number}"));
        let constant = body.objects.constants.get(&number).copied();
        return constant.map(|constant| Some(AddressBase::Constant(constant))).ok_or_else(missing);
    }
    if cursor.eat("%jump-table.") {
        let number: u32 = cursor.number()?;
        let missing = || start.error_over(13, format!("there is no jump table {number}"));
        let table = body.objects.jump_tables.get(&number).copied();
        return table.map(|table| Some(AddressBase::JumpTable(table))).ok_or_else(missing);
    }
    if cursor.eat("blockaddress(@") {
        return Ok(block_address(body, cursor));
    }
    if cursor.eat("<mcsymbol ") {
        let name = cursor.take_until(|c| c == '>');
        return Ok(cursor.eat(">").then(|| AddressBase::Label(body.function.intern(name))));
    }
    Ok(None)
}

/// `f, %ir-block.x)`.
fn block_address<'a>(body: &mut Body<'a>, cursor: &mut Cursor<'a>) -> Option<AddressBase> {
    let function = names::global(body.function, cursor)?;
    let named = cursor.eat(",") && cursor.eat("%ir-block.");
    let block = names::spelled(cursor);
    let block = (named && !block.is_empty()).then(|| body.function.intern(block))?;
    cursor.eat(")").then_some(AddressBase::Block { function, block })
}

/// `+ 8`, `- 8`, or nothing: the offset in bytes.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Parsed<i64> {
    let forwards = cursor.eat("+ ");
    match forwards || cursor.eat("- ") {
        false => Ok(0),
        true => cursor.number::<u64>().map(|bytes| if forwards { bytes as i64 } else { (bytes as i64).wrapping_neg() }),
    }
}
