//! Floating point beside `rustc_apfloat`, the port of LLVM's own numbers: results and flags of every operation, in
//! every rounding mode, on corner values crossed with each other and on random ones.
//!
//! `TRIBUNAL_FLOAT_PAIRS` sets the number of random operands of each operation and format.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod binary;
mod conversions;
mod opcodes;
mod operands;
mod reductions;
mod selection;

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, Round, Status};
use tribunal_ir::FloatFormat;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::float::{FloatFlag, FloatResult, FloatRules, NanRule, RoundingMode};
use tribunal_ir::semantics::{Choice, Concrete, Domain, Number, Words};

/// Both numberings of the modes.
const MODES: [(RoundingMode, Round); 5] = [
    (RoundingMode::NearestEven, Round::NearestTiesToEven),
    (RoundingMode::TowardZero, Round::TowardZero),
    (RoundingMode::Down, Round::TowardNegative),
    (RoundingMode::Up, Round::TowardPositive),
    (RoundingMode::NearestAway, Round::NearestTiesToAway),
];

/// The number that somebody asks for.
fn asked() -> Option<u64> {
    std::env::var("TRIBUNAL_FLOAT_PAIRS").ok().map(|count| count.parse().expect("TRIBUNAL_FLOAT_PAIRS is a number"))
}

/// Random operands of each operation and format.
fn count(default: u64) -> u64 {
    asked().unwrap_or(default)
}

/// Of so many operands one is tried, or each if somebody asks for a number.
fn share(default: usize) -> usize {
    asked().map_or(default, |_| 1)
}

fn canonical_nan(format: FloatFormat) -> u128 {
    ((1 << (format.exponent_bits() + 1)) - 1) << (format.fraction_bits() - 1)
}

/// Bits and flags.
type Outcome = (u128, u128);

/// What the semantics say under the rule of RISC-V, on machine words where those suffice.
trait Evaluated {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits>;

    fn outcome(&self, mode: RoundingMode, args: &[Bits]) -> Outcome {
        let mut words = Words::default();
        let quick = in_domain(self, &mut words, mode, args);
        if words.exceeded() { in_domain(self, &mut Concrete { choice: Choice::Zeros }, mode, args) } else { quick }
    }
}

fn in_domain<D: Domain<Bits: Number>, E: Evaluated + ?Sized>(
    evaluated: &E,
    d: &mut D,
    mode: RoundingMode,
    args: &[Bits],
) -> Outcome {
    let rules = FloatRules::new(d, NanRule::Canonical, mode);
    let args: Vec<D::Bits> = args.iter().map(|&bits| d.constant(bits)).collect();
    let FloatResult { bits, flags } = evaluated.evaluate(d, &rules, &args);
    (bits.bits().unsigned(), flags.bits().unsigned())
}

fn flag(flag: FloatFlag) -> u128 {
    1 << flag as u32
}

/// The flags of a status, but for `invalid`, which the caller knows: the library treats signalling NaNs its own way.
fn flags_of(status: Status, invalid: bool) -> u128 {
    let pairs = [
        (Status::INEXACT, FloatFlag::Inexact),
        (Status::UNDERFLOW, FloatFlag::Underflow),
        (Status::OVERFLOW, FloatFlag::Overflow),
        (Status::DIV_BY_ZERO, FloatFlag::DivideByZero),
    ];
    let others: u128 = pairs.iter().filter(|(bit, _)| status.contains(*bit)).map(|(_, own)| flag(*own)).sum();
    if invalid { flag(FloatFlag::Invalid) } else { others }
}

/// The library detects tininess after rounding to the result, IEEE 754 after rounding as if exponents had no bounds:
/// they differ where the result is the least normal number. And it calls no overflow what rounds to the greatest one.
fn comparable(format: FloatFormat, (bits, flags): Outcome) -> Outcome {
    let magnitude = bits & ((1 << (format.bits() - 1)) - 1);
    let infinity = ((1 << format.exponent_bits()) - 1) << format.fraction_bits();
    let apart = match magnitude {
        _ if magnitude == 1 << format.fraction_bits() => flag(FloatFlag::Underflow),
        _ if magnitude == infinity - 1 => flag(FloatFlag::Overflow),
        _ => 0,
    };
    (bits, flags & !apart)
}

/// Calls a function that is generic over the library's type of a format.
macro_rules! with_format {
    ($format:expr, $function:ident($($arg:expr),*)) => {
        match $format {
            FloatFormat::Half => $function::<Half>($($arg),*),
            FloatFormat::BFloat => $function::<BFloat>($($arg),*),
            FloatFormat::Float => $function::<Single>($($arg),*),
            FloatFormat::Double => $function::<Double>($($arg),*),
            FloatFormat::Fp128 => $function::<Quad>($($arg),*),
        }
    };
}
use with_format;

fn bits(format: FloatFormat, value: u128) -> Bits {
    Bits::new(value, format.bits())
}

/// Same bits and flags, or the failure of a test.
fn assert_same(what: std::fmt::Arguments<'_>, format: FloatFormat, ours: Outcome, theirs: Outcome) {
    let (ours, theirs) = (comparable(format, ours), comparable(format, theirs));
    assert_eq!(
        ours, theirs,
        "{what}: {:#x} with flags {:#b}, not {:#x} with {:#b}",
        ours.0, ours.1, theirs.0, theirs.1
    );
}

/// The bits, a NaN as RISC-V has it.
fn canonical<F: Float>(format: FloatFormat, value: F) -> u128 {
    if value.is_nan() { canonical_nan(format) } else { value.to_bits() }
}
