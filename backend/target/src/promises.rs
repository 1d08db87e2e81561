//! Promises of machine instructions: LLVM's selector leaves `nuw`, `nsw`, `exact` and `disjoint` on them, and its later
//! passes believe them.
//!
//! A promise says of a machine instruction what it says of the generic operation that computes the same result, whole
//! or extended with its sign from the low half. So that operation is looked for by its result, and its definition says
//! where the promise is broken.

use crate::Target;
use crate::aarch64::bitmask::decode_bitmask;
use crate::environment::Environment;
use crate::instructions::{ImmRange, OperandDesc};
use crate::operands::{extended_by, shifted_by};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, evaluate_flagged, walk};
use tribunal_ir::{InstData, InstFlags, Opcode, OpcodeFlags, Operand, RegOperand, SubReg};

/// Whether promises of machine instructions have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promises {
    /// Machine code creates no poison.
    Ignored,
    /// A result is poison where a promise may be broken: by any operation that gives the result.
    Believed,
    /// A result is poison where a promise is certainly broken: by all operations that give the result.
    Certain,
}

/// The operands of a machine instruction that promises something, as they are before it writes: registers, and
/// immediates of `bits` bits, the width of its result. The second is the number that the instruction works on, where it
/// shifts or extends a register. A copy of a part has the whole.
///
/// # Errors
/// As [`walk::read`].
pub fn operands<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    bits: u32,
) -> Result<SmallVec<[Value<D>; 4]>, Unsupported> {
    let mut args = SmallVec::new();
    // Immediates alone are parts of one number, not operands.
    if data.uses().next().is_none() {
        return Ok(args);
    }
    let row = match data.opcode {
        Opcode::Target(opcode) => target.instruction(opcode).operands,
        _ => &[],
    };
    for (index, operand) in data.operands.iter().enumerate() {
        match operand {
            Operand::Reg(register) if is_truncation(data) && !operand.is_def() => {
                args.push(walk::read(state, &RegOperand { subregister: SubReg(0), ..*register })?);
            }
            Operand::Reg(register) if !operand.is_def() => args.push(walk::read(state, register)?),
            Operand::Imm(value) if bits > 0 => {
                let value = match row.get(index) {
                    Some(OperandDesc::Imm(ImmRange::LogicalMask(width))) => {
                        decode_bitmask(*value, u32::from(*width)).map_or(*value, u64::cast_signed)
                    }
                    _ => *value,
                };
                let domain = state.domain();
                args.push(Value::new(domain.literal(value, bits), domain.boolean(false)));
            }
            _ => {}
        }
    }
    if let Some((range, by)) = change_of_second(target, data)
        && let Some(second) = args.get_mut(1)
    {
        let domain = state.domain();
        // No operation works on a rotated number: none gives the result of the register as it is.
        second.bits = match range {
            ImmRange::ShiftedBy { .. } => shifted_by(domain, &second.bits, by).unwrap_or(second.bits.clone()),
            _ if bits > 0 => extended_by(domain, &second.bits, bits, by),
            _ => second.bits.clone(),
        };
    }
    Ok(args)
}

/// The promises of a truncation.
const TRUNCATION_FLAGS: InstFlags = InstFlags::NUW.union(InstFlags::NSW);

/// True for a copy of a part of a virtual register to another: a truncation, once it is selected. It has no flags but
/// those of one.
pub fn is_truncation(data: &InstData) -> bool {
    let whole = |operand: &RegOperand| operand.reg.as_virtual().is_some() && operand.subregister == SubReg(0);
    let part = |operand: &RegOperand| operand.reg.as_virtual().is_some() && operand.subregister != SubReg(0);
    let is_flagged = TRUNCATION_FLAGS.contains(data.flags);
    data.opcode == Opcode::COPY && is_flagged && data.defs().all(whole) && data.uses().all(part)
}

/// How the row changes the second of two registers that it reads: the kind of the immediate behind them, and its value.
fn change_of_second(target: &Target, data: &InstData) -> Option<(ImmRange, i64)> {
    let Opcode::Target(opcode) = data.opcode else { return None };
    match target.instruction(opcode).operands {
        [OperandDesc::Def(_), OperandDesc::Use(_), OperandDesc::Use(_), OperandDesc::Imm(range)]
            if matches!(range, ImmRange::ShiftedBy { .. } | ImmRange::Extension | ImmRange::ExtensionOfWord) =>
        {
            Some((*range, data.imm(3)?))
        }
        _ => None,
    }
}

/// For each generic operation of these operands that gives `result` by `is_same`: the condition under which the
/// promises are broken. `memory` says where objects end.
pub fn broken<D: Domain>(
    domain: &mut D,
    memory: &mut impl Memory<D>,
    flags: InstFlags,
    args: &[Value<D>],
    result: &D::Bits,
    is_same: impl Fn(&D::Bits, &D::Bits) -> bool,
) -> SmallVec<[D::Bool; 2]> {
    let mut broken = SmallVec::new();
    let whole = domain.width(result);
    let (one, other) = match args {
        [wide] if domain.width(&wide.bits) > whole && TRUNCATION_FLAGS.contains(flags) => {
            let low = domain.zext_or_trunc(&wide.bits, whole);
            if is_same(&low, result) {
                broken.push(truncation(domain, flags, &wide.bits, result));
            }
            return broken;
        }
        [one, other, ..] => (one, other),
        _ => return broken,
    };
    for (width, signed) in ways([one, other].map(|value| domain.width(&value.bits)), whole) {
        let args: [Value<D>; 2] =
            [one, other].map(|value| Value::new(resized(domain, &value.bits, width, signed), value.poison.clone()));
        // What is said of an address says of a difference that it is the sum with the negated offset.
        let zero = domain.literal(0, width);
        let negated = Value::new(domain.sub(&zero, &args[1].bits), args[1].poison.clone());
        let difference = [args[0].clone(), negated];
        let is_of_address = flags.intersects(InstFlags::NUSW | InstFlags::INBOUNDS);
        for args in [&args].into_iter().chain(is_of_address.then_some(&difference)) {
            for opcode in Opcode::ALL.iter().copied().filter(|opcode| may_promise(*opcode, flags)) {
                let Ok(evaluation) = evaluate_flagged(domain, memory, opcode, flags, args) else { continue };
                let Some(value) = evaluation.results.into_iter().next() else { continue };
                // RISC-V's words; no machine here has zeros above a half that it computes.
                let number = domain.sext_or_trunc(&value.bits, whole);
                if is_same(&number, result) {
                    broken.push(value.poison);
                }
            }
        }
    }
    broken
}

/// The widths at which an operation with a result of `whole` bits may read operands of these widths. The flag says
/// whether it extends them with their signs. It may read whole registers, or the low halves of those of 64 bits. A
/// long multiplication extends halves.
fn ways(widths: [u32; 2], whole: u32) -> SmallVec<[(u32, bool); 2]> {
    match widths.map(|width| (width == whole, 2 * width == whole)) {
        [(true, _), (true, _)] if whole == 64 => smallvec![(whole, false), (32, false)],
        [(true, _), (true, _)] => smallvec![(whole, false)],
        [(_, true), (_, true)] => smallvec![(whole, true), (whole, false)],
        _ => SmallVec::new(),
    }
}

fn resized<D: Domain>(domain: &mut D, bits: &D::Bits, width: u32, signed: bool) -> D::Bits {
    if signed { domain.sext_or_trunc(bits, width) } else { domain.zext_or_trunc(bits, width) }
}

/// True if a number that is cut to `result` breaks the promise that nothing is lost.
fn truncation<D: Domain>(domain: &mut D, flags: InstFlags, wide: &D::Bits, result: &D::Bits) -> D::Bool {
    let width = domain.width(wide);
    let mut broken = domain.boolean(false);
    for (flag, signed) in [(InstFlags::NUW, false), (InstFlags::NSW, true)] {
        if flags.contains(flag) {
            let again = resized(domain, result, width, signed);
            let lost = domain.ne(&again, wide);
            broken = domain.bool_or(&broken, &lost);
        }
    }
    broken
}

/// Whether an operation of two sources may carry these flags.
fn may_promise(opcode: Opcode, flags: InstFlags) -> bool {
    opcode.info().is_some_and(|info| {
        let binary = info.defs.len() == 1 && info.uses.len() == 2 && info.flags.contains(OpcodeFlags::DEFINED);
        binary && (info.inst_flags & InstFlags::PROMISES).contains(flags)
    })
}
