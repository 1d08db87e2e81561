//! Quotients by constants: proves that multiplication by a magic number and shifts equals the division itself.
//!
//! A form is `floor((times*x + plus) / by)`, exact over the integers for every `x` of `width` bits. These operations
//! map a form to a form, as long as its value fits the term:
//!
//! - extension;
//! - multiplication of a whole multiple by a constant;
//! - cutting off low bits, by `floor(floor(y/b) / 2^k) = floor(y / (b*2^k))`;
//! - the halved sum `((u - v) >> 1) + v` with `v <= u`, which is `floor((u + v) / 2)`.
//!
//! A form equals `floor(x/d)` for every `x` if it does at the ends of the first and the last run of equal quotients
//! (see [`Form::divides_by`]). That takes a few products of constants, where a solver would search.
//!
//! A question about a block has such products deep within. There each becomes the division that it equals, and each
//! remainder what a quotient leaves (`divisions.rs`), also of signed numbers (`signed.rs`).

mod divisions;
mod signed;

use super::term::{Node, Op, Symbolic, Term};
pub(super) use divisions::as_divisions;
use tribunal_ir::bits::{Bits, MAX_BITS};

/// The depth of operations that are followed; the recipes need eight.
const DEPTH: u32 = 12;

/// True if `wrong` is shown never to be true.
pub(super) fn impossible(graph: &Symbolic, wrong: Term) -> bool {
    never(graph, wrong, DEPTH)
}

/// True if the question's cone contains a division by a constant.
pub(super) fn worth_trying(graph: &Symbolic, cone: &[Term]) -> bool {
    let is_division = |node| matches!(node, Node::Binary(Op::Udiv, _, by) if graph.as_const(by).is_some());
    cone.iter().any(|&term| is_division(graph.node(term)))
}

fn never(graph: &Symbolic, truth: Term, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match graph.node(truth) {
        Node::Const(bits) => bits.is_zero(),
        Node::Binary(Op::And, a, b) => never(graph, a, depth) || never(graph, b, depth),
        Node::Binary(Op::Or, a, b) => never(graph, a, depth) && never(graph, b, depth),
        Node::Not(inner) => match graph.node(inner) {
            Node::Eq(a, b) => [(a, b), (b, a)].into_iter().any(|(a, b)| is_quotient(graph, a, b).unwrap_or(false)),
            _ => false,
        },
        _ => false,
    }
}

/// True if `quotient` is a division by a constant and `other` has its value.
fn is_quotient(graph: &Symbolic, quotient: Term, other: Term) -> Option<bool> {
    let Node::Binary(Op::Udiv, dividend, divisor) = graph.node(extended(graph, quotient)) else { return None };
    let divisor = wide(graph.as_const(divisor).filter(|divisor| !divisor.is_zero())?);
    let (dividend, form) = (extended(graph, dividend), Form::of(graph, other, DEPTH)?);
    if form.x == dividend {
        return form.divides_by(divisor);
    }
    // Of `x >> k`: `x / d` is `(x >> k) / (d >> k)` where `2^k` divides `d`.
    let Node::Extract(whole, from) = graph.node(form.x) else { return None };
    let is_rest = whole == dividend && from + form.width == graph.width_of(whole);
    if is_rest && divisor.trailing_zeros() >= from { form.divides_by(divisor.lshr(from)) } else { None }
}

/// The operand of a zero extension.
fn extended(graph: &Symbolic, term: Term) -> Term {
    match graph.node(term) {
        Node::Zext(inner) => inner,
        _ => term,
    }
}

/// An integer in a width where overflow of sums and products is detected.
fn wide(bits: Bits) -> Bits {
    bits.zext_or_trunc(MAX_BITS)
}

fn one() -> Bits {
    Bits::new(1, MAX_BITS)
}

fn product(a: Bits, b: Bits) -> Option<Bits> {
    (a.used() + b.used() < MAX_BITS).then(|| a.mul(b))
}

fn sum(a: Bits, b: Bits) -> Option<Bits> {
    (a.used().max(b.used()) < MAX_BITS - 1).then(|| a.add(b))
}

/// `floor((times*x + plus) / by)`.
#[derive(Clone, Copy)]
struct Form {
    x: Term,
    /// Of `x`, in bits.
    width: u32,
    times: Bits,
    plus: Bits,
    /// Not zero.
    by: Bits,
}

impl Form {
    /// The term itself as `x`.
    fn name(graph: &Symbolic, term: Term) -> Form {
        let x = extended(graph, term);
        Form { x, width: graph.width_of(x), times: one(), plus: wide(Bits::zero(1)), by: one() }
    }

    /// The value of `term`; `None` if the numbers grow too wide, or a halved sum is of other things.
    fn of(graph: &Symbolic, term: Term, depth: u32) -> Option<Form> {
        let width = graph.width_of(term);
        let name = Form::name(graph, term);
        let Some(depth) = depth.checked_sub(1) else { return Some(name) };
        let form = match graph.node(term) {
            Node::Zext(inner) => return Form::of(graph, inner, depth),
            Node::Extract(inner, offset) => Form::of(graph, inner, depth)?.shifted_down(offset)?,
            Node::Binary(Op::Mul, a, b) => match (graph.as_const(a), graph.as_const(b)) {
                (Some(factor), None) => Form::of(graph, b, depth)?.whole(graph, b).multiplied(wide(factor))?,
                (None, Some(factor)) => Form::of(graph, a, depth)?.whole(graph, a).multiplied(wide(factor))?,
                _ => return Some(name),
            },
            Node::Binary(Op::Add, a, b) => match halved_sum(graph, a, b).or_else(|| halved_sum(graph, b, a)) {
                Some((u, v)) => Form::of(graph, u, depth)?.whole(graph, u).mean(Form::of(graph, v, depth)?)?,
                None => return Some(name),
            },
            _ => return Some(name),
        };
        // A value that does not fit the term is truncated there.
        Some(if form.at(form.most_x())?.used() <= width { form } else { name })
    }

    /// The form if nothing is divided, otherwise the term as it is: a multiple of a quotient is not a form.
    fn whole(self, graph: &Symbolic, term: Term) -> Form {
        if self.by == one() { self } else { Form::name(graph, term) }
    }

    fn multiplied(self, factor: Bits) -> Option<Form> {
        Some(Form { times: product(self.times, factor)?, plus: product(self.plus, factor)?, ..self })
    }

    fn shifted_down(self, bits: u32) -> Option<Form> {
        (bits < MAX_BITS - 1).then_some(())?;
        Some(Form { by: product(self.by, Bits::one_bit(bits, MAX_BITS))?, ..self })
    }

    /// `floor((self + other) / 2)` where this one is whole and the other is never greater.
    fn mean(self, other: Form) -> Option<Form> {
        let (times, plus) = (product(self.times, other.by)?, product(self.plus, other.by)?);
        // Each coefficient is at most this one's: that is enough.
        let is_below = other.times.cmp_unsigned(times).is_le() && other.plus.cmp_unsigned(plus).is_le();
        if self.x != other.x || self.by != one() || !is_below {
            return None;
        }
        let (times, plus, by) = (sum(times, other.times)?, sum(plus, other.plus)?, sum(other.by, other.by)?);
        Some(Form { times, plus, by, ..self })
    }

    fn most_x(&self) -> Bits {
        wide(Bits::ones(self.width))
    }

    /// The value at `x`.
    fn at(&self, x: Bits) -> Option<Bits> {
        sum(product(self.times, x)?, self.plus)?.checked_udiv(self.by)
    }

    /// True if the form is `floor(x / divisor)` for every `x`.
    ///
    /// The form never falls as `x` grows. So it is the quotient `q` on the whole run `q*d .. q*d + d` under two
    /// conditions: it is at least `q` at the first `x` of the run, and at most `q` at the last.
    ///
    /// - The first, `times*q*d + plus >= q*by`, is linear in `q`: it holds for all runs if it does for the first and
    ///   the last one.
    /// - The second, `times*(q*d + d - 1) + plus < (q + 1)*by`, is linear as well, over the runs that are complete. A
    ///   last run that is not complete ends at the greatest `x`.
    fn divides_by(&self, divisor: Bits) -> Option<bool> {
        let most = self.most_x();
        let last = most.checked_udiv(divisor)?;
        let is_at = |x: Bits, quotient: Bits| Some(self.at(x)? == quotient);
        let starts = is_at(Bits::zero(MAX_BITS), Bits::zero(MAX_BITS))? && is_at(product(last, divisor)?, last)?;
        let complete = sum(most, one())?.checked_udiv(divisor)?;
        let ends = complete.is_zero() || {
            let quotient = complete.sub(one());
            is_at(divisor.sub(one()), Bits::zero(MAX_BITS))? && is_at(product(complete, divisor)?.sub(one()), quotient)?
        };
        Some(starts && ends && is_at(most, last)?)
    }
}

/// `u` and `v` of `((u - v) >> 1) + v`.
fn halved_sum(graph: &Symbolic, half: Term, v: Term) -> Option<(Term, Term)> {
    let half = extended(graph, half);
    let Node::Extract(difference, 1) = graph.node(half) else { return None };
    let Node::Binary(Op::Sub, u, other) = graph.node(difference) else { return None };
    (other == v && graph.width_of(half) + 1 == graph.width_of(difference)).then_some((u, v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::semantics::Domain;

    fn literal(graph: &mut Symbolic, value: u128, width: u32) -> Term {
        graph.value(Bits::new(value, width))
    }

    /// The computation of a quotient: a shift, a high product or a halved sum with it, and a shift.
    #[derive(Clone, Copy, Debug)]
    struct Recipe {
        before: u32,
        magic: u128,
        adds: bool,
        after: u32,
    }

    impl Recipe {
        fn value(self, x: u128, width: u32) -> u128 {
            let x = x >> self.before;
            let high = (x * self.magic) >> width;
            let sum = if self.adds { ((x - high) >> 1) + high } else { high };
            sum >> self.after
        }

        /// True if the quotient of a variable is proved.
        fn is_proved(self, width: u32, divisor: u128) -> bool {
            let graph = &mut Symbolic::default();
            let x = graph.variable(width);
            let shifted = |graph: &mut Symbolic, term: Term, by: u32| {
                let by = literal(graph, by.into(), width);
                graph.lshr(&term, &by)
            };
            let divisor = literal(graph, divisor, width);
            let quotient = graph.udiv(&x, &divisor);
            let dividend = shifted(graph, x, self.before);
            let magic = literal(graph, self.magic, width);
            let (a, b) = (graph.zext(&dividend, 2 * width), graph.zext(&magic, 2 * width));
            let whole = graph.mul(&a, &b);
            let high = graph.extract(&whole, width, width);
            let sum = match self.adds {
                true => {
                    let rest = graph.sub(&dividend, &high);
                    let half = shifted(graph, rest, 1);
                    graph.add(&half, &high)
                }
                false => high,
            };
            let result = shifted(graph, sum, self.after);
            let same = graph.eq(&quotient, &result);
            let wrong = graph.bool_not(&same);
            graph.is_false(wrong) || impossible(graph, wrong)
        }
    }

    /// Every multiplier and shift, right or wrong, at widths where every dividend can be tried.
    #[test]
    fn proved_is_what_numbers_show() {
        let mut right = 0;
        for (width, divisor) in [2, 3, 4, 5].into_iter().flat_map(|width| (1..1 << width).map(move |d| (width, d))) {
            let shifts = (0..3).flat_map(|before| (0..width).map(move |after| (before, after)));
            for (before, after) in shifts.filter(|&(before, _)| before < width) {
                for (magic, adds) in (0..1 << width).flat_map(|magic| [(magic, false), (magic, true)]) {
                    let recipe = Recipe { before, magic, adds, after };
                    let is_right = (0..1 << width).all(|x| recipe.value(x, width) == x / divisor);
                    let is_proved = recipe.is_proved(width, divisor);
                    assert!(is_right || !is_proved, "{recipe:?} is not the division by {divisor} at {width} bits");
                    // By a power of two no product is left, and two shifts of one value are not seen together.
                    assert!(is_proved || !is_right || magic.is_power_of_two(), "{recipe:?}, {divisor}, {width} bits");
                    right += u32::from(is_right);
                }
            }
        }
        assert!(right > 400, "{right} recipes are right");
    }

    /// Known multipliers (Hacker's Delight, chapter 10), and their neighbours, which are wrong for some dividend.
    #[test]
    fn wide_multipliers_are_proved_and_their_neighbours_are_not() {
        let known: [(u32, u128, u128, bool, u32); 8] = [
            (32, 10, 0xcccc_cccd, false, 3),
            (32, 641, 0x0066_3d81, false, 0),
            (32, 7, 0x2492_4925, true, 2),
            (32, 1_000_000_007, 0x12e0_be63, true, 29),
            (32, (1 << 31) - 1, 3, true, 30),
            (64, 3, 0xaaaa_aaaa_aaaa_aaab, false, 1),
            (64, 7, 0x2492_4924_9249_2493, true, 2),
            (64, u64::MAX.into(), (1 << 63) + 1, false, 63),
        ];
        for (width, divisor, magic, adds, after) in known {
            let proved = |magic, after| Recipe { before: 0, magic, adds, after }.is_proved(width, divisor);
            assert!(proved(magic, after), "{divisor} at {width} bits");
            assert!(!proved(magic - 1, after), "{divisor} at {width} bits with a smaller multiplier");
            assert!(!proved(magic, after + 1), "{divisor} at {width} bits with another shift");
            assert!(!Recipe { before: 0, magic, adds: !adds, after }.is_proved(width, divisor), "{divisor}");
        }
    }

    /// The decision on forms is exact: ends of two runs stand for all.
    #[test]
    fn forms_divide_as_numbers_do() {
        let graph = &mut Symbolic::default();
        let x = graph.variable(5);
        let number = |value: u32| Bits::new(value.into(), MAX_BITS);
        let (mut equal, mut asked) = (0, 0);
        for (times, plus, by) in (0..24).flat_map(|t| (0..12).flat_map(move |p| (1..48).map(move |b| (t, p, b)))) {
            let form = Form { x, width: 5, times: number(times), plus: number(plus), by: number(by) };
            for divisor in 1..36 {
                let expected = (0..32).all(|x| (times * x + plus) / by == x / divisor);
                assert_eq!(form.divides_by(number(divisor)), Some(expected), "({times}x + {plus})/{by}, {divisor}");
                equal += u32::from(expected);
                asked += 1;
            }
        }
        assert!(equal > 1000 && asked > 400_000, "{equal} of {asked} are equal");
    }
}
