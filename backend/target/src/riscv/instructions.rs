//! The instruction table: RV32I and RV64I, M, Zba, Zbb, Zbs, Zicond, and the pseudo-instructions of LLVM's MIR. One
//! instruction a row; numbers, operands and encodings all come from it. Source: The RISC-V Instruction Set Manual,
//! volume I, chapter "RV32/64G Instruction Set Listings"; names and operand order are LLVM's.

use super::registers::{GPR, RA, SP};
use crate::Features;
use crate::instructions::{CALLEE, ImmRange, InstrDesc, MASK, OperandDesc, SIZE, bytes};
use tribunal_ir::{OpcodeFlags, TargetOpcode};

/// How the word is put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    R,
    I,
    /// A shift by an immediate: `funct7` stands above the amount.
    Shift,
    /// One source: what stands in place of an immediate is fixed, as twelve bits.
    Unary,
    Load,
    Store,
    Branch,
    U,
    J,
    /// No operands: the word is given whole by the fields.
    Fixed,
    Pseudo,
}

/// Fields that do not depend on the operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub format: Format,
    pub opcode: u32,
    pub funct3: u32,
    /// `funct7`; of [`Format::Unary`] all twelve upper bits.
    pub funct7: u32,
}

const D: OperandDesc = OperandDesc::Def(GPR);
const S: OperandDesc = OperandDesc::Use(GPR);
const B: OperandDesc = OperandDesc::Base(GPR);
const I12: OperandDesc = OperandDesc::Imm(ImmRange::Signed(12));
const U20: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(20));
const SH6: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(6));
const SH5: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(5));
const L13: OperandDesc = OperandDesc::Label { bits: 13, scale: 2 };
const L21: OperandDesc = OperandDesc::Label { bits: 21, scale: 2 };

macro_rules! instructions {
    ($($name:ident [$($operand:ident),*] $format:ident($opcode:literal, $funct3:literal, $funct7:literal) {$($flag:ident),*}
        $([$($feature:ident),+])? $(, [$($used:ident),*] [$($written:ident),*] => $size:literal)?)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "an opcode is called what LLVM calls it")]
        #[repr(u16)]
        enum Number { $($name),* }

        $(
            #[allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]
            pub const $name: TargetOpcode = TargetOpcode(Number::$name as u16);
        )*

        pub static INSTRUCTIONS: &[InstrDesc] = &[$(InstrDesc {
            name: stringify!($name),
            operands: &[$($operand),*],
            implicit_uses: &[$($($used),*)?],
            implicit_defs: &[$($($written),*)?],
            flags: OpcodeFlags::empty()$(.union(OpcodeFlags::$flag))*,
            requires: Features::empty()$($(.union(Features::$feature))+)?,
            size: bytes(&[$($size)?]),
        }),*];

        pub(super) static FIELDS: &[Fields] = &[$(Fields {
            format: Format::$format, opcode: $opcode, funct3: $funct3, funct7: $funct7,
        }),*];
    };
}

instructions! {
    LUI [D, U20] U(0x37, 0, 0) {}
    AUIPC [D, U20] U(0x17, 0, 0) {}
    JAL [D, L21] J(0x6f, 0, 0) {TERMINATOR, BRANCH, BARRIER}
    JALR [D, S, I12] I(0x67, 0, 0) {TERMINATOR, BRANCH, BARRIER, INDIRECT}
    BEQ [S, S, L13] Branch(0x63, 0, 0) {TERMINATOR, BRANCH}
    BNE [S, S, L13] Branch(0x63, 1, 0) {TERMINATOR, BRANCH}
    BLT [S, S, L13] Branch(0x63, 4, 0) {TERMINATOR, BRANCH}
    BGE [S, S, L13] Branch(0x63, 5, 0) {TERMINATOR, BRANCH}
    BLTU [S, S, L13] Branch(0x63, 6, 0) {TERMINATOR, BRANCH}
    BGEU [S, S, L13] Branch(0x63, 7, 0) {TERMINATOR, BRANCH}
    LB [D, B, I12] Load(0x03, 0, 0) {LOAD}
    LH [D, B, I12] Load(0x03, 1, 0) {LOAD}
    LW [D, B, I12] Load(0x03, 2, 0) {LOAD}
    LD [D, B, I12] Load(0x03, 3, 0) {LOAD} [RV64]
    LBU [D, B, I12] Load(0x03, 4, 0) {LOAD}
    LHU [D, B, I12] Load(0x03, 5, 0) {LOAD}
    LWU [D, B, I12] Load(0x03, 6, 0) {LOAD} [RV64]
    SB [S, B, I12] Store(0x23, 0, 0) {STORE}
    SH [S, B, I12] Store(0x23, 1, 0) {STORE}
    SW [S, B, I12] Store(0x23, 2, 0) {STORE}
    SD [S, B, I12] Store(0x23, 3, 0) {STORE} [RV64]
    ADDI [D, B, I12] I(0x13, 0, 0) {}
    SLTI [D, S, I12] I(0x13, 2, 0) {}
    SLTIU [D, S, I12] I(0x13, 3, 0) {}
    XORI [D, S, I12] I(0x13, 4, 0) {}
    ORI [D, S, I12] I(0x13, 6, 0) {}
    ANDI [D, S, I12] I(0x13, 7, 0) {}
    SLLI [D, S, SH6] Shift(0x13, 1, 0x00) {}
    SRLI [D, S, SH6] Shift(0x13, 5, 0x00) {}
    SRAI [D, S, SH6] Shift(0x13, 5, 0x20) {}
    ADD [D, S, S] R(0x33, 0, 0x00) {}
    SUB [D, S, S] R(0x33, 0, 0x20) {}
    SLL [D, S, S] R(0x33, 1, 0x00) {}
    SLT [D, S, S] R(0x33, 2, 0x00) {}
    SLTU [D, S, S] R(0x33, 3, 0x00) {}
    XOR [D, S, S] R(0x33, 4, 0x00) {}
    SRL [D, S, S] R(0x33, 5, 0x00) {}
    SRA [D, S, S] R(0x33, 5, 0x20) {}
    OR [D, S, S] R(0x33, 6, 0x00) {}
    AND [D, S, S] R(0x33, 7, 0x00) {}
    ADDIW [D, S, I12] I(0x1b, 0, 0) {} [RV64]
    SLLIW [D, S, SH5] Shift(0x1b, 1, 0x00) {} [RV64]
    SRLIW [D, S, SH5] Shift(0x1b, 5, 0x00) {} [RV64]
    SRAIW [D, S, SH5] Shift(0x1b, 5, 0x20) {} [RV64]
    ADDW [D, S, S] R(0x3b, 0, 0x00) {} [RV64]
    SUBW [D, S, S] R(0x3b, 0, 0x20) {} [RV64]
    SLLW [D, S, S] R(0x3b, 1, 0x00) {} [RV64]
    SRLW [D, S, S] R(0x3b, 5, 0x00) {} [RV64]
    SRAW [D, S, S] R(0x3b, 5, 0x20) {} [RV64]
    MUL [D, S, S] R(0x33, 0, 0x01) {} [M]
    MULH [D, S, S] R(0x33, 1, 0x01) {} [M]
    MULHSU [D, S, S] R(0x33, 2, 0x01) {} [M]
    MULHU [D, S, S] R(0x33, 3, 0x01) {} [M]
    DIV [D, S, S] R(0x33, 4, 0x01) {} [M]
    DIVU [D, S, S] R(0x33, 5, 0x01) {} [M]
    REM [D, S, S] R(0x33, 6, 0x01) {} [M]
    REMU [D, S, S] R(0x33, 7, 0x01) {} [M]
    MULW [D, S, S] R(0x3b, 0, 0x01) {} [RV64, M]
    DIVW [D, S, S] R(0x3b, 4, 0x01) {} [RV64, M]
    DIVUW [D, S, S] R(0x3b, 5, 0x01) {} [RV64, M]
    REMW [D, S, S] R(0x3b, 6, 0x01) {} [RV64, M]
    REMUW [D, S, S] R(0x3b, 7, 0x01) {} [RV64, M]
    SH1ADD [D, S, S] R(0x33, 2, 0x10) {} [ZBA]
    SH2ADD [D, S, S] R(0x33, 4, 0x10) {} [ZBA]
    SH3ADD [D, S, S] R(0x33, 6, 0x10) {} [ZBA]
    ADD_UW [D, S, S] R(0x3b, 0, 0x04) {} [RV64, ZBA]
    SLLI_UW [D, S, SH6] Shift(0x1b, 1, 0x04) {} [RV64, ZBA]
    ANDN [D, S, S] R(0x33, 7, 0x20) {} [ZBB]
    ORN [D, S, S] R(0x33, 6, 0x20) {} [ZBB]
    XNOR [D, S, S] R(0x33, 4, 0x20) {} [ZBB]
    MIN [D, S, S] R(0x33, 4, 0x05) {} [ZBB]
    MINU [D, S, S] R(0x33, 5, 0x05) {} [ZBB]
    MAX [D, S, S] R(0x33, 6, 0x05) {} [ZBB]
    MAXU [D, S, S] R(0x33, 7, 0x05) {} [ZBB]
    CLZ [D, S] Unary(0x13, 1, 0x600) {} [ZBB]
    CTZ [D, S] Unary(0x13, 1, 0x601) {} [ZBB]
    CPOP [D, S] Unary(0x13, 1, 0x602) {} [ZBB]
    CLZW [D, S] Unary(0x1b, 1, 0x600) {} [RV64, ZBB]
    CTZW [D, S] Unary(0x1b, 1, 0x601) {} [RV64, ZBB]
    CPOPW [D, S] Unary(0x1b, 1, 0x602) {} [RV64, ZBB]
    SEXT_B [D, S] Unary(0x13, 1, 0x604) {} [ZBB]
    SEXT_H [D, S] Unary(0x13, 1, 0x605) {} [ZBB]
    ZEXT_H_RV32 [D, S] Unary(0x33, 4, 0x080) {} [RV32, ZBB]
    ZEXT_H_RV64 [D, S] Unary(0x3b, 4, 0x080) {} [RV64, ZBB]
    ROL [D, S, S] R(0x33, 1, 0x30) {} [ZBB]
    ROR [D, S, S] R(0x33, 5, 0x30) {} [ZBB]
    RORI [D, S, SH6] Shift(0x13, 5, 0x30) {} [ZBB]
    ROLW [D, S, S] R(0x3b, 1, 0x30) {} [RV64, ZBB]
    RORW [D, S, S] R(0x3b, 5, 0x30) {} [RV64, ZBB]
    RORIW [D, S, SH5] Shift(0x1b, 5, 0x30) {} [RV64, ZBB]
    REV8_RV32 [D, S] Unary(0x13, 5, 0x698) {} [RV32, ZBB]
    REV8_RV64 [D, S] Unary(0x13, 5, 0x6b8) {} [RV64, ZBB]
    ORC_B [D, S] Unary(0x13, 5, 0x287) {} [ZBB]
    BCLR [D, S, S] R(0x33, 1, 0x24) {} [ZBS]
    BEXT [D, S, S] R(0x33, 5, 0x24) {} [ZBS]
    BINV [D, S, S] R(0x33, 1, 0x34) {} [ZBS]
    BSET [D, S, S] R(0x33, 1, 0x14) {} [ZBS]
    BCLRI [D, S, SH6] Shift(0x13, 1, 0x24) {} [ZBS]
    BEXTI [D, S, SH6] Shift(0x13, 5, 0x24) {} [ZBS]
    BINVI [D, S, SH6] Shift(0x13, 1, 0x34) {} [ZBS]
    BSETI [D, S, SH6] Shift(0x13, 1, 0x14) {} [ZBS]
    CZERO_EQZ [D, S, S] R(0x33, 5, 0x07) {} [ZICOND]
    CZERO_NEZ [D, S, S] R(0x33, 7, 0x07) {} [ZICOND]
    ECALL [] Fixed(0x73, 0, 0) {SIDE_EFFECTS}
    EBREAK [] Fixed(0x100073, 0, 0) {SIDE_EFFECTS}
    PseudoRET [] Pseudo(0, 0, 0) {TERMINATOR, RETURN, BARRIER}
    PseudoBR [L21] Pseudo(0, 0, 0) {TERMINATOR, BRANCH, BARRIER}
    PseudoCALL [CALLEE, MASK] Pseudo(0, 0, 0) {CALL, SIDE_EFFECTS}, [] [RA] => 8
    ADJCALLSTACKDOWN [SIZE, SIZE] Pseudo(0, 0, 0) {SIDE_EFFECTS}, [SP] [SP] => 0
    ADJCALLSTACKUP [SIZE, SIZE] Pseudo(0, 0, 0) {SIDE_EFFECTS}, [SP] [SP] => 0
}
