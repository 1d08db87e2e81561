//! The numbers of the interpreter: integers with known and unconstrained bits, where a nondeterministic choice may
//! decide.
//!
//! A run is generic over them: machine words as long as every value fits, integers of any width otherwise.

use crate::observation::Known;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Concrete, Domain, Number, Partial, PartialBits, PartialBool, Value, Word, Words};

/// An interpreter's numbers: values with some bits unconstrained.
pub(super) trait Numbers: Domain<Bits = PartialBits<Self::Number>, Bool = PartialBool> + Default {
    type Number: Number;

    /// The domain whose choices have these low bits; open ones without.
    fn with_choice(choice: Option<u64>) -> Self;

    /// A number of which nothing is known, whatever choices are.
    fn open(&mut self, width: u32) -> Self::Bits {
        let (zeros, ones) = (self.literal(0, width), self.literal(-1, width));
        PartialBits { value: zeros.value, unknown: ones.value }
    }

    /// True if some number did not fit, so that no result is valid.
    fn exceeded(&self) -> bool;
}

impl Numbers for Partial<Concrete> {
    type Number = Bits;

    fn with_choice(choice: Option<u64>) -> Self {
        Partial { choice, ..Partial::default() }
    }

    fn exceeded(&self) -> bool {
        false
    }
}

impl Numbers for Partial<Words> {
    type Number = Word;

    fn with_choice(choice: Option<u64>) -> Self {
        Partial { choice, ..Partial::default() }
    }

    fn exceeded(&self) -> bool {
        self.numbers.exceeded()
    }
}

/// The number with its unconstrained bits taken from `choice`.
pub(super) fn chosen<N: Number>(bits: &PartialBits<N>, choice: u64) -> PartialBits<N> {
    let (value, unknown) = (bits.value.bits(), bits.unknown.bits());
    let choice = Bits::new(choice.into(), 64).zext_or_trunc(unknown.width());
    PartialBits::known(N::of_bits(value.and(unknown.not()).or(choice.and(unknown))))
}

pub(super) fn scalar<D: Numbers>(bits: Bits) -> Value<D> {
    Value::new(PartialBits::known(D::Number::of_bits(bits)), PartialBool::known(false))
}

/// The low 128 bits as an observation has them: all bits of poison are unknown.
pub(super) fn known<N: Number>(bits: &PartialBits<N>, poison: PartialBool) -> Known {
    let unknown = if poison.value || poison.unknown { u128::MAX } else { low(&bits.unknown) };
    Known { value: low(&bits.value), unknown }
}

/// The low 128 bits.
pub(super) fn low<N: Number>(number: &N) -> u128 {
    if number.width() <= u64::BITS {
        number.low_u64().into()
    } else {
        number.bits().zext_or_trunc(u128::BITS).unsigned()
    }
}
