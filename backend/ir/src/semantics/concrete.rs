//! The concrete domain, on numbers: the interpreter and the constant folder compute in it.

use super::float::{self, FloatResult, RoundedOperation};
use super::{Domain, Number, Word, Words};
use crate::bits::Bits;
use smallvec::SmallVec;

/// The resolution of nondeterminism.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Every unconstrained bit is 0.
    Zeros,
    /// Every unconstrained bit is 1.
    Ones,
    /// Pseudo-random from this state.
    Seeded(u64),
}

/// Evaluates on numbers.
#[derive(Clone, Debug)]
pub struct Concrete {
    /// The resolution of nondeterminism.
    pub choice: Choice,
}

impl Domain for Concrete {
    type Bits = Bits;
    type Bool = bool;

    fn width(&self, a: &Bits) -> u32 {
        a.width()
    }
    fn constant(&mut self, value: Bits) -> Bits {
        value
    }
    fn boolean(&mut self, value: bool) -> bool {
        value
    }
    fn choose(&mut self, width: u32) -> Bits {
        match &mut self.choice {
            Choice::Zeros => Bits::zero(width),
            Choice::Ones => Bits::ones(width),
            Choice::Seeded(state) => Bits::from_limbs(|_| split_mix(state), width),
        }
    }
    fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::add(*a, *b)
    }
    fn sub(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::sub(*a, *b)
    }
    fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::mul(*a, *b)
    }
    fn udiv(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        a.checked_udiv(*b).unwrap_or(Bits::ones(a.width()))
    }
    fn urem(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        a.checked_urem(*b).unwrap_or(*a)
    }
    fn sdiv(&mut self, a: &Bits, b: &Bits) -> Bits {
        let quotient = self.udiv(&a.magnitude(), &b.magnitude());
        if a.is_negative() != b.is_negative() { quotient.negated() } else { quotient }
    }
    fn srem(&mut self, a: &Bits, b: &Bits) -> Bits {
        let remainder = self.urem(&a.magnitude(), &b.magnitude());
        if a.is_negative() { remainder.negated() } else { remainder }
    }
    fn and(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::and(*a, *b)
    }
    fn or(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::or(*a, *b)
    }
    fn xor(&mut self, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        Bits::xor(*a, *b)
    }
    fn not(&mut self, a: &Bits) -> Bits {
        Bits::not(*a)
    }
    fn shl(&mut self, a: &Bits, amount: &Bits) -> Bits {
        of_one_width(a, amount);
        Bits::shl(*a, shift(amount))
    }
    fn lshr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        of_one_width(a, amount);
        Bits::lshr(*a, shift(amount))
    }
    fn ashr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        of_one_width(a, amount);
        Bits::ashr(*a, shift(amount))
    }
    fn concat(&mut self, high: &Bits, low: &Bits) -> Bits {
        Bits::concat(*high, *low)
    }
    fn extract(&mut self, a: &Bits, offset: u32, width: u32) -> Bits {
        assert!(offset + width <= a.width(), "bits {offset} to {} of {}", offset + width, a.width());
        a.extract(offset, width)
    }
    fn zext(&mut self, a: &Bits, width: u32) -> Bits {
        assert!(width >= a.width(), "an extension to {width} bits of {}", a.width());
        a.zext_or_trunc(width)
    }
    fn sext(&mut self, a: &Bits, width: u32) -> Bits {
        assert!(width >= a.width(), "an extension to {width} bits of {}", a.width());
        a.sext_or_trunc(width)
    }
    fn eq(&mut self, a: &Bits, b: &Bits) -> bool {
        of_one_width(a, b);
        a == b
    }
    fn ult(&mut self, a: &Bits, b: &Bits) -> bool {
        of_one_width(a, b);
        a.cmp_unsigned(*b).is_lt()
    }
    fn slt(&mut self, a: &Bits, b: &Bits) -> bool {
        of_one_width(a, b);
        a.cmp_signed(*b).is_lt()
    }
    fn ite(&mut self, condition: &bool, a: &Bits, b: &Bits) -> Bits {
        of_one_width(a, b);
        if *condition { *a } else { *b }
    }
    super::domain::plain_booleans!();
    fn rounded(&mut self, operation: RoundedOperation, args: &[Bits]) -> FloatResult<Bits> {
        let mut words = Words::default();
        let of_words: SmallVec<[Word; 4]> = args.iter().map(|&arg| words.constant(arg)).collect();
        let FloatResult { bits, flags } = words.rounded(operation, &of_words);
        match words.exceeded() {
            false => FloatResult { bits: bits.bits(), flags: flags.bits() },
            true => float::by_definition(self, operation, args),
        }
    }
}

/// The solver takes operands of one width alone. Here a definition that mixes them would only seem to be right.
fn of_one_width(a: &Bits, b: &Bits) {
    assert_eq!(a.width(), b.width(), "operands of two widths");
}

/// The amount, or one that reaches any width.
fn shift(amount: &Bits) -> u32 {
    u32::try_from(amount.unsigned()).unwrap_or(u32::MAX)
}

/// Steele, Lea and Flood's SplitMix64.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn operands_that_the_solver_does_not_take_are_not_taken_here() {
        let mut concrete = Concrete { choice: Choice::Zeros };
        let (narrow, wide) = (Bits::zero(4), Bits::zero(8));
        let mut ends = |run: &dyn Fn(&mut Concrete)| catch_unwind(AssertUnwindSafe(|| run(&mut concrete))).is_err();
        let mixed: [fn(&mut Concrete, &Bits, &Bits); 15] = [
            |d, a, b| _ = Domain::add(d, a, b),
            |d, a, b| _ = Domain::sub(d, a, b),
            |d, a, b| _ = Domain::mul(d, a, b),
            |d, a, b| _ = d.udiv(a, b),
            |d, a, b| _ = d.urem(a, b),
            |d, a, b| _ = Domain::and(d, a, b),
            |d, a, b| _ = Domain::or(d, a, b),
            |d, a, b| _ = Domain::xor(d, a, b),
            |d, a, b| _ = Domain::shl(d, a, b),
            |d, a, b| _ = Domain::lshr(d, a, b),
            |d, a, b| _ = Domain::ashr(d, a, b),
            |d, a, b| _ = Domain::eq(d, a, b),
            |d, a, b| _ = d.ult(a, b),
            |d, a, b| _ = d.slt(a, b),
            |d, a, b| _ = d.ite(&true, a, b),
        ];
        for operation in mixed {
            assert!(!ends(&|d| operation(d, &wide, &wide)));
            assert!(ends(&|d| operation(d, &narrow, &wide)) && ends(&|d| operation(d, &wide, &narrow)));
        }
        assert!(ends(&|d| _ = d.zext(&wide, 4)) && ends(&|d| _ = d.sext(&wide, 4)));
        assert!(!ends(&|d| _ = d.zext(&wide, 8)) && !ends(&|d| _ = d.extract(&wide, 4, 4)));
        assert!(ends(&|d| _ = Domain::extract(d, &wide, 5, 4)));
    }
}
