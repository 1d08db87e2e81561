//! Counting, reversing and moving bits.

use super::recipe::Recipe;
use tribunal_ir::{Bits, Opcode, Type, VReg};

/// Sums of two, four, eight bits side by side, then of bytes, of pairs of bytes, ... (Hacker's Delight, 5-1). A last
/// multiplication would be shorter, but is much harder for a solver.
pub(super) fn population(r: &mut Recipe<'_>) {
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

/// All bits below the highest set one are set; the zeros left to count are above it.
pub(super) fn leading_zeros(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let (mut smeared, mut distance) = (source, 1);
    while distance < ty.bits() {
        let moved = r.shift(G_LSHR, smeared, distance);
        smeared = r.op(ty, G_OR, &[smeared, moved]);
        distance *= 2;
    }
    let ones = r.constant(ty, -1);
    let above = r.op(ty, G_XOR, &[smeared, ones]);
    r.define(dst, G_CTPOP, &[above]);
}

/// The bits below the lowest set one, all of them where there is none.
pub(super) fn trailing_zeros(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let ones = r.constant(ty, -1);
    let (not, less) = (r.op(ty, G_XOR, &[source, ones]), r.op(ty, G_ADD, &[source, ones]));
    let below = r.op(ty, G_AND, &[not, less]);
    r.define(dst, G_CTPOP, &[below]);
}

/// The leading zeros of the value reversed, where there are instructions for both.
pub(super) fn trailing_zeros_by_reversal(r: &mut Recipe<'_>) {
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let reversed = r.op(ty, Opcode::G_BITREVERSE, &[source]);
    r.define(dst, Opcode::G_CTLZ, &[reversed]);
}

/// A count that may be anything for zero is the count that is defined for zero.
pub(super) fn as_defined(r: &mut Recipe<'_>, opcode: Opcode) {
    let (source, dst) = (r.register(1), r.dst());
    r.define(dst, opcode, &[source]);
}

/// Each byte moved to its mirror place.
pub(super) fn byte_swap(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let bytes = ty.bits() / 8;
    let last = r.shift(G_SHL, source, ty.bits() - 8);
    let first = r.shift(G_LSHR, source, ty.bits() - 8);
    let mut parts = vec![last, first];
    for index in 1..bytes / 2 {
        let distance = ty.bits() - 8 - 16 * index;
        let mask = r.builder.constant(ty, Bits::new(0xff, ty.bits()).shl(8 * index));
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

/// Bytes reversed, then halves, quarters and bits of each.
pub(super) fn bit_reverse(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, dst) = (r.register(1), r.dst());
    let ty = r.type_of(source);
    let mut value = if ty.bits() > 8 { r.op(ty, G_BSWAP, &[source]) } else { source };
    for (distance, byte) in [(4, 0x0f), (2, 0x33), (1, 0x55)] {
        let mask = r.repeated(ty, byte);
        let low = r.op(ty, G_AND, &[value, mask]);
        let up = r.shift(G_SHL, low, distance);
        let high = r.shift(G_LSHR, value, distance);
        let down = r.op(ty, G_AND, &[high, mask]);
        value = r.op(ty, G_OR, &[up, down]);
    }
    r.define(dst, COPY, &[value]);
}

/// Shifted up until the field's last bit is the value's, then down to the bottom.
pub(super) fn field(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (source, offset, size, dst) = (r.register(1), r.register(2), r.register(3), r.dst());
    let ty = r.type_of(dst);
    // Offsets of a type that does not hold the width are brought to one that does.
    let amount_ty = if r.bits_of(offset) < ty.bits() { ty } else { r.type_of(offset) };
    let (offset, size) = (r.resized(G_ZEXT, offset, amount_ty), r.resized(G_ZEXT, size, amount_ty));
    let width = r.builder.constant(amount_ty, Bits::new(u128::from(ty.bits()), amount_ty.bits()));
    let down = r.op(amount_ty, G_SUB, &[width, size]);
    let up = r.op(amount_ty, G_SUB, &[down, offset]);
    let top = r.op(ty, G_SHL, &[source, up]);
    r.define(dst, if r.data.opcode == G_SBFX { G_ASHR } else { G_LSHR }, &[top, down]);
}

pub(super) fn extract(r: &mut Recipe<'_>) {
    let (source, dst, offset) = (r.register(1), r.dst(), r.imm(2));
    let source = r.number(source);
    let moved = if offset == 0 { source } else { r.shift(Opcode::G_LSHR, source, offset) };
    let ty = r.type_of(dst);
    if ty.is_pointer() {
        let number = r.resized(Opcode::G_ANYEXT, moved, Type::scalar(ty.bits()));
        return r.define(dst, Opcode::G_INTTOPTR, &[number]);
    }
    r.define_resized(dst, Opcode::G_ANYEXT, moved);
}

/// The place is cleared, the part extended and moved there.
pub(super) fn insert(r: &mut Recipe<'_>) {
    use Opcode::*;
    let (whole, part, dst, offset) = (r.register(1), r.register(2), r.dst(), r.imm(3));
    let (ty, size) = (r.type_of(dst), r.bits_of(part));
    let (part, is_pointer) = (r.number(part), ty.is_pointer());
    let (ty, whole) = (Type::scalar(ty.bits()), r.number(whole));
    let place = Bits::ones(size).zext_or_trunc(ty.bits()).shl(offset);
    let mask = r.builder.constant(ty, place.not());
    let kept = r.op(ty, G_AND, &[whole, mask]);
    let wide = r.op(ty, G_ZEXT, &[part]);
    let moved = if offset == 0 { wide } else { r.shift(G_SHL, wide, offset) };
    if is_pointer {
        let number = r.op(ty, G_OR, &[kept, moved]);
        return r.define(dst, G_INTTOPTR, &[number]);
    }
    r.define(dst, G_OR, &[kept, moved]);
}
