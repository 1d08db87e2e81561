//! Judges a legality table as a rewriting system on queries: no function, no recipe, no solver.
//!
//! A widening or narrowing rule rewrites a query to one of the same opcode with one type changed. From any query such a
//! chain must end. The termination measure: a widening makes its type index wider; a narrowing makes it narrower than
//! it has been anywhere on the chain. So between two narrowings of an index there are only widenings, and each
//! narrowing lowers the least width so far. A fault names the query, the rule and the chain.
//!
//! Each answer on the chain must also be well formed by itself ([`LegalizeStep::check`]): it changes its type as its
//! action says. This check covers answers about vectors as well, which no chain follows.
//!
//! `Lower` and `Custom` write other opcodes, whose chains start from their own queries. Termination of the two together
//! shows only in a run of the legalizer, which is outside this crate.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::fmt;
use tribunal_ir::{Family, Opcode, OperandKind, Type};
use tribunal_target::legality::{Action, LegalityQuery, LegalizeStep, LegalizerInfo, StepFault};

/// The end of a chain on one opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// In an instruction that is legal.
    Legal,
    /// Rewritten to other opcodes: lowered, custom, a library call, or an action on vectors.
    Rewritten(LegalizeStep),
    /// Refused by a rule, or because no rule matches.
    Refused(LegalizeStep),
}

/// A chain of rules that ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The number of rules applied.
    pub steps: usize,
    /// The end that they reach.
    pub end: End,
}

/// A fault of a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableFault {
    /// The rules form a cycle.
    #[error("{query}: comes back to itself: {path}", query = shown(query))]
    Repeats {
        /// The query where it was noticed.
        query: LegalityQuery,
        /// The queries on the way.
        path: Path,
    },
    /// A rule narrows a type, but not below its least width so far.
    #[error("{query}: `{rule}` makes type {index} no narrower than it has been: {path}", query = shown(query))]
    NoProgress {
        /// The query where it was noticed.
        query: LegalityQuery,
        /// The rule's name.
        rule: &'static str,
        /// The type index.
        index: usize,
        /// The queries on the way.
        path: Path,
    },
    /// A rule's answer is not well formed.
    #[error("{query}: {fault}", query = shown(query))]
    Insane {
        /// The query.
        query: LegalityQuery,
        /// The fault of the answer.
        fault: StepFault,
    },
    /// The rules take too many steps.
    #[error("{query}: does not end in {MOST_STEPS} steps: {path}", query = shown(query))]
    TooLong {
        /// The query where they began.
        query: LegalityQuery,
        /// The queries on the way.
        path: Path,
    },
    /// A query that other rules rely on is not legal.
    #[error("minimum rule set: {query} is {why}, but {because}", query = shown(query))]
    Missing {
        /// The query.
        query: LegalityQuery,
        /// Its outcome instead of legal.
        why: String,
        /// The rules that rely on it.
        because: String,
    },
}

/// Rules and the types that each led to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path(Vec<(&'static str, SmallVec<[Type; 3]>)>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (rule, types)) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}`{rule}` to")?;
            types.iter().try_for_each(|ty| write!(f, " {ty}"))?;
        }
        Ok(())
    }
}

/// A query as reports show it: `G_LOAD s32 p0 (s24, align 1)`.
pub fn shown(query: &LegalityQuery) -> String {
    let mut text = query.opcode.to_string();
    for ty in &query.types {
        text += &format!(" {ty}");
    }
    for memory in &query.memory {
        text += &format!(" ({}, align {})", memory.ty, memory.align_bits / 8);
    }
    if let Some(immediate) = query.immediate {
        text += &format!(", {immediate}");
    }
    text
}

/// A chain longer than any that a table has reason for: each width doubles, and each index takes its turn.
const MOST_STEPS: usize = 64;

/// Follows `query` through the widening and narrowing rules of its opcode.
pub fn follow(legalizer: &LegalizerInfo, query: &LegalityQuery) -> Result<Chain, Box<TableFault>> {
    let mut current = query.clone();
    let mut least: SmallVec<[u32; 3]> = query.types.iter().map(|ty| ty.bits()).collect();
    let mut met = FxHashSet::default();
    let mut path = Path::default();
    for steps in 0..MOST_STEPS {
        let step = legalizer.action(&current);
        if let Err(fault) = step.check(current.type_at(step.type_index)) {
            return Err(Box::new(TableFault::Insane { query: query.clone(), fault }));
        }
        let new = match (step.action, step.new_type) {
            (Action::Legal, _) => return Ok(Chain { steps, end: End::Legal }),
            (Action::Unsupported, _) => return Ok(Chain { steps, end: End::Refused(step) }),
            (Action::WidenScalar | Action::NarrowScalar, Some(new)) => new,
            _ => return Ok(Chain { steps, end: End::Rewritten(step) }),
        };
        met.insert(current.clone());
        let index = step.type_index;
        current = changed(current, index, new);
        path.0.push((step.rule, current.types.clone()));
        if met.contains(&current) {
            return Err(Box::new(TableFault::Repeats { query: query.clone(), path }));
        }
        let floor = least.get(index).copied().unwrap_or(0);
        if step.action == Action::NarrowScalar && new.bits() >= floor {
            let (query, rule) = (query.clone(), step.rule);
            return Err(Box::new(TableFault::NoProgress { query, rule, index, path }));
        }
        least[index] = floor.min(new.bits());
    }
    Err(Box::new(TableFault::TooLong { query: query.clone(), path }))
}

/// The query with type `index` changed to `new`. An access that is split has parts of at most that size in memory.
fn changed(mut query: LegalityQuery, index: usize, new: Type) -> LegalityQuery {
    let narrows = query.types.get(index).is_some_and(|ty| ty.bits() > new.bits());
    if let Some(ty) = query.types.get_mut(index) {
        *ty = new;
    }
    if narrows && index == 0 {
        query.memory.iter_mut().filter(|memory| memory.ty.bits() > new.bits()).for_each(|memory| memory.ty = new);
        // The part of an extending load that has nothing to extend is a load.
        let extends = query.memory.iter().any(|memory| memory.ty.bits() < new.bits());
        if query.opcode.family() == Some(Family::Load) && !extends {
            query.opcode = Opcode::G_LOAD;
        }
    }
    query
}

/// The minimum rule set (LLVM's GlobalISel documentation, "Minimum Rule Set"), which every table needs for the types
/// that its legal instructions produce and consume. It has `G_ANYEXT` and `G_TRUNC` from each type produced to each
/// other type consumed, `G_IMPLICIT_DEF` of each type produced, `G_PHI` of each type produced and consumed, and
/// `G_FRAME_INDEX`. Artifacts themselves do not count as producers and consumers: they combine away between the others.
/// `queries` are those that can be made of the table.
pub fn minimum(legalizer: &LegalizerInfo, queries: &[LegalityQuery]) -> Vec<TableFault> {
    let (mut produced, mut consumed) = (BTreeSet::new(), BTreeSet::new());
    for query in queries.iter().filter(|query| !query.opcode.is_artifact()) {
        let Some(info) = query.opcode.info() else { continue };
        if legalizer.action(query).action == Action::Legal {
            let types = |kinds: &[OperandKind]| -> Vec<Type> {
                kinds.iter().filter_map(|kind| query.types.get(kind.type_index()?).copied()).collect()
            };
            produced.extend(types(info.defs));
            consumed.extend(types(info.uses));
            if query.opcode == Opcode::G_PHI {
                consumed.extend(types(info.defs));
            }
        }
    }
    let mut faults = Vec::new();
    let mut need = |opcode: Opcode, types: &[Type], because: String| {
        let query = LegalityQuery::new(opcode, types.iter().copied());
        let why = match follow(legalizer, &query) {
            Ok(Chain { end: End::Legal | End::Rewritten(_), .. }) => return,
            Ok(Chain { end: End::Refused(step), .. }) => format!("{:?} ({})", step.action, step.rule),
            Err(fault) => fault.to_string(),
        };
        faults.push(TableFault::Missing { query, why, because });
    };
    for &from in &produced {
        need(Opcode::G_IMPLICIT_DEF, &[from], format!("{from} is produced"));
        for &to in consumed.iter().filter(|to| to.is_scalar() && from.is_scalar()) {
            let because = || format!("{from} is produced and {to} is consumed");
            match from.bits().cmp(&to.bits()) {
                std::cmp::Ordering::Less => need(Opcode::G_ANYEXT, &[to, from], because()),
                std::cmp::Ordering::Greater => need(Opcode::G_TRUNC, &[to, from], because()),
                std::cmp::Ordering::Equal => need(Opcode::G_PHI, &[from], because()),
            }
        }
    }
    for &pointer in produced.iter().filter(|ty| ty.is_pointer() && consumed.contains(ty)) {
        need(Opcode::G_PHI, &[pointer], format!("{pointer} is produced and consumed"));
        need(Opcode::G_FRAME_INDEX, &[pointer], "stack objects have addresses".to_string());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::types::{ElementCount, P0, S8, S16, S32, S64};
    use tribunal_target::legality::mutations::{TypeOf, change_to};
    use tribunal_target::legality::predicates::{is_scalar, is_vector, type_is};
    use tribunal_target::legality::{RuleSet, rules_for};

    fn on(opcodes: &[Opcode]) -> RuleSet {
        rules_for("test", opcodes)
    }

    #[test]
    fn a_circle_of_widening_and_narrowing_is_named() {
        let circle = on(&[Opcode::G_ADD])
            .legal_for(&[S64])
            .widen_scalar_if(type_is(0, S8), change_to(0, S16))
            .narrow_scalar_if(type_is(0, S16), change_to(0, S8));
        let legalizer = LegalizerInfo::new(vec![circle]);
        let text = follow(&legalizer, &LegalityQuery::new(Opcode::G_ADD, [S8])).unwrap_err().to_string();
        assert_eq!(
            text,
            "G_ADD s8: comes back to itself: `test G_ADD#1 widen_scalar_if` to s16, `test G_ADD#2 narrow_scalar_if` to s8"
        );
        let legal = follow(&legalizer, &LegalityQuery::new(Opcode::G_ADD, [S64])).unwrap();
        assert_eq!(legal, Chain { steps: 0, end: End::Legal });
    }

    #[test]
    fn a_narrowing_that_undoes_a_widening_is_named() {
        let back = on(&[Opcode::G_ADD])
            .widen_scalar_if(type_is(0, S8), change_to(0, S64))
            .narrow_scalar_if(type_is(0, S64), change_to(0, S16))
            .legal_for(&[S16]);
        let legalizer = LegalizerInfo::new(vec![back]);
        let fault = follow(&legalizer, &LegalityQuery::new(Opcode::G_ADD, [S8])).unwrap_err();
        assert!(matches!(*fault, TableFault::NoProgress { .. }), "{fault}");
    }

    /// The fault in the answers of `set` about `query`.
    fn insane(set: RuleSet, query: &LegalityQuery) -> String {
        follow(&LegalizerInfo::new(vec![set]), query).unwrap_err().to_string()
    }

    #[test]
    fn a_step_that_makes_no_sense_is_named() {
        let add = |ty: Type| LegalityQuery::new(Opcode::G_ADD, [ty]);
        let four = S32.times(ElementCount::fixed(4)).unwrap();
        assert_eq!(
            insane(on(&[Opcode::G_ADD]).widen_scalar_if(is_scalar(0), change_to(0, S8)), &add(S16)),
            "G_ADD s16: `test G_ADD#0 widen_scalar_if`: WidenScalar of type 0 from s16 to s8: that is not wider"
        );
        assert_eq!(
            insane(on(&[Opcode::G_ADD]).narrow_scalar(0, change_to(0, S64)), &add(S16)),
            "G_ADD s16: `test G_ADD#0 narrow_scalar`: NarrowScalar of type 0 from s16 to s64: that is not narrower"
        );
        assert_eq!(
            insane(on(&[Opcode::G_ADD]).widen_scalar_if(is_scalar(0), change_to(0, TypeOf(0))), &add(S16)),
            "G_ADD s16: `test G_ADD#0 widen_scalar_if`: WidenScalar of type 0 from s16 to s16: a loop: nothing changes"
        );
        assert_eq!(
            insane(on(&[Opcode::G_ADD]).fewer_elements_if(is_vector(0), change_to(0, S64)), &add(four)),
            "G_ADD <4 x s32>: `test G_ADD#0 fewer_elements_if`: FewerElements of type 0 from <4 x s32> to s64: \
             the element changes"
        );
        assert_eq!(
            insane(on(&[Opcode::G_ADD]).widen_scalar_if(is_scalar(0), change_to(0, TypeOf(1))), &add(S16)),
            "G_ADD s16: `test G_ADD#0 widen_scalar_if`: WidenScalar of type 0 from s16 to none: the rule gives no type"
        );
    }

    /// A table of two registers' widths, with or without the truncation between them.
    fn two_widths(truncation: bool) -> LegalizerInfo {
        let mut sets = vec![
            on(&[Opcode::G_ADD, Opcode::G_PHI, Opcode::G_IMPLICIT_DEF]).legal_for(&[S32, S64]),
            on(&[Opcode::G_ANYEXT]).legal_for(&[(S64, S32)]),
        ];
        if truncation {
            sets.push(on(&[Opcode::G_TRUNC]).legal_for(&[(S32, S64)]));
        }
        LegalizerInfo::new(sets)
    }

    #[test]
    fn a_missing_truncation_is_named() {
        let queries = [S32, S64].map(|ty| LegalityQuery::new(Opcode::G_ADD, [ty]));
        assert_eq!(minimum(&two_widths(true), &queries), []);
        let missing: Vec<String> = minimum(&two_widths(false), &queries).iter().map(ToString::to_string).collect();
        assert_eq!(
            missing,
            [
                "minimum rule set: G_TRUNC s32 s64 is Unsupported (no rule matches), but s64 is produced and s32 is consumed"
            ]
        );
    }

    #[test]
    fn pointers_need_phis_and_frame_indices() {
        let legalizer = LegalizerInfo::new(vec![
            on(&[Opcode::G_FREEZE]).legal_for(&[P0]),
            on(&[Opcode::G_IMPLICIT_DEF]).legal_for(&[P0]),
        ]);
        let queries = [LegalityQuery::new(Opcode::G_FREEZE, [P0])];
        let missing = minimum(&legalizer, &queries);
        let opcodes = missing.iter().map(|fault| match fault {
            TableFault::Missing { query, .. } => query.opcode,
            other => panic!("{other}"),
        });
        assert!(opcodes.eq([Opcode::G_PHI, Opcode::G_FRAME_INDEX]), "{missing:?}");
    }
}
