//! The judges that reason: machine verifier, allocation checker, SMT prover with its translation validator, and the
//! check of legality tables.
//!
//! Architecture invariant: nothing here depends on codegen or on the emulator. A judge takes values: a function, a
//! (selected, allocated) pair, a rewrite step.

pub mod allocation;
pub mod definitions;
pub mod machine_verifier;
pub mod prover;
pub mod rule_tables;
pub mod violation;

pub use violation::Violation;
