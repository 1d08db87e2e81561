//! Text cases: MIR files whose head comments say what must come out.
//!
//! `; run: @f(7, -1, [00 ff]) == 3` calls `f` with integers in the argument registers and a buffer behind each bracket
//! (hexadecimal bytes, zeros after them), and compares the result registers: one value, or `(low, high)` for two.
//! `; features: +m,+zbb` names the features in full; without it the target's usual ones are on.
//! Whatever the file says, every function in it is put before every judge, under both allocators, on those inputs and on the
//! usual ones.

pub mod case;
pub mod expectation;

pub use case::{CaseError, run};
