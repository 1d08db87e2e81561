//! The emulator as a judge: machine code on inputs, compared with the interpreter's runs of the source.
//!
//! Invariant: an input counts as an execution only where the source fixes what must come out, whatever its
//! nondeterministic choices and the layout of its stack objects: it returns, or comes to a callee that does not, or
//! makes volatile accesses forever.

use crate::finding::{Finding, Inconclusive, Judge};
use crate::image::{ObjectError, call_sites, loaded, module_defect, unlinked};
use crate::inputs::{self, Pointers};
use crate::judges::{Bench, JudgeRow, Session, WrongRun};
use crate::kind::FindingKind;
use crate::repair;
use crate::words;
use std::borrow::Cow;
use tribunal_codegen::CompileError;
use tribunal_codegen::pipeline::Code;
use tribunal_emulator::FaultKind;
use tribunal_emulator::input::{Input, OTHER_FRAME};
use tribunal_emulator::interpreter::{Execution, Interpreter, KeptAccesses, Settings};
use tribunal_emulator::machine::{Emulator, LoadedObject, MachineError, MachineFault, MachineRun, OBJECT_BYTES};
use tribunal_emulator::observation::{
    Mismatch, Observation, Outcome, compare, compare_accesses, compare_first_accesses,
};
use tribunal_ir::semantics::Unsupported;
use tribunal_ir::{AddressBase, AddressData, Function, PReg, Stage, Vocabulary};
use tribunal_target::Target;
use tribunal_target::frame_records::FrameQuery;

/// Instructions that the interpreter may take on one input; machine code gets many times as many.
pub const FUEL: u64 = 1 << 16;
const MACHINE_FUEL: u64 = FUEL * 64;

/// Repairs of inputs that may fail before one succeeds; each success allows one failure more. A function may be
/// undefined on all inputs.
pub(crate) const FIRST_REPAIRS: u32 = 4;

/// Runs the code on every input of the session.
pub(crate) struct EmulatorRow;

impl JudgeRow for EmulatorRow {
    fn judge(&self) -> Judge {
        Judge::Emulator
    }

    fn code(&self, session: &mut Session<'_>, code: &Code) {
        let (function, target) = (session.source, session.bench.target);
        let results = inputs::shown(function, target);
        if let Some(wrong) = words::met(target, &session.bench.wrong_words, &code.bytes) {
            // One defect is one finding: runs would show it again.
            return session.tally.findings.push(Finding::emission(wrong.details.clone()));
        }
        let looks = session.judges.watches_closely();
        if looks {
            match module_defect(code, function, target) {
                Ok(None) => {}
                Ok(Some(defect)) => return session.tally.findings.push(Finding::emission(defect)),
                Err(CompileError::Unsupported { feature, .. }) => return session.tally.unsupported(feature),
                Err(error) => return session.tally.findings.push(Finding::emission(error.to_string())),
            }
        }
        let object = match loaded(code, function, target) {
            Ok(object) => object,
            Err(error) if error.is_unsupported() => return session.tally.unsupported(error.to_string()),
            Err(error) => return session.tally.findings.push(broken_object(&error)),
        };
        let objects: u64 = function.stack.values().map(|object| object.size).sum();
        if objects > OBJECT_BYTES {
            return session.tally.unsupported(format!("runs of a frame of {objects} bytes"));
        }
        let machine = match session.bench.machine_for(&code.bytes, function.is_strict()) {
            Ok(machine) => machine,
            Err(error) => return session.tally.unsupported(error.to_string()),
        };
        let watched = machine.watch_alignment(session.judges.watches_closely());
        let loaded = watched.and_then(|()| load(machine, code, object.as_ref(), function));
        if let Err(error) = loaded {
            return session.tally.unsupported(error.to_string());
        }
        let interpreter = Interpreter::new(function, target);
        let runs = interpreter.run_all(session.inputs, SETTINGS);
        let (mut repairs, mut right) = (FIRST_REPAIRS, None);
        for (input, run) in session.inputs.iter().zip(runs) {
            match judged(&interpreter, &mut session.bench.machine, input, run, &results, &mut repairs) {
                Ok(InputRun::Right) => {
                    session.tally.executions += 1;
                    right = Some(input);
                }
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
        if let Some(input) = right.filter(|_| session.judges.watches_closely()) {
            step(session, code, object.as_ref(), &interpreter, input);
        }
        // Inputs have no stack for a prologue that the source holds itself.
        if session.tally.executions == 0 && function.stage >= Stage::FrameLowered {
            session.tally.unsupported(format!("runs of a source at stage {}", function.stage));
        }
    }
}

/// Loads the code, or its object on a target that has objects.
fn load(
    machine: &mut Emulator,
    code: &Code,
    object: Option<&LoadedObject>,
    function: &Function,
) -> Result<(), MachineError> {
    machine.record_accesses(function.has_volatile_accesses())?;
    match object {
        Some(object) => machine.load_linked(&object.unlinked(), &call_sites(code)),
        None => machine.load_linked(&unlinked(code, function, machine.target()), &call_sites(code)),
    }
}

/// Runs code that Unicorn runs rightly on this input by the definitions of its instructions. The prover reads the same
/// definitions, but none of those instructions that only later passes write.
fn step(
    session: &mut Session<'_>,
    code: &Code,
    object: Option<&LoadedObject>,
    interpreter: &Interpreter<'_>,
    input: &Input,
) {
    let function = session.source;
    let Bench { target, options, machine, stepper, .. } = &mut *session.bench;
    if machine.is_stepper() {
        return;
    }
    let stepping = || Emulator::stepping(target).map(|stepping| stepping.with_features(options.features));
    let Ok(machine) = stepper.take().map_or_else(stepping, Ok) else { return };
    let machine = stepper.insert(machine);
    if object.is_some() {
        machine.watch_unwinding();
    }
    let loaded = load(machine, code, object, function);
    let (results, run) = (inputs::shown(function, target), interpreter.run(input, SETTINGS));
    match loaded.map(|()| judged(interpreter, machine, input, run, &results, &mut 0)) {
        Ok(Ok(InputRun::Wrong(WrongRun { input, kind, details }))) => {
            let (kind, guilty) = match kind {
                FaultKind::Unwinding => (FindingKind::Run(kind), FRAME.to_string()),
                _ => (FindingKind::Definition, DEFINITIONS.to_string()),
            };
            let finding = Finding { judge: Judge::Emulator, kind, guilty, details, input: Some(input) };
            session.tally.findings.push(finding);
        }
        // Unicorn's run counts; this one has nothing more to say.
        Ok(Ok(InputRun::Right | InputRun::Inconclusive(_)) | Err(_)) | Err(_) => {}
    }
}

/// The guilty name in findings about the unwinder's table.
const FRAME: &str = "frame";
/// The guilty name in findings about the definitions of machine instructions.
const DEFINITIONS: &str = "definitions";

/// The finding that emission wrote an object that is none, or another one than the code.
pub(crate) fn broken_object(error: &ObjectError) -> Finding {
    Finding::emission(error.to_string())
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

/// The number of queries about frames that read a frame record.
pub(crate) fn record_queries(function: &Function, target: &Target) -> usize {
    let query = |inst| FrameQuery::of(function, target, function.inst(inst));
    function.all_insts().filter_map(query).filter(|query| query.records() > 0).count()
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
    let is_block = |address: &AddressData| matches!(address.base, AddressBase::Block { .. });
    let has_no_object = |function: &&Function| {
        function.stack.is_empty() && function.fixed_stack.is_empty() && !function.addresses.values().any(is_block)
    };
    interpreter.functions().iter().all(has_no_object) || run().as_ref() == Some(expected)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Harness;
    use crate::inputs::Plan;
    use tribunal_codegen::{NoObserver, Options};
    use tribunal_ir::semantics::Value as AnyValue;
    use tribunal_ir::{InstData, Opcode, Operand, text};
    use tribunal_target::aarch64::AARCH64;
    use tribunal_target::meaning::AnyDomain;
    use tribunal_target::{MachineEvaluation, Made, Target};

    type Evaluated<'d> = Result<MachineEvaluation<dyn AnyDomain + 'd>, Unsupported>;

    /// `movk` that inserts another number: no rule of selection writes one for this constant, emission does.
    fn meaning<'d>(
        d: &mut (dyn AnyDomain + 'd),
        target: &Target,
        inst: &InstData,
        args: &[AnyValue<dyn AnyDomain + 'd>],
    ) -> Evaluated<'d> {
        let mut inst = inst.clone();
        if let (Opcode::Target(opcode), Some(Operand::Imm(piece))) = (inst.opcode, inst.operands.get_mut(2))
            && target.instruction(opcode).name == "MOVKXi"
        {
            *piece ^= 1;
        }
        (AARCH64.meaning)(d, target, &inst, args)
    }

    static WRONG: Target = Target { elf: None, meaning, made: Made::new(), ..AARCH64 };

    /// The bits of an address that the object's alignment leaves free are nobody's promise, down to the lowest.
    #[test]
    fn every_free_bit_of_an_address_is_another_elsewhere() {
        for (align, bit) in [(8, 8), (4, 4), (1, 1), (1, 2), (16, 16)] {
            let text = format!(
                "---\nname: f\nstack:\n  - {{ id: 0, size: 16, alignment: {align} }}\nbody: |\n  bb.0:\n    \
                 %0:_(p0) = G_FRAME_INDEX %stack.0\n    %1:_(s64) = G_PTRTOINT %0\n    %2:_(s64) = G_CONSTANT i64 {bit}\n    \
                 %3:_(s64) = G_AND %1, %2\n    $x0 = COPY %3\n    RET_ReallyLR implicit $x0\n...\n"
            );
            let module = text::parse_module(&text, AARCH64.vocabulary).expect("the text is MIR");
            let function = &module.whole().expect("each is read").functions[0];
            let (interpreter, input) = (Interpreter::new(function, &AARCH64), Input::default());
            let expected = expected(&interpreter, &input).expect("it has a meaning").expect("it is defined");
            assert!(!is_address_independent(&interpreter, &input, &expected), "alignment {align}, bit {bit}");
        }
    }

    #[test]
    fn a_definition_that_only_emitted_code_needs_is_compared_with_unicorn() {
        let text = "---\nname: f\nbody: |\n  bb.0:\n    %0:_(s64) = G_CONSTANT i64 20014547599360\n    $x0 = COPY %0\n    RET_ReallyLR implicit $x0\n...\n";
        let module = text::parse_module(text, AARCH64.vocabulary).expect("the text is MIR");
        let function = &module.whole().expect("each is read").functions[0];
        let mut harness = Harness::new(&AARCH64, Options::new(AARCH64.default_features)).expect("Unicorn works");
        let plan = Plan { count: 1, seed: 0 };
        assert!(harness.trial(function, plan).findings.is_empty());
        harness.bench.stepper = Some(Emulator::stepping(&WRONG).expect("the stepper works"));
        let findings = harness.trial(function, plan).findings;
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!((finding.kind, finding.guilty.as_str()), (FindingKind::Definition, "definitions"));
        let again = harness.reproduce(function, finding, &mut NoObserver).expect("the fault is there");
        assert!(again.is_same_fault(finding));
    }
}
