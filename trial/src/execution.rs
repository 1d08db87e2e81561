//! The emulator as a judge: machine code on inputs, compared with the interpreter's runs of the source.
//!
//! Invariant: an input counts as an execution only where the source fixes what must come out: it returns, whatever its
//! nondeterministic choices, and does the same for any layout of its stack objects.

use crate::finding::Judge;
use crate::inputs;
use crate::judges::{JudgeRow, Session, WrongRun};
use tribunal_codegen::pipeline::Code;
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::{Input, OTHER_FRAME};
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::{CallSite, MachineRun};
use tribunal_emulator::observation::{Observation, compare, compare_accesses};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{Function, Stage};
use tribunal_target::Target;

/// Instructions that the interpreter may take on one input; machine code gets many times as many.
pub const FUEL: u64 = 1 << 16;
const MACHINE_FUEL: u64 = FUEL * 64;

/// Runs the code on every input of the session.
pub(crate) struct EmulatorRow;

impl JudgeRow for EmulatorRow {
    fn judge(&self) -> Judge {
        Judge::Emulator
    }

    fn code(&self, session: &mut Session<'_>, code: &Code) {
        let (function, target) = (session.source, session.bench.target);
        let results = inputs::results(function, target);
        let machine = &mut session.bench.machine;
        let loaded = machine.record_accesses(function.has_volatile_accesses());
        if let Err(error) = loaded.and_then(|()| machine.load(&code.bytes, &call_sites(code))) {
            return session.tally.unsupported(error.to_string());
        }
        let expected = Interpreter::new(function, target).run_all(session.inputs, SETTINGS);
        for (input, expected) in session.inputs.iter().zip(expected) {
            let expected = match expected.map(promised) {
                Ok(Some(expected)) => expected,
                Ok(None) => {
                    session.tally.inconclusive += 1;
                    continue;
                }
                Err(unsupported) => return session.tally.unsupported(unsupported.feature),
            };
            let run = match session.bench.machine.run_with_calls(input, &results, MACHINE_FUEL, &expected.calls) {
                Ok(run) => run,
                Err(error) => return session.tally.unsupported(error.to_string()),
            };
            let wrong = wrong(&expected, &run);
            if wrong.is_some() && !is_address_independent(function, target, input, &expected) {
                session.tally.inconclusive += 1;
                continue;
            }
            session.tally.executions += 1;
            if let Some((kind, details)) = wrong {
                // One finding a function: the other inputs would show the same fault.
                session.wrong = Some(WrongRun { input: input.clone(), kind, details });
                return;
            }
        }
        // Inputs have no stack for a prologue that the source holds itself.
        if session.tally.executions == 0 && function.stage >= Stage::FrameLowered {
            session.tally.unsupported(format!("runs of a source at stage {}", function.stage));
        }
    }
}

/// The calls of the code, for an emulator.
pub fn call_sites(code: &Code) -> Vec<CallSite<'_>> {
    code.calls.iter().map(|call| CallSite { offset: call.offset, symbol: &call.symbol }).collect()
}

/// The source's observation, valid whatever the nondeterministic choices; `None` if the source determines none.
pub(crate) fn expected(interpreter: &Interpreter<'_>, input: &Input) -> Result<Option<Observation>, Unsupported> {
    interpreter.run(input, SETTINGS).map(promised)
}

/// The settings for interpreting a source.
const SETTINGS: Settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };

/// The observation that a run of the source promises.
fn promised(Execution { observation, .. }: Execution) -> Option<Observation> {
    observation.outcome.is_determined().then_some(observation)
}

/// True if the source's observation is address-independent: the same for any layout of its stack objects.
pub(crate) fn is_address_independent(
    function: &Function,
    target: &'static Target,
    input: &Input,
    expected: &Observation,
) -> bool {
    let elsewhere = Interpreter::new(function, target).with_frame(OTHER_FRAME);
    function.stack.is_empty()
        || self::expected(&elsewhere, input).is_ok_and(|elsewhere| elsewhere.as_ref() == Some(expected))
}

/// The kind of fault that a run shows, and its description.
fn wrong(expected: &Observation, run: &MachineRun) -> Option<(FaultKind, String)> {
    if let Some(fault) = &run.fault {
        return Some((fault.kind(), fault.to_string()));
    }
    let compared = compare(expected, &run.results, &run.buffers);
    let mismatch = compared.and_then(|()| compare_accesses(expected, &run.accesses)).err()?;
    Some((mismatch.kind(), mismatch.to_string()))
}
