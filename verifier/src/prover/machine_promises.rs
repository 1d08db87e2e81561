//! Promises of machine instructions in a proof, as [`tribunal_target::promises`] defines them. Where no generic
//! operation computes the result, the broken promise is an unknown of the instruction and its operands.
//!
//! A load that stands for itself keeps what its row promises: the bits above the access.

use super::opaque;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use smallvec::SmallVec;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, Opcode, OpcodeFlags};
use tribunal_target::instructions::Extension;
use tribunal_target::promises;

/// The operands of a machine instruction that promises something, as they were before it wrote.
pub(super) struct Promise(SmallVec<[Scalar; 4]>);

impl SideEvaluation<'_> {
    /// The promise that a machine instruction of a whole function makes, if it makes one.
    pub(super) fn promise(&mut self, side: &mut Side, data: &InstData) -> Result<Option<Promise>, Unsupported> {
        let is_machine = matches!(data.opcode, Opcode::Target(_));
        if !is_machine || self.opaque.is_none() || opaque::unread(data).is_empty() {
            return Ok(None);
        }
        let bits = data.vreg_defs().next().map_or(0, |register| self.width(register));
        let args = promises::operands(&mut SideState { evaluation: self, side }, data, bits)?;
        Ok(Some(Promise(args)))
    }

    /// Of a load of the machine the row says how it fills its register: with bits, for the machine knows no poison.
    pub(super) fn extend_loaded(&mut self, data: &InstData, results: &mut [Scalar]) {
        let Opcode::Target(opcode) = data.opcode else { return };
        let row = self.target.instruction(opcode);
        let (Some(access), Some(loaded)) = (row.access, results.first_mut()) else { return };
        let width = self.d.width_of(loaded.bits);
        if !row.flags.contains(OpcodeFlags::LOAD) {
            return;
        }
        loaded.poison = self.d.truth(false);
        if access.bits() < width {
            let part = self.d.extract_bits(loaded.bits, 0, access.bits());
            loaded.bits = match access.extension {
                Extension::Zero => self.d.zero_extend(part, width),
                Extension::Sign => self.d.sign_extend(part, width),
            };
        }
    }

    /// Makes the result poison where the promise is broken.
    pub(super) fn keep_promise(
        &mut self,
        side: &mut Side,
        data: &InstData,
        Promise(args): Promise,
    ) -> Result<(), Unsupported> {
        let Some(register) = data.vreg_defs().next() else { return Ok(()) };
        let Some(result) = side.defined.get(&register).cloned() else { return Ok(()) };
        let conditions = promises::broken(self.d, opaque::unread(data), &args, &result.bits, |one, other| one == other);
        let broken = match conditions.into_iter().next() {
            Some(broken) => broken,
            None => self.unread_flags(data, &args),
        };
        let poison = self.d.bool_or(&result.poison, &broken);
        side.defined.insert(register, Value { bits: result.bits, poison });
        Ok(())
    }
}
