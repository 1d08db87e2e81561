//! Text cases: MIR files with their expected results in comments. There are two kinds, and each file is a named test:
//!
//! - **Cases that run** ([`case`]; the folders run, real and bugs). `; run: @f(7, -1, [00 ff]) == 3` calls `f` with
//!   integers in the argument registers and a buffer behind each bracket (hexadecimal bytes, zeros after them), and
//!   compares the result registers: one value, or `(low, high)` for two. Besides, every function in the file goes
//!   through every judge, under both allocators, on those inputs and on the usual ones.
//! - **Golden cases** ([`golden`]; a folder for each pass and `emit`): a function before a pass and the text after it.
//!
//! `; features: +m,+zbb` names the features in full; without it the target's usual ones are on. `; allocator:
//! fastalloc` chooses the allocator of a golden case. [`sizes`] is the golden table of code sizes for who
//! reads a change, and `costs.txt` the ledger that `tribunal fuzz` compares. [`programs`] is apart: whole C programs,
//! compiled, linked and run by commands.
//!
//! `BLESS=1` rewrites every expectation that a program computes: golden cases and the table. Answers of `; run:` are
//! not computed here, so nothing rewrites them.

pub mod case;
pub mod golden;
pub mod programs;
pub mod sizes;

pub use case::{CaseError, CaseFile, run};
