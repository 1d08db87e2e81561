//! The known answers of the legality rule language: none is another, and each method of its source files has one.

use std::collections::BTreeSet;
use tribunal_trial::legality_answers;

/// The files of the rule language, each with the functions that have no answer of their own: whole sets, and parts that
/// the answers of others ask for.
const FILES: [(&str, &str, &[&str]); 6] = [
    ("rules", include_str!("../../backend/target/src/legality/rules.rs"), &["rules_for"]),
    ("scalars", include_str!("../../backend/target/src/legality/scalars.rs"), &[]),
    (
        "vectors",
        include_str!("../../backend/target/src/legality/vectors.rs"),
        &["accesses_without_step", "vectors_by_element"],
    ),
    ("extensions", include_str!("../../backend/target/src/legality/extensions.rs"), &[]),
    ("predicates", include_str!("../../backend/target/src/legality/predicates.rs"), &[]),
    ("mutations", include_str!("../../backend/target/src/legality/mutations.rs"), &[]),
];

#[test]
fn no_answer_is_another() {
    let wrong: Vec<String> = legality_answers::all().into_iter().filter_map(|answers| answers.wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn each_method_has_an_answer() {
    let known = legality_answers::all();
    for (file, source, without) in FILES {
        let public = source.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn "));
        let public: BTreeSet<&str> = public.filter_map(|line| line.split(['(', '<']).next()).collect();
        let answered = known.iter().filter(|answers| answers.file == file).map(|answers| answers.method);
        assert_eq!(public, answered.chain(without.iter().copied()).collect(), "{file}");
    }
}
