//! Low-level types (LLVM's `LLT`): a size and a kind, nothing about signedness or floating point.

use std::fmt;

/// The type of a generic virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `sN`, N in bits, at least 1.
    Scalar { bits: u16 },
    /// `pA`; its size in bits comes from the target's data layout.
    Pointer { address_space: u8, bits: u16 },
    /// `<lanes x element>`, or `<vscale x lanes x element>`. Parsed and printed; nothing else supports it yet.
    Vector { lanes: u16, scalable: bool, element: Element },
}

/// The element of a vector: a scalar or a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Scalar { bits: u16 },
    Pointer { address_space: u8, bits: u16 },
}

pub const S1: Type = Type::scalar(1);
pub const S8: Type = Type::scalar(8);
pub const S16: Type = Type::scalar(16);
pub const S32: Type = Type::scalar(32);
pub const S64: Type = Type::scalar(64);
pub const S128: Type = Type::scalar(128);
/// A pointer of a 64-bit target in address space 0.
pub const P0: Type = Type::Pointer { address_space: 0, bits: 64 };

impl Type {
    pub const fn scalar(bits: u32) -> Type {
        assert!(bits >= 1 && bits <= u16::MAX as u32);
        Type::Scalar { bits: bits as u16 }
    }

    /// Total size in bits; for a scalable vector, of its minimum.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Scalar { bits } | Type::Pointer { bits, .. } => bits as u32,
            Type::Vector { lanes, element, .. } => lanes as u32 * element.as_type().bits(),
        }
    }

    /// Size in memory: bits rounded up to whole bytes.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub const fn is_scalar(self) -> bool {
        matches!(self, Type::Scalar { .. })
    }

    pub const fn is_pointer(self) -> bool {
        matches!(self, Type::Pointer { .. })
    }

    pub const fn is_vector(self) -> bool {
        matches!(self, Type::Vector { .. })
    }
}

impl Element {
    pub const fn as_type(self) -> Type {
        match self {
            Element::Scalar { bits } => Type::Scalar { bits },
            Element::Pointer { address_space, bits } => Type::Pointer { address_space, bits },
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Type::Scalar { bits } => write!(f, "s{bits}"),
            Type::Pointer { address_space, .. } => write!(f, "p{address_space}"),
            Type::Vector { lanes, scalable, element } => {
                let vscale = if scalable { "vscale x " } else { "" };
                write!(f, "<{vscale}{lanes} x {}>", element.as_type())
            }
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
