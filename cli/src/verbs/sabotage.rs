//! `tribunal sabotage`: the judges, measured by the known miscompiles that they kill.

use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_codegen::Options;
use tribunal_fuzz::generator;
use tribunal_fuzz::sabotage::{self, Fault, Kill, Trial, TrialLimits};
use tribunal_target::Target;
use tribunal_trial::harness::ProofCache;
use tribunal_trial::{Finding, crash};

/// Plant known miscompiles, and measure which judge kills each.
///
/// One fault at a time is planted: on what a rule wrote, on what a pass left, or on the bytes. Generated programs go
/// before every judge until one finds it.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal sabotage --list",
    "tribunal sabotage --fault carry-turned-over --target aarch64",
]))]
pub struct Arguments {
    /// Only this fault; `--list` names them.
    #[arg(long, value_name = "NAME")]
    fault: Option<String>,
    /// Only on this target.
    #[arg(long, value_parser = input::target_names())]
    target: Option<String>,
    /// List the faults, and plant none.
    #[arg(long, conflicts_with = "json")]
    list: bool,
    /// Limit of the judges on each fault, in seconds; later it counts as alive.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Limit of the reducer on each fault, in seconds.
    #[arg(long, value_name = "N", default_value_t = 20)]
    reduce_seconds: u64,
    /// Write two crash files for each fault: the program that shows it (`NAME.TARGET.mir`), and that program reduced
    /// (`NAME.TARGET.small.mir`). Both name the fault, and `replay` and `reduce` plant it again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the first program.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Inputs on which each program runs.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = input::input_counts(1))]
    inputs: u32,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

/// Instructions of a small reproducer.
const SMALL: usize = 5;

#[derive(Serialize)]
struct Report {
    faults: usize,
    /// A fault planted on one target is one trial.
    trials: usize,
    killed: usize,
    /// By the first judge that found something, in the pipeline's order.
    by_judge: BTreeMap<String, usize>,
    blamed: usize,
    executed: usize,
    median_seconds: f64,
    longest_seconds: f64,
    /// Small programs of at most five instructions besides copies of arguments and results and the return; and with
    /// them.
    small: usize,
    small_in_all: usize,
    seconds_to_kill: Vec<Row>,
    interrupted: bool,
}

#[derive(Serialize)]
struct Row {
    fault: &'static str,
    model: &'static str,
    layer: &'static str,
    target: &'static str,
    judge: Option<String>,
    guilty: Option<String>,
    seconds: f64,
    programs: u64,
    acted: u64,
    blamed: bool,
    executed: bool,
    /// Instructions of the small program, copies of arguments and results and the return included; seconds it took.
    instructions: Option<usize>,
    body: Option<usize>,
    reduce_seconds: f64,
    /// Those of a kill whose blame is wrong.
    #[serde(flatten)]
    blamed_wrongly: Findings,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let pairs = chosen(arguments)?;
    if arguments.list {
        pairs.iter().for_each(|(fault, target)| {
            say!("{:<8} {:<8} {:<45} {}", target.name, fault.layer(), fault.name, fault.model);
        });
        return Ok(Status::Well);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the process at once; the trials still work.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    let limits = TrialLimits {
        time: Duration::from_secs(arguments.seconds),
        reduction: Duration::from_secs(arguments.reduce_seconds),
        enough: SMALL,
        seed: arguments.seed,
        inputs: arguments.inputs,
    };
    if let Some(folder) = &arguments.out {
        input::make_folder(folder)?;
    }
    let (proofs, bar) = (ProofCache::default(), ProgressBar::new(pairs.len() as u64));
    let mut rows = Vec::new();
    for (fault, target) in pairs {
        let trial = sabotage::trial(fault, target, limits, &proofs, &stop)?;
        let interrupted = stop.load(Ordering::Relaxed) && trial.kill.is_none();
        if interrupted {
            break;
        }
        bar.suspend(|| print(&trial));
        bar.inc(1);
        if let (Some(folder), Some(kill)) = (&arguments.out, &trial.kill) {
            write(folder, &trial, kill)?;
        }
        rows.push(row(&trial));
    }
    bar.finish_and_clear();
    let report = report(rows, stop.load(Ordering::Relaxed));
    say!(
        "{} faults in {} trials, killed {}, blame right in {}, shown by execution {}; at most {SMALL} instructions left in {} ({} with the \
         copies of arguments and results and the return); seconds to kill: median {:.2}, longest {:.2}",
        report.faults,
        report.trials,
        report.killed,
        report.blamed,
        report.executed,
        report.small,
        report.small_in_all,
        report.median_seconds,
        report.longest_seconds
    );
    let status = match (report.killed == report.trials, report.interrupted, report.trials) {
        (false, ..) => Status::Fault,
        (true, false, 1..) => Status::Well,
        _ => Status::Unknown,
    };
    if arguments.json {
        output::json(&report);
    }
    Ok(status)
}

/// Faults with the targets on which they are planted.
fn chosen(arguments: &Arguments) -> Result<Vec<(&'static Fault, &'static Target)>, CliError> {
    let targets = match &arguments.target {
        Some(name) => vec![input::target_named(name)?],
        None => tribunal_target::ALL.to_vec(),
    };
    let faults = match &arguments.fault {
        Some(name) => vec![input::fault(name, targets.iter().copied())?],
        None => sabotage::faults().collect(),
    };
    let pairs = faults.into_iter().flat_map(|fault| targets.iter().map(move |&target| (fault, target)));
    Ok(pairs.filter(|(fault, target)| fault.targets.contains(&target.name)).collect())
}

fn row(trial: &Trial) -> Row {
    let kill = trial.kill.as_ref();
    Row {
        fault: trial.fault.name,
        model: trial.fault.model,
        layer: trial.fault.layer(),
        target: trial.target.name,
        judge: kill.map(|kill| kill.judge().to_string()),
        guilty: kill.map(|kill| kill.findings[0].guilty.clone()),
        seconds: trial.seconds,
        programs: trial.programs,
        acted: trial.acted,
        blamed: kill.is_some_and(|kill| kill.is_blamed),
        executed: kill.is_some_and(|kill| kill.executed.is_some()),
        instructions: kill.and_then(Kill::instructions),
        body: kill.and_then(Kill::body),
        reduce_seconds: kill.map_or(0.0, |kill| kill.reduce_seconds),
        blamed_wrongly: kill.map_or(Vec::new(), blamed_wrongly).as_slice().into(),
    }
}

fn write(folder: &Path, trial: &Trial, kill: &Kill) -> Result<(), CliError> {
    let options = Options::new(trial.fault.features(trial.target));
    let small = kill.reduced.as_ref().map(|reduced| ("small.mir", &reduced.function, &reduced.finding));
    for (ending, function, finding) in [("mir", &kill.function, &kill.findings[0])].into_iter().chain(small) {
        let text = crash::print_sabotaged(
            trial.target,
            options,
            generator::block_of(function),
            &[function],
            finding,
            Some(trial.fault.name),
        );
        input::write(&folder.join(format!("{}.{}.{ending}", trial.fault.name, trial.target.name)), text.as_bytes())?;
    }
    Ok(())
}

fn print(trial: &Trial) {
    let place = format!("{} {} ({}, {})", trial.target.name, trial.fault.name, trial.fault.layer(), trial.fault.model);
    let count = format!("{} programs, acted in {}, {:.2} s", trial.programs, trial.acted, trial.seconds);
    let Some(kill) = &trial.kill else { return say!("ALIVE {place}: {count}") };
    let first = &kill.findings[0];
    let blame = if kill.is_blamed { "" } else { " (WRONG)" };
    let small = match kill.instructions() {
        Some(instructions) => format!("{instructions} instructions left in {:.2} s", kill.reduce_seconds),
        None => "not reduced".to_string(),
    };
    say!("killed {place} by {}: {}; guilty: {}{blame}; {count}; {small}", first.judge, first.kind, first.guilty);
    findings::texts(&blamed_wrongly(kill)).for_each(|finding| say!("    {}", finding.replace('\n', "\n    ")));
}

/// The findings of a kill that name a rule or a pass in which the fault did not act.
fn blamed_wrongly(kill: &Kill) -> Vec<Finding> {
    match kill.is_blamed {
        true => Vec::new(),
        false => kill.findings.iter().chain(&kill.executed).cloned().collect(),
    }
}

fn report(rows: Vec<Row>, interrupted: bool) -> Report {
    let mut names: Vec<&str> = rows.iter().map(|row| row.fault).collect();
    names.dedup();
    let mut seconds: Vec<f64> = rows.iter().filter(|row| row.judge.is_some()).map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let mut by_judge = BTreeMap::new();
    for judge in rows.iter().filter_map(|row| row.judge.clone()) {
        *by_judge.entry(judge).or_default() += 1;
    }
    Report {
        faults: names.len(),
        trials: rows.len(),
        killed: seconds.len(),
        by_judge,
        blamed: rows.iter().filter(|row| row.blamed).count(),
        executed: rows.iter().filter(|row| row.executed).count(),
        median_seconds: seconds.get(seconds.len() / 2).copied().unwrap_or(0.0),
        small: rows.iter().filter(|row| row.body.is_some_and(|count| count <= SMALL)).count(),
        small_in_all: rows.iter().filter(|row| row.instructions.is_some_and(|count| count <= SMALL)).count(),
        longest_seconds: seconds.last().copied().unwrap_or(0.0),
        seconds_to_kill: rows,
        interrupted,
    }
}
