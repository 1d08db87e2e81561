//! PHIs as cut points: the relation assumed of them at a block's entry, and the obligation on each edge that justifies
//! it.

use super::Setting;
use super::induction::Validation;
use super::pairing::{Related, defined, incoming, related, undefined};
use crate::prover::ValueName;
use crate::prover::elements::{elements, unknown};
use crate::prover::query::StepOutput;
use crate::prover::side::{Scalar, Side};
use crate::prover::term::Term;
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{Block, Function, Inst, VReg};

/// The bits of a widened PHI above those of the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PhiExtension {
    Zeros,
    Signs,
    Anything,
}

/// For PHIs of the later function, the extension that holds where it is weaker than zeros.
pub(super) type Relations = FxHashMap<Inst, PhiExtension>;

/// A value on an edge into a PHI of the later function, and the earlier function's value there.
pub(super) struct Flow {
    pub(super) phi: Inst,
    /// The block of the earlier function that it flows into.
    pub(super) next: Block,
    pub(super) source: Scalar,
    pub(super) target: Scalar,
}

impl Validation<'_> {
    pub(super) fn above(&self, phi: Inst) -> PhiExtension {
        self.relations.get(&phi).copied().unwrap_or(PhiExtension::Zeros)
    }

    /// Gives the PHIs of a block their values: names for those of the earlier function, and by these those of the
    /// later.
    pub(super) fn relate(
        &mut self,
        block: Block,
        other: Block,
        before: &mut FxHashMap<VReg, Scalar>,
        after: &mut FxHashMap<VReg, Scalar>,
    ) -> Result<(), Unsupported> {
        let Setting { pair, target, .. } = self.setting;
        let related = related(pair, target, (block, other), self.parts)?;
        for Related { before: phi, after: phis } in &related {
            let (register, width) = defined(pair.before, target, *phi)?;
            let flags = |function: &Function, phi: Inst| function.inst(phi).flags;
            if !phis.iter().all(|&later| flags(pair.before, *phi).contains(flags(pair.after, later))) {
                return Err(Unsupported::different("a flag of a PHI that is new"));
            }
            let value = unknown(&mut self.graph, width, elements(pair.before, register));
            let mut offset = 0;
            for &phi in phis {
                let (register, part) = defined(pair.after, target, phi)?;
                let own = match part > width {
                    true => self.extended(&value, self.above(phi), part),
                    false => value.part(&mut self.graph, offset, part),
                };
                offset += part;
                after.insert(register, own);
            }
            self.phis.insert(*phi, value.clone());
            before.insert(register, value);
        }
        self.related.insert(block, related);
        Ok(())
    }

    /// A value in the low bits of a wider PHI, which is poison where any of it is.
    fn extended(&mut self, value: &Scalar, above: PhiExtension, width: u32) -> Scalar {
        let bits = match above {
            PhiExtension::Zeros => self.graph.zero_extend(value.bits, width),
            PhiExtension::Signs => self.graph.sign_extend(value.bits, width),
            PhiExtension::Anything => {
                let above = self.graph.variable(width - self.graph.width_of(value.bits));
                self.graph.concatenate(above, value.bits)
            }
        };
        Value::new(bits, value.poison)
    }

    /// The values that flow into the PHIs of the successors, part by part.
    pub(super) fn flows(
        &mut self,
        block: Block,
        other: Block,
        source: &Side,
        result: &Side,
    ) -> Result<Vec<Flow>, Unsupported> {
        let mut flows = Vec::new();
        let successors: Vec<Block> = self.setting.pair.before.successors(block).collect();
        for next in successors {
            // An edge that the later function lacks is shown never to be taken.
            if !self.has_edge(other, next) {
                continue;
            }
            for related in self.related.get(&next).into_iter().flatten() {
                let from = incoming(self.setting.pair.before, related.before, block)?;
                let value = arriving(source, related.before, from)?;
                let mut offset = 0;
                for &phi in &related.after {
                    let register = incoming(self.setting.pair.after, phi, other)?;
                    let target = arriving(result, phi, register)?;
                    let width = self.graph.width_of(target.bits).min(self.graph.width_of(value.bits));
                    let source = value.part(&mut self.graph, offset, width);
                    flows.push(Flow { phi, next, source, target });
                    offset += width;
                }
            }
        }
        Ok(flows)
    }

    /// Whether the later function goes from `other` to the partner of `next`, a block of the earlier one.
    fn has_edge(&self, other: Block, next: Block) -> bool {
        let partner = self.partner(next);
        self.setting.pair.after.successors(other).any(|successor| Some(successor) == partner)
    }

    /// The obligation on an edge, in all bits that the relation covers.
    pub(super) fn related_output(&mut self, flow: Flow, ub: Term) -> StepOutput {
        let Flow { phi, mut source, mut target, .. } = flow;
        let (width, whole) = (self.graph.width_of(source.bits), self.graph.width_of(target.bits));
        if width == whole {
            return StepOutput { name: ValueName::Other("phi"), source, target, ub };
        }
        (source, target) = (Value::new(source.bits, source.poison), Value::new(target.bits, target.poison));
        match self.above(phi) {
            PhiExtension::Zeros => source.bits = self.graph.zero_extend(source.bits, whole),
            PhiExtension::Signs => source.bits = self.graph.sign_extend(source.bits, whole),
            PhiExtension::Anything => target.bits = self.graph.extract_bits(target.bits, 0, width),
        }
        StepOutput { name: ValueName::Other("phi"), source, target, ub }
    }
}

/// The value that flows into a PHI from the side's block.
pub(super) fn arriving(side: &Side, phi: Inst, register: VReg) -> Result<Scalar, Unsupported> {
    side.arriving.get(&phi).or_else(|| side.defined.get(&register)).cloned().ok_or_else(undefined)
}
