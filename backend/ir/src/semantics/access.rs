//! The meaning of loads, stores, fences, and of operations that read, change and write in one, on any [`Memory`].

use super::opcodes::{Evaluation, Operation, Unsupported, malformed};
use super::{Domain, Memory, Value};
use crate::bits::{Bits, MAX_BITS};
use crate::memory::MemOperand;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::ordering::{AtomicOrdering, FencedPairs, SyncScope};
use smallvec::{SmallVec, smallvec};
use tribunal_llvm::IntegerRange;

/// The memory operand, and the size of its access in bits.
fn described<D: Domain>(op: &Operation<'_, D>) -> Result<(MemOperand, u32), Unsupported> {
    let [operand] = op.inst.memory.as_slice() else { return Err(malformed(op.inst)) };
    let bits = operand.ty.ok_or_else(|| malformed(op.inst))?.bits();
    match (1..=MAX_BITS).contains(&bits) {
        true => Ok((*operand, bits)),
        false => Err(Unsupported::new(format!("access wider than {MAX_BITS} bits"))),
    }
}

/// `G_LOAD` (bits above the access are a nondeterministic choice), `G_ZEXTLOAD`, `G_SEXTLOAD`.
pub(super) fn load<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
    address: &Value<D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = described(op)?;
    let width = op.width();
    if bits > width {
        return Err(malformed(op.inst));
    }
    let (value, undefined) = memory.load(d, &address.bits, bits.div_ceil(8), &operand);
    // An access of no whole number of bytes reads the bytes that a store of that size wrote, which left zeros above. To
    // read anything else is undefined (LangRef, `load`).
    let low = d.extract(&value.bits, 0, bits);
    let mut poison = value.poison;
    if !bits.is_multiple_of(8) {
        let above = d.extract(&value.bits, bits, bits.next_multiple_of(8) - bits);
        let clear = d.is_zero(&above);
        let foreign = d.bool_not(&clear);
        poison = d.bool_or(&poison, &foreign);
    }
    let outside_range = outside(d, &low, op.range);
    poison = d.bool_or(&poison, &outside_range);
    let result = match op.inst.opcode {
        _ if bits == width => low,
        Opcode::G_ZEXTLOAD | Opcode::G_INDEXED_ZEXTLOAD => d.zext(&low, width),
        Opcode::G_SEXTLOAD | Opcode::G_INDEXED_SEXTLOAD => d.sext(&low, width),
        _ => {
            let high = d.choose(width - bits);
            d.concat(&high, &low)
        }
    };
    let ub = d.bool_or(&undefined, &address.poison);
    Ok(Evaluation { results: smallvec![Value::new(result, poison)], ub })
}

/// True for a value in none of the ranges, if there are any of its width (LangRef, `range` metadata).
fn outside<D: Domain>(d: &mut D, value: &D::Bits, ranges: &[IntegerRange]) -> D::Bool {
    let width = d.width(value);
    let mut outside = d.boolean(!ranges.is_empty() && ranges.iter().all(|range| range.width == width));
    for range in ranges.iter().filter(|range| range.width == width) {
        let first = Bits::new(range.first as u128, width);
        let (first, length) = (d.constant(first), d.constant(Bits::new(range.end as u128, width).sub(first)));
        let distance = d.sub(value, &first);
        let within = d.ult(&distance, &length);
        let without = d.bool_not(&within);
        outside = d.bool_and(&outside, &without);
    }
    outside
}

/// `G_STORE`: the low bits of the value; zeros complete the last byte.
pub(super) fn store<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
    address: &Value<D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = described(op)?;
    let value = &op.args[0];
    if bits > d.width(&value.bits) {
        return Err(malformed(op.inst));
    }
    let low = d.extract(&value.bits, 0, bits);
    let whole = d.zext(&low, bits.div_ceil(8) * 8);
    let value = Value { bits: whole, ..value.clone() };
    let outside = memory.store(d, &address.bits, &value, &operand);
    let ub = d.bool_or(&outside, &address.poison);
    Ok(Evaluation { results: SmallVec::new(), ub })
}

/// `G_INDEXED_LOAD` and its like: a load or a store, and the base stepped by the offset, which wraps. The immediate
/// says whether the access is at the stepped address or at the base (LLVM's `GenericOpcodes.td`).
pub(super) fn indexed<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let is_store = op.inst.opcode == Opcode::G_INDEXED_STORE;
    let [base, offset] = &op.args[usize::from(is_store)..] else { return Err(malformed(op.inst)) };
    let Some(&Operand::Imm(before)) = op.inst.operands.last() else { return Err(malformed(op.inst)) };
    let step = d.sext_or_trunc(&offset.bits, d.width(&base.bits));
    let stepped = Value::new(d.add(&base.bits, &step), d.bool_or(&base.poison, &offset.poison));
    let address = if before != 0 { &stepped } else { base };
    let mut evaluation = match is_store {
        true => store(d, memory, op, address)?,
        false => load(d, memory, op, address)?,
    };
    evaluation.results.push(stepped);
    Ok(evaluation)
}

/// `G_FENCE`: nothing in one thread, and nothing at all if it orders that thread alone.
pub(super) fn fence<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let [Operand::Imm(ordering), Operand::Imm(scope)] = op.inst.operands.as_slice() else {
        return Err(malformed(op.inst));
    };
    let ordering = AtomicOrdering::from_number(*ordering).ok_or_else(|| malformed(op.inst))?;
    match *scope {
        scope if scope == SyncScope::SingleThread.number() => memory.fence(d, FencedPairs::empty()),
        scope if scope == SyncScope::System.number() => memory.fence(d, ordering.fenced()),
        _ => return Err(Unsupported::new("a fence among some threads")),
    }
    Ok(Evaluation { results: SmallVec::new(), ub: d.boolean(false) })
}

/// A compare-and-exchange, or an operation on memory: the old value is the result. Bits of it above the access are a
/// nondeterministic choice, and those of the operands count for nothing.
pub(super) fn read_modify_write<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, bits) = described(op)?;
    let width = op.width();
    if bits > width || !bits.is_multiple_of(8) {
        return Err(malformed(op.inst));
    }
    let address = &op.args[0];
    let (old, unreadable) = memory.load(d, &address.bits, bits / 8, &operand);
    let low = |d: &mut D, value: &Value<D>| Value::new(d.extract(&value.bits, 0, bits), value.poison.clone());
    let mut success = None;
    let new = if op.inst.opcode.info().is_some_and(|info| info.fails()) {
        let (expected, new) = (low(d, &op.args[1]), low(d, &op.args[2]));
        let equal = d.eq(&old.bits, &expected.bits);
        let unknown = d.bool_or(&old.poison, &expected.poison);
        success = Some((equal.clone(), unknown.clone()));
        let stored = d.bool_ite(&equal, &new.poison, &old.poison);
        Value::new(d.ite(&equal, &new.bits, &old.bits), d.bool_or(&unknown, &stored))
    } else {
        let value = low(d, &op.args[1]);
        updated(d, op.inst.opcode, &old, value).ok_or_else(|| Unsupported::new(op.inst.opcode.to_string()))?
    };
    let unwritable = memory.store(d, &address.bits, &new, &operand);
    let outside = d.bool_or(&unreadable, &unwritable);
    let ub = d.bool_or(&outside, &address.poison);
    let result = if bits == width {
        old.bits
    } else {
        let high = d.choose(width - bits);
        d.concat(&high, &old.bits)
    };
    let mut results = smallvec![Value::new(result, old.poison)];
    if let (Some((equal, poison)), Some(ty)) = (success, op.defs.get(1)) {
        let bit = d.bit(&equal);
        results.push(Value::new(d.zext(&bit, ty.bits()), poison));
    }
    Ok(Evaluation { results, ub })
}

/// The value that an operation on memory leaves there; `None` for one without a meaning.
fn updated<D: Domain>(d: &mut D, opcode: Opcode, old: &Value<D>, value: Value<D>) -> Option<Value<D>> {
    use Opcode::*;
    let (a, b) = (&old.bits, &value.bits);
    let poison = d.bool_or(&old.poison, &value.poison);
    let bits = match opcode {
        G_ATOMICRMW_XCHG => return Some(value),
        G_ATOMICRMW_ADD => d.add(a, b),
        G_ATOMICRMW_SUB => d.sub(a, b),
        G_ATOMICRMW_AND => d.and(a, b),
        G_ATOMICRMW_OR => d.or(a, b),
        G_ATOMICRMW_XOR => d.xor(a, b),
        G_ATOMICRMW_NAND => {
            let both = d.and(a, b);
            d.not(&both)
        }
        G_ATOMICRMW_MAX => {
            let less = d.slt(a, b);
            d.ite(&less, b, a)
        }
        G_ATOMICRMW_MIN => {
            let less = d.slt(a, b);
            d.ite(&less, a, b)
        }
        G_ATOMICRMW_UMAX => {
            let less = d.ult(a, b);
            d.ite(&less, b, a)
        }
        G_ATOMICRMW_UMIN => {
            let less = d.ult(a, b);
            d.ite(&less, a, b)
        }
        _ => return bounded(d, opcode, a, b).map(|bits| Value::new(bits, poison)),
    };
    Some(Value::new(bits, poison))
}

/// Operations that stop, or begin again, at a bound.
fn bounded<D: Domain>(d: &mut D, opcode: Opcode, old: &D::Bits, bound: &D::Bits) -> Option<D::Bits> {
    use Opcode::*;
    let (one, zero) = (d.literal(1, d.width(old)), d.literal(0, d.width(old)));
    let (below, difference) = (d.ult(old, bound), d.sub(old, bound));
    Some(match opcode {
        G_ATOMICRMW_UINC_WRAP => {
            let next = d.add(old, &one);
            d.ite(&below, &next, &zero)
        }
        G_ATOMICRMW_UDEC_WRAP => {
            let (none, above, last) = (d.is_zero(old), d.ult(bound, old), d.sub(old, &one));
            let wraps = d.bool_or(&none, &above);
            d.ite(&wraps, bound, &last)
        }
        G_ATOMICRMW_USUB_COND => d.ite(&below, old, &difference),
        G_ATOMICRMW_USUB_SAT => d.ite(&below, &zero, &difference),
        _ => return None,
    })
}
