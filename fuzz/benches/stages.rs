//! Profiles the loop of `tribunal fuzz`: the share of each judge in the time of a program.
//!
//! The loop begins with an empty proof cache, and a step that misses it costs far more than one that hits. So it is
//! shown in [`PHASES`], from its start to where new steps are rare. The last phase shows its second day: other
//! programs, and the proofs of the phases before, through a file.
//!
//! In each phase the campaign itself runs, on one thread. Then its programs are judged again, by one judge at a time,
//! when every step is known: the time beyond compiling is the judge's. The campaign's time beyond all of these is that
//! of new proofs. It proves nothing of the few programs of operations at any types, so these are not judged again.
//!
//! Wall time of an optimised build; the process's processor time stands beside it, because other work on the machine
//! adds to the one and not to the other. A measurement, not a test.
//! `cargo bench -p tribunal-fuzz --bench stages -- 1000 3000` gives the phases other sizes. With
//! `--json` the last line is one object: its `phases`, and for each of its `stages` the microseconds a program in every
//! phase.

use cpu_time::ProcessTime;
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tribunal_codegen::{NoObserver, Options};
use tribunal_fuzz::campaign::{self, Campaign, FeatureMix};
use tribunal_ir::Function;
use tribunal_target::{Features, Target};
use tribunal_trial::JudgeSet;
use tribunal_trial::finding::{Judge, Tally};
use tribunal_trial::harness::{Harness, ProofCache};
use tribunal_trial::inputs::Plan;

/// As in `tribunal`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs of each phase.
const PHASES: [u64; 3] = [10_000, 30_000, 60_000];
const INPUTS: u32 = 36;

/// The targets, with the features that programs have unless they draw their own.
fn targets() -> Vec<(&'static Target, Features)> {
    tribunal_target::ALL.iter().map(|&target| (target, target.default_features)).collect()
}

/// Time by stage, in the order in which stages first came.
#[derive(Default)]
struct Stages(Vec<(String, Duration)>);

impl Stages {
    fn add(&mut self, stage: &str, time: Duration) {
        match self.0.iter_mut().find(|(known, _)| known == stage) {
            Some((_, sum)) => *sum += time,
            None => self.0.push((stage.to_string(), time)),
        }
    }
}

/// The results of one phase.
struct Phase {
    tally: Tally,
    /// Wall time and processor time of the campaign.
    elapsed: Duration,
    processor: Duration,
    /// Proofs in memory at its end.
    proofs: usize,
    stages: Stages,
}

/// Runs the campaign of this seed, then its judges one by one.
fn phase(proofs: &ProofCache, seed: u64, runs: u64) -> Result<Phase, Box<dyn Error>> {
    let campaign = Campaign {
        mix: FeatureMix::Drawn,
        runs: Some(runs),
        seed,
        inputs: INPUTS,
        proofs: proofs.clone(),
        ..Campaign::new(targets(), PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stages"))
    };
    let started = ProcessTime::now();
    let report = campaign::run(&campaign, &AtomicBool::new(false), |_, _, _| {}, |_| {})?;
    let (processor, elapsed) = (started.elapsed(), report.elapsed);
    let mut stages = Stages::default();
    split(&campaign, runs, &mut stages)?;
    let known: Duration = stages.0.iter().map(|(_, time)| *time).sum();
    stages.add("new proofs", elapsed.saturating_sub(known));
    Ok(Phase { tally: report.tally, elapsed, processor, proofs: proofs.len(), stages })
}

/// The time of each judge of the campaign's programs.
fn split(campaign: &Campaign, runs: u64, stages: &mut Stages) -> Result<(), Box<dyn Error>> {
    let harnesses = campaign.targets.iter().map(|&(target, features)| {
        let harness = Harness::with_cache(target, Options::new(features), campaign.proofs.clone())?;
        Ok((harness, features))
    });
    let mut harnesses = harnesses.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    for number in 0..runs {
        let index = (number % harnesses.len() as u64) as usize;
        let (harness, given) = &mut harnesses[index];
        program(campaign, harness, *given, number, stages)?;
    }
    Ok(())
}

/// One program, by one judge after another.
fn program(
    campaign: &Campaign,
    harness: &mut Harness,
    given: Features,
    number: u64,
    stages: &mut Stages,
) -> Result<(), Box<dyn Error>> {
    let (target, seed) = (harness.target(), campaign::program_seed(campaign.seed, number));
    if campaign::is_of_any_types(seed) {
        return Ok(());
    }
    let begun = Instant::now();
    let (options, functions) = campaign.generated_program(target, given, seed).ok_or("a program that is none")?;
    stages.add("generate", begun.elapsed());
    harness.set_options(options);
    let whole = Plan { count: INPUTS, seed };
    let plan = if functions.len() > 1 { campaign::plan_of_module(whole) } else { whole };
    let mut timed = |functions: &[Function], judges: JudgeSet| {
        let begun = Instant::now();
        for function in functions {
            // A rejected one takes time too.
            let _ = harness.trial_if_accepted(function, plan, judges, &mut NoObserver);
        }
        begun.elapsed()
    };
    let compiled = timed(&functions, JudgeSet::default());
    stages.add("compile", compiled);
    let judges = campaign::judges(number);
    for judge in Judge::ALL.into_iter().filter(|&judge| judge != Judge::Compiler && judges.contains(judge)) {
        let others = Judge::ALL.into_iter().filter(|&other| other != judge);
        let time = timed(&functions, others.fold(judges, JudgeSet::without));
        stages.add(judge.name(), time.saturating_sub(compiled));
    }
    if functions.len() > 1 {
        let (all, begun): (Vec<&Function>, _) = (functions.iter().collect(), Instant::now());
        harness.trial_together(&all, plan, &mut NoObserver);
        stages.add("functions together", begun.elapsed());
    }
    Ok(())
}

impl Phase {
    /// Microseconds a program.
    fn each(&self, time: Duration) -> f64 {
        1e6 * time.as_secs_f64() / self.tally.functions as f64
    }

    /// The rate of `count` a second.
    fn rate(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64()
    }

    fn object(&self, name: &str) -> Value {
        let Tally { functions, executions, proved, looked_up, .. } = self.tally;
        json!({
            "phase": name,
            "programs": functions,
            "programs_a_second": self.rate(functions),
            "executions_a_second": self.rate(executions),
            "steps_a_program": proved as f64 / functions as f64,
            "new_steps": (proved - looked_up) as f64 / proved as f64,
            "proofs": self.proofs,
            "processor_us_a_program": self.each(self.processor),
            "faults": self.tally.findings.len(),
        })
    }
}

/// All phases as one object.
fn object(phases: &[(String, Phase)]) -> Value {
    let stages = phases.first().map_or(&[][..], |(_, first)| &first.stages.0);
    let row = |(stage, _): &(String, Duration)| {
        let time = |phase: &Phase| phase.stages.0.iter().find(|(name, _)| name == stage).map(|&(_, time)| time);
        let of = |(_, phase): &(String, Phase)| phase.each(time(phase).unwrap_or_default());
        json!({"stage": stage, "us_a_program": phases.iter().map(of).collect::<Vec<_>>()})
    };
    json!({
        "phases": phases.iter().map(|(name, phase)| phase.object(name)).collect::<Vec<_>>(),
        "stages": stages.iter().map(row).collect::<Vec<_>>(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { PHASES.to_vec() } else { asked };
    let proofs = ProofCache::default();
    let mut phases = Vec::new();
    for (seed, &runs) in (1..).zip(&sizes) {
        phases.push((format!("phase {seed}"), phase(&proofs, seed, runs)?));
    }
    let kept = ProofCache::default();
    kept.add_bytes(&proofs.to_bytes("stages"), "stages").ok_or("proofs that cannot be read back")?;
    let runs = sizes.last().copied().unwrap_or(0);
    phases.push(("proofs kept".to_string(), phase(&kept, sizes.len() as u64 + 1, runs)?));
    for (name, phase) in &phases {
        println!("{name}: {}", phase.object(name));
        for (stage, time) in &phase.stages.0 {
            println!("  {stage:<18} {:>9.1} us a program", phase.each(*time));
        }
    }
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", object(&phases));
    }
    Ok(())
}
