//! `tribunal compile IN.mir -o OUT`: the backend as a compiler.

use crate::cache::CacheFlags;
use crate::findings::{self, Findings};
use crate::help::examples;
use crate::input::{self, CliError, Source, TargetArguments};
use crate::output::{self, FAULT, Status, complain};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use tribunal_codegen::{CompileError, Context, NoObserver, Options, emit, pipeline};
use tribunal_ir::{Entry, Module, Unread, text};
use tribunal_trial::{Harness, Judge, JudgeSet, Tally, guard};

/// Compile MIR to an object, to assembly, or to MIR after a pass.
///
/// The file may stand at any stage of the pipeline; what is left of it runs. Nothing is written unless every function
/// compiles and no judge that was asked for finds a fault: a function that names something unknown is named, and no
/// part of the file is written.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal compile corpus/real/checksums.riscv64.O2.mir -o checksums.o",
    "tribunal compile corpus/run/riscv64/g_mul.mir -o g_mul.s",
    "tribunal compile corpus/real/wide.riscv64.O1.mir --stop-after legalize -o legalized.mir",
]))]
pub struct Arguments {
    /// MIR, at any stage.
    file: PathBuf,
    /// Where the result goes; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    target: TargetArguments,
    /// Kind of output. If left out, the name of the output says it: assembly for `.s`, MIR for `.mir`, else an object.
    #[arg(long, value_name = "KIND", value_enum)]
    emit: Option<Emit>,
    /// Stop after this pass, and write MIR.
    #[arg(long, value_name = "PASS", value_parser = passes())]
    stop_after: Option<String>,
    /// Optimisation level: 0 uses the allocator `fastalloc`, 2 the one of `--regalloc`.
    #[arg(short = 'O', value_name = "LEVEL", value_parser = ["0", "2"])]
    optimisation: Option<String>,
    /// Run the machine verifier after each pass.
    #[arg(long)]
    verify_each: bool,
    /// Prove each rewrite step of legalization and instruction selection.
    #[arg(long)]
    prove_each: bool,
    #[command(flatten)]
    cache: CacheFlags,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Emit {
    Obj,
    Asm,
    Mir,
}

impl Emit {
    /// By the name of the output.
    fn by_name(output: &Path) -> Emit {
        match output.extension().and_then(|extension| extension.to_str()) {
            Some("s" | "S" | "asm") => Emit::Asm,
            Some("mir") => Emit::Mir,
            _ => Emit::Obj,
        }
    }
}

#[derive(Serialize)]
struct Report {
    functions: usize,
    failed: usize,
    /// The functions that failed, each with its first reason.
    refusals: Vec<RefusedFunction>,
    #[serde(flatten)]
    findings: Findings,
    proved: u64,
    /// Of those, answered by proofs of the same step, of this run or of an earlier one.
    looked_up: u64,
    unknown: u64,
    unsupported: u64,
    seconds: f64,
}

/// A function that was not compiled: the pass that gave it up, or `read`, and the feature or the fault.
#[derive(Serialize)]
struct RefusedFunction {
    function: String,
    pass: &'static str,
    reason: String,
}

impl From<&CompileError> for RefusedFunction {
    fn from(error: &CompileError) -> RefusedFunction {
        let (function, pass, reason) = match error {
            CompileError::Unsupported { function, pass, feature } => (function, pass, feature),
            CompileError::Internal { function, pass, reason } => (function, pass, reason),
        };
        RefusedFunction { function: function.clone(), pass, reason: reason.clone() }
    }
}

impl From<&Unread> for RefusedFunction {
    fn from(unread: &Unread) -> RefusedFunction {
        RefusedFunction { function: unread.name.clone(), pass: "read", reason: unread.unknown.to_string() }
    }
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let started = std::time::Instant::now();
    let (mut source, mut options) = arguments.target.read_module(&arguments.file)?;
    let stop_after = stop_after(arguments)?;
    input::check_file(&arguments.output)?;
    if arguments.optimisation.as_deref() == Some("0") {
        options.allocator = tribunal_codegen::Allocator::Fastalloc;
    }
    source.verified()?;
    let judged = judge(arguments, &source, options)?;
    let mut failures = Vec::new();
    let contents = compiled(arguments, &mut source, options, stop_after, &mut failures)?;
    for failure in &failures {
        complain!("{FAULT}error{FAULT:#}: {failure}");
    }
    findings::texts(&judged.findings).for_each(|finding| complain!("{finding}"));
    // Output is written only if all of it is right.
    let unread = source.module.unread.len();
    if failures.is_empty() && unread == 0 && judged.is_clean() {
        input::write(&arguments.output, &contents)?;
    }
    if arguments.json {
        output::json(&Report {
            functions: source.module.functions.len() + unread,
            failed: failures.len() + unread,
            refusals: failures
                .iter()
                .map(RefusedFunction::from)
                .chain(source.module.unread.iter().map(Into::into))
                .collect(),
            findings: judged.findings.as_slice().into(),
            proved: judged.proved,
            looked_up: judged.looked_up,
            unknown: judged.unknown,
            unsupported: judged.unsupported.values().sum(),
            seconds: started.elapsed().as_secs_f64(),
        });
    }
    Ok(status(&failures, &judged))
}

fn status(failures: &[CompileError], judged: &Tally) -> Status {
    let internal = failures.iter().any(|failure| matches!(failure, CompileError::Internal { .. }));
    match (internal, failures.is_empty(), Status::of(judged)) {
        (true, ..) => Status::Fault,
        (false, true, status) => status,
        (false, false, Status::Fault) => Status::Fault,
        (false, false, _) => Status::Unknown,
    }
}

/// The values of `--stop-after`.
fn passes() -> clap::builder::PossibleValuesParser {
    pipeline::PIPELINE.iter().map(|pass| pass.name).collect::<Vec<_>>().into()
}

/// The pass to stop after.
fn stop_after(arguments: &Arguments) -> Result<Option<&'static str>, CliError> {
    let names = || pipeline::PIPELINE.iter().map(|pass| pass.name);
    let pass = arguments.stop_after.as_ref().and_then(|name| names().find(|known| known == name));
    match (pass, arguments.emit) {
        (Some(_), Some(Emit::Obj | Emit::Asm)) => {
            Err(CliError::Usage("--stop-after writes MIR; leave --emit out".to_string()))
        }
        (pass, _) => Ok(pass),
    }
}

/// The findings of `--verify-each` and `--prove-each`.
fn judge(arguments: &Arguments, source: &Source, options: Options) -> Result<Tally, CliError> {
    let mut total = Tally::default();
    for unread in &source.module.unread {
        complain!("{FAULT}error{FAULT:#}: {}", output::unsupported(source, unread));
        total.add(Tally::of(Entry::Unread(unread), |_| Tally::default()));
    }
    if arguments.verify_each || arguments.prove_each {
        let kept = arguments.prove_each.then(|| arguments.cache.open()).transpose()?;
        let proofs = kept.as_ref().map(|kept| kept.proofs.clone()).unwrap_or_default();
        let mut harness = Harness::with_cache(source.target, options, proofs)?;
        let passes = if arguments.verify_each { JudgeSet::AFTER_PASSES } else { JudgeSet::default() };
        let judges = if arguments.prove_each { passes.with(Judge::Prover) } else { passes };
        for function in &source.module.functions {
            total.add(harness.judge_compilation(function, judges));
        }
        kept.map_or(Ok(()), |kept| kept.save())?;
    }
    Ok(total)
}

/// The bytes to write. Functions that fail are named in `failures`.
fn compiled(
    arguments: &Arguments,
    source: &mut Source,
    options: Options,
    stop_after: Option<&'static str>,
    failures: &mut Vec<CompileError>,
) -> Result<Vec<u8>, CliError> {
    let legalizer = (source.target.legality)(options.features);
    let mut observer = NoObserver;
    let mut context = Context { target: source.target, options, legalizer, observer: &mut observer };
    let mut codes = Vec::new();
    let emit = arguments.emit.unwrap_or_else(|| Emit::by_name(&arguments.output));
    if (emit, stop_after) == (Emit::Asm, None) && has_data(&source.module) {
        let feature = "data in assembly text".to_string();
        failures.push(CompileError::Unsupported { function: String::new(), pass: "emit", feature });
    }
    for function in &mut source.module.functions {
        let name = function.name.clone();
        let ran = guard::run(|| pipeline::run_until(function, &mut context, stop_after));
        match ran.unwrap_or_else(|panic| {
            Err(CompileError::Internal { function: name, pass: "panic", reason: panic.to_string() })
        }) {
            Ok(code) => codes.extend(code),
            Err(failure) => failures.push(failure),
        }
    }
    Ok(match (emit, stop_after) {
        (Emit::Mir, _) | (_, Some(_)) => mir(&source.module, source.target).into_bytes(),
        (Emit::Asm, None) => emit::assembly(&source.module.functions, source.target, options.features).into_bytes(),
        // Nothing is written of a module in part.
        (Emit::Obj, None) if !failures.is_empty() => Vec::new(),
        (Emit::Obj, None) => {
            let model = source.module.functions.first().map(|function| function.relocation_model()).unwrap_or_default();
            emit::object(&codes, source.module.ir.as_ref().map(|ir| ir.module()), model, source.target)?
        }
    })
}

/// True if an object of the module holds more than code.
fn has_data(module: &Module) -> bool {
    let is_data = |global: &tribunal_llvm::Global| {
        global.initialiser.is_some() && global.section.as_deref() != Some("llvm.metadata")
    };
    let of_functions =
        |function: &tribunal_ir::Function| !function.jump_tables.tables.is_empty() || !function.constants.is_empty();
    module.ir.as_ref().is_some_and(|ir| ir.module().globals.values().any(is_data))
        || module.functions.iter().any(of_functions)
}

fn mir(module: &Module, target: &tribunal_target::Target) -> String {
    text::print_module(module, target.vocabulary)
}
