//! `tribunal replay FILE`: judges a crash file once more, and names the guilty rule or pass.

use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError, Source, TargetArguments};
use crate::output::{self, Status, say};
use crate::verbs::peer;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_codegen::Options;
use tribunal_fuzz::peer::PeerFinding;
use tribunal_fuzz::sabotage;
use tribunal_ir::Function;
use tribunal_trial::counterexample::Reproducer;
use tribunal_trial::crash::CrashHeaderError;
use tribunal_trial::{Harness, Tally, bless, crash, inputs};

/// Run a crash file again, and say which rule is guilty.
///
/// Runs every judge on its functions, on the input that its comments give and on generated ones. A counterexample of
/// the prover holds both sides of a step: they are executed and compared.
#[derive(Args)]
#[command(after_help = examples(&["tribunal replay corpus/bugs/wide_population.riscv64.mir"]))]
pub struct Arguments {
    /// A crash file, or a counterexample of the prover.
    file: PathBuf,
    #[command(flatten)]
    target: TargetArguments,
    /// Inputs besides the one in the file.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = input::input_counts(0))]
    inputs: u32,
    /// Add the file to the regression cases if every judge passes it; else say what is left.
    #[arg(long)]
    bless: bool,
    /// The folder in which `--bless` puts the case.
    #[arg(long, value_name = "DIR", default_value = "corpus/bugs", requires = "bless")]
    into: PathBuf,
    /// Judge the compiler as it is: do not plant the fault that a crash file of `tribunal sabotage` names.
    #[arg(long)]
    unplanted: bool,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    findings: Findings,
    guilty: Vec<String>,
    executions: u64,
    unsupported: u64,
    unknown: u64,
    /// The case that was written.
    blessed: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let (source, options) = arguments.target.read(&arguments.file)?;
    if arguments.bless {
        input::check_folder(&arguments.into)?;
    }
    let crash = header(&source)?;
    if let Some(command) = &crash.backend {
        return of_peer(arguments, (&source, options), &crash, command);
    }
    let total = tally(arguments, &source, options)?;
    output::unread(&source);
    findings::texts(&total.findings).for_each(|finding| say!("{finding}"));
    total.open.keys().for_each(|reason| say!("not confirmed: {reason}"));
    total.unsupported.keys().for_each(|feature| say!("unsupported: {feature}"));
    let mut guilty: Vec<String> = total.findings.iter().map(|finding| finding.guilty.clone()).collect();
    guilty.sort();
    guilty.dedup();
    match guilty.is_empty() {
        true => say!("no finding in {} executions", total.executions),
        false => say!("guilty: {}", guilty.join(", ")),
    }
    let status = Status::of(&total);
    let blessed = if arguments.bless { bless(arguments, (&source, options), &total)? } else { None };
    if arguments.json {
        output::json(&Report {
            findings: total.findings.as_slice().into(),
            guilty,
            executions: total.executions,
            unsupported: total.unsupported.values().sum(),
            unknown: total.unknown,
            blessed,
        });
    }
    Ok(status)
}

/// A finding of `tribunal fuzz --backend`, on the compiler that the file names.
fn of_peer(
    arguments: &Arguments,
    (source, options): (&Source, Options),
    crash: &crash::CrashHeader,
    command: &str,
) -> Result<Status, CliError> {
    if arguments.bless {
        return Err(CliError::Usage("a case of another compiler is not blessed".to_string()));
    }
    let findings = peer::replay(source, crash, command, options.features)?;
    for finding in &findings {
        say!("{}\n    {}", finding.family(), finding.fault.symptom.details());
    }
    let guilty: Vec<String> = findings.iter().map(PeerFinding::family).collect();
    match guilty.is_empty() {
        true => say!("no finding with `{command}`"),
        false => say!("guilty: {}", guilty.join(", ")),
    }
    if arguments.json {
        output::json(&PeerReplay { guilty });
    }
    Ok(if findings.is_empty() { Status::Well } else { Status::Fault })
}

/// The outcome of a crash file about another compiler.
#[derive(Serialize)]
struct PeerReplay {
    /// The signatures that it shows.
    guilty: Vec<String>,
}

fn in_file(source: &Source) -> impl Fn(CrashHeaderError) -> CliError {
    |error| CliError::Usage(format!("{}: {error}", source.path.display()))
}

/// The crash header in the file's comments.
fn header(source: &Source) -> Result<crash::CrashHeader, CliError> {
    crash::header(&source.module, source.target).map_err(in_file(source))
}

fn tally(arguments: &Arguments, source: &Source, options: Options) -> Result<Tally, CliError> {
    let header = header(source)?;
    if let Some(reproducer) = Reproducer::read(&source.module, header.input.clone()) {
        return Ok(executed(&reproducer, source));
    }
    let planter = sabotage::of_crash_file(&header, source.target).map_err(in_file(source))?;
    let mut planter = planter.filter(|_| !arguments.unplanted);
    let mut harness = Harness::new(source.target, header.placed(options))?;
    let mut total = Tally::default();
    for entry in source.module.entries() {
        total.add(Tally::of(entry, |function| {
            let mut chosen: Vec<_> = header.input.iter().cloned().collect();
            chosen.extend(inputs::inputs(function, source.target, inputs::Plan { count: arguments.inputs, seed: 1 }));
            harness.trial_with(function, &chosen, &mut planter)
        }));
    }
    let module: Vec<&Function> = source.module.functions.iter().filter(|one| one.gave_up().is_none()).collect();
    let plan = inputs::Plan { count: arguments.inputs, seed: 1 };
    let together = harness.trial_together_on(&module, header.input.as_ref(), plan, &mut planter);
    total.executions += together.executions;
    total.findings.extend(together.findings);
    Ok(total)
}

/// Writes the case, unless a judge still objects to it.
fn bless(
    arguments: &Arguments,
    (source, options): (&Source, Options),
    total: &Tally,
) -> Result<Option<PathBuf>, CliError> {
    let header = header(source)?;
    let left = match Status::of(total) {
        _ if Reproducer::read(&source.module, header.input.clone()).is_some() => {
            Some("it holds a step, not a function")
        }
        Status::Well if total.executions == 0 => Some("nothing was executed"),
        Status::Well => None,
        Status::Fault | Status::BadInput => Some("the fault is still there"),
        Status::Unknown => Some("something stayed unknown or unsupported"),
    };
    if let Some(left) = left {
        say!("not blessed: {left}");
        return Ok(None);
    }
    let stem = source.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let stem = stem.strip_suffix(&format!(".{}", source.target.name)).unwrap_or(&stem);
    let plain: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let path = arguments.into.join(format!("{plain}.{}.mir", source.target.name));
    if path.exists() {
        return Err(CliError::Usage(format!("{}: there already; cases are not replaced", path.display())));
    }
    let harness = Harness::new(source.target, header.placed(options))?;
    input::make_folder(&arguments.into)?;
    input::write(&path, bless::case(&harness, &source.module, &header).as_bytes())?;
    say!("blessed: {}", path.display());
    Ok(Some(path))
}

/// A counterexample of the prover: both sides of the step, once more.
fn executed(reproducer: &Reproducer, source: &Source) -> Tally {
    let mut tally = Tally { functions: 1, executions: 1, ..Tally::default() };
    match reproducer.replay(source.target) {
        Ok(finding) => tally.findings.push(finding),
        Err(reason) => *tally.open.entry(reason).or_default() += 1,
    }
    tally.unknown = tally.open.values().sum();
    tally.refuted = tally.findings.len() as u64;
    tally
}
