//! External oracles for the reducer: any program that judges a MIR file by its exit status.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// A program, its arguments, and its time limit.
pub struct Check {
    /// The program, found as a shell finds it.
    pub program: String,
    /// Its arguments, before the file's name.
    pub arguments: Vec<String>,
    /// The time limit, after which a candidate counts as not interesting.
    pub time: Duration,
}

impl Check {
    /// Runs the command with `file` as its last argument: true for exit status 0, as in llvm-reduce and C-Reduce. A
    /// command that does not end in time is stopped, and not interesting.
    pub fn is_interesting(&self, file: &Path) -> std::io::Result<bool> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(file);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        match child.wait_timeout(self.time)? {
            Some(status) => Ok(status.success()),
            None => {
                child.kill()?;
                child.wait()?;
                Ok(false)
            }
        }
    }
}
