//! Hash-consed bit-vector terms: the symbolic domain.
//!
//! Terms are folded and normalised as they are built, by identities that hold for all values of all widths involved, so
//! that many obligations end as one term equal to itself. A truth value is a term of one bit. The identities are
//! trusted; `tests.rs` compares them with the concrete domain on random programs.

mod arithmetic;
mod comparison;
mod objects;
mod structure;
#[cfg(test)]
mod tests;

pub use objects::FrameObject;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use tribunal_ir::bits::{Bits, MAX_BITS};
use tribunal_ir::semantics::float::{FLAG_BITS, FloatResult, RoundedOperation};
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

/// The kinds of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const(Bits),
    /// An unconstrained variable: its number.
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
    /// The contents of a memory at an address: one unit (a byte, or a flag).
    Select(MemTerm, Term),
    /// An operation of floating point that rounds: the number above the flags. No engine but evaluation looks into it.
    Rounded(RoundedTerm),
}

/// An operation that rounds, on operands: an index into the graph's applications.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RoundedTerm(u32);

/// A memory: an index into the graph's memories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MemTerm(pub(super) u32);

/// The kinds of memories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemNode {
    /// Initial contents: which memory, and bits a unit.
    Initial(u32, u32),
    /// One unit written.
    Store(MemTerm, Term, Term),
}

/// The mode and the numbers of an operation that rounds.
type Operands = SmallVec<[Term; 4]>;

/// The graph, and the domain that builds it.
#[derive(Default)]
pub struct Symbolic {
    nodes: Vec<(Node, u32)>,
    index: FxHashMap<(Node, u32), Term>,
    pub(super) memories: Vec<MemNode>,
    memory_index: FxHashMap<MemNode, MemTerm>,
    applications: Vec<(RoundedOperation, Operands)>,
    application_index: FxHashMap<(RoundedOperation, Operands), RoundedTerm>,
    /// Bits of operations, as they were made: the term, the first bit and their number.
    extracts: FxHashMap<(Term, u32, u32), Term>,
    /// The objects of a frame, by the variables that are their addresses.
    objects: FxHashMap<Term, FrameObject>,
    /// Conditions under which two ranges of addresses overlap and are not the same.
    overlaps: FxHashMap<Term, RangePair>,
    /// Ranges of which it was asked whether they are of one object.
    spans: Vec<Span>,
    /// Variables that stand for nondeterministic choices, in the order in which they were made.
    pub choices: Vec<Term>,
    /// The values of the next choices, each in the choice's low bits; the next one last.
    pub offered: Vec<Term>,
    variables: u32,
    /// The limb width of products.
    limb: Limb,
}

/// Two ranges of equally many addresses, by their first ones.
#[derive(Clone, Copy, Debug)]
pub struct RangePair {
    pub one: Term,
    pub other: Term,
    pub bytes: u32,
}

/// A range of addresses, which is of one object unless one of two conditions holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// It goes beyond the last address.
    pub wraps: Term,
    /// It goes beyond the upper bound of its first address.
    pub beyond: Term,
    pub start: Term,
    pub bytes: u32,
}

/// The widest factors whose product stays one term.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limb {
    Bits32,
    #[default]
    Bits64,
    Bits128,
    Bits256,
}

impl Limb {
    fn bits(self) -> u32 {
        match self {
            Limb::Bits32 => 32,
            Limb::Bits64 => 64,
            Limb::Bits128 => 128,
            Limb::Bits256 => 256,
        }
    }
}

impl Symbolic {
    pub fn with_limb(limb: Limb) -> Symbolic {
        Symbolic { limb, ..Symbolic::default() }
    }

    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.0 as usize].0
    }

    pub fn width_of(&self, term: Term) -> u32 {
        self.nodes[term.0 as usize].1
    }

    /// The number of terms; each term's number is below it.
    pub fn bound(&self) -> usize {
        self.nodes.len()
    }

    /// All terms, older ones first.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    fn intern(&mut self, node: Node, width: u32) -> Term {
        debug_assert!((1..=MAX_BITS).contains(&width), "{node:?} of {width} bits");
        *self.index.entry((node, width)).or_insert_with(|| {
            self.nodes.push((node, width));
            Term(self.nodes.len() as u32 - 1)
        })
    }

    /// A new unconstrained variable.
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

    /// The operation and the operands of an application.
    pub fn application(&self, application: RoundedTerm) -> (RoundedOperation, &[Term]) {
        let (operation, operands) = &self.applications[application.0 as usize];
        (*operation, operands)
    }

    /// The number and the flags of an operation that rounds: of constants by its definition, of others a term of their
    /// own. Numbers that may change places stand in one order.
    pub fn round(&mut self, operation: RoundedOperation, operands: &[Term]) -> Term {
        let constants: Option<SmallVec<[Bits; 4]>> = operands.iter().map(|&operand| self.as_const(operand)).collect();
        // Another library has other digits.
        if let Some(constants) = constants.filter(|_| !operation.is_elementary()) {
            return self.value(rounded(operation, &constants));
        }
        let mut operands = Operands::from_slice(operands);
        if operation.is_product()
            && let [_, one, other, ..] = operands.as_mut_slice()
        {
            self.one_sign(one, other);
        }
        if let Some(numbers) = operands.get_mut(1..3).filter(|_| operation.is_commutative()) {
            numbers.sort_unstable();
        }
        let key = (operation, operands);
        let application = *self.application_index.entry(key.clone()).or_insert_with(|| {
            self.applications.push(key);
            RoundedTerm(self.applications.len() as u32 - 1)
        });
        self.intern(Node::Rounded(application), operation.format().bits() + FLAG_BITS)
    }

    /// The sign of a product, or of a quotient, on one operand: the other is without the change of its sign, and two
    /// changes are none.
    fn one_sign(&mut self, one: &mut Term, other: &mut Term) {
        let mut without = |term: Term| {
            let mask = self.value(Bits::signed_min(self.width_of(term)));
            let changed = self.binary(Op::Xor, term, mask);
            // Of a term and the same with another sign, the older one is the plain one.
            (changed.min(term), changed.max(term), changed < term)
        };
        let ((plain, changed, is_changed), (other_plain, _, other_is_changed)) = (without(*one), without(*other));
        *other = other_plain;
        *one = if is_changed != other_is_changed { changed } else { plain };
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
        let mut memory = memory;
        // Writes that may be to this address, the latest first.
        let mut writes: Vec<(Term, Term)> = Vec::new();
        let mut value = loop {
            match self.memories[memory.0 as usize] {
                MemNode::Initial(_, bits) => break self.intern(Node::Select(memory, address), bits),
                MemNode::Store(older, written, value) => match self.same_address(written, address) {
                    Some(true) => break value,
                    Some(false) => memory = older,
                    None => {
                        writes.push((written, value));
                        memory = older;
                    }
                },
            }
        };
        for (written, other) in writes.into_iter().rev() {
            let same = self.equal(written, address);
            value = self.if_then_else(same, other, value);
        }
        value
    }

    /// Whether two addresses are equal, if that is plain.
    pub(super) fn same_address(&self, a: Term, b: Term) -> Option<bool> {
        let ((a_base, a_offset), (b_base, b_offset)) = (self.base_and_offset(a), self.base_and_offset(b));
        match a_base == b_base {
            true => Some(a_offset == b_offset),
            false if self.are_apart(a, b) => Some(false),
            false => None,
        }
    }

    /// The number of a memory before any store.
    pub(super) fn initial_number(&self, memory: MemTerm) -> Option<u32> {
        match self.memories[memory.0 as usize] {
            MemNode::Initial(number, _) => Some(number),
            MemNode::Store(..) => None,
        }
    }

    /// Says that the condition holds where the ranges overlap and are not the same.
    pub(super) fn note_overlap(&mut self, condition: Term, ranges: RangePair) {
        self.overlaps.insert(condition, ranges);
    }

    /// The ranges that overlap, and are not the same, where the condition holds.
    pub(super) fn overlap(&self, condition: Term) -> Option<RangePair> {
        self.overlaps.get(&condition).copied()
    }

    /// Keeps a range for `spans`.
    pub(super) fn note_span(&mut self, span: Span) {
        if !self.spans.contains(&span) {
            self.spans.push(span);
        }
    }

    /// The ranges of which it was asked whether they are of one object.
    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The distance of `address` above `base`, if it is a constant.
    pub(super) fn distance(&self, base: Term, address: Term) -> Option<Bits> {
        let ((base, from), (other, to)) = (self.base_and_offset(base), self.base_and_offset(address));
        let zero = Bits::zero(self.width_of(address));
        (base == other).then(|| to.unwrap_or(zero).sub(from.unwrap_or(zero)))
    }

    /// An address as base and constant, modulo its width.
    fn base_and_offset(&self, address: Term) -> (Option<Term>, Option<Bits>) {
        match self.node(address) {
            Node::Const(bits) => (None, Some(bits)),
            Node::Binary(Op::Add, base, offset) => match self.as_const(offset) {
                Some(offset) => (Some(base), Some(offset)),
                None => (Some(address), None),
            },
            _ => (Some(address), None),
        }
    }
}

/// The number above the flags, by the concrete domain.
pub(super) fn rounded(operation: RoundedOperation, operands: &[Bits]) -> Bits {
    let FloatResult { bits, flags } = Concrete { choice: Choice::Zeros }.rounded(operation, operands);
    bits.concat(flags)
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
    fn known(&self, a: &Term) -> Option<Bits> {
        match self.node(*a) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }
    fn choose(&mut self, width: u32) -> Term {
        let offered = self.offered.pop().filter(|&offered| self.width_of(offered) <= width);
        let choice = match offered {
            Some(low) if self.width_of(low) == width => low,
            Some(low) => {
                let above = self.variable(width - self.width_of(low));
                self.concatenate(above, low)
            }
            None => self.variable(width),
        };
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
    fn rounded(&mut self, operation: RoundedOperation, args: &[Term]) -> FloatResult<Term> {
        let whole = self.round(operation, args);
        let bits = self.extract_bits(whole, FLAG_BITS, operation.format().bits());
        FloatResult { bits, flags: self.extract_bits(whole, 0, FLAG_BITS) }
    }
}
