//! The static check of legality tables. Every query that input can make is followed on the table alone, then legalized
//! on an instance, and every query left over is named. There is no solver: the check shows that rules end and where,
//! not that recipes are right.

use crate::ledger::Ledger;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_codegen::legalize::{self, PASS};
use tribunal_codegen::{CompileError, Context, NoObserver, Options, select};
use tribunal_ir::{Function, Inst, Opcode, Type, text};
use tribunal_target::legality::{Action, LegalityQuery, LegalizeStep, LegalizerInfo, NO_RULE};
use tribunal_target::{Features, Target};
use tribunal_verifier::rule_tables::{self, Chain, End, shown};

/// The outcome of the queries.
#[derive(Default)]
pub struct TableSummary {
    /// Queries that the tables were asked.
    pub queries: u64,
    /// Legal as they are.
    pub legal: u64,
    /// Brought to legal instructions.
    pub legalized: u64,
    /// Of those two, by the table alone: their opcodes have operands that stand for something outside the function.
    pub not_run: u64,
    /// Refused by a rule that says so, by name; not a fault.
    pub cannot: BTreeMap<Refusal, BTreeSet<Vec<Type>>>,
    /// Queries in those.
    pub refused: u64,
    /// Queries that no rule decides, or whose rule has no recipe.
    pub holes: BTreeMap<Refusal, BTreeSet<Vec<Type>>>,
    /// Queries in those.
    pub open: u64,
    /// Rules that decide no query.
    pub idle: Vec<String>,
    /// The number of queries that each rule decides, before anything is rewritten.
    pub ledger: Ledger,
    /// Faults of the rule sets that hold for any query: indices that no rule covers, aliases of nothing.
    pub ill_defined: Vec<String>,
    /// Rules that do not end, or whose answer is an invalid step.
    pub endless: Vec<String>,
    /// Errors of the legalizer's own, which it gives for the same reasons.
    pub internal: Vec<String>,
    /// Legalized without an error, to something that is not legal.
    pub illegal: Vec<String>,
    /// Queries that a rule declares legal and no selection rule takes, with the rule that says so.
    pub unselected: Vec<String>,
    /// Queries that the minimum rule set requires and the table lacks.
    pub missing: Vec<String>,
}

/// An opcode that cannot be legalized, and the reason.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Refusal {
    /// LLVM's name of the opcode.
    pub opcode: String,
    /// The legalizer's reason, without the types.
    pub why: String,
}

impl TableSummary {
    /// True if the table has no fault.
    pub fn is_sound(&self) -> bool {
        self.findings().is_empty()
    }

    /// The faults of the table, each with its kind.
    pub fn findings(&self) -> Vec<String> {
        let label = |kind: &'static str, lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| format!("{kind}: {line}")).collect()
        };
        let holes: Vec<String> = in_words(&self.holes).collect();
        let all: [(&str, &[String]); 8] = [
            ("ill-defined", &self.ill_defined),
            ("endless", &self.endless),
            ("internal", &self.internal),
            ("illegal", &self.illegal),
            ("unselected", &self.unselected),
            ("missing", &self.missing),
            ("hole", &holes),
            ("idle", &self.idle),
        ];
        all.iter().flat_map(|(kind, lines)| label(kind, lines)).collect()
    }

    /// The queries that cannot be legalized: one line for an opcode and a reason, with the types after the opcode.
    pub fn refusals(&self) -> impl Iterator<Item = String> + '_ {
        in_words(&self.cannot)
    }

    /// Adds the outcome of other queries.
    pub fn add(&mut self, other: TableSummary) {
        self.queries += other.queries;
        self.legal += other.legal;
        self.legalized += other.legalized;
        self.not_run += other.not_run;
        self.refused += other.refused;
        self.open += other.open;
        for (all, more) in [(&mut self.cannot, other.cannot), (&mut self.holes, other.holes)] {
            for (refusal, types) in more {
                all.entry(refusal).or_default().extend(types);
            }
        }
        self.idle.extend(other.idle);
        self.ledger.add(other.ledger);
        self.ill_defined.extend(other.ill_defined);
        self.endless.extend(other.endless);
        self.internal.extend(other.internal);
        self.illegal.extend(other.illegal);
        self.unselected.extend(other.unselected);
        self.missing.extend(other.missing);
    }

    fn count(&mut self, query: &LegalityQuery, answer: Answer) {
        self.queries += 1;
        let opcode = query.opcode.to_string();
        match answer {
            Answer::Legal => self.legal += 1,
            Answer::Legalized => self.legalized += 1,
            Answer::Cannot(why) => {
                self.refused += 1;
                self.cannot.entry(Refusal { opcode, why }).or_default().insert(query.types.to_vec());
            }
            Answer::Hole(why) => {
                self.open += 1;
                self.holes.entry(Refusal { opcode, why }).or_default().insert(query.types.to_vec());
            }
            Answer::Endless(text) => self.endless.push(text),
            Answer::Internal(text) => self.internal.push(text),
            Answer::Illegal(text) => self.illegal.push(text),
            Answer::Unselected(text) => self.unselected.push(text),
        }
    }
}

/// The outcome of one query.
enum Answer {
    Legal,
    Legalized,
    Cannot(String),
    Hole(String),
    Endless(String),
    Internal(String),
    Illegal(String),
    Unselected(String),
}

/// Checks the table of `target` under `features`, or another one in its place.
pub fn check(target: &'static Target, features: Features, legalizer: &'static LegalizerInfo) -> TableSummary {
    let queries = legalize::queries(target, legalizer);
    let missing = rule_tables::minimum(legalizer, &queries).iter().map(ToString::to_string).collect();
    let name = target.with(features);
    let ill_defined = legalizer.verify().iter().map(|fault| format!("{name}: {fault}")).collect();
    let decisions = decisions(legalizer, &queries);
    let ledger = ledger(&name, &decisions);
    let deciding: FxHashSet<&str> = decisions.keys().map(|(rule, ..)| *rule).collect();
    let idle = legalizer.rules().filter(|names| !names.iter().any(|name| deciding.contains(name)));
    let idle = idle.map(|names| format!("{} decides no query", names[0])).collect();
    let parts = queries.par_chunks(256).map(|part| {
        let mut summary = TableSummary::default();
        for query in part {
            let functions = legalize::functions_of(target, query);
            summary.not_run += u64::from(functions.is_empty());
            summary.count(query, answer(target, features, legalizer, query, functions));
        }
        summary
    });
    let parts: Vec<TableSummary> = parts.collect();
    parts.into_iter().fold(
        TableSummary { missing, ill_defined, idle, ledger, ..TableSummary::default() },
        |mut all, part| {
            all.add(part);
            all
        },
    )
}

/// The number of queries that each rule decides under these features, as [`TableSummary::ledger`] counts them.
pub fn decided(target: &'static Target, features: Features, queries: &[LegalityQuery]) -> Ledger {
    ledger(&target.with(features), &decisions((target.legality)(features), queries))
}

/// The number of queries that each rule decides, by action.
type Decisions = FxHashMap<(&'static str, Opcode, Action), u64>;

fn decisions<'q>(legalizer: &LegalizerInfo, queries: impl IntoIterator<Item = &'q LegalityQuery>) -> Decisions {
    let mut decisions = Decisions::default();
    for query in queries {
        let step = legalizer.action(query);
        *decisions.entry((step.rule, query.opcode, step.action)).or_default() += 1;
    }
    decisions
}

fn ledger(name: &str, decisions: &Decisions) -> Ledger {
    let mut ledger = Ledger::default();
    for (&(rule, opcode, action), &count) in decisions {
        ledger.count(name, rule, &opcode.to_string(), &format!("{action:?}"), count);
    }
    ledger
}

/// Follows the query on the table; if that ends, legalizes the instances.
fn answer(
    target: &'static Target,
    features: Features,
    legalizer: &'static LegalizerInfo,
    query: &LegalityQuery,
    functions: Vec<Function>,
) -> Answer {
    let chain = match rule_tables::follow(legalizer, query) {
        Ok(chain) => chain,
        Err(fault) => return Answer::Endless(fault.to_string()),
    };
    let on_table = match chain {
        Chain { steps: 0, end: End::Legal } => Answer::Legal,
        Chain { end: End::Legal | End::Rewritten(_), .. } => Answer::Legalized,
        Chain { end: End::Refused(step), .. } => refused(step, ""),
    };
    if matches!(on_table, Answer::Legal)
        && let Some(text) =
            functions.iter().find_map(|function| unselected(target, features, legalizer, query, function))
    {
        return Answer::Unselected(text);
    }
    let answers = functions.into_iter().map(|function| run(target, features, legalizer, query, function));
    match (answers.reduce(worse), on_table) {
        (None, on_table) => on_table,
        (Some(Answer::Legalized), Answer::Legal) => Answer::Legal,
        (Some(answer), _) => answer,
    }
}

/// The legality rule to blame if no selection rule takes a legal instance. The machine has the options that change no
/// legality rule: with one of them off, an instance may be refused.
fn unselected(
    target: &'static Target,
    features: Features,
    legalizer: &'static LegalizerInfo,
    query: &LegalityQuery,
    function: &Function,
) -> Option<String> {
    let features = features | target.features_beside_rules();
    let asks = |inst: &Inst| LegalityQuery::of(function, function.inst(*inst)).as_ref() == Some(query);
    let inst = function.all_insts().find(asks).filter(|&inst| !select::takes(function, target, features, inst))?;
    let (rule, text) =
        (legalizer.action(query).rule, text::print_inst(function, function.inst(inst), target.vocabulary));
    Some(format!("{}: `{rule}` says legal, and no selection rule takes `{text}`", shown(query)))
}

/// The worse answer of two instances of one query.
fn worse(one: Answer, other: Answer) -> Answer {
    let rank = |answer: &Answer| match answer {
        Answer::Legal => 0,
        Answer::Legalized => 1,
        Answer::Cannot(_) => 2,
        Answer::Hole(_) => 3,
        Answer::Unselected(_) => 4,
        Answer::Illegal(_) => 5,
        Answer::Internal(_) => 6,
        Answer::Endless(_) => 7,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// Legalizes one instance.
fn run(
    target: &'static Target,
    features: Features,
    legalizer: &'static LegalizerInfo,
    query: &LegalityQuery,
    mut function: Function,
) -> Answer {
    let options = Options::new(features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let result = (PASS.run)(&mut context, &mut function);
    let print = |inst: Inst| text::print_inst(&function, function.inst(inst), target.vocabulary);
    let mut insts = function.all_insts();
    let step = |inst: Inst| legalizer.legality(&function, function.inst(inst));
    match result {
        Ok(()) => {
            let generic = insts.filter(|&inst| function.inst(inst).opcode.is_generic());
            let mut illegal = generic.filter(|&inst| step(inst).action != Action::Legal);
            illegal.next().map_or(Answer::Legalized, |inst| {
                let step = step(inst);
                let (query, inst) = (shown(query), print(inst));
                Answer::Illegal(format!("{query}: left with `{inst}`: {:?} by `{}`", step.action, step.rule))
            })
        }
        Err(CompileError::Unsupported { feature, .. }) => {
            let stuck = insts.find(|&inst| feature.contains(&format!("`{}`", print(inst))));
            let Some(inst) = stuck else { return Answer::Hole(feature) };
            match LegalityQuery::of(&function, function.inst(inst)) {
                Some(left) if left == *query => refused(step(inst), ""),
                Some(left) => refused(step(inst), &format!("leads to {}: ", types_of(left.opcode, &left.types))),
                None => Answer::Hole(format!("leads to {} without types", function.inst(inst).opcode)),
            }
        }
        Err(CompileError::Internal { reason, .. }) => Answer::Internal(format!("{}: {reason}", shown(query))),
    }
}

fn types_of(opcode: Opcode, types: &[Type]) -> String {
    types.iter().fold(opcode.to_string(), |text, ty| format!("{text} {ty}"))
}

/// An instruction that the legalizer left: refused if a rule says so.
fn refused(step: LegalizeStep, way: &str) -> Answer {
    match (step.action, step.rule) {
        (Action::Unsupported, NO_RULE) => Answer::Hole(format!("{way}{NO_RULE}")),
        (Action::Unsupported, rule) => Answer::Cannot(format!("{way}{rule}")),
        (action, rule) => Answer::Hole(format!("{way}no recipe for {action:?} ({rule})")),
    }
}

/// One line for an opcode and a reason, with the types after the opcode.
fn in_words(refusals: &BTreeMap<Refusal, BTreeSet<Vec<Type>>>) -> impl Iterator<Item = String> + '_ {
    refusals.iter().map(|(refusal, types)| format!("{} {}: {}", refusal.opcode, ranges(types), refusal.why))
}

/// Type lists as text, with runs of widths merged: `s33..s63 with the same; s65..s128 with s8, s64`.
fn ranges(types: &BTreeSet<Vec<Type>>) -> String {
    let mut by_rest: BTreeMap<Option<Vec<Type>>, Vec<Type>> = BTreeMap::new();
    for list in types {
        let Some((&first, rest)) = list.split_first() else { continue };
        let same = !rest.is_empty() && rest.iter().all(|&ty| ty == first);
        by_rest.entry((!same).then(|| rest.to_vec())).or_default().push(first);
    }
    let mut by_first: BTreeMap<String, Vec<Option<Vec<Type>>>> = BTreeMap::new();
    for (rest, firsts) in by_rest {
        by_first.entry(runs(&firsts)).or_default().push(rest);
    }
    let words = by_first.into_iter().flat_map(|(firsts, rests)| {
        let (single, other): (Vec<_>, Vec<_>) =
            rests.into_iter().partition(|rest| rest.as_ref().is_some_and(|rest| rest.len() == 1));
        let seconds: Vec<Type> = single.into_iter().flatten().flatten().collect();
        let single = (!seconds.is_empty()).then(|| format!("{firsts} with {}", runs(&seconds)));
        let other = other.into_iter().map(move |rest| match rest {
            None => format!("{firsts} with the same"),
            Some(rest) if rest.is_empty() => firsts.clone(),
            Some(rest) => rest.iter().fold(firsts.clone(), |text, ty| format!("{text} with {ty}")),
        });
        single.into_iter().chain(other).collect::<Vec<_>>()
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Sorted types, with consecutive widths merged.
fn runs(types: &[Type]) -> String {
    let mut runs: Vec<(Type, Type)> = Vec::new();
    for &ty in types {
        match runs.last_mut() {
            Some((_, end)) if end.is_scalar() && ty.is_scalar() && end.bits() + 1 == ty.bits() => *end = ty,
            _ => runs.push((ty, ty)),
        }
    }
    let words = runs.iter().map(|(start, end)| match start == end {
        true => start.to_string(),
        false => format!("{start}..{end}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::FindingKind;
    use tribunal_ir::Opcode::*;
    use tribunal_ir::types::{S8, S16, S32, S64};
    use tribunal_target::legality::mutations::change_to;
    use tribunal_target::legality::predicates::type_is;
    use tribunal_target::legality::{RuleSet, rules_for};
    use tribunal_verifier::machine_verifier::Rule;

    #[test]
    fn the_tables_of_every_target_end_in_legal_instructions() {
        // The command line's tests check the others, against the ledger.
        for target in [&tribunal_target::riscv::RISCV64, &tribunal_target::riscv::RISCV32] {
            let summary = check(target, target.default_features, (target.legality)(target.default_features));
            assert_eq!(summary.findings(), Vec::<String>::new());
            assert!(summary.queries > 20_000 && summary.legal > 50, "{} queries", summary.queries);
            assert_eq!(summary.queries, summary.legal + summary.legalized + summary.refused);
        }
    }

    /// Inputs of instances have no definitions; apart from that the verifier accepts them, and each makes the query
    /// that it is made for.
    #[test]
    fn instances_are_well_formed() {
        for target in tribunal_target::ALL {
            let legalizer = (target.legality)(target.default_features);
            let mut seen = 0;
            for query in legalize::queries(target, legalizer).iter().step_by(29) {
                for function in legalize::functions_of(target, query) {
                    let findings = crate::harness::verify(&function, target, legalizer);
                    let findings =
                        findings.iter().filter(|finding| finding.kind != FindingKind::Rule(Rule::SsaDominance));
                    assert_eq!(findings.map(ToString::to_string).collect::<String>(), "", "{}", shown(query));
                    let insts = function.all_insts();
                    let mut asked = insts.filter_map(|inst| LegalityQuery::of(&function, function.inst(inst)));
                    assert!(asked.any(|asked| asked == *query), "{}", shown(query));
                    seen += 1;
                }
            }
            assert!(seen > 1000, "{seen} instances");
        }
    }

    /// Without any one rule the ledger of the tables differs at that rule's name: every rule decides something.
    #[test]
    fn no_rule_can_go_unnoticed() {
        for target in tribunal_target::ALL {
            for features in target.rule_sets() {
                let table = (target.legality)(features);
                let mut by_opcode: FxHashMap<String, Vec<LegalityQuery>> = FxHashMap::default();
                for query in legalize::queries(target, table) {
                    by_opcode.entry(query.opcode.to_string()).or_default().push(query);
                }
                for (index, names) in table.rules().enumerate() {
                    // `riscv64 G_ADD#1 legal_for`
                    let opcodes = names.iter().filter_map(|name| name.split([' ', '#']).nth(1));
                    let queries: Vec<_> = opcodes.filter_map(|opcode| by_opcode.get(opcode)).flatten().collect();
                    let of_rule = |table: &LegalizerInfo| -> Vec<u64> {
                        let decisions = decisions(table, queries.iter().copied());
                        let of_name = |name| decisions.iter().filter(move |((rule, ..), _)| *rule == name);
                        names.iter().map(|&name| of_name(name).map(|(_, count)| count).sum()).collect()
                    };
                    assert_ne!(of_rule(table), of_rule(&table.without(index)), "{}", names[0]);
                }
            }
        }
    }

    fn on(opcodes: &[Opcode]) -> RuleSet {
        rules_for("test", opcodes)
    }

    /// A table made for RV64 whose opcodes other than those of `sets` are legal whatever their types.
    fn check_sets(sets: Vec<RuleSet>) -> TableSummary {
        let rest = [G_STORE, G_CONSTANT, G_ICMP, G_PHI, G_IMPLICIT_DEF, G_FRAME_INDEX, G_ANYEXT, G_ZEXT, G_TRUNC];
        let parts = [G_MERGE_VALUES, G_UNMERGE_VALUES];
        let mut all = vec![on(&rest).always_legal(), on(&parts).always_legal()];
        all.extend(sets);
        check_table(all)
    }

    fn check_table(sets: Vec<RuleSet>) -> TableSummary {
        let target = &tribunal_target::riscv::RISCV64;
        check(target, target.default_features, Box::leak(Box::new(LegalizerInfo::new(sets))))
    }

    #[test]
    fn a_circle_on_one_opcode_is_named() {
        let circle = on(&[G_ADD])
            .legal_for(&[S64])
            .widen_scalar_if(type_is(0, S8), change_to(0, S16))
            .narrow_scalar_if(type_is(0, S16), change_to(0, S8));
        let summary = check_sets(vec![circle]);
        assert!(summary.missing.is_empty() && summary.illegal.is_empty(), "{:?}", summary.missing);
        let named = |text: &str| summary.endless.iter().any(|line| line.starts_with(text));
        assert!(summary.endless.len() == 2 && named("G_ADD s8:") && named("G_ADD s16:"), "{:?}", summary.endless);
    }

    /// Narrowing s64 to s32 and widening s32 to s64 form a cycle through an expansion, which a chain on one opcode does
    /// not show.
    #[test]
    fn a_circle_through_an_expansion_is_named() {
        let summary = check_sets(vec![
            on(&[G_ADD]).custom_for(&[S32]).narrow_scalar_if(type_is(0, S64), change_to(0, S32)),
            on(&[G_SEXT_INREG]).always_legal(),
        ]);
        let named = |text: &str| summary.internal.iter().any(|line| line.starts_with(text) && line.contains("not end"));
        assert!(named("G_ADD s32:") && named("G_ADD s64:"), "{:?}", summary.internal);
    }

    /// A widening that shrinks is found on the table, for every query that makes it. The legalizer finds it where
    /// another opcode's expansion reaches it.
    #[test]
    fn a_widening_that_shrinks_is_named() {
        let summary = check_sets(vec![
            on(&[G_ADD]).legal_for(&[S64]).widen_scalar_if(type_is(0, S16), change_to(0, S8)),
            on(&[G_SUB]).legal_for(&[S64]),
            on(&[G_ABDU]).lower(),
            on(&[G_UADDO]).lower(),
        ]);
        let fault = "`test G_ADD#1 widen_scalar_if`: WidenScalar of type 0 from s16 to s8: that is not wider";
        assert_eq!(summary.endless, [format!("G_ADD s16: {fault}")]);
        let named = summary.internal.iter().any(|line| line.starts_with("G_UADDO s16") && line.ends_with(fault));
        assert!(named, "{:?}", summary.internal);
    }

    /// A table may call legal what no instruction does: the rule that says so is to blame.
    #[test]
    fn legal_instructions_that_no_selection_rule_takes_are_named() {
        let legal = |ty| on(&[G_ADD]).legal_for(&[ty]).widen_scalar_to_next_pow2(0).clamp_scalar(0, ty, ty);
        let named =
            |summary: &TableSummary| summary.findings().iter().any(|line| line.starts_with("unselected: G_ABDS"));
        let right = check_sets(vec![legal(S64), on(&[G_ABDS]).lower()]);
        assert!(
            !named(&right) && right.unselected.iter().all(|line| !line.contains("G_ADD")),
            "{:?}",
            right.unselected
        );
        let wrong = check_sets(vec![legal(S64), on(&[G_ABDS]).legal_for(&[S64])]);
        let blamed = "G_ABDS s64: `test G_ABDS#0 legal_for` says legal";
        assert!(
            named(&wrong) && wrong.unselected.iter().any(|line| line.starts_with(blamed)),
            "{:?}",
            wrong.unselected
        );
    }

    #[test]
    fn indices_that_no_rule_is_about_are_named() {
        let summary = check_sets(vec![
            on(&[G_SHL]).unsupported_if(type_is(1, S8)).legal_for(&[S64]),
            on(&[G_SEXT_INREG]).legal_for(&[S64]),
            on(&[G_ASSERT_ZEXT]).legal_for(&[S64]).imm_idx(0),
            on(&[G_LSHR]).alias_to(G_SHL),
            on(&[G_ASHR]).alias_to(G_LSHR),
        ]);
        assert_eq!(
            summary.ill_defined,
            [
                "riscv64: G_SHL: no rule is about type index 1",
                "riscv64: G_SEXT_INREG: no rule is about immediate index 0",
                "riscv64: G_LSHR: no rule is about type index 1",
                "riscv64: G_ASHR: has the rules of G_LSHR, which has those of another",
            ]
        );
    }

    /// Rules decide actions on vectors; that no recipe does them is a hole of the table, named.
    #[test]
    fn actions_on_vectors_are_refused_by_name() {
        let summary = check_sets(vec![on(&[G_ADD]).legal_for(&[S64]).clamp_min_num_elements(0, S32, 4)]);
        let named = "hole: G_ADD <2 x s32>: no recipe for MoreElements (test G_ADD#1 clamp_min_num_elements)";
        assert!(summary.findings().iter().any(|line| line == named), "{:?}", summary.findings());
    }

    #[test]
    fn a_table_without_truncation_is_named() {
        let types = [S32, S64];
        let sets =
            vec![on(&[G_ADD, G_PHI, G_IMPLICIT_DEF]).legal_for(&types), on(&[G_ANYEXT]).legal_for(&[(S64, S32)])];
        let summary = check_table(sets);
        assert!(summary.missing.len() == 1 && summary.missing[0].contains("G_TRUNC s32 s64"), "{:?}", summary.missing);
    }

    #[test]
    fn runs_of_widths_are_drawn_together() {
        let types = BTreeSet::from([vec![S8], vec![Type::scalar(9)], vec![S64]]);
        assert_eq!(ranges(&types), "s8..s9, s64");
        let pairs = BTreeSet::from([vec![S8, S8], vec![S8, Type::scalar(9)], vec![S8, Type::scalar(10)]]);
        assert_eq!(ranges(&pairs), "s8 with s9..s10; s8 with the same");
    }
}
