//! Inputs interpreted in lock step end as each does alone.

use std::path::Path;
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::Outcome;
use tribunal_fuzz::campaign;
use tribunal_ir::{Function, text};
use tribunal_target::Target;
use tribunal_trial::inputs;

const FUEL: u64 = 2000;

/// Checks one function; returns the ends of its runs.
fn outcomes(name: &str, function: &Function, target: &'static Target, seed: u64) -> Vec<Outcome> {
    // More than lanes, so that one batch follows another.
    let inputs = inputs::inputs(function, target, inputs::Plan { count: 70, seed });
    let interpreter = Interpreter::new(function, target);
    let mut all = Vec::new();
    for accesses in [KeptAccesses::Volatile, KeptAccesses::All] {
        let settings = Settings { fuel: FUEL, events: 0, accesses };
        for (input, together) in inputs.iter().zip(interpreter.run_all(&inputs, settings)) {
            let shown = |run: Execution| (run.observation, run.instructions);
            let alone = Interpreter::new(function, target).run(input, settings).map(shown);
            assert_eq!(together.map(shown), alone, "{} {name}", target.name);
            all.extend(alone.map(|(observation, _)| observation.outcome));
        }
    }
    all
}

#[test]
fn inputs_together_end_as_each_alone() {
    let mut ends = Vec::new();
    for &target in tribunal_target::ALL {
        for seed in 0..150 {
            let function = campaign::generated(seed, target).unwrap();
            ends.extend(outcomes(&format!("program {seed}"), &function, target, seed));
        }
    }
    // Mutants, with undefined behaviour and nondeterministic choices.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fuzz");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let target = tribunal_target::by_name(&text::architecture(&source).unwrap()).unwrap();
        for function in text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions {
            ends.extend(outcomes(&path.display().to_string(), &function, target, 1));
        }
    }
    let count = |outcome| ends.iter().filter(|&&end| end == outcome).count();
    let counts = [Outcome::Returned, Outcome::Undefined, Outcome::Unconstrained, Outcome::OutOfFuel].map(count);
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}
