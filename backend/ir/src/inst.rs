//! One instruction: opcode, operands, flags, memory operands. Definitions come first among the operands, as in the
//! text.

use crate::entities::{Block, FixedSlot, StackSlot, Symbol, VReg, WideConst};
use crate::opcode::Opcode;
use crate::types::Type;
use crate::vocabulary::{PReg, SubReg};
use bitflags::bitflags;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

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

/// Integer comparison predicates, by LLVM's names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntPredicate {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Unsigned greater.
    Ugt,
    /// Unsigned greater or equal.
    Uge,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed greater.
    Sgt,
    /// Signed greater or equal.
    Sge,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
}

impl IntPredicate {
    /// Every predicate, in LLVM's order.
    pub const ALL: [IntPredicate; 10] = {
        use IntPredicate::*;
        [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle]
    };

    /// LLVM's word: `eq`, `ugt`.
    pub const fn name(self) -> &'static str {
        match self {
            IntPredicate::Eq => "eq",
            IntPredicate::Ne => "ne",
            IntPredicate::Ugt => "ugt",
            IntPredicate::Uge => "uge",
            IntPredicate::Ult => "ult",
            IntPredicate::Ule => "ule",
            IntPredicate::Sgt => "sgt",
            IntPredicate::Sge => "sge",
            IntPredicate::Slt => "slt",
            IntPredicate::Sle => "sle",
        }
    }

    /// The predicate of LLVM's word.
    pub fn from_name(name: &str) -> Option<IntPredicate> {
        IntPredicate::ALL.into_iter().find(|predicate| predicate.name() == name)
    }

    /// True if the operands are compared by their signed readings.
    pub const fn is_signed(self) -> bool {
        matches!(self, IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle)
    }

    /// The predicate that holds exactly when this one does not.
    pub const fn inverse(self) -> IntPredicate {
        match self {
            IntPredicate::Eq => IntPredicate::Ne,
            IntPredicate::Ne => IntPredicate::Eq,
            IntPredicate::Ugt => IntPredicate::Ule,
            IntPredicate::Uge => IntPredicate::Ult,
            IntPredicate::Ult => IntPredicate::Uge,
            IntPredicate::Ule => IntPredicate::Ugt,
            IntPredicate::Sgt => IntPredicate::Sle,
            IntPredicate::Sge => IntPredicate::Slt,
            IntPredicate::Slt => IntPredicate::Sge,
            IntPredicate::Sle => IntPredicate::Sgt,
        }
    }

    /// The predicate that holds for `(b, a)` exactly when this one holds for `(a, b)`.
    pub const fn swapped(self) -> IntPredicate {
        match self {
            IntPredicate::Eq => IntPredicate::Eq,
            IntPredicate::Ne => IntPredicate::Ne,
            IntPredicate::Ugt => IntPredicate::Ult,
            IntPredicate::Uge => IntPredicate::Ule,
            IntPredicate::Ult => IntPredicate::Ugt,
            IntPredicate::Ule => IntPredicate::Uge,
            IntPredicate::Sgt => IntPredicate::Slt,
            IntPredicate::Sge => IntPredicate::Sle,
            IntPredicate::Slt => IntPredicate::Sgt,
            IntPredicate::Sle => IntPredicate::Sge,
        }
    }

    /// The unsigned predicate of the same shape; equality stays.
    pub const fn unsigned(self) -> IntPredicate {
        match self {
            IntPredicate::Sgt => IntPredicate::Ugt,
            IntPredicate::Sge => IntPredicate::Uge,
            IntPredicate::Slt => IntPredicate::Ult,
            IntPredicate::Sle => IntPredicate::Ule,
            other => other,
        }
    }
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
    /// `@global + offset`, `target-flags(...)`, intrinsics, metadata, masks, floating-point constants: printed as it
    /// was read, never interpreted. The symbol holds the text.
    Symbol(Symbol),
}

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

bitflags! {
    /// Instruction flags, by LLVM's names in lower case with dashes.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct InstFlags: u32 {
        /// `frame-setup`: part of the prologue.
        const FRAME_SETUP = 1 << 0;
        /// `frame-destroy`: part of the epilogue.
        const FRAME_DESTROY = 1 << 1;
        /// `nnan`: poison if an operand or the result is a NaN.
        const NNAN = 1 << 2;
        /// `ninf`: poison if an operand or the result is infinite.
        const NINF = 1 << 3;
        /// `nsz`: the sign of zero does not matter.
        const NSZ = 1 << 4;
        /// `arcp`: a division may be a product with the reciprocal.
        const ARCP = 1 << 5;
        /// `contract`: operations may be fused.
        const CONTRACT = 1 << 6;
        /// `afn`: an approximation of the function will do.
        const AFN = 1 << 7;
        /// `reassoc`: operands may be grouped otherwise.
        const REASSOC = 1 << 8;
        /// `nuw`: poison if the unsigned result wraps.
        const NUW = 1 << 9;
        /// `nsw`: poison if the signed result wraps.
        const NSW = 1 << 10;
        /// `exact`: poison if bits that are not zero are dropped.
        const EXACT = 1 << 11;
        /// `nofpexcept`: it raises no floating-point exception.
        const NOFPEXCEPT = 1 << 12;
        /// `nomerge`: not merged with its like.
        const NOMERGE = 1 << 13;
        /// `unpredictable`: a branch predictor would guess.
        const UNPREDICTABLE = 1 << 14;
        /// `noconvergent`: the call is not convergent.
        const NOCONVERGENT = 1 << 15;
        /// `nneg`: poison if the operand is negative.
        const NNEG = 1 << 16;
        /// `disjoint`: poison if both operands have a bit in common.
        const DISJOINT = 1 << 17;
        /// `nusw`: poison if the address wraps, the offset read as signed.
        const NUSW = 1 << 18;
        /// `samesign`: poison if the operands differ in their signs.
        const SAMESIGN = 1 << 19;
        /// `inbounds`: poison if the address leaves its object.
        const INBOUNDS = 1 << 20;
    }
}

impl InstFlags {
    /// The licences of floating-point arithmetic that IEEE 754 does not grant: `fast`.
    pub const FAST: InstFlags = InstFlags::NNAN
        .union(InstFlags::NINF)
        .union(InstFlags::NSZ)
        .union(InstFlags::ARCP)
        .union(InstFlags::CONTRACT)
        .union(InstFlags::AFN)
        .union(InstFlags::REASSOC);

    /// Promises about integers and pointers: where one is broken, the result is poison.
    pub const PROMISES: InstFlags = InstFlags::NUW
        .union(InstFlags::NSW)
        .union(InstFlags::EXACT)
        .union(InstFlags::DISJOINT)
        .union(InstFlags::NNEG)
        .union(InstFlags::NUSW)
        .union(InstFlags::SAMESIGN)
        .union(InstFlags::INBOUNDS);
}

bitflags! {
    /// The facts of a memory operand besides size and place.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MemFlags: u8 {
        /// It reads.
        const LOAD = 1 << 0;
        /// It writes.
        const STORE = 1 << 1;
        /// The access itself is observable: none may be added, dropped, or changed in size.
        const VOLATILE = 1 << 2;
        /// It will not be accessed again soon.
        const NON_TEMPORAL = 1 << 3;
        /// The address may be accessed at any time.
        const DEREFERENCEABLE = 1 << 4;
        /// The memory read does not change.
        const INVARIANT = 1 << 5;
        /// Any atomic ordering; its words are kept in [`MemOperand::ordering`].
        const ATOMIC = 1 << 6;
    }
}

/// A memory operand: `(load (s32) from %ir.p + 4, align 2, !tbaa !9)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemOperand {
    /// The kinds of access it describes, and their properties.
    pub flags: MemFlags,
    /// The type in memory; `None` for `unknown-size`.
    pub ty: Option<Type>,
    /// Alignment of this very access (base and offset together), in bytes, a power of two.
    pub align: u32,
    /// `syncscope("x") acquire monotonic`, as it was read.
    pub ordering: PackedOption<Symbol>,
    /// The text after `from`, `into` or `on` up to the first comma, without the offset: `%ir.p`, `%stack.0`, `@g`.
    pub pointer: PackedOption<Symbol>,
    /// Offset from that pointer, in bytes.
    pub offset: i64,
    /// `!tbaa !9, !noalias !3, addrspace 1, ...`, as it was read.
    pub metadata: PackedOption<Symbol>,
}

impl MemOperand {
    /// A plain access with nothing known of its pointer.
    pub fn new(flags: MemFlags, ty: Type, align: u32) -> MemOperand {
        let none = PackedOption::default();
        MemOperand { flags, ty: Some(ty), align, ordering: none, pointer: none, offset: 0, metadata: none }
    }

    /// The part of this access at `offset` bytes, of type `ty`: same pointer and flags, alignment as the offset leaves
    /// it.
    pub fn part(&self, offset: u32, ty: Type) -> MemOperand {
        let align = if offset == 0 { self.align } else { self.align.min(1 << offset.trailing_zeros()) };
        MemOperand { ty: Some(ty), align, offset: self.offset + i64::from(offset), ..*self }
    }
}

/// Operands of one instruction.
pub type Operands = SmallVec<[Operand; 4]>;

/// One instruction.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct InstData {
    /// The operation.
    pub opcode: Opcode,
    /// Further promises about its operands or its result, such as no overflow.
    pub flags: InstFlags,
    /// Explicit definitions first, then explicit uses, then implicit operands.
    pub operands: Operands,
    /// The memory that it accesses: at most one operand in the code that this backend compiles.
    pub memory: SmallVec<[MemOperand; 1]>,
}

/// Up to this size it is moved by a few wide instructions, beyond it by a call of memcpy.
const _: () = assert!(size_of::<InstData>() <= 128);

impl Clone for InstData {
    fn clone(&self) -> InstData {
        InstData {
            opcode: self.opcode,
            flags: self.flags,
            operands: self.operands(),
            memory: SmallVec::from_slice(&self.memory),
        }
    }
}

impl InstData {
    /// An instruction without flags and memory.
    pub fn new(opcode: Opcode, operands: impl IntoIterator<Item = Operand>) -> InstData {
        InstData {
            opcode,
            flags: InstFlags::empty(),
            operands: operands.into_iter().collect(),
            memory: SmallVec::new(),
        }
    }

    /// `dst = OPCODE sources`.
    pub fn op(opcode: Opcode, dst: VReg, sources: &[VReg]) -> InstData {
        let mut operands = [Operand::Imm(0); 4];
        if sources.len() >= operands.len() {
            let sources = sources.iter().copied().map(Operand::used);
            return InstData::new(opcode, std::iter::once(Operand::def(dst)).chain(sources));
        }
        operands[0] = Operand::def(dst);
        for (operand, &source) in operands[1..].iter_mut().zip(sources) {
            *operand = Operand::used(source);
        }
        let operands = Operands::from_buf_and_len(operands, 1 + sources.len());
        InstData { opcode, flags: InstFlags::empty(), operands, memory: SmallVec::new() }
    }

    /// The same with `flags` added to its own.
    pub fn with_flags(mut self, flags: InstFlags) -> InstData {
        self.flags = flags;
        self
    }

    /// The same with one more memory operand.
    pub fn with_memory(mut self, memory: MemOperand) -> InstData {
        self.memory.push(memory);
        self
    }

    /// A copy of the operands: as a block, not one by one.
    pub fn operands(&self) -> Operands {
        SmallVec::from_slice(&self.operands)
    }

    /// Every register operand that defines, implicit ones included.
    pub fn defs(&self) -> impl Iterator<Item = &RegOperand> {
        self.operands.iter().filter_map(Operand::as_reg).filter(|operand| operand.flags.contains(RegFlags::DEF))
    }

    /// Every register operand that reads, implicit ones included.
    pub fn uses(&self) -> impl Iterator<Item = &RegOperand> {
        self.operands.iter().filter_map(Operand::as_reg).filter(|operand| !operand.flags.contains(RegFlags::DEF))
    }

    /// Virtual registers defined, in operand order.
    pub fn vreg_defs(&self) -> impl Iterator<Item = VReg> {
        self.defs().filter_map(|operand| operand.reg.as_virtual())
    }

    /// Virtual registers read, in operand order.
    pub fn vreg_uses(&self) -> impl Iterator<Item = VReg> {
        self.uses().filter_map(|operand| operand.reg.as_virtual())
    }

    /// The only virtual register defined.
    pub fn single_def(&self) -> Option<VReg> {
        let mut defs = self.vreg_defs();
        match (defs.next(), defs.next()) {
            (Some(register), None) => Some(register),
            _ => None,
        }
    }

    /// The virtual register at operand `index`, definition or use.
    pub fn vreg(&self, index: usize) -> Option<VReg> {
        self.operands.get(index).and_then(Operand::as_vreg)
    }

    /// The plain or typed immediate at operand `index`.
    pub fn imm(&self, index: usize) -> Option<i64> {
        self.operands.get(index).and_then(Operand::as_imm)
    }

    /// `(value, predecessor)` pairs of a PHI.
    pub fn phi_inputs(&self) -> impl Iterator<Item = (VReg, Block)> {
        self.operands.get(1..).unwrap_or_default().chunks_exact(2).filter_map(|pair| match pair {
            [Operand::Reg(value), Operand::Block(block)] => value.reg.as_virtual().map(|value| (value, *block)),
            _ => None,
        })
    }
}
