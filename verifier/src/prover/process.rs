//! The processes that answer the solver's questions: as many as threads ask at once, each for one question at a time.
//!
//! Invariant: a process that did not answer is killed and never asked again.

use super::worker::{Reply, Request};
use std::fmt;
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The processes of one program.
struct Pool {
    program: PathBuf,
    argument: String,
    idle: Mutex<Vec<Process>>,
}

static POOL: OnceLock<Pool> = OnceLock::new();

/// From now on all questions to the solver go to processes of their own: `program argument`, which must do nothing but
/// call [`super::serve_solver`]. The first call counts.
pub fn isolate_solver(program: PathBuf, argument: &str) {
    POOL.get_or_init(|| Pool { program, argument: argument.to_string(), idle: Mutex::default() });
}

/// The reason why a process did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SolverFailure {
    /// By the signal of this number, or with a status.
    Ended { signal: Option<i32> },
    /// Past its own time limit.
    Hung,
    /// It could not be started or spoken to.
    Unreachable(String),
}

impl fmt::Display for SolverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverFailure::Ended { signal: Some(signal) } => write!(f, "the solver crashed (signal {signal})"),
            SolverFailure::Ended { signal: None } => {
                f.write_str("the solver gave up, out of memory or by an error of its own")
            }
            SolverFailure::Hung => f.write_str("the solver hung"),
            SolverFailure::Unreachable(error) => write!(f, "no solver's process: {error}"),
        }
    }
}

/// The answer of a process; `None` if none are to be used.
pub(super) fn answer(request: &Request<'_>) -> Option<Result<Reply, SolverFailure>> {
    POOL.get().map(|pool| pool.answer(request))
}

impl Pool {
    /// The answer of an idle process, or of a new one.
    fn answer(&self, request: &Request<'_>) -> Result<Reply, SolverFailure> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let process = known.map_or_else(|| Process::start(self), Ok);
        let mut process = process.map_err(|error| SolverFailure::Unreachable(error.to_string()))?;
        let reply = process.exchange(request);
        match reply {
            Ok(reply) => {
                idle().push(process);
                Ok(reply)
            }
            Err(error) => Err(process.failed(&error)),
        }
    }
}

struct Process {
    child: Child,
    stream: BufReader<UnixStream>,
}

/// After its time limit a process has this long to say so.
const GRACE: Duration = Duration::from_secs(2);

impl Process {
    fn start(pool: &Pool) -> io::Result<Process> {
        let (ours, theirs) = UnixStream::pair()?;
        let (input, output) = (OwnedFd::from(theirs.try_clone()?), OwnedFd::from(theirs));
        let mut command = Command::new(&pool.program);
        // A group of its own: Ctrl-C is for the program.
        command.arg(&pool.argument).stdin(input).stdout(output).stderr(Stdio::null()).process_group(0);
        Ok(Process { child: command.spawn()?, stream: BufReader::new(ours) })
    }

    fn exchange(&mut self, request: &Request<'_>) -> io::Result<Reply> {
        let limit = Duration::from_millis(request.milliseconds.into()) + GRACE;
        let stream = self.stream.get_mut();
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.write_all(request.text().as_bytes())?;
        Reply::read(&mut self.stream)
    }

    /// Ends the process.
    fn failed(mut self, error: &io::Error) -> SolverFailure {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => SolverFailure::Hung,
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => match self.child.wait() {
                Ok(status) => SolverFailure::Ended { signal: status.signal() },
                Err(error) => SolverFailure::Unreachable(error.to_string()),
            },
            _ => SolverFailure::Unreachable(error.to_string()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]
mod tests {
    use super::super::solver::Logic;
    use super::super::worker::Said;
    use super::*;

    /// A pool whose processes run this line of shell.
    fn pool(line: &str) -> Pool {
        let folder = std::env::temp_dir().join(format!("tribunal-solver-{}-{}", std::process::id(), line.len()));
        std::fs::write(&folder, format!("#!/bin/sh\n{line}\n")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&folder).status().unwrap().success());
        Pool { program: folder, argument: String::new(), idle: Mutex::default() }
    }

    fn asked(pool: &Pool) -> Result<Reply, SolverFailure> {
        let script = "(assert (= #b1 #b0))\n";
        let answer =
            pool.answer(&Request { logic: Logic::BitVectors, again: false, work: 1000, milliseconds: 1, script });
        std::fs::remove_file(&pool.program).unwrap();
        answer
    }

    #[test]
    fn a_process_that_answers_is_asked_again() {
        let pool = pool("read line; echo unsat 5 7 0; cat > /dev/null");
        let reply = asked(&pool).unwrap();
        assert_eq!((reply.said, reply.spent.work), (Said::Unsatisfiable, 5));
        assert_eq!(pool.idle.lock().unwrap().len(), 1);
    }

    #[test]
    fn one_that_does_not_costs_one_question() {
        for (line, failure) in [
            ("kill -SEGV $$", SolverFailure::Ended { signal: Some(11) }),
            ("exit 101", SolverFailure::Ended { signal: None }),
            ("exec sleep 60", SolverFailure::Hung),
        ] {
            let pool = pool(line);
            assert_eq!(asked(&pool), Err(failure));
            assert!(pool.idle.lock().unwrap().is_empty());
        }
        assert!(matches!(asked(&pool("echo what")), Err(SolverFailure::Unreachable(_) | SolverFailure::Ended { .. })));
    }
}
