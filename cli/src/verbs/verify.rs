//! `tribunal verify IN.mir`: the machine verifier alone.

use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError, TargetFlags};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_fuzz::harness;

/// Run the machine verifier on every function.
///
/// A function is held to the stage that its properties name: `legalized`, `regBankSelected`, `selected` and the like.
#[derive(Args)]
#[command(after_help = examples(&["tribunal verify corpus/real/sorting.aarch64.O0.mir"]))]
pub struct Arguments {
    /// MIR, at any stage.
    file: PathBuf,
    #[command(flatten)]
    target: TargetFlags,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    functions: usize,
    #[serde(flatten)]
    findings: Findings,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.named()?)?;
    let options = arguments.target.options(&source)?;
    let legalizer = (source.target.legality)(options.features);
    let mut findings = Vec::new();
    for function in &source.module.functions {
        findings.extend(harness::verify(function, source.target, legalizer));
    }
    findings::texts(&findings).for_each(|finding| say!("{finding}"));
    say!("{} functions, {} findings", source.module.functions.len(), findings.len());
    let status = if findings.is_empty() { Status::Well } else { Status::Fault };
    if arguments.json {
        output::json(&Report { functions: source.module.functions.len(), findings: findings.as_slice().into() });
    }
    Ok(status)
}
