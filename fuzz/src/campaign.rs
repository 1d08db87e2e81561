//! The embedded loop: workers that generate, judge and record until the time is up.
//!
//! Program `n` is a pure function of the seed and `n`, whatever the number of workers. Each worker owns its harnesses
//! (a solver context and an emulator cannot be shared), and all share one proof cache. With a corpus, a program also
//! depends on the features reached before; the corpus is text, of programs of one function. Beside the numbered
//! programs there are those of the ledger and carried ones, which depend on what ran before.

mod before;
mod carried;
mod changed;
mod decisions;
mod features;
mod modules;
mod programs;
mod refusals;
mod stuck;

pub use features::{DrawnFeatures, FeatureMix};
pub use modules::plan_of_module;
pub use programs::{
    generated, generated_for, generated_machine_code, generated_module, generated_of_any_types, generated_unaimed,
    is_machine_code, is_module, is_of_any_types, program_seed,
};

use self::carried::{DrawnProgram, Errands};
use self::decisions::Comparisons;
use self::programs::generated_at;
use self::stuck::{CampaignProgram, WorkerPlace};
use crate::corpus::{Corpus, Drawn};
use crate::costs::ChangedProgram;
use crate::coverage::Reached;
use crate::known::KnownFindings;
use crate::reduce::{self, SearchLimits};
use crate::sabotage::{Fault, Planter};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tribunal_codegen::{Allocator, BankSelectMode, NoObserver, Observer, Options};
use tribunal_ir::Function;
use tribunal_target::{Features, Target};
use tribunal_trial::JudgeSet;
use tribunal_trial::crash;
use tribunal_trial::features::FeatureSet;
use tribunal_trial::finding::{Finding, Judge, Tally};
use tribunal_trial::guard::{self, CaughtPanic};
use tribunal_trial::harness::{Harness, HarnessError, ProofCache};
use tribunal_trial::inputs;
use tribunal_verifier::prover::deep;

/// The settings of a campaign.
pub struct Campaign {
    /// With the features that programs are compiled for, unless they draw their own.
    pub targets: Vec<(&'static Target, Features)>,
    /// Whether programs draw their features.
    pub mix: FeatureMix,
    /// No program is begun after it.
    pub time: Duration,
    /// Programs at most.
    pub runs: Option<u64>,
    /// Findings of different signatures at most.
    pub findings: Option<usize>,
    /// A program that takes longer is a finding, and ends the campaign.
    pub patience: Duration,
    /// Programs and inputs are the same for the same seed and program number.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
    /// Inputs a program.
    pub inputs: u32,
    /// Folder of crash files; made when the first is written.
    pub out: PathBuf,
    /// Programs to start from and to mutate; all are generated without it.
    pub corpus: Option<Corpus>,
    /// Findings that are counted and set aside.
    pub known: KnownFindings,
    /// A fault to plant in every program of its targets.
    pub fault: Option<&'static Fault>,
    /// The way in which register banks are selected; each program draws its own if `None`.
    pub bank_select: Option<BankSelectMode>,
    /// The register allocator; each program draws its own if `None`.
    pub allocator: Option<Allocator>,
    /// Proofs known already; the workers add theirs.
    pub proofs: ProofCache,
}

/// The outcome of a campaign.
#[derive(Default)]
pub struct CampaignReport {
    /// The judges' tally.
    pub tally: Tally,
    /// Generated functions that the verifier did not accept as input.
    pub rejected: u64,
    /// Wall time, setting up included.
    pub elapsed: Duration,
    /// The rules that each rule set of the campaign reached, in the order of [`Campaign::rule_sets`].
    pub reached: Vec<Reached>,
    /// One finding of each signature, with its crash file.
    pub crashes: Vec<(Finding, PathBuf)>,
    /// Features that were reached.
    pub features: FeatureSet,
    /// Findings that were set aside, by the index of their signature in [`Campaign::known`].
    pub known: BTreeMap<usize, u64>,
}

impl Campaign {
    /// A campaign for these targets on one thread, without a limit, that writes its crash files to `out`.
    pub fn new(targets: Vec<(&'static Target, Features)>, out: PathBuf) -> Campaign {
        Campaign {
            targets,
            mix: FeatureMix::Given,
            time: Duration::MAX,
            runs: None,
            findings: None,
            patience: Duration::MAX,
            seed: 1,
            jobs: 1,
            inputs: 4,
            out,
            corpus: None,
            known: KnownFindings::default(),
            fault: None,
            bank_select: None,
            allocator: None,
            proofs: ProofCache::default(),
        }
    }

    /// The options of the program with this seed.
    fn options(&self, features: Features, seed: u64) -> Options {
        // Turned round, so that the draw is another than that of the program.
        let mut random = SmallRng::seed_from_u64(seed.rotate_left(32));
        let mode = BankSelectMode::ALL[random.random_range(0..BankSelectMode::ALL.len())];
        // Moves behind an instruction are those of the fast allocator alone.
        let allocator = if random.random_ratio(1, 4) { Allocator::Fastalloc } else { Allocator::Ion };
        Options {
            features,
            allocator: self.allocator.unwrap_or(allocator),
            bank_select: self.bank_select.unwrap_or(mode),
        }
    }

    /// True if programs are carried from one rule set to others: never where programs are a function of the seed and
    /// their number, or stand in a corpus.
    pub fn carries(&self) -> bool {
        self.mix == FeatureMix::Drawn && self.corpus.is_none() && self.runs.is_none()
    }

    /// The rule sets whose coverage is counted.
    pub fn rule_sets(&self) -> Vec<(&'static Target, Features)> {
        self.mix.rule_sets(&self.targets)
    }
}

/// The time limit for reducing a program that shows a fault.
const REDUCTION: Duration = Duration::from_secs(10);

/// Shared by the workers.
struct Shared<'a> {
    campaign: &'a Campaign,
    /// Those of the campaign.
    rule_sets: Vec<(&'static Target, Features)>,
    comparisons: Comparisons,
    errands: Errands,
    started: Instant,
    stop: &'a AtomicBool,
    next: AtomicU64,
    /// Programs of the corpus to judge before the generated ones.
    changed: Mutex<VecDeque<ChangedProgram>>,
    outcome: Mutex<CampaignReport>,
    failure: Mutex<Option<HarnessError>>,
    /// One for each worker.
    places: Vec<WorkerPlace>,
}

impl<'a> Shared<'a> {
    /// The time begins here.
    fn new(
        campaign: &'a Campaign,
        stop: &'a AtomicBool,
        (outcome, changed): (CampaignReport, VecDeque<ChangedProgram>),
    ) -> Shared<'a> {
        let rule_sets = campaign.rule_sets();
        Shared {
            campaign,
            comparisons: Comparisons::new(&rule_sets, campaign.seed),
            errands: Errands::new(campaign),
            rule_sets,
            changed: Mutex::new(changed),
            outcome: Mutex::new(outcome),
            started: Instant::now(),
            stop,
            next: AtomicU64::new(0),
            failure: Mutex::default(),
            places: (0..campaign.jobs).map(|_| WorkerPlace::default()).collect(),
        }
    }

    /// No program is begun any more.
    fn is_over(&self) -> bool {
        let found = |most| lock(&self.outcome).crashes.len() >= most;
        self.stop.load(Ordering::Relaxed)
            || self.started.elapsed() >= self.campaign.time
            || self.campaign.findings.is_some_and(found)
    }
}

/// Runs until the time or the programs are used up, or the caller stops it. `progress` is called now and then with the
/// time, the programs and the findings so far. `abandon` gets the report of a campaign in which a program does not end:
/// it should end the process, since this function cannot return then.
pub fn run(
    campaign: &Campaign,
    stop: &AtomicBool,
    mut progress: impl FnMut(Duration, u64, usize),
    abandon: impl FnOnce(CampaignReport),
) -> Result<CampaignReport, HarnessError> {
    // The time is that of programs.
    let shared = Shared::new(campaign, stop, before::outcome(campaign, stop));
    let mut abandon = Some(abandon);
    std::thread::scope(|scope| {
        let of_worker = |place| deep(|| worker(&shared, place));
        let workers: Vec<_> = shared.places.iter().map(|place| scope.spawn(move || of_worker(place))).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            let (programs, findings) = {
                let outcome = lock(&shared.outcome);
                (outcome.tally.functions, outcome.crashes.len())
            };
            progress(shared.started.elapsed(), programs, findings);
            let stuck = shared.places.iter().find_map(|place| place.stuck(campaign.patience));
            if let Some((program, abandon)) = stuck.and_then(|program| Some((program, abandon.take()?))) {
                abandon(stuck::report(&shared, program));
            }
        }
    });
    if let Some(failure) = lock(&shared.failure).take() {
        return Err(failure);
    }
    let mut outcome = std::mem::take(&mut *lock(&shared.outcome));
    outcome.elapsed = shared.started.elapsed();
    Ok(outcome)
}

/// The value is consistent even after a worker panicked: counts are added in one step.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn worker(shared: &Shared<'_>, place: &WorkerPlace) {
    let fresh =
        || CampaignReport { reached: vec![Reached::default(); shared.rule_sets.len()], ..CampaignReport::default() };
    let made = || {
        let harness = |&(target, features): &(&'static Target, Features)| {
            Harness::with_cache(target, Options::new(features), shared.campaign.proofs.clone())
        };
        shared.campaign.targets.iter().map(harness).collect::<Result<Vec<_>, _>>()
    };
    let mut harnesses = match guard::run(made) {
        Ok(Ok(harnesses)) => harnesses,
        Ok(Err(failure)) => {
            *lock(&shared.failure) = Some(failure);
            return;
        }
        Err(panic) => {
            let mut local = fresh();
            note_panic(shared, panic, "(before the first program)", &mut local);
            return flush(shared, local);
        }
    };
    let mut local = fresh();
    let mut reported = Instant::now();
    let mut drawn = 0;
    while !shared.is_over() {
        if let Some(program) = changed::next(shared) {
            if let Some(harness) = harnesses.iter_mut().find(|harness| program.is_for(harness.target())) {
                let work = |harness: &mut Harness, local: &mut _| changed::program(shared, harness, &program, local);
                place.at(CampaignProgram::Fixed(program.name.clone()), || {
                    guarded(shared, harness, &program.name, &mut local, work);
                });
            }
            continue;
        }
        if let Some(program) = carried::next(shared, &mut drawn) {
            if let Some(harness) = harnesses.iter_mut().find(|harness| program.is_for(shared, harness.target())) {
                let work = |harness: &mut Harness, local: &mut _| carried::program(shared, harness, &program, local);
                place.at(CampaignProgram::Carried(program), || {
                    guarded(shared, harness, &program.name(shared), &mut local, work);
                });
            }
            continue;
        }
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if shared.campaign.runs.is_some_and(|runs| number >= runs) {
            break;
        }
        let index = (number % harnesses.len() as u64) as usize;
        let given = shared.campaign.targets[index].1;
        let harness = &mut harnesses[index];
        place.at(CampaignProgram::Drawn(number), || {
            guarded(shared, harness, &format!("program {number}"), &mut local, |harness, local| {
                program(shared, harness, given, number, local);
                shared.comparisons.after(shared, number, local);
            });
        });
        if reported.elapsed() > Duration::from_millis(250) {
            flush(shared, std::mem::replace(&mut local, fresh()));
            reported = Instant::now();
        }
    }
    flush(shared, local);
}

/// Does the work of a program. A trial guards itself, so a panic here comes from making the program, from reducing it,
/// or from counting: it is a finding without a file, and the campaign goes on.
fn guarded(
    shared: &Shared<'_>,
    harness: &mut Harness,
    program: &str,
    local: &mut CampaignReport,
    work: impl FnOnce(&mut Harness, &mut CampaignReport),
) {
    if let Err(panic) = harness.guarded(|harness| work(harness, &mut *local)) {
        note_panic(shared, panic, &format!("({program}, outside its trial)"), local);
    }
}

/// Notes a panic without a crash file, but with these words in its place.
fn note_panic(shared: &Shared<'_>, panic: CaughtPanic, place: &str, local: &mut CampaignReport) {
    let mut tally = Tally::of_panic(panic);
    shared.campaign.known.set_aside(&mut tally, &mut local.known);
    let crashes = &mut lock(&shared.outcome).crashes;
    for finding in &tally.findings {
        if crashes.iter().all(|(known, _)| known.signature() != finding.signature()) {
            crashes.push((finding.clone(), PathBuf::from(place)));
        }
    }
    local.tally.add(tally);
}

/// The judges of a program: all, and of every 32nd its texts too, which take as long as all the others. Alignment and
/// definitions are looked at in every fourth: what is wrong there shows in many programs.
pub fn judges(number: u64) -> JudgeSet {
    match number % 32 {
        0 => JudgeSet::ALL,
        // Every target is met: three and four have no common factor.
        rest if rest % 4 == 0 => JudgeSet::ALL.without(Judge::Text),
        _ => JudgeSet::ALL.without(Judge::Text).looking_briefly(),
    }
}

/// One program, of this number: generated, checked, judged. `given` are the features beside its target.
fn program(shared: &Shared<'_>, harness: &mut Harness, given: Features, number: u64, local: &mut CampaignReport) {
    let (campaign, target) = (shared.campaign, harness.target());
    let seed = program_seed(campaign.seed, number);
    let corpus = campaign.corpus.as_ref();
    let drawn = corpus.and_then(|corpus| corpus.next(target, seed));
    let DrawnFeatures { features, turn } = match &drawn {
        Some(drawn) => DrawnFeatures { features: features::sufficient(target, given, &drawn.function), turn: 0 },
        None => campaign.features_of(target, given, seed),
    };
    harness.set_options(campaign.options(features, seed));
    if drawn.is_none() && is_module(seed) {
        return modules::program(shared, harness, number, local);
    }
    if drawn.is_none() && is_of_any_types(seed) {
        return refusals::program(shared, harness, seed, local);
    }
    let function = || match is_machine_code(seed) {
        true => generated_machine_code(seed, target, features),
        false => generated_at(seed, turn, target, features),
    };
    let generated = || Some(Drawn { function: function()?, is_read: false });
    let Some(Drawn { function, is_read }) = drawn.or_else(generated) else {
        local.rejected += 1;
        return;
    };
    let plan = inputs::Plan { count: campaign.inputs, seed };
    let mut planter = campaign.fault.and_then(|fault| Planter::on(target, fault));
    let mut tally = match harness.trial_if_accepted(&function, plan, judges(number), &mut planter) {
        Ok(tally) => tally,
        Err(violations) => return rejected(shared, harness, &function, violations, local),
    };
    // One of the corpus is not carried, and machine code shows no rule.
    let carried = (!is_machine_code(seed)).then_some(DrawnProgram { seed, turn, features });
    reached(shared, harness, tally.executions, carried, local);
    campaign.known.set_aside(&mut tally, &mut local.known);
    // Generated programs use supported features only: one that does not is kept like a finding.
    let refused: Vec<Finding> = tally.unsupported.keys().map(|feature| Finding::unsupported(feature)).collect();
    for finding in tally.findings.iter().chain(&refused) {
        record(shared, harness, &[&function], finding, &mut planter);
    }
    if let Some(corpus) = corpus.filter(|_| tally.passed == 1) {
        corpus.keep(&function, is_read, harness);
    }
    local.tally.add(tally);
}

/// Counts a generated function that the verifier does not accept, and keeps it like a finding. One whose violations are
/// all known is set aside.
fn rejected(
    shared: &Shared<'_>,
    harness: &mut Harness,
    function: &Function,
    findings: Vec<Finding>,
    local: &mut CampaignReport,
) {
    let mut tally = Tally { findings, ..Tally::default() };
    shared.campaign.known.set_aside(&mut tally, &mut local.known);
    if let Some(violation) = tally.findings.first() {
        local.rejected += 1;
        record(shared, harness, &[function], violation, &mut NoObserver);
    }
}

/// Counts the features and the rules that the last trial reached, with so many executions. A drawn program of one
/// function may show its rules elsewhere too.
fn reached(
    shared: &Shared<'_>,
    harness: &Harness,
    executions: u64,
    drawn: Option<DrawnProgram>,
    local: &mut CampaignReport,
) {
    harness.last_features().iter().for_each(|&slot| _ = local.features.insert(slot));
    let set = features::rule_set_of(&shared.rule_sets, harness.target(), harness.options().features);
    let Some((set, reached)) = set.and_then(|set| Some((set, local.reached.get_mut(set)?))) else { return };
    // Programs of a corpus come to no goal.
    reached.programs += u64::from(shared.campaign.corpus.is_none());
    match executions {
        0 => reached.fired.extend(harness.last_fired()),
        _ => {
            reached.observed.extend(harness.last_fired());
            shared.errands.shown(set, harness.last_fired(), drawn);
        }
    }
}

/// Keeps one crash file for each signature, of the smallest program that shows the fault. A finding about functions
/// that run together has all of them, the one that runs first.
fn record(
    shared: &Shared<'_>,
    harness: &mut Harness,
    functions: &[&Function],
    finding: &Finding,
    saboteur: &mut dyn Observer,
) {
    let path = crash::path(&shared.campaign.out, finding);
    {
        let mut outcome = lock(&shared.outcome);
        if outcome.crashes.iter().any(|(known, _)| known.signature() == finding.signature()) {
            return;
        }
        outcome.crashes.push((finding.clone(), PathBuf::from(format!("(not written yet: {})", path.display()))));
    }
    let limits = SearchLimits { deadline: Instant::now().checked_add(REDUCTION), stop: shared.stop };
    let (small, text) = reduce::crash_file(harness, functions, finding, saboteur, limits);
    let written = write(&path, &text);
    let mut outcome = lock(&shared.outcome);
    let known = outcome.crashes.iter_mut().find(|(known, _)| known.signature() == finding.signature());
    if let Some((known, place)) = known {
        *known = small;
        // The finding stays, with the reason why it has no file.
        *place = match written {
            Ok(()) => path,
            Err(error) => PathBuf::from(format!("(not written: {}: {error})", path.display())),
        };
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

fn flush(shared: &Shared<'_>, local: CampaignReport) {
    let mut outcome = lock(&shared.outcome);
    outcome.tally.add(local.tally);
    outcome.rejected += local.rejected;
    outcome.features.add(&local.features);
    outcome.reached.resize(local.reached.len(), Reached::default());
    outcome.reached.iter_mut().zip(local.reached).for_each(|(reached, more)| reached.add(more));
    for (line, count) in local.known {
        *outcome.known.entry(line).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tribunal_ir::{Inst, VReg};
    use tribunal_trial::kind::FindingKind;

    pub(super) fn campaign_in(out: &Path, target: &'static Target, proofs: &ProofCache) -> Campaign {
        let targets = vec![(target, target.default_features)];
        Campaign { proofs: proofs.clone(), ..Campaign::new(targets, out.to_path_buf()) }
    }

    pub(super) fn shared_by(campaign: &Campaign) -> Shared<'_> {
        static STOP: AtomicBool = AtomicBool::new(false);
        Shared::new(campaign, &STOP, Default::default())
    }

    #[test]
    fn a_panic_outside_a_trial_is_a_finding_and_the_next_program_is_judged() {
        let target = tribunal_target::ALL[0];
        let (given, proofs) = (target.default_features, ProofCache::default());
        let campaign = campaign_in(Path::new("unwritten"), target, &proofs);
        let shared = shared_by(&campaign);
        let mut harness = Harness::with_cache(target, Options::new(given), proofs).expect("the emulator works");
        let mut local = CampaignReport { reached: vec![Reached::default()], ..CampaignReport::default() };
        for _ in 0..2 {
            guarded(&shared, &mut harness, "program 7", &mut local, |_, _| panic!("no program"));
        }
        let found: Vec<FindingKind> = local.tally.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(found, [FindingKind::Panic; 2]);
        let crashes = lock(&shared.outcome).crashes.clone();
        assert_eq!(crashes.len(), 1, "one file of a signature: {crashes:?}");
        guarded(&shared, &mut harness, "program 0", &mut local, |harness, local| {
            program(&shared, harness, given, 0, local)
        });
        assert_eq!((local.tally.passed, local.tally.findings.len()), (1, 2));
    }

    #[test]
    fn a_generated_function_that_the_verifier_rejects_is_kept() {
        let target = tribunal_target::ALL[0];
        let (given, proofs) = (target.default_features, ProofCache::default());
        let out = tempfile::tempdir().expect("a folder");
        let campaign = campaign_in(out.path(), target, &proofs);
        let shared = shared_by(&campaign);
        let mut harness = Harness::with_cache(target, Options::new(given), proofs).expect("the emulator works");
        let mut function = generated(program_seed(1, 0), target).expect("a program");
        let entry = function.entry().expect("a block");
        let read: BTreeSet<VReg> = function.all_insts().flat_map(|inst| function.inst(inst).vreg_uses()).collect();
        let defines = |inst: &Inst| function.inst(*inst).vreg_defs().any(|register| read.contains(&register));
        let definition = function.insts(entry).find(defines).expect("a value that is read");
        function.remove(definition);
        let plan = inputs::Plan { count: 1, seed: 1 };
        let violations = harness.trial_if_accepted(&function, plan, JudgeSet::ALL, &mut NoObserver).err();
        let mut local = CampaignReport::default();
        let violations = violations.expect("a value that nothing defines");
        rejected(&shared, &mut harness, &function, violations.clone(), &mut local);
        assert_eq!(local.rejected, 1);
        let crashes = lock(&shared.outcome).crashes.clone();
        assert!(
            matches!(crashes.as_slice(), [(finding, path)] if finding.guilty == "input" && path.exists()),
            "{crashes:?}"
        );
        // Known ones are set aside.
        let lines: BTreeSet<String> = violations.iter().map(|finding| format!("{}\n", finding.signature())).collect();
        let known = KnownFindings::read(&String::from_iter(lines)).expect("signatures as reports print them");
        let campaign = Campaign { known, ..campaign_in(out.path(), target, &shared.campaign.proofs) };
        rejected(&shared_by(&campaign), &mut harness, &function, violations, &mut local);
        assert_eq!((local.rejected, local.known.values().sum::<u64>() > 0), (1, true));
    }
}
