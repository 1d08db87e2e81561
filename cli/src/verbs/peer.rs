//! `tribunal fuzz --backend COMMAND`: another compiler on trial.

use super::fuzz::{Arguments, progress_bar};
use crate::input::{self, CliError, Source};
use crate::output::{self, Status, say};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_fuzz::peer::{
    self, KnownFaults, Llc, ObjectTally, OptLevel, PeerCampaign, PeerError, PeerFinding, PeerMode, PeerReport,
    StageTally,
};
use tribunal_target::{Features, Target};
use tribunal_trial::crash::CrashHeader;

/// The time for reducing one program.
const REDUCTION: Duration = Duration::from_secs(10);

/// Functions of one file and one process of the compiler.
const BATCH: u64 = 240;

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
    /// Every known fault.
    known: Vec<KnownReport>,
    /// Families that the compiler of `--against` has too.
    not_new: Vec<String>,
    seconds: f64,
    /// Of all threads together, the time that reductions took.
    reducing_seconds: f64,
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

/// A known fault, and how often it was seen.
#[derive(Serialize)]
struct KnownReport {
    what: String,
    case: String,
    seen: u64,
    /// Whether its reduced case still shows it.
    still_shows: bool,
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
    let backend = llc("--backend", command)?;
    let against = arguments.against.as_deref().map(|command| llc("--against", command)).transpose()?;
    let known = arguments.known.as_deref().map(known_faults).transpose()?.unwrap_or_default();
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
        batch: BATCH,
    };
    let scratch = tempfile::tempdir().map_err(|error| CliError::Usage(format!("a folder for {command}: {error}")))?;
    let bar = progress_bar(arguments.seconds);
    let outcome = peer::run(&campaign, scratch.path(), stop, |elapsed, functions, families| {
        bar.set_position(elapsed.as_secs());
        bar.set_message(format!("{functions} functions, {families} families"));
    });
    bar.finish_and_clear();
    let failed = |error: PeerError| CliError::Usage(format!("--backend {command}: {error}"));
    let mut outcome = outcome.map_err(failed)?;
    let mut sorted = Sorted::default();
    for finding in std::mem::take(&mut outcome.findings) {
        match known.index_of(&finding) {
            Some(index) => *sorted.seen.entry(index).or_default() += finding.seen,
            None if against.as_ref().is_some_and(|other| shows(other, &finding, scratch.path())) => {
                sorted.shared.push(finding.family());
            }
            None => sorted.families.push(written(arguments, &backend, &finding, sorted.families.len() + 1)?),
        }
    }
    let folder = arguments.known.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    for (index, fault) in known.faults.iter().enumerate() {
        let still =
            sorted.seen.contains_key(&index) || fault.still_shows(&backend, folder, scratch.path()).map_err(failed)?;
        sorted.known.push(KnownReport {
            what: fault.what.clone(),
            case: fault.case.clone(),
            seen: sorted.seen.get(&index).copied().unwrap_or(0),
            still_shows: still,
        });
    }
    print(&outcome, &sorted);
    let interrupted = stop.load(Ordering::Relaxed);
    let is_empty = outcome.functions == 0;
    let found = !sorted.families.is_empty();
    if arguments.json {
        output::json(&report(command, outcome, sorted, interrupted));
    }
    Ok(match (found, is_empty) {
        (true, _) => Status::Fault,
        (false, true) => Status::Unknown,
        (false, false) => Status::Well,
    })
}

/// The findings of a campaign.
#[derive(Default)]
struct Sorted {
    /// New ones, the most frequent first.
    families: Vec<FamilyReport>,
    /// Functions that show a known fault, by its index.
    seen: BTreeMap<usize, u64>,
    known: Vec<KnownReport>,
    /// Families that the other compiler has too.
    shared: Vec<String>,
}

fn llc(flag: &str, command: &str) -> Result<Llc, CliError> {
    Llc::new(command).ok_or_else(|| CliError::Usage(format!("{flag}: no program is named")))
}

fn known_faults(path: &Path) -> Result<KnownFaults, CliError> {
    let error = |error: String| CliError::Usage(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|io| error(io.to_string()))?;
    KnownFaults::read(&text).map_err(error)
}

/// Whether this compiler shows a finding of the same family. One that does not start shows nothing.
fn shows(other: &Llc, finding: &PeerFinding, scratch: &Path) -> bool {
    let report = peer::examine(other, finding.fault.mode, &finding.function, scratch);
    report.is_ok_and(|report| report.findings.iter().any(|own| own.family() == finding.family()))
}

/// Writes the crash file of a finding.
fn written(
    arguments: &Arguments,
    backend: &Llc,
    finding: &PeerFinding,
    number: usize,
) -> Result<FamilyReport, CliError> {
    let file = arguments.out.join(format!("{}-{}-{number}.mir", finding.fault.symptom.kind(), finding.fault.stage));
    input::make_folder(&arguments.out)?;
    input::write(&file, finding.text(backend).as_bytes())?;
    Ok(FamilyReport::of(finding, file.display().to_string()))
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
fn print(outcome: &PeerReport, Sorted { families, known, shared, .. }: &Sorted) {
    for family in families {
        let FamilyReport { family, target, level, seen, instructions, file, details, guilty, gone_with, .. } = family;
        say!("{family} ({target} {level}, seen {seen} times, {instructions} instructions)\n    {details}");
        guilty.iter().for_each(|guilty| say!("    guilty: {guilty}"));
        gone_with.iter().for_each(|argument| say!("    gone with: {argument}"));
        say!("    {file}");
    }
    for KnownReport { what, case, seen, still_shows } in known {
        match (seen, still_shows) {
            (0, true) => say!("known and not seen: {what} ({case})"),
            (0, false) => say!("known, and its case no longer shows it: {what} ({case})"),
            (seen, _) => say!("known, set aside {seen} times: {what} ({case})"),
        }
    }
    shared.iter().for_each(|family| say!("not new: {family}"));
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
    let (rate, reducing) = (outcome.functions as f64 / seconds, outcome.reducing.as_secs_f64());
    say!(
        "{} functions compiled, {} families of findings, {rate:.0} functions a second ({seconds:.1} s, {reducing:.1} s of them reducing)",
        outcome.functions,
        families.len()
    );
}

fn report(command: &str, outcome: PeerReport, sorted: Sorted, interrupted: bool) -> Report {
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
        findings: sorted.families.iter().map(|family| family.seen).sum(),
        families: sorted.families,
        known: sorted.known,
        not_new: sorted.shared,
        seconds,
        reducing_seconds: outcome.reducing.as_secs_f64(),
        functions_a_second: outcome.functions as f64 / seconds,
        interrupted,
    }
}

/// Judges a crash file about another compiler once more: every function, at the level that it names.
pub fn replay(
    source: &Source,
    header: &CrashHeader,
    command: &str,
    features: Features,
) -> Result<Vec<PeerFinding>, CliError> {
    let backend = llc("backend", command)?;
    let scratch = tempfile::tempdir().map_err(|error| CliError::Usage(format!("a folder for {command}: {error}")))?;
    let level = header.level.as_deref().map_or(Some(OptLevel::O0), OptLevel::named);
    let level = level.ok_or_else(|| CliError::Usage("the level is `-O0` or `-O2`".to_string()))?;
    let mode = PeerMode { target: source.target, features, level };
    let mut findings = Vec::new();
    for function in &source.module.functions {
        let report = peer::examine(&backend, mode, function, scratch.path());
        let report = report.map_err(|error| CliError::Usage(format!("{command}: {error}")))?;
        findings.extend(report.findings);
    }
    Ok(findings)
}
