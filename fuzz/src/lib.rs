//! The fuzzer and its harness: programs from bytes, every judge on each, findings that name the guilty rule.
//!
//! Architecture invariant: this crate and the command line are the only places where the backend and the judges meet.

#![forbid(unsafe_code)]

pub mod blame;
pub mod bless;
pub mod campaign;
pub mod catalogue;
pub mod corpus;
pub mod counterexample;
pub mod coverage;
pub mod crash;
pub mod edit;
pub mod features;
pub mod finding;
pub mod generator;
pub mod guard;
pub mod harness;
pub mod inputs;
pub mod known;
pub mod ledger;
pub mod mutate;
pub mod opcodes;
pub mod questions;
pub mod reduce;
pub mod sabotage;
pub mod tables;
pub mod targets;
pub mod validate;
mod world;

pub use finding::{Finding, FindingSignature, Judge, Tally};
pub use harness::{Harness, HarnessError, Saboteur, Watch};
