//! Memory orderings (LLVM's `AtomicOrdering`): how strongly an access orders the accesses around it.

use bitflags::bitflags;

bitflags! {
    /// The pairs of accesses that a fence keeps in order: the first stands before it, the second after it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct FencedPairs: u8 {
        /// Two loads.
        const LOAD_LOAD = 1 << 0;
        /// A load, and a store after it.
        const LOAD_STORE = 1 << 1;
        /// A store, and a load after it.
        const STORE_LOAD = 1 << 2;
        /// Two stores.
        const STORE_STORE = 1 << 3;
    }
}

/// Orderings as LLVM's text spells them, each after the weaker ones; acquire and release are incomparable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOrdering {
    /// A plain access.
    NotAtomic,
    /// Torn values are excluded, and nothing is ordered.
    Unordered,
    /// Accesses of one address are in one order; C's `relaxed`.
    Monotonic,
    /// Later accesses stay after it.
    Acquire,
    /// Earlier accesses stay before it.
    Release,
    /// Both [`AtomicOrdering::Acquire`] and [`AtomicOrdering::Release`].
    AcquireRelease,
    /// The same, and all such accesses are in one order.
    SequentiallyConsistent,
}

impl AtomicOrdering {
    /// The orderings that a word names, weakest first.
    pub const NAMED: [AtomicOrdering; 6] = {
        use AtomicOrdering::*;
        [Unordered, Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]
    };

    /// The number of each in LLVM, as a `G_FENCE` has it. The numbers end at 7, and 3 is nobody's.
    const NUMBERED: [(i64, AtomicOrdering); 7] = {
        use AtomicOrdering::*;
        [
            (0, NotAtomic),
            (1, Unordered),
            (2, Monotonic),
            (4, Acquire),
            (5, Release),
            (6, AcquireRelease),
            (7, SequentiallyConsistent),
        ]
    };

    /// The ordering of LLVM's number.
    pub fn from_number(number: i64) -> Option<AtomicOrdering> {
        AtomicOrdering::NUMBERED.into_iter().find(|(own, _)| *own == number).map(|(_, ordering)| ordering)
    }

    /// LLVM's number.
    pub fn number(self) -> i64 {
        AtomicOrdering::NUMBERED[self as usize].0
    }

    /// The pairs that a fence of this ordering keeps in order.
    pub fn fenced(self) -> FencedPairs {
        let acquired = FencedPairs::LOAD_LOAD | FencedPairs::LOAD_STORE;
        let released = FencedPairs::LOAD_STORE | FencedPairs::STORE_STORE;
        match self {
            AtomicOrdering::NotAtomic | AtomicOrdering::Unordered | AtomicOrdering::Monotonic => FencedPairs::empty(),
            AtomicOrdering::Acquire => acquired,
            AtomicOrdering::Release => released,
            AtomicOrdering::AcquireRelease => acquired | released,
            AtomicOrdering::SequentiallyConsistent => FencedPairs::all(),
        }
    }

    /// The weakest ordering that promises what both do (LLVM's `getMergedAtomicOrdering`).
    pub fn merged(self, other: AtomicOrdering) -> AtomicOrdering {
        use AtomicOrdering::*;
        match (self, other) {
            (Acquire, Release) | (Release, Acquire) => AcquireRelease,
            _ if self.is_at_least_or_stronger_than(other) => self,
            _ => other,
        }
    }

    /// The ordering of LLVM's word.
    pub fn from_name(name: &str) -> Option<AtomicOrdering> {
        AtomicOrdering::NAMED.into_iter().find(|ordering| ordering.name() == name)
    }

    /// LLVM's word; nothing for a plain access.
    pub const fn name(self) -> &'static str {
        match self {
            AtomicOrdering::NotAtomic => "",
            AtomicOrdering::Unordered => "unordered",
            AtomicOrdering::Monotonic => "monotonic",
            AtomicOrdering::Acquire => "acquire",
            AtomicOrdering::Release => "release",
            AtomicOrdering::AcquireRelease => "acq_rel",
            AtomicOrdering::SequentiallyConsistent => "seq_cst",
        }
    }

    /// True if this promises all that `other` promises.
    pub fn is_at_least_or_stronger_than(self, other: AtomicOrdering) -> bool {
        use AtomicOrdering::*;
        match (self, other) {
            (Release, Acquire) => false,
            _ => self as u8 >= other as u8,
        }
    }
}

/// The threads among which an access is atomic (LLVM's `SyncScope::ID`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SyncScope {
    /// All that share the memory.
    #[default]
    System,
    /// `singlethread`: the thread itself and its signal handlers.
    SingleThread,
}

impl SyncScope {
    /// LLVM's number, as a `G_FENCE` has it.
    pub const fn number(self) -> i64 {
        match self {
            SyncScope::SingleThread => 0,
            SyncScope::System => 1,
        }
    }

    /// LLVM's word; nothing for the whole system.
    pub const fn name(self) -> &'static str {
        match self {
            SyncScope::System => "",
            SyncScope::SingleThread => "singlethread",
        }
    }

    /// The scope of LLVM's word.
    pub fn from_name(name: &str) -> Option<SyncScope> {
        [SyncScope::System, SyncScope::SingleThread].into_iter().find(|scope| scope.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::AtomicOrdering::*;
    use super::*;

    #[test]
    fn every_word_names_its_ordering() {
        for ordering in AtomicOrdering::NAMED {
            assert_eq!(AtomicOrdering::from_name(ordering.name()), Some(ordering));
            assert_eq!(AtomicOrdering::from_number(ordering.number()), Some(ordering));
        }
        assert_eq!((AtomicOrdering::from_name("relaxed"), AtomicOrdering::from_name("")), (None, None));
    }

    #[test]
    fn merged_orderings_promise_what_both_do() {
        for (one, other) in
            AtomicOrdering::NAMED.into_iter().flat_map(|one| AtomicOrdering::NAMED.map(|two| (one, two)))
        {
            let both = one.merged(other);
            assert!(both.is_at_least_or_stronger_than(one) && both.is_at_least_or_stronger_than(other));
            assert!(both.fenced().contains(one.fenced() | other.fenced()));
        }
        assert_eq!((Acquire.merged(Release), Monotonic.merged(Acquire)), (AcquireRelease, Acquire));
    }

    #[test]
    fn acquire_and_release_are_neither_stronger() {
        assert!(!Acquire.is_at_least_or_stronger_than(Release) && !Release.is_at_least_or_stronger_than(Acquire));
        assert!(AcquireRelease.is_at_least_or_stronger_than(Acquire));
        assert!(AcquireRelease.is_at_least_or_stronger_than(Release));
        assert!(
            !Unordered.is_at_least_or_stronger_than(Monotonic) && Monotonic.is_at_least_or_stronger_than(Monotonic)
        );
    }
}
