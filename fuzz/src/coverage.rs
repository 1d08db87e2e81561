//! Rule coverage: the rules that a campaign can reach, and those that it did.

use crate::campaign::{Campaign, FeatureMix};
use crate::generator;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use tribunal_codegen::legalize::COMBINES;
use tribunal_ir::types::{S8, S16, S32, S64};
use tribunal_ir::{AtomicOrdering, Opcode, Type};
use tribunal_target::legality::{Action, LegalityQuery, MemDescr};
use tribunal_target::selection::{Pat, Pattern, SelectionRule, Types};
use tribunal_target::{Features, Target, variable_arguments};
use tribunal_trial::ledger::Ledger;

/// Names of the rules of one target that a campaign reached.
#[derive(Clone, Default)]
pub struct Reached {
    /// Rules that rewrote something in programs of which no run was compared.
    pub fired: FxHashSet<&'static str>,
    /// Rules that fired in a program of which a run was compared. Generated programs show the values that they compute,
    /// and the legalizer removes unread values.
    pub observed: FxHashSet<&'static str>,
    /// Programs of the rule set that were judged.
    pub programs: u64,
}

impl Reached {
    /// The number of rules that rewrote something.
    pub fn count(&self) -> usize {
        self.fired.union(&self.observed).count()
    }

    /// Adds the rules that another thread reached.
    pub fn add(&mut self, other: Reached) {
        self.fired.extend(other.fired);
        self.observed.extend(other.observed);
        self.programs += other.programs;
    }
}

/// The rules of one target, and their coverage.
pub struct RuleCoverage {
    /// The target with its features.
    pub label: String,
    /// Rules that have something rewritten, but those out of reach: of legality, of artifacts, of selection.
    pub rules: usize,
    /// Of those, the ones that rewrote something.
    pub fired: usize,
    /// Of those, the ones that rewrote something in a program that ran.
    pub observed: usize,
    /// Of the rules, those that the committed ledger proves. It is of the catalogue of legalization: selection rules
    /// are proved where they fire.
    pub proved: usize,
    /// Names of rules that no program can show, by their form, and that did not fire.
    pub out_of_reach: Vec<&'static str>,
    /// Names of rules that did not fire.
    pub never: Vec<&'static str>,
    /// Of those, the ones that the ledger proves: their rewrites were judged, but no program reached them.
    pub proved_never: Vec<&'static str>,
    /// Names of rules that fired and were never observed.
    pub unobserved: Vec<&'static str>,
    /// Of both, the rules that a campaign of so many programs must have observed: the generator is at fault, or another
    /// rule takes everything. None in a campaign that is too short to tell.
    pub missed: Vec<&'static str>,
}

impl RuleCoverage {
    /// The coverage of each rule set of a campaign.
    pub fn of_campaign(campaign: &Campaign, reached: &[Reached]) -> Vec<RuleCoverage> {
        let sets = campaign.rule_sets();
        let shares = campaign.carries();
        let walks = if shares { SHARED_WALKS } else { WALKS };
        let one = |(index, reached_here)| {
            let (target, _) = sets[index];
            let is_beside = |other: usize| other == index || (shares && sets[other].0.name == target.name);
            let beside = sets.iter().zip(reached).enumerate().filter(|(other, _)| is_beside(*other));
            let (programs, walk) = beside.fold((0, 0), |(programs, walk), (_, (&(target, features), reached))| {
                (programs + reached.programs, walk + generator::programs_of_a_walk(target, features))
            });
            RuleCoverage::new(sets[index], campaign.mix, reached_here, programs >= walks * walk)
        };
        reached.iter().enumerate().map(one).collect()
    }

    /// Counts the rules of a rule set against what a campaign reached, which was long enough to tell if it is whole.
    /// Options that change no legality rule count as on: their selection rules are reached by programs that have them.
    fn new(
        (target, features): (&'static Target, Features),
        mix: FeatureMix,
        reached: &Reached,
        is_whole: bool,
    ) -> RuleCoverage {
        let all = with_optional(target, features, mix);
        let rules: Vec<&'static str> = rules(target, features, mix).collect();
        let label = target.with(features);
        let proofs = PROVED.get(&label);
        let is_proved = |rule: &&str| proofs.is_some_and(|proofs| proofs.contains(*rule));
        let proved: FxHashSet<&str> = rules.iter().copied().filter(is_proved).collect();
        let (known, silent): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|rule| reached.observed.contains(rule) || reached.fired.contains(rule));
        let (seen, unobserved): (Vec<_>, Vec<_>) =
            known.iter().copied().partition(|rule| reached.observed.contains(rule));
        let dead_ends: FxHashSet<&str> = generator::dead_ends(target, features).collect();
        let is_beyond = |rule: &&str| dead_ends.contains(rule) || is_out_of_reach(target, all, rule);
        let (out_of_reach, never): (Vec<_>, Vec<_>) = silent.into_iter().partition(is_beyond);
        let missed = match is_whole {
            // One that fires may be beyond what is observed.
            true => never.iter().chain(&unobserved).copied().filter(|rule| !is_beyond(rule)).collect(),
            false => Vec::new(),
        };
        let proved_never = never.iter().copied().filter(|rule| proved.contains(rule)).collect();
        RuleCoverage {
            label,
            rules: known.len() + never.len(),
            fired: known.len(),
            observed: seen.len(),
            proved: proved.len(),
            out_of_reach,
            never,
            proved_never,
            unobserved,
            missed,
        }
    }
}

/// The features with the options that change no legality rule, where programs draw theirs.
fn with_optional(target: &Target, features: Features, mix: FeatureMix) -> Features {
    match mix {
        FeatureMix::Given => features,
        FeatureMix::Drawn => features | target.features_beside_rules(),
    }
}

/// Names of the rules of a rule set, those out of reach among them.
pub(crate) fn rules(
    target: &'static Target,
    features: Features,
    mix: FeatureMix,
) -> impl Iterator<Item = &'static str> {
    of_legalizer(target, features).chain(of_selection(target, with_optional(target, features, mix)))
}

/// A campaign must have observed every rule of a rule set once its programs came to each goal as often as they do in so
/// many walks.
const WALKS: u64 = 64;

/// The same where programs are carried between the rule sets of a target: in so many walks of all of them.
const SHARED_WALKS: u64 = 6;

/// True for a rule that a machine has and that no program can show.
fn is_out_of_reach(target: &'static Target, features: Features, rule: &str) -> bool {
    if let Some(place) = target.selection.iter().position(|own| own.name == rule) {
        let pattern = &target.selection[place].pattern;
        // After a debugger's trap nothing is compared.
        return pattern.opcode == Opcode::G_DEBUGTRAP
            || is_shadowed(&target.selection[..place], features, pattern)
            || is_split(target, features, pattern);
    }
    match rule {
        "combine va_arg" => !variable_arguments::is_pointer(target),
        "combine trunc_of_constant" | "combine ext_of_constant" => !has_constants_of_two_widths(target, features),
        _ => false,
    }
}

/// A constant is brought to a legal width before what reads it is looked at. So there is nothing to combine it with
/// where only one width is legal.
fn has_constants_of_two_widths(target: &'static Target, features: Features) -> bool {
    let is_legal = |ty: &&Type| is_legal(target, features, &LegalityQuery::new(Opcode::G_CONSTANT, [**ty]));
    [S8, S16, S32, S64].iter().filter(is_legal).count() > 1
}

fn is_legal(target: &'static Target, features: Features, query: &LegalityQuery) -> bool {
    (target.legality)(features).action(query).action == Action::Legal
}

/// True for a load that our legalizer splits: the rule is for code that another one has legalized. A store of a whole
/// register stays.
fn is_split(target: &'static Target, features: Features, pattern: &Pattern) -> bool {
    let (Types::Bits(bits), Some(accessed)) = (pattern.ty, pattern.memory_bits) else { return false };
    let is_plain = pattern.opcode == Opcode::G_LOAD && pattern.ordering.0.contains(&AtomicOrdering::NotAtomic);
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let mut query = LegalityQuery::new(pattern.opcode, [Type::scalar(bits), pointer]);
    query.memory.push(MemDescr::plain(Type::scalar(accessed), accessed));
    is_plain && !is_legal(target, features, &query)
}

/// True if rules before it take everything from a pattern: they have the same form, ask nothing more of its operands,
/// and among them every ordering of its access.
fn is_shadowed(before: &[SelectionRule], features: Features, own: &Pattern) -> bool {
    let takes_all = |other: &&SelectionRule| {
        let pattern = &other.pattern;
        features.contains(other.requires)
            && (pattern.opcode, pattern.ty, pattern.predicate) == (own.opcode, own.ty, own.predicate)
            && pattern.memory_bits == own.memory_bits
            && pattern.operands.len() == own.operands.len()
            && pattern.operands.iter().zip(own.operands).all(|(other, own)| match (other, own) {
                (Pat::Reg(_), _) => true,
                (Pat::RegOf(_, other), Pat::RegOf(_, own)) => other == own,
                _ => false,
            })
    };
    let taken: Vec<&SelectionRule> = before.iter().filter(takes_all).collect();
    own.ordering.0.iter().all(|ordering| taken.iter().any(|other| other.pattern.ordering.0.contains(ordering)))
}

/// The committed ledgers.
const LEDGERS: [&str; 3] = [
    include_str!("../../verifier/ledger/aarch64.txt"),
    include_str!("../../verifier/ledger/riscv32.txt"),
    include_str!("../../verifier/ledger/riscv64.txt"),
];

/// Names of the rules that the committed ledgers prove, by the label of the target with features. A text that is no
/// ledger proves nothing; `prove --check-ledger` says which.
static PROVED: LazyLock<FxHashMap<String, FxHashSet<String>>> = LazyLock::new(|| {
    let mut proved = FxHashMap::<_, FxHashSet<_>>::default();
    let classes = LEDGERS.iter().flat_map(|text| Ledger::parse(text).unwrap_or_default().rows.into_keys());
    classes.for_each(|class| {
        proved.entry(class.target).or_default().insert(class.rule);
    });
    proved
});

/// The committed ledger of the legality tables: how many queries each rule decides that a function can make.
const DECIDING: &str = include_str!("../../verifier/ledger/tables.txt");

/// What the committed ledger says of each opcode, by the label of the target with features.
pub(crate) static DECISIONS: LazyLock<FxHashMap<String, FxHashMap<String, Ledger>>> = LazyLock::new(|| {
    let mut decisions = FxHashMap::<String, FxHashMap<String, Ledger>>::default();
    for (class, count) in Ledger::parse(DECIDING).unwrap_or_default().rows {
        let of_label = decisions.entry(class.target.clone()).or_default();
        of_label.entry(class.opcode.clone()).or_default().rows.insert(class, count);
    }
    decisions
});

/// Names of the rules that decide something, by the label of the target with features.
static DECIDED: LazyLock<FxHashMap<&str, FxHashSet<&str>>> = LazyLock::new(|| {
    let rules = |opcodes: &'static FxHashMap<String, Ledger>| {
        opcodes.values().flat_map(|ledger| ledger.rows.keys()).map(|class| class.rule.as_str()).collect()
    };
    DECISIONS.iter().map(|(label, opcodes)| (label.as_str(), rules(opcodes))).collect()
});

/// Names of the legalizer's rules that rewrite something for the target under these features. A rule for several
/// opcodes has a name for each, and may have nothing to decide about some.
fn of_legalizer(target: &'static Target, features: Features) -> impl Iterator<Item = &'static str> {
    let decided = DECIDED.get(target.with(features).as_str());
    let decides = move |rule: &&str| decided.is_none_or(|decided| decided.contains(*rule));
    (target.legality)(features).rewrites().filter(decides).chain(COMBINES)
}

/// Names of the selection rules that a machine with these features has.
fn of_selection(target: &'static Target, features: Features) -> impl Iterator<Item = &'static str> {
    target.selection.iter().filter(move |rule| features.contains(rule.requires)).map(|rule| rule.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proved_and_never_fires_is_told_from_what_fires() {
        for &target in tribunal_target::ALL {
            let set = (target, target.default_features);
            let features = set.1;
            let selection: FxHashSet<&str> = target.selection.iter().map(|rule| rule.name).collect();
            let all: Vec<&'static str> = of_legalizer(target, features).chain(of_selection(target, features)).collect();
            let legalization: Vec<&'static str> =
                all.iter().copied().filter(|rule| !selection.contains(rule)).collect();
            let nothing = RuleCoverage::new(set, FeatureMix::Given, &Reached::default(), false);
            assert_eq!(nothing.never.len() + nothing.out_of_reach.len(), all.len());
            assert_eq!(nothing.never.len(), nothing.rules);
            assert!(nothing.proved * 2 >= legalization.len(), "{}: {} proved", target.name, nothing.proved);
            let silent = nothing.proved_never.len();
            assert!(silent > 0 && silent == nothing.proved);
            let one = nothing.proved_never[0];
            let reached = Reached { fired: [one].into_iter().collect(), ..Reached::default() };
            let coverage = RuleCoverage::new(set, FeatureMix::Given, &reached, false);
            assert_eq!((coverage.fired, coverage.observed, coverage.proved), (1, 0, nothing.proved));
            assert_eq!(coverage.unobserved, [one]);
            assert!(!coverage.proved_never.contains(&one) && !coverage.never.contains(&one));
            // A short campaign says nothing about the rest, and a whole one that it is missed, or out of reach.
            assert_eq!(coverage.missed, [""; 0]);
            let coverage = RuleCoverage::new(set, FeatureMix::Given, &reached, true);
            let left = all.iter().filter(|rule| !coverage.missed.contains(*rule)).copied();
            let left: Vec<&str> = left.filter_map(|rule| rule.rsplit(' ').next()).collect();
            match variable_arguments::is_pointer(target) {
                true => assert_eq!(left, ["trunc_of_constant", "ext_of_constant", "debugtrap"]),
                false => assert_eq!(left, ["va_arg", "load128_128", "debugtrap"]),
            }
        }
    }

    /// Rule sets are whole together where programs are carried between them, and else each by its own programs.
    #[test]
    fn a_campaign_that_is_long_enough_misses_what_it_did_not_observe() {
        let target = tribunal_target::ALL[0];
        let drawn = || Campaign {
            mix: FeatureMix::Drawn,
            ..Campaign::new(vec![(target, target.default_features)], "unwritten".into())
        };
        let sets = drawn().rule_sets();
        let walk: u64 = sets.iter().map(|&(target, set)| generator::programs_of_a_walk(target, set)).sum();
        let whole = |campaign: Campaign, programs: u64| {
            let mut reached = vec![Reached::default(); sets.len()];
            reached[1].programs = programs;
            let coverage = RuleCoverage::of_campaign(&campaign, &reached);
            coverage.iter().filter(|coverage| !coverage.missed.is_empty()).count()
        };
        assert_eq!(whole(drawn(), SHARED_WALKS * walk), sets.len());
        assert_eq!(whole(drawn(), SHARED_WALKS * walk - 1), 0);
        let alone = || Campaign { runs: Some(u64::MAX), ..drawn() };
        let own = WALKS * generator::programs_of_a_walk(target, sets[1].1);
        assert_eq!((whole(alone(), own), whole(alone(), own - 1)), (1, 0));
    }

    /// A loop, on a machine that has an instruction for it.
    #[test]
    fn what_another_rule_takes_is_out_of_reach() {
        let mut found = 0;
        for &target in tribunal_target::ALL {
            let all = target.default_features | target.all_options();
            for rule in target.selection.iter().map(|rule| rule.name) {
                for (name, taken) in [("atomic_max16_loop", true), ("atomic_nand16_loop", false)] {
                    if rule.ends_with(name) {
                        found += 1;
                        assert_eq!(is_out_of_reach(target, all, rule), taken, "{rule}");
                        assert!(!is_out_of_reach(target, target.default_features, rule), "{rule}");
                    }
                }
            }
        }
        assert_eq!(found, 2);
    }
}
