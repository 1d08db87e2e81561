//! Registers that an instruction of a whole function writes beside, or above, what its definition says.
//!
//! - LLVM removes a copy between halves of registers, so one writes no bit above the half.
//! - `SUBREG_TO_REG` promises zeros above its part. The instruction that defines the part writes them, or nobody does.
//! - An implicit definition that no description names leaves anything in its register.

use super::side::{Side, SideEvaluation};
use super::term::Term;
use tribunal_ir::semantics::{Domain, Value};
use tribunal_ir::{InstData, Opcode, OpcodeFlags, PReg, RegFlags, RegOperand, VReg};

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

    /// Forgets what the instruction did not write of the register that it has just defined.
    pub(super) fn forget_rest(&mut self, side: &mut Side, data: &InstData) {
        let Some(written) = data.defs().next() else { return };
        let vocabulary = self.target.vocabulary;
        match (data.opcode, written.reg.as_physical(), written.reg.as_virtual()) {
            (Opcode::COPY, Some(register), _) => {
                let (full, bits) = (vocabulary.full_register(register), vocabulary.register_bits(register));
                if let Some(Value { bits: whole, poison, .. }) = side.physical.get(&full).cloned() {
                    let whole = self.with_any_rest(whole, bits);
                    side.physical.insert(full, Value::new(whole, poison));
                }
            }
            (_, _, Some(register)) if self.opcode_name(data) == "SUBREG_TO_REG" => {
                let Some(part) = data.uses().last() else { return };
                if part.reg.as_virtual().is_some_and(|part| self.is_written_whole(part)) {
                    return;
                }
                let bits = self.operand_width(part);
                if let Some(Value { bits: whole, poison, .. }) = side.defined.get(&register).cloned() {
                    let whole = self.with_any_rest(whole, bits);
                    side.defined.insert(register, Value::new(whole, poison));
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
            Opcode::OPAQUE => !["INSERT_SUBREG", "SUBREG_TO_REG"].contains(&self.opcode_name(data).as_str()),
            _ => false,
        }
    }

    /// The low bits of a term below bits that may be anything.
    fn with_any_rest(&mut self, whole: Term, bits: u32) -> Term {
        let width = self.d.width_of(whole);
        if bits >= width {
            return whole;
        }
        let (rest, low) = (self.d.variable(width - bits), self.d.extract(&whole, 0, bits));
        self.d.concat(&rest, &low)
    }
}
