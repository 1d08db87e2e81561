//! The legality rules of AArch64 (LLVM's AArch64LegalizerInfo is the model). Everything ends in `s32`, `s64` and `p0`.

use super::features::{FULLFP16, LSE};
use super::float_legality;
use crate::Features;
use crate::legality::mutations::change_to;
use crate::legality::predicates::{
    all, any, is_pointer, is_vector, made_of_halves, made_of_smaller_parts, mem_narrower_than_value, pred_not,
    scalar_narrower_than, scalar_wider_than, type_pair_and_mem_desc_in_set,
};
use crate::legality::{
    CustomDesc, EXPANDED, Expansion, LegalizerInfo, RuleSet, TypePairAndMemDesc, accesses_without_step, rules_for,
    vectors_by_element,
};
use crate::runtime::{AtomicFunction, AtomicLibrary};
use std::sync::OnceLock;
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{P0, S16, S32, S64, S128};
use tribunal_ir::{Family, Opcode, Type};

/// The rules, made once; they depend on the operations on memory, and on halves, that the machine has.
pub fn rules(features: Features) -> &'static LegalizerInfo {
    static TABLES: [OnceLock<LegalizerInfo>; 4] = [const { OnceLock::new() }; 4];
    let features = features & (LSE | FULLFP16);
    let index = usize::from(features.contains(LSE)) + 2 * usize::from(features.contains(FULLFP16));
    let table = &TABLES[index];
    table.get_or_init(|| LegalizerInfo::new(sets(features)).for_features(features))
}

/// The expansion of each opcode whose rules say `custom`.
pub static CUSTOMS: &[CustomDesc] = &[CustomDesc { opcode: G_CTTZ, expansion: Expansion::ByReversal }];

fn on(opcodes: &[Opcode]) -> RuleSet {
    rules_for("aarch64", opcodes).unsupported_if_not_scalar()
}

/// The same for an operation that does with each element of a vector what it does with a scalar.
pub(super) fn each(opcodes: &[Opcode]) -> RuleSet {
    rules_for("aarch64", opcodes).scalarize(0)
}

/// Rules of accesses, which may be atomic: at their natural alignment, and of at most `widest` bits.
fn accesses(opcodes: &[Opcode], widest: u32) -> RuleSet {
    rules_for("aarch64", opcodes).unsupported_if_vector().unsupported_if_not_atomically_accessible(widest)
}

/// The same for accesses of a vector too, element by element.
fn plain_or_atomic(opcodes: &[Opcode]) -> RuleSet {
    rules_for("aarch64", opcodes).scalarize(0).unsupported_if_not_atomically_accessible(64)
}

fn sets(features: Features) -> Vec<RuleSet> {
    let mut sets = arithmetic();
    sets.extend(values());
    sets.extend(memory());
    sets.extend(accesses_without_step("aarch64"));
    sets.extend(atomics(features));
    sets.extend(artifacts());
    sets.push(vectors_by_element("aarch64"));
    sets.extend(float_legality::operations(features));
    sets
}

fn arithmetic() -> Vec<RuleSet> {
    vec![
        each(&[G_ADD, G_SUB, G_AND, G_OR, G_XOR, G_MUL])
            .legal_for(&[S32, S64])
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S32, S64),
        each(&[G_SHL, G_LSHR, G_ASHR])
            .legal_for(&[(S32, S32), (S64, S64)])
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32)
            // A wide value is split first: its amount then is one register.
            .narrow_scalar_if(all([scalar_wider_than(0, 64), scalar_wider_than(1, 64)]), change_to(1, S64))
            .widen_scalar_if(all([scalar_wider_than(0, 64), scalar_narrower_than(1, 64)]), change_to(1, S64))
            .max_scalar(0, S64)
            .scalar_same_size_as(1, 0),
        each(&[G_UMULH]).legal_for(&[S64]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S64, S64),
        each(&[G_SMULH]).legal_for(&[S64]).widen_scalar_to_next_pow2(0).min_scalar(0, S64).lower(),
        each(&[G_UDIV, G_SDIV])
            .legal_for(&[S32, S64])
            .libcall_for(&[S128])
            .unsupported_if(scalar_wider_than(0, 128))
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32),
        each(&[G_UREM, G_SREM])
            .libcall_for(&[S128])
            .unsupported_if(scalar_wider_than(0, 128))
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32)
            .lower(),
        each(&[G_SEXT_INREG]).legal_for(&[S32, S64]).imm_idx(0).widen_scalar_to_next_pow2(0).clamp_scalar(0, S32, S64),
        each(&[G_SMIN, G_SMAX, G_UMIN, G_UMAX, G_ABS]).lower(),
        each(&[G_FSHL, G_FSHR, G_ROTL, G_ROTR]).lower(),
        each(&EXPANDED).lower(),
        rules_for("aarch64", &[G_EXTRACT, G_INSERT]).unsupported_if_vector().lower(),
        each(&[G_CTLZ])
            .legal_for(&[(S32, S32), (S64, S64)])
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, S32, S64)
            .scalar_same_size_as(0, 1),
        each(&[G_CTTZ])
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, S32, S64)
            .scalar_same_size_as(0, 1)
            .custom_for(&[S32, S64]),
        each(&[G_BSWAP, G_BITREVERSE]).legal_for(&[S32, S64]).widen_scalar_to_next_pow2(0).clamp_scalar(0, S32, S64),
        each(&[G_CTPOP])
            .widen_scalar_to_next_pow2(1)
            .min_scalar(1, S32)
            .max_scalar(1, S64)
            .scalar_same_size_as(0, 1)
            .lower(),
        each(&[G_ICMP])
            .legal_for(&[(S32, S32), (S32, S64), (S32, P0)])
            .clamp_scalar(0, S32, S32)
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, S32, S64),
        each(&[G_SELECT])
            .legal_for(&[(S32, S32), (S64, S32), (P0, S32)])
            .clamp_scalar(1, S32, S32)
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S32, S64),
    ]
}

fn values() -> Vec<RuleSet> {
    vec![
        each(&[G_CONSTANT, G_IMPLICIT_DEF, G_FREEZE, G_CONSTANT_FOLD_BARRIER, G_PHI])
            .legal_for(&[S32, S64, P0])
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, S32, S64),
        each(&[G_ASSERT_SEXT, G_ASSERT_ZEXT, G_ASSERT_ALIGN]).legal_for(&[S32, S64, P0]).lower(),
        on(&[G_FRAME_INDEX, G_JUMP_TABLE]).legal_for(&[P0]),
        on(&[G_GLOBAL_VALUE, G_BLOCK_ADDR]).legal_for(&[P0]),
        on(&[G_CONSTANT_POOL]).legal_for(&[P0]),
        each(&[G_PTR_ADD]).legal_for(&[(P0, S64)]),
        each(&[G_PTRTOINT]).legal_for(&[(S64, P0)]).clamp_scalar(0, S64, S64),
        each(&[G_INTTOPTR]).legal_for(&[(P0, S64)]).clamp_scalar(1, S64, S64),
        on(&[G_BRCOND]).legal_for(&[S32]).clamp_scalar(0, S32, S32),
        rules_for("aarch64", &[G_BR]).always_legal(),
        on(&[G_BRINDIRECT]).legal_for(&[P0]),
        on(&[G_BRJT]).lower(),
        on(&[G_DYN_STACKALLOC]).lower_for(&[(P0, S64)]).unsupported(),
        on(&[G_STACKSAVE, G_STACKRESTORE]).lower_for(&[P0]),
    ]
}

fn memory() -> Vec<RuleSet> {
    // A value as wide as its access, and wider than a register.
    let whole = || all([scalar_wider_than(0, 64), pred_not(mem_narrower_than_value())]);
    let access = |(value, bits): (Type, u32)| TypePairAndMemDesc {
        type0: value,
        type1: P0,
        memory: Type::scalar(bits),
        align_bits: 8,
    };
    let extending = [(S32, 8), (S32, 16), (S64, 8), (S64, 16), (S64, 32)].map(access);
    let plain: Vec<TypePairAndMemDesc> =
        extending.into_iter().chain([(S32, 32), (S64, 64), (P0, 64)].map(access)).collect();
    vec![
        plain_or_atomic(&[G_LOAD])
            .legal_for_types_with_mem_desc(&plain)
            .narrow_scalar_to_access(S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_if(whole(), change_to(0, S64))
            .min_scalar(0, S32),
        on(&[G_ZEXTLOAD, G_SEXTLOAD])
            .legal_for_types_with_mem_desc(&extending)
            .narrow_scalar_to_access(S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32),
        plain_or_atomic(&[G_STORE])
            .legal_for_types_with_mem_desc(&plain)
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_to_access(S64)
            .lower_if_mem_size_not_byte_size_pow2()
            .narrow_scalar_if(whole(), change_to(0, S64))
            .min_scalar(0, S32),
        on(&[G_MEMCPY, G_MEMMOVE]).unsupported_if(scalar_wider_than(2, 64)).libcall(),
        on(&[G_MEMSET]).unsupported_if(any([scalar_wider_than(2, 64), scalar_narrower_than(1, 8)])).libcall(),
        on(&[G_BZERO]).unsupported_if(scalar_wider_than(1, 64)).libcall(),
        on(&[G_MEMCPY_INLINE]).unsupported(),
    ]
}

/// Operations on memory of every size. Without LSE there are loops, and library functions that ask the machine.
fn atomics(features: Features) -> Vec<RuleSet> {
    let access = |(value, bits): (Type, u32)| TypePairAndMemDesc {
        type0: value,
        type1: P0,
        memory: Type::scalar(bits),
        align_bits: bits,
    };
    let whole = [(S32, 8), (S32, 16), (S32, 32), (S64, 64)].map(access);
    let others = [G_ATOMICRMW_NAND, G_ATOMICRMW_MAX, G_ATOMICRMW_MIN, G_ATOMICRMW_UMAX, G_ATOMICRMW_UMIN];
    let on = |opcodes: &[Opcode]| accesses(opcodes, 64);
    let has_lse = features.contains(LSE);
    vec![
        on(&AtomicFunction::read_modify_writes(AtomicLibrary::Outlined))
            .when(has_lse, |rules| rules.legal_for_types_with_mem_desc(&whole))
            .when(!has_lse, |rules| rules.libcall_if(type_pair_and_mem_desc_in_set(0, 1, 0, &whole)))
            .lower_if(is_pointer(0))
            .min_scalar(0, S32),
        // Without an instruction these are loops.
        on(&others).legal_for_types_with_mem_desc(&whole).min_scalar(0, S32),
        accesses(&[G_ATOMIC_CMPXCHG], 128)
            .legal_for_types_with_mem_desc(&whole)
            .libcall_if(type_pair_and_mem_desc_in_set(0, 1, 0, &[access((S128, 128))]))
            .lower_if(is_pointer(0))
            .min_scalar(0, S32),
        on(&[G_ATOMICRMW_SUB]).lower(),
        accesses(&[G_ATOMIC_CMPXCHG_WITH_SUCCESS], 128).lower(),
        rules_for("aarch64", &[G_FENCE]).always_legal(),
        rules_for("aarch64", &[G_RESET_FPENV, G_RESET_FPMODE]).always_legal(),
        rules_for("aarch64", Family::Trap.opcodes()).always_legal(),
        rules_for("aarch64", &[G_INTRINSIC, G_INTRINSIC_W_SIDE_EFFECTS]).always_legal(),
    ]
}

/// Between `s32` and `s64` there are instructions; numbers of 16 bits move to general registers, and back. So do the
/// halves of a register of 128 bits. Everything else combines away or becomes shifts.
fn artifacts() -> Vec<RuleSet> {
    vec![
        each(&[G_ZEXT, G_SEXT]).legal_for(&[(S64, S32)]).lower_for(&[
            (S32, S16),
            (S64, S16),
            (S128, S16),
            (S128, S32),
            (S128, S64),
        ]),
        each(&[G_ANYEXT]).legal_for(&[(S64, S32), (S32, S16), (S64, S16)]).lower(),
        each(&[G_TRUNC]).legal_for(&[(S32, S64), (S16, S32), (S16, S64)]).lower_for(&[
            (S64, S128),
            (S32, S128),
            (S16, S128),
        ]),
        on(&[G_MERGE_VALUES])
            .legal_for(&[(S128, S64)])
            .unsupported_if(made_of_halves(0, 1, 64))
            .halve_scalar_if(made_of_smaller_parts(0, 1, 64), 0)
            .lower(),
        rules_for("aarch64", &[G_UNMERGE_VALUES])
            .lower_if(is_vector(0))
            .unsupported_if_vector()
            .legal_for(&[(S64, S128)])
            .unsupported_if(made_of_halves(1, 0, 64))
            .halve_scalar_if(made_of_smaller_parts(1, 0, 64), 1)
            .lower(),
    ]
}
