//! The bytes of memories that are done, for the next ones of the thread: frames are large, and each input has one.
//!
//! Invariant: what comes out is empty. Only the capacity stays.

use std::cell::RefCell;

/// Vectors of fewer bytes are as cheap to allocate.
const LEAST: usize = 1 << 10;
/// Memories that are kept: those of the inputs that run in lock step.
const COUNT: usize = 64;
/// Bytes of all that are kept, at most; the rest goes back to the system.
const MOST: usize = 1 << 25;

/// The contents of a run's memory: bytes, the unconstrained bits of each, and whether each is poison.
#[derive(Default)]
pub(super) struct ScratchBytes {
    pub bytes: Vec<u8>,
    pub unknown: Vec<u8>,
    pub poison: Vec<bool>,
}

/// Those of a thread that are kept.
#[derive(Default)]
struct Spare {
    memories: Vec<ScratchBytes>,
    /// Their bytes together.
    bytes: usize,
}

thread_local! {
    static SPARE: RefCell<Spare> = RefCell::default();
}

impl ScratchBytes {
    /// Empty ones, with room for many bytes if there are spare ones.
    pub fn empty() -> ScratchBytes {
        SPARE.with_borrow_mut(|spare| {
            let memory = spare.memories.pop().unwrap_or_default();
            spare.bytes -= memory.capacity();
            memory
        })
    }

    /// Bytes of all vectors, in use or not.
    fn capacity(&self) -> usize {
        self.bytes.capacity() + self.unknown.capacity() + self.poison.capacity()
    }

    /// Keeps the capacity of these.
    pub fn keep(mut self) {
        if self.bytes.capacity() < LEAST {
            return;
        }
        self.bytes.clear();
        self.unknown.clear();
        self.poison.clear();
        let capacity = self.capacity();
        // A thread that ends keeps none.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.memories.len() < COUNT && spare.bytes + capacity <= MOST {
                spare.bytes += capacity;
                spare.memories.push(self);
            }
        });
    }
}
