//! The meaning of fences, of operations on memory, and of reservations (RISC-V ISA manual, volume I, "A" extension).
//!
//! A row's access says how it is ordered among threads, and the pseudo-instruction of a loop takes its ordering as an
//! operand. The highest five bits of a word say which operation it is: the rows have them already.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::*;
use crate::atomics::{self, Compared, Evaluated, MemoryOperation};
use crate::instructions::{Access, InstrDesc};
use crate::meaning::AnyDomain;
use crate::operands::{Sources, jump_free};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{AtomicOrdering, FencedPairs, InstData, OpcodeFlags, TargetOpcode};

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
    let ordering = ordering.ok_or_else(|| Unsupported::new(format!("malformed {}", inst.opcode)))?;
    let access = access.ordered(ordering);
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
            let malformed = || Unsupported::new("malformed FENCE");
            let (before, after) = (inst.imm(0).ok_or_else(malformed)?, inst.imm(1).ok_or_else(malformed)?);
            if (before | after) & !3 != 0 {
                return Err(Unsupported::new("a fence of accesses to devices"));
            }
            d.fence(pairs(before, after));
        }
        FENCE_TSO => d.fence(AtomicOrdering::AcquireRelease.fenced()),
        // It keeps a compiler from reordering, and is no code.
        _ => {}
    }
    Ok(jump_free(d))
}
