//! Frames in a run's memory: one for each function that is active, innermost last.
//!
//! A callee's frame stands on its caller's: it finds its stack arguments where the caller wrote them, and its stack
//! objects lie at addresses of their own. A call in place of a return puts its frame in the place of the caller's.
//!
//! Invariant: a stack object of each entry into a function has a number of its own, whether or not the function is
//! still active. So calls of unknown functions name objects of any frame.

use super::Unwritten;
use super::memory::{Allocation, ConcreteMemory};
use super::traps::moves_stack;
use crate::input::UNWRITTEN;
use smallvec::SmallVec;
use std::ops::Range;
use tribunal_ir::{Function, InstData};
use tribunal_target::Target;

/// Bytes of registers that a variadic function keeps beside its arguments on the stack.
const MOST_KEPT: u64 = 1 << 10;
/// Bytes from one callee's stack pointer on entry to that of its own callees.
const APART: u64 = 1 << 17;
/// Active functions at most, and bytes of the stack objects of all but the outermost: the machine has as much stack.
const MOST_FRAMES: usize = 64;
const MOST_BYTES: usize = 1 << 19;

/// Bytes below the stack pointer for objects of variable size, in a function that moves it.
const VARIABLE_BYTES: u64 = 1 << 12;
/// Larger call frames are not allocated whole, so stores to their ends are undefined.
const MOST_OUTGOING: u64 = 1 << 16;

/// The parts of a frame that no table of objects says.
#[derive(Clone, Copy, Default)]
pub(super) struct StackShape {
    /// Bytes of the largest call frame.
    outgoing: u64,
    /// Bytes for objects of variable size.
    variable: u64,
}

impl StackShape {
    pub fn of(function: &Function, target: &Target) -> StackShape {
        let data = function.all_insts().map(|inst| function.inst(inst));
        let outgoing = data.filter(|data| target.opens_call_frame(data)).map(call_frame_bytes).max().unwrap_or(0);
        StackShape { outgoing, variable: if moves_stack(function, target) { VARIABLE_BYTES } else { 0 } }
    }
}

/// Bytes of arguments on the stack in the frame that a marker opens.
pub(super) fn call_frame_bytes(data: &InstData) -> u64 {
    data.imm(0).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0).min(MOST_OUTGOING)
}

/// The frame of a function that is active.
#[derive(Clone, Default)]
pub(super) struct ActiveFrame {
    /// The index of its first stack object among the allocations.
    pub first: usize,
    /// The number of its stack objects.
    objects: usize,
    /// The number of its first stack object among those of the run.
    number: usize,
    /// The index of the allocation that holds its arguments on the stack.
    pub incoming: Option<usize>,
    /// The distance of each object in the caller's frame from the stack pointer on entry, in bytes.
    pub fixed: SmallVec<[i64; 4]>,
    /// The stack pointer on entry.
    pub caller: u64,
    /// The position of its first byte.
    bytes: usize,
    /// The addresses of its first stack object, and after the last.
    objects_at: (u64, u64),
    /// Bytes for objects of variable size.
    variable: u64,
    /// Those of them that are below the stack pointer: nothing lies there.
    below: u64,
}

impl ActiveFrame {
    /// A frame whose stack objects are not placed yet.
    pub fn at(caller: u64, incoming: Option<usize>) -> ActiveFrame {
        ActiveFrame { caller, incoming, ..ActiveFrame::default() }
    }

    /// Three more numbers stand for the registers that a variadic function keeps below the stack pointer on entry, for
    /// the arguments above it, and for all objects of variable size.
    fn numbers(&self) -> Range<usize> {
        self.number..self.number + self.objects + 3
    }

    /// The index of the allocation after it.
    fn end(&self) -> usize {
        self.first + self.objects + 2 + usize::from(self.variable > 0)
    }
}

/// The bytes that are allocated for a stack object. A size that no frame can have is not allocated, so every access to
/// it is undefined.
fn allocated(size: u64) -> usize {
    usize::try_from(size).ok().filter(|&size| size <= 1 << 24).unwrap_or(0)
}

impl ConcreteMemory {
    /// Allocates the innermost frame, whose stack objects begin at `start`.
    pub(super) fn push_frame(&mut self, function: &Function, start: u64, (below, shape): (u64, StackShape)) {
        (self.frame.first, self.frame.bytes) = (self.allocations.len(), self.bytes.len());
        let mut address = start;
        // The vectors grow once.
        let more = function.stack.values().map(|object| allocated(object.size)).sum();
        self.bytes.reserve(more);
        self.unknown.reserve(more);
        self.poison.reserve(more);
        for object in function.stack.values() {
            let size = allocated(object.size);
            let align = u64::from(object.align).max(1);
            address = address.next_multiple_of(align.max(16)) + self.above / align * align;
            self.allocations.push(Allocation { address, first: self.bytes.len(), size });
            self.bytes.resize(self.bytes.len() + size, UNWRITTEN);
            address += size as u64 + self.gap;
        }
        (self.frame.objects, self.frame.objects_at) = (function.stack.len(), (start, address));
        self.frame.number = self.numbers;
        self.numbers = self.frame.numbers().end;
        let fixed: SmallVec<[i64; 4]> = function.fixed_stack.values().map(|object| object.offset).collect();
        let kept = fixed.iter().map(|offset| offset.min(&0).unsigned_abs()).max().unwrap_or(0).min(MOST_KEPT);
        (self.frame.variable, self.frame.below) = (shape.variable, shape.variable);
        let variable = Some((below - shape.variable, shape.variable)).filter(|&(_, size)| size > 0);
        for (address, size) in [(self.frame.caller - kept, kept), (below, shape.outgoing)].into_iter().chain(variable) {
            let size = usize::try_from(size).unwrap_or(0);
            self.allocations.push(Allocation { address, first: self.bytes.len(), size });
            self.bytes.resize(self.bytes.len() + size, UNWRITTEN);
        }
        self.frame.fixed = fixed;
        self.unknown.resize(self.bytes.len(), 0);
        self.poison.resize(self.bytes.len(), self.unwritten == Unwritten::Free);
    }

    /// Enters a callee, whose own calls pass at most so many bytes on the stack; false if there is no stack for it.
    pub fn enter(&mut self, function: &Function, shape: StackShape, pointer_bytes: u32) -> bool {
        let Some(arguments) = self.outgoing_index() else { return false };
        let used = self.suspended.first().map_or(0, |_| self.bytes.len() - self.nested_from());
        if self.suspended.len() + 1 >= MOST_FRAMES || used >= MOST_BYTES {
            return false;
        }
        let tables = self.allocations.drain(self.frame.end()..).collect();
        let caller = self.stack_pointer() - self.frame.variable;
        let outer = std::mem::replace(&mut self.frame, ActiveFrame::at(caller, Some(arguments)));
        let start = outer.objects_at.1;
        self.suspended.push((outer, tables));
        self.push_frame(function, start, (caller - APART, shape));
        self.push_tables(function, pointer_bytes);
        true
    }

    /// The position of the first byte of the frames of callees.
    fn nested_from(&self) -> usize {
        self.suspended.get(1).map_or(self.frame.bytes, |(frame, _)| frame.bytes)
    }

    /// Enters a callee in place of the innermost function: its arguments stand where that one's stood.
    pub fn replace(&mut self, function: &Function, shape: StackShape, pointer_bytes: u32) {
        let (start, below) = (self.frame.objects_at.0, self.stack_pointer());
        self.drop_frame();
        self.push_frame(function, start, (below, shape));
        self.push_tables(function, pointer_bytes);
    }

    /// Leaves the innermost function for its caller.
    pub fn leave(&mut self) {
        self.drop_frame();
        if let Some((outer, tables)) = self.suspended.pop() {
            self.frame = outer;
            self.allocations.extend(tables);
        }
        self.clear_call_frame();
    }

    fn drop_frame(&mut self) {
        self.allocations.truncate(self.frame.first);
        self.bytes.truncate(self.frame.bytes);
        self.unknown.truncate(self.frame.bytes);
        self.poison.truncate(self.frame.bytes);
    }

    /// The number of the first stack object of the innermost function.
    pub fn first_number(&self) -> usize {
        self.frame.number
    }

    /// The active frames, innermost first.
    fn frames(&self) -> impl Iterator<Item = &ActiveFrame> {
        std::iter::once(&self.frame).chain(self.suspended.iter().rev().map(|(frame, _)| frame))
    }

    /// The stack object that an address points into, by its number, and the offset there.
    pub fn object_at(&self, address: u64) -> Option<(usize, u64)> {
        self.frames().find_map(|frame| self.object_of_frame(frame, address))
    }

    fn object_of_frame(&self, frame: &ActiveFrame, address: u64) -> Option<(usize, u64)> {
        let offset = |object: &Allocation| {
            address.checked_sub(object.address).filter(|&offset| offset < object.size.max(1) as u64)
        };
        let mut objects = self.allocations[frame.first..].iter().take(frame.objects).zip(frame.number..);
        let own = objects.find_map(|(object, number)| Some((number, offset(object)?)));
        let of_caller = || {
            let numbers = frame.numbers().skip(frame.objects);
            let mut parts = numbers.filter_map(|number| Some((number, self.object(number)?)));
            parts.find_map(|(number, part)| Some((number, offset(part).filter(|_| part.size > 0)?)))
        };
        own.or_else(of_caller)
    }

    /// The stack object of this number.
    fn object(&self, number: usize) -> Option<&Allocation> {
        let frame = self.frames().find(|frame| frame.numbers().contains(&number))?;
        match number - frame.number - frame.objects.min(number - frame.number) {
            1 => self.allocations.get(frame.incoming?),
            2 if frame.variable == 0 => None,
            _ => self.allocations.get(frame.first + number - frame.number),
        }
    }

    /// The address and the size of a stack object.
    pub fn object_range(&self, number: usize) -> Option<(u64, u64)> {
        let object = self.object(number)?;
        Some((object.address, object.size as u64))
    }

    /// The part of a stack object that a callee may reach: an offset in it, and a size. Below the stack pointer the
    /// stack is the callee's own.
    pub fn reachable_range(&self, number: usize) -> Option<(u64, u64)> {
        let frame = self.frames().find(|frame| frame.numbers().contains(&number))?;
        let is_variable = number == frame.number + frame.objects + 2;
        let below = if is_variable { frame.below } else { 0 };
        Some((below, (self.object(number)?.size as u64).saturating_sub(below)))
    }

    /// The address of the arguments on the stack of the function's own calls: its stack pointer.
    pub fn stack_pointer(&self) -> u64 {
        self.outgoing().map_or(0, |outgoing| outgoing.address)
    }

    /// The stack arguments of calls.
    pub(super) fn outgoing(&self) -> Option<Allocation> {
        self.allocations.get(self.outgoing_index()?).copied()
    }

    fn outgoing_index(&self) -> Option<usize> {
        Some(self.frame.first + self.frame.objects + 1).filter(|&index| index < self.allocations.len())
    }

    /// True if a call of the innermost function may pass arguments on the stack.
    pub fn passes_on_stack(&self) -> bool {
        self.outgoing().is_some_and(|outgoing| outgoing.size > 0)
    }

    /// Moves the stack pointer: nobody wrote the memory below it. False if there is no stack there.
    pub fn move_stack(&mut self, stack_pointer: u64) -> bool {
        let area = self.allocations.get(self.frame.first + self.frame.objects + 2).copied();
        let Some(area) = area.filter(|_| self.frame.variable > 0) else { return false };
        let Some(left) = stack_pointer.checked_sub(area.address).filter(|&left| left <= area.size as u64) else {
            return false;
        };
        self.frame.below = left;
        let below = area.first..area.first + left as usize;
        self.bytes[below.clone()].fill(UNWRITTEN);
        self.unknown[below.clone()].fill(0);
        self.poison[below].fill(self.unwritten == Unwritten::Free);
        true
    }

    /// The address and the size of the arguments that the function's caller passed on the stack.
    pub fn incoming(&self) -> (u64, u64) {
        let size = self.frame.incoming.and_then(|number| self.allocations.get(number)).map_or(0, |buffer| buffer.size);
        (self.frame.caller, size as u64)
    }
}
