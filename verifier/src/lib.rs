//! The judges that reason: machine verifier, allocation checker, SMT prover.
//!
//! Architecture invariant: nothing here depends on codegen or on the emulator. A judge is handed values: a function, a
//! (selected, allocated) pair, a rewrite step.

pub mod allocation;
pub mod machine_verifier;
pub mod prover;
pub mod rule_tables;
pub mod violation;

pub use violation::Violation;
