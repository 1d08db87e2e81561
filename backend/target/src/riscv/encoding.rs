//! Instruction words, both ways.

use super::instructions::{FIELDS, Fields, Format, INSTRUCTIONS};
use super::registers::{REGISTERS, x};
use crate::Features;
use crate::instructions::{EncodeError, ImmRange, InstrDesc, OperandDesc};
use tribunal_ir::{InstData, Opcode, Operand, PReg, Reg, TargetOpcode};

/// The word of `inst` on the 64-bit machine: registers physical, labels as byte distances.
pub fn encode_64(inst: &InstData) -> Result<u32, EncodeError> {
    encode(inst, Features::RV64)
}

/// The same on the 32-bit machine.
pub fn encode_32(inst: &InstData) -> Result<u32, EncodeError> {
    encode(inst, Features::RV32)
}

fn encode(inst: &InstData, base: Features) -> Result<u32, EncodeError> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(EncodeError::Pseudo { name: "a generic instruction" }) };
    let index = usize::from(opcode.0);
    let (Some(row), Some(fields)) = (INSTRUCTIONS.get(index), FIELDS.get(index)) else {
        return Err(EncodeError::Pseudo { name: "an unknown instruction" });
    };
    if !is_in(row, base) {
        return Err(EncodeError::Missing { name: row.name });
    }
    let value = |index: usize| operand(row, inst, index);
    let Fields { format, opcode, funct3, funct7 } = *fields;
    if let (Format::Shift, Features::RV32, Some(&Operand::Imm(value @ 32..))) = (format, base, inst.operands.get(2)) {
        return Err(EncodeError::Range { name: row.name, index: 2, value });
    }
    let base = opcode | funct3 << 12;
    Ok(match format {
        Format::R => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20 | funct7 << 25,
        Format::I | Format::Load => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20,
        Format::Shift => base | value(0)? << 7 | value(1)? << 15 | value(2)? << 20 | funct7 << 25,
        Format::Unary => base | value(0)? << 7 | value(1)? << 15 | funct7 << 20,
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

/// True if machines of this base have the row.
fn is_in(row: &InstrDesc, base: Features) -> bool {
    base.contains(row.requires & Features::BASE)
}

/// The instruction that `word` is on the 64-bit machine, labels as byte distances; `None` if it is none of the table.
pub fn decode_64(word: u32) -> Option<InstData> {
    decode(word, Features::RV64)
}

/// The same on the 32-bit machine.
pub fn decode_32(word: u32) -> Option<InstData> {
    decode(word, Features::RV32)
}

fn decode(word: u32, base: Features) -> Option<InstData> {
    let rows = (0..).zip(INSTRUCTIONS.iter().zip(FIELDS));
    let (number, row, fields) = rows
        .map(|(number, (row, fields))| (number, row, fields))
        .filter(|(_, row, _)| is_in(row, base))
        .find(|(_, row, fields)| fixed(row, fields, base).is_some_and(|(mask, value)| word & mask == value))?;
    let opcode = Opcode::Target(TargetOpcode(number));
    let (rd, rs1, rs2) = (register(word, 7), register(word, 15), register(word, 20));
    let upper = i64::from(word as i32 >> 20);
    let immediate = |index: usize| match row.operands.get(index) {
        Some(OperandDesc::Imm(ImmRange::Unsigned(bits))) => Operand::Imm(upper & ((1 << bits) - 1)),
        _ => Operand::Imm(upper),
    };
    let (def, first, second) = (Operand::def(rd), Operand::used(rs1), Operand::used(rs2));
    Some(match fields.format {
        Format::R => InstData::new(opcode, [def, first, second]),
        Format::I | Format::Load | Format::Shift => InstData::new(opcode, [def, first, immediate(2)]),
        Format::Unary => InstData::new(opcode, [def, first]),
        Format::Store => {
            let offset = upper & !0x1f | i64::from(word >> 7 & 0x1f);
            InstData::new(opcode, [second, first, Operand::Imm(offset)])
        }
        Format::Branch => InstData::new(opcode, [first, second, Operand::Imm(branch_distance(word))]),
        Format::U => InstData::new(opcode, [def, Operand::Imm(i64::from(word >> 12))]),
        Format::J => InstData::new(opcode, [def, Operand::Imm(jump_distance(word))]),
        Format::Fixed => InstData::new(opcode, []),
        Format::Pseudo => return None,
    })
}

/// Which bits of a word are the same in every instance of the row, and what they are.
fn fixed(row: &InstrDesc, fields: &Fields, machine: Features) -> Option<(u32, u32)> {
    let Fields { format, opcode, funct3, funct7 } = *fields;
    let base = opcode | funct3 << 12;
    Some(match format {
        Format::R => (0xfe00_707f, base | funct7 << 25),
        Format::Unary => (0xfff0_707f, base | funct7 << 20),
        Format::Shift => {
            let wide = machine == Features::RV64
                && matches!(row.operands.last(), Some(OperandDesc::Imm(ImmRange::Unsigned(6))));
            (if wide { 0xfc00_707f } else { 0xfe00_707f }, base | funct7 << 25)
        }
        Format::I | Format::Load | Format::Store | Format::Branch => (0x707f, base),
        Format::U | Format::J => (0x7f, opcode),
        Format::Fixed => (u32::MAX, opcode),
        Format::Pseudo => return None,
    })
}

fn register(word: u32, offset: u32) -> PReg {
    x((word >> offset & 0x1f) as u16)
}

/// The inverse of [`branch_offset`].
fn branch_distance(word: u32) -> i64 {
    let bits = (word >> 31 & 1) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3f) << 5 | (word >> 8 & 0xf) << 1;
    i64::from((bits << 19) as i32 >> 19)
}

/// The inverse of [`jump_offset`].
fn jump_distance(word: u32) -> i64 {
    let bits = (word >> 31 & 1) << 20 | (word >> 12 & 0xff) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1;
    i64::from((bits << 11) as i32 >> 11)
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
