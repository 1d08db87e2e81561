//! Products that are quotients, and remainders, as divisions: one form for what both sides of a question compute.

use super::signed::SignedForm;
use super::{DEPTH, Form, one, wide};
use crate::prover::query::substituted;
use crate::prover::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::{Bits, MAX_BITS};

/// A division, truncated towards zero.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Division {
    op: Op,
    dividend: Term,
    /// As wide as the dividend; not zero, and signed as the division is, but not -1.
    divisor: Bits,
    /// The low bits of the quotient that are left out.
    from: u32,
}

/// The question with products that are quotients as divisions, and with what such quotients leave as remainders.
/// `None` where it has no division by a constant, or neither a product that is one nor a remainder beside its quotient:
/// then the solver knows better.
pub(in crate::prover) fn as_divisions(graph: &mut Symbolic, wrong: Term, cone: &[Term]) -> Option<Term> {
    let asked: Vec<Division> = cone.iter().filter_map(|&term| division(graph, term)).collect();
    if asked.is_empty() {
        return None;
    }
    let (mut divisions, mut memo) = (FxHashMap::default(), FxHashMap::default());
    let mut has_two_forms = has_remainder_beside_quotient(graph, cone);
    let mut met = Vec::new();
    let products: Vec<(Term, Division)> =
        cone.iter().filter_map(|&term| Some((term, product(graph, term, &asked)?))).collect();
    let (quotients, mut products) = (quotients(graph, &products, &asked), products.into_iter().peekable());
    for &term in cone {
        let own = division(graph, term);
        let product = products.next_if(|&(product, _)| product == term).map(|(_, division)| division);
        let Some(found) = own.or(product).or_else(|| low_part(graph, term, &quotients)) else { continue };
        has_two_forms |= own.is_none();
        let dividend = substituted(graph, found.dividend, &divisions, &mut memo);
        let found = Division { dividend, ..found };
        let value = value(graph, term, found);
        divisions.insert(term, value);
        let whole = Division { from: 0, ..found };
        if !met.contains(&whole) {
            met.push(whole);
        }
        memo.clear();
    }
    let divided = has_two_forms.then(|| substituted(graph, wrong, &divisions, &mut FxHashMap::default()))?;
    Some(with_remainders(graph, divided, &met))
}

/// True if one side may have as a remainder what the other computes from the quotient.
fn has_remainder_beside_quotient(graph: &Symbolic, cone: &[Term]) -> bool {
    let is_remainder = |term| matches!(graph.node(term), Node::Binary(Op::Urem | Op::Srem, ..));
    let (remainders, quotients): (Vec<Term>, Vec<Term>) =
        cone.iter().filter(|&&term| division(graph, term).is_some()).partition(|&&term| is_remainder(term));
    let divided = |terms: Vec<Term>| terms.into_iter().filter_map(|term| division(graph, term));
    let quotients: Vec<Division> = divided(quotients).collect();
    divided(remainders).any(|remainder| quotients.contains(&remainder))
}

/// The term with what quotients leave as remainders, of which more is known: no bit above the divisor's.
fn with_remainders(graph: &mut Symbolic, term: Term, divisions: &[Division]) -> Term {
    let mut remainders = FxHashMap::default();
    for &division in divisions {
        let left = remainder(graph, division);
        let dividend = substituted(graph, division.dividend, &remainders, &mut FxHashMap::default());
        let by = graph.value(division.divisor);
        let op = if division.op == Op::Sdiv { Op::Srem } else { Op::Urem };
        let whole = graph.binary(op, dividend, by);
        for width in 1..=graph.width_of(left) {
            let (left, whole) = (graph.extract_bits(left, 0, width), graph.extract_bits(whole, 0, width));
            remainders.insert(left, whole);
        }
    }
    substituted(graph, term, &remainders, &mut FxHashMap::default())
}

/// The division by a constant whose quotient or remainder the term is.
fn division(graph: &Symbolic, term: Term) -> Option<Division> {
    let Node::Binary(op @ (Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem), dividend, by) = graph.node(term) else {
        return None;
    };
    let is_signed = matches!(op, Op::Sdiv | Op::Srem);
    let divisor =
        graph.as_const(by).filter(|by| !(by.is_zero() || is_signed && by.negated() == Bits::new(1, by.width())))?;
    Some(Division { op: if is_signed { Op::Sdiv } else { Op::Udiv }, dividend, divisor, from: 0 })
}

/// The division, by one of the divisors that the question has, whose quotient or some bits of it are a term without
/// divisions.
fn product(graph: &mut Symbolic, term: Term, asked: &[Division]) -> Option<Division> {
    match graph.node(term) {
        Node::Extract(inner, offset) => {
            // Of a quotient the low bits may be all that is used.
            let inner = whole_product(graph, inner).unwrap_or(inner);
            let whole = graph.extract_bits(inner, offset, graph.width_of(inner) - offset);
            let form = Form::of(graph, whole, DEPTH).filter(|form| form.times != one())?;
            let mut of_unsigned = asked.iter().filter(|division| division.op == Op::Udiv);
            of_unsigned.find_map(|&division| unsigned(graph, &form, division))
        }
        Node::Binary(Op::Add, ..) => {
            let form = SignedForm::towards_zero(graph, term)?;
            let divisor = |by: Bits| by.sext_or_trunc(form.width);
            let is_divisor = |by: &Bits| {
                let signed = by.sext_or_trunc(MAX_BITS);
                divisor(*by).sext_or_trunc(MAX_BITS) == signed && form.divides_by(signed) == Some(true)
            };
            let of_signed = asked.iter().filter(|division| division.op == Op::Sdiv);
            let by = of_signed.map(|division| division.divisor).find(is_divisor)?;
            Some(Division { op: Op::Sdiv, dividend: form.x, divisor: divisor(by), from: 0 })
        }
        _ => None,
    }
}

/// The whole of a product of a number by a constant, of which a term has the low bits: all that is used was computed.
fn whole_product(graph: &mut Symbolic, low: Term) -> Option<Term> {
    let Node::Binary(Op::Mul, a, b) = graph.node(low) else { return None };
    let (factor, number) = match (graph.as_const(a), graph.as_const(b)) {
        (Some(factor), None) => (factor, b),
        (None, Some(factor)) => (factor, a),
        _ => return None,
    };
    let Node::Zext(number) = graph.node(number) else { return None };
    let width = graph.width_of(number) + factor.used();
    if width <= graph.width_of(low) || width > MAX_BITS {
        return None;
    }
    let (number, factor) = (graph.zero_extend(number, width), graph.value(factor.zext_or_trunc(width)));
    Some(graph.binary(Op::Mul, number, factor))
}

/// The division of which the form has the bits from some bit on: by this divisor, of its dividend or of any other
/// number. The form's number may be what a shift of the dividend leaves, by no more than the divisor's trailing zeros.
fn unsigned(graph: &mut Symbolic, form: &Form, asked: Division) -> Option<Division> {
    let by = wide(asked.divisor);
    let shift = graph.width_of(asked.dividend).checked_sub(form.width).filter(|&shift| shift <= by.trailing_zeros());
    let shifted = shift.filter(|&shift| graph.extract_bits(asked.dividend, shift, form.width) == form.x);
    let shifted = shifted.map(|shift| (asked.dividend, by.lshr(shift)));
    // About what the form divides by: what is above the divisor are bits of the quotient that are left out.
    let about = form.by.checked_udiv(form.times)?.used();
    shifted.into_iter().chain([(form.x, by)]).find_map(|(dividend, rest)| {
        let divides = |from: &u32| {
            let whole = rest.shl(*from);
            whole.used() <= form.width && form.divides_by(whole) == Some(true)
        };
        let from = (0..2).map(|more| (about + more).saturating_sub(rest.used())).find(divides)?;
        let width = graph.width_of(dividend);
        (by.used() <= width).then(|| Division { op: Op::Udiv, dividend, divisor: by.zext_or_trunc(width), from })
    })
}

/// A term, a bit of it, and the division whose quotient it is from that bit on.
type Quotient = (Term, u32, Division);

/// The terms of whose quotients products are the high parts.
fn quotients(graph: &mut Symbolic, products: &[(Term, Division)], asked: &[Division]) -> Vec<Quotient> {
    let of = |&(term, high): &(Term, Division)| {
        let Node::Extract(inner, offset) = graph.node(term) else { return None };
        let from = offset.checked_sub(high.from).filter(|&from| from < offset)?;
        let whole = graph.extract_bits(inner, from, graph.width_of(inner) - from);
        let division = product(graph, whole, asked).filter(|division| division.from == 0)?;
        Some((inner, from, division))
    };
    products.iter().filter_map(of).collect()
}

/// The division whose quotient's low bits the term is, where the rest of the quotient is a term of its own: then
/// nothing computes more than the low bits.
fn low_part(graph: &mut Symbolic, term: Term, quotients: &[Quotient]) -> Option<Division> {
    let (Node::Extract(..), width) = (graph.node(term), graph.width_of(term)) else { return None };
    let is_low = |&&(inner, from, _): &&Quotient| {
        from + width <= graph.width_of(inner) && graph.extract_bits(inner, from, width) == term
    };
    quotients.iter().find(is_low).map(|&(_, _, division)| division)
}

/// The bits of the quotient, or for the term of a remainder what the quotient leaves, as wide as the term.
fn value(graph: &mut Symbolic, term: Term, division: Division) -> Term {
    match graph.node(term) {
        Node::Binary(Op::Urem | Op::Srem, ..) => remainder(graph, division),
        _ => quotient(graph, graph.width_of(term), division),
    }
}

/// What the quotient leaves of the dividend, as a difference.
fn remainder(graph: &mut Symbolic, division: Division) -> Term {
    let quotient = quotient(graph, division.divisor.width(), division);
    let by = graph.value(division.divisor);
    let multiple = graph.binary(Op::Mul, quotient, by);
    graph.binary(Op::Sub, division.dividend, multiple)
}

/// So many bits of the quotient. Those above the greatest are those of its extension.
fn quotient(graph: &mut Symbolic, width: u32, Division { op, dividend, divisor, from }: Division) -> Term {
    let (whole, is_signed) = (divisor.width(), op == Op::Sdiv);
    let by = graph.value(divisor);
    let quotient = graph.binary(op, dividend, by);
    let most = if is_signed { Bits::signed_min(whole) } else { Bits::ones(whole) };
    let magnitude = if is_signed && divisor.is_negative() { divisor.negated() } else { divisor };
    let used = most.checked_udiv(magnitude).map_or(whole, Bits::used).max(1) + u32::from(is_signed);
    let Some(used) = used.min(whole).checked_sub(from).filter(|&used| used > 0) else {
        return graph.value(Bits::zero(width));
    };
    let low = graph.extract_bits(quotient, from, used.min(width));
    if is_signed { graph.sign_extend(low, width) } else { graph.zero_extend(low, width) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::evaluate::{self, Assignment, Evaluator};
    use tribunal_ir::semantics::Domain;

    const WIDTH: u32 = 4;

    /// Every multiplier, shift before and behind, and divisor of so few bits, right or wrong: of the quotient, of the
    /// quotient in two parts, and of what it leaves. The question holds for the same numbers where products are
    /// divisions.
    #[test]
    fn numbers_answer_the_question_in_the_same_way() {
        let mut proved = [0; 4];
        let shifts = (0..3).flat_map(|before| (0..WIDTH).map(move |behind| (before, behind)));
        let multipliers = shifts.flat_map(|shifts| (1..1 << (WIDTH + 1)).map(move |times| (shifts, times)));
        for ((shifts, times), divisor) in multipliers.flat_map(|all| (2..16).map(move |by| (all, by))) {
            for (index, cut) in [None, Some(1), Some(2)].into_iter().enumerate() {
                let graph = &mut Symbolic::default();
                let (x, product) = product(graph, times, shifts);
                let by = graph.value(Bits::new(divisor, WIDTH));
                let quotient = graph.binary(Op::Udiv, x, by);
                let cut = cut.unwrap_or(WIDTH);
                let parts = [(0, cut), (cut, WIDTH - cut)].into_iter().filter(|&(_, bits)| bits > 0);
                let mut wrong = graph.truth(false);
                for (from, bits) in parts {
                    let [one, other] = [quotient, product].map(|of| graph.extract_bits(of, from, bits));
                    let differ = graph.ne(&one, &other);
                    wrong = graph.bool_or(&wrong, &differ);
                }
                proved[index] += u32::from(is_proved(graph, x, wrong));
            }
            let graph = &mut Symbolic::default();
            let (x, product) = product(graph, times, shifts);
            let by = graph.value(Bits::new(divisor, WIDTH));
            let (rest, multiple) = (graph.binary(Op::Urem, x, by), graph.binary(Op::Mul, product, by));
            let left = graph.binary(Op::Sub, x, multiple);
            let wrong = graph.ne(&rest, &left);
            proved[3] += u32::from(is_proved(graph, x, wrong));
        }
        assert_eq!(proved, [90, 28, 5, 90]);
    }

    /// A number, and its product by a constant between two shifts.
    fn product(graph: &mut Symbolic, times: u128, (before, behind): (u32, u32)) -> (Term, Term) {
        let x = graph.variable(WIDTH);
        let shifted = graph.extract_bits(x, before, WIDTH - before);
        let (shifted, times) = (graph.zero_extend(shifted, 3 * WIDTH), graph.value(Bits::new(times, 3 * WIDTH)));
        let product = graph.binary(Op::Mul, shifted, times);
        (x, graph.extract_bits(product, WIDTH + behind, WIDTH))
    }

    /// True if nothing is left of the question once products are divisions. What is left holds for the same numbers.
    fn is_proved(graph: &mut Symbolic, x: Term, wrong: Term) -> bool {
        let cone = evaluate::cone(graph, wrong);
        let Some(divided) = as_divisions(graph, wrong, &cone) else { return false };
        for number in 0..1 << graph.width_of(x) {
            let values = [(x, Bits::new(number, graph.width_of(x)))].into_iter().collect();
            let assignment = Assignment { values, ..Assignment::default() };
            let holds = |term| Evaluator::new(graph, &assignment).holds(term);
            assert_eq!(holds(wrong), holds(divided), "{number}");
        }
        graph.is_false(divided)
    }
}
