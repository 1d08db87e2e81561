//! The shape of an instruction table. The rows are in `<isa>/instructions.rs`, one instruction a row.

use crate::Features;
use tribunal_ir::{OpcodeFlags, PReg, RegClass};

/// One explicit operand of a machine instruction, in LLVM's operand order; definitions first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandDesc {
    Def(RegClass),
    Use(RegClass),
    /// A use that must share its register with explicit operand `to`.
    Tied {
        class: RegClass,
        to: u8,
    },
    /// A base address: a register of the class, or a stack object before the frame is laid out.
    Base(RegClass),
    /// An immediate that fits.
    Imm(ImmRange),
    /// A branch destination: signed byte distance of `bits` bits, a multiple of `scale`.
    Label {
        bits: u8,
        scale: u8,
    },
    /// What a call calls: a symbol, or once it is placed the signed byte distance to it.
    Callee,
    /// The mask of the registers that a call preserves.
    RegisterMask,
}

/// Which immediates an operand accepts, as they stand in MIR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmRange {
    /// `-2^(bits-1) .. 2^(bits-1)`.
    Signed(u8),
    /// `0 .. 2^bits`.
    Unsigned(u8),
    /// AArch64's encoded bitmask of a 32-bit or 64-bit register, as LLVM writes it (N:immr:imms).
    LogicalMask(u8),
    /// Exactly these.
    OneOf(&'static [i64]),
}

impl ImmRange {
    /// True if `value` may stand in the operand. Bitmask encodings are checked for their form by the encoder.
    pub fn accepts(self, value: i64) -> bool {
        match self {
            ImmRange::Signed(bits) => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value),
            ImmRange::Unsigned(bits) => (0..1i64 << bits).contains(&value),
            ImmRange::LogicalMask(bits) => (0..if bits == 64 { 1 << 13 } else { 1 << 12 }).contains(&value),
            ImmRange::OneOf(values) => values.contains(&value),
        }
    }
}

/// The symbol of a call.
pub(crate) const CALLEE: OperandDesc = OperandDesc::Callee;
/// The mask of a call.
pub(crate) const MASK: OperandDesc = OperandDesc::RegisterMask;
/// Bytes of the stack.
pub(crate) const SIZE: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(31));

/// The bytes of a row's code: those it gives, or one word's.
pub(crate) const fn bytes(given: &[u8]) -> u8 {
    match given {
        [size, ..] => *size,
        [] => 4,
    }
}

impl OperandDesc {
    pub fn is_def(&self) -> bool {
        matches!(self, OperandDesc::Def(_))
    }

    /// The class of a register operand.
    pub fn class(&self) -> Option<RegClass> {
        match *self {
            OperandDesc::Def(class) | OperandDesc::Use(class) | OperandDesc::Base(class) => Some(class),
            OperandDesc::Tied { class, .. } => Some(class),
            OperandDesc::Imm(_) | OperandDesc::Label { .. } => None,
            OperandDesc::Callee | OperandDesc::RegisterMask => None,
        }
    }
}

/// One machine instruction.
pub struct InstrDesc {
    /// LLVM's opcode name.
    pub name: &'static str,
    pub operands: &'static [OperandDesc],
    /// Physical registers read and written besides the operands (flags).
    pub implicit_uses: &'static [PReg],
    pub implicit_defs: &'static [PReg],
    pub flags: OpcodeFlags,
    /// What a machine must have to run it.
    pub requires: Features,
    /// Bytes of machine code once pseudos are expanded; 0 for what is gone by then.
    pub size: u8,
}

/// Why an instruction has no machine code: always a fault of the stage before, never of the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    #[error("{name}: operand {index} is not what the instruction takes")]
    Operand { name: &'static str, index: usize },
    #[error("{name}: {value} does not fit operand {index}")]
    Range { name: &'static str, index: usize, value: i64 },
    #[error("{name} is not an instruction of this machine")]
    Missing { name: &'static str },
    #[error("{name} is a pseudo-instruction")]
    Pseudo { name: &'static str },
}
