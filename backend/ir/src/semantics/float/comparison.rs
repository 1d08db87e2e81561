//! Order, extrema and classes: by bits alone.

use super::nan::{NanOperand, any_nan, any_signaling, nan_of};
use super::parts::FloatParts;
use super::{FloatFlag, FloatResult, FloatRules, all, any, flags};
use crate::float::FloatFormat;
use crate::predicate::FloatPredicate;
use crate::semantics::Domain;

/// The outcome of a comparison: one of the four relations holds.
#[derive(Debug)]
pub struct Comparison<D: Domain + ?Sized> {
    /// Equal numbers; the zeros are.
    pub equal: D::Bool,
    /// The first is greater.
    pub greater: D::Bool,
    /// The first is less.
    pub less: D::Bool,
    /// An operand is a NaN.
    pub unordered: D::Bool,
    /// An operand is a signalling NaN: quiet comparisons are invalid then, and others wherever it is unordered.
    pub is_signaling: D::Bool,
}

impl<D: Domain + ?Sized> Comparison<D> {
    /// Where the predicate holds: its number has a bit for each relation.
    pub fn holds(&self, d: &mut D, predicate: FloatPredicate) -> D::Bool {
        let relations = [&self.equal, &self.greater, &self.less, &self.unordered];
        let wanted: Vec<&D::Bool> = (0..)
            .zip(relations)
            .filter(|(bit, _)| predicate as u8 >> bit & 1 == 1)
            .map(|(_, relation)| relation)
            .collect();
        match wanted.len() {
            4 => d.boolean(true),
            _ => any(d, &wanted),
        }
    }
}

/// Compares two numbers.
pub fn compare<D: Domain + ?Sized>(d: &mut D, format: FloatFormat, a: &D::Bits, b: &D::Bits) -> Comparison<D> {
    let (x, y) = (FloatParts::of(d, format, a), FloatParts::of(d, format, b));
    let unordered = d.bool_or(&x.is_nan, &y.is_nan);
    let (ordered, zeros) = (d.bool_not(&unordered), d.bool_and(&x.is_zero, &y.is_zero));
    let same = d.eq(a, b);
    let same = d.bool_or(&same, &zeros);
    let differs = d.bool_not(&same);
    let below = is_below(d, &x, &y);
    let above = d.bool_not(&below);
    let (x_signals, y_signals) = (x.is_signaling(d), y.is_signaling(d));
    Comparison {
        equal: d.bool_and(&ordered, &same),
        less: all(d, &[&ordered, &differs, &below]),
        greater: all(d, &[&ordered, &differs, &above]),
        unordered,
        is_signaling: d.bool_or(&x_signals, &y_signals),
    }
}

/// True where the first number is less; negative zero is less than positive zero.
fn is_below<D: Domain + ?Sized>(d: &mut D, x: &FloatParts<D>, y: &FloatParts<D>) -> D::Bool {
    let (x_magnitude, y_magnitude) = (x.magnitude(d), y.magnitude(d));
    let (upward, downward) = (d.ult(&x_magnitude, &y_magnitude), d.ult(&y_magnitude, &x_magnitude));
    let differ = super::differ(d, &x.sign, &y.sign);
    let alike = d.bool_ite(&x.sign, &downward, &upward);
    d.bool_ite(&differ, &x.sign, &alike)
}

/// The lesser or greater of two numbers. Negative zero is less than positive zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extremum {
    /// IEEE 754-2019's minimum: a NaN if one operand is.
    Minimum,
    /// Its maximum.
    Maximum,
    /// IEEE 754-2019's minimumNumber: a NaN if both operands are.
    MinimumNumber,
    /// Its maximumNumber.
    MaximumNumber,
    /// IEEE 754-2008's minNum: a NaN if both operands are, or one is signalling.
    MinNum,
    /// Its maxNum.
    MaxNum,
}

/// The lesser or greater number.
pub fn extremum<D: Domain + ?Sized>(
    d: &mut D,
    rules: &FloatRules<D>,
    (format, extremum): (FloatFormat, Extremum),
    a: &D::Bits,
    b: &D::Bits,
) -> FloatResult<D::Bits> {
    let (x, y) = (FloatParts::of(d, format, a), FloatParts::of(d, format, b));
    let below = is_below(d, &x, &y);
    let (least, greatest) = (d.ite(&below, a, b), d.ite(&below, b, a));
    let operands = [NanOperand::of(d, &x, format), NanOperand::of(d, &y, format)];
    let (nan, any_nan, invalid) =
        (nan_of(d, rules.nan, format, &operands), any_nan(d, &operands), any_signaling(d, &operands));
    let both_nan = d.bool_and(&x.is_nan, &y.is_nan);
    let (number, is_nan) = match extremum {
        Extremum::Minimum => (least, any_nan),
        Extremum::Maximum => (greatest, any_nan),
        Extremum::MinimumNumber => (least, both_nan),
        Extremum::MaximumNumber => (greatest, both_nan),
        Extremum::MinNum => (least, d.bool_or(&both_nan, &invalid)),
        Extremum::MaxNum => (greatest, d.bool_or(&both_nan, &invalid)),
    };
    // The operand that is a number.
    let number = d.ite(&x.is_nan, b, &number);
    let number = d.ite(&y.is_nan, a, &number);
    FloatResult { bits: d.ite(&is_nan, &nan, &number), flags: flags(d, &[(FloatFlag::Invalid, &invalid)]) }
}

/// The classes of numbers, of which each number is in one.
#[derive(Debug)]
pub struct FloatClasses<D: Domain + ?Sized> {
    /// By the bits of LLVM's `FPClassTest`: signalling and quiet NaN; from negative infinity up: infinite, normal,
    /// subnormal, zero, and the same again.
    pub each: [D::Bool; 10],
}

/// The class of a number.
pub fn classify<D: Domain + ?Sized>(d: &mut D, format: FloatFormat, a: &D::Bits) -> FloatClasses<D> {
    let x = FloatParts::of(d, format, a);
    let (signaling, subnormal, finite) = (x.is_signaling(d), x.is_subnormal(d), x.is_finite(d));
    let is_high = d.bool_not(&x.is_low);
    let normal = d.bool_and(&finite, &is_high);
    let loud = d.bool_not(&signaling);
    let quiet = d.bool_and(&x.is_nan, &loud);
    let positive = d.bool_not(&x.sign);
    let kinds = [&x.is_infinite, &normal, &subnormal, &x.is_zero];
    let negative = kinds.map(|kind| d.bool_and(kind, &x.sign));
    let [infinite, normal, subnormal, zero] = kinds.map(|kind| d.bool_and(kind, &positive));
    let [negative_infinite, negative_normal, negative_subnormal, negative_zero] = negative;
    FloatClasses {
        each: [
            signaling,
            quiet,
            negative_infinite,
            negative_normal,
            negative_subnormal,
            negative_zero,
            zero,
            subnormal,
            normal,
            infinite,
        ],
    }
}

impl<D: Domain + ?Sized> FloatClasses<D> {
    /// Where the number is in one of the classes whose bits are set.
    pub fn is_in(&self, d: &mut D, mask: u32) -> D::Bool {
        let classes: Vec<&D::Bool> =
            (0..).zip(&self.each).filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, class)| class).collect();
        any(d, &classes)
    }
}
