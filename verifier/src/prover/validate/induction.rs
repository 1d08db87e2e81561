//! The induction over blocks: from the relation assumed at a block's entry, prove it at the entry of each successor.

use super::cut_points::{self, Flow, PhiExtension, Relations};
use super::facts::{self, Fact};
use super::pairing::{self, Parts, Related, incoming, undefined};
use super::{Extensions, Outcome, Pair, Setting, Undef, Validated, tables, unproved};
use crate::machine_verifier::dominance::Tree;
use crate::prover::ValueName;
use crate::prover::choices;
use crate::prover::claims::{self, Visits};
use crate::prover::earlier::Earlier;
use crate::prover::elements::{elements, unknown};
use crate::prover::evaluate::Evaluator;
use crate::prover::memory::{FrameAddresses, promises_object};
use crate::prover::opaque::{self, Uninterpreted};
use crate::prover::query::{self, Query, StepOutput};
use crate::prover::side::{Inputs, Scalar, Side};
use crate::prover::term::{Limb, Symbolic, Term};
use crate::prover::{Decision, Engine, Verdict, decide_query, decision, solver};
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, VReg};
use tribunal_target::{Target, environment};

pub(super) struct Validation<'v> {
    pub(super) setting: Setting<'v>,
    pub(super) parts: Parts,
    pub(super) graph: Symbolic,
    pub(super) inputs: Inputs,
    /// Blocks of both, in an order in which definitions come before uses.
    pub(super) blocks: Vec<(Block, Block)>,
    pub(super) related: FxHashMap<Block, Vec<Related>>,
    pub(super) opaque: Uninterpreted,
    pub(super) relations: Relations,
    pub(super) facts: Vec<Fact>,
    /// The PHIs of the earlier function.
    pub(super) phis: FxHashMap<Inst, Scalar>,
    /// Some address of the later function is said not to wrap or to stay in its object.
    pub(super) follows_objects: bool,
}

impl<'v> Validation<'v> {
    pub(super) fn new(setting: Setting<'v>, parts: Parts) -> Result<Self, Unsupported> {
        tables::compared(setting.target, setting.pair)?;
        let blocks = pairing::blocks(setting.pair)?;
        Ok(Validation::of_blocks(setting, parts, blocks))
    }

    /// Without a pairing of blocks.
    pub(super) fn unpaired(setting: Setting<'v>) -> Result<Self, Unsupported> {
        tables::compared(setting.target, setting.pair)?;
        Ok(Validation::of_blocks(setting, Parts::All, Vec::new()))
    }

    fn of_blocks(setting: Setting<'v>, parts: Parts, blocks: Vec<(Block, Block)>) -> Self {
        let after = setting.pair.after;
        let frame = FrameAddresses::of_stages(setting.pair.before, after);
        let (graph, inputs) = (Symbolic::with_limb(limb(setting.pair)), Inputs { frame, ..Inputs::default() });
        let mut opaque = Uninterpreted::new(blocks.len() as u32, setting.undef, setting.expands);
        opaque.has_vectors = [setting.pair.before, setting.pair.after].into_iter().any(has_vectors);
        opaque.shared_constants = tables::shared_constants(setting.pair);
        opaque.later_loads = choices::loads(setting.target, after);
        Validation {
            setting,
            parts,
            graph,
            inputs,
            blocks,
            related: FxHashMap::default(),
            opaque,
            relations: Relations::default(),
            facts: Vec::new(),
            phis: FxHashMap::default(),
            follows_objects: after.all_insts().any(|inst| promises_object(after.inst(inst))),
        }
    }

    /// The contents of promoted objects on entry: unknown, and the same on both sides.
    pub(super) fn contents(&mut self) -> Result<FxHashMap<VReg, Scalar>, Unsupported> {
        let mut defined = FxHashMap::default();
        for &register in self.setting.contents {
            let ty = self.setting.pair.before.type_of(register).ok_or_else(undefined)?;
            let value = unknown(&mut self.graph, ty.bits(), elements(self.setting.pair.before, register));
            defined.insert(register, value);
        }
        Ok(defined)
    }

    /// The evaluation of each block, on both sides.
    pub(super) fn evaluate(&mut self) -> Result<Vec<(Side, Side)>, Unsupported> {
        let mut sides = Vec::new();
        let mut before = self.contents()?;
        let mut after = before.clone();
        for (place, (block, other)) in (1..).zip(self.blocks.clone()) {
            self.relate(block, other, &mut before, &mut after)?;
            self.opaque.earlier = None;
            let mut source = self.side(self.setting.pair.before, block, place, before)?;
            let choices = shared_choices(self.setting, block, other, &mut source);
            self.opaque.earlier = Some(Earlier { choices, ..Earlier::of(&source) });
            let result = self.side(self.setting.pair.after, other, place, after)?;
            self.keep_unshared(&mut source, &result);
            if let Some(missing) = source.effects.get(result.effects.len()) {
                return Err(opaque::changed(&missing.identity.what));
            }
            (before, after) = (source.defined.clone(), result.defined.clone());
            sides.push((source, result));
        }
        if !self.inputs.registers.is_empty() {
            return Err(Unsupported::new("a register without a definition above its use"));
        }
        Ok(sides)
    }

    /// Choices that were offered to the later side, which made fewer, are the earlier side's alone again.
    fn keep_unshared(&self, source: &mut Side, result: &Side) {
        let offered = self.opaque.earlier.as_ref().map_or(&[][..], |earlier| earlier.choices.as_slice());
        let taken = |opcode| result.chosen.iter().filter(|(other, _)| *other == opcode).count();
        for (index, &(opcode, choice)) in offered.iter().enumerate() {
            let before = offered[..index].iter().filter(|(other, _)| *other == opcode).count();
            if before >= taken(opcode) {
                source.choices.push(choice);
            }
        }
        source.choices.retain(|&choice| !result.takes(choice));
    }

    /// The relations that hold on every edge by the structure of terms, if some that were assumed do not.
    pub(super) fn weakened(&mut self, sides: &[(Side, Side)]) -> Result<Option<Relations>, Unsupported> {
        let mut relations = self.relations.clone();
        for ((block, other), (source, result)) in self.blocks.clone().into_iter().zip(sides) {
            for flow in self.flows(block, other, source, result)? {
                let (width, whole) = (self.graph.width_of(flow.source.bits), self.graph.width_of(flow.target.bits));
                if width >= whole {
                    continue;
                }
                let low = self.graph.extract_bits(flow.target.bits, 0, width);
                let above = self.above(flow.phi);
                let holds = match above {
                    PhiExtension::Zeros => self.graph.zero_extend(low, whole) == flow.target.bits,
                    PhiExtension::Signs => self.graph.sign_extend(low, whole) == flow.target.bits,
                    PhiExtension::Anything => true,
                };
                let phi = flow.phi;
                if !holds && !self.edge_holds(flow, source) {
                    relations.insert(
                        phi,
                        if above == PhiExtension::Zeros { PhiExtension::Signs } else { PhiExtension::Anything },
                    );
                }
            }
        }
        Ok((relations != self.relations).then_some(relations))
    }

    /// Whether a relation is shown on one edge, where the earlier side is defined.
    fn edge_holds(&mut self, flow: Flow, source: &Side) -> bool {
        let ub = self.not_along(flow.next, source);
        let output = self.related_output(flow, ub);
        let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
        let mut outputs = vec![output];
        // The block's own question covers the other ways in which the value may be wrong.
        outputs[0].target.poison = outputs[0].source.poison;
        let query = query::of_outputs(graph, inputs, ub, outputs, false);
        matches!(self.answer(query, solver::Effort::RELATION), Verdict::Proved { .. })
    }

    /// The verdict on a question, where the facts hold; the graph comes back from it.
    pub(super) fn answer(&mut self, query: Query, effort: solver::Effort) -> Verdict {
        let decide = |query: &mut Query, effort| decide_query(query, solver::Text::Dropped, effort).0;
        self.answered(query, effort, decide, Verdict::Unknown)
    }

    pub(super) fn decision(&mut self, query: Query, effort: solver::Effort) -> Decision {
        let decide = |query: &mut Query, effort| decision(query, solver::Text::Dropped, effort).0;
        self.answered(query, effort, decide, Decision::Unknown)
    }

    /// The answer of `decide` to a question where the facts hold, unless the function's limit is reached.
    fn answered<T>(
        &mut self,
        mut query: Query,
        effort: solver::Effort,
        decide: impl Fn(&mut Query, solver::Effort) -> T,
        unknown: impl Fn(String) -> T,
    ) -> T {
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
        let limits = self.setting.limits;
        let answer = limits.reached().map_or_else(|| decide(&mut query, limits.within(effort)), unknown);
        (self.graph, self.inputs) = (query.graph, query.inputs);
        answer
    }

    /// PHIs of the earlier function that the query's `wrong` term depends on.
    fn mentioned(&self, query: &Query) -> Vec<Inst> {
        let variables = query.variables();
        let phis = self.phis.iter().filter(|(_, value)| variables.contains(&value.bits));
        let mut phis: Vec<Inst> = phis.map(|(phi, _)| *phi).collect();
        phis.sort_unstable();
        phis
    }

    /// Shows these PHIs in a counterexample.
    fn name_phis(&self, query: &mut Query, phis: &[Inst]) {
        let function = self.setting.pair.before;
        let named = phis.iter().filter_map(|phi| Some((function.inst(*phi).vreg(0)?, self.phis.get(phi)?.clone())));
        query.inputs.registers = named.collect();
        query.inputs.order = phis.iter().filter_map(|&phi| function.inst(phi).vreg(0)).collect();
    }

    /// For each block, conditions that are false whenever a defined execution enters it. Each says of a block that
    /// dominates it: its last execution was entered along another edge than its only one, or was undefined before that.
    fn ways(&mut self, sides: &[(Side, Side)]) -> FxHashMap<Block, Vec<Term>> {
        let function = self.setting.pair.before;
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
                above.push(self.not_along(block, &sides[place].0));
            }
            ways.insert(block, above);
        }
        ways
    }

    /// The facts about the earlier function that hold on every edge: those known, and new ones about these PHIs.
    pub(super) fn invariants(mut self, known: &[Fact], phis: &[Inst]) -> Result<Vec<Fact>, Unsupported> {
        let sides = self.evaluate()?;
        let ways = self.ways(&sides);
        let function = self.setting.pair.before;
        let new = facts::candidates(function).into_iter();
        let new = new.filter(|fact| phis.contains(&fact.phi) && !known.contains(fact));
        self.facts = known.iter().copied().chain(new).collect();
        loop {
            let before = self.facts.len();
            for ((block, _), (source, _)) in self.blocks.clone().into_iter().zip(&sides) {
                for next in function.successors(block) {
                    let along = self.not_along(next, source);
                    let ub = ways[&block].iter().fold(along, |ub, way| self.graph.bool_or(&ub, way));
                    let mut arriving = Vec::new();
                    for &fact in self.facts.iter().filter(|fact| fact.block == next && !known.contains(fact)) {
                        let from = incoming(function, fact.phi, block)?;
                        arriving.push((fact, cut_points::arriving(source, fact.phi, from)?));
                    }
                    self.keep_facts(arriving, ub);
                }
            }
            if self.facts.len() == before {
                return Ok(self.facts);
            }
        }
    }

    /// Drops the facts that are not proved of the values on one edge; keeps all together, if they all hold.
    fn keep_facts(&mut self, mut arriving: Vec<(Fact, Scalar)>, ub: Term) {
        while !arriving.is_empty() {
            if self.setting.limits.reached().is_some() {
                self.facts.retain(|fact| !arriving.iter().any(|(other, _)| other == fact));
                return;
            }
            let mut graph = std::mem::take(&mut self.graph);
            let (yes, no) = (graph.truth(true), graph.truth(false));
            let outputs = arriving.iter().map(|(fact, value)| StepOutput {
                name: ValueName::Other("fact"),
                source: Value::new(yes, value.poison),
                target: Value::new(fact.of(&mut graph, value.bits), no),
                ub,
            });
            let outputs: Vec<StepOutput> = outputs.collect();
            let shown: Vec<(Term, Term)> =
                outputs.iter().map(|output| (output.source.poison, output.target.bits)).collect();
            let query = query::of_outputs(graph, std::mem::take(&mut self.inputs), ub, outputs, false);
            let broken: Vec<bool> = match self.decision(query, solver::Effort::FACT) {
                Decision::Proved(_) => return,
                Decision::Refuted(assignment) => {
                    let mut evaluator = Evaluator::new(&self.graph, &assignment);
                    shown.iter().map(|&(poison, holds)| !evaluator.holds(poison) && !evaluator.holds(holds)).collect()
                }
                Decision::Unknown(_) if arriving.len() > 1 => {
                    let rest = arriving.split_off(arriving.len() / 2);
                    self.keep_facts(arriving, ub);
                    arriving = rest;
                    continue;
                }
                Decision::Unknown(_) => vec![true],
            };
            let none = !broken.contains(&true);
            let mut broken = broken.into_iter();
            arriving.retain(|(fact, _)| {
                let broken = none || broken.next().unwrap_or(true);
                if broken {
                    self.facts.retain(|other| other != fact);
                }
                !broken
            });
        }
    }

    pub(super) fn decide(mut self, sides: Vec<(Side, Side)>) -> Result<Outcome, Unsupported> {
        let mut proved = 0;
        let ways = self.ways(&sides);
        for ((block, other), (source, result)) in self.blocks.clone().into_iter().zip(sides) {
            let mut outputs = self.destinations((block, other), &source, &result);
            outputs.extend(self.returned(block, other, &source, &result)?);
            outputs.extend(self.preserved(&source, &result));
            outputs.extend(claims::outputs(&mut self.graph, &source, &result, Visits::Once)?);
            for flow in self.flows(block, other, &source, &result)? {
                let ub = self.not_along(flow.next, &source);
                outputs.push(self.related_output(flow, ub));
            }
            let bits = u32::from(self.setting.target.pointer_bits);
            let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
            let mut query = query::question(graph, inputs, bits, &source, &result, false, outputs);
            // A block that is undefined when entered, and does nothing before, is never entered by a defined execution.
            let vacuous = query.graph.is_false(query.source_defined) && source.effects.is_empty();
            query.excuse(&ways[&block]);
            let about = self.mentioned(&query);
            self.name_phis(&mut query, &about);
            match self.answer(query, solver::Effort::BLOCK) {
                Verdict::Proved { .. } => proved += u64::from(!vacuous),
                verdict => {
                    let name = format!("bb.{}", self.setting.pair.before.block(block).number);
                    let (verdict, gap) = unproved(&name, verdict);
                    return Ok(Outcome { validated: Validated { verdict, blocks: proved, gap }, about });
                }
            }
        }
        if proved == 0 {
            let verdict = Verdict::Unknown("vacuous: no block of the source is defined".to_string());
            return Ok(Outcome { validated: Validated::without_gap(verdict, 0), about: Vec::new() });
        }
        let verdict = Verdict::Proved { engine: Engine::Structural };
        Ok(Outcome { validated: Validated::without_gap(verdict, proved), about: Vec::new() })
    }
}

fn has_vectors(function: &Function) -> bool {
    function.vregs.values().any(|register| register.ty.is_some_and(|ty| ty.is_vector()))
}

/// The limb width of products: half a product where the later function writes a product as several of that width,
/// without the high halves that an instruction gives. A remainder that the later function lacks is one product there.
fn limb(pair: Pair<'_>) -> Limb {
    let count = |function: &Function, opcodes: &[Opcode]| {
        function.all_insts().filter(|&inst| opcodes.contains(&function.inst(inst).opcode)).count()
    };
    let of_both = |opcodes: &[Opcode]| [pair.before, pair.after].map(|function| count(function, opcodes));
    let [products, after] = of_both(&[Opcode::G_MUL]);
    let [remainders, left] = of_both(&[Opcode::G_UREM, Opcode::G_SREM]);
    let most = (products + remainders.saturating_sub(left)).max(2);
    let high = count(pair.after, &[Opcode::G_UMULH, Opcode::G_SMULH]);
    if after > most && high == 0 { Limb::Bits32 } else { Limb::default() }
}

/// The elements that the instructions of an opcode compute among these, and calls of the library that compute the same:
/// of a number its width, since a NaN of one format is no choice for another, and 0 of anything else.
pub(super) fn elements_computed(
    (function, target): (&Function, &Target),
    insts: impl Iterator<Item = Inst>,
    opcode: Opcode,
) -> Vec<u32> {
    let of_inst = |data: &InstData| {
        let (computed, bits) = environment::computed(function, target, data);
        let register = data.vreg(0).filter(|_| computed == opcode);
        let (count, own) = register.map_or((1, None), |register| {
            (elements(function, register), function.type_of(register).map(|ty| ty.scalar_type().bits()))
        });
        let width = bits.or(own).filter(|_| opcode.is_float()).unwrap_or(0);
        std::iter::repeat_n(width, if computed == opcode { count as usize } else { 0 })
    };
    insts.flat_map(|inst| of_inst(function.inst(inst))).collect()
}

/// The choices of the earlier side that equal those of the later one: the k-th of an opcode of which both blocks
/// compute equally many elements, and the k-th use of an undefined value. The later side's choices are universal, so
/// each is one admissible choice of the earlier side. The choices left in `source.choices` are read off the outputs.
fn shared_choices(setting: Setting<'_>, block: Block, other: Block, source: &mut Side) -> Vec<(Opcode, Term)> {
    let count = |function: &Function, block, opcode| {
        elements_computed((function, setting.target), function.insts(block), opcode)
    };
    let Pair { before, after } = setting.pair;
    let alike = |opcode| match setting.undef {
        _ if opcode == Opcode::G_ANYEXT && setting.extensions == Extensions::Apart => false,
        Undef::PerUse if opcode == Opcode::G_IMPLICIT_DEF => true,
        Undef::PerUse | Undef::OneValue => count(before, block, opcode) == count(after, other, opcode),
    };
    let shared: Vec<(Opcode, Term)> = source.chosen.iter().copied().filter(|&(opcode, _)| alike(opcode)).collect();
    source.choices.retain(|choice| !shared.iter().any(|(_, other)| other == choice));
    shared
}
