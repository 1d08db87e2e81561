//! SAT sweeping, as in combinational equivalence checking, before z3 sees a question about a block. Terms that are
//! equal on all samples go to the solver from the leaves up, and those proved equal are merged. Two stages of a
//! function compute the same values by different terms throughout; once the inner terms are merged, the terms built on
//! them fold.

use super::evaluate::{Assignment, Evaluator};
use super::query::{self, Query};
use super::samples::{self, Random};
use super::solver::{self, Answer, Effort, Text};
use super::term::{MemNode, Node, Symbolic, Term};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use tribunal_ir::bits::Bits;

/// Terms of a class to which another of the same samples is compared.
const COMPARED: usize = 2;
/// Assignments by which one counterexample tells terms apart.
const VARIANTS: u64 = 8;

/// The limits of one sweep.
struct SweepLimits {
    /// The solver's work for one pair of terms.
    work: u32,
    /// The sweep stops after this many pairs that are not proved equal: it does not help here.
    failures: usize,
}

const LIMITS: SweepLimits = SweepLimits { work: 50_000, failures: 12 };
/// Where a function has little of the solver, the question itself needs it.
const SHORT_LIMITS: SweepLimits = SweepLimits { work: 10_000, failures: 2 };

/// The query's `wrong` term, with terms merged that the solver proves equal.
pub(super) fn swept(query: &mut Query, cone: &[Term], effort: Effort) -> Term {
    let mut sweep = Sweep {
        signatures: signatures(query, cone),
        query,
        cone,
        kept: Vec::new(),
        classes: FxHashMap::default(),
        failures: 0,
    };
    let (mut merged, mut memo) = (FxHashMap::default(), FxHashMap::default());
    for (place, &term) in cone.iter().enumerate() {
        let new = query::substituted(&mut sweep.query.graph, term, &merged, &mut memo);
        match sweep.equal_to(place, new, effort) {
            Some(other) if other == new => {}
            Some(other) => merged.extend([(term, other), (new, other)]),
            None => sweep.keep(place, new),
        }
    }
    query::substituted(&mut query.graph, query.wrong, &merged, &mut memo)
}

/// The state of a sweep over the terms of a question.
struct Sweep<'q> {
    query: &'q mut Query,
    cone: &'q [Term],
    /// A hash of each term's values on the samples, and on each counterexample to an equality that was asked.
    signatures: Vec<u64>,
    /// The places in the cone of terms that equal none before them, with the terms that stand there by now.
    kept: Vec<(usize, Term)>,
    /// The same terms by signature and width.
    classes: FxHashMap<(u64, u32), Vec<Term>>,
    /// Pairs that were not proved equal.
    failures: usize,
}

impl Sweep<'_> {
    /// A term before this one that is equal to it. A counterexample tells apart other pairs too, and those are not
    /// asked about.
    fn equal_to(&mut self, place: usize, new: Term, effort: Effort) -> Option<Term> {
        let limits = if effort.is_short() { SHORT_LIMITS } else { LIMITS };
        let mut asked: SmallVec<[Term; COMPARED]> = SmallVec::new();
        loop {
            let key = (self.signatures[place], self.query.graph.width_of(new));
            let class = self.classes.get(&key)?;
            if class.contains(&new) {
                return Some(new);
            }
            let other = class.iter().copied().take(COMPARED).find(|other| !asked.contains(other))?;
            if self.failures >= limits.failures || asked.len() >= COMPARED {
                return None;
            }
            match equality(&mut self.query.graph, other, new, effort.of_work(limits.work)) {
                Answer::Unsatisfiable => return Some(other),
                Answer::Satisfiable(values) => self.refine(values),
                Answer::Unknown(_) => {}
            }
            asked.push(other);
            self.failures += 1;
        }
    }

    fn keep(&mut self, place: usize, term: Term) {
        self.kept.push((place, term));
        let key = (self.signatures[place], self.query.graph.width_of(term));
        self.classes.entry(key).or_default().push(term);
    }

    /// Adds the values of all terms under this assignment, and under some like it, to their signatures.
    fn refine(&mut self, assignment: Assignment) {
        let graph = &self.query.graph;
        let assignment = with_contents(graph, self.cone, assignment);
        let variants = variants(graph, &assignment, self.failures as u64);
        Evaluator::each(graph, self.cone, variants.into_iter(), |evaluator| {
            for (signature, &term) in self.signatures.iter_mut().zip(self.cone) {
                let mut hasher = FxHasher::default();
                (*signature, evaluator.of(term)).hash(&mut hasher);
                *signature = hasher.finish();
            }
            false
        });
        self.classes.clear();
        for (place, term) in std::mem::take(&mut self.kept) {
            self.keep(place, term);
        }
    }
}

/// The assignment, and others in which some variables have another value: a solver sets what it may to zero.
fn variants(graph: &Symbolic, assignment: &Assignment, seed: u64) -> Vec<Assignment> {
    let mut variables: Vec<Term> = assignment.values.keys().copied().collect();
    variables.sort_unstable();
    let variant = |number: u64| {
        let mut random = Random::new(seed * VARIANTS + number);
        let mut other = Assignment { seed: Some(random.next()), ..assignment.clone() };
        for &term in &variables {
            if number > 0 && random.below(3) == 0 {
                other.set(term, Bits::from_limbs(|_| random.next(), graph.width_of(term)));
            }
        }
        other
    };
    (0..VARIANTS).map(variant).collect()
}

/// The assignment with reads of memory as its contents, so that equal addresses hold equal values.
fn with_contents(graph: &Symbolic, cone: &[Term], mut assignment: Assignment) -> Assignment {
    let mut contents = FxHashMap::default();
    Evaluator::each(graph, cone, std::iter::once(assignment.clone()), |evaluator| {
        let reads = assignment.values.iter().filter_map(|(&term, &value)| match graph.node(term) {
            Node::Select(memory, address) => match graph.memories[memory.0 as usize] {
                MemNode::Initial(number, _) => Some((number, address, value)),
                MemNode::Store(..) => None,
            },
            _ => None,
        });
        contents.extend(reads.map(|(memory, address, value)| ((memory, evaluator.of(address).low_u64()), value)));
        false
    });
    assignment.values.retain(|&term, _| matches!(graph.node(term), Node::Var(_)));
    Assignment { contents, ..assignment }
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

/// Unsatisfiable if the terms are equal whatever the variables.
fn equality(graph: &mut Symbolic, one: Term, other: Term, effort: Effort) -> Answer {
    let same = graph.equal(one, other);
    let differ = graph.complement(same);
    if graph.is_false(differ) {
        return Answer::Unsatisfiable;
    }
    solver::solve(graph, differ, Text::Dropped, effort).0
}

#[cfg(test)]
mod tests {
    use super::super::counterexample::ValueName;
    use super::super::evaluate;
    use super::super::query::{StepOutput, of_outputs};
    use super::super::side::{Inputs, Scalar};
    use super::super::term::Op;
    use super::*;
    use tribunal_ir::semantics::Domain;

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

    /// So many truth values that differ where a variable has one rare value.
    fn rare(graph: &mut Symbolic, count: u32) -> Term {
        let (key, chosen) = (graph.variable(64), graph.variable(64));
        let rare = graph.value(Bits::new(0x9e37_79b9_7f4a_7c15, 64));
        let is_rare = graph.equal(key, rare);
        let all = (0..count).fold(graph.truth(false), |all, index| {
            let bit = graph.extract_bits(chosen, index, 1);
            let bit = graph.bool_and(&is_rare, &bit);
            graph.concatenate(all, bit)
        });
        graph.zero_extend(all, 64)
    }

    /// The question whether the hash of `a + b` is that of `(a | b) + (a & b)`, of which the latter has another
    /// constant. Both show many more values.
    fn question(excess: u128, shown: u32) -> Query {
        let mut graph = Symbolic::default();
        let shown = rare(&mut graph, shown);
        let (a, b) = (graph.variable(16), graph.variable(16));
        let excess = graph.value(Bits::new(excess, 16));
        let (or, and) = (graph.binary(Op::Or, a, b), graph.binary(Op::And, a, b));
        let and = graph.binary(Op::Or, and, excess);
        let (sum, other) = (graph.binary(Op::Add, a, b), graph.binary(Op::Add, or, and));
        let no = graph.truth(false);
        let [source, target] = [sum, other].map(|term| {
            let mixed = mixed(&mut graph, term);
            Scalar::new(graph.binary(Op::Xor, mixed, shown), no)
        });
        let output = StepOutput { name: ValueName::Other("result"), source, target, ub: no };
        of_outputs(graph, Inputs::default(), no, vec![output], false)
    }

    #[test]
    fn what_is_equal_deep_inside_folds_above() {
        let mut equal = question(0, 0);
        assert!(!equal.graph.is_false(equal.wrong), "nothing is left to sweep");
        let cone = evaluate::cone(&equal.graph, equal.wrong);
        let rest = swept(&mut equal, &cone, Effort::BLOCK);
        assert!(equal.graph.is_false(rest));
        // A carry into the bit that differs is needed to see it, which is rare on samples.
        let mut different = question(1 << 15, 0);
        let cone = evaluate::cone(&different.graph, different.wrong);
        let rest = swept(&mut different, &cone, Effort::BLOCK);
        assert!(!different.graph.is_false(rest));
    }

    #[test]
    fn a_counterexample_tells_apart_more_than_one_pair() {
        let mut equal = question(0, 40);
        let cone = evaluate::cone(&equal.graph, equal.wrong);
        let rest = swept(&mut equal, &cone, Effort::BLOCK);
        assert!(equal.graph.is_false(rest), "pairs that differ used up the sweep");
    }

    #[test]
    fn a_sweep_is_short_where_little_is_left() {
        assert!(Effort::BLOCK.at_most(100_000).is_short() && !Effort::BLOCK.is_short());
        // A pair takes more work than a short sweep has for it.
        let mut equal = question(0, 40);
        let cone = evaluate::cone(&equal.graph, equal.wrong);
        let before = solver::spent().work;
        swept(&mut equal, &cone, Effort::BLOCK.at_most(100_000));
        let most = SHORT_LIMITS.failures as u64 * u64::from(SHORT_LIMITS.work);
        assert!(solver::spent().work - before <= 2 * most);
    }
}
