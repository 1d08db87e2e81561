//! Hash-consed bit-vector terms: the symbolic domain.
//!
//! Terms are folded and normalised as they are built, by identities that hold for all values of all widths involved, so
//! that many obligations end as one term equal to itself. A truth value is a term of one bit. They are trusted: a
//! test against the concrete domain on random terms is still to be written.

use rustc_hash::FxHashMap;
use std::fmt;
use tribunal_ir::bits::{Bits, MAX_BITS};
use tribunal_ir::semantics::{Choice, Concrete, Domain};

/// A term: an index into its graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(super) u32);

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// Binary operations; the meanings are SMT-LIB's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
}

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const(Bits),
    /// A free variable: its number.
    Var(u32),
    Binary(Op, Term, Term),
    Not(Term),
    /// High part, low part.
    Concat(Term, Term),
    /// Bits from this offset up.
    Extract(Term, u32),
    Zext(Term),
    Sext(Term),
    Eq(Term, Term),
    Ult(Term, Term),
    Slt(Term, Term),
    Ite(Term, Term, Term),
    /// What a memory holds at an address: one unit (a byte, or a flag).
    Select(MemTerm, Term),
}

/// A memory: an index into the graph's memories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MemTerm(pub(super) u32);

/// What a memory is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemNode {
    /// Initial contents: which memory, and bits a unit.
    Initial(u32, u32),
    /// One unit written.
    Store(MemTerm, Term, Term),
}

/// The graph, and the domain that builds it.
#[derive(Default)]
pub struct Symbolic {
    nodes: Vec<(Node, u32)>,
    index: FxHashMap<(Node, u32), Term>,
    pub(super) memories: Vec<MemNode>,
    memory_index: FxHashMap<MemNode, MemTerm>,
    /// Variables that stand for free choices, in the order in which they were made.
    pub choices: Vec<Term>,
    variables: u32,
}

impl Symbolic {
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.0 as usize].0
    }

    pub fn width_of(&self, term: Term) -> u32 {
        self.nodes[term.0 as usize].1
    }

    /// How many terms there are; their numbers are below it.
    pub fn bound(&self) -> usize {
        self.nodes.len()
    }

    fn intern(&mut self, node: Node, width: u32) -> Term {
        debug_assert!((1..=MAX_BITS).contains(&width), "{node:?} of {width} bits");
        *self.index.entry((node, width)).or_insert_with(|| {
            self.nodes.push((node, width));
            Term(self.nodes.len() as u32 - 1)
        })
    }

    /// A new free variable.
    pub fn variable(&mut self, width: u32) -> Term {
        self.variables += 1;
        self.intern(Node::Var(self.variables - 1), width)
    }

    pub fn value(&mut self, bits: Bits) -> Term {
        self.intern(Node::Const(bits), bits.width())
    }

    pub fn truth(&mut self, value: bool) -> Term {
        self.value(Bits::new(u128::from(value), 1))
    }

    pub fn as_const(&self, term: Term) -> Option<Bits> {
        match self.node(term) {
            Node::Const(bits) => Some(bits),
            _ => None,
        }
    }

    pub fn is_true(&self, term: Term) -> bool {
        self.as_const(term).is_some_and(|bits| bits == Bits::new(1, 1))
    }

    pub fn is_false(&self, term: Term) -> bool {
        self.as_const(term).is_some_and(|bits| bits == Bits::zero(1))
    }

    // Memory.

    pub fn initial_memory(&mut self, number: u32, unit_bits: u32) -> MemTerm {
        self.intern_memory(MemNode::Initial(number, unit_bits))
    }

    fn intern_memory(&mut self, node: MemNode) -> MemTerm {
        *self.memory_index.entry(node).or_insert_with(|| {
            self.memories.push(node);
            MemTerm(self.memories.len() as u32 - 1)
        })
    }

    pub fn store_unit(&mut self, memory: MemTerm, address: Term, value: Term) -> MemTerm {
        self.intern_memory(MemNode::Store(memory, address, value))
    }

    /// One unit at `address`; writes to other constant distances from the same base are looked through.
    pub fn select(&mut self, memory: MemTerm, address: Term) -> Term {
        match self.memories[memory.0 as usize] {
            MemNode::Initial(_, bits) => self.intern(Node::Select(memory, address), bits),
            MemNode::Store(older, written, value) => match self.same_address(written, address) {
                Some(true) => value,
                Some(false) => self.select(older, address),
                None => {
                    let same = self.equal(written, address);
                    let below = self.select(older, address);
                    self.if_then_else(same, value, below)
                }
            },
        }
    }

    /// Whether two addresses are equal, if that is plain.
    pub(super) fn same_address(&self, a: Term, b: Term) -> Option<bool> {
        let ((a_base, a_offset), (b_base, b_offset)) = (self.base_and_offset(a), self.base_and_offset(b));
        match a_base == b_base {
            true => Some(a_offset == b_offset),
            false => None,
        }
    }

    /// An address as base and constant, modulo its width.
    fn base_and_offset(&self, address: Term) -> (Option<Term>, u128) {
        match self.node(address) {
            Node::Const(bits) => (None, bits.unsigned()),
            Node::Binary(Op::Add, base, offset) => match self.as_const(offset) {
                Some(offset) => (Some(base), offset.unsigned()),
                None => (Some(address), 0),
            },
            _ => (Some(address), 0),
        }
    }

    // Arithmetic.

    pub fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width_of(a);
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.value(fold(op, x, y));
        }
        match op {
            Op::Add => self.sum(a, b),
            Op::Sub => self.difference(a, b),
            Op::Mul => self.product(a, b),
            Op::And | Op::Or | Op::Xor => self.logic(op, a, b),
            Op::Shl | Op::Lshr | Op::Ashr => self.shifted(op, a, b),
            Op::Udiv | Op::Urem => self.unsigned_division(op, a, b),
            Op::Sdiv | Op::Srem => self.signed_division(op, a, b),
        }
        .or_else(|| self.remainder(op, a, b))
        .unwrap_or_else(|| self.intern(Node::Binary(op, a, b), width))
    }

    /// Sums are kept flat: summands in order, the constant last.
    fn sum(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        for (spread, other) in [(a, b), (b, a)] {
            // A truth value spread over all bits is 0 or -1.
            if let Some(condition) = self.spread_truth(spread) {
                let minus_one = self.value(Bits::ones(width));
                let less = self.binary(Op::Add, other, minus_one);
                return Some(self.if_then_else(condition, less, other));
            }
        }
        let (mut terms, mut constant) = (Vec::new(), Bits::zero(width));
        for term in [a, b] {
            self.summands(term, &mut terms, &mut constant);
        }
        terms.sort_unstable();
        let mut terms = terms.into_iter();
        let mut sum = match terms.next() {
            Some(first) => first,
            None => return Some(self.value(constant)),
        };
        for term in terms {
            sum = self.intern(Node::Binary(Op::Add, sum, term), width);
        }
        if !constant.is_zero() {
            let constant = self.value(constant);
            sum = self.intern(Node::Binary(Op::Add, sum, constant), width);
        }
        Some(sum)
    }

    /// The condition of `sext s1`.
    fn spread_truth(&self, term: Term) -> Option<Term> {
        match self.node(term) {
            Node::Sext(inner) if self.width_of(inner) == 1 => Some(inner),
            _ => None,
        }
    }

    fn summands(&self, term: Term, terms: &mut Vec<Term>, constant: &mut Bits) {
        match self.node(term) {
            Node::Const(bits) => *constant = fold(Op::Add, *constant, bits),
            // Longer sums than recipes write are left as they are.
            Node::Binary(Op::Add, a, b) if terms.len() < 24 => {
                self.summands(a, terms, constant);
                self.summands(b, terms, constant);
            }
            _ => terms.push(term),
        }
    }

    fn difference(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        if a == b {
            return Some(self.value(Bits::zero(width)));
        }
        let constant = self.as_const(b)?;
        let negated = self.value(fold(Op::Sub, Bits::zero(width), constant));
        Some(self.binary(Op::Add, a, negated))
    }

    /// Multiplication beyond 64 bits is put together from the products of 64-bit halves: a ring identity. The full product
    /// of two halves stays one term, so that a recipe's low and high products are its parts.
    fn product(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        for (x, y) in [(a, b), (b, a)] {
            if let Some(bits) = self.as_const(x) {
                if bits.is_zero() {
                    return Some(x);
                }
                if bits.unsigned() == 1 {
                    return Some(y);
                }
            }
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let is_narrow = |this: &Self, term: Term| match this.node(term) {
            Node::Zext(inner) => this.width_of(inner) <= 64,
            Node::Const(bits) => bits.unsigned() >> 64 == 0,
            _ => false,
        };
        if width <= 64 || (width == 128 && is_narrow(self, a) && is_narrow(self, b)) {
            return Some(self.intern(Node::Binary(Op::Mul, a, b), width));
        }
        let rest = width - 64;
        let (a0, b0) = (self.extract_bits(a, 0, 64), self.extract_bits(b, 0, 64));
        let (a1, b1) = (self.extract_bits(a, 64, rest), self.extract_bits(b, 64, rest));
        let (wide_a, wide_b) = (self.zero_extend(a0, 128), self.zero_extend(b0, 128));
        let full = self.binary(Op::Mul, wide_a, wide_b);
        let (low, high) = (self.extract_bits(full, 0, 64), self.extract_bits(full, 64, rest));
        let (a0, b0) = (self.extract_bits(a0, 0, rest), self.extract_bits(b0, 0, rest));
        let (cross1, cross2) = (self.binary(Op::Mul, a1, b0), self.binary(Op::Mul, a0, b1));
        let sum = self.binary(Op::Add, cross1, cross2);
        let high = self.binary(Op::Add, high, sum);
        Some(self.concatenate(high, low))
    }

    fn logic(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        if a == b {
            return Some(if op == Op::Xor { self.value(Bits::zero(width)) } else { a });
        }
        // The constant second, otherwise in order.
        let (a, b) = if self.as_const(a).is_some() || (self.as_const(b).is_none() && b < a) { (b, a) } else { (a, b) };
        if let Some(bits) = self.as_const(b) {
            match (op, bits.is_zero(), bits == Bits::ones(width)) {
                (Op::And, true, _) | (Op::Or, _, true) => return Some(b),
                (Op::And, _, true) | (Op::Or | Op::Xor, true, _) => return Some(a),
                (Op::Xor, _, true) => return Some(self.complement(a)),
                (Op::And, ..) => {
                    // A low mask is a truncation and an extension.
                    let ones = bits.unsigned().trailing_ones();
                    if ones > 0 && bits == Bits::ones(ones).zext_or_trunc(width) {
                        let low = self.extract_bits(a, 0, ones);
                        return Some(self.zero_extend(low, width));
                    }
                }
                _ => {}
            }
            if let Node::Binary(inner, x, y) = self.node(a)
                && inner == op
                && let Some(other) = self.as_const(y)
            {
                let both = self.value(fold(op, bits, other));
                return Some(self.binary(op, x, both));
            }
        }
        if width == 1 {
            let not_b = self.complement(b);
            if not_b == a {
                return Some(self.truth(op != Op::And));
            }
        } else if op == Op::Xor {
            for (spread, other) in [(a, b), (b, a)] {
                if let Some(condition) = self.spread_truth(spread) {
                    let flipped = self.complement(other);
                    return Some(self.if_then_else(condition, flipped, other));
                }
            }
        }
        if let Some(split) = self.logic_by_parts(op, a, b) {
            return Some(split);
        }
        Some(self.intern(Node::Binary(op, a, b), width))
    }

    /// Bitwise operations go into concatenations and extensions where a side is put together.
    fn logic_by_parts(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let split = [a, b].into_iter().find_map(|term| match self.node(term) {
            Node::Concat(_, low) | Node::Zext(low) => Some(self.width_of(low)),
            _ => None,
        })?;
        let width = self.width_of(a);
        let parts =
            |this: &mut Self, term| (this.extract_bits(term, split, width - split), this.extract_bits(term, 0, split));
        let ((a1, a0), (b1, b0)) = (parts(self, a), parts(self, b));
        // Only where it makes things smaller: a part that is a constant.
        let known = [a1, a0, b1, b0].into_iter().any(|term| self.as_const(term).is_some());
        known.then(|| {
            let (high, low) = (self.binary(op, a1, b1), self.binary(op, a0, b0));
            self.concatenate(high, low)
        })
    }

    fn shifted(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        if self.as_const(a).is_some_and(Bits::is_zero) {
            return Some(a);
        }
        if let (Node::Zext(y), None) = (self.node(b), self.as_const(a)) {
            // Of an extended value: the narrow shift, extended. An amount beyond the narrow width shifts all out either way.
            let inner = match (op, self.node(a)) {
                (Op::Lshr, Node::Zext(x)) | (Op::Ashr, Node::Sext(x)) => Some(x),
                _ => None,
            };
            if let Some(x) = inner
                && self.width_of(y) <= self.width_of(x)
            {
                let amount = self.zero_extend(y, self.width_of(x));
                let narrow = self.binary(op, x, amount);
                return Some(if op == Op::Lshr {
                    self.zero_extend(narrow, width)
                } else {
                    self.sign_extend(narrow, width)
                });
            }
        }
        let amount = self.as_const(b)?;
        if amount.is_zero() {
            return Some(a);
        }
        let amount = u32::try_from(amount.unsigned()).unwrap_or(u32::MAX).min(width);
        Some(match (op, amount == width) {
            (Op::Shl | Op::Lshr, true) => self.value(Bits::zero(width)),
            (Op::Shl, false) => {
                let (low, zeros) = (self.extract_bits(a, 0, width - amount), self.value(Bits::zero(amount)));
                self.concatenate(low, zeros)
            }
            (Op::Lshr, false) => {
                let high = self.extract_bits(a, amount, width - amount);
                self.zero_extend(high, width)
            }
            _ => {
                let amount = amount.min(width - 1);
                let high = self.extract_bits(a, amount, width - amount);
                self.sign_extend(high, width)
            }
        })
    }

    /// A remainder by a variable is the dividend less quotient times divisor: so it is for a zero divisor too, and for the
    /// quotient that overflows.
    fn remainder(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let division = match op {
            Op::Urem => Op::Udiv,
            Op::Srem => Op::Sdiv,
            _ => return None,
        };
        if self.as_const(b).is_some() {
            return None;
        }
        let quotient = self.binary(division, a, b);
        let product = self.binary(Op::Mul, quotient, b);
        Some(self.binary(Op::Sub, a, product))
    }

    /// Of zero-extended operands: the narrow operation, zero-extended; a zero divisor gives all ones at either width.
    fn unsigned_division(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        let (x, y) = self.narrowed(a, b, false)?;
        let narrow = self.binary(op, x, y);
        let wide = self.zero_extend(narrow, width);
        if op == Op::Urem {
            return Some(wide);
        }
        let (zero, ones) = (self.value(Bits::zero(self.width_of(y))), self.value(Bits::ones(width)));
        let by_zero = self.equal(y, zero);
        Some(self.if_then_else(by_zero, ones, wide))
    }

    /// Of sign-extended operands: the narrow operation, sign-extended, but for the one quotient that overflows there.
    fn signed_division(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        let (x, y) = self.narrowed(a, b, true)?;
        let inner = self.width_of(x);
        if inner == 1 {
            return None;
        }
        let narrow = self.binary(op, x, y);
        let wide = self.sign_extend(narrow, width);
        if op == Op::Srem {
            return Some(wide);
        }
        let (least, minus_one) = (self.value(Bits::signed_min(inner)), self.value(Bits::ones(inner)));
        let (is_least, is_minus_one) = (self.equal(x, least), self.equal(y, minus_one));
        let overflows = self.binary(Op::And, is_least, is_minus_one);
        let positive = self.value(Bits::signed_min(inner).zext_or_trunc(width));
        Some(self.if_then_else(overflows, positive, wide))
    }

    /// Both operands as extensions from one width.
    fn narrowed(&mut self, a: Term, b: Term, signed: bool) -> Option<(Term, Term)> {
        let inner = |this: &Self, term: Term| match this.node(term) {
            Node::Zext(x) if !signed => Some(x),
            Node::Sext(x) if signed => Some(x),
            _ => None,
        };
        let (x, y) = (inner(self, a)?, inner(self, b)?);
        (self.width_of(x) == self.width_of(y)).then_some((x, y))
    }

    pub fn complement(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Const(bits) => self.value(Bits::new(!bits.unsigned(), bits.width())),
            Node::Not(inner) => inner,
            // -1 - (x + k) is (-1 - k) - x.
            Node::Binary(Op::Add, x, k) if self.as_const(k).is_some() => {
                let k = self.complement(k);
                self.binary(Op::Sub, k, x)
            }
            Node::Ite(condition, x, y) if self.width_of(a) > 1 => {
                let (x, y) = (self.complement(x), self.complement(y));
                self.if_then_else(condition, x, y)
            }
            _ => {
                let width = self.width_of(a);
                self.intern(Node::Not(a), width)
            }
        }
    }

    // Structure.

    pub fn concatenate(&mut self, high: Term, low: Term) -> Term {
        let width = self.width_of(high) + self.width_of(low);
        match (self.node(high), self.node(low)) {
            (Node::Const(h), Node::Const(l)) => self.value(Bits::new(h.unsigned() << l.width() | l.unsigned(), width)),
            (Node::Const(h), _) if h.is_zero() => self.zero_extend(low, width),
            (Node::Zext(h), _) => {
                let inner = self.concatenate(h, low);
                self.zero_extend(inner, width)
            }
            (Node::Extract(x, high_offset), Node::Extract(y, low_offset))
                if x == y && high_offset == low_offset + self.width_of(low) =>
            {
                self.extract_bits(x, low_offset, width)
            }
            // Right-leaning, so that neighbours meet.
            (Node::Concat(top, middle), _) => {
                let rest = self.concatenate(middle, low);
                self.concatenate_plain(top, rest)
            }
            _ => self.concatenate_plain(high, low),
        }
    }

    /// Joins `high` with the top part of `low` if they are neighbours in one term.
    fn concatenate_plain(&mut self, high: Term, low: Term) -> Term {
        let width = self.width_of(high) + self.width_of(low);
        if let (Node::Extract(x, high_offset), Node::Concat(top, rest)) = (self.node(high), self.node(low))
            && let Node::Extract(y, low_offset) = self.node(top)
            && x == y
            && high_offset == low_offset + self.width_of(top)
        {
            let joined = self.extract_bits(x, low_offset, self.width_of(high) + self.width_of(top));
            return self.concatenate(joined, rest);
        }
        self.intern(Node::Concat(high, low), width)
    }

    pub fn zero_extend(&mut self, a: Term, width: u32) -> Term {
        match self.node(a) {
            _ if self.width_of(a) == width => a,
            Node::Const(bits) => self.value(bits.zext_or_trunc(width)),
            Node::Zext(inner) => self.zero_extend(inner, width),
            _ => self.intern(Node::Zext(a), width),
        }
    }

    pub fn sign_extend(&mut self, a: Term, width: u32) -> Term {
        match self.node(a) {
            _ if self.width_of(a) == width => a,
            Node::Const(bits) => self.value(bits.sext_or_trunc(width)),
            Node::Sext(inner) => self.sign_extend(inner, width),
            Node::Zext(inner) => self.zero_extend(inner, width),
            _ => self.intern(Node::Sext(a), width),
        }
    }

    pub fn extract_bits(&mut self, a: Term, offset: u32, width: u32) -> Term {
        let whole = self.width_of(a);
        if offset == 0 && width == whole {
            return a;
        }
        match self.node(a) {
            Node::Const(bits) => self.value(bits.extract(offset, width)),
            Node::Extract(inner, deeper) => self.extract_bits(inner, offset + deeper, width),
            Node::Concat(high, low) => self.extract_of_concat(high, low, offset, width),
            Node::Zext(inner) | Node::Sext(inner) if offset + width <= self.width_of(inner) => {
                self.extract_bits(inner, offset, width)
            }
            Node::Zext(inner) => {
                let from = self.width_of(inner);
                if offset >= from {
                    return self.value(Bits::zero(width));
                }
                let low = self.extract_bits(inner, offset, from - offset);
                self.zero_extend(low, width)
            }
            Node::Sext(inner) => {
                let from = self.width_of(inner);
                let start = offset.min(from - 1);
                let low = self.extract_bits(inner, start, from - start);
                if self.width_of(low) >= width {
                    self.extract_bits(low, 0, width)
                } else {
                    self.sign_extend(low, width)
                }
            }
            Node::Ite(condition, x, y) => {
                let (x, y) = (self.extract_bits(x, offset, width), self.extract_bits(y, offset, width));
                self.if_then_else(condition, x, y)
            }
            Node::Not(inner) => {
                let part = self.extract_bits(inner, offset, width);
                self.complement(part)
            }
            Node::Binary(op @ (Op::And | Op::Or | Op::Xor), x, y) => {
                let (x, y) = (self.extract_bits(x, offset, width), self.extract_bits(y, offset, width));
                self.binary(op, x, y)
            }
            // Low bits of sums and products come from low bits alone.
            Node::Binary(op @ (Op::Add | Op::Sub | Op::Mul), x, y) if offset == 0 => {
                let (x, y) = (self.extract_bits(x, 0, width), self.extract_bits(y, 0, width));
                self.binary(op, x, y)
            }
            // So do those of a left shift, if the amount fits them.
            Node::Binary(Op::Shl, x, amount) if offset == 0 && self.amount_fits(amount, width) => {
                let (x, amount) = (self.extract_bits(x, 0, width), self.extract_bits(amount, 0, width));
                self.binary(Op::Shl, x, amount)
            }
            _ => self.intern(Node::Extract(a, offset), width),
        }
    }

    /// True if the amount has no set bits at or above `width`.
    fn amount_fits(&self, amount: Term, width: u32) -> bool {
        matches!(self.node(amount), Node::Zext(inner) if self.width_of(inner) <= width)
    }

    fn extract_of_concat(&mut self, high: Term, low: Term, offset: u32, width: u32) -> Term {
        let split = self.width_of(low);
        if offset >= split {
            return self.extract_bits(high, offset - split, width);
        }
        if offset + width <= split {
            return self.extract_bits(low, offset, width);
        }
        let lower = self.extract_bits(low, offset, split - offset);
        let upper = self.extract_bits(high, 0, offset + width - split);
        self.concatenate(upper, lower)
    }

    // Comparison and choice.

    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return self.truth(true);
        }
        let width = self.width_of(a);
        match (self.node(a), self.node(b)) {
            (Node::Const(_), Node::Const(_)) => self.truth(false),
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) if self.width_of(x) == self.width_of(y) => {
                self.equal(x, y)
            }
            (Node::Const(c), Node::Zext(x)) | (Node::Zext(x), Node::Const(c)) => {
                let inner = self.width_of(x);
                if c.zext_or_trunc(inner).zext_or_trunc(width) != c {
                    return self.truth(false);
                }
                let c = self.value(c.zext_or_trunc(inner));
                self.equal(x, c)
            }
            (Node::Const(c), _) if width == 1 => {
                if c.is_zero() {
                    self.complement(b)
                } else {
                    b
                }
            }
            (_, Node::Const(c)) if width == 1 => {
                if c.is_zero() {
                    self.complement(a)
                } else {
                    a
                }
            }
            // Pieces that are cut alike are equal one by one.
            (Node::Concat(h1, l1), Node::Concat(h2, l2)) if self.width_of(l1) == self.width_of(l2) => {
                let (high, low) = (self.equal(h1, h2), self.equal(l1, l2));
                self.binary(Op::And, high, low)
            }
            _ => self.intern(Node::Eq(a, b), 1),
        }
    }

    pub fn less(&mut self, a: Term, b: Term, signed: bool) -> Term {
        if a == b {
            return self.truth(false);
        }
        match (self.node(a), self.node(b)) {
            (Node::Const(x), Node::Const(y)) => {
                let holds = if signed { x.signed() < y.signed() } else { x.unsigned() < y.unsigned() };
                return self.truth(holds);
            }
            (Node::Zext(x), Node::Zext(y)) if self.width_of(x) == self.width_of(y) => return self.less(x, y, false),
            (Node::Sext(x), Node::Sext(y)) if self.width_of(x) == self.width_of(y) => return self.less(x, y, signed),
            (Node::Zext(x), Node::Const(c)) if !signed || c.signed() >= 0 => {
                let inner = self.width_of(x);
                if c.unsigned() >> inner.min(127) != 0 && inner < 128 {
                    return self.truth(true);
                }
                let c = self.value(c.zext_or_trunc(inner));
                return self.less(x, c, false);
            }
            (Node::Const(c), Node::Zext(x)) if !signed || c.signed() >= 0 => {
                let inner = self.width_of(x);
                if c.unsigned() >> inner.min(127) != 0 && inner < 128 {
                    return self.truth(false);
                }
                let c = self.value(c.zext_or_trunc(inner));
                return self.less(c, x, false);
            }
            _ => {}
        }
        if !signed {
            // Plain bounds decide most questions about shift amounts.
            if self.as_const(b).is_some_and(|bound| self.most(a, 6) < bound.unsigned()) {
                return self.truth(true);
            }
            if self.as_const(a).is_some_and(|bound| self.most(b, 6) <= bound.unsigned()) {
                return self.truth(false);
            }
        }
        if signed && self.as_const(b).is_some_and(Bits::is_zero) {
            return self.extract_bits(a, self.width_of(a) - 1, 1);
        }
        // Nothing is below zero, and nothing above all ones.
        let most = |term| self.as_const(term).is_some_and(|bits| bits == Bits::ones(bits.width()));
        if !signed && (self.as_const(b).is_some_and(Bits::is_zero) || most(a)) {
            return self.truth(false);
        }
        self.intern(if signed { Node::Slt(a, b) } else { Node::Ult(a, b) }, 1)
    }

    /// An upper bound, unsigned, found by looking `depth` operations deep.
    fn most(&self, term: Term, depth: u32) -> u128 {
        let whole = Bits::ones(self.width_of(term)).unsigned();
        if depth == 0 {
            return whole;
        }
        match self.node(term) {
            Node::Const(bits) => bits.unsigned(),
            Node::Zext(inner) => self.most(inner, depth - 1),
            Node::Binary(Op::Urem, _, by) => {
                self.as_const(by).map_or(whole, |by| by.unsigned().saturating_sub(1).min(whole))
            }
            Node::Binary(Op::And, a, b) => self.most(a, depth - 1).min(self.most(b, depth - 1)),
            Node::Binary(Op::Sub, from, what) => match self.as_const(from) {
                Some(from) if self.most(what, depth - 1) <= from.unsigned() => from.unsigned(),
                _ => whole,
            },
            Node::Ite(_, a, b) => self.most(a, depth - 1).max(self.most(b, depth - 1)),
            _ => whole,
        }
    }

    pub fn if_then_else(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if a == b || self.is_true(condition) {
            return a;
        }
        if self.is_false(condition) {
            return b;
        }
        if let Node::Not(inner) = self.node(condition) {
            return self.if_then_else(inner, b, a);
        }
        if self.width_of(a) == 1 {
            return self.choice_of_truths(condition, a, b);
        }
        // The same condition below is decided.
        if let Node::Ite(inner, x, _) = self.node(a)
            && inner == condition
        {
            return self.if_then_else(condition, x, b);
        }
        if let Node::Ite(inner, _, y) = self.node(b)
            && inner == condition
        {
            return self.if_then_else(condition, a, y);
        }
        let width = self.width_of(a);
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) if self.width_of(x) == self.width_of(y) => {
                let inner = self.if_then_else(condition, x, y);
                self.zero_extend(inner, width)
            }
            (Node::Const(x), Node::Const(y)) if x.unsigned() == 1 && y.is_zero() => self.zero_extend(condition, width),
            (Node::Const(x), Node::Const(y)) if y.unsigned() == 1 && x.is_zero() => {
                let not = self.complement(condition);
                self.zero_extend(not, width)
            }
            _ => self.intern(Node::Ite(condition, a, b), width),
        }
    }

    fn choice_of_truths(&mut self, condition: Term, a: Term, b: Term) -> Term {
        let not = self.complement(condition);
        let (first, second) = (self.binary(Op::And, condition, a), self.binary(Op::And, not, b));
        match (self.as_const(a), self.as_const(b)) {
            (Some(one), _) if !one.is_zero() => self.binary(Op::Or, condition, b),
            (_, Some(one)) if !one.is_zero() => self.binary(Op::Or, not, a),
            _ => self.binary(Op::Or, first, second),
        }
    }
}

/// A binary operation on constants, by the concrete domain.
fn fold(op: Op, a: Bits, b: Bits) -> Bits {
    let mut d = Concrete { choice: Choice::Zeros };
    concrete_binary(&mut d, op, &a, &b)
}

pub(super) fn concrete_binary(d: &mut Concrete, op: Op, a: &Bits, b: &Bits) -> Bits {
    match op {
        Op::Add => d.add(a, b),
        Op::Sub => d.sub(a, b),
        Op::Mul => d.mul(a, b),
        Op::Udiv => d.udiv(a, b),
        Op::Urem => d.urem(a, b),
        Op::Sdiv => d.sdiv(a, b),
        Op::Srem => d.srem(a, b),
        Op::And => d.and(a, b),
        Op::Or => d.or(a, b),
        Op::Xor => d.xor(a, b),
        Op::Shl => d.shl(a, b),
        Op::Lshr => d.lshr(a, b),
        Op::Ashr => d.ashr(a, b),
    }
}

impl Domain for Symbolic {
    type Bits = Term;
    type Bool = Term;

    fn width(&self, a: &Term) -> u32 {
        self.width_of(*a)
    }
    fn constant(&mut self, value: Bits) -> Term {
        self.value(value)
    }
    fn boolean(&mut self, value: bool) -> Term {
        self.truth(value)
    }
    fn choose(&mut self, width: u32) -> Term {
        let choice = self.variable(width);
        self.choices.push(choice);
        choice
    }
    fn add(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Add, *a, *b)
    }
    fn sub(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Sub, *a, *b)
    }
    fn mul(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Mul, *a, *b)
    }
    fn udiv(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Udiv, *a, *b)
    }
    fn urem(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Urem, *a, *b)
    }
    fn sdiv(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Sdiv, *a, *b)
    }
    fn srem(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Srem, *a, *b)
    }
    fn and(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::And, *a, *b)
    }
    fn or(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Or, *a, *b)
    }
    fn xor(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Xor, *a, *b)
    }
    fn not(&mut self, a: &Term) -> Term {
        self.complement(*a)
    }
    fn shl(&mut self, a: &Term, amount: &Term) -> Term {
        self.binary(Op::Shl, *a, *amount)
    }
    fn lshr(&mut self, a: &Term, amount: &Term) -> Term {
        self.binary(Op::Lshr, *a, *amount)
    }
    fn ashr(&mut self, a: &Term, amount: &Term) -> Term {
        self.binary(Op::Ashr, *a, *amount)
    }
    fn concat(&mut self, high: &Term, low: &Term) -> Term {
        self.concatenate(*high, *low)
    }
    fn extract(&mut self, a: &Term, offset: u32, width: u32) -> Term {
        self.extract_bits(*a, offset, width)
    }
    fn zext(&mut self, a: &Term, width: u32) -> Term {
        self.zero_extend(*a, width)
    }
    fn sext(&mut self, a: &Term, width: u32) -> Term {
        self.sign_extend(*a, width)
    }
    fn eq(&mut self, a: &Term, b: &Term) -> Term {
        self.equal(*a, *b)
    }
    fn ult(&mut self, a: &Term, b: &Term) -> Term {
        self.less(*a, *b, false)
    }
    fn slt(&mut self, a: &Term, b: &Term) -> Term {
        self.less(*a, *b, true)
    }
    fn ite(&mut self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.if_then_else(*condition, *a, *b)
    }
    fn bool_and(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::And, *a, *b)
    }
    fn bool_or(&mut self, a: &Term, b: &Term) -> Term {
        self.binary(Op::Or, *a, *b)
    }
    fn bool_not(&mut self, a: &Term) -> Term {
        self.complement(*a)
    }
    fn bool_ite(&mut self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.if_then_else(*condition, *a, *b)
    }
}
