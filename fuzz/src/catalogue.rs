//! Proves the catalogue: every recipe that the rules of a target reach, on an instance of each width.

use crate::harness::ProofCache;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tribunal_codegen::legalize::{self, OwnedStep};
use tribunal_ir::Opcode;
use tribunal_target::{Features, Target};
use tribunal_verifier::prover::{Prover, Verdict, explain};

/// Which obligations.
pub struct Query {
    /// With the features whose rules are meant.
    pub targets: Vec<(&'static Target, Features)>,
    pub opcode: Option<Opcode>,
    pub jobs: usize,
    /// The first of the second, counted from 1.
    pub shard: (u64, u64),
}

/// What came of them.
#[derive(Default)]
pub struct Summary {
    pub obligations: u64,
    pub proved: u64,
    /// Of those, answered from the cache: the same instructions on the same types.
    pub looked_up: u64,
    pub refuted: u64,
    pub unknown: u64,
    pub unsupported: u64,
    /// Refuted steps, in full.
    pub reports: Vec<String>,
    /// Reasons of unknown and unsupported, with how often.
    pub open: BTreeMap<String, u64>,
}

/// Proves until done or stopped; `progress` is told how many of how many.
pub fn prove(query: &Query, stop: &AtomicBool, mut progress: impl FnMut(u64, u64)) -> Summary {
    let cache = ProofCache::default();
    let mut summary = Summary::default();
    for &(target, features) in &query.targets {
        let steps = obligations(query, target, features);
        let next = AtomicU64::new(0);
        let shared = Mutex::new(&mut summary);
        std::thread::scope(|scope| {
            let work = || worker(target, &steps, &next, stop, &cache, &shared);
            let workers: Vec<_> = (0..query.jobs).map(|_| scope.spawn(work)).collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                std::thread::sleep(std::time::Duration::from_millis(50));
                progress(next.load(Ordering::Relaxed).min(steps.len() as u64), steps.len() as u64);
            }
        });
    }
    summary
}

fn obligations(query: &Query, target: &'static Target, features: Features) -> Vec<OwnedStep> {
    let (part, of) = query.shard;
    let wanted = |step: &OwnedStep| query.opcode.is_none_or(|opcode| step.opcode == opcode);
    let steps = legalize::catalogue(target, features).into_iter().filter(wanted);
    steps.enumerate().filter(|(index, _)| *index as u64 % of == part - 1).map(|(_, step)| step).collect()
}

fn worker(
    target: &'static Target,
    steps: &[OwnedStep],
    next: &AtomicU64,
    stop: &AtomicBool,
    cache: &ProofCache,
    summary: &Mutex<&mut Summary>,
) {
    let mut prover = Prover::with_cache(cache.clone());
    while !stop.load(Ordering::Relaxed) {
        let Some(owned) = steps.get(next.fetch_add(1, Ordering::Relaxed) as usize) else { break };
        let step = owned.as_step();
        let before = prover.counters().looked_up;
        let verdict = prover.judge(target, &step);
        let looked_up = prover.counters().looked_up > before;
        let mut summary = summary.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        summary.obligations += 1;
        match &verdict {
            Verdict::Proved { .. } => {
                summary.proved += 1;
                summary.looked_up += u64::from(looked_up);
            }
            Verdict::Refuted(_) => {
                summary.refuted += 1;
                summary.reports.push(explain(&step, &verdict, target.vocabulary));
            }
            Verdict::Unknown(reason) => {
                summary.unknown += 1;
                *summary.open.entry(format!("unknown: {}: {reason}", owned.rule)).or_default() += 1;
            }
            Verdict::Unsupported(feature) => {
                summary.unsupported += 1;
                *summary.open.entry(format!("unsupported: {}: {feature}", owned.rule)).or_default() += 1;
            }
        }
    }
}
