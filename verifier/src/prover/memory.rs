//! Symbolic memory: bytes and their poison flags by address, from unknown initial contents.

use super::ordering::{AtomicAccess, Ordered};
use super::own_objects::{self, OwnObject};
use super::term::{FrameObject, MemTerm, Span, Symbolic, Term};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Domain, Memory, Value};
use tribunal_ir::{
    AtomicOrdering, FencedPairs, FixedSlot, Function, InstData, InstFlags, MemFlags, MemOperand, Opcode, StackObject,
    StackSlot,
};

/// Kinds of initial memories, each by address: contents, poison flags, and which addresses may be touched.
pub(super) const BYTES: u32 = 0;
pub(super) const POISON: u32 = 1;
pub(super) const VALID: u32 = 2;
/// The contents that never change, where a load says so.
const INVARIANT: u32 = 3;
/// The addresses that may be touched at any time, where an access says so.
const DEREFERENCEABLE: u32 = 4;
/// The first address of the object that an address belongs to. The address after its last byte belongs to it too.
const LOWER: u32 = 5;
/// The addresses that a store may change, at any time: constants lie elsewhere.
pub(super) const WRITABLE: u32 = 6;
/// The address after the last byte of that object.
const UPPER: u32 = 7;
/// The directions of an access.
const ACCESS: MemFlags = MemFlags::LOAD.union(MemFlags::STORE);
/// The distance between the numbers of different places.
const KINDS: u32 = 8;

/// The memories that hold the bounds of objects, by their numbers: the lower ones, the upper ones.
pub(super) const BOUNDS: [u32; 2] = [LOWER, UPPER];

/// True for a memory that holds bounds of objects.
pub(super) fn holds_bounds(d: &Symbolic, memory: MemTerm) -> bool {
    d.initial_number(memory).is_some_and(|number| BOUNDS.contains(&number))
}

/// A bound of an object in a memory that no values were chosen for: its half of the address space, as far as no object
/// of the frame lies between. Those are `frame`, by their bounds. `None` if this memory holds no bounds.
pub(super) fn usual_bound(number: u32, address: Bits, frame: &[[Bits; 2]]) -> Option<Bits> {
    let (place, width) = (BOUNDS.iter().position(|&bounds| bounds == number)?, address.width());
    let not_above = |one: Bits, other: Bits| one.cmp_unsigned(other).is_le();
    if let Some(object) = frame.iter().find(|[lower, upper]| not_above(*lower, address) && not_above(address, *upper)) {
        return Some(object[place]);
    }
    let (half, one) = (Bits::one_bit(width - 1, width), Bits::new(1, width));
    let lower = address.and(half);
    let below = frame.iter().map(|[_, upper]| upper.add(one)).filter(|&next| not_above(next, address));
    let above = frame.iter().map(|[lower, _]| lower.sub(one)).filter(|&last| not_above(address, last));
    Some(match number {
        LOWER => below.fold(lower, |lower, next| if not_above(lower, next) { next } else { lower }),
        _ => above.fold(lower.or(half.not()), |upper, last| if not_above(last, upper) { last } else { upper }),
    })
}

/// What an initial memory holds, by its number, at whatever place.
pub(super) fn kind_of(number: u32) -> u32 {
    number % KINDS
}

/// Whether a flag of this initial memory is mostly set: most addresses may be touched, and most of them written.
pub(super) fn is_usual(number: u32) -> bool {
    [VALID, WRITABLE].contains(&kind_of(number))
}

/// A volatile access.
pub(super) struct Volatile {
    pub bytes: u32,
    pub address: Term,
    /// In bytes, as the memory operand claims it.
    pub align: u32,
    /// `None` for a load.
    pub stored: Option<Value<Symbolic>>,
    /// The bytes that a load of a whole function reads, lowest first: a device may give anything.
    pub loaded: Vec<Value<Symbolic>>,
}

/// A jump table in memory.
#[derive(Clone)]
pub(super) struct TableContents {
    /// A number.
    pub address: Term,
    /// All of one width.
    pub entries: Vec<Bits>,
}

/// The addresses of a frame's objects, which both sides share.
#[derive(Clone, Default)]
pub(super) struct FrameAddresses {
    slots: FxHashMap<StackSlot, Term>,
    /// The facts about objects, where they are known: those of whole functions.
    facts: Rc<FxHashMap<StackSlot, FrameObject>>,
    /// The stack pointer on entry: the objects in the caller's frame lie at fixed distances from it.
    caller: Option<Term>,
}

/// The bytes of all objects of both stages at most, so that they are apart in any address space, wherever they begin.
const MOST_OF_FRAME: u64 = 1 << 30;

impl FrameAddresses {
    /// The objects of two stages of a function. The addresses are those of the later one's frame, so an object is as
    /// aligned as there. Of objects that may not fit the address space nothing is known: facts that contradict each
    /// other would prove anything.
    pub fn of_stages(before: &Function, after: &Function) -> FrameAddresses {
        let marked = |function: &Function| -> Vec<StackSlot> {
            let insts = function.all_insts().map(|inst| function.inst(inst));
            let markers = insts.filter(|data| matches!(data.opcode, Opcode::LIFETIME_START | Opcode::LIFETIME_END));
            markers.flat_map(own_objects::named).collect()
        };
        let marked = [marked(before), marked(after)].concat();
        let room = |object: &StackObject| object.size.saturating_add(object.align.into());
        let of_both = before.stack.values().chain(after.stack.values());
        if of_both.map(room).fold(0, u64::saturating_add) > MOST_OF_FRAME {
            return FrameAddresses::default();
        }
        let facts = before.stack.iter().filter_map(|(slot, object)| {
            let later = after.stack.get(slot)?;
            let bytes = object.size.min(later.size);
            let is_always_alive = !marked.contains(&slot);
            (bytes > 0).then_some((slot, FrameObject { bytes, align: later.align, is_always_alive }))
        });
        FrameAddresses { facts: Rc::new(facts.collect()), ..FrameAddresses::default() }
    }

    /// The objects that a step makes for itself: they are apart.
    pub fn of_step(objects: &[OwnObject]) -> FrameAddresses {
        let facts = objects.iter().map(|object| (object.slot, object.facts())).collect();
        FrameAddresses { facts: Rc::new(facts), ..FrameAddresses::default() }
    }
}

/// The effect of one side of a step on memory. Both sides start from the same contents.
pub(super) struct SymbolicMemory {
    pub bytes: MemTerm,
    pub poison: MemTerm,
    valid: MemTerm,
    /// The contents at this place, before any store.
    initial: MemTerm,
    /// Whether accesses are known to lie in one object: only where an address is said to stay in its object.
    pub follows_objects: bool,
    frame: FrameAddresses,
    /// The distance of each object in the caller's frame from the stack pointer on entry, in bytes.
    pub fixed: Vec<i64>,
    pub stored: bool,
    /// Volatile accesses, in order.
    pub volatile: Vec<Volatile>,
    /// Atomic accesses and fences, in order.
    pub ordered: Vec<Ordered>,
    /// In a whole function a volatile load reads what nobody knows. In a step, that stands for the same access on both
    /// sides, it reads memory.
    pub reads_devices: bool,
    /// The bytes that the next volatile loads read.
    pub offered: VecDeque<Value<Symbolic>>,
    /// Constants in memory, by their address, with their alignment in bytes. Nothing writes to them.
    pub constants: Vec<(Term, Bits, u32)>,
    /// Jump tables. Nothing writes to them.
    pub tables: Vec<TableContents>,
    /// Stack objects of this side alone.
    pub own: Vec<OwnObject>,
    /// Machine code knows no poison: its loads give bits.
    machine: bool,
    /// Values loaded, by their bits: whether they are poison, and which of their bytes are, lowest first.
    loaded: FxHashMap<Term, (Term, Vec<Term>)>,
}

impl SymbolicMemory {
    /// Memory with unknown contents at the `place`th such place. The set of valid addresses is one of that place: what
    /// stands between two may free an object.
    pub fn new(d: &mut Symbolic, place: u32, frame: FrameAddresses, machine: bool) -> SymbolicMemory {
        let initial = d.initial_memory(BYTES + KINDS * place, 8);
        SymbolicMemory {
            bytes: initial,
            initial,
            follows_objects: false,
            poison: d.initial_memory(POISON + KINDS * place, 1),
            valid: d.initial_memory(VALID + KINDS * place, 1),
            frame,
            fixed: Vec::new(),
            stored: false,
            volatile: Vec::new(),
            ordered: Vec::new(),
            reads_devices: false,
            offered: VecDeque::new(),
            constants: Vec::new(),
            tables: Vec::new(),
            own: Vec::new(),
            machine,
            loaded: FxHashMap::default(),
        }
    }

    /// Memory at the `place`th place, after something that may have changed it all but for its constants.
    pub fn at(&mut self, d: &mut Symbolic, place: u32) -> SymbolicMemory {
        let (frame, constants) = (std::mem::take(&mut self.frame), std::mem::take(&mut self.constants));
        let (fixed, loaded) = (std::mem::take(&mut self.fixed), std::mem::take(&mut self.loaded));
        let tables = std::mem::take(&mut self.tables);
        let new = SymbolicMemory::new(d, place, frame, self.machine);
        let (follows_objects, reads_devices) = (self.follows_objects, self.reads_devices);
        SymbolicMemory { constants, tables, fixed, follows_objects, reads_devices, loaded, ..new }
    }

    pub fn frame(&self) -> FrameAddresses {
        self.frame.clone()
    }

    /// The address of an object, where something asked for it.
    pub fn slot_address(&self, slot: StackSlot) -> Option<Term> {
        self.frame.slots.get(&slot).copied()
    }

    /// The byte at this offset of an object whose lifetime begins or ends: anything, and nobody knows whether it may be
    /// touched.
    pub fn begin_or_end_life(
        &mut self,
        d: &mut Symbolic,
        (start, index): (Term, u32),
        byte: &Value<Symbolic>,
        valid: Term,
    ) {
        let place = moved(d, start, index);
        self.bytes = d.store_unit(self.bytes, place, byte.bits);
        self.poison = d.store_unit(self.poison, place, byte.poison);
        self.valid = d.store_unit(self.valid, place, valid);
        self.stored = true;
    }

    /// Notes an atomic access.
    fn note_order(&mut self, operand: &MemOperand, (address, bytes): (Term, u32), stored: Option<&Value<Symbolic>>) {
        if operand.is_atomic() {
            let (directions, ordering) = (operand.flags & ACCESS, operand.ordering);
            let failure_ordering = match operand.failure_ordering {
                AtomicOrdering::NotAtomic => ordering,
                failing => failing,
            };
            let (stored, scope) = (stored.cloned(), operand.scope);
            let access = AtomicAccess { address, bytes, directions, stored, ordering, failure_ordering, scope };
            self.ordered.push(Ordered::Access(access));
        }
    }

    /// Notes a volatile access; the bytes that it reads, if it is a load from a device.
    fn note(
        &mut self,
        d: &mut Symbolic,
        operand: &MemOperand,
        (address, bytes): (Term, u32),
        stored: Option<&Value<Symbolic>>,
    ) -> Vec<Value<Symbolic>> {
        if !operand.flags.contains(MemFlags::VOLATILE) {
            return Vec::new();
        }
        let reads = if stored.is_none() && self.reads_devices { bytes } else { 0 };
        let mut byte = |_| self.offered.pop_front().filter(|byte| d.width_of(byte.bits) == 8);
        let offered: Vec<Option<Value<Symbolic>>> = (0..reads).map(&mut byte).collect();
        let fresh = |d: &mut Symbolic| Value::new(d.variable(8), d.variable(1));
        let loaded: Vec<Value<Symbolic>> = offered.into_iter().map(|byte| byte.unwrap_or_else(|| fresh(d))).collect();
        let (align, stored) = (operand.align, stored.cloned());
        self.volatile.push(Volatile { bytes, address, align, stored, loaded: loaded.clone() });
        loaded
    }

    /// Which bytes of a stored value are poison: all of an element that is, but for a value that a load gave and
    /// nothing changed. Such a value moves its bytes as `memcpy` does: LLVM expands that into wide loads and stores.
    fn poison_of_bytes(&self, d: &mut Symbolic, value: &Value<Symbolic>, bytes: u32) -> Vec<Term> {
        match self.loaded.get(&value.bits) {
            Some((poison, flags)) if *poison == value.poison && flags.len() == bytes as usize => flags.clone(),
            _ => (0..bytes).map(|byte| value.part_is_poison(d, 8 * byte, 8)).collect(),
        }
    }

    /// What a load gives that may be of an entry of a jump table. The value and the condition are those of a load from
    /// anywhere else. A table is as aligned as its entries are long, and no more.
    fn of_tables(
        &self,
        d: &mut Symbolic,
        (address, align): (Term, u32),
        (mut value, mut ub): (Value<Symbolic>, Term),
    ) -> (Value<Symbolic>, Term) {
        let no = d.truth(false);
        for TableContents { address: start, entries } in &self.tables {
            let width = d.width_of(value.bits);
            let misaligned = d.truth(8 * align > width);
            for (index, entry) in (0..).zip(entries).filter(|(_, entry)| entry.width() == width) {
                let place = moved(d, *start, index * width / 8);
                let is_here = d.equal(address, place);
                let entry = d.value(*entry);
                value.bits = d.ite(&is_here, &entry, &value.bits);
                value.poison = d.bool_ite(&is_here, &no, &value.poison);
                ub = d.bool_ite(&is_here, &misaligned, &ub);
            }
        }
        (value, ub)
    }

    /// True where the access touches an invalid address, is less aligned than it claims, or breaks another promise.
    fn undefined(&self, d: &mut Symbolic, address: Term, bytes: u32, operand: &MemOperand) -> Term {
        let mut ub = d.truth(false);
        for index in 0..bytes {
            let place = moved(d, address, index);
            if !is_always_alive(d, place) {
                let valid = d.select(self.valid, place);
                let invalid = d.complement(valid);
                ub = d.bool_or(&ub, &invalid);
            }
            let broken = self.broken_promise(d, place, operand.flags);
            ub = d.bool_or(&ub, &broken);
        }
        let misaligned = misaligned(d, address, operand.align);
        ub = d.bool_or(&ub, &misaligned);
        if self.follows_objects {
            let outside = Self::spans_objects(d, address, bytes);
            ub = d.bool_or(&ub, &outside);
        }
        ub
    }

    /// True where a byte may not be touched at any time, or changes, although the access says the contrary.
    fn broken_promise(&self, d: &mut Symbolic, place: Term, flags: MemFlags) -> Term {
        let mut broken = d.truth(false);
        if flags.contains(MemFlags::DEREFERENCEABLE) && !is_always_alive(d, place) {
            let always = d.initial_memory(DEREFERENCEABLE, 1);
            let always = d.select(always, place);
            broken = d.complement(always);
        }
        if flags.contains(MemFlags::INVARIANT) {
            let invariant = d.initial_memory(INVARIANT, 8);
            let expected = d.select(invariant, place);
            for memory in [self.initial, self.bytes] {
                let found = d.select(memory, place);
                let changed = d.ne(&expected, &found);
                broken = d.bool_or(&broken, &changed);
            }
        }
        broken
    }

    /// True where some byte of the access lies in another object than the first, or the address wraps between.
    fn spans_objects(d: &mut Symbolic, address: Term, bytes: u32) -> Term {
        let (end, [_, upper]) = (moved(d, address, bytes), bounds(d, address));
        let (wraps, beyond) = (d.ult(&end, &address), d.ult(&upper, &end));
        d.note_span(Span { wraps, beyond, start: address, bytes });
        d.bool_or(&wraps, &beyond)
    }
}

/// The bounds of the object that an address belongs to: its first address, and that after its last byte.
fn bounds(d: &mut Symbolic, address: Term) -> [Term; 2] {
    if let Some(place) = d.place_in_object(address) {
        let bytes = d.value(Bits::new(place.object.bytes.into(), d.width_of(address)));
        return [place.start, d.add(&place.start, &bytes)];
    }
    BOUNDS.map(|number| {
        let bounds = d.initial_memory(number, d.width_of(address));
        d.select(bounds, address)
    })
}

/// True for a sum of an address that is said not to wrap, or to stay in its object.
pub(super) fn promises_object(data: &InstData) -> bool {
    data.opcode == Opcode::G_PTR_ADD && data.flags.intersects(InstFlags::PROMISES)
}

/// True for the address of a byte that may be touched all the time.
fn is_always_alive(d: &Symbolic, address: Term) -> bool {
    d.place_in_object(address).is_some_and(|place| place.is_inside() && place.object.is_always_alive)
}

/// The address so many bytes on.
pub(super) fn moved(d: &mut Symbolic, address: Term, bytes: u32) -> Term {
    let width = d.width_of(address);
    let offset = d.value(Bits::new(bytes.into(), width));
    d.add(&address, &offset)
}

/// True where an address is not a multiple of `align`, a power of two.
pub(super) fn misaligned(d: &mut Symbolic, address: Term, align: u32) -> Term {
    let mut misaligned = d.truth(false);
    if align > 1 {
        // Bit by bit, so that an alignment claimed above shows in each claim that follows from it.
        let bits = align.trailing_zeros();
        let low = d.extract(&address, 0, bits);
        for index in 0..bits {
            let set = d.extract(&low, index, 1);
            misaligned = d.bool_or(&misaligned, &set);
        }
    }
    misaligned
}

/// Bytes as one value, the first lowest.
fn joined(d: &mut Symbolic, bytes: &[Value<Symbolic>]) -> Value<Symbolic> {
    let mut all = bytes.iter().cloned();
    let first = all.next().unwrap_or_else(|| Value::new(d.literal(0, 8), d.truth(false)));
    all.fold(first, |low, byte| Value::new(d.concatenate(byte.bits, low.bits), d.bool_or(&low.poison, &byte.poison)))
}

impl Memory<Symbolic> for SymbolicMemory {
    fn load(&mut self, d: &mut Symbolic, address: &Term, bytes: u32, operand: &MemOperand) -> (Value<Symbolic>, Term) {
        // Others may see a volatile or an atomic access, whatever it reads.
        let is_plain = !operand.flags.contains(MemFlags::VOLATILE) && !operand.is_atomic();
        let constant = self.constants.iter().filter(|_| is_plain).find_map(|&(base, contents, align)| {
            let offset = d.distance(base, *address)?.to_i64().and_then(|offset| u32::try_from(offset).ok())?;
            let end = offset.checked_add(bytes)?.checked_mul(8)?;
            let aligned = operand.align <= align && offset.is_multiple_of(operand.align);
            (end <= contents.width() && aligned).then(|| contents.extract(8 * offset, 8 * bytes))
        });
        if let Some(bits) = constant {
            let poison = d.truth(false);
            return (Value::new(d.value(bits), poison), poison);
        }
        if let Some(value) = self.load_own(d, (*address, bytes), operand) {
            return (value, d.truth(false));
        }
        self.note_order(operand, (*address, bytes), None);
        let device = self.note(d, operand, (*address, bytes), None);
        let ub = self.undefined(d, *address, bytes, operand);
        if !device.is_empty() {
            return (joined(d, &device), ub);
        }
        let mut value: Option<Term> = None;
        let mut poison = d.truth(false);
        let mut flags = Vec::new();
        for index in 0..bytes {
            let place = moved(d, *address, index);
            let byte = d.select(self.bytes, place);
            value = Some(value.map_or(byte, |low| d.concatenate(byte, low)));
            if !self.machine {
                let flag = d.select(self.poison, place);
                poison = d.bool_or(&poison, &flag);
                flags.push(flag);
            }
        }
        let bits = value.unwrap_or_else(|| d.truth(false));
        if !self.machine {
            self.loaded.insert(bits, (poison, flags));
        }
        self.of_tables(d, (*address, operand.align), (Value::new(bits, poison), ub))
    }

    fn store(&mut self, d: &mut Symbolic, address: &Term, value: &Value<Symbolic>, operand: &MemOperand) -> Term {
        let bytes = d.width_of(value.bits) / 8;
        if self.store_own(d, *address, value, operand) {
            return d.truth(false);
        }
        self.note_order(operand, (*address, bytes), Some(value));
        self.note(d, operand, (*address, bytes), Some(value));
        let mut ub = self.undefined(d, *address, bytes, operand);
        self.stored = true;
        let writable = d.initial_memory(WRITABLE, 1);
        let flags = self.poison_of_bytes(d, value, bytes);
        for (index, flag) in (0..bytes).zip(flags) {
            let place = moved(d, *address, index);
            if !d.place_in_object(place).is_some_and(|place| place.is_inside()) {
                let may_write = d.select(writable, place);
                let read_only = d.complement(may_write);
                ub = d.bool_or(&ub, &read_only);
            }
            let byte = d.extract(&value.bits, 8 * index, 8);
            self.bytes = d.store_unit(self.bytes, place, byte);
            self.poison = d.store_unit(self.poison, place, flag);
        }
        ub
    }

    fn fence(&mut self, _: &mut Symbolic, pairs: FencedPairs) {
        self.ordered.push(Ordered::Fence(pairs));
    }

    fn leaves_object(&mut self, d: &mut Symbolic, from: &Term, to: &Term) -> Term {
        if from == to {
            return d.truth(false);
        }
        let [lower, upper] = bounds(d, *from);
        let (below, above) = (d.ult(to, &lower), d.ult(&upper, to));
        d.bool_or(&below, &above)
    }

    fn leaves_one_object(&mut self, d: &mut Symbolic, start: &Term, bytes: u32) -> Term {
        if self.follows_objects && bytes > 0 { Self::spans_objects(d, *start, bytes) } else { d.truth(false) }
    }

    fn frame_address(&mut self, d: &mut Symbolic, slot: StackSlot, bits: u32) -> Term {
        let FrameAddresses { slots, facts, .. } = &mut self.frame;
        *slots.entry(slot).or_insert_with(|| match facts.get(&slot) {
            Some(&object) => d.object_address(object, bits),
            None => d.variable(bits),
        })
    }

    fn fixed_address(&mut self, d: &mut Symbolic, slot: FixedSlot, bits: u32) -> Term {
        let caller = *self.frame.caller.get_or_insert_with(|| d.variable(bits));
        let distance = self.fixed.get(slot.as_u32() as usize).copied().unwrap_or(0);
        let distance = d.literal(distance, bits);
        d.add(&caller, &distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds that a sample has are what the solver is told: an address is within its own, no object takes half of
    /// the address space, and addresses of one object have the same bounds.
    #[test]
    fn usual_bounds_are_of_objects() {
        let number = |value: u128| Bits::new(value, 8);
        let frame = [[number(20), number(24)], [number(26), number(27)], [number(127), number(140)]];
        let bounds =
            |address| BOUNDS.map(|bound| usual_bound(bound, address, &frame).expect("it is a bound").unsigned());
        for (address, [lower, upper]) in (0..256).map(|address| (address, bounds(number(address)))) {
            assert!(lower <= address && address <= upper && upper - lower < 128, "{address}: {lower} to {upper}");
            for other in lower..=upper {
                assert_eq!(bounds(number(other)), [lower, upper], "{address} and {other}");
            }
        }
        assert_eq!(bounds(number(24)), [20, 24], "the address after the last byte belongs to the object");
        assert_eq!(bounds(number(25)), [25, 25], "what lies between two objects is none of them");
        assert_eq!(usual_bound(BYTES, number(20), &frame), None);
    }
}
