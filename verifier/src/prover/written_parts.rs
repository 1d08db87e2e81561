//! Registers that an instruction of a whole function writes beside, or above, what its definition says.
//!
//! - LLVM removes a copy between halves of registers, so one writes no bit above the half.
//! - `SUBREG_TO_REG` promises zeros above its part. The instruction that defines the part writes them, or nobody does.
//! - An implicit definition that no description names leaves anything in its register.

use super::side::{Scalar, Side, SideEvaluation};
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, Opcode, OpcodeFlags, PReg, RegFlags, RegOperand, VReg};
use tribunal_target::parts;

impl SideEvaluation<'_> {
    /// Whether an instruction writes a machine register that neither its description nor an explicit operand names.
    pub(super) fn writes_beside(&self, data: &InstData) -> bool {
        let full = |register: PReg| self.target.vocabulary.full_register(register);
        let flags = self.function.opcode_flags(data, self.target.vocabulary);
        if flags.contains(OpcodeFlags::CALL) || self.target.is_call_frame(data) {
            return false;
        }
        let described: &[PReg] = match data.opcode {
            Opcode::Target(opcode) => self.target.instruction(opcode).implicit_defs,
            _ => &[],
        };
        let is_implicit = |operand: &&RegOperand| operand.flags.contains(RegFlags::IMPLICIT);
        let physical = |operand: &RegOperand| operand.reg.as_physical().map(full);
        let is_known = |register: PReg| {
            described.iter().any(|&own| full(own) == register)
                || data.defs().filter(|operand| !is_implicit(operand)).filter_map(physical).any(|own| own == register)
        };
        data.defs().filter(is_implicit).filter_map(physical).any(|register| !is_known(register))
    }

    /// Evaluates such an instruction.
    pub(super) fn beside(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        match self.opaque {
            Some(_) => self.other(side, data),
            None => Err(Unsupported::new("a machine register that no description of the instruction names")),
        }
    }

    /// Forgets what the instruction of a whole function did not write of the register that it has just defined.
    pub(super) fn forget_rest(&mut self, side: &mut Side, data: &InstData) {
        let Some(written) = data.defs().next().filter(|_| self.opaque.is_some()) else { return };
        let vocabulary = self.target.vocabulary;
        match (data.opcode, written.reg.as_physical(), written.reg.as_virtual()) {
            (Opcode::COPY, Some(register), _) => {
                let (full, bits) = (vocabulary.full_register(register), vocabulary.register_bits(register));
                if let Some(value) = side.physical.get(&full).and_then(|value| self.with_any_rest(value, bits)) {
                    side.physical.insert(full, value);
                }
            }
            (_, _, Some(register)) if self.opcode_name(data) == "SUBREG_TO_REG" => {
                let Some(part) = data.uses().last() else { return };
                if part.reg.as_virtual().is_some_and(|part| self.is_written_whole(part)) {
                    return;
                }
                let bits = self.operand_width(part);
                if let Some(value) = side.defined.get(&register).and_then(|value| self.with_any_rest(value, bits)) {
                    side.defined.insert(register, value);
                }
            }
            _ => {}
        }
    }

    /// Whether the instruction that defines a part writes the whole register: one of the machine does, and no move of
    /// LLVM's.
    fn is_written_whole(&self, part: VReg) -> bool {
        let Some(data) = self.function.def_of(part).map(|inst| self.function.inst(inst)) else { return false };
        match data.opcode {
            Opcode::Target(opcode) => !self.target.instruction(opcode).flags.contains(OpcodeFlags::ARTIFACT),
            Opcode::OPAQUE => !parts::makes_of_part(self.function, self.target.vocabulary, data),
            _ => false,
        }
    }

    /// The low bits of a value below bits that may be anything, but the same for the same low bits: where both
    /// functions leave them open, both may choose. `None` if it has no more.
    fn with_any_rest(&mut self, value: &Scalar, bits: u32) -> Option<Scalar> {
        let width = self.d.width_of(value.bits);
        let d = &mut *self.d;
        let rests = &mut self.opaque.as_mut().filter(|_| bits < width)?.rests;
        let low = d.extract(&value.bits, 0, bits);
        let rest = *rests.entry((low, width)).or_insert_with(|| d.variable(width - bits));
        Some(Value { bits: d.concat(&rest, &low), ..value.clone() })
    }
}
