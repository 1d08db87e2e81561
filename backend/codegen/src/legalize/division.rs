//! Unsigned division by a constant: a high product and shifts, where the target has a high product at that width.
//!
//! Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994), theorem 4.2; Hacker's
//! Delight, chapter 10. For every `x < 2^w`, `x / d` is `m*x >> (w + s)` if `2^(w+s) <= m*d <= 2^(w+s) + 2^s`. The
//! expansion takes the smallest `s` whose `m` fits `w` bits. An even divisor that has none is divided by its power of
//! two first, which leaves spare bits. An odd one takes the multiplier of `w + 1` bits, whose top bit is an addition
//! that is halved before it can overflow.
//!
//! A value wider than two registers, which no instruction or call divides, has a remainder here if the divisor has less
//! than half a register. Limbs of half a register, each times the remainder of its place, are summed in a register, and
//! that sum is divided. So amounts of rotations are reduced, however wide.
//!
//! A rule that needs to know a value cannot be a row of the legality tables, which see types. So it is a combine,
//! judged like the others, with the constant among the instructions that it replaces.

use super::Legalizer;
use super::artifacts::{Combine, Look, Through, combined};
use super::recipe::Recipe;
use tribunal_ir::{Bits, Inst, Opcode, Type, VReg};
use tribunal_target::legality::{Action, LegalityQuery};

/// The operations that replace a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    /// The divisor is two to the power of this.
    Shift(u32),
    /// Shift down by `before`, take the high product, shift down by `after`.
    Multiply { before: u32, magic: Bits, after: u32 },
    /// The multiplier has one bit more than the magic; the sum of dividend and high product is halved first.
    MultiplyAndAdd { magic: Bits, after: u32 },
}

/// The combine for the division or remainder `inst`, if its divisor is a constant and multiplication pays.
pub(super) fn by_constant(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let data = legalizer.function.inst(inst);
    let rule = match data.opcode {
        Opcode::G_UDIV => "combine udiv_by_constant",
        Opcode::G_UREM => "combine urem_by_constant",
        _ => return None,
    };
    let (dividend, look) = (data.vreg(1)?, Look { legalizer });
    let ty = legalizer.function.type_of(dividend).filter(|ty| ty.is_scalar())?;
    let (through, constant) = look.definition(data.vreg(2)?)?;
    let divisor = match constant.opcode {
        Opcode::G_CONSTANT => legalizer.function.constant_value(constant.operands.get(1)?)?,
        _ => return None,
    };
    let register = u32::from(legalizer.context.target.pointer_bits);
    if data.opcode == Opcode::G_UREM && ty.bits() > 2 * register {
        let limbs = limbs(divisor, ty.bits(), register)?;
        return combined("combine urem_of_limbs", through, move |r| remainder_by_limbs(r, dividend, divisor, limbs));
    }
    let plan = plan(divisor)?;
    let needed: &[Opcode] = match plan {
        Plan::Shift(_) => &[Opcode::G_LSHR],
        _ => &[Opcode::G_UMULH, Opcode::G_MUL, Opcode::G_LSHR],
    };
    let legal = |&opcode: &Opcode| {
        let types = if opcode == Opcode::G_LSHR { vec![ty, ty] } else { vec![ty] };
        legalizer.context.legalizer.action(&LegalityQuery::new(opcode, types)).action == Action::Legal
    };
    needed.iter().all(legal).then_some(())?;
    match (data.opcode, plan) {
        (Opcode::G_UREM, Plan::Shift(_)) => combined(rule, through, move |r| {
            let (mask, dst) = (r.builder.constant(ty, divisor.sub(Bits::new(1, divisor.width()))), r.dst());
            r.define(dst, Opcode::G_AND, &[dividend, mask]);
        }),
        // This holds for every divisor: the quotient is a division by a constant in its turn.
        (Opcode::G_UREM, _) => combined(rule, Through::new(), |r| super::lower::remainder(r, Opcode::G_UDIV)),
        _ => combined(rule, through, move |r| {
            let dst = r.dst();
            let quotient = quotient(r, ty, dividend, plan);
            r.define(dst, Opcode::COPY, &[quotient]);
        }),
    }
}

/// The dividend as limbs of half a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limbs {
    register: u32,
    count: u32,
}

/// The limbs of a dividend of `bits` bits, if their sum, each times less than the divisor, fits a register.
fn limbs(divisor: Bits, bits: u32, register: u32) -> Option<Limbs> {
    let (limb, count) = (register / 2, bits.div_ceil(register / 2));
    let fits = !divisor.is_zero() && divisor.used() + count.next_power_of_two().ilog2() <= limb;
    fits.then_some(Limbs { register, count })
}

/// `2^(limb * index)` modulo a divisor of no more bits than a limb.
fn weight(divisor: Bits, limb: u32, index: u32) -> Option<Bits> {
    let divisor = divisor.zext_or_trunc(3 * limb);
    let modulo = |value: Bits| value.checked_urem(divisor);
    let step = modulo(Bits::one_bit(limb, 3 * limb))?;
    (0..index).try_fold(modulo(Bits::new(1, 3 * limb))?, |weight, _| modulo(weight.mul(step)))
}

/// The remainder of the sum of the limbs, each times the remainder of its place: in a register, whatever the dividend's
/// width.
fn remainder_by_limbs(r: &mut Recipe<'_>, dividend: VReg, divisor: Bits, limbs: Limbs) {
    use Opcode::*;
    let Limbs { register, count } = limbs;
    let (ty, limb) = (Type::scalar(register), register / 2);
    let whole = Type::scalar(r.bits_of(dividend).next_power_of_two());
    let wide = r.resized(G_ZEXT, dividend, whole);
    let parts = r.unmerge(Type::scalar(limb), wide);
    let mut sum = r.op(ty, G_ZEXT, &parts[..1]);
    for (index, &part) in (1..count).zip(&parts[1..]) {
        let Some(weight) = weight(divisor, limb, index) else { continue };
        let (part, weight) = (r.op(ty, G_ZEXT, &[part]), r.builder.constant(ty, weight.zext_or_trunc(register)));
        let product = r.op(ty, G_MUL, &[part, weight]);
        sum = r.op(ty, G_ADD, &[sum, product]);
    }
    let divisor = r.builder.constant(ty, divisor.zext_or_trunc(register));
    let (rest, dst) = (r.op(ty, G_UREM, &[sum, divisor]), r.dst());
    r.define_resized(dst, G_ZEXT, rest);
}

fn quotient(r: &mut Recipe<'_>, ty: Type, dividend: VReg, plan: Plan) -> VReg {
    let down = |r: &mut Recipe<'_>, value, by| if by == 0 { value } else { r.shift(Opcode::G_LSHR, value, by) };
    let high = |r: &mut Recipe<'_>, value, magic| {
        let magic = r.builder.constant(ty, magic);
        r.op(ty, Opcode::G_UMULH, &[value, magic])
    };
    match plan {
        Plan::Shift(by) => down(r, dividend, by),
        Plan::Multiply { before, magic, after } => {
            let shifted = down(r, dividend, before);
            let product = high(r, shifted, magic);
            down(r, product, after)
        }
        Plan::MultiplyAndAdd { magic, after } => {
            let product = high(r, dividend, magic);
            let rest = r.op(ty, Opcode::G_SUB, &[dividend, product]);
            let half = down(r, rest, 1);
            let sum = r.op(ty, Opcode::G_ADD, &[half, product]);
            down(r, sum, after)
        }
    }
}

/// The plan of a division by `divisor`; `None` for zero, which is undefined, and for widths whose products cannot be
/// computed here.
fn plan(divisor: Bits) -> Option<Plan> {
    let width = divisor.width();
    if divisor.is_zero() || 2 * width + 2 > tribunal_ir::bits::MAX_BITS {
        return None;
    }
    let zeros = divisor.trailing_zeros();
    if divisor.used() == zeros + 1 {
        return Some(Plan::Shift(zeros));
    }
    if let Some((magic, after)) = multiplier(divisor, width) {
        return Some(Plan::Multiply { before: 0, magic, after });
    }
    if let Some((magic, after)) = multiplier(divisor.lshr(zeros), width - zeros).filter(|_| zeros > 0) {
        return Some(Plan::Multiply { before: zeros, magic, after });
    }
    let log = divisor.used();
    let (magic, _) = rounded_up(divisor, log)?;
    // One shift is done before the addition.
    Some(Plan::MultiplyAndAdd { magic: magic.zext_or_trunc(width), after: log - 1 })
}

/// A multiplier that fits the width, with the shift, for dividends of `used` bits.
fn multiplier(divisor: Bits, used: u32) -> Option<(Bits, u32)> {
    let width = divisor.width();
    (0..=divisor.used()).find_map(|shift| {
        let (magic, excess) = rounded_up(divisor, shift)?;
        // m*d - 2^(w+s) times the greatest dividend stays below the amount that would reach the next quotient.
        let bound = Bits::one_bit(width - used + shift, excess.width());
        (magic.used() <= width && excess.cmp_unsigned(bound).is_le()).then(|| (magic.zext_or_trunc(width), shift))
    })
}

/// `m = ceil(2^(w+shift) / d)`, and `m*d - 2^(w+shift)`.
fn rounded_up(divisor: Bits, shift: u32) -> Option<(Bits, Bits)> {
    let wide = 2 * divisor.width() + 2;
    let (power, d) = (Bits::one_bit(divisor.width() + shift, wide), divisor.zext_or_trunc(wide));
    let magic = power.add(d.sub(Bits::new(1, wide))).checked_udiv(d)?;
    Some((magic, magic.mul(d).sub(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan on a number, by its definition.
    fn divided(x: u128, width: u32, plan: Plan) -> u128 {
        let high = |a: u128, magic: Bits| (a * magic.unsigned()) >> width;
        match plan {
            Plan::Shift(by) => x >> by,
            Plan::Multiply { before, magic, after } => high(x >> before, magic) >> after,
            Plan::MultiplyAndAdd { magic, after } => {
                let product = high(x, magic);
                (((x - product) >> 1) + product) >> after
            }
        }
    }

    #[test]
    fn every_divisor_of_small_widths() {
        for width in [2, 3, 5, 8] {
            for divisor in 1..1u128 << width {
                let plan = plan(Bits::new(divisor, width)).unwrap();
                for x in 0..1u128 << width {
                    assert_eq!(divided(x, width, plan), x / divisor, "{x} / {divisor} at {width} bits: {plan:?}");
                }
            }
        }
        assert_eq!(plan(Bits::zero(8)), None);
    }

    #[test]
    fn limbs_sum_to_the_same_remainder() {
        for (register, bits, d) in [(32, 65, 33), (32, 512, 511), (64, 129, 3), (64, 512, 0xffff_ffff)] {
            let divisor = Bits::new(d, bits);
            let Some(Limbs { count, .. }) = limbs(divisor, bits, register) else {
                assert_eq!((register, d), (64, 0xffff_ffff), "the sum of 16 products would not fit");
                continue;
            };
            let limb = register / 2;
            let weights: Vec<u128> = (0..count).map(|index| weight(divisor, limb, index).unwrap().unsigned()).collect();
            let greatest: u128 = weights.iter().map(|weight| weight * ((1 << limb) - 1)).sum();
            assert!(greatest < 1 << register, "{register} {bits} {d}");
            let power = |index: u32| Bits::one_bit(limb * index, 512).checked_urem(Bits::new(d, 512)).unwrap();
            assert!(weights.iter().zip(0..).all(|(&weight, index)| power(index).unsigned() == weight));
        }
        assert_eq!(limbs(Bits::zero(96), 96, 32), None);
    }

    #[test]
    fn known_multipliers() {
        let plan = |divisor: u128| plan(Bits::new(divisor, 32)).unwrap();
        assert_eq!(plan(10), Plan::Multiply { before: 0, magic: Bits::new(0xcccc_cccd, 32), after: 3 });
        assert_eq!(plan(641), Plan::Multiply { before: 0, magic: Bits::new(0x0066_3d81, 32), after: 0 });
        assert_eq!(plan(7), Plan::MultiplyAndAdd { magic: Bits::new(0x2492_4925, 32), after: 2 });
        assert_eq!(plan(28), Plan::Multiply { before: 2, magic: Bits::new(0x2492_4925, 32), after: 0 });
        assert_eq!(plan(1 << 31), Plan::Shift(31));
    }
}
