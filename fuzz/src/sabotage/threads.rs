//! Planted faults of thread-local variables: of the distance that code has of one, and of the thread pointer.

use super::site::Site;
use super::{A64, ALL, Fault, Plant, Programs, RISCV, Rules};
use tribunal_ir::{Inst, InstData, Opcode, Operand};

const fn row(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    rules: &'static [&'static str],
    change: fn(&mut Site<'_>) -> Option<()>,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Rewrite(Rules::Named(rules), change), programs: Programs::Generated }
}

const LOCAL: &[&str] = &["global_local_exec"];
const INITIAL: &[&str] = &["global_initial_exec"];

/// The instructions with an address, in execution order.
fn with_address(s: &Site<'_>) -> Vec<Inst> {
    let has = |&inst: &Inst| s.function.inst(inst).operands.iter().any(|one| matches!(one, Operand::Address(_)));
    s.after.iter().copied().filter(has).collect()
}

pub(super) static FAULTS: &[Fault] = &[
    row("distance-of-another-offset", "addend dropped", ALL, &["global_local_exec", "global_initial_exec"], |s| {
        let inst = *with_address(s).last()?;
        s.address(inst, |address| address.offset += 8)
    }),
    row("upper-part-of-a-nearer-distance", "addend dropped", ALL, LOCAL, |s| {
        let inst = *with_address(s).first()?;
        s.address(inst, |address| address.offset -= 4096)
    }),
    row("low-part-of-a-distance-twice", "wrong relocation kind", A64, LOCAL, |s| {
        let insts = with_address(s);
        let low = s.function.inst(*insts.last()?).operands.clone();
        let flags = low.iter().find_map(|operand| s.function.address_of(operand)).map(|address| address.flags)?;
        s.address(*insts.first()?, |address| address.flags = flags)
    }),
    row("upper-part-of-a-distance-unshifted", "shift left out", A64, LOCAL, |s| {
        let inst = *with_address(s).first()?;
        s.immediate(inst, 3, |_| 0)
    }),
    row("distance-for-an-address", "thread pointer left out", RISCV, LOCAL, |s| {
        s.skip(s.first(s.machine("PseudoAddTPRel")?)?, 1)
    }),
    row("loaded-distance-for-an-address", "thread pointer left out", ALL, INITIAL, |s| {
        let sum = *s.after.last()?;
        let distance = s.function.inst(*with_address(s).first()?).vreg(0)?;
        let address = s.function.inst(sum).vreg(0)?;
        let copy = InstData::new(Opcode::COPY, [Operand::def(address), Operand::used(distance)]);
        s.function.replace(sum, copy);
        Some(())
    }),
    row("entry-of-the-address-for-that-of-a-distance", "wrong relocation kind", RISCV, INITIAL, |s| {
        s.turn_machine(&[("PseudoLA_TLS_IE", "PseudoLGA")])
    }),
];
