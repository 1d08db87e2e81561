//! Tables as a whole: aliases, coverage, and invalid steps.

use super::{KnownAnswers, differs, query, set};
use tribunal_ir::types::{ElementCount, S8, S16, S32, S64, S128};
use tribunal_ir::{Opcode, Type};
use tribunal_target::legality::mutations::{self as to, TypeOf};
use tribunal_target::legality::predicates as when;
use tribunal_target::legality::{IllDefined, LegalityQuery, LegalizerInfo, NO_RULE, RuleSet, rules_for};

const S24: Type = Type::scalar(24);

/// The rows of each file.
pub(super) fn answers() -> Vec<KnownAnswers> {
    vec![
        KnownAnswers { file: "rules", method: "alias_to", wrong: of_aliases() },
        KnownAnswers { file: "rules", method: "imm_idx", wrong: of_coverage(Covered::Both) },
        KnownAnswers { file: "rules", method: "verify_type_idxs_coverage", wrong: of_coverage(Covered::Types) },
        KnownAnswers { file: "rules", method: "verify_imm_idxs_coverage", wrong: of_coverage(Covered::Immediates) },
        KnownAnswers { file: "step", method: "check", wrong: of_invalid_steps() },
    ]
}

/// Two sets of rules and an opcode that has those of the second.
fn table(alias: RuleSet) -> LegalizerInfo {
    let subtraction = rules_for("test", &[Opcode::G_OR, Opcode::G_SUB]).legal_for(&[S32]);
    LegalizerInfo::new(vec![set().legal_for(&[S64]), subtraction, alias])
}

/// An alias has the rules of another opcode.
fn of_aliases() -> Option<String> {
    let alias = || rules_for("test", &[Opcode::G_AND]);
    let and = |ty: Type| LegalityQuery::new(Opcode::G_AND, [ty]);
    let faults =
        |about: &str, table: LegalizerInfo, known: &[IllDefined]| differs(about, &table.verify().as_slice(), &known);
    let (opcode, good) = (Opcode::G_AND, table(alias().alias_to(Opcode::G_SUB)));
    let is_listed = good.opcodes().any(|other| other == opcode);
    let [of_sub, of_add] = [Opcode::G_SUB, Opcode::G_ADD].map(|of| good.is_aliased_by_another(of));
    let own = table(alias().legal_for(&[S8]).alias_to(Opcode::G_SUB));
    let twice = LegalizerInfo::new(vec![set().lower(), set().alias_to(Opcode::G_ADD)]).verify();
    let is_twice = twice.contains(&IllDefined::TwoSets { opcode: Opcode::G_ADD });
    // Aliases do not chain: the second has no rules.
    let first = rules_for("test", &[Opcode::G_OR]).alias_to(Opcode::G_ADD);
    let chain = || LegalizerInfo::new(vec![set().lower(), first.clone(), alias().alias_to(Opcode::G_OR)]);
    let nothing = IllDefined::AliasOfNothing { opcode, of: Opcode::G_XOR };
    differs("an alias", &good.action(&and(S32)).rule, &"test G_SUB#0 legal_for")
        .or_else(|| differs("an alias of another type", &good.action(&and(S64)).rule, &NO_RULE))
        .or_else(|| differs("opcodes, aliases", &(is_listed, of_sub, of_add, is_twice), &(true, true, false, true)))
        .or_else(|| differs("an alias of an alias", &chain().action(&and(S32)).rule, &NO_RULE))
        .or_else(|| faults("an alias of an alias", chain(), &[IllDefined::AliasOfAlias { opcode, of: Opcode::G_OR }]))
        .or_else(|| faults("an alias of nothing", table(alias().alias_to(Opcode::G_XOR)), &[nothing]))
        .or_else(|| faults("own rules", own, &[IllDefined::AliasWithRules { opcode, of: Opcode::G_SUB }]))
        .or_else(|| faults("an alias", good, &[]))
}

/// The indices that are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Covered {
    Types,
    Immediates,
    Both,
}

/// The indices that a rule covers, by its arguments: the first that it does not, of three types and of one immediate.
fn of_coverage(asked: Covered) -> Option<String> {
    let rows: [(RuleSet, Option<usize>, Option<usize>); 11] = [
        (set(), Some(0), Some(0)),
        (set().legal_for(&[S8]), Some(1), Some(0)),
        (set().legal_for(&[(S8, S8)]).clamp_scalar(2, S8, S16), None, Some(0)),
        (set().legal_for(&[(S8, S8, S8)]).imm_idx(0), None, None),
        (set().legal_for_cartesian_product(&[&[S8]]), Some(2), Some(0)),
        (set().legal_for_type_with_any_imm(&[S8]), Some(1), None),
        (set().min_scalar_same_as(0, 1).scalarize(1), Some(2), Some(0)),
        // The indices that a caller's predicate reads are not known; a refusal tells nothing of the types accepted.
        (set().legal_if(when::is_scalar(0)), None, None),
        (set().unsupported_if(when::is_vector(0)), Some(0), Some(0)),
        (set().unsupported(), None, None),
        (set().when(false, |set| set.lower()), Some(0), Some(0)),
    ];
    rows.iter().enumerate().find_map(|(row, (set, types, immediates))| {
        let about = |what: &str| format!("{what} of row {row}");
        let of_types = || differs(&about("types"), &set.verify_type_idxs_coverage(3), types);
        let of_immediates = || differs(&about("immediates"), &set.verify_imm_idxs_coverage(1), immediates);
        match asked {
            Covered::Types => of_types(),
            Covered::Immediates => of_immediates(),
            Covered::Both => of_types().or_else(of_immediates),
        }
    })
}

/// Every way in which a step can be invalid.
fn of_invalid_steps() -> Option<String> {
    let fault = |rules: RuleSet, text: &str| {
        let query = query(text)?;
        let said = rules.apply(&query);
        let fault = said.check(query.type_at(said.type_index)).err()?.to_string();
        Some(fault.split_once("`: ")?.1.to_string())
    };
    let widen = |ty: Type| set().widen_scalar_if(when::pred_not(when::type_is(0, S128)), to::change_to(0, ty));
    let of_words = |count: ElementCount| S32.times(count).unwrap_or(S32);
    let scalable = of_words(ElementCount { lanes: 2, scalable: true });
    let vector = |lanes| of_words(ElementCount::fixed(lanes));
    let rows = [
        (fault(widen(S8), "s16"), "WidenScalar of type 0 from s16 to s8: that is not wider"),
        (fault(widen(S16), "s16"), "WidenScalar of type 0 from s16 to s16: a loop: nothing changes"),
        (fault(widen(vector(2)), "s16"), "WidenScalar of type 0 from s16 to <2 x s32>: the number of elements changes"),
        (
            fault(widen(S128), "p0"),
            "WidenScalar of type 0 from p0 to s128: only scalars and vectors of scalars are widened and narrowed",
        ),
        (fault(widen(S8), ""), "WidenScalar of type 0 from none to none: the instruction has no such type"),
        (
            fault(set().narrow_scalar(0, to::change_to(0, S24)), "s16"),
            "NarrowScalar of type 0 from s16 to s24: that is not narrower",
        ),
        (
            fault(set().fewer_elements_if(when::is_scalar(0), to::change_to(0, vector(2))), "s32"),
            "FewerElements of type 0 from s32 to <2 x s32>: those are not fewer elements",
        ),
        (
            fault(set().fewer_elements_if(when::is_vector(0), to::change_to(0, scalable)), "v4s32"),
            "FewerElements of type 0 from <4 x s32> to <vscale x 2 x s32>: those are not fewer elements",
        ),
        (
            fault(set().more_elements_if(when::is_vector(0), to::change_to(0, vector(2))), "v4s32"),
            "MoreElements of type 0 from <4 x s32> to <2 x s32>: those are not more elements",
        ),
        (
            fault(set().more_elements_if(when::is_vector(0), to::change_to(0, vector(4))), "v2s16"),
            "MoreElements of type 0 from <2 x s16> to <4 x s32>: the element changes",
        ),
        (
            fault(set().bitcast_if(when::is_vector(0), to::change_to(0, S64)), "v4s32"),
            "Bitcast of type 0 from <4 x s32> to s64: the size changes",
        ),
        (
            fault(set().bitcast_if(when::is_vector(0), to::change_to(0, TypeOf(0))), "v4s32"),
            "Bitcast of type 0 from <4 x s32> to <4 x s32>: a loop: nothing changes",
        ),
        (
            fault(set().widen_scalar_to_next_pow2(0), "s40000"),
            "WidenScalar of type 0 from s40000 to none: the rule gives no type",
        ),
    ];
    rows.into_iter().find_map(|(said, known)| differs("a step", &said.as_deref(), &Some(known)))
}
