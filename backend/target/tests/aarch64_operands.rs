//! The encoder of AArch64 refuses operands that the row does not take. Number 31 means the zero register in one place
//! and the stack pointer in another. So a register of the wrong class would be a wrong program, not a failed one.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::{InstData, Opcode, Operand, PReg, TargetOpcode};
use tribunal_target::aarch64::AARCH64;
use tribunal_target::aarch64::bitmask::{decode_bitmask, is_canonical_bitmask};
use tribunal_target::instructions::{ImmRange, OperandDesc};

/// An operand that the row accepts.
fn fitting(desc: &OperandDesc) -> Operand {
    match *desc {
        OperandDesc::Imm(ImmRange::OneOf(values)) => Operand::Imm(values[0]),
        // One bit in 32: N is 0, rotation 0, run of one.
        OperandDesc::Imm(_) | OperandDesc::Offset { .. } | OperandDesc::Label { .. } => Operand::Imm(0),
        OperandDesc::Callee { .. } | OperandDesc::RegisterMask | OperandDesc::Symbol => Operand::Imm(0),
        OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => Operand::def(AARCH64.class(class).members[0]),
        OperandDesc::Use(class)
        | OperandDesc::Base(class)
        | OperandDesc::Index(class)
        | OperandDesc::Tied { class, .. } => Operand::used(AARCH64.class(class).members[0]),
    }
}

/// Operands that the row refuses: every register outside the class, every immediate near the range but not in it.
fn refused(desc: &OperandDesc) -> Vec<Operand> {
    let near = || (-600..9000).chain([i64::MIN, i64::MAX, 1 << 16, 1 << 32]);
    let immediates =
        |accepts: &dyn Fn(i64) -> bool| near().filter(|&value| !accepts(value)).map(Operand::Imm).collect();
    match *desc {
        OperandDesc::Imm(ImmRange::LogicalMask(bits)) => immediates(&|value| is_canonical_bitmask(value, bits.into())),
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => immediates(&|value| range.accepts(value)),
        OperandDesc::Label { bits, scale } => {
            let half = 1i64 << (bits - 1);
            vec![Operand::Imm(half), Operand::Imm(-half - i64::from(scale)), Operand::used(PReg(0))]
                .into_iter()
                .chain((scale > 1).then_some(Operand::Imm(1)))
                .collect()
        }
        OperandDesc::Callee { .. } => vec![Operand::Imm(1 << 27), Operand::Imm(2), Operand::used(PReg(0))],
        OperandDesc::RegisterMask | OperandDesc::Symbol => vec![Operand::used(PReg(0))],
        desc => {
            let members = desc.class().map_or(&[][..], |class| AARCH64.class(class).members);
            let all = (0..AARCH64.registers.len() as u16).map(PReg);
            all.filter(|register| !members.contains(register)).map(Operand::used).chain([Operand::Imm(0)]).collect()
        }
    }
}

#[test]
fn wrong_operands_are_refused() {
    let (mut accepted, mut tried) = (Vec::new(), 0);
    // A pseudo-instruction has no word.
    for (number, row) in AARCH64.instructions.iter().enumerate().filter(|(_, row)| row.code.is_some()) {
        let good: Vec<Operand> = row.operands.iter().map(fitting).collect();
        let make = |operands: &[Operand]| InstData::new(Opcode::Target(TargetOpcode(number as u16)), operands.to_vec());
        assert!(AARCH64.encode(&make(&good)).is_ok(), "{} takes operands that fit", row.name);
        for (index, desc) in row.operands.iter().enumerate() {
            for wrong in refused(desc) {
                let mut operands = good.clone();
                operands[index] = wrong;
                tried += 1;
                if AARCH64.encode(&make(&operands)).is_ok() {
                    accepted.push(format!("{} operand {index}: {:?}", row.name, operands[index]));
                }
            }
            assert!(AARCH64.encode(&make(&good[..index])).is_err(), "{} without operand {index}", row.name);
        }
    }
    assert!(accepted.is_empty(), "{} of {tried}: {:#?}", accepted.len(), &accepted[..accepted.len().min(12)]);
}

#[test]
fn a_bitmask_has_one_encoding() {
    let of_64 = |encoded: &i64| decode_bitmask(*encoded, 64).is_some();
    let canonical = (0..1i64 << 13).filter(|&encoded| is_canonical_bitmask(encoded, 64)).count();
    assert!((0..1i64 << 13).filter(of_64).count() > canonical, "rotations beyond the element are encodings too");
    assert_eq!(canonical, 5334);
}
