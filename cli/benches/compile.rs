//! How fast a whole compilation is, beside `llc-22 -O0 -global-isel` on the same files: from MIR text to an object.
//!
//! How it is measured. Input: every function of `corpus/real`, as clang wrote them (generic MIR after the translator).
//! Counted: generic instructions of the input. Whole: processor time (user and system) of one process that reads the
//! file, compiles every function and writes the object: `tribunal compile -O0` and `llc-22 -O0 -global-isel
//! -start-after=irtranslator -filetype=obj`. Both levels take the fast allocator.
//!
//! Reading: ours is the thread's time of the parser, inside this process. LLVM's is the processor time of `llc-22
//! -run-pass=none` less that of its passes, which print MIR; the start of the process counts as reading. `-time-passes`
//! does not time the whole pipeline: it asks the kernel for the time twice a pass and function, which takes as long as
//! a small pass. Compiling: ours is the thread's time of the pipeline and the object's writer; LLVM's is the whole less
//! the reading. Both are single-threaded optimised builds (Debian's llc-22, without assertions). A measurement, not a
//! test.

mod beside_llvm;

use beside_llvm::{Failure, Input, Measure, fastest, inputs, report};
use cpu_time::ThreadTime;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tribunal_codegen::{Allocator, Context, NoObserver, Options, emit, pipeline};
use tribunal_ir::{Module, text};

/// As in `tribunal`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Seconds of one compiler.
#[derive(Clone, Default)]
struct Seconds {
    whole: f64,
    reading: f64,
    compiling: f64,
}

/// Instructions, and seconds of both.
#[derive(Clone, Default)]
struct Times {
    instructions: usize,
    ours: Seconds,
    llvm: Seconds,
}

impl Times {
    /// Instructions a second.
    fn rate(&self, seconds: f64) -> f64 {
        self.instructions as f64 / seconds
    }
}

impl Measure for Times {
    fn add(&mut self, other: &Times) {
        self.instructions += other.instructions;
        for (sum, other) in [(&mut self.ours, &other.ours), (&mut self.llvm, &other.llvm)] {
            sum.whole += other.whole;
            sum.reading += other.reading;
            sum.compiling += other.compiling;
        }
    }

    fn titles() -> String {
        let name = |text: &str| format!("{text:>11}");
        let titles = ["G_", "tribunal", "llc-22", "ratio", "compiling", "llc-22", "ratio", "reading", "llc-22"];
        titles.map(name).concat()
    }

    fn line(&self) -> String {
        let Times { instructions, ours, llvm } = self;
        let rates =
            |ours: f64, llvm: f64| format!("{:>11.0}{:>11.0}{:>11.2}", self.rate(ours), self.rate(llvm), llvm / ours);
        let share = |seconds: &Seconds| format!("{:>10.0}%", 100.0 * seconds.reading / seconds.whole);
        let (whole, compiling) = (rates(ours.whole, llvm.whole), rates(ours.compiling, llvm.compiling));
        format!("{instructions:>11}{whole}{compiling}{}{}", share(ours), share(llvm))
    }

    fn object(&self) -> Value {
        let Times { instructions, ours, llvm } = self;
        json!({
            "instructions": instructions,
            "tribunal": self.rate(ours.whole),
            "llc": self.rate(llvm.whole),
            "ratio": llvm.whole / ours.whole,
            "tribunal_compiling": self.rate(ours.compiling),
            "llc_compiling": self.rate(llvm.compiling),
            "ratio_compiling": llvm.compiling / ours.compiling,
            "tribunal_reading": ours.reading / ours.whole,
            "llc_reading": llvm.reading / llvm.whole,
        })
    }
}

fn main() -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let (copies, object) = (scratch.path().join("copies.mir"), scratch.path().join("copies.o"));
    let mut measures = Vec::new();
    for input in inputs()? {
        std::fs::write(&copies, &input.repeated)?;
        let times = Times {
            instructions: input.instructions(),
            ours: ours(&input, &copies, &object)?,
            llvm: llvm(&copies, &object)?,
        };
        measures.push((input.kind, times));
    }
    report("from MIR text to an object, generic instructions a second of processor time", &measures);
    Ok(())
}

/// Seconds of `tribunal compile -O0`, and of its two parts in this process.
fn ours(input: &Input, copies: &Path, object: &Path) -> Result<Seconds, Failure> {
    let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    compile.args(["compile", "-O0"]).arg(copies).arg("-o").arg(object);
    let whole = fastest(|| Ok(processor_time(&mut compile)?.0))?;
    let reading = fastest(|| {
        let started = ThreadTime::now();
        let module = parsed(input, copies)?;
        let seconds = started.elapsed().as_secs_f64();
        drop(module);
        Ok(seconds)
    })?;
    let features = input.target.default_features;
    let options = Options { allocator: Allocator::Fastalloc, ..Options::new(features) };
    let legalizer = (input.target.legality)(features);
    let compiling = fastest(|| {
        let mut module = parsed(input, copies)?;
        let started = ThreadTime::now();
        let mut context = Context { target: input.target, options, legalizer, observer: &mut NoObserver };
        let codes: Result<Vec<_>, _> =
            module.functions.iter_mut().map(|function| pipeline::compile(function, &mut context)).collect();
        let bytes = emit::object(&codes?, None, Default::default(), input.target)?;
        let seconds = started.elapsed().as_secs_f64();
        // What went through the clock is what `tribunal compile` wrote.
        (bytes == std::fs::read(object)?)
            .then_some(seconds)
            .ok_or_else(|| "another object than `tribunal compile` writes".into())
    })?;
    Ok(Seconds { whole, reading, compiling })
}

fn parsed(input: &Input, copies: &Path) -> Result<Module, Failure> {
    Ok(text::parse_module(&std::fs::read_to_string(copies)?, input.target.vocabulary)?)
}

fn llvm(copies: &Path, object: &Path) -> Result<Seconds, Failure> {
    let mut compile = Command::new("llc-22");
    compile
        .args(["-O0", "-global-isel", "-start-after=irtranslator", "-filetype=obj"])
        .arg(copies)
        .arg("-o")
        .arg(object);
    let whole = fastest(|| Ok(processor_time(&mut compile)?.0))?;
    let mut read = Command::new("llc-22");
    read.args(["-O0", "-run-pass=none", "-time-passes", "-o", "/dev/null"]).arg(copies);
    let reading = fastest(|| {
        let (seconds, output) = processor_time(&mut read)?;
        Ok(seconds - passes(&String::from_utf8(output.stderr)?)?)
    })?;
    Ok(Seconds { whole, reading, compiling: whole - reading })
}

/// Seconds of all passes, user and system, in the report of `-time-passes`: `Total Execution Time: 0.0027 seconds
/// (...)`.
fn passes(report: &str) -> Result<f64, Failure> {
    let total = report.lines().find_map(|line| line.trim().strip_prefix("Total Execution Time:"));
    let seconds = total.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    seconds.ok_or_else(|| format!("llc-22 reports no time of its passes:\n{report}").into())
}

/// Runs a command, which must end well: its processor time in seconds, and what it said.
fn processor_time(command: &mut Command) -> Result<(f64, Output), Failure> {
    let spent = || -> Result<i64, Failure> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        Ok(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
    };
    let before = spent()?;
    let output = command.output()?;
    let seconds = (spent()? - before) as f64 / 1e6;
    match output.status.success() {
        true => Ok((seconds, output)),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}
