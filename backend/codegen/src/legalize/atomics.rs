//! Atomic accesses: ordered loads and stores become unordered ones between fences, and operations on memory that a
//! machine lacks become those that it has, or calls of the library.
//!
//! Fences stand where tables A.6 and A.7 of the RISC-V ELF psABI have them, as LLVM writes them. So code that another
//! compiler made by either table works with it:
//!
//! | access | fence before | fence after |
//! |---|---|---|
//! | load, acquire | | acquire |
//! | load, sequentially consistent | sequentially consistent | acquire |
//! | store, release | release | |
//! | store, sequentially consistent | release | sequentially consistent |
//!
//! Invariant: an access stays whole, and no memory operand is left more ordered than its instruction.

use super::libcall;
use super::recipe::Recipe;
use tribunal_ir::inst::Operands;
use tribunal_ir::{
    AtomicOrdering, Family, InstData, IntPredicate, MemFlags, MemOperand, Opcode, Operand, PReg, StackSlot, SyncScope,
    Type, VReg,
};
use tribunal_target::Target;
use tribunal_target::runtime::{AtomicArgument, AtomicFunction};

/// True for a load or store that orders others, which fences can do in its place.
pub(super) fn is_fenced(r: &Recipe<'_>) -> bool {
    let orders = |memory: &MemOperand| memory.is_atomic() && !memory.ordering.fenced().is_empty();
    matches!(r.data.opcode.family(), Some(Family::Load | Family::Store)) && r.data.memory.iter().any(orders)
}

/// The access, unordered, between fences.
pub(super) fn fenced(r: &mut Recipe<'_>) {
    use AtomicOrdering::{Acquire, Release, SequentiallyConsistent};
    let (mut data, is_load) = (r.data.clone(), r.data.opcode.family() == Some(Family::Load));
    let (mut ordering, mut scope) = (AtomicOrdering::Monotonic, SyncScope::System);
    for memory in &mut data.memory {
        (ordering, scope) = (memory.ordering, memory.scope);
        memory.ordering = AtomicOrdering::Monotonic;
    }
    let is_total = ordering == SequentiallyConsistent;
    let (before, after) = match is_load {
        true => (is_total.then_some(SequentiallyConsistent), Some(Acquire)),
        false => (Some(Release), is_total.then_some(SequentiallyConsistent)),
    };
    before.into_iter().for_each(|ordering| fence(r, ordering, scope));
    r.builder.push(data);
    after.into_iter().for_each(|ordering| fence(r, ordering, scope));
}

fn fence(r: &mut Recipe<'_>, ordering: AtomicOrdering, scope: SyncScope) {
    r.builder.push(InstData::new(Opcode::G_FENCE, [Operand::Imm(ordering.number()), Operand::Imm(scope.number())]));
}

/// The operation on values of a wider type: bits above the access count for nothing.
pub(super) fn widen(r: &mut Recipe<'_>, ty: Type) {
    let mut operands: Operands = r.data.operands();
    for index in 2..operands.len() {
        let value = r.register(index);
        operands[index] = Operand::used(r.op(ty, Opcode::G_ANYEXT, &[value]));
    }
    let wide = r.builder.function.new_vreg(ty);
    operands[0] = Operand::def(wide);
    rewritten(r, r.data.opcode, operands);
    let dst = r.dst();
    r.define(dst, Opcode::G_TRUNC, &[wide]);
}

/// Another operation on the same memory.
fn rewritten(r: &mut Recipe<'_>, opcode: Opcode, operands: Operands) {
    let memory = r.data.memory.clone();
    r.builder.push(InstData { operands, memory, ..InstData::new(opcode, []) });
}

/// An operation that the machine lacks; false if there is no recipe.
pub(super) fn lower(r: &mut Recipe<'_>) -> bool {
    match r.data.opcode {
        _ if r.type_of(r.dst()).is_pointer() => of_integers(r),
        Opcode::G_ATOMICRMW_SUB => subtraction(r),
        Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS => return with_success(r),
        _ => return false,
    }
    true
}

/// An operation on pointers, as one on integers.
fn of_integers(r: &mut Recipe<'_>) {
    let (dst, mut operands) = (r.dst(), r.data.operands());
    let ty = Type::scalar(r.bits_of(dst));
    let old = r.builder.function.new_vreg(ty);
    let is_pointer = |r: &Recipe<'_>, register: VReg| r.type_of(register).is_pointer();
    let first_value = r.data.operands.iter().filter(|operand| operand.is_def()).count() + 1;
    for index in first_value..operands.len() {
        let value = r.register(index);
        if is_pointer(r, value) {
            operands[index] = Operand::used(r.op(ty, Opcode::G_PTRTOINT, &[value]));
        }
    }
    operands[0] = Operand::def(old);
    let mut data = InstData { operands, ..r.data.clone() };
    for memory in &mut data.memory {
        memory.ty = Some(ty);
    }
    r.builder.push(data);
    r.define(dst, Opcode::G_INTTOPTR, &[old]);
}

/// The sum with the negated value.
fn subtraction(r: &mut Recipe<'_>) {
    let (value, mut operands) = (r.register(2), r.data.operands());
    let ty = r.type_of(value);
    let zero = r.constant(ty, 0);
    operands[2] = Operand::used(r.op(ty, Opcode::G_SUB, &[zero, value]));
    rewritten(r, Opcode::G_ATOMICRMW_ADD, operands);
}

/// It succeeded if it found what it expected, in the bits of the access.
fn with_success(r: &mut Recipe<'_>) -> bool {
    let (old, success, address) = (r.register(0), r.register(1), r.register(2));
    let (expected, new) = (r.register(3), r.register(4));
    let [MemOperand { ty: Some(accessed), .. }] = r.data.memory[..] else { return false };
    let operands = [Operand::def(old), Operand::used(address), Operand::used(expected), Operand::used(new)];
    rewritten(r, Opcode::G_ATOMIC_CMPXCHG, operands.into_iter().collect());
    let compared = match accessed.bits() < r.bits_of(old) {
        true => [old, expected].map(|value| r.op(Type::scalar(accessed.bits()), Opcode::G_TRUNC, &[value])),
        false => [old, expected],
    };
    let [found, wanted] = compared.map(Operand::used);
    r.builder.define(success, Opcode::G_ICMP, [Operand::Predicate(IntPredicate::Eq), found, wanted]);
    true
}

/// Calls the library function that does the same, as LLVM's `createAtomicLibcall` and AtomicExpand do; false if there
/// is none. A comparison has its expected value in a stack object, where it finds the old value afterwards.
pub(super) fn call(r: &mut Recipe<'_>, target: &Target) -> bool {
    let ([memory], Some(calls)) = (r.data.memory.as_slice(), &target.abi.calls) else { return false };
    let Some(bits) = memory.ty.map(Type::bits) else { return false };
    let callee = AtomicFunction::of(calls.atomics, r.data.opcode, bits, memory.merged_ordering());
    let Some((callee, signature)) = callee.and_then(|callee| Some((callee, target.atomic_signature(&callee)?))) else {
        return false;
    };
    // Other rules bring a value to a width that the registers have.
    let widest = bits.max(target.register_type().bits());
    let values = r.data.operands.iter().filter_map(Operand::as_reg).filter_map(|register| register.reg.as_virtual());
    if values.into_iter().any(|value| r.bits_of(value) > widest) {
        return false;
    }
    let places: Vec<Vec<PReg>> = signature.arguments.iter().map(|value| value.registers.to_vec()).collect();
    let (results, mut expected) = (&signature.result.registers, None);
    let written = libcall::call_with(r, target, (&callee.to_string(), &places, results), |r| {
        expected = callee.returns_success().then(|| libcall::new_object(r, bits));
        arguments(r, target, &callee, *memory, expected)
    });
    if !written || r.data.operands.first().is_none_or(|first| !first.is_def()) {
        return written;
    }
    let dst = r.dst();
    match expected {
        Some(slot) => {
            let address = libcall::frame_address(r, target, slot);
            let old =
                r.builder.load(Opcode::G_LOAD, Type::scalar(bits), address, libcall::of_object(MemFlags::LOAD, bits));
            r.define_resized(dst, Opcode::G_ANYEXT, old);
        }
        None => libcall::returned(r, results, dst),
    }
    true
}

/// The contents of the registers that pass the arguments of a function of the library.
fn arguments(
    r: &mut Recipe<'_>,
    target: &Target,
    callee: &AtomicFunction,
    memory: MemOperand,
    expected: Option<StackSlot>,
) -> Vec<VReg> {
    // A store has its value before the address, and everything else after it.
    let registers = r.data.operands.iter().filter(|operand| !operand.is_def()).filter_map(Operand::as_reg);
    let mut registers: Vec<VReg> = registers.filter_map(|register| register.reg.as_virtual()).collect();
    let address = registers.remove(if r.data.opcode == Opcode::G_STORE { 1 } else { 0 });
    let mut values = registers.into_iter();
    // The second is asked for by a comparison alone.
    let mut orderings = [memory.merged_ordering(), memory.failure_ordering].into_iter();
    let mut passed = Vec::new();
    if let Some(slot) = expected
        && let Some(value) = values.next()
    {
        let (value, place) = (low_bits(r, value, callee.bits), libcall::frame_address(r, target, slot));
        r.builder.store(value, place, libcall::of_object(MemFlags::STORE, callee.bits));
    }
    for argument in callee.arguments() {
        match argument {
            AtomicArgument::Address => passed.push(address),
            AtomicArgument::Expected => passed.extend(expected.map(|slot| libcall::frame_address(r, target, slot))),
            AtomicArgument::Value => {
                if let Some(value) = values.next() {
                    passed.extend(contents(r, target, callee, value));
                }
            }
            AtomicArgument::Ordering => {
                let ordering = orderings.next().map_or(0, AtomicFunction::number_of);
                passed.push(r.constant(target.register_type(), ordering));
            }
        }
    }
    passed
}

/// The low bits of a value, so many; a value of that width as it is.
fn low_bits(r: &mut Recipe<'_>, value: VReg, bits: u32) -> VReg {
    r.resized(Opcode::G_ANYEXT, value, Type::scalar(bits))
}

/// A value as the registers hold it that pass it, low part first. libatomic is C, whose unsigned numbers are extended
/// as the convention demands; an outlined function reads the bits of its access alone.
fn contents(r: &mut Recipe<'_>, target: &Target, callee: &AtomicFunction, mut value: VReg) -> Vec<VReg> {
    let register = target.register_type();
    if callee.takes_complement() {
        let ty = r.type_of(value);
        let ones = r.constant(ty, -1);
        value = r.op(ty, Opcode::G_XOR, &[value, ones]);
    }
    if callee.bits > register.bits() {
        return r.unmerge(register, value);
    }
    let is_signed = callee.bits >= 32 && target.abi.extended_to > callee.bits;
    let extension = match callee.ordering {
        Some(_) => Opcode::G_ANYEXT,
        None if is_signed => Opcode::G_SEXT,
        None => Opcode::G_ZEXT,
    };
    if callee.ordering.is_none() {
        value = low_bits(r, value, callee.bits);
    }
    vec![r.resized(extension, value, register)]
}
