//! Two stages of the same functions, from this project or from LLVM: the prover's verdict on each pair, and where that is
//! `unknown`, executions of both stages on the same inputs, which alone can refute.

use crate::harness::expected;
use crate::inputs::{self, Plan};
use std::collections::BTreeMap;
use tribunal_emulator::interpreter::{Interpreter, Settings};
use tribunal_emulator::observation::{Outcome, compare};
use tribunal_ir::{Function, Module};
use tribunal_target::Target;
use tribunal_verifier::prover::{self, Pair, Verdict};

/// The verdict on one pair of functions.
pub struct Judged {
    pub function: String,
    pub kind: Kind,
    /// Blocks of which each was proved.
    pub blocks: u64,
}

/// `refuted` only with an input on which both were executed and differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Proved,
    Refuted(String),
    Unknown(String),
    Unsupported(String),
}

/// Inputs on which a pair is executed that is not proved.
const INPUTS: u32 = 96;

/// Judges each function of `before` against the function of its name in `after`; one without a partner is refuted as gone.
pub fn validate(before: &Module, after: &Module, target: &'static Target) -> Vec<Judged> {
    let by_name: BTreeMap<&str, &Function> =
        after.functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let judged = before.functions.iter().map(|function| {
        let Some(other) = by_name.get(function.name.as_str()) else {
            let kind = Kind::Unsupported("a function that only one file has".to_string());
            return Judged { function: function.name.clone(), kind, blocks: 0 };
        };
        let (verdict, blocks) = prover::validate(target, Pair { before: function, after: other });
        let kind = match verdict {
            Verdict::Proved { .. } => Kind::Proved,
            Verdict::Unsupported(feature) => Kind::Unsupported(feature),
            Verdict::Unknown(reason) => executed(function, other, target).map_or(Kind::Unknown(reason), Kind::Refuted),
            // The prover refutes no function by itself: its relations may be too weak.
            Verdict::Refuted(_) => Kind::Unknown("refuted without an execution".to_string()),
        };
        Judged { function: function.name.clone(), kind, blocks }
    });
    judged.collect()
}

/// An input on which the later stage does what the earlier one does not allow, in words.
fn executed(before: &Function, after: &Function, target: &'static Target) -> Option<String> {
    let (source, result) = (Interpreter::new(before, target), Interpreter::new(after, target));
    for input in inputs::inputs(before, target, Plan { count: INPUTS, seed: 1 }) {
        let Ok(Some(allowed)) = expected(&source, &input) else { continue };
        // Legalized code takes more steps for the same way.
        let settings = Settings { fuel: crate::harness::FUEL * 64, events: 0 };
        let Ok(run) = result.run(&input, settings) else { continue };
        let found = match run.observation.outcome {
            Outcome::Undefined => Some("undefined behaviour".to_string()),
            Outcome::Returned => {
                let results: Vec<u64> = run.observation.returned.iter().map(|(_, _, known)| known.value).collect();
                let bytes = |buffer: &Vec<(u8, u8)>| buffer.iter().map(|&(byte, _)| byte).collect();
                let buffers: Vec<Vec<u8>> = run.observation.buffers.iter().map(bytes).collect();
                compare(&allowed, &results, &buffers).err().map(|mismatch| mismatch.to_string())
            }
            Outcome::Open | Outcome::OutOfFuel => None,
        };
        if let Some(found) = found {
            let registers: Vec<String> = input.registers.iter().map(|(_, value)| format!("{value:#x}")).collect();
            return Some(format!("on ({}): {found}", registers.join(", ")));
        }
    }
    None
}
