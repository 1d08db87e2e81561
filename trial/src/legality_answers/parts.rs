//! Predicates and mutations by themselves.

use super::{KnownAnswers, access, differs, query};
use tribunal_ir::AtomicOrdering;
use tribunal_ir::types::{ElementCount, S8, S16, S32, S64};
use tribunal_target::legality::mutations::{self as to, Mutation, TypeOf};
use tribunal_target::legality::predicates::{self as when, Predicate};

/// Name, predicate, queries on which it holds, queries on which it does not.
type PredicateRow = (&'static str, Predicate, &'static [&'static str], &'static [&'static str]);

/// Name, mutation, query, result.
type MutationRow = (&'static str, Mutation, &'static str, Option<(usize, &'static str)>);

/// The rows of each file.
pub(super) fn answers() -> Vec<KnownAnswers> {
    let of_file = |file: &'static str| {
        move |(method, predicate, holds, fails): PredicateRow| {
            let of = |texts: &'static [&'static str], known| texts.iter().map(move |text| (text, known));
            let wrong =
                |(text, known): (&&str, bool)| differs(text, &query(text).map(|query| predicate(&query)), &Some(known));
            KnownAnswers { file, method, wrong: of(holds, true).chain(of(fails, false)).find_map(wrong) }
        }
    };
    let mutated = |(method, mutation, text, known): MutationRow| {
        let said = query(text).and_then(|query| match mutation(&query) {
            (index, Some(ty)) => Some((index, ty.to_string())),
            (_, None) => None,
        });
        let known = known.map(|(index, ty)| (index, ty.to_string()));
        KnownAnswers { file: "mutations", method, wrong: differs(text, &said, &known) }
    };
    let predicates = predicates().into_iter().map(of_file("predicates"));
    let others = not_of_llvm().into_iter().map(of_file("extensions"));
    predicates.chain(others).chain(mutations().into_iter().map(mutated)).collect()
}

fn predicates() -> Vec<PredicateRow> {
    let four_words = S32.times(ElementCount::fixed(4)).unwrap_or(S32);
    let orders = |ordering| when::atomic_ordering_at_least_or_stronger_than(0, ordering);
    let both = |one, other| [when::is_scalar(one), when::is_pointer(other)];
    vec![
        ("pred_not", when::pred_not(when::is_scalar(0)), &["p0", ""], &["s8"]),
        ("all", when::all(both(0, 1)), &["s8 p0"], &["s8 s8", "p0 p0"]),
        ("any", when::any(both(0, 1)), &["s8 s8", "p0 p0"], &["p0 s8"]),
        ("type_is", when::type_is(1, S32), &["s8 s32"], &["s32 s8", "s32"]),
        ("type_is_not", when::type_is_not(1, S32), &["s8 s8"], &["s8 s32", "s8"]),
        ("type_in_set", when::type_in_set(0, &[S32, four_words]), &["v4s32", "s32"], &["v4s8", ""]),
        ("type_pair_in_set", when::type_pair_in_set(1, 0, &[(S8, S64)]), &["s64 s8"], &["s8 s64", "s64"]),
        (
            "type_tuple_in_set",
            when::type_tuple_in_set(2, 1, 0, &[(S8, S16, S32)]),
            &["s32 s16 s8"],
            &["s8 s16 s32", "s32 s16"],
        ),
        (
            "type_pair_and_mem_desc_in_set",
            when::type_pair_and_mem_desc_in_set(0, 1, 1, &[access(16, 16)]),
            &["s32 p0 @8:8 @16:32"],
            &["s32 p0 @16:32", "s32 p0 @8:8 @16:8", "s32 s32 @8:8 @16:16"],
        ),
        ("is_scalar", when::is_scalar(0), &["s8"], &["v2s8", "p0", ""]),
        ("is_vector", when::is_vector(0), &["v2s8", "nxv1p0"], &["s8", "p0", ""]),
        ("is_pointer", when::is_pointer(0), &["p0", "p3"], &["s64", "v2p0", ""]),
        ("is_pointer_in", when::is_pointer_in(0, 3), &["p3"], &["p0", "v2p3"]),
        ("is_pointer_vector", when::is_pointer_vector(0), &["v2p3", "nxv1p0"], &["p0", "v2s64"]),
        ("element_type_is", when::element_type_is(0, S32), &["v2s32", "nxv1s32"], &["s32", "v2s8"]),
        ("scalar_narrower_than", when::scalar_narrower_than(0, 32), &["s31"], &["s32", "v2s8", "p0"]),
        ("scalar_wider_than", when::scalar_wider_than(0, 32), &["s33"], &["s32", "v2s64", "p0"]),
        ("scalar_or_elt_narrower_than", when::scalar_or_elt_narrower_than(0, 32), &["s31", "v9s31"], &["s32", "v2s32"]),
        ("scalar_or_elt_wider_than", when::scalar_or_elt_wider_than(0, 32), &["s33", "v2s33"], &["s32", "v9s32"]),
        (
            "vector_element_count_is_greater_than",
            when::vector_element_count_is_greater_than(0, 2),
            &["v3s8"],
            &["v2s8", "nxv4s8", "s8"],
        ),
        (
            "vector_element_count_is_less_than_or_equal_to",
            when::vector_element_count_is_less_than_or_equal_to(0, 2),
            &["v2s8"],
            &["v3s8", "nxv1s8", "s8"],
        ),
        ("size_not_multiple_of", when::size_not_multiple_of(0, 8), &["s9"], &["s16", "v9s1", "p0"]),
        ("size_not_pow2", when::size_not_pow2(0), &["s24"], &["s32", "v3s8"]),
        ("scalar_or_elt_size_not_pow2", when::scalar_or_elt_size_not_pow2(0), &["s24", "v4s24"], &["s32", "v3s8"]),
        ("size_is", when::size_is(0, 64), &["s64", "p0", "v2s32"], &["s32", "v4s32"]),
        ("same_size", when::same_size(0, 1), &["s64 v2s32", "p0 s64"], &["s32 v2s32", "s32"]),
        ("larger_than", when::larger_than(0, 1), &["v4s32 s64", "s65 s64"], &["s64 s64", "s64 v4s32", "s64"]),
        ("smaller_than", when::smaller_than(0, 1), &["s64 v4s32", "s64 s65"], &["s64 s64", "v4s32 s64", "s64"]),
        ("mem_size_in_bytes_not_pow2", when::mem_size_in_bytes_not_pow2(0), &["@24:8"], &["@16:8", "@15:8", ""]),
        ("mem_size_not_byte_size_pow2", when::mem_size_not_byte_size_pow2(0), &["@24:8", "@15:8"], &["@16:8", ""]),
        ("num_elements_not_pow2", when::num_elements_not_pow2(0), &["v3s8"], &["v4s8", "nxv3s8", "s24"]),
        (
            "atomic_ordering_at_least_or_stronger_than",
            orders(AtomicOrdering::Acquire),
            &["@8:8:acquire", "@8:8:acq_rel", "@8:8:seq_cst"],
            &["@8:8:release", "@8:8:monotonic", "@8:8", ""],
        ),
    ]
}

/// Predicates that LLVM has not.
fn not_of_llvm() -> Vec<PredicateRow> {
    vec![
        (
            "made_of_halves",
            when::made_of_halves(0, 1, 64),
            &["s256 s128", "s128 s64"],
            &["s64 s32", "s256 s64", "s96 s48"],
        ),
        (
            "made_of_smaller_parts",
            when::made_of_smaller_parts(0, 1, 64),
            &["s256 s64", "s128 s8"],
            &["s128 s64", "s64 s8", "s128 s1"],
        ),
        ("mem_narrower_than", when::mem_narrower_than(32), &["s32 p0 @31:8"], &["s32 p0 @32:8"]),
        ("mem_narrower_than_value", when::mem_narrower_than_value(), &["s64 p0 @63:8"], &["s32 p0 @32:8"]),
        ("misaligned", when::misaligned(), &["s32 p0 @32:16"], &["s32 p0 @32:32", "s32 p0"]),
    ]
}

fn mutations() -> Vec<MutationRow> {
    let two = ElementCount::fixed(2);
    vec![
        ("change_to", to::change_to(1, S64), "s8 s8", Some((1, "s64"))),
        ("change_to", to::change_to(0, TypeOf(1)), "s8 v2s8", Some((0, "<2 x s8>"))),
        ("change_to", to::change_to(0, TypeOf(1)), "s8", None),
        ("change_to", to::change_to(1, S64), "s8", None),
        ("change_element_to", to::change_element_to(0, S64), "v2s8", Some((0, "<2 x s64>"))),
        ("change_element_to", to::change_element_to(0, S64), "s8", Some((0, "s64"))),
        ("change_element_to", to::change_element_to(0, TypeOf(1)), "v2s8 v4p0", Some((0, "<2 x p0>"))),
        ("change_element_count_to", to::change_element_count_to(0, two), "v4s8", Some((0, "<2 x s8>"))),
        ("change_element_count_to", to::change_element_count_to(0, TypeOf(1)), "v4s8 s1", Some((0, "s8"))),
        ("change_element_count_to", to::change_element_count_to(0, TypeOf(1)), "s8 v3p0", Some((0, "<3 x s8>"))),
        ("change_element_size_to", to::change_element_size_to(0, 1), "v2s8 v4p0", Some((0, "<2 x s64>"))),
        ("change_element_size_to", to::change_element_size_to(0, 1), "s8 s24", Some((0, "s24"))),
        (
            "widen_scalar_or_elt_to_next_pow2",
            to::widen_scalar_or_elt_to_next_pow2(0, 0),
            "v3s9",
            Some((0, "<3 x s16>")),
        ),
        ("widen_scalar_or_elt_to_next_pow2", to::widen_scalar_or_elt_to_next_pow2(0, 32), "s9", Some((0, "s32"))),
        ("widen_scalar_or_elt_to_next_pow2", to::widen_scalar_or_elt_to_next_pow2(0, 0), "s40000", None),
        (
            "widen_scalar_or_elt_to_next_multiple_of",
            to::widen_scalar_or_elt_to_next_multiple_of(0, 24),
            "v3s25",
            Some((0, "<3 x s48>")),
        ),
        ("widen_scalar_or_elt_to_next_multiple_of", to::widen_scalar_or_elt_to_next_multiple_of(0, 0), "s25", None),
        ("more_elements_to_next_pow2", to::more_elements_to_next_pow2(0, 0), "v5p0", Some((0, "<8 x p0>"))),
        ("more_elements_to_next_pow2", to::more_elements_to_next_pow2(0, 16), "v5s8", Some((0, "<16 x s8>"))),
        ("more_elements_to_next_pow2", to::more_elements_to_next_pow2(0, 0), "v40000s8", None),
        ("scalarize", to::scalarize(0), "v5p0", Some((0, "p0"))),
    ]
}
