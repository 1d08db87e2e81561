//! Integers of numbers, and numbers without a fraction: by bits, so that the prover decides them.
//!
//! Widths share their terms: an integer of up to 128 bits is made as one of 129, whatever range it must be in. So a
//! conversion to `s8` and one to `s32` that is cut are told equal.

use super::arithmetic::canonical;
use super::parts::{FloatParts, exponent_width, signed};
use super::round::{Cut, Directions, shifted_down};
use super::{FloatFlag, FloatResult, FloatRules, all, any, flags};
use crate::bits::{Bits, MAX_BITS};
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// An unsigned integer of 128 bits is a signed one of so many.
const COMMON_BITS: u32 = 129;

/// The width at which integers of `width` bits are converted: one of two, so that conversions of several widths are
/// one. Unsigned integers are read as signed ones that are wider.
pub(super) fn common_width(width: u32, is_signed: bool) -> u32 {
    if width + u32::from(!is_signed) <= COMMON_BITS { COMMON_BITS } else { MAX_BITS }
}

/// The range of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerForm {
    /// The width in bits; less than the widest representable if unsigned.
    pub width: u32,
    /// True for two's complement.
    pub is_signed: bool,
}

/// A number made an integer.
#[derive(Debug)]
pub struct RoundedInteger<D: Domain + ?Sized> {
    /// The integer, or the nearest in range; 0 of a NaN.
    pub bits: D::Bits,
    /// The number is a NaN.
    pub is_nan: D::Bool,
    /// It is a NaN, or the rounded number is out of range.
    pub is_invalid: D::Bool,
    /// The flags raised: [`super::FLAG_BITS`] bits, by [`FloatFlag`].
    pub flags: D::Bits,
}

/// A magnitude without its fraction.
struct Integral<D: Domain + ?Sized> {
    /// The significand rounded at the binary point, one bit wider. Of a number without a fraction all of it.
    significand: D::Bits,
    /// The number of fraction bits, at least 0, in as many bits as exponents have.
    fraction_bits: D::Bits,
    /// The exponent of the leading bit, signed.
    exponent: D::Bits,
    is_inexact: D::Bool,
}

fn integral<D: Domain + ?Sized>(d: &mut D, mode: &D::Bits, x: &FloatParts<D>) -> Integral<D> {
    let (format, width) = (x.format, exponent_width(x.format));
    let precision = format.precision();
    let (biased, significand) = (x.biased_exponent(d), x.significand(d));
    let (bias, zero) = (d.literal(format.bias(), width), d.literal(0, width));
    let exponent = d.sub(&biased, &bias);
    let highest = d.literal(i64::from(precision) - 1, width);
    let below = d.sub(&highest, &exponent);
    let has_none = d.is_negative(&below);
    let fraction_bits = d.ite(&has_none, &zero, &below);
    // Room for the half and for what is lost below it.
    let room = d.literal(0, 2);
    let wide = d.concat(&significand, &room);
    let shifted = shifted_down(d, &wide, &fraction_bits);
    let cut = Cut::of(d, &shifted, precision);
    let directions = Directions::of(d, mode);
    let increments = directions.increments(d, &x.sign, &cut);
    let (kept, increment) = (d.zext(&cut.kept, precision + 1), d.bit(&increments));
    let increment = d.zext(&increment, precision + 1);
    Integral { significand: d.add(&kept, &increment), fraction_bits, exponent, is_inexact: cut.is_inexact(d) }
}

/// The number rounded to an integer in the given mode, which must be in the range of the form.
pub fn to_integer<D: Domain + ?Sized>(
    d: &mut D,
    mode: &D::Bits,
    from: FloatFormat,
    a: &D::Bits,
    form: IntegerForm,
) -> RoundedInteger<D> {
    let x = FloatParts::of(d, from, a);
    let Integral { significand, exponent, is_inexact, .. } = integral(d, mode, &x);
    let (width, wide) = (exponent_width(from), common_width(form.width, form.is_signed));
    let (highest, zero) = (d.literal(i64::from(from.precision()) - 1, width), d.literal(0, width));
    let up = d.sub(&exponent, &highest);
    let goes_down = d.is_negative(&up);
    let up = d.ite(&goes_down, &zero, &up);
    let (significand, up) = (d.zext(&significand, wide), d.zext(&up, wide));
    let magnitude = d.shl(&significand, &up);
    let (bound, none) = (d.literal(wide.into(), width), d.literal(0, wide));
    let is_below = d.slt(&exponent, &bound);
    let is_beyond = d.bool_not(&is_below);
    let (least, greatest) = limits(d, form, wide);
    let limit = d.ite(&x.sign, &least, &greatest);
    let exceeds = d.ult(&limit, &magnitude);
    // A NaN's exponent is that of an infinity.
    let exceeds = any(d, &[&is_beyond, &exceeds, &x.is_infinite, &x.is_nan]);
    // What fits does not depend on the range: it is one term for every width.
    let (negated, lowest) = (d.sub(&none, &magnitude), d.sub(&none, &least));
    let integer = d.ite(&x.sign, &negated, &magnitude);
    let nearest = d.ite(&x.sign, &lowest, &greatest);
    let nearest = d.ite(&x.is_nan, &none, &nearest);
    let integer = d.ite(&exceeds, &nearest, &integer);
    let fits = d.bool_not(&exceeds);
    let inexact = all(d, &[&fits, &is_inexact]);
    let raised = flags(d, &[(FloatFlag::Invalid, &exceeds), (FloatFlag::Inexact, &inexact)]);
    let bits = d.extract(&integer, 0, form.width);
    RoundedInteger { bits, is_nan: x.is_nan, is_invalid: exceeds, flags: raised }
}

/// The greatest magnitudes of negative and of positive integers.
fn limits<D: Domain + ?Sized>(d: &mut D, form: IntegerForm, wide: u32) -> (D::Bits, D::Bits) {
    let IntegerForm { width, is_signed } = form;
    let (least, greatest) = match is_signed {
        true => (Bits::one_bit(width - 1, wide), Bits::one_bit(width - 1, wide).sub(Bits::new(1, wide))),
        false => (Bits::zero(wide), Bits::ones(width).zext_or_trunc(wide)),
    };
    (d.constant(least), d.constant(greatest))
}

/// The number without a fraction, of the same sign; a NaN by the rule.
pub fn round_to_integral<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let x = FloatParts::of(d, format, a);
    let Integral { significand, fraction_bits, exponent, is_inexact } = integral(d, &rules.mode, &x);
    let (precision, width) = (format.precision(), exponent_width(format));
    let magnitude_bits = format.bits() - 1;
    // Below 1 the significand is 0 or 1.
    let is_small = d.is_negative(&exponent);
    let (is_none, zero) = (d.is_zero(&significand), d.literal(0, magnitude_bits));
    let one = d.constant(Bits::new(format.bias() as u128, magnitude_bits).shl(format.fraction_bits()));
    let small = d.ite(&is_none, &zero, &one);
    // Back to its place: the leading bit, and a carry out of the fraction, count up the exponent.
    let whole = precision + width;
    let (significand, places) = (d.zext(&significand, whole), d.zext(&fraction_bits, whole));
    let significand = d.shl(&significand, &places);
    let below_leading = d.literal(format.bias() - 1, width);
    let field = d.add(&exponent, &below_leading);
    let field = d.zext(&field, whole);
    let place = d.literal(i64::from(precision) - 1, whole);
    let field = d.shl(&field, &place);
    let large = d.add(&field, &significand);
    let large = d.extract(&large, 0, magnitude_bits);
    let magnitude = d.ite(&is_small, &small, &large);
    let rounded = signed(d, &x.sign, &magnitude);
    let is_finite = x.is_finite(d);
    let (bits, inexact) = (d.ite(&is_finite, &rounded, a), all(d, &[&is_finite, &is_inexact]));
    // Of a number `canonical` changes nothing.
    let of_nan = canonical(d, rules, format, a);
    let raised = flags(d, &[(FloatFlag::Inexact, &inexact)]);
    FloatResult { bits: d.ite(&x.is_nan, &of_nan.bits, &bits), flags: d.or(&raised, &of_nan.flags) }
}
