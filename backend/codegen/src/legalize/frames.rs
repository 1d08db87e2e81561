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
use tribunal_ir::{Inst, InstData, Opcode, Operand, PReg, Reg, Type, VReg};
use tribunal_target::Target;
use tribunal_target::frame_records::{FrameQuery, QueriedWord, record_operand};

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
    let query = FrameQuery::of(function, target, function.inst(inst))?;
    let name = match query.word {
        QueriedWord::Frame => "combine frame_address",
        QueriedWord::Return => "combine return_address",
    };
    combined(name, Through::new(), move |r| {
        let mut frame = frame_pointer(r, target);
        let mut left = query.records();
        for offset in query.loads(target) {
            left -= 1;
            let dst = (left == 0).then(|| r.dst());
            frame = load(r, target, dst, (frame, offset));
        }
        if query.records() == 0 {
            let dst = r.dst();
            r.define(dst, Opcode::COPY, &[frame]);
        }
    })
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

/// Loads the word of a frame record at an offset from a frame pointer, into `dst` if one is named.
fn load(r: &mut Recipe<'_>, target: &Target, dst: Option<VReg>, (base, offset): (VReg, i64)) -> VReg {
    let ty = r.type_of(base);
    let mut address = base;
    if offset != 0 {
        let distance = r.constant(Type::scalar(ty.bits()), offset);
        address = r.op(ty, Opcode::G_PTR_ADD, &[base, distance]);
    }
    let memory = record_operand(target);
    match dst {
        Some(dst) => {
            let data = InstData::new(Opcode::G_LOAD, [Operand::def(dst), Operand::used(address)]);
            r.builder.push(data.with_memory(memory));
            dst
        }
        None => r.builder.load(Opcode::G_LOAD, ty, address, memory),
    }
}
