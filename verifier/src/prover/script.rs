//! Questions as SMT-LIB 2 scripts, the form that every solver reads: terms of bit-vectors, and linear arithmetic.
//!
//! Each term is a `define-fun` of its own, so that text and parser are no deeper than one operation, and shared terms
//! are written once.

use super::evaluate::operands;
use super::memory::{BOUNDS, holds_bounds};
use super::term::{FrameObject, Node, Op, Symbolic, Term};
use rustc_hash::FxHashSet;
use std::borrow::Borrow;
use std::fmt::{self, Display, Write};
use std::ops::{Add, Mul, Sub};
use std::rc::Rc;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::float::RoundedOperation;

/// The question whether a truth value can be true, and the names of its free terms.
pub(super) struct Script {
    /// Declarations, definitions and assertions.
    pub text: String,
    /// Variables, reads of memory and results that round, by name.
    pub free: Vec<(String, Term)>,
}

impl Script {
    /// Whether `wrong` can be true. Each read of initial memory is a variable, and equal addresses imply equal values
    /// (Ackermann's reduction); likewise each result of an operation that rounds. No arrays and no functions are left,
    /// so a solver for bit-vectors alone can take the question.
    pub fn of_term(graph: &Symbolic, wrong: Term) -> Script {
        let mut writer =
            Writer { graph, text: String::new(), made: FxHashSet::default(), reads: Vec::new(), free: Vec::new() };
        writer.term(wrong);
        let _ = writeln!(writer.text, "(assert (= {} #b1))", writer.name(wrong));
        writer.same_address_same_contents();
        writer.same_operands_same_result();
        writer.objects_are_apart();
        writer.bounds_are_of_objects();
        Script { text: writer.text, free: writer.free }
    }
}

/// The script as a solver reads it from a file: logic, declarations, assertions, the question.
pub(super) fn file(text: &str) -> String {
    format!("(set-logic QF_BV)\n{}\n(check-sat)\n(exit)\n", text.trim_end())
}

struct Writer<'g> {
    graph: &'g Symbolic,
    text: String,
    made: FxHashSet<Term>,
    /// The terms that read initial memory, and those that round.
    reads: Vec<Term>,
    free: Vec<(String, Term)>,
}

impl Writer<'_> {
    /// Terms refer to older ones only, so pending ones fit a stack.
    fn term(&mut self, root: Term) {
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            let known = pending.len();
            if !self.made.contains(&top) {
                pending.extend(operands(self.graph, top).into_iter().filter(|operand| !self.made.contains(operand)));
            }
            if pending.len() == known {
                pending.pop();
                if self.made.insert(top) {
                    self.define(top);
                }
            }
        }
    }

    fn name(&self, term: Term) -> String {
        match self.graph.node(term) {
            Node::Const(bits) => constant(bits),
            Node::Var(number) => format!("v{number}"),
            Node::Select(..) => format!("m{}", term.0),
            Node::Rounded(_) => format!("r{}", term.0),
            _ => format!("t{}", term.0),
        }
    }

    fn define(&mut self, term: Term) {
        let (name, width) = (self.name(term), self.graph.width_of(term));
        let _ = match self.graph.node(term) {
            Node::Const(_) => Ok(()),
            Node::Var(_) | Node::Select(..) | Node::Rounded(_) => {
                if !matches!(self.graph.node(term), Node::Var(_)) {
                    self.reads.push(term);
                }
                self.free.push((name.clone(), term));
                writeln!(self.text, "(declare-fun {name} () (_ BitVec {width}))")
            }
            node => {
                let value = self.operation(node, width);
                writeln!(self.text, "(define-fun {name} () (_ BitVec {width}) {value})")
            }
        };
    }

    /// An operation on terms that have names.
    fn operation(&self, node: Node, width: u32) -> String {
        let of = |term: Term| self.name(term);
        let truth = |relation: &str, a, b| format!("(ite ({relation} {} {}) #b1 #b0)", of(a), of(b));
        let extended = |how: &str, a| format!("((_ {how} {}) {})", width - self.graph.width_of(a), of(a));
        match node {
            Node::Const(_) | Node::Var(_) | Node::Select(..) | Node::Rounded(_) => String::new(),
            Node::Binary(Op::Sdiv, a, b) => {
                let power = self.graph.as_const(b).and_then(|divisor| quotient_by_power(&of(a), divisor));
                power.unwrap_or_else(|| format!("(bvsdiv {} {})", of(a), of(b)))
            }
            Node::Binary(op, a, b) => format!("({} {} {})", binary(op), of(a), of(b)),
            Node::Not(a) => format!("(bvnot {})", of(a)),
            Node::Concat(high, low) => format!("(concat {} {})", of(high), of(low)),
            Node::Extract(a, offset) => format!("((_ extract {} {offset}) {})", offset + width - 1, of(a)),
            Node::Zext(a) => extended("zero_extend", a),
            Node::Sext(a) => extended("sign_extend", a),
            Node::Eq(a, b) => truth("=", a, b),
            Node::Ult(a, b) => truth("bvult", a, b),
            Node::Slt(a, b) => truth("bvslt", a, b),
            Node::Ite(condition, a, b) => format!("(ite (= {} #b1) {} {})", of(condition), of(a), of(b)),
        }
    }

    /// Asserts for each two reads of one memory that equal addresses hold equal contents, unless they are plainly
    /// distinct.
    fn same_address_same_contents(&mut self) {
        for (index, &one) in self.reads.iter().enumerate() {
            for &other in &self.reads[..index] {
                let (Node::Select(memory, a), Node::Select(other_memory, b)) =
                    (self.graph.node(one), self.graph.node(other))
                else {
                    continue;
                };
                if memory == other_memory
                    && !holds_bounds(self.graph, memory)
                    && self.graph.same_address(a, b) != Some(false)
                {
                    let [a, b, one, other] = [a, b, one, other].map(|term| self.name(term));
                    let _ = writeln!(self.text, "(assert (=> (= {a} {b}) (= {one} {other})))");
                }
            }
        }
    }
}

impl Writer<'_> {
    /// Asserts for each two applications of one operation that equal operands give equal results.
    fn same_operands_same_result(&mut self) {
        let applied = |term: Term| match self.graph.node(term) {
            Node::Rounded(application) => Some((term, self.graph.application(application))),
            _ => None,
        };
        let all: Vec<(Term, (RoundedOperation, &[Term]))> =
            self.reads.iter().filter_map(|&term| applied(term)).collect();
        let alike = |a: &[Term], b: &[Term]| {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.graph.width_of(a) == self.graph.width_of(b))
        };
        let mut text = String::new();
        for (index, (one, (operation, operands))) in all.iter().enumerate() {
            for (other, (_, others)) in
                all[..index].iter().filter(|(_, (own, others))| own == operation && alike(operands, others))
            {
                let equal = |(&a, &b): (&Term, &Term)| format!("(= {} {})", self.name(a), self.name(b));
                let same = operands.iter().zip(*others).map(equal).reduce(|all, next| format!("(and {all} {next})"));
                let (same, one, other) = (same.unwrap_or_default(), self.name(*one), self.name(*other));
                let _ = writeln!(text, "(assert (=> {same} (= {one} {other})))");
            }
        }
        self.text.push_str(&text);
    }
}

/// The bounds of objects.
impl Writer<'_> {
    fn assert(&mut self, fact: &str) {
        let _ = writeln!(self.text, "(assert {fact})");
    }

    /// The objects in a frame whose addresses are free, each with its bounds as expressions.
    fn frame_objects(&self) -> Vec<(Term, FrameObject, [String; 2])> {
        let objects = self.graph.frame_objects().into_iter().filter(|(address, _)| self.made.contains(address));
        let bounds = |(address, object): (Term, FrameObject)| {
            let (name, bytes) = (self.name(address), Bits::new(object.bytes.into(), self.graph.width_of(address)));
            (address, object, [name.clone(), format!("(bvadd {name} {})", constant(bytes))])
        };
        objects.map(bounds).collect()
    }

    /// Asserts that objects in a frame are aligned and lie apart, neither at address 0 nor at the end of the address
    /// space.
    fn objects_are_apart(&mut self) {
        let objects = self.frame_objects();
        for (index, (address, object, [start, end])) in objects.iter().enumerate() {
            let null = constant(Bits::zero(self.graph.width_of(*address)));
            self.assert(&format!("(bvult {null} {start})"));
            self.assert(&format!("(bvult {start} {end})"));
            let low = object.align.trailing_zeros();
            if low > 0 {
                self.assert(&format!("(= ((_ extract {} 0) {start}) {})", low - 1, constant(Bits::zero(low))));
            }
            for (.., [other, other_end]) in &objects[..index] {
                self.assert(&format!("(or (bvule {end} {other}) (bvule {other_end} {start}))"));
            }
        }
    }

    /// Asserts of the bounds of objects that an address lies within its own, that no object takes half of the address
    /// space, and that an address within the bounds of another one has the same bounds.
    fn bounds_are_of_objects(&mut self) {
        let is_bound = |term: &Term| match self.graph.node(*term) {
            Node::Select(memory, address) if holds_bounds(self.graph, memory) => Some(address),
            _ => None,
        };
        let mut addresses: Vec<Term> = self.reads.iter().filter_map(is_bound).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut objects: Vec<(String, [String; 2])> = Vec::new();
        for address in addresses {
            let bounds = BOUNDS.map(|number| {
                let bound = self.graph.bound_of_object(number, address);
                bound.inspect(|&bound| self.term(bound)).map(|bound| self.name(bound))
            });
            if let [Some(lower), Some(upper)] = bounds {
                let (name, size) = (self.name(address), self.graph.width_of(address));
                self.assert(&format!("(bvule {lower} {name})"));
                self.assert(&format!("(bvule {name} {upper})"));
                let most = constant(Bits::signed_min(size));
                self.assert(&format!("(bvult (bvsub {upper} {lower}) {most})"));
                self.assert(&format!("(bvult (bvsub {name} {lower}) {most})"));
                self.assert(&format!("(bvult (bvsub {upper} {name}) {most})"));
                objects.push((name, [lower, upper]));
            }
        }
        let frame = self.frame_objects().into_iter().map(|(.., bounds)| (bounds[0].clone(), bounds));
        let frame: Vec<(String, [String; 2])> = frame.collect();
        for (place, (address, [lower, upper])) in objects.iter().enumerate() {
            for (other, [other_lower, other_upper]) in objects[..place].iter().chain(&frame) {
                let same = format!("(and (= {lower} {other_lower}) (= {upper} {other_upper}))");
                self.assert(&format!("(=> (and (bvule {lower} {other}) (bvule {other} {upper})) {same})"));
                self.assert(&format!(
                    "(=> (and (bvule {other_lower} {address}) (bvule {address} {other_upper})) {same})"
                ));
            }
        }
    }
}

/// A literal in hexadecimal digits where they fit the width, otherwise in binary ones.
fn constant(bits: Bits) -> String {
    let (width, digits) = (bits.width(), bits.width() as usize / 4);
    match width.is_multiple_of(4) {
        true => format!("#x{bits:0digits$x}"),
        false => (0..width).rev().fold("#b".to_string(), |text, index| text + if bits.bit(index) { "1" } else { "0" }),
    }
}

/// The value of a literal of this width, as solvers print them.
pub(super) fn literal(text: &str, width: u32) -> Option<Bits> {
    let (digits, bits_a_digit) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 4),
        (_, Some(digits)) => (digits, 1),
        _ => return None,
    };
    let mut limbs = vec![0; (digits.len() * bits_a_digit as usize).div_ceil(64)];
    for (index, digit) in digits.chars().rev().enumerate() {
        let place = index * bits_a_digit as usize;
        limbs[place / 64] |= u64::from(digit.to_digit(1 << bits_a_digit)?) << (place % 64);
    }
    let value = Bits::from_limbs(|limb| limbs.get(limb).copied().unwrap_or(0), width);
    (digits.len() as u32 * bits_a_digit == width).then_some(value)
}

/// The signed quotient by a power of two: the dividend, made larger by one less than the divisor if it is negative, is
/// shifted (Warren, "Hacker's Delight", 10-1).
fn quotient_by_power(x: &str, divisor: Bits) -> Option<String> {
    let (width, bits) = (divisor.width(), divisor.trailing_zeros());
    let is_power = bits > 0 && bits + 1 < width && divisor.used() == bits + 1;
    let number = |value: u32| constant(Bits::new(value.into(), width));
    is_power.then(|| {
        let (sign, less, shift) = (number(width - 1), number(width - bits), number(bits));
        format!("(bvashr (bvadd {x} (bvlshr (bvashr {x} {sign}) {less})) {shift})")
    })
}

fn binary(op: Op) -> &'static str {
    match op {
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::Udiv => "bvudiv",
        Op::Urem => "bvurem",
        Op::Sdiv => "bvsdiv",
        Op::Srem => "bvsrem",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Shl => "bvshl",
        Op::Lshr => "bvlshr",
        Op::Ashr => "bvashr",
    }
}

/// Declarations and definitions of integers, in order.
#[derive(Default)]
pub(super) struct Integers {
    text: String,
    names: u32,
}

/// An integer, as an expression over the names of an [`Integers`].
#[derive(Clone)]
pub(super) struct Int(Rc<str>);

/// A truth value, likewise.
#[derive(Clone)]
pub(super) struct Bool(Rc<str>);

/// An expression of more characters gets a name, so that expressions made of it stay small.
const LONG: usize = 24;

impl Integers {
    /// A new unknown.
    pub fn fresh(&mut self) -> Int {
        self.names += 1;
        let name = format!("i{}", self.names);
        let _ = writeln!(self.text, "(declare-fun {name} () Int)");
        Int(name.into())
    }

    /// The same integer as an expression of few characters.
    pub fn named(&mut self, int: Int) -> Int {
        if int.0.len() <= LONG {
            return int;
        }
        self.names += 1;
        let name = format!("i{}", self.names);
        let _ = writeln!(self.text, "(define-fun {name} () Int {})", int.0);
        Int(name.into())
    }

    /// The question whether `condition` can hold where all of `facts` do.
    pub fn question(&self, condition: &Bool, facts: &[Bool]) -> String {
        let assertions = std::iter::once(condition).chain(facts).map(|fact| format!("(assert {})\n", fact.0));
        std::iter::once(self.text.clone()).chain(assertions).collect()
    }
}

/// `(operator a b)`.
fn applied<T: From<String>>(operator: &str, a: &str, b: &str) -> T {
    T::from(format!("({operator} {a} {b})"))
}

impl From<String> for Int {
    fn from(text: String) -> Int {
        Int(text.into())
    }
}

impl From<String> for Bool {
    fn from(text: String) -> Bool {
        Bool(text.into())
    }
}

impl Int {
    /// A numeral that is not negative.
    pub fn number(value: impl Display) -> Int {
        Int::from(value.to_string())
    }

    pub fn eq(&self, other: impl Borrow<Int>) -> Bool {
        applied("=", &self.0, &other.borrow().0)
    }

    pub fn lt(&self, other: impl Borrow<Int>) -> Bool {
        applied("<", &self.0, &other.borrow().0)
    }

    pub fn le(&self, other: impl Borrow<Int>) -> Bool {
        applied("<=", &self.0, &other.borrow().0)
    }

    pub fn ge(&self, other: impl Borrow<Int>) -> Bool {
        applied(">=", &self.0, &other.borrow().0)
    }
}

impl Bool {
    /// `then` where it holds, `otherwise` elsewhere.
    pub fn ite(&self, then: &Int, otherwise: &Int) -> Int {
        Int::from(format!("(ite {} {} {})", self.0, then.0, otherwise.0))
    }

    pub fn and(&self, other: &Bool) -> Bool {
        applied("and", &self.0, &other.0)
    }

    pub fn or(&self, other: &Bool) -> Bool {
        applied("or", &self.0, &other.0)
    }

    pub fn xor(&self, other: &Bool) -> Bool {
        applied("xor", &self.0, &other.0)
    }
}

/// Arithmetic on integers and references to them alike.
macro_rules! arithmetic {
    ($($trait:ident $method:ident $operator:literal),*) => {$(
        impl<T: Borrow<Int>> $trait<T> for Int {
            type Output = Int;
            fn $method(self, other: T) -> Int {
                applied($operator, &self.0, &other.borrow().0)
            }
        }

        impl<T: Borrow<Int>> $trait<T> for &Int {
            type Output = Int;
            fn $method(self, other: T) -> Int {
                applied($operator, &self.0, &other.borrow().0)
            }
        }
    )*};
}

arithmetic!(Add add "+", Sub sub "-", Mul mul "*");

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::solver::{Effort, Logic, ask};
    use super::super::worker::Said;
    use super::*;

    /// Whether two expressions over `x` are equal, by z3.
    fn equal(width: u32, one: &str, other: &str) -> bool {
        let differ = format!("(assert (= (ite (= {one} {other}) #b1 #b0) #b0))\n");
        let script = format!("(declare-fun x () (_ BitVec {width}))\n{differ}");
        ask(&script, Logic::BitVectors, Effort::STEP) == Said::Unsatisfiable
    }

    #[test]
    fn quotients_by_powers_are_quotients() {
        for width in [4, 7] {
            for value in 1..1u128 << width {
                let divisor = Bits::new(value, width);
                let division = format!("(bvsdiv x {})", constant(divisor));
                let is_right = quotient_by_power("x", divisor).map(|quotient| equal(width, &division, &quotient));
                let is_power = value > 1 && value.is_power_of_two() && value << 1 < 1 << width;
                assert_eq!(is_right, is_power.then_some(true), "{value}");
            }
        }
        assert!(!equal(7, "(bvsdiv x #b0000100)", "(bvashr x #b0000010)"));
    }
}
