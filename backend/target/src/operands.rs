//! Helpers that the meanings of all instruction sets share: an instruction's sources as values, its memory accesses as
//! the row describes them, and its results.

use crate::Target;
use crate::addressing::AddressPart;
use crate::instructions::{Access, Extension, InstrDesc, OperandDesc};
use crate::meaning::{AnyDomain, CodePlace, MachineEvaluation};
use smallvec::{SmallVec, smallvec};
use tribunal_ir::semantics::float::{FloatResult, RoundingMode};
use tribunal_ir::semantics::{Domain, Unsupported, Value};
use tribunal_ir::{InstData, MemFlags, MemOperand, Opcode, OpcodeFlags, Operand, RegClass, TargetFlags, Type};

/// The sources of one instruction in operand order, without definitions and labels: registers, stack addresses,
/// immediates as wide as a register. The registers read implicitly come last.
pub struct Sources<D: Domain + ?Sized> {
    /// A value for each source.
    pub values: SmallVec<[Value<D>; 4]>,
}

impl<D: Domain + ?Sized> Sources<D> {
    /// The bits of a source, if there are so many.
    pub fn bits(&self, index: usize) -> Option<&D::Bits> {
        self.values.get(index).map(|value| &value.bits)
    }

    /// The first `N` sources.
    pub fn exactly<const N: usize>(&self, inst: &InstData) -> Result<[&Value<D>; N], Unsupported> {
        let mut values = self.values.iter();
        let mut missing = false;
        let taken: [Option<&Value<D>>; N] = std::array::from_fn(|_| {
            let value = values.next();
            missing |= value.is_none();
            value
        });
        match missing {
            true => Err(Unsupported::malformed(inst.opcode)),
            false => Ok(taken.map(|value| value.expect("none is missing"))),
        }
    }
}

/// Collects the sources. `args` has one value for each register read, explicit then implicit.
pub fn sources<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    inst: &InstData,
    args: &[Value<D>],
) -> Result<Sources<D>, Unsupported> {
    let Opcode::Target(opcode) = inst.opcode else { return Err(Unsupported::new(inst.opcode.to_string())) };
    let row = target.instruction(opcode);
    let malformed = || Unsupported::malformed(row.name);
    let mut args = args.iter();
    let mut values = SmallVec::new();
    let mut linked = 0;
    for (index, operand) in inst.operands.iter().enumerate() {
        let value = match operand {
            Operand::Reg(_) if operand.is_def() => continue,
            Operand::Reg(register) => {
                let value = args.next().cloned().ok_or_else(malformed)?;
                let width = row.operands.get(index).and_then(OperandDesc::class).map(|class| target.class(class).bits);
                match width {
                    // A wide register read as its low part.
                    Some(bits) if register.subregister.0 != 0 || d.width(&value.bits) != bits => {
                        Value::new(d.zext_or_trunc(&value.bits, bits), value.poison)
                    }
                    _ => value,
                }
            }
            // A distance, in placed code.
            Operand::Imm(_) if row.operands.get(index).is_some_and(OperandDesc::is_place) => continue,
            Operand::Imm(value) if !is_in_range(row, index, *value) => return Err(malformed()),
            Operand::Imm(value) => Value::new(d.literal(*value, target.pointer_bits.into()), d.boolean(false)),
            Operand::Stack(slot) => Value::new(d.frame_address(*slot, target.pointer_bits.into()), d.boolean(false)),
            Operand::Block(_) => continue,
            Operand::FixedStack(slot) => {
                Value::new(d.fixed_address(*slot, target.pointer_bits.into()), d.boolean(false))
            }
            Operand::Address(_) => {
                let (address, flags) = d.linked(linked).ok_or_else(malformed)?;
                linked += 1;
                let bits = target.address_part(flags).map_or(address, |part| part.of(d, &address));
                Value::new(bits, d.boolean(false))
            }
            _ => return Err(malformed()),
        };
        values.push(value);
    }
    Ok(Sources { values })
}

/// True if the row's operand may be this immediate.
fn is_in_range(row: &InstrDesc, index: usize, value: i64) -> bool {
    row.operands.get(index).and_then(OperandDesc::range).is_none_or(|range| range.accepts(value))
}

/// One result; poison if any source is.
pub fn finish<D: AnyDomain + ?Sized>(d: &mut D, bits: D::Bits, sources: &Sources<D>) -> MachineEvaluation<D> {
    let mut poison = d.boolean(false);
    for value in &sources.values {
        poison = d.bool_or(&poison, &value.poison);
    }
    MachineEvaluation { results: smallvec![Value::new(bits, poison)], ub: d.boolean(false), taken: None, to: None }
}

/// The rounding mode of the environment of floating point, as rules take it.
pub fn rounding_mode<D: AnyDomain + ?Sized>(d: &mut D) -> D::Bits {
    d.rounding_mode().unwrap_or_else(|| d.constant(RoundingMode::NearestEven.bits()))
}

/// The number; its flags are raised.
pub fn raising<D: AnyDomain + ?Sized>(d: &mut D, result: FloatResult<D::Bits>) -> Option<D::Bits> {
    d.raise(&result.flags);
    Some(result.bits)
}

/// One of two values, by a condition that may be poison; the poison of the other one does not count.
pub fn chosen<D: AnyDomain + ?Sized>(
    d: &mut D,
    (condition, poison): (&D::Bool, &D::Bool),
    one: &Value<D>,
    other: &Value<D>,
) -> Value<D> {
    let of_value = d.bool_ite(condition, &one.poison, &other.poison);
    Value::new(d.ite(condition, &one.bits, &other.bits), d.bool_or(poison, &of_value))
}

/// An instruction that computes nothing: a jump or a return, which the walker follows.
pub fn jump_free<D: AnyDomain + ?Sized>(d: &mut D) -> MachineEvaluation<D> {
    MachineEvaluation { results: SmallVec::new(), ub: d.boolean(false), taken: None, to: None }
}

/// The instructions around a call leave the stack pointer, their last source, as it was: the prologue has made room for
/// arguments on the stack.
pub fn call_frame<D: AnyDomain + ?Sized>(
    d: &mut D,
    inst: &InstData,
    sources: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let stack_pointer = sources.values.last().ok_or_else(|| Unsupported::malformed(inst.opcode))?;
    Ok(MachineEvaluation { results: smallvec![stack_pointer.clone()], ub: d.boolean(false), taken: None, to: None })
}

/// The load or store of a row, at base plus offset, or at base plus register: a load gives its value extended to the
/// register.
pub fn access<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    row: &InstrDesc,
    access: Access,
    inst: &InstData,
    sources: &Sources<D>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let malformed = || Unsupported::malformed(row.name);
    let is_store = row.flags.contains(OpcodeFlags::STORE);
    let (value, place) = sources.values.split_at_checked(is_store.into()).ok_or_else(malformed)?;
    let base = place.first().ok_or_else(malformed)?;
    let (address, misplaced) = match in_page(d, target, (row, inst), base) {
        Some(placed) => placed,
        None => (address(d, row, inst, (base, place.get(1)))?, d.boolean(false)),
    };
    let class = row.operands.first().and_then(OperandDesc::class);
    let mut evaluation = access_at(d, target, (row, access, class), inst, (value.first(), &address))?;
    evaluation.ub = d.bool_or(&evaluation.ub, &misplaced);
    Ok(evaluation)
}

/// The load or store of a row at `address`: a store of `value`, or a load into a register of the class.
///
/// # Errors
/// Operands that are not the row's.
pub fn access_at<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    (row, access, class): (&InstrDesc, Access, Option<RegClass>),
    inst: &InstData,
    (value, address): (Option<&Value<D>>, &Value<D>),
) -> Result<MachineEvaluation<D>, Unsupported> {
    let malformed = || Unsupported::malformed(row.name);
    let (results, outside) = match value {
        // A machine may lack an instruction of its family: it has no registers so wide.
        Some(value) if d.width(&value.bits) < access.bits() => return Err(malformed()),
        Some(value) => {
            let low = d.extract(&value.bits, 0, access.bits());
            let operand = memory_operand(inst, access, MemFlags::STORE)?;
            (SmallVec::new(), d.store(&address.bits, &low, &value.poison, &operand))
        }
        None => {
            let class = class.ok_or_else(malformed)?;
            let (width, operand) = (target.class(class).bits, memory_operand(inst, access, MemFlags::LOAD)?);
            if width < access.bits() {
                return Err(malformed());
            }
            let (value, poison, outside) = d.load(&address.bits, access.bytes.into(), &operand);
            // The only effect of a load is that it reserves its bytes.
            if row.flags.contains(OpcodeFlags::SIDE_EFFECTS) {
                d.reserve(Some((&address.bits, access.bytes.into())));
            }
            let bits = match access.extension {
                Extension::Sign => d.sext(&value, width),
                Extension::Zero => d.zext(&value, width),
            };
            (smallvec![Value::new(bits, poison)], outside)
        }
    };
    let ub = d.bool_or(&outside, &address.poison);
    Ok(MachineEvaluation { results, ub, taken: None, to: None })
}

/// The address of an access whose offset is the low part of a symbol's address, and the condition under which no
/// relocation makes it, because that counts in units; `None` if the offset is something else.
fn in_page<D: AnyDomain + ?Sized>(
    d: &mut D,
    target: &Target,
    (row, inst): (&InstrDesc, &InstData),
    base: &Value<D>,
) -> Option<(Value<D>, D::Bool)> {
    let (symbol, flags) = d.linked(0)?;
    let (scale, part) = offset_in_page(target, row, inst, flags)?;
    Some(address_in_page(d, (scale, part), base, &symbol))
}

/// The units in which the row counts the offset of an access, and the part of a symbol's address that it is, by the
/// symbol's flags; `None` if it is something else.
pub fn offset_in_page(
    target: &Target,
    row: &InstrDesc,
    inst: &InstData,
    flags: TargetFlags,
) -> Option<(i64, AddressPart)> {
    let (place, _, scale) = row.address()?;
    matches!(inst.operands.get(place + 1), Some(Operand::Address(_))).then_some(())?;
    let part = target.address_part(flags)?;
    matches!(part, AddressPart::Low | AddressPart::SignedLow).then_some((scale, part))
}

/// A base plus the low part of a symbol's address, and the condition under which no relocation that counts in units of
/// `scale` bytes makes it.
pub fn address_in_page<D: Domain + ?Sized>(
    d: &mut D,
    (scale, part): (i64, AddressPart),
    base: &Value<D>,
    symbol: &D::Bits,
) -> (Value<D>, D::Bool) {
    let low = part.of(d, symbol);
    let address = d.add(&base.bits, &low);
    let rest = d.literal(scale - 1, d.width(&address));
    let rest = d.and(&address, &rest);
    let is_whole = d.is_zero(&rest);
    let misplaced = d.bool_not(&is_whole);
    (Value::new(address, base.poison.clone()), misplaced)
}

/// The address that a row accesses, by its base and the register after it: base plus offset, base plus register, or the
/// base alone.
///
/// # Errors
/// Operands that are not the row's.
pub fn address<D: Domain + ?Sized>(
    d: &mut D,
    row: &InstrDesc,
    inst: &InstData,
    (base, index): (&Value<D>, Option<&Value<D>>),
) -> Result<Value<D>, Unsupported> {
    let malformed = || Unsupported::malformed(row.name);
    let width = d.width(&base.bits);
    if let Some((place, _, scale)) = row.address() {
        let offset = inst.imm(place + 1).ok_or_else(malformed)?.wrapping_mul(scale);
        let offset = d.literal(offset, width);
        return Ok(Value::new(d.add(&base.bits, &offset), base.poison.clone()));
    }
    let Some(place) = row.index() else { return Ok(base.clone()) };
    let (index, access) = (index.ok_or_else(malformed)?, row.access.ok_or_else(malformed)?);
    let flag = |place: usize| inst.imm(place).map(|flag| flag == 1).ok_or_else(malformed);
    let (is_signed, counts_units) = (flag(place + 1)?, flag(place + 2)?);
    let distance = match is_signed {
        true => d.sext(&index.bits, width),
        false => d.zext(&index.bits, width),
    };
    let units = if counts_units { access.bytes.trailing_zeros() } else { 0 };
    let units = d.literal(units.into(), width);
    let distance = d.shl(&distance, &units);
    Ok(Value::new(d.add(&base.bits, &distance), d.bool_or(&base.poison, &index.poison)))
}

/// What a row loads from an address, unextended, and the condition under which that is undefined.
pub fn loaded<D: AnyDomain + ?Sized>(
    d: &mut D,
    access: Access,
    inst: &InstData,
    address: &Value<D>,
) -> Result<(Value<D>, D::Bool), Unsupported> {
    let operand = memory_operand(inst, access, MemFlags::LOAD)?;
    let (bits, poison, outside) = d.load(&address.bits, access.bytes.into(), &operand);
    Ok((Value::new(bits, poison), d.bool_or(&outside, &address.poison)))
}

/// A row that reads memory, changes what it read, and writes it back in one: `update` gives the new value, of the
/// access's width, for the old one. Its memory operand says `directions` at least. Returns the old value, and the
/// condition under which the access is undefined.
pub fn read_modify_write<D: AnyDomain + ?Sized>(
    d: &mut D,
    (access, directions): (Access, MemFlags),
    inst: &InstData,
    address: &Value<D>,
    update: impl FnOnce(&mut D, &Value<D>) -> Value<D>,
) -> Result<(Value<D>, D::Bool), Unsupported> {
    let mut operand = memory_operand(inst, access, directions)?;
    operand.flags |= MemFlags::LOAD | MemFlags::STORE;
    let (bits, poison, unreadable) = d.load(&address.bits, access.bytes.into(), &operand);
    let old = Value::new(bits, poison);
    let new = update(d, &old);
    let unwritable = d.store(&address.bits, &new.bits, &new.poison, &operand);
    let outside = d.bool_or(&unreadable, &unwritable);
    Ok((old, d.bool_or(&outside, &address.poison)))
}

/// The access as memory sees it: as the instruction's memory operand says, and as aligned as the machine needs it.
fn memory_operand(inst: &InstData, access: Access, flags: MemFlags) -> Result<MemOperand, Unsupported> {
    let ty = Type::scalar(access.bits());
    let own = MemOperand::new(flags, ty, access.align.into());
    let Some(claimed) = inst.memory.first() else { return Ok(own) };
    let bits = claimed.ty.map_or(access.bits(), |ty| ty.bits().next_multiple_of(8));
    match bits == access.bits() && claimed.flags.contains(flags) {
        // The row says how the access is ordered; of one that orders nothing, the operand says whether it is atomic.
        true => Ok(MemOperand {
            flags: claimed.flags,
            align: own.align.max(claimed.align),
            ordering: match claimed.is_atomic() || !access.ordering.fenced().is_empty() {
                true => access.ordering,
                false => own.ordering,
            },
            ..own
        }),
        false => Err(Unsupported::new("a memory operand of another access")),
    }
}

/// The address `distance` bytes from the instruction.
pub fn from_here<D: AnyDomain + ?Sized>(d: &mut D, inst: &InstData, distance: i64) -> Result<D::Bits, Unsupported> {
    let here = place(d, inst)?.address;
    let distance = d.literal(distance, d.width(&here));
    Ok(d.add(&here, &distance))
}

fn place<D: AnyDomain + ?Sized>(d: &D, inst: &InstData) -> Result<CodePlace<D::Bits>, Unsupported> {
    d.place().ok_or_else(|| Unsupported::new(format!("{} before code is placed", inst.opcode)))
}

/// A jump that leaves the address of the next instruction in its definition, if it has one, and goes to `to`, or to its
/// label.
pub fn jump<D: AnyDomain + ?Sized>(
    d: &mut D,
    inst: &InstData,
    to: Option<D::Bits>,
) -> Result<MachineEvaluation<D>, Unsupported> {
    let mut evaluation = jump_free(d);
    if inst.defs().next().is_some() {
        let bytes = place(d, inst)?.bytes;
        let bits = from_here(d, inst, bytes.into())?;
        evaluation.results.push(Value::new(bits, d.boolean(false)));
    }
    evaluation.to = to;
    Ok(evaluation)
}

/// The operand of an instruction that shifts it: to the left, to the right, or with the sign, by the low six bits of
/// `by`. `None` for a rotation. See [`crate::instructions::ImmRange::ShiftedBy`].
pub fn shifted_by<D: Domain + ?Sized>(d: &mut D, value: &D::Bits, by: i64) -> Option<D::Bits> {
    let amount = d.literal(by & 0x3f, d.width(value));
    Some(match by >> 6 {
        0 => d.shl(value, &amount),
        1 => d.lshr(value, &amount),
        2 => d.ashr(value, &amount),
        _ => return None,
    })
}

/// A part of a register, extended to the width and then moved up: the extension stands above three bits of shift. See
/// [`crate::instructions::ImmRange::Extension`].
pub fn extended_by<D: Domain + ?Sized>(d: &mut D, source: &D::Bits, width: u32, by: i64) -> D::Bits {
    let (extension, shift) = (by >> 3, by & 7);
    let part = (8u32 << (extension & 3)).min(d.width(source));
    let part = d.extract(source, 0, part);
    let whole = if extension & 4 == 0 { d.zext(&part, width) } else { d.sext(&part, width) };
    let shift = d.literal(shift, width);
    d.shl(&whole, &shift)
}
