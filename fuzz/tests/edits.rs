//! Whatever is edited, the verifier accepts it, its text reads back, and counting it anew changes nothing else.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::path::{Path, PathBuf};
use tribunal_codegen::{Allocator, Options};
use tribunal_fuzz::{Harness, campaign, edit, mutate};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;

fn harness(target: &'static Target) -> Harness {
    Harness::new(target, Options { features: target.default_features, allocator: Allocator::Ion }).unwrap()
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
    (target, text::parse_module(&source, target.vocabulary).unwrap().functions)
}

/// The verifier accepts it, and so it does what is read back from its text.
fn holds(harness: &Harness, function: &Function, what: &str) {
    let vocabulary = harness.target().vocabulary;
    let module = |function: &Function| Module { functions: vec![function.clone()], ..Module::default() };
    let compact = edit::compact(function).expect("every block that is named is there");
    for (function, stage) in [(function, "edited"), (&compact, "counted anew")] {
        let once = text::print_module(&module(function), vocabulary);
        let findings = tribunal_fuzz::harness::verify(function, harness.target(), legalizer(harness), what);
        assert!(findings.is_empty(), "{what}, {stage}: {}\n{once}", findings[0]);
        let read = text::parse_module(&once, vocabulary).unwrap_or_else(|error| panic!("{what}: {error} in\n{once}"));
        let twice = text::print_module(&read, vocabulary);
        assert_eq!(once, twice, "{what}, {stage}");
    }
    assert_eq!(edit::insts(function).count(), edit::insts(&compact).count());
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
        for seed in 0..60 {
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
