//! Instructions that end the program.

use tribunal_ir::{InstData, Opcode, OpcodeFlags};
use tribunal_target::Target;

/// True for an instruction that ends the program: it leaves the function for no place. A debugger's trap is none.
pub(super) fn is_trap(target: &Target, data: &InstData) -> bool {
    let Opcode::Target(opcode) = data.opcode else {
        return matches!(data.opcode, Opcode::G_TRAP | Opcode::G_UBSANTRAP);
    };
    let flags = target.instruction(opcode).flags;
    let leaves = OpcodeFlags::BRANCH | OpcodeFlags::RETURN | OpcodeFlags::CALL | OpcodeFlags::INDIRECT;
    flags.contains(OpcodeFlags::TERMINATOR | OpcodeFlags::BARRIER) && !flags.intersects(leaves)
}

/// True for `G_TRAP`, and for the instruction that stands for it.
pub(super) fn is_plain_trap(target: &Target, data: &InstData) -> bool {
    let own = target.machine.trap();
    data.opcode == Opcode::G_TRAP || (data.opcode, &data.operands) == (own.opcode, &own.operands)
}
