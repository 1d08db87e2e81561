//! Generic instructions: operand shapes and types.

use super::{Rule, Verifier};
use tribunal_ir::{Inst, InstData, InstFlags, MemFlags, Opcode, Operand, OperandKind, Type};

pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    if is_intrinsic(verifier.function.inst(inst).opcode) {
        // The intrinsic says what it takes, and the table of opcodes does not.
        return;
    }
    if !shape(verifier, inst) || !types(verifier, inst) {
        // What follows relies on the shape.
        return;
    }
    opcode_rules(verifier, inst);
    flags(verifier, inst);
}

fn is_intrinsic(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        G_INTRINSIC | G_INTRINSIC_W_SIDE_EFFECTS | G_INTRINSIC_CONVERGENT | G_INTRINSIC_CONVERGENT_W_SIDE_EFFECTS
    )
}

/// Counts and kinds of operands.
fn shape(verifier: &mut Verifier<'_>, inst: Inst) -> bool {
    let data = verifier.function.inst(inst);
    let Some(info) = data.opcode.info() else { return false };
    let variadic = |kinds: &[OperandKind]| kinds.contains(&OperandKind::MORE);
    let fixed = |kinds: &[OperandKind]| kinds.iter().filter(|kind| **kind != OperandKind::MORE).count();
    let wanted = fixed(info.defs) + fixed(info.uses);
    let explicit = data.operands.iter().filter(|operand| !is_implicit(operand)).count();
    let any_number = variadic(info.defs) || variadic(info.uses);
    let counted = explicit == wanted || (explicit > wanted && any_number);
    if !verifier.demand(Rule::OperandCount, inst, counted, || format!("{explicit} operands, {wanted} wanted")) {
        return false;
    }
    let paired = data.opcode != Opcode::G_PHI || !data.operands.len().is_multiple_of(2);
    if !verifier.demand(Rule::OperandCount, inst, paired, || "a PHI has pairs of values and blocks") {
        return false;
    }
    let is_right = |(index, operand): (usize, &Operand)| {
        kind_at(data, index, explicit).is_none_or(|kind| is_of_kind(operand, kind))
    };
    let wrong = data.operands.iter().enumerate().take(explicit).position(|operand| !is_right(operand));
    verifier.demand(Rule::OperandKind, inst, wrong.is_none(), || format!("operand {}", wrong.unwrap_or_default()))
}

fn is_implicit(operand: &Operand) -> bool {
    operand.as_reg().is_some_and(|register| register.flags.contains(tribunal_ir::RegFlags::IMPLICIT))
}

/// What stands at operand `index` of `count`.
fn kind_at(data: &InstData, index: usize, count: usize) -> Option<(OperandKind, bool)> {
    let info = data.opcode.info()?;
    if data.opcode.is_phi() && index > 0 {
        let kind = if index % 2 == 1 { OperandKind::T0 } else { OperandKind::BLOCK };
        return Some((kind, false));
    }
    if info.defs.contains(&OperandKind::MORE) {
        // An unmerge: all but the last are definitions.
        return Some(if index + 1 == count { (info.uses[0], false) } else { (info.defs[0], true) });
    }
    let (kinds, place, is_def) = match index.checked_sub(info.defs.len()) {
        None => (info.defs, index, true),
        Some(place) => (info.uses, place, false),
    };
    match kinds.get(place) {
        Some(&kind) if kind != OperandKind::MORE => Some((kind, is_def)),
        // More of what stands last.
        _ => match info.uses.iter().rfind(|kind| **kind != OperandKind::MORE) {
            Some(&kind) => Some((kind, false)),
            None => info.defs.last().map(|&kind| (kind, true)),
        },
    }
}

fn is_of_kind(operand: &Operand, (kind, is_def): (OperandKind, bool)) -> bool {
    match kind {
        _ if kind.type_index().is_some() => operand.as_vreg().is_some() && operand.is_def() == is_def,
        OperandKind::IMM => matches!(operand, Operand::Imm(_)),
        OperandKind::CONST => matches!(operand, Operand::Const { .. } | Operand::WideConst(_) | Operand::Symbol(_)),
        OperandKind::PRED => matches!(operand, Operand::Predicate(_) | Operand::Symbol(_)),
        OperandKind::BLOCK => matches!(operand, Operand::Block(_)),
        OperandKind::FRAME => matches!(operand, Operand::Stack(_) | Operand::FixedStack(_)),
        _ => matches!(operand, Operand::Symbol(_) | Operand::Imm(_)),
    }
}

/// Types by type index.
fn types(verifier: &mut Verifier<'_>, inst: Inst) -> bool {
    let data = verifier.function.inst(inst);
    let mut seen: [Option<Type>; 3] = [None; 3];
    let explicit = data.operands.iter().filter(|operand| !is_implicit(operand)).count();
    for (index, operand) in data.operands.iter().enumerate().take(explicit) {
        let Some(register) = operand.as_vreg() else { continue };
        let ty = verifier.function.type_of(register);
        verifier.demand(Rule::TypeMissing, inst, ty.is_some(), || format!("{register} has no type"));
        let Some(ty) = ty else { return false };
        let Some((kind, _)) = kind_at(data, index, explicit) else { continue };
        let Some(position) = kind.type_index() else { continue };
        let first = *seen[position].get_or_insert(ty);
        let rule = match data.opcode {
            Opcode::G_MERGE_VALUES | Opcode::G_UNMERGE_VALUES => Rule::TypeMerge,
            _ => Rule::OperandType,
        };
        if !verifier.demand(rule, inst, first == ty, || format!("{register} is {ty}, not {first}")) {
            return false;
        }
        if kind.must_be_pointer() {
            let accesses = tribunal_ir::OpcodeFlags::LOAD | tribunal_ir::OpcodeFlags::STORE;
            let rule = if verifier.flags(data).intersects(accesses) { Rule::TypePointer } else { Rule::OperandType };
            if !verifier.demand(rule, inst, ty.is_pointer(), || format!("{register} is {ty}, not a pointer")) {
                return false;
            }
        }
    }
    true
}

/// Rules of single opcodes.
fn opcode_rules(verifier: &mut Verifier<'_>, inst: Inst) {
    use Opcode::*;
    let data = verifier.function.inst(inst);
    let function = verifier.function;
    let ty = |index: usize| data.vreg(index).and_then(|register| function.type_of(register));
    let bits = |index: usize| ty(index).map_or(0, Type::bits);
    let is_pointer = |index: usize| ty(index).is_some_and(Type::is_pointer);
    match data.opcode {
        G_ANYEXT | G_ZEXT | G_SEXT | G_TRUNC => {
            let grows = data.opcode != G_TRUNC;
            let resized = if grows { bits(0) > bits(1) } else { bits(0) < bits(1) };
            let holds = resized && !is_pointer(0) && !is_pointer(1);
            verifier.demand(Rule::TypeExtension, inst, holds, || format!("from {} to {} bits", bits(1), bits(0)));
        }
        G_CONSTANT => {
            if let Some(value) = data.operands.get(1).and_then(|operand| function.constant_value(operand)) {
                let width = value.width();
                verifier
                    .demand(Rule::TypeConstant, inst, width == bits(0), || format!("i{width} for {} bits", bits(0)));
            }
        }
        G_PTRTOINT | G_INTTOPTR => {
            let (pointer, integer) = if data.opcode == G_PTRTOINT { (1, 0) } else { (0, 1) };
            let holds = is_pointer(pointer) && !is_pointer(integer);
            verifier.demand(Rule::TypeCast, inst, holds, || "needs a pointer on one side and an integer on the other");
        }
        G_MERGE_VALUES => {
            let total: u32 = data.vreg_uses().filter_map(|register| function.type_of(register)).map(Type::bits).sum();
            let whole = bits(0);
            verifier.demand(Rule::TypeMerge, inst, total == whole, || format!("{total} bits in parts, {whole} in all"));
        }
        G_UNMERGE_VALUES => {
            let total: u32 = data.vreg_defs().filter_map(|register| function.type_of(register)).map(Type::bits).sum();
            let whole = bits(data.operands.len() - 1);
            verifier.demand(Rule::TypeMerge, inst, total == whole, || format!("{total} bits in parts, {whole} in all"));
        }
        G_SEXT_INREG | G_ASSERT_SEXT | G_ASSERT_ZEXT => {
            let width = data.imm(2).unwrap_or(0);
            let within = (1..i64::from(bits(0))).contains(&width);
            verifier.demand(Rule::ImmediateRange, inst, within, || format!("{width} of {} bits", bits(0)));
        }
        G_EXTRACT | G_INSERT => {
            let (whole, part, index) =
                if data.opcode == G_EXTRACT { (bits(1), bits(0), 2) } else { (bits(0), bits(2), 3) };
            let offset = data.imm(index).unwrap_or(-1);
            let within = offset >= 0 && offset.saturating_add(part.into()) <= whole.into();
            verifier.demand(Rule::ImmediateRange, inst, within, || format!("{part} bits from {offset} of {whole}"));
        }
        G_SMULFIX | G_UMULFIX | G_SMULFIXSAT | G_UMULFIXSAT => {
            let scale = data.imm(3).unwrap_or(-1);
            let most = i64::from(bits(0)) - i64::from(matches!(data.opcode, G_SMULFIX | G_SMULFIXSAT));
            let within = (0..=most).contains(&scale);
            verifier.demand(Rule::ImmediateRange, inst, within, || format!("a scale of {scale} for {} bits", bits(0)));
        }
        G_ASSERT_ALIGN => {
            let holds = data.imm(2).is_some_and(|align| align >= 1);
            verifier.demand(Rule::ImmediateRange, inst, holds, || "an alignment is at least one byte");
        }
        G_ICMP | G_FCMP => _ = verifier.demand(Rule::TypeCondition, inst, !is_pointer(0), || "the result is a pointer"),
        G_SELECT | G_BRCOND => {
            let condition = usize::from(data.opcode == G_SELECT);
            verifier.demand(Rule::TypeCondition, inst, !is_pointer(condition), || "the condition is a pointer");
        }
        G_PTR_ADD => {
            let message = || format!("an offset of {} bits, a pointer of {}", bits(2), bits(0));
            verifier.demand(Rule::TypeOffset, inst, !is_pointer(2) && bits(2) == bits(0), message);
        }
        G_BSWAP => {
            let holds = bits(0).is_multiple_of(16);
            verifier.demand(Rule::ByteSwapSize, inst, holds, || format!("{} bits", bits(0)));
        }
        G_LOAD | G_ZEXTLOAD | G_SEXTLOAD | G_STORE => memory(verifier, inst, bits(0)),
        _ => {}
    }
}

fn memory(verifier: &mut Verifier<'_>, inst: Inst, value_bits: u32) {
    let data = verifier.function.inst(inst);
    let direction = if data.opcode == Opcode::G_STORE { MemFlags::STORE } else { MemFlags::LOAD };
    let count = data.memory.len();
    verifier.demand(Rule::MemoryOperand, inst, count == 1, || format!("{count} memory operands"));
    let [operand] = data.memory.as_slice() else { return };
    let directed = operand.flags.contains(direction);
    verifier.demand(Rule::MemoryOperand, inst, directed, || "the memory operand is of the other direction");
    let bits = operand.ty.map_or(0, Type::bits);
    let extends = matches!(data.opcode, Opcode::G_ZEXTLOAD | Opcode::G_SEXTLOAD);
    let fits = bits < value_bits || (!extends && bits == value_bits);
    verifier.demand(Rule::MemorySize, inst, fits, || format!("{bits} bits in memory, {value_bits} in the value"));
}

fn flags(verifier: &mut Verifier<'_>, inst: Inst) {
    use Opcode::*;
    let data = verifier.function.inst(inst);
    let wraps = InstFlags::NUW | InstFlags::NSW;
    let checked = wraps | InstFlags::EXACT | InstFlags::DISJOINT | InstFlags::NNEG | InstFlags::INBOUNDS;
    let known = match data.opcode {
        G_ADD | G_SUB | G_MUL | G_SHL | G_TRUNC => wraps,
        G_PTR_ADD => wraps | InstFlags::INBOUNDS,
        G_UDIV | G_SDIV | G_LSHR | G_ASHR => InstFlags::EXACT,
        G_OR => InstFlags::DISJOINT,
        G_ZEXT | G_UITOFP => InstFlags::NNEG,
        _ => InstFlags::empty(),
    };
    let unknown = (data.flags & checked).difference(known);
    verifier.demand(Rule::InstructionFlags, inst, unknown.is_empty(), || format!("{unknown:?}"));
}
