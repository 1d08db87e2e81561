//! Sensitivity of the machine verifier: for every generic opcode a valid function is made of its row, and one thing in
//! it is changed. The change must be a finding, unless [`changes::HARMLESS`] names it with its argument.
//!
//! LLVM's verifier is the peer: no function that it rejects may be accepted.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

#[path = "sensitivity/changes.rs"]
mod changes;
#[path = "sensitivity/instance.rs"]
mod instance;
#[path = "sensitivity/peer.rs"]
mod peer;

use instance::{Instance, instance, row_takes, typings};
use std::collections::BTreeMap;
use tribunal_ir::opcode::TypeClass;
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

/// Valid instances of the opcode: of scalars, of pointers, of vectors and of scalable ones, as far as the row takes them.
fn instances(target: &'static Target, opcode: Opcode) -> Vec<Instance> {
    let Some(info) = opcode.info() else { return Vec::new() };
    let made = typings(info).into_iter().filter(|types| row_takes(target, info, types));
    let mut instances: BTreeMap<[bool; 3], Instance> = BTreeMap::new();
    for types in made {
        let first = types.iter().flatten().next().copied();
        let is = |class: TypeClass| first.is_some_and(|ty| class.takes(ty));
        let form = [is(TypeClass::Pointer), is(TypeClass::Vector), first.is_some_and(|ty| ty.bits() > 64)];
        if let (false, Some(instance)) = (instances.contains_key(&form), instance(target, opcode, &types)) {
            instances.insert(form, instance);
        }
    }
    instances.into_values().collect()
}

#[test]
fn every_change_is_a_finding_or_harmless() {
    let target = target();
    let (mut tried, mut wrong) = (BTreeMap::<&str, [u32; 2]>::new(), Vec::new());
    let mut accepted: Vec<(String, Function)> = Vec::new();
    for &opcode in Opcode::ALL {
        for instance in instances(target, opcode) {
            for change in changes::all(target, &instance) {
                let findings = findings(&change.function, target);
                let is_harmless = changes::HARMLESS.iter().any(|(kind, _)| *kind == change.kind);
                let [count, found] = tried.entry(change.kind).or_default();
                *count += 1;
                *found += u32::from(!findings.is_empty());
                let name = format!("{opcode} {:?}: {} {}", instance.types, change.kind, change.what);
                if findings.is_empty() != is_harmless {
                    wrong.push(format!("{name}: {findings:?}"));
                }
                // LLVM's reader does not know this flag, which its printer writes.
                let is_readable = change.what != "InstFlags(NOMERGE)";
                if findings.is_empty() && is_readable {
                    accepted.push((name, change.function));
                }
            }
        }
    }
    let total = tried.values().map(|[count, _]| count).sum::<u32>();
    eprintln!("{total} changes, {} accepted", accepted.len());
    tried.iter().for_each(|(kind, [count, found])| eprintln!("{count:>7} {found:>7} found  {kind}"));
    let functions: Vec<Function> = accepted.iter().map(|(_, function)| function.clone()).collect();
    for (place, message) in peer::rejected(target, &functions, "changes") {
        wrong.push(format!("{}: LLVM says {message}", accepted[place].0));
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}
