//! Which rules a campaign could reach, and which it did.

use crate::unreached;
use rustc_hash::FxHashSet;
use tribunal_codegen::legalize::COMBINES;
use tribunal_target::{Features, Target};

/// A target's name and the name of a rule that fired there: targets share rules.
pub type Fired = (&'static str, &'static str);

/// The rules of one target, and what became of them.
pub struct RuleCoverage {
    /// The target with its features.
    pub label: String,
    /// Rules that have something rewritten: of legality, of artifacts, of selection.
    pub rules: usize,
    pub fired: usize,
    /// Fired in a program of which a run was compared. Generated programs show what they compute, and the legalizer removes
    /// what nothing reads.
    pub observed: usize,
    /// Names of rules that did not fire, and may.
    pub never: Vec<&'static str>,
    /// Names of rules that did not fire since no program makes them, and why.
    pub unreached: Vec<(&'static str, &'static str)>,
    /// Names of rules that fired and were never observed.
    pub unobserved: Vec<&'static str>,
}

impl RuleCoverage {
    pub fn new(
        target: &'static Target,
        features: Features,
        fired: &FxHashSet<Fired>,
        observed: &FxHashSet<Fired>,
    ) -> RuleCoverage {
        let rules = rules(target, features);
        let here = |set: &FxHashSet<Fired>, rule: &'static str| set.contains(&(target.name, rule));
        let (known, never): (Vec<_>, Vec<_>) = rules.iter().copied().partition(|rule| here(fired, rule));
        let (seen, unobserved): (Vec<_>, Vec<_>) = known.iter().copied().partition(|rule| here(observed, rule));
        let reason = |rule| unreached::reason(target.name, rule);
        let unreached = never.iter().filter_map(|&rule| Some((rule, reason(rule)?))).collect();
        let never = never.into_iter().filter(|rule| reason(rule).is_none()).collect();
        let (fired, observed) = (known.len(), seen.len());
        RuleCoverage { label: target.with(features), rules: rules.len(), fired, observed, never, unreached, unobserved }
    }
}

/// Names of the rules that rewrite something for the target under these features.
pub fn rules(target: &'static Target, features: Features) -> Vec<&'static str> {
    let selection = target.selection.iter().filter(|rule| features.contains(rule.requires)).map(|rule| rule.name);
    (target.legality)(features).rewrites().chain(COMBINES).chain(selection).collect()
}
