//! Operations on lists of variable arguments, as the loads and stores that they are.
//!
//! ```text
//! G_VASTART %list(p0)   ==>   %a:_(p0) = G_FRAME_INDEX %fixed-stack.0
//!                             G_STORE %a(p0), %list(p0) ... and so for each field of the list
//! ```
//!
//! The fields depend on the frame, which no row of the legality tables sees. So the expansions are combines.

use super::Legalizer;
use super::artifacts::{Combine, combined};
use super::recipe::Recipe;
use tribunal_ir::{Inst, InstData, MemFlags, MemOperand, Opcode, Operand, Type, VReg};
use tribunal_target::variable_arguments::{self, FieldValue, FilledField, VaOperation};

/// The combine for an operation on a list. `None` if the target has no such lists: then the legality tables refuse it.
pub(super) fn expanded(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let (function, target) = (&*legalizer.function, legalizer.context.target);
    let data = function.inst(inst);
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let list = |flags, offset, ty| variable_arguments::list_operand(target, data, flags, offset, ty);
    match VaOperation::of(function, data)? {
        VaOperation::Start => {
            let fields = variable_arguments::filled(target, function).ok()?;
            if !variable_arguments::describes_list(target, data) {
                return None;
            }
            let with_operand =
                fields.into_iter().map(|field| (list(MemFlags::STORE, field.offset, field.ty), field)).collect();
            combined("combine va_start", Default::default(), move |r| start(r, with_operand))
        }
        VaOperation::Copy => {
            let ty = target.register_type();
            let offsets = (0..variable_arguments::list_words(target)).map(|word| word * target.register_bytes());
            let word = |offset| (offset, list(MemFlags::LOAD, offset, ty), list(MemFlags::STORE, offset, ty));
            let words: Vec<(u32, MemOperand, MemOperand)> = offsets.map(word).collect();
            combined("combine va_copy", Default::default(), move |r| copy(r, ty, &words))
        }
        VaOperation::End => combined("combine va_end", Default::default(), |_| {}),
        VaOperation::Argument => {
            let ty = function.type_of(data.vreg(0)?).filter(|ty| ty.bits().is_multiple_of(8) && !ty.is_vector())?;
            if !variable_arguments::is_pointer(target) {
                return None;
            }
            let expansion = ListArgument {
                pointer,
                of_list: [MemFlags::LOAD, MemFlags::STORE].map(|flags| list(flags, 0, pointer)),
                align: variable_arguments::extra_alignment(target, data),
                step: variable_arguments::step_bytes(target, ty),
                access: variable_arguments::argument_operand(target, data, ty),
            };
            combined("combine va_arg", Default::default(), move |r| expansion.write(r))
        }
    }
}

fn start(r: &mut Recipe<'_>, fields: Vec<(MemOperand, FilledField)>) {
    let list = r.register(0);
    for (memory, FilledField { offset, ty, value }) in fields {
        let value = match value {
            FieldValue::Number(number) => r.constant(ty, number),
            FieldValue::Any => r.constant(ty, 0),
            FieldValue::Address(object, bytes) => {
                let start = r.builder.build(ty, Opcode::G_FRAME_INDEX, [object]);
                moved(r, start, bytes)
            }
        };
        let address = r.pointer_plus(list, offset);
        r.builder.store(value, address, memory);
    }
}

/// All words are read before any is written: both lists may be one.
fn copy(r: &mut Recipe<'_>, ty: Type, words: &[(u32, MemOperand, MemOperand)]) {
    // The name of the intrinsic comes first.
    let (to, from) = (r.register(1), r.register(2));
    let mut values = Vec::new();
    for &(offset, memory, _) in words {
        let address = r.pointer_plus(from, offset);
        values.push(r.builder.load(Opcode::G_LOAD, ty, address, memory));
    }
    for (&(offset, _, memory), value) in words.iter().zip(values) {
        let address = r.pointer_plus(to, offset);
        r.builder.store(value, address, memory);
    }
}

/// The next argument of a list that is one pointer.
struct ListArgument {
    pointer: Type,
    /// Of the load and of the store of the pointer.
    of_list: [MemOperand; 2],
    align: Option<i64>,
    step: u32,
    access: MemOperand,
}

impl ListArgument {
    fn write(self, r: &mut Recipe<'_>) {
        let (dst, list) = (r.dst(), r.register(1));
        let [loaded, stored] = self.of_list;
        let mut place = r.builder.load(Opcode::G_LOAD, self.pointer, list, loaded);
        if let Some(align) = self.align {
            let above = moved(r, place, align - 1);
            let mask = r.constant(Type::scalar(self.pointer.bits()), -align);
            place = r.op(self.pointer, Opcode::G_PTRMASK, &[above, mask]);
        }
        let next = r.pointer_plus(place, self.step);
        r.builder.store(next, list, stored);
        let load = InstData::new(Opcode::G_LOAD, [Operand::def(dst), Operand::used(place)]);
        r.builder.push(load.with_memory(self.access));
    }
}

/// `pointer + bytes`.
fn moved(r: &mut Recipe<'_>, pointer: VReg, bytes: i64) -> VReg {
    if bytes == 0 {
        return pointer;
    }
    let ty = r.type_of(pointer);
    let bytes = r.constant(Type::scalar(ty.bits()), bytes);
    r.op(ty, Opcode::G_PTR_ADD, &[pointer, bytes])
}
