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

/// How the program starts a process that answers.
struct Start {
    program: PathBuf,
    argument: String,
}

static START: OnceLock<Start> = OnceLock::new();
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// From now on all questions to the solver go to processes of their own: `program argument`, which must do nothing but
/// call [`super::serve_solver`]. The first call counts.
pub fn isolate_solver(program: PathBuf, argument: &str) {
    START.get_or_init(|| Start { program, argument: argument.to_string() });
}

/// The reason why a process did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// By the signal of this number, or with a status.
    Ended { signal: Option<i32> },
    /// Past its own time limit.
    Hung,
    /// It could not be started or spoken to.
    Unreachable(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Ended { signal: Some(signal) } => write!(f, "the solver crashed (signal {signal})"),
            Failure::Ended { signal: None } => {
                f.write_str("the solver gave up, out of memory or by an error of its own")
            }
            Failure::Hung => f.write_str("the solver hung"),
            Failure::Unreachable(error) => write!(f, "no solver's process: {error}"),
        }
    }
}

/// The answer of an idle process, or of a new one; `None` if none are to be used.
pub(super) fn answer(request: &Request<'_>) -> Option<Result<Reply, Failure>> {
    let start = START.get()?;
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = idle().pop();
    let process = known.map_or_else(|| Process::start(start), Ok);
    let mut process = match process {
        Ok(process) => process,
        Err(error) => return Some(Err(Failure::Unreachable(error.to_string()))),
    };
    Some(match process.exchange(request) {
        Ok(reply) => {
            idle().push(process);
            Ok(reply)
        }
        Err(error) => Err(process.failed(&error)),
    })
}

struct Process {
    child: Child,
    stream: BufReader<UnixStream>,
}

/// After its time limit a process has this long to say so.
const GRACE: Duration = Duration::from_secs(2);

impl Process {
    fn start(start: &Start) -> io::Result<Process> {
        let (ours, theirs) = UnixStream::pair()?;
        let (input, output) = (OwnedFd::from(theirs.try_clone()?), OwnedFd::from(theirs));
        let mut command = Command::new(&start.program);
        // A group of its own: Ctrl-C is for the program.
        command.arg(&start.argument).stdin(input).stdout(output).stderr(Stdio::null()).process_group(0);
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
    fn failed(mut self, error: &io::Error) -> Failure {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Hung,
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => match self.child.wait() {
                Ok(status) => Failure::Ended { signal: status.signal() },
                Err(error) => Failure::Unreachable(error.to_string()),
            },
            _ => Failure::Unreachable(error.to_string()),
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
