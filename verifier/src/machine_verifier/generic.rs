//! Generic instructions: operand shapes and types.

use super::Verifier;
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
    if explicit < wanted || (explicit > wanted && !any_number) {
        verifier.fault("operand-count", inst, format!("{explicit} operands, {wanted} wanted"));
        return false;
    }
    if data.opcode == Opcode::G_PHI && data.operands.len().is_multiple_of(2) {
        verifier.fault("operand-count", inst, "a PHI has pairs of values and blocks");
        return false;
    }
    for (index, operand) in data.operands.iter().enumerate().take(explicit) {
        if !kind_at(data, index, explicit).is_none_or(|kind| is_of_kind(operand, kind)) {
            verifier.fault("operand-kind", inst, format!("operand {index}"));
            return false;
        }
    }
    true
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
    let kinds = info.defs.iter().map(|&kind| (kind, true)).chain(info.uses.iter().map(|&kind| (kind, false)));
    let mut last = None;
    for (position, kind) in kinds.enumerate() {
        if kind.0 == OperandKind::MORE {
            return last;
        }
        if position == index {
            return Some(kind);
        }
        last = Some(kind);
    }
    last
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
        let Some(ty) = verifier.function.type_of(register) else {
            verifier.fault("type-missing", inst, format!("{register} has no type"));
            return false;
        };
        let Some((kind, _)) = kind_at(data, index, explicit) else { continue };
        let Some(position) = kind.type_index() else { continue };
        let first = *seen[position].get_or_insert(ty);
        if first != ty {
            let rule = if matches!(data.opcode, Opcode::G_MERGE_VALUES | Opcode::G_UNMERGE_VALUES) {
                "type-merge"
            } else {
                "operand-type"
            };
            verifier.fault(rule, inst, format!("{register} is {ty}, not {first}"));
            return false;
        }
        if kind.must_be_pointer() && !ty.is_pointer() {
            let access =
                verifier.flags(data).intersects(tribunal_ir::OpcodeFlags::LOAD | tribunal_ir::OpcodeFlags::STORE);
            let rule = if access { "type-pointer" } else { "operand-type" };
            verifier.fault(rule, inst, format!("{register} is {ty}, not a pointer"));
            return false;
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
            if is_pointer(0) || is_pointer(1) || bits(0) == bits(1) || (bits(0) > bits(1)) != grows {
                verifier.fault("type-extension", inst, format!("from {} to {} bits", bits(1), bits(0)));
            }
        }
        G_CONSTANT => match data.operands.get(1).and_then(|operand| function.constant_value(operand)) {
            Some(value) if value.width() != bits(0) => {
                verifier.fault("type-constant", inst, format!("i{} for {} bits", value.width(), bits(0)));
            }
            _ => {}
        },
        G_PTRTOINT | G_INTTOPTR => {
            let (pointer, integer) = if data.opcode == G_PTRTOINT { (1, 0) } else { (0, 1) };
            if !is_pointer(pointer) || is_pointer(integer) {
                verifier.fault("type-cast", inst, "needs a pointer on one side and an integer on the other");
            }
        }
        G_MERGE_VALUES => {
            let total: u32 = data.vreg_uses().filter_map(|register| function.type_of(register)).map(Type::bits).sum();
            if total != bits(0) {
                verifier.fault("type-merge", inst, format!("{total} bits in parts, {} in all", bits(0)));
            }
        }
        G_UNMERGE_VALUES => {
            let total: u32 = data.vreg_defs().filter_map(|register| function.type_of(register)).map(Type::bits).sum();
            let whole = bits(data.operands.len() - 1);
            if total != whole {
                verifier.fault("type-merge", inst, format!("{total} bits in parts, {whole} in all"));
            }
        }
        G_SEXT_INREG | G_ASSERT_SEXT | G_ASSERT_ZEXT => {
            let width = data.imm(2).unwrap_or(0);
            if width < 1 || width >= i64::from(bits(0)) {
                verifier.fault("immediate-range", inst, format!("{width} of {} bits", bits(0)));
            }
        }
        G_EXTRACT | G_INSERT => {
            let (whole, part, index) =
                if data.opcode == G_EXTRACT { (bits(1), bits(0), 2) } else { (bits(0), bits(2), 3) };
            let offset = data.imm(index).unwrap_or(-1);
            if offset < 0 || offset.saturating_add(part.into()) > whole.into() {
                verifier.fault("immediate-range", inst, format!("{part} bits from {offset} of {whole}"));
            }
        }
        G_SMULFIX | G_UMULFIX | G_SMULFIXSAT | G_UMULFIXSAT => {
            let scale = data.imm(3).unwrap_or(-1);
            let most = i64::from(bits(0)) - i64::from(matches!(data.opcode, G_SMULFIX | G_SMULFIXSAT));
            if !(0..=most).contains(&scale) {
                verifier.fault("immediate-range", inst, format!("a scale of {scale} for {} bits", bits(0)));
            }
        }
        G_ASSERT_ALIGN if data.imm(2).is_none_or(|align| align < 1) => {
            verifier.fault("immediate-range", inst, "an alignment is at least one byte");
        }
        G_ICMP | G_FCMP if is_pointer(0) => verifier.fault("type-condition", inst, "the result is a pointer"),
        G_SELECT if is_pointer(1) => verifier.fault("type-condition", inst, "the condition is a pointer"),
        G_BRCOND if is_pointer(0) => verifier.fault("type-condition", inst, "the condition is a pointer"),
        G_PTR_ADD if is_pointer(2) || bits(2) != bits(0) => {
            verifier.fault("type-offset", inst, format!("an offset of {} bits, a pointer of {}", bits(2), bits(0)));
        }
        G_BSWAP if !bits(0).is_multiple_of(16) => verifier.fault("byte-swap-size", inst, format!("{} bits", bits(0))),
        G_LOAD | G_ZEXTLOAD | G_SEXTLOAD | G_STORE => memory(verifier, inst, bits(0)),
        _ => {}
    }
}

fn memory(verifier: &mut Verifier<'_>, inst: Inst, value_bits: u32) {
    let data = verifier.function.inst(inst);
    let direction = if data.opcode == Opcode::G_STORE { MemFlags::STORE } else { MemFlags::LOAD };
    let [operand] = data.memory.as_slice() else {
        verifier.fault("memory-operand", inst, format!("{} memory operands", data.memory.len()));
        return;
    };
    if !operand.flags.contains(direction) {
        verifier.fault("memory-operand", inst, "the memory operand is of the other direction");
    }
    let bits = operand.ty.map_or(0, Type::bits);
    let extends = matches!(data.opcode, Opcode::G_ZEXTLOAD | Opcode::G_SEXTLOAD);
    if bits > value_bits || (extends && bits == value_bits) {
        verifier.fault("memory-size", inst, format!("{bits} bits in memory, {value_bits} in the value"));
    }
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
    if !unknown.is_empty() {
        verifier.fault("instruction-flags", inst, format!("{unknown:?}"));
    }
}
