//! Byte-wise memory with bounds: the buffers of the input, and the function's stack objects.

use crate::input::{Input, OBJECTS};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Concrete, Memory, Value};
use tribunal_ir::{Function, MemOperand, StackSlot};

/// Some bytes at an address.
struct Allocation {
    address: u64,
    bytes: Vec<u8>,
    /// One flag a byte.
    poison: Vec<bool>,
}

pub(super) struct ConcreteMemory {
    /// Buffers first, then stack objects in order.
    allocations: Vec<Allocation>,
    first_object: usize,
}

impl ConcreteMemory {
    pub fn new(function: &Function, input: &Input) -> ConcreteMemory {
        let buffer = |buffer: &crate::input::Buffer| Allocation {
            address: buffer.address,
            bytes: buffer.bytes.clone(),
            poison: vec![false; buffer.bytes.len()],
        };
        let mut allocations: Vec<Allocation> = input.buffers.iter().map(buffer).collect();
        let first_object = allocations.len();
        let mut address = OBJECTS;
        for object in function.stack.values() {
            // A size that no frame can have is not allocated: every access to it is undefined.
            let size = usize::try_from(object.size).ok().filter(|&size| size <= 1 << 24).unwrap_or(0);
            address = address.next_multiple_of(u64::from(object.align).max(16));
            allocations.push(Allocation { address, bytes: vec![0; size], poison: vec![true; size] });
            // A gap, so that running off one object does not reach the next.
            address += size as u64 + 64;
        }
        ConcreteMemory { allocations, first_object }
    }

    /// The allocation that holds all of `address .. address + bytes`, and the offset in it.
    fn find(&mut self, address: u64, bytes: u32) -> Option<(&mut Allocation, usize)> {
        self.allocations.iter_mut().find_map(|allocation| {
            let offset = usize::try_from(address.checked_sub(allocation.address)?).ok()?;
            let end = offset.checked_add(bytes as usize)?;
            (end <= allocation.bytes.len()).then_some((allocation, offset))
        })
    }

    /// Bytes of the first `count` allocations with a mask of fixed bits each.
    pub fn buffers(&self, count: usize) -> Vec<Vec<(u8, u8)>> {
        let masked = |(&byte, &poison): (&u8, &bool)| (byte, if poison { 0 } else { 0xff });
        let bytes = |allocation: &Allocation| allocation.bytes.iter().zip(&allocation.poison).map(masked).collect();
        self.allocations.iter().take(count).map(bytes).collect()
    }
}

/// True if the access claims an alignment that its address has not.
fn misaligned(address: u64, operand: &MemOperand) -> bool {
    !address.is_multiple_of(u64::from(operand.align.max(1)))
}

impl Memory<Concrete> for ConcreteMemory {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, operand: &MemOperand) -> (Value<Concrete>, bool) {
        let nothing = Value { bits: Bits::zero(8 * bytes), poison: true };
        let address = address.low_u64();
        match self.find(address, bytes) {
            Some((allocation, offset)) if !misaligned(address, operand) => {
                let range = offset..offset + bytes as usize;
                let mut value = 0u128;
                for &byte in allocation.bytes[range.clone()].iter().rev() {
                    value = value << 8 | u128::from(byte);
                }
                let poison = allocation.poison[range].contains(&true);
                (Value { bits: Bits::new(value, 8 * bytes), poison }, false)
            }
            _ => (nothing, true),
        }
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, value: &Value<Concrete>, operand: &MemOperand) -> bool {
        let (address, bytes) = (address.low_u64(), value.bits.width() / 8);
        match self.find(address, bytes) {
            Some((allocation, offset)) if !misaligned(address, operand) => {
                for index in 0..bytes as usize {
                    allocation.bytes[offset + index] = (value.bits.unsigned() >> (8 * index)) as u8;
                    allocation.poison[offset + index] = value.poison;
                }
                false
            }
            _ => true,
        }
    }

    fn frame_address(&mut self, _: &mut Concrete, slot: StackSlot, bits: u32) -> Bits {
        let allocation = self.allocations.get(self.first_object + slot.as_u32() as usize);
        Bits::new(allocation.map_or(0, |allocation| allocation.address).into(), bits)
    }
}
