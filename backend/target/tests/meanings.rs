//! Every row has a meaning: an instance of it, at an address, evaluates to a value for each register that it writes, as
//! wide as the register. The row's description of its access is consistent.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{Bits, InstData, Opcode, OpcodeFlags, Operand, TargetOpcode};
use tribunal_target::instructions::{Extension, ImmRange, InstrDesc, OperandDesc};
use tribunal_target::{ALL, CodePlace, Target, evaluate_at};

/// Rows that only an operating system gives a meaning.
const OUTSIDE: [&str; 4] = ["ECALL", "EBREAK", "UNIMP", "BRK"];

fn operand(target: &Target, row: &InstrDesc, desc: &OperandDesc) -> Operand {
    match *desc {
        OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => Operand::def(target.class(class).members[1]),
        OperandDesc::Use(class)
        | OperandDesc::Base(class)
        | OperandDesc::Index(class)
        | OperandDesc::Tied { class, .. } => Operand::used(target.class(class).members[1]),
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => match target.range(row, range) {
            ImmRange::OneOf(values) => Operand::Imm(values[0]),
            _ => Operand::Imm(0),
        },
        OperandDesc::Label { .. } | OperandDesc::Callee { .. } => Operand::Imm(0),
        OperandDesc::RegisterMask | OperandDesc::Symbol => Operand::Imm(0),
    }
}

fn instance(target: &Target, number: u16, row: &InstrDesc) -> InstData {
    let explicit = row.operands.iter().map(|desc| operand(target, row, desc));
    let defs = row.implicit_defs.iter().copied().map(Operand::implicit_def);
    let uses = row.implicit_uses.iter().copied().map(Operand::implicit_use);
    InstData::new(Opcode::Target(TargetOpcode(number)), explicit.chain(defs).chain(uses))
}

#[test]
fn every_row_has_a_meaning() {
    for &target in ALL {
        let rows = (0..).zip(target.instructions).filter(|(_, row)| target.has(row) && !OUTSIDE.contains(&row.name));
        for (number, row) in rows.filter(|(_, row)| row.code.is_some()) {
            let inst = instance(target, number, row);
            let bits = |register| Bits::new(3, target.vocabulary.register_bits(register));
            let used = inst.uses().filter_map(|operand| operand.reg.as_physical());
            let args: Vec<Value<Concrete>> = used.map(|register| Value::new(bits(register), false)).collect();
            let mut domain = Concrete { choice: Choice::Zeros };
            let address = Bits::new(0x40_0000, target.pointer_bits.into());
            let place = Some(CodePlace { address, bytes: row.size.into(), thread_pointer: address });
            let evaluation = evaluate_at(target, &mut domain, &mut Pure, &inst, &args, place);
            let evaluation = evaluation.unwrap_or_else(|why| panic!("{} of {}: {why}", row.name, target.name));
            let defs = inst.defs().filter_map(|operand| operand.reg.as_physical());
            let written: Vec<u32> = defs.map(|register| target.vocabulary.register_bits(register)).collect();
            let given: Vec<u32> = evaluation.results.iter().map(|value| value.bits.width()).collect();
            assert_eq!(given, written, "{} of {}", row.name, target.name);
        }
    }
}

#[test]
fn accesses_are_whole() {
    for &target in ALL {
        for row in target.instructions {
            let direction = row.flags & (OpcodeFlags::LOAD | OpcodeFlags::STORE);
            let Some(access) = row.access else {
                assert!(direction.is_empty(), "{} of {} has no access", row.name, target.name);
                continue;
            };
            let both = OpcodeFlags::LOAD | OpcodeFlags::STORE;
            // A base that the access steps stands before what is moved, and once more as the address.
            let steps = direction != both && matches!(row.operands[2..], [OperandDesc::Tied { to: 0, .. }, _]);
            let moved = &row.operands[usize::from(steps)];
            let class = moved.class().expect("what is moved stands first");
            assert!(access.align.is_power_of_two() && access.align <= access.bytes, "{}", row.name);
            let is_load = moved.is_def();
            // An atomic access has its address in a register, and what reads and writes in one defines the old value.
            if row.base().is_none() && !steps {
                let is_atomic = direction == both
                    || row.flags.contains(OpcodeFlags::SIDE_EFFECTS)
                    || !access.ordering.fenced().is_empty();
                assert!(is_atomic, "{} has no address", row.name);
                assert!(access.align == access.bytes, "{} is torn", row.name);
                assert!(is_load || direction == OpcodeFlags::STORE, "{}", row.name);
                continue;
            }
            assert_eq!(direction, if is_load { OpcodeFlags::LOAD } else { OpcodeFlags::STORE }, "{}", row.name);
            assert!(access.bits() <= target.class(class).bits || !target.has(row), "{}", row.name);
            assert!(is_load || access.extension == Extension::Zero, "{} extends what it stores", row.name);
        }
    }
}
