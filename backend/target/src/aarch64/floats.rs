//! The meaning of the scalar instructions of floating point (Arm Architecture Reference Manual, "A64 SIMD and
//! Floating-point Instructions").
//!
//! The control register says the rounding mode, and is zero else: subnormal numbers count, and NaNs propagate. In
//! LLVM's default environment rounding is to nearest, and the status register is nobody's.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::*;
use crate::Target;
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, finish, raising, rounding_mode};
use smallvec::smallvec;
use tribunal_ir::semantics::float::{
    self, Extremum, FloatFlag, FloatRules, IntegerForm, NanRule, RoundingMode, compare, extremum, fma, from_integer,
    round_to_integral, to_integer,
};
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{Bits, FloatFormat, InstData, TargetOpcode};

/// The bits of a number that the manual packs into eight (`VFPExpandImm`).
pub(super) fn unpacked(packed: i64, format: FloatFormat) -> u64 {
    let (exponent, fraction) = (format.exponent_bits(), format.fraction_bits());
    let (sign, high, low) = (packed as u64 >> 7 & 1, packed as u64 >> 6 & 1, packed as u64 >> 4 & 3);
    let repeated = if high == 1 { (1u64 << (exponent - 3)) - 1 } else { 0 };
    let biased = (high ^ 1) << (exponent - 1) | repeated << 2 | low;
    sign << (format.bits() - 1) | biased << fraction | (packed as u64 & 15) << (fraction - 4)
}

/// The eight bits that stand for a number; `None` if it has too many.
pub(super) fn packed(bits: Bits) -> Option<i64> {
    let format = FloatFormat::of_width(bits.width()).filter(|format| format.bits() <= 64)?;
    (0..256).find(|&packed| unpacked(packed, format) == bits.low_u64())
}

/// The format of the numbers that an instruction computes on: LLVM's letter of it stands before the kinds of operands.
fn format(opcode: TargetOpcode) -> FloatFormat {
    let name = INSTRUCTIONS[usize::from(opcode.0)].name;
    let letter = name.trim_end_matches(|letter: char| letter.is_ascii_lowercase() || letter == '0').chars().last();
    match letter {
        Some('H') => FloatFormat::Half,
        Some('S') => FloatFormat::Float,
        _ => FloatFormat::Double,
    }
}

/// The result of an instruction on numbers of floating point; `None` for any other.
pub(super) fn compute<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Option<D::Bits> {
    let arg = |index: usize| s.bits(index);
    let format = format(opcode);
    if matches!(opcode, FMOVHi | FMOVSi | FMOVDi) {
        return Some(d.constant(Bits::new(unpacked(inst.imm(1)?, format).into(), format.bits())));
    }
    if matches!(opcode, FMOVH0 | FMOVS0 | FMOVD0) {
        return Some(d.literal(0, format.bits()));
    }
    let rules = FloatRules { nan: NanRule::Propagate, mode: rounding_mode(d) };
    let a = arg(0)?;
    if opcode == INSERT_SUBREG {
        let above = d.extract(a, 16, 16);
        return Some(d.concat(&above, arg(1)?));
    }
    if let Some(bits) = unary(d, &rules, (opcode, format), a) {
        return Some(bits);
    }
    let b = arg(1)?;
    let least = |extremum| (format, extremum);
    let result = match opcode {
        FADDHrr | FADDSrr | FADDDrr => float::add(d, &rules, format, a, b),
        FSUBHrr | FSUBSrr | FSUBDrr => float::sub(d, &rules, format, a, b),
        FMULHrr | FMULSrr | FMULDrr => float::mul(d, &rules, format, a, b),
        FDIVHrr | FDIVSrr | FDIVDrr => float::div(d, &rules, format, a, b),
        FNMULHrr | FNMULSrr | FNMULDrr => {
            let product = float::mul(d, &rules, format, a, b);
            let product = raising(d, product)?;
            return Some(negated(d, &product));
        }
        FABD32 | FABD64 => {
            let format = FloatFormat::of_width(d.width(a))?;
            let difference = float::sub(d, &rules, format, a, b);
            let difference = raising(d, difference)?;
            return Some(magnitude(d, &difference));
        }
        FMAXHrr | FMAXSrr | FMAXDrr => extremum(d, &rules, least(Extremum::Maximum), a, b),
        FMINHrr | FMINSrr | FMINDrr => extremum(d, &rules, least(Extremum::Minimum), a, b),
        FMAXNMHrr | FMAXNMSrr | FMAXNMDrr => extremum(d, &rules, least(Extremum::MaxNum), a, b),
        FMINNMHrr | FMINNMSrr | FMINNMDrr => extremum(d, &rules, least(Extremum::MinNum), a, b),
        FMADDHrrr | FMADDSrrr | FMADDDrrr => fma(d, &rules, format, [a, b, arg(2)?]),
        FMSUBHrrr | FMSUBSrrr | FMSUBDrrr => {
            let opposite = negated(d, a);
            fma(d, &rules, format, [&opposite, b, arg(2)?])
        }
        FNMADDHrrr | FNMADDSrrr | FNMADDDrrr => {
            let (opposite, subtracted) = (negated(d, a), negated(d, arg(2)?));
            fma(d, &rules, format, [&opposite, b, &subtracted])
        }
        FNMSUBHrrr | FNMSUBSrrr | FNMSUBDrrr => {
            let subtracted = negated(d, arg(2)?);
            fma(d, &rules, format, [a, b, &subtracted])
        }
        _ => return None,
    };
    raising(d, result)
}

fn negated<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let sign = d.constant(Bits::signed_min(d.width(a)));
    d.xor(a, &sign)
}

/// Without its sign.
fn magnitude<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let mask = d.constant(Bits::ones(width - 1).zext_or_trunc(width));
    d.and(a, &mask)
}

/// Instructions of one source.
fn unary<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (opcode, format): (TargetOpcode, FloatFormat),
    a: &D::Bits,
) -> Option<D::Bits> {
    let (double, single, half) = (FloatFormat::Double, FloatFormat::Float, FloatFormat::Half);
    let result = match opcode {
        FSQRTHr | FSQRTSr | FSQRTDr => float::sqrt(d, rules, format, a),
        FCVTDSr => float::extend(d, rules, (single, double), a),
        FCVTSDr => float::truncate(d, rules, (double, single), a),
        FCVTSHr => float::extend(d, rules, (half, single), a),
        FCVTDHr => float::extend(d, rules, (half, double), a),
        FCVTHSr => float::truncate(d, rules, (single, half), a),
        FCVTHDr => float::truncate(d, rules, (double, half), a),
        _ => return integral(d, rules, (opcode, format), a),
    };
    raising(d, result)
}

/// Numbers without a fraction, moves, and conversions of integers.
fn integral<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (opcode, format): (TargetOpcode, FloatFormat),
    a: &D::Bits,
) -> Option<D::Bits> {
    let direction = match opcode {
        FRINTXHr | FRINTXSr | FRINTXDr => {
            let result = round_to_integral(d, rules, format, a);
            return raising(d, result);
        }
        FRINTIHr | FRINTISr | FRINTIDr => return rounded_exactly(d, rules, format, a),
        FRINTNHr | FRINTNSr | FRINTNDr => RoundingMode::NearestEven,
        FRINTPHr | FRINTPSr | FRINTPDr => RoundingMode::Up,
        FRINTMHr | FRINTMSr | FRINTMDr => RoundingMode::Down,
        FRINTZHr | FRINTZSr | FRINTZDr => RoundingMode::TowardZero,
        FRINTAHr | FRINTASr | FRINTADr => RoundingMode::NearestAway,
        FMOVHr | FMOVSr | FMOVDr | FMOVWSr | FMOVSWr | FMOVXDr | FMOVDXr => return Some(*a),
        FMOVHWr => return Some(d.zext(a, 32)),
        FMOVHXr => return Some(d.zext(a, 64)),
        FMOVWHr | FMOVXHr => return Some(d.extract(a, 0, 16)),
        FABSHr | FABSSr | FABSDr => return Some(magnitude(d, a)),
        FNEGHr | FNEGSr | FNEGDr => return Some(negated(d, a)),
        _ => return between_integers(d, rules, (opcode, format), a),
    };
    let rules = FloatRules::new(d, rules.nan, direction);
    rounded_exactly(d, &rules, format, a)
}

/// The number without a fraction. That it had one is no exception.
fn rounded_exactly<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
) -> Option<D::Bits> {
    let rounded = round_to_integral(d, rules, format, a);
    let exact = rounded.without(d, FloatFlag::Inexact);
    raising(d, exact)
}

/// Conversions to integers, which saturate and make zero of a NaN, and from integers.
fn between_integers<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (opcode, format): (TargetOpcode, FloatFormat),
    a: &D::Bits,
) -> Option<D::Bits> {
    let (mode, width, is_signed) = match opcode {
        FCVTZSUWHr | FCVTZSUWSr | FCVTZSUWDr => (RoundingMode::TowardZero, 32, true),
        FCVTZSUXHr | FCVTZSUXSr | FCVTZSUXDr => (RoundingMode::TowardZero, 64, true),
        FCVTZUUWHr | FCVTZUUWSr | FCVTZUUWDr => (RoundingMode::TowardZero, 32, false),
        FCVTZUUXHr | FCVTZUUXSr | FCVTZUUXDr => (RoundingMode::TowardZero, 64, false),
        FCVTNSUWHr | FCVTNSUWSr | FCVTNSUWDr => (RoundingMode::NearestEven, 32, true),
        FCVTNSUXHr | FCVTNSUXSr | FCVTNSUXDr => (RoundingMode::NearestEven, 64, true),
        FCVTASUWHr | FCVTASUWSr | FCVTASUWDr => (RoundingMode::NearestAway, 32, true),
        FCVTASUXHr | FCVTASUXSr | FCVTASUXDr => (RoundingMode::NearestAway, 64, true),
        SCVTFUWHri | SCVTFUWSri | SCVTFUWDri | SCVTFUXHri | SCVTFUXSri | SCVTFUXDri => {
            let result = from_integer(d, rules, format, a, true);
            return raising(d, result);
        }
        UCVTFUWHri | UCVTFUWSri | UCVTFUWDri | UCVTFUXHri | UCVTFUXSri | UCVTFUXDri => {
            let result = from_integer(d, rules, format, a, false);
            return raising(d, result);
        }
        SCVTFv1i32 | SCVTFv1i64 | UCVTFv1i32 | UCVTFv1i64 => {
            let is_signed = matches!(opcode, SCVTFv1i32 | SCVTFv1i64);
            let result = from_integer(d, rules, FloatFormat::of_width(d.width(a))?, a, is_signed);
            return raising(d, result);
        }
        FCVTZSv1i32 | FCVTZSv1i64 => (RoundingMode::TowardZero, d.width(a), true),
        FCVTZUv1i32 | FCVTZUv1i64 => (RoundingMode::TowardZero, d.width(a), false),
        _ => return None,
    };
    let format = FloatFormat::of_width(d.width(a))?;
    let mode = d.constant(mode.bits());
    let integer = to_integer(d, &mode, format, a, IntegerForm { width, is_signed });
    d.raise(&integer.flags);
    Some(integer.bits)
}

/// The flags of a comparison: less is N, equal Z and C, greater C, unordered C and V.
pub(super) fn comparison<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let format = format(opcode);
    let zero = Value::new(d.literal(0, format.bits()), d.boolean(false));
    let [a, b] = match opcode {
        FCMPHri | FCMPSri | FCMPDri => [s.exactly::<1>(inst)?[0], &zero],
        _ => s.exactly(inst)?,
    };
    let order = compare(d, format, &a.bits, &b.bits);
    let raised = float::flags(d, &[(FloatFlag::Invalid, &order.is_signaling)]);
    d.raise(&raised);
    let carry = d.bool_not(&order.less);
    let flags = [&order.less, &order.equal, &carry, &order.unordered].map(|flag| d.bit(flag));
    let [n, z, c, v] = flags;
    let (high, low) = (d.concat(&n, &z), d.concat(&c, &v));
    let (bits, poison) = (d.concat(&high, &low), d.bool_or(&a.poison, &b.poison));
    Ok(MachineEvaluation { results: smallvec![Value::new(bits, poison)], ub: d.boolean(false), taken: None, to: None })
}

/// Reads and writes of the registers of the environment. Bits besides mode and flags make other arithmetic.
pub(super) fn environment<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let [source] = s.exactly(inst)?;
    if matches!(opcode, MRS_FPCR | MRS_FPSR) {
        let bits = d.zext(&source.bits, 64);
        return Ok(finish(d, bits, s));
    }
    let bits = d.extract(&source.bits, 0, 32);
    let lacking = || Unsupported::new("an environment of floating point");
    let environment = target.abi.float_environment.as_ref().ok_or_else(lacking)?;
    let is_known = if opcode == MSR_FPCR { environment.is_mode(d, &bits) } else { environment.is_flags(d, &bits) };
    Ok(MachineEvaluation { ub: d.bool_not(&is_known), ..finish(d, bits, s) })
}
