//! The legality rules of floating point (LLVM's RISCVLegalizerInfo is the model). With D, numbers of 32 and of 64 bits
//! have instructions. Without it, and for all other numbers, operations are on the bits or call the library.
//!
//! With D, values of any kind that are as wide as these numbers, and not as wide as a general register, are legal too.
//! The legalizer leaves them so where they are numbers of floating point.

use crate::legality::{RuleSet, rules_for};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{S16, S32, S64, S128};
use tribunal_ir::{Family, Opcode, Type};

/// The numbers of a machine.
#[derive(Clone, Copy)]
pub(super) struct FloatMachine {
    pub name: &'static str,
    /// The scalar that fills a general register.
    pub x: Type,
    /// The numbers that have instructions.
    pub numbers: &'static [Type],
}

/// The numbers that have instructions with D.
pub(super) const WITH_D: &[Type] = &[S32, S64];

/// Operations that have instructions.
const ARITHMETIC: [Opcode; 8] = [G_FADD, G_FSUB, G_FMUL, G_FDIV, G_FMA, G_FSQRT, G_FMINNUM, G_FMAXNUM];

/// Operations that have instructions, and no function in every library.
const NUMBERS_FIRST: [Opcode; 3] = [G_FMINIMUMNUM, G_FMAXIMUMNUM, G_FCANONICALIZE];

/// Operations that call the library on every machine.
const CALLED: [Opcode; 8] =
    [G_FREM, G_FCEIL, G_FFLOOR, G_FRINT, G_FNEARBYINT, G_INTRINSIC_TRUNC, G_INTRINSIC_ROUND, G_INTRINSIC_ROUNDEVEN];

/// Each of the first with each of the second.
fn pairs(first: &[Type], second: &[Type]) -> Vec<(Type, Type)> {
    first.iter().flat_map(|&one| second.iter().map(move |&other| (one, other))).collect()
}

impl FloatMachine {
    /// The number that has instructions and fills no general register.
    pub fn other(self) -> Option<Type> {
        self.numbers.iter().copied().find(|&number| number != self.x)
    }

    fn on(self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).unsupported_if_not_scalar()
    }

    /// The numbers that the library takes: a convention passes two registers at most.
    fn called(self) -> &'static [Type] {
        if self.x == S64 { &[S32, S64, S128] } else { &[S32, S64] }
    }

    /// The rules of the operations on numbers of floating point.
    pub fn operations(self) -> Vec<RuleSet> {
        let on = |opcodes: &[Opcode]| self.on(opcodes);
        let (x, numbers, called) = (self.x, self.numbers, self.called());
        let of_integers = pairs(&[x], numbers);
        let elementary: Vec<Opcode> = Family::FloatFunction.opcodes().to_vec();
        let alike: Vec<Opcode> = elementary
            .into_iter()
            .filter(|opcode| !matches!(opcode, G_FPOWI | G_FLDEXP | G_FMODF | G_FFREXP | G_FSINCOS))
            .collect();
        let mut sets = vec![
            on(&ARITHMETIC).legal_for(numbers).libcall_for(called),
            on(&NUMBERS_FIRST).legal_for(numbers).unsupported(),
            on(&[G_FMINIMUM, G_FMAXIMUM]).lower_for(numbers).unsupported(),
            on(&CALLED).libcall_for(called),
            on(&alike).libcall_for(called),
            on(&[G_FPOWI, G_FLDEXP]).libcall_for(&pairs(called, &[S32])),
            on(&[G_FNEG, G_FABS]).legal_for(numbers).lower(),
            on(&[G_FCOPYSIGN]).legal_for(&numbers.iter().map(|&number| (number, number)).collect::<Vec<_>>()).lower(),
            on(&[G_FCONSTANT]).legal_for(numbers).lower(),
            on(&[G_FCMP]).legal_for(&of_integers).clamp_scalar(0, x, x).libcall_for(&pairs(&[x], called)),
            on(&[G_IS_FPCLASS]).legal_for(&of_integers).clamp_scalar(0, x, x).lower_for(&pairs(&[x], called)),
        ];
        sets.extend(self.conversions());
        sets
    }

    fn conversions(self) -> Vec<RuleSet> {
        let on = |opcodes: &[Opcode]| self.on(opcodes);
        let (x, numbers, called) = (self.x, self.numbers, self.called());
        let is_hard = !numbers.is_empty();
        // The least integer that is converted.
        let least = if is_hard { x } else { S32 };
        let mut extensions = vec![(S64, S32)];
        if x == S64 {
            extensions.extend([(S128, S32), (S128, S64)]);
        }
        if !is_hard {
            extensions.push((S32, S16));
        }
        let truncations: Vec<(Type, Type)> = extensions.iter().map(|&(wide, narrow)| (narrow, wide)).collect();
        let hard: &[(Type, Type)] = if is_hard { &[(S64, S32)] } else { &[] };
        let hard_truncations: Vec<(Type, Type)> = hard.iter().map(|&(wide, narrow)| (narrow, wide)).collect();
        vec![
            on(&[G_FPEXT]).legal_for(hard).libcall_for(&extensions),
            on(&[G_FPTRUNC]).legal_for(&hard_truncations).libcall_for(&truncations),
            on(&[G_FPTOSI, G_FPTOUI])
                .legal_for(&pairs(&[x], numbers))
                .libcall_for(&pairs(&[S64, S128], called))
                .libcall_for(&pairs(&[least], called))
                .widen_scalar_to_next_pow2(0)
                .min_scalar(0, least),
            on(&[G_SITOFP, G_UITOFP])
                .legal_for(&pairs(numbers, &[x]))
                .libcall_for(&pairs(called, &[S64, S128]))
                .libcall_for(&pairs(called, &[least]))
                .widen_scalar_to_next_pow2(1)
                .min_scalar(1, least),
        ]
    }
}
