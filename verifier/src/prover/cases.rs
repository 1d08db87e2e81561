//! Shifts by an amount that has few values: case by case each shift is by a constant, and the terms fold. A solver
//! would compare networks of multiplexers.
//!
//! The amounts of all shifts follow from one narrow term, the *base*: an argument's low bits as a rule. Whatever the
//! base is, it has one of its values; so a question that is false with each in its place is never true. Other terms
//! over the same variables stay as they are: a case forgets how they relate to the base, and asks more than it must.

use super::evaluate::operands;
use super::query;
use super::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::Bits;

/// Bits of the widest base.
const WIDEST: u32 = 8;

/// The narrow term from which a term follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// It is a constant.
    None,
    One(Term),
    /// It follows from several, or from a wide one.
    Other,
}

impl Base {
    fn join(self, other: Base) -> Base {
        match (self, other) {
            (Base::None, base) | (base, Base::None) => base,
            (one, other) if one == other => one,
            _ => Base::Other,
        }
    }
}

/// True if `wrong` is shown never to be true. `cone` is its terms, operands first.
pub(super) fn impossible(graph: &mut Symbolic, wrong: Term, cone: &[Term]) -> bool {
    let Base::One(base) = base_of_shifts(graph, cone) else { return false };
    let width = graph.width_of(base);
    (0..1 << width).all(|value| {
        let value = graph.value(Bits::new(value, width));
        let case = query::substituted(graph, wrong, &FxHashMap::from_iter([(base, value)]), &mut FxHashMap::default());
        graph.is_false(case)
    })
}

/// The base of the amounts of all shifts.
fn base_of_shifts(graph: &Symbolic, cone: &[Term]) -> Base {
    let (mut bases, mut shifts) = (FxHashMap::default(), Base::None);
    for &term in cone {
        let of = |operand: Term| bases.get(&operand).copied().unwrap_or(Base::Other);
        let node = graph.node(term);
        let below = match node {
            Node::Const(_) => Base::None,
            Node::Var(_) | Node::Select(..) => Base::Other,
            _ => operands(graph, term).into_iter().map(of).fold(Base::None, Base::join),
        };
        if let Node::Binary(Op::Shl | Op::Lshr | Op::Ashr, _, amount) = node {
            shifts = shifts.join(of(amount));
        }
        let is_narrow = (2..=WIDEST).contains(&graph.width_of(term));
        bases.insert(term, if below == Base::Other && is_narrow { Base::One(term) } else { below });
    }
    shifts
}

#[cfg(test)]
mod tests {
    use super::super::evaluate;
    use super::*;

    /// The question whether a shift of 128 bits to the right, which copies the sign, differs from one by halves. The
    /// amount is `bits` wide, and the lower half takes the upper one's bits from `from` on.
    fn question(graph: &mut Symbolic, bits: u32, from: u128) -> Term {
        let (value, source) = (graph.variable(128), graph.variable(64));
        let amount = graph.extract_bits(source, 0, bits);
        let [long, short] = [128, 64].map(|width| graph.zero_extend(amount, width));
        let whole = graph.binary(Op::Ashr, value, long);
        let (high, low) = (graph.extract_bits(value, 64, 64), graph.extract_bits(value, 0, 64));
        let [half, from, zero] = [64, from, 0].map(|number| graph.value(Bits::new(number, 64)));
        let (rest, beyond) = (graph.binary(Op::Sub, from, short), graph.binary(Op::Sub, short, half));
        let (shifted, taken) = (graph.binary(Op::Lshr, low, short), graph.binary(Op::Shl, high, rest));
        let both = graph.binary(Op::Or, shifted, taken);
        let (is_zero, is_short) = (graph.equal(short, zero), graph.less(short, half, false));
        let near = graph.if_then_else(is_zero, low, both);
        let far = graph.binary(Op::Ashr, high, beyond);
        let sign = graph.extract_bits(high, 63, 1);
        let (copied, moved) = (graph.sign_extend(sign, 64), graph.binary(Op::Ashr, high, short));
        let low = graph.if_then_else(is_short, near, far);
        let high = graph.if_then_else(is_short, moved, copied);
        let halves = graph.concatenate(high, low);
        let equal = graph.equal(whole, halves);
        graph.complement(equal)
    }

    /// A right recipe; the same with bits taken from the wrong place, in which most cases are counterexamples; an
    /// amount of too many bits.
    #[test]
    fn a_shift_by_halves_is_the_shift_of_the_whole() {
        for (bits, from, is_proved) in [(7, 64, true), (6, 64, true), (7, 63, false), (9, 64, false)] {
            let mut graph = Symbolic::default();
            let wrong = question(&mut graph, bits, from);
            let cone = evaluate::cone(&graph, wrong);
            assert!(!graph.is_false(wrong), "nothing is left to prove");
            assert_eq!(impossible(&mut graph, wrong, &cone), is_proved, "{bits} bits, from {from}");
        }
    }

    /// Two amounts have too many cases together.
    #[test]
    fn amounts_of_two_bases_are_left_to_others() {
        let mut graph = Symbolic::default();
        let (value, one, other) = (graph.variable(32), graph.variable(5), graph.variable(5));
        let [one, other] = [one, other].map(|amount| graph.zero_extend(amount, 32));
        let shifted = graph.binary(Op::Shl, value, one);
        let both = graph.binary(Op::Lshr, shifted, other);
        let zero = graph.value(Bits::zero(32));
        let wrong = graph.equal(both, zero);
        let cone = evaluate::cone(&graph, wrong);
        assert!(base_of_shifts(&graph, &cone) == Base::Other);
    }
}
