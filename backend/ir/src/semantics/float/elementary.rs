//! Elementary functions. No standard says their last digits, so each is an unknown function of its operands: the prover
//! has no more. Executions need numbers, and both sides of one get them from here: the function of `libm` in double
//! precision, rounded to the format.
//!
//! Sources: LLVM's LangRef, "Standard C/C++ Library Intrinsics": the result is that of the C library's function.

use super::arithmetic::is_nan;
use super::nan::{NanOperand, nan_of};
use super::parts::FloatParts;
use super::{FloatRules, NanRule, RoundedOperation, RoundingMode, canonical_nan, extend, truncate};
use crate::bits::Bits;
use crate::float::FloatFormat;
use crate::opcode::Opcode;
use crate::semantics::{Domain, Number, Word, Words};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// An elementary function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ElementaryFunction {
    /// Two numbers: the first to the power of the second.
    Pow,
    /// A number, and a signed integer of [`ElementaryFunction::POWER_BITS`] bits, to which it is raised.
    PowI,
    /// The exponential functions, of the bases e, 2 and 10.
    Exp,
    /// To the base 2.
    Exp2,
    /// To the base 10.
    Exp10,
    /// The logarithms, to the bases e, 2 and 10.
    Log,
    /// To the base 2.
    Log2,
    /// To the base 10.
    Log10,
    /// Of an angle in radians.
    Cos,
    /// Of an angle in radians.
    Sin,
    /// Of an angle in radians.
    Tan,
    /// An angle in radians.
    Acos,
    /// An angle in radians.
    Asin,
    /// An angle in radians.
    Atan,
    /// Two numbers: the angle of the point with the second as its abscissa and the first as its ordinate.
    Atan2,
    /// Hyperbolic.
    Cosh,
    /// Hyperbolic.
    Sinh,
    /// Hyperbolic.
    Tanh,
}

impl ElementaryFunction {
    /// The width of the power that is an integer. Wider ones have no meaning.
    pub const POWER_BITS: u32 = 128;

    /// The function that the opcode computes.
    pub fn of(opcode: Opcode) -> Option<ElementaryFunction> {
        use ElementaryFunction::*;
        use Opcode::*;
        Some(match opcode {
            G_FPOW => Pow,
            G_FPOWI => PowI,
            G_FEXP => Exp,
            G_FEXP2 => Exp2,
            G_FEXP10 => Exp10,
            G_FLOG => Log,
            G_FLOG2 => Log2,
            G_FLOG10 => Log10,
            G_FCOS => Cos,
            G_FSIN => Sin,
            G_FTAN => Tan,
            G_FACOS => Acos,
            G_FASIN => Asin,
            G_FATAN => Atan,
            G_FATAN2 => Atan2,
            G_FCOSH => Cosh,
            G_FSINH => Sinh,
            G_FTANH => Tanh,
            _ => return None,
        })
    }

    /// The function on numbers in double precision.
    fn of_doubles(self, a: f64, b: f64) -> f64 {
        use ElementaryFunction::*;
        match self {
            Pow | PowI => libm::pow(a, b),
            Exp => libm::exp(a),
            Exp2 => libm::exp2(a),
            Exp10 => libm::exp10(a),
            Log => libm::log(a),
            Log2 => libm::log2(a),
            Log10 => libm::log10(a),
            Cos => libm::cos(a),
            Sin => libm::sin(a),
            Tan => libm::tan(a),
            Acos => libm::acos(a),
            Asin => libm::asin(a),
            Atan => libm::atan(a),
            Atan2 => libm::atan2(a, b),
            Cosh => libm::cosh(a),
            Sinh => libm::sinh(a),
            Tanh => libm::tanh(a),
        }
    }
}

/// The function, of numbers of one format. Half precision has no functions of its own: it goes by way of single
/// precision, as every library is called. The NaN that a result is may be any that LangRef allows.
pub(super) fn elementary<D: Domain>(
    d: &mut D,
    function: ElementaryFunction,
    format: FloatFormat,
    args: &[&D::Bits],
) -> D::Bits {
    let rules = FloatRules::generic(d);
    let is_number = |index: usize| index == 0 || function != ElementaryFunction::PowI;
    if format == FloatFormat::Half {
        let formats = (format, FloatFormat::Float);
        let args: SmallVec<[D::Bits; 2]> = (0..)
            .zip(args)
            .map(|(index, &arg)| if is_number(index) { extend(d, &rules, formats, arg).bits } else { arg.clone() })
            .collect();
        let result = elementary(d, function, FloatFormat::Float, &args.iter().collect::<SmallVec<[&D::Bits; 2]>>());
        return truncate(d, &rules, (FloatFormat::Float, format), &result).bits;
    }
    let mut operands: SmallVec<[D::Bits; 4]> = smallvec![rules.mode.clone()];
    let mut nans: SmallVec<[NanOperand<D>; 2]> = smallvec![];
    for (index, &arg) in args.iter().enumerate() {
        operands.push(match is_number(index) {
            true => {
                // The function sees that an operand is a NaN, and not which.
                let (parts, nan) = (FloatParts::of(d, format, arg), d.constant(canonical_nan(format)));
                nans.push(NanOperand::of(d, &parts, format));
                d.ite(&parts.is_nan, &nan, arg)
            }
            false => arg.clone(),
        });
    }
    let result = d.rounded(RoundedOperation::Elementary(function, format), &operands).bits;
    let (is_nan, nan) = (is_nan(d, format, &result), nan_of(d, rules.nan, format, &nans));
    d.ite(&is_nan, &nan, &result)
}

/// The number of an execution, of the operands of [`Domain::rounded`].
pub(in crate::semantics) fn on_words(
    d: &mut Words,
    function: ElementaryFunction,
    format: FloatFormat,
    args: &[Word],
) -> Word {
    let rules = FloatRules::new(d, NanRule::Canonical, RoundingMode::NearestEven);
    let mut double = |index: usize| match args.get(1 + index) {
        None => 0.0,
        Some(power) if index == 1 && function == ElementaryFunction::PowI => power.bits().signed() as f64,
        Some(number) => f64::from_bits(converted(d, &rules, (format, FloatFormat::Double), number).bits().low_u64()),
    };
    let result = function.of_doubles(double(0), double(1)).to_bits();
    let result = d.constant(Bits::new(result.into(), FloatFormat::Double.bits()));
    converted(d, &rules, (FloatFormat::Double, format), &result)
}

fn converted(d: &mut Words, rules: &FloatRules<Words>, formats: (FloatFormat, FloatFormat), number: &Word) -> Word {
    match formats.0.bits().cmp(&formats.1.bits()) {
        Ordering::Less => extend(d, rules, formats, number).bits,
        Ordering::Equal => *number,
        Ordering::Greater => truncate(d, rules, formats, number).bits,
    }
}
