//! `tribunal replay FILE`: a crash file once more, and who is guilty.

use crate::input::{self, CliError, Source, TargetFlags};
use crate::output::{self, Findings, Status, say};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_fuzz::counterexample::Exhibit;
use tribunal_fuzz::{Harness, Tally, crash, inputs};

/// Runs every judge on the functions of a crash file, on the input that its comments give and on the usual ones. A
/// counterexample of the prover holds both sides of a step: they are executed and compared.
///
/// Example: tribunal replay fuzz-out/emulator-wrong-result-riscv64.add_imm12.mir
#[derive(Args)]
pub struct Arguments {
    file: PathBuf,
    #[command(flatten)]
    target: TargetFlags,
    /// Inputs besides the one in the file.
    #[arg(long, default_value_t = 32)]
    inputs: u32,
    /// Print one JSON object on the last line of standard output.
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
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.named()?)?;
    let total = tally(arguments, &source)?;
    for finding in &total.findings {
        say!("{finding}");
    }
    total.open.keys().for_each(|reason| say!("not confirmed: {reason}"));
    let mut guilty: Vec<String> = total.findings.iter().map(|finding| finding.guilty.clone()).collect();
    guilty.sort();
    guilty.dedup();
    match guilty.is_empty() {
        true => say!("no finding in {} executions", total.executions),
        false => say!("guilty: {}", guilty.join(", ")),
    }
    let status = Status::of(&total);
    if arguments.json {
        output::json(&Report {
            findings: total.findings.as_slice().into(),
            guilty,
            executions: total.executions,
            unsupported: total.unsupported.values().sum(),
            unknown: total.unknown,
        });
    }
    Ok(status)
}

fn tally(arguments: &Arguments, source: &Source) -> Result<Tally, CliError> {
    let story = crash::story(&source.module, source.target)
        .map_err(|error| CliError::Usage(format!("{}: {error}", source.path.display())))?;
    let mut options = arguments.target.options(source)?;
    if let Some(exhibit) = Exhibit::read(&source.module, story.input.clone()) {
        return Ok(executed(&exhibit, source));
    }
    options.allocator = story.allocator.unwrap_or(options.allocator);
    let mut harness = Harness::new(source.target, options)?;
    let mut total = Tally::default();
    for function in &source.module.functions {
        let mut chosen: Vec<_> = story.input.iter().cloned().collect();
        chosen.extend(inputs::inputs(function, source.target, inputs::Plan { count: arguments.inputs, seed: 1 }));
        total.add(harness.trial_on(function, &chosen));
    }
    Ok(total)
}

/// A counterexample of the prover: both sides of the step, once more.
fn executed(exhibit: &Exhibit, source: &Source) -> Tally {
    let mut tally = Tally { functions: 1, executions: 1, ..Tally::default() };
    match exhibit.replay(source.target) {
        Ok(finding) => tally.findings.push(finding),
        Err(reason) => *tally.open.entry(reason).or_default() += 1,
    }
    tally.unknown = tally.open.values().sum();
    tally.refuted = tally.findings.len() as u64;
    tally
}
