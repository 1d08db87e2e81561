//! Operations on the stack pointer and on frames, as copies of machine registers:
//!
//! ```text
//!                                          %a:_(p0) = COPY $x2
//! %p:_(p0) = G_DYN_STACKALLOC %n, 64       %b:_(s64) = G_PTRTOINT %a
//!                                    ==>   %c:_(s64) = G_SUB %b, %n
//!                                          %d:_(s64) = G_AND %c, -64
//!                                          %p:_(p0) = G_INTTOPTR %d
//!                                          $x2 = COPY %p
//! ```
//!
//! The size is a multiple of the stack's alignment already: the IRTranslator rounds it. The frames of callers are found
//! by the frame records, so `llvm.frameaddress` and `llvm.returnaddress` need a frame pointer. They are no row of the
//! legality tables, which do not see an intrinsic's name.

use super::Legalizer;
use super::artifacts::{Combine, Through, combined};
use super::recipe::Recipe;
use tribunal_ir::{Inst, InstData, MemFlags, MemOperand, Opcode, Operand, PReg, Reg, Type, VReg};
use tribunal_target::Target;

/// The most frames that an expansion goes up; each is a load.
const HIGHEST: u32 = 64;

/// `G_STACKSAVE`.
pub(super) fn save(r: &mut Recipe<'_>, target: &Target) {
    let dst = r.dst();
    r.builder.define(dst, Opcode::COPY, [Operand::used(target.abi.stack_pointer)]);
}

/// `G_STACKRESTORE`.
pub(super) fn restore(r: &mut Recipe<'_>, target: &Target) {
    let saved = r.register(0);
    set_stack_pointer(r, target, saved);
}

/// `G_DYN_STACKALLOC`.
pub(super) fn allocate(r: &mut Recipe<'_>, target: &Target) {
    let (dst, size, align) = (r.dst(), r.register(1), r.data.imm(2).unwrap_or(1));
    let (pointer, integer) = (r.type_of(dst), r.type_of(size));
    let old = read(r, pointer, target.abi.stack_pointer);
    let old = r.op(integer, Opcode::G_PTRTOINT, &[old]);
    let mut new = r.op(integer, Opcode::G_SUB, &[old, size]);
    if align > i64::from(target.abi.stack_align) {
        let mask = r.constant(integer, align.wrapping_neg());
        new = r.op(integer, Opcode::G_AND, &[new, mask]);
    }
    r.define(dst, Opcode::G_INTTOPTR, &[new]);
    set_stack_pointer(r, target, dst);
}

fn set_stack_pointer(r: &mut Recipe<'_>, target: &Target, value: VReg) {
    let pointer = Operand::def(Reg::Physical(target.abi.stack_pointer));
    r.builder.push(InstData::new(Opcode::COPY, [pointer, Operand::used(value)]));
}

/// The combine for an intrinsic that asks for the address of a frame, or of the code that it returns to.
pub(super) fn of_intrinsic(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let (function, target) = (&*legalizer.function, legalizer.context.target);
    let data = function.inst(inst);
    let (Opcode::G_INTRINSIC, Some(Operand::Intrinsic(name))) = (data.opcode, data.operands.get(1)) else {
        return None;
    };
    let name = function.symbols.get(*name)?.as_str();
    let height = u32::try_from(data.imm(2)?).ok().filter(|&height| height <= HIGHEST)?;
    // A machine without frame records has one register for both pointers.
    (target.abi.frame_pointer != target.abi.stack_pointer).then_some(())?;
    let word = i64::from(target.register_bytes());
    let (callers, returned) = (target.abi.frame_record_end - 2 * word, target.abi.frame_record_end - word);
    match name {
        "llvm.frameaddress" => combined("combine frame_address", Through::new(), move |r| {
            let frame = frame_pointer(r, target);
            let dst = r.dst();
            match height.checked_sub(1) {
                Some(height) => {
                    let frame = frame_above(r, frame, callers, height);
                    load(r, Some(dst), frame, callers);
                }
                None => r.define(dst, Opcode::COPY, &[frame]),
            }
        }),
        "llvm.returnaddress" => combined("combine return_address", Through::new(), move |r| {
            let frame = frame_pointer(r, target);
            let (dst, frame) = (r.dst(), frame_above(r, frame, callers, height));
            load(r, Some(dst), frame, returned);
        }),
        _ => None,
    }
}

/// A copy of the frame pointer, which the frame pass then sets up.
fn frame_pointer(r: &mut Recipe<'_>, target: &Target) -> VReg {
    r.builder.function.frame_info.is_frame_address_taken = true;
    let ty = r.type_of(r.dst());
    read(r, ty, target.abi.frame_pointer)
}

fn read(r: &mut Recipe<'_>, ty: Type, register: PReg) -> VReg {
    r.builder.build(ty, Opcode::COPY, [Operand::used(register)])
}

/// The frame pointer of so many callers up, each read from the record of the one below.
fn frame_above(r: &mut Recipe<'_>, frame: VReg, callers: i64, height: u32) -> VReg {
    (0..height).fold(frame, |frame, _| load(r, None, frame, callers))
}

/// Loads a pointer, into `dst` if one is named.
fn load(r: &mut Recipe<'_>, dst: Option<VReg>, base: VReg, offset: i64) -> VReg {
    let ty = r.type_of(base);
    let mut address = base;
    if offset != 0 {
        let distance = r.constant(Type::scalar(ty.bits()), offset);
        address = r.op(ty, Opcode::G_PTR_ADD, &[base, distance]);
    }
    let memory = MemOperand::new(MemFlags::LOAD, ty, ty.bits() / 8);
    match dst {
        Some(dst) => {
            let data = InstData::new(Opcode::G_LOAD, [Operand::def(dst), Operand::used(address)]);
            r.builder.push(data.with_memory(memory));
            dst
        }
        None => r.builder.load(Opcode::G_LOAD, ty, address, memory),
    }
}
