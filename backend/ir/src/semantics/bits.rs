//! Extension, truncation, composition, counting and permuting bits.

use super::integer::any_poison;
use super::opcodes::Operation;
use super::{Domain, Value};
use crate::inst::InstFlags;
use crate::opcode::{Family, Opcode};
use smallvec::SmallVec;

/// Opcodes with one result and no undefined behaviour.
pub(super) fn simple<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Option<Value<D>> {
    use Opcode::*;
    let a = &op.args.first()?.bits;
    let width = op.width();
    let imm = op.imm().and_then(|imm| u32::try_from(imm).ok());
    let bits = match op.inst.opcode {
        G_ZEXT => d.zext(a, width),
        G_SEXT => d.sext(a, width),
        G_TRUNC => d.extract(a, 0, width),
        G_ANYEXT => {
            let high = d.choose(width - d.width(a));
            d.concat(&high, a)
        }
        G_SEXT_INREG => in_register(d, a, imm?, true),
        opcode if opcode.family() == Some(Family::Assertion) => a.clone(),
        G_EXTRACT => d.extract(a, imm?, width),
        G_INSERT => insert(d, a, &op.args.get(1)?.bits, imm?),
        G_CTPOP => population(d, a, width),
        G_CTLZ | G_CTLZ_ZERO_UNDEF => leading_zeros(d, a, width),
        G_CTTZ | G_CTTZ_ZERO_UNDEF => trailing_zeros(d, a, width),
        G_BSWAP => reversed(d, a, 8),
        G_BITREVERSE => reversed(d, a, 1),
        G_UBFX | G_SBFX => field(d, a, &op.args.get(1)?.bits, &op.args.get(2)?.bits, op.inst.opcode == G_SBFX),
        _ => return None,
    };
    let inherited = any_poison(d, op.args);
    let broken = broken_promise(d, op, imm);
    Some(Value::new(bits, d.bool_or(&inherited, &broken)))
}

/// True if a promise of the opcode or of a flag about the operand does not hold.
fn broken_promise<D: Domain>(d: &mut D, op: &Operation<'_, D>, imm: Option<u32>) -> D::Bool {
    use Opcode::*;
    let a = &op.args[0].bits;
    let zero = d.is_zero(a);
    match (op.inst.opcode, imm) {
        (G_ASSERT_SEXT, Some(bits)) => {
            let extended = in_register(d, a, bits, true);
            d.ne(&extended, a)
        }
        (G_ASSERT_ZEXT, Some(bits)) => {
            let extended = in_register(d, a, bits, false);
            d.ne(&extended, a)
        }
        (G_ASSERT_ALIGN, Some(align)) if align > 1 => {
            let low = d.extract(a, 0, align.ilog2().min(d.width(a)));
            let aligned = d.is_zero(&low);
            d.bool_not(&aligned)
        }
        (G_CTLZ_ZERO_UNDEF | G_CTTZ_ZERO_UNDEF, _) => zero,
        (G_ZEXT, _) if op.has(InstFlags::NNEG) => d.is_negative(a),
        (G_TRUNC, _) => truncation_loses(d, op),
        (G_UBFX | G_SBFX, _) => field_outside(d, a, &op.args[1].bits, &op.args[2].bits),
        _ => d.boolean(false),
    }
}

/// `nuw` or `nsw` on a truncation: the bits dropped are zeros, or copies of the sign.
fn truncation_loses<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> D::Bool {
    let (a, from) = (&op.args[0].bits, op.uses[0].bits());
    let mut lost = d.boolean(false);
    for (flag, signed) in [(InstFlags::NUW, false), (InstFlags::NSW, true)] {
        if op.has(flag) {
            let kept = d.extract(a, 0, op.width());
            let back = if signed { d.sext(&kept, from) } else { d.zext(&kept, from) };
            let differs = d.ne(&back, a);
            lost = d.bool_or(&lost, &differs);
        }
    }
    lost
}

/// The low `bits` bits extended to the whole width.
fn in_register<D: Domain>(d: &mut D, a: &D::Bits, bits: u32, signed: bool) -> D::Bits {
    let width = d.width(a);
    let low = d.extract(a, 0, bits.min(width));
    if signed { d.sext(&low, width) } else { d.zext(&low, width) }
}

/// `part` written over the bits of `whole` from `offset`.
fn insert<D: Domain>(d: &mut D, whole: &D::Bits, part: &D::Bits, offset: u32) -> D::Bits {
    let (width, inner) = (d.width(whole), d.width(part));
    let mut bits = part.clone();
    if offset > 0 {
        let low = d.extract(whole, 0, offset);
        bits = d.concat(&bits, &low);
    }
    if offset + inner < width {
        let high = d.extract(whole, offset + inner, width - offset - inner);
        bits = d.concat(&high, &bits);
    }
    bits
}

/// Low part first.
pub(super) fn merge<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let mut bits = op.args[0].bits.clone();
    for part in &op.args[1..] {
        bits = d.concat(&part.bits, &bits);
    }
    Value::new(bits, any_poison(d, op.args))
}

/// Low part first.
pub(super) fn unmerge<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> SmallVec<[Value<D>; 2]> {
    let width = op.width();
    let whole = &op.args[0];
    let part = |index: u32| Value::new(d.extract(&whole.bits, index * width, width), whole.poison.clone());
    (0..op.defs.len() as u32).map(part).collect()
}

/// The number of set bits, modulo the result's width.
fn population<D: Domain>(d: &mut D, a: &D::Bits, width: u32) -> D::Bits {
    let counted = d.width(a);
    // Sums stay as narrow as the count allows, whatever the widths.
    let narrow = (u32::BITS - counted.leading_zeros()).max(8);
    let mut sum = d.literal(0, narrow);
    for index in 0..counted {
        let bit = d.extract(a, index, 1);
        let bit = d.zext(&bit, narrow);
        sum = d.add(&sum, &bit);
    }
    d.zext_or_trunc(&sum, width)
}

/// From the highest set bit down: the last that applies wins, so the chain is built from the lowest bit up.
pub(super) fn leading_zeros<D: Domain>(d: &mut D, a: &D::Bits, width: u32) -> D::Bits {
    let counted = d.width(a);
    let indices = (0..counted).map(|index| (index, counted - 1 - index));
    first_set(d, a, width, indices)
}

fn trailing_zeros<D: Domain>(d: &mut D, a: &D::Bits, width: u32) -> D::Bits {
    let indices = (0..d.width(a)).rev().map(|index| (index, index));
    first_set(d, a, width, indices)
}

/// The count of the last index whose bit is set; the operand's width if none is.
fn first_set<D: Domain>(d: &mut D, a: &D::Bits, width: u32, indices: impl Iterator<Item = (u32, u32)>) -> D::Bits {
    let mut count = d.literal(i64::from(d.width(a)), 8.max(width));
    for (index, value) in indices {
        let bit = d.extract(a, index, 1);
        let one = d.literal(1, 1);
        let set = d.eq(&bit, &one);
        let value = d.literal(i64::from(value), 8.max(width));
        count = d.ite(&set, &value, &count);
    }
    d.zext_or_trunc(&count, width)
}

/// Groups of `group` bits in reverse order.
fn reversed<D: Domain>(d: &mut D, a: &D::Bits, group: u32) -> D::Bits {
    let groups = d.width(a) / group;
    let mut bits = d.extract(a, 0, group);
    for index in 1..groups {
        let next = d.extract(a, index * group, group);
        bits = d.concat(&bits, &next);
    }
    bits
}

/// Bits `offset .. offset + size`, extended.
fn field<D: Domain>(d: &mut D, a: &D::Bits, offset: &D::Bits, size: &D::Bits, signed: bool) -> D::Bits {
    let width = d.width(a);
    // Bits that hold the width.
    let wide = width.max(d.width(offset)).max(10);
    let (offset, size, whole) = (d.zext(offset, wide), d.zext(size, wide), d.literal(i64::from(width), wide));
    let used = d.add(&offset, &size);
    let (up, down) = (d.sub(&whole, &used), d.sub(&whole, &size));
    let (up, down) = (d.zext_or_trunc(&up, width), d.zext_or_trunc(&down, width));
    let top = d.shl(a, &up);
    if signed { d.ashr(&top, &down) } else { d.lshr(&top, &down) }
}

/// True if a bit field is empty or reaches beyond the value.
fn field_outside<D: Domain>(d: &mut D, a: &D::Bits, offset: &D::Bits, size: &D::Bits) -> D::Bool {
    /// Bits that hold the sum of two numbers that are at most a width each.
    const WIDTH: u32 = 16;
    let width = d.width(a);
    let reaches = |d: &mut D, x: &D::Bits| super::integer::reaches(d, x, width + 1);
    let (far, large) = (reaches(d, offset), reaches(d, size));
    let (offset, size) = (d.zext_or_trunc(offset, WIDTH), d.zext_or_trunc(size, WIDTH));
    let (end, limit) = (d.add(&offset, &size), d.literal(i64::from(width), WIDTH));
    let (beyond, empty) = (d.ult(&limit, &end), d.is_zero(&size));
    let outside = d.bool_or(&far, &large);
    let outside = d.bool_or(&outside, &beyond);
    d.bool_or(&outside, &empty)
}
