//! The legality rules of floating point (LLVM's AArch64LegalizerInfo is the model): numbers of 32 and of 64 bits have
//! instructions, and with FullFP16 those of 16 bits. Else these have conversions; an operation is in 32 bits, a product
//! with a sum in 64. Those of 128 bits, which are `long double`, call the library. An operation on vectors is one on
//! each element.

use super::features::FULLFP16;
use super::legality::each;
use crate::Features;
use crate::legality::mutations::change_to;
use crate::legality::predicates::type_in_set;
use crate::legality::{NUMBERS, RuleSet, pairs, rules_for};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{S16, S32, S64, S128};
use tribunal_ir::{Family, Opcode, Type};

/// The integers that conversions have.
const INTEGERS: [Type; 2] = [S32, S64];
/// The numbers and the integers that the library takes.
const CALLED: [Type; 3] = [S32, S64, S128];
/// Operations that have instructions, and functions in the library.
const ARITHMETIC: [Opcode; 14] = [
    G_FADD,
    G_FSUB,
    G_FMUL,
    G_FDIV,
    G_FSQRT,
    G_FMINNUM,
    G_FMAXNUM,
    G_FCEIL,
    G_FFLOOR,
    G_FRINT,
    G_FNEARBYINT,
    G_INTRINSIC_TRUNC,
    G_INTRINSIC_ROUND,
    G_INTRINSIC_ROUNDEVEN,
];
/// Operations that have instructions, and no function in every library.
const INSTRUCTIONS: [Opcode; 3] = [G_FMINIMUM, G_FMAXIMUM, G_FCANONICALIZE];

/// The numbers that have arithmetic.
fn native(features: Features) -> &'static [Type] {
    if features.contains(FULLFP16) { &[S16, S32, S64] } else { &[S32, S64] }
}

/// The rules of the operations on numbers of floating point. Numbers of 16 bits are promoted where none is legal.
pub(super) fn operations(features: Features) -> Vec<RuleSet> {
    let native = native(features);
    let alike = Family::FloatFunction.opcodes().iter().copied();
    let is_alike = |opcode: &Opcode| !matches!(opcode, G_FPOWI | G_FLDEXP | G_FMODF | G_FFREXP | G_FSINCOS);
    let alike: Vec<Opcode> = alike.filter(is_alike).collect();
    let is_called = |opcode: &Opcode| matches!(opcode, G_STRICT_FREM | G_STRICT_FLDEXP);
    let strict: Vec<Opcode> =
        Family::StrictFloat.opcodes().iter().copied().filter(|opcode| !is_called(opcode)).collect();
    let promotes = !features.contains(FULLFP16);
    let sets = vec![
        each(&ARITHMETIC).legal_for(native).libcall_for(&[S128]).when(promotes, |rules| rules.promote(0, S32)),
        each(&INSTRUCTIONS).legal_for(native).lower_for(&[S128]).when(promotes, |rules| rules.promote(0, S32)),
        each(&[G_FMINIMUMNUM, G_FMAXIMUMNUM]).lower_for(&CALLED).promote(0, S32),
        each(&strict).legal_for(native).libcall_for(&[S128]),
        each(&[G_STRICT_FREM]).libcall_for(&CALLED),
        each(&[G_STRICT_FLDEXP]).libcall_for(&pairs(&CALLED, &[S32])),
        rules_for("aarch64", &[G_GET_ROUNDING, G_SET_ROUNDING]).legal_for(&[S64]).min_scalar(0, S64),
        // The whole environment has 64 bits, and the register with the mode 32.
        rules_for("aarch64", &[G_GET_FPENV, G_SET_FPENV]).legal_for(&[S64]),
        rules_for("aarch64", &[G_GET_FPMODE, G_SET_FPMODE])
            .legal_for(&[S64])
            .widen_scalar_if(type_in_set(0, &[S32]), change_to(0, S64)),
        each(&[G_FMA]).legal_for(native).libcall_for(&[S128]).when(promotes, |rules| rules.promote(0, S64)),
        each(&[G_FNEG, G_FABS]).legal_for(native).lower_for(&NUMBERS),
        each(&[G_FREM]).libcall_for(&CALLED).promote(0, S32),
        each(&alike).libcall_for(&CALLED).promote(0, S32),
        each(&[G_FMODF, G_FSINCOS]).lower_for(&NUMBERS),
        each(&[G_FFREXP]).lower_if(type_in_set(0, &NUMBERS)),
        each(&[G_FPOWI, G_FLDEXP]).libcall_for(&pairs(&CALLED, &[S32])).promote(0, S32),
        each(&[G_IS_FPCLASS]).clamp_scalar(0, S32, S32).lower_for(&pairs(&[S32], &NUMBERS)),
        rules_for("aarch64", &[G_FCONSTANT]).legal_for(native).lower_for(&NUMBERS),
        each(&[G_FCOPYSIGN]).lower_for(&pairs(&NUMBERS, &NUMBERS)),
        each(&[G_FCMP])
            .legal_for(&pairs(&[S32], native))
            .clamp_scalar(0, S32, S32)
            .libcall_for(&[(S32, S128)])
            .when(promotes, |rules| rules.promote(1, S32)),
    ];
    sets.into_iter().chain(conversions(native)).map(RuleSet::unsupported).collect()
}

/// Between formats, and between numbers and integers. A wide integer, or a number of 128 bits, calls the library.
fn conversions(native: &[Type]) -> Vec<RuleSet> {
    let (to_integers, of_integers, called) =
        (pairs(&INTEGERS, native), pairs(native, &INTEGERS), pairs(&CALLED, &CALLED));
    let to_nearest = |opcodes: &[Opcode]| {
        each(opcodes).legal_for(&to_integers).min_scalar(0, S32).promote(1, S32).min_scalar(0, S64)
    };
    vec![
        to_nearest(&[G_INTRINSIC_LLRINT, G_LLROUND]).libcall_for(&[(S64, S128)]),
        to_nearest(&[G_INTRINSIC_LRINT, G_LROUND]).lower_for(&[(S64, S128)]),
        each(&[G_FPEXT])
            .legal_for(&[(S64, S32), (S32, S16), (S64, S16)])
            .libcall_for(&[(S128, S32), (S128, S64)])
            .promote(1, S32),
        each(&[G_FPTRUNC]).legal_for(&[(S32, S64), (S16, S32), (S16, S64)]).libcall_for(&[
            (S32, S128),
            (S64, S128),
            (S16, S128),
        ]),
        each(&[G_FPTOSI, G_FPTOUI])
            .legal_for(&to_integers)
            .min_scalar(0, S32)
            .promote(1, S32)
            .libcall_for(&called)
            .widen_scalar_to_next_pow2(0),
        each(&[G_FPTOSI_SAT, G_FPTOUI_SAT])
            .legal_for(&to_integers)
            .min_scalar(0, S32)
            .promote(1, S32)
            .lower_for(&called)
            .widen_scalar_to_next_pow2(0),
        each(&[G_SITOFP, G_UITOFP])
            .legal_for(&of_integers)
            .min_scalar(1, S32)
            .promote(0, S32)
            .libcall_for(&called)
            .widen_scalar_to_next_pow2(1),
    ]
}
