//! The bodies of the fuzz targets: each takes bytes, and panics on a finding, which is libFuzzer's signal. The files in
//! `fuzz_targets` pass libFuzzer's bytes to them, and a test runs each for a second.

mod encode;
mod programs;

pub use encode::encode;
pub use programs::{crossed, mutated};

use crate::edit;
use crate::mutate;
use crate::reduce::{self, SearchLimits};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tribunal_codegen::pipeline::{self, Pass};
use tribunal_codegen::{Allocator, Context, NoObserver, Options, allocate, legalize, select, split_edges};
use tribunal_ir::{Function, Module, text};
use tribunal_trial::blame::Witness;
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::{self, Plan};
use tribunal_trial::validate::{self, Kind, Setting};
use tribunal_verifier::prover::Undef;
use tribunal_verifier::{allocation, machine_verifier};

/// Receives the features that a run reached (`features.rs`), by their slots.
pub type Sink<'a> = &'a mut dyn FnMut(u16);

/// A target by its name.
pub type FuzzTarget = (&'static str, fn(&[u8], Sink<'_>));

/// Every target: its name is that of its file in `fuzz_targets`.
pub const ALL: [FuzzTarget; 7] = [
    ("differential", differential),
    ("legalize", legalize),
    ("select", select),
    ("allocate", allocate),
    ("encode", encode),
    ("parse", parse),
    ("validate", validate),
];

/// Inputs a program.
const INPUTS: u32 = 16;
/// The time limit for reducing a program that shows a fault.
const REDUCTION: Duration = Duration::from_secs(10);

/// The time limit for judging a function: questions that take z3 longer take it more memory than libFuzzer grants.
const VALIDATION: Setting = Setting { undef: Undef::OneValue, time: Duration::from_secs(2) };

/// Every judge on a program.
pub fn differential(bytes: &[u8], sink: Sink<'_>) {
    programs::each(bytes, sink, |harness, function| {
        let tally = harness.trial(function, Plan { count: INPUTS, seed: bytes.len() as u64 });
        if let Some(finding) = tally.findings.first() {
            let limits =
                SearchLimits { deadline: Instant::now().checked_add(REDUCTION), stop: &AtomicBool::new(false) };
            let (finding, text) = reduce::crash_file(harness, &[function], finding, &mut NoObserver, limits);
            panic!("{finding}\n{text}");
        }
    });
}

/// A program against its legalized form, both interpreted.
pub fn legalize(bytes: &[u8], sink: Sink<'_>) {
    programs::each(bytes, sink, |harness, function| {
        if let Some(legalized) = until(harness, function, &legalize::PASS) {
            same(harness, function, &legalized, &legalize::PASS, bytes.len());
        }
    });
}

/// A program against its selected instructions, both interpreted.
pub fn select(bytes: &[u8], sink: Sink<'_>) {
    programs::each(bytes, sink, |harness, function| {
        if let Some(selected) = until(harness, function, &select::PASS) {
            same(harness, function, &selected, &select::PASS, bytes.len());
        }
    });
}

/// A program's allocation by each allocator, checked and interpreted.
pub fn allocate(bytes: &[u8], sink: Sink<'_>) {
    programs::each(bytes, sink, |harness, function| {
        let Some(selected) = until(harness, function, &split_edges::PASS) else { return };
        for allocator in [Allocator::Ion, Allocator::Fastalloc] {
            let options = Options { allocator, ..harness.options() };
            let Some(allocated) = from(harness, &selected, options, &allocate::PASS) else { continue };
            let findings = allocation::check(&selected, &allocated, harness.target(), options.features);
            assert!(findings.is_empty(), "{allocator:?}: {findings:?}\n{}", printed(harness, function));
            same(harness, function, &allocated, &allocate::PASS, bytes.len());
        }
    });
}

/// Text: the printed form of a program that was read is read as the same program.
pub fn parse(bytes: &[u8], _sink: Sink<'_>) {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    for target in tribunal_target::ALL {
        let Ok(module) = text::parse_module(source, target.vocabulary) else { continue };
        let printed = text::print_module(&module, target.vocabulary);
        let again = text::parse_module(&printed, target.vocabulary)
            .unwrap_or_else(|error| panic!("what is printed is not read: {error:?}\n{printed}"));
        assert_eq!(text::print_module(&again, target.vocabulary), printed, "read and printed again");
        let legalizer = (target.legality)(target.default_features);
        module.functions.iter().for_each(|function| drop(machine_verifier::verify(function, target, legalizer)));
    }
}

/// The translation validator against runs: the legalizer's work is not refuted, and a changed program is proved only if
/// it runs alike.
pub fn validate(bytes: &[u8], sink: Sink<'_>) {
    programs::each(bytes, sink, |harness, function| {
        let Some(legalized) = until(harness, function, &legalize::PASS) else { return };
        let target = harness.target();
        let module = |function: &Function| Module { functions: vec![function.clone()], ..Module::default() };
        let judge =
            |after: &Function| validate::validate(&module(function), &module(after), target, VALIDATION).remove(0).kind;
        if let Kind::Refuted(found) = judge(&legalized) {
            panic!("legalization refuted: {found}\n{}", printed(harness, function));
        }
        let mut changed = function.clone();
        let mut random = SmallRng::seed_from_u64(bytes.len() as u64);
        mutate::mutate(&mut changed, None, target, 1, &mut random);
        let is_fit = |changed: &Function| harness.accepts(changed) && programs::is_short(changed, target, bytes.len());
        let Some(changed) = edit::compact(&changed, target).filter(is_fit) else { return };
        if judge(&changed) == Kind::Proved {
            same(harness, function, &changed, &legalize::PASS, bytes.len());
        }
    });
}

/// The function after `pass`; `None` if something is not supported.
fn until(harness: &mut Harness, function: &Function, pass: &Pass) -> Option<Function> {
    let options = harness.options();
    from(harness, function, options, pass)
}

fn from(harness: &mut Harness, function: &Function, options: Options, pass: &Pass) -> Option<Function> {
    let (target, mut function) = (harness.target(), function.clone());
    let legalizer = (target.legality)(options.features);
    let mut context = Context { target, options, legalizer, observer: harness.recorder() };
    pipeline::run_until(&mut function, &mut context, Some(pass.name)).ok().map(|_| function)
}

/// Runs `before` and its form after `pass`; panics where `before` does not allow the latter's behaviour.
fn same(harness: &Harness, before: &Function, after: &Function, pass: &Pass, seed: usize) {
    let target = harness.target();
    for input in inputs::inputs(before, target, Plan { count: INPUTS, seed: seed as u64 }) {
        let Some(witness) = Witness::new(before, target, &input) else { continue };
        let both = || format!("{}\n{}", printed(harness, before), printed(harness, after));
        assert!(witness.is_right(after, pass.name), "{} is wrong on {input:?}\n{}", pass.name, both());
    }
}

fn printed(harness: &Harness, function: &Function) -> String {
    text::print_function(function, harness.target().vocabulary)
}
