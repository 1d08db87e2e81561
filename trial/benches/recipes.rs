//! Measures the proof time of the hard recipes, each from an empty cache.
//!
//! An instance of the operation is legalized, and every step of it goes to a prover without a cached proof. Printed:
//! the number of steps, their total time, and the slowest with its engine; with `--json` the same as one object on the
//! last line. Wall time, one thread, an optimised build. A measurement, not a test.

use serde_json::json;
use std::time::Instant;
use tribunal_codegen::legalize::{self, PASS};
use tribunal_codegen::{Context, Observer, Options};
use tribunal_ir::{Fragment, Function, Inst, InstData, Opcode, Step, Type};
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;
use tribunal_target::legality::LegalityQuery;
use tribunal_target::riscv::{RISCV32, RISCV64};
use tribunal_trial::ledger::engine_of;
use tribunal_verifier::prover::{Prover, Verdict};

/// Its name, its target, and the operation with the widths of its types.
const RECIPES: [(&str, &Target, Opcode, &[u32]); 9] = [
    ("multiplication s64 by s32", &RISCV32, Opcode::G_MUL, &[64]),
    ("multiplication s128 by s64", &RISCV64, Opcode::G_MUL, &[128]),
    ("multiplication s256 by s64", &RISCV64, Opcode::G_MUL, &[256]),
    ("high product s64 by halves", &RISCV32, Opcode::G_UMULH, &[64]),
    ("high product s128 by halves", &RISCV64, Opcode::G_UMULH, &[128]),
    ("signed high product s128", &AARCH64, Opcode::G_SMULH, &[128]),
    ("population s32", &RISCV32, Opcode::G_CTPOP, &[32, 32]),
    ("population s64", &RISCV64, Opcode::G_CTPOP, &[64, 64]),
    ("population s128", &AARCH64, Opcode::G_CTPOP, &[128, 128]),
];

/// Proves every step as it is taken.
struct Judge {
    target: &'static Target,
    prover: Prover,
    steps: usize,
    seconds: f64,
    /// Seconds, rule, and verdict.
    slowest: (f64, &'static str, &'static str),
    open: Vec<String>,
}

impl Observer for Judge {
    fn step(&mut self, rule: &'static str, function: &mut Function, before: &[InstData], after: &mut Vec<Inst>) {
        let before: Fragment = before.to_vec();
        let after: Fragment = after.iter().map(|&inst| function.inst(inst).clone()).collect();
        let started = Instant::now();
        let verdict = self.prover.judge(self.target, &Step { rule, function, before: &before, after: &after });
        let seconds = started.elapsed().as_secs_f64();
        self.steps += 1;
        self.seconds += seconds;
        if seconds > self.slowest.0 {
            self.slowest = (seconds, rule, engine_of(&verdict));
        }
        if !matches!(verdict, Verdict::Proved { .. }) {
            self.open.push(format!("{rule}: {}", engine_of(&verdict)));
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    println!("{:<30} {:>6} {:>9} {:>9}  slowest step", "recipe", "steps", "seconds", "slowest");
    for (name, target, opcode, widths) in RECIPES {
        let query = LegalityQuery::new(opcode, widths.iter().map(|&bits| Type::scalar(bits)));
        let mut function = legalize::functions_of(target, &query).pop().ok_or("no instance")?;
        let (steps, seconds, slowest, open) = (0, 0.0, (0.0, "", ""), Vec::new());
        let mut judge = Judge { target, prover: Prover::default(), steps, seconds, slowest, open };
        let features = target.default_features;
        let options = Options::new(features);
        let mut context = Context { target, options, legalizer: (target.legality)(features), observer: &mut judge };
        (PASS.run)(&mut context, &mut function)?;
        let (worst, rule, engine) = judge.slowest;
        let Judge { steps, seconds, .. } = judge;
        println!("{name:<30} {steps:>6} {seconds:>9.3} {worst:>9.3}  {rule} ({engine})");
        rows.push(json!({
            "recipe": name, "steps": steps, "seconds": seconds, "slowest": worst, "rule": rule, "engine": engine
        }));
        if !judge.open.is_empty() {
            return Err(format!("{name}: {}", judge.open.join("; ")).into());
        }
    }
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", json!({"rows": rows}));
    }
    Ok(())
}
