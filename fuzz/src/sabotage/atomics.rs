//! Planted faults of atomic accesses and fences: one thread alone sees few of them.

use super::site::Site;
use super::{A64, ALL, Fault, Plant, Programs, RISCV, Rules};
use tribunal_ir::Opcode::*;
use tribunal_ir::{AtomicOrdering, Operand};

/// Selection rules of fences among threads, of both instruction sets.
const FENCES: &[&str] = &["fence_acquire", "fence_release", "fence_acq_rel", "fence"];

const fn row(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    rules: Rules,
    change: fn(&mut Site<'_>) -> Option<()>,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Rewrite(rules, change), programs: Programs::GeneratedForAtomics }
}

pub(super) static FAULTS: &[Fault] = &[
    row("fence-left-out", "fence removed", ALL, Rules::Named(FENCES), |s| s.drop(*s.after.last()?)),
    row("fence-of-fewer-accesses", "weaker ordering", ALL, Rules::Named(FENCES), |s| {
        let inst = *s.after.last()?;
        // Of stores alone, in the numbering of either instruction set.
        let weaker = if s.function.inst(inst).operands.len() == 1 { 10 } else { 1 };
        s.immediate(inst, 0, |_| weaker)
    }),
    row("fence-after-a-load-left-out", "fence removed", RISCV, Rules::Legality(&["G_LOAD"], &["lower_if"]), |s| {
        s.drop(s.last(G_FENCE)?)
    }),
    row("fence-before-a-store-weaker", "weaker ordering", RISCV, Rules::Legality(&["G_STORE"], &["lower_if"]), |s| {
        s.immediate(s.first(G_FENCE)?, 0, |_| AtomicOrdering::Acquire.number())
    }),
    row(
        "ordered-load-as-a-plain-one",
        "weaker ordering",
        A64,
        Rules::Named(&["load_ordered_8", "load_ordered_16", "load_ordered_32", "load_ordered_64"]),
        |s| s.turn_machine(&[("LDARB", "LDXRB"), ("LDARH", "LDXRH"), ("LDARW", "LDXRW"), ("LDARX", "LDXRX")]),
    ),
    row(
        "reserving-load-as-a-plain-one",
        "weaker ordering",
        A64,
        Rules::Named(&["ldaxr8", "ldaxr16", "ldaxr32", "ldaxr64", "ldaxp"]),
        |s| {
            s.turn_machine(&[
                ("LDAXRB", "LDXRB"),
                ("LDAXRH", "LDXRH"),
                ("LDAXRW", "LDXRW"),
                ("LDAXRX", "LDXRX"),
                ("LDAXPX", "LDXPX"),
            ])
        },
    ),
    row(
        "exclusive-store-without-its-order",
        "weaker ordering",
        A64,
        Rules::Named(&["stlxr8", "stlxr16", "stlxr32", "stlxr64", "stlxp"]),
        |s| {
            s.turn_machine(&[
                ("STLXRB", "STXRB"),
                ("STLXRH", "STXRH"),
                ("STLXRW", "STXRW"),
                ("STLXRX", "STXRX"),
                ("STLXPX", "STXPX"),
            ])
        },
    ),
    row("exclusive-halves-exchanged", "operands exchanged", A64, Rules::Named(&["stxp", "stlxp"]), |s| {
        let inst = *s.after.last()?;
        s.swap(inst, 1, 2)
    }),
    row(
        "exchange-of-the-expected-value",
        "operands exchanged",
        A64,
        Rules::Named(&["cmpxchg32_loop", "cmpxchg64_loop"]),
        |s| {
            let inst = *s.after.last()?;
            s.swap(inst, 3, 4)
        },
    ),
    row(
        "success-is-failure",
        "wrong predicate",
        A64,
        Rules::Legality(&["G_ATOMIC_CMPXCHG_WITH_SUCCESS"], &["lower"]),
        |s| {
            let inst = s.last(G_ICMP)?;
            matches!(s.function.inst(inst).operands.get(1), Some(Operand::Predicate(_))).then_some(())?;
            s.predicate(inst, tribunal_ir::IntPredicate::inverse)
        },
    ),
];
