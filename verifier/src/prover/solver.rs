//! Questions to z3, under a resource limit that is the same on every machine, with a timeout as a watchdog.
//!
//! A question is a script (`script.rs`). A process of its own answers it, if the program has named one
//! ([`super::isolate_solver`]): a crash, a hang, or too much memory then costs one question. Otherwise z3 runs in this
//! process. Either way the one reader of scripts is [`worker::answer`].

use super::evaluate::Assignment;
use super::process::{self, SolverFailure};
use super::script::{self, Script};
use super::term::{Symbolic, Term};
use super::worker::{self, Reply, Request, Said};
use std::cell::Cell;
use std::time::{Duration, Instant};
use tribunal_ir::bits::Bits;

/// The effort that z3 may spend on one question.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// In its own unit of work, the same on every machine.
    work: u32,
    /// The thread's work at which the whole function has none left.
    ends: u64,
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
        Effort { work, ends: u64::MAX, until: None }
    }

    /// The same effort, ending at most `time` from now.
    pub fn within(self, time: Duration) -> Effort {
        let then = Instant::now().checked_add(time);
        Effort { until: self.until.map_or(then, |until| then.map(|then| then.min(until))), ..self }
    }

    /// The same effort, with so much work of this thread at most, whatever the number of questions.
    pub fn at_most(self, work: u64) -> Effort {
        Effort { ends: self.ends.min(spent().work.saturating_add(work)), ..self }
    }

    /// The work that is left for the function, on the thread that it is judged on.
    pub fn left(self) -> u64 {
        self.ends.saturating_sub(spent().work)
    }

    /// The same with another limit on work.
    pub fn of_work(self, work: u32) -> Effort {
        Effort { work, ..self }
    }

    /// Milliseconds until it gives up.
    fn milliseconds(self) -> u32 {
        let left = |until: Instant| until.saturating_duration_since(Instant::now()).as_millis();
        self.until.map_or(WATCHDOG, |until| u32::try_from(left(until)).unwrap_or(WATCHDOG)).clamp(1, WATCHDOG)
    }

    /// Whether so little is left for the function that no engine may take much of it.
    pub fn is_short(self) -> bool {
        self.left() < u64::from(Effort::RELATION.work)
    }

    /// Whether engines run that are slower than z3 on most questions.
    pub fn is_thorough(self) -> bool {
        self.work > Effort::FACT.work
    }

    /// Whether the question is about a whole function, where products stand deep within.
    pub fn is_of_function(self) -> bool {
        self.work < Effort::STEP.work
    }

    /// Whether the question may be of a whole block, which sweeping can simplify first.
    pub fn sweeps(self) -> bool {
        self.work == Effort::BLOCK.work
    }
}

/// Milliseconds for any question.
const WATCHDOG: u32 = 60_000;

/// The reason of a question that is not asked any more.
const NOTHING_LEFT: &str = "the function's share of the solver's work is used up";

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

/// The theory of a question, and how z3 goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Logic {
    BitVectors,
    /// Linear arithmetic, by this one of z3's simplex solvers.
    Integers {
        simplex: u32,
        seed: u32,
    },
}

/// Asks whether `wrong` can be true. Returns the answer, and the question as an SMT-LIB 2 script if it is to be kept.
pub(super) fn solve(graph: &Symbolic, wrong: Term, text: Text, effort: Effort) -> (Answer, Option<String>) {
    let Script { text: question, free } = Script::of_term(graph, wrong);
    let answer = match ask(&question, Logic::BitVectors, effort) {
        Said::Unsatisfiable => Answer::Unsatisfiable,
        Said::Unknown(reason) => Answer::Unknown(reason),
        Said::Satisfiable(model) => {
            let value = |name: &String, term| {
                let width = graph.width_of(term);
                // The solver leaves out what does not matter.
                model.get(name).map_or(Some(Bits::zero(width)), |value| script::literal(value, width))
            };
            let values = free.iter().filter_map(|(name, term)| Some((*term, value(name, *term)?)));
            Answer::Satisfiable(Assignment { values: values.collect(), ..Assignment::default() })
        }
    };
    (answer, (text == Text::Kept).then(|| script::file(&question)))
}

/// Puts a script to z3. A process that fails is replaced, and asked once more in another way.
pub(super) fn ask(script: &str, logic: Logic, effort: Effort) -> Said {
    let left = effort.left();
    if left == 0 {
        return Said::Unknown(NOTHING_LEFT.to_string());
    }
    let request = |again| Request {
        logic,
        again,
        work: effort.work.min(u32::try_from(left).unwrap_or(u32::MAX)),
        milliseconds: effort.milliseconds(),
        script,
    };
    let reply = match process::answer(&request(false)) {
        None => worker::answer(&request(false)),
        Some(Ok(reply)) => reply,
        Some(Err(first)) => match process::answer(&request(true)) {
            Some(Ok(reply)) => reply,
            Some(Err(second)) => Reply::unknown(second_failure(first, second)),
            None => Reply::unknown(first.to_string()),
        },
    };
    SPENT.with(|spent| {
        let before = spent.get();
        spent.set(Spent { work: before.work + reply.spent.work, time: before.time + reply.spent.time });
    });
    reply.said
}

fn second_failure(first: SolverFailure, second: SolverFailure) -> String {
    match first == second {
        true => format!("{first}, twice"),
        false => format!("{first}; asked again, {second}"),
    }
}

/// The solver's work, in its own unit, and the processor time that it took in other processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Spent {
    pub work: u64,
    pub time: Duration,
}

thread_local! {
    static SPENT: Cell<Spent> = const { Cell::new(Spent { work: 0, time: Duration::ZERO }) };
}

/// All that was spent on questions of this thread.
pub(super) fn spent() -> Spent {
    SPENT.get()
}
