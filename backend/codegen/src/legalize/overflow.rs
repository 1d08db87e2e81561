//! Sums, differences and products that report overflow, saturate, or keep their high half.

use super::recipe::Recipe;
use tribunal_ir::bits::Bits;
use tribunal_ir::types::S1;
use tribunal_ir::{IntPredicate, Opcode, Type, VReg};

/// An unsigned sum that wrapped is below its operand; a difference would wrap if the first is below the second.
pub(super) fn saturating(r: &mut Recipe<'_>) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let add = r.data.opcode == Opcode::G_UADDSAT;
    let plain = r.op(ty, if add { Opcode::G_ADD } else { Opcode::G_SUB }, &[a, b]);
    let wrapped = if add { r.icmp(IntPredicate::Ult, plain, a) } else { r.icmp(IntPredicate::Ult, a, b) };
    let bound = r.constant(ty, if add { -1 } else { 0 });
    r.define(dst, Opcode::G_SELECT, &[wrapped, bound, plain]);
}

/// The sum where it fits, else the bound on the side that it came from: the opposite of the sum's sign.
pub(super) fn saturating_signed(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let (plain, overflowed) = (r.builder.function.new_vreg(ty), r.builder.function.new_vreg(S1));
    let opcode = if r.data.opcode == G_SADDSAT { G_SADDO } else { G_SSUBO };
    r.define_both(plain, overflowed, opcode, &[a, b]);
    let bound = away_from(r, plain);
    r.define(dst, G_SELECT, &[overflowed, bound, plain]);
}

/// The greatest value if `wrapped` is negative, else the least.
fn away_from(r: &mut Recipe<'_>, wrapped: VReg) -> VReg {
    let ty = r.type_of(wrapped);
    let sign = r.shift(Opcode::G_ASHR, wrapped, ty.bits() - 1);
    let least = r.builder.constant(ty, Bits::signed_min(ty.bits()));
    r.op(ty, Opcode::G_XOR, &[sign, least])
}

/// Shifted up and back: a value that differs then has lost bits.
pub(super) fn shift_saturating(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (value, amount, dst) = (r.register(1), r.register(2), r.dst());
    let (ty, signed) = (r.type_of(dst), r.data.opcode == G_SSHLSAT);
    let there = r.op(ty, G_SHL, &[value, amount]);
    let back = r.op(ty, if signed { G_ASHR } else { G_LSHR }, &[there, amount]);
    let lost = r.icmp(IntPredicate::Ne, back, value);
    let bound = match signed {
        false => r.constant(ty, -1),
        true => {
            let inward = away_from(r, value);
            let ones = r.constant(ty, -1);
            r.op(ty, G_XOR, &[inward, ones])
        }
    };
    r.define(dst, G_SELECT, &[lost, bound, there]);
}

/// Signed: the result is on the wrong side of the first operand, seen from the sign of the second.
pub(super) fn overflow(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (dst, flag, a, b) = (r.register(0), r.register(1), r.register(2), r.register(3));
    let ty = r.type_of(a);
    let opcode = if matches!(r.data.opcode, G_UADDO | G_SADDO) { G_ADD } else { G_SUB };
    r.define(dst, opcode, &[a, b]);
    let overflowed = match r.data.opcode {
        G_UADDO => r.icmp(IntPredicate::Ult, dst, a),
        G_USUBO => r.icmp(IntPredicate::Ult, a, b),
        _ => {
            let zero = r.constant(ty, 0);
            let below = r.icmp(IntPredicate::Slt, dst, a);
            let side = if opcode == G_ADD { IntPredicate::Slt } else { IntPredicate::Sgt };
            let expected = r.icmp(side, b, zero);
            r.op(S1, G_XOR, &[below, expected])
        }
    };
    r.define_resized(flag, G_ZEXT, overflowed);
}

/// With a carry coming in. Unsigned: either step may carry, not both. Signed: the result is on the other side of both
/// operands (of a difference: of the first, whose side is not the second's).
pub(super) fn with_carry(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (dst, flag, a, b, carry) = (r.register(0), r.register(1), r.register(2), r.register(3), r.register(4));
    let ty = r.type_of(a);
    let add = matches!(r.data.opcode, G_UADDE | G_SADDE);
    let opcode = if add { G_ADD } else { G_SUB };
    let first = r.op(ty, opcode, &[a, b]);
    let carry = r.resized(G_ZEXT, carry, ty);
    r.define(dst, opcode, &[first, carry]);
    let overflowed = match r.data.opcode {
        G_UADDE => {
            let (one, two) = (r.icmp(IntPredicate::Ult, first, a), r.icmp(IntPredicate::Ult, dst, first));
            r.op(S1, G_OR, &[one, two])
        }
        G_USUBE => {
            let (one, two) = (r.icmp(IntPredicate::Ult, a, b), r.icmp(IntPredicate::Ult, first, carry));
            r.op(S1, G_OR, &[one, two])
        }
        _ => {
            let left = r.op(ty, G_XOR, &[a, if add { dst } else { b }]);
            let right = r.op(ty, G_XOR, &[if add { b } else { a }, dst]);
            let both = r.op(ty, G_AND, &[left, right]);
            let zero = r.constant(ty, 0);
            r.icmp(IntPredicate::Slt, both, zero)
        }
    };
    r.define_resized(flag, G_ZEXT, overflowed);
}

/// The high half must be the extension of the low half.
pub(super) fn product_overflow(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (dst, flag, a, b) = (r.register(0), r.register(1), r.register(2), r.register(3));
    let (ty, signed) = (r.type_of(a), r.data.opcode == G_SMULO);
    let high = r.op(ty, if signed { G_SMULH } else { G_UMULH }, &[a, b]);
    r.define(dst, G_MUL, &[a, b]);
    let expected = if signed { r.shift(G_ASHR, dst, ty.bits() - 1) } else { r.constant(ty, 0) };
    let overflowed = r.icmp(IntPredicate::Ne, high, expected);
    r.define_resized(flag, G_ZEXT, overflowed);
}

/// The product is taken at twice the width.
pub(super) fn high_product(r: &mut Recipe<'_>) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let bits = r.bits_of(a);
    let wide = Type::scalar(2 * bits);
    let (a, b) = (r.op(wide, Opcode::G_ZEXT, &[a]), r.op(wide, Opcode::G_ZEXT, &[b]));
    let product = r.op(wide, Opcode::G_MUL, &[a, b]);
    let high = r.shift(Opcode::G_LSHR, product, bits);
    r.define(dst, Opcode::G_TRUNC, &[high]);
}

/// The unsigned high half less each operand where the other is negative (Hacker's Delight, 8-3).
pub(super) fn signed_high_product(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let high = r.op(ty, G_UMULH, &[a, b]);
    let (sign_a, sign_b) = (r.shift(G_ASHR, a, ty.bits() - 1), r.shift(G_ASHR, b, ty.bits() - 1));
    let (for_a, for_b) = (r.op(ty, G_AND, &[sign_a, b]), r.op(ty, G_AND, &[sign_b, a]));
    let less = r.op(ty, G_SUB, &[high, for_a]);
    r.define(dst, G_SUB, &[less, for_b]);
}

/// The bits that both operands have, and half of those that one has.
pub(super) fn average(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(dst);
    let signed = matches!(r.data.opcode, G_SAVGFLOOR | G_SAVGCEIL);
    let up = matches!(r.data.opcode, G_UAVGCEIL | G_SAVGCEIL);
    let differ = r.op(ty, G_XOR, &[a, b]);
    let half = halved(r, differ, signed);
    let common = r.op(ty, if up { G_OR } else { G_AND }, &[a, b]);
    r.define(dst, if up { G_SUB } else { G_ADD }, &[common, half]);
}

/// One bit shifted out to the right, which leaves nothing, or the sign, of a single bit.
fn halved(r: &mut Recipe<'_>, value: VReg, signed: bool) -> VReg {
    let ty = r.type_of(value);
    match (ty.bits(), signed) {
        (1, true) => value,
        (1, false) => r.constant(ty, 0),
        (_, true) => r.shift(Opcode::G_ASHR, value, 1),
        (_, false) => r.shift(Opcode::G_LSHR, value, 1),
    }
}

/// Both halves of the product, shifted together; saturated where bits above the result are not its extension.
pub(super) fn fixed_point_product(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (a, b, dst, scale) = (r.register(1), r.register(2), r.dst(), r.imm(3));
    let (ty, width) = (r.type_of(dst), r.bits_of(dst));
    let signed = matches!(r.data.opcode, G_SMULFIX | G_SMULFIXSAT);
    let saturates = matches!(r.data.opcode, G_SMULFIXSAT | G_UMULFIXSAT);
    if scale == 0 && !saturates {
        return r.define(dst, G_MUL, &[a, b]);
    }
    let high = r.op(ty, if signed { G_SMULH } else { G_UMULH }, &[a, b]);
    if scale >= width {
        return r.define(dst, COPY, &[high]);
    }
    let low = r.op(ty, G_MUL, &[a, b]);
    let shifted = if scale == 0 { low } else { joined(r, high, low, scale) };
    if !saturates {
        return r.define(dst, COPY, &[shifted]);
    }
    let rest = match (scale, signed) {
        (0, _) => high,
        (_, true) => r.shift(G_ASHR, high, scale),
        (_, false) => r.shift(G_LSHR, high, scale),
    };
    let (expected, bound) = match signed {
        true => {
            let bound = away_from(r, high);
            let ones = r.constant(ty, -1);
            (r.shift(G_ASHR, shifted, width - 1), r.op(ty, G_XOR, &[bound, ones]))
        }
        false => (r.constant(ty, 0), r.constant(ty, -1)),
    };
    let lost = r.icmp(IntPredicate::Ne, rest, expected);
    r.define(dst, G_SELECT, &[lost, bound, shifted]);
}

/// `high:low >> amount`, its low half; the amount is neither zero nor the width.
fn joined(r: &mut Recipe<'_>, high: VReg, low: VReg, amount: u32) -> VReg {
    let ty = r.type_of(low);
    let up = r.shift(Opcode::G_SHL, high, ty.bits() - amount);
    let down = r.shift(Opcode::G_LSHR, low, amount);
    r.op(ty, Opcode::G_OR, &[up, down])
}
