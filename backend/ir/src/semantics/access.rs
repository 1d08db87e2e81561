//! The meaning of loads and stores, on any [`Memory`]. Atomic accesses have none yet.

use super::opcodes::{Evaluation, Operation, Unsupported, malformed};
use super::{Domain, Memory, Value};
use crate::bits::{Bits, MAX_BITS};
use crate::memory::MemOperand;
use crate::opcode::Opcode;
use smallvec::{SmallVec, smallvec};
use tribunal_llvm::IntegerRange;

/// The memory operand, and the size of its access in bits.
fn described<D: Domain>(op: &Operation<'_, D>) -> Result<(MemOperand, u32), Unsupported> {
    let [operand] = op.inst.memory.as_slice() else { return Err(malformed(op.inst)) };
    if operand.is_atomic() {
        return Err(Unsupported::new("atomic access"));
    }
    let bits = operand.ty.ok_or_else(|| malformed(op.inst))?.bits();
    match (1..=MAX_BITS).contains(&bits) {
        true => Ok((*operand, bits)),
        false => Err(Unsupported::new(format!("access wider than {MAX_BITS} bits"))),
    }
}

/// `G_LOAD` (bits above the access are a nondeterministic choice), `G_ZEXTLOAD`, `G_SEXTLOAD`.
pub(super) fn load<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = described(op)?;
    let width = op.width();
    if bits > width {
        return Err(malformed(op.inst));
    }
    let address = &op.args[0];
    let (value, undefined) = memory.load(d, &address.bits, bits.div_ceil(8), &operand);
    // An access of no whole number of bytes reads the bytes that a store of that size wrote, which left zeros above. To
    // read anything else is undefined (LangRef, `load`).
    let low = d.extract(&value.bits, 0, bits);
    let mut poison = value.poison;
    if !bits.is_multiple_of(8) {
        let above = d.extract(&value.bits, bits, bits.next_multiple_of(8) - bits);
        let clear = d.is_zero(&above);
        let foreign = d.bool_not(&clear);
        poison = d.bool_or(&poison, &foreign);
    }
    let outside_range = outside(d, &low, op.range);
    poison = d.bool_or(&poison, &outside_range);
    let result = match op.inst.opcode {
        _ if bits == width => low,
        Opcode::G_ZEXTLOAD => d.zext(&low, width),
        Opcode::G_SEXTLOAD => d.sext(&low, width),
        _ => {
            let high = d.choose(width - bits);
            d.concat(&high, &low)
        }
    };
    let ub = d.bool_or(&undefined, &address.poison);
    Ok(Evaluation { results: smallvec![Value { bits: result, poison }], ub })
}

/// True for a value in none of the ranges, if there are any of its width (LangRef, `range` metadata).
fn outside<D: Domain>(d: &mut D, value: &D::Bits, ranges: &[IntegerRange]) -> D::Bool {
    let width = d.width(value);
    let mut outside = d.boolean(!ranges.is_empty() && ranges.iter().all(|range| range.width == width));
    for range in ranges.iter().filter(|range| range.width == width) {
        let first = Bits::new(range.first as u128, width);
        let (first, length) = (d.constant(first), d.constant(Bits::new(range.end as u128, width).sub(first)));
        let distance = d.sub(value, &first);
        let within = d.ult(&distance, &length);
        let without = d.bool_not(&within);
        outside = d.bool_and(&outside, &without);
    }
    outside
}

/// `G_STORE`: the low bits of the value; zeros complete the last byte.
pub(super) fn store<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = described(op)?;
    let (value, address) = (&op.args[0], &op.args[1]);
    if bits > d.width(&value.bits) {
        return Err(malformed(op.inst));
    }
    let low = d.extract(&value.bits, 0, bits);
    let whole = d.zext(&low, bits.div_ceil(8) * 8);
    let value = Value { bits: whole, poison: value.poison.clone() };
    let outside = memory.store(d, &address.bits, &value, &operand);
    let ub = d.bool_or(&outside, &address.poison);
    Ok(Evaluation { results: SmallVec::new(), ub })
}
