//! Which rules a campaign could reach, and which it did.

use rustc_hash::FxHashSet;
use tribunal_codegen::legalize::COMBINES;
use tribunal_target::{Features, Target};

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
    /// Names of rules that never fired.
    pub never: Vec<&'static str>,
    /// Names of rules that fired and were never observed.
    pub unobserved: Vec<&'static str>,
}

impl RuleCoverage {
    pub fn new(
        target: &'static Target,
        features: Features,
        fired: &FxHashSet<&'static str>,
        observed: &FxHashSet<&'static str>,
    ) -> RuleCoverage {
        let rules = rules(target, features);
        let (known, never): (Vec<_>, Vec<_>) = rules.iter().copied().partition(|rule| fired.contains(rule));
        let (seen, unobserved): (Vec<_>, Vec<_>) = known.iter().copied().partition(|rule| observed.contains(rule));
        let (fired, observed) = (known.len(), seen.len());
        RuleCoverage { label: target.with(features), rules: rules.len(), fired, observed, never, unobserved }
    }
}

/// Names of the rules that rewrite something for the target under these features.
pub fn rules(target: &'static Target, features: Features) -> Vec<&'static str> {
    let selection = target.selection.iter().filter(|rule| features.contains(rule.requires)).map(|rule| rule.name);
    (target.legality)(features).rewrites().chain(COMBINES).chain(selection).collect()
}
