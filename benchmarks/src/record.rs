//! The record of one section's measurement, kept under `target/benchmarks` between runs.

use crate::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The origin of a figure: the day, and the commit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// `2026-11-22`, of the universal time.
    pub date: String,
    /// Its abbreviated hash.
    pub commit: String,
    /// The tree differed from the commit.
    pub has_changes: bool,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changes = if self.has_changes { " with uncommitted changes" } else { "" };
        write!(f, "{}, commit {}{changes}", self.date, self.commit)
    }
}

/// One section, measured once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The day and the commit of the measurement.
    pub origin: Origin,
    /// Wall time of all its commands.
    pub seconds: f64,
    /// The figures, or the reason why there are none.
    pub outcome: Measurement,
}

/// The end of a measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Measurement {
    /// Every command ended with the output that was asked for.
    Measured(Vec<CommandRun>),
    /// A command failed; later ones did not run.
    Failed {
        /// As a person types it.
        command: String,
        /// Its status, or the end of its output.
        reason: String,
    },
    /// A tool is not installed.
    Missing(String),
}

/// A command that ran.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CommandRun {
    /// The label of its step.
    pub label: String,
    /// As a person types it.
    pub command: String,
    /// 0 all well; 1 a judge found a fault; 3 something stayed unknown or unsupported.
    pub status: i32,
    /// Wall time.
    pub seconds: f64,
    /// An object; null if the output is not read.
    pub output: Value,
}

/// The file of a section's record.
fn path(folder: &Path, section: &str) -> PathBuf {
    folder.join(format!("{section}.json"))
}

impl Record {
    /// The record that an earlier run kept, if any did.
    pub fn read(folder: &Path, section: &str) -> Result<Option<Record>, Failure> {
        let path = path(folder, section);
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|source| Failure::Record { path, source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Failure::File { path, source }),
        }
    }

    /// Keeps the record in place of an earlier one. The folder must be there.
    pub fn write(&self, folder: &Path, section: &str) -> Result<(), Failure> {
        let path = path(folder, section);
        let text =
            serde_json::to_string_pretty(self).map_err(|source| Failure::Record { path: path.clone(), source })?;
        std::fs::write(&path, text + "\n").map_err(|source| Failure::File { path, source })
    }
}
