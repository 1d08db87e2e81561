//! The emulator as a judge: machine code on inputs, compared with the interpreter's runs of the source.
//!
//! Invariant: an input counts as an execution only where the source fixes what must come out, whatever its
//! nondeterministic choices and the layout of its stack objects: it returns, or comes to a callee that does not, or
//! makes volatile accesses forever.

use crate::finding::{Finding, Inconclusive, Judge};
use crate::image::{ObjectError, call_sites, loaded, unlinked};
use crate::inputs::{self, Pointers};
use crate::judges::{JudgeRow, Session, WrongRun};
use crate::kind::FindingKind;
use crate::repair;
use std::borrow::Cow;
use tribunal_codegen::pipeline::Code;
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::{Input, OTHER_FRAME};
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::{Emulator, MachineFault, MachineRun};
use tribunal_emulator::observation::{
    Mismatch, Observation, Outcome, compare, compare_accesses, compare_first_accesses,
};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{PReg, Stage, Vocabulary};

/// Instructions that the interpreter may take on one input; machine code gets many times as many.
pub const FUEL: u64 = 1 << 16;
const MACHINE_FUEL: u64 = FUEL * 64;

/// Repairs of inputs that may fail before one succeeds; each success allows one failure more. A function may be
/// undefined on all inputs.
pub(crate) const FIRST_REPAIRS: u32 = 2;

/// Runs the code on every input of the session.
pub(crate) struct EmulatorRow;

impl JudgeRow for EmulatorRow {
    fn judge(&self) -> Judge {
        Judge::Emulator
    }

    fn code(&self, session: &mut Session<'_>, code: &Code) {
        let (function, target) = (session.source, session.bench.target);
        let results = inputs::results(function, target);
        let object = match loaded(code, function, target) {
            Ok(object) => object,
            Err(error) if error.is_unsupported() => return session.tally.unsupported(error.to_string()),
            Err(error) => return session.tally.findings.push(broken_object(&error)),
        };
        let machine = match session.bench.machine_for(&code.bytes) {
            Ok(machine) => machine,
            Err(error) => return session.tally.unsupported(error.to_string()),
        };
        let watched = machine.watch_alignment(session.judges.watches_alignment());
        let loaded = watched.and_then(|()| machine.record_accesses(function.has_volatile_accesses()));
        let load = |()| match &object {
            Some(object) => machine.load_linked(&object.unlinked(), &call_sites(code)),
            None => machine.load_linked(&unlinked(code, function, target), &call_sites(code)),
        };
        if let Err(error) = loaded.and_then(load) {
            return session.tally.unsupported(error.to_string());
        }
        let interpreter = Interpreter::new(function, target);
        let runs = interpreter.run_all(session.inputs, SETTINGS);
        let mut repairs = FIRST_REPAIRS;
        for (input, run) in session.inputs.iter().zip(runs) {
            match judged(&interpreter, &mut session.bench.machine, input, run, &results, &mut repairs) {
                Ok(InputRun::Right) => session.tally.executions += 1,
                Ok(InputRun::Inconclusive(reason)) => session.tally.inconclusive(reason),
                Ok(InputRun::Wrong(wrong)) => {
                    session.tally.executions += 1;
                    // One finding a function: the other inputs would show the same fault.
                    session.wrong = Some(wrong);
                    return;
                }
                Err(unsupported) => return session.tally.unsupported(unsupported),
            }
        }
        // Inputs have no stack for a prologue that the source holds itself.
        if session.tally.executions == 0 && function.stage >= Stage::FrameLowered {
            session.tally.unsupported(format!("runs of a source at stage {}", function.stage));
        }
    }
}

/// The finding that emission wrote an object that is none, or another one than the code.
pub(crate) fn broken_object(error: &ObjectError) -> Finding {
    let (kind, guilty) = (FindingKind::Contract, "emit".to_string());
    Finding { judge: Judge::Emulator, kind, guilty, details: error.to_string(), input: None }
}

/// The result of one input.
pub(crate) enum InputRun {
    Right,
    Wrong(WrongRun),
    Inconclusive(Inconclusive),
}

/// Runs the code that is loaded on an input on which the source was run; `repairs` may fail yet.
pub(crate) fn judged(
    interpreter: &Interpreter<'_>,
    machine: &mut Emulator,
    input: &Input,
    run: Result<Execution, Unsupported>,
    results: &[PReg],
    repairs: &mut u32,
) -> Result<InputRun, String> {
    let mut execution = run.map_err(|unsupported| unsupported.feature)?;
    let mut input = Cow::Borrowed(input);
    if *repairs > 0 && repair::is_broken(&execution) {
        match repair::repaired(interpreter, &input, Pointers::Aliasing) {
            Some(repaired) => {
                execution = interpreter.run(&repaired, SETTINGS).map_err(|unsupported| unsupported.feature)?;
                input = Cow::Owned(repaired);
                *repairs += 1;
            }
            None => *repairs -= 1,
        }
    }
    let promised = match promised(execution) {
        Ok(promised) => promised,
        Err(reason) => return Ok(InputRun::Inconclusive(reason)),
    };
    let Promised { expected, fuel } = &promised;
    let run = machine.run_with_calls(&input, results, *fuel, &expected.calls).map_err(|error| error.to_string())?;
    match wrong(&promised, &run, interpreter.target().vocabulary) {
        Ok(None) => Ok(InputRun::Right),
        Ok(Some(_)) if !is_address_independent(interpreter, &input, expected) => {
            Ok(InputRun::Inconclusive(Inconclusive::Addresses))
        }
        Ok(Some((kind, details))) => Ok(InputRun::Wrong(WrongRun { input: input.into_owned(), kind, details })),
        Err(reason) => Ok(InputRun::Inconclusive(reason)),
    }
}

/// The settings for interpreting a source.
pub(crate) const SETTINGS: Settings = Settings { fuel: FUEL, events: 0, accesses: KeptAccesses::Volatile };

/// What a run of the source promises, whatever its nondeterministic choices.
struct Promised {
    /// The observation; of a run that does not end, up to where it was left.
    expected: Observation,
    /// Instructions that machine code may take.
    fuel: u64,
}

fn promised(Execution { observation: expected, instructions, .. }: Execution) -> Result<Promised, Inconclusive> {
    match expected.outcome {
        Outcome::Returned | Outcome::Stopped => Ok(Promised { expected, fuel: MACHINE_FUEL }),
        // A device sees the accesses of a loop that does not end.
        Outcome::OutOfFuel if !expected.accesses.is_empty() => Ok(Promised { expected, fuel: 4 * instructions }),
        Outcome::OutOfFuel => Err(Inconclusive::OutOfFuel),
        Outcome::Undefined => Err(Inconclusive::Undefined),
        Outcome::Unconstrained => Err(Inconclusive::Unconstrained),
        Outcome::TooDeep => Err(Inconclusive::TooDeep),
    }
}

/// The source's observation, valid whatever the nondeterministic choices; `None` if the source determines none.
pub(crate) fn expected(interpreter: &Interpreter<'_>, input: &Input) -> Result<Option<Observation>, Unsupported> {
    interpreter.run(input, SETTINGS).map(|execution| promised(execution).ok().map(|promised| promised.expected))
}

/// True if the source's observation is address-independent: the same for any layout of its stack objects.
pub(crate) fn is_address_independent(interpreter: &Interpreter<'_>, input: &Input, expected: &Observation) -> bool {
    let elsewhere = interpreter.clone().with_frame(OTHER_FRAME);
    let run = || elsewhere.run(input, SETTINGS).ok().map(|execution| execution.observation);
    interpreter.functions().iter().all(|function| function.stack.is_empty()) || run().as_ref() == Some(expected)
}

/// The kind of fault that a run shows, and its description; the reason if it shows nothing.
fn wrong(
    promised: &Promised,
    run: &MachineRun,
    registers: &dyn Vocabulary,
) -> Result<Option<(FaultKind, String)>, Inconclusive> {
    let Promised { expected, .. } = promised;
    let fault = run.fault.as_ref().map(|fault| (fault.kind(), fault.to_string()));
    let shown = |mismatch: Mismatch| (mismatch.kind(), mismatch.to_string());
    if expected.outcome == Outcome::OutOfFuel {
        return match (compare_first_accesses(expected, &run.accesses), run.fault.as_ref()) {
            (Err(mismatch), _) => Ok(Some(shown(mismatch))),
            (Ok(true), _) => Ok(None),
            (Ok(false), Some(MachineFault::OutOfFuel(_))) => Err(Inconclusive::OutOfFuel),
            (Ok(false), _) => Ok(fault.or_else(|| compare_accesses(expected, &run.accesses).err().map(shown))),
        };
    }
    let compared = || compare(expected, run.results_of(expected, registers), &run.buffers);
    let mismatch = || compared().and_then(|()| compare_accesses(expected, &run.accesses)).err().map(shown);
    Ok(fault.or_else(mismatch))
}
