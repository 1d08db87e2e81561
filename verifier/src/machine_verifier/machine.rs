//! Machine instructions and copies against their rows, and the kind of register that each stage allows.

use super::register_set::{RegisterSet, bit};
use super::{Rule, Verifier};
use tribunal_ir::text::print_base;
use tribunal_ir::{
    Constraint, Inst, Opcode, OpcodeFlags, Operand, OperandKind, PReg, Pointer, Reg, RegClass, RegFlags, RegOperand,
    SubReg, TargetOpcode, Type,
};
use tribunal_target::addressing::Quantity;
use tribunal_target::instructions::{InstrDesc, OperandDesc};

/// A machine instruction against its row.
pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    let Opcode::Target(opcode) = data.opcode else { return };
    let row = verifier.target.instruction(opcode);
    let missing = row.requires - verifier.features;
    let target = verifier.target;
    verifier.demand(Rule::OpcodeFeature, inst, missing.is_empty(), || {
        format!("{} does not have it without {missing:?}", target.name)
    });
    let (explicit, wanted) = (data.operands.iter().filter(|operand| !is_implicit(operand)).count(), row.operands.len());
    if !verifier
        .demand(Rule::OperandCount, inst, explicit == wanted, || format!("{explicit} operands, {wanted} wanted"))
    {
        return;
    }
    implicit_operands(verifier, inst, row);
    ties(verifier, inst, row);
    access(verifier, inst, row);
    thread_local(verifier, inst, opcode);
    for (index, (desc, operand)) in row.operands.iter().zip(&data.operands).enumerate() {
        let place = || format!("operand {index}");
        match (desc, operand) {
            (OperandDesc::Imm(range) | OperandDesc::Offset { range, .. }, Operand::Imm(value)) => {
                let accepted = verifier.target.range(row, *range).accepts(*value);
                verifier.demand(Rule::StageImmediate, inst, accepted, || format!("{} is {value}", place()));
            }
            (OperandDesc::Imm(_) | OperandDesc::Offset { .. } | OperandDesc::Symbol, Operand::Address(_)) => {}
            (OperandDesc::Label { .. }, Operand::Block(_)) => {}
            (OperandDesc::Base(_), Operand::Stack(_) | Operand::FixedStack(_)) => {}
            (OperandDesc::RegisterMask, Operand::RegisterMask(_) | Operand::RegisterList(_)) => {}
            (OperandDesc::Callee { .. }, Operand::Address(_)) if is_callee(verifier, operand) => {}
            (_, Operand::Reg(register)) if desc.class().is_some() => {
                if verifier.demand(Rule::OperandKind, inst, desc.is_def() == operand.is_def(), place)
                    && let Some(class) = desc.class()
                {
                    let held = in_class(verifier, register, class) || is_joined(verifier, row, register, class);
                    let name = verifier.target.class(class).name;
                    verifier.demand(Rule::StageClass, inst, held, || format!("{} is not in {name}", place()));
                }
            }
            _ => _ = verifier.demand(Rule::OperandKind, inst, false, place),
        }
    }
}

/// The relocations of a thread-local variable are of its distance. A slower model than it needs reaches it too.
fn thread_local(verifier: &mut Verifier<'_>, inst: Inst, opcode: TargetOpcode) {
    let (function, target) = (verifier.function, verifier.target);
    for address in function.inst(inst).operands.iter().filter_map(|operand| function.address_of(operand)) {
        let Some(fixup) = target.fixup(opcode, address.flags) else { continue };
        let reaches = match (fixup.quantity, function.symbol_facts(address.base).thread_local) {
            (Quantity::Address, needed) => needed.is_none(),
            (Quantity::ThreadDistance(_), None) => false,
            (Quantity::ThreadDistance(made), Some(needed)) => made as u8 <= needed as u8,
        };
        verifier.demand(Rule::ThreadLocal, inst, reaches, || {
            format!("{} of {}", fixup.quantity, print_base(function, address.base))
        });
    }
}

/// What a load or store says of its memory is what the instruction does: so many bytes, at an address that it can take.
/// Of a stack object it may access a part: so LLVM reloads the low byte of a spilled register. LLVM makes loads
/// narrower whose high bits nobody reads, and keeps the memory operand.
fn access(verifier: &mut Verifier<'_>, inst: Inst, row: &InstrDesc) {
    let Some(access) = row.access else { return };
    for operand in &verifier.function.inst(inst).memory {
        let bytes = operand.ty.map_or(u32::from(access.bytes), Type::bytes);
        let in_frame = matches!(operand.pointer, Some(Pointer::Stack(_) | Pointer::FixedStack(_)));
        let may_narrow = in_frame || (verifier.legalizer.is_none() && row.flags.contains(OpcodeFlags::LOAD));
        let fits = bytes == u32::from(access.bytes) || (may_narrow && bytes > u32::from(access.bytes));
        let message = || format!("{bytes} bytes, where the instruction has {}", access.bytes);
        verifier.demand(Rule::MemorySize, inst, fits, message);
        let message = || format!("alignment {}, where the instruction needs {}", operand.align, access.align);
        verifier.demand(Rule::MemoryAlignment, inst, operand.align >= u32::from(access.align), message);
    }
}

/// Target-independent instructions that are no generic ones, as far as their row fixes the operands.
pub(super) fn check_fixed(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    let Some(info) = data.opcode.info() else { return };
    if info.operands().any(|kind| matches!(kind, OperandKind::MORE | OperandKind::SYMBOL)) {
        return;
    }
    let (explicit, wanted) = (data.operands.iter().filter(|operand| !is_implicit(operand)), info.operands());
    let (count, wanted) = (explicit.clone().count(), wanted.count());
    verifier.demand(Rule::OperandCount, inst, count == wanted, || format!("{count} operands, {wanted} wanted"));
    let is_right = |(index, operand): (usize, &Operand)| match info.kind_at(index, count) {
        Some((OperandKind::Register(..), is_def)) => operand.as_reg().is_some() && operand.is_def() == is_def,
        Some((OperandKind::FRAME, _)) => matches!(operand, Operand::Stack(_) | Operand::FixedStack(_)),
        _ => true,
    };
    let wrong = explicit.enumerate().take(wanted).position(|operand| !is_right(operand));
    verifier.demand(Rule::OperandKind, inst, wrong.is_none(), || format!("operand {}", wrong.unwrap_or_default()));
}

/// A directive of call frame information: what it says of the frame, with a second part where it relates two things.
pub(super) fn check_cfi(verifier: &mut Verifier<'_>, inst: Inst) {
    let (function, data) = (verifier.function, verifier.function.inst(inst));
    let directive = match data.operands.first() {
        Some(Operand::Cfi(rule)) => Some(rule.parts().0),
        Some(Operand::Text(text)) => function.symbols.get(*text).and_then(|text| text.split_whitespace().next()),
        _ => None,
    };
    let count = data.operands.len();
    let is_typed = matches!(data.operands.first(), Some(Operand::Cfi(_)));
    let counted = directive.is_some_and(|name| match name {
        _ if is_typed => count == 1,
        _ if name == "escape" || name.starts_with("llvm_") => true,
        _ if PAIRED.contains(&name) => count == 2,
        _ => count == 1 && SINGLE.contains(&name),
    });
    verifier.demand(Rule::OperandCount, inst, counted, || format!("{count} operands"));
}

/// Directives with two parts that are no typed rule.
const PAIRED: [&str; 3] = ["rel_offset", "val_offset", "register"];

/// The others that LLVM reads.
const SINGLE: [&str; 13] = [
    "adjust_cfa_offset",
    "def_cfa",
    "def_cfa_offset",
    "def_cfa_register",
    "negate_ra_sign_state",
    "negate_ra_sign_state_with_pc",
    "offset",
    "remember_state",
    "restore",
    "restore_state",
    "same_value",
    "undefined",
    "window_save",
];

fn is_callee(verifier: &Verifier<'_>, operand: &Operand) -> bool {
    verifier.function.address_of(operand).is_some_and(|address| address.base.is_callee())
}

fn is_implicit(operand: &Operand) -> bool {
    operand.as_reg().is_some_and(|register| register.flags.contains(RegFlags::IMPLICIT))
}

/// Liveness and the allocator see only the registers that an instruction names, so it must name all that it touches.
/// Writes that a file may leave out end the life of their registers in [`super::physical`].
fn implicit_operands(verifier: &mut Verifier<'_>, inst: Inst, row: &InstrDesc) {
    let data = verifier.function.inst(inst);
    let names = |register: PReg, is_def: bool| {
        data.operands.iter().any(|operand| {
            is_implicit(operand)
                && operand.is_def() == is_def
                && operand.as_reg().is_some_and(|operand| operand.reg == Reg::Physical(register))
        })
    };
    let read = row.implicit_uses.iter().find(|&&register| !names(register, false));
    let written = || row.implicit_defs.iter().find(|&&register| row.names_all_writes() && !names(register, true));
    let missing = read.or_else(written);
    verifier.demand_named(Rule::OperandImplicit, inst, missing.copied());
}

/// Tied operands share a register; the allocator assigns one to virtual ones. No others are marked as tied.
fn ties(verifier: &mut Verifier<'_>, inst: Inst, row: &InstrDesc) {
    let data = verifier.function.inst(inst);
    let physical = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
    for (index, desc) in row.operands.iter().enumerate() {
        let marked = data.operands.get(index).and_then(Operand::as_reg).and_then(|operand| operand.tied_to);
        let tied = if let OperandDesc::Tied { to, .. } = *desc { Some(to) } else { None };
        let right = marked.is_none() || marked == tied;
        verifier.demand(Rule::OperandTied, inst, right, || format!("operand {index} is marked as tied to another"));
        if let Some(to) = tied
            && let (Some(used), Some(written)) = (physical(index), physical(to.into()))
        {
            verifier.demand(Rule::OperandTied, inst, used == written, || {
                format!("operands {to} and {index} are not one register")
            });
        }
    }
}

/// A physical member, or a virtual register whose class has no other members. A generic register has no class.
pub(super) fn in_class(verifier: &Verifier<'_>, operand: &RegOperand, class: RegClass) -> bool {
    let members = verifier.sets.classes[usize::from(class.0)];
    match operand.reg {
        Reg::Physical(register) => members.meets(bit(register)),
        Reg::Virtual(register) => match verifier.function.vregs[register].constraint {
            Constraint::Class(own) => !parts(verifier, own, operand.subregister).meets(!members),
            Constraint::Bank(_) | Constraint::None => false,
        },
    }
}

/// A register of a join of registers may be of any class whose allocatable members are in `class`.
fn is_joined(verifier: &Verifier<'_>, row: &InstrDesc, operand: &RegOperand, class: RegClass) -> bool {
    let Reg::Virtual(register) = operand.reg else { return false };
    let Constraint::Class(own) = verifier.function.vregs[register].constraint else { return false };
    let members = verifier.sets.classes[usize::from(class.0)];
    let held = || verifier.target.class(own).allocatable.iter().all(|&member| members.meets(bit(member)));
    row.flags.contains(OpcodeFlags::ARTIFACT) && held()
}

/// The members of a class, or their parts of one index.
fn parts(verifier: &Verifier<'_>, class: RegClass, index: SubReg) -> RegisterSet {
    let target = verifier.target;
    if index.0 == 0 {
        return verifier.sets.classes[usize::from(class.0)];
    }
    let bits = target.vocabulary.subregister_bits(index);
    let members = target.class(class).members.iter();
    let part = |&register: &PReg| bit(target.part_of(target.vocabulary.full_register(register), bits));
    RegisterSet::of(members.map(part))
}

/// Both sides of a copy have one size, and one type if both have types. LLVM 22 copies the status of `CMP_SWAP_128`
/// to a wider register of a class that nobody reads, which is no fault. It also copies numbers of 32 bits between
/// registers of numbers and the wider ones of integers, where the machine moves the low bits.
pub(super) fn check_copy(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else {
        verifier.demand(Rule::OperandKind, inst, false, || "a copy is of registers");
        return;
    };
    let ty = |operand: &RegOperand| verifier.function.type_of(operand.reg.as_virtual()?);
    let is_unread = |register| verifier.function.use_count(register) == 0;
    let (to, from) = (dst.reg.as_virtual(), src.reg.as_virtual());
    let has_class = from.is_some() && ty(dst).or(ty(src)).is_none();
    let is_free = has_class && to.is_some_and(is_unread) || changes_bank(verifier, dst, src);
    if !is_free {
        same_size(verifier, inst, dst, src);
    }
    if let (Some(to), Some(from)) = (ty(dst), ty(src)) {
        verifier.demand(Rule::TypeCopy, inst, to == from, || format!("from {from} to {to}"));
    }
}

/// True for a copy, or an input of a PHI, of another compiler between the classes of two banks.
fn changes_bank(verifier: &Verifier<'_>, dst: &RegOperand, src: &RegOperand) -> bool {
    let target = verifier.target;
    let bank = |operand: &RegOperand| match operand.reg {
        Reg::Physical(register) => target.bank_of(target.vocabulary.full_register(register)),
        Reg::Virtual(register) => match verifier.function.vregs[register].constraint {
            Constraint::Class(class) => Some(target.class(class).bank),
            Constraint::Bank(_) | Constraint::None => None,
        },
    };
    let banks = [dst, src].map(bank);
    verifier.legalizer.is_none() && banks.iter().all(Option::is_some) && banks[0] != banks[1]
}

/// A machine PHI: pairs of values and blocks, values of one size.
pub(super) fn check_phi(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    let Some((Operand::Reg(result), inputs)) = data.operands.split_first() else {
        verifier.demand(Rule::OperandKind, inst, false, || "a PHI defines a register");
        return;
    };
    let is_virtual = result.reg.as_virtual().is_some();
    verifier.demand(Rule::OperandKind, inst, is_virtual, || "a PHI defines a virtual register");
    if !verifier.demand(Rule::OperandCount, inst, inputs.len() % 2 == 0, || PAIRS) {
        return;
    }
    for pair in inputs.chunks_exact(2) {
        let [Operand::Reg(value), Operand::Block(_)] = pair else {
            verifier.demand(Rule::OperandKind, inst, false, || PAIRS);
            return;
        };
        if !changes_bank(verifier, result, value) {
            same_size(verifier, inst, result, value);
        }
    }
}

const PAIRS: &str = "a PHI has pairs of values and blocks";

fn same_size(verifier: &mut Verifier<'_>, inst: Inst, dst: &RegOperand, src: &RegOperand) {
    if let (Some(dst), Some(src)) = (bits(verifier, dst), bits(verifier, src)) {
        verifier.demand(Rule::TypeCopy, inst, dst == src, || format!("from {src} to {dst} bits"));
    }
}

/// The size in bits of the register that the operand names; `None` if nothing determines it yet.
fn bits(verifier: &Verifier<'_>, operand: &RegOperand) -> Option<u32> {
    if operand.subregister.0 != 0 {
        return Some(verifier.target.vocabulary.subregister_bits(operand.subregister));
    }
    match operand.reg {
        Reg::Physical(register) => Some(verifier.target.vocabulary.register_bits(register)),
        Reg::Virtual(register) => {
            let data = &verifier.function.vregs[register];
            match (data.ty, data.constraint) {
                (Some(ty), _) => Some(ty.bits()),
                (None, Constraint::Class(class)) => Some(verifier.target.class(class).bits),
                (None, Constraint::Bank(_) | Constraint::None) => None,
            }
        }
    }
}
