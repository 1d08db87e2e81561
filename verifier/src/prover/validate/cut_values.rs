//! The values of registers at a cut point, without a record of how control came there.
//!
//! A register whose definition dominates the cut point holds the value of its last execution. Where that is a function
//! of other registers alone, these still hold what it read. Had one been executed since, its reader would have too.
//! So such a register is a term over the rest. The rest are unknowns: PHIs, loads, results of calls, choices.
//!
//! For the same reason the condition of the only edge into a dominating block still holds. So does that of the only
//! edge into a loop from outside, if a dominating block heads it.

use super::induction::Validation;
use super::trace::{Trace, UndefinedPhi, comes_undefined, phis};
use super::undefined::is_read_again;
use super::ways::reached;
use super::{Undef, control};
use crate::machine_verifier::dominance::Tree;
use crate::prover::elements::{elements, unknown};
use crate::prover::side::{Scalar, Side, too_wide};
use crate::prover::term::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::semantics::{Unsupported, walk};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, VReg};
use tribunal_target::Target;

/// A function with its dominator tree.
pub(super) struct FlowShape<'f> {
    pub function: &'f Function,
    order: Vec<Block>,
    tree: Tree,
}

/// Values by register.
pub(super) type Values = FxHashMap<VReg, Scalar>;

/// The registers at a cut point.
#[derive(Default)]
pub(super) struct CutValues {
    pub values: Values,
    /// Those that are unknowns.
    pub unknown: FxHashSet<VReg>,
}

impl<'f> FlowShape<'f> {
    /// `None` if the function is not in SSA form, or control comes back to its entry.
    pub fn new(function: &'f Function) -> Option<FlowShape<'f>> {
        let entry = function.entry()?;
        let order = function.reverse_post_order();
        let mut defined = FxHashSet::default();
        let mut defs = function.all_insts().flat_map(|inst| function.inst(inst).vreg_defs());
        let is_ssa = defs.all(|register| defined.insert(register));
        let is_once = function.predecessors()[entry.as_u32() as usize].is_empty();
        let tree = Tree::new(function, &order, entry);
        (is_ssa && is_once).then_some(FlowShape { function, order, tree })
    }

    /// The blocks that strictly dominate a block, from the entry on.
    fn above(&self, block: Block) -> Vec<Block> {
        let mut chain: Vec<Block> =
            std::iter::successors(self.tree.above(&self.order, block), |&block| self.tree.above(&self.order, block))
                .collect();
        chain.reverse();
        chain
    }

    /// The instructions that define the registers at a cut point, in order: its own are its PHIs.
    fn definitions(&self, cut: Block) -> Vec<Inst> {
        let above = self.above(cut).into_iter().flat_map(|block| self.function.insts(block));
        above.chain(phis(self.function, cut)).collect()
    }

    /// The registers at a cut point that code after it reads.
    pub fn read_after(&self, cut: Block) -> Vec<VReg> {
        let mut read: FxHashSet<VReg> = FxHashSet::default();
        for block in reached(self.function, cut) {
            read.extend(self.function.insts(block).flat_map(|inst| self.function.inst(inst).vreg_uses()));
        }
        let defs = self.definitions(cut).into_iter().flat_map(|inst| self.function.inst(inst).vreg_defs());
        defs.filter(|register| read.contains(register)).collect()
    }

    /// True for a PHI at the head of this block.
    pub fn is_phi_of(&self, register: VReg, block: Block) -> bool {
        let inst = self.function.def_of(register);
        inst.is_some_and(|inst| self.function.inst(inst).opcode.is_phi() && self.function.block_of(inst) == Some(block))
    }
}

impl Validation<'_> {
    /// The registers at a cut point, where those in `assumed` have these values.
    pub(super) fn values_at(
        &mut self,
        shape: &FlowShape<'_>,
        cut: Block,
        contents: &Values,
        assumed: &Values,
    ) -> Result<CutValues, Unsupported> {
        let function = shape.function;
        let mut side = self.empty_side(function, 0, contents.clone());
        let mut unknown = FxHashSet::default();
        for inst in shape.definitions(cut) {
            let data = function.inst(inst);
            if !self.computed(function, inst, &mut side)? {
                let registers: Vec<VReg> =
                    data.vreg_defs().filter(|&register| !self.is_undefined(function, register)).collect();
                for register in registers {
                    unknown.insert(register);
                    if !assumed.contains_key(&register) {
                        let value = self.unknown(function, register)?;
                        side.defined.insert(register, value);
                    }
                }
            }
            let known = data.vreg_defs().filter_map(|register| Some((register, assumed.get(&register)?.clone())));
            side.defined.extend(known);
        }
        Ok(CutValues { values: side.defined, unknown })
    }

    /// The values that a trace leaves in the registers at the cut point that it ends at.
    pub(super) fn arrivals(
        &mut self,
        shape: &FlowShape<'_>,
        cut: Block,
        trace: &mut Trace,
        contents: &Values,
    ) -> Result<Values, Unsupported> {
        let Some(last) = trace.last() else { return Ok(Values::default()) };
        let function = shape.function;
        let is_later = self.opaque.earlier.is_some();
        let undefined =
            phis(function, cut).filter(|&phi| comes_undefined(function, function.inst(phi), last, &trace.side));
        let choice = match is_later && is_read_again(function, undefined) {
            true => UndefinedPhi::EachRead,
            false => UndefinedPhi::Once,
        };
        self.enter(function, (last, cut), choice, &mut trace.side)?;
        let is_read = |&register: &VReg| function.use_count(register) > 0;
        if is_later && trace.side.undefined_phis.iter().any(is_read) {
            return Err(Unsupported::new("an undefined value through a PHI across a loop"));
        }
        let mut arrivals = contents.clone();
        for inst in shape.definitions(cut) {
            for register in function.inst(inst).vreg_defs() {
                if let Some(value) = trace.side.defined.get(&register) {
                    arrivals.insert(register, value.clone());
                }
            }
        }
        Ok(arrivals)
    }

    /// Adds what the code after a cut point computes of these values alone.
    pub(super) fn foresee(
        &mut self,
        shape: &FlowShape<'_>,
        cut: Block,
        values: &Values,
    ) -> Result<Values, Unsupported> {
        let function = shape.function;
        let mut side = self.empty_side(function, 0, values.clone());
        let reached = reached(function, cut);
        for &block in shape.order.iter().filter(|block| reached.contains(block)) {
            for inst in function.insts(block) {
                let data = function.inst(inst);
                let is_new = data.vreg_defs().all(|register| !side.defined.contains_key(&register));
                let is_ready = data.vreg_uses().all(|register| side.defined.contains_key(&register));
                if is_new && is_ready && !self.computed(function, inst, &mut side)? {
                    data.vreg_defs().for_each(|register| _ = side.defined.remove(&register));
                }
            }
        }
        Ok(side.defined)
    }

    /// The conditions of branches on the way here that still hold at a cut point.
    pub(super) fn conditions_at(
        &mut self,
        shape: &FlowShape<'_>,
        cut: Block,
        values: &Values,
    ) -> Result<Vec<Term>, Unsupported> {
        let function = shape.function;
        let predecessors = function.predecessors();
        let mut conditions = Vec::new();
        for block in shape.above(cut).into_iter().chain([cut]) {
            let from = &predecessors[block.as_u32() as usize];
            // Edges that close a loop of this block come from where it was entered before.
            let from: Vec<Block> = from.iter().copied().filter(|&from| !shape.tree.dominates(block, from)).collect();
            let [from] = from.as_slice() else { continue };
            let vocabulary = self.setting.target.vocabulary;
            let is_terminator =
                |data: &InstData| function.opcode_flags(data, vocabulary).contains(OpcodeFlags::TERMINATOR);
            let branches: Vec<InstData> = function
                .insts(*from)
                .map(|inst| function.inst(inst))
                .filter(|data| is_terminator(data))
                .cloned()
                .collect();
            if branches.iter().any(|data| !reads_registers_alone(self.setting.target, data)) {
                continue;
            }
            let mut side = self.empty_side(function, 0, values.clone());
            let is_known = self.run_on(function, &mut side, &branches).is_ok() && side.effects.is_empty();
            if is_known
                && side.choices.is_empty()
                && control::closed(&mut self.graph, function, *from, &mut side).is_ok()
            {
                conditions.push(control::goes(&mut self.graph, &side, block));
            }
        }
        conditions.retain(|&condition| !self.graph.is_true(condition));
        Ok(conditions)
    }

    /// An unknown value.
    fn unknown(&mut self, function: &Function, register: VReg) -> Result<Scalar, Unsupported> {
        let bits = walk::register_bits(function, self.setting.target.vocabulary, register);
        match bits > MAX_BITS {
            true => Err(too_wide()),
            false => Ok(unknown(&mut self.graph, bits, elements(function, register))),
        }
    }

    /// True for a register each read of which is a choice of its own.
    fn is_undefined(&self, function: &Function, register: VReg) -> bool {
        self.setting.undef == Undef::PerUse && crate::prover::side::is_undefined(function, register)
    }

    /// Executes an instruction whose results depend on virtual registers alone, or on an argument; false for others.
    fn computed(&mut self, function: &Function, inst: Inst, side: &mut Side) -> Result<bool, Unsupported> {
        let data = function.inst(inst);
        if data.vreg_defs().next().is_none() {
            return Ok(true);
        }
        if !is_argument(function, inst) && !is_function_of_registers(self.setting.target, function, data) {
            return Ok(false);
        }
        let choices = side.choices.len();
        let is_done = self.run_on(function, side, std::slice::from_ref(data)).is_ok();
        match side.effects.is_empty() {
            true => Ok(is_done && side.choices.len() == choices),
            false => Err(Unsupported::new("an operation with effects among values")),
        }
    }
}

/// Whether an instruction reads and writes virtual registers only, and nothing else decides its results.
fn is_function_of_registers(target: &Target, function: &Function, data: &InstData) -> bool {
    let other = OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS;
    let control = OpcodeFlags::TERMINATOR | OpcodeFlags::CALL | OpcodeFlags::BARRIER;
    let flags = function.opcode_flags(data, target.vocabulary);
    // In a strict function any instruction on numbers may see the environment.
    let sees_environment = function.is_strict() && matches!(data.opcode, Opcode::Target(_));
    !sees_environment
        && !flags.intersects(other | control)
        && !data.opcode.is_phi()
        && data.memory.is_empty()
        && !matches!(data.opcode, Opcode::G_FREEZE | Opcode::OPAQUE)
        && reads_registers_alone(target, data)
}

/// Whether every register that an instruction names is virtual, reads as zero, or is the thread pointer, which nobody
/// changes.
fn reads_registers_alone(target: &Target, data: &InstData) -> bool {
    data.operands.iter().filter_map(Operand::as_reg).all(|operand| match operand.reg.as_physical() {
        Some(register) => {
            let stands =
                target.vocabulary.is_zero_register(register) || target.abi.thread_pointer.register() == Some(register);
            stands && !operand.flags.contains(tribunal_ir::RegFlags::DEF)
        }
        None => true,
    })
}

/// Whether this copies an argument: at the head of the entry block, among copies alone.
fn is_argument(function: &Function, inst: Inst) -> bool {
    let is_copy = |inst: Inst| {
        let data = function.inst(inst);
        let defines_virtual = data.defs().all(|operand| operand.reg.as_virtual().is_some());
        data.opcode == Opcode::COPY && defines_virtual
    };
    let entry = function.entry().into_iter();
    let mut head = entry.flat_map(|entry| function.insts(entry)).take_while(|&other| {
        let data = function.inst(other);
        is_copy(other)
            || data.defs().all(|operand| operand.reg.as_virtual().is_some())
                && data.memory.is_empty()
                && !matches!(data.opcode, Opcode::Target(_) | Opcode::OPAQUE)
    });
    is_copy(inst) && head.any(|other| other == inst)
}
