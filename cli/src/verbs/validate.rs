//! `tribunal validate BEFORE.mir AFTER.mir`: does the later stage of each function refine the earlier?

use crate::help::examples;
use crate::input::{self, CliError, TargetArguments};
use crate::jobs::Jobs;
use crate::output::{self, Status, say};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tribunal_ir::Module;
use tribunal_trial::shown::ShownInput;
use tribunal_trial::validate::{self, Judged, Kind, Setting};
use tribunal_verifier::prover::Undef;

/// Prove that the functions of one stage refine those of an earlier one.
///
/// Functions are paired by name and proved block by block, loops included. Either file may come from `llc-22`: for
/// example after `irtranslator` and after `legalizer`.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal compile corpus/real/wide.riscv64.O1.mir --stop-after legalize -o legalized.mir",
    "tribunal validate corpus/real/wide.riscv64.O1.mir legalized.mir",
]))]
pub struct Arguments {
    /// MIR of the earlier stage.
    before: PathBuf,
    /// MIR of the later stage.
    after: PathBuf,
    #[command(flatten)]
    target: TargetArguments,
    /// Ignore the flags of AFTER's instructions: `nuw`, `nsw`, `exact`, `disjoint` and the like.
    #[arg(long)]
    drop_flags: bool,
    /// The meaning of an undefined value.
    #[arg(long, value_enum, default_value_t = UndefArgument::PerUse)]
    undef: UndefArgument,
    #[command(flatten)]
    jobs: Jobs,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

/// The meaning of `G_IMPLICIT_DEF`.
#[derive(Clone, Copy, ValueEnum)]
enum UndefArgument {
    /// Each use is a choice of its own, as LLVM's passes take it.
    PerUse,
    /// One value for all uses, as this backend compiles it.
    OneValue,
}

#[derive(Serialize, Default)]
struct Report {
    functions: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    unsupported: u64,
    blocks: u64,
    /// The reasons why functions were not supported, with their counts.
    unsupported_reasons: BTreeMap<String, u64>,
    /// Instructions of both files that no table describes, by name. Each is equal to itself alone.
    undescribed: BTreeMap<String, u64>,
    /// One for each function, in the order of BEFORE.
    verdicts: Vec<FunctionReport>,
    seconds: f64,
}

#[derive(Serialize)]
struct FunctionReport {
    name: String,
    /// `proved`, `refuted`, `unknown` or `unsupported`.
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    blocks: u64,
    /// Of `refuted`: the input, as executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<InputReport>,
    /// Of `unknown`: the input that a solver proposed, and nobody executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed: Option<InputReport>,
    /// The flag of AFTER without which it is proved, or without which no input refutes it any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<String>,
    seconds: f64,
}

/// Values by register, and hexadecimal digits of bytes by address.
#[derive(Serialize)]
struct InputReport {
    registers: BTreeMap<String, String>,
    memory: BTreeMap<String, String>,
}

impl InputReport {
    fn of(input: ShownInput) -> InputReport {
        InputReport { registers: input.registers.into_iter().collect(), memory: input.memory.into_iter().collect() }
    }
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = std::time::Instant::now();
    let named = arguments.target.named()?;
    let before = input::read(&arguments.before, named)?;
    let features = arguments.target.offered(&before)?;
    let before = before.settled(features);
    let mut after = input::read(&arguments.after, named.or(Some(before.target)))?.settled(features);
    if arguments.drop_flags {
        for function in &mut after.module.functions {
            *function = validate::without_flags(function);
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.count()).build();
    let pool = pool.map_err(|error| CliError::Usage(format!("--jobs {}: {error}", arguments.jobs.count())))?;
    let undef = match arguments.undef {
        UndefArgument::PerUse => Undef::PerUse,
        UndefArgument::OneValue => Undef::OneValue,
    };
    let setting = Setting { undef, ..Setting::default() };
    let judged = pool.install(|| validate::validate(&before.module, &after.module, before.target, setting));
    [&before, &after].into_iter().for_each(output::unread);
    let mut report = Report { undescribed: undescribed(&[&before.module, &after.module]), ..Report::default() };
    for judged in judged {
        say!("{}: {}", judged.function, said(&judged));
        report.add(judged);
    }
    report.seconds = started.elapsed().as_secs_f64();
    say!(
        "{} functions: proved {}, refuted {}, unknown {}, unsupported {} in {:.1} s",
        report.functions,
        report.proved,
        report.refuted,
        report.unknown,
        report.unsupported,
        report.seconds
    );
    if arguments.json {
        output::json(&report);
    }
    Ok(match (report.refuted, report.unknown + report.unsupported, report.functions) {
        (1.., _, _) => Status::Fault,
        // Nothing judged is no success.
        (0, 1.., _) | (0, 0, 0) => Status::Unknown,
        (0, 0, _) => Status::Well,
    })
}

/// Instructions that no table describes, by name.
fn undescribed(modules: &[&Module]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for function in modules.iter().flat_map(|module| &module.functions) {
        for name in function.all_insts().filter_map(|inst| function.opaque_name(function.inst(inst))) {
            *counts.entry(name.to_string()).or_default() += 1;
        }
    }
    counts
}

/// The verdict in one line.
fn said(judged: &Judged) -> String {
    let mut said = match &judged.kind {
        Kind::Proved => format!("proved ({} blocks)", judged.blocks),
        Kind::Refuted(reason) => format!("refuted {reason}"),
        Kind::Unknown(reason) => format!("unknown: {reason}"),
        Kind::Unsupported(feature) => format!("unsupported: {feature}"),
    };
    if let (Kind::Unknown(_), Some(input)) = (&judged.kind, &judged.input) {
        said += &format!("; the solver proposes {input}");
    }
    if let Some(flag) = &judged.flag {
        said += &format!("; proved without {flag}");
    }
    said
}

impl Report {
    fn add(&mut self, judged: Judged) {
        self.functions += 1;
        self.blocks += judged.blocks;
        let (verdict, count, reason) = match judged.kind {
            Kind::Proved => ("proved", &mut self.proved, None),
            Kind::Refuted(reason) => ("refuted", &mut self.refuted, Some(reason)),
            Kind::Unknown(reason) => ("unknown", &mut self.unknown, Some(reason)),
            Kind::Unsupported(feature) => {
                *self.unsupported_reasons.entry(feature.clone()).or_default() += 1;
                ("unsupported", &mut self.unsupported, Some(feature))
            }
        };
        *count += 1;
        let input = judged.input.map(InputReport::of);
        let (counterexample, proposed) = if verdict == "refuted" { (input, None) } else { (None, input) };
        let (name, blocks, flag, seconds) = (judged.function, judged.blocks, judged.flag, judged.seconds);
        self.verdicts.push(FunctionReport { name, verdict, reason, blocks, counterexample, proposed, flag, seconds });
    }
}
