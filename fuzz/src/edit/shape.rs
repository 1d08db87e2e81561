//! What an instruction may be changed to without changing what stands around it.

use super::scope::Scope;
use crate::opcodes::*;
use tribunal_ir::{
    Function, Inst, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, Operand, OperandKind, Type, VReg,
};
use tribunal_target::Target;

/// Opcodes of one shape: operands of the same types in the same places, total but for what a program must avoid anyway.
const SIBLINGS: &[&[Opcode]] = {
    use Opcode::*;
    const BINARY: &[Opcode] = &joined::<{ PLAIN.len() + BEYOND.len() }>(PLAIN, BEYOND);
    const ALL_SHIFTS: &[Opcode] = &joined::<{ SHIFTS.len() + SATURATING_SHIFTS.len() }>(SHIFTS, SATURATING_SHIFTS);
    const ALL_COUNTS: &[Opcode] = &joined::<{ COUNTS.len() + 1 }>(COUNTS, &[Opcode::G_CTPOP]);
    &[
        BINARY,
        DIVISIONS,
        &[G_UDIVREM, G_SDIVREM],
        ALL_SHIFTS,
        &[G_ROTL, G_ROTR],
        &[G_FSHL, G_FSHR],
        OVERFLOWS,
        CARRIES,
        UNSIGNED_FIXED_POINT,
        SIGNED_FIXED_POINT,
        ALL_COUNTS,
        &[G_ABS, G_BITREVERSE, G_FREEZE, G_CONSTANT_FOLD_BARRIER],
        &[G_ZEXT, G_SEXT, G_ANYEXT],
        &[G_SEXT_INREG],
        &[G_ASSERT_SEXT, G_ASSERT_ZEXT],
        &[G_SCMP, G_UCMP],
        &[G_UBFX, G_SBFX],
        &[G_ZEXTLOAD, G_SEXTLOAD],
    ]
};

/// One list behind the other; `N` is the sum of their lengths.
const fn joined<const N: usize>(first: &[Opcode], second: &[Opcode]) -> [Opcode; N] {
    let mut all = [first[0]; N];
    let mut index = 1;
    while index < N {
        all[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    all
}

/// The rest of the integer opcodes that every target compiles.
const ALONE: &[Opcode] = {
    use Opcode::*;
    &[
        G_TRUNC,
        G_CONSTANT,
        G_IMPLICIT_DEF,
        G_PHI,
        G_ICMP,
        G_SELECT,
        G_BSWAP,
        G_PTR_ADD,
        G_PTRTOINT,
        G_INTTOPTR,
        G_LOAD,
        G_STORE,
        G_BR,
        G_BRCOND,
        G_MERGE_VALUES,
        G_UNMERGE_VALUES,
        G_EXTRACT,
        G_INSERT,
        G_FRAME_INDEX,
    ]
};

/// Families of opcodes of one shape.
pub fn families() -> &'static [&'static [Opcode]] {
    SIBLINGS
}

/// The opcodes that may stand in the place of `opcode`, itself among them.
pub fn siblings(opcode: Opcode) -> &'static [Opcode] {
    SIBLINGS.iter().copied().find(|family| family.contains(&opcode)).unwrap_or(&[])
}

/// The opcodes that may stand in the place of that of `inst`: its family, and where all types are one, that of the
/// other operations on two values.
pub fn alike(function: &Function, inst: Inst) -> Vec<Opcode> {
    let data = function.inst(inst);
    let own = siblings(data.opcode);
    let (values, shifts) = (siblings(Opcode::G_ADD), siblings(Opcode::G_SHL));
    let ty = |index: usize| data.vreg(index).and_then(|register| function.type_of(register));
    let one_type = ty(0).is_some() && ty(0) == ty(1) && ty(0) == ty(2);
    match own == values || own == shifts {
        true if one_type => values.iter().chain(shifts).copied().collect(),
        _ => own.to_vec(),
    }
}

/// True if programs of such instructions are what the generator writes: integers that every target compiles, no wider
/// than `widest` bits, divisions no wider than two registers.
pub fn is_supported(function: &Function, target: &Target, widest: u32) -> bool {
    let two_registers = 2 * target.register_type().bits();
    let fits = |inst: Inst| {
        let data = function.inst(inst);
        let known = !data.opcode.is_generic() || !siblings(data.opcode).is_empty() || ALONE.contains(&data.opcode);
        let limit = if divides(data.opcode) { two_registers } else { widest };
        let registers = data.operands.iter().filter_map(Operand::as_vreg);
        let within = |ty: Type| !ty.is_vector() && ty.bits() <= limit;
        known && registers.into_iter().all(|register| function.type_of(register).is_some_and(within))
    };
    function.all_insts().all(fits)
}

/// Divisions beyond two registers have no runtime function.
fn divides(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, G_UDIV | G_SDIV | G_UREM | G_SREM | G_UDIVREM | G_SDIVREM)
}

/// The poison-generating flags that an opcode may carry.
pub fn flags_of(opcode: Opcode) -> InstFlags {
    use Opcode::*;
    match opcode {
        G_ADD | G_SUB | G_MUL | G_SHL | G_TRUNC => InstFlags::NUW | InstFlags::NSW,
        G_UDIV | G_SDIV | G_LSHR | G_ASHR => InstFlags::EXACT,
        G_OR => InstFlags::DISJOINT,
        G_ZEXT => InstFlags::NNEG,
        _ => InstFlags::empty(),
    }
}

/// Flags that mean something; all others are of floating point or for the optimiser.
const POISON: InstFlags = InstFlags::NUW
    .union(InstFlags::NSW)
    .union(InstFlags::EXACT)
    .union(InstFlags::DISJOINT)
    .union(InstFlags::NNEG)
    .union(InstFlags::NUSW)
    .union(InstFlags::SAMESIGN)
    .union(InstFlags::INBOUNDS);

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
    let fits = is_placed(function, inst)
        && data.opcode == Opcode::G_ICMP
        && matches!(old, Some(Operand::Predicate(old)) if old != predicate);
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
    let flags = data.flags.difference(POISON) | (data.flags & flags_of(opcode));
    let data = InstData { opcode, flags, ..data.clone() };
    function.replace(inst, data);
    true
}

/// The range of an immediate that is a width within the register at operand 0.
pub fn immediate_range(function: &Function, data: &InstData, index: usize) -> Option<std::ops::Range<i64>> {
    let bits = |index: usize| Some(i64::from(function.type_of(data.vreg(index)?)?.bits()));
    match (data.opcode, index) {
        (Opcode::G_SEXT_INREG | Opcode::G_ASSERT_SEXT | Opcode::G_ASSERT_ZEXT, 2) => Some(1..bits(0)?),
        (Opcode::G_EXTRACT, 2) => Some(0..bits(1)? - bits(0)? + 1),
        (Opcode::G_INSERT, 3) => Some(0..bits(0)? - bits(2)? + 1),
        (Opcode::G_UMULFIX | Opcode::G_UMULFIXSAT, 3) => Some(0..bits(0)? + 1),
        (Opcode::G_SMULFIX | Opcode::G_SMULFIXSAT, 3) => Some(0..bits(0)?),
        _ => None,
    }
}

pub(super) fn set_immediate(function: &mut Function, inst: Inst, index: usize, value: i64) -> bool {
    let data = function.inst(inst);
    let range = immediate_range(function, data, index);
    let fits = is_placed(function, inst)
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
    let atomic = data.memory.iter().any(|memory| memory.flags.contains(MemFlags::ATOMIC));
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
        && !memory.flags.intersects(MemFlags::ATOMIC)
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
    use Opcode::*;
    let fixed = matches!(opcode, G_MERGE_VALUES | G_UNMERGE_VALUES | G_PTR_ADD | G_FRAME_INDEX);
    (!siblings(opcode).is_empty() || ALONE.contains(&opcode)) && !fixed
}

/// The kind of operand `index` of a fixed-shape instruction; for a PHI, of its registers.
pub(super) fn kind_at(data: &InstData, index: usize) -> Option<OperandKind> {
    let info = data.opcode.info()?;
    if data.opcode == Opcode::G_PHI {
        return Some(OperandKind::T0);
    }
    info.defs.iter().chain(info.uses).copied().nth(index)
}
