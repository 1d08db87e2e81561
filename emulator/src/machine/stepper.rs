//! Runs bytes without Unicorn: each word is decoded and evaluated by the target's definition of its instruction.
//!
//! It shares that definition with the prover. So it judges encodings, allocation, frames and branches, not the meaning
//! of an instruction; other tests compare that with LLVM's and QEMU's (`backend/target/tests/encodings.rs`,
//! `cli/tests/link.rs`).

use super::accesses::{MisalignedAccess, RawAccess};
use super::conventions::{self, AccessRule};
use super::engine::Stop;
use super::unwind::UnwindCheck;
use super::{CODE, CODE_BYTES};
use crate::input::THREAD_POINTER;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use tribunal_ir::semantics::{Choice, Concrete, Domain, Memory, Number, Pure, Value, Words};
use tribunal_ir::{FixedSlot, InstData, MemOperand, Opcode, OpcodeFlags, PReg, RegOperand, StackSlot};
use tribunal_target::instructions::{InstrDesc, OperandDesc};
use tribunal_target::{CodePlace, MachineEvaluation, Target};
use unicorn_engine::Prot;

/// The reason why the stepper cannot be set up or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepperError {
    #[error("nothing is mapped at {0:#x}")]
    Unmapped(u64),
}

/// An instruction as the stepper takes it.
struct Decoded {
    inst: InstData,
    /// Bytes in memory.
    bytes: u32,
    row: &'static InstrDesc,
    /// Distance to the label, or to the callee.
    distance: i64,
    /// The registers read, and those written.
    uses: SmallVec<[Place; 4]>,
    defs: SmallVec<[Place; 2]>,
    /// Its definition computes with numbers that [`Words`] do not hold.
    is_wide: bool,
    /// It may round, or raise flags.
    is_of_numbers: bool,
}

/// A register, or the low part of one.
#[derive(Clone, Copy)]
struct Place {
    /// Index of the full register.
    index: u16,
    bits: u16,
    /// A write fills the rest of the register with ones.
    boxed: bool,
    /// It stays zero.
    is_zero: bool,
}

impl Place {
    /// As much of a number as it holds.
    fn kept(self, value: u128) -> u128 {
        value & u128::MAX >> u128::BITS.saturating_sub(self.bits.into())
    }
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

    /// Notes an access; `align` is what its instruction asks for. Of sixteen bytes each half is an access, as of a pair
    /// of registers. Source: Arm Architecture Reference Manual, B2.2, "Atomicity in the Arm architecture".
    fn record(&mut self, address: u64, bytes: u32, stored: Option<u128>, align: u32) {
        let asked = if self.rule == AccessRule::Aligned { bytes } else { align };
        if MisalignedAccess::at(address, asked).is_some() {
            self.misaligned.get_or_insert(MisalignedAccess { address, bytes });
        }
        if let Some(accesses) = &mut self.accesses {
            let part = |from: u32, bytes: u32| RawAccess {
                address: address.wrapping_add(from.into()),
                bytes,
                stored: stored.map(|value| (value >> (8 * from)) as u64),
            };
            match bytes {
                16 => accesses.extend([0, 8].map(|from| part(from, 8))),
                _ => accesses.push(part(0, bytes)),
            }
        }
    }
}

pub(super) struct Stepper {
    target: &'static Target,
    /// By number.
    registers: Vec<u128>,
    memory: Regions,
    /// The instruction of each word that was fetched. The word alone decides it.
    decoded: FxHashMap<u32, Option<Rc<Decoded>>>,
    /// The unwinder's table, if it is asked.
    unwind: Option<UnwindCheck>,
    /// The last instructions fetched, by the low bits of their addresses, each with its address and word.
    recent: Vec<Option<(u64, u32, Rc<Decoded>)>>,
}

/// Words whose instructions are kept.
const MOST_DECODED: usize = 1 << 16;
/// Instructions found by their address alone.
const RECENT: usize = 1 << 10;

impl Stepper {
    pub fn new(target: &'static Target) -> Stepper {
        let registers = vec![0; target.registers.len()];
        let memory =
            Regions { regions: Vec::new(), accesses: None, rule: conventions::accesses(target), misaligned: None };
        Stepper { target, registers, memory, decoded: FxHashMap::default(), unwind: None, recent: vec![None; RECENT] }
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

    /// From now on the unwinder's table is asked at each instruction of the code, or not.
    pub fn watch_unwinding(&mut self, check: Option<UnwindCheck>) {
        self.unwind = check;
    }

    /// False if the unwinder's table does not find the caller from here.
    fn is_unwound(&self, pc: u64) -> bool {
        let word = |address: u64| {
            let mut bytes = [0; 8];
            self.read(address, &mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
        };
        let check = |check: &UnwindCheck| {
            check.finds_caller(self.target, pc.wrapping_sub(CODE), |register| self.register(register), word)
        };
        // Callees lie elsewhere.
        !(CODE..CODE + CODE_BYTES).contains(&pc) || self.unwind.as_ref().is_none_or(check)
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

    /// The low bits of the register, or of the part of a register.
    pub fn register(&self, register: PReg) -> u64 {
        self.contents(register) as u64
    }

    /// All of them.
    pub fn contents(&self, register: PReg) -> u128 {
        let place = self.place(register);
        place.kept(self.registers[usize::from(place.index)])
    }

    /// The same for a register of any width.
    pub fn set_contents(&mut self, register: PReg, value: u128) {
        self.write_place(self.place(register), value);
    }

    /// The zero register stays zero; of a narrow one the low bits count. Writing a part clears the rest of the
    /// register, or fills it with ones where the machine does.
    pub fn set_register(&mut self, register: PReg, value: u64) {
        self.set_contents(register, value.into());
    }

    fn place(&self, register: PReg) -> Place {
        let vocabulary = self.target.vocabulary;
        Place {
            index: vocabulary.full_register(register).0,
            bits: vocabulary.register_bits(register) as u16,
            boxed: vocabulary.is_boxed(register),
            is_zero: vocabulary.is_zero_register(register) && !self.target.abi.is_of_environment(register),
        }
    }

    fn value<D: Domain<Bits: Number, Bool = bool>>(&self, place: Place) -> Value<D> {
        let held = D::Bits::of_bytes(&self.registers[usize::from(place.index)].to_le_bytes());
        Value::new(held.zext_or_trunc(place.bits.into()), false)
    }

    fn write_place(&mut self, place: Place, value: u128) {
        if !place.is_zero {
            let rest = if place.boxed { u64::MAX.checked_shl(place.bits.into()).unwrap_or(0) } else { 0 };
            self.registers[usize::from(place.index)] = place.kept(value) | u128::from(rest);
        }
    }

    /// Runs from `start` until it reaches `stop`, has taken `fuel` instructions, or cannot take one; returns the place
    /// too.
    pub fn run(&mut self, start: u64, stop: u64, fuel: u64) -> (Stop, u64) {
        let mut pc = start;
        for _ in 0..fuel {
            if pc == stop {
                break;
            }
            if !self.is_unwound(pc) {
                return (Stop::Unwinding, pc);
            }
            match self.step(pc) {
                Ok(next) => pc = next,
                Err(stopped) => return (stopped, pc),
            }
        }
        (Stop::Still, pc)
    }

    /// Takes one instruction; returns the address of the next.
    fn step(&mut self, pc: u64) -> Result<u64, Stop> {
        let decoded = self.fetch(pc)?;
        match decoded.is_wide {
            true => self.execute(&mut Concrete { choice: Choice::Zeros }, pc, &decoded),
            false => self.execute(&mut Words::default(), pc, &decoded),
        }
    }

    /// Executes the instruction at `pc`; returns the address of the next.
    fn execute<D: Domain<Bits: Number, Bool = bool>>(
        &mut self,
        domain: &mut D,
        pc: u64,
        decoded: &Decoded,
    ) -> Result<u64, Stop> {
        let target = self.target;
        let args: SmallVec<[Value<D>; 4]> = decoded.uses.iter().map(|&place| self.value(place)).collect();
        let address = D::Bits::of_bytes(&pc.to_le_bytes()).zext_or_trunc(target.pointer_bits.into());
        let thread_pointer = D::Bits::of_bytes(&THREAD_POINTER.to_le_bytes()).zext_or_trunc(target.pointer_bits.into());
        let place = Some(CodePlace { address, bytes: decoded.bytes, thread_pointer });
        let environment = target.abi.float_environment.as_ref().filter(|_| decoded.is_of_numbers);
        let mode = environment.map(|environment| {
            let control = self.value::<D>(self.place(environment.control)).bits;
            environment.mode(domain, &control)
        });
        let evaluated =
            tribunal_target::evaluate_raising(target, domain, &mut self.memory, &decoded.inst, &args, (place, mode));
        let (evaluation, raised) = evaluated.map_err(|_| Stop::Illegal)?;
        if let Some(access) = self.memory.misaligned.take() {
            return Err(Stop::Misaligned(access));
        }
        if evaluation.ub {
            return Err(Stop::Memory);
        }
        let next = self.next(pc, decoded, &evaluation);
        if let Some((environment, raised)) = environment.zip(raised) {
            let place = self.place(environment.status);
            let status = environment.raised(domain, &self.value::<D>(place).bits, &raised);
            self.write_place(place, status.low_u64().into());
        }
        for (&place, value) in decoded.defs.iter().zip(evaluation.results) {
            let is_wide = u32::from(place.bits) > u64::BITS;
            let bits = if is_wide { value.bits.bits().unsigned() } else { value.bits.low_u64().into() };
            self.write_place(place, bits);
        }
        Ok(next)
    }

    /// The instruction at `pc`. A compressed form is no word's first half.
    fn fetch(&mut self, pc: u64) -> Result<Rc<Decoded>, Stop> {
        let code = self.memory.regions.iter().find(|region| region.runs(pc)).ok_or(Stop::Memory)?;
        let rest = code.bytes.get((pc - code.address) as usize..).unwrap_or_default();
        // The last two bytes of memory may be a compressed form.
        let Some(word) = rest.first_chunk().map(|word| u32::from_le_bytes(*word)) else {
            let half = rest.first_chunk().map(|half| u16::from_le_bytes(*half)).ok_or(Stop::Memory)?;
            let inst = self.target.expand(half).ok_or(Stop::Memory)?;
            return self.decoded(inst, 2).map(Rc::new).ok_or(Stop::Illegal);
        };
        let recent = (pc / 2) as usize % RECENT;
        match &self.recent[recent] {
            Some((address, known, decoded)) if (*address, *known) == (pc, word) => return Ok(decoded.clone()),
            _ => {}
        }
        let decoded = self.of_word(word).ok_or(Stop::Illegal)?;
        self.recent[recent] = Some((pc, word, decoded.clone()));
        Ok(decoded)
    }

    /// The instruction that this word is, or that its first half is; `None` if it is none.
    fn of_word(&mut self, word: u32) -> Option<Rc<Decoded>> {
        if let Some(known) = self.decoded.get(&word) {
            return known.clone();
        }
        let found = match self.target.expand(word as u16) {
            Some(inst) => self.decoded(inst, 2),
            None => self.target.decode(word).and_then(|inst| self.decoded(inst, 4)),
        };
        if self.decoded.len() >= MOST_DECODED {
            self.decoded.clear();
        }
        self.decoded.entry(word).or_insert(found.map(Rc::new)).clone()
    }

    /// `None` for an operation that is no machine's.
    fn decoded(&self, inst: InstData, bytes: u32) -> Option<Decoded> {
        let Opcode::Target(opcode) = inst.opcode else { return None };
        let row = self.target.instruction(opcode);
        let label = row.operands.iter().position(OperandDesc::is_place);
        let distance = label.and_then(|index| inst.imm(index)).unwrap_or(0);
        let place = |operand: &RegOperand| operand.reg.as_physical().map(|register| self.place(register));
        let (uses, defs) =
            (inst.uses().filter_map(place).collect::<SmallVec<_>>(), inst.defs().filter_map(place).collect());
        let is_wide = self.is_wide(&inst, &uses);
        let is_of_numbers = self.target.is_of_numbers(opcode);
        Some(Decoded { inst, bytes, row, distance, uses, defs, is_wide, is_of_numbers })
    }

    /// Whether numbers do not fit where the instruction is evaluated. A definition does not branch on data, so that
    /// zeros tell.
    fn is_wide(&self, inst: &InstData, uses: &[Place]) -> bool {
        let mut words = Words::default();
        let zero = |place: &Place| Value::new(Number::zero(place.bits.into()), false);
        let args: SmallVec<[Value<Words>; 4]> = uses.iter().map(zero).collect();
        let zero = || Number::zero(self.target.pointer_bits.into());
        let place = Some(CodePlace { address: zero(), bytes: 0, thread_pointer: zero() });
        // Where it has no meaning, both domains say so.
        let _ = tribunal_target::evaluate_at(self.target, &mut words, &mut Pure, inst, &args, place);
        words.exceeded()
    }

    /// The address of the next instruction: the target of an indirect jump, the label of a branch that is taken, or the
    /// address after this one. A return that names no register goes to the return address.
    fn next<D: Domain<Bits: Number, Bool = bool>>(
        &self,
        pc: u64,
        decoded: &Decoded,
        evaluation: &MachineEvaluation<D>,
    ) -> u64 {
        let flags = decoded.row.flags;
        let jumps = flags.contains(OpcodeFlags::CALL) || flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER);
        let address = match (&evaluation.to, evaluation.taken) {
            (Some(to), _) => to.low_u64(),
            (None, _) if flags.contains(OpcodeFlags::RETURN) => self.register(self.target.abi.return_address),
            (None, taken) if taken.unwrap_or(jumps) => pc.wrapping_add_signed(decoded.distance),
            _ => pc.wrapping_add(decoded.bytes.into()),
        };
        address & u64::MAX >> u64::BITS.saturating_sub(self.target.pointer_bits.into())
    }
}

impl<D: Domain<Bits: Number, Bool = bool>> Memory<D> for Regions {
    fn load(&mut self, _: &mut D, address: &D::Bits, bytes: u32, operand: &MemOperand) -> (Value<D>, bool) {
        self.record(address.low_u64(), bytes, None, operand.align);
        let found = self.find(address.low_u64(), bytes as usize);
        let held = found.as_ref().map(|(region, range)| D::Bits::of_bytes(&region.bytes[range.clone()]));
        (Value::new(held.unwrap_or_else(|| Number::zero(8 * bytes)), false), held.is_none())
    }

    fn store(&mut self, _: &mut D, address: &D::Bits, value: &Value<D>, operand: &MemOperand) -> bool {
        let bytes = value.bits.width() as usize / 8;
        let mut stored = [0; 16];
        if let Some(low) = stored.get_mut(..bytes) {
            value.bits.to_bytes(low);
        }
        self.record(address.low_u64(), bytes as u32, Some(u128::from_le_bytes(stored)), operand.align);
        match self.find(address.low_u64(), bytes) {
            Some((region, range)) if region.permissions.0 & Prot::WRITE.0 != 0 => {
                value.bits.to_bytes(&mut region.bytes[range]);
                false
            }
            _ => true,
        }
    }

    /// Machine code has no stack objects.
    fn frame_address(&mut self, _: &mut D, _: StackSlot, bits: u32) -> D::Bits {
        Number::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut D, _: FixedSlot, bits: u32) -> D::Bits {
        Number::zero(bits)
    }
}
