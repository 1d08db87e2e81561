//! The environment of floating point in the registers of a machine: its rounding mode, and the flags of exceptions.

use super::{FLAG_BITS, RoundingMode};
use crate::bits::Bits;
use crate::semantics::Domain;
use crate::vocabulary::PReg;

/// The registers of the environment, and what stands where in them.
#[derive(Clone, Copy, Debug)]
pub struct FloatEnvironment {
    /// The register with the rounding mode.
    pub control: PReg,
    /// The lowest bit of the mode there.
    pub mode_place: u32,
    /// The number of bits of the mode.
    pub mode_bits: u32,
    /// The mode of each number. A number beyond is none.
    pub modes: &'static [RoundingMode],
    /// The register with the flags.
    pub status: PReg,
    /// The place of each flag there, by [`super::FloatFlag`].
    pub flags: [u32; FLAG_BITS as usize],
    /// A tiny result is told before it is rounded.
    pub tells_tiny_first: bool,
    /// The places of both registers in the number that is the whole environment, C's `fenv_t`: the lowest bit of each.
    pub places: [u32; 2],
}

impl FloatEnvironment {
    /// Both registers.
    pub fn registers(&self) -> [PReg; 2] {
        [self.control, self.status]
    }

    /// The number of the mode in the control register.
    fn number<D: Domain + ?Sized>(&self, d: &mut D, control: &D::Bits) -> D::Bits {
        d.extract(control, self.mode_place, self.mode_bits)
    }

    /// Each mode with its number in the control register.
    fn numbered<D: Domain + ?Sized>(&self, d: &mut D) -> Vec<(RoundingMode, D::Bits)> {
        (0..).zip(self.modes).map(|(number, &mode)| (mode, d.literal(number, self.mode_bits))).collect()
    }

    /// True if the machine numbers modes as [`RoundingMode`] does.
    fn has_usual_numbers(&self) -> bool {
        self.mode_bits == RoundingMode::BITS && self.modes == RoundingMode::ALL
    }

    /// The mode that the control register has, as [`super::FloatRules`] takes it.
    pub fn mode<D: Domain + ?Sized>(&self, d: &mut D, control: &D::Bits) -> D::Bits {
        let mode = self.direction(d, control);
        if !self.tells_tiny_first {
            return mode;
        }
        let first = d.literal(1, 1);
        d.concat(&first, &mode)
    }

    /// [`RoundingMode::BITS`] bits.
    fn direction<D: Domain + ?Sized>(&self, d: &mut D, control: &D::Bits) -> D::Bits {
        let number = self.number(d, control);
        if self.has_usual_numbers() {
            return number;
        }
        let none = d.constant(RoundingMode::TowardZero.bits());
        self.numbered(d).into_iter().fold(none, |other, (mode, known)| {
            let (is_this, mode) = (d.eq(&number, &known), d.constant(mode.bits()));
            d.ite(&is_this, &mode, &other)
        })
    }

    /// The mode as C's `FLT_ROUNDS` has it, `width` bits. A number that is no mode rounds towards zero.
    pub fn flt_rounds<D: Domain + ?Sized>(&self, d: &mut D, control: &D::Bits, width: u32) -> D::Bits {
        let (number, none) = (self.number(d, control), d.literal(RoundingMode::TowardZero.flt_rounds(), width));
        self.numbered(d).into_iter().fold(none, |other, (mode, known)| {
            let (is_this, mode) = (d.eq(&number, &known), d.literal(mode.flt_rounds(), width));
            d.ite(&is_this, &mode, &other)
        })
    }

    /// The control register with the mode of this number of `FLT_ROUNDS`, and whether the machine has it.
    pub fn with_flt_rounds<D: Domain + ?Sized>(
        &self,
        d: &mut D,
        control: &D::Bits,
        asked: &D::Bits,
    ) -> (D::Bits, D::Bool) {
        let (width, whole) = (d.width(asked), d.width(control));
        let (mut number, mut is_known) = (d.literal(0, self.mode_bits), d.boolean(false));
        for (mode, known) in self.numbered(d) {
            let value = d.literal(mode.flt_rounds(), width);
            let is_this = d.eq(asked, &value);
            number = d.ite(&is_this, &known, &number);
            is_known = d.bool_or(&is_known, &is_this);
        }
        let mask = d.constant(Bits::ones(self.mode_bits).zext_or_trunc(whole).shl(self.mode_place).not());
        let (rest, number) = (d.and(control, &mask), d.zext(&number, whole));
        let place = d.literal(self.mode_place.into(), whole);
        let placed = d.shl(&number, &place);
        (d.or(&rest, &placed), is_known)
    }

    /// Both registers in one number, as `fegetenv` gives it, of `width` bits; `None` where they do not fit.
    pub fn whole<D: Domain + ?Sized>(&self, d: &mut D, registers: [&D::Bits; 2], width: u32) -> Option<D::Bits> {
        let mut whole = d.literal(0, width);
        for (register, place) in registers.into_iter().zip(self.places) {
            if d.width(register) + place > width {
                return None;
            }
            let (register, place) = (d.zext(register, width), d.literal(place.into(), width));
            let placed = d.shl(&register, &place);
            whole = d.or(&whole, &placed);
        }
        Some(whole)
    }

    /// Both registers out of one number; `None` where they do not fit.
    pub fn parts<D: Domain + ?Sized>(&self, d: &mut D, whole: &D::Bits, widths: [u32; 2]) -> Option<[D::Bits; 2]> {
        let fits = |(width, place): (u32, u32)| width + place <= d.width(whole);
        if !widths.into_iter().zip(self.places).all(fits) {
            return None;
        }
        let [control, status] = self.places;
        Some([d.extract(whole, control, widths[0]), d.extract(whole, status, widths[1])])
    }

    /// True where a number for the control register is a mode and nothing else: other bits make other arithmetic.
    pub fn is_mode<D: Domain + ?Sized>(&self, d: &mut D, control: &D::Bits) -> D::Bool {
        let mut is_mode = d.boolean(false);
        for number in 0..self.modes.len() as i64 {
            let known = d.literal(number << self.mode_place, d.width(control));
            let is_this = d.eq(control, &known);
            is_mode = d.bool_or(&is_mode, &is_this);
        }
        is_mode
    }

    /// True where a number for the status register is flags and nothing else.
    pub fn is_flags<D: Domain + ?Sized>(&self, d: &mut D, status: &D::Bits) -> D::Bool {
        let flags = self.flags.iter().fold(0, |flags, place| flags | 1 << place);
        let others = d.literal(!flags, d.width(status));
        let others = d.and(status, &others);
        d.is_zero(&others)
    }

    /// The status register after these flags were raised: [`FLAG_BITS`] bits, by [`super::FloatFlag`].
    pub fn raised<D: Domain + ?Sized>(&self, d: &mut D, status: &D::Bits, flags: &D::Bits) -> D::Bits {
        let whole = d.width(status);
        if whole == FLAG_BITS && self.flags.iter().zip(0..).all(|(&place, flag)| place == flag) {
            return d.or(status, flags);
        }
        (0..).zip(self.flags).fold(status.clone(), |status, (flag, place)| {
            let bit = d.extract(flags, flag, 1);
            let (bit, place) = (d.zext(&bit, whole), d.literal(place.into(), whole));
            let placed = d.shl(&bit, &place);
            d.or(&status, &placed)
        })
    }
}
