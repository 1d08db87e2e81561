//! The meaning of the instructions of F, D, Zfhmin, Zfh and Zfa (The RISC-V Instruction Set Manual, volume I,
//! chapters "F", "D", "Zfh" and "Zfa").
//!
//! In LLVM's default environment the rounding mode of `frm` is to nearest, and the flags of `fflags` are nobody's. A
//! source is the low part of its register: code that keeps narrow numbers boxed, as
//! the chapter asks for, reads no other.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::*;
use crate::instructions::{ImmRange, InstrDesc, OperandDesc};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, finish, raising, rounding_mode};
use smallvec::smallvec;
use tribunal_ir::semantics::float::{
    self, Extremum, FLAG_BITS, FloatFlag, FloatResult, FloatRules, IntegerForm, NanRule, RoundingMode, classify,
    compare, extremum, fma, from_integer, round_to_integral, to_integer,
};
use tribunal_ir::semantics::{Choice, Concrete, Unsupported, Value};
use tribunal_ir::{Bits, FloatFormat, FloatPredicate, InstData, TargetOpcode};

/// The number of the rounding mode that is in `frm`.
const DYNAMIC: i64 = 7;

/// The rounding mode of an instruction: that of the environment, or one that it names.
fn mode<D: AnyDomain + ?Sized>(d: &mut D, row: &InstrDesc, inst: &InstData) -> Option<D::Bits> {
    let place = row.operands.iter().position(|desc| *desc == OperandDesc::Imm(ImmRange::RoundingMode));
    match place.and_then(|place| inst.imm(place)) {
        None | Some(DYNAMIC) => Some(rounding_mode(d)),
        Some(number) => {
            let mode = usize::try_from(number).ok().and_then(|number| RoundingMode::ALL.get(number))?;
            Some(d.constant(mode.bits()))
        }
    }
}

/// The result of an instruction on numbers of floating point, as wide as its register; `None` for any other.
pub(super) fn compute<D: AnyDomain + ?Sized>(
    d: &mut D,
    (opcode, row): (TargetOpcode, &InstrDesc),
    inst: &InstData,
    register_bits: u32,
    s: &Sources<D>,
) -> Option<D::Bits> {
    let (double, single, half) = (FloatFormat::Double, FloatFormat::Float, FloatFormat::Half);
    let rules = FloatRules { nan: NanRule::Canonical, mode: mode(d, row, inst)? };
    let arg = |index: usize| s.bits(index);
    if matches!(opcode, FLI_H | FLI_S | FLI_D) {
        let bits = constant(format_of(opcode), usize::try_from(inst.imm(1)?).ok()?)?;
        return Some(d.constant(bits));
    }
    let a = arg(0)?;
    if let Some(result) = conversion(d, &rules, opcode, register_bits, a) {
        return Some(result);
    }
    let format = format_of(opcode);
    let result = match opcode {
        FSQRT_H | FSQRT_S | FSQRT_D => float::sqrt(d, &rules, format, a),
        FCVT_S_D => float::truncate(d, &rules, (double, single), a),
        FCVT_D_S => float::extend(d, &rules, (single, double), a),
        FCVT_H_S => float::truncate(d, &rules, (single, half), a),
        FCVT_H_D => float::truncate(d, &rules, (double, half), a),
        FCVT_S_H => float::extend(d, &rules, (half, single), a),
        FCVT_D_H => float::extend(d, &rules, (half, double), a),
        FROUNDNX_H | FROUNDNX_S | FROUNDNX_D => round_to_integral(d, &rules, format, a),
        FROUND_H | FROUND_S | FROUND_D => {
            let rounded = round_to_integral(d, &rules, format, a);
            rounded.without(d, FloatFlag::Inexact)
        }
        FCLASS_H | FCLASS_S | FCLASS_D => return Some(class(d, format, register_bits, a)),
        _ => return of_several(d, &rules, (opcode, format), register_bits, [a, arg(1)?], arg(2)),
    };
    raising(d, result)
}

/// The constants of Zfa by number, but for [`LEAST_NORMAL`]. The format that is too narrow for one has infinity.
const CONSTANTS: [f64; 32] = [
    -1.0,
    f64::MIN_POSITIVE,
    1.0 / 65536.0,
    1.0 / 32768.0,
    1.0 / 256.0,
    1.0 / 128.0,
    0.0625,
    0.125,
    0.25,
    0.3125,
    0.375,
    0.4375,
    0.5,
    0.625,
    0.75,
    0.875,
    1.0,
    1.25,
    1.5,
    1.75,
    2.0,
    2.5,
    3.0,
    4.0,
    8.0,
    16.0,
    128.0,
    256.0,
    32768.0,
    65536.0,
    f64::INFINITY,
    f64::NAN,
];

/// The number of the constant that is the format's least normal number.
const LEAST_NORMAL: usize = 1;

/// The constant of this number.
fn constant(format: FloatFormat, number: usize) -> Option<Bits> {
    let value = Bits::new(CONSTANTS.get(number)?.to_bits().into(), FloatFormat::Double.bits());
    Some(match format {
        _ if number == LEAST_NORMAL => Bits::one_bit(format.fraction_bits(), format.bits()),
        FloatFormat::Double => value,
        _ => {
            let mut d = Concrete { choice: Choice::Zeros };
            let rules = FloatRules::new(&mut d, NanRule::Canonical, RoundingMode::NearestEven);
            float::truncate(&mut d, &rules, (FloatFormat::Double, format), &value).bits
        }
    })
}

/// The number of the constant with these bits.
pub(super) fn number_of_constant(bits: Bits) -> Option<i64> {
    let format = FloatFormat::of_width(bits.width())?;
    let number = (0..CONSTANTS.len()).find(|&number| constant(format, number) == Some(bits));
    number.and_then(|number| i64::try_from(number).ok())
}

/// The constant of this number as the assembler writes it.
pub(super) fn name_of_constant(number: i64) -> String {
    let value = usize::try_from(number).ok().and_then(|number| CONSTANTS.get(number)).copied();
    match value {
        Some(f64::MIN_POSITIVE) => "min".to_string(),
        Some(value) if value.is_nan() => "nan".to_string(),
        Some(value) if value.is_infinite() => "inf".to_string(),
        Some(value) => format!("{value:?}"),
        None => String::new(),
    }
}

/// Of two sources, or of three.
fn of_several<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (opcode, format): (TargetOpcode, FloatFormat),
    register_bits: u32,
    [a, b]: [&D::Bits; 2],
    third: Option<&D::Bits>,
) -> Option<D::Bits> {
    let least = (format, Extremum::MinimumNumber);
    let greatest = (format, Extremum::MaximumNumber);
    let result = match opcode {
        FADD_H | FADD_S | FADD_D => float::add(d, rules, format, a, b),
        FSUB_H | FSUB_S | FSUB_D => float::sub(d, rules, format, a, b),
        FMUL_H | FMUL_S | FMUL_D => float::mul(d, rules, format, a, b),
        FDIV_H | FDIV_S | FDIV_D => float::div(d, rules, format, a, b),
        FMIN_H | FMIN_S | FMIN_D => extremum(d, rules, least, a, b),
        FMAX_H | FMAX_S | FMAX_D => extremum(d, rules, greatest, a, b),
        FMINM_H | FMINM_S | FMINM_D => extremum(d, rules, (format, Extremum::Minimum), a, b),
        FMAXM_H | FMAXM_S | FMAXM_D => extremum(d, rules, (format, Extremum::Maximum), a, b),
        FSGNJ_H | FSGNJ_S | FSGNJ_D => return Some(with_sign_of(d, a, b)),
        FSGNJN_H | FSGNJN_S | FSGNJN_D => {
            let opposite = negated(d, b);
            return Some(with_sign_of(d, a, &opposite));
        }
        FSGNJX_H | FSGNJX_S | FSGNJX_D => {
            let both = d.xor(a, b);
            return Some(with_sign_of(d, a, &both));
        }
        _ if let Some((predicate, is_quiet)) = predicate(opcode) => {
            return Some(compared(d, (format, predicate, is_quiet), register_bits, [a, b]));
        }
        FMVP_D_X => return Some(d.concat(b, a)),
        _ => fused(d, rules, (opcode, format), [a, b, third?])?,
    };
    raising(d, result)
}

/// The predicate of a comparison, and whether a quiet NaN is no invalid operand of it.
fn predicate(opcode: TargetOpcode) -> Option<(FloatPredicate, bool)> {
    let (quiet, signaling) = (true, false);
    Some(match opcode {
        FEQ_H | FEQ_S | FEQ_D => (FloatPredicate::Oeq, quiet),
        FLT_H | FLT_S | FLT_D => (FloatPredicate::Olt, signaling),
        FLE_H | FLE_S | FLE_D => (FloatPredicate::Ole, signaling),
        FLTQ_H | FLTQ_S | FLTQ_D => (FloatPredicate::Olt, quiet),
        FLEQ_H | FLEQ_S | FLEQ_D => (FloatPredicate::Ole, quiet),
        _ => return None,
    })
}

/// A product and a sum, rounded once: the product, the addend, or both are negated before.
fn fused<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (opcode, format): (TargetOpcode, FloatFormat),
    [a, b, c]: [&D::Bits; 3],
) -> Option<FloatResult<D::Bits>> {
    let (opposite, subtracted) = (negated(d, a), negated(d, c));
    Some(match opcode {
        FMADD_H | FMADD_S | FMADD_D => fma(d, rules, format, [a, b, c]),
        FMSUB_H | FMSUB_S | FMSUB_D => fma(d, rules, format, [a, b, &subtracted]),
        FNMSUB_H | FNMSUB_S | FNMSUB_D => fma(d, rules, format, [&opposite, b, c]),
        FNMADD_H | FNMADD_S | FNMADD_D => fma(d, rules, format, [&opposite, b, &subtracted]),
        _ => return None,
    })
}

/// The format that the name of an instruction on one format tells.
fn format_of(opcode: TargetOpcode) -> FloatFormat {
    match INSTRUCTIONS[usize::from(opcode.0)].name.rsplit_once('_') {
        Some((_, "H")) => FloatFormat::Half,
        Some((_, "D")) => FloatFormat::Double,
        _ => FloatFormat::Float,
    }
}

fn negated<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let sign = d.constant(Bits::signed_min(d.width(a)));
    d.xor(a, &sign)
}

/// The magnitude of the first and the sign of the second.
fn with_sign_of<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let top = d.width(a) - 1;
    let (sign, magnitude) = (d.extract(b, top, 1), d.extract(a, 0, top));
    d.concat(&sign, &magnitude)
}

fn compared<D: AnyDomain + ?Sized>(
    d: &mut D,
    (format, predicate, is_quiet): (FloatFormat, FloatPredicate, bool),
    register_bits: u32,
    [a, b]: [&D::Bits; 2],
) -> D::Bits {
    let comparison = compare(d, format, a, b);
    let invalid = if is_quiet { comparison.is_signaling } else { comparison.unordered };
    let flags = float::flags(d, &[(FloatFlag::Invalid, &invalid)]);
    d.raise(&flags);
    let holds = comparison.holds(d, predicate);
    let bit = d.bit(&holds);
    d.zext(&bit, register_bits)
}

/// One bit for each class: LLVM's order, but that both kinds of NaN are last.
fn class<D: AnyDomain + ?Sized>(d: &mut D, format: FloatFormat, register_bits: u32, a: &D::Bits) -> D::Bits {
    let mut each = classify(d, format, a).each;
    each.rotate_left(2);
    let zero = d.literal(0, register_bits);
    (0..).zip(&each).fold(zero, |set, (place, class)| {
        let bit = d.literal(1 << place, register_bits);
        let bit = d.ite(class, &bit, &zero);
        d.or(&set, &bit)
    })
}

/// Between numbers and integers, and moves of bits.
fn conversion<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    opcode: TargetOpcode,
    register_bits: u32,
    a: &D::Bits,
) -> Option<D::Bits> {
    let (double, single, half) = (FloatFormat::Double, FloatFormat::Float, FloatFormat::Half);
    let (signed, unsigned) = (true, false);
    let (from, width, is_signed) = match opcode {
        FCVT_W_H => (half, 32, signed),
        FCVT_WU_H => (half, 32, unsigned),
        FCVT_L_H => (half, 64, signed),
        FCVT_LU_H => (half, 64, unsigned),
        FCVT_W_S => (single, 32, signed),
        FCVT_WU_S => (single, 32, unsigned),
        FCVT_L_S => (single, 64, signed),
        FCVT_LU_S => (single, 64, unsigned),
        FCVT_W_D => (double, 32, signed),
        FCVT_WU_D => (double, 32, unsigned),
        FCVT_L_D => (double, 64, signed),
        FCVT_LU_D => (double, 64, unsigned),
        FMV_X_H | FMV_X_W => return Some(d.sext(a, register_bits)),
        FMV_H_X => return Some(d.extract(a, 0, 16)),
        FMV_W_X => return Some(d.extract(a, 0, 32)),
        FMVH_X_D => return Some(d.extract(a, 32, 32)),
        FMV_X_D | FMV_D_X => return (register_bits == d.width(a)).then_some(*a),
        _ => return of_integer(d, rules, opcode, a),
    };
    // RV32 has no such instruction.
    if width > register_bits {
        return None;
    }
    let integer = to_integer(d, &rules.mode, from, a, IntegerForm { width, is_signed });
    d.raise(&integer.flags);
    // A NaN becomes the greatest integer.
    let greatest = if is_signed { Bits::ones(width - 1).zext_or_trunc(width) } else { Bits::ones(width) };
    let greatest = d.constant(greatest);
    let bits = d.ite(&integer.is_nan, &greatest, &integer.bits);
    Some(d.sext(&bits, register_bits))
}

fn of_integer<D: AnyDomain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    opcode: TargetOpcode,
    a: &D::Bits,
) -> Option<D::Bits> {
    let (double, single, half) = (FloatFormat::Double, FloatFormat::Float, FloatFormat::Half);
    let (signed, unsigned) = (true, false);
    let (to, width, is_signed) = match opcode {
        FCVT_H_W => (half, 32, signed),
        FCVT_H_WU => (half, 32, unsigned),
        FCVT_H_L => (half, 64, signed),
        FCVT_H_LU => (half, 64, unsigned),
        FCVT_S_W => (single, 32, signed),
        FCVT_S_WU => (single, 32, unsigned),
        FCVT_S_L => (single, 64, signed),
        FCVT_S_LU => (single, 64, unsigned),
        FCVT_D_W => (double, 32, signed),
        FCVT_D_WU => (double, 32, unsigned),
        FCVT_D_L => (double, 64, signed),
        FCVT_D_LU => (double, 64, unsigned),
        _ => return None,
    };
    if width > d.width(a) {
        return None;
    }
    let integer = d.extract(a, 0, width);
    let result = from_integer(d, rules, to, &integer, is_signed);
    raising(d, result)
}

/// Reads and writes of the registers of the environment. Instructions that round by a number that is no mode are
/// illegal.
pub(super) fn environment<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    register_bits: u32,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let first = s.exactly::<1>(inst)?[0].clone();
    let bits = match opcode {
        ReadFFLAGS | ReadFRM => d.zext(&first.bits, register_bits),
        ReadFCSR => {
            let [mode, flags] = s.exactly(inst)?;
            let both = d.concat(&mode.bits, &flags.bits);
            d.zext(&both, register_bits)
        }
        WriteFFLAGS => d.extract(&first.bits, 0, FLAG_BITS),
        _ => {
            let place = if opcode == WriteFCSR { FLAG_BITS } else { 0 };
            let mode = d.extract(&first.bits, place, RoundingMode::BITS);
            let last = d.constant(RoundingMode::NearestAway.bits());
            let mut results = smallvec![Value::new(mode, first.poison)];
            if opcode == WriteFCSR {
                results.push(Value::new(d.extract(&first.bits, 0, FLAG_BITS), first.poison));
            }
            return Ok(MachineEvaluation { results, ub: d.ult(&last, &mode), taken: None, to: None });
        }
    };
    Ok(finish(d, bits, s))
}
