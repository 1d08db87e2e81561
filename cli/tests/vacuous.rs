//! A trial without one conclusive execution is `unknown`, with the reason and the exit status of an open verdict. JSON
//! says of each function how its runs ended.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::{Value, json};
use std::process::Command;

/// `endless` ends on no input, `ends` on every one, and of `nothing` no run is defined.
const FILE: &str = "# target: riscv64
---
name: endless
tracksRegLiveness: true
body: |
  bb.0:
    successors: %bb.1

  bb.1:
    successors: %bb.1

    PseudoBR %bb.1
...
---
name: ends
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10

    %0:_(p0) = COPY $x10
    %1:_(s32) = G_CONSTANT i32 1
    G_STORE %1(s32), %0(p0) :: (store (s32))
    ADJCALLSTACKDOWN 0, 0, implicit-def $x2, implicit $x2
    PseudoCALL target-flags(riscv-call) @abort, csr_ilp32_lp64, implicit-def $x1
    ADJCALLSTACKUP 0, 0, implicit-def $x2, implicit $x2
...
---
name: nothing
tracksRegLiveness: true
body: |
  bb.0:
...
";

fn trial(source: &str) -> (Option<i32>, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.mir"), source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let output = command.current_dir(folder.path()).args(["trial", "f.mir", "--json", "--no-cache"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    (output.status.code(), text, report)
}

#[test]
fn a_function_that_no_run_says_anything_of_is_unknown() {
    let (status, text, report) = trial(FILE);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("unknown: no conclusive execution: does not end (32)"), "{text}");
    assert_eq!((&report["passed"], &report["unknown"]), (&json!(2), &json!(1)));
    let run = |function: &str, verdict: &str, executions: u64, reasons: Value| {
        json!({
            "file": "f.mir", "function": function, "verdict": verdict, "executions": executions,
            "inconclusive": 32 - executions, "inconclusive_reasons": reasons, "refuted": 0,
        })
    };
    let mut endless = run("endless", "unknown", 0, json!({"does not end": 32}));
    endless["unknown"] = json!({"no conclusive execution: does not end (32)": 1});
    let runs = json!([
        endless,
        run("ends", "passed", 32, json!({})),
        run("nothing", "passed", 0, json!({"undefined behaviour": 32})),
    ]);
    assert_eq!(report["runs"], runs);
    assert_eq!(report["inconclusive_reasons"], json!({"does not end": 32, "undefined behaviour": 32}));
    let (status, ..) = trial(&FILE.replace("name: endless", "name: gone\nfailedISel: true"));
    assert_eq!(status, Some(3));
}
