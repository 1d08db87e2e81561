//! A simulation between two functions of different control flow: pairs of cut points at which both stand together.
//!
//! Both entries are a pair. From each pair every way of the earlier function to its next cut point is evaluated, and
//! with it every way of the later one on the same conditions. So each execution of the earlier function between two cut
//! points has its counterpart, whatever blocks either goes through. For each such pair of traces is shown:
//!
//! - both do the same operations with effects, and leave the same memory;
//! - both end at cut points, which make the next pair, or both leave the function with the same results;
//! - the registers of the later one hold what the pair assumes of them (`correspondence.rs`).
//!
//! Every cycle holds a cut point, so a proof covers any number of iterations, and both functions come to an end
//! together. Choices that decide where the earlier function goes are no witnesses: they are universal, or those of the
//! later function.

use super::correspondence::{Arrivals, Correspondence, CutPair};
use super::cut_values::{CutValues, FlowShape, Values};
use super::induction::{Validation, elements_computed};
use super::trace::{Trace, TraceStart};
use super::ways::{self, CutArrival, CutChoice, Cuts, Way, WayEnd};
use super::{Setting, Undef, Validated, unproved};
use crate::prover::claims::{self, Visits};
use crate::prover::earlier::Earlier;
use crate::prover::opaque::changed;
use crate::prover::query::{self, StepOutput};
use crate::prover::side::{Exit, Side};
use crate::prover::term::Term;
use crate::prover::{Decision, Engine, Verdict, evaluate, solver};
use std::collections::{BTreeMap, VecDeque};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, Function, Opcode};

/// Pairs of cut points, pairs of traces, and rounds of guesses, at most.
const MOST_PAIRS: usize = 24;
const MOST_TRACES: usize = 400;
const MOST_ROUNDS: usize = 16;

/// The choices of cut points that are tried, in order.
const CUTS: [[(CutChoice, CutArrival); 2]; 13] = [
    [HEADER, HEADER],
    [AFTER_TEST, HEADER],
    [HEADER, AFTER_TEST],
    [AFTER_INNER_TEST, HEADER],
    [HEADER, AFTER_INNER_TEST],
    [NOWHERE, NOWHERE],
    [HEADER_AGAIN, HEADER],
    [HEADER, HEADER_AGAIN],
    [HEADER_AGAIN, HEADER_AGAIN],
    [AFTER_TEST_AGAIN, HEADER_AGAIN],
    [HEADER_AGAIN, AFTER_TEST_AGAIN],
    [NOWHERE, HEADER],
    [HEADER, NOWHERE],
];
const HEADER: (CutChoice, CutArrival) = (CutChoice::Header, CutArrival::First);
const AFTER_TEST: (CutChoice, CutArrival) = (CutChoice::AfterTest, CutArrival::First);
const AFTER_INNER_TEST: (CutChoice, CutArrival) = (CutChoice::AfterInnerTest, CutArrival::First);
const NOWHERE: (CutChoice, CutArrival) = (CutChoice::Nowhere, CutArrival::First);
const HEADER_AGAIN: (CutChoice, CutArrival) = (CutChoice::Header, CutArrival::Second);
const AFTER_TEST_AGAIN: (CutChoice, CutArrival) = (CutChoice::AfterTest, CutArrival::Second);

/// Judges a pair by simulation.
pub(super) fn simulate(setting: Setting<'_>) -> Result<Validated, Unsupported> {
    let shapes = (FlowShape::new(setting.pair.before), FlowShape::new(setting.pair.after));
    let (Some(before), Some(after)) = shapes else { return Err(changed_flow()) };
    let has_tables = |function: &Function| !function.jump_tables.tables.is_empty();
    if has_tables(before.function) || has_tables(after.function) {
        return Err(Unsupported::new("a jump table where control flow changed"));
    }
    let has_flags = |function: &Function| {
        let mut insts = function.all_insts().map(|inst| function.inst(inst));
        insts.any(|data| data.opcode.is_phi() && !data.flags.is_empty())
    };
    if has_flags(after.function) {
        return Err(Unsupported::different("a flag of a PHI where control flow changed"));
    }
    let mut first = None;
    let mut tried = Vec::new();
    for choices in CUTS {
        let cuts = [(before.function, choices[0]), (after.function, choices[1])];
        let cuts = cuts.map(|(function, (choice, arrival))| ways::cuts(function, choice, arrival));
        let [Some(one), Some(other)] = cuts else { continue };
        if tried.contains(&[one.clone(), other.clone()]) {
            continue;
        }
        tried.push([one.clone(), other.clone()]);
        let simulation = Simulation { setting, before: &before, after: &after, cuts: [one, other] };
        let outcome = simulation.run();
        if outcome.as_ref().is_ok_and(Validated::is_proved) {
            return outcome;
        }
        first.get_or_insert(outcome);
        if setting.limits.reached().is_some() {
            break;
        }
    }
    first.unwrap_or_else(|| Err(changed_flow()))
}

fn changed_flow() -> Unsupported {
    Unsupported::new("control flow that changed")
}

struct Simulation<'s> {
    setting: Setting<'s>,
    before: &'s FlowShape<'s>,
    after: &'s FlowShape<'s>,
    cuts: [Cuts; 2],
}

/// The assumptions at each pair of cut points.
type Points = BTreeMap<(Block, Block), Vec<Correspondence>>;

/// One round: the evaluation of all pairs under one set of assumptions.
struct Round<'s> {
    simulation: &'s Simulation<'s>,
    validation: Validation<'s>,
    contents: Values,
    pending: VecDeque<(Block, Block)>,
    sources: Vec<Trace>,
    obligations: Vec<Obligation>,
    /// Whether an assumption was dropped.
    changed: bool,
}

/// A pair of traces.
struct Obligation {
    /// The index of the earlier one.
    source: usize,
    result: Trace,
    /// Choices of the earlier one that are read off the outputs.
    choices: Vec<Term>,
    known: Vec<Term>,
    /// Both cannot be executed together, or this is what is wrong with the pair.
    obstacle: Option<Unsupported>,
}

impl<'s> Simulation<'s> {
    fn run(&'s self) -> Result<Validated, Unsupported> {
        let (Some(entry), Some(other)) = (self.before.function.entry(), self.after.function.entry()) else {
            return Err(changed_flow());
        };
        let mut points = Points::from([((entry, other), Vec::new())]);
        for _ in 0..MOST_ROUNDS {
            let mut validation = Validation::unpaired(self.setting)?;
            let contents = validation.contents()?;
            let mut round = Round {
                simulation: self,
                validation,
                contents,
                pending: VecDeque::from([(entry, other)]),
                sources: Vec::new(),
                obligations: Vec::new(),
                changed: false,
            };
            round.evaluate(&mut points)?;
            if let Some(limit) = self.setting.limits.reached() {
                return Ok(Validated::without_gap(Verdict::Unknown(limit), 0));
            }
            if !round.changed {
                return round.decide();
            }
        }
        let reason = "control flow that changed: no relation of the loops holds".to_string();
        Ok(Validated::without_gap(Verdict::Unknown(reason), 0))
    }
}

impl Round<'_> {
    /// Evaluates the pairs that control reaches.
    fn evaluate(&mut self, points: &mut Points) -> Result<(), Unsupported> {
        let mut done = Vec::new();
        while let Some(pair) = self.pending.pop_front() {
            if done.contains(&pair) {
                continue;
            }
            done.push(pair);
            if done.len() > MOST_PAIRS {
                return Err(Unsupported::new("control flow that changed: too many pairs of cut points"));
            }
            self.pair(pair, points)?;
        }
        Ok(())
    }

    /// Later instructions are evaluated from here on, without a counterpart.
    fn turn_to_later(&mut self) {
        let ub = self.validation.graph.truth(false);
        self.validation.opaque.earlier = Some(Earlier::nothing(ub));
    }

    /// The same beside a trace of the earlier function.
    fn turn_to(&mut self, index: usize) {
        self.validation.opaque.earlier = Some(Earlier::of(&self.sources[index].side));
    }

    /// All pairs of traces from one pair of cut points.
    fn pair(&mut self, pair: (Block, Block), points: &mut Points) -> Result<(), Unsupported> {
        let Simulation { before, after, cuts, .. } = self.simulation;
        self.validation.opaque.earlier = None;
        let own = self.validation.values_at(before, pair.0, &self.contents, &Values::default())?;
        let mut known = self.validation.conditions_at(before, pair.0, &own.values)?;
        let seen = self.validation.foresee(before, pair.0, &own.values)?;
        let guesses = points.get(&pair).cloned().unwrap_or_default();
        let place = self.validation.opaque.new_place();
        let memory = self.validation.empty_side(before.function, place, Values::default()).memory;
        let contents = (memory.bytes, memory.poison);
        let (assumed, conditions) = self.validation.assumed(after.function, &guesses, &seen, contents)?;
        known.extend(conditions);
        self.turn_to_later();
        let others = self.validation.values_at(after, pair.1, &self.contents, &assumed)?;
        known.extend(self.validation.conditions_at(after, pair.1, &others.values)?);
        let too_many = || Unsupported::new("control flow that changed: too many ways");
        self.validation.opaque.earlier = None;
        let start = TraceStart { values: &own.values, place, known: &known };
        let ways_before = self.validation.ways_from(before.function, pair.0, &cuts[0], &start)?.ok_or_else(too_many)?;
        for way in &ways_before {
            self.validation.opaque.earlier = None;
            let start = TraceStart { values: &own.values, place, known: &known };
            let Some(mut source) = self.validation.trace(before.function, way, &start)? else { continue };
            if let Some(obstacle) = source.obstacle.take() {
                return Err(obstacle);
            }
            let arrived = match way.end {
                WayEnd::Cut(cut) => Some(self.arrivals_before(cut, &mut source)?),
                WayEnd::Out => None,
            };
            known.extend(&source.conditions);
            let index = self.sources.len();
            self.sources.push(source);
            let start = TraceStart { values: &others.values, place, known: &known };
            self.turn_to(index);
            let ways_after =
                self.validation.ways_from(after.function, pair.1, &cuts[1], &start)?.ok_or_else(too_many)?;
            for other in &ways_after {
                self.traces((index, arrived.as_ref()), other, &start, points)?;
            }
            let own_conditions = self.sources[index].conditions.len();
            known.truncate(known.len() - own_conditions);
        }
        Ok(())
    }

    fn arrivals_before(&mut self, cut: Block, source: &mut Trace) -> Result<Values, Unsupported> {
        let before = self.simulation.before;
        let arrivals = self.validation.arrivals(before, cut, source, &self.contents)?;
        self.validation.foresee(before, cut, &arrivals)
    }

    /// One way of the later function beside a trace of the earlier one.
    fn traces(
        &mut self,
        (index, arrived): (usize, Option<&Values>),
        way: &Way,
        start: &TraceStart<'_>,
        points: &mut Points,
    ) -> Result<(), Unsupported> {
        let (setting, after) = (self.simulation.setting, self.simulation.after);
        let source = &self.sources[index];
        let shared = shared(setting, &source.way, way, &source.side);
        self.validation.opaque.earlier = Some(Earlier { choices: shared.clone(), ..Earlier::of(&source.side) });
        let Some(mut result) = self.validation.trace(after.function, way, start)? else { return Ok(()) };
        let mut obstacle = result.obstacle.take();
        let source = &self.sources[index];
        if let Some(missing) = source.side.effects.get(result.side.effects.len()) {
            obstacle.get_or_insert_with(|| changed(&missing.identity.what));
        }
        let known: Vec<Term> = start.known.iter().chain(&result.conditions).copied().collect();
        let choices = self.witnesses(index, &result, &shared);
        if let (None, WayEnd::Cut(cut), WayEnd::Cut(other), Some(arrived)) =
            (&obstacle, source.way.end, way.end, arrived)
        {
            let later = self.validation.arrivals(after, other, &mut result, &self.contents)?;
            let memory = &self.sources[index].side.memory;
            let memory = (memory.bytes, memory.poison);
            let ub = source.side.ub;
            let arrivals = Arrivals { before: arrived.clone(), after: later, memory, known: known.clone(), ub };
            self.arrive((cut, other), arrivals, points)?;
        }
        if self.obligations.len() >= MOST_TRACES {
            return Err(Unsupported::new("control flow that changed: too many pairs of ways"));
        }
        self.obligations.push(Obligation { source: index, result, choices, known, obstacle });
        Ok(())
    }

    /// Both come to a pair of cut points, unless it is shown that they cannot.
    fn arrive(&mut self, cuts: (Block, Block), arrivals: Arrivals, points: &mut Points) -> Result<(), Unsupported> {
        match points.get_mut(&cuts) {
            Some(correspondences) => {
                self.changed |= self.validation.drop_unshown(correspondences, &arrivals);
            }
            None => {
                if self.is_impossible(&arrivals) {
                    return Ok(());
                }
                let (before, after) = (self.simulation.before, self.simulation.after);
                let nothing = Values::default();
                let own: CutValues = self.validation.values_at(before, cuts.0, &self.contents, &nothing)?;
                let others: CutValues = self.validation.values_at(after, cuts.1, &self.contents, &nothing)?;
                let pair = CutPair { before, after, cuts };
                let mut guesses = self.validation.guesses(pair, &arrivals, (&own, &others));
                self.validation.drop_unshown(&mut guesses, &arrivals);
                points.insert(cuts, guesses);
            }
        }
        self.pending.push_back(cuts);
        Ok(())
    }

    /// True if it is shown that no execution takes both ways.
    fn is_impossible(&mut self, arrivals: &Arrivals) -> bool {
        let never = query::differing(&mut self.validation.graph, "end of the block", arrivals.ub);
        self.validation.holds(vec![never], arrivals.ub, &arrivals.known)
    }

    /// Choices of the earlier trace that are read off the outputs: neither one that the later trace makes too, nor one
    /// that decides the way.
    fn witnesses(&self, index: usize, result: &Trace, shared: &[(Opcode, Term)]) -> Vec<Term> {
        let source = &self.sources[index];
        let graph = &self.validation.graph;
        let deciding: Vec<Term> = source.conditions.iter().flat_map(|&term| evaluate::cone(graph, term)).collect();
        let taken = |opcode| result.side.chosen.iter().filter(|(other, _)| *other == opcode).count();
        let is_taken = |choice: Term| {
            shared.iter().position(|&(_, other)| other == choice).is_some_and(|place| {
                let opcode = shared[place].0;
                shared[..place].iter().filter(|(other, _)| *other == opcode).count() < taken(opcode)
            })
        };
        let choices = source.side.choices.iter().copied();
        let is_open = |choice| !is_taken(choice) && !result.side.takes(choice) && !deciding.contains(&choice);
        choices.filter(|&choice| is_open(choice)).collect()
    }

    fn decide(mut self) -> Result<Validated, Unsupported> {
        let mut blocks: Vec<Block> = Vec::new();
        for obligation in std::mem::take(&mut self.obligations) {
            let Obligation { source: index, result, choices, known, obstacle } = obligation;
            self.sources[index].side.choices = choices;
            let source = &self.sources[index];
            let outputs = match obstacle {
                Some(obstacle) => Err(obstacle),
                None => self.validation.outputs_of_traces(source, &result),
            };
            let outputs = match outputs {
                Ok(outputs) => outputs,
                Err(obstacle) => {
                    // Undefined behaviour before anything shows is the only excuse.
                    let first = source.side.effects.first().map_or(source.side.ub, |effect| effect.ub);
                    let never = query::differing(&mut self.validation.graph, "end of the block", first);
                    if self.validation.holds(vec![never], first, &known) {
                        continue;
                    }
                    return Err(obstacle);
                }
            };
            let (graph, inputs) =
                (std::mem::take(&mut self.validation.graph), std::mem::take(&mut self.validation.inputs));
            let bits = u32::from(self.simulation.setting.target.pointer_bits);
            let mut query = query::question(graph, inputs, bits, &source.side, &result.side, false, outputs);
            let vacuous = query.graph.is_false(query.source_defined) && source.side.effects.is_empty();
            let excuses: Vec<Term> = known.iter().map(|&condition| query.graph.complement(condition)).collect();
            query.excuse(&excuses);
            match self.validation.answer(query, solver::Effort::BLOCK) {
                Verdict::Proved { .. } if vacuous => {}
                Verdict::Proved { .. } => blocks.extend(&source.way.blocks),
                verdict => {
                    let number = |block: &Block| self.simulation.before.function.block(*block).number;
                    let name = format!("the way from bb.{}", source.way.blocks.first().map_or(0, number));
                    let (verdict, gap) = unproved(&name, verdict);
                    blocks.sort_unstable();
                    blocks.dedup();
                    return Ok(Validated { verdict, blocks: blocks.len() as u64, gap });
                }
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        let verdict = match blocks.is_empty() {
            true => Verdict::Unknown("vacuous: no block of the source is defined".to_string()),
            false => Verdict::Proved { engine: Engine::Structural },
        };
        Ok(Validated::without_gap(verdict, blocks.len() as u64))
    }
}

impl Validation<'_> {
    /// Whether these outputs are right where all of `known` hold.
    fn holds(&mut self, outputs: Vec<StepOutput>, ub: Term, known: &[Term]) -> bool {
        matches!(self.decision_where(outputs, ub, known), Decision::Proved(_))
    }

    /// The same with the values that show the contrary.
    pub(super) fn decision_where(&mut self, outputs: Vec<StepOutput>, ub: Term, known: &[Term]) -> Decision {
        let (graph, inputs) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.inputs));
        let mut query = query::of_outputs(graph, inputs, ub, outputs, false);
        let excuses: Vec<Term> = known.iter().map(|&condition| query.graph.complement(condition)).collect();
        query.excuse(&excuses);
        self.decision(query, solver::Effort::RELATION)
    }

    /// The outputs of two traces beside effects and memory: where they end, what they return and keep.
    fn outputs_of_traces(&mut self, source: &Trace, result: &Trace) -> Result<Vec<StepOutput>, Unsupported> {
        let ub = source.side.ub;
        let mut outputs = Vec::new();
        let leaves = |trace: &Trace| (trace.way.end == WayEnd::Out).then_some(trace.side.exit);
        let is_same_way = match (leaves(source), leaves(result)) {
            (Some(Exit::Indirect(to)), Some(Exit::Indirect(later))) => {
                outputs.push(query::condition(&mut self.graph, "destination", to, later, ub));
                true
            }
            // The end of a block that goes nowhere is undefined.
            (Some(Exit::Following), _) => true,
            (before, after) => before == after,
        };
        if !is_same_way {
            outputs.push(query::differing(&mut self.graph, "end of the block", ub));
        } else if let (Some(block), Some(other), Some(Exit::Return)) = (source.last(), result.last(), leaves(source)) {
            outputs.extend(self.returned(block, other, &source.side, &result.side)?);
        }
        outputs.extend(self.preserved(&source.side, &result.side));
        let visits = if source.way.is_simple() && result.way.is_simple() { Visits::Once } else { Visits::Again };
        outputs.extend(claims::outputs(&mut self.graph, &source.side, &result.side, visits)?);
        Ok(outputs)
    }
}

/// The choices of the earlier trace that the later one is offered: the k-th of an opcode where both ways compute
/// equally many elements, and the k-th use of an undefined value.
fn shared(setting: Setting<'_>, way: &Way, other: &Way, source: &Side) -> Vec<(Opcode, Term)> {
    let count = |function: &Function, way: &Way, opcode: Opcode| {
        elements_computed(
            (function, setting.target),
            way.blocks.iter().flat_map(|&block| function.insts(block)),
            opcode,
        )
    };
    let alike = |opcode| {
        let per_use = setting.undef == Undef::PerUse && opcode == Opcode::G_IMPLICIT_DEF;
        per_use || count(setting.pair.before, way, opcode) == count(setting.pair.after, other, opcode)
    };
    source.chosen.iter().copied().filter(|&(opcode, _)| alike(opcode)).collect()
}
