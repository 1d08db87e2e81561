//! When a rule applies: predicates on queries, for the methods of rule sets and for tables.

use super::LegalityQuery;

/// When a rule applies.
pub type Predicate = Box<dyn Fn(&LegalityQuery) -> bool + Send + Sync>;

/// Type `index` is a scalar wider than `bits`.
pub fn scalar_wider_than(index: usize, bits: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync + Copy {
    move |q| q.is_scalar(index) && q.bits(index) > bits
}

/// Type `whole` is wider than a register and twice type `part`.
pub fn made_of_halves(whole: usize, part: usize, register: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync {
    move |q| are_bytes(q, whole, part, register) && q.bits(whole) == 2 * q.bits(part)
}

/// Type `whole` is wider than a register and more than twice type `part`.
pub fn made_of_smaller_parts(
    whole: usize,
    part: usize,
    register: u32,
) -> impl Fn(&LegalityQuery) -> bool + Send + Sync {
    move |q| are_bytes(q, whole, part, register) && q.bits(whole) > 2 * q.bits(part)
}

fn are_bytes(q: &LegalityQuery, whole: usize, part: usize, register: u32) -> bool {
    let (whole, part) = (q.bits(whole), q.bits(part));
    whole > register && whole.is_power_of_two() && part.is_power_of_two() && part >= 8
}

/// A rotation by an amount, type 1, that must be divided by a width, type 0, and is wider than `bits`: too wide to divide.
pub fn amount_needs_division(bits: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync + Copy {
    move |q| !q.bits(0).is_power_of_two() && q.bits(1).next_power_of_two() > bits
}

/// The access is narrower than type 0.
pub fn mem_narrower_than_value(q: &LegalityQuery) -> bool {
    q.mem_bits() < q.bits(0)
}

/// The access is less aligned than its size.
pub fn misaligned(q: &LegalityQuery) -> bool {
    q.memory.iter().any(|memory| memory.align_bits < memory.ty.bits())
}
