//! The nondeterministic choices of a side. In a whole function those of the later side are the earlier side's, in the
//! order in which each opcode makes them, as long as some were kept for it.

use super::opaque::Earlier;
use super::side::{Scalar, Side, SideEvaluation};
use super::term::{Symbolic, Term};
use super::validate::Undef;
use super::witness;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, Opcode, VReg};

impl SideEvaluation<'_> {
    /// The choices of an instruction.
    pub(super) fn choice(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let made = self.d.choices.len();
        self.offer(side, data.opcode);
        self.generic(side, data)?;
        self.d.offered.clear();
        let result = data.vreg(0).and_then(|register| side.defined.get(&register)).map(|value| value.bits);
        for &choice in &self.d.choices[made..] {
            // One that the result does not depend on is none; numbers have as many, whatever their results are.
            if data.opcode.is_float() || result.is_none_or(|result| witness::mentions(self.d, result, choice)) {
                side.chosen.push((data.opcode, choice));
            }
        }
        let frozen = data.vreg(1).filter(|_| data.opcode == Opcode::G_FREEZE);
        if let Some(bits) = frozen.and_then(|frozen| side.defined.get(&frozen)).map(|value| value.bits) {
            side.frozen.extend(witness::frozen(self.d, made, bits));
        }
        Ok(())
    }

    /// The choices of a computation that does what the opcode does: those that the opcode would make.
    pub(super) fn chosen_by<R>(
        &mut self,
        side: &mut Side,
        opcode: Opcode,
        compute: impl FnOnce(&mut Symbolic) -> R,
    ) -> R {
        let made = self.d.choices.len();
        self.offer(side, opcode);
        let result = compute(self.d);
        self.d.offered.clear();
        side.chosen.extend(self.d.choices[made..].iter().map(|&choice| (opcode, choice)));
        result
    }

    /// One use of an undefined value: a choice of its own.
    pub(super) fn undefined_use(&mut self, side: &mut Side, register: VReg) -> Scalar {
        let width = self.width(register);
        let bits = self.chosen_by(side, Opcode::G_IMPLICIT_DEF, |d| d.choose(width));
        Value::new(bits, self.d.truth(false))
    }

    /// Hands what was chosen to the side.
    pub(super) fn keep_choices(&mut self, side: &mut Side) {
        side.choices.append(&mut self.d.choices);
    }

    /// Whether each use of an undefined value is a choice of its own.
    pub(super) fn is_per_use(&self) -> bool {
        self.opaque.as_ref().is_some_and(|opaque| opaque.undef == Undef::PerUse)
    }

    /// The choices of the earlier side that the later side's next ones for this opcode are, the next one last.
    fn offer(&mut self, side: &Side, opcode: Opcode) {
        let earlier = self.opaque.as_ref().and_then(|opaque| opaque.earlier.as_ref());
        let made = side.chosen.iter().filter(|(other, _)| *other == opcode).count();
        let own = |earlier: &Earlier| -> Vec<Term> {
            let own = earlier.choices.iter().filter(|(other, _)| *other == opcode).map(|&(_, choice)| choice);
            own.skip(made).collect()
        };
        self.d.offered = earlier.map(own).unwrap_or_default();
        self.d.offered.reverse();
    }
}
