//! Features, and the programs that a corpus keeps for them.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use rustc_hash::FxHashSet;
use std::path::Path;
use tribunal_codegen::Options;
use tribunal_fuzz::campaign::generated;
use tribunal_fuzz::corpus::Corpus;
use tribunal_ir::{Function, text};
use tribunal_target::Target;
use tribunal_trial::Harness;
use tribunal_trial::features::{FeatureKind, SLOTS};
use tribunal_trial::inputs::Plan;

const PLAN: Plan = Plan { count: 2, seed: 1 };

fn target() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

fn harness() -> Harness {
    Harness::new(target(), Options::new(target().default_features)).unwrap()
}

fn function(body: &str) -> Function {
    let head = "name: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $x10\n    %0:_(s64) = COPY $x10\n";
    let lines: String = body.lines().map(|line| format!("    {}\n", line.trim())).collect();
    let source = format!("# target: riscv64\n---\n{head}{lines}    PseudoRET implicit $x10\n...\n");
    let module = text::parse_module(&source, target().vocabulary);
    module.unwrap_or_else(|error| panic!("{error} in\n{source}")).functions.remove(0)
}

/// The features that a passing trial reaches, and their number of each kind.
fn reached(harness: &mut Harness, function: &Function) -> FxHashSet<u16> {
    let tally = harness.trial(function, PLAN);
    assert_eq!(tally.passed, 1, "{tally:?}");
    harness.last_features().iter().copied().collect()
}

fn of(kind: FeatureKind, features: &FxHashSet<u16>) -> FxHashSet<u16> {
    let (first, slots) = kind.slots();
    features.iter().copied().filter(|&slot| (first..first + slots).contains(&usize::from(slot))).collect()
}

fn narrow(width: u32, opcode: &str) -> Function {
    function(&format!(
        "%1:_(s{width}) = G_TRUNC %0
        %2:_(s{width}) = {opcode} %1, %1
        %3:_(s64) = G_ANYEXT %2
        $x10 = COPY %3(s64)"
    ))
}

fn plus(constant: i64) -> Function {
    function(&format!(
        "%1:_(s64) = G_CONSTANT i64 {constant}
        %2:_(s64) = G_ADD %0, %1
        $x10 = COPY %2(s64)"
    ))
}

#[test]
fn the_parts_of_the_map_are_apart_and_fill_it() {
    let mut next = 0;
    for kind in FeatureKind::ALL {
        let (first, slots) = kind.slots();
        assert_eq!(first, next, "{kind:?}");
        next = first + slots;
    }
    assert_eq!(next, SLOTS);
}

#[test]
fn a_feature_is_what_a_rule_did_and_not_that_it_fired() {
    let mut harness = harness();
    let mut all = |function: &Function| reached(&mut harness, function);
    let first = all(&narrow(8, "G_ADD"));
    assert_eq!(all(&narrow(8, "G_ADD")), first, "the same program reaches the same");
    for kind in [FeatureKind::Types, FeatureKind::Recipe, FeatureKind::Pair] {
        assert!(!of(kind, &first).is_empty(), "{kind:?}");
    }
    // Widths between the same powers of two are one class; a power of two is its own.
    assert_eq!(of(FeatureKind::Types, &all(&narrow(9, "G_ADD"))), of(FeatureKind::Types, &all(&narrow(15, "G_ADD"))));
    let wider = all(&narrow(16, "G_ADD"));
    assert_ne!(of(FeatureKind::Types, &wider), of(FeatureKind::Types, &first));
    assert_eq!(of(FeatureKind::Pair, &wider), of(FeatureKind::Pair, &first), "the same rules in the same order");
    let product = all(&narrow(8, "G_MUL"));
    assert_ne!(of(FeatureKind::Pair, &product), of(FeatureKind::Pair, &first));
    // The verifier asks the same of a wider sum, on input and after each pass, and other opcodes' checks of a product.
    assert_eq!(of(FeatureKind::Check, &wider), of(FeatureKind::Check, &first));
    assert_ne!(of(FeatureKind::Check, &product), of(FeatureKind::Check, &first));
    // Immediates of one selection rule.
    let [small, least, bound] = [3, -2048, 2047].map(|constant| all(&plus(constant)));
    assert_eq!(all(&plus(3)), small);
    assert_ne!(of(FeatureKind::Immediate, &small), of(FeatureKind::Immediate, &least));
    assert_ne!(of(FeatureKind::Immediate, &bound), of(FeatureKind::Immediate, &least));
    assert_eq!(of(FeatureKind::Types, &bound), of(FeatureKind::Types, &least));
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[test]
fn a_smaller_program_takes_the_place_of_a_larger_one_and_files_that_were_read_stay() {
    let folder = tempfile::tempdir().unwrap();
    let targets = [(target(), target().default_features)];
    let mut harness = harness();
    let small = plus(3);
    // The same sum, then more of the same.
    let more: String = (3..12).map(|index| format!("%{index}:_(s64) = G_ADD %{}, %1\n", index - 1)).collect();
    let large =
        function(&format!("%1:_(s64) = G_CONSTANT i64 3\n%2:_(s64) = G_ADD %0, %1\n{more}$x10 = COPY %11(s64)"));
    let corpus = Corpus::open(folder.path(), &targets).unwrap();
    let mut keep = |corpus: &Corpus, function: &Function, is_read| {
        reached(&mut harness, function);
        corpus.keep(function, is_read, &harness)
    };
    assert!(keep(&corpus, &large, false));
    assert!(!keep(&corpus, &large, false), "it reaches nothing new");
    assert_eq!(files(folder.path()), 1);
    assert!(keep(&corpus, &small, false), "it reaches the same in half the instructions");
    let growth = corpus.growth();
    assert_eq!((growth.added, growth.replaced, growth.unwritten), (2, 1, None));
    assert_eq!(files(folder.path()), 1);

    let corpus = Corpus::open(folder.path(), &targets).unwrap();
    assert_eq!(corpus.read, 1);
    let drawn = corpus.next(target(), 1).unwrap();
    assert!(drawn.is_read);
    assert!(keep(&corpus, &drawn.function, drawn.is_read));
    let least = function("%1:_(s64) = G_CONSTANT i64 3\n$x10 = COPY %1(s64)");
    keep(&corpus, &least, false);
    assert!(files(folder.path()) >= 1 && corpus.growth().replaced == 0, "what was read stays");
}

#[test]
fn what_was_reached_is_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::open(folder.path(), &[(target(), target().default_features)]).unwrap();
    let mut harness = harness();
    let mut all = FxHashSet::default();
    let mut round = || {
        let mut kept = 0;
        for function in (0..30).filter_map(|seed| generated(seed, target())) {
            all.extend(reached(&mut harness, &function));
            kept += u64::from(corpus.keep(&function, false, &harness));
        }
        kept
    };
    let (first, second) = (round(), round());
    assert!(first > 10 && second == 0, "{first}, {second}");
    let growth = corpus.growth();
    assert_eq!(growth.added, first);
    assert_eq!(files(folder.path()) as u64, growth.added - growth.replaced);
    assert!(growth.added - growth.replaced <= all.len() as u64);
}
