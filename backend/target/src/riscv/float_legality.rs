//! The legality rules of floating point (LLVM's RISCVLegalizerInfo is the model). With F, numbers of 32 bits have
//! instructions, and with D those of 64. All other operations are on the bits or call the library.
//!
//! Without Zfh, numbers of 16 bits are extended to 32 for an operation, and rounded back: 24 bits are enough for sums,
//! products, quotients and roots of numbers of 11 (Figueroa, "When is double rounding innocuous?"). A product with a
//! sum takes 64. Zfhmin has the conversions, and without it they call the library.
//!
//! With F, values of any kind that are as wide as these numbers, and not as wide as a general register, are legal too.
//! The legalizer leaves them so where they are numbers of floating point.

use crate::legality::predicates::type_in_set;
use crate::legality::{NUMBERS, RuleSet, pairs, rules_for};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{S16, S32, S64, S128};
use tribunal_ir::{Family, Opcode, Type};

/// The numbers of a machine.
#[derive(Clone, Copy)]
pub(super) struct FloatMachine {
    pub name: &'static str,
    /// The scalar that fills a general register.
    pub x: Type,
    /// The numbers that have arithmetic.
    pub numbers: &'static [Type],
    /// The numbers that have moves and conversions.
    pub moved: &'static [Type],
    /// The numbers that are rounded to integral values by instructions: those of Zfa.
    pub rounded: &'static [Type],
}

/// The numbers of F.
pub(super) const WITH_F: &[Type] = &[S32];
/// The numbers of F with Zfhmin or Zfh.
pub(super) const HALF_WITH_F: &[Type] = &[S16, S32];
/// The numbers of D.
pub(super) const WITH_D: &[Type] = &[S32, S64];
/// The numbers of D with Zfhmin, which moves and converts those of 16 bits, or with Zfh, which computes them.
pub(super) const WITH_HALF: &[Type] = &[S16, S32, S64];

/// Operations that have instructions.
const ARITHMETIC: [Opcode; 7] = [G_FADD, G_FSUB, G_FMUL, G_FDIV, G_FSQRT, G_FMINNUM, G_FMAXNUM];

/// The numbers that the library takes.
const CALLED: &[Type] = &[S32, S64, S128];

/// Operations that have instructions, and no function in every library.
const NUMBERS_FIRST: [Opcode; 3] = [G_FMINIMUMNUM, G_FMAXIMUMNUM, G_FCANONICALIZE];

/// Operations that have instructions with Zfa, and else call the library.
const ROUNDED: [Opcode; 7] =
    [G_FCEIL, G_FFLOOR, G_FRINT, G_FNEARBYINT, G_INTRINSIC_TRUNC, G_INTRINSIC_ROUND, G_INTRINSIC_ROUNDEVEN];

impl FloatMachine {
    /// Rules of an operation that does with each element of a vector what it does with a scalar.
    fn each(self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).scalarize(0)
    }

    /// The rules of the operations on numbers of floating point.
    pub fn operations(self) -> Vec<RuleSet> {
        let each = |opcodes: &[Opcode]| self.each(opcodes);
        let (x, numbers, called) = (self.x, self.numbers, CALLED);
        let promotes = !numbers.contains(&S16);
        let constants: Vec<Type> = numbers.iter().copied().filter(|&number| number != S16).collect();
        let of_integers = pairs(&[x], numbers);
        let without = |all: &[Type], some: &[Type]| -> Vec<Type> {
            all.iter().copied().filter(|number| !some.contains(number)).collect()
        };
        let (rounded, soft) = (self.rounded, without(called, numbers));
        let alike_pairs: Vec<(Type, Type)> = numbers.iter().map(|&number| (number, number)).collect();
        let elementary: Vec<Opcode> = Family::FloatFunction.opcodes().to_vec();
        let alike: Vec<Opcode> = elementary
            .into_iter()
            .filter(|opcode| !matches!(opcode, G_FPOWI | G_FLDEXP | G_FMODF | G_FFREXP | G_FSINCOS))
            .collect();
        let mut sets = vec![
            each(&ARITHMETIC).legal_for(numbers).libcall_for(&soft).when(promotes, |rules| rules.promote(0, S32)),
            each(&[G_FMA]).legal_for(numbers).libcall_for(&soft).when(promotes, |rules| rules.promote(0, S64)),
            each(&NUMBERS_FIRST).legal_for(numbers).lower_for(&soft).when(promotes, |rules| rules.promote(0, S32)),
            each(&[G_FMINIMUM, G_FMAXIMUM])
                .legal_for(rounded)
                .lower_for(&without(numbers, rounded))
                .lower_for(&soft)
                .when(promotes, |rules| rules.promote(0, S32)),
            each(&[G_FREM]).libcall_for(called).promote(0, S32),
            each(&ROUNDED)
                .legal_for(rounded)
                .libcall_for(&without(called, rounded))
                .when(!rounded.contains(&S16), |rules| rules.promote(0, S32)),
            each(&alike).libcall_for(called).promote(0, S32),
            each(&[G_FMODF, G_FSINCOS]).lower_for(&[S16]).lower_for(called),
            each(&[G_FFREXP]).lower_if(type_in_set(0, &NUMBERS)),
            each(&[G_FPOWI, G_FLDEXP]).libcall_for(&pairs(called, &[S32])).promote(0, S32),
            each(&[G_FNEG, G_FABS]).legal_for(numbers).lower_for(&NUMBERS),
            // A number of 16 bits is a constant of a general register.
            rules_for(self.name, &[G_FCONSTANT]).legal_for(&constants).lower_for(&NUMBERS),
            each(&[G_FCOPYSIGN]).legal_for(&alike_pairs).lower_for(&pairs(&NUMBERS, &NUMBERS)),
            each(&[G_FCMP])
                .legal_for(&of_integers)
                .clamp_scalar(0, x, x)
                .libcall_for(&pairs(&[x], &soft))
                .when(promotes, |rules| rules.promote(1, S32)),
            each(&[G_IS_FPCLASS]).legal_for(&of_integers).clamp_scalar(0, x, x).lower_for(&pairs(&[x], &NUMBERS)),
        ];
        sets.extend(self.conversions());
        sets.into_iter().map(RuleSet::unsupported).chain(self.environment()).collect()
    }

    /// Operations that see the environment, which stands beside the registers of floating point. Without it they round
    /// to nearest and raise nothing, and no number is known to be one.
    fn environment(self) -> Vec<RuleSet> {
        let each = |opcodes: &[Opcode]| self.each(opcodes);
        let (all, x) = (Family::StrictFloat.opcodes(), self.x);
        let modes = [G_GET_ROUNDING, G_SET_ROUNDING];
        let has_type = |opcode: &Opcode| opcode.info().is_some_and(|info| info.class_of(0).is_some());
        let others = Family::FloatEnvironment.opcodes().iter().copied().filter(|opcode| !modes.contains(opcode));
        let (numbers, resets): (Vec<Opcode>, Vec<Opcode>) = others.partition(has_type);
        let without = |some: &[Opcode]| all.iter().copied().filter(|opcode| !some.contains(opcode)).collect::<Vec<_>>();
        if self.numbers.is_empty() {
            return vec![
                each(&without(&[G_STRICT_FLDEXP])).lower_for(&NUMBERS).unsupported(),
                each(&[G_STRICT_FLDEXP]).lower_for(&pairs(&NUMBERS, &[S32])).unsupported(),
                rules_for(self.name, &resets).lower(),
                rules_for(self.name, &modes).lower(),
                rules_for(self.name, &numbers).unsupported(),
            ];
        }
        let soft: Vec<Type> = CALLED.iter().copied().filter(|number| !self.numbers.contains(number)).collect();
        let of_register = |opcodes: &[Opcode]| rules_for(self.name, opcodes).legal_for(&[x]).min_scalar(0, x);
        let sets = vec![
            each(&without(&[G_STRICT_FREM, G_STRICT_FLDEXP])).legal_for(self.numbers).libcall_for(&soft),
            each(&[G_STRICT_FREM]).libcall_for(CALLED),
            each(&[G_STRICT_FLDEXP]).libcall_for(&pairs(CALLED, &[S32])),
            of_register(&modes),
            of_register(&numbers),
        ];
        let resets = rules_for(self.name, &resets).always_legal();
        sets.into_iter().map(RuleSet::unsupported).chain([resets]).collect()
    }

    fn conversions(self) -> Vec<RuleSet> {
        let each = |opcodes: &[Opcode]| self.each(opcodes);
        let (x, numbers, called) = (self.x, self.numbers, CALLED);
        let is_hard = !numbers.is_empty();
        // The least integer that is converted.
        let least = if is_hard { x } else { S32 };
        // The integers that the library takes: a convention passes two registers at most.
        let library: &[Type] = if x == S64 { &[S32, S64, S128] } else { &[S32, S64] };
        let integers = if least == S64 { &library[1..] } else { library };
        let mut extensions = vec![(S64, S32), (S32, S16), (S128, S32), (S128, S64)];
        // A wide number is rounded to 16 bits at once.
        let mut roundings = vec![(S16, S64), (S16, S128)];
        let hard: &[(Type, Type)] = match self.moved {
            [S16, S32] => &[(S32, S16)],
            [S16, S32, S64] => &[(S64, S32), (S32, S16), (S64, S16)],
            [S32, S64] => &[(S64, S32)],
            _ => &[],
        };
        let to_nearest = |opcodes: &[Opcode]| {
            let rules = each(opcodes)
                .legal_for(&pairs(&[x], numbers))
                .when(is_hard && x != S64, |rules| rules.min_scalar(0, x));
            rules.promote(1, S32).min_scalar(0, S64)
        };
        let back = |all: &[(Type, Type)]| all.iter().map(|&(wide, narrow)| (narrow, wide)).collect::<Vec<_>>();
        extensions.retain(|extension| !hard.contains(extension));
        roundings.retain(|rounding| !back(hard).contains(rounding));
        vec![
            // The library's results have 64 bits on every machine.
            to_nearest(&[G_INTRINSIC_LLRINT, G_LLROUND]).libcall_for(&pairs(&[S64], called)),
            to_nearest(&[G_INTRINSIC_LRINT, G_LROUND]).lower_for(&pairs(&[S64], called)),
            each(&[G_FPEXT]).legal_for(hard).libcall_for(&extensions).promote(1, S32),
            each(&[G_FPTRUNC]).legal_for(&back(hard)).libcall_for(&back(&extensions)).libcall_for(&roundings),
            each(&[G_FPTOSI, G_FPTOUI])
                .legal_for(&pairs(&[x], numbers))
                .min_scalar(0, least)
                .promote(1, S32)
                .libcall_for(&pairs(integers, called))
                .widen_scalar_to_next_pow2(0),
            each(&[G_FPTOSI_SAT, G_FPTOUI_SAT])
                .legal_for(&pairs(&[x], numbers))
                .min_scalar(0, least)
                .promote(1, S32)
                .lower_for(&pairs(integers, called))
                .widen_scalar_to_next_pow2(0),
            each(&[G_SITOFP, G_UITOFP])
                .legal_for(&pairs(numbers, &[x]))
                .min_scalar(1, least)
                .promote(0, S32)
                .libcall_for(&pairs(called, integers))
                .widen_scalar_to_next_pow2(1),
        ]
    }
}
