//! Products that are quotients, and remainders, as divisions: one form for what both sides of a question compute.

use super::signed::SignedForm;
use super::{DEPTH, Form, one, wide};
use crate::prover::query::substituted;
use crate::prover::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::bits::Bits;

/// A division, truncated towards zero.
#[derive(Clone, Copy)]
struct Division {
    op: Op,
    dividend: Term,
    /// As wide as the dividend; not zero, and positive if the division is signed.
    divisor: Bits,
}

/// The question with products that are quotients as divisions, and remainders by constants as what quotients leave.
/// `None` where it has no division by a constant, or no product that is one: then the solver knows better.
pub(in crate::prover) fn as_divisions(graph: &mut Symbolic, wrong: Term, cone: &[Term]) -> Option<Term> {
    let asked: Vec<Division> = cone.iter().filter_map(|&term| division(graph, term)).collect();
    let (mut divisions, mut memo, mut has_product) = (FxHashMap::default(), FxHashMap::default(), false);
    for &term in cone.iter().filter(|_| !asked.is_empty()) {
        let own = division(graph, term);
        let Some(found) = own.or_else(|| product(graph, term, &asked)) else { continue };
        has_product |= own.is_none();
        let dividend = substituted(graph, found.dividend, &divisions, &mut memo);
        let value = value(graph, term, Division { dividend, ..found });
        divisions.insert(term, value);
        memo.clear();
    }
    has_product.then(|| substituted(graph, wrong, &divisions, &mut FxHashMap::default()))
}

/// The division by a constant whose quotient or remainder the term is.
fn division(graph: &Symbolic, term: Term) -> Option<Division> {
    let Node::Binary(op @ (Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem), dividend, by) = graph.node(term) else {
        return None;
    };
    let is_signed = matches!(op, Op::Sdiv | Op::Srem);
    let divisor = graph.as_const(by).filter(|by| !(by.is_zero() || is_signed && by.is_negative()))?;
    Some(Division { op: if is_signed { Op::Sdiv } else { Op::Udiv }, dividend, divisor })
}

/// The division, by one of the divisors that the question has, whose quotient or low bits of it are a term without
/// divisions.
fn product(graph: &mut Symbolic, term: Term, asked: &[Division]) -> Option<Division> {
    let of = |op| asked.iter().filter(move |division| division.op == op).map(|division| wide(division.divisor));
    let found = |op, dividend, by: Bits, width| Division { op, dividend, divisor: by.zext_or_trunc(width) };
    match graph.node(term) {
        Node::Extract(inner, offset) => {
            // Of a quotient the low bits may be all that is used.
            let whole = graph.extract_bits(inner, offset, graph.width_of(inner) - offset);
            let form = Form::of(graph, whole, DEPTH).filter(|form| form.times != one())?;
            let is_divisor = |by: &Bits| by.used() <= form.width && form.divides_by(*by) == Some(true);
            of(Op::Udiv).find(is_divisor).map(|by| found(Op::Udiv, form.x, by, form.width))
        }
        Node::Binary(Op::Add, ..) => {
            let form = SignedForm::towards_zero(graph, term)?;
            let is_divisor = |by: &Bits| by.used() < form.width && form.divides_by(*by) == Some(true);
            of(Op::Sdiv).find(is_divisor).map(|by| found(Op::Sdiv, form.x, by, form.width))
        }
        _ => None,
    }
}

/// The quotient, or for the term of a remainder the remainder, as wide as the term. Bits above the greatest quotient
/// are those of its extension.
fn value(graph: &mut Symbolic, term: Term, Division { op, dividend, divisor }: Division) -> Term {
    let (width, whole, is_signed) = (graph.width_of(term), divisor.width(), op == Op::Sdiv);
    let by = graph.value(divisor);
    let quotient = graph.binary(op, dividend, by);
    let most = if is_signed { Bits::signed_min(whole) } else { Bits::ones(whole) };
    let used = most.checked_udiv(divisor).map_or(whole, Bits::used).max(1) + u32::from(is_signed);
    let low = graph.extract_bits(quotient, 0, used.min(width).min(whole));
    let quotient = if is_signed { graph.sign_extend(low, width) } else { graph.zero_extend(low, width) };
    match graph.node(term) {
        Node::Binary(Op::Urem | Op::Srem, ..) => {
            let multiple = graph.binary(Op::Mul, quotient, by);
            graph.binary(Op::Sub, dividend, multiple)
        }
        _ => quotient,
    }
}
