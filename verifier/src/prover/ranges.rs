//! Ranges of addresses that a question is known to leave in one object, or apart: `memcpy` as wide loads and stores.
//!
//! Each access of several bytes asks whether its addresses are of one object, and each `memcpy` whether its ranges
//! overlap. Where both are known to be false, what is asked about the addresses within them is decided here, without a
//! solver, which would compare each address with each.

use super::evaluate;
use super::memory::{BOUNDS, holds_bounds};
use super::term::{Node, RangePair, Span, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::Bits;

/// The consequences of what is known about ranges of addresses, for the terms within `term`:
///
/// - Where two ranges do not overlap, or are the same, no two addresses in them are equal that lie at different places.
/// - Where a range is of one object, the bounds at each of its addresses are those at the first; and addresses of the
///   range, the one behind it included, are in order, and within these bounds.
pub(super) fn know(d: &mut Symbolic, term: Term, known: &mut FxHashMap<Term, Term>) {
    let no = d.truth(false);
    let is_false = |condition: Term| condition == no || known.get(&condition) == Some(&no);
    let refuted = known.iter().filter(|&(_, &value)| value == no);
    let apart: Vec<RangePair> = refuted.filter_map(|(&condition, _)| d.overlap(condition)).collect();
    let spans = d.spans().iter().copied().filter(|span| is_false(span.wraps) && is_false(span.beyond));
    let spans: Vec<Span> = spans.collect();
    if apart.is_empty() && spans.is_empty() {
        return;
    }
    for part in evaluate::cone(d, term) {
        let value = match d.node(part) {
            Node::Eq(a, b) if apart.iter().any(|ranges| are_at_different_places(d, ranges, a, b)) => Some(no),
            Node::Select(memory, address) if holds_bounds(d, memory) => {
                let span = spans.iter().find(|span| place_in(d, span, address).is_some_and(|place| place < span.bytes));
                span.filter(|span| span.start != address).map(|span| d.select(memory, span.start))
            }
            Node::Ult(a, b) => {
                let less = spans.iter().find_map(|span| is_less(d, span, a, b));
                less.map(|less| d.truth(less))
            }
            _ => None,
        };
        known.extend(value.map(|value| (part, value)));
    }
}

/// The place of an address in a range of one object, or behind it.
fn place_in(d: &Symbolic, span: &Span, address: Term) -> Option<u32> {
    let distance = d.distance(span.start, address)?.to_i64()?;
    u32::try_from(distance).ok().filter(|&place| place <= span.bytes)
}

/// Whether one address is less than another, of a range of one object and of this object's bounds.
fn is_less(d: &Symbolic, span: &Span, a: Term, b: Term) -> Option<bool> {
    let is_bound_of = |term, bound| match d.node(term) {
        Node::Select(memory, address) if d.initial_number(memory) == Some(bound) => {
            place_in(d, span, address).is_some_and(|place| place < span.bytes)
        }
        _ => false,
    };
    let [lower, upper] = BOUNDS;
    match (place_in(d, span, a), place_in(d, span, b)) {
        (Some(a), Some(b)) => Some(a < b),
        (Some(_), None) => is_bound_of(b, lower).then_some(false),
        (None, Some(_)) => is_bound_of(a, upper).then_some(false),
        (None, None) => None,
    }
}

/// True if the two addresses cannot be equal where the ranges are the same or do not overlap.
fn are_at_different_places(d: &Symbolic, ranges: &RangePair, a: Term, b: Term) -> bool {
    [(a, b), (b, a)].into_iter().any(|(a, b)| {
        let (Some(a), Some(b)) = (d.distance(ranges.one, a), d.distance(ranges.other, b)) else { return false };
        let length = Bits::new(ranges.bytes.into(), a.width());
        let is_near = |distance: Bits| !distance.is_zero() && distance.cmp_unsigned(length).is_lt();
        is_near(a.sub(b)) || is_near(b.sub(a))
    })
}
