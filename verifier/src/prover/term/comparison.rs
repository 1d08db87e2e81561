//! Comparison and selection (if-then-else).

use super::{Node, Op, Symbolic, Term};
use tribunal_ir::bits::Bits;

impl Symbolic {
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
            (Node::Concat(high, low), _) if self.is_put_together(b, high, low) => self.truth(true),
            (_, Node::Concat(high, low)) if self.is_put_together(a, high, low) => self.truth(true),
            _ if self.are_apart(a, b) => self.truth(false),
            _ => self.intern(Node::Eq(a, b), 1),
        }
    }

    /// True if the term equals `high` above `low`, made of parts of its operands and of a carry at most. Any other term
    /// stays whole, since the engines know it as such.
    fn is_put_together(&mut self, term: Term, high: Term, low: Term) -> bool {
        let (cut, above) = (self.width_of(low), self.width_of(high));
        let node = self.node(term);
        if !matches!(
            node,
            Node::Not(_) | Node::Ite(..) | Node::Binary(Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub, ..)
        ) || self.extract_bits(term, 0, cut) != low
        {
            return false;
        }
        let Node::Binary(op @ (Op::Add | Op::Sub), a, b) = node else {
            return self.extract_bits(term, cut, above) == high;
        };
        let [a_low, b_low] = [a, b].map(|operand| self.extract_bits(operand, 0, cut));
        let [a, b] = [a, b].map(|operand| self.extract_bits(operand, cut, above));
        let without = self.binary(op, a, b);
        // A sum that wraps is less than each of its operands.
        let carries = if op == Op::Add { [(low, a_low), (low, b_low)] } else { [(a_low, b_low); 2] };
        carries.into_iter().any(|(less, than)| {
            let carry = self.less(less, than, false);
            let carry = self.zero_extend(carry, above);
            self.binary(op, without, carry) == high
        })
    }

    pub fn less(&mut self, a: Term, b: Term, signed: bool) -> Term {
        if a == b {
            return self.truth(false);
        }
        match (self.node(a), self.node(b)) {
            (Node::Const(x), Node::Const(y)) => {
                let holds = if signed { x.cmp_signed(y).is_lt() } else { x.cmp_unsigned(y).is_lt() };
                return self.truth(holds);
            }
            (Node::Zext(x), Node::Zext(y)) if self.width_of(x) == self.width_of(y) => return self.less(x, y, false),
            (Node::Sext(x), Node::Sext(y)) if self.width_of(x) == self.width_of(y) => return self.less(x, y, signed),
            (Node::Zext(x), Node::Const(c)) if !signed || !c.is_negative() => {
                let inner = self.width_of(x);
                if !c.lshr(inner).is_zero() {
                    return self.truth(true);
                }
                let c = self.value(c.zext_or_trunc(inner));
                return self.less(x, c, false);
            }
            (Node::Const(c), Node::Zext(x)) if !signed || !c.is_negative() => {
                let inner = self.width_of(x);
                if !c.lshr(inner).is_zero() {
                    return self.truth(false);
                }
                let c = self.value(c.zext_or_trunc(inner));
                return self.less(c, x, false);
            }
            _ => {}
        }
        if !signed && let Some(holds) = self.order_in_object(a, b) {
            return self.truth(holds);
        }
        if !signed {
            // Plain bounds decide most questions about shift amounts.
            if self.as_const(b).is_some_and(|bound| self.most(a, 6).cmp_unsigned(bound).is_lt()) {
                return self.truth(true);
            }
            if self.as_const(a).is_some_and(|bound| self.most(b, 6).cmp_unsigned(bound).is_le()) {
                return self.truth(false);
            }
        }
        if signed && self.as_const(b).is_some_and(Bits::is_zero) {
            return self.extract_bits(a, self.width_of(a) - 1, 1);
        }
        if signed && let Some(less) = self.below_own_operand(a, b) {
            return less;
        }
        // Nothing is below zero, and nothing above all ones.
        let most = |term| self.as_const(term).is_some_and(|bits| bits == Bits::ones(bits.width()));
        if !signed && (self.as_const(b).is_some_and(Bits::is_zero) || most(a)) {
            return self.truth(false);
        }
        self.intern(if signed { Node::Slt(a, b) } else { Node::Ult(a, b) }, 1)
    }

    /// Whether a sum, or a difference, is less than its first operand, signed: the other one is negative, or positive.
    /// Where the result overflows it is on the other side.
    fn below_own_operand(&mut self, result: Term, operand: Term) -> Option<Term> {
        let (op, other) = match self.node(result) {
            Node::Binary(op @ (Op::Add | Op::Sub), x, y) if x == operand => (op, y),
            Node::Binary(Op::Add, x, y) if y == operand => (Op::Add, x),
            _ => return None,
        };
        let [own_sign, other_sign, result_sign] =
            [operand, other, result].map(|term| self.extract_bits(term, self.width_of(term) - 1, 1));
        let (differ, crossed) =
            (self.binary(Op::Xor, own_sign, other_sign), self.binary(Op::Xor, own_sign, result_sign));
        let (may_overflow, expected) = match op {
            Op::Add => (self.complement(differ), other_sign),
            _ => {
                let zero = self.value(Bits::zero(self.width_of(other)));
                (differ, self.less(zero, other, true))
            }
        };
        let overflows = self.binary(Op::And, may_overflow, crossed);
        Some(self.binary(Op::Xor, overflows, expected))
    }

    /// True if at most one of two truth values holds: each number is less than the other.
    pub(super) fn exclude_each_other(&self, one: Term, other: Term) -> bool {
        match (self.node(one), self.node(other)) {
            (Node::Ult(a, b), Node::Ult(c, d)) | (Node::Slt(a, b), Node::Slt(c, d)) => (a, b) == (d, c),
            _ => false,
        }
    }

    /// An upper bound, unsigned, found by looking `depth` operations deep.
    pub(in crate::prover) fn most(&self, term: Term, depth: u32) -> Bits {
        let width = self.width_of(term);
        let whole = Bits::ones(width);
        if depth == 0 {
            return whole;
        }
        let below = |term| self.most(term, depth - 1);
        let least = |a: Bits, b: Bits| if a.cmp_unsigned(b).is_lt() { a } else { b };
        match self.node(term) {
            Node::Const(bits) => bits,
            Node::Zext(inner) => below(inner).zext_or_trunc(width),
            Node::Concat(high, low) => below(high).concat(below(low)),
            // A remainder by zero is the dividend.
            Node::Binary(Op::Urem, _, by) => match self.as_const(by) {
                Some(by) if !by.is_zero() => by.sub(Bits::new(1, width)),
                _ => whole,
            },
            Node::Binary(Op::And, a, b) => least(below(a), below(b)),
            Node::Binary(Op::Add, a, b) => {
                let (a, b) = (below(a), below(b));
                let sum = a.add(b);
                // A sum that wraps is below its operands.
                if sum.cmp_unsigned(a).is_lt() { whole } else { sum }
            }
            Node::Binary(Op::Mul, a, b) => {
                let (a, b) = (below(a), below(b));
                if a.used() + b.used() <= width { a.mul(b) } else { whole }
            }
            Node::Extract(a, offset) => {
                let most = below(a).lshr(offset);
                if most.used() <= width { most.zext_or_trunc(width) } else { whole }
            }
            Node::Binary(Op::Sub, from, what) => match self.as_const(from) {
                Some(from) if below(what).cmp_unsigned(from).is_le() => from,
                _ => whole,
            },
            Node::Ite(_, a, b) => {
                let (a, b) = (below(a), below(b));
                if a.cmp_unsigned(b).is_lt() { b } else { a }
            }
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
        if let Some(other) = self.distance_from_below(condition, a, b) {
            return self.if_then_else(other, b, a);
        }
        if let Some(chain) = self.chain_of_bits(condition, a, b) {
            return chain;
        }
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

    /// For two differences x - y and y - x, selected by whether y is less than x: the condition x less than y. It
    /// selects them the other way round, which is the same, since both are zero where neither is less. It is returned
    /// only where x is the older term, so that one form is left.
    fn distance_from_below(&mut self, condition: Term, a: Term, b: Term) -> Option<Term> {
        let (y, x, signed) = match self.node(condition) {
            Node::Ult(y, x) => (y, x, false),
            Node::Slt(y, x) => (y, x, true),
            _ => return None,
        };
        let (Node::Binary(Op::Sub, p, q), Node::Binary(Op::Sub, r, s)) = (self.node(a), self.node(b)) else {
            return None;
        };
        let differences = (p, q) == (s, r) && ((p, q) == (x, y) || (p, q) == (y, x));
        (x < y && differences).then(|| self.less(x, y, signed))
    }

    /// One value where a number is zero, and a choice by its bits where it is not: the choice by its bits alone. Its
    /// last value is for a number without any.
    fn chain_of_bits(&mut self, is_zero: Term, zero: Term, not_zero: Term) -> Option<Term> {
        let number = match self.node(is_zero) {
            Node::Eq(x, y) if self.as_const(x).is_some_and(Bits::is_zero) => y,
            Node::Eq(x, y) if self.as_const(y).is_some_and(Bits::is_zero) => x,
            _ => return None,
        };
        let (whole, start) = match self.node(number) {
            Node::Extract(whole, offset) => (whole, offset),
            _ => (number, 0),
        };
        let (mut links, mut last, mut left) = (Vec::new(), not_zero, Bits::ones(self.width_of(number)));
        while !left.is_zero() {
            let Node::Ite(bit, value, rest) = self.node(last) else { return None };
            let Node::Extract(of, place) = self.node(bit) else { return None };
            let place = place.checked_sub(start).filter(|&place| of == whole && place < left.width())?;
            if self.width_of(bit) != 1 || !left.bit(place) {
                return None;
            }
            left = left.xor(Bits::new(1, left.width()).shl(place));
            links.push((bit, value));
            last = rest;
        }
        Some(links.into_iter().rev().fold(zero, |rest, (bit, value)| self.if_then_else(bit, value, rest)))
    }

    /// A chain of choices among constants, with `value` of each of them; `None` for any other term.
    pub(super) fn chain_of_constants(&mut self, term: Term, value: impl Fn(Bits) -> Bits) -> Option<Term> {
        let (mut links, mut last) = (Vec::new(), term);
        while let Node::Ite(condition, constant, rest) = self.node(last) {
            links.push((condition, self.as_const(constant)?));
            last = rest;
        }
        let last = self.as_const(last).filter(|_| !links.is_empty()).map(&value)?;
        let last = self.value(last);
        Some(links.into_iter().rev().fold(last, |rest, (condition, constant)| {
            let constant = self.value(value(constant));
            self.if_then_else(condition, constant, rest)
        }))
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
