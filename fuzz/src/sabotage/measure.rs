//! One fault planted, and generated programs put before every judge until one of them kills it.

use super::{Fault, Planter};
use crate::campaign::{generated, program_seed};
use crate::finding::{Finding, Judge};
use crate::harness::{Harness, HarnessError, ProofCache};
use crate::inputs::{self, Plan};
use crate::reduce::{self, Reduced};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_codegen::{Allocator, Options};
use tribunal_ir::{Function, InstData, Opcode, Operand};
use tribunal_target::Target;

/// How long a fault is hunted, and on what.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until it counts as alive.
    pub time: Duration,
    /// For making the program small that killed it.
    pub reduction: Duration,
    pub seed: u64,
    /// Inputs a program.
    pub inputs: u32,
}

/// What came of one fault on one target.
pub struct Trial {
    pub fault: &'static Fault,
    pub target: &'static Target,
    /// Programs judged, the one that killed it included.
    pub programs: u64,
    /// In how many of them the fault acted.
    pub acted: u64,
    pub seconds: f64,
    pub kill: Option<Kill>,
}

/// How a fault was killed.
pub struct Kill {
    /// What the judges said of the program that killed it; the first is the earliest in the pipeline.
    pub findings: Vec<Finding>,
    pub function: Function,
    /// The program, and the first of the findings, made small.
    pub reduced: Option<Reduced>,
    /// What that took.
    pub reduce_seconds: f64,
    /// Each of those findings, and the one of a run that follows, names a rule or a pass in which the fault acted.
    pub is_blamed: bool,
    /// The finding that blames by execution, if some run showed the fault.
    pub executed: Option<Finding>,
}

impl Kill {
    pub fn judge(&self) -> Judge {
        self.findings[0].judge
    }

    /// Instructions of the small program.
    pub fn instructions(&self) -> Option<usize> {
        self.reduced.as_ref().map(|reduced| reduced.function.all_insts().count())
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

/// Programs that are tried behind the one that killed a fault, for a run that shows it: what blame is measured on.
const MORE_PROGRAMS: u64 = 200;

/// Hunts one fault on one target.
pub fn trial(
    fault: &'static Fault,
    target: &'static Target,
    limits: Limits,
    proofs: &ProofCache,
    stop: &AtomicBool,
) -> Result<Trial, HarnessError> {
    let options = Options { features: target.default_features, allocator: Allocator::Ion };
    let mut harness = Harness::with_cache(target, options, proofs.clone())?;
    let started = Instant::now();
    let mut trial = Trial { fault, target, programs: 0, acted: 0, seconds: 0.0, kill: None };
    let mut number = 0;
    while started.elapsed() < limits.time && !stop.load(Ordering::Relaxed) {
        let planter = Planter::new(target, fault);
        let judged = judge(&mut harness, &planter, limits, number);
        number += 1;
        let Some((function, findings)) = judged else { continue };
        trial.programs += 1;
        trial.acted += u64::from(!planter.acted.borrow().is_empty());
        if !findings.is_empty() {
            trial.seconds = started.elapsed().as_secs_f64();
            let executed = findings.iter().find(|finding| finding.judge == Judge::Emulator).cloned();
            let executed = executed.map(|finding| (finding, true));
            let executed = executed.or_else(|| later_run(&mut harness, fault, limits, number));
            let is_blamed = findings.iter().all(|finding| planter.acted_in(&finding.guilty));
            let is_blamed = is_blamed && executed.as_ref().is_none_or(|(_, is_blamed)| *is_blamed);
            let executed = executed.map(|(finding, _)| finding);
            let began = Instant::now();
            let reduction = reduce::Limits { deadline: Some(Instant::now() + limits.reduction), stop };
            let reduced =
                reduce::reduce(&mut harness, &function, &findings[0], Some(&planter), reduction, &mut |_, _| {});
            let reduce_seconds = began.elapsed().as_secs_f64();
            trial.kill = Some(Kill { findings, function, reduced, reduce_seconds, is_blamed, executed });
            return Ok(trial);
        }
    }
    trial.seconds = started.elapsed().as_secs_f64();
    Ok(trial)
}

/// Program `number` with the fault planted; `None` if there is no such program.
fn judge(harness: &mut Harness, planter: &Planter, limits: Limits, number: u64) -> Option<(Function, Vec<Finding>)> {
    let (target, seed) = (harness.target(), program_seed(limits.seed, number));
    let function = generated(seed, target).filter(|function| harness.accepts(function))?;
    let inputs = inputs::inputs(&function, target, Plan { count: limits.inputs, seed });
    let findings = harness.trial_with(&function, &inputs, Some(planter)).findings;
    Some((function, findings))
}

/// A run that shows the fault, and whether blame is right about it.
fn later_run(harness: &mut Harness, fault: &'static Fault, limits: Limits, from: u64) -> Option<(Finding, bool)> {
    (from..from + MORE_PROGRAMS).find_map(|number| {
        let planter = Planter::new(harness.target(), fault);
        let (_, findings) = judge(harness, &planter, limits, number)?;
        let shown = findings.into_iter().find(|finding| finding.judge == Judge::Emulator)?;
        let is_blamed = planter.acted_in(&shown.guilty);
        Some((shown, is_blamed))
    })
}
