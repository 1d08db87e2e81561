//! Two stages of one function: does the later refine the earlier?
//!
//! Block by block, without unrolling. Values that are no PHIs are terms over the PHIs, arguments and loads above them: by
//! dominance they mean the last execution of each, which both sides share. PHIs are the cut points: at the entry of a block
//! each PHI of the earlier function stands in a relation to PHIs of the later one (equal, in the low bits of a wider one, or
//! split into several), memory is equal, and this is shown anew for every edge. So a loop is proved for any number of
//! rounds. The relations are guessed from the order and the widths of PHIs; where they are too weak the verdict is
//! `unknown`, which only an execution can turn into `refuted`.

use super::facts::{self, Fact};
use super::memory::SymbolicMemory;
use super::opaque::{self, Earlier, Uninterpreted};
use super::query::{self, Output, Query};
use super::side::{Evaluation, Inputs, Scalar, Side};
use super::term::{Symbolic, Term};
use super::{Verdict, decide_query, solver};
use crate::machine_verifier::dominance::Tree;
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, PReg, Type, VReg};
use tribunal_target::Target;

/// The same function before and after.
#[derive(Clone, Copy)]
pub struct Pair<'f> {
    pub before: &'f Function,
    pub after: &'f Function,
}

/// Bytes of address space for the prover's stack; what is not used costs nothing.
const STACK: usize = 1 << 30;

/// The verdict, with the block that it fails at in words, and how many blocks were proved.
pub fn validate(target: &Target, pair: Pair<'_>) -> (Verdict, u64) {
    // Terms are walked by recursion, and those of a large block are deep.
    let run = || guesses(target, pair);
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        thread.ok().and_then(|thread| thread.join().ok())
    });
    let Some(outcome) = outcome else { return (Verdict::Unknown("the prover's thread ended".to_string()), 0) };
    match outcome {
        Ok(outcome) => outcome,
        Err(changed) if changed.feature.starts_with(opaque::CHANGED) => (Verdict::Unknown(changed.feature), 0),
        Err(unsupported) => (Verdict::Unsupported(unsupported.feature), 0),
    }
}

/// The first pairing of PHIs, and if that is not enough and there is another, that one.
fn guesses(target: &Target, pair: Pair<'_>) -> Result<(Verdict, u64), Unsupported> {
    let first = attempts(target, pair, Parts::All);
    let proved = |outcome: &Result<(Verdict, u64), Unsupported>| matches!(outcome, Ok((Verdict::Proved { .. }, _)));
    let mut blocks = pair.before.layout().iter().zip(pair.after.layout());
    let ambiguous = |(&block, &other): (&Block, &Block)| {
        related(pair, block, other, Parts::All).ok() != related(pair, block, other, Parts::Low).ok()
    };
    if proved(&first) || !blocks.any(ambiguous) {
        return first;
    }
    let second = attempts(target, pair, Parts::Low);
    if proved(&second) { second } else { first }
}

/// Attempts until facts bring nothing new.
fn attempts(target: &Target, pair: Pair<'_>, parts: Parts) -> Result<(Verdict, u64), Unsupported> {
    let mut facts = Vec::new();
    let mut asked = Vec::new();
    loop {
        let outcome = attempt(target, pair, parts, &facts)?;
        // What is not shown may follow from facts about the PHIs that it speaks of.
        let new: Vec<Inst> = outcome.about.iter().copied().filter(|phi| !asked.contains(phi)).collect();
        if new.is_empty() || asked.len() > MOST_PHIS {
            return Ok((outcome.verdict, outcome.proved));
        }
        let known = facts.len();
        facts = Validation::new(target, pair, parts)?.invariants(&facts, &new)?;
        asked.extend(new);
        if facts.len() == known {
            return Ok((outcome.verdict, outcome.proved));
        }
    }
}

/// PHIs about which facts are looked for, at most.
const MOST_PHIS: usize = 12;

/// How an attempt ends.
struct Outcome {
    verdict: Verdict,
    /// Blocks proved.
    proved: u64,
    /// PHIs of the earlier function that the block which is not proved speaks of.
    about: Vec<Inst>,
}

/// One attempt, with these facts about the earlier function.
fn attempt(target: &Target, pair: Pair<'_>, parts: Parts, facts: &[Fact]) -> Result<Outcome, Unsupported> {
    let mut held = Held::default();
    loop {
        let mut validation = Validation::new(target, pair, parts)?;
        validation.held = std::mem::take(&mut held);
        validation.facts = facts.to_vec();
        let sides = validation.evaluate()?;
        match validation.weakened(&sides)? {
            Some(weaker) => held = weaker,
            None => return validation.decide(sides),
        }
    }
}

/// A PHI of the earlier function and those of the later one that hold it, low part first.
#[derive(PartialEq, Eq)]
struct Related {
    before: Inst,
    after: Vec<Inst>,
}

/// How many PHIs of the later function hold one of the earlier that is wider than they are. Either is a guess, which the
/// obligations on the edges check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Parts {
    /// As many as its width takes, low part first.
    All,
    /// The low part alone, where each PHI has one partner: the high part has gone dead.
    Low,
}

/// What the bits of a widened PHI above those of the earlier one are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Above {
    Zeros,
    Signs,
    Anything,
}

/// For PHIs of the later function, what is weaker than zeros.
type Held = FxHashMap<Inst, Above>;

/// A value on its way into a PHI of the later function, and what the earlier function sends there.
struct Flow {
    phi: Inst,
    /// The block of the earlier function that it flows into.
    next: Block,
    source: Scalar,
    target: Scalar,
}

struct Validation<'v> {
    target: &'v Target,
    pair: Pair<'v>,
    parts: Parts,
    graph: Symbolic,
    inputs: Inputs,
    /// Blocks of both, in an order in which definitions come before uses.
    blocks: Vec<(Block, Block)>,
    related: FxHashMap<Block, Vec<Related>>,
    opaque: Uninterpreted,
    held: Held,
    facts: Vec<Fact>,
    /// The PHIs of the earlier function.
    phis: FxHashMap<Inst, Scalar>,
}

impl<'v> Validation<'v> {
    fn new(target: &'v Target, pair: Pair<'v>, parts: Parts) -> Result<Self, Unsupported> {
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
            blocks.push((block, other));
        }
        let (graph, inputs) = (Symbolic::default(), Inputs::default());
        let opaque = Uninterpreted::new(blocks.len() as u32);
        Ok(Validation {
            target,
            pair,
            parts,
            graph,
            inputs,
            blocks,
            related: FxHashMap::default(),
            opaque,
            held: Held::default(),
            facts: Vec::new(),
            phis: FxHashMap::default(),
        })
    }

    /// What each block computes, on both sides.
    fn evaluate(&mut self) -> Result<Vec<(Side, Side)>, Unsupported> {
        let mut sides = Vec::new();
        let (mut before, mut after) = (FxHashMap::default(), FxHashMap::default());
        for (place, (block, other)) in (1..).zip(self.blocks.clone()) {
            self.relate(block, other, &mut before, &mut after)?;
            self.opaque.earlier = None;
            let source = self.side(self.pair.before, block, place, before)?;
            self.opaque.earlier = Some(Earlier { effects: source.effects.clone(), pure: source.pure.clone() });
            let result = self.side(self.pair.after, other, place, after)?;
            if let Some(missing) = source.effects.get(result.effects.len()) {
                return Err(Unsupported::new(format!("{}{}", opaque::CHANGED, missing.name)));
            }
            (before, after) = (source.defined.clone(), result.defined.clone());
            sides.push((source, result));
        }
        if !self.inputs.registers.is_empty() {
            return Err(Unsupported::new("a register without a definition above its use"));
        }
        Ok(sides)
    }

    /// The relations that hold on every edge by how terms are made, if some that were assumed do not.
    fn weakened(&mut self, sides: &[(Side, Side)]) -> Result<Option<Held>, Unsupported> {
        let mut held = self.held.clone();
        for ((block, other), (source, result)) in self.blocks.clone().into_iter().zip(sides) {
            for flow in self.flows(block, other, source, result)? {
                let (width, whole) = (self.graph.width_of(flow.source.bits), self.graph.width_of(flow.target.bits));
                if width >= whole {
                    continue;
                }
                let low = self.graph.extract_bits(flow.target.bits, 0, width);
                let above = self.above(flow.phi);
                let holds = match above {
                    Above::Zeros => self.graph.zero_extend(low, whole) == flow.target.bits,
                    Above::Signs => self.graph.sign_extend(low, whole) == flow.target.bits,
                    Above::Anything => true,
                };
                let phi = flow.phi;
                if !holds && !self.edge_holds(block, flow, source) {
                    held.insert(phi, if above == Above::Zeros { Above::Signs } else { Above::Anything });
                }
            }
        }
        Ok((held != self.held).then_some(held))
    }

    /// Whether a relation is shown on one edge, where the earlier side is defined.
    fn edge_holds(&mut self, block: Block, flow: Flow, source: &Side) -> bool {
        let ub = self.not_along(block, flow.next, source);
        let output = self.related_output(flow, ub);
        let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
        let mut outputs = vec![output];
        // What else may be wrong with the value is for the block's own question.
        outputs[0].target.poison = outputs[0].source.poison;
        let query = query::of_outputs(graph, inputs, ub, outputs, false);
        matches!(self.answer(query, solver::Effort::RELATION), Verdict::Proved { .. })
    }

    /// The verdict on a question, where the facts hold; the graph comes back from it.
    fn answer(&mut self, mut query: Query, effort: solver::Effort) -> Verdict {
        let about = if self.facts.is_empty() { Vec::new() } else { self.mentioned(&query) };
        let excuses: Vec<Term> = self
            .facts
            .iter()
            .filter(|fact| about.contains(&fact.phi))
            .filter_map(|fact| {
                let value = self.phis.get(&fact.phi)?;
                let holds = fact.of(&mut query.graph, value.bits);
                let holds = query.graph.bool_or(&value.poison, &holds);
                Some(query.graph.complement(holds))
            })
            .collect();
        query.excuse(&excuses);
        let verdict = decide_query(&query, solver::Text::Dropped, effort).0;
        (self.graph, self.inputs) = (query.graph, query.inputs);
        verdict
    }

    /// PHIs of the earlier function that what may be wrong depends on.
    fn mentioned(&self, query: &Query) -> Vec<Inst> {
        let variables = query.variables();
        let phis = self.phis.iter().filter(|(_, value)| variables.contains(&value.bits));
        let mut phis: Vec<Inst> = phis.map(|(phi, _)| *phi).collect();
        phis.sort_unstable();
        phis
    }

    /// For each block, what is false whenever it is entered by a defined execution: that the last execution of a block that
    /// dominates it was entered along another edge than its only one, or was undefined before that.
    fn ways(&mut self, sides: &[(Side, Side)]) -> FxHashMap<Block, Vec<Term>> {
        let function = self.pair.before;
        let order: Vec<Block> = self.blocks.iter().map(|&(block, _)| block).collect();
        let mut ways: FxHashMap<Block, Vec<Term>> = FxHashMap::default();
        let Some(entry) = function.entry() else { return ways };
        let tree = Tree::new(function, &order, entry);
        let predecessors = function.predecessors();
        for (index, &block) in order.iter().enumerate() {
            let mut above = tree.above(&order, block).and_then(|above| ways.get(&above)).cloned().unwrap_or_default();
            if let [only] = predecessors[block.as_u32() as usize].as_slice()
                && let Some(place) = order[..index].iter().position(|other| other == only)
            {
                above.push(self.not_along(*only, block, &sides[place].0));
            }
            ways.insert(block, above);
        }
        ways
    }

    /// The facts about the earlier function that hold on every edge: those known, and new ones about these PHIs.
    fn invariants(mut self, known: &[Fact], phis: &[Inst]) -> Result<Vec<Fact>, Unsupported> {
        let sides = self.evaluate()?;
        let function = self.pair.before;
        let new = facts::candidates(function).into_iter().filter(|fact| phis.contains(&fact.phi));
        self.facts = known.iter().copied().chain(new).collect();
        loop {
            let before = self.facts.len();
            for ((block, _), (source, _)) in self.blocks.clone().into_iter().zip(&sides) {
                for next in function.successors(block) {
                    let ub = self.not_along(block, next, source);
                    for fact in
                        self.facts.clone().into_iter().filter(|fact| fact.block == next && !known.contains(fact))
                    {
                        let from = incoming(function, fact.phi, block)?;
                        let value = source.defined.get(&from).cloned().ok_or_else(undefined)?;
                        if !self.fact_holds(fact, value, ub) {
                            self.facts.retain(|other| *other != fact);
                        }
                    }
                }
            }
            if self.facts.len() == before {
                return Ok(self.facts);
            }
        }
    }

    fn fact_holds(&mut self, fact: Fact, value: Scalar, ub: Term) -> bool {
        let mut graph = std::mem::take(&mut self.graph);
        let holds = fact.of(&mut graph, value.bits);
        let bit = |bits, poison| Value { bits, poison };
        let (yes, no) = (graph.truth(true), graph.truth(false));
        let (source, target) = (bit(yes, value.poison), bit(holds, no));
        let output = Output { register: None, name: "fact", source, target, ub };
        let query = query::of_outputs(graph, std::mem::take(&mut self.inputs), ub, vec![output], false);
        matches!(self.answer(query, solver::Effort::FACT), Verdict::Proved { .. })
    }

    /// True where the earlier function does not go from `block` to `next`, or is undefined there.
    fn not_along(&mut self, block: Block, next: Block, source: &Side) -> Term {
        let function = self.pair.before;
        let Some(taken) = source.taken else { return source.ub };
        let conditional = function.insts(block).map(|inst| function.inst(inst));
        let conditional = conditional.filter(|data| data.opcode == Opcode::G_BRCOND);
        let label = conditional.flat_map(|data| data.operands.iter()).find_map(|operand| match operand {
            tribunal_ir::Operand::Block(label) => Some(*label),
            _ => None,
        });
        let others = function.successors(block).filter(|&other| other != next).count();
        let elsewhere = match (label == Some(next), others) {
            // Both ways lead there.
            (_, 0) => return source.ub,
            (true, _) => self.graph.complement(taken),
            (false, _) => taken,
        };
        self.graph.bool_or(&source.ub, &elsewhere)
    }

    fn above(&self, phi: Inst) -> Above {
        self.held.get(&phi).copied().unwrap_or(Above::Zeros)
    }

    fn decide(mut self, sides: Vec<(Side, Side)>) -> Result<Outcome, Unsupported> {
        let mut proved = 0;
        let mut vacuous = 0;
        let ways = self.ways(&sides);
        for ((block, other), (source, result)) in self.blocks.clone().into_iter().zip(sides) {
            let mut outputs = self.returned(block, other, &source, &result)?;
            for flow in self.flows(block, other, &source, &result)? {
                let ub = self.not_along(block, flow.next, &source);
                outputs.push(self.related_output(flow, ub));
            }
            let bits = u32::from(self.target.pointer_bits);
            let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
            let mut query = query::question(graph, inputs, bits, &source, &result, false, outputs)?;
            if query.graph.is_false(query.source_defined) {
                // A block that is undefined when entered is never entered by a defined execution.
                vacuous += 1;
            } else {
                query.excuse(&ways[&block]);
                let about = self.mentioned(&query);
                match self.answer(query, solver::Effort::BLOCK) {
                    Verdict::Proved { .. } => proved += 1,
                    verdict => {
                        let name = format!("bb.{}", self.pair.before.block(block).number);
                        return Ok(Outcome { verdict: unproved(&name, verdict), proved, about });
                    }
                }
                continue;
            }
            (self.graph, self.inputs) = (query.graph, query.inputs);
        }
        if proved == 0 && vacuous > 0 {
            let verdict = Verdict::Unknown("vacuous: no block of the source is defined".to_string());
            return Ok(Outcome { verdict, proved: 0, about: Vec::new() });
        }
        Ok(Outcome { verdict: Verdict::Proved { engine: super::Engine::Structural }, proved, about: Vec::new() })
    }

    /// Gives the PHIs of a block their values: names for those of the earlier function, and by these those of the later.
    fn relate(
        &mut self,
        block: Block,
        other: Block,
        before: &mut FxHashMap<VReg, Scalar>,
        after: &mut FxHashMap<VReg, Scalar>,
    ) -> Result<(), Unsupported> {
        let related = related(self.pair, block, other, self.parts)?;
        for Related { before: phi, after: phis } in &related {
            let (register, ty) = defined(self.pair.before, *phi)?;
            let value = Value { bits: self.graph.variable(ty.bits()), poison: self.graph.variable(1) };
            let mut offset = 0;
            for &phi in phis {
                let (register, part) = defined(self.pair.after, phi)?;
                let bits = match part.bits() > ty.bits() {
                    true => match self.above(phi) {
                        Above::Zeros => self.graph.zero_extend(value.bits, part.bits()),
                        Above::Signs => self.graph.sign_extend(value.bits, part.bits()),
                        Above::Anything => {
                            let above = self.graph.variable(part.bits() - ty.bits());
                            self.graph.concatenate(above, value.bits)
                        }
                    },
                    false => self.graph.extract_bits(value.bits, offset, part.bits()),
                };
                offset += part.bits();
                after.insert(register, Value { bits, poison: value.poison });
            }
            self.phis.insert(*phi, value.clone());
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
        if reads_stale(self.target, function, block, is_entry) {
            return Err(Unsupported::new("a physical register read that nothing in its block writes"));
        }
        let memory = SymbolicMemory::new(&mut self.graph, place, self.inputs.slots.clone(), false);
        let mut side = Side::new(&mut self.graph, defined, memory);
        let (d, inputs, opaque) = (&mut self.graph, &mut self.inputs, Some(&mut self.opaque));
        let target = self.target;
        let mut evaluation = Evaluation { d, target, function, inputs, machine: false, standing: None, opaque };
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
        let read = |function: &Function, block| -> Vec<PReg> {
            let Some(data) = function.last_inst(block).map(|inst| function.inst(inst)) else { return Vec::new() };
            let Opcode::Target(opcode) = data.opcode else { return Vec::new() };
            match self.target.instruction(opcode).flags.contains(OpcodeFlags::RETURN) {
                true => data.uses().filter_map(|operand| operand.reg.as_physical()).collect(),
                false => Vec::new(),
            }
        };
        let tail_call = |function: &Function, block| {
            let data = function.last_inst(block).map(|inst| function.inst(inst));
            data.is_some_and(|data| opaque::is_tail_call(function, data, self.target))
        };
        let registers = read(self.pair.before, block);
        let others = match (tail_call(self.pair.before, block), tail_call(self.pair.after, other)) {
            (true, true) => Vec::new(),
            // A call of a runtime function in place of a return leaves its result where a return would.
            (false, true) => registers.clone(),
            (false, false) => read(self.pair.after, other),
            (true, false) => return Err(Unsupported::new("a tail call that is none any more")),
        };
        if registers != others {
            return Err(Unsupported::new("a return that reads other registers"));
        }
        let ub = source.ub;
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
            Ok(Output { register: None, name: "returned", source, target, ub })
        });
        outputs.collect()
    }

    /// What flows into the PHIs of the blocks below, part by part.
    fn flows(&mut self, block: Block, other: Block, source: &Side, result: &Side) -> Result<Vec<Flow>, Unsupported> {
        let mut flows = Vec::new();
        let successors: Vec<Block> = self.pair.before.successors(block).collect();
        for next in successors {
            for related in self.related.get(&next).into_iter().flatten() {
                let from = incoming(self.pair.before, related.before, block)?;
                let value = source.defined.get(&from).cloned().ok_or_else(undefined)?;
                let mut offset = 0;
                for &phi in &related.after {
                    let register = incoming(self.pair.after, phi, other)?;
                    let target = result.defined.get(&register).cloned().ok_or_else(undefined)?;
                    let width = self.graph.width_of(target.bits).min(self.graph.width_of(value.bits));
                    let bits = self.graph.extract_bits(value.bits, offset, width);
                    flows.push(Flow { phi, next, source: Value { bits, poison: value.poison }, target });
                    offset += width;
                }
            }
        }
        Ok(flows)
    }

    /// The obligation on an edge, in all bits of which the relation speaks.
    fn related_output(&mut self, flow: Flow, ub: Term) -> Output {
        let Flow { phi, mut source, mut target, .. } = flow;
        let (width, whole) = (self.graph.width_of(source.bits), self.graph.width_of(target.bits));
        match self.above(phi) {
            Above::Zeros => source.bits = self.graph.zero_extend(source.bits, whole),
            Above::Signs => source.bits = self.graph.sign_extend(source.bits, whole),
            Above::Anything => target.bits = self.graph.extract_bits(target.bits, 0, width),
        }
        Output { register: None, name: "phi", source, target, ub }
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

/// True if the block reads a physical register that it has not written itself, or only in front of a call. Arguments stand in
/// theirs at the head of the entry block, and the stack pointer is what it is.
fn reads_stale(target: &Target, function: &Function, block: Block, is_entry: bool) -> bool {
    let mut written = Vec::new();
    let mut arrived = is_entry;
    let stack = target.abi.stack_pointer;
    function.insts(block).map(|inst| function.inst(inst)).any(|data| {
        let registers = data.uses().filter_map(|operand| operand.reg.as_physical());
        let stale =
            |read: &PReg| !arrived && *read != stack && !written.contains(read) && !target.is_zero_register(*read);
        let reads = registers.into_iter().any(|read| stale(&read));
        if function.opcode_flags(data, target.vocabulary).contains(OpcodeFlags::CALL) {
            written.clear();
            arrived = false;
        }
        written.extend(data.defs().filter_map(|operand| operand.reg.as_physical()));
        reads
    })
}

/// A failure of one block's obligation: relations that were guessed may be too weak for it, so it refutes nothing yet.
fn unproved(block: &str, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Refuted(counterexample) => {
            let value = |(bits, poison): super::Shown| match poison {
                true => "poison".to_string(),
                false => format!("{bits:#x}"),
            };
            let wrong = counterexample.outputs.iter().filter(|(_, before, after)| !before.1 && before != after);
            let mut shown: Vec<String> = wrong
                .map(|(name, before, after)| format!("{name} {} before, {} after", value(*before), value(*after)))
                .collect();
            if shown.is_empty() {
                shown.push("undefined behaviour".to_string());
            }
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
    Ok((register, ty))
}

/// The register that a PHI takes along the edge from `block`.
fn incoming(function: &Function, phi: Inst, block: Block) -> Result<VReg, Unsupported> {
    let mut inputs = function.inst(phi).phi_inputs();
    let input = inputs.find(|&(_, from)| from == block).map(|(register, _)| register);
    input.ok_or_else(|| Unsupported::new("malformed G_PHI"))
}

/// Pairs the PHIs of a block: by register where that stayed, otherwise by order and width. A PHI of the earlier function
/// that nothing holds any more has gone dead.
fn related(pair: Pair<'_>, block: Block, other: Block, parts: Parts) -> Result<Vec<Related>, Unsupported> {
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
    if parts == Parts::Low && open.len() == left.len() {
        let pairs = open.into_iter().zip(left);
        all.extend(pairs.map(|((phi, _), (part, ..))| Related { before: phi, after: vec![part] }));
        return Ok(all);
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
