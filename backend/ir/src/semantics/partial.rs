//! The partial domain: numbers of which some bits are open, because a free choice decides them.
//!
//! What the interpreter computes with: one run then says which bits of its results hold whatever the choices. An open bit
//! may be either; a bit that is not open is as the value says. Marking too many bits open is sound, too few is not.

use super::{Choice, Concrete, Domain};
use crate::bits::Bits;

/// A value; where `open` has a bit set, the value's bit means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialBits {
    pub value: Bits,
    pub open: Bits,
}

/// A truth value, or one that a choice decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialBool {
    pub value: bool,
    pub open: bool,
}

impl PartialBits {
    pub fn known(value: Bits) -> PartialBits {
        PartialBits { value, open: Bits::zero(value.width()) }
    }

    pub fn width(&self) -> u32 {
        self.value.width()
    }

    pub fn is_known(&self) -> bool {
        self.open.is_zero()
    }

    pub fn zext_or_trunc(&self, width: u32) -> PartialBits {
        PartialBits { value: self.value.zext_or_trunc(width), open: self.open.zext_or_trunc(width) }
    }

    fn all_open(width: u32) -> PartialBits {
        PartialBits { value: Bits::zero(width), open: Bits::ones(width) }
    }
}

impl PartialBool {
    pub fn known(value: bool) -> PartialBool {
        PartialBool { value, open: false }
    }

    /// True for sure.
    pub fn holds(&self) -> bool {
        self.value && !self.open
    }
}

/// Computes on values with open bits. Choices are zeros, all open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Partial;

const CONCRETE: Concrete = Concrete { choice: Choice::Zeros };

type Binary = fn(&mut Concrete, &Bits, &Bits) -> Bits;

/// The plain operation where all is known.
fn whole(f: Binary, a: &PartialBits, b: &PartialBits) -> PartialBits {
    match a.is_known() && b.is_known() {
        true => PartialBits::known(f(&mut CONCRETE.clone(), &a.value, &b.value)),
        false => PartialBits::all_open(a.width()),
    }
}

/// Sums and products: a bit depends on bits at and below it.
fn upward(f: Binary, a: &PartialBits, b: &PartialBits) -> PartialBits {
    let value = f(&mut CONCRETE.clone(), &a.value, &b.value);
    let open = a.open.or(b.open);
    match open.is_zero() {
        true => PartialBits::known(value),
        false => PartialBits { value, open: Bits::ones(value.width()).shl(open.trailing_zeros()) },
    }
}

fn shifted(f: Binary, a: &PartialBits, amount: &PartialBits) -> PartialBits {
    let mut d = CONCRETE;
    match amount.is_known() {
        true => PartialBits { value: f(&mut d, &a.value, &amount.value), open: f(&mut d, &a.open, &amount.value) },
        false => PartialBits::all_open(a.width()),
    }
}

fn compared(f: fn(&mut Concrete, &Bits, &Bits) -> bool, a: &PartialBits, b: &PartialBits) -> PartialBool {
    PartialBool { value: f(&mut CONCRETE.clone(), &a.value, &b.value), open: !(a.is_known() && b.is_known()) }
}

impl Domain for Partial {
    type Bits = PartialBits;
    type Bool = PartialBool;

    fn width(&self, a: &PartialBits) -> u32 {
        a.width()
    }
    fn constant(&mut self, value: Bits) -> PartialBits {
        PartialBits::known(value)
    }
    fn boolean(&mut self, value: bool) -> PartialBool {
        PartialBool::known(value)
    }
    fn choose(&mut self, width: u32) -> PartialBits {
        PartialBits::all_open(width)
    }
    fn add(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        upward(Concrete::add, a, b)
    }
    fn sub(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        upward(Concrete::sub, a, b)
    }
    fn mul(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        upward(Concrete::mul, a, b)
    }
    fn udiv(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        whole(Concrete::udiv, a, b)
    }
    fn urem(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        whole(Concrete::urem, a, b)
    }
    fn sdiv(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        whole(Concrete::sdiv, a, b)
    }
    fn srem(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        whole(Concrete::srem, a, b)
    }
    fn and(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        let (x, y) = (a.value.or(a.open), b.value.or(b.open));
        // A zero that is known on one side is known in the result.
        let open = a.open.or(b.open).and(x).and(y);
        PartialBits { value: a.value.and(b.value), open }
    }
    fn or(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        let ones = a.value.and(a.open.not()).or(b.value.and(b.open.not()));
        let open = a.open.or(b.open).and(ones.not());
        PartialBits { value: a.value.or(b.value), open }
    }
    fn xor(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBits {
        PartialBits { value: a.value.xor(b.value), open: a.open.or(b.open) }
    }
    fn not(&mut self, a: &PartialBits) -> PartialBits {
        PartialBits { value: a.value.not(), open: a.open }
    }
    fn shl(&mut self, a: &PartialBits, amount: &PartialBits) -> PartialBits {
        shifted(Concrete::shl, a, amount)
    }
    fn lshr(&mut self, a: &PartialBits, amount: &PartialBits) -> PartialBits {
        shifted(Concrete::lshr, a, amount)
    }
    fn ashr(&mut self, a: &PartialBits, amount: &PartialBits) -> PartialBits {
        // An open sign spreads as an open sign.
        shifted(Concrete::ashr, a, amount)
    }
    fn concat(&mut self, high: &PartialBits, low: &PartialBits) -> PartialBits {
        let mut d = CONCRETE;
        PartialBits { value: d.concat(&high.value, &low.value), open: d.concat(&high.open, &low.open) }
    }
    fn extract(&mut self, a: &PartialBits, offset: u32, width: u32) -> PartialBits {
        PartialBits { value: a.value.extract(offset, width), open: a.open.extract(offset, width) }
    }
    fn zext(&mut self, a: &PartialBits, width: u32) -> PartialBits {
        a.zext_or_trunc(width)
    }
    fn sext(&mut self, a: &PartialBits, width: u32) -> PartialBits {
        PartialBits { value: a.value.sext_or_trunc(width), open: a.open.sext_or_trunc(width) }
    }
    fn eq(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBool {
        let open = a.open.or(b.open);
        let differ = !a.value.xor(b.value).and(open.not()).is_zero();
        PartialBool { value: !differ, open: !differ && !open.is_zero() }
    }
    fn is_zero(&mut self, a: &PartialBits) -> PartialBool {
        if a.is_known() {
            return PartialBool::known(a.value.is_zero());
        }
        let differs = !a.value.and(a.open.not()).is_zero();
        PartialBool { value: !differs, open: !differs }
    }
    fn ult(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBool {
        compared(Concrete::ult, a, b)
    }
    fn slt(&mut self, a: &PartialBits, b: &PartialBits) -> PartialBool {
        // A sign alone decides against zero.
        if b.is_known() && b.value.is_zero() {
            let sign = a.width() - 1;
            return PartialBool { value: a.value.bit(sign), open: a.open.bit(sign) };
        }
        compared(Concrete::slt, a, b)
    }
    fn ite(&mut self, condition: &PartialBool, a: &PartialBits, b: &PartialBits) -> PartialBits {
        if !condition.open {
            return if condition.value { *a } else { *b };
        }
        let differ = a.value.xor(b.value);
        PartialBits { value: a.value, open: a.open.or(b.open).or(differ) }
    }
    fn bool_and(&mut self, a: &PartialBool, b: &PartialBool) -> PartialBool {
        let refuted = (!a.value && !a.open) || (!b.value && !b.open);
        PartialBool { value: !refuted && a.value && b.value, open: !refuted && (a.open || b.open) }
    }
    fn bool_or(&mut self, a: &PartialBool, b: &PartialBool) -> PartialBool {
        let shown = a.holds() || b.holds();
        PartialBool { value: shown || a.value || b.value, open: !shown && (a.open || b.open) }
    }
    fn bool_not(&mut self, a: &PartialBool) -> PartialBool {
        PartialBool { value: !a.value, open: a.open }
    }
    fn bool_ite(&mut self, condition: &PartialBool, a: &PartialBool, b: &PartialBool) -> PartialBool {
        if !condition.open {
            return if condition.value { *a } else { *b };
        }
        PartialBool { value: a.value, open: a.open || b.open || a.value != b.value }
    }
}
