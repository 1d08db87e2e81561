//! The features that each program of a campaign is compiled for, and the rule set that they belong to.
//!
//! Two programs in eight have the usual features. Four come to every other rule set in turn, since there are many. Two
//! have one option changed, which names the guilty option, or any of them: two options may be wrong together.
//!
//! Invariant: the features are a function of the program's seed, so a program is the same whatever ran before it.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tribunal_ir::{Function, InstData, Type};
use tribunal_target::legality::{self, LegalityQuery};
use tribunal_target::{FeatureDesc, Features, Target};
use tribunal_verifier::rule_tables::{Chain, End, follow};

/// The choice of features in a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FeatureMix {
    /// Those that stand beside the target.
    Given,
    /// Each program draws its own, from all options of its target.
    #[default]
    Drawn,
}

/// The features of a program, and its turn in the walk through the goals of the generator that they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnFeatures {
    /// The features.
    pub features: Features,
    /// Programs before it that had a like draw.
    pub turn: u32,
}

impl FeatureMix {
    /// The features of the `place`-th program of a target, whose seed this is, where `given` stand beside the target.
    /// Each rule set has a walk of its own, so that it comes to every goal in as few programs as there are goals.
    pub fn draw(self, target: &'static Target, given: Features, seed: u64, place: u64) -> DrawnFeatures {
        let (round, slot) = (place / SLOTS, place % SLOTS);
        let drawn = |features, turn: u64| DrawnFeatures { features, turn: turn as u32 };
        match (self, slot) {
            (FeatureMix::Given, _) => drawn(given, place),
            (FeatureMix::Drawn, 0..=1) => drawn(given, 2 * round + slot),
            (FeatureMix::Drawn, 2..=5) => {
                let sets: Vec<Features> = target.rule_sets().into_iter().filter(|&set| set != given).collect();
                let (turn, count) = (4 * round + (slot - 2), sets.len().max(1) as u64);
                let set = sets.get((turn % count) as usize).copied().unwrap_or(given);
                drawn(toggled(target, set, target.options_beside_rules(), seed), turn / count)
            }
            (FeatureMix::Drawn, 6) => drawn(with_one_changed(target, given, seed), round),
            (FeatureMix::Drawn, _) => drawn(toggled(target, given, target.options.iter(), seed), round),
        }
    }

    /// The rule sets whose coverage a campaign counts: of each target every choice of options that change rules.
    pub fn rule_sets(self, targets: &[(&'static Target, Features)]) -> Vec<(&'static Target, Features)> {
        match self {
            FeatureMix::Given => targets.to_vec(),
            FeatureMix::Drawn => {
                let sets = |&(target, _): &(&'static Target, Features)| {
                    target.rule_sets().into_iter().map(move |set| (target, set))
                };
                targets.iter().flat_map(sets).collect()
            }
        }
    }
}

/// Programs after which the draws begin again.
const SLOTS: u64 = 8;

/// Another stream than the program's own bytes.
fn random(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed.rotate_left(32) ^ 0xfea7)
}

/// Any of these options may be another.
fn toggled<'o>(
    target: &Target,
    features: Features,
    options: impl Iterator<Item = &'o FeatureDesc>,
    seed: u64,
) -> Features {
    let mut random = random(seed);
    options.fold(features, |features, option| match random.random() {
        true => target.toggled(features, option),
        false => features,
    })
}

/// One option is another, perhaps with those that go with it.
fn with_one_changed(target: &Target, given: Features, seed: u64) -> Features {
    let mut random = random(seed);
    let option = target.options.choose(&mut random);
    option.map_or(given, |option| {
        let beside = if random.random() { option.beside } else { Features::empty() };
        target.toggled(given, option) | beside
    })
}

/// `given`, and the features without which a machine lacks a register that the function names, or the instruction of an
/// operation that sees the environment of floating point, which no library has: a program of the corpus may have been
/// made for other ones than those of the campaign.
pub(super) fn sufficient(target: &Target, given: Features, function: &Function) -> Features {
    let mut features = given | target.features_of_registers(function);
    loop {
        // An option may bring the environment in which another operation lacks an instruction.
        let with_more = function.all_insts().fold(features, |features, inst| {
            features | needed_by_strict(target, features, function, function.inst(inst))
        });
        if with_more == features {
            return features;
        }
        features = with_more;
    }
}

/// The first option with which the rules end in something that the machine has: for each element of vectors.
fn needed_by_strict(target: &Target, features: Features, function: &Function, data: &InstData) -> Features {
    if !data.opcode.sees_environment() {
        return Features::empty();
    }
    let types = (0..2).filter_map(|index| legality::type_at(function, data, index)).map(Type::scalar_type);
    let query = LegalityQuery::new(data.opcode, types);
    let options = target.options.iter().map(|option| option.feature | option.implies);
    let compiles = |more: &Features| {
        let legalizer = (target.legality)(features | *more);
        follow(legalizer, &query).is_ok_and(|Chain { end, .. }| !matches!(end, End::Refused(_)))
    };
    std::iter::once(Features::empty()).chain(options).find(compiles).unwrap_or(Features::empty())
}

/// The index of the rule set that a program with these features belongs to.
pub(super) fn rule_set_of(sets: &[(&'static Target, Features)], target: &Target, features: Features) -> Option<usize> {
    let others = target.features_beside_rules();
    let changing = target.all_options() - others;
    sets.iter().position(|&(own, set)| own.name == target.name && (set & changing) == (features & changing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::generated_for;
    use std::collections::BTreeSet;
    use tribunal_codegen::Options;
    use tribunal_trial::JudgeSet;
    use tribunal_trial::harness::Harness;

    /// A program for any rule set compiles with the usual features and those that its registers need.
    #[test]
    fn the_features_that_a_program_needs_suffice() {
        for &target in tribunal_target::ALL {
            let given = target.default_features;
            let options = Options::new(given);
            let mut harness = Harness::new(target, options).expect("the emulator works");
            let mut more = 0;
            for seed in 0..720 {
                let features = FeatureMix::Drawn.draw(target, given, seed, seed).features;
                let function = generated_for(seed, target, features).expect("the generator makes a program");
                let sufficient = sufficient(target, given, &function);
                assert!((features | given).contains(sufficient), "{} seed {seed}: {sufficient:?}", target.name);
                harness.set_features(sufficient);
                let tally = harness.judge_compilation(&function, JudgeSet::default());
                // An operation in one step needs an option that no register says.
                let one_step = ["G_ATOMIC", ".masked."];
                let refused =
                    tally.unsupported.keys().find(|feature| !one_step.iter().any(|name| feature.contains(name)));
                assert_eq!(refused, None, "{} seed {seed}", target.name);
                more += u32::from(sufficient != given);
            }
            // Numbers, or those of 16 bits that see the environment.
            assert_ne!(more, 0, "{}", target.name);
        }
    }

    /// Every option is on and off, every rule set is drawn, and the usual features are not lost.
    #[test]
    fn every_rule_set_of_every_target_is_drawn() {
        for &target in tribunal_target::ALL {
            let given = target.default_features;
            let draw = |seed| FeatureMix::Drawn.draw(target, given, seed, seed);
            let drawn: Vec<Features> = (0..2000).map(|seed| draw(seed).features).collect();
            let sets = FeatureMix::Drawn.rule_sets(&[(target, given)]);
            let met: BTreeSet<usize> =
                drawn.iter().filter_map(|&features| rule_set_of(&sets, target, features)).collect();
            assert_eq!(met.len(), sets.len(), "{}", target.name);
            for option in target.options {
                let on = drawn.iter().filter(|features| features.contains(option.feature)).count();
                assert!((100..1900).contains(&on), "{} {}: {on}", target.name, option.name);
            }
            let usual = drawn.iter().filter(|&&features| features == given).count();
            assert_eq!(8 * usual / drawn.len(), 2, "{usual}");
            let as_given = |seed| FeatureMix::Given.draw(target, given, seed, seed);
            assert!((0..100).all(|seed| as_given(seed) == DrawnFeatures { features: given, turn: seed as u32 }));
            // The programs of one rule set come to its goals one after the other.
            for &(_, set) in &sets {
                let turns = (0..2000).filter(|seed| matches!(seed % SLOTS, 2..=5)).map(draw);
                let others = target.features_beside_rules();
                let own = turns.filter(|drawn| drawn.features - others == set - others).map(|drawn| drawn.turn);
                assert!(set == given || own.clone().eq(0..own.count() as u32), "{}", target.with(set));
            }
        }
    }
}
