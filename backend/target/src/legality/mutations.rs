//! Mutations, the type changes that rules ask for: LLVM's `LegalizeMutations`. An index that the query does not have
//! gives nothing, and neither does a type that cannot exist (a scalar beyond 65,535 bits).

use super::LegalityQuery;
use tribunal_ir::Type;
use tribunal_ir::types::ElementCount;

/// The type index that changes, and its new type; `None` where there is no such type.
pub type Mutation = Box<dyn Fn(&LegalityQuery) -> (usize, Option<Type>) + Send + Sync>;

/// Type index of the query, where a type or an element count is read from it instead of being given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeOf(pub usize);

/// Given, or read from a query.
pub trait MutationSource<T>: Copy + Send + Sync + 'static {
    /// The value for this query; `None` if the query has no such type.
    fn of(self, query: &LegalityQuery) -> Option<T>;
}

impl MutationSource<Type> for Type {
    fn of(self, _: &LegalityQuery) -> Option<Type> {
        Some(self)
    }
}

impl MutationSource<Type> for TypeOf {
    fn of(self, query: &LegalityQuery) -> Option<Type> {
        query.type_at(self.0)
    }
}

impl MutationSource<ElementCount> for ElementCount {
    fn of(self, _: &LegalityQuery) -> Option<ElementCount> {
        Some(self)
    }
}

impl MutationSource<ElementCount> for TypeOf {
    fn of(self, query: &LegalityQuery) -> Option<ElementCount> {
        query.type_at(self.0).map(|ty| ty.element_count().unwrap_or(ElementCount::fixed(1)))
    }
}

/// Type `index` becomes its image under `change`.
pub(super) fn change(
    index: usize,
    change: impl Fn(Type, &LegalityQuery) -> Option<Type> + Send + Sync + 'static,
) -> Mutation {
    Box::new(move |query| (index, query.type_at(index).and_then(|old| change(old, query))))
}

/// As many elements, scalars of `bits` bits.
pub(super) fn with_element_bits(ty: Type, bits: u32) -> Option<Type> {
    ty.with_scalar_type(Type::scalar_of(bits)?)
}

/// Type `index` becomes `ty`, or the same as another.
pub fn change_to(index: usize, ty: impl MutationSource<Type>) -> Mutation {
    change(index, move |_, query| ty.of(query))
}

/// The elements of type `index`, or that scalar itself, become `ty`, or those of another.
pub fn change_element_to(index: usize, ty: impl MutationSource<Type>) -> Mutation {
    change(index, move |old, query| old.with_scalar_type(ty.of(query)?.scalar_type()))
}

/// Type `index` gets `count` elements, or as many as another.
pub fn change_element_count_to(index: usize, count: impl MutationSource<ElementCount>) -> Mutation {
    change(index, move |old, query| old.scalar_type().times(count.of(query)?))
}

/// The elements of type `index`, or that scalar itself, get the size of those of type `other`.
pub fn change_element_size_to(index: usize, other: usize) -> Mutation {
    change(index, move |old, query| with_element_bits(old, query.type_at(other)?.scalar_type().bits()))
}

/// The scalar or elements of type `index` are rounded up to a power of two bits, at least `min`.
pub fn widen_scalar_or_elt_to_next_pow2(index: usize, min: u32) -> Mutation {
    change(index, move |old, _| with_element_bits(old, old.scalar_type().bits().checked_next_power_of_two()?.max(min)))
}

/// The scalar or elements of type `index` are rounded up to a multiple of `bits` bits.
pub fn widen_scalar_or_elt_to_next_multiple_of(index: usize, bits: u32) -> Mutation {
    change(index, move |old, _| with_element_bits(old, old.scalar_type().bits().checked_next_multiple_of(bits)?))
}

/// The number of elements of type `index` is rounded up to a power of two, at least `min`.
pub fn more_elements_to_next_pow2(index: usize, min: u16) -> Mutation {
    change(index, move |old, _| {
        let ElementCount { lanes, scalable } = old.element_count()?;
        old.scalar_type().times(ElementCount { lanes: lanes.checked_next_power_of_two()?.max(min), scalable })
    })
}

/// Vector type `index` becomes the type of its elements.
pub fn scalarize(index: usize) -> Mutation {
    change(index, |old, _| Some(old.scalar_type()))
}
