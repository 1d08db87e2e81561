//! Exit statuses, the output to standard output and standard error, and the one JSON object that `--json` prints as the
//! last line.
//!
//! Invariant: all text goes through `anstream`, so that styles reach a terminal only, and obey NO_COLOR. No write
//! panics, even if its reader is gone.

use crate::input::Source;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use tribunal_ir::Unread;
use tribunal_trial::Tally;

/// The exit status of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Well = 0,
    Fault = 1,
    BadInput = 2,
    /// Something stayed unknown or unsupported: never success.
    Unknown = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl Status {
    pub fn of(tally: &Tally) -> Status {
        match (tally.is_clean(), tally.is_complete()) {
            (false, _) => Status::Fault,
            (true, false) => Status::Unknown,
            (true, true) => Status::Well,
        }
    }
}

/// The style of the word `error`, and of the head of a finding.
pub const FAULT: Style = AnsiColor::BrightRed.on_default().bold();

/// Prints a line on standard output.
pub fn line(text: std::fmt::Arguments<'_>) {
    written(writeln!(anstream::stdout(), "{text}"));
}

/// Writes to standard output as it is.
pub fn bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()));
}

/// A reader that went away (`| head`) ends the process: output that nobody read reports no success. So does a full
/// disk.
fn written(result: std::io::Result<()>) {
    match result {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(Status::Unknown as i32),
        Err(error) => {
            complain!("{FAULT}error{FAULT:#}: standard output: {error}");
            std::process::exit(Status::BadInput as i32);
        }
    }
}

/// Prints a line on standard error. If nobody can read it, the error is dropped.
pub fn complaint(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// `eprintln!` that never panics.
macro_rules! complain {
    ($($text:tt)*) => { crate::output::complaint(format_args!($($text)*)) };
}
pub(crate) use complain;

/// `println!` for a reader that may go away.
macro_rules! say {
    ($($text:tt)*) => { crate::output::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// Names the functions of a file that cannot be judged: those that were not read, with the place and the unknown name
/// there, and those that another compiler gave up on.
pub fn unread(source: &Source) {
    for unread in &source.module.unread {
        say!("{}", unsupported(source, unread));
    }
    for function in &source.module.functions {
        if let Some(property) = function.gave_up() {
            say!("{}: @{}: unsupported: {property}", source.path.display(), function.name);
        }
    }
}

/// `file.mir:12:5: @f: unsupported: register `$f10_d``.
pub fn unsupported(source: &Source, unread: &Unread) -> String {
    let Unread { name, unknown, .. } = unread;
    format!("{}:{}:{}: @{name}: unsupported: {unknown}", source.path.display(), unknown.line, unknown.column)
}

/// Prints `report` as the last line of standard output.
pub fn json(report: &impl Serialize) {
    say!("{}", serde_json::to_string(report).expect("reports hold nothing but numbers, text and lists"));
}
