//! Edits of values: reads, constants, and the removal of instructions.

use super::scope::Scope;
use smallvec::SmallVec;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::{
    Bits, Constraint, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegFlags, RegOperand, Type,
    VReg,
};
use tribunal_target::Target;

/// Every read of `from` becomes one of `to`.
pub(super) fn rename(function: &mut Function, from: VReg, to: VReg) {
    if from == to {
        return;
    }
    let layout = function.layout();
    // Most reads follow the definition.
    let own = function.def_of(from).and_then(|def| function.block_of(def));
    let start = own.and_then(|own| layout.iter().position(|&block| block == own)).unwrap_or(0);
    let blocks: Vec<_> = layout[start..].iter().chain(&layout[..start]).copied().collect();
    for block in blocks {
        let mut next = function.first_inst(block);
        while let Some(inst) = next {
            if function.use_count(from) == 0 {
                return;
            }
            function.rename_uses(inst, |register| if register == from { to } else { register });
            next = function.next_inst(inst);
        }
    }
}

pub(super) fn forward(function: &mut Function, register: VReg, to: VReg) -> bool {
    let Some(def) = function.def_of(register).filter(|&def| function.block_of(def).is_some()) else { return false };
    if !is_same_kind(function, register, to) || register == to || function.use_count(register) == 0 {
        return false;
    }
    let scope = Scope::new(function);
    // The PHIs of a block are one: none is above another, but any may stand for another.
    let data = function.inst(def);
    let first = std::iter::successors(Some(def), |&inst| function.next_inst(inst));
    let place = match data.opcode.is_phi() {
        true => first.into_iter().find(|&inst| !function.inst(inst).opcode.is_phi()),
        false => Some(def),
    };
    if !place.is_some_and(|place| scope.is_above(function, to, place)) {
        return false;
    }
    rename(function, register, to);
    true
}

/// `G_CONSTANT` in the place of `inst`, or after the PHIs if it is one.
fn constant_at(function: &mut Function, inst: Inst, ty: Type, value: Bits) -> VReg {
    let register = function.new_vreg(ty);
    let operand = function.constant(value.zext_or_trunc(ty.bits()));
    let data = InstData::new(Opcode::G_CONSTANT, [Operand::def(register), operand]);
    let last_phi = std::iter::successors(Some(inst), |&inst| function.next_inst(inst))
        .take_while(|&inst| function.inst(inst).opcode.is_phi())
        .last();
    match last_phi {
        Some(phi) => function.insert_after(phi, data),
        None => function.insert_before(inst, data),
    };
    register
}

/// The type of the register, if a constant may stand for it.
fn has_constants(function: &Function, register: VReg) -> Option<Type> {
    let is_generic = !matches!(function.vregs[register].constraint, Constraint::Class(_));
    function.type_of(register).filter(|ty| is_generic && !ty.is_vector() && ty.bits() <= MAX_BITS)
}

/// True if one register may be read in the place of the other.
pub fn is_same_kind(function: &Function, one: VReg, other: VReg) -> bool {
    let [one, other] = [one, other].map(|register| &function.vregs[register]);
    one.ty == other.ty && one.constraint == other.constraint
}

pub(super) fn become_constant(function: &mut Function, register: VReg, value: Bits) -> bool {
    let Some(def) = function.def_of(register).filter(|&def| function.block_of(def).is_some()) else { return false };
    let Some(ty) = has_constants(function, register) else { return false };
    let value = value.zext_or_trunc(ty.bits());
    let data = function.inst(def);
    if data.opcode == Opcode::G_CONSTANT {
        let same = data.operands.get(1).and_then(|operand| function.constant_value(operand)) == Some(value);
        if !same {
            let operand = function.constant(value);
            function.set_operand(def, 1, operand);
        }
        return !same;
    }
    if function.use_count(register) == 0 || data.opcode == Opcode::OPAQUE {
        return false;
    }
    let constant = constant_at(function, def, ty, value);
    rename(function, register, constant);
    true
}

pub(super) fn set_operand(function: &mut Function, inst: Inst, index: usize, to: VReg) -> bool {
    if function.block_of(inst).is_none() {
        return false;
    }
    let data = function.inst(inst);
    let Some(Operand::Reg(operand)) = data.operands.get(index) else { return false };
    let Reg::Virtual(register) = operand.reg else { return false };
    if operand.flags.contains(RegFlags::DEF) || register == to || !is_same_kind(function, register, to) {
        return false;
    }
    let scope = Scope::new(function);
    let reads = match (data.opcode.is_phi(), data.operands.get(index + 1)) {
        (true, Some(Operand::Block(from))) => scope.reaches_end(function, to, *from),
        (true, _) => false,
        (false, _) => scope.is_above(function, to, inst),
    };
    if reads {
        function.set_operand(inst, index, Operand::used(to));
    }
    reads
}

/// True if the instruction has no effect but its virtual results.
pub(super) fn is_pure(function: &Function, target: &Target, inst: Inst) -> bool {
    let data = function.inst(inst);
    let acts = OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS | OpcodeFlags::TERMINATOR | OpcodeFlags::CALL;
    !function.opcode_flags(data, target.vocabulary).intersects(acts)
        && !target.is_call_frame(data)
        && data.vreg_defs().next().is_some()
        && data.defs().all(|operand| operand.reg.as_virtual().is_some())
}

/// What is read in the place of a result that goes.
enum StandIn {
    Value(VReg),
    Zero(Type),
}

pub(super) fn remove(function: &mut Function, target: &Target, inst: Inst) -> bool {
    if function.block_of(inst).is_none() {
        return false;
    }
    let data = function.inst(inst);
    let flags = function.opcode_flags(data, target.vocabulary);
    let pinned = flags.intersects(OpcodeFlags::TERMINATOR | OpcodeFlags::CALL) || target.is_call_frame(data);
    // Flags that nothing reads may go; the verifier tells whether something does.
    let is_kept =
        |operand: &RegOperand| operand.reg.as_physical().is_some() && !operand.flags.contains(RegFlags::IMPLICIT);
    if pinned || data.defs().any(is_kept) {
        return false;
    }
    let other = |register: VReg| match stand_in(function, inst, register) {
        Some(value) => Some(StandIn::Value(value)),
        None => has_constants(function, register).map(StandIn::Zero),
    };
    let read = data.vreg_defs().filter(|&register| function.use_count(register) > 0);
    let stand_ins: Option<Vec<(VReg, StandIn)>> = read.map(|register| Some((register, other(register)?))).collect();
    let Some(stand_ins) = stand_ins else { return false };
    for (register, other) in stand_ins {
        let to = match other {
            StandIn::Value(value) => value,
            StandIn::Zero(ty) => constant_at(function, inst, ty, Bits::zero(ty.bits())),
        };
        rename(function, register, to);
    }
    function.remove(inst);
    true
}

/// A value of the type of `register` that stands above `inst`: an operand, or one near above it, or one of the entry's
/// first.
fn stand_in(function: &Function, inst: Inst, register: VReg) -> Option<VReg> {
    const NEAR: usize = 64;
    let fits = |other: &VReg| *other != register && is_same_kind(function, *other, register);
    let data = function.inst(inst);
    let operand = data.vreg_uses().find(|other| fits(other) && !data.opcode.is_phi());
    let above = std::iter::successors(function.previous_inst(inst), |&inst| function.previous_inst(inst)).take(NEAR);
    let near = above.flat_map(|inst| function.inst(inst).vreg_defs().collect::<SmallVec<[VReg; 2]>>());
    let entry = function.entry().filter(|&entry| function.block_of(inst) != Some(entry));
    let first = entry.into_iter().flat_map(|entry| function.insts(entry).take(NEAR));
    let first = first.flat_map(|inst| function.inst(inst).vreg_defs().collect::<SmallVec<[VReg; 2]>>());
    operand.or_else(|| near.chain(first).find(fits))
}

pub(super) fn drop_result(function: &mut Function, target: &Target, register: PReg) -> bool {
    let returns: Vec<Inst> = function.all_insts().filter(|&inst| is_return(function, target, inst)).collect();
    let reads = |data: &InstData| data.uses().any(|operand| operand.reg == Reg::Physical(register));
    if !returns.iter().any(|&inst| reads(function.inst(inst))) {
        return false;
    }
    for inst in returns {
        if !reads(function.inst(inst)) {
            continue;
        }
        let mut data = function.inst(inst).clone();
        data.operands.retain(|operand| operand.as_reg().is_none_or(|operand| operand.reg != Reg::Physical(register)));
        function.replace(inst, data);
        // The copy that wrote it, unless something else reads it in between.
        let above: Vec<Inst> =
            std::iter::successors(function.previous_inst(inst), |&inst| function.previous_inst(inst)).collect();
        for inst in above {
            let data = function.inst(inst);
            if target.is_call(data) || reads(data) {
                break;
            }
            if data.opcode == Opcode::COPY && data.defs().any(|operand| operand.reg == Reg::Physical(register)) {
                function.remove(inst);
                break;
            }
        }
    }
    true
}

pub(super) fn is_return(function: &Function, target: &Target, inst: Inst) -> bool {
    function.opcode_flags(function.inst(inst), target.vocabulary).contains(OpcodeFlags::RETURN)
}

/// The sequence from the frame's set-up to its tear-down, and the copies of results after it.
pub(super) fn remove_call(function: &mut Function, target: &Target, setup: Inst) -> bool {
    if function.block_of(setup).is_none() || !target.opens_call_frame(function.inst(setup)) {
        return false;
    }
    let following: Vec<Inst> = std::iter::successors(Some(setup), |&inst| function.next_inst(inst)).collect();
    let closes = |data: &InstData| target.is_call_frame(data) && !target.opens_call_frame(data);
    let Some(end) = following.iter().position(|&inst| closes(function.inst(inst))) else { return false };
    let is_result = |&&inst: &&Inst| {
        let data = function.inst(inst);
        let source = data.operands.get(1).and_then(Operand::as_reg).and_then(|operand| operand.reg.as_physical());
        data.opcode == Opcode::COPY && data.vreg(0).is_some() && source.is_some()
    };
    let results = following[end + 1..].iter().take_while(is_result).count();
    let touches = |inst: Inst| {
        let data = function.inst(inst);
        let mut operands = data.operands.iter().filter_map(Operand::as_reg);
        target.is_call_frame(data) || operands.any(|operand| operand.reg.as_physical().is_some())
    };
    let going: Vec<Inst> = following[..=end + results].iter().copied().filter(|&inst| touches(inst)).collect();
    let typed =
        |inst: Inst| function.inst(inst).vreg_defs().all(|register| has_constants(function, register).is_some());
    if !going.iter().all(|&inst| typed(inst)) {
        return false;
    }
    for inst in going {
        let defs: Vec<VReg> = function.inst(inst).vreg_defs().collect();
        for register in defs {
            if let Some(ty) = function.type_of(register).filter(|_| function.use_count(register) > 0) {
                let zero = constant_at(function, inst, ty, Bits::zero(ty.bits()));
                rename(function, register, zero);
            }
        }
        function.remove(inst);
    }
    true
}

/// The registers that are defined and never read, by index.
pub(super) fn unread(function: &Function) -> Vec<bool> {
    function.vregs.values().map(|register| register.uses == 0).collect()
}

/// Removes pure instructions whose results are all unread, if one was read when `unread` was taken.
pub(super) fn sweep(function: &mut Function, target: &Target, unread: Vec<bool>) {
    let mut work: Vec<Inst> = function.all_insts().collect();
    while let Some(inst) = work.pop() {
        if function.block_of(inst).is_none() || !is_pure(function, target, inst) {
            continue;
        }
        let data = function.inst(inst);
        let was_read = |register: VReg| !unread.get(register.as_u32() as usize).copied().unwrap_or(false);
        let dead = data.vreg_defs().all(|register| only_itself_reads(function, inst, register));
        if dead && data.vreg_defs().any(was_read) {
            let feeds: Vec<Inst> = data.vreg_uses().filter_map(|register| function.def_of(register)).collect();
            function.remove(inst);
            work.extend(feeds);
        }
    }
}

/// A PHI of a loop may read itself.
fn only_itself_reads(function: &Function, inst: Inst, register: VReg) -> bool {
    let own = function.inst(inst).vreg_uses().filter(|&used| used == register).count();
    function.use_count(register) as usize == own
}
