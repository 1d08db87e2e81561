//! The order of atomic accesses and fences in a step: what one thread cannot see, and every other thread may.
//!
//! Both sides make the same atomic accesses, at the same places and of the same bits. Between two of them, and at
//! either end, the later side keeps at least the pairs of accesses in order that the earlier side does. It may do that
//! by fences where the earlier side has an ordered access:
//!
//! | earlier | fence before | access | fence after |
//! |---|---|---|---|
//! | load, acquire | | monotonic | acquire |
//! | load, sequentially consistent | sequentially consistent | monotonic | acquire |
//! | store, release | release | monotonic | |
//! | store, sequentially consistent | release | monotonic | sequentially consistent |
//!
//! Source: RISC-V ELF psABI, "Memory Ordering", tables A.6 and A.7 joined, as LLVM writes them. An operation that reads
//! and writes in one is as strong as the earlier one, or a fence on each side would leave its halves apart.
//!
//! A row of the machine says how strong its access is: the memory operand only says that one is meant to be atomic.

use super::counterexample::ValueName;
use super::query::{StepOutput, condition, differing};
use super::side::{Scalar, Side, SideEvaluation};
use super::term::{Symbolic, Term};
use tribunal_ir::semantics::Value;
use tribunal_ir::{AtomicOrdering, FencedPairs, InstData, MemFlags, Opcode, OpcodeFlags, SyncScope};

impl SideEvaluation<'_> {
    /// An instruction of the machine that orders accesses, whatever its memory operand says: an access that loads and
    /// stores in one, or has an ordering or effects besides; or effects alone, as those of a fence.
    pub(super) fn is_ordered_row(&self, data: &InstData) -> bool {
        let Opcode::Target(opcode) = data.opcode else { return false };
        let row = self.target.instruction(opcode);
        let both = OpcodeFlags::LOAD | OpcodeFlags::STORE;
        let has_order = row.access.is_some_and(|access| !access.ordering.fenced().is_empty());
        let has_effects = row.flags.contains(OpcodeFlags::SIDE_EFFECTS) && !self.target.is_call_frame(data);
        let elsewhere = OpcodeFlags::CALL | OpcodeFlags::TERMINATOR;
        (has_order || has_effects || row.flags.contains(both)) && !row.flags.intersects(elsewhere)
    }
}

/// One atomic access, or a half of one that reads and writes.
pub(super) struct AtomicAccess {
    pub address: Term,
    pub bytes: u32,
    /// The directions of the whole access.
    pub directions: MemFlags,
    /// `None` for a load, or for the half that reads.
    pub stored: Option<Value<Symbolic>>,
    pub ordering: AtomicOrdering,
    /// Of a compare-and-exchange that fails; of anything else, the same.
    pub failure_ordering: AtomicOrdering,
    /// The threads among which it is ordered.
    pub scope: SyncScope,
}

impl AtomicAccess {
    /// Orders no less than the other, whether it fails or not.
    fn is_at_least_or_stronger_than(&self, other: &AtomicAccess) -> bool {
        self.ordering.is_at_least_or_stronger_than(other.ordering)
            && self.failure_ordering.is_at_least_or_stronger_than(other.failure_ordering)
            && (self.scope == SyncScope::System || self.scope == other.scope)
    }
}

/// What orders the accesses of one side.
pub(super) enum Ordered {
    Access(AtomicAccess),
    Fence(FencedPairs),
}

/// The accesses of a side, and the pairs that its fences keep in order before each, and at the end.
fn split(side: &Side) -> (Vec<&AtomicAccess>, Vec<FencedPairs>) {
    let (mut accesses, mut fences) = (Vec::new(), vec![FencedPairs::empty()]);
    for event in &side.memory.ordered {
        match event {
            Ordered::Fence(pairs) => fences.last_mut().into_iter().for_each(|last| *last |= *pairs),
            Ordered::Access(access) => {
                accesses.push(access);
                fences.push(FencedPairs::empty());
            }
        }
    }
    (accesses, fences)
}

/// The fences before and after an access of `ordering` that make an unordered one of it; `None` if none do.
fn in_place_of(directions: MemFlags, ordering: AtomicOrdering) -> Option<[FencedPairs; 2]> {
    use AtomicOrdering::{Acquire, Release, SequentiallyConsistent};
    let fences = |[before, after]: [AtomicOrdering; 2]| Some([before.fenced(), after.fenced()]);
    let none = AtomicOrdering::NotAtomic;
    match (directions & (MemFlags::LOAD | MemFlags::STORE), ordering) {
        (MemFlags::LOAD, Acquire) => fences([none, Acquire]),
        (MemFlags::LOAD, SequentiallyConsistent) => fences([SequentiallyConsistent, Acquire]),
        (MemFlags::STORE, Release) => fences([Release, none]),
        (MemFlags::STORE, SequentiallyConsistent) => fences([Release, SequentiallyConsistent]),
        _ => None,
    }
}

/// What remains to be shown: the same accesses, no less ordered.
pub(super) fn outputs(d: &mut Symbolic, source: &Side, result: &Side, outputs: &mut Vec<StepOutput>) {
    if source.memory.ordered.is_empty() && result.memory.ordered.is_empty() {
        return;
    }
    let ((meant, mut wanted), (came, kept)) = (split(source), split(result));
    let kind = |access: &&AtomicAccess| (access.bytes, access.directions, access.stored.is_some());
    if !meant.iter().map(kind).eq(came.iter().map(kind)) {
        return outputs.push(differing(d, "atomic access", source.ub));
    }
    for (place, (one, other)) in meant.iter().zip(&came).enumerate() {
        if !other.is_at_least_or_stronger_than(one) {
            let Some([before, after]) = in_place_of(one.directions, one.ordering) else {
                return outputs.push(differing(d, "order of an atomic access", source.ub));
            };
            wanted[place] |= before;
            wanted[place + 1] |= after;
        }
        outputs.push(condition(d, "address of an atomic access", one.address, other.address, source.ub));
        if let (Some(one), Some(other)) = (&one.stored, &other.stored) {
            let (one, other): (Scalar, Scalar) = (one.clone(), other.clone());
            let name = "value of an atomic access";
            outputs.push(StepOutput { name: ValueName::Other(name), source: one, target: other, ub: source.ub });
        }
    }
    if !wanted.iter().zip(&kept).all(|(wanted, kept)| kept.contains(*wanted)) {
        outputs.push(differing(d, "fence", source.ub));
    }
}
