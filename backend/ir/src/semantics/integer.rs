//! Arithmetic, comparison, selection.

use super::opcodes::{Evaluation, Operation};
use super::{Domain, Memory, Value};
use crate::bits::{Bits, MAX_BITS};
use crate::inst::InstFlags;
use crate::opcode::{Family, Opcode};
use crate::predicate::IntPredicate;
use smallvec::{SmallVec, smallvec};

/// Opcodes with one result and no undefined behaviour, whose result is poison only by an operand or a flag.
pub(super) fn simple<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Option<Value<D>> {
    use Opcode::*;
    let arg = |index: usize| op.args.get(index).map(|value| &value.bits);
    let (a, b) = (arg(0)?, arg(1).unwrap_or(arg(0)?));
    let bits = match op.inst.opcode {
        G_ADD => d.add(a, b),
        G_SUB => d.sub(a, b),
        G_MUL => d.mul(a, b),
        G_UMULH => high_product(d, a, b, false),
        G_SMULH => high_product(d, a, b, true),
        G_AND | G_PTRMASK => d.and(a, b),
        G_OR => d.or(a, b),
        G_XOR => d.xor(a, b),
        G_SHL | G_LSHR | G_ASHR => shift(d, op.inst.opcode, a, b),
        G_FSHL | G_FSHR => funnel(d, op.inst.opcode == G_FSHL, a, b, arg(2)?),
        G_ROTL | G_ROTR => funnel(d, op.inst.opcode == G_ROTL, a, a, b),
        G_SMIN => extremum(d, IntPredicate::Slt, a, b),
        G_SMAX => extremum(d, IntPredicate::Sgt, a, b),
        G_UMIN => extremum(d, IntPredicate::Ult, a, b),
        G_UMAX => extremum(d, IntPredicate::Ugt, a, b),
        G_ABS => absolute(d, a),
        G_ABDS => distance(d, IntPredicate::Slt, a, b),
        G_ABDU => distance(d, IntPredicate::Ult, a, b),
        G_UADDSAT | G_SADDSAT | G_USUBSAT | G_SSUBSAT => saturating(d, op.inst.opcode, a, b),
        G_USHLSAT | G_SSHLSAT => shift_saturating(d, op.inst.opcode == G_SSHLSAT, a, b),
        G_UAVGFLOOR | G_UAVGCEIL | G_SAVGFLOOR | G_SAVGCEIL => average(d, op.inst.opcode, a, b),
        G_SMULFIX | G_UMULFIX | G_SMULFIXSAT | G_UMULFIXSAT => {
            fixed_point_product(d, op.inst.opcode, a, b, u32::try_from(op.imm()?).ok()?)
        }
        G_SCMP => three_way(d, IntPredicate::Slt, a, b, op.width()),
        G_UCMP => three_way(d, IntPredicate::Ult, a, b, op.width()),
        G_SLLW | G_SRLW | G_SRAW | G_DIVW | G_DIVUW | G_REMUW => word(d, op.inst.opcode, a, b),
        _ => return None,
    };
    let inherited = any_poison(d, op.args);
    let flagged = flag_poison(d, op);
    Some(Value::new(bits, d.bool_or(&inherited, &flagged)))
}

/// An address and an offset. `nuw` and `nusw` promise that the sum does not wrap, the offset read as unsigned and as
/// signed; `inbounds` promises the latter, and that the sum is in the object of the address (LangRef, `getelementptr`).
pub(super) fn pointer_add<D: Domain, M: Memory<D>>(d: &mut D, memory: &mut M, op: &Operation<'_, D>) -> Value<D> {
    let pointer = &op.args[0].bits;
    let offset = d.sext_or_trunc(&op.args[1].bits, d.width(pointer));
    let sum = d.add(pointer, &offset);
    let mut poison = any_poison(d, op.args);
    let above = d.ult(&sum, pointer);
    if op.has(InstFlags::NUW) {
        poison = d.bool_or(&poison, &above);
    }
    if op.flags.intersects(InstFlags::NUSW | InstFlags::INBOUNDS) {
        let (backwards, below) = (d.is_negative(&offset), d.ult(pointer, &sum));
        let wraps = d.bool_ite(&backwards, &below, &above);
        poison = d.bool_or(&poison, &wraps);
    }
    if op.has(InstFlags::INBOUNDS) {
        let leaves = memory.leaves_object(d, pointer, &sum);
        poison = d.bool_or(&poison, &leaves);
    }
    Value::new(sum, poison)
}

/// True if any operand is poison.
pub(super) fn any_poison<D: Domain>(d: &mut D, args: &[Value<D>]) -> D::Bool {
    let mut poison = d.boolean(false);
    for arg in args {
        poison = d.bool_or(&poison, &arg.poison);
    }
    poison
}

/// True if a flag's promise is broken, or a shift amount reaches the width.
fn flag_poison<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> D::Bool {
    use Opcode::*;
    let mut poison = d.boolean(false);
    let shifts = matches!(op.inst.opcode, G_SHL | G_LSHR | G_ASHR | G_USHLSAT | G_SSHLSAT);
    if !shifts && op.flags.is_empty() {
        return poison;
    }
    let args: SmallVec<[D::Bits; 3]> = op.args.iter().map(|value| value.bits.clone()).collect();
    if op.inst.opcode.family() == Some(Family::Word) {
        return word_promise(d, op, &args[0], &args[1]);
    }
    if shifts {
        let beyond = reaches(d, &args[1], op.width());
        poison = d.bool_or(&poison, &beyond);
    }
    if op.has(InstFlags::NSW) {
        let broken = wraps(d, op.inst.opcode, &args, true);
        poison = d.bool_or(&poison, &broken);
    }
    if op.has(InstFlags::NUW) {
        let broken = wraps(d, op.inst.opcode, &args, false);
        poison = d.bool_or(&poison, &broken);
    }
    if op.has(InstFlags::EXACT) && matches!(op.inst.opcode, G_LSHR | G_ASHR) {
        let back = shift(d, G_LSHR, &args[0], &args[1]);
        let again = shift(d, G_SHL, &back, &args[1]);
        let lost = d.ne(&again, &args[0]);
        poison = d.bool_or(&poison, &lost);
    }
    if op.has(InstFlags::DISJOINT) && op.inst.opcode == G_OR {
        let common = d.and(&args[0], &args[1]);
        let zero = d.is_zero(&common);
        let overlap = d.bool_not(&zero);
        poison = d.bool_or(&poison, &overlap);
    }
    poison
}

/// True if `amount`, unsigned, is at least `limit`.
pub(super) fn reaches<D: Domain>(d: &mut D, amount: &D::Bits, limit: u32) -> D::Bool {
    let width = d.width(amount);
    if width < 32 && limit >> width != 0 {
        return d.boolean(false);
    }
    let limit = d.constant(Bits::new(u128::from(limit), width));
    d.ule(&limit, amount)
}

/// True if the operation does not fit its width, signed or unsigned.
fn wraps<D: Domain>(d: &mut D, opcode: Opcode, args: &[D::Bits], signed: bool) -> D::Bool {
    match (opcode, signed) {
        (Opcode::G_ADD, false) => d.uadd_overflows(&args[0], &args[1]),
        (Opcode::G_SUB, false) => d.ult(&args[0], &args[1]),
        (Opcode::G_ADD, true) => d.sadd_overflows(&args[0], &args[1]),
        (Opcode::G_SUB, true) => d.ssub_overflows(&args[0], &args[1]),
        (Opcode::G_MUL, _) => product_overflows(d, &args[0], &args[1], signed),
        (Opcode::G_SHL, _) => {
            let there = shift(d, Opcode::G_SHL, &args[0], &args[1]);
            let back = shift(d, if signed { Opcode::G_ASHR } else { Opcode::G_LSHR }, &there, &args[1]);
            d.ne(&back, &args[0])
        }
        _ => d.boolean(false),
    }
}

/// Signed overflow of a sum that is `result`, if both signs differ from its sign; of a difference, if the operands'
/// signs differ and it does not have the sign of `a`. So it is with a carry too, if values have two bits at least:
/// where signs let no result overflow, one more still fits.
pub(super) fn crossed<D: Domain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits, result: &D::Bits, add: bool) -> D::Bool {
    let (left, right) = if add { (d.xor(a, result), d.xor(b, result)) } else { (d.xor(a, b), d.xor(a, result)) };
    let both = d.and(&left, &right);
    d.is_negative(&both)
}

/// True if the high half of the product is not the extension of the low half.
fn product_overflows<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, signed: bool) -> D::Bool {
    let high = high_product(d, a, b, signed);
    let width = d.width(a);
    let expected = match signed {
        true => {
            let low = d.mul(a, b);
            let last = d.literal(i64::from(width) - 1, width);
            d.ashr(&low, &last)
        }
        false => d.literal(0, width),
    };
    d.ne(&high, &expected)
}

/// The high half of the double-width product.
pub(super) fn high_product<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, signed: bool) -> D::Bits {
    let width = d.width(a);
    if 2 * width <= MAX_BITS {
        let (a, b) = match signed {
            true => (d.sext(a, 2 * width), d.sext(b, 2 * width)),
            false => (d.zext(a, 2 * width), d.zext(b, 2 * width)),
        };
        let product = d.mul(&a, &b);
        return d.extract(&product, width, width);
    }
    let unsigned = high_product_by_halves(d, a, b);
    if !signed {
        return unsigned;
    }
    // Knuth 4.3.1: the signed high half is the unsigned one less each operand where the other is negative.
    let zero = d.literal(0, width);
    let (a_negative, b_negative) = (d.is_negative(a), d.is_negative(b));
    let (for_a, for_b) = (d.ite(&a_negative, b, &zero), d.ite(&b_negative, a, &zero));
    let less = d.sub(&unsigned, &for_a);
    d.sub(&less, &for_b)
}

/// The unsigned high half where the full product is too wide to hold: four products of halves.
fn high_product_by_halves<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    // An odd width is computed one bit wider; both halves are joined at the end.
    let half = width.div_ceil(2);
    let part = |d: &mut D, x: &D::Bits, high: bool| {
        let bits = if high { d.extract(x, half, width - half) } else { d.extract(x, 0, half) };
        d.zext(&bits, width)
    };
    let (a0, a1, b0, b1) = (part(d, a, false), part(d, a, true), part(d, b, false), part(d, b, true));
    let low = if 2 * half <= width { d.mul(&a0, &b0) } else { return high_product_odd(d, a, b) };
    let (cross1, cross2, high) = (d.mul(&a1, &b0), d.mul(&a0, &b1), d.mul(&a1, &b1));
    let amount = d.literal(i64::from(half), width);
    let carried = d.lshr(&low, &amount);
    let middle = d.add(&cross1, &carried);
    let (middle_high, middle_low) = (d.lshr(&middle, &amount), d.extract(&middle, 0, half));
    let middle_low = d.zext(&middle_low, width);
    let second = d.add(&cross2, &middle_low);
    let second_high = d.lshr(&second, &amount);
    let sum = d.add(&high, &middle_high);
    d.add(&sum, &second_high)
}

/// The same at an odd width above half the maximum: at the next even width, both operands shifted up by one bit in all.
fn high_product_odd<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    // (2a * b) >> (w + 1) at width w + 1 is (a * b) >> w.
    let (a, b) = (d.zext(a, width + 1), d.zext(b, width + 1));
    let one = d.literal(1, width + 1);
    let doubled = d.shl(&a, &one);
    let high = high_product_by_halves(d, &doubled, &b);
    d.extract(&high, 0, width)
}

/// `a` shifted by `amount`, which may have another width.
fn shift<D: Domain>(d: &mut D, opcode: Opcode, a: &D::Bits, amount: &D::Bits) -> D::Bits {
    let (width, amount_width) = (d.width(a), d.width(amount));
    // A wider amount is cut: where that loses bits it reached the width, and the result is poison anyway.
    let amount = if amount_width > width { d.extract(amount, 0, width) } else { d.zext(amount, width) };
    match opcode {
        Opcode::G_SHL => d.shl(a, &amount),
        Opcode::G_LSHR => d.lshr(a, &amount),
        _ => d.ashr(a, &amount),
    }
}

/// `high:low` shifted left (or right), amount modulo the width; the high (low) half. One shift of the far half is by
/// one, the other by one less, so that no shift reaches the width.
fn funnel<D: Domain>(d: &mut D, left: bool, high: &D::Bits, low: &D::Bits, amount: &D::Bits) -> D::Bits {
    let width = d.width(high);
    let amount = modulo(d, amount, width);
    let (one, last) = (d.literal(1, width), d.literal(i64::from(width) - 1, width));
    let rest = d.sub(&last, &amount);
    let (first, second) = match left {
        true => {
            let halved = d.lshr(low, &one);
            (d.shl(high, &amount), d.lshr(&halved, &rest))
        }
        false => {
            let doubled = d.shl(high, &one);
            (d.shl(&doubled, &rest), d.lshr(low, &amount))
        }
    };
    d.or(&first, &second)
}

/// `amount` modulo `width`, as `width` bits.
fn modulo<D: Domain>(d: &mut D, amount: &D::Bits, width: u32) -> D::Bits {
    let amount_width = d.width(amount);
    if amount_width < 32 && width >> amount_width != 0 {
        return d.zext_or_trunc(amount, width);
    }
    let remainder = match width.is_power_of_two() {
        true => {
            let mask = d.constant(Bits::new(u128::from(width - 1), amount_width));
            d.and(amount, &mask)
        }
        false => {
            let modulus = d.constant(Bits::new(u128::from(width), amount_width));
            d.urem(amount, &modulus)
        }
    };
    d.zext_or_trunc(&remainder, width)
}

fn holds<D: Domain>(d: &mut D, predicate: IntPredicate, a: &D::Bits, b: &D::Bits) -> D::Bool {
    match predicate {
        IntPredicate::Eq => d.eq(a, b),
        IntPredicate::Ne => d.ne(a, b),
        IntPredicate::Ult => d.ult(a, b),
        IntPredicate::Ugt => d.ult(b, a),
        IntPredicate::Ule => d.ule(a, b),
        IntPredicate::Uge => d.ule(b, a),
        IntPredicate::Slt => d.slt(a, b),
        IntPredicate::Sgt => d.slt(b, a),
        IntPredicate::Sle => d.sle(a, b),
        IntPredicate::Sge => d.sle(b, a),
    }
}

/// `a` if the predicate holds, else `b`.
fn extremum<D: Domain>(d: &mut D, predicate: IntPredicate, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let first = holds(d, predicate, a, b);
    d.ite(&first, a, b)
}

fn absolute<D: Domain>(d: &mut D, a: &D::Bits) -> D::Bits {
    let zero = d.literal(0, d.width(a));
    let negated = d.sub(&zero, a);
    let negative = d.is_negative(a);
    d.ite(&negative, &negated, a)
}

/// The greater less the smaller.
fn distance<D: Domain>(d: &mut D, less: IntPredicate, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let below = holds(d, less, a, b);
    let (up, down) = (d.sub(b, a), d.sub(a, b));
    d.ite(&below, &up, &down)
}

fn saturating<D: Domain>(d: &mut D, opcode: Opcode, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let add = matches!(opcode, Opcode::G_UADDSAT | Opcode::G_SADDSAT);
    let plain = if add { d.add(a, b) } else { d.sub(a, b) };
    let (overflow, bound) = match opcode {
        Opcode::G_UADDSAT => (d.uadd_overflows(a, b), d.constant(Bits::ones(width))),
        Opcode::G_USUBSAT => (d.ult(a, b), d.literal(0, width)),
        _ => {
            let overflow = if add { d.sadd_overflows(a, b) } else { d.ssub_overflows(a, b) };
            // What overflows has the sign of the other side.
            let (sign, least) = (d.extract(&plain, width - 1, 1), d.constant(Bits::signed_min(width)));
            let sign = d.sext(&sign, width);
            (overflow, d.xor(&sign, &least))
        }
    };
    d.ite(&overflow, &bound, &plain)
}

/// Where bits are lost on the left: all ones, or the bound on the side of the sign.
fn shift_saturating<D: Domain>(d: &mut D, signed: bool, a: &D::Bits, amount: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let there = shift(d, Opcode::G_SHL, a, amount);
    let back = shift(d, if signed { Opcode::G_ASHR } else { Opcode::G_LSHR }, &there, amount);
    let lost = d.ne(&back, a);
    let bound = if signed { bound_like(d, a) } else { d.constant(Bits::ones(width)) };
    d.ite(&lost, &bound, &there)
}

/// The least signed value if `a` is negative, else the greatest.
fn bound_like<D: Domain>(d: &mut D, a: &D::Bits) -> D::Bits {
    let (least, negative) = (d.constant(Bits::signed_min(d.width(a))), d.is_negative(a));
    let greatest = d.not(&least);
    d.ite(&negative, &least, &greatest)
}

/// Half the sum, rounded down or up, without overflow. It is taken one bit wider, or at the maximal width from the bits
/// that both have and half of those that one has.
fn average<D: Domain>(d: &mut D, opcode: Opcode, a: &D::Bits, b: &D::Bits) -> D::Bits {
    use Opcode::*;
    let (width, signed) = (d.width(a), matches!(opcode, G_SAVGFLOOR | G_SAVGCEIL));
    let up = matches!(opcode, G_UAVGCEIL | G_SAVGCEIL);
    if width < MAX_BITS {
        let wide = |d: &mut D, x: &D::Bits| if signed { d.sext(x, width + 1) } else { d.zext(x, width + 1) };
        let (a, b) = (wide(d, a), wide(d, b));
        let sum = d.add(&a, &b);
        let round = d.literal(i64::from(up), width + 1);
        let sum = d.add(&sum, &round);
        return d.extract(&sum, 1, width);
    }
    let (differ, one) = (d.xor(a, b), d.literal(1, width));
    let half = if signed { d.ashr(&differ, &one) } else { d.lshr(&differ, &one) };
    let common = if up { d.or(a, b) } else { d.and(a, b) };
    if up { d.sub(&common, &half) } else { d.add(&common, &half) }
}

/// The double-width product shifted right by `scale`, its low half; saturated if it does not fit there.
fn fixed_point_product<D: Domain>(d: &mut D, opcode: Opcode, a: &D::Bits, b: &D::Bits, scale: u32) -> D::Bits {
    use Opcode::*;
    let (width, signed) = (d.width(a), matches!(opcode, G_SMULFIX | G_SMULFIXSAT));
    let (low, high) = (d.mul(a, b), high_product(d, a, b, signed));
    let shifted = match scale {
        0 => low,
        scale if scale >= width => high.clone(),
        _ => {
            let (high_part, low_part) = (d.extract(&high, 0, scale), d.extract(&low, scale, width - scale));
            d.concat(&high_part, &low_part)
        }
    };
    if matches!(opcode, G_SMULFIX | G_UMULFIX) {
        return shifted;
    }
    let (amount, last) = (d.literal(i64::from(scale.min(width)), width), d.literal(i64::from(width) - 1, width));
    let (rest, expected, bound) = match signed {
        true => (d.ashr(&high, &amount), d.ashr(&shifted, &last), bound_like(d, &high)),
        false => (d.lshr(&high, &amount), d.literal(0, width), d.constant(Bits::ones(width))),
    };
    let lost = d.ne(&rest, &expected);
    d.ite(&lost, &bound, &shifted)
}

/// -1, 0 or 1.
fn three_way<D: Domain>(d: &mut D, less: IntPredicate, a: &D::Bits, b: &D::Bits, width: u32) -> D::Bits {
    let (below, above) = (holds(d, less, a, b), holds(d, less, b, a));
    let (minus, zero, plus) = (d.literal(-1, width), d.literal(0, width), d.literal(1, width));
    let rest = d.ite(&above, &plus, &zero);
    d.ite(&below, &minus, &rest)
}

/// RISC-V's 32-bit operations: low words in, sign-extended low word out.
fn word<D: Domain>(d: &mut D, opcode: Opcode, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let (a, b) = (d.extract(a, 0, 32), d.extract(b, 0, 32));
    let mask = d.literal(31, 32);
    let amount = d.and(&b, &mask);
    let result = match opcode {
        Opcode::G_SLLW => d.shl(&a, &amount),
        Opcode::G_SRLW => d.lshr(&a, &amount),
        Opcode::G_SRAW => d.ashr(&a, &amount),
        Opcode::G_DIVUW => d.udiv(&a, &b),
        Opcode::G_REMUW => d.urem(&a, &b),
        _ => machine_signed_division(d, &a, &b),
    };
    d.sext(&result, width)
}

/// True if a flag's promise about the low words is broken. LLVM leaves the flags of the operation that it replaces.
fn word_promise<D: Domain>(d: &mut D, op: &Operation<'_, D>, a: &D::Bits, b: &D::Bits) -> D::Bool {
    let result = word(d, op.inst.opcode, a, b);
    let [result, low, other] = [&result, a, b].map(|bits| d.extract(bits, 0, 32));
    let mask = d.literal(31, 32);
    let amount = d.and(&other, &mask);
    let mut broken = d.boolean(false);
    let whole = match op.inst.opcode {
        Opcode::G_DIVW | Opcode::G_DIVUW => d.mul(&result, &other),
        _ => d.shl(&result, &amount),
    };
    let undone = [
        (InstFlags::NUW, d.lshr(&result, &amount)),
        (InstFlags::NSW, d.ashr(&result, &amount)),
        (InstFlags::EXACT, whole),
    ];
    for (_, back) in undone.iter().filter(|(flag, _)| op.has(*flag)) {
        let lost = d.ne(back, &low);
        broken = d.bool_or(&broken, &lost);
    }
    broken
}

/// RISC-V's `div`: all ones for a zero divisor.
fn machine_signed_division<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let quotient = d.sdiv(a, b);
    let (zero, ones) = (d.is_zero(b), d.literal(-1, d.width(a)));
    d.ite(&zero, &ones, &quotient)
}

/// The operand where it is not poison, else a nondeterministic choice.
pub(super) fn freeze<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let any = d.choose(op.width());
    let bits = d.ite(&op.args[0].poison, &any, &op.args[0].bits);
    Value::new(bits, d.boolean(false))
}

/// The chosen arm; poison if the condition is, or is neither 0 nor 1, or the chosen arm is.
pub(super) fn select<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let [condition, if_true, if_false] = [&op.args[0], &op.args[1], &op.args[2]];
    let (taken, unconstrained) = condition_of(d, &condition.bits);
    let bits = d.ite(&taken, &if_true.bits, &if_false.bits);
    let arm = d.bool_ite(&taken, &if_true.poison, &if_false.poison);
    let poison = d.bool_or(&condition.poison, &arm);
    Value::new(bits, d.bool_or(&poison, &unconstrained))
}

/// A condition as a truth value, and where it is neither 0 nor 1.
pub fn condition_of<D: Domain>(d: &mut D, condition: &D::Bits) -> (D::Bool, D::Bool) {
    let width = d.width(condition);
    let (zero, one) = (d.is_zero(condition), d.literal(1, width));
    let unconstrained = d.ult(&one, condition);
    (d.bool_not(&zero), unconstrained)
}

pub(super) fn compare<D: Domain>(d: &mut D, op: &Operation<'_, D>, predicate: IntPredicate) -> Value<D> {
    let holds = holds(d, predicate, &op.args[0].bits, &op.args[1].bits);
    let bit = d.bit(&holds);
    let bits = d.zext(&bit, op.width());
    let inherited = any_poison(d, op.args);
    if !op.has(InstFlags::SAMESIGN) {
        return Value::new(bits, inherited);
    }
    let signs = d.xor(&op.args[0].bits, &op.args[1].bits);
    let differ = d.is_negative(&signs);
    Value::new(bits, d.bool_or(&inherited, &differ))
}

/// Division and remainder: undefined for a zero or poison divisor, and for the least signed value by -1.
pub(super) fn divide<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Evaluation<D> {
    use Opcode::*;
    let (a, b) = (&op.args[0].bits, &op.args[1].bits);
    let signed = matches!(op.inst.opcode, G_SDIV | G_SREM | G_SDIVREM);
    let quotient = |d: &mut D| if signed { d.sdiv(a, b) } else { d.udiv(a, b) };
    let remainder = |d: &mut D| if signed { d.srem(a, b) } else { d.urem(a, b) };
    let results: SmallVec<[D::Bits; 2]> = match op.inst.opcode {
        G_UDIV | G_SDIV => smallvec![quotient(d)],
        G_UREM | G_SREM => smallvec![remainder(d)],
        _ => smallvec![quotient(d), remainder(d)],
    };
    let zero = d.is_zero(b);
    let mut ub = d.bool_or(&zero, &op.args[1].poison);
    if signed {
        let (least, ones) = (d.constant(Bits::signed_min(d.width(a))), d.literal(-1, d.width(a)));
        let (is_least, is_minus_one) = (d.eq(a, &least), d.eq(b, &ones));
        let both = d.bool_and(&is_least, &is_minus_one);
        // A poison dividend may be the least value.
        let dividend = d.bool_and(&op.args[0].poison, &is_minus_one);
        let overflow = d.bool_or(&both, &dividend);
        ub = d.bool_or(&ub, &overflow);
    }
    let mut poison = any_poison(d, op.args);
    if op.has(InstFlags::EXACT) && matches!(op.inst.opcode, G_UDIV | G_SDIV) {
        let rest = remainder(d);
        let divides = d.is_zero(&rest);
        let inexact = d.bool_not(&divides);
        poison = d.bool_or(&poison, &inexact);
    }
    let results = results.into_iter().map(|bits| Value::new(bits, poison.clone())).collect();
    Evaluation { results, ub }
}

/// Sum or difference and its carry, borrow or signed overflow. A wide carry operand must be 0 or 1.
pub(super) fn with_carry<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> SmallVec<[Value<D>; 2]> {
    use Opcode::*;
    let width = op.width();
    let add = matches!(op.inst.opcode, G_UADDO | G_UADDE | G_SADDO | G_SADDE);
    let signed = matches!(op.inst.opcode, G_SADDO | G_SADDE | G_SSUBO | G_SSUBE);
    let (a, b) = (&op.args[0].bits, &op.args[1].bits);
    let carry = op.args.get(2).map(|carry| condition_of(d, &carry.bits));
    let mut poison = any_poison(d, op.args);
    let (mut sum, mut overflow) = one_step(d, a, b, add, signed);
    if let Some((carry, unconstrained)) = carry {
        poison = d.bool_or(&poison, &unconstrained);
        let bit = d.bit(&carry);
        let carry = d.zext(&bit, width);
        let (next, again) = one_step(d, &sum, &carry, add, signed);
        overflow = match (signed, width) {
            // A carry out happens at most once.
            (false, _) => d.bool_or(&overflow, &again),
            (true, 1) => narrow_signed_overflow(d, a, b, &carry, add),
            (true, _) => crossed(d, a, b, &next, add),
        };
        sum = next;
    }
    let bit = d.bit(&overflow);
    let carry_out = d.zext(&bit, op.defs[1].bits());
    smallvec![Value::new(sum, poison.clone()), Value::new(carry_out, poison)]
}

fn one_step<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, add: bool, signed: bool) -> (D::Bits, D::Bool) {
    let result = if add { d.add(a, b) } else { d.sub(a, b) };
    let overflow = match (add, signed) {
        (true, false) => d.uadd_overflows(a, b),
        (false, false) => d.ult(a, b),
        (true, true) => d.sadd_overflows(a, b),
        (false, true) => d.ssub_overflows(a, b),
    };
    (result, overflow)
}

/// One bit: the carry 1 reads as +1, which one signed bit does not hold; so the sum is taken over three.
fn narrow_signed_overflow<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, carry: &D::Bits, add: bool) -> D::Bool {
    let (a, b, carry) = (d.sext(a, 3), d.sext(b, 3), d.zext(carry, 3));
    let first = if add { d.add(&a, &b) } else { d.sub(&a, &b) };
    let sum = if add { d.add(&first, &carry) } else { d.sub(&first, &carry) };
    let low = d.extract(&sum, 0, 1);
    let back = d.sext(&low, 3);
    d.ne(&back, &sum)
}

pub(super) fn multiply_overflow<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> SmallVec<[Value<D>; 2]> {
    let (a, b) = (&op.args[0].bits, &op.args[1].bits);
    let product = d.mul(a, b);
    let overflow = product_overflows(d, a, b, op.inst.opcode == Opcode::G_SMULO);
    let bit = d.bit(&overflow);
    let bits = d.zext(&bit, op.defs[1].bits());
    let poison = any_poison(d, op.args);
    smallvec![Value::new(product, poison.clone()), Value::new(bits, poison)]
}
