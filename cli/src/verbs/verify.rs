//! `tribunal verify IN.mir`: the machine verifier alone.

use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError, TargetArguments};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_trial::{Tally, harness};
use tribunal_verifier::machine_verifier::unjudged;

/// Run the machine verifier on every function.
///
/// A function is held to its stage: the one that its properties name (`legalized`, `regBankSelected`, `selected`), or a
/// comment `# stage: NAME` at the head of its document. Another compiler may have written the file: what is legal is
/// then its own affair, unless `--legal` asks.
#[derive(Args)]
#[command(after_help = examples(&["tribunal verify corpus/real/sorting.aarch64.O0.mir"]))]
pub struct Arguments {
    /// MIR, at any stage.
    file: PathBuf,
    #[command(flatten)]
    target: TargetArguments,
    /// Demand that legalized instructions are legal by this backend's rules.
    #[arg(long)]
    legal: bool,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    functions: u64,
    #[serde(flatten)]
    findings: Findings,
    unsupported: u64,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.named()?)?;
    let (target, features) = (source.target, arguments.target.offered(&source)?);
    let legalizer = (target.legality)(features);
    let mut total = Tally::default();
    for entry in source.module.entries() {
        total.add(Tally::of(entry, |function| {
            let findings = match arguments.legal {
                true => harness::verify(function, target, legalizer),
                false => harness::verify_foreign(function, target, features),
            };
            // Nobody looked at all of a function whose instructions no table has.
            let missing = unjudged(function).filter(|_| findings.is_empty());
            if let Some(name) = &missing {
                say!("{}: @{}: unsupported: {name}", source.path.display(), function.name);
            }
            let unsupported = missing.into_iter().map(|name| (name, 1)).collect();
            Tally { functions: 1, findings, unsupported, ..Tally::default() }
        }));
    }
    findings::texts(&total.findings).for_each(|finding| say!("{finding}"));
    output::unread(&source);
    let unsupported = total.unsupported.values().sum();
    say!("{} functions, {} findings, {unsupported} unsupported", total.functions, total.findings.len());
    if arguments.json {
        let findings = total.findings.as_slice().into();
        output::json(&Report { functions: total.functions, findings, unsupported });
    }
    Ok(Status::of(&total))
}
