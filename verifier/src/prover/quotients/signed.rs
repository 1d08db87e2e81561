//! Products that are quotients of signed numbers: `floor(times*x / by)`, exact over the integers, with one added where
//! it is negative. That is the quotient towards zero, by a divisor of the sign of `times`.

use super::{DEPTH, Form, one, product, sum, wide};
use crate::prover::term::{Node, Op, Symbolic, Term};
use tribunal_ir::bits::{Bits, MAX_BITS};

/// `floor(times*x / by)` for every signed `x` of `width` bits.
#[derive(Clone, Copy)]
pub(super) struct SignedForm {
    pub x: Term,
    /// Of `x`, in bits.
    pub width: u32,
    /// Signed.
    times: Bits,
    /// Positive.
    by: Bits,
}

impl SignedForm {
    /// The form of `term` if that is the form plus one where it is negative.
    pub fn towards_zero(graph: &mut Symbolic, term: Term) -> Option<SignedForm> {
        let Node::Binary(Op::Add, a, b) = graph.node(term) else { return None };
        let (floor, sign) = match (graph.node(a), graph.node(b)) {
            (_, Node::Zext(sign)) if graph.width_of(sign) == 1 => (a, sign),
            (Node::Zext(sign), _) if graph.width_of(sign) == 1 => (b, sign),
            _ => return None,
        };
        let floor = whole(graph, floor, sign);
        let top = graph.width_of(floor) - 1;
        let form = SignedForm::of(graph, floor, DEPTH)?;
        (graph.extract_bits(floor, top, 1) == sign && magnitude(form.times) != one()).then_some(form)
    }

    /// The term itself as `x`.
    fn name(graph: &Symbolic, term: Term) -> SignedForm {
        let x = if let Node::Sext(inner) = graph.node(term) { inner } else { term };
        SignedForm { x, width: graph.width_of(x), times: one(), by: one() }
    }

    /// The value of `term`, signed; `None` if the numbers grow too wide.
    fn of(graph: &Symbolic, term: Term, depth: u32) -> Option<SignedForm> {
        let (width, name) = (graph.width_of(term), SignedForm::name(graph, term));
        let Some(depth) = depth.checked_sub(1) else { return Some(name) };
        let form = match graph.node(term) {
            Node::Sext(inner) => return SignedForm::of(graph, inner, depth),
            Node::Extract(inner, offset) if offset + width == graph.width_of(inner) => {
                SignedForm::of(graph, inner, depth)?.shifted_down(offset)?
            }
            Node::Concat(high, zeros) if graph.as_const(zeros).is_some_and(Bits::is_zero) => {
                let factor = Bits::one_bit(graph.width_of(zeros), MAX_BITS);
                SignedForm::of(graph, high, depth)?.multiplied(factor)?
            }
            Node::Binary(Op::Mul, a, b) => match (graph.as_const(a), graph.as_const(b)) {
                (Some(factor), None) => SignedForm::of(graph, b, depth)?.multiplied(factor)?,
                (None, Some(factor)) => SignedForm::of(graph, a, depth)?.multiplied(factor)?,
                _ => return Some(name),
            },
            Node::Binary(Op::Add, a, b) => {
                let of = |term| SignedForm::of(graph, term, depth);
                let corrected = |high, less| high_product(graph, high, less, Bits::negated);
                let high = corrected(a, b).or_else(|| corrected(b, a));
                let sum = |a, b| of(a)?.plus(SignedForm::multiple(graph, b, depth)?);
                match high.or_else(|| sum(a, b)).or_else(|| sum(b, a)) {
                    Some(form) => form,
                    None => return Some(name),
                }
            }
            Node::Binary(Op::Sub, a, b) => {
                let corrected = |high| high_product(graph, high, b, |less| less);
                let with = |high, more| corrected(high)?.plus(SignedForm::multiple(graph, more, depth)?);
                let high = corrected(a).or_else(|| match graph.node(a) {
                    Node::Binary(Op::Add, one, other) => with(one, other).or_else(|| with(other, one)),
                    _ => None,
                });
                let of = |term| SignedForm::of(graph, term, depth);
                let less = || SignedForm::multiple(graph, b, depth)?.multiplied(one().negated());
                let is_negated = graph.as_const(a).is_some_and(Bits::is_zero);
                match high.or_else(|| if is_negated { less() } else { of(a)?.plus(less()?) }) {
                    Some(form) => form,
                    None => return Some(name),
                }
            }
            _ => return Some(name),
        };
        Some(if form.fits(width)? { form } else { name })
    }

    /// A summand, of whose value the bits count that its term has: a multiple of a number, in any case one of itself.
    fn multiple(graph: &Symbolic, term: Term, depth: u32) -> Option<SignedForm> {
        let of = |a, b| SignedForm::name(graph, a).multiplied(graph.as_const(b)?);
        match graph.node(term) {
            Node::Binary(Op::Mul, a, b) => of(a, b).or_else(|| of(b, a)),
            _ => SignedForm::of(graph, term, depth),
        }
    }

    fn multiplied(self, factor: Bits) -> Option<SignedForm> {
        let factor = factor.sext_or_trunc(MAX_BITS);
        product(magnitude(self.times), magnitude(factor))?;
        (self.by == one()).then(|| SignedForm { times: self.times.mul(factor), ..self })
    }

    fn shifted_down(self, bits: u32) -> Option<SignedForm> {
        Some(SignedForm { by: product(self.by, Bits::one_bit(bits, MAX_BITS))?, ..self })
    }

    /// The sum with a multiple of the same number.
    fn plus(self, multiple: SignedForm) -> Option<SignedForm> {
        let more = SignedForm { by: one(), ..multiple }.multiplied(self.by)?;
        (self.x == multiple.x && multiple.by == one()).then(|| SignedForm { times: self.times.add(more.times), ..self })
    }

    /// Whether no value is beyond those of a signed term of this width.
    fn fits(&self, width: u32) -> Option<bool> {
        let most = product(magnitude(self.times), Bits::one_bit(self.width - 1, MAX_BITS))?;
        let room = product(self.by, Bits::one_bit(width - 1, MAX_BITS))?;
        // The greatest magnitude is of the least number: where it takes all the room, its value is negative.
        Some(most.cmp_unsigned(room).is_lt() || most == room && !self.times.is_negative())
    }

    /// True if the form, plus one where it is negative, is the quotient towards zero for every `x`. The divisor is
    /// signed.
    ///
    /// The magnitudes of `times` and of the divisor decide, and `y` is that of `x`. Where `times` and `x` have the same
    /// sign, the form is that of unsigned numbers. Where they differ it is `-ceil(times*y / by)`, and so
    /// `floor((times*y - 1) / by)` has to be `floor(y / divisor)` for every `y` from 1 on. Both sides never fall as `y`
    /// grows, and both are linear on the ends of runs of equal quotients: see [`Form::divides_by`].
    ///
    /// The greatest `y` is that of a negative number: its sign is the divisor's or not.
    pub fn divides_by(&self, divisor: Bits) -> Option<bool> {
        let (is_negative, times, by) = (divisor.is_negative(), magnitude(self.times), self.by);
        let divisor = magnitude(divisor);
        if self.times.is_negative() != is_negative || times.is_zero() || divisor == one() {
            return Some(false);
        }
        let (greatest, zero) = (Bits::one_bit(self.width - 1, MAX_BITS), wide(Bits::zero(1)));
        let of_others = Form { x: self.x, width: self.width - 1, times, plus: zero, by };
        let last = |most: Bits| most.checked_udiv(divisor);
        let is_last = || Some(product(times, greatest)?.checked_udiv(by) == last(greatest));
        if !of_others.divides_by(divisor)? || is_negative && !is_last()? {
            return Some(false);
        }
        let most = if is_negative { greatest.sub(one()) } else { greatest };
        let below = |y: Bits| product(times, y)?.sub(one()).checked_udiv(by);
        let is_at = |y: Bits, quotient: Bits| Some(below(y)? == quotient);
        let last = last(most)?;
        let starts = last.is_zero() || is_at(divisor, one())? && is_at(product(last, divisor)?, last)?;
        let complete = sum(most, one())?.checked_udiv(divisor)?;
        let ends = complete.is_zero() || {
            let end = product(complete, divisor)?.sub(one());
            is_at(divisor.sub(one()), zero)? && is_at(end, complete.sub(one()))?
        };
        Some(starts && ends && is_at(one(), one().checked_udiv(divisor)?)? && is_at(most, last)?)
    }
}

/// The term whose low bits `low` is and whose sign `sign` is, if there is one: of a quotient they may be all that is
/// used.
fn whole(graph: &mut Symbolic, low: Term, sign: Term) -> Term {
    let Node::Extract(whole, top) = graph.node(sign) else { return low };
    let (width, from) = (graph.width_of(low), if let Node::Extract(_, from) = graph.node(low) { from } else { 0 });
    if top + 1 != graph.width_of(whole) {
        return low;
    }
    let is_part = |graph: &mut Symbolic, from| from + width <= top && graph.extract_bits(whole, from, width) == low;
    match [from, 0].into_iter().find(|&from| is_part(graph, from)) {
        Some(from) => graph.extract_bits(whole, from, top + 1 - from),
        None => low,
    }
}

fn magnitude(number: Bits) -> Bits {
    if number.is_negative() { number.negated() } else { number }
}

/// The high part of a product of a signed number by a constant that is not: made of that of the unsigned product, from
/// which a multiple of the constant is taken away where the number is negative.
///
/// Where `x` is the number read as unsigned, it is `x - 2^width` if it is negative. With `offset` no greater than
/// `width`, the multiple `factor * 2^(width - offset)` is whole: it can be taken away after the cut.
fn high_product(graph: &Symbolic, high: Term, less: Term, factor_of: impl Fn(Bits) -> Bits) -> Option<SignedForm> {
    let (Node::Extract(whole, offset), Node::Ite(sign, less, nothing)) = (graph.node(high), graph.node(less)) else {
        return None;
    };
    let Node::Binary(Op::Mul, a, b) = graph.node(whole) else { return None };
    let (factor, number) = match (graph.as_const(a), graph.as_const(b)) {
        (Some(factor), None) => (factor, b),
        (None, Some(factor)) => (factor, a),
        _ => return None,
    };
    let (Node::Zext(x), Node::Extract(signed, top)) = (graph.node(number), graph.node(sign)) else { return None };
    let width = graph.width_of(x);
    let multiple = wide(factor).shl(width.checked_sub(offset)?).zext_or_trunc(width);
    let is_corrected = graph.width_of(less) == width
        && graph.as_const(less).is_some_and(|less| factor_of(less) == multiple)
        && graph.as_const(nothing).is_some_and(Bits::is_zero);
    let is_whole = factor.used() + width <= graph.width_of(whole);
    let is_sign = signed == x && top + 1 == width && graph.width_of(sign) == 1;
    let (times, by) = (wide(factor), Bits::one_bit(offset, MAX_BITS));
    (is_corrected && is_whole && is_sign).then_some(SignedForm { x, width, times, by })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tribunal_ir::semantics::Domain;

    /// Every multiplier, shift and divisor at widths where every number can be tried, right or wrong, in both ways in
    /// which a high product is written.
    #[test]
    fn proved_is_what_numbers_show() {
        let (mut right, mut divisors) = (0, BTreeSet::new());
        for (width, shift, magic) in
            [3, 4, 5].into_iter().flat_map(|w| (0..w).flat_map(move |s| (1..1 << w).map(move |m| (w, s, m))))
        {
            for (added, is_unsigned_product) in [(0, false), (1, false), (-1, false), (0, true)] {
                let graph = &mut Symbolic::default();
                let x = graph.variable(width);
                let times = Bits::new(magic, width);
                let term = quotient(graph, x, times, (shift, added), is_unsigned_product);
                let Some(form) = SignedForm::towards_zero(graph, term) else { continue };
                let signed = |number: i64| number << (64 - width) >> (64 - width);
                let factor = if is_unsigned_product { magic as i64 } else { signed(magic as i64) };
                for divisor in (2..1 << (width - 1)).flat_map(|divisor| [divisor, -divisor]).chain([-1 << (width - 1)])
                {
                    let is_right = (0..1 << width).map(signed).all(|number| {
                        let high = (number * factor) >> width;
                        let floor = signed(high + added * number) >> shift;
                        signed(floor + i64::from(floor < 0)) == number / divisor
                    });
                    let is_proved = form.divides_by(Bits::from_i64(divisor, MAX_BITS)) == Some(true);
                    assert!(
                        is_right || !is_proved,
                        "{magic}, shift {shift}, {added}: not by {divisor} at {width} bits"
                    );
                    if is_proved {
                        right += 1;
                        divisors.insert((width, divisor));
                    }
                }
            }
        }
        assert_eq!(right, 166, "multipliers are proved");
        assert_eq!(divisors.len(), 2 * (2 + 6 + 14) + 3, "each divisor has one");
    }

    /// Multipliers of words and of double words, and their neighbours.
    #[test]
    fn wide_multipliers_are_proved_and_their_neighbours_are_not() {
        let known: [(u32, i64, u128, u32, i64); 15] = [
            (32, 3, 0x5555_5556, 0, 0),
            (32, 7, 0x9249_2493, 2, 1),
            (32, 10, 0x6666_6667, 2, 0),
            (64, 3, 0x5555_5555_5555_5556, 0, 0),
            (64, 5, 0x6666_6666_6666_6667, 1, 0),
            (64, 7, 0x4924_9249_2492_4925, 1, 0),
            (64, 10, 0x6666_6666_6666_6667, 2, 0),
            (64, 1000, 0x20c4_9ba5_e353_f7cf, 7, 0),
            (32, 65535, 0x8000_8001, 15, 1),
            (32, 6, 0x2aaa_aaab, 0, 0),
            (64, 2_147_483_647, 0x8000_0001_0000_0003, 30, 1),
            (64, 6, 0x2aaa_aaaa_aaaa_aaab, 0, 0),
            (32, -7, 0x6db6_db6d, 2, -1),
            (64, -3, 0x5555_5555_5555_5555, 1, -1),
            (64, -10, 0x9999_9999_9999_9999, 2, 0),
        ];
        for (width, divisor, magic, shift, added) in known {
            let proved = |magic, shift| {
                let graph = &mut Symbolic::default();
                let x = graph.variable(width);
                let term = quotient(graph, x, Bits::new(magic, width), (shift, added), false);
                let form = SignedForm::towards_zero(graph, term);
                form.and_then(|form| form.divides_by(Bits::from_i64(divisor, MAX_BITS))) == Some(true)
            };
            assert!(proved(magic, shift), "{divisor} at {width} bits");
            let closer_to_zero = if divisor < 0 { magic + 2 } else { magic - 2 };
            assert!(!proved(closer_to_zero, shift), "{divisor} at {width} bits with a smaller multiplier");
            assert!(!proved(magic, shift + 1), "{divisor} at {width} bits with another shift");
        }
    }

    fn quotient(graph: &mut Symbolic, x: Term, times: Bits, (shift, added): (u32, i64), is_unsigned: bool) -> Term {
        let width = graph.width_of(x);
        let high = match is_unsigned {
            true => {
                let (factor, sign) = (graph.value(times.zext_or_trunc(2 * width)), graph.extract_bits(x, width - 1, 1));
                let wide = graph.zero_extend(x, 2 * width);
                let whole = graph.mul(&wide, &factor);
                let (less, zero) = (graph.value(times.negated()), graph.value(Bits::zero(width)));
                let correction = graph.if_then_else(sign, less, zero);
                let high = graph.extract_bits(whole, width, width);
                graph.add(&high, &correction)
            }
            false => {
                let factor = graph.value(times.sext_or_trunc(2 * width));
                let wide = graph.sign_extend(x, 2 * width);
                let whole = graph.mul(&wide, &factor);
                graph.extract_bits(whole, width, width)
            }
        };
        let sum = match added {
            0 => high,
            1 => graph.add(&high, &x),
            _ => graph.sub(&high, &x),
        };
        let amount = graph.value(Bits::new(shift.into(), width));
        let floor = graph.ashr(&sum, &amount);
        let sign = graph.extract_bits(floor, width - 1, 1);
        let sign = graph.zero_extend(sign, width);
        graph.add(&floor, &sign)
    }
}
