//! The parts of a number in a format, and the class that it is in.

use super::{all, any};
use crate::bits::Bits;
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// The width of exponents in computations, in bits: that of any sum of the format's exponents, shifts and widths.
pub(super) fn exponent_width(format: FloatFormat) -> u32 {
    format.exponent_bits().max(10) + 3
}

/// A number taken apart.
pub(super) struct FloatParts<D: Domain + ?Sized> {
    pub format: FloatFormat,
    /// All its bits.
    pub bits: D::Bits,
    pub sign: D::Bool,
    /// The exponent field.
    pub exponent: D::Bits,
    pub fraction: D::Bits,
    /// The exponent field is zero: a subnormal number or zero.
    pub is_low: D::Bool,
    pub is_zero: D::Bool,
    pub is_infinite: D::Bool,
    pub is_nan: D::Bool,
}

impl<D: Domain + ?Sized> FloatParts<D> {
    pub fn of(d: &mut D, format: FloatFormat, bits: &D::Bits) -> FloatParts<D> {
        let (exponent_bits, fraction_bits) = (format.exponent_bits(), format.fraction_bits());
        let exponent = d.extract(bits, fraction_bits, exponent_bits);
        let fraction = d.extract(bits, 0, fraction_bits);
        let ones = d.literal(-1, exponent_bits);
        let (is_special, is_low, is_whole) = (d.eq(&exponent, &ones), d.is_zero(&exponent), d.is_zero(&fraction));
        let has_fraction = d.bool_not(&is_whole);
        FloatParts {
            format,
            bits: bits.clone(),
            sign: d.is_negative(bits),
            is_zero: d.bool_and(&is_low, &is_whole),
            is_infinite: d.bool_and(&is_special, &is_whole),
            is_nan: d.bool_and(&is_special, &has_fraction),
            exponent,
            fraction,
            is_low,
        }
    }

    /// A NaN whose quiet bit, the highest of the fraction, is clear.
    pub fn is_signaling(&self, d: &mut D) -> D::Bool {
        let is_quiet = d.is_negative(&self.fraction);
        let is_loud = d.bool_not(&is_quiet);
        d.bool_and(&self.is_nan, &is_loud)
    }

    pub fn is_subnormal(&self, d: &mut D) -> D::Bool {
        let is_number = d.bool_not(&self.is_zero);
        all(d, &[&self.is_low, &is_number])
    }

    /// Neither infinite nor a NaN.
    pub fn is_finite(&self, d: &mut D) -> D::Bool {
        let special = any(d, &[&self.is_infinite, &self.is_nan]);
        d.bool_not(&special)
    }

    /// The number without its sign bit, which is one bit narrower. Its unsigned order is that of magnitudes.
    pub fn magnitude(&self, d: &mut D) -> D::Bits {
        d.extract(&self.bits, 0, self.format.bits() - 1)
    }

    /// The significand with its leading bit, which is zero of a subnormal number.
    pub fn significand(&self, d: &mut D) -> D::Bits {
        let is_normal = d.bool_not(&self.is_low);
        let leading = d.bit(&is_normal);
        d.concat(&leading, &self.fraction)
    }

    /// The biased exponent of the significand's leading bit, at least 1.
    pub fn biased_exponent(&self, d: &mut D) -> D::Bits {
        let low = d.bit(&self.is_low);
        let low = d.zext(&low, self.format.exponent_bits());
        let field = d.or(&self.exponent, &low);
        d.zext(&field, exponent_width(self.format))
    }

    /// The significand with its leading bit set, unless it is zero, and the biased exponent of that bit.
    pub fn normalized(&self, d: &mut D) -> (D::Bits, D::Bits) {
        let (significand, exponent) = (self.significand(d), self.biased_exponent(d));
        let (significand, places) = normalized(d, &significand);
        let places = d.zext(&places, exponent_width(self.format));
        (significand, d.sub(&exponent, &places))
    }
}

/// Shifted up until the highest bit is set, by halves of the width; and by how many places, in as many bits as that
/// needs. Of zero the places mean nothing.
pub(super) fn normalized<D: Domain + ?Sized>(d: &mut D, value: &D::Bits) -> (D::Bits, D::Bits) {
    let width = d.width(value);
    let (mut value, mut places): (D::Bits, Option<D::Bits>) = (value.clone(), None);
    for step in (0..width.ilog2() + u32::from(!width.is_power_of_two())).rev() {
        let step = 1 << step;
        let high = d.extract(&value, width - step, step);
        let is_clear = d.is_zero(&high);
        let amount = d.literal(step.into(), width);
        let shifted = d.shl(&value, &amount);
        value = d.ite(&is_clear, &shifted, &value);
        let bit = d.bit(&is_clear);
        places = Some(places.map_or(bit.clone(), |high| d.concat(&high, &bit)));
    }
    let places = places.unwrap_or_else(|| d.literal(0, 1));
    (value, places)
}

/// An infinity's magnitude, which is one bit narrower than the format.
pub(super) fn infinity(format: FloatFormat) -> Bits {
    Bits::ones(format.exponent_bits()).concat(Bits::zero(format.fraction_bits()))
}

/// A number of this sign and magnitude.
pub(super) fn signed<D: Domain + ?Sized>(d: &mut D, sign: &D::Bool, magnitude: &D::Bits) -> D::Bits {
    let sign = d.bit(sign);
    d.concat(&sign, magnitude)
}
