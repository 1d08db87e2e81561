//! Instruction words.

use super::instructions::{FIELDS, Fields, Format, INSTRUCTIONS};
use super::registers::REGISTERS;
use crate::instructions::{EncodeError, InstrDesc, OperandDesc};
use tribunal_ir::{InstData, Opcode, Operand, Reg};

/// The word of `inst`: registers physical, labels as byte distances.
pub fn encode(inst: &InstData) -> Result<u32, EncodeError> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(EncodeError::Pseudo { name: "a generic instruction" }) };
    let index = usize::from(opcode.0);
    let (Some(row), Some(fields)) = (INSTRUCTIONS.get(index), FIELDS.get(index)) else {
        return Err(EncodeError::Pseudo { name: "an unknown instruction" });
    };
    let value = |index: usize| operand(row, inst, index);
    let Fields { format, opcode, funct3, funct7 } = *fields;
    let base = opcode | funct3 << 12;
    Ok(match format {
        Format::R => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20 | funct7 << 25,
        Format::I | Format::Load => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20,
        Format::Shift => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20 | funct7 << 25,
        Format::Store => {
            let offset = value(2)?;
            base | (offset & 0x1f) << 7 | value(1)? << 15 | value(0)? << 20 | (offset >> 5 & 0x7f) << 25
        }
        Format::Branch => base | value(0)? << 15 | value(1)? << 20 | branch_offset(value(2)?),
        Format::U => base | value(0)? << 7 | value(1)? << 12,
        Format::J => base | value(0)? << 7 | jump_offset(value(1)?),
        Format::Fixed => opcode,
        Format::Pseudo => return Err(EncodeError::Pseudo { name: row.name }),
    })
}

/// Bits 12, 10:5, 4:1, 11 of a branch distance, in their places.
fn branch_offset(offset: u32) -> u32 {
    (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25 | (offset >> 1 & 0xf) << 8 | (offset >> 11 & 1) << 7
}

/// Bits 20, 10:1, 11, 19:12 of a jump distance, in their places.
fn jump_offset(offset: u32) -> u32 {
    (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12
}

/// The bits of operand `index`: a register's number, or an immediate in two's complement.
fn operand(row: &InstrDesc, inst: &InstData, index: usize) -> Result<u32, EncodeError> {
    let wrong = EncodeError::Operand { name: row.name, index };
    let out_of_range = |value| EncodeError::Range { name: row.name, index, value };
    match (row.operands.get(index), inst.operands.get(index)) {
        (Some(desc), Some(Operand::Reg(operand))) if desc.class().is_some() => match operand.reg {
            Reg::Physical(register) => {
                REGISTERS.get(usize::from(register.0)).map(|row| u32::from(row.encoding)).ok_or(wrong)
            }
            Reg::Virtual(_) => Err(wrong),
        },
        (Some(OperandDesc::Imm(range)), Some(Operand::Imm(value))) => match range.accepts(*value) {
            true => Ok((*value as u32) & if row.operands.len() == 2 { 0xf_ffff } else { 0xfff }),
            false => Err(out_of_range(*value)),
        },
        (Some(OperandDesc::Label { bits, scale }), Some(Operand::Imm(value))) => {
            let half = 1i64 << (bits - 1);
            match (-half..half).contains(value) && value % i64::from(*scale) == 0 {
                true => Ok(*value as u32),
                false => Err(out_of_range(*value)),
            }
        }
        _ => Err(wrong),
    }
}
