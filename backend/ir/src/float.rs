//! Floating-point constants: a format and its bits.

use crate::bits::Bits;
use crate::entities::WideConst;
use crate::function::Function;
use crate::opcode::{Opcode, TypeClass};
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

    /// The format of scalars of so many bits: a type tells no `half` from a `bfloat`, and is the former.
    pub const fn of_width(bits: u32) -> Option<FloatFormat> {
        Some(match bits {
            16 => FloatFormat::Half,
            32 => FloatFormat::Float,
            64 => FloatFormat::Double,
            128 => FloatFormat::Fp128,
            _ => return None,
        })
    }

    /// The width of its exponent, in bits.
    pub const fn exponent_bits(self) -> u32 {
        match self {
            FloatFormat::Half => 5,
            FloatFormat::BFloat | FloatFormat::Float => 8,
            FloatFormat::Double => 11,
            FloatFormat::Fp128 => 15,
        }
    }

    /// The width of its significand without the leading bit.
    pub const fn fraction_bits(self) -> u32 {
        self.bits() - self.exponent_bits() - 1
    }

    /// The width of its significand with the leading bit, which it does not store.
    pub const fn precision(self) -> u32 {
        self.fraction_bits() + 1
    }

    /// The exponent field of 1.0.
    pub const fn bias(self) -> i64 {
        (1 << (self.exponent_bits() - 1)) - 1
    }
}

impl Opcode {
    /// True if operand `index` of this generic operation is a number of floating point. Operations that move values of
    /// any kind, such as loads, say nothing.
    pub fn is_float_operand(self, index: usize) -> bool {
        let kind = self.info().and_then(|info| info.operands().nth(index));
        let is_float = kind.is_some_and(|kind| kind.type_class() == Some(TypeClass::Float));
        is_float || self == Opcode::G_FCONSTANT && index == 0
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
