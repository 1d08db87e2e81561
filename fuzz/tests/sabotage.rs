//! The measurement of the judges: known miscompiles are killed, and blamed on a rule in which they acted.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_fuzz::sabotage::{self, TrialLimits};
use tribunal_trial::harness::ProofCache;

/// Times that stop what hangs: a slow machine gets by with them.
const LIMITS: TrialLimits =
    TrialLimits { time: Duration::from_secs(300), reduction: Duration::from_secs(300), enough: 8, seed: 1, inputs: 16 };

#[test]
fn faults_have_names_of_their_own_and_targets_that_exist() {
    let names: BTreeSet<&str> = sabotage::faults().map(|fault| fault.name).collect();
    assert_eq!(names.len(), sabotage::faults().count());
    assert_eq!(names.len(), 305);
    for fault in sabotage::faults() {
        assert!(!fault.targets.is_empty(), "{}", fault.name);
        assert!(fault.targets.iter().all(|name| tribunal_target::by_name(name).is_some()), "{}", fault.name);
    }
    let layers: BTreeSet<&str> = sabotage::faults().map(sabotage::Fault::layer).collect();
    assert_eq!(
        layers.into_iter().collect::<Vec<_>>(),
        ["allocate", "bank-select", "emit", "frame", "legalize", "relax-branches", "select", "split-edges"]
    );
}

/// One of each layer and more, on both instruction sets; `tribunal sabotage` plants all of them.
#[test]
fn faults_of_every_layer_are_killed_blamed_and_made_small() {
    let (proofs, stop) = (ProofCache::default(), AtomicBool::new(false));
    for name in [
        "lshr-widened-by-its-sign",
        "carry-turned-over",
        "smulo-of-negative-products",
        "store-without-its-last-part",
        "zext-of-trunc-for-nothing",
        "high-product-of-the-other-sign",
        "stores-reordered",
        "unread-volatile-load-left-out",
        "volatile-stores-exchanged",
        "move-that-stores-too-early",
        "copy-for-a-move",
        "fence-left-out",
        "fence-of-fewer-accesses",
        "fence-before-a-store-weaker",
        "ordered-load-as-a-plain-one",
        "volatile-load-made-twice",
        "copy-left-out",
        "frame-not-allocated",
        "condition-turned-over",
        "call-linked-to-another-function",
        "branch-labels-exchanged-by-split-edges",
        "return-for-a-jump-by-frame",
        "alignment-raised-by-select",
        "exact-added-by-legalize",
        "arguments-exchanged-by-bank-select",
        "spill-slot-halved-by-allocate",
    ] {
        let fault = sabotage::named(name).unwrap();
        for target in fault.targets.iter().map(|name| tribunal_target::by_name(name).unwrap()) {
            let trial = sabotage::trial(fault, target, LIMITS, &proofs, &stop).unwrap();
            let place = format!("{name} on {}", target.name);
            let kill = trial.kill.unwrap_or_else(|| panic!("{place} lives"));
            assert!(kill.is_blamed, "{place}: {:?}", kill.findings.iter().map(ToString::to_string).collect::<Vec<_>>());
            let left = kill.body().unwrap_or_else(|| panic!("{place}: not reduced"));
            assert!(left <= 8, "{place}: {left} instructions");
        }
    }
}

/// In these programs there is always more that no single edit can spare. Each is the first of a seed that shows the
/// fault.
#[test]
fn several_edits_at_once_leave_at_most_five_instructions() {
    let (proofs, stop) = (ProofCache::default(), AtomicBool::new(false));
    for (name, target, seed) in [
        ("saddsat-at-the-other-bound", "riscv64", 1),
        ("insert-over-what-was-there", "riscv64", 1),
        ("word-shift-at-full-width", "riscv64", 4),
        ("stores-reordered", "riscv64", 2),
        ("spill-slots-share-memory", "aarch64", 3),
    ] {
        let (fault, target) = (sabotage::named(name).unwrap(), tribunal_target::by_name(target).unwrap());
        let limits = TrialLimits { enough: usize::MAX, seed, ..LIMITS };
        let kill = sabotage::trial(fault, target, limits, &proofs, &stop).unwrap().kill.unwrap();
        assert!(kill.instructions().is_some_and(|left| left <= 5), "{name}: {:?}", kill.instructions());
    }
}

/// Some program that kills it has more that cannot go, and a later one becomes small.
#[test]
fn a_fault_killed_by_a_program_that_stays_large_is_shown_by_a_smaller_one() {
    let (proofs, stop) = (ProofCache::default(), AtomicBool::new(false));
    let fault = sabotage::named("saved-registers-share-memory").unwrap();
    let mut stays_large = false;
    for (target, seed) in fault.targets.iter().flat_map(|name| [(name, 1), (name, 2)]) {
        let target = tribunal_target::by_name(target).unwrap();
        let left = |enough| {
            let limits = TrialLimits { enough, seed, ..LIMITS };
            let kill = sabotage::trial(fault, target, limits, &proofs, &stop).unwrap().kill.unwrap();
            kill.instructions().unwrap()
        };
        stays_large |= left(usize::MAX) > 5;
        assert!(left(5) <= 5, "{}", target.name);
    }
    assert!(stays_large, "no first program stayed large");
}
