//! Library calls as the legalizer writes them are those of LLVM's: the same functions, masks, registers and frames.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// For each function, its calls with what stands around them.
fn calls(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut calls: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some(function) = line.strip_prefix("name:") {
            name = function.trim().to_string();
        } else if ["ADJCALLSTACK", "PseudoCALL ", "BL "].iter().any(|opcode| line.trim().starts_with(opcode)) {
            calls.entry(name.clone()).or_default().push(line.trim().to_string());
        }
    }
    calls
}

/// Functions that LLVM's legalizer cannot do: odd widths beyond 64 bits on AArch64, high products without M.
fn given_up(text: &str) -> Vec<String> {
    let documents = text.split("\n---").filter(|document| document.contains("failedISel:      true"));
    let names = documents.filter_map(|document| document.lines().find_map(|line| line.strip_prefix("name:")));
    names.map(|name| name.trim().to_string()).collect()
}

fn same_calls(target: &str, case: &str, features: &str, fewest: usize) {
    let case: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/run").join(target).join(case);
    let mut ours = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let ours = calls(&output(ours.arg("compile").arg(&case).args(["--stop-after", "legalize", "-o", "-"])));
    let mut theirs = Command::new("llc-22");
    theirs.args([&format!("-mtriple={target}"), &format!("-mattr={features}"), "-run-pass=legalizer"]);
    let theirs = output(theirs.args(["-global-isel-abort=2", "-o", "-"]).arg(&case));
    let (theirs, given_up) = (calls(&theirs), given_up(&theirs));
    // The order of independent calls is each legalizer's own, so functions with one are looked at.
    let single = ours.iter().filter(|(name, calls)| calls.len() == 3 && !given_up.contains(name));
    let mut compared = 0;
    for (name, calls) in single {
        assert_eq!(theirs.get(name), Some(calls), "{target} {features} {name}");
        compared += 1;
    }
    assert!(compared >= fewest, "{compared} functions compared on {target} {features}");
}

#[test]
fn calls_are_those_of_llvm() {
    for (target, features) in [("riscv64", "+m"), ("riscv32", "+m"), ("aarch64", "")] {
        same_calls(target, "wide_division.mir", features, 5);
    }
    for target in ["riscv64", "riscv32"] {
        same_calls(target, "without_m.mir", "-m", 25);
    }
}
