//! The selection rules, most specific first within an opcode.

use super::floats::number_of_constant;
use super::instructions::*;
use super::registers::{FFLAGS, FPR16, FPR32, FPR64, FPRB, FRM, GPR, TP, ZERO};
use super::target_flags::{HI, LO, TPREL_ADD, TPREL_HI, TPREL_LO};
use crate::Features;
use crate::addressing::Addressing::{Absolute, Got, InitialExec, LocalExec, PcRelative};
use crate::selection::{Emit, ImmClass, MOVE, Orderings, Out, Pat, Pattern, SelectionRule, Types, UNDEFINED, emitted};
use Out::{
    Address, Const, Def, DefTemp, Imm, ImmWith, ImplicitDef, ImplicitUse, Label, Phys, Reg, Stack, Symbol, Temp,
};
use tribunal_ir::AtomicOrdering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent};
use tribunal_ir::Opcode::*;
use tribunal_ir::{Bits, FloatPredicate, IntPredicate, Opcode, TargetFlags};

const ANY: Types = Types::Any;

fn signed(value: Bits) -> i64 {
    value.to_i64().unwrap_or(i64::MAX)
}

fn fits(value: i64, bits: u32) -> bool {
    (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value)
}

/// A constant of Zfa.
const LOADED: ImmClass = ImmClass { name: "loaded number", accepts: |value| number_of_constant(value).is_some() };
const EVERY: ImmClass = ImmClass { name: "any", accepts: |value| value.to_i64().is_some() };
const ZERO_IMM: ImmClass = ImmClass { name: "zero", accepts: |value| value.is_zero() };
const SIMM12: ImmClass = ImmClass { name: "simm12", accepts: |value| fits(signed(value), 12) };
/// The negated value fits twelve bits.
const NEGATED: ImmClass = ImmClass { name: "negated simm12", accepts: |value| (-2047..=2048).contains(&signed(value)) };
/// One more fits twelve bits.
const BELOW: ImmClass = ImmClass { name: "simm12 - 1", accepts: |value| (-2049..=2046).contains(&signed(value)) };
/// One more fits twelve bits and does not wrap to zero.
const UBELOW: ImmClass = ImmClass {
    name: "simm12 - 1, not all ones",
    accepts: |value| signed(value) != -1 && (-2049..=2046).contains(&signed(value)),
};
const ONE: ImmClass = ImmClass { name: "one", accepts: |value| value.unsigned() == 1 };
const TWO: ImmClass = ImmClass { name: "two", accepts: |value| value.unsigned() == 2 };
const THREE: ImmClass = ImmClass { name: "three", accepts: |value| value.unsigned() == 3 };
const ONES: ImmClass = ImmClass { name: "all ones", accepts: |value| value == Bits::ones(value.width()) };
const LOW_HALF: ImmClass = ImmClass { name: "0xffff", accepts: |value| value.unsigned() == 0xffff };
const LOW_WORD: ImmClass =
    ImmClass { name: "0xffffffff", accepts: |value| value.width() == 64 && value.unsigned() == 0xffff_ffff };
// LLVM's numbers of orderings.
const IS_4: ImmClass = ImmClass { name: "4", accepts: |value| value.unsigned() == 4 };
const IS_5: ImmClass = ImmClass { name: "5", accepts: |value| value.unsigned() == 5 };
const IS_6: ImmClass = ImmClass { name: "6", accepts: |value| value.unsigned() == 6 };
const IS_8: ImmClass = ImmClass { name: "8", accepts: |value| value.unsigned() == 8 };
const IS_16: ImmClass = ImmClass { name: "16", accepts: |value| value.unsigned() == 16 };
/// A single bit that no twelve-bit immediate has.
const SINGLE: ImmClass = ImmClass {
    name: "a single high bit",
    accepts: |value| value.unsigned().is_power_of_two() && value.unsigned() >= 0x800,
};
/// All bits but one, which no twelve-bit immediate leaves out.
const ALL_BUT_ONE: ImmClass = ImmClass {
    name: "all but a single high bit",
    accepts: |value| {
        let rest = Bits::ones(value.width()).unsigned() & !value.unsigned();
        rest.is_power_of_two() && rest >= 0x800
    },
};
const AMOUNT: ImmClass =
    ImmClass { name: "less than the width", accepts: |value| value.unsigned() < u128::from(value.width()) };
const UIMM5: ImmClass = ImmClass { name: "uimm5", accepts: |value| value.unsigned() < 32 };
const IS_32: ImmClass = ImmClass { name: "32", accepts: |value| value.unsigned() == 32 };
/// `2^k - 1` for k from 12 to the width less one.
const LOW_MASK: ImmClass = ImmClass {
    name: "low mask",
    accepts: |value| {
        value.low_u64() > 0x7ff
            && (value.low_u64() & value.low_u64().wrapping_add(1)) == 0
            && value != Bits::ones(value.width())
    },
};
const UPPER20: ImmClass = ImmClass {
    name: "simm32 of zero low bits",
    accepts: |value| fits(signed(value), 32) && signed(value) & 0xfff == 0,
};
/// The upper half alone, of the first kind or of any.
const TOP_UPPER: ImmClass =
    ImmClass { name: "upper 20 of 64 bits", accepts: |value| value.width() == 64 && value.low_u64() << 20 == 0 };
const TOP: ImmClass =
    ImmClass { name: "upper 32 of 64 bits", accepts: |value| value.width() == 64 && value.low_u64() << 32 == 0 };
const SIMM32: ImmClass =
    ImmClass { name: "simm32", accepts: |value| value.to_i64().is_some_and(|value| fits(value, 32)) };

fn negated(value: Bits) -> i64 {
    -signed(value)
}
fn next(value: Bits) -> i64 {
    signed(value) + 1
}
/// The place of a single bit.
fn place(value: Bits) -> i64 {
    i64::from(value.unsigned().trailing_zeros())
}
/// The place of the bit left out.
fn place_left_out(value: Bits) -> i64 {
    i64::from(value.unsigned().trailing_ones())
}
fn loaded(value: Bits) -> i64 {
    number_of_constant(value).unwrap_or(0)
}
/// The amount that rotates right as far as this one rotates left; both less than the width.
fn opposite(value: Bits) -> i64 {
    (i64::from(value.width()) - signed(value)) & (i64::from(value.width()) - 1)
}
/// The width less k of the mask `2^k - 1`.
fn mask_shift(value: Bits) -> i64 {
    i64::from(value.width()) - i64::from(value.low_u64().trailing_ones())
}
/// The upper 20 of 32 bits, rounded so that the signed low twelve complete it.
fn upper(value: i64) -> i64 {
    (value.wrapping_add(0x800) >> 12) & 0xf_ffff
}
fn lower(value: i64) -> i64 {
    (value << 52) >> 52
}
fn upper20(value: Bits) -> i64 {
    upper(signed(value))
}
fn lower12(value: Bits) -> i64 {
    lower(signed(value))
}
// A 64-bit constant: its upper half as above, then eleven, eleven and ten bits, which ADDI adds as they are.
fn top_upper(value: Bits) -> i64 {
    upper(signed(value) >> 32)
}
fn top_lower(value: Bits) -> i64 {
    lower(signed(value) >> 32)
}
fn bits21(value: Bits) -> i64 {
    signed(value) >> 21 & 0x7ff
}
fn bits10(value: Bits) -> i64 {
    signed(value) >> 10 & 0x7ff
}
fn bits0(value: Bits) -> i64 {
    signed(value) & 0x3ff
}

/// LLVM's set of classes as `FCLASS` numbers them: the two kinds of NaN are last there.
fn classes(value: Bits) -> i64 {
    let set = signed(value);
    set >> 2 & 0xff | (set & 3) << 8
}

macro_rules! rules {
    ($($name:literal $(if $($feature:ident)+)?: $pattern:expr => [$($opcode:ident($($out:expr),*)),*];)*) => {
        /// One row a rule; of those that match, the first applies.
        pub static RULES: &[SelectionRule] = &[$(SelectionRule {
            name: concat!("riscv ", $name),
            pattern: $pattern,
            requires: Features::empty()$($(.union(super::features::$feature))+)?,
            emit: &[$(Emit { opcode: emitted($opcode), operands: &[$($out),*] }),*],
        }),*];
    };
}

const fn op(opcode: Opcode, operands: &'static [Pat]) -> Pattern {
    Pattern::of(opcode, ANY, operands)
}
const fn icmp(predicate: IntPredicate, operands: &'static [Pat]) -> Pattern {
    Pattern::icmp(predicate, ANY, operands)
}
/// An operation whose result is a number of so many bits.
const fn fop(opcode: Opcode, bits: u32, operands: &'static [Pat]) -> Pattern {
    Pattern::of(opcode, Types::Bits(bits), operands)
}
/// A comparison of numbers of so many bits.
const fn fcmp(predicate: FloatPredicate, bits: u32, operands: &'static [Pat]) -> Pattern {
    Pattern::fcmp(predicate, Types::Bits(bits), operands)
}
const fn load(opcode: Opcode, bits: u32) -> Pattern {
    Pattern::access(opcode, ANY, bits, &[Pat::Address(0, SIMM12)])
}
const fn store(bits: u32) -> Pattern {
    Pattern::access(G_STORE, ANY, bits, &[A, Pat::Address(0, SIMM12)])
}

const WHOLE: TargetFlags = TargetFlags::NONE;
const fn atomic(opcode: Opcode, bits: u32, ordering: Orderings) -> Pattern {
    Pattern::access(opcode, ANY, bits, &[A, B]).ordered(ordering)
}

/// An operation on bits of a word, which names its ordering.
const fn masked(operands: &'static [Pat]) -> Pattern {
    Pattern::access(G_INTRINSIC_W_SIDE_EFFECTS, ANY, 32, operands)
}
const ORDER: Pat = Pat::Imm(0, EVERY);

const RELAXED: Orderings = Orderings(&[Monotonic]);
const RELEASE: Orderings = Orderings(&[Release]);
const ACQUIRE: Orderings = Orderings(&[Acquire]);
const STRONG: Orderings = Orderings(&[AcquireRelease, SequentiallyConsistent]);
const EVERY_ORDER: Orderings = Orderings(&[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]);

const A: Pat = Pat::Reg(0);
const B: Pat = Pat::Reg(1);
const C: Pat = Pat::Reg(2);
const L: Pat = Pat::Label(0);
const D: Out = Def(GPR);
const T: Out = DefTemp(0, GPR);
const U: Out = DefTemp(1, GPR);
const V: Out = DefTemp(2, GPR);
const DH: Out = Def(FPR16);
const DS: Out = Def(FPR32);
const DD: Out = Def(FPR64);
// Rounding modes: to nearest, towards zero, down, up, to nearest with ties away from zero, that of the register `frm`.
const RNE: Out = Const(0);
const RTZ: Out = Const(1);
const RDN: Out = Const(2);
const RUP: Out = Const(3);
const RMM: Out = Const(4);
const DYN: Out = Const(7);
const Z: Out = Phys(ZERO);
const NIL: Pat = Pat::Imm(0, ZERO_IMM);

use FloatPredicate::{False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Une, Uno};
use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};

rules! {
    // Floating point. Rounding is as `frm` says, or towards zero, or there is none
    "fadd_s" if F: fop(G_FADD, 32, &[A, B]) => [FADD_S(DS, Reg(0), Reg(1), DYN)];
    "fsub_s" if F: fop(G_FSUB, 32, &[A, B]) => [FSUB_S(DS, Reg(0), Reg(1), DYN)];
    "fmul_s" if F: fop(G_FMUL, 32, &[A, B]) => [FMUL_S(DS, Reg(0), Reg(1), DYN)];
    "fdiv_s" if F: fop(G_FDIV, 32, &[A, B]) => [FDIV_S(DS, Reg(0), Reg(1), DYN)];
    "fnmadd_s" if F: fop(G_FMA, 32, &[Pat::Op(&fop(G_FNEG, 32, &[A])), B, Pat::Op(&fop(G_FNEG, 32, &[C]))]) => [FNMADD_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "fmsub_s" if F: fop(G_FMA, 32, &[A, B, Pat::Op(&fop(G_FNEG, 32, &[C]))]) => [FMSUB_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_s" if F: fop(G_FMA, 32, &[Pat::Op(&fop(G_FNEG, 32, &[A])), B, C]) => [FNMSUB_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_s_commuted" if F: fop(G_FMA, 32, &[A, Pat::Op(&fop(G_FNEG, 32, &[B])), C]) => [FNMSUB_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "fmadd_s" if F: fop(G_FMA, 32, &[A, B, C]) => [FMADD_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "fsqrt_s" if F: fop(G_FSQRT, 32, &[A]) => [FSQRT_S(DS, Reg(0), DYN)];
    "strict_fadd_s" if F: fop(G_STRICT_FADD, 32, &[A, B]) => [FADD_S(DS, Reg(0), Reg(1), DYN)];
    "strict_fsub_s" if F: fop(G_STRICT_FSUB, 32, &[A, B]) => [FSUB_S(DS, Reg(0), Reg(1), DYN)];
    "strict_fmul_s" if F: fop(G_STRICT_FMUL, 32, &[A, B]) => [FMUL_S(DS, Reg(0), Reg(1), DYN)];
    "strict_fdiv_s" if F: fop(G_STRICT_FDIV, 32, &[A, B]) => [FDIV_S(DS, Reg(0), Reg(1), DYN)];
    "strict_fma_s" if F: fop(G_STRICT_FMA, 32, &[A, B, C]) => [FMADD_S(DS, Reg(0), Reg(1), Reg(2), DYN)];
    "strict_fsqrt_s" if F: fop(G_STRICT_FSQRT, 32, &[A]) => [FSQRT_S(DS, Reg(0), DYN)];
    "fneg_s" if F: fop(G_FNEG, 32, &[A]) => [FSGNJN_S(DS, Reg(0), Reg(0))];
    "fabs_s" if F: fop(G_FABS, 32, &[A]) => [FSGNJX_S(DS, Reg(0), Reg(0))];
    "fcopysign_neg_s" if F: fop(G_FCOPYSIGN, 32, &[A, Pat::Op(&fop(G_FNEG, 32, &[B]))]) => [FSGNJN_S(DS, Reg(0), Reg(1))];
    "fcopysign_s" if F: fop(G_FCOPYSIGN, 32, &[A, B]) => [FSGNJ_S(DS, Reg(0), Reg(1))];
    "fminnum_s" if F: fop(G_FMINNUM, 32, &[A, B]) => [FMIN_S(DS, Reg(0), Reg(1))];
    "fminimumnum_s" if F: fop(G_FMINIMUMNUM, 32, &[A, B]) => [FMIN_S(DS, Reg(0), Reg(1))];
    "fmaxnum_s" if F: fop(G_FMAXNUM, 32, &[A, B]) => [FMAX_S(DS, Reg(0), Reg(1))];
    "fmaximumnum_s" if F: fop(G_FMAXIMUMNUM, 32, &[A, B]) => [FMAX_S(DS, Reg(0), Reg(1))];
    "fcanonicalize_s" if F: fop(G_FCANONICALIZE, 32, &[A]) => [FMIN_S(DS, Reg(0), Reg(0))];
    "fminimum_s" if ZFA: fop(G_FMINIMUM, 32, &[A, B]) => [FMINM_S(DS, Reg(0), Reg(1))];
    "fmaximum_s" if ZFA: fop(G_FMAXIMUM, 32, &[A, B]) => [FMAXM_S(DS, Reg(0), Reg(1))];
    "fceil_s" if ZFA: fop(G_FCEIL, 32, &[A]) => [FROUND_S(DS, Reg(0), RUP)];
    "ffloor_s" if ZFA: fop(G_FFLOOR, 32, &[A]) => [FROUND_S(DS, Reg(0), RDN)];
    "trunc_s" if ZFA: fop(G_INTRINSIC_TRUNC, 32, &[A]) => [FROUND_S(DS, Reg(0), RTZ)];
    "round_s" if ZFA: fop(G_INTRINSIC_ROUND, 32, &[A]) => [FROUND_S(DS, Reg(0), RMM)];
    "roundeven_s" if ZFA: fop(G_INTRINSIC_ROUNDEVEN, 32, &[A]) => [FROUND_S(DS, Reg(0), RNE)];
    "fnearbyint_s" if ZFA: fop(G_FNEARBYINT, 32, &[A]) => [FROUND_S(DS, Reg(0), DYN)];
    "frint_s" if ZFA: fop(G_FRINT, 32, &[A]) => [FROUNDNX_S(DS, Reg(0), DYN)];
    "fcmp_oeq_s" if F: fcmp(Oeq, 32, &[A, B]) => [FEQ_S(D, Reg(0), Reg(1))];
    "fcmp_ogt_s" if F: fcmp(Ogt, 32, &[A, B]) => [FLT_S(D, Reg(1), Reg(0))];
    "fcmp_oge_s" if F: fcmp(Oge, 32, &[A, B]) => [FLE_S(D, Reg(1), Reg(0))];
    "fcmp_olt_s" if F: fcmp(Olt, 32, &[A, B]) => [FLT_S(D, Reg(0), Reg(1))];
    "fcmp_ole_s" if F: fcmp(Ole, 32, &[A, B]) => [FLE_S(D, Reg(0), Reg(1))];
    "fcmp_one_s" if F: fcmp(One, 32, &[A, B]) => [FLT_S(T, Reg(0), Reg(1)), FLT_S(U, Reg(1), Reg(0)), OR(D, Temp(0), Temp(1))];
    "fcmp_ord_s" if F: fcmp(Ord, 32, &[A, B]) => [FEQ_S(T, Reg(0), Reg(0)), FEQ_S(U, Reg(1), Reg(1)), AND(D, Temp(0), Temp(1))];
    "fcmp_uno_s" if F: fcmp(Uno, 32, &[A, B]) => [FEQ_S(T, Reg(0), Reg(0)), FEQ_S(U, Reg(1), Reg(1)), AND(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ueq_s" if F: fcmp(Ueq, 32, &[A, B]) => [FLT_S(T, Reg(0), Reg(1)), FLT_S(U, Reg(1), Reg(0)), OR(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ugt_s" if F: fcmp(FloatPredicate::Ugt, 32, &[A, B]) => [FLE_S(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_uge_s" if F: fcmp(FloatPredicate::Uge, 32, &[A, B]) => [FLT_S(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_ult_s" if F: fcmp(FloatPredicate::Ult, 32, &[A, B]) => [FLE_S(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_ule_s" if F: fcmp(FloatPredicate::Ule, 32, &[A, B]) => [FLT_S(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_une_s" if F: fcmp(Une, 32, &[A, B]) => [FEQ_S(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_true_s" if F: fcmp(True, 32, &[A, B]) => [ADDI(D, Z, Const(1))];
    "fcmp_false_s" if F: fcmp(False, 32, &[A, B]) => [MOVE(D, Z)];
    "is_fpclass_s" if F: op(G_IS_FPCLASS, &[Pat::RegOf(0, Types::Bits(32)), Pat::Imm(0, EVERY)]) => [FCLASS_S(T, Reg(0)), ANDI(U, Temp(0), ImmWith(0, classes)), SLTU(D, Z, Temp(1))];
    "fptosi_s" if RV64 F: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(D, Reg(0), RTZ)];
    "fptosi_s_32" if RV32 F: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(D, Reg(0), RTZ)];
    "fptoui_s" if RV64 F: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_LU_S(D, Reg(0), RTZ)];
    "fptoui_s_32" if RV32 F: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_WU_S(D, Reg(0), RTZ)];
    "fptosi_sat_s" if RV64 F: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(T, Reg(0), RTZ), FEQ_S(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptosi_sat_s_32" if RV32 F: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(T, Reg(0), RTZ), FEQ_S(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_s" if RV64 F: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_LU_S(T, Reg(0), RTZ), FEQ_S(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_s_32" if RV32 F: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_WU_S(T, Reg(0), RTZ), FEQ_S(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "lrint_s" if RV64 F: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(D, Reg(0), DYN)];
    "lrint_s_32" if RV32 F: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(D, Reg(0), DYN)];
    "llrint_s" if RV64 F: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(D, Reg(0), DYN)];
    "llrint_s_32" if RV32 F: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(D, Reg(0), DYN)];
    "lround_s" if RV64 F: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(D, Reg(0), RMM)];
    "lround_s_32" if RV32 F: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(D, Reg(0), RMM)];
    "llround_s" if RV64 F: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_L_S(D, Reg(0), RMM)];
    "llround_s_32" if RV32 F: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_W_S(D, Reg(0), RMM)];
    "sitofp_s_word" if RV64 F: fop(G_SITOFP, 32, &[Pat::Op(&op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_32)]))]) => [FCVT_S_W(DS, Reg(0), DYN)];
    "uitofp_s_word" if RV64 F: fop(G_UITOFP, 32, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]))]) => [FCVT_S_WU(DS, Reg(0), DYN)];
    "sitofp_s" if RV64 F: fop(G_SITOFP, 32, &[A]) => [FCVT_S_L(DS, Reg(0), DYN)];
    "sitofp_s_32" if RV32 F: fop(G_SITOFP, 32, &[A]) => [FCVT_S_W(DS, Reg(0), DYN)];
    "uitofp_s" if RV64 F: fop(G_UITOFP, 32, &[A]) => [FCVT_S_LU(DS, Reg(0), DYN)];
    "uitofp_s_32" if RV32 F: fop(G_UITOFP, 32, &[A]) => [FCVT_S_WU(DS, Reg(0), DYN)];
    "select_s" if F: Pattern::of(G_SELECT, Types::In(FPRB, 32), &[A, B, C]) => [Select_FPR32_Using_CC_GPR(DS, Reg(0), Z, Const(1), Reg(1), Reg(2))];
    "implicit_def_s" if F: Pattern::of(G_IMPLICIT_DEF, Types::In(FPRB, 32), &[]) => [UNDEFINED(DS)];
    "freeze_s" if F: Pattern::of(G_FREEZE, Types::In(FPRB, 32), &[A]) => [MOVE(DS, Reg(0))];
    "constant_fold_barrier_s" if F: Pattern::of(G_CONSTANT_FOLD_BARRIER, Types::In(FPRB, 32), &[A]) => [MOVE(DS, Reg(0))];
    "load_s" if F: Pattern::access(G_LOAD, Types::In(FPRB, 32), 32, &[Pat::Address(0, SIMM12)]) => [FLW(DS, Address(0))];
    "store_s" if F: Pattern::access(G_STORE, Types::In(FPRB, 32), 32, &[A, Pat::Address(0, SIMM12)]) => [FSW(Reg(0), Address(0))];
    "fadd_h" if ZFH: fop(G_FADD, 16, &[A, B]) => [FADD_H(DH, Reg(0), Reg(1), DYN)];
    "fsub_h" if ZFH: fop(G_FSUB, 16, &[A, B]) => [FSUB_H(DH, Reg(0), Reg(1), DYN)];
    "fmul_h" if ZFH: fop(G_FMUL, 16, &[A, B]) => [FMUL_H(DH, Reg(0), Reg(1), DYN)];
    "fdiv_h" if ZFH: fop(G_FDIV, 16, &[A, B]) => [FDIV_H(DH, Reg(0), Reg(1), DYN)];
    "fnmadd_h" if ZFH: fop(G_FMA, 16, &[Pat::Op(&fop(G_FNEG, 16, &[A])), B, Pat::Op(&fop(G_FNEG, 16, &[C]))]) => [FNMADD_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "fmsub_h" if ZFH: fop(G_FMA, 16, &[A, B, Pat::Op(&fop(G_FNEG, 16, &[C]))]) => [FMSUB_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_h" if ZFH: fop(G_FMA, 16, &[Pat::Op(&fop(G_FNEG, 16, &[A])), B, C]) => [FNMSUB_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_h_commuted" if ZFH: fop(G_FMA, 16, &[A, Pat::Op(&fop(G_FNEG, 16, &[B])), C]) => [FNMSUB_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "fmadd_h" if ZFH: fop(G_FMA, 16, &[A, B, C]) => [FMADD_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "fsqrt_h" if ZFH: fop(G_FSQRT, 16, &[A]) => [FSQRT_H(DH, Reg(0), DYN)];
    "strict_fadd_h" if ZFH: fop(G_STRICT_FADD, 16, &[A, B]) => [FADD_H(DH, Reg(0), Reg(1), DYN)];
    "strict_fsub_h" if ZFH: fop(G_STRICT_FSUB, 16, &[A, B]) => [FSUB_H(DH, Reg(0), Reg(1), DYN)];
    "strict_fmul_h" if ZFH: fop(G_STRICT_FMUL, 16, &[A, B]) => [FMUL_H(DH, Reg(0), Reg(1), DYN)];
    "strict_fdiv_h" if ZFH: fop(G_STRICT_FDIV, 16, &[A, B]) => [FDIV_H(DH, Reg(0), Reg(1), DYN)];
    "strict_fma_h" if ZFH: fop(G_STRICT_FMA, 16, &[A, B, C]) => [FMADD_H(DH, Reg(0), Reg(1), Reg(2), DYN)];
    "strict_fsqrt_h" if ZFH: fop(G_STRICT_FSQRT, 16, &[A]) => [FSQRT_H(DH, Reg(0), DYN)];
    "fneg_h" if ZFH: fop(G_FNEG, 16, &[A]) => [FSGNJN_H(DH, Reg(0), Reg(0))];
    "fabs_h" if ZFH: fop(G_FABS, 16, &[A]) => [FSGNJX_H(DH, Reg(0), Reg(0))];
    "fcopysign_neg_h" if ZFH: fop(G_FCOPYSIGN, 16, &[A, Pat::Op(&fop(G_FNEG, 16, &[B]))]) => [FSGNJN_H(DH, Reg(0), Reg(1))];
    "fcopysign_h" if ZFH: fop(G_FCOPYSIGN, 16, &[A, B]) => [FSGNJ_H(DH, Reg(0), Reg(1))];
    "fminnum_h" if ZFH: fop(G_FMINNUM, 16, &[A, B]) => [FMIN_H(DH, Reg(0), Reg(1))];
    "fminimumnum_h" if ZFH: fop(G_FMINIMUMNUM, 16, &[A, B]) => [FMIN_H(DH, Reg(0), Reg(1))];
    "fmaxnum_h" if ZFH: fop(G_FMAXNUM, 16, &[A, B]) => [FMAX_H(DH, Reg(0), Reg(1))];
    "fmaximumnum_h" if ZFH: fop(G_FMAXIMUMNUM, 16, &[A, B]) => [FMAX_H(DH, Reg(0), Reg(1))];
    "fcanonicalize_h" if ZFH: fop(G_FCANONICALIZE, 16, &[A]) => [FMIN_H(DH, Reg(0), Reg(0))];
    "fminimum_h" if ZFA ZFH: fop(G_FMINIMUM, 16, &[A, B]) => [FMINM_H(DH, Reg(0), Reg(1))];
    "fmaximum_h" if ZFA ZFH: fop(G_FMAXIMUM, 16, &[A, B]) => [FMAXM_H(DH, Reg(0), Reg(1))];
    "fceil_h" if ZFA ZFH: fop(G_FCEIL, 16, &[A]) => [FROUND_H(DH, Reg(0), RUP)];
    "ffloor_h" if ZFA ZFH: fop(G_FFLOOR, 16, &[A]) => [FROUND_H(DH, Reg(0), RDN)];
    "trunc_h" if ZFA ZFH: fop(G_INTRINSIC_TRUNC, 16, &[A]) => [FROUND_H(DH, Reg(0), RTZ)];
    "round_h" if ZFA ZFH: fop(G_INTRINSIC_ROUND, 16, &[A]) => [FROUND_H(DH, Reg(0), RMM)];
    "roundeven_h" if ZFA ZFH: fop(G_INTRINSIC_ROUNDEVEN, 16, &[A]) => [FROUND_H(DH, Reg(0), RNE)];
    "fnearbyint_h" if ZFA ZFH: fop(G_FNEARBYINT, 16, &[A]) => [FROUND_H(DH, Reg(0), DYN)];
    "frint_h" if ZFA ZFH: fop(G_FRINT, 16, &[A]) => [FROUNDNX_H(DH, Reg(0), DYN)];
    "fcmp_oeq_h" if ZFH: fcmp(Oeq, 16, &[A, B]) => [FEQ_H(D, Reg(0), Reg(1))];
    "fcmp_ogt_h" if ZFH: fcmp(Ogt, 16, &[A, B]) => [FLT_H(D, Reg(1), Reg(0))];
    "fcmp_oge_h" if ZFH: fcmp(Oge, 16, &[A, B]) => [FLE_H(D, Reg(1), Reg(0))];
    "fcmp_olt_h" if ZFH: fcmp(Olt, 16, &[A, B]) => [FLT_H(D, Reg(0), Reg(1))];
    "fcmp_ole_h" if ZFH: fcmp(Ole, 16, &[A, B]) => [FLE_H(D, Reg(0), Reg(1))];
    "fcmp_one_h" if ZFH: fcmp(One, 16, &[A, B]) => [FLT_H(T, Reg(0), Reg(1)), FLT_H(U, Reg(1), Reg(0)), OR(D, Temp(0), Temp(1))];
    "fcmp_ord_h" if ZFH: fcmp(Ord, 16, &[A, B]) => [FEQ_H(T, Reg(0), Reg(0)), FEQ_H(U, Reg(1), Reg(1)), AND(D, Temp(0), Temp(1))];
    "fcmp_uno_h" if ZFH: fcmp(Uno, 16, &[A, B]) => [FEQ_H(T, Reg(0), Reg(0)), FEQ_H(U, Reg(1), Reg(1)), AND(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ueq_h" if ZFH: fcmp(Ueq, 16, &[A, B]) => [FLT_H(T, Reg(0), Reg(1)), FLT_H(U, Reg(1), Reg(0)), OR(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ugt_h" if ZFH: fcmp(FloatPredicate::Ugt, 16, &[A, B]) => [FLE_H(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_uge_h" if ZFH: fcmp(FloatPredicate::Uge, 16, &[A, B]) => [FLT_H(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_ult_h" if ZFH: fcmp(FloatPredicate::Ult, 16, &[A, B]) => [FLE_H(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_ule_h" if ZFH: fcmp(FloatPredicate::Ule, 16, &[A, B]) => [FLT_H(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_une_h" if ZFH: fcmp(Une, 16, &[A, B]) => [FEQ_H(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_true_h" if ZFH: fcmp(True, 16, &[A, B]) => [ADDI(D, Z, Const(1))];
    "fcmp_false_h" if ZFH: fcmp(False, 16, &[A, B]) => [MOVE(D, Z)];
    "is_fpclass_h" if ZFH: op(G_IS_FPCLASS, &[Pat::RegOf(0, Types::Bits(16)), Pat::Imm(0, EVERY)]) => [FCLASS_H(T, Reg(0)), ANDI(U, Temp(0), ImmWith(0, classes)), SLTU(D, Z, Temp(1))];
    "fptosi_h" if RV64 ZFH: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(D, Reg(0), RTZ)];
    "fptosi_h_32" if RV32 ZFH: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(D, Reg(0), RTZ)];
    "fptoui_h" if RV64 ZFH: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_LU_H(D, Reg(0), RTZ)];
    "fptoui_h_32" if RV32 ZFH: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_WU_H(D, Reg(0), RTZ)];
    "fptosi_sat_h" if RV64 ZFH: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(T, Reg(0), RTZ), FEQ_H(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptosi_sat_h_32" if RV32 ZFH: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(T, Reg(0), RTZ), FEQ_H(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_h" if RV64 ZFH: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_LU_H(T, Reg(0), RTZ), FEQ_H(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_h_32" if RV32 ZFH: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_WU_H(T, Reg(0), RTZ), FEQ_H(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "lrint_h" if RV64 ZFH: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(D, Reg(0), DYN)];
    "lrint_h_32" if RV32 ZFH: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(D, Reg(0), DYN)];
    "llrint_h" if RV64 ZFH: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(D, Reg(0), DYN)];
    "llrint_h_32" if RV32 ZFH: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(D, Reg(0), DYN)];
    "lround_h" if RV64 ZFH: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(D, Reg(0), RMM)];
    "lround_h_32" if RV32 ZFH: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(D, Reg(0), RMM)];
    "llround_h" if RV64 ZFH: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_L_H(D, Reg(0), RMM)];
    "llround_h_32" if RV32 ZFH: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_W_H(D, Reg(0), RMM)];
    "sitofp_h_word" if RV64 ZFH: fop(G_SITOFP, 16, &[Pat::Op(&op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_32)]))]) => [FCVT_H_W(DH, Reg(0), DYN)];
    "uitofp_h_word" if RV64 ZFH: fop(G_UITOFP, 16, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]))]) => [FCVT_H_WU(DH, Reg(0), DYN)];
    "sitofp_h" if RV64 ZFH: fop(G_SITOFP, 16, &[A]) => [FCVT_H_L(DH, Reg(0), DYN)];
    "sitofp_h_32" if RV32 ZFH: fop(G_SITOFP, 16, &[A]) => [FCVT_H_W(DH, Reg(0), DYN)];
    "uitofp_h" if RV64 ZFH: fop(G_UITOFP, 16, &[A]) => [FCVT_H_LU(DH, Reg(0), DYN)];
    "uitofp_h_32" if RV32 ZFH: fop(G_UITOFP, 16, &[A]) => [FCVT_H_WU(DH, Reg(0), DYN)];
    "select_h" if ZFHMIN: Pattern::of(G_SELECT, Types::In(FPRB, 16), &[A, B, C]) => [Select_FPR16_Using_CC_GPR(DH, Reg(0), Z, Const(1), Reg(1), Reg(2))];
    "implicit_def_h" if ZFHMIN: Pattern::of(G_IMPLICIT_DEF, Types::In(FPRB, 16), &[]) => [UNDEFINED(DH)];
    "freeze_h" if ZFHMIN: Pattern::of(G_FREEZE, Types::In(FPRB, 16), &[A]) => [MOVE(DH, Reg(0))];
    "constant_fold_barrier_h" if ZFHMIN: Pattern::of(G_CONSTANT_FOLD_BARRIER, Types::In(FPRB, 16), &[A]) => [MOVE(DH, Reg(0))];
    "load_h" if ZFHMIN: Pattern::access(G_LOAD, Types::In(FPRB, 16), 16, &[Pat::Address(0, SIMM12)]) => [FLH(DH, Address(0))];
    "store_h" if ZFHMIN: Pattern::access(G_STORE, Types::In(FPRB, 16), 16, &[A, Pat::Address(0, SIMM12)]) => [FSH(Reg(0), Address(0))];
    "fpext_s_h" if ZFHMIN: fop(G_FPEXT, 32, &[A]) => [FCVT_S_H(DS, Reg(0), RNE)];
    "fpext_d_h" if ZFHMIN D: fop(G_FPEXT, 64, &[Pat::RegOf(0, Types::Bits(16))]) => [FCVT_D_H(DD, Reg(0), RNE)];
    "fptrunc_h_s" if ZFHMIN: fop(G_FPTRUNC, 16, &[Pat::RegOf(0, Types::Bits(32))]) => [FCVT_H_S(DH, Reg(0), DYN)];
    "fptrunc_h_d" if ZFHMIN D: fop(G_FPTRUNC, 16, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_H_D(DH, Reg(0), DYN)];
    "half_zero" if ZFHMIN: Pattern::of(G_TRUNC, Types::In(FPRB, 16), &[NIL]) => [FMV_H_X(DH, Z)];
    "half_of_float" if RV64 F ZFHMIN: Pattern::of(G_TRUNC, Types::In(FPRB, 16), &[Pat::RegOf(0, Types::In(FPRB, 32))]) => [FMV_X_W(T, Reg(0)), FMV_H_X(DH, Temp(0))];
    "half_of_double" if RV32 D ZFHMIN: Pattern::of(G_TRUNC, Types::In(FPRB, 16), &[Pat::RegOf(0, Types::In(FPRB, 64))]) => [SplitF64Pseudo(T, U, Reg(0)), FMV_H_X(DH, Temp(0))];
    "half_of_bits" if ZFHMIN: Pattern::of(G_TRUNC, Types::In(FPRB, 16), &[A]) => [FMV_H_X(DH, Reg(0))];
    "float_of_half" if RV64 F ZFHMIN: Pattern::of(G_ANYEXT, Types::In(FPRB, 32), &[Pat::RegOf(0, Types::In(FPRB, 16))]) => [FMV_X_H(T, Reg(0)), FMV_W_X(DS, Temp(0))];
    "double_of_half" if RV32 D ZFHMIN: Pattern::of(G_ANYEXT, Types::In(FPRB, 64), &[Pat::RegOf(0, Types::In(FPRB, 16))]) => [FMV_X_H(T, Reg(0)), BuildPairF64Pseudo(DD, Temp(0), Z)];
    "bits_of_half" if ZFHMIN: op(G_ANYEXT, &[Pat::RegOf(0, Types::In(FPRB, 16))]) => [FMV_X_H(D, Reg(0))];
    "sext_half_number" if ZFHMIN: op(G_SEXT, &[Pat::RegOf(0, Types::In(FPRB, 16))]) => [FMV_X_H(D, Reg(0))];
    "fadd_d" if D: fop(G_FADD, 64, &[A, B]) => [FADD_D(DD, Reg(0), Reg(1), DYN)];
    "fsub_d" if D: fop(G_FSUB, 64, &[A, B]) => [FSUB_D(DD, Reg(0), Reg(1), DYN)];
    "fmul_d" if D: fop(G_FMUL, 64, &[A, B]) => [FMUL_D(DD, Reg(0), Reg(1), DYN)];
    "fdiv_d" if D: fop(G_FDIV, 64, &[A, B]) => [FDIV_D(DD, Reg(0), Reg(1), DYN)];
    "fnmadd_d" if D: fop(G_FMA, 64, &[Pat::Op(&fop(G_FNEG, 64, &[A])), B, Pat::Op(&fop(G_FNEG, 64, &[C]))]) => [FNMADD_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "fmsub_d" if D: fop(G_FMA, 64, &[A, B, Pat::Op(&fop(G_FNEG, 64, &[C]))]) => [FMSUB_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_d" if D: fop(G_FMA, 64, &[Pat::Op(&fop(G_FNEG, 64, &[A])), B, C]) => [FNMSUB_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "fnmsub_d_commuted" if D: fop(G_FMA, 64, &[A, Pat::Op(&fop(G_FNEG, 64, &[B])), C]) => [FNMSUB_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "fmadd_d" if D: fop(G_FMA, 64, &[A, B, C]) => [FMADD_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "fsqrt_d" if D: fop(G_FSQRT, 64, &[A]) => [FSQRT_D(DD, Reg(0), DYN)];
    "strict_fadd_d" if D: fop(G_STRICT_FADD, 64, &[A, B]) => [FADD_D(DD, Reg(0), Reg(1), DYN)];
    "strict_fsub_d" if D: fop(G_STRICT_FSUB, 64, &[A, B]) => [FSUB_D(DD, Reg(0), Reg(1), DYN)];
    "strict_fmul_d" if D: fop(G_STRICT_FMUL, 64, &[A, B]) => [FMUL_D(DD, Reg(0), Reg(1), DYN)];
    "strict_fdiv_d" if D: fop(G_STRICT_FDIV, 64, &[A, B]) => [FDIV_D(DD, Reg(0), Reg(1), DYN)];
    "strict_fma_d" if D: fop(G_STRICT_FMA, 64, &[A, B, C]) => [FMADD_D(DD, Reg(0), Reg(1), Reg(2), DYN)];
    "strict_fsqrt_d" if D: fop(G_STRICT_FSQRT, 64, &[A]) => [FSQRT_D(DD, Reg(0), DYN)];
    "fneg_d" if D: fop(G_FNEG, 64, &[A]) => [FSGNJN_D(DD, Reg(0), Reg(0))];
    "fabs_d" if D: fop(G_FABS, 64, &[A]) => [FSGNJX_D(DD, Reg(0), Reg(0))];
    "fcopysign_neg_d" if D: fop(G_FCOPYSIGN, 64, &[A, Pat::Op(&fop(G_FNEG, 64, &[B]))]) => [FSGNJN_D(DD, Reg(0), Reg(1))];
    "fcopysign_d" if D: fop(G_FCOPYSIGN, 64, &[A, B]) => [FSGNJ_D(DD, Reg(0), Reg(1))];
    "fminnum_d" if D: fop(G_FMINNUM, 64, &[A, B]) => [FMIN_D(DD, Reg(0), Reg(1))];
    "fminimumnum_d" if D: fop(G_FMINIMUMNUM, 64, &[A, B]) => [FMIN_D(DD, Reg(0), Reg(1))];
    "fmaxnum_d" if D: fop(G_FMAXNUM, 64, &[A, B]) => [FMAX_D(DD, Reg(0), Reg(1))];
    "fmaximumnum_d" if D: fop(G_FMAXIMUMNUM, 64, &[A, B]) => [FMAX_D(DD, Reg(0), Reg(1))];
    "fcanonicalize_d" if D: fop(G_FCANONICALIZE, 64, &[A]) => [FMIN_D(DD, Reg(0), Reg(0))];
    "fminimum_d" if ZFA D: fop(G_FMINIMUM, 64, &[A, B]) => [FMINM_D(DD, Reg(0), Reg(1))];
    "fmaximum_d" if ZFA D: fop(G_FMAXIMUM, 64, &[A, B]) => [FMAXM_D(DD, Reg(0), Reg(1))];
    "fceil_d" if ZFA D: fop(G_FCEIL, 64, &[A]) => [FROUND_D(DD, Reg(0), RUP)];
    "ffloor_d" if ZFA D: fop(G_FFLOOR, 64, &[A]) => [FROUND_D(DD, Reg(0), RDN)];
    "trunc_d" if ZFA D: fop(G_INTRINSIC_TRUNC, 64, &[A]) => [FROUND_D(DD, Reg(0), RTZ)];
    "round_d" if ZFA D: fop(G_INTRINSIC_ROUND, 64, &[A]) => [FROUND_D(DD, Reg(0), RMM)];
    "roundeven_d" if ZFA D: fop(G_INTRINSIC_ROUNDEVEN, 64, &[A]) => [FROUND_D(DD, Reg(0), RNE)];
    "fnearbyint_d" if ZFA D: fop(G_FNEARBYINT, 64, &[A]) => [FROUND_D(DD, Reg(0), DYN)];
    "frint_d" if ZFA D: fop(G_FRINT, 64, &[A]) => [FROUNDNX_D(DD, Reg(0), DYN)];
    "fcmp_oeq_d" if D: fcmp(Oeq, 64, &[A, B]) => [FEQ_D(D, Reg(0), Reg(1))];
    "fcmp_ogt_d" if D: fcmp(Ogt, 64, &[A, B]) => [FLT_D(D, Reg(1), Reg(0))];
    "fcmp_oge_d" if D: fcmp(Oge, 64, &[A, B]) => [FLE_D(D, Reg(1), Reg(0))];
    "fcmp_olt_d" if D: fcmp(Olt, 64, &[A, B]) => [FLT_D(D, Reg(0), Reg(1))];
    "fcmp_ole_d" if D: fcmp(Ole, 64, &[A, B]) => [FLE_D(D, Reg(0), Reg(1))];
    "fcmp_one_d" if D: fcmp(One, 64, &[A, B]) => [FLT_D(T, Reg(0), Reg(1)), FLT_D(U, Reg(1), Reg(0)), OR(D, Temp(0), Temp(1))];
    "fcmp_ord_d" if D: fcmp(Ord, 64, &[A, B]) => [FEQ_D(T, Reg(0), Reg(0)), FEQ_D(U, Reg(1), Reg(1)), AND(D, Temp(0), Temp(1))];
    "fcmp_uno_d" if D: fcmp(Uno, 64, &[A, B]) => [FEQ_D(T, Reg(0), Reg(0)), FEQ_D(U, Reg(1), Reg(1)), AND(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ueq_d" if D: fcmp(Ueq, 64, &[A, B]) => [FLT_D(T, Reg(0), Reg(1)), FLT_D(U, Reg(1), Reg(0)), OR(V, Temp(0), Temp(1)), XORI(D, Temp(2), Const(1))];
    "fcmp_ugt_d" if D: fcmp(FloatPredicate::Ugt, 64, &[A, B]) => [FLE_D(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_uge_d" if D: fcmp(FloatPredicate::Uge, 64, &[A, B]) => [FLT_D(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_ult_d" if D: fcmp(FloatPredicate::Ult, 64, &[A, B]) => [FLE_D(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_ule_d" if D: fcmp(FloatPredicate::Ule, 64, &[A, B]) => [FLT_D(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "fcmp_une_d" if D: fcmp(Une, 64, &[A, B]) => [FEQ_D(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "fcmp_true_d" if D: fcmp(True, 64, &[A, B]) => [ADDI(D, Z, Const(1))];
    "fcmp_false_d" if D: fcmp(False, 64, &[A, B]) => [MOVE(D, Z)];
    "is_fpclass_d" if D: op(G_IS_FPCLASS, &[Pat::RegOf(0, Types::Bits(64)), Pat::Imm(0, EVERY)]) => [FCLASS_D(T, Reg(0)), ANDI(U, Temp(0), ImmWith(0, classes)), SLTU(D, Z, Temp(1))];
    "fptosi_d" if RV64 D: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(D, Reg(0), RTZ)];
    "fptosi_d_32" if RV32 D: op(G_FPTOSI, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(D, Reg(0), RTZ)];
    "fptoui_d" if RV64 D: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_LU_D(D, Reg(0), RTZ)];
    "fptoui_d_32" if RV32 D: op(G_FPTOUI, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_WU_D(D, Reg(0), RTZ)];
    "fptosi_sat_d" if RV64 D: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(T, Reg(0), RTZ), FEQ_D(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptosi_sat_d_32" if RV32 D: op(G_FPTOSI_SAT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(T, Reg(0), RTZ), FEQ_D(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_d" if RV64 D: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_LU_D(T, Reg(0), RTZ), FEQ_D(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "fptoui_sat_d_32" if RV32 D: op(G_FPTOUI_SAT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_WU_D(T, Reg(0), RTZ), FEQ_D(U, Reg(0), Reg(0)), SUB(V, Z, Temp(1)), AND(D, Temp(0), Temp(2))];
    "lrint_d" if RV64 D: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(D, Reg(0), DYN)];
    "lrint_d_32" if RV32 D: op(G_INTRINSIC_LRINT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(D, Reg(0), DYN)];
    "llrint_d" if RV64 D: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(D, Reg(0), DYN)];
    "llrint_d_32" if RV32 D: op(G_INTRINSIC_LLRINT, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(D, Reg(0), DYN)];
    "lround_d" if RV64 D: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(D, Reg(0), RMM)];
    "lround_d_32" if RV32 D: op(G_LROUND, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(D, Reg(0), RMM)];
    "llround_d" if RV64 D: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_L_D(D, Reg(0), RMM)];
    "llround_d_32" if RV32 D: op(G_LLROUND, &[Pat::RegOf(0, Types::Bits(64))]) => [FCVT_W_D(D, Reg(0), RMM)];
    "sitofp_d_word" if RV64 D: fop(G_SITOFP, 64, &[Pat::Op(&op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_32)]))]) => [FCVT_D_W(DD, Reg(0), RNE)];
    "uitofp_d_word" if RV64 D: fop(G_UITOFP, 64, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]))]) => [FCVT_D_WU(DD, Reg(0), RNE)];
    "sitofp_d" if RV64 D: fop(G_SITOFP, 64, &[A]) => [FCVT_D_L(DD, Reg(0), DYN)];
    "sitofp_d_32" if RV32 D: fop(G_SITOFP, 64, &[A]) => [FCVT_D_W(DD, Reg(0), RNE)];
    "uitofp_d" if RV64 D: fop(G_UITOFP, 64, &[A]) => [FCVT_D_LU(DD, Reg(0), DYN)];
    "uitofp_d_32" if RV32 D: fop(G_UITOFP, 64, &[A]) => [FCVT_D_WU(DD, Reg(0), RNE)];
    "select_d" if D: Pattern::of(G_SELECT, Types::In(FPRB, 64), &[A, B, C]) => [Select_FPR64_Using_CC_GPR(DD, Reg(0), Z, Const(1), Reg(1), Reg(2))];
    "implicit_def_d" if D: Pattern::of(G_IMPLICIT_DEF, Types::In(FPRB, 64), &[]) => [UNDEFINED(DD)];
    "freeze_d" if D: Pattern::of(G_FREEZE, Types::In(FPRB, 64), &[A]) => [MOVE(DD, Reg(0))];
    "constant_fold_barrier_d" if D: Pattern::of(G_CONSTANT_FOLD_BARRIER, Types::In(FPRB, 64), &[A]) => [MOVE(DD, Reg(0))];
    "load_d" if D: Pattern::access(G_LOAD, Types::In(FPRB, 64), 64, &[Pat::Address(0, SIMM12)]) => [FLD(DD, Address(0))];
    "store_d" if D: Pattern::access(G_STORE, Types::In(FPRB, 64), 64, &[A, Pat::Address(0, SIMM12)]) => [FSD(Reg(0), Address(0))];
    "fconstant_s_loaded" if ZFA: fop(G_FCONSTANT, 32, &[Pat::Imm(0, LOADED)]) => [FLI_S(DS, ImmWith(0, loaded))];
    "fconstant_s_zero" if F: fop(G_FCONSTANT, 32, &[NIL]) => [FMV_W_X(DS, Z)];
    "fconstant_s_upper" if F: fop(G_FCONSTANT, 32, &[Pat::Imm(0, UPPER20)]) => [LUI(T, ImmWith(0, upper20)), FMV_W_X(DS, Temp(0))];
    "fconstant_s" if F: fop(G_FCONSTANT, 32, &[Pat::Imm(0, EVERY)]) => [LUI(T, ImmWith(0, upper20)), ADDI(U, Temp(0), ImmWith(0, lower12)), FMV_W_X(DS, Temp(1))];
    "fconstant_d_loaded" if ZFA D: fop(G_FCONSTANT, 64, &[Pat::Imm(0, LOADED)]) => [FLI_D(DD, ImmWith(0, loaded))];
    "fconstant_d_zero" if RV64 D: fop(G_FCONSTANT, 64, &[NIL]) => [FMV_D_X(DD, Z)];
    "fconstant_d_upper" if RV64 D: fop(G_FCONSTANT, 64, &[Pat::Imm(0, TOP_UPPER)]) => [LUI(T, ImmWith(0, top_upper)), SLLI(U, Temp(0), Const(32)), FMV_D_X(DD, Temp(1))];
    "fconstant_d_top" if RV64 D: fop(G_FCONSTANT, 64, &[Pat::Imm(0, TOP)]) => [LUI(T, ImmWith(0, top_upper)), ADDIW(U, Temp(0), ImmWith(0, top_lower)), SLLI(V, Temp(1), Const(32)), FMV_D_X(DD, Temp(2))];
    "fconstant_d" if RV64 D: fop(G_FCONSTANT, 64, &[Pat::Imm(0, EVERY)]) => [LUI(DefTemp(0, GPR), ImmWith(0, top_upper)), ADDIW(DefTemp(1, GPR), Temp(0), ImmWith(0, top_lower)),
        SLLI(DefTemp(2, GPR), Temp(1), Const(11)), ADDI(DefTemp(3, GPR), Temp(2), ImmWith(0, bits21)),
        SLLI(DefTemp(4, GPR), Temp(3), Const(11)), ADDI(DefTemp(5, GPR), Temp(4), ImmWith(0, bits10)),
        SLLI(DefTemp(6, GPR), Temp(5), Const(10)), ADDI(DefTemp(7, GPR), Temp(6), ImmWith(0, bits0)), FMV_D_X(DD, Temp(7))];
    "fconstant_d_zero_32" if RV32 D: fop(G_FCONSTANT, 64, &[NIL]) => [FCVT_D_W(DD, Z, RNE)];
    "fconstant_d_32" if RV32 D: fop(G_FCONSTANT, 64, &[Pat::Imm(0, EVERY)]) => [LUI(DefTemp(0, GPR), ImmWith(0, upper20)), ADDI(DefTemp(1, GPR), Temp(0), ImmWith(0, lower12)),
        LUI(DefTemp(2, GPR), ImmWith(0, top_upper)), ADDI(DefTemp(3, GPR), Temp(2), ImmWith(0, top_lower)), BuildPairF64Pseudo(DD, Temp(1), Temp(3))];
    "fpext" if D: fop(G_FPEXT, 64, &[A]) => [FCVT_D_S(DD, Reg(0), RNE)];
    "fptrunc" if D: fop(G_FPTRUNC, 32, &[A]) => [FCVT_S_D(DS, Reg(0), DYN)];
    "float_zero" if RV64 F: Pattern::of(G_TRUNC, Types::In(FPRB, 32), &[NIL]) => [FMV_W_X(DS, Z)];
    "float_of_bits" if RV64 F: Pattern::of(G_TRUNC, Types::In(FPRB, 32), &[A]) => [FMV_W_X(DS, Reg(0))];
    "bits_of_float" if RV64 F: op(G_ANYEXT, &[Pat::RegOf(0, Types::In(FPRB, 32))]) => [FMV_X_W(D, Reg(0))];
    "sext_float" if RV64 F: op(G_SEXT, &[Pat::RegOf(0, Types::In(FPRB, 32))]) => [FMV_X_W(D, Reg(0))];
    "double_of_halves_with_zfa" if RV32 D ZFA: Pattern::of(G_MERGE_VALUES, Types::In(FPRB, 64), &[A, B]) => [FMVP_D_X(DD, Reg(0), Reg(1))];
    "double_of_halves" if RV32 D: Pattern::of(G_MERGE_VALUES, Types::In(FPRB, 64), &[A, B]) => [BuildPairF64Pseudo(DD, Reg(0), Reg(1))];
    "halves_of_double" if RV32 D: op(G_UNMERGE_VALUES, &[Pat::RegOf(0, Types::In(FPRB, 64))]) => [SplitF64Pseudo(D, Out::Def2(GPR), Reg(0))];

    // Constants
    "const_zero": op(G_CONSTANT, &[NIL]) => [MOVE(D, Z)];
    "const_simm12": op(G_CONSTANT, &[Pat::Imm(0, SIMM12)]) => [ADDI(D, Z, Imm(0))];
    "const_upper20": op(G_CONSTANT, &[Pat::Imm(0, UPPER20)]) => [LUI(D, ImmWith(0, upper20))];
    "const_32" if RV32: op(G_CONSTANT, &[Pat::Imm(0, EVERY)]) => [LUI(T, ImmWith(0, upper20)), ADDI(D, Temp(0), ImmWith(0, lower12))];
    "const_simm32" if RV64: op(G_CONSTANT, &[Pat::Imm(0, SIMM32)]) => [LUI(T, ImmWith(0, upper20)), ADDIW(D, Temp(0), ImmWith(0, lower12))];
    "const_64" if RV64: op(G_CONSTANT, &[Pat::Imm(0, EVERY)]) => [LUI(DefTemp(0, GPR), ImmWith(0, top_upper)), ADDIW(DefTemp(1, GPR), Temp(0), ImmWith(0, top_lower)),
        SLLI(DefTemp(2, GPR), Temp(1), Const(11)), ADDI(DefTemp(3, GPR), Temp(2), ImmWith(0, bits21)),
        SLLI(DefTemp(4, GPR), Temp(3), Const(11)), ADDI(DefTemp(5, GPR), Temp(4), ImmWith(0, bits10)),
        SLLI(DefTemp(6, GPR), Temp(5), Const(10)), ADDI(D, Temp(6), ImmWith(0, bits0))];
    "implicit_def": op(G_IMPLICIT_DEF, &[]) => [UNDEFINED(D)];

    // Values as they are
    "freeze": op(G_FREEZE, &[A]) => [MOVE(D, Reg(0))];
    "constant_fold_barrier": op(G_CONSTANT_FOLD_BARRIER, &[A]) => [MOVE(D, Reg(0))];
    "ptrtoint": op(G_PTRTOINT, &[A]) => [MOVE(D, Reg(0))];
    "inttoptr": op(G_INTTOPTR, &[A]) => [MOVE(D, Reg(0))];
    "assert_sext": op(G_ASSERT_SEXT, &[A, Pat::Imm(0, EVERY)]) => [MOVE(D, Reg(0))];
    "assert_zext": op(G_ASSERT_ZEXT, &[A, Pat::Imm(0, EVERY)]) => [MOVE(D, Reg(0))];
    "assert_align": op(G_ASSERT_ALIGN, &[A, Pat::Imm(0, EVERY)]) => [MOVE(D, Reg(0))];

    // Word arithmetic: a 64-bit operation whose low word is sign-extended
    "addw_imm12" if RV64: op(G_SEXT_INREG, &[Pat::Op(&op(G_ADD, &[A, Pat::Imm(0, SIMM12)])), Pat::Imm(1, IS_32)]) => [ADDIW(D, Reg(0), Imm(0))];
    "subw_imm12" if RV64: op(G_SEXT_INREG, &[Pat::Op(&op(G_SUB, &[A, Pat::Imm(0, NEGATED)])), Pat::Imm(1, IS_32)]) => [ADDIW(D, Reg(0), ImmWith(0, negated))];
    "addw" if RV64: op(G_SEXT_INREG, &[Pat::Op(&op(G_ADD, &[A, B])), Pat::Imm(1, IS_32)]) => [ADDW(D, Reg(0), Reg(1))];
    "subw" if RV64: op(G_SEXT_INREG, &[Pat::Op(&op(G_SUB, &[A, B])), Pat::Imm(1, IS_32)]) => [SUBW(D, Reg(0), Reg(1))];
    "mulw" if RV64 M: op(G_SEXT_INREG, &[Pat::Op(&op(G_MUL, &[A, B])), Pat::Imm(1, IS_32)]) => [MULW(D, Reg(0), Reg(1))];
    "shlw_imm" if RV64: op(G_SEXT_INREG, &[Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, UIMM5)])), Pat::Imm(1, IS_32)]) => [SLLIW(D, Reg(0), Imm(0))];
    "sext_word" if RV64: op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_32)]) => [ADDIW(D, Reg(0), Const(0))];
    "sllw_imm" if RV64: op(G_SLLW, &[A, Pat::Imm(0, UIMM5)]) => [SLLIW(D, Reg(0), Imm(0))];
    "srlw_imm" if RV64: op(G_SRLW, &[A, Pat::Imm(0, UIMM5)]) => [SRLIW(D, Reg(0), Imm(0))];
    "sraw_imm" if RV64: op(G_SRAW, &[A, Pat::Imm(0, UIMM5)]) => [SRAIW(D, Reg(0), Imm(0))];
    "sllw" if RV64: op(G_SLLW, &[A, B]) => [SLLW(D, Reg(0), Reg(1))];
    "srlw" if RV64: op(G_SRLW, &[A, B]) => [SRLW(D, Reg(0), Reg(1))];
    "sraw" if RV64: op(G_SRAW, &[A, B]) => [SRAW(D, Reg(0), Reg(1))];
    "divw" if RV64 M: op(G_DIVW, &[A, B]) => [DIVW(D, Reg(0), Reg(1))];
    "divuw" if RV64 M: op(G_DIVUW, &[A, B]) => [DIVUW(D, Reg(0), Reg(1))];
    "remuw" if RV64 M: op(G_REMUW, &[A, B]) => [REMUW(D, Reg(0), Reg(1))];

    // Zba
    "sh1add" if ZBA: op(G_ADD, &[Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, ONE)])), B]) => [SH1ADD(D, Reg(0), Reg(1))];
    "sh2add" if ZBA: op(G_ADD, &[Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, TWO)])), B]) => [SH2ADD(D, Reg(0), Reg(1))];
    "sh3add" if ZBA: op(G_ADD, &[Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, THREE)])), B]) => [SH3ADD(D, Reg(0), Reg(1))];
    "sh1add_commuted" if ZBA: op(G_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, ONE)]))]) => [SH1ADD(D, Reg(0), Reg(1))];
    "sh2add_commuted" if ZBA: op(G_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, TWO)]))]) => [SH2ADD(D, Reg(0), Reg(1))];
    "sh3add_commuted" if ZBA: op(G_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, THREE)]))]) => [SH3ADD(D, Reg(0), Reg(1))];
    "sh1add_address" if ZBA: op(G_PTR_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, ONE)]))]) => [SH1ADD(D, Reg(0), Reg(1))];
    "sh2add_address" if ZBA: op(G_PTR_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, TWO)]))]) => [SH2ADD(D, Reg(0), Reg(1))];
    "sh3add_address" if ZBA: op(G_PTR_ADD, &[B, Pat::Op(&op(G_SHL, &[A, Pat::Imm(0, THREE)]))]) => [SH3ADD(D, Reg(0), Reg(1))];
    "add_uw" if RV64 ZBA: op(G_ADD, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)])), B]) => [ADD_UW(D, Reg(0), Reg(1))];
    "add_uw_commuted" if RV64 ZBA: op(G_ADD, &[B, Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]))]) => [ADD_UW(D, Reg(0), Reg(1))];
    "slli_uw" if RV64 ZBA: op(G_SHL, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)])), Pat::Imm(1, AMOUNT)]) => [SLLI_UW(D, Reg(0), Imm(1))];
    "zext_word" if RV64 ZBA: op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]) => [ADD_UW(D, Reg(0), Z)];

    // Zbs, where it is shorter than what follows
    "bclr" if ZBS: op(G_AND, &[A, Pat::Op(&op(G_XOR, &[Pat::Op(&op(G_SHL, &[Pat::Imm(0, ONE), B])), Pat::Imm(1, ONES)]))]) => [BCLR(D, Reg(0), Reg(1))];
    "bext_imm" if ZBS: op(G_AND, &[Pat::Op(&op(G_LSHR, &[A, Pat::Imm(0, AMOUNT)])), Pat::Imm(1, ONE)]) => [BEXTI(D, Reg(0), Imm(0))];
    "bext" if ZBS: op(G_AND, &[Pat::Op(&op(G_LSHR, &[A, B])), Pat::Imm(0, ONE)]) => [BEXT(D, Reg(0), Reg(1))];
    "binv" if ZBS: op(G_XOR, &[A, Pat::Op(&op(G_SHL, &[Pat::Imm(0, ONE), B]))]) => [BINV(D, Reg(0), Reg(1))];
    "bset" if ZBS: op(G_OR, &[A, Pat::Op(&op(G_SHL, &[Pat::Imm(0, ONE), B]))]) => [BSET(D, Reg(0), Reg(1))];
    "bclr_imm" if ZBS: op(G_AND, &[A, Pat::Imm(0, ALL_BUT_ONE)]) => [BCLRI(D, Reg(0), ImmWith(0, place_left_out))];
    "binv_imm" if ZBS: op(G_XOR, &[A, Pat::Imm(0, SINGLE)]) => [BINVI(D, Reg(0), ImmWith(0, place))];
    "bset_imm" if ZBS: op(G_OR, &[A, Pat::Imm(0, SINGLE)]) => [BSETI(D, Reg(0), ImmWith(0, place))];

    // Zbb
    "andn" if ZBB: op(G_AND, &[A, Pat::Op(&op(G_XOR, &[B, Pat::Imm(0, ONES)]))]) => [ANDN(D, Reg(0), Reg(1))];
    "andn_commuted" if ZBB: op(G_AND, &[Pat::Op(&op(G_XOR, &[B, Pat::Imm(0, ONES)])), A]) => [ANDN(D, Reg(0), Reg(1))];
    "orn" if ZBB: op(G_OR, &[A, Pat::Op(&op(G_XOR, &[B, Pat::Imm(0, ONES)]))]) => [ORN(D, Reg(0), Reg(1))];
    "orn_commuted" if ZBB: op(G_OR, &[Pat::Op(&op(G_XOR, &[B, Pat::Imm(0, ONES)])), A]) => [ORN(D, Reg(0), Reg(1))];
    "xnor" if ZBB: op(G_XOR, &[Pat::Op(&op(G_XOR, &[A, B])), Pat::Imm(0, ONES)]) => [XNOR(D, Reg(0), Reg(1))];
    "xnor_complement" if ZBB: op(G_XOR, &[A, Pat::Op(&op(G_XOR, &[B, Pat::Imm(0, ONES)]))]) => [XNOR(D, Reg(0), Reg(1))];
    "smin" if ZBB: op(G_SMIN, &[A, B]) => [MIN(D, Reg(0), Reg(1))];
    "smax" if ZBB: op(G_SMAX, &[A, B]) => [MAX(D, Reg(0), Reg(1))];
    "umin" if ZBB: op(G_UMIN, &[A, B]) => [MINU(D, Reg(0), Reg(1))];
    "umax" if ZBB: op(G_UMAX, &[A, B]) => [MAXU(D, Reg(0), Reg(1))];
    "ctpop_word" if RV64 ZBB: op(G_CTPOP, &[Pat::Op(&op(G_AND, &[A, Pat::Imm(0, LOW_WORD)]))]) => [CPOPW(D, Reg(0))];
    "ctpop" if ZBB: op(G_CTPOP, &[A]) => [CPOP(D, Reg(0))];
    "ctlz" if ZBB: op(G_CTLZ, &[A]) => [CLZ(D, Reg(0))];
    "cttz" if ZBB: op(G_CTTZ, &[A]) => [CTZ(D, Reg(0))];
    "sext_byte" if ZBB: op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_8)]) => [SEXT_B(D, Reg(0))];
    "sext_half" if ZBB: op(G_SEXT_INREG, &[A, Pat::Imm(0, IS_16)]) => [SEXT_H(D, Reg(0))];
    "zext_half" if RV64 ZBB: op(G_AND, &[A, Pat::Imm(0, LOW_HALF)]) => [ZEXT_H_RV64(D, Reg(0))];
    "zext_half_32" if RV32 ZBB: op(G_AND, &[A, Pat::Imm(0, LOW_HALF)]) => [ZEXT_H_RV32(D, Reg(0))];
    "bswap" if RV64 ZBB: op(G_BSWAP, &[A]) => [REV8_RV64(D, Reg(0))];
    "bswap_32" if RV32 ZBB: op(G_BSWAP, &[A]) => [REV8_RV32(D, Reg(0))];
    "rotl_imm6" if ZBB: op(G_ROTL, &[A, Pat::Imm(0, AMOUNT)]) => [RORI(D, Reg(0), ImmWith(0, opposite))];
    "rotr_imm6" if ZBB: op(G_ROTR, &[A, Pat::Imm(0, AMOUNT)]) => [RORI(D, Reg(0), Imm(0))];
    "rotl" if ZBB: op(G_ROTL, &[A, B]) => [ROL(D, Reg(0), Reg(1))];
    "rotr" if ZBB: op(G_ROTR, &[A, B]) => [ROR(D, Reg(0), Reg(1))];

    // Arithmetic
    "add_imm12": op(G_ADD, &[A, Pat::Imm(0, SIMM12)]) => [ADDI(D, Reg(0), Imm(0))];
    "sub_imm12": op(G_SUB, &[A, Pat::Imm(0, NEGATED)]) => [ADDI(D, Reg(0), ImmWith(0, negated))];
    "neg": op(G_SUB, &[Pat::Imm(0, ZERO_IMM), A]) => [SUB(D, Z, Reg(0))];
    "and_low_mask": op(G_AND, &[A, Pat::Imm(0, LOW_MASK)]) => [SLLI(T, Reg(0), ImmWith(0, mask_shift)), SRLI(D, Temp(0), ImmWith(0, mask_shift))];
    "and_imm12": op(G_AND, &[A, Pat::Imm(0, SIMM12)]) => [ANDI(D, Reg(0), Imm(0))];
    "or_imm12": op(G_OR, &[A, Pat::Imm(0, SIMM12)]) => [ORI(D, Reg(0), Imm(0))];
    "xor_imm12": op(G_XOR, &[A, Pat::Imm(0, SIMM12)]) => [XORI(D, Reg(0), Imm(0))];
    "shl_imm6": op(G_SHL, &[A, Pat::Imm(0, AMOUNT)]) => [SLLI(D, Reg(0), Imm(0))];
    "lshr_imm6": op(G_LSHR, &[A, Pat::Imm(0, AMOUNT)]) => [SRLI(D, Reg(0), Imm(0))];
    "ashr_imm6": op(G_ASHR, &[A, Pat::Imm(0, AMOUNT)]) => [SRAI(D, Reg(0), Imm(0))];
    "add": op(G_ADD, &[A, B]) => [ADD(D, Reg(0), Reg(1))];
    "sub": op(G_SUB, &[A, B]) => [SUB(D, Reg(0), Reg(1))];
    "and": op(G_AND, &[A, B]) => [AND(D, Reg(0), Reg(1))];
    "or": op(G_OR, &[A, B]) => [OR(D, Reg(0), Reg(1))];
    "xor": op(G_XOR, &[A, B]) => [XOR(D, Reg(0), Reg(1))];
    "shl": op(G_SHL, &[A, B]) => [SLL(D, Reg(0), Reg(1))];
    "lshr": op(G_LSHR, &[A, B]) => [SRL(D, Reg(0), Reg(1))];
    "ashr": op(G_ASHR, &[A, B]) => [SRA(D, Reg(0), Reg(1))];
    "mul" if M: op(G_MUL, &[A, B]) => [MUL(D, Reg(0), Reg(1))];
    "umulh" if M: op(G_UMULH, &[A, B]) => [MULHU(D, Reg(0), Reg(1))];
    "smulh" if M: op(G_SMULH, &[A, B]) => [MULH(D, Reg(0), Reg(1))];
    "sdiv" if M: op(G_SDIV, &[A, B]) => [DIV(D, Reg(0), Reg(1))];
    "udiv" if M: op(G_UDIV, &[A, B]) => [DIVU(D, Reg(0), Reg(1))];
    "srem" if M: op(G_SREM, &[A, B]) => [REM(D, Reg(0), Reg(1))];
    "urem" if M: op(G_UREM, &[A, B]) => [REMU(D, Reg(0), Reg(1))];

    // Addresses
    "ptr_add_stack_imm12": op(G_PTR_ADD, &[Pat::Stack(0), Pat::Imm(0, SIMM12)]) => [ADDI(D, Stack(0), Imm(0))];
    "ptr_add_imm12": op(G_PTR_ADD, &[A, Pat::Imm(0, SIMM12)]) => [ADDI(D, Reg(0), Imm(0))];
    "ptr_add": op(G_PTR_ADD, &[A, B]) => [ADD(D, Reg(0), Reg(1))];
    "global_absolute": op(G_GLOBAL_VALUE, &[Pat::Symbol(0, Absolute)]) => [LUI(T, Symbol(0, HI)), ADDI(D, Temp(0), Symbol(0, LO))];
    "global_pcrel": op(G_GLOBAL_VALUE, &[Pat::Symbol(0, PcRelative)]) => [PseudoLLA(D, Symbol(0, WHOLE))];
    "global_got": op(G_GLOBAL_VALUE, &[Pat::Symbol(0, Got)]) => [PseudoLGA(D, Symbol(0, WHOLE))];
    "global_local_exec": op(G_GLOBAL_VALUE, &[Pat::Symbol(0, LocalExec)]) => [LUI(T, Symbol(0, TPREL_HI)),
        PseudoAddTPRel(U, Temp(0), Phys(TP), Symbol(0, TPREL_ADD)), ADDI(D, Temp(1), Symbol(0, TPREL_LO))];
    "global_initial_exec": op(G_GLOBAL_VALUE, &[Pat::Symbol(0, InitialExec)]) => [PseudoLA_TLS_IE(T, Symbol(0, WHOLE)), ADD(D, Temp(0), Phys(TP))];
    // A table in a number: four bits for each mode, which tell its number of `FLT_ROUNDS`, and back.
    "get_rounding" if F: op(G_GET_ROUNDING, &[]) => [
        ReadFRM(DefTemp(0, GPR), ImplicitUse(FRM)), SLLI(DefTemp(1, GPR), Temp(0), Const(2)),
        LUI(DefTemp(2, GPR), Const(0x42)), ADDI(DefTemp(3, GPR), Temp(2), Const(0x301)),
        SRL(DefTemp(4, GPR), Temp(3), Temp(1)), ANDI(D, Temp(4), Const(7))];
    "set_rounding" if F: op(G_SET_ROUNDING, &[A]) => [
        SLLI(DefTemp(0, GPR), Reg(0), Const(2)), LUI(DefTemp(1, GPR), Const(0x42)),
        ADDI(DefTemp(2, GPR), Temp(1), Const(0x301)), SRL(DefTemp(3, GPR), Temp(2), Temp(0)),
        WriteFRM(Temp(3), ImplicitDef(FRM))];
    "get_fpenv" if F: op(G_GET_FPENV, &[]) => [ReadFCSR(D, ImplicitUse(FRM), ImplicitUse(FFLAGS))];
    "set_fpenv" if F: op(G_SET_FPENV, &[A]) => [WriteFCSR(Reg(0), ImplicitDef(FRM), ImplicitDef(FFLAGS))];
    "reset_fpenv" if F: op(G_RESET_FPENV, &[]) => [WriteFCSR(Phys(ZERO), ImplicitDef(FRM), ImplicitDef(FFLAGS))];
    "get_fpmode" if F: op(G_GET_FPMODE, &[]) => [ReadFRM(D, ImplicitUse(FRM))];
    "set_fpmode" if F: op(G_SET_FPMODE, &[A]) => [WriteFRM(Reg(0), ImplicitDef(FRM))];
    "reset_fpmode" if F: op(G_RESET_FPMODE, &[]) => [WriteFRM(Phys(ZERO), ImplicitDef(FRM))];
    "thread_pointer": op(G_INTRINSIC, &[Pat::Intrinsic("llvm.thread.pointer")]) => [ADDI(D, Phys(TP), Const(0))];
    "threadlocal_address": op(G_INTRINSIC, &[Pat::Intrinsic("llvm.threadlocal.address"), A]) => [MOVE(D, Reg(0))];
    "constant_absolute": op(G_CONSTANT_POOL, &[Pat::Symbol(0, Absolute)]) => [LUI(T, Symbol(0, HI)), ADDI(D, Temp(0), Symbol(0, LO))];
    "constant_pcrel": op(G_CONSTANT_POOL, &[Pat::Symbol(0, PcRelative)]) => [PseudoLLA(D, Symbol(0, WHOLE))];
    "block_absolute": op(G_BLOCK_ADDR, &[Pat::Symbol(0, Absolute)]) => [LUI(T, Symbol(0, HI)), ADDI(D, Temp(0), Symbol(0, LO))];
    "block_pcrel": op(G_BLOCK_ADDR, &[Pat::Symbol(0, PcRelative)]) => [PseudoLLA(D, Symbol(0, WHOLE))];
    "table_absolute": op(G_JUMP_TABLE, &[Pat::Symbol(0, Absolute)]) => [LUI(T, Symbol(0, HI)), ADDI(D, Temp(0), Symbol(0, LO))];
    "table_pcrel": op(G_JUMP_TABLE, &[Pat::Symbol(0, PcRelative)]) => [PseudoLLA(D, Symbol(0, WHOLE))];
    "frame_index": op(G_FRAME_INDEX, &[Pat::Stack(0)]) => [ADDI(D, Stack(0), Const(0))];

    // Comparisons
    "icmp_eq_zero": icmp(Eq, &[A, NIL]) => [SLTIU(D, Reg(0), Const(1))];
    "icmp_ne_zero": icmp(Ne, &[A, NIL]) => [SLTU(D, Z, Reg(0))];
    "icmp_eq_imm": icmp(Eq, &[A, Pat::Imm(0, NEGATED)]) => [ADDI(T, Reg(0), ImmWith(0, negated)), SLTIU(D, Temp(0), Const(1))];
    "icmp_ne_imm": icmp(Ne, &[A, Pat::Imm(0, NEGATED)]) => [ADDI(T, Reg(0), ImmWith(0, negated)), SLTU(D, Z, Temp(0))];
    "icmp_slt_imm": icmp(Slt, &[A, Pat::Imm(0, SIMM12)]) => [SLTI(D, Reg(0), Imm(0))];
    "icmp_ult_imm": icmp(Ult, &[A, Pat::Imm(0, SIMM12)]) => [SLTIU(D, Reg(0), Imm(0))];
    "icmp_sle_imm": icmp(Sle, &[A, Pat::Imm(0, BELOW)]) => [SLTI(D, Reg(0), ImmWith(0, next))];
    "icmp_ule_imm": icmp(Ule, &[A, Pat::Imm(0, UBELOW)]) => [SLTIU(D, Reg(0), ImmWith(0, next))];
    "icmp_sge_imm": icmp(Sge, &[A, Pat::Imm(0, SIMM12)]) => [SLTI(T, Reg(0), Imm(0)), XORI(D, Temp(0), Const(1))];
    "icmp_uge_imm": icmp(Uge, &[A, Pat::Imm(0, SIMM12)]) => [SLTIU(T, Reg(0), Imm(0)), XORI(D, Temp(0), Const(1))];
    "icmp_sgt_imm": icmp(Sgt, &[A, Pat::Imm(0, BELOW)]) => [SLTI(T, Reg(0), ImmWith(0, next)), XORI(D, Temp(0), Const(1))];
    "icmp_ugt_imm": icmp(Ugt, &[A, Pat::Imm(0, UBELOW)]) => [SLTIU(T, Reg(0), ImmWith(0, next)), XORI(D, Temp(0), Const(1))];
    "icmp_eq": icmp(Eq, &[A, B]) => [XOR(T, Reg(0), Reg(1)), SLTIU(D, Temp(0), Const(1))];
    "icmp_ne": icmp(Ne, &[A, B]) => [XOR(T, Reg(0), Reg(1)), SLTU(D, Z, Temp(0))];
    "icmp_slt": icmp(Slt, &[A, B]) => [SLT(D, Reg(0), Reg(1))];
    "icmp_ult": icmp(Ult, &[A, B]) => [SLTU(D, Reg(0), Reg(1))];
    "icmp_sgt": icmp(Sgt, &[A, B]) => [SLT(D, Reg(1), Reg(0))];
    "icmp_ugt": icmp(Ugt, &[A, B]) => [SLTU(D, Reg(1), Reg(0))];
    "icmp_sge": icmp(Sge, &[A, B]) => [SLT(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "icmp_uge": icmp(Uge, &[A, B]) => [SLTU(T, Reg(0), Reg(1)), XORI(D, Temp(0), Const(1))];
    "icmp_sle": icmp(Sle, &[A, B]) => [SLT(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];
    "icmp_ule": icmp(Ule, &[A, B]) => [SLTU(T, Reg(1), Reg(0)), XORI(D, Temp(0), Const(1))];

    // Selection with Zicond
    "czero_or_zero" if ZICOND: op(G_SELECT, &[A, B, NIL]) => [CZERO_EQZ(D, Reg(1), Reg(0))];
    "czero_zero_or" if ZICOND: op(G_SELECT, &[A, NIL, C]) => [CZERO_NEZ(D, Reg(2), Reg(0))];
    "czero" if ZICOND: op(G_SELECT, &[A, B, C]) => [CZERO_EQZ(T, Reg(1), Reg(0)), CZERO_NEZ(U, Reg(2), Reg(0)), OR(D, Temp(0), Temp(1))];

    // Selection by mask: the condition is 0 or 1
    "select_or_zero": op(G_SELECT, &[A, B, NIL]) => [SUB(T, Z, Reg(0)), AND(D, Temp(0), Reg(1))];
    "select_zero_or": op(G_SELECT, &[A, NIL, C]) => [ADDI(T, Reg(0), Const(-1)), AND(D, Temp(0), Reg(2))];
    "select": op(G_SELECT, &[A, B, C]) => [SUB(T, Z, Reg(0)), XOR(U, Reg(1), Reg(2)), AND(DefTemp(2, GPR), Temp(1), Temp(0)), XOR(D, Temp(2), Reg(2))];

    // Branches
    "brcond_eq_zero": op(G_BRCOND, &[Pat::Op(&icmp(Eq, &[A, NIL])), L]) => [BEQ(Reg(0), Z, Label(0))];
    "brcond_ne_zero": op(G_BRCOND, &[Pat::Op(&icmp(Ne, &[A, NIL])), L]) => [BNE(Reg(0), Z, Label(0))];
    "brcond_slt_zero": op(G_BRCOND, &[Pat::Op(&icmp(Slt, &[A, NIL])), L]) => [BLT(Reg(0), Z, Label(0))];
    "brcond_sge_zero": op(G_BRCOND, &[Pat::Op(&icmp(Sge, &[A, NIL])), L]) => [BGE(Reg(0), Z, Label(0))];
    "brcond_ult_zero": op(G_BRCOND, &[Pat::Op(&icmp(Ult, &[A, NIL])), L]) => [BLTU(Reg(0), Z, Label(0))];
    "brcond_uge_zero": op(G_BRCOND, &[Pat::Op(&icmp(Uge, &[A, NIL])), L]) => [BGEU(Reg(0), Z, Label(0))];
    "brcond_sgt_zero": op(G_BRCOND, &[Pat::Op(&icmp(Sgt, &[A, NIL])), L]) => [BLT(Z, Reg(0), Label(0))];
    "brcond_sle_zero": op(G_BRCOND, &[Pat::Op(&icmp(Sle, &[A, NIL])), L]) => [BGE(Z, Reg(0), Label(0))];
    "brcond_eq": op(G_BRCOND, &[Pat::Op(&icmp(Eq, &[A, B])), L]) => [BEQ(Reg(0), Reg(1), Label(0))];
    "brcond_ne": op(G_BRCOND, &[Pat::Op(&icmp(Ne, &[A, B])), L]) => [BNE(Reg(0), Reg(1), Label(0))];
    "brcond_slt": op(G_BRCOND, &[Pat::Op(&icmp(Slt, &[A, B])), L]) => [BLT(Reg(0), Reg(1), Label(0))];
    "brcond_sge": op(G_BRCOND, &[Pat::Op(&icmp(Sge, &[A, B])), L]) => [BGE(Reg(0), Reg(1), Label(0))];
    "brcond_ult": op(G_BRCOND, &[Pat::Op(&icmp(Ult, &[A, B])), L]) => [BLTU(Reg(0), Reg(1), Label(0))];
    "brcond_uge": op(G_BRCOND, &[Pat::Op(&icmp(Uge, &[A, B])), L]) => [BGEU(Reg(0), Reg(1), Label(0))];
    "brcond_sgt": op(G_BRCOND, &[Pat::Op(&icmp(Sgt, &[A, B])), L]) => [BLT(Reg(1), Reg(0), Label(0))];
    "brcond_sle": op(G_BRCOND, &[Pat::Op(&icmp(Sle, &[A, B])), L]) => [BGE(Reg(1), Reg(0), Label(0))];
    "brcond_ugt": op(G_BRCOND, &[Pat::Op(&icmp(Ugt, &[A, B])), L]) => [BLTU(Reg(1), Reg(0), Label(0))];
    "brcond_ule": op(G_BRCOND, &[Pat::Op(&icmp(Ule, &[A, B])), L]) => [BGEU(Reg(1), Reg(0), Label(0))];
    "brcond": op(G_BRCOND, &[A, L]) => [BNE(Reg(0), Z, Label(0))];
    "brindirect": op(G_BRINDIRECT, &[A]) => [PseudoBRIND(Reg(0), Const(0))];
    "br": op(G_BR, &[L]) => [PseudoBR(Label(0))];

    // Loads and stores; a plain load of a narrow access may leave anything above it
    "load8": load(G_LOAD, 8) => [LBU(D, Address(0))];
    "load16": load(G_LOAD, 16) => [LHU(D, Address(0))];
    "load32": load(G_LOAD, 32) => [LW(D, Address(0))];
    "load64" if RV64: load(G_LOAD, 64) => [LD(D, Address(0))];
    "zextload8": load(G_ZEXTLOAD, 8) => [LBU(D, Address(0))];
    "zextload16": load(G_ZEXTLOAD, 16) => [LHU(D, Address(0))];
    "zextload32" if RV64: load(G_ZEXTLOAD, 32) => [LWU(D, Address(0))];
    "sextload8": load(G_SEXTLOAD, 8) => [LB(D, Address(0))];
    "sextload16": load(G_SEXTLOAD, 16) => [LH(D, Address(0))];
    "sextload32" if RV64: load(G_SEXTLOAD, 32) => [LW(D, Address(0))];
    "store8_zero": Pattern::access(G_STORE, ANY, 8, &[NIL, Pat::Address(0, SIMM12)]) => [SB(Z, Address(0))];
    "store8": store(8) => [SB(Reg(0), Address(0))];
    "store16_zero": Pattern::access(G_STORE, ANY, 16, &[NIL, Pat::Address(0, SIMM12)]) => [SH(Z, Address(0))];
    "store16": store(16) => [SH(Reg(0), Address(0))];
    "store32_zero": Pattern::access(G_STORE, ANY, 32, &[NIL, Pat::Address(0, SIMM12)]) => [SW(Z, Address(0))];
    "store32": store(32) => [SW(Reg(0), Address(0))];
    "store64_zero" if RV64: Pattern::access(G_STORE, ANY, 64, &[NIL, Pat::Address(0, SIMM12)]) => [SD(Z, Address(0))];
    "store64" if RV64: store(64) => [SD(Reg(0), Address(0))];

    // Atomic operations; a bit of the instruction releases, another acquires, both are sequentially consistent
    "atomic_xchg32" if A: atomic(G_ATOMICRMW_XCHG, 32, RELAXED) => [AMOSWAP_W(D, Reg(1), Reg(0))];
    "atomic_xchg32_release" if A: atomic(G_ATOMICRMW_XCHG, 32, RELEASE) => [AMOSWAP_W_RL(D, Reg(1), Reg(0))];
    "atomic_xchg32_acquire" if A: atomic(G_ATOMICRMW_XCHG, 32, ACQUIRE) => [AMOSWAP_W_AQ(D, Reg(1), Reg(0))];
    "atomic_xchg32_acq_rel" if A: atomic(G_ATOMICRMW_XCHG, 32, STRONG) => [AMOSWAP_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_xchg64" if RV64 A: atomic(G_ATOMICRMW_XCHG, 64, RELAXED) => [AMOSWAP_D(D, Reg(1), Reg(0))];
    "atomic_xchg64_release" if RV64 A: atomic(G_ATOMICRMW_XCHG, 64, RELEASE) => [AMOSWAP_D_RL(D, Reg(1), Reg(0))];
    "atomic_xchg64_acquire" if RV64 A: atomic(G_ATOMICRMW_XCHG, 64, ACQUIRE) => [AMOSWAP_D_AQ(D, Reg(1), Reg(0))];
    "atomic_xchg64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_XCHG, 64, STRONG) => [AMOSWAP_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_add32" if A: atomic(G_ATOMICRMW_ADD, 32, RELAXED) => [AMOADD_W(D, Reg(1), Reg(0))];
    "atomic_add32_release" if A: atomic(G_ATOMICRMW_ADD, 32, RELEASE) => [AMOADD_W_RL(D, Reg(1), Reg(0))];
    "atomic_add32_acquire" if A: atomic(G_ATOMICRMW_ADD, 32, ACQUIRE) => [AMOADD_W_AQ(D, Reg(1), Reg(0))];
    "atomic_add32_acq_rel" if A: atomic(G_ATOMICRMW_ADD, 32, STRONG) => [AMOADD_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_add64" if RV64 A: atomic(G_ATOMICRMW_ADD, 64, RELAXED) => [AMOADD_D(D, Reg(1), Reg(0))];
    "atomic_add64_release" if RV64 A: atomic(G_ATOMICRMW_ADD, 64, RELEASE) => [AMOADD_D_RL(D, Reg(1), Reg(0))];
    "atomic_add64_acquire" if RV64 A: atomic(G_ATOMICRMW_ADD, 64, ACQUIRE) => [AMOADD_D_AQ(D, Reg(1), Reg(0))];
    "atomic_add64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_ADD, 64, STRONG) => [AMOADD_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_and32" if A: atomic(G_ATOMICRMW_AND, 32, RELAXED) => [AMOAND_W(D, Reg(1), Reg(0))];
    "atomic_and32_release" if A: atomic(G_ATOMICRMW_AND, 32, RELEASE) => [AMOAND_W_RL(D, Reg(1), Reg(0))];
    "atomic_and32_acquire" if A: atomic(G_ATOMICRMW_AND, 32, ACQUIRE) => [AMOAND_W_AQ(D, Reg(1), Reg(0))];
    "atomic_and32_acq_rel" if A: atomic(G_ATOMICRMW_AND, 32, STRONG) => [AMOAND_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_and64" if RV64 A: atomic(G_ATOMICRMW_AND, 64, RELAXED) => [AMOAND_D(D, Reg(1), Reg(0))];
    "atomic_and64_release" if RV64 A: atomic(G_ATOMICRMW_AND, 64, RELEASE) => [AMOAND_D_RL(D, Reg(1), Reg(0))];
    "atomic_and64_acquire" if RV64 A: atomic(G_ATOMICRMW_AND, 64, ACQUIRE) => [AMOAND_D_AQ(D, Reg(1), Reg(0))];
    "atomic_and64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_AND, 64, STRONG) => [AMOAND_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_or32" if A: atomic(G_ATOMICRMW_OR, 32, RELAXED) => [AMOOR_W(D, Reg(1), Reg(0))];
    "atomic_or32_release" if A: atomic(G_ATOMICRMW_OR, 32, RELEASE) => [AMOOR_W_RL(D, Reg(1), Reg(0))];
    "atomic_or32_acquire" if A: atomic(G_ATOMICRMW_OR, 32, ACQUIRE) => [AMOOR_W_AQ(D, Reg(1), Reg(0))];
    "atomic_or32_acq_rel" if A: atomic(G_ATOMICRMW_OR, 32, STRONG) => [AMOOR_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_or64" if RV64 A: atomic(G_ATOMICRMW_OR, 64, RELAXED) => [AMOOR_D(D, Reg(1), Reg(0))];
    "atomic_or64_release" if RV64 A: atomic(G_ATOMICRMW_OR, 64, RELEASE) => [AMOOR_D_RL(D, Reg(1), Reg(0))];
    "atomic_or64_acquire" if RV64 A: atomic(G_ATOMICRMW_OR, 64, ACQUIRE) => [AMOOR_D_AQ(D, Reg(1), Reg(0))];
    "atomic_or64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_OR, 64, STRONG) => [AMOOR_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_xor32" if A: atomic(G_ATOMICRMW_XOR, 32, RELAXED) => [AMOXOR_W(D, Reg(1), Reg(0))];
    "atomic_xor32_release" if A: atomic(G_ATOMICRMW_XOR, 32, RELEASE) => [AMOXOR_W_RL(D, Reg(1), Reg(0))];
    "atomic_xor32_acquire" if A: atomic(G_ATOMICRMW_XOR, 32, ACQUIRE) => [AMOXOR_W_AQ(D, Reg(1), Reg(0))];
    "atomic_xor32_acq_rel" if A: atomic(G_ATOMICRMW_XOR, 32, STRONG) => [AMOXOR_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_xor64" if RV64 A: atomic(G_ATOMICRMW_XOR, 64, RELAXED) => [AMOXOR_D(D, Reg(1), Reg(0))];
    "atomic_xor64_release" if RV64 A: atomic(G_ATOMICRMW_XOR, 64, RELEASE) => [AMOXOR_D_RL(D, Reg(1), Reg(0))];
    "atomic_xor64_acquire" if RV64 A: atomic(G_ATOMICRMW_XOR, 64, ACQUIRE) => [AMOXOR_D_AQ(D, Reg(1), Reg(0))];
    "atomic_xor64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_XOR, 64, STRONG) => [AMOXOR_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_max32" if A: atomic(G_ATOMICRMW_MAX, 32, RELAXED) => [AMOMAX_W(D, Reg(1), Reg(0))];
    "atomic_max32_release" if A: atomic(G_ATOMICRMW_MAX, 32, RELEASE) => [AMOMAX_W_RL(D, Reg(1), Reg(0))];
    "atomic_max32_acquire" if A: atomic(G_ATOMICRMW_MAX, 32, ACQUIRE) => [AMOMAX_W_AQ(D, Reg(1), Reg(0))];
    "atomic_max32_acq_rel" if A: atomic(G_ATOMICRMW_MAX, 32, STRONG) => [AMOMAX_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_max64" if RV64 A: atomic(G_ATOMICRMW_MAX, 64, RELAXED) => [AMOMAX_D(D, Reg(1), Reg(0))];
    "atomic_max64_release" if RV64 A: atomic(G_ATOMICRMW_MAX, 64, RELEASE) => [AMOMAX_D_RL(D, Reg(1), Reg(0))];
    "atomic_max64_acquire" if RV64 A: atomic(G_ATOMICRMW_MAX, 64, ACQUIRE) => [AMOMAX_D_AQ(D, Reg(1), Reg(0))];
    "atomic_max64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_MAX, 64, STRONG) => [AMOMAX_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_min32" if A: atomic(G_ATOMICRMW_MIN, 32, RELAXED) => [AMOMIN_W(D, Reg(1), Reg(0))];
    "atomic_min32_release" if A: atomic(G_ATOMICRMW_MIN, 32, RELEASE) => [AMOMIN_W_RL(D, Reg(1), Reg(0))];
    "atomic_min32_acquire" if A: atomic(G_ATOMICRMW_MIN, 32, ACQUIRE) => [AMOMIN_W_AQ(D, Reg(1), Reg(0))];
    "atomic_min32_acq_rel" if A: atomic(G_ATOMICRMW_MIN, 32, STRONG) => [AMOMIN_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_min64" if RV64 A: atomic(G_ATOMICRMW_MIN, 64, RELAXED) => [AMOMIN_D(D, Reg(1), Reg(0))];
    "atomic_min64_release" if RV64 A: atomic(G_ATOMICRMW_MIN, 64, RELEASE) => [AMOMIN_D_RL(D, Reg(1), Reg(0))];
    "atomic_min64_acquire" if RV64 A: atomic(G_ATOMICRMW_MIN, 64, ACQUIRE) => [AMOMIN_D_AQ(D, Reg(1), Reg(0))];
    "atomic_min64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_MIN, 64, STRONG) => [AMOMIN_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_umax32" if A: atomic(G_ATOMICRMW_UMAX, 32, RELAXED) => [AMOMAXU_W(D, Reg(1), Reg(0))];
    "atomic_umax32_release" if A: atomic(G_ATOMICRMW_UMAX, 32, RELEASE) => [AMOMAXU_W_RL(D, Reg(1), Reg(0))];
    "atomic_umax32_acquire" if A: atomic(G_ATOMICRMW_UMAX, 32, ACQUIRE) => [AMOMAXU_W_AQ(D, Reg(1), Reg(0))];
    "atomic_umax32_acq_rel" if A: atomic(G_ATOMICRMW_UMAX, 32, STRONG) => [AMOMAXU_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_umax64" if RV64 A: atomic(G_ATOMICRMW_UMAX, 64, RELAXED) => [AMOMAXU_D(D, Reg(1), Reg(0))];
    "atomic_umax64_release" if RV64 A: atomic(G_ATOMICRMW_UMAX, 64, RELEASE) => [AMOMAXU_D_RL(D, Reg(1), Reg(0))];
    "atomic_umax64_acquire" if RV64 A: atomic(G_ATOMICRMW_UMAX, 64, ACQUIRE) => [AMOMAXU_D_AQ(D, Reg(1), Reg(0))];
    "atomic_umax64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_UMAX, 64, STRONG) => [AMOMAXU_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_umin32" if A: atomic(G_ATOMICRMW_UMIN, 32, RELAXED) => [AMOMINU_W(D, Reg(1), Reg(0))];
    "atomic_umin32_release" if A: atomic(G_ATOMICRMW_UMIN, 32, RELEASE) => [AMOMINU_W_RL(D, Reg(1), Reg(0))];
    "atomic_umin32_acquire" if A: atomic(G_ATOMICRMW_UMIN, 32, ACQUIRE) => [AMOMINU_W_AQ(D, Reg(1), Reg(0))];
    "atomic_umin32_acq_rel" if A: atomic(G_ATOMICRMW_UMIN, 32, STRONG) => [AMOMINU_W_AQRL(D, Reg(1), Reg(0))];
    "atomic_umin64" if RV64 A: atomic(G_ATOMICRMW_UMIN, 64, RELAXED) => [AMOMINU_D(D, Reg(1), Reg(0))];
    "atomic_umin64_release" if RV64 A: atomic(G_ATOMICRMW_UMIN, 64, RELEASE) => [AMOMINU_D_RL(D, Reg(1), Reg(0))];
    "atomic_umin64_acquire" if RV64 A: atomic(G_ATOMICRMW_UMIN, 64, ACQUIRE) => [AMOMINU_D_AQ(D, Reg(1), Reg(0))];
    "atomic_umin64_acq_rel" if RV64 A: atomic(G_ATOMICRMW_UMIN, 64, STRONG) => [AMOMINU_D_AQRL(D, Reg(1), Reg(0))];
    "atomic_nand32" if A: Pattern::access(G_ATOMICRMW_NAND, ANY, 32, &[A, B]).ordered(EVERY_ORDER) => [PseudoAtomicLoadNand32(D, T, Reg(0), Reg(1), Out::Ordering)];
    "atomic_nand64" if RV64 A: Pattern::access(G_ATOMICRMW_NAND, ANY, 64, &[A, B]).ordered(EVERY_ORDER) => [PseudoAtomicLoadNand64(D, T, Reg(0), Reg(1), Out::Ordering)];
    "cmpxchg32_word" if RV64 A: Pattern::access(G_ATOMIC_CMPXCHG, ANY, 32, &[A, B, C]).ordered(EVERY_ORDER) => [ADDIW(U, Reg(1), Const(0)), PseudoCmpXchg32(D, T, Reg(0), Temp(1), Reg(2), Out::Ordering)];
    "cmpxchg32" if RV32 A: Pattern::access(G_ATOMIC_CMPXCHG, ANY, 32, &[A, B, C]).ordered(EVERY_ORDER) => [PseudoCmpXchg32(D, T, Reg(0), Reg(1), Reg(2), Out::Ordering)];
    "cmpxchg64" if RV64 A: Pattern::access(G_ATOMIC_CMPXCHG, ANY, 64, &[A, B, C]).ordered(EVERY_ORDER) => [PseudoCmpXchg64(D, T, Reg(0), Reg(1), Reg(2), Out::Ordering)];
    "masked_xchg" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.xchg"), A, B, C, ORDER]) => [PseudoMaskedAtomicSwap32(D, T, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_add" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.add"), A, B, C, ORDER]) => [PseudoMaskedAtomicLoadAdd32(D, T, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_sub" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.sub"), A, B, C, ORDER]) => [PseudoMaskedAtomicLoadSub32(D, T, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_nand" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.nand"), A, B, C, ORDER]) => [PseudoMaskedAtomicLoadNand32(D, T, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_max" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.max"), A, B, C, Pat::Reg(3), ORDER]) => [PseudoMaskedAtomicLoadMax32(D, T, U, Reg(0), Reg(1), Reg(2), Reg(3), Imm(0))];
    "masked_min" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.min"), A, B, C, Pat::Reg(3), ORDER]) => [PseudoMaskedAtomicLoadMin32(D, T, U, Reg(0), Reg(1), Reg(2), Reg(3), Imm(0))];
    "masked_umax" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.umax"), A, B, C, ORDER]) => [PseudoMaskedAtomicLoadUMax32(D, T, U, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_umin" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.atomicrmw.umin"), A, B, C, ORDER]) => [PseudoMaskedAtomicLoadUMin32(D, T, U, Reg(0), Reg(1), Reg(2), Imm(0))];
    "masked_cmpxchg" if A: masked(&[Pat::Intrinsic("llvm.riscv.masked.cmpxchg"), A, B, C, Pat::Reg(3), ORDER]) => [PseudoMaskedCmpXchg32(D, T, Reg(0), Reg(1), Reg(2), Reg(3), Imm(0))];

    // Traps
    "trap": op(G_TRAP, &[]) => [UNIMP()];
    "ubsantrap": op(G_UBSANTRAP, &[Pat::Imm(0, EVERY)]) => [UNIMP()];
    "debugtrap": op(G_DEBUGTRAP, &[]) => [EBREAK()];

    // Fences: reads are 2, writes 1. One that orders a single thread is no code
    "fence_thread": op(G_FENCE, &[Pat::Imm(0, EVERY), Pat::Imm(1, ZERO_IMM)]) => [MEMBARRIER()];
    "fence_acquire": op(G_FENCE, &[Pat::Imm(0, IS_4), Pat::Imm(1, ONE)]) => [FENCE(Const(2), Const(3))];
    "fence_release": op(G_FENCE, &[Pat::Imm(0, IS_5), Pat::Imm(1, ONE)]) => [FENCE(Const(3), Const(1))];
    "fence_acq_rel": op(G_FENCE, &[Pat::Imm(0, IS_6), Pat::Imm(1, ONE)]) => [FENCE_TSO()];
    "fence": op(G_FENCE, &[Pat::Imm(0, EVERY), Pat::Imm(1, EVERY)]) => [FENCE(Const(3), Const(3))];
}
