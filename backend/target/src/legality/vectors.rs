//! The methods of a rule set that change the number of elements of a vector, or the type that its bits are read as.
//! Those that count elements apply to vectors of known length.

use super::Action::{Bitcast, FewerElements, MoreElements};
use super::mutations::{self, Mutation, change, change_element_count_to};
use super::predicates::{Predicate, all, fixed_lanes, is_vector, num_elements_not_pow2, on_type};
use super::rules::{Indices, RuleSet, rules_for};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{Family, Opcode, OpcodeFlags, Type};

/// The opcodes that make vectors and take them apart. Every target without vector registers writes them on elements.
const ON_ELEMENTS: [Opcode; 23] = {
    use Opcode::*;
    [
        G_BITCAST,
        G_BUILD_VECTOR_TRUNC,
        G_CONCAT_VECTORS,
        G_INSERT_VECTOR_ELT,
        G_EXTRACT_VECTOR_ELT,
        G_SHUFFLE_VECTOR,
        G_VECREDUCE_ADD,
        G_VECREDUCE_MUL,
        G_VECREDUCE_AND,
        G_VECREDUCE_OR,
        G_VECREDUCE_XOR,
        G_VECREDUCE_SMAX,
        G_VECREDUCE_SMIN,
        G_VECREDUCE_UMAX,
        G_VECREDUCE_UMIN,
        G_VECREDUCE_SEQ_FADD,
        G_VECREDUCE_SEQ_FMUL,
        G_VECREDUCE_FADD,
        G_VECREDUCE_FMUL,
        G_VECREDUCE_FMAX,
        G_VECREDUCE_FMIN,
        G_VECREDUCE_FMAXIMUM,
        G_VECREDUCE_FMINIMUM,
    ]
};

/// The rules of a target without vector registers for the opcodes that make vectors and take them apart.
pub fn vectors_by_element(target: &'static str) -> RuleSet {
    rules_for(target, &ON_ELEMENTS).lower()
}

/// The rules of loads and of stores that step an address, of a target that does it in an instruction of its own. The
/// value of a store has the second type index.
pub fn accesses_without_step(target: &'static str) -> [RuleSet; 2] {
    [(OpcodeFlags::LOAD, 0), (OpcodeFlags::STORE, 1)].map(|(direction, value)| {
        let is_one = |opcode: &&Opcode| opcode.info().is_some_and(|info| info.flags.contains(direction));
        let opcodes: Vec<Opcode> = Family::Indexed.opcodes().iter().filter(is_one).copied().collect();
        rules_for(target, &opcodes).unsupported_if(is_vector(value)).lower()
    })
}

/// Type `index` is a vector of `element`, so many that `holds`.
fn lanes_of(index: usize, element: Type, holds: impl Fn(u16) -> bool + Send + Sync + 'static) -> Predicate {
    on_type(index, move |ty| ty.scalar_type() == element && fixed_lanes(ty).is_some_and(&holds))
}

impl RuleSet {
    /// Done in the mutation's type of the same size if the predicate holds.
    pub fn bitcast_if(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("bitcast_if", Bitcast, Indices::ALL, predicate, Some(mutation))
    }

    /// Done in the mutation's longer vector if the predicate holds.
    pub fn more_elements_if(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("more_elements_if", MoreElements, Indices::ALL, predicate, Some(mutation))
    }

    /// Split into the mutation's shorter vectors if the predicate holds.
    pub fn fewer_elements_if(self, predicate: Predicate, mutation: Mutation) -> RuleSet {
        self.action_if("fewer_elements_if", FewerElements, Indices::ALL, predicate, Some(mutation))
    }

    /// A vector is split into its elements.
    pub fn scalarize(self, index: usize) -> RuleSet {
        let elements = mutations::scalarize(index);
        self.action_if("scalarize", FewerElements, Indices::types([index]), is_vector(index), Some(elements))
    }

    /// The same if the predicate holds.
    pub fn scalarize_if(self, predicate: Predicate, index: usize) -> RuleSet {
        let (vector, elements) = (all([predicate, is_vector(index)]), mutations::scalarize(index));
        self.action_if("scalarize_if", FewerElements, Indices::types([index]), vector, Some(elements))
    }

    /// A vector is padded to a power of two elements.
    pub fn more_elements_to_next_pow2(self, index: usize) -> RuleSet {
        self.more_elements_to_next_pow2_at_least(index, 0)
    }

    /// A vector whose number of elements is no power of two is padded to one, of `min` at least.
    pub fn more_elements_to_next_pow2_at_least(self, index: usize, min: u16) -> RuleSet {
        let (odd, next) = (num_elements_not_pow2(index), mutations::more_elements_to_next_pow2(index, min));
        self.action_if("more_elements_to_next_pow2", MoreElements, Indices::types([index]), odd, Some(next))
    }

    /// A vector of `element` is padded to a multiple of `count` elements.
    pub fn align_num_elements_to(self, index: usize, element: Type, count: u16) -> RuleSet {
        let odd = lanes_of(index, element, move |lanes| !lanes.is_multiple_of(count));
        let next = change(index, move |old, _| {
            old.scalar_type().times(ElementCount::fixed(fixed_lanes(old)?.checked_next_multiple_of(count)?))
        });
        self.action_if("align_num_elements_to", MoreElements, Indices::types([index]), odd, Some(next))
    }

    /// A vector of `element` is padded to `count` elements at least.
    pub fn clamp_min_num_elements(self, index: usize, element: Type, count: u16) -> RuleSet {
        let fewer = lanes_of(index, element, move |lanes| lanes < count);
        let padded = change_element_count_to(index, ElementCount::fixed(count));
        self.action_if("clamp_min_num_elements", MoreElements, Indices::types([index]), fewer, Some(padded))
    }

    /// A vector of `element` is split into `count` elements at most.
    pub fn clamp_max_num_elements(self, index: usize, element: Type, count: u16) -> RuleSet {
        let more = lanes_of(index, element, move |lanes| lanes > count);
        let part = change_element_count_to(index, ElementCount::fixed(count));
        self.action_if("clamp_max_num_elements", FewerElements, Indices::types([index]), more, Some(part))
    }

    /// `clamp_min_num_elements` by the vector type `min`, then `clamp_max_num_elements` by `max`.
    pub fn clamp_num_elements(self, index: usize, min: Type, max: Type) -> RuleSet {
        let lanes = |ty: Type| ty.element_count().map_or(1, |count| count.lanes);
        self.clamp_min_num_elements(index, min.scalar_type(), lanes(min)).clamp_max_num_elements(
            index,
            max.scalar_type(),
            lanes(max),
        )
    }

    /// `align_num_elements_to`, then `clamp_max_num_elements`: only whole parts of `count` elements.
    pub fn clamp_max_num_elements_strict(self, index: usize, element: Type, count: u16) -> RuleSet {
        self.align_num_elements_to(index, element, count).clamp_max_num_elements(index, element, count)
    }
}
