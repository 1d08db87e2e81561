//! The meaning of operations on vectors: lane by lane what the operation means on scalars, and the operations that make
//! vectors of elements and take elements out of them.
//!
//! A vector is one value, with lane 0 in its low bits, as it lies in memory. Each lane is poison by itself.
//!
//! ```text
//! <4 x s16> = G_BITCAST <2 x s32>      lanes 0 and 1 are poison where lane 0 was
//! <2 x s32> = G_BITCAST <4 x s16>      lane 0 is poison where lane 0 or lane 1 was
//! ```
//!
//! Invariant: an element of a vector has the type that the row of the opcode gives it; nothing here reads bits across
//! lanes, but a bit cast.

use super::opcodes::{Evaluation, Operation, Unsupported, computed, evaluate_binary, malformed};
use super::{Domain, Memory, Value, access, float};
use crate::bits::MAX_BITS;
use crate::function::Function;
use crate::memory::{MemFlags, MemOperand};
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
        G_LOAD => return loaded(d, memory, op),
        G_STORE => return stored(d, memory, op),
        G_IMPLICIT_DEF => return computed(d, memory, op),
        G_BITCAST | G_UNMERGE_VALUES => return Ok(Evaluation { results: slices(d, op), ub: d.boolean(false) }),
        G_BUILD_VECTOR | G_CONCAT_VECTORS => composed(d, op)?,
        G_BUILD_VECTOR_TRUNC => composed(d, op)?,
        G_EXTRACT_VECTOR_ELT => extracted(d, op),
        G_INSERT_VECTOR_ELT => inserted(d, op),
        G_SHUFFLE_VECTOR => shuffled(d, function, op)?,
        opcode if opcode.family() == Some(Family::Reduction) => reduced(d, op)?,
        _ => return lane_by_lane(d, memory, op),
    };
    Ok(Evaluation { results: smallvec![value], ub: d.boolean(false) })
}

/// The memory operand of an access as wide as its vector, whose elements are whole numbers of bytes: only then do lanes
/// lie in memory as in the value.
fn whole<'o, D: Domain>(op: &Operation<'o, D>) -> Result<(&'o MemOperand, Type), Unsupported> {
    let ty = *op.defs.first().or(op.uses.first()).ok_or_else(|| malformed(op.inst))?;
    let [operand] = op.inst.memory.as_slice() else { return Err(malformed(op.inst)) };
    match operand.ty.is_some_and(|access| access.bits() == ty.bits()) && ty.scalar_type().bits().is_multiple_of(8) {
        true => Ok((operand, ty)),
        false => Err(Unsupported::new("an access of parts of a vector's elements")),
    }
}

/// True for an access that is one whatever it is of: other threads and devices count it.
fn is_one(operand: &MemOperand) -> bool {
    operand.flags.contains(MemFlags::VOLATILE) || operand.is_atomic()
}

fn loaded<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, ty) = whole(op)?;
    if is_one(operand) {
        return access::load(d, memory, op, &op.args[0]);
    }
    let (parts, ub) = load_each(d, memory, &op.args[0], operand, (ty.scalar_type(), lanes(ty)));
    let value = joined(d, parts).ok_or_else(|| malformed(op.inst))?;
    Ok(Evaluation { results: smallvec![value], ub })
}

fn stored<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let (operand, ty) = whole(op)?;
    if is_one(operand) {
        return access::store(d, memory, op, &op.args[1]);
    }
    let parts: Vec<Value<D>> = (0..lanes(ty)).map(|number| lane(d, ty, &op.args[0], number)).collect();
    let ub = store_each(d, memory, &op.args[1], operand, (ty.scalar_type(), &parts));
    Ok(Evaluation { results: SmallVec::new(), ub })
}

/// So many elements that lie one behind another, and where reading them is undefined. The whole access has the
/// operand's alignment.
fn load_each<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    address: &Value<D>,
    operand: &MemOperand,
    (element, count): (Type, u32),
) -> (Vec<Value<D>>, D::Bool) {
    let outside = memory.leaves_one_object(d, &address.bits, count * element.bytes());
    let mut ub = d.bool_or(&address.poison, &outside);
    let mut load = |number| {
        let (place, operand) = place(d, &address.bits, operand, (element, number));
        let (part, undefined) = memory.load(d, &place, element.bytes(), &operand);
        ub = d.bool_or(&ub, &undefined);
        part
    };
    let parts = (0..count).map(&mut load).collect();
    (parts, ub)
}

/// Writes elements one behind another: where that is undefined.
fn store_each<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    address: &Value<D>,
    operand: &MemOperand,
    (element, parts): (Type, &[Value<D>]),
) -> D::Bool {
    let outside = memory.leaves_one_object(d, &address.bits, parts.len() as u32 * element.bytes());
    let mut ub = d.bool_or(&address.poison, &outside);
    for (number, part) in (0..).zip(parts) {
        let (place, operand) = place(d, &address.bits, operand, (element, number));
        let undefined = memory.store(d, &place, part, &operand);
        ub = d.bool_or(&ub, &undefined);
    }
    ub
}

/// The address of an element, and its part of the access.
fn place<D: Domain>(
    d: &mut D,
    address: &D::Bits,
    operand: &MemOperand,
    (element, number): (Type, u32),
) -> (D::Bits, MemOperand) {
    let distance = d.literal((number * element.bytes()).into(), d.width(address));
    let align = if number == 0 { operand.align } else { 1 };
    (d.add(address, &distance), MemOperand { ty: Some(element), align, ..*operand })
}

/// The number of elements; 1 for what is no vector.
fn lanes(ty: Type) -> u32 {
    ty.element_count().map_or(1, |count| count.lanes.into())
}

fn lane<D: Domain>(d: &mut D, ty: Type, value: &Value<D>, lane: u32) -> Value<D> {
    let width = ty.scalar_type().bits();
    Value::new(d.extract(&value.bits, lane * width, width), value.part_is_poison(d, lane * width, width))
}

/// The vector of these lanes, the first in the low bits.
fn joined<D: Domain>(d: &mut D, lanes: impl IntoIterator<Item = Value<D>>) -> Option<Value<D>> {
    let (bits, poison): (Vec<D::Bits>, Vec<D::Bool>) = lanes.into_iter().map(|lane| (lane.bits, lane.poison)).unzip();
    let bits = bits.into_iter().reduce(|low, high| d.concat(&high, &low))?;
    Some(Value::of_elements(d, bits, poison))
}

/// The vector of the operands' elements, cut to its own where they are wider.
fn composed<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Value<D>, Unsupported> {
    let width = op.defs[0].scalar_type().bits();
    let mut parts = Vec::new();
    for (&ty, value) in op.uses.iter().zip(op.args) {
        for number in 0..lanes(ty) {
            let element = lane(d, ty, value, number);
            parts.push(Value::new(d.extract(&element.bits, 0, width), element.poison));
        }
    }
    joined(d, parts).ok_or_else(|| malformed(op.inst))
}

/// The operand's bits shared out among the results, the first in the low bits.
fn slices<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> SmallVec<[Value<D>; 2]> {
    let (value, mut next) = (&op.args[0], 0);
    let mut slice = |&ty: &Type| {
        let (first, width) = (next, ty.scalar_type().bits());
        next += ty.bits();
        let poison = (0..lanes(ty)).map(|lane| value.part_is_poison(d, first + lane * width, width)).collect();
        let bits = d.extract(&value.bits, first, ty.bits());
        Value::of_elements(d, bits, poison)
    };
    op.defs.iter().map(&mut slice).collect()
}

/// One bit.
const TRUTH: Type = Type::scalar(1);

/// A wide element as a condition: poison if it is neither zeros nor ones.
fn truth_of<D: Domain>(d: &mut D, element: &Value<D>) -> Value<D> {
    let bit = d.extract(&element.bits, 0, 1);
    let whole = d.sext_or_trunc(&bit, d.width(&element.bits));
    let other = d.ne(&element.bits, &whole);
    Value::new(bit, d.bool_or(&element.poison, &other))
}

/// Each result's lane is the operation on the operands' lanes. An operand that is no vector goes into every lane. Where
/// truth is an element of several bits, it is all ones, as AArch64 compares vectors; RISC-V has one bit.
fn lane_by_lane<D: Domain, M: Memory<D>>(
    d: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let apart = [Family::Composition, Family::Atomic, Family::Load, Family::Store, Family::Indexed, Family::Vector];
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
    let (mut defs, mut uses) = (elements(op.defs), elements(op.uses));
    let width = defs.first().map_or(0, |ty| ty.bits());
    let makes_truth = op.inst.opcode.is_comparison() && width > 1;
    if makes_truth {
        defs[0] = TRUTH;
    }
    let takes_truth = op.inst.opcode == Opcode::G_SELECT && op.uses[0].is_vector() && uses[0] != TRUTH;
    if takes_truth {
        uses[0] = TRUTH;
    }
    let mut results: Vec<Vec<Value<D>>> = vec![Vec::new(); defs.len()];
    let mut ub = d.boolean(false);
    for index in 0..count {
        let operands = op.uses.iter().zip(op.args);
        let mut args: SmallVec<[Value<D>; 4]> = operands
            .map(|(&ty, value)| if ty.is_vector() { lane(d, ty, value, index) } else { value.clone() })
            .collect();
        if takes_truth {
            args[0] = truth_of(d, &args[0]);
        }
        let of_lane = Operation { inst: op.inst, flags: op.flags, defs: &defs, uses: &uses, args: &args, range: &[] };
        let mut evaluation = computed(d, memory, &of_lane)?;
        if makes_truth {
            evaluation.results.iter_mut().for_each(|truth| truth.bits = d.sext_or_trunc(&truth.bits, width));
        }
        ub = d.bool_or(&ub, &evaluation.ub);
        results.iter_mut().zip(evaluation.results).for_each(|(all, result)| all.push(result));
    }
    let results: SmallVec<[Value<D>; 2]> = results.into_iter().filter_map(|all| joined(d, all)).collect();
    Ok(Evaluation { results, ub })
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
    let mut element = lane(d, ty, vector, 0);
    for number in 1..lanes(ty) {
        let (other, place) = (lane(d, ty, vector, number), d.literal(number.into(), d.width(&index.bits)));
        let is_it = d.eq(&index.bits, &place);
        element = Value::either(d, &is_it, &other, &element);
    }
    let beyond = outside(d, index, lanes(ty));
    element.poison_where(d, &beyond)
}

fn inserted<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let (vector, element, index, ty) = (&op.args[0], &op.args[1], &op.args[2], op.uses[0]);
    let new = Value::new(d.extract(&element.bits, 0, ty.scalar_type().bits()), element.poison.clone());
    let parts: Vec<Value<D>> = (0..lanes(ty))
        .map(|number| {
            let (old, place) = (lane(d, ty, vector, number), d.literal(number.into(), d.width(&index.bits)));
            let is_it = d.eq(&index.bits, &place);
            Value::either(d, &is_it, &new, &old)
        })
        .collect();
    let beyond = outside(d, index, lanes(ty));
    joined(d, parts).unwrap_or_else(|| vector.clone()).poison_where(d, &beyond)
}

/// Lanes of both vectors, by their number in the first and then in the second; poison for a lane that the mask leaves
/// open.
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
            None => Value::new(d.literal(0, ty.scalar_type().bits()), d.boolean(true)),
        });
    }
    joined(d, parts).ok_or_else(|| malformed(op.inst))
}

/// All lanes taken together by one operation, the first lane first; a number that stands before the vector goes before
/// them. Bits of an integer above the element are any. Promises are about the operands and the result, and about no
/// number in between.
fn reduced<D: Domain>(d: &mut D, op: &Operation<'_, D>) -> Result<Value<D>, Unsupported> {
    let unsupported = || Unsupported::new(op.inst.opcode.to_string());
    let opcode = op.inst.opcode.reduced_by().ok_or_else(unsupported)?;
    let mut parts: Vec<Value<D>> = Vec::new();
    for (&ty, value) in op.uses.iter().zip(op.args) {
        parts.extend((0..lanes(ty)).map(|number| lane(d, ty, value, number)));
    }
    let ty = op.uses[0];
    let mut rest = parts.iter().cloned();
    let mut total = rest.next().ok_or_else(unsupported)?;
    for next in rest {
        total = evaluate_binary(d, opcode, &[total, next])?.results.into_iter().next().ok_or_else(unsupported)?;
    }
    if op.inst.opcode.is_float() {
        let numbers = parts.iter().chain([&total]).map(|value| &value.bits);
        let broken = float::broken_by(d, op.flags, numbers)?;
        return Ok(total.poison_where(d, &broken));
    }
    let above = op.width() - ty.scalar_type().bits();
    if above > 0 {
        let high = d.choose(above);
        total.bits = d.concat(&high, &total.bits);
    }
    Ok(total)
}

/// The access of all these vectors, of one type. LLVM's memory operand is a guess: the machine asks for the
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
    let (elements, ub) = load_each(d, memory, address, &operand, (ty.scalar_type(), lanes(ty) * turns));
    let mut results = SmallVec::new();
    for turn in 0..op.defs.len() {
        let parts = elements.iter().skip(turn).step_by(op.defs.len()).cloned();
        results.push(joined(d, parts).ok_or_else(|| malformed(op.inst))?);
    }
    Ok(Evaluation { results, ub })
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
    let ub = store_each(d, memory, address, &operand, (ty.scalar_type(), &parts));
    Ok(Evaluation { results: SmallVec::new(), ub })
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
        parts.push(Value::new(bits, d.bool_or(&old.poison, &new.poison)));
    }
    joined(d, parts).ok_or_else(|| malformed(op.inst))
}
