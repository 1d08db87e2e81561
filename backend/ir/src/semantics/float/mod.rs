//! IEEE 754 arithmetic, stated once over the primitives of a [`Domain`]: the meaning of generic opcodes, of calls of
//! soft-float functions and of machine instructions.
//!
//! A result has three parts, one file each. Operands fall into classes (`parts.rs`): NaNs, infinities, zeros, numbers.
//! An operation on numbers is computed exactly and rounded once (`exact.rs`, `round.rs`). A result that is a NaN
//! follows a [`NanRule`] (`nan.rs`). Machines and LLVM agree on the second part and differ in the third.
//!
//! An operation that rounds goes through [`Domain::rounded`]: a domain of numbers evaluates `exact.rs`, the prover's
//! domain has an unknown function instead. What moves, compares or classifies bits does not go through it, nor does
//! what makes an integer of a number (`integral.rs`): the prover decides those by bits.
//!
//! Sources: IEEE 754-2019; LLVM's LangRef, "Behavior of Floating-Point NaN values"; the RISC-V manual, chapter "F"; the
//! Arm ARM, "Floating-point NaN propagation".
//!
//! Invariant: a definition takes as many steps as the format has, whatever the operands are.

mod arithmetic;
mod comparison;
mod elementary;
mod environment;
mod exact;
mod integral;
mod nan;
mod opcodes;
mod parts;
mod round;

pub use arithmetic::{add, div, extend, fma, from_integer, mul, rem, scale, sqrt, sub, truncate};
pub use comparison::{Comparison, Extremum, FloatClasses, classify, compare, extremum};
pub use elementary::ElementaryFunction;
pub(super) use elementary::on_words;
pub use environment::FloatEnvironment;
pub use exact::{RoundedOperation, by_definition};
pub use integral::{IntegerForm, RoundedInteger, round_to_integral, to_integer};
pub use nan::{NanRule, canonical_nan};
pub(super) use opcodes::{broken_by, evaluate};

use super::Domain;
use crate::bits::Bits;

/// A rounding direction; its number is RISC-V's `rm`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RoundingMode {
    /// To the nearest, ties to even: the default everywhere.
    NearestEven,
    /// Towards zero.
    TowardZero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
    /// To the nearest, ties away from zero.
    NearestAway,
}

impl RoundingMode {
    /// Every mode, by its number.
    pub const ALL: [RoundingMode; 5] = {
        use RoundingMode::*;
        [NearestEven, TowardZero, Down, Up, NearestAway]
    };

    /// The width of a mode as a value, in bits.
    pub const BITS: u32 = 3;

    /// The mode's number as C's `FLT_ROUNDS` and LLVM's `G_GET_ROUNDING` have it.
    pub const fn flt_rounds(self) -> i64 {
        match self {
            RoundingMode::TowardZero => 0,
            RoundingMode::NearestEven => 1,
            RoundingMode::Up => 2,
            RoundingMode::Down => 3,
            RoundingMode::NearestAway => 4,
        }
    }

    /// The mode as a value: three bits.
    pub fn bits(self) -> Bits {
        Bits::new(self as u128, RoundingMode::BITS)
    }
}

/// The number of exception flags.
pub const FLAG_BITS: u32 = 5;

/// An exception flag, as its place in the five bits: the order of RISC-V's `fflags`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatFlag {
    /// The result is not exact.
    Inexact,
    /// The result is inexact, and tiny after rounding, or before.
    Underflow,
    /// The rounded result exceeds the format's greatest number.
    Overflow,
    /// A number divided by zero.
    DivideByZero,
    /// A signalling operand, or an operation without a result.
    Invalid,
}

/// The rules under which an operation is evaluated.
#[derive(Debug)]
pub struct FloatRules<D: Domain + ?Sized> {
    /// The NaN that an operation returns.
    pub nan: NanRule,
    /// The rounding mode: [`RoundingMode::BITS`] bits. Numbers that are no mode round towards zero. One more bit may
    /// stand above: it is set on a machine that tells a tiny result before it is rounded (IEEE 754-2019, 7.5).
    pub mode: D::Bits,
}

impl<D: Domain + ?Sized> FloatRules<D> {
    /// These rules, with a mode that is known.
    pub fn new(d: &mut D, nan: NanRule, mode: RoundingMode) -> FloatRules<D> {
        FloatRules { nan, mode: d.constant(mode.bits()) }
    }

    /// Those of LLVM's default environment: to nearest even, and any NaN that LangRef allows.
    pub fn generic(d: &mut D) -> FloatRules<D> {
        FloatRules::new(d, NanRule::Generic, RoundingMode::NearestEven)
    }
}

/// A floating-point number and the exceptions of the operation.
#[derive(Clone, Debug)]
pub struct FloatResult<B> {
    /// The number's bits.
    pub bits: B,
    /// The flags raised: [`FLAG_BITS`] bits, by [`FloatFlag`].
    pub flags: B,
}

impl<B> FloatResult<B> {
    /// The same where this flag is not raised.
    pub fn without<D: Domain<Bits = B> + ?Sized>(self, d: &mut D, flag: FloatFlag) -> FloatResult<B> {
        let others = d.constant(Bits::one_bit(flag as u32, FLAG_BITS).not());
        FloatResult { bits: self.bits, flags: d.and(&self.flags, &others) }
    }
}

/// Five flags, of which `raised` are set where their condition holds.
pub fn flags<D: Domain + ?Sized>(d: &mut D, raised: &[(FloatFlag, &D::Bool)]) -> D::Bits {
    let zero = d.literal(0, FLAG_BITS);
    raised.iter().fold(zero.clone(), |all, (flag, condition)| {
        let bit = d.literal(1 << *flag as u32, FLAG_BITS);
        let bit = d.ite(condition, &bit, &zero);
        d.or(&all, &bit)
    })
}

/// True where one of these is.
fn any<D: Domain + ?Sized>(d: &mut D, conditions: &[&D::Bool]) -> D::Bool {
    let none = d.boolean(false);
    conditions.iter().fold(none, |any, condition| d.bool_or(&any, condition))
}

/// True where all of these are.
fn all<D: Domain + ?Sized>(d: &mut D, conditions: &[&D::Bool]) -> D::Bool {
    let every = d.boolean(true);
    conditions.iter().fold(every, |all, condition| d.bool_and(&all, condition))
}

/// True where exactly one of both is.
fn differ<D: Domain + ?Sized>(d: &mut D, a: &D::Bool, b: &D::Bool) -> D::Bool {
    let not = d.bool_not(b);
    d.bool_ite(a, &not, b)
}
