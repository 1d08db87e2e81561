//! Runs emitted bytes in Unicorn: one engine for each target, whose code is replaced. Instructions that Unicorn lacks
//! run in the [`stepper`].
//!
//! Only the code's pages, one stack and the buffers' pages are mapped; any other access ends the run. Guard zones
//! around each buffer, the stack above the entry and the callee-saved registers hold patterns that are checked after
//! each run. So is the code: its pages are writable, since an engine whose map changes for each program drops all its
//! cached translations of addresses. Calls of the runtime library leave the engine, and [`runtime`] serves them.
//!
//! Properties of Unicorn that shape this file:
//!
//! - Its translations must be dropped by hand after code is written.
//! - Its timeout is slow.
//! - Its own limit of instructions costs a call for each of them, in translation too.
//! - A run up to an address ends with a search for translations there.
//!
//! So the hook of blocks counts fuel and knows the stop address.

mod accesses;
mod conventions;
mod engine;
mod engines;
mod error;
mod fault;
mod library;
mod linker;
mod loader;
mod runtime;
mod stepper;
mod unwind;
mod wide;

pub use engines::CodeDesc;
pub use error::MachineError;
pub use fault::MachineFault;
pub use linker::{LinkedPlace, Unlinked, UnlinkedTable, Unresolved};
pub use loader::{LoadedObject, ObjectLoadError, ObjectScope};
pub use runtime::CallSite;
pub use unwind::UnwindRow;

use crate::call::{CallScript, ExternalCall};
use crate::input::{
    BUFFER_PAGES, BUFFERS, GUARD, GUARD_BYTES, Input, PAGE, STACK_ARGUMENTS, THREAD_BLOCK, THREAD_BLOCK_BYTES,
    THREAD_POINTER, UNWRITTEN, unwritten_register,
};
use crate::observation::{BufferAccess, Observation};
use engine::{MachineEngine, unicorn};
use engines::EngineDesc;
use runtime::{Linked, RunEnd};
use smallvec::SmallVec;
use std::ops::Range;
use stepper::{Stepper, StepperError};
use tribunal_ir::{PReg, Vocabulary};
use tribunal_target::{Features, Target};
use unicorn_engine::{Prot, UcHookId};
use unwind::UnwindCheck;

/// The address of code, and the most bytes of it.
const CODE: u64 = 0x0040_0000;
const CODE_BYTES: u64 = 0x20_0000;
/// The return address of a run: it stops there.
const STOP: u64 = 0x0080_0000;
/// An address that is never mapped: the engine is asked to run up to there.
const NOWHERE: u64 = 0;
/// The stack, and the stack pointer on entry.
const STACK: u64 = 0x3000_0000;
const STACK_BYTES: u64 = 0x20_0000;
/// The largest objects together that a run has a stack for, in bytes, with room for spilled values and arguments.
pub const OBJECT_BYTES: u64 = STACK_BYTES - 0x2_0000;
const ENTRY_SP: u64 = STACK + STACK_BYTES - PAGE;
/// Bytes of the caller's frame that are checked.
const CALLER_BYTES: usize = 256;
/// Bytes below the stack pointer on entry that are the same for every run: code that reads one before it writes it
/// behaves the same again.
const FRAME_BYTES: usize = 8192;
const GUARD_PATTERN: [u8; GUARD_BYTES] = [UNWRITTEN; GUARD_BYTES];
/// The cost of a call, in instructions.
const CALL_COST: u64 = 4;

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineRun {
    /// Its fault, if it did something that no function may do.
    pub fault: Option<MachineFault>,
    /// Full result registers, in the order asked for.
    pub results: Vec<(PReg, u128)>,
    /// The contents of each buffer of the input after it.
    pub buffers: Vec<Vec<u8>>,
    /// Accesses to buffers in order, if they are recorded.
    pub accesses: Vec<BufferAccess>,
}

impl MachineRun {
    /// The result in each register in which the source returned on this input, as [`compare`] takes them. An execution
    /// ends in one of several returns, or in a call in place of one, so these are some of the registers asked for.
    ///
    /// [`compare`]: crate::observation::compare
    pub fn results_of<'r>(
        &'r self,
        source: &'r Observation,
        registers: &'r dyn Vocabulary,
    ) -> impl Fn(usize) -> Option<(u128, u32)> + 'r {
        move |index| {
            let full = registers.full_register(source.returned.get(index)?.0);
            let result = self.results.iter().find(|(register, _)| registers.full_register(*register) == full);
            result.map(|&(register, value)| (value, registers.register_bits(register)))
        }
    }
}

/// One engine.
pub struct Emulator {
    engine: MachineEngine,
    target: &'static Target,
    /// The full registers that the engine has.
    registers: Vec<PReg>,
    /// The engine's number of each.
    numbers: Vec<i32>,
    /// Unicorn's description, if it executes.
    row: Option<&'static EngineDesc>,
    /// Contents of each before a run, unless it is an argument.
    canaries: Vec<u64>,
    /// The stack pointer, then the registers that a function leaves as they were.
    kept: Vec<Kept>,
    /// The registers that a callee may change.
    changed: Vec<PReg>,
    /// Contents of each before the current run.
    values: Vec<u64>,
    /// A buffer between its guards.
    image: Vec<u8>,
    /// The code with the rest of its last page, as it was loaded.
    code: Vec<u8>,
    /// The code after a run.
    code_behind: Vec<u8>,
    /// The part of the code's pages that a thread's block begins with: what its variables are before a run.
    thread_data: Range<usize>,
    /// The code's calls.
    linked: Linked,
    /// Bytes of arguments on the stack in the current run.
    argument_bytes: usize,
    /// Whether the stepper asks the unwinder's table at each instruction.
    watches_unwinding: bool,
    /// The hook that records accesses in Unicorn.
    recorder: Option<UcHookId>,
    /// The hook that looks at the alignment of accesses there.
    watcher: Option<UcHookId>,
}

/// A register that a function preserves.
struct Kept {
    register: PReg,
    /// The engine's.
    number: Option<i32>,
    /// Its contents before a run.
    value: u64,
}

/// A distinct value for each register.
fn canary(target: &Target, register: PReg) -> u64 {
    fitting(target, register, unwritten_register(register))
}

/// The value that a register of the target holds before a run, unless it is an argument.
fn before_run(target: &Target, register: PReg) -> u64 {
    match register {
        register if register == target.abi.stack_pointer => ENTRY_SP,
        register if register == target.abi.return_address => STOP,
        register if conventions::thread_pointer(target) == Some(register) => THREAD_POINTER,
        // The default environment.
        register if target.abi.is_of_environment(register) => 0,
        register => canary(target, register),
    }
}

/// The bits that a full register holds; of one that is wider than 64 bits, those. Flags have a word, and their places
/// in it.
fn fitting(target: &Target, register: PReg, value: u64) -> u64 {
    value & (u64::MAX >> 64u32.saturating_sub(target.vocabulary.register_bits(register).max(32)))
}

impl Emulator {
    /// An engine that runs the target with these features.
    pub fn new(target: &'static Target, features: Features) -> Result<Emulator, MachineError> {
        Emulator::for_code(target, CodeDesc { features, bytes: &[], is_strict: false })
    }

    /// An engine that runs this code rightly.
    pub fn for_code(target: &'static Target, code: CodeDesc<'_>) -> Result<Emulator, MachineError> {
        let Some(row) = EngineDesc::for_code(target, code) else {
            return Ok(Emulator::stepping(target)?.with_features(code.features));
        };
        let mut engine = unicorn(row)?;
        for &(number, value) in row.set_up {
            engine.reg_write(number, value)?;
        }
        let engine = MachineEngine::Unicorn(Box::new(engine));
        let mut emulator = Emulator::with_engine(target, engine, |register| row.number(register))?;
        emulator.row = Some(row);
        emulator.watch_alignment(true)?;
        Ok(emulator.with_features(code.features))
    }

    /// True if [`Emulator::for_code`] gives this code an engine of this kind.
    pub fn runs(&self, code: CodeDesc<'_>) -> bool {
        EngineDesc::for_code(self.target, code).is_some() == matches!(self.engine, MachineEngine::Unicorn(_))
    }

    /// The machine stepper, whatever the features.
    pub fn stepping(target: &'static Target) -> Result<Emulator, MachineError> {
        Emulator::with_engine(target, MachineEngine::Stepper(Box::new(Stepper::new(target))), |register| {
            Some(register.0.into())
        })
    }

    /// The machine that it runs code of.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// True of the machine stepper, which runs code by the definitions that the prover reads.
    pub fn is_stepper(&self) -> bool {
        matches!(self.engine, MachineEngine::Stepper(_))
    }

    /// `number` gives the engine's number of a full register.
    fn with_engine(
        target: &'static Target,
        mut engine: MachineEngine,
        number: impl Fn(PReg) -> Option<i32>,
    ) -> Result<Emulator, MachineError> {
        engine.map(STOP, PAGE, Prot::READ | Prot::EXEC)?;
        engine.map(STACK, STACK_BYTES, Prot::READ | Prot::WRITE)?;
        engine.map(BUFFERS, BUFFER_PAGES * PAGE, Prot::READ | Prot::WRITE)?;
        engine.map(THREAD_BLOCK, THREAD_BLOCK_BYTES, Prot::READ | Prot::WRITE)?;
        engine.write(ENTRY_SP, &[UNWRITTEN; CALLER_BYTES])?;
        let full = (0..).map(PReg).zip(target.registers).filter(|(register, row)| row.full == *register);
        let is_held =
            |&register: &PReg| !target.vocabulary.is_zero_register(register) || target.abi.is_of_environment(register);
        let written = full.map(|(register, _)| register).filter(is_held);
        let registers = written.filter_map(|register| Some((register, number(register)?)));
        let (registers, numbers): (Vec<PReg>, Vec<i32>) = registers.unzip();
        let canaries: Vec<u64> = registers.iter().map(|&register| before_run(target, register)).collect();
        let kept = std::iter::once(target.abi.stack_pointer).chain(conventions::kept(target));
        let kept = kept.map(|register| {
            let place = registers.binary_search(&target.vocabulary.full_register(register)).ok();
            Kept { register, number: place.map(|place| numbers[place]), value: before_run(target, register) }
        });
        let kept = kept.collect();
        let (values, image) = (canaries.clone(), Vec::new());
        let (code, code_behind, linked, recorder) = (Vec::new(), Vec::new(), Linked::default(), None);
        Ok(Emulator {
            engine,
            target,
            registers,
            numbers,
            row: None,
            canaries,
            kept,
            changed: conventions::changed(target),
            values,
            image,
            code,
            code_behind,
            thread_data: 0..0,
            linked,
            argument_bytes: 0,
            watches_unwinding: false,
            recorder,
            watcher: None,
        })
    }

    /// From now on the stepper asks the unwinder's table of the object at each instruction. The code must be one
    /// function.
    pub fn watch_unwinding(&mut self) {
        self.watches_unwinding = true;
    }

    /// From now on functions may change the registers that the platform gives them.
    pub fn free_platform_registers(&mut self) {
        let free = conventions::platform(self.target);
        self.kept.retain(|kept| !free.contains(&kept.register));
    }

    /// Replaces the code, its calls linked.
    pub fn load(&mut self, code: &[u8], calls: &[CallSite<'_>]) -> Result<(), MachineError> {
        self.load_linked(&Unlinked { code, ..Unlinked::default() }, calls)
    }

    /// The same with addresses of symbols, and with jump tables.
    pub fn load_linked(&mut self, unlinked: &Unlinked<'_>, calls: &[CallSite<'_>]) -> Result<(), MachineError> {
        let mut linked = linker::link(self.target, unlinked)?;
        if linked.len() as u64 > CODE_BYTES {
            return Err(MachineError::TooMuchCode(linked.len()));
        }
        self.linked = runtime::link(self.target, &mut linked, calls, unlinked)?;
        // Code may be empty. Zeros follow it: no target has an instruction of zeros.
        linked.resize(linked.len().max(1).next_multiple_of(PAGE as usize), 0);
        if linked.len() != self.code.len() {
            let old = std::mem::take(&mut self.code);
            if !old.is_empty() {
                self.engine.unmap(CODE, old.len() as u64)?;
            }
            self.engine.map(CODE, linked.len() as u64, Prot::ALL)?;
        }
        if let MachineEngine::Stepper(stepper) = &mut self.engine {
            let kept = self.kept.iter().map(|kept| (kept.register, kept.value));
            let rows = unlinked.unwind.clone();
            let check = self.watches_unwinding.then(|| UnwindCheck::new(self.target, rows, kept));
            stepper.watch_unwinding(check);
        }
        self.code = linked;
        self.thread_data = unlinked.thread_data.clone();
        self.write_code()
    }

    fn write_code(&mut self) -> Result<(), MachineError> {
        self.engine.write(CODE, &self.code)?;
        if let MachineEngine::Unicorn(engine) = &mut self.engine {
            engine.ctl_remove_cache(CODE, CODE + self.code.len() as u64)?;
            // Each new block of code looks through all that Unicorn knows of pages: a program with a large frame would
            // slow down all after it.
            engine.ctl_flush_tlb()?;
        }
        Ok(())
    }

    /// A fault if the code is not as it was loaded; then it is restored.
    fn code_fault(&mut self) -> Result<Option<MachineFault>, MachineError> {
        self.code_behind.resize(self.code.len(), 0);
        self.engine.read(CODE, &mut self.code_behind)?;
        if self.code_behind == self.code {
            return Ok(None);
        }
        self.write_code()?;
        Ok(Some(MachineFault::Code))
    }

    /// Runs the code from its start. `results` are the full registers to read at the end. An unknown function that it
    /// calls is a fault.
    pub fn run(&mut self, input: &Input, results: &[PReg], fuel: u64) -> Result<MachineRun, MachineError> {
        self.run_with_calls(input, results, fuel, &[])
    }

    /// The same of code that must make these calls of unknown functions, which do what they did before.
    pub fn run_with_calls(
        &mut self,
        input: &Input,
        results: &[PReg],
        fuel: u64,
        calls: &[ExternalCall],
    ) -> Result<MachineRun, MachineError> {
        self.set_up(input)?;
        // A run that failed left its accesses.
        self.take_accesses(input);
        let ended = self.run_to_end(fuel, &mut CallScript::new(calls))?;
        let (returned, mut fault) = match ended {
            RunEnd::Returned => (true, None),
            RunEnd::Stopped => (false, None),
            RunEnd::Fault(fault) => (false, Some(fault)),
        };
        fault = fault.or(self.code_fault()?);
        let buffers = self.read_buffers(input, &mut fault)?;
        let left = self.left(results)?;
        if returned && fault.is_none() {
            fault = self.state_fault(&left[results.len()..])?;
        }
        let result = |(&register, low): (&PReg, u64)| match self.is_wide(register) {
            true => Ok((register, self.contents(register)?)),
            false => Ok((register, low.into())),
        };
        let results = results.iter().zip(left).map(result).collect::<Result<_, MachineError>>()?;
        Ok(MachineRun { fault, results, buffers, accesses: self.take_accesses(input) })
    }

    /// The contents of these registers, and of those of `kept`, after the run.
    fn left(&self, results: &[PReg]) -> Result<Vec<u64>, MachineError> {
        let registers = || results.iter().copied().chain(self.kept.iter().map(|kept| kept.register));
        let MachineEngine::Unicorn(engine) = &self.engine else {
            return registers().map(|register| self.read(register)).collect();
        };
        let kept = self.kept.iter().map(|kept| kept.number);
        let numbers: Option<SmallVec<[i32; 32]>> =
            results.iter().map(|&register| self.number(register)).chain(kept).collect();
        let Some(mut numbers) = numbers else { return registers().map(|register| self.read(register)).collect() };
        let count = numbers.len() as i32;
        let mut values = engine.reg_read_batch(&mut numbers, count)?;
        let full = registers().map(|register| self.target.vocabulary.full_register(register));
        values.iter_mut().zip(full).for_each(|(value, register)| *value = fitting(self.target, register, *value));
        Ok(values)
    }

    /// The place of the full register in `registers`.
    fn place(&self, register: PReg) -> Option<usize> {
        let full = self.target.vocabulary.full_register(register);
        self.registers.binary_search(&full).ok()
    }

    /// The engine's number of the full register.
    fn number(&self, register: PReg) -> Option<i32> {
        self.place(register).map(|place| self.numbers[place])
    }

    fn read(&self, register: PReg) -> Result<u64, MachineError> {
        let full = self.target.vocabulary.full_register(register);
        match (&self.engine, self.number(full)) {
            (MachineEngine::Unicorn(engine), Some(number)) => Ok(fitting(self.target, full, engine.reg_read(number)?)),
            (MachineEngine::Stepper(stepper), Some(_)) => Ok(stepper.register(full)),
            (_, None) => Ok(0),
        }
    }

    fn write(&mut self, register: PReg, value: u64) -> Result<(), MachineError> {
        let full = self.target.vocabulary.full_register(register);
        let (number, value) = (self.number(full), fitting(self.target, full, value));
        match (&mut self.engine, number) {
            (MachineEngine::Unicorn(engine), Some(number)) => Ok(engine.reg_write(number, value)?),
            (MachineEngine::Stepper(stepper), Some(_)) => {
                stepper.set_register(full, value);
                Ok(())
            }
            (_, None) => Ok(()),
        }
    }

    /// Registers, stack pointer, return address, buffers with their guards.
    fn set_up(&mut self, input: &Input) -> Result<(), MachineError> {
        self.values.copy_from_slice(&self.canaries);
        // Of two values for one register the first counts.
        for &(register, value) in input.registers.iter().rev() {
            if let Ok(place) = self.registers.binary_search(&register) {
                self.values[place] = fitting(self.target, register, value as u64);
            }
        }
        match &mut self.engine {
            MachineEngine::Unicorn(engine) => {
                engine.reg_write_batch(&self.numbers, &self.values, self.numbers.len() as i32)?;
            }
            MachineEngine::Stepper(stepper) => {
                let values = self.registers.iter().zip(&self.values);
                values.for_each(|(&register, &value)| stepper.set_register(register, value));
            }
        }
        for &(register, value) in input.registers.iter().rev() {
            if self.is_wide(register) {
                self.set_contents(register, value)?;
            }
        }
        self.engine.write(ENTRY_SP - FRAME_BYTES as u64, &[UNWRITTEN; FRAME_BYTES + 2 * CALLER_BYTES])?;
        self.argument_bytes = 0;
        if let Some(data) = self.code.get(self.thread_data.clone()).filter(|data| !data.is_empty()) {
            self.engine.write(THREAD_BLOCK, data)?;
        }
        for buffer in &input.buffers {
            if buffer.address == STACK_ARGUMENTS && buffer.bytes.len() <= CALLER_BYTES {
                self.engine.write(ENTRY_SP, &buffer.bytes)?;
                self.argument_bytes = buffer.bytes.len();
                continue;
            }
            let inside = buffer.address.checked_sub(BUFFERS).is_some_and(|offset| {
                // A long one takes the pages after its own too.
                let end = offset.saturating_add(buffer.bytes.len() as u64 + GUARD_BYTES as u64);
                offset % PAGE == GUARD && end <= BUFFER_PAGES * PAGE
            });
            if !inside {
                return Err(MachineError::Buffer);
            }
            self.image.clear();
            self.image.extend_from_slice(&GUARD_PATTERN);
            self.image.extend_from_slice(&buffer.bytes);
            self.image.extend_from_slice(&GUARD_PATTERN);
            self.engine.write(buffer.address - GUARD_BYTES as u64, &self.image)?;
        }
        Ok(())
    }

    /// The buffers' bytes; a guard that was written is a fault.
    fn read_buffers(&mut self, input: &Input, fault: &mut Option<MachineFault>) -> Result<Vec<Vec<u8>>, MachineError> {
        let mut buffers = Vec::with_capacity(input.buffers.len());
        for (index, buffer) in input.buffers.iter().enumerate() {
            if buffer.address == STACK_ARGUMENTS {
                buffers.push(buffer.bytes.clone());
                continue;
            }
            self.image.resize(2 * GUARD_BYTES + buffer.bytes.len(), 0);
            self.engine.read(buffer.address - GUARD_BYTES as u64, &mut self.image)?;
            let (low, rest) = self.image.split_at(GUARD_BYTES);
            let (bytes, high) = rest.split_at(buffer.bytes.len());
            if low != GUARD_PATTERN || high != GUARD_PATTERN {
                fault.get_or_insert(MachineFault::Guard { buffer: index });
            }
            buffers.push(bytes.to_vec());
        }
        Ok(buffers)
    }

    /// The fault if a returning function did not preserve its state; `left` is the contents of the registers of `kept`.
    fn state_fault(&mut self, left: &[u64]) -> Result<Option<MachineFault>, MachineError> {
        // Arguments on the stack are the function's own.
        let mut caller = [0; CALLER_BYTES];
        self.engine.read(ENTRY_SP + self.argument_bytes as u64, &mut caller)?;
        if caller != [UNWRITTEN; CALLER_BYTES] {
            return Ok(Some(MachineFault::CallerFrame));
        }
        for (kept, &value) in self.kept.iter().zip(left) {
            if value != kept.value {
                let register = self.target.vocabulary.register_name(kept.register);
                let moved = kept.register == self.target.abi.stack_pointer;
                return Ok(Some(if moved {
                    MachineFault::StackPointer
                } else {
                    MachineFault::CalleeSaved { register }
                }));
            }
        }
        Ok(None)
    }
}
