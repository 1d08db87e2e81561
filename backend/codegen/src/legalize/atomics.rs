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
    AtomicOrdering, Family, InstData, IntPredicate, MemOperand, Opcode, Operand, PReg, SyncScope, Type, VReg,
};
use tribunal_target::Target;
use tribunal_target::runtime::AtomicFunction;

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

/// It succeeded if it found what it expected.
fn with_success(r: &mut Recipe<'_>) -> bool {
    let (old, success, address) = (r.register(0), r.register(1), r.register(2));
    let (expected, new) = (r.register(3), r.register(4));
    let whole = r.data.memory.iter().all(|memory| memory.ty.is_some_and(|ty| ty.bits() == r.bits_of(old)));
    if !whole {
        return false;
    }
    let operands = [Operand::def(old), Operand::used(address), Operand::used(expected), Operand::used(new)];
    rewritten(r, Opcode::G_ATOMIC_CMPXCHG, operands.into_iter().collect());
    let compared = [Operand::Predicate(IntPredicate::Eq), Operand::used(old), Operand::used(expected)];
    r.builder.define(success, Opcode::G_ICMP, compared);
    true
}

/// Calls the library function that does the same, as LLVM's `createAtomicLibcall` does; false if there is none.
pub(super) fn call(r: &mut Recipe<'_>, target: &Target) -> bool {
    let [memory] = r.data.memory.as_slice() else { return false };
    let Some(bits) = memory.ty.map(Type::bits) else { return false };
    let Some(callee) = AtomicFunction::of(r.data.opcode, bits, memory.merged_ordering()) else { return false };
    let Some(signature) = target.atomic_signature(&callee) else { return false };
    let register = target.register_type();
    let places: Vec<Vec<PReg>> = signature.arguments.iter().map(|value| value.registers.to_vec()).collect();
    let written = libcall::call_with(r, target, (&callee.to_string(), &places, &signature.result.registers), |r| {
        let first_value = r.data.operands.len() - callee.values();
        let mut arguments = Vec::new();
        for index in first_value..r.data.operands.len() {
            let mut value = r.register(index);
            if callee.takes_complement() {
                let ty = r.type_of(value);
                let ones = r.constant(ty, -1);
                value = r.op(ty, Opcode::G_XOR, &[value, ones]);
            }
            match r.bits_of(value) > register.bits() {
                true => arguments.extend(r.unmerge(register, value)),
                false => arguments.push(r.resized(Opcode::G_ANYEXT, value, register)),
            }
        }
        arguments.push(r.register(first_value - 1));
        arguments
    });
    if written {
        let dst = r.dst();
        libcall::returned(r, &signature.result.registers, dst);
    }
    written
}
