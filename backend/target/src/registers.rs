//! Shapes of the register tables: registers, classes, banks, sub-register indices. The rows are in
//! `<isa>/registers.rs`.

use crate::Features;
use crate::selection::Emit;
use tribunal_ir::{PReg, RegBank, RegClass};

/// A physical register.
pub struct RegisterDesc {
    /// LLVM's name in MIR, in lower case without the dollar sign.
    pub name: &'static str,
    /// The assembler's name: `a0`, `w0`.
    pub assembly: &'static str,
    /// Its size, in bits.
    pub bits: u32,
    /// The widest register that contains this one; itself if none.
    pub full: PReg,
    /// The number in instruction words.
    pub encoding: u8,
}

/// A register class: the registers that an operand accepts.
pub struct ClassDesc {
    /// LLVM's name in MIR: `gpr`, `gpr32sp`.
    pub name: &'static str,
    /// The size of its registers, in bits.
    pub bits: u32,
    /// The bank of its registers.
    pub bank: RegBank,
    /// All members.
    pub members: &'static [PReg],
    /// Allocatable members, best first; empty if none of the class is ever allocated (flags).
    pub allocatable: &'static [PReg],
}

/// A register bank: registers for values of some kind, and their spill and reload.
pub struct BankDesc {
    /// LLVM's name of the bank.
    pub name: &'static str,
    /// The widest value that it holds, in bits.
    pub max_bits: u32,
    /// The class of its whole registers, which are allocated, copied, spilled and reloaded.
    pub class: RegClass,
    /// The file of its registers, for the allocator.
    pub file: RegisterFile,
    /// Stores slot 0 to address 0.
    pub spill: Emit,
    /// Defines its result from address 0.
    pub reload: Emit,
    /// The features without which no value lives in it.
    pub requires: Features,
    /// The moves on a machine that has but a part of each register.
    pub narrower: Option<NarrowerMoves>,
    /// A write of a part fills the rest of the register with ones, not with zeros.
    pub boxes: bool,
}

/// The moves of a bank on a machine that lacks a feature, and so has but a part of each register.
pub struct NarrowerMoves {
    /// The feature.
    pub without: Features,
    /// The class of the parts.
    pub class: RegClass,
    /// Stores slot 0 to address 0.
    pub spill: Emit,
    /// Defines its result from address 0.
    pub reload: Emit,
}

/// The register files that the allocator knows, each with registers of its own. Within a file it names registers by
/// their numbers in instruction words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RegisterFile {
    /// Integers and pointers.
    General,
    /// Floating-point numbers.
    Float,
    /// Vectors.
    Vector,
}

/// A sub-register index. Row 0 is the whole register, with an empty name.
pub struct SubRegDesc {
    /// LLVM's name of the index; empty for the whole register.
    pub name: &'static str,
    /// The size of the part, in bits.
    pub bits: u32,
}
