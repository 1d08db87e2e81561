//! Constants: initialisers of globals, and operands of the instructions of a function.
//!
//! Invariant: a constant of the parser fits its type, as far as that is known where it stands, and it is nested at most
//! [`DEEPEST`] deep: code may walk it recursively.

use crate::module::SymbolId;
use crate::name::Name;
use crate::types::TypeId;
use bitflags::bitflags;
use num_bigint::{BigInt, Sign};

/// Constants and types within one another, at most.
pub const DEEPEST: u32 = 192;

/// A constant with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: TypeId,
    /// Its value.
    pub kind: ConstantKind,
}

/// The values of constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstantKind {
    /// An integer, `true` or `false`.
    Integer(Integer),
    /// The bits of a floating-point number: of `ppc_fp128`, the double that stands first in memory is the lower half.
    Float(u128),
    /// `null`
    Null,
    /// `none`, of type `token`.
    None,
    /// `undef`
    Undef,
    /// `poison`
    Poison,
    /// `zeroinitializer`
    Zero,
    /// The parts of an array, a struct or a vector.
    Aggregate(Box<[Constant]>),
    /// A vector of equal elements.
    Splat(Box<Constant>),
    /// `c"..."`, escapes decoded.
    Bytes(Box<[u8]>),
    /// The address of a global, a function, an alias.
    Symbol(SymbolId),
    /// `blockaddress(@f, %b)`
    BlockAddress {
        /// The function.
        function: SymbolId,
        /// Its block.
        block: Name,
    },
    /// `dso_local_equivalent @f`
    DsoLocalEquivalent(SymbolId),
    /// `no_cfi @f`
    NoCfi(SymbolId),
    /// `ptrauth (pointer, key, discriminator, address, symbol)`, with as many operands as are given.
    PointerAuthentication(Box<[Constant]>),
    /// A constant expression.
    Expression(Box<Expression>),
}

/// An integer of a width.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Integer {
    bits: u32,
    /// As a signed number: -2^(bits-1) to 2^(bits-1)-1.
    value: BigInt,
}

impl Integer {
    /// The value modulo 2^`bits`; `bits` is at least 1.
    pub fn new(bits: u32, value: BigInt) -> Integer {
        // Few bits whatever the width: `-1` of a million bits takes a word.
        if value.bits() < u64::from(bits) {
            return Integer { bits, value };
        }
        let modulus = BigInt::from(1) << bits;
        let remainder = ((value % &modulus) + &modulus) % &modulus;
        let negative = remainder.bits() == u64::from(bits);
        Integer { bits, value: if negative { remainder - modulus } else { remainder } }
    }

    /// The width.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number, taken as signed.
    pub fn signed(&self) -> &BigInt {
        &self.value
    }

    /// The number, taken as signed, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(&self.value).ok()
    }

    /// The number, taken as unsigned, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.bits {
            0..64 => self.to_i64().map(|value| value as u64 & ((1 << self.bits) - 1)),
            64 => self.to_i64().map(|value| value as u64),
            _ => u64::try_from(&self.value).ok(),
        }
    }

    /// Bytes of the number, taken as unsigned, the least significant first, `length` of them.
    pub fn bytes(&self, length: usize) -> Vec<u8> {
        let mut bytes = self.value.to_signed_bytes_le();
        let fill = if self.value.sign() == Sign::Minus { 0xff } else { 0 };
        bytes.resize((self.bits as usize).div_ceil(8), fill);
        if let (Some(last), 1..) = (bytes.last_mut(), self.bits % 8) {
            *last &= (1 << (self.bits % 8)) - 1;
        }
        bytes.resize(length, 0);
        bytes
    }
}

/// A constant expression; its type is that of the constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// `trunc (T x to U)` and its like.
    Cast {
        /// The conversion.
        op: CastOp,
        /// x
        operand: Constant,
    },
    /// `add (T x, T y)` and its like.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// `nuw`, `nsw`
        flags: ExpressionFlags,
        /// x and y
        operands: [Constant; 2],
    },
    /// `getelementptr`
    ElementPointer {
        /// `inbounds`, `nusw`, `nuw`
        flags: ExpressionFlags,
        /// `inrange(from, to)`: offsets from the result that may be accessed, in bytes.
        in_range: Option<(Integer, Integer)>,
        /// The type that the first index strides over.
        source: TypeId,
        /// The address.
        base: Constant,
        /// At least one.
        indices: Box<[Constant]>,
    },
    /// `extractelement`, `insertelement` or `shufflevector`.
    Vector {
        /// The operation.
        op: VectorOp,
        /// In their order.
        operands: Box<[Constant]>,
    },
}

impl Expression {
    /// The word of the operation.
    pub fn keyword(&self) -> &'static str {
        match self {
            Expression::Cast { op, .. } => op.keyword(),
            Expression::Binary { op, .. } => op.keyword(),
            Expression::ElementPointer { .. } => "getelementptr",
            Expression::Vector { op, .. } => op.keyword(),
        }
    }
}

bitflags! {
    /// Words after an operation.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct ExpressionFlags: u8 {
        /// `nuw`: no unsigned wrap.
        const NUW = 1;
        /// `nsw`: no signed wrap.
        const NSW = 2;
        /// `nusw`: no wrap of an address and a signed offset.
        const NUSW = 4;
        /// `inbounds`: the address stays within its object.
        const INBOUNDS = 8;
    }
}

impl ExpressionFlags {
    /// Words and their flags.
    pub(crate) const WORDS: [(&'static str, ExpressionFlags); 4] = [
        ("nuw", ExpressionFlags::NUW),
        ("nsw", ExpressionFlags::NSW),
        ("nusw", ExpressionFlags::NUSW),
        ("inbounds", ExpressionFlags::INBOUNDS),
    ];
}

crate::keywords::keywords! {
    /// Conversions of constants.
    pub enum CastOp {
        /// The lower bits.
        Trunc = "trunc",
        /// An address as an integer.
        PtrToInt = "ptrtoint",
        /// The address of a pointer, without its other state.
        PtrToAddr = "ptrtoaddr",
        /// An integer as an address.
        IntToPtr = "inttoptr",
        /// The same bits.
        BitCast = "bitcast",
        /// A pointer of another address space.
        AddrSpaceCast = "addrspacecast",
    }
}

crate::keywords::keywords! {
    /// Operations on two constants.
    pub enum BinaryOp {
        /// The sum.
        Add = "add",
        /// The difference.
        Sub = "sub",
        /// Bitwise exclusive or.
        Xor = "xor",
    }
}

crate::keywords::keywords! {
    /// Operations on vectors of constants.
    pub enum VectorOp {
        /// One element.
        Extract = "extractelement",
        /// The vector with one element replaced.
        Insert = "insertelement",
        /// Elements of two vectors by a mask.
        Shuffle = "shufflevector",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_taken_modulo_their_width() {
        for (bits, value, signed, unsigned) in
            [(8, 255, -1, 255), (8, -129, 127, 127), (8, -128, -128, 128), (1, 1, -1, 1), (64, -1, -1, u64::MAX)]
        {
            let integer = Integer::new(bits, BigInt::from(value));
            assert_eq!((integer.to_i64(), integer.to_u64()), (Some(signed), Some(unsigned)), "i{bits} {value}");
        }
    }

    #[test]
    fn bytes_hold_the_number_and_zeros_above_it() {
        assert_eq!(Integer::new(9, BigInt::from(-1)).bytes(4), [0xff, 1, 0, 0]);
        assert_eq!(Integer::new(8, BigInt::from(-2)).bytes(1), [0xfe]);
        assert_eq!(Integer::new(24, BigInt::from(0x01_0203)).bytes(4), [3, 2, 1, 0]);
    }
}
