//! The search of the reducer: the best case so far, and the test of candidates against it.

use super::{Case, Reduction};
use crate::edit::{self, Edit, Leftover};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tribunal_emulator::Input;
use tribunal_ir::{Bits, FrameInfo, Function, InstData, Opcode};
use tribunal_target::legality::LegalizerInfo;
use tribunal_target::{Features, Target};
use tribunal_trial::inputs;
use tribunal_verifier::machine_verifier;

/// The conditions that stop it early.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits<'l> {
    /// No candidate is judged after it.
    pub deadline: Option<Instant>,
    /// Set by another thread to end the search.
    pub stop: &'l AtomicBool,
}

/// Instructions of a small function.
const SMALL: usize = 16;

/// The weight of a case, compared lexicographically: functions; blocks and instructions that compute; all instructions;
/// operands; places of opcodes in their families; bits of results; bits of constants; flags, contents of memory
/// operands and keys that nothing interprets; bytes of stack objects; the input. A constant and an argument weigh the
/// same.
type Weight = [u64; 10];

/// Judges candidates.
pub trait Oracle {
    /// The number of candidates that take it little more time than one.
    fn at_once(&self) -> usize {
        1
    }

    /// The place of the first candidate that is interesting.
    fn first(&mut self, candidates: &[Case]) -> Option<usize>;
}

impl<F: FnMut(&Case) -> bool> Oracle for F {
    fn first(&mut self, candidates: &[Case]) -> Option<usize> {
        candidates.iter().position(self)
    }
}

pub(super) struct Search<'s> {
    pub(super) case: Case,
    pub(super) target: &'static Target,
    weight: Weight,
    legalizer: &'static LegalizerInfo,
    /// The verifier accepts the original, so it must accept every candidate.
    is_valid: bool,
    limits: SearchLimits<'s>,
    oracle: &'s mut dyn Oracle,
    /// Candidates that are judged together: about as many as it takes until one is interesting.
    together: usize,
    progress: &'s mut dyn FnMut(&Case, u64),
    tests: u64,
    rejected: u64,
}

impl<'s> Search<'s> {
    /// `None` if the case is not interesting.
    pub(super) fn new(
        case: Case,
        target: &'static Target,
        features: Features,
        limits: SearchLimits<'s>,
        oracle: &'s mut dyn Oracle,
        progress: &'s mut dyn FnMut(&Case, u64),
    ) -> Option<Search<'s>> {
        oracle.first(std::slice::from_ref(&case))?;
        let legalizer = (target.legality)(features);
        let is_valid =
            case.functions.iter().all(|function| machine_verifier::verify(function, target, legalizer).is_empty());
        let weight = weigh(&case);
        Some(Search {
            case,
            target,
            weight,
            legalizer,
            is_valid,
            limits,
            oracle,
            together: 1,
            progress,
            tests: 1,
            rejected: 0,
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed)
            || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Changes with every success.
    pub(super) fn weight(&self) -> Weight {
        self.weight
    }

    pub(super) fn end(mut self) -> Reduction {
        let finished = !self.is_over();
        // After compaction it reads better; it is the same function, but the oracle decides.
        let compact: Option<Vec<Function>> = {
            let functions = self.case.functions.iter();
            functions.map(|function| edit::compact(function, self.target)).collect()
        };
        if let Some(functions) = compact {
            let compact = Case { functions, ..self.case.clone() };
            if self.oracle.first(std::slice::from_ref(&compact)).is_some() {
                self.case = compact;
            }
        }
        Reduction { case: self.case, tests: self.tests, rejected: self.rejected, finished }
    }

    /// Takes the first candidate that weighs less and is interesting as the best case; returns the place of its way.
    /// Each way has candidates of its own, in order.
    fn first<W>(&mut self, ways: &[W], candidates: impl Fn(&mut Self, &W) -> Vec<Case>) -> Option<usize> {
        let mut ways = ways.iter().enumerate();
        while !self.is_over() {
            let (mut places, mut cases) = (Vec::new(), Vec::new());
            while cases.len() < self.together
                && let Some((place, way)) = ways.next()
            {
                let new = candidates(self, way).into_iter().filter(|case| self.is_candidate(case));
                cases.extend(new);
                places.resize(cases.len(), place);
            }
            if cases.is_empty() {
                return None;
            }
            let found = self.oracle.first(&cases);
            self.tests += found.map_or(cases.len(), |place| place + 1) as u64;
            if let Some(place) = found {
                self.together = (2 * place).clamp(1, self.oracle.at_once());
                self.case = cases.swap_remove(place);
                self.weight = weigh(&self.case);
                (self.progress)(&self.case, self.tests);
                return Some(places[place]);
            }
            self.together = (2 * self.together).min(self.oracle.at_once());
        }
        None
    }

    /// Whether a case is lighter than the best, and its input has no number of floating point that no caller passes
    /// so.
    fn is_candidate(&self, case: &Case) -> bool {
        let input = case.input.clone().zip(case.functions.first());
        weigh(case) < self.weight
            && input.is_none_or(|(mut input, first)| !inputs::box_numbers(first, self.target, &mut input))
    }

    /// The case with function `index` edited in the first way that is interesting; returns its place.
    fn first_edit<E: AsRef<[Edit]>>(&mut self, index: usize, ways: &[E]) -> Option<usize> {
        self.first(ways, |search, edits| search.edited(index, edits.as_ref()))
    }

    pub(super) fn edit(&mut self, index: usize, edits: &[Edit]) -> bool {
        self.first_edit(index, &[edits]).is_some()
    }

    /// Whether one of these ways to edit function `index` is interesting.
    pub(super) fn edit_in_any_way(&mut self, index: usize, ways: &[Vec<Edit>]) -> bool {
        self.first_edit(index, ways).is_some()
    }

    /// The case with function `index` edited. A small one has a candidate with its unread instructions kept, too: the
    /// finding may need them.
    fn edited(&mut self, index: usize, edits: &[Edit]) -> Vec<Case> {
        let left = [Leftover::Sweep, Leftover::Keep];
        let left = &left[..if self.is_small(index) { 2 } else { 1 }];
        let mut functions: Vec<Function> = Vec::new();
        for &left in left {
            let mut candidate = self.case.functions[index].clone();
            let made = edit::apply_all(&mut candidate, self.target, edits, left);
            // Nothing was swept.
            let is_same = |other: &Function| other.all_insts().count() == candidate.all_insts().count();
            if made == 0 || functions.first().is_some_and(is_same) {
                continue;
            }
            match self.accepts(&candidate) {
                true => functions.push(candidate),
                false => self.rejected += 1,
            }
        }
        functions.into_iter().map(|function| self.with_function(index, function)).collect()
    }

    fn with_function(&self, index: usize, function: Function) -> Case {
        let mut case = self.case.clone();
        case.functions[index] = function;
        case
    }

    /// True for a function that is worth a closer look.
    pub(super) fn is_small(&self, index: usize) -> bool {
        self.case.functions[index].all_insts().take(SMALL + 1).count() <= SMALL
    }

    fn accepts(&self, candidate: &Function) -> bool {
        !self.is_valid || machine_verifier::verify(candidate, self.target, self.legalizer).is_empty()
    }

    /// This case.
    pub(super) fn other(&mut self, case: Case) -> bool {
        self.first(&[case], |_, case| vec![case.clone()]).is_some()
    }

    /// The case with other functions.
    pub(super) fn functions(&mut self, functions: Vec<Function>) -> bool {
        self.other(Case { functions, ..self.case.clone() })
    }

    /// Continues from a heavier case, if it is interesting, and returns to the old one if that leads to no lighter
    /// case.
    pub(super) fn detour(&mut self, index: usize, edits: &[Edit], go_on: impl FnOnce(&mut Self)) -> bool {
        let (old, weight) = (self.case.functions[index].clone(), self.weight);
        // Any interesting case weighs less than this.
        self.weight = [u64::MAX; 10];
        if self.edit(index, edits) {
            go_on(self);
        }
        let gained = self.weight < weight;
        if !gained {
            (self.case.functions[index], self.weight) = (old, weight);
        }
        gained
    }

    /// Edits of function `index`: all, then halves, and so on down to each alone.
    pub(super) fn sweep(&mut self, index: usize, edits: Vec<Edit>) {
        self.shrink(edits, |search, edits| search.edited(index, edits));
    }

    /// The first interesting edit of each list.
    pub(super) fn pick(&mut self, index: usize, sites: Vec<Vec<Edit>>) {
        let edits =
            sites.into_iter().enumerate().flat_map(|(site, edits)| edits.into_iter().map(move |edit| (site, edit)));
        let (sites, edits): (Vec<usize>, Vec<[Edit; 1]>) = edits.map(|(site, edit)| (site, [edit])).unzip();
        let mut next = 0;
        while let Some(place) = self.first_edit(index, &edits[next..]) {
            let done = sites[next + place];
            next = sites.partition_point(|&site| site <= done);
        }
    }

    /// Candidates without all items, then without halves, then quarters, down to single ones; those without which the
    /// case is interesting are done.
    pub(super) fn shrink<T>(&mut self, mut items: Vec<T>, without: impl Fn(&mut Self, &[T]) -> Vec<Case>) {
        let mut size = items.len();
        while size > 0 {
            let mut start = 0;
            while start < items.len() {
                let parts: Vec<_> =
                    (start..items.len()).step_by(size).map(|at| at..(at + size).min(items.len())).collect();
                let found = self.first(&parts, |search, part| without(search, &items[part.clone()]));
                let Some(part) = found.map(|place| parts[place].clone()) else { break };
                start = part.start;
                items.drain(part);
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
    }
}

fn weigh(case: &Case) -> Weight {
    let mut weight = [0; 10];
    weight[0] = case.functions.len() as u64 + u64::from(case.ir.is_some());
    for function in &case.functions {
        weight[1] += function.layout().len() as u64;
        let frame = u64::from(function.frame_info != FrameInfo::default());
        weight[7] += function.extra.len() as u64 + u64::from(function.alignment.is_some()) + frame;
        for inst in function.all_insts() {
            weigh_instruction(function, function.inst(inst), &mut weight);
        }
        weight[8] += function.stack.values().map(|object| object.size).sum::<u64>();
    }
    weight[9] = case.input.as_ref().map_or(0, input_weight);
    weight
}

fn weigh_instruction(function: &Function, data: &InstData, weight: &mut Weight) {
    let is_argument = data.opcode == Opcode::COPY && data.vreg(0).is_some() && data.vreg(1).is_none();
    weight[1] += u64::from(data.opcode != Opcode::G_CONSTANT && !is_argument);
    weight[2] += 1;
    weight[3] += data.operands.len() as u64;
    let place = edit::siblings(data.opcode).iter().position(|&opcode| opcode == data.opcode);
    weight[4] += place.unwrap_or(0) as u64;
    let types = data.vreg_defs().filter_map(|register| function.type_of(register));
    weight[5] += types.map(|ty| u64::from(ty.bits())).sum::<u64>();
    let constants = data.operands.iter().filter_map(|operand| function.constant_value(operand));
    weight[6] += constants.map(ones).sum::<u64>();
    weight[7] += u64::from(data.flags.bits().count_ones());
    for memory in &data.memory {
        let texts = u64::from(memory.pointer.is_some()) + u64::from(memory.metadata.is_some());
        weight[7] += texts + u64::from(memory.flags.bits().count_ones()) + u64::from(memory.offset != 0);
    }
}

/// Set bits count, and high ones more: 1 is simpler than 2.
fn ones(value: Bits) -> u64 {
    let limbs = value.limbs().iter().map(|limb| u64::from(limb.count_ones())).sum::<u64>();
    limbs * 1024 + u64::from(value.used())
}

/// Registers and buffers, then their set bits.
fn input_weight(input: &Input) -> u64 {
    let registers = input.registers.iter().map(|&(_, value)| ones(Bits::new(value, u128::BITS))).sum::<u64>();
    let bytes = input.buffers.iter().flat_map(|buffer| &buffer.bytes);
    let bytes = bytes.map(|byte| 1 + u64::from(byte.count_ones()) * 16).sum::<u64>();
    (input.registers.len() + input.buffers.len()) as u64 * (1 << 32) + registers + bytes
}
