//! A section of `docs/benchmarks.md` as data: the commands that measure it, and the tables that show their output.

use crate::table::Part;

/// The default duration of the main job, in seconds.
pub const SECONDS_A_JOB: u64 = 300;

/// The other work where the main job takes [`SECONDS_A_JOB`]; all of it scales in proportion.
pub mod durations {
    /// Seconds of each further fuzzing job.
    pub const FURTHER_JOB: u64 = 60;
    /// Seconds of each libFuzzer target.
    pub const LIBFUZZER: u64 = 60;
    /// Seconds of reduction for each fault of `tribunal sabotage`.
    pub const REDUCTION: u64 = 20;
    /// Operands of each operation of floating point.
    pub const FLOAT_PAIRS: u64 = 1_000_000;
    /// Programs of csmith.
    pub const CSMITH: u64 = 20;
    /// Programs of `corpus/real`: all of them.
    pub const REAL: u64 = 9;
    /// Programs of each phase of the embedded loop's stages.
    pub const PHASES: [u64; 3] = [10_000, 30_000, 60_000];
}

/// The amount of work of a run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Seconds of the main job.
    pub seconds_a_job: u64,
    /// Threads of each command that can use several.
    pub jobs: usize,
}

impl Budget {
    /// An amount of [`durations`] in proportion, at least one.
    pub fn scaled(&self, amount: u64) -> u64 {
        (amount * self.seconds_a_job).div_ceil(SECONDS_A_JOB).max(1)
    }
}

/// One section.
pub struct Section {
    /// On the command line, and of the file that keeps its record.
    pub name: &'static str,
    /// Its heading in the file.
    pub heading: &'static str,
    /// The prose above its tables.
    pub about: &'static str,
    /// Tools that a machine may lack. Without one of them the section is not measured, and says so.
    pub needs: &'static [Need],
    /// Its commands, in order, scaled by the effort.
    pub steps: fn(&Budget) -> Vec<SectionStep>,
    /// Its tables, in order.
    pub parts: &'static [Part],
}

/// A tool, and the test for its presence.
pub struct Need {
    /// A command that succeeds where the tool is installed.
    pub command: &'static str,
    /// The section's message where it fails: `csmith is missing`.
    pub otherwise: &'static str,
}

/// One command of a section.
pub struct SectionStep {
    /// Names its output for the tables, and titles its column; none needs it if the output is not read.
    pub label: &'static str,
    /// For `bash -c` in the root of the workspace, with `tribunal` on the path.
    pub command: String,
    /// The form of its output.
    pub reading: Reading,
}

/// The conversion of a command's output to JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// It prepares a later command and shows nothing.
    Nothing,
    /// The last line of standard output is one object.
    Json,
    /// libFuzzer's log on standard error.
    LibFuzzer,
    /// The results of `cargo test`.
    Tests,
}

impl SectionStep {
    /// A command whose output is not read.
    pub fn preparation(command: impl Into<String>) -> SectionStep {
        SectionStep { label: "", command: command.into(), reading: Reading::Nothing }
    }

    /// A command whose last line of output is one object.
    pub fn json(label: &'static str, command: impl Into<String>) -> SectionStep {
        SectionStep { label, command: command.into(), reading: Reading::Json }
    }
}
