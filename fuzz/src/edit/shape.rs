//! Changes of one instruction that leave its neighbours unchanged: opcodes, flags, immediates, memory operands.

use super::scope::Scope;
use crate::opcodes::{is_known, is_written, siblings};
use tribunal_ir::opcode::{TypeRule, Undefined};
use tribunal_ir::{
    Function, Inst, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, Operand, Type, VReg,
};
use tribunal_target::Target;

/// The opcodes that can replace that of `inst`: those of its shape, and where all types are one, the other operations
/// on two values, if they take its types.
pub fn alike(function: &Function, inst: Inst) -> Vec<Opcode> {
    let data = function.inst(inst);
    let Some(info) = data.opcode.info() else { return Vec::new() };
    let own = siblings(data.opcode);
    let (values, shifts) = (siblings(Opcode::G_ADD), siblings(Opcode::G_SHL));
    let types = info.index_types(function, data);
    let ty = |index: usize| data.vreg(index).and_then(|register| function.type_of(register));
    let one_type = ty(0).is_some() && ty(0) == ty(1) && ty(0) == ty(2);
    let alike = match own == values || own == shifts {
        true if one_type => values.iter().chain(shifts),
        _ => own.iter().chain(&[]),
    };
    alike.copied().filter(|opcode| opcode.info().is_some_and(|info| info.takes(&types))).collect()
}

/// True if the generator writes such programs: integers that every target compiles, no wider than `widest` bits,
/// divisions no wider than two registers.
pub fn is_supported(function: &Function, target: &Target, widest: u32) -> bool {
    let two_registers = 2 * target.register_type().bits();
    let fits = |inst: Inst| {
        let data = function.inst(inst);
        let known = !data.opcode.is_generic() || is_written(data.opcode, target);
        let limit = if divides(data.opcode) { two_registers } else { widest };
        let registers = data.operands.iter().filter_map(Operand::as_vreg);
        let within = |ty: Type| !ty.is_vector() && ty.bits() <= limit;
        known && registers.into_iter().all(|register| function.type_of(register).is_some_and(within))
    };
    function.all_insts().all(fits)
}

/// Divisions beyond two registers have no runtime function.
fn divides(opcode: Opcode) -> bool {
    opcode.info().is_some_and(|info| info.undefined.contains(Undefined::DIVISOR))
}

/// The poison-generating flags that an opcode may carry.
pub fn flags_of(opcode: Opcode) -> InstFlags {
    opcode.info().map_or(InstFlags::empty(), |info| info.inst_flags & InstFlags::PROMISES)
}

fn is_placed(function: &Function, inst: Inst) -> bool {
    function.block_of(inst).is_some()
}

/// Removes flags, or sets those that the opcode knows.
pub(super) fn set_flags(function: &mut Function, inst: Inst, flags: InstFlags) -> bool {
    let data = function.inst(inst);
    let added = flags.difference(data.flags);
    if !is_placed(function, inst) || data.flags == flags || !flags_of(data.opcode).contains(added) {
        return false;
    }
    let data = InstData { flags, ..data.clone() };
    function.replace(inst, data);
    true
}

pub(super) fn set_predicate(function: &mut Function, inst: Inst, predicate: IntPredicate) -> bool {
    let data = function.inst(inst);
    let old = data.operands.get(1).copied();
    let fits = is_placed(function, inst) && matches!(old, Some(Operand::Predicate(old)) if old != predicate);
    if fits {
        function.set_operand(inst, 1, Operand::Predicate(predicate));
    }
    fits
}

pub(super) fn set_opcode(function: &mut Function, inst: Inst, opcode: Opcode) -> bool {
    let data = function.inst(inst);
    if !is_placed(function, inst) || data.opcode == opcode || !alike(function, inst).contains(&opcode) {
        return false;
    }
    let flags = data.flags.difference(InstFlags::PROMISES) | (data.flags & flags_of(opcode));
    let data = InstData { opcode, flags, ..data.clone() };
    function.replace(inst, data);
    true
}

/// The range of an immediate that is a width or a place within the instruction's types.
pub fn immediate_range(function: &Function, data: &InstData, index: usize) -> Option<std::ops::Range<i64>> {
    let info = data.opcode.info().filter(|_| is_known(data.opcode))?;
    let range = info.immediate_at(index)?.range(&info.index_types(function, data))?;
    let end = range.end().checked_add(1)?;
    Some(*range.start()..end)
}

pub(super) fn set_immediate(function: &mut Function, inst: Inst, index: usize, value: i64) -> bool {
    let data = function.inst(inst);
    let range = immediate_range(function, data, index);
    let takes = data.opcode.info().is_none_or(|info| {
        let immediate = info.immediate_at(index);
        immediate.is_none_or(|immediate| immediate.takes(&info.index_types(function, data), value))
    });
    let fits = is_placed(function, inst)
        && takes
        && range.is_some_and(|range| range.contains(&value))
        && matches!(data.operands.get(index), Some(Operand::Imm(old)) if *old != value);
    if fits {
        function.set_operand(inst, index, Operand::Imm(value));
    }
    fits
}

pub(super) fn plain_memory(function: &mut Function, inst: Inst) -> bool {
    let data = function.inst(inst);
    let plain = |memory: &MemOperand| {
        let direction = memory.flags & (MemFlags::LOAD | MemFlags::STORE);
        memory.ty.map(|ty| MemOperand::new(direction, ty, memory.align))
    };
    let Some(memory) = data.memory.iter().map(plain).collect::<Option<_>>() else { return false };
    // An atomic operation needs its ordering.
    let atomic = data.memory.iter().any(MemOperand::is_atomic);
    if !is_placed(function, inst) || atomic || data.memory == memory {
        return false;
    }
    let data = InstData { memory, ..data.clone() };
    function.replace(inst, data);
    true
}

/// The store is aligned as its new value is by itself. A volatile one stays as wide as it is.
pub(super) fn set_stored(function: &mut Function, inst: Inst, value: VReg) -> bool {
    let data = function.inst(inst);
    let (Some(old), Some(ty), [memory]) = (data.vreg(0), function.type_of(value), data.memory.as_slice()) else {
        return false;
    };
    let same_size = memory.ty.is_some_and(|old| old.bits() == ty.bits());
    let fits = is_placed(function, inst)
        && data.opcode == Opcode::G_STORE
        && !memory.is_atomic()
        && (same_size || !memory.flags.contains(MemFlags::VOLATILE))
        && (old != value || !same_size)
        && !ty.is_vector()
        && function.vregs[old].constraint == function.vregs[value].constraint
        && Scope::new(function).is_above(function, value, inst);
    if fits {
        let mut data = data.clone();
        data.operands[0] = Operand::used(value);
        data.memory[0] =
            MemOperand { ty: Some(ty), align: ty.bits().div_ceil(8).next_power_of_two(), ..data.memory[0] };
        function.replace(inst, data);
    }
    fits
}

/// True for an opcode whose operands of one type index are integers, or pointers, of one type that may change.
pub(super) fn follows_width(opcode: Opcode) -> bool {
    let tied = |rule: &TypeRule| matches!(rule, TypeRule::Parts(..) | TypeRule::SameSize(..));
    is_known(opcode) && opcode.info().is_some_and(|info| !info.rules.iter().any(tied))
}
