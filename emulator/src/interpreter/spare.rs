//! The bytes of memories that are done, for the next ones of the thread: frames are large, and each input has one.
//!
//! Invariant: what comes out is empty. Only the capacity stays.

use std::cell::RefCell;

/// Vectors of fewer bytes are as cheap to allocate.
const LEAST: usize = 1 << 10;
/// Vectors of more bytes go back to the system.
const MOST: usize = 1 << 17;
/// Memories that are kept: those of the inputs that run in lock step.
const COUNT: usize = 64;

/// The contents of a run's memory: bytes, the unconstrained bits of each, and whether each is poison.
#[derive(Default)]
pub(super) struct ScratchBytes {
    pub bytes: Vec<u8>,
    pub unknown: Vec<u8>,
    pub poison: Vec<bool>,
}

thread_local! {
    static SPARE: RefCell<Vec<ScratchBytes>> = const { RefCell::new(Vec::new()) };
}

impl ScratchBytes {
    /// Empty ones, with room for many bytes if there are spare ones.
    pub fn empty() -> ScratchBytes {
        SPARE.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Keeps the capacity of these.
    pub fn keep(mut self) {
        if !(LEAST..=MOST).contains(&self.bytes.capacity()) {
            return;
        }
        self.bytes.clear();
        self.unknown.clear();
        self.poison.clear();
        // A thread that ends keeps none.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < COUNT {
                spare.push(self);
            }
        });
    }
}
