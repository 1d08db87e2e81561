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

pub(super) struct Search<'s> {
    pub(super) case: Case,
    pub(super) target: &'static Target,
    weight: Weight,
    legalizer: &'static LegalizerInfo,
    /// The verifier accepts the original, so it must accept every candidate.
    is_valid: bool,
    limits: SearchLimits<'s>,
    is_interesting: &'s mut dyn FnMut(&Case) -> bool,
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
        is_interesting: &'s mut dyn FnMut(&Case) -> bool,
        progress: &'s mut dyn FnMut(&Case, u64),
    ) -> Option<Search<'s>> {
        if !is_interesting(&case) {
            return None;
        }
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
            is_interesting,
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
            let old = std::mem::replace(&mut self.case.functions, functions);
            if !(self.is_interesting)(&self.case) {
                self.case.functions = old;
            }
        }
        Reduction { case: self.case, tests: self.tests, rejected: self.rejected, finished }
    }

    /// Makes `candidate` the best case if it weighs less and is interesting.
    fn consider(&mut self, undo: impl FnOnce(&mut Case)) -> bool {
        let weight = weigh(&self.case);
        if weight < self.weight && !self.is_over() {
            self.tests += 1;
            if self.is_passed_as_callers_do() && (self.is_interesting)(&self.case) {
                self.weight = weight;
                (self.progress)(&self.case, self.tests);
                return true;
            }
        }
        undo(&mut self.case);
        false
    }

    /// False for an input with a number of floating point that no caller passes so.
    fn is_passed_as_callers_do(&self) -> bool {
        let input = self.case.input.clone().zip(self.case.functions.first());
        input.is_none_or(|(mut input, first)| !inputs::box_numbers(first, self.target, &mut input))
    }

    /// The case with function `index` edited. A small one is tried with its unread instructions kept, too: the finding
    /// may need them.
    pub(super) fn edit(&mut self, index: usize, edits: &[Edit]) -> bool {
        self.edited(index, edits, Leftover::Sweep) || self.is_small(index) && self.edited(index, edits, Leftover::Keep)
    }

    fn edited(&mut self, index: usize, edits: &[Edit], left: Leftover) -> bool {
        if self.is_over() {
            return false;
        }
        let mut candidate = self.case.functions[index].clone();
        if edit::apply_all(&mut candidate, self.target, edits, left) == 0 {
            return false;
        }
        if !self.accepts(&candidate) {
            self.rejected += 1;
            return false;
        }
        let old = std::mem::replace(&mut self.case.functions[index], candidate);
        self.consider(|case| case.functions[index] = old)
    }

    /// True for a function that is worth a closer look.
    pub(super) fn is_small(&self, index: usize) -> bool {
        self.case.functions[index].all_insts().take(SMALL + 1).count() <= SMALL
    }

    fn accepts(&self, candidate: &Function) -> bool {
        !self.is_valid || machine_verifier::verify(candidate, self.target, self.legalizer).is_empty()
    }

    /// The case with other functions.
    pub(super) fn functions(&mut self, functions: Vec<Function>) -> bool {
        let old = std::mem::replace(&mut self.case.functions, functions);
        self.consider(|case| case.functions = old)
    }

    /// The case without its IR, and functions that do not name it.
    pub(super) fn without_ir(&mut self, functions: Vec<Function>) -> bool {
        let old = (self.case.ir.take(), std::mem::replace(&mut self.case.functions, functions));
        self.consider(|case| (case.ir, case.functions) = old)
    }

    pub(super) fn input(&mut self, input: Input) -> bool {
        let old = self.case.input.replace(input);
        self.consider(|case| case.input = old)
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
        shrink(edits, |edits| self.edit(index, edits));
    }

    /// The first interesting edit of each list.
    pub(super) fn pick(&mut self, index: usize, sites: Vec<Vec<Edit>>) {
        for edits in sites {
            for edit in edits {
                if self.edit(index, std::slice::from_ref(&edit)) {
                    break;
                }
            }
        }
    }
}

/// Passes to `attempt` all items, then halves, then quarters, down to single ones; those with which it succeeds are
/// done.
pub(super) fn shrink<T>(mut items: Vec<T>, mut attempt: impl FnMut(&[T]) -> bool) {
    let mut size = items.len();
    while size > 0 {
        let mut start = 0;
        while start < items.len() {
            let end = (start + size).min(items.len());
            match attempt(&items[start..end]) {
                true => drop(items.drain(start..end)),
                false => start = end,
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
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
