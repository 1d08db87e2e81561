//! Concatenation, extension and extraction: the operations that split and join bits.

use super::{Node, Op, Symbolic, Term};
use tribunal_ir::bits::Bits;

impl Symbolic {
    pub fn concatenate(&mut self, high: Term, low: Term) -> Term {
        let width = self.width_of(high) + self.width_of(low);
        match (self.node(high), self.node(low)) {
            (Node::Const(h), Node::Const(l)) => self.value(h.concat(l)),
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
            (Node::Sext(h), _) => {
                let inner = self.concatenate(h, low);
                self.sign_extend(inner, width)
            }
            (_, Node::Sext(inner)) if self.is_sign(high, inner) => self.sign_extend(low, width),
            _ if self.is_sign(high, low) => self.sign_extend(low, width),
            // Right-leaning, so that neighbours meet.
            (Node::Concat(top, middle), _) => {
                let rest = self.concatenate(middle, low);
                self.concatenate_plain(top, rest)
            }
            _ => self.concatenate_plain(high, low),
        }
    }

    /// True if `bit` is the sign of the other term.
    fn is_sign(&mut self, bit: Term, of: Term) -> bool {
        self.width_of(bit) == 1 && self.extract_bits(of, self.width_of(of) - 1, 1) == bit
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
            // These distribute over operands that terms share: without a memory, the work doubles with each level.
            Node::Ite(..) | Node::Not(_) | Node::Binary(..) => match self.extracts.get(&(a, offset, width)) {
                Some(&known) => known,
                None => {
                    let part = self.distributed(a, offset, width);
                    self.extracts.insert((a, offset, width), part);
                    part
                }
            },
            Node::Concat(high, low) => self.extract_of_concat(high, low, offset, width),
            Node::Var(_) if offset < self.aligned_bits(a) => {
                let zeros = (self.aligned_bits(a) - offset).min(width);
                let low = self.value(Bits::zero(zeros));
                if zeros == width {
                    return low;
                }
                let high = self.extract_bits(a, offset + zeros, width - zeros);
                self.concatenate(high, low)
            }
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
            _ => self.intern(Node::Extract(a, offset), width),
        }
    }

    /// Bits of an operation, as an operation on bits of its operands where that is possible.
    fn distributed(&mut self, a: Term, offset: u32, width: u32) -> Term {
        let whole = self.width_of(a);
        match self.node(a) {
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
            Node::Binary(Op::Add, ..) if offset == 1 && width + 1 == whole && self.averaged(a).is_some() => {
                self.average(a, width)
            }
            // Low bits of sums and products come from low bits alone.
            Node::Binary(op @ (Op::Add | Op::Sub | Op::Mul), x, y) if offset == 0 => {
                let (x, y) = (self.extract_bits(x, 0, width), self.extract_bits(y, 0, width));
                self.binary(op, x, y)
            }
            // Nothing is borrowed from below where nothing is taken away.
            Node::Binary(Op::Sub, x, y) if offset > 0 && self.low_zeros(y) >= offset => {
                let (x, y) = (self.extract_bits(x, offset, width), self.extract_bits(y, offset, width));
                self.binary(Op::Sub, x, y)
            }
            // And middle bits from the bits up to them; the product of two 64-bit halves stays whole.
            Node::Binary(op @ (Op::Add | Op::Sub | Op::Mul), ..)
                if offset + width < whole && (op != Op::Mul || whole <= self.limb.bits()) =>
            {
                let low = self.extract_bits(a, 0, offset + width);
                self.extract_bits(low, offset, width)
            }
            // So do those of a left shift, if the amount fits them.
            Node::Binary(Op::Shl, x, amount) if offset == 0 && self.amount_fits(amount, width) => {
                let (x, amount) = (self.extract_bits(x, 0, width), self.extract_bits(amount, 0, width));
                self.binary(Op::Shl, x, amount)
            }
            _ => self.intern(Node::Extract(a, offset), width),
        }
    }

    /// The two values of which a sum of one bit more is half the sum, whether they are signed, and whether it is
    /// rounded up.
    fn averaged(&self, sum: Term) -> Option<(Term, Term, bool, bool)> {
        let (terms, constant) = self.flat_sum(sum);
        let ([a, b], true) = (terms.as_slice(), constant.unsigned() <= 1) else { return None };
        let (x, y, signed) = match (self.node(*a), self.node(*b)) {
            (Node::Zext(x), Node::Zext(y)) => (x, y, false),
            (Node::Sext(x), Node::Sext(y)) => (x, y, true),
            _ => return None,
        };
        let inner = self.width_of(sum) - 1;
        (self.width_of(x) == inner && self.width_of(y) == inner).then(|| (x, y, signed, !constant.is_zero()))
    }

    /// Half the sum without the carry. x + y is twice their common bits plus the bits of one alone. It is also twice
    /// the bits of either less the bits of one alone (Warren, "Hacker's Delight", 2-5).
    fn average(&mut self, sum: Term, width: u32) -> Term {
        let Some((x, y, signed, up)) = self.averaged(sum) else { return self.intern(Node::Extract(sum, 1), width) };
        let (differ, one) = (self.binary(Op::Xor, x, y), self.value(Bits::new(1, width)));
        let half = self.binary(if signed { Op::Ashr } else { Op::Lshr }, differ, one);
        let common = self.binary(if up { Op::Or } else { Op::And }, x, y);
        self.binary(if up { Op::Sub } else { Op::Add }, common, half)
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
}
