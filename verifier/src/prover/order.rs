//! Comparisons alone: numbers that a question compares, chooses among and takes apart, and does nothing else with.
//! Floats compared by integers are of this kind. A solver would build long chains of bits, and relate those of whole
//! numbers with those of their parts.
//!
//! Every number is cut where some term cuts it. Pieces that are compared with each other or chosen among are of one
//! *sort*. Only their order counts: whatever values the unknown pieces of a sort have, others are in the same order
//! among themselves and beside the constants. So between two constants as many values suffice as there are unknown
//! pieces, and the sort needs few bits. Values of the narrow question are likewise values of the wide one, since no gap
//! between constants grows.
//!
//! ```text
//! (a ult b) and (a eq 0x7ff0) and (b ult 0x7ff2)     16 bits: 0 and 1 below 0x7ff0, and 0x7ff1
//! (a ult b) and (a eq 2) and (b ult 4)               3 bits: 2 is 0x7ff0, 3 is 0x7ff1, 4 is 0x7ff2
//! ```

use super::evaluate::operands;
use super::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::Domain;

/// Bits of the narrowest numbers whose order is worth the while.
const WIDE: u32 = 16;
/// The most rounds in which cuts spread.
const ROUNDS: u32 = 32;

/// A question that is true for some values where `wrong` is, on numbers of few bits; `None` where `wrong` does not
/// compare wide numbers, or computes with some. `cone` is its terms, operands first.
pub(super) fn narrowed(graph: &mut Symbolic, wrong: Term, cone: &[Term]) -> Option<Term> {
    let compares = |&term: &Term| match graph.node(term) {
        Node::Ult(a, _) | Node::Slt(a, _) => graph.width_of(a) >= WIDE,
        _ => false,
    };
    if !cone.iter().any(compares) || !is_of_order(graph, cone) {
        return None;
    }
    let sorts = Sorts::of(graph, cone, Cuts::of(graph, cone)?);
    sorts.are_shorter().then(|| sorts.narrow(graph, cone, wrong))
}

/// True if no term computes with numbers. The contents of a memory, and what is rounded, are unknown.
fn is_of_order(graph: &Symbolic, cone: &[Term]) -> bool {
    cone.iter().all(|&term| match graph.node(term) {
        Node::Not(_) => graph.width_of(term) == 1,
        Node::Binary(Op::And | Op::Or | Op::Xor, ..) if graph.width_of(term) == 1 => true,
        Node::Binary(..) => Mask::of(graph, term).is_some(),
        Node::Sext(_) => false,
        _ => true,
    })
}

/// Bits of a number set, cleared or inverted by a constant.
struct Mask {
    op: Op,
    number: Term,
    bits: Bits,
}

impl Mask {
    /// `None` for all else, and for inverted bits side by side: the order of what they make is another.
    fn of(graph: &Symbolic, term: Term) -> Option<Mask> {
        let Node::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) = graph.node(term) else { return None };
        let (number, bits) = match (graph.node(a), graph.node(b)) {
            (_, Node::Const(bits)) => (a, bits),
            (Node::Const(bits), _) => (b, bits),
            _ => return None,
        };
        let alone = op != Op::Xor || bits.and(bits.shl(1)).is_zero();
        (alone && bits.width() > 1).then_some(Mask { op, number, bits })
    }

    /// The constant that replaces a piece; `None` for one that stays, or is one inverted bit.
    fn replaces(&self, (offset, width): (u32, u32)) -> Option<Bits> {
        match (self.op, self.bits.bit(offset)) {
            (Op::And, false) => Some(Bits::zero(width)),
            (Op::Or, true) => Some(Bits::ones(width)),
            _ => None,
        }
    }
}

/// The inner places at which each number is cut, lowest first.
struct Cuts(FxHashMap<Term, BTreeSet<u32>>);

impl Cuts {
    /// Those of all terms; `None` where they do not come to an end.
    fn of(graph: &Symbolic, cone: &[Term]) -> Option<Cuts> {
        let mut cuts = Cuts(cone.iter().map(|&term| (term, BTreeSet::new())).collect());
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &term in cone.iter().rev().chain(cone) {
                changed |= cuts.spread(graph, term);
            }
            if !changed {
                return Some(cuts);
            }
        }
        None
    }

    /// Shares the cuts of a term with its operands; true if there are new ones.
    fn spread(&mut self, graph: &Symbolic, term: Term) -> bool {
        let width = graph.width_of(term);
        match graph.node(term) {
            Node::Concat(high, low) => {
                let middle = graph.width_of(low);
                self.add(term, width, middle) | self.share((term, 0), (low, 0), middle) | {
                    self.share((term, middle), (high, 0), width - middle)
                }
            }
            Node::Extract(whole, offset) => {
                let all = graph.width_of(whole);
                self.add(whole, all, offset)
                    | self.add(whole, all, offset + width)
                    | self.share((whole, offset), (term, 0), width)
            }
            Node::Zext(low) => {
                let middle = graph.width_of(low);
                self.add(term, width, middle) | self.share((term, 0), (low, 0), middle)
            }
            Node::Ite(_, a, b) => self.share((term, 0), (a, 0), width) | self.share((term, 0), (b, 0), width),
            Node::Eq(a, b) | Node::Ult(a, b) => self.share((a, 0), (b, 0), graph.width_of(a)),
            Node::Slt(a, b) => {
                let width = graph.width_of(a);
                self.add(a, width, width - 1) | self.share((a, 0), (b, 0), width)
            }
            _ => Mask::of(graph, term).is_some_and(|mask| {
                let ends = (1..width).filter(|&place| mask.bits.bit(place) != mask.bits.bit(place - 1));
                let own = ends.fold(false, |any, place| self.add(term, width, place) | any);
                self.share((term, 0), (mask.number, 0), width) | own
            }),
        }
    }

    fn add(&mut self, term: Term, width: u32, place: u32) -> bool {
        (1..width).contains(&place) && self.0.entry(term).or_default().insert(place)
    }

    /// Cuts within so many bits of both, from these offsets on.
    fn share(&mut self, (one, from): (Term, u32), (other, to): (Term, u32), width: u32) -> bool {
        let within = |cuts: &Cuts, term, offset: u32| -> Vec<u32> {
            let own =
                cuts.0.get(&term).into_iter().flat_map(|own| own.range(offset + 1..(offset + width).max(offset + 1)));
            own.map(|place| place - offset).collect()
        };
        let (first, second) = (within(self, one, from), within(self, other, to));
        let end = |offset| offset + width + 1;
        let mut changed = false;
        for place in first {
            changed |= self.add(other, end(to), to + place);
        }
        for place in second {
            changed |= self.add(one, end(from), from + place);
        }
        changed
    }

    /// Offset and width of each piece, the lowest first.
    fn pieces(&self, term: Term, width: u32) -> Vec<(u32, u32)> {
        let inner = self.0.get(&term).into_iter().flatten().copied();
        let starts: Vec<u32> = std::iter::once(0).chain(inner).collect();
        let ends = starts.iter().skip(1).copied().chain([width]);
        starts.iter().zip(ends).map(|(&start, end)| (start, end - start)).collect()
    }
}

/// The pieces of one sort.
#[derive(Clone, Default)]
struct Sort {
    width: u32,
    unknown: u32,
    /// In ascending order.
    constants: Vec<Bits>,
    /// Bits of the narrow numbers.
    bits: u32,
    /// The narrow number of each constant.
    numbers: Vec<u128>,
}

impl Sort {
    fn holds(&mut self, value: Bits) {
        if let Err(place) = self.constants.binary_search_by(|other| other.cmp_unsigned(value)) {
            self.constants.insert(place, value);
        }
    }

    /// Numbers the constants, with room for all unknown pieces in each gap that has it. What a whole number of bits has
    /// too many goes into the first gaps that are wider, so that no gap grows beyond its own.
    fn settle(&mut self) {
        let gaps = self.gaps();
        let needed: Vec<u128> = gaps.iter().map(|&gap| gap.min(self.unknown.into())).collect();
        let size = needed.iter().sum::<u128>() + self.constants.len() as u128;
        self.bits = (u128::BITS - size.saturating_sub(1).leading_zeros()).clamp(1, self.width);
        if self.bits == self.width {
            return;
        }
        let (mut spare, mut next) = ((1 << self.bits) - size, 0);
        // Above the last constant lies what is left.
        for (needed, gap) in needed.into_iter().zip(gaps).take(self.constants.len()) {
            let more = (gap - needed).min(spare);
            spare -= more;
            self.numbers.push(next + needed + more);
            next += needed + more + 1;
        }
    }

    /// How many values lie below the first constant, between neighbours, above the last: at most a great many.
    fn gaps(&self) -> Vec<u128> {
        let mut gaps = Vec::new();
        let mut start = Some(Bits::zero(self.width));
        let one = Bits::new(1, self.width);
        for &constant in &self.constants {
            gaps.push(start.map_or(0, |start| counted(constant.sub(start))));
            start = Some(constant.add(one)).filter(|next| !next.is_zero());
        }
        // From there to the last value, which counts too.
        let last = |start: Bits| counted(Bits::ones(self.width).sub(start)).saturating_add(1);
        gaps.push(start.map_or(0, last));
        gaps
    }

    fn number(&self, value: Bits) -> Bits {
        match self.constants.binary_search_by(|other| other.cmp_unsigned(value)) {
            Ok(place) if self.bits < self.width => Bits::new(self.numbers[place], self.bits),
            _ => value,
        }
    }
}

/// The value, or a number that no count of pieces reaches.
fn counted(value: Bits) -> u128 {
    if value.used() <= u64::BITS { value.low_u64().into() } else { 1 << u64::BITS }
}

/// The sorts of all pieces.
struct Sorts {
    cuts: Cuts,
    /// The number of the first piece of each term.
    first: FxHashMap<Term, usize>,
    /// The piece that stands for the sort of a piece, by steps.
    leaders: Vec<usize>,
    /// By leader.
    sorts: FxHashMap<usize, Sort>,
}

impl Sorts {
    fn of(graph: &Symbolic, cone: &[Term], cuts: Cuts) -> Sorts {
        let mut sorts = Sorts { cuts, first: FxHashMap::default(), leaders: Vec::new(), sorts: FxHashMap::default() };
        for &term in cone {
            let count = sorts.cuts.pieces(term, graph.width_of(term)).len();
            sorts.first.insert(term, sorts.leaders.len());
            sorts.leaders.extend(sorts.leaders.len()..sorts.leaders.len() + count);
        }
        cone.iter().for_each(|&term| sorts.unite(graph, term));
        cone.iter().for_each(|&term| sorts.describe(graph, term));
        sorts.sorts.values_mut().for_each(Sort::settle);
        sorts
    }

    fn leader(&self, mut piece: usize) -> usize {
        while self.leaders[piece] != piece {
            piece = self.leaders[piece];
        }
        piece
    }

    /// So many pieces of both are of the same sorts, from these on.
    fn same(&mut self, (one, from): (Term, usize), (other, to): (Term, usize), count: usize) {
        for index in 0..count {
            let pieces = [self.first[&one] + from + index, self.first[&other] + to + index];
            let [one, other] = pieces.map(|piece| self.leader(piece));
            self.leaders[one] = other;
        }
    }

    fn pieces(&self, graph: &Symbolic, term: Term) -> Vec<(u32, u32)> {
        self.cuts.pieces(term, graph.width_of(term))
    }

    fn unite(&mut self, graph: &Symbolic, term: Term) {
        let count = |sorts: &Sorts, term| sorts.pieces(graph, term).len();
        match graph.node(term) {
            Node::Concat(high, low) => {
                let (upper, lower) = (count(self, high), count(self, low));
                self.same((term, 0), (low, 0), lower);
                self.same((term, lower), (high, 0), upper);
            }
            Node::Extract(whole, offset) => {
                let from = self.pieces(graph, whole).iter().take_while(|(start, _)| *start < offset).count();
                self.same((whole, from), (term, 0), count(self, term));
            }
            Node::Zext(low) => self.same((term, 0), (low, 0), count(self, low)),
            Node::Ite(_, a, b) => {
                self.same((term, 0), (a, 0), count(self, a));
                self.same((term, 0), (b, 0), count(self, b));
            }
            Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b) => self.same((a, 0), (b, 0), count(self, a)),
            _ => {
                let Some(mask) = Mask::of(graph, term) else { return };
                for (index, piece) in self.pieces(graph, term).into_iter().enumerate() {
                    if mask.replaces(piece).is_none() {
                        self.same((term, index), (mask.number, index), 1);
                    }
                }
            }
        }
    }

    /// Tells the sorts of a term's pieces what the term brings: constants, or something unknown.
    fn describe(&mut self, graph: &Symbolic, term: Term) {
        let above = if let Node::Zext(low) = graph.node(term) { graph.width_of(low) } else { 0 };
        let mask = Mask::of(graph, term);
        for (index, (offset, width)) in self.pieces(graph, term).into_iter().enumerate() {
            let leader = self.leader(self.first[&term] + index);
            let sort = self.sorts.entry(leader).or_default();
            sort.width = width;
            if let Some(value) = mask.as_ref().and_then(|mask| mask.replaces((offset, width))) {
                sort.holds(value);
            }
            match graph.node(term) {
                Node::Const(value) => sort.holds(value.extract(offset, width)),
                Node::Zext(_) if offset >= above => sort.holds(Bits::zero(width)),
                _ => sort.unknown += u32::from(operands(graph, term).is_empty() || is_unknown(graph, term)),
            }
        }
    }

    fn sort(&self, term: Term, piece: usize) -> &Sort {
        &self.sorts[&self.leader(self.first[&term] + piece)]
    }

    fn are_shorter(&self) -> bool {
        self.sorts.values().any(|sort| sort.bits + WIDE / 2 <= sort.width)
    }

    fn narrow(&self, graph: &mut Symbolic, cone: &[Term], wrong: Term) -> Term {
        let mut narrow: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for &term in cone {
            let pieces = self.of_term(graph, term, &narrow);
            narrow.insert(term, pieces);
        }
        narrow[&wrong][0]
    }

    /// The narrow pieces of a term, from those of its operands.
    fn of_term(&self, graph: &mut Symbolic, term: Term, narrow: &FxHashMap<Term, Vec<Term>>) -> Vec<Term> {
        let pieces = self.pieces(graph, term);
        match graph.node(term) {
            Node::Const(value) => {
                let number = |(index, &(offset, width)): (usize, &(u32, u32))| {
                    graph.value(self.sort(term, index).number(value.extract(offset, width)))
                };
                pieces.iter().enumerate().map(number).collect()
            }
            Node::Not(a) => vec![graph.complement(narrow[&a][0])],
            Node::Binary(..) if let Some(mask) = Mask::of(graph, term) => {
                let masked = |(index, &piece): (usize, &(u32, u32))| match mask.replaces(piece) {
                    Some(value) => graph.value(self.sort(term, index).number(value)),
                    None if mask.op == Op::Xor && mask.bits.bit(piece.0) => {
                        graph.complement(narrow[&mask.number][index])
                    }
                    None => narrow[&mask.number][index],
                };
                pieces.iter().enumerate().map(masked).collect()
            }
            Node::Binary(op, a, b) => vec![graph.binary(op, narrow[&a][0], narrow[&b][0])],
            Node::Concat(high, low) => [narrow[&low].as_slice(), &narrow[&high]].concat(),
            Node::Extract(whole, offset) => {
                let from = self.pieces(graph, whole).iter().take_while(|(start, _)| *start < offset).count();
                narrow[&whole][from..from + pieces.len()].to_vec()
            }
            Node::Zext(low) => {
                let mut all = narrow[&low].clone();
                for (index, &(_, width)) in pieces.iter().enumerate().skip(all.len()) {
                    all.push(graph.value(self.sort(term, index).number(Bits::zero(width))));
                }
                all
            }
            Node::Ite(condition, a, b) => {
                let both = narrow[&a].iter().zip(&narrow[&b]);
                both.map(|(&a, &b)| graph.if_then_else(narrow[&condition][0], a, b)).collect()
            }
            Node::Eq(a, b) => vec![equal(graph, &narrow[&a], &narrow[&b])],
            Node::Ult(a, b) => vec![less(graph, &narrow[&a], &narrow[&b])],
            Node::Slt(a, b) => vec![less_signed(graph, &narrow[&a], &narrow[&b])],
            _ => (0..pieces.len()).map(|index| graph.variable(self.sort(term, index).bits)).collect(),
        }
    }
}

/// True for a term whose operands do not count: the contents of a memory, or a number that is rounded.
fn is_unknown(graph: &Symbolic, term: Term) -> bool {
    matches!(graph.node(term), Node::Select(..) | Node::Rounded(_))
}

fn equal(graph: &mut Symbolic, a: &[Term], b: &[Term]) -> Term {
    let mut all = graph.truth(true);
    for (&a, &b) in a.iter().zip(b) {
        let equal = graph.equal(a, b);
        all = graph.bool_and(&all, &equal);
    }
    all
}

fn less(graph: &mut Symbolic, a: &[Term], b: &[Term]) -> Term {
    let mut below = graph.truth(false);
    for (&a, &b) in a.iter().zip(b) {
        let (less, equal) = (graph.less(a, b, false), graph.equal(a, b));
        let rest = graph.bool_and(&equal, &below);
        below = graph.bool_or(&less, &rest);
    }
    below
}

/// The last piece is the sign.
fn less_signed(graph: &mut Symbolic, a: &[Term], b: &[Term]) -> Term {
    let (Some((&sign, a)), Some((&other, b))) = (a.split_last(), b.split_last()) else { return graph.truth(false) };
    let (below, same, positive) = (less(graph, a, b), graph.equal(sign, other), graph.complement(other));
    let (rest, opposed) = (graph.bool_and(&same, &below), graph.bool_and(&sign, &positive));
    graph.bool_or(&rest, &opposed)
}

#[cfg(test)]
mod tests {
    use super::super::evaluate::{self, Assignment, Evaluator};
    use super::super::samples::Random;
    use super::super::solver::{self, Effort, Text};
    use super::*;

    /// Whether some values make the question true, of all that there are.
    fn is_satisfiable(graph: &Symbolic, question: Term) -> bool {
        let cone = evaluate::cone(graph, question);
        let variables: Vec<Term> =
            cone.iter().copied().filter(|&term| matches!(graph.node(term), Node::Var(_))).collect();
        let bits: u32 = variables.iter().map(|&term| graph.width_of(term)).sum();
        assert!(bits <= 12, "{bits} bits to try");
        let values = (0..1_u64 << bits).map(|mut number| {
            let mut assignment = Assignment::default();
            for &variable in &variables {
                let width = graph.width_of(variable);
                assignment.set(variable, Bits::new((number & ((1 << width) - 1)).into(), width));
                number >>= width;
            }
            assignment
        });
        Evaluator::first(graph, question, &cone, values).is_some()
    }

    /// A random number of this width: of variables and constants, cut, joined and chosen among.
    fn number(graph: &mut Symbolic, random: &mut Random, variables: &[Term], width: u32, depth: u32) -> Term {
        let whole = graph.width_of(variables[0]);
        let below = |graph: &mut Symbolic, random: &mut Random, width| {
            number(graph, random, variables, width, depth.saturating_sub(1))
        };
        match random.below(if depth == 0 { 3 } else { 7 }) {
            0 => graph.value(Bits::new(random.next().into(), width)),
            1 | 2 => {
                let variable = variables[random.below(variables.len())];
                let offset = random.below((whole - width + 1) as usize) as u32;
                graph.extract_bits(variable, offset, width)
            }
            3 if width > 1 => {
                let middle = 1 + random.below(width as usize - 1) as u32;
                let (high, low) = (below(graph, random, width - middle), below(graph, random, middle));
                graph.concatenate(high, low)
            }
            4 if width > 1 => {
                let low = 1 + random.below(width as usize - 1) as u32;
                let low = below(graph, random, low);
                graph.zero_extend(low, width)
            }
            5 => {
                let op = [Op::And, Op::Or, Op::Xor][random.below(3)];
                let mask = if op == Op::Xor { 1 << random.below(width as usize) } else { random.next() };
                let (number, mask) = (below(graph, random, width), graph.value(Bits::new(mask.into(), width)));
                graph.binary(op, number, mask)
            }
            _ => {
                let (a, b) = (below(graph, random, width), below(graph, random, width));
                let condition = truth(graph, random, variables, depth.saturating_sub(1));
                graph.if_then_else(condition, a, b)
            }
        }
    }

    /// A random comparison, or several.
    fn truth(graph: &mut Symbolic, random: &mut Random, variables: &[Term], depth: u32) -> Term {
        if depth > 1 && random.below(3) > 0 {
            let (a, b) = (truth(graph, random, variables, depth - 1), truth(graph, random, variables, depth - 1));
            let op = [Op::And, Op::Or, Op::Xor][random.below(3)];
            return graph.binary(op, a, b);
        }
        let width = 1 + random.below(graph.width_of(variables[0]) as usize) as u32;
        let [a, b] = [(); 2].map(|()| number(graph, random, variables, width, depth));
        match random.below(4) {
            0 => graph.equal(a, b),
            way => graph.less(a, b, way == 1),
        }
    }

    /// The narrow question has an answer exactly where the wide one has: both are tried on all values.
    #[test]
    fn a_narrow_question_is_true_for_some_values_where_the_wide_one_is() {
        let mut random = Random::new(0x0bad_cafe);
        let (mut narrower, mut answers) = (0, [0, 0]);
        for _ in 0..4000 {
            let mut graph = Symbolic::default();
            let variables = [(); 3].map(|()| graph.variable(4));
            let parts = [(); 3].map(|()| truth(&mut graph, &mut random, &variables[..2], 3));
            let last = truth(&mut graph, &mut random, &variables, 2);
            let wide = parts.into_iter().fold(last, |all, part| graph.binary(Op::And, all, part));
            let cone = evaluate::cone(&graph, wide);
            if !is_of_order(&graph, &cone) {
                continue;
            }
            let cuts = Cuts::of(&graph, &cone).unwrap();
            let sorts = Sorts::of(&graph, &cone, cuts);
            narrower += u32::from(sorts.sorts.values().any(|sort| sort.bits < sort.width));
            let narrow = sorts.narrow(&mut graph, &cone, wide);
            let is_true = is_satisfiable(&graph, wide);
            assert_eq!(is_satisfiable(&graph, narrow), is_true);
            answers[usize::from(is_true)] += 1;
        }
        assert_eq!((narrower, answers), (1916, [2548, 1270]));
    }

    /// The order of two numbers of sign and magnitude, as floats have it: by halves, and as a whole. With the wrong
    /// half's comparison strict or not.
    #[test]
    fn numbers_of_128_bits_are_compared_by_halves() {
        for (is_strict, is_proved) in [(true, true), (false, false)] {
            let mut graph = Symbolic::default();
            let (a, b) = (graph.variable(128), graph.variable(128));
            let whole = graph.less(a, b, true);
            let [[a_high, a_low], [b_high, b_low]] =
                [a, b].map(|number| [64, 0].map(|offset| graph.extract_bits(number, offset, 64)));
            let (above, same) = (graph.less(a_high, b_high, true), graph.equal(a_high, b_high));
            let low = match is_strict {
                true => graph.less(a_low, b_low, false),
                false => {
                    let greater = graph.less(b_low, a_low, false);
                    graph.complement(greater)
                }
            };
            let rest = graph.binary(Op::And, same, low);
            let halves = graph.binary(Op::Or, above, rest);
            let wrong = graph.binary(Op::Xor, whole, halves);
            let cone = evaluate::cone(&graph, wrong);
            let narrow = narrowed(&mut graph, wrong, &cone).unwrap();
            let widths = evaluate::cone(&graph, narrow).into_iter().map(|term| graph.width_of(term));
            assert!(widths.max() <= Some(2));
            let (answer, _) = solver::solve(&graph, narrow, Text::Dropped, Effort::STEP);
            assert_eq!(matches!(answer, solver::Answer::Unsatisfiable), is_proved);
        }
    }
}
