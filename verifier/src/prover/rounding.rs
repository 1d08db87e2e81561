//! Results of rounding for a solver that takes each as an unknown: it learns those that its own answers got wrong.

use super::evaluate::{self, Assignment, Evaluator};
use super::term::{Node, Symbolic, Term};
use tribunal_ir::Bits;
use tribunal_ir::semantics::Domain;

/// `question`, where no operation rounds as wrongly as in this answer: for each such operation, the operands of the
/// answer give the true result. `None` if the answer has all of them right.
pub(super) fn corrected(graph: &mut Symbolic, question: Term, answer: &Assignment) -> Option<Term> {
    let lessons = lessons(graph, question, answer);
    let corrected = lessons.iter().fold(question, |question, (operands, result)| {
        let given = operands.iter().fold(graph.truth(true), |all, &operand| {
            let equal = is(graph, operand);
            graph.bool_and(&all, &equal)
        });
        let (other, right) = (graph.bool_not(&given), is(graph, *result));
        let lesson = graph.bool_or(&other, &right);
        graph.bool_and(&question, &lesson)
    });
    (!lessons.is_empty()).then_some(corrected)
}

/// A term and its value.
type Known = (Term, Bits);

fn is(graph: &mut Symbolic, (term, value): Known) -> Term {
    let value = graph.value(value);
    graph.equal(term, value)
}

/// The operands and the true result of each operation that the answer gives another result. An elementary function has
/// none that is true.
fn lessons(graph: &Symbolic, question: Term, answer: &Assignment) -> Vec<(Vec<Known>, Known)> {
    let mut evaluator = Evaluator::new(graph, answer);
    let mut known = |term| (term, evaluator.value(term));
    let mut lessons = Vec::new();
    for term in evaluate::cone(graph, question) {
        if let Node::Rounded(application) = graph.node(term)
            && !graph.application(application).0.is_elementary()
        {
            let result = known(term);
            let operands = graph.application(application).1.iter().map(|&operand| known(operand));
            let operands = operands.collect();
            if answer.values.get(&term).is_some_and(|&said| said != result.1) {
                lessons.push((operands, result));
            }
        }
    }
    lessons
}
