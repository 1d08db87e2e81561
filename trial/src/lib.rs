//! The trial: one function before every judge, findings that name the guilty rule, and crash files of them.
//!
//! The backend compiles a function while the judges watch each pass and each rewrite. Then the code runs on inputs of
//! [`inputs`], and the interpreter says what must come out. [`validate`] judges two stages that somebody else wrote,
//! and [`catalogue`] judges every recipe there is.
//!
//! Architecture invariant: backend and judges meet in this crate, and it makes no programs: `tribunal-fuzz` does.

#![forbid(unsafe_code)]

pub mod bank_costs;
pub mod blame;
pub mod bless;
pub mod catalogue;
pub mod counterexample;
pub mod crash;
mod environment;
pub mod execution;
pub mod expectation;
mod explain;
pub mod features;
pub mod finding;
pub mod foreign;
mod frequencies;
pub mod guard;
pub mod harness;
pub mod image;
pub mod inputs;
mod judges;
pub mod kind;
pub mod ledger;
pub mod legality_answers;
pub mod machine_meanings;
pub mod machine_promises;
pub mod machine_sequences;
pub mod module_data;
pub mod pairs;
pub mod program;
mod promises;
pub mod questions;
pub mod raise;
mod repair;
mod resolution;
pub mod shown;
pub mod tables;
mod text;
pub mod together;
pub mod validate;
mod walks;
pub mod words;

pub use finding::{Finding, FindingSignature, Judge, Tally};
pub use harness::{Harness, HarnessError};
pub use judges::JudgeSet;
pub use kind::FindingKind;
