//! Operations on numbers of 16 bits by way of wider ones: the result is rounded twice, and is the same.
//!
//! To the solver an operation that rounds is an unknown function. It is told that none makes a NaN of numbers, and that
//! the equation of its detour holds for each operation of 16 bits in a question, whatever the operands are:
//!
//! ```text
//! round16(round32(extend a + extend b)) = round16(a + b)
//! ```
//!
//! In another question a conversion to 16 bits is written out, by its definition: that is enough where the operation is
//! exact by its bits.
//!
//! It is a theorem for each operation of [`detour`]; p is the precision, 11 bits for `half`, 24 for `float`, 53 for
//! `double`. Rounding twice goes wrong only where the first rounding reaches a tie of the second from a value that is
//! none. A tie is the middle of two neighbours, a number of at most 12 bits.
//!
//! - Sums, quotients, roots: Figueroa's theorem ("When is double rounding innocuous?", 1995), since 24 >= 2 * 11 + 2.
//!   Its argument needs no normal result. Operands are integers of 11 bits times powers of two, so a quotient that is
//!   no tie differs from one within its first 23 bits. A sum that is tiny is a multiple of the least subnormal
//!   number, hence exact. Roots are few: a test takes them all.
//! - Products have 22 bits, and remainders have 11, as have numbers times a power of two. All are exact, unless they
//!   are below the normal numbers of `float`; there both roundings give zero.
//! - Integers below 2^24 are exact, and others are beyond the greatest `half` either way.
//! - A product plus a third number, in `double`: let it differ from a tie by d, less than the tie's 53rd bit. Ties
//!   and third numbers are multiples of 2^-25, and ties are at most 2^16, so d is less than 2^-25. Then d has bits
//!   that only the product can have, whose 22 bits so end at d or below: it is less than the tie's 31st bit. So the
//!   third number is nearer to the tie than that; but it has 11 bits, and the tie has 12, so it is not.
//!
//! The tests hold each equation to the definitions and, over all pairs of operands, to exact arithmetic on integers.

#[cfg(test)]
mod tests;

use super::evaluate;
use super::query::substituted;
use super::term::{Node, Symbolic, Term};
use rustc_hash::FxHashMap;
use tribunal_ir::FloatFormat::{self, Double, Float, Half};
use tribunal_ir::semantics::Domain;
use tribunal_ir::semantics::float::{self, FLAG_BITS, FloatRules, NanRule, RoundedOperation, RoundingMode, compare};

/// True if a number of 16 bits is the result of a conversion.
pub(super) fn worth_trying(graph: &Symbolic, cone: &[Term]) -> bool {
    cone.iter().any(|&term| matches!(operation(graph, term), Some((RoundedOperation::Convert(_, Half), _))))
}

fn operation(graph: &Symbolic, term: Term) -> Option<(RoundedOperation, &[Term])> {
    match graph.node(term) {
        Node::Rounded(application) => Some(graph.application(application)),
        _ => None,
    }
}

/// `question`, where the equation holds of each operation of 16 bits that it is about; `None` if it is about none.
pub(super) fn with_detours(graph: &mut Symbolic, question: Term, cone: &[Term]) -> Option<Term> {
    let equations: Vec<Term> = cone
        .iter()
        .filter_map(|&term| {
            let (operation, operands) = operation(graph, term)?;
            let (mode, operands) = operands.split_first()?;
            let (is_nearest, operands) =
                (graph.as_const(*mode) == Some(RoundingMode::NearestEven.bits()), operands.to_vec());
            equation(graph, operation, &operands).filter(|_| is_nearest)
        })
        .collect();
    if equations.is_empty() {
        return None;
    }
    let told = equations.iter().fold(question, |all, equation| graph.bool_and(&all, equation));
    Some(numbers_stay(graph, told))
}

/// `question`, where no operation that rounds makes a NaN of numbers.
fn numbers_stay(graph: &mut Symbolic, question: Term) -> Term {
    let mut told = question;
    for term in evaluate::cone(graph, question) {
        let Some((operation, [_, operands @ ..])) = operation(graph, term) else { continue };
        let (read, operands) = (read_format(operation), operands.to_vec());
        let result = graph.extract_bits(term, FLAG_BITS, operation.format().bits());
        let mut holds = is_nan(graph, operation.format(), result);
        holds = graph.bool_not(&holds);
        for operand in operands {
            if let Some(format) = read.filter(|format| format.bits() == graph.width_of(operand)) {
                let is_nan = is_nan(graph, format, operand);
                holds = graph.bool_or(&holds, &is_nan);
            }
        }
        told = graph.bool_and(&told, &holds);
    }
    told
}

/// The format of the numbers that an operation reads.
fn read_format(operation: RoundedOperation) -> Option<FloatFormat> {
    match operation {
        RoundedOperation::FromInteger(_) => None,
        RoundedOperation::Convert(from, _) => Some(from),
        other => Some(other.format()),
    }
}

fn is_nan(graph: &mut Symbolic, format: FloatFormat, bits: Term) -> Term {
    compare(graph, format, &bits, &bits).unordered
}

/// `question` with conversions to 16 bits written out.
pub(super) fn with_conversions(graph: &mut Symbolic, question: Term, cone: &[Term]) -> Term {
    let mut written = FxHashMap::default();
    for &term in cone {
        let Some((conversion @ RoundedOperation::Convert(_, Half), operands)) = operation(graph, term) else {
            continue;
        };
        let operands = operands.to_vec();
        let result = float::by_definition(graph, conversion, &operands);
        written.insert(term, graph.concatenate(result.bits, result.flags));
    }
    substituted(graph, question, &written, &mut FxHashMap::default())
}

/// The wider format in which an operation on numbers of 16 bits may round first.
pub(super) fn detour(operation: RoundedOperation) -> Option<FloatFormat> {
    use RoundedOperation::{Add, Div, Fma, FromInteger, Mul, Rem, Scale, Sqrt};
    match operation {
        Add(Half) | Mul(Half) | Div(Half) | Rem(Half) | Sqrt(Half) | Scale(Half) | FromInteger(Half) => Some(Float),
        Fma(Half) => Some(Double),
        _ => None,
    }
}

/// The equation of an operation and its detour, NaNs included, all of which are one here.
fn equation<D: Domain>(d: &mut D, operation: RoundedOperation, operands: &[D::Bits]) -> Option<D::Bool> {
    let (direct, twice) = both(d, operation, operands)?;
    Some(d.eq(&direct, &twice))
}

/// The result of an operation on numbers of 16 bits, and that of its detour; `None` if it has no detour.
pub fn both<D: Domain>(d: &mut D, operation: RoundedOperation, operands: &[D::Bits]) -> Option<(D::Bits, D::Bits)> {
    let wide = detour(operation)?;
    let rules = FloatRules::new(d, NanRule::Canonical, RoundingMode::NearestEven);
    let is_number = |place: usize| match operation {
        RoundedOperation::FromInteger(_) => false,
        RoundedOperation::Scale(_) => place == 0,
        _ => true,
    };
    let extended: Vec<D::Bits> = operands
        .iter()
        .enumerate()
        .map(|(place, operand)| match is_number(place) {
            true => float::extend(d, &rules, (Half, wide), operand).bits,
            false => operand.clone(),
        })
        .collect();
    let direct = result(d, &rules, (operation, Half), operands)?;
    let first = result(d, &rules, (operation, wide), &extended)?;
    Some((direct, float::truncate(d, &rules, (wide, Half), &first).bits))
}

/// The operation in one format.
fn result<D: Domain>(
    d: &mut D,
    rules: &FloatRules<D>,
    (operation, format): (RoundedOperation, FloatFormat),
    operands: &[D::Bits],
) -> Option<D::Bits> {
    let (a, b) = (operands.first()?, operands.get(1));
    let result = match operation {
        RoundedOperation::Add(_) => float::add(d, rules, format, a, b?),
        RoundedOperation::Mul(_) => float::mul(d, rules, format, a, b?),
        RoundedOperation::Div(_) => float::div(d, rules, format, a, b?),
        RoundedOperation::Rem(_) => float::rem(d, rules, format, a, b?),
        RoundedOperation::Scale(_) => float::scale(d, rules, format, a, b?),
        RoundedOperation::Fma(_) => float::fma(d, rules, format, [a, b?, operands.get(2)?]),
        RoundedOperation::Sqrt(_) => float::sqrt(d, rules, format, a),
        RoundedOperation::FromInteger(_) => {
            d.rounded(RoundedOperation::FromInteger(format), &[rules.mode.clone(), a.clone()])
        }
        RoundedOperation::Convert(..) | RoundedOperation::Elementary(..) => return None,
    };
    Some(result.bits)
}
