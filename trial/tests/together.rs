//! Functions of a module that run together: right code passes, and code that is wrong only together does not.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::pipeline::Code;
use tribunal_codegen::{NoObserver, Observer, Options};
use tribunal_ir::{Function, text};
use tribunal_target::Target;
use tribunal_trial::inputs::Plan;
use tribunal_trial::{Harness, Tally};

const PLAN: Plan = Plan { count: 16, seed: 1 };

/// `sums`: recursion with two words on the stack of each call, calls through a table. `ends`: objects of variable size,
/// and traps. `entered`: a call through a register of a function that leaves by another call, functions that ask for
/// addresses of code and of frames, and unknown functions that are given objects of variable size.
fn module(name: &str, target: &Target) -> Vec<Function> {
    let path = format!("{}/tests/modules/{name}.{}.mir", env!("CARGO_MANIFEST_DIR"), target.name);
    let source = std::fs::read_to_string(path).unwrap();
    text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions
}

fn harness(target: &'static Target) -> Harness {
    Harness::new(target, Options::new(target.default_features)).unwrap()
}

fn trial(name: &str, target: &'static Target, saboteur: &mut dyn Observer) -> Tally {
    let module = module(name, target);
    let module: Vec<&Function> = module.iter().collect();
    harness(target).trial_together(&module, PLAN, saboteur)
}

/// Right code of a module, whose calling functions run on as many inputs; the counts are of runs and of inputs on which
/// the source promises nothing.
fn passes(name: &str, expected: (u64, u64)) {
    for &target in tribunal_target::ALL {
        let tally = trial(name, target, &mut NoObserver);
        assert!(tally.findings.is_empty() && tally.unsupported.is_empty(), "{}: {tally:?}", target.name);
        assert_eq!((tally.executions, tally.inconclusive), expected, "{}: {:?}", target.name, tally.reasons);
    }
}

#[test]
fn callees_are_executed_in_both_engines() {
    passes("sums", (64, 0));
}

#[test]
fn objects_of_variable_size_and_traps_have_executions() {
    passes("ends", (64, 0));
}

#[test]
fn a_function_entered_through_a_register_may_leave_by_another_call() {
    passes("entered", (32, 0));
}

/// Every judge passes each function alone. A frame two callers up is the machine's own, so no input is conclusive.
#[test]
fn addresses_of_code_and_frames_are_judged() {
    for &target in tribunal_target::ALL {
        for function in module("entered", target) {
            let inputs = tribunal_trial::inputs::inputs(&function, target, PLAN);
            let tally = harness(target).trial_on(&function, &inputs);
            let expected = if function.name == "above" { (0, 16) } else { (16, 0) };
            let name = format!("{} @{}: {tally:?}", target.name, function.name);
            assert!(tally.findings.is_empty() && tally.unsupported.is_empty(), "{name}");
            assert_eq!((tally.executions, tally.inconclusive), expected, "{name}");
        }
    }
}

/// Writes a word over a word of a function's code: the first that is `from`, or the first of all.
struct Overwrite {
    function: &'static str,
    from: Option<u32>,
    to: u32,
}

impl Observer for Overwrite {
    fn after_emission(&mut self, code: &mut Code) {
        if code.name == self.function {
            let is_wanted = |word: &&mut [u8]| self.from.is_none_or(|from| **word == from.to_le_bytes());
            let place = code.bytes.chunks_exact_mut(4).find(is_wanted).unwrap();
            place.copy_from_slice(&self.to.to_le_bytes());
        }
    }
}

const RETURN: u32 = 0xd65f_03c0;
const TRAP: u32 = 0xd420_0020;

#[test]
fn wrong_code_of_a_callee_is_a_finding_about_its_callers() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let mut fault = Overwrite { function: "leaf", from: None, to: RETURN };
    let tally = trial("sums", target, &mut fault);
    let first = tally.findings.first().unwrap();
    let module = module("sums", target);
    // The function that the finding is about comes first.
    let again = (0..module.len()).find_map(|root| {
        let mut order: Vec<&Function> = module.iter().collect();
        order.swap(0, root);
        harness(target).reproduce_together(&order, first, &mut fault)
    });
    assert!(again.is_some_and(|again| again.is_same_fault(first)));
}

#[test]
fn a_trap_that_is_missing_or_that_nobody_asked_for_is_a_finding() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let module = module("ends", target);
    let checked = module.iter().find(|function| function.name == "checked").unwrap();
    let inputs = tribunal_trial::inputs::inputs(checked, target, PLAN);
    let right = harness(target).trial_on(checked, &inputs);
    assert_eq!((right.findings.len(), right.executions), (0, 16));
    for (from, to) in [(Some(TRAP), RETURN), (None, TRAP)] {
        let mut fault = Overwrite { function: "checked", from, to };
        let wrong = harness(target).trial_with(checked, &inputs, &mut fault);
        assert!(!wrong.findings.is_empty(), "{from:?} {to:#x}");
    }
}
