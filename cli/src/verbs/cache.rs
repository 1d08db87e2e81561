//! `tribunal cache`: the proofs that are kept between runs.

use crate::cache::{this_prover, usual_folder};
use crate::help::examples;
use crate::input::CliError;
use crate::output::{self, Status, say};
use crate::store::{Holdings, Store};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Say which proofs are kept between runs, or remove them.
///
/// Each build of the program keeps proofs of its own, with its solver. The least recently used build goes first when
/// the database is full.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("action").required(true))]
#[command(after_help = examples(&["tribunal cache --stats"]))]
pub struct Arguments {
    /// Say how much is kept, for which builds.
    #[arg(long, group = "action")]
    stats: bool,
    /// Remove all of it.
    #[arg(long, group = "action")]
    clear: bool,
    /// The folder; the user's cache folder if left out.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    path: PathBuf,
    bytes: u64,
    provers: Vec<ProverReport>,
}

#[derive(Serialize)]
struct ProverReport {
    /// A hash of the program, and its solver.
    prover: String,
    /// The build that is running.
    this: bool,
    bytes: u64,
    segments: usize,
    unused_for_seconds: u64,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let no_folder =
        || CliError::Usage("neither HOME nor XDG_CACHE_HOME is set; name a folder with --cache".to_string());
    let folder = arguments.cache.clone().or_else(usual_folder).ok_or_else(no_folder)?;
    let store = Store::in_folder(&folder);
    if arguments.clear {
        store.clear().map_err(|source| CliError::Write { path: store.path().into(), source })?;
    }
    let holdings = store.holdings().map_err(|source| CliError::Store { path: store.path().into(), source })?;
    let this = this_prover();
    let report = |holding: Holdings| ProverReport {
        this: Some(&holding.prover) == this.as_ref(),
        prover: holding.prover,
        bytes: holding.bytes,
        segments: holding.segments,
        unused_for_seconds: holding.unused_for,
    };
    let provers: Vec<ProverReport> = holdings.into_iter().map(report).collect();
    let bytes = provers.iter().map(|prover| prover.bytes).sum();
    let report = Report { path: store.path().into(), bytes, provers };
    print(&report);
    if arguments.json {
        output::json(&report);
    }
    Ok(Status::Well)
}

fn print(report: &Report) {
    for prover in &report.provers {
        let name: String = prover.prover.chars().take(12).collect();
        let solver = prover.prover.split_once(' ').map_or("", |(_, solver)| solver);
        let this = if prover.this { ", this build" } else { "" };
        let hours = prover.unused_for_seconds / 3600;
        say!("program {name}, {solver}: {} bytes, last used {hours} hours ago{this}", prover.bytes);
    }
    say!("{}: {} builds, {} bytes", report.path.display(), report.provers.len(), report.bytes);
}
