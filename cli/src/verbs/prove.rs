//! `tribunal prove`: the catalogue of legalization recipes.

use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use tribunal_fuzz::catalogue::{self, Query, Summary};

/// Runs every recipe that the rules reach on an instance of each width, and proves what it wrote against what it replaced.
///
/// Example: tribunal prove --target riscv64 --opcode G_MUL
#[derive(Args)]
pub struct Arguments {
    /// Only this target.
    #[arg(long)]
    target: Option<String>,
    /// Instruction set features: `+zbb` or `-m`, parted by commas.
    #[arg(long, allow_hyphen_values = true, value_delimiter = ',')]
    features: Vec<String>,
    /// Only this opcode: `G_ADD`.
    #[arg(long)]
    opcode: Option<String>,
    /// Worker threads.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Only the I-th of N parts, counted from 1: `2/8`.
    #[arg(long)]
    shard: Option<String>,
    /// Print one JSON object on the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    obligations: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    unsupported: u64,
    seconds: f64,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = std::time::Instant::now();
    let targets = input::targets(arguments.target.as_deref(), &arguments.features)?;
    let query = Query {
        targets,
        opcode: arguments.opcode.as_deref().map(opcode_named).transpose()?,
        jobs: usize::from(arguments.jobs),
        shard: arguments.shard.as_deref().map(shard).transpose()?.unwrap_or((1, 1)),
    };
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    // Without a handler Ctrl-C ends the process at once; the loop still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    let bar = ProgressBar::new(0);
    let summary = catalogue::prove(&query, &stop, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    print(&summary, seconds);
    if arguments.json {
        output::json(&Report {
            obligations: summary.obligations,
            proved: summary.proved,
            refuted: summary.refuted,
            unknown: summary.unknown,
            unsupported: summary.unsupported,
            seconds,
        });
    }
    Ok(match (summary.refuted, summary.unknown + summary.unsupported, summary.obligations) {
        (1.., ..) => Status::Fault,
        (0, 0, 1..) if !stop.load(Ordering::Relaxed) => Status::Well,
        _ => Status::Unknown,
    })
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

fn print(summary: &Summary, seconds: f64) {
    for line in &summary.reports {
        say!("{line}");
    }
    for (reason, count) in &summary.open {
        say!("{count} times: {reason}");
    }
    say!(
        "obligations {}, proved {} ({} by look-up), refuted {}, unknown {}, unsupported {} in {seconds:.1} s",
        summary.obligations,
        summary.proved,
        summary.looked_up,
        summary.refuted,
        summary.unknown,
        summary.unsupported
    );
}
