//! The instruction table: RV32I and RV64I, M, A, F, D, Zfhmin, Zfh, Zfa, Zba, Zbb, Zbs, Zicond, and the
//! pseudo-instructions of LLVM's MIR. One instruction a row: numbers, operands and encodings all come from it. Source:
//! The RISC-V Instruction Set Manual, volume I, chapter "RV32/64G Instruction Set Listings"; names and operand order
//! are LLVM's.

use super::features::{A, D, F, M, RV32, RV64, ZBA, ZBB, ZBS, ZFA, ZFH, ZFHMIN, ZICOND};
use super::registers::{FFLAGS, FPR16, FPR32, FPR64, FRM, GPR, GPRJALR, GPRTC, RA, SP};
use crate::instructions::{Access, ImmRange, MASK, OperandDesc, Piece, SIZE, WordLayout};
use tribunal_ir::AtomicOrdering;

/// The operands' places in the manual's formats. Register numbers have five bits.
const RD: Piece = Piece::low(0, 5, 7);
const RD_RS1: [Piece; 2] = [RD, Piece::low(1, 5, 15)];
const R: &[Piece] = &[RD, RD_RS1[1], Piece::low(2, 5, 20)];
const I: &[Piece] = &[RD, RD_RS1[1], Piece::low(2, 12, 20)];
const S: &[Piece] = &[Piece::low(0, 5, 20), RD_RS1[1], Piece::low(2, 5, 7), Piece::part(2, 5, 7, 25)];
const B: &[Piece] = &[
    Piece::low(0, 5, 15),
    Piece::low(1, 5, 20),
    Piece::part(2, 1, 4, 8),
    Piece::part(2, 5, 6, 25),
    Piece::part(2, 11, 1, 7),
    Piece::part(2, 12, 1, 31),
];
const U: &[Piece] = &[RD, Piece::low(1, 20, 12)];
const J: &[Piece] =
    &[RD, Piece::part(1, 1, 10, 21), Piece::part(1, 11, 1, 20), Piece::part(1, 12, 8, 12), Piece::part(1, 20, 1, 31)];

const fn code(opcode: u32, funct3: u32, above: u32, pieces: &'static [Piece]) -> Option<WordLayout> {
    Some(WordLayout { word: opcode | funct3 << 12 | above, pieces })
}

const fn register(opcode: u32, funct3: u32, funct7: u32) -> Option<WordLayout> {
    code(opcode, funct3, funct7 << 25, R)
}
/// A shift by an immediate: `funct7` stands above the amount.
const fn shift(opcode: u32, funct3: u32, funct7: u32) -> Option<WordLayout> {
    code(opcode, funct3, funct7 << 25, I)
}
/// One source: the twelve bits in place of an immediate are fixed.
const fn unary(opcode: u32, funct3: u32, funct12: u32) -> Option<WordLayout> {
    code(opcode, funct3, funct12 << 20, &RD_RS1)
}
const fn immediate(opcode: u32, funct3: u32) -> Option<WordLayout> {
    code(opcode, funct3, 0, I)
}
const fn store(opcode: u32, funct3: u32) -> Option<WordLayout> {
    code(opcode, funct3, 0, S)
}
const fn branch(opcode: u32, funct3: u32) -> Option<WordLayout> {
    code(opcode, funct3, 0, B)
}
const fn upper(opcode: u32) -> Option<WordLayout> {
    code(opcode, 0, 0, U)
}
const fn jump(opcode: u32) -> Option<WordLayout> {
    code(opcode, 0, 0, J)
}
/// No operands.
const fn fixed(word: u32) -> Option<WordLayout> {
    code(word, 0, 0, &[])
}
/// An operation on memory: its number, and the two bits of its ordering. The address is the last operand.
const fn atomic(funct3: u32, funct5: u32, ordering: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[RD, Piece::low(1, 5, 20), Piece::low(2, 5, 15)];
    code(0x2f, funct3, funct5 << 27 | ordering << 25, PIECES)
}
/// A load that reserves its address.
const fn reserve(funct3: u32, ordering: u32) -> Option<WordLayout> {
    code(0x2f, funct3, 0x02 << 27 | ordering << 25, &RD_RS1)
}
/// An operation of floating point on so many sources, with its rounding mode as the last operand.
const fn rounded(funct7: u32, rs2: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[RD, RD_RS1[1], Piece::low(2, 3, 12)];
    code(0x53, 0, funct7 << 25 | rs2 << 20, PIECES)
}
const fn rounded2(funct7: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[RD, RD_RS1[1], Piece::low(2, 5, 20), Piece::low(3, 3, 12)];
    code(0x53, 0, funct7 << 25, PIECES)
}
const fn rounded3(opcode: u32, format: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[RD, RD_RS1[1], Piece::low(2, 5, 20), Piece::low(3, 5, 27), Piece::low(4, 3, 12)];
    code(opcode, 0, format << 25, PIECES)
}
/// One that does not round, of two sources and of one.
const fn float(funct7: u32, funct3: u32) -> Option<WordLayout> {
    code(0x53, funct3, funct7 << 25, R)
}
const fn float1(funct7: u32, funct3: u32) -> Option<WordLayout> {
    code(0x53, funct3, funct7 << 25, &RD_RS1)
}
/// A move of a part of the bits of one source.
const fn moved(funct7: u32, part: u32) -> Option<WordLayout> {
    code(0x53, 0, funct7 << 25 | part << 20, &RD_RS1)
}
/// A constant: its number stands where a source does.
const fn constant(funct7: u32) -> Option<WordLayout> {
    code(0x53, 0, funct7 << 25 | 1 << 20, &RD_RS1)
}
/// A read of the status register of this number, which nothing changes, and a write of it, which gives nothing.
const fn read_status(number: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[RD];
    code(0x73, 2, number << 20, PIECES)
}
const fn write_status(number: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[Piece::low(0, 5, 15)];
    code(0x73, 1, number << 20, PIECES)
}
/// The kinds of accesses before, and those after.
const fn fence(above: u32) -> Option<WordLayout> {
    const PIECES: &[Piece] = &[Piece::low(0, 4, 24), Piece::low(1, 4, 20)];
    code(0x0f, 0, above << 28, PIECES)
}
const fn pseudo() -> Option<WordLayout> {
    None
}

const DX: OperandDesc = OperandDesc::Def(GPR);
const X: OperandDesc = OperandDesc::Use(GPR);
const E: OperandDesc = OperandDesc::EarlyDef(GPR);
// Numbers of 16, of 32 and of 64 bits.
const DH: OperandDesc = OperandDesc::Def(FPR16);
const XH: OperandDesc = OperandDesc::Use(FPR16);
const DS: OperandDesc = OperandDesc::Def(FPR32);
const XS: OperandDesc = OperandDesc::Use(FPR32);
const DD: OperandDesc = OperandDesc::Def(FPR64);
const XD: OperandDesc = OperandDesc::Use(FPR64);
const RM: OperandDesc = OperandDesc::Imm(ImmRange::RoundingMode);
/// The number of a constant of floating point.
const NUMBER: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(5));
const BASE: OperandDesc = OperandDesc::Base(GPR);
const I12: OperandDesc = OperandDesc::Imm(ImmRange::Signed(12));
const O12: OperandDesc = OperandDesc::Offset { range: ImmRange::Signed(12), scale: 1 };
const U20: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(20));
const AMT: OperandDesc = OperandDesc::Imm(ImmRange::Amount);
const SH5: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(5));
/// Kinds of accesses: 1 writes, 2 reads, 4 output, 8 input.
const KINDS: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(4));
/// LLVM's number of an ordering.
const ORD: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[2, 4, 5, 6, 7]));
/// LLVM's number of a comparison, in the order of the branches' opcodes: `eq`, `ne`, `lt`, `ge`, `ltu`, `geu`.
const CC: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 1, 2, 3, 4, 5]));
const L13: OperandDesc = OperandDesc::Label { bits: 13, scale: 2 };
const L21: OperandDesc = OperandDesc::Label { bits: 21, scale: 2 };
/// The reach of `AUIPC` and `JALR`. An emitted function is far smaller, so the lowest distances that the pair misses on
/// a machine of 64 bits do not matter.
const L32: OperandDesc = OperandDesc::Label { bits: 32, scale: 2 };
const JALRX: OperandDesc = OperandDesc::Use(GPRJALR);
const TCX: OperandDesc = OperandDesc::Use(GPRTC);
const SYM: OperandDesc = OperandDesc::Symbol;
const CALLEE: OperandDesc = OperandDesc::Callee { bits: 32, scale: 2 };

// An address that is no multiple of the size may trap.
const S8: Access = Access::signed(1, 1);
const S16: Access = Access::signed(2, 2);
const S32: Access = Access::signed(4, 4);
const Z8: Access = Access::unsigned(1, 1);
const Z16: Access = Access::unsigned(2, 2);
const Z32: Access = Access::unsigned(4, 4);
const Z64: Access = Access::unsigned(8, 8);

// By the bits of the ordering: none, release, acquire, both. A pseudo-instruction takes its ordering as an operand.
const W: Access = S32;
const W_RL: Access = W.ordered(AtomicOrdering::Release);
const W_AQ: Access = W.ordered(AtomicOrdering::Acquire);
const W_AQRL: Access = W.ordered(AtomicOrdering::SequentiallyConsistent);
const X64: Access = Z64;
const X64_RL: Access = X64.ordered(AtomicOrdering::Release);
const X64_AQ: Access = X64.ordered(AtomicOrdering::Acquire);
const X64_AQRL: Access = X64.ordered(AtomicOrdering::SequentiallyConsistent);

crate::instructions! {
    LUI [DX, U20] upper(0x37) {};
    AUIPC [DX, U20] upper(0x17) {};
    JAL [DX, L21] jump(0x6f) {TERMINATOR, BRANCH, BARRIER};
    JALR [DX, X, I12] immediate(0x67, 0) {TERMINATOR, BRANCH, BARRIER, INDIRECT};
    BEQ [X, X, L13] branch(0x63, 0) {TERMINATOR, BRANCH};
    BNE [X, X, L13] branch(0x63, 1) {TERMINATOR, BRANCH};
    BLT [X, X, L13] branch(0x63, 4) {TERMINATOR, BRANCH};
    BGE [X, X, L13] branch(0x63, 5) {TERMINATOR, BRANCH};
    BLTU [X, X, L13] branch(0x63, 6) {TERMINATOR, BRANCH};
    BGEU [X, X, L13] branch(0x63, 7) {TERMINATOR, BRANCH};
    LB [DX, BASE, O12] immediate(0x03, 0) {LOAD} of S8;
    LH [DX, BASE, O12] immediate(0x03, 1) {LOAD} of S16;
    LW [DX, BASE, O12] immediate(0x03, 2) {LOAD} of S32;
    LD [DX, BASE, O12] immediate(0x03, 3) {LOAD} of Z64 if [RV64];
    LBU [DX, BASE, O12] immediate(0x03, 4) {LOAD} of Z8;
    LHU [DX, BASE, O12] immediate(0x03, 5) {LOAD} of Z16;
    LWU [DX, BASE, O12] immediate(0x03, 6) {LOAD} of Z32 if [RV64];
    SB [X, BASE, O12] store(0x23, 0) {STORE} of Z8;
    SH [X, BASE, O12] store(0x23, 1) {STORE} of Z16;
    SW [X, BASE, O12] store(0x23, 2) {STORE} of Z32;
    SD [X, BASE, O12] store(0x23, 3) {STORE} of Z64 if [RV64];
    ADDI [DX, BASE, O12] immediate(0x13, 0) {};
    SLTI [DX, X, I12] immediate(0x13, 2) {};
    SLTIU [DX, X, I12] immediate(0x13, 3) {};
    XORI [DX, X, I12] immediate(0x13, 4) {};
    ORI [DX, X, I12] immediate(0x13, 6) {};
    ANDI [DX, X, I12] immediate(0x13, 7) {};
    SLLI [DX, X, AMT] shift(0x13, 1, 0x00) {};
    SRLI [DX, X, AMT] shift(0x13, 5, 0x00) {};
    SRAI [DX, X, AMT] shift(0x13, 5, 0x20) {};
    ADD [DX, X, X] register(0x33, 0, 0x00) {};
    SUB [DX, X, X] register(0x33, 0, 0x20) {};
    SLL [DX, X, X] register(0x33, 1, 0x00) {};
    SLT [DX, X, X] register(0x33, 2, 0x00) {};
    SLTU [DX, X, X] register(0x33, 3, 0x00) {};
    XOR [DX, X, X] register(0x33, 4, 0x00) {};
    SRL [DX, X, X] register(0x33, 5, 0x00) {};
    SRA [DX, X, X] register(0x33, 5, 0x20) {};
    OR [DX, X, X] register(0x33, 6, 0x00) {};
    AND [DX, X, X] register(0x33, 7, 0x00) {};
    ADDIW [DX, X, I12] immediate(0x1b, 0) {} if [RV64];
    SLLIW [DX, X, SH5] shift(0x1b, 1, 0x00) {} if [RV64];
    SRLIW [DX, X, SH5] shift(0x1b, 5, 0x00) {} if [RV64];
    SRAIW [DX, X, SH5] shift(0x1b, 5, 0x20) {} if [RV64];
    ADDW [DX, X, X] register(0x3b, 0, 0x00) {} if [RV64];
    SUBW [DX, X, X] register(0x3b, 0, 0x20) {} if [RV64];
    SLLW [DX, X, X] register(0x3b, 1, 0x00) {} if [RV64];
    SRLW [DX, X, X] register(0x3b, 5, 0x00) {} if [RV64];
    SRAW [DX, X, X] register(0x3b, 5, 0x20) {} if [RV64];
    MUL [DX, X, X] register(0x33, 0, 0x01) {} if [M];
    MULH [DX, X, X] register(0x33, 1, 0x01) {} if [M];
    MULHSU [DX, X, X] register(0x33, 2, 0x01) {} if [M];
    MULHU [DX, X, X] register(0x33, 3, 0x01) {} if [M];
    DIV [DX, X, X] register(0x33, 4, 0x01) {} if [M];
    DIVU [DX, X, X] register(0x33, 5, 0x01) {} if [M];
    REM [DX, X, X] register(0x33, 6, 0x01) {} if [M];
    REMU [DX, X, X] register(0x33, 7, 0x01) {} if [M];
    MULW [DX, X, X] register(0x3b, 0, 0x01) {} if [RV64, M];
    DIVW [DX, X, X] register(0x3b, 4, 0x01) {} if [RV64, M];
    DIVUW [DX, X, X] register(0x3b, 5, 0x01) {} if [RV64, M];
    REMW [DX, X, X] register(0x3b, 6, 0x01) {} if [RV64, M];
    REMUW [DX, X, X] register(0x3b, 7, 0x01) {} if [RV64, M];
    SH1ADD [DX, X, X] register(0x33, 2, 0x10) {} if [ZBA];
    SH2ADD [DX, X, X] register(0x33, 4, 0x10) {} if [ZBA];
    SH3ADD [DX, X, X] register(0x33, 6, 0x10) {} if [ZBA];
    ADD_UW [DX, X, X] register(0x3b, 0, 0x04) {} if [RV64, ZBA];
    SLLI_UW [DX, X, AMT] shift(0x1b, 1, 0x04) {} if [RV64, ZBA];
    ANDN [DX, X, X] register(0x33, 7, 0x20) {} if [ZBB];
    ORN [DX, X, X] register(0x33, 6, 0x20) {} if [ZBB];
    XNOR [DX, X, X] register(0x33, 4, 0x20) {} if [ZBB];
    MIN [DX, X, X] register(0x33, 4, 0x05) {} if [ZBB];
    MINU [DX, X, X] register(0x33, 5, 0x05) {} if [ZBB];
    MAX [DX, X, X] register(0x33, 6, 0x05) {} if [ZBB];
    MAXU [DX, X, X] register(0x33, 7, 0x05) {} if [ZBB];
    CLZ [DX, X] unary(0x13, 1, 0x600) {} if [ZBB];
    CTZ [DX, X] unary(0x13, 1, 0x601) {} if [ZBB];
    CPOP [DX, X] unary(0x13, 1, 0x602) {} if [ZBB];
    CLZW [DX, X] unary(0x1b, 1, 0x600) {} if [RV64, ZBB];
    CTZW [DX, X] unary(0x1b, 1, 0x601) {} if [RV64, ZBB];
    CPOPW [DX, X] unary(0x1b, 1, 0x602) {} if [RV64, ZBB];
    SEXT_B [DX, X] unary(0x13, 1, 0x604) {} if [ZBB];
    SEXT_H [DX, X] unary(0x13, 1, 0x605) {} if [ZBB];
    ZEXT_H_RV32 [DX, X] unary(0x33, 4, 0x080) {} if [RV32, ZBB];
    ZEXT_H_RV64 [DX, X] unary(0x3b, 4, 0x080) {} if [RV64, ZBB];
    ROL [DX, X, X] register(0x33, 1, 0x30) {} if [ZBB];
    ROR [DX, X, X] register(0x33, 5, 0x30) {} if [ZBB];
    RORI [DX, X, AMT] shift(0x13, 5, 0x30) {} if [ZBB];
    ROLW [DX, X, X] register(0x3b, 1, 0x30) {} if [RV64, ZBB];
    RORW [DX, X, X] register(0x3b, 5, 0x30) {} if [RV64, ZBB];
    RORIW [DX, X, SH5] shift(0x1b, 5, 0x30) {} if [RV64, ZBB];
    REV8_RV32 [DX, X] unary(0x13, 5, 0x698) {} if [RV32, ZBB];
    REV8_RV64 [DX, X] unary(0x13, 5, 0x6b8) {} if [RV64, ZBB];
    ORC_B [DX, X] unary(0x13, 5, 0x287) {} if [ZBB];
    BCLR [DX, X, X] register(0x33, 1, 0x24) {} if [ZBS];
    BEXT [DX, X, X] register(0x33, 5, 0x24) {} if [ZBS];
    BINV [DX, X, X] register(0x33, 1, 0x34) {} if [ZBS];
    BSET [DX, X, X] register(0x33, 1, 0x14) {} if [ZBS];
    BCLRI [DX, X, AMT] shift(0x13, 1, 0x24) {} if [ZBS];
    BEXTI [DX, X, AMT] shift(0x13, 5, 0x24) {} if [ZBS];
    BINVI [DX, X, AMT] shift(0x13, 1, 0x34) {} if [ZBS];
    BSETI [DX, X, AMT] shift(0x13, 1, 0x14) {} if [ZBS];
    CZERO_EQZ [DX, X, X] register(0x33, 5, 0x07) {} if [ZICOND];
    CZERO_NEZ [DX, X, X] register(0x33, 7, 0x07) {} if [ZICOND];
    LR_W [DX, X] reserve(2, 0) {LOAD, SIDE_EFFECTS} of W if [A];
    LR_W_RL [DX, X] reserve(2, 1) {LOAD, SIDE_EFFECTS} of W_RL if [A];
    LR_W_AQ [DX, X] reserve(2, 2) {LOAD, SIDE_EFFECTS} of W_AQ if [A];
    LR_W_AQRL [DX, X] reserve(2, 3) {LOAD, SIDE_EFFECTS} of W_AQRL if [A];
    SC_W [DX, X, X] atomic(2, 3, 0) {STORE, SIDE_EFFECTS} of W if [A];
    SC_W_RL [DX, X, X] atomic(2, 3, 1) {STORE, SIDE_EFFECTS} of W_RL if [A];
    SC_W_AQ [DX, X, X] atomic(2, 3, 2) {STORE, SIDE_EFFECTS} of W_AQ if [A];
    SC_W_AQRL [DX, X, X] atomic(2, 3, 3) {STORE, SIDE_EFFECTS} of W_AQRL if [A];
    AMOSWAP_W [DX, X, X] atomic(2, 1, 0) {LOAD, STORE} of W if [A];
    AMOSWAP_W_RL [DX, X, X] atomic(2, 1, 1) {LOAD, STORE} of W_RL if [A];
    AMOSWAP_W_AQ [DX, X, X] atomic(2, 1, 2) {LOAD, STORE} of W_AQ if [A];
    AMOSWAP_W_AQRL [DX, X, X] atomic(2, 1, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOADD_W [DX, X, X] atomic(2, 0, 0) {LOAD, STORE} of W if [A];
    AMOADD_W_RL [DX, X, X] atomic(2, 0, 1) {LOAD, STORE} of W_RL if [A];
    AMOADD_W_AQ [DX, X, X] atomic(2, 0, 2) {LOAD, STORE} of W_AQ if [A];
    AMOADD_W_AQRL [DX, X, X] atomic(2, 0, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOXOR_W [DX, X, X] atomic(2, 4, 0) {LOAD, STORE} of W if [A];
    AMOXOR_W_RL [DX, X, X] atomic(2, 4, 1) {LOAD, STORE} of W_RL if [A];
    AMOXOR_W_AQ [DX, X, X] atomic(2, 4, 2) {LOAD, STORE} of W_AQ if [A];
    AMOXOR_W_AQRL [DX, X, X] atomic(2, 4, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOAND_W [DX, X, X] atomic(2, 12, 0) {LOAD, STORE} of W if [A];
    AMOAND_W_RL [DX, X, X] atomic(2, 12, 1) {LOAD, STORE} of W_RL if [A];
    AMOAND_W_AQ [DX, X, X] atomic(2, 12, 2) {LOAD, STORE} of W_AQ if [A];
    AMOAND_W_AQRL [DX, X, X] atomic(2, 12, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOOR_W [DX, X, X] atomic(2, 8, 0) {LOAD, STORE} of W if [A];
    AMOOR_W_RL [DX, X, X] atomic(2, 8, 1) {LOAD, STORE} of W_RL if [A];
    AMOOR_W_AQ [DX, X, X] atomic(2, 8, 2) {LOAD, STORE} of W_AQ if [A];
    AMOOR_W_AQRL [DX, X, X] atomic(2, 8, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOMIN_W [DX, X, X] atomic(2, 16, 0) {LOAD, STORE} of W if [A];
    AMOMIN_W_RL [DX, X, X] atomic(2, 16, 1) {LOAD, STORE} of W_RL if [A];
    AMOMIN_W_AQ [DX, X, X] atomic(2, 16, 2) {LOAD, STORE} of W_AQ if [A];
    AMOMIN_W_AQRL [DX, X, X] atomic(2, 16, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOMAX_W [DX, X, X] atomic(2, 20, 0) {LOAD, STORE} of W if [A];
    AMOMAX_W_RL [DX, X, X] atomic(2, 20, 1) {LOAD, STORE} of W_RL if [A];
    AMOMAX_W_AQ [DX, X, X] atomic(2, 20, 2) {LOAD, STORE} of W_AQ if [A];
    AMOMAX_W_AQRL [DX, X, X] atomic(2, 20, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOMINU_W [DX, X, X] atomic(2, 24, 0) {LOAD, STORE} of W if [A];
    AMOMINU_W_RL [DX, X, X] atomic(2, 24, 1) {LOAD, STORE} of W_RL if [A];
    AMOMINU_W_AQ [DX, X, X] atomic(2, 24, 2) {LOAD, STORE} of W_AQ if [A];
    AMOMINU_W_AQRL [DX, X, X] atomic(2, 24, 3) {LOAD, STORE} of W_AQRL if [A];
    AMOMAXU_W [DX, X, X] atomic(2, 28, 0) {LOAD, STORE} of W if [A];
    AMOMAXU_W_RL [DX, X, X] atomic(2, 28, 1) {LOAD, STORE} of W_RL if [A];
    AMOMAXU_W_AQ [DX, X, X] atomic(2, 28, 2) {LOAD, STORE} of W_AQ if [A];
    AMOMAXU_W_AQRL [DX, X, X] atomic(2, 28, 3) {LOAD, STORE} of W_AQRL if [A];
    LR_D [DX, X] reserve(3, 0) {LOAD, SIDE_EFFECTS} of X64 if [RV64, A];
    LR_D_RL [DX, X] reserve(3, 1) {LOAD, SIDE_EFFECTS} of X64_RL if [RV64, A];
    LR_D_AQ [DX, X] reserve(3, 2) {LOAD, SIDE_EFFECTS} of X64_AQ if [RV64, A];
    LR_D_AQRL [DX, X] reserve(3, 3) {LOAD, SIDE_EFFECTS} of X64_AQRL if [RV64, A];
    SC_D [DX, X, X] atomic(3, 3, 0) {STORE, SIDE_EFFECTS} of X64 if [RV64, A];
    SC_D_RL [DX, X, X] atomic(3, 3, 1) {STORE, SIDE_EFFECTS} of X64_RL if [RV64, A];
    SC_D_AQ [DX, X, X] atomic(3, 3, 2) {STORE, SIDE_EFFECTS} of X64_AQ if [RV64, A];
    SC_D_AQRL [DX, X, X] atomic(3, 3, 3) {STORE, SIDE_EFFECTS} of X64_AQRL if [RV64, A];
    AMOSWAP_D [DX, X, X] atomic(3, 1, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOSWAP_D_RL [DX, X, X] atomic(3, 1, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOSWAP_D_AQ [DX, X, X] atomic(3, 1, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOSWAP_D_AQRL [DX, X, X] atomic(3, 1, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOADD_D [DX, X, X] atomic(3, 0, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOADD_D_RL [DX, X, X] atomic(3, 0, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOADD_D_AQ [DX, X, X] atomic(3, 0, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOADD_D_AQRL [DX, X, X] atomic(3, 0, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOXOR_D [DX, X, X] atomic(3, 4, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOXOR_D_RL [DX, X, X] atomic(3, 4, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOXOR_D_AQ [DX, X, X] atomic(3, 4, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOXOR_D_AQRL [DX, X, X] atomic(3, 4, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOAND_D [DX, X, X] atomic(3, 12, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOAND_D_RL [DX, X, X] atomic(3, 12, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOAND_D_AQ [DX, X, X] atomic(3, 12, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOAND_D_AQRL [DX, X, X] atomic(3, 12, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOOR_D [DX, X, X] atomic(3, 8, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOOR_D_RL [DX, X, X] atomic(3, 8, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOOR_D_AQ [DX, X, X] atomic(3, 8, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOOR_D_AQRL [DX, X, X] atomic(3, 8, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOMIN_D [DX, X, X] atomic(3, 16, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOMIN_D_RL [DX, X, X] atomic(3, 16, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOMIN_D_AQ [DX, X, X] atomic(3, 16, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOMIN_D_AQRL [DX, X, X] atomic(3, 16, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOMAX_D [DX, X, X] atomic(3, 20, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOMAX_D_RL [DX, X, X] atomic(3, 20, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOMAX_D_AQ [DX, X, X] atomic(3, 20, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOMAX_D_AQRL [DX, X, X] atomic(3, 20, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOMINU_D [DX, X, X] atomic(3, 24, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOMINU_D_RL [DX, X, X] atomic(3, 24, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOMINU_D_AQ [DX, X, X] atomic(3, 24, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOMINU_D_AQRL [DX, X, X] atomic(3, 24, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    AMOMAXU_D [DX, X, X] atomic(3, 28, 0) {LOAD, STORE} of X64 if [RV64, A];
    AMOMAXU_D_RL [DX, X, X] atomic(3, 28, 1) {LOAD, STORE} of X64_RL if [RV64, A];
    AMOMAXU_D_AQ [DX, X, X] atomic(3, 28, 2) {LOAD, STORE} of X64_AQ if [RV64, A];
    AMOMAXU_D_AQRL [DX, X, X] atomic(3, 28, 3) {LOAD, STORE} of X64_AQRL if [RV64, A];
    FLW [DS, BASE, O12] immediate(0x07, 2) {LOAD} of Z32 if [F];
    FLD [DD, BASE, O12] immediate(0x07, 3) {LOAD} of Z64 if [D];
    FSW [XS, BASE, O12] store(0x27, 2) {STORE} of Z32 if [F];
    FSD [XD, BASE, O12] store(0x27, 3) {STORE} of Z64 if [D];
    FMADD_S [DS, XS, XS, XS, RM] rounded3(0x43, 0) {} if [F];
    FMSUB_S [DS, XS, XS, XS, RM] rounded3(0x47, 0) {} if [F];
    FNMSUB_S [DS, XS, XS, XS, RM] rounded3(0x4b, 0) {} if [F];
    FNMADD_S [DS, XS, XS, XS, RM] rounded3(0x4f, 0) {} if [F];
    FADD_S [DS, XS, XS, RM] rounded2(0x00) {} if [F];
    FSUB_S [DS, XS, XS, RM] rounded2(0x04) {} if [F];
    FMUL_S [DS, XS, XS, RM] rounded2(0x08) {} if [F];
    FDIV_S [DS, XS, XS, RM] rounded2(0x0c) {} if [F];
    FSQRT_S [DS, XS, RM] rounded(0x2c, 0) {} if [F];
    FSGNJ_S [DS, XS, XS] float(0x10, 0) {} if [F];
    FSGNJN_S [DS, XS, XS] float(0x10, 1) {} if [F];
    FSGNJX_S [DS, XS, XS] float(0x10, 2) {} if [F];
    FMIN_S [DS, XS, XS] float(0x14, 0) {} if [F];
    FMAX_S [DS, XS, XS] float(0x14, 1) {} if [F];
    FEQ_S [DX, XS, XS] float(0x50, 2) {} if [F];
    FLT_S [DX, XS, XS] float(0x50, 1) {} if [F];
    FLE_S [DX, XS, XS] float(0x50, 0) {} if [F];
    FCLASS_S [DX, XS] float1(0x70, 1) {} if [F];
    FCVT_W_S [DX, XS, RM] rounded(0x60, 0) {} if [F];
    FCVT_WU_S [DX, XS, RM] rounded(0x60, 1) {} if [F];
    FCVT_L_S [DX, XS, RM] rounded(0x60, 2) {} if [RV64, F];
    FCVT_LU_S [DX, XS, RM] rounded(0x60, 3) {} if [RV64, F];
    FCVT_S_W [DS, X, RM] rounded(0x68, 0) {} if [F];
    FCVT_S_WU [DS, X, RM] rounded(0x68, 1) {} if [F];
    FCVT_S_L [DS, X, RM] rounded(0x68, 2) {} if [RV64, F];
    FCVT_S_LU [DS, X, RM] rounded(0x68, 3) {} if [RV64, F];
    FMADD_D [DD, XD, XD, XD, RM] rounded3(0x43, 1) {} if [D];
    FMSUB_D [DD, XD, XD, XD, RM] rounded3(0x47, 1) {} if [D];
    FNMSUB_D [DD, XD, XD, XD, RM] rounded3(0x4b, 1) {} if [D];
    FNMADD_D [DD, XD, XD, XD, RM] rounded3(0x4f, 1) {} if [D];
    FADD_D [DD, XD, XD, RM] rounded2(0x01) {} if [D];
    FSUB_D [DD, XD, XD, RM] rounded2(0x05) {} if [D];
    FMUL_D [DD, XD, XD, RM] rounded2(0x09) {} if [D];
    FDIV_D [DD, XD, XD, RM] rounded2(0x0d) {} if [D];
    FSQRT_D [DD, XD, RM] rounded(0x2d, 0) {} if [D];
    FSGNJ_D [DD, XD, XD] float(0x11, 0) {} if [D];
    FSGNJN_D [DD, XD, XD] float(0x11, 1) {} if [D];
    FSGNJX_D [DD, XD, XD] float(0x11, 2) {} if [D];
    FMIN_D [DD, XD, XD] float(0x15, 0) {} if [D];
    FMAX_D [DD, XD, XD] float(0x15, 1) {} if [D];
    FEQ_D [DX, XD, XD] float(0x51, 2) {} if [D];
    FLT_D [DX, XD, XD] float(0x51, 1) {} if [D];
    FLE_D [DX, XD, XD] float(0x51, 0) {} if [D];
    FCLASS_D [DX, XD] float1(0x71, 1) {} if [D];
    FCVT_W_D [DX, XD, RM] rounded(0x61, 0) {} if [D];
    FCVT_WU_D [DX, XD, RM] rounded(0x61, 1) {} if [D];
    FCVT_L_D [DX, XD, RM] rounded(0x61, 2) {} if [RV64, D];
    FCVT_LU_D [DX, XD, RM] rounded(0x61, 3) {} if [RV64, D];
    FCVT_D_W [DD, X, RM] rounded(0x69, 0) {} if [D];
    FCVT_D_WU [DD, X, RM] rounded(0x69, 1) {} if [D];
    FCVT_D_L [DD, X, RM] rounded(0x69, 2) {} if [RV64, D];
    FCVT_D_LU [DD, X, RM] rounded(0x69, 3) {} if [RV64, D];
    FCVT_S_D [DS, XD, RM] rounded(0x20, 1) {} if [D];
    FCVT_D_S [DD, XS, RM] rounded(0x21, 0) {} if [D];
    FMV_X_W [DX, XS] float1(0x70, 0) {} if [F];
    FMV_W_X [DS, X] float1(0x78, 0) {} if [F];
    FMV_X_D [DX, XD] float1(0x71, 0) {} if [RV64, D];
    FMV_D_X [DD, X] float1(0x79, 0) {} if [RV64, D];
    FLH [DH, BASE, O12] immediate(0x07, 1) {LOAD} of Z16 if [ZFHMIN];
    FSH [XH, BASE, O12] store(0x27, 1) {STORE} of Z16 if [ZFHMIN];
    FMADD_H [DH, XH, XH, XH, RM] rounded3(0x43, 2) {} if [ZFH];
    FMSUB_H [DH, XH, XH, XH, RM] rounded3(0x47, 2) {} if [ZFH];
    FNMSUB_H [DH, XH, XH, XH, RM] rounded3(0x4b, 2) {} if [ZFH];
    FNMADD_H [DH, XH, XH, XH, RM] rounded3(0x4f, 2) {} if [ZFH];
    FADD_H [DH, XH, XH, RM] rounded2(0x02) {} if [ZFH];
    FSUB_H [DH, XH, XH, RM] rounded2(0x06) {} if [ZFH];
    FMUL_H [DH, XH, XH, RM] rounded2(0x0a) {} if [ZFH];
    FDIV_H [DH, XH, XH, RM] rounded2(0x0e) {} if [ZFH];
    FSQRT_H [DH, XH, RM] rounded(0x2e, 0) {} if [ZFH];
    FSGNJ_H [DH, XH, XH] float(0x12, 0) {} if [ZFH];
    FSGNJN_H [DH, XH, XH] float(0x12, 1) {} if [ZFH];
    FSGNJX_H [DH, XH, XH] float(0x12, 2) {} if [ZFH];
    FMIN_H [DH, XH, XH] float(0x16, 0) {} if [ZFH];
    FMAX_H [DH, XH, XH] float(0x16, 1) {} if [ZFH];
    FEQ_H [DX, XH, XH] float(0x52, 2) {} if [ZFH];
    FLT_H [DX, XH, XH] float(0x52, 1) {} if [ZFH];
    FLE_H [DX, XH, XH] float(0x52, 0) {} if [ZFH];
    FCLASS_H [DX, XH] float1(0x72, 1) {} if [ZFH];
    FCVT_W_H [DX, XH, RM] rounded(0x62, 0) {} if [ZFH];
    FCVT_WU_H [DX, XH, RM] rounded(0x62, 1) {} if [ZFH];
    FCVT_L_H [DX, XH, RM] rounded(0x62, 2) {} if [RV64, ZFH];
    FCVT_LU_H [DX, XH, RM] rounded(0x62, 3) {} if [RV64, ZFH];
    FCVT_H_W [DH, X, RM] rounded(0x6a, 0) {} if [ZFH];
    FCVT_H_WU [DH, X, RM] rounded(0x6a, 1) {} if [ZFH];
    FCVT_H_L [DH, X, RM] rounded(0x6a, 2) {} if [RV64, ZFH];
    FCVT_H_LU [DH, X, RM] rounded(0x6a, 3) {} if [RV64, ZFH];
    FCVT_S_H [DS, XH, RM] rounded(0x20, 2) {} if [ZFHMIN];
    FCVT_H_S [DH, XS, RM] rounded(0x22, 0) {} if [ZFHMIN];
    FCVT_D_H [DD, XH, RM] rounded(0x21, 2) {} if [ZFHMIN, D];
    FCVT_H_D [DH, XD, RM] rounded(0x22, 1) {} if [ZFHMIN, D];
    FMV_X_H [DX, XH] float1(0x72, 0) {} if [ZFHMIN];
    FMV_H_X [DH, X] float1(0x7a, 0) {} if [ZFHMIN];
    FLI_S [DS, NUMBER] constant(0x78) {} if [ZFA];
    FMINM_S [DS, XS, XS] float(0x14, 2) {} if [ZFA];
    FMAXM_S [DS, XS, XS] float(0x14, 3) {} if [ZFA];
    FROUND_S [DS, XS, RM] rounded(0x20, 4) {} if [ZFA];
    FROUNDNX_S [DS, XS, RM] rounded(0x20, 5) {} if [ZFA];
    FLEQ_S [DX, XS, XS] float(0x50, 4) {} if [ZFA];
    FLTQ_S [DX, XS, XS] float(0x50, 5) {} if [ZFA];
    FLI_D [DD, NUMBER] constant(0x79) {} if [ZFA, D];
    FMINM_D [DD, XD, XD] float(0x15, 2) {} if [ZFA, D];
    FMAXM_D [DD, XD, XD] float(0x15, 3) {} if [ZFA, D];
    FROUND_D [DD, XD, RM] rounded(0x21, 4) {} if [ZFA, D];
    FROUNDNX_D [DD, XD, RM] rounded(0x21, 5) {} if [ZFA, D];
    FLEQ_D [DX, XD, XD] float(0x51, 4) {} if [ZFA, D];
    FLTQ_D [DX, XD, XD] float(0x51, 5) {} if [ZFA, D];
    FLI_H [DH, NUMBER] constant(0x7a) {} if [ZFA, ZFH];
    FMINM_H [DH, XH, XH] float(0x16, 2) {} if [ZFA, ZFH];
    FMAXM_H [DH, XH, XH] float(0x16, 3) {} if [ZFA, ZFH];
    FROUND_H [DH, XH, RM] rounded(0x22, 4) {} if [ZFA, ZFH];
    FROUNDNX_H [DH, XH, RM] rounded(0x22, 5) {} if [ZFA, ZFH];
    FLEQ_H [DX, XH, XH] float(0x52, 4) {} if [ZFA, ZFH];
    FLTQ_H [DX, XH, XH] float(0x52, 5) {} if [ZFA, ZFH];
    FMVH_X_D [DX, XD] moved(0x71, 1) {} if [RV32, ZFA, D];
    FMVP_D_X [DD, X, X] float(0x59, 0) {} if [RV32, ZFA, D];
    // Pseudo-instructions of LLVM's, for the two registers of the environment of floating point, which are one too.
    ReadFFLAGS [DX] read_status(1) {} if [F] reads [FFLAGS];
    WriteFFLAGS [X] write_status(1) {} if [F] writes [FFLAGS];
    ReadFRM [DX] read_status(2) {} if [F] reads [FRM];
    WriteFRM [X] write_status(2) {} if [F] writes [FRM];
    ReadFCSR [DX] read_status(3) {} if [F] reads [FRM, FFLAGS];
    WriteFCSR [X] write_status(3) {} if [F] writes [FRM, FFLAGS];
    FENCE [KINDS, KINDS] fence(0) {SIDE_EFFECTS};
    FENCE_TSO [] fixed(0x8330000f) {SIDE_EFFECTS};
    ECALL [] fixed(0x73) {SIDE_EFFECTS};
    EBREAK [] fixed(0x100073) {SIDE_EFFECTS};
    UNIMP [] fixed(0xc0001073) {TERMINATOR, BARRIER, SIDE_EFFECTS};
    PseudoRET [] pseudo() {TERMINATOR, RETURN, BARRIER};
    PseudoBR [L21] pseudo() {TERMINATOR, BRANCH, BARRIER};
    PseudoJump [DX, L32] pseudo() {TERMINATOR, BRANCH, BARRIER} size 8;
    Select_GPR_Using_CC_GPR [DX, X, X, CC, X, X] pseudo() {} size 16;
    Select_FPR16_Using_CC_GPR [DH, X, X, CC, XH, XH] pseudo() {} if [ZFHMIN] size 16;
    Select_FPR32_Using_CC_GPR [DS, X, X, CC, XS, XS] pseudo() {} if [F] size 16;
    Select_FPR64_Using_CC_GPR [DD, X, X, CC, XD, XD] pseudo() {} if [D] size 16;
    BuildPairF64Pseudo [DD, X, X] pseudo() {} if [RV32, D] size 0;
    SplitF64Pseudo [DX, DX, XD] pseudo() {} if [RV32, D] size 0;
    PseudoCmpXchg32 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 16;
    PseudoCmpXchg64 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of X64 if [RV64, A] size 16;
    PseudoAtomicLoadNand32 [E, E, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 20;
    PseudoAtomicLoadNand64 [E, E, X, X, ORD] pseudo() {LOAD, STORE} of X64 if [RV64, A] size 20;
    PseudoMaskedAtomicSwap32 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 28;
    PseudoMaskedAtomicLoadAdd32 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 28;
    PseudoMaskedAtomicLoadSub32 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 28;
    PseudoMaskedAtomicLoadNand32 [E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 32;
    PseudoMaskedAtomicLoadMax32 [E, E, E, X, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 44;
    PseudoMaskedAtomicLoadMin32 [E, E, E, X, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 44;
    PseudoMaskedAtomicLoadUMax32 [E, E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 36;
    PseudoMaskedAtomicLoadUMin32 [E, E, E, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 36;
    PseudoMaskedCmpXchg32 [E, E, X, X, X, X, ORD] pseudo() {LOAD, STORE} of W if [A] size 32;
    MEMBARRIER [] pseudo() {SIDE_EFFECTS} size 0;
    PseudoCALL [CALLEE, MASK] pseudo() {CALL, SIDE_EFFECTS} writes [RA] size 8;
    PseudoCALLIndirect [JALRX, MASK] pseudo() {CALL, SIDE_EFFECTS} writes [RA];
    PseudoTAIL [CALLEE, MASK] pseudo() {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP] size 8;
    PseudoTAILIndirect [TCX, MASK] pseudo() {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP];
    PseudoBRIND [X, I12] pseudo() {TERMINATOR, BRANCH, BARRIER, INDIRECT};
    PseudoLLA [DX, SYM] pseudo() {} size 8;
    PseudoLGA [DX, SYM] pseudo() {} size 8;
    PseudoLA_TLS_IE [DX, SYM] pseudo() {} size 8;
    PseudoAddTPRel [DX, X, X, SYM] pseudo() {};
    ADJCALLSTACKDOWN [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
    ADJCALLSTACKUP [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
}
