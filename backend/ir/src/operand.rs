//! Operands: registers, immediates, and references to entities of the function.
//!
//! Invariant: an operand is 16 bytes and `Copy`. Larger values stand in tables of the function, which the operand names
//! by number.

use crate::cfi::CfiInstruction;
use crate::entities::{Address, Block, FixedSlot, RegisterList, ShuffleMask, StackSlot, Symbol, VReg, WideConst};
use crate::float::FloatConstant;
use crate::predicate::{FloatPredicate, IntPredicate};
use crate::vocabulary::{PReg, RegMask, SubReg};
use bitflags::bitflags;

/// A register, virtual or physical.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reg {
    /// A register of the function.
    Virtual(VReg),
    /// A register of the machine.
    Physical(PReg),
}

impl Reg {
    /// The virtual register, if it is one.
    pub fn as_virtual(self) -> Option<VReg> {
        match self {
            Reg::Virtual(register) => Some(register),
            Reg::Physical(_) => None,
        }
    }

    /// The machine register, if it is one.
    pub fn as_physical(self) -> Option<PReg> {
        match self {
            Reg::Virtual(_) => None,
            Reg::Physical(register) => Some(register),
        }
    }
}

impl From<VReg> for Reg {
    fn from(register: VReg) -> Reg {
        Reg::Virtual(register)
    }
}

impl From<PReg> for Reg {
    fn from(register: PReg) -> Reg {
        Reg::Physical(register)
    }
}

bitflags! {
    /// How an operand touches its register.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct RegFlags: u16 {
        /// The register is written.
        const DEF = 1 << 0;
        /// The operand is not in the assembly text.
        const IMPLICIT = 1 << 1;
        /// Nothing reads the value written.
        const DEAD = 1 << 2;
        /// Nothing reads the register after this.
        const KILLED = 1 << 3;
        /// The value read does not matter.
        const UNDEF = 1 << 4;
        /// Written before the uses are read.
        const EARLY_CLOBBER = 1 << 5;
        /// Another register would do.
        const RENAMABLE = 1 << 6;
        /// Read within a bundle.
        const INTERNAL = 1 << 7;
        /// Read by a debug instruction only.
        const DEBUG_USE = 1 << 8;
    }
}

/// A register operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RegOperand {
    /// The register.
    pub reg: Reg,
    /// The operand's access to it.
    pub flags: RegFlags,
    /// The part of a virtual register; 0 for all of it.
    pub subregister: SubReg,
    /// Printed as `(tied-def N)`: this use shares its register with operand N.
    pub tied_to: Option<u8>,
}

/// The value of an [`Operand::Const`]. Aligned so that an operand takes 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(Rust, packed(4))]
pub struct PackedConst(pub i64);

/// One operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register, read or written.
    Reg(RegOperand),
    /// A plain immediate.
    Imm(i64),
    /// A typed integer constant, `i32 5`: the value sign-extended. [`crate::Function::constant`] makes it.
    Const {
        /// The width in bits.
        width: u16,
        /// The value, which sign-extends to the width.
        value: PackedConst,
    },
    /// A typed integer constant that no sign extension of 64 bits gives; [`crate::Function::constant_value`] reads it.
    WideConst(WideConst),
    /// A block: the destination of a branch, or where a PHI's value comes from.
    Block(Block),
    /// The predicate of a comparison.
    Predicate(IntPredicate),
    /// The address of an object of the function's frame.
    Stack(StackSlot),
    /// The address of an object of the caller's frame.
    FixedStack(FixedSlot),
    /// The predicate of a floating-point comparison.
    FloatPredicate(FloatPredicate),
    /// A floating-point constant, `double 1.0`.
    Float(FloatConstant),
    /// An address that the linker knows: a global, a constant of the pool, a jump table.
    Address(Address),
    /// The registers that a call preserves, by the target's name for them: `csr_ilp32_lp64`.
    RegisterMask(RegMask),
    /// The registers that a call preserves, one by one: `CustomRegMask($x8, $x9)`, `liveout($x10)`.
    RegisterList(RegisterList),
    /// `intrinsic(@llvm.riscv.orc.b)`: the name, without `@`.
    Intrinsic(Symbol),
    /// `shufflemask(0, undef, 3)`.
    ShuffleMask(ShuffleMask),
    /// `!5`: a node of the module's metadata.
    Metadata(u32),
    /// `def_cfa_offset 16`: of `CFI_INSTRUCTION`.
    Cfi(CfiInstruction),
    /// `$noreg`: no register.
    NoRegister,
    /// The name of an opaque instruction; see [`crate::opaque`].
    OpcodeName(Symbol),
    /// An operand of any other form, as it was read. Nothing looks into the text.
    Text(Symbol),
}

const _: () = assert!(size_of::<Operand>() == 16);

impl Operand {
    /// A use of `reg` with no flags.
    pub fn used(reg: impl Into<Reg>) -> Operand {
        Operand::reg(reg, RegFlags::empty())
    }

    /// A definition of `reg` with no other flags.
    pub fn def(reg: impl Into<Reg>) -> Operand {
        Operand::reg(reg, RegFlags::DEF)
    }

    /// A read of `reg` that the instruction's text need not name.
    pub fn implicit_use(reg: PReg) -> Operand {
        Operand::reg(reg, RegFlags::IMPLICIT)
    }

    /// A definition of `reg` that the instruction's text need not name.
    pub fn implicit_def(reg: PReg) -> Operand {
        Operand::reg(reg, RegFlags::IMPLICIT | RegFlags::DEF)
    }

    /// A register operand with these flags.
    pub fn reg(reg: impl Into<Reg>, flags: RegFlags) -> Operand {
        Operand::Reg(RegOperand { reg: reg.into(), flags, subregister: SubReg(0), tied_to: None })
    }

    /// The register operand, whether def or use.
    pub fn as_reg(&self) -> Option<&RegOperand> {
        match self {
            Operand::Reg(operand) => Some(operand),
            _ => None,
        }
    }

    /// The virtual register, whether it is read or written.
    pub fn as_vreg(&self) -> Option<VReg> {
        self.as_reg().and_then(|operand| operand.reg.as_virtual())
    }

    /// True for a register that is written.
    pub fn is_def(&self) -> bool {
        self.as_reg().is_some_and(|operand| operand.flags.contains(RegFlags::DEF))
    }

    /// A plain or typed immediate that fits 64 signed bits.
    pub fn as_imm(&self) -> Option<i64> {
        match self {
            Operand::Imm(value) => Some(*value),
            Operand::Const { value, .. } => Some(value.0),
            _ => None,
        }
    }
}
