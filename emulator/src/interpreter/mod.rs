//! The interpreter: runs a function at any stage up to allocation, on numbers with unconstrained bits. One run shows
//! which bits of the results hold whatever the nondeterministic choices.
//!
//! [`tribunal_ir::semantics`] defines generic instructions, [`tribunal_target::evaluate`] machine instructions. This
//! file adds the control: blocks, PHIs, physical registers, fuel.

mod batch;
mod memory;
mod numbers;
mod world;

pub use world::{ExternalCall, World};

use crate::input::{FRAME, Frame, Input, UNWRITTEN, clobbered, unwritten_register};
use crate::observation::{Known, Observation, Outcome};
use batch::Batch;
use memory::ConcreteMemory;
use numbers::{Numbers, chosen, full, known, scalar};
use smallvec::SmallVec;
use std::cell::Cell;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{self, Lanes, Number, Partial, PartialBool, Typed, Unsupported, Value, Words};
use tribunal_ir::{
    Block, Constraint, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegOperand, VReg,
};
use tribunal_target::Target;

/// A function ready to run on many inputs.
pub struct Interpreter<'f> {
    function: &'f Function,
    target: &'static Target,
    world: Option<&'f World>,
    frame: Frame,
    unwritten: Unwritten,
    frozen: Option<u64>,
    /// The types of each generic instruction that has a meaning.
    types: Vec<Option<Typed>>,
    /// No number met so far was too wide for a machine's words.
    narrow: Cell<bool>,
    /// Some access is volatile.
    is_volatile: bool,
}

/// One write of a value, for comparing stages register by register.
#[derive(Clone, Debug)]
pub struct Event {
    /// The instruction that wrote.
    pub inst: Inst,
    /// The register written; `None` for a store.
    pub register: Option<VReg>,
    /// The value written; 0 in the unconstrained bits.
    pub value: Bits,
    /// The unconstrained bits.
    pub open: Bits,
    /// True if it was poison.
    pub poison: bool,
    /// The address of a store.
    pub address: Option<u64>,
}

/// One run.
#[derive(Debug)]
pub struct Execution {
    /// The part that is compared with other runs.
    pub observation: Observation,
    /// The number of instructions executed.
    pub instructions: u64,
    /// The values written, in order, if they were asked for.
    pub events: Vec<Event>,
    /// Calls of unknown functions, in order.
    pub calls: Vec<ExternalCall>,
}

/// Settings of a run, besides its input.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Instructions at most.
    pub fuel: u64,
    /// Events kept at most; 0 for none.
    pub events: usize,
    /// The accesses that the observation keeps.
    pub accesses: KeptAccesses,
}

/// The contents of places that nobody wrote: bytes of stack objects, registers clobbered by a call, `IMPLICIT_DEF`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// Poison, and unconstrained bits: contents that a source may not rely on.
    Free,
    /// The machine's contents, so that wrong code that reads them behaves the same here.
    Known,
}

/// The accesses to buffers that an observation keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptAccesses {
    /// Those of the buffers that only volatile accesses touch: the source's promise.
    Volatile,
    /// All of them: a stage is judged by these.
    All,
}

impl<'f> Interpreter<'f> {
    /// A function that runs alone: it knows no symbols, and a call of an unknown function is unsupported.
    pub fn new(function: &'f Function, target: &'static Target) -> Interpreter<'f> {
        let narrow = Cell::new(fits_words(function));
        let (types, is_volatile) = (types_of(function), function.has_volatile_accesses());
        Interpreter {
            function,
            target,
            world: None,
            frame: FRAME,
            unwritten: Unwritten::Free,
            frozen: None,
            types,
            narrow,
            is_volatile,
        }
    }

    /// The same in an environment, which gives symbols addresses and calls a meaning.
    pub fn in_world(function: &'f Function, target: &'static Target, world: &'f World) -> Interpreter<'f> {
        Interpreter { world: Some(world), ..Interpreter::new(function, target) }
    }

    /// The same with stack objects elsewhere.
    pub fn with_frame(self, frame: Frame) -> Interpreter<'f> {
        Interpreter { frame, ..self }
    }

    /// The same with other contents of places that nobody wrote.
    pub fn with_unwritten(self, unwritten: Unwritten) -> Interpreter<'f> {
        Interpreter { unwritten, ..self }
    }

    /// The same with poison frozen to the low bits of `choice`, instead of to unconstrained bits.
    pub fn with_frozen(self, choice: u64) -> Interpreter<'f> {
        Interpreter { frozen: Some(choice), ..self }
    }

    /// Runs from the entry to a return.
    pub fn run(&self, input: &Input, settings: Settings) -> Result<Execution, Unsupported> {
        if self.narrow.get() {
            let mut state = State::<Partial<Words>>::new(self, input, settings);
            let execution = state.run(input, settings);
            if !state.domain.exceeded() {
                return execution;
            }
            self.narrow.set(false);
        }
        State::<Partial>::new(self, input, settings).run(input, settings)
    }

    /// Runs every input, in lock step while they take the same path, which is many times faster than one by one.
    pub fn run_all(&self, inputs: &[Input], settings: Settings) -> Vec<Result<Execution, Unsupported>> {
        let mut all = Vec::with_capacity(inputs.len());
        for inputs in inputs.chunks(Lanes::MOST) {
            let together = self.narrow.get().then(|| Batch::run(self, inputs, settings)).flatten();
            match together {
                Some(executions) => all.extend(executions.into_iter().map(Ok)),
                None => all.extend(inputs.iter().map(|input| self.run(input, settings))),
            }
        }
        all
    }
}

/// True if every register fits a machine's words; values computed of them may not.
fn fits_words(function: &Function) -> bool {
    function.vregs.values().all(|row| row.ty.is_none_or(|ty| ty.bits() <= u128::BITS))
}

enum End {
    Returned(Inst),
    Undefined,
    Open,
    OutOfFuel,
}

/// The control flow after an instruction.
enum Next {
    Following,
    To(Block),
    End(End),
}

struct Walk {
    fuel: u64,
    executed: u64,
}

struct State<'f, D: Numbers> {
    function: &'f Function,
    target: &'static Target,
    types: &'f [Option<Typed>],
    domain: D,
    memory: ConcreteMemory,
    registers: Vec<Option<Value<D>>>,
    /// The operands of the current instruction: a value is large, so the buffer is reused.
    args: Vec<Value<D>>,
    /// Full registers with contents: few.
    physical: Vec<(PReg, Value<D>)>,
    keep: usize,
    events: Vec<Event>,
    world: Option<&'f World>,
    calls: Vec<ExternalCall>,
    unwritten: Unwritten,
    frozen: Option<u64>,
    /// Calls of runtime functions so far.
    emulated_calls: u64,
}

impl<'f, D: Numbers> State<'f, D> {
    fn new(interpreter: &'f Interpreter<'f>, input: &Input, settings: Settings) -> State<'f, D> {
        let Interpreter { function, target, world, frame, unwritten, frozen, ref types, is_volatile, .. } =
            *interpreter;
        let records = is_volatile || settings.accesses == KeptAccesses::All;
        let mut physical = Vec::with_capacity(2 * input.registers.len() + 2);
        physical.extend(input.registers.iter().map(|&(register, value)| (register, full(target, value))));
        State {
            function,
            target,
            types,
            domain: D::default(),
            memory: ConcreteMemory::new(function, input, frame, unwritten, records),
            registers: vec![None; function.vregs.len()],
            args: Vec::with_capacity(8),
            physical,
            keep: settings.events,
            events: Vec::new(),
            world,
            calls: Vec::new(),
            unwritten,
            frozen,
            emulated_calls: 0,
        }
    }

    fn run(&mut self, input: &Input, settings: Settings) -> Result<Execution, Unsupported> {
        let mut walk = Walk { fuel: settings.fuel, executed: 0 };
        let (outcome, returned) = match self.walk(&mut walk)? {
            End::Returned(inst) => (Outcome::Returned, self.results(inst)),
            End::Undefined => (Outcome::Undefined, Vec::new()),
            End::Open => (Outcome::Open, Vec::new()),
            End::OutOfFuel => (Outcome::OutOfFuel, Vec::new()),
        };
        let accesses = self.memory.accesses(settings.accesses == KeptAccesses::Volatile);
        let buffers = self.memory.buffers(input.buffers.len());
        let observation = Observation { outcome, returned, buffers, accesses };
        let (events, calls) = (std::mem::take(&mut self.events), std::mem::take(&mut self.calls));
        Ok(Execution { observation, instructions: walk.executed, events, calls })
    }

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
        let mut written: SmallVec<[(Inst, VReg, Value<D>); 8]> = SmallVec::new();
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
            self.write(inst, register, &value);
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
                let (taken, unconstrained) = semantics::condition_of(&mut self.domain, &condition.bits);
                let ub = self.domain.bool_or(&condition.poison, &unconstrained);
                match undefined(ub) {
                    Some(end) => Ok(Next::End(end)),
                    None => branch(taken, data),
                }
            }
            Opcode::COPY => self.copy(inst, data),
            Opcode::IMPLICIT_DEF => {
                let (Some(register), bits) = (data.vreg(0), width_of(self.function, self.target, data, 0)) else {
                    return Ok(Next::Following);
                };
                let free = self.domain.choose(bits);
                let bits = match self.unwritten {
                    Unwritten::Free => free,
                    Unwritten::Known => chosen(&free, u64::from_ne_bytes([UNWRITTEN; 8])),
                };
                let value = Value { bits, poison: PartialBool::known(false) };
                self.write(inst, register, &value);
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
            Some(Some(types)) => semantics::evaluate_typed(domain, memory, self.function, data, types, &self.args),
            // Its fault is reported when it is executed.
            _ => semantics::evaluate(domain, memory, self.function, data, &self.args),
        };
        // Values are large, so they are written from their place.
        let evaluation = match &evaluation {
            Ok(evaluation) => evaluation,
            Err(unsupported) => return Err(unsupported.clone()),
        };
        if let Some(end) = undefined(evaluation.ub) {
            return Ok(Next::End(end));
        }
        if data.opcode == Opcode::G_STORE && self.events.len() < self.keep {
            let address = Some(self.args[1].bits.value.low_u64());
            self.events.push(event(inst, None, &self.args[0], address));
        }
        for (register, value) in data.vreg_defs().zip(&evaluation.results) {
            match self.frozen.filter(|_| data.opcode == Opcode::G_FREEZE) {
                Some(choice) => {
                    self.write(inst, register, &Value { bits: chosen(&value.bits, choice), ..value.clone() })
                }
                None => self.write(inst, register, value),
            }
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
        let mut args: SmallVec<[Value<D>; 4]> = SmallVec::new();
        for operand in data.uses() {
            // A machine's registers hold bits: poison in generic code is arbitrary bits there.
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
                Reg::Virtual(register) => self.write(inst, register, &value),
                Reg::Physical(register) => self.write_physical(register, value),
            }
        }
        match evaluation.taken {
            Some(taken) => branch(taken, data),
            None => Ok(Next::Following),
        }
    }

    fn call(&mut self, data: &InstData) -> Result<Next, Unsupported> {
        let mut domain = std::mem::take(&mut self.domain);
        let evaluation =
            self.target.evaluate_call(&mut domain, self.function, data, |_, register| self.read_physical(register));
        self.domain = domain;
        let evaluation = evaluation?;
        if let Some(end) = undefined(evaluation.ub) {
            return Ok(Next::End(end));
        }
        for (register, mut value) in evaluation.registers {
            if self.unwritten == Unwritten::Known {
                value.bits = chosen(&value.bits, clobbered(register, self.emulated_calls));
            }
            self.write_physical(register, value);
        }
        self.emulated_calls += 1;
        Ok(Next::Following)
    }

    fn copy(&mut self, inst: Inst, data: &InstData) -> Result<Next, Unsupported> {
        let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else { return Err(malformed(data)) };
        let mut value = self.read(src)?;
        match dst.reg {
            Reg::Virtual(register) => {
                value.bits = value.bits.zext_or_trunc(width_of(self.function, self.target, data, 0));
                self.write(inst, register, &value);
            }
            Reg::Physical(register) => self.write_physical(register, value),
        }
        Ok(Next::Following)
    }

    fn register(&self, register: VReg) -> Result<Value<D>, Unsupported> {
        value_of(&self.registers, register).cloned()
    }

    fn read(&self, operand: &RegOperand) -> Result<Value<D>, Unsupported> {
        let mut value = match operand.reg {
            Reg::Virtual(register) => self.register(register)?,
            Reg::Physical(register) => self.read_physical(register),
        };
        if operand.subregister.0 != 0 {
            value.bits = value.bits.zext_or_trunc(self.target.vocabulary.subregister_bits(operand.subregister));
        }
        Ok(value)
    }

    fn write(&mut self, inst: Inst, register: VReg, value: &Value<D>) {
        if self.events.len() < self.keep {
            self.events.push(event(inst, Some(register), value, None));
        }
        self.registers[register.as_u32() as usize] = Some(value.clone());
    }

    fn read_physical(&self, register: PReg) -> Value<D> {
        let bits = self.target.vocabulary.register_bits(register);
        if self.target.is_zero_register(register) {
            return scalar(Bits::zero(bits));
        }
        let full_register = self.target.vocabulary.full_register(register);
        let arbitrary = || full(self.target, unwritten_register(full_register));
        let held = self.physical.iter().find(|(known, _)| *known == full_register);
        let value = held.map_or_else(arbitrary, |(_, value)| value.clone());
        Value { bits: value.bits.zext_or_trunc(bits), poison: value.poison }
    }

    /// Writing a part clears the rest of the register.
    fn write_physical(&mut self, register: PReg, value: Value<D>) {
        let full_register = self.target.vocabulary.full_register(register);
        let bits = self.target.vocabulary.register_bits(full_register);
        let part = self.target.vocabulary.register_bits(register);
        let value = Value { bits: value.bits.zext_or_trunc(part).zext_or_trunc(bits), poison: value.poison };
        match self.physical.iter_mut().find(|(known, _)| *known == full_register) {
            Some((_, held)) => *held = value,
            None => self.physical.push((full_register, value)),
        }
    }

    /// The registers that a return reads.
    fn results(&self, inst: Inst) -> Vec<(PReg, u32, Known)> {
        let registers = self.function.inst(inst).uses().filter_map(|operand| operand.reg.as_physical());
        let result = |register| {
            let value = self.read_physical(register);
            (register, value.bits.width(), known(&value.bits, value.poison))
        };
        registers.map(result).collect()
    }
}

fn types_of(function: &Function) -> Vec<Option<Typed>> {
    let mut types = vec![None; function.inst_bound()];
    for inst in function.all_insts() {
        types[inst.as_u32() as usize] = semantics::typed(function, function.inst(inst)).ok();
    }
    types
}

/// Bits of the register at operand `index`.
fn width_of(function: &Function, target: &Target, data: &InstData, index: usize) -> u32 {
    match data.operands.get(index).and_then(Operand::as_reg).map(|operand| operand.reg) {
        Some(Reg::Virtual(register)) => {
            let row = &function.vregs[register];
            match (row.ty, row.constraint) {
                (Some(ty), _) => ty.bits(),
                (None, Constraint::Class(class)) => target.class(class).bits,
                (None, Constraint::Bank(_) | Constraint::None) => u32::from(target.pointer_bits),
            }
        }
        Some(Reg::Physical(register)) => target.vocabulary.register_bits(register),
        None => u32::from(target.pointer_bits),
    }
}

/// The contents of a virtual register.
fn value_of<D: Numbers>(registers: &[Option<Value<D>>], register: VReg) -> Result<&Value<D>, Unsupported> {
    let value = registers.get(register.as_u32() as usize).and_then(Option::as_ref);
    value.ok_or_else(|| Unsupported::new("a register read before it is written"))
}

/// The end of a run where `ub` may hold.
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

fn event<D: Numbers>(inst: Inst, register: Option<VReg>, value: &Value<D>, address: Option<u64>) -> Event {
    let poison = value.poison.value || value.poison.open;
    Event { inst, register, value: value.bits.value.bits(), open: value.bits.open.bits(), poison, address }
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
