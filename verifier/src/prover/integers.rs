//! Terms to linear arithmetic over the integers: the engine for questions beyond bit-blasting.
//!
//! A term of `w` bits is an integer in `0 .. 2^w`. Concatenation, extension, extraction, sums and differences are
//! equations with powers of two, by `x = q * 2^k + r`. A product expands over the limbs of its operands (a ring
//! identity), and each product of two limbs is an unknown with bounds; so the whole system is linear. Any other
//! operation (variable shifts, bitwise logic of more than one bit) is an unknown as well, the same for the same term.
//!
//! The unknowns range over more values than the terms: so unsatisfiable is a proof, and satisfiable is no
//! counterexample. `trial/benches/recipes.rs` times the engine on the recipes where bit-blasting gives up.

use super::evaluate::operands;
use super::script::{Bool, Int, Integers};
use super::solver::{self, Effort, Logic};
use super::term::{Node, Op, Symbolic, Term};
use super::worker::{NEWER, OLDER, Said};
use rustc_hash::FxHashMap;
use std::time::Duration;
use tribunal_ir::bits::{Bits, MAX_BITS};

/// A limit in z3's own unit of work. A question that is not answered by then is seldom answered soon, while another
/// seed often answers it at once.
const RESOURCES: u32 = 1_500_000;
const SEEDS: std::ops::Range<u32> = 0..6;
/// The same where a function has little of the solver.
const SHORT_RESOURCES: u32 = 30_000;
const SHORT_SEEDS: std::ops::Range<u32> = 0..2;
/// The watchdog's time, after which z3 gives up whatever work it counted.
const WATCHDOG: Duration = Duration::from_secs(20);

/// True if the question's cone has operations that bit-blast badly: products of values, or division.
pub(super) fn worth_trying(graph: &Symbolic, cone: &[Term]) -> bool {
    let is_hard = |&term: &Term| {
        let hard = matches!(graph.node(term), Node::Binary(Op::Mul | Op::Udiv | Op::Urem, ..));
        hard && graph.width_of(term) > 8
    };
    cone.iter().any(is_hard)
}

/// True if `wrong` is shown never to be true.
pub(super) fn impossible(graph: &Symbolic, wrong: Term, effort: Effort) -> bool {
    let (translation, condition) = Translation::question(graph, wrong);
    let simplex = translation.simplex();
    let script = translation.script.question(&condition, &translation.facts);
    let (seeds, work) = if effort.is_short() { (SHORT_SEEDS, SHORT_RESOURCES) } else { (SEEDS, RESOURCES) };
    let effort = effort.of_work(work).within(WATCHDOG);
    // Satisfiable is final too: the unknowns may take values that the terms cannot, whatever the seed.
    seeds
        .map(|seed| solver::ask(&script, Logic::Integers { simplex, seed }, effort))
        .find(|answer| !matches!(answer, Said::Unknown(_)))
        .is_some_and(|answer| matches!(answer, Said::Unsatisfiable))
}

/// A sum of limbs with coefficients, and a constant; the value is meant modulo a power of two.
struct Linear {
    limbs: Vec<(Int, Term)>,
    constant: Int,
}

struct Translation<'g> {
    graph: &'g Symbolic,
    ints: FxHashMap<Term, Int>,
    /// A term split at a bit: the part above, the part below.
    cuts: FxHashMap<(Term, u32), (Int, Int)>,
    products: FxHashMap<(Term, Term), Int>,
    /// The number of times that a sum wraps.
    wraps: FxHashMap<Term, Int>,
    script: Integers,
    facts: Vec<Bool>,
    /// A quotient or remainder by a constant was met.
    divides: bool,
}

impl<'g> Translation<'g> {
    /// The facts about a truth value, and its formula.
    fn question(graph: &'g Symbolic, truth: Term) -> (Translation<'g>, Bool) {
        let mut translation = Translation {
            graph,
            ints: FxHashMap::default(),
            cuts: FxHashMap::default(),
            products: FxHashMap::default(),
            wraps: FxHashMap::default(),
            script: Integers::default(),
            facts: Vec::new(),
            divides: false,
        };
        let condition = translation.truth(truth);
        (translation, condition)
    }

    fn simplex(&self) -> u32 {
        if self.divides { NEWER } else { OLDER }
    }

    fn fact(&mut self, fact: Bool) {
        self.facts.push(fact);
    }

    /// A name for an integer of `bits` bits.
    fn name(&mut self, bits: u32) -> Int {
        let name = self.script.fresh();
        self.fact(name.ge(number(Bits::zero(1))));
        self.fact(name.lt(power(bits)));
        name
    }

    /// `value` modulo `2^bits`.
    fn reduced(&mut self, value: Int, bits: u32) -> Int {
        let (rest, times) = (self.name(bits), self.script.fresh());
        self.fact(value.eq(&rest + &times * power(bits)));
        rest
    }

    /// Recipes are shallow, but a counted value may be a long sum: older terms first.
    fn int(&mut self, root: Term) -> Int {
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            if self.ints.contains_key(&top) {
                pending.pop();
                continue;
            }
            let missing: Vec<Term> =
                self.needed(top).into_iter().filter(|operand| !self.ints.contains_key(operand)).collect();
            if missing.is_empty() {
                let int = self.make(top);
                let int = self.script.named(int);
                self.ints.insert(top, int);
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        self.ints[&root].clone()
    }

    /// The terms that occur in the equation of this one: not the partial sums of a sum, nor factors as a whole.
    fn needed(&self, term: Term) -> Vec<Term> {
        match self.graph.node(term) {
            Node::Binary(Op::Add, ..) => self.graph.flat_sum(term).0,
            Node::Binary(Op::Mul, ..) => Vec::new(),
            Node::Ult(a, b) if self.is_carry(a, b) => vec![a],
            _ => operands(self.graph, term),
        }
    }

    fn of(&self, term: Term) -> Int {
        self.ints[&term].clone()
    }

    /// Of one bit: not zero.
    fn truth(&mut self, term: Term) -> Bool {
        self.int(term).eq(number(Bits::new(1, 1)))
    }

    fn holds(&self, term: Term) -> Bool {
        self.of(term).eq(number(Bits::new(1, 1)))
    }

    fn make(&mut self, term: Term) -> Int {
        let width = self.graph.width_of(term);
        let bit = |truth: Bool| truth.ite(&number(Bits::new(1, 1)), &number(Bits::zero(1)));
        match self.graph.node(term) {
            Node::Const(bits) => number(bits),
            Node::Binary(op, a, b) => self.binary(term, op, a, b),
            Node::Not(a) => number(Bits::ones(width)) - self.of(a),
            Node::Concat(high, low) => self.of(high) * power(self.graph.width_of(low)) + self.of(low),
            Node::Zext(a) => self.of(a),
            Node::Sext(a) => {
                let from = self.graph.width_of(a);
                let above = number(Bits::ones(width).shl(from));
                let sign = self.is_negative(a);
                self.of(a) + sign.ite(&above, &number(Bits::zero(1)))
            }
            Node::Extract(a, offset) => self.part(a, offset, width),
            Node::Eq(a, b) => bit(self.of(a).eq(self.of(b))),
            Node::Ult(a, b) => match self.carry(a, b) {
                Some(carry) => carry,
                None => bit(self.of(a).lt(self.of(b))),
            },
            Node::Slt(a, b) => {
                let (a, b) = (self.signed(a), self.signed(b));
                bit(a.lt(b))
            }
            Node::Ite(condition, a, b) => self.holds(condition).ite(&self.of(a), &self.of(b)),
            Node::Var(_) | Node::Select(..) | Node::Rounded(_) => self.name(width),
        }
    }

    fn is_negative(&self, term: Term) -> Bool {
        self.of(term).ge(power(self.graph.width_of(term) - 1))
    }

    fn signed(&self, term: Term) -> Int {
        let whole = power(self.graph.width_of(term));
        self.of(term) - self.is_negative(term).ite(&whole, &number(Bits::zero(1)))
    }

    fn binary(&mut self, term: Term, op: Op, a: Term, b: Term) -> Int {
        let width = self.graph.width_of(term);
        match op {
            Op::Add => return self.sum(term),
            Op::Mul => {
                let product = self.product(a, b);
                let exact = self.most(a).used() + self.most(b).used() <= width;
                return if exact { product } else { self.reduced(product, width) };
            }
            _ => {}
        }
        let (x, y) = (self.of(a), self.of(b));
        let bit = |truth: Bool| truth.ite(&number(Bits::new(1, 1)), &number(Bits::zero(1)));
        match op {
            Op::Sub => {
                let once = x.lt(&y).ite(&power(width), &number(Bits::zero(1)));
                x - y + once
            }
            Op::And if width == 1 => bit(self.holds(a).and(&self.holds(b))),
            Op::Or if width == 1 => bit(self.holds(a).or(&self.holds(b))),
            Op::Xor if width == 1 => bit(self.holds(a).xor(&self.holds(b))),
            Op::Udiv | Op::Urem if self.graph.as_const(b).is_some_and(|divisor| !divisor.is_zero()) => {
                self.divides = true;
                let (quotient, rest) = (self.name(width), self.name(width));
                self.fact(x.eq(&quotient * &y + &rest));
                self.fact(rest.lt(y));
                if op == Op::Udiv { quotient } else { rest }
            }
            _ => self.name(width),
        }
    }

    fn most(&self, term: Term) -> Bits {
        /// Deep enough for sums of products of limbs.
        const DEPTH: u32 = 12;
        self.graph.most(term, DEPTH)
    }

    /// A sum of any number of terms, taken once: it wraps less often than it has summands.
    fn sum(&mut self, term: Term) -> Int {
        let width = self.graph.width_of(term);
        let (terms, constant) = self.graph.flat_sum(term);
        let (mut total, mut most) = (number(constant), Some(constant));
        for &summand in &terms {
            total = total + self.int(summand);
            let bound = self.most(summand);
            // A bound that wraps is none.
            most = most.map(|most| most.add(bound)).filter(|sum| sum.cmp_unsigned(bound).is_ge());
        }
        if most.is_some() {
            return total;
        }
        let (rest, wraps) = (self.name(width), self.script.fresh());
        self.fact(wraps.ge(number(Bits::zero(1))));
        self.fact(wraps.le(Int::number(terms.len())));
        self.fact(total.eq(&rest + &wraps * power(width)));
        self.wraps.insert(term, wraps);
        rest
    }

    /// True if `sum` has exactly one summand more than `part`.
    fn is_carry(&self, sum: Term, part: Term) -> bool {
        if !matches!(self.graph.node(sum), Node::Binary(Op::Add, ..)) {
            return false;
        }
        let ((all, constant), (some, other)) = (self.graph.flat_sum(sum), self.graph.flat_sum(part));
        // Both are in order: each of the part's is found after the one before it.
        let mut all = all.into_iter();
        let length = all.len();
        constant == other && length == some.len() + 1 && some.iter().all(|term| all.any(|other| other == *term))
    }

    /// The carry, 0 or 1, as `sum < part` where the sum has one summand more: the difference in how often they wrap.
    fn carry(&mut self, sum: Term, part: Term) -> Option<Int> {
        if !self.is_carry(sum, part) {
            return None;
        }
        let zero = || number(Bits::zero(1));
        self.int(part);
        let wraps = |this: &Self, term| this.wraps.get(&term).cloned().unwrap_or_else(zero);
        let carry = wraps(self, sum) - wraps(self, part);
        self.fact(carry.ge(zero()));
        self.fact(carry.le(Int::number(1)));
        Some(carry)
    }

    /// A term split at bit `at`, which is inside it.
    fn cut(&mut self, term: Term, at: u32) -> (Int, Int) {
        if let Some(known) = self.cuts.get(&(term, at)) {
            return known.clone();
        }
        let whole = self.of(term);
        let (high, low) = (self.name(self.graph.width_of(term) - at), self.name(at));
        self.fact(whole.eq(&high * power(at) + &low));
        self.cuts.insert((term, at), (high.clone(), low.clone()));
        (high, low)
    }

    fn part(&mut self, term: Term, offset: u32, width: u32) -> Int {
        let (end, whole) = (offset + width, self.graph.width_of(term));
        match (offset == 0, end == whole) {
            (true, true) => self.of(term),
            (true, false) => self.cut(term, end).1,
            (false, true) => self.cut(term, offset).0,
            (false, false) => {
                let (above, upto) = self.cut(term, end);
                let (from, below) = self.cut(term, offset);
                let part = self.name(width);
                self.fact(upto.eq(&part * power(offset) + below));
                self.fact(from.eq(above * power(width) + &part));
                part
            }
        }
    }

    /// The term as a sum of limbs, modulo two to its width.
    fn linear(&self, term: Term) -> Linear {
        let zero = || number(Bits::zero(1));
        let limb = |coefficient: Int, term: Term| Linear { limbs: vec![(coefficient, term)], constant: zero() };
        match self.graph.node(term) {
            Node::Const(bits) => Linear { limbs: Vec::new(), constant: number(bits) },
            Node::Zext(inner) => self.linear(inner),
            Node::Concat(high, low) => {
                let (mut sum, low_sum) = (self.linear(high), self.linear(low));
                let factor = power(self.graph.width_of(low));
                sum.limbs.iter_mut().for_each(|(coefficient, _)| *coefficient = &*coefficient * &factor);
                sum.constant = sum.constant * factor + low_sum.constant;
                sum.limbs.extend(low_sum.limbs);
                sum
            }
            _ => limb(number(Bits::new(1, 1)), term),
        }
    }

    /// The product of two terms, exact over their limbs.
    fn product(&mut self, a: Term, b: Term) -> Int {
        let (a, b) = (self.linear(a), self.linear(b));
        let mut sum = &a.constant * &b.constant;
        for (coefficient, limb) in &a.limbs {
            sum = sum + coefficient * &b.constant * self.int(*limb);
        }
        for (coefficient, limb) in &b.limbs {
            sum = sum + coefficient * &a.constant * self.int(*limb);
        }
        for (ca, x) in &a.limbs {
            for (cb, y) in &b.limbs {
                sum = sum + ca * cb * self.limb_product(*x, *y);
            }
        }
        sum
    }

    /// A name for the product of two limbs, with its bounds; exact where one is a single bit.
    fn limb_product(&mut self, a: Term, b: Term) -> Int {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(known) = self.products.get(&(a, b)) {
            return known.clone();
        }
        let (x, y) = (self.int(a), self.int(b));
        let (wa, wb) = (self.graph.width_of(a), self.graph.width_of(b));
        let zero = number(Bits::zero(1));
        let product = match (wa, wb) {
            (1, _) => self.holds(a).ite(&y, &zero),
            (_, 1) => self.holds(b).ite(&x, &zero),
            _ => {
                let product = self.script.fresh();
                self.fact(product.ge(&zero));
                if wa + wb <= MAX_BITS {
                    let (most_a, most_b) = (number(Bits::ones(wa)), number(Bits::ones(wb)));
                    self.fact(product.le(&most_a * &most_b));
                    // Linear bounds by each factor.
                    self.fact(product.le(&x * most_b));
                    self.fact(product.le(&y * most_a));
                }
                product
            }
        };
        self.products.insert((a, b), product.clone());
        product
    }
}

/// A numeral.
fn number(bits: Bits) -> Int {
    let limbs = bits.limbs();
    let top = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
    let shift = power(64);
    limbs[..top].iter().rev().fold(Int::number(limbs[top]), |value, limb| value * &shift + Int::number(limb))
}

/// `2^exponent`.
fn power(exponent: u32) -> Int {
    let limb = Int::number(1u128 << 64);
    (0..exponent / 64).fold(Int::number(1u64 << (exponent % 64)), |value, _| value * &limb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::semantics::Domain;

    /// `x / divisor` at 32 bits is not `(((x - h) >> 1) + h) >> after`, where `h` is the high product with `magic`.
    fn differs(graph: &mut Symbolic, divisor: u128, magic: u128, after: u32) -> Term {
        let x = graph.variable(32);
        let [divisor, one, after] =
            [divisor, 1, after.into()].map(|value| Domain::constant(graph, Bits::new(value, 32)));
        let (wide, magic) = (graph.zext(&x, 64), Domain::constant(graph, Bits::new(magic, 64)));
        let product = graph.mul(&wide, &magic);
        let high = graph.extract(&product, 32, 32);
        let rest = graph.sub(&x, &high);
        let half = graph.lshr(&rest, &one);
        let sum = graph.add(&half, &high);
        let (quotient, result) = (graph.udiv(&x, &divisor), graph.lshr(&sum, &after));
        let same = graph.eq(&quotient, &result);
        graph.bool_not(&same)
    }

    #[test]
    fn quotients_by_constants_never_go_to_the_older_solver() {
        for (divisor, magic, after) in [(1_000_000_007, 0x12e0_be63, 29), ((1 << 31) - 1, 3, 30)] {
            let graph = &mut Symbolic::default();
            let (right, wrong) = (differs(graph, divisor, magic, after), differs(graph, divisor, magic - 1, after));
            assert_eq!(Translation::question(graph, right).0.simplex(), NEWER);
            // The solver may give any answer on the right multiplier, but it must answer.
            let answers = [right, wrong].map(|question| impossible(graph, question, Effort::STEP));
            assert!(!answers[1], "{divisor}: the smaller multiplier is wrong, {answers:?}");
        }
        let graph = &mut Symbolic::default();
        let [x, y] = [graph.variable(64), graph.variable(64)];
        let (product, sum) = (graph.mul(&x, &y), graph.add(&x, &y));
        let same = graph.eq(&product, &sum);
        assert_eq!(Translation::question(graph, same).0.simplex(), OLDER);
    }
}
