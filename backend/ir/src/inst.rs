//! One instruction: opcode, operands, flags, memory operands. Definitions come first among the operands, as in the
//! text.

use crate::entities::{Block, VReg};
use crate::memory::MemOperand;
use crate::opcode::Opcode;
use crate::operand::{Operand, RegFlags, RegOperand};
use bitflags::bitflags;
use smallvec::SmallVec;

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

    /// Promises about floating-point operands and results: where one is broken, the result is poison.
    pub const FLOAT_PROMISES: InstFlags = InstFlags::NNAN.union(InstFlags::NINF);

    /// Promises about integers and pointers: where one is broken, the result is poison.
    pub const PROMISES: InstFlags = InstFlags::NUW
        .union(InstFlags::NSW)
        .union(InstFlags::EXACT)
        .union(InstFlags::DISJOINT)
        .union(InstFlags::NNEG)
        .union(InstFlags::NUSW)
        .union(InstFlags::SAMESIGN)
        .union(InstFlags::INBOUNDS);

    /// Every set of some of these flags, the empty one first.
    pub fn subsets(self) -> impl Iterator<Item = InstFlags> {
        let flags: SmallVec<[InstFlags; 8]> = self.iter().collect();
        (0..1u32 << flags.len()).map(move |set| {
            let chosen = flags.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            chosen.fold(InstFlags::empty(), |all, (_, &flag)| all | flag)
        })
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
