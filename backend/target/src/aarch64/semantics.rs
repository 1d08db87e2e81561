//! The meaning of every machine instruction (Arm Architecture Reference Manual, A64 base instructions).
//!
//! `x` registers hold 64 bits, `w` registers 32; the flags are four bits, N Z C V from the top. Machine code creates no
//! poison: a result is poison exactly if a source is.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::bitmask::decode_bitmask;
use super::floats;
use super::instructions::*;
use super::simd;
use super::target_flags::TPREL_HIGH;
use crate::Target;
use crate::addressing::AddressPart;
use crate::atomics::Evaluated;
use crate::instructions::{Access, InstrDesc, OperandDesc};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{
    Sources, access, access_at, call_frame, chosen, extended_by, finish, from_here, jump, jump_free, shifted_by,
    sources,
};
use smallvec::smallvec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Unsupported, Value, walk};
use tribunal_ir::{InstData, Opcode, OpcodeFlags, Operand, TargetOpcode};

/// Evaluates `inst`; see [`crate::evaluate`].
///
/// # Errors
/// An instruction without a meaning here, or one whose operands are not its row's.
pub fn evaluate<'d>(
    d: &mut (dyn AnyDomain + 'd),
    target: &Target,
    inst: &InstData,
    args: &[Value<dyn AnyDomain + 'd>],
) -> Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(Unsupported::new(inst.opcode.to_string())) };
    let row = target.instruction(opcode);
    let s = sources(d, target, inst, args)?;
    if let Some(of_row) = row.access {
        return of_memory(d, target, (opcode, row, of_row), inst, &s);
    }
    match opcode {
        Bcc | CBZW | CBNZW | CBZX | CBNZX | TBZW | TBNZW | TBZX | TBNZX => branch(d, opcode, inst, &s),
        B | RET_ReallyLR => Ok(jump_free(d)),
        RET | BR | BLR => {
            let [to] = s.exactly(inst)?;
            jump(d, inst, Some(to.bits))
        }
        BL => jump(d, inst, None),
        ADR => {
            let bits = from_here(d, inst, inst.imm(1).ok_or_else(|| Unsupported::new(row.name))?)?;
            Ok(finish(d, bits, &s))
        }
        ADRP if inst.imm(1).is_some() => {
            let bits = page_from_here(d, inst)?;
            Ok(finish(d, bits, &s))
        }
        MOVbaseTLS => {
            let bits = d.thread_pointer().ok_or_else(|| Unsupported::new("the thread pointer"))?;
            Ok(finish(d, bits, &s))
        }
        MRS_FPCR | MRS_FPSR | MSR_FPCR | MSR_FPSR => floats::environment(d, target, opcode, inst, &s),
        ADRP | LOADgot => {
            let bits = s.exactly::<1>(inst)?[0].bits;
            Ok(finish(d, bits, &s))
        }
        MOVaddr | MOVaddrJT | MOVaddrCP | MOVaddrBA => {
            let [page, low] = s.exactly(inst)?;
            let bits = d.add(&page.bits, &low.bits);
            Ok(finish(d, bits, &s))
        }
        JumpTableDest32 => table_destination(d, inst, &s),
        // The part of an address, or of a distance, that a linker makes fit.
        ADDXri if matches!(inst.operands.get(2), Some(Operand::Address(_))) => {
            let [base, part] = s.exactly(inst)?;
            let part = shifted_part(d, &part.bits, inst).ok_or_else(|| Unsupported::new(row.name))?;
            let bits = d.add(&base.bits, &part);
            Ok(finish(d, bits, &s))
        }
        ADJCALLSTACKDOWN | ADJCALLSTACKUP => call_frame(d, inst, &s),
        DMB | MEMBARRIER | CLREX => super::atomics::ordering(d, opcode, inst),
        ADDSWrr | ADDSXrr | SUBSWrr | SUBSXrr | ADDSWri | ADDSXri | SUBSWri | SUBSXri | ADCSWr | ADCSXr | SBCSWr
        | SBCSXr | ADDSWrx | ADDSXrx | SUBSWrx | SUBSXrx | ADDSWrs | ADDSXrs | SUBSWrs | SUBSXrs => {
            flag_setting(d, opcode, inst, &s)
        }
        ANDSWri | ANDSXri | ANDSWrr | ANDSXrr | ANDSWrs | ANDSXrs => {
            let malformed = || Unsupported::malformed("flag-setting instruction");
            let result = logical(d, opcode, inst, &s).ok_or_else(malformed)?;
            let (n, z, no) = (d.is_negative(&result), d.is_zero(&result), d.boolean(false));
            let flags = joined(d, [n, z, no, no]);
            Ok(with_flags(d, result, flags, &s))
        }
        FCMPHrr | FCMPSrr | FCMPDrr | FCMPHri | FCMPSri | FCMPDri => floats::comparison(d, opcode, inst, &s),
        CSELWr | CSELXr | CSINCWr | CSINCXr | CSINVWr | CSINVXr | CSNEGWr | CSNEGXr | FCSELHrrr | FCSELSrrr
        | FCSELDrrr => conditional_select(d, opcode, inst, &s).ok_or_else(|| Unsupported::new(row.name)),
        _ => {
            let bits = match compute(d, opcode, inst, &s) {
                Some(bits) => Some(bits),
                None => floats::compute(d, opcode, inst, &s),
            };
            let bits = bits.ok_or_else(|| Unsupported::new(row.name))?;
            Ok(finish(d, bits, &s))
        }
    }
}

/// The address of the block that a jump table has at an index. The pointer must be the table's, and the index that of
/// an entry: LLVM writes the code once it knows how far the blocks are from each other.
fn table_destination<D: AnyDomain + ?Sized>(d: &mut D, inst: &InstData, s: &Sources<D>) -> Evaluated<D> {
    let [pointer, index, table] = s.exactly(inst)?;
    let (blocks, width) = (d.table(), d.width(&pointer.bits));
    if blocks.is_empty() {
        return Err(Unsupported::malformed(inst.opcode));
    }
    let (to, beyond) = walk::table_destination(d, &blocks, &index.bits, width);
    let elsewhere = d.ne(&pointer.bits, &table.bits);
    let mut evaluation = finish(d, to, s);
    evaluation.ub = d.bool_or(&elsewhere, &beyond);
    let (overwritten, never) = (d.choose(width), d.boolean(false));
    evaluation.results.push(Value::new(overwritten, never));
    Ok(evaluation)
}

/// A load, a store, or an operation on memory.
fn of_memory<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    (opcode, row, of_row): (TargetOpcode, &InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Evaluated<D> {
    if let Some(steps) = steps_base(row) {
        return stepped_access(d, target, (row, of_row), inst, (s, steps));
    }
    super::atomics::evaluate(d, (opcode, row, of_row), inst, s)
        .unwrap_or_else(|| access(d, target, row, of_row, inst, s))
}

/// The moment when an access steps its base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BaseStep {
    Before,
    Behind,
}

/// For an access that steps its base: whether before it, by two bits of the word (Arm Architecture Reference Manual,
/// "Load/store register (immediate post-indexed)" and "(immediate pre-indexed)").
fn steps_base(row: &InstrDesc) -> Option<BaseStep> {
    let steps = matches!(row.operands, [OperandDesc::EarlyDef(_), _, OperandDesc::Tied { to: 0, .. }, _]);
    match (steps, row.code?.word >> 10 & 0b11) {
        (true, 0b01) => Some(BaseStep::Behind),
        (true, 0b11) => Some(BaseStep::Before),
        _ => None,
    }
}

/// An access that writes its base back, stepped by the last operand.
fn stepped_access<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    (row, access): (&InstrDesc, Access),
    inst: &InstData,
    (s, steps): (&Sources<D>, BaseStep),
) -> Evaluated<D> {
    let is_store = row.flags.contains(OpcodeFlags::STORE);
    let (value, [base, step]) = match is_store {
        true => {
            let [value, base, step] = s.exactly(inst)?;
            (Some(value), [base, step])
        }
        false => (None, s.exactly(inst)?),
    };
    let stepped = Value::new(d.add(&base.bits, &step.bits), base.poison);
    let address = if steps == BaseStep::Before { stepped.clone() } else { base.clone() };
    let class = row.operands.get(1).and_then(OperandDesc::class);
    let mut evaluation = access_at(d, target, (row, access, class), inst, (value, &address))?;
    evaluation.results.insert(0, stepped);
    Ok(evaluation)
}

/// So many pages from the instruction's own, in placed code.
fn page_from_here<D: AnyDomain + ?Sized>(d: &mut D, inst: &InstData) -> Result<D::Bits, Unsupported> {
    let pages = inst.imm(1).ok_or_else(|| Unsupported::malformed("ADRP"))?;
    let there = from_here(d, inst, pages << 12)?;
    Ok(AddressPart::Page.of(d, &there))
}

/// The part of an address that an addition adds: the number of a page is twelve bits from its place, a place in a page
/// in its own.
fn shifted_part<D: AnyDomain + ?Sized>(d: &mut D, part: &D::Bits, inst: &InstData) -> Option<D::Bits> {
    let is_page = d.linked(0)?.1 == TPREL_HIGH;
    let [own, shift] = [if is_page { 12 } else { 0 }, inst.imm(3)?];
    if own == shift {
        return Some(*part);
    }
    let [own, shift] = [own, shift].map(|bits| d.literal(bits, d.width(part)));
    let number = d.lshr(part, &own);
    Some(d.shl(&number, &shift))
}

/// The result of an instruction that sets no flags. Immediates are sources of 64 bits.
fn compute<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, inst: &InstData, s: &Sources<D>) -> Option<D::Bits> {
    let arg = |index: usize| s.bits(index);
    let a = arg(0)?;
    let number = |index: usize| inst.imm(index).map(|value| value as u32);
    Some(match opcode {
        ADDWrr | ADDXrr | ADDXrx64 => d.add(a, arg(1)?),
        SUBWrr | SUBXrr | SUBXrx64 => d.sub(a, arg(1)?),
        ADDWri | ADDXri | SUBWri | SUBXri => {
            let b = immediate(d, d.width(a), inst)?;
            if matches!(opcode, ADDWri | ADDXri) { d.add(a, &b) } else { d.sub(a, &b) }
        }
        ADDWrs | ADDXrs | SUBWrs | SUBXrs => {
            let b = shifted(d, arg(1)?, inst)?;
            if matches!(opcode, ADDWrs | ADDXrs) { d.add(a, &b) } else { d.sub(a, &b) }
        }
        ADDWrx | ADDXrx | SUBWrx | SUBXrx => {
            let b = extended_by(d, arg(1)?, d.width(a), inst.imm(3)?);
            if matches!(opcode, ADDWrx | ADDXrx) { d.add(a, &b) } else { d.sub(a, &b) }
        }
        ORRv16i8 | DUPv2i64gpr | DUPi64 | INSvi64gpr | UMOVvi64 | CNTv8i8 | UADDLVv8i8v | MOVIv2d_ns | MOVIv2i32 => {
            simd::compute(d, opcode, inst, s)?
        }
        SMADDLrrr | SMSUBLrrr | UMADDLrrr | UMSUBLrrr => {
            let wide = if matches!(opcode, SMADDLrrr | SMSUBLrrr) { D::sext } else { D::zext };
            let (a, b) = (wide(d, a, 64), wide(d, arg(1)?, 64));
            let product = d.mul(&a, &b);
            if matches!(opcode, SMADDLrrr | UMADDLrrr) { d.add(arg(2)?, &product) } else { d.sub(arg(2)?, &product) }
        }
        MADDWrrr | MADDXrrr => {
            let product = d.mul(a, arg(1)?);
            d.add(arg(2)?, &product)
        }
        MSUBWrrr | MSUBXrrr => {
            let product = d.mul(a, arg(1)?);
            d.sub(arg(2)?, &product)
        }
        UMULHrr => high(d, a, arg(1)?, D::zext),
        SMULHrr => high(d, a, arg(1)?, D::sext),
        UDIVWr | UDIVXr => divide(d, a, arg(1)?, D::udiv),
        SDIVWr | SDIVXr => divide(d, a, arg(1)?, D::sdiv),
        LSLVWr | LSLVXr => shift(d, a, arg(1)?, D::shl),
        LSRVWr | LSRVXr => shift(d, a, arg(1)?, D::lshr),
        ASRVWr | ASRVXr => shift(d, a, arg(1)?, D::ashr),
        RORVWr | RORVXr => rotate(d, a, arg(1)?),
        UBFMWri | UBFMXri => bitfield(d, a, number(2)?, number(3)?, false),
        SBFMWri | SBFMXri => bitfield(d, a, number(2)?, number(3)?, true),
        BFMWri | BFMXri => bitfield_into(d, a, arg(1)?, number(3)?, number(4)?),
        EXTRWrri | EXTRXrri => {
            let (width, low, least) = (d.width(a), arg(1)?, number(3)?);
            match least {
                0 => *low,
                _ => {
                    let (high, low) = (d.extract(a, 0, least), d.extract(low, least, width - least));
                    d.concat(&high, &low)
                }
            }
        }
        CLZWr | CLZXr => leading_zeros(d, a),
        RBITWr | RBITXr => reversed(d, a, 1),
        REVWr | REVXr => reversed(d, a, 8),
        MOVZWi | MOVZXi | MOVNWi | MOVNXi => {
            let width = if matches!(opcode, MOVZWi | MOVNWi) { 32 } else { 64 };
            let value = d.constant(Bits::new((number(1)? as u128) << number(2)?, width));
            if matches!(opcode, MOVNWi | MOVNXi) { d.not(&value) } else { value }
        }
        MOVi32imm | MOVi64imm => {
            let width = if opcode == MOVi32imm { 32 } else { 64 };
            d.literal(inst.imm(1)?, width)
        }
        MOVKWi | MOVKXi => {
            let (width, shift) = (d.width(a), number(3)?);
            let cleared = d.constant(Bits::new(!(0xffffu128 << shift), width));
            let piece = d.constant(Bits::new((number(2)? as u128) << shift, width));
            let rest = d.and(a, &cleared);
            d.or(&rest, &piece)
        }
        SUBREG_TO_REG => d.zext(arg(1)?, 64),
        _ => logical(d, opcode, inst, s)?,
    })
}

/// The twelve-bit immediate and its shift, the last two operands.
fn immediate<D: AnyDomain + ?Sized>(d: &mut D, width: u32, inst: &InstData) -> Option<D::Bits> {
    let (value, shift) = (inst.imm(2)?, inst.imm(3)?);
    Some(d.constant(Bits::new((value as u128) << shift, width)))
}

/// Bitwise operations on a register and a bitmask, a register, or a shifted register, which may be complemented.
fn logical<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, inst: &InstData, s: &Sources<D>) -> Option<D::Bits> {
    let (a, second) = (&s.values.first()?.bits, &s.values.get(1)?.bits);
    let b = match opcode {
        ANDWri | ANDXri | ORRWri | ORRXri | EORWri | EORXri | ANDSWri | ANDSXri => {
            let width = d.width(a);
            d.constant(Bits::new(decode_bitmask(inst.imm(2)?, width)?.into(), width))
        }
        ANDWrr | ANDXrr | ORRWrr | ORRXrr | EORWrr | EORXrr | ANDSWrr | ANDSXrr => *second,
        BICWrr | BICXrr | ORNWrr | ORNXrr | EONWrr | EONXrr => d.not(second),
        BICWrs | BICXrs | ORNWrs | ORNXrs | EONWrs | EONXrs => {
            let b = shifted(d, second, inst)?;
            d.not(&b)
        }
        _ => shifted(d, second, inst)?,
    };
    Some(match opcode {
        ANDWri | ANDXri | ANDWrr | ANDXrr | ANDWrs | ANDXrs | ANDSWri | ANDSXri | ANDSWrr | ANDSXrr | ANDSWrs
        | ANDSXrs | BICWrr | BICXrr | BICWrs | BICXrs => d.and(a, &b),
        ORRWri | ORRXri | ORRWrr | ORRXrr | ORRWrs | ORRXrs | ORNWrr | ORNXrr | ORNWrs | ORNXrs => d.or(a, &b),
        EORWri | EORXri | EORWrr | EORXrr | EORWrs | EORXrs | EONWrr | EONXrr | EONWrs | EONXrs => d.xor(a, &b),
        _ => return None,
    })
}

/// The second source, shifted as the operand after it says.
fn shifted<D: AnyDomain + ?Sized>(d: &mut D, value: &D::Bits, inst: &InstData) -> Option<D::Bits> {
    let by = inst.imm(3)?;
    let amount = d.literal(by & 0x3f, d.width(value));
    if by >> 6 == 3 { Some(rotate(d, value, &amount)) } else { shifted_by(d, value, by) }
}

/// One of two values by the flags; the second may be changed.
fn conditional_select<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Option<MachineEvaluation<D>> {
    let (one, second, flags) = (s.values.first()?, s.values.get(1)?, s.values.last()?);
    let condition = condition(d, inst.imm(3)?, &flags.bits)?;
    let other = Value::new(second_choice(d, opcode, &second.bits), second.poison);
    let value = chosen(d, (&condition, &flags.poison), one, &other);
    Some(MachineEvaluation { results: smallvec![value], ub: d.boolean(false), taken: None, to: None })
}

/// A result, and the flags that it sets.
fn with_flags<D: AnyDomain + ?Sized>(
    d: &mut D,
    result: D::Bits,
    flags: D::Bits,
    s: &Sources<D>,
) -> MachineEvaluation<D> {
    let mut evaluation = finish(d, result, s);
    let poison = evaluation.results[0].poison;
    evaluation.results.push(Value::new(flags, poison));
    evaluation
}

fn high<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    wide: fn(&mut D, &D::Bits, u32) -> D::Bits,
) -> D::Bits {
    let (a, b) = (wide(d, a, 128), wide(d, b, 128));
    let product = d.mul(&a, &b);
    d.extract(&product, 64, 64)
}

/// Zero for a zero divisor.
fn divide<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    f: fn(&mut D, &D::Bits, &D::Bits) -> D::Bits,
) -> D::Bits {
    let quotient = f(d, a, b);
    let (by_zero, zero) = (d.is_zero(b), d.literal(0, d.width(a)));
    d.ite(&by_zero, &zero, &quotient)
}

/// Amount modulo the width.
fn shift<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    f: fn(&mut D, &D::Bits, &D::Bits) -> D::Bits,
) -> D::Bits {
    let width = d.width(a);
    let mask = d.literal(i64::from(width) - 1, width);
    let amount = d.and(b, &mask);
    f(d, a, &amount)
}

/// To the right, by an amount modulo the width. A shift by the whole width gives zero.
fn rotate<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let (mask, whole) = (d.literal(i64::from(width) - 1, width), d.literal(width.into(), width));
    let amount = d.and(b, &mask);
    let rest = d.sub(&whole, &amount);
    let (low, high) = (d.lshr(a, &amount), d.shl(a, &rest));
    d.or(&low, &high)
}

/// Bits immr to imms moved down, or bits 0 to imms moved up by width - immr; extended.
fn bitfield<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, immr: u32, imms: u32, signed: bool) -> D::Bits {
    let width = d.width(a);
    let extend = |d: &mut D, field: &D::Bits| if signed { d.sext(field, width) } else { d.zext(field, width) };
    if imms >= immr {
        let field = d.extract(a, immr, imms - immr + 1);
        return extend(d, &field);
    }
    let (field, below) = (d.extract(a, 0, imms + 1), d.literal(0, width - immr));
    let placed = d.concat(&field, &below);
    extend(d, &placed)
}

/// Bits `immr ..= imms` of `a` at the bottom of `into`, or its low `imms + 1` bits so far up as a rotation by `immr`
/// brings them (Arm Architecture Reference Manual, `BFM`).
fn bitfield_into<D: AnyDomain + ?Sized>(d: &mut D, into: &D::Bits, a: &D::Bits, immr: u32, imms: u32) -> D::Bits {
    let width = d.width(into);
    let (from, to, bits) = match imms >= immr {
        true => (immr, 0, imms - immr + 1),
        false => (0, width - immr, imms + 1),
    };
    let mut whole = d.extract(a, from, bits);
    if to > 0 {
        let below = d.extract(into, 0, to);
        whole = d.concat(&whole, &below);
    }
    if to + bits < width {
        let above = d.extract(into, to + bits, width - to - bits);
        whole = d.concat(&above, &whole);
    }
    whole
}

fn leading_zeros<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let mut count = d.literal(i64::from(width), width);
    for index in 0..width {
        let (bit, one) = (d.extract(a, index, 1), d.literal(1, 1));
        let (set, value) = (d.eq(&bit, &one), d.literal(i64::from(width - 1 - index), width));
        count = d.ite(&set, &value, &count);
    }
    count
}

fn reversed<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, group: u32) -> D::Bits {
    let mut bits = d.extract(a, 0, group);
    for index in 1..d.width(a) / group {
        let next = d.extract(a, index * group, group);
        bits = d.concat(&bits, &next);
    }
    bits
}

/// The second source of a conditional select as the opcode changes it.
fn second_choice<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, b: &D::Bits) -> D::Bits {
    let (zero, one) = (d.literal(0, d.width(b)), d.literal(1, d.width(b)));
    match opcode {
        CSINCWr | CSINCXr => d.add(b, &one),
        CSINVWr | CSINVXr => d.not(b),
        CSNEGWr | CSNEGXr => d.sub(&zero, b),
        _ => *b,
    }
}

/// Whether a condition holds of the flags (Arm ARM, ConditionHolds).
fn condition<D: AnyDomain + ?Sized>(d: &mut D, code: i64, flags: &D::Bits) -> Option<D::Bool> {
    let mut flag = |index: u32| {
        let (bit, one) = (d.extract(flags, index, 1), d.literal(1, 1));
        d.eq(&bit, &one)
    };
    let (n, z, c, v) = (flag(3), flag(2), flag(1), flag(0));
    let base = match code >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => {
            let nonzero = d.bool_not(&z);
            d.bool_and(&c, &nonzero)
        }
        5 => same(d, &n, &v),
        6 => {
            let (equal, nonzero) = (same(d, &n, &v), d.bool_not(&z));
            d.bool_and(&equal, &nonzero)
        }
        7 => return Some(d.boolean(true)),
        _ => return None,
    };
    Some(if code & 1 == 1 { d.bool_not(&base) } else { base })
}

fn same<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bool, b: &D::Bool) -> D::Bool {
    let not_b = d.bool_not(b);
    d.bool_ite(a, b, &not_b)
}

/// Additions and subtractions that set the flags: the result, then the flags. Subtraction adds the complement and one.
fn flag_setting<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let malformed = || Unsupported::malformed("flag-setting instruction");
    let a = s.values.first().ok_or_else(malformed)?.bits;
    let b = match opcode {
        ADDSWri | ADDSXri | SUBSWri | SUBSXri => immediate(d, d.width(&a), inst).ok_or_else(malformed)?,
        ADDSWrx | ADDSXrx | SUBSWrx | SUBSXrx => {
            let source = s.values.get(1).ok_or_else(malformed)?.bits;
            extended_by(d, &source, d.width(&a), inst.imm(3).ok_or_else(malformed)?)
        }
        ADDSWrs | ADDSXrs | SUBSWrs | SUBSXrs => {
            let b = &s.values.get(1).ok_or_else(malformed)?.bits;
            shifted(d, b, inst).ok_or_else(malformed)?
        }
        _ => s.values.get(1).ok_or_else(malformed)?.bits,
    };
    let subtracts = matches!(opcode, SUBSWrr | SUBSXrr | SUBSWrx | SUBSWri | SUBSXri | SBCSWr | SBCSXr)
        || matches!(opcode, SUBSWrs | SUBSXrs | SUBSXrx);
    let carry = match opcode {
        ADCSWr | ADCSXr | SBCSWr | SBCSXr => Some(s.values.last().ok_or_else(malformed)?.bits),
        _ => None,
    };
    let (result, flags) = match (carry, subtracts) {
        (None, true) => subtraction(d, &a, &b),
        (carry, _) => {
            let b = if subtracts { d.not(&b) } else { b };
            addition(d, &a, &b, carry.as_ref())
        }
    };
    Ok(with_flags(d, result, flags, s))
}

/// Flags of a comparison, stated by comparisons: C is no borrow, and N differs from V exactly if `a` is less.
fn subtraction<D: AnyDomain + ?Sized>(d: &mut D, a: &D::Bits, b: &D::Bits) -> (D::Bits, D::Bits) {
    let result = d.sub(a, b);
    let (n, z, borrow, less) = (d.is_negative(&result), d.eq(a, b), d.ult(a, b), d.slt(a, b));
    let (c, agree) = (d.bool_not(&borrow), same(d, &n, &less));
    let v = d.bool_not(&agree);
    let flags = joined(d, [n, z, c, v]);
    (result, flags)
}

fn addition<D: AnyDomain + ?Sized>(
    d: &mut D,
    a: &D::Bits,
    b: &D::Bits,
    flags_in: Option<&D::Bits>,
) -> (D::Bits, D::Bits) {
    let width = d.width(a);
    let carry = match flags_in {
        Some(flags) => {
            let bit = d.extract(flags, 1, 1);
            d.zext(&bit, width)
        }
        None => d.literal(0, width),
    };
    let first = d.add(a, b);
    let result = d.add(&first, &carry);
    let (over1, over2) = (d.ult(&first, a), d.ult(&result, &first));
    let c = d.bool_or(&over1, &over2);
    let (left, right) = (d.xor(a, &result), d.xor(b, &result));
    let both = d.and(&left, &right);
    let (n, z, v) = (d.is_negative(&result), d.is_zero(&result), d.is_negative(&both));
    let flags = joined(d, [n, z, c, v]);
    (result, flags)
}

fn joined<D: AnyDomain + ?Sized>(d: &mut D, flags: [D::Bool; 4]) -> D::Bits {
    let [n, z, c, v] = flags.map(|flag| d.bit(&flag));
    let (high, low) = (d.concat(&n, &z), d.concat(&c, &v));
    d.concat(&high, &low)
}

fn branch<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    inst: &InstData,
    s: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let malformed = || Unsupported::malformed("branch");
    // Of a test of a bit the number of that bit is a source too.
    let is_test = matches!(opcode, TBZW | TBNZW | TBZX | TBNZX);
    let value = if is_test { s.values.first() } else { s.values.last() }.ok_or_else(malformed)?;
    let taken = match opcode {
        TBZW | TBNZW | TBZX | TBNZX => {
            let bit = d.extract(&value.bits, inst.imm(1).ok_or_else(malformed)? as u32, 1);
            let is_zero = d.is_zero(&bit);
            if matches!(opcode, TBZW | TBZX) { is_zero } else { d.bool_not(&is_zero) }
        }
        Bcc => condition(d, inst.imm(0).ok_or_else(malformed)?, &value.bits).ok_or_else(malformed)?,
        CBZW | CBZX => d.is_zero(&value.bits),
        _ => {
            let zero = d.is_zero(&value.bits);
            d.bool_not(&zero)
        }
    };
    Ok(MachineEvaluation { results: smallvec![], ub: value.poison, taken: Some(taken), to: None })
}
