//! The legality rules of RV64 (LLVM's RISCVLegalizerInfo is the model). Everything ends in `s64` and `p0`.

use crate::Features;
use crate::legality::predicates::{extends_from, mem_at_most, mem_narrower_than_value, misaligned, scalar_wider_than};
use crate::legality::{Alignment, LegalizerInfo, RuleSet, rules_for};
use std::sync::{Mutex, PoisonError};
use tribunal_ir::Opcode;
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{P0, S8, S16, S32, S64, S128};

/// The rules under `features`, made once.
pub fn rules(features: Features) -> &'static LegalizerInfo {
    static TABLES: Mutex<Vec<(Features, &LegalizerInfo)>> = Mutex::new(Vec::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&(_, table)) = tables.iter().find(|(known, _)| *known == features) {
        return table;
    }
    let table: &'static LegalizerInfo = Box::leak(Box::new(LegalizerInfo::new(sets(features))));
    tables.push((features, table));
    table
}

fn on(opcodes: &[Opcode]) -> RuleSet {
    rules_for("riscv64", opcodes).unsupported_if_not_scalar()
}

fn sets(features: Features) -> Vec<RuleSet> {
    let mut sets = arithmetic();
    sets.extend(bit_manipulation(features.contains(Features::ZBB)));
    sets.extend(multiplication(features.contains(Features::M)));
    sets.extend(values());
    sets.extend(memory());
    sets.extend(artifacts());
    sets
}

fn arithmetic() -> Vec<RuleSet> {
    vec![
        on(&[G_ADD, G_SUB]).legal_for(&[S64]).custom_for(&[S32]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64),
        on(&[G_AND, G_OR, G_XOR]).legal_for(&[S64]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64),
        on(&[G_SHL, G_LSHR, G_ASHR])
            .legal_for_pairs(&[(S64, S64)])
            .clamp_scalar(1, S64, S64)
            .custom_for(&[S32])
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S64, S64),
        on(&[G_SLLW, G_SRLW, G_SRAW, G_DIVW, G_DIVUW, G_REMUW]).legal_for(&[S64]),
        on(&[G_ABS, G_FSHL, G_FSHR]).lower(),
        on(&[G_UADDSAT, G_USUBSAT, G_ABDS, G_ABDU, G_UADDO, G_USUBO, G_SADDO, G_SSUBO]).lower(),
        on(&[G_ICMP])
            .legal_for_pairs(&[(S64, S64), (S64, P0)])
            .clamp_scalar(0, S64, S64)
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, S64, S64),
        on(&[G_SELECT])
            .legal_for_pairs(&[(S64, S64), (P0, S64)])
            .clamp_scalar(1, S64, S64)
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S64, S64),
    ]
}

/// What Zbb has instructions for.
fn bit_manipulation(zbb: bool) -> Vec<RuleSet> {
    let extension = |widths: &'static [i64]| {
        on(&[G_SEXT_INREG])
            .legal_if(move |q| q.types[0] == S64 && extends_from(widths)(q))
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S64, S64)
            .lower()
    };
    if !zbb {
        return vec![
            extension(&[32]),
            on(&[G_SMIN, G_SMAX, G_UMIN, G_UMAX, G_ROTL, G_ROTR]).lower(),
            on(&[G_BSWAP]).widen_scalar_to_next_pow2(0).max_scalar(0, S64).lower(),
            on(&[G_CTPOP])
                .widen_scalar_to_next_pow2(1)
                .min_scalar(1, S32)
                .max_scalar(1, S64)
                .scalar_same_size_as(0, 1)
                .lower(),
        ];
    }
    vec![
        extension(&[8, 16, 32]),
        on(&[G_SMIN, G_SMAX, G_UMIN, G_UMAX]).legal_for(&[S64]).lower(),
        on(&[G_ROTL, G_ROTR]).legal_for_pairs(&[(S64, S64)]).lower(),
        on(&[G_BSWAP]).legal_for(&[S64]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64),
        on(&[G_CTPOP, G_CTLZ, G_CTTZ])
            .legal_for_pairs(&[(S64, S64)])
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, S64, S64)
            .scalar_same_size_as(0, 1),
    ]
}

fn multiplication(m: bool) -> Vec<RuleSet> {
    if !m {
        return vec![on(&[G_MUL, G_UDIV, G_SDIV, G_UREM, G_SREM]).libcall_for(&[S64, S128])];
    }
    vec![
        on(&[G_MUL]).legal_for(&[S64]).custom_for(&[S32]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64),
        on(&[G_UMULH, G_SMULH]).legal_for(&[S64]),
        on(&[G_UDIV, G_SDIV, G_UREM])
            .legal_for(&[S64])
            .custom_for(&[S32])
            .libcall_for(&[S128])
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S32, S128),
        on(&[G_SREM]).legal_for(&[S64]).libcall_for(&[S128]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S128),
    ]
}

fn values() -> Vec<RuleSet> {
    vec![
        on(&[G_CONSTANT, G_IMPLICIT_DEF, G_FREEZE, G_CONSTANT_FOLD_BARRIER, G_PHI])
            .legal_for(&[S64, P0])
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S64, S64),
        on(&[G_ASSERT_SEXT, G_ASSERT_ZEXT, G_ASSERT_ALIGN]).legal_for(&[S64, P0]).lower(),
        on(&[G_FRAME_INDEX]).legal_for(&[P0]),
        on(&[G_PTR_ADD]).legal_for_pairs(&[(P0, S64)]).clamp_scalar(1, S64, S64),
        on(&[G_PTRTOINT]).legal_for_pairs(&[(S64, P0)]).clamp_scalar(0, S64, S64),
        on(&[G_INTTOPTR]).legal_for_pairs(&[(P0, S64)]).clamp_scalar(1, S64, S64),
        on(&[G_BRCOND]).legal_for(&[S64]).clamp_scalar(0, S64, S64),
        on(&[G_BR]).always_legal(),
    ]
}

fn memory() -> Vec<RuleSet> {
    let wide_value = |q: &crate::legality::LegalityQuery| scalar_wider_than(0, 64)(q) && mem_narrower_than_value(q);
    vec![
        on(&[G_LOAD])
            .legal_for_types_with_mem_desc(&[(S64, 8), (S64, 16), (S64, 32), (S64, 64), (P0, 64)], Alignment::Natural)
            .narrow_scalar_if(move |q| wide_value(q) && mem_at_most(64)(q), 0, S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_if(|q| scalar_wider_than(0, 64)(q) && !mem_narrower_than_value(q), 0, S64)
            .min_scalar(0, S64)
            .lower_if(misaligned),
        on(&[G_ZEXTLOAD, G_SEXTLOAD])
            .legal_for_types_with_mem_desc(&[(S64, 8), (S64, 16), (S64, 32)], Alignment::Natural)
            .narrow_scalar_if(move |q| wide_value(q) && mem_at_most(64)(q), 0, S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S64)
            .lower_if(misaligned),
        on(&[G_STORE])
            .legal_for_types_with_mem_desc(&[(S64, 8), (S64, 16), (S64, 32), (S64, 64), (P0, 64)], Alignment::Natural)
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_if(move |q| wide_value(q) && mem_at_most(64)(q), 0, S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .narrow_scalar_if(|q| scalar_wider_than(0, 64)(q) && !mem_narrower_than_value(q), 0, S64)
            .min_scalar(0, S64)
            .lower_if(misaligned),
    ]
}

/// Extensions and truncations combine away; what puts values together and takes them apart becomes shifts.
fn artifacts() -> Vec<RuleSet> {
    let halves = |q: &crate::legality::LegalityQuery| q.types[0] == S128 && q.types[1] == S64;
    let parts = |q: &crate::legality::LegalityQuery| q.types[1] == S128 && q.types[0] == S64;
    let in_words = |q: &crate::legality::LegalityQuery| q.types[0] == S128 && [S8, S16, S32].contains(&q.types[1]);
    let of_words = |q: &crate::legality::LegalityQuery| q.types[1] == S128 && [S8, S16, S32].contains(&q.types[0]);
    vec![
        on(&[G_ANYEXT]).lower(),
        on(&[G_MERGE_VALUES]).unsupported_if(halves).narrow_scalar_if(in_words, 0, S64).lower(),
        on(&[G_UNMERGE_VALUES]).unsupported_if(parts).narrow_scalar_if(of_words, 1, S64).lower(),
    ]
}
