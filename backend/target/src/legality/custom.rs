//! The expansion that a rule's `custom` asks for: the target names one of those that the legalizer can write. An opcode
//! for which the target names none has none.

use tribunal_ir::Opcode;

/// The expansion of one opcode.
pub struct CustomDesc {
    /// The opcode.
    pub opcode: Opcode,
    /// The expansion that the legalizer writes for it.
    pub expansion: Expansion,
}

/// Expansions that some machine has a use for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// `s32` in a register of 64 bits: this opcode on the extended operands, and the low word of its result. Of the
    /// opcode itself the low word is sign-extended first, as instructions on words do.
    Word(Opcode),
    /// Trailing zeros as the leading ones of the reversed bits.
    ByReversal,
}
