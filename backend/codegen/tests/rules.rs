//! The legalizer's answer to rules that it cannot follow: tables made for these tests, one instruction each.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::legalize::PASS;
use tribunal_codegen::{CompileError, Context, NoObserver, Options};
use tribunal_ir::types::{ElementCount, S8, S16, S32, S64};
use tribunal_ir::{AtomicOrdering, Opcode, Type, text};
use tribunal_target::legality::mutations::{TypeOf, change_to};
use tribunal_target::legality::predicates::{element_type_is, is_scalar, is_vector};
use tribunal_target::legality::{LegalityQuery, LegalizerInfo, RuleSet, rules_for};
use tribunal_target::riscv::RISCV64;

fn add() -> RuleSet {
    rules_for("test", &[Opcode::G_ADD])
}

/// The legalizer's error for a `G_ADD` of `ty` under these rules; everything else is legal.
fn said(rules: RuleSet, ty: Type) -> CompileError {
    let source = format!(
        "---\nname: f\nbody: |\n  bb.0:\n    %0:_(p0) = G_IMPLICIT_DEF\n    %1:_({ty}) = G_IMPLICIT_DEF\n    \
         %2:_({ty}) = G_ADD %1, %1\n    G_STORE %2({ty}), %0(p0) :: (store ({ty}))\n...\n"
    );
    let mut module = text::parse_module(&source, RISCV64.vocabulary).unwrap();
    let rest = rules_for("test", &[Opcode::G_IMPLICIT_DEF, Opcode::G_STORE]).always_legal();
    let legalizer = Box::leak(Box::new(LegalizerInfo::new(vec![rules, rest])));
    let options = Options::new(RISCV64.default_features);
    let mut context = Context { target: &RISCV64, options, legalizer, observer: &mut NoObserver };
    (PASS.run)(&mut context, &mut module.functions[0]).unwrap_err()
}

#[test]
fn actions_on_vectors_without_a_recipe_are_refused_by_name() {
    let four = |element: Type| element.times(ElementCount::fixed(4)).unwrap();
    let scalar_of_same_size = add().bitcast_if(element_type_is(0, S8), change_to(0, S32));
    let rows = [
        (add().clamp_max_num_elements(0, S32, 2), four(S32), "FewerElements"),
        (add().clamp_min_num_elements(0, S16, 8), four(S16), "MoreElements"),
        (scalar_of_same_size, four(S8), "Bitcast"),
        (add().min_scalar_or_elt(0, S64), four(S32), "WidenScalar"),
        (add().lower(), four(S32), "Lower"),
    ];
    for (rules, ty, action) in rows {
        let expected = format!("f: {action} of `%2:_({ty}) = G_ADD %1, %1` is not supported (legalize)");
        assert_eq!(said(rules, ty).to_string(), expected);
    }
}

/// An invalid step rewrites nothing; a table that loops in more than one step runs out of fuel.
#[test]
fn rules_that_make_no_sense_are_internal_errors() {
    let rows = [
        (
            add().widen_scalar_if(is_scalar(0), change_to(0, S8)),
            S16,
            "`test G_ADD#0 widen_scalar_if`: WidenScalar of type 0 from s16 to s8: that is not wider",
        ),
        (
            add().narrow_scalar(0, change_to(0, S64)),
            S32,
            "`test G_ADD#0 narrow_scalar`: NarrowScalar of type 0 from s32 to s64: that is not narrower",
        ),
        (
            add().widen_scalar_if(is_scalar(0), change_to(0, TypeOf(0))),
            S32,
            "`test G_ADD#0 widen_scalar_if`: WidenScalar of type 0 from s32 to s32: a loop: nothing changes",
        ),
        (
            add().more_elements_if(is_vector(0), change_to(0, S32)),
            S32.times(ElementCount::fixed(2)).unwrap(),
            "`test G_ADD#0 more_elements_if`: MoreElements of type 0 from <2 x s32> to s32: those are not more elements",
        ),
    ];
    let no_type = (
        add().narrow_scalar(0, change_to(0, TypeOf(1))),
        S32,
        "`test G_ADD#0 narrow_scalar`: NarrowScalar of type 0 from s32 to none: the rule gives no type",
    );
    for (rules, ty, fault) in rows.into_iter().chain([no_type]) {
        let error = said(rules, ty);
        assert!(matches!(error, CompileError::Internal { .. }), "{error}");
        assert_eq!(error.to_string(), format!("f: legalize: {fault}"));
    }
}

/// No constant is wider than 512 bits, nor is there a type of 65,536.
#[test]
fn what_is_too_wide_is_refused() {
    for bits in [513, 40_000] {
        let error = said(add().widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64), Type::scalar(bits)).to_string();
        assert_eq!(error, format!("f: a register of s{bits}, wider than 512 bits, is not supported (legalize)"));
    }
}

#[test]
fn a_query_shows_how_strongly_an_access_orders() {
    let source = "---\nname: f\nbody: |\n  bb.0:\n    %0:_(p0) = G_IMPLICIT_DEF\n    %1:_(s32) = G_IMPLICIT_DEF\n    \
                  %2:_(s32), %3:_(s1) = G_ATOMIC_CMPXCHG_WITH_SUCCESS %0(p0), %1, %1 :: \
                  (load store syncscope(\"singlethread\") acq_rel acquire (s32), align 8)\n...\n";
    let module = text::parse_module(source, RISCV64.vocabulary).unwrap();
    let function = &module.functions[0];
    let insts = function.all_insts();
    let data = insts.map(|inst| function.inst(inst)).last().unwrap();
    let query = LegalityQuery::of(function, data).unwrap();
    let [memory] = query.memory.as_slice() else { panic!("{query:?}") };
    assert_eq!((memory.ty, memory.align_bits), (S32, 64));
    let orderings = (memory.ordering, memory.failure_ordering);
    assert_eq!(orderings, (AtomicOrdering::AcquireRelease, AtomicOrdering::Acquire));
}
