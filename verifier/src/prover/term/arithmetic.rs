//! Arithmetic and bitwise logic, folded and normalised.

use super::{Node, Op, Symbolic, Term, fold};
use tribunal_ir::bits::Bits;

impl Symbolic {
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
        for (shifted, plain) in [(a, b), (b, a)] {
            if let Some(bits) = self.shift_of(shifted, plain) {
                let factor = self.value(Bits::one_bit(bits, width).add(Bits::new(1, width)));
                return Some(self.binary(Op::Mul, plain, factor));
            }
        }
        let (mut terms, mut constant) = (Vec::new(), Bits::zero(width));
        for term in [a, b] {
            self.summands(term, &mut terms, &mut constant);
        }
        while let Some((difference, given, rest)) = self.given_back(&terms) {
            terms.remove(difference.max(given));
            terms.remove(difference.min(given));
            self.summands(rest, &mut terms, &mut constant);
        }
        if let ([chain], false) = (terms.as_slice(), constant.is_zero())
            && let Some(sum) = self.chain_of_constants(*chain, |value| fold(Op::Add, value, constant))
        {
            return Some(sum);
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

    /// The number of bits by which one term is another, which is no constant, shifted to the left.
    fn shift_of(&mut self, shifted: Term, plain: Term) -> Option<u32> {
        let Node::Concat(high, low) = self.node(shifted) else { return None };
        let is_shift = self.as_const(low).is_some_and(Bits::is_zero) && self.as_const(plain).is_none();
        let kept = self.width_of(high);
        (is_shift && self.extract_bits(plain, 0, kept) == high).then(|| self.width_of(low))
    }

    /// The place of a difference, that of what it takes away, and what the two come to: the high part of an address and
    /// its low part are the address.
    fn given_back(&self, terms: &[Term]) -> Option<(usize, usize, Term)> {
        terms.iter().enumerate().find_map(|(place, &term)| match self.node(term) {
            Node::Binary(Op::Sub, rest, taken) => {
                let given = terms.iter().position(|&other| other == taken)?;
                Some((place, given, rest))
            }
            _ => None,
        })
    }

    /// The product by a constant that is no product any more.
    fn product_by(&mut self, factor: Bits, other: Term) -> Option<Term> {
        match factor {
            _ if factor.is_zero() => Some(self.value(factor)),
            _ if factor == Bits::new(1, factor.width()) => Some(other),
            _ => sparse(factor).map(|digits| self.sparse_product(other, &digits)),
        }
    }

    /// The product with a number of these signed digits.
    fn sparse_product(&mut self, factor: Term, digits: &[(u32, bool)]) -> Term {
        let width = self.width_of(factor);
        let zero = self.value(Bits::zero(width));
        digits.iter().fold(zero, |sum, &(place, negative)| {
            let shifted = match place {
                0 => factor,
                _ => {
                    let (low, zeros) = (self.extract_bits(factor, 0, width - place), self.value(Bits::zero(place)));
                    self.concatenate(low, zeros)
                }
            };
            self.binary(if negative { Op::Sub } else { Op::Add }, sum, shifted)
        })
    }

    /// The condition of `sext s1`.
    fn spread_truth(&self, term: Term) -> Option<Term> {
        match self.node(term) {
            Node::Sext(inner) if self.width_of(inner) == 1 => Some(inner),
            _ => None,
        }
    }

    /// The summands of a sum, in order, and its constant.
    pub(in crate::prover) fn flat_sum(&self, term: Term) -> (Vec<Term>, Bits) {
        let (mut terms, mut constant) = (Vec::new(), Bits::zero(self.width_of(term)));
        self.summands(term, &mut terms, &mut constant);
        terms.sort_unstable();
        (terms, constant)
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
        if let Some(constant) = self.as_const(b) {
            let negated = self.value(fold(Op::Sub, Bits::zero(width), constant));
            return Some(self.binary(Op::Add, a, negated));
        }
        if let Some(bits) = self.shift_of(a, b) {
            let factor = self.value(Bits::one_bit(bits, width).sub(Bits::new(1, width)));
            return Some(self.binary(Op::Mul, b, factor));
        }
        if let Some(remainder) = self.left_by_quotient(a, b) {
            return Some(remainder);
        }
        match (self.node(a), self.node(b)) {
            // All that is taken away from a constant is taken away at once.
            (Node::Binary(Op::Sub, from, taken), _) if self.as_const(from).is_some() => {
                let taken = self.binary(Op::Add, taken, b);
                Some(self.binary(Op::Sub, from, taken))
            }
            (Node::Zext(one), Node::Zext(other)) if self.exclude_each_other(one, other) => {
                let (one, minus_one) = (self.zero_extend(one, width), self.value(Bits::ones(width)));
                Some(self.if_then_else(other, minus_one, one))
            }
            _ => None,
        }
    }

    /// The remainder of two extended numbers, if `taken` is their quotient times the second. It is an extended number.
    fn left_by_quotient(&mut self, number: Term, taken: Term) -> Option<Term> {
        let Node::Binary(Op::Mul, one, other) = self.node(taken) else { return None };
        for (quotient, by) in [(one, other), (other, one)] {
            for (division, remainder, is_signed) in [(Op::Udiv, Op::Urem, false), (Op::Sdiv, Op::Srem, true)] {
                let is_extended = self.as_const(by).is_none() && self.narrowed(number, by, is_signed).is_some();
                if is_extended && self.binary(division, number, by) == quotient {
                    return Some(self.binary(remainder, number, by));
                }
            }
        }
        None
    }

    /// Multiplication of more bits than a limb has is put together from products of limbs: a ring identity. The full
    /// product of two limbs stays one term, so that a recipe's low and high products are its parts.
    fn product(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        for (x, y) in [(a, b), (b, a)] {
            if let Some(product) = self.as_const(x).and_then(|factor| self.product_by(factor, y)) {
                return Some(product);
            }
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        for (x, y) in [(a, b), (b, a)] {
            // A truth value spread over all bits is 0 or -1.
            if let Some(condition) = self.spread_truth(x) {
                let zero = self.value(Bits::zero(width));
                let negated = self.binary(Op::Sub, zero, y);
                return Some(self.if_then_else(condition, negated, zero));
            }
        }
        let limb = self.limb.bits();
        let narrow = self.is_within(a, limb) && self.is_within(b, limb);
        // The full product of two limbs by a constant: its high part may be a quotient.
        let is_multiple = width == 2 * limb && [a, b].into_iter().any(|factor| self.as_const(factor).is_some());
        if (width > 2 * limb || is_multiple)
            && let Some(product) = self.signed_product(a, b)
        {
            return Some(product);
        }
        if is_multiple && narrow {
            return Some(self.intern(Node::Binary(Op::Mul, a, b), width));
        }
        for (x, y) in [(a, b), (b, a)] {
            // Zeros below go below the product.
            let zeros = self.low_zeros(x);
            if zeros > 0 && zeros < width {
                let (x, y) = (self.extract_bits(x, zeros, width - zeros), self.extract_bits(y, 0, width - zeros));
                let product = self.binary(Op::Mul, x, y);
                let below = self.value(Bits::zero(zeros));
                return Some(self.concatenate(product, below));
            }
        }
        // No wider than the product can be.
        let used = self.most(a, 4).used() + self.most(b, 4).used();
        if used < width && width > 2 * limb {
            let used = used.max(2 * limb);
            let (x, y) = (self.extract_bits(a, 0, used), self.extract_bits(b, 0, used));
            let product = self.binary(Op::Mul, x, y);
            return Some(self.zero_extend(product, width));
        }
        if width <= limb || (width == 2 * limb && narrow) {
            return Some(self.intern(Node::Binary(Op::Mul, a, b), width));
        }
        let (a0, b0) = (self.extract_bits(a, 0, limb), self.extract_bits(b, 0, limb));
        let full = self.full_product(a0, b0);
        if narrow && width > 2 * limb {
            return Some(self.zero_extend(full, width));
        }
        let rest = width - limb;
        let (a1, b1) = (self.extract_bits(a, limb, rest), self.extract_bits(b, limb, rest));
        let (low, carried) = (self.extract_bits(full, 0, limb), self.extract_bits(full, limb, rest.min(limb)));
        let carried = self.zero_extend(carried, rest);
        let resized = |this: &mut Self, term| match rest < limb {
            true => this.extract_bits(term, 0, rest),
            false => this.zero_extend(term, rest),
        };
        let (a0, b0) = (resized(self, a0), resized(self, b0));
        let (cross1, cross2) = (self.binary(Op::Mul, a1, b0), self.binary(Op::Mul, a0, b1));
        let sum = self.binary(Op::Add, cross1, cross2);
        let high = self.binary(Op::Add, carried, sum);
        // The product of both upper parts begins at twice the limb.
        let upper = match rest > limb {
            true => {
                let above = rest - limb;
                let (a1, b1) = (self.extract_bits(a1, 0, above), self.extract_bits(b1, 0, above));
                let product = self.binary(Op::Mul, a1, b1);
                let zeros = self.value(Bits::zero(limb));
                let product = self.concatenate(product, zeros);
                self.binary(Op::Add, high, product)
            }
            false => high,
        };
        Some(self.concatenate(upper, low))
    }

    /// The product of a sign-extended factor: that of the zero-extended one, less the other factor above it if it is
    /// negative.
    fn signed_product(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        for (x, y) in [(a, b), (b, a)] {
            let Node::Sext(inner) = self.node(x) else { continue };
            let from = self.width_of(inner);
            let (plain, sign) = (self.zero_extend(inner, width), self.extract_bits(inner, from - 1, 1));
            let (above, below) = (self.extract_bits(y, 0, width - from), self.value(Bits::zero(from)));
            let (above, zero) = (self.concatenate(above, below), self.value(Bits::zero(width)));
            let less = self.if_then_else(sign, above, zero);
            let product = self.binary(Op::Mul, plain, y);
            return Some(self.binary(Op::Sub, product, less));
        }
        None
    }

    /// The number of the lowest bits that are plainly zero.
    pub(super) fn low_zeros(&self, term: Term) -> u32 {
        match self.node(term) {
            Node::Const(bits) => bits.trailing_zeros(),
            Node::Zext(inner) | Node::Sext(inner) => self.low_zeros(inner),
            Node::Concat(_, low) if self.as_const(low).is_some_and(Bits::is_zero) => self.width_of(low),
            Node::Ite(_, a, b) => self.low_zeros(a).min(self.low_zeros(b)),
            _ => 0,
        }
    }

    /// All bits of the product.
    fn full_product(&mut self, a: Term, b: Term) -> Term {
        let width = 2 * self.width_of(a);
        let (a, b) = (self.zero_extend(a, width), self.zero_extend(b, width));
        self.binary(Op::Mul, a, b)
    }

    /// True if only the low `bits` bits may be set, as far as the term shows.
    fn is_within(&self, term: Term, bits: u32) -> bool {
        match self.node(term) {
            Node::Zext(inner) => self.width_of(inner) <= bits,
            Node::Const(value) => value.lshr(bits).is_zero(),
            _ => false,
        }
    }

    fn logic(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width_of(a);
        if a == b {
            return Some(if op == Op::Xor { self.value(Bits::zero(width)) } else { a });
        }
        if let (Op::Xor, Some(rest)) = (op, self.inverted_twice(a, b)) {
            return Some(rest);
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
                    let ones = bits.trailing_ones();
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
        } else {
            for (spread, other) in [(a, b), (b, a)] {
                if let Some(condition) = self.spread_truth(spread) {
                    let (with, without) = match op {
                        Op::And => (other, self.value(Bits::zero(width))),
                        Op::Or => (self.value(Bits::ones(width)), other),
                        _ => (self.complement(other), other),
                    };
                    return Some(self.if_then_else(condition, with, without));
                }
            }
        }
        if let Some(split) = self.logic_by_parts(op, a, b) {
            return Some(split);
        }
        Some(self.intern(Node::Binary(op, a, b), width))
    }

    /// What is left of an exclusive or with one of its own operands.
    fn inverted_twice(&self, a: Term, b: Term) -> Option<Term> {
        [(a, b), (b, a)].into_iter().find_map(|(inner, outer)| match self.node(inner) {
            Node::Binary(Op::Xor, x, y) if y == outer => Some(x),
            Node::Binary(Op::Xor, x, y) if x == outer => Some(y),
            _ => None,
        })
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
            // Of an extended value: the narrow shift, extended. An amount beyond the narrow width shifts all out either
            // way.
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

    /// A remainder by a variable is the dividend less quotient times divisor. That holds for a zero divisor too, and
    /// for the quotient that overflows.
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

    /// The division of zero-extended operands: the narrow operation, zero-extended; a zero divisor gives all ones at
    /// either width.
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

    /// The division of sign-extended operands: the narrow operation, sign-extended, but for the one quotient that
    /// overflows there.
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

    /// Both operands as extensions from one width; the second may be a constant that is one.
    fn narrowed(&mut self, a: Term, b: Term, signed: bool) -> Option<(Term, Term)> {
        let inner = |this: &Self, term: Term| match this.node(term) {
            Node::Zext(x) if !signed => Some(x),
            Node::Sext(x) if signed => Some(x),
            _ => None,
        };
        let x = inner(self, a)?;
        let (from, width) = (self.width_of(x), self.width_of(a));
        if let Some(constant) = self.as_const(b) {
            let low = constant.zext_or_trunc(from);
            let extended = if signed { low.sext_or_trunc(width) } else { low.zext_or_trunc(width) };
            return (extended == constant).then(|| (x, self.value(low)));
        }
        let y = inner(self, b)?;
        (self.width_of(y) == from).then_some((x, y))
    }

    pub fn complement(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Const(bits) => self.value(bits.not()),
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
}

/// The most digits of a factor whose product is a sum, and the least distance of the first and the last. Between them
/// are runs of ones, as in the multipliers that divide by a power of two; z3 would add each of those ones.
const DIGITS: usize = 4;
const DISTANCE: u32 = 16;

/// The digits of an odd negative number that has few of them, far apart. Products by positive ones are whole for the
/// quotients.
fn sparse(factor: Bits) -> Option<Vec<(u32, bool)>> {
    let digits = signed_digits(factor);
    let last = digits.last().filter(|(place, negative)| *negative && *place >= DISTANCE);
    (last.is_some() && digits.len() <= DIGITS && factor.bit(0)).then_some(digits)
}

/// Places of the digits that are not zero, lowest first, and whether they are -1, modulo two to the width (Reitwieser's
/// non-adjacent form).
pub(super) fn signed_digits(number: Bits) -> Vec<(u32, bool)> {
    let (width, one) = (number.width(), Bits::new(1, number.width()));
    let (mut rest, mut place, mut digits) = (number, 0, Vec::new());
    while !rest.is_zero() {
        let zeros = rest.trailing_zeros();
        (rest, place) = (rest.lshr(zeros), place + zeros);
        if place >= width {
            break;
        }
        let negative = rest.trailing_ones() > 1;
        digits.push((place, negative));
        rest = if negative { rest.add(one) } else { rest.sub(one) };
    }
    digits
}
