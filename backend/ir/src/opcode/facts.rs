//! The vocabulary of the opcode table's rows: operands, type rules, ranges of immediates, undefined behaviour, poison.
//!
//! Invariant: a fact is stated once, in a row, and checked once, here. The machine verifier, the semantics, the
//! catalogue and the fuzzer's mutations all ask [`TypeRule::holds`] and [`Immediate::range`], so they cannot disagree.

use crate::types::Type;
use bitflags::bitflags;
use std::ops::RangeInclusive;

/// The types of an instruction by type index; `None` where the opcode has no such index, or where the type is not
/// known.
pub type IndexTypes = [Option<Type>; 3];

/// The class of types that a register operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeClass {
    /// A scalar, a pointer, or a vector of either.
    Any,
    /// A scalar or a vector of scalars.
    Number,
    /// The same, read as floating point. A width that is no format's has no meaning, and the type is none the less
    /// right.
    Float,
    /// A pointer or a vector of pointers.
    Pointer,
    /// One pointer.
    Address,
    /// One scalar or one pointer.
    Single,
    /// One scalar.
    Scalar,
    /// A vector.
    Vector,
    /// One scalar as wide as a pointer of the target, which numbers elements.
    Index,
}

impl TypeClass {
    /// True if a register of this type may stand there.
    pub const fn takes(self, ty: Type) -> bool {
        let (vector, pointer) = (ty.is_vector(), ty.scalar_type().is_pointer());
        match self {
            TypeClass::Any => true,
            TypeClass::Number | TypeClass::Float => !pointer,
            TypeClass::Pointer => pointer,
            TypeClass::Address => pointer && !vector,
            TypeClass::Single => !vector,
            TypeClass::Scalar | TypeClass::Index => !pointer && !vector,
            TypeClass::Vector => vector,
        }
    }

    /// In reports, with its article.
    pub const fn name(self) -> &'static str {
        match self {
            TypeClass::Any => "a type",
            TypeClass::Number | TypeClass::Float => "a number",
            TypeClass::Pointer | TypeClass::Address => "a pointer",
            TypeClass::Single => "a scalar or a pointer",
            TypeClass::Scalar => "a scalar",
            TypeClass::Vector => "a vector",
            TypeClass::Index => "a scalar as wide as a pointer",
        }
    }
}

/// The kind of one operand position of a generic instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// A virtual register of type index 0, 1 or 2.
    Register(TypeClass, u8),
    /// A plain immediate.
    IMM,
    /// The same, and legality may depend on it (`untyped_imm_0` in LLVM's GenericOpcodes.td).
    IMM0,
    /// A typed integer constant: `i32 5`.
    CONST,
    /// A floating-point constant: `float 1.0`.
    FCONST,
    /// `intpred(...)`.
    PRED,
    /// `floatpred(...)`.
    FPRED,
    /// A basic block.
    BLOCK,
    /// A stack object.
    FRAME,
    /// A global, block address, intrinsic or metadata reference.
    SYMBOL,
    /// A constant pool index.
    POOL,
    /// A jump table index.
    TABLE,
    /// A shuffle mask.
    MASK,
    /// A rule for the unwinder.
    CFI,
    /// Any number of further operands like the one before; of a PHI, of register and block pairs.
    MORE,
}

/// Registers as rows write them: a letter for the class, a digit for the type index.
macro_rules! registers {
    ($($class:ident: $($name:ident $index:literal),*;)*) => {
        impl OperandKind {
            $($(
                #[doc = concat!("Type index ", $index, ", ", stringify!($class), ".")]
                pub const $name: OperandKind = OperandKind::Register(TypeClass::$class, $index);
            )*)*
        }
    };
}

registers! {
    Any: T0 0, T1 1, T2 2;
    Number: N0 0, N1 1, N2 2;
    Float: F0 0, F1 1, F2 2;
    Pointer: P0 0, P1 1, P2 2;
    Address: A0 0, A1 1, A2 2;
    Single: S0 0, S1 1, S2 2;
    Scalar: I0 0, I1 1, I2 2;
    Vector: V0 0, V1 1, V2 2;
    Index: X0 0, X1 1, X2 2;
}

impl OperandKind {
    /// The type index of a register operand; `None` for every other kind.
    pub const fn type_index(self) -> Option<usize> {
        match self {
            OperandKind::Register(_, index) => Some(index as usize),
            _ => None,
        }
    }

    /// The class of a register operand; `None` for every other kind.
    pub const fn type_class(self) -> Option<TypeClass> {
        match self {
            OperandKind::Register(class, _) => Some(class),
            _ => None,
        }
    }

    /// True for a register that is a pointer, or a vector of pointers, and nothing else.
    pub const fn must_be_pointer(self) -> bool {
        matches!(self, OperandKind::Register(TypeClass::Pointer | TypeClass::Address, _))
    }

    /// True for a plain immediate.
    pub const fn is_immediate(self) -> bool {
        matches!(self, OperandKind::IMM | OperandKind::IMM0)
    }
}

/// A relation between the types of an instruction, by type index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRule {
    /// The elements of the first are wider than those of the second.
    Wider(u8, u8),
    /// The second fits into the first.
    Holds(u8, u8),
    /// The second fits into the first and is smaller; neither is scalable.
    Larger(u8, u8),
    /// Both have as many bits.
    SameSize(u8, u8),
    /// They differ, and both are pointers or neither is.
    Recast(u8, u8),
    /// All registers of the second together are the first.
    Parts(u8, u8),
    /// If the second is a vector, so is the first, and its elements are the second's. A vector of pointers has parts of
    /// other elements too.
    Slices(u8, u8),
    /// The elements of the first have the type of those of the second.
    SameElement(u8, u8),
    /// The second is a vector, and the first one of its elements.
    ElementOf(u8, u8),
    /// The elements of both have one type; or both are numbers, and those of the first are wider.
    Promotes(u8, u8),
    /// Both have as many elements.
    SameLanes(u8, u8),
    /// The first is no vector, or has as many elements as the second.
    Masks(u8, u8),
    /// Its size is a multiple of so many bits, element by element.
    Multiple(u8, u32),
    /// Its elements have so many bits at least.
    AtLeast(u8, u32),
    /// The repeated registers are as many as its elements.
    Elements(u8),
    /// It is no scalable vector.
    Fixed(u8),
    /// It is a scalable vector.
    Scalable(u8),
}

impl TypeRule {
    /// True if these types keep the rule, or if one that it mentions is not known. `parts` is the number of registers
    /// of the repeated index: `None` for any number from two on.
    pub fn holds(self, types: &IndexTypes, parts: Option<usize>) -> bool {
        let at = |index: u8| types.get(usize::from(index)).copied().flatten();
        let both = |one: u8, other: u8, holds: &dyn Fn(Type, Type) -> bool| match (at(one), at(other)) {
            (Some(one), Some(other)) => holds(one, other),
            _ => true,
        };
        // Sizes of which one alone is scalable do not compare.
        let sizes = |one: u8, other: u8, holds: &dyn Fn(u32, u32) -> bool| {
            both(one, other, &|one, other| is_scalable(one) == is_scalable(other) && holds(one.bits(), other.bits()))
        };
        match self {
            TypeRule::Wider(wide, narrow) => both(wide, narrow, &|wide, narrow| element(wide) > element(narrow)),
            TypeRule::Holds(whole, part) => sizes(whole, part, &|whole, part| whole >= part),
            TypeRule::Larger(whole, part) => both(whole, part, &|whole, part| {
                whole.bits() > part.bits() && !is_scalable(whole) && !is_scalable(part)
            }),
            TypeRule::SameSize(one, other) => sizes(one, other, &|one, other| one == other),
            TypeRule::Recast(one, other) => {
                both(one, other, &|one, other| one != other && one.is_pointer() == other.is_pointer())
            }
            TypeRule::Parts(whole, part) => sizes(whole, part, &|whole, part| match parts {
                Some(parts) => u64::from(whole) == parts as u64 * u64::from(part),
                None => whole > part && whole.is_multiple_of(part),
            }),
            TypeRule::Slices(whole, part) => both(whole, part, &|whole, part| {
                let of_whole = part.scalar_type() == whole.scalar_type() || whole.scalar_type().is_pointer();
                !part.is_vector() || (whole.is_vector() && of_whole)
            }),
            TypeRule::SameElement(one, other) => {
                both(one, other, &|one, other| one.scalar_type() == other.scalar_type())
            }
            TypeRule::ElementOf(one, vector) => {
                both(one, vector, &|one, vector| vector.is_vector() && one == vector.scalar_type())
            }
            TypeRule::Promotes(wide, narrow) => both(wide, narrow, &|wide, narrow| {
                let (wide, narrow) = (wide.scalar_type(), narrow.scalar_type());
                wide == narrow || (wide.is_scalar() && narrow.is_scalar() && wide.bits() > narrow.bits())
            }),
            TypeRule::SameLanes(one, other) => {
                both(one, other, &|one, other| one.element_count() == other.element_count())
            }
            TypeRule::Masks(mask, whole) => {
                both(mask, whole, &|mask, whole| !mask.is_vector() || mask.element_count() == whole.element_count())
            }
            TypeRule::Multiple(index, bits) => at(index).is_none_or(|ty| element(ty).is_multiple_of(bits)),
            TypeRule::AtLeast(index, bits) => at(index).is_none_or(|ty| element(ty) >= bits),
            TypeRule::Elements(index) => {
                at(index).is_none_or(|ty| !is_scalable(ty) && parts.is_none_or(|parts| lanes(ty) == parts as i64))
            }
            TypeRule::Fixed(index) => at(index).is_none_or(|ty| !is_scalable(ty)),
            TypeRule::Scalable(index) => at(index).is_none_or(is_scalable),
        }
    }
}

fn is_scalable(ty: Type) -> bool {
    matches!(ty, Type::Vector { scalable: true, .. })
}

/// Bits of an element, or of the whole where there are none.
fn element(ty: Type) -> u32 {
    ty.scalar_type().bits()
}

/// The values of an immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// Any number.
    Any,
    /// 0 or 1.
    Flag,
    /// Any number but 0.
    NonZero,
    /// From the first to the second, both included.
    Between(i64, i64),
    /// A width in bits, less than that of the type's elements.
    Narrower(u8),
    /// The place, in bits, of a value of the second type in one of the first.
    Offset(u8, u8),
    /// The first element, in a vector of the first type, of one of the second: a multiple of its length.
    Subvector(u8, u8),
    /// The binary point of an unsigned number of the type.
    Point(u8),
    /// The binary point of a signed number of the type.
    SignedPoint(u8),
    /// Of an address, in bytes: a power of two.
    Alignment,
}

impl Immediate {
    /// The least and the greatest value for these types; `None` where a type is not known.
    pub fn range(self, types: &IndexTypes) -> Option<RangeInclusive<i64>> {
        let at = |index: u8| types.get(usize::from(index)).copied().flatten();
        let bits = |index: u8| at(index).map(|ty| i64::from(ty.bits()));
        let element = |index: u8| at(index).map(|ty| i64::from(element(ty)));
        Some(match self {
            Immediate::Any | Immediate::NonZero => i64::MIN..=i64::MAX,
            Immediate::Flag => 0..=1,
            Immediate::Between(least, most) => least..=most,
            Immediate::Narrower(index) => 1..=element(index)? - 1,
            Immediate::Offset(whole, part) => 0..=bits(whole)? - bits(part)?,
            Immediate::Subvector(whole, part) => 0..=lanes(at(whole)?) - lanes(at(part)?),
            Immediate::Point(index) => 0..=element(index)?,
            Immediate::SignedPoint(index) => 0..=element(index)? - 1,
            Immediate::Alignment => 1..=i64::MAX,
        })
    }

    /// True if `value` may stand there; also where a type is not known.
    pub fn takes(self, types: &IndexTypes, value: i64) -> bool {
        let within = self.range(types).is_none_or(|range| range.contains(&value));
        within
            && match self {
                Immediate::NonZero => value != 0,
                Immediate::Alignment => value.count_ones() == 1,
                Immediate::Subvector(_, part) => {
                    types.get(usize::from(part)).copied().flatten().is_none_or(|part| value % lanes(part) == 0)
                }
                _ => true,
            }
    }
}

/// The number of elements; 1 for what is no vector.
fn lanes(ty: Type) -> i64 {
    ty.element_count().map_or(1, |count| i64::from(count.lanes))
}

/// The size of an access relative to the value that it moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessSize {
    /// Any size.
    Any,
    /// As large as the value.
    Whole,
    /// No larger than the value.
    Within,
    /// Smaller than the value.
    Below,
}

impl AccessSize {
    /// True if an access of `bits` bits goes with a value of `value` bits.
    pub const fn holds(self, bits: u32, value: u32) -> bool {
        match self {
            AccessSize::Any => true,
            AccessSize::Whole => bits == value,
            AccessSize::Within => bits <= value,
            AccessSize::Below => bits < value,
        }
    }

    /// True if an access of type `memory` goes with a value of this type. A pointer is accessed whole, and a vector
    /// whole or element by element.
    pub fn takes(self, memory: Type, value: Type) -> bool {
        let whole = memory.bits() == value.bits();
        let split = memory.element_count() == value.element_count() && !value.scalar_type().is_pointer();
        self == AccessSize::Any || (self.holds(memory.bits(), value.bits()) && (whole || split))
    }
}

/// The memory operands that an instruction requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accesses {
    /// Their number. Of two the first is stored to and the second loaded from.
    pub count: u8,
    /// The size of each.
    pub size: AccessSize,
}

bitflags! {
    /// The conditions under which executing the instruction is undefined behaviour; of a vector, if one holds of any
    /// lane.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Undefined: u8 {
        /// The divisor is zero or poison.
        const DIVISOR = 1 << 0;
        /// The least signed value is divided by -1.
        const QUOTIENT = 1 << 1;
        /// The address is poison, or not one that may be accessed so.
        const ADDRESS = 1 << 2;
        /// The condition is poison, or neither 0 nor 1.
        const CONDITION = 1 << 3;
        /// The operand is poison.
        const POISON = 1 << 4;
        /// It is executed at all.
        const ALWAYS = 1 << 5;
    }
}

bitflags! {
    /// The conditions under which the result is poison although no operand is and no flag promises anything; of a
    /// vector, lane by lane.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Poison: u8 {
        /// The amount of a shift reaches the width.
        const AMOUNT = 1 << 0;
        /// The operand is zero.
        const ZERO = 1 << 1;
        /// The bit field is empty or ends outside the value.
        const FIELD = 1 << 2;
        /// The opcode's assertion about its operand does not hold.
        const PROMISE = 1 << 3;
        /// A condition or a carry is neither 0 nor 1.
        const CONDITION = 1 << 4;
        /// The value read from memory is poison.
        const MEMORY = 1 << 5;
        /// An index is not below the number of elements.
        const INDEX = 1 << 6;
        /// The value does not fit the result.
        const RANGE = 1 << 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{ElementCount, P0, S8, S16, S32, S64};

    #[test]
    fn classes_take_what_they_are_named_for() {
        let four = S32.times(ElementCount::fixed(4)).unwrap();
        let pointers = P0.times(ElementCount::fixed(2)).unwrap();
        let taken = |class: TypeClass| [S32, P0, four, pointers].map(|ty| class.takes(ty));
        assert_eq!(taken(TypeClass::Any), [true; 4]);
        assert_eq!(taken(TypeClass::Number), [true, false, true, false]);
        assert_eq!(taken(TypeClass::Pointer), [false, true, false, true]);
        assert_eq!(taken(TypeClass::Address), [false, true, false, false]);
        assert_eq!(taken(TypeClass::Single), [true, true, false, false]);
        assert_eq!(taken(TypeClass::Scalar), [true, false, false, false]);
        assert_eq!(taken(TypeClass::Vector), [false, false, true, true]);
    }

    #[test]
    fn rules_hold_of_the_types_they_speak_of() {
        let of = |one, other| [Some(one), Some(other), None];
        let four = S32.times(ElementCount::fixed(4)).unwrap();
        let wide = S64.times(ElementCount::fixed(4)).unwrap();
        assert!(TypeRule::Wider(0, 1).holds(&of(S64, S32), None) && TypeRule::Wider(0, 1).holds(&of(wide, four), None));
        assert!(!TypeRule::Wider(0, 1).holds(&of(S32, S32), None) && !TypeRule::Wider(1, 0).holds(&of(S64, S32), None));
        assert!(TypeRule::Holds(0, 1).holds(&of(S32, S32), None) && !TypeRule::Holds(0, 1).holds(&of(S8, S16), None));
        assert!(
            TypeRule::SameSize(0, 1).holds(&of(P0, S64), None) && !TypeRule::SameSize(0, 1).holds(&of(P0, S32), None)
        );
        assert!(TypeRule::Recast(0, 1).holds(&of(four, Type::scalar(128)), None));
        assert!(
            !TypeRule::Recast(0, 1).holds(&of(P0, S64), None) && !TypeRule::Recast(0, 1).holds(&of(S64, S64), None)
        );
        assert!(
            TypeRule::Parts(0, 1).holds(&of(S64, S16), Some(4)) && TypeRule::Parts(0, 1).holds(&of(S64, S16), None)
        );
        assert!(
            !TypeRule::Parts(0, 1).holds(&of(S64, S16), Some(3)) && !TypeRule::Parts(0, 1).holds(&of(S64, S64), None)
        );
        assert!(TypeRule::SameElement(0, 1).holds(&of(four, S32), None));
        assert!(!TypeRule::SameElement(0, 1).holds(&of(four, wide), None));
        assert!(TypeRule::ElementOf(0, 1).holds(&of(S32, four), None));
        assert!(
            ![of(S32, S32), of(four, four), of(S64, four)].iter().any(|of| TypeRule::ElementOf(0, 1).holds(of, None))
        );
        assert!(
            TypeRule::SameLanes(0, 1).holds(&of(four, wide), None)
                && !TypeRule::SameLanes(0, 1).holds(&of(four, S64), None)
        );
        assert!(
            TypeRule::Multiple(0, 16).holds(&of(S64, S8), None) && !TypeRule::Multiple(0, 16).holds(&of(S8, S8), None)
        );
        assert!(
            TypeRule::AtLeast(1, 32).holds(&of(S8, S32), None) && !TypeRule::AtLeast(0, 32).holds(&of(S8, S32), None)
        );
        // An unknown type breaks no rule.
        assert!(TypeRule::Wider(0, 2).holds(&of(S8, S8), None) && TypeRule::AtLeast(2, 64).holds(&of(S8, S8), None));
    }

    #[test]
    fn immediates_follow_the_types() {
        let types = [Some(S32), Some(S8), None];
        assert_eq!(Immediate::Narrower(0).range(&types), Some(1..=31));
        assert_eq!(Immediate::Offset(0, 1).range(&types), Some(0..=24));
        assert_eq!(Immediate::Point(1).range(&types), Some(0..=8));
        assert_eq!(Immediate::SignedPoint(1).range(&types), Some(0..=7));
        assert_eq!(Immediate::Between(0, 3).range(&types), Some(0..=3));
        assert_eq!(Immediate::Narrower(2).range(&types), None);
    }
}
