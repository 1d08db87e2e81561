//! The [`Machine`] of AArch64: frame offsets, branches, calls, assembly text. Invariant: no sequence touches the flags.

// Opcode constants are spelled as LLVM spells the opcodes.
#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::bitmask::{decode_bitmask, encode_bitmask};
use super::floats::unpacked;
use super::instructions::*;
use super::registers::{GPR32, REGISTERS, WZR, XZR};
use super::simd::mask_of_bytes;
use crate::abi::CallKind;
use crate::instructions::{ImmRange, InstrDesc, OperandDesc};
use crate::{Machine, Sequence};
use smallvec::{SmallVec, smallvec};
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

/// `ATOMIC_LOAD_MIN old, new, status, address, value` and its like, as such a loop:
///
/// ```text
/// loop: ldaxrb old, [address]
///       sxtb   new, old
///       cmp    new, value, sxtb
///       csel   new, old, value, le
///       stlxrb status, new, [address]
///       cbnz   status, loop
/// ```
///
/// A load extends with zeros, so only a signed comparison of a part of a register needs the second instruction. A
/// complement has `and` and `mvn` instead of the comparison.
fn operation_loop(data: &InstData) -> Option<Sequence> {
    let Opcode::Target(opcode) = data.opcode else { return None };
    let (kept, place) = LOOPS.into_iter().find_map(|(opcodes, kept)| {
        let place = opcodes.into_iter().position(|own| own == opcode)?;
        Some((kept, place))
    })?;
    let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    let (old, new, status) = (register(0)?, register(1)?, register(2)?);
    let (address, value) = (register(3)?, register(4)?);
    let three = |opcode, dst, one, other| inst(opcode, [Operand::def(dst), Operand::used(one), Operand::used(other)]);
    let LoopSize { load, store, part, wide } = LOOP_SIZES[place];
    let mut code: Sequence = smallvec![inst(load, [Operand::def(old), Operand::used(address)])];
    let (zero, compare, select, and, not) =
        if wide { (XZR, SUBSXrr, CSELXr, ANDXrr, ORNXrr) } else { (WZR, SUBSWrr, CSELWr, ANDWrr, ORNWrr) };
    match (kept, part) {
        (None, _) => code.extend([three(and, new, old, value), three(not, new, zero, new)]),
        (Some((condition, signed)), part) => {
            let compared = match part {
                Some((last, _)) if signed => {
                    let bits = [Operand::Imm(0), Operand::Imm(last)];
                    code.push(inst(SBFMWri, [Operand::def(new), Operand::used(old)].into_iter().chain(bits)));
                    new
                }
                _ => old,
            };
            let operands = [Operand::def(zero), Operand::used(compared), Operand::used(value)];
            code.push(match part {
                Some((_, [unsigned, sign])) => {
                    let extension = Operand::Imm(if signed { sign } else { unsigned });
                    inst(SUBSWrx, operands.into_iter().chain([extension]))
                }
                None => inst(compare, operands),
            });
            let condition = Operand::Imm(condition);
            let chosen = [Operand::def(new), Operand::used(old), Operand::used(value), condition];
            code.push(inst(select, chosen));
        }
    }
    code.push(inst(store, [Operand::def(status), Operand::used(new), Operand::used(address)]));
    let back = -4 * code.len() as i64;
    code.push(inst(CBNZW, [Operand::used(status), Operand::Imm(back)]));
    Some(code)
}

/// When a loop leaves the old value: the condition, and whether it is one of signed numbers; `None` for a complement.
type Stays = Option<(i64, bool)>;

/// The loops of operations, by size.
const LOOPS: [([TargetOpcode; 4], Stays); 5] = [
    ([ATOMIC_LOAD_NAND_8, ATOMIC_LOAD_NAND_16, ATOMIC_LOAD_NAND_32, ATOMIC_LOAD_NAND_64], None),
    ([ATOMIC_LOAD_MAX_8, ATOMIC_LOAD_MAX_16, ATOMIC_LOAD_MAX_32, ATOMIC_LOAD_MAX_64], Some((GREATER_OR_EQUAL, true))),
    ([ATOMIC_LOAD_MIN_8, ATOMIC_LOAD_MIN_16, ATOMIC_LOAD_MIN_32, ATOMIC_LOAD_MIN_64], Some((LESS_OR_EQUAL, true))),
    (
        [ATOMIC_LOAD_UMAX_8, ATOMIC_LOAD_UMAX_16, ATOMIC_LOAD_UMAX_32, ATOMIC_LOAD_UMAX_64],
        Some((HIGHER_OR_SAME, false)),
    ),
    ([ATOMIC_LOAD_UMIN_8, ATOMIC_LOAD_UMIN_16, ATOMIC_LOAD_UMIN_32, ATOMIC_LOAD_UMIN_64], Some((LOWER_OR_SAME, false))),
];

/// The accesses of a loop.
#[derive(Clone, Copy)]
struct LoopSize {
    load: TargetOpcode,
    store: TargetOpcode,
    /// Of a part of a register its last bit, and the numbers of its extensions without and with the sign.
    part: Option<(i64, [i64; 2])>,
    wide: bool,
}

const LOOP_SIZES: [LoopSize; 4] = [
    LoopSize { load: LDAXRB, store: STLXRB, part: Some((7, [BYTE, SIGNED_BYTE])), wide: false },
    LoopSize { load: LDAXRH, store: STLXRH, part: Some((15, [HALF, SIGNED_HALF])), wide: false },
    LoopSize { load: LDAXRW, store: STLXRW, part: None, wide: false },
    LoopSize { load: LDAXRX, store: STLXRX, part: None, wide: true },
];

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

/// A half of zero: the word that holds it is zero, since not every machine moves halves.
fn zero_half(data: &InstData) -> Option<Sequence> {
    let half = data.operands.first()?.as_reg()?.reg.as_physical().filter(|_| data.opcode == Opcode::Target(FMOVH0))?;
    let full = REGISTERS[usize::from(half.0)].full;
    let (word, _) = (0..).map(PReg).zip(REGISTERS).find(|(_, row)| row.full == full && row.bits == 32)?;
    Some(smallvec![inst(FMOVS0, [Operand::def(word)])])
}

/// The pseudo-instructions that stand for other instructions in one text.
fn several(data: &InstData) -> Option<Sequence> {
    exclusive_loop(data).or_else(|| operation_loop(data)).or_else(|| move_number(data)).or_else(|| zero_half(data))
}

/// LLVM's numbers of the extensions `uxtb` and `uxth`, `sxtb` and `sxth`.
const BYTE: i64 = 0;
const HALF: i64 = 8;
const SIGNED_BYTE: i64 = 32;
const SIGNED_HALF: i64 = 40;
/// The numbers of the conditions `ne`, `hs`, `ls`, `ge` and `le`.
const NOT_EQUAL: i64 = 1;
const HIGHER_OR_SAME: i64 = 2;
const LOWER_OR_SAME: i64 = 9;
const GREATER_OR_EQUAL: i64 = 10;
const LESS_OR_EQUAL: i64 = 13;

/// The greatest number that one addition adds; another adds multiples of the next.
const LOW: i64 = 0xfff;

impl Machine for MachineCode {
    fn steps(&self, offset: i64) -> SmallVec<[i64; 2]> {
        let low = offset % (LOW + 1);
        match (1 << 12..1 << 24).contains(&offset.unsigned_abs()) && low != 0 {
            true => smallvec![offset - low, low],
            false => smallvec![offset],
        }
    }

    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData> {
        let (size, negative) = (offset.unsigned_abs() as i64, offset < 0);
        if (0..1 << 24).contains(&size) {
            let sources = std::iter::once(src).chain(std::iter::repeat(dst));
            let part = |(step, source): (i64, PReg)| match step.abs() {
                low @ 0..=LOW => add_part(dst, source, low, 0, negative),
                high => add_part(dst, source, high >> 12, 12, negative),
            };
            return self.steps(offset).into_iter().zip(sources).map(part).collect();
        }
        let piece = |shift: i64| [Operand::Imm(size >> shift & 0xffff), Operand::Imm(shift)];
        let [[low, no_shift], [high, shift]] = [piece(0), piece(16)];
        let opcode = if negative { SUBXrx64 } else { ADDXrx64 };
        vec![
            inst(MOVZXi, [Operand::def(scratch), low, no_shift]),
            inst(MOVKXi, [Operand::def(scratch), Operand::used(scratch), high, shift]),
            inst(opcode, [Operand::def(dst), Operand::used(src), Operand::used(scratch), Operand::Imm(24)]),
        ]
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
            Opcode::Target(opcode @ (MOVaddr | MOVaddrJT | MOVaddrCP | MOVaddrBA | LOADgot)) => {
                let dst = data.operands.first()?.as_reg()?.reg.as_physical()?;
                let page = inst(ADRP, [Operand::def(dst), Operand::Imm(0)]);
                let rest = match opcode {
                    LOADgot => inst(LDRXui, [Operand::def(dst), Operand::used(dst), Operand::Imm(0)]),
                    _ => add_part(dst, dst, 0, 0, false),
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
        ('m', Operand::Imm(bits)) => format!("{:#018x}", mask_of_bytes(*bits)),
        ('p', Operand::Imm(pages)) => (pages << 12).to_string(),
        ('l', Operand::Imm(value)) => {
            let width = if desc == Some(&OperandDesc::Imm(ImmRange::LogicalMask(64))) { 64 } else { 32 };
            decode_bitmask(*value, width).map_or(value.to_string(), |mask| format!("{mask:#x}"))
        }
        ('w', Operand::Reg(register)) => register_name(register.reg).replacen('x', "w", 1),
        ('v', Operand::Reg(register)) => register_name(register.reg).replacen(['q', 'd', 's', 'h'], "v", 1),
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
