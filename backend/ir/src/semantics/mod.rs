//! The meaning of every generic opcode, stated once for every evaluator.
//!
//! [`evaluate`] covers the instructions that compute on values. Control flow (`G_PHI`, `G_BR`, `G_BRCOND`) and copies
//! need registers: [`walk`] covers them, over the [`walk::MachineState`] that an evaluator brings.

mod access;
mod bits;
mod concrete;
mod domain;
pub mod float;
mod integer;
mod intrinsic;
mod lanes;
mod memory;
mod number;
mod opcodes;
mod partial;
pub mod strict;
mod vectors;
pub mod walk;
mod words;

pub use concrete::{Choice, Concrete};
pub use domain::Domain;
pub use integer::condition_of;
pub use lanes::{LaneBits, LaneBools, Lanes};
pub use memory::{Memory, Pure};
pub use number::Number;
pub use opcodes::{
    Evaluation, Obstacle, Typed, Unsupported, evaluate, evaluate_atomic, evaluate_binary, evaluate_flagged,
    evaluate_scalar, evaluate_typed, typed,
};
pub use partial::{Partial, PartialBits, PartialBool};
pub use words::{Word, Words};

/// A scalar or a vector of known length: bits, and where they are poison. Where they are, they mean nothing.
#[derive(Debug)]
pub struct Value<D: Domain + ?Sized> {
    /// The bits; element 0 of a vector in the low ones.
    pub bits: D::Bits,
    /// True where the value is poison; of a vector, where an element is.
    pub poison: D::Bool,
    /// Where each element of a vector is poison. `None` where all are as `poison` says.
    pub elements: Option<Box<[D::Bool]>>,
}

impl<D: Domain + ?Sized> Value<D> {
    /// A scalar, or a vector whose elements are all poison or none.
    pub fn new(bits: D::Bits, poison: D::Bool) -> Value<D> {
        Value { bits, poison, elements: None }
    }

    /// A vector of which each element is poison by itself.
    pub fn of_elements(domain: &mut D, bits: D::Bits, elements: Vec<D::Bool>) -> Value<D> {
        let any = elements.iter().cloned().reduce(|any, element| domain.bool_or(&any, &element));
        let poison = any.unwrap_or_else(|| domain.boolean(false));
        Value { bits, poison, elements: (elements.len() > 1).then(|| elements.into()) }
    }

    /// The same, poison also where `condition` holds.
    pub fn poison_where(self, domain: &mut D, condition: &D::Bool) -> Value<D> {
        let mut or = |poison: &D::Bool| domain.bool_or(poison, condition);
        let elements = self.elements.map(|elements| elements.iter().map(&mut or).collect());
        Value { bits: self.bits, poison: or(&self.poison), elements }
    }

    /// `a` where the condition holds, else `b`. Both are of one type.
    pub fn either(domain: &mut D, condition: &D::Bool, a: &Value<D>, b: &Value<D>) -> Value<D> {
        let bits = domain.ite(condition, &a.bits, &b.bits);
        if a.elements.is_none() && b.elements.is_none() {
            return Value::new(bits, domain.bool_ite(condition, &a.poison, &b.poison));
        }
        let count = a.poison_of_elements().len().max(b.poison_of_elements().len()) as u32;
        let width = domain.width(&bits) / count;
        let mut element = |number| {
            let [a, b] = [a, b].map(|value| value.part_is_poison(domain, number * width, width));
            domain.bool_ite(condition, &a, &b)
        };
        let elements = (0..count).map(&mut element).collect();
        Value::of_elements(domain, bits, elements)
    }

    /// The same value in another domain.
    pub fn map<E: Domain>(
        &self,
        bits: impl FnOnce(&D::Bits) -> E::Bits,
        poison: impl Fn(&D::Bool) -> E::Bool,
    ) -> Value<E> {
        let elements = self.elements.as_deref().map(|elements| elements.iter().map(&poison).collect());
        Value { bits: bits(&self.bits), poison: poison(&self.poison), elements }
    }

    /// Where each element is poison; one truth value where they do not differ.
    pub fn poison_of_elements(&self) -> &[D::Bool] {
        self.elements.as_deref().unwrap_or(std::slice::from_ref(&self.poison))
    }

    /// The bits `offset .. offset + width`, each poison where it is here.
    pub fn part(&self, domain: &mut D, offset: u32, width: u32) -> Value<D> {
        let bits = domain.extract(&self.bits, offset, width);
        let (elements, whole) = (self.poison_of_elements(), domain.width(&self.bits));
        if elements.len() == 1 {
            return Value::new(bits, self.poison.clone());
        }
        let each = whole / elements.len() as u32;
        let unit = common_divisor(each, common_divisor(offset, width));
        let poison = |index: u32| elements[((offset + index * unit) / each) as usize].clone();
        Value::of_elements(domain, bits, (0..width / unit).map(poison).collect())
    }

    /// The value in the low bits of so many, or its low bits. Zeros above a vector are no poison; those above a scalar
    /// are where it is.
    pub fn resized(&self, domain: &mut D, width: u32) -> Value<D> {
        let Some(elements) = &self.elements else {
            return Value::new(domain.zext_or_trunc(&self.bits, width), self.poison.clone());
        };
        let whole = domain.width(&self.bits);
        if width <= whole {
            return self.part(domain, 0, width);
        }
        let each = whole / elements.len() as u32;
        let (unit, no) = (common_divisor(each, width), domain.boolean(false));
        let poison = |index: u32| elements.get((index * unit / each) as usize).unwrap_or(&no).clone();
        let poison = (0..width / unit).map(poison).collect();
        let bits = domain.zext_or_trunc(&self.bits, width);
        Value::of_elements(domain, bits, poison)
    }

    /// True where a bit of `offset .. offset + width` belongs to an element that is poison.
    pub fn part_is_poison(&self, domain: &mut D, offset: u32, width: u32) -> D::Bool {
        let elements = self.poison_of_elements();
        let each = (domain.width(&self.bits) as usize / elements.len()).max(1);
        let (first, end) = (offset as usize / each, ((offset + width) as usize).div_ceil(each));
        let touched = elements.get(first..end.min(elements.len())).unwrap_or(elements);
        let poison = touched.iter().cloned().reduce(|any, element| domain.bool_or(&any, &element));
        poison.unwrap_or_else(|| self.poison.clone())
    }
}

/// The greatest common divisor; the other number of zero.
pub fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl<D: Domain + ?Sized> Clone for Value<D> {
    fn clone(&self) -> Self {
        Value { bits: self.bits.clone(), poison: self.poison.clone(), elements: self.elements.clone() }
    }
}
