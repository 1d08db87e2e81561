//! Planted faults of one instruction's annotations: its memory operand, and the promises of its flags.
//!
//! The code stays as it is, so only a judge that reads the annotation sees them. In `legalize` and `select` every rule
//! writes them; in a pass without rules the pass does.

use super::{ALL, Fault, Plant, RISCV, each_pass};
use tribunal_ir::{AtomicOrdering, InstData, InstFlags, MemFlags, MemOperand, Opcode, OpcodeFlags, Type};
use tribunal_target::Target;

pub(super) static FAULTS: &[Fault] = &each_pass! { Inst:
    "volatile-dropped", "memory operand", ALL, ["select", "allocate"],
        |data, _| memory(data, |access| flags(access, access.flags - MemFlags::VOLATILE));
    "volatile-added", "memory operand", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| flags(access, access.flags | MemFlags::VOLATILE));
    "invariant-added", "memory operand", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| flags(access, access.flags | MemFlags::INVARIANT));
    "dereferenceable-added", "memory operand", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| flags(access, access.flags | MemFlags::DEREFERENCEABLE));
    "direction-turned", "memory operand", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| flags(access, access.flags ^ (MemFlags::LOAD | MemFlags::STORE)));
    "access-claimed-narrower", "memory operand", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| sized(access, |bits| (bits % 16 == 0).then_some(bits / 2)));
    // A legalizer that widens what it must narrow does not end.
    "access-claimed-wider", "memory operand", ALL, ["select", "allocate"],
        |data, _| memory(data, |access| sized(access, |bits| (bits < 64).then_some(2 * bits)));
    "ordering-raised", "memory operand", ALL, ["allocate"],
        |data, _| memory(data, |access| {
            access.ordering = AtomicOrdering::SequentiallyConsistent;
            Some(())
        });
    "memory-operand-dropped", "memory operand", ALL, ["select", "allocate"],
        |data, _| (!data.memory.is_empty()).then(|| data.memory.clear());
    "alignment-raised", "alignment", ALL, ["legalize", "select", "allocate"],
        |data, _| memory(data, |access| {
            access.align *= 2;
            Some(())
        });
    "alignment-lost", "alignment", RISCV, ["select"],
        |data, _| memory(data, |access| (access.align > 1).then(|| access.align = 1));
    "nuw-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::NUW);
    "nsw-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::NSW);
    "exact-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::EXACT);
    "disjoint-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::DISJOINT);
    "nneg-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::NNEG);
    "samesign-added", "flag without its reason", ALL, ["legalize"], |data, _| promised(data, InstFlags::SAMESIGN);
    "nsw-of-the-machine", "flag without its reason", ALL, ["allocate"],
        |data, target| {
            (is_plain(data, target) && !data.flags.contains(InstFlags::NSW)).then(|| data.flags |= InstFlags::NSW)
        };
};

/// Changes the only memory operand of an instruction.
fn memory(data: &mut InstData, change: impl Fn(&mut MemOperand) -> Option<()>) -> Option<()> {
    change(data.memory.first_mut()?)
}

fn flags(access: &mut MemOperand, new: MemFlags) -> Option<()> {
    (access.flags != new).then(|| access.flags = new)
}

fn sized(access: &mut MemOperand, change: impl Fn(u32) -> Option<u32>) -> Option<()> {
    access.ty = Some(Type::scalar(change(access.ty?.bits())?));
    Some(())
}

/// Adds a promise that the opcode can make.
fn promised(data: &mut InstData, promise: InstFlags) -> Option<()> {
    let can = data.opcode.info()?.inst_flags.contains(promise);
    (can && !data.flags.contains(promise)).then(|| data.flags |= promise)
}

fn is_plain(data: &InstData, target: &Target) -> bool {
    matches!(data.opcode, Opcode::Target(opcode) if target.instruction(opcode).flags == OpcodeFlags::empty())
}
