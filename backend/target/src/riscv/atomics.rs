//! The meaning of fences, of operations on memory, and of reservations (RISC-V ISA manual, volume I, "A" extension).
//!
//! A row's access says how it is ordered among threads, and the pseudo-instruction of a loop takes its ordering as an
//! operand. The highest five bits of a word say which operation it is: the rows have them already.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::*;
use super::semantics::shift;
use crate::atomics::{self, Compared, Evaluated, MemoryOperation};
use crate::instructions::{Access, InstrDesc};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, jump_free, read_modify_write};
use smallvec::smallvec;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{AtomicOrdering, FencedPairs, InstData, MemFlags, OpcodeFlags, TargetOpcode};

/// The operations by the highest bits of a word.
const OPERATIONS: [(u32, MemoryOperation); 9] = [
    (0x00, MemoryOperation::Add),
    (0x01, MemoryOperation::Exchange),
    (0x04, MemoryOperation::Xor),
    (0x08, MemoryOperation::Or),
    (0x0c, MemoryOperation::And),
    (0x10, MemoryOperation::Least),
    (0x14, MemoryOperation::Greatest),
    (0x18, MemoryOperation::LeastUnsigned),
    (0x1c, MemoryOperation::GreatestUnsigned),
];

/// An operation on memory, or a store that keeps a reservation; `None` for any other load or store.
pub(super) fn evaluate<D: AnyDomain + ?Sized>(
    d: &mut D,
    (opcode, row, access): (TargetOpcode, &InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Option<Evaluated<D>> {
    let Some(code) = row.code else { return Some(reservation_loop(d, opcode, access, inst, s)) };
    if row.flags.contains(OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS) {
        return Some(s.exactly(inst).and_then(|sources| {
            let width = d.width(&sources[0].bits);
            atomics::store_conditional(d, access, inst, sources, width)
        }));
    }
    let changes = row.flags.contains(OpcodeFlags::LOAD | OpcodeFlags::STORE);
    let (_, operation) = OPERATIONS.into_iter().find(|&(number, _)| changes && number == code.word >> 27)?;
    Some(s.exactly(inst).and_then(|sources| atomics::operation(d, operation, access, inst, sources)))
}

/// `PseudoCmpXchg old, scratch, address, expected, new, ordering` compares whole registers; `PseudoAtomicLoadNand old,
/// scratch, address, value, ordering`.
fn reservation_loop<D: AnyDomain + ?Sized>(
    d: &mut D,
    opcode: TargetOpcode,
    access: Access,
    inst: &InstData,
    s: &Sources<D>,
) -> Evaluated<D> {
    let ordering = inst.operands.last().and_then(|operand| AtomicOrdering::from_number(operand.as_imm()?));
    let ordering = ordering.ok_or_else(|| Unsupported::malformed(inst.opcode))?;
    let access = access.ordered(ordering);
    if let Some(kind) = Masked::of(opcode) {
        return masked(d, kind, access, inst, s);
    }
    let [address, value] = s.exactly(inst)?;
    let width = d.width(&value.bits);
    let evaluation = match opcode {
        PseudoCmpXchg32 | PseudoCmpXchg64 => {
            let [_, expected, new] = s.exactly(inst)?;
            atomics::compare_exchange(d, Compared::Register, access, inst, [expected, new, address])
        }
        _ => atomics::operation(d, MemoryOperation::Nand, access, inst, [value, address]),
    };
    atomics::with_scratch(d, evaluation?, width)
}

/// An operation on some bits of a word: a byte or a half at its place in the word, chosen by a mask.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Masked {
    Exchange,
    Add,
    Subtract,
    Nand,
    CompareExchange,
    /// The greater or the lesser, of signed readings or of unsigned ones.
    Extremum(MemoryOperation),
}

impl Masked {
    fn of(opcode: TargetOpcode) -> Option<Masked> {
        use MemoryOperation::{Greatest, GreatestUnsigned, Least, LeastUnsigned};
        Some(match opcode {
            PseudoMaskedAtomicSwap32 => Masked::Exchange,
            PseudoMaskedAtomicLoadAdd32 => Masked::Add,
            PseudoMaskedAtomicLoadSub32 => Masked::Subtract,
            PseudoMaskedAtomicLoadNand32 => Masked::Nand,
            PseudoMaskedCmpXchg32 => Masked::CompareExchange,
            PseudoMaskedAtomicLoadMax32 => Masked::Extremum(Greatest),
            PseudoMaskedAtomicLoadMin32 => Masked::Extremum(Least),
            PseudoMaskedAtomicLoadUMax32 => Masked::Extremum(GreatestUnsigned),
            PseudoMaskedAtomicLoadUMin32 => Masked::Extremum(LeastUnsigned),
            _ => return None,
        })
    }
}

/// `OPCODE old, scratch.., address, value, mask, ordering`. A signed extremum has the amount that brings the part's
/// sign to the top after the mask. `PseudoMaskedCmpXchg32` has the expected value before the new one. Bits outside of
/// the mask stay.
fn masked<D: AnyDomain + ?Sized>(
    d: &mut D,
    kind: Masked,
    access: Access,
    inst: &InstData,
    s: &Sources<D>,
) -> Evaluated<D> {
    let [address, first, second] = s.exactly(inst)?;
    let mut others = vec![first, second];
    let (value, mask) = match kind {
        Masked::CompareExchange => {
            let [.., new, mask] = s.exactly::<4>(inst)?;
            others.push(mask);
            (new, mask)
        }
        _ => (first, second),
    };
    let amount = match kind {
        Masked::Extremum(MemoryOperation::Greatest | MemoryOperation::Least) => {
            let [.., amount] = s.exactly::<4>(inst)?;
            others.push(amount);
            Some(amount.bits)
        }
        _ => None,
    };
    let width = d.width(&value.bits);
    let mut poison = d.boolean(false);
    for other in &others {
        poison = d.bool_or(&poison, &other.poison);
    }
    let update = |d: &mut D, old: &Value<D>| {
        let whole = d.sext(&old.bits, width);
        let part = d.and(&whole, &mask.bits);
        let new = kind.applied(d, [&whole, &part], [&first.bits, &value.bits], amount.as_ref());
        let changes = d.xor(&whole, &new);
        let changed = d.and(&changes, &mask.bits);
        let bits = d.xor(&whole, &changed);
        Value::new(d.extract(&bits, 0, access.bits()), d.bool_or(&old.poison, &poison))
    };
    let both = MemFlags::LOAD | MemFlags::STORE;
    let (old, ub) = read_modify_write(d, (access, both), &atomics::repeated(inst, access), address, update)?;
    let result = Value::new(d.sext(&old.bits, width), old.poison);
    let evaluation = MachineEvaluation { results: smallvec![result], ub, taken: None, to: None };
    let evaluation = atomics::with_scratch(d, evaluation, width)?;
    match kind {
        Masked::Extremum(_) => atomics::with_scratch(d, evaluation, width),
        _ => Ok(evaluation),
    }
}

impl Masked {
    /// The word whose masked bits are the new ones, given the old word, its masked part, and the operands.
    fn applied<D: AnyDomain + ?Sized>(
        self,
        d: &mut D,
        [whole, part]: [&D::Bits; 2],
        [expected, value]: [&D::Bits; 2],
        amount: Option<&D::Bits>,
    ) -> D::Bits {
        match self {
            Masked::Exchange => *value,
            Masked::Add => d.add(whole, value),
            Masked::Subtract => d.sub(whole, value),
            Masked::Nand => {
                let both = d.and(whole, value);
                d.not(&both)
            }
            Masked::CompareExchange => {
                let equal = d.eq(part, expected);
                d.ite(&equal, value, whole)
            }
            Masked::Extremum(operation) => {
                let signed = |d: &mut D, amount: &D::Bits| {
                    let top = shift(d, part, amount, D::shl);
                    shift(d, &top, amount, D::ashr)
                };
                let part = amount.map_or(*part, |amount| signed(d, amount));
                let changes = match operation {
                    MemoryOperation::Greatest => d.slt(&part, value),
                    MemoryOperation::Least => d.slt(value, &part),
                    MemoryOperation::GreatestUnsigned => d.ult(&part, value),
                    _ => d.ult(value, &part),
                };
                d.ite(&changes, value, whole)
            }
        }
    }
}

/// The pairs between two kinds of accesses, of which 2 reads and 1 writes.
fn pairs(before: i64, after: i64) -> FencedPairs {
    let all = [
        (2, 2, FencedPairs::LOAD_LOAD),
        (2, 1, FencedPairs::LOAD_STORE),
        (1, 2, FencedPairs::STORE_LOAD),
        (1, 1, FencedPairs::STORE_STORE),
    ];
    all.into_iter().filter(|(one, other, _)| before & one != 0 && after & other != 0).map(|(.., pair)| pair).collect()
}

pub(super) fn fence<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, inst: &InstData) -> Evaluated<D> {
    match opcode {
        FENCE => {
            let malformed = || Unsupported::malformed("FENCE");
            let (before, after) = (inst.imm(0).ok_or_else(malformed)?, inst.imm(1).ok_or_else(malformed)?);
            if (before | after) & !3 != 0 {
                return Err(Unsupported::new("a fence of accesses to devices"));
            }
            d.fence(pairs(before, after));
        }
        FENCE_TSO => d.fence(AtomicOrdering::AcquireRelease.fenced()),
        // It keeps a compiler from reordering, and is no code.
        _ => d.fence(FencedPairs::empty()),
    }
    Ok(jump_free(d))
}
