//! The static check of legality tables: every query that input can make is followed on the table alone, then legalized for
//! real on an instance, and whatever is left over is named. No solver: what is shown is that rules end and where, not that
//! recipes are right.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_codegen::legalize::{self, PASS};
use tribunal_codegen::{Allocator, CompileError, Context, NoObserver, Options};
use tribunal_ir::{Function, Inst, Opcode, Type, text};
use tribunal_target::Target;
use tribunal_target::legality::{Action, LegalityQuery, LegalizeStep, LegalizerInfo};
use tribunal_verifier::rule_tables::{self, Chain, End, shown};

/// What came of the queries.
#[derive(Default)]
pub struct Summary {
    pub queries: u64,
    /// Legal as they are.
    pub legal: u64,
    /// Brought to legal instructions.
    pub legalized: u64,
    /// Of those two, by the table alone: their opcodes have operands that stand for something outside the function.
    pub not_run: u64,
    /// Refused by a rule, by name; not a fault.
    pub cannot: BTreeMap<Refusal, BTreeSet<Vec<Type>>>,
    pub refused: u64,
    /// Rules that do not end.
    pub endless: Vec<String>,
    /// Legalized without an error, to something that is not legal.
    pub illegal: Vec<String>,
    /// What the minimum rule set asks for and the table does not have.
    pub missing: Vec<String>,
}

/// Which opcode cannot be legalized, and why.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Refusal {
    pub opcode: String,
    pub why: String,
}

impl Summary {
    pub fn is_sound(&self) -> bool {
        self.endless.is_empty() && self.illegal.is_empty() && self.missing.is_empty()
    }

    /// What cannot be legalized: one line for an opcode and a reason, the types behind it.
    pub fn refusals(&self) -> impl Iterator<Item = String> + '_ {
        self.cannot.iter().map(|(refusal, types)| format!("{} {}: {}", refusal.opcode, ranges(types), refusal.why))
    }

    pub fn add(&mut self, other: Summary) {
        self.queries += other.queries;
        self.legal += other.legal;
        self.legalized += other.legalized;
        self.not_run += other.not_run;
        self.refused += other.refused;
        for (refusal, types) in other.cannot {
            self.cannot.entry(refusal).or_default().extend(types);
        }
        self.endless.extend(other.endless);
        self.illegal.extend(other.illegal);
        self.missing.extend(other.missing);
    }

    fn count(&mut self, query: &LegalityQuery, answer: Answer) {
        self.queries += 1;
        match answer {
            Answer::Legal => self.legal += 1,
            Answer::Legalized => self.legalized += 1,
            Answer::Cannot(why) => {
                self.refused += 1;
                let opcode = query.opcode.to_string();
                self.cannot.entry(Refusal { opcode, why }).or_default().insert(query.types.to_vec());
            }
            Answer::Endless(text) => self.endless.push(text),
            Answer::Illegal(text) => self.illegal.push(text),
        }
    }
}

/// What came of one query.
enum Answer {
    Legal,
    Legalized,
    Cannot(String),
    Endless(String),
    Illegal(String),
}

/// Checks the table of `target`, or another one in its place.
pub fn check(target: &'static Target, legalizer: &'static LegalizerInfo) -> Summary {
    let queries = legalize::queries(target, legalizer);
    let missing = rule_tables::minimum(legalizer, &queries).iter().map(ToString::to_string).collect();
    let parts = queries.par_chunks(256).map(|part| {
        let mut summary = Summary::default();
        for query in part {
            let functions = legalize::functions_of(target, query);
            summary.not_run += u64::from(functions.is_empty());
            summary.count(query, answer(target, legalizer, query, functions));
        }
        summary
    });
    parts.collect::<Vec<_>>().into_iter().fold(Summary { missing, ..Summary::default() }, |mut all, part| {
        all.add(part);
        all
    })
}

/// Follows the query on the table; if that ends, legalizes the instances.
fn answer(
    target: &'static Target,
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
        Chain { end: End::Refused(step), .. } => Answer::Cannot(reason(step)),
    };
    let answers = functions.into_iter().map(|function| run(target, legalizer, query, function));
    match (answers.reduce(worse), on_table) {
        (None, on_table) => on_table,
        (Some(Answer::Legalized), Answer::Legal) => Answer::Legal,
        (Some(answer), _) => answer,
    }
}

/// Of two instances of one query, the answer that is less welcome.
fn worse(one: Answer, other: Answer) -> Answer {
    let rank = |answer: &Answer| match answer {
        Answer::Legal => 0,
        Answer::Legalized => 1,
        Answer::Cannot(_) => 2,
        Answer::Illegal(_) => 3,
        Answer::Endless(_) => 4,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// Legalizes one instance.
fn run(
    target: &'static Target,
    legalizer: &'static LegalizerInfo,
    query: &LegalityQuery,
    mut function: Function,
) -> Answer {
    let options = Options { features: target.default_features, allocator: Allocator::Ion };
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let result = (PASS.run)(&mut context, &mut function);
    let print = |inst: Inst| text::print_inst(&function, function.inst(inst), target.vocabulary);
    let mut insts = function.layout().iter().flat_map(|&block| function.insts(block));
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
            Answer::Cannot(stuck.map_or(feature, |inst| {
                let data = function.inst(inst);
                match LegalityQuery::of(&function, data) {
                    Some(left) if left == *query => reason(step(inst)),
                    Some(left) => format!("leads to {}: {}", types_of(left.opcode, &left.types), reason(step(inst))),
                    None => format!("leads to {} without types", data.opcode),
                }
            }))
        }
        // The legalizer's only internal error is to run out of fuel.
        Err(CompileError::Internal { reason, .. }) => Answer::Endless(format!("{}: {reason}", shown(query))),
    }
}

fn types_of(opcode: Opcode, types: &[Type]) -> String {
    types.iter().fold(opcode.to_string(), |text, ty| format!("{text} {ty}"))
}

fn reason(step: LegalizeStep) -> String {
    match step.action {
        Action::Unsupported => format!("unsupported ({})", step.rule),
        Action::Libcall => format!("library call ({})", step.rule),
        action => format!("no recipe for {action:?} ({})", step.rule),
    }
}

/// Type lists in words, runs of widths drawn together: `s33..s63 with the same; s65..s128 with s8, s64`.
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

/// Sorted types, widths that follow each other drawn together.
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
    use tribunal_ir::Opcode::*;
    use tribunal_ir::types::{S8, S16, S32, S64};
    use tribunal_target::legality::{RuleSet, rules_for};

    #[test]
    fn the_tables_of_every_target_end_in_legal_instructions() {
        let usual = tribunal_target::ALL.iter().map(|&target| (target, target.default_features));
        let riscv32 = &tribunal_target::riscv::RISCV32;
        let without_m = (riscv32, riscv32.default_features - tribunal_target::Features::M);
        for (target, features) in usual.chain([without_m]) {
            let summary = check(target, (target.legality)(features));
            assert!(summary.is_sound(), "{:?} {:?} {:?}", summary.endless, summary.illegal, summary.missing);
            assert!(summary.queries > 20_000 && summary.legal > 50, "{} queries", summary.queries);
            assert_eq!(summary.queries, summary.legal + summary.legalized + summary.refused);
        }
    }

    /// Inputs of instances have no definitions; but for that the verifier takes them, and each asks what it is made for.
    #[test]
    fn instances_are_well_formed() {
        for target in tribunal_target::ALL {
            let legalizer = (target.legality)(target.default_features);
            let mut seen = 0;
            for query in legalize::queries(target, legalizer).iter().step_by(29) {
                for function in legalize::functions_of(target, query) {
                    let findings = crate::harness::verify(&function, target, legalizer, "input");
                    let findings = findings.iter().filter(|finding| finding.kind != "ssa-dominance");
                    assert_eq!(findings.map(ToString::to_string).collect::<String>(), "", "{}", shown(query));
                    let insts = function.layout().iter().flat_map(|&block| function.insts(block));
                    let mut asked = insts.filter_map(|inst| LegalityQuery::of(&function, function.inst(inst)));
                    assert!(asked.any(|asked| asked == *query), "{}", shown(query));
                    seen += 1;
                }
            }
            assert!(seen > 1000, "{seen} instances");
        }
    }

    fn on(opcodes: &[Opcode]) -> RuleSet {
        rules_for("test", opcodes)
    }

    /// A table made for RV64 whose opcodes other than those of `sets` are legal whatever their types.
    fn check_sets(sets: Vec<RuleSet>) -> Summary {
        let rest = [G_STORE, G_CONSTANT, G_ICMP, G_PHI, G_IMPLICIT_DEF, G_FRAME_INDEX, G_ANYEXT, G_ZEXT, G_TRUNC];
        let parts = [G_MERGE_VALUES, G_UNMERGE_VALUES];
        let mut all = vec![on(&rest).always_legal(), on(&parts).always_legal()];
        all.extend(sets);
        check(&tribunal_target::riscv::RISCV64, Box::leak(Box::new(LegalizerInfo::new(all))))
    }

    fn exactly(bits: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync {
        move |query| query.types[0] == Type::scalar(bits)
    }

    #[test]
    fn a_circle_on_one_opcode_is_named() {
        let summary =
            check_sets(vec![on(&[G_ADD]).legal_for(&[S64]).widen_scalar_if(exactly(8), 0, S16).narrow_scalar_if(
                exactly(16),
                0,
                S8,
            )]);
        assert!(summary.missing.is_empty() && summary.illegal.is_empty(), "{:?}", summary.missing);
        let named = |text: &str| summary.endless.iter().any(|line| line.starts_with(text));
        assert!(summary.endless.len() == 2 && named("G_ADD s8:") && named("G_ADD s16:"), "{:?}", summary.endless);
    }

    /// Narrowing s64 to s32 and doing s32 in s64 goes through an expansion, which a chain on one opcode does not show.
    #[test]
    fn a_circle_through_an_expansion_is_named() {
        let summary = check_sets(vec![
            on(&[G_ADD]).custom_for(&[S32]).narrow_scalar_if(exactly(64), 0, S32),
            on(&[G_SEXT_INREG]).always_legal(),
        ]);
        let named = |text: &str| summary.endless.iter().any(|line| line.starts_with(text) && line.contains("not end"));
        assert!(named("G_ADD s32:") && named("G_ADD s64:"), "{:?}", summary.endless);
    }

    #[test]
    fn a_table_without_truncation_is_named() {
        let types = [S32, S64];
        let sets =
            vec![on(&[G_ADD, G_PHI, G_IMPLICIT_DEF]).legal_for(&types), on(&[G_ANYEXT]).legal_for_pairs(&[(S64, S32)])];
        let summary = check(&tribunal_target::riscv::RISCV64, Box::leak(Box::new(LegalizerInfo::new(sets))));
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
