//! Memory orderings (LLVM's `AtomicOrdering`): how strongly an access orders the accesses around it.

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
        }
        assert_eq!((AtomicOrdering::from_name("relaxed"), AtomicOrdering::from_name("")), (None, None));
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
