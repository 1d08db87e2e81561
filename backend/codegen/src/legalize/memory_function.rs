//! Memory functions: of few bytes the loads and stores that they are, of any other number a call of the C library.
//!
//! ```text
//! %n:_(s64) = G_CONSTANT i64 12                 %a:_(s64) = G_LOAD %q :: (load (s64))
//! G_MEMCPY %p(p0), %q(p0), %n(s64), 0     ==>   %b:_(s64) = G_LOAD %q8 :: (load (s32), align 8)
//!                                               G_STORE %a, %p ...
//! ```
//!
//! The length is a value, which no row of the legality tables sees. So the expansion is a combine, as a division by a
//! constant is. Each access is as wide as the tables allow at its alignment, and touches bytes that no other access
//! touches: so a volatile function is expanded too. All loads come before all stores, as `memmove` demands. For
//! `memcpy` that order is not needed, but it makes the proof an equality of terms.

use super::Legalizer;
use super::artifacts::{Combine, Look, combined};
use super::libcall;
use super::recipe::Recipe;
use tribunal_ir::{Function, Inst, InstData, MemFlags, MemOperand, Opcode, PReg, Type, VReg};
use tribunal_target::Target;
use tribunal_target::environment::MemoryFunction;
use tribunal_target::legality::{Action, LegalityQuery, MemDescr};

/// Stores that pay rather than a call: LLVM's `MaxStoresPerMemcpy`.
const MOST_STORES: usize = 8;
/// Stores of a function that no call may stand for.
const MOST_INLINE: usize = 128;

/// One access of an expansion: its first byte, and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RangePart {
    offset: u32,
    bytes: u32,
}

/// The combine for the memory function `inst`, if its length is a small constant.
pub(super) fn of_constant_length(legalizer: &Legalizer<'_, '_, '_>, inst: Inst) -> Option<Combine> {
    let data = legalizer.function.inst(inst);
    let rule = match MemoryFunction::of_opcode(data.opcode)? {
        MemoryFunction::Copy => "combine memcpy_of_constant_length",
        MemoryFunction::Move => "combine memmove_of_constant_length",
        MemoryFunction::Set => "combine memset_of_constant_length",
    };
    let (look, pieces) = (Look { legalizer }, pieces(legalizer.function, data)?);
    let constant_of = |register: VReg| {
        let (through, constant) = look.definition(register)?;
        let value = legalizer.function.constant_value(constant.operands.get(1)?)?;
        (constant.opcode == Opcode::G_CONSTANT).then_some((through, value))
    };
    let (mut through, length) = constant_of(data.vreg_uses().last()?)?;
    let plan = plan(legalizer, data, u32::try_from(length.to_i64()?).ok()?)?;
    let ty = legalizer.context.target.register_type();
    match pieces {
        RangeSource::Copied => combined(rule, through, move |r| copy(r, ty, &plan)),
        RangeSource::Zero => combined(rule, through, move |r| {
            let zero = r.constant(ty, 0);
            fill(r, zero, &plan);
        }),
        RangeSource::Byte(byte) => match constant_of(byte) {
            Some((of_byte, value)) => {
                let new: Vec<Inst> = of_byte.into_iter().filter(|inst| !through.contains(inst)).collect();
                through.extend(new);
                combined(rule, through, move |r| {
                    let value = r.repeated(ty, value.low_u64() as u8);
                    fill(r, value, &plan);
                })
            }
            None => combined(rule, through, move |r| {
                let value = repeated(r, byte, ty, &plan);
                fill(r, value, &plan);
            }),
        },
    }
}

/// The bytes that a memory function stores.
enum RangeSource {
    /// Those at another place.
    Copied,
    /// The low byte of a register.
    Byte(VReg),
    Zero,
}

/// `None` for an instruction that is no well-formed memory function.
fn pieces(function: &Function, data: &InstData) -> Option<RangeSource> {
    let is_byte = |register: VReg| function.type_of(register).is_some_and(|ty| ty.bits() >= 8);
    let registers: Vec<VReg> = data.vreg_uses().collect();
    match (MemoryFunction::of_opcode(data.opcode)?, registers.as_slice(), data.memory.len()) {
        (MemoryFunction::Copy | MemoryFunction::Move, [_, _, _], 2) => Some(RangeSource::Copied),
        (MemoryFunction::Set, &[_, byte, _], 1) if is_byte(byte) => Some(RangeSource::Byte(byte)),
        (MemoryFunction::Set, [_, _], 1) => Some(RangeSource::Zero),
        _ => None,
    }
}

/// The accesses for so many bytes, each the widest that both memory operands allow there; `None` if they are too many.
fn plan(legalizer: &Legalizer<'_, '_, '_>, data: &InstData, length: u32) -> Option<Vec<RangePart>> {
    let target = legalizer.context.target;
    let most = if data.opcode == Opcode::G_MEMCPY_INLINE { MOST_INLINE } else { MOST_STORES };
    let pointer = legalizer.function.type_of(data.vreg(0)?)?;
    let is_legal = |access: RangePart| {
        [Opcode::G_STORE, Opcode::G_LOAD].into_iter().zip(&data.memory).all(|(opcode, memory)| {
            let part = part(memory, access);
            let mut query = LegalityQuery::new(opcode, [target.register_type(), pointer]);
            query.memory.push(MemDescr::plain(Type::scalar(8 * access.bytes), part.align.saturating_mul(8)));
            legalizer.context.legalizer.action(&query).action == Action::Legal
        })
    };
    let (mut accesses, mut offset) = (Vec::new(), 0);
    while offset < length {
        let widest = (length - offset).min(target.register_bytes()).ilog2();
        let mut sizes = (0..=widest).rev().map(|log| RangePart { offset, bytes: 1 << log });
        let access = sizes.find(|&access| is_legal(access)).filter(|_| accesses.len() < most)?;
        accesses.push(access);
        offset += access.bytes;
    }
    Some(accesses)
}

/// The memory operand of one access. What is promised of the whole is not promised of each part.
fn part(memory: &MemOperand, RangePart { offset, bytes }: RangePart) -> MemOperand {
    let flags = memory.flags & (MemFlags::LOAD | MemFlags::STORE | MemFlags::VOLATILE | MemFlags::NON_TEMPORAL);
    MemOperand { flags, metadata: Default::default(), ..memory.part(offset, Type::scalar(8 * bytes)) }
}

fn copy(r: &mut Recipe<'_>, ty: Type, plan: &[RangePart]) {
    let (to, from) = (r.register(0), r.register(1));
    let load = |r: &mut Recipe<'_>, &access: &RangePart| {
        let address = r.pointer_plus(from, access.offset);
        let memory = part(&r.data.memory[1], access);
        r.builder.load(Opcode::G_LOAD, ty, address, memory)
    };
    let values: Vec<VReg> = plan.iter().map(|access| load(r, access)).collect();
    plan.iter().zip(values).for_each(|(&access, value)| store(r, value, to, access));
}

fn fill(r: &mut Recipe<'_>, value: VReg, plan: &[RangePart]) {
    let to = r.register(0);
    plan.iter().for_each(|&access| store(r, value, to, access));
}

fn store(r: &mut Recipe<'_>, value: VReg, to: VReg, access: RangePart) {
    let address = r.pointer_plus(to, access.offset);
    let memory = part(&r.data.memory[0], access);
    r.builder.store(value, address, memory);
}

/// The low byte of a register in every byte of the widest access.
fn repeated(r: &mut Recipe<'_>, byte: VReg, ty: Type, plan: &[RangePart]) -> VReg {
    let widest = plan.iter().map(|access| 8 * access.bytes).max().unwrap_or(8);
    if widest == 8 {
        return r.resized(Opcode::G_ANYEXT, byte, ty);
    }
    let byte = r.resized(Opcode::G_TRUNC, byte, Type::scalar(8));
    let mut value = r.op(ty, Opcode::G_ZEXT, &[byte]);
    let mut filled = 8;
    while filled < widest {
        let above = r.shift(Opcode::G_SHL, value, filled);
        value = r.op(ty, Opcode::G_OR, &[value, above]);
        filled *= 2;
    }
    value
}

/// Calls the C function; false if the length does not fit an argument, or if no call may stand here.
pub(super) fn call(r: &mut Recipe<'_>, target: &Target, function: MemoryFunction) -> bool {
    let (Some(pieces), ty) = (pieces(r.builder.function, r.data), target.register_type()) else { return false };
    let registers: Vec<VReg> = r.data.vreg_uses().collect();
    let (Some(&to), Some(&length)) = (registers.first(), registers.last()) else { return false };
    if r.data.opcode == Opcode::G_MEMCPY_INLINE || r.bits_of(length) > ty.bits() {
        return false;
    }
    // The functions return their first argument.
    let (Some(places), Some(results)) = (target.abi.arguments().first_chunk(), target.abi.results().get(..1)) else {
        return false;
    };
    let places: [Vec<PReg>; 3] = places.map(|place| vec![place]);
    libcall::call_with(r, target, (function.name(), &places, results), |r| {
        let second = match pieces {
            RangeSource::Copied => r.register(1),
            RangeSource::Byte(byte) => r.resized(Opcode::G_ANYEXT, byte, ty),
            RangeSource::Zero => r.constant(ty, 0),
        };
        vec![to, second, r.resized(Opcode::G_ZEXT, length, ty)]
    })
}
