//! Byte-wise memory with bounds: the buffers of the input, and the function's stack objects.

use super::frames::{ActiveFrame, StackShape};
use super::spare::ScratchBytes;
use super::{Numbers, Unwritten, known};
use crate::call::MemoryPlace;
use crate::input::{Frame, Input, STACK_ARGUMENTS, UNWRITTEN};
use crate::observation::{BufferAccess, Bytes, Known};
use smallvec::SmallVec;
use std::ops::Range;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Memory, Number, PartialBits, PartialBool, Value, walk};
use tribunal_ir::{FixedSlot, Function, MemFlags, MemOperand, OpcodeFlags, StackSlot};
use tribunal_target::Target;

/// Some bytes at an address.
#[derive(Clone, Copy)]
pub(super) struct Allocation {
    pub address: u64,
    /// Their position among the bytes of all.
    pub first: usize,
    pub size: usize,
}

/// An access to no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stray {
    /// The address.
    pub address: u64,
    /// The word that the address came from, as far as accesses were kept: the buffer's number, and the offset in bytes.
    pub word: Option<(usize, usize)>,
}

/// The greatest distance, in bytes, from a pointer to a place of its object.
const NEAR: u64 = 4096;

/// Bytes from one address to another, either way, among addresses of `word` bytes: a field before null is near to it.
fn distance(one: u64, other: u64, word: usize) -> u64 {
    let unused = 64 - 8 * word.min(8) as u32;
    let apart = one.wrapping_sub(other) << unused;
    apart.min(apart.wrapping_neg()) >> unused
}

/// Accesses among which the latest places are looked for.
const MOST_LOOKED_AT: usize = 1024;

/// A capacity that suffices for most runs.
const CAPACITY: usize = 512;

pub(super) struct ConcreteMemory {
    /// Buffers first, then the frames of the functions that are active, innermost last: stack objects in order,
    /// registers that a variadic function keeps beside its stack arguments, the stack arguments of calls. Jump tables
    /// of the innermost come last.
    pub(super) allocations: SmallVec<[Allocation; 8]>,
    /// The number of buffers.
    first_object: usize,
    /// The buffer that holds the arguments on the stack of the outermost function.
    arguments: Option<usize>,
    /// The frame of the innermost function.
    pub(super) frame: ActiveFrame,
    /// The frames around it, outermost first, each with its jump tables.
    pub(super) suspended: Vec<(ActiveFrame, SmallVec<[Allocation; 1]>)>,
    /// The number of the next stack object.
    pub(super) numbers: usize,
    /// Bytes between two stack objects.
    pub(super) gap: u64,
    /// Of each above a multiple of 16, cut to a multiple of its alignment.
    pub(super) above: u64,
    pub(super) unwritten: Unwritten,
    /// The bytes of all allocations, one after the other.
    pub(super) bytes: Vec<u8>,
    /// The unconstrained bits of each byte.
    pub(super) unknown: Vec<u8>,
    /// One flag a byte.
    pub(super) poison: Vec<bool>,
    /// Accesses in order; `None` if nobody asks.
    accesses: Option<Vec<RawAccess>>,
    /// The first address that was accessed and is in no allocation.
    stray: Option<u64>,
    /// The bytes that are reserved among those of all allocations, with their contents at that time.
    reserved: Option<(Range<usize>, SmallVec<[u8; 16]>)>,
}

struct RawAccess {
    /// Among the bytes of all allocations.
    range: Range<usize>,
    /// The low 64 bits that were loaded.
    loaded: u64,
    stored: Option<Known>,
    volatile: bool,
    /// As the memory operand claims it, in bytes.
    align: u32,
    /// The type in memory is that of a pointer.
    is_pointer: bool,
}

/// The value that `memcpy` and the like store, which is no volatile access.
const UNCONSTRAINED: Known = Known { value: 0, unknown: u128::MAX };

impl ConcreteMemory {
    pub fn new(
        function: &Function,
        input: &Input,
        frame: Frame,
        unwritten: Unwritten,
        (records, shape): (bool, StackShape),
    ) -> ConcreteMemory {
        let ScratchBytes { mut bytes, unknown, mut poison } = ScratchBytes::empty();
        let mut allocations = SmallVec::new();
        bytes.reserve(CAPACITY);
        for buffer in &input.buffers {
            let (first, size) = (bytes.len(), buffer.bytes.len());
            let address = if buffer.address == STACK_ARGUMENTS { frame.caller } else { buffer.address };
            allocations.push(Allocation { address, first, size });
            bytes.extend_from_slice(&buffer.bytes);
        }
        poison.resize(bytes.len(), false);
        let arguments = input.buffers.iter().position(|buffer| buffer.address == STACK_ARGUMENTS);
        let mut memory = ConcreteMemory {
            first_object: allocations.len(),
            allocations,
            arguments,
            frame: ActiveFrame::at(frame.caller, arguments),
            suspended: Vec::new(),
            numbers: 0,
            gap: frame.gap,
            above: frame.above,
            unwritten,
            unknown,
            poison,
            bytes,
            accesses: records.then(Vec::new),
            stray: None,
            reserved: None,
        };
        memory.push_frame(function, frame.address, (frame.caller - (1 << 20), shape));
        memory
    }

    /// The same with the jump tables of the function, which nobody may write: they come last.
    pub fn with_tables(mut self, function: &Function, pointer_bytes: u32) -> ConcreteMemory {
        self.push_tables(function, pointer_bytes);
        self
    }

    pub(super) fn push_tables(&mut self, function: &Function, pointer_bytes: u32) {
        for (table, _) in &function.jump_tables.tables {
            let Some(entries) = walk::table_entries(function, table, pointer_bytes) else { continue };
            let bytes = |entry: &Bits| entry.low_u64().to_le_bytes().into_iter().take(entry.width() as usize / 8);
            let contents: Vec<u8> = entries.iter().flat_map(bytes).collect();
            let (address, first) = (walk::table_address(table), self.bytes.len());
            self.allocations.push(Allocation { address, first, size: contents.len() });
            self.bytes.extend_from_slice(&contents);
            self.unknown.resize(self.bytes.len(), 0);
            self.poison.resize(self.bytes.len(), false);
        }
    }

    /// The accesses to buffers, in order: all, or those to buffers that only volatile accesses touched.
    pub fn accesses(&mut self, target: &Target, only_volatile: bool) -> Vec<BufferAccess> {
        let buffers = &self.allocations[..self.first_object];
        let placed = self.accesses.take().unwrap_or_default().into_iter().filter_map(
            |RawAccess { range, stored, volatile, align, .. }| {
                let holds = |buffer: &Allocation| (buffer.first..buffer.first + buffer.size).contains(&range.start);
                let buffer = buffers.iter().position(holds)?;
                let offset = (range.start - buffers[buffer].first) as u64;
                let (bytes, is_store) = (range.len() as u32, stored.is_some());
                let direction = if is_store { OpcodeFlags::STORE } else { OpcodeFlags::LOAD };
                let is_divisible = volatile && !target.accesses_whole(direction, bytes, align);
                Some((BufferAccess { buffer, offset, bytes, stored, is_divisible }, volatile))
            },
        );
        let accesses: Vec<(BufferAccess, bool)> = placed.collect();
        let is_plain = |buffer| accesses.iter().any(|(access, volatile)| access.buffer == buffer && !volatile);
        let plain: Vec<bool> = (0..buffers.len()).map(|buffer| only_volatile && is_plain(buffer)).collect();
        accesses.into_iter().map(|(access, _)| access).filter(|access| !plain[access.buffer]).collect()
    }

    /// A memory function has no `operand`.
    fn record(&mut self, range: &Range<usize>, stored: Option<Known>, operand: Option<&MemOperand>) {
        if let Some(accesses) = &mut self.accesses {
            let volatile = operand.is_some_and(|operand| operand.flags.contains(MemFlags::VOLATILE));
            let is_pointer = operand.and_then(|operand| operand.ty).is_some_and(|ty| ty.is_pointer());
            let bytes = self.bytes[range.clone()].iter().take(8);
            let loaded = bytes.rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            let align = operand.map_or(1, |operand| operand.align);
            accesses.push(RawAccess { range: range.clone(), loaded, stored, volatile, align, is_pointer });
        }
    }

    /// The same place, to be accessed; where there is none, the address is kept.
    fn accessed(&mut self, address: u64, count: u32) -> Option<Range<usize>> {
        let found = self.find(address, count);
        if found.is_none() {
            self.stray.get_or_insert(address);
        }
        found
    }

    /// The access that went to no memory, with the latest word of a buffer that may have given its address.
    pub fn stray(&self, word: usize) -> Option<Stray> {
        let address = self.stray?;
        let mut loads = self.accesses.iter().flatten().rev().filter(|access| access.stored.is_none());
        let word = loads.find_map(|&RawAccess { ref range, loaded, is_pointer, .. }| {
            let mut buffers = self.allocations[..self.first_object].iter().enumerate();
            let (number, buffer) = buffers.find(|(_, buffer)| {
                (buffer.first..buffer.first + buffer.size).contains(&range.start) && range.len() == word
            })?;
            let is_near = distance(address, loaded, word) < NEAR && (is_pointer || loaded >= NEAR);
            is_near.then(|| (number, range.start - buffer.first))
        });
        Some(Stray { address, word })
    }

    /// The position of the bytes `address .. address + count`, if one allocation holds them all.
    fn find(&self, address: u64, count: u32) -> Option<Range<usize>> {
        self.allocations.iter().find_map(|allocation| {
            let offset = usize::try_from(address.checked_sub(allocation.address)?).ok()?;
            let end = offset.checked_add(count as usize)?;
            (end <= allocation.size).then_some(allocation.first + offset..allocation.first + end)
        })
    }

    /// Copies bytes as `memmove` does; false if some of them may not be touched.
    pub fn copy(&mut self, to: u64, from: u64, count: u64) -> bool {
        let Ok(count) = u32::try_from(count) else { return false };
        if count == 0 {
            return true;
        }
        let (Some(source), Some(target)) = (self.accessed(from, count), self.accessed(to, count)) else { return false };
        self.record(&source, None, None);
        self.record(&target, Some(UNCONSTRAINED), None);
        self.bytes.copy_within(source.clone(), target.start);
        self.unknown.copy_within(source.clone(), target.start);
        self.poison.copy_within(source, target.start);
        true
    }

    /// Writes one byte many times; false if some place may not be touched.
    pub fn fill(&mut self, to: u64, byte: u8, poison: bool, count: u64) -> bool {
        let Ok(count) = u32::try_from(count) else { return false };
        if count == 0 {
            return true;
        }
        let Some(range) = self.accessed(to, count) else { return false };
        self.record(&range, Some(UNCONSTRAINED), None);
        self.bytes[range.clone()].fill(byte);
        self.unknown[range.clone()].fill(0);
        self.poison[range].fill(poison);
        true
    }

    /// The contents of the first `count` allocations.
    pub fn buffers(&self, count: usize) -> Vec<Bytes> {
        let whole = |allocation: &Allocation| self.shown(allocation.first..allocation.first + allocation.size);
        let mut buffers: Vec<Bytes> = self.allocations.iter().take(count).map(whole).collect();
        // Stack arguments are the callee's own, and nobody reads them after it.
        if let Some(arguments) = self.arguments.and_then(|number| buffers.get_mut(number)) {
            arguments.unknown.fill(u8::MAX);
        }
        buffers
    }

    fn shown(&self, range: Range<usize>) -> Bytes {
        let masks = self.unknown[range.clone()].iter().zip(&self.poison[range.clone()]);
        let unknown = masks.map(|(&unknown, &poison)| if poison { u8::MAX } else { unknown });
        Bytes { values: self.bytes[range].to_vec(), unknown: unknown.collect() }
    }

    /// The bytes at an address, if one allocation holds them all.
    pub fn contents(&self, address: u64, bytes: usize) -> Option<Bytes> {
        self.find(address, u32::try_from(bytes).ok()?).map(|range| self.shown(range))
    }

    /// Writes known bytes, as a callee does: if one allocation holds them all.
    pub fn overwrite(&mut self, address: u64, bytes: &[u8]) {
        if let Some(range) = u32::try_from(bytes.len()).ok().and_then(|count| self.find(address, count)) {
            self.bytes[range.clone()].copy_from_slice(bytes);
            self.unknown[range.clone()].fill(0);
            self.poison[range].fill(false);
        }
    }

    /// True if the address is one of a byte.
    pub fn holds(&self, address: u64) -> bool {
        self.find(address, 1).is_some()
    }

    /// A call frame opens, or its callee has returned: the arguments on the stack are what nobody wrote.
    pub fn clear_call_frame(&mut self) {
        if let Some(outgoing) = self.outgoing() {
            let range = outgoing.first..outgoing.first + outgoing.size;
            self.bytes[range.clone()].fill(UNWRITTEN);
            self.unknown[range.clone()].fill(0);
            self.poison[range].fill(self.unwritten == Unwritten::Free);
        }
    }

    /// The address and the size of each buffer.
    pub fn buffer_ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let buffers = self.allocations[..self.first_object].iter().enumerate();
        let others = buffers.filter(|(number, _)| Some(*number) != self.arguments);
        others.map(|(_, buffer)| (buffer.address, buffer.size as u64))
    }

    /// The address of a place.
    pub fn address(&self, place: MemoryPlace) -> Option<u64> {
        match place {
            MemoryPlace::At(address) => Some(address),
            MemoryPlace::Object(number, offset) => Some(self.object_range(number)?.0 + offset),
        }
    }

    /// The latest accesses, each place once: address and size in bytes, as far as they are recorded.
    pub fn latest_accesses(&self, most: usize) -> Vec<(u64, usize)> {
        let mut latest: Vec<&Range<usize>> = Vec::new();
        for RawAccess { range, .. } in self.accesses.iter().flatten().rev().take(MOST_LOOKED_AT) {
            if latest.len() < most && !latest.contains(&range) {
                latest.push(range);
            }
        }
        let address = |range: &Range<usize>| {
            let holds = |allocation: &&Allocation| {
                (allocation.first..allocation.first + allocation.size).contains(&range.start)
            };
            let allocation = self.allocations.iter().find(holds)?;
            Some((allocation.address + (range.start - allocation.first) as u64, range.len()))
        };
        latest.into_iter().filter_map(address).collect()
    }

    /// The number of accesses that are recorded.
    pub fn access_count(&self) -> usize {
        self.accesses.as_ref().map_or(0, Vec::len)
    }

    /// Forgets all but the first accesses.
    pub fn forget_accesses(&mut self, kept: usize) {
        if let Some(accesses) = &mut self.accesses {
            accesses.truncate(kept);
        }
    }
}

impl Drop for ConcreteMemory {
    fn drop(&mut self) {
        let (bytes, unknown) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.unknown));
        ScratchBytes { bytes, unknown, poison: std::mem::take(&mut self.poison) }.keep();
    }
}

/// True if the access claims an alignment that its address has not.
fn misaligned(address: u64, operand: &MemOperand) -> bool {
    !address.is_multiple_of(u64::from(operand.align.max(1)))
}

/// The undefinedness of an access at an unconstrained address: unknown.
const UNPLACED: PartialBool = PartialBool { value: false, unknown: true };

impl ConcreteMemory {
    /// Where these bytes lie among those of all allocations; `None` if nobody knows, or nowhere.
    fn known_place<N: Number>(&mut self, address: &PartialBits<N>, bytes: u32) -> Option<Range<usize>> {
        address.is_known().then(|| self.accessed(address.value.low_u64(), bytes)).flatten()
    }
}

impl<D: Numbers> Memory<D> for ConcreteMemory {
    fn load(
        &mut self,
        _: &mut D,
        address: &PartialBits<D::Number>,
        bytes: u32,
        operand: &MemOperand,
    ) -> (Value<D>, PartialBool) {
        let nothing = || Value::new(PartialBits::known(D::Number::zero(8 * bytes)), PartialBool::known(true));
        if !address.is_known() {
            return (nothing(), UNPLACED);
        }
        let address = address.value.low_u64();
        match self.accessed(address, bytes) {
            Some(range) if !misaligned(address, operand) => {
                self.record(&range, None, Some(operand));
                let value = D::Number::of_bytes(&self.bytes[range.clone()]);
                let unknown = D::Number::of_bytes(&self.unknown[range.clone()]);
                let poison = PartialBool::known(self.poison[range].contains(&true));
                (Value::new(PartialBits { value, unknown }, poison), PartialBool::known(false))
            }
            _ => (nothing(), PartialBool::known(true)),
        }
    }

    fn store(
        &mut self,
        _: &mut D,
        address: &PartialBits<D::Number>,
        value: &Value<D>,
        operand: &MemOperand,
    ) -> PartialBool {
        if !address.is_known() {
            return UNPLACED;
        }
        let (address, bytes) = (address.value.low_u64(), value.bits.width() / 8);
        match self.accessed(address, bytes) {
            Some(range) if !misaligned(address, operand) => {
                if self.accesses.is_some() {
                    self.record(&range, Some(known(&value.bits, value.poison)), Some(operand));
                }
                value.bits.value.to_bytes(&mut self.bytes[range.clone()]);
                value.bits.unknown.to_bytes(&mut self.unknown[range.clone()]);
                let elements = value.poison_of_elements();
                let each = (bytes as usize / elements.len()).max(1);
                for (part, poison) in self.poison[range].chunks_mut(each).zip(elements) {
                    part.fill(poison.value || poison.unknown);
                }
                PartialBool::known(false)
            }
            _ => PartialBool::known(true),
        }
    }

    fn reserve(&mut self, _: &mut D, place: Option<(&PartialBits<D::Number>, u32)>) {
        let place = place.and_then(|(address, bytes)| self.known_place(address, bytes));
        self.reserved = place.map(|range| (range.clone(), self.bytes[range].into()));
    }

    /// A store keeps the reservation of the bytes that it replaces, if they are as they were: so do the machines on
    /// which code runs here. Another store may fail.
    fn loses_reservation(
        &mut self,
        domain: &mut D,
        address: &PartialBits<D::Number>,
        bytes: u32,
    ) -> PartialBits<D::Number> {
        let place = self.known_place(address, bytes);
        match self.reserved.take().zip(place) {
            Some(((reserved, contents), place)) if reserved == place && self.bytes[place.clone()] == contents[..] => {
                domain.literal(0, 1)
            }
            _ => domain.choose(1),
        }
    }

    fn frame_address(&mut self, _: &mut D, slot: StackSlot, bits: u32) -> PartialBits<D::Number> {
        let allocation = self.allocations.get(self.frame.first + slot.as_u32() as usize);
        let address = allocation.map_or(0, |allocation| allocation.address);
        PartialBits::known(D::Number::of_bits(Bits::new(address.into(), bits)))
    }

    fn fixed_address(&mut self, _: &mut D, slot: FixedSlot, bits: u32) -> PartialBits<D::Number> {
        let distance = self.frame.fixed.get(slot.as_u32() as usize).copied().unwrap_or(0);
        let address = self.frame.caller.wrapping_add_signed(distance);
        PartialBits::known(D::Number::of_bits(Bits::new(address.into(), bits)))
    }
}
