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
    /// `acquire` and the like.
    pub fn from_name(name: &str) -> Option<AtomicOrdering> {
        Some(match name {
            "unordered" => AtomicOrdering::Unordered,
            "monotonic" => AtomicOrdering::Monotonic,
            "acquire" => AtomicOrdering::Acquire,
            "release" => AtomicOrdering::Release,
            "acq_rel" => AtomicOrdering::AcquireRelease,
            "seq_cst" => AtomicOrdering::SequentiallyConsistent,
            _ => return None,
        })
    }

    /// Success and failure ordering of a memory operand's words (`syncscope("agent") acq_rel acquire`). An unknown word
    /// counts as the strongest ordering: nothing may be assumed of it.
    pub fn of_words(words: &str) -> (AtomicOrdering, AtomicOrdering) {
        let words = match words.strip_prefix("syncscope(") {
            Some(scoped) => scoped.split_once(')').map_or("", |(_, rest)| rest),
            None => words,
        };
        let strongest = AtomicOrdering::SequentiallyConsistent;
        let mut each = words.split_whitespace().map(|word| AtomicOrdering::from_name(word).unwrap_or(strongest));
        (each.next().unwrap_or(strongest), each.next().unwrap_or(AtomicOrdering::NotAtomic))
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

#[cfg(test)]
mod tests {
    use super::AtomicOrdering::*;
    use super::*;

    #[test]
    fn orderings_are_read_from_their_words() {
        assert_eq!(AtomicOrdering::of_words("acquire"), (Acquire, NotAtomic));
        assert_eq!(AtomicOrdering::of_words("seq_cst monotonic"), (SequentiallyConsistent, Monotonic));
        assert_eq!(AtomicOrdering::of_words("syncscope(\"agent\") acq_rel acquire"), (AcquireRelease, Acquire));
        assert_eq!(AtomicOrdering::of_words("relaxed"), (SequentiallyConsistent, NotAtomic));
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
