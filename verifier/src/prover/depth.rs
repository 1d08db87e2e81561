//! Terms of any depth: what walks them by recursion does so on a stack that is large enough.

/// Bytes of address space for the prover's stack; unused pages cost nothing.
const STACK: usize = 1 << 30;

/// Runs `walk` on a stack of its own, unless it is on one already. Making one takes longer than most proofs, so a
/// thread that proves many steps does all its work on one. The terms of a large block are deep, and so are those of a
/// step with wide types.
pub fn deep<T>(walk: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK / 2, STACK, walk)
}

#[cfg(test)]
mod tests {
    use super::super::counterexample::ValueName;
    use super::super::query::{self, StepOutput, of_outputs};
    use super::super::side::{Inputs, Scalar};
    use super::super::solver::{Effort, Text};
    use super::super::term::{Op, Symbolic, Term};
    use super::super::{Verdict, decide_query};
    use super::*;
    use rustc_hash::FxHashMap;
    use std::time::Duration;
    use tribunal_ir::bits::Bits;
    use tribunal_ir::semantics::Domain;

    const DEPTH: u32 = 100_000;
    /// The solver takes long over deep terms, and not to walk them.
    const SOLVED: u32 = 500;

    /// A term so deep, of which nothing folds.
    fn chain(graph: &mut Symbolic, depth: u32, x: Term, y: Term) -> Term {
        (0..depth).fold(x, |term, round| {
            let shifted = graph.binary(if round % 2 == 0 { Op::Shl } else { Op::Lshr }, term, y);
            graph.binary(Op::Xor, shifted, x)
        })
    }

    fn decided(wrong: impl FnOnce(&mut Symbolic, Term, Term) -> [Term; 2]) -> Verdict {
        let mut graph = Symbolic::default();
        let (x, y) = (graph.variable(32), graph.variable(32));
        let no = graph.truth(false);
        let [source, target] = wrong(&mut graph, x, y).map(|bits| Scalar::new(bits, no));
        let output = StepOutput { name: ValueName::Other("result"), source, target, ub: no };
        let mut query = of_outputs(graph, Inputs::default(), no, vec![output], false);
        decide_query(&mut query, Text::Dropped, Effort::FACT.within(Duration::from_secs(2))).0
    }

    #[test]
    fn deep_terms_are_built_substituted_sampled_and_asked() {
        deep(|| {
            let graph = &mut Symbolic::default();
            let (x, y) = (graph.variable(32), graph.variable(32));
            let term = chain(graph, DEPTH, x, y);
            let zero = graph.value(Bits::zero(32));
            let with = FxHashMap::from_iter([(y, zero)]);
            let same = query::substituted(graph, term, &with, &mut FxHashMap::default());
            assert!(same == x || same == zero, "an even number of times x, or x");
            // Equal terms, a difference that samples show, and one that a solver must look for.
            assert!(matches!(
                decided(|d, x, y| [chain(d, DEPTH, x, y), chain(d, DEPTH, x, y)]),
                Verdict::Proved { .. }
            ));
            assert!(matches!(decided(|d, x, y| [chain(d, DEPTH, x, y), d.not(&x)]), Verdict::Refuted(_)));
            let rare = |d: &mut Symbolic, x, y| {
                let (term, rare) = (chain(d, SOLVED, x, y), d.value(Bits::new(0x1234_5679, 32)));
                let differs = d.equal(x, rare);
                let other = d.zero_extend(differs, 32);
                [term, d.binary(Op::Xor, term, other)]
            };
            assert!(!matches!(decided(rare), Verdict::Proved { .. }));
        });
    }
}
