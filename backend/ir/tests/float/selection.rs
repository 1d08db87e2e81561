//! Order, extrema, classes and NaNs.

use super::operands::corners;
use super::*;
use std::cmp::Ordering;
use tribunal_ir::FloatPredicate;
use tribunal_ir::semantics::float::{self, Extremum, classify, compare};

fn order<F: Float>(a: u128, b: u128) -> Option<Ordering> {
    F::from_bits(a).partial_cmp(&F::from_bits(b))
}

#[test]
fn all_predicates() {
    let mut d = Concrete { choice: Choice::Zeros };
    for format in FloatFormat::ALL {
        let corners = corners(format);
        for (a, b) in corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b))) {
            let comparison = compare(&mut d, format, &bits(format, a), &bits(format, b));
            let order = with_format!(format, order(a, b));
            for predicate in FloatPredicate::ALL {
                let name = predicate.name();
                assert_eq!(comparison.holds(&mut d, predicate), holds(predicate, order), "{a:#x} {name} {b:#x}");
            }
        }
    }
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

struct Extreme(FloatFormat, Extremum);

impl Evaluated for Extreme {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::extremum(d, rules, (self.0, self.1), &args[0], &args[1])
    }
}

/// The library's `minimum` orders zeros; a NaN and a number are told apart here.
pub fn extreme<F: Float>(format: FloatFormat, extremum: Extremum, a: u128, b: u128) -> Outcome {
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

#[test]
fn extrema() {
    use Extremum::*;
    for format in FloatFormat::ALL {
        let corners = corners(format);
        for (a, b) in corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b))) {
            for extremum in [Minimum, Maximum, MinimumNumber, MaximumNumber, MinNum, MaxNum] {
                let got =
                    Extreme(format, extremum).outcome(RoundingMode::NearestEven, &[bits(format, a), bits(format, b)]);
                let theirs = with_format!(format, extreme(format, extremum, a, b));
                assert_eq!(got, theirs, "{extremum:?} of {a:#x} and {b:#x}");
            }
        }
    }
}

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

#[test]
fn classes() {
    let mut d = Concrete { choice: Choice::Zeros };
    for format in FloatFormat::ALL {
        for value in corners(format) {
            let classes = classify(&mut d, format, &bits(format, value));
            let expected = with_format!(format, class(value));
            let held: Vec<usize> = (0..10).filter(|&class| classes.each[class]).collect();
            assert_eq!(held, [expected], "{value:#x}");
            assert!(classes.is_in(&mut d, 1 << expected) && !classes.is_in(&mut d, 0x3ff & !(1 << expected)));
        }
    }
}

const QUIET: u32 = 0x7fc0_0000;

/// The sum under a rule, with this choice.
fn sum(nan: NanRule, choice: Choice, a: u32, b: u32) -> u32 {
    let mut d = Concrete { choice };
    let rules = FloatRules::new(&mut d, nan, RoundingMode::NearestEven);
    let [a, b] = [a, b].map(|bits| Bits::new(bits.into(), 32));
    float::add(&mut d, &rules, FloatFormat::Float, &a, &b).bits.unsigned() as u32
}

#[test]
fn nans_follow_the_rule() {
    let (quiet, other, signaling) = (QUIET | 5, 0xffc0_0007, 0x7f80_0003u32);
    let one = 1f32.to_bits();
    let both = |rule, a, b| sum(rule, Choice::Zeros, a, b);
    for (a, b) in [(quiet, other), (one, signaling), (f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits())] {
        assert_eq!(both(NanRule::Canonical, a, b), QUIET);
    }
    assert_eq!(both(NanRule::Propagate, quiet, other), quiet);
    assert_eq!(both(NanRule::Propagate, one, other), other);
    assert_eq!(both(NanRule::Propagate, quiet, signaling), signaling | QUIET);
    assert_eq!(both(NanRule::Propagate, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits()), QUIET);
    // Without a choice that is an operand's the payload is zero, of either sign.
    assert_eq!(both(NanRule::Generic, quiet, other), QUIET);
    assert_eq!(sum(NanRule::Generic, Choice::Ones, 0x7fff_ffff, one), u32::MAX);
    assert_eq!(sum(NanRule::Generic, Choice::Ones, 0x7fbf_ffff, one), u32::MAX);
}

/// AArch64 looks at the addend first, and has a quiet addend forgotten where the product has no result.
#[test]
fn nans_of_fused_products() {
    let fma = |args: [u32; 3]| {
        let mut d = Concrete { choice: Choice::Zeros };
        let rules = FloatRules::new(&mut d, NanRule::Propagate, RoundingMode::NearestEven);
        let [a, b, c] = args.map(|bits| Bits::new(bits.into(), 32));
        let result = float::fma(&mut d, &rules, FloatFormat::Float, [&a, &b, &c]);
        (result.bits.unsigned() as u32, result.flags.unsigned())
    };
    let (one, infinity, invalid) = (1f32.to_bits(), f32::INFINITY.to_bits(), flag(FloatFlag::Invalid));
    assert_eq!(fma([QUIET | 1, QUIET | 2, QUIET | 3]), (QUIET | 3, 0));
    assert_eq!(fma([QUIET | 1, QUIET | 2, one]), (QUIET | 1, 0));
    assert_eq!(fma([QUIET | 1, 0x7f80_0002, QUIET | 3]), (QUIET | 2, invalid));
    assert_eq!(fma([infinity, 0, QUIET | 3]), (QUIET, invalid));
    assert_eq!(fma([infinity, 0, 0x7f80_0003]), (QUIET | 3, invalid));
}
