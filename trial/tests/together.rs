//! Functions of a module that run together: right code passes, and code that is wrong only together does not.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Code;
use tribunal_codegen::{Allocator, NoObserver, Observer, Options};
use tribunal_ir::{Function, text};
use tribunal_target::Target;
use tribunal_trial::inputs::Plan;
use tribunal_trial::{Harness, Tally};

const PLAN: Plan = Plan { count: 16, seed: 1 };

/// A sum by recursion, with two words on the stack of each call; the function that begins it; one that leaves by a call.
fn module(target: &Target) -> Vec<Function> {
    let source =
        std::fs::read_to_string(format!("{}/tests/modules/sums.{}.mir", env!("CARGO_MANIFEST_DIR"), target.name));
    text::parse_module(&source.unwrap(), target.vocabulary).unwrap().whole().unwrap().functions
}

fn trial(target: &'static Target, saboteur: &mut dyn Observer) -> Tally {
    let options = Options { features: target.default_features, allocator: Allocator::Ion };
    let module = module(target);
    let module: Vec<&Function> = module.iter().collect();
    Harness::new(target, options).unwrap().trial_together(&module, PLAN, saboteur)
}

#[test]
fn callees_are_executed_in_both_engines() {
    for &target in tribunal_target::ALL {
        let tally = trial(target, &mut NoObserver);
        assert!(tally.findings.is_empty() && tally.unsupported.is_empty(), "{}: {tally:?}", target.name);
        assert!(tally.executions > 3 * u64::from(PLAN.count) / 2, "{}: {tally:?}", target.name);
    }
}

/// Swaps the first two instructions of a function's code.
struct Swap(&'static str);

impl Observer for Swap {
    fn after_emission(&mut self, code: &mut Code) {
        if code.name == self.0 {
            code.bytes[..8].rotate_left(4);
        }
    }
}

#[test]
fn wrong_code_of_a_callee_is_a_finding_about_its_callers() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    assert!(!trial(target, &mut Swap("leaf")).findings.is_empty());
}
