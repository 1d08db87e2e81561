//! Terms as sums of bits with coefficients: the engine for code that counts, moves or mirrors bits in parallel in one
//! word.
//!
//! A form is `constant + c1*b1 + c2*b2 + ...` modulo two to the term's width, where each `b` is a bit of a term that is
//! not taken apart. Sums, differences, multiples and truncations are linear, whatever wraps. A form is *exact* if its
//! value with all bits set is below the modulus. Then nothing wraps, and the integer is the term's value. An exact form
//! can be extended, and shifted down where the part below the cut stays below it. That is the argument for a masked
//! step of a population count: a lane that cannot overflow does not reach its neighbour. Any other term stands for its
//! own bits.
//!
//! Equal forms imply equal terms, so an equality of forms is a proof, in time linear in bits and terms; bit-blasting is
//! far slower.

use super::evaluate::operands;
use super::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use tribunal_ir::bits::Bits;

/// The least number of bits added up for which this engine is tried.
const COUNTED: usize = 4;

/// True if the question counts bits, one by one: few others are sums of bits on both sides.
pub(super) fn worth_trying(graph: &Symbolic, cone: &[Term]) -> bool {
    let is_bit = |term: Term| matches!(graph.node(term), Node::Zext(bit) if graph.width_of(bit) == 1);
    let adds_bit = |node: Node| matches!(node, Node::Binary(Op::Add, _, bit) if is_bit(bit));
    cone.iter().filter(|&&term| adds_bit(graph.node(term))).take(COUNTED).count() == COUNTED
}

/// True if `wrong` is shown never to be true.
pub(super) fn impossible(graph: &Symbolic, wrong: Term) -> bool {
    Forms { graph, known: FxHashMap::default() }.never(wrong)
}

/// One bit of a term.
type Bit = (Term, u32);

/// Coefficients are of the form's width and not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub constant: Bits,
    pub bits: BTreeMap<Bit, Bits>,
}

impl Form {
    fn constant(constant: Bits) -> Form {
        Form { constant, bits: BTreeMap::new() }
    }

    /// The term as its bits.
    fn name(term: Term, width: u32) -> Form {
        let bits = (0..width).map(|index| ((term, index), Bits::one_bit(index, width)));
        Form { constant: Bits::zero(width), bits: bits.collect() }
    }

    fn width(&self) -> u32 {
        self.constant.width()
    }

    fn add(mut self, other: &Form) -> Form {
        self.constant = self.constant.add(other.constant);
        for (&bit, &coefficient) in &other.bits {
            let sum = self.bits.get(&bit).map_or(coefficient, |own| own.add(coefficient));
            match sum.is_zero() {
                true => drop(self.bits.remove(&bit)),
                false => drop(self.bits.insert(bit, sum)),
            }
        }
        self
    }

    /// The form with `change` applied to each coefficient and the constant; zero coefficients are dropped.
    fn map(&self, change: impl Fn(Bits) -> Bits) -> Form {
        let bits = self.bits.iter().map(|(&bit, &coefficient)| (bit, change(coefficient)));
        Form { constant: change(self.constant), bits: bits.filter(|(_, coefficient)| !coefficient.is_zero()).collect() }
    }

    /// Modulo two to fewer bits.
    fn low(&self, width: u32) -> Form {
        self.map(|coefficient| coefficient.zext_or_trunc(width))
    }

    /// The sum with all bits set, unless it reaches the modulus.
    fn most(&self) -> Option<Bits> {
        self.bits.values().try_fold(self.constant, |sum, &coefficient| {
            let next = sum.add(coefficient);
            next.cmp_unsigned(sum).is_ge().then_some(next)
        })
    }

    fn is_exact(&self) -> bool {
        self.most().is_some()
    }

    /// An exact sum without its low `count` bits: each coefficient is cut in two, and the sum below the cut stays below
    /// it even if all bits are set.
    fn high(&self, count: u32) -> Option<Form> {
        let width = self.width();
        self.most()?;
        let below = self.map(|coefficient| coefficient.extract(0, count).zext_or_trunc(width)).most()?;
        below.lshr(count).is_zero().then(|| self.map(|coefficient| coefficient.extract(count, width - count)))
    }

    /// The bits that may be set, if each coefficient is a bit of its own.
    fn mask(&self) -> Option<Bits> {
        self.bits.values().try_fold(self.constant, |mask, &coefficient| {
            let own = coefficient.used() == coefficient.trailing_zeros() + 1 && mask.and(coefficient).is_zero();
            own.then(|| mask.or(coefficient))
        })
    }
}

pub(super) struct Forms<'g> {
    graph: &'g Symbolic,
    known: FxHashMap<Term, Rc<Form>>,
}

impl<'g> Forms<'g> {
    /// True if the truth value is shown false whatever the bits.
    fn never(&mut self, truth: Term) -> bool {
        match self.graph.node(truth) {
            Node::Const(bits) => bits.is_zero(),
            Node::Binary(Op::And, a, b) => self.never(a) || self.never(b),
            Node::Binary(Op::Or, a, b) => self.never(a) && self.never(b),
            Node::Not(inner) => match self.graph.node(inner) {
                Node::Eq(a, b) => self.form(a) == self.form(b),
                _ => false,
            },
            _ => false,
        }
    }

    #[cfg(test)]
    pub fn new(graph: &'g Symbolic) -> Forms<'g> {
        Forms { graph, known: FxHashMap::default() }
    }

    /// Terms refer to older terms only, so a stack of pending ones suffices.
    pub fn form(&mut self, root: Term) -> Rc<Form> {
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            if self.known.contains_key(&top) {
                pending.pop();
                continue;
            }
            let missing = operands(self.graph, top).into_iter().filter(|operand| !self.known.contains_key(operand));
            let missing: Vec<Term> = missing.collect();
            if missing.is_empty() {
                let width = self.graph.width_of(top);
                let form = self.linear(top).unwrap_or_else(|| Form::name(top, width));
                self.known.insert(top, Rc::new(form));
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        self.known[&root].clone()
    }

    /// The term as a sum of bits of its parts; `None` if it is none.
    fn linear(&self, term: Term) -> Option<Form> {
        let width = self.graph.width_of(term);
        let of = |term: Term| &*self.known[&term];
        let extended = |form: &Form| form.is_exact().then(|| form.map(|coefficient| coefficient.zext_or_trunc(width)));
        match self.graph.node(term) {
            Node::Const(bits) => Some(Form::constant(bits)),
            Node::Zext(inner) => extended(of(inner)),
            Node::Concat(high, low) => {
                let shift = self.graph.width_of(low);
                let high = of(high).map(|coefficient| coefficient.concat(Bits::zero(shift)));
                Some(high.add(&extended(of(low))?))
            }
            Node::Extract(inner, 0) => Some(of(inner).low(width)),
            Node::Extract(inner, offset) => Some(of(inner).high(offset)?.low(width)),
            Node::Not(inner) if width > 1 => Some(Form::constant(Bits::ones(width)).add(&of(inner).map(Bits::negated))),
            Node::Binary(op, a, b) if width > 1 => self.binary(op, of(a), of(b)),
            _ => None,
        }
    }

    fn binary(&self, op: Op, a: &Form, b: &Form) -> Option<Form> {
        match op {
            Op::Add => Some(a.clone().add(b)),
            Op::Sub => Some(a.clone().add(&b.map(Bits::negated))),
            Op::Mul if b.bits.is_empty() => Some(a.map(|coefficient| coefficient.mul(b.constant))),
            Op::Mul if a.bits.is_empty() => Some(b.map(|coefficient| coefficient.mul(a.constant))),
            Op::And if b.bits.is_empty() => masked(a, b.constant),
            Op::And if a.bits.is_empty() => masked(b, a.constant),
            // Of words that share no bit.
            Op::Or | Op::Xor if a.mask()?.and(b.mask()?).is_zero() => Some(a.clone().add(b)),
            _ => None,
        }
    }
}

/// The runs of bits that `mask` keeps, each cut out.
fn masked(form: &Form, mask: Bits) -> Option<Form> {
    let width = form.width();
    let (mut kept, mut rest) = (Form::constant(Bits::zero(width)), mask);
    while !rest.is_zero() {
        let start = rest.trailing_zeros();
        let length = rest.lshr(start).trailing_ones();
        let above = if start == 0 { form.clone() } else { form.high(start)? };
        let run = above.low(length);
        run.most()?;
        kept = kept.add(&run.map(|coefficient| coefficient.zext_or_trunc(width).shl(start)));
        rest = rest.and(Bits::ones(length).zext_or_trunc(width).shl(start).not());
    }
    Some(kept)
}
