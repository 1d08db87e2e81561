//! The legality rules of RV32 and RV64 (LLVM's RISCVLegalizerInfo is the model). Everything ends in the scalar that
//! fills a register, called `x` here, and `p0`.

use super::features;
use super::float_legality::{FloatMachine, HALF_WITH_F, WITH_D, WITH_F, WITH_HALF};
use crate::Features;
use crate::legality::mutations::change_to;
use crate::legality::predicates::{
    Predicate, all, any, atomic_ordering_at_least_or_stronger_than, is_pointer, is_vector, made_of_halves,
    made_of_smaller_parts, mem_narrower_than, mem_narrower_than_value, misaligned, pred_not, scalar_narrower_than,
    scalar_wider_than, type_pair_and_mem_desc_in_set,
};
use crate::legality::{
    CustomDesc, EXPANDED, Expansion, LegalizerInfo, RuleSet, TypePairAndMemDesc, accesses_without_step, pairs,
    rules_for, vectors_by_element,
};
use crate::runtime::{AtomicFunction, AtomicLibrary};
use std::sync::{Mutex, PoisonError};
use tribunal_ir::Opcode::*;
use tribunal_ir::types::{P0, S8, S16, S32, S64};
use tribunal_ir::{AtomicOrdering, Family, Opcode, Type};

/// The rules under `features`, made once.
pub fn rules(features: Features) -> &'static LegalizerInfo {
    static TABLES: Mutex<Vec<(Features, &LegalizerInfo)>> = Mutex::new(Vec::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&(_, table)) = tables.iter().find(|(known, _)| *known == features) {
        return table;
    }
    let table: &'static LegalizerInfo = Box::leak(Box::new(LegalizerInfo::new(sets(features)).for_features(features)));
    tables.push((features, table));
    table
}

/// The types that registers hold.
#[derive(Clone, Copy)]
struct Machine {
    name: &'static str,
    /// Its numbers of floating point that have arithmetic.
    floats: &'static [Type],
    /// Those that have moves and conversions.
    moved: &'static [Type],
    /// Those that have instructions of Zfa.
    rounded: &'static [Type],
    /// The scalar that fills a register.
    x: Type,
    p: Type,
    /// The type narrower than `x` that has instructions of its own; `None` if there is none.
    word: Option<Type>,
}

const RV64: Machine =
    Machine { name: "riscv64", floats: &[], moved: &[], rounded: &[], x: S64, p: P0, word: Some(S32) };
const RV32: Machine =
    Machine { name: "riscv32", x: S32, p: Type::Pointer { address_space: 0, bits: 32 }, word: None, ..RV64 };

impl Machine {
    fn on(&self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).unsupported_if_not_scalar()
    }

    /// The same for an operation that does with each element of a vector what it does with a scalar.
    fn each(&self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).scalarize(0)
    }

    /// Rules of accesses, which may be atomic: at their natural alignment, and no wider than two registers.
    fn accesses(&self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes)
            .unsupported_if_vector()
            .unsupported_if_not_atomically_accessible(2 * self.x.bits())
    }

    /// An atomic access that the library makes: all without A, and those of two registers.
    fn is_of_library(&self, features: Features) -> Predicate {
        let is_atomic = || atomic_ordering_at_least_or_stronger_than(0, AtomicOrdering::Unordered);
        let wide = Type::scalar(2 * self.x.bits());
        let access = TypePairAndMemDesc { type0: wide, type1: self.p, memory: wide, align_bits: wide.bits() };
        let pair = all([is_atomic(), type_pair_and_mem_desc_in_set(0, 1, 0, &[access])]);
        match features.contains(features::A) {
            true => pair,
            false => any([all([is_atomic(), pred_not(scalar_wider_than(0, self.x.bits()))]), pair]),
        }
    }
}

impl Machine {
    fn numbers(&self) -> FloatMachine {
        FloatMachine { name: self.name, x: self.x, numbers: self.floats, moved: self.moved, rounded: self.rounded }
    }

    /// The numbers of floating point that have instructions and fill no general register.
    fn others(&self) -> Vec<Type> {
        self.moved.iter().copied().filter(|&number| number != self.x).collect()
    }

    /// The same machine with the numbers of these features.
    fn with(self, features: Features) -> Machine {
        if !features.contains(features::F) {
            return self;
        }
        let wide = features.contains(features::D);
        let numbers = |half| match (wide, features.contains(half)) {
            (true, true) => WITH_HALF,
            (true, false) => WITH_D,
            (false, true) => HALF_WITH_F,
            (false, false) => WITH_F,
        };
        let rounded = if features.contains(features::ZFA) { numbers(features::ZFH) } else { &[] };
        Machine { floats: numbers(features::ZFH), moved: numbers(features::ZFHMIN), rounded, ..self }
    }

    /// Rules of accesses of a scalar or, element by element, of a vector.
    fn accesses_of_elements(&self, opcodes: &[Opcode]) -> RuleSet {
        rules_for(self.name, opcodes).scalarize(0).unsupported_if_not_atomically_accessible(2 * self.x.bits())
    }
}

fn sets(features: Features) -> Vec<RuleSet> {
    let machine = if features.contains(features::RV32) { RV32 } else { RV64 };
    let machine = machine.with(features);
    let mut sets = arithmetic(machine);
    sets.extend(words(machine, features.contains(features::M)));
    sets.extend(bit_manipulation(machine, features.contains(features::ZBB)));
    sets.extend(multiplication(machine, features.contains(features::M)));
    sets.extend(values(machine));
    sets.extend(memory(machine, features));
    sets.extend(accesses_without_step(machine.name));
    sets.extend(atomics(machine, features));
    sets.extend(artifacts(machine));
    sets.push(vectors_by_element(machine.name));
    sets.extend(machine.numbers().operations());
    sets
}

/// Sums, products, shifts and quotients of words, where there are instructions for words.
pub static CUSTOMS: &[CustomDesc] = &[
    CustomDesc { opcode: G_ADD, expansion: Expansion::Word(G_ADD) },
    CustomDesc { opcode: G_SUB, expansion: Expansion::Word(G_SUB) },
    CustomDesc { opcode: G_MUL, expansion: Expansion::Word(G_MUL) },
    CustomDesc { opcode: G_SHL, expansion: Expansion::Word(G_SLLW) },
    CustomDesc { opcode: G_LSHR, expansion: Expansion::Word(G_SRLW) },
    CustomDesc { opcode: G_ASHR, expansion: Expansion::Word(G_SRAW) },
    CustomDesc { opcode: G_SDIV, expansion: Expansion::Word(G_DIVW) },
    CustomDesc { opcode: G_UDIV, expansion: Expansion::Word(G_DIVUW) },
    CustomDesc { opcode: G_UREM, expansion: Expansion::Word(G_REMUW) },
];

/// The instructions of RV64 on words; those that divide are M's.
fn words(machine: Machine, multiplies: bool) -> Option<RuleSet> {
    let opcodes: &[Opcode] = match multiplies {
        true => &[G_SLLW, G_SRLW, G_SRAW, G_DIVW, G_DIVUW, G_REMUW],
        false => &[G_SLLW, G_SRLW, G_SRAW],
    };
    machine.word.map(|_| machine.on(opcodes).legal_for(&[machine.x]).unsupported())
}

fn arithmetic(machine: Machine) -> Vec<RuleSet> {
    let Machine { x, p, word, .. } = machine;
    let (on, words) = (|opcodes: &[Opcode]| machine.each(opcodes), word.as_slice());
    vec![
        on(&[G_ADD, G_SUB]).legal_for(&[x]).custom_for(words).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        on(&[G_AND, G_OR, G_XOR]).legal_for(&[x]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        on(&[G_SHL, G_LSHR, G_ASHR])
            .legal_for(&[(x, x)])
            .clamp_scalar(1, x, x)
            .custom_for(words)
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, x, x),
        on(&[G_ABS]).lower(),
        on(&[G_FSHL, G_FSHR]).lower(),
        on(&EXPANDED).lower(),
        rules_for(machine.name, &[G_EXTRACT, G_INSERT]).unsupported_if_vector().lower(),
        on(&[G_BITREVERSE]).widen_scalar_to_next_pow2(0).min_scalar(0, S8).max_scalar(0, x).lower(),
        on(&[G_ICMP])
            .legal_for(&[(x, x), (x, p)])
            .clamp_scalar(0, x, x)
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, x, x),
        on(&[G_SELECT])
            .legal_for(&[(x, x), (p, x)])
            .legal_for(&pairs(&machine.others(), &[x]))
            .clamp_scalar(1, x, x)
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, x, x),
    ]
}

/// The operations for which Zbb has instructions.
fn bit_manipulation(machine: Machine, zbb: bool) -> Vec<RuleSet> {
    let Machine { x, word, .. } = machine;
    let on = |opcodes: &[Opcode]| machine.each(opcodes);
    let widths: &[i64] = match (zbb, word) {
        (true, Some(_)) => &[8, 16, 32],
        (true, None) => &[8, 16],
        (false, Some(_)) => &[32],
        (false, None) => &[],
    };
    let extension =
        on(&[G_SEXT_INREG]).legal_for_immediates(x, widths).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x).lower();
    if !zbb {
        return vec![
            extension,
            on(&[G_SMIN, G_SMAX, G_UMIN, G_UMAX]).lower(),
            on(&[G_ROTL, G_ROTR]).lower(),
            on(&[G_BSWAP]).widen_scalar_to_next_pow2(0).max_scalar(0, x).lower(),
            on(&[G_CTPOP, G_CTLZ, G_CTTZ])
                .widen_scalar_to_next_pow2(1)
                .min_scalar(1, S32)
                .max_scalar(1, x)
                .scalar_same_size_as(0, 1)
                .lower(),
        ];
    }
    vec![
        extension,
        on(&[G_SMIN, G_SMAX, G_UMIN, G_UMAX]).legal_for(&[x]).lower(),
        on(&[G_ROTL, G_ROTR]).legal_for(&[(x, x)]).lower(),
        on(&[G_BSWAP]).legal_for(&[x]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        on(&[G_CTPOP, G_CTLZ, G_CTTZ])
            .legal_for(&[(x, x)])
            .widen_scalar_to_next_pow2(1)
            .clamp_scalar(1, x, x)
            .scalar_same_size_as(0, 1),
    ]
}

fn multiplication(machine: Machine, m: bool) -> Vec<RuleSet> {
    let Machine { x, word, .. } = machine;
    let (on, words) = (|opcodes: &[Opcode]| machine.each(opcodes), word.as_slice());
    if !m {
        return without_multiplication(machine);
    }
    // The widest that the runtime library divides.
    let pair = Type::scalar(2 * x.bits());
    vec![
        on(&[G_MUL]).legal_for(&[x]).custom_for(words).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        on(&[G_UMULH]).legal_for(&[x]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        on(&[G_SMULH]).legal_for(&[x]).widen_scalar_to_next_pow2(0).min_scalar(0, x).lower(),
        on(&[G_UDIV, G_SDIV, G_UREM])
            .legal_for(&[x])
            .custom_for(words)
            .libcall_for(&[pair])
            .unsupported_if(scalar_wider_than(0, pair.bits()))
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, S32),
        on(&[G_SREM])
            .legal_for(&[x])
            .libcall_for(&[pair])
            .unsupported_if(scalar_wider_than(0, pair.bits()))
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, x),
    ]
}

/// Everything is a library call, of a register or of two; a high product is part of one twice as wide. As in LLVM,
/// wider types have no division.
fn without_multiplication(machine: Machine) -> Vec<RuleSet> {
    let Machine { x, .. } = machine;
    let on = |opcodes: &[Opcode]| machine.each(opcodes);
    let pair = Type::scalar(2 * x.bits());
    vec![
        on(&[G_MUL]).libcall_for(&[x, pair]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, pair),
        on(&[G_UDIV, G_SDIV, G_UREM, G_SREM])
            .libcall_for(&[x, pair])
            .unsupported_if(scalar_wider_than(0, pair.bits()))
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, x),
        on(&[G_UMULH]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x).lower(),
        on(&[G_SMULH]).widen_scalar_to_next_pow2(0).min_scalar(0, x).lower(),
    ]
}

fn values(machine: Machine) -> Vec<RuleSet> {
    let Machine { x, p, .. } = machine;
    let (on, each) = (|opcodes: &[Opcode]| machine.on(opcodes), |opcodes: &[Opcode]| machine.each(opcodes));
    vec![
        each(&[G_CONSTANT]).legal_for(&[x, p]).widen_scalar_to_next_pow2(0).clamp_scalar(0, x, x),
        each(&[G_IMPLICIT_DEF, G_FREEZE, G_CONSTANT_FOLD_BARRIER, G_PHI])
            .legal_for(&[x, p])
            .legal_for(&machine.others())
            .widen_scalar_to_next_pow2(0)
            .clamp_scalar(0, x, x),
        each(&[G_ASSERT_SEXT, G_ASSERT_ZEXT, G_ASSERT_ALIGN]).legal_for(&[x, p]).lower(),
        on(&[G_FRAME_INDEX, G_JUMP_TABLE]).legal_for(&[p]),
        on(&[G_GLOBAL_VALUE, G_BLOCK_ADDR]).legal_for(&[p]),
        on(&[G_CONSTANT_POOL]).legal_for(&[p]),
        each(&[G_PTR_ADD]).legal_for(&[(p, x)]),
        each(&[G_PTRTOINT]).legal_for(&[(x, p)]).clamp_scalar(0, x, x),
        each(&[G_INTTOPTR]).legal_for(&[(p, x)]).clamp_scalar(1, x, x),
        on(&[G_BRCOND]).legal_for(&[x]).clamp_scalar(0, x, x),
        rules_for(machine.name, &[G_BR]).always_legal(),
        on(&[G_BRINDIRECT]).legal_for(&[p]),
        on(&[G_BRJT]).lower(),
        on(&[G_DYN_STACKALLOC]).lower_for(&[(p, x)]).unsupported(),
        on(&[G_STACKSAVE, G_STACKRESTORE]).lower_for(&[p]),
    ]
}

fn memory(machine: Machine, features: Features) -> Vec<RuleSet> {
    let Machine { x, p, .. } = machine;
    let on = |opcodes: &[Opcode]| machine.on(opcodes);
    // A value as wide as its access, and wider than a register.
    let whole = || all([scalar_wider_than(0, x.bits()), pred_not(mem_narrower_than_value())]);
    let access = |value: Type, bits: u32| TypePairAndMemDesc {
        type0: value,
        type1: p,
        memory: Type::scalar(bits),
        align_bits: bits,
    };
    let extending: Vec<TypePairAndMemDesc> =
        [8, 16, 32].into_iter().filter(|&bits| bits < x.bits()).map(|bits| access(x, bits)).collect();
    let others = machine.others().into_iter().map(|ty| access(ty, ty.bits()));
    let plain: Vec<TypePairAndMemDesc> =
        extending.iter().copied().chain([access(x, x.bits()), access(p, x.bits())]).chain(others).collect();
    vec![
        machine
            .accesses_of_elements(&[G_LOAD])
            .libcall_if(machine.is_of_library(features))
            .when(features.contains(features::A), |rules| {
                rules.lower_if(atomic_ordering_at_least_or_stronger_than(0, AtomicOrdering::Acquire))
            })
            .legal_for_types_with_mem_desc(&plain)
            .narrow_scalar_to_access(x)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_if(whole(), change_to(0, x))
            .min_scalar(0, x)
            .lower_if(misaligned()),
        on(&[G_ZEXTLOAD, G_SEXTLOAD])
            .legal_for_types_with_mem_desc(&extending)
            .narrow_scalar_to_access(x)
            .lower_if_mem_size_not_byte_size_pow2()
            .widen_scalar_to_next_pow2(0)
            .min_scalar(0, x)
            .lower_if(misaligned()),
        machine
            .accesses_of_elements(&[G_STORE])
            .libcall_if(machine.is_of_library(features))
            .when(features.contains(features::A), |rules| {
                rules.lower_if(atomic_ordering_at_least_or_stronger_than(0, AtomicOrdering::Release))
            })
            .legal_for_types_with_mem_desc(&plain)
            .widen_scalar_to_next_pow2(0)
            .narrow_scalar_to_access(x)
            .lower_if_mem_size_not_byte_size_pow2()
            .narrow_scalar_if(whole(), change_to(0, x))
            .min_scalar(0, x)
            .lower_if(misaligned()),
        on(&[G_MEMCPY, G_MEMMOVE]).unsupported_if(scalar_wider_than(2, x.bits())).libcall(),
        on(&[G_MEMSET]).unsupported_if(any([scalar_wider_than(2, x.bits()), scalar_narrower_than(1, 8)])).libcall(),
        on(&[G_BZERO]).unsupported_if(scalar_wider_than(1, x.bits())).libcall(),
        on(&[G_MEMCPY_INLINE]).unsupported(),
    ]
}

/// Operations on memory, of 32 bits and of a register. Others, and all without A, are the library's, which has no
/// extrema.
fn atomics(machine: Machine, features: Features) -> Vec<RuleSet> {
    let Machine { x, p, word, .. } = machine;
    let access = |memory: Type| TypePairAndMemDesc { type0: x, type1: p, memory, align_bits: memory.bits() };
    let whole: Vec<TypePairAndMemDesc> = [Some(x), word].into_iter().flatten().map(access).collect();
    let has_instructions = features.contains(features::A);
    let instructions = |rules: RuleSet| {
        let rules = rules.legal_for_types_with_mem_desc(&whole);
        rules.when(word.is_some(), |rules| rules.min_scalar(0, x))
    };
    let in_library: Vec<Opcode> = AtomicFunction::read_modify_writes(AtomicLibrary::Libatomic)
        .into_iter()
        .filter(|&opcode| opcode != G_ATOMICRMW_SUB)
        .chain([G_ATOMIC_CMPXCHG])
        .collect();
    let extrema = [G_ATOMICRMW_MAX, G_ATOMICRMW_MIN, G_ATOMICRMW_UMAX, G_ATOMICRMW_UMIN];
    vec![
        machine
            .accesses(&in_library)
            .lower_if(is_pointer(0))
            .when(has_instructions, |rules| rules.libcall_if(mem_narrower_than(32)))
            .libcall_if(machine.is_of_library(features))
            .when(has_instructions, instructions),
        match has_instructions {
            true => instructions(machine.accesses(&extrema).unsupported_if(mem_narrower_than(32))).unsupported(),
            false => machine.accesses(&extrema).unsupported(),
        },
        machine.accesses(&[G_ATOMICRMW_SUB, G_ATOMIC_CMPXCHG_WITH_SUCCESS]).lower(),
        rules_for(machine.name, &[G_FENCE]).always_legal(),
        rules_for(machine.name, Family::Trap.opcodes()).always_legal(),
        rules_for(machine.name, &[G_INTRINSIC, G_INTRINSIC_W_SIDE_EFFECTS]).always_legal(),
    ]
}

/// Extensions and truncations combine away; merges and unmerges become shifts. Halves of a type wider than a register
/// combine away too; smaller parts are grouped into halves first. What is left beside numbers of floating point moves
/// their bits between registers.
fn artifacts(machine: Machine) -> Vec<RuleSet> {
    let x = machine.x.bits();
    let on = |opcodes: &[Opcode]| machine.on(opcodes);
    // The low bits of a register are a number. On RV32 two registers are one too.
    let (others, wide) = (machine.others(), (S64, S32));
    let pair: &[(Type, Type)] = if others.contains(&S64) { &[wide] } else { &[] };
    let mut low: Vec<(Type, Type)> = if others.contains(&S32) { vec![wide] } else { Vec::new() };
    let beside_half = |ty: &Type| others.contains(&S16) && (*ty == machine.x || others.contains(ty));
    low.extend([S64, S32].into_iter().filter(beside_half).map(|ty| (ty, S16)));
    // The moves to a general register extend the sign.
    let (signed, unsigned): (Vec<_>, Vec<_>) = low.iter().copied().partition(|&(to, _)| to == machine.x);
    let back = |types: &[(Type, Type)]| types.iter().map(|&(wide, narrow)| (narrow, wide)).collect::<Vec<_>>();
    vec![
        machine.each(&[G_ANYEXT]).legal_for(&low).lower(),
        // Of integers they combine away.
        rules_for(machine.name, &[G_SEXT])
            .scalarize(0)
            .legal_for(&signed)
            .lower_for(&unsigned)
            .lower_for(pair)
            .unsupported(),
        rules_for(machine.name, &[G_ZEXT]).scalarize(0).lower_for(&low).lower_for(pair).unsupported(),
        rules_for(machine.name, &[G_TRUNC]).scalarize(0).legal_for(&back(&low)).lower_for(&back(pair)).unsupported(),
        on(&[G_MERGE_VALUES])
            .legal_for(pair)
            .unsupported_if(made_of_halves(0, 1, x))
            .halve_scalar_if(made_of_smaller_parts(0, 1, x), 0)
            .lower(),
        rules_for(machine.name, &[G_UNMERGE_VALUES])
            .lower_if(is_vector(0))
            .unsupported_if_vector()
            .legal_for(&back(pair))
            .unsupported_if(made_of_halves(1, 0, x))
            .halve_scalar_if(made_of_smaller_parts(1, 0, x), 1)
            .lower(),
    ]
}
