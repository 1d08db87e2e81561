//! The instruction table: the base integer instructions of A64, and the pseudo-instructions of LLVM's MIR. One
//! instruction a row: operands and their bits in the word, assembly, flags, implicit registers read and written.
//! Source: Arm Architecture Reference Manual, "A64 Base Instructions"; names and operand order are LLVM's.
//!
//! In the assembly `%2` is an operand; `%l` is a bitmask, `%c` a condition, `%s` an offset in bytes, `%p` pages as
//! bytes, `%g` a place in the page of an entry of the global offset table, `%w` the 32-bit name.

use super::registers::{GPR32, GPR32SP, GPR64, GPR64SP, LR, NZCV, SP, SUB_32, TCGPR64};
use crate::instructions::{Access, ImmRange, MASK, OperandDesc, Piece, SIZE, WordLayout};

/// A register's number has five bits: Rd, Rn, Ra and Rm stand here.
const fn rd(operand: u8) -> Piece {
    Piece::low(operand, 5, 0)
}
const fn rn(operand: u8) -> Piece {
    Piece::low(operand, 5, 5)
}
const fn ra(operand: u8) -> Piece {
    Piece::low(operand, 5, 10)
}
const fn rm(operand: u8) -> Piece {
    Piece::low(operand, 5, 16)
}

// Fewer bits where the operand has fewer.
crate::formats! {
    two [rd(0), rn(1)];
    three [rd(0), rn(1), rm(2)];
    four [rd(0), rn(1), rm(2), ra(3)];
    add_immediate [rd(0), rn(1), Piece::low(2, 12, 10), Piece::low(3, 1, 22)];
    logical [rd(0), rn(1), Piece::low(2, 13, 10)];
    bitfield [rd(0), rn(1), Piece::low(2, 6, 16), Piece::low(3, 6, 10)];
    extract [rd(0), rn(1), rm(2), Piece::low(3, 6, 10)];
    select [rd(0), rn(1), rm(2), Piece::low(3, 4, 12)];
    move_wide [rd(0), Piece::low(1, 16, 5), Piece::low(2, 2, 21)];
    move_keep [rd(0), Piece::low(2, 16, 5), Piece::low(3, 2, 21)];
    scaled [rd(0), rn(1), Piece::low(2, 12, 10)];
    unscaled [rd(0), rn(1), Piece::low(2, 9, 12)];
    compare [Piece::low(0, 5, 0), Piece::part(1, 2, 19, 5)];
    branch [Piece::part(0, 2, 26, 0)];
    condition [Piece::low(0, 4, 0), Piece::part(1, 2, 19, 5)];
    /// A number for the debugger.
    exception [Piece::low(0, 16, 5)];
    /// One register, in the place of the first source.
    source [rn(0)];
    fixed [];
    /// A 32-bit move, whose destination is named by its 64-bit register.
    move_word [rd(0), rm(2)];
    address [rd(0), Piece::low(1, 2, 29), Piece::part(1, 2, 19, 5)];
}

const fn pseudo() -> Option<WordLayout> {
    None
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
const TC64: OperandDesc = OperandDesc::Use(TCGPR64);
/// Bytes by which the stack arguments of a tail call exceed the caller's: the C convention has them no larger.
const MORE: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0]));
const T32: OperandDesc = OperandDesc::Tied { class: GPR32, to: 0 };
const T64: OperandDesc = OperandDesc::Tied { class: GPR64, to: 0 };
const I12: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(12));
const IMM16: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(16));
const O9: OperandDesc = OperandDesc::Offset { range: ImmRange::Signed(9), scale: 1 };
const O12X1: OperandDesc = offset(1);
const O12X2: OperandDesc = offset(2);
const O12X4: OperandDesc = offset(4);
const O12X8: OperandDesc = offset(8);
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
const L21X1: OperandDesc = OperandDesc::Label { bits: 21, scale: 1 };
const L28: OperandDesc = OperandDesc::Label { bits: 28, scale: 4 };
const SYM: OperandDesc = OperandDesc::Symbol;
/// The number of pages from the instruction's own.
const PAGES: OperandDesc = OperandDesc::Imm(ImmRange::Signed(21));
const CALLEE: OperandDesc = OperandDesc::Callee { bits: 28, scale: 4 };

/// Twelve bits that count units of the access.
const fn offset(scale: u8) -> OperandDesc {
    OperandDesc::Offset { range: ImmRange::Unsigned(12), scale }
}

// Any address does.
const S8: Access = Access::signed(1, 1);
const S16: Access = Access::signed(2, 1);
const S32: Access = Access::signed(4, 1);
const Z8: Access = Access::unsigned(1, 1);
const Z16: Access = Access::unsigned(2, 1);
const Z32: Access = Access::unsigned(4, 1);
const Z64: Access = Access::unsigned(8, 1);

crate::instructions! {
    ADDWrr [D32, U32, U32] three(0x0b000000) "add %0, %1, %2" {};
    ADDXrr [D64, U64, U64] three(0x8b000000) "add %0, %1, %2" {};
    SUBWrr [D32, U32, U32] three(0x4b000000) "sub %0, %1, %2" {};
    SUBXrr [D64, U64, U64] three(0xcb000000) "sub %0, %1, %2" {};
    ADDSWrr [D32, U32, U32] three(0x2b000000) "adds %0, %1, %2" {} writes [NZCV];
    ADDSXrr [D64, U64, U64] three(0xab000000) "adds %0, %1, %2" {} writes [NZCV];
    SUBSWrr [D32, U32, U32] three(0x6b000000) "subs %0, %1, %2" {} writes [NZCV];
    SUBSXrr [D64, U64, U64] three(0xeb000000) "subs %0, %1, %2" {} writes [NZCV];
    ANDWrr [D32, U32, U32] three(0x0a000000) "and %0, %1, %2" {};
    ANDXrr [D64, U64, U64] three(0x8a000000) "and %0, %1, %2" {};
    ORRWrr [D32, U32, U32] three(0x2a000000) "orr %0, %1, %2" {};
    ORRXrr [D64, U64, U64] three(0xaa000000) "orr %0, %1, %2" {};
    EORWrr [D32, U32, U32] three(0x4a000000) "eor %0, %1, %2" {};
    EORXrr [D64, U64, U64] three(0xca000000) "eor %0, %1, %2" {};
    ADCSWr [D32, U32, U32] three(0x3a000000) "adcs %0, %1, %2" {} reads [NZCV] writes [NZCV];
    ADCSXr [D64, U64, U64] three(0xba000000) "adcs %0, %1, %2" {} reads [NZCV] writes [NZCV];
    SBCSWr [D32, U32, U32] three(0x7a000000) "sbcs %0, %1, %2" {} reads [NZCV] writes [NZCV];
    SBCSXr [D64, U64, U64] three(0xfa000000) "sbcs %0, %1, %2" {} reads [NZCV] writes [NZCV];
    ADDWri [D32SP, U32SP, I12, SH12] add_immediate(0x11000000) "add %0, %1, #%2, lsl #%3" {};
    ADDXri [D64SP, B64, O12X1, SH12] add_immediate(0x91000000) "add %0, %1, #%2, lsl #%3" {};
    SUBWri [D32SP, U32SP, I12, SH12] add_immediate(0x51000000) "sub %0, %1, #%2, lsl #%3" {};
    SUBXri [D64SP, B64, O12X1, SH12] add_immediate(0xd1000000) "sub %0, %1, #%2, lsl #%3" {};
    SUBSWri [D32, U32SP, I12, SH12] add_immediate(0x71000000) "subs %0, %1, #%2, lsl #%3" {} writes [NZCV];
    SUBSXri [D64, B64, O12X1, SH12] add_immediate(0xf1000000) "subs %0, %1, #%2, lsl #%3" {} writes [NZCV];
    ADDSWri [D32, U32SP, I12, SH12] add_immediate(0x31000000) "adds %0, %1, #%2, lsl #%3" {} writes [NZCV];
    ADDSXri [D64, B64, O12X1, SH12] add_immediate(0xb1000000) "adds %0, %1, #%2, lsl #%3" {} writes [NZCV];
    ADDXrx64 [D64SP, U64SP, U64, EXT] three(0x8b206000) "add %0, %1, %2, uxtx" {};
    SUBXrx64 [D64SP, U64SP, U64, EXT] three(0xcb206000) "sub %0, %1, %2, uxtx" {};
    ANDWri [D32SP, U32, LM32] logical(0x12000000) "and %0, %1, #%l2" {};
    ANDXri [D64SP, U64, LM64] logical(0x92000000) "and %0, %1, #%l2" {};
    ORRWri [D32SP, U32, LM32] logical(0x32000000) "orr %0, %1, #%l2" {};
    ORRXri [D64SP, U64, LM64] logical(0xb2000000) "orr %0, %1, #%l2" {};
    EORWri [D32SP, U32, LM32] logical(0x52000000) "eor %0, %1, #%l2" {};
    EORXri [D64SP, U64, LM64] logical(0xd2000000) "eor %0, %1, #%l2" {};
    MADDWrrr [D32, U32, U32, U32] four(0x1b000000) "madd %0, %1, %2, %3" {};
    MADDXrrr [D64, U64, U64, U64] four(0x9b000000) "madd %0, %1, %2, %3" {};
    MSUBWrrr [D32, U32, U32, U32] four(0x1b008000) "msub %0, %1, %2, %3" {};
    MSUBXrrr [D64, U64, U64, U64] four(0x9b008000) "msub %0, %1, %2, %3" {};
    UMULHrr [D64, U64, U64] three(0x9bc07c00) "umulh %0, %1, %2" {};
    SMULHrr [D64, U64, U64] three(0x9b407c00) "smulh %0, %1, %2" {};
    UDIVWr [D32, U32, U32] three(0x1ac00800) "udiv %0, %1, %2" {};
    UDIVXr [D64, U64, U64] three(0x9ac00800) "udiv %0, %1, %2" {};
    SDIVWr [D32, U32, U32] three(0x1ac00c00) "sdiv %0, %1, %2" {};
    SDIVXr [D64, U64, U64] three(0x9ac00c00) "sdiv %0, %1, %2" {};
    LSLVWr [D32, U32, U32] three(0x1ac02000) "lsl %0, %1, %2" {};
    LSLVXr [D64, U64, U64] three(0x9ac02000) "lsl %0, %1, %2" {};
    LSRVWr [D32, U32, U32] three(0x1ac02400) "lsr %0, %1, %2" {};
    LSRVXr [D64, U64, U64] three(0x9ac02400) "lsr %0, %1, %2" {};
    ASRVWr [D32, U32, U32] three(0x1ac02800) "asr %0, %1, %2" {};
    ASRVXr [D64, U64, U64] three(0x9ac02800) "asr %0, %1, %2" {};
    RORVWr [D32, U32, U32] three(0x1ac02c00) "ror %0, %1, %2" {};
    RORVXr [D64, U64, U64] three(0x9ac02c00) "ror %0, %1, %2" {};
    UBFMWri [D32, U32, U5, U5] bitfield(0x53000000) "ubfm %0, %1, #%2, #%3" {};
    UBFMXri [D64, U64, U6, U6] bitfield(0xd3400000) "ubfm %0, %1, #%2, #%3" {};
    SBFMWri [D32, U32, U5, U5] bitfield(0x13000000) "sbfm %0, %1, #%2, #%3" {};
    SBFMXri [D64, U64, U6, U6] bitfield(0x93400000) "sbfm %0, %1, #%2, #%3" {};
    EXTRWrri [D32, U32, U32, U5] extract(0x13800000) "extr %0, %1, %2, #%3" {};
    EXTRXrri [D64, U64, U64, U6] extract(0x93c00000) "extr %0, %1, %2, #%3" {};
    CLZWr [D32, U32] two(0x5ac01000) "clz %0, %1" {};
    CLZXr [D64, U64] two(0xdac01000) "clz %0, %1" {};
    RBITWr [D32, U32] two(0x5ac00000) "rbit %0, %1" {};
    RBITXr [D64, U64] two(0xdac00000) "rbit %0, %1" {};
    REVWr [D32, U32] two(0x5ac00800) "rev %0, %1" {};
    REVXr [D64, U64] two(0xdac00c00) "rev %0, %1" {};
    CSELWr [D32, U32, U32, CC] select(0x1a800000) "csel %0, %1, %2, %c3" {} reads [NZCV];
    CSELXr [D64, U64, U64, CC] select(0x9a800000) "csel %0, %1, %2, %c3" {} reads [NZCV];
    CSINCWr [D32, U32, U32, CC] select(0x1a800400) "csinc %0, %1, %2, %c3" {} reads [NZCV];
    CSINCXr [D64, U64, U64, CC] select(0x9a800400) "csinc %0, %1, %2, %c3" {} reads [NZCV];
    CSINVWr [D32, U32, U32, CC] select(0x5a800000) "csinv %0, %1, %2, %c3" {} reads [NZCV];
    CSINVXr [D64, U64, U64, CC] select(0xda800000) "csinv %0, %1, %2, %c3" {} reads [NZCV];
    CSNEGWr [D32, U32, U32, CC] select(0x5a800400) "csneg %0, %1, %2, %c3" {} reads [NZCV];
    CSNEGXr [D64, U64, U64, CC] select(0xda800400) "csneg %0, %1, %2, %c3" {} reads [NZCV];
    MOVZWi [D32, IMM16, SHW] move_wide(0x52800000) "movz %0, #%1, lsl #%2" {};
    MOVZXi [D64, IMM16, SHX] move_wide(0xd2800000) "movz %0, #%1, lsl #%2" {};
    MOVNWi [D32, IMM16, SHW] move_wide(0x12800000) "movn %0, #%1, lsl #%2" {};
    MOVNXi [D64, IMM16, SHX] move_wide(0x92800000) "movn %0, #%1, lsl #%2" {};
    MOVKWi [D32, T32, IMM16, SHW] move_keep(0x72800000) "movk %0, #%2, lsl #%3" {};
    MOVKXi [D64, T64, IMM16, SHX] move_keep(0xf2800000) "movk %0, #%2, lsl #%3" {};
    LDRBBui [D32, B64, O12X1] scaled(0x39400000) "ldrb %0, [%1, #%s2]" {LOAD} of Z8;
    LDRHHui [D32, B64, O12X2] scaled(0x79400000) "ldrh %0, [%1, #%s2]" {LOAD} of Z16;
    LDRWui [D32, B64, O12X4] scaled(0xb9400000) "ldr %0, [%1, #%s2]" {LOAD} of Z32;
    LDRXui [D64, B64, O12X8] scaled(0xf9400000) "ldr %0, [%1, #%s2]" {LOAD} of Z64;
    LDRSBWui [D32, B64, O12X1] scaled(0x39c00000) "ldrsb %0, [%1, #%s2]" {LOAD} of S8;
    LDRSBXui [D64, B64, O12X1] scaled(0x39800000) "ldrsb %0, [%1, #%s2]" {LOAD} of S8;
    LDRSHWui [D32, B64, O12X2] scaled(0x79c00000) "ldrsh %0, [%1, #%s2]" {LOAD} of S16;
    LDRSHXui [D64, B64, O12X2] scaled(0x79800000) "ldrsh %0, [%1, #%s2]" {LOAD} of S16;
    LDRSWui [D64, B64, O12X4] scaled(0xb9800000) "ldrsw %0, [%1, #%s2]" {LOAD} of S32;
    STRBBui [U32, B64, O12X1] scaled(0x39000000) "strb %0, [%1, #%s2]" {STORE} of Z8;
    STRHHui [U32, B64, O12X2] scaled(0x79000000) "strh %0, [%1, #%s2]" {STORE} of Z16;
    STRWui [U32, B64, O12X4] scaled(0xb9000000) "str %0, [%1, #%s2]" {STORE} of Z32;
    STRXui [U64, B64, O12X8] scaled(0xf9000000) "str %0, [%1, #%s2]" {STORE} of Z64;
    LDURBBi [D32, B64, O9] unscaled(0x38400000) "ldurb %0, [%1, #%2]" {LOAD} of Z8;
    LDURHHi [D32, B64, O9] unscaled(0x78400000) "ldurh %0, [%1, #%2]" {LOAD} of Z16;
    LDURWi [D32, B64, O9] unscaled(0xb8400000) "ldur %0, [%1, #%2]" {LOAD} of Z32;
    LDURXi [D64, B64, O9] unscaled(0xf8400000) "ldur %0, [%1, #%2]" {LOAD} of Z64;
    LDURSBWi [D32, B64, O9] unscaled(0x38c00000) "ldursb %0, [%1, #%2]" {LOAD} of S8;
    LDURSBXi [D64, B64, O9] unscaled(0x38800000) "ldursb %0, [%1, #%2]" {LOAD} of S8;
    LDURSHWi [D32, B64, O9] unscaled(0x78c00000) "ldursh %0, [%1, #%2]" {LOAD} of S16;
    LDURSHXi [D64, B64, O9] unscaled(0x78800000) "ldursh %0, [%1, #%2]" {LOAD} of S16;
    LDURSWi [D64, B64, O9] unscaled(0xb8800000) "ldursw %0, [%1, #%2]" {LOAD} of S32;
    STURBBi [U32, B64, O9] unscaled(0x38000000) "sturb %0, [%1, #%2]" {STORE} of Z8;
    STURHHi [U32, B64, O9] unscaled(0x78000000) "sturh %0, [%1, #%2]" {STORE} of Z16;
    STURWi [U32, B64, O9] unscaled(0xb8000000) "stur %0, [%1, #%2]" {STORE} of Z32;
    STURXi [U64, B64, O9] unscaled(0xf8000000) "stur %0, [%1, #%2]" {STORE} of Z64;
    Bcc [CC, L21] condition(0x54000000) "b.%c0 %1" {TERMINATOR, BRANCH} reads [NZCV];
    CBZW [U32, L21] compare(0x34000000) "cbz %0, %1" {TERMINATOR, BRANCH};
    CBNZW [U32, L21] compare(0x35000000) "cbnz %0, %1" {TERMINATOR, BRANCH};
    CBZX [U64, L21] compare(0xb4000000) "cbz %0, %1" {TERMINATOR, BRANCH};
    CBNZX [U64, L21] compare(0xb5000000) "cbnz %0, %1" {TERMINATOR, BRANCH};
    B [L28] branch(0x14000000) "b %0" {TERMINATOR, BRANCH, BARRIER};
    RET [U64] source(0xd65f0000) "ret %0" {TERMINATOR, RETURN, BARRIER};
    RET_ReallyLR [] fixed(0xd65f03c0) "ret" {TERMINATOR, RETURN, BARRIER};
    SUBREG_TO_REG [D64, ABOVE, U32, SUB] move_word(0x2a0003e0) "mov %w0, %2" {ARTIFACT};
    BL [CALLEE, MASK] branch(0x94000000) "bl %0" {CALL, SIDE_EFFECTS} reads [SP] writes [LR];
    BLR [U64, MASK] source(0xd63f0000) "blr %0" {CALL, SIDE_EFFECTS} reads [SP] writes [LR];
    TCRETURNdi [CALLEE, MORE, MASK] pseudo() "b %0" {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP];
    TCRETURNri [TC64, MORE, MASK] pseudo() "br %0" {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP];
    MOVaddr [D64, SYM, SYM] pseudo() "adrp %0, %1\n\tadd %0, %0, %2" {} size 8;
    LOADgot [D64, SYM] pseudo() "adrp %0, %1\n\tldr %0, [%0, %g1]" {} size 8;
    ADJCALLSTACKDOWN [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
    ADJCALLSTACKUP [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
    ADRP [D64, PAGES] address(0x90000000) "adrp %0, %p1" {};
    ADR [D64, L21X1] address(0x10000000) "adr %0, %1" {};
    // Of LLVM's traps the one that it writes for code that is never reached.
    BRK [IMM16] exception(0xd4200000) "brk #%0" {TERMINATOR, BARRIER, SIDE_EFFECTS};
    BR [U64] source(0xd61f0000) "br %0" {TERMINATOR, BRANCH, BARRIER, INDIRECT};
}
