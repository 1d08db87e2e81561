//! Promises of machine instructions: LLVM's selector leaves `nuw`, `nsw`, `exact`, `disjoint` and `nneg` on them, and
//! its later passes believe them.
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
use tribunal_ir::semantics::float::{self, FloatRules};
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value, evaluate_flagged, walk};
use tribunal_ir::{Family, FloatFormat, InstData, InstFlags, Opcode, OpcodeFlags, Operand, RegOperand, SubReg};

/// Whether promises of machine instructions have a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promises {
    /// Machine code creates no poison.
    Ignored,
    /// A result is poison where a promise may be broken: by any operation that gives the result.
    Believed,
    /// A result is poison where a promise is certainly broken: by all operations that give the result, of these
    /// operands and of others.
    Certain,
}

/// The shift of an immediate in AArch64's sums.
const SHIFT_OF_IMMEDIATE: OperandDesc = OperandDesc::Imm(ImmRange::OneOf(&[0, 12]));

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
            // It shifts the number before it.
            Operand::Imm(_) if row.get(index) == Some(&SHIFT_OF_IMMEDIATE) => {}
            Operand::Imm(value) if bits > 0 => {
                let value = match row.get(index) {
                    Some(OperandDesc::Imm(ImmRange::LogicalMask(width))) => {
                        decode_bitmask(*value, u32::from(*width)).map_or(*value, u64::cast_signed)
                    }
                    _ if row.get(index + 1) == Some(&SHIFT_OF_IMMEDIATE) => {
                        let by = data.imm(index + 1).and_then(|by| u32::try_from(by).ok());
                        by.and_then(|by| value.checked_shl(by)).unwrap_or(*value)
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
/// The promises of an address, which selection leaves on copies of the parts that it is computed of. They say nothing
/// of a truncation.
const ADDRESS_FLAGS: InstFlags = InstFlags::NUSW.union(InstFlags::INBOUNDS);
/// The flags of a copy of a part.
const PART_FLAGS: InstFlags = TRUNCATION_FLAGS.union(ADDRESS_FLAGS);

/// True for a copy of a part of a virtual register to another: a truncation, once it is selected. It has no flags but
/// those of one.
pub fn is_truncation(data: &InstData) -> bool {
    let whole = |operand: &RegOperand| operand.reg.as_virtual().is_some() && operand.subregister == SubReg(0);
    let part = |operand: &RegOperand| operand.reg.as_virtual().is_some() && operand.subregister != SubReg(0);
    let is_flagged = PART_FLAGS.contains(data.flags);
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

/// A generic operation that a machine instruction may stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PromiseReading {
    opcode: Opcode,
    /// The width of its operands, in bits.
    width: u32,
    /// Whether narrower operands are extended with their signs.
    signed: bool,
    /// It has the second operand negated: what is said of an address says of a difference that it is such a sum.
    is_difference: bool,
    /// Its operands are the third of an instruction's and the product of the first two.
    of_product: bool,
}

impl PromiseReading {
    /// The truncation of one operand.
    const TRUNCATION: PromiseReading =
        PromiseReading { opcode: Opcode::G_TRUNC, width: 0, signed: false, is_difference: false, of_product: false };

    /// The conversion of an unsigned integer to a number.
    const CONVERSION: PromiseReading = PromiseReading { opcode: Opcode::G_UITOFP, ..PromiseReading::TRUNCATION };

    /// The operations on two operands of these widths that have a result of `whole` bits, and may carry these flags.
    fn all(widths: [u32; 2], whole: u32, flags: InstFlags) -> impl Iterator<Item = PromiseReading> {
        let is_of_address = flags.intersects(InstFlags::NUSW | InstFlags::INBOUNDS);
        ways(widths, whole).into_iter().flat_map(move |(width, signed)| {
            let differences: &[bool] = if is_of_address { &[false, true] } else { &[false] };
            differences.iter().flat_map(move |&is_difference| {
                let opcodes = Opcode::ALL.iter().copied().filter(move |&opcode| may_promise(opcode, flags));
                opcodes.map(move |opcode| PromiseReading { opcode, width, signed, is_difference, of_product: false })
            })
        })
    }

    /// Operations on a number, or a pointer, and the product of two of these widths.
    fn of_products(widths: [u32; 2], whole: u32, flags: InstFlags) -> impl Iterator<Item = PromiseReading> {
        let of_width = ways(widths, whole).into_iter().filter(move |&(width, _)| width == whole);
        of_width.flat_map(move |(width, signed)| {
            let opcodes = Opcode::ALL.iter().copied().filter(move |&opcode| may_promise(opcode, flags));
            opcodes.map(move |opcode| PromiseReading { opcode, width, signed, is_difference: false, of_product: true })
        })
    }

    /// Its result in `whole` bits; poison where a promise is broken. `None` if it has none on such operands.
    fn evaluate<D: Domain>(
        self,
        domain: &mut D,
        memory: &mut impl Memory<D>,
        flags: InstFlags,
        args: &[Value<D>],
        whole: u32,
    ) -> Option<Value<D>> {
        let PromiseReading { opcode, width, signed, is_difference, of_product } = self;
        if self == PromiseReading::CONVERSION {
            // Behind the integer may stand the register of the rounding mode.
            let integer = args.first()?;
            let bits = converted(domain, &integer.bits, whole)?;
            return Some(Value::new(bits, domain.is_negative(&integer.bits)));
        }
        let [one, other, others @ ..] = args else { return None };
        let mut args =
            [one, other].map(|value| Value::new(resized(domain, &value.bits, width, signed), value.poison.clone()));
        if of_product {
            let [one, other] = &args;
            let poison = domain.bool_or(&one.poison, &other.poison);
            let product = Value::new(domain.mul(&one.bits, &other.bits), poison);
            let number = others.first().filter(|number| domain.width(&number.bits) == width)?.clone();
            args = [number, product];
        }
        if opcode.family() == Some(Family::Shift) && width.is_power_of_two() {
            // Machines shift by the amount's low bits. Where it has others the generic operation is poison anyhow.
            let most = domain.literal((width - 1).into(), width);
            args[1].bits = domain.and(&args[1].bits, &most);
        }
        // A sum with a negated number is a difference, and terms are compared as they are written.
        let difference = is_difference.then(|| domain.sub(&args[0].bits, &args[1].bits));
        if is_difference {
            let zero = domain.literal(0, width);
            args[1].bits = domain.sub(&zero, &args[1].bits);
        }
        let evaluation = evaluate_flagged(domain, memory, opcode, flags, &args).ok()?;
        let value = evaluation.results.into_iter().next()?;
        let bits = difference.unwrap_or(value.bits);
        // RISC-V's words; no machine here has zeros above a half that it computes.
        Some(Value::new(domain.sext_or_trunc(&bits, whole), value.poison))
    }

    /// Its result in as many bits as `result` has, without promises: to be compared with what the machine gives.
    pub fn result<D: Domain>(
        self,
        domain: &mut D,
        memory: &mut impl Memory<D>,
        args: &[Value<D>],
        result: &D::Bits,
    ) -> Option<Value<D>> {
        let whole = domain.width(result);
        self.evaluate(domain, memory, InstFlags::empty(), args, whole)
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
) -> SmallVec<[(PromiseReading, D::Bool); 2]> {
    let mut broken = SmallVec::new();
    let whole = domain.width(result);
    match args {
        [wide] if domain.width(&wide.bits) > whole && PART_FLAGS.contains(flags) => {
            let low = domain.zext_or_trunc(&wide.bits, whole);
            if is_same(&low, result) {
                broken.push((PromiseReading::TRUNCATION, truncation(domain, flags, &wide.bits, result)));
            }
        }
        [_, ..] if flags == InstFlags::NNEG => {
            let reading = PromiseReading::CONVERSION;
            let value = reading.evaluate(domain, memory, flags, args, whole);
            broken.extend(value.filter(|value| is_same(&value.bits, result)).map(|value| (reading, value.poison)));
        }
        [one, other, ..] => {
            let widths = [one, other].map(|value| domain.width(&value.bits));
            let mut of_each = |readings: &mut dyn Iterator<Item = PromiseReading>| {
                for reading in readings {
                    if let Some(value) = reading.evaluate(domain, memory, flags, args, whole)
                        && is_same(&value.bits, result)
                    {
                        broken.push((reading, value.poison));
                    }
                }
                broken.is_empty()
            };
            // A product and zero is a product.
            if of_each(&mut PromiseReading::all(widths, whole, flags)) {
                of_each(&mut PromiseReading::of_products(widths, whole, flags));
            }
        }
        _ => {}
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

/// The number of floating point that an unsigned integer is, in so many bits.
fn converted<D: Domain>(domain: &mut D, integer: &D::Bits, whole: u32) -> Option<D::Bits> {
    let format = FloatFormat::of_width(whole)?;
    let rules = FloatRules::generic(domain);
    Some(float::from_integer(domain, &rules, format, integer, false).bits)
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
