//! Functions that left SSA form, brought back into it for the proof alone.
//!
//! The validator takes a register for one value: the last execution of its only definition. After PHIs are eliminated
//! several instructions define one register, so each definition gets a register of its own, and PHIs stand where
//! definitions meet, at the iterated dominance frontier (Cytron et al., 1991). The function does what it did.

use super::promote::{DominanceFlow, Uses};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, Operand, Reg, VReg};

/// The function with one definition of each virtual register.
pub(super) fn in_ssa_form(function: &Function) -> Result<Cow<'_, Function>, Unsupported> {
    let several = defined_again(function);
    if several.is_empty() {
        return Ok(Cow::Borrowed(function));
    }
    let refused = || Unsupported::new("a register that several instructions define");
    let flow = DominanceFlow::of_whole(function).ok_or_else(refused)?;
    let is_part = |operand: &Operand| operand.as_reg().is_some_and(|register| register.subregister.0 != 0);
    let names_several = |data: &InstData| data.vreg_defs().any(|register| several.contains(&register));
    let mut insts = function.all_insts().map(|inst| function.inst(inst));
    // A definition of a part keeps the rest, and the operands of PHIs are read on edges.
    if insts.any(|data| data.opcode.is_phi() || names_several(data) && data.operands.iter().any(is_part)) {
        return Err(refused());
    }
    let mut renamed = function.clone();
    for &register in &several {
        rename(&mut renamed, &flow, register);
    }
    Ok(Cow::Owned(renamed))
}

/// The registers that more than one operand defines, in order.
fn defined_again(function: &Function) -> Vec<VReg> {
    let (mut once, mut again) = (FxHashSet::default(), Vec::new());
    for register in function.all_insts().flat_map(|inst| function.inst(inst).vreg_defs()) {
        if !once.insert(register) && !again.contains(&register) {
            again.push(register);
        }
    }
    again.sort_unstable();
    again
}

/// Gives each definition of a register a register of its own.
fn rename(function: &mut Function, flow: &DominanceFlow, register: VReg) {
    let fresh = |function: &mut Function| {
        let data = &function.vregs[register];
        let (ty, constraint) = (data.ty, data.constraint);
        function.push_vreg(ty, constraint)
    };
    let phis: FxHashMap<Block, VReg> =
        flow.phis(&uses(function, flow, register)).into_iter().map(|block| (block, fresh(function))).collect();
    let initial = fresh(function);
    let mut leaves: FxHashMap<Block, VReg> = FxHashMap::default();
    for &block in flow.order() {
        let enters = phis.get(&block).or_else(|| leaves.get(&flow.above(block)?));
        let mut current = enters.copied().unwrap_or(initial);
        for inst in function.insts(block).collect::<Vec<Inst>>() {
            let read = current;
            function.rename_uses(inst, |other| if other == register { read } else { other });
            for index in 0..function.inst(inst).operands.len() {
                let operand = function.inst(inst).operands[index];
                if let Operand::Reg(mut defined) = operand
                    && operand.is_def()
                    && defined.reg == Reg::Virtual(register)
                {
                    current = fresh(function);
                    defined.reg = Reg::Virtual(current);
                    function.set_operand(inst, index, Operand::Reg(defined));
                }
            }
        }
        leaves.insert(block, current);
    }
    for (&block, &phi) in &phis {
        let mut operands = vec![Operand::def(phi)];
        for from in flow.predecessors(block) {
            let value = leaves.get(from).copied().unwrap_or(initial);
            operands.extend([Operand::used(value), Operand::Block(*from)]);
        }
        function.prepend(block, InstData::new(Opcode::PHI, operands));
    }
}

/// The blocks that read a register before they define it, and those that define it.
fn uses(function: &Function, flow: &DominanceFlow, register: VReg) -> Uses {
    let mut uses = Uses::default();
    for &block in flow.order() {
        let mut is_defined = false;
        for data in function.insts(block).map(|inst| function.inst(inst)) {
            if !is_defined && data.vreg_uses().any(|other| other == register) && !uses.reads.contains(&block) {
                uses.reads.push(block);
            }
            is_defined |= data.vreg_defs().any(|other| other == register);
        }
        if is_defined {
            uses.writes.insert(block);
        }
    }
    uses
}
