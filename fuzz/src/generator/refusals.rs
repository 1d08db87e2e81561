//! One operation at any types that its row takes: many of them no target compiles. A refusal has a name, and a panic is
//! none.
//!
//! Operands are undefined values, constants, and values made of the arguments. No operand is guarded: a run may be
//! undefined.

use crate::opcodes;
use arbitrary::{Result, Unstructured};
use std::cmp::Ordering;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::function::LiveIn;
use tribunal_ir::opcode::{IndexTypes, TypeClass};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{
    Bits, Builder, FloatPredicate, Function, InstData, IntPredicate, Opcode, OpcodeInfo, Operand, OperandKind, PReg,
    Position, Properties, Type, VReg,
};
use tribunal_target::Target;

/// Widths of half the scalars: those that rules name, and the widest.
const USUAL: [u32; 8] = [1, 8, 16, 32, 64, 128, 256, MAX_BITS];
/// Elements of a vector at most.
const LANES: u16 = 9;
/// Arguments, each as wide as a register.
const ARGUMENTS: usize = 4;
/// Draws of types for an operation.
const TRIES: u32 = 16;

/// A function of one operation; `None` if its row takes none of the types drawn.
pub fn generate_of_any_types(u: &mut Unstructured<'_>, target: &'static Target) -> Result<Option<Function>> {
    let opcode = *u.choose(&opcodes::OF_TYPES)?;
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let Some(info) = opcode.info() else { return Ok(None) };
    let Some(types) = index_types(u, info, pointer)? else { return Ok(None) };
    let mut function = Function::new("f");
    function.properties = Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let entry = function.new_block();
    let word = target.register_type();
    let arguments = &target.abi.arguments()[..ARGUMENTS];
    for &register in arguments {
        function.liveins.push(LiveIn { register, copy: None });
        function.block_mut(entry).liveins.push((register, None));
    }
    let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
    // No call may stand before an argument is copied.
    let (early, late) = arguments.split_at(if u.ratio(1, 8)? { ARGUMENTS - 1 } else { ARGUMENTS });
    let copies = |builder: &mut Builder<'_>, registers: &[PReg]| -> Vec<VReg> {
        registers.iter().map(|&register| builder.build(word, Opcode::COPY, [Operand::used(register)])).collect()
    };
    let arguments = copies(&mut builder, early);
    let mut operands = Vec::new();
    for (index, kind) in info.operands().enumerate().skip(info.defs.len()) {
        operands.push(operand(u, &mut builder, (info, index, kind), &types, &arguments)?);
    }
    let results: Vec<VReg> =
        info.defs.iter().filter_map(|kind| types[kind.type_index()?]).map(|ty| builder.function.new_vreg(ty)).collect();
    let defs = results.iter().map(|&register| Operand::def(register));
    builder.push(InstData::new(opcode, defs.chain(operands)));
    let mut sum = builder.constant_i64(word, 0);
    let mut parts = copies(&mut builder, late);
    for result in results {
        parts.push(part_of(u, &mut builder, result, word)?);
    }
    for part in parts {
        sum = builder.op(word, Opcode::G_XOR, &[sum, part]);
    }
    let result = target.abi.results()[0];
    builder.push(InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(sum)]));
    let end = Opcode::Target(target.abi.return_opcode);
    builder.push(InstData::new(end, [Operand::implicit_use(result)]));
    Ok(Some(function))
}

/// Types that the row takes.
fn index_types(u: &mut Unstructured<'_>, info: &OpcodeInfo, pointer: Type) -> Result<Option<IndexTypes>> {
    for _ in 0..TRIES {
        let mut types = [None; 3];
        for index in 0..types.len() {
            types[index] = match (info.class_of(index), types[0]) {
                (None, _) => None,
                (Some(TypeClass::Index), _) => Some(Type::scalar(pointer.bits())),
                (Some(_), Some(first)) if u.arbitrary()? => Some(first),
                (Some(_), _) => Some(any_type(u, pointer)?),
            };
        }
        if info.takes(&types) {
            return Ok(Some(types));
        }
    }
    Ok(None)
}

/// A scalar, a pointer, or a vector of either.
fn any_type(u: &mut Unstructured<'_>, pointer: Type) -> Result<Type> {
    let element = match u.int_in_range(0..=7)? {
        0 => pointer,
        1..=3 => Type::scalar(u.int_in_range(1..=MAX_BITS)?),
        _ => Type::scalar(*u.choose(&USUAL)?),
    };
    let lanes = if u.ratio(1, 4)? { u.int_in_range(2..=LANES)? } else { return Ok(element) };
    // A wider vector is so much code that the legalizer may run out of its fuel.
    let fits = |vector: &Type| vector.bits() <= MAX_BITS;
    Ok(element.times(ElementCount::fixed(lanes)).filter(fits).unwrap_or(element))
}

/// The operand at an index of the row.
fn operand(
    u: &mut Unstructured<'_>,
    builder: &mut Builder<'_>,
    (info, index, kind): (&OpcodeInfo, usize, OperandKind),
    types: &IndexTypes,
    arguments: &[VReg],
) -> Result<Operand> {
    Ok(match (kind, kind.type_index().and_then(|index| types[index])) {
        (OperandKind::PRED, _) => Operand::Predicate(*u.choose(&IntPredicate::ALL)?),
        (OperandKind::FPRED, _) => Operand::FloatPredicate(*u.choose(&FloatPredicate::ALL)?),
        (_, Some(ty)) if ty.is_scalar() && u.arbitrary()? => {
            let bits = ty.bits();
            let number = if u.arbitrary()? { Bits::new(u.arbitrary()?, bits) } else { Bits::signed_min(bits) };
            Operand::used(builder.constant(ty, number))
        }
        (_, Some(ty)) if u.ratio(1, 4)? => Operand::used(builder.build(ty, Opcode::G_IMPLICIT_DEF, [])),
        (_, Some(ty)) => Operand::used(made_of(u, builder, arguments, ty)?),
        (_, None) => {
            let range = info.immediate_at(index).and_then(|immediate| immediate.range(types));
            Operand::Imm(u.int_in_range(range.unwrap_or(0..=1))?)
        }
    })
}

/// A value of the type, made of arguments.
fn made_of(u: &mut Unstructured<'_>, builder: &mut Builder<'_>, arguments: &[VReg], ty: Type) -> Result<VReg> {
    if let Some(count) = ty.element_count().filter(|_| ty.is_vector()) {
        let element = ty.scalar_type();
        let lanes = (0..count.lanes).map(|_| made_of(u, builder, arguments, element)).collect::<Result<Vec<VReg>>>()?;
        return Ok(builder.op(ty, Opcode::G_BUILD_VECTOR, &lanes));
    }
    let argument = *u.choose(arguments)?;
    let (bits, word) = (ty.bits(), builder.type_of(argument).bits());
    let extension = *u.choose(&[Opcode::G_ZEXT, Opcode::G_SEXT])?;
    let number = match bits.cmp(&word) {
        Ordering::Equal => argument,
        Ordering::Less => builder.op(Type::scalar(bits), Opcode::G_TRUNC, &[argument]),
        Ordering::Greater => builder.op(Type::scalar(bits), extension, &[argument]),
    };
    Ok(if ty.is_pointer() { builder.op(ty, Opcode::G_INTTOPTR, &[number]) } else { number })
}

/// Some bits of a value as a word, so that the operation is not dead.
fn part_of(u: &mut Unstructured<'_>, builder: &mut Builder<'_>, value: VReg, word: Type) -> Result<VReg> {
    let ty = builder.type_of(value);
    let (mut value, ty) = match ty.element_count().filter(|_| ty.is_vector()) {
        Some(count) => {
            let index = builder.constant_i64(word, u.int_in_range(0..=count.lanes - 1)?.into());
            let element = ty.scalar_type();
            (builder.op(element, Opcode::G_EXTRACT_VECTOR_ELT, &[value, index]), element)
        }
        None => (value, ty),
    };
    if ty.is_scalar() && ty.bits() > word.bits() && u.arbitrary()? {
        let amount = builder.constant_i64(ty, u.int_in_range(0..=i64::from(ty.bits()) - 1)?);
        value = builder.op(ty, Opcode::G_LSHR, &[value, amount]);
    }
    Ok(match ty.bits().cmp(&word.bits()) {
        _ if ty.is_pointer() => builder.op(word, Opcode::G_PTRTOINT, &[value]),
        Ordering::Equal => value,
        Ordering::Less => builder.op(word, Opcode::G_ANYEXT, &[value]),
        Ordering::Greater => builder.op(word, Opcode::G_TRUNC, &[value]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::generated_of_any_types;
    use std::collections::BTreeSet;

    /// Nearly every opcode comes soon, and so do the widest scalars and vectors. Few draws have the types of a
    /// reduction in order.
    #[test]
    fn operations_of_all_types_come() {
        let target = tribunal_target::ALL[0];
        let (mut opcodes, mut widest, mut vectors) = (BTreeSet::new(), 0, 0);
        for seed in 0..1000 {
            for function in generated_of_any_types(seed, target) {
                opcodes.extend(function.all_insts().map(|inst| function.inst(inst).opcode.to_string()));
                let types: Vec<Type> = function.vregs.values().filter_map(|register| register.ty).collect();
                widest += u32::from(types.contains(&Type::scalar(MAX_BITS)));
                vectors += u32::from(types.iter().any(|ty| ty.is_vector()));
            }
        }
        let missed: Vec<&Opcode> =
            opcodes::OF_TYPES.iter().filter(|opcode| !opcodes.contains(&opcode.to_string())).collect();
        assert!(20 * missed.len() < opcodes::OF_TYPES.len(), "{missed:?}");
        assert!(widest > 100 && vectors > 100, "{widest} {vectors}");
    }
}
