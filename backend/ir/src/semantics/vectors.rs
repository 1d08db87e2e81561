//! The meaning of operations on vectors: lane by lane what the operation means on scalars, and the operations that make
//! vectors of elements and take elements out of them.
//!
//! A vector is one value, with lane 0 in its low bits, as it lies in memory. It is poison as a whole if one lane is: of
//! a source with poison in some lanes alone, more is permitted than LLVM permits. Code that a backend writes from it
//! has no poison, so a judge misses such differences and never invents one.
//!
//! Invariant: an element of a vector has the type that the row of the opcode gives it; nothing here reads bits across
//! lanes, but a bit cast.

use super::opcodes::{Evaluation, Operation, Unsupported, computed, evaluate_binary, malformed};
use super::{Domain, Memory, Value, access, bits, integer};
use crate::bits::MAX_BITS;
use crate::function::Function;
use crate::memory::MemOperand;
use crate::opcode::{Family, Opcode};
use crate::operand::Operand;
use crate::types::Type;
use smallvec::{SmallVec, smallvec};

/// Evaluates an operation of which some register is a vector of known length.
pub(super) fn evaluate<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    function: &Function,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    use Opcode::*;
    let value = match op.inst.opcode {
        G_LOAD => return whole(op).and_then(|()| access::load(d, memory, op)),
        G_STORE => return whole(op).and_then(|()| access::store(d, memory, op)),
        G_IMPLICIT_DEF => return computed(d, memory, op),
        G_FREEZE => integer::freeze(d, op),
        G_UNMERGE_VALUES => return Ok(Evaluation { results: bits::unmerge(d, op), ub: d.boolean(false) }),
        G_BUILD_VECTOR | G_CONCAT_VECTORS => bits::merge(d, op),
        G_BUILD_VECTOR_TRUNC => truncated(d, op),
        G_BITCAST => op.args[0].clone(),
        G_EXTRACT_VECTOR_ELT => extracted(d, op),
        G_INSERT_VECTOR_ELT => inserted(d, op),
        G_SHUFFLE_VECTOR => shuffled(d, function, op)?,
        opcode if opcode.family() == Some(Family::Reduction) => reduced(d, op)?,
        _ => return lane_by_lane(d, memory, op),
    };
    Ok(Evaluation { results: smallvec![value], ub: d.boolean(false) })
}

/// Lanes lie in memory as in the value if each is a whole number of bytes, and the access is as wide as the value.
fn whole<D: Domain>(op: &Operation<'_, D>) -> Result<(), Unsupported> {
    let ty = op.defs.first().or(op.uses.first()).ok_or_else(|| malformed(op.inst))?;
    let is_whole = op.inst.memory.iter().all(|memory| memory.ty.is_some_and(|access| access.bits() == ty.bits()));
    match is_whole && ty.scalar_type().bits().is_multiple_of(8) {
        true => Ok(()),
        false => Err(Unsupported::new("an access of parts of a vector's elements")),
    }
}

/// The number of elements; 1 for what is no vector.
fn lanes(ty: Type) -> u32 {
    ty.element_count().map_or(1, |count| count.lanes.into())
}

fn lane<D: Domain>(d: &mut D, ty: Type, value: &Value<D>, lane: u32) -> Value<D> {
    let width = ty.scalar_type().bits();
    Value { bits: d.extract(&value.bits, lane * width, width), poison: value.poison.clone() }
}

/// The vector of these lanes, the first in the low bits.
fn joined<D: Domain>(d: &mut D, lanes: impl IntoIterator<Item = Value<D>>) -> Option<Value<D>> {
    lanes.into_iter().reduce(|low, high| Value {
        bits: d.concat(&high.bits, &low.bits),
        poison: d.bool_or(&high.poison, &low.poison),
    })
}

/// Each result's lane is the operation on the operands' lanes. An operand that is no vector goes into every lane.
fn lane_by_lane<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let apart = [Family::Composition, Family::Atomic, Family::Load, Family::Store, Family::Vector];
    let count = op.defs.first().map_or(0, |&ty| lanes(ty));
    let other = |ty: &Type| ty.is_vector() && lanes(*ty) != count;
    let scalar_result = op.defs.iter().any(|ty| !ty.is_vector());
    if op.inst.opcode.family().is_none_or(|family| apart.contains(&family))
        || scalar_result
        || op.defs.iter().chain(op.uses).any(other)
    {
        return Err(Unsupported::new(format!("{} of vectors", op.inst.opcode)));
    }
    let elements = |types: &[Type]| types.iter().map(|ty| ty.scalar_type()).collect::<SmallVec<[Type; 4]>>();
    let (defs, uses) = (elements(op.defs), elements(op.uses));
    let mut results: Vec<Vec<Value<D>>> = vec![Vec::new(); defs.len()];
    let mut ub = d.boolean(false);
    for index in 0..count {
        let operands = op.uses.iter().zip(op.args);
        let args: SmallVec<[Value<D>; 4]> = operands
            .map(|(&ty, value)| if ty.is_vector() { lane(d, ty, value, index) } else { value.clone() })
            .collect();
        let of_lane = Operation { inst: op.inst, flags: op.flags, defs: &defs, uses: &uses, args: &args, range: &[] };
        let evaluation = computed(d, memory, &of_lane)?;
        ub = d.bool_or(&ub, &evaluation.ub);
        results.iter_mut().zip(evaluation.results).for_each(|(all, result)| all.push(result));
    }
    let results: SmallVec<[Value<D>; 2]> = results.into_iter().filter_map(|all| joined(d, all)).collect();
    Ok(Evaluation { results, ub })
}

fn truncated<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let width = op.defs[0].scalar_type().bits();
    let mut cut = op.args[0].clone();
    cut.bits = d.extract(&cut.bits, 0, width);
    for arg in &op.args[1..] {
        let high = d.extract(&arg.bits, 0, width);
        cut = Value { bits: d.concat(&high, &cut.bits), poison: d.bool_or(&cut.poison, &arg.poison) };
    }
    cut
}

/// True for a poison index, or one that is not below the number of elements.
fn outside<D: Domain>(d: &mut D, index: &Value<D>, count: u32) -> D::Bool {
    let width = d.width(&index.bits);
    // Every index of so few bits is below.
    if count.checked_shr(width).is_none_or(|above| above == 0) {
        let bound = d.literal(count.into(), width);
        let within = d.ult(&index.bits, &bound);
        let beyond = d.bool_not(&within);
        return d.bool_or(&beyond, &index.poison);
    }
    index.poison.clone()
}

fn extracted<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let (vector, index, ty) = (&op.args[0], &op.args[1], op.uses[0]);
    let mut bits = lane(d, ty, vector, 0).bits;
    for number in 1..lanes(ty) {
        let (other, place) = (lane(d, ty, vector, number).bits, d.literal(number.into(), d.width(&index.bits)));
        let is_it = d.eq(&index.bits, &place);
        bits = d.ite(&is_it, &other, &bits);
    }
    let beyond = outside(d, index, lanes(ty));
    Value { bits, poison: d.bool_or(&vector.poison, &beyond) }
}

fn inserted<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let (vector, element, index, ty) = (&op.args[0], &op.args[1], &op.args[2], op.uses[0]);
    let new = d.extract(&element.bits, 0, ty.scalar_type().bits());
    let parts: Vec<Value<D>> = (0..lanes(ty))
        .map(|number| {
            let (old, place) = (lane(d, ty, vector, number).bits, d.literal(number.into(), d.width(&index.bits)));
            let is_it = d.eq(&index.bits, &place);
            Value { bits: d.ite(&is_it, &new, &old), poison: vector.poison.clone() }
        })
        .collect();
    let whole = joined(d, parts).unwrap_or_else(|| vector.clone());
    let (beyond, of_parts) = (outside(d, index, lanes(ty)), d.bool_or(&whole.poison, &element.poison));
    Value { bits: whole.bits, poison: d.bool_or(&of_parts, &beyond) }
}

/// Lanes of both vectors, by their number in the first and then in the second; any bits for a lane that the mask leaves
/// open. LLVM makes that lane poison, which permits more.
fn shuffled<D: Domain>(d: &mut D, function: &Function, op: &Operation<'_, D>) -> Result<Value<D>, Unsupported> {
    let mask = op.inst.operands.iter().find_map(|operand| match operand {
        Operand::ShuffleMask(mask) => function.shuffle_masks.get(*mask),
        _ => None,
    });
    let (Some(mask), [one, other], ty) = (mask, op.args, op.uses[0]) else { return Err(malformed(op.inst)) };
    if mask.len() as u32 != lanes(op.defs[0]) {
        return Err(malformed(op.inst));
    }
    let count = lanes(ty);
    let mut parts = Vec::with_capacity(mask.len());
    for &number in mask {
        parts.push(match number {
            Some(number) if number < count => lane(d, ty, one, number),
            Some(number) if number < 2 * count => lane(d, ty, other, number - count),
            Some(_) => return Err(malformed(op.inst)),
            None => Value { bits: d.choose(ty.scalar_type().bits()), poison: d.boolean(false) },
        });
    }
    joined(d, parts).ok_or_else(|| malformed(op.inst))
}

/// All lanes taken together by one operation. Bits of the result above the element are any.
fn reduced<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Value<D>, Unsupported> {
    let unsupported = || Unsupported::new(op.inst.opcode.to_string());
    let (opcode, ty) = (op.inst.opcode.reduced_by().ok_or_else(unsupported)?, op.uses[0]);
    let mut total = lane(d, ty, &op.args[0], 0);
    for number in 1..lanes(ty) {
        let next = lane(d, ty, &op.args[0], number);
        total = evaluate_binary(d, opcode, &[total, next])?.results.into_iter().next().ok_or_else(unsupported)?;
    }
    let above = op.width() - ty.scalar_type().bits();
    if above > 0 {
        let high = d.choose(above);
        total.bits = d.concat(&high, &total.bits);
    }
    Ok(total)
}

/// The access of all these vectors, of one type, as one. LLVM's memory operand is a guess: the machine asks for the
/// alignment of an element alone.
fn interleaved<D: Domain>(op: &Operation<'_, D>, vectors: &[Type]) -> Result<(MemOperand, Type), Unsupported> {
    let (Some(&ty), [operand]) = (vectors.first(), op.inst.memory.as_slice()) else { return Err(malformed(op.inst)) };
    let (bytes, bits) = (ty.scalar_type().bytes(), ty.bits() * vectors.len() as u32);
    let whole = ty.scalar_type().bits() == 8 * bytes && bits <= MAX_BITS && bytes.is_power_of_two();
    match whole && ty.is_vector() && vectors.iter().all(|other| *other == ty) {
        true => Ok((MemOperand { ty: Some(Type::scalar(bits)), align: operand.align.min(bytes), ..*operand }, ty)),
        false => Err(malformed(op.inst)),
    }
}

/// Element `i` of result `j` of `n` is the element at `i * n + j` in memory.
pub(super) fn load_interleaved<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, ty) = interleaved(op, op.defs)?;
    let (address, turns) = (&op.args[0], op.defs.len() as u32);
    let (value, outside) = memory.load(d, &address.bits, ty.bits() * turns / 8, &operand);
    let mut results = SmallVec::new();
    for turn in 0..turns {
        let parts: Vec<Value<D>> = (0..lanes(ty)).map(|number| lane(d, ty, &value, number * turns + turn)).collect();
        results.push(joined(d, parts).ok_or_else(|| malformed(op.inst))?);
    }
    Ok(Evaluation { results, ub: d.bool_or(&outside, &address.poison) })
}

/// The reverse of [`load_interleaved`]: the address is the last operand.
pub(super) fn store_interleaved<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let ([values @ .., address], [types @ .., _]) = (op.args, op.uses) else { return Err(malformed(op.inst)) };
    let (operand, ty) = interleaved(op, types)?;
    let parts: Vec<Value<D>> = (0..lanes(ty))
        .flat_map(|number| values.iter().map(move |value| (number, value)))
        .map(|(number, value)| lane(d, ty, value, number))
        .collect();
    let value = joined(d, parts).ok_or_else(|| malformed(op.inst))?;
    let outside = memory.store(d, &address.bits, &value, &operand);
    Ok(Evaluation { results: SmallVec::new(), ub: d.bool_or(&outside, &address.poison) })
}

/// The way of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShiftWay {
    Up,
    Down,
}

/// Each element of the second vector, shifted by a constant, in place of the bits of the first's that it reaches (Arm
/// ARM, `SLI` and `SRI`).
pub(super) fn shifted_into<D: Domain>(
    d: &mut D,
    op: &Operation<'_, D>,
    way: ShiftWay,
) -> Result<Value<D>, Unsupported> {
    let (ty, [first, second]) = (op.defs[0], op.args) else { return Err(malformed(op.inst)) };
    let width = ty.scalar_type().bits();
    let amount = op.imm().and_then(|amount| u32::try_from(amount).ok()).filter(|&amount| amount <= width);
    let same = ty.is_vector() && op.uses.iter().all(|other| *other == ty);
    let amount = amount.filter(|&amount| same && amount > 0).filter(|&amount| way == ShiftWay::Down || amount < width);
    let amount = amount.ok_or_else(|| malformed(op.inst))?;
    let mut parts = Vec::new();
    for number in 0..lanes(ty) {
        let (old, new) = (lane(d, ty, first, number), lane(d, ty, second, number));
        let bits = match way {
            ShiftWay::Up => {
                let (high, low) = (d.extract(&new.bits, 0, width - amount), d.extract(&old.bits, 0, amount));
                d.concat(&high, &low)
            }
            ShiftWay::Down if amount == width => old.bits,
            ShiftWay::Down => {
                let kept = d.extract(&old.bits, width - amount, amount);
                let low = d.extract(&new.bits, amount, width - amount);
                d.concat(&kept, &low)
            }
        };
        parts.push(Value { bits, poison: d.bool_or(&first.poison, &second.poison) });
    }
    joined(d, parts).ok_or_else(|| malformed(op.inst))
}
