//! The partial domain: numbers of which some bits are unknown. An unknown bit is unconstrained: a nondeterministic
//! choice decides it.
//!
//! The interpreter computes in it, so one run tells which bits of its results hold for every resolution of
//! nondeterminism. An unknown bit may be 0 or 1; a bit that is known has the value's bit. Marking too many bits unknown
//! is sound, too few is not.

use super::float::{FLAG_BITS, FloatResult, RoundedOperation};
use super::{Choice, Concrete, Domain, Number, Words};
use crate::bits::Bits;
use smallvec::SmallVec;

/// A value; where `unknown` has a bit set, the value's bit means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialBits<N = Bits> {
    /// The bits that are known; 0 where they are unknown.
    pub value: N,
    /// Set where the bit is unconstrained: a nondeterministic choice decides it.
    pub unknown: N,
}

/// A truth value, or one that a nondeterministic choice decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialBool {
    /// The truth value where it is known; false where it is unknown.
    pub value: bool,
    /// True if a nondeterministic choice decides.
    pub unknown: bool,
}

impl<N: Number> PartialBits<N> {
    /// A number whose bits are all known.
    pub fn known(value: N) -> PartialBits<N> {
        PartialBits { value, unknown: N::zero(value.width()) }
    }

    /// The width in bits.
    pub fn width(&self) -> u32 {
        self.value.width()
    }

    /// True if no bit is unknown.
    pub fn is_known(&self) -> bool {
        self.unknown.is_zero()
    }

    /// Cut to `width` bits, or zero-extended with known zeros.
    pub fn zext_or_trunc(&self, width: u32) -> PartialBits<N> {
        PartialBits { value: self.value.zext_or_trunc(width), unknown: self.unknown.zext_or_trunc(width) }
    }
}

impl PartialBool {
    /// A truth value that no choice decides.
    pub fn known(value: bool) -> PartialBool {
        PartialBool { value, unknown: false }
    }

    /// True for sure.
    pub fn holds(&self) -> bool {
        self.value && !self.unknown
    }
}

/// Computes on values with unknown bits, through the domain `C` on numbers.
#[derive(Clone, Copy, Debug)]
pub struct Partial<C = Concrete> {
    /// The domain on numbers.
    pub numbers: C,
    /// The low bits of every choice; `None` leaves choices open: zeros, all unknown.
    pub choice: Option<u64>,
}

impl Default for Partial<Concrete> {
    fn default() -> Partial<Concrete> {
        Partial { numbers: Concrete { choice: Choice::Zeros }, choice: None }
    }
}

impl Default for Partial<Words> {
    fn default() -> Partial<Words> {
        Partial { numbers: Words::default(), choice: None }
    }
}

type Of<C> = <C as Domain>::Bits;
type Binary<C> = fn(&mut C, &Of<C>, &Of<C>) -> Of<C>;

impl<C: Domain<Bits: Number, Bool = bool>> Partial<C> {
    fn all_open(&mut self, width: u32) -> PartialBits<Of<C>> {
        PartialBits { value: self.numbers.literal(0, width), unknown: self.numbers.literal(-1, width) }
    }

    /// The plain operation where all bits are known.
    fn whole(&mut self, f: Binary<C>, a: &PartialBits<Of<C>>, b: &PartialBits<Of<C>>) -> PartialBits<Of<C>> {
        match a.is_known() && b.is_known() {
            true => PartialBits::known(f(&mut self.numbers, &a.value, &b.value)),
            false => self.all_open(a.width()),
        }
    }

    /// Products: a bit depends on bits at and below it.
    fn upward(&mut self, f: Binary<C>, a: &PartialBits<Of<C>>, b: &PartialBits<Of<C>>) -> PartialBits<Of<C>> {
        let value = f(&mut self.numbers, &a.value, &b.value);
        if a.is_known() && b.is_known() {
            return PartialBits { value, unknown: a.unknown };
        }
        let unknown = self.numbers.or(&a.unknown, &b.unknown);
        let zero = self.numbers.literal(0, value.width());
        let negated = self.numbers.sub(&zero, &unknown);
        PartialBits { value, unknown: self.numbers.or(&unknown, &negated) }
    }

    /// A sum or difference is open where a bit of its operands is, or where the carry (or borrow) into a bit differs
    /// between the greatest and the least result. The greatest is of the greatest `a`, and of the least `b` if results
    /// fall as `b` rises.
    fn carried(
        &mut self,
        f: Binary<C>,
        (a, b): (&PartialBits<Of<C>>, &PartialBits<Of<C>>),
        falls: bool,
    ) -> PartialBits<Of<C>> {
        let value = f(&mut self.numbers, &a.value, &b.value);
        if a.is_known() && b.is_known() {
            return PartialBits::known(value);
        }
        let ((a_least, a_most), (b_least, b_most)) = (self.bounds(a), self.bounds(b));
        let (b_below, b_above) = if falls { (b_most, b_least) } else { (b_least, b_most) };
        let (most, fewest) = (self.carries(f, &a_most, &b_above), self.carries(f, &a_least, &b_below));
        let open = self.numbers.or(&a.unknown, &b.unknown);
        let differing = self.numbers.xor(&most, &fewest);
        PartialBits { value, unknown: self.numbers.or(&open, &differing) }
    }

    /// The carries (or borrows) into each bit.
    fn carries(&mut self, f: Binary<C>, a: &Of<C>, b: &Of<C>) -> Of<C> {
        let (result, without) = (f(&mut self.numbers, a, b), self.numbers.xor(a, b));
        self.numbers.xor(&result, &without)
    }

    /// A shift. By an unknown amount, zero alone stays known.
    fn shifted(&mut self, f: Binary<C>, a: &PartialBits<Of<C>>, amount: &PartialBits<Of<C>>) -> PartialBits<Of<C>> {
        match (amount.is_known(), a.is_known()) {
            (false, true) if a.value.is_zero() => *a,
            (true, true) => PartialBits { value: f(&mut self.numbers, &a.value, &amount.value), unknown: a.unknown },
            (true, false) => PartialBits {
                value: f(&mut self.numbers, &a.value, &amount.value),
                unknown: f(&mut self.numbers, &a.unknown, &amount.value),
            },
            (false, _) => self.all_open(a.width()),
        }
    }

    /// The least and the greatest value by the unsigned readings.
    fn bounds(&mut self, a: &PartialBits<Of<C>>) -> (Of<C>, Of<C>) {
        (self.ones(a), self.numbers.or(&a.value, &a.unknown))
    }

    /// The same by the signed readings: an unknown sign is set in the least and clear in the greatest.
    fn signed_bounds(&mut self, a: &PartialBits<Of<C>>) -> (Of<C>, Of<C>) {
        let (least, greatest) = self.bounds(a);
        let (one, last) =
            (self.numbers.literal(1, a.width()), self.numbers.literal(i64::from(a.width()) - 1, a.width()));
        let sign = self.numbers.shl(&one, &last);
        let unknown = self.numbers.and(&sign, &a.unknown);
        let known = self.numbers.not(&unknown);
        (self.numbers.or(&least, &unknown), self.numbers.and(&greatest, &known))
    }

    /// Decided where all values of one are below all of the other, or none is.
    fn less_by_bounds(
        &mut self,
        less: fn(&mut C, &Of<C>, &Of<C>) -> bool,
        (a_least, a_greatest): (Of<C>, Of<C>),
        (b_least, b_greatest): (Of<C>, Of<C>),
    ) -> PartialBool {
        let (always, possible) =
            (less(&mut self.numbers, &a_greatest, &b_least), less(&mut self.numbers, &a_least, &b_greatest));
        PartialBool { value: always, unknown: !always && possible }
    }

    /// Decided where a result overflows for the extremes of the operands: the pairs with the least and the greatest
    /// exact result. One that overflows has the sign of `a`.
    fn overflow_by_bounds(
        &mut self,
        overflows: fn(&mut C, &Of<C>, &Of<C>) -> bool,
        least: (Of<C>, Of<C>),
        greatest: (Of<C>, Of<C>),
    ) -> PartialBool {
        let low = overflows(&mut self.numbers, &least.0, &least.1);
        let high = overflows(&mut self.numbers, &greatest.0, &greatest.1);
        let always = low && !self.numbers.is_negative(&least.0) || high && self.numbers.is_negative(&greatest.0);
        PartialBool { value: always, unknown: !always && (low || high) }
    }

    /// The bits that are certainly set.
    fn ones(&mut self, a: &PartialBits<Of<C>>) -> Of<C> {
        let closed = self.numbers.not(&a.unknown);
        self.numbers.and(&a.value, &closed)
    }
}

impl<C: Domain<Bits: Number, Bool = bool>> Domain for Partial<C> {
    type Bits = PartialBits<Of<C>>;
    type Bool = PartialBool;

    fn width(&self, a: &Self::Bits) -> u32 {
        a.width()
    }
    fn constant(&mut self, value: Bits) -> Self::Bits {
        PartialBits::known(self.numbers.constant(value))
    }
    fn boolean(&mut self, value: bool) -> PartialBool {
        PartialBool::known(value)
    }
    fn choose(&mut self, width: u32) -> Self::Bits {
        match self.choice {
            Some(choice) => self.constant(Bits::new(choice.into(), u64::BITS).zext_or_trunc(width)),
            None => self.all_open(width),
        }
    }
    fn add(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.carried(C::add, (a, b), false)
    }
    fn sub(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.carried(C::sub, (a, b), true)
    }
    fn mul(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.upward(C::mul, a, b)
    }
    fn udiv(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.whole(C::udiv, a, b)
    }
    fn urem(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.whole(C::urem, a, b)
    }
    fn sdiv(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.whole(C::sdiv, a, b)
    }
    fn srem(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        self.whole(C::srem, a, b)
    }
    fn and(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        let value = self.numbers.and(&a.value, &b.value);
        if a.is_known() && b.is_known() {
            return PartialBits { value, unknown: a.unknown };
        }
        // A zero that is known on one side is known in the result.
        let (x, y) = (self.numbers.or(&a.value, &a.unknown), self.numbers.or(&b.value, &b.unknown));
        let (unknown, both) = (self.numbers.or(&a.unknown, &b.unknown), self.numbers.and(&x, &y));
        PartialBits { value, unknown: self.numbers.and(&unknown, &both) }
    }
    fn or(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        let value = self.numbers.or(&a.value, &b.value);
        if a.is_known() && b.is_known() {
            return PartialBits { value, unknown: a.unknown };
        }
        let (x, y) = (self.ones(a), self.ones(b));
        let (unknown, ones) = (self.numbers.or(&a.unknown, &b.unknown), self.numbers.or(&x, &y));
        let unset = self.numbers.not(&ones);
        PartialBits { value, unknown: self.numbers.and(&unknown, &unset) }
    }
    fn xor(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        PartialBits { value: self.numbers.xor(&a.value, &b.value), unknown: self.numbers.or(&a.unknown, &b.unknown) }
    }
    fn not(&mut self, a: &Self::Bits) -> Self::Bits {
        PartialBits { value: self.numbers.not(&a.value), unknown: a.unknown }
    }
    fn shl(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits {
        self.shifted(C::shl, a, amount)
    }
    fn lshr(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits {
        self.shifted(C::lshr, a, amount)
    }
    fn ashr(&mut self, a: &Self::Bits, amount: &Self::Bits) -> Self::Bits {
        // An unknown sign spreads as an unknown sign.
        self.shifted(C::ashr, a, amount)
    }
    fn concat(&mut self, high: &Self::Bits, low: &Self::Bits) -> Self::Bits {
        PartialBits {
            value: self.numbers.concat(&high.value, &low.value),
            unknown: self.numbers.concat(&high.unknown, &low.unknown),
        }
    }
    fn extract(&mut self, a: &Self::Bits, offset: u32, width: u32) -> Self::Bits {
        PartialBits {
            value: self.numbers.extract(&a.value, offset, width),
            unknown: self.numbers.extract(&a.unknown, offset, width),
        }
    }
    fn zext(&mut self, a: &Self::Bits, width: u32) -> Self::Bits {
        PartialBits { value: self.numbers.zext(&a.value, width), unknown: self.numbers.zext(&a.unknown, width) }
    }
    fn sext(&mut self, a: &Self::Bits, width: u32) -> Self::Bits {
        PartialBits { value: self.numbers.sext(&a.value, width), unknown: self.numbers.sext(&a.unknown, width) }
    }
    fn eq(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(a.value == b.value);
        }
        let unknown = self.numbers.or(&a.unknown, &b.unknown);
        let (closed, difference) = (self.numbers.not(&unknown), self.numbers.xor(&a.value, &b.value));
        let differ = !self.numbers.and(&difference, &closed).is_zero();
        PartialBool { value: !differ, unknown: !differ }
    }
    fn is_zero(&mut self, a: &Self::Bits) -> PartialBool {
        if a.is_known() {
            return PartialBool::known(a.value.is_zero());
        }
        let differs = !self.ones(a).is_zero();
        PartialBool { value: !differs, unknown: !differs }
    }
    fn ult(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(self.numbers.ult(&a.value, &b.value));
        }
        let (a, b) = (self.bounds(a), self.bounds(b));
        self.less_by_bounds(C::ult, a, b)
    }
    fn slt(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(self.numbers.slt(&a.value, &b.value));
        }
        let (a, b) = (self.signed_bounds(a), self.signed_bounds(b));
        self.less_by_bounds(C::slt, a, b)
    }
    fn uadd_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(self.numbers.uadd_overflows(&a.value, &b.value));
        }
        let ((a_least, a_most), (b_least, b_most)) = (self.bounds(a), self.bounds(b));
        let always = self.numbers.uadd_overflows(&a_least, &b_least);
        PartialBool { value: always, unknown: !always && self.numbers.uadd_overflows(&a_most, &b_most) }
    }
    fn sadd_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(self.numbers.sadd_overflows(&a.value, &b.value));
        }
        let ((a_least, a_most), (b_least, b_most)) = (self.signed_bounds(a), self.signed_bounds(b));
        self.overflow_by_bounds(C::sadd_overflows, (a_least, b_least), (a_most, b_most))
    }
    fn ssub_overflows(&mut self, a: &Self::Bits, b: &Self::Bits) -> PartialBool {
        if a.is_known() && b.is_known() {
            return PartialBool::known(self.numbers.ssub_overflows(&a.value, &b.value));
        }
        let ((a_least, a_most), (b_least, b_most)) = (self.signed_bounds(a), self.signed_bounds(b));
        self.overflow_by_bounds(C::ssub_overflows, (a_least, b_most), (a_most, b_least))
    }
    fn ite(&mut self, condition: &PartialBool, a: &Self::Bits, b: &Self::Bits) -> Self::Bits {
        if !condition.unknown {
            return if condition.value { *a } else { *b };
        }
        let (unknown, differ) = (self.numbers.or(&a.unknown, &b.unknown), self.numbers.xor(&a.value, &b.value));
        PartialBits { value: a.value, unknown: self.numbers.or(&unknown, &differ) }
    }
    fn bool_and(&mut self, a: &PartialBool, b: &PartialBool) -> PartialBool {
        let refuted = (!a.value && !a.unknown) || (!b.value && !b.unknown);
        PartialBool { value: !refuted && a.value && b.value, unknown: !refuted && (a.unknown || b.unknown) }
    }
    fn bool_or(&mut self, a: &PartialBool, b: &PartialBool) -> PartialBool {
        let shown = a.holds() || b.holds();
        PartialBool { value: shown || a.value || b.value, unknown: !shown && (a.unknown || b.unknown) }
    }
    fn bool_not(&mut self, a: &PartialBool) -> PartialBool {
        PartialBool { value: !a.value, unknown: a.unknown }
    }
    fn bool_ite(&mut self, condition: &PartialBool, a: &PartialBool, b: &PartialBool) -> PartialBool {
        if !condition.unknown {
            return if condition.value { *a } else { *b };
        }
        PartialBool { value: a.value, unknown: a.unknown || b.unknown || a.value != b.value }
    }
    /// Every bit depends on every bit of the operands.
    fn rounded(&mut self, operation: RoundedOperation, args: &[Self::Bits]) -> FloatResult<Self::Bits> {
        if args.iter().all(PartialBits::is_known) {
            let args: SmallVec<[Of<C>; 4]> = args.iter().map(|arg| arg.value).collect();
            let FloatResult { bits, flags } = self.numbers.rounded(operation, &args);
            return FloatResult { bits: PartialBits::known(bits), flags: PartialBits::known(flags) };
        }
        FloatResult { bits: self.all_open(operation.format().bits()), flags: self.all_open(FLAG_BITS) }
    }
}
