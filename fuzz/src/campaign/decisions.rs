//! The legality tables against the committed ledger, one opcode between two programs.
//!
//! A rule that decides fewer queries than before, or more, may still end in right code: what was compiled is refused,
//! or another rule takes it. No program shows that, since the generator asks the tables for its types. So a campaign
//! counts the decisions of the rules, and the ledger says what was counted when somebody last looked.
//!
//! Invariant: nothing is compared whose features are no rule set of the ledger.

use super::{CampaignReport, Shared, lock};
use crate::coverage::DECISIONS;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use tribunal_codegen::legalize;
use tribunal_ir::Opcode;
use tribunal_target::legality::LegalityQuery;
use tribunal_target::{Features, Target};
use tribunal_trial::finding::{Finding, Tally};
use tribunal_trial::ledger::{Class, Ledger};
use tribunal_trial::tables;

/// Programs from one comparison to the next.
const PROGRAMS: u64 = 8;

/// The comparisons of a campaign.
pub(super) struct Comparisons {
    /// In the order that the seed draws.
    order: Vec<(&'static Target, Opcode)>,
    rule_sets: Vec<RuleSet>,
    /// One defect of a table is one finding, whatever the number of its opcodes.
    differ: AtomicBool,
}

/// Features that the ledger knows.
struct RuleSet {
    target: &'static Target,
    features: Features,
    label: String,
}

impl Comparisons {
    /// Of every opcode, for each target.
    pub fn new(rule_sets: &[(&'static Target, Features)], seed: u64) -> Comparisons {
        let named = rule_sets.iter().map(|&(target, features)| {
            let others = target.features_beside_rules();
            let features = (features - others) | (target.default_features & others);
            RuleSet { target, features, label: target.with(features) }
        });
        let rule_sets: Vec<RuleSet> = named.filter(|set| DECISIONS.contains_key(&set.label)).collect();
        let mut targets: Vec<&'static Target> = rule_sets.iter().map(|set| set.target).collect();
        targets.dedup_by_key(|target| target.name);
        let has_rules =
            |opcode: Opcode| rule_sets.iter().any(|set| set.has_rules(opcode) || set.known(opcode).is_some());
        let opcodes: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|&opcode| has_rules(opcode)).collect();
        let mut order: Vec<_> =
            targets.iter().flat_map(|&target| opcodes.iter().map(move |&opcode| (target, opcode))).collect();
        order.shuffle(&mut SmallRng::seed_from_u64(seed));
        Comparisons { order, rule_sets, differ: AtomicBool::new(false) }
    }

    /// The comparison after a program, if one stands there.
    pub fn after(&self, shared: &Shared<'_>, number: u64, local: &mut CampaignReport) {
        let place = number.is_multiple_of(PROGRAMS).then_some(number / PROGRAMS);
        let Some(&(target, opcode)) = place.and_then(|place| self.order.get(usize::try_from(place).ok()?)) else {
            return;
        };
        if self.differ.load(Ordering::Relaxed) {
            return;
        }
        let queries = legalize::queries_of(target, opcode);
        let mut sets = self.rule_sets.iter().filter(|set| set.target.name == target.name);
        let Some(finding) = sets.find_map(|set| set.difference(opcode, &queries, set.known(opcode))) else { return };
        let mut tally = Tally { findings: vec![finding], ..Tally::default() };
        shared.campaign.known.set_aside(&mut tally, &mut local.known);
        // One that is known hides no other.
        if tally.findings.is_empty() || self.differ.swap(true, Ordering::Relaxed) {
            return;
        }
        let no_file = || PathBuf::from("(no program: the table itself)");
        lock(&shared.outcome).crashes.extend(tally.findings.iter().map(|finding| (finding.clone(), no_file())));
        local.tally.add(tally);
    }
}

impl RuleSet {
    fn has_rules(&self, opcode: Opcode) -> bool {
        (self.target.legality)(self.features).opcodes().any(|own| own == opcode)
    }

    /// What the ledger says of an opcode.
    fn known(&self, opcode: Opcode) -> Option<&'static Ledger> {
        DECISIONS.get(&self.label)?.get(&opcode.to_string())
    }

    /// The finding if the rules decide the queries of an opcode otherwise than is known.
    fn difference(&self, opcode: Opcode, queries: &[LegalityQuery], known: Option<&Ledger>) -> Option<Finding> {
        let queries = if self.has_rules(opcode) { queries } else { &[] };
        let met = tables::decided(self.target, self.features, queries).rows;
        let nothing = Ledger::default();
        let known = &known.unwrap_or(&nothing).rows;
        let differing = known.keys().chain(met.keys()).filter(|class| known.get(*class) != met.get(*class));
        // The rules are asked in this order, and those behind the first that differs decide what it left.
        let rules: Vec<&str> = (self.target.legality)(self.features).rules().flatten().copied().collect();
        let place = |class: &&Class| rules.iter().position(|rule| *rule == class.rule).unwrap_or(usize::MAX);
        let first = differing.min_by_key(place)?;
        let [then, now] = [known, &met].map(|rows| rows.get(first).copied().unwrap_or(0));
        let details = format!(
            "{}: of the queries of {opcode}, {} has the answer {} for {now}, and for {then} by the ledger\n\
             if that is meant: tribunal prove --tables --ledger verifier/ledger/tables.txt",
            self.label, first.rule, first.engine
        );
        Some(Finding::other_decisions(&first.rule, details))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{campaign_in, shared_by};
    use super::super::{Campaign, KnownFindings};
    use super::*;
    use std::path::Path;

    fn comparisons() -> Comparisons {
        let sets = |&target: &&'static Target| target.rule_sets().into_iter().map(move |set| (target, set));
        Comparisons::new(&tribunal_target::ALL.iter().flat_map(sets).collect::<Vec<_>>(), 1)
    }

    /// The tables decide what the ledger says, on a sample of the opcodes.
    #[test]
    fn the_tables_are_those_of_the_ledger() {
        let comparisons = comparisons();
        assert_eq!((comparisons.order.len(), comparisons.rule_sets.len()), (711, 35), "opcodes, and rule sets");
        for &(target, opcode) in comparisons.order.iter().step_by(5) {
            let queries = legalize::queries_of(target, opcode);
            for set in comparisons.rule_sets.iter().filter(|set| set.target.name == target.name) {
                let finding = set.difference(opcode, &queries, set.known(opcode));
                assert!(finding.is_none(), "{finding:?}");
            }
        }
    }

    /// A campaign reports the first opcode that another machine decides otherwise, and no other. One that is known
    /// hides none.
    #[test]
    fn a_campaign_reports_one_difference() {
        let target = tribunal_target::ALL[0];
        let proofs = Default::default();
        let campaign = campaign_in(Path::new("unwritten"), target, &proofs);
        let run = |campaign| {
            let shared = shared_by(campaign);
            let mut comparisons = Comparisons::new(&[(target, target.default_features)], 1);
            comparisons.rule_sets[0].label = target.with(target.rule_sets()[1]);
            let mut local = CampaignReport::default();
            (0..).map(|place| PROGRAMS * place).take(comparisons.order.len()).for_each(|number| {
                comparisons.after(&shared, number + 1, &mut local);
                comparisons.after(&shared, number, &mut local);
            });
            let crashes = lock(&shared.outcome).crashes.len();
            (local, crashes)
        };
        let (report, crashes) = run(&campaign);
        let [finding] = report.tally.findings.as_slice() else { panic!("{:?}", report.tally.findings) };
        assert!(finding.details.contains("prove --tables --ledger"), "{finding}");
        assert_eq!(crashes, 1);
        let known = KnownFindings::read(&finding.signature().to_string()).unwrap();
        let (report, _) = run(&Campaign { known, ..campaign_in(Path::new("unwritten"), target, &proofs) });
        let [other] = report.tally.findings.as_slice() else { panic!("{:?}", report.tally.findings) };
        assert_ne!(other.guilty, finding.guilty);
    }

    /// A rule that decides one query less, one that the ledger does not know, and an opcode that lost its rules.
    #[test]
    fn other_decisions_are_a_finding_that_names_the_first_rule() {
        let comparisons = comparisons();
        for set in &comparisons.rule_sets {
            let queries = legalize::queries_of(set.target, Opcode::G_ADD);
            let known = set.known(Opcode::G_ADD).unwrap();
            let guilty = |known: &Ledger| set.difference(Opcode::G_ADD, &queries, Some(known)).unwrap().guilty;
            for class in known.rows.keys() {
                let mut other = known.clone();
                *other.rows.get_mut(class).unwrap() += 1;
                assert_eq!(guilty(&other), class.rule);
                other.rows.remove(class);
                assert_eq!(guilty(&other), class.rule);
            }
            let without = set.difference(Opcode::G_ADD, &queries, None).unwrap();
            assert!(without.guilty.ends_with("G_ADD#0 scalarize"), "{without}");
            let lost = set.difference(Opcode::G_ADD, &[], Some(known)).unwrap();
            assert_eq!(lost.guilty, without.guilty);
            assert!(lost.details.contains(" for 0, and for 1 by the ledger\n"), "{lost}");
        }
    }
}
