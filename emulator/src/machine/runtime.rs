//! Callees as machine code sees them: unmapped addresses. A run that arrives at one has called the function.
//!
//! The emulator then checks the state on which a callee relies. It computes a function of the runtime library, and a
//! memory function, by its one meaning; an unknown function does what it did in the run of the source. A callee
//! returns with the least that the calling convention guarantees: every caller-saved register and the memory below the
//! stack pointer hold junk.

use super::accesses::{MisalignedAccess, RawAccess};
use super::conventions::{self, documented};
use super::engine::{MachineEngine, Stop};
use super::library;
use super::{CALL_COST, CODE, Emulator, MachineError, MachineFault, STACK, STACK_BYTES, STOP, Unlinked, fitting};
use crate::call::{ArgumentPlace, CallArgument, CallScript, CalleeEffect, Passed};
use crate::input::{clobbered, is_callable};
use crate::observation::{Bytes, Known};
use crate::trap_names;
use std::collections::BTreeMap;
use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{Bits, FixedSlot, InstData, MemOperand, Opcode, OpcodeFlags, PReg, StackSlot};
use tribunal_target::Target;
use tribunal_target::abi::CallKind;
use tribunal_target::calls::{PassedValue, Signature};
use tribunal_target::environment::{LibraryCall, MemoryFunction};
use tribunal_target::runtime::{AtomicFunction, RuntimeType};

/// The address of the first function, and the distance between functions. Calls in the code reach them; nothing else is
/// near.
const FIRST: u64 = 0x0090_0000;
const APART: u64 = 0x100;
/// The width of C's `int`: unsigned numbers that are narrower are extended to it with zeros.
const C_INT_BITS: u32 = 32;
/// Bytes below the stack pointer that a callee writes.
const CALLEE_BYTES: u64 = 256;

/// A call in the code: its offset in bytes, and the symbol that it calls.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'a> {
    /// The call's offset in the code, in bytes.
    pub offset: u32,
    /// The function that is called.
    pub symbol: &'a str,
    /// The way in which it is called.
    pub kind: CallKind,
    /// The call as the compiler means it, if it calls the runtime library: with its convention.
    pub library: Option<LibraryCall>,
}

/// A function that the code may call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LinkedCallee {
    Runtime(LibraryCall),
    Memory(MemoryFunction),
    /// With its name.
    Atomic(AtomicFunction, String),
    Unknown(String),
}

impl LinkedCallee {
    /// The function that the symbol names, whatever the compiler means.
    fn of(&CallSite { symbol, library, .. }: &CallSite<'_>) -> LinkedCallee {
        let named = || library::named(symbol);
        let runtime = library.and_then(|call| Some(LibraryCall { function: named()?, ..call }));
        let runtime = runtime.map(LinkedCallee::Runtime);
        let memory = || MemoryFunction::named(symbol).map(LinkedCallee::Memory);
        let atomic =
            || AtomicFunction::named(symbol).map(|function| LinkedCallee::Atomic(function, symbol.to_string()));
        runtime.or_else(memory).or_else(atomic).unwrap_or_else(|| LinkedCallee::Unknown(symbol.to_string()))
    }

    fn name(&self) -> &str {
        match self {
            LinkedCallee::Runtime(call) => call.function.name,
            LinkedCallee::Memory(function) => function.name(),
            LinkedCallee::Atomic(_, name) | LinkedCallee::Unknown(name) => name,
        }
    }
}

/// The calls of the code that is loaded.
#[derive(Default)]
pub(super) struct Linked {
    /// The callees, in the order of their addresses.
    callees: Vec<LinkedCallee>,
    /// Return addresses.
    returns: Vec<u64>,
    /// The functions in the code that have addresses of their own, each with the place of its instructions.
    entries: BTreeMap<u64, u64>,
    /// Bytes of instructions.
    code_bytes: u64,
}

impl Linked {
    /// The callee at `address`.
    pub fn at(&self, address: u64) -> Option<&LinkedCallee> {
        let offset = address.checked_sub(FIRST).filter(|offset| offset % APART == 0)?;
        self.callees.get(usize::try_from(offset / APART).ok()?)
    }

    /// The address of the function that this site calls.
    fn address(&mut self, site: &CallSite<'_>) -> u64 {
        let callee = LinkedCallee::of(site);
        let known = self.callees.iter().position(|own| *own == callee);
        let index = known.unwrap_or_else(|| {
            self.callees.push(callee);
            self.callees.len() - 1
        });
        FIRST + APART * index as u64
    }
}

/// Writes the distances into the calls, as a linker does. The error is a site without a call.
pub(super) fn link(
    target: &Target,
    code: &mut [u8],
    sites: &[CallSite<'_>],
    unlinked: &Unlinked<'_>,
) -> Result<Linked, MachineError> {
    let mut linked_calls = Linked {
        entries: unlinked.entries(),
        code_bytes: unlinked.text.unwrap_or(unlinked.code.len()) as u64,
        ..Linked::default()
    };
    for site in sites {
        let unknown = || MachineError::Symbol(site.symbol.to_string());
        let here = CODE + u64::from(site.offset);
        let address = match unlinked.functions.get(site.symbol) {
            Some(&offset) => CODE + u64::from(offset),
            None => linked_calls.address(site),
        };
        let distance = address.wrapping_sub(here) as i64;
        let (unlinked, linked) = (target.machine.call(site.kind, 0), target.machine.call(site.kind, distance));
        let mut offset = site.offset as usize;
        for (unlinked, linked) in unlinked.iter().zip(&linked) {
            let word = |inst| target.encode(inst).map(u32::to_le_bytes).map_err(|_| unknown());
            let place =
                code.get_mut(offset..offset + 4).filter(|place| word(unlinked).is_ok_and(|word| **place == word));
            place.ok_or(MachineError::NoCall(site.offset))?.copy_from_slice(&word(linked)?);
            offset += 4;
        }
        if site.kind == CallKind::Returning {
            linked_calls.returns.push(CODE + offset as u64);
        }
    }
    Ok(linked_calls)
}

/// The end of a run.
pub(super) enum RunEnd {
    Returned,
    /// The last callee did not return.
    Stopped,
    Fault(MachineFault),
}

/// The way on after a call.
enum Served {
    /// At this address.
    Back(u64),
    /// Nowhere: the callee does not return.
    Never,
    /// Nowhere: the caller is wrong.
    Fault(MachineFault),
}

impl Emulator {
    /// Runs the code, and serves its calls.
    pub(super) fn run_to_end(&mut self, fuel: u64, script: &mut CallScript<'_>) -> Result<RunEnd, MachineError> {
        let mut calls = 0;
        let (mut ended, mut pc) = self.engine.run(CODE, fuel)?;
        while let (Stop::Memory, true) = (&ended, calls < fuel / CALL_COST) {
            if let Some(&entry) = self.linked.entries.get(&pc) {
                self.note_return()?;
                (ended, pc) = self.engine.run(entry, fuel)?;
                calls += 1;
                continue;
            }
            let Some(callee) = self.callee(pc, script) else { break };
            match self.serve(&callee, (calls, pc), script)? {
                Served::Back(back) => (ended, pc) = self.engine.run(back, fuel)?,
                Served::Never => return Ok(RunEnd::Stopped),
                Served::Fault(fault) => return Ok(RunEnd::Fault(fault)),
            }
            calls += 1;
        }
        // Unicorn stops after some of them.
        let name = || self.trap(pc).or_else(|| self.trap(pc.wrapping_sub(4)));
        if let Stop::Illegal = ended
            && let Some(name) = name()
        {
            return Ok(match script.call(&name, &[], |_, _| None) {
                Ok(_) => RunEnd::Stopped,
                Err(_) if script.expected().is_none_or(|call| !trap_names::is_one(&call.name)) => {
                    RunEnd::Fault(MachineFault::Illegal { pc: pc.wrapping_sub(CODE) })
                }
                Err(mismatch) => RunEnd::Fault(MachineFault::Call(mismatch)),
            });
        }
        let fault = match ended {
            Stop::Still if pc == STOP => script.missing().map(MachineFault::Call),
            Stop::Memory if self.linked.entries.contains_key(&pc) || self.callee(pc, script).is_some() => {
                Some(MachineFault::OutOfFuel(fuel))
            }
            Stop::Still => Some(MachineFault::OutOfFuel(fuel)),
            Stop::Memory => Some(MachineFault::Memory { pc: pc.wrapping_sub(CODE) }),
            Stop::Unwinding => Some(MachineFault::Unwinding { pc: pc.wrapping_sub(CODE) }),
            Stop::Illegal => Some(MachineFault::Illegal { pc: pc.wrapping_sub(CODE) }),
            Stop::Misaligned(MisalignedAccess { address, bytes }) => Some(MachineFault::Misaligned { address, bytes }),
        };
        Ok(fault.map_or(RunEnd::Returned, RunEnd::Fault))
    }

    /// Nothing lists the calls through registers. Where one enters a function of the code, that function may leave for
    /// another one by a call in place of a return, which finds this return address.
    fn note_return(&mut self) -> Result<(), MachineError> {
        let back = self.read(self.target.abi.return_address)?;
        let is_inside = (CODE..CODE + self.code.len() as u64).contains(&back);
        if is_inside && !self.linked.returns.contains(&back) {
            self.linked.returns.push(back);
        }
        Ok(())
    }

    /// The name of the trap that stands there, if the purpose of an instruction there is to stop.
    fn trap(&self, pc: u64) -> Option<String> {
        // Zeros after the code are a trap on some machine.
        if !(CODE..CODE + self.linked.code_bytes).contains(&pc) {
            return None;
        }
        let word = self.bytes(pc, 4)?;
        let word = u32::from_le_bytes([word.values[0], word.values[1], word.values[2], word.values[3]]);
        let decoded = self.target.expand(word as u16).or_else(|| self.target.decode(word));
        let row = |data: InstData| match data.opcode {
            Opcode::Target(opcode) => Some(self.target.instruction(opcode)),
            _ => None,
        };
        let stops = decoded.and_then(row).is_some_and(|row| row.flags.contains(OpcodeFlags::SIDE_EFFECTS));
        stops.then(|| trap_names::of_word(self.target, word))
    }

    /// The function at `pc`: one that the code is linked to, or where the source calls through a register, any.
    fn callee(&self, pc: u64, script: &CallScript<'_>) -> Option<LinkedCallee> {
        let is_next = || script.expected().is_some_and(|call| call.name.is_empty()) && is_callable(pc);
        self.linked.at(pc).cloned().or_else(|| is_next().then(|| LinkedCallee::Unknown(String::new())))
    }

    /// Performs `callee` at `pc`, the `count`th call of this run.
    fn serve(
        &mut self,
        callee: &LinkedCallee,
        (count, pc): (u64, u64),
        script: &mut CallScript<'_>,
    ) -> Result<Served, MachineError> {
        let back = match self.arrived(callee.name())? {
            Ok(back) => back,
            Err(fault) => return Ok(Served::Fault(fault)),
        };
        let results = match callee {
            LinkedCallee::Runtime(call) => match self.computed(*call)? {
                Some(results) => results,
                None => return Ok(Served::Fault(MachineFault::BadArgument { callee: callee.name().to_string() })),
            },
            LinkedCallee::Atomic(function, name) if !self.is_extended(function, name)? => {
                return Ok(Served::Fault(MachineFault::BadArgument { callee: name.clone() }));
            }
            LinkedCallee::Memory(_) | LinkedCallee::Atomic(..) => match self.accessed(callee)? {
                Some(results) => results,
                None => return Ok(Served::Fault(MachineFault::Memory { pc: back.wrapping_sub(CODE) })),
            },
            LinkedCallee::Unknown(name) => {
                let passed = self.passed(script, pc)?;
                let called = script.call(name, &passed, |address, bytes| self.bytes(address, bytes));
                match called {
                    Ok(CalleeEffect { returns: false, .. }) => return Ok(Served::Never),
                    Ok(effect) => {
                        self.clear_stack_arguments(script)?;
                        self.perform(effect, script)?
                    }
                    Err(mismatch) => return Ok(Served::Fault(MachineFault::Call(mismatch))),
                }
            }
        };
        for index in 0..self.changed.len() {
            let register = self.changed[index];
            self.write(register, fitting(self.target, register, clobbered(register, count)))?;
        }
        for (register, value) in results {
            self.set_contents(register, value)?;
        }
        Ok(Served::Back(back))
    }

    /// Checks the state on which a callee relies, and uses the stack as one does; returns the return address.
    fn arrived(&mut self, callee: &str) -> Result<Result<u64, MachineFault>, MachineError> {
        let abi = self.target.abi;
        let stack_pointer = self.read(abi.stack_pointer)?;
        if !stack_pointer.is_multiple_of(abi.stack_align.into()) {
            return Ok(Err(MachineFault::StackAlignment));
        }
        let back = self.read(abi.return_address)?;
        let below =
            stack_pointer.checked_sub(CALLEE_BYTES).filter(|&low| low >= STACK && stack_pointer < STACK + STACK_BYTES);
        // Nothing lists the calls through registers: they return into the code.
        let returns = match callee {
            "" => (CODE..CODE + self.code.len() as u64).contains(&back),
            _ => self.linked.returns.contains(&back),
        };
        let (Some(low), true) = (below, returns || back == STOP) else {
            return Ok(Err(MachineFault::BadCall { callee: callee.to_string() }));
        };
        if back == STOP
            && let Some(fault) = self.left_fault()?
        {
            return Ok(Err(fault));
        }
        self.engine.write(low, &[0x5a; CALLEE_BYTES as usize])?;
        Ok(Ok(back))
    }

    /// The fault if the function does not leave in the state in which it was entered.
    fn left_fault(&mut self) -> Result<Option<MachineFault>, MachineError> {
        let left = self.left(&[])?;
        self.state_fault(&left)
    }

    /// The results of a function of the runtime library; `None` where its call is undefined. Then the source is, and
    /// the run is not judged, or the arguments are not as the convention has them.
    fn computed(
        &mut self,
        LibraryCall { function: callee, mask }: LibraryCall,
    ) -> Result<Option<Vec<(PReg, u128)>>, MachineError> {
        let (target, vocabulary) = (self.target, self.target.vocabulary);
        let symbol = || MachineError::Symbol(callee.name.to_string());
        let types = (callee.arguments, callee.result);
        let signature = target.signature(callee, mask).and_then(|said| documented(target, types, mask, said));
        let signature = signature.ok_or_else(symbol)?;
        // Unicorn's instructions leave what stands above a narrow number.
        let fills = |register: PReg| matches!(self.engine, MachineEngine::Stepper(_)) || !vocabulary.is_boxed(register);
        let mut contents = Vec::new();
        for &register in signature.passed().flat_map(|value| &value.registers) {
            let full = vocabulary.full_register(register);
            let width = vocabulary.register_bits(if fills(register) { full } else { register });
            contents.push(Value::new(Bits::new(self.contents(register)?, width), false));
        }
        let (mut domain, strict) = (Concrete { choice: Choice::Zeros }, callee.strict());
        let result = match (strict, target.abi.float_environment.as_ref()) {
            (Some(opcode), Some(environment)) => {
                let control = Bits::new(self.contents(environment.control)?, u32::BITS);
                let status = Bits::new(self.contents(environment.status)?, u32::BITS);
                let mode = environment.mode(&mut domain, &control);
                let reached = (&mut domain, &mut Reached(self));
                let called = callee.call_strict((target, opcode), &signature, reached, (mode, &contents));
                let (result, flags) = called.map_err(|_| symbol())?;
                let status = environment.raised(&mut domain, &status, &flags);
                self.set_contents(environment.status, status.unsigned())?;
                result
            }
            _ => {
                let reached = (&mut domain, &mut Reached(self));
                callee.call(target, &signature, reached, &contents).map_err(|_| symbol())?
            }
        };
        let results = signature.returned().iter().copied().zip(result.registers);
        let results = results.map(|(register, value)| (register, value.bits.unsigned()));
        Ok((!result.ub).then(|| results.collect()))
    }

    /// The value in these registers, low part first.
    fn joined(&self, value: &PassedValue) -> Result<u128, MachineError> {
        value
            .registers
            .iter()
            .rev()
            .try_fold(0u128, |high, &register| Ok(high << self.target.pointer_bits | u128::from(self.read(register)?)))
    }

    /// Performs a function that touches memory; `None` if it touches memory that is not there.
    fn accessed(&mut self, callee: &LinkedCallee) -> Result<Option<Vec<(PReg, u128)>>, MachineError> {
        match callee {
            LinkedCallee::Memory(function) => self.moved(*function),
            LinkedCallee::Atomic(function, name) => self.exchanged(function, name),
            LinkedCallee::Runtime(..) | LinkedCallee::Unknown(_) => Ok(None),
        }
    }

    /// The registers of an operation on memory, by the documents.
    fn atomic_signature(&self, function: &AtomicFunction) -> Option<Signature> {
        let (target, pointer_bits) = (self.target, self.target.pointer_bits.into());
        let integer = |&argument| RuntimeType::Integer(function.bits_of(argument, pointer_bits));
        let arguments: Vec<RuntimeType> = function.arguments().iter().map(integer).collect();
        let types = (arguments.as_slice(), RuntimeType::Integer(function.result_bits()));
        documented(target, types, None, target.atomic_signature(function)?)
    }

    /// True if narrow arguments are extended as the convention demands. An outlined function is no C: it reads the bits
    /// of its access alone.
    fn is_extended(&self, function: &AtomicFunction, name: &str) -> Result<bool, MachineError> {
        let (target, symbol) = (self.target, || MachineError::Symbol(name.to_string()));
        let (signature, width) = (self.atomic_signature(function).ok_or_else(symbol)?, target.pointer_bits.into());
        for (value, &argument) in signature.arguments.iter().zip(function.arguments()) {
            let (bits, passed) = (function.bits_of(argument, width), self.joined(value)?);
            let low = Bits::new(passed, bits);
            let extended = if bits < C_INT_BITS { low.zext_or_trunc(width) } else { low.sext_or_trunc(width) };
            if bits < width && extended.unsigned() != passed {
                return Ok(function.ordering.is_some() || target.abi.extended_to < width);
            }
        }
        Ok(true)
    }

    /// Performs an operation on memory. Junk stands above a result that fills no register.
    fn exchanged(&mut self, function: &AtomicFunction, name: &str) -> Result<Option<Vec<(PReg, u128)>>, MachineError> {
        let (target, symbol) = (self.target, || MachineError::Symbol(name.to_string()));
        let signature = self.atomic_signature(function).ok_or_else(symbol)?;
        let mut arguments = Vec::new();
        for (value, &argument) in signature.arguments.iter().zip(function.arguments()) {
            let bits = function.bits_of(argument, target.pointer_bits.into());
            arguments.push(Value::new(Bits::new(self.joined(value)?, bits), false));
        }
        let evaluation = function.evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Reached(self), &arguments);
        let evaluation = evaluation.map_err(|_| symbol())?;
        if evaluation.ub {
            return Ok(None);
        }
        let result = evaluation.results.first().map_or(0, |result| result.bits.unsigned());
        let width = if function.returns_success() { target.pointer_bits.into() } else { function.result_bits() };
        let junk = u64::MAX.checked_shl(width).unwrap_or(0);
        let part = |index: usize| (result >> (index * usize::from(target.pointer_bits))) as u64;
        let result = |(index, &register)| (register, (part(index) & !junk | clobbered(register, 0) & junk).into());
        Ok(Some(signature.result.registers.iter().enumerate().map(result).collect()))
    }

    /// Performs a memory function; `None` if it touches memory that is not there.
    fn moved(&mut self, function: MemoryFunction) -> Result<Option<Vec<(PReg, u128)>>, MachineError> {
        let [to, second, length, ..] = *conventions::arguments(self.target) else { return Ok(None) };
        let [start, second, length] = [self.read(to)?, self.read(second)?, self.read(length)?];
        let Some(length) = usize::try_from(length).ok().filter(|&length| length as u64 <= STACK_BYTES) else {
            return Ok(None);
        };
        let bytes = match function {
            MemoryFunction::Set => Some(vec![second as u8; length]),
            MemoryFunction::Copy | MemoryFunction::Move => self.bytes(second, length).map(|bytes| bytes.values),
        };
        let written = bytes.is_some_and(|bytes| length == 0 || self.engine.write(start, &bytes).is_ok());
        Ok(written.then(|| vec![(to, start.into())]))
    }

    /// The arguments that the next call of the script reads.
    fn passed(&self, script: &CallScript<'_>, pc: u64) -> Result<Vec<Passed>, MachineError> {
        let arguments = script.expected().map_or(&[][..], |call| call.arguments.as_slice());
        let passed = |argument: &CallArgument| -> Result<Passed, MachineError> {
            let value = match argument.place {
                ArgumentPlace::Register(register) => self.contents(register)?,
                ArgumentPlace::Callee => pc.into(),
                ArgumentPlace::Stack(offset) => self.word(offset)?.into(),
            };
            Ok(Passed { value: Known { value, unknown: 0 }, poison: false })
        };
        arguments.iter().map(passed).collect()
    }

    /// The word so many bytes above the stack pointer; 0 if there is no stack.
    fn word(&self, offset: u64) -> Result<u64, MachineError> {
        let address = self.read(self.target.abi.stack_pointer)?.wrapping_add(offset);
        let word = self.bytes(address, self.target.register_bytes() as usize);
        Ok(word.map_or(0, |word| word.values.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))))
    }

    /// Arguments on the stack are the callee's: it leaves junk there.
    fn clear_stack_arguments(&mut self, script: &CallScript<'_>) -> Result<(), MachineError> {
        let stack_pointer = self.read(self.target.abi.stack_pointer)?;
        let Some(call) = script.made() else { return Ok(()) };
        let junk = [0x5a; 8];
        for argument in &call.arguments {
            let ArgumentPlace::Stack(offset) = argument.place else { continue };
            self.engine.write(stack_pointer.wrapping_add(offset), &junk[..self.target.register_bytes() as usize])?;
        }
        Ok(())
    }

    /// The bytes at an address, if all of them are mapped.
    fn bytes(&self, address: u64, count: usize) -> Option<Bytes> {
        let mut values = vec![0; count];
        if count > 0 {
            self.engine.read(address, &mut values).ok()?;
        }
        Some(Bytes { values, unknown: vec![0; count] })
    }

    /// Writes what an unknown function wrote; returns its results. Of a part of a register, the rest is junk.
    fn perform(&mut self, effect: &CalleeEffect, script: &CallScript<'_>) -> Result<Vec<(PReg, u128)>, MachineError> {
        for (place, bytes) in &effect.writes {
            if let Some(address) = script.address(*place) {
                self.engine.write(address, bytes)?;
            }
        }
        let result = |&(register, value): &(PReg, u128)| {
            let vocabulary = self.target.vocabulary;
            let junk = u128::MAX.checked_shl(vocabulary.register_bits(register)).unwrap_or(0);
            (vocabulary.full_register(register), value & !junk | u128::from(clobbered(register, 0)) & junk)
        };
        Ok(effect.results.iter().map(result).collect())
    }
}

/// The memory that a function of the library reaches. An access is undefined where nothing is, or less aligned than the
/// function relies on.
struct Reached<'e>(&'e mut Emulator);

impl Reached<'_> {
    /// True if the access is aligned. The access is recorded, as if code had made it.
    fn note(&mut self, address: u64, operand: &MemOperand, stored: Option<u128>) -> bool {
        let bytes = operand.ty.map_or(0, |ty| ty.bytes());
        self.0.made_access(RawAccess { address, bytes, stored: stored.map(|value| value as u64) });
        address.is_multiple_of(operand.align.into())
    }
}

impl Memory<Concrete> for Reached<'_> {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, operand: &MemOperand) -> (Value<Concrete>, bool) {
        let (address, nothing) = (address.low_u64(), Value::new(Bits::zero(8 * bytes), false));
        let aligned = self.note(address, operand, None);
        let Some(found) = self.0.bytes(address, bytes as usize).filter(|_| aligned) else { return (nothing, true) };
        let value = found.values.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        (Value::new(Bits::new(value, 8 * bytes), false), false)
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, value: &Value<Concrete>, operand: &MemOperand) -> bool {
        let (address, bytes) = (address.low_u64(), value.bits.width() as usize / 8);
        let aligned = self.note(address, operand, Some(value.bits.unsigned()));
        !aligned || self.0.engine.write(address, &value.bits.unsigned().to_le_bytes()[..bytes]).is_err()
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}
