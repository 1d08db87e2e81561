//! The instruction table: the base integer instructions of A64, those on memory of Armv8.1, numbers of floating point,
//! and the pseudo-instructions of LLVM's MIR. One instruction a row: operands and their bits in the word, assembly,
//! flags, implicit registers read and written. Source: Arm Architecture Reference Manual, "A64 Base Instructions";
//! names and operand order are LLVM's.
//!
//! In the assembly `%2` is an operand; `%l` is a bitmask, `%c` a condition, `%h` a shift, `%s` an offset in bytes, `%p`
//! pages as bytes, `%x` how an index is extended, `%g` a place in the page of an entry of the global offset table, `%w`
//! the 32-bit name, `%v` the name as a vector, `%e` an extension, `%f` a packed number, `%m` a mask of bytes.

use super::features::{FULLFP16, LSE};
use super::registers::{
    FPCR, FPR16, FPR32, FPR64, FPR128, FPSR, GPR32, GPR32SP, GPR64, GPR64SP, HSUB, LR, NZCV, SP, SUB_32, TCGPR64,
};
use crate::instructions::{Access, ImmRange, MASK, OperandDesc, Piece, SIZE, WordLayout};
use tribunal_ir::AtomicOrdering;

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
    /// The field of a register that keeps the rest.
    bitfield_into [rd(0), rn(2), Piece::low(3, 6, 16), Piece::low(4, 6, 10)];
    extract [rd(0), rn(1), rm(2), Piece::low(3, 6, 10)];
    select [rd(0), rn(1), rm(2), Piece::low(3, 4, 12)];
    move_wide [rd(0), Piece::low(1, 16, 5), Piece::low(2, 2, 21)];
    move_keep [rd(0), Piece::low(2, 16, 5), Piece::low(3, 2, 21)];
    scaled [rd(0), rn(1), Piece::low(2, 12, 10)];
    unscaled [rd(0), rn(1), Piece::low(2, 9, 12)];
    /// The register after the stepped base.
    stepped [rd(1), rn(0), Piece::low(3, 9, 12)];
    compare [Piece::low(0, 5, 0), Piece::part(1, 2, 19, 5)];
    /// A bit of a register is tested. Whether it is one of the high half is a fixed bit.
    tested [Piece::low(0, 5, 0), Piece::low(1, 5, 19), Piece::part(2, 2, 14, 5)];
    branch [Piece::part(0, 2, 26, 0)];
    condition [Piece::low(0, 4, 0), Piece::part(1, 2, 19, 5)];
    /// A number for the debugger.
    exception [Piece::low(0, 16, 5)];
    /// One register, in the place of the first source.
    source [rn(0)];
    /// One register, which is written.
    destination [rd(0)];
    /// The second source is shifted: the kind of shift stands above the amount.
    shifted [rd(0), rn(1), rm(2), Piece::low(3, 6, 10), Piece::part(3, 6, 2, 22)];
    /// The second source is a part of its register: bytes, halves, shifted.
    extended [rd(0), rn(1), rm(2), Piece::low(3, 6, 10)];
    fixed [];
    /// A 32-bit move, whose destination is named by its 64-bit register.
    move_word [rd(0), rm(2)];
    /// One element of a vector, put into another.
    element [rd(0), rn(2)];
    /// A general register, put into both elements of a vector, or into one of them; and one element of a vector.
    doubled [rd(0), rn(1)];
    into_element [rd(0), Piece::low(2, 1, 20), rn(3)];
    of_element [rd(0), rn(1), Piece::low(2, 1, 20)];
    address [rd(0), Piece::low(1, 2, 29), Piece::part(1, 2, 19, 5)];
    /// An operation on memory: the old value, the operand, the address.
    on_memory [rd(0), rm(1), rn(2)];
    /// Compare and swap: the expected value and the old one have one register.
    swap [rm(0), rd(2), rn(3)];
    /// A store that keeps a reservation: status, value, address.
    exclusive [rm(0), rd(1), rn(2)];
    /// A load of two registers.
    pair [rd(0), ra(1), rn(2)];
    /// A store of two registers that keeps a reservation: status, values, address.
    exclusive_pair [rm(0), rd(1), ra(2), rn(3)];
    barrier [Piece::low(0, 4, 8)];
    /// Two sources and no result.
    compared [rn(0), rm(1)];
    /// An address of two registers: the second is signed, and scaled.
    indexed [rd(0), rn(1), rm(2), Piece::low(3, 1, 15), Piece::low(4, 1, 12)];
    /// A number of few bits.
    packed [rd(0), Piece::low(1, 8, 13)];
    /// One bit for each byte of an element.
    bytes [rd(0), Piece::low(1, 5, 5), Piece::part(1, 5, 3, 16)];
    /// One byte of an element, and its place.
    bytes_shifted [rd(0), Piece::low(1, 5, 5), Piece::part(1, 5, 3, 16), Piece::low(2, 2, 13)];
}

const fn pseudo() -> Option<WordLayout> {
    None
}

const D32: OperandDesc = OperandDesc::Def(GPR32);
const D64: OperandDesc = OperandDesc::Def(GPR64);
const D32SP: OperandDesc = OperandDesc::Def(GPR32SP);
const D64SP: OperandDesc = OperandDesc::Def(GPR64SP);
const E32: OperandDesc = OperandDesc::EarlyDef(GPR32);
const E64: OperandDesc = OperandDesc::EarlyDef(GPR64);
const E64SP: OperandDesc = OperandDesc::EarlyDef(GPR64SP);
const D128: OperandDesc = OperandDesc::Def(FPR128);
const U128: OperandDesc = OperandDesc::Use(FPR128);
// Numbers of 16, of 32 and of 64 bits.
const DFH: OperandDesc = OperandDesc::Def(FPR16);
const UFH: OperandDesc = OperandDesc::Use(FPR16);
const DFS: OperandDesc = OperandDesc::Def(FPR32);
const UFS: OperandDesc = OperandDesc::Use(FPR32);
const DFD: OperandDesc = OperandDesc::Def(FPR64);
const UFD: OperandDesc = OperandDesc::Use(FPR64);
/// A number of few bits as the manual packs it: sign, three bits of exponent, four of fraction.
const FIMM: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(8));
/// One bit for each byte of an element.
const BYTES: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(8));
const U32: OperandDesc = OperandDesc::Use(GPR32);
const U64: OperandDesc = OperandDesc::Use(GPR64);
const U32SP: OperandDesc = OperandDesc::Use(GPR32SP);
const U64SP: OperandDesc = OperandDesc::Use(GPR64SP);
const B64: OperandDesc = OperandDesc::Base(GPR64SP);
// A register that is added to a base, its sign and its scale.
const X32: OperandDesc = OperandDesc::Index(GPR32);
const X64: OperandDesc = OperandDesc::Index(GPR64);
const FLAG: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(1));
const TC64: OperandDesc = OperandDesc::Use(TCGPR64);
/// Bytes by which the stack arguments of a tail call exceed the caller's: the C convention has them no larger.
const MORE: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0]));
const T32: OperandDesc = OperandDesc::Tied { class: GPR32, to: 0 };
const T64: OperandDesc = OperandDesc::Tied { class: GPR64, to: 0 };
const TFS: OperandDesc = OperandDesc::Tied { class: FPR32, to: 0 };
const T128: OperandDesc = OperandDesc::Tied { class: FPR128, to: 0 };
/// The number of an element of 64 bits.
const HALF: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(1));
const I12: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(12));
const IMM8: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(8));
const IMM16: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(16));
/// A base that an access steps, as it is behind the access and before it.
const STEP: OperandDesc = OperandDesc::EarlyDef(GPR64SP);
const STEPPED: OperandDesc = OperandDesc::Tied { class: GPR64SP, to: 0 };
const I9: OperandDesc = OperandDesc::Imm(ImmRange::Signed(9));
const O9: OperandDesc = OperandDesc::Offset { range: ImmRange::Signed(9), scale: 1 };
const O12X1: OperandDesc = offset(1);
const O12X2: OperandDesc = offset(2);
const O12X4: OperandDesc = offset(4);
const O12X8: OperandDesc = offset(8);
const O12X16: OperandDesc = offset(16);
const U5: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(5));
const U6: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(6));
const CC: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(4));
const SH12: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 12]));
const SHW: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 16]));
const SHX: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 16, 32, 48]));
/// The place of a byte in a word.
const SHB: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 8, 16, 24]));
/// `uxtx #0` as LLVM writes it.
const EXT: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[24]));
/// A shift of a source as LLVM writes it: `lsl`, `lsr` or `asr` in the bits above the amount, and `ror` where the
/// operation is logical.
const SHAL64: OperandDesc = OperandDesc::Imm(ImmRange::ShiftedBy { width: 64, kinds: 3 });
const SHAL32: OperandDesc = OperandDesc::Imm(ImmRange::ShiftedBy { width: 32, kinds: 3 });
const SHLG64: OperandDesc = OperandDesc::Imm(ImmRange::ShiftedBy { width: 64, kinds: 4 });
const SHLG32: OperandDesc = OperandDesc::Imm(ImmRange::ShiftedBy { width: 32, kinds: 4 });
/// A number of a register's width, written with or without a sign.
const WORD32: OperandDesc = OperandDesc::Imm(ImmRange::Signed(33));
const WORD64: OperandDesc = OperandDesc::Imm(ImmRange::Signed(64));
/// `uxtb` to `sxtx`, with a shift.
const EXTW: OperandDesc = OperandDesc::Imm(ImmRange::Extension);
/// The same of a word that is added to a register of 64 bits: without `uxtx` and `sxtx`.
const EXTX: OperandDesc = OperandDesc::Imm(ImmRange::ExtensionOfWord);
/// The number of a bit in the high half of a register.
const HIGH_BIT: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&HIGH_BITS));
const HIGH_BITS: [i64; 32] = {
    let (mut bits, mut index) = ([0; 32], 0);
    while index < bits.len() {
        bits[index] = 32 + index as i64;
        index += 1;
    }
    bits
};
/// LLVM's zero before the part of `SUBREG_TO_REG`.
const ABOVE: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0]));
/// `%subreg.sub_32`.
const SUB: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[SUB_32.0 as i64]));
/// `%subreg.hsub`.
const SUBH: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[HSUB.0 as i64]));
const LM32: OperandDesc = OperandDesc::Imm(ImmRange::LogicalMask(32));
const LM64: OperandDesc = OperandDesc::Imm(ImmRange::LogicalMask(64));
const L21: OperandDesc = OperandDesc::Label { bits: 21, scale: 4 };
const L16X4: OperandDesc = OperandDesc::Label { bits: 16, scale: 4 };
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
const Z128: Access = Access::unsigned(16, 1);

// Atomic accesses are naturally aligned. By their ordering: of a pair that acquires and releases, and of `LDAR` with
// `STLR`, all are in one order.
const N8: Access = Access::unsigned(1, 1);
const N16: Access = Access::unsigned(2, 2);
const N32: Access = Access::unsigned(4, 4);
const N64: Access = Access::unsigned(8, 8);
const N128: Access = Access::unsigned(16, 16);
const A8: Access = N8.ordered(AtomicOrdering::Acquire);
const A16: Access = N16.ordered(AtomicOrdering::Acquire);
const A32: Access = N32.ordered(AtomicOrdering::Acquire);
const A64: Access = N64.ordered(AtomicOrdering::Acquire);
const A128: Access = N128.ordered(AtomicOrdering::Acquire);
const L8: Access = N8.ordered(AtomicOrdering::Release);
const L16: Access = N16.ordered(AtomicOrdering::Release);
const L32: Access = N32.ordered(AtomicOrdering::Release);
const L64: Access = N64.ordered(AtomicOrdering::Release);
const L128: Access = N128.ordered(AtomicOrdering::Release);
const AL8: Access = N8.ordered(AtomicOrdering::SequentiallyConsistent);
const AL16: Access = N16.ordered(AtomicOrdering::SequentiallyConsistent);
const AL32: Access = N32.ordered(AtomicOrdering::SequentiallyConsistent);
const AL64: Access = N64.ordered(AtomicOrdering::SequentiallyConsistent);
/// Barriers as `DMB` numbers them: of loads, of everything.
const BARRIER: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(4));

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
    ORRv16i8 [D128, U128, U128] three(0x4ea01c00) "orr %v0.16b, %v1.16b, %v2.16b" {};
    DUPv2i64gpr [D128, U64] doubled(0x4e080c00) "dup %v0.2d, %1" {};
    DUPi64 [DFD, U128, HALF] of_element(0x5e080400) "mov %0, %v1.d[%2]" {};
    CNTv8i8 [DFD, UFD] two(0x0e205800) "cnt %v0.8b, %v1.8b" {};
    UADDLVv8i8v [DFH, UFD] two(0x2e303800) "uaddlv %0, %v1.8b" {};
    MOVIv2d_ns [D128, BYTES] bytes(0x6f00e400) "movi %v0.2d, #%m1" {};
    MOVIv2i32 [DFD, IMM8, SHB] bytes_shifted(0x0f000400) "movi %v0.2s, #%1, lsl #%2" {};
    BFMWri [D32, T32, U32, U5, U5] bitfield_into(0x33000000) "bfm %0, %2, #%3, #%4" {};
    BFMXri [D64, T64, U64, U6, U6] bitfield_into(0xb3400000) "bfm %0, %2, #%3, #%4" {};
    INSvi64gpr [D128, T128, HALF, U64] into_element(0x4e081c00) "mov %v0.d[%2], %3" {};
    UMOVvi64 [D64, U128, HALF] of_element(0x4e083c00) "mov %0, %v1.d[%2]" {};
    FADDHrr [DFH, UFH, UFH] three(0x1ee02800) "fadd %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FSUBHrr [DFH, UFH, UFH] three(0x1ee03800) "fsub %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMULHrr [DFH, UFH, UFH] three(0x1ee00800) "fmul %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FDIVHrr [DFH, UFH, UFH] three(0x1ee01800) "fdiv %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMAXHrr [DFH, UFH, UFH] three(0x1ee04800) "fmax %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMINHrr [DFH, UFH, UFH] three(0x1ee05800) "fmin %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMAXNMHrr [DFH, UFH, UFH] three(0x1ee06800) "fmaxnm %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMINNMHrr [DFH, UFH, UFH] three(0x1ee07800) "fminnm %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FNMULHrr [DFH, UFH, UFH] three(0x1ee08800) "fnmul %0, %1, %2" {} if [FULLFP16] reads [FPCR];
    FMOVHr [DFH, UFH] two(0x1ee04000) "fmov %0, %1" {} if [FULLFP16];
    FABSHr [DFH, UFH] two(0x1ee0c000) "fabs %0, %1" {} if [FULLFP16];
    FNEGHr [DFH, UFH] two(0x1ee14000) "fneg %0, %1" {} if [FULLFP16];
    FSQRTHr [DFH, UFH] two(0x1ee1c000) "fsqrt %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTNHr [DFH, UFH] two(0x1ee44000) "frintn %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTPHr [DFH, UFH] two(0x1ee4c000) "frintp %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTMHr [DFH, UFH] two(0x1ee54000) "frintm %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTZHr [DFH, UFH] two(0x1ee5c000) "frintz %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTAHr [DFH, UFH] two(0x1ee64000) "frinta %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTXHr [DFH, UFH] two(0x1ee74000) "frintx %0, %1" {} if [FULLFP16] reads [FPCR];
    FRINTIHr [DFH, UFH] two(0x1ee7c000) "frinti %0, %1" {} if [FULLFP16] reads [FPCR];
    FMADDHrrr [DFH, UFH, UFH, UFH] four(0x1fc00000) "fmadd %0, %1, %2, %3" {} if [FULLFP16] reads [FPCR];
    FMSUBHrrr [DFH, UFH, UFH, UFH] four(0x1fc08000) "fmsub %0, %1, %2, %3" {} if [FULLFP16] reads [FPCR];
    FNMADDHrrr [DFH, UFH, UFH, UFH] four(0x1fe00000) "fnmadd %0, %1, %2, %3" {} if [FULLFP16] reads [FPCR];
    FNMSUBHrrr [DFH, UFH, UFH, UFH] four(0x1fe08000) "fnmsub %0, %1, %2, %3" {} if [FULLFP16] reads [FPCR];
    FCMPHrr [UFH, UFH] compared(0x1ee02000) "fcmp %0, %1" {} if [FULLFP16] reads [FPCR] writes [NZCV];
    FCMPHri [UFH] source(0x1ee02008) "fcmp %0, #0.0" {} if [FULLFP16] reads [FPCR] writes [NZCV];
    FCSELHrrr [DFH, UFH, UFH, CC] select(0x1ee00c00) "fcsel %0, %1, %2, %c3" {} if [FULLFP16] reads [NZCV];
    FMOVHi [DFH, FIMM] packed(0x1ee01000) "fmov %0, #%f1" {} if [FULLFP16];
    FCVTZSUWHr [D32, UFH] two(0x1ef80000) "fcvtzs %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTZUUWHr [D32, UFH] two(0x1ef90000) "fcvtzu %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTNSUWHr [D32, UFH] two(0x1ee00000) "fcvtns %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTASUWHr [D32, UFH] two(0x1ee40000) "fcvtas %0, %1" {} if [FULLFP16] reads [FPCR];
    SCVTFUWHri [DFH, U32] two(0x1ee20000) "scvtf %0, %1" {} if [FULLFP16] reads [FPCR];
    UCVTFUWHri [DFH, U32] two(0x1ee30000) "ucvtf %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTZSUXHr [D64, UFH] two(0x9ef80000) "fcvtzs %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTZUUXHr [D64, UFH] two(0x9ef90000) "fcvtzu %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTNSUXHr [D64, UFH] two(0x9ee00000) "fcvtns %0, %1" {} if [FULLFP16] reads [FPCR];
    FCVTASUXHr [D64, UFH] two(0x9ee40000) "fcvtas %0, %1" {} if [FULLFP16] reads [FPCR];
    SCVTFUXHri [DFH, U64] two(0x9ee20000) "scvtf %0, %1" {} if [FULLFP16] reads [FPCR];
    UCVTFUXHri [DFH, U64] two(0x9ee30000) "ucvtf %0, %1" {} if [FULLFP16] reads [FPCR];
    FMOVWHr [DFH, U32] two(0x1ee70000) "fmov %0, %1" {} if [FULLFP16];
    FMOVHWr [D32, UFH] two(0x1ee60000) "fmov %0, %1" {} if [FULLFP16];
    FMOVXHr [DFH, U64] two(0x9ee70000) "fmov %0, %1" {} if [FULLFP16];
    FMOVHXr [D64, UFH] two(0x9ee60000) "fmov %0, %1" {} if [FULLFP16];
    FADDSrr [DFS, UFS, UFS] three(0x1e202800) "fadd %0, %1, %2" {} reads [FPCR];
    FSUBSrr [DFS, UFS, UFS] three(0x1e203800) "fsub %0, %1, %2" {} reads [FPCR];
    FMULSrr [DFS, UFS, UFS] three(0x1e200800) "fmul %0, %1, %2" {} reads [FPCR];
    FDIVSrr [DFS, UFS, UFS] three(0x1e201800) "fdiv %0, %1, %2" {} reads [FPCR];
    FABD32 [DFS, UFS, UFS] three(0x7ea0d400) "fabd %0, %1, %2" {} reads [FPCR];
    FMAXSrr [DFS, UFS, UFS] three(0x1e204800) "fmax %0, %1, %2" {} reads [FPCR];
    FMINSrr [DFS, UFS, UFS] three(0x1e205800) "fmin %0, %1, %2" {} reads [FPCR];
    FMAXNMSrr [DFS, UFS, UFS] three(0x1e206800) "fmaxnm %0, %1, %2" {} reads [FPCR];
    FMINNMSrr [DFS, UFS, UFS] three(0x1e207800) "fminnm %0, %1, %2" {} reads [FPCR];
    FNMULSrr [DFS, UFS, UFS] three(0x1e208800) "fnmul %0, %1, %2" {} reads [FPCR];
    FMOVSr [DFS, UFS] two(0x1e204000) "fmov %0, %1" {};
    FABSSr [DFS, UFS] two(0x1e20c000) "fabs %0, %1" {};
    FNEGSr [DFS, UFS] two(0x1e214000) "fneg %0, %1" {};
    FSQRTSr [DFS, UFS] two(0x1e21c000) "fsqrt %0, %1" {} reads [FPCR];
    FRINTNSr [DFS, UFS] two(0x1e244000) "frintn %0, %1" {} reads [FPCR];
    FRINTPSr [DFS, UFS] two(0x1e24c000) "frintp %0, %1" {} reads [FPCR];
    FRINTMSr [DFS, UFS] two(0x1e254000) "frintm %0, %1" {} reads [FPCR];
    FRINTZSr [DFS, UFS] two(0x1e25c000) "frintz %0, %1" {} reads [FPCR];
    FRINTASr [DFS, UFS] two(0x1e264000) "frinta %0, %1" {} reads [FPCR];
    FRINTXSr [DFS, UFS] two(0x1e274000) "frintx %0, %1" {} reads [FPCR];
    FRINTISr [DFS, UFS] two(0x1e27c000) "frinti %0, %1" {} reads [FPCR];
    FMADDSrrr [DFS, UFS, UFS, UFS] four(0x1f000000) "fmadd %0, %1, %2, %3" {} reads [FPCR];
    FMSUBSrrr [DFS, UFS, UFS, UFS] four(0x1f008000) "fmsub %0, %1, %2, %3" {} reads [FPCR];
    FNMADDSrrr [DFS, UFS, UFS, UFS] four(0x1f200000) "fnmadd %0, %1, %2, %3" {} reads [FPCR];
    FNMSUBSrrr [DFS, UFS, UFS, UFS] four(0x1f208000) "fnmsub %0, %1, %2, %3" {} reads [FPCR];
    FCMPSrr [UFS, UFS] compared(0x1e202000) "fcmp %0, %1" {} reads [FPCR] writes [NZCV];
    FCMPSri [UFS] source(0x1e202008) "fcmp %0, #0.0" {} reads [FPCR] writes [NZCV];
    FCSELSrrr [DFS, UFS, UFS, CC] select(0x1e200c00) "fcsel %0, %1, %2, %c3" {} reads [NZCV];
    FMOVSi [DFS, FIMM] packed(0x1e201000) "fmov %0, #%f1" {};
    FCVTZSUWSr [D32, UFS] two(0x1e380000) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUUWSr [D32, UFS] two(0x1e390000) "fcvtzu %0, %1" {} reads [FPCR];
    FCVTNSUWSr [D32, UFS] two(0x1e200000) "fcvtns %0, %1" {} reads [FPCR];
    FCVTASUWSr [D32, UFS] two(0x1e240000) "fcvtas %0, %1" {} reads [FPCR];
    SCVTFUWSri [DFS, U32] two(0x1e220000) "scvtf %0, %1" {} reads [FPCR];
    UCVTFUWSri [DFS, U32] two(0x1e230000) "ucvtf %0, %1" {} reads [FPCR];
    FCVTZSUXSr [D64, UFS] two(0x9e380000) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUUXSr [D64, UFS] two(0x9e390000) "fcvtzu %0, %1" {} reads [FPCR];
    FCVTNSUXSr [D64, UFS] two(0x9e200000) "fcvtns %0, %1" {} reads [FPCR];
    FCVTASUXSr [D64, UFS] two(0x9e240000) "fcvtas %0, %1" {} reads [FPCR];
    SCVTFUXSri [DFS, U64] two(0x9e220000) "scvtf %0, %1" {} reads [FPCR];
    UCVTFUXSri [DFS, U64] two(0x9e230000) "ucvtf %0, %1" {} reads [FPCR];
    // Of an integer in a register of numbers.
    SCVTFv1i32 [DFS, UFS] two(0x5e21d800) "scvtf %0, %1" {} reads [FPCR];
    UCVTFv1i32 [DFS, UFS] two(0x7e21d800) "ucvtf %0, %1" {} reads [FPCR];
    FCVTZSv1i32 [DFS, UFS] two(0x5ea1b800) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUv1i32 [DFS, UFS] two(0x7ea1b800) "fcvtzu %0, %1" {} reads [FPCR];
    LDRHui [DFH, B64, O12X2] scaled(0x7d400000) "ldr %0, [%1, #%s2]" {LOAD} of Z16;
    STRHui [UFH, B64, O12X2] scaled(0x7d000000) "str %0, [%1, #%s2]" {STORE} of Z16;
    LDURHi [DFH, B64, O9] unscaled(0x7c400000) "ldur %0, [%1, #%2]" {LOAD} of Z16;
    STURHi [UFH, B64, O9] unscaled(0x7c000000) "stur %0, [%1, #%2]" {STORE} of Z16;
    LDRSui [DFS, B64, O12X4] scaled(0xbd400000) "ldr %0, [%1, #%s2]" {LOAD} of Z32;
    STRSui [UFS, B64, O12X4] scaled(0xbd000000) "str %0, [%1, #%s2]" {STORE} of Z32;
    LDURSi [DFS, B64, O9] unscaled(0xbc400000) "ldur %0, [%1, #%2]" {LOAD} of Z32;
    STURSi [UFS, B64, O9] unscaled(0xbc000000) "stur %0, [%1, #%2]" {STORE} of Z32;
    FADDDrr [DFD, UFD, UFD] three(0x1e602800) "fadd %0, %1, %2" {} reads [FPCR];
    FSUBDrr [DFD, UFD, UFD] three(0x1e603800) "fsub %0, %1, %2" {} reads [FPCR];
    FMULDrr [DFD, UFD, UFD] three(0x1e600800) "fmul %0, %1, %2" {} reads [FPCR];
    FDIVDrr [DFD, UFD, UFD] three(0x1e601800) "fdiv %0, %1, %2" {} reads [FPCR];
    FABD64 [DFD, UFD, UFD] three(0x7ee0d400) "fabd %0, %1, %2" {} reads [FPCR];
    FMAXDrr [DFD, UFD, UFD] three(0x1e604800) "fmax %0, %1, %2" {} reads [FPCR];
    FMINDrr [DFD, UFD, UFD] three(0x1e605800) "fmin %0, %1, %2" {} reads [FPCR];
    FMAXNMDrr [DFD, UFD, UFD] three(0x1e606800) "fmaxnm %0, %1, %2" {} reads [FPCR];
    FMINNMDrr [DFD, UFD, UFD] three(0x1e607800) "fminnm %0, %1, %2" {} reads [FPCR];
    FNMULDrr [DFD, UFD, UFD] three(0x1e608800) "fnmul %0, %1, %2" {} reads [FPCR];
    FMOVDr [DFD, UFD] two(0x1e604000) "fmov %0, %1" {};
    FABSDr [DFD, UFD] two(0x1e60c000) "fabs %0, %1" {};
    FNEGDr [DFD, UFD] two(0x1e614000) "fneg %0, %1" {};
    FSQRTDr [DFD, UFD] two(0x1e61c000) "fsqrt %0, %1" {} reads [FPCR];
    FRINTNDr [DFD, UFD] two(0x1e644000) "frintn %0, %1" {} reads [FPCR];
    FRINTPDr [DFD, UFD] two(0x1e64c000) "frintp %0, %1" {} reads [FPCR];
    FRINTMDr [DFD, UFD] two(0x1e654000) "frintm %0, %1" {} reads [FPCR];
    FRINTZDr [DFD, UFD] two(0x1e65c000) "frintz %0, %1" {} reads [FPCR];
    FRINTADr [DFD, UFD] two(0x1e664000) "frinta %0, %1" {} reads [FPCR];
    FRINTXDr [DFD, UFD] two(0x1e674000) "frintx %0, %1" {} reads [FPCR];
    FRINTIDr [DFD, UFD] two(0x1e67c000) "frinti %0, %1" {} reads [FPCR];
    FMADDDrrr [DFD, UFD, UFD, UFD] four(0x1f400000) "fmadd %0, %1, %2, %3" {} reads [FPCR];
    FMSUBDrrr [DFD, UFD, UFD, UFD] four(0x1f408000) "fmsub %0, %1, %2, %3" {} reads [FPCR];
    FNMADDDrrr [DFD, UFD, UFD, UFD] four(0x1f600000) "fnmadd %0, %1, %2, %3" {} reads [FPCR];
    FNMSUBDrrr [DFD, UFD, UFD, UFD] four(0x1f608000) "fnmsub %0, %1, %2, %3" {} reads [FPCR];
    FCMPDrr [UFD, UFD] compared(0x1e602000) "fcmp %0, %1" {} reads [FPCR] writes [NZCV];
    FCMPDri [UFD] source(0x1e602008) "fcmp %0, #0.0" {} reads [FPCR] writes [NZCV];
    FCSELDrrr [DFD, UFD, UFD, CC] select(0x1e600c00) "fcsel %0, %1, %2, %c3" {} reads [NZCV];
    FMOVDi [DFD, FIMM] packed(0x1e601000) "fmov %0, #%f1" {};
    FCVTZSUWDr [D32, UFD] two(0x1e780000) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUUWDr [D32, UFD] two(0x1e790000) "fcvtzu %0, %1" {} reads [FPCR];
    FCVTNSUWDr [D32, UFD] two(0x1e600000) "fcvtns %0, %1" {} reads [FPCR];
    FCVTASUWDr [D32, UFD] two(0x1e640000) "fcvtas %0, %1" {} reads [FPCR];
    SCVTFUWDri [DFD, U32] two(0x1e620000) "scvtf %0, %1" {} reads [FPCR];
    UCVTFUWDri [DFD, U32] two(0x1e630000) "ucvtf %0, %1" {} reads [FPCR];
    FCVTZSUXDr [D64, UFD] two(0x9e780000) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUUXDr [D64, UFD] two(0x9e790000) "fcvtzu %0, %1" {} reads [FPCR];
    FCVTNSUXDr [D64, UFD] two(0x9e600000) "fcvtns %0, %1" {} reads [FPCR];
    FCVTASUXDr [D64, UFD] two(0x9e640000) "fcvtas %0, %1" {} reads [FPCR];
    SCVTFUXDri [DFD, U64] two(0x9e620000) "scvtf %0, %1" {} reads [FPCR];
    UCVTFUXDri [DFD, U64] two(0x9e630000) "ucvtf %0, %1" {} reads [FPCR];
    SCVTFv1i64 [DFD, UFD] two(0x5e61d800) "scvtf %0, %1" {} reads [FPCR];
    UCVTFv1i64 [DFD, UFD] two(0x7e61d800) "ucvtf %0, %1" {} reads [FPCR];
    FCVTZSv1i64 [DFD, UFD] two(0x5ee1b800) "fcvtzs %0, %1" {} reads [FPCR];
    FCVTZUv1i64 [DFD, UFD] two(0x7ee1b800) "fcvtzu %0, %1" {} reads [FPCR];
    LDRDui [DFD, B64, O12X8] scaled(0xfd400000) "ldr %0, [%1, #%s2]" {LOAD} of Z64;
    STRDui [UFD, B64, O12X8] scaled(0xfd000000) "str %0, [%1, #%s2]" {STORE} of Z64;
    LDURDi [DFD, B64, O9] unscaled(0xfc400000) "ldur %0, [%1, #%2]" {LOAD} of Z64;
    STURDi [UFD, B64, O9] unscaled(0xfc000000) "stur %0, [%1, #%2]" {STORE} of Z64;
    FCVTDSr [DFD, UFS] two(0x1e22c000) "fcvt %0, %1" {} reads [FPCR];
    FCVTSDr [DFS, UFD] two(0x1e624000) "fcvt %0, %1" {} reads [FPCR];
    FCVTSHr [DFS, UFH] two(0x1ee24000) "fcvt %0, %1" {} reads [FPCR];
    FCVTDHr [DFD, UFH] two(0x1ee2c000) "fcvt %0, %1" {} reads [FPCR];
    FCVTHSr [DFH, UFS] two(0x1e23c000) "fcvt %0, %1" {} reads [FPCR];
    FCVTHDr [DFH, UFD] two(0x1e63c000) "fcvt %0, %1" {} reads [FPCR];
    FMOVWSr [DFS, U32] two(0x1e270000) "fmov %0, %1" {};
    FMOVS0 [DFS] destination(0x1e2703e0) "fmov %0, wzr" {};
    FMOVH0 [DFH] pseudo() {};
    FMOVSWr [D32, UFS] two(0x1e260000) "fmov %0, %1" {};
    FMOVXDr [DFD, U64] two(0x9e670000) "fmov %0, %1" {};
    FMOVD0 [DFD] destination(0x9e6703e0) "fmov %0, xzr" {};
    FMOVDXr [D64, UFD] two(0x9e660000) "fmov %0, %1" {};
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
    LDRQui [D128, B64, O12X16] scaled(0x3dc00000) "ldr %0, [%1, #%s2]" {LOAD} of Z128;
    LDRSBWui [D32, B64, O12X1] scaled(0x39c00000) "ldrsb %0, [%1, #%s2]" {LOAD} of S8;
    LDRSBXui [D64, B64, O12X1] scaled(0x39800000) "ldrsb %0, [%1, #%s2]" {LOAD} of S8;
    LDRSHWui [D32, B64, O12X2] scaled(0x79c00000) "ldrsh %0, [%1, #%s2]" {LOAD} of S16;
    LDRSHXui [D64, B64, O12X2] scaled(0x79800000) "ldrsh %0, [%1, #%s2]" {LOAD} of S16;
    LDRSWui [D64, B64, O12X4] scaled(0xb9800000) "ldrsw %0, [%1, #%s2]" {LOAD} of S32;
    STRBBui [U32, B64, O12X1] scaled(0x39000000) "strb %0, [%1, #%s2]" {STORE} of Z8;
    STRHHui [U32, B64, O12X2] scaled(0x79000000) "strh %0, [%1, #%s2]" {STORE} of Z16;
    STRWui [U32, B64, O12X4] scaled(0xb9000000) "str %0, [%1, #%s2]" {STORE} of Z32;
    STRXui [U64, B64, O12X8] scaled(0xf9000000) "str %0, [%1, #%s2]" {STORE} of Z64;
    STRQui [U128, B64, O12X16] scaled(0x3d800000) "str %0, [%1, #%s2]" {STORE} of Z128;
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
    LDURQi [D128, B64, O9] unscaled(0x3cc00000) "ldur %0, [%1, #%2]" {LOAD} of Z128;
    STURQi [U128, B64, O9] unscaled(0x3c800000) "stur %0, [%1, #%2]" {STORE} of Z128;
    Bcc [CC, L21] condition(0x54000000) "b.%c0 %1" {TERMINATOR, BRANCH} reads [NZCV];
    CBZW [U32, L21] compare(0x34000000) "cbz %0, %1" {TERMINATOR, BRANCH};
    CBNZW [U32, L21] compare(0x35000000) "cbnz %0, %1" {TERMINATOR, BRANCH};
    CBZX [U64, L21] compare(0xb4000000) "cbz %0, %1" {TERMINATOR, BRANCH};
    CBNZX [U64, L21] compare(0xb5000000) "cbnz %0, %1" {TERMINATOR, BRANCH};
    B [L28] branch(0x14000000) "b %0" {TERMINATOR, BRANCH, BARRIER};
    RET [U64] source(0xd65f0000) "ret %0" {TERMINATOR, RETURN, BARRIER};
    RET_ReallyLR [] fixed(0xd65f03c0) "ret" {TERMINATOR, RETURN, BARRIER};
    INSERT_SUBREG [DFS, TFS, UFH, SUBH] element(0x6e020400) "mov %v0.h[0], %v2.h[0]" {ARTIFACT};
    SUBREG_TO_REG [D64, ABOVE, U32, SUB] move_word(0x2a0003e0) "mov %w0, %2" {ARTIFACT};
    BL [CALLEE, MASK] branch(0x94000000) "bl %0" {CALL, SIDE_EFFECTS} reads [SP] writes [LR];
    BLR [U64, MASK] source(0xd63f0000) "blr %0" {CALL, SIDE_EFFECTS} reads [SP] writes [LR];
    TCRETURNdi [CALLEE, MORE, MASK] pseudo() "b %0" {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP];
    TCRETURNri [TC64, MORE, MASK] pseudo() "br %0" {CALL, TERMINATOR, RETURN, BARRIER, SIDE_EFFECTS} reads [SP];
    ANDSWri [D32, U32, LM32] logical(0x72000000) "ands %0, %1, #%l2" {} writes [NZCV];
    ANDSXri [D64, U64, LM64] logical(0xf2000000) "ands %0, %1, #%l2" {} writes [NZCV];
    ANDSWrr [D32, U32, U32] three(0x6a000000) "ands %0, %1, %2" {} writes [NZCV];
    ANDSXrr [D64, U64, U64] three(0xea000000) "ands %0, %1, %2" {} writes [NZCV];
    BICWrr [D32, U32, U32] three(0x0a200000) "bic %0, %1, %2" {};
    BICXrr [D64, U64, U64] three(0x8a200000) "bic %0, %1, %2" {};
    ORNWrr [D32, U32, U32] three(0x2a200000) "orn %0, %1, %2" {};
    ORNXrr [D64, U64, U64] three(0xaa200000) "orn %0, %1, %2" {};
    EONWrr [D32, U32, U32] three(0x4a200000) "eon %0, %1, %2" {};
    EONXrr [D64, U64, U64] three(0xca200000) "eon %0, %1, %2" {};
    SMADDLrrr [D64, U32, U32, U64] four(0x9b200000) "smaddl %0, %1, %2, %3" {};
    UMADDLrrr [D64, U32, U32, U64] four(0x9ba00000) "umaddl %0, %1, %2, %3" {};
    SMSUBLrrr [D64, U32, U32, U64] four(0x9b208000) "smsubl %0, %1, %2, %3" {};
    UMSUBLrrr [D64, U32, U32, U64] four(0x9ba08000) "umsubl %0, %1, %2, %3" {};
    ADDWrs [D32, U32, U32, SHAL32] shifted(0x0b000000) "add %0, %1, %2, %h3" {};
    ADDXrs [D64, U64, U64, SHAL64] shifted(0x8b000000) "add %0, %1, %2, %h3" {};
    SUBWrs [D32, U32, U32, SHAL32] shifted(0x4b000000) "sub %0, %1, %2, %h3" {};
    SUBXrs [D64, U64, U64, SHAL64] shifted(0xcb000000) "sub %0, %1, %2, %h3" {};
    ADDSWrs [D32, U32, U32, SHAL32] shifted(0x2b000000) "adds %0, %1, %2, %h3" {} writes [NZCV];
    ADDSXrs [D64, U64, U64, SHAL64] shifted(0xab000000) "adds %0, %1, %2, %h3" {} writes [NZCV];
    SUBSWrs [D32, U32, U32, SHAL32] shifted(0x6b000000) "subs %0, %1, %2, %h3" {} writes [NZCV];
    SUBSXrs [D64, U64, U64, SHAL64] shifted(0xeb000000) "subs %0, %1, %2, %h3" {} writes [NZCV];
    ANDWrs [D32, U32, U32, SHLG32] shifted(0x0a000000) "and %0, %1, %2, %h3" {};
    ANDXrs [D64, U64, U64, SHLG64] shifted(0x8a000000) "and %0, %1, %2, %h3" {};
    ORRWrs [D32, U32, U32, SHLG32] shifted(0x2a000000) "orr %0, %1, %2, %h3" {};
    ORRXrs [D64, U64, U64, SHLG64] shifted(0xaa000000) "orr %0, %1, %2, %h3" {};
    EORWrs [D32, U32, U32, SHLG32] shifted(0x4a000000) "eor %0, %1, %2, %h3" {};
    EORXrs [D64, U64, U64, SHLG64] shifted(0xca000000) "eor %0, %1, %2, %h3" {};
    ANDSWrs [D32, U32, U32, SHLG32] shifted(0x6a000000) "ands %0, %1, %2, %h3" {} writes [NZCV];
    ANDSXrs [D64, U64, U64, SHLG64] shifted(0xea000000) "ands %0, %1, %2, %h3" {} writes [NZCV];
    BICWrs [D32, U32, U32, SHLG32] shifted(0x0a200000) "bic %0, %1, %2, %h3" {};
    BICXrs [D64, U64, U64, SHLG64] shifted(0x8a200000) "bic %0, %1, %2, %h3" {};
    ORNWrs [D32, U32, U32, SHLG32] shifted(0x2a200000) "orn %0, %1, %2, %h3" {};
    ORNXrs [D64, U64, U64, SHLG64] shifted(0xaa200000) "orn %0, %1, %2, %h3" {};
    EONWrs [D32, U32, U32, SHLG32] shifted(0x4a200000) "eon %0, %1, %2, %h3" {};
    EONXrs [D64, U64, U64, SHLG64] shifted(0xca200000) "eon %0, %1, %2, %h3" {};
    MOVi32imm [D32, WORD32] pseudo() {} size 8;
    MOVi64imm [D64, WORD64] pseudo() {} size 16;
    MOVaddr [D64, SYM, SYM] pseudo() "adrp %0, %1\n\tadd %0, %0, %2" {} size 8;
    MOVaddrJT [D64, SYM, SYM] pseudo() "adrp %0, %1\n\tadd %0, %0, %2" {} size 8;
    MOVaddrCP [D64, SYM, SYM] pseudo() "adrp %0, %1\n\tadd %0, %0, %2" {} size 8;
    MOVaddrBA [D64, SYM, SYM] pseudo() "adrp %0, %1\n\tadd %0, %0, %2" {} size 8;
    // The block that a table has at an index, and a register that its code overwrites.
    JumpTableDest32 [E64, E64SP, U64, U64, SYM] pseudo() {} size 12;
    LOADgot [D64, SYM] pseudo() "adrp %0, %1\n\tldr %0, [%0, %g1]" {} size 8;
    // A pseudo-instruction of LLVM's, for the one register of the system that code needs here.
    MOVbaseTLS [D64] destination(0xd53bd040) "mrs %0, tpidr_el0" {};
    // The same for the environment of floating point.
    MRS_FPCR [D64] destination(0xd53b4400) "mrs %0, fpcr" {} reads [FPCR];
    MSR_FPCR [U64] destination(0xd51b4400) "msr fpcr, %0" {} writes [FPCR];
    MRS_FPSR [D64] destination(0xd53b4420) "mrs %0, fpsr" {} reads [FPSR];
    MSR_FPSR [U64] destination(0xd51b4420) "msr fpsr, %0" {} writes [FPSR];
    ADJCALLSTACKDOWN [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
    ADJCALLSTACKUP [SIZE, SIZE] pseudo() {SIDE_EFFECTS} reads [SP] writes [SP] size 0;
    ADRP [D64, PAGES] address(0x90000000) "adrp %0, %p1" {};
    ADR [D64, L21X1] address(0x10000000) "adr %0, %1" {};
    // Of LLVM's traps the one that it writes for code that is never reached.
    BRK [IMM16] exception(0xd4200000) "brk #%0" {TERMINATOR, BARRIER, SIDE_EFFECTS};
    LDARB [D32, U64SP] two(0x08dffc00) "ldarb %0, [%1]" {LOAD} of AL8;
    STLRB [U32, U64SP] two(0x089ffc00) "stlrb %0, [%1]" {STORE} of AL8;
    LDARH [D32, U64SP] two(0x48dffc00) "ldarh %0, [%1]" {LOAD} of AL16;
    STLRH [U32, U64SP] two(0x489ffc00) "stlrh %0, [%1]" {STORE} of AL16;
    LDARW [D32, U64SP] two(0x88dffc00) "ldar %0, [%1]" {LOAD} of AL32;
    STLRW [U32, U64SP] two(0x889ffc00) "stlr %0, [%1]" {STORE} of AL32;
    LDARX [D64, U64SP] two(0xc8dffc00) "ldar %0, [%1]" {LOAD} of AL64;
    STLRX [U64, U64SP] two(0xc89ffc00) "stlr %0, [%1]" {STORE} of AL64;
    LDXRB [D32, U64SP] two(0x085f7c00) "ldxrb %0, [%1]" {LOAD, SIDE_EFFECTS} of N8;
    LDAXRB [D32, U64SP] two(0x085ffc00) "ldaxrb %0, [%1]" {LOAD, SIDE_EFFECTS} of A8;
    STXRB [E32, U32, U64SP] exclusive(0x08007c00) "stxrb %0, %1, [%2]" {STORE, SIDE_EFFECTS} of N8;
    STLXRB [E32, U32, U64SP] exclusive(0x0800fc00) "stlxrb %0, %1, [%2]" {STORE, SIDE_EFFECTS} of L8;
    LDXRH [D32, U64SP] two(0x485f7c00) "ldxrh %0, [%1]" {LOAD, SIDE_EFFECTS} of N16;
    LDAXRH [D32, U64SP] two(0x485ffc00) "ldaxrh %0, [%1]" {LOAD, SIDE_EFFECTS} of A16;
    STXRH [E32, U32, U64SP] exclusive(0x48007c00) "stxrh %0, %1, [%2]" {STORE, SIDE_EFFECTS} of N16;
    STLXRH [E32, U32, U64SP] exclusive(0x4800fc00) "stlxrh %0, %1, [%2]" {STORE, SIDE_EFFECTS} of L16;
    LDXRW [D32, U64SP] two(0x885f7c00) "ldxr %0, [%1]" {LOAD, SIDE_EFFECTS} of N32;
    LDAXRW [D32, U64SP] two(0x885ffc00) "ldaxr %0, [%1]" {LOAD, SIDE_EFFECTS} of A32;
    STXRW [E32, U32, U64SP] exclusive(0x88007c00) "stxr %0, %1, [%2]" {STORE, SIDE_EFFECTS} of N32;
    STLXRW [E32, U32, U64SP] exclusive(0x8800fc00) "stlxr %0, %1, [%2]" {STORE, SIDE_EFFECTS} of L32;
    LDXRX [D64, U64SP] two(0xc85f7c00) "ldxr %0, [%1]" {LOAD, SIDE_EFFECTS} of N64;
    LDAXRX [D64, U64SP] two(0xc85ffc00) "ldaxr %0, [%1]" {LOAD, SIDE_EFFECTS} of A64;
    STXRX [E32, U64, U64SP] exclusive(0xc8007c00) "stxr %0, %1, [%2]" {STORE, SIDE_EFFECTS} of N64;
    STLXRX [E32, U64, U64SP] exclusive(0xc800fc00) "stlxr %0, %1, [%2]" {STORE, SIDE_EFFECTS} of L64;
    LDXPX [D64, D64, U64SP] pair(0xc87f0000) "ldxp %0, %1, [%2]" {LOAD, SIDE_EFFECTS} of N128;
    LDAXPX [D64, D64, U64SP] pair(0xc87f8000) "ldaxp %0, %1, [%2]" {LOAD, SIDE_EFFECTS} of A128;
    STXPX [E32, U64, U64, U64SP] exclusive_pair(0xc8200000) "stxp %0, %1, %2, [%3]" {STORE, SIDE_EFFECTS} of N128;
    STLXPX [E32, U64, U64, U64SP] exclusive_pair(0xc8208000) "stlxp %0, %1, %2, [%3]" {STORE, SIDE_EFFECTS} of L128;
    LDADDB [D32, U32, U64SP] on_memory(0x38200000) "ldaddb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDADDAB [D32, U32, U64SP] on_memory(0x38a00000) "ldaddab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDADDLB [D32, U32, U64SP] on_memory(0x38600000) "ldaddlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDADDALB [D32, U32, U64SP] on_memory(0x38e00000) "ldaddalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDADDH [D32, U32, U64SP] on_memory(0x78200000) "ldaddh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDADDAH [D32, U32, U64SP] on_memory(0x78a00000) "ldaddah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDADDLH [D32, U32, U64SP] on_memory(0x78600000) "ldaddlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDADDALH [D32, U32, U64SP] on_memory(0x78e00000) "ldaddalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDADDW [D32, U32, U64SP] on_memory(0xb8200000) "ldadd %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDADDAW [D32, U32, U64SP] on_memory(0xb8a00000) "ldadda %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDADDLW [D32, U32, U64SP] on_memory(0xb8600000) "ldaddl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDADDALW [D32, U32, U64SP] on_memory(0xb8e00000) "ldaddal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDADDX [D64, U64, U64SP] on_memory(0xf8200000) "ldadd %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDADDAX [D64, U64, U64SP] on_memory(0xf8a00000) "ldadda %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDADDLX [D64, U64, U64SP] on_memory(0xf8600000) "ldaddl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDADDALX [D64, U64, U64SP] on_memory(0xf8e00000) "ldaddal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDCLRB [D32, U32, U64SP] on_memory(0x38201000) "ldclrb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDCLRAB [D32, U32, U64SP] on_memory(0x38a01000) "ldclrab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDCLRLB [D32, U32, U64SP] on_memory(0x38601000) "ldclrlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDCLRALB [D32, U32, U64SP] on_memory(0x38e01000) "ldclralb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDCLRH [D32, U32, U64SP] on_memory(0x78201000) "ldclrh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDCLRAH [D32, U32, U64SP] on_memory(0x78a01000) "ldclrah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDCLRLH [D32, U32, U64SP] on_memory(0x78601000) "ldclrlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDCLRALH [D32, U32, U64SP] on_memory(0x78e01000) "ldclralh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDCLRW [D32, U32, U64SP] on_memory(0xb8201000) "ldclr %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDCLRAW [D32, U32, U64SP] on_memory(0xb8a01000) "ldclra %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDCLRLW [D32, U32, U64SP] on_memory(0xb8601000) "ldclrl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDCLRALW [D32, U32, U64SP] on_memory(0xb8e01000) "ldclral %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDCLRX [D64, U64, U64SP] on_memory(0xf8201000) "ldclr %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDCLRAX [D64, U64, U64SP] on_memory(0xf8a01000) "ldclra %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDCLRLX [D64, U64, U64SP] on_memory(0xf8601000) "ldclrl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDCLRALX [D64, U64, U64SP] on_memory(0xf8e01000) "ldclral %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDEORB [D32, U32, U64SP] on_memory(0x38202000) "ldeorb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDEORAB [D32, U32, U64SP] on_memory(0x38a02000) "ldeorab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDEORLB [D32, U32, U64SP] on_memory(0x38602000) "ldeorlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDEORALB [D32, U32, U64SP] on_memory(0x38e02000) "ldeoralb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDEORH [D32, U32, U64SP] on_memory(0x78202000) "ldeorh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDEORAH [D32, U32, U64SP] on_memory(0x78a02000) "ldeorah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDEORLH [D32, U32, U64SP] on_memory(0x78602000) "ldeorlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDEORALH [D32, U32, U64SP] on_memory(0x78e02000) "ldeoralh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDEORW [D32, U32, U64SP] on_memory(0xb8202000) "ldeor %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDEORAW [D32, U32, U64SP] on_memory(0xb8a02000) "ldeora %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDEORLW [D32, U32, U64SP] on_memory(0xb8602000) "ldeorl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDEORALW [D32, U32, U64SP] on_memory(0xb8e02000) "ldeoral %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDEORX [D64, U64, U64SP] on_memory(0xf8202000) "ldeor %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDEORAX [D64, U64, U64SP] on_memory(0xf8a02000) "ldeora %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDEORLX [D64, U64, U64SP] on_memory(0xf8602000) "ldeorl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDEORALX [D64, U64, U64SP] on_memory(0xf8e02000) "ldeoral %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDSETB [D32, U32, U64SP] on_memory(0x38203000) "ldsetb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDSETAB [D32, U32, U64SP] on_memory(0x38a03000) "ldsetab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDSETLB [D32, U32, U64SP] on_memory(0x38603000) "ldsetlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDSETALB [D32, U32, U64SP] on_memory(0x38e03000) "ldsetalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDSETH [D32, U32, U64SP] on_memory(0x78203000) "ldseth %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDSETAH [D32, U32, U64SP] on_memory(0x78a03000) "ldsetah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDSETLH [D32, U32, U64SP] on_memory(0x78603000) "ldsetlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDSETALH [D32, U32, U64SP] on_memory(0x78e03000) "ldsetalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDSETW [D32, U32, U64SP] on_memory(0xb8203000) "ldset %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDSETAW [D32, U32, U64SP] on_memory(0xb8a03000) "ldseta %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDSETLW [D32, U32, U64SP] on_memory(0xb8603000) "ldsetl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDSETALW [D32, U32, U64SP] on_memory(0xb8e03000) "ldsetal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDSETX [D64, U64, U64SP] on_memory(0xf8203000) "ldset %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDSETAX [D64, U64, U64SP] on_memory(0xf8a03000) "ldseta %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDSETLX [D64, U64, U64SP] on_memory(0xf8603000) "ldsetl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDSETALX [D64, U64, U64SP] on_memory(0xf8e03000) "ldsetal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDSMAXB [D32, U32, U64SP] on_memory(0x38204000) "ldsmaxb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDSMAXAB [D32, U32, U64SP] on_memory(0x38a04000) "ldsmaxab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDSMAXLB [D32, U32, U64SP] on_memory(0x38604000) "ldsmaxlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDSMAXALB [D32, U32, U64SP] on_memory(0x38e04000) "ldsmaxalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDSMAXH [D32, U32, U64SP] on_memory(0x78204000) "ldsmaxh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDSMAXAH [D32, U32, U64SP] on_memory(0x78a04000) "ldsmaxah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDSMAXLH [D32, U32, U64SP] on_memory(0x78604000) "ldsmaxlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDSMAXALH [D32, U32, U64SP] on_memory(0x78e04000) "ldsmaxalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDSMAXW [D32, U32, U64SP] on_memory(0xb8204000) "ldsmax %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDSMAXAW [D32, U32, U64SP] on_memory(0xb8a04000) "ldsmaxa %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDSMAXLW [D32, U32, U64SP] on_memory(0xb8604000) "ldsmaxl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDSMAXALW [D32, U32, U64SP] on_memory(0xb8e04000) "ldsmaxal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDSMAXX [D64, U64, U64SP] on_memory(0xf8204000) "ldsmax %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDSMAXAX [D64, U64, U64SP] on_memory(0xf8a04000) "ldsmaxa %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDSMAXLX [D64, U64, U64SP] on_memory(0xf8604000) "ldsmaxl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDSMAXALX [D64, U64, U64SP] on_memory(0xf8e04000) "ldsmaxal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDSMINB [D32, U32, U64SP] on_memory(0x38205000) "ldsminb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDSMINAB [D32, U32, U64SP] on_memory(0x38a05000) "ldsminab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDSMINLB [D32, U32, U64SP] on_memory(0x38605000) "ldsminlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDSMINALB [D32, U32, U64SP] on_memory(0x38e05000) "ldsminalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDSMINH [D32, U32, U64SP] on_memory(0x78205000) "ldsminh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDSMINAH [D32, U32, U64SP] on_memory(0x78a05000) "ldsminah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDSMINLH [D32, U32, U64SP] on_memory(0x78605000) "ldsminlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDSMINALH [D32, U32, U64SP] on_memory(0x78e05000) "ldsminalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDSMINW [D32, U32, U64SP] on_memory(0xb8205000) "ldsmin %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDSMINAW [D32, U32, U64SP] on_memory(0xb8a05000) "ldsmina %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDSMINLW [D32, U32, U64SP] on_memory(0xb8605000) "ldsminl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDSMINALW [D32, U32, U64SP] on_memory(0xb8e05000) "ldsminal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDSMINX [D64, U64, U64SP] on_memory(0xf8205000) "ldsmin %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDSMINAX [D64, U64, U64SP] on_memory(0xf8a05000) "ldsmina %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDSMINLX [D64, U64, U64SP] on_memory(0xf8605000) "ldsminl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDSMINALX [D64, U64, U64SP] on_memory(0xf8e05000) "ldsminal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDUMAXB [D32, U32, U64SP] on_memory(0x38206000) "ldumaxb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDUMAXAB [D32, U32, U64SP] on_memory(0x38a06000) "ldumaxab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDUMAXLB [D32, U32, U64SP] on_memory(0x38606000) "ldumaxlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDUMAXALB [D32, U32, U64SP] on_memory(0x38e06000) "ldumaxalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDUMAXH [D32, U32, U64SP] on_memory(0x78206000) "ldumaxh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDUMAXAH [D32, U32, U64SP] on_memory(0x78a06000) "ldumaxah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDUMAXLH [D32, U32, U64SP] on_memory(0x78606000) "ldumaxlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDUMAXALH [D32, U32, U64SP] on_memory(0x78e06000) "ldumaxalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDUMAXW [D32, U32, U64SP] on_memory(0xb8206000) "ldumax %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDUMAXAW [D32, U32, U64SP] on_memory(0xb8a06000) "ldumaxa %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDUMAXLW [D32, U32, U64SP] on_memory(0xb8606000) "ldumaxl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDUMAXALW [D32, U32, U64SP] on_memory(0xb8e06000) "ldumaxal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDUMAXX [D64, U64, U64SP] on_memory(0xf8206000) "ldumax %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDUMAXAX [D64, U64, U64SP] on_memory(0xf8a06000) "ldumaxa %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDUMAXLX [D64, U64, U64SP] on_memory(0xf8606000) "ldumaxl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDUMAXALX [D64, U64, U64SP] on_memory(0xf8e06000) "ldumaxal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    LDUMINB [D32, U32, U64SP] on_memory(0x38207000) "lduminb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    LDUMINAB [D32, U32, U64SP] on_memory(0x38a07000) "lduminab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    LDUMINLB [D32, U32, U64SP] on_memory(0x38607000) "lduminlb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    LDUMINALB [D32, U32, U64SP] on_memory(0x38e07000) "lduminalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    LDUMINH [D32, U32, U64SP] on_memory(0x78207000) "lduminh %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    LDUMINAH [D32, U32, U64SP] on_memory(0x78a07000) "lduminah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    LDUMINLH [D32, U32, U64SP] on_memory(0x78607000) "lduminlh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    LDUMINALH [D32, U32, U64SP] on_memory(0x78e07000) "lduminalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    LDUMINW [D32, U32, U64SP] on_memory(0xb8207000) "ldumin %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    LDUMINAW [D32, U32, U64SP] on_memory(0xb8a07000) "ldumina %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    LDUMINLW [D32, U32, U64SP] on_memory(0xb8607000) "lduminl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    LDUMINALW [D32, U32, U64SP] on_memory(0xb8e07000) "lduminal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    LDUMINX [D64, U64, U64SP] on_memory(0xf8207000) "ldumin %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    LDUMINAX [D64, U64, U64SP] on_memory(0xf8a07000) "ldumina %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    LDUMINLX [D64, U64, U64SP] on_memory(0xf8607000) "lduminl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    LDUMINALX [D64, U64, U64SP] on_memory(0xf8e07000) "lduminal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    SWPB [D32, U32, U64SP] on_memory(0x38208000) "swpb %1, %0, [%2]" {LOAD, STORE} of N8 if [LSE];
    SWPAB [D32, U32, U64SP] on_memory(0x38a08000) "swpab %1, %0, [%2]" {LOAD, STORE} of A8 if [LSE];
    SWPLB [D32, U32, U64SP] on_memory(0x38608000) "swplb %1, %0, [%2]" {LOAD, STORE} of L8 if [LSE];
    SWPALB [D32, U32, U64SP] on_memory(0x38e08000) "swpalb %1, %0, [%2]" {LOAD, STORE} of AL8 if [LSE];
    SWPH [D32, U32, U64SP] on_memory(0x78208000) "swph %1, %0, [%2]" {LOAD, STORE} of N16 if [LSE];
    SWPAH [D32, U32, U64SP] on_memory(0x78a08000) "swpah %1, %0, [%2]" {LOAD, STORE} of A16 if [LSE];
    SWPLH [D32, U32, U64SP] on_memory(0x78608000) "swplh %1, %0, [%2]" {LOAD, STORE} of L16 if [LSE];
    SWPALH [D32, U32, U64SP] on_memory(0x78e08000) "swpalh %1, %0, [%2]" {LOAD, STORE} of AL16 if [LSE];
    SWPW [D32, U32, U64SP] on_memory(0xb8208000) "swp %1, %0, [%2]" {LOAD, STORE} of N32 if [LSE];
    SWPAW [D32, U32, U64SP] on_memory(0xb8a08000) "swpa %1, %0, [%2]" {LOAD, STORE} of A32 if [LSE];
    SWPLW [D32, U32, U64SP] on_memory(0xb8608000) "swpl %1, %0, [%2]" {LOAD, STORE} of L32 if [LSE];
    SWPALW [D32, U32, U64SP] on_memory(0xb8e08000) "swpal %1, %0, [%2]" {LOAD, STORE} of AL32 if [LSE];
    SWPX [D64, U64, U64SP] on_memory(0xf8208000) "swp %1, %0, [%2]" {LOAD, STORE} of N64 if [LSE];
    SWPAX [D64, U64, U64SP] on_memory(0xf8a08000) "swpa %1, %0, [%2]" {LOAD, STORE} of A64 if [LSE];
    SWPLX [D64, U64, U64SP] on_memory(0xf8608000) "swpl %1, %0, [%2]" {LOAD, STORE} of L64 if [LSE];
    SWPALX [D64, U64, U64SP] on_memory(0xf8e08000) "swpal %1, %0, [%2]" {LOAD, STORE} of AL64 if [LSE];
    CASB [D32, T32, U32, U64SP] swap(0x08a07c00) "casb %0, %2, [%3]" {LOAD, STORE} of N8 if [LSE];
    CASAB [D32, T32, U32, U64SP] swap(0x08e07c00) "casab %0, %2, [%3]" {LOAD, STORE} of A8 if [LSE];
    CASLB [D32, T32, U32, U64SP] swap(0x08a0fc00) "caslb %0, %2, [%3]" {LOAD, STORE} of L8 if [LSE];
    CASALB [D32, T32, U32, U64SP] swap(0x08e0fc00) "casalb %0, %2, [%3]" {LOAD, STORE} of AL8 if [LSE];
    CASH [D32, T32, U32, U64SP] swap(0x48a07c00) "cash %0, %2, [%3]" {LOAD, STORE} of N16 if [LSE];
    CASAH [D32, T32, U32, U64SP] swap(0x48e07c00) "casah %0, %2, [%3]" {LOAD, STORE} of A16 if [LSE];
    CASLH [D32, T32, U32, U64SP] swap(0x48a0fc00) "caslh %0, %2, [%3]" {LOAD, STORE} of L16 if [LSE];
    CASALH [D32, T32, U32, U64SP] swap(0x48e0fc00) "casalh %0, %2, [%3]" {LOAD, STORE} of AL16 if [LSE];
    CASW [D32, T32, U32, U64SP] swap(0x88a07c00) "cas %0, %2, [%3]" {LOAD, STORE} of N32 if [LSE];
    CASAW [D32, T32, U32, U64SP] swap(0x88e07c00) "casa %0, %2, [%3]" {LOAD, STORE} of A32 if [LSE];
    CASLW [D32, T32, U32, U64SP] swap(0x88a0fc00) "casl %0, %2, [%3]" {LOAD, STORE} of L32 if [LSE];
    CASALW [D32, T32, U32, U64SP] swap(0x88e0fc00) "casal %0, %2, [%3]" {LOAD, STORE} of AL32 if [LSE];
    CASX [D64, T64, U64, U64SP] swap(0xc8a07c00) "cas %0, %2, [%3]" {LOAD, STORE} of N64 if [LSE];
    CASAX [D64, T64, U64, U64SP] swap(0xc8e07c00) "casa %0, %2, [%3]" {LOAD, STORE} of A64 if [LSE];
    CASLX [D64, T64, U64, U64SP] swap(0xc8a0fc00) "casl %0, %2, [%3]" {LOAD, STORE} of L64 if [LSE];
    CASALX [D64, T64, U64, U64SP] swap(0xc8e0fc00) "casal %0, %2, [%3]" {LOAD, STORE} of AL64 if [LSE];
    DMB [BARRIER] barrier(0xd50330bf) "dmb #%0" {SIDE_EFFECTS};
    CLREX [BARRIER] barrier(0xd503305f) "clrex #%0" {SIDE_EFFECTS};
    SUBSWrx [D32, U32SP, U32, EXTW] extended(0x6b200000) "subs %0, %1, %2, %e3" {} writes [NZCV];
    CMP_SWAP_8 [E32, E32, U64, U32, U32] pseudo() {LOAD, STORE} of AL8 writes [NZCV] size 20;
    CMP_SWAP_16 [E32, E32, U64, U32, U32] pseudo() {LOAD, STORE} of AL16 writes [NZCV] size 20;
    CMP_SWAP_32 [E32, E32, U64, U32, U32] pseudo() {LOAD, STORE} of AL32 writes [NZCV] size 20;
    CMP_SWAP_64 [E64, E32, U64, U64, U64] pseudo() {LOAD, STORE} of AL64 writes [NZCV] size 20;
    ATOMIC_LOAD_NAND_8 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL8 size 20;
    ATOMIC_LOAD_NAND_16 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL16 size 20;
    ATOMIC_LOAD_NAND_32 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL32 size 20;
    ATOMIC_LOAD_NAND_64 [E64, E64, E32, U64, U64] pseudo() {LOAD, STORE} of AL64 size 20;
    ATOMIC_LOAD_MAX_8 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL8 writes [NZCV] size 24;
    ATOMIC_LOAD_MAX_16 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL16 writes [NZCV] size 24;
    ATOMIC_LOAD_MAX_32 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL32 writes [NZCV] size 20;
    ATOMIC_LOAD_MAX_64 [E64, E64, E32, U64, U64] pseudo() {LOAD, STORE} of AL64 writes [NZCV] size 20;
    ATOMIC_LOAD_MIN_8 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL8 writes [NZCV] size 24;
    ATOMIC_LOAD_MIN_16 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL16 writes [NZCV] size 24;
    ATOMIC_LOAD_MIN_32 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL32 writes [NZCV] size 20;
    ATOMIC_LOAD_MIN_64 [E64, E64, E32, U64, U64] pseudo() {LOAD, STORE} of AL64 writes [NZCV] size 20;
    ATOMIC_LOAD_UMAX_8 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL8 writes [NZCV] size 20;
    ATOMIC_LOAD_UMAX_16 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL16 writes [NZCV] size 20;
    ATOMIC_LOAD_UMAX_32 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL32 writes [NZCV] size 20;
    ATOMIC_LOAD_UMAX_64 [E64, E64, E32, U64, U64] pseudo() {LOAD, STORE} of AL64 writes [NZCV] size 20;
    ATOMIC_LOAD_UMIN_8 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL8 writes [NZCV] size 20;
    ATOMIC_LOAD_UMIN_16 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL16 writes [NZCV] size 20;
    ATOMIC_LOAD_UMIN_32 [E32, E32, E32, U64, U32] pseudo() {LOAD, STORE} of AL32 writes [NZCV] size 20;
    ATOMIC_LOAD_UMIN_64 [E64, E64, E32, U64, U64] pseudo() {LOAD, STORE} of AL64 writes [NZCV] size 20;
    MEMBARRIER [] pseudo() {SIDE_EFFECTS} size 0;
    LDRBBroX [D32, U64SP, X64, FLAG, FLAG] indexed(0x38606800) "ldrb %0, [%1, %2%x3]" {LOAD} of Z8;
    LDRBBroW [D32, U64SP, X32, FLAG, FLAG] indexed(0x38604800) "ldrb %0, [%1, %2%x3]" {LOAD} of Z8;
    LDRHHroX [D32, U64SP, X64, FLAG, FLAG] indexed(0x78606800) "ldrh %0, [%1, %2%x3]" {LOAD} of Z16;
    LDRHHroW [D32, U64SP, X32, FLAG, FLAG] indexed(0x78604800) "ldrh %0, [%1, %2%x3]" {LOAD} of Z16;
    LDRWroX [D32, U64SP, X64, FLAG, FLAG] indexed(0xb8606800) "ldr %0, [%1, %2%x3]" {LOAD} of Z32;
    LDRWroW [D32, U64SP, X32, FLAG, FLAG] indexed(0xb8604800) "ldr %0, [%1, %2%x3]" {LOAD} of Z32;
    LDRXroX [D64, U64SP, X64, FLAG, FLAG] indexed(0xf8606800) "ldr %0, [%1, %2%x3]" {LOAD} of Z64;
    LDRXroW [D64, U64SP, X32, FLAG, FLAG] indexed(0xf8604800) "ldr %0, [%1, %2%x3]" {LOAD} of Z64;
    LDRSBWroX [D32, U64SP, X64, FLAG, FLAG] indexed(0x38e06800) "ldrsb %0, [%1, %2%x3]" {LOAD} of S8;
    LDRSBWroW [D32, U64SP, X32, FLAG, FLAG] indexed(0x38e04800) "ldrsb %0, [%1, %2%x3]" {LOAD} of S8;
    LDRSBXroX [D64, U64SP, X64, FLAG, FLAG] indexed(0x38a06800) "ldrsb %0, [%1, %2%x3]" {LOAD} of S8;
    LDRSBXroW [D64, U64SP, X32, FLAG, FLAG] indexed(0x38a04800) "ldrsb %0, [%1, %2%x3]" {LOAD} of S8;
    LDRSHWroX [D32, U64SP, X64, FLAG, FLAG] indexed(0x78e06800) "ldrsh %0, [%1, %2%x3]" {LOAD} of S16;
    LDRSHWroW [D32, U64SP, X32, FLAG, FLAG] indexed(0x78e04800) "ldrsh %0, [%1, %2%x3]" {LOAD} of S16;
    LDRSHXroX [D64, U64SP, X64, FLAG, FLAG] indexed(0x78a06800) "ldrsh %0, [%1, %2%x3]" {LOAD} of S16;
    LDRSHXroW [D64, U64SP, X32, FLAG, FLAG] indexed(0x78a04800) "ldrsh %0, [%1, %2%x3]" {LOAD} of S16;
    LDRSWroX [D64, U64SP, X64, FLAG, FLAG] indexed(0xb8a06800) "ldrsw %0, [%1, %2%x3]" {LOAD} of S32;
    LDRSWroW [D64, U64SP, X32, FLAG, FLAG] indexed(0xb8a04800) "ldrsw %0, [%1, %2%x3]" {LOAD} of S32;
    STRBBroX [U32, U64SP, X64, FLAG, FLAG] indexed(0x38206800) "strb %0, [%1, %2%x3]" {STORE} of Z8;
    STRBBroW [U32, U64SP, X32, FLAG, FLAG] indexed(0x38204800) "strb %0, [%1, %2%x3]" {STORE} of Z8;
    STRHHroX [U32, U64SP, X64, FLAG, FLAG] indexed(0x78206800) "strh %0, [%1, %2%x3]" {STORE} of Z16;
    STRHHroW [U32, U64SP, X32, FLAG, FLAG] indexed(0x78204800) "strh %0, [%1, %2%x3]" {STORE} of Z16;
    STRWroX [U32, U64SP, X64, FLAG, FLAG] indexed(0xb8206800) "str %0, [%1, %2%x3]" {STORE} of Z32;
    STRWroW [U32, U64SP, X32, FLAG, FLAG] indexed(0xb8204800) "str %0, [%1, %2%x3]" {STORE} of Z32;
    STRXroX [U64, U64SP, X64, FLAG, FLAG] indexed(0xf8206800) "str %0, [%1, %2%x3]" {STORE} of Z64;
    STRXroW [U64, U64SP, X32, FLAG, FLAG] indexed(0xf8204800) "str %0, [%1, %2%x3]" {STORE} of Z64;
    LDRHroX [DFH, U64SP, X64, FLAG, FLAG] indexed(0x7c606800) "ldr %0, [%1, %2%x3]" {LOAD} of Z16;
    LDRHroW [DFH, U64SP, X32, FLAG, FLAG] indexed(0x7c604800) "ldr %0, [%1, %2%x3]" {LOAD} of Z16;
    LDRSroX [DFS, U64SP, X64, FLAG, FLAG] indexed(0xbc606800) "ldr %0, [%1, %2%x3]" {LOAD} of Z32;
    LDRSroW [DFS, U64SP, X32, FLAG, FLAG] indexed(0xbc604800) "ldr %0, [%1, %2%x3]" {LOAD} of Z32;
    LDRDroX [DFD, U64SP, X64, FLAG, FLAG] indexed(0xfc606800) "ldr %0, [%1, %2%x3]" {LOAD} of Z64;
    LDRDroW [DFD, U64SP, X32, FLAG, FLAG] indexed(0xfc604800) "ldr %0, [%1, %2%x3]" {LOAD} of Z64;
    LDRQroX [D128, U64SP, X64, FLAG, FLAG] indexed(0x3ce06800) "ldr %0, [%1, %2%x3]" {LOAD} of Z128;
    LDRQroW [D128, U64SP, X32, FLAG, FLAG] indexed(0x3ce04800) "ldr %0, [%1, %2%x3]" {LOAD} of Z128;
    // Loads and stores that step their base, behind the access or before it.
    LDRBBpost [STEP, D32, STEPPED, I9] stepped(0x38400400) "ldrb %1, [%0], #%3" {LOAD} of Z8;
    LDRBBpre [STEP, D32, STEPPED, I9] stepped(0x38400c00) "ldrb %1, [%0, #%3]!" {LOAD} of Z8;
    LDRHHpost [STEP, D32, STEPPED, I9] stepped(0x78400400) "ldrh %1, [%0], #%3" {LOAD} of Z16;
    LDRHHpre [STEP, D32, STEPPED, I9] stepped(0x78400c00) "ldrh %1, [%0, #%3]!" {LOAD} of Z16;
    LDRWpost [STEP, D32, STEPPED, I9] stepped(0xb8400400) "ldr %1, [%0], #%3" {LOAD} of Z32;
    LDRWpre [STEP, D32, STEPPED, I9] stepped(0xb8400c00) "ldr %1, [%0, #%3]!" {LOAD} of Z32;
    LDRXpost [STEP, D64, STEPPED, I9] stepped(0xf8400400) "ldr %1, [%0], #%3" {LOAD} of Z64;
    LDRXpre [STEP, D64, STEPPED, I9] stepped(0xf8400c00) "ldr %1, [%0, #%3]!" {LOAD} of Z64;
    LDRSBWpost [STEP, D32, STEPPED, I9] stepped(0x38c00400) "ldrsb %1, [%0], #%3" {LOAD} of S8;
    LDRSBWpre [STEP, D32, STEPPED, I9] stepped(0x38c00c00) "ldrsb %1, [%0, #%3]!" {LOAD} of S8;
    LDRSBXpost [STEP, D64, STEPPED, I9] stepped(0x38800400) "ldrsb %1, [%0], #%3" {LOAD} of S8;
    LDRSBXpre [STEP, D64, STEPPED, I9] stepped(0x38800c00) "ldrsb %1, [%0, #%3]!" {LOAD} of S8;
    LDRSHWpost [STEP, D32, STEPPED, I9] stepped(0x78c00400) "ldrsh %1, [%0], #%3" {LOAD} of S16;
    LDRSHWpre [STEP, D32, STEPPED, I9] stepped(0x78c00c00) "ldrsh %1, [%0, #%3]!" {LOAD} of S16;
    LDRSHXpost [STEP, D64, STEPPED, I9] stepped(0x78800400) "ldrsh %1, [%0], #%3" {LOAD} of S16;
    LDRSHXpre [STEP, D64, STEPPED, I9] stepped(0x78800c00) "ldrsh %1, [%0, #%3]!" {LOAD} of S16;
    LDRSWpost [STEP, D64, STEPPED, I9] stepped(0xb8800400) "ldrsw %1, [%0], #%3" {LOAD} of S32;
    LDRSWpre [STEP, D64, STEPPED, I9] stepped(0xb8800c00) "ldrsw %1, [%0, #%3]!" {LOAD} of S32;
    LDRHpost [STEP, DFH, STEPPED, I9] stepped(0x7c400400) "ldr %1, [%0], #%3" {LOAD} of Z16;
    LDRHpre [STEP, DFH, STEPPED, I9] stepped(0x7c400c00) "ldr %1, [%0, #%3]!" {LOAD} of Z16;
    LDRSpost [STEP, DFS, STEPPED, I9] stepped(0xbc400400) "ldr %1, [%0], #%3" {LOAD} of Z32;
    LDRSpre [STEP, DFS, STEPPED, I9] stepped(0xbc400c00) "ldr %1, [%0, #%3]!" {LOAD} of Z32;
    LDRDpost [STEP, DFD, STEPPED, I9] stepped(0xfc400400) "ldr %1, [%0], #%3" {LOAD} of Z64;
    LDRDpre [STEP, DFD, STEPPED, I9] stepped(0xfc400c00) "ldr %1, [%0, #%3]!" {LOAD} of Z64;
    LDRQpost [STEP, D128, STEPPED, I9] stepped(0x3cc00400) "ldr %1, [%0], #%3" {LOAD} of Z128;
    LDRQpre [STEP, D128, STEPPED, I9] stepped(0x3cc00c00) "ldr %1, [%0, #%3]!" {LOAD} of Z128;
    STRBBpost [STEP, U32, STEPPED, I9] stepped(0x38000400) "strb %1, [%0], #%3" {STORE} of Z8;
    STRBBpre [STEP, U32, STEPPED, I9] stepped(0x38000c00) "strb %1, [%0, #%3]!" {STORE} of Z8;
    STRHHpost [STEP, U32, STEPPED, I9] stepped(0x78000400) "strh %1, [%0], #%3" {STORE} of Z16;
    STRHHpre [STEP, U32, STEPPED, I9] stepped(0x78000c00) "strh %1, [%0, #%3]!" {STORE} of Z16;
    STRWpost [STEP, U32, STEPPED, I9] stepped(0xb8000400) "str %1, [%0], #%3" {STORE} of Z32;
    STRWpre [STEP, U32, STEPPED, I9] stepped(0xb8000c00) "str %1, [%0, #%3]!" {STORE} of Z32;
    STRXpost [STEP, U64, STEPPED, I9] stepped(0xf8000400) "str %1, [%0], #%3" {STORE} of Z64;
    STRXpre [STEP, U64, STEPPED, I9] stepped(0xf8000c00) "str %1, [%0, #%3]!" {STORE} of Z64;
    STRHpost [STEP, UFH, STEPPED, I9] stepped(0x7c000400) "str %1, [%0], #%3" {STORE} of Z16;
    STRHpre [STEP, UFH, STEPPED, I9] stepped(0x7c000c00) "str %1, [%0, #%3]!" {STORE} of Z16;
    STRSpost [STEP, UFS, STEPPED, I9] stepped(0xbc000400) "str %1, [%0], #%3" {STORE} of Z32;
    STRSpre [STEP, UFS, STEPPED, I9] stepped(0xbc000c00) "str %1, [%0, #%3]!" {STORE} of Z32;
    STRDpost [STEP, UFD, STEPPED, I9] stepped(0xfc000400) "str %1, [%0], #%3" {STORE} of Z64;
    STRDpre [STEP, UFD, STEPPED, I9] stepped(0xfc000c00) "str %1, [%0, #%3]!" {STORE} of Z64;
    STRQpost [STEP, U128, STEPPED, I9] stepped(0x3c800400) "str %1, [%0], #%3" {STORE} of Z128;
    STRQpre [STEP, U128, STEPPED, I9] stepped(0x3c800c00) "str %1, [%0, #%3]!" {STORE} of Z128;
    STRHroX [UFH, U64SP, X64, FLAG, FLAG] indexed(0x7c206800) "str %0, [%1, %2%x3]" {STORE} of Z16;
    STRHroW [UFH, U64SP, X32, FLAG, FLAG] indexed(0x7c204800) "str %0, [%1, %2%x3]" {STORE} of Z16;
    STRSroX [UFS, U64SP, X64, FLAG, FLAG] indexed(0xbc206800) "str %0, [%1, %2%x3]" {STORE} of Z32;
    STRSroW [UFS, U64SP, X32, FLAG, FLAG] indexed(0xbc204800) "str %0, [%1, %2%x3]" {STORE} of Z32;
    STRDroX [UFD, U64SP, X64, FLAG, FLAG] indexed(0xfc206800) "str %0, [%1, %2%x3]" {STORE} of Z64;
    STRDroW [UFD, U64SP, X32, FLAG, FLAG] indexed(0xfc204800) "str %0, [%1, %2%x3]" {STORE} of Z64;
    STRQroX [U128, U64SP, X64, FLAG, FLAG] indexed(0x3ca06800) "str %0, [%1, %2%x3]" {STORE} of Z128;
    STRQroW [U128, U64SP, X32, FLAG, FLAG] indexed(0x3ca04800) "str %0, [%1, %2%x3]" {STORE} of Z128;
    ADDWrx [D32SP, U32SP, U32, EXTW] extended(0x0b200000) "add %0, %1, %2, %e3" {};
    SUBWrx [D32SP, U32SP, U32, EXTW] extended(0x4b200000) "sub %0, %1, %2, %e3" {};
    ADDXrx [D64SP, U64SP, U32, EXTX] extended(0x8b200000) "add %0, %1, %2, %e3" {};
    SUBXrx [D64SP, U64SP, U32, EXTX] extended(0xcb200000) "sub %0, %1, %2, %e3" {};
    ADDSWrx [D32, U32SP, U32, EXTW] extended(0x2b200000) "adds %0, %1, %2, %e3" {} writes [NZCV];
    ADDSXrx [D64, U64SP, U32, EXTX] extended(0xab200000) "adds %0, %1, %2, %e3" {} writes [NZCV];
    SUBSXrx [D64, U64SP, U32, EXTX] extended(0xeb200000) "subs %0, %1, %2, %e3" {} writes [NZCV];
    TBZW [U32, U5, L16X4] tested(0x36000000) "tbz %0, #%1, %2" {TERMINATOR, BRANCH};
    TBNZW [U32, U5, L16X4] tested(0x37000000) "tbnz %0, #%1, %2" {TERMINATOR, BRANCH};
    TBZX [U64, HIGH_BIT, L16X4] tested(0xb6000000) "tbz %0, #%1, %2" {TERMINATOR, BRANCH};
    TBNZX [U64, HIGH_BIT, L16X4] tested(0xb7000000) "tbnz %0, #%1, %2" {TERMINATOR, BRANCH};
    BR [U64] source(0xd61f0000) "br %0" {TERMINATOR, BRANCH, BARRIER, INDIRECT};
}
