//! Loads and stores inside buffers and stack objects.

use super::{Entry, Generator, Place};
use arbitrary::Result;
use tribunal_ir::types::{S8, S64};
use tribunal_ir::{MemFlags, MemOperand, Opcode, Operand, SlotKind, Type, VReg};

/// Usual sizes of accesses in bits: every whole number of bytes up to eight.
const ACCESS_BITS: [u32; 8] = [8, 16, 24, 32, 40, 48, 56, 64];
/// Stack objects, in bytes: a multiple of eight, so that eight-byte stores initialise them.
const OBJECT_BYTES: [u32; 4] = [8, 16, 32, 64];
/// Their alignment in bytes.
const OBJECT_ALIGN: u32 = 8;

impl Generator<'_, '_, '_> {
    /// Up to two stack objects, every byte written, so that no load from them is poison.
    pub(super) fn stack_objects(&mut self) -> Result<()> {
        if !self.policy.memory {
            return Ok(());
        }
        for index in 0..self.u.int_in_range(0..=2)? {
            let bytes = *self.u.choose(&OBJECT_BYTES)?;
            let slot = self.builder.function.stack.push(stack_object(index, bytes));
            let ty = self.pointer_type();
            let base = self.builder.build(ty, Opcode::G_FRAME_INDEX, [Operand::Stack(slot)]);
            for offset in (0..bytes).step_by(8) {
                let value = self.value(S64, true)?;
                let address = self.offset_by(base, offset);
                self.builder.store(value.register, address, MemOperand::new(MemFlags::STORE, S64, 8));
            }
            self.pointers.push(Place { base, bytes, align: OBJECT_ALIGN });
        }
        Ok(())
    }

    /// One load or store.
    pub(super) fn access(&mut self) -> Result<()> {
        if self.u.ratio(1, 8)? {
            return self.same_place();
        }
        let place = *self.u.choose(&self.pointers)?;
        let bits = if self.u.ratio(3, 4)? { *self.u.choose(&ACCESS_BITS)? } else { self.scalar()?.bits() };
        let memory = Type::scalar(bits);
        if memory.bytes() > place.bytes {
            return self.expression();
        }
        let (address, align) = self.address(place, memory.bytes())?;
        if self.u.ratio(1, 4)? {
            self.pointers.push(Place { base: address, bytes: memory.bytes(), align });
        }
        if self.u.arbitrary()? {
            let value = self.right_value(memory, true)?;
            self.builder.store(value.register, address, MemOperand::new(MemFlags::STORE, memory, align));
            return Ok(());
        }
        let operand = MemOperand::new(MemFlags::LOAD, memory, align);
        let entry = match self.u.int_in_range(0..=3)? {
            0 if bits < 64 => self.extending_load(Opcode::G_ZEXTLOAD, address, bits, operand)?,
            1 if bits < 64 => self.extending_load(Opcode::G_SEXTLOAD, address, bits, operand)?,
            _ => {
                let register = self.builder.load(Opcode::G_LOAD, memory, address, operand);
                // A size that is no whole number of bytes requires zeros in the rest of its last byte. Nothing ensures
                // them, so the value is not deterministic.
                Entry { register, ty: memory, deterministic: bits.is_multiple_of(8) }
            }
        };
        self.scope.push(entry);
        Ok(())
    }

    /// A pointer to a place in scope, by way of an integer, a mask or a promise.
    fn same_place(&mut self) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        let pointer = self.pointer_type();
        let base = match self.u.int_in_range(0..=2)? {
            0 => {
                // Every object lies in the low 31 bits.
                let bits = *self.u.choose(&[31, 32, 48, 64, 128])?;
                let address = self.builder.op(Type::scalar(bits), Opcode::G_PTRTOINT, &[place.base]);
                self.builder.op(pointer, Opcode::G_INTTOPTR, &[address])
            }
            1 => {
                let mask = self.builder.constant_i64(self.target.register_type(), -i64::from(place.align));
                self.builder.op(pointer, Opcode::G_PTRMASK, &[place.base, mask])
            }
            _ => {
                let align = Operand::Imm(place.align.into());
                self.builder.build(pointer, Opcode::G_ASSERT_ALIGN, [Operand::used(place.base), align])
            }
        };
        self.pointers.push(Place { base, ..place });
        Ok(())
    }

    fn extending_load(&mut self, opcode: Opcode, address: VReg, bits: u32, operand: MemOperand) -> Result<Entry> {
        let widest = if self.u.ratio(1, 8)? { 128 } else { 64 };
        let ty = Type::scalar(self.u.int_in_range(bits + 1..=widest)?);
        let deterministic = bits.is_multiple_of(8);
        Ok(Entry { register: self.builder.load(opcode, ty, address, operand), ty, deterministic })
    }

    /// An address in `place`, and the alignment (bytes) it may claim, for an access of `size` bytes.
    fn address(&mut self, place: Place, size: u32) -> Result<(VReg, u32)> {
        let (base, last) = (place.base, place.bytes - size);
        let natural = size.next_power_of_two().min(place.align);
        if self.u.ratio(2, 3)? {
            let offset = self.u.int_in_range(0..=last)?;
            let offset = if self.u.ratio(3, 4)? { offset / natural * natural } else { offset };
            let align = if offset == 0 { natural } else { natural.min(1 << offset.trailing_zeros()) };
            let address =
                if self.u.ratio(1, 8)? { self.far_offset(base, offset)? } else { self.offset_by(base, offset) };
            return Ok((address, align));
        }
        // A variable offset: masked to the greatest power of two that fits, so that it stays inside.
        let register = self.register_type();
        let index = self.value(register, true)?;
        let mask = self.builder.constant_i64(register, (1i64 << (last + 1).ilog2()) - 1);
        let offset = self.builder.op(register, Opcode::G_AND, &[index.register, mask]);
        let ty = self.pointer_type();
        Ok((self.builder.op(ty, Opcode::G_PTR_ADD, &[base, offset]), 1))
    }

    /// `base + offset` bytes.
    pub(super) fn offset_by(&mut self, base: VReg, offset: u32) -> VReg {
        if offset == 0 { base } else { self.moved(base, i64::from(offset)) }
    }

    /// `base + distance` bytes, which need not be in the place of `base`.
    pub(super) fn moved(&mut self, base: VReg, distance: i64) -> VReg {
        let distance = self.builder.constant_i64(self.target.register_type(), distance);
        let ty = self.pointer_type();
        self.builder.op(ty, Opcode::G_PTR_ADD, &[base, distance])
    }

    /// Accesses of different widths to a few bytes, which overlap and are no more aligned than they must be.
    pub(super) fn overlap(&mut self) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        let window = place.bytes.min(12);
        for _ in 0..self.u.int_in_range(2..=5)? {
            let bytes = 1u32 << self.u.int_in_range(0..=window.ilog2().min(3))?;
            let offset = self.u.int_in_range(0..=window - bytes)?;
            let address = self.offset_by(place.base, offset);
            let align = if offset == 0 { place.align } else { place.align.min(1 << offset.trailing_zeros()) };
            let memory = Type::scalar(8 * bytes);
            if self.u.arbitrary()? {
                let value = self.value(memory, true)?;
                self.builder.store(value.register, address, MemOperand::new(MemFlags::STORE, memory, align));
            } else {
                let operand = MemOperand::new(MemFlags::LOAD, memory, align);
                let register = self.builder.load(Opcode::G_LOAD, memory, address, operand);
                self.scope.push(Entry { register, ty: memory, deterministic: true });
            }
        }
        Ok(())
    }

    /// Stores a maybe-poison value to bytes of the first buffer that nothing else touches; dropped once they are used
    /// up.
    pub(super) fn store_maybe_poison(&mut self, entry: Entry) {
        let bytes = entry.ty.bytes();
        if self.next_maybe_poison + bytes > super::BUFFER_BYTES {
            return;
        }
        let whole = Type::scalar(bytes * 8);
        let value = match whole == entry.ty {
            true => entry.register,
            false => self.builder.op(whole, Opcode::G_ZEXT, &[entry.register]),
        };
        let address = self.offset_by(self.pointers[0].base, self.next_maybe_poison);
        // In bytes: one by one, so that an undefined high part does not hide a defined low one.
        self.builder.store(value, address, MemOperand::new(MemFlags::STORE, whole, S8.bytes()));
        self.next_maybe_poison += bytes;
    }
}

fn stack_object(index: u32, bytes: u32) -> tribunal_ir::function::StackObject {
    tribunal_ir::function::StackObject {
        name: format!("object{index}"),
        kind: SlotKind::Default,
        size: u64::from(bytes),
        align: OBJECT_ALIGN,
        offset: 0,
        saved: None,
    }
}
