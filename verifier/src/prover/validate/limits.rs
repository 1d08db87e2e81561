//! What one function may cost: work of the solver, which is the same on every machine, and time, for a watchdog.

use crate::prover::solver;
use std::time::{Duration, Instant};

/// In z3's own unit of work; about as many seconds as the watchdog's.
const MOST_EFFORT: u64 = 150_000_000;
const WATCHDOG: Duration = Duration::from_secs(120);

/// The limits of one function, which is judged on a thread of its own.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    started: Instant,
    /// What the solver had done on this thread before.
    spent: u64,
}

impl Limits {
    pub fn start() -> Limits {
        Limits { started: Instant::now(), spent: solver::spent() }
    }

    /// The limit that is reached, in words.
    pub fn reached(&self) -> Option<String> {
        if solver::spent().saturating_sub(self.spent) > MOST_EFFORT {
            return Some(format!("the function's limit of {MOST_EFFORT} units of the solver's work"));
        }
        (self.started.elapsed() > WATCHDOG).then(|| format!("the function's limit of {} s", WATCHDOG.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_so_much_time_and_no_more() {
        let limits = Limits::start();
        assert_eq!(limits.reached(), None);
        let Some(started) = Instant::now().checked_sub(WATCHDOG + Duration::from_secs(1)) else { return };
        let limits = Limits { started, ..limits };
        assert!(limits.reached().is_some_and(|limit| limit.contains("120 s")));
    }
}
