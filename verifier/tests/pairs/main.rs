//! Sensitivity of the translation validator: for every opcode, generic and of each target, every part of an instruction
//! is changed, one at a time. The changed function must not be `proved` to refine the first, nor be accepted by the
//! machine verifier and proved, unless [`harmless`] names the change with its argument.
//!
//! The functions are built from the opcodes' rows, so an opcode is covered the day it comes.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod changes;
mod harmless;
mod specimens;

use changes::Change;
use specimens::Specimen;
use std::collections::BTreeMap;
use std::time::Duration;
use tribunal_ir::{Function, Opcode, text};
use tribunal_verifier::machine_verifier::{self, Rule};
use tribunal_verifier::prover::{self, Pair, Undef, Verdict};

/// Of its thread, for one pair: a change that is not decided by then is not proved.
const TIME: Duration = Duration::from_millis(500);

/// The specimens of every row.
fn all() -> Vec<Specimen> {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let generic = Opcode::ALL.iter().flat_map(|&opcode| specimens::generic(opcode, target));
    let machine = tribunal_target::ALL.iter().flat_map(|&target| {
        (0..target.instructions.len()).filter_map(move |number| specimens::machine(target, number))
    });
    // A machine without an instruction has no function that shows it.
    let exists = |specimen: &Specimen| {
        machine_verifier::unfit_for_proof(&specimen.function, specimen.target) != Some(Rule::OpcodeFeature)
    };
    generic.chain(machine).filter(exists).collect()
}

/// The verdict; `None` if the prover panics.
fn judged(specimen: &Specimen, after: &Function) -> Option<Verdict> {
    // `validate` asks for no proof about what the machine verifier rejects.
    if let Some(rule) = machine_verifier::unfit_for_proof(after, specimen.target) {
        return Some(Verdict::Unsupported(format!("{rule:?}")));
    }
    let pair = Pair { before: &specimen.function, after };
    let judge = || prover::validate(specimen.target, pair, Undef::PerUse, TIME).verdict;
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(judge)).ok()
}

#[test]
fn no_change_of_one_part_is_proved_unless_it_is_harmless() {
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    let (mut dull, mut ended) = (Vec::new(), Vec::new());
    for specimen in all() {
        let own = judged(&specimen, &specimen.function);
        if !matches!(own, Some(Verdict::Proved { .. })) {
            dull.push(format!("{}: {own:?}", specimen.name));
            continue;
        }
        for change in changes::all(&specimen) {
            *tried.entry(change.kind).or_default() += 1;
            let verdict = judged(&specimen, &change.after);
            let is_proved = matches!(verdict, Some(Verdict::Proved { .. }));
            if verdict.is_none() {
                ended.push(described(&specimen, &change));
            }
            if is_proved && harmless::argument(&specimen, &change).is_none() {
                wrong.push(described(&specimen, &change));
            }
        }
    }
    println!("changes tried: {tried:?}, in all {}", tried.values().sum::<usize>());
    println!("not proved equal to themselves: {}", dull.join("\n"));
    assert!(wrong.is_empty(), "{} changes proved:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ended.is_empty(), "{} panics:\n{}", ended.len(), ended.join("\n"));
    assert!(dull.is_empty(), "{}", dull.join("\n"));
}

fn described(specimen: &Specimen, Change { kind, detail, after }: &Change) -> String {
    let print = |function: &Function| match function.block_of(specimen.inst) {
        Some(_) => text::print_inst(function, function.inst(specimen.inst), specimen.target.vocabulary),
        None => String::new(),
    };
    format!("{}: {kind} {detail}: {} => {}", specimen.name, print(&specimen.function), print(after))
}
