//! The meaning of barriers, of operations on memory, and of exclusive accesses (Arm Architecture Reference Manual,
//! "Atomic instructions" and "Load/store exclusive").
//!
//! A row's access says how it is ordered among threads. Four bits of a word say which operation it is: the rows have
//! them already.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use crate::atomics::{self, Compared, Evaluated, MemoryOperation};
use crate::instructions::{Access, InstrDesc, OperandDesc};
use crate::meaning::{AnyDomain, MachineEvaluation};
use crate::operands::{Sources, jump_free, loaded};
use smallvec::smallvec;
use tribunal_ir::semantics::{Unsupported, Value};
use tribunal_ir::{AtomicOrdering, FencedPairs, InstData, OpcodeFlags};

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

/// The width of a status: zero for success.
const STATUS_BITS: u32 = 32;

/// The width of an access of two registers.
const PAIR_BITS: u32 = 128;

/// An operation on memory, or a store that keeps a reservation; `None` for any other load or store.
pub(super) fn evaluate<D: AnyDomain + ?Sized>(
    d: &mut D,
    (row, access): (&InstrDesc, Access),
    inst: &InstData,
    s: &Sources<D>,
) -> Option<Evaluated<D>> {
    let Some(code) = row.code else { return Some(compare_and_swap(d, access, inst, s)) };
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

/// `CLREX` gives the reservation up.
pub(super) fn clear_reservation<D: AnyDomain + ?Sized>(d: &mut D) -> Evaluated<D> {
    d.reserve(None);
    Ok(jump_free(d))
}

/// `DMB`: the low two bits say what is ordered, and those above whether all threads that share memory see it.
pub(super) fn barrier<D: AnyDomain + ?Sized>(d: &mut D, inst: &InstData) -> Evaluated<D> {
    let kind = inst.imm(0).ok_or_else(|| Unsupported::new("malformed DMB"))?;
    d.fence(match (kind >> 2, kind & 3) {
        (0 | 1, 1..) => FencedPairs::empty(),
        (_, 1) => AtomicOrdering::Acquire.fenced(),
        (_, 2) => FencedPairs::STORE_STORE,
        _ => FencedPairs::all(),
    });
    Ok(jump_free(d))
}
