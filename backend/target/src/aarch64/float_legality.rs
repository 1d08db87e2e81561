//! The legality rules of floating point (LLVM's AArch64LegalizerInfo is the model): numbers of 32 and of 64 bits have
//! instructions. Those of 16 bits have conversions; an operation is in 32 bits, a product with a sum in 64. An
//! operation on vectors is one on each element.

use super::legality::each;
use crate::legality::{NUMBERS, RuleSet, pairs, rules_for};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{S16, S32, S64};
use tribunal_ir::{Family, Opcode};

/// The rules of the operations on numbers of floating point.
pub(super) fn operations() -> Vec<RuleSet> {
    let arithmetic = [
        G_FADD,
        G_FSUB,
        G_FMUL,
        G_FDIV,
        G_FSQRT,
        G_FMINNUM,
        G_FMAXNUM,
        G_FMINIMUM,
        G_FMAXIMUM,
        G_FCANONICALIZE,
        G_FCEIL,
        G_FFLOOR,
        G_FRINT,
        G_FNEARBYINT,
        G_INTRINSIC_TRUNC,
        G_INTRINSIC_ROUND,
        G_INTRINSIC_ROUNDEVEN,
    ];
    let alike = Family::FloatFunction.opcodes().iter().copied();
    let is_alike = |opcode: &Opcode| !matches!(opcode, G_FPOWI | G_FLDEXP | G_FMODF | G_FFREXP | G_FSINCOS);
    let alike: Vec<Opcode> = alike.filter(is_alike).collect();
    let called = [S32, S64];
    let (numbers, conversions) = ([S32, S64], [(S32, S32), (S32, S64), (S64, S32), (S64, S64)]);
    let sets = vec![
        each(&arithmetic).legal_for(&numbers).promote(0, S32),
        each(&[G_FMA]).legal_for(&numbers).promote(0, S64),
        each(&[G_FNEG, G_FABS]).legal_for(&numbers).lower_for(&[S16]),
        each(&[G_FREM]).libcall_for(&called).promote(0, S32),
        each(&alike).libcall_for(&called).promote(0, S32),
        each(&[G_FPOWI, G_FLDEXP]).libcall_for(&[(S32, S32), (S64, S32)]).promote(0, S32),
        each(&[G_IS_FPCLASS]).clamp_scalar(0, S32, S32).lower_for(&[(S32, S16), (S32, S32), (S32, S64)]),
        rules_for("aarch64", &[G_FCONSTANT]).legal_for(&numbers).lower_for(&NUMBERS),
        each(&[G_FCOPYSIGN]).lower_for(&pairs(&NUMBERS, &NUMBERS)),
        each(&[G_FCMP]).legal_for(&[(S32, S32), (S32, S64)]).clamp_scalar(0, S32, S32).promote(1, S32),
        each(&[G_FPEXT]).legal_for(&[(S64, S32), (S32, S16), (S64, S16)]),
        each(&[G_FPTRUNC]).legal_for(&[(S32, S64), (S16, S32), (S16, S64)]),
        each(&[G_FPTOSI, G_FPTOUI])
            .promote(1, S32)
            .legal_for(&conversions)
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32),
        each(&[G_FPTOSI_SAT, G_FPTOUI_SAT]).promote(1, S32).legal_for(&conversions),
        each(&[G_SITOFP, G_UITOFP])
            .promote(0, S32)
            .legal_for(&conversions)
            .widen_scalar_to_next_pow2(1)
            .min_scalar(1, S32),
    ];
    sets.into_iter().map(RuleSet::unsupported).collect()
}
