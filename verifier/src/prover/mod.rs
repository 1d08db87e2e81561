//! The SMT prover: does a rewrite step's target refine its source, for all values and all memories?
//!
//! Refinement: where the source has undefined behaviour, any target is right; where its result is poison, any value is.
//! Otherwise the target is defined, not poison, equal in every bit, and leaves equal memory. Nondeterministic choices
//! of the source are existential and are read off the target's outputs; those of the target are universal. Each is one
//! choice for the whole step.
//!
//! The engines, in order:
//!
//! - equality of normalised terms;
//! - concrete samples with corner values, which refute wrong rules at once;
//! - sums of bits, where bits are counted;
//! - quotients by constants;
//! - evaluation for all values, where there are few;
//! - linear arithmetic over limbs, where there are products;
//! - case by case, where shifts are by an amount of few values;
//! - theorems about rounding twice, where numbers of 16 bits become wider ones;
//! - z3 on bit-vectors, for blocks of functions after sweeping.
//!
//! A counterexample is evaluated before it is reported. A verdict is cached by the shape of the step, so that a proved
//! recipe is a table look-up from then on.

mod atomic;
mod bit_sums;
mod cache;
mod cases;
mod choices;
mod claims;
mod counterexample;
mod depth;
mod double_rounding;
mod earlier;
mod effects;
mod elements;
mod evaluate;
mod exhaustive;
mod identity;
mod integers;
mod machine_promises;
mod memory;
mod memory_function;
mod numbers;
mod opaque;
mod order;
mod ordering;
mod own_objects;
mod process;
mod query;
mod quotients;
mod ranges;
mod reader;
mod recent;
mod rounding;
mod samples;
mod script;
mod shape;
mod side;
mod solver;
mod sweep;
mod term;
mod traps;
mod validate;
mod volatile;
mod witness;
mod worker;
mod written_parts;

pub use cache::{Cache, Unsaved};
pub use counterexample::{Byte, Counterexample, Shown, ValueName};
pub use depth::deep;
pub use identity::{WEAKENINGS, Weakening};
pub use process::isolate_solver;
pub use validate::{GapKind, Pair, ProofGap, Undef, Validated, validate};
pub use worker::serve_solver;

use cache::Key;
use evaluate::{Assignment, Evaluator};
use query::Query;
use recent::{Proof, Recent};
use shape::Shape;
use std::fmt::{self, Write};
use term::Term;
use tribunal_ir::bits::Bits;
use tribunal_ir::{Step, Vocabulary, text};
use tribunal_target::Target;

/// The engine that proved a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Engine {
    /// The obligation folded to false while it was built.
    Structural,
    /// Equality of sums of bits.
    BitSums,
    /// Multiplication by a magic number, proved equal to the division by a constant.
    Quotients,
    /// The question was evaluated for all values, and never true.
    Exhaustive,
    /// z3 on linear arithmetic over the limbs.
    Integers,
    /// The obligation folded to false with each value of the amount of its shifts.
    Cases,
    /// z3 on the order of the pieces that are compared.
    Order,
    /// z3 on bit-vectors, told that an operation on numbers of 16 bits may round in a wider format first.
    DoubleRounding,
    /// z3 on bit-vectors.
    Z3,
}

/// The prover's verdict on a step. Verdicts are never merged: `unknown` is not success.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is right for all values.
    Proved {
        /// The engine that proved it.
        engine: Engine,
    },
    /// With a counterexample that was evaluated.
    Refuted(Counterexample),
    /// No engine decided it, for this reason.
    Unknown(String),
    /// It holds an operation without a meaning here, by name.
    Unsupported(String),
}

/// The tally of a prover's work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Steps that were put to the prover.
    pub judged: u64,
    /// Of those, answered from the cache.
    pub looked_up: u64,
    /// Of those, by proofs that were read from a file.
    pub kept: u64,
    /// Of those, by folding alone.
    pub structural: u64,
    /// Of those, by sums of bits.
    pub bit_sums: u64,
    /// Of those, by quotients.
    pub quotients: u64,
    /// Of those, by evaluation for all values.
    pub exhaustive: u64,
    /// Of those, by linear arithmetic.
    pub integers: u64,
    /// Of those, case by case.
    pub cases: u64,
    /// Of those, by the order of pieces.
    pub order: u64,
    /// Of those, by theorems about rounding twice.
    pub double_rounding: u64,
    /// Of those, by the solver.
    pub z3: u64,
}

/// A question as z3 was asked it, for a second solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// An SMT-LIB 2 script: satisfiable exactly when the step is wrong.
    pub script: String,
    /// z3's answer; `None` if it gave none.
    pub satisfiable: Option<bool>,
}

/// Judges steps.
#[derive(Default)]
pub struct Prover {
    cache: Cache,
    recent: Recent,
    /// The current step's shape.
    shape: Shape,
    counters: Counters,
    keep_questions: bool,
    question: Option<Question>,
}

/// Name and version of the solver that is linked.
pub fn solver_version() -> &'static str {
    z3::full_version()
}

impl Prover {
    /// A prover that looks up and keeps its proofs in `cache`.
    pub fn with_cache(cache: Cache) -> Prover {
        Prover { cache, ..Prover::default() }
    }

    /// Keeps the questions that go to z3, for [`Prover::take_question`].
    pub fn keep_questions(&mut self) {
        self.keep_questions = true;
    }

    /// The question that the last step put to z3; `None` if it was proved or looked up without, or none are kept.
    pub fn take_question(&mut self) -> Option<Question> {
        self.question.take()
    }

    /// The cache that keeps its proofs.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The tally of its work so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The verdict on `step`; from the cache if a step of this shape was judged before.
    pub fn judge(&mut self, target: &Target, step: &Step<'_>) -> Verdict {
        self.counters.judged += 1;
        self.question = None;
        // Names are no part of the shape.
        if claims::are_new(step) {
            return Verdict::Unknown(
                "a claim that was not made before: a pointer or metadata of an access, or a flag".to_string(),
            );
        }
        shape::write(target, step, &mut self.shape);
        if let Some(Proof { engine, kept }) = self.recent.find(&self.shape) {
            self.counters.looked_up += 1;
            self.counters.kept += u64::from(kept);
            return Verdict::Proved { engine };
        }
        let key = Key::of_shape(&self.shape);
        if let Some(known) = self.cache.step(key) {
            self.counters.looked_up += 1;
            self.counters.kept += u64::from(known.kept);
            if let Verdict::Proved { engine } = known.verdict {
                self.recent.keep(&self.shape, Proof { engine, kept: known.kept });
            }
            return known.verdict;
        }
        let text = if self.keep_questions { solver::Text::Kept } else { solver::Text::Dropped };
        let (verdict, question) = deep(|| self.decide(target, step, key, text));
        self.question = question;
        match &verdict {
            Verdict::Proved { engine: Engine::Structural } => self.counters.structural += 1,
            Verdict::Proved { engine: Engine::BitSums } => self.counters.bit_sums += 1,
            Verdict::Proved { engine: Engine::Quotients } => self.counters.quotients += 1,
            Verdict::Proved { engine: Engine::Exhaustive } => self.counters.exhaustive += 1,
            Verdict::Proved { engine: Engine::Integers } => self.counters.integers += 1,
            Verdict::Proved { engine: Engine::Cases } => self.counters.cases += 1,
            Verdict::Proved { engine: Engine::Order } => self.counters.order += 1,
            Verdict::Proved { engine: Engine::DoubleRounding } => self.counters.double_rounding += 1,
            Verdict::Proved { engine: Engine::Z3 } => self.counters.z3 += 1,
            Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Unsupported(_) => {}
        }
        verdict
    }

    /// The verdict on a step that is not known; its question may be.
    fn decide(&self, target: &Target, step: &Step<'_>, key: Key, text: solver::Text) -> (Verdict, Option<Question>) {
        let mut query = match query::query(target, step) {
            Ok(query) => query,
            Err(unsupported) => {
                let verdict = Verdict::Unsupported(unsupported.feature);
                self.cache.insert(key, None, &verdict);
                return (verdict, None);
            }
        };
        if query.graph.is_false(query.source_defined) {
            let verdict = Verdict::Unknown("vacuous: the source is undefined whatever the inputs".to_string());
            self.cache.insert(key, None, &verdict);
            return (verdict, None);
        }
        let question = Key::of_question(&query);
        let known = self.cache.question(question).filter(|_| text == solver::Text::Dropped);
        let (verdict, written) = match known {
            Some(engine) => (Verdict::Proved { engine }, None),
            None => decide_query(&mut query, text, solver::Effort::STEP),
        };
        self.cache.insert(key, Some(question), &verdict);
        (verdict, written)
    }
}

/// The answer to a question.
enum Decision {
    Proved(Engine),
    /// Values that make it true, as they were found.
    Refuted(Assignment),
    Unknown(String),
}

/// The reason where a solver gives values for which the question is false.
const NOT_TRUE: &str = "the solver's counterexample does not hold when evaluated";

/// The solver's work on a block's question before it is swept: many need no more.
const FIRST_WORK: u32 = 3_000;

/// How often a solver that rounds wrongly is corrected, for one question.
const CORRECTIONS: usize = 8;

fn decide_query(query: &mut Query, text: solver::Text, effort: solver::Effort) -> (Verdict, Option<Question>) {
    let (decision, question) = decision(query, text, effort);
    let verdict = match decision {
        Decision::Proved(engine) => Verdict::Proved { engine },
        Decision::Refuted(assignment) => refuted(query, &assignment),
        Decision::Unknown(reason) => Verdict::Unknown(reason),
    };
    (verdict, question)
}

fn decision(query: &mut Query, text: solver::Text, effort: solver::Effort) -> (Decision, Option<Question>) {
    if query.graph.is_false(query.wrong) {
        return (Decision::Proved(Engine::Structural), None);
    }
    let mut cone = evaluate::cone(&query.graph, query.wrong);
    if let Some(assignment) = samples::sample(query, &cone) {
        return (Decision::Refuted(assignment), None);
    }
    if effort.is_of_function()
        && let Some(divided) = quotients::as_divisions(&mut query.graph, query.wrong, &cone)
    {
        query.wrong = divided;
        if query.graph.is_false(query.wrong) {
            return (Decision::Proved(Engine::Quotients), None);
        }
        cone = evaluate::cone(&query.graph, query.wrong);
    }
    if effort.sweeps() {
        let (decision, question) = asked(query, text, effort.of_work(FIRST_WORK));
        if !matches!(decision, Decision::Unknown(_)) {
            return (decision, question);
        }
        query.wrong = sweep::swept(query, &cone, effort);
        if query.graph.is_false(query.wrong) {
            return (Decision::Proved(Engine::Z3), None);
        }
        cone = evaluate::cone(&query.graph, query.wrong);
    }
    if bit_sums::worth_trying(&query.graph, &cone) && bit_sums::impossible(&query.graph, query.wrong) {
        return (Decision::Proved(Engine::BitSums), None);
    }
    if quotients::worth_trying(&query.graph, &cone) && quotients::impossible(&query.graph, query.wrong) {
        return (Decision::Proved(Engine::Quotients), None);
    }
    if effort.is_thorough()
        && let Some(answer) = exhaustive::answer(&query.graph, query.wrong, &cone)
    {
        return match answer {
            exhaustive::AllValues::Impossible => (Decision::Proved(Engine::Exhaustive), None),
            exhaustive::AllValues::Possible(assignment) => (Decision::Refuted(assignment), None),
        };
    }
    if effort.is_thorough() && integers::worth_trying(&query.graph, &cone) {
        if integers::impossible(&query.graph, query.wrong, effort) {
            return (Decision::Proved(Engine::Integers), None);
        }
        if let Some(assignment) = samples::aimed(query, &cone, effort) {
            return (Decision::Refuted(assignment), None);
        }
    }
    if effort.is_thorough()
        && let Some(narrow) = order::narrowed(&mut query.graph, query.wrong, &cone)
        && let (solver::Answer::Unsatisfiable, script) = solver::solve(&query.graph, narrow, text, effort)
    {
        let question = script.map(|script| Question { script, satisfiable: Some(false) });
        return (Decision::Proved(Engine::Order), question);
    }
    if effort.is_thorough() && cases::impossible(&mut query.graph, query.wrong, &cone) {
        return (Decision::Proved(Engine::Cases), None);
    }
    if effort.is_thorough()
        && double_rounding::worth_trying(&query.graph, &cone)
        && let Some(proof) = rounded_twice(query, &cone, text, effort)
    {
        return proof;
    }
    asked(query, text, effort)
}

/// The proof of a question about numbers of 16 bits that are made of wider ones; `None` if there is none.
fn rounded_twice(
    query: &mut Query,
    cone: &[Term],
    text: solver::Text,
    effort: solver::Effort,
) -> Option<(Decision, Option<Question>)> {
    let wrong = query.wrong;
    let told = double_rounding::with_detours(&mut query.graph, wrong, cone);
    let written = double_rounding::with_conversions(&mut query.graph, wrong, cone);
    let questions = told.map(|told| (told, Engine::DoubleRounding)).into_iter().chain([(written, Engine::Z3)]);
    for (question, engine) in questions {
        let (answer, script) = solver::solve(&query.graph, question, text, effort);
        if matches!(answer, solver::Answer::Unsatisfiable) {
            let question = script.map(|script| Question { script, satisfiable: Some(false) });
            return Some((Decision::Proved(engine), question));
        }
    }
    None
}

/// The decision of the solver. An answer that rounds wrongly is corrected, and the question asked again.
fn asked(query: &mut Query, text: solver::Text, effort: solver::Effort) -> (Decision, Option<Question>) {
    let mut question = query.wrong;
    for _ in 0..CORRECTIONS {
        let (answer, script) = solver::solve(&query.graph, question, text, effort);
        let script = |satisfiable| script.map(|script| Question { script, satisfiable });
        match answer {
            solver::Answer::Unsatisfiable => return (Decision::Proved(Engine::Z3), script(Some(false))),
            solver::Answer::Unknown(reason) => return (Decision::Unknown(reason), script(None)),
            solver::Answer::Satisfiable(values) => {
                if Evaluator::new(&query.graph, &values).holds(query.wrong) {
                    return (Decision::Refuted(values), script(Some(true)));
                }
                match rounding::corrected(&mut query.graph, question, &values) {
                    Some(corrected) => question = corrected,
                    None => return (Decision::Unknown(NOT_TRUE.to_string()), script(Some(true))),
                }
            }
        }
    }
    (Decision::Unknown(NOT_TRUE.to_string()), None)
}

/// A counterexample, unless it depends on a choice that was guessed.
fn refuted(query: &Query, assignment: &Assignment) -> Verdict {
    match query.guessed {
        true => Verdict::Unknown("a choice of the source that no output shows".to_string()),
        false => Verdict::Refuted(counterexample::counterexample(query, assignment)),
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proved { engine: Engine::Structural } => write!(f, "proved (terms equal)"),
            Verdict::Proved { engine: Engine::BitSums } => write!(f, "proved (bit sums)"),
            Verdict::Proved { engine: Engine::Quotients } => write!(f, "proved (quotients)"),
            Verdict::Proved { engine: Engine::Exhaustive } => write!(f, "proved (all values)"),
            Verdict::Proved { engine: Engine::Integers } => write!(f, "proved (integers)"),
            Verdict::Proved { engine: Engine::Cases } => write!(f, "proved (case by case)"),
            Verdict::Proved { engine: Engine::Order } => write!(f, "proved (order)"),
            Verdict::Proved { engine: Engine::DoubleRounding } => write!(f, "proved (rounding twice)"),
            Verdict::Proved { engine: Engine::Z3 } => write!(f, "proved (z3)"),
            Verdict::Refuted(_) => write!(f, "refuted"),
            Verdict::Unknown(reason) => write!(f, "unknown: {reason}"),
            Verdict::Unsupported(feature) => write!(f, "unsupported: {feature}"),
        }
    }
}

/// A step and its verdict in lines: the rule, the instructions before and after, and the values that show it wrong.
pub fn explain(step: &Step<'_>, verdict: &Verdict, vocabulary: &dyn Vocabulary) -> String {
    let mut lines = format!("{}: {verdict}\n", step.rule);
    for (sign, side) in [('-', step.before), ('+', step.after)] {
        for data in side {
            let _ = writeln!(lines, "  {sign} {}", text::print_inst(step.function, data, vocabulary));
        }
    }
    if let Verdict::Refuted(counterexample) = verdict {
        let shown = |(bits, poison): (Bits, bool)| match poison {
            true => "poison".to_string(),
            false => format!("{bits:#x}"),
        };
        for &(name, bits, poison) in &counterexample.inputs {
            let _ = writeln!(lines, "  where {name} = {}", shown((bits, poison)));
        }
        if let Some(edge) = counterexample.edge {
            let _ = writeln!(lines, "  where control comes from block {edge}");
        }
        for byte in &counterexample.memory {
            let value = if byte.poison { "poison".to_string() } else { format!("{:#04x}", byte.value) };
            let _ = writeln!(lines, "  where [{:#x}] = {value}", byte.address);
        }
        for (name, before, after) in &counterexample.outputs {
            let _ = writeln!(lines, "  {name}: {} before, {} after", shown(*before), shown(*after));
        }
    }
    lines
}
