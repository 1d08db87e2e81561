//! Runs a function at any stage up to allocation, on numbers of which a free choice may leave bits open: one run tells which
//! bits of the results hold whatever the choices.
//!
//! Generic instructions mean what [`tribunal_ir::semantics`] says, machine instructions what
//! [`tribunal_target::evaluate`] says; this file only walks: blocks, PHIs, physical registers, fuel.

mod memory;
mod world;

pub use world::{Call, World, plain};

use crate::input::{FRAME, Frame, Input, unwritten_register};
use crate::observation::{Known, Observation, Outcome};
use memory::ConcreteMemory;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{self, Partial, PartialBits, PartialBool, Typed, Unsupported, Value};
use tribunal_ir::{
    Block, Constraint, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegOperand, VReg,
};
use tribunal_target::Target;

type Scalar = Value<Partial>;

/// A function ready to run on many inputs.
pub struct Interpreter<'f> {
    function: &'f Function,
    target: &'static Target,
    world: Option<&'f World>,
    frame: Frame,
    /// Of each generic instruction that has a meaning.
    types: Vec<Option<Typed>>,
    /// Some access is volatile.
    is_volatile: bool,
}

/// One value as it was written, for comparing stages register by register.
#[derive(Clone, Debug)]
pub struct Event {
    pub inst: Inst,
    /// The register written; `None` for a store.
    pub register: Option<VReg>,
    pub value: Bits,
    /// Bits that a free choice decides.
    pub open: Bits,
    pub poison: bool,
    /// The address of a store.
    pub address: Option<u64>,
}

/// One run.
#[derive(Debug)]
pub struct Execution {
    pub observation: Observation,
    pub instructions: u64,
    /// What was written, in order, if it was asked for.
    pub events: Vec<Event>,
    /// Calls of functions that are not known, in order.
    pub calls: Vec<Call>,
}

/// What a run is told besides its input.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Instructions at most.
    pub fuel: u64,
    /// Events kept at most; 0 for none.
    pub events: usize,
    pub accesses: Accesses,
}

/// Which accesses to buffers an observation keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accesses {
    /// Of the buffers that volatile accesses touch, and no other: what a source promises.
    Volatile,
    /// All of them: what a stage is held by.
    All,
}

impl<'f> Interpreter<'f> {
    pub fn new(function: &'f Function, target: &'static Target) -> Interpreter<'f> {
        let (types, is_volatile) = (types_of(function), function.has_volatile_accesses());
        Interpreter { function, target, world: None, frame: FRAME, types, is_volatile }
    }

    /// The same in a world that gives symbols addresses and calls a meaning.
    pub fn in_world(function: &'f Function, target: &'static Target, world: &'f World) -> Interpreter<'f> {
        Interpreter { world: Some(world), ..Interpreter::new(function, target) }
    }

    /// The same with stack objects elsewhere.
    pub fn with_frame(self, frame: Frame) -> Interpreter<'f> {
        Interpreter { frame, ..self }
    }

    /// Runs from the entry to a return.
    pub fn run(&self, input: &Input, settings: Settings) -> Result<Execution, Unsupported> {
        let records = settings.accesses == Accesses::All || self.is_volatile;
        let mut state = State {
            function: self.function,
            target: self.target,
            types: &self.types,
            domain: Partial,
            memory: ConcreteMemory::new(self.function, input, self.frame, records),
            registers: vec![None; self.function.vregs.len()],
            args: Vec::new(),
            physical: input.registers.iter().map(|&(register, value)| (register, full(self.target, value))).collect(),
            keep: settings.events,
            events: Vec::new(),
            world: self.world,
            calls: Vec::new(),
        };
        let mut walk = Walk { fuel: settings.fuel, executed: 0 };
        let end = state.walk(&mut walk)?;
        let returned = match end {
            End::Returned(inst) => state.results(inst),
            End::Undefined | End::Open | End::OutOfFuel => Vec::new(),
        };
        let outcome = match end {
            End::Returned(_) => Outcome::Returned,
            End::Undefined => Outcome::Undefined,
            End::Open => Outcome::Open,
            End::OutOfFuel => Outcome::OutOfFuel,
        };
        let buffers = state.memory.buffers(input.buffers.len());
        let accesses = state.memory.accesses(settings.accesses == Accesses::Volatile);
        let observation = Observation { outcome, returned, buffers, accesses };
        Ok(Execution { observation, instructions: walk.executed, events: state.events, calls: state.calls })
    }
}

/// The value of a full register.
fn full(target: &Target, value: u64) -> Scalar {
    scalar(Bits::new(value.into(), target.pointer_bits.into()))
}

fn scalar(bits: Bits) -> Scalar {
    Value { bits: PartialBits::known(bits), poison: PartialBool::known(false) }
}

enum End {
    Returned(Inst),
    Undefined,
    Open,
    OutOfFuel,
}

/// Where control goes after an instruction.
enum Next {
    Following,
    To(Block),
    End(End),
}

struct Walk {
    fuel: u64,
    executed: u64,
}

struct State<'f> {
    function: &'f Function,
    target: &'static Target,
    types: &'f [Option<Typed>],
    domain: Partial,
    memory: ConcreteMemory,
    registers: Vec<Option<Scalar>>,
    /// What the instruction at hand reads: a value is large, so they stay where they are.
    args: Vec<Scalar>,
    /// Full registers.
    physical: BTreeMap<PReg, Scalar>,
    keep: usize,
    events: Vec<Event>,
    world: Option<&'f World>,
    calls: Vec<Call>,
}

impl State<'_> {
    fn walk(&mut self, walk: &mut Walk) -> Result<End, Unsupported> {
        let layout = self.function.layout();
        let Some(mut block) = self.function.entry() else { return Err(Unsupported::new("a function without blocks")) };
        let mut from = None;
        'blocks: loop {
            if let Some(from) = from {
                self.phis(block, from)?;
            }
            for inst in self.function.insts(block) {
                if self.function.inst(inst).opcode.is_phi() {
                    continue;
                }
                if walk.executed == walk.fuel {
                    return Ok(End::OutOfFuel);
                }
                walk.executed += 1;
                match self.step(inst)? {
                    Next::Following => {}
                    Next::To(to) => {
                        from = Some(block);
                        block = to;
                        continue 'blocks;
                    }
                    Next::End(end) => return Ok(end),
                }
            }
            let position = layout.iter().position(|&other| other == block);
            let next = position.and_then(|position| layout.get(position + 1).copied());
            // Without a successor the end of a block is not reached by any defined run.
            match next {
                Some(next) if self.function.successors(block).any(|successor| successor == next) => {
                    from = Some(block);
                    block = next;
                }
                _ => return Ok(End::Undefined),
            }
        }
    }

    /// All PHIs of a block read before any writes.
    fn phis(&mut self, block: Block, from: Block) -> Result<(), Unsupported> {
        let mut written: SmallVec<[(Inst, VReg, Scalar); 8]> = SmallVec::new();
        for inst in self.function.insts(block) {
            let data = self.function.inst(inst);
            if !data.opcode.is_phi() {
                break;
            }
            let input = data.phi_inputs().find(|&(_, block)| block == from).map(|(value, _)| value);
            let (Some(register), Some(input)) = (data.vreg(0), input) else { return Err(malformed(data)) };
            written.push((inst, register, self.register(input)?));
        }
        for (inst, register, value) in written {
            self.write(inst, register, value);
        }
        Ok(())
    }

    fn step(&mut self, inst: Inst) -> Result<Next, Unsupported> {
        let data = self.function.inst(inst);
        if let Some(next) = self.outside(inst, data)? {
            return Ok(next);
        }
        match data.opcode {
            Opcode::G_BR => label(data).map(Next::To),
            Opcode::G_BRCOND => {
                let condition = self.register(data.vreg(0).ok_or_else(|| malformed(data))?)?;
                let (taken, wild) = semantics::condition_of(&mut self.domain, &condition.bits);
                use semantics::Domain;
                let ub = self.domain.bool_or(&condition.poison, &wild);
                match undefined(ub) {
                    Some(end) => Ok(Next::End(end)),
                    None => branch(taken, data),
                }
            }
            Opcode::COPY => self.copy(inst, data),
            Opcode::IMPLICIT_DEF => {
                let (Some(register), bits) = (data.vreg(0), self.width_of(data, 0)) else { return Ok(Next::Following) };
                use semantics::Domain;
                let value = Value { bits: self.domain.choose(bits), poison: PartialBool::known(false) };
                self.write(inst, register, value);
                Ok(Next::Following)
            }
            Opcode::LIFETIME_START | Opcode::LIFETIME_END | Opcode::KILL => Ok(Next::Following),
            Opcode::Target(_) if self.target.is_call(data) => self.call(data),
            Opcode::Target(_) => self.machine(inst, data),
            _ => self.generic(inst, data),
        }
    }

    fn generic(&mut self, inst: Inst, data: &InstData) -> Result<Next, Unsupported> {
        self.args.clear();
        for register in data.vreg_uses() {
            self.args.push(value_of(&self.registers, register)?.clone());
        }
        let (domain, memory) = (&mut self.domain, &mut self.memory);
        let evaluation = match self.types.get(inst.as_u32() as usize) {
            Some(Some(types)) => semantics::evaluate_typed(domain, memory, self.function, data, types, &self.args)?,
            // What is wrong with it is said when it is executed.
            _ => semantics::evaluate(domain, memory, self.function, data, &self.args)?,
        };
        if let Some(end) = undefined(evaluation.ub) {
            return Ok(Next::End(end));
        }
        if data.opcode == Opcode::G_STORE && self.events.len() < self.keep {
            let address = Some(self.args[1].bits.value.low_u64());
            self.events.push(event(inst, None, &self.args[0], address));
        }
        for (register, value) in data.vreg_defs().zip(evaluation.results) {
            self.write(inst, register, value);
        }
        Ok(Next::Following)
    }

    fn machine(&mut self, inst: Inst, data: &InstData) -> Result<Next, Unsupported> {
        let Opcode::Target(opcode) = data.opcode else { return Err(malformed(data)) };
        let flags = self.target.instruction(opcode).flags;
        if flags.contains(OpcodeFlags::RETURN) {
            return Ok(Next::End(End::Returned(inst)));
        }
        if flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER) {
            return label(data).map(Next::To);
        }
        let mut args: SmallVec<[Scalar; 4]> = SmallVec::new();
        for operand in data.uses() {
            // A machine's registers hold bits: what is poison in generic code is any bits there.
            args.push(Value { poison: PartialBool::known(false), ..self.read(operand)? });
        }
        let evaluation = tribunal_target::evaluate(self.target, &mut self.domain, &mut self.memory, data, &args)?;
        if let Some(end) = undefined(evaluation.ub) {
            return Ok(Next::End(end));
        }
        if flags.contains(OpcodeFlags::STORE) && self.events.len() < self.keep {
            self.events.push(event(inst, None, &args[0], None));
        }
        let defs: SmallVec<[Reg; 2]> = data.defs().map(|operand| operand.reg).collect();
        for (reg, value) in defs.into_iter().zip(evaluation.results) {
            match reg {
                Reg::Virtual(register) => self.write(inst, register, value),
                Reg::Physical(register) => self.write_physical(register, value),
            }
        }
        match evaluation.taken {
            Some(taken) => branch(taken, data),
            None => Ok(Next::Following),
        }
    }

    fn call(&mut self, data: &InstData) -> Result<Next, Unsupported> {
        let mut domain = self.domain;
        let read = |_: &mut Partial, register| self.read_physical(register);
        let evaluation = self.target.evaluate_call(&mut domain, self.function, data, read)?;
        if let Some(end) = undefined(evaluation.ub) {
            return Ok(Next::End(end));
        }
        for (register, value) in evaluation.registers {
            self.write_physical(register, value);
        }
        Ok(Next::Following)
    }

    fn copy(&mut self, inst: Inst, data: &InstData) -> Result<Next, Unsupported> {
        let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else { return Err(malformed(data)) };
        let mut value = self.read(src)?;
        match dst.reg {
            Reg::Virtual(register) => {
                value.bits = value.bits.zext_or_trunc(self.width_of(data, 0));
                self.write(inst, register, value);
            }
            Reg::Physical(register) => self.write_physical(register, value),
        }
        Ok(Next::Following)
    }

    /// Bits of the register at operand `index`.
    fn width_of(&self, data: &InstData, index: usize) -> u32 {
        match data.operands.get(index).and_then(Operand::as_reg).map(|operand| operand.reg) {
            Some(Reg::Virtual(register)) => {
                let row = &self.function.vregs[register];
                match (row.ty, row.constraint) {
                    (Some(ty), _) => ty.bits(),
                    (None, Constraint::Class(class)) => self.target.class(class).bits,
                    (None, Constraint::Bank(_) | Constraint::None) => u32::from(self.target.pointer_bits),
                }
            }
            Some(Reg::Physical(register)) => self.target.vocabulary.register_bits(register),
            None => u32::from(self.target.pointer_bits),
        }
    }

    fn register(&self, register: VReg) -> Result<Scalar, Unsupported> {
        value_of(&self.registers, register).cloned()
    }

    fn read(&self, operand: &RegOperand) -> Result<Scalar, Unsupported> {
        let mut value = match operand.reg {
            Reg::Virtual(register) => self.register(register)?,
            Reg::Physical(register) => self.read_physical(register),
        };
        if operand.subregister.0 != 0 {
            value.bits = value.bits.zext_or_trunc(self.target.vocabulary.subregister_bits(operand.subregister));
        }
        Ok(value)
    }

    fn write(&mut self, inst: Inst, register: VReg, value: Scalar) {
        if self.events.len() < self.keep {
            self.events.push(event(inst, Some(register), &value, None));
        }
        self.registers[register.as_u32() as usize] = Some(value);
    }

    fn read_physical(&self, register: PReg) -> Scalar {
        let bits = self.target.vocabulary.register_bits(register);
        if self.target.is_zero_register(register) {
            return scalar(Bits::zero(bits));
        }
        let full_register = self.target.vocabulary.full_register(register);
        let arbitrary = || full(self.target, unwritten_register(full_register));
        let value = self.physical.get(&full_register).cloned().unwrap_or_else(arbitrary);
        Value { bits: value.bits.zext_or_trunc(bits), poison: value.poison }
    }

    /// Writing a part clears the rest of the register.
    fn write_physical(&mut self, register: PReg, value: Scalar) {
        let full_register = self.target.vocabulary.full_register(register);
        let bits = self.target.vocabulary.register_bits(full_register);
        let part = self.target.vocabulary.register_bits(register);
        let value = Value { bits: value.bits.zext_or_trunc(part).zext_or_trunc(bits), poison: value.poison };
        self.physical.insert(full_register, value);
    }

    /// The registers that a return reads.
    fn results(&self, inst: Inst) -> Vec<(PReg, u32, Known)> {
        let registers = self.function.inst(inst).uses().filter_map(|operand| operand.reg.as_physical());
        let known = |register| {
            let value = self.read_physical(register);
            let poison = value.poison.value || value.poison.open;
            let fixed = if poison { 0 } else { !value.bits.open.low_u64() };
            (register, value.bits.width(), Known { value: value.bits.value.low_u64(), fixed })
        };
        registers.map(known).collect()
    }
}

fn types_of(function: &Function) -> Vec<Option<Typed>> {
    let mut types = vec![None; function.inst_bound()];
    for inst in function.all_insts() {
        types[inst.as_u32() as usize] = semantics::typed(function, function.inst(inst)).ok();
    }
    types
}

/// What a virtual register holds.
fn value_of(registers: &[Option<Scalar>], register: VReg) -> Result<&Scalar, Unsupported> {
    let value = registers.get(register.as_u32() as usize).and_then(Option::as_ref);
    value.ok_or_else(|| Unsupported::new("a register read before it is written"))
}

/// How a run ends where `ub` may hold.
fn undefined(ub: PartialBool) -> Option<End> {
    match (ub.value, ub.open) {
        (_, true) => Some(End::Open),
        (true, false) => Some(End::Undefined),
        (false, false) => None,
    }
}

fn branch(taken: PartialBool, data: &InstData) -> Result<Next, Unsupported> {
    match (taken.value, taken.open) {
        (_, true) => Ok(Next::End(End::Open)),
        (true, false) => label(data).map(Next::To),
        (false, false) => Ok(Next::Following),
    }
}

fn event(inst: Inst, register: Option<VReg>, value: &Scalar, address: Option<u64>) -> Event {
    let poison = value.poison.value || value.poison.open;
    Event { inst, register, value: value.bits.value, open: value.bits.open, poison, address }
}

fn malformed(data: &InstData) -> Unsupported {
    Unsupported::new(format!("malformed {}", data.opcode))
}

fn label(data: &InstData) -> Result<Block, Unsupported> {
    let block = data.operands.iter().find_map(|operand| match operand {
        Operand::Block(block) => Some(*block),
        _ => None,
    });
    block.ok_or_else(|| malformed(data))
}
