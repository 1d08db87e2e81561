//! Proves the catalogue: every recipe that the rules of a target reach, on an instance of each width.

use crate::counterexample;
use crate::crash;
use crate::finding::Finding;
use crate::harness::ProofCache;
use crate::kind::FindingKind;
use crate::ledger::{Ledger, engine_of};
use crate::questions::{self, QuerySink};
use crate::walks::{Proved, Walked, Walks};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use tribunal_codegen::legalize::{self, CatalogueEntry, OwnedStep};
use tribunal_ir::Opcode;
use tribunal_target::legality::recorded_queries;
use tribunal_target::{Features, Target};
use tribunal_verifier::definitions;
use tribunal_verifier::prover::{Prover, Verdict, deep};

/// The selection of obligations, and the resources to prove them.
pub struct CatalogueQuery {
    /// With the features whose rules are meant.
    pub targets: Vec<(&'static Target, Features)>,
    /// Only instances of this opcode.
    pub opcode: Option<Opcode>,
    /// Threads.
    pub jobs: usize,
    /// The first of the second, counted from 1.
    pub shard: (u64, u64),
    /// Proofs known already, and the cache for new ones. Not consulted where questions are written.
    pub proofs: ProofCache,
    /// The sink of questions to z3, if they are written.
    pub sink: Option<QuerySink>,
}

impl CatalogueQuery {
    /// True if nothing of the targets' catalogues is left out.
    pub fn is_whole(&self) -> bool {
        self.opcode.is_none() && self.shard == (1, 1)
    }
}

/// The outcome of proving them.
#[derive(Default)]
pub struct CatalogueSummary {
    /// Steps that were put to the prover.
    pub obligations: u64,
    /// Of those, the ones that are right for all values.
    pub proved: u64,
    /// Of those, answered from the cache: the same instructions on the same types.
    pub looked_up: u64,
    /// Of those, by a proof that an earlier run kept.
    pub kept: u64,
    /// Of the ones looked up, the steps of instances that the rules of other features answer alike: walked once.
    pub alike: u64,
    /// Of those, the ones that are wrong for some value.
    pub refuted: u64,
    /// Of those, the ones that no engine decided.
    pub unknown: u64,
    /// Of those, the ones that hold an operation without a meaning here.
    pub unsupported: u64,
    /// Of the refuted, those whose counterexample no execution shows: findings about a judge.
    pub unconfirmed: u64,
    /// Cases on which the definitions of opcodes were compared with second ones.
    pub definitions: u64,
    /// Opcodes whose definitions differ.
    pub differing: u64,
    /// Refuted steps and definitions that differ, in full.
    pub findings: Vec<Finding>,
    /// Files that show them, by name: the first of each rule and kind.
    pub files: BTreeMap<String, String>,
    /// Every obligation by its class.
    pub ledger: Ledger,
    /// The second solver's answers, if one was asked.
    pub questions: questions::QuestionTally,
    /// The reasons why questions could not be written or put to the second solver.
    pub unwritten: Vec<std::io::Error>,
    /// Reasons of unknown and unsupported, with how often.
    pub open: BTreeMap<String, u64>,
}

/// Proves until done or stopped; `progress` receives the number of instances done, and of all.
pub fn prove(query: &CatalogueQuery, stop: &AtomicBool, mut progress: impl FnMut(u64, u64)) -> CatalogueSummary {
    let cache = if query.sink.is_some() { ProofCache::default() } else { query.proofs.clone() };
    let asked = AtomicU64::new(0);
    let mut summary = CatalogueSummary::default();
    summary.compare_definitions(query.opcode);
    for of_target in query.targets.chunk_by(|(one, _), (other, _)| one.name == other.name) {
        let target = of_target[0].0;
        let entries = entries(query, target);
        let mut walks = Walks::new(target, entries.len());
        for &(_, features) in of_target {
            walks.begin(features);
            let (next, count) = (AtomicU64::new(0), entries.len() as u64);
            let shared = Mutex::new((&mut summary, Vec::new()));
            let work = Work {
                name: target.with(features),
                target,
                features,
                entries: &entries,
                walks: &walks,
                next: &next,
                asked: &asked,
                stop,
                cache: &cache,
                sink: query.sink.as_ref(),
            };
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..query.jobs).map(|_| scope.spawn(|| deep(|| work.run(&shared)))).collect();
                while workers.iter().any(|worker| !worker.is_finished()) {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    progress(next.load(Ordering::Relaxed).min(count), count);
                }
            });
            let (_, walked) = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            walks.keep(walked);
        }
    }
    summary
}

impl CatalogueSummary {
    /// Each proof reads the definitions, so they come first.
    fn compare_definitions(&mut self, opcode: Option<Opcode>) {
        let report = definitions::check();
        self.definitions = report.cases();
        let faults =
            report.faults.iter().filter(|fault| opcode.is_none() || fault.opcode.is_none() || fault.opcode == opcode);
        self.findings.extend(faults.map(Finding::definition));
        self.differing = self.findings.len() as u64;
    }
}

/// The instances of this shard: every N-th, so that each shard has all widths.
fn entries(query: &CatalogueQuery, target: &'static Target) -> Vec<CatalogueEntry> {
    let (part, of) = query.shard;
    let entries = legalize::catalogue(target, query.opcode).into_iter().enumerate();
    entries.filter(|(index, _)| *index as u64 % of == part - 1).map(|(_, entry)| entry).collect()
}

/// One target's instances, shared by the workers.
struct Work<'w> {
    /// As the ledger calls the target and its features.
    name: String,
    target: &'static Target,
    features: Features,
    entries: &'w [CatalogueEntry],
    /// Those that were walked under other features.
    walks: &'w Walks,
    next: &'w AtomicU64,
    /// Questions written so far: the next one's number.
    asked: &'w AtomicU64,
    stop: &'w AtomicBool,
    cache: &'w ProofCache,
    sink: Option<&'w QuerySink>,
}

impl Work<'_> {
    /// Proves until no instance is left; adds its results to the summary once, at the end.
    fn run(&self, shared: &Mutex<(&mut CatalogueSummary, Vec<Walked>)>) {
        let mut prover = Prover::with_cache(self.cache.clone());
        if self.sink.is_some() {
            prover.keep_questions();
        }
        let (mut own, mut walked) = (Tally::default(), Vec::new());
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some(entry) = self.entries.get(index) else { break };
            if let Some(known) = self.walks.alike(index) {
                own.add_alike(known);
                continue;
            }
            let (steps, queries) = recorded_queries(|| entry.steps(self.target, self.features));
            let mut of_entry = Tally::default();
            for step in &steps {
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
                self.prove(&mut prover, step, &mut of_entry);
            }
            if self.stop.load(Ordering::Relaxed) {
                own.add(of_entry);
                break;
            }
            // What is not proved is walked under each of the features, and shown for each.
            if of_entry.summary.proved == of_entry.summary.obligations {
                walked.push(Walked::new(index, queries, &steps, of_entry.proved()));
            }
            own.add(of_entry);
        }
        let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        shared.0.add(own, &self.name);
        shared.1.extend(walked);
    }

    fn prove(&self, prover: &mut Prover, owned: &OwnedStep, own: &mut Tally) {
        let (step, before, started) = (owned.as_step(), prover.counters(), Instant::now());
        let verdict = prover.judge(self.target, &step);
        *own.classes.entry((owned.rule, owned.opcode, engine_of(&verdict))).or_default() += 1;
        own.summary.count(&verdict, owned.rule);
        let after = prover.counters();
        if after.looked_up > before.looked_up {
            if matches!(verdict, Verdict::Proved { .. }) {
                own.summary.looked_up += 1;
                own.summary.kept += after.kept - before.kept;
            }
            return;
        }
        own.summary.ledger.seconds += started.elapsed().as_secs_f64();
        let put = prover
            .take_question()
            .zip(self.sink)
            .map(|(question, sink)| sink.put(self.asked.fetch_add(1, Ordering::Relaxed), owned.rule, &question));
        match put {
            Some(Ok(tally)) => own.summary.questions.add(tally),
            Some(Err(error)) => own.summary.unwritten.push(error),
            None => {}
        }
        if let Some((finding, reproducer)) = counterexample::finding(self.target, &step, &verdict) {
            own.summary.unconfirmed += u64::from(finding.kind != FindingKind::Refuted);
            if let Some(reproducer) = reproducer {
                let file = || reproducer.file(self.target, self.features, &finding.details);
                own.summary.files.entry(crash::file_name(&finding)).or_insert_with(file);
            }
            own.summary.findings.push(finding);
        }
    }
}

/// The results of one worker, or of one instance; obligations by rule, opcode and engine.
#[derive(Default)]
struct Tally {
    summary: CatalogueSummary,
    classes: FxHashMap<(&'static str, Opcode, &'static str), u64>,
}

impl Tally {
    /// The results of an instance that was proved whole.
    fn proved(&self) -> Proved {
        Proved {
            classes: self.classes.iter().map(|(&class, &count)| (class, count)).collect(),
            kept: self.summary.kept,
        }
    }

    /// Counts an instance whose steps were proved under other features.
    fn add_alike(&mut self, known: &Proved) {
        for &(class, count) in &known.classes {
            *self.classes.entry(class).or_default() += count;
            self.summary.obligations += count;
            self.summary.proved += count;
            self.summary.looked_up += count;
            self.summary.alike += count;
        }
        self.summary.kept += known.kept;
    }

    fn add(&mut self, other: Tally) {
        other.classes.into_iter().for_each(|(class, count)| *self.classes.entry(class).or_default() += count);
        self.summary.add_counts(other.summary);
    }
}

impl CatalogueSummary {
    fn add(&mut self, own: Tally, target: &str) {
        for ((rule, opcode, engine), count) in own.classes {
            self.ledger.count(target, rule, &opcode.to_string(), engine, count);
        }
        self.add_counts(own.summary);
    }

    /// Adds all but the ledger's rows.
    fn add_counts(&mut self, own: CatalogueSummary) {
        self.ledger.seconds += own.ledger.seconds;
        self.obligations += own.obligations;
        self.proved += own.proved;
        self.looked_up += own.looked_up;
        self.kept += own.kept;
        self.alike += own.alike;
        self.refuted += own.refuted;
        self.unconfirmed += own.unconfirmed;
        self.unknown += own.unknown;
        self.unsupported += own.unsupported;
        self.findings.extend(own.findings);
        for (name, text) in own.files {
            self.files.entry(name).or_insert(text);
        }
        self.questions.add(own.questions);
        self.unwritten.extend(own.unwritten);
        own.open.into_iter().for_each(|(reason, count)| *self.open.entry(reason).or_default() += count);
    }

    fn count(&mut self, verdict: &Verdict, rule: &str) {
        self.obligations += 1;
        match verdict {
            Verdict::Proved { .. } => self.proved += 1,
            Verdict::Refuted(_) => self.refuted += 1,
            Verdict::Unknown(reason) => {
                self.unknown += 1;
                *self.open.entry(format!("unknown: {rule}: {reason}")).or_default() += 1;
            }
            Verdict::Unsupported(feature) => {
                self.unsupported += 1;
                *self.open.entry(format!("unsupported: {rule}: {feature}")).or_default() += 1;
            }
        }
    }
}
