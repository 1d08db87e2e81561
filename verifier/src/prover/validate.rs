//! Two stages of one function: does the later refine the earlier?
//!
//! Block by block, without unrolling. Values that are no PHIs are terms over the PHIs, arguments and loads above them: by
//! dominance they mean the last execution of each, which both sides share. PHIs are the cut points: at the entry of a block
//! each PHI of the earlier function stands in a relation to PHIs of the later one (equal, in the low bits of a wider one, or
//! split into several), memory is equal, and this is shown anew for every edge. So a loop is proved for any number of
//! rounds. The relations are guessed from the order and the widths of PHIs; where they are too weak the verdict is
//! `unknown`, which only an execution can turn into `refuted`.

use super::memory::SymbolicMemory;
use super::query::{self, Output};
use super::side::{Evaluation, Inputs, Scalar, Side};
use super::term::Symbolic;
use super::{Verdict, decide_query, solver};
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Type, VReg};
use tribunal_target::Target;

/// The same function before and after.
#[derive(Clone, Copy)]
pub struct Pair<'f> {
    pub before: &'f Function,
    pub after: &'f Function,
}

/// The verdict, with the block that it fails at in words, and how many blocks were proved.
pub fn validate(target: &Target, pair: Pair<'_>) -> (Verdict, u64) {
    match Validation::new(target, pair).and_then(Validation::run) {
        Ok(outcome) => outcome,
        Err(unsupported) => (Verdict::Unsupported(unsupported.feature), 0),
    }
}

/// A PHI of the earlier function and those of the later one that hold it, low part first.
struct Related {
    before: Inst,
    after: Vec<Inst>,
}

struct Validation<'v> {
    target: &'v Target,
    pair: Pair<'v>,
    graph: Symbolic,
    inputs: Inputs,
    /// Blocks of both, in an order in which definitions come before uses.
    blocks: Vec<(Block, Block)>,
    related: FxHashMap<Block, Vec<Related>>,
}

impl<'v> Validation<'v> {
    fn new(target: &'v Target, pair: Pair<'v>) -> Result<Self, Unsupported> {
        let Pair { before, after } = pair;
        if after.stack.len() > before.stack.len() || after.fixed_stack.len() > before.fixed_stack.len() {
            return Err(Unsupported::new("new stack objects"));
        }
        // By place: LLVM numbers blocks anew when it reads a file.
        let places =
            |function: &Function| -> FxHashMap<Block, usize> { function.layout().iter().copied().zip(0..).collect() };
        let (places_before, places_after) = (places(before), places(after));
        if places_before.len() != places_after.len() {
            return Err(Unsupported::new("control flow that changed"));
        }
        let mut blocks = Vec::new();
        for block in before.reverse_post_order() {
            let other = after.layout()[places_before[&block]];
            if edges(before, block, &places_before) != edges(after, other, &places_after) {
                return Err(Unsupported::new("control flow that changed"));
            }
            if volatile(before, block) != volatile(after, other) {
                return Err(Unsupported::new("volatile accesses that changed"));
            }
            blocks.push((block, other));
        }
        let (graph, inputs) = (Symbolic::default(), Inputs::default());
        Ok(Validation { target, pair, graph, inputs, blocks, related: FxHashMap::default() })
    }

    fn run(mut self) -> Result<(Verdict, u64), Unsupported> {
        let mut sides = Vec::new();
        let (mut before, mut after) = (FxHashMap::default(), FxHashMap::default());
        for (place, (block, other)) in (1..).zip(self.blocks.clone()) {
            self.relate(block, other, &mut before, &mut after)?;
            let source = self.side(self.pair.before, block, place, before)?;
            let result = self.side(self.pair.after, other, place, after)?;
            (before, after) = (source.defined.clone(), result.defined.clone());
            sides.push((source, result));
        }
        if !self.inputs.registers.is_empty() {
            return Err(Unsupported::new("a register without a definition above its use"));
        }
        let mut proved = 0;
        let mut vacuous = 0;
        for ((block, other), (source, result)) in self.blocks.clone().into_iter().zip(sides) {
            let mut outputs = self.returned(block, other, &source, &result)?;
            outputs.extend(self.edges(block, &source, &result)?);
            let bits = u32::from(self.target.pointer_bits);
            let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
            let query = query::question(graph, inputs, bits, &source, &result, false, outputs)?;
            if query.graph.is_false(query.source_defined) {
                // A block that is undefined when entered is never entered by a defined execution.
                vacuous += 1;
            } else {
                match decide_query(&query, solver::Text::Dropped).0 {
                    Verdict::Proved { .. } => proved += 1,
                    verdict => {
                        let name = format!("bb.{}", self.pair.before.block(block).number);
                        return Ok((unproved(&name, verdict), proved));
                    }
                }
            }
            (self.graph, self.inputs) = (query.graph, query.inputs);
        }
        if proved == 0 && vacuous > 0 {
            return Ok((Verdict::Unknown("vacuous: no block of the source is defined".to_string()), 0));
        }
        Ok((Verdict::Proved { engine: super::Engine::Structural }, proved))
    }

    /// Gives the PHIs of a block their values: names for those of the earlier function, and by these those of the later.
    fn relate(
        &mut self,
        block: Block,
        other: Block,
        before: &mut FxHashMap<VReg, Scalar>,
        after: &mut FxHashMap<VReg, Scalar>,
    ) -> Result<(), Unsupported> {
        let related = related(self.pair, block, other)?;
        for Related { before: phi, after: phis } in &related {
            let (register, ty) = defined(self.pair.before, *phi)?;
            let value = Value { bits: self.graph.variable(ty.bits()), poison: self.graph.variable(1) };
            let mut offset = 0;
            for &phi in phis {
                let (register, part) = defined(self.pair.after, phi)?;
                let bits = match part.bits() > ty.bits() {
                    true => {
                        let above = self.graph.variable(part.bits() - ty.bits());
                        self.graph.concatenate(above, value.bits)
                    }
                    false => self.graph.extract_bits(value.bits, offset, part.bits()),
                };
                offset += part.bits();
                after.insert(register, Value { bits, poison: value.poison });
            }
            before.insert(register, value);
        }
        self.related.insert(block, related);
        Ok(())
    }

    fn side(
        &mut self,
        function: &Function,
        block: Block,
        place: u32,
        defined: FxHashMap<VReg, Scalar>,
    ) -> Result<Side, Unsupported> {
        let is_entry = function.entry() == Some(block);
        let insts: Vec<InstData> = function
            .insts(block)
            .map(|inst| function.inst(inst))
            .filter(|data| !data.opcode.is_phi())
            .cloned()
            .collect();
        if !is_entry && reads_above(function, block, self.target) {
            return Err(Unsupported::new("a physical register read below the entry block"));
        }
        let memory = SymbolicMemory::new(&mut self.graph, place, self.inputs.slots.clone(), false);
        let mut side = Side::new(&mut self.graph, defined, memory);
        let (d, inputs) = (&mut self.graph, &mut self.inputs);
        let mut evaluation = Evaluation { d, target: self.target, function, inputs, machine: false, standing: None };
        evaluation.run(&mut side, &insts)?;
        Ok(side)
    }

    /// What a returning block leaves in the registers that its return reads.
    fn returned(
        &mut self,
        block: Block,
        other: Block,
        source: &Side,
        result: &Side,
    ) -> Result<Vec<Output>, Unsupported> {
        let read = |function: &Function, block| -> Vec<tribunal_ir::PReg> {
            let Some(data) = function.last_inst(block).map(|inst| function.inst(inst)) else { return Vec::new() };
            let Opcode::Target(opcode) = data.opcode else { return Vec::new() };
            match self.target.instruction(opcode).flags.contains(OpcodeFlags::RETURN) {
                true => data.uses().filter_map(|operand| operand.reg.as_physical()).collect(),
                false => Vec::new(),
            }
        };
        let (registers, others) = (read(self.pair.before, block), read(self.pair.after, other));
        if registers != others {
            return Err(Unsupported::new("a return that reads other registers"));
        }
        let outputs = registers.into_iter().map(|register| {
            let full = self.target.vocabulary.full_register(register);
            let bits = self.target.vocabulary.register_bits(register);
            let missing = || Unsupported::new("a returned register that its block does not write");
            let mut of = |side: &Side| {
                let mut value = side.physical.get(&full).cloned().ok_or_else(missing)?;
                value.bits = self.graph.zext_or_trunc(&value.bits, bits);
                Ok(value)
            };
            let (source, target) = (of(source)?, of(result)?);
            Ok(Output { register: None, name: "returned", source, target })
        });
        outputs.collect()
    }

    /// What flows into the PHIs of the blocks below, part by part.
    fn edges(&mut self, block: Block, source: &Side, result: &Side) -> Result<Vec<Output>, Unsupported> {
        let mut outputs = Vec::new();
        let successors: Vec<Block> = self.pair.before.successors(block).collect();
        for next in successors {
            let other = self.counterpart(block)?;
            for related in self.related.get(&next).into_iter().flatten() {
                let from = incoming(self.pair.before, related.before, block)?;
                let value = source.defined.get(&from).cloned().ok_or_else(undefined)?;
                let mut offset = 0;
                for &phi in &related.after {
                    let register = incoming(self.pair.after, phi, other)?;
                    let mut target = result.defined.get(&register).cloned().ok_or_else(undefined)?;
                    let whole = self.graph.width_of(value.bits);
                    let width = self.graph.width_of(target.bits).min(whole);
                    target.bits = self.graph.extract_bits(target.bits, 0, width);
                    let bits = self.graph.extract_bits(value.bits, offset, width);
                    let part = Value { bits, poison: value.poison };
                    outputs.push(Output { register: None, name: "phi", source: part, target });
                    offset += width;
                }
            }
        }
        Ok(outputs)
    }

    fn counterpart(&self, block: Block) -> Result<Block, Unsupported> {
        let pair = self.blocks.iter().find(|(before, _)| *before == block);
        pair.map(|&(_, after)| after).ok_or_else(|| Unsupported::new("a block that went away"))
    }
}

fn undefined() -> Unsupported {
    Unsupported::new("a register without a definition above its use")
}

/// Where a block's successors stand, and the labels of its branches, in order.
fn edges(function: &Function, block: Block, places: &FxHashMap<Block, usize>) -> Vec<Option<usize>> {
    let branches = function.insts(block).map(|inst| function.inst(inst)).filter(|data| !data.opcode.is_phi());
    let labels = branches.flat_map(|data| data.operands.iter()).filter_map(|operand| match operand {
        tribunal_ir::Operand::Block(label) => Some(*label),
        _ => None,
    });
    function.successors(block).chain(labels).map(|block| places.get(&block).copied()).collect()
}

/// True if the block reads a physical register that it has not written itself; the stack pointer is the same everywhere.
fn reads_above(function: &Function, block: Block, target: &Target) -> bool {
    let mut written = vec![target.abi.stack_pointer];
    function.insts(block).map(|inst| function.inst(inst)).any(|data| {
        let reads = data.uses().filter_map(|operand| operand.reg.as_physical()).any(|read| !written.contains(&read));
        written.extend(data.defs().filter_map(|operand| operand.reg.as_physical()));
        reads
    })
}

/// Volatile accesses of a block: they may not come or go.
fn volatile(function: &Function, block: Block) -> usize {
    let insts = function.insts(block).flat_map(|inst| function.inst(inst).memory.iter());
    insts.filter(|memory| memory.flags.contains(tribunal_ir::MemFlags::VOLATILE)).count()
}

/// A failure of one block's obligation: relations that were guessed may be too weak for it, so it refutes nothing yet.
fn unproved(block: &str, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Refuted(counterexample) => {
            let shown: Vec<String> = counterexample
                .outputs
                .iter()
                .filter(|(_, before, after)| before != after)
                .map(|(name, before, after)| format!("{name} {:#x} before, {:#x} after", before.0, after.0))
                .collect();
            Verdict::Unknown(format!("{block} is not shown: {}", shown.join("; ")))
        }
        Verdict::Unknown(reason) => Verdict::Unknown(format!("{block}: {reason}")),
        other => other,
    }
}

/// The register that a PHI defines, and its type.
fn defined(function: &Function, phi: Inst) -> Result<(VReg, Type), Unsupported> {
    let register = function.inst(phi).vreg(0).ok_or_else(|| Unsupported::new("malformed G_PHI"))?;
    let ty = function.type_of(register).ok_or_else(|| Unsupported::new("a PHI without a type"))?;
    match ty.is_vector() {
        true => Err(Unsupported::new("vector")),
        false => Ok((register, ty)),
    }
}

/// The register that a PHI takes along the edge from `block`.
fn incoming(function: &Function, phi: Inst, block: Block) -> Result<VReg, Unsupported> {
    let mut inputs = function.inst(phi).phi_inputs();
    let input = inputs.find(|&(_, from)| from == block).map(|(register, _)| register);
    input.ok_or_else(|| Unsupported::new("malformed G_PHI"))
}

/// Pairs the PHIs of a block: by register where that stayed, otherwise by order and width. A PHI of the earlier function
/// that nothing holds any more has gone dead.
fn related(pair: Pair<'_>, block: Block, other: Block) -> Result<Vec<Related>, Unsupported> {
    let phis = |function: &Function, block| -> Vec<Inst> {
        function.insts(block).filter(|&inst| function.inst(inst).opcode.is_phi()).collect()
    };
    let (before, after) = (phis(pair.before, block), phis(pair.after, other));
    let mut left: Vec<(Inst, VReg, Type)> = Vec::new();
    for phi in after {
        let (register, ty) = defined(pair.after, phi)?;
        left.push((phi, register, ty));
    }
    let mut all = Vec::new();
    let mut open = Vec::new();
    for phi in before {
        let (register, ty) = defined(pair.before, phi)?;
        match left.iter().position(|&(_, other, kept)| other == register && kept == ty) {
            Some(index) => all.push(Related { before: phi, after: vec![left.remove(index).0] }),
            None => open.push((phi, ty)),
        }
    }
    let mut left = left.into_iter().peekable();
    for (phi, ty) in open {
        let mut held = Vec::new();
        let mut bits = 0;
        while bits < ty.bits()
            && let Some((part, _, part_ty)) = left.next()
        {
            bits += part_ty.bits();
            held.push(part);
        }
        let whole = held.is_empty() || bits == ty.bits() || held.len() == 1;
        if !whole {
            return Err(Unsupported::new("PHIs that no relation is found for"));
        }
        all.push(Related { before: phi, after: held });
    }
    match left.peek() {
        None => Ok(all),
        Some(_) => Err(Unsupported::new("PHIs that no relation is found for")),
    }
}
