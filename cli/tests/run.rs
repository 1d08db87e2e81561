//! `tribunal run`: results of whole modules, interpreted and as bytes, and each reason why there is none.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::process::Command;

/// The status, the last line of standard output, and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tribunal")).arg("run").args(arguments).output().unwrap();
    let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or("").to_string();
    (output.status.code().unwrap(), last, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn sums(target: &str) -> String {
    format!("../trial/tests/modules/sums.{target}.mir")
}

/// The signed value of the first result register.
fn result(arguments: &[&str]) -> i64 {
    let (status, last, said) = run(&[arguments, &["--json"]].concat());
    assert_eq!(status, 0, "{last}{said}");
    let report: serde_json::Value = serde_json::from_str(&last).unwrap();
    report["result"][0]["signed"].as_i64().unwrap()
}

#[test]
fn calls_recursion_and_stack_arguments_give_what_c_gives() {
    for target in ["riscv64", "riscv32", "aarch64"] {
        for how in [&[][..], &["--compiled"], &["--compiled", "-O0"]] {
            let file = sums(target);
            let run = |function: &str, arguments: &[&str]| result(&[&[&file, function], arguments, how].concat());
            assert_eq!(run("@first", &["3", "4"]), 2042, "{target} {how:?}");
            assert_eq!(run("first", &["0x3", "-4"]), -1662, "{target} {how:?}");
            assert_eq!(run("@tail", &["-4", "2"]), -1662, "{target} {how:?}");
        }
    }
}

#[test]
fn a_table_of_functions_is_filled_and_called() {
    let table = format!("[{}]", "00 ".repeat(16));
    for (index, expected) in [("2", -6), ("3", 137_589)] {
        assert_eq!(result(&[&sums("aarch64"), "@through", &table, index, "--compiled"]), expected);
    }
}

/// A module with globals: a table of addresses, numbers, and a counter.
const GLOBALS: &str = r#"--- |
  target triple = "riscv64-unknown-linux-gnu"
  @numbers = constant [3 x i64] [i64 11, i64 22, i64 33]
  @table = constant [2 x ptr] [ptr @next, ptr @last]
  @outside = external global i64
  define i64 @f(i64 %0) { ret i64 0 }
  define i64 @next() { ret i64 0 }
  define i64 @last() { ret i64 0 }
  define i64 @reads() { ret i64 0 }
  define i64 @calls() { ret i64 0 }
  define i64 @divides(i64 %0) { ret i64 0 }
  define void @hangs() { ret void }
  declare void @elsewhere()
...
---
name: f
liveins:
  - { reg: '$x10' }
body: |
  bb.0:
    liveins: $x10
    %0:_(s64) = COPY $x10
    %1:_(p0) = G_GLOBAL_VALUE @table
    %2:_(s64) = G_CONSTANT i64 8
    %3:_(s64) = G_MUL %0, %2
    %4:_(p0) = G_PTR_ADD %1, %3(s64)
    %5:gprjalr(p0) = G_LOAD %4(p0) :: (load (p0))
    PseudoCALLIndirect %5(p0), csr_ilp32_lp64, implicit-def $x1, implicit-def $x10
    PseudoRET implicit $x10
...
---
name: next
body: |
  bb.0:
    %0:_(p0) = G_GLOBAL_VALUE @numbers + 8
    %1:_(s64) = G_LOAD %0(p0) :: (load (s64))
    $x10 = COPY %1(s64)
    PseudoRET implicit $x10
...
---
name: last
body: |
  bb.0:
    %0:_(s64) = G_CONSTANT i64 -7
    $x10 = COPY %0(s64)
    PseudoRET implicit $x10
...
---
name: reads
body: |
  bb.0:
    %0:_(p0) = G_GLOBAL_VALUE @outside
    %1:_(s64) = G_LOAD %0(p0) :: (load (s64))
    $x10 = COPY %1(s64)
    PseudoRET implicit $x10
...
---
name: calls
body: |
  bb.0:
    PseudoCALL @elsewhere, csr_ilp32_lp64, implicit-def $x1
    PseudoRET
...
---
name: divides
liveins:
  - { reg: '$x10' }
body: |
  bb.0:
    liveins: $x10
    %0:_(s64) = COPY $x10
    %1:_(s64) = G_UDIV %0, %0
    $x10 = COPY %1(s64)
    PseudoRET implicit $x10
...
---
name: hangs
body: |
  bb.0:
    G_BR %bb.1

  bb.1:
    successors: %bb.1
    G_BR %bb.1
...
"#;

#[test]
fn globals_have_their_initialisers_and_each_run_without_a_result_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("globals.mir");
    std::fs::write(&file, GLOBALS).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(result(&[file, "@f", "0", "--compiled"]), 22);
    assert_eq!(result(&[file, "@f", "1", "--compiled"]), -7);
    for (arguments, reason) in [
        (&["@reads"][..], "the contents of @outside"),
        (&["@calls"], "a call of @elsewhere"),
        (&["@divides", "0"], "undefined behaviour"),
        (&["@hangs", "--fuel", "1000"], "does not end within the fuel"),
        (&["@f", "5"], "undefined behaviour"),
    ] {
        for json in [&[][..], &["--json"]] {
            let (status, last, _) = run(&[&[file], arguments, json].concat());
            assert!(status == 3 && last.contains(reason), "{arguments:?}: {status} {last}");
        }
    }
}

#[test]
fn bad_usage_is_one_error() {
    let file = sums("riscv64");
    for (arguments, reason) in [
        (&["@nothing"][..], "no function @nothing"),
        (&["@tail", "3"], "@tail reads 2 arguments, and 1 are given"),
        (&["@leaf", "3x", "1"], "not a number of 64 bits"),
        (&["@leaf", "[0g]", "1"], "`0g` is no byte"),
        (&["@leaf", "--", "18446744073709551616", "1"], "not a number of 64 bits"),
    ] {
        let (status, _, said) = run(&[&[file.as_str()], arguments].concat());
        assert!(status == 2 && said.contains(reason), "{arguments:?}: {status} {said}");
    }
}
