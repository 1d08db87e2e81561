//! Calls of unknown functions: what each callee was given, and what it did. A run of the source decides what they do
//! and writes the list. Later runs of the same input, of stages and of machine code, follow it as a [`CallScript`]:
//! they must make the same calls, and each callee does the same again.
//!
//! Invariant: a callee reads and writes only memory that a real one could reach: buffers of the input, and stack
//! objects whose address it was given. It touches no spill slot and no object that did not escape.

use crate::observation::{Bytes, Known};
use smallvec::SmallVec;
use std::fmt;
use tribunal_ir::PReg;

/// A place in memory that a callee can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryPlace {
    /// At an address that is the same in every run.
    At(u64),
    /// In the stack object of this number, at an offset in bytes. Each run has its own address of it.
    Object(usize, u64),
}

impl fmt::Display for MemoryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryPlace::At(address) => write!(f, "{address:#x}"),
            MemoryPlace::Object(number, offset) => write!(f, "%stack.{number} + {offset}"),
        }
    }
}

/// The place of an argument when it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentPlace {
    /// In a machine register.
    Register(PReg),
    /// In a virtual register: the callee's address.
    Callee,
    /// On the stack, so many bytes above the stack pointer.
    Stack(u64),
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallArgument {
    /// Its place.
    pub place: ArgumentPlace,
    /// Its width in bits.
    pub bits: u32,
    /// Its value. Of an address in a stack object, the offset in it.
    pub value: Known,
    /// That object's number.
    pub object: Option<usize>,
}

/// What a callee did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalleeEffect {
    /// The value of each result register.
    pub results: Vec<(PReg, u128)>,
    /// What it wrote, in order.
    pub writes: Vec<(MemoryPlace, Vec<u8>)>,
    /// False if it did not come back: it ended the program, or waits forever.
    pub returns: bool,
}

/// A call of an unknown function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalCall {
    /// The symbol that was called; empty for a call through a register.
    pub name: String,
    /// Every register that the call reads, in the order of its operands; then the words that it passes on the stack.
    pub arguments: Vec<CallArgument>,
    /// All that the callee can read.
    pub memory: Vec<(MemoryPlace, Bytes)>,
    /// What it did.
    pub effect: CalleeEffect,
}

impl ExternalCall {
    /// A trap of this name: the end of the program. It reads nothing, and does not return.
    pub fn trap(name: String) -> ExternalCall {
        let effect = CalleeEffect { results: Vec::new(), writes: Vec::new(), returns: false };
        ExternalCall { name, arguments: Vec::new(), memory: Vec::new(), effect }
    }
}

/// A difference between a run's calls and those of the source.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallMismatch {
    /// Another function is called, or none where the source calls one, or one where it calls none.
    #[error("call {index} is of {}, expected {}", called(.actual), called(.expected))]
    Callee {
        /// The place in the sequence of calls.
        index: usize,
        /// The source's callee there, if any.
        expected: Option<String>,
        /// The run's callee there, if any.
        actual: Option<String>,
    },
    /// An argument has another value.
    #[error("argument {argument} of call {index}, of @{name}, is {}, expected {expected}", shown(.actual))]
    Argument {
        /// The place in the sequence of calls.
        index: usize,
        /// The callee.
        name: String,
        /// The place in the list of arguments.
        argument: usize,
        /// The source's value.
        expected: String,
        /// The run's value; `None` if it is poison.
        actual: Option<u128>,
    },
    /// The callee finds another byte in memory.
    #[error("byte {offset} at {place} is {} at call {index}, of @{name}, expected {expected:#04x}", shown(.actual))]
    Memory {
        /// The place in the sequence of calls.
        index: usize,
        /// The callee.
        name: String,
        /// The start of the buffer or of the object.
        place: MemoryPlace,
        /// The byte's offset from there.
        offset: usize,
        /// The source's byte.
        expected: u8,
        /// The run's byte; `None` if it is poison.
        actual: Option<u8>,
    },
    /// There is no memory where the callee was given some.
    #[error("there is no memory at {place} for call {index}, of @{name}")]
    Unreachable {
        /// The place in the sequence of calls.
        index: usize,
        /// The callee.
        name: String,
        /// The start of the buffer or of the object.
        place: MemoryPlace,
    },
}

fn called(name: &Option<String>) -> String {
    match name.as_deref() {
        None => "none".to_string(),
        Some("") => "a register".to_string(),
        Some(name) => format!("@{name}"),
    }
}

fn shown<N: fmt::LowerHex>(value: &Option<N>) -> String {
    value.as_ref().map_or("poison".to_string(), |value| format!("{value:#x}"))
}

/// The value that a run passes.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// Its bits.
    pub value: Known,
    /// True if it is poison.
    pub poison: bool,
}

/// The calls of the source, as a later run makes them again.
pub struct CallScript<'s> {
    calls: &'s [ExternalCall],
    /// The number of calls made so far.
    made: usize,
    /// The addresses of stack objects in this run, as its arguments show them.
    bases: SmallVec<[(usize, u64); 4]>,
}

impl<'s> CallScript<'s> {
    /// No call is made yet.
    pub fn new(calls: &'s [ExternalCall]) -> CallScript<'s> {
        CallScript { calls, made: 0, bases: SmallVec::new() }
    }

    /// The next call that the source makes.
    pub fn expected(&self) -> Option<&'s ExternalCall> {
        self.calls.get(self.made)
    }

    /// The latest call, which the run made.
    pub fn made(&self) -> Option<&'s ExternalCall> {
        self.calls.get(self.made.checked_sub(1)?)
    }

    /// The difference if the run ends here and the source makes another call.
    pub fn missing(&self) -> Option<CallMismatch> {
        let (index, expected) = (self.made, Some(self.expected()?.name.clone()));
        Some(CallMismatch::Callee { index, expected, actual: None })
    }

    /// Makes the next call; `read` gives bytes of the run's memory. The result is what the callee does.
    pub fn call(
        &mut self,
        name: &str,
        arguments: &[Passed],
        read: impl FnMut(u64, usize) -> Option<Bytes>,
    ) -> Result<&'s CalleeEffect, CallMismatch> {
        let expected = self.expected().filter(|call| call.name == name).ok_or_else(|| CallMismatch::Callee {
            index: self.made,
            expected: self.expected().map(|call| call.name.clone()),
            actual: Some(name.to_string()),
        })?;
        for (number, (meant, came)) in expected.arguments.iter().zip(arguments).enumerate() {
            self.argument(expected, number, meant, came)?;
        }
        self.memory(expected, read)?;
        self.made += 1;
        Ok(&expected.effect)
    }

    fn argument(
        &mut self,
        call: &ExternalCall,
        argument: usize,
        meant: &CallArgument,
        came: &Passed,
    ) -> Result<(), CallMismatch> {
        let mask = u128::MAX >> u128::BITS.saturating_sub(meant.bits);
        let counts = mask & !meant.value.unknown & !came.value.unknown;
        let is_right = !came.poison
            && match meant.object {
                Some(object) => self.lies_at(object, (came.value.value.wrapping_sub(meant.value.value) & mask) as u64),
                None => (meant.value.value ^ came.value.value) & counts == 0,
            };
        if is_right {
            return Ok(());
        }
        let expected = match meant.object {
            Some(object) => MemoryPlace::Object(object, meant.value.value as u64).to_string(),
            None => format!("{:#x}", meant.value.value & mask),
        };
        let actual = (!came.poison).then_some(came.value.value & mask);
        Err(CallMismatch::Argument { index: self.made, name: call.name.clone(), argument, expected, actual })
    }

    /// Notes the address of a stack object; false if it was another before.
    fn lies_at(&mut self, object: usize, base: u64) -> bool {
        match self.bases.iter().find(|(known, _)| *known == object) {
            Some(&(_, known)) => known == base,
            None => {
                self.bases.push((object, base));
                true
            }
        }
    }

    fn memory(
        &self,
        call: &ExternalCall,
        mut read: impl FnMut(u64, usize) -> Option<Bytes>,
    ) -> Result<(), CallMismatch> {
        for (place, expected) in &call.memory {
            let (index, name, place) = (self.made, call.name.clone(), *place);
            let found = self.address(place).and_then(|address| read(address, expected.values.len()));
            let Some(found) = found else { return Err(CallMismatch::Unreachable { index, name, place }) };
            if let Some(offset) = expected.difference_from(&found) {
                let (expected, open) = (expected.values[offset], found.unknown[offset]);
                let actual = (open != u8::MAX).then_some(found.values[offset]);
                return Err(CallMismatch::Memory { index, name, place, offset, expected, actual });
            }
        }
        Ok(())
    }

    /// The address of a place in this run; `None` for an object whose address no argument has shown.
    pub fn address(&self, place: MemoryPlace) -> Option<u64> {
        match place {
            MemoryPlace::At(address) => Some(address),
            MemoryPlace::Object(object, offset) => {
                let base = self.bases.iter().find(|(known, _)| *known == object)?.1;
                Some(base.wrapping_add(offset))
            }
        }
    }
}
