//! Loads and stores: rounded to bytes, split to powers of two that the alignment allows, halved when too wide.

use super::recipe::Recipe;
use tribunal_ir::{InstData, MemFlags, MemOperand, Opcode, Operand, Pointer, Type, VReg};

/// The access, and its size in bits; `None` for an atomic one of no whole number of bytes.
fn access(r: &Recipe<'_>) -> Option<(MemOperand, u32)> {
    let [memory] = r.data.memory.as_slice() else { return None };
    let bits = memory.ty?.bits();
    (!memory.is_atomic() || bits.is_multiple_of(8)).then_some((*memory, bits))
}

/// False for an atomic access: split, it would no longer be a single one. A volatile access that the machine cannot
/// make whole is split in ascending order, as in LLVM.
fn is_divisible(memory: &MemOperand) -> bool {
    !memory.is_atomic()
}

/// A load of more bits than a register holds.
pub(super) fn narrow_load(r: &mut Recipe<'_>, ty: Type) -> bool {
    let Some((memory, bits)) = access(r) else { return false };
    let (dst, pointer) = (r.dst(), r.register(1));
    let whole = r.bits_of(dst);
    if bits <= ty.bits() {
        // The access fits the part: the opcode says which bits are above it.
        let opcode = if bits == ty.bits() { Opcode::G_LOAD } else { r.data.opcode };
        let low = r.builder.load(opcode, ty, pointer, memory);
        let extension = match r.data.opcode {
            Opcode::G_ZEXTLOAD => Opcode::G_ZEXT,
            Opcode::G_SEXTLOAD => Opcode::G_SEXT,
            _ => Opcode::G_ANYEXT,
        };
        r.define_resized(dst, extension, low);
        return true;
    }
    if !is_divisible(&memory) || bits != whole || !whole.is_multiple_of(ty.bits()) {
        return false;
    }
    let parts: Vec<VReg> = (0..whole / ty.bits())
        .map(|index| {
            let offset = index * ty.bytes();
            let address = r.pointer_plus(pointer, offset);
            r.builder.load(Opcode::G_LOAD, ty, address, memory.part(offset, ty))
        })
        .collect();
    r.merge(dst, &parts);
    true
}

/// A store of more bits than a register holds.
pub(super) fn narrow_store(r: &mut Recipe<'_>, ty: Type) -> bool {
    let Some((memory, bits)) = access(r) else { return false };
    let (value, pointer) = (r.register(0), r.register(1));
    let whole = r.bits_of(value);
    if bits <= ty.bits() {
        let low = r.op(ty, Opcode::G_TRUNC, &[value]);
        r.builder.store(low, pointer, memory);
        return true;
    }
    if !is_divisible(&memory) || bits != whole || !whole.is_multiple_of(ty.bits()) {
        return false;
    }
    for (index, part) in (0u32..).zip(r.unmerge(ty, value)) {
        let offset = index * ty.bytes();
        let address = r.pointer_plus(pointer, offset);
        r.builder.store(part, address, memory.part(offset, ty));
    }
    true
}

/// The low part, in bits, of a split access of `bits` bits: a power of two bytes that the alignment allows.
fn low_part(bits: u32, align: u32) -> u32 {
    let floor = if bits.is_power_of_two() { bits / 2 } else { 1 << bits.ilog2() };
    floor.min(align.saturating_mul(8)).max(8)
}

pub(super) fn lower_load(r: &mut Recipe<'_>) -> bool {
    let Some((memory, bits)) = access(r) else { return false };
    let (dst, pointer) = (r.dst(), r.register(1));
    if r.type_of(dst).is_pointer() {
        let ty = Type::scalar(bits);
        let value = r.builder.load(r.data.opcode, ty, pointer, MemOperand { ty: Some(ty), ..memory });
        r.define(dst, Opcode::G_INTTOPTR, &[value]);
        return true;
    }
    match bits.is_multiple_of(8) {
        false => load_rounded(r, memory, bits),
        true if is_divisible(&memory) => load_split(r, memory, bits),
        true => return false,
    }
    true
}

/// An access and the sum that its address steps by.
pub(super) fn lower_indexed(r: &mut Recipe<'_>) -> bool {
    let Some((memory, bits)) = access(r) else { return false };
    let opcode = match r.data.opcode {
        Opcode::G_INDEXED_SEXTLOAD => Opcode::G_SEXTLOAD,
        Opcode::G_INDEXED_ZEXTLOAD => Opcode::G_ZEXTLOAD,
        Opcode::G_INDEXED_STORE => Opcode::G_STORE,
        _ => Opcode::G_LOAD,
    };
    let (base, offset, is_store) = (r.register(2), r.register(3), opcode == Opcode::G_STORE);
    let (stepped, value) = if is_store { (r.register(0), r.register(1)) } else { (r.register(1), r.register(0)) };
    if bits > r.bits_of(value) {
        return false;
    }
    let offset = r.resized(Opcode::G_SEXT, offset, Type::scalar(r.bits_of(base)));
    r.define(stepped, Opcode::G_PTR_ADD, &[base, offset]);
    let address = if r.imm(4) != 0 { stepped } else { base };
    let value = if is_store { Operand::used(value) } else { Operand::def(value) };
    let data = InstData::new(opcode, [value, Operand::used(address)]);
    r.builder.push(data.with_memory(memory));
    true
}

/// A size that is no whole number of bytes: the bytes are read, then the bits above are set as the opcode says.
fn load_rounded(r: &mut Recipe<'_>, memory: MemOperand, bits: u32) {
    let (dst, pointer) = (r.dst(), r.register(1));
    let rounded = Type::scalar(bits.next_multiple_of(8));
    let ty = if r.bits_of(dst) < rounded.bits() { rounded } else { r.type_of(dst) };
    let value = r.builder.load(Opcode::G_LOAD, ty, pointer, MemOperand { ty: Some(rounded), ..memory });
    let value = match r.data.opcode {
        Opcode::G_SEXTLOAD => {
            r.builder.build(ty, Opcode::G_SEXT_INREG, [Operand::used(value), Operand::Imm(bits.into())])
        }
        Opcode::G_ZEXTLOAD => {
            let mask = r.mask(ty, bits);
            r.op(ty, Opcode::G_AND, &[value, mask])
        }
        _ => value,
    };
    r.define_resized(dst, Opcode::G_ANYEXT, value);
}

/// Two loads, the high one shifted above the low one.
fn load_split(r: &mut Recipe<'_>, memory: MemOperand, bits: u32) {
    let (dst, pointer) = (r.dst(), r.register(1));
    let ty = Type::scalar(r.bits_of(dst).next_power_of_two());
    let low_bits = low_part(bits, memory.align);
    let (low_ty, high_ty) = (Type::scalar(low_bits), Type::scalar(bits - low_bits));
    let low = r.builder.load(Opcode::G_ZEXTLOAD, ty, pointer, memory.part(0, low_ty));
    let address = r.pointer_plus(pointer, low_bits / 8);
    let high = r.builder.load(r.data.opcode, ty, address, memory.part(low_bits / 8, high_ty));
    let shifted = r.shift(Opcode::G_SHL, high, low_bits);
    let value = r.op(ty, Opcode::G_OR, &[shifted, low]);
    r.define_resized(dst, Opcode::G_ANYEXT, value);
}

pub(super) fn lower_store(r: &mut Recipe<'_>) -> bool {
    let Some((memory, bits)) = access(r) else { return false };
    let (value, pointer) = (r.register(0), r.register(1));
    if r.type_of(value).is_pointer() {
        let ty = Type::scalar(bits);
        let integer = r.op(ty, Opcode::G_PTRTOINT, &[value]);
        r.builder.store(integer, pointer, MemOperand { ty: Some(ty), ..memory });
        return true;
    }
    match bits.is_multiple_of(8) {
        false => store_rounded(r, memory, bits),
        true if is_divisible(&memory) => store_split(r, memory, bits),
        true => return false,
    }
    true
}

/// The last byte is filled up with zeros.
fn store_rounded(r: &mut Recipe<'_>, memory: MemOperand, bits: u32) {
    let (value, pointer) = (r.register(0), r.register(1));
    let rounded = Type::scalar(bits.next_multiple_of(8));
    let ty = if r.bits_of(value) < rounded.bits() { rounded } else { r.type_of(value) };
    let wide = r.resized(Opcode::G_ANYEXT, value, ty);
    let mask = r.mask(ty, bits);
    let clean = r.op(ty, Opcode::G_AND, &[wide, mask]);
    r.builder.store(clean, pointer, MemOperand { ty: Some(rounded), ..memory });
}

/// Two stores, the second of the bits above the first.
fn store_split(r: &mut Recipe<'_>, memory: MemOperand, bits: u32) {
    let (value, pointer) = (r.register(0), r.register(1));
    let ty = Type::scalar(r.bits_of(value).next_power_of_two());
    let wide = r.resized(Opcode::G_ANYEXT, value, ty);
    let low_bits = low_part(bits, memory.align);
    let (low_ty, high_ty) = (Type::scalar(low_bits), Type::scalar(bits - low_bits));
    let high = r.shift(Opcode::G_LSHR, wide, low_bits);
    let address = r.pointer_plus(pointer, low_bits / 8);
    r.builder.store(wide, pointer, memory.part(0, low_ty));
    r.builder.store(high, address, memory.part(low_bits / 8, high_ty));
}

/// A branch through a table: the entry is loaded, and added to the table's address where it is a distance from there.
pub(super) fn lower_table_branch(r: &mut Recipe<'_>) -> bool {
    let (pointer, index) = (r.register(0), r.register(2));
    let ty = r.type_of(pointer);
    let Some((bytes, is_relative)) = r.builder.function.jump_tables.kind.entry(ty.bits() / 8) else { return false };
    let (x, entry) = (Type::scalar(ty.bits()), Type::scalar(8 * bytes));
    // An index counts entries: it has no sign.
    let index = r.resized(Opcode::G_ZEXT, index, x);
    let offset = r.shift(Opcode::G_SHL, index, bytes.trailing_zeros());
    let place = r.op(ty, Opcode::G_PTR_ADD, &[pointer, offset]);
    let memory = MemOperand { pointer: Some(Pointer::JumpTable), ..MemOperand::new(MemFlags::LOAD, entry, bytes) };
    let opcode = if entry == x { Opcode::G_LOAD } else { Opcode::G_SEXTLOAD };
    let value = r.builder.load(opcode, x, place, memory);
    let to = match is_relative {
        true => r.op(ty, Opcode::G_PTR_ADD, &[pointer, value]),
        false => r.op(ty, Opcode::G_INTTOPTR, &[value]),
    };
    r.builder.push(InstData::new(Opcode::G_BRINDIRECT, [Operand::used(to)]));
    true
}
