//! Concrete samples, which refute most wrong rules at once: corners and noise for every question, and values aimed at
//! carries for questions with products that no engine proved.
//!
//! A carry between limbs of a product is rare on random values: the last one of a high product by halves almost never
//! occurs. It is common where limbs are all ones, single bits, or one off: partial sums are all ones there.

use super::evaluate::{Assignment, Evaluator};
use super::query::{self, Query};
use super::solver::Effort;
use super::term::{Node, Term};
use tribunal_ir::bits::Bits;

/// Samples tried before a solver is asked.
const SAMPLES: u64 = 96;
/// Samples aimed at carries, at most. Each term of a sample takes about as long as a unit of the solver's work.
const AIMED: u64 = 6000;

/// An assignment that refutes the step, if a corner or noise does; `cone` is the set of terms of the question.
pub(super) fn sample(query: &Query, cone: &[Term]) -> Option<Assignment> {
    Evaluator::first(&query.graph, query.wrong, cone, assignments(query, cone))
}

/// Corners and noise for the variables of `cone`.
pub(super) fn assignments(query: &Query, cone: &[Term]) -> impl Iterator<Item = Assignment> {
    (0..SAMPLES).map(|index| assignment(query, cone, index))
}

/// The same, if an aimed sample does; as many as the function has time for.
pub(super) fn aimed(query: &Query, cone: &[Term], effort: Effort) -> Option<Assignment> {
    let count = AIMED.min(effort.left() / cone.len().max(1) as u64);
    let assignments = (0..count).map(|index| filled(query, cone, index, Random::new(!index), by_limbs));
    Evaluator::first(&query.graph, query.wrong, cone, assignments)
}

/// xorshift.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }
}

/// The `index`th sample: the first few are corners for every input at once, then a mix of corners and noise.
fn assignment(query: &Query, cone: &[Term], index: u64) -> Assignment {
    filled(query, cone, index, Random::new(index), |term, width, random| {
        let corners = query::corners(width);
        match (width, index) {
            // Rarely poison.
            (1, 8..) => Bits::new(u128::from(random.below(5) == 0), 1),
            (_, 0..8) => corners[(index as usize + term.0 as usize * usize::from(index >= 4)) % corners.len()],
            _ => match random.below(3) {
                0 => corners[random.below(corners.len())],
                1 => Bits::new(random.below(130) as u128, width),
                _ => Bits::from_limbs(|_| random.next(), width),
            },
        }
    })
}

/// A value for each variable; in the first samples nothing is poison.
fn filled(
    query: &Query,
    cone: &[Term],
    index: u64,
    mut random: Random,
    value: impl Fn(Term, u32, &mut Random) -> Bits,
) -> Assignment {
    let seed = Some(index.wrapping_mul(0x1234_5678_9abc_def1));
    let mut assignment = Assignment { seed, ..Assignment::default() };
    for &term in cone {
        if matches!(query.graph.node(term), Node::Var(_)) {
            assignment.set(term, value(term, query.graph.width_of(term), &mut random));
        }
    }
    for (address, place) in query.graph.laid_out(random.next()) {
        assignment.set(address, place);
    }
    if index < 8 {
        for value in query.inputs.registers.values() {
            value.poison_of_elements().iter().for_each(|&poison| assignment.set(poison, Bits::zero(1)));
        }
    }
    assignment
}

/// Each limb a corner: halves or quarters of the value, or words.
fn by_limbs(_: Term, width: u32, random: &mut Random) -> Bits {
    if width == 1 {
        return Bits::new(u128::from(random.below(8) == 0), 1);
    }
    let limb = [width / 2, width / 2, width / 4, 32][random.below(4)].clamp(1, width);
    let mut value = limb_corner(limb, random);
    while value.width() < width {
        let next = limb.min(width - value.width());
        value = limb_corner(next, random).concat(value);
    }
    value
}

/// Favourites first: zero, one, all ones, the top bit, and what lies beside them.
fn limb_corner(width: u32, random: &mut Random) -> Bits {
    let (one, ones, top) = (Bits::new(1, width), Bits::ones(width), Bits::signed_min(width));
    let bit = Bits::one_bit(random.below(width as usize) as u32, width);
    match random.below(16) {
        0 | 1 => Bits::zero(width),
        2..=4 => one,
        5..=8 => ones,
        9 | 10 => top,
        11 => ones.sub(one),
        12 => top.sub(one),
        13 => bit,
        14 => bit.sub(one),
        _ => Bits::from_limbs(|_| random.next(), width),
    }
}
