//! The [`Machine`] of AArch64: frame offsets, branches, calls, assembly text. Invariant: no sequence touches the flags.

// Opcode constants are spelled as LLVM spells the opcodes.
#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::bitmask::{decode_bitmask, encode_bitmask};
use super::floats::unpacked;
use super::instructions::*;
use super::registers::{GPR32, REGISTERS, WZR, XZR};
use crate::abi::CallKind;
use crate::instructions::{ImmRange, InstrDesc, OperandDesc};
use crate::{Machine, Sequence};
use smallvec::smallvec;
use tribunal_ir::{Block, FloatFormat, InstData, Opcode, Operand, PReg, Reg, TargetOpcode};

/// The sequences of AArch64.
pub struct MachineCode;

fn inst(opcode: TargetOpcode, operands: impl IntoIterator<Item = Operand>) -> InstData {
    InstData::new(Opcode::Target(opcode), operands)
}

/// `dst = src + part << shift`, or minus.
fn add_part(dst: PReg, src: PReg, part: i64, shift: i64, negative: bool) -> InstData {
    let opcode = if negative { SUBXri } else { ADDXri };
    inst(opcode, [Operand::def(dst), Operand::used(src), Operand::Imm(part), Operand::Imm(shift)])
}

/// `CMP_SWAP old, status, address, expected, new`, as a loop that repeats until its store keeps the reservation of its
/// load:
///
/// ```text
/// loop: ldaxr old, [address]
///       cmp   old, expected
///       b.ne  end
///       stlxr status, new, [address]
///       cbnz  status, loop
/// end:
/// ```
fn exclusive_loop(data: &InstData) -> Option<Sequence> {
    let Opcode::Target(opcode) = data.opcode else { return None };
    let (load, compare, store, zero) = match opcode {
        CMP_SWAP_8 => (LDAXRB, SUBSWrx, STLXRB, WZR),
        CMP_SWAP_16 => (LDAXRH, SUBSWrx, STLXRH, WZR),
        CMP_SWAP_32 => (LDAXRW, SUBSWrr, STLXRW, WZR),
        CMP_SWAP_64 => (LDAXRX, SUBSXrr, STLXRX, XZR),
        _ => return None,
    };
    let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    let (old, status, address) = (register(0)?, register(1)?, register(2)?);
    let (expected, new) = (register(3)?, register(4)?);
    // A load extends with zeros, and of the expected value only the low bits count.
    let part = match opcode {
        CMP_SWAP_8 => Some(Operand::Imm(BYTE)),
        CMP_SWAP_16 => Some(Operand::Imm(HALF)),
        _ => None,
    };
    let compared = [Operand::def(zero), Operand::used(old), Operand::used(expected)];
    Some(smallvec![
        inst(load, [Operand::def(old), Operand::used(address)]),
        inst(compare, compared.into_iter().chain(part)),
        inst(Bcc, [Operand::Imm(NOT_EQUAL), Operand::Imm(12)]),
        inst(store, [Operand::def(status), Operand::used(new), Operand::used(address)]),
        inst(CBNZW, [Operand::used(status), Operand::Imm(-16)]),
    ])
}

/// A number, sixteen bits at a time: as many moves as the register has such parts.
fn move_number(data: &InstData) -> Option<Sequence> {
    let Opcode::Target(opcode) = data.opcode else { return None };
    let (first, keep, parts) = match opcode {
        MOVi32imm => (MOVZWi, MOVKWi, 2),
        MOVi64imm => (MOVZXi, MOVKXi, 4),
        _ => return None,
    };
    let (dst, number) = (data.operands.first()?.as_reg()?.reg.as_physical()?, data.imm(1)?);
    let part = |index: i64| [Operand::Imm(number >> (16 * index) & 0xffff), Operand::Imm(16 * index)];
    let mut code: Sequence = smallvec![inst(first, [Operand::def(dst)].into_iter().chain(part(0)))];
    for index in 1..parts {
        code.push(inst(keep, [Operand::def(dst), Operand::used(dst)].into_iter().chain(part(index))));
    }
    Some(code)
}

/// The pseudo-instructions that stand for several instructions in one text.
fn several(data: &InstData) -> Option<Sequence> {
    exclusive_loop(data).or_else(|| move_number(data))
}

/// LLVM's numbers of the extensions `uxtb` and `uxth`.
const BYTE: i64 = 0;
const HALF: i64 = 8;
/// The number of the condition `ne`.
const NOT_EQUAL: i64 = 1;

impl Machine for MachineCode {
    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData> {
        let (size, negative) = (offset.unsigned_abs() as i64, offset < 0);
        let (low, high) = (size & 0xfff, size >> 12);
        if high == 0 {
            return vec![add_part(dst, src, low, 0, negative)];
        }
        if (0..0x1000).contains(&high) {
            let mut code = vec![add_part(dst, src, high, 12, negative)];
            if low != 0 {
                code.push(add_part(dst, dst, low, 0, negative));
            }
            return code;
        }
        let piece = |index: i64| Operand::Imm(size >> (16 * index) & 0xffff);
        let mut code = vec![inst(MOVZXi, [Operand::def(scratch), piece(0), Operand::Imm(0)])];
        for index in 1..4 {
            if size >> (16 * index) & 0xffff != 0 {
                let shift = Operand::Imm(16 * index);
                code.push(inst(MOVKXi, [Operand::def(scratch), Operand::used(scratch), piece(index), shift]));
            }
        }
        let opcode = if negative { SUBXrx64 } else { ADDXrx64 };
        code.push(inst(opcode, [Operand::def(dst), Operand::used(src), Operand::used(scratch), Operand::Imm(24)]));
        code
    }

    fn align_down(&self, dst: PReg, src: PReg, align: u32) -> Option<Sequence> {
        let mask = encode_bitmask(u64::from(align).wrapping_neg(), 64)?;
        Some(smallvec![inst(ANDXri, [Operand::def(dst), Operand::used(src), Operand::Imm(mask)])])
    }

    fn expand_pseudo(&self, data: &InstData) -> Option<Sequence> {
        match data.opcode {
            Opcode::Target(TCRETURNdi) => Some(self.call(CallKind::Tail, 0)),
            Opcode::Target(TCRETURNri) => Some(smallvec![inst(BR, [*data.operands.first()?])]),
            Opcode::Target(MEMBARRIER) => Some(Sequence::new()),
            Opcode::Target(opcode @ (MOVaddr | LOADgot)) => {
                let dst = data.operands.first()?.as_reg()?.reg.as_physical()?;
                let page = inst(ADRP, [Operand::def(dst), Operand::Imm(0)]);
                let rest = match opcode {
                    MOVaddr => add_part(dst, dst, 0, 0, false),
                    _ => inst(LDRXui, [Operand::def(dst), Operand::used(dst), Operand::Imm(0)]),
                };
                Some(smallvec![page, rest])
            }
            _ => several(data),
        }
    }

    fn call(&self, kind: CallKind, distance: i64) -> Sequence {
        match kind {
            CallKind::Returning => smallvec![inst(BL, [Operand::Imm(distance), Operand::Imm(0)])],
            CallKind::Tail => smallvec![inst(B, [Operand::Imm(distance)])],
        }
    }

    fn invert_branch(&self, data: &InstData) -> Option<InstData> {
        let Opcode::Target(opcode) = data.opcode else { return None };
        let mut inverted = data.clone();
        inverted.opcode = Opcode::Target(match opcode {
            Bcc => {
                // Conditions stand in pairs of opposites.
                inverted.operands[0] = Operand::Imm(data.imm(0)? ^ 1);
                Bcc
            }
            CBZW => CBNZW,
            CBNZW => CBZW,
            CBZX => CBNZX,
            CBNZX => CBZX,
            TBZW => TBNZW,
            TBNZW => TBZW,
            TBZX => TBNZX,
            TBNZX => TBZX,
            _ => return None,
        });
        Some(inverted)
    }

    fn jump(&self, destination: Block) -> InstData {
        inst(B, [Operand::Block(destination)])
    }

    fn trap(&self) -> InstData {
        inst(BRK, [Operand::Imm(1)])
    }

    fn assembly(&self, data: &InstData, name: &dyn Fn(&Operand) -> String) -> String {
        let Opcode::Target(opcode) = data.opcode else { return data.opcode.to_string() };
        if let Some(code) = several(data) {
            let lines: Vec<String> = code.iter().map(|data| self.assembly(data, name)).collect();
            return lines.join("\n\t");
        }
        let (row, mut text) = (&INSTRUCTIONS[usize::from(opcode.0)], String::new());
        let mut letters = row.assembly.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let mut kind = letters.next().unwrap_or(' ');
            let mut digit = kind;
            if kind.is_ascii_digit() {
                kind = ' ';
            } else {
                digit = letters.next().unwrap_or('0');
            }
            let index = digit.to_digit(10).unwrap_or(0) as usize;
            let Some(operand) = data.operands.get(index) else { continue };
            if kind == 'x' {
                text.push_str(&index_extension(row, data, index));
                continue;
            }
            text.push_str(&shown(kind, row.operands.get(index), operand, name));
        }
        text
    }
}

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

/// Of the second source of an addition, by their encoding.
const EXTENSIONS: [&str; 8] = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];

/// How the register before operand `place` is extended and scaled, by the flags there: `, sxtw #2`.
fn index_extension(row: &InstrDesc, data: &InstData, place: usize) -> String {
    let [is_signed, is_scaled] = [place, place + 1].map(|place| data.imm(place) == Some(1));
    let is_word = row.operands[place - 1] == OperandDesc::Index(GPR32);
    let kind = match (is_signed, is_word) {
        (false, false) if !is_scaled => return String::new(),
        (false, false) => "lsl",
        (false, true) => "uxtw",
        (true, false) => "sxtx",
        (true, true) => "sxtw",
    };
    let bytes = row.access.map_or(1, |access| access.bytes);
    if is_scaled { format!(", {kind} #{}", bytes.trailing_zeros()) } else { format!(", {kind}") }
}

/// One operand as the row's template asks for it.
fn shown(kind: char, desc: Option<&OperandDesc>, operand: &Operand, name: &dyn Fn(&Operand) -> String) -> String {
    match (kind, operand) {
        ('c', Operand::Imm(value)) => CONDITIONS.get(*value as usize).copied().unwrap_or("al").to_string(),
        ('s', Operand::Imm(value)) => match desc {
            Some(OperandDesc::Offset { scale, .. }) => (value * i64::from(*scale)).to_string(),
            _ => value.to_string(),
        },
        ('g', Operand::Address(_)) => {
            let text = name(operand).replacen(":got:", ":got_lo12:", 1);
            text.replacen(":gottprel:", ":gottprel_lo12:", 1)
        }
        ('h', Operand::Imm(value)) => {
            let kinds = ["lsl", "lsr", "asr", "ror"];
            format!("{} #{}", kinds[(value >> 6 & 3) as usize], value & 0x3f)
        }
        ('e', Operand::Imm(value)) => {
            let name = EXTENSIONS.get((*value >> 3) as usize).copied().unwrap_or(EXTENSIONS[0]);
            if *value & 7 == 0 { name.to_string() } else { format!("{name} #{}", *value & 7) }
        }
        ('f', Operand::Imm(packed)) => format!("{:?}", f64::from_bits(unpacked(*packed, FloatFormat::Double))),
        ('p', Operand::Imm(pages)) => (pages << 12).to_string(),
        ('l', Operand::Imm(value)) => {
            let width = if desc == Some(&OperandDesc::Imm(ImmRange::LogicalMask(64))) { 64 } else { 32 };
            decode_bitmask(*value, width).map_or(value.to_string(), |mask| format!("{mask:#x}"))
        }
        ('w', Operand::Reg(register)) => register_name(register.reg).replacen('x', "w", 1),
        ('v', Operand::Reg(register)) => register_name(register.reg).replacen(['q', 's', 'h'], "v", 1),
        (_, Operand::Reg(register)) => register_name(register.reg),
        (_, Operand::Imm(value)) => value.to_string(),
        (_, Operand::Block(_) | Operand::Address(_)) => name(operand),
        (_, Operand::Stack(slot)) => slot.to_string(),
        _ => String::new(),
    }
}

fn register_name(register: Reg) -> String {
    match register {
        Reg::Physical(register) => REGISTERS[usize::from(register.0)].assembly.to_string(),
        Reg::Virtual(register) => register.to_string(),
    }
}
