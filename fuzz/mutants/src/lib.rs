//! Mutation testing of the judges: which faults of the backend's source, drawn mechanically, do they kill?
//!
//! The way of the data: sources → [`site`]s where an operator applies → a [`draw`] by seed → one copy of the workspace
//! in which each fault stands behind a test of an environment variable ([`weave`], [`workspace`]) → one binary
//! ([`compile`]) → each fault before the judges ([`judge`]) → the table ([`report`]).
//!
//! Invariant: nothing of a fault stands in the product. The copy is made from the sources as they are on disk, so the
//! tool has no list of faults to keep up to date.

pub mod compile;
pub mod draw;
pub mod equivalents;
pub mod judge;
pub mod layer;
pub mod operators;
pub mod report;
pub mod site;
pub mod tables;
pub mod weave;
pub mod workspace;

use std::path::PathBuf;

/// A reason why no table can be made.
#[derive(Debug, thiserror::Error)]
pub enum MutantsError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A source file is not Rust.
    #[error("{path}:{line}: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The parser's reason.
        message: String,
    },
    /// A line of the list of equivalent faults that cannot be read.
    #[error("{path}:{line}: {message}")]
    Equivalents {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The form that it lacks.
        message: &'static str,
    },
    /// No place for a fault is in a file of this part.
    #[error("no file with faults has `{0}` in its path")]
    NoPlace(String),
    /// Another run works in this folder: each would remove what the other writes.
    #[error("{0}: another run works in this folder; `--out` names another one")]
    Taken(PathBuf),
    /// The copy does not compile for a reason that is no fault's.
    #[error("the copy with the faults does not compile:\n{0}")]
    Compile(String),
    /// The unchanged program does not pass: a kill would say nothing.
    #[error("without any fault, `{command}` ended with {status}")]
    Baseline {
        /// The command line.
        command: String,
        /// Its exit status.
        status: String,
    },
}

impl MutantsError {
    /// For `map_err`: the file that could not be read or written.
    pub fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> MutantsError {
        let path = path.into();
        move |source| MutantsError::File { path, source }
    }
}
