//! Exit statuses, and the one JSON object that `--json` prints as the last line of standard output.

use serde::Serialize;
use std::process::ExitCode;
use tribunal_fuzz::Tally;

/// What a command says when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Well,
    Fault,
    BadInput,
    /// Something stayed unknown or unsupported: never success.
    Unknown,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Well => 0,
            Status::Fault => 1,
            Status::BadInput => 2,
            Status::Unknown => 3,
        })
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

/// Prints `report` as the last line of standard output.
pub fn json(report: &impl Serialize) {
    println!("{}", serde_json::to_string(report).expect("reports hold nothing but numbers, text and lists"));
}

/// A finding as JSON.
#[derive(Serialize)]
pub struct FindingReport {
    pub judge: String,
    pub kind: String,
    pub guilty: String,
    pub details: String,
}

impl From<&tribunal_fuzz::Finding> for FindingReport {
    fn from(finding: &tribunal_fuzz::Finding) -> FindingReport {
        FindingReport {
            judge: finding.judge.to_string(),
            kind: finding.kind.clone(),
            guilty: finding.guilty.clone(),
            details: finding.details.clone(),
        }
    }
}
