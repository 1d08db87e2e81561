//! `tribunal prove`: the catalogue of legalization recipes.

use crate::cache::CacheFlags;
use crate::findings::{self, Findings, Whole};
use crate::help::examples;
use crate::input::{self, CliError};
use crate::jobs::Jobs;
use crate::output::{self, Status, say};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_target::{Features, Target};
use tribunal_trial::catalogue::{self, CatalogueQuery, CatalogueSummary};
use tribunal_trial::crash;
use tribunal_trial::ledger::{Ledger, LedgerScope};
use tribunal_trial::questions::{self, QuerySink};
use tribunal_trial::tables;
use tribunal_verifier::prover::solver_version;

/// Prove the catalogue of legalization recipes, or check the legality tables.
///
/// Every recipe that the rules reach runs on an instance of each width; the prover compares what it wrote with what it
/// replaced.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal prove --target riscv64 --opcode G_MUL",
    "tribunal prove --tables",
]))]
pub struct Arguments {
    /// Only this target.
    #[arg(long, value_parser = input::target_names())]
    target: Option<String>,
    /// Instruction set features to turn on (`+zbb`) or off (`-m`), separated by commas.
    #[arg(long, value_name = "FEATURES", allow_hyphen_values = true, value_delimiter = ',')]
    features: Vec<String>,
    /// Only this opcode: `G_ADD`.
    #[arg(long, value_name = "NAME")]
    opcode: Option<String>,
    #[command(flatten)]
    jobs: Jobs,
    /// Only part I of N, counted from 1: `2/8`.
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Begin nothing after this time. The status is 3 if something is left.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: Option<u64>,
    /// Check the legality tables instead, without a solver. On every query that input can make, the rules end: in legal
    /// instructions, or in a refusal by name.
    #[arg(long, conflicts_with_all = ["opcode", "shard", "seconds", "emit_smt2", "out", "cache", "no_cache", "jobs"])]
    tables: bool,
    /// Write what was proved and by which engine, one line for each class of obligations: a text to commit and to diff.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Compare with the ledger instead of writing it. With `--shard` or `--opcode`, every class met must be in the
    /// ledger with its engine; otherwise counts must be equal too.
    #[arg(long, requires = "ledger")]
    check_ledger: bool,
    /// Write every question that goes to z3 as an SMT-LIB 2 file: `DIR/<number>.smt2`.
    #[arg(long, value_name = "DIR")]
    emit_smt2: Option<PathBuf>,
    /// Put each of these files to a second solver too (`cvc5`, `bitwuzla`), whose answer must be z3's.
    #[arg(long, value_name = "PROGRAM", requires = "emit_smt2")]
    confirm: Option<PathBuf>,
    /// The folder of counterexamples: MIR files that `tribunal replay` runs again.
    #[arg(long, default_value = "prove-out", value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    cache: CacheFlags,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    obligations: u64,
    #[serde(flatten)]
    findings: Findings,
    proved: u64,
    /// Of those, answered by a proof of the same step, and of those by one that an earlier run kept.
    looked_up: u64,
    kept: u64,
    /// Of those that were looked up, the steps of instances that the rules of other features answer alike.
    alike: u64,
    refuted: u64,
    /// Refuted, without an execution that shows it: a finding about a judge.
    unconfirmed_refutations: u64,
    unknown: u64,
    unsupported: u64,
    /// Cases on which the definitions of opcodes were compared with second ones, and opcodes for which both differ.
    definitions: u64,
    differing_definitions: u64,
    ledger_differences: usize,
    /// Put to z3, and the second solver's answers.
    questions: u64,
    confirmed: u64,
    unconfirmed: u64,
    disagreements: usize,
    seconds: f64,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = Instant::now();
    let targets = input::rule_sets(arguments.target.as_deref(), &arguments.features)?;
    // Before the long work: a file that cannot be read, or that has no place, is found at once.
    let ledger = match (&arguments.ledger, arguments.check_ledger) {
        (Some(path), true) => Some(read_ledger(path)?),
        (Some(path), false) => input::check_file(path).map(|()| None)?,
        (None, _) => None,
    };
    if arguments.tables {
        return check_tables(arguments, &targets, ledger, started);
    }
    input::check_folder(&arguments.out)?;
    let kept = arguments.cache.open()?;
    let query = CatalogueQuery {
        targets,
        opcode: arguments.opcode.as_deref().map(opcode_named).transpose()?,
        jobs: arguments.jobs.count(),
        shard: arguments.shard.as_deref().map(shard).transpose()?.unwrap_or((1, 1)),
        sink: sink(arguments)?,
        proofs: kept.proofs.clone(),
    };
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    // Without a handler Ctrl-C ends the process at once; the loop still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    let bar = ProgressBar::new(0);
    let limit = arguments.seconds.map(Duration::from_secs);
    let mut summary = catalogue::prove(&query, &stop, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
        if limit.is_some_and(|limit| started.elapsed() >= limit) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    bar.finish_and_clear();
    summary.ledger.solver = Some(solver());
    if summary.obligations == 0 && !stop.load(Ordering::Relaxed) {
        // Nothing proved is no success.
        return Err(CliError::Usage("the catalogue has nothing of that kind".to_string()));
    }
    if let (Some(source), Some(path)) = (summary.unwritten.pop(), &arguments.emit_smt2) {
        return Err(CliError::Write { path: path.clone(), source });
    }
    let seconds = started.elapsed().as_secs_f64();
    print(&summary, &arguments.out, seconds);
    write_counterexamples(&arguments.out, &summary)?;
    let complete = !stop.load(Ordering::Relaxed);
    let scope = if query.is_whole() { LedgerScope::Whole } else { LedgerScope::Part };
    let scope = complete.then_some(scope);
    let differences = settle(arguments, ledger, &query.targets, &summary.ledger, scope)?;
    differences.iter().for_each(|line| say!("{line}"));
    kept.save()?;
    if arguments.json {
        output::json(&Report {
            obligations: summary.obligations,
            findings: summary.findings.as_slice().into(),
            proved: summary.proved,
            looked_up: summary.looked_up,
            kept: summary.kept,
            alike: summary.alike,
            refuted: summary.refuted,
            unconfirmed_refutations: summary.unconfirmed,
            unknown: summary.unknown,
            unsupported: summary.unsupported,
            definitions: summary.definitions,
            differing_definitions: summary.differing,
            ledger_differences: differences.len(),
            questions: summary.questions.questions,
            confirmed: summary.questions.confirmed,
            unconfirmed: summary.questions.unconfirmed,
            disagreements: summary.questions.disagreements.len(),
            seconds,
        });
    }
    Ok(status(&summary, &differences, complete))
}

fn status(summary: &CatalogueSummary, differences: &[String], complete: bool) -> Status {
    match (summary.refuted + summary.differing, summary.unknown + summary.unsupported, summary.obligations) {
        (1.., ..) => Status::Fault,
        _ if !differences.is_empty() || !summary.questions.disagreements.is_empty() => Status::Fault,
        (0, 0, 1..) if complete => Status::Well,
        _ => Status::Unknown,
    }
}

/// Writes the classes met as the ledger, or returns the differences from the ledger that was read. Of a run that was
/// stopped, without a scope, nothing is written, and every class met must be known.
fn settle(
    arguments: &Arguments,
    ledger: Option<Ledger>,
    targets: &[(&'static Target, Features)],
    met: &Ledger,
    scope: Option<LedgerScope>,
) -> Result<Vec<String>, CliError> {
    let Some(scope) = scope else {
        say!("stopped: something is left");
        return Ok(ledger.map_or(Vec::new(), |ledger| ledger.differences(met, LedgerScope::Part)));
    };
    let names: Vec<String> = targets.iter().map(|(target, features)| target.with(*features)).collect();
    match (&arguments.ledger, ledger) {
        (Some(_), Some(ledger)) => Ok(ledger.of_targets(&names).differences(met, scope)),
        (Some(path), None) => input::write(path, met.to_string().as_bytes()).map(|()| Vec::new()),
        (None, _) => Ok(Vec::new()),
    }
}

#[derive(Serialize)]
struct TablesReport {
    queries: u64,
    legal: u64,
    legalized: u64,
    cannot: u64,
    not_run: u64,
    ill_defined: usize,
    endless: usize,
    internal: usize,
    illegal: usize,
    unselected: usize,
    missing: usize,
    holes: usize,
    idle: usize,
    ledger_differences: usize,
    refusals: Vec<String>,
    findings: Vec<String>,
    seconds: f64,
}

fn check_tables(
    arguments: &Arguments,
    targets: &[(&'static Target, Features)],
    ledger: Option<Ledger>,
    started: Instant,
) -> Result<Status, CliError> {
    let mut all = tables::TableSummary::default();
    let mut refusals = Vec::new();
    for &(target, features) in targets {
        let summary = tables::check(target, features, (target.legality)(features));
        refusals.extend(summary.refusals().map(|refusal| format!("{}: {refusal}", target.with(features))));
        all.add(summary);
    }
    let seconds = started.elapsed().as_secs_f64();
    let findings = all.findings();
    let differences = settle(arguments, ledger, targets, &all.ledger, Some(LedgerScope::Whole))?;
    refusals.iter().for_each(|line| say!("cannot: {line}"));
    findings.iter().chain(&differences).for_each(|line| say!("{line}"));
    say!(
        "queries {}, legal {}, legalized {}, cannot {} ({} kinds), findings {} in {seconds:.1} s",
        all.queries,
        all.legal,
        all.legalized,
        all.refused,
        refusals.len(),
        findings.len()
    );
    let is_well = findings.is_empty() && differences.is_empty();
    if arguments.json {
        output::json(&TablesReport {
            queries: all.queries,
            legal: all.legal,
            legalized: all.legalized,
            cannot: all.refused,
            not_run: all.not_run,
            ill_defined: all.ill_defined.len(),
            endless: all.endless.len(),
            internal: all.internal.len(),
            illegal: all.illegal.len(),
            unselected: all.unselected.len(),
            missing: all.missing.len(),
            holes: all.holes.len(),
            idle: all.idle.len(),
            ledger_differences: differences.len(),
            refusals,
            findings,
            seconds,
        });
    }
    Ok(if is_well { Status::Well } else { Status::Fault })
}

/// The query sink. A second solver that cannot be started is found before the long work.
fn sink(arguments: &Arguments) -> Result<Option<QuerySink>, CliError> {
    let Some(folder) = arguments.emit_smt2.clone() else { return Ok(None) };
    input::make_folder(&folder)?;
    match &arguments.confirm {
        Some(program) if !questions::can_run(program) => {
            Err(CliError::Usage(format!("the solver `{}` cannot be started", program.display())))
        }
        confirm => Ok(Some(QuerySink { folder, confirm: confirm.clone() })),
    }
}

/// One file for each rule that is refuted.
fn write_counterexamples(folder: &Path, summary: &CatalogueSummary) -> Result<(), CliError> {
    if summary.files.is_empty() {
        return Ok(());
    }
    input::make_folder(folder)?;
    for (name, text) in &summary.files {
        let path = folder.join(name);
        input::write(&path, text.as_bytes())?;
        say!("counterexample: {}", path.display());
    }
    Ok(())
}

/// The solver, as a ledger names it.
fn solver() -> String {
    format!("z3 {}", solver_version())
}

/// Reads a ledger, which must be of the solver that this program is linked with.
fn read_ledger(path: &Path) -> Result<Ledger, CliError> {
    let text = input::read_text(path)?;
    let ledger = Ledger::parse(&text).map_err(|error| CliError::Usage(format!("{}: {error}", path.display())))?;
    match &ledger.solver {
        Some(solver) if *solver != self::solver() => {
            let (path, this) = (path.display(), self::solver());
            Err(CliError::Usage(format!("{path}: proved with {solver}, and this program is linked with {this}")))
        }
        _ => Ok(ledger),
    }
}

fn opcode_named(name: &str) -> Result<tribunal_ir::Opcode, CliError> {
    tribunal_ir::Opcode::from_name(name).ok_or_else(|| CliError::Usage(format!("unknown opcode `{name}`")))
}

/// `I/N` with 1 <= I <= N.
fn shard(text: &str) -> Result<(u64, u64), CliError> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok((part, of)),
        _ => Err(CliError::Usage(format!("`{text}` is not a shard; write `2/8` for the second of eight"))),
    }
}

fn print(summary: &CatalogueSummary, out: &Path, seconds: f64) {
    for (finding, seen) in findings::distinct(&summary.findings) {
        let file = crash::path(out, finding);
        let is_written = summary.files.contains_key(&crash::file_name(finding));
        say!("{}", findings::text(finding, seen, if is_written { Whole::File(&file) } else { Whole::Json }));
    }
    for line in &summary.questions.disagreements {
        say!("solvers disagree: {line}");
    }
    for (reason, count) in &summary.open {
        say!("{count} times: {reason}");
    }
    say!(
        "obligations {}, proved {} ({} from the proof cache, {} of them kept from an earlier run), refuted {}, unknown {}, unsupported {} in {seconds:.1} s",
        summary.obligations,
        summary.proved,
        summary.looked_up,
        summary.kept,
        summary.refuted,
        summary.unknown,
        summary.unsupported
    );
    let questions = &summary.questions;
    if questions.questions > 0 {
        say!(
            "questions written {}, confirmed {}, unconfirmed {}, disagreements {}",
            questions.questions,
            questions.confirmed,
            questions.unconfirmed,
            questions.disagreements.len()
        );
    }
}
