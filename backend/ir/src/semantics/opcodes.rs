//! One definition an opcode: its results, when they are poison, and when executing it is undefined behaviour.
//!
//! Sources: LLVM's LangRef for the IR operation of each opcode, GenericOpcodes.td for the operand shapes. A result is
//! poison if an operand is, unless the opcode says otherwise (`G_SELECT`, `G_FREEZE`).

use super::{Domain, Memory, Pure, Value, access, bits, float, integer, intrinsic, vectors};
use crate::bits::MAX_BITS;
use crate::function::Function;
use crate::inst::{InstData, InstFlags};
use crate::memory::MemOperand;
use crate::opcode::{Family, Immediate, IndexTypes, Opcode, OpcodeFlags, OpcodeInfo, OperandKind};
use crate::operand::Operand;
use crate::predicate::IntPredicate;
use crate::ranges::RangeUnknown;
use crate::types::Type;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use tribunal_llvm::IntegerRange;

/// The evaluation of one instruction.
#[derive(Debug)]
pub struct Evaluation<D: Domain> {
    /// A value for each explicit definition, in operand order.
    pub results: SmallVec<[Value<D>; 2]>,
    /// True where executing the instruction is undefined behaviour.
    pub ub: D::Bool,
}

/// An instruction whose meaning is not defined; reports show the feature's name.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("{feature} is not supported")]
pub struct Unsupported {
    /// The name of the feature that has no meaning here, as reports show it.
    pub feature: String,
    /// The obstacle.
    pub obstacle: Obstacle,
}

/// The reason why something is not evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Obstacle {
    /// It has no definition.
    Undefined,
    /// Two sides are compared, and this one does what the other does not. It is no feature that is lacking.
    Different,
}

/// The beginning of a feature that is an instruction without a form.
const MALFORMED: &str = "malformed ";

impl Unsupported {
    /// Says that an instruction lacks an operand, or has types or numbers that its row does not take.
    pub fn malformed(instruction: impl fmt::Display) -> Unsupported {
        Unsupported::new(format!("{MALFORMED}{instruction}"))
    }

    /// True of the feature of [`Unsupported::malformed`].
    pub fn is_malformed(feature: &str) -> bool {
        feature.starts_with(MALFORMED)
    }

    /// Says that `feature` has no meaning here.
    pub fn new(feature: impl Into<String>) -> Unsupported {
        Unsupported { feature: feature.into(), obstacle: Obstacle::Undefined }
    }

    /// Says that one of two sides does `operation`, which the other does not.
    pub fn different(operation: impl Into<String>) -> Unsupported {
        Unsupported { feature: operation.into(), obstacle: Obstacle::Different }
    }
}

/// One instruction as its definition sees it: operands checked, types at hand.
pub(super) struct Operation<'a, D: Domain> {
    pub inst: &'a InstData,
    pub flags: InstFlags,
    /// The type of each explicit definition.
    pub defs: &'a [Type],
    /// The type of each register read.
    pub uses: &'a [Type],
    pub args: &'a [Value<D>],
    /// The values that a load may read; none for any.
    pub range: &'a [IntegerRange],
}

impl<D: Domain> Operation<'_, D> {
    /// Width of the first definition, in bits.
    pub fn width(&self) -> u32 {
        self.defs[0].bits()
    }

    pub fn has(&self, flag: InstFlags) -> bool {
        self.flags.contains(flag)
    }

    /// The first plain immediate.
    pub fn imm(&self) -> Option<i64> {
        first_immediate(self.inst)
    }

    fn predicate(&self) -> Option<IntPredicate> {
        self.inst.operands.iter().find_map(|operand| match operand {
            Operand::Predicate(predicate) => Some(*predicate),
            _ => None,
        })
    }
}

fn first_immediate(inst: &InstData) -> Option<i64> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    })
}

/// The types of an instruction's registers, checked so that it has a meaning. A caller that evaluates it often checks
/// once.
#[derive(Clone, Debug)]
pub struct Typed {
    defs: SmallVec<[Type; 2]>,
    uses: SmallVec<[Type; 4]>,
    /// Some register is a vector.
    has_vector: bool,
}

/// Evaluates `inst` on `args`: one value for each register that it reads explicitly, in operand order. Types are read
/// from `function`'s registers. Malformed instructions are `Unsupported`: this is called on unverified code.
pub fn evaluate<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    function: &Function,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<Evaluation<D>, Unsupported> {
    evaluate_typed(domain, memory, function, inst, &typed(function, inst)?, args)
}

/// The same for an instruction whose types are [`typed`] already.
pub fn evaluate_typed<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    function: &Function,
    inst: &InstData,
    types: &Typed,
    args: &[Value<D>],
) -> Result<Evaluation<D>, Unsupported> {
    let Typed { defs, uses, has_vector } = types;
    let widths = uses.iter().zip(args).all(|(ty, value)| domain.width(&value.bits) == ty.bits());
    if !widths || args.len() != uses.len() {
        return Err(malformed(inst));
    }
    if function.is_strict() && inst.opcode.assumes_environment() {
        return Err(Unsupported::new(format!("{} in a strict function", inst.opcode)));
    }
    let opcode = function.opcode_on_machine(inst);
    if opcode != inst.opcode {
        let inst = InstData { opcode, ..inst.clone() };
        return evaluate_typed(domain, memory, function, &inst, types, args);
    }
    let range = match inst.memory.first().map(|memory| function.range_of(memory)) {
        Some(Err(RangeUnknown)) => return Err(Unsupported::new("a range that the module does not give")),
        Some(Ok(range)) => range,
        None => &[],
    };
    let operation = Operation { inst, flags: inst.flags, defs, uses, args, range };
    if matches!(inst.opcode, Opcode::G_CONSTANT | Opcode::G_FCONSTANT) {
        let value = constant(domain, function, &operation)?;
        return Ok(Evaluation { results: smallvec![value], ub: domain.boolean(false) });
    }
    if inst.opcode.family() == Some(Family::Intrinsic) {
        let meaning = intrinsic::meaning(function, inst)?;
        return intrinsic::evaluate(domain, memory, meaning, &operation);
    }
    match has_vector {
        true => vectors::evaluate(domain, memory, function, &operation),
        false => computed(domain, memory, &operation),
    }
}

/// Evaluates an opcode of two sources and a result, all of one type and without flags, on `args`.
pub fn evaluate_binary<D: Domain>(
    domain: &mut D,
    opcode: Opcode,
    args: &[Value<D>; 2],
) -> Result<Evaluation<D>, Unsupported> {
    let same =
        |info: &OpcodeInfo| matches!((info.defs, info.uses), ([def], [one, other]) if one == def && other == def);
    match opcode.info().is_some_and(same) {
        true => evaluate_flagged(domain, &mut Pure, opcode, InstFlags::empty(), args),
        false => Err(malformed(&InstData::new(opcode, []))),
    }
}

/// Evaluates an opcode of one result on scalars as wide as `args`, without flags.
pub fn evaluate_scalar<D: Domain>(
    domain: &mut D,
    opcode: Opcode,
    result: Type,
    args: &[Value<D>],
) -> Result<Evaluation<D>, Unsupported> {
    let inst = InstData::new(opcode, []);
    let uses: SmallVec<[Type; 4]> = args.iter().map(|value| Type::scalar(domain.width(&value.bits))).collect();
    let types = Typed { defs: smallvec![result], uses, has_vector: false };
    let takes = |info: &&OpcodeInfo| {
        let is_register = |kind: &OperandKind| kind.type_index().is_some();
        let registers = info.uses.len() == args.len() && info.uses.iter().all(is_register);
        info.flags.contains(OpcodeFlags::DEFINED) && info.defs.len() == 1 && registers
    };
    let info = opcode.info().filter(takes).ok_or_else(|| malformed(&inst))?;
    if !well_typed(&inst, info, &types) {
        return Err(malformed(&inst));
    }
    let flags = InstFlags::empty();
    let operation = Operation { inst: &inst, flags, defs: &types.defs, uses: &types.uses, args, range: &[] };
    computed(domain, &mut Pure, &operation)
}

/// Evaluates an operation on memory, whose values are as wide as its access, on `args`: the address, then the values.
/// The result is the old value.
pub fn evaluate_atomic<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    opcode: Opcode,
    access: MemOperand,
    args: &[Value<D>],
) -> Result<Evaluation<D>, Unsupported> {
    let inst = InstData::new(opcode, []).with_memory(access);
    let info = opcode.info().filter(|info| info.family == Family::Atomic && info.uses.len() == args.len());
    let ty = info.and(access.ty).ok_or_else(|| malformed(&inst))?;
    if args.iter().skip(1).any(|value| domain.width(&value.bits) != ty.bits()) {
        return Err(malformed(&inst));
    }
    let flags = InstFlags::empty();
    access::read_modify_write(
        domain,
        memory,
        &Operation { inst: &inst, flags, defs: &[ty], uses: &[], args, range: &[] },
    )
}

/// Evaluates an opcode of two sources and a result, all of one width, with these flags on `args`. `memory` says where
/// objects end.
pub fn evaluate_flagged<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    opcode: Opcode,
    flags: InstFlags,
    args: &[Value<D>; 2],
) -> Result<Evaluation<D>, Unsupported> {
    let inst = InstData::new(opcode, []);
    let binary = opcode.info().is_some_and(|info| info.defs.len() == 1 && info.uses.len() == 2);
    let width = domain.width(&args[0].bits);
    if !binary || width != domain.width(&args[1].bits) {
        return Err(malformed(&inst));
    }
    let ty = Type::scalar(width);
    let (defs, uses) = ([ty], [ty, ty]);
    computed(domain, memory, &Operation { inst: &inst, flags, defs: &defs, uses: &uses, args, range: &[] })
}

pub(super) fn computed<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Evaluation<D>, Unsupported> {
    let inst = op.inst;
    let ub = domain.boolean(false);
    let no_ub = |results| Ok(Evaluation { results, ub });
    use Opcode::*;
    match inst.opcode {
        G_IMPLICIT_DEF => {
            let bits = domain.choose(op.width());
            no_ub(smallvec![Value::new(bits, domain.boolean(false))])
        }
        G_FRAME_INDEX => no_ub(smallvec![frame_index(domain, memory, op)?]),
        G_CONSTANT_FOLD_BARRIER | G_PTRTOINT | G_INTTOPTR => no_ub(smallvec![resized(domain, op)]),
        G_PTR_ADD => no_ub(smallvec![integer::pointer_add(domain, memory, op)]),
        G_FREEZE => no_ub(smallvec![integer::freeze(domain, op)]),
        G_SELECT => no_ub(smallvec![integer::select(domain, op)]),
        G_ICMP => {
            let predicate = op.predicate().ok_or_else(|| malformed(inst))?;
            no_ub(smallvec![integer::compare(domain, op, predicate)])
        }
        G_UDIV | G_SDIV | G_UREM | G_SREM | G_UDIVREM | G_SDIVREM => Ok(integer::divide(domain, op)),
        G_LOAD | G_ZEXTLOAD | G_SEXTLOAD => access::load(domain, memory, op, &op.args[0]),
        G_STORE => access::store(domain, memory, op, &op.args[1]),
        G_FENCE => access::fence(domain, memory, op),
        // A hint, whatever its address is.
        G_PREFETCH => no_ub(smallvec![]),
        _ if inst.opcode.family() == Some(Family::Indexed) => access::indexed(domain, memory, op),
        _ if inst.opcode.family() == Some(Family::Atomic) => access::read_modify_write(domain, memory, op),
        G_UADDO | G_UADDE | G_USUBO | G_USUBE | G_SADDO | G_SADDE | G_SSUBO | G_SSUBE => {
            no_ub(integer::with_carry(domain, op))
        }
        G_UMULO | G_SMULO => no_ub(integer::multiply_overflow(domain, op)),
        G_UNMERGE_VALUES => no_ub(bits::unmerge(domain, op)),
        G_MERGE_VALUES => no_ub(smallvec![bits::merge(domain, op)]),
        // Branches belong to the code that walks the function.
        _ if op.defs.is_empty() => Err(Unsupported::new(inst.opcode.to_string())),
        _ => match integer::simple(domain, op).or_else(|| bits::simple(domain, op)) {
            Some(value) => no_ub(smallvec![value]),
            None => no_ub(float::evaluate(domain, op)?),
        },
    }
}

/// Checks shape and types, so that definitions may index operands.
pub fn typed(function: &Function, inst: &InstData) -> Result<Typed, Unsupported> {
    let info = inst.opcode.info().ok_or_else(|| Unsupported::new("target instruction"))?;
    if info.family == Family::Intrinsic {
        intrinsic::meaning(function, inst)?;
    } else if !info.flags.contains(OpcodeFlags::DEFINED) {
        return Err(Unsupported::new(info.name));
    }
    let mut types = Typed { defs: SmallVec::new(), uses: SmallVec::new(), has_vector: false };
    let registers = inst.operands.iter().filter_map(|operand| operand.as_vreg().map(|register| (operand, register)));
    for (operand, register) in registers {
        let ty = function.type_of(register).ok_or_else(|| malformed(inst))?;
        if ty.element_count().is_some_and(|count| count.scalable) {
            return Err(Unsupported::new("scalable vector"));
        }
        if ty.bits() > MAX_BITS {
            let kind = if ty.is_vector() { "vector" } else { "scalar" };
            return Err(Unsupported::new(format!("{kind} wider than {MAX_BITS} bits")));
        }
        types.has_vector |= ty.is_vector();
        match operand.is_def() {
            true => types.defs.push(ty),
            false => types.uses.push(ty),
        }
    }
    let register_kinds = |kinds: &[OperandKind]| kinds.iter().filter(|kind| kind.type_index().is_some()).count();
    let enough = types.defs.len() >= register_kinds(info.defs) && types.uses.len() >= register_kinds(info.uses);
    match enough && well_typed(inst, info, &types) {
        true => Ok(types),
        false => Err(malformed(inst)),
    }
}

pub(super) fn malformed(inst: &InstData) -> Unsupported {
    Unsupported::malformed(inst.opcode)
}

/// The preconditions of the definitions: operands of one type index have one width, and the row's type rules and
/// immediates hold.
fn well_typed(inst: &InstData, info: &OpcodeInfo, op: &Typed) -> bool {
    let mut types: IndexTypes = [None; 3];
    for (kinds, registers) in [(info.defs, op.defs.as_slice()), (info.uses, op.uses.as_slice())] {
        let mut indices = kinds.iter().filter_map(|kind| kind.type_index());
        let mut index = None;
        for &ty in registers {
            // Repeated operands have the kind of the operand before them.
            index = indices.next().or(index);
            let Some(index) = index else { break };
            if types[index].get_or_insert(ty).bits() != ty.bits() {
                return false;
            }
        }
    }
    let parts = (op.defs.len() + op.uses.len()).checked_sub(1);
    let mut immediates = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    });
    let mut taken = |immediate: &Immediate| immediates.next().is_some_and(|value| immediate.takes(&types, value));
    // Definitions on scalars check their own classes; those on vectors rely on the row.
    let of_class = !op.has_vector || info.takes(&types);
    of_class && info.rules.iter().all(|rule| rule.holds(&types, parts)) && info.immediates.iter().all(&mut taken)
}

fn constant<D: Domain>(domain: &mut D, function: &Function, op: &Operation<'_, D>) -> Result<Value<D>, Unsupported> {
    let written = op.inst.operands.get(1).and_then(|operand| match operand {
        Operand::Float(constant) => function.float_bits(*constant),
        integer => function.constant_value(integer),
    });
    match written {
        Some(value) if value.width() == op.width() => Ok(Value::new(domain.constant(value), domain.boolean(false))),
        _ => Err(malformed(op.inst)),
    }
}

fn frame_index<D: Domain, M: Memory<D>>(
    domain: &mut D,
    memory: &mut M,
    op: &Operation<'_, D>,
) -> Result<Value<D>, Unsupported> {
    match op.inst.operands.get(1) {
        Some(Operand::Stack(slot)) => {
            let bits = memory.frame_address(domain, *slot, op.width());
            Ok(Value::new(bits, domain.boolean(false)))
        }
        Some(Operand::FixedStack(slot)) => {
            let bits = memory.fixed_address(domain, *slot, op.width());
            Ok(Value::new(bits, domain.boolean(false)))
        }
        _ => Err(malformed(op.inst)),
    }
}

/// The operand as it is, reduced or zero-extended to the result's width (`G_PTRTOINT`, `G_INTTOPTR`).
fn resized<D: Domain>(domain: &mut D, op: &Operation<'_, D>) -> Value<D> {
    let bits = domain.zext_or_trunc(&op.args[0].bits, op.width());
    Value::new(bits, op.args[0].poison.clone())
}
