//! Variable arguments: the list that `va_start` makes, as the calling convention lays it out, and the meaning of the
//! operations on it. Execution, proof and the legalizer take both from here.
//!
//! ```text
//! G_VASTART %list                                    writes every field of the list
//! %value = G_VAARG %list, align                      the next argument, where the list is one pointer
//! G_INTRINSIC_W_SIDE_EFFECTS @llvm.va_copy, %to, %from
//! G_INTRINSIC_W_SIDE_EFFECTS @llvm.va_end, %list     nothing
//! ```
//!
//! A list points into the frame: at the variable arguments that the caller passed on the stack, and at the save areas,
//! to which the entry stores the argument registers that no named parameter has. LLVM's MIR does not say on AArch64
//! which objects those are, so they are found by what call lowering writes.
//!
//! - The first argument has the fixed object that ends where the caller's frame begins: registers are saved right below
//!   the arguments on the stack. Without such an object, it has the one of the highest offset.
//! - A save area is a stack object all of whose bytes the entry fills with the last argument registers of a bank.
//!
//! Invariant: an area that is not recognised is no empty area. It is an error by name.

use crate::Target;
use crate::abi::Passing;
use crate::environment::Environment;
use smallvec::{SmallVec, smallvec};
use tribunal_ir::semantics::walk;
use tribunal_ir::semantics::{Domain, Memory, Unsupported, Value};
use tribunal_ir::{
    Block, FixedSlot, Function, InstData, MemFlags, MemOperand, Opcode, Operand, PReg, Pointer, Reg, RegBank,
    StackSlot, Type, VReg,
};

/// A field of a `va_list`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VaListField {
    /// From the start of the list, in bytes.
    pub offset: u32,
    /// The contents that `va_start` gives it.
    pub content: VaListContent,
}

/// The contents of a field of a `va_list`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VaListContent {
    /// The address of the first argument in the caller's frame, or of the registers that are saved right below.
    FirstArgument,
    /// The address after the save area of a bank.
    EndOfSaveArea(RegBank),
    /// The distance of the save area's start from its end, 32 bits: zero or less.
    BelowEnd(RegBank),
}

/// A field of the list that `va_start` makes in some function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FilledField {
    /// From the start of the list, in bytes.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// Its contents.
    pub value: FieldValue,
}

/// The contents of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// The address so many bytes after the start of a stack object, which is an operand of `G_FRAME_INDEX`.
    Address(Operand, i64),
    /// A number.
    Number(i64),
    /// Anything: the end of an area that has no register, which nobody reads.
    Any,
}

/// The fields of a list, in order.
pub type FilledFields = SmallVec<[FilledField; 5]>;

/// An operation on a list of variable arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VaOperation {
    /// `G_VASTART`: the operand is the list.
    Start,
    /// `G_VAARG`: the operands are the result, the list, and the least alignment of the argument in bytes.
    Argument,
    /// `llvm.va_copy`: the operands are the new list and the old one.
    Copy,
    /// `llvm.va_end`: the operand is the list.
    End,
}

impl VaOperation {
    /// The operation that an instruction stands for; `None` if it is none on a list.
    pub fn of(function: &Function, data: &InstData) -> Option<VaOperation> {
        match data.opcode {
            Opcode::G_VASTART => Some(VaOperation::Start),
            Opcode::G_VAARG => Some(VaOperation::Argument),
            Opcode::G_INTRINSIC_W_SIDE_EFFECTS => {
                let Operand::Intrinsic(name) = *data.operands.first()? else { return None };
                let name = function.symbols.get(name)?.as_str();
                match name.strip_suffix(".p0").unwrap_or(name) {
                    "llvm.va_copy" => Some(VaOperation::Copy),
                    "llvm.va_end" => Some(VaOperation::End),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// True if a function works on lists of variable arguments.
pub fn has_lists(function: &Function) -> bool {
    function.all_insts().any(|inst| VaOperation::of(function, function.inst(inst)).is_some())
}

/// The size of a list, in registers.
pub fn list_words(target: &Target) -> u32 {
    let end = |field: &VaListField| field.offset + target.abi.field_type(field.content, target).bytes();
    let bytes = target.abi.va_list.iter().map(end).max().unwrap_or(0);
    bytes.div_ceil(target.register_bytes())
}

/// The bytes by which a list that is one pointer goes on after an argument: arguments fill whole registers.
pub fn step_bytes(target: &Target, ty: Type) -> u32 {
    ty.bytes().next_multiple_of(target.register_bytes())
}

/// The alignment that an argument needs besides that of a register, in bytes; `None` if it needs no more.
pub fn extra_alignment(target: &Target, data: &InstData) -> Option<i64> {
    let align = data.operands.last().and_then(Operand::as_imm)?;
    (align > target.register_bytes().into()).then_some(align)
}

/// True if lists of the target are one pointer, so that [`VaOperation::Argument`] has a meaning.
pub fn is_pointer(target: &Target) -> bool {
    matches!(target.abi.va_list, [VaListField { content: VaListContent::FirstArgument, .. }])
}

/// The memory operand of a part of the list: as the instruction describes the whole. A list that none describes is as
/// aligned as its type.
pub fn list_operand(target: &Target, data: &InstData, flags: MemFlags, offset: u32, ty: Type) -> MemOperand {
    let directions = MemFlags::LOAD | MemFlags::STORE;
    match data.memory.first() {
        Some(whole) => {
            let flags = flags | (whole.flags - directions);
            MemOperand { flags, metadata: Default::default(), ..whole.part(offset, ty) }
        }
        None => MemOperand::new(flags, ty, target.register_bytes()).part(offset, ty),
    }
}

/// True if the memory operand of `G_VASTART` describes all of the list, and no more.
pub fn describes_list(target: &Target, data: &InstData) -> bool {
    let bits = list_words(target) * u32::from(target.pointer_bits);
    matches!(data.memory.as_slice(), [whole] if whole.ty.is_some_and(|ty| ty.bits() == bits) && !whole.is_atomic())
}

impl crate::abi::Abi {
    fn field_type(&self, content: VaListContent, target: &Target) -> Type {
        match content {
            VaListContent::FirstArgument | VaListContent::EndOfSaveArea(_) => {
                Type::Pointer { address_space: 0, bits: target.pointer_bits }
            }
            VaListContent::BelowEnd(_) => Type::scalar(32),
        }
    }
}

/// The list that `va_start` makes in this function.
///
/// # Errors
/// The name of what is missing: a convention, or an object of the frame.
pub fn filled(target: &Target, function: &Function) -> Result<FilledFields, Unsupported> {
    if target.abi.va_list.is_empty() {
        return Err(Unsupported::new("variable arguments"));
    }
    let mut fields = FilledFields::new();
    for field in target.abi.va_list {
        let value = match field.content {
            VaListContent::FirstArgument => {
                let slot = first_argument(function);
                let slot = slot.ok_or_else(|| Unsupported::new("a list of variable arguments without a first one"))?;
                FieldValue::Address(Operand::FixedStack(slot), 0)
            }
            VaListContent::EndOfSaveArea(bank) => match save_area(target, function, bank)? {
                Some((slot, bytes)) => FieldValue::Address(Operand::Stack(slot), bytes),
                None => FieldValue::Any,
            },
            VaListContent::BelowEnd(bank) => {
                FieldValue::Number(-save_area(target, function, bank)?.map_or(0, |(_, bytes)| bytes))
            }
        };
        fields.push(FilledField { offset: field.offset, ty: target.abi.field_type(field.content, target), value });
    }
    Ok(fields)
}

/// The object in the caller's frame from which on a list reads.
fn first_argument(function: &Function) -> Option<FixedSlot> {
    let objects = || function.fixed_stack.iter().filter(|(_, object)| object.saved.is_none());
    let below =
        objects().find(|(_, object)| object.offset < 0 && object.offset.checked_add_unsigned(object.size) == Some(0));
    below.or_else(|| objects().max_by_key(|(_, object)| object.offset)).map(|(slot, _)| slot)
}

/// The save area of a bank and its bytes; `None` if no register is left for variable arguments, or if the function uses
/// none of them. None is left where a named parameter has the last, or where one found too few and is on the stack:
/// what remains of the registers is not used then.
fn save_area(target: &Target, function: &Function, bank: RegBank) -> Result<Option<(StackSlot, i64)>, Unsupported> {
    let Some(passing) = target.abi.passing.iter().find(|passing| passing.bank == bank) else { return Ok(None) };
    let Some(entry) = function.entry() else { return Ok(None) };
    let stores = saved_registers(target, function, entry, passing);
    let unit = u64::from(target.class(target.bank(bank).class).bits / 8);
    let last = passing.arguments.last().copied();
    let of_last = stores.iter().filter(|(register, ..)| Some(*register) == last);
    for &(_, slot, _) in of_last {
        let size = function.stack.get(slot).map_or(0, |object| object.size);
        let count = usize::try_from(size / unit).unwrap_or(usize::MAX);
        let is_whole = size.is_multiple_of(unit) && (1..=passing.arguments.len()).contains(&count);
        let expected = passing.arguments.iter().rev().take(count).rev().zip((0..).step_by(unit as usize));
        if is_whole && expected.into_iter().all(|(&register, offset)| stores.contains(&(register, slot, offset))) {
            return Ok(Some((slot, size.cast_signed())));
        }
    }
    let is_live = |register: &PReg| {
        let mut live = function.block(entry).liveins.iter();
        live.any(|&(own, _)| target.vocabulary.full_register(own) == *register)
    };
    let on_stack = first_argument(function).and_then(|slot| function.fixed_stack.get(slot));
    let is_full = last.is_some_and(|last| is_live(&last)) || on_stack.is_some_and(|first| first.offset > 0);
    let is_unused = !passing.arguments.iter().any(is_live);
    match (is_full || is_unused) && stores.is_empty() {
        true => Ok(None),
        false => Err(Unsupported::new(format!("a save area of bank {} that is not known", target.bank(bank).name))),
    }
}

/// The argument registers that the entry stores to its own frame as arguments, with the object and the offset in
/// bytes. A store that names a value of the IR is the program's own.
fn saved_registers(
    target: &Target,
    function: &Function,
    entry: Block,
    passing: &Passing,
) -> SmallVec<[(PReg, StackSlot, i64); 8]> {
    let mut stores = smallvec![];
    for inst in function.insts(entry) {
        let data = function.inst(inst);
        let (Opcode::G_STORE, Some(value), Some(address)) = (data.opcode, data.vreg(0), data.vreg(1)) else { continue };
        let pointer = data.memory.first().and_then(|memory| memory.pointer);
        if pointer != Some(Pointer::OutgoingArguments) {
            continue;
        }
        let register = copied_register(target, function, value).filter(|full| passing.arguments.contains(full));
        if let (Some(register), Some((slot, offset))) = (register, place(function, address)) {
            stores.push((register, slot, offset));
        }
    }
    stores
}

/// The whole machine register that a value is a copy of.
pub fn copied_register(target: &Target, function: &Function, value: VReg) -> Option<PReg> {
    let data = function.inst(function.def_of(value)?);
    let source = data.operands.get(1).and_then(Operand::as_reg).filter(|_| data.opcode == Opcode::COPY)?;
    let Reg::Physical(register) = source.reg else { return None };
    (target.vocabulary.full_register(register) == register).then_some(register)
}

/// The stack object that an address is in, and its offset there in bytes.
fn place(function: &Function, address: VReg) -> Option<(StackSlot, i64)> {
    let (mut address, mut offset) = (address, 0i64);
    // A chain as long as the save area has registers.
    for _ in 0..64 {
        let data = function.inst(function.def_of(address)?);
        match (data.opcode, data.operands.get(1)?) {
            (Opcode::G_FRAME_INDEX, Operand::Stack(slot)) => return Some((*slot, offset)),
            (Opcode::G_PTR_ADD, _) => {
                let constant = function.inst(function.def_of(data.vreg(2)?)?);
                let value = function.constant_value(constant.operands.get(1)?)?;
                offset = offset.checked_add(value.to_i64()?)?;
                address = data.vreg(1)?;
            }
            _ => return None,
        }
    }
    None
}

/// Performs an operation on a list; the condition under which it is undefined.
pub fn execute<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    operation: VaOperation,
) -> Result<D::Bool, Unsupported> {
    let operands = data.uses().map(|operand| walk::read(state, operand)).collect::<Result<SmallVec<[_; 2]>, _>>()?;
    let malformed = || Unsupported::malformed(data.opcode);
    match (operation, operands.as_slice()) {
        (VaOperation::Start, [list]) => start(target, state, data, list),
        (VaOperation::Argument, [list]) => argument(target, state, data, list),
        (VaOperation::Copy, [to, from]) => copy(target, state, data, [to, from]),
        (VaOperation::End, [_]) => Ok(state.domain().boolean(false)),
        _ => Err(malformed()),
    }
}

fn start<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    list: &Value<D>,
) -> Result<D::Bool, Unsupported> {
    if !describes_list(target, data) {
        return Err(Unsupported::malformed(data.opcode));
    }
    let fields = filled(target, state.function())?;
    let mut ub = list.poison.clone();
    for FilledField { offset, ty, value } in fields {
        let bits = match value {
            FieldValue::Any => state.chosen_by(data.opcode, |d| d.choose(ty.bits())),
            FieldValue::Number(number) => state.domain().literal(number, ty.bits()),
            FieldValue::Address(object, bytes) => {
                let (d, memory) = state.evaluator();
                let start = match object {
                    Operand::Stack(slot) => memory.frame_address(d, slot, ty.bits()),
                    Operand::FixedStack(slot) => memory.fixed_address(d, slot, ty.bits()),
                    _ => return Err(Unsupported::new("a list of variable arguments in no object")),
                };
                let bytes = d.literal(bytes, ty.bits());
                d.add(&start, &bytes)
            }
        };
        let (d, memory) = state.evaluator();
        let value = Value::new(bits, d.boolean(false));
        let address = moved(d, &list.bits, offset);
        let outside = memory.store(d, &address, &value, &list_operand(target, data, MemFlags::STORE, offset, ty));
        ub = d.bool_or(&ub, &outside);
    }
    Ok(ub)
}

/// The words of one list to another; all are read first.
fn copy<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    [to, from]: [&Value<D>; 2],
) -> Result<D::Bool, Unsupported> {
    let (ty, bytes) = (target.register_type(), target.register_bytes());
    let (d, memory) = state.evaluator();
    let mut ub = d.bool_or(&to.poison, &from.poison);
    let mut words = Vec::new();
    for offset in (0..list_words(target)).map(|word| word * bytes) {
        let address = moved(d, &from.bits, offset);
        let operand = list_operand(target, data, MemFlags::LOAD, offset, ty);
        let (value, outside) = memory.load(d, &address, bytes, &operand);
        ub = d.bool_or(&ub, &outside);
        words.push((offset, value));
    }
    for (offset, value) in words {
        let address = moved(d, &to.bits, offset);
        let outside = memory.store(d, &address, &value, &list_operand(target, data, MemFlags::STORE, offset, ty));
        ub = d.bool_or(&ub, &outside);
    }
    Ok(ub)
}

/// The next argument of a list that is one pointer.
fn argument<D: Domain, S: Environment<D>>(
    target: &Target,
    state: &mut S,
    data: &InstData,
    list: &Value<D>,
) -> Result<D::Bool, Unsupported> {
    let ty = data.vreg(0).and_then(|register| state.function().type_of(register));
    let dst = data.operands.first().and_then(Operand::as_reg);
    let (Some(ty), Some(dst), true) = (ty.filter(|ty| ty.bits().is_multiple_of(8)), dst, is_pointer(target)) else {
        return Err(Unsupported::new(data.opcode.to_string()));
    };
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let (d, memory) = state.evaluator();
    let operand = |flags| list_operand(target, data, flags, 0, pointer);
    let (mut place, unreadable) = memory.load(d, &list.bits, target.register_bytes(), &operand(MemFlags::LOAD));
    if let Some(align) = extra_alignment(target, data) {
        let (more, mask) = (align - 1, -align);
        let (more, mask) = (d.literal(more, pointer.bits()), d.literal(mask, pointer.bits()));
        let above = d.add(&place.bits, &more);
        place.bits = d.and(&above, &mask);
    }
    let next = Value::new(moved(d, &place.bits, step_bytes(target, ty)), place.poison.clone());
    let unwritable = memory.store(d, &list.bits, &next, &operand(MemFlags::STORE));
    let access = argument_operand(target, data, ty);
    let (value, outside) = memory.load(d, &place.bits, ty.bytes(), &access);
    let mut ub = d.bool_or(&list.poison, &unreadable);
    for condition in [&unwritable, &place.poison, &outside] {
        ub = d.bool_or(&ub, condition);
    }
    walk::write(state, dst, value)?;
    Ok(ub)
}

/// The memory operand of the load of an argument. It claims no alignment that memory operands cannot express.
pub fn argument_operand(target: &Target, data: &InstData, ty: Type) -> MemOperand {
    let extra = extra_alignment(target, data).map(|align| u32::try_from(align).unwrap_or(1 << 31));
    MemOperand::new(MemFlags::LOAD, ty, extra.unwrap_or(target.register_bytes()))
}

fn moved<D: Domain>(d: &mut D, address: &D::Bits, bytes: u32) -> D::Bits {
    let bytes = d.literal(bytes.into(), d.width(address));
    d.add(address, &bytes)
}
