//! Every proof trusts the identities, so these tests compare them with the concrete domain. Random programs over the
//! domain's primitives, with the shapes that normalisation looks for, run in both domains on the same values.

use super::arithmetic::signed_digits;
use super::{FrameObject, Limb, Node, Symbolic, Term, rounded};
use crate::prover::bit_sums;
use crate::prover::evaluate::{Assignment, Evaluator, cone};
use crate::prover::exhaustive::{self, AllValues};
use crate::prover::query::corners;
use crate::prover::solver::Effort;
use tribunal_ir::FloatFormat;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::float::{RoundedOperation, RoundingMode};
use tribunal_ir::semantics::{Choice, Concrete, Domain};

/// Small and odd widths, and those around the sizes of machine words.
const WIDTHS: [u32; 20] = [1, 2, 3, 5, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 256, 512];
const WIDEST: u32 = 512;

/// xorshift.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.next() >> 16) as u32 % bound
    }

    fn width(&mut self) -> u32 {
        WIDTHS[self.below(WIDTHS.len() as u32) as usize]
    }

    fn bits(&mut self, width: u32) -> Bits {
        match self.below(5) {
            0 | 1 => corners(width)[self.below(7) as usize],
            2 => Bits::ones(self.below(width) + 1).zext_or_trunc(width),
            // Masks of lanes, as bit tricks use them.
            3 => {
                let lanes = [0x55, 0x33, 0x0f, 0x01, 0xf0][self.below(5) as usize];
                Bits::repeated(lanes, width)
            }
            _ => Bits::from_limbs(|_| self.next(), width),
        }
    }
}

/// The values that a program has made so far.
struct Pool<D: Domain> {
    values: Vec<D::Bits>,
    truths: Vec<D::Bool>,
}

impl<D: Domain> Pool<D> {
    /// Any value, recent ones more often.
    fn any(&self, random: &mut Random) -> D::Bits {
        let count = self.values.len() as u32;
        let back = random.below(count).min(random.below(count));
        self.values[(count - 1 - back) as usize].clone()
    }

    /// A value brought to `width`.
    fn of_width(&self, d: &mut D, random: &mut Random, width: u32) -> D::Bits {
        if random.below(5) == 0 {
            return d.constant(random.bits(width));
        }
        let value = self.any(random);
        match random.below(2) {
            0 => d.zext_or_trunc(&value, width),
            _ => d.sext_or_trunc(&value, width),
        }
    }

    fn truth(&self, random: &mut Random) -> D::Bool {
        self.truths[random.below(self.truths.len() as u32) as usize].clone()
    }
}

/// Runs the program that `seed` stands for; the same one in every domain.
fn run<D: Domain>(d: &mut D, inputs: Vec<D::Bits>, seed: u64, length: u32) -> Pool<D> {
    let mut random = Random(seed);
    let mut pool = Pool::<D> { values: inputs, truths: vec![d.boolean(false)] };
    for _ in 0..length {
        step(d, &mut pool, &mut random);
    }
    pool
}

fn step<D: Domain>(d: &mut D, pool: &mut Pool<D>, random: &mut Random) {
    let a = pool.any(random);
    let width = d.width(&a);
    let kind = random.below(38);
    let b = pool.of_width(d, random, width);
    let new = match kind {
        0 | 1 => d.add(&a, &b),
        2 => d.sub(&a, &b),
        3 => d.mul(&a, &b),
        4 => d.udiv(&a, &b),
        5 => d.urem(&a, &b),
        6 => d.sdiv(&a, &b),
        7 => d.srem(&a, &b),
        8 | 9 => d.and(&a, &b),
        10 => d.or(&a, &b),
        11 => d.xor(&a, &b),
        12 => d.not(&a),
        13..=15 => shifted(d, random, kind, &a, b),
        16 | 17 => {
            let other = pool.any(random);
            match width + d.width(&other) <= WIDEST {
                true => d.concat(&a, &other),
                false => other,
            }
        }
        18..=20 => {
            let offset = random.below(width);
            let kept = random.below(width - offset) + 1;
            d.extract(&a, offset, kept)
        }
        21 => {
            let wider = random.width().max(width);
            d.zext(&a, wider)
        }
        22 => {
            let wider = random.width().max(width);
            d.sext(&a, wider)
        }
        23 | 24 => {
            let condition = pool.truth(random);
            d.ite(&condition, &a, &b)
        }
        32 if width + 8 <= WIDEST => {
            let (more, signs) = (1 + random.below(4), 1 + random.below(4));
            let (low, sign) = (d.sext(&a, width + more), d.extract(&a, random.below(width), 1));
            let (sign, top) = (d.sext(&sign, signs), d.extract(&a, width - 1, 1));
            let top = d.sext(&top, signs);
            d.concat(if random.below(3) == 0 { &sign } else { &top }, &low)
        }
        34 => {
            let (difference, other) = (d.sub(&a, &b), pool.of_width(d, random, width));
            let sum = d.add(&difference, &other);
            d.add(&b, &sum)
        }
        35 => two_differences(d, random, (&a, &b)),
        36 => first_set(d, random, &a, &b),
        30 if width < WIDEST => half_sum(d, random, &a, &b),
        31 => distance(d, random, &a, &b),
        _ => {
            let truth = match kind {
                25 => d.eq(&a, &b),
                26 => d.ult(&a, &b),
                27 => d.slt(&a, &b),
                28 => d.ult(&b, &a),
                33 => by_parts(d, random, &a, &b),
                37 => beside_own_operand(d, random, &a, &b),
                _ => combined(d, pool, random),
            };
            pool.truths.push(truth.clone());
            d.bit(&truth)
        }
    };
    pool.values.push(new);
}

/// By `b`, or by a constant up to the width.
fn shifted<D: Domain>(d: &mut D, random: &mut Random, kind: u32, a: &D::Bits, b: D::Bits) -> D::Bits {
    let width = d.width(a);
    let amount = match random.below(3) {
        0 => b,
        _ => d.constant(Bits::new(random.below(width + 1).into(), width)),
    };
    match kind {
        13 => d.shl(a, &amount),
        14 => d.lshr(a, &amount),
        _ => d.ashr(a, &amount),
    }
}

/// The distance of two values, and the same the wrong way round.
fn distance<D: Domain>(d: &mut D, random: &mut Random, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let (less, back) = if random.below(2) == 0 { (d.ult(a, b), d.ult(b, a)) } else { (d.slt(a, b), d.slt(b, a)) };
    let (up, down) = (d.sub(b, a), d.sub(a, b));
    match random.below(3) {
        0 => d.ite(&less, &up, &down),
        1 => d.ite(&back, &down, &up),
        _ => d.ite(&back, &up, &down),
    }
}

/// The difference of two orders of two values, as a rule of opposite ones, which exclude each other. Or a constant from
/// which something is taken away twice.
fn two_differences<D: Domain>(d: &mut D, random: &mut Random, (a, b): (&D::Bits, &D::Bits)) -> D::Bits {
    let width = d.width(a);
    if random.below(3) == 0 {
        let constant = d.constant(random.bits(width));
        let once = d.sub(&constant, a);
        return d.sub(&once, b);
    }
    let mut order = |d: &mut D, a, b| {
        let order = if random.below(4) > 0 { d.slt(a, b) } else { d.ult(a, b) };
        let order = d.bit(&order);
        d.zext(&order, width)
    };
    let (less, greater) = (order(d, a, b), order(d, b, a));
    d.sub(&less, &greater)
}

/// The place of the first set bit from either end, from a constant on, and `b` if there is none: by a choice for each
/// bit, of which some forget one, below the question whether all are zero.
fn first_set<D: Domain>(d: &mut D, random: &mut Random, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let (start, is_upward, forgets) = (random.below(width), random.below(2) == 0, random.below(4) == 0);
    let counted = width - start;
    let number = d.extract(a, start, counted);
    let mut chain = d.literal(width.into(), width);
    for index in (u32::from(forgets)..counted).rev() {
        let bit = d.extract(&number, if is_upward { index } else { counted - 1 - index }, 1);
        let (is_clear, place) = (d.is_zero(&bit), d.literal(index.into(), width));
        chain = d.ite(&is_clear, &chain, &place);
    }
    let from = d.literal(random.below(width).into(), width);
    let (zero, chain) = (d.literal(0, counted), d.add(&chain, &from));
    let is_zero = d.eq(&number, &zero);
    d.ite(&is_zero, b, &chain)
}

/// Whether a sum or a difference is less than one of its operands.
fn beside_own_operand<D: Domain>(d: &mut D, random: &mut Random, a: &D::Bits, b: &D::Bits) -> D::Bool {
    let result = if random.below(2) == 0 { d.add(a, b) } else { d.sub(a, b) };
    let operand = if random.below(3) > 0 { a } else { b };
    match random.below(3) {
        0 => d.slt(operand, &result),
        _ => d.slt(&result, operand),
    }
}

/// The average of two values, by one bit more; of a signed and an unsigned one it is just a shape.
fn half_sum<D: Domain>(d: &mut D, random: &mut Random, a: &D::Bits, b: &D::Bits) -> D::Bits {
    let width = d.width(a);
    let mut wide = |d: &mut D, value| match random.below(2) {
        0 => d.zext(value, width + 1),
        _ => d.sext(value, width + 1),
    };
    let (a, b) = (wide(d, a), wide(d, b));
    let sum = d.add(&a, &b);
    let round = d.literal(random.below(3).into(), width + 1);
    let sum = d.add(&sum, &round);
    d.extract(&sum, 1, width)
}

/// Whether an operation is what two parts of its operands give, with the right carry or a wrong one.
fn by_parts<D: Domain>(d: &mut D, random: &mut Random, a: &D::Bits, b: &D::Bits) -> D::Bool {
    let width = d.width(a);
    let cut = random.below(width);
    if cut == 0 {
        return d.eq(a, b);
    }
    let kind = random.below(8);
    let operation = |d: &mut D, a: &D::Bits, b: &D::Bits| match kind {
        0..=2 => d.add(a, b),
        3 | 4 => d.sub(a, b),
        5 => d.and(a, b),
        6 => d.or(a, b),
        _ => d.xor(a, b),
    };
    let whole = operation(d, a, b);
    let [a_low, b_low] = [a, b].map(|value| d.extract(value, 0, cut));
    let [a_high, b_high] = [a, b].map(|value| d.extract(value, cut, width - cut));
    let (low, high) = (operation(d, &a_low, &b_low), operation(d, &a_high, &b_high));
    let carry = match (kind, random.below(4)) {
        (0..=2, 1..) => d.ult(&low, if random.below(2) == 0 { &a_low } else { &b_low }),
        (3 | 4, 1..) => d.ult(&a_low, &b_low),
        (0..=4, _) => d.ult(&b_low, &a_low),
        _ => d.boolean(false),
    };
    let carry = d.bit(&carry);
    let carry = d.zext(&carry, width - cut);
    let high = if kind < 3 { d.add(&high, &carry) } else { d.sub(&high, &carry) };
    let parts = d.concat(&high, &low);
    d.eq(&whole, &parts)
}

fn combined<D: Domain>(d: &mut D, pool: &Pool<D>, random: &mut Random) -> D::Bool {
    let (x, y, z) = (pool.truth(random), pool.truth(random), pool.truth(random));
    match random.below(4) {
        0 => d.bool_and(&x, &y),
        1 => d.bool_or(&x, &y),
        2 => d.bool_not(&x),
        _ => d.bool_ite(&x, &y, &z),
    }
}

/// Runs one program in both domains on `samples` inputs; panics where they differ.
fn agree(seed: u64, length: u32, samples: u32) {
    let mut random = Random(seed ^ 0x5bd1_e995);
    let widths: Vec<u32> = (0..4).map(|_| random.width()).collect();
    let limb = [Limb::Bits32, Limb::Bits64, Limb::Bits64, Limb::Bits128][(seed % 4) as usize];
    let mut graph = Symbolic::with_limb(limb);
    let variables: Vec<_> = widths.iter().map(|&width| graph.variable(width)).collect();
    let symbolic = run(&mut graph, variables.clone(), seed, length);
    for _ in 0..samples {
        let inputs: Vec<Bits> = widths.iter().map(|&width| random.bits(width)).collect();
        let concrete = run(&mut Concrete { choice: Choice::Zeros }, inputs.clone(), seed, length);
        let values = variables.iter().copied().zip(inputs.iter().copied()).collect();
        let assignment = Assignment { values, ..Assignment::default() };
        let mut evaluator = Evaluator::new(&graph, &assignment);
        for (index, (&term, &expected)) in symbolic.values.iter().zip(&concrete.values).enumerate() {
            assert_eq!(evaluator.value(term), expected, "seed {seed}, value {index} on {inputs:?}");
        }
        for (index, (&term, &expected)) in symbolic.truths.iter().zip(&concrete.truths).enumerate() {
            assert_eq!(evaluator.holds(term), expected, "seed {seed}, truth {index} on {inputs:?}");
        }
    }
}

/// What is folded since objects of a frame are apart and aligned holds in every layout of them: programs on addresses
/// in and beside objects, in both domains.
#[test]
fn facts_about_objects_hold_in_every_layout() {
    let mut folded = 0;
    for seed in 1..=3000u64 {
        let mut random = Random(seed ^ 0x5bd1_e995);
        let (mut graph, mut plain) = (Symbolic::default(), Symbolic::default());
        let width = [32, 64][random.below(2) as usize];
        let objects: Vec<FrameObject> = (0..2 + random.below(2))
            .map(|_| {
                let (bytes, align) = (1 + u64::from(random.below(20)), 1 << random.below(5));
                FrameObject { bytes, align, is_always_alive: true }
            })
            .collect();
        let offsets: Vec<Bits> = (0..8).map(|_| Bits::new(random.below(24).into(), width)).collect();
        let starts: Vec<Term> = objects.iter().map(|&object| graph.object_address(object, width)).collect();
        let plain_starts: Vec<Term> = objects.iter().map(|_| plain.variable(width)).collect();
        let program = |d: &mut Symbolic, starts: &[Term]| {
            let beside = |(place, &offset): (usize, &Bits)| {
                let offset = d.value(offset);
                d.add(&starts[place % starts.len()], &offset)
            };
            let inputs: Vec<Term> = starts.iter().copied().chain(offsets.iter().enumerate().map(beside)).collect();
            let of_pairs: Vec<Term> = inputs
                .iter()
                .flat_map(|a| inputs.iter().map(move |b| (*a, *b)))
                .flat_map(|(a, b)| [d.equal(a, b), d.less(a, b, false), d.less(a, b, true)])
                .collect();
            let Pool { mut values, truths } = run(d, inputs, seed, 12);
            values.extend(truths.into_iter().chain(of_pairs));
            values
        };
        let (terms, plain_terms) = (program(&mut graph, &starts), program(&mut plain, &plain_starts));
        for layout in 0..6 {
            let placed = graph.laid_out(random.next() & !1 | layout & 1);
            let values = placed.iter().copied().collect();
            let places = starts.iter().zip(&plain_starts);
            let place_of = |start: Term| placed.iter().find(|(term, _)| *term == start).map(|(_, place)| *place);
            let plain_values = places.filter_map(|(&start, &plain)| Some((plain, place_of(start)?))).collect();
            let (one, other) = (
                Assignment { values, ..Assignment::default() },
                Assignment { values: plain_values, ..Assignment::default() },
            );
            let (mut one, mut other) = (Evaluator::new(&graph, &one), Evaluator::new(&plain, &other));
            for (index, (&term, &plain)) in terms.iter().zip(&plain_terms).enumerate() {
                assert_eq!(one.value(term), other.value(plain), "seed {seed}, value {index} in {placed:?}");
            }
        }
        let is_folded =
            |(&one, &other): (&Term, &Term)| graph.as_const(one).is_some() && plain.as_const(other).is_none();
        folded += terms.iter().zip(&plain_terms).filter(|&pair| is_folded(pair)).count();
    }
    assert!(folded > 100_000, "{folded} terms are folded");
}

#[test]
fn whole_products_are_right_whatever_the_limb() {
    let mut random = Random(0x2545_f491);
    for limb in [Limb::Bits32, Limb::Bits64, Limb::Bits128, Limb::Bits256] {
        let mut graph = Symbolic::with_limb(limb);
        let variables = [graph.variable(64), graph.variable(64)];
        let [a, b] = variables.map(|variable| Domain::zext(&mut graph, &variable, 128));
        let product = Domain::mul(&mut graph, &a, &b);
        for _ in 0..2000 {
            let [x, y] = [random.bits(64), random.bits(64)];
            let values = variables.into_iter().zip([x, y]).collect();
            let assignment = Assignment { values, ..Assignment::default() };
            let value = Evaluator::new(&graph, &assignment).value(product);
            assert_eq!(value, Bits::new(x.unsigned() * y.unsigned(), 128), "{x:?} * {y:?}");
        }
    }
}

#[test]
fn signed_digits_are_the_number_and_products_by_few_of_them_are_products() {
    let mut random = Random(0x1357_9bdf);
    for width in [7, 33, 48, 64, 96, 128] {
        for _ in 0..200 {
            let [place, low] = [random.below(width), random.below(width)];
            let one = |place| Bits::one_bit(place, width);
            let factor = one(place).negated().sub(one(low)).add(Bits::new(1, width));
            let digits = signed_digits(factor);
            let sum = digits.iter().fold(Bits::zero(width), |sum, &(place, negative)| match negative {
                true => sum.sub(one(place)),
                false => sum.add(one(place)),
            });
            assert!(sum == factor && digits.len() <= 3, "{factor:?}: {digits:?}");
            let mut graph = Symbolic::default();
            let variable = graph.variable(width);
            let constant = graph.value(factor);
            let product = Domain::mul(&mut graph, &variable, &constant);
            let x = random.bits(width);
            let assignment = Assignment { values: [(variable, x)].into_iter().collect(), ..Assignment::default() };
            assert_eq!(Evaluator::new(&graph, &assignment).value(product), x.mul(factor), "{x:?} * {factor:?}");
        }
    }
}

/// No sample satisfies a term that the integers call impossible: they are trusted as the terms are.
#[test]
fn what_the_integers_rule_out_never_happens() {
    let (mut asked, mut ruled_out) = (0, 0);
    for seed in 1..=400u64 {
        let mut random = Random(seed ^ 0x5bd1_e995);
        let widths: Vec<u32> = (0..3).map(|_| [3, 8, 13, 33, 64][random.below(5) as usize]).collect();
        let mut graph = Symbolic::default();
        let variables: Vec<_> = widths.iter().map(|&width| graph.variable(width)).collect();
        let truths = run(&mut graph, variables.clone(), seed, 14).truths;
        let open = truths.into_iter().filter(|&truth| graph.as_const(truth).is_none()).collect::<Vec<_>>();
        for &truth in open.iter().take(3) {
            let happens = (0..64).any(|_| {
                let values = variables.iter().zip(&widths).map(|(&term, &width)| (term, random.bits(width))).collect();
                Evaluator::new(&graph, &Assignment { values, ..Assignment::default() }).holds(truth)
            });
            let impossible = crate::prover::integers::impossible(&graph, truth, Effort::STEP);
            assert!(!(happens && impossible), "seed {seed}: {truth:?}");
            asked += 1;
            ruled_out += u32::from(impossible);
        }
    }
    assert!(asked > 300 && ruled_out > 5, "{asked} asked, {ruled_out} ruled out");
}

/// The question of which this term is true, tried for all values in the order of the exhaustive engine.
fn first_of_all(graph: &Symbolic, variables: &[(Term, u32)], truth: Term) -> Option<Assignment> {
    let bits = variables.iter().map(|&(_, width)| width).sum::<u32>();
    let assignments = (0..1u128 << bits).map(|value| {
        let mut offset = 0;
        let values = variables.iter().map(|&(term, width)| {
            offset += width;
            (term, Bits::new(value >> (offset - width), width))
        });
        Assignment { values: values.collect(), ..Assignment::default() }
    });
    Evaluator::first(graph, truth, &cone(graph, truth), assignments)
}

/// Machine words give each term the value that its definition gives: a question is possible in both, and true where it
/// is said to be. Without variables that are forced the first such value is the same.
#[test]
fn all_values_in_words_are_all_values_in_bits() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 1..=600u64 {
        let mut random = Random(seed ^ 0x5bd1_e995);
        let mut graph = Symbolic::default();
        let variables: Vec<_> = (0..3).map(|_| graph.variable(1 + random.below(4))).collect();
        let truths = run(&mut graph, variables, seed, 14).truths;
        for &truth in truths.iter().filter(|&&truth| graph.as_const(truth).is_none()) {
            let cone = cone(&graph, truth);
            let Some(answer) = exhaustive::answer(&graph, truth, &cone) else { continue };
            let is_variable = |term: &&Term| matches!(graph.node(**term), Node::Var(_));
            let variables: Vec<_> = cone.iter().filter(is_variable).map(|&term| (term, graph.width_of(term))).collect();
            match (answer, first_of_all(&graph, &variables, truth)) {
                (AllValues::Impossible, None) => impossible += 1,
                (AllValues::Possible(found), Some(first)) => {
                    assert!(Evaluator::new(&graph, &found).holds(truth), "seed {seed}: {truth:?}");
                    let is_forced = variables.iter().any(|(_, width)| *width == 1);
                    assert!(is_forced || found.values == first.values, "seed {seed}: {truth:?}");
                    possible += 1;
                }
                (_, first) => panic!("seed {seed}: {truth:?} is true for {first:?}"),
            }
        }
    }
    assert!(possible > 500 && impossible > 50, "{possible} possible, {impossible} impossible");
}

/// A form on numbers: the sum of its coefficients whose bits are set.
fn sum(form: &bit_sums::Form, evaluator: &mut Evaluator<'_>) -> Bits {
    form.bits.iter().fold(
        form.constant,
        |sum, (&(term, index), &coefficient)| {
            if evaluator.value(term).bit(index) { sum.add(coefficient) } else { sum }
        },
    )
}

/// Forms are trusted as the terms are: every term of random programs is the sum of its bits.
#[test]
fn sums_of_bits_are_the_terms() {
    let mut taken_apart = 0;
    for seed in 1..=3000u64 {
        let mut random = Random(seed ^ 0x5bd1_e995);
        let widths: Vec<u32> = (0..3).map(|_| random.width().min(129)).collect();
        let mut graph = Symbolic::default();
        let variables: Vec<_> = widths.iter().map(|&width| graph.variable(width)).collect();
        let values = run(&mut graph, variables.clone(), seed, 14).values;
        let mut forms = bit_sums::Forms::new(&graph);
        let forms: Vec<_> = values.iter().map(|&term| (term, forms.form(term))).collect();
        for _ in 0..4 {
            let inputs = variables.iter().zip(&widths).map(|(&term, &width)| (term, random.bits(width))).collect();
            let assignment = Assignment { values: inputs, ..Assignment::default() };
            let mut evaluator = Evaluator::new(&graph, &assignment);
            for (term, form) in &forms {
                assert_eq!(sum(form, &mut evaluator), evaluator.value(*term), "seed {seed}: {term:?}");
                taken_apart += u32::from(form.bits.keys().all(|(named, _)| named != term));
            }
        }
    }
    assert!(taken_apart > 50_000, "{taken_apart} terms taken apart");
}

#[test]
fn terms_mean_what_the_concrete_domain_computes() {
    for seed in 1..=60_000 {
        agree(seed, 12, 6);
    }
    for seed in 1..=1000 {
        agree(seed << 32, 80, 4);
    }
}

/// Terms that are equal by parts fold; others must not, and `agree` would see it.
#[test]
fn operations_by_parts_are_the_operations() {
    let (mut random, mut same) = (Random(7), 0);
    for _ in 0..4000 {
        let mut graph = Symbolic::default();
        let width = random.width();
        let (a, b) = (graph.variable(width), graph.variable(width));
        let equal = by_parts(&mut graph, &mut random, &a, &b);
        same += u32::from(graph.is_true(equal));
    }
    // Three of four carries are right, where there is one.
    assert!(same > 2500, "{same} of 4000");
}

/// The sign of a product is on one operand, and none of its values depends on which.
#[test]
fn a_product_has_one_sign() {
    use RoundedOperation::{Div, Fma, Mul};
    let mut random = Random(11);
    for format in [FloatFormat::Half, FloatFormat::Float, FloatFormat::Double] {
        let bits = format.bits();
        for operation in [Mul(format), Div(format), Fma(format)] {
            let mut graph = Symbolic::default();
            let mode = graph.variable(RoundingMode::BITS);
            let [a, b, c] = [0; 3].map(|_| graph.variable(bits));
            let mask = graph.value(Bits::signed_min(bits));
            let (minus_a, minus_b) = (graph.xor(&a, &mask), graph.xor(&b, &mask));
            let mut of = |a, b| graph.round(operation, &[mode, a, b, c]);
            assert_eq!(of(minus_a, b), of(a, minus_b));
            assert_eq!(of(minus_a, minus_b), of(a, b));
            assert_ne!(of(minus_a, b), of(a, b));
            for _ in 0..2000 {
                let [a, b, c] = [0; 3].map(|_| random.bits(bits));
                let mode = Bits::new(random.below(5).into(), RoundingMode::BITS);
                let minus = |number: Bits| number.xor(Bits::signed_min(bits));
                assert_eq!(rounded(operation, &[mode, minus(a), b, c]), rounded(operation, &[mode, a, minus(b), c]));
                assert_eq!(rounded(operation, &[mode, minus(a), minus(b), c]), rounded(operation, &[mode, a, b, c]));
            }
        }
    }
}
