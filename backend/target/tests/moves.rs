//! Every allocatable register can be copied, spilled and reloaded, by instructions of its bank's size. Within a
//! register file no two have one number, since the allocator identifies them by it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::HashSet;
use tribunal_ir::{InstData, Opcode, PReg};
use tribunal_target::instructions::InstrDesc;
use tribunal_target::{ALL, Features, Target};

fn row(target: &Target, inst: &InstData) -> &'static InstrDesc {
    match inst.opcode {
        Opcode::Target(opcode) => target.instruction(opcode),
        opcode => panic!("{opcode} is no machine instruction"),
    }
}

fn given_out(target: &'static Target) -> impl Iterator<Item = PReg> {
    target.banks.iter().flat_map(|bank| target.class(bank.class).allocatable).copied()
}

/// The part of a register that a machine with these features has.
fn part(target: &'static Target, features: Features, full: PReg) -> PReg {
    let class = target.whole_class(target.bank_of(full).unwrap(), features);
    target.part_of(full, target.class(class).bits)
}

/// The usual features, and those with which a machine has but parts of some registers.
fn feature_sets(target: &Target) -> impl Iterator<Item = Features> {
    let alone = ["f", "d"].map(|name| target.changed(target.default_features, name));
    std::iter::once(target.default_features).chain(alone.into_iter().flatten())
}

#[test]
fn what_is_given_out_is_moved() {
    for &target in ALL {
        for features in feature_sets(target) {
            let usable = |register: &PReg| {
                let bank = target.bank(target.bank_of(*register).unwrap());
                features.contains(bank.requires)
            };
            for register in given_out(target).filter(usable) {
                is_moved(target, features, register);
            }
        }
    }
}

fn is_moved(target: &'static Target, features: Features, register: PReg) {
    let (moves, base) = (target.moves(features), target.abi.stack_pointer);
    let own = part(target, features, register);
    let name = target.vocabulary.register_name(own);
    let bytes = moves.spill_bytes(register);
    assert_eq!(8 * bytes, target.vocabulary.register_bits(own), "{name} of {}", target.name);
    let there = moves.spill(register, base, bytes.into()).expect("it is spilled");
    let back = moves.reload(register, base, bytes.into()).expect("it is reloaded");
    for inst in [&there, &back] {
        let row = row(target, inst);
        assert!(features.contains(row.requires), "{name} of {}", target.name);
        assert_eq!(u32::from(row.access.expect("it is an access").bytes), bytes, "{name} of {}", target.name);
        assert!(target.encode(inst).is_ok(), "{name} of {}: {inst:?}", target.name);
    }
    assert_eq!(back.defs().next().and_then(|operand| operand.reg.as_physical()), Some(own));
    for other in given_out(target).filter(|&other| target.bank_of(other) == target.bank_of(register)) {
        let copy = moves.copy(register, other).expect("it is copied");
        assert!(features.contains(row(target, &copy).requires), "{name} of {}", target.name);
        // A move may be an operation on one register twice.
        let used = copy.uses().filter_map(|operand| operand.reg.as_physical());
        let used: HashSet<PReg> = used.filter(|&used| !target.vocabulary.is_zero_register(used)).collect();
        assert_eq!(used, HashSet::from([part(target, features, other)]));
        assert!(target.encode(&copy).is_ok(), "{name} of {}: {copy:?}", target.name);
    }
}

#[test]
fn numbers_are_unique_in_a_file() {
    for &target in ALL {
        let mut known = HashSet::new();
        for bank in target.banks {
            for &register in target.class(bank.class).allocatable {
                let number = target.registers[usize::from(register.0)].encoding;
                assert!(number < 64 && known.insert((bank.file as u8, number)), "{number} of {}", target.name);
            }
        }
    }
}

/// Registers that pass values are allocatable, in the bank in which they pass them.
#[test]
fn what_is_passed_has_its_bank() {
    for &target in ALL {
        for passing in target.abi.passing {
            for &register in passing.arguments.iter().chain(passing.results) {
                assert_eq!(target.bank_of(register), Some(passing.bank), "{}", target.name);
                assert!(target.class(target.bank(passing.bank).class).allocatable.contains(&register));
            }
        }
    }
}
