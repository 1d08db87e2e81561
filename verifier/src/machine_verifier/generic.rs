//! Generic instructions: operands, types, immediates, memory operands and flags match the opcode's row.

use super::{Rule, Verifier};
use tribunal_ir::opcode::{AccessSize, IndexTypes, OpcodeInfo, TypeClass, TypeRule};
use tribunal_ir::{
    AddressBase, Family, Function, Inst, InstFlags, MemFlags, Opcode, OpcodeFlags, Operand, OperandKind, Type,
};

pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let Some(info) = verifier.function.inst(inst).opcode.info() else { return };
    if info.family == Family::Intrinsic {
        // The intrinsic determines its operands; the opcode table does not.
        return;
    }
    if !shape(verifier, inst, info) {
        return;
    }
    // The checks below rely on the shape.
    let Some(types) = types(verifier, inst, info) else { return };
    type_rules(verifier, inst, info, &types);
    immediates(verifier, inst, info, &types);
    constant(verifier, inst, &types);
    memory(verifier, inst, info, &types);
    flags(verifier, inst, info);
}

/// Counts and kinds of operands.
fn shape(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo) -> bool {
    let data = verifier.function.inst(inst);
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
        info.kind_at(index, explicit).is_none_or(|kind| is_of_kind(verifier.function, operand, kind))
    };
    let wrong = data.operands.iter().enumerate().take(explicit).position(|operand| !is_right(operand));
    verifier.demand(Rule::OperandKind, inst, wrong.is_none(), || format!("operand {}", wrong.unwrap_or_default()))
}

fn is_implicit(operand: &Operand) -> bool {
    operand.as_reg().is_some_and(|register| register.flags.contains(tribunal_ir::RegFlags::IMPLICIT))
}

fn is_of_kind(function: &Function, operand: &Operand, (kind, is_def): (OperandKind, bool)) -> bool {
    let base = || function.address_of(operand).map(|address| address.base);
    match kind {
        OperandKind::Register(..) => operand.as_vreg().is_some() && operand.is_def() == is_def,
        OperandKind::IMM | OperandKind::IMM0 => matches!(operand, Operand::Imm(_)),
        OperandKind::CONST => {
            matches!(operand, Operand::Const { .. } | Operand::WideConst(_) | Operand::Float(_) | Operand::Text(_))
        }
        OperandKind::PRED => matches!(operand, Operand::Predicate(_)),
        OperandKind::FPRED => matches!(operand, Operand::FloatPredicate(_)),
        OperandKind::BLOCK => matches!(operand, Operand::Block(_)),
        OperandKind::FRAME => matches!(operand, Operand::Stack(_) | Operand::FixedStack(_)),
        OperandKind::POOL => matches!(base(), Some(AddressBase::Constant(_))),
        OperandKind::TABLE => matches!(base(), Some(AddressBase::JumpTable(_))),
        OperandKind::MASK => matches!(operand, Operand::ShuffleMask(_)),
        OperandKind::SYMBOL | OperandKind::MORE => matches!(
            operand,
            Operand::Address(_) | Operand::Intrinsic(_) | Operand::Metadata(_) | Operand::Text(_) | Operand::Imm(_)
        ),
    }
}

/// Types by type index; `None` where they are not those of the row.
fn types(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo) -> Option<IndexTypes> {
    let data = verifier.function.inst(inst);
    let mut seen: IndexTypes = [None; 3];
    let explicit = data.operands.iter().filter(|operand| !is_implicit(operand)).count();
    for (index, operand) in data.operands.iter().enumerate().take(explicit) {
        let Some(register) = operand.as_vreg() else { continue };
        let ty = verifier.function.type_of(register);
        verifier.demand(Rule::TypeMissing, inst, ty.is_some(), || format!("{register} has no type"));
        let ty = ty?;
        let Some((OperandKind::Register(class, position), _)) = info.kind_at(index, explicit) else { continue };
        let first = *seen.get_mut(usize::from(position))?.get_or_insert(ty);
        let rule = if info.family == Family::Composition { Rule::TypeMerge } else { Rule::OperandType };
        if !verifier.demand(rule, inst, first == ty, || format!("{register} is {ty}, not {first}")) {
            return None;
        }
        if class != TypeClass::Any {
            let rule = rule_of_class(info, class);
            if !verifier.demand(rule, inst, class.takes(ty), || format!("{register} is {ty}, not {}", class.name())) {
                return None;
            }
        }
    }
    Some(seen)
}

/// The rule under which a register of the wrong class is reported.
fn rule_of_class(info: &OpcodeInfo, class: TypeClass) -> Rule {
    let accesses = OpcodeFlags::LOAD | OpcodeFlags::STORE;
    match info.family {
        Family::Extension | Family::Truncation => Rule::TypeExtension,
        Family::Cast => Rule::TypeCast,
        Family::Comparison | Family::Selection | Family::Control => Rule::TypeCondition,
        Family::Pointer if class == TypeClass::Number => Rule::TypeOffset,
        _ if class == TypeClass::Address && info.flags.intersects(accesses) => Rule::TypePointer,
        _ => Rule::OperandType,
    }
}

/// The constraints between the types.
fn type_rules(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo, types: &IndexTypes) {
    if info.rules.is_empty() {
        return;
    }
    let data = verifier.function.inst(inst);
    let registers = data.operands.iter().filter(|operand| operand.as_vreg().is_some() && !is_implicit(operand));
    let parts = registers.count().checked_sub(1);
    for &rule in info.rules {
        let name = match rule {
            TypeRule::Wider(..) => Rule::TypeExtension,
            TypeRule::Parts(..) => Rule::TypeMerge,
            TypeRule::Holds(..) => Rule::ImmediateRange,
            TypeRule::Multiple(..) => Rule::ByteSwapSize,
            TypeRule::SameSize(..) if info.family == Family::Pointer => Rule::TypeOffset,
            _ => Rule::OperandType,
        };
        let shown = || types.iter().flatten().map(Type::to_string).collect::<Vec<_>>().join(", ");
        verifier.demand(name, inst, rule.holds(types, parts), || format!("{}: {}", sentence(rule), shown()));
    }
}

/// The demand of a type rule, without its subject.
fn sentence(rule: TypeRule) -> String {
    match rule {
        TypeRule::Wider(wide, narrow) => format!("type {wide} must be wider than type {narrow}"),
        TypeRule::Holds(whole, part) => format!("type {part} must fit into type {whole}"),
        TypeRule::SameSize(one, other) => format!("types {one} and {other} must have one size"),
        TypeRule::Recast(one, other) => format!("types {one} and {other} must differ, but in no pointer"),
        TypeRule::Parts(whole, part) => format!("the registers of type {part} together must be type {whole}"),
        TypeRule::SameElement(one, other) => format!("types {one} and {other} must have one element type"),
        TypeRule::SameLanes(one, other) => format!("types {one} and {other} must have as many elements"),
        TypeRule::Multiple(index, bits) => format!("type {index} must be a multiple of {bits} bits"),
        TypeRule::AtLeast(index, bits) => format!("type {index} must have {bits} bits at least"),
    }
}

fn immediates(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo, types: &IndexTypes) {
    if info.immediates.is_empty() {
        return;
    }
    let data = verifier.function.inst(inst);
    let values = data.operands.iter().filter_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    });
    for (value, immediate) in values.zip(info.immediates) {
        let Some(range) = immediate.range(types) else { continue };
        let message = || format!("{value} is not in {}..={}", range.start(), range.end());
        verifier.demand(Rule::ImmediateRange, inst, range.contains(&value), message);
    }
}

/// An integer constant has the width of its result.
fn constant(verifier: &mut Verifier<'_>, inst: Inst, types: &IndexTypes) {
    let (data, function) = (verifier.function.inst(inst), verifier.function);
    if data.opcode != Opcode::G_CONSTANT {
        return;
    }
    let value = data.operands.get(1).and_then(|operand| function.constant_value(operand));
    if let (Some(value), [Some(ty), ..]) = (value, types) {
        let (width, bits) = (value.width(), ty.bits());
        verifier.demand(Rule::TypeConstant, inst, width == bits, || format!("i{width} for {bits} bits"));
    }
}

/// The memory operands match the row in number and direction, and each size fits the value's.
fn memory(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo, types: &IndexTypes) {
    let data = verifier.function.inst(inst);
    let Some(accesses) = info.accesses else { return };
    let (count, wanted) = (data.memory.len(), usize::from(accesses.count));
    let counted = count == wanted;
    verifier.demand(Rule::MemoryOperand, inst, counted, || format!("{count} memory operands, {wanted} wanted"));
    if !counted {
        return;
    }
    let either = directions(info.flags);
    let directions = match wanted {
        2 => [MemFlags::STORE, MemFlags::LOAD],
        _ => [either; 2],
    };
    let value = types[0].map_or(0, Type::bits);
    for (operand, allowed) in data.memory.iter().zip(directions) {
        let direction = operand.flags & (MemFlags::LOAD | MemFlags::STORE);
        let directed = !direction.is_empty() && allowed.contains(direction);
        verifier.demand(Rule::MemoryOperand, inst, directed, || "the memory operand is of the other direction");
        let (size, bits) = (accesses.size, operand.ty.map_or(0, Type::bits));
        if size != AccessSize::Any {
            let message = || format!("{bits} bits in memory, {value} in the value");
            verifier.demand(Rule::MemorySize, inst, size.holds(bits, value), message);
        }
    }
}

/// The directions that an opcode's memory operands may have.
fn directions(flags: OpcodeFlags) -> MemFlags {
    let mut directions = MemFlags::empty();
    directions.set(MemFlags::LOAD, flags.contains(OpcodeFlags::LOAD));
    directions.set(MemFlags::STORE, flags.contains(OpcodeFlags::STORE));
    directions
}

fn flags(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo) {
    let unknown = (verifier.function.inst(inst).flags & InstFlags::PROMISES).difference(info.inst_flags);
    verifier.demand(Rule::InstructionFlags, inst, unknown.is_empty(), || format!("{unknown:?}"));
}
