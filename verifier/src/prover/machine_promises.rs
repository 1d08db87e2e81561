//! Promises of machine instructions: LLVM's selector leaves `nuw`, `nsw`, `exact` and `disjoint` on them, and its later
//! passes believe them.
//!
//! A promise says of a machine instruction what it says of the generic operation that computes the same result, whole
//! or extended from the low half. So that operation is looked for by its result, and its definition says where the
//! promise is broken. Where there is none, the broken promise is an unknown of the instruction and its operands.
//!
//! A load that stands for itself keeps what its row promises: the bits above the access.

use super::opaque;
use super::side::{Scalar, Side, SideEvaluation, SideState};
use super::term::Term;
use tribunal_ir::semantics::{Domain, Unsupported, Value, evaluate_flagged, walk};
use tribunal_ir::{InstData, InstFlags, Opcode, OpcodeFlags, Operand};
use tribunal_target::instructions::Extension;

/// The operands of a machine instruction that promises something, as they were before it wrote.
pub(super) struct Promise(Vec<Scalar>);

impl SideEvaluation<'_> {
    /// The promise that a machine instruction of a whole function makes, if it makes one.
    pub(super) fn promise(&mut self, side: &mut Side, data: &InstData) -> Result<Option<Promise>, Unsupported> {
        let is_machine = matches!(data.opcode, Opcode::Target(_));
        if !is_machine || self.opaque.is_none() || opaque::unread(data).is_empty() {
            return Ok(None);
        }
        let bits = data.vreg_defs().next().map_or(0, |register| self.width(register));
        let mut args = Vec::new();
        for operand in &data.operands {
            match operand {
                Operand::Reg(register) if !operand.is_def() => {
                    args.push(walk::read(&mut SideState { evaluation: self, side }, register)?);
                }
                Operand::Imm(value) if bits > 0 => {
                    args.push(Value { bits: self.d.literal(*value, bits), poison: self.d.truth(false) });
                }
                _ => {}
            }
        }
        // Immediates alone are parts of one number, not operands.
        if data.uses().next().is_none() {
            args.clear();
        }
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
        let broken = match self.broken(opaque::unread(data), &args, result.bits) {
            Some(broken) => broken,
            None => self.unread_flags(data, &args),
        };
        let poison = self.d.bool_or(&result.poison, &broken);
        side.defined.insert(register, Value { bits: result.bits, poison });
        Ok(())
    }

    /// True where the generic operation of these operands and this result breaks a promise; `None` if there is none.
    fn broken(&mut self, flags: InstFlags, args: &[Scalar], result: Term) -> Option<Term> {
        let whole = self.d.width_of(result);
        if args.iter().any(|arg| self.d.width_of(arg.bits) != whole) {
            return None;
        }
        let [one, other, ..] = args else { return None };
        for width in [whole, whole / 2] {
            let mut part = |value: &Scalar| Value { bits: self.d.extract_bits(value.bits, 0, width), ..value.clone() };
            let args = [part(one), part(other)];
            for opcode in Opcode::ALL.iter().copied().filter(|opcode| may_promise(*opcode, flags)) {
                let Ok(evaluation) = evaluate_flagged(self.d, opcode, flags, &args) else { continue };
                let Some(value) = evaluation.results.first() else { continue };
                let (zeros, signs) = (self.d.zero_extend(value.bits, whole), self.d.sign_extend(value.bits, whole));
                if zeros == result || signs == result {
                    return Some(value.poison);
                }
            }
        }
        None
    }
}

/// Whether an operation of two sources may carry these flags.
fn may_promise(opcode: Opcode, flags: InstFlags) -> bool {
    opcode.info().is_some_and(|info| {
        let binary = info.defs.len() == 1 && info.uses.len() == 2 && info.flags.contains(OpcodeFlags::DEFINED);
        binary && (info.inst_flags & InstFlags::PROMISES).contains(flags)
    })
}
