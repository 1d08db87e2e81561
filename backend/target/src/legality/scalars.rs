//! The methods of a rule set that widen and narrow scalars and the elements of vectors.

use super::Action::{NarrowScalar, WidenScalar};
use super::mutations::{
    self, Mutation, change, change_element_size_to, change_element_to, change_to, with_element_bits,
};
use super::predicates::{
    Predicate, all, any, fixed_lanes, is_scalar, on_type, on_types, scalar_narrower_than, scalar_or_elt_narrower_than,
    scalar_or_elt_size_not_pow2, scalar_or_elt_wider_than, scalar_wider_than, size_not_multiple_of, size_not_pow2,
};
use super::rules::{Indices, RuleSet, TypeTuple};
use tribunal_ir::Type;

/// A scalar or vector at `one` whose elements are wider than those at `other`.
fn wider_elements(one: usize, other: usize) -> Predicate {
    on_types(one, other, |one, other| !one.is_pointer() && one.scalar_type().bits() > other.scalar_type().bits())
}

/// The same, narrower.
fn narrower_elements(one: usize, other: usize) -> Predicate {
    on_types(one, other, |one, other| !one.is_pointer() && one.scalar_type().bits() < other.scalar_type().bits())
}

/// To `ty`, but by halves while a half is no narrower. LLVM goes there in one step, which is harder to prove.
fn toward(index: usize, ty: Type) -> Mutation {
    change(index, move |old, _| match old.bits().is_power_of_two() {
        true => Type::scalar_of((old.bits() / 2).max(ty.bits())),
        false => Some(ty),
    })
}

// By the caller's predicate and mutation.
impl RuleSet {
    /// Done in the mutation's wider type if the predicate holds.
    pub fn widen_scalar_if(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("widen_scalar_if", WidenScalar, Indices::ALL, predicate, Some(mutation))
    }

    /// Split into the mutation's narrower type if the predicate holds.
    pub fn narrow_scalar_if(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("narrow_scalar_if", NarrowScalar, Indices::ALL, predicate, Some(mutation))
    }

    /// Split into the mutation's narrower type if listed.
    pub fn narrow_scalar_for<T: TypeTuple>(self, types: &[T], mutation: Mutation) -> RuleSet {
        self.action_for("narrow_scalar_for", NarrowScalar, types, Some(mutation))
    }

    /// Split into the mutation's narrower type if type `index` is a scalar.
    pub fn narrow_scalar(self, index: usize, mutation: Mutation) -> RuleSet {
        self.scalar("narrow_scalar", NarrowScalar, index, is_scalar(index), mutation)
    }

    /// A rule about type `index`.
    fn scalar(
        self,
        method: &str,
        action: super::Action,
        index: usize,
        predicate: Predicate,
        mutation: Mutation,
    ) -> RuleSet {
        self.action_if(method, action, Indices::types([index]), predicate, Some(mutation))
    }
}

// Rounding up.
impl RuleSet {
    /// A scalar is rounded up to a power of two bits.
    pub fn widen_scalar_to_next_pow2(self, index: usize) -> RuleSet {
        self.widen_scalar_to_next_pow2_at_least(index, 0)
    }

    /// A scalar that is no power of two bits is rounded up to one, of `min` bits at least.
    pub fn widen_scalar_to_next_pow2_at_least(self, index: usize, min: u32) -> RuleSet {
        let next = mutations::widen_scalar_or_elt_to_next_pow2(index, min);
        self.scalar("widen_scalar_to_next_pow2", WidenScalar, index, size_not_pow2(index), next)
    }

    /// A scalar is rounded up to a multiple of `bits` bits.
    pub fn widen_scalar_to_next_multiple_of(self, index: usize, bits: u32) -> RuleSet {
        let next = mutations::widen_scalar_or_elt_to_next_multiple_of(index, bits);
        let odd = size_not_multiple_of(index, bits);
        self.scalar("widen_scalar_to_next_multiple_of", WidenScalar, index, odd, next)
    }

    /// A scalar or element is rounded up to a power of two bits.
    pub fn widen_scalar_or_elt_to_next_pow2(self, index: usize) -> RuleSet {
        self.widen_scalar_or_elt_to_next_pow2_at_least(index, 0)
    }

    /// A scalar or element that is no power of two bits is rounded up to one, of `min` bits at least.
    pub fn widen_scalar_or_elt_to_next_pow2_at_least(self, index: usize, min: u32) -> RuleSet {
        let next = mutations::widen_scalar_or_elt_to_next_pow2(index, min);
        let odd = scalar_or_elt_size_not_pow2(index);
        self.scalar("widen_scalar_or_elt_to_next_pow2", WidenScalar, index, odd, next)
    }

    /// A scalar or element that is no power of two bits or narrower than `min` is rounded up to a power of two, or to
    /// `min`.
    pub fn widen_scalar_or_elt_to_next_pow2_or_min_size(self, index: usize, min: u32) -> RuleSet {
        let next = mutations::widen_scalar_or_elt_to_next_pow2(index, min);
        let odd = any([scalar_or_elt_narrower_than(index, min), scalar_or_elt_size_not_pow2(index)]);
        self.scalar("widen_scalar_or_elt_to_next_pow2_or_min_size", WidenScalar, index, odd, next)
    }

    /// Elements grow until the vector has `bits` bits.
    pub fn widen_vector_elts_to_vector_min_size(self, index: usize, bits: u32) -> RuleSet {
        let small = on_type(index, move |ty| fixed_lanes(ty).is_some() && ty.bits() < bits);
        let grown = change(index, move |old, _| with_element_bits(old, bits / u32::from(fixed_lanes(old)?)));
        self.scalar("widen_vector_elts_to_vector_min_size", WidenScalar, index, small, grown)
    }
}

// Bounds.
impl RuleSet {
    /// A scalar is widened to `ty` at least.
    pub fn min_scalar(self, index: usize, ty: Type) -> RuleSet {
        let narrower = scalar_narrower_than(index, ty.bits());
        self.scalar("min_scalar", WidenScalar, index, narrower, change_to(index, ty))
    }

    /// The same if the predicate holds.
    pub fn min_scalar_if(self, predicate: Predicate, index: usize, ty: Type) -> RuleSet {
        let narrower = all([predicate, scalar_narrower_than(index, ty.bits())]);
        self.scalar("min_scalar_if", WidenScalar, index, narrower, change_to(index, ty))
    }

    /// A scalar or element is widened to `ty` at least.
    pub fn min_scalar_or_elt(self, index: usize, ty: Type) -> RuleSet {
        let narrower = scalar_or_elt_narrower_than(index, ty.scalar_type().bits());
        self.scalar("min_scalar_or_elt", WidenScalar, index, narrower, change_element_to(index, ty))
    }

    /// The same if the predicate holds.
    pub fn min_scalar_or_elt_if(self, predicate: Predicate, index: usize, ty: Type) -> RuleSet {
        let narrower = all([predicate, scalar_or_elt_narrower_than(index, ty.scalar_type().bits())]);
        self.scalar("min_scalar_or_elt_if", WidenScalar, index, narrower, change_element_to(index, ty))
    }

    /// A scalar is narrowed to `ty` at most, by halves.
    pub fn max_scalar(self, index: usize, ty: Type) -> RuleSet {
        self.scalar("max_scalar", NarrowScalar, index, scalar_wider_than(index, ty.bits()), toward(index, ty))
    }

    /// The same if the predicate holds.
    pub fn max_scalar_if(self, predicate: Predicate, index: usize, ty: Type) -> RuleSet {
        let wider = all([predicate, scalar_wider_than(index, ty.bits())]);
        self.scalar("max_scalar_if", NarrowScalar, index, wider, toward(index, ty))
    }

    /// A scalar or element is narrowed to `ty` at most.
    pub fn max_scalar_or_elt(self, index: usize, ty: Type) -> RuleSet {
        let wider = scalar_or_elt_wider_than(index, ty.scalar_type().bits());
        self.scalar("max_scalar_or_elt", NarrowScalar, index, wider, change_element_to(index, ty))
    }

    /// `min_scalar`, then `max_scalar`.
    pub fn clamp_scalar(self, index: usize, min: Type, max: Type) -> RuleSet {
        self.min_scalar(index, min).max_scalar(index, max)
    }

    /// `min_scalar_or_elt`, then `max_scalar_or_elt`.
    pub fn clamp_scalar_or_elt(self, index: usize, min: Type, max: Type) -> RuleSet {
        self.min_scalar_or_elt(index, min).max_scalar_or_elt(index, max)
    }
}

// Bounds by another type.
impl RuleSet {
    /// A scalar or element is widened to the size of that at `other` at least.
    pub fn min_scalar_same_as(self, index: usize, other: usize) -> RuleSet {
        self.same_as("min_scalar_same_as", WidenScalar, index, other)
    }

    /// A scalar or element is narrowed to the size of that at `other` at most.
    pub fn max_scalar_same_as(self, index: usize, other: usize) -> RuleSet {
        self.same_as("max_scalar_same_as", NarrowScalar, index, other)
    }

    /// `min_scalar_same_as`, then `max_scalar_same_as`, under its own name.
    pub fn scalar_same_size_as(self, index: usize, other: usize) -> RuleSet {
        let method = "scalar_same_size_as";
        self.same_as(method, WidenScalar, index, other).same_as(method, NarrowScalar, index, other)
    }

    fn same_as(self, method: &str, action: super::Action, index: usize, other: usize) -> RuleSet {
        let differs =
            if action == WidenScalar { narrower_elements(index, other) } else { wider_elements(index, other) };
        self.scalar(method, action, index, differs, change_element_size_to(index, other))
    }

    /// Elements are widened to the size of those at `other` at least, if the predicate holds.
    pub fn min_scalar_elt_same_as_if(self, predicate: Predicate, index: usize, other: usize) -> RuleSet {
        let narrower = all([predicate, narrower_elements(index, other)]);
        let same = change_element_size_to(index, other);
        self.action_if("min_scalar_elt_same_as_if", WidenScalar, Indices::ALL, narrower, Some(same))
    }

    /// Elements are narrowed to the size of those at `other` at most, if the predicate holds.
    pub fn max_scalar_elt_same_as_if(self, predicate: Predicate, index: usize, other: usize) -> RuleSet {
        let wider = all([predicate, wider_elements(index, other)]);
        let same = change_element_size_to(index, other);
        self.action_if("max_scalar_elt_same_as_if", NarrowScalar, Indices::ALL, wider, Some(same))
    }
}
