//! Strict programs: operations that see the environment of floating point, and its rounding mode read and written.
//!
//! Every run of one begins in some environment, and shows the one that it leaves.

use super::floats::compiles;
use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::semantics::float::RoundingMode;
use tribunal_ir::types::{S8, S16, S32, S64};
use tribunal_ir::{Family, InstData, Opcode, Operand, Type, VReg};
use tribunal_target::legality::LegalizerInfo;

/// The narrowest type that holds every mode. Its highest bit is set in some, and would be their sign.
const NARROWEST: Type = Type::scalar(3);

/// True if the target compiles strict operations.
pub(super) fn compiles_strict(legalizer: &LegalizerInfo) -> bool {
    compiles(legalizer, Opcode::G_GET_ROUNDING, &[Some(S32), None, None])
}

/// True if the machine has an environment, which is a number then.
fn has_environment(legalizer: &LegalizerInfo) -> bool {
    compiles(legalizer, Opcode::G_GET_FPMODE, &[Some(S32), None, None])
}

impl Generator<'_, '_, '_> {
    /// Reads or writes the environment.
    pub(super) fn rounding(&mut self) -> Result<()> {
        let is_mode = self.u.ratio(3, 4)?;
        let modes = [Opcode::G_GET_ROUNDING, Opcode::G_SET_ROUNDING];
        let all = if is_mode { &modes[..] } else { Family::FloatEnvironment.opcodes() };
        let opcode = *self.u.choose(all)?;
        self.rounding_by(opcode)
    }

    /// The same by this operation, at a type that the target compiles.
    pub(super) fn rounding_by(&mut self, opcode: Opcode) -> Result<()> {
        if opcode.info().is_some_and(|info| info.class_of(0).is_none()) {
            self.builder.push(InstData::new(opcode, []));
            return Ok(());
        }
        let ty = *self.u.choose(&[S32, S32, NARROWEST, S8, S16, S64, self.register_type()])?;
        if !compiles(self.legalizer, opcode, &[Some(ty), None, None]) {
            return Ok(());
        }
        if opcode.info().is_some_and(|info| !info.defs.is_empty()) {
            let entry = self.environment(opcode, ty);
            self.scope.push(entry);
            return Ok(());
        }
        let number = match opcode {
            Opcode::G_SET_ROUNDING if has_environment(self.legalizer) && self.u.ratio(1, 2)? => self.any_mode(ty)?,
            Opcode::G_SET_ROUNDING => self.known_mode(ty)?,
            _ if self.u.ratio(1, 2)? => self.known_environment(opcode, ty)?,
            // As it was, whatever an operation between does to it.
            _ => {
                let read = if opcode == Opcode::G_SET_FPENV { Opcode::G_GET_FPENV } else { Opcode::G_GET_FPMODE };
                let before = self.environment(read, ty).register;
                let between = self.on_numbers()?;
                self.scope.extend(between);
                before
            }
        };
        self.builder.push(InstData::new(opcode, [Operand::used(number)]));
        Ok(())
    }

    /// The environment as a number; its flags may depend on what is not determined.
    fn environment(&mut self, opcode: Opcode, ty: Type) -> Entry {
        Entry { register: self.builder.build(ty, opcode, []), ty, deterministic: opcode == Opcode::G_GET_ROUNDING }
    }

    /// A mode of the machine, as `FLT_ROUNDS` has it.
    fn known_mode(&mut self, ty: Type) -> Result<VReg> {
        let (mode, _) = self.machine_mode()?;
        Ok(self.builder.constant_i64(ty, mode.flt_rounds()))
    }

    /// A mode of the machine, and its number there. Without an environment it rounds to nearest.
    fn machine_mode(&mut self) -> Result<(RoundingMode, i64)> {
        let environment = self.target.abi.float_environment.as_ref().filter(|_| has_environment(self.legalizer));
        let modes = environment.map_or(&RoundingMode::ALL[..1], |known| known.modes);
        let number = self.u.int_in_range(0..=modes.len() - 1)?;
        Ok((modes[number], number as i64))
    }

    /// An environment of the machine, or the register with its mode, as the machine has it.
    fn known_environment(&mut self, opcode: Opcode, ty: Type) -> Result<VReg> {
        let (_, number) = self.machine_mode()?;
        let Some(known) = self.target.abi.float_environment.as_ref() else { return self.known_mode(ty) };
        let mut whole = number << known.mode_place;
        if opcode == Opcode::G_SET_FPENV {
            let raised = self.u.int_in_range(0..=31)?;
            let flags =
                known.flags.iter().zip(0..).fold(0, |flags, (place, flag)| flags | (raised >> flag & 1) << place);
            whole = whole << known.places[0] | flags << known.places[1];
        }
        Ok(self.builder.constant_i64(ty, whole))
    }

    /// One of the first four, which every machine with an environment has.
    fn any_mode(&mut self, ty: Type) -> Result<VReg> {
        let (value, mask) = (self.value(ty, true)?.register, self.builder.constant_i64(ty, 3));
        Ok(self.builder.op(ty, Opcode::G_AND, &[value, mask]))
    }
}
