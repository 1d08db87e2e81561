//! Rounding: from an exact value, or one whose lost bits are jammed into its lowest, to a format.

use super::parts::{exponent_width, infinity, normalized, signed};
use super::{FloatFlag, FloatResult, RoundingMode, all, any, flags};
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// The directions of a rounding mode, of which one holds at most; none is towards zero.
pub(super) struct Directions<D: Domain + ?Sized> {
    even: D::Bool,
    pub down: D::Bool,
    up: D::Bool,
    away: D::Bool,
    /// Whether a result is tiny is told before it is rounded, and not after.
    tells_tiny_first: D::Bool,
}

impl<D: Domain + ?Sized> Directions<D> {
    pub fn of(d: &mut D, mode: &D::Bits) -> Directions<D> {
        let tells_tiny_first = match d.width(mode) > RoundingMode::BITS {
            true => {
                let bit = d.extract(mode, RoundingMode::BITS, 1);
                d.is_negative(&bit)
            }
            false => d.boolean(false),
        };
        let mode = d.extract(mode, 0, RoundingMode::BITS);
        let mut is = |wanted: RoundingMode| {
            let wanted = d.constant(wanted.bits());
            d.eq(&mode, &wanted)
        };
        Directions {
            even: is(RoundingMode::NearestEven),
            down: is(RoundingMode::Down),
            up: is(RoundingMode::Up),
            away: is(RoundingMode::NearestAway),
            tells_tiny_first,
        }
    }

    /// True where a value of this sign rounds away from zero as soon as it is inexact.
    fn outward(&self, d: &mut D, sign: &D::Bool) -> D::Bool {
        d.bool_ite(sign, &self.down, &self.up)
    }

    /// Where the magnitude goes up by one in its last place.
    pub fn increments(&self, d: &mut D, sign: &D::Bool, cut: &Cut<D>) -> D::Bool {
        let is_odd = d.extract(&cut.kept, 0, 1);
        let is_odd = d.is_negative(&is_odd);
        let beyond = any(d, &[&cut.rest, &is_odd]);
        let beyond = all(d, &[&self.even, &beyond]);
        let nearest = any(d, &[&self.away, &beyond]);
        let nearest = all(d, &[&cut.half, &nearest]);
        let (inexact, outward) = (cut.is_inexact(d), self.outward(d, sign));
        let outward = all(d, &[&outward, &inexact]);
        any(d, &[&nearest, &outward])
    }
}

/// A magnitude cut in two.
pub(super) struct Cut<D: Domain + ?Sized> {
    pub kept: D::Bits,
    /// The highest bit that is cut off.
    pub half: D::Bool,
    /// Some bit below.
    pub rest: D::Bool,
}

impl<D: Domain + ?Sized> Cut<D> {
    /// The highest `kept` bits, and the others: at least two.
    pub fn of(d: &mut D, value: &D::Bits, kept: u32) -> Cut<D> {
        let off = d.width(value) - kept;
        let (half, rest) = (d.extract(value, off - 1, 1), d.extract(value, 0, off - 1));
        let none = d.is_zero(&rest);
        Cut { kept: d.extract(value, off, kept), half: d.is_negative(&half), rest: d.bool_not(&none) }
    }

    pub fn is_inexact(&self, d: &mut D) -> D::Bool {
        any(d, &[&self.half, &self.rest])
    }
}

/// Shifted down by an unsigned amount of any width; the lowest bit is set where bits were lost.
pub(super) fn shifted_down<D: Domain + ?Sized>(d: &mut D, value: &D::Bits, amount: &D::Bits) -> D::Bits {
    let (width, amount_width) = (d.width(value), d.width(amount));
    let amount = match amount_width > width {
        true => {
            let most = d.literal(i64::from(width), amount_width);
            let within = d.ult(amount, &most);
            let amount = d.ite(&within, amount, &most);
            d.extract(&amount, 0, width)
        }
        false => d.zext(amount, width),
    };
    let down = d.lshr(value, &amount);
    let back = d.shl(&down, &amount);
    let lost = d.ne(&back, value);
    let lost = d.bit(&lost);
    let lost = d.zext(&lost, width);
    d.or(&down, &lost)
}

/// A value to be rounded: `significand * 2^exponent`. Bits that were lost are jammed into the lowest.
pub(super) struct Unrounded<D: Domain + ?Sized> {
    pub sign: D::Bool,
    /// Signed: the weight of the significand's lowest bit.
    pub exponent: D::Bits,
    pub significand: D::Bits,
}

/// The nearest number of the format in the mode's direction. Zero keeps the sign.
pub(super) fn rounded<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    directions: &Directions<D>,
    value: &Unrounded<D>,
) -> FloatResult<D::Bits> {
    let (precision, exponent_bits) = (format.precision(), d.width(&value.exponent));
    let padding = (precision + 2).saturating_sub(d.width(&value.significand));
    let significand = match padding {
        0 => value.significand.clone(),
        _ => {
            let zeros = d.literal(0, padding);
            d.concat(&value.significand, &zeros)
        }
    };
    let width = d.width(&significand);
    let (significand, places) = normalized(d, &significand);
    // The biased exponent of the leading bit.
    let highest = d.literal(i64::from(width - 1 - padding) + format.bias(), exponent_bits);
    let exponent = d.add(&value.exponent, &highest);
    let places = d.zext(&places, exponent_bits);
    let exponent = d.sub(&exponent, &places);
    let (one, zero) = (d.literal(1, exponent_bits), d.literal(0, exponent_bits));
    let is_low = d.slt(&exponent, &one);
    let distance = d.sub(&one, &exponent);
    let distance = d.ite(&is_low, &distance, &zero);
    let shifted = shifted_down(d, &significand, &distance);
    let cut = Cut::of(d, &shifted, precision);
    // The leading bit, and a carry out of the fraction, count up the exponent.
    let field = d.sub(&exponent, &one);
    let field = d.ite(&is_low, &zero, &field);
    let fraction = d.literal(0, precision - 1);
    let base = d.concat(&field, &fraction);
    let (whole, increments) = (d.width(&base), directions.increments(d, &value.sign, &cut));
    let (kept, increment) = (d.zext(&cut.kept, whole), d.bit(&increments));
    let (sum, increment) = (d.add(&base, &kept), d.zext(&increment, whole));
    let packed = d.add(&sum, &increment);
    let is_tiny = is_tiny(d, directions, (&value.sign, &significand), (&exponent, &is_low), precision);
    let (is_zero, is_inexact) = (d.is_zero(&significand), cut.is_inexact(d));
    finished(d, format, directions, &value.sign, Packed { packed, is_zero, is_tiny, is_inexact })
}

/// True where the value, rounded as if exponents had no bounds, is below the least normal number; or where it is before
/// it is rounded, on a machine that asks then.
fn is_tiny<D: Domain + ?Sized>(
    d: &mut D,
    directions: &Directions<D>,
    (sign, significand): (&D::Bool, &D::Bits),
    (exponent, is_low): (&D::Bits, &D::Bool),
    precision: u32,
) -> D::Bool {
    let cut = Cut::of(d, significand, precision);
    let ones = d.literal(-1, precision);
    let (is_full, increments) = (d.eq(&cut.kept, &ones), directions.increments(d, sign, &cut));
    let just_below = d.is_zero(exponent);
    let is_told_later = d.bool_not(&directions.tells_tiny_first);
    let carries = all(d, &[&just_below, &is_full, &increments, &is_told_later]);
    let stays = d.bool_not(&carries);
    all(d, &[is_low, &stays])
}

/// A rounded magnitude whose exponent may exceed the format.
struct Packed<D: Domain + ?Sized> {
    packed: D::Bits,
    is_zero: D::Bool,
    is_tiny: D::Bool,
    is_inexact: D::Bool,
}

fn finished<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    directions: &Directions<D>,
    sign: &D::Bool,
    value: Packed<D>,
) -> FloatResult<D::Bits> {
    let (bits, whole) = (format.bits() - 1, d.width(&value.packed));
    let infinite = d.constant(infinity(format).zext_or_trunc(whole));
    let one = d.literal(1, whole);
    let (below, is_number) = (d.ult(&value.packed, &infinite), d.bool_not(&value.is_zero));
    let exceeds = d.bool_not(&below);
    let overflows = all(d, &[&exceeds, &is_number]);
    let (outward, greatest) = (directions.outward(d, sign), d.sub(&infinite, &one));
    let goes_beyond = any(d, &[&directions.even, &directions.away, &outward]);
    let bound = d.ite(&goes_beyond, &infinite, &greatest);
    let magnitude = d.ite(&overflows, &bound, &value.packed);
    let magnitude = d.extract(&magnitude, 0, bits);
    let zero = d.literal(0, bits);
    let magnitude = d.ite(&value.is_zero, &zero, &magnitude);
    let inexact = any(d, &[&value.is_inexact, &overflows]);
    let underflows = all(d, &[&value.is_inexact, &value.is_tiny]);
    let raised =
        [(FloatFlag::Inexact, &inexact), (FloatFlag::Underflow, &underflows), (FloatFlag::Overflow, &overflows)];
    FloatResult { bits: signed(d, sign, &magnitude), flags: flags(d, &raised) }
}

/// An exponent above its bias, as the weight of the lowest bit of a significand whose highest has it.
pub(super) fn lowest_exponent<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    biased: &D::Bits,
    significand_bits: u32,
) -> D::Bits {
    let above = d.literal(format.bias() + i64::from(significand_bits) - 1, exponent_width(format));
    d.sub(biased, &above)
}
