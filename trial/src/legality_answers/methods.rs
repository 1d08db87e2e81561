//! Methods of rule sets: rows of rules, queries and answers.

#![allow(clippy::unwrap_used, reason = "the compiler evaluates the constants")]

use super::{KnownAnswers, access, differs, query, set};
use tribunal_ir::Type;
use tribunal_ir::types::{ElementCount, P0, S8, S16, S32, S64};
use tribunal_target::legality::mutations as to;
use tribunal_target::legality::predicates as when;
use tribunal_target::legality::{LegalizeStep, NO_RULE, RuleSet};

const NONE: &str = "none";

const ONE: [Type; 2] = [S32, S64];
const TWO: [(Type, Type); 2] = [(S32, S32), (S64, S32)];
const THREE: [(Type, Type, Type); 1] = [(S32, S64, P0)];
const LISTS: [&[Type]; 2] = [&[S32, S64], &[S8]];
const FOUR_BYTES: Type = S8.times(ElementCount::fixed(4)).unwrap();
const FOUR_WORDS: Type = S32.times(ElementCount::fixed(4)).unwrap();
const TWO_WORDS: Type = S32.times(ElementCount::fixed(2)).unwrap();

/// `0 min_scalar WidenScalar 0 s32`; [`NONE`] if no rule matches.
fn answer(step: &LegalizeStep) -> String {
    if step.rule == NO_RULE {
        return NONE.to_string();
    }
    let rule = step.rule.strip_prefix("test G_ADD#").unwrap_or(step.rule);
    match step.new_type {
        Some(ty) => format!("{rule} {:?} {} {ty}", step.action, step.type_index),
        None => format!("{rule} {:?}", step.action),
    }
}

/// Method, rules, and their answers.
type Row = (&'static str, RuleSet, &'static [(&'static str, &'static str)]);

/// Every answer is also a valid step.
fn wrong(set: &RuleSet, text: &str, known: &str) -> Option<String> {
    let Some(query) = query(text) else { return Some(format!("{text}: no query")) };
    let step = set.apply(&query);
    let is_valid = step.check(query.type_at(step.type_index));
    differs(text, &answer(&step).as_str(), &known).or_else(|| Some(format!("{text}: {}", is_valid.err()?)))
}

/// The rows of each file.
pub(super) fn answers() -> Vec<KnownAnswers> {
    let rules = [legal(), lowered(), called(), refused()].into_iter().flatten();
    let scalars = [said_by_the_caller(), rounded_up(), lower_bounds(), upper_bounds(), like_another_type()];
    let vectors = [converted(), counted()].into_iter().flatten();
    let of_file = |file: &'static str| {
        move |(method, set, queries): Row| {
            let wrong = queries.iter().find_map(|(text, known)| wrong(&set, text, known));
            KnownAnswers { file, method, wrong }
        }
    };
    let rules = rules.map(of_file("rules"));
    let scalars = scalars.into_iter().flatten().map(of_file("scalars"));
    let extensions = not_of_llvm().into_iter().map(of_file("extensions"));
    rules.chain(scalars).chain(vectors.map(of_file("vectors"))).chain(extensions).collect()
}

fn legal() -> Vec<Row> {
    vec![
        ("legal_if", set().legal_if(when::is_scalar(0)), &[("s7", "0 legal_if Legal"), ("p0", NONE)]),
        ("legal_for", set().legal_for(&ONE), &[("s64 s8", "0 legal_for Legal"), ("s16", NONE), ("", NONE)]),
        ("legal_for", set().legal_for(&TWO), &[("s64 s32", "0 legal_for Legal"), ("s32 s64", NONE), ("s32", NONE)]),
        ("legal_for", set().legal_for(&THREE), &[("s32 s64 p0", "0 legal_for Legal"), ("s32 s64 s64", NONE)]),
        ("legal_for", set().legal_for::<Type>(&[]).legal_for(&[S8]), &[("s8", "0 legal_for Legal"), ("s16", NONE)]),
        (
            "legal_for_type_with_any_imm",
            set().legal_for_type_with_any_imm(&ONE),
            &[("s32 #5", "0 legal_for_type_with_any_imm Legal"), ("s16 #5", NONE)],
        ),
        (
            "legal_for_types_with_mem_desc",
            set().legal_for_types_with_mem_desc(&[access(16, 8), access(32, 32)]),
            &[
                ("s32 p0 @16:8", "0 legal_for_types_with_mem_desc Legal"),
                ("s32 p0 @32:64", "0 legal_for_types_with_mem_desc Legal"),
                ("s32 p0 @32:16", NONE),
                ("s32 p0 @8:8", NONE),
                ("s64 p0 @16:8", NONE),
                ("s32 p1 @16:8", NONE),
                ("s32 p0", NONE),
            ],
        ),
        (
            "legal_for_cartesian_product",
            set().legal_for_cartesian_product(&[&ONE]),
            &[("s32 s64", "0 legal_for_cartesian_product Legal"), ("s32 s16", NONE), ("s32", NONE)],
        ),
        (
            "legal_for_cartesian_product",
            set().legal_for_cartesian_product(&[&ONE, &[S8], &[P0, S16]]),
            &[
                ("s64 s8 p0", "0 legal_for_cartesian_product Legal"),
                ("s64 s8 s8", NONE),
                ("s64 s32 p0", NONE),
                ("s64 s8", NONE),
            ],
        ),
        ("always_legal", set().always_legal(), &[("v3s7", "0 always_legal Legal"), ("", "0 always_legal Legal")]),
    ]
}

fn lowered() -> Vec<Row> {
    vec![
        ("lower", set().lower(), &[("nxv2p0", "0 lower Lower")]),
        ("lower_if", set().lower_if(when::is_scalar(1)), &[("p0 s7", "0 lower_if Lower"), ("s7 p0", NONE)]),
        (
            "lower_if_to",
            set().lower_if_to(when::is_scalar(0), to::change_to(0, S32)),
            &[("s7", "0 lower_if Lower 0 s32"), ("p0", NONE)],
        ),
        ("lower_for", set().lower_for(&TWO), &[("s64 s32", "0 lower_for Lower"), ("s64 s64", NONE)]),
        (
            "lower_for_to",
            set().lower_for_to(&ONE, to::change_to(0, S8)),
            &[("s64", "0 lower_for Lower 0 s8"), ("s8", NONE)],
        ),
        (
            "lower_for_cartesian_product",
            set().lower_for_cartesian_product(&LISTS),
            &[("s64 s8", "0 lower_for_cartesian_product Lower"), ("s64 s64", NONE)],
        ),
        (
            "lower_if_mem_size_not_pow2",
            set().lower_if_mem_size_not_pow2(),
            &[
                ("s32 p0 @24:8", "0 lower_if_mem_size_not_pow2 Lower"),
                ("s32 p0 @15:8", NONE),
                ("s32 p0 @32:8", NONE),
                ("s32 p0", NONE),
            ],
        ),
        (
            "lower_if_mem_size_not_byte_size_pow2",
            set().lower_if_mem_size_not_byte_size_pow2(),
            &[
                ("s32 p0 @24:8", "0 lower_if_mem_size_not_byte_size_pow2 Lower"),
                ("s32 p0 @15:8", "0 lower_if_mem_size_not_byte_size_pow2 Lower"),
                ("s32 p0 @16:8", NONE),
                ("s32 p0", NONE),
            ],
        ),
    ]
}

fn called() -> Vec<Row> {
    vec![
        ("libcall", set().libcall(), &[("s7", "0 libcall Libcall")]),
        ("libcall_if", set().libcall_if(when::is_scalar(0)), &[("s7", "0 libcall_if Libcall"), ("p0", NONE)]),
        ("libcall_for", set().libcall_for(&ONE), &[("s64", "0 libcall_for Libcall"), ("s128", NONE)]),
        (
            "libcall_for_cartesian_product",
            set().libcall_for_cartesian_product(&LISTS),
            &[("s32 s8", "0 libcall_for_cartesian_product Libcall"), ("s8 s8", NONE)],
        ),
        ("custom", set().custom(), &[("s7", "0 custom Custom")]),
        ("custom_if", set().custom_if(when::is_scalar(0)), &[("s7", "0 custom_if Custom"), ("p0", NONE)]),
        ("custom_for", set().custom_for(&THREE), &[("s32 s64 p0", "0 custom_for Custom"), ("s32 s64", NONE)]),
        (
            "custom_for_cartesian_product",
            set().custom_for_cartesian_product(&LISTS),
            &[("s32 s8", "0 custom_for_cartesian_product Custom"), ("s8 s8", NONE)],
        ),
    ]
}

/// The first that matches decides; a method that is off leaves no rule and takes no place.
fn refused() -> Vec<Row> {
    vec![
        ("unsupported", set().unsupported(), &[("s7", "0 unsupported Unsupported")]),
        (
            "unsupported_if",
            set().unsupported_if(when::is_vector(0)),
            &[("v2s7", "0 unsupported_if Unsupported"), ("s7", NONE)],
        ),
        ("unsupported_for", set().unsupported_for(&ONE), &[("s64", "0 unsupported_for Unsupported"), ("s8", NONE)]),
        (
            "unsupported_if_mem_size_not_pow2",
            set().unsupported_if_mem_size_not_pow2(),
            &[("s32 p0 @24:8", "0 unsupported_if_mem_size_not_pow2 Unsupported"), ("s32 p0 @32:8", NONE)],
        ),
        (
            "when",
            set().when(false, |set| set.lower()).when(true, |set| set.legal_for(&[S8])).custom_for(&ONE),
            &[("s8", "0 legal_for Legal"), ("s32", "1 custom_for Custom"), ("s16", NONE)],
        ),
        ("apply", set().legal_for(&[S8]).unsupported_for(&[S8]), &[("s8", "0 legal_for Legal"), ("s16", NONE)]),
    ]
}

fn said_by_the_caller() -> Vec<Row> {
    vec![
        (
            "widen_scalar_if",
            set().widen_scalar_if(when::is_scalar(1), to::change_to(1, S64)),
            &[("p0 s7", "0 widen_scalar_if WidenScalar 1 s64"), ("s7 p0", NONE)],
        ),
        (
            "narrow_scalar_if",
            set().narrow_scalar_if(when::scalar_wider_than(0, 16), to::change_to(0, S16)),
            &[("s24", "0 narrow_scalar_if NarrowScalar 0 s16"), ("s16", NONE)],
        ),
        (
            "narrow_scalar_for",
            set().narrow_scalar_for(&[(S64, S8)], to::change_to(0, S32)),
            &[("s64 s8", "0 narrow_scalar_for NarrowScalar 0 s32"), ("s64 s16", NONE)],
        ),
        (
            "narrow_scalar",
            set().narrow_scalar(0, to::change_to(0, S8)),
            &[("s64", "0 narrow_scalar NarrowScalar 0 s8"), ("p0", NONE), ("v4s32", NONE)],
        ),
    ]
}

fn rounded_up() -> Vec<Row> {
    vec![
        (
            "widen_scalar_to_next_pow2",
            set().widen_scalar_to_next_pow2(0),
            &[
                ("s33", "0 widen_scalar_to_next_pow2 WidenScalar 0 s64"),
                ("s3", "0 widen_scalar_to_next_pow2 WidenScalar 0 s4"),
                ("s64", NONE),
                ("v2s33", NONE),
                ("p0", NONE),
            ],
        ),
        (
            "widen_scalar_to_next_pow2_at_least",
            set().widen_scalar_to_next_pow2_at_least(0, 32),
            &[
                ("s3", "0 widen_scalar_to_next_pow2 WidenScalar 0 s32"),
                ("s33", "0 widen_scalar_to_next_pow2 WidenScalar 0 s64"),
                ("s8", NONE),
            ],
        ),
        (
            "widen_scalar_to_next_multiple_of",
            set().widen_scalar_to_next_multiple_of(1, 32),
            &[
                ("p0 s33", "0 widen_scalar_to_next_multiple_of WidenScalar 1 s64"),
                ("p0 s70", "0 widen_scalar_to_next_multiple_of WidenScalar 1 s96"),
                ("s33 s96", NONE),
                ("p0 v2s33", NONE),
            ],
        ),
        (
            "widen_scalar_or_elt_to_next_pow2",
            set().widen_scalar_or_elt_to_next_pow2(0),
            &[
                ("v3s24", "0 widen_scalar_or_elt_to_next_pow2 WidenScalar 0 <3 x s32>"),
                ("nxv2s24", "0 widen_scalar_or_elt_to_next_pow2 WidenScalar 0 <vscale x 2 x s32>"),
                ("s24", "0 widen_scalar_or_elt_to_next_pow2 WidenScalar 0 s32"),
                ("v3s32", NONE),
            ],
        ),
        (
            "widen_scalar_or_elt_to_next_pow2_at_least",
            set().widen_scalar_or_elt_to_next_pow2_at_least(0, 16),
            &[("v2s3", "0 widen_scalar_or_elt_to_next_pow2 WidenScalar 0 <2 x s16>"), ("s8", NONE)],
        ),
        (
            "widen_scalar_or_elt_to_next_pow2_or_min_size",
            set().widen_scalar_or_elt_to_next_pow2_or_min_size(0, 16),
            &[
                ("s8", "0 widen_scalar_or_elt_to_next_pow2_or_min_size WidenScalar 0 s16"),
                ("v2s24", "0 widen_scalar_or_elt_to_next_pow2_or_min_size WidenScalar 0 <2 x s32>"),
                ("v2s16", NONE),
            ],
        ),
        (
            "widen_vector_elts_to_vector_min_size",
            set().widen_vector_elts_to_vector_min_size(0, 64),
            &[
                ("v4s8", "0 widen_vector_elts_to_vector_min_size WidenScalar 0 <4 x s16>"),
                ("v2s8", "0 widen_vector_elts_to_vector_min_size WidenScalar 0 <2 x s32>"),
                ("v8s8", NONE),
                ("nxv2s8", NONE),
                ("s8", NONE),
            ],
        ),
    ]
}

fn lower_bounds() -> Vec<Row> {
    vec![
        (
            "min_scalar",
            set().min_scalar(0, S32),
            &[("s31", "0 min_scalar WidenScalar 0 s32"), ("s32", NONE), ("v4s8", NONE), ("p0", NONE)],
        ),
        (
            "min_scalar_if",
            set().min_scalar_if(when::is_scalar(1), 0, S32),
            &[("s31 s1", "0 min_scalar_if WidenScalar 0 s32"), ("s31 p0", NONE), ("s32 s1", NONE)],
        ),
        (
            "min_scalar_or_elt",
            set().min_scalar_or_elt(0, S32),
            &[
                ("s8", "0 min_scalar_or_elt WidenScalar 0 s32"),
                ("v4s8", "0 min_scalar_or_elt WidenScalar 0 <4 x s32>"),
                ("v4s32", NONE),
            ],
        ),
        (
            "min_scalar_or_elt_if",
            set().min_scalar_or_elt_if(when::is_vector(0), 0, S32),
            &[("v4s8", "0 min_scalar_or_elt_if WidenScalar 0 <4 x s32>"), ("s8", NONE)],
        ),
    ]
}

fn upper_bounds() -> Vec<Row> {
    vec![
        (
            "max_scalar",
            set().max_scalar(0, S32),
            &[
                ("s33", "0 max_scalar NarrowScalar 0 s32"),
                ("s64", "0 max_scalar NarrowScalar 0 s32"),
                ("s256", "0 max_scalar NarrowScalar 0 s128"),
                ("s32", NONE),
                ("v2s64", NONE),
                ("p0", NONE),
            ],
        ),
        (
            "max_scalar_if",
            set().max_scalar_if(when::is_scalar(1), 0, S32),
            &[("s64 s1", "0 max_scalar_if NarrowScalar 0 s32"), ("s64 p0", NONE), ("s32 s1", NONE)],
        ),
        (
            "max_scalar_or_elt",
            set().max_scalar_or_elt(0, S32),
            &[
                ("s256", "0 max_scalar_or_elt NarrowScalar 0 s32"),
                ("v2s64", "0 max_scalar_or_elt NarrowScalar 0 <2 x s32>"),
                ("v8s32", NONE),
            ],
        ),
        (
            "clamp_scalar",
            set().clamp_scalar(0, S16, S32),
            &[
                ("s8", "0 min_scalar WidenScalar 0 s16"),
                ("s64", "1 max_scalar NarrowScalar 0 s32"),
                ("s24", NONE),
                ("v4s8", NONE),
            ],
        ),
        (
            "clamp_scalar_or_elt",
            set().clamp_scalar_or_elt(0, S16, FOUR_WORDS),
            &[
                ("v2s8", "0 min_scalar_or_elt WidenScalar 0 <2 x s16>"),
                ("v2s64", "1 max_scalar_or_elt NarrowScalar 0 <2 x s32>"),
                ("v9s32", NONE),
            ],
        ),
    ]
}

fn like_another_type() -> Vec<Row> {
    vec![
        (
            "min_scalar_same_as",
            set().min_scalar_same_as(1, 0),
            &[
                ("s64 s8", "0 min_scalar_same_as WidenScalar 1 s64"),
                ("p0 s8", "0 min_scalar_same_as WidenScalar 1 s64"),
                ("v2s32 v2s8", "0 min_scalar_same_as WidenScalar 1 <2 x s32>"),
                ("s8 s64", NONE),
                ("s8 s8", NONE),
                ("s8", NONE),
            ],
        ),
        (
            "max_scalar_same_as",
            set().max_scalar_same_as(1, 0),
            &[("s8 s64", "0 max_scalar_same_as NarrowScalar 1 s8"), ("s64 s8", NONE), ("s8 p0", NONE)],
        ),
        (
            "scalar_same_size_as",
            set().scalar_same_size_as(0, 1),
            &[
                ("s8 s64", "0 scalar_same_size_as WidenScalar 0 s64"),
                ("s64 s8", "1 scalar_same_size_as NarrowScalar 0 s8"),
                ("s8 s8", NONE),
            ],
        ),
        (
            "min_scalar_elt_same_as_if",
            set().min_scalar_elt_same_as_if(when::is_vector(0), 0, 1),
            &[
                ("v2s8 v2s32", "0 min_scalar_elt_same_as_if WidenScalar 0 <2 x s32>"),
                ("v2s8 s16", "0 min_scalar_elt_same_as_if WidenScalar 0 <2 x s16>"),
                ("v2s32 v2s8", NONE),
                ("s8 s32", NONE),
            ],
        ),
        (
            "max_scalar_elt_same_as_if",
            set().max_scalar_elt_same_as_if(when::is_vector(0), 0, 1),
            &[
                ("v2s32 v2s8", "0 max_scalar_elt_same_as_if NarrowScalar 0 <2 x s8>"),
                ("v2s8 v2s32", NONE),
                ("s32 s8", NONE),
            ],
        ),
    ]
}

fn converted() -> Vec<Row> {
    vec![
        (
            "bitcast_if",
            set().bitcast_if(when::element_type_is(0, S8), to::change_to(0, S32)),
            &[("v4s8", "0 bitcast_if Bitcast 0 s32"), ("v2s16", NONE)],
        ),
        (
            "more_elements_if",
            set().more_elements_if(when::element_type_is(0, S32), to::change_to(0, FOUR_WORDS)),
            &[("v3s32", "0 more_elements_if MoreElements 0 <4 x s32>"), ("v3s8", NONE)],
        ),
        (
            "fewer_elements_if",
            set().fewer_elements_if(when::element_type_is(0, S32), to::change_to(0, TWO_WORDS)),
            &[("v3s32", "0 fewer_elements_if FewerElements 0 <2 x s32>"), ("v3s8", NONE)],
        ),
        (
            "scalarize",
            set().scalarize(1),
            &[
                ("s8 v3s32", "0 scalarize FewerElements 1 s32"),
                ("s8 v2p0", "0 scalarize FewerElements 1 p0"),
                ("v3s32 s8", NONE),
            ],
        ),
        (
            "scalarize_if",
            set().scalarize_if(when::num_elements_not_pow2(0), 0),
            &[("v3s32", "0 scalarize_if FewerElements 0 s32"), ("v4s32", NONE), ("s32", NONE)],
        ),
    ]
}

fn counted() -> Vec<Row> {
    vec![
        (
            "more_elements_to_next_pow2",
            set().more_elements_to_next_pow2(0),
            &[("v3s32", "0 more_elements_to_next_pow2 MoreElements 0 <4 x s32>"), ("v4s32", NONE), ("nxv3s32", NONE)],
        ),
        (
            "more_elements_to_next_pow2_at_least",
            set().more_elements_to_next_pow2_at_least(0, 8),
            &[("v3s32", "0 more_elements_to_next_pow2 MoreElements 0 <8 x s32>"), ("v4s32", NONE)],
        ),
        (
            "align_num_elements_to",
            set().align_num_elements_to(0, S32, 4),
            &[
                ("v5s32", "0 align_num_elements_to MoreElements 0 <8 x s32>"),
                ("v8s32", NONE),
                ("v5s8", NONE),
                ("s32", NONE),
            ],
        ),
        (
            "clamp_min_num_elements",
            set().clamp_min_num_elements(0, S32, 4),
            &[("v3s32", "0 clamp_min_num_elements MoreElements 0 <4 x s32>"), ("v4s32", NONE), ("v3s8", NONE)],
        ),
        (
            "clamp_max_num_elements",
            set().clamp_max_num_elements(0, S32, 4),
            &[("v5s32", "0 clamp_max_num_elements FewerElements 0 <4 x s32>"), ("v4s32", NONE), ("v5s8", NONE)],
        ),
        (
            "clamp_max_num_elements",
            set().clamp_max_num_elements(0, S64, 1),
            &[("v2s64", "0 clamp_max_num_elements FewerElements 0 s64"), ("s64", NONE)],
        ),
        (
            "clamp_num_elements",
            set().clamp_num_elements(0, TWO_WORDS, FOUR_WORDS),
            &[
                ("v8s32", "1 clamp_max_num_elements FewerElements 0 <4 x s32>"),
                ("v3s32", NONE),
                ("v8s8", NONE),
                ("nxv8s32", NONE),
            ],
        ),
        (
            "clamp_num_elements",
            set().clamp_num_elements(0, FOUR_BYTES, FOUR_BYTES),
            &[
                ("v2s8", "0 clamp_min_num_elements MoreElements 0 <4 x s8>"),
                ("v8s8", "1 clamp_max_num_elements FewerElements 0 <4 x s8>"),
                ("v4s8", NONE),
            ],
        ),
        (
            "clamp_max_num_elements_strict",
            set().clamp_max_num_elements_strict(0, S32, 4),
            &[
                ("v6s32", "0 align_num_elements_to MoreElements 0 <8 x s32>"),
                ("v8s32", "1 clamp_max_num_elements FewerElements 0 <4 x s32>"),
                ("v4s32", NONE),
            ],
        ),
    ]
}

/// Methods that LLVM has not.
fn not_of_llvm() -> Vec<Row> {
    vec![
        (
            "legal_for_immediates",
            set().legal_for_immediates(S32, &[8, 16]),
            &[("s32 #8", "0 legal_for_immediates Legal"), ("s32 #9", NONE), ("s64 #8", NONE), ("s32", NONE)],
        ),
        (
            "unsupported_if_not_scalar",
            set().unsupported_if_not_scalar(),
            &[
                ("s8 v2s8", "0 unsupported_if_not_scalar Unsupported"),
                ("s8 p0 @8:8:monotonic", "0 unsupported_if_not_scalar Unsupported"),
                ("s8 p0 @8:8", NONE),
            ],
        ),
        (
            "unsupported_if_vector",
            set().unsupported_if_vector(),
            &[("s8 v2s8", "0 unsupported_if_vector Unsupported"), ("s8 p0 @8:8:monotonic", NONE)],
        ),
        (
            "unsupported_if_not_atomically_accessible",
            set().unsupported_if_not_atomically_accessible(32),
            &[
                ("s64 p0 @64:64:monotonic", "0 unsupported_if_not_atomically_accessible Unsupported"),
                ("s24 p0 @24:32:acquire", "0 unsupported_if_not_atomically_accessible Unsupported"),
                ("s32 p0 @32:16:monotonic", "0 unsupported_if_not_atomically_accessible Unsupported"),
                ("s32 p0 @32:32:monotonic", NONE),
                ("s64 p0 @64:8", NONE),
            ],
        ),
        (
            "halve_scalar_if",
            set().halve_scalar_if(when::scalar_wider_than(1, 64), 1),
            &[("s8 s128", "0 halve_scalar_if NarrowScalar 1 s64"), ("s128 s64", NONE)],
        ),
        ("promote", set().promote(1, S32), &[("s16 s16", "0 promote WidenScalar 1 s32"), ("s16 s32", NONE)]),
        (
            "narrow_scalar_to_access",
            set().narrow_scalar_to_access(S32),
            &[
                ("s128 p0 @40:8", "0 narrow_scalar_to_access NarrowScalar 0 s64"),
                ("s128 p0 @8:8", "0 narrow_scalar_to_access NarrowScalar 0 s32"),
                ("s64 p0 @40:8", NONE),
            ],
        ),
    ]
}
