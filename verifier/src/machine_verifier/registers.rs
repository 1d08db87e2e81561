//! Register operands of every instruction: the kind of register that each stage allows, and the flags of the operand.

use super::register_set::bit;
use super::{Rule, Verifier};
use tribunal_ir::{
    Constraint, Function, Inst, InstData, Opcode, Operand, Properties, Reg, RegBank, RegFlags, RegOperand, Stage, Type,
    VReg,
};

/// The demands on every register named.
pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    for operand in data.operands.iter().filter_map(Operand::as_reg) {
        if !(operand.flags - ORDINARY).is_empty() {
            flags(verifier, inst, data, operand);
        }
        match operand.reg {
            Reg::Virtual(register) => staged(verifier, inst, register, operand),
            Reg::Physical(_) if data.opcode.is_generic() => {
                let message = || "a generic instruction names a machine register";
                verifier.demand(Rule::OperandKind, inst, false, message);
            }
            Reg::Physical(_) => {}
        }
    }
    let is_selected = verifier.function.stage >= Stage::Selected || verifier.has(Properties::SELECTED);
    if data.opcode.is_generic() && !is_selected && verifier.has(Properties::REG_BANK_SELECTED) {
        banks(verifier, inst, data);
    }
    if data.opcode.is_assertion() {
        promised(verifier, inst, data);
    }
}

/// A promise about a value is no move: its result is where the value is, or nowhere in particular.
fn promised(verifier: &mut Verifier<'_>, inst: Inst, data: &InstData) {
    let place = |index| data.vreg(index).map(|register: VReg| verifier.function.vregs[register].constraint);
    let (Some(result), Some(value)) = (place(0), place(1)) else { return };
    let stays = match (result, value) {
        (Constraint::None, _) => true,
        (Constraint::Bank(bank), Constraint::Class(class)) => verifier.target.class(class).bank == bank,
        (result, value) => result == value,
    };
    verifier.demand(Rule::OperandBank, inst, stays, || "a promise that moves its value");
}

/// The banks of a generic instruction's registers.
fn banks(verifier: &mut Verifier<'_>, inst: Inst, data: &InstData) {
    let bank = |register: VReg| match verifier.function.vregs[register].constraint {
        Constraint::Bank(bank) => Some(bank),
        Constraint::Class(class) => Some(verifier.target.class(class).bank),
        Constraint::None => None,
    };
    let result = data.vreg(0).and_then(bank);
    let condition = (data.opcode == Opcode::G_SELECT).then_some(1);
    // LLVM's selector gives a PHI's result the class of its bank, and each copy on an edge changes the bank.
    let is_foreign_input = verifier.legalizer.is_none() && data.opcode.is_phi();
    let moves = data.opcode.is_phi() || matches!(data.opcode, Opcode::G_SELECT | Opcode::G_FREEZE);
    let is_wrong = |&(index, register): &(usize, VReg)| match bank(register) {
        own if moves && Some(index) != condition => {
            own.is_some() && own != result && !is_foreign_input && !comes_from_later(verifier.function, inst, register)
        }
        own => data.opcode.is_float_operand(index) && own == Some(RegBank(0)),
    };
    let registers = data.operands.iter().enumerate().filter_map(|(index, operand)| Some((index, operand.as_vreg()?)));
    let wrong = registers.into_iter().find(is_wrong);
    verifier.demand(Rule::OperandBank, inst, wrong.is_none(), || {
        wrong.map_or(String::new(), |(_, register)| format!("{register} is in another bank than its operation"))
    });
}

/// True for an input of a PHI from its own block or a later one. LLVM's `fast` bank selection decides the PHI first,
/// and leaves such an input in the bank of its definition.
fn comes_from_later(function: &Function, inst: Inst, input: VReg) -> bool {
    let data = function.inst(inst);
    let place = |block| function.layout().iter().position(|&own| own == block);
    let own = function.block_of(inst).and_then(place);
    data.opcode.is_phi()
        && data.phi_inputs().filter(|&(register, _)| register == input).all(|(_, from)| place(from) >= own)
}

/// Flags that any operand may have.
const ORDINARY: RegFlags = RegFlags::DEF.union(RegFlags::IMPLICIT).union(RegFlags::DEAD).union(RegFlags::KILLED);

/// The flags of an operand against its register.
fn flags(verifier: &mut Verifier<'_>, inst: Inst, data: &InstData, operand: &RegOperand) {
    let (flags, is_def) = (operand.flags, operand.flags.contains(RegFlags::DEF));
    let fault = match operand.reg {
        // A debug instruction has no row, and its reads are marked.
        _ if flags.contains(RegFlags::DEBUG_USE) && !is_debug(verifier, data) => Some("is read by no debugger"),
        _ if data.opcode.is_phi() && flags.intersects(RegFlags::EARLY_CLOBBER.union(RegFlags::INTERNAL)) => {
            Some("has a flag that no PHI has")
        }
        Reg::Physical(register) => {
            let reserved = verifier.reserved.meets(bit(register));
            (flags.contains(RegFlags::RENAMABLE) && reserved).then_some("is reserved and not renamable")
        }
        Reg::Virtual(_) if !flags.contains(RegFlags::UNDEF) => None,
        Reg::Virtual(_) if is_def => (operand.subregister.0 == 0).then_some("is written as a whole and not undefined"),
        Reg::Virtual(register) => {
            let classed = matches!(verifier.function.vregs[register].constraint, Constraint::Class(_));
            (!classed).then_some("is generic and not undefined")
        }
    };
    let vocabulary = verifier.target.vocabulary;
    verifier.demand(Rule::RegisterFlags, inst, fault.is_none(), || {
        let name = match operand.reg {
            Reg::Physical(register) => format!("${}", vocabulary.register_name(register)),
            Reg::Virtual(register) => register.to_string(),
        };
        format!("{name} {}", fault.unwrap_or_default())
    });
}

/// A debug instruction: none has a row.
fn is_debug(verifier: &Verifier<'_>, data: &InstData) -> bool {
    verifier.function.opaque_name(data).is_some_and(|name| name.starts_with("DBG_"))
}

/// A virtual register against the stage.
fn staged(verifier: &mut Verifier<'_>, inst: Inst, register: VReg, operand: &RegOperand) {
    let function = verifier.function;
    let data = &function.vregs[register];
    let class = if let Constraint::Class(class) = data.constraint { Some(class) } else { None };
    if operand.subregister.0 != 0 {
        let message = || format!("a part of {register}, which is generic");
        verifier.demand(Rule::OperandKind, inst, class.is_some(), message);
        let bits = verifier.target.vocabulary.subregister_bits(operand.subregister);
        let has_part = class.is_none_or(|class| verifier.target.class(class).bits > bits);
        verifier.demand(Rule::StageClass, inst, has_part, || format!("{register} has no such part"));
    }
    // A function may claim any of these at any stage: one of no values has no virtual registers.
    if verifier.has(Properties::NO_VREGS) {
        verifier.demand(Rule::StageAllocated, inst, false, || format!("{register} is virtual"));
    } else if function.stage >= Stage::Selected || verifier.has(Properties::SELECTED) {
        verifier.demand(Rule::StageSelected, inst, class.is_some(), || format!("{register} has no class"));
    } else if function.stage >= Stage::BankSelected || verifier.has(Properties::REG_BANK_SELECTED) {
        let fits = |bank: RegBank, ty: Type| ty.bits() <= verifier.target.banks[usize::from(bank.0)].max_bits;
        let held = match data.constraint {
            Constraint::Bank(bank) => data.ty.is_some_and(|ty| fits(bank, ty)),
            Constraint::Class(_) => true,
            Constraint::None => false,
        };
        verifier.demand(Rule::StageBank, inst, held, || format!("{register} has no bank that holds it"));
    }
}
