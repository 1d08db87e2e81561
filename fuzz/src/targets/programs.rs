//! libFuzzer's inputs as programs, and a mutator and a crossover that keep them programs.
//!
//! An input is a MIR file of one function, the same text that a campaign's corpus holds. From any other bytes the
//! generator makes a function, for every target.

use super::Sink;
use crate::edit;
use crate::generator;
use crate::mutate;
use arbitrary::Unstructured;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::cell::RefCell;
use tribunal_codegen::Options;
use tribunal_emulator::interpreter::{Interpreter, KeptAccesses, Settings};
use tribunal_emulator::observation::Outcome;
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::{self, Plan};

/// The most instructions of a run of a program on an input.
const LONGEST_RUN: u64 = 1 << 10;
/// Edits of one mutant at most.
const EDITS: usize = 4;

/// Passes to `body` the program that `bytes` are, or the generator's program from them for each target, with that
/// target's judges. Panics if the verifier rejects a generated program; text may come from anywhere.
pub(super) fn each(bytes: &[u8], sink: Sink<'_>, mut body: impl FnMut(&mut Harness, &Function)) {
    thread_local! {
        static HARNESSES: RefCell<Vec<Harness>> = RefCell::new(
            tribunal_target::ALL
                .iter()
                .map(|&target| {
                    let options = Options::new(target.default_features);
                    Harness::new(target, options).expect("the emulator starts")
                })
                .collect(),
        );
    }
    let read = program(bytes);
    HARNESSES.with_borrow_mut(|harnesses| {
        for harness in harnesses {
            let (target, mut features) = (harness.target(), harness.target().default_features);
            let function = match &read {
                Some((named, function)) if named.name == target.name => {
                    // A machine without a register has no code that names it.
                    features |= target.features_of_registers(function);
                    target.settled(function, features).into_owned()
                }
                Some(_) => continue,
                None => match generator::generate(&mut Unstructured::new(bytes), target, features, "f") {
                    Ok(function) => function,
                    Err(_) => continue,
                },
            };
            harness.set_options(Options::new(features));
            match (harness.accepts(&function), &read) {
                (true, _) if is_short(&function, target, bytes.len()) => {
                    harness.recorder().start(target);
                    body(harness, &function);
                    harness.last_features().iter().for_each(|&slot| sink(slot));
                }
                (true, _) => {}
                (false, Some(_)) => {}
                (false, None) => panic!("the generator wrote a function that the verifier rejects"),
            }
        }
    });
}

/// True if no run of the program is long. The bodies interpret some stages many times, and under a sanitizer a long
/// program would stall a fuzzer. Longer programs are left to the embedded loop.
pub(super) fn is_short(function: &Function, target: &'static Target, seed: usize) -> bool {
    let interpreter = Interpreter::new(function, target);
    let settings = Settings { fuel: LONGEST_RUN, events: 0, accesses: KeptAccesses::Volatile };
    let plan = Plan { count: super::INPUTS, seed: seed as u64 };
    inputs::inputs(function, target, plan).iter().all(|input| {
        let run = interpreter.run(input, settings);
        !run.is_ok_and(|execution| execution.observation.outcome == Outcome::OutOfFuel)
    })
}

/// The program whose text is `bytes`.
fn program(bytes: &[u8]) -> Option<(&'static Target, Function)> {
    let source = std::str::from_utf8(bytes).ok()?;
    let target = tribunal_target::by_name(&text::architecture(source)?)?;
    let mut functions = text::parse_module(source, target.vocabulary).ok()?.whole().ok()?.functions;
    functions.pop().filter(|_| functions.is_empty()).map(|function| (target, function))
}

/// A mutant of at most `most` bytes of the program that `bytes` are; a generated one if they are none. `None` if no
/// attempt is short enough.
pub fn mutated(bytes: &[u8], most: usize, seed: u32) -> Option<Vec<u8>> {
    let mut random = SmallRng::seed_from_u64(seed.into());
    let (target, function) = program(bytes).or_else(|| generated(most, &mut random))?;
    changed(target, function, None, most, &mut random)
}

/// A program of at most `most` bytes out of two.
pub fn crossed(bytes: &[u8], other: &[u8], most: usize, seed: u32) -> Option<Vec<u8>> {
    let mut random = SmallRng::seed_from_u64(seed.into());
    let (target, function) = program(bytes)?;
    let (_, other) = program(other).filter(|(other, _)| other.name == target.name)?;
    changed(target, function, Some(&other), most, &mut random)
}

fn changed(
    target: &'static Target,
    function: Function,
    other: Option<&Function>,
    most: usize,
    random: &mut SmallRng,
) -> Option<Vec<u8>> {
    (0..8).find_map(|_| {
        let mut mutant = function.clone();
        let count = random.random_range(1..=EDITS);
        mutate::mutate(&mut mutant, other, target, count, random);
        printed(&edit::compact(&mutant, target)?, target, most)
    })
}

fn generated(most: usize, random: &mut SmallRng) -> Option<(&'static Target, Function)> {
    (0..64).find_map(|_| {
        let target = tribunal_target::ALL[random.random_range(0..tribunal_target::ALL.len())];
        let function = crate::campaign::generated_unaimed(random.random(), target, target.default_features)?;
        printed(&function, target, most).map(|_| (target, function))
    })
}

fn printed(function: &Function, target: &Target, most: usize) -> Option<Vec<u8>> {
    let comments = vec![format!("target: {}", target.name)];
    let module = Module { comments, functions: vec![function.clone()], ..Module::default() };
    Some(text::print_module(&module, target.vocabulary).into_bytes()).filter(|text| text.len() <= most)
}
