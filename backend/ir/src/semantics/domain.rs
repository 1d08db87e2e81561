//! The interface between a definition and its evaluator: some thirty bit-vector primitives.
//!
//! `Bool` is not Rust's `bool`, so a definition cannot branch on data; it must use [`Domain::ite`]. The domains are
//! [`super::Concrete`] (interpreter, constant folder) and the verifier's `Symbolic` (prover).

use super::float::{self, FloatResult, RoundedOperation};
use super::integer;
use crate::bits::Bits;
use std::fmt::Debug;

/// Bit-vector arithmetic over some representation. Operands of one call have one width unless stated otherwise.
pub trait Domain {
    /// A bit-vector of known width, at least 1.
    type Bits: Clone + Debug;
    /// A truth value.
    type Bool: Clone + Debug;

    /// The width of `a`, in bits.
    fn width(&self, a: &Self::Bits) -> u32;
    /// The value as a constant.
    fn constant(&mut self, value: Bits) -> Self::Bits;
    /// The truth value as a constant.
    fn boolean(&mut self, value: bool) -> Self::Bool;
    /// A nondeterministic choice, made once: a seeded pick when run, a quantified variable when proved.
    fn choose(&mut self, width: u32) -> Self::Bits;
    /// The value, where the domain can tell that it is one number in every execution. No definition of an opcode asks;
    /// a call does, whose argument says how it is ordered among threads.
    fn known(&self, _: &Self::Bits) -> Option<Bits> {
        None
    }

    /// The sum, modulo 2 to the width. Operands of arithmetic have one width.
    fn add(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// The difference, modulo 2 to the width.
    fn sub(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// The product, modulo 2 to the width.
    fn mul(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Unsigned quotient; all ones if `b` is zero (SMT-LIB's `bvudiv`).
    fn udiv(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Unsigned remainder; `a` if `b` is zero (SMT-LIB's `bvurem`).
    fn urem(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Signed quotient rounded to zero; by SMT-LIB's `bvsdiv` where `b` is zero, wrapping for the least value by -1.
    fn sdiv(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Signed remainder with the sign of `a` (SMT-LIB's `bvsrem`).
    fn srem(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;

    /// Bitwise and.
    fn and(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise or.
    fn or(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise exclusive or.
    fn xor(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Every bit inverted.
    fn not(&mut self, a: &Self::Bits) -> Self::Bits;
    /// Shifts; zero (or the sign, for `ashr`) once the amount, unsigned, reaches the width.
    fn shl(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits;
    /// Shifted down with zeros coming in; 0 once the amount reaches the width.
    fn lshr(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits;
    /// Shifted down with copies of the highest bit coming in; all of those once the amount reaches the width.
    fn ashr(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits;

    /// `high` above `low`; widths add.
    fn concat(&mut self, high: &Self::Bits, low: &Self::Bits) -> Self::Bits;
    /// Bits `offset .. offset + width`.
    fn extract(&mut self, a: &Self::Bits, offset: u32, width: u32) -> Self::Bits;
    /// Zero-extended to `width`, which is at least the old one.
    fn zext(&mut self, a: &Self::Bits, width: u32) -> Self::Bits;
    /// Sign-extended to `width`, which is at least the old one.
    fn sext(&mut self, a: &Self::Bits, width: u32) -> Self::Bits;

    /// True where both are equal.
    fn eq(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool;
    /// True where `a` is less by the unsigned readings.
    fn ult(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool;
    /// True where `a` is less by the signed readings.
    fn slt(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool;

    /// `a` where the condition holds, else `b`.
    fn ite(&mut self, condition: &Self::Bool, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// True where both are.
    fn bool_and(&mut self, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;
    /// True where one is.
    fn bool_or(&mut self, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;
    /// True where it is not.
    fn bool_not(&mut self, a: &Self::Bool) -> Self::Bool;
    /// `a` where the condition holds, else `b`.
    fn bool_ite(&mut self, condition: &Self::Bool, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;

    /// An operation of floating point that rounds, on the operands that it names. What it gives for a NaN, or where the
    /// result is one, means nothing. By its definition over the primitives; a domain may know a shorter way to the
    /// same, and the prover's has an unknown function of the operands.
    fn rounded(&mut self, operation: RoundedOperation, args: &[Self::Bits]) -> FloatResult<Self::Bits> {
        float::by_definition(self, operation, args)
    }

    // Derived.

    /// A constant of small value.
    fn literal(&mut self, value: i64, width: u32) -> Self::Bits {
        self.constant(Bits::from_i64(value, width))
    }

    /// One bit: 1 if true.
    fn bit(&mut self, condition: &Self::Bool) -> Self::Bits {
        let one = self.literal(1, 1);
        let zero = self.literal(0, 1);
        self.ite(condition, &one, &zero)
    }

    /// True where they differ.
    fn ne(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let equal = self.eq(a, b);
        self.bool_not(&equal)
    }

    /// True where `a` is less or equal by the unsigned readings.
    fn ule(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let greater = self.ult(b, a);
        self.bool_not(&greater)
    }

    /// True where `a` is less or equal by the signed readings.
    fn sle(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let greater = self.slt(b, a);
        self.bool_not(&greater)
    }

    /// True where no bit is set.
    fn is_zero(&mut self, a: &Self::Bits) -> Self::Bool {
        let zero = self.literal(0, self.width(a));
        self.eq(a, &zero)
    }

    /// True if the sign bit is set.
    fn is_negative(&mut self, a: &Self::Bits) -> Self::Bool {
        let zero = self.literal(0, self.width(a));
        self.slt(a, &zero)
    }

    /// True where the sum does not fit the width by the unsigned readings. (For a difference that is [`Domain::ult`].)
    fn uadd_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let sum = self.add(a, b);
        self.ult(&sum, a)
    }

    /// True where the sum does not fit the width by the signed readings.
    fn sadd_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let sum = self.add(a, b);
        integer::crossed(self, a, b, &sum, true)
    }

    /// True where the difference does not fit the width by the signed readings.
    fn ssub_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool {
        let difference = self.sub(a, b);
        integer::crossed(self, a, b, &difference, false)
    }

    /// Reduced or zero-extended to `width`.
    fn zext_or_trunc(&mut self, a: &Self::Bits, width: u32) -> Self::Bits {
        match width < self.width(a) {
            true => self.extract(a, 0, width),
            false => self.zext(a, width),
        }
    }

    /// Reduced or sign-extended to `width`.
    fn sext_or_trunc(&mut self, a: &Self::Bits, width: u32) -> Self::Bits {
        match width < self.width(a) {
            true => self.extract(a, 0, width),
            false => self.sext(a, width),
        }
    }
}

/// The methods on booleans of a domain whose booleans are `bool`.
macro_rules! plain_booleans {
    () => {
        fn bool_and(&mut self, a: &bool, b: &bool) -> bool {
            *a && *b
        }
        fn bool_or(&mut self, a: &bool, b: &bool) -> bool {
            *a || *b
        }
        fn bool_not(&mut self, a: &bool) -> bool {
            !*a
        }
        fn bool_ite(&mut self, condition: &bool, a: &bool, b: &bool) -> bool {
            if *condition { *a } else { *b }
        }
    };
}
pub(super) use plain_booleans;
