//! Programs that are carried to another rule set: there a rule has shown in none yet, and here in one.
//!
//! The walk through the goals of one rule set is long, there are many rule sets, and a rule shows when the program
//! around it allows it. A program that showed a rule most often shows it under other features too.
//!
//! Invariant: a drawn program stays a function of its number. So a carried one takes no number, and a campaign of a
//! given number of programs carries none.

use super::programs::generated_at;
use super::{Campaign, CampaignReport, Shared, features, lock, reached, record};
use crate::coverage;
use crate::sabotage::Planter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Mutex;
use tribunal_codegen::Options;
use tribunal_ir::Function;
use tribunal_target::{Features, Target};
use tribunal_trial::JudgeSet;
use tribunal_trial::finding::Judge;
use tribunal_trial::harness::Harness;
use tribunal_trial::inputs::Plan;

/// One carried program comes after so many others of a worker.
const DRAWN: u32 = 7;

/// Programs that show one rule, at most: each is tried on every rule set that lacks it.
const WITNESSES: u8 = 8;

/// A program of one function as it was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DrawnProgram {
    pub seed: u64,
    /// In the walk through the goals.
    pub turn: u32,
    /// Those that it was generated for.
    pub features: Features,
}

/// A program on its way to another rule set, by its index among those of the campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CarriedProgram {
    set: usize,
    drawn: DrawnProgram,
}

impl CarriedProgram {
    /// The target, and the features that it is compiled for: options that change no rule of the legalizer stay.
    fn machine(&self, shared: &Shared<'_>) -> (&'static Target, Features) {
        let (target, of_set) = shared.rule_sets[self.set];
        let beside = target.features_beside_rules();
        (target, (of_set - beside) | (self.drawn.features & beside))
    }

    /// True for a program of this target.
    pub fn is_for(&self, shared: &Shared<'_>, target: &Target) -> bool {
        shared.rule_sets[self.set].0.name == target.name
    }

    /// The function, with its target and the options of its compilation.
    pub fn made(&self, shared: &Shared<'_>) -> Option<(&'static Target, Options, Function)> {
        let (target, features) = self.machine(shared);
        let DrawnProgram { seed, turn, features: own } = self.drawn;
        Some((target, shared.campaign.options(features, seed), generated_at(seed, turn, target, own)?))
    }

    /// The words for it in a report.
    pub fn name(&self, shared: &Shared<'_>) -> String {
        let (target, features) = self.machine(shared);
        let DrawnProgram { seed, features: own, .. } = self.drawn;
        format!("the program of seed {seed} for {}, carried to {}", target.with(own), target.with(features))
    }
}

/// A rule that a rule set lacks, and a program that may show it there.
struct Errand {
    rule: &'static str,
    program: CarriedProgram,
}

/// The programs of a campaign that wait to be carried.
pub(super) struct Errands {
    rule_sets: Vec<(&'static Target, Features)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Rules of each rule set that no program of it has shown.
    lacking: Vec<FxHashSet<&'static str>>,
    /// Programs that showed a rule, by the target's name and the rule's.
    witnesses: FxHashMap<(&'static str, &'static str), u8>,
    waiting: VecDeque<Errand>,
}

impl Errands {
    /// Of a campaign that just began.
    pub fn new(campaign: &Campaign) -> Errands {
        let rule_sets = if campaign.carries() { campaign.rule_sets() } else { Vec::new() };
        let rules = |&(target, features): &_| coverage::rules(target, features, campaign.mix).collect();
        let lacking = rule_sets.iter().map(rules).collect();
        Errands { rule_sets, state: Mutex::new(State { lacking, ..State::default() }) }
    }

    /// Notes that a program of a rule set showed these rules. One that was drawn is carried to others.
    pub fn shown(&self, set: usize, rules: &[&'static str], drawn: Option<DrawnProgram>) {
        let Some(&(target, _)) = self.rule_sets.get(set) else { return };
        let State { lacking, witnesses, waiting } = &mut *lock(&self.state);
        for &rule in rules {
            lacking[set].remove(rule);
            let Some(drawn) = drawn else { continue };
            let count = witnesses.entry((target.name, rule)).or_default();
            if *count == WITNESSES {
                continue;
            }
            *count += 1;
            let others = self.rule_sets.iter().enumerate().filter(|(_, (other, _))| other.name == target.name);
            let others = others.map(|(set, _)| set).filter(|&other| lacking[other].contains(rule));
            waiting.extend(others.map(|set| Errand { rule, program: CarriedProgram { set, drawn } }));
        }
    }

    /// The next program to carry.
    pub fn next(&self) -> Option<CarriedProgram> {
        let State { lacking, waiting, .. } = &mut *lock(&self.state);
        loop {
            let Errand { rule, program } = waiting.pop_front()?;
            if lacking[program.set].contains(rule) {
                return Some(program);
            }
        }
    }
}

/// The next program to carry for a worker that has drawn so many since the last.
pub(super) fn next(shared: &Shared<'_>, drawn: &mut u32) -> Option<CarriedProgram> {
    *drawn += 1;
    let program = (*drawn > DRAWN).then(|| shared.errands.next()).flatten()?;
    *drawn = 0;
    Some(program)
}

/// Judges a carried program. It was not made for these features: one that needs more, that is refused, or that
/// the verifier does not accept, counts for nothing.
pub(super) fn program(
    shared: &Shared<'_>,
    harness: &mut Harness,
    carried: &CarriedProgram,
    local: &mut CampaignReport,
) {
    let campaign = shared.campaign;
    let Some((target, options, function)) = carried.made(shared) else { return };
    if !options.features.contains(features::sufficient(target, options.features, &function)) {
        return;
    }
    harness.set_options(options);
    let plan = Plan { count: campaign.inputs, seed: carried.drawn.seed };
    let judges = JudgeSet::ALL.without(Judge::Text).looking_briefly();
    let mut planter = campaign.fault.and_then(|fault| Planter::on(target, fault));
    let Ok(mut tally) = harness.trial_if_accepted(&function, plan, judges, &mut planter) else { return };
    if !tally.unsupported.is_empty() && tally.findings.is_empty() {
        return;
    }
    reached(shared, harness, tally.executions, None, local);
    campaign.known.set_aside(&mut tally, &mut local.known);
    tally.unsupported.clear();
    for finding in &tally.findings {
        record(shared, harness, &[&function], finding, &mut planter);
    }
    local.tally.add(tally);
}

#[cfg(test)]
mod tests {
    use super::super::stuck::{self, CampaignProgram};
    use super::super::tests::{campaign_in, shared_by};
    use super::super::{FeatureMix, Reached, program as drawn_program};
    use super::*;
    use std::path::Path;
    use std::time::Duration;
    use tribunal_trial::harness::ProofCache;

    fn drawn(target: &'static Target) -> Campaign {
        let campaign = campaign_in(Path::new("unwritten"), target, &ProofCache::default());
        Campaign { mix: FeatureMix::Drawn, time: Duration::MAX, ..campaign }
    }

    fn waiting(errands: &Errands) -> Vec<CarriedProgram> {
        std::iter::from_fn(|| errands.next()).collect()
    }

    #[test]
    fn a_program_is_carried_to_the_rule_sets_that_lack_what_it_showed() {
        let target = tribunal_target::ALL[0];
        let campaign = drawn(target);
        let errands = Errands::new(&campaign);
        let everywhere = |rule: &&str| lock(&errands.state).lacking.iter().all(|lacking| lacking.contains(*rule));
        let rules: Vec<&'static str> =
            coverage::rules(target, target.default_features, campaign.mix).filter(everywhere).take(2).collect();
        let program = DrawnProgram { seed: 1, turn: 2, features: target.default_features };
        errands.shown(0, &rules[..1], Some(program));
        errands.shown(2, &rules[..1], None);
        let sets: Vec<usize> = waiting(&errands).iter().map(|carried| carried.set).collect();
        let others: Vec<usize> = (0..campaign.rule_sets().len()).filter(|set| ![0, 2].contains(set)).collect();
        assert_eq!(sets, others);
        // One that was carried is not carried on, and a rule has so many witnesses.
        errands.shown(1, &rules[1..], None);
        assert_eq!(waiting(&errands), []);
        (0..2 * WITNESSES).for_each(|_| errands.shown(0, &rules[1..], Some(program)));
        assert_eq!(waiting(&errands).len(), usize::from(WITNESSES) * (campaign.rule_sets().len() - 2));
    }

    #[test]
    fn a_campaign_that_shall_be_repeated_carries_none() {
        let target = tribunal_target::ALL[0];
        let campaigns =
            [Campaign { runs: Some(8), ..drawn(target) }, Campaign { mix: FeatureMix::Given, ..drawn(target) }];
        for campaign in campaigns {
            let errands = Errands::new(&campaign);
            let rules: Vec<&'static str> = coverage::rules(target, target.default_features, campaign.mix).collect();
            let program = DrawnProgram { seed: 1, turn: 2, features: target.default_features };
            errands.shown(0, &rules, Some(program));
            assert_eq!(waiting(&errands), []);
        }
    }

    /// One that does not end has a crash file too.
    #[test]
    fn a_carried_program_that_is_stuck_is_written() {
        let target = tribunal_target::ALL[0];
        let out = tempfile::tempdir().expect("a folder");
        let campaign = Campaign { out: out.path().to_path_buf(), ..drawn(target) };
        let shared = shared_by(&campaign);
        let drawn = DrawnProgram { seed: 1, turn: 2, features: target.default_features };
        let program = CarriedProgram { set: 1, drawn };
        let report = stuck::report(&shared, CampaignProgram::Carried(program));
        let [(finding, path)] = report.crashes.as_slice() else { panic!("{:?}", report.crashes) };
        assert!(finding.details.contains("carried to"), "{finding}");
        let text = std::fs::read_to_string(path).expect("the crash file");
        let module = tribunal_ir::text::parse_module(&text, target.vocabulary).expect("it is MIR");
        assert_eq!(module.functions.len(), 1);
    }

    /// What 64 programs showed in some rule sets shows in others too, and no judge finds anything there.
    #[test]
    fn carried_programs_show_their_rules() {
        for &target in tribunal_target::ALL {
            let campaign = drawn(target);
            let shared = shared_by(&campaign);
            let proofs = campaign.proofs.clone();
            let given = target.default_features;
            let mut harness = Harness::with_cache(target, Options::new(given), proofs).expect("the emulator works");
            let reached = vec![Reached::default(); shared.rule_sets.len()];
            let mut local = CampaignReport { reached, ..CampaignReport::default() };
            (0..64).for_each(|number| drawn_program(&shared, &mut harness, given, number, &mut local));
            let lacking = || lock(&shared.errands.state).lacking.iter().map(FxHashSet::len).sum::<usize>();
            let before = lacking();
            let mut carried = 0;
            while let Some(errand) = shared.errands.next() {
                program(&shared, &mut harness, &errand, &mut local);
                carried += 1;
            }
            let found: Vec<String> = local.tally.findings.iter().map(ToString::to_string).collect();
            assert_eq!(found, [""; 0], "{}", target.name);
            // Each shows one rule at least in the mean.
            let after = lacking();
            assert!(before - after >= carried, "{}: {carried} programs, {before}, {after}", target.name);
        }
    }
}
