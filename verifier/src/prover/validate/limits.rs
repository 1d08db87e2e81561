//! The limits of one function: the solver's work, which is the same on every machine, and its thread's CPU time, as a
//! watchdog; other programs do not count towards it.

use crate::prover::solver::{self, Effort, Spent};
use cpu_time::ThreadTime;
use std::time::Duration;

/// In z3's own unit of work.
const MOST_EFFORT: u64 = 40_000_000;
/// A limit of time below this one is short.
const SHORT: Duration = Duration::from_secs(1);
/// The same for each millisecond of a short limit of time, so that a busy machine comes to the same answers.
const EFFORT_A_MILLISECOND: u64 = 2_500;
/// The time that the solver has for a question at least, by the clock: the limit on work comes before it.
const SHORTEST_QUESTION: Duration = Duration::from_millis(150);

/// The limits of one function, which is judged on a thread of its own.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    started: ThreadTime,
    /// What the solver spent for this thread before.
    spent: Spent,
    most_effort: u64,
    time: Duration,
}

impl Limits {
    pub fn start(time: Duration) -> Limits {
        let short = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).saturating_mul(EFFORT_A_MILLISECOND);
        Limits {
            started: ThreadTime::now(),
            spent: solver::spent(),
            most_effort: if time < SHORT { short } else { MOST_EFFORT },
            time,
        }
    }

    /// An effort within what is left.
    pub fn within(&self, effort: Effort) -> Effort {
        let left = self.time.saturating_sub(self.elapsed());
        let used = solver::spent().work - self.spent.work;
        effort.within(left.max(SHORTEST_QUESTION)).at_most(self.most_effort.saturating_sub(used).max(1))
    }

    /// The processor time of this thread, and of the solver for it.
    fn elapsed(&self) -> Duration {
        self.started.elapsed() + solver::spent().time.saturating_sub(self.spent.time)
    }

    /// The limit that is reached, in words.
    pub fn reached(&self) -> Option<String> {
        if solver::spent().work - self.spent.work > self.most_effort {
            return Some(format!("the function's limit of {} units of the solver's work", self.most_effort));
        }
        (self.elapsed() > self.time).then(|| format!("the function's limit of {} s", self.time.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::solver::Text;
    use crate::prover::term::{Op, Symbolic};

    /// Work of the solver on this thread counts from the start on.
    #[test]
    fn a_function_has_so_much_of_the_solver_and_no_more() {
        let limits = Limits::start(Duration::from_secs(10));
        assert_eq!(limits.reached(), None);
        let used = Limits { most_effort: 100, ..limits };
        let graph = &mut Symbolic::default();
        let (a, b) = (graph.variable(32), graph.variable(32));
        let square = graph.binary(Op::Mul, a, b);
        let cube = graph.binary(Op::Mul, square, a);
        let question = graph.equal(square, cube);
        solver::solve(graph, question, Text::Dropped, Effort::STEP);
        assert!(used.reached().is_some_and(|limit| limit.contains("units")));
        assert_eq!(limits.reached(), None);
    }
}
