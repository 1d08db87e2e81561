//! Terms to z3, under a resource limit that is the same on every machine, with a timeout as a watchdog.
//!
//! Each read of initial memory is a variable, and equal addresses imply equal values (Ackermann's reduction). No arrays
//! are left, so z3's solver for bit-vectors alone can take the question; it starts many times faster.

use super::evaluate::{Assignment, operands};
use super::term::{Node, Op, Symbolic, Term};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use tribunal_ir::bits::Bits;
use z3::ast::{BV, Bool};
use z3::{Params, SatResult, Solver};

/// The effort that z3 may spend on one question.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// In its own unit of work, the same on every machine.
    work: u32,
    /// The moment when it gives up whatever it counted, if that is before the watchdog's time is over.
    until: Option<Instant>,
}

impl Effort {
    /// For a step.
    pub const STEP: Effort = Effort::of(60_000_000);
    /// For one of many blocks of a function.
    pub const BLOCK: Effort = Effort::of(10_000_000);
    /// For a relation that may not hold.
    pub const RELATION: Effort = Effort::of(500_000);
    /// For one of many candidates.
    pub const FACT: Effort = Effort::of(200_000);

    const fn of(work: u32) -> Effort {
        Effort { work, until: None }
    }

    /// The same effort, ending at most `time` from now.
    pub fn within(self, time: Duration) -> Effort {
        let then = Instant::now().checked_add(time);
        Effort { until: self.until.map_or(then, |until| then.map(|then| then.min(until))), ..self }
    }

    /// The same with another limit on work.
    pub fn of_work(self, work: u32) -> Effort {
        Effort { work, ..self }
    }

    /// z3's parameters. Ctrl-C belongs to the program: z3 would take it as a reason to give up a question, and with
    /// several threads would keep the handler for good.
    pub fn params(self) -> Params {
        let left = |until: Instant| until.saturating_duration_since(Instant::now()).as_millis();
        let milliseconds = self.until.map_or(WATCHDOG, |until| u32::try_from(left(until)).unwrap_or(WATCHDOG));
        let mut params = Params::new();
        params.set_u32("rlimit", self.work);
        params.set_u32("timeout", milliseconds.clamp(1, WATCHDOG));
        params.set_bool("ctrl_c", false);
        params
    }

    /// Whether engines run that are slower than z3 on most questions.
    pub fn is_thorough(self) -> bool {
        self.work > Effort::FACT.work
    }

    /// Whether the question may be of a whole block, which sweeping can simplify first.
    pub fn sweeps(self) -> bool {
        self.work == Effort::BLOCK.work
    }
}

/// Milliseconds for any question.
const WATCHDOG: u32 = 60_000;

/// The solver's answer to a satisfiability question.
pub(super) enum Answer {
    Unsatisfiable,
    Satisfiable(Assignment),
    Unknown(String),
}

/// Whether the text of a question is kept for other solvers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Kept,
    Dropped,
}

/// Asks whether `wrong` can be true. Returns the answer, and the question as an SMT-LIB 2 script if it is to be kept.
pub(super) fn solve(graph: &Symbolic, wrong: Term, text: Text, effort: Effort) -> (Answer, Option<String>) {
    let mut translation = Translation { graph, made: FxHashMap::default(), reads: Vec::new() };
    let condition = translation.term(wrong);
    let solver = Solver::new_for_logic("QF_BV").unwrap_or_default();
    solver.set_params(&effort.params());
    solver.assert(condition.eq(BV::from_u64(1, 1)));
    translation.same_address_same_contents(|fact| solver.assert(fact));
    let script = (text == Text::Kept).then(|| script(&solver));
    let answer = match solver.check() {
        SatResult::Unsat => Answer::Unsatisfiable,
        SatResult::Unknown => {
            Answer::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_string()))
        }
        SatResult::Sat => match solver.get_model() {
            Some(model) => {
                let free = |term| matches!(graph.node(term), Node::Var(_) | Node::Select(..));
                let free = translation.made.iter().filter(|(term, _)| free(**term));
                let values = free.filter_map(|(&term, bv)| Some((term, bits(&model.eval(bv, true)?)?)));
                Answer::Satisfiable(Assignment { values: values.collect(), ..Assignment::default() })
            }
            None => Answer::Unknown("satisfiable without a model".to_string()),
        },
    };
    (answer, script)
}

/// The work that z3 has done on this thread, in its own unit.
pub(super) fn spent() -> u64 {
    match Solver::new().get_statistics().value("rlimit count") {
        Some(z3::StatisticsValue::UInt(count)) => count.into(),
        _ => 0,
    }
}

/// The solver's input in the form that every solver for bit-vectors reads: logic, declarations, assertions, the
/// question. z3 prints the middle part.
fn script(solver: &Solver) -> String {
    format!("(set-logic QF_BV)\n{}\n(check-sat)\n(exit)\n", solver.to_string().trim_end())
}

/// A literal's value, read by limbs.
fn bits(value: &BV) -> Option<Bits> {
    let width = value.get_size();
    if width <= 64 {
        return value.as_u64().map(|low| Bits::new(low.into(), width));
    }
    let limbs =
        (0..width.div_ceil(64)).map(|limb| value.extract((64 * limb + 63).min(width - 1), 64 * limb).simplify_u64());
    let limbs = limbs.collect::<Option<Vec<u64>>>()?;
    Some(Bits::from_limbs(|limb| limbs.get(limb).copied().unwrap_or(0), width))
}

trait SimplifyU64 {
    fn simplify_u64(&self) -> Option<u64>;
}

impl SimplifyU64 for BV {
    fn simplify_u64(&self) -> Option<u64> {
        use z3::ast::Ast;
        self.simplify().as_u64()
    }
}

struct Translation<'g> {
    graph: &'g Symbolic,
    made: FxHashMap<Term, BV>,
    /// The terms that read initial memory.
    reads: Vec<Term>,
}

impl Translation<'_> {
    /// Terms refer to older ones only, so pending ones fit a stack.
    fn term(&mut self, root: Term) -> BV {
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            let missing: Vec<Term> =
                operands(self.graph, top).into_iter().filter(|operand| !self.made.contains_key(operand)).collect();
            if missing.is_empty() {
                if !self.made.contains_key(&top) {
                    if matches!(self.graph.node(top), Node::Select(..)) {
                        self.reads.push(top);
                    }
                    let bv = self.make(top);
                    self.made.insert(top, bv);
                }
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        self.made[&root].clone()
    }

    fn make(&self, term: Term) -> BV {
        let width = self.graph.width_of(term);
        let of = |term: Term| &self.made[&term];
        let truth = |condition: z3::ast::Bool| condition.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1));
        match self.graph.node(term) {
            Node::Const(bits) => constant(bits),
            Node::Var(number) => BV::new_const(format!("v{number}"), width),
            Node::Binary(op, a, b) => binary(op, of(a), of(b)),
            Node::Not(a) => of(a).bvnot(),
            Node::Concat(high, low) => of(high).concat(of(low)),
            Node::Extract(a, offset) => of(a).extract(offset + width - 1, offset),
            Node::Zext(a) => of(a).zero_ext(width - self.graph.width_of(a)),
            Node::Sext(a) => of(a).sign_ext(width - self.graph.width_of(a)),
            Node::Eq(a, b) => truth(of(a).eq(of(b))),
            Node::Ult(a, b) => truth(of(a).bvult(of(b))),
            Node::Slt(a, b) => truth(of(a).bvslt(of(b))),
            Node::Ite(condition, a, b) => of(condition).eq(BV::from_u64(1, 1)).ite(of(a), of(b)),
            Node::Select(..) => BV::new_const(format!("m{}", term.0), width),
        }
    }

    /// Asserts for each two reads of one memory that equal addresses hold equal contents, unless they are plainly
    /// distinct.
    fn same_address_same_contents(&self, mut say: impl FnMut(Bool)) {
        for (index, &one) in self.reads.iter().enumerate() {
            for &other in &self.reads[..index] {
                let (Node::Select(memory, a), Node::Select(other_memory, b)) =
                    (self.graph.node(one), self.graph.node(other))
                else {
                    continue;
                };
                if memory == other_memory && self.graph.same_address(a, b) != Some(false) {
                    let same = self.made[&a].eq(&self.made[&b]);
                    say(same.implies(self.made[&one].eq(&self.made[&other])));
                }
            }
        }
    }
}

fn constant(bits: Bits) -> BV {
    if bits.width() <= 64 {
        return BV::from_u64(bits.low_u64(), bits.width());
    }
    let limb = |index: u32| BV::from_u64(bits.limbs()[index as usize], (bits.width() - 64 * index).min(64));
    (1..bits.width().div_ceil(64)).fold(limb(0), |low, index| limb(index).concat(low))
}

fn binary(op: Op, a: &BV, b: &BV) -> BV {
    match op {
        Op::Add => a.bvadd(b),
        Op::Sub => a.bvsub(b),
        Op::Mul => a.bvmul(b),
        Op::Udiv => a.bvudiv(b),
        Op::Urem => a.bvurem(b),
        Op::Sdiv => a.bvsdiv(b),
        Op::Srem => a.bvsrem(b),
        Op::And => a.bvand(b),
        Op::Or => a.bvor(b),
        Op::Xor => a.bvxor(b),
        Op::Shl => a.bvshl(b),
        Op::Lshr => a.bvlshr(b),
        Op::Ashr => a.bvashr(b),
    }
}
