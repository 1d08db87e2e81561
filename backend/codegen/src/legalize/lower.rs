//! Expansions into other operations of the same types.

use super::memory;
use super::recipe::Recipe;
use tribunal_ir::types::{S32, S64};
use tribunal_ir::{IntPredicate, Opcode, Operand, Type, VReg};

/// Expands the instruction; false if there is no recipe.
pub(super) fn lower(r: &mut Recipe<'_>) -> bool {
    use Opcode::*;
    match r.data.opcode {
        G_SMIN => extremum(r, IntPredicate::Slt),
        G_SMAX => extremum(r, IntPredicate::Sgt),
        G_UMIN => extremum(r, IntPredicate::Ult),
        G_UMAX => extremum(r, IntPredicate::Ugt),
        G_ABS => absolute(r),
        G_ABDS => distance(r, IntPredicate::Sgt),
        G_ABDU => distance(r, IntPredicate::Ugt),
        G_FSHL | G_FSHR => funnel(r),
        G_ROTL | G_ROTR => rotate(r),
        G_UREM => remainder(r, G_UDIV),
        G_SREM => remainder(r, G_SDIV),
        G_UADDSAT | G_USUBSAT => saturating(r),
        G_UADDO | G_USUBO | G_SADDO | G_SSUBO => overflow(r),
        G_CTPOP => population(r),
        G_BSWAP => byte_swap(r),
        G_SEXT_INREG => extension_in_register(r),
        G_ASSERT_SEXT | G_ASSERT_ZEXT | G_ASSERT_ALIGN => hint(r),
        G_ANYEXT => any_extension(r),
        G_MERGE_VALUES => merge(r),
        G_UNMERGE_VALUES => unmerge(r),
        G_LOAD | G_ZEXTLOAD | G_SEXTLOAD => return memory::lower_load(r),
        G_STORE => return memory::lower_store(r),
        _ => return false,
    }
    true
}

/// RV64's 32-bit operations. Sums and products are taken at 64 bits and their low word sign-extended; the others have
/// generic word opcodes, which read low words only.
pub(super) fn word_operation(r: &mut Recipe<'_>) -> bool {
    use Opcode::*;
    let opcode = match r.data.opcode {
        G_ADD | G_SUB | G_MUL => r.data.opcode,
        G_SHL => G_SLLW,
        G_LSHR => G_SRLW,
        G_ASHR => G_SRAW,
        G_SDIV => G_DIVW,
        G_UDIV => G_DIVUW,
        G_UREM => G_REMUW,
        _ => return false,
    };
    let (a, b) = (r.register(1), r.register(2));
    let sources = [r.resized(G_ANYEXT, a, S64), r.resized(G_ANYEXT, b, S64)];
    let mut wide = r.op(S64, opcode, &sources);
    if opcode == r.data.opcode {
        wide = r.builder.build(S64, G_SEXT_INREG, [Operand::used(wide), Operand::Imm(32)]);
    }
    let dst = r.dst();
    debug_assert_eq!(r.type_of(dst), S32);
    r.define(dst, G_TRUNC, &[wide]);
    true
}

/// Up to the top, and back with copies of the sign.
fn extension_in_register(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(dst);
    let distance = r.constant(ty, i64::from(ty.bits() - r.imm(2)));
    let up = r.op(ty, Opcode::G_SHL, &[source, distance]);
    r.define(dst, Opcode::G_ASHR, &[up, distance]);
}

fn extremum(r: &mut Recipe<'_>, predicate: IntPredicate) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let first = r.icmp(predicate, a, b);
    r.define(dst, Opcode::G_SELECT, &[first, a, b]);
}

/// `(x + s) ^ s` where `s` is the sign spread over all bits.
fn absolute(r: &mut Recipe<'_>) {
    let (a, dst) = (r.register(1), r.dst());
    let ty = r.type_of(a);
    let sign = r.shift(Opcode::G_ASHR, a, ty.bits() - 1);
    let sum = r.op(ty, Opcode::G_ADD, &[a, sign]);
    r.define(dst, Opcode::G_XOR, &[sum, sign]);
}

fn distance(r: &mut Recipe<'_>, greater: IntPredicate) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let above = r.icmp(greater, a, b);
    let (down, up) = (r.op(ty, Opcode::G_SUB, &[a, b]), r.op(ty, Opcode::G_SUB, &[b, a]));
    r.define(dst, Opcode::G_SELECT, &[above, down, up]);
}

fn remainder(r: &mut Recipe<'_>, division: Opcode) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let quotient = r.op(ty, division, &[a, b]);
    let product = r.op(ty, Opcode::G_MUL, &[quotient, b]);
    r.define(dst, Opcode::G_SUB, &[a, product]);
}

/// An unsigned sum that wrapped is below its operand; a difference would wrap if the first is below the second.
fn saturating(r: &mut Recipe<'_>) {
    let (a, b, dst) = (r.register(1), r.register(2), r.dst());
    let ty = r.type_of(a);
    let add = r.data.opcode == Opcode::G_UADDSAT;
    let plain = r.op(ty, if add { Opcode::G_ADD } else { Opcode::G_SUB }, &[a, b]);
    let wrapped = if add { r.icmp(IntPredicate::Ult, plain, a) } else { r.icmp(IntPredicate::Ult, a, b) };
    let bound = r.constant(ty, if add { -1 } else { 0 });
    r.define(dst, Opcode::G_SELECT, &[wrapped, bound, plain]);
}

/// Signed: the result is on the wrong side of the first operand, seen from the sign of the second.
fn overflow(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (dst, flag, a, b) = (r.register(0), r.register(1), r.register(2), r.register(3));
    let (ty, flag_ty) = (r.type_of(a), r.type_of(flag));
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
            r.op(tribunal_ir::types::S1, G_XOR, &[below, expected])
        }
    };
    r.define_resized(flag, if flag_ty.bits() > 1 { G_ZEXT } else { COPY }, overflowed);
}

/// The amount modulo the width, in the value's type.
fn funnel_amount(r: &mut Recipe<'_>, amount: VReg, ty: Type) -> VReg {
    let amount_ty = r.type_of(amount);
    let width = ty.bits();
    let fits = width.ilog2() < amount_ty.bits() && (amount_ty.bits() >= 32 || width >> amount_ty.bits() == 0);
    let reduced = match (fits, width.is_power_of_two()) {
        // The amount's type holds nothing that reaches the width.
        (false, _) => amount,
        (true, true) => {
            let mask = r.constant(amount_ty, i64::from(width) - 1);
            r.op(amount_ty, Opcode::G_AND, &[amount, mask])
        }
        (true, false) => {
            let modulus = r.constant(amount_ty, i64::from(width));
            r.op(amount_ty, Opcode::G_UREM, &[amount, modulus])
        }
    };
    r.resized(Opcode::G_ZEXT, reduced, ty)
}

/// `X << n | Y >> 1 >> (w - 1 - n)` and its mirror image: no shift reaches the width, whatever the amount.
fn funnel(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (high, low, amount, dst) = (r.register(1), r.register(2), r.register(3), r.dst());
    let ty = r.type_of(dst);
    if ty.bits() == 1 {
        // The amount modulo one is zero.
        let same = if r.data.opcode == G_FSHL { high } else { low };
        r.define(dst, COPY, &[same]);
        return;
    }
    let amount = funnel_amount(r, amount, ty);
    let most = r.constant(ty, i64::from(ty.bits()) - 1);
    let rest = r.op(ty, G_SUB, &[most, amount]);
    let parts = match r.data.opcode {
        G_FSHL => {
            let halved = r.shift(G_LSHR, low, 1);
            [r.op(ty, G_SHL, &[high, amount]), r.op(ty, G_LSHR, &[halved, rest])]
        }
        _ => {
            let doubled = r.shift(G_SHL, high, 1);
            [r.op(ty, G_SHL, &[doubled, rest]), r.op(ty, G_LSHR, &[low, amount])]
        }
    };
    r.define(dst, G_OR, &parts);
}

fn rotate(r: &mut Recipe<'_>) {
    let (value, amount, dst) = (r.register(1), r.register(2), r.dst());
    let opcode = if r.data.opcode == Opcode::G_ROTL { Opcode::G_FSHL } else { Opcode::G_FSHR };
    r.define(dst, opcode, &[value, value, amount]);
}

/// Sums of two, four, eight bits side by side, then of bytes, of pairs of bytes, ... (Hacker's Delight, 5-1). A last
/// multiplication would be shorter, and takes a solver ten times as long.
fn population(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let (pairs, nibbles, bytes) = (r.repeated(ty, 0x55), r.repeated(ty, 0x33), r.repeated(ty, 0x0f));
    let odd = r.shift(G_LSHR, source, 1);
    let odd = r.op(ty, G_AND, &[odd, pairs]);
    let twos = r.op(ty, G_SUB, &[source, odd]);
    let upper = r.shift(G_LSHR, twos, 2);
    let (upper, lower) = (r.op(ty, G_AND, &[upper, nibbles]), r.op(ty, G_AND, &[twos, nibbles]));
    let fours = r.op(ty, G_ADD, &[upper, lower]);
    let upper = r.shift(G_LSHR, fours, 4);
    let sum = r.op(ty, G_ADD, &[fours, upper]);
    let mut count = r.op(ty, G_AND, &[sum, bytes]);
    let mut width = 8;
    while width < ty.bits() {
        let upper = r.shift(G_LSHR, count, width);
        count = r.op(ty, G_ADD, &[count, upper]);
        width *= 2;
    }
    if ty.bits() > 8 {
        let byte = r.mask(ty, 8);
        count = r.op(ty, G_AND, &[count, byte]);
    }
    r.define_resized(dst, G_ZEXT, count);
}

/// Each byte moved to its mirror place.
fn byte_swap(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let bytes = ty.bits() / 8;
    let last = r.shift(G_SHL, source, ty.bits() - 8);
    let first = r.shift(G_LSHR, source, ty.bits() - 8);
    let mut parts = vec![last, first];
    for index in 1..bytes / 2 {
        let distance = ty.bits() - 8 - 16 * index;
        let mask = r.builder.constant(ty, tribunal_ir::Bits::new(0xff << (8 * index), ty.bits()));
        let low = r.op(ty, G_AND, &[source, mask]);
        let up = r.shift(G_SHL, low, distance);
        let high = r.shift(G_LSHR, source, distance);
        let down = r.op(ty, G_AND, &[high, mask]);
        parts.extend([up, down]);
    }
    disjoint_or(r, dst, &parts);
}

/// Ors the parts into `dst`.
fn disjoint_or(r: &mut Recipe<'_>, dst: VReg, parts: &[VReg]) {
    let ty = r.type_of(dst);
    match parts {
        [only] => r.define(dst, Opcode::COPY, &[*only]),
        [rest @ .., last] => {
            let mut sum = rest[0];
            for &part in &rest[1..] {
                sum = r.op(ty, Opcode::G_OR, &[sum, part]);
            }
            r.define(dst, Opcode::G_OR, &[sum, *last]);
        }
        [] => {}
    }
}

/// A promise about a type that goes away is forgotten.
fn hint(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, Opcode::COPY, &[source]);
}

/// Any bits will do, and zeros are one choice that all readers see alike.
fn any_extension(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, Opcode::G_ZEXT, &[source]);
}

/// The type in which parts of a value of `bits` bits are put together: wide enough, and a power of two.
fn assembled(bits: u32) -> Type {
    Type::scalar(bits.next_power_of_two())
}

/// Each part zero-extended and shifted to its place.
fn merge(r: &mut Recipe<'_>) {
    use Opcode::*;
    let sources: Vec<VReg> = r.data.vreg_uses().collect();
    let dst = r.dst();
    let (part, ty) = (r.bits_of(sources[0]), assembled(r.bits_of(dst)));
    let mut sum = r.resized(G_ZEXT, sources[0], ty);
    for (index, &source) in (1u32..).zip(&sources[1..]) {
        let wide = r.resized(G_ZEXT, source, ty);
        let placed = r.shift(G_SHL, wide, index * part);
        sum = r.op(ty, G_OR, &[sum, placed]);
    }
    r.define_resized(dst, G_ANYEXT, sum);
}

/// Each part shifted down and truncated.
fn unmerge(r: &mut Recipe<'_>) {
    use Opcode::*;
    let parts: Vec<VReg> = r.data.vreg_defs().collect();
    let source = r.register(parts.len());
    let (part, ty) = (r.bits_of(parts[0]), assembled(r.bits_of(source)));
    let wide = r.resized(G_ANYEXT, source, ty);
    for (index, &dst) in (0u32..).zip(&parts) {
        let low = if index == 0 { wide } else { r.shift(G_LSHR, wide, index * part) };
        r.define_resized(dst, G_ANYEXT, low);
    }
}
