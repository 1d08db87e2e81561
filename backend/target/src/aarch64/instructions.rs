//! The instruction table: the base integer instructions of A64, and the pseudo-instructions of LLVM's MIR. One
//! instruction a row: operands, format, word, assembly, flags, registers read and written besides the operands. Source:
//! Arm Architecture Reference Manual, "A64 Base Instructions"; names and operand order are LLVM's.

use super::registers::{GPR32, GPR32SP, GPR64, GPR64SP, LR, NZCV, SP, SUB_32};
use crate::instructions::{CALLEE, ImmRange, InstrDesc, MASK, OperandDesc, SIZE, bytes};
use tribunal_ir::{OpcodeFlags, TargetOpcode};

/// Where operands go in the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Rr,
    Rrr,
    Rrrr,
    AddImm,
    Logical,
    Bitfield,
    Extract,
    CondSelect,
    MoveWide,
    MoveKeep,
    Scaled,
    Unscaled,
    CondBranch,
    CompareBranch,
    Branch,
    /// One register, in the place of the first source.
    Register,
    Fixed,
    /// A 32-bit move, whose destination is named by its 64-bit register.
    MoveWord,
    /// No word.
    Pseudo,
}

/// What does not depend on the operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub format: Format,
    pub word: u32,
    /// Operands by number: `%2`; `%l` is a bitmask, `%c` a condition, `%s` an offset scaled by the access, `%w` the
    /// 32-bit name.
    pub assembly: &'static str,
}

const D32: OperandDesc = OperandDesc::Def(GPR32);
const D64: OperandDesc = OperandDesc::Def(GPR64);
const D32SP: OperandDesc = OperandDesc::Def(GPR32SP);
const D64SP: OperandDesc = OperandDesc::Def(GPR64SP);
const U32: OperandDesc = OperandDesc::Use(GPR32);
const U64: OperandDesc = OperandDesc::Use(GPR64);
const U32SP: OperandDesc = OperandDesc::Use(GPR32SP);
const U64SP: OperandDesc = OperandDesc::Use(GPR64SP);
const B64: OperandDesc = OperandDesc::Base(GPR64SP);
const T32: OperandDesc = OperandDesc::Tied { class: GPR32, to: 0 };
const T64: OperandDesc = OperandDesc::Tied { class: GPR64, to: 0 };
const I12: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(12));
const I16: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(16));
const S9: OperandDesc = OperandDesc::Imm(ImmRange::Signed(9));
const U5: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(5));
const U6: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(6));
const CC: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(4));
const SH12: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 12]));
const SHW: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 16]));
const SHX: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 16, 32, 48]));
/// `uxtx #0` as LLVM writes it.
const EXT: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[24]));
/// LLVM's zero before the part of `SUBREG_TO_REG`.
const ABOVE: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0]));
/// `%subreg.sub_32`.
const SUB: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[SUB_32.0 as i64]));
const LM32: OperandDesc = OperandDesc::Imm(ImmRange::LogicalMask(32));
const LM64: OperandDesc = OperandDesc::Imm(ImmRange::LogicalMask(64));
const L21: OperandDesc = OperandDesc::Label { bits: 21, scale: 4 };
const L28: OperandDesc = OperandDesc::Label { bits: 28, scale: 4 };

macro_rules! instructions {
    ($($name:ident [$($operand:ident),*] $format:ident($word:literal) $assembly:literal {$($flag:ident),*}
        [$($used:ident),*] [$($defined:ident),*] $(=> $size:literal)?)*) => {
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
            implicit_uses: &[$($used),*],
            implicit_defs: &[$($defined),*],
            flags: OpcodeFlags::empty()$(.union(OpcodeFlags::$flag))*,
            requires: crate::Features::empty(),
            size: bytes(&[$($size)?]),
        }),*];

        pub(super) static FIELDS: &[Fields] =
            &[$(Fields { format: Format::$format, word: $word, assembly: $assembly }),*];
    };
}

instructions! {
    ADDWrr [D32, U32, U32] Rrr(0x0b000000) "add %0, %1, %2" {} [] []
    ADDXrr [D64, U64, U64] Rrr(0x8b000000) "add %0, %1, %2" {} [] []
    SUBWrr [D32, U32, U32] Rrr(0x4b000000) "sub %0, %1, %2" {} [] []
    SUBXrr [D64, U64, U64] Rrr(0xcb000000) "sub %0, %1, %2" {} [] []
    ADDSWrr [D32, U32, U32] Rrr(0x2b000000) "adds %0, %1, %2" {} [] [NZCV]
    ADDSXrr [D64, U64, U64] Rrr(0xab000000) "adds %0, %1, %2" {} [] [NZCV]
    SUBSWrr [D32, U32, U32] Rrr(0x6b000000) "subs %0, %1, %2" {} [] [NZCV]
    SUBSXrr [D64, U64, U64] Rrr(0xeb000000) "subs %0, %1, %2" {} [] [NZCV]
    ANDWrr [D32, U32, U32] Rrr(0x0a000000) "and %0, %1, %2" {} [] []
    ANDXrr [D64, U64, U64] Rrr(0x8a000000) "and %0, %1, %2" {} [] []
    ORRWrr [D32, U32, U32] Rrr(0x2a000000) "orr %0, %1, %2" {} [] []
    ORRXrr [D64, U64, U64] Rrr(0xaa000000) "orr %0, %1, %2" {} [] []
    EORWrr [D32, U32, U32] Rrr(0x4a000000) "eor %0, %1, %2" {} [] []
    EORXrr [D64, U64, U64] Rrr(0xca000000) "eor %0, %1, %2" {} [] []
    ADCSWr [D32, U32, U32] Rrr(0x3a000000) "adcs %0, %1, %2" {} [NZCV] [NZCV]
    ADCSXr [D64, U64, U64] Rrr(0xba000000) "adcs %0, %1, %2" {} [NZCV] [NZCV]
    SBCSWr [D32, U32, U32] Rrr(0x7a000000) "sbcs %0, %1, %2" {} [NZCV] [NZCV]
    SBCSXr [D64, U64, U64] Rrr(0xfa000000) "sbcs %0, %1, %2" {} [NZCV] [NZCV]
    ADDWri [D32SP, U32SP, I12, SH12] AddImm(0x11000000) "add %0, %1, #%2, lsl #%3" {} [] []
    ADDXri [D64SP, B64, I12, SH12] AddImm(0x91000000) "add %0, %1, #%2, lsl #%3" {} [] []
    SUBWri [D32SP, U32SP, I12, SH12] AddImm(0x51000000) "sub %0, %1, #%2, lsl #%3" {} [] []
    SUBXri [D64SP, B64, I12, SH12] AddImm(0xd1000000) "sub %0, %1, #%2, lsl #%3" {} [] []
    SUBSWri [D32, U32SP, I12, SH12] AddImm(0x71000000) "subs %0, %1, #%2, lsl #%3" {} [] [NZCV]
    SUBSXri [D64, B64, I12, SH12] AddImm(0xf1000000) "subs %0, %1, #%2, lsl #%3" {} [] [NZCV]
    ADDSWri [D32, U32SP, I12, SH12] AddImm(0x31000000) "adds %0, %1, #%2, lsl #%3" {} [] [NZCV]
    ADDSXri [D64, B64, I12, SH12] AddImm(0xb1000000) "adds %0, %1, #%2, lsl #%3" {} [] [NZCV]
    ADDXrx64 [D64SP, U64SP, U64, EXT] Rrr(0x8b206000) "add %0, %1, %2, uxtx" {} [] []
    SUBXrx64 [D64SP, U64SP, U64, EXT] Rrr(0xcb206000) "sub %0, %1, %2, uxtx" {} [] []
    ANDWri [D32SP, U32, LM32] Logical(0x12000000) "and %0, %1, #%l2" {} [] []
    ANDXri [D64SP, U64, LM64] Logical(0x92000000) "and %0, %1, #%l2" {} [] []
    ORRWri [D32SP, U32, LM32] Logical(0x32000000) "orr %0, %1, #%l2" {} [] []
    ORRXri [D64SP, U64, LM64] Logical(0xb2000000) "orr %0, %1, #%l2" {} [] []
    EORWri [D32SP, U32, LM32] Logical(0x52000000) "eor %0, %1, #%l2" {} [] []
    EORXri [D64SP, U64, LM64] Logical(0xd2000000) "eor %0, %1, #%l2" {} [] []
    MADDWrrr [D32, U32, U32, U32] Rrrr(0x1b000000) "madd %0, %1, %2, %3" {} [] []
    MADDXrrr [D64, U64, U64, U64] Rrrr(0x9b000000) "madd %0, %1, %2, %3" {} [] []
    MSUBWrrr [D32, U32, U32, U32] Rrrr(0x1b008000) "msub %0, %1, %2, %3" {} [] []
    MSUBXrrr [D64, U64, U64, U64] Rrrr(0x9b008000) "msub %0, %1, %2, %3" {} [] []
    UMULHrr [D64, U64, U64] Rrr(0x9bc07c00) "umulh %0, %1, %2" {} [] []
    SMULHrr [D64, U64, U64] Rrr(0x9b407c00) "smulh %0, %1, %2" {} [] []
    UDIVWr [D32, U32, U32] Rrr(0x1ac00800) "udiv %0, %1, %2" {} [] []
    UDIVXr [D64, U64, U64] Rrr(0x9ac00800) "udiv %0, %1, %2" {} [] []
    SDIVWr [D32, U32, U32] Rrr(0x1ac00c00) "sdiv %0, %1, %2" {} [] []
    SDIVXr [D64, U64, U64] Rrr(0x9ac00c00) "sdiv %0, %1, %2" {} [] []
    LSLVWr [D32, U32, U32] Rrr(0x1ac02000) "lsl %0, %1, %2" {} [] []
    LSLVXr [D64, U64, U64] Rrr(0x9ac02000) "lsl %0, %1, %2" {} [] []
    LSRVWr [D32, U32, U32] Rrr(0x1ac02400) "lsr %0, %1, %2" {} [] []
    LSRVXr [D64, U64, U64] Rrr(0x9ac02400) "lsr %0, %1, %2" {} [] []
    ASRVWr [D32, U32, U32] Rrr(0x1ac02800) "asr %0, %1, %2" {} [] []
    ASRVXr [D64, U64, U64] Rrr(0x9ac02800) "asr %0, %1, %2" {} [] []
    RORVWr [D32, U32, U32] Rrr(0x1ac02c00) "ror %0, %1, %2" {} [] []
    RORVXr [D64, U64, U64] Rrr(0x9ac02c00) "ror %0, %1, %2" {} [] []
    UBFMWri [D32, U32, U5, U5] Bitfield(0x53000000) "ubfm %0, %1, #%2, #%3" {} [] []
    UBFMXri [D64, U64, U6, U6] Bitfield(0xd3400000) "ubfm %0, %1, #%2, #%3" {} [] []
    SBFMWri [D32, U32, U5, U5] Bitfield(0x13000000) "sbfm %0, %1, #%2, #%3" {} [] []
    SBFMXri [D64, U64, U6, U6] Bitfield(0x93400000) "sbfm %0, %1, #%2, #%3" {} [] []
    EXTRWrri [D32, U32, U32, U5] Extract(0x13800000) "extr %0, %1, %2, #%3" {} [] []
    EXTRXrri [D64, U64, U64, U6] Extract(0x93c00000) "extr %0, %1, %2, #%3" {} [] []
    CLZWr [D32, U32] Rr(0x5ac01000) "clz %0, %1" {} [] []
    CLZXr [D64, U64] Rr(0xdac01000) "clz %0, %1" {} [] []
    RBITWr [D32, U32] Rr(0x5ac00000) "rbit %0, %1" {} [] []
    RBITXr [D64, U64] Rr(0xdac00000) "rbit %0, %1" {} [] []
    REVWr [D32, U32] Rr(0x5ac00800) "rev %0, %1" {} [] []
    REVXr [D64, U64] Rr(0xdac00c00) "rev %0, %1" {} [] []
    CSELWr [D32, U32, U32, CC] CondSelect(0x1a800000) "csel %0, %1, %2, %c3" {} [NZCV] []
    CSELXr [D64, U64, U64, CC] CondSelect(0x9a800000) "csel %0, %1, %2, %c3" {} [NZCV] []
    CSINCWr [D32, U32, U32, CC] CondSelect(0x1a800400) "csinc %0, %1, %2, %c3" {} [NZCV] []
    CSINCXr [D64, U64, U64, CC] CondSelect(0x9a800400) "csinc %0, %1, %2, %c3" {} [NZCV] []
    CSINVWr [D32, U32, U32, CC] CondSelect(0x5a800000) "csinv %0, %1, %2, %c3" {} [NZCV] []
    CSINVXr [D64, U64, U64, CC] CondSelect(0xda800000) "csinv %0, %1, %2, %c3" {} [NZCV] []
    CSNEGWr [D32, U32, U32, CC] CondSelect(0x5a800400) "csneg %0, %1, %2, %c3" {} [NZCV] []
    CSNEGXr [D64, U64, U64, CC] CondSelect(0xda800400) "csneg %0, %1, %2, %c3" {} [NZCV] []
    MOVZWi [D32, I16, SHW] MoveWide(0x52800000) "movz %0, #%1, lsl #%2" {} [] []
    MOVZXi [D64, I16, SHX] MoveWide(0xd2800000) "movz %0, #%1, lsl #%2" {} [] []
    MOVNWi [D32, I16, SHW] MoveWide(0x12800000) "movn %0, #%1, lsl #%2" {} [] []
    MOVNXi [D64, I16, SHX] MoveWide(0x92800000) "movn %0, #%1, lsl #%2" {} [] []
    MOVKWi [D32, T32, I16, SHW] MoveKeep(0x72800000) "movk %0, #%2, lsl #%3" {} [] []
    MOVKXi [D64, T64, I16, SHX] MoveKeep(0xf2800000) "movk %0, #%2, lsl #%3" {} [] []
    LDRBBui [D32, B64, I12] Scaled(0x39400000) "ldrb %0, [%1, #%s2]" {LOAD} [] []
    LDRHHui [D32, B64, I12] Scaled(0x79400000) "ldrh %0, [%1, #%s2]" {LOAD} [] []
    LDRWui [D32, B64, I12] Scaled(0xb9400000) "ldr %0, [%1, #%s2]" {LOAD} [] []
    LDRXui [D64, B64, I12] Scaled(0xf9400000) "ldr %0, [%1, #%s2]" {LOAD} [] []
    LDRSBWui [D32, B64, I12] Scaled(0x39c00000) "ldrsb %0, [%1, #%s2]" {LOAD} [] []
    LDRSBXui [D64, B64, I12] Scaled(0x39800000) "ldrsb %0, [%1, #%s2]" {LOAD} [] []
    LDRSHWui [D32, B64, I12] Scaled(0x79c00000) "ldrsh %0, [%1, #%s2]" {LOAD} [] []
    LDRSHXui [D64, B64, I12] Scaled(0x79800000) "ldrsh %0, [%1, #%s2]" {LOAD} [] []
    LDRSWui [D64, B64, I12] Scaled(0xb9800000) "ldrsw %0, [%1, #%s2]" {LOAD} [] []
    STRBBui [U32, B64, I12] Scaled(0x39000000) "strb %0, [%1, #%s2]" {STORE} [] []
    STRHHui [U32, B64, I12] Scaled(0x79000000) "strh %0, [%1, #%s2]" {STORE} [] []
    STRWui [U32, B64, I12] Scaled(0xb9000000) "str %0, [%1, #%s2]" {STORE} [] []
    STRXui [U64, B64, I12] Scaled(0xf9000000) "str %0, [%1, #%s2]" {STORE} [] []
    LDURBBi [D32, B64, S9] Unscaled(0x38400000) "ldurb %0, [%1, #%2]" {LOAD} [] []
    LDURHHi [D32, B64, S9] Unscaled(0x78400000) "ldurh %0, [%1, #%2]" {LOAD} [] []
    LDURWi [D32, B64, S9] Unscaled(0xb8400000) "ldur %0, [%1, #%2]" {LOAD} [] []
    LDURXi [D64, B64, S9] Unscaled(0xf8400000) "ldur %0, [%1, #%2]" {LOAD} [] []
    LDURSBWi [D32, B64, S9] Unscaled(0x38c00000) "ldursb %0, [%1, #%2]" {LOAD} [] []
    LDURSBXi [D64, B64, S9] Unscaled(0x38800000) "ldursb %0, [%1, #%2]" {LOAD} [] []
    LDURSHWi [D32, B64, S9] Unscaled(0x78c00000) "ldursh %0, [%1, #%2]" {LOAD} [] []
    LDURSHXi [D64, B64, S9] Unscaled(0x78800000) "ldursh %0, [%1, #%2]" {LOAD} [] []
    LDURSWi [D64, B64, S9] Unscaled(0xb8800000) "ldursw %0, [%1, #%2]" {LOAD} [] []
    STURBBi [U32, B64, S9] Unscaled(0x38000000) "sturb %0, [%1, #%2]" {STORE} [] []
    STURHHi [U32, B64, S9] Unscaled(0x78000000) "sturh %0, [%1, #%2]" {STORE} [] []
    STURWi [U32, B64, S9] Unscaled(0xb8000000) "stur %0, [%1, #%2]" {STORE} [] []
    STURXi [U64, B64, S9] Unscaled(0xf8000000) "stur %0, [%1, #%2]" {STORE} [] []
    Bcc [CC, L21] CondBranch(0x54000000) "b.%c0 %1" {TERMINATOR, BRANCH} [NZCV] []
    CBZW [U32, L21] CompareBranch(0x34000000) "cbz %0, %1" {TERMINATOR, BRANCH} [] []
    CBNZW [U32, L21] CompareBranch(0x35000000) "cbnz %0, %1" {TERMINATOR, BRANCH} [] []
    CBZX [U64, L21] CompareBranch(0xb4000000) "cbz %0, %1" {TERMINATOR, BRANCH} [] []
    CBNZX [U64, L21] CompareBranch(0xb5000000) "cbnz %0, %1" {TERMINATOR, BRANCH} [] []
    B [L28] Branch(0x14000000) "b %0" {TERMINATOR, BRANCH, BARRIER} [] []
    RET [U64] Register(0xd65f0000) "ret %0" {TERMINATOR, RETURN, BARRIER} [] []
    RET_ReallyLR [] Fixed(0xd65f03c0) "ret" {TERMINATOR, RETURN, BARRIER} [] []
    SUBREG_TO_REG [D64, ABOVE, U32, SUB] MoveWord(0x2a0003e0) "mov %w0, %2" {} [] []
    BL [CALLEE, MASK] Branch(0x94000000) "bl %0" {CALL, SIDE_EFFECTS} [SP] [LR]
    ADJCALLSTACKDOWN [SIZE, SIZE] Pseudo(0) "" {SIDE_EFFECTS} [SP] [SP] => 0
    ADJCALLSTACKUP [SIZE, SIZE] Pseudo(0) "" {SIDE_EFFECTS} [SP] [SP] => 0
}
