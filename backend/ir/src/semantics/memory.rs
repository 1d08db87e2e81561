//! Memory as the opcodes see it: little-endian bytes behind an address, each a value or poison.
//!
//! It is the memory of one thread. An atomic access reads and writes it as any other does. Its operand says how it is
//! ordered, and one that reads and writes in one has both directions in the operand of each half.

use super::{Domain, Value};
use crate::entities::{FixedSlot, StackSlot};
use crate::memory::MemOperand;
use crate::ordering::FencedPairs;

/// The meaning of loads, stores and frame addresses. An access outside its allocation, or less aligned than it claims,
/// is undefined behaviour, and is *returned* as the condition under which it happens.
pub trait Memory<D: Domain> {
    /// Reads `bytes` bytes at `address` (as wide as a pointer); the result has `8 * bytes` bits.
    fn load(&mut self, domain: &mut D, address: &D::Bits, bytes: u32, operand: &MemOperand) -> (Value<D>, D::Bool);

    /// Writes a value of a whole number of bytes.
    fn store(&mut self, domain: &mut D, address: &D::Bits, value: &Value<D>, operand: &MemOperand) -> D::Bool;

    /// Keeps accesses before and after in order, as other threads see them. One thread alone sees no difference.
    fn fence(&mut self, _domain: &mut D, _pairs: FencedPairs) {}

    /// Reserves so many bytes at an address, for [`Memory::loses_reservation`]; `None` gives the reservation up.
    fn reserve(&mut self, _domain: &mut D, _place: Option<(&D::Bits, u32)>) {}

    /// One bit: whether a store to these bytes fails since no reservation of them is left. It may always fail, so this
    /// is a choice, unless the memory follows one execution.
    fn loses_reservation(&mut self, domain: &mut D, _address: &D::Bits, _bytes: u32) -> D::Bits {
        domain.choose(1)
    }

    /// The address of a stack object.
    fn frame_address(&mut self, domain: &mut D, slot: StackSlot, bits: u32) -> D::Bits;

    /// The address of an object in the caller's frame: an argument on the stack.
    fn fixed_address(&mut self, domain: &mut D, slot: FixedSlot, bits: u32) -> D::Bits;

    /// True where the address `to` is in another object than `from`, or in none. The address after an object's last
    /// byte is in it. A memory that knows no objects takes each half of the address space for one: none is larger.
    fn leaves_object(&mut self, domain: &mut D, from: &D::Bits, to: &D::Bits) -> D::Bool {
        let [from, to] = [from, to].map(|address| domain.is_negative(address));
        let (is_above, stays_below) = (domain.bool_not(&to), to);
        domain.bool_ite(&from, &is_above, &stays_below)
    }

    /// True where so many bytes are not all of one object: an access of several elements is undefined there, as that of
    /// one value is. A memory that knows no objects takes them to be.
    fn leaves_one_object(&mut self, domain: &mut D, _start: &D::Bits, _bytes: u32) -> D::Bool {
        domain.boolean(false)
    }
}

/// No memory at all: every access is undefined behaviour. For constant folding and for code that has none.
pub struct Pure;

impl<D: Domain> Memory<D> for Pure {
    fn load(&mut self, domain: &mut D, _: &D::Bits, bytes: u32, _: &MemOperand) -> (Value<D>, D::Bool) {
        let value = Value::new(domain.literal(0, 8 * bytes), domain.boolean(true));
        (value, domain.boolean(true))
    }

    fn store(&mut self, domain: &mut D, _: &D::Bits, _: &Value<D>, _: &MemOperand) -> D::Bool {
        domain.boolean(true)
    }

    fn frame_address(&mut self, domain: &mut D, _: StackSlot, bits: u32) -> D::Bits {
        domain.literal(0, bits)
    }

    fn fixed_address(&mut self, domain: &mut D, _: FixedSlot, bits: u32) -> D::Bits {
        domain.literal(0, bits)
    }
}
