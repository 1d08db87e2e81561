//! Floating point beside `rustc_apfloat`, the port of LLVM's own numbers: results and flags of every operation, in
//! every rounding mode, on corner values crossed with each other and on random ones.
//!
//! `TRIBUNAL_FLOAT_PAIRS` sets the number of random operands of each operation and format.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod binary;
mod conversions;
mod opcodes;
mod reductions;
mod selection;

use rustc_apfloat::{Float, Round, Status};
use tribunal_ir::FloatFormat;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::float::{FloatFlag, FloatResult, FloatRules, NanRule, RoundingMode};
use tribunal_ir::semantics::{Choice, Concrete, Domain, Number, Words};
use tribunal_verifier::definitions::floats::library::*;
use tribunal_verifier::definitions::floats::operands::{Xorshift, any, corners, near};
use tribunal_verifier::with_format;

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

/// Xorshift operands of each operation and format.
fn count(default: u64) -> u64 {
    asked().unwrap_or(default)
}

/// Of so many operands one is tried, or each if somebody asks for a number.
fn share(default: usize) -> usize {
    asked().map_or(default, |_| 1)
}

/// What the semantics say under the rule of RISC-V, on machine words where those suffice.
trait Evaluated {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits>;

    fn outcome(&self, mode: RoundingMode, args: &[Bits]) -> FloatOutcome {
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
) -> FloatOutcome {
    let rules = FloatRules::new(d, NanRule::Canonical, mode);
    let args: Vec<D::Bits> = args.iter().map(|&bits| d.constant(bits)).collect();
    let FloatResult { bits, flags } = evaluated.evaluate(d, &rules, &args);
    (bits.bits().unsigned(), flags.bits().unsigned())
}

/// The library detects tininess after rounding to the result, IEEE 754 after rounding as if exponents had no bounds:
/// they differ where the result is the least normal number. And it calls no overflow what rounds to the greatest one.
fn comparable(format: FloatFormat, (bits, flags): FloatOutcome) -> FloatOutcome {
    let magnitude = bits & ((1 << (format.bits() - 1)) - 1);
    let infinity = ((1 << format.exponent_bits()) - 1) << format.fraction_bits();
    let apart = match magnitude {
        _ if magnitude == 1 << format.fraction_bits() => flag(FloatFlag::Underflow),
        _ if magnitude == infinity - 1 => flag(FloatFlag::Overflow),
        _ => 0,
    };
    (bits, flags & !apart)
}

fn bits(format: FloatFormat, value: u128) -> Bits {
    Bits::new(value, format.bits())
}

/// Same bits and flags, or the failure of a test.
fn assert_same(what: std::fmt::Arguments<'_>, format: FloatFormat, ours: FloatOutcome, theirs: FloatOutcome) {
    let (ours, theirs) = (comparable(format, ours), comparable(format, theirs));
    assert_eq!(
        ours, theirs,
        "{what}: {:#x} with flags {:#b}, not {:#x} with {:#b}",
        ours.0, ours.1, theirs.0, theirs.1
    );
}
