//! The vocabulary of a machine: the names that the language needs to read, print and walk its functions, and no more.
//!
//! Each target implements it. Numbers are indices into the target's own tables.

use crate::opcode::{OpcodeFlags, TargetOpcode};
use crate::semantics::float::FloatEnvironment;

/// A physical register: an index into the target's register table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PReg(pub u16);

/// A register class: an index into the target's class table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegClass(pub u8);

/// A register bank: an index into the target's bank table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegBank(pub u8);

/// A sub-register index (`sub_32`); 0 is the whole register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SubReg(pub u8);

/// A mask of the registers that a call preserves: an index into the target's table of masks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegMask(pub u8);

/// Flags of an operand that is an address: bit N stands for entry N of [`Vocabulary::target_flags`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct TargetFlags(pub u32);

impl TargetFlags {
    /// No flag.
    pub const NONE: TargetFlags = TargetFlags(0);

    /// The flags of both.
    pub const fn union(self, other: TargetFlags) -> TargetFlags {
        TargetFlags(self.0 | other.0)
    }

    /// True if it has every flag of `other`.
    pub const fn contains(self, other: TargetFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The registers that a call preserves, of those in the target's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preserved {
    /// The ABI's callee-saved ones.
    CalleeSaved,
    /// Those of them that hold integers and pointers.
    General,
    /// These, and others that no table lists.
    More,
    /// None: a call may change every register.
    Nothing,
}

/// The names of one machine.
pub trait Vocabulary: Sync {
    /// LLVM's architecture name in a triple: `riscv64`, `aarch64`.
    fn architecture(&self) -> &'static str;
    /// Size of a pointer, in bits.
    fn pointer_bits(&self, address_space: u8) -> u16;

    /// The target's opcode of this name.
    fn opcode(&self, name: &str) -> Option<TargetOpcode>;
    /// LLVM's name of the opcode.
    fn opcode_name(&self, opcode: TargetOpcode) -> &'static str;
    /// Static properties of the opcode.
    fn opcode_flags(&self, opcode: TargetOpcode) -> OpcodeFlags;
    /// The number of explicit operands, from the first, that are definitions.
    fn opcode_defs(&self, opcode: TargetOpcode) -> usize;
    /// True if the row of the opcode takes the index of this part as an operand, and defines a register of so many bits
    /// first.
    fn opcode_takes_part(&self, opcode: TargetOpcode, part: i64, whole_bits: u32) -> bool;

    /// `name` without the dollar sign.
    fn register(&self, name: &str) -> Option<PReg>;
    /// LLVM's name of the register, without `$`.
    fn register_name(&self, register: PReg) -> &'static str;
    /// Size in bits.
    fn register_bits(&self, register: PReg) -> u32;
    /// The widest register that contains this one: `x0` for `w0`. Registers alias exactly if this is the same.
    fn full_register(&self, register: PReg) -> PReg;
    /// True for the low part of a register whose rest holds ones after a write of the part (NaN boxing), and not zeros.
    fn is_boxed(&self, _register: PReg) -> bool {
        false
    }
    /// True for a register that always reads as zero. Those of the environment of floating point do in a function that
    /// is not strict: LLVM's default environment.
    fn is_zero_register(&self, register: PReg) -> bool;
    /// The registers of the environment of floating point; `None` if the machine has none.
    fn float_environment(&self) -> Option<&'static FloatEnvironment> {
        None
    }

    /// The register class of this name.
    fn class(&self, name: &str) -> Option<RegClass>;
    /// LLVM's name of the class.
    fn class_name(&self, class: RegClass) -> &'static str;
    /// Size of the class's registers in bits.
    fn class_bits(&self, class: RegClass) -> u32;
    /// The register bank of this name.
    fn bank(&self, name: &str) -> Option<RegBank>;
    /// LLVM's name of the bank.
    fn bank_name(&self, bank: RegBank) -> &'static str;

    /// The mask of this name: `csr_ilp32_lp64`.
    fn register_mask(&self, name: &str) -> Option<RegMask>;
    /// LLVM's name of the mask.
    fn register_mask_name(&self, mask: RegMask) -> &'static str;
    /// The registers that a call with this mask preserves.
    fn preserved(&self, mask: RegMask) -> Preserved;

    /// The target flags of operands by LLVM's names, in the order in which LLVM prints them; 32 at most.
    fn target_flags(&self) -> &'static [&'static str];

    /// The subregister index of this name.
    fn subregister(&self, name: &str) -> Option<SubReg>;
    /// LLVM's name of the index: `sub_32`; empty for the whole register, and for a number that is no index.
    fn subregister_name(&self, index: SubReg) -> &'static str;
    /// Size in bits of the part that `index` names, which starts at bit 0; 0 for a number that is no index.
    fn subregister_bits(&self, index: SubReg) -> u32;
}
