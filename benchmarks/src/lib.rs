//! Measures this project and its peers, and writes `docs/benchmarks.md` whole.
//!
//! A section of that file is a row of [`sections::ALL`]: the commands that make its figures, as a person types them,
//! and the tables that show their JSON. [`measure`] runs the commands of one section and keeps their output as a
//! [`record::Record`] under `target/benchmarks`, with its date and commit. [`page`] writes all sections from these
//! records. So one section is measured anew without the others, and an interrupted run loses only the section in
//! progress.
//!
//! To add a section: a row in [`sections::ALL`], and its record of a short run in `benchmarks/tests/samples`, which the
//! tests render. Its command has a flag `--json` that prints one object on the last line of standard output.
//!
//! Invariant: every figure in `docs/benchmarks.md` stands in a record; a section that failed shows no figures.

pub mod machine;
pub mod measure;
pub mod page;
pub mod record;
pub mod section;
pub mod sections;
pub mod table;

use std::path::PathBuf;

/// The reason why the whole command stops.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No section has this name.
    #[error("unknown section `{0}`; known are {known}", known = sections::names())]
    UnknownSection(String),
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A kept record is damaged.
    #[error("{path}: not a record of a section: {source}", path = path.display())]
    Record {
        /// The record's file.
        path: PathBuf,
        /// The place and the fault.
        source: serde_json::Error,
    },
}
