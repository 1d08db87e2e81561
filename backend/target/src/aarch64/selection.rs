//! The selection rules, most specific first within an opcode.

// Opcode constants are spelled as LLVM spells the opcodes.
#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::bitmask::encode_bitmask;
use super::floats::packed;
use super::instructions::*;
use super::registers::{
    FPCR, FPR, FPR16, FPR32, FPR64, FPR128, FPSR, GPR32, GPR32SP, GPR64, GPR64COMMON, GPR64SP, HSUB, NZCV, SUB_32, WZR,
    XZR,
};
use super::target_flags::{GOT, PAGE, PAGE_OFFSET, TLS, TPREL_HIGH, TPREL_LOW};
use crate::addressing::Addressing::{Got, InitialExec, LocalExec, PcRelative};
use crate::selection::{Emit, ImmClass, MOVE, Orderings, Out, Pat, Pattern, SelectionRule, Types, UNDEFINED, emitted};
use Out::{
    Address, Const, Def, DefTemp, Imm, ImmWith, ImplicitDef, ImplicitUse, Label, Phys, PhysDef, Reg, Stack, SubReg,
    Symbol, Temp, TempPart,
};
use tribunal_ir::AtomicOrdering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent};
use tribunal_ir::Opcode::*;
use tribunal_ir::{Bits, FloatPredicate, IntPredicate, Opcode};

const W: Types = Types::Bits(32);
const H: Types = Types::Bits(16);
/// The same where a conversion could be one of integers.
const HALF_NUMBER: Types = Types::In(FPR, 16);
const X: Types = Types::Bits(64);
const Q: Types = Types::Bits(128);

const EVERY: ImmClass = ImmClass { name: "any", accepts: |_| true };
const ZERO: ImmClass = ImmClass { name: "zero", accepts: |value| value.is_zero() };
/// LLVM's number of an ordering that acquires alone.
const IS_4: ImmClass = ImmClass { name: "4", accepts: |value| value.unsigned() == 4 };
const UIMM12: ImmClass = ImmClass { name: "uimm12", accepts: |value| value.unsigned() < 4096 };
const NEGATED: ImmClass = ImmClass { name: "negated uimm12", accepts: |value| (-4095..=-1).contains(&value.signed()) };
const BELOW_WIDTH: ImmClass =
    ImmClass { name: "below the width", accepts: |value| value.unsigned() < value.width().into() };
const MASK: ImmClass =
    ImmClass { name: "bitmask", accepts: |value| encode_bitmask(value.low_u64(), value.width()).is_some() };
const PACKED: ImmClass = ImmClass { name: "packed number", accepts: |value| packed(value).is_some() };
const IMM16: ImmClass = ImmClass { name: "uimm16", accepts: |value| value.unsigned() < 1 << 16 };
const NOT16: ImmClass = ImmClass { name: "complement of uimm16", accepts: |value| complement(value) < 1 << 16 };
const IMM32: ImmClass = ImmClass { name: "uimm32", accepts: |value| value.unsigned() < 1 << 32 };

/// A multiple of the access size up to 4095 of them.
macro_rules! scaled {
    ($bytes:literal) => {
        ImmClass { name: concat!("offset scaled by ", $bytes), accepts: |value| is_scaled(value, $bytes) }
    };
}

fn is_scaled(value: Bits, bytes: i128) -> bool {
    value.signed() % bytes == 0 && (0..4096).contains(&(value.signed() / bytes))
}
/// The number of a trap for this kind of undefined behaviour: the upper byte is `U`.
fn undefined_behaviour(value: Bits) -> i64 {
    i64::from(b'U') << 8 | value.low_u64() as i64
}
fn packed_number(value: Bits) -> i64 {
    packed(value).unwrap_or(0)
}
fn complement(value: Bits) -> u128 {
    !value.unsigned() & Bits::ones(value.width()).unsigned()
}
fn negated(value: Bits) -> i64 {
    -(value.signed() as i64)
}
fn mask(value: Bits) -> i64 {
    encode_bitmask(value.low_u64(), value.width()).unwrap_or(0)
}
fn piece0(value: Bits) -> i64 {
    (value.low_u64() & 0xffff) as i64
}
fn piece1(value: Bits) -> i64 {
    (value.low_u64() >> 16 & 0xffff) as i64
}
fn piece2(value: Bits) -> i64 {
    (value.low_u64() >> 32 & 0xffff) as i64
}
fn piece3(value: Bits) -> i64 {
    (value.low_u64() >> 48 & 0xffff) as i64
}
fn not16(value: Bits) -> i64 {
    complement(value) as i64
}
// A left shift by n is UBFM with immr = (width - n) mod width and imms = width - 1 - n.
fn shl_immr32(value: Bits) -> i64 {
    (32 - value.low_u64() as i64) % 32
}
fn shl_imms32(value: Bits) -> i64 {
    31 - value.low_u64() as i64
}
fn shl_immr64(value: Bits) -> i64 {
    (64 - value.low_u64() as i64) % 64
}
fn shl_imms64(value: Bits) -> i64 {
    63 - value.low_u64() as i64
}
/// The last bit of a field of so many bits.
fn last_bit(value: Bits) -> i64 {
    value.low_u64() as i64 - 1
}

macro_rules! rules {
    ($($name:literal $(if $($feature:ident)+)?: $pattern:expr => [$($opcode:ident($($out:expr),*)),*];)*) => {
        /// One row a rule; of those that match, the first applies.
        pub static RULES: &[SelectionRule] = &[$(SelectionRule {
            name: concat!("aarch64 ", $name),
            pattern: $pattern,
            requires: crate::Features::empty()$($(.union(super::features::$feature))+)?,
            emit: &[$(Emit { opcode: emitted($opcode), operands: &[$($out),*] }),*],
        }),*];
    };
}

const fn op(opcode: Opcode, ty: Types, operands: &'static [Pat]) -> Pattern {
    Pattern::of(opcode, ty, operands)
}

const fn ordered(opcode: Opcode, ty: Types, bits: u32, ordering: Orderings, operands: &'static [Pat]) -> Pattern {
    Pattern::access(opcode, ty, bits, operands).ordered(ordering)
}

/// A load that reserves its address, or a store that keeps the reservation.
const fn exclusive(ty: Types, bits: u32, operands: &'static [Pat]) -> Pattern {
    Pattern::access(G_INTRINSIC_W_SIDE_EFFECTS, ty, bits, operands)
}

const RELAXED: Orderings = Orderings(&[Monotonic]);
const RELEASE: Orderings = Orderings(&[Release]);
const ACQUIRE: Orderings = Orderings(&[Acquire]);
const STRONG: Orderings = Orderings(&[AcquireRelease, SequentiallyConsistent]);
const EVERY_ORDER: Orderings = Orderings(&[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]);
const LOADS: Orderings = Orderings(&[Acquire, SequentiallyConsistent]);
const STORES: Orderings = Orderings(&[Release, SequentiallyConsistent]);

const A: Pat = Pat::Reg(0);
const B_: Pat = Pat::Reg(1);
const C: Pat = Pat::Reg(2);
const A32: Pat = Pat::RegOf(0, W);
const L: Pat = Pat::Label(0);
const NIL: Pat = Pat::Imm(0, ZERO);
const DW: Out = Def(GPR32);
const DX: Out = Def(GPR64);
const DWSP: Out = Def(GPR32SP);
const DXSP: Out = Def(GPR64SP);
const F: Out = ImplicitDef(NZCV);
const G: Out = ImplicitUse(NZCV);
const ABOVE: Out = Const(0);
const PART: Out = Const(SUB_32.0 as i64);
const FH: Out = Def(FPR16);
const FS: Out = Def(FPR32);
const FD: Out = Def(FPR64);
const FP: Out = ImplicitUse(FPCR);
const NOW: Out = PhysDef(WZR);
const NOX: Out = PhysDef(XZR);
const ZW: Out = Phys(WZR);
const ZX: Out = Phys(XZR);

rules! {
    // Floating point
    "fconstant_h_zero" if FULLFP16: op(G_FCONSTANT, H, &[NIL]) => [FMOVWHr(FH, ZW)];
    "fconstant_h_packed" if FULLFP16: op(G_FCONSTANT, H, &[Pat::Imm(0, PACKED)]) => [FMOVHi(FH, ImmWith(0, packed_number))];
    "fconstant_h" if FULLFP16: op(G_FCONSTANT, H, &[Pat::Imm(0, EVERY)]) => [MOVZWi(DefTemp(0, GPR32), ImmWith(0, piece0), Const(0)), FMOVWHr(FH, Temp(0))];
    "fadd_h" if FULLFP16: op(G_FADD, H, &[A, B_]) => [FADDHrr(FH, Reg(0), Reg(1), FP)];
    "fsub_h" if FULLFP16: op(G_FSUB, H, &[A, B_]) => [FSUBHrr(FH, Reg(0), Reg(1), FP)];
    "fdiv_h" if FULLFP16: op(G_FDIV, H, &[A, B_]) => [FDIVHrr(FH, Reg(0), Reg(1), FP)];
    "fmul_h" if FULLFP16: op(G_FMUL, H, &[A, B_]) => [FMULHrr(FH, Reg(0), Reg(1), FP)];
    "fnmadd_h" if FULLFP16: op(G_FMA, H, &[Pat::Op(&op(G_FNEG, H, &[A])), B_, Pat::Op(&op(G_FNEG, H, &[C]))]) => [FNMADDHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "fnmsub_h" if FULLFP16: op(G_FMA, H, &[A, B_, Pat::Op(&op(G_FNEG, H, &[C]))]) => [FNMSUBHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_h" if FULLFP16: op(G_FMA, H, &[Pat::Op(&op(G_FNEG, H, &[A])), B_, C]) => [FMSUBHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_commuted_h" if FULLFP16: op(G_FMA, H, &[A, Pat::Op(&op(G_FNEG, H, &[B_])), C]) => [FMSUBHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "fmadd_h" if FULLFP16: op(G_FMA, H, &[A, B_, C]) => [FMADDHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "fsqrt_h" if FULLFP16: op(G_FSQRT, H, &[A]) => [FSQRTHr(FH, Reg(0), FP)];
    "strict_fadd_h" if FULLFP16: op(G_STRICT_FADD, H, &[A, B_]) => [FADDHrr(FH, Reg(0), Reg(1), FP)];
    "strict_fsub_h" if FULLFP16: op(G_STRICT_FSUB, H, &[A, B_]) => [FSUBHrr(FH, Reg(0), Reg(1), FP)];
    "strict_fmul_h" if FULLFP16: op(G_STRICT_FMUL, H, &[A, B_]) => [FMULHrr(FH, Reg(0), Reg(1), FP)];
    "strict_fdiv_h" if FULLFP16: op(G_STRICT_FDIV, H, &[A, B_]) => [FDIVHrr(FH, Reg(0), Reg(1), FP)];
    "strict_fma_h" if FULLFP16: op(G_STRICT_FMA, H, &[A, B_, C]) => [FMADDHrrr(FH, Reg(0), Reg(1), Reg(2), FP)];
    "strict_fsqrt_h" if FULLFP16: op(G_STRICT_FSQRT, H, &[A]) => [FSQRTHr(FH, Reg(0), FP)];
    "fneg_h" if FULLFP16: op(G_FNEG, H, &[A]) => [FNEGHr(FH, Reg(0))];
    "fabs_h" if FULLFP16: op(G_FABS, H, &[A]) => [FABSHr(FH, Reg(0))];
    "fceil_h" if FULLFP16: op(G_FCEIL, H, &[A]) => [FRINTPHr(FH, Reg(0), FP)];
    "ffloor_h" if FULLFP16: op(G_FFLOOR, H, &[A]) => [FRINTMHr(FH, Reg(0), FP)];
    "frint_h" if FULLFP16: op(G_FRINT, H, &[A]) => [FRINTXHr(FH, Reg(0), FP)];
    "fnearbyint_h" if FULLFP16: op(G_FNEARBYINT, H, &[A]) => [FRINTIHr(FH, Reg(0), FP)];
    "intrinsic_trunc_h" if FULLFP16: op(G_INTRINSIC_TRUNC, H, &[A]) => [FRINTZHr(FH, Reg(0), FP)];
    "intrinsic_round_h" if FULLFP16: op(G_INTRINSIC_ROUND, H, &[A]) => [FRINTAHr(FH, Reg(0), FP)];
    "intrinsic_roundeven_h" if FULLFP16: op(G_INTRINSIC_ROUNDEVEN, H, &[A]) => [FRINTNHr(FH, Reg(0), FP)];
    "fminnum_h" if FULLFP16: op(G_FMINNUM, H, &[A, B_]) => [FMINNMHrr(FH, Reg(0), Reg(1), FP)];
    "fmaxnum_h" if FULLFP16: op(G_FMAXNUM, H, &[A, B_]) => [FMAXNMHrr(FH, Reg(0), Reg(1), FP)];
    "fminimum_h" if FULLFP16: op(G_FMINIMUM, H, &[A, B_]) => [FMINHrr(FH, Reg(0), Reg(1), FP)];
    "fmaximum_h" if FULLFP16: op(G_FMAXIMUM, H, &[A, B_]) => [FMAXHrr(FH, Reg(0), Reg(1), FP)];
    "fcanonicalize_h" if FULLFP16: op(G_FCANONICALIZE, H, &[A]) => [FMINNMHrr(FH, Reg(0), Reg(0), FP)];
    "brcond_foeq_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(0), Label(0), G)];
    "fcmp_oeq_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Oeq, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "brcond_fogt_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(12), Label(0), G)];
    "fcmp_ogt_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ogt, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "brcond_foge_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(10), Label(0), G)];
    "fcmp_oge_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Oge, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "brcond_folt_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(4), Label(0), G)];
    "fcmp_olt_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Olt, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(5), G)];
    "brcond_fole_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(9), Label(0), G)];
    "fcmp_ole_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ole, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "brcond_ford_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(7), Label(0), G)];
    "fcmp_ord_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ord, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(6), G)];
    "brcond_funo_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(6), Label(0), G)];
    "fcmp_uno_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Uno, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(7), G)];
    "brcond_fugt_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(8), Label(0), G)];
    "fcmp_ugt_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ugt, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "brcond_fuge_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(5), Label(0), G)];
    "fcmp_uge_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Uge, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(4), G)];
    "brcond_fult_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(11), Label(0), G)];
    "fcmp_ult_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ult, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "brcond_fule_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(13), Label(0), G)];
    "fcmp_ule_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ule, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "brcond_fune_h" if FULLFP16: op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, H, &[A, B_])), L]) => [FCMPHrr(Reg(0), Reg(1), F, FP), Bcc(Const(1), Label(0), G)];
    "fcmp_une_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Une, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "fcmp_one_h" if FULLFP16: Pattern::fcmp(FloatPredicate::One, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(5), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(13), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_ueq_h" if FULLFP16: Pattern::fcmp(FloatPredicate::Ueq, H, &[A, B_]) => [FCMPHrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(1), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(7), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_true_h" if FULLFP16: Pattern::fcmp(FloatPredicate::True, H, &[A, B_]) => [MOVZWi(DW, Const(1), Const(0))];
    "fcmp_false_h" if FULLFP16: Pattern::fcmp(FloatPredicate::False, H, &[A, B_]) => [MOVE(DW, ZW)];
    "fptosi_32_h" if FULLFP16: op(G_FPTOSI, W, &[Pat::RegOf(0, H)]) => [FCVTZSUWHr(DW, Reg(0), FP)];
    "fptosi_sat_32_h" if FULLFP16: op(G_FPTOSI_SAT, W, &[Pat::RegOf(0, H)]) => [FCVTZSUWHr(DW, Reg(0), FP)];
    "sitofp_h_32" if FULLFP16: op(G_SITOFP, H, &[Pat::RegOf(0, W)]) => [SCVTFUWHri(FH, Reg(0), FP)];
    "fptoui_32_h" if FULLFP16: op(G_FPTOUI, W, &[Pat::RegOf(0, H)]) => [FCVTZUUWHr(DW, Reg(0), FP)];
    "fptoui_sat_32_h" if FULLFP16: op(G_FPTOUI_SAT, W, &[Pat::RegOf(0, H)]) => [FCVTZUUWHr(DW, Reg(0), FP)];
    "uitofp_h_32" if FULLFP16: op(G_UITOFP, H, &[Pat::RegOf(0, W)]) => [UCVTFUWHri(FH, Reg(0), FP)];
    "fptosi_64_h" if FULLFP16: op(G_FPTOSI, X, &[Pat::RegOf(0, H)]) => [FCVTZSUXHr(DX, Reg(0), FP)];
    "fptosi_sat_64_h" if FULLFP16: op(G_FPTOSI_SAT, X, &[Pat::RegOf(0, H)]) => [FCVTZSUXHr(DX, Reg(0), FP)];
    "sitofp_h_64" if FULLFP16: op(G_SITOFP, H, &[Pat::RegOf(0, X)]) => [SCVTFUXHri(FH, Reg(0), FP)];
    "fptoui_64_h" if FULLFP16: op(G_FPTOUI, X, &[Pat::RegOf(0, H)]) => [FCVTZUUXHr(DX, Reg(0), FP)];
    "fptoui_sat_64_h" if FULLFP16: op(G_FPTOUI_SAT, X, &[Pat::RegOf(0, H)]) => [FCVTZUUXHr(DX, Reg(0), FP)];
    "uitofp_h_64" if FULLFP16: op(G_UITOFP, H, &[Pat::RegOf(0, X)]) => [UCVTFUXHri(FH, Reg(0), FP)];
    "lrint_32_h" if FULLFP16: op(G_INTRINSIC_LRINT, W, &[Pat::RegOf(0, H)]) => [FCVTNSUWHr(DW, Reg(0), FP)];
    "lrint_64_h" if FULLFP16: op(G_INTRINSIC_LRINT, X, &[Pat::RegOf(0, H)]) => [FCVTNSUXHr(DX, Reg(0), FP)];
    "llrint_32_h" if FULLFP16: op(G_INTRINSIC_LLRINT, W, &[Pat::RegOf(0, H)]) => [FCVTNSUWHr(DW, Reg(0), FP)];
    "llrint_64_h" if FULLFP16: op(G_INTRINSIC_LLRINT, X, &[Pat::RegOf(0, H)]) => [FCVTNSUXHr(DX, Reg(0), FP)];
    "lround_32_h" if FULLFP16: op(G_LROUND, W, &[Pat::RegOf(0, H)]) => [FCVTASUWHr(DW, Reg(0), FP)];
    "lround_64_h" if FULLFP16: op(G_LROUND, X, &[Pat::RegOf(0, H)]) => [FCVTASUXHr(DX, Reg(0), FP)];
    "llround_32_h" if FULLFP16: op(G_LLROUND, W, &[Pat::RegOf(0, H)]) => [FCVTASUWHr(DW, Reg(0), FP)];
    "llround_64_h" if FULLFP16: op(G_LLROUND, X, &[Pat::RegOf(0, H)]) => [FCVTASUXHr(DX, Reg(0), FP)];
    "fconstant_s_zero": op(G_FCONSTANT, W, &[NIL]) => [FMOVWSr(FS, ZW)];
    "fconstant_s_packed": op(G_FCONSTANT, W, &[Pat::Imm(0, PACKED)]) => [FMOVSi(FS, ImmWith(0, packed_number))];
    "fconstant_s": op(G_FCONSTANT, W, &[Pat::Imm(0, EVERY)]) => [MOVZWi(DefTemp(0, GPR32), ImmWith(0, piece0), Const(0)), MOVKWi(DefTemp(1, GPR32), Temp(0), ImmWith(0, piece1), Const(16)), FMOVWSr(FS, Temp(1))];
    "fadd_s": op(G_FADD, W, &[A, B_]) => [FADDSrr(FS, Reg(0), Reg(1), FP)];
    "fsub_s": op(G_FSUB, W, &[A, B_]) => [FSUBSrr(FS, Reg(0), Reg(1), FP)];
    "fdiv_s": op(G_FDIV, W, &[A, B_]) => [FDIVSrr(FS, Reg(0), Reg(1), FP)];
    "fmul_s": op(G_FMUL, W, &[A, B_]) => [FMULSrr(FS, Reg(0), Reg(1), FP)];
    "fnmadd_s": op(G_FMA, W, &[Pat::Op(&op(G_FNEG, W, &[A])), B_, Pat::Op(&op(G_FNEG, W, &[C]))]) => [FNMADDSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "fnmsub_s": op(G_FMA, W, &[A, B_, Pat::Op(&op(G_FNEG, W, &[C]))]) => [FNMSUBSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_s": op(G_FMA, W, &[Pat::Op(&op(G_FNEG, W, &[A])), B_, C]) => [FMSUBSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_commuted_s": op(G_FMA, W, &[A, Pat::Op(&op(G_FNEG, W, &[B_])), C]) => [FMSUBSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "fmadd_s": op(G_FMA, W, &[A, B_, C]) => [FMADDSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "fsqrt_s": op(G_FSQRT, W, &[A]) => [FSQRTSr(FS, Reg(0), FP)];
    "strict_fadd_s": op(G_STRICT_FADD, W, &[A, B_]) => [FADDSrr(FS, Reg(0), Reg(1), FP)];
    "strict_fsub_s": op(G_STRICT_FSUB, W, &[A, B_]) => [FSUBSrr(FS, Reg(0), Reg(1), FP)];
    "strict_fmul_s": op(G_STRICT_FMUL, W, &[A, B_]) => [FMULSrr(FS, Reg(0), Reg(1), FP)];
    "strict_fdiv_s": op(G_STRICT_FDIV, W, &[A, B_]) => [FDIVSrr(FS, Reg(0), Reg(1), FP)];
    "strict_fma_s": op(G_STRICT_FMA, W, &[A, B_, C]) => [FMADDSrrr(FS, Reg(0), Reg(1), Reg(2), FP)];
    "strict_fsqrt_s": op(G_STRICT_FSQRT, W, &[A]) => [FSQRTSr(FS, Reg(0), FP)];
    "fneg_s": op(G_FNEG, W, &[A]) => [FNEGSr(FS, Reg(0))];
    "fabs_s": op(G_FABS, W, &[A]) => [FABSSr(FS, Reg(0))];
    "fceil_s": op(G_FCEIL, W, &[A]) => [FRINTPSr(FS, Reg(0), FP)];
    "ffloor_s": op(G_FFLOOR, W, &[A]) => [FRINTMSr(FS, Reg(0), FP)];
    "frint_s": op(G_FRINT, W, &[A]) => [FRINTXSr(FS, Reg(0), FP)];
    "fnearbyint_s": op(G_FNEARBYINT, W, &[A]) => [FRINTISr(FS, Reg(0), FP)];
    "intrinsic_trunc_s": op(G_INTRINSIC_TRUNC, W, &[A]) => [FRINTZSr(FS, Reg(0), FP)];
    "intrinsic_round_s": op(G_INTRINSIC_ROUND, W, &[A]) => [FRINTASr(FS, Reg(0), FP)];
    "intrinsic_roundeven_s": op(G_INTRINSIC_ROUNDEVEN, W, &[A]) => [FRINTNSr(FS, Reg(0), FP)];
    "fminnum_s": op(G_FMINNUM, W, &[A, B_]) => [FMINNMSrr(FS, Reg(0), Reg(1), FP)];
    "fmaxnum_s": op(G_FMAXNUM, W, &[A, B_]) => [FMAXNMSrr(FS, Reg(0), Reg(1), FP)];
    "fminimum_s": op(G_FMINIMUM, W, &[A, B_]) => [FMINSrr(FS, Reg(0), Reg(1), FP)];
    "fmaximum_s": op(G_FMAXIMUM, W, &[A, B_]) => [FMAXSrr(FS, Reg(0), Reg(1), FP)];
    "fcanonicalize_s": op(G_FCANONICALIZE, W, &[A]) => [FMINNMSrr(FS, Reg(0), Reg(0), FP)];
    "brcond_foeq_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(0), Label(0), G)];
    "select_s_foeq_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(0), G)];
    "select_d_foeq_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(0), G)];
    "fcmp_oeq_s": Pattern::fcmp(FloatPredicate::Oeq, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "brcond_fogt_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(12), Label(0), G)];
    "select_s_fogt_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(12), G)];
    "select_d_fogt_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(12), G)];
    "fcmp_ogt_s": Pattern::fcmp(FloatPredicate::Ogt, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "brcond_foge_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(10), Label(0), G)];
    "select_s_foge_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(10), G)];
    "select_d_foge_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(10), G)];
    "fcmp_oge_s": Pattern::fcmp(FloatPredicate::Oge, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "brcond_folt_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(4), Label(0), G)];
    "select_s_folt_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(4), G)];
    "select_d_folt_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(4), G)];
    "fcmp_olt_s": Pattern::fcmp(FloatPredicate::Olt, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(5), G)];
    "brcond_fole_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(9), Label(0), G)];
    "select_s_fole_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(9), G)];
    "select_d_fole_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(9), G)];
    "fcmp_ole_s": Pattern::fcmp(FloatPredicate::Ole, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "brcond_ford_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(7), Label(0), G)];
    "select_s_ford_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(7), G)];
    "select_d_ford_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(7), G)];
    "fcmp_ord_s": Pattern::fcmp(FloatPredicate::Ord, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(6), G)];
    "brcond_funo_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(6), Label(0), G)];
    "select_s_funo_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(6), G)];
    "select_d_funo_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(6), G)];
    "fcmp_uno_s": Pattern::fcmp(FloatPredicate::Uno, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(7), G)];
    "brcond_fugt_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(8), Label(0), G)];
    "select_s_fugt_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(8), G)];
    "select_d_fugt_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(8), G)];
    "fcmp_ugt_s": Pattern::fcmp(FloatPredicate::Ugt, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "brcond_fuge_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(5), Label(0), G)];
    "select_s_fuge_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(5), G)];
    "select_d_fuge_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(5), G)];
    "fcmp_uge_s": Pattern::fcmp(FloatPredicate::Uge, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(4), G)];
    "brcond_fult_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(11), Label(0), G)];
    "select_s_fult_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(11), G)];
    "select_d_fult_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(11), G)];
    "fcmp_ult_s": Pattern::fcmp(FloatPredicate::Ult, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "brcond_fule_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(13), Label(0), G)];
    "select_s_fule_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(13), G)];
    "select_d_fule_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(13), G)];
    "fcmp_ule_s": Pattern::fcmp(FloatPredicate::Ule, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "brcond_fune_s": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, W, &[A, B_])), L]) => [FCMPSrr(Reg(0), Reg(1), F, FP), Bcc(Const(1), Label(0), G)];
    "select_s_fune_s": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(1), G)];
    "select_d_fune_s": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, W, &[A, B_])), C, Pat::Reg(3)]) => [FCMPSrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(1), G)];
    "fcmp_une_s": Pattern::fcmp(FloatPredicate::Une, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "fcmp_one_s": Pattern::fcmp(FloatPredicate::One, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(5), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(13), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_ueq_s": Pattern::fcmp(FloatPredicate::Ueq, W, &[A, B_]) => [FCMPSrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(1), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(7), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_true_s": Pattern::fcmp(FloatPredicate::True, W, &[A, B_]) => [MOVZWi(DW, Const(1), Const(0))];
    "fcmp_false_s": Pattern::fcmp(FloatPredicate::False, W, &[A, B_]) => [MOVE(DW, ZW)];
    "fptosi_32_s": op(G_FPTOSI, W, &[Pat::RegOf(0, W)]) => [FCVTZSUWSr(DW, Reg(0), FP)];
    "fptosi_sat_32_s": op(G_FPTOSI_SAT, W, &[Pat::RegOf(0, W)]) => [FCVTZSUWSr(DW, Reg(0), FP)];
    "sitofp_s_32": op(G_SITOFP, W, &[Pat::RegOf(0, W)]) => [SCVTFUWSri(FS, Reg(0), FP)];
    "fptoui_32_s": op(G_FPTOUI, W, &[Pat::RegOf(0, W)]) => [FCVTZUUWSr(DW, Reg(0), FP)];
    "fptoui_sat_32_s": op(G_FPTOUI_SAT, W, &[Pat::RegOf(0, W)]) => [FCVTZUUWSr(DW, Reg(0), FP)];
    "uitofp_s_32": op(G_UITOFP, W, &[Pat::RegOf(0, W)]) => [UCVTFUWSri(FS, Reg(0), FP)];
    "fptosi_64_s": op(G_FPTOSI, X, &[Pat::RegOf(0, W)]) => [FCVTZSUXSr(DX, Reg(0), FP)];
    "fptosi_sat_64_s": op(G_FPTOSI_SAT, X, &[Pat::RegOf(0, W)]) => [FCVTZSUXSr(DX, Reg(0), FP)];
    "sitofp_s_64": op(G_SITOFP, W, &[Pat::RegOf(0, X)]) => [SCVTFUXSri(FS, Reg(0), FP)];
    "fptoui_64_s": op(G_FPTOUI, X, &[Pat::RegOf(0, W)]) => [FCVTZUUXSr(DX, Reg(0), FP)];
    "fptoui_sat_64_s": op(G_FPTOUI_SAT, X, &[Pat::RegOf(0, W)]) => [FCVTZUUXSr(DX, Reg(0), FP)];
    "uitofp_s_64": op(G_UITOFP, W, &[Pat::RegOf(0, X)]) => [UCVTFUXSri(FS, Reg(0), FP)];
    "lrint_32_s": op(G_INTRINSIC_LRINT, W, &[Pat::RegOf(0, W)]) => [FCVTNSUWSr(DW, Reg(0), FP)];
    "lrint_64_s": op(G_INTRINSIC_LRINT, X, &[Pat::RegOf(0, W)]) => [FCVTNSUXSr(DX, Reg(0), FP)];
    "llrint_32_s": op(G_INTRINSIC_LLRINT, W, &[Pat::RegOf(0, W)]) => [FCVTNSUWSr(DW, Reg(0), FP)];
    "llrint_64_s": op(G_INTRINSIC_LLRINT, X, &[Pat::RegOf(0, W)]) => [FCVTNSUXSr(DX, Reg(0), FP)];
    "lround_32_s": op(G_LROUND, W, &[Pat::RegOf(0, W)]) => [FCVTASUWSr(DW, Reg(0), FP)];
    "lround_64_s": op(G_LROUND, X, &[Pat::RegOf(0, W)]) => [FCVTASUXSr(DX, Reg(0), FP)];
    "llround_32_s": op(G_LLROUND, W, &[Pat::RegOf(0, W)]) => [FCVTASUWSr(DW, Reg(0), FP)];
    "llround_64_s": op(G_LLROUND, X, &[Pat::RegOf(0, W)]) => [FCVTASUXSr(DX, Reg(0), FP)];
    "implicit_def_s": op(G_IMPLICIT_DEF, Types::In(FPR, 32), &[]) => [UNDEFINED(FS)];
    "freeze_s": op(G_FREEZE, Types::In(FPR, 32), &[A]) => [MOVE(FS, Reg(0))];
    "constant_fold_barrier_s": op(G_CONSTANT_FOLD_BARRIER, Types::In(FPR, 32), &[A]) => [MOVE(FS, Reg(0))];
    "load_s": Pattern::access(G_LOAD, Types::In(FPR, 32), 32, &[Pat::Address(0, scaled!(4))]) => [LDRSui(FS, Address(0))];
    "store_s": Pattern::access(G_STORE, Types::In(FPR, 32), 32, &[A, Pat::Address(0, scaled!(4))]) => [STRSui(Reg(0), Address(0))];
    "fconstant_d_zero": op(G_FCONSTANT, X, &[NIL]) => [FMOVXDr(FD, ZX)];
    "fconstant_d_packed": op(G_FCONSTANT, X, &[Pat::Imm(0, PACKED)]) => [FMOVDi(FD, ImmWith(0, packed_number))];
    "fconstant_d": op(G_FCONSTANT, X, &[Pat::Imm(0, EVERY)]) => [MOVZXi(DefTemp(0, GPR64), ImmWith(0, piece0), Const(0)), MOVKXi(DefTemp(1, GPR64), Temp(0), ImmWith(0, piece1), Const(16)),
        MOVKXi(DefTemp(2, GPR64), Temp(1), ImmWith(0, piece2), Const(32)), MOVKXi(DefTemp(3, GPR64), Temp(2), ImmWith(0, piece3), Const(48)), FMOVXDr(FD, Temp(3))];
    "fadd_d": op(G_FADD, X, &[A, B_]) => [FADDDrr(FD, Reg(0), Reg(1), FP)];
    "fsub_d": op(G_FSUB, X, &[A, B_]) => [FSUBDrr(FD, Reg(0), Reg(1), FP)];
    "fdiv_d": op(G_FDIV, X, &[A, B_]) => [FDIVDrr(FD, Reg(0), Reg(1), FP)];
    "fmul_d": op(G_FMUL, X, &[A, B_]) => [FMULDrr(FD, Reg(0), Reg(1), FP)];
    "fnmadd_d": op(G_FMA, X, &[Pat::Op(&op(G_FNEG, X, &[A])), B_, Pat::Op(&op(G_FNEG, X, &[C]))]) => [FNMADDDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "fnmsub_d": op(G_FMA, X, &[A, B_, Pat::Op(&op(G_FNEG, X, &[C]))]) => [FNMSUBDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_d": op(G_FMA, X, &[Pat::Op(&op(G_FNEG, X, &[A])), B_, C]) => [FMSUBDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "fmsub_commuted_d": op(G_FMA, X, &[A, Pat::Op(&op(G_FNEG, X, &[B_])), C]) => [FMSUBDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "fmadd_d": op(G_FMA, X, &[A, B_, C]) => [FMADDDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "fsqrt_d": op(G_FSQRT, X, &[A]) => [FSQRTDr(FD, Reg(0), FP)];
    "strict_fadd_d": op(G_STRICT_FADD, X, &[A, B_]) => [FADDDrr(FD, Reg(0), Reg(1), FP)];
    "strict_fsub_d": op(G_STRICT_FSUB, X, &[A, B_]) => [FSUBDrr(FD, Reg(0), Reg(1), FP)];
    "strict_fmul_d": op(G_STRICT_FMUL, X, &[A, B_]) => [FMULDrr(FD, Reg(0), Reg(1), FP)];
    "strict_fdiv_d": op(G_STRICT_FDIV, X, &[A, B_]) => [FDIVDrr(FD, Reg(0), Reg(1), FP)];
    "strict_fma_d": op(G_STRICT_FMA, X, &[A, B_, C]) => [FMADDDrrr(FD, Reg(0), Reg(1), Reg(2), FP)];
    "strict_fsqrt_d": op(G_STRICT_FSQRT, X, &[A]) => [FSQRTDr(FD, Reg(0), FP)];
    "fneg_d": op(G_FNEG, X, &[A]) => [FNEGDr(FD, Reg(0))];
    "fabs_d": op(G_FABS, X, &[A]) => [FABSDr(FD, Reg(0))];
    "fceil_d": op(G_FCEIL, X, &[A]) => [FRINTPDr(FD, Reg(0), FP)];
    "ffloor_d": op(G_FFLOOR, X, &[A]) => [FRINTMDr(FD, Reg(0), FP)];
    "frint_d": op(G_FRINT, X, &[A]) => [FRINTXDr(FD, Reg(0), FP)];
    "fnearbyint_d": op(G_FNEARBYINT, X, &[A]) => [FRINTIDr(FD, Reg(0), FP)];
    "intrinsic_trunc_d": op(G_INTRINSIC_TRUNC, X, &[A]) => [FRINTZDr(FD, Reg(0), FP)];
    "intrinsic_round_d": op(G_INTRINSIC_ROUND, X, &[A]) => [FRINTADr(FD, Reg(0), FP)];
    "intrinsic_roundeven_d": op(G_INTRINSIC_ROUNDEVEN, X, &[A]) => [FRINTNDr(FD, Reg(0), FP)];
    "fminnum_d": op(G_FMINNUM, X, &[A, B_]) => [FMINNMDrr(FD, Reg(0), Reg(1), FP)];
    "fmaxnum_d": op(G_FMAXNUM, X, &[A, B_]) => [FMAXNMDrr(FD, Reg(0), Reg(1), FP)];
    "fminimum_d": op(G_FMINIMUM, X, &[A, B_]) => [FMINDrr(FD, Reg(0), Reg(1), FP)];
    "fmaximum_d": op(G_FMAXIMUM, X, &[A, B_]) => [FMAXDrr(FD, Reg(0), Reg(1), FP)];
    "fcanonicalize_d": op(G_FCANONICALIZE, X, &[A]) => [FMINNMDrr(FD, Reg(0), Reg(0), FP)];
    "brcond_foeq_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(0), Label(0), G)];
    "select_s_foeq_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(0), G)];
    "select_d_foeq_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oeq, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(0), G)];
    "fcmp_oeq_d": Pattern::fcmp(FloatPredicate::Oeq, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "brcond_fogt_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(12), Label(0), G)];
    "select_s_fogt_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(12), G)];
    "select_d_fogt_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ogt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(12), G)];
    "fcmp_ogt_d": Pattern::fcmp(FloatPredicate::Ogt, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "brcond_foge_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(10), Label(0), G)];
    "select_s_foge_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(10), G)];
    "select_d_foge_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Oge, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(10), G)];
    "fcmp_oge_d": Pattern::fcmp(FloatPredicate::Oge, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "brcond_folt_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(4), Label(0), G)];
    "select_s_folt_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(4), G)];
    "select_d_folt_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Olt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(4), G)];
    "fcmp_olt_d": Pattern::fcmp(FloatPredicate::Olt, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(5), G)];
    "brcond_fole_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(9), Label(0), G)];
    "select_s_fole_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(9), G)];
    "select_d_fole_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ole, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(9), G)];
    "fcmp_ole_d": Pattern::fcmp(FloatPredicate::Ole, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "brcond_ford_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(7), Label(0), G)];
    "select_s_ford_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(7), G)];
    "select_d_ford_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ord, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(7), G)];
    "fcmp_ord_d": Pattern::fcmp(FloatPredicate::Ord, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(6), G)];
    "brcond_funo_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(6), Label(0), G)];
    "select_s_funo_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(6), G)];
    "select_d_funo_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uno, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(6), G)];
    "fcmp_uno_d": Pattern::fcmp(FloatPredicate::Uno, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(7), G)];
    "brcond_fugt_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(8), Label(0), G)];
    "select_s_fugt_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(8), G)];
    "select_d_fugt_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ugt, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(8), G)];
    "fcmp_ugt_d": Pattern::fcmp(FloatPredicate::Ugt, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "brcond_fuge_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(5), Label(0), G)];
    "select_s_fuge_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(5), G)];
    "select_d_fuge_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Uge, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(5), G)];
    "fcmp_uge_d": Pattern::fcmp(FloatPredicate::Uge, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(4), G)];
    "brcond_fult_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(11), Label(0), G)];
    "select_s_fult_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(11), G)];
    "select_d_fult_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ult, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(11), G)];
    "fcmp_ult_d": Pattern::fcmp(FloatPredicate::Ult, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "brcond_fule_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(13), Label(0), G)];
    "select_s_fule_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(13), G)];
    "select_d_fule_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Ule, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(13), G)];
    "fcmp_ule_d": Pattern::fcmp(FloatPredicate::Ule, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "brcond_fune_d": op(G_BRCOND, W, &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, X, &[A, B_])), L]) => [FCMPDrr(Reg(0), Reg(1), F, FP), Bcc(Const(1), Label(0), G)];
    "select_s_fune_d": op(G_SELECT, Types::In(FPR, 32), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELSrrr(FS, Reg(2), Reg(3), Const(1), G)];
    "select_d_fune_d": op(G_SELECT, Types::In(FPR, 64), &[Pat::Op(&Pattern::fcmp(FloatPredicate::Une, X, &[A, B_])), C, Pat::Reg(3)]) => [FCMPDrr(Reg(0), Reg(1), F, FP), FCSELDrrr(FD, Reg(2), Reg(3), Const(1), G)];
    "fcmp_une_d": Pattern::fcmp(FloatPredicate::Une, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "fcmp_one_d": Pattern::fcmp(FloatPredicate::One, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(5), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(13), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_ueq_d": Pattern::fcmp(FloatPredicate::Ueq, X, &[A, B_]) => [FCMPDrr(Reg(0), Reg(1), F, FP), CSINCWr(DefTemp(0, GPR32), ZW, ZW, Const(1), G), CSINCWr(DefTemp(1, GPR32), ZW, ZW, Const(7), G), ORRWrr(DW, Temp(0), Temp(1))];
    "fcmp_true_d": Pattern::fcmp(FloatPredicate::True, X, &[A, B_]) => [MOVZWi(DW, Const(1), Const(0))];
    "fcmp_false_d": Pattern::fcmp(FloatPredicate::False, X, &[A, B_]) => [MOVE(DW, ZW)];
    "fptosi_32_d": op(G_FPTOSI, W, &[Pat::RegOf(0, X)]) => [FCVTZSUWDr(DW, Reg(0), FP)];
    "fptosi_sat_32_d": op(G_FPTOSI_SAT, W, &[Pat::RegOf(0, X)]) => [FCVTZSUWDr(DW, Reg(0), FP)];
    "sitofp_d_32": op(G_SITOFP, X, &[Pat::RegOf(0, W)]) => [SCVTFUWDri(FD, Reg(0), FP)];
    "fptoui_32_d": op(G_FPTOUI, W, &[Pat::RegOf(0, X)]) => [FCVTZUUWDr(DW, Reg(0), FP)];
    "fptoui_sat_32_d": op(G_FPTOUI_SAT, W, &[Pat::RegOf(0, X)]) => [FCVTZUUWDr(DW, Reg(0), FP)];
    "uitofp_d_32": op(G_UITOFP, X, &[Pat::RegOf(0, W)]) => [UCVTFUWDri(FD, Reg(0), FP)];
    "fptosi_64_d": op(G_FPTOSI, X, &[Pat::RegOf(0, X)]) => [FCVTZSUXDr(DX, Reg(0), FP)];
    "fptosi_sat_64_d": op(G_FPTOSI_SAT, X, &[Pat::RegOf(0, X)]) => [FCVTZSUXDr(DX, Reg(0), FP)];
    "sitofp_d_64": op(G_SITOFP, X, &[Pat::RegOf(0, X)]) => [SCVTFUXDri(FD, Reg(0), FP)];
    "fptoui_64_d": op(G_FPTOUI, X, &[Pat::RegOf(0, X)]) => [FCVTZUUXDr(DX, Reg(0), FP)];
    "fptoui_sat_64_d": op(G_FPTOUI_SAT, X, &[Pat::RegOf(0, X)]) => [FCVTZUUXDr(DX, Reg(0), FP)];
    "uitofp_d_64": op(G_UITOFP, X, &[Pat::RegOf(0, X)]) => [UCVTFUXDri(FD, Reg(0), FP)];
    "lrint_32_d": op(G_INTRINSIC_LRINT, W, &[Pat::RegOf(0, X)]) => [FCVTNSUWDr(DW, Reg(0), FP)];
    "lrint_64_d": op(G_INTRINSIC_LRINT, X, &[Pat::RegOf(0, X)]) => [FCVTNSUXDr(DX, Reg(0), FP)];
    "llrint_32_d": op(G_INTRINSIC_LLRINT, W, &[Pat::RegOf(0, X)]) => [FCVTNSUWDr(DW, Reg(0), FP)];
    "llrint_64_d": op(G_INTRINSIC_LLRINT, X, &[Pat::RegOf(0, X)]) => [FCVTNSUXDr(DX, Reg(0), FP)];
    "lround_32_d": op(G_LROUND, W, &[Pat::RegOf(0, X)]) => [FCVTASUWDr(DW, Reg(0), FP)];
    "lround_64_d": op(G_LROUND, X, &[Pat::RegOf(0, X)]) => [FCVTASUXDr(DX, Reg(0), FP)];
    "llround_32_d": op(G_LLROUND, W, &[Pat::RegOf(0, X)]) => [FCVTASUWDr(DW, Reg(0), FP)];
    "llround_64_d": op(G_LLROUND, X, &[Pat::RegOf(0, X)]) => [FCVTASUXDr(DX, Reg(0), FP)];
    "select_s": op(G_SELECT, Types::In(FPR, 32), &[A, B_, C]) => [SUBSWri(NOW, Reg(0), Const(0), Const(0), F), FCSELSrrr(FS, Reg(1), Reg(2), Const(1), G)];
    "select_d": op(G_SELECT, Types::In(FPR, 64), &[A, B_, C]) => [SUBSWri(NOW, Reg(0), Const(0), Const(0), F), FCSELDrrr(FD, Reg(1), Reg(2), Const(1), G)];
    "implicit_def_d": op(G_IMPLICIT_DEF, Types::In(FPR, 64), &[]) => [UNDEFINED(FD)];
    "freeze_d": op(G_FREEZE, Types::In(FPR, 64), &[A]) => [MOVE(FD, Reg(0))];
    "constant_fold_barrier_d": op(G_CONSTANT_FOLD_BARRIER, Types::In(FPR, 64), &[A]) => [MOVE(FD, Reg(0))];
    "load_d": Pattern::access(G_LOAD, Types::In(FPR, 64), 64, &[Pat::Address(0, scaled!(8))]) => [LDRDui(FD, Address(0))];
    "store_d": Pattern::access(G_STORE, Types::In(FPR, 64), 64, &[A, Pat::Address(0, scaled!(8))]) => [STRDui(Reg(0), Address(0))];
    "fpext": op(G_FPEXT, X, &[A32]) => [FCVTDSr(FD, Reg(0), FP)];
    "fptrunc": op(G_FPTRUNC, W, &[Pat::RegOf(0, X)]) => [FCVTSDr(FS, Reg(0), FP)];

    // Constants
    "const32_zero": op(G_CONSTANT, W, &[NIL]) => [MOVE(DW, ZW)];
    "const32_imm16": op(G_CONSTANT, W, &[Pat::Imm(0, IMM16)]) => [MOVZWi(DW, ImmWith(0, piece0), Const(0))];
    "const32_not16": op(G_CONSTANT, W, &[Pat::Imm(0, NOT16)]) => [MOVNWi(DW, ImmWith(0, not16), Const(0))];
    "const32_mask": op(G_CONSTANT, W, &[Pat::Imm(0, MASK)]) => [ORRWri(DWSP, ZW, ImmWith(0, mask))];
    "const64_zero": op(G_CONSTANT, X, &[NIL]) => [MOVE(DX, ZX)];
    "const64_imm16": op(G_CONSTANT, X, &[Pat::Imm(0, IMM16)]) => [MOVZXi(DX, ImmWith(0, piece0), Const(0))];
    "const64_not16": op(G_CONSTANT, X, &[Pat::Imm(0, NOT16)]) => [MOVNXi(DX, ImmWith(0, not16), Const(0))];
    "const64_mask": op(G_CONSTANT, X, &[Pat::Imm(0, MASK)]) => [ORRXri(DXSP, ZX, ImmWith(0, mask))];
    "const32": op(G_CONSTANT, W, &[Pat::Imm(0, EVERY)]) => [MOVZWi(DefTemp(0, GPR32), ImmWith(0, piece0), Const(0)), MOVKWi(DW, Temp(0), ImmWith(0, piece1), Const(16))];
    "const64_imm32": op(G_CONSTANT, X, &[Pat::Imm(0, IMM32)]) => [MOVZXi(DefTemp(0, GPR64), ImmWith(0, piece0), Const(0)), MOVKXi(DX, Temp(0), ImmWith(0, piece1), Const(16))];
    "const64": op(G_CONSTANT, X, &[Pat::Imm(0, EVERY)]) => [MOVZXi(DefTemp(0, GPR64), ImmWith(0, piece0), Const(0)), MOVKXi(DefTemp(1, GPR64), Temp(0), ImmWith(0, piece1), Const(16)),
        MOVKXi(DefTemp(2, GPR64), Temp(1), ImmWith(0, piece2), Const(32)), MOVKXi(DX, Temp(2), ImmWith(0, piece3), Const(48))];
    "implicit_def32": op(G_IMPLICIT_DEF, W, &[]) => [UNDEFINED(DW)];
    "implicit_def64": op(G_IMPLICIT_DEF, X, &[]) => [UNDEFINED(DX)];

    // Values as they are
    "freeze32": op(G_FREEZE, W, &[A]) => [MOVE(DW, Reg(0))];
    "constant_fold_barrier32": op(G_CONSTANT_FOLD_BARRIER, W, &[A]) => [MOVE(DW, Reg(0))];
    "assert_sext32": op(G_ASSERT_SEXT, W, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DW, Reg(0))];
    "assert_zext32": op(G_ASSERT_ZEXT, W, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DW, Reg(0))];
    "assert_align32": op(G_ASSERT_ALIGN, W, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DW, Reg(0))];
    "freeze64": op(G_FREEZE, X, &[A]) => [MOVE(DX, Reg(0))];
    "constant_fold_barrier64": op(G_CONSTANT_FOLD_BARRIER, X, &[A]) => [MOVE(DX, Reg(0))];
    "assert_sext64": op(G_ASSERT_SEXT, X, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DX, Reg(0))];
    "assert_zext64": op(G_ASSERT_ZEXT, X, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DX, Reg(0))];
    "assert_align64": op(G_ASSERT_ALIGN, X, &[A, Pat::Imm(0, EVERY)]) => [MOVE(DX, Reg(0))];
    "ptrtoint": op(G_PTRTOINT, X, &[A]) => [MOVE(DX, Reg(0))];
    "inttoptr": op(G_INTTOPTR, X, &[A]) => [MOVE(DX, Reg(0))];

    // Between the two widths SUBREG_TO_REG promises zeros above the part: the instruction that defines it must write a
    // w register.
    "zext": op(G_ZEXT, X, &[A32]) => [ORRWrr(DefTemp(0, GPR32), ZW, Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "anyext": op(G_ANYEXT, X, &[A32]) => [SUBREG_TO_REG(DX, ABOVE, Reg(0), PART)];
    "sext": op(G_SEXT, X, &[A32]) => [SUBREG_TO_REG(DefTemp(0, GPR64), ABOVE, Reg(0), PART), SBFMXri(DX, Temp(0), Const(0), Const(31))];
    "trunc": op(G_TRUNC, W, &[Pat::RegOf(0, X)]) => [MOVE(DW, SubReg(0, SUB_32))];
    "trunc_h_with_fp16" if FULLFP16: op(G_TRUNC, HALF_NUMBER, &[A32]) => [FMOVWHr(FH, Reg(0))];
    "trunc_h_x_with_fp16" if FULLFP16: op(G_TRUNC, HALF_NUMBER, &[Pat::RegOf(0, X)]) => [FMOVXHr(FH, Reg(0))];
    "trunc_h": op(G_TRUNC, HALF_NUMBER, &[A32]) => [FMOVWSr(DefTemp(0, FPR32), Reg(0)), MOVE(FH, TempPart(0, HSUB))];
    "trunc_h_x": op(G_TRUNC, HALF_NUMBER, &[Pat::RegOf(0, X)]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), FMOVWSr(DefTemp(1, FPR32), Temp(0)), MOVE(FH, TempPart(1, HSUB))];
    "quad_of_halves": op(G_MERGE_VALUES, Q, &[A, B_]) => [DUPv2i64gpr(DefTemp(0, FPR128), Reg(0)), INSvi64gpr(Def(FPR128), Temp(0), Const(1), Reg(1))];
    "halves_of_quad": op(G_UNMERGE_VALUES, X, &[Pat::RegOf(0, Q)]) => [UMOVvi64(DX, Reg(0), Const(0)), UMOVvi64(Out::Def2(GPR64), Reg(0), Const(1))];
    "anyext_x_h_with_fp16" if FULLFP16: op(G_ANYEXT, X, &[Pat::RegOf(0, HALF_NUMBER)]) => [FMOVHXr(DX, Reg(0))];
    "anyext_h_with_fp16" if FULLFP16: op(G_ANYEXT, W, &[Pat::RegOf(0, HALF_NUMBER)]) => [FMOVHWr(DW, Reg(0))];
    "anyext_x_h": op(G_ANYEXT, X, &[Pat::RegOf(0, HALF_NUMBER)]) => [UNDEFINED(DefTemp(0, FPR32)), INSERT_SUBREG(DefTemp(1, FPR32), Temp(0), Reg(0), Const(HSUB.0 as i64)), FMOVSWr(DefTemp(2, GPR32), Temp(1)), SUBREG_TO_REG(DX, ABOVE, Temp(2), PART)];
    "anyext_h": op(G_ANYEXT, W, &[Pat::RegOf(0, HALF_NUMBER)]) => [UNDEFINED(DefTemp(0, FPR32)), INSERT_SUBREG(DefTemp(1, FPR32), Temp(0), Reg(0), Const(HSUB.0 as i64)), FMOVSWr(DW, Temp(1))];
    "fpext_s_h": op(G_FPEXT, W, &[Pat::RegOf(0, H)]) => [FCVTSHr(FS, Reg(0), FP)];
    "fpext_d_h": op(G_FPEXT, X, &[Pat::RegOf(0, H)]) => [FCVTDHr(FD, Reg(0), FP)];
    "fptrunc_h_s": op(G_FPTRUNC, H, &[A32]) => [FCVTHSr(FH, Reg(0), FP)];
    "fptrunc_h_d": op(G_FPTRUNC, H, &[Pat::RegOf(0, X)]) => [FCVTHDr(FH, Reg(0), FP)];
    "sext_inreg32": op(G_SEXT_INREG, W, &[A, Pat::Imm(0, EVERY)]) => [SBFMWri(DW, Reg(0), Const(0), ImmWith(0, last_bit))];
    "sext_inreg64": op(G_SEXT_INREG, X, &[A, Pat::Imm(0, EVERY)]) => [SBFMXri(DX, Reg(0), Const(0), ImmWith(0, last_bit))];

    // Arithmetic
    "add32_imm12": op(G_ADD, W, &[A, Pat::Imm(0, UIMM12)]) => [ADDWri(DWSP, Reg(0), Imm(0), Const(0))];
    "add32_negated": op(G_ADD, W, &[A, Pat::Imm(0, NEGATED)]) => [SUBWri(DWSP, Reg(0), ImmWith(0, negated), Const(0))];
    "sub32_imm12": op(G_SUB, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBWri(DWSP, Reg(0), Imm(0), Const(0))];
    "neg32": op(G_SUB, W, &[NIL, A]) => [SUBWrr(DW, ZW, Reg(0))];
    "madd32": op(G_ADD, W, &[A, Pat::Op(&op(G_MUL, W, &[B_, C]))]) => [MADDWrrr(DW, Reg(1), Reg(2), Reg(0))];
    "msub32": op(G_SUB, W, &[A, Pat::Op(&op(G_MUL, W, &[B_, C]))]) => [MSUBWrrr(DW, Reg(1), Reg(2), Reg(0))];
    "and32_mask": op(G_AND, W, &[A, Pat::Imm(0, MASK)]) => [ANDWri(DWSP, Reg(0), ImmWith(0, mask))];
    "or32_mask": op(G_OR, W, &[A, Pat::Imm(0, MASK)]) => [ORRWri(DWSP, Reg(0), ImmWith(0, mask))];
    "xor32_mask": op(G_XOR, W, &[A, Pat::Imm(0, MASK)]) => [EORWri(DWSP, Reg(0), ImmWith(0, mask))];
    "shl32_imm": op(G_SHL, W, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [UBFMWri(DW, Reg(0), ImmWith(0, shl_immr32), ImmWith(0, shl_imms32))];
    "lshr32_imm": op(G_LSHR, W, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [UBFMWri(DW, Reg(0), Imm(0), Const(31))];
    "ashr32_imm": op(G_ASHR, W, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [SBFMWri(DW, Reg(0), Imm(0), Const(31))];
    "add32": op(G_ADD, W, &[A, B_]) => [ADDWrr(DW, Reg(0), Reg(1))];
    "sub32": op(G_SUB, W, &[A, B_]) => [SUBWrr(DW, Reg(0), Reg(1))];
    "and32": op(G_AND, W, &[A, B_]) => [ANDWrr(DW, Reg(0), Reg(1))];
    "or32": op(G_OR, W, &[A, B_]) => [ORRWrr(DW, Reg(0), Reg(1))];
    "xor32": op(G_XOR, W, &[A, B_]) => [EORWrr(DW, Reg(0), Reg(1))];
    "shl32": op(G_SHL, W, &[A, B_]) => [LSLVWr(DW, Reg(0), Reg(1))];
    "lshr32": op(G_LSHR, W, &[A, B_]) => [LSRVWr(DW, Reg(0), Reg(1))];
    "ashr32": op(G_ASHR, W, &[A, B_]) => [ASRVWr(DW, Reg(0), Reg(1))];
    "udiv32": op(G_UDIV, W, &[A, B_]) => [UDIVWr(DW, Reg(0), Reg(1))];
    "sdiv32": op(G_SDIV, W, &[A, B_]) => [SDIVWr(DW, Reg(0), Reg(1))];
    "mul32": op(G_MUL, W, &[A, B_]) => [MADDWrrr(DW, Reg(0), Reg(1), ZW)];
    "ctlz32": op(G_CTLZ, W, &[A]) => [CLZWr(DW, Reg(0))];
    "bitreverse32": op(G_BITREVERSE, W, &[A]) => [RBITWr(DW, Reg(0))];
    "bswap32": op(G_BSWAP, W, &[A]) => [REVWr(DW, Reg(0))];
    "add64_imm12": op(G_ADD, X, &[A, Pat::Imm(0, UIMM12)]) => [ADDXri(DXSP, Reg(0), Imm(0), Const(0))];
    "add64_negated": op(G_ADD, X, &[A, Pat::Imm(0, NEGATED)]) => [SUBXri(DXSP, Reg(0), ImmWith(0, negated), Const(0))];
    "sub64_imm12": op(G_SUB, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBXri(DXSP, Reg(0), Imm(0), Const(0))];
    "neg64": op(G_SUB, X, &[NIL, A]) => [SUBXrr(DX, ZX, Reg(0))];
    "madd64": op(G_ADD, X, &[A, Pat::Op(&op(G_MUL, X, &[B_, C]))]) => [MADDXrrr(DX, Reg(1), Reg(2), Reg(0))];
    "msub64": op(G_SUB, X, &[A, Pat::Op(&op(G_MUL, X, &[B_, C]))]) => [MSUBXrrr(DX, Reg(1), Reg(2), Reg(0))];
    "and64_mask": op(G_AND, X, &[A, Pat::Imm(0, MASK)]) => [ANDXri(DXSP, Reg(0), ImmWith(0, mask))];
    "or64_mask": op(G_OR, X, &[A, Pat::Imm(0, MASK)]) => [ORRXri(DXSP, Reg(0), ImmWith(0, mask))];
    "xor64_mask": op(G_XOR, X, &[A, Pat::Imm(0, MASK)]) => [EORXri(DXSP, Reg(0), ImmWith(0, mask))];
    "shl64_imm": op(G_SHL, X, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [UBFMXri(DX, Reg(0), ImmWith(0, shl_immr64), ImmWith(0, shl_imms64))];
    "lshr64_imm": op(G_LSHR, X, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [UBFMXri(DX, Reg(0), Imm(0), Const(63))];
    "ashr64_imm": op(G_ASHR, X, &[A, Pat::Imm(0, BELOW_WIDTH)]) => [SBFMXri(DX, Reg(0), Imm(0), Const(63))];
    "add64": op(G_ADD, X, &[A, B_]) => [ADDXrr(DX, Reg(0), Reg(1))];
    "sub64": op(G_SUB, X, &[A, B_]) => [SUBXrr(DX, Reg(0), Reg(1))];
    "and64": op(G_AND, X, &[A, B_]) => [ANDXrr(DX, Reg(0), Reg(1))];
    "or64": op(G_OR, X, &[A, B_]) => [ORRXrr(DX, Reg(0), Reg(1))];
    "xor64": op(G_XOR, X, &[A, B_]) => [EORXrr(DX, Reg(0), Reg(1))];
    "shl64": op(G_SHL, X, &[A, B_]) => [LSLVXr(DX, Reg(0), Reg(1))];
    "lshr64": op(G_LSHR, X, &[A, B_]) => [LSRVXr(DX, Reg(0), Reg(1))];
    "ashr64": op(G_ASHR, X, &[A, B_]) => [ASRVXr(DX, Reg(0), Reg(1))];
    "udiv64": op(G_UDIV, X, &[A, B_]) => [UDIVXr(DX, Reg(0), Reg(1))];
    "sdiv64": op(G_SDIV, X, &[A, B_]) => [SDIVXr(DX, Reg(0), Reg(1))];
    "mul64": op(G_MUL, X, &[A, B_]) => [MADDXrrr(DX, Reg(0), Reg(1), ZX)];
    "ctlz64": op(G_CTLZ, X, &[A]) => [CLZXr(DX, Reg(0))];
    "bitreverse64": op(G_BITREVERSE, X, &[A]) => [RBITXr(DX, Reg(0))];
    "bswap64": op(G_BSWAP, X, &[A]) => [REVXr(DX, Reg(0))];
    "umulh": op(G_UMULH, X, &[A, B_]) => [UMULHrr(DX, Reg(0), Reg(1))];
    "smulh": op(G_SMULH, X, &[A, B_]) => [SMULHrr(DX, Reg(0), Reg(1))];

    // Addresses
    "ptr_add_stack_imm12": op(G_PTR_ADD, X, &[Pat::Stack(0), Pat::Imm(0, UIMM12)]) => [ADDXri(DXSP, Stack(0), Imm(0), Const(0))];
    "ptr_add_imm12": op(G_PTR_ADD, X, &[A, Pat::Imm(0, UIMM12)]) => [ADDXri(DXSP, Reg(0), Imm(0), Const(0))];
    "ptr_add_negated": op(G_PTR_ADD, X, &[A, Pat::Imm(0, NEGATED)]) => [SUBXri(DXSP, Reg(0), ImmWith(0, negated), Const(0))];
    "ptr_add": op(G_PTR_ADD, X, &[A, B_]) => [ADDXrr(DX, Reg(0), Reg(1))];
    "global_pcrel": op(G_GLOBAL_VALUE, X, &[Pat::Symbol(0, PcRelative)]) => [MOVaddr(DX, Symbol(0, PAGE), Symbol(0, PAGE_OFFSET))];
    "global_got": op(G_GLOBAL_VALUE, X, &[Pat::Symbol(0, Got)]) => [LOADgot(DX, Symbol(0, GOT))];
    "global_local_exec": op(G_GLOBAL_VALUE, X, &[Pat::Symbol(0, LocalExec)]) => [MOVbaseTLS(DefTemp(0, GPR64COMMON)),
        ADDXri(DefTemp(1, GPR64SP), Temp(0), Symbol(0, TPREL_HIGH), Const(12)), ADDXri(DXSP, Temp(1), Symbol(0, TPREL_LOW), Const(0))];
    "global_initial_exec": op(G_GLOBAL_VALUE, X, &[Pat::Symbol(0, InitialExec)]) => [LOADgot(DefTemp(0, GPR64), Symbol(0, TLS)),
        MOVbaseTLS(DefTemp(1, GPR64)), ADDXrr(DX, Temp(1), Temp(0))];
    // The machine's number of a mode is that of `FLT_ROUNDS` less one, in bits 22 and 23.
    "get_rounding": op(G_GET_ROUNDING, X, &[]) => [
        MRS_FPCR(DefTemp(0, GPR64COMMON), FP), ADDXri(DefTemp(1, GPR64COMMON), Temp(0), Const(1024), Const(12)),
        UBFMXri(DX, Temp(1), Const(22), Const(23))];
    "set_rounding": op(G_SET_ROUNDING, Types::Any, &[A]) => [
        SUBXri(DefTemp(0, GPR64COMMON), Reg(0), Const(1), Const(0)), MRS_FPCR(DefTemp(1, GPR64), FP),
        BFMXri(DefTemp(2, GPR64), Temp(1), Temp(0), Const(42), Const(1)), MSR_FPCR(Temp(2), ImplicitDef(FPCR))];
    "get_fpenv": op(G_GET_FPENV, X, &[]) => [
        MRS_FPCR(DefTemp(0, GPR64), FP), MRS_FPSR(DefTemp(1, GPR64), ImplicitUse(FPSR)),
        ORRXrs(DX, Temp(0), Temp(1), Const(32))];
    "set_fpenv": op(G_SET_FPENV, Types::Any, &[A]) => [
        UBFMXri(DefTemp(0, GPR64), Reg(0), Const(0), Const(31)), MSR_FPCR(Temp(0), ImplicitDef(FPCR)),
        UBFMXri(DefTemp(1, GPR64), Reg(0), Const(32), Const(63)), MSR_FPSR(Temp(1), ImplicitDef(FPSR))];
    "reset_fpenv": op(G_RESET_FPENV, Types::Any, &[]) => [
        MSR_FPCR(ZX, ImplicitDef(FPCR)), MSR_FPSR(ZX, ImplicitDef(FPSR))];
    "get_fpmode": op(G_GET_FPMODE, X, &[]) => [MRS_FPCR(DX, FP)];
    "set_fpmode": op(G_SET_FPMODE, Types::Any, &[A]) => [
        UBFMXri(DefTemp(0, GPR64), Reg(0), Const(0), Const(31)), MSR_FPCR(Temp(0), ImplicitDef(FPCR))];
    "reset_fpmode": op(G_RESET_FPMODE, Types::Any, &[]) => [MSR_FPCR(ZX, ImplicitDef(FPCR))];
    "thread_pointer": op(G_INTRINSIC, X, &[Pat::Intrinsic("llvm.thread.pointer")]) => [MOVbaseTLS(DX)];
    "threadlocal_address": op(G_INTRINSIC, X, &[Pat::Intrinsic("llvm.threadlocal.address"), A]) => [MOVE(DX, Reg(0))];
    "constant_pcrel": op(G_CONSTANT_POOL, X, &[Pat::Symbol(0, PcRelative)]) => [MOVaddr(DX, Symbol(0, PAGE), Symbol(0, PAGE_OFFSET))];
    "block_pcrel": op(G_BLOCK_ADDR, X, &[Pat::Symbol(0, PcRelative)]) => [MOVaddr(DX, Symbol(0, PAGE), Symbol(0, PAGE_OFFSET))];
    "table_pcrel": op(G_JUMP_TABLE, X, &[Pat::Symbol(0, PcRelative)]) => [MOVaddr(DX, Symbol(0, PAGE), Symbol(0, PAGE_OFFSET))];
    "frame_index": op(G_FRAME_INDEX, X, &[Pat::Stack(0)]) => [ADDXri(DXSP, Stack(0), Const(0), Const(0))];

    // Branches, with their comparison where it is theirs alone
    "brcond_eq32_zero": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, W, &[A, NIL])), L]) => [CBZW(Reg(0), Label(0))];
    "brcond_eq32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(0), Label(0), G)];
    "brcond_eq32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(0), Label(0), G)];
    "brcond_eq64_zero": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, X, &[A, NIL])), L]) => [CBZX(Reg(0), Label(0))];
    "brcond_eq64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(0), Label(0), G)];
    "brcond_eq64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(0), Label(0), G)];
    "brcond_ne32_zero": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, W, &[A, NIL])), L]) => [CBNZW(Reg(0), Label(0))];
    "brcond_ne32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(1), Label(0), G)];
    "brcond_ne32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(1), Label(0), G)];
    "brcond_ne64_zero": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, X, &[A, NIL])), L]) => [CBNZX(Reg(0), Label(0))];
    "brcond_ne64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(1), Label(0), G)];
    "brcond_ne64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(1), Label(0), G)];
    "brcond_uge32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(2), Label(0), G)];
    "brcond_uge32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(2), Label(0), G)];
    "brcond_uge64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(2), Label(0), G)];
    "brcond_uge64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(2), Label(0), G)];
    "brcond_ult32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(3), Label(0), G)];
    "brcond_ult32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(3), Label(0), G)];
    "brcond_ult64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(3), Label(0), G)];
    "brcond_ult64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(3), Label(0), G)];
    "brcond_ugt32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(8), Label(0), G)];
    "brcond_ugt32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(8), Label(0), G)];
    "brcond_ugt64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(8), Label(0), G)];
    "brcond_ugt64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(8), Label(0), G)];
    "brcond_ule32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(9), Label(0), G)];
    "brcond_ule32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(9), Label(0), G)];
    "brcond_ule64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(9), Label(0), G)];
    "brcond_ule64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(9), Label(0), G)];
    "brcond_sge32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(10), Label(0), G)];
    "brcond_sge32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(10), Label(0), G)];
    "brcond_sge64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(10), Label(0), G)];
    "brcond_sge64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(10), Label(0), G)];
    "brcond_slt32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(11), Label(0), G)];
    "brcond_slt32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(11), Label(0), G)];
    "brcond_slt64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(11), Label(0), G)];
    "brcond_slt64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(11), Label(0), G)];
    "brcond_sgt32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(12), Label(0), G)];
    "brcond_sgt32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(12), Label(0), G)];
    "brcond_sgt64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(12), Label(0), G)];
    "brcond_sgt64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(12), Label(0), G)];
    "brcond_sle32_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, W, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), Bcc(Const(13), Label(0), G)];
    "brcond_sle32": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, W, &[A, B_])), L]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), Bcc(Const(13), Label(0), G)];
    "brcond_sle64_imm12": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, X, &[A, Pat::Imm(0, UIMM12)])), L]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), Bcc(Const(13), Label(0), G)];
    "brcond_sle64": op(G_BRCOND, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, X, &[A, B_])), L]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), Bcc(Const(13), Label(0), G)];
    "brcond": op(G_BRCOND, W, &[A, L]) => [CBNZW(Reg(0), Label(0))];
    "brindirect": op(G_BRINDIRECT, X, &[A]) => [BR(Reg(0))];
    "br": Pattern::of(G_BR, Types::Any, &[L]) => [B(Label(0))];

    // Selection
    "select32_eq32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(0), G)];
    "select32_eq64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(0), G)];
    "select32_ne32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(1), G)];
    "select32_ne64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(1), G)];
    "select32_uge32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(2), G)];
    "select32_uge64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(2), G)];
    "select32_ult32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(3), G)];
    "select32_ult64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(3), G)];
    "select32_ugt32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(8), G)];
    "select32_ugt64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(8), G)];
    "select32_ule32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(9), G)];
    "select32_ule64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(9), G)];
    "select32_sge32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(10), G)];
    "select32_sge64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(10), G)];
    "select32_slt32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(11), G)];
    "select32_slt64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(11), G)];
    "select32_sgt32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(12), G)];
    "select32_sgt64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(12), G)];
    "select32_sle32": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(13), G)];
    "select32_sle64": op(G_SELECT, W, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELWr(DW, Reg(2), Reg(3), Const(13), G)];
    "select32": op(G_SELECT, W, &[A, B_, C]) => [SUBSWri(NOW, Reg(0), Const(0), Const(0), F), CSELWr(DW, Reg(1), Reg(2), Const(1), G)];
    "select64_eq32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(0), G)];
    "select64_eq64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Eq, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(0), G)];
    "select64_ne32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(1), G)];
    "select64_ne64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ne, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(1), G)];
    "select64_uge32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(2), G)];
    "select64_uge64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Uge, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(2), G)];
    "select64_ult32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(3), G)];
    "select64_ult64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ult, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(3), G)];
    "select64_ugt32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(8), G)];
    "select64_ugt64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ugt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(8), G)];
    "select64_ule32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(9), G)];
    "select64_ule64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Ule, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(9), G)];
    "select64_sge32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(10), G)];
    "select64_sge64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sge, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(10), G)];
    "select64_slt32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(11), G)];
    "select64_slt64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Slt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(11), G)];
    "select64_sgt32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(12), G)];
    "select64_sgt64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sgt, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(12), G)];
    "select64_sle32": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, W, &[A, B_])), C, Pat::Reg(3)]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(13), G)];
    "select64_sle64": op(G_SELECT, X, &[Pat::Op(&Pattern::icmp(IntPredicate::Sle, X, &[A, B_])), C, Pat::Reg(3)]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSELXr(DX, Reg(2), Reg(3), Const(13), G)];
    "select64": op(G_SELECT, X, &[A, B_, C]) => [SUBSWri(NOW, Reg(0), Const(0), Const(0), F), CSELXr(DX, Reg(1), Reg(2), Const(1), G)];

    // Comparisons: zero plus one unless the opposite holds
    "icmp_eq32_imm12": Pattern::icmp(IntPredicate::Eq, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "icmp_eq32": Pattern::icmp(IntPredicate::Eq, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "icmp_eq64_imm12": Pattern::icmp(IntPredicate::Eq, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "icmp_eq64": Pattern::icmp(IntPredicate::Eq, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(1), G)];
    "icmp_ne32_imm12": Pattern::icmp(IntPredicate::Ne, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "icmp_ne32": Pattern::icmp(IntPredicate::Ne, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "icmp_ne64_imm12": Pattern::icmp(IntPredicate::Ne, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "icmp_ne64": Pattern::icmp(IntPredicate::Ne, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(0), G)];
    "icmp_uge32_imm12": Pattern::icmp(IntPredicate::Uge, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(3), G)];
    "icmp_uge32": Pattern::icmp(IntPredicate::Uge, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(3), G)];
    "icmp_uge64_imm12": Pattern::icmp(IntPredicate::Uge, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(3), G)];
    "icmp_uge64": Pattern::icmp(IntPredicate::Uge, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(3), G)];
    "icmp_ult32_imm12": Pattern::icmp(IntPredicate::Ult, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(2), G)];
    "icmp_ult32": Pattern::icmp(IntPredicate::Ult, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(2), G)];
    "icmp_ult64_imm12": Pattern::icmp(IntPredicate::Ult, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(2), G)];
    "icmp_ult64": Pattern::icmp(IntPredicate::Ult, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(2), G)];
    "icmp_ugt32_imm12": Pattern::icmp(IntPredicate::Ugt, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "icmp_ugt32": Pattern::icmp(IntPredicate::Ugt, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "icmp_ugt64_imm12": Pattern::icmp(IntPredicate::Ugt, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "icmp_ugt64": Pattern::icmp(IntPredicate::Ugt, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(9), G)];
    "icmp_ule32_imm12": Pattern::icmp(IntPredicate::Ule, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "icmp_ule32": Pattern::icmp(IntPredicate::Ule, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "icmp_ule64_imm12": Pattern::icmp(IntPredicate::Ule, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "icmp_ule64": Pattern::icmp(IntPredicate::Ule, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(8), G)];
    "icmp_sge32_imm12": Pattern::icmp(IntPredicate::Sge, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "icmp_sge32": Pattern::icmp(IntPredicate::Sge, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "icmp_sge64_imm12": Pattern::icmp(IntPredicate::Sge, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "icmp_sge64": Pattern::icmp(IntPredicate::Sge, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(11), G)];
    "icmp_slt32_imm12": Pattern::icmp(IntPredicate::Slt, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "icmp_slt32": Pattern::icmp(IntPredicate::Slt, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "icmp_slt64_imm12": Pattern::icmp(IntPredicate::Slt, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "icmp_slt64": Pattern::icmp(IntPredicate::Slt, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(10), G)];
    "icmp_sgt32_imm12": Pattern::icmp(IntPredicate::Sgt, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "icmp_sgt32": Pattern::icmp(IntPredicate::Sgt, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "icmp_sgt64_imm12": Pattern::icmp(IntPredicate::Sgt, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "icmp_sgt64": Pattern::icmp(IntPredicate::Sgt, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(13), G)];
    "icmp_sle32_imm12": Pattern::icmp(IntPredicate::Sle, W, &[A, Pat::Imm(0, UIMM12)]) => [SUBSWri(NOW, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "icmp_sle32": Pattern::icmp(IntPredicate::Sle, W, &[A, B_]) => [SUBSWrr(NOW, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "icmp_sle64_imm12": Pattern::icmp(IntPredicate::Sle, X, &[A, Pat::Imm(0, UIMM12)]) => [SUBSXri(NOX, Reg(0), Imm(0), Const(0), F), CSINCWr(DW, ZW, ZW, Const(12), G)];
    "icmp_sle64": Pattern::icmp(IntPredicate::Sle, X, &[A, B_]) => [SUBSXrr(NOX, Reg(0), Reg(1), F), CSINCWr(DW, ZW, ZW, Const(12), G)];

    // Loads and stores; a plain load of a narrow access may leave anything above it
    "load32_8": Pattern::access(G_LOAD, W, 8, &[Pat::Address(0, scaled!(1))]) => [LDRBBui(DW, Address(0))];
    "zextload32_8": Pattern::access(G_ZEXTLOAD, W, 8, &[Pat::Address(0, scaled!(1))]) => [LDRBBui(DW, Address(0))];
    "sextload32_8": Pattern::access(G_SEXTLOAD, W, 8, &[Pat::Address(0, scaled!(1))]) => [LDRSBWui(DW, Address(0))];
    "sextload64_8": Pattern::access(G_SEXTLOAD, X, 8, &[Pat::Address(0, scaled!(1))]) => [LDRSBXui(DX, Address(0))];
    "load64_8": Pattern::access(G_LOAD, X, 8, &[Pat::Address(0, scaled!(1))]) => [LDRBBui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "zextload64_8": Pattern::access(G_ZEXTLOAD, X, 8, &[Pat::Address(0, scaled!(1))]) => [LDRBBui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "load32_16": Pattern::access(G_LOAD, W, 16, &[Pat::Address(0, scaled!(2))]) => [LDRHHui(DW, Address(0))];
    "zextload32_16": Pattern::access(G_ZEXTLOAD, W, 16, &[Pat::Address(0, scaled!(2))]) => [LDRHHui(DW, Address(0))];
    "sextload32_16": Pattern::access(G_SEXTLOAD, W, 16, &[Pat::Address(0, scaled!(2))]) => [LDRSHWui(DW, Address(0))];
    "sextload64_16": Pattern::access(G_SEXTLOAD, X, 16, &[Pat::Address(0, scaled!(2))]) => [LDRSHXui(DX, Address(0))];
    "load64_16": Pattern::access(G_LOAD, X, 16, &[Pat::Address(0, scaled!(2))]) => [LDRHHui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "zextload64_16": Pattern::access(G_ZEXTLOAD, X, 16, &[Pat::Address(0, scaled!(2))]) => [LDRHHui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "load32_32": Pattern::access(G_LOAD, W, 32, &[Pat::Address(0, scaled!(4))]) => [LDRWui(DW, Address(0))];
    "load64_64": Pattern::access(G_LOAD, X, 64, &[Pat::Address(0, scaled!(8))]) => [LDRXui(DX, Address(0))];
    "load64_32": Pattern::access(G_LOAD, X, 32, &[Pat::Address(0, scaled!(4))]) => [LDRWui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "zextload64_32": Pattern::access(G_ZEXTLOAD, X, 32, &[Pat::Address(0, scaled!(4))]) => [LDRWui(DefTemp(0, GPR32), Address(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "sextload64_32": Pattern::access(G_SEXTLOAD, X, 32, &[Pat::Address(0, scaled!(4))]) => [LDRSWui(DX, Address(0))];
    "store32_8_zero": Pattern::access(G_STORE, W, 8, &[NIL, Pat::Address(0, scaled!(1))]) => [STRBBui(ZW, Address(0))];
    "store32_8": Pattern::access(G_STORE, W, 8, &[A, Pat::Address(0, scaled!(1))]) => [STRBBui(Reg(0), Address(0))];
    "store64_8_zero": Pattern::access(G_STORE, X, 8, &[NIL, Pat::Address(0, scaled!(1))]) => [STRBBui(ZW, Address(0))];
    "store64_8": Pattern::access(G_STORE, X, 8, &[A, Pat::Address(0, scaled!(1))]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STRBBui(Temp(0), Address(0))];
    "store32_16_zero": Pattern::access(G_STORE, W, 16, &[NIL, Pat::Address(0, scaled!(2))]) => [STRHHui(ZW, Address(0))];
    "store32_16": Pattern::access(G_STORE, W, 16, &[A, Pat::Address(0, scaled!(2))]) => [STRHHui(Reg(0), Address(0))];
    "store64_16_zero": Pattern::access(G_STORE, X, 16, &[NIL, Pat::Address(0, scaled!(2))]) => [STRHHui(ZW, Address(0))];
    "store64_16": Pattern::access(G_STORE, X, 16, &[A, Pat::Address(0, scaled!(2))]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STRHHui(Temp(0), Address(0))];
    "store32_32_zero": Pattern::access(G_STORE, W, 32, &[NIL, Pat::Address(0, scaled!(4))]) => [STRWui(ZW, Address(0))];
    "store32_32": Pattern::access(G_STORE, W, 32, &[A, Pat::Address(0, scaled!(4))]) => [STRWui(Reg(0), Address(0))];
    "store64_32_zero": Pattern::access(G_STORE, X, 32, &[NIL, Pat::Address(0, scaled!(4))]) => [STRWui(ZW, Address(0))];
    "store64_32": Pattern::access(G_STORE, X, 32, &[A, Pat::Address(0, scaled!(4))]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STRWui(Temp(0), Address(0))];
    "store64_64_zero": Pattern::access(G_STORE, X, 64, &[NIL, Pat::Address(0, scaled!(8))]) => [STRXui(ZX, Address(0))];
    "store64_64": Pattern::access(G_STORE, X, 64, &[A, Pat::Address(0, scaled!(8))]) => [STRXui(Reg(0), Address(0))];

    // Whole registers of the other bank
    "load128_128": Pattern::access(G_LOAD, Q, 128, &[Pat::Address(0, scaled!(16))]) => [LDRQui(Def(FPR128), Address(0))];
    "store128_128": Pattern::access(G_STORE, Q, 128, &[A, Pat::Address(0, scaled!(16))]) => [STRQui(Reg(0), Address(0))];

    // Ordered loads and stores
    "load_ordered_8": ordered(G_LOAD, W, 8, LOADS, &[A]) => [LDARB(DW, Reg(0))];
    "store_ordered_8": ordered(G_STORE, W, 8, STORES, &[A, B_]) => [STLRB(Reg(0), Reg(1))];
    "load64_ordered_8": ordered(G_LOAD, X, 8, LOADS, &[A]) => [LDARB(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "store64_ordered_8": ordered(G_STORE, X, 8, STORES, &[A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLRB(Temp(0), Reg(1))];
    "load_ordered_16": ordered(G_LOAD, W, 16, LOADS, &[A]) => [LDARH(DW, Reg(0))];
    "store_ordered_16": ordered(G_STORE, W, 16, STORES, &[A, B_]) => [STLRH(Reg(0), Reg(1))];
    "load64_ordered_16": ordered(G_LOAD, X, 16, LOADS, &[A]) => [LDARH(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "store64_ordered_16": ordered(G_STORE, X, 16, STORES, &[A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLRH(Temp(0), Reg(1))];
    "load_ordered_32": ordered(G_LOAD, W, 32, LOADS, &[A]) => [LDARW(DW, Reg(0))];
    "store_ordered_32": ordered(G_STORE, W, 32, STORES, &[A, B_]) => [STLRW(Reg(0), Reg(1))];
    "load64_ordered_32": ordered(G_LOAD, X, 32, LOADS, &[A]) => [LDARW(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "store64_ordered_32": ordered(G_STORE, X, 32, STORES, &[A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLRW(Temp(0), Reg(1))];
    "load_ordered_64": ordered(G_LOAD, X, 64, LOADS, &[A]) => [LDARX(DX, Reg(0))];
    "store_ordered_64": ordered(G_STORE, X, 64, STORES, &[A, B_]) => [STLRX(Reg(0), Reg(1))];

    // Operations on memory; there is one that clears bits, and none that keeps them
    "atomic_xchg8" if LSE: ordered(G_ATOMICRMW_XCHG, W, 8, RELAXED, &[A, B_]) => [SWPB(DW, Reg(1), Reg(0))];
    "atomic_xchg8_acquire" if LSE: ordered(G_ATOMICRMW_XCHG, W, 8, ACQUIRE, &[A, B_]) => [SWPAB(DW, Reg(1), Reg(0))];
    "atomic_xchg8_release" if LSE: ordered(G_ATOMICRMW_XCHG, W, 8, RELEASE, &[A, B_]) => [SWPLB(DW, Reg(1), Reg(0))];
    "atomic_xchg8_acq_rel" if LSE: ordered(G_ATOMICRMW_XCHG, W, 8, STRONG, &[A, B_]) => [SWPALB(DW, Reg(1), Reg(0))];
    "atomic_xchg16" if LSE: ordered(G_ATOMICRMW_XCHG, W, 16, RELAXED, &[A, B_]) => [SWPH(DW, Reg(1), Reg(0))];
    "atomic_xchg16_acquire" if LSE: ordered(G_ATOMICRMW_XCHG, W, 16, ACQUIRE, &[A, B_]) => [SWPAH(DW, Reg(1), Reg(0))];
    "atomic_xchg16_release" if LSE: ordered(G_ATOMICRMW_XCHG, W, 16, RELEASE, &[A, B_]) => [SWPLH(DW, Reg(1), Reg(0))];
    "atomic_xchg16_acq_rel" if LSE: ordered(G_ATOMICRMW_XCHG, W, 16, STRONG, &[A, B_]) => [SWPALH(DW, Reg(1), Reg(0))];
    "atomic_xchg32" if LSE: ordered(G_ATOMICRMW_XCHG, W, 32, RELAXED, &[A, B_]) => [SWPW(DW, Reg(1), Reg(0))];
    "atomic_xchg32_acquire" if LSE: ordered(G_ATOMICRMW_XCHG, W, 32, ACQUIRE, &[A, B_]) => [SWPAW(DW, Reg(1), Reg(0))];
    "atomic_xchg32_release" if LSE: ordered(G_ATOMICRMW_XCHG, W, 32, RELEASE, &[A, B_]) => [SWPLW(DW, Reg(1), Reg(0))];
    "atomic_xchg32_acq_rel" if LSE: ordered(G_ATOMICRMW_XCHG, W, 32, STRONG, &[A, B_]) => [SWPALW(DW, Reg(1), Reg(0))];
    "atomic_xchg64" if LSE: ordered(G_ATOMICRMW_XCHG, X, 64, RELAXED, &[A, B_]) => [SWPX(DX, Reg(1), Reg(0))];
    "atomic_xchg64_acquire" if LSE: ordered(G_ATOMICRMW_XCHG, X, 64, ACQUIRE, &[A, B_]) => [SWPAX(DX, Reg(1), Reg(0))];
    "atomic_xchg64_release" if LSE: ordered(G_ATOMICRMW_XCHG, X, 64, RELEASE, &[A, B_]) => [SWPLX(DX, Reg(1), Reg(0))];
    "atomic_xchg64_acq_rel" if LSE: ordered(G_ATOMICRMW_XCHG, X, 64, STRONG, &[A, B_]) => [SWPALX(DX, Reg(1), Reg(0))];
    "atomic_add8" if LSE: ordered(G_ATOMICRMW_ADD, W, 8, RELAXED, &[A, B_]) => [LDADDB(DW, Reg(1), Reg(0))];
    "atomic_add8_acquire" if LSE: ordered(G_ATOMICRMW_ADD, W, 8, ACQUIRE, &[A, B_]) => [LDADDAB(DW, Reg(1), Reg(0))];
    "atomic_add8_release" if LSE: ordered(G_ATOMICRMW_ADD, W, 8, RELEASE, &[A, B_]) => [LDADDLB(DW, Reg(1), Reg(0))];
    "atomic_add8_acq_rel" if LSE: ordered(G_ATOMICRMW_ADD, W, 8, STRONG, &[A, B_]) => [LDADDALB(DW, Reg(1), Reg(0))];
    "atomic_add16" if LSE: ordered(G_ATOMICRMW_ADD, W, 16, RELAXED, &[A, B_]) => [LDADDH(DW, Reg(1), Reg(0))];
    "atomic_add16_acquire" if LSE: ordered(G_ATOMICRMW_ADD, W, 16, ACQUIRE, &[A, B_]) => [LDADDAH(DW, Reg(1), Reg(0))];
    "atomic_add16_release" if LSE: ordered(G_ATOMICRMW_ADD, W, 16, RELEASE, &[A, B_]) => [LDADDLH(DW, Reg(1), Reg(0))];
    "atomic_add16_acq_rel" if LSE: ordered(G_ATOMICRMW_ADD, W, 16, STRONG, &[A, B_]) => [LDADDALH(DW, Reg(1), Reg(0))];
    "atomic_add32" if LSE: ordered(G_ATOMICRMW_ADD, W, 32, RELAXED, &[A, B_]) => [LDADDW(DW, Reg(1), Reg(0))];
    "atomic_add32_acquire" if LSE: ordered(G_ATOMICRMW_ADD, W, 32, ACQUIRE, &[A, B_]) => [LDADDAW(DW, Reg(1), Reg(0))];
    "atomic_add32_release" if LSE: ordered(G_ATOMICRMW_ADD, W, 32, RELEASE, &[A, B_]) => [LDADDLW(DW, Reg(1), Reg(0))];
    "atomic_add32_acq_rel" if LSE: ordered(G_ATOMICRMW_ADD, W, 32, STRONG, &[A, B_]) => [LDADDALW(DW, Reg(1), Reg(0))];
    "atomic_add64" if LSE: ordered(G_ATOMICRMW_ADD, X, 64, RELAXED, &[A, B_]) => [LDADDX(DX, Reg(1), Reg(0))];
    "atomic_add64_acquire" if LSE: ordered(G_ATOMICRMW_ADD, X, 64, ACQUIRE, &[A, B_]) => [LDADDAX(DX, Reg(1), Reg(0))];
    "atomic_add64_release" if LSE: ordered(G_ATOMICRMW_ADD, X, 64, RELEASE, &[A, B_]) => [LDADDLX(DX, Reg(1), Reg(0))];
    "atomic_add64_acq_rel" if LSE: ordered(G_ATOMICRMW_ADD, X, 64, STRONG, &[A, B_]) => [LDADDALX(DX, Reg(1), Reg(0))];
    "atomic_and8" if LSE: ordered(G_ATOMICRMW_AND, W, 8, RELAXED, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRB(DW, Temp(1), Reg(0))];
    "atomic_and8_acquire" if LSE: ordered(G_ATOMICRMW_AND, W, 8, ACQUIRE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRAB(DW, Temp(1), Reg(0))];
    "atomic_and8_release" if LSE: ordered(G_ATOMICRMW_AND, W, 8, RELEASE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRLB(DW, Temp(1), Reg(0))];
    "atomic_and8_acq_rel" if LSE: ordered(G_ATOMICRMW_AND, W, 8, STRONG, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRALB(DW, Temp(1), Reg(0))];
    "atomic_and16" if LSE: ordered(G_ATOMICRMW_AND, W, 16, RELAXED, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRH(DW, Temp(1), Reg(0))];
    "atomic_and16_acquire" if LSE: ordered(G_ATOMICRMW_AND, W, 16, ACQUIRE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRAH(DW, Temp(1), Reg(0))];
    "atomic_and16_release" if LSE: ordered(G_ATOMICRMW_AND, W, 16, RELEASE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRLH(DW, Temp(1), Reg(0))];
    "atomic_and16_acq_rel" if LSE: ordered(G_ATOMICRMW_AND, W, 16, STRONG, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRALH(DW, Temp(1), Reg(0))];
    "atomic_and32" if LSE: ordered(G_ATOMICRMW_AND, W, 32, RELAXED, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRW(DW, Temp(1), Reg(0))];
    "atomic_and32_acquire" if LSE: ordered(G_ATOMICRMW_AND, W, 32, ACQUIRE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRAW(DW, Temp(1), Reg(0))];
    "atomic_and32_release" if LSE: ordered(G_ATOMICRMW_AND, W, 32, RELEASE, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRLW(DW, Temp(1), Reg(0))];
    "atomic_and32_acq_rel" if LSE: ordered(G_ATOMICRMW_AND, W, 32, STRONG, &[A, B_]) => [MOVNWi(DefTemp(0, GPR32), Const(0), Const(0)), EORWrr(DefTemp(1, GPR32), Reg(1), Temp(0)), LDCLRALW(DW, Temp(1), Reg(0))];
    "atomic_and64" if LSE: ordered(G_ATOMICRMW_AND, X, 64, RELAXED, &[A, B_]) => [MOVNXi(DefTemp(0, GPR64), Const(0), Const(0)), EORXrr(DefTemp(1, GPR64), Reg(1), Temp(0)), LDCLRX(DX, Temp(1), Reg(0))];
    "atomic_and64_acquire" if LSE: ordered(G_ATOMICRMW_AND, X, 64, ACQUIRE, &[A, B_]) => [MOVNXi(DefTemp(0, GPR64), Const(0), Const(0)), EORXrr(DefTemp(1, GPR64), Reg(1), Temp(0)), LDCLRAX(DX, Temp(1), Reg(0))];
    "atomic_and64_release" if LSE: ordered(G_ATOMICRMW_AND, X, 64, RELEASE, &[A, B_]) => [MOVNXi(DefTemp(0, GPR64), Const(0), Const(0)), EORXrr(DefTemp(1, GPR64), Reg(1), Temp(0)), LDCLRLX(DX, Temp(1), Reg(0))];
    "atomic_and64_acq_rel" if LSE: ordered(G_ATOMICRMW_AND, X, 64, STRONG, &[A, B_]) => [MOVNXi(DefTemp(0, GPR64), Const(0), Const(0)), EORXrr(DefTemp(1, GPR64), Reg(1), Temp(0)), LDCLRALX(DX, Temp(1), Reg(0))];
    "atomic_or8" if LSE: ordered(G_ATOMICRMW_OR, W, 8, RELAXED, &[A, B_]) => [LDSETB(DW, Reg(1), Reg(0))];
    "atomic_or8_acquire" if LSE: ordered(G_ATOMICRMW_OR, W, 8, ACQUIRE, &[A, B_]) => [LDSETAB(DW, Reg(1), Reg(0))];
    "atomic_or8_release" if LSE: ordered(G_ATOMICRMW_OR, W, 8, RELEASE, &[A, B_]) => [LDSETLB(DW, Reg(1), Reg(0))];
    "atomic_or8_acq_rel" if LSE: ordered(G_ATOMICRMW_OR, W, 8, STRONG, &[A, B_]) => [LDSETALB(DW, Reg(1), Reg(0))];
    "atomic_or16" if LSE: ordered(G_ATOMICRMW_OR, W, 16, RELAXED, &[A, B_]) => [LDSETH(DW, Reg(1), Reg(0))];
    "atomic_or16_acquire" if LSE: ordered(G_ATOMICRMW_OR, W, 16, ACQUIRE, &[A, B_]) => [LDSETAH(DW, Reg(1), Reg(0))];
    "atomic_or16_release" if LSE: ordered(G_ATOMICRMW_OR, W, 16, RELEASE, &[A, B_]) => [LDSETLH(DW, Reg(1), Reg(0))];
    "atomic_or16_acq_rel" if LSE: ordered(G_ATOMICRMW_OR, W, 16, STRONG, &[A, B_]) => [LDSETALH(DW, Reg(1), Reg(0))];
    "atomic_or32" if LSE: ordered(G_ATOMICRMW_OR, W, 32, RELAXED, &[A, B_]) => [LDSETW(DW, Reg(1), Reg(0))];
    "atomic_or32_acquire" if LSE: ordered(G_ATOMICRMW_OR, W, 32, ACQUIRE, &[A, B_]) => [LDSETAW(DW, Reg(1), Reg(0))];
    "atomic_or32_release" if LSE: ordered(G_ATOMICRMW_OR, W, 32, RELEASE, &[A, B_]) => [LDSETLW(DW, Reg(1), Reg(0))];
    "atomic_or32_acq_rel" if LSE: ordered(G_ATOMICRMW_OR, W, 32, STRONG, &[A, B_]) => [LDSETALW(DW, Reg(1), Reg(0))];
    "atomic_or64" if LSE: ordered(G_ATOMICRMW_OR, X, 64, RELAXED, &[A, B_]) => [LDSETX(DX, Reg(1), Reg(0))];
    "atomic_or64_acquire" if LSE: ordered(G_ATOMICRMW_OR, X, 64, ACQUIRE, &[A, B_]) => [LDSETAX(DX, Reg(1), Reg(0))];
    "atomic_or64_release" if LSE: ordered(G_ATOMICRMW_OR, X, 64, RELEASE, &[A, B_]) => [LDSETLX(DX, Reg(1), Reg(0))];
    "atomic_or64_acq_rel" if LSE: ordered(G_ATOMICRMW_OR, X, 64, STRONG, &[A, B_]) => [LDSETALX(DX, Reg(1), Reg(0))];
    "atomic_xor8" if LSE: ordered(G_ATOMICRMW_XOR, W, 8, RELAXED, &[A, B_]) => [LDEORB(DW, Reg(1), Reg(0))];
    "atomic_xor8_acquire" if LSE: ordered(G_ATOMICRMW_XOR, W, 8, ACQUIRE, &[A, B_]) => [LDEORAB(DW, Reg(1), Reg(0))];
    "atomic_xor8_release" if LSE: ordered(G_ATOMICRMW_XOR, W, 8, RELEASE, &[A, B_]) => [LDEORLB(DW, Reg(1), Reg(0))];
    "atomic_xor8_acq_rel" if LSE: ordered(G_ATOMICRMW_XOR, W, 8, STRONG, &[A, B_]) => [LDEORALB(DW, Reg(1), Reg(0))];
    "atomic_xor16" if LSE: ordered(G_ATOMICRMW_XOR, W, 16, RELAXED, &[A, B_]) => [LDEORH(DW, Reg(1), Reg(0))];
    "atomic_xor16_acquire" if LSE: ordered(G_ATOMICRMW_XOR, W, 16, ACQUIRE, &[A, B_]) => [LDEORAH(DW, Reg(1), Reg(0))];
    "atomic_xor16_release" if LSE: ordered(G_ATOMICRMW_XOR, W, 16, RELEASE, &[A, B_]) => [LDEORLH(DW, Reg(1), Reg(0))];
    "atomic_xor16_acq_rel" if LSE: ordered(G_ATOMICRMW_XOR, W, 16, STRONG, &[A, B_]) => [LDEORALH(DW, Reg(1), Reg(0))];
    "atomic_xor32" if LSE: ordered(G_ATOMICRMW_XOR, W, 32, RELAXED, &[A, B_]) => [LDEORW(DW, Reg(1), Reg(0))];
    "atomic_xor32_acquire" if LSE: ordered(G_ATOMICRMW_XOR, W, 32, ACQUIRE, &[A, B_]) => [LDEORAW(DW, Reg(1), Reg(0))];
    "atomic_xor32_release" if LSE: ordered(G_ATOMICRMW_XOR, W, 32, RELEASE, &[A, B_]) => [LDEORLW(DW, Reg(1), Reg(0))];
    "atomic_xor32_acq_rel" if LSE: ordered(G_ATOMICRMW_XOR, W, 32, STRONG, &[A, B_]) => [LDEORALW(DW, Reg(1), Reg(0))];
    "atomic_xor64" if LSE: ordered(G_ATOMICRMW_XOR, X, 64, RELAXED, &[A, B_]) => [LDEORX(DX, Reg(1), Reg(0))];
    "atomic_xor64_acquire" if LSE: ordered(G_ATOMICRMW_XOR, X, 64, ACQUIRE, &[A, B_]) => [LDEORAX(DX, Reg(1), Reg(0))];
    "atomic_xor64_release" if LSE: ordered(G_ATOMICRMW_XOR, X, 64, RELEASE, &[A, B_]) => [LDEORLX(DX, Reg(1), Reg(0))];
    "atomic_xor64_acq_rel" if LSE: ordered(G_ATOMICRMW_XOR, X, 64, STRONG, &[A, B_]) => [LDEORALX(DX, Reg(1), Reg(0))];
    "atomic_max8" if LSE: ordered(G_ATOMICRMW_MAX, W, 8, RELAXED, &[A, B_]) => [LDSMAXB(DW, Reg(1), Reg(0))];
    "atomic_max8_acquire" if LSE: ordered(G_ATOMICRMW_MAX, W, 8, ACQUIRE, &[A, B_]) => [LDSMAXAB(DW, Reg(1), Reg(0))];
    "atomic_max8_release" if LSE: ordered(G_ATOMICRMW_MAX, W, 8, RELEASE, &[A, B_]) => [LDSMAXLB(DW, Reg(1), Reg(0))];
    "atomic_max8_acq_rel" if LSE: ordered(G_ATOMICRMW_MAX, W, 8, STRONG, &[A, B_]) => [LDSMAXALB(DW, Reg(1), Reg(0))];
    "atomic_max16" if LSE: ordered(G_ATOMICRMW_MAX, W, 16, RELAXED, &[A, B_]) => [LDSMAXH(DW, Reg(1), Reg(0))];
    "atomic_max16_acquire" if LSE: ordered(G_ATOMICRMW_MAX, W, 16, ACQUIRE, &[A, B_]) => [LDSMAXAH(DW, Reg(1), Reg(0))];
    "atomic_max16_release" if LSE: ordered(G_ATOMICRMW_MAX, W, 16, RELEASE, &[A, B_]) => [LDSMAXLH(DW, Reg(1), Reg(0))];
    "atomic_max16_acq_rel" if LSE: ordered(G_ATOMICRMW_MAX, W, 16, STRONG, &[A, B_]) => [LDSMAXALH(DW, Reg(1), Reg(0))];
    "atomic_max32" if LSE: ordered(G_ATOMICRMW_MAX, W, 32, RELAXED, &[A, B_]) => [LDSMAXW(DW, Reg(1), Reg(0))];
    "atomic_max32_acquire" if LSE: ordered(G_ATOMICRMW_MAX, W, 32, ACQUIRE, &[A, B_]) => [LDSMAXAW(DW, Reg(1), Reg(0))];
    "atomic_max32_release" if LSE: ordered(G_ATOMICRMW_MAX, W, 32, RELEASE, &[A, B_]) => [LDSMAXLW(DW, Reg(1), Reg(0))];
    "atomic_max32_acq_rel" if LSE: ordered(G_ATOMICRMW_MAX, W, 32, STRONG, &[A, B_]) => [LDSMAXALW(DW, Reg(1), Reg(0))];
    "atomic_max64" if LSE: ordered(G_ATOMICRMW_MAX, X, 64, RELAXED, &[A, B_]) => [LDSMAXX(DX, Reg(1), Reg(0))];
    "atomic_max64_acquire" if LSE: ordered(G_ATOMICRMW_MAX, X, 64, ACQUIRE, &[A, B_]) => [LDSMAXAX(DX, Reg(1), Reg(0))];
    "atomic_max64_release" if LSE: ordered(G_ATOMICRMW_MAX, X, 64, RELEASE, &[A, B_]) => [LDSMAXLX(DX, Reg(1), Reg(0))];
    "atomic_max64_acq_rel" if LSE: ordered(G_ATOMICRMW_MAX, X, 64, STRONG, &[A, B_]) => [LDSMAXALX(DX, Reg(1), Reg(0))];
    "atomic_min8" if LSE: ordered(G_ATOMICRMW_MIN, W, 8, RELAXED, &[A, B_]) => [LDSMINB(DW, Reg(1), Reg(0))];
    "atomic_min8_acquire" if LSE: ordered(G_ATOMICRMW_MIN, W, 8, ACQUIRE, &[A, B_]) => [LDSMINAB(DW, Reg(1), Reg(0))];
    "atomic_min8_release" if LSE: ordered(G_ATOMICRMW_MIN, W, 8, RELEASE, &[A, B_]) => [LDSMINLB(DW, Reg(1), Reg(0))];
    "atomic_min8_acq_rel" if LSE: ordered(G_ATOMICRMW_MIN, W, 8, STRONG, &[A, B_]) => [LDSMINALB(DW, Reg(1), Reg(0))];
    "atomic_min16" if LSE: ordered(G_ATOMICRMW_MIN, W, 16, RELAXED, &[A, B_]) => [LDSMINH(DW, Reg(1), Reg(0))];
    "atomic_min16_acquire" if LSE: ordered(G_ATOMICRMW_MIN, W, 16, ACQUIRE, &[A, B_]) => [LDSMINAH(DW, Reg(1), Reg(0))];
    "atomic_min16_release" if LSE: ordered(G_ATOMICRMW_MIN, W, 16, RELEASE, &[A, B_]) => [LDSMINLH(DW, Reg(1), Reg(0))];
    "atomic_min16_acq_rel" if LSE: ordered(G_ATOMICRMW_MIN, W, 16, STRONG, &[A, B_]) => [LDSMINALH(DW, Reg(1), Reg(0))];
    "atomic_min32" if LSE: ordered(G_ATOMICRMW_MIN, W, 32, RELAXED, &[A, B_]) => [LDSMINW(DW, Reg(1), Reg(0))];
    "atomic_min32_acquire" if LSE: ordered(G_ATOMICRMW_MIN, W, 32, ACQUIRE, &[A, B_]) => [LDSMINAW(DW, Reg(1), Reg(0))];
    "atomic_min32_release" if LSE: ordered(G_ATOMICRMW_MIN, W, 32, RELEASE, &[A, B_]) => [LDSMINLW(DW, Reg(1), Reg(0))];
    "atomic_min32_acq_rel" if LSE: ordered(G_ATOMICRMW_MIN, W, 32, STRONG, &[A, B_]) => [LDSMINALW(DW, Reg(1), Reg(0))];
    "atomic_min64" if LSE: ordered(G_ATOMICRMW_MIN, X, 64, RELAXED, &[A, B_]) => [LDSMINX(DX, Reg(1), Reg(0))];
    "atomic_min64_acquire" if LSE: ordered(G_ATOMICRMW_MIN, X, 64, ACQUIRE, &[A, B_]) => [LDSMINAX(DX, Reg(1), Reg(0))];
    "atomic_min64_release" if LSE: ordered(G_ATOMICRMW_MIN, X, 64, RELEASE, &[A, B_]) => [LDSMINLX(DX, Reg(1), Reg(0))];
    "atomic_min64_acq_rel" if LSE: ordered(G_ATOMICRMW_MIN, X, 64, STRONG, &[A, B_]) => [LDSMINALX(DX, Reg(1), Reg(0))];
    "atomic_umax8" if LSE: ordered(G_ATOMICRMW_UMAX, W, 8, RELAXED, &[A, B_]) => [LDUMAXB(DW, Reg(1), Reg(0))];
    "atomic_umax8_acquire" if LSE: ordered(G_ATOMICRMW_UMAX, W, 8, ACQUIRE, &[A, B_]) => [LDUMAXAB(DW, Reg(1), Reg(0))];
    "atomic_umax8_release" if LSE: ordered(G_ATOMICRMW_UMAX, W, 8, RELEASE, &[A, B_]) => [LDUMAXLB(DW, Reg(1), Reg(0))];
    "atomic_umax8_acq_rel" if LSE: ordered(G_ATOMICRMW_UMAX, W, 8, STRONG, &[A, B_]) => [LDUMAXALB(DW, Reg(1), Reg(0))];
    "atomic_umax16" if LSE: ordered(G_ATOMICRMW_UMAX, W, 16, RELAXED, &[A, B_]) => [LDUMAXH(DW, Reg(1), Reg(0))];
    "atomic_umax16_acquire" if LSE: ordered(G_ATOMICRMW_UMAX, W, 16, ACQUIRE, &[A, B_]) => [LDUMAXAH(DW, Reg(1), Reg(0))];
    "atomic_umax16_release" if LSE: ordered(G_ATOMICRMW_UMAX, W, 16, RELEASE, &[A, B_]) => [LDUMAXLH(DW, Reg(1), Reg(0))];
    "atomic_umax16_acq_rel" if LSE: ordered(G_ATOMICRMW_UMAX, W, 16, STRONG, &[A, B_]) => [LDUMAXALH(DW, Reg(1), Reg(0))];
    "atomic_umax32" if LSE: ordered(G_ATOMICRMW_UMAX, W, 32, RELAXED, &[A, B_]) => [LDUMAXW(DW, Reg(1), Reg(0))];
    "atomic_umax32_acquire" if LSE: ordered(G_ATOMICRMW_UMAX, W, 32, ACQUIRE, &[A, B_]) => [LDUMAXAW(DW, Reg(1), Reg(0))];
    "atomic_umax32_release" if LSE: ordered(G_ATOMICRMW_UMAX, W, 32, RELEASE, &[A, B_]) => [LDUMAXLW(DW, Reg(1), Reg(0))];
    "atomic_umax32_acq_rel" if LSE: ordered(G_ATOMICRMW_UMAX, W, 32, STRONG, &[A, B_]) => [LDUMAXALW(DW, Reg(1), Reg(0))];
    "atomic_umax64" if LSE: ordered(G_ATOMICRMW_UMAX, X, 64, RELAXED, &[A, B_]) => [LDUMAXX(DX, Reg(1), Reg(0))];
    "atomic_umax64_acquire" if LSE: ordered(G_ATOMICRMW_UMAX, X, 64, ACQUIRE, &[A, B_]) => [LDUMAXAX(DX, Reg(1), Reg(0))];
    "atomic_umax64_release" if LSE: ordered(G_ATOMICRMW_UMAX, X, 64, RELEASE, &[A, B_]) => [LDUMAXLX(DX, Reg(1), Reg(0))];
    "atomic_umax64_acq_rel" if LSE: ordered(G_ATOMICRMW_UMAX, X, 64, STRONG, &[A, B_]) => [LDUMAXALX(DX, Reg(1), Reg(0))];
    "atomic_umin8" if LSE: ordered(G_ATOMICRMW_UMIN, W, 8, RELAXED, &[A, B_]) => [LDUMINB(DW, Reg(1), Reg(0))];
    "atomic_umin8_acquire" if LSE: ordered(G_ATOMICRMW_UMIN, W, 8, ACQUIRE, &[A, B_]) => [LDUMINAB(DW, Reg(1), Reg(0))];
    "atomic_umin8_release" if LSE: ordered(G_ATOMICRMW_UMIN, W, 8, RELEASE, &[A, B_]) => [LDUMINLB(DW, Reg(1), Reg(0))];
    "atomic_umin8_acq_rel" if LSE: ordered(G_ATOMICRMW_UMIN, W, 8, STRONG, &[A, B_]) => [LDUMINALB(DW, Reg(1), Reg(0))];
    "atomic_umin16" if LSE: ordered(G_ATOMICRMW_UMIN, W, 16, RELAXED, &[A, B_]) => [LDUMINH(DW, Reg(1), Reg(0))];
    "atomic_umin16_acquire" if LSE: ordered(G_ATOMICRMW_UMIN, W, 16, ACQUIRE, &[A, B_]) => [LDUMINAH(DW, Reg(1), Reg(0))];
    "atomic_umin16_release" if LSE: ordered(G_ATOMICRMW_UMIN, W, 16, RELEASE, &[A, B_]) => [LDUMINLH(DW, Reg(1), Reg(0))];
    "atomic_umin16_acq_rel" if LSE: ordered(G_ATOMICRMW_UMIN, W, 16, STRONG, &[A, B_]) => [LDUMINALH(DW, Reg(1), Reg(0))];
    "atomic_umin32" if LSE: ordered(G_ATOMICRMW_UMIN, W, 32, RELAXED, &[A, B_]) => [LDUMINW(DW, Reg(1), Reg(0))];
    "atomic_umin32_acquire" if LSE: ordered(G_ATOMICRMW_UMIN, W, 32, ACQUIRE, &[A, B_]) => [LDUMINAW(DW, Reg(1), Reg(0))];
    "atomic_umin32_release" if LSE: ordered(G_ATOMICRMW_UMIN, W, 32, RELEASE, &[A, B_]) => [LDUMINLW(DW, Reg(1), Reg(0))];
    "atomic_umin32_acq_rel" if LSE: ordered(G_ATOMICRMW_UMIN, W, 32, STRONG, &[A, B_]) => [LDUMINALW(DW, Reg(1), Reg(0))];
    "atomic_umin64" if LSE: ordered(G_ATOMICRMW_UMIN, X, 64, RELAXED, &[A, B_]) => [LDUMINX(DX, Reg(1), Reg(0))];
    "atomic_umin64_acquire" if LSE: ordered(G_ATOMICRMW_UMIN, X, 64, ACQUIRE, &[A, B_]) => [LDUMINAX(DX, Reg(1), Reg(0))];
    "atomic_umin64_release" if LSE: ordered(G_ATOMICRMW_UMIN, X, 64, RELEASE, &[A, B_]) => [LDUMINLX(DX, Reg(1), Reg(0))];
    "atomic_umin64_acq_rel" if LSE: ordered(G_ATOMICRMW_UMIN, X, 64, STRONG, &[A, B_]) => [LDUMINALX(DX, Reg(1), Reg(0))];
    "cmpxchg8" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 8, RELAXED, &[A, B_, C]) => [CASB(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg8_acquire" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 8, ACQUIRE, &[A, B_, C]) => [CASAB(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg8_release" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 8, RELEASE, &[A, B_, C]) => [CASLB(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg8_acq_rel" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 8, STRONG, &[A, B_, C]) => [CASALB(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg16" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 16, RELAXED, &[A, B_, C]) => [CASH(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg16_acquire" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 16, ACQUIRE, &[A, B_, C]) => [CASAH(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg16_release" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 16, RELEASE, &[A, B_, C]) => [CASLH(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg16_acq_rel" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 16, STRONG, &[A, B_, C]) => [CASALH(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg32" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 32, RELAXED, &[A, B_, C]) => [CASW(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg32_acquire" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 32, ACQUIRE, &[A, B_, C]) => [CASAW(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg32_release" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 32, RELEASE, &[A, B_, C]) => [CASLW(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg32_acq_rel" if LSE: ordered(G_ATOMIC_CMPXCHG, W, 32, STRONG, &[A, B_, C]) => [CASALW(DW, Reg(1), Reg(2), Reg(0))];
    "cmpxchg64" if LSE: ordered(G_ATOMIC_CMPXCHG, X, 64, RELAXED, &[A, B_, C]) => [CASX(DX, Reg(1), Reg(2), Reg(0))];
    "cmpxchg64_acquire" if LSE: ordered(G_ATOMIC_CMPXCHG, X, 64, ACQUIRE, &[A, B_, C]) => [CASAX(DX, Reg(1), Reg(2), Reg(0))];
    "cmpxchg64_release" if LSE: ordered(G_ATOMIC_CMPXCHG, X, 64, RELEASE, &[A, B_, C]) => [CASLX(DX, Reg(1), Reg(2), Reg(0))];
    "cmpxchg64_acq_rel" if LSE: ordered(G_ATOMIC_CMPXCHG, X, 64, STRONG, &[A, B_, C]) => [CASALX(DX, Reg(1), Reg(2), Reg(0))];
    "cmpxchg8_loop": ordered(G_ATOMIC_CMPXCHG, W, 8, EVERY_ORDER, &[A, B_, C]) => [CMP_SWAP_8(DW, DefTemp(0, GPR32), Reg(0), Reg(1), Reg(2), F)];
    "cmpxchg16_loop": ordered(G_ATOMIC_CMPXCHG, W, 16, EVERY_ORDER, &[A, B_, C]) => [CMP_SWAP_16(DW, DefTemp(0, GPR32), Reg(0), Reg(1), Reg(2), F)];
    "cmpxchg32_loop": ordered(G_ATOMIC_CMPXCHG, W, 32, EVERY_ORDER, &[A, B_, C]) => [CMP_SWAP_32(DW, DefTemp(0, GPR32), Reg(0), Reg(1), Reg(2), F)];
    "cmpxchg64_loop": ordered(G_ATOMIC_CMPXCHG, X, 64, EVERY_ORDER, &[A, B_, C]) => [CMP_SWAP_64(DX, DefTemp(0, GPR32), Reg(0), Reg(1), Reg(2), F)];
    "atomic_nand8_loop": ordered(G_ATOMICRMW_NAND, W, 8, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_NAND_8(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1))];
    "atomic_nand16_loop": ordered(G_ATOMICRMW_NAND, W, 16, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_NAND_16(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1))];
    "atomic_nand32_loop": ordered(G_ATOMICRMW_NAND, W, 32, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_NAND_32(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1))];
    "atomic_nand64_loop": ordered(G_ATOMICRMW_NAND, X, 64, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_NAND_64(DX, DefTemp(0, GPR64), DefTemp(1, GPR32), Reg(0), Reg(1))];
    "atomic_max8_loop": ordered(G_ATOMICRMW_MAX, W, 8, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MAX_8(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_max16_loop": ordered(G_ATOMICRMW_MAX, W, 16, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MAX_16(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_max32_loop": ordered(G_ATOMICRMW_MAX, W, 32, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MAX_32(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_max64_loop": ordered(G_ATOMICRMW_MAX, X, 64, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MAX_64(DX, DefTemp(0, GPR64), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_min8_loop": ordered(G_ATOMICRMW_MIN, W, 8, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MIN_8(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_min16_loop": ordered(G_ATOMICRMW_MIN, W, 16, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MIN_16(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_min32_loop": ordered(G_ATOMICRMW_MIN, W, 32, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MIN_32(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_min64_loop": ordered(G_ATOMICRMW_MIN, X, 64, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_MIN_64(DX, DefTemp(0, GPR64), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umax8_loop": ordered(G_ATOMICRMW_UMAX, W, 8, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMAX_8(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umax16_loop": ordered(G_ATOMICRMW_UMAX, W, 16, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMAX_16(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umax32_loop": ordered(G_ATOMICRMW_UMAX, W, 32, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMAX_32(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umax64_loop": ordered(G_ATOMICRMW_UMAX, X, 64, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMAX_64(DX, DefTemp(0, GPR64), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umin8_loop": ordered(G_ATOMICRMW_UMIN, W, 8, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMIN_8(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umin16_loop": ordered(G_ATOMICRMW_UMIN, W, 16, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMIN_16(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umin32_loop": ordered(G_ATOMICRMW_UMIN, W, 32, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMIN_32(DW, DefTemp(0, GPR32), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "atomic_umin64_loop": ordered(G_ATOMICRMW_UMIN, X, 64, EVERY_ORDER, &[A, B_]) => [ATOMIC_LOAD_UMIN_64(DX, DefTemp(0, GPR64), DefTemp(1, GPR32), Reg(0), Reg(1), F)];
    "ldxr8": exclusive(X, 8, &[Pat::Intrinsic("llvm.aarch64.ldxr"), A]) => [LDXRB(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldxr16": exclusive(X, 16, &[Pat::Intrinsic("llvm.aarch64.ldxr"), A]) => [LDXRH(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldxr32": exclusive(X, 32, &[Pat::Intrinsic("llvm.aarch64.ldxr"), A]) => [LDXRW(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldxr64": exclusive(X, 64, &[Pat::Intrinsic("llvm.aarch64.ldxr"), A]) => [LDXRX(DX, Reg(0))];
    "ldaxr8": exclusive(X, 8, &[Pat::Intrinsic("llvm.aarch64.ldaxr"), A]) => [LDAXRB(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldaxr16": exclusive(X, 16, &[Pat::Intrinsic("llvm.aarch64.ldaxr"), A]) => [LDAXRH(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldaxr32": exclusive(X, 32, &[Pat::Intrinsic("llvm.aarch64.ldaxr"), A]) => [LDAXRW(DefTemp(0, GPR32), Reg(0)), SUBREG_TO_REG(DX, ABOVE, Temp(0), PART)];
    "ldaxr64": exclusive(X, 64, &[Pat::Intrinsic("llvm.aarch64.ldaxr"), A]) => [LDAXRX(DX, Reg(0))];
    "ldxp": exclusive(X, 128, &[Pat::Intrinsic("llvm.aarch64.ldxp"), A]) => [LDXPX(DX, Out::Def2(GPR64), Reg(0))];
    "ldaxp": exclusive(X, 128, &[Pat::Intrinsic("llvm.aarch64.ldaxp"), A]) => [LDAXPX(DX, Out::Def2(GPR64), Reg(0))];
    "stxp": exclusive(W, 128, &[Pat::Intrinsic("llvm.aarch64.stxp"), A, B_, C]) => [STXPX(DW, Reg(0), Reg(1), Reg(2))];
    "stlxp": exclusive(W, 128, &[Pat::Intrinsic("llvm.aarch64.stlxp"), A, B_, C]) => [STLXPX(DW, Reg(0), Reg(1), Reg(2))];
    "stxr8": exclusive(W, 8, &[Pat::Intrinsic("llvm.aarch64.stxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STXRB(DW, Temp(0), Reg(1))];
    "stxr16": exclusive(W, 16, &[Pat::Intrinsic("llvm.aarch64.stxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STXRH(DW, Temp(0), Reg(1))];
    "stxr32": exclusive(W, 32, &[Pat::Intrinsic("llvm.aarch64.stxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STXRW(DW, Temp(0), Reg(1))];
    "stxr64": exclusive(W, 64, &[Pat::Intrinsic("llvm.aarch64.stxr"), A, B_]) => [STXRX(DW, Reg(0), Reg(1))];
    "stlxr8": exclusive(W, 8, &[Pat::Intrinsic("llvm.aarch64.stlxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLXRB(DW, Temp(0), Reg(1))];
    "stlxr16": exclusive(W, 16, &[Pat::Intrinsic("llvm.aarch64.stlxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLXRH(DW, Temp(0), Reg(1))];
    "stlxr32": exclusive(W, 32, &[Pat::Intrinsic("llvm.aarch64.stlxr"), A, B_]) => [MOVE(DefTemp(0, GPR32), SubReg(0, SUB_32)), STLXRW(DW, Temp(0), Reg(1))];
    "stlxr64": exclusive(W, 64, &[Pat::Intrinsic("llvm.aarch64.stlxr"), A, B_]) => [STLXRX(DW, Reg(0), Reg(1))];
    "clrex": op(G_INTRINSIC_W_SIDE_EFFECTS, Types::Any, &[Pat::Intrinsic("llvm.aarch64.clrex")]) => [CLREX(Const(15))];

    // Traps: of an undefined behaviour the number is in the low byte
    "trap": op(G_TRAP, Types::Any, &[]) => [BRK(Const(1))];
    "ubsantrap": op(G_UBSANTRAP, Types::Any, &[Pat::Imm(0, EVERY)]) => [BRK(ImmWith(0, undefined_behaviour))];
    "debugtrap": op(G_DEBUGTRAP, Types::Any, &[]) => [BRK(Const(0xf000))];

    // Barriers: 9 is of loads, 11 of everything. One that orders a single thread is no code
    "fence_thread": Pattern::of(G_FENCE, Types::Any, &[Pat::Imm(0, EVERY), Pat::Imm(1, ZERO)]) => [MEMBARRIER()];
    "fence_acquire": Pattern::of(G_FENCE, Types::Any, &[Pat::Imm(0, IS_4), Pat::Imm(1, EVERY)]) => [DMB(Const(9))];
    "fence": Pattern::of(G_FENCE, Types::Any, &[Pat::Imm(0, EVERY), Pat::Imm(1, EVERY)]) => [DMB(Const(11))];
}
