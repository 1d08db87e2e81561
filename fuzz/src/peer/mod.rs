//! Another compiler on trial: generated programs go through its stages, and each stage is judged against the one
//! before.
//!
//! Adjacent stages go to the translation validator, which refutes by an execution alone. The machine verifier looks at
//! every stage, the compiler reads again what it wrote, and crashes and hangs are findings of their own.
//!
//! The compiler's object runs in the emulator. Every function of a batch goes through all stages and to the object.
//!
//! A batch is one file of many functions, so that starting a process counts little. A failing function is confirmed
//! by a run of it alone. Of the stages of a batch the compiler reads one again, and those that this project cannot
//! read.
//!
//! Findings are one if they are of one family: the kind, the stage, and the opcodes of the reduced program or the
//! compiler's message. A function that has all opcodes of a known family, and fails as it does, counts as one of it.

mod again;
mod backend;
mod batch;
mod blame;
pub mod damaged;
mod families;
mod known;
mod objects;
mod rules;
mod run;

pub use backend::{Combiner, Llc, OptLevel, PeerBackend, PeerMode};
pub use blame::PeerBlame;
pub use families::{PeerFault, PeerFinding, Symptom};
pub use known::{KnownFault, KnownFaults};
pub use objects::ObjectTally;
pub use run::{FailureKind, RunFailure};

use crate::campaign::{FeatureMix, generated_unaimed, program_seed};
use families::{Families, ReductionLimits};
use run::{Runner, module_of};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_ir::{Function, Opcode};
use tribunal_target::{Features, Target};
use tribunal_trial::validate::{Kind, Setting};
use tribunal_verifier::prover::{Undef, deep};

/// The settings of a campaign.
pub struct PeerCampaign<'c> {
    /// The compiler.
    pub backend: &'c dyn PeerBackend,
    /// With the features that programs have, unless they draw their own.
    pub targets: Vec<(&'static Target, Features)>,
    /// Whether batches draw their features.
    pub mix: FeatureMix,
    /// No batch is begun after it.
    pub time: Duration,
    /// Functions at most.
    pub runs: Option<u64>,
    /// Decides the programs.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
    /// The time for reducing one program. All reductions together take a quarter of the campaign's time, and what waits
    /// is reduced at its end.
    pub reduction: Duration,
    /// Functions of a batch, at least one: of one file and one process.
    pub batch: u64,
}

/// The distance between the programs of a batch: neighbours have the same goal.
const STRIDE: u64 = 1_000_003;
/// The prover's time for one function at one stage: of what takes longer few functions are proved at all, and each
/// costs as much as many others.
const PROOF: Duration = Duration::from_millis(25);

/// The verdicts on the functions of one stage.
#[derive(Clone, Copy, Default, Debug)]
pub struct StageTally {
    /// Functions that came out of the stage before.
    pub functions: u64,
    /// Proved equal.
    pub proved: u64,
    /// Executed, and different.
    pub refuted: u64,
    /// Left open.
    pub unknown: u64,
    /// Of these the compiler gave up on some.
    pub unsupported: u64,
}

impl StageTally {
    fn count(&mut self, kind: &Kind) {
        self.functions += 1;
        match kind {
            Kind::Proved => self.proved += 1,
            Kind::Refuted(_) => self.refuted += 1,
            Kind::Unknown(_) => self.unknown += 1,
            Kind::Unsupported(_) => self.unsupported += 1,
        }
    }

    fn add(&mut self, other: &StageTally) {
        self.functions += other.functions;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        self.unsupported += other.unsupported;
    }
}

/// A machine, a level and a stage, by name.
pub type StageName = (&'static str, &'static str, &'static str);

/// The outcome of a campaign.
#[derive(Default)]
pub struct PeerReport {
    /// Functions that were compiled; all went through every stage.
    pub functions: u64,
    /// Generated functions that the compiler does not read, by its complaint.
    pub rejected: BTreeMap<String, u64>,
    /// The verdicts, stage by stage.
    pub stages: BTreeMap<StageName, StageTally>,
    /// The runs of objects.
    pub objects: ObjectTally,
    /// The reasons of open verdicts.
    pub open: BTreeMap<String, u64>,
    /// One finding of each family.
    pub findings: Vec<PeerFinding>,
    /// Wall time.
    pub elapsed: Duration,
    /// Of all threads together, the time that reductions took.
    pub reducing: Duration,
}

/// The reason why a campaign cannot run.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The compiler does not start, or there is no place for its files.
    #[error("{0}")]
    Setup(String),
}

/// Shared by the workers.
struct Shared<'s> {
    backend: &'s dyn PeerBackend,
    /// The time for reducing one program.
    reduction: Duration,
    stop: &'s AtomicBool,
    families: Families,
    outcome: Mutex<PeerReport>,
}

impl<'s> Shared<'s> {
    fn new(backend: &'s dyn PeerBackend, reduction: Duration, stop: &'s AtomicBool) -> Shared<'s> {
        Shared { backend, reduction, stop, families: Families::default(), outcome: Mutex::default() }
    }

    fn found(&self, runner: &Runner<'_>, function: &Function, fault: PeerFault) {
        self.families.found(runner, function, fault, self.limits());
    }

    fn limits(&self) -> ReductionLimits<'_> {
        ReductionLimits { time: self.reduction, stop: self.stop }
    }

    fn outcome(&self) -> std::sync::MutexGuard<'_, PeerReport> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs until the time or the functions are used up, or the caller stops it. `progress` is called now and then with the
/// time, the functions and the families so far. Files of the compiler are in folders below `scratch`.
///
/// # Errors
/// The compiler cannot be started.
pub fn run(
    campaign: &PeerCampaign<'_>,
    scratch: &std::path::Path,
    stop: &AtomicBool,
    mut progress: impl FnMut(Duration, u64, usize),
) -> Result<PeerReport, PeerError> {
    let folders: Vec<PathBuf> = (0..campaign.jobs).map(|job| scratch.join(job.to_string())).collect();
    for folder in &folders {
        std::fs::create_dir_all(folder).map_err(|error| PeerError::Setup(format!("{}: {error}", folder.display())))?;
    }
    check_start(campaign.backend, &campaign.targets, &folders[0])?;
    let shared = Shared::new(campaign.backend, campaign.reduction, stop);
    let (started, next) = (Instant::now(), AtomicU64::new(0));
    let is_over = || stop.load(Ordering::Relaxed) || started.elapsed() >= campaign.time;
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !is_over());
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            folders.iter().map(|folder| scope.spawn(|| deep(|| worker(&shared, campaign, &take, folder)))).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            progress(started.elapsed(), shared.outcome().functions, shared.families.count());
        }
    });
    let mut report = std::mem::take(&mut *shared.outcome());
    (report.elapsed, report.reducing) = (started.elapsed(), shared.families.spent());
    let runners: Vec<_> = folders.iter().map(|folder| Runner::new(campaign.backend, folder)).collect();
    shared.families.reduce_waiting(&runners, shared.limits());
    report.findings = shared.families.into_findings();
    Ok(report)
}

/// An empty module compiles: else nothing that follows means anything.
fn check_start(
    backend: &dyn PeerBackend,
    targets: &[(&'static Target, Features)],
    folder: &std::path::Path,
) -> Result<(), PeerError> {
    let runner = Runner::new(backend, folder);
    for &(target, features) in targets {
        let mode = PeerMode { target, features, level: OptLevel::O0 };
        let read = runner.reads(&module_of(Vec::new()), mode);
        read.map_err(|failure| PeerError::Setup(format!("the backend does not start: {}", failure.complaint)))?;
    }
    Ok(())
}

fn worker(shared: &Shared<'_>, campaign: &PeerCampaign<'_>, take: &dyn Fn() -> Option<u64>, folder: &std::path::Path) {
    // A verdict takes the threads of the pool that it is asked in.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    let runner = Runner::new(shared.backend, folder);
    while let Some(number) = take().filter(|number| campaign.runs.is_none_or(|runs| number * campaign.batch < runs)) {
        let (mode, functions) = drawn(campaign, number);
        let drawn = Some(program_seed(!campaign.seed, number));
        pool.install(|| batch::through_stages(shared, &runner, mode, functions, drawn));
    }
}

/// Judges one function at every stage, without reducing it. Files of the compiler are in the folder `scratch`.
///
/// # Errors
/// The compiler cannot be started.
pub fn examine(
    backend: &dyn PeerBackend,
    mode: PeerMode,
    function: &Function,
    scratch: &std::path::Path,
) -> Result<PeerReport, PeerError> {
    check_start(backend, &[(mode.target, mode.features)], scratch)?;
    let stop = AtomicBool::new(false);
    let shared = Shared::new(backend, Duration::ZERO, &stop);
    let runner = Runner::new(backend, scratch);
    batch::through_stages(&shared, &runner, mode, vec![function.clone()], None);
    shared.families.reduce_waiting(&[runner], shared.limits());
    let mut report = std::mem::take(&mut *shared.outcome());
    report.findings = shared.families.into_findings();
    Ok(report)
}

/// The functions of a batch, and the mode in which they compile.
fn drawn(campaign: &PeerCampaign<'_>, number: u64) -> (PeerMode, Vec<Function>) {
    let count = campaign.targets.len() as u64;
    let (target, given) = campaign.targets[(number % count) as usize];
    let level = OptLevel::ALL[(number / count % 2) as usize];
    // Both levels see the same features.
    let place = number / count / OptLevel::ALL.len() as u64;
    let features = campaign.mix.draw(target, given, program_seed(campaign.seed, number), place).features;
    let left = campaign.runs.map_or(campaign.batch, |runs| (runs - number * campaign.batch).min(campaign.batch));
    let function = |place| {
        let seed = program_seed(campaign.seed, number + place * STRIDE);
        let mut function = generated_unaimed(seed, target, features).filter(is_whole)?;
        function.name = format!("f{place}");
        // The name of an object is that of an instruction of the IR, which is not there.
        function.stack.values_mut().for_each(|object| object.name.clear());
        Some(function)
    };
    (PeerMode { target, features, level }, (0..left).filter_map(function).collect())
}

/// Whether MIR holds all of the function. LLVM keeps the place of variable arguments elsewhere.
fn is_whole(function: &Function) -> bool {
    let mut insts = function.all_insts().map(|inst| function.inst(inst).opcode);
    function.ir.is_none() && insts.all(|opcode| opcode != Opcode::G_VASTART)
}

/// The terms of the validator: LLVM's undefined values, and little time.
fn setting() -> Setting {
    Setting { undef: Undef::PerUse, time: PROOF }
}

/// A reason without the words that name blocks, registers and values, so that equal ones are counted together.
fn summary(reason: &str) -> String {
    let named = |word: &str| word.contains(|c: char| c.is_ascii_digit()) || word.starts_with(['%', '$']);
    let words = reason.split_whitespace().filter(|word| !named(word));
    words.take(12).collect::<Vec<_>>().join(" ")
}
