//! The judges on trial with another compiler's stages: each stage of each function is changed at random in one place,
//! and the translation validator is asked. Where it accepts the damaged stage, that and the stage before run on many
//! inputs: a difference is a lie.
//!
//! The damage is that of [`crate::liars`], which has the stages of this project.

use super::batch::{Staged, compiled_stages};
use super::run::{Runner, module_of};
use super::{PeerCampaign, PeerError, PeerMode, drawn, setting};
use crate::campaign::program_seed;
use crate::liars::{Damages, damage};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::collections::BTreeMap;
use std::path::Path;
use tribunal_ir::{Function, Module, text};
use tribunal_trial::guard;
use tribunal_trial::validate::{self, Runs};
use tribunal_verifier::machine_verifier;
use tribunal_verifier::prover::{self, Pair, Verdict};

/// Inputs on which a damaged stage that is accepted runs.
const ACCEPTED: u32 = 10_000;
/// Inputs on which another one runs.
const OTHERS: u32 = 16;

/// A damaged stage that the validator accepts although it runs otherwise, or on which a judge panics.
pub struct StageLie {
    /// The machine.
    pub target: &'static str,
    /// The stage that was damaged.
    pub stage: &'static str,
    /// The kind of damage.
    pub damage: &'static str,
    /// The difference that an execution shows, or the panic.
    pub difference: String,
    /// Both functions as text, `before` and `after`.
    pub pair: String,
}

/// A damaged stage that the validator accepts, and that no input shows to run alike.
pub struct UntriedStage {
    /// The stage that was damaged.
    pub stage: &'static str,
    /// The kind of damage.
    pub damage: &'static str,
    /// Why the inputs say nothing, and how many each reason holds for.
    pub silent: BTreeMap<String, u32>,
    /// Both functions as text, `before` and `after`.
    pub pair: String,
}

/// The outcome: the damaged functions of each stage, and the lies.
#[derive(Default)]
pub struct DamagedReport {
    /// Functions of which stages were damaged.
    pub functions: u64,
    /// By the name of the stage.
    pub stages: BTreeMap<&'static str, Damages>,
    /// Damages that are accepted and run alike, by kind.
    pub accepted: BTreeMap<&'static str, u64>,
    /// The lies.
    pub lies: Vec<StageLie>,
    /// Damaged stages that are accepted, and that no input ran.
    pub untried: Vec<UntriedStage>,
}

/// Damages the stages of as many functions as the campaign says, on one thread. Files of the compiler are in `scratch`.
///
/// # Errors
/// The compiler cannot be started.
pub fn run(
    campaign: &PeerCampaign<'_>,
    scratch: &Path,
    accepts: &dyn Fn(PeerMode, Pair<'_>) -> bool,
) -> Result<DamagedReport, PeerError> {
    super::check_start(campaign.backend, &campaign.targets, scratch)?;
    let runner = Runner::new(campaign.backend, scratch);
    let mut report = DamagedReport::default();
    for number in 0.. {
        if campaign.runs.is_none_or(|runs| number * campaign.batch >= runs) {
            break;
        }
        let (mode, functions) = drawn(campaign, number);
        let mut source = module_of(functions);
        let staged = compiled_stages(&runner, &mut source, mode);
        let mut random = SmallRng::seed_from_u64(program_seed(campaign.seed, number));
        for function in &source.functions {
            report.functions += 1;
            damage_stages(&mut report, function, &staged, mode, accepts, &mut random);
        }
    }
    Ok(report)
}

/// The answer of this project's validator.
pub fn accepts(mode: PeerMode, pair: Pair<'_>) -> bool {
    let setting = setting();
    let verdict = prover::validate(mode.target, pair, setting.undef, setting.time).verdict;
    matches!(verdict, Verdict::Proved { .. })
}

/// Damages each stage of one function once.
fn damage_stages(
    report: &mut DamagedReport,
    source: &Function,
    staged: &[Staged],
    mode: PeerMode,
    accepts: &dyn Fn(PeerMode, Pair<'_>) -> bool,
    random: &mut SmallRng,
) {
    let mut before = source;
    for Staged { name: stage, module } in staged {
        let own = |module: &'_ Module| module.functions.iter().position(|function| function.name == source.name);
        let Some(after) = own(module).map(|index| &module.functions[index]) else { return };
        if after.gave_up().is_some() {
            return;
        }
        let mut damaged = after.clone();
        if let Some(kind) = damage::damage(&mut damaged, mode.target, random) {
            let tally = report.stages.entry(stage).or_default();
            tally.damaged += 1;
            let judged = guard::run(|| judged([before, after, &damaged], mode, accepts));
            match judged.unwrap_or_else(|panic| Fate::Lie(format!("a panic: {panic}"))) {
                Fate::Rejected => tally.rejected += 1,
                Fate::Refuted => tally.refuted += 1,
                Fate::Unknown => tally.unknown += 1,
                Fate::Alike => {
                    tally.proved += 1;
                    *report.accepted.entry(kind).or_default() += 1;
                }
                Fate::Untried(silent) => {
                    tally.untried += 1;
                    let pair = pair(mode, [before, &damaged], &format!("{kind} after {stage}"));
                    report.untried.push(UntriedStage { stage, damage: kind, silent, pair });
                }
                Fate::Lie(difference) => {
                    let pair = pair(mode, [before, &damaged], &format!("{kind} after {stage}: {difference}"));
                    report.lies.push(StageLie { target: mode.target.name, stage, damage: kind, difference, pair });
                }
            }
        }
        before = after;
    }
}

/// The fate of a damaged stage, as [`Damages`] counts it.
enum Fate {
    Rejected,
    Refuted,
    Unknown,
    /// Accepted, and it runs as the stage before.
    Alike,
    /// Accepted, and no input ran, for these reasons.
    Untried(BTreeMap<String, u32>),
    /// Accepted, and an execution shows this difference.
    Lie(String),
}

fn judged(
    [before, undamaged, damaged]: [&Function; 3],
    mode: PeerMode,
    accepts: &dyn Fn(PeerMode, Pair<'_>) -> bool,
) -> Fate {
    if machine_verifier::unfit_for_proof(damaged, mode.target).is_some() {
        return Fate::Rejected;
    }
    let is_accepted = accepts(mode, Pair { before, after: damaged });
    let runs = |after, inputs| validate::runs(before, after, mode.target, (inputs, u64::MAX));
    let Runs { compared, difference, silent, .. } = runs(damaged, if is_accepted { ACCEPTED } else { OTHERS });
    match (is_accepted, difference) {
        (true, Some(difference)) => {
            // The fault is then of the compiler, or of the runs.
            let is_older = runs(undamaged, ACCEPTED).difference.is_some();
            Fate::Lie(difference + if is_older { "; so does the undamaged stage" } else { "" })
        }
        (true, None) if compared == 0 => Fate::Untried(silent),
        (true, None) => Fate::Alike,
        (false, Some(_)) => Fate::Refuted,
        (false, None) => Fate::Unknown,
    }
}

/// Both functions as text, below the name of the machine and a remark.
fn pair(mode: PeerMode, [before, after]: [&Function; 2], remark: &str) -> String {
    let print = |name: &str, function: &Function| {
        let mut named = function.clone();
        named.name = name.to_string();
        text::print_function(&named, mode.target.vocabulary)
    };
    let head = format!("# target: {}\n# {remark}\n", mode.target.name);
    head + &print("before", before) + &print("after", after)
}
