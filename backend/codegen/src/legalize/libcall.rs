//! Calls of the runtime library: the sequence that LLVM's `createLibcall` writes, with the copies of arguments and
//! results.

use super::recipe::Recipe;
use super::{atomics, floats, memory_function};
use tribunal_ir::{
    Bits, Function, Inst, InstData, MemFlags, MemOperand, Opcode, Operand, PReg, Reg, SlotKind, StackObject, StackSlot,
    Type, VReg,
};
use tribunal_target::Target;
use tribunal_target::calls::PassedValue;
use tribunal_target::environment::MemoryFunction;
use tribunal_target::runtime::{RuntimeFunction, RuntimeType};

/// Calls the function that does what the instruction does; false if there is none, or if no call may stand here.
pub(super) fn call(r: &mut Recipe<'_>, target: &Target) -> bool {
    match MemoryFunction::of_opcode(r.data.opcode) {
        Some(function) => memory_function::call(r, target, function),
        None if r.data.memory.iter().any(MemOperand::is_atomic) => atomics::call(r, target),
        None if r.data.opcode == Opcode::G_FCMP => floats::compare(r, target),
        None => runtime_function(r, target),
    }
}

/// Calls the runtime function that computes the instruction's result.
fn runtime_function(r: &mut Recipe<'_>, target: &Target) -> bool {
    let result = r.type_of(r.dst());
    let sources: Vec<VReg> = (1..r.data.operands.len()).map_while(|index| r.data.vreg(index)).collect();
    let types: Vec<Type> = sources.iter().map(|&source| r.type_of(source)).collect();
    let Some(callee) = RuntimeFunction::of(r.data.opcode.in_default_environment(), result, &types) else {
        return false;
    };
    let dst = r.dst();
    call_of(r, target, callee, &sources, dst)
}

/// Calls a runtime function on these values, and defines `dst` as its result. False if no call may stand here.
pub(super) fn call_of(
    r: &mut Recipe<'_>,
    target: &Target,
    callee: &RuntimeFunction,
    sources: &[VReg],
    dst: VReg,
) -> bool {
    let Some(signature) = target.signature(callee, r.call_mask) else { return false };
    let has_floats = callee.arguments.iter().chain([&callee.result]).any(|ty| matches!(ty, RuntimeType::Float(_)));
    let calls = target.abi.calls.as_ref();
    if has_floats && !calls.is_some_and(|calls| calls.passes_floats_as_named(r.builder.function, r.call_mask)) {
        return false;
    }
    let places: Vec<Vec<PReg>> = signature.passed().map(|value| value.registers.to_vec()).collect();
    let mut place_of_result = None;
    let written = call_with(r, target, (callee.name, &places, signature.returned()), |r| {
        let mut passed = Vec::new();
        if signature.result.by_reference {
            let slot = new_object(r, signature.result.bits);
            passed.push(frame_address(r, target, slot));
            place_of_result = Some(slot);
        }
        for ((&source, value), &ty) in sources.iter().zip(&signature.arguments).zip(callee.arguments) {
            match value.by_reference {
                true => passed.push(stored(r, target, source)),
                false => passed.extend(contents(r, target, source, (ty, value))),
            }
        }
        passed
    });
    if !written {
        return false;
    }
    match place_of_result {
        Some(slot) => {
            let address = frame_address(r, target, slot);
            let load = InstData::new(Opcode::G_LOAD, [Operand::def(dst), Operand::used(address)]);
            r.builder.push(load.with_memory(of_object(MemFlags::LOAD, signature.result.bits)));
        }
        None => returned(r, signature.returned(), dst),
    }
    true
}

/// The address of a stack object that holds a value, for a callee that may change it.
fn stored(r: &mut Recipe<'_>, target: &Target, value: VReg) -> VReg {
    let bits = r.bits_of(value);
    let slot = new_object(r, bits);
    let address = frame_address(r, target, slot);
    r.builder.store(value, address, of_object(MemFlags::STORE, bits));
    address
}

/// A value as the registers hold it that pass it, low part first. Integers are extended as the convention demands.
fn contents(r: &mut Recipe<'_>, target: &Target, source: VReg, (ty, value): (RuntimeType, &PassedValue)) -> Vec<VReg> {
    let register = target.register_type();
    let [first] = value.registers.as_slice() else { return r.unmerge(register, source) };
    let own = Type::scalar(target.vocabulary.register_bits(*first));
    if own.bits() == value.bits {
        return vec![source];
    }
    if matches!(ty, RuntimeType::Float(_)) && target.vocabulary.is_boxed(*first) {
        let box_bits = Bits::ones(own.bits()).shl(value.bits);
        let (above, number) = (r.builder.constant(own, box_bits), r.op(own, Opcode::G_ANYEXT, &[source]));
        return vec![r.op(own, Opcode::G_OR, &[number, above])];
    }
    let is_extended = target.abi.extended_to >= register.bits() && matches!(ty, RuntimeType::Integer(_));
    let opcode = if is_extended { Opcode::G_SEXT } else { Opcode::G_ANYEXT };
    vec![r.op(own, opcode, &[source])]
}

/// Defines `dst` as the low bits of these registers, of which one may be as wide as it.
pub(super) fn returned(r: &mut Recipe<'_>, results: &[PReg], dst: VReg) {
    if let [result] = results
        && r.vocabulary.register_bits(*result) == r.type_of(dst).bits()
    {
        r.builder.push(copy(dst.into(), (*result).into()));
        return;
    }
    let types = results.iter().map(|&result| Type::scalar(r.vocabulary.register_bits(result)));
    let parts: Vec<VReg> = types.map(|ty| r.builder.function.new_vreg(ty)).collect();
    for (&to, &from) in parts.iter().zip(results) {
        r.builder.push(copy(to.into(), from.into()));
    }
    match parts.as_slice() {
        &[part] => r.define_resized(dst, Opcode::G_ANYEXT, part),
        parts => r.merge(dst, parts),
    }
}

/// Writes the call of a symbol, with the registers of its arguments and of its results, up to the end of its call
/// frame. `arguments` writes what the call needs, and gives a value for each register. False if no call may stand here.
pub(super) fn call_with<'f>(
    r: &mut Recipe<'f>,
    target: &Target,
    (symbol, places, results): (&str, &[Vec<PReg>], &[PReg]),
    arguments: impl FnOnce(&mut Recipe<'f>) -> Vec<VReg>,
) -> bool {
    let Some(calls) = &target.abi.calls else { return false };
    if holds_register(r.builder.function, target, r.inst) {
        return false;
    }
    let places = || places.iter().flatten().copied();
    let Some(mask) = r.call_mask else { return false };
    let Some(call) = target.library_call(r.builder.function, symbol, mask, places(), results) else { return false };
    let arguments = arguments(r);
    r.builder.push(target.call_frame(calls.frame_setup, 0));
    for (to, from) in places().zip(arguments) {
        r.builder.push(copy(to.into(), from.into()));
    }
    r.builder.push(call);
    r.builder.push(target.call_frame(calls.frame_destroy, 0));
    true
}

/// A stack object for a value of so many bits.
pub(super) fn new_object(r: &mut Recipe<'_>, bits: u32) -> StackSlot {
    r.builder.function.stack.push(StackObject::new(SlotKind::Default, u64::from(bits / 8), bits / 8))
}

/// The access to all of such an object.
pub(super) fn of_object(direction: MemFlags, bits: u32) -> MemOperand {
    MemOperand::new(direction, Type::scalar(bits), bits / 8)
}

/// The address of a stack object.
pub(super) fn frame_address(r: &mut Recipe<'_>, target: &Target, slot: StackSlot) -> VReg {
    let ty = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    r.builder.build(ty, Opcode::G_FRAME_INDEX, [Operand::Stack(slot)])
}

fn copy(to: Reg, from: Reg) -> InstData {
    InstData::new(Opcode::COPY, [Operand::def(to), Operand::used(from)])
}

/// True if some register that a call clobbers is written before `inst` and read after it in this block. Input does so
/// only if it copies a result, or an argument, on the wrong side of the computation.
fn holds_register(function: &Function, target: &Target, inst: Inst) -> bool {
    let mut written = Vec::new();
    let rest = std::iter::successors(function.next_inst(inst), |&inst| function.next_inst(inst));
    for data in rest.map(|inst| function.inst(inst)) {
        let full = |reg: Reg| reg.as_physical().map(|register| target.vocabulary.full_register(register));
        let mut read = data.uses().filter_map(|operand| full(operand.reg));
        if read.any(|register| target.abi.caller_saved.contains(&register) && !written.contains(&register)) {
            return true;
        }
        written.extend(data.defs().filter_map(|operand| full(operand.reg)));
    }
    false
}
