//! Floating-point constants: a format and its bits.

use crate::bits::Bits;
use crate::entities::WideConst;
use crate::function::Function;
use crate::operand::Operand;

/// A floating-point constant, `double 1.0`. Its bits are in the function's table of constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatConstant {
    /// The format.
    pub format: FloatFormat,
    /// Its bits, as many as the format has.
    pub bits: WideConst,
}

/// LLVM's floating-point types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatFormat {
    /// IEEE 754 binary16.
    Half,
    /// The high half of a `float`.
    BFloat,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// IEEE 754 binary128.
    Fp128,
}

impl FloatFormat {
    /// Every format.
    pub const ALL: [FloatFormat; 5] =
        [FloatFormat::Half, FloatFormat::BFloat, FloatFormat::Float, FloatFormat::Double, FloatFormat::Fp128];

    /// LLVM's word: `half`, `fp128`.
    pub const fn name(self) -> &'static str {
        match self {
            FloatFormat::Half => "half",
            FloatFormat::BFloat => "bfloat",
            FloatFormat::Float => "float",
            FloatFormat::Double => "double",
            FloatFormat::Fp128 => "fp128",
        }
    }

    /// The format of LLVM's word.
    pub fn from_name(name: &str) -> Option<FloatFormat> {
        FloatFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Its width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            FloatFormat::Half | FloatFormat::BFloat => 16,
            FloatFormat::Float => 32,
            FloatFormat::Double => 64,
            FloatFormat::Fp128 => 128,
        }
    }
}

impl Function {
    /// The operand for a floating-point constant by its bits, of which it has as many as the format.
    pub fn float(&mut self, format: FloatFormat, bits: Bits) -> Operand {
        Operand::Float(FloatConstant { format, bits: self.wide.intern(&bits.zext_or_trunc(format.bits())) })
    }

    /// The bits of a floating-point constant.
    pub fn float_bits(&self, constant: FloatConstant) -> Option<Bits> {
        self.wide.get(constant.bits).copied()
    }
}
