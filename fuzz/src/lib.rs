//! What runs day and night: programs from bytes, every judge on each, findings that name the guilty rule.
//!
//! This crate and the command line are the only places where the backend and the judges meet.

pub mod generator;
