//! Runs bytes without Unicorn: each word is decoded and evaluated by the target's definition of its instruction.
//!
//! It shares that definition with the prover. So it judges encodings, allocation, frames and branches, not the meaning
//! of an instruction; other tests compare that with LLVM's and QEMU's (`backend/target/tests/encodings.rs`,
//! `cli/tests/link.rs`).

use super::Stop;
use super::accesses::{MisalignedAccess, RawAccess};
use super::conventions::{self, AccessRule};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{Bits, FixedSlot, InstData, MemOperand, Opcode, OpcodeFlags, PReg, StackSlot};
use tribunal_target::instructions::{InstrDesc, OperandDesc};
use tribunal_target::{CodePlace, MachineEvaluation, Target};
use unicorn_engine::Prot;

/// The reason why the stepper cannot be set up or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepperError {
    #[error("nothing is mapped at {0:#x}")]
    Unmapped(u64),
}

/// A mapped range.
struct Region {
    address: u64,
    bytes: Vec<u8>,
    permissions: Prot,
}

impl Region {
    /// True for an address of code.
    fn runs(&self, address: u64) -> bool {
        let inside = address.checked_sub(self.address).is_some_and(|offset| offset < self.bytes.len() as u64);
        inside && self.permissions.0 & Prot::EXEC.0 != 0
    }
}

struct Regions {
    regions: Vec<Region>,
    /// The accesses of instructions to them; `None` if nobody asks.
    accesses: Option<Vec<RawAccess>>,
    /// Whether every access must be aligned.
    rule: AccessRule,
    /// The first access since the last step that is not aligned, where that matters.
    misaligned: Option<MisalignedAccess>,
}

impl Regions {
    /// The region that holds all of `address .. address + bytes`, and the range in it.
    fn find(&mut self, address: u64, bytes: usize) -> Option<(&mut Region, std::ops::Range<usize>)> {
        self.regions.iter_mut().find_map(|region| {
            let offset = usize::try_from(address.checked_sub(region.address)?).ok()?;
            let end = offset.checked_add(bytes)?;
            (end <= region.bytes.len()).then_some((region, offset..end))
        })
    }

    /// Notes an access; `align` is what its instruction asks for.
    fn record(&mut self, address: &Bits, bytes: u32, stored: Option<u64>, align: u32) {
        let asked = if self.rule == AccessRule::Aligned { bytes } else { align };
        if MisalignedAccess::at(address.low_u64(), asked).is_some() {
            self.misaligned.get_or_insert(MisalignedAccess { address: address.low_u64(), bytes });
        }
        if let Some(accesses) = &mut self.accesses {
            accesses.push(RawAccess { address: address.low_u64(), bytes, stored });
        }
    }
}

pub(super) struct Stepper {
    target: &'static Target,
    /// By number.
    registers: Vec<u64>,
    memory: Regions,
    /// The instruction of each word that was fetched, with its size in bytes. The word alone decides it.
    decoded: FxHashMap<u32, Option<(Rc<InstData>, u32)>>,
}

/// Words whose instructions are kept.
const MOST_DECODED: usize = 1 << 16;

impl Stepper {
    pub fn new(target: &'static Target) -> Stepper {
        let registers = vec![0; target.registers.len()];
        let memory =
            Regions { regions: Vec::new(), accesses: None, rule: conventions::accesses(target), misaligned: None };
        Stepper { target, registers, memory, decoded: FxHashMap::default() }
    }

    pub fn map(&mut self, address: u64, bytes: u64, permissions: Prot) {
        self.memory.regions.push(Region { address, bytes: vec![0; bytes as usize], permissions });
    }

    /// Unmaps the range that begins at `address`.
    pub fn unmap(&mut self, address: u64) {
        self.memory.regions.retain(|region| region.address != address);
    }

    pub fn record_accesses(&mut self, wanted: bool) {
        self.memory.accesses = wanted.then(Vec::new);
    }

    pub fn made_access(&mut self, access: RawAccess) {
        if let Some(accesses) = &mut self.memory.accesses {
            accesses.push(access);
        }
    }

    pub fn take_accesses(&mut self) -> Vec<RawAccess> {
        self.memory.accesses.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes whatever the permissions.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), StepperError> {
        let (region, range) = self.memory.find(address, bytes.len()).ok_or(StepperError::Unmapped(address))?;
        region.bytes[range].copy_from_slice(bytes);
        Ok(())
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), StepperError> {
        let inside = self.memory.regions.iter().find_map(|region| {
            let offset = usize::try_from(address.checked_sub(region.address)?).ok()?;
            region.bytes.get(offset..offset.checked_add(bytes.len())?)
        });
        bytes.copy_from_slice(inside.ok_or(StepperError::Unmapped(address))?);
        Ok(())
    }

    /// The bits of the register, or of the part of a register.
    pub fn register(&self, register: PReg) -> u64 {
        let (full, bits) = (self.target.vocabulary.full_register(register), self.bits(register));
        Bits::new(self.registers[usize::from(full.0)].into(), bits).low_u64()
    }

    /// The zero register stays zero; of a narrow one the low bits count. Writing a part clears the rest of the
    /// register.
    pub fn set_register(&mut self, register: PReg, value: u64) {
        if !self.target.vocabulary.is_zero_register(register) {
            let (full, bits) = (self.target.vocabulary.full_register(register), self.bits(register));
            self.registers[usize::from(full.0)] = Bits::new(value.into(), bits).low_u64();
        }
    }

    fn bits(&self, register: PReg) -> u32 {
        self.target.vocabulary.register_bits(register)
    }

    /// Runs from `start` until it reaches `stop`, has taken `fuel` instructions, or cannot take one; returns the place
    /// too.
    pub fn run(&mut self, start: u64, stop: u64, fuel: u64) -> Result<(Stop, u64), StepperError> {
        let mut pc = start;
        for _ in 0..fuel {
            if pc == stop {
                break;
            }
            match self.step(pc)? {
                Ok(next) => pc = next,
                Err(stopped) => return Ok((stopped, pc)),
            }
        }
        Ok((Stop::Still, pc))
    }

    /// Takes one instruction; returns the address of the next.
    fn step(&mut self, pc: u64) -> Result<Result<u64, Stop>, StepperError> {
        let target = self.target;
        let (inst, size) = match self.fetch(pc) {
            Ok(fetched) => fetched,
            Err(stop) => return Ok(Err(stop)),
        };
        let Opcode::Target(opcode) = inst.opcode else { return Ok(Err(Stop::Illegal)) };
        let args: Vec<Value<Concrete>> =
            inst.uses().filter_map(|operand| operand.reg.as_physical()).map(|register| self.value(register)).collect();
        let mut domain = Concrete { choice: Choice::Zeros };
        let place = Some(CodePlace { address: Bits::new(pc.into(), target.pointer_bits.into()), bytes: size });
        let evaluated = tribunal_target::evaluate_at(target, &mut domain, &mut self.memory, &inst, &args, place);
        let Ok(evaluation) = evaluated else { return Ok(Err(Stop::Illegal)) };
        if let Some(access) = self.memory.misaligned.take() {
            return Ok(Err(Stop::Misaligned(access)));
        }
        if evaluation.ub {
            return Ok(Err(Stop::Memory));
        }
        let defs: Vec<PReg> = inst.defs().filter_map(|operand| operand.reg.as_physical()).collect();
        let next = self.next(pc, (target.instruction(opcode), size), &inst, &evaluation);
        for (register, value) in defs.into_iter().zip(evaluation.results) {
            self.set_register(register, value.bits.low_u64());
        }
        Ok(Ok(next))
    }

    /// The instruction at `pc`, and its size in bytes. A compressed form is no word's first half.
    fn fetch(&mut self, pc: u64) -> Result<(Rc<InstData>, u32), Stop> {
        let mut half = [0; 2];
        if !self.memory.regions.iter().any(|region| region.runs(pc)) {
            return Err(Stop::Memory);
        }
        self.read(pc, &mut half).map_err(|_| Stop::Memory)?;
        let mut word = [0; 4];
        // The last two bytes of memory may be a compressed form.
        let is_whole = self.read(pc, &mut word).is_ok();
        let word = if is_whole { u32::from_le_bytes(word) } else { u16::from_le_bytes(half).into() };
        if let Some(known) = self.decoded.get(&word).filter(|_| is_whole) {
            return known.clone().ok_or(Stop::Illegal);
        }
        let found = match self.target.expand(u16::from_le_bytes(half)) {
            Some(inst) => Some((Rc::new(inst), 2)),
            None if is_whole => self.target.decode(word).map(|inst| (Rc::new(inst), 4)),
            None => return Err(Stop::Memory),
        };
        if is_whole {
            if self.decoded.len() >= MOST_DECODED {
                self.decoded.clear();
            }
            self.decoded.insert(word, found.clone());
        }
        found.ok_or(Stop::Illegal)
    }

    /// The address of the next instruction: the target of an indirect jump, the label of a branch that is taken, or the
    /// address after this one. A return that names no register goes to the return address.
    fn next(
        &self,
        pc: u64,
        (row, size): (&InstrDesc, u32),
        inst: &InstData,
        evaluation: &MachineEvaluation<Concrete>,
    ) -> u64 {
        let jumps =
            row.flags.contains(OpcodeFlags::CALL) || row.flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER);
        let address = match (evaluation.to, evaluation.taken) {
            (Some(to), _) => to.low_u64(),
            (None, _) if row.flags.contains(OpcodeFlags::RETURN) => self.register(self.target.abi.return_address),
            (None, taken) if taken.unwrap_or(jumps) => pc.wrapping_add_signed(distance(row, inst)),
            _ => pc.wrapping_add(size.into()),
        };
        Bits::new(address.into(), self.target.pointer_bits.into()).low_u64()
    }

    fn value(&self, register: PReg) -> Value<Concrete> {
        Value { bits: Bits::new(self.register(register).into(), self.bits(register)), poison: false }
    }
}

/// Bytes to the label of a branch, or to the callee.
fn distance(row: &InstrDesc, inst: &InstData) -> i64 {
    row.operands.iter().position(OperandDesc::is_place).and_then(|index| inst.imm(index)).unwrap_or(0)
}

impl Memory<Concrete> for Regions {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, operand: &MemOperand) -> (Value<Concrete>, bool) {
        self.record(address, bytes, None, operand.align);
        let found = self.find(address.low_u64(), bytes as usize);
        let value = found.as_ref().map_or(0, |(region, range)| {
            region.bytes[range.clone()].iter().rev().fold(0u128, |value, &byte| value << 8 | u128::from(byte))
        });
        (Value { bits: Bits::new(value, 8 * bytes), poison: false }, found.is_none())
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, value: &Value<Concrete>, operand: &MemOperand) -> bool {
        let bytes = value.bits.width() as usize / 8;
        self.record(address, bytes as u32, Some(value.bits.low_u64()), operand.align);
        match self.find(address.low_u64(), bytes) {
            Some((region, range)) if region.permissions.0 & Prot::WRITE.0 != 0 => {
                region.bytes[range].copy_from_slice(&value.bits.unsigned().to_le_bytes()[..bytes]);
                false
            }
            _ => true,
        }
    }

    /// Machine code has no stack objects.
    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}
