//! The fuzzer: programs from bytes, their mutation and reduction, campaigns, planted faults.
//!
//! Every program goes before the judges of `tribunal-trial`; this crate has no judge of its own.

#![forbid(unsafe_code)]

pub mod campaign;
pub mod corpus;
pub mod costs;
pub mod coverage;
pub mod edit;
pub mod fixed_programs;
pub mod generator;
pub mod known;
pub mod liars;
pub mod mutate;
pub mod opcodes;
pub mod peer;
pub mod reduce;
pub mod sabotage;
pub mod targets;
