//! The meaning of the few intrinsics that have one here: addresses of thread-local variables, the atomic accesses that
//! LLVM's AtomicExpand writes for machines that reserve addresses, and the accesses that its vectorizers write for data
//! in turns.
//!
//! An intrinsic determines its operands, so each definition checks its own. A `llvm.riscv.masked` operation changes the
//! bits of a mask in an aligned word, and takes its ordering as its last operand. Its memory operand only says
//! `volatile`. The pseudo-instruction that LLVM makes of each defines it (`RISCVExpandAtomicPseudoInsts`). One of
//! `llvm.aarch64` loads with zeros above, or stores unless the reservation is lost: zero is success. One of a pair of
//! registers has the lower half first.
//!
//! Invariant: judges run one thread, so a thread-local variable has one address.

use super::opcodes::{Evaluation, Operation, Unsupported, malformed};
use super::{Domain, Memory, Value, vectors};
use crate::function::Function;
use crate::inst::InstData;
use crate::memory::{MemFlags, MemOperand};
use crate::operand::Operand;
use crate::ordering::AtomicOrdering;
use crate::types::Type;
use smallvec::smallvec;

/// An intrinsic with a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IntrinsicMeaning {
    ThreadLocalAddress,
    Masked(MaskedOperation),
    LoadExclusive(AtomicOrdering),
    LoadExclusivePair(AtomicOrdering),
    StoreExclusive(AtomicOrdering),
    StoreExclusivePair(AtomicOrdering),
    /// Vectors whose elements lie in memory by turns.
    LoadInterleaved,
    /// The same, stored.
    StoreInterleaved,
    /// Elements shifted up, over those of another vector: the bits below stay.
    ShiftLeftInsert,
    /// Elements shifted down: the bits above stay.
    ShiftRightInsert,
    /// Gives up a reservation: no value is computed.
    ClearExclusive,
}

/// An operation on the bits of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MaskedOperation {
    Exchange,
    Add,
    Subtract,
    Nand,
    Greatest,
    Least,
    GreatestUnsigned,
    LeastUnsigned,
    CompareExchange,
}

/// By name.
const MEANINGS: [(&str, IntrinsicMeaning); 27] = [
    ("llvm.threadlocal.address", IntrinsicMeaning::ThreadLocalAddress),
    ("llvm.riscv.masked.atomicrmw.xchg", IntrinsicMeaning::Masked(MaskedOperation::Exchange)),
    ("llvm.riscv.masked.atomicrmw.add", IntrinsicMeaning::Masked(MaskedOperation::Add)),
    ("llvm.riscv.masked.atomicrmw.sub", IntrinsicMeaning::Masked(MaskedOperation::Subtract)),
    ("llvm.riscv.masked.atomicrmw.nand", IntrinsicMeaning::Masked(MaskedOperation::Nand)),
    ("llvm.riscv.masked.atomicrmw.max", IntrinsicMeaning::Masked(MaskedOperation::Greatest)),
    ("llvm.riscv.masked.atomicrmw.min", IntrinsicMeaning::Masked(MaskedOperation::Least)),
    ("llvm.riscv.masked.atomicrmw.umax", IntrinsicMeaning::Masked(MaskedOperation::GreatestUnsigned)),
    ("llvm.riscv.masked.atomicrmw.umin", IntrinsicMeaning::Masked(MaskedOperation::LeastUnsigned)),
    ("llvm.riscv.masked.cmpxchg", IntrinsicMeaning::Masked(MaskedOperation::CompareExchange)),
    ("llvm.aarch64.ldxr", IntrinsicMeaning::LoadExclusive(AtomicOrdering::NotAtomic)),
    ("llvm.aarch64.ldaxr", IntrinsicMeaning::LoadExclusive(AtomicOrdering::Acquire)),
    ("llvm.aarch64.stxr", IntrinsicMeaning::StoreExclusive(AtomicOrdering::NotAtomic)),
    ("llvm.aarch64.stlxr", IntrinsicMeaning::StoreExclusive(AtomicOrdering::Release)),
    ("llvm.aarch64.ldxp", IntrinsicMeaning::LoadExclusivePair(AtomicOrdering::NotAtomic)),
    ("llvm.aarch64.ldaxp", IntrinsicMeaning::LoadExclusivePair(AtomicOrdering::Acquire)),
    ("llvm.aarch64.stxp", IntrinsicMeaning::StoreExclusivePair(AtomicOrdering::NotAtomic)),
    ("llvm.aarch64.stlxp", IntrinsicMeaning::StoreExclusivePair(AtomicOrdering::Release)),
    ("llvm.aarch64.clrex", IntrinsicMeaning::ClearExclusive),
    ("llvm.aarch64.neon.ld2", IntrinsicMeaning::LoadInterleaved),
    ("llvm.aarch64.neon.ld3", IntrinsicMeaning::LoadInterleaved),
    ("llvm.aarch64.neon.ld4", IntrinsicMeaning::LoadInterleaved),
    ("llvm.aarch64.neon.vsli", IntrinsicMeaning::ShiftLeftInsert),
    ("llvm.aarch64.neon.vsri", IntrinsicMeaning::ShiftRightInsert),
    ("llvm.aarch64.neon.st2", IntrinsicMeaning::StoreInterleaved),
    ("llvm.aarch64.neon.st3", IntrinsicMeaning::StoreInterleaved),
    ("llvm.aarch64.neon.st4", IntrinsicMeaning::StoreInterleaved),
];

/// The meaning of the intrinsic that an instruction names.
pub(super) fn meaning(function: &Function, inst: &InstData) -> Result<IntrinsicMeaning, Unsupported> {
    let name = inst.operands.iter().find_map(|operand| match operand {
        Operand::Intrinsic(name) => function.symbols.get(*name),
        _ => None,
    });
    let name = name.ok_or_else(|| malformed(inst))?;
    let known = MEANINGS.iter().find(|(own, _)| own == name).map(|&(_, meaning)| meaning);
    known.ok_or_else(|| Unsupported::new(format!("{} {name}", inst.opcode)))
}

/// Evaluates an intrinsic on `op.args`.
pub(super) fn evaluate<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    meaning: IntrinsicMeaning,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    match (meaning, op.defs, op.args) {
        (IntrinsicMeaning::ThreadLocalAddress, [def], [address]) if def.bits() == op.uses[0].bits() => {
            Ok(Evaluation { results: smallvec![address.clone()], ub: d.boolean(false) })
        }
        (IntrinsicMeaning::Masked(operation), [def], [address, ..]) => {
            let first = op.uses.first().is_some_and(|ty| ty.is_pointer());
            let rest = op.uses.iter().skip(1).all(|ty| ty.bits() == def.bits() && !ty.is_pointer());
            match first && rest && def.bits() >= WORD_BITS {
                true => masked(d, memory, operation, op, address),
                false => Err(malformed(op.inst)),
            }
        }
        (IntrinsicMeaning::LoadExclusive(ordering), [def], [address]) if op.uses[0].is_pointer() => {
            let (operand, bits) = access(op, ordering)?;
            if bits > def.bits() {
                return Err(malformed(op.inst));
            }
            let (value, outside) = memory.load(d, &address.bits, bits / 8, &operand);
            memory.reserve(d, Some((&address.bits, bits / 8)));
            let result = Value::new(d.zext(&value.bits, def.bits()), value.poison);
            let ub = d.bool_or(&outside, &address.poison);
            Ok(Evaluation { results: smallvec![result], ub })
        }
        (IntrinsicMeaning::LoadExclusivePair(ordering), [low, high], [address]) if op.uses[0].is_pointer() => {
            load_exclusive_pair(d, memory, op, ordering, ([*low, *high], address))
        }
        (IntrinsicMeaning::StoreExclusive(ordering), [_], [value, address]) if op.uses[1].is_pointer() => {
            store_exclusive(d, memory, op, ordering, [value, address])
        }
        (IntrinsicMeaning::StoreExclusivePair(ordering), [_], [low, high, address]) if op.uses[2].is_pointer() => {
            let poison = d.bool_or(&low.poison, &high.poison);
            let value = Value::new(d.concat(&high.bits, &low.bits), poison);
            store_exclusive(d, memory, op, ordering, [&value, address])
        }
        (IntrinsicMeaning::LoadInterleaved, [_, ..], [_]) => vectors::load_interleaved(d, memory, op),
        (IntrinsicMeaning::StoreInterleaved, [], [_, .., _]) => vectors::store_interleaved(d, memory, op),
        (IntrinsicMeaning::ShiftLeftInsert | IntrinsicMeaning::ShiftRightInsert, [_], [_, _]) => {
            let up = meaning == IntrinsicMeaning::ShiftLeftInsert;
            let way = if up { vectors::ShiftWay::Up } else { vectors::ShiftWay::Down };
            let value = vectors::shifted_into(d, op, way)?;
            Ok(Evaluation { results: smallvec![value], ub: d.boolean(false) })
        }
        (IntrinsicMeaning::ClearExclusive, [], []) => {
            memory.reserve(d, None);
            Ok(Evaluation { results: smallvec![], ub: d.boolean(false) })
        }
        _ => Err(malformed(op.inst)),
    }
}

/// The bits of the word that a masked operation reads and writes.
const WORD_BITS: u32 = 32;

/// The only memory operand, with this ordering if it orders anything, and the size of its access in bits.
fn access<D: Domain>(op: &Operation<'_, D>, ordering: AtomicOrdering) -> Result<(MemOperand, u32), Unsupported> {
    let [operand] = op.inst.memory.as_slice() else { return Err(malformed(op.inst)) };
    let bits = operand.ty.map(Type::bits).filter(|bits| bits.is_power_of_two() && (8..=128).contains(bits));
    let bits = bits.ok_or_else(|| malformed(op.inst))?;
    let ordering = if ordering.fenced().is_empty() { operand.ordering } else { ordering };
    Ok((MemOperand { ordering, ..*operand }, bits))
}

/// The lower half of what is read, and the upper one.
fn load_exclusive_pair<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
    ordering: AtomicOrdering,
    (halves, address): ([Type; 2], &Value<D>),
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = access(op, ordering)?;
    if halves.iter().any(|half| 2 * half.bits() != bits) {
        return Err(malformed(op.inst));
    }
    let (value, outside) = memory.load(d, &address.bits, bits / 8, &operand);
    memory.reserve(d, Some((&address.bits, bits / 8)));
    let half = |d: &mut D, index| Value::new(d.extract(&value.bits, index * bits / 2, bits / 2), value.poison.clone());
    let results = smallvec![half(d, 0), half(d, 1)];
    Ok(Evaluation { results, ub: d.bool_or(&outside, &address.poison) })
}

/// An access that both reads and writes, or fails. LLVM calls it volatile so that nothing moves it; a machine may make
/// it several times, or not at all.
fn repeated((operand, bits): (MemOperand, u32)) -> (MemOperand, u32) {
    let flags = (operand.flags | MemFlags::LOAD | MemFlags::STORE).difference(MemFlags::VOLATILE);
    (MemOperand { flags, ..operand }, bits)
}

/// The value stays if the reservation is lost.
fn store_exclusive<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
    ordering: AtomicOrdering,
    [value, address]: [&Value<D>; 2],
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = repeated(access(op, ordering)?);
    if bits > d.width(&value.bits) {
        return Err(malformed(op.inst));
    }
    let (old, unreadable) = memory.load(d, &address.bits, bits / 8, &operand);
    let fails = memory.loses_reservation(d, &address.bits, bits / 8);
    let (stored, low) = (d.is_zero(&fails), d.extract(&value.bits, 0, bits));
    let new = Value::new(d.ite(&stored, &low, &old.bits), d.bool_ite(&stored, &value.poison, &old.poison));
    let unwritable = memory.store(d, &address.bits, &new, &operand);
    let outside = d.bool_or(&unreadable, &unwritable);
    let ub = d.bool_or(&outside, &address.poison);
    let status = Value::new(d.zext(&fails, op.width()), d.boolean(false));
    Ok(Evaluation { results: smallvec![status], ub })
}

/// The old word, extended with its sign; bits outside of the mask stay in memory.
fn masked<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    operation: MaskedOperation,
    op: &Operation<'_, D>,
    address: &Value<D>,
) -> Result<Evaluation<D>, Unsupported> {
    use MaskedOperation::{CompareExchange, Greatest, Least};
    let (expected, value, mask, amount) = match (operation, &op.args[1..]) {
        (CompareExchange, [expected, value, mask]) => (Some(expected), value, mask, None),
        (Greatest | Least, [value, mask, amount]) => (None, value, mask, Some(amount)),
        (CompareExchange | Greatest | Least, _) => return Err(malformed(op.inst)),
        (_, [value, mask]) => (None, value, mask, None),
        _ => return Err(malformed(op.inst)),
    };
    let ordering = op.imm().and_then(AtomicOrdering::from_number).ok_or_else(|| malformed(op.inst))?;
    let (operand, bits) = repeated(access(op, ordering)?);
    if bits != WORD_BITS {
        return Err(malformed(op.inst));
    }
    let (old, unreadable) = memory.load(d, &address.bits, WORD_BITS / 8, &operand);
    let whole = d.sext(&old.bits, op.width());
    let mut part = d.and(&whole, &mask.bits);
    if let Some(amount) = amount {
        // A machine's shift: the amount counts modulo the width.
        let below = d.literal(i64::from(op.width()) - 1, op.width());
        let amount = d.and(&amount.bits, &below);
        let top = d.shl(&part, &amount);
        part = d.ashr(&top, &amount);
    }
    let expected_bits = expected.map(|expected| &expected.bits);
    let new = changed(d, operation, [&whole, &part, &value.bits], expected_bits);
    let differs = d.xor(&whole, &new);
    let kept = d.and(&differs, &mask.bits);
    let word = d.xor(&whole, &kept);
    let mut poison = old.poison.clone();
    for operand in &op.args[1..] {
        poison = d.bool_or(&poison, &operand.poison);
    }
    let new = Value::new(d.extract(&word, 0, WORD_BITS), poison);
    let unwritable = memory.store(d, &address.bits, &new, &operand);
    let outside = d.bool_or(&unreadable, &unwritable);
    let ub = d.bool_or(&outside, &address.poison);
    Ok(Evaluation { results: smallvec![Value::new(whole, old.poison)], ub })
}

/// The word whose masked bits are the new ones, given the old word, its part as it is compared, and the value.
fn changed<D: Domain>(
    d: &mut D,
    operation: MaskedOperation,
    [whole, part, value]: [&D::Bits; 3],
    expected: Option<&D::Bits>,
) -> D::Bits {
    let replaces = match operation {
        MaskedOperation::Exchange => return value.clone(),
        MaskedOperation::Add => return d.add(whole, value),
        MaskedOperation::Subtract => return d.sub(whole, value),
        MaskedOperation::Nand => {
            let both = d.and(whole, value);
            return d.not(&both);
        }
        MaskedOperation::CompareExchange => d.eq(part, expected.unwrap_or(value)),
        MaskedOperation::Greatest => d.slt(part, value),
        MaskedOperation::Least => d.slt(value, part),
        MaskedOperation::GreatestUnsigned => d.ult(part, value),
        MaskedOperation::LeastUnsigned => d.ult(value, part),
    };
    d.ite(&replaces, value, whole)
}
