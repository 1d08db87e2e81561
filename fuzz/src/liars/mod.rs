//! Liars: judges on trial. Generated programs are compiled up to some stage, the stage is damaged at random, and its
//! judge is asked. Where the judge accepts the damaged function, both are run on many inputs: a difference is a lie.
//!
//! The translation validator judges every stage up to the allocator's input, the allocation checker its output. The
//! machine verifier sorts out what is no program: it accepts and proves nothing alone.
//!
//! A judge is an argument, so that a test brings one that accepts everything and sees its lies.

pub mod damage;

use crate::campaign;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Context, NoObserver, Options, allocate, bank_select, legalize, select, split_edges};
use tribunal_ir::{Function, text};
use tribunal_target::{Features, Target};
use tribunal_trial::blame::Witness;
use tribunal_trial::validate::Runs;
use tribunal_trial::{guard, inputs, validate};
use tribunal_verifier::prover::{self, Pair, Undef, Verdict};
use tribunal_verifier::{allocation, machine_verifier};

/// A campaign against the judges.
pub struct Liars {
    /// The machines, with their features.
    pub targets: Vec<(&'static Target, Features)>,
    /// Its length.
    pub time: Duration,
    /// Seed of the first program.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

/// What became of damaged functions.
#[derive(Clone, Copy, Default, Debug)]
pub struct Damages {
    /// Damaged functions.
    pub damaged: u64,
    /// Of those, rejected by the machine verifier before any proof.
    pub rejected: u64,
    /// Not accepted, and an execution shows why.
    pub refuted: u64,
    /// Not accepted, and no execution shows a difference.
    pub unknown: u64,
    /// Accepted, and they run as before on one input at least.
    pub proved: u64,
    /// Accepted, and no input shows whether they run as before.
    pub untried: u64,
}

/// A damaged function that a judge accepted although it runs otherwise, or that ended a judge by a panic.
#[derive(Clone, Debug)]
pub struct Lie {
    /// The judge.
    pub judge: &'static str,
    /// The machine.
    pub target: &'static str,
    /// The pass after which the function was damaged.
    pub stage: &'static str,
    /// The kind of damage.
    pub damage: &'static str,
    /// The difference that an execution shows, or the judge's panic.
    pub difference: String,
    /// Both functions as text, `before` and `after`.
    pub pair: String,
}

/// The passes whose output is damaged, in the pipeline's order.
pub const STAGES: [&Pass; 5] =
    [&legalize::PASS, &bank_select::PASS, &select::PASS, &split_edges::PASS, &allocate::PASS];
/// Damages of each stage of a program.
const DAMAGES_A_STAGE: usize = 4;
/// Inputs on which a function that is accepted runs, and one that is not.
const MANY: u32 = 128;
const FEW: u32 = 16;
/// For one proof, of its thread.
const TIME: Duration = Duration::from_secs(1);

/// The stage after a pass, and its input: whether the second is the first as that pass may leave it.
pub struct StageQuestion<'q> {
    /// The machine.
    pub target: &'static Target,
    /// The pass.
    pub stage: &'static Pass,
    /// The input of the pass.
    pub before: &'q Function,
    /// Its output, or something else.
    pub after: &'q Function,
}

impl StageQuestion<'_> {
    /// True for the output of the allocator.
    fn is_allocation(&self) -> bool {
        self.stage.name == allocate::PASS.name
    }

    /// The name of the judge that answers.
    fn judge(&self) -> &'static str {
        if self.is_allocation() { "allocation checker" } else { "validate" }
    }
}

/// The answers of this project's judges.
pub fn accepts(question: &StageQuestion<'_>) -> bool {
    let StageQuestion { target, before, after, .. } = *question;
    if question.is_allocation() {
        return allocation::check(before, after, target, target.default_features).is_empty();
    }
    let verdict = prover::validate(target, Pair { before, after }, Undef::OneValue, TIME).verdict;
    matches!(verdict, Verdict::Proved { .. })
}

/// Runs until the time is up or `stop` is set, with the answers of `accepts`; `progress` is told the tally from time to
/// time.
pub fn run(
    liars: &Liars,
    accepts: impl Fn(&StageQuestion<'_>) -> bool + Sync,
    stop: &AtomicBool,
    progress: impl Fn(Duration, Damages, usize) + Sync,
) -> (Damages, Vec<Lie>) {
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let shared = Mutex::new((Damages::default(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..liars.jobs.max(1) {
            scope.spawn(|| {
                while started.elapsed() < liars.time && !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let (tally, lies) = program(liars, &accepts, number, || started.elapsed() > liars.time);
                    let Ok(mut shared) = shared.lock() else { return };
                    shared.0.add(tally);
                    shared.1.extend(lies);
                    progress(started.elapsed(), shared.0, shared.1.len());
                }
            });
        }
    });
    shared.into_inner().unwrap_or_default()
}

impl Damages {
    fn add(&mut self, other: Damages) {
        self.damaged += other.damaged;
        self.rejected += other.rejected;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        self.proved += other.proved;
        self.untried += other.untried;
    }
}

/// One program, damaged at every stage.
fn program(
    liars: &Liars,
    accepts: &impl Fn(&StageQuestion<'_>) -> bool,
    number: u64,
    is_over: impl Fn() -> bool,
) -> (Damages, Vec<Lie>) {
    let (target, features) = liars.targets[number as usize % liars.targets.len()];
    let seed = campaign::program_seed(liars.seed, number);
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut tally, mut lies) = (Damages::default(), Vec::new());
    let Some(source) = campaign::generated(seed, target) else { return (tally, lies) };
    let mut before = source.clone();
    for stage in STAGES {
        let Some(after) = passed(&before, target, features, stage) else { break };
        for _ in 0..DAMAGES_A_STAGE {
            if is_over() {
                return (tally, lies);
            }
            let mut damaged = after.clone();
            let Some(damage) = damage::damage(&mut damaged, target, &mut random) else { continue };
            let question = StageQuestion { target, stage, before: &before, after: &damaged };
            let case = Case { source: &source, undamaged: &after, question, seed };
            tally.damaged += 1;
            let found = guard::run(|| case.judged(accepts, &mut tally));
            let difference = found.unwrap_or_else(|panic| Some(format!("a panic: {panic}")));
            lies.extend(difference.map(|difference| case.lie(damage, difference)));
        }
        before = after;
    }
    (tally, lies)
}

fn passed(function: &Function, target: &'static Target, features: Features, pass: &Pass) -> Option<Function> {
    let options = Options::new(features);
    let legalizer = (target.legality)(features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let mut function = function.clone();
    pipeline::run_until(&mut function, &mut context, Some(pass.name)).ok()?;
    Some(function)
}

/// One damaged function.
struct Case<'c> {
    source: &'c Function,
    undamaged: &'c Function,
    question: StageQuestion<'c>,
    seed: u64,
}

impl Case<'_> {
    /// The difference that an execution shows of what the judge accepts.
    fn judged(&self, accepts: &impl Fn(&StageQuestion<'_>) -> bool, tally: &mut Damages) -> Option<String> {
        let StageQuestion { target, after, .. } = self.question;
        if !self.question.is_allocation() && machine_verifier::unfit_for_proof(after, target).is_some() {
            tally.rejected += 1;
            return None;
        }
        let is_accepted = accepts(&self.question);
        let Runs { compared, difference, .. } = self.runs(after, if is_accepted { MANY } else { FEW });
        match (is_accepted, difference) {
            (true, Some(difference)) => {
                // The fault is then of the pass, or of the runs.
                let is_older = self.runs(self.undamaged, MANY).difference.is_some();
                return Some(difference + if is_older { "; so does the undamaged stage" } else { "" });
            }
            (true, None) if compared == 0 => tally.untried += 1,
            (true, None) => tally.proved += 1,
            (false, Some(_)) => tally.refuted += 1,
            (false, None) => tally.unknown += 1,
        }
        None
    }

    /// The runs of both stages, or of the program and its allocation.
    fn runs(&self, after: &Function, count: u32) -> Runs {
        let StageQuestion { target, before, .. } = self.question;
        if !self.question.is_allocation() {
            return validate::runs(before, after, target, (count, u64::MAX));
        }
        let inputs = inputs::inputs(self.source, target, inputs::Plan { count, seed: self.seed });
        let mut runs = Runs::default();
        for witness in inputs.iter().filter_map(|input| Witness::new(self.source, target, input)) {
            runs.compared += 1;
            if !witness.is_right(after, allocate::PASS.name) {
                runs.difference = Some("the allocated function differs from the program".to_string());
                break;
            }
        }
        runs
    }

    fn lie(&self, damage: &'static str, difference: String) -> Lie {
        let StageQuestion { target, stage, before, after } = self.question;
        let (judge, stage) = (self.question.judge(), stage.name);
        let print = |name: &str, function: &Function| {
            let mut function = function.clone();
            function.name = name.to_string();
            text::print_function(&function, target.vocabulary)
        };
        let head = format!("# target: {}\n# {judge} on {damage} after {stage}: {difference}\n", target.name);
        let pair = head + &print("before", before) + &print("after", after);
        Lie { judge, target: target.name, stage, damage, difference, pair }
    }
}
