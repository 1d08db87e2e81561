//! Planted faults of bank selection: copies from bank to bank.

use super::{BOTH, Fault, Plant, Programs};
use tribunal_ir::{Function, Inst, InstData, Opcode, Operand, VReg};
use tribunal_target::Target;
use tribunal_trial::bank_costs::is_between_banks;

pub(super) static FAULTS: &[Fault] = &[
    selected("copy-of-another-value-between-banks", |f, t| {
        let between = copies(f, t);
        let (copy, other) = between.into_iter().rev().find_map(|copy| Some((copy, other_source(f, copy)?)))?;
        f.set_operand(copy, 1, Operand::used(other));
        Some(())
    }),
    selected("copy-between-banks-not-made", |f, t| {
        let copy = copies(f, t).pop()?;
        let result = f.inst(copy).vreg(0)?;
        f.replace(copy, InstData::new(Opcode::G_IMPLICIT_DEF, [Operand::def(result)]));
        Some(())
    }),
];

/// A fault in the output of bank selection, on a machine with registers of floating point.
const fn selected(name: &'static str, change: fn(&mut Function, &'static Target) -> Option<()>) -> Fault {
    let plant = Plant::Stage("bank-select", change);
    Fault { name, model: "register bank", targets: BOTH, plant, programs: Programs::GeneratedForFloats }
}

fn copies(function: &Function, target: &Target) -> Vec<Inst> {
    function.all_insts().filter(|&inst| is_between_banks(function, target, function.inst(inst))).collect()
}

/// A value like the source of the copy that is defined before it in its block.
fn other_source(function: &Function, copy: Inst) -> Option<VReg> {
    let source = function.inst(copy).vreg(1)?;
    let like = |value: VReg| (function.type_of(value), function.vregs[value].constraint);
    let before = std::iter::successors(function.previous_inst(copy), |&inst| function.previous_inst(inst));
    let mut values = before.filter_map(|inst| function.inst(inst).vreg(0));
    values.find(|&value| value != source && like(value) == like(source))
}
