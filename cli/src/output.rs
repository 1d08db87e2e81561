//! Exit statuses, and the one JSON object that `--json` prints as the last line of standard output.

use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use tribunal_fuzz::Tally;

/// What a command says when it ends.
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

/// Prints a line on standard output. A reader that went away (`| head`) ends the process: what was not said was not found
/// well.
pub fn line(text: std::fmt::Arguments<'_>) {
    if writeln!(std::io::stdout(), "{text}").is_err() {
        std::process::exit(Status::Unknown as i32);
    }
}

/// `println!` for a reader that may go away.
macro_rules! say {
    ($($text:tt)*) => { crate::output::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// Prints `report` as the last line of standard output.
pub fn json(report: &impl Serialize) {
    say!("{}", serde_json::to_string(report).expect("reports hold nothing but numbers, text and lists"));
}
