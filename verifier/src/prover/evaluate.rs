//! Terms on numbers: the prover's concrete samples, and the check of every counterexample.

use super::memory;
use super::term::{MemNode, MemTerm, Node, Symbolic, Term, concrete_binary, rounded};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Domain};

/// Values of variables, and the contents of initial memory.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// Of variables, and of reads of memory where a solver gave them.
    pub values: FxHashMap<Term, Bits>,
    /// By the memory's number and the address.
    pub contents: FxHashMap<(u32, u64), Bits>,
    /// Elsewhere: a function of the seed and the address, or zeros that may be touched and are not poison.
    pub seed: Option<u64>,
}

impl Assignment {
    pub fn set(&mut self, variable: Term, value: Bits) {
        self.values.insert(variable, value);
    }
}

/// Evaluates terms under one assignment, each once.
pub struct Evaluator<'g> {
    graph: &'g Symbolic,
    assignment: &'g Assignment,
    known: Vec<Option<Bits>>,
}

impl<'g> Evaluator<'g> {
    pub fn new(graph: &'g Symbolic, assignment: &'g Assignment) -> Evaluator<'g> {
        Evaluator { graph, assignment, known: vec![None; graph.bound()] }
    }

    /// The first of the assignments that makes `term` true; `cone` is the set of terms below it.
    pub fn first(
        graph: &Symbolic,
        term: Term,
        cone: &[Term],
        assignments: impl Iterator<Item = Assignment>,
    ) -> Option<Assignment> {
        Evaluator::each(graph, cone, assignments, |evaluator| !evaluator.of(term).is_zero())
    }

    /// Evaluates all terms of `cone` under one assignment after the other; returns the first one for which `is_last` is
    /// true.
    pub fn each(
        graph: &Symbolic,
        cone: &[Term],
        mut assignments: impl Iterator<Item = Assignment>,
        mut is_last: impl FnMut(&Evaluator<'_>) -> bool,
    ) -> Option<Assignment> {
        let mut known = vec![None; graph.bound()];
        assignments.find(|assignment| {
            let mut evaluator = Evaluator { graph, assignment, known: std::mem::take(&mut known) };
            for &part in cone {
                evaluator.known[part.0 as usize] = Some(evaluator.compute(part));
            }
            let is_last = is_last(&evaluator);
            known = evaluator.known;
            is_last
        })
    }

    /// The value of `term`. Terms refer to older terms only, so a stack of pending ones suffices.
    pub fn value(&mut self, term: Term) -> Bits {
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.known[top.0 as usize].is_some() {
                pending.pop();
                continue;
            }
            let missing: Vec<Term> = operands(self.graph, top)
                .into_iter()
                .filter(|operand| self.known[operand.0 as usize].is_none())
                .collect();
            if missing.is_empty() {
                self.known[top.0 as usize] = Some(self.compute(top));
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        self.known[term.0 as usize].unwrap_or(Bits::zero(1))
    }

    pub fn holds(&mut self, term: Term) -> bool {
        !self.value(term).is_zero()
    }

    /// The value of a term that is known; zeros otherwise.
    pub fn of(&self, term: Term) -> Bits {
        self.known[term.0 as usize].unwrap_or(Bits::zero(self.graph.width_of(term)))
    }

    fn compute(&self, term: Term) -> Bits {
        let width = self.graph.width_of(term);
        let truth = |value: bool| Bits::new(u128::from(value), 1);
        let mut d = Concrete { choice: Choice::Zeros };
        match self.graph.node(term) {
            Node::Const(bits) => bits,
            Node::Var(_) => self.assignment.values.get(&term).copied().unwrap_or(Bits::zero(width)),
            Node::Binary(op, a, b) => concrete_binary(&mut d, op, &self.of(a), &self.of(b)),
            Node::Not(a) => d.not(&self.of(a)),
            Node::Concat(high, low) => d.concat(&self.of(high), &self.of(low)),
            Node::Extract(a, offset) => self.of(a).extract(offset, width),
            Node::Zext(a) => self.of(a).zext_or_trunc(width),
            Node::Sext(a) => self.of(a).sext_or_trunc(width),
            Node::Eq(a, b) => truth(self.of(a) == self.of(b)),
            Node::Ult(a, b) => truth(self.of(a).cmp_unsigned(self.of(b)).is_lt()),
            Node::Slt(a, b) => truth(self.of(a).cmp_signed(self.of(b)).is_lt()),
            Node::Ite(condition, a, b) => {
                if self.of(condition).is_zero() {
                    self.of(b)
                } else {
                    self.of(a)
                }
            }
            Node::Select(memory, address) => match self.assignment.values.get(&term) {
                Some(&value) => value,
                None => self.select(memory, self.of(address), width),
            },
            Node::Rounded(application) => {
                let (operation, operands) = self.graph.application(application);
                let operands: SmallVec<[Bits; 4]> = operands.iter().map(|&operand| self.of(operand)).collect();
                rounded(operation, &operands)
            }
        }
    }

    /// The bounds of the objects in the frame.
    fn frame(&self) -> Vec<[Bits; 2]> {
        let objects = self.graph.frame_objects().into_iter();
        let known = objects.filter_map(|(start, object)| Some((*self.assignment.values.get(&start)?, object)));
        known.map(|(start, object)| [start, start.add(Bits::new(object.bytes.into(), start.width()))]).collect()
    }

    /// Initial contents. Selects of stores are expanded when built.
    fn select(&self, memory: MemTerm, address: Bits, width: u32) -> Bits {
        let MemNode::Initial(number, _) = self.graph.memories[memory.0 as usize] else { return Bits::zero(width) };
        if let Some(&given) = self.assignment.contents.get(&(number, address.low_u64())) {
            return given;
        }
        if memory::BOUNDS.contains(&number)
            && let Some(bound) = memory::usual_bound(number, address, &self.frame())
        {
            return bound;
        }
        let Some(seed) = self.assignment.seed else {
            return Bits::new(u128::from(memory::is_usual(number)), width);
        };
        let mixed = (address.low_u64() ^ seed.rotate_left(number * 16 + 7))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // Flags are mostly set for valid addresses and clear for poison, or no sample would be defined.
        match (width, memory::is_usual(number)) {
            (1, true) => Bits::new(u128::from(!mixed.is_multiple_of(64)), 1),
            (1, false) => Bits::new(u128::from(mixed.is_multiple_of(16)), 1),
            _ => Bits::new(u128::from(mixed >> 8), width),
        }
    }
}

/// `root` and all terms below it, operands first: terms refer to older ones only.
pub fn cone(graph: &Symbolic, root: Term) -> Vec<Term> {
    let mut seen = vec![false; graph.bound()];
    let mut pending = vec![root];
    let mut cone = Vec::new();
    while let Some(term) = pending.pop() {
        if !std::mem::replace(&mut seen[term.0 as usize], true) {
            cone.push(term);
            pending.extend(operands(graph, term));
        }
    }
    cone.sort_unstable();
    cone
}

/// The direct operands of `term`.
pub fn operands(graph: &Symbolic, term: Term) -> Vec<Term> {
    match graph.node(term) {
        Node::Const(_) | Node::Var(_) => Vec::new(),
        Node::Not(a) | Node::Extract(a, _) | Node::Zext(a) | Node::Sext(a) | Node::Select(_, a) => vec![a],
        Node::Binary(_, a, b) | Node::Concat(a, b) | Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b) => vec![a, b],
        Node::Ite(a, b, c) => vec![a, b, c],
        Node::Rounded(application) => graph.application(application).1.to_vec(),
    }
}
