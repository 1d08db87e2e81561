//! Order, extrema, classes and NaNs.

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

struct Extreme(FloatFormat, Extremum);

impl Evaluated for Extreme {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::extremum(d, rules, (self.0, self.1), &args[0], &args[1])
    }
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
