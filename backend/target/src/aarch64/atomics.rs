//! The meaning of barriers, of operations on memory, and of exclusive accesses (Arm Architecture Reference Manual,
//! "Atomic instructions" and "Load/store exclusive").
//!
//! A row's access says how it is ordered among threads. Four bits of a word say which operation it is: the rows have
//! them already.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::*;
use crate::atomics::{self, Compared, Evaluated, MemoryOperation};
use crate::instructions::{Access, InstrDesc, OperandDesc};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, jump_free, loaded};
use smallvec::smallvec;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{AtomicOrdering, FencedPairs, InstData, OpcodeFlags, TargetOpcode};

/// The operations by bits 12 to 15 of a word.
const OPERATIONS: [(u32, MemoryOperation); 9] = [
    (0, MemoryOperation::Add),
    (1, MemoryOperation::Clear),
    (2, MemoryOperation::Xor),
    (3, MemoryOperation::Or),
    (4, MemoryOperation::Greatest),
    (5, MemoryOperation::Least),
    (6, MemoryOperation::GreatestUnsigned),
    (7, MemoryOperation::LeastUnsigned),
    (8, MemoryOperation::Exchange),
];

/// The operations of loops, beside the pseudo-instruction of each size.
const LOOPS: [([TargetOpcode; 4], MemoryOperation); 5] = [
    ([ATOMIC_LOAD_NAND_8, ATOMIC_LOAD_NAND_16, ATOMIC_LOAD_NAND_32, ATOMIC_LOAD_NAND_64], MemoryOperation::Nand),
    ([ATOMIC_LOAD_MAX_8, ATOMIC_LOAD_MAX_16, ATOMIC_LOAD_MAX_32, ATOMIC_LOAD_MAX_64], MemoryOperation::Greatest),
    ([ATOMIC_LOAD_MIN_8, ATOMIC_LOAD_MIN_16, ATOMIC_LOAD_MIN_32, ATOMIC_LOAD_MIN_64], MemoryOperation::Least),
    (
        [ATOMIC_LOAD_UMAX_8, ATOMIC_LOAD_UMAX_16, ATOMIC_LOAD_UMAX_32, ATOMIC_LOAD_UMAX_64],
        MemoryOperation::GreatestUnsigned,
    ),
    (
        [ATOMIC_LOAD_UMIN_8, ATOMIC_LOAD_UMIN_16, ATOMIC_LOAD_UMIN_32, ATOMIC_LOAD_UMIN_64],
        MemoryOperation::LeastUnsigned,
    ),
];

/// The width of a status: zero for success.
const STATUS_BITS: u32 = 32;

/// The width of an access of two registers.
const PAIR_BITS: u32 = 128;

/// An operation on memory, or a store that keeps a reservation; `None` for any other load or store.
pub(super) fn evaluate<D: AnyDomain + ?Sized>(
    d: &mut D,
    (opcode, row, access): (TargetOpcode, &InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Option<Evaluated<D>> {
    let Some(code) = row.code else {
        let looped = LOOPS.into_iter().find(|(opcodes, _)| opcodes.contains(&opcode));
        return Some(match looped {
            Some((_, operation)) => operation_loop(d, operation, (row, access), inst, s),
            None => compare_and_swap(d, access, inst, s),
        });
    };
    if access.bits() == PAIR_BITS && row.flags.contains(OpcodeFlags::SIDE_EFFECTS) {
        return Some(pair(d, (row, access), inst, s));
    }
    if row.flags.contains(OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS) {
        let sources = s.exactly(inst);
        return Some(sources.and_then(|sources| atomics::store_conditional(d, access, inst, sources, STATUS_BITS)));
    }
    row.flags.contains(OpcodeFlags::LOAD | OpcodeFlags::STORE).then_some(())?;
    if row.operands.iter().any(|desc| matches!(desc, OperandDesc::Tied { .. })) {
        let sources = s.exactly(inst);
        return Some(sources.and_then(|sources| atomics::compare_exchange(d, Compared::Access, access, inst, sources)));
    }
    let (_, operation) = OPERATIONS.into_iter().find(|(number, _)| *number == code.word >> 12 & 0xf)?;
    Some(s.exactly(inst).and_then(|sources| atomics::operation(d, operation, access, inst, sources)))
}

/// An exclusive access of two registers, the lower half first.
fn pair<D: AnyDomain + ?Sized>(
    d: &mut D,
    (row, access): (&InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Evaluated<D> {
    if row.flags.contains(OpcodeFlags::STORE) {
        let [low, high, address] = s.exactly(inst)?;
        let poison = d.bool_or(&low.poison, &high.poison);
        let value = Value::new(d.concat(&high.bits, &low.bits), poison);
        return atomics::store_conditional(d, access, inst, [&value, address], STATUS_BITS);
    }
    let [address] = s.exactly(inst)?;
    let (value, ub) = loaded(d, access, inst, address)?;
    d.reserve(Some((&address.bits, access.bytes.into())));
    let half = PAIR_BITS / 2;
    let low = Value::new(d.extract(&value.bits, 0, half), value.poison);
    let high = Value::new(d.extract(&value.bits, half, half), value.poison);
    Ok(MachineEvaluation { results: smallvec![low, high], ub, taken: None, to: None })
}

/// `CMP_SWAP old, status, address, expected, new`: a loop, which leaves anything in its status and in the flags.
fn compare_and_swap<D: AnyDomain + ?Sized>(d: &mut D, access: Access, inst: &InstData, s: &Sources<D>) -> Evaluated<D> {
    let [address, expected, new] = s.exactly(inst)?;
    let sources = [expected, new, address];
    let evaluation = atomics::compare_exchange(d, Compared::Access, access, inst, sources)?;
    let mut evaluation = atomics::with_scratch(d, evaluation, STATUS_BITS)?;
    evaluation.results.push(Value::new(d.choose(4), d.boolean(false)));
    Ok(evaluation)
}

/// `ATOMIC_LOAD_MAX old, new, status, address, value` and its like: a loop, which leaves anything in its status, in the
/// register for the new value, and in the flags if it compares.
fn operation_loop<D: AnyDomain + ?Sized>(
    d: &mut D,
    operation: MemoryOperation,
    (row, access): (&InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Evaluated<D> {
    let [address, value] = s.exactly(inst)?;
    let evaluation = atomics::operation(d, operation, access, inst, [value, address])?;
    let evaluation = atomics::with_scratch(d, evaluation, d.width(&value.bits))?;
    let mut evaluation = atomics::with_scratch(d, evaluation, STATUS_BITS)?;
    for _ in row.implicit_defs {
        evaluation.results.push(Value::new(d.choose(4), d.boolean(false)));
    }
    Ok(evaluation)
}

/// `DMB`: the low two bits say what is ordered, and those above whether all threads that share memory see it. `CLREX`
/// gives the reservation up. A barrier of the compiler is no code.
pub(super) fn ordering<D: AnyDomain + ?Sized>(d: &mut D, opcode: TargetOpcode, inst: &InstData) -> Evaluated<D> {
    match opcode {
        CLREX => d.reserve(None),
        MEMBARRIER => d.fence(FencedPairs::empty()),
        _ => {
            let kind = inst.imm(0).ok_or_else(|| Unsupported::malformed("DMB"))?;
            d.fence(match (kind >> 2, kind & 3) {
                (0 | 1, 1..) => FencedPairs::empty(),
                (_, 1) => AtomicOrdering::Acquire.fenced(),
                (_, 2) => FencedPairs::STORE_STORE,
                _ => FencedPairs::all(),
            });
        }
    }
    Ok(jump_free(d))
}
