//! The concrete domain: what the interpreter and the constant folder compute with.

use super::Domain;
use crate::bits::Bits;

/// How free choices are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    Zeros,
    Ones,
    /// Pseudo-random from this state.
    Seeded(u64),
}

/// Evaluates on numbers.
#[derive(Clone, Debug)]
pub struct Concrete {
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
            Choice::Seeded(state) => {
                let high = u128::from(split_mix(state));
                Bits::new(high << 64 | u128::from(split_mix(state)), width)
            }
        }
    }
    fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned().wrapping_add(b.unsigned()), a.width())
    }
    fn sub(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned().wrapping_sub(b.unsigned()), a.width())
    }
    fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned().wrapping_mul(b.unsigned()), a.width())
    }
    fn udiv(&mut self, a: &Bits, b: &Bits) -> Bits {
        a.unsigned().checked_div(b.unsigned()).map_or(Bits::ones(a.width()), |quotient| Bits::new(quotient, a.width()))
    }
    fn urem(&mut self, a: &Bits, b: &Bits) -> Bits {
        a.unsigned().checked_rem(b.unsigned()).map_or(*a, |remainder| Bits::new(remainder, a.width()))
    }
    fn sdiv(&mut self, a: &Bits, b: &Bits) -> Bits {
        match b.is_zero() {
            true if a.signed() < 0 => Bits::new(1, a.width()),
            true => Bits::ones(a.width()),
            false => Bits::new(a.signed().wrapping_div(b.signed()) as u128, a.width()),
        }
    }
    fn srem(&mut self, a: &Bits, b: &Bits) -> Bits {
        match b.is_zero() {
            true => *a,
            false => Bits::new(a.signed().wrapping_rem(b.signed()) as u128, a.width()),
        }
    }
    fn and(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned() & b.unsigned(), a.width())
    }
    fn or(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned() | b.unsigned(), a.width())
    }
    fn xor(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.unsigned() ^ b.unsigned(), a.width())
    }
    fn not(&mut self, a: &Bits) -> Bits {
        Bits::new(!a.unsigned(), a.width())
    }
    fn shl(&mut self, a: &Bits, amount: &Bits) -> Bits {
        Bits::new(a.unsigned().checked_shl(shift(amount, a.width())).unwrap_or(0), a.width())
    }
    fn lshr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        Bits::new(a.unsigned().checked_shr(shift(amount, a.width())).unwrap_or(0), a.width())
    }
    fn ashr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        Bits::new((a.signed() >> shift(amount, a.width()).min(127)) as u128, a.width())
    }
    fn concat(&mut self, high: &Bits, low: &Bits) -> Bits {
        Bits::new(high.unsigned() << low.width() | low.unsigned(), high.width() + low.width())
    }
    fn extract(&mut self, a: &Bits, offset: u32, width: u32) -> Bits {
        a.extract(offset, width)
    }
    fn zext(&mut self, a: &Bits, width: u32) -> Bits {
        a.zext_or_trunc(width)
    }
    fn sext(&mut self, a: &Bits, width: u32) -> Bits {
        a.sext_or_trunc(width)
    }
    fn eq(&mut self, a: &Bits, b: &Bits) -> bool {
        a == b
    }
    fn ult(&mut self, a: &Bits, b: &Bits) -> bool {
        a.unsigned() < b.unsigned()
    }
    fn slt(&mut self, a: &Bits, b: &Bits) -> bool {
        a.signed() < b.signed()
    }
    fn ite(&mut self, condition: &bool, a: &Bits, b: &Bits) -> Bits {
        if *condition { *a } else { *b }
    }
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
}

/// The amount, or 128 (which no shift of a `u128` accepts) once it reaches the width.
fn shift(amount: &Bits, width: u32) -> u32 {
    if amount.unsigned() < u128::from(width) { amount.low_u64() as u32 } else { 128 }
}

/// Steele, Lea and Flood's SplitMix64.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
