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

/// A scalar or a vector of known length, which is poison as a whole: bits, and whether they are poison. Where `poison`
/// holds, `bits` mean nothing.
#[derive(Debug)]
pub struct Value<D: Domain + ?Sized> {
    /// The bits, which mean nothing where the value is poison.
    pub bits: D::Bits,
    /// True where the value is poison.
    pub poison: D::Bool,
}

impl<D: Domain + ?Sized> Clone for Value<D> {
    fn clone(&self) -> Self {
        Value { bits: self.bits.clone(), poison: self.poison.clone() }
    }
}
