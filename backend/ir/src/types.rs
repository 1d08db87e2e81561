//! Low-level types (LLVM's `LLT`): a size and a kind, nothing about signedness or floating point.

use std::fmt;

/// The type of a generic virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `sN`, N in bits, at least 1.
    Scalar {
        /// In bits, at least 1.
        bits: u16,
    },
    /// `pA`; its size in bits comes from the target's data layout.
    Pointer {
        /// LLVM's number of the address space.
        address_space: u8,
        /// In bits.
        bits: u16,
    },
    /// `<lanes x element>`, or `<vscale x lanes x element>`. Parsed and printed; nothing else supports it yet.
    Vector {
        /// The number of elements, at least 1; of a scalable vector, for each `vscale`.
        lanes: u16,
        /// True if the number is a multiple of `vscale`.
        scalable: bool,
        /// The type of each element.
        element: Element,
    },
}

/// The element of a vector: a scalar or a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// `sN`.
    Scalar {
        /// In bits, at least 1.
        bits: u16,
    },
    /// `pA`.
    Pointer {
        /// LLVM's number of the address space.
        address_space: u8,
        /// In bits.
        bits: u16,
    },
}

/// The number of elements of a vector: `lanes`, or `lanes` times a number that only the machine knows (`vscale`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ElementCount {
    /// The number of elements, at least 1; of a scalable vector, for each `vscale`.
    pub lanes: u16,
    /// True if the number is a multiple of `vscale`.
    pub scalable: bool,
}

impl ElementCount {
    /// Exactly so many elements.
    pub const fn fixed(lanes: u16) -> ElementCount {
        ElementCount { lanes, scalable: false }
    }
}

/// `s1`.
pub const S1: Type = Type::scalar(1);
/// `s8`.
pub const S8: Type = Type::scalar(8);
/// `s16`.
pub const S16: Type = Type::scalar(16);
/// `s32`.
pub const S32: Type = Type::scalar(32);
/// `s64`.
pub const S64: Type = Type::scalar(64);
/// `s128`.
pub const S128: Type = Type::scalar(128);
/// A pointer of a 64-bit target in address space 0.
pub const P0: Type = Type::Pointer { address_space: 0, bits: 64 };

impl Type {
    /// `s` with this width in bits, from 1 to 65,535.
    pub const fn scalar(bits: u32) -> Type {
        assert!(bits >= 1 && bits <= u16::MAX as u32);
        Type::Scalar { bits: bits as u16 }
    }

    /// A scalar of `bits` bits; `None` if there is none of that width.
    pub fn scalar_of(bits: u32) -> Option<Type> {
        u16::try_from(bits).ok().filter(|&bits| bits > 0).map(|bits| Type::Scalar { bits })
    }

    /// A vector of `count` elements of this type; the type itself if that is one; `None` for vectors of vectors or of
    /// nothing.
    pub const fn times(self, count: ElementCount) -> Option<Type> {
        let ElementCount { lanes, scalable } = count;
        let element = match self {
            _ if lanes == 1 && !scalable => return Some(self),
            Type::Scalar { bits } => Element::Scalar { bits },
            Type::Pointer { address_space, bits } => Element::Pointer { address_space, bits },
            Type::Vector { .. } => return None,
        };
        if lanes == 0 { None } else { Some(Type::Vector { lanes, scalable, element }) }
    }

    /// Of a vector; `None` for anything else.
    pub const fn element_count(self) -> Option<ElementCount> {
        match self {
            Type::Vector { lanes, scalable, .. } => Some(ElementCount { lanes, scalable }),
            Type::Scalar { .. } | Type::Pointer { .. } => None,
        }
    }

    /// The type of a vector's elements; of anything else, the type itself.
    pub const fn scalar_type(self) -> Type {
        match self {
            Type::Vector { element, .. } => element.as_type(),
            Type::Scalar { .. } | Type::Pointer { .. } => self,
        }
    }

    /// As many elements, of another type; `None` if `element` is a vector.
    pub fn with_scalar_type(self, element: Type) -> Option<Type> {
        let count = self.element_count().unwrap_or(ElementCount::fixed(1));
        if element.is_vector() { None } else { element.times(count) }
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

    /// True for `sN`.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Type::Scalar { .. })
    }

    /// True for `pA`.
    pub const fn is_pointer(self) -> bool {
        matches!(self, Type::Pointer { .. })
    }

    /// True for vectors, scalable ones among them.
    pub const fn is_vector(self) -> bool {
        matches!(self, Type::Vector { .. })
    }
}

impl Element {
    /// The type of one element.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_elements_times_a_count() {
        let four = S32.times(ElementCount::fixed(4)).unwrap();
        assert_eq!(four.to_string(), "<4 x s32>");
        assert_eq!((four.element_count(), four.scalar_type()), (Some(ElementCount::fixed(4)), S32));
        assert_eq!(four.with_scalar_type(P0).map(|ty| ty.to_string()).as_deref(), Some("<4 x p0>"));
        assert_eq!(S32.times(ElementCount::fixed(1)), Some(S32));
        let scalable = S32.times(ElementCount { lanes: 1, scalable: true }).unwrap();
        assert_eq!(scalable.to_string(), "<vscale x 1 x s32>");
        for none in [four.times(ElementCount::fixed(2)), S32.times(ElementCount::fixed(0)), S32.with_scalar_type(four)]
        {
            assert_eq!(none, None);
        }
        assert_eq!((Type::scalar_of(0), Type::scalar_of(1 << 16), Type::scalar_of(8)), (None, None, Some(S8)));
    }
}
