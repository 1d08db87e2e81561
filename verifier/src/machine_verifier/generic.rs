//! Generic instructions: operands, types, immediates, memory operands and flags match the opcode's row.
//!
//! A rule here is a check over the row and names no opcode; what is true of one opcode alone stands in its row.

use super::{Rule, Verifier};
use tribunal_ir::opcode::{AccessSize, IndexTypes, OpcodeInfo, TypeClass, TypeRule};
use tribunal_ir::{
    AddressBase, AtomicOrdering, Bits, Family, Function, Inst, InstFlags, MemFlags, MemOperand, Opcode, OpcodeFlags,
    Operand, OperandKind, Type, VReg, intrinsics,
};

pub(super) fn check(verifier: &mut Verifier<'_>, inst: Inst) {
    let Some(info) = verifier.function.inst(inst).opcode.info() else { return };
    if info.family == Family::Intrinsic {
        intrinsic(verifier, inst, info);
        return;
    }
    if !shape(verifier, inst, info) {
        return;
    }
    // The checks below rely on the shape.
    let Some(types) = types(verifier, inst, info) else { return };
    type_rules(verifier, inst, info, &types);
    immediates(verifier, inst, info, &types);
    constants(verifier, inst, info, &types);
    lanes(verifier, inst, &types);
    memory(verifier, inst, info, &types);
    flags(verifier, inst, info);
}

/// The intrinsic determines its operands; the opcode table does not.
fn intrinsic(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo) {
    let function = verifier.function;
    let named = function.inst(inst).operands.iter().find(|operand| !operand.is_def());
    let name = if let Some(Operand::Intrinsic(name)) = named { function.symbols.get(*name) } else { None };
    let message = || "the first operand after the results names the intrinsic";
    verifier.demand(Rule::OperandKind, inst, name.is_some(), message);
    let Some(effects) = name.and_then(|name| intrinsics::effects(name)) else { return };
    let acts = info.flags.contains(OpcodeFlags::SIDE_EFFECTS);
    let message = || format!("side effects: {}", effects.has_side_effects);
    verifier.demand(Rule::IntrinsicEffects, inst, acts == effects.has_side_effects, message);
    let converges = info.flags.contains(OpcodeFlags::CONVERGENT);
    let message = || format!("convergent: {}", effects.is_convergent);
    verifier.demand(Rule::IntrinsicEffects, inst, converges == effects.is_convergent, message);
    let typed = |register: VReg| function.vregs[register].ty.is_some();
    let untyped = function.inst(inst).operands.iter().filter_map(Operand::as_vreg).find(|&register| !typed(register));
    verifier.demand(Rule::TypeMissing, inst, untyped.is_none(), || "a register has no type");
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
    let tied = data.operands.iter().filter_map(Operand::as_reg).any(|operand| operand.tied_to.is_some());
    verifier.demand(Rule::OperandTied, inst, !tied, || "generic operands are not tied");
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
        OperandKind::CONST => matches!(operand, Operand::Const { .. } | Operand::WideConst(_)),
        OperandKind::FCONST => matches!(operand, Operand::Float(_) | Operand::Text(_)),
        OperandKind::PRED => matches!(operand, Operand::Predicate(_)),
        OperandKind::FPRED => matches!(operand, Operand::FloatPredicate(_)),
        OperandKind::BLOCK => matches!(operand, Operand::Block(_)),
        OperandKind::FRAME => matches!(operand, Operand::Stack(_) | Operand::FixedStack(_)),
        OperandKind::POOL => matches!(base(), Some(AddressBase::Constant(_))),
        OperandKind::TABLE => matches!(base(), Some(AddressBase::JumpTable(_))),
        OperandKind::CFI => matches!(operand, Operand::Cfi(_) | Operand::Text(_)),
        OperandKind::MASK => matches!(operand, Operand::ShuffleMask(_)),
        OperandKind::SYMBOL | OperandKind::MORE => {
            matches!(operand, Operand::Address(_) | Operand::Intrinsic(_) | Operand::Metadata(_) | Operand::Text(_))
        }
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
            let taken =
                class.takes(ty) && (class != TypeClass::Index || ty.bits() == u32::from(verifier.target.pointer_bits));
            if !verifier.demand(rule, inst, taken, || format!("{register} is {ty}, not {}", class.name())) {
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
            TypeRule::Parts(..) | TypeRule::Slices(..) | TypeRule::Elements(..) => Rule::TypeMerge,
            TypeRule::Larger(..) => Rule::TypePart,
            TypeRule::SameLanes(..) | TypeRule::Masks(..) => Rule::TypeLanes,
            TypeRule::SameElement(..) | TypeRule::ElementOf(..) | TypeRule::Promotes(..) => Rule::TypeElement,
            TypeRule::Fixed(..) | TypeRule::Scalable(..) | TypeRule::Holds(..) => Rule::TypeVector,
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
        TypeRule::Larger(whole, part) => format!("type {part} must be a part of type {whole}"),
        TypeRule::SameSize(one, other) => format!("types {one} and {other} must have one size"),
        TypeRule::Recast(one, other) => format!("types {one} and {other} must differ, but in no pointer"),
        TypeRule::Parts(whole, part) => format!("the registers of type {part} together must be type {whole}"),
        TypeRule::Slices(whole, part) => format!("vectors of type {part} must have the elements of type {whole}"),
        TypeRule::Elements(index) => format!("type {index} must have an element for each register"),
        TypeRule::SameElement(one, other) => format!("types {one} and {other} must have one element type"),
        TypeRule::ElementOf(one, vector) => format!("type {one} must be an element of type {vector}, a vector"),
        TypeRule::Promotes(wide, narrow) => format!("elements of type {narrow} must fit into those of type {wide}"),
        TypeRule::Masks(mask, whole) => format!("type {mask} must have one element or as many as type {whole}"),
        TypeRule::Fixed(index) => format!("type {index} must not be scalable"),
        TypeRule::Scalable(index) => format!("type {index} must be scalable"),
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
    for (value, immediate) in data.operands.iter().filter_map(Operand::as_imm).zip(info.immediates) {
        let message = || match immediate.range(types) {
            Some(range) => format!("{value} is not in {}..={}, or not {immediate:?}", range.start(), range.end()),
            None => format!("{value} is not {immediate:?}"),
        };
        verifier.demand(Rule::ImmediateRange, inst, immediate.takes(types, value), message);
    }
}

/// A constant has the width of its result, or of its result's elements.
fn constants(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo, types: &IndexTypes) {
    let (data, function) = (verifier.function.inst(inst), verifier.function);
    let ([OperandKind::CONST | OperandKind::FCONST], Some(operand), [Some(ty), ..]) =
        (info.uses, data.operands.get(1), types)
    else {
        return;
    };
    let width = match operand {
        Operand::Float(constant) => Some(constant.format.bits()),
        _ => function.constant_value(operand).map(Bits::width),
    };
    let bits = ty.scalar_type().bits();
    let fits = width.is_none_or(|width| width == bits);
    verifier.demand(Rule::TypeConstant, inst, fits, || format!("{} for {bits} bits", width.unwrap_or_default()));
}

/// A shuffle's mask has a lane for each element of the result, and each names an element of one of the two operands.
fn lanes(verifier: &mut Verifier<'_>, inst: Inst, types: &IndexTypes) {
    let (data, function) = (verifier.function.inst(inst), verifier.function);
    let masks = data.operands.iter().filter_map(|operand| match operand {
        Operand::ShuffleMask(mask) => function.shuffle_masks.get(*mask),
        _ => None,
    });
    let count = |ty: Option<Type>| ty.and_then(Type::element_count).map_or(1, |count| u32::from(count.lanes));
    let (result, source) = (count(types[0]), count(types[1]));
    for mask in masks {
        let named = mask.iter().flatten().all(|&lane| lane < 2 * source);
        let fits = named && mask.len() == result as usize;
        let message = || format!("{} lanes for {result}, of two times {source}", mask.len());
        verifier.demand(Rule::ShuffleMask, inst, fits, message);
    }
}

/// The memory operands match the row in number, direction, size and ordering, and the address in its address space.
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
    for (operand, allowed) in data.memory.iter().zip(directions) {
        let direction = operand.flags & ACCESS;
        // A prefetch is for one of its directions; what reads, changes and writes has both.
        let whole = info.family != Family::Atomic || direction == allowed;
        let directed = !direction.is_empty() && allowed.contains(direction) && whole;
        verifier.demand(Rule::MemoryOperand, inst, directed, || "the memory operand is of another direction");
        let [size, ordered] =
            [size_fits(accesses.size, operand, types[info.value_index()]), ordering_fits(info, operand)];
        verifier.demand(Rule::MemorySize, inst, size, || "the memory operand's type does not go with the value's");
        verifier.demand(Rule::MemoryOrdering, inst, ordered, || operand.ordering.name());
    }
    if let [one, other] = data.memory.as_slice() {
        verifier.demand(Rule::MemorySize, inst, one.ty == other.ty, || "both accesses have one size");
    }
    address_spaces(verifier, inst, info, types);
}

/// An unknown size says nothing.
fn size_fits(size: AccessSize, operand: &MemOperand, value: Option<Type>) -> bool {
    operand.ty.zip(value).is_none_or(|(memory, value)| size.takes(memory, value))
}

/// A load releases nothing and a store acquires nothing. An instruction that does both at once is atomic, and so is its
/// failure, if it may fail.
fn ordering_fits(info: &OpcodeInfo, operand: &MemOperand) -> bool {
    use AtomicOrdering::{Acquire, AcquireRelease, NotAtomic, Release, Unordered};
    let (success, failure) = (operand.ordering, operand.failure_ordering);
    let releases = |ordering| matches!(ordering, Release | AcquireRelease);
    let orders = |ordering| !matches!(ordering, NotAtomic | Unordered);
    match (info.family, directions(info.flags)) {
        (Family::Atomic, _) if info.fails() => orders(success) && orders(failure) && !releases(failure),
        (Family::Atomic, _) => orders(success) && failure == NotAtomic,
        (_, MemFlags::LOAD) => !releases(success) && failure == NotAtomic,
        (_, MemFlags::STORE) => !matches!(success, Acquire | AcquireRelease) && failure == NotAtomic,
        _ => failure == NotAtomic,
    }
}

/// The first addresses among the operands are those of the accesses, in their order.
fn address_spaces(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo, types: &IndexTypes) {
    let (function, data) = (verifier.function, verifier.function.inst(inst));
    let addresses = info.uses.iter().filter_map(|kind| match kind {
        OperandKind::Register(TypeClass::Address, index) => types[usize::from(*index)],
        _ => None,
    });
    for (operand, address) in data.memory.iter().zip(addresses) {
        let Type::Pointer { address_space, .. } = address else { continue };
        let named = operand.metadata.expand().and_then(|metadata| named_space(function.symbols.get(metadata)?));
        let agrees = named.unwrap_or(0) == u32::from(address_space);
        verifier.demand(Rule::MemoryOperand, inst, agrees, || format!("the address is in space {address_space}"));
    }
}

/// N of `addrspace N` among what a memory operand says of its access.
fn named_space(metadata: &str) -> Option<u32> {
    metadata.split(", ").find_map(|entry| entry.strip_prefix("addrspace ")?.parse().ok())
}

/// The directions that an opcode's memory operands may have.
fn directions(flags: OpcodeFlags) -> MemFlags {
    let mut directions = MemFlags::empty();
    directions.set(MemFlags::LOAD, flags.contains(OpcodeFlags::LOAD));
    directions.set(MemFlags::STORE, flags.contains(OpcodeFlags::STORE));
    directions
}

/// An instruction whose row lists no memory operand has those of the directions in which it accesses memory. A call may
/// do anything.
pub(super) fn accesses(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    if data.memory.is_empty() || data.opcode.info().is_some_and(|info| info.accesses.is_some()) {
        return;
    }
    let flags = verifier.flags(data);
    let allowed = if flags.contains(OpcodeFlags::CALL) { MemFlags::all() } else { directions(flags) };
    let directed = data.memory.iter().all(|operand| allowed.contains(operand.flags & ACCESS));
    verifier.demand(Rule::MemoryOperand, inst, directed, || "it does not access memory so");
}

const ACCESS: MemFlags = MemFlags::LOAD.union(MemFlags::STORE);

/// The flags that change what an instruction computes.
const MEANT: InstFlags = InstFlags::PROMISES.union(InstFlags::FAST).union(InstFlags::NOFPEXCEPT);

fn flags(verifier: &mut Verifier<'_>, inst: Inst, info: &OpcodeInfo) {
    let unknown = (verifier.function.inst(inst).flags & MEANT).difference(info.inst_flags);
    verifier.demand(Rule::InstructionFlags, inst, unknown.is_empty(), || format!("{unknown:?}"));
}
