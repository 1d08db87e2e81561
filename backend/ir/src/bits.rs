//! A bit-vector constant of known width: the value of a `G_CONSTANT`, and the number of the concrete domain.
//!
//! Invariant: the bits above `width` are zero, so equality of two `Bits` is equality of values. Values of up to 128
//! bits are computed in machine words; only wider ones go through the wide integers.

use bnum::BUint;
use std::cmp::Ordering;
use std::fmt;

/// The widest value that can be represented, in bits.
pub const MAX_BITS: u32 = 512;

const LIMBS: usize = (MAX_BITS / 64) as usize;
type Wide = BUint<LIMBS>;

/// Values up to this width are computed as `u128`.
const WORDS: u32 = 128;

/// An unsigned value of `1..=MAX_BITS` bits; signed readings are by two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    limbs: [u64; LIMBS],
    width: u16,
}

#[expect(clippy::should_implement_trait, reason = "operators would hide that both operands must have one width")]
impl Bits {
    /// `value` reduced modulo `2^width`. Panics unless `1 <= width <= MAX_BITS`; readers of text check first.
    pub fn new(value: u128, width: u32) -> Bits {
        assert!((1..=MAX_BITS).contains(&width), "width {width} is outside 1..={MAX_BITS}");
        let value = if width < WORDS { value & (u128::MAX >> (WORDS - width)) } else { value };
        let mut limbs = [0; LIMBS];
        (limbs[0], limbs[1]) = (value as u64, (value >> 64) as u64);
        Bits { limbs, width: width as u16 }
    }

    fn wide(value: Wide, width: u32) -> Bits {
        assert!((1..=MAX_BITS).contains(&width), "width {width} is outside 1..={MAX_BITS}");
        let value = value & (Wide::MAX >> (MAX_BITS - width));
        Bits { limbs: *value.digits(), width: width as u16 }
    }

    fn whole(self) -> Wide {
        Wide::from_digits(self.limbs)
    }

    fn is_wide(self) -> bool {
        self.width() > WORDS
    }

    /// The low 128 bits.
    fn words(self) -> u128 {
        u128::from(self.limbs[0]) | u128::from(self.limbs[1]) << 64
    }

    /// `value` sign-extended or reduced to `width` bits.
    pub fn from_i64(value: i64, width: u32) -> Bits {
        Bits::new(i128::from(value) as u128, width.min(WORDS)).sext_or_trunc(width)
    }

    /// The integer 0 of `width` bits.
    pub fn zero(width: u32) -> Bits {
        Bits::new(0, width)
    }

    /// The integer of `width` bits that are all set.
    pub fn ones(width: u32) -> Bits {
        if width <= WORDS { Bits::new(u128::MAX, width) } else { Bits::wide(Wide::MAX, width) }
    }

    /// Only the sign bit set: the least signed value.
    pub fn signed_min(width: u32) -> Bits {
        Bits::one_bit(width - 1, width)
    }

    /// Only bit `index` set; zero if that is beyond the width.
    pub fn one_bit(index: u32, width: u32) -> Bits {
        Bits::new(1, width).shl(index)
    }

    /// A byte repeated over the whole width.
    pub fn repeated(byte: u8, width: u32) -> Bits {
        Bits::wide(Wide::from_digits([u64::from_le_bytes([byte; 8]); LIMBS]), width)
    }

    /// From random or given limbs, low limb first.
    pub fn from_limbs(limbs: impl FnMut(usize) -> u64, width: u32) -> Bits {
        Bits::wide(Wide::from_digits(std::array::from_fn(limbs)), width)
    }

    /// An unsigned decimal number; `None` if the text is none or does not fit `width` bits.
    pub fn parse_decimal(digits: &str, width: u32) -> Option<Bits> {
        let value = Wide::from_str_radix(digits, 10).ok()?;
        Some(Bits::wide(value, width)).filter(|bits| bits.whole() == value)
    }

    /// The width in bits.
    pub fn width(self) -> u32 {
        u32::from(self.width)
    }

    /// The limbs, low one first.
    pub fn limbs(self) -> [u64; LIMBS] {
        self.limbs
    }

    /// The value, or `u128::MAX` if it is greater.
    pub fn unsigned(self) -> u128 {
        if self.limbs[2..].iter().any(|&limb| limb != 0) { u128::MAX } else { self.words() }
    }

    /// The two's complement reading, or the nearest `i128`.
    pub fn signed(self) -> i128 {
        if !self.is_wide() {
            let shift = WORDS - self.width();
            return ((self.words() << shift) as i128) >> shift;
        }
        let low = self.zext_or_trunc(WORDS);
        match (low.sext_or_trunc(self.width()) == self, self.is_negative()) {
            (true, _) => low.signed(),
            (false, true) => i128::MIN,
            (false, false) => i128::MAX,
        }
    }

    /// The low 64 bits, zero-extended when narrower.
    pub fn low_u64(self) -> u64 {
        self.limbs[0]
    }

    /// The signed reading if it fits an `i64`.
    pub fn to_i64(self) -> Option<i64> {
        i64::try_from(self.signed()).ok()
    }

    /// True if no bit is set.
    pub fn is_zero(self) -> bool {
        self.limbs.iter().fold(0, |any, limb| any | limb) == 0
    }

    /// True if the highest bit is set: the signed reading is below 0.
    pub fn is_negative(self) -> bool {
        self.bit(self.width() - 1)
    }

    /// Bit `index`, counted from the lowest, which is 0. False beyond the width.
    pub fn bit(self, index: u32) -> bool {
        index < self.width() && self.limbs[(index / 64) as usize] >> (index % 64) & 1 == 1
    }

    /// The number of bits that the value needs: the position of its highest set bit, counted from 1.
    pub fn used(self) -> u32 {
        self.whole().bits()
    }

    /// The number of zeros below the lowest set bit; the width if no bit is set.
    pub fn trailing_zeros(self) -> u32 {
        self.whole().trailing_zeros().min(self.width())
    }

    /// The number of ones below the lowest clear bit; the width if all are set.
    pub fn trailing_ones(self) -> u32 {
        self.whole().trailing_ones()
    }

    /// Reduced or zero-extended to `width` bits.
    pub fn zext_or_trunc(self, width: u32) -> Bits {
        if width <= WORDS { Bits::new(self.words(), width) } else { Bits::wide(self.whole(), width) }
    }

    /// Reduced or sign-extended to `width` bits.
    pub fn sext_or_trunc(self, width: u32) -> Bits {
        if width <= self.width() {
            return self.zext_or_trunc(width);
        }
        if width <= WORDS {
            return Bits::new(self.signed() as u128, width);
        }
        let above = if self.is_negative() { Bits::ones(width).shl(self.width()) } else { Bits::zero(width) };
        above.or(self.zext_or_trunc(width))
    }

    /// Bits `offset .. offset + width`.
    pub fn extract(self, offset: u32, width: u32) -> Bits {
        self.lshr(offset).zext_or_trunc(width)
    }

    /// `self` above `low`; widths add.
    pub fn concat(self, low: Bits) -> Bits {
        let width = self.width() + low.width();
        self.zext_or_trunc(width).shl(low.width()).or(low.zext_or_trunc(width))
    }

    fn map(self, other: Bits, words: fn(u128, u128) -> u128, wide: fn(Wide, Wide) -> Wide) -> Bits {
        match self.is_wide() {
            false => Bits::new(words(self.words(), other.words()), self.width()),
            true => Bits::wide(wide(self.whole(), other.whole()), self.width()),
        }
    }

    // Modulo `2^width`; both operands have one width.

    /// The sum, modulo 2 to the width. Both operands have one width.
    pub fn add(self, other: Bits) -> Bits {
        self.map(other, u128::wrapping_add, Wide::wrapping_add)
    }

    /// The difference, modulo 2 to the width.
    pub fn sub(self, other: Bits) -> Bits {
        self.map(other, u128::wrapping_sub, Wide::wrapping_sub)
    }

    /// The product, modulo 2 to the width.
    pub fn mul(self, other: Bits) -> Bits {
        self.map(other, u128::wrapping_mul, Wide::wrapping_mul)
    }

    /// Two's complement: 0 minus the value, modulo 2 to the width.
    pub fn negated(self) -> Bits {
        Bits::zero(self.width()).sub(self)
    }

    /// The magnitude of the signed reading.
    pub fn magnitude(self) -> Bits {
        if self.is_negative() { self.negated() } else { self }
    }

    /// `None` for a zero divisor.
    pub fn checked_udiv(self, other: Bits) -> Option<Bits> {
        (!other.is_zero()).then(|| self.map(other, |a, b| a / b, |a, b| a / b))
    }

    /// `None` for a zero divisor.
    pub fn checked_urem(self, other: Bits) -> Option<Bits> {
        (!other.is_zero()).then(|| self.map(other, |a, b| a % b, |a, b| a % b))
    }

    /// Bitwise and. Both operands have one width.
    pub fn and(self, other: Bits) -> Bits {
        self.map(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(self, other: Bits) -> Bits {
        self.map(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(self, other: Bits) -> Bits {
        self.map(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// Every bit inverted.
    pub fn not(self) -> Bits {
        self.xor(Bits::ones(self.width()))
    }

    /// Shifted up by `amount` bits; zero if the amount reaches the width.
    pub fn shl(self, amount: u32) -> Bits {
        match (amount >= self.width(), self.is_wide()) {
            (true, _) => Bits::zero(self.width()),
            (false, false) => Bits::new(self.words() << amount, self.width()),
            (false, true) => Bits::wide(self.whole() << amount, self.width()),
        }
    }

    /// Shifted down by `amount` bits; zeros come in at the top.
    pub fn lshr(self, amount: u32) -> Bits {
        match (amount >= self.width(), self.is_wide()) {
            (true, _) => Bits::zero(self.width()),
            (false, false) => Bits::new(self.words() >> amount, self.width()),
            (false, true) => Bits::wide(self.whole() >> amount, self.width()),
        }
    }

    /// Shifted down by `amount` bits; copies of the highest bit come in at the top.
    pub fn ashr(self, amount: u32) -> Bits {
        let amount = amount.min(self.width() - 1);
        self.extract(amount, self.width() - amount).sext_or_trunc(self.width())
    }

    /// Compares the unsigned readings.
    pub fn cmp_unsigned(self, other: Bits) -> Ordering {
        self.limbs.iter().rev().cmp(other.limbs.iter().rev())
    }

    /// Compares the signed readings.
    pub fn cmp_signed(self, other: Bits) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then(self.cmp_unsigned(other))
    }
}

/// As LLVM prints a constant integer: signed decimal, but `true` and `false` for one bit.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.width, self.is_wide()) {
            (1, _) => write!(f, "{}", self.limbs[0] == 1),
            (_, false) => write!(f, "{}", self.signed()),
            (_, true) => {
                let sign = if self.is_negative() { "-" } else { "" };
                write!(f, "{sign}{}", self.magnitude().whole())
            }
        }
    }
}

impl fmt::LowerHex for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:x}", self.whole());
        f.pad_integral(true, "0x", &digits)
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:#x}:{}", self.width)
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
        assert_eq!(Bits::from_i64(-2, 300).signed(), -2);
        assert_eq!(Bits::signed_min(512).signed(), i128::MIN);
    }

    #[test]
    fn high_bits_are_dropped() {
        assert_eq!(Bits::new(0x1ff, 8), Bits::new(0xff, 8));
        assert_eq!(Bits::new(0x80, 8).sext_or_trunc(16).unsigned(), 0xff80);
        assert_eq!(Bits::new(0xabcd, 16).extract(4, 8).unsigned(), 0xbc);
        assert_eq!(Bits::ones(512).add(Bits::new(1, 512)), Bits::zero(512));
        assert_eq!(Bits::ones(200).extract(190, 10), Bits::ones(10));
    }

    #[test]
    fn wide_values_print_and_read_as_decimal() {
        let value = Bits::one_bit(200, 256);
        assert_eq!(value.to_string(), "1606938044258990275541962092341162602522202993782792835301376");
        assert_eq!(Bits::parse_decimal(&value.to_string(), 256), Some(value));
        assert_eq!(Bits::parse_decimal(&value.to_string(), 200), None);
        assert_eq!(Bits::ones(300).to_string(), "-1");
        assert_eq!(format!("{:#x}", Bits::one_bit(130, 131)), "0x400000000000000000000000000000000");
    }

    /// A wide value whose parts fit 128 bits computes as they do.
    #[test]
    fn wide_arithmetic_extends_the_narrow() {
        let (a, b) = (Bits::new(0xfedc_ba98_7654_3210_0123_4567, 120), Bits::new(0x1_0000_0001, 120));
        let wide = |bits: Bits| bits.zext_or_trunc(300);
        assert_eq!(wide(a).checked_udiv(wide(b)), a.checked_udiv(b).map(wide));
        assert_eq!(wide(a).mul(wide(b)).zext_or_trunc(120), a.mul(b));
        assert_eq!(wide(a).shl(200).lshr(200), wide(a));
        assert_eq!(Bits::signed_min(300).ashr(299), Bits::ones(300));
        assert!(Bits::ones(300).cmp_signed(Bits::zero(300)).is_lt());
        assert_eq!(wide(a).concat(b).extract(120, 300), wide(a));
    }
}
