//! The [`Machine`] of RISC-V: frame offsets, branches, calls, assembly text.

// Opcode constants are spelled as LLVM spells the opcodes.
#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::floats::name_of_constant;
use super::instructions::*;
use super::registers::{RA, REGISTERS, ZERO, x};
use crate::abi::CallKind;
use crate::instructions::{ImmRange, OperandDesc};
use crate::{Machine, Sequence};
use smallvec::smallvec;
use tribunal_ir::{AtomicOrdering, Block, FencedPairs, InstData, Opcode, Operand, PReg, Reg, StackSlot, TargetOpcode};

/// The opcodes that depend on the width of a register.
pub struct MachineCode {
    /// Adds the low bits of a constant to the result of [`LUI`].
    add_low: TargetOpcode,
    /// Loads a register.
    load_pointer: TargetOpcode,
}

/// The sequences of registers of 64 bits.
pub static RV64: MachineCode = MachineCode { add_low: ADDIW, load_pointer: LD };
/// The sequences of registers of 32 bits.
pub static RV32: MachineCode = MachineCode { add_low: ADDI, load_pointer: LW };

const I12: ImmRange = ImmRange::Signed(12);

/// One instruction; the first `defs` operands are definitions by their `Operand`s.
fn inst(opcode: TargetOpcode, operands: impl IntoIterator<Item = Operand>) -> InstData {
    InstData::new(Opcode::Target(opcode), operands)
}

/// `OPCODE dst, one, other`.
fn three(opcode: TargetOpcode, dst: PReg, one: PReg, other: PReg) -> InstData {
    inst(opcode, [Operand::def(dst), Operand::used(one), Operand::used(other)])
}

/// `OPCODE dst, src, imm`.
fn with_imm(opcode: TargetOpcode, dst: PReg, src: PReg, imm: i64) -> InstData {
    inst(opcode, [Operand::def(dst), Operand::used(src), Operand::Imm(imm)])
}

/// `AUIPC`, and what it does with the low bits, for a linker to complete.
fn from_here(data: &InstData, low: TargetOpcode) -> Option<Sequence> {
    let dst = data.operands.first()?.as_reg()?.reg.as_physical()?;
    Some(smallvec![inst(AUIPC, [Operand::def(dst), Operand::Imm(0)]), with_imm(low, dst, dst, 0)])
}

/// The assembler's name of LLVM's `name`: `add.uw` for `ADD_UW`, `rev8` for `REV8_RV64`.
fn mnemonic(name: &str) -> String {
    let of_status = [
        ("ReadFFLAGS", "frflags"),
        ("WriteFFLAGS", "fsflags"),
        ("ReadFRM", "frrm"),
        ("WriteFRM", "fsrm"),
        ("ReadFCSR", "frcsr"),
        ("WriteFCSR", "fscsr"),
    ];
    if let Some((_, mnemonic)) = of_status.iter().find(|(known, _)| *known == name) {
        return mnemonic.to_string();
    }
    let name = name.strip_suffix("_RV64").or(name.strip_suffix("_RV32")).unwrap_or(name);
    name.to_lowercase().replace('_', ".")
}

/// The parts of a number that `LUI` or `AUIPC` and an addition make. The low twelve bits are added with their sign, so
/// the high part is rounded to the nearest.
pub(super) fn parts(number: i64) -> (i64, i64) {
    let low = (number << 52) >> 52;
    ((number - low) >> 12 & 0xf_ffff, low)
}

/// The register through which a tail call of a symbol goes: `t1`, as the assembler's `tail` has it.
const TAIL_BASE: PReg = x(6);

/// `AUIPC` and `JALR` by a distance in bytes, through the register that is the first operand.
fn far_jump(data: &InstData) -> Option<Sequence> {
    let base = data.operands.first()?.as_reg()?.reg.as_physical()?;
    let (high, low) = parts(data.imm(1)?);
    Some(smallvec![inst(AUIPC, [Operand::def(base), Operand::Imm(high)]), with_imm(JALR, ZERO, base, low)])
}

/// The jump to the register that is the first operand.
fn jump_to(link: PReg, data: &InstData) -> Option<InstData> {
    let callee = data.operands.first()?.as_reg()?.reg;
    Some(inst(JALR, [Operand::def(link), Operand::used(callee), Operand::Imm(0)]))
}

/// The branch that compares as LLVM's number of a condition says.
pub(super) fn comparison_branch(number: i64) -> Option<TargetOpcode> {
    const BRANCHES: [TargetOpcode; 6] = [BEQ, BNE, BLT, BGE, BLTU, BGEU];
    usize::try_from(number).ok().and_then(|number| BRANCHES.get(number)).copied()
}

/// A choice between two registers, neither of which is written before it is read:
///
/// ```text
/// Select_GPR_Using_CC_GPR dst, a, b, condition, one, other
///      bcc  a, b, 12
///      mv   dst, other
///      j    8
///      mv   dst, one
/// ```
fn select(opcode: TargetOpcode, data: &InstData) -> Option<Sequence> {
    let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    let whole = |register: PReg| REGISTERS[usize::from(register.0)].full;
    let copy = |dst: PReg, src: PReg| match opcode {
        Select_GPR_Using_CC_GPR => Some(with_imm(ADDI, dst, src, 0)),
        // Zfhmin has no such instruction on 16 bits.
        Select_FPR16_Using_CC_GPR => Some(three(FSGNJ_D, whole(dst), whole(src), whole(src))),
        Select_FPR32_Using_CC_GPR => Some(three(FSGNJ_S, dst, src, src)),
        Select_FPR64_Using_CC_GPR => Some(three(FSGNJ_D, dst, src, src)),
        _ => None,
    };
    let (dst, one, other) = (register(0)?, register(4)?, register(5)?);
    let (one, other) = (copy(dst, one)?, copy(dst, other)?);
    let compared = [Operand::used(register(1)?), Operand::used(register(2)?), Operand::Imm(12)];
    Some(smallvec![
        inst(comparison_branch(data.imm(3)?)?, compared),
        other,
        inst(JAL, [Operand::def(ZERO), Operand::Imm(8)]),
        one,
    ])
}

/// The halves of a `double` and the `double` itself, of which one goes to the other through the stack: RV32 has no such
/// instruction.
///
/// ```text
/// BuildPairF64Pseudo dst, low, high
///      sw   low, 0(slot)
///      sw   high, 4(slot)
///      fld  dst, 0(slot)
/// ```
fn through_stack(opcode: TargetOpcode, data: &InstData, slot: StackSlot) -> Option<Sequence> {
    let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    let place = |offset| [Operand::Stack(slot), Operand::Imm(offset)];
    let load = |opcode, index, offset| {
        Some(inst(opcode, std::iter::once(Operand::def(register(index)?)).chain(place(offset))))
    };
    let store = |opcode, index, offset| {
        Some(inst(opcode, std::iter::once(Operand::used(register(index)?)).chain(place(offset))))
    };
    Some(match opcode {
        BuildPairF64Pseudo => smallvec![store(SW, 1, 0)?, store(SW, 2, 4)?, load(FLD, 0, 0)?],
        SplitF64Pseudo => smallvec![store(FSD, 2, 0)?, load(LW, 0, 0)?, load(LW, 1, 4)?],
        _ => return None,
    })
}

/// The pseudo-instructions that stand for several instructions in one text.
fn several(opcode: TargetOpcode, data: &InstData) -> Option<Sequence> {
    let loops = reservation_loop(opcode, data).or_else(|| masked_loop(opcode, data));
    loops.or_else(|| select(opcode, data))
}

/// The assembler's names of rounding modes, by number.
const ROUNDING_MODES: [&str; 8] = ["rne", "rtz", "rdn", "rup", "rmm", "", "", "dyn"];

/// The rounding mode that the assembler takes where the text names none. Conversions that are always exact have their
/// own.
fn usual_rounding_mode(opcode: TargetOpcode) -> i64 {
    if matches!(opcode, FCVT_D_S | FCVT_D_W | FCVT_D_WU | FCVT_S_H | FCVT_D_H) { 0 } else { 7 }
}

/// The loads that reserve and the stores that keep a reservation, by the bits of their ordering.
struct Reservation {
    load: [TargetOpcode; 3],
    store: [TargetOpcode; 2],
}

const WORD: Reservation = Reservation { load: [LR_W, LR_W_AQ, LR_W_AQRL], store: [SC_W, SC_W_RL] };
const DOUBLE: Reservation = Reservation { load: [LR_D, LR_D_AQ, LR_D_AQRL], store: [SC_D, SC_D_RL] };

impl Reservation {
    /// The load and the store of an operation of this ordering (RISC-V psABI, table A.6, as LLVM writes it).
    fn of(&self, ordering: AtomicOrdering) -> [TargetOpcode; 2] {
        let acquires = match ordering {
            AtomicOrdering::SequentiallyConsistent => 2,
            _ => usize::from(ordering.fenced().contains(FencedPairs::LOAD_LOAD)),
        };
        let releases = usize::from(ordering.fenced().contains(FencedPairs::STORE_STORE));
        [self.load[acquires], self.store[releases]]
    }
}

/// A loop that repeats until its store keeps the reservation of its load:
///
/// ```text
/// PseudoCmpXchg64 old, scratch, address, expected, new, ordering
/// loop: lr.d old, (address)
///       bne  old, expected, end
///       sc.d scratch, new, (address)
///       bnez scratch, loop
/// end:
/// ```
fn reservation_loop(opcode: TargetOpcode, data: &InstData) -> Option<Sequence> {
    let (compares, reservation) = match opcode {
        PseudoCmpXchg32 => (true, WORD),
        PseudoCmpXchg64 => (true, DOUBLE),
        PseudoAtomicLoadNand32 => (false, WORD),
        PseudoAtomicLoadNand64 => (false, DOUBLE),
        _ => return None,
    };
    let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    let (old, scratch, address, value) = (register(0)?, register(1)?, register(2)?, register(3)?);
    let ordering = AtomicOrdering::from_number(data.operands.last()?.as_imm()?)?;
    let [load, store] = reservation.of(ordering);
    let mut code = smallvec![inst(load, [Operand::def(old), Operand::used(address)])];
    let kept = if compares {
        let leave = [Operand::used(old), Operand::used(value), Operand::Imm(12)];
        code.push(inst(BNE, leave));
        register(4)?
    } else {
        code.push(inst(AND, [Operand::def(scratch), Operand::used(old), Operand::used(value)]));
        code.push(with_imm(XORI, scratch, scratch, -1));
        scratch
    };
    code.push(inst(store, [Operand::def(scratch), Operand::used(kept), Operand::used(address)]));
    let back = -4 * code.len() as i64;
    code.push(inst(BNE, [Operand::used(scratch), Operand::used(ZERO), Operand::Imm(back)]));
    Some(code)
}

/// The form of a loop that changes some bits of a word.
enum Change {
    /// These instructions compute the part in the scratch register, from the old word and the value.
    By(&'static [TargetOpcode]),
    /// The value replaces the part unless this branch of the part and the value is taken.
    Unless { branch: TargetOpcode, swapped: bool, signed: bool },
    /// The value replaces the part if it is the expected one.
    IfExpected,
}

/// A loop that replaces the bits of a mask in a word, since a byte or a half has no reservation of its own:
///
/// ```text
/// PseudoMaskedAtomicLoadAdd32 old, scratch, address, value, mask, ordering
/// loop: lr.w old, (address)
///       add  scratch, old, value
///       xor  scratch, old, scratch
///       and  scratch, scratch, mask
///       xor  scratch, old, scratch
///       sc.w scratch, scratch, (address)
///       bnez scratch, loop
/// ```
///
/// The extrema have a second scratch register for the part, and the compare-and-exchange leaves the loop before the
/// merge.
fn masked_loop(opcode: TargetOpcode, data: &InstData) -> Option<Sequence> {
    let change = masked_change(opcode)?;
    let registers: Vec<PReg> =
        data.operands.iter().filter_map(Operand::as_reg).filter_map(|register| register.reg.as_physical()).collect();
    let ordering = AtomicOrdering::from_number(data.operands.last()?.as_imm()?)?;
    let [load, store] = WORD.of(ordering);
    let (old, scratch, merged, mask, address);
    let mut code;
    match (change, registers.as_slice()) {
        (Change::By(opcodes), &[first, second, base, value, bits]) => {
            (old, scratch, merged, mask, address) = (first, second, second, bits, base);
            code = smallvec![inst(load, [Operand::def(old), Operand::used(address)])];
            code.extend(opcodes.iter().map(|&opcode| match opcode {
                ADDI => with_imm(ADDI, scratch, value, 0),
                XORI => with_imm(XORI, scratch, scratch, -1),
                opcode => three(opcode, scratch, old, value),
            }));
        }
        (Change::IfExpected, &[first, second, base, expected, value, bits]) => {
            (old, scratch, merged, mask, address) = (first, second, value, bits, base);
            code = smallvec![inst(load, [Operand::def(old), Operand::used(address)])];
            code.push(three(AND, scratch, old, mask));
            code.push(inst(BNE, [Operand::used(scratch), Operand::used(expected), Operand::Imm(MERGE + LAST)]));
        }
        (Change::Unless { branch, swapped, signed }, &[first, second, part, base, value, bits, ref amount @ ..]) => {
            (old, scratch, merged, mask, address) = (first, second, value, bits, base);
            code = smallvec![inst(load, [Operand::def(old), Operand::used(address)])];
            code.push(three(AND, part, old, mask));
            code.push(with_imm(ADDI, scratch, old, 0));
            if signed {
                let amount = *amount.first()?;
                code.extend([SLL, SRA].map(|opcode| three(opcode, part, part, amount)));
            }
            let (one, other) = if swapped { (value, part) } else { (part, value) };
            code.push(inst(branch, [Operand::used(one), Operand::used(other), Operand::Imm(MERGE)]));
        }
        _ => return None,
    }
    code.push(three(XOR, scratch, old, merged));
    code.push(three(AND, scratch, scratch, mask));
    code.push(three(XOR, scratch, old, scratch));
    code.push(inst(store, [Operand::def(scratch), Operand::used(scratch), Operand::used(address)]));
    let back = -4 * code.len() as i64;
    code.push(inst(BNE, [Operand::used(scratch), Operand::used(ZERO), Operand::Imm(back)]));
    Some(code)
}

/// Bytes from a branch over the merge to the store.
const MERGE: i64 = 16;
/// Bytes of the store and of the branch after it.
const LAST: i64 = 8;

fn masked_change(opcode: TargetOpcode) -> Option<Change> {
    Some(match opcode {
        PseudoMaskedAtomicSwap32 => Change::By(&[ADDI]),
        PseudoMaskedAtomicLoadAdd32 => Change::By(&[ADD]),
        PseudoMaskedAtomicLoadSub32 => Change::By(&[SUB]),
        PseudoMaskedAtomicLoadNand32 => Change::By(&[AND, XORI]),
        PseudoMaskedAtomicLoadMax32 => Change::Unless { branch: BGE, swapped: false, signed: true },
        PseudoMaskedAtomicLoadMin32 => Change::Unless { branch: BGE, swapped: true, signed: true },
        PseudoMaskedAtomicLoadUMax32 => Change::Unless { branch: BGEU, swapped: false, signed: false },
        PseudoMaskedAtomicLoadUMin32 => Change::Unless { branch: BGEU, swapped: true, signed: false },
        PseudoMaskedCmpXchg32 => Change::IfExpected,
        _ => return None,
    })
}

/// Kinds of accesses as the assembler names them.
fn kinds(number: i64) -> String {
    if number == 0 {
        return "0".to_string();
    }
    [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')].into_iter().filter(|(bit, _)| number & bit != 0).map(|(_, c)| c).collect()
}

impl Machine for MachineCode {
    fn through_stack(&self, inst: &InstData, slot: StackSlot) -> Option<Sequence> {
        let Opcode::Target(opcode) = inst.opcode else { return None };
        through_stack(opcode, inst, slot)
    }

    fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData> {
        if I12.accepts(offset) {
            return vec![with_imm(ADDI, dst, src, offset)];
        }
        let (high, low) = parts(offset);
        let mut code = vec![inst(LUI, [Operand::def(scratch), Operand::Imm(high)])];
        if low != 0 {
            code.push(with_imm(self.add_low, scratch, scratch, low));
        }
        code.push(inst(ADD, [Operand::def(dst), Operand::used(src), Operand::used(scratch)]));
        code
    }

    fn align_down(&self, dst: PReg, src: PReg, align: u32) -> Option<Sequence> {
        let mask = -i64::from(align);
        if I12.accepts(mask) {
            return Some(smallvec![with_imm(ANDI, dst, src, mask)]);
        }
        let bits = align.trailing_zeros().into();
        Some(smallvec![with_imm(SRLI, src, src, bits), with_imm(SLLI, dst, src, bits)])
    }

    fn expand_pseudo(&self, data: &InstData) -> Option<Sequence> {
        match data.opcode {
            Opcode::Target(PseudoRET) => Some(smallvec![with_imm(JALR, ZERO, RA, 0)]),
            Opcode::Target(PseudoBR) => Some(smallvec![inst(JAL, [Operand::def(ZERO), *data.operands.first()?])]),
            Opcode::Target(PseudoJump) => far_jump(data),
            Opcode::Target(PseudoCALL) => Some(self.call(CallKind::Returning, 0)),
            Opcode::Target(PseudoTAIL) => Some(self.call(CallKind::Tail, 0)),
            Opcode::Target(PseudoCALLIndirect) => Some(smallvec![jump_to(RA, data)?]),
            Opcode::Target(PseudoTAILIndirect) => Some(smallvec![jump_to(ZERO, data)?]),
            Opcode::Target(PseudoBRIND) => {
                let base = data.operands.first()?.as_reg()?.reg.as_physical()?;
                Some(smallvec![with_imm(JALR, ZERO, base, data.imm(1)?)])
            }
            Opcode::Target(PseudoLLA) => Some(from_here(data, ADDI)?),
            Opcode::Target(PseudoLGA) => Some(from_here(data, self.load_pointer)?),
            Opcode::Target(MEMBARRIER) => Some(Sequence::new()),
            Opcode::Target(PseudoLA_TLS_IE) => Some(from_here(data, self.load_pointer)?),
            Opcode::Target(PseudoAddTPRel) => {
                let operands = data.operands.get(..3)?;
                Some(smallvec![inst(ADD, operands.iter().copied())])
            }
            Opcode::Target(opcode) => several(opcode, data),
            _ => None,
        }
    }

    fn call(&self, kind: CallKind, distance: i64) -> Sequence {
        let (high, low) = parts(distance);
        let (link, base) = match kind {
            CallKind::Returning => (RA, RA),
            CallKind::Tail => (ZERO, TAIL_BASE),
        };
        smallvec![inst(AUIPC, [Operand::def(base), Operand::Imm(high)]), with_imm(JALR, link, base, low)]
    }

    fn invert_branch(&self, data: &InstData) -> Option<InstData> {
        let opposite = match data.opcode {
            Opcode::Target(BEQ) => BNE,
            Opcode::Target(BNE) => BEQ,
            Opcode::Target(BLT) => BGE,
            Opcode::Target(BGE) => BLT,
            Opcode::Target(BLTU) => BGEU,
            Opcode::Target(BGEU) => BLTU,
            _ => return None,
        };
        Some(InstData { opcode: Opcode::Target(opposite), ..data.clone() })
    }

    fn jump(&self, destination: Block) -> InstData {
        inst(PseudoBR, [Operand::Block(destination)])
    }

    fn far_jump(&self, destination: Block, scratch: PReg) -> Option<InstData> {
        Some(inst(PseudoJump, [Operand::def(scratch), Operand::Block(destination)]))
    }

    fn trap(&self) -> InstData {
        inst(UNIMP, [])
    }

    fn assembly(&self, data: &InstData, name: &dyn Fn(&Operand) -> String) -> String {
        let Opcode::Target(opcode) = data.opcode else { return data.opcode.to_string() };
        if let Some(code) = several(opcode, data) {
            let lines: Vec<String> = code.iter().map(|data| self.assembly(data, name)).collect();
            return lines.join("\n\t");
        }
        let row = &INSTRUCTIONS[usize::from(opcode.0)];
        let shown = |operand: &Operand| match operand {
            Operand::Reg(register) => match register.reg {
                Reg::Physical(register) => REGISTERS[usize::from(register.0)].assembly.to_string(),
                Reg::Virtual(register) => register.to_string(),
            },
            Operand::Imm(value) => value.to_string(),
            Operand::Block(_) | Operand::Address(_) => name(operand),
            Operand::Stack(slot) => slot.to_string(),
            _ => String::new(),
        };
        let mut texts: Vec<String> = data.operands.iter().take(row.operands.len()).map(shown).collect();
        if row.operands.last() == Some(&OperandDesc::Imm(ImmRange::RoundingMode))
            && let Some(&Operand::Imm(mode)) = data.operands.get(row.operands.len() - 1)
        {
            texts.pop();
            let name = usize::try_from(mode).ok().and_then(|mode| ROUNDING_MODES.get(mode));
            texts.extend(name.filter(|_| mode != usual_rounding_mode(opcode)).map(|name| name.to_string()));
        }
        if let (FLI_H | FLI_S | FLI_D, Some(number)) = (opcode, data.imm(1)) {
            texts.truncate(1);
            texts.push(name_of_constant(number));
        }
        let mnemonic = mnemonic(row.name);
        let is_memory = row.flags.intersects(tribunal_ir::OpcodeFlags::LOAD | tribunal_ir::OpcodeFlags::STORE);
        match texts.as_slice() {
            [] if opcode == PseudoRET => "ret".to_string(),
            [target] if opcode == PseudoBR => format!("j {target}"),
            [scratch, target] if opcode == PseudoJump => format!("jump {target}, {scratch}"),
            [callee, _] if opcode == PseudoCALL => format!("call {callee}"),
            [callee, _] if opcode == PseudoTAIL => format!("tail {callee}"),
            [callee, _] if opcode == PseudoCALLIndirect => format!("jalr {callee}"),
            [callee, _] if opcode == PseudoTAILIndirect => format!("jr {callee}"),
            [base, offset] if opcode == PseudoBRIND => format!("jalr zero, {offset}({base})"),
            [value, symbol] if opcode == PseudoLLA => format!("lla {value}, {symbol}"),
            [value, symbol] if opcode == PseudoLGA => format!("lga {value}, {symbol}"),
            [value, symbol] if opcode == PseudoLA_TLS_IE => format!("la.tls.ie {value}, {symbol}"),
            texts if opcode == PseudoAddTPRel => format!("add {}", texts.join(", ")),
            [] if opcode == MEMBARRIER => "#MEMBARRIER".to_string(),
            [_, _] if opcode == FENCE => {
                let [before, after] = [0, 1].map(|index| kinds(data.imm(index).unwrap_or(0)));
                format!("fence {before}, {after}")
            }
            [value, base] if is_memory => format!("{mnemonic} {value}, ({base})"),
            [old, value, base] if is_memory && row.address().is_none() => {
                format!("{mnemonic} {old}, {value}, ({base})")
            }
            [value, base, offset] if is_memory || opcode == JALR => {
                format!("{mnemonic} {value}, {offset}({base})")
            }
            texts => format!("{mnemonic} {}", texts.join(", ")).trim_end().to_string(),
        }
    }
}
