//! The shape of a calling convention. The values are in `<isa>/abi.rs`.

use tribunal_ir::{PReg, TargetOpcode};

/// What caller and callee agree on, for integers and pointers.
pub struct Abi {
    /// Full-width argument registers, in order.
    pub arguments: &'static [PReg],
    /// Full-width result registers, in order.
    pub results: &'static [PReg],
    /// Full-width registers that a function must leave as it found them.
    pub callee_saved: &'static [PReg],
    pub stack_pointer: PReg,
    pub return_address: PReg,
    /// Registers that the allocator never gives out and the frame pass may clobber between any two instructions.
    pub scratch: &'static [PReg],
    /// Bytes.
    pub stack_align: u32,
    /// The return instruction: operands are implicit uses of the results.
    pub return_opcode: TargetOpcode,
    /// Bits to which an integer argument or result narrower than a register is extended by the caller (callee for
    /// results): RISC-V extends to 64 (`signext`/`zeroext`; an `i32` is sign-extended); 0 where the rest is undefined.
    pub extended_to: u32,
}
