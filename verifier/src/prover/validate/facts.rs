//! Invariants of the PHIs of the earlier function: ranges, and values that they never have.
//!
//! Candidates come from the constants that flow into PHIs and that comparisons name, and from the number of bits in
//! use: a value that is masked, extended or loaded narrow stays below a power of two. A candidate is dropped if some
//! edge does not preserve it under the assumption of those left. The rest hold always, by induction over the execution
//! (Flanagan and Leino, "Houdini", 2001). They distinguish a counter that stops at a constant from an arbitrary value.

use crate::prover::term::{Symbolic, Term};
use rustc_hash::FxHashSet;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::Domain;
use tribunal_ir::{Block, Function, Inst, Opcode, VReg};

/// The relation of a PHI to a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Relation {
    Differs,
    AtMost,
    AtLeast,
    SignedAtMost,
    SignedAtLeast,
}

/// Unless the PHI is poison, it stands in this relation to the constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Fact {
    pub phi: Inst,
    pub block: Block,
    relation: Relation,
    constant: Bits,
}

impl Fact {
    /// The fact as a formula about a value.
    pub fn of(&self, d: &mut Symbolic, value: Term) -> Term {
        let constant = d.value(self.constant);
        match self.relation {
            Relation::Differs => d.ne(&value, &constant),
            Relation::AtMost => d.ule(&value, &constant),
            Relation::AtLeast => d.ule(&constant, &value),
            Relation::SignedAtMost => d.sle(&value, &constant),
            Relation::SignedAtLeast => d.sle(&constant, &value),
        }
    }

    fn holds_for(&self, value: Bits) -> bool {
        match self.relation {
            Relation::Differs => value != self.constant,
            Relation::AtMost => value.cmp_unsigned(self.constant).is_le(),
            Relation::AtLeast => value.cmp_unsigned(self.constant).is_ge(),
            Relation::SignedAtMost => value.cmp_signed(self.constant).is_le(),
            Relation::SignedAtLeast => value.cmp_signed(self.constant).is_ge(),
        }
    }
}

/// The most candidates in all, and the most constants for each PHI.
const MOST: usize = 2000;
const MOST_CONSTANTS: usize = 8;

/// The candidates for the integer PHIs of `function`.
pub(super) fn candidates(function: &Function) -> Vec<Fact> {
    let compared = compared(function);
    let mut facts = Vec::new();
    for &block in function.layout() {
        for phi in function.insts(block).take_while(|&inst| function.inst(inst).opcode.is_phi()) {
            let data = function.inst(phi);
            let width = data.vreg(0).and_then(|register| function.type_of(register)).map_or(0, |ty| ty.bits());
            let arriving: Vec<Bits> =
                data.phi_inputs().filter_map(|(register, _)| constant(function, register)).collect();
            if !(2..=64).contains(&width) || facts.len() >= MOST {
                continue;
            }
            let one = Bits::new(1, width);
            let mut constants: Vec<Bits> = vec![Bits::zero(width), Bits::ones(width)];
            for &near in arriving.iter().chain(compared.iter().filter(|bits| bits.width() == width)) {
                constants.extend([near, near.sub(one), near.add(one)]);
            }
            let mut seen = FxHashSet::default();
            constants.retain(|constant| seen.insert(*constant));
            constants.truncate(MOST_CONSTANTS);
            use Relation::*;
            let all = [Differs, AtMost, AtLeast, SignedAtMost, SignedAtLeast];
            let named = constants.into_iter().flat_map(|constant| all.map(|relation| (relation, constant)));
            let narrow = (1..width).map(|used| (AtMost, Bits::ones(used).zext_or_trunc(width)));
            let all = named.chain(narrow).map(|(relation, constant)| Fact { phi, block, relation, constant });
            facts.extend(all.filter(|fact| arriving.iter().all(|&value| fact.holds_for(value))));
        }
    }
    facts
}

/// Constants that comparisons name.
fn compared(function: &Function) -> Vec<Bits> {
    let insts = function.all_insts();
    let comparisons = insts.map(|inst| function.inst(inst)).filter(|data| data.opcode == Opcode::G_ICMP);
    comparisons.flat_map(|data| data.vreg_uses()).filter_map(|register| constant(function, register)).collect()
}

fn constant(function: &Function, register: VReg) -> Option<Bits> {
    let data = function.inst(function.def_of(register)?);
    match data.opcode {
        Opcode::G_CONSTANT => data.operands.get(1).and_then(|operand| function.constant_value(operand)),
        _ => None,
    }
}
