//! Operations with their NaNs and exceptions: what opcodes, library functions and instructions call.

use super::exact::{RoundedOperation, leading};
use super::nan::{NanOperand, any_nan, any_signaling, nan_of};
use super::parts::{FloatParts, exponent_width, infinity, signed};
use super::{FLAG_BITS, FloatFlag, FloatResult, FloatRules, NanRule, all, differ, flags};
use crate::bits::Bits;
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// The result on numbers, or a NaN where an operand is one or the operation has no result.
fn with_nans<D: Domain + ?Sized>(
    d: &mut D,
    rule: NanRule,
    operands: &[NanOperand<D>],
    has_no_result: &D::Bool,
    (format, number): (FloatFormat, FloatResult<D::Bits>),
) -> FloatResult<D::Bits> {
    let nan = nan_of(d, rule, format, operands);
    let (any_nan, any_signaling) = (any_nan(d, operands), any_signaling(d, operands));
    let (is_nan, invalid) = (d.bool_or(&any_nan, has_no_result), d.bool_or(&any_signaling, has_no_result));
    let of_nan = flags(d, &[(FloatFlag::Invalid, &invalid)]);
    FloatResult { bits: d.ite(&is_nan, &nan, &number.bits), flags: d.ite(&is_nan, &of_nan, &number.flags) }
}

fn parts_of<D: Domain + ?Sized, const N: usize>(
    d: &mut D,
    format: FloatFormat,
    args: [&D::Bits; N],
) -> [FloatParts<D>; N] {
    args.map(|arg| FloatParts::of(d, format, arg))
}

fn operands<D: Domain + ?Sized, const N: usize>(
    d: &mut D,
    format: FloatFormat,
    parts: [&FloatParts<D>; N],
) -> [NanOperand<D>; N] {
    parts.map(|parts| NanOperand::of(d, parts, format))
}

/// The sum.
pub fn add<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    sum(d, rules, format, (a, b), b)
}

/// The difference: the sum with the second operand's sign inverted, whose NaN it keeps.
pub fn sub<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let sign = d.constant(Bits::signed_min(format.bits()));
    let negated = d.xor(b, &sign);
    sum(d, rules, format, (a, b), &negated)
}

/// Of the first operand and of `addend`, which is the second or its negation.
fn sum<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    (a, b): (&D::Bits, &D::Bits),
    addend: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x, y] = parts_of(d, format, [a, b]);
    let added = d.is_negative(addend);
    let opposite = differ(d, &x.sign, &added);
    let has_no_result = all(d, &[&x.is_infinite, &y.is_infinite, &opposite]);
    let number = d.rounded(RoundedOperation::Add(format), &[rules.mode.clone(), a.clone(), addend.clone()]);
    let operands = operands(d, format, [&x, &y]);
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// The product.
pub fn mul<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x, y] = parts_of(d, format, [a, b]);
    let has_no_result = has_no_product(d, &x, &y);
    let number = d.rounded(RoundedOperation::Mul(format), &[rules.mode.clone(), a.clone(), b.clone()]);
    let operands = operands(d, format, [&x, &y]);
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// An infinity by zero.
fn has_no_product<D: Domain + ?Sized>(d: &mut D, x: &FloatParts<D>, y: &FloatParts<D>) -> D::Bool {
    let (one, other) = (d.bool_and(&x.is_infinite, &y.is_zero), d.bool_and(&x.is_zero, &y.is_infinite));
    d.bool_or(&one, &other)
}

/// The quotient.
pub fn div<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x, y] = parts_of(d, format, [a, b]);
    let (infinite, zero) = (d.bool_and(&x.is_infinite, &y.is_infinite), d.bool_and(&x.is_zero, &y.is_zero));
    let has_no_result = d.bool_or(&infinite, &zero);
    let number = d.rounded(RoundedOperation::Div(format), &[rules.mode.clone(), a.clone(), b.clone()]);
    let operands = operands(d, format, [&x, &y]);
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// The remainder of the quotient cut to an integer, with the sign of the dividend: C's `fmod`.
pub fn rem<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x, y] = parts_of(d, format, [a, b]);
    let (has_none, unordered) = (d.bool_or(&x.is_infinite, &y.is_zero), d.bool_or(&x.is_nan, &y.is_nan));
    let ordered = d.bool_not(&unordered);
    let has_no_result = d.bool_and(&ordered, &has_none);
    let number = d.rounded(RoundedOperation::Rem(format), &[rules.mode.clone(), a.clone(), b.clone()]);
    let operands = operands(d, format, [&x, &y]);
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// The product of the first two plus the third, rounded once. AArch64 looks at the addend first, and returns the
/// canonical NaN for an infinity by zero plus a quiet NaN.
pub fn fma<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    [a, b, c]: [&D::Bits; 3],
) -> FloatResult<D::Bits> {
    let [x, y, z] = parts_of(d, format, [a, b, c]);
    let no_product = has_no_product(d, &x, &y);
    // One with a NaN is none.
    let (is_one, has_nan) = (d.bool_or(&x.is_infinite, &y.is_infinite), d.bool_or(&x.is_nan, &y.is_nan));
    let is_number = d.bool_not(&has_nan);
    let product_is_infinite = d.bool_and(&is_one, &is_number);
    let sign = differ(d, &x.sign, &y.sign);
    let opposite = differ(d, &sign, &z.sign);
    let no_sum = all(d, &[&product_is_infinite, &z.is_infinite, &opposite]);
    let has_no_result = d.bool_or(&no_product, &no_sum);
    let args = [rules.mode.clone(), a.clone(), b.clone(), c.clone()];
    let number = d.rounded(RoundedOperation::Fma(format), &args);
    let mut operands = match rules.nan {
        NanRule::Propagate => operands(d, format, [&z, &x, &y]),
        NanRule::Generic | NanRule::Canonical => operands(d, format, [&x, &y, &z]),
    };
    if rules.nan == NanRule::Propagate {
        let is_quiet = d.bool_not(&operands[0].is_signaling);
        let is_dropped = d.bool_and(&no_product, &is_quiet);
        let stays = d.bool_not(&is_dropped);
        operands[0].is_nan = d.bool_and(&operands[0].is_nan, &stays);
    }
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// The square root.
pub fn sqrt<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x] = parts_of(d, format, [a]);
    let has_root = d.bool_or(&x.is_zero, &x.is_nan);
    let has_none = d.bool_not(&has_root);
    let has_no_result = d.bool_and(&x.sign, &has_none);
    let number = d.rounded(RoundedOperation::Sqrt(format), &[rules.mode.clone(), a.clone()]);
    let operands = operands(d, format, [&x]);
    with_nans(d, rules.nan, &operands, &has_no_result, (format, number))
}

/// The number times 2 to the power of a signed integer of any width: C's `ldexp`.
pub fn scale<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
    power: &D::Bits,
) -> FloatResult<D::Bits> {
    let power = clamped(d, power, RoundedOperation::SCALE_BITS);
    let [x] = parts_of(d, format, [a]);
    let number = d.rounded(RoundedOperation::Scale(format), &[rules.mode.clone(), a.clone(), power]);
    let (operands, never) = (operands(d, format, [&x]), d.boolean(false));
    with_nans(d, rules.nan, &operands, &never, (format, number))
}

/// A signed integer as one of `width` bits: the nearest.
fn clamped<D: Domain + ?Sized>(d: &mut D, integer: &D::Bits, width: u32) -> D::Bits {
    let given = d.width(integer);
    if given <= width {
        return d.sext(integer, width);
    }
    let least = d.constant(Bits::signed_min(width).sext_or_trunc(given));
    let greatest = d.not(&least);
    let (below, above) = (d.slt(integer, &least), d.slt(&greatest, integer));
    let integer = d.ite(&below, &least, integer);
    let integer = d.ite(&above, &greatest, &integer);
    d.extract(&integer, 0, width)
}

/// To a format of lower precision or range.
pub fn truncate<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (from, to): (FloatFormat, FloatFormat),
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x] = parts_of(d, from, [a]);
    let number = d.rounded(RoundedOperation::Convert(from, to), &[rules.mode.clone(), a.clone()]);
    let (operands, never) = (operands(d, to, [&x]), d.boolean(false));
    with_nans(d, rules.nan, &operands, &never, (to, number))
}

/// To a format that has every number of the first: exact, by bits.
pub fn extend<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (from, to): (FloatFormat, FloatFormat),
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x] = parts_of(d, from, [a]);
    let bits = match from.exponent_bits() == to.exponent_bits() {
        true => below_zeros(d, a, to.bits() - from.bits()),
        false => rebiased(d, &x, to),
    };
    let number = FloatResult { bits, flags: d.literal(0, FLAG_BITS) };
    let (operands, never) = (operands(d, to, [&x]), d.boolean(false));
    with_nans(d, rules.nan, &operands, &never, (to, number))
}

fn below_zeros<D: Domain + ?Sized>(d: &mut D, value: &D::Bits, zeros: u32) -> D::Bits {
    match zeros {
        0 => value.clone(),
        _ => {
            let zeros = d.literal(0, zeros);
            d.concat(value, &zeros)
        }
    }
}

/// Every number but zero is normal in a format of a wider exponent.
fn rebiased<D: Domain + ?Sized>(d: &mut D, x: &FloatParts<D>, to: FloatFormat) -> D::Bits {
    let ((significand, places), width) = (leading(d, x), exponent_width(x.format));
    let (biased, places) = (x.biased_exponent(d), d.zext(&places, width));
    let exponent = d.sub(&biased, &places);
    let exponent = d.sext(&exponent, exponent_width(to));
    let higher = d.literal(to.bias() - x.format.bias(), exponent_width(to));
    let exponent = d.add(&exponent, &higher);
    let exponent = d.extract(&exponent, 0, to.exponent_bits());
    let fraction = d.extract(&significand, 0, x.format.fraction_bits());
    let fraction = below_zeros(d, &fraction, to.fraction_bits() - x.format.fraction_bits());
    let (number, none) = (d.concat(&exponent, &fraction), d.literal(0, to.bits() - 1));
    let infinite = d.constant(infinity(to));
    let number = d.ite(&x.is_zero, &none, &number);
    let magnitude = d.ite(&x.is_infinite, &infinite, &number);
    signed(d, &x.sign, &magnitude)
}

/// A signed integer of any width below the widest representable, as a number. Integers are widened first, so that all
/// widths share one operation.
pub fn from_integer<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    integer: &D::Bits,
    is_signed: bool,
) -> FloatResult<D::Bits> {
    let given = d.width(integer);
    let wide = super::integral::common_width(given, is_signed);
    let integer = if is_signed { d.sext(integer, wide) } else { d.zext(integer, wide) };
    d.rounded(RoundedOperation::FromInteger(format), &[rules.mode.clone(), integer])
}

/// Where an operand or a result is a NaN: what `nnan` promises against.
pub(super) fn is_nan<D: Domain + ?Sized>(d: &mut D, format: FloatFormat, bits: &D::Bits) -> D::Bool {
    FloatParts::of(d, format, bits).is_nan
}

/// Where it is an infinity.
pub(super) fn is_infinite<D: Domain + ?Sized>(d: &mut D, format: FloatFormat, bits: &D::Bits) -> D::Bool {
    FloatParts::of(d, format, bits).is_infinite
}

/// The number itself, or the NaN that the rule makes of it, which is quiet in any case: `canonicalize`.
pub(super) fn canonical<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x] = parts_of(d, format, [a]);
    let mut operands = operands(d, format, [&x]);
    let quiet = d.constant(Bits::signed_min(format.fraction_bits()));
    operands[0].fraction = d.or(&operands[0].fraction, &quiet);
    unless_nan(d, rules, (format, a), &operands)
}

/// The number itself, or a NaN as any operation on it returns one.
pub(super) fn itself<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    format: FloatFormat,
    a: &D::Bits,
) -> FloatResult<D::Bits> {
    let [x] = parts_of(d, format, [a]);
    let operands = operands(d, format, [&x]);
    unless_nan(d, rules, (format, a), &operands)
}

fn unless_nan<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (format, a): (FloatFormat, &D::Bits),
    operands: &[NanOperand<D>],
) -> FloatResult<D::Bits> {
    let (number, never) = (FloatResult { bits: a.clone(), flags: d.literal(0, FLAG_BITS) }, d.boolean(false));
    with_nans(d, rules.nan, operands, &never, (format, number))
}
