//! The second definition: an operation on numbers as mathematics has them.
//!
//! Invariant: nothing here calls the semantics.

use super::meaning::OperationMeaning;
use tribunal_ir::{Family, InstFlags, IntPredicate, Opcode};

/// An operation on numbers.
pub(super) struct IntegerCase<'c> {
    pub flags: InstFlags,
    pub predicate: IntPredicate,
    pub immediate: i128,
    /// Widths by type index, in bits.
    pub widths: [u32; 3],
    /// Readings without a sign, each with its width.
    pub args: &'c [(i128, u32)],
}

pub(super) fn power(exponent: u32) -> i128 {
    1i128 << exponent
}

/// The reading with a sign.
fn signed((value, width): (i128, u32)) -> i128 {
    if value >= power(width - 1) { value - power(width) } else { value }
}

fn wrapped(value: i128, width: u32) -> i128 {
    value.rem_euclid(power(width))
}

fn is_signed(value: i128, width: u32) -> bool {
    (-power(width - 1)..power(width - 1)).contains(&value)
}

fn is_unsigned(value: i128, width: u32) -> bool {
    (0..power(width)).contains(&value)
}

/// The numbers of a case, by the names that arithmetic has for them.
struct Numbers {
    /// The width of the first operand.
    w: u32,
    a: i128,
    b: i128,
    c: i128,
    sa: i128,
    sb: i128,
}

impl IntegerCase<'_> {
    fn numbers(&self) -> Numbers {
        let of = |index: usize| self.args.get(index).copied().unwrap_or((0, 1));
        let ((a, w), (b, _), (c, _)) = (of(0), of(1), of(2));
        Numbers { w, a, b, c, sa: signed(of(0)), sb: signed(of(1)) }
    }

    fn has(&self, flag: InstFlags) -> bool {
        self.flags.contains(flag)
    }

    /// The value, unless a flag promises that this does not happen.
    fn unless(&self, broken: bool, value: i128) -> OperationMeaning {
        OperationMeaning::Results(vec![(!broken).then(|| wrapped(value, self.widths[0]))])
    }

    fn is(&self, value: i128) -> OperationMeaning {
        self.unless(false, value)
    }

    /// A sum, difference, product or shifted value, by its two exact readings.
    fn exact(&self, unsigned: i128, signed: i128) -> OperationMeaning {
        let w = self.widths[0];
        let broken =
            self.has(InstFlags::NUW) && !is_unsigned(unsigned, w) || self.has(InstFlags::NSW) && !is_signed(signed, w);
        self.unless(broken, unsigned)
    }

    fn clamped_unsigned(&self, value: i128) -> OperationMeaning {
        self.is(value.clamp(0, power(self.widths[0]) - 1))
    }

    fn clamped_signed(&self, value: i128) -> OperationMeaning {
        let w = self.widths[0];
        self.is(value.clamp(-power(w - 1), power(w - 1) - 1))
    }

    /// A value, and whether it is out of range.
    fn with_overflow(&self, value: i128, overflows: bool) -> OperationMeaning {
        OperationMeaning::Results(vec![Some(wrapped(value, self.widths[0])), Some(overflows.into())])
    }

    /// The same with a third operand that must be 0 or 1.
    fn with_carry(&self, value: i128, overflows: bool) -> OperationMeaning {
        match self.numbers().c {
            0 | 1 => self.with_overflow(value, overflows),
            _ => OperationMeaning::Results(vec![None, None]),
        }
    }

    /// Its meaning; `None` of an opcode that is not on numbers.
    pub fn meant(&self, opcode: Opcode) -> Option<OperationMeaning> {
        // Those of wide numbers come first: the others compute more than their products fit into.
        let families = [words, counts, arithmetic, division, shifts, with_overflow, conversions, places, choices];
        families.into_iter().find_map(|family| family(self, opcode))
    }
}

/// Sums, products, extrema, saturation, distances, averages.
fn arithmetic(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, sa, sb, .. } = case.numbers();
    let scaled = |product: i128| product.div_euclid(power(case.immediate as u32));
    Some(match opcode {
        Opcode::G_ADD => case.exact(a + b, sa + sb),
        Opcode::G_SUB => case.exact(a - b, sa - sb),
        Opcode::G_MUL => case.exact(a * b, sa * sb),
        Opcode::G_AND => case.is((0..w).map(|bit| power(bit) * (a >> bit & 1) * (b >> bit & 1)).sum()),
        Opcode::G_OR => {
            let common = (0..w).any(|bit| (a >> bit & 1) + (b >> bit & 1) == 2);
            let sum = (0..w).map(|bit| power(bit) * (a >> bit & 1).max(b >> bit & 1)).sum();
            case.unless(case.has(InstFlags::DISJOINT) && common, sum)
        }
        Opcode::G_XOR => case.is((0..w).map(|bit| power(bit) * (((a >> bit) + (b >> bit)) & 1)).sum()),
        Opcode::G_SMIN => case.is(sa.min(sb)),
        Opcode::G_SMAX => case.is(sa.max(sb)),
        Opcode::G_UMIN => case.is(a.min(b)),
        Opcode::G_UMAX => case.is(a.max(b)),
        Opcode::G_UADDSAT => case.clamped_unsigned(a + b),
        Opcode::G_SADDSAT => case.clamped_signed(sa + sb),
        Opcode::G_USUBSAT => case.clamped_unsigned(a - b),
        Opcode::G_SSUBSAT => case.clamped_signed(sa - sb),
        Opcode::G_UMULH => case.is(a * b / power(w)),
        Opcode::G_SMULH => case.is((sa * sb).div_euclid(power(w))),
        Opcode::G_ABDS => case.is((sa - sb).abs()),
        Opcode::G_ABDU => case.is((a - b).abs()),
        Opcode::G_UAVGFLOOR => case.is((a + b) / 2),
        Opcode::G_UAVGCEIL => case.is((a + b + 1) / 2),
        Opcode::G_SAVGFLOOR => case.is((sa + sb).div_euclid(2)),
        Opcode::G_SAVGCEIL => case.is((sa + sb + 1).div_euclid(2)),
        Opcode::G_UMULFIX => case.is(scaled(a * b)),
        Opcode::G_SMULFIX => case.is(scaled(sa * sb)),
        Opcode::G_UMULFIXSAT => case.clamped_unsigned(scaled(a * b)),
        Opcode::G_SMULFIXSAT => case.clamped_signed(scaled(sa * sb)),
        Opcode::G_ABS => case.is(sa.abs()),
        _ => return None,
    })
}

/// Quotients and remainders, towards zero.
fn division(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, sa, sb, .. } = case.numbers();
    let is_signed = match opcode {
        Opcode::G_UDIV | Opcode::G_UREM => false,
        Opcode::G_SDIV | Opcode::G_SREM => true,
        Opcode::G_UDIVREM => false,
        Opcode::G_SDIVREM => true,
        _ => return None,
    };
    if b == 0 || is_signed && sa == -power(w - 1) && sb == -1 {
        return Some(OperationMeaning::Undefined);
    }
    let (quotient, remainder) = if is_signed { (sa / sb, sa % sb) } else { (a / b, a % b) };
    Some(match opcode {
        Opcode::G_UREM | Opcode::G_SREM => case.is(remainder),
        Opcode::G_UDIV | Opcode::G_SDIV => case.unless(case.has(InstFlags::EXACT) && remainder != 0, quotient),
        _ => OperationMeaning::Results(vec![Some(wrapped(quotient, w)), Some(wrapped(remainder, w))]),
    })
}

/// Shifts, rotations, funnel shifts.
fn shifts(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, c, sa, .. } = case.numbers();
    let whole = a * power(w) + b;
    let turned = |left: i128| {
        let left = left.rem_euclid(w.into()) as u32;
        a * power(left) % power(w) + a * power(left) / power(w)
    };
    let turn = (c % i128::from(w)) as u32;
    match opcode {
        Opcode::G_ROTL => return Some(case.is(turned(b))),
        Opcode::G_ROTR => return Some(case.is(turned(-b))),
        Opcode::G_FSHL => return Some(case.is(whole * power(turn) / power(w))),
        Opcode::G_FSHR => return Some(case.is(whole / power(turn))),
        _ => {}
    }
    let is_saturating = matches!(opcode, Opcode::G_USHLSAT | Opcode::G_SSHLSAT);
    if !is_saturating && opcode.family() != Some(Family::Shift) {
        return None;
    }
    if b >= w.into() {
        return Some(OperationMeaning::Results(vec![None]));
    }
    let factor = power(b as u32);
    let loses = case.has(InstFlags::EXACT) && a % factor != 0;
    Some(match opcode {
        Opcode::G_SHL => case.exact(a * factor, sa * factor),
        Opcode::G_LSHR => case.unless(loses, a / factor),
        Opcode::G_ASHR => case.unless(loses, sa.div_euclid(factor)),
        Opcode::G_USHLSAT => case.clamped_unsigned(a * factor),
        _ => case.clamped_signed(sa * factor),
    })
}

/// Values and whether they overflow, with a carry or without.
fn with_overflow(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, c, sa, sb } = case.numbers();
    let unsigned = |value| (value, !is_unsigned(value, w));
    let signed = |value| (value, !is_signed(value, w));
    let (is_carried, (value, overflows)) = match opcode {
        Opcode::G_UADDO => (false, unsigned(a + b)),
        Opcode::G_USUBO => (false, unsigned(a - b)),
        Opcode::G_SADDO => (false, signed(sa + sb)),
        Opcode::G_SSUBO => (false, signed(sa - sb)),
        Opcode::G_UMULO => (false, unsigned(a * b)),
        Opcode::G_SMULO => (false, signed(sa * sb)),
        Opcode::G_UADDE => (true, unsigned(a + b + c)),
        Opcode::G_USUBE => (true, unsigned(a - b - c)),
        Opcode::G_SADDE => (true, signed(sa + sb + c)),
        Opcode::G_SSUBE => (true, signed(sa - sb - c)),
        _ => return None,
    };
    Some(if is_carried { case.with_carry(value, overflows) } else { case.with_overflow(value, overflows) })
}

/// Counts, and bits in another order.
fn counts(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, c, .. } = case.numbers();
    let bits: Vec<i128> = (0..w).map(|bit| a / power(bit) % 2).collect();
    let low_zeros = bits.iter().take_while(|&&bit| bit == 0).count() as i128;
    let high_zeros = bits.iter().rev().take_while(|&&bit| bit == 0).count() as i128;
    // A field has a bit at least, and all its bits are in the value.
    let no_field = c == 0 || b + c > w.into();
    let (from, bits_of_field) = (b.min(w.into()) as u32, c.min(w.into()) as u32);
    let field = a / power(from) % power(bits_of_field);
    Some(match opcode {
        Opcode::G_CTLZ => case.is(high_zeros),
        Opcode::G_CTTZ => case.is(low_zeros),
        Opcode::G_CTLZ_ZERO_UNDEF => case.unless(a == 0, high_zeros),
        Opcode::G_CTTZ_ZERO_UNDEF => case.unless(a == 0, low_zeros),
        Opcode::G_CTPOP => case.is(bits.iter().sum()),
        Opcode::G_BSWAP if w.is_multiple_of(8) => {
            let bytes = bits.chunks(8).rev().flatten().zip(0..);
            case.is(bytes.map(|(bit, place)| bit * power(place)).sum())
        }
        Opcode::G_BITREVERSE => case.is(bits.iter().rev().zip(0..).map(|(bit, place)| bit * power(place)).sum()),
        Opcode::G_UBFX => case.unless(no_field, field),
        Opcode::G_SBFX => {
            let is_negative = bits_of_field > 0 && field >= power(bits_of_field - 1);
            case.unless(no_field, if is_negative { field - power(bits_of_field) } else { field })
        }
        _ => return None,
    })
}

/// Extensions, truncations, assertions.
fn conversions(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { a, sa, .. } = case.numbers();
    let to = case.widths[0];
    let bits = case.immediate.clamp(0, 64) as u32;
    let low = || signed((a % power(bits), bits));
    Some(match opcode {
        Opcode::G_ZEXT => case.unless(case.has(InstFlags::NNEG) && sa < 0, a),
        Opcode::G_SEXT => case.is(sa),
        // The bits above are chosen, and the choice is zeros.
        Opcode::G_ANYEXT => case.is(a),
        Opcode::G_TRUNC => {
            let broken =
                case.has(InstFlags::NUW) && !is_unsigned(a, to) || case.has(InstFlags::NSW) && !is_signed(sa, to);
            case.unless(broken, a)
        }
        Opcode::G_SEXT_INREG => case.is(low()),
        Opcode::G_ASSERT_SEXT => case.unless(low() != sa, a),
        Opcode::G_ASSERT_ZEXT => case.unless(a % power(bits) != a, a),
        Opcode::G_ASSERT_ALIGN => case.unless(a % case.immediate != 0, a),
        Opcode::G_FREEZE | Opcode::G_CONSTANT_FOLD_BARRIER => case.is(a),
        _ => return None,
    })
}

/// Parts of numbers, and addresses.
fn places(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, sb, .. } = case.numbers();
    let from = power(case.immediate.clamp(0, 64) as u32);
    Some(match opcode {
        Opcode::G_EXTRACT => case.is(a / from),
        Opcode::G_INSERT => {
            let (_, part) = case.args[1];
            case.is(a - a / from % power(part) * from + b * from)
        }
        Opcode::G_PTRTOINT | Opcode::G_INTTOPTR => case.is(a),
        Opcode::G_PTRMASK => case.is((0..w).map(|bit| power(bit) * (a >> bit & 1) * (b >> bit & 1)).sum()),
        Opcode::G_PTR_ADD => {
            // The address counts without a sign, the distance with one. An address in bounds does not wrap, nor does it
            // leave its half of the address space: no object is larger.
            let wraps = !is_unsigned(a + sb, w);
            let leaves = a.div_euclid(power(w - 1)) != (a + sb).div_euclid(power(w - 1));
            let broken = case.has(InstFlags::NUW) && !is_unsigned(a + b, w)
                || case.has(InstFlags::NUSW) && wraps
                || case.has(InstFlags::INBOUNDS) && (wraps || leaves);
            case.unless(broken, a + b)
        }
        _ => return None,
    })
}

/// Comparisons, and the choice by one.
fn choices(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    let Numbers { w, a, b, c, sa, sb } = case.numbers();
    let three_way = |order: std::cmp::Ordering| case.is(order as i128);
    Some(match opcode {
        Opcode::G_UCMP => three_way(a.cmp(&b)),
        Opcode::G_SCMP => three_way(sa.cmp(&sb)),
        Opcode::G_SELECT => match a {
            0 => case.is(c),
            1 => case.is(b),
            _ => OperationMeaning::Results(vec![None]),
        },
        Opcode::G_ICMP => {
            let holds = match case.predicate {
                IntPredicate::Eq => a == b,
                IntPredicate::Ne => a != b,
                IntPredicate::Ugt => a > b,
                IntPredicate::Uge => a >= b,
                IntPredicate::Ult => a < b,
                IntPredicate::Ule => a <= b,
                IntPredicate::Sgt => sa > sb,
                IntPredicate::Sge => sa >= sb,
                IntPredicate::Slt => sa < sb,
                IntPredicate::Sle => sa <= sb,
            };
            let differ = (a >= power(w - 1)) != (b >= power(w - 1));
            case.unless(case.has(InstFlags::SAMESIGN) && differ, holds.into())
        }
        _ => return None,
    })
}

/// RISC-V's operations on low words, whose result is extended as signed ("M" and "RV64I" of its manual). Quotients have
/// a meaning for every divisor.
fn words(case: &IntegerCase<'_>, opcode: Opcode) -> Option<OperationMeaning> {
    const BITS: u32 = 32;
    let Numbers { a, b, .. } = case.numbers();
    let [(low, _), (other, _)] = [a, b].map(|value| (value % power(BITS), BITS));
    let (signed_low, signed_other) = (signed((low, BITS)), signed((other, BITS)));
    let factor = power((b % i128::from(BITS)) as u32);
    let (value, is_broken) = match opcode {
        Opcode::G_SLLW => {
            let wraps = case.has(InstFlags::NUW) && !is_unsigned(low * factor, BITS)
                || case.has(InstFlags::NSW) && !is_signed(signed_low * factor, BITS);
            (low * factor, wraps)
        }
        Opcode::G_SRLW => (low / factor, case.has(InstFlags::EXACT) && low % factor != 0),
        Opcode::G_SRAW => (signed_low.div_euclid(factor), case.has(InstFlags::EXACT) && low % factor != 0),
        Opcode::G_DIVW | Opcode::G_DIVUW if other == 0 => (-1, case.has(InstFlags::EXACT) && low != 0),
        Opcode::G_DIVW => (signed_low / signed_other, case.has(InstFlags::EXACT) && signed_low % signed_other != 0),
        Opcode::G_DIVUW => (low / other, case.has(InstFlags::EXACT) && low % other != 0),
        Opcode::G_REMUW if other == 0 => (low, false),
        Opcode::G_REMUW => (low % other, false),
        _ => return None,
    };
    Some(case.unless(is_broken, signed((wrapped(value, BITS), BITS))))
}
