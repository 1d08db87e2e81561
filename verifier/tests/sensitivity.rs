//! Sensitivity of the machine verifier: for every generic opcode a valid function is made of its row, and one thing in
//! it is changed. The change must be a finding, unless [`changes::HARMLESS`] names it with its argument.
//!
//! LLVM's verifier is the peer: no function that it rejects may be accepted.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

#[path = "sensitivity/instance.rs"]
mod instance;
#[path = "sensitivity/peer.rs"]
mod peer;

use instance::{instance, row_takes, typings};
use tribunal_ir::{Function, Opcode};
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::verify;

fn target() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

/// The findings about a function.
fn findings(function: &Function, target: &'static Target) -> Vec<String> {
    let legalizer = (target.legality)(target.default_features);
    let findings = verify(function, target, legalizer);
    findings.iter().map(|finding| finding.describe(function, target.vocabulary)).collect()
}

#[test]
fn what_rows_take_llvm_takes() {
    let target = target();
    let (mut tried, mut accepted, mut wrong) = (0, Vec::new(), Vec::new());
    for &opcode in Opcode::ALL {
        let Some(info) = opcode.info() else { continue };
        let mut taken = 0;
        for types in typings(info) {
            let Some(instance) = instance(target, opcode, &types) else { continue };
            tried += 1;
            let findings = findings(&instance.function, target);
            if findings.is_empty() {
                taken += 1;
                accepted.push((opcode, types, instance.function));
            } else if row_takes(target, info, &types) {
                wrong.push(format!("{opcode} {types:?}: {findings:?}"));
            }
        }
        if taken == 0 {
            eprintln!("{opcode}: no instance");
        }
    }
    eprintln!("{tried} typings, {} accepted", accepted.len());
    let functions: Vec<Function> = accepted.iter().map(|(.., function)| function.clone()).collect();
    for (place, message) in peer::rejected(target, &functions, "types") {
        let (opcode, types, _) = &accepted[place];
        wrong.push(format!("{opcode} {types:?}: LLVM says {message}"));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
