//! Edits that add or move instructions.

use super::scope::{Scope, is_free};
use super::values::is_pure;
use crate::opcodes::{ends, is_known};
use tribunal_ir::opcode::IndexTypes;
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, Operand, Type, VReg};
use tribunal_target::Target;

pub(super) fn insert(
    function: &mut Function,
    target: &Target,
    before: Inst,
    opcode: Opcode,
    result: Type,
    operands: &[VReg],
) -> bool {
    if function.block_of(before).is_none() || !is_free(function, target, before) {
        return false;
    }
    let scope = Scope::new(function);
    let readable = operands.iter().all(|&register| scope.is_above(function, register, before));
    if !readable || !takes(function, opcode, result, operands) {
        return false;
    }
    let register = function.new_vreg(result);
    let operands = operands.iter().copied().map(Operand::used);
    function.insert_before(before, InstData::new(opcode, std::iter::once(Operand::def(register)).chain(operands)));
    true
}

/// True if `opcode` defines one register of type `result` from such operands, all of them integers.
fn takes(function: &Function, opcode: Opcode, result: Type, operands: &[VReg]) -> bool {
    let Some(info) = opcode.info().filter(|info| is_known(opcode) && info.accesses.is_none()) else { return false };
    let types: Option<Vec<Type>> = operands.iter().map(|&register| function.type_of(register)).collect();
    let Some(types) = types.filter(|types| types.iter().chain([&result]).all(|ty| ty.is_scalar())) else {
        return false;
    };
    if info.defs.len() != 1 || info.uses.len() != types.len() {
        return false;
    }
    let mut seen: IndexTypes = [None; 3];
    let one_each = info
        .operands()
        .zip(std::iter::once(&result).chain(&types))
        .all(|(kind, &ty)| kind.type_index().is_some_and(|index| *seen[index].get_or_insert(ty) == ty));
    one_each && info.takes(&seen)
}

pub(super) fn duplicate(function: &mut Function, inst: Inst) -> bool {
    let data = function.inst(inst);
    let virtual_only =
        data.operands.iter().filter_map(Operand::as_reg).all(|operand| operand.reg.as_virtual().is_some());
    let fits = virtual_only && is_known(data.opcode) && !ends(data.opcode);
    if function.block_of(inst).is_none() || !fits {
        return false;
    }
    let mut data = data.clone();
    for index in 0..data.operands.len() {
        if let (true, Some(register)) = (data.operands[index].is_def(), data.operands[index].as_vreg()) {
            let row = &function.vregs[register];
            let copy = function.push_vreg(row.ty, row.constraint);
            data.operands[index] = Operand::def(copy);
        }
    }
    function.insert_before(inst, data);
    true
}

/// Moves a pure instruction to a place where its operands are still above it and its reads below.
pub(super) fn relocate(function: &mut Function, target: &Target, inst: Inst, before: Inst) -> bool {
    let placed = function.block_of(inst).is_some() && function.block_of(before).is_some();
    let stays = inst == before || function.next_inst(inst) == Some(before);
    let data = function.inst(inst);
    let physical = data.operands.iter().filter_map(Operand::as_reg).any(|operand| operand.reg.as_virtual().is_none());
    if !placed || stays || physical || data.opcode.is_phi() || data.opcode == Opcode::OPAQUE {
        return false;
    }
    if !is_pure(function, target, inst) || !is_free(function, target, before) {
        return false;
    }
    let scope = Scope::new(function);
    let below = || reads(function, inst).all(|read| reaches(function, &scope, read, before));
    if !data.vreg_uses().all(|register| scope.is_above(function, register, before)) || !below() {
        return false;
    }
    let data = data.clone();
    function.remove(inst);
    function.insert_before(before, data);
    true
}

/// The place where a register is read: an instruction, or the end of the block from which a PHI takes it.
enum Read {
    At(Inst),
    AtEnd(Block),
}

fn reads(function: &Function, inst: Inst) -> impl Iterator<Item = Read> + '_ {
    let defs: Vec<VReg> = function.inst(inst).vreg_defs().collect();
    function.all_insts().flat_map(move |reader| {
        let data = function.inst(reader);
        let defs = defs.clone();
        let from: Vec<Read> = match data.opcode.is_phi() {
            true => {
                data.phi_inputs().filter(|(value, _)| defs.contains(value)).map(|(_, from)| Read::AtEnd(from)).collect()
            }
            false => data.vreg_uses().filter(|used| defs.contains(used)).map(|_| Read::At(reader)).collect(),
        };
        from
    })
}

/// True if a definition right before `place` can be read there.
fn reaches(function: &Function, scope: &Scope, read: Read, place: Inst) -> bool {
    match read {
        Read::At(reader) => reader == place || scope.precedes(function, place, reader),
        Read::AtEnd(block) => function.block_of(place).is_some_and(|own| own == block || scope.dominates(own, block)),
    }
}

pub(super) fn phi(function: &mut Function, block: Block, values: &[VReg]) -> bool {
    let mut predecessors = function.predecessors()[block.as_u32() as usize].clone();
    predecessors.dedup();
    let ty = values.first().and_then(|&value| function.type_of(value));
    let scope = Scope::new(function);
    let fits =
        |(&value, &from): (&VReg, &Block)| function.type_of(value) == ty && scope.reaches_end(function, value, from);
    let placed = function.layout().contains(&block) && values.len() == predecessors.len() && predecessors.len() > 1;
    let Some(ty) = ty.filter(|_| placed && values.iter().zip(&predecessors).all(fits)) else { return false };
    let register = function.new_vreg(ty);
    let inputs =
        values.iter().zip(&predecessors).flat_map(|(&value, &from)| [Operand::used(value), Operand::Block(from)]);
    function.prepend(block, InstData::new(Opcode::G_PHI, std::iter::once(Operand::def(register)).chain(inputs)));
    true
}
