//! What runs day and night: programs from bytes, every judge on each, findings that name the guilty rule.
//!
//! This crate and the command line are the only places where the backend and the judges meet.

pub mod blame;
pub mod bless;
pub mod campaign;
pub mod catalogue;
pub mod corpus;
pub mod counterexample;
pub mod crash;
pub mod edit;
pub mod finding;
pub mod generator;
pub mod harness;
pub mod inputs;
pub mod ledger;
pub mod mutate;
pub mod questions;
pub mod reduce;
pub mod sabotage;
pub mod tables;
pub mod validate;
mod world;

pub use finding::{Finding, Judge, Tally};
pub use harness::{Harness, HarnessError, Saboteur, Watch};

use arbitrary::Unstructured;
use std::cell::RefCell;
use tribunal_codegen::{Allocator, Options};

/// The body of the differential fuzz target: a function for each target out of `bytes`, every judge on it. Panics on a
/// finding, which is how libFuzzer is told.
pub fn differential(bytes: &[u8]) {
    thread_local! {
        static HARNESSES: RefCell<Vec<Harness>> = RefCell::new(
            tribunal_target::ALL
                .iter()
                .map(|&target| {
                    let options = Options { features: target.default_features, allocator: Allocator::Ion };
                    Harness::new(target, options).expect("the emulator starts")
                })
                .collect(),
        );
    }
    HARNESSES.with_borrow_mut(|harnesses| {
        for harness in harnesses {
            let Ok(function) = generator::generate(&mut Unstructured::new(bytes), harness.target(), "f") else {
                continue;
            };
            assert!(harness.accepts(&function), "the generator wrote a function that the verifier rejects");
            let tally = harness.trial(&function, inputs::Plan { count: 16, seed: bytes.len() as u64 });
            if let Some(finding) = tally.findings.first() {
                let text = crash::print(harness.target(), harness.options(), &function, finding);
                panic!("{finding}\n{text}");
            }
        }
    });
}
