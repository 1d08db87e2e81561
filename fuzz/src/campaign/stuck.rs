//! Programs that do not end: a compiler that loops, or a judge. Nothing stops a thread, so such a program ends the
//! campaign, and is a finding itself.

use super::carried::CarriedProgram;
use super::{Campaign, CampaignReport, Shared, lock, program_seed, write};
use crate::generator;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tribunal_codegen::Options;
use tribunal_ir::Function;
use tribunal_target::Target;
use tribunal_trial::crash;
use tribunal_trial::finding::Finding;

/// A program of a campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CampaignProgram {
    /// The one of this number.
    Drawn(u64),
    /// A program of `corpus`, by the words of the ledger.
    Fixed(String),
    /// One that another rule set has drawn.
    Carried(CarriedProgram),
}

/// The program that a worker is at, and when it came to it.
#[derive(Default)]
pub(super) struct WorkerPlace(Mutex<Option<(CampaignProgram, Instant)>>);

impl WorkerPlace {
    /// Runs `work`, which is about this program.
    pub fn at<T>(&self, program: CampaignProgram, work: impl FnOnce() -> T) -> T {
        *lock(&self.0) = Some((program, Instant::now()));
        let result = work();
        *lock(&self.0) = None;
        result
    }

    /// The program, if the worker has been at it for longer.
    pub fn stuck(&self, patience: Duration) -> Option<CampaignProgram> {
        lock(&self.0).clone().filter(|(_, since)| since.elapsed() > patience).map(|(program, _)| program)
    }
}

/// What the campaign found so far, and this program, at which a worker is stuck.
pub(super) fn report(shared: &Shared<'_>, program: CampaignProgram) -> CampaignReport {
    let campaign = shared.campaign;
    let seconds = campaign.patience.as_secs();
    let (name, made) = match program {
        CampaignProgram::Fixed(name) => (name, None),
        CampaignProgram::Carried(program) => {
            let made = program.made(shared);
            (program.name(shared), made.map(|(target, options, function)| (target, (options, vec![function]))))
        }
        CampaignProgram::Drawn(number) => {
            let (target, given) = campaign.targets[(number % campaign.targets.len() as u64) as usize];
            let seed = program_seed(campaign.seed, number);
            let is_generated = campaign.corpus.is_none();
            let made = is_generated.then(|| campaign.generated_program(target, given, seed)).flatten();
            (format!("{} program {number}", target.name), made.map(|made| (target, made)))
        }
    };
    let finding = Finding::stuck(format!("{name} has not ended after {seconds} s"));
    let path = crash::path(&campaign.out, &finding);
    let path = match made.map(|(target, made)| written(campaign, &finding, &path, target, &made)) {
        Some(Ok(())) => path,
        Some(Err(error)) => PathBuf::from(format!("(not written: {}: {error})", path.display())),
        None => PathBuf::from(format!("({name}, of the corpus)")),
    };
    let mut outcome = std::mem::take(&mut *lock(&shared.outcome));
    outcome.elapsed = shared.started.elapsed();
    outcome.reached.resize(shared.rule_sets.len(), Default::default());
    outcome.tally.findings.push(finding.clone());
    outcome.crashes.push((finding, path));
    outcome
}

/// Writes the functions of a program as they were generated.
fn written(
    campaign: &Campaign,
    finding: &Finding,
    path: &Path,
    target: &Target,
    (options, functions): &(Options, Vec<Function>),
) -> std::io::Result<()> {
    let ir = functions.first().and_then(generator::block_of);
    let all: Vec<&Function> = functions.iter().collect();
    let fault = campaign.fault.map(|fault| fault.name);
    write(path, &crash::print_sabotaged(target, *options, ir, &all, finding, fault))
}
