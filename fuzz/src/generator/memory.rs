//! Loads, stores, memory functions and atomic accesses inside buffers and stack objects.

use super::atomics::monotonic;
use super::{Entry, Generator, Place, SMALL};
use arbitrary::Result;
use smallvec::SmallVec;
use tribunal_ir::types::{S1, S8, S16, S32, S64};
use tribunal_ir::{
    AtomicOrdering, Family, InstData, MemFlags, MemOperand, Opcode, Operand, SlotKind, StackObject, Type, VReg,
};
use tribunal_target::environment::MemoryFunction;

/// Usual sizes of accesses in bits: every whole number of bytes up to eight.
const ACCESS_BITS: [u32; 8] = [8, 16, 24, 32, 40, 48, 56, 64];
/// Stack objects, in bytes: a multiple of eight, so that eight-byte stores initialise them.
const OBJECT_BYTES: [u32; 6] = [8, 8, 16, 16, 32, 64];
/// Their alignment in bytes.
const OBJECT_ALIGN: u32 = 8;

impl Generator<'_, '_, '_> {
    /// Up to two stack objects, every byte written, so that no load from them is poison.
    pub(super) fn stack_objects(&mut self) -> Result<()> {
        if !self.policy.memory {
            return Ok(());
        }
        for index in 0..*self.u.choose(if self.policy.statements <= SMALL { &[0, 0, 0, 0, 1] } else { &[0, 1, 2] })? {
            let bytes = *self.u.choose(&OBJECT_BYTES)?;
            let object = StackObject {
                name: format!("object{index}"),
                ..StackObject::new(SlotKind::Default, bytes.into(), OBJECT_ALIGN)
            };
            let slot = self.builder.function.stack.push(object);
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
        match self.u.int_in_range(0..=15)? {
            0..=1 => return self.same_place(),
            2 => return self.memory_function(),
            3 => return self.atomic_access(),
            4..=9 if self.policy.atomics && self.has_atomics() => return self.atomic_operation(),
            10 if self.u.ratio(1, 4)? => return self.prefetch(),
            _ => {}
        }
        let place = *self.u.choose(&self.pointers)?;
        self.access_in(place)
    }

    /// A load or a store in this place.
    pub(super) fn access_in(&mut self, place: Place) -> Result<()> {
        let bits = if self.u.ratio(3, 4)? { *self.u.choose(&ACCESS_BITS)? } else { self.scalar()?.bits() };
        let memory = Type::scalar(bits);
        if memory.bytes() > place.bytes {
            return self.expression();
        }
        if bits.is_multiple_of(8) && self.u.ratio(1, 12)? {
            return self.indexed_access(place, memory);
        }
        let (address, align) = self.address(place, memory.bytes())?;
        if self.u.ratio(1, 4)? {
            self.pointers.push(Place { base: address, bytes: memory.bytes(), align });
        }
        let pointer = self.pointer_type();
        let is_pointer = bits == pointer.bits() && self.u.ratio(1, 4)?;
        if self.u.arbitrary()? {
            let value = self.right_value(memory, true)?.register;
            let (value, ty) = match is_pointer {
                true => (self.builder.op(pointer, Opcode::G_INTTOPTR, &[value]), pointer),
                false => (value, memory),
            };
            self.builder.store(value, address, MemOperand::new(MemFlags::STORE, ty, align));
            return Ok(());
        }
        if is_pointer {
            let operand = MemOperand::new(MemFlags::LOAD, pointer, align);
            let register = self.builder.load(Opcode::G_LOAD, pointer, address, operand);
            let number = self.as_number(Entry { register, ty: pointer, deterministic: true });
            self.scope.push(number);
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

    /// A load to a register of numbers, or a store of one.
    pub(super) fn access_of_number(&mut self, opcode: Opcode, ty: Type) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        if ty.bytes() > place.bytes {
            return self.expression();
        }
        let (address, align) = self.address(place, ty.bytes())?;
        if opcode == Opcode::G_STORE {
            let value = self.in_register_of_numbers(ty, true)?;
            self.builder.store(value.register, address, MemOperand::new(MemFlags::STORE, ty, align));
            return Ok(());
        }
        let loaded = self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, align));
        let entry = self.read_as_number(Entry { register: loaded, ty, deterministic: true })?;
        self.scope.push(entry);
        Ok(())
    }

    /// A load or a store in `place` that steps its address to another one there.
    fn indexed_access(&mut self, place: Place, memory: Type) -> Result<()> {
        let last = place.bytes - memory.bytes();
        let (from, to) = (self.u.int_in_range(0..=last)?, self.u.int_in_range(0..=last)?);
        let is_before: bool = self.u.arbitrary()?;
        let aligned =
            |offset: u32| if offset == 0 { place.align } else { place.align.min(1 << offset.trailing_zeros()) };
        let align = aligned(if is_before { to } else { from }).min(memory.bytes().next_power_of_two());
        let base = self.offset_by(place.base, from);
        let step = self.builder.constant_i64(self.register_type(), i64::from(to) - i64::from(from));
        let pointer = self.pointer_type();
        let stepped = self.builder.function.new_vreg(pointer);
        let place_of_access = [Operand::used(base), Operand::used(step), Operand::Imm(is_before.into())];
        let (opcode, results, flags) = if self.u.arbitrary()? {
            let value = self.right_value(memory, true)?;
            (Opcode::G_INDEXED_STORE, vec![Operand::def(stepped), Operand::used(value.register)], MemFlags::STORE)
        } else {
            let narrow = memory.bits() < 64;
            let (opcode, ty) = match self.u.int_in_range(0..=2)? {
                0 if narrow => (Opcode::G_INDEXED_ZEXTLOAD, self.u.int_in_range(memory.bits() + 1..=64)?),
                1 if narrow => (Opcode::G_INDEXED_SEXTLOAD, self.u.int_in_range(memory.bits() + 1..=64)?),
                _ => (Opcode::G_INDEXED_LOAD, memory.bits()),
            };
            let ty = Type::scalar(ty);
            let register = self.builder.function.new_vreg(ty);
            self.scope.push(Entry { register, ty, deterministic: true });
            (opcode, vec![Operand::def(register), Operand::def(stepped)], MemFlags::LOAD)
        };
        let data = InstData::new(opcode, results.into_iter().chain(place_of_access));
        self.builder.push(data.with_memory(MemOperand::new(flags, memory, align)));
        self.pointers.push(Place { base: stepped, bytes: place.bytes - to, align: aligned(to) });
        Ok(())
    }

    /// A fence whose ordering and scope, its operands 0 and 1, are accepted.
    pub(super) fn fence(&mut self, accepts: impl Fn(usize, i64) -> bool) -> Result<()> {
        use AtomicOrdering::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
        let orderings = [Acquire, Release, AcquireRelease, SequentiallyConsistent].map(AtomicOrdering::number);
        let orderings: Vec<i64> = orderings.into_iter().filter(|&number| accepts(0, number)).collect();
        // Most fences are about other threads, not about a signal's handler.
        let scopes: Vec<i64> = [1, 1, 1, 0].into_iter().filter(|&scope| accepts(1, scope)).collect();
        let operands = [*self.u.choose(&orderings)?, *self.u.choose(&scopes)?].map(Operand::Imm);
        self.builder.push(InstData::new(Opcode::G_FENCE, operands));
        Ok(())
    }

    /// The type of the value of an ordered access of `ty`: now and then a register's, of which it is a part.
    fn accessed_type(&mut self, opcode: Opcode, ty: Type, memory: &MemOperand) -> Result<Type> {
        let register = self.register_type();
        let is_wider = ty.bits() < register.bits() && self.u.ratio(1, 4)?;
        Ok(if is_wider && self.accesses(opcode, register, memory) { register } else { ty })
    }

    /// A fence, an ordered load or store, or a compare-and-exchange, at a natural alignment.
    fn atomic_access(&mut self) -> Result<()> {
        use AtomicOrdering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent};
        let fences = [Acquire, Release, AcquireRelease, SequentiallyConsistent];
        let place = *self.u.choose(&self.pointers)?;
        let most = place.bytes.min(place.align).min(2 * self.register_type().bytes());
        let kind = self.u.int_in_range(0..=3)?;
        let mut bytes = 1u32 << self.u.int_in_range(0..=most.ilog2())?;
        let wide = [(Opcode::G_LOAD, MemFlags::LOAD), (Opcode::G_STORE, MemFlags::STORE)];
        let whole = Type::scalar(8 * bytes);
        // Not every machine has accesses of two registers.
        if !wide.iter().all(|&(opcode, flags)| self.accesses(opcode, whole, &monotonic(flags, whole))) {
            bytes = self.register_type().bytes().min(most);
        }
        match kind {
            0 => self.fence(|_, _| true),
            1 => self.ordered_access(Opcode::G_STORE, place, bytes),
            3 if self.has_atomics() && bytes <= self.register_type().bytes() => {
                let ty = Type::scalar(8 * bytes);
                let address = self.address_in(place, bytes)?;
                let (expected, new) = (self.value(ty, true)?, self.right_value(ty, true)?);
                let memory = MemOperand {
                    ordering: *self.u.choose(&fences)?,
                    failure_ordering: *self.u.choose(&[Monotonic, Acquire, SequentiallyConsistent])?,
                    ..MemOperand::new(MemFlags::LOAD | MemFlags::STORE, ty, bytes)
                };
                let results = [ty, S1].map(|ty| self.builder.function.new_vreg(ty));
                let operands = results.into_iter().map(Operand::def);
                let sources = [address, expected.register, new.register].map(Operand::used);
                let data = InstData::new(Opcode::G_ATOMIC_CMPXCHG_WITH_SUCCESS, operands.chain(sources));
                self.builder.push(data.with_memory(memory));
                let entries = results.into_iter().zip([ty, S1]);
                self.scope.extend(entries.map(|(register, ty)| Entry { register, ty, deterministic: true }));
                Ok(())
            }
            _ => self.ordered_access(Opcode::G_LOAD, place, bytes),
        }
    }

    /// The address of one of the elements of `bytes` bytes that the place has room for.
    pub(super) fn address_in(&mut self, place: Place, bytes: u32) -> Result<VReg> {
        let offset = self.u.int_in_range(0..=place.bytes / bytes - 1)? * bytes;
        Ok(self.offset_by(place.base, offset))
    }

    /// A place with room for so many bytes at their natural alignment.
    pub(super) fn place_of(&mut self, bytes: u32) -> Result<Option<Place>> {
        let fitting: Vec<Place> =
            self.pointers.iter().copied().filter(|place| bytes <= place.bytes.min(place.align)).collect();
        if fitting.is_empty() { Ok(None) } else { self.u.choose(&fitting).copied().map(Some) }
    }

    /// A load or a store in one step of `bytes` bytes of the place.
    pub(super) fn ordered_access(&mut self, opcode: Opcode, place: Place, bytes: u32) -> Result<()> {
        use AtomicOrdering::{Acquire, Monotonic, Release, SequentiallyConsistent};
        let ty = Type::scalar(8 * bytes);
        let address = self.address_in(place, bytes)?;
        let is_store = opcode == Opcode::G_STORE;
        let (flags, most) = if is_store { (MemFlags::STORE, Release) } else { (MemFlags::LOAD, Acquire) };
        let ordering = *self.u.choose(&[Monotonic, most, SequentiallyConsistent])?;
        let memory = MemOperand { ordering, ..MemOperand::new(flags, ty, bytes) };
        let whole = self.accessed_type(opcode, ty, &memory)?;
        if is_store {
            let value = self.right_value(whole, true)?;
            self.builder.store(value.register, address, memory);
            return Ok(());
        }
        let register = self.builder.load(opcode, whole, address, memory);
        self.scope.push(Entry { register, ty: whole, deterministic: whole == ty });
        Ok(())
    }

    /// A memory function on ranges of one place: apart from each other where they must not overlap.
    fn memory_function(&mut self) -> Result<()> {
        let opcode = *self.u.choose(Family::MemoryFunction.opcodes())?;
        let Some((info, function)) = opcode.info().zip(MemoryFunction::of_opcode(opcode)) else {
            return self.expression();
        };
        let place = *self.u.choose(&self.pointers)?;
        let room = if function == MemoryFunction::Copy { place.bytes / 2 } else { place.bytes };
        let most = self.u.int_in_range(0..=room)?;
        // A length that is a value is masked, so that it stays inside.
        let (length, most) = match opcode != Opcode::G_MEMCPY_INLINE && self.u.ratio(1, 4)? {
            true => {
                let ty = *self.u.choose(&[self.register_type(), S32, S16])?;
                let mask = (1u32 << (most + 1).ilog2()) - 1;
                let (value, mask_register) = (self.value(ty, true)?, self.builder.constant_i64(ty, mask.into()));
                (self.builder.op(ty, Opcode::G_AND, &[value.register, mask_register]), mask)
            }
            false => (self.builder.constant_i64(self.register_type(), most.into()), most),
        };
        let halves = if self.u.arbitrary()? { [0, place.bytes / 2] } else { [place.bytes / 2, 0] };
        let (mut operands, mut memory) = (Vec::new(), SmallVec::new());
        let addresses = info.uses.iter().filter(|kind| kind.must_be_pointer()).count();
        for (half, direction) in halves.into_iter().zip([MemFlags::STORE, MemFlags::LOAD]).take(addresses) {
            let first = if function == MemoryFunction::Copy { half } else { 0 };
            let offset = first + self.u.int_in_range(0..=room - most)?;
            let align = place.align.min(1 << offset.trailing_zeros().min(8));
            let align = if self.u.ratio(1, 4)? { 1 } else { align };
            operands.push(Operand::used(self.offset_by(place.base, offset)));
            memory.push(MemOperand::new(direction, S8, align));
        }
        if opcode == Opcode::G_MEMSET {
            operands.push(Operand::used(self.right_value(S8, true)?.register));
        }
        operands.push(Operand::used(length));
        operands.extend(info.uses.iter().filter(|kind| kind.is_immediate()).map(|_| Operand::Imm(0)));
        self.builder.push(InstData { memory, ..InstData::new(opcode, operands) });
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
    pub(super) fn address(&mut self, place: Place, size: u32) -> Result<(VReg, u32)> {
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

    /// Stores a value to bytes of the first buffer that nothing else touches. False once they are used up.
    pub(super) fn store_result(&mut self, entry: Entry) -> bool {
        let bytes = entry.ty.bytes();
        let align = bytes.next_power_of_two().min(self.target.register_bytes());
        let offset = self.next_result.next_multiple_of(align);
        if offset + bytes > super::BUFFER_BYTES {
            return false;
        }
        let whole = Type::scalar(bytes * 8);
        let value = match whole == entry.ty {
            true => entry.register,
            false => self.builder.op(whole, Opcode::G_ZEXT, &[entry.register]),
        };
        let address = self.offset_by(self.pointers[0].base, offset);
        self.builder.store(value, address, MemOperand::new(MemFlags::STORE, whole, align));
        self.next_result = offset + bytes;
        true
    }
}
