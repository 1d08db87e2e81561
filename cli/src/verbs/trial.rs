//! `tribunal trial IN.mir...`: every judge on every function.

use crate::cache::CacheFlags;
use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError, TargetArguments};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tribunal_codegen::NoObserver;
use tribunal_ir::{Entry, Function};
use tribunal_trial::{Harness, Tally, inputs};

/// Put every function before every judge.
///
/// Verifies after each pass, proves each rewrite step, checks the allocation, and runs the emitted bytes against the
/// interpreter. Then functions that call others of their file run together with them.
#[derive(Args)]
#[command(after_help = examples(&["tribunal trial corpus/real/*.mir"]))]
pub struct Arguments {
    /// MIR, at any stage.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArguments,
    /// Inputs on which each function runs.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = input::input_counts(1))]
    inputs: u32,
    /// Seed of the inputs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    cache: CacheFlags,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    functions: u64,
    passed: u64,
    #[serde(flatten)]
    findings: Findings,
    unsupported: u64,
    unsupported_features: BTreeMap<String, u64>,
    proved: u64,
    looked_up: u64,
    refuted: u64,
    unknown: u64,
    verifications: u64,
    executions: u64,
    inconclusive: u64,
    /// Why, with counts.
    inconclusive_reasons: BTreeMap<String, u64>,
    fewest_executions_a_function: u64,
    together: TogetherReport,
    runs: Vec<FunctionReport>,
    seconds: f64,
}

/// The runs of functions together with those that they call, besides the runs of each by itself.
#[derive(Serialize)]
struct TogetherReport {
    executions: u64,
    inconclusive: u64,
    inconclusive_reasons: BTreeMap<String, u64>,
    /// Functions that could not run so.
    unsupported_features: BTreeMap<String, u64>,
}

/// The runs of one function.
#[derive(Serialize)]
struct FunctionReport {
    file: PathBuf,
    function: String,
    verdict: &'static str,
    executions: u64,
    inconclusive: u64,
    inconclusive_reasons: BTreeMap<String, u64>,
    /// Steps that are wrong for some value.
    refuted: u64,
    /// Features that some judge does not know.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unsupported: BTreeMap<String, u64>,
    /// The reasons why steps stayed unknown, or runs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unknown: BTreeMap<String, u64>,
}

impl FunctionReport {
    fn new(file: &Path, function: &str, tally: &Tally) -> FunctionReport {
        FunctionReport {
            file: file.to_path_buf(),
            function: function.to_string(),
            verdict: verdict(tally),
            executions: tally.executions,
            inconclusive: tally.inconclusive,
            inconclusive_reasons: reasons(tally),
            refuted: tally.refuted,
            unsupported: tally.unsupported.clone(),
            unknown: tally.open.clone(),
        }
    }
}

/// The verdict on one function: `unknown` is one that no judge objects to and that not every judge could judge.
fn verdict(tally: &Tally) -> &'static str {
    match Status::of(tally) {
        Status::Well => "passed",
        Status::Fault | Status::BadInput => "failed",
        Status::Unknown if tally.unsupported.is_empty() => "unknown",
        Status::Unknown => "unsupported",
    }
}

fn reasons(tally: &Tally) -> BTreeMap<String, u64> {
    tally.reasons.iter().map(|(reason, &count)| (reason.to_string(), count)).collect()
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = std::time::Instant::now();
    // Read everything first: a bad file is one error, and nothing half-done.
    let read = arguments.files.iter().map(|path| arguments.target.read(path));
    let sources = read.collect::<Result<Vec<_>, _>>()?;
    let kept = arguments.cache.open()?;
    let mut harnesses: Vec<Harness> = Vec::new();
    let (mut total, mut together) = (Tally::default(), Tally::default());
    let mut fewest = u64::MAX;
    let mut runs = Vec::new();
    for (source, options) in &sources {
        let options = *options;
        let fits = |harness: &Harness| std::ptr::eq(harness.target(), source.target) && harness.options() == options;
        let index = match harnesses.iter().position(fits) {
            Some(index) => index,
            None => {
                harnesses.push(Harness::with_cache(source.target, options, kept.proofs.clone())?);
                harnesses.len() - 1
            }
        };
        for entry in source.module.entries() {
            let plan = inputs::Plan { count: arguments.inputs, seed: arguments.seed };
            let tally = Tally::of(entry, |function| harnesses[index].trial(function, plan));
            match entry {
                Entry::Unread(unread) => say!("{}", output::unsupported(source, unread)),
                Entry::Function(function) => {
                    fewest = fewest.min(tally.executions);
                    runs.push(FunctionReport::new(&source.path, &function.name, &tally));
                    if !arguments.json || tally.passed == 0 {
                        print_function(&source.path, &function.name, &tally);
                    }
                }
            }
            total.add(tally);
        }
        let module: Vec<&Function> =
            source.module.functions.iter().filter(|function| function.gave_up().is_none()).collect();
        let plan = inputs::Plan { count: arguments.inputs, seed: arguments.seed };
        let mut of_module = harnesses[index].trial_together(&module, plan, &mut NoObserver);
        total.findings.append(&mut of_module.findings);
        together.add(of_module);
    }
    let status = Status::of(&total);
    let seconds = started.elapsed().as_secs_f64();
    findings::texts(&total.findings).for_each(|finding| say!("{finding}"));
    summary(&total, seconds);
    if together.executions + together.inconclusive > 0 {
        say!(
            "functions with their callees: {} executions, {} inconclusive",
            together.executions,
            together.inconclusive
        );
    }
    kept.save()?;
    if arguments.json {
        output::json(&report(&total, &together, runs, fewest, seconds));
    }
    Ok(status)
}

fn print_function(path: &Path, name: &str, tally: &Tally) {
    let verdict = if tally.passed == 1 { "passed" } else { "NOT PASSED" };
    say!(
        "{} @{name}: {verdict}: {} steps proved, {} executions, {} inconclusive",
        path.display(),
        tally.proved,
        tally.executions,
        tally.inconclusive
    );
    for feature in tally.unsupported.keys() {
        say!("  unsupported: {feature}");
    }
    for reason in tally.open.keys() {
        say!("  unknown: {reason}");
    }
    // Their text stands once, at the end.
    for (finding, _) in findings::distinct(&tally.findings) {
        say!("  {}", finding.signature());
    }
}

fn summary(total: &Tally, seconds: f64) {
    say!(
        "{} functions, {} passed; findings {}, refuted {}, unknown {}, unsupported {}; {} steps proved ({} from the proof cache), \
         {} verifications, {} executions in {seconds:.1} s",
        total.functions,
        total.passed,
        total.findings.len(),
        total.refuted,
        total.unknown,
        total.unsupported.values().sum::<u64>(),
        total.proved,
        total.looked_up,
        total.verifications,
        total.executions,
    );
}

fn report(total: &Tally, together: &Tally, runs: Vec<FunctionReport>, fewest: u64, seconds: f64) -> Report {
    Report {
        functions: total.functions,
        passed: total.passed,
        findings: total.findings.as_slice().into(),
        unsupported: total.unsupported.values().sum(),
        unsupported_features: total.unsupported.clone(),
        proved: total.proved,
        looked_up: total.looked_up,
        refuted: total.refuted,
        unknown: total.unknown,
        verifications: total.verifications,
        executions: total.executions,
        inconclusive: total.inconclusive,
        inconclusive_reasons: reasons(total),
        fewest_executions_a_function: if fewest == u64::MAX { 0 } else { fewest },
        together: TogetherReport {
            executions: together.executions,
            inconclusive: together.inconclusive,
            inconclusive_reasons: reasons(together),
            unsupported_features: together.unsupported.clone(),
        },
        runs,
        seconds,
    }
}
