//! Between formats, and between them and integers; numbers without a fraction; powers of two.

use super::*;
use tribunal_ir::semantics::float::{self, IntegerForm};

struct Conversion(FloatFormat, FloatFormat);

impl Evaluated for Conversion {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        match self.0.exponent_bits() <= self.1.exponent_bits() && self.0.precision() <= self.1.precision() {
            true => float::extend(d, rules, (self.0, self.1), &args[0]),
            false => float::truncate(d, rules, (self.0, self.1), &args[0]),
        }
    }
}

/// All numbers of 16 bits; corners and random ones of the wider formats.
fn values(format: FloatFormat, random: u64) -> Vec<u128> {
    if format.bits() == 16 {
        return (0..1 << 16).collect();
    }
    let (corners, mut source) = (corners(format), Xorshift(0x5555_6666_7777_8889));
    let more: Vec<u128> = (0..count(random)).map(|_| any(format, &corners, &mut source)).collect();
    [corners, more].concat()
}

#[test]
fn formats_are_converted() {
    for &(from, to, convert) in CONVERSIONS {
        // The wider the slower.
        let is_wide = to == FloatFormat::Fp128 || from == FloatFormat::Fp128;
        for value in values(from, if is_wide { 600 } else { 4_000 }) {
            // Every mode for some, one for the others.
            let modes = if value % 8 == 0 { &MODES[..] } else { &MODES[..1] };
            for &(mode, round) in modes {
                let got = Conversion(from, to).outcome(mode, &[bits(from, value)]);
                let what = format_args!("{from:?} to {to:?} {mode:?} of {value:#x}");
                assert_same(what, to, got, convert(to, round, value));
            }
        }
    }
}

/// Values just below the least normal number, which round to it. Without bounds of the exponent 24 bits hold the first,
/// which is tiny; the second rounds up to what is not.
#[test]
fn tininess_is_detected_after_rounding() {
    let flags = |value: f64| {
        Conversion(FloatFormat::Double, FloatFormat::Float)
            .outcome(RoundingMode::NearestEven, &[bits(FloatFormat::Double, value.to_bits().into())])
    };
    let (least, inexact, underflow) = (f32::MIN_POSITIVE, flag(FloatFlag::Inexact), flag(FloatFlag::Underflow));
    let least_bits = u128::from(least.to_bits());
    let just_below = |exponent: i32| f64::from(least) * (1.0 - 2f64.powi(exponent));
    assert_eq!(flags(just_below(-24)), (least_bits, inexact | underflow));
    assert_eq!(flags(just_below(-25)), (least_bits, inexact));
}

/// What rounds to the greatest number overflows where it would round beyond it without bounds.
#[test]
fn overflow_is_detected_after_rounding() {
    let flags = |value: f64| {
        let value = bits(FloatFormat::Double, value.to_bits().into());
        Conversion(FloatFormat::Double, FloatFormat::Half).outcome(RoundingMode::TowardZero, &[value])
    };
    let (greatest, inexact, overflow) = (0x7bff, flag(FloatFlag::Inexact), flag(FloatFlag::Overflow));
    assert_eq!(flags(65504.0), (greatest, 0));
    assert_eq!(flags(65535.0), (greatest, inexact));
    assert_eq!(flags(65536.0), (greatest, inexact | overflow));
}

struct ToInteger(FloatFormat, IntegerForm);

impl Evaluated for ToInteger {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        let integer = float::to_integer(d, &rules.mode, self.0, &args[0], self.1);
        FloatResult { bits: integer.bits, flags: integer.flags }
    }
}

fn to_integer<F: Float>(form: IntegerForm, round: Round, value: u128) -> FloatOutcome {
    let (value, mut exact, width) = (F::from_bits(value), false, form.width as usize);
    let (number, status) = match form.is_signed {
        true => {
            let result = value.to_i128_r(width, round, &mut exact);
            (result.value as u128, result.status)
        }
        false => {
            let result = value.to_u128_r(width, round, &mut exact);
            (result.value, result.status)
        }
    };
    (number & u128::MAX >> (128 - form.width), flags_of(status, status.contains(Status::INVALID_OP)))
}

#[test]
fn integers_of_numbers() {
    for format in FloatFormat::ALL {
        let all = values(format, 1_000);
        for width in [1, 2, 7, 8, 16, 31, 32, 53, 64, 100, 127, 128] {
            // The library has no signed integers of one bit.
            for is_signed in [false, true].into_iter().filter(|is_signed| !is_signed || width > 1) {
                let form = IntegerForm { width, is_signed };
                // The exception: an unsigned integer of 128 bits takes the slow way.
                let step = if format.bits() == 16 { 37 } else { 3 } * if width == 128 { 5 } else { 1 };
                for &value in all.iter().step_by(share(step)) {
                    for (mode, round) in MODES {
                        let got = ToInteger(format, form).outcome(mode, &[bits(format, value)]);
                        let theirs = with_format!(format, to_integer(form, round, value));
                        assert_eq!(got, theirs, "{format:?} to {form:?} {mode:?} of {value:#x}");
                    }
                }
            }
        }
    }
}

struct FromInteger(FloatFormat, bool);

impl Evaluated for FromInteger {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::from_integer(d, rules, self.0, &args[0], self.1)
    }
}

fn from_integer<F: Float>(format: FloatFormat, is_signed: bool, round: Round, integer: Bits) -> FloatOutcome {
    let result = match is_signed {
        true => F::from_i128_r(integer.signed(), round),
        false => F::from_u128_r(integer.unsigned(), round),
    };
    (canonical(format, result.value), flags_of(result.status, false))
}

#[test]
fn numbers_of_integers() {
    let mut random = Xorshift(0x3141_5926_5358_9793);
    for format in FloatFormat::ALL {
        for _ in 0..count(2_000) {
            let width = random.pick(&[1, 8, 16, 32, 33, 64, 65, 100, 127]);
            let wide = random.wide();
            let number = match random.below(4) {
                0 => 1 << random.below(width.into()),
                1 => u128::MAX << random.below(width.into()),
                2 => (1u128 << random.below(width.into())).wrapping_sub(wide & 1),
                _ => wide >> random.below(128),
            };
            let integer = Bits::new(number, width);
            for is_signed in [false, true] {
                for (mode, round) in MODES {
                    let got = FromInteger(format, is_signed).outcome(mode, &[integer]);
                    let theirs = with_format!(format, from_integer(format, is_signed, round, integer));
                    assert_same(format_args!("{integer:?} to {format:?} {mode:?}"), format, got, theirs);
                }
            }
        }
    }
}

struct Integral(FloatFormat);

impl Evaluated for Integral {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::round_to_integral(d, rules, self.0, &args[0])
    }
}

fn integral<F: Float>(format: FloatFormat, round: Round, value: u128) -> FloatOutcome {
    let value = F::from_bits(value);
    let result = value.round_to_integral(round);
    // The library's status is not that of the operation, which is inexact where it changes the number.
    let inexact = if result.value.is_nan() || result.value.bitwise_eq(value) { 0 } else { flag(FloatFlag::Inexact) };
    let invalid = if value.is_signaling() { flag(FloatFlag::Invalid) } else { 0 };
    (canonical(format, result.value), inexact | invalid)
}

#[test]
fn numbers_without_a_fraction() {
    for format in FloatFormat::ALL {
        for value in values(format, 4_000) {
            for (mode, round) in MODES {
                let got = Integral(format).outcome(mode, &[bits(format, value)]);
                let theirs = with_format!(format, integral(format, round, value));
                assert_eq!(got, theirs, "{format:?} {mode:?} of {value:#x}");
            }
        }
    }
}

struct Scaled(FloatFormat);

impl Evaluated for Scaled {
    fn evaluate<D: Domain>(&self, d: &mut D, rules: &FloatRules<D>, args: &[D::Bits]) -> FloatResult<D::Bits> {
        float::scale(d, rules, self.0, &args[0], &args[1])
    }
}

fn scaled<F: Float>(format: FloatFormat, round: Round, value: u128, power: i32) -> u128 {
    canonical(format, F::from_bits(value).scalbn_r(power, round))
}

#[test]
fn powers_of_two() {
    let mut random = Xorshift(0x2718_2818_2845_9045);
    for format in FloatFormat::ALL {
        let corners = corners(format);
        for _ in 0..count(1_000) {
            let value = any(format, &corners, &mut random);
            let power = match random.below(4) {
                0 => random.next() as i32,
                1 => random.pick(&[i32::MIN, i32::MAX, 0, 1, -1]),
                _ => (random.below(4 * format.bias() as u64) as i64 - 2 * format.bias()) as i32,
            };
            for (mode, round) in MODES {
                let args = [bits(format, value), Bits::from_i64(power.into(), 32)];
                let got = Scaled(format).outcome(mode, &args).0;
                let theirs = with_format!(format, scaled(format, round, value, power));
                assert_eq!(got, theirs, "{format:?} {mode:?} of {value:#x} by 2^{power}");
            }
        }
    }
}
