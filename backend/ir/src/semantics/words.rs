//! The concrete domain on machine words: it computes what [`super::Concrete`] computes, faster, for values of up to 128
//! bits. A definition may ask for wider values (a high product, a funnel shift). Then [`Words::exceeded`] holds, and
//! the results mean nothing.

use super::float::{self, FLAG_BITS, FloatResult, RoundedOperation};
use super::{Domain, Number};
use crate::bits::Bits;

/// The widest value, in bits.
const WIDEST: u32 = u128::BITS;

/// A value of up to 128 bits; those above its width are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    value: u128,
    width: u32,
}

/// Evaluates on numbers of up to 128 bits. Choices are zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    exceeded: bool,
}

impl Words {
    /// True if a value did not fit: no result counts.
    pub fn exceeded(&self) -> bool {
        self.exceeded
    }

    fn word(&mut self, value: u128, width: u32) -> Word {
        self.exceeded |= width > WIDEST;
        Word::new(value, width)
    }
}

impl Word {
    /// `value` reduced to `width` bits.
    pub(super) fn new(value: u128, width: u32) -> Word {
        Word { value: value & u128::MAX >> WIDEST.saturating_sub(width), width }
    }

    pub(super) fn unsigned(self) -> u128 {
        self.value
    }

    fn signed(self) -> i128 {
        let above = WIDEST.saturating_sub(self.width);
        (self.value << above) as i128 >> above
    }

    fn magnitude(self) -> u128 {
        self.signed().unsigned_abs()
    }

    /// The amount of a shift of a value of `width` bits; `None` if nothing is left of it.
    fn amount(self, width: u32) -> Option<u32> {
        u32::try_from(self.value).ok().filter(|&amount| amount < width.min(WIDEST))
    }
}

impl Number for Word {
    fn of_bits(bits: Bits) -> Word {
        Word::new(bits.unsigned(), bits.width())
    }
    fn zero(width: u32) -> Word {
        Word { value: 0, width }
    }
    fn bits(self) -> Bits {
        Bits::new(self.value, self.width)
    }
    fn width(self) -> u32 {
        self.width
    }
    fn is_zero(self) -> bool {
        self.value == 0
    }
    fn low_u64(self) -> u64 {
        self.value as u64
    }
    fn zext_or_trunc(self, width: u32) -> Word {
        Word::new(self.value, width)
    }
    fn of_bytes(bytes: &[u8]) -> Word {
        let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        Word::new(value, 8 * bytes.len() as u32)
    }
    fn to_bytes(self, bytes: &mut [u8]) {
        bytes.iter_mut().zip(self.value.to_le_bytes()).for_each(|(byte, value)| *byte = value);
    }
}

impl Domain for Words {
    type Bits = Word;
    type Bool = bool;

    fn width(&self, a: &Word) -> u32 {
        a.width
    }
    fn constant(&mut self, value: Bits) -> Word {
        self.word(value.unsigned(), value.width())
    }
    fn boolean(&mut self, value: bool) -> bool {
        value
    }
    fn choose(&mut self, width: u32) -> Word {
        self.word(0, width)
    }
    fn add(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value.wrapping_add(b.value), a.width)
    }
    fn sub(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value.wrapping_sub(b.value), a.width)
    }
    fn mul(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value.wrapping_mul(b.value), a.width)
    }
    fn udiv(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value.checked_div(b.value).unwrap_or(u128::MAX), a.width)
    }
    fn urem(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value.checked_rem(b.value).unwrap_or(a.value), a.width)
    }
    fn sdiv(&mut self, a: &Word, b: &Word) -> Word {
        let quotient = a.magnitude().checked_div(b.magnitude()).unwrap_or(u128::MAX);
        let negative = (a.signed() < 0) != (b.signed() < 0);
        Word::new(if negative { quotient.wrapping_neg() } else { quotient }, a.width)
    }
    fn srem(&mut self, a: &Word, b: &Word) -> Word {
        let remainder = a.magnitude().checked_rem(b.magnitude()).unwrap_or(a.magnitude());
        Word::new(if a.signed() < 0 { remainder.wrapping_neg() } else { remainder }, a.width)
    }
    fn and(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value & b.value, a.width)
    }
    fn or(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value | b.value, a.width)
    }
    fn xor(&mut self, a: &Word, b: &Word) -> Word {
        Word::new(a.value ^ b.value, a.width)
    }
    fn not(&mut self, a: &Word) -> Word {
        Word::new(!a.value, a.width)
    }
    fn shl(&mut self, a: &Word, amount: &Word) -> Word {
        Word::new(amount.amount(a.width).map_or(0, |amount| a.value << amount), a.width)
    }
    fn lshr(&mut self, a: &Word, amount: &Word) -> Word {
        Word::new(amount.amount(a.width).map_or(0, |amount| a.value >> amount), a.width)
    }
    fn ashr(&mut self, a: &Word, amount: &Word) -> Word {
        let amount = amount.amount(a.width).unwrap_or(WIDEST - 1);
        Word::new((a.signed() >> amount) as u128, a.width)
    }
    fn concat(&mut self, high: &Word, low: &Word) -> Word {
        let above = high.value.checked_shl(low.width).unwrap_or(0);
        self.word(above | low.value, high.width + low.width)
    }
    fn extract(&mut self, a: &Word, offset: u32, width: u32) -> Word {
        self.word(a.value.checked_shr(offset).unwrap_or(0), width)
    }
    fn zext(&mut self, a: &Word, width: u32) -> Word {
        self.word(a.value, width)
    }
    fn sext(&mut self, a: &Word, width: u32) -> Word {
        self.word(a.signed() as u128, width)
    }
    fn eq(&mut self, a: &Word, b: &Word) -> bool {
        a.value == b.value
    }
    fn ult(&mut self, a: &Word, b: &Word) -> bool {
        a.value < b.value
    }
    fn slt(&mut self, a: &Word, b: &Word) -> bool {
        a.signed() < b.signed()
    }
    fn ite(&mut self, condition: &bool, a: &Word, b: &Word) -> Word {
        if *condition { *a } else { *b }
    }
    super::domain::plain_booleans!();
    fn literal(&mut self, value: i64, width: u32) -> Word {
        self.word(value as u128, width)
    }
    fn is_zero(&mut self, a: &Word) -> bool {
        a.value == 0
    }
    fn rounded(&mut self, operation: RoundedOperation, args: &[Word]) -> FloatResult<Word> {
        let RoundedOperation::Elementary(function, format) = operation else {
            return float::by_definition(self, operation, args);
        };
        FloatResult { bits: float::on_words(self, function, format, args), flags: self.literal(0, FLAG_BITS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::{Choice, Concrete};

    type Binary<D> = fn(&mut D, &<D as Domain>::Bits, &<D as Domain>::Bits) -> <D as Domain>::Bits;
    type Relation<D> = fn(&mut D, &<D as Domain>::Bits, &<D as Domain>::Bits) -> bool;

    fn binary<D: Domain>() -> [Binary<D>; 13] {
        [D::add, D::sub, D::mul, D::udiv, D::urem, D::sdiv, D::srem, D::and, D::or, D::xor, D::shl, D::lshr, D::ashr]
    }

    fn relations<D: Domain<Bool = bool>>() -> [Relation<D>; 3] {
        [D::eq, D::ult, D::slt]
    }

    /// Corners of a width and values between them.
    fn values(width: u32) -> Vec<Bits> {
        let noise = 0x9e37_79b9_7f4a_7c15_bf58_476d_1ce4_e5b9;
        let (ones, least) = (Bits::ones(width), Bits::signed_min(width));
        let small =
            [0, 1, 2, u128::from(width), u128::from(width) - 1, noise, !noise].map(|value| Bits::new(value, width));
        small.into_iter().chain([ones, least, least.sub(Bits::new(1, width))]).collect()
    }

    /// The domain agrees with the concrete domain, operation by operation.
    #[test]
    fn words_compute_as_bits_do() {
        let (mut words, mut concrete) = (Words::default(), Concrete { choice: Choice::Zeros });
        for width in [1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128] {
            for a in values(width) {
                let word = Word::of_bits(a);
                assert_eq!((word.bits(), Domain::not(&mut words, &word).bits()), (a, a.not()));
                for to in [width, (width + 1).min(128), 128] {
                    assert_eq!(words.zext(&word, to).bits(), concrete.zext(&a, to));
                    assert_eq!(words.sext(&word, to).bits(), concrete.sext(&a, to));
                }
                for offset in [0, width / 2, width - 1] {
                    assert_eq!(words.extract(&word, offset, width - offset).bits(), a.extract(offset, width - offset));
                }
                for b in values(width) {
                    let other = Word::of_bits(b);
                    for (here, there) in binary::<Words>().into_iter().zip(binary::<Concrete>()) {
                        assert_eq!(here(&mut words, &word, &other).bits(), there(&mut concrete, &a, &b), "{a:?} {b:?}");
                    }
                    for (here, there) in relations::<Words>().into_iter().zip(relations::<Concrete>()) {
                        assert_eq!(here(&mut words, &word, &other), there(&mut concrete, &a, &b), "{a:?} {b:?}");
                    }
                    if width <= 64 {
                        assert_eq!(words.concat(&word, &other).bits(), a.concat(b));
                    }
                }
            }
        }
        assert!(!words.exceeded());
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let wide = |of: fn(&mut Words, &Word) -> Word| {
            let mut words = Words::default();
            let word = words.constant(Bits::ones(128));
            assert!(!words.exceeded());
            of(&mut words, &word);
            words.exceeded()
        };
        assert!(wide(|d, a| d.concat(a, a)) && wide(|d, a| d.zext(a, 129)) && wide(|d, a| d.sext(a, 256)));
        assert!(wide(|d, _| d.constant(Bits::zero(200))) && wide(|d, _| d.choose(129)));
        assert!(!wide(|d, a| d.mul(a, a)));
    }
}
