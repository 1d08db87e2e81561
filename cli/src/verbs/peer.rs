//! `tribunal fuzz --backend COMMAND`: another compiler on trial.

use super::fuzz::{Arguments, progress_bar};
use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_fuzz::peer::{self, Llc, ObjectTally, PeerCampaign, PeerFinding, PeerReport, StageTally};
use tribunal_target::{Features, Target};

/// The time for reducing one program.
const REDUCTION: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Report {
    backend: String,
    functions: u64,
    /// Generated functions that the compiler does not read, by its complaint.
    rejected: BTreeMap<String, u64>,
    stages: Vec<StageReport>,
    objects: ObjectReport,
    /// The reasons of open verdicts.
    open: BTreeMap<String, u64>,
    findings: u64,
    families: Vec<FamilyReport>,
    seconds: f64,
    functions_a_second: f64,
    interrupted: bool,
}

#[derive(Serialize)]
struct StageReport {
    target: &'static str,
    level: &'static str,
    stage: &'static str,
    functions: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    unsupported: u64,
}

/// The runs of objects.
#[derive(Serialize)]
struct ObjectReport {
    /// Functions that ran on at least one conclusive input.
    functions: u64,
    executions: u64,
    inconclusive: u64,
    wrong: u64,
    /// Functions that did not run, by reason.
    not_run: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct FamilyReport {
    family: String,
    target: &'static str,
    level: &'static str,
    stage: &'static str,
    kind: &'static str,
    details: String,
    /// The combine rule, the opcode with its types and the legalizer's action, or the selected instruction.
    guilty: Option<String>,
    /// The argument of the compiler with which the finding goes.
    gone_with: Option<String>,
    /// Functions that showed it.
    seen: u64,
    /// Instructions of the reduced program.
    instructions: usize,
    file: String,
}

/// Runs the campaign; one program of each family is written to the folder of crash files.
pub fn run(
    arguments: &Arguments,
    command: &str,
    targets: Vec<(&'static Target, Features)>,
    stop: &AtomicBool,
) -> Result<Status, CliError> {
    let backend = Llc::new(command).ok_or_else(|| CliError::Usage("--backend: no program is named".to_string()))?;
    input::check_folder(&arguments.out)?;
    let campaign = PeerCampaign {
        backend: &backend,
        targets,
        mix: arguments.mix(),
        time: Duration::from_secs(arguments.seconds),
        runs: arguments.runs,
        seed: arguments.seed,
        jobs: arguments.jobs.count(),
        reduction: REDUCTION,
    };
    let scratch = tempfile::tempdir().map_err(|error| CliError::Usage(format!("a folder for {command}: {error}")))?;
    let bar = progress_bar(arguments.seconds);
    let outcome = peer::run(&campaign, scratch.path(), stop, |elapsed, functions, families| {
        bar.set_position(elapsed.as_secs());
        bar.set_message(format!("{functions} functions, {families} families"));
    });
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| CliError::Usage(format!("--backend {command}: {error}")))?;
    let mut families = Vec::new();
    for (number, finding) in (1..).zip(&outcome.findings) {
        let file = arguments.out.join(format!("{}-{}-{number}.mir", finding.fault.symptom.kind(), finding.fault.stage));
        input::make_folder(&arguments.out)?;
        input::write(&file, finding.text(&backend).as_bytes())?;
        families.push(FamilyReport::of(finding, file.display().to_string()));
    }
    print(&outcome, &families);
    let interrupted = stop.load(Ordering::Relaxed);
    let is_empty = outcome.functions == 0;
    let found = !families.is_empty();
    if arguments.json {
        output::json(&report(command, outcome, families, interrupted));
    }
    Ok(match (found, is_empty) {
        (true, _) => Status::Fault,
        (false, true) => Status::Unknown,
        (false, false) => Status::Well,
    })
}

impl FamilyReport {
    fn of(finding: &PeerFinding, file: String) -> FamilyReport {
        let fault = &finding.fault;
        FamilyReport {
            family: finding.family(),
            target: fault.mode.target.name,
            level: fault.mode.level.flag(),
            stage: fault.stage,
            kind: fault.symptom.kind(),
            details: fault.symptom.details(),
            guilty: finding.guilty.as_ref().map(|guilty| guilty.details.clone()),
            gone_with: finding.guilty.as_ref().and_then(|guilty| guilty.without.clone()),
            seen: finding.seen,
            instructions: finding.instructions(),
            file,
        }
    }
}

/// One line a family, the most frequent first, then the verdicts stage by stage.
fn print(outcome: &PeerReport, families: &[FamilyReport]) {
    for family in families {
        let FamilyReport { family, target, level, seen, instructions, file, details, guilty, gone_with, .. } = family;
        say!("{family} ({target} {level}, seen {seen} times, {instructions} instructions)\n    {details}");
        guilty.iter().for_each(|guilty| say!("    guilty: {guilty}"));
        gone_with.iter().for_each(|argument| say!("    gone with: {argument}"));
        say!("    {file}");
    }
    for (complaint, count) in &outcome.rejected {
        say!("not read by the backend: {complaint} ({count} times)");
    }
    for (reason, count) in &outcome.open {
        say!("{reason} ({count} times)");
    }
    for ((target, level, stage), tally) in &outcome.stages {
        let StageTally { functions, proved, refuted, unknown, unsupported } = tally;
        say!(
            "{target} {level} {stage}: {functions} functions, proved {proved}, refuted {refuted}, unknown {unknown}, unsupported {unsupported}"
        );
    }
    let ObjectTally { functions, executions, inconclusive, wrong, not_run } = &outcome.objects;
    for (reason, count) in not_run {
        say!("object not run: {reason} ({count} times)");
    }
    let left = not_run.values().sum::<u64>();
    say!(
        "objects: {functions} functions ran on {executions} inputs ({inconclusive} inconclusive), {wrong} wrong, {left} not run"
    );
    let seconds = outcome.elapsed.as_secs_f64();
    let rate = outcome.functions as f64 / seconds;
    say!(
        "{} functions through all stages, {} families of findings, {rate:.0} functions a second ({seconds:.1} s)",
        outcome.functions,
        families.len()
    );
}

fn report(command: &str, outcome: PeerReport, families: Vec<FamilyReport>, interrupted: bool) -> Report {
    let seconds = outcome.elapsed.as_secs_f64();
    let stage = |((target, level, stage), tally): (peer::StageName, StageTally)| {
        let StageTally { functions, proved, refuted, unknown, unsupported } = tally;
        StageReport { target, level, stage, functions, proved, refuted, unknown, unsupported }
    };
    Report {
        backend: command.to_string(),
        functions: outcome.functions,
        rejected: outcome.rejected,
        stages: outcome.stages.into_iter().map(stage).collect(),
        objects: ObjectReport {
            functions: outcome.objects.functions,
            executions: outcome.objects.executions,
            inconclusive: outcome.objects.inconclusive,
            wrong: outcome.objects.wrong,
            not_run: outcome.objects.not_run,
        },
        open: outcome.open,
        findings: families.iter().map(|family| family.seen).sum(),
        families,
        seconds,
        functions_a_second: outcome.functions as f64 / seconds,
        interrupted,
    }
}
