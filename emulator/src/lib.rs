//! The judges that run: an interpreter of the IR, and Unicorn or the machine stepper for the machine code.
//!
//! Architecture invariant: nothing here depends on codegen or on the verifier; a judge takes functions and bytes.

pub mod call;
pub mod fault;
pub mod globals;
pub mod input;
pub mod interpreter;
pub mod machine;
pub mod observation;
pub mod trap_names;

pub use fault::FaultKind;
pub use input::Input;
pub use observation::{BufferAccess, Mismatch, Observation, compare, compare_accesses};
