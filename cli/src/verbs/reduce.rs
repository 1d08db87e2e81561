//! `tribunal reduce FILE -o OUT`: the smallest case that shows the same fault.

use crate::help::examples;
use crate::input::{self, CliError, Source, TargetArguments};
use crate::output::{self, Status, say};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_codegen::{Observer, Options};
use tribunal_fuzz::reduce::command::Check;
use tribunal_fuzz::reduce::{self, Case, SearchLimits};
use tribunal_fuzz::sabotage;
use tribunal_ir::{Function, Module, text};
use tribunal_trial::counterexample::Reproducer;
use tribunal_trial::crash::CrashHeaderError;
use tribunal_trial::{Finding, Harness, crash, inputs};

/// Shrink a crash file, or any MIR file that a command judges.
///
/// The search keeps what the same judge finds with the same rule to blame; with `--check`, what the command accepts.
/// Ctrl-C ends the search and writes the smallest file so far (exit status 3). Functions that name something unknown
/// are set aside.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal reduce corpus/verifier/type-extension.mir -o small.mir",
    "tribunal reduce corpus/real/wide.riscv64.O1.mir -o small.mir --check 'grep -q G_MUL'",
]))]
pub struct Arguments {
    /// A crash file; with `--check`, any MIR.
    file: PathBuf,
    /// Where the result goes; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// A command that judges each candidate: it gets the candidate's path as its last argument, and its exit status is
    /// 0 if the candidate is interesting. The command is split at spaces; no shell reads it.
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,
    /// Limit of the command on one candidate, in seconds; then it is stopped, and the candidate is not
    /// interesting.
    #[arg(long, value_name = "N", default_value_t = 10)]
    check_seconds: u64,
    /// Limit of the search, in seconds; none if left out.
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    #[command(flatten)]
    target: TargetArguments,
    /// Inputs on which the fault is looked for, besides the one in the file.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = input::input_counts(0))]
    inputs: u32,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    instructions_before: usize,
    instructions_after: usize,
    guilty: Option<String>,
    tests: u64,
    finished: bool,
    seconds: f64,
}

/// The outcome of a reduction.
struct Smallest {
    text: String,
    instructions: usize,
    guilty: Option<String>,
    tests: u64,
    finished: bool,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = Instant::now();
    let (source, options) = arguments.target.read(&arguments.file)?;
    input::check_file(&arguments.out)?;
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the process at once; the search still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    let deadline = arguments.seconds.and_then(|seconds| started.checked_add(Duration::from_secs(seconds)));
    let limits = SearchLimits { deadline, stop: &stop };
    let bar = ProgressBar::new_spinner();
    let mut progress = |case: &Case, tests: u64| {
        bar.set_message(format!("{} instructions, {tests} candidates judged", case.instructions()));
        bar.tick();
    };
    let result = match &arguments.check {
        Some(command) => checked(arguments, &source, options, command, limits, &mut progress)?,
        None => judged(arguments, &source, options, limits, &mut progress)?,
    };
    bar.finish_and_clear();
    input::write(&arguments.out, result.text.as_bytes())?;
    let before: usize = source.module.functions.iter().map(|function| function.all_insts().count()).sum();
    if arguments.out != Path::new("-") {
        let guilty = result.guilty.as_ref().map_or(String::new(), |guilty| format!(", guilty: {guilty}"));
        say!("{before} instructions before, {} after{guilty}; {} candidates judged", result.instructions, result.tests);
        output::unread(&source);
        if !result.finished {
            say!("stopped before the end: more may go");
        }
    }
    if arguments.json {
        output::json(&Report {
            instructions_before: before,
            instructions_after: result.instructions,
            guilty: result.guilty,
            tests: result.tests,
            finished: result.finished,
            seconds: started.elapsed().as_secs_f64(),
        });
    }
    Ok(if result.finished { Status::Well } else { Status::Unknown })
}

fn refused(source: &Source, reason: &str) -> CliError {
    CliError::Usage(format!("{}: {reason}", source.path.display()))
}

/// Reduces with the project's own judges.
fn judged(
    arguments: &Arguments,
    source: &Source,
    options: Options,
    limits: SearchLimits<'_>,
    progress: &mut dyn FnMut(&Case, u64),
) -> Result<Smallest, CliError> {
    let in_file = |error: CrashHeaderError| refused(source, &error.to_string());
    let header = crash::header(&source.module, source.target).map_err(in_file)?;
    let mut planter = sabotage::of_crash_file(&header, source.target).map_err(in_file)?;
    if Reproducer::read(&source.module, header.input.clone()).is_some() {
        return Err(refused(source, "a counterexample of the prover is one step already: there is nothing to reduce"));
    }
    let options = header.placed(options);
    let mut harness = Harness::new(source.target, options)?;
    let found = find(arguments, source, &header, &mut harness, &mut planter);
    let (function, finding) =
        found.ok_or_else(|| refused(source, "no judge finds anything: there is nothing to reduce"))?;
    let reduced = reduce::reduce(&mut harness, function, &finding, &mut planter, limits, progress);
    let reduced = reduced.ok_or_else(|| refused(source, "the finding does not show a second time"))?;
    Ok(Smallest {
        text: crash::print_sabotaged(
            source.target,
            options,
            None,
            &[&reduced.function],
            &reduced.finding,
            planter.fault(),
        ),
        instructions: reduced.function.all_insts().count(),
        guilty: Some(reduced.finding.guilty),
        tests: reduced.tests,
        finished: reduced.finished,
    })
}

/// The finding that the file's comments name, or else the first.
fn find<'s>(
    arguments: &Arguments,
    source: &'s Source,
    header: &crash::CrashHeader,
    harness: &mut Harness,
    saboteur: &mut dyn Observer,
) -> Option<(&'s Function, Finding)> {
    let mut first = None;
    for function in &source.module.functions {
        let plan = inputs::Plan { count: arguments.inputs, seed: 1 };
        let usual = inputs::inputs(function, source.target, plan);
        let chosen: Vec<_> = header.input.iter().cloned().chain(usual).collect();
        let tally = harness.trial_with(function, &chosen, saboteur);
        let refusals = tally.unsupported.keys().map(|feature| Finding::unsupported(feature));
        for finding in tally.findings.into_iter().chain(refusals) {
            if header.describes(&finding) {
                return Some((function, finding));
            }
            first.get_or_insert((function, finding));
        }
    }
    first
}

/// Reduces with a command.
fn checked(
    arguments: &Arguments,
    source: &Source,
    options: Options,
    command: &str,
    limits: SearchLimits<'_>,
    progress: &mut dyn FnMut(&Case, u64),
) -> Result<Smallest, CliError> {
    let mut words = command.split_whitespace().map(str::to_string);
    let program = words.next().ok_or_else(|| CliError::Usage("--check: no command".to_string()))?;
    let check = Check { program, arguments: words.collect(), time: Duration::from_secs(arguments.check_seconds) };
    let failed = |error: std::io::Error| CliError::Usage(format!("--check: {}: {error}", check.program));
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("candidate.mir");
    let mut comments = source.module.comments.clone();
    if source.module.header("target").is_none() {
        comments.insert(0, format!("target: {}", source.target.name));
    }
    let printed = |case: &Case| {
        let (comments, ir, functions) = (comments.clone(), case.ir.clone(), case.functions.clone());
        let module = Module { comments, ir, functions, ..Module::default() };
        text::print_module(&module, source.target.vocabulary)
    };
    let (mut failure, mut tests) = (None, 0);
    // The last round repeats the candidates that failed in the one before.
    let mut known: HashSet<blake3::Hash> = HashSet::new();
    let mut is_interesting = |case: &Case| {
        let text = printed(case);
        let hash = blake3::hash(text.as_bytes());
        if known.contains(&hash) {
            return false;
        }
        tests += 1;
        let judged = std::fs::write(&file, text).and_then(|()| check.is_interesting(&file));
        let interesting = judged.unwrap_or_else(|error| {
            failure = Some(error);
            false
        });
        if !interesting {
            known.insert(hash);
        }
        interesting
    };
    let case = Case { ir: source.module.ir.clone(), functions: source.module.functions.clone(), input: None };
    let reduction = reduce::search(case, source.target, options.features, limits, &mut is_interesting, progress);
    if let Some(error) = failure {
        return Err(failed(error));
    }
    let reduction =
        reduction.ok_or_else(|| refused(source, "the command does not end with exit status 0 on the file as it is"))?;
    Ok(Smallest {
        text: printed(&reduction.case),
        instructions: reduction.case.instructions(),
        guilty: None,
        tests,
        finished: reduction.finished,
    })
}
