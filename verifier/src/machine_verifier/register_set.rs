//! A set of machine registers, by number, that is copied as a number is.
//!
//! Invariant: no target has more registers than the set has bits. `tests/rules.rs` checks each target.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};
use tribunal_ir::PReg;

/// A set of at most 256 registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RegisterSet {
    words: [u128; 2],
}

/// The set of one register.
pub(super) fn bit(register: PReg) -> RegisterSet {
    RegisterSet::of_registers([register])
}

impl RegisterSet {
    /// No register.
    pub const EMPTY: RegisterSet = RegisterSet { words: [0; 2] };

    /// True if it has no register.
    pub fn is_empty(self) -> bool {
        self.words == [0; 2]
    }

    /// True if both have a register in common.
    pub fn meets(self, other: RegisterSet) -> bool {
        !(self & other).is_empty()
    }

    /// The set of these registers.
    pub fn of_registers(registers: impl IntoIterator<Item = PReg>) -> RegisterSet {
        let mut set = RegisterSet::EMPTY;
        for PReg(number) in registers {
            set.words[usize::from(number >> 7) & 1] |= 1 << (number & 127);
        }
        set
    }

    /// The union of sets.
    pub fn of(sets: impl IntoIterator<Item = RegisterSet>) -> RegisterSet {
        sets.into_iter().fold(RegisterSet::EMPTY, |all, set| all | set)
    }
}

impl BitOr for RegisterSet {
    type Output = RegisterSet;
    fn bitor(self, other: RegisterSet) -> RegisterSet {
        RegisterSet { words: [self.words[0] | other.words[0], self.words[1] | other.words[1]] }
    }
}

impl BitAnd for RegisterSet {
    type Output = RegisterSet;
    fn bitand(self, other: RegisterSet) -> RegisterSet {
        RegisterSet { words: [self.words[0] & other.words[0], self.words[1] & other.words[1]] }
    }
}

impl Not for RegisterSet {
    type Output = RegisterSet;
    fn not(self) -> RegisterSet {
        RegisterSet { words: self.words.map(|word| !word) }
    }
}

impl BitOrAssign for RegisterSet {
    fn bitor_assign(&mut self, other: RegisterSet) {
        *self = *self | other;
    }
}

impl BitAndAssign for RegisterSet {
    fn bitand_assign(&mut self, other: RegisterSet) {
        *self = *self & other;
    }
}
