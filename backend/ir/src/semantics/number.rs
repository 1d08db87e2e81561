//! The representations of a bit-vector at run time: [`Bits`] of any width, or a [`super::Word`].

use crate::bits::Bits;
use std::fmt::Debug;

/// A number of known width, at least 1 bit.
pub trait Number: Copy + PartialEq + Debug {
    /// The same number; bits that do not fit the representation may be lost.
    fn of_bits(bits: Bits) -> Self;
    /// The number 0 of `width` bits.
    fn zero(width: u32) -> Self;
    /// The same number, in the representation of any width.
    fn bits(self) -> Bits;
    /// The width in bits.
    fn width(self) -> u32;
    /// True if no bit is set.
    fn is_zero(self) -> bool;
    /// The low 64 bits, zero-extended when narrower.
    fn low_u64(self) -> u64;
    /// Reduced or zero-extended to `width` bits.
    fn zext_or_trunc(self, width: u32) -> Self;
    /// Little-endian, eight bits a byte; at least one byte.
    fn of_bytes(bytes: &[u8]) -> Self;
    /// The inverse, for as many bytes as the number has.
    fn to_bytes(self, bytes: &mut [u8]);
}

impl Number for Bits {
    fn of_bits(bits: Bits) -> Bits {
        bits
    }
    fn zero(width: u32) -> Bits {
        Bits::zero(width)
    }
    fn bits(self) -> Bits {
        self
    }
    fn width(self) -> u32 {
        Bits::width(self)
    }
    fn is_zero(self) -> bool {
        Bits::is_zero(self)
    }
    fn low_u64(self) -> u64 {
        Bits::low_u64(self)
    }
    fn zext_or_trunc(self, width: u32) -> Bits {
        Bits::zext_or_trunc(self, width)
    }
    fn of_bytes(bytes: &[u8]) -> Bits {
        let joined = |limb: &[u8]| limb.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        Bits::from_limbs(|index| bytes.chunks(8).nth(index).map_or(0, joined), 8 * bytes.len() as u32)
    }
    fn to_bytes(self, bytes: &mut [u8]) {
        let limbs = self.limbs().into_iter().flat_map(u64::to_le_bytes);
        bytes.iter_mut().zip(limbs).for_each(|(byte, value)| *byte = value);
    }
}
