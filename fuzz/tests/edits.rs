//! After any edit the verifier accepts the function, its text reads back, and compaction changes nothing else.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tribunal_codegen::Options;
use tribunal_fuzz::edit::Edit;
use tribunal_fuzz::reduce::{self, Case, SearchLimits};
use tribunal_fuzz::{campaign, edit, mutate};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;
use tribunal_trial::Harness;

fn harness(target: &'static Target) -> Harness {
    Harness::new(target, Options::new(target.default_features)).unwrap()
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("corpus").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "mir")).collect();
    files.sort();
    files
}

fn functions(path: &Path) -> (&'static Target, Vec<Function>) {
    let source = std::fs::read_to_string(path).unwrap();
    let target = tribunal_target::by_name(&text::architecture(&source).unwrap()).unwrap();
    (target, text::parse_module(&source, target.vocabulary).unwrap().whole().unwrap().functions)
}

/// The verifier accepts it, and so it does what is read back from its text.
fn holds(harness: &Harness, function: &Function, what: &str) {
    let vocabulary = harness.target().vocabulary;
    let module = |function: &Function| Module { functions: vec![function.clone()], ..Module::default() };
    let compact = edit::compact(function, harness.target()).expect("every block that is named is there");
    for (function, stage) in [(function, "edited"), (&compact, "counted anew")] {
        let once = text::print_module(&module(function), vocabulary);
        let findings = tribunal_trial::harness::verify(function, harness.target(), legalizer(harness));
        assert!(findings.is_empty(), "{what}, {stage}: {}\n{once}", findings[0]);
        let read = text::parse_module(&once, vocabulary).unwrap_or_else(|error| panic!("{what}: {error} in\n{once}"));
        let twice = text::print_module(&read, vocabulary);
        assert_eq!(once, twice, "{what}, {stage}");
    }
    assert_eq!(function.all_insts().count(), compact.all_insts().count());
}

fn legalizer(harness: &Harness) -> &'static tribunal_target::legality::LegalizerInfo {
    (harness.target().legality)(harness.options().features)
}

/// Edits `function` over and over, from itself and from `other`.
fn edited(harness: &Harness, function: &Function, other: &Function, seed: u64, rounds: usize) -> usize {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut function = function.clone();
    let mut made = 0;
    for round in 0..rounds {
        made += mutate::mutate(&mut function, Some(other), harness.target(), 1, &mut random);
        holds(harness, &function, &format!("{} seed {seed} round {round}", function.name));
    }
    made
}

#[test]
fn generated_programs_stay_valid() {
    let mut made = 0;
    for &target in tribunal_target::ALL {
        let harness = harness(target);
        for seed in 0..72 {
            let function = campaign::generated(seed, target).unwrap();
            let other = campaign::generated(seed + 1000, target).unwrap();
            made += edited(&harness, &function, &other, seed, 40);
        }
    }
    assert!(made > 5000, "{made} edits were made");
}

#[test]
fn files_of_the_corpus_stay_valid() {
    let mut made = 0;
    let folders = ["real", "bugs", "run/riscv64", "run/aarch64"];
    for path in folders.iter().flat_map(|folder| files(folder)).step_by(5) {
        let (target, functions) = functions(&path);
        let harness = harness(target);
        for (index, function) in functions.iter().enumerate().filter(|(_, function)| harness.accepts(function)) {
            made += edited(&harness, function, &functions[0], index as u64, 12);
        }
    }
    assert!(made > 1000, "{made} edits were made");
}

/// Reduces with a random oracle: no candidate is invalid, whatever the oracle accepts.
fn reduced_at_random(harness: &Harness, function: &Function, seed: u64) -> u64 {
    let mut random = SmallRng::seed_from_u64(seed);
    let case = Case { ir: None, functions: vec![function.clone()], input: None };
    let limits = SearchLimits { deadline: None, stop: &AtomicBool::new(false) };
    let mut first = true;
    let mut dice = |_: &Case| std::mem::replace(&mut first, false) || random.random_ratio(1, 5);
    let (target, features) = (harness.target(), harness.options().features);
    let reduction = reduce::search(case, target, features, limits, &mut dice, &mut |_, _| {}).unwrap();
    let printed = text::print_function(&reduction.case.functions[0], target.vocabulary);
    assert_eq!(reduction.rejected, 0, "{} seed {seed}", function.name);
    assert!(harness.accepts(&reduction.case.functions[0]), "{printed}");
    reduction.tests
}

#[test]
fn no_candidate_of_the_reducer_is_invalid() {
    let mut tests = 0;
    for &target in tribunal_target::ALL {
        let harness = harness(target);
        for seed in 0..40 {
            tests += reduced_at_random(&harness, &campaign::generated(seed, target).unwrap(), seed);
        }
    }
    let folders = ["real", "bugs", "run/riscv64", "run/riscv32", "run/aarch64"];
    for path in folders.iter().flat_map(|folder| files(folder)).step_by(7) {
        let (target, functions) = functions(&path);
        let harness = harness(target);
        for (index, function) in functions.iter().enumerate().filter(|(_, function)| harness.accepts(function)) {
            tests += reduced_at_random(&harness, function, index as u64);
        }
    }
    assert!(tests > 10_000, "{tests} candidates");
}

const CALL: &str = "
# target: riscv64
---
name: call
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10, $x11, $x12, $x13

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = COPY $x12
    %3:_(s64) = COPY $x13
    ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
    $x10 = COPY %0(s64)
    $x11 = COPY %1(s64)
    $x12 = COPY %2(s64)
    $x13 = COPY %3(s64)
    PseudoCALL target-flags(riscv-call) &__udivti3, csr_ilp32_lp64, implicit-def $x1, implicit $x10, implicit $x11, implicit $x12, implicit $x13, implicit-def $x10, implicit-def $x11
    ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
    %4:_(s64) = COPY $x10
    %5:_(s64) = COPY $x11
    $x10 = COPY %4(s64)
    $x11 = COPY %5(s64)
    PseudoRET implicit $x10, implicit $x11
...
";

#[test]
fn a_call_goes_whole_and_a_result_with_its_copy() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let harness = harness(target);
    let mut function = text::parse_module(CALL.trim_start(), target.vocabulary).unwrap().functions.remove(0);
    assert!(harness.accepts(&function));
    let inside = function.all_insts().nth(7).unwrap();
    for refused in [Edit::Split(inside), Edit::Remove(inside), Edit::RemoveCall(inside)] {
        assert!(!refused.apply(&mut function, target), "{refused:?}");
    }
    let frame = function.all_insts().nth(4).unwrap();
    let second = target.vocabulary.register("x11").unwrap();
    for edit in [Edit::RemoveCall(frame), Edit::DropResult(second)] {
        assert!(edit.apply(&mut function, target), "{edit:?}");
        holds(&harness, &function, "the call");
    }
    let printed = text::print_function(&edit::compact(&function, target).unwrap(), target.vocabulary);
    assert!(
        !printed.contains("PseudoCALL") && !printed.contains("ADJCALL") && !printed.contains("$x11 ="),
        "{printed}"
    );
    assert!(printed.ends_with("    PseudoRET implicit $x10\n...\n"), "{printed}");
}
