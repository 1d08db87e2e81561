//! Real programs: the C files of `corpus/programs`, compiled by clang's front end and this backend, linked, run under
//! QEMU, and compared with the output in the file beside each.
//!
//! [`source`] finds the programs, [`platform`] says how one is built for a machine, [`toolchain`] builds and runs it,
//! [`verdict`] says how that ended, and [`known`] lists the programs that are known to be refused. [`native`] holds the
//! expected output to gcc and clang of this machine, [`csmith`] makes programs whose output they decide, and [`trial`]
//! puts programs before every judge, and [`bank_copies`] counts the copies from bank to bank that run.
//!
//! Invariant: only commands are run, as a person would type them. Nothing of the backend is called in this process, so
//! a crash or an endless loop of it is one program's verdict.

pub mod bank_copies;
pub mod command;
pub mod csmith;
pub mod known;
pub mod native;
pub mod platform;
pub mod source;
pub mod toolchain;
pub mod trial;
pub mod verdict;

pub use source::CProgram;
pub use toolchain::{Maker, Share, Toolchain};
pub use trial::ProgramTrial;
pub use verdict::{ProgramResult, ProgramVerdict};

use std::path::PathBuf;

/// The optimisation levels that programs are compiled at.
pub const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// The reason why no verdict could be reached.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A file that is missing, or cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A program that did not start.
    #[error("{program} does not start: {source}")]
    Start {
        /// Its name.
        program: String,
        /// The reason.
        source: std::io::Error,
    },
    /// A command of the toolchain, not of this project, that ended badly.
    #[error("{command}: {message}")]
    Failed {
        /// Its name.
        command: String,
        /// The first line of its complaint.
        message: String,
    },
    /// A table of the folder that does not read.
    #[error("{path}: {message}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The fault.
        message: String,
    },
    /// A program, target or level that is named and is not there.
    #[error("there is no {kind} `{name}`")]
    NoSuch {
        /// The kind of name.
        kind: &'static str,
        /// The name.
        name: String,
    },
}

impl ProgramError {
    /// Turns the error of a file into one that names it.
    pub fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ProgramError {
        let path = path.into();
        |source| ProgramError::File { path, source }
    }
}
