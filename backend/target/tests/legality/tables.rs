//! Tables as a whole: aliases, coverage, and invalid steps.

use super::{query, set};
use tribunal_ir::types::{ElementCount, S8, S16, S32, S64, S128};
use tribunal_ir::{Opcode, Type};
use tribunal_target::legality::mutations::{self as to, TypeOf};
use tribunal_target::legality::predicates as when;
use tribunal_target::legality::{IllDefined, LegalityQuery, LegalizerInfo, NO_RULE, RuleSet, rules_for};

const S24: Type = Type::scalar(24);

/// Two sets of rules and an opcode that has those of the second.
fn table(alias: RuleSet) -> LegalizerInfo {
    let subtraction = rules_for("test", &[Opcode::G_OR, Opcode::G_SUB]).legal_for(&[S32]);
    LegalizerInfo::new(vec![set().legal_for(&[S64]), subtraction, alias])
}

#[test]
fn an_alias_has_the_rules_of_another() {
    let alias = || rules_for("test", &[Opcode::G_AND]);
    let and = |ty: Type| LegalityQuery::new(Opcode::G_AND, [ty]);
    let good = table(alias().alias_to(Opcode::G_SUB));
    assert_eq!(good.action(&and(S32)).rule, "test G_SUB#0 legal_for");
    assert_eq!(good.action(&and(S64)).rule, NO_RULE);
    assert_eq!(good.verify(), []);
    assert!(good.is_aliased_by_another(Opcode::G_SUB) && !good.is_aliased_by_another(Opcode::G_ADD));
    assert!(good.opcodes().any(|opcode| opcode == Opcode::G_AND));

    let (opcode, of) = (Opcode::G_AND, Opcode::G_XOR);
    assert_eq!(table(alias().alias_to(of)).verify(), [IllDefined::AliasOfNothing { opcode, of }]);
    let of = Opcode::G_SUB;
    let own = table(alias().legal_for(&[S8]).alias_to(of));
    assert_eq!(own.verify(), [IllDefined::AliasWithRules { opcode, of }]);
    let twice = LegalizerInfo::new(vec![set().lower(), set().alias_to(Opcode::G_ADD)]);
    assert!(twice.verify().contains(&IllDefined::TwoSets { opcode: Opcode::G_ADD }));
    // Aliases do not chain: the second has no rules.
    let first = rules_for("test", &[Opcode::G_OR]).alias_to(Opcode::G_ADD);
    let chain = LegalizerInfo::new(vec![set().lower(), first, alias().alias_to(Opcode::G_OR)]);
    assert_eq!(chain.verify(), [IllDefined::AliasOfAlias { opcode, of: Opcode::G_OR }]);
    assert_eq!(chain.action(&and(S32)).rule, NO_RULE);
}

/// The indices that a rule covers, by its arguments.
#[test]
fn coverage_is_counted_by_what_a_rule_is_about() {
    let first = |set: RuleSet| (set.verify_type_idxs_coverage(3), set.verify_imm_idxs_coverage(1));
    assert_eq!(first(set()), (Some(0), Some(0)));
    assert_eq!(first(set().legal_for(&[S8])), (Some(1), Some(0)));
    assert_eq!(first(set().legal_for(&[(S8, S8)]).clamp_scalar(2, S8, S16)), (None, Some(0)));
    assert_eq!(first(set().legal_for(&[(S8, S8, S8)]).imm_idx(0)), (None, None));
    assert_eq!(first(set().legal_for_cartesian_product(&[&[S8]])), (Some(2), Some(0)));
    assert_eq!(first(set().legal_for_type_with_any_imm(&[S8])), (Some(1), None));
    assert_eq!(first(set().min_scalar_same_as(0, 1).scalarize(1)), (Some(2), Some(0)));
    // The indices that a caller's predicate reads are not known; a refusal tells nothing of the types accepted.
    assert_eq!(first(set().legal_if(when::is_scalar(0))), (None, None));
    assert_eq!(first(set().unsupported_if(when::is_vector(0))), (Some(0), Some(0)));
    assert_eq!(first(set().unsupported()), (None, None));
    assert_eq!(first(set().when(false, |set| set.lower())), (Some(0), Some(0)));
}

/// Every way in which a step can be invalid, and a valid step of the same action.
#[test]
fn steps_that_make_no_sense_are_told() {
    let fault = |rules: RuleSet, text: &str| {
        let (query, said) = (query(text), rules.apply(&query(text)));
        let fault = said.check(query.type_at(said.type_index)).unwrap_err().to_string();
        fault.split_once("`: ").unwrap().1.to_string()
    };
    let widen = |ty: Type| set().widen_scalar_if(when::pred_not(when::type_is(0, S128)), to::change_to(0, ty));
    let scalable = S32.times(ElementCount { lanes: 2, scalable: true }).unwrap();
    let vector = |lanes| S32.times(ElementCount::fixed(lanes)).unwrap();
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
    for (said, expected) in rows {
        assert_eq!(said, expected);
    }
}
