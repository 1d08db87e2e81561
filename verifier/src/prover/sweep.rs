//! SAT sweeping, as in combinational equivalence checking, before z3 sees a question about a block. Terms that are
//! equal on all samples go to the solver from the leaves up, and those proved equal are merged. Two stages of a
//! function compute the same values by different terms throughout; once the inner terms are merged, the terms built on
//! them fold.

use super::evaluate::Evaluator;
use super::query::{self, Query};
use super::samples;
use super::solver::{self, Answer, Effort, Text};
use super::term::{Symbolic, Term};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Terms of a class to which another of the same samples is compared.
const COMPARED: usize = 2;
/// The solver's effort for one pair of terms.
const WORK: u32 = 50_000;
/// The sweep stops after this many pairs that are not proved equal: it does not help here.
const FAILURES: usize = 12;

/// The query's `wrong` term, with terms merged that the solver proves equal.
pub(super) fn swept(query: &mut Query, cone: &[Term], effort: Effort) -> Term {
    let signatures = signatures(query, cone);
    let graph = &mut query.graph;
    let (mut merged, mut memo) = (FxHashMap::default(), FxHashMap::default());
    let mut classes: FxHashMap<(u64, u32), Vec<Term>> = FxHashMap::default();
    let mut failures = 0;
    for (&term, &signature) in cone.iter().zip(&signatures) {
        let new = query::substituted(graph, term, &merged, &mut memo);
        let class = classes.entry((signature, graph.width_of(term))).or_default();
        if class.contains(&new) {
            continue;
        }
        let same = class.iter().copied().take(COMPARED).find(|&other| {
            let same = failures < FAILURES && equal(graph, other, new, effort.of_work(WORK));
            failures += usize::from(!same);
            same
        });
        match same {
            Some(other) => merged.extend([(term, other), (new, other)]),
            None => class.push(new),
        }
    }
    query::substituted(graph, query.wrong, &merged, &mut memo)
}

/// A hash of each term's values on the samples.
fn signatures(query: &Query, cone: &[Term]) -> Vec<u64> {
    let mut hashers = vec![FxHasher::default(); cone.len()];
    Evaluator::each(&query.graph, cone, samples::assignments(query, cone), |evaluator| {
        for (hasher, &term) in hashers.iter_mut().zip(cone) {
            evaluator.of(term).hash(hasher);
        }
        false
    });
    hashers.iter().map(FxHasher::finish).collect()
}

/// True if the terms are shown equal whatever the variables.
fn equal(graph: &mut Symbolic, one: Term, other: Term, effort: Effort) -> bool {
    let same = graph.equal(one, other);
    let differ = graph.complement(same);
    graph.is_false(differ) || matches!(solver::solve(graph, differ, Text::Dropped, effort).0, Answer::Unsatisfiable)
}

#[cfg(test)]
mod tests {
    use super::super::counterexample::ValueName;
    use super::super::evaluate;
    use super::super::query::{StepOutput, of_outputs};
    use super::super::side::{Inputs, Scalar};
    use super::super::term::Op;
    use super::*;
    use tribunal_ir::bits::Bits;

    /// `term` hashed as generated programs hash what they show.
    fn mixed(graph: &mut Symbolic, term: Term) -> Term {
        let wide = graph.zero_extend(term, 64);
        (0..3).fold(wide, |term, round| {
            let (odd, key) = (Bits::new(0x5851_f42d_4c95_7f2d, 64), Bits::new(0x9e37 + round, 64));
            let (odd, key) = (graph.value(odd), graph.value(key));
            let keyed = graph.binary(Op::Xor, term, key);
            graph.binary(Op::Mul, keyed, odd)
        })
    }

    /// The question whether the hash of `a + b` is that of `(a | b) + (a & b)`, of which the latter has another
    /// constant.
    fn question(excess: u128) -> Query {
        let mut graph = Symbolic::default();
        let (a, b) = (graph.variable(16), graph.variable(16));
        let excess = graph.value(Bits::new(excess, 16));
        let (or, and) = (graph.binary(Op::Or, a, b), graph.binary(Op::And, a, b));
        let and = graph.binary(Op::Or, and, excess);
        let (sum, other) = (graph.binary(Op::Add, a, b), graph.binary(Op::Add, or, and));
        let no = graph.truth(false);
        let [source, target] = [sum, other].map(|term| Scalar::new(mixed(&mut graph, term), no));
        let output = StepOutput { name: ValueName::Other("result"), source, target, ub: no };
        of_outputs(graph, Inputs::default(), no, vec![output], false)
    }

    #[test]
    fn what_is_equal_deep_inside_folds_above() {
        let mut equal = question(0);
        assert!(!equal.graph.is_false(equal.wrong), "nothing is left to sweep");
        let cone = evaluate::cone(&equal.graph, equal.wrong);
        let rest = swept(&mut equal, &cone, Effort::BLOCK);
        assert!(equal.graph.is_false(rest));
        // A carry into the bit that differs is needed to see it, which is rare on samples.
        let mut different = question(1 << 15);
        let cone = evaluate::cone(&different.graph, different.wrong);
        let rest = swept(&mut different, &cone, Effort::BLOCK);
        assert!(!different.graph.is_false(rest));
    }
}
