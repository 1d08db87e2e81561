//! The limits of one function: the solver's work, which is the same on every machine, and its thread's CPU time, as a
//! watchdog; other programs do not count towards it.

use crate::prover::solver;
use cpu_time::ThreadTime;
use std::time::Duration;

/// In z3's own unit of work.
const MOST_EFFORT: u64 = 40_000_000;

/// The limits of one function, which is judged on a thread of its own.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    started: ThreadTime,
    /// The solver's work on this thread before.
    spent: u64,
    most_effort: u64,
    time: Duration,
}

impl Limits {
    pub fn start(time: Duration) -> Limits {
        Limits { started: ThreadTime::now(), spent: solver::spent(), most_effort: MOST_EFFORT, time }
    }

    /// The time left.
    pub fn left(&self) -> Duration {
        self.time.saturating_sub(self.started.elapsed())
    }

    /// The limit that is reached, in words.
    pub fn reached(&self) -> Option<String> {
        if solver::spent().saturating_sub(self.spent) > self.most_effort {
            return Some(format!("the function's limit of {} units of the solver's work", self.most_effort));
        }
        (self.started.elapsed() > self.time).then(|| format!("the function's limit of {} s", self.time.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use z3::ast::BV;

    /// Work of the solver on this thread counts from the start on.
    #[test]
    fn a_function_has_so_much_of_the_solver_and_no_more() {
        let limits = Limits::start(Duration::from_secs(10));
        assert_eq!(limits.reached(), None);
        // The query of the spent work costs a little work too.
        let used = Limits { most_effort: 1000, ..limits };
        assert_eq!(used.reached(), None);
        let solver = z3::Solver::new();
        let (a, b) = (BV::new_const("a", 32), BV::new_const("b", 32));
        solver.assert(a.bvmul(&b).eq(b.bvmul(&a).bvmul(&a)));
        solver.assert(a.bvugt(BV::from_u64(1, 32)) & b.bvugt(&a));
        solver.check();
        assert!(used.reached().is_some_and(|limit| limit.contains("units")));
        assert_eq!(limits.reached(), None);
    }
}
