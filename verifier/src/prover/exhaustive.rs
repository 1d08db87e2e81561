//! All values: a question about few bits is evaluated for every one of them, which is proof and refutation in one.
//!
//! Operations on one number of 16 bits are such questions, as are those on two small integers. The terms are evaluated
//! one after the other, each for many values at once, in machine words: a solver would search among the same values.

use super::evaluate::{Assignment, operands};
use super::term::{Node, Op, Symbolic, Term, concrete_binary, rounded};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete};

/// Bits of all variables together, at most.
const MOST_BITS: u32 = 20;
/// Terms times values, at most: more take as long as a solver does.
const MOST_WORK: usize = 1 << 26;
/// A term that no machine word evaluates counts as so many.
const SLOW: usize = 64;
/// Values that a term is evaluated for at once.
const LANES: usize = 256;

/// The answer for all values.
pub(super) enum AllValues {
    /// The question is never true.
    Impossible,
    /// It is true for these.
    Possible(Assignment),
}

/// The answer to the question; `None` if its values are too many. `cone` is its terms, operands first.
pub(super) fn answer(graph: &Symbolic, wrong: Term, cone: &[Term]) -> Option<AllValues> {
    let forced = forced(graph, wrong);
    let is_free = |term: &&Term| matches!(graph.node(**term), Node::Var(_)) && !forced.contains_key(term);
    let variables: SmallVec<[Term; 8]> = cone.iter().filter(is_free).copied().collect();
    let bits = variables.iter().map(|&term| graph.width_of(term)).fold(0, u32::saturating_add);
    let cost = |&term: &Term| match graph.node(term) {
        // Memory has contents at every address, and an elementary function has any digits.
        Node::Select(..) => None,
        Node::Rounded(application) if graph.application(application).0.is_elementary() => None,
        Node::Rounded(_) | Node::Binary(Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem, ..) => Some(SLOW),
        _ => Some(1),
    };
    let terms = cone.iter().map(cost).sum::<Option<usize>>()?;
    let widest = cone.iter().map(|&term| graph.width_of(term)).max()?;
    if bits > MOST_BITS || terms > MOST_WORK >> bits {
        return None;
    }
    let first = match widest {
        ..=64 => Evaluation::<u64>::new(graph, cone, &forced, &variables).first(wrong, bits),
        65..=128 => Evaluation::<u128>::new(graph, cone, &forced, &variables).first(wrong, bits),
        129..=256 => Evaluation::<Double>::new(graph, cone, &forced, &variables).first(wrong, bits),
        _ => return None,
    };
    Some(first.map_or(AllValues::Impossible, |value| {
        let mut assignment = Assignment { values: forced, ..Assignment::default() };
        for (variable, offset) in with_offsets(graph, &variables) {
            assignment.set(variable, Bits::new(u128::from(value >> offset), graph.width_of(variable)));
        }
        AllValues::Possible(assignment)
    }))
}

/// The values that variables of one bit have wherever the question is true: nothing that counts is poison as a rule.
fn forced(graph: &Symbolic, wrong: Term) -> FxHashMap<Term, Bits> {
    let (mut pending, mut forced) = (vec![(wrong, true)], FxHashMap::default());
    while let Some((term, value)) = pending.pop() {
        match (graph.node(term), value) {
            (Node::Var(_), _) => _ = forced.insert(term, Bits::new(value.into(), 1)),
            (Node::Not(inner), _) => pending.push((inner, !value)),
            (Node::Binary(Op::And, a, b), true) | (Node::Binary(Op::Or, a, b), false) => {
                pending.extend([(a, value), (b, value)]);
            }
            _ => {}
        }
    }
    forced
}

/// The variables, each with the place of its lowest bit in a value of them all.
fn with_offsets(graph: &Symbolic, variables: &[Term]) -> impl Iterator<Item = (Term, u32)> {
    variables.iter().scan(0, |offset, &variable| {
        let own = *offset;
        *offset += graph.width_of(variable);
        Some((variable, own))
    })
}

/// A machine word, or several, that holds a value of a term, zero-extended.
trait Word:
    Copy
    + Ord
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    fn from_limbs(limb: impl Fn(usize) -> u64) -> Self;
    fn limb(self, index: usize) -> u64;
    /// Modulo the word's size.
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    fn of(value: u64) -> Self {
        Self::from_limbs(|index| if index == 0 { value } else { 0 })
    }

    fn of_bits(bits: Bits) -> Self {
        Self::from_limbs(|index| bits.limbs()[index])
    }

    fn bits(self, width: u32) -> Bits {
        Bits::from_limbs(|index| if index as u32 * 64 < Self::BITS { self.limb(index) } else { 0 }, width)
    }
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;
            fn from_limbs(limb: impl Fn(usize) -> u64) -> Self {
                (0..Self::BITS / 64).map(|index| (limb(index as usize) as $word) << (64 * index)).sum()
            }
            fn limb(self, index: usize) -> u64 {
                (self >> (64 * index)) as u64
            }
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    };
}

word!(u64);
word!(u128);

/// A word of 256 bits: integers are made of numbers of floating point in 129 bits. High and low half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Double(u128, u128);

impl Word for Double {
    const BITS: u32 = 256;
    fn from_limbs(limb: impl Fn(usize) -> u64) -> Self {
        Double(u128::from_limbs(|index| limb(2 + index)), u128::from_limbs(&limb))
    }
    fn limb(self, index: usize) -> u64 {
        if index < 2 { self.1.limb(index) } else { self.0.limb(index - 2) }
    }
    fn plus(self, other: Self) -> Self {
        let (low, carry) = self.1.overflowing_add(other.1);
        Double(self.0.plus(other.0).plus(carry.into()), low)
    }
    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.1.overflowing_sub(other.1);
        Double(self.0.minus(other.0).minus(borrow.into()), low)
    }
    fn times(self, other: Self) -> Self {
        Double::of_bits(self.bits(Self::BITS).mul(other.bits(Self::BITS)))
    }
}

impl Not for Double {
    type Output = Self;
    fn not(self) -> Self {
        Double(!self.0, !self.1)
    }
}

macro_rules! bitwise {
    ($($operation:ident $name:ident $operator:tt),*) => {$(
        impl $operation for Double {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                Double(self.0 $operator other.0, self.1 $operator other.1)
            }
        }
    )*};
}

bitwise!(BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl Shl<u32> for Double {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        match by {
            0 => self,
            1..128 => Double(self.0 << by | self.1 >> (128 - by), self.1 << by),
            _ => Double(self.1 << (by - 128), 0),
        }
    }
}

impl Shr<u32> for Double {
    type Output = Self;
    fn shr(self, by: u32) -> Self {
        match by {
            0 => self,
            1..128 => Double(self.0 >> by, self.1 >> by | self.0 << (128 - by)),
            _ => Double(0, self.0 >> (by - 128)),
        }
    }
}

fn mask<W: Word>(width: u32) -> W {
    !W::of(0) >> (W::BITS - width)
}

/// The terms of a question, for [`LANES`] values at a time.
struct Evaluation<'g, W> {
    graph: &'g Symbolic,
    /// Those that change.
    cone: Vec<Term>,
    /// The place of each variable's lowest bit.
    offsets: FxHashMap<Term, u32>,
    /// The place of each term among all, by its number.
    places: Vec<usize>,
    /// The values of each term, in the order of the cone.
    words: Vec<W>,
}

impl<'g, W: Word> Evaluation<'g, W> {
    fn new(
        graph: &'g Symbolic,
        cone: &[Term],
        forced: &FxHashMap<Term, Bits>,
        variables: &[Term],
    ) -> Evaluation<'g, W> {
        let (mut places, mut words) = (vec![0; graph.bound()], vec![W::of(0); cone.len() * LANES]);
        let mut changing = Vec::with_capacity(cone.len());
        for (place, &term) in cone.iter().enumerate() {
            places[term.0 as usize] = place;
            match graph.as_const(term).or_else(|| forced.get(&term).copied()) {
                Some(value) => words[place * LANES..][..LANES].fill(W::of_bits(value)),
                None => changing.push(term),
            }
        }
        let offsets = with_offsets(graph, variables).collect();
        Evaluation { graph, cone: changing, offsets, places, words }
    }

    /// The first value of all variables, of so many bits together, for which `wrong` is true.
    fn first(&mut self, wrong: Term, bits: u32) -> Option<u64> {
        let values = 1 << bits;
        (0..values).step_by(LANES).find_map(|from| {
            for index in 0..self.cone.len() {
                self.evaluate(self.cone[index], from);
            }
            let lanes = self.of(wrong).iter().zip(from..values);
            lanes.filter(|&(&word, _)| word != W::of(0)).map(|(_, value)| value).next()
        })
    }

    fn of(&self, term: Term) -> &[W] {
        &self.words[self.places[term.0 as usize] * LANES..][..LANES]
    }

    /// Evaluates a term whose operands are known, for the values from this one on.
    fn evaluate(&mut self, term: Term, from: u64) {
        let (graph, width) = (self.graph, self.graph.width_of(term));
        let (below, rest) = self.words.split_at_mut(self.places[term.0 as usize] * LANES);
        let (below, places) = (&*below, &self.places);
        let of = |operand: Term| -> &[W] { &below[places[operand.0 as usize] * LANES..][..LANES] };
        let to = &mut rest[..LANES];
        let (own, truth) = (mask::<W>(width), |value: bool| W::of(value.into()));
        match graph.node(term) {
            Node::Const(_) | Node::Select(..) => {}
            Node::Var(_) => {
                let offset = self.offsets[&term];
                to.iter_mut().zip(from..).for_each(|(to, value)| *to = W::of(value >> offset) & own);
            }
            Node::Binary(op, a, b) => binary(op, width, to, of(a), of(b)),
            Node::Not(a) => unary(to, of(a), |a| !a & own),
            Node::Concat(high, low) => {
                let by = graph.width_of(low);
                pairwise(to, of(high), of(low), |high, low| high << by | low);
            }
            Node::Extract(a, offset) => unary(to, of(a), |a| (a >> offset) & own),
            Node::Zext(a) => to.copy_from_slice(of(a)),
            Node::Sext(a) => {
                let sign = W::of(1) << (graph.width_of(a) - 1);
                unary(to, of(a), |a| (a ^ sign).minus(sign) & own);
            }
            Node::Eq(a, b) => pairwise(to, of(a), of(b), |a, b| truth(a == b)),
            Node::Ult(a, b) => pairwise(to, of(a), of(b), |a, b| truth(a < b)),
            Node::Slt(a, b) => {
                let sign = W::of(1) << (graph.width_of(a) - 1);
                pairwise(to, of(a), of(b), |a, b| truth(a ^ sign < b ^ sign));
            }
            Node::Ite(condition, a, b) => {
                let sides = of(a).iter().zip(of(b));
                for ((to, &condition), (&a, &b)) in to.iter_mut().zip(of(condition)).zip(sides) {
                    *to = if condition == W::of(0) { b } else { a };
                }
            }
            Node::Rounded(application) => {
                let (operation, _) = graph.application(application);
                let operands: SmallVec<[_; 4]> =
                    operands(graph, term).into_iter().map(|term| (of(term), graph.width_of(term))).collect();
                for (lane, to) in to.iter_mut().enumerate() {
                    let own = operands.iter().map(|&(words, width)| words[lane].bits(width));
                    *to = W::of_bits(rounded(operation, &own.collect::<SmallVec<[Bits; 4]>>()));
                }
            }
        }
    }
}

fn unary<W: Word>(to: &mut [W], a: &[W], of: impl Fn(W) -> W) {
    to.iter_mut().zip(a).for_each(|(to, &a)| *to = of(a));
}

fn pairwise<W: Word>(to: &mut [W], a: &[W], b: &[W], of: impl Fn(W, W) -> W) {
    to.iter_mut().zip(a.iter().zip(b)).for_each(|(to, (&a, &b))| *to = of(a, b));
}

fn binary<W: Word>(op: Op, width: u32, to: &mut [W], a: &[W], b: &[W]) {
    let (own, sign) = (mask::<W>(width), W::of(1) << (width - 1));
    // The amount of a shift that keeps something.
    let amount = |b: W| (b < W::of(width.into())).then(|| b.limb(0) as u32);
    match op {
        Op::Add => pairwise(to, a, b, |a, b| a.plus(b) & own),
        Op::Sub => pairwise(to, a, b, |a, b| a.minus(b) & own),
        Op::Mul => pairwise(to, a, b, |a, b| a.times(b) & own),
        Op::And => pairwise(to, a, b, |a, b| a & b),
        Op::Or => pairwise(to, a, b, |a, b| a | b),
        Op::Xor => pairwise(to, a, b, |a, b| a ^ b),
        Op::Shl => pairwise(to, a, b, |a, b| amount(b).map_or(W::of(0), |by| (a << by) & own)),
        Op::Lshr => pairwise(to, a, b, |a, b| amount(b).map_or(W::of(0), |by| a >> by)),
        Op::Ashr => pairwise(to, a, b, |a, b| {
            let by = amount(b).unwrap_or(width - 1);
            ((a >> by) ^ (sign >> by)).minus(sign >> by) & own
        }),
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => {
            let mut d = Concrete { choice: Choice::Zeros };
            for ((to, &a), &b) in to.iter_mut().zip(a).zip(b) {
                *to = W::of_bits(concrete_binary(&mut d, op, &a.bits(width), &b.bits(width)));
            }
        }
    }
}
