//! A command with a time limit.
//!
//! Invariant: what a command writes goes to files, so that one that writes without end, or that nobody reads, ends at
//! its limit like any other.

use super::ProgramError;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// The most bytes of an output that are read.
const MOST_BYTES: u64 = 1 << 22;

/// A command that ended, or that was ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` if the time was up.
    pub status: Option<ExitStatus>,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
}

impl Ended {
    /// True if it ended by itself with status 0.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The exit status as a number: a signal counts as in a shell.
    pub fn code(&self) -> Option<i32> {
        use std::os::unix::process::ExitStatusExt;
        self.status.and_then(|status| status.code().or_else(|| status.signal().map(|signal| 128 + signal)))
    }

    /// The end in a few words: the complaint's first line, or the status.
    pub fn complaint(&self) -> String {
        let said = self.errors.lines().find(|line| line.contains("error") || line.contains("ERROR"));
        match (said.or_else(|| self.errors.lines().next()), self.status) {
            (_, None) => "no end within the time".to_string(),
            (Some(line), _) => line.trim().to_string(),
            (None, Some(status)) => status.to_string(),
        }
    }
}

/// Runs `command` for `limit` at most. Its output is kept in `folder` meanwhile.
pub fn run(command: &mut Command, folder: &Path, limit: Duration) -> Result<Ended, ProgramError> {
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::File::create(&path).map_err(ProgramError::file(path))
    };
    command.stdin(Stdio::null()).stdout(file("output")?).stderr(file("errors")?);
    let program = name(command);
    let failed = |source| ProgramError::Start { program: program.clone(), source };
    let mut child = command.spawn().map_err(failed)?;
    let waited = child.wait_timeout(limit).map_err(failed)?;
    if waited.is_none() {
        // It may have ended just now: then there is nothing to kill.
        let _ = child.kill();
        let _ = child.wait();
    }
    Ok(Ended { status: waited, output: text(&folder.join("output"))?, errors: text(&folder.join("errors"))? })
}

/// As [`run`], for a tool that has to succeed.
pub fn succeed(command: &mut Command, folder: &Path, limit: Duration) -> Result<Ended, ProgramError> {
    let ended = run(command, folder, limit)?;
    match ended.is_success() {
        true => Ok(ended),
        false => Err(ProgramError::Failed { command: name(command), message: ended.complaint() }),
    }
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// The first bytes of a file.
fn text(path: &Path) -> Result<String, ProgramError> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(ProgramError::file(path))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(ProgramError::file(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
