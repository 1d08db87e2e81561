//! The measurement of the judges: one fault is planted, and generated programs go before the campaign's judges until
//! one kills it.

use super::{Fault, Planter, Programs, written};
use crate::campaign::{generated_for, judges, program_seed};
use crate::reduce::{self, Reduced};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_codegen::Options;
use tribunal_ir::{Function, InstData, Opcode, Operand};
use tribunal_target::Target;
use tribunal_trial::finding::{Finding, Judge};
use tribunal_trial::harness::{Harness, HarnessError, ProofCache};
use tribunal_trial::inputs::Plan;

/// The limits of the search for a kill, and its programs.
#[derive(Clone, Copy, Debug)]
pub struct TrialLimits {
    /// The time after which it counts as alive.
    pub time: Duration,
    /// The time for reducing programs that show it.
    pub reduction: Duration,
    /// The size, in instructions, of a program that is small enough: the search for a smaller one ends there.
    pub enough: usize,
    /// Decides the programs.
    pub seed: u64,
    /// Inputs a program.
    pub inputs: u32,
}

/// The outcome for one fault on one target.
pub struct Trial {
    /// The fault.
    pub fault: &'static Fault,
    /// The target that it was planted on.
    pub target: &'static Target,
    /// Programs judged, the one that killed it included.
    pub programs: u64,
    /// The number of them in which the fault acted.
    pub acted: u64,
    /// From the first program to the kill, or to the end.
    pub seconds: f64,
    /// The kill; `None` if it survived.
    pub kill: Option<Kill>,
}

/// The kill of a fault.
pub struct Kill {
    /// The judges' findings on the program that killed it; the first is the earliest in the pipeline.
    pub findings: Vec<Finding>,
    /// The program that killed it, as it was generated.
    pub function: Function,
    /// The first of the findings with its program reduced: this program, or a later one that becomes smaller.
    pub reduced: Option<Reduced>,
    /// The time of the reduction.
    pub reduce_seconds: f64,
    /// Each of those findings, and the one of a run that follows, names a rule or a pass in which the fault acted.
    pub is_blamed: bool,
    /// The finding that blames by execution, if some run showed the fault.
    pub executed: Option<Finding>,
}

impl Kill {
    /// The first judge that found it.
    pub fn judge(&self) -> Judge {
        self.findings[0].judge
    }

    /// Instructions of the small program.
    pub fn instructions(&self) -> Option<usize> {
        self.reduced.as_ref().map(size)
    }

    /// Those of them that are neither copies of arguments and results nor the return.
    pub fn body(&self) -> Option<usize> {
        let is_body = |data: &InstData| {
            let copies = data.opcode == Opcode::COPY
                && data.operands.iter().filter_map(Operand::as_reg).any(|operand| operand.reg.as_physical().is_some());
            !copies && !matches!(data.opcode, Opcode::Target(_))
        };
        self.reduced.as_ref().map(|reduced| {
            let function = &reduced.function;
            function.all_insts().filter(|&inst| is_body(function.inst(inst))).count()
        })
    }
}

/// Programs tried after the one that killed a fault, for a run that shows it: blame is measured on that run.
const MORE_PROGRAMS: u64 = 600;

/// Programs tried after the one that killed a fault, for one that becomes smaller.
const SMALLER_PROGRAMS: u64 = 20_000;

/// Hunts one fault on one target.
pub fn trial(
    fault: &'static Fault,
    target: &'static Target,
    limits: TrialLimits,
    proofs: &ProofCache,
    stop: &AtomicBool,
) -> Result<Trial, HarnessError> {
    let programs = match fault.programs {
        Programs::Generated | Programs::GeneratedForFloats | Programs::GeneratedForAtomics => Vec::new(),
        Programs::Written => written::programs(target),
    };
    let options = Options::new(fault.features(target));
    let harness = Harness::with_cache(target, options, proofs.clone())?;
    let mut hunt = Hunt { harness, fault, programs, limits, stop };
    let started = Instant::now();
    let mut trial = Trial { fault, target, programs: 0, acted: 0, seconds: 0.0, kill: None };
    let mut number = 0;
    while started.elapsed() < limits.time && !stop.load(Ordering::Relaxed) {
        let judged = hunt.judge(number);
        number += 1;
        let Some(shown) = judged else { continue };
        trial.programs += 1;
        trial.acted += u64::from(shown.planter.acted());
        if !shown.findings.is_empty() {
            trial.seconds = started.elapsed().as_secs_f64();
            trial.kill = Some(hunt.kill(shown, number));
            return Ok(trial);
        }
    }
    trial.seconds = started.elapsed().as_secs_f64();
    Ok(trial)
}

/// One fault planted in program after program.
struct Hunt<'s> {
    harness: Harness,
    fault: &'static Fault,
    /// Judged in turn, each time on other inputs; programs of the generator if there are none.
    programs: Vec<Function>,
    limits: TrialLimits,
    stop: &'s AtomicBool,
}

/// The judges' findings on one program with the fault planted.
struct Shown {
    function: Function,
    findings: Vec<Finding>,
    planter: Planter,
}

impl Shown {
    fn is_blamed(&self) -> bool {
        self.findings.iter().all(|finding| self.planter.acted_in(&finding.guilty))
    }

    fn executed(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.judge == Judge::Emulator)
    }
}

impl Hunt<'_> {
    /// Program `number` with the fault planted; `None` if there is no such program.
    fn judge(&mut self, number: u64) -> Option<Shown> {
        let (target, seed) = (self.harness.target(), program_seed(self.limits.seed, number));
        let function = match self.programs.len() {
            0 => generated_for(seed, target, self.harness.options().features)?,
            count => self.programs[number as usize % count].clone(),
        };
        let plan = Plan { count: self.limits.inputs, seed };
        let mut planter = Planter::new(target, self.fault);
        let tally = self.harness.trial_if_accepted(&function, plan, judges(number), &mut planter).ok()?;
        let findings = tally.findings;
        Some(Shown { function, findings, planter })
    }

    /// The report on the program that killed the fault; the next one is `next`.
    fn kill(&mut self, shown: Shown, next: u64) -> Kill {
        let later = if shown.executed().is_none() { self.later_run(next) } else { None };
        let is_blamed = shown.is_blamed() && later.as_ref().is_none_or(|(_, is_blamed)| *is_blamed);
        let executed = shown.executed().cloned().or(later.map(|(finding, _)| finding));
        let began = Instant::now();
        let reduced = self.smallest(&shown, next, began + self.limits.reduction);
        let reduce_seconds = began.elapsed().as_secs_f64();
        let Shown { function, findings, .. } = shown;
        Kill { findings, function, reduced, reduce_seconds, is_blamed, executed }
    }

    /// A run that shows the fault, and whether blame is right about it.
    fn later_run(&mut self, from: u64) -> Option<(Finding, bool)> {
        (from..from + MORE_PROGRAMS).find_map(|number| {
            let shown = self.judge(number)?;
            let executed = shown.executed()?.clone();
            let is_blamed = shown.planter.acted_in(&executed.guilty);
            Some((executed, is_blamed))
        })
    }

    /// The smallest reduction: of the program that killed the fault, or of a later one in which the same judge finds it
    /// with the right rule or pass to blame.
    fn smallest(&mut self, first: &Shown, next: u64, deadline: Instant) -> Option<Reduced> {
        let mut best = self.reduced(first, deadline);
        let more = if self.programs.is_empty() { SMALLER_PROGRAMS } else { self.programs.len() as u64 };
        for number in next..next + more {
            let is_enough = best.as_ref().is_some_and(|reduced| size(reduced) <= self.limits.enough);
            if is_enough || Instant::now() >= deadline || self.stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(shown) = self.judge(number).filter(|shown| !shown.findings.is_empty()) else { continue };
            if !shown.is_blamed() || shown.findings[0].judge != first.findings[0].judge {
                continue;
            }
            let reduced = self.reduced(&shown, deadline).filter(|reduced| reduced.finished);
            let is_smaller = |new: &Reduced| best.as_ref().is_none_or(|best| size(new) < size(best));
            best = reduced.filter(is_smaller).or(best);
        }
        best
    }

    fn reduced(&mut self, shown: &Shown, deadline: Instant) -> Option<Reduced> {
        let limits = reduce::SearchLimits { deadline: Some(deadline), stop: self.stop };
        let mut planter = Planter::new(self.harness.target(), self.fault);
        let Shown { function, findings, .. } = shown;
        reduce::reduce(&mut self.harness, function, &findings[0], &mut planter, limits, &mut |_, _| {})
    }
}

/// The number of instructions left.
fn size(reduced: &Reduced) -> usize {
    reduced.function.all_insts().count()
}
