//! Operations with effects, and those that make a choice, in their order: the k-th of the later side is the k-th of the
//! earlier one, and has its results.

use super::elements::{elements, unknown};
use super::identity::Identity;
use super::opaque::{Effect, Touches, changed};
use super::side::{Scalar, Side, SideEvaluation, SideState};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::semantics::walk::MachineState;
use tribunal_ir::{Family, InstData, Opcode, RegOperand};

impl SideEvaluation<'_> {
    /// Whether either function has a register that is a vector.
    pub(super) fn has_vectors(&self) -> bool {
        self.opaque.as_ref().is_some_and(|opaque| opaque.has_vectors)
    }

    /// The elements of each result that is poison by itself: of a vector those of its type, and of a register of the
    /// machine that a call leaves a vector in, its bytes.
    pub(super) fn elements_of_results(&self, data: &InstData) -> Vec<u32> {
        let has_vectors = self.has_vectors();
        let elements = |operand: &RegOperand| match operand.reg.as_virtual() {
            Some(register) => elements(self.function, register),
            None if has_vectors => (self.operand_width(operand) / 8).max(1),
            None => 1,
        };
        data.defs().map(elements).collect()
    }

    /// The next operation with effects: its results, of so many bits each.
    pub(super) fn effect(
        &mut self,
        side: &mut Side,
        identity: Identity,
        args: Vec<Scalar>,
        widths: &[u32],
        touches: Touches,
    ) -> Result<Vec<Scalar>, Unsupported> {
        let scalars: Vec<(u32, u32)> = widths.iter().map(|&bits| (bits, 1)).collect();
        self.effect_of_shapes(side, identity, args, &scalars, touches)
    }

    /// The same with results of so many bits and elements each.
    pub(super) fn effect_of_shapes(
        &mut self,
        side: &mut Side,
        identity: Identity,
        mut args: Vec<Scalar>,
        shapes: &[(u32, u32)],
        touches: Touches,
    ) -> Result<Vec<Scalar>, Unsupported> {
        // What is called may read the environment of floating point.
        for register in self.function.environment_registers(self.target.vocabulary) {
            args.push(SideState { evaluation: self, side }.full_register(register));
        }
        if !side.branches.is_empty() {
            return Err(Unsupported::new("an operation with effects after a branch"));
        }
        let Some(opaque) = self.opaque.as_deref_mut() else {
            self.effect_of_step(side, identity, args);
            return Ok(Vec::new());
        };
        let (results, place) = match &opaque.earlier {
            None => {
                let results: Vec<Scalar> = shapes.iter().map(|&(bits, count)| unknown(self.d, bits, count)).collect();
                (results, opaque.place_after(touches))
            }
            Some(earlier) => {
                let other = earlier.effects.get(side.effects.len()).filter(|other| {
                    let same_widths =
                        |(result, &(bits, _)): (&Scalar, &(u32, u32))| self.d.width_of(result.bits) == bits;
                    other.identity.allows(&identity)
                        && other.memory.is_some() == (touches == Touches::Memory)
                        && other.args.len() == args.len()
                        && other.results.len() == shapes.len()
                        && other.results.iter().zip(shapes).all(same_widths)
                });
                let other = other.ok_or_else(|| changed(&identity.what))?;
                (other.results.clone(), other.place)
            }
        };
        let memory = (touches == Touches::Memory).then_some((side.memory.bytes, side.memory.poison));
        side.effects.push(Effect { identity, args, results: results.clone(), ub: side.ub, memory, place });
        if touches == Touches::Memory {
            side.memory = side.memory.at(self.d, place);
        }
        Ok(results)
    }
}

/// True for an operation whose results the operands do not decide: each of two may choose otherwise, the bits of a NaN
/// among others. So without a definition it is no function, and nobody may execute it once more.
pub(super) fn makes_choice(opcode: Opcode) -> bool {
    let is_reduction = opcode.family() == Some(Family::Reduction);
    is_reduction || opcode.is_float() || matches!(opcode, Opcode::G_FREEZE | Opcode::G_ANYEXT)
}
