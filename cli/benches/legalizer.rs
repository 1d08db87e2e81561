//! How fast the legalizer is, beside LLVM's on the same functions: instructions a second, and the ratio.
//!
//! How it is measured. Input: every function of `corpus/real`, as clang wrote them (generic MIR after the translator).
//! Counted: generic instructions of the input. Ours: wall time inside the pass alone, over all functions of a file;
//! text is parsed and functions are cloned before the clock starts. LLVM's: the row `Legalizer` of `llc-22
//! -run-pass=legalizer -time-passes`, wall time inside its pass alone. Both are single-threaded optimised builds
//! (Debian's llc-22, without assertions). A measurement, not a test.

mod beside_llvm;

use beside_llvm::{COPIES, Failure, Measure, fastest, inputs, report};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use tribunal_codegen::legalize::PASS;
use tribunal_codegen::{Context, NoObserver, Options};
use tribunal_ir::{Function, Module};
use tribunal_target::Target;

/// Instructions, and seconds of both.
#[derive(Clone, Default)]
struct Times {
    instructions: usize,
    ours: f64,
    llvm: f64,
}

impl Times {
    /// Instructions a second, of both.
    fn rates(&self) -> (f64, f64) {
        let rate = |seconds: f64| self.instructions as f64 / seconds;
        (rate(self.ours), rate(self.llvm))
    }
}

impl Measure for Times {
    fn add(&mut self, other: &Times) {
        self.instructions += other.instructions;
        self.ours += other.ours;
        self.llvm += other.llvm;
    }

    fn titles() -> String {
        format!("{:>9} {:>14} {:>14} {:>8}", "G_", "tribunal", "llc-22", "ratio")
    }

    fn line(&self) -> String {
        let (ours, llvm) = self.rates();
        format!("{:>9} {ours:>14.0} {llvm:>14.0} {:>8.2}", self.instructions, ours / llvm)
    }

    fn object(&self) -> Value {
        let (ours, llvm) = self.rates();
        json!({"instructions": self.instructions, "tribunal": ours, "llc": llvm, "ratio": ours / llvm})
    }
}

fn main() -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let copies = scratch.path().join("copies.mir");
    let mut measures = Vec::new();
    for input in inputs()? {
        std::fs::write(&copies, &input.repeated)?;
        let times = Times {
            instructions: input.instructions(),
            ours: fastest(|| ours(input.target, &input.module))?,
            llvm: fastest(|| llvm(&copies))?,
        };
        measures.push((input.kind, times));
    }
    report("legalizer, generic instructions a second", &measures);
    Ok(())
}

/// Seconds inside our pass.
fn ours(target: &'static Target, module: &Module) -> Result<f64, Failure> {
    let features = target.default_features;
    let options = Options::new(features);
    let legalizer = (target.legality)(features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let mut functions: Vec<Function> = (0..COPIES).flat_map(|_| module.functions.iter().cloned()).collect();
    let started = Instant::now();
    for function in &mut functions {
        (PASS.run)(&mut context, function)?;
    }
    Ok(started.elapsed().as_secs_f64())
}

/// Seconds inside LLVM's pass, from its own report: the last number before a percentage is the wall time.
fn llvm(file: &Path) -> Result<f64, Failure> {
    let mut command = Command::new("llc-22");
    let output = command.args(["-run-pass=legalizer", "-time-passes", "-o", "/dev/null"]).arg(file).output()?;
    let report = String::from_utf8(output.stderr)?;
    let row = report.lines().find(|line| line.trim_end().ends_with(" Legalizer"));
    let row = row.ok_or_else(|| format!("llc-22 reports no time of its legalizer:\n{report}"))?;
    let times: Vec<f64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Ok(*times.last().ok_or("no time in llc-22's report")?)
}
