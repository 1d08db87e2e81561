//! Volatile loads and stores, in a buffer that nothing else touches: there the machine makes the same accesses as the
//! source.
//!
//! Each is one that the target can make whole: at its natural alignment, no wider than a register, a power of two of
//! bytes.

use super::{Entry, Generator, Place};
use arbitrary::Result;
use tribunal_ir::{MemFlags, MemOperand, Opcode, Operand, Type, VReg};

impl Generator<'_, '_, '_> {
    /// Loads, read or not, and stores, often of one place, where one would do if they were plain.
    pub(super) fn volatile_access(&mut self) -> Result<()> {
        let Some(device) = self.device else { return self.expression() };
        let widest = self.register_type().bytes().ilog2();
        let mut bytes = 1 << self.u.int_in_range(0..=widest)?;
        let mut address = self.aligned_address(device, bytes)?;
        for _ in 0..self.u.int_in_range(1..=3)? {
            match self.u.arbitrary()? {
                true => self.volatile_store(address, bytes)?,
                false => self.volatile_load(address, bytes)?,
            }
            if self.u.arbitrary()? {
                bytes = 1 << self.u.int_in_range(0..=widest)?;
                address = self.aligned_address(device, bytes)?;
            }
        }
        Ok(())
    }

    fn volatile_store(&mut self, address: VReg, bytes: u32) -> Result<()> {
        let memory = self.volatile_type(bytes)?;
        let value = self.right_value(memory, true)?;
        let operand = MemOperand::new(MemFlags::STORE | MemFlags::VOLATILE, memory, bytes);
        self.builder.store(value.register, address, operand);
        Ok(())
    }

    fn volatile_load(&mut self, address: VReg, bytes: u32) -> Result<()> {
        let memory = self.volatile_type(bytes)?;
        let operand = MemOperand::new(MemFlags::LOAD | MemFlags::VOLATILE, memory, bytes);
        let wider = memory.bits() + 1..=2 * self.register_type().bits();
        let (opcode, ty) = match self.u.int_in_range(0..=3)? {
            0 => (Opcode::G_ZEXTLOAD, Type::scalar(self.u.int_in_range(wider)?)),
            1 => (Opcode::G_SEXTLOAD, Type::scalar(self.u.int_in_range(wider)?)),
            _ => (Opcode::G_LOAD, memory),
        };
        let register = self.builder.load(opcode, ty, address, operand);
        // A volatile load without a reader must still be made.
        if self.u.ratio(2, 3)? {
            self.scope.push(Entry { register, ty, deterministic: memory.bits().is_multiple_of(8) });
        }
        Ok(())
    }

    /// A type of `bytes` bytes, now and then some bits narrower.
    fn volatile_type(&mut self, bytes: u32) -> Result<Type> {
        let missing = if self.u.ratio(1, 8)? { self.u.int_in_range(0..=7)? } else { 0 };
        Ok(Type::scalar(8 * bytes - missing))
    }

    /// An address in `place` at a multiple of `bytes`, a power of two.
    fn aligned_address(&mut self, place: Place, bytes: u32) -> Result<VReg> {
        // Few places, so that some are accessed twice.
        if self.u.ratio(3, 4)? {
            let slot = self.u.int_in_range(0..=3)?;
            return Ok(self.offset_by(place.base, slot * bytes));
        }
        let register = self.register_type();
        let index = self.value(register, true)?;
        let mask = self.builder.constant_i64(register, i64::from((place.bytes - 1) & !(bytes - 1)));
        let offset = self.builder.op(register, Opcode::G_AND, &[index.register, mask]);
        let operands = [place.base, offset].map(Operand::used);
        Ok(self.builder.build(self.pointer_type(), Opcode::G_PTR_ADD, operands))
    }
}
