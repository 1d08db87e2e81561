//! z3's answers, put to a second solver: cvc5, which is part of `make test`; a missing one fails the test. The two
//! share no code, and cvc5's own parser reads the questions.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::process::Command;

/// Opcodes whose questions cvc5 answers soon. Those of bit fields take it minutes.
const OPCODES: [&str; 7] = ["G_CTLZ", "G_CTTZ", "G_CTLZ_ZERO_UNDEF", "G_SADDO", "G_SADDSAT", "G_SDIV", "G_FCMP"];
const TARGETS: [&str; 2] = ["riscv64", "riscv32"];
const LEAST: u64 = 1000;

fn confirmed(target: &str, opcode: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    command.args(["prove", "--target", target, "--opcode", opcode, "--no-cache", "--json", "--confirm", "cvc5"]);
    let output = command.arg("--emit-smt2").arg(folder.path().join("questions")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(report["disagreements"], 0, "{text}");
    report["confirmed"].as_u64().unwrap()
}

#[test]
fn a_thousand_answers_are_cvc5s_too() {
    let pairs = TARGETS.iter().flat_map(|target| OPCODES.map(|opcode| (target, opcode)));
    let mut all = 0;
    for (target, opcode) in pairs {
        all += confirmed(target, opcode);
        if all >= LEAST {
            return;
        }
    }
    panic!("{all} answers confirmed, {LEAST} wanted");
}
