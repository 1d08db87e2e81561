//! Sensitivity of the machine verifier: for every generic opcode a valid function is made of its row, and one thing in
//! it is changed. The change must be a finding, unless [`changes::HARMLESS`] names it with its argument.
//!
//! LLVM's verifier is the peer: no function that it rejects may be accepted.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

#[path = "sensitivity/changes.rs"]
mod changes;
#[path = "sensitivity/instance.rs"]
mod instance;
#[path = "sensitivity/machine.rs"]
mod machine;
#[path = "sensitivity/peer.rs"]
mod peer;

use changes::Change;
use instance::{Instance, instance, row_takes, typings};
use std::collections::BTreeMap;
use tribunal_ir::opcode::TypeClass;
use tribunal_ir::{Function, Opcode, TargetOpcode, intrinsics, text};
use tribunal_target::Target;
use tribunal_verifier::machine_verifier::verify_foreign;

fn target() -> &'static Target {
    tribunal_target::by_name("riscv64").unwrap()
}

/// The findings about a function.
fn findings(function: &Function, target: &'static Target) -> Vec<String> {
    let findings = verify_foreign(function, target, target.default_features | target.all_options());
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

/// Valid instances of the opcode: of scalars, of pointers, of vectors and of scalable ones, as far as the row takes
/// them.
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

/// The verdicts on changes: sums by kind, the functions accepted, and the verdicts that are wrong.
#[derive(Default)]
struct Ledger {
    tried: BTreeMap<&'static str, [u32; 2]>,
    accepted: Vec<(String, Function)>,
    wrong: Vec<String>,
}

impl Ledger {
    fn judge(&mut self, target: &'static Target, name: &str, change: Change, is_of_llvm: bool) {
        let findings = findings(&change.function, target);
        let is_harmless = changes::HARMLESS.iter().any(|(kind, _)| *kind == change.kind);
        let [count, found] = self.tried.entry(change.kind).or_default();
        *count += 1;
        *found += u32::from(!findings.is_empty());
        let name = format!("{name}: {} {}", change.kind, change.what);
        if findings.is_empty() != is_harmless {
            self.wrong.push(format!("{name}: {findings:?}"));
        }
        // LLVM's reader does not know this flag, which its printer writes.
        if findings.is_empty() && is_of_llvm && change.what != "InstFlags(NOMERGE)" {
            self.accepted.push((name, change.function));
        }
    }

    /// Asks LLVM about what was accepted, prints the sums and fails if a verdict is wrong.
    fn close(mut self, target: &'static Target, name: &str) {
        let total = self.tried.values().map(|[count, _]| count).sum::<u32>();
        eprintln!("{}: {total} changes, {} accepted", target.name, self.accepted.len());
        self.tried.iter().for_each(|(kind, [count, found])| eprintln!("{count:>7} {found:>7} found  {kind}"));
        let functions: Vec<Function> = self.accepted.iter().map(|(_, function)| function.clone()).collect();
        for (place, message) in peer::rejected(target, &functions, name) {
            self.wrong.push(format!("{}: LLVM says {message}", self.accepted[place].0));
        }
        let wrong = self.wrong.len();
        // A line for `docs/benchmarks.md`.
        println!("\n{{\"judge\":\"machine verifier\",\"tried\":{total},\"wrong\":{wrong}}}");
        assert!(self.wrong.is_empty(), "{wrong} wrong: {:#?}", self.wrong);
    }
}

#[test]
fn every_change_is_a_finding_or_harmless() {
    let (target, mut ledger) = (target(), Ledger::default());
    for &opcode in Opcode::ALL {
        for instance in instances(target, opcode) {
            let name = format!("{opcode} {:?}", instance.types);
            changes::all(target, &instance).into_iter().for_each(|change| ledger.judge(target, &name, change, true));
        }
    }
    ledger.close(target, "changes");
}

#[test]
fn every_change_of_a_machine_instruction_is_a_finding_or_harmless() {
    for target in tribunal_target::ALL.iter().copied() {
        let mut ledger = Ledger::default();
        for number in 0..target.instructions.len() as u16 {
            let Some(instance) = machine::instance(target, TargetOpcode(number)) else { continue };
            let valid = Change { kind: "nothing", what: String::new(), function: instance.function.clone() };
            let changes = machine::all(target, &instance).into_iter().chain([valid]);
            let is_of_llvm = machine::is_of_llvm(instance.row);
            changes.for_each(|change| ledger.judge(target, instance.row.name, change, is_of_llvm));
        }
        ledger.close(target, target.name);
    }
}

/// The table of intrinsics says what LLVM says.
#[test]
fn llvm_has_the_effects_of_every_intrinsic() {
    let (target, mut functions) = (target(), Vec::new());
    for (name, effects) in intrinsics::ROWS {
        let opcode = match (effects.has_side_effects, effects.is_convergent) {
            (false, false) => "G_INTRINSIC",
            (true, false) => "G_INTRINSIC_W_SIDE_EFFECTS",
            (false, true) => "G_INTRINSIC_CONVERGENT",
            (true, true) => "G_INTRINSIC_CONVERGENT_W_SIDE_EFFECTS",
        };
        let body = format!("  bb.0:\n    {opcode} intrinsic(@{name})\n    PseudoRET\n");
        let source = format!("---\nname: f\ntracksRegLiveness: true\nbody: |\n{body}...\n");
        let function = text::parse_module(&source, target.vocabulary).unwrap().functions.remove(0);
        assert_eq!(findings(&function, target), [] as [String; 0], "{name}");
        functions.push(function);
    }
    let rejected = peer::rejected(target, &functions, "intrinsics");
    // A family's name is no intrinsic's, and LLVM's reader does not take it.
    let wrong: Vec<_> = rejected.iter().filter(|(_, message)| !message.contains("unknown intrinsic")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
