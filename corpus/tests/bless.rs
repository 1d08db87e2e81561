//! What `replay --bless` writes is a case that this crate runs, with the expectation in it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_codegen::Options;
use tribunal_ir::text;
use tribunal_trial::{Harness, bless, crash};

const CRASH: &str = "
# tribunal crash file; run it again with: tribunal replay FILE
# target: riscv64
# features: +m
# allocator: ion
# judge: emulator
# kind: wrong-result
# guilty: riscv sub
# input: $x11 = 0x7
# input: $x12 = 0x10000400
# input: [0x10000400] = 0203
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x11, $x12

    %0:_(s64) = COPY $x11
    %1:_(p0) = COPY $x12
    %2:_(s64) = G_ZEXTLOAD %1(p0) :: (load (s8))
    %3:_(s64) = G_SUB %0, %2
    $x10 = COPY %3(s64)
    PseudoRET implicit $x10
...
";

fn blessed(source: &str) -> String {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let module = text::parse_module(source.trim_start(), target.vocabulary).unwrap();
    let header = crash::header(&module, target).unwrap();
    let options = Options::new(header.features.unwrap());
    bless::case(&Harness::new(target, options).unwrap(), &module, &header)
}

#[test]
fn a_fixed_crash_becomes_a_case_that_says_what_must_come_out() {
    let case = blessed(CRASH);
    assert!(
        case.starts_with("# target: riscv64\n# A finding of the emulator once: wrong-result, by riscv sub.\n"),
        "{case}"
    );
    assert!(case.contains("# run: @f(0x0, 0x7, [02 03]) == 0x5\n"), "{case}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.mir");
    std::fs::write(&path, &case).unwrap();
    tribunal_corpus::run(&path).unwrap();
    // The runner holds the function to it.
    std::fs::write(&path, case.replace("== 0x5", "== 0x6")).unwrap();
    assert!(tribunal_corpus::run(&path).is_err());
}

#[test]
fn what_the_source_does_not_fix_is_not_expected() {
    let open = CRASH.replace("G_SUB %0, %2", "G_IMPLICIT_DEF");
    let case = blessed(&open);
    assert!(!case.contains("run: "), "{case}");
}
