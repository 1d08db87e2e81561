//! A bit-vector constant of known width: what a `G_CONSTANT` holds and what the concrete domain computes with.
//!
//! Invariant: the bits above `width` are zero, so equality of two `Bits` is equality of values.
//! The representation is private: widening it beyond 128 bits touches this file only.

use std::fmt;

/// The widest value that can be represented, in bits.
pub const MAX_BITS: u32 = 128;

/// An unsigned value of `1..=MAX_BITS` bits; signed readings are by two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bits {
    limbs: [u64; 2],
    width: u16,
}

impl Bits {
    /// `value` reduced modulo `2^width`. Panics unless `1 <= width <= MAX_BITS`; readers of text check first.
    pub fn new(value: u128, width: u32) -> Bits {
        assert!((1..=MAX_BITS).contains(&width), "width {width} is outside 1..={MAX_BITS}");
        let value = value & mask(width);
        Bits { limbs: [value as u64, (value >> 64) as u64], width: width as u16 }
    }

    /// `value` sign-extended or reduced to `width` bits.
    pub fn from_i64(value: i64, width: u32) -> Bits {
        Bits::new(i128::from(value) as u128, width)
    }

    pub fn zero(width: u32) -> Bits {
        Bits::new(0, width)
    }

    pub fn ones(width: u32) -> Bits {
        Bits::new(u128::MAX, width)
    }

    /// Only the sign bit set: the least signed value.
    pub fn signed_min(width: u32) -> Bits {
        Bits::new(1 << (width - 1), width)
    }

    pub fn width(self) -> u32 {
        u32::from(self.width)
    }

    pub fn unsigned(self) -> u128 {
        u128::from(self.limbs[0]) | u128::from(self.limbs[1]) << 64
    }

    /// The two's complement reading.
    pub fn signed(self) -> i128 {
        let shift = 128 - self.width();
        ((self.unsigned() << shift) as i128) >> shift
    }

    /// The low 64 bits, zero-extended when narrower.
    pub fn low_u64(self) -> u64 {
        self.limbs[0]
    }

    /// The signed reading if it fits an `i64`.
    pub fn to_i64(self) -> Option<i64> {
        i64::try_from(self.signed()).ok()
    }

    pub fn is_zero(self) -> bool {
        self.limbs == [0, 0]
    }

    pub fn bit(self, index: u32) -> bool {
        index < self.width() && self.unsigned() >> index & 1 == 1
    }

    /// Reduced or zero-extended to `width` bits.
    pub fn zext_or_trunc(self, width: u32) -> Bits {
        Bits::new(self.unsigned(), width)
    }

    /// Reduced or sign-extended to `width` bits.
    pub fn sext_or_trunc(self, width: u32) -> Bits {
        Bits::new(self.signed() as u128, width)
    }

    /// Bits `offset .. offset + width`.
    pub fn extract(self, offset: u32, width: u32) -> Bits {
        Bits::new(self.unsigned() >> offset, width)
    }
}

/// `2^width - 1`.
fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// As LLVM prints a constant integer: signed decimal, but `true` and `false` for one bit.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width {
            1 => write!(f, "{}", self.limbs[0] == 1),
            _ => write!(f, "{}", self.signed()),
        }
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}:{}", self.unsigned(), self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_reading_is_two_complement() {
        assert_eq!(Bits::new(0xff, 8).signed(), -1);
        assert_eq!(Bits::new(1, 1).signed(), -1);
        assert_eq!(Bits::signed_min(128).signed(), i128::MIN);
        assert_eq!(Bits::from_i64(-1, 128), Bits::ones(128));
    }

    #[test]
    fn high_bits_are_dropped() {
        assert_eq!(Bits::new(0x1ff, 8), Bits::new(0xff, 8));
        assert_eq!(Bits::new(0x80, 8).sext_or_trunc(16).unsigned(), 0xff80);
        assert_eq!(Bits::new(0xabcd, 16).extract(4, 8).unsigned(), 0xbc);
    }
}
