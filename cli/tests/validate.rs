//! `tribunal validate`: our own legalizer and LLVM's on real functions, a wrong stage, and what LLVM gets wrong. The peer is
//! part of `make test`: a missing one fails the test.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name)
}

/// The exit status, the JSON line, and all that was said.
fn validate(before: &Path, after: &Path, flags: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let output = command.arg("validate").args([before, after]).args(flags).arg("--json").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
    let report = report.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), report, text)
}

fn legalized_by_llvm(file: &Path, triple: &str, features: &str, to: &Path) {
    let mut llc = Command::new("llc-22");
    llc.args([&format!("-mtriple={triple}"), &format!("-mattr={features}"), "-run-pass=legalizer", "-simplify-mir"]);
    let status = llc.arg(file).arg("-o").arg(to).status().unwrap();
    assert!(status.success(), "{}", file.display());
}

fn assert_proved(before: &Path, after: &Path, flags: &[&str]) {
    let (status, report, text) = validate(before, after, flags);
    assert_eq!(report["functions"], report["proved"], "{}: {text}", before.display());
    assert!(report["functions"].as_u64() > Some(0) && report["blocks"].as_u64() > report["functions"].as_u64());
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn our_legalizer_is_proved_over_whole_functions() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    for name in ["arrays.aarch64.O1", "bits.riscv64.O2", "strings.riscv32.O1", "machines.aarch64.O2"] {
        let before = corpus(&format!("real/{name}.mir"));
        let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        compile.arg("compile").arg(&before).args(["--stop-after", "legalize", "-o"]).arg(&after);
        assert!(compile.status().unwrap().success(), "{name}");
        assert_proved(&before, &after, &[]);
    }
}

#[test]
fn llvms_legalizer_is_proved_over_whole_functions() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    for (name, triple, features) in [
        ("arrays.aarch64.O2", "aarch64", "+neon"),
        ("hashes.aarch64.O1", "aarch64", "+neon"),
        ("arrays.riscv32.O1", "riscv32", "+m"),
        ("bits.riscv64.O1", "riscv64", "+m"),
    ] {
        let before = corpus(&format!("real/{name}.mir"));
        legalized_by_llvm(&before, triple, features, &after);
        assert_proved(&before, &after, &[]);
    }
}

#[test]
fn llvm_keeps_a_promise_it_cannot_keep() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after.mir");
    let before = corpus("llvm/rv64_widened_add_keeps_nsw.before.mir");
    legalized_by_llvm(&before, "riscv64", "+m", &after);
    let (status, report, text) = validate(&before, &after, &[]);
    assert_eq!((status, &report["refuted"]), (Some(1), &Value::from(1)), "{text}");
    assert!(text.contains("result register 0 is poison"), "{text}");
    let (status, report, text) = validate(&before, &after, &["--drop-flags"]);
    assert_eq!((status, &report["proved"]), (Some(0), &Value::from(1)), "{text}");
}

#[test]
fn a_wrong_stage_is_refuted_with_an_execution() {
    let folder = tempfile::tempdir().unwrap();
    let before = corpus("real/strings.aarch64.O1.mir");
    let after = folder.path().join("after.mir");
    let text = std::fs::read_to_string(&before).unwrap();
    // Loops end a round early or late, and never by the same condition.
    let wrong = text.replace("intpred(eq)", "intpred(ult)");
    assert_ne!(text, wrong);
    std::fs::write(&after, wrong).unwrap();
    let (status, report, said) = validate(&before, &after, &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(report["refuted"].as_u64() > Some(0) && report["proved"].as_u64() < report["functions"].as_u64(), "{said}");
}
