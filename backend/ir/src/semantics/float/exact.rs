//! The operations that round, on numbers: the exact result, rounded once. Operands are no NaNs, and not such that the
//! result is one; what they give then means nothing.
//!
//! The widths of intermediate values are those that the exact result needs to be rounded correctly, so that a `double`
//! stays within 128 bits. Bits below three guard bits are jammed into the lowest.

use super::elementary::ElementaryFunction;
use super::parts::{FloatParts, exponent_width, infinity, normalized, signed};
use super::round::{Directions, Unrounded, lowest_exponent, rounded, shifted_down};
use super::{FLAG_BITS, FloatFlag, FloatResult, all, any, differ, flags};
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// An operation whose result is rounded. Its operands are the mode, [`super::RoundingMode::BITS`] bits, and then:
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RoundedOperation {
    /// Two numbers: their sum.
    Add(FloatFormat),
    /// Two numbers: their product.
    Mul(FloatFormat),
    /// Two numbers: the first by the second.
    Div(FloatFormat),
    /// Two numbers: the remainder of the first by the second, whose quotient is cut to an integer. It is exact.
    Rem(FloatFormat),
    /// Three numbers: the product of the first two plus the third.
    Fma(FloatFormat),
    /// One number: its square root.
    Sqrt(FloatFormat),
    /// A number, and a signed integer of [`RoundedOperation::SCALE_BITS`] bits: the number times 2 to that power.
    Scale(FloatFormat),
    /// A number of the first format, in the second.
    Convert(FloatFormat, FloatFormat),
    /// A signed integer of any width.
    FromInteger(FloatFormat),
    /// The function's operands, of which no NaN is another than the canonical one. The result may be a NaN.
    Elementary(ElementaryFunction, FloatFormat),
}

impl RoundedOperation {
    /// The width of the power of two that a number is scaled by. Greater ones give what the greatest gives.
    pub const SCALE_BITS: u32 = 20;

    /// The format of the result.
    pub fn format(self) -> FloatFormat {
        use RoundedOperation::*;
        match self {
            Add(format)
            | Mul(format)
            | Div(format)
            | Rem(format)
            | Fma(format)
            | Sqrt(format)
            | Scale(format)
            | Convert(_, format)
            | FromInteger(format)
            | Elementary(_, format) => format,
        }
    }

    /// True if the sign of its result, or of the product in it, is that of both operands together.
    pub fn is_product(self) -> bool {
        matches!(self, RoundedOperation::Mul(_) | RoundedOperation::Div(_) | RoundedOperation::Fma(_))
    }

    /// A number that no other operation has.
    pub fn number(self) -> u64 {
        use RoundedOperation::*;
        let (kind, from) = match self {
            Add(_) => (0, 0),
            Mul(_) => (1, 0),
            Div(_) => (2, 0),
            Rem(_) => (3, 0),
            Fma(_) => (4, 0),
            Sqrt(_) => (5, 0),
            Scale(_) => (6, 0),
            Convert(from, _) => (7, from as u64),
            FromInteger(_) => (8, 0),
            Elementary(function, _) => (9 + function as u64, 0),
        };
        (kind * 8 + from) * 8 + self.format() as u64
    }

    /// True if a library alone says what its result is.
    pub fn is_elementary(self) -> bool {
        matches!(self, RoundedOperation::Elementary(..))
    }

    /// True if its first two numbers may change places.
    pub fn is_commutative(self) -> bool {
        matches!(self, RoundedOperation::Add(_) | RoundedOperation::Mul(_) | RoundedOperation::Fma(_))
    }
}

/// The definition behind [`Domain::rounded`]. Fewer operands than the operation has are read as copies of the last.
pub fn by_definition<D: Domain + ?Sized>(
    d: &mut D,
    operation: RoundedOperation,
    args: &[D::Bits],
) -> FloatResult<D::Bits> {
    use RoundedOperation::*;
    let Some((mode, args)) = args.split_first().filter(|(_, args)| !args.is_empty()) else {
        let (bits, flags) = (d.literal(0, operation.format().bits()), d.literal(0, FLAG_BITS));
        return FloatResult { bits, flags };
    };
    let directions = Directions::of(d, mode);
    let arg = |index: usize| &args[index.min(args.len() - 1)];
    let (first, second, third) = (arg(0), arg(1), arg(2));
    let parts = |d: &mut D, format: FloatFormat, bits: &D::Bits| FloatParts::of(d, format, bits);
    match operation {
        Add(format) => add(d, format, &directions, first, second),
        Mul(format) => {
            let (a, b) = (parts(d, format, first), parts(d, format, second));
            mul(d, &directions, &a, &b)
        }
        Div(format) => {
            let (a, b) = (parts(d, format, first), parts(d, format, second));
            div(d, &directions, &a, &b)
        }
        Rem(format) => {
            let (a, b) = (parts(d, format, first), parts(d, format, second));
            rem(d, &directions, &a, &b)
        }
        Fma(format) => {
            let (a, b, c) = (parts(d, format, first), parts(d, format, second), parts(d, format, third));
            fma(d, &directions, [&a, &b, &c])
        }
        Sqrt(format) => {
            let a = parts(d, format, first);
            sqrt(d, &directions, &a)
        }
        Scale(format) => {
            let a = parts(d, format, first);
            scale(d, &directions, &a, second)
        }
        Convert(from, to) => {
            let a = parts(d, from, first);
            convert(d, &directions, &a, to)
        }
        FromInteger(format) => from_integer(d, format, &directions, first),
        // Numbers alone decide it: see `elementary.rs`.
        Elementary(_, format) => FloatResult { bits: d.choose(format.bits()), flags: d.literal(0, FLAG_BITS) },
    }
}

/// The result, or where the condition holds these bits, which are exact.
fn unless<D: Domain + ?Sized>(
    d: &mut D,
    condition: &D::Bool,
    instead: &D::Bits,
    result: FloatResult<D::Bits>,
) -> FloatResult<D::Bits> {
    let none = d.literal(0, FLAG_BITS);
    FloatResult { bits: d.ite(condition, instead, &result.bits), flags: d.ite(condition, &none, &result.flags) }
}

/// The result, or where the condition holds an infinity of this sign.
fn or_infinite<D: Domain + ?Sized>(
    d: &mut D,
    condition: &D::Bool,
    (format, sign): (FloatFormat, &D::Bool),
    result: FloatResult<D::Bits>,
) -> FloatResult<D::Bits> {
    let infinity = d.constant(infinity(format));
    let infinity = signed(d, sign, &infinity);
    unless(d, condition, &infinity, result)
}

/// With `zeros` zeros below and a zero above.
fn guarded<D: Domain + ?Sized>(d: &mut D, value: &D::Bits, zeros: u32) -> D::Bits {
    let below = d.literal(0, zeros);
    let value = d.concat(value, &below);
    let width = d.width(&value);
    d.zext(&value, width + 1)
}

/// Where a sum of zero is negative: both operands are, or it is rounded down and one is.
fn zero_sign<D: Domain + ?Sized>(d: &mut D, directions: &Directions<D>, a: &D::Bool, b: &D::Bool) -> D::Bool {
    let (both, either) = (d.bool_and(a, b), d.bool_or(a, b));
    let down = d.bool_and(&directions.down, &either);
    d.bool_or(&both, &down)
}

/// Guard bits: one for a bit of cancellation, one to round, one for what is lost.
const GUARD: u32 = 3;

fn add<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    directions: &Directions<D>,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let low = format.bits() - 1;
    let (a_magnitude, b_magnitude) = (d.extract(a, 0, low), d.extract(b, 0, low));
    let swaps = d.ult(&a_magnitude, &b_magnitude);
    let (great, small) = (d.ite(&swaps, b, a), d.ite(&swaps, a, b));
    let (great, small) = (FloatParts::of(d, format, &great), FloatParts::of(d, format, &small));
    let (exponent, lesser) = (great.biased_exponent(d), small.biased_exponent(d));
    let distance = d.sub(&exponent, &lesser);
    let (one, other) = (great.significand(d), small.significand(d));
    let (one, other) = (guarded(d, &one, GUARD), guarded(d, &other, GUARD));
    let other = shifted_down(d, &other, &distance);
    let differ = differ(d, &great.sign, &small.sign);
    let (sum, difference) = (d.add(&one, &other), d.sub(&one, &other));
    let significand = d.ite(&differ, &difference, &sum);
    let (is_zero, of_zero) = (d.is_zero(&significand), zero_sign(d, directions, &great.sign, &small.sign));
    let sign = d.bool_ite(&is_zero, &of_zero, &great.sign);
    let exponent = lowest_exponent(d, format, &exponent, format.precision() + GUARD);
    let result = rounded(d, format, directions, &Unrounded { sign, exponent, significand });
    unless(d, &great.is_infinite, &great.bits, result)
}

fn mul<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    a: &FloatParts<D>,
    b: &FloatParts<D>,
) -> FloatResult<D::Bits> {
    let (format, sign) = (a.format, differ(d, &a.sign, &b.sign));
    let (a_exponent, b_exponent) = (a.biased_exponent(d), b.biased_exponent(d));
    let (a_significand, b_significand) = (a.significand(d), b.significand(d));
    let (significand, exponent) = product(d, format, (&a_significand, &b_significand), (&a_exponent, &b_exponent));
    let result = rounded(d, format, directions, &Unrounded { sign: sign.clone(), exponent, significand });
    let is_infinite = d.bool_or(&a.is_infinite, &b.is_infinite);
    or_infinite(d, &is_infinite, (format, &sign), result)
}

/// Twice as wide, with the weight of its lowest bit.
fn product<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    (a, b): (&D::Bits, &D::Bits),
    (a_exponent, b_exponent): (&D::Bits, &D::Bits),
) -> (D::Bits, D::Bits) {
    let width = 2 * format.precision();
    let (a, b) = (d.zext(a, width), d.zext(b, width));
    let (significand, exponent) = (d.mul(&a, &b), d.add(a_exponent, b_exponent));
    let below = d.literal(2 * (format.bias() + i64::from(format.precision()) - 1), exponent_width(format));
    (significand, d.sub(&exponent, &below))
}

/// The quotient has two bits more than the format at least, and its lowest tells of the remainder.
fn div<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    a: &FloatParts<D>,
    b: &FloatParts<D>,
) -> FloatResult<D::Bits> {
    let (format, sign) = (a.format, differ(d, &a.sign, &b.sign));
    let shift = format.precision() + 2;
    let ((dividend, a_exponent), (divisor, b_exponent)) = (a.normalized(d), b.normalized(d));
    let (zeros, width) = (d.literal(0, shift), format.precision() + shift);
    let (dividend, divisor) = (d.concat(&dividend, &zeros), d.zext(&divisor, width));
    let quotient = d.udiv(&dividend, &divisor);
    let back = d.mul(&quotient, &divisor);
    let is_inexact = d.ne(&back, &dividend);
    let significand = jammed(d, &quotient, &is_inexact);
    let significand = d.extract(&significand, 0, shift + 1);
    let exponent = d.sub(&a_exponent, &b_exponent);
    let below = d.literal(shift.into(), exponent_width(format));
    let exponent = d.sub(&exponent, &below);
    let result = rounded(d, format, directions, &Unrounded { sign: sign.clone(), exponent, significand });
    let is_infinite = d.bool_or(&a.is_infinite, &b.is_zero);
    let result = or_infinite(d, &is_infinite, (format, &sign), result);
    let nothing = d.literal(0, format.bits() - 1);
    let zero = signed(d, &sign, &nothing);
    let FloatResult { bits, flags: raised } = unless(d, &b.is_infinite, &zero, result);
    let is_finite = d.bool_not(&a.is_infinite);
    let divides_by_zero = all(d, &[&b.is_zero, &is_finite]);
    let by_zero = flags(d, &[(FloatFlag::DivideByZero, &divides_by_zero)]);
    FloatResult { bits, flags: d.or(&raised, &by_zero) }
}

/// The lowest bit is set where bits were lost.
fn jammed<D: Domain + ?Sized>(d: &mut D, value: &D::Bits, lost: &D::Bool) -> D::Bits {
    let lost = d.bit(lost);
    let lost = d.zext(&lost, d.width(value));
    d.or(value, &lost)
}

/// The significand times a power of two, modulo the divisor's: by squares, a bit of the power at a time.
fn rem<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    a: &FloatParts<D>,
    b: &FloatParts<D>,
) -> FloatResult<D::Bits> {
    let format = a.format;
    let ((dividend, a_exponent), (divisor, b_exponent)) = (a.normalized(d), b.normalized(d));
    let width = 2 * format.precision();
    let (dividend, divisor) = (d.zext(&dividend, width), d.zext(&divisor, width));
    let distance = d.sub(&a_exponent, &b_exponent);
    let mut power = d.literal(1, width);
    for place in (0..=format.exponent_bits()).rev() {
        let square = d.mul(&power, &power);
        power = d.urem(&square, &divisor);
        let twice = d.add(&power, &power);
        let less = d.sub(&twice, &divisor);
        let is_reduced = d.ult(&twice, &divisor);
        let twice = d.ite(&is_reduced, &twice, &less);
        let bit = d.extract(&distance, place, 1);
        let is_set = d.is_negative(&bit);
        power = d.ite(&is_set, &twice, &power);
    }
    let dividend = d.urem(&dividend, &divisor);
    let product = d.mul(&dividend, &power);
    let significand = d.urem(&product, &divisor);
    let exponent = lowest_exponent(d, format, &b_exponent, format.precision());
    let result = rounded(d, format, directions, &Unrounded { sign: a.sign.clone(), exponent, significand });
    let is_less = d.is_negative(&distance);
    let is_itself = any(d, &[&is_less, &b.is_infinite, &a.is_zero]);
    unless(d, &is_itself, &a.bits, result)
}

/// Both addends have their leading bits at one place, so that bits are lost of the lesser alone, and only where it
/// cancels one bit of the greater at most.
fn fma<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    [a, b, c]: [&FloatParts<D>; 3],
) -> FloatResult<D::Bits> {
    let (format, sign) = (a.format, differ(d, &a.sign, &b.sign));
    let exponent_bits = exponent_width(format);
    let ((a_significand, a_exponent), (b_significand, b_exponent)) = (a.normalized(d), b.normalized(d));
    let (of_product, product_exponent) =
        product(d, format, (&a_significand, &b_significand), (&a_exponent, &b_exponent));
    let (of_addend, addend_exponent) = c.normalized(d);
    let zeros = d.literal(0, format.precision());
    let of_addend = d.concat(&of_addend, &zeros);
    let addend_exponent = lowest_exponent(d, format, &addend_exponent, 2 * format.precision());
    // A zero is below everything.
    let least = d.literal(-(1 << (exponent_bits - 2)), exponent_bits);
    let product_is_zero = d.bool_or(&a.is_zero, &b.is_zero);
    let product_exponent = d.ite(&product_is_zero, &least, &product_exponent);
    let addend_exponent = d.ite(&c.is_zero, &least, &addend_exponent);
    let is_less = d.slt(&product_exponent, &addend_exponent);
    let (one, other) = (d.ite(&is_less, &of_addend, &of_product), d.ite(&is_less, &of_product, &of_addend));
    let (one, other) = (guarded(d, &one, GUARD), guarded(d, &other, GUARD));
    let exponent = d.ite(&is_less, &addend_exponent, &product_exponent);
    let lesser = d.ite(&is_less, &product_exponent, &addend_exponent);
    let distance = d.sub(&exponent, &lesser);
    let other = shifted_down(d, &other, &distance);
    let one_sign = d.bool_ite(&is_less, &c.sign, &sign);
    let differ = differ(d, &sign, &c.sign);
    let (sum, difference, inverse) = (d.add(&one, &other), d.sub(&one, &other), d.sub(&other, &one));
    let swaps = d.ult(&one, &other);
    let difference = d.ite(&swaps, &inverse, &difference);
    let significand = d.ite(&differ, &difference, &sum);
    let swapped = all(d, &[&differ, &swaps]);
    let inverted = d.bool_not(&one_sign);
    let of_sum = d.bool_ite(&swapped, &inverted, &one_sign);
    let (is_zero, of_zero) = (d.is_zero(&significand), zero_sign(d, directions, &sign, &c.sign));
    let of_result = d.bool_ite(&is_zero, &of_zero, &of_sum);
    let guard = d.literal(GUARD.into(), exponent_bits);
    let exponent = d.sub(&exponent, &guard);
    let result = rounded(d, format, directions, &Unrounded { sign: of_result, exponent, significand });
    let result = unless(d, &c.is_infinite, &c.bits, result);
    let is_infinite = d.bool_or(&a.is_infinite, &b.is_infinite);
    or_infinite(d, &is_infinite, (format, &sign), result)
}

/// By Newton's iteration from above, whose relative error is squared and halved by each step: at most 1 at first.
fn sqrt<D: Domain + ?Sized>(d: &mut D, directions: &Directions<D>, a: &FloatParts<D>) -> FloatResult<D::Bits> {
    let (format, root_bits) = (a.format, a.format.precision() + 2);
    let (significand, biased) = a.normalized(d);
    // Twice as wide as the root: below it as many zeros as make the exponent of the lowest bit even.
    let exponent = lowest_exponent(d, format, &biased, 2 * root_bits - 1);
    let (zeros, is_odd) = (d.literal(0, 2 * root_bits - 1 - format.precision()), d.extract(&exponent, 0, 1));
    let square = d.concat(&significand, &zeros);
    let (square, one) = (d.zext(&square, 2 * root_bits), d.literal(1, 2 * root_bits));
    let (is_odd, twice) = (d.is_negative(&is_odd), d.shl(&square, &one));
    let square = d.ite(&is_odd, &twice, &square);
    let one_down = d.literal(1, exponent_width(format));
    let exponent = d.ashr(&exponent, &one_down);
    let mut root = d.literal(1, 2 * root_bits);
    let highest = d.literal(root_bits.into(), 2 * root_bits);
    root = d.shl(&root, &highest);
    // After `n` steps the error is below 2 to the power `-2^(n-1)`.
    for _ in 0..=root_bits.ilog2() + 1 {
        let quotient = d.udiv(&square, &root);
        let sum = d.add(&root, &quotient);
        root = d.lshr(&sum, &one);
    }
    let back = d.mul(&root, &root);
    let (exceeds, less) = (d.ult(&square, &back), d.sub(&root, &one));
    let root = d.ite(&exceeds, &less, &root);
    let back = d.mul(&root, &root);
    let is_inexact = d.ne(&back, &square);
    let significand = jammed(d, &root, &is_inexact);
    let significand = d.extract(&significand, 0, root_bits);
    let result = rounded(d, format, directions, &Unrounded { sign: a.sign.clone(), exponent, significand });
    let is_itself = d.bool_or(&a.is_infinite, &a.is_zero);
    unless(d, &is_itself, &a.bits, result)
}

fn scale<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    a: &FloatParts<D>,
    power: &D::Bits,
) -> FloatResult<D::Bits> {
    let (format, given) = (a.format, d.width(power));
    let bound = d.literal(1 << (format.exponent_bits() + 1), given);
    let none = d.literal(0, given);
    let least = d.sub(&none, &bound);
    let (above, below) = (d.slt(&bound, power), d.slt(power, &least));
    let power = d.ite(&above, &bound, power);
    let power = d.ite(&below, &least, &power);
    let power = d.sext_or_trunc(&power, exponent_width(format));
    let (significand, exponent) = (a.significand(d), a.biased_exponent(d));
    let exponent = lowest_exponent(d, format, &exponent, format.precision());
    let exponent = d.add(&exponent, &power);
    let result = rounded(d, format, directions, &Unrounded { sign: a.sign.clone(), exponent, significand });
    unless(d, &a.is_infinite, &a.bits, result)
}

fn convert<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    a: &FloatParts<D>,
    to: FloatFormat,
) -> FloatResult<D::Bits> {
    let (significand, exponent) = (a.significand(d), a.biased_exponent(d));
    let exponent = lowest_exponent(d, a.format, &exponent, a.format.precision());
    let exponent = d.sext(&exponent, exponent_width(to).max(exponent_width(a.format)));
    let result = rounded(d, to, directions, &Unrounded { sign: a.sign.clone(), exponent, significand });
    or_infinite(d, &a.is_infinite, (to, &a.sign), result)
}

fn from_integer<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    directions: &Directions<D>,
    integer: &D::Bits,
) -> FloatResult<D::Bits> {
    let (sign, zero) = (d.is_negative(integer), d.literal(0, d.width(integer)));
    let negated = d.sub(&zero, integer);
    let significand = d.ite(&sign, &negated, integer);
    let exponent = d.literal(0, exponent_width(format));
    rounded(d, format, directions, &Unrounded { sign, exponent, significand })
}

/// The significand with its leading bit at the top, for callers that convert without rounding.
pub(super) fn leading<D: Domain + ?Sized>(d: &mut D, a: &FloatParts<D>) -> (D::Bits, D::Bits) {
    let significand = a.significand(d);
    normalized(d, &significand)
}
