//! Products that are quotients of signed numbers: `floor(times*x / by)`, exact over the integers, with one added where
//! it is negative. That is the quotient towards zero.

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
        let top = graph.width_of(floor) - 1;
        let form = SignedForm::of(graph, floor, DEPTH)?;
        (graph.extract_bits(floor, top, 1) == sign && form.times != one()).then_some(form)
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
            Node::Binary(Op::Mul, a, b) => match (graph.as_const(a), graph.as_const(b)) {
                (Some(factor), None) => SignedForm::of(graph, b, depth)?.multiplied(factor)?,
                (None, Some(factor)) => SignedForm::of(graph, a, depth)?.multiplied(factor)?,
                _ => return Some(name),
            },
            Node::Binary(Op::Add, a, b) => {
                let corrected = |high, less| high_product(graph, high, less, Bits::negated);
                let high = corrected(a, b).or_else(|| corrected(b, a));
                let of = |term| SignedForm::of(graph, term, depth);
                match high.or_else(|| of(a)?.plus(of(b)?)).or_else(|| of(b)?.plus(of(a)?)) {
                    Some(form) => form,
                    None => return Some(name),
                }
            }
            Node::Binary(Op::Sub, high, less) => match high_product(graph, high, less, |less| less) {
                Some(form) => form,
                None => return Some(name),
            },
            _ => return Some(name),
        };
        Some(if form.fits(width)? { form } else { name })
    }

    fn multiplied(self, factor: Bits) -> Option<SignedForm> {
        let factor = factor.sext_or_trunc(MAX_BITS);
        let magnitude = |bits: Bits| if bits.is_negative() { bits.negated() } else { bits };
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
        let magnitude = if self.times.is_negative() { self.times.negated() } else { self.times };
        let most = product(magnitude, Bits::one_bit(self.width - 1, MAX_BITS))?;
        let room = product(self.by, Bits::one_bit(width - 1, MAX_BITS))?;
        // The greatest magnitude is of the least number: where it takes all the room, its value is negative.
        Some(most.cmp_unsigned(room).is_lt() || most == room && !self.times.is_negative())
    }

    /// True if the form, plus one where it is negative, is the quotient towards zero for every `x`.
    ///
    /// For `x` that are not negative it is the form of unsigned numbers. For `-y` it is `-ceil(times*y / by)`, and so
    /// `floor((times*y - 1) / by)` has to be `floor(y / divisor)` for every `y` from 1 to the greatest magnitude. Both
    /// sides never fall as `y` grows, and both are linear on the ends of runs of equal quotients: see
    /// [`Form::divides_by`].
    pub fn divides_by(&self, divisor: Bits) -> Option<bool> {
        if self.times.is_negative() || self.times.is_zero() || divisor == one() {
            return Some(false);
        }
        let (times, by, zero) = (self.times, self.by, wide(Bits::zero(1)));
        let of_others = Form { x: self.x, width: self.width - 1, times, plus: zero, by };
        if !of_others.divides_by(divisor)? {
            return Some(false);
        }
        let most = Bits::one_bit(self.width - 1, MAX_BITS);
        let below = |y: Bits| product(times, y)?.sub(one()).checked_udiv(by);
        let is_at = |y: Bits, quotient: Bits| Some(below(y)? == quotient);
        let last = most.checked_udiv(divisor)?;
        let starts = last.is_zero() || is_at(divisor, one())? && is_at(product(last, divisor)?, last)?;
        let complete = sum(most, one())?.checked_udiv(divisor)?;
        let ends = complete.is_zero() || {
            let end = product(complete, divisor)?.sub(one());
            is_at(divisor.sub(one()), zero)? && is_at(end, complete.sub(one()))?
        };
        Some(starts && ends && is_at(one(), one().checked_udiv(divisor)?)? && is_at(most, last)?)
    }
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
    use tribunal_ir::semantics::Domain;

    /// Every multiplier, shift and divisor at widths where every number can be tried, right or wrong, in both ways in
    /// which a high product is written.
    #[test]
    fn proved_is_what_numbers_show() {
        let mut right = 0;
        for (width, shift, magic) in
            [3, 4, 5].into_iter().flat_map(|w| (0..w).flat_map(move |s| (1..1 << w).map(move |m| (w, s, m))))
        {
            for (adds, is_unsigned_product) in [(false, false), (true, false), (false, true)] {
                let graph = &mut Symbolic::default();
                let x = graph.variable(width);
                let times = Bits::new(magic, width);
                let term = quotient(graph, x, times, (shift, adds), is_unsigned_product);
                let Some(form) = SignedForm::towards_zero(graph, term) else { continue };
                let signed = |number: i64| number << (64 - width) >> (64 - width);
                let factor = if is_unsigned_product { magic as i64 } else { signed(magic as i64) };
                for divisor in 2..1 << (width - 1) {
                    let is_right = (0..1 << width).map(signed).all(|number| {
                        let high = (number * factor) >> width;
                        let floor = signed(if adds { high + number } else { high }) >> shift;
                        signed(floor + i64::from(floor < 0)) == number / divisor
                    });
                    let is_proved = form.divides_by(Bits::new(divisor as u128, MAX_BITS)) == Some(true);
                    assert!(is_right || !is_proved, "{magic}, shift {shift}, {adds}: not by {divisor} at {width} bits");
                    right += u32::from(is_right && is_proved);
                }
            }
        }
        assert_eq!(right, 109, "multipliers are proved");
    }

    /// Multipliers of words and of double words, and their neighbours.
    #[test]
    fn wide_multipliers_are_proved_and_their_neighbours_are_not() {
        let known: [(u32, u128, u128, u32, bool); 8] = [
            (32, 3, 0x5555_5556, 0, false),
            (32, 7, 0x9249_2493, 2, true),
            (32, 10, 0x6666_6667, 2, false),
            (64, 3, 0x5555_5555_5555_5556, 0, false),
            (64, 5, 0x6666_6666_6666_6667, 1, false),
            (64, 7, 0x4924_9249_2492_4925, 1, false),
            (64, 10, 0x6666_6666_6666_6667, 2, false),
            (64, 1000, 0x20c4_9ba5_e353_f7cf, 7, false),
        ];
        for (width, divisor, magic, shift, adds) in known {
            let proved = |magic, shift| {
                let graph = &mut Symbolic::default();
                let x = graph.variable(width);
                let term = quotient(graph, x, Bits::new(magic, width), (shift, adds), false);
                let form = SignedForm::towards_zero(graph, term);
                form.and_then(|form| form.divides_by(Bits::new(divisor, MAX_BITS))) == Some(true)
            };
            assert!(proved(magic, shift), "{divisor} at {width} bits");
            assert!(!proved(magic - 2, shift), "{divisor} at {width} bits with a smaller multiplier");
            assert!(!proved(magic, shift + 1), "{divisor} at {width} bits with another shift");
        }
    }

    fn quotient(graph: &mut Symbolic, x: Term, times: Bits, (shift, adds): (u32, bool), is_unsigned: bool) -> Term {
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
        let sum = if adds { graph.add(&high, &x) } else { high };
        let amount = graph.value(Bits::new(shift.into(), width));
        let floor = graph.ashr(&sum, &amount);
        let sign = graph.extract_bits(floor, width - 1, 1);
        let sign = graph.zero_extend(sign, width);
        graph.add(&floor, &sign)
    }
}
