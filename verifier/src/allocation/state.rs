//! The lattice of the dataflow: for each location the set of values that it holds.

use smallvec::SmallVec;
use tribunal_ir::{PReg, Reg, StackSlot};

/// A place that can hold a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Location {
    Register(PReg),
    Slot(StackSlot),
}

/// Registers of the selected function, physical ones in full: a set of very few, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Holds(pub(super) SmallVec<[Reg; 2]>);

impl Holds {
    pub(super) fn only(value: Reg) -> Holds {
        Holds(SmallVec::from_slice(&[value]))
    }

    pub(super) fn contains(&self, value: Reg) -> bool {
        self.0.contains(&value)
    }

    pub(super) fn insert(&mut self, value: Reg) {
        if let Err(place) = self.0.binary_search(&value) {
            self.0.insert(place, value);
        }
    }

    pub(super) fn remove(&mut self, value: Reg) {
        if let Some(place) = self.0.iter().position(|&held| held == value) {
            self.0.remove(place);
        }
    }

    /// The intersection of both.
    pub(super) fn common(&self, other: &Holds) -> Holds {
        Holds(self.0.iter().copied().filter(|&value| other.contains(value)).collect())
    }
}

/// The contents of each location.
#[derive(Clone)]
pub(super) struct State {
    /// By [`Checker::place`].
    pub(super) locations: Vec<Holds>,
    /// Virtual registers that some location may hold, one bit each: others need no search.
    pub(super) held: Vec<u64>,
}

impl State {
    /// Puts `holds` at a place, if it is one.
    pub(super) fn set(&mut self, place: Option<usize>, holds: Holds) {
        if let Some(location) = place.and_then(|place| self.locations.get_mut(place)) {
            holds.0.iter().for_each(|&value| mark(&mut self.held, value));
            *location = holds;
        }
    }

    /// Takes the value out of every location.
    pub(super) fn remove(&mut self, value: Reg) {
        if is_marked(&self.held, value) {
            self.locations.iter_mut().for_each(|holds| holds.remove(value));
        }
    }

    /// The intersection of both, location by location.
    pub(super) fn common(&self, other: &State) -> State {
        let locations = self.locations.iter().zip(&other.locations).map(|(one, other)| one.common(other)).collect();
        let held = self.held.iter().zip(&other.held).map(|(one, other)| one & other).collect();
        State { locations, held }
    }
}

/// The position of a virtual register's bit; physical ones have none.
fn bit(value: Reg) -> Option<(usize, u64)> {
    let number = value.as_virtual()?.as_u32();
    Some((number as usize / 64, 1 << (number % 64)))
}

pub(super) fn mark(held: &mut [u64], value: Reg) {
    if let Some((word, bit)) = bit(value) {
        held[word] |= bit;
    }
}

fn is_marked(held: &[u64], value: Reg) -> bool {
    bit(value).is_none_or(|(word, bit)| held[word] & bit != 0)
}
