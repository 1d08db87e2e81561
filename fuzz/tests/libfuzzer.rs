//! libFuzzer's hooks make programs from programs, and from nothing.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use rustc_hash::FxHashSet;
use tribunal_codegen::Options;
use tribunal_fuzz::targets::{crossed, differential, mutated};
use tribunal_ir::text;
use tribunal_trial::Harness;

const MOST: usize = 16 << 10;

/// The verifier accepts the program that the text is.
fn holds(bytes: &[u8]) -> &'static str {
    let source = std::str::from_utf8(bytes).unwrap();
    let target = tribunal_target::by_name(&text::architecture(source).unwrap()).unwrap();
    let module = text::parse_module(source, target.vocabulary).unwrap_or_else(|error| panic!("{error} in\n{source}"));
    let options = Options::new(target.default_features);
    assert!(Harness::new(target, options).unwrap().accepts(&module.functions[0]), "{source}");
    target.name
}

#[test]
fn mutants_are_programs_and_change() {
    let mut input = b"no program".to_vec();
    let mut changes = 0;
    for seed in 0..200 {
        let mutant = mutated(&input, MOST, seed).expect("something of this size can be made");
        assert!(mutant.len() <= MOST);
        changes += usize::from(mutant != input);
        holds(&mutant);
        input = mutant;
    }
    assert!(changes > 180, "{changes} changes");
    assert_eq!(mutated(&input, 10, 1), None);
}

#[test]
fn two_programs_cross_where_their_targets_agree() {
    let one = mutated(b"", MOST, 1).unwrap();
    let mut crosses = 0;
    for seed in 0..40 {
        let other = mutated(b"", MOST, seed).unwrap();
        match (crossed(&one, &other, MOST, seed), holds(&one) == holds(&other)) {
            (Some(cross), true) => {
                assert_eq!(holds(&cross), holds(&one));
                crosses += 1;
            }
            (cross, same) => assert!(!same && cross.is_none()),
        }
    }
    assert!(crosses > 4, "{crosses} crosses");
    assert_eq!(crossed(b"no program", &one, MOST, 1), None);
}

#[test]
fn the_target_judges_text_and_takes_any_bytes() {
    let (mut input, mut judged) = (Vec::new(), 0);
    for seed in 0..24 {
        input = mutated(&input, MOST, seed).unwrap();
        let mut features = FxHashSet::default();
        differential(&input, &mut |slot| _ = features.insert(slot));
        judged += usize::from(!features.is_empty());
    }
    // Programs of long runs are left aside.
    assert!(judged >= 12, "{judged} programs have features");
    differential(&input[..input.len() / 2], &mut |_| ());
    differential(b"\xff\xfe", &mut |_| ());
}
