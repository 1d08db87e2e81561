//! The NaN that an operation returns.

use super::any;
use super::parts::{FloatParts, signed};
use crate::bits::Bits;
use crate::float::FloatFormat;
use crate::semantics::Domain;

/// The rule by which an operation returns a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NanRule {
    /// LLVM's: of either sign; the quiet NaN without payload, or an operand that is a NaN, quieted or as it is.
    Generic,
    /// RISC-V's: always the positive quiet NaN without payload.
    Canonical,
    /// AArch64's with `FPCR.DN` clear: the first signalling operand, else the first quiet one, quieted; without either
    /// the positive quiet NaN without payload.
    Propagate,
}

/// An operand that may be a NaN, as a result's format takes it.
pub(super) struct NanOperand<D: Domain + ?Sized> {
    pub sign: D::Bool,
    pub fraction: D::Bits,
    pub is_nan: D::Bool,
    pub is_signaling: D::Bool,
}

impl<D: Domain + ?Sized> NanOperand<D> {
    /// The operand of an operation in one format, or of one that converts: the payload's high bits count.
    pub fn of(d: &mut D, parts: &FloatParts<D>, format: FloatFormat) -> NanOperand<D> {
        let (from, to) = (parts.format.fraction_bits(), format.fraction_bits());
        let fraction = match from < to {
            true => {
                let zeros = d.literal(0, to - from);
                d.concat(&parts.fraction, &zeros)
            }
            false => d.extract(&parts.fraction, from - to, to),
        };
        NanOperand {
            sign: parts.sign.clone(),
            fraction,
            is_nan: parts.is_nan.clone(),
            is_signaling: parts.is_signaling(d),
        }
    }
}

/// The positive quiet NaN without payload.
pub fn canonical_nan(format: FloatFormat) -> Bits {
    Bits::zero(1).concat(Bits::ones(format.exponent_bits() + 1)).concat(Bits::zero(format.fraction_bits() - 1))
}

/// The NaN that an operation on these operands returns, in the order in which a machine looks at them.
pub(super) fn nan_of<D: Domain + ?Sized>(
    d: &mut D,
    rule: NanRule,
    format: FloatFormat,
    operands: &[NanOperand<D>],
) -> D::Bits {
    let canonical = d.constant(canonical_nan(format));
    match rule {
        NanRule::Canonical => canonical,
        NanRule::Propagate => propagated(d, format, &canonical, operands),
        NanRule::Generic => {
            let (sign, fraction) = (d.choose(1), d.choose(format.fraction_bits()));
            let fraction = payload(d, format, &fraction, operands);
            let exponent = d.literal(-1, format.exponent_bits());
            let magnitude = d.concat(&exponent, &fraction);
            d.concat(&sign, &magnitude)
        }
    }
}

/// The fraction with the quiet bit set.
fn quieted<D: Domain + ?Sized>(d: &mut D, fraction: &D::Bits) -> D::Bits {
    let quiet = d.constant(Bits::signed_min(d.width(fraction)));
    d.or(fraction, &quiet)
}

fn propagated<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    canonical: &D::Bits,
    operands: &[NanOperand<D>],
) -> D::Bits {
    let exponent = d.literal(-1, format.exponent_bits());
    let mut result = canonical.clone();
    // The last that applies wins, so the first to look at comes last.
    for is_signaling in [false, true] {
        for operand in operands.iter().rev() {
            let fraction = quieted(d, &operand.fraction);
            let magnitude = d.concat(&exponent, &fraction);
            let bits = signed(d, &operand.sign, &magnitude);
            let applies = if is_signaling { &operand.is_signaling } else { &operand.is_nan };
            result = d.ite(applies, &bits, &result);
        }
    }
    result
}

/// The fraction that is chosen, if it is one of the allowed, else that of the NaN without payload. The result shows the
/// allowed value and not the choice, so that the bits in which all allowed ones agree are known.
fn payload<D: Domain + ?Sized>(
    d: &mut D,
    format: FloatFormat,
    choice: &D::Bits,
    operands: &[NanOperand<D>],
) -> D::Bits {
    let plain = d.constant(Bits::signed_min(format.fraction_bits()));
    let mut result = plain.clone();
    for operand in operands {
        let unchanged = d.ite(&operand.is_nan, &operand.fraction, &plain);
        // A fraction of zero would be an infinity: a conversion may cut the payload off.
        let is_empty = d.is_zero(&unchanged);
        let unchanged = d.ite(&is_empty, &plain, &unchanged);
        let quieted = quieted(d, &unchanged);
        for allowed in [unchanged, quieted] {
            let is_chosen = d.eq(choice, &allowed);
            result = d.ite(&is_chosen, &allowed, &result);
        }
    }
    result
}

/// Where an operation is invalid for its operands' sake: one of them is signalling.
pub(super) fn any_signaling<D: Domain + ?Sized>(d: &mut D, operands: &[NanOperand<D>]) -> D::Bool {
    let signaling: Vec<&D::Bool> = operands.iter().map(|operand| &operand.is_signaling).collect();
    any(d, &signaling)
}

/// Where an operand is a NaN.
pub(super) fn any_nan<D: Domain + ?Sized>(d: &mut D, operands: &[NanOperand<D>]) -> D::Bool {
    let nans: Vec<&D::Bool> = operands.iter().map(|operand| &operand.is_nan).collect();
    any(d, &nans)
}
