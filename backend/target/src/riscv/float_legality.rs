//! The legality rules of floating point on a machine with D (LLVM's RISCVLegalizerInfo is the model). Numbers of 32 and
//! of 64 bits have instructions; what else there is calls the library.
//!
//! Values of any kind that are as wide as these numbers, and not as wide as a general register, are legal too. The
//! legalizer leaves them so where they are numbers of floating point.

use crate::legality::{RuleSet, rules_for};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{S32, S64};
use tribunal_ir::{Opcode, Type};

/// A machine with D.
#[derive(Clone, Copy)]
pub(super) struct FloatMachine {
    pub name: &'static str,
    /// The scalar that fills a general register.
    pub x: Type,
}

/// The numbers that have instructions.
const NUMBERS: [Type; 2] = [S32, S64];

impl FloatMachine {
    /// The number that fills no general register.
    pub fn other(self) -> Type {
        if self.x == S64 { S32 } else { S64 }
    }

    fn on(self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).unsupported_if_not_scalar()
    }

    /// The rules of the operations on numbers of floating point.
    pub fn operations(self) -> Vec<RuleSet> {
        let on = |opcodes: &[Opcode]| self.on(opcodes);
        let x = self.x;
        let arithmetic = [
            G_FADD,
            G_FSUB,
            G_FMUL,
            G_FDIV,
            G_FMA,
            G_FSQRT,
            G_FMINNUM,
            G_FMAXNUM,
            G_FMINIMUMNUM,
            G_FMAXIMUMNUM,
            G_FCANONICALIZE,
        ];
        vec![
            on(&arithmetic).legal_for(&NUMBERS),
            on(&[G_FNEG, G_FABS]).legal_for(&NUMBERS).lower(),
            on(&[G_FCOPYSIGN]).legal_for(&[(S32, S32), (S64, S64)]).lower(),
            on(&[G_FCONSTANT]).legal_for(&NUMBERS).lower(),
            on(&[G_FCMP, G_IS_FPCLASS]).legal_for(&[(x, S32), (x, S64)]).clamp_scalar(0, x, x),
            on(&[G_FPEXT]).legal_for(&[(S64, S32)]),
            on(&[G_FPTRUNC]).legal_for(&[(S32, S64)]),
            on(&[G_FPTOSI, G_FPTOUI]).legal_for(&[(x, S32), (x, S64)]).widen_scalar_to_next_pow2(0).min_scalar(0, x),
            on(&[G_SITOFP, G_UITOFP]).legal_for(&[(S32, x), (S64, x)]).widen_scalar_to_next_pow2(1).min_scalar(1, x),
        ]
    }
}
