//! `tribunal explain IN.mir`: each step of a function through the pipeline.

use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{CliError, TargetArguments};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_ir::Entry;
use tribunal_trial::{Harness, Tally};

/// Print every rewrite step with its rule and verdict, and the function after every pass.
///
/// A step shows what it replaced (`-`), what it wrote (`+`), and what the prover says of it.
#[derive(Args)]
#[command(after_help = examples(&["tribunal explain corpus/run/riscv64/g_mul.mir --function s128"]))]
pub struct Arguments {
    /// Generic MIR, as LLVM's IR translator writes it.
    file: PathBuf,
    #[command(flatten)]
    target: TargetArguments,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    functions: u64,
    #[serde(flatten)]
    findings: Findings,
    proved: u64,
    refuted: u64,
    unknown: u64,
    unsupported: u64,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let (source, options) = arguments.target.read(&arguments.file)?;
    source.verified()?;
    let mut harness = Harness::new(source.target, options)?;
    let wanted = |name: &str| arguments.function.as_deref().is_none_or(|only| only == name);
    let entries: Vec<_> = source.module.entries().filter(|entry| wanted(entry.name())).collect();
    if entries.is_empty() {
        return Err(CliError::Usage(format!("{}: no function to explain", arguments.file.display())));
    }
    let mut total = Tally::default();
    for entry in entries {
        if let Entry::Unread(unread) = entry {
            say!("{}", output::unsupported(&source, unread));
        }
        total.add(Tally::of(entry, |function| harness.explain(function, &mut |text| say!("{text}"))));
    }
    findings::texts(&total.findings).for_each(|finding| say!("{finding}"));
    if arguments.json {
        output::json(&Report {
            functions: total.functions,
            findings: total.findings.as_slice().into(),
            proved: total.proved,
            refuted: total.refuted,
            unknown: total.unknown,
            unsupported: total.unsupported.values().sum(),
        });
    }
    Ok(Status::of(&total))
}
