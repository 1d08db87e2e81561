//! Instruction words.

use super::instructions::{FIELDS, Format, INSTRUCTIONS};
use super::registers::{CLASSES, REGISTERS};
use crate::instructions::{EncodeError, ImmRange, InstrDesc, OperandDesc};
use tribunal_ir::{InstData, Opcode, Operand, Reg};

/// The word of `inst`: registers physical, labels as byte distances.
pub fn encode(inst: &InstData) -> Result<u32, EncodeError> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(EncodeError::Pseudo { name: "a generic instruction" }) };
    let index = usize::from(opcode.0);
    let (Some(row), Some(fields)) = (INSTRUCTIONS.get(index), FIELDS.get(index)) else {
        return Err(EncodeError::Pseudo { name: "an unknown instruction" });
    };
    // Every operand is checked, also one that does not reach the word.
    let mut values = [0; 4];
    for (index, value) in values.iter_mut().enumerate().take(row.operands.len()) {
        *value = operand(row, inst, index)?;
    }
    let ([a, b, c, d], word) = (values, fields.word);
    Ok(match fields.format {
        Format::Rr => word | a | b << 5,
        Format::Rrr => word | a | b << 5 | c << 16,
        Format::Rrrr | Format::Bitfield | Format::Extract => word | a | b << 5 | c << 16 | d << 10,
        Format::AddImm => word | a | b << 5 | c << 10 | (d / 12) << 22,
        Format::Logical | Format::Scaled => word | a | b << 5 | c << 10,
        Format::CondSelect => word | a | b << 5 | c << 16 | d << 12,
        Format::MoveWide => word | a | b << 5 | (c / 16) << 21,
        Format::MoveKeep if a != b => return Err(EncodeError::Operand { name: row.name, index: 1 }),
        Format::MoveKeep => word | a | c << 5 | (d / 16) << 21,
        Format::Unscaled => word | a | b << 5 | (c & 0x1ff) << 12,
        Format::CondBranch | Format::CompareBranch => word | a | (b >> 2 & 0x7_ffff) << 5,
        Format::Branch => word | (a >> 2 & 0x3ff_ffff),
        Format::Register => word | a << 5,
        Format::Fixed => word,
        Format::MoveWord => word | a | c << 16,
        Format::Pseudo => return Err(EncodeError::Pseudo { name: row.name }),
    })
}

/// The bits of operand `index`: a register's number, or an immediate in two's complement.
fn operand(row: &InstrDesc, inst: &InstData, index: usize) -> Result<u32, EncodeError> {
    let wrong = EncodeError::Operand { name: row.name, index };
    let out_of_range = |value| EncodeError::Range { name: row.name, index, value };
    match (row.operands.get(index), inst.operands.get(index)) {
        // The class matters: number 31 is the zero register in some places and the stack pointer in others.
        (Some(desc), Some(Operand::Reg(operand))) => match (desc.class(), operand.reg) {
            (Some(class), Reg::Physical(register)) if CLASSES[usize::from(class.0)].members.contains(&register) => {
                REGISTERS.get(usize::from(register.0)).map(|row| u32::from(row.encoding)).ok_or(wrong)
            }
            _ => Err(wrong),
        },
        (Some(OperandDesc::Imm(ImmRange::LogicalMask(width))), Some(Operand::Imm(value))) => {
            match is_canonical_bitmask(*value, u32::from(*width)) {
                true => Ok(*value as u32),
                false => Err(out_of_range(*value)),
            }
        }
        (Some(OperandDesc::Imm(range)), Some(Operand::Imm(value))) => match range.accepts(*value) {
            true => Ok(*value as u32),
            false => Err(out_of_range(*value)),
        },
        (Some(OperandDesc::Label { bits, scale }), Some(Operand::Imm(value))) => {
            distance(*value, *bits, *scale).ok_or_else(|| out_of_range(*value))
        }
        (Some(OperandDesc::Callee), Some(Operand::Imm(value))) => {
            distance(*value, 28, 4).ok_or_else(|| out_of_range(*value))
        }
        // The linker puts the distance in.
        (Some(OperandDesc::Callee), Some(Operand::Symbol(_))) => Ok(0),
        (Some(OperandDesc::RegisterMask), Some(Operand::Symbol(_) | Operand::Imm(_))) => Ok(0),
        _ => Err(wrong),
    }
}

/// A distance of `bits` bits that is a multiple of `scale`.
fn distance(value: i64, bits: u8, scale: u8) -> Option<u32> {
    let half = 1i64 << (bits - 1);
    ((-half..half).contains(&value) && value % i64::from(scale) == 0).then_some(value as u32)
}

/// The bitmask that N:immr:imms stands for, at `width` 32 or 64 bits; `None` for an encoding that is reserved.
/// Arm ARM, DecodeBitMasks.
pub fn decode_bitmask(encoded: i64, width: u32) -> Option<u64> {
    let (n, immr, imms) = (encoded >> 12 & 1, (encoded >> 6 & 0x3f) as u32, (encoded & 0x3f) as u32);
    let levels = (n as u32) << 6 | (!imms & 0x3f);
    let length = 31u32.checked_sub(levels.leading_zeros())?;
    let size = 1u32 << length;
    let (ones, rotation) = ((imms & (size - 1)) + 1, immr & (size - 1));
    if length == 0 || size > width || ones == size {
        return None;
    }
    let mask = u64::MAX >> (64 - size);
    let run = u64::MAX >> (64 - ones);
    let element = match rotation {
        0 => run,
        _ => (run >> rotation | run << (size - rotation)) & mask,
    };
    let mut value = 0;
    for index in (0..width).step_by(size as usize) {
        value |= element << index;
    }
    Some(value)
}

/// True for the one encoding of a bitmask that assemblers write: its rotation is less than its element's size.
pub fn is_canonical_bitmask(encoded: i64, width: u32) -> bool {
    decode_bitmask(encoded, width).and_then(|mask| encode_bitmask(mask, width)) == Some(encoded)
}

/// N:immr:imms of a bitmask; `None` if `value` is none. Every element size is tried, smallest first.
pub fn encode_bitmask(value: u64, width: u32) -> Option<i64> {
    let whole = u64::MAX >> (64 - width);
    if value & !whole != 0 || value == 0 || value == whole {
        return None;
    }
    let mut size = 2;
    while size <= width {
        let mask = u64::MAX >> (64 - size);
        let element = value & mask;
        let repeats = (0..width).step_by(size as usize).all(|index| value >> index & mask == element);
        if repeats {
            let ones = element.count_ones();
            let rotated = |by: u32| if by == 0 { element } else { (element << by | element >> (size - by)) & mask };
            let run = u64::MAX >> (64 - ones.max(1));
            let rotation = (0..size).find(|&by| ones > 0 && ones < size && rotated(by) == run)?;
            let imms = (!(size * 2 - 1) & 0x3f) | (ones - 1);
            return Some(i64::from(size == 64) << 12 | i64::from(rotation) << 6 | i64::from(imms));
        }
        size *= 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bitmask_encoding_round_trips() {
        for width in [32, 64] {
            let mut masks = std::collections::BTreeSet::new();
            for encoded in 0..1 << 13 {
                if let Some(value) = decode_bitmask(encoded, width) {
                    masks.insert(value);
                    let again = encode_bitmask(value, width).unwrap();
                    assert_eq!(decode_bitmask(again, width), Some(value), "{value:#x} at {width}");
                }
            }
            // Arm's count: the sum over element sizes of size * (size - 1).
            let expected: u32 =
                [2u32, 4, 8, 16, 32, 64].iter().filter(|&&size| size <= width).map(|size| size * (size - 1)).sum();
            assert_eq!(masks.len() as u32, expected);
            assert_eq!(encode_bitmask(0, width), None);
            assert_eq!(encode_bitmask(5, width), None);
        }
    }
}
