//! Addresses of the objects in a frame: variables of which something is known.
//!
//! No two objects overlap, none is at address 0 or reaches the end of the address space, and each is aligned. These
//! facts fold terms as they are built, a sample's addresses have them ([`Symbolic::laid_out`]), and the solver is told.
//! The order of objects and the distances between them are not known.

use super::{MemNode, Node, Symbolic, Term};
use tribunal_ir::bits::Bits;

/// An object of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameObject {
    /// At least one.
    pub bytes: u64,
    /// In bytes, a power of two.
    pub align: u32,
    /// Its bytes may be touched from the function's entry to its end: no lifetime begins or ends.
    pub is_always_alive: bool,
}

/// An address at a known place of an object.
pub struct PlaceInObject {
    /// The object's first address.
    pub start: Term,
    /// The object.
    pub object: FrameObject,
    /// Bytes from the start; `object.bytes` for the address after the last byte.
    pub offset: u64,
}

impl PlaceInObject {
    /// True of each address but the one after the last byte.
    pub fn is_inside(&self) -> bool {
        self.offset < self.object.bytes
    }
}

impl Symbolic {
    /// The address of another object, `width` bits.
    pub fn object_address(&mut self, object: FrameObject, width: u32) -> Term {
        let address = self.variable(width);
        self.objects.insert(address, object);
        address
    }

    /// The object that the address is a constant distance into.
    pub fn place_in_object(&self, address: Term) -> Option<PlaceInObject> {
        if self.objects.is_empty() {
            return None;
        }
        let (Some(start), offset) = self.base_and_offset(address) else { return None };
        let &object = self.objects.get(&start)?;
        let offset = offset.map_or(0, |offset| if offset.used() <= u64::BITS { offset.low_u64() } else { u64::MAX });
        (offset <= object.bytes).then_some(PlaceInObject { start, object, offset })
    }

    /// Whether the addresses differ since they are in different objects, or one is in an object and the other is 0.
    pub(super) fn are_apart(&self, a: Term, b: Term) -> bool {
        let inside = |address| self.place_in_object(address).filter(PlaceInObject::is_inside);
        let is_null = |address| self.as_const(address).is_some_and(Bits::is_zero);
        match (inside(a), inside(b)) {
            (Some(one), Some(other)) => one.start != other.start,
            (Some(_), None) => is_null(b),
            (None, Some(_)) => is_null(a),
            (None, None) => false,
        }
    }

    /// Whether an address is less than another, both in one object or after its last byte.
    pub(super) fn order_in_object(&self, a: Term, b: Term) -> Option<bool> {
        let (one, other) = (self.place_in_object(a)?, self.place_in_object(b)?);
        (one.start == other.start).then_some(one.offset < other.offset)
    }

    /// The number of low bits of a variable that are 0.
    pub(super) fn aligned_bits(&self, variable: Term) -> u32 {
        self.objects.get(&variable).map_or(0, |object| object.align.trailing_zeros())
    }

    /// A bound of the object that an address belongs to, from the initial memory of this number, if somebody asked.
    pub fn bound_of_object(&self, number: u32, address: Term) -> Option<Term> {
        let width = self.width_of(address);
        let memory = *self.memory_index.get(&MemNode::Initial(number, width))?;
        self.index.get(&(Node::Select(memory, address), width)).copied()
    }

    /// Every object with its address, in the order in which they were made.
    pub fn frame_objects(&self) -> Vec<(Term, FrameObject)> {
        let mut objects: Vec<(Term, FrameObject)> =
            self.objects.iter().map(|(&term, &object)| (term, object)).collect();
        objects.sort_unstable_by_key(|&(term, _)| term);
        objects
    }

    /// Addresses for all objects, apart and aligned, as the seed says: where they begin, and the order.
    pub fn laid_out(&self, seed: u64) -> Vec<(Term, Bits)> {
        let mut objects = self.frame_objects();
        if seed & 1 == 1 {
            objects.reverse();
        }
        let mut end = 16 + (seed & LAYOUTS);
        let place = |(term, object): (Term, FrameObject)| {
            let address = end.next_multiple_of(u64::from(object.align));
            end = address + object.bytes + 1;
            (term, Bits::new(address.into(), self.width_of(term)))
        };
        objects.into_iter().map(place).collect()
    }
}

/// The places in which a layout may begin: few enough for the smallest address space.
const LAYOUTS: u64 = 0xf_fff0;
