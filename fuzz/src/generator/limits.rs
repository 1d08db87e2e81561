//! Numbers at the edges of what instructions encode: constants, and offsets of accesses.

use super::Generator;
use arbitrary::Result;
use tribunal_ir::{Bits, VReg};

/// The limits of encodings, in both instruction sets: 12 bits signed, 20 bits above them, 12 bits shifted by 12, 16
/// bits in each of four places, and a word whose low part is rounded up into its high part.
const CONSTANTS: [i64; 24] = [
    -2049,
    -2048,
    2047,
    2048,
    4095,
    4096,
    -4095,
    -4096,
    -256,
    255,
    0xff,
    0xffff,
    0x1_0000,
    -0x1_0000,
    0xff_f000,
    0xff_f001,
    0x100_0000,
    0x7fff_f7ff,
    0x7fff_f800,
    0x7fff_ffff,
    0x8000_0000,
    -0x8000_0000,
    -0x8000_0001,
    -1,
];
/// The same of offsets in bytes: signed of 9 and of 12 bits, unsigned of 12 bits times each size of an access.
const OFFSETS: [i64; 22] = [
    -4096, -2049, -2048, -2047, -257, -256, -255, -8, -1, 254, 255, 256, 2040, 2047, 2048, 4088, 4095, 4096, 8190,
    16380, 32760, 32768,
];

impl Generator<'_, '_, '_> {
    /// A constant at the edge of an encoding.
    pub(super) fn edge(&mut self, bits: u32) -> Result<Bits> {
        match self.u.ratio(1, 4)? {
            true => self.repeated_run(bits),
            false => Ok(Bits::from_i64(*self.u.choose(&CONSTANTS)?, bits)),
        }
    }

    /// A run of ones, rotated in an element that repeats: AArch64's immediates of bitwise operations; or one bit off.
    fn repeated_run(&mut self, bits: u32) -> Result<Bits> {
        let size = 1u32 << self.u.int_in_range(1..=6)?;
        let ones = self.u.int_in_range(1..=size - 1)?;
        let rotation = self.u.int_in_range(0..=size - 1)?;
        let element = (u128::MAX >> (128 - ones)) << rotation;
        let element = (element | element >> size) & (u128::MAX >> (128 - size));
        let mask = (0..128 / size).fold(0u128, |mask, index| mask | element << (index * size));
        let run = Bits::new(mask, 128).zext_or_trunc(bits);
        match self.u.ratio(1, 4)? {
            true => Ok(run.xor(Bits::one_bit(self.u.int_in_range(0..=bits - 1)?, bits))),
            false => Ok(run),
        }
    }

    /// `base + offset` by way of a pointer from which the offset is at the edge of an encoding.
    pub(super) fn far_offset(&mut self, base: VReg, offset: u32) -> Result<VReg> {
        let edge = *self.u.choose(&OFFSETS)?;
        let elsewhere = self.moved(base, i64::from(offset) - edge);
        Ok(self.moved(elsewhere, edge))
    }
}
