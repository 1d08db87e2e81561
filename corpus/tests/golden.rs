//! The mechanism of golden cases: what differs is an error with a diff, and `BLESS=1` writes what came out.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::PathBuf;
use tempfile::TempDir;
use tribunal_corpus::golden::{self, Mode};

const SUM: &str = "# target: riscv64
---
name: sum
body: |
  bb.0:
    liveins: $x10, $x11

    %0:_(s64) = COPY $x10
    %1:_(s64) = COPY $x11
    %2:_(s64) = G_ADD %0, %1
    $x10 = COPY %2(s64)
    PseudoRET implicit $x10
...
";

/// A case of `stage` with this text, in a folder of its own.
fn case(stage: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(stage).join("case.mir");
    std::fs::create_dir(folder.path().join(stage)).unwrap();
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn error(stage: &str, text: &str) -> String {
    golden::run(&case(stage, text).1, Mode::Check).unwrap_err().to_string()
}

#[test]
fn a_blessed_case_holds_and_a_changed_one_says_where() {
    let (_folder, path) = case("legalize", SUM);
    assert!(golden::run(&path, Mode::Check).is_err(), "an expectation that is missing is not one that holds");
    golden::run(&path, Mode::Bless).unwrap();
    golden::run(&path, Mode::Check).unwrap();
    let blessed = std::fs::read_to_string(&path).unwrap();
    assert!(blessed.starts_with(SUM), "the input stays as it was: {blessed}");

    std::fs::write(&path, blessed.replace("#     %2:_(s64) = G_ADD", "#     %2:_(s64) = G_SUB")).unwrap();
    let diff = golden::run(&path, Mode::Check).unwrap_err().to_string();
    assert!(diff.contains("\n-#     %2:_(s64) = G_SUB %0, %1\n+#     %2:_(s64) = G_ADD %0, %1\n"), "{diff}");
    assert!(diff.contains("BLESS=1"), "{diff}");
    golden::run(&path, Mode::Bless).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), blessed);
}

#[test]
fn an_error_of_the_pass_is_an_expectation_too() {
    let vector = SUM.replace(
        "%2:_(s64) = G_ADD %0, %1",
        "%3:_(s256) = G_IMPLICIT_DEF\n    %4:_(s256) = G_UDIV %3, %3\n    %2:_(s64) = G_TRUNC %4(s256)",
    );
    let (_folder, path) = case("legalize", &vector);
    golden::run(&path, Mode::Bless).unwrap();
    let blessed = std::fs::read_to_string(&path).unwrap();
    assert!(blessed.contains("# check:\n# error: sum: "), "{blessed}");
}

#[test]
fn a_case_that_is_none_is_refused() {
    assert_eq!(error("legalise", SUM), "no pass is called `legalise`, as the folder is");
    let two = format!("{SUM}{}", SUM.replace("# target: riscv64\n", "").replace("name: sum", "name: other"));
    assert_eq!(error("legalize", &two), "a golden case holds one function");
    // Two definitions of one register.
    let invalid = SUM.replace("%1:_(s64) = COPY $x11", "%0:_(s64) = COPY $x11");
    assert!(
        error("legalize", &invalid.replace("G_ADD %0, %1", "G_ADD %0, %0")).starts_with("@sum: ssa-single-definition")
    );
}
