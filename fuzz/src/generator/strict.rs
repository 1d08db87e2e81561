//! Strict programs: operations that see the environment of floating point, and its rounding mode read and written.
//!
//! Every run of one begins in some environment, and shows the one that it leaves.

use super::floats::compiles;
use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::semantics::float::RoundingMode;
use tribunal_ir::types::{S8, S32};
use tribunal_ir::{InstData, Opcode, Operand, Type, VReg};
use tribunal_target::legality::LegalizerInfo;

/// True if the target compiles for an environment.
pub(super) fn has_environment(legalizer: &LegalizerInfo) -> bool {
    compiles(legalizer, Opcode::G_GET_ROUNDING, &[Some(S32), None, None])
}

impl Generator<'_, '_, '_> {
    /// Reads the rounding mode, or writes one.
    pub(super) fn rounding(&mut self) -> Result<()> {
        let opcode = if self.u.ratio(1, 3)? { Opcode::G_GET_ROUNDING } else { Opcode::G_SET_ROUNDING };
        self.rounding_by(opcode)
    }

    /// The same by this operation, at a type that the target compiles.
    pub(super) fn rounding_by(&mut self, opcode: Opcode) -> Result<()> {
        let ty = *self.u.choose(&[S32, S32, S8, self.register_type()])?;
        if opcode == Opcode::G_GET_ROUNDING {
            let register = self.builder.build(ty, opcode, []);
            self.scope.push(Entry { register, ty, deterministic: true });
            return Ok(());
        }
        let mode = if self.u.ratio(1, 2)? { self.any_mode(ty)? } else { self.known_mode(ty)? };
        self.builder.push(InstData::new(opcode, [Operand::used(mode)]));
        Ok(())
    }

    /// A mode of the machine.
    fn known_mode(&mut self, ty: Type) -> Result<VReg> {
        let modes = self.target.abi.float_environment.as_ref().map_or(&RoundingMode::ALL[..1], |known| known.modes);
        let mode = self.u.choose(modes)?.flt_rounds();
        Ok(self.builder.constant_i64(ty, mode))
    }

    /// One of the first four, which every machine with an environment has.
    fn any_mode(&mut self, ty: Type) -> Result<VReg> {
        let (value, mask) = (self.value(ty, true)?.register, self.builder.constant_i64(ty, 3));
        Ok(self.builder.op(ty, Opcode::G_AND, &[value, mask]))
    }
}
