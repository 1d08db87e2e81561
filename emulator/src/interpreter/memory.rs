//! Byte-wise memory with bounds: the buffers of the input, and the function's stack objects.

use crate::input::{Frame, Input, UNWRITTEN};
use crate::observation::{Access, Known};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Memory, Partial, PartialBits, PartialBool, Value};
use tribunal_ir::{Function, MemFlags, MemOperand, StackSlot};

/// Some bytes at an address.
struct Allocation {
    address: u64,
    bytes: Vec<u8>,
    /// Bits of each byte that are open: chosen freely.
    open: Vec<u8>,
    /// One flag a byte.
    poison: Vec<bool>,
}

pub(super) struct ConcreteMemory {
    /// Buffers first, then stack objects in order.
    allocations: Vec<Allocation>,
    first_object: usize,
    /// Accesses to buffers, and whether they are volatile; `None` if nobody asks.
    accesses: Option<Vec<(Access, bool)>>,
}

impl ConcreteMemory {
    pub fn new(function: &Function, input: &Input, frame: Frame, records: bool) -> ConcreteMemory {
        let buffer = |buffer: &crate::input::Buffer| Allocation {
            address: buffer.address,
            bytes: buffer.bytes.clone(),
            open: vec![0; buffer.bytes.len()],
            poison: vec![false; buffer.bytes.len()],
        };
        let mut allocations: Vec<Allocation> = input.buffers.iter().map(buffer).collect();
        let first_object = allocations.len();
        let mut address = frame.address;
        for object in function.stack.values() {
            // A size that no frame can have is not allocated: every access to it is undefined.
            let size = usize::try_from(object.size).ok().filter(|&size| size <= 1 << 24).unwrap_or(0);
            address = address.next_multiple_of(u64::from(object.align).max(16));
            allocations.push(Allocation {
                address,
                bytes: vec![UNWRITTEN; size],
                open: vec![0; size],
                poison: vec![true; size],
            });
            address += size as u64 + frame.gap;
        }
        ConcreteMemory { allocations, first_object, accesses: records.then(Vec::new) }
    }

    /// The accesses to buffers, in order: all, or those to buffers that only volatile ones touched.
    pub fn accesses(self, only_volatile: bool) -> Vec<Access> {
        let accesses = self.accesses.unwrap_or_default();
        let plain: Vec<usize> =
            accesses.iter().filter(|(_, volatile)| !volatile).map(|(access, _)| access.buffer).collect();
        let is_wanted = |access: &Access| !only_volatile || !plain.contains(&access.buffer);
        accesses.iter().map(|(access, _)| *access).filter(is_wanted).collect()
    }

    fn record(&mut self, place: (usize, usize), bytes: u32, stored: Option<Known>, flags: MemFlags) {
        let (buffer, offset) = place;
        if let Some(accesses) = self.accesses.as_mut().filter(|_| buffer < self.first_object) {
            let access = Access { buffer, offset: offset as u64, bytes, stored };
            accesses.push((access, flags.contains(MemFlags::VOLATILE)));
        }
    }

    /// The number of the allocation that holds all of `address .. address + bytes`, and the offset in it.
    fn find(&self, address: u64, bytes: u32) -> Option<(usize, usize)> {
        self.allocations.iter().enumerate().find_map(|(number, allocation)| {
            let offset = usize::try_from(address.checked_sub(allocation.address)?).ok()?;
            let end = offset.checked_add(bytes as usize)?;
            (end <= allocation.bytes.len()).then_some((number, offset))
        })
    }

    /// Copies bytes as `memmove` does; false if some of them may not be touched.
    pub fn copy(&mut self, to: u64, from: u64, count: u64) -> bool {
        let Ok(count) = u32::try_from(count) else { return false };
        if count == 0 {
            return true;
        }
        let Some((from, offset)) = self.find(from, count) else { return false };
        self.record((from, offset), count, None, MemFlags::LOAD);
        let (source, range) = (&self.allocations[from], offset..offset + count as usize);
        let (bytes, open) = (source.bytes[range.clone()].to_vec(), source.open[range.clone()].to_vec());
        let poison = source.poison[range].to_vec();
        let Some((to, offset)) = self.find(to, count) else { return false };
        self.record((to, offset), count, Some(OPEN), MemFlags::STORE);
        let (target, range) = (&mut self.allocations[to], offset..offset + count as usize);
        target.bytes[range.clone()].copy_from_slice(&bytes);
        target.open[range.clone()].copy_from_slice(&open);
        target.poison[range].copy_from_slice(&poison);
        true
    }

    /// Writes one byte many times; false if some place may not be touched.
    pub fn fill(&mut self, to: u64, byte: u8, poison: bool, count: u64) -> bool {
        let Ok(count) = u32::try_from(count) else { return false };
        if count == 0 {
            return true;
        }
        let Some((to, offset)) = self.find(to, count) else { return false };
        self.record((to, offset), count, Some(OPEN), MemFlags::STORE);
        let (target, range) = (&mut self.allocations[to], offset..offset + count as usize);
        target.bytes[range.clone()].fill(byte);
        target.open[range.clone()].fill(0);
        target.poison[range].fill(poison);
        true
    }

    /// Bytes of the first `count` allocations with a mask of fixed bits each.
    pub fn buffers(&self, count: usize) -> Vec<Vec<(u8, u8)>> {
        let bytes = |allocation: &Allocation| {
            let masks = allocation.poison.iter().zip(&allocation.open);
            let masks = masks.map(|(&poison, &open)| if poison { 0 } else { !open });
            allocation.bytes.iter().copied().zip(masks).collect()
        };
        self.allocations.iter().take(count).map(bytes).collect()
    }
}

/// What functions of memory store, which are no volatile accesses.
const OPEN: Known = Known { value: 0, fixed: 0 };

/// True if the access claims an alignment that its address has not.
fn misaligned(address: u64, operand: &MemOperand) -> bool {
    !address.is_multiple_of(u64::from(operand.align.max(1)))
}

/// An access whose place a choice decides: whether it is undefined is open.
const UNPLACED: PartialBool = PartialBool { value: false, open: true };

impl Memory<Partial> for ConcreteMemory {
    fn load(
        &mut self,
        _: &mut Partial,
        address: &PartialBits,
        bytes: u32,
        operand: &MemOperand,
    ) -> (Value<Partial>, PartialBool) {
        let nothing = Value { bits: PartialBits::known(Bits::zero(8 * bytes)), poison: PartialBool::known(true) };
        if !address.is_known() {
            return (nothing, UNPLACED);
        }
        let address = address.value.low_u64();
        match self.find(address, bytes) {
            Some((number, offset)) if !misaligned(address, operand) => {
                self.record((number, offset), bytes, None, operand.flags);
                let allocation = &self.allocations[number];
                let range = offset..offset + bytes as usize;
                let joined = |units: &[u8]| {
                    let limb = |index: usize| {
                        units
                            .chunks(8)
                            .nth(index)
                            .map_or(0, |limb| limb.iter().rev().fold(0u64, |value, &unit| value << 8 | u64::from(unit)))
                    };
                    Bits::from_limbs(limb, 8 * bytes)
                };
                let value = joined(&allocation.bytes[range.clone()]);
                let open = joined(&allocation.open[range.clone()]);
                let poison = PartialBool::known(allocation.poison[range].contains(&true));
                (Value { bits: PartialBits { value, open }, poison }, PartialBool::known(false))
            }
            _ => (nothing, PartialBool::known(true)),
        }
    }

    fn store(
        &mut self,
        _: &mut Partial,
        address: &PartialBits,
        value: &Value<Partial>,
        operand: &MemOperand,
    ) -> PartialBool {
        if !address.is_known() {
            return UNPLACED;
        }
        let (address, bytes) = (address.value.low_u64(), value.bits.width() / 8);
        match self.find(address, bytes) {
            Some((number, offset)) if !misaligned(address, operand) => {
                let fixed = if value.poison.value || value.poison.open { 0 } else { !value.bits.open.low_u64() };
                let stored = Known { value: value.bits.value.low_u64(), fixed };
                self.record((number, offset), bytes, Some(stored), operand.flags);
                let allocation = &mut self.allocations[number];
                let (known, open) = (value.bits.value.limbs(), value.bits.open.limbs());
                for index in 0..bytes as usize {
                    allocation.bytes[offset + index] = (known[index / 8] >> (8 * (index % 8))) as u8;
                    allocation.open[offset + index] = (open[index / 8] >> (8 * (index % 8))) as u8;
                    allocation.poison[offset + index] = value.poison.value || value.poison.open;
                }
                PartialBool::known(false)
            }
            _ => PartialBool::known(true),
        }
    }

    fn frame_address(&mut self, _: &mut Partial, slot: StackSlot, bits: u32) -> PartialBits {
        let allocation = self.allocations.get(self.first_object + slot.as_u32() as usize);
        PartialBits::known(Bits::new(allocation.map_or(0, |allocation| allocation.address).into(), bits))
    }
}
