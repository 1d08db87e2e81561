//! Predicates, the conditions of rules: LLVM's `LegalityPredicates`. A type index or memory operand that the query does
//! not have makes every predicate on it false.

use super::{LegalityQuery, MemDescr, TypePairAndMemDesc};
use tribunal_ir::types::Element;
use tribunal_ir::{AtomicOrdering, Type};

pub use super::extensions::{
    made_of_halves, made_of_smaller_parts, mem_narrower_than, mem_narrower_than_value, misaligned,
};

/// A condition on a query.
pub type Predicate = Box<dyn Fn(&LegalityQuery) -> bool + Send + Sync>;

/// A condition on the type at one index.
pub(super) fn on_type(index: usize, holds: impl Fn(Type) -> bool + Send + Sync + 'static) -> Predicate {
    Box::new(move |query| query.type_at(index).is_some_and(&holds))
}

/// A condition on the types at two indices.
pub(super) fn on_types(
    one: usize,
    other: usize,
    holds: impl Fn(Type, Type) -> bool + Send + Sync + 'static,
) -> Predicate {
    Box::new(move |query| query.type_at(one).zip(query.type_at(other)).is_some_and(|(one, other)| holds(one, other)))
}

/// A condition on one memory operand.
pub(super) fn on_memory(index: usize, holds: impl Fn(&MemDescr) -> bool + Send + Sync + 'static) -> Predicate {
    Box::new(move |query| query.memory.get(index).is_some_and(&holds))
}

/// The number of elements of a vector whose length is known.
pub(super) fn fixed_lanes(ty: Type) -> Option<u16> {
    ty.element_count().filter(|count| !count.scalable).map(|count| count.lanes)
}

/// The predicate does not hold.
pub fn pred_not(predicate: Predicate) -> Predicate {
    Box::new(move |query| !predicate(query))
}

/// All of them hold.
pub fn all<const N: usize>(predicates: [Predicate; N]) -> Predicate {
    Box::new(move |query| predicates.iter().all(|predicate| predicate(query)))
}

/// One of them holds.
pub fn any<const N: usize>(predicates: [Predicate; N]) -> Predicate {
    Box::new(move |query| predicates.iter().any(|predicate| predicate(query)))
}

/// Type `index` is `ty`.
pub fn type_is(index: usize, ty: Type) -> Predicate {
    on_type(index, move |found| found == ty)
}

/// Type `index` is not `ty`.
pub fn type_is_not(index: usize, ty: Type) -> Predicate {
    on_type(index, move |found| found != ty)
}

/// Type `index` is one of these.
pub fn type_in_set(index: usize, types: &[Type]) -> Predicate {
    let types = types.to_vec();
    on_type(index, move |found| types.contains(&found))
}

/// Types `one` and `other` are one of these pairs.
pub fn type_pair_in_set(one: usize, other: usize, pairs: &[(Type, Type)]) -> Predicate {
    let pairs = pairs.to_vec();
    on_types(one, other, move |one, other| pairs.contains(&(one, other)))
}

/// Types `one`, `other` and `third` are one of these triples.
pub fn type_tuple_in_set(one: usize, other: usize, third: usize, triples: &[(Type, Type, Type)]) -> Predicate {
    let triples = triples.to_vec();
    Box::new(move |query| match (query.type_at(one), query.type_at(other), query.type_at(third)) {
        (Some(one), Some(other), Some(third)) => triples.contains(&(one, other, third)),
        _ => false,
    })
}

/// Types `one` and `other` and the size of memory operand `memory` are one of these, and that is aligned as it says or
/// better.
pub fn type_pair_and_mem_desc_in_set(
    one: usize,
    other: usize,
    memory: usize,
    accesses: &[TypePairAndMemDesc],
) -> Predicate {
    let accesses = accesses.to_vec();
    Box::new(move |query| {
        let types = query.type_at(one).zip(query.type_at(other));
        query.memory.get(memory).is_some_and(|found| {
            accesses.iter().any(|access| {
                types == Some((access.type0, access.type1))
                    && found.ty.bits() == access.memory.bits()
                    && found.align_bits >= access.align_bits
            })
        })
    })
}

/// Type `index` is a scalar.
pub fn is_scalar(index: usize) -> Predicate {
    on_type(index, Type::is_scalar)
}

/// Type `index` is a vector.
pub fn is_vector(index: usize) -> Predicate {
    on_type(index, Type::is_vector)
}

/// Type `index` is a pointer.
pub fn is_pointer(index: usize) -> Predicate {
    on_type(index, Type::is_pointer)
}

/// Type `index` is a pointer into this address space.
pub fn is_pointer_in(index: usize, space: u8) -> Predicate {
    on_type(index, move |ty| matches!(ty, Type::Pointer { address_space, .. } if address_space == space))
}

/// Type `index` is a vector of pointers.
pub fn is_pointer_vector(index: usize) -> Predicate {
    on_type(index, |ty| matches!(ty, Type::Vector { element: Element::Pointer { .. }, .. }))
}

/// Type `index` is a vector of `element`.
pub fn element_type_is(index: usize, element: Type) -> Predicate {
    on_type(index, move |ty| ty.is_vector() && ty.scalar_type() == element)
}

/// Type `index` is a scalar of fewer than `bits` bits.
pub fn scalar_narrower_than(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.is_scalar() && ty.bits() < bits)
}

/// Type `index` is a scalar of more than `bits` bits.
pub fn scalar_wider_than(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.is_scalar() && ty.bits() > bits)
}

/// Type `index`, or its element, has fewer than `bits` bits.
pub fn scalar_or_elt_narrower_than(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.scalar_type().bits() < bits)
}

/// Type `index`, or its element, has more than `bits` bits.
pub fn scalar_or_elt_wider_than(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.scalar_type().bits() > bits)
}

/// Type `index` is a vector of more than `count` elements.
pub fn vector_element_count_is_greater_than(index: usize, count: u16) -> Predicate {
    on_type(index, move |ty| fixed_lanes(ty).is_some_and(|lanes| lanes > count))
}

/// Type `index` is a vector of `count` elements or fewer.
pub fn vector_element_count_is_less_than_or_equal_to(index: usize, count: u16) -> Predicate {
    on_type(index, move |ty| fixed_lanes(ty).is_some_and(|lanes| lanes <= count))
}

/// Type `index` is a scalar whose size is no multiple of `bits` bits.
pub fn size_not_multiple_of(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.is_scalar() && !ty.bits().is_multiple_of(bits))
}

/// Type `index` is a scalar whose size is no power of two.
pub fn size_not_pow2(index: usize) -> Predicate {
    on_type(index, |ty| ty.is_scalar() && !ty.bits().is_power_of_two())
}

/// The size of type `index`, or of its element, is no power of two.
pub fn scalar_or_elt_size_not_pow2(index: usize) -> Predicate {
    on_type(index, |ty| !ty.scalar_type().bits().is_power_of_two())
}

/// Type `index` has `bits` bits in all.
pub fn size_is(index: usize, bits: u32) -> Predicate {
    on_type(index, move |ty| ty.bits() == bits)
}

/// Types `one` and `other` have the same size in all.
pub fn same_size(one: usize, other: usize) -> Predicate {
    on_types(one, other, |one, other| one.bits() == other.bits())
}

/// Type `one` has more bits in all than type `other`.
pub fn larger_than(one: usize, other: usize) -> Predicate {
    on_types(one, other, |one, other| one.bits() > other.bits())
}

/// Type `one` has fewer bits in all than type `other`.
pub fn smaller_than(one: usize, other: usize) -> Predicate {
    on_types(one, other, |one, other| one.bits() < other.bits())
}

/// The size of memory operand `memory`, in bytes, is no power of two.
pub fn mem_size_in_bytes_not_pow2(memory: usize) -> Predicate {
    on_memory(memory, |memory| !memory.ty.bytes().is_power_of_two())
}

/// The size of memory operand `memory` is no whole number of bytes, or no power of two of them.
pub fn mem_size_not_byte_size_pow2(memory: usize) -> Predicate {
    on_memory(memory, |memory| !memory.ty.bits().is_multiple_of(8) || !memory.ty.bytes().is_power_of_two())
}

/// Type `index` is a vector whose number of elements is no power of two.
pub fn num_elements_not_pow2(index: usize) -> Predicate {
    on_type(index, |ty| fixed_lanes(ty).is_some_and(|lanes| !lanes.is_power_of_two()))
}

/// Memory operand `memory` orders as strongly as `ordering`, or more so.
pub fn atomic_ordering_at_least_or_stronger_than(memory: usize, ordering: AtomicOrdering) -> Predicate {
    on_memory(memory, move |memory| memory.ordering.is_at_least_or_stronger_than(ordering))
}
