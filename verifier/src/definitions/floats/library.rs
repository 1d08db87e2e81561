//! Operations on numbers of floating point as `rustc_apfloat` has them, the port of LLVM's own numbers; and those that
//! it lacks, by its numbers or by integers.
//!
//! Invariant: nothing here calls the semantics.

use num_bigint::BigUint;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;
use tribunal_ir::semantics::float::{Extremum, FloatFlag};
use tribunal_ir::{FloatFormat, FloatPredicate};

/// Calls a function that is generic over the library's type of a format.
#[macro_export]
macro_rules! with_format {
    ($format:expr, $function:ident($($arg:expr),*)) => {
        match $format {
            ::tribunal_ir::FloatFormat::Half => $function::<::rustc_apfloat::ieee::Half>($($arg),*),
            ::tribunal_ir::FloatFormat::BFloat => $function::<::rustc_apfloat::ieee::BFloat>($($arg),*),
            ::tribunal_ir::FloatFormat::Float => $function::<::rustc_apfloat::ieee::Single>($($arg),*),
            ::tribunal_ir::FloatFormat::Double => $function::<::rustc_apfloat::ieee::Double>($($arg),*),
            ::tribunal_ir::FloatFormat::Fp128 => $function::<::rustc_apfloat::ieee::Quad>($($arg),*),
        }
    };
}

/// Bits of a result, and the flags that the operation raises.
pub type FloatOutcome = (u128, u128);

/// A flag as a bit of an outcome.
pub fn flag(flag: FloatFlag) -> u128 {
    1 << flag as u32
}

/// The flags of a status, but for `invalid`, which the caller knows: the library treats signalling NaNs its own way.
pub fn flags_of(status: Status, invalid: bool) -> u128 {
    let pairs = [
        (Status::INEXACT, FloatFlag::Inexact),
        (Status::UNDERFLOW, FloatFlag::Underflow),
        (Status::OVERFLOW, FloatFlag::Overflow),
        (Status::DIV_BY_ZERO, FloatFlag::DivideByZero),
    ];
    let others: u128 = pairs.iter().filter(|(bit, _)| status.contains(*bit)).map(|(_, own)| flag(*own)).sum();
    if invalid { flag(FloatFlag::Invalid) } else { others }
}

/// The positive quiet NaN without a payload.
pub fn canonical_nan(format: FloatFormat) -> u128 {
    ((1 << (format.exponent_bits() + 1)) - 1) << (format.fraction_bits() - 1)
}

/// The bits, a NaN as RISC-V has it.
pub fn canonical<F: Float>(format: FloatFormat, value: F) -> u128 {
    if value.is_nan() { canonical_nan(format) } else { value.to_bits() }
}

/// Whether a predicate holds, as its name says: the letters after an `o` or a `u`.
pub fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    let name = predicate.name();
    let (unordered, relation) = match name {
        "false" => (false, ""),
        "true" => (true, "elg"),
        "ord" => (false, "elg"),
        "uno" => (true, ""),
        _ => (
            name.starts_with('u'),
            match &name[1..] {
                "eq" => "e",
                "gt" => "g",
                "ge" => "eg",
                "lt" => "l",
                "le" => "el",
                _ => "lg",
            },
        ),
    };
    let letter = order.map(|order| match order {
        Ordering::Less => 'l',
        Ordering::Equal => 'e',
        Ordering::Greater => 'g',
    });
    letter.map_or(unordered, |letter| relation.contains(letter))
}

/// The library's `minimum` orders zeros; a NaN and a number are told apart here.
pub fn extreme<F: Float>(format: FloatFormat, extremum: Extremum, a: u128, b: u128) -> FloatOutcome {
    let (x, y) = (F::from_bits(a), F::from_bits(b));
    let least = matches!(extremum, Extremum::Minimum | Extremum::MinimumNumber | Extremum::MinNum);
    let signals = x.is_signaling() || y.is_signaling();
    let is_nan = match extremum {
        Extremum::Minimum | Extremum::Maximum => x.is_nan() || y.is_nan(),
        Extremum::MinimumNumber | Extremum::MaximumNumber => x.is_nan() && y.is_nan(),
        Extremum::MinNum | Extremum::MaxNum => x.is_nan() && y.is_nan() || signals,
    };
    let number = match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ if least => x.minimum(y),
        _ => x.maximum(y),
    };
    let invalid = if signals { flag(FloatFlag::Invalid) } else { 0 };
    (if is_nan { canonical_nan(format) } else { number.to_bits() }, invalid)
}

/// The class by its bit in a mask of `G_IS_FPCLASS`.
pub fn class<F: Float>(value: u128) -> usize {
    let value = F::from_bits(value);
    let kind = match value {
        _ if value.is_signaling() => return 0,
        _ if value.is_nan() => return 1,
        _ if value.is_infinite() => 0,
        _ if value.is_denormal() => 2,
        _ if value.is_zero() => 3,
        _ => 1,
    };
    if value.is_negative() { 2 + kind } else { 9 - kind }
}

fn converted<F: Float + FloatConvert<T>, T: Float>(to: FloatFormat, round: Round, value: u128) -> FloatOutcome {
    let (value, mut loses) = (F::from_bits(value), false);
    let result: rustc_apfloat::StatusAnd<T> = value.convert_r(round, &mut loses);
    (
        canonical(to, result.value),
        flags_of(if value.is_nan() { Status::OK } else { result.status }, value.is_signaling()),
    )
}

/// A conversion to a format, rounded, of these bits.
pub type FloatConversion = fn(FloatFormat, Round, u128) -> FloatOutcome;

macro_rules! conversions {
    ($($from:ident $from_type:ident: $($to:ident $to_type:ident)*;)*) => {
        /// Every pair of different formats, with the library's conversion.
        pub const CONVERSIONS: &[(FloatFormat, FloatFormat, FloatConversion)] =
            &[$($((FloatFormat::$from, FloatFormat::$to, converted::<$from_type, $to_type>)),*),*];
    };
}

conversions! {
    Half Half: BFloat BFloat Float Single Double Double Fp128 Quad;
    BFloat BFloat: Half Half Float Single Double Double Fp128 Quad;
    Float Single: Half Half BFloat BFloat Double Double Fp128 Quad;
    Double Double: Half Half BFloat BFloat Float Single Fp128 Quad;
    Fp128 Quad: Half Half BFloat BFloat Float Single Double Double;
}

/// The library has no roots: this one is of integers. A root is a normal number.
pub fn root<F: Float>(format: FloatFormat, round: Round, bits: u128) -> FloatOutcome {
    let value = F::from_bits(bits);
    if value.is_nan() || value.is_negative() && !value.is_zero() {
        let invalid = !value.is_nan() || value.is_signaling();
        return (canonical_nan(format), flags_of(Status::OK, invalid));
    }
    if value.is_zero() || value.is_infinite() {
        return (bits, 0);
    }
    // The number is an integer times a power of 4, and its root has twice the format's precision and more.
    let (fraction_bits, field) = (format.fraction_bits(), bits >> format.fraction_bits());
    let fraction = bits & ((1 << fraction_bits) - 1);
    let significand = if field == 0 { fraction } else { fraction | 1 << fraction_bits };
    let lowest = field.max(1) as i64 - format.bias() - i64::from(fraction_bits);
    let wide = 4 * i64::from(format.precision()) + (lowest & 1);
    let square = BigUint::from(significand) << wide;
    let whole = square.sqrt();
    let (is_exact, exponent) = (&whole * &whole == square, (lowest - wide) / 2);
    let off = whole.bits() - u64::from(format.precision());
    let kept = &whole >> off;
    let rest = &whole - (&kept << off);
    let is_exact = is_exact && rest == BigUint::ZERO;
    let up = match round {
        Round::NearestTiesToEven | Round::NearestTiesToAway => rest.bit(off - 1),
        Round::TowardPositive => !is_exact,
        Round::TowardNegative | Round::TowardZero => false,
    };
    let leading = exponent + whole.bits() as i64 - 1 + format.bias();
    let digits = kept.iter_u64_digits().rev().fold(0, |high, digit| high << 64 | u128::from(digit));
    let flags = if is_exact { 0 } else { flag(FloatFlag::Inexact) };
    ((((leading - 1) as u128) << fraction_bits) + digits + u128::from(up), flags)
}
