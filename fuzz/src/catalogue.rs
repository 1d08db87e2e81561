//! Proves the catalogue: every recipe that the rules of a target reach, on an instance of each width.

use crate::harness::ProofCache;
use crate::ledger::Ledger;
use crate::questions::{self, Desk};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use tribunal_codegen::legalize::{self, OwnedStep};
use tribunal_ir::Opcode;
use tribunal_target::Target;
use tribunal_verifier::prover::{Prover, Verdict, explain};

/// Which obligations.
pub struct Query {
    pub targets: Vec<&'static Target>,
    pub opcode: Option<Opcode>,
    pub jobs: usize,
    /// The first of the second, counted from 1.
    pub shard: (u64, u64),
    /// Where questions to z3 are written, if they are.
    pub desk: Option<Desk>,
}

impl Query {
    /// True if nothing of the targets' catalogues is left out.
    pub fn is_whole(&self) -> bool {
        self.opcode.is_none() && self.shard == (1, 1)
    }
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
    /// Every obligation by its class.
    pub ledger: Ledger,
    pub questions: questions::Tally,
    /// Why questions could not be written or put to the second solver.
    pub unwritten: Vec<std::io::Error>,
    /// Reasons of unknown and unsupported, with how often.
    pub open: BTreeMap<String, u64>,
}

/// Proves until done or stopped; `progress` is told how many of how many.
pub fn prove(query: &Query, stop: &AtomicBool, mut progress: impl FnMut(u64, u64)) -> Summary {
    let cache = ProofCache::default();
    let mut summary = Summary::default();
    let mut first = 0;
    for &target in &query.targets {
        let steps = obligations(query, target);
        let (next, count) = (AtomicU64::new(0), steps.len() as u64);
        let shared = Mutex::new(&mut summary);
        let work = Work { target, steps: &steps, next: &next, first, stop, cache: &cache, desk: query.desk.as_ref() };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..query.jobs).map(|_| scope.spawn(|| work.run(&shared))).collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                std::thread::sleep(std::time::Duration::from_millis(50));
                progress(next.load(Ordering::Relaxed).min(count), count);
            }
        });
        first += count;
    }
    summary
}

fn obligations(query: &Query, target: &'static Target) -> Vec<OwnedStep> {
    let (part, of) = query.shard;
    let steps = legalize::catalogue(target, target.default_features, query.opcode).into_iter();
    steps.enumerate().filter(|(index, _)| *index as u64 % of == part - 1).map(|(_, step)| step).collect()
}

/// One target's obligations, shared by the workers.
struct Work<'w> {
    target: &'static Target,
    steps: &'w [OwnedStep],
    next: &'w AtomicU64,
    /// The number of the first one: numbers go on from target to target.
    first: u64,
    stop: &'w AtomicBool,
    cache: &'w ProofCache,
    desk: Option<&'w Desk>,
}

impl Work<'_> {
    fn run(&self, summary: &Mutex<&mut Summary>) {
        let mut prover = Prover::with_cache(self.cache.clone());
        if self.desk.is_some() {
            prover.keep_questions();
        }
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(owned) = self.steps.get(number as usize) else { break };
            let step = owned.as_step();
            let before = prover.counters().looked_up;
            let started = Instant::now();
            let verdict = prover.judge(self.target, &step);
            let seconds = started.elapsed().as_secs_f64();
            let looked_up = prover.counters().looked_up > before;
            let put = prover
                .take_question()
                .zip(self.desk)
                .map(|(question, desk)| desk.put(self.first + number, owned.rule, &question));
            let mut summary = summary.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            summary.obligations += 1;
            summary.ledger.seconds += seconds;
            summary.ledger.count(self.target.name, owned.rule, &owned.opcode.to_string(), &verdict);
            match put {
                Some(Ok(tally)) => summary.questions.add(tally),
                Some(Err(error)) => summary.unwritten.push(error),
                None => {}
            }
            match &verdict {
                Verdict::Proved { .. } => {
                    summary.proved += 1;
                    summary.looked_up += u64::from(looked_up);
                }
                Verdict::Refuted(_) => {
                    summary.refuted += 1;
                    summary.reports.push(explain(&step, &verdict, self.target.vocabulary));
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
}
