//! `tribunal fuzz --target-judges`: the judges on trial.

use super::fuzz::{Arguments, progress_bar};
use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_fuzz::liars::{self, Damages, Liars, Lie};
use tribunal_target::{Features, Target};

#[derive(Serialize)]
struct Report {
    damaged: u64,
    rejected: u64,
    refuted: u64,
    unknown: u64,
    proved: u64,
    untried: u64,
    findings: usize,
    reports: Vec<LieReport>,
    seconds: f64,
    interrupted: bool,
}

/// A judge that accepted what runs otherwise, or panicked.
#[derive(Serialize)]
struct LieReport {
    judge: &'static str,
    target: &'static str,
    stage: &'static str,
    damage: &'static str,
    difference: String,
    file: String,
}

/// Runs the campaign; each lie is written to the folder of crash files.
pub fn run(
    arguments: &Arguments,
    targets: Vec<(&'static Target, Features)>,
    stop: &AtomicBool,
) -> Result<Status, CliError> {
    let started = Instant::now();
    input::check_folder(&arguments.out)?;
    let time = Duration::from_secs(arguments.seconds);
    let liars = Liars { targets, time, seed: arguments.seed, jobs: arguments.jobs.count() };
    let bar = progress_bar(arguments.seconds);
    let (tally, lies) = liars::run(&liars, liars::accepts, stop, |elapsed, tally, lies| {
        bar.set_position(elapsed.as_secs());
        bar.set_message(format!("{} damaged functions, {lies} findings", tally.damaged));
    });
    bar.finish_and_clear();
    let mut reports = Vec::new();
    for (number, lie) in lies.iter().enumerate() {
        let file = arguments.out.join(format!("judge-{}-{number}.mir", lie.stage));
        input::make_folder(&arguments.out)?;
        input::write(&file, lie.pair.as_bytes())?;
        let Lie { judge, target, stage, damage, difference, .. } = lie;
        let file = file.display().to_string();
        say!("{judge} ({target}, after {stage}, {damage}): {difference}\n    pair: {file}");
        reports.push(LieReport { judge, target, stage, damage, difference: difference.clone(), file });
    }
    let Damages { damaged, rejected, refuted, unknown, proved, untried } = tally;
    let (findings, seconds) = (reports.len(), started.elapsed().as_secs_f64());
    say!(
        "damaged functions {damaged}: rejected {rejected}, refuted {refuted}, unknown {unknown}, accepted and running alike {proved}, accepted and not run {untried}; \
         findings {findings} in {seconds:.1} s"
    );
    let interrupted = stop.load(Ordering::Relaxed);
    if arguments.json {
        output::json(&Report {
            damaged,
            rejected,
            refuted,
            unknown,
            proved,
            untried,
            findings,
            reports,
            seconds,
            interrupted,
        });
    }
    Ok(match (findings, damaged) {
        (0, 0) => Status::Unknown,
        (0, _) => Status::Well,
        _ => Status::Fault,
    })
}
