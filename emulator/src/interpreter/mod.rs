//! The interpreter: runs a function at any stage up to allocation, on numbers with unconstrained bits. One run shows
//! which bits of the results hold whatever the nondeterministic choices.
//!
//! [`tribunal_ir::semantics`] defines generic instructions and [`tribunal_target::execute`] machine instructions. This
//! file holds the registers, counts the fuel and records the run.

mod batch;
mod callee;
mod calls;
mod control;
mod environment;
mod execution;
mod frames;
mod memory;
mod numbers;
mod promises;
mod spare;
mod traps;

pub use callee::return_pointers;
pub use calls::reached;
pub use environment::ConcreteEnvironment;
pub use execution::{Event, Execution, KeptAccesses, Settings, Unwritten};
pub use memory::Stray;

use crate::call::{CallMismatch, ExternalCall};
use crate::input::{FRAME, Frame, Input, UNWRITTEN, before_run, clobbered, unwritten_register};
use crate::observation::{Known, Observation, Outcome};
use batch::Batch;
use callee::Callees;
use calls::{Activation, DefinedCall, Definitions};
use control::undefined;
use frames::{StackShape, call_frame_bytes};
use memory::ConcreteMemory;
use numbers::{Numbers, chosen, known, scalar};
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::walk::{self, Edge, MachineState};
use tribunal_ir::semantics::{self, Domain, Lanes, Number, Partial, PartialBool, Typed, Unsupported, Value, Words};
use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, VReg, Vocabulary};
use tribunal_target::frame_records::FrameQuery;
use tribunal_target::promises::Promises;
use tribunal_target::{Target, environment as outside, stack};

/// A function ready to run on many inputs.
#[derive(Clone)]
pub struct Interpreter<'f> {
    function: &'f Function,
    target: &'static Target,
    environment: Option<Cow<'f, ConcreteEnvironment>>,
    /// The calls to repeat; `None` if the run decides what callees do.
    script: Option<&'f [ExternalCall]>,
    frame: Frame,
    unwritten: Unwritten,
    choice: Option<u64>,
    shape: StackShape,
    /// The types of each generic instruction that has a meaning.
    types: Vec<Option<Typed>>,
    /// No number met so far was too wide for a machine's words.
    narrow: Cell<bool>,
    /// Some access is volatile.
    is_volatile: bool,
    promises: Promises,
    /// Some instruction is a trap, or moves the stack pointer.
    ends_or_moves_stack: bool,
    /// The functions whose calls are executed; `None` if it runs alone.
    definitions: Option<Definitions<'f>>,
}

impl<'f> Interpreter<'f> {
    /// A function that runs alone: its symbols are at the places of [`crate::globals`]. The input determines what
    /// unknown functions do.
    pub fn new(function: &'f Function, target: &'static Target) -> Interpreter<'f> {
        let narrow = Cell::new(fits_words(function));
        let (types, is_volatile) = (types_of(function), function.has_volatile_accesses());
        let has_outside = callee::has_callees(function, target)
            || environment::names_addresses(function, target)
            || traps::has_traps(function, target);
        let environment = has_outside.then(|| Cow::Owned(ConcreteEnvironment::alone(function, target)));
        Interpreter {
            function,
            target,
            environment,
            script: None,
            frame: FRAME,
            unwritten: Unwritten::Free,
            choice: None,
            promises: Promises::Ignored,
            shape: StackShape::of(function, target),
            types,
            narrow,
            is_volatile,
            ends_or_moves_stack: ends_or_moves_stack(function, target),
            definitions: None,
        }
    }

    /// The same with callees that do what they did in an earlier run.
    pub fn with_calls(self, script: &'f [ExternalCall]) -> Interpreter<'f> {
        Interpreter { script: Some(script), ..self }
    }

    /// The function.
    pub fn function(&self) -> &'f Function {
        self.function
    }

    /// The machine that it is for.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// The same with stack objects elsewhere.
    pub fn with_frame(self, frame: Frame) -> Interpreter<'f> {
        Interpreter { frame, ..self }
    }

    /// The same with other contents of places that nobody wrote.
    pub fn with_unwritten(self, unwritten: Unwritten) -> Interpreter<'f> {
        Interpreter { unwritten, ..self }
    }

    /// The same where every choice that an operation makes has these low bits, instead of unconstrained ones: frozen
    /// poison, the payload of a NaN, the free bits of a library function's result, a register that nobody wrote.
    pub fn with_choice(self, choice: u64) -> Interpreter<'f> {
        Interpreter { choice: Some(choice), ..self }
    }

    /// Runs from the entry to a return.
    pub fn run(&self, input: &Input, settings: Settings) -> Result<Execution, Unsupported> {
        if self.narrow.get() {
            let mut state = SingleRun::<Partial<Words>>::new(self, input, settings);
            let execution = state.run(input, settings);
            if !state.domain.exceeded() {
                return execution;
            }
            self.narrow.set(false);
        }
        SingleRun::<Partial>::new(self, input, settings).run(input, settings)
    }

    /// Runs every input, in lock step while they take the same path, which is many times faster than one by one.
    pub fn run_all(&self, inputs: &[Input], settings: Settings) -> Vec<Result<Execution, Unsupported>> {
        let mut all = Vec::with_capacity(inputs.len());
        for inputs in inputs.chunks(Lanes::MOST) {
            let together =
                (self.narrow.get() && self.definitions.is_none()).then(|| Batch::run(self, inputs, settings)).flatten();
            match together {
                Some(executions) => all.extend(executions.into_iter().map(Ok)),
                None => all.extend(inputs.iter().map(|input| self.run(input, settings))),
            }
        }
        all
    }
}

/// True for PHIs, which an edge computes, and for rules of the unwinder.
fn computes_nothing(opcode: Opcode) -> bool {
    opcode.is_phi() || opcode == Opcode::CFI_INSTRUCTION
}

/// True if every register fits a machine's words; values computed of them may not.
fn fits_words(function: &Function) -> bool {
    function.vregs.values().all(|row| row.ty.is_none_or(|ty| ty.bits() <= u128::BITS))
}

/// The end of the walk through a function.
enum End {
    Returned(Inst),
    /// It calls a function of its module.
    Called(Inst),
    Undefined,
    Unconstrained,
    OutOfFuel,
    TooDeep,
}

/// A register in which a run returns, its width in bits, and its value.
type Returned = (PReg, u32, Known);

/// The block that control goes to, `None` for the next instruction; or the end of the run.
type Control = ControlFlow<End, Option<Block>>;

struct Walk {
    fuel: u64,
    executed: u64,
}

struct SingleRun<'f, D: Numbers> {
    /// The innermost function that is active.
    function: &'f Function,
    target: &'static Target,
    types: &'f [Option<Typed>],
    definitions: Option<&'f Definitions<'f>>,
    /// The functions around it, outermost first.
    suspended: Vec<Activation<'f, D>>,
    /// The call that the current instruction makes of a function of the module.
    called: Option<DefinedCall<D>>,
    /// The function stands in place of the one that runs, which it was called by.
    is_replaced: bool,
    /// Some instruction is a trap, or moves the stack pointer.
    ends_or_moves_stack: bool,
    domain: D,
    frame: Frame,
    memory: ConcreteMemory,
    registers: Vec<Option<Value<D>>>,
    /// The operands of the current instruction: a value is large, so the buffer is reused.
    args: Vec<Value<D>>,
    /// Full registers with contents: few.
    physical: Vec<(PReg, Value<D>)>,
    keep: usize,
    events: Vec<Event>,
    environment: Option<&'f ConcreteEnvironment>,
    callees: Callees<'f>,
    /// Calls of unknown functions, where the run decides what they do.
    calls_made: Vec<ExternalCall>,
    /// Accesses before the last of them.
    accesses_at_call: usize,
    mismatch: Option<CallMismatch>,
    /// Bytes of the call frame that is open.
    frame_bytes: u64,
    /// Of the input.
    seed: u64,
    unwritten: Unwritten,
    choice: Option<u64>,
    promises: Promises,
    /// Calls so far.
    calls: u64,
}

impl<'f, D: Numbers> SingleRun<'f, D> {
    fn new(interpreter: &'f Interpreter<'f>, input: &Input, settings: Settings) -> SingleRun<'f, D> {
        let Interpreter {
            function,
            target,
            script,
            frame,
            unwritten,
            choice,
            promises,
            shape,
            ref types,
            is_volatile,
            ..
        } = *interpreter;
        let environment = interpreter.environment.as_deref();
        let callees = Callees::new(script);
        let draws = environment.is_some() && callees.are_drawn();
        let records = is_volatile || draws || settings.accesses == KeptAccesses::All;
        let mut physical = Vec::with_capacity(2 * input.registers.len() + 2);
        physical.extend(input.registers.iter().map(|&(register, value)| (register, full(target, register, value))));
        SingleRun {
            function,
            target,
            types,
            definitions: interpreter.definitions.as_ref(),
            suspended: Vec::new(),
            called: None,
            is_replaced: false,
            ends_or_moves_stack: interpreter.ends_or_moves_stack,
            domain: D::with_choice(choice),
            frame,
            memory: ConcreteMemory::new(function, input, frame, unwritten, (records, shape))
                .with_tables(function, target.register_bytes()),
            frame_bytes: 0,
            registers: vec![None; function.vregs.len()],
            args: Vec::with_capacity(8),
            physical,
            keep: settings.events,
            events: Vec::new(),
            environment,
            callees,
            calls_made: Vec::new(),
            accesses_at_call: 0,
            mismatch: None,
            seed: if draws { input.seed() } else { 0 },
            unwritten,
            choice,
            promises,
            calls: 0,
        }
    }

    fn run(&mut self, input: &Input, settings: Settings) -> Result<Execution, Unsupported> {
        let mut walk = Walk { fuel: settings.fuel, executed: 0 };
        let (outcome, returned) = self.walk(&mut walk)?;
        let stray = self.memory.stray(self.target.register_bytes() as usize);
        let outcome = self.with_callees(outcome);
        let accesses = self.memory.accesses(self.target, settings.accesses == KeptAccesses::Volatile);
        // What memory holds where a callee did not return stands with the call.
        let buffers = if outcome == Outcome::Stopped { 0 } else { input.buffers.len() };
        let (buffers, calls) = (self.memory.buffers(buffers), std::mem::take(&mut self.calls_made));
        let observation = Observation { outcome, returned, buffers, accesses, calls };
        let (events, mismatch) = (std::mem::take(&mut self.events), self.mismatch.take());
        Ok(Execution { observation, instructions: walk.executed, events, mismatch, stray })
    }

    /// The end of the run as the callees have it. Where they are drawn, a run that ends badly is one whose last callee
    /// did not return. Where they follow a script, one that returned must have made all calls.
    fn with_callees(&mut self, outcome: Outcome) -> Outcome {
        match self.callees.script() {
            Some(script) if outcome == Outcome::Returned => {
                self.mismatch = script.missing();
                outcome
            }
            Some(_) if self.callees.stopped => Outcome::Stopped,
            None if outcome != Outcome::Returned && !self.calls_made.is_empty() => {
                self.memory.forget_accesses(self.accesses_at_call);
                self.calls_made.last_mut().into_iter().for_each(|call| call.effect.returns = false);
                Outcome::Stopped
            }
            _ => outcome,
        }
    }

    /// Runs to the end of the outermost function; its results too.
    fn walk(&mut self, walk: &mut Walk) -> Result<(Outcome, Vec<Returned>), Unsupported> {
        let mut at = self.start()?;
        loop {
            let ended = |outcome| Ok((outcome, Vec::new()));
            match self.walk_function(at, walk)? {
                End::Returned(inst) if self.suspended.is_empty() => return Ok((Outcome::Returned, self.results(inst))),
                End::Returned(inst) => at = self.back(inst)?,
                End::Called(inst) => match self.enter(inst)? {
                    Some(entry) => at = entry,
                    None => return ended(Outcome::TooDeep),
                },
                End::Undefined => return ended(Outcome::Undefined),
                End::Unconstrained => return ended(Outcome::Unconstrained),
                End::OutOfFuel => return ended(Outcome::OutOfFuel),
                End::TooDeep => return ended(Outcome::TooDeep),
            }
        }
    }

    /// The first place in the innermost function.
    fn start(&self) -> Result<(Block, Option<Inst>), Unsupported> {
        let entry = self.function.entry().ok_or_else(|| Unsupported::new("a function without blocks"))?;
        Ok((entry, self.function.first_inst(entry)))
    }

    /// Runs the innermost function from a place on: a block, and an instruction there or its end.
    fn walk_function(&mut self, at: (Block, Option<Inst>), walk: &mut Walk) -> Result<End, Unsupported> {
        let function = self.function;
        let (mut block, mut first) = at;
        loop {
            let next = match self.block(first, walk)? {
                ControlFlow::Break(end) => return Ok(end),
                ControlFlow::Continue(next) => next.or_else(|| walk::fall_through(function, block)),
            };
            // No defined run reaches the end of a block without a successor.
            let Some(next) = next else { return Ok(End::Undefined) };
            let phis = function.insts(next).map(|inst| function.inst(inst)).take_while(|data| data.opcode.is_phi());
            walk::phis(self, phis, &Edge::From(block))?;
            (block, first) = (next, function.first_inst(next));
        }
    }

    /// Runs the rest of a block, without its PHIs.
    fn block(&mut self, first: Option<Inst>, walk: &mut Walk) -> Result<Control, Unsupported> {
        let function = self.function;
        let mut next = first;
        while let Some(inst) = next {
            next = function.next_inst(inst);
            if computes_nothing(function.inst(inst).opcode) {
                continue;
            }
            if walk.executed == walk.fuel {
                return Ok(Control::Break(End::OutOfFuel));
            }
            walk.executed += 1;
            match self.step(inst)? {
                _ if self.called.is_some() => return Ok(Control::Break(End::Called(inst))),
                Control::Continue(None) => {}
                control => return Ok(control),
            }
        }
        Ok(Control::Continue(None))
    }

    fn step(&mut self, inst: Inst) -> Result<Control, Unsupported> {
        let (target, data) = (self.target, self.function.inst(inst));
        if let (Opcode::LIFETIME_END, Some(Operand::Stack(slot))) = (data.opcode, data.operands.first()) {
            self.callees.forget(self.memory.first_number() + slot.as_u32() as usize);
        }
        if target.opens_call_frame(data) {
            self.frame_bytes = call_frame_bytes(data);
            self.memory.clear_call_frame();
        }
        if self.ends_or_moves_stack {
            if traps::is_trap(target, data) {
                return Ok(Control::Break(self.trap(data)));
            }
            if stack::is_stack_operation(data.opcode) {
                return self.stack_operation(inst, data);
            }
            if let Some(query) = FrameQuery::of(self.function, target, data) {
                return Ok(self.frame_query(data, query));
            }
        }
        if self.environment.is_some()
            && let Some(transfer) = outside::execute(target, self, data)?
        {
            return Ok(self.follow(inst, transfer));
        }
        let Opcode::Target(opcode) = data.opcode else {
            return match self.walking(data)? {
                Some(transfer) => Ok(self.follow(inst, transfer)),
                None => self.generic(inst, data),
            };
        };
        let flags = target.instruction(opcode).flags;
        if flags.contains(OpcodeFlags::STORE) && self.events.len() < self.keep {
            let stored = data.uses().next().map(|operand| walk::read(self, operand)).transpose()?;
            self.events.extend(stored.map(|stored| event(inst, None, &stored, None)));
        }
        let transfer = self.believing(data)?;
        self.calls += u64::from(flags.contains(OpcodeFlags::CALL));
        Ok(transfer.map_or(Control::Continue(None), |transfer| self.follow(inst, transfer)))
    }

    fn generic(&mut self, inst: Inst, data: &InstData) -> Result<Control, Unsupported> {
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
            return Ok(Control::Break(end));
        }
        if data.opcode == Opcode::G_STORE && self.events.len() < self.keep {
            let address = Some(self.args[1].bits.value.low_u64());
            self.events.push(event(inst, None, &self.args[0], address));
        }
        for (register, value) in data.vreg_defs().zip(&evaluation.results) {
            // What memory left open is fixed too.
            match self.choice.filter(|_| data.opcode == Opcode::G_FREEZE) {
                Some(choice) => {
                    self.write(register, &Value { bits: chosen(&value.bits, choice), ..value.clone() });
                }
                None => self.write(register, value),
            }
        }
        Ok(Control::Continue(None))
    }

    fn write(&mut self, register: VReg, value: &Value<D>) {
        self.note(register, value);
        self.registers[register.as_u32() as usize] = Some(value.clone());
    }

    /// Keeps the event of a write.
    fn note(&mut self, register: VReg, value: &Value<D>) {
        if self.events.len() < self.keep
            && self.suspended.is_empty()
            && let Some(inst) = self.function.def_of(register)
        {
            self.events.push(event(inst, Some(register), value, None));
        }
    }
}

impl<D: Numbers> MachineState<D> for SingleRun<'_, D> {
    type Memory = ConcreteMemory;

    fn function(&self) -> &Function {
        self.function
    }

    fn vocabulary(&self) -> &'static dyn Vocabulary {
        self.target.vocabulary
    }

    fn evaluator(&mut self) -> (&mut D, &mut ConcreteMemory) {
        (&mut self.domain, &mut self.memory)
    }

    fn virtual_register(&mut self, register: VReg) -> Result<Value<D>, Unsupported> {
        value_of(&self.registers, register).cloned()
    }

    fn set_virtual_register(&mut self, register: VReg, value: Value<D>) {
        self.note(register, &value);
        self.registers[register.as_u32() as usize] = Some(value);
    }

    fn full_register(&mut self, register: PReg) -> Value<D> {
        let held = self.physical.iter().find(|(known, _)| *known == register);
        let is_stack = register == self.target.abi.stack_pointer;
        let is_thread = self.target.abi.thread_pointer.register() == Some(register);
        let arbitrary = || match is_stack {
            true => full(self.target, register, self.memory.stack_pointer().into()),
            false => full(self.target, register, before_run(self.target, register).into()),
        };
        match held {
            Some((_, value)) => value.clone(),
            // Its caller did not say what the register holds.
            None if self.is_callee() && !is_stack && !is_thread => {
                let value = self.any(self.target.vocabulary.register_bits(register), unwritten_register(register));
                self.physical.push((register, value.clone()));
                value
            }
            None => arbitrary(),
        }
    }

    fn set_full_register(&mut self, register: PReg, value: Value<D>) {
        match self.physical.iter_mut().find(|(known, _)| *known == register) {
            Some((_, held)) => *held = value,
            None => self.physical.push((register, value)),
        }
    }

    fn unwritten(&mut self, width: u32) -> Value<D> {
        self.any(width, u64::from_ne_bytes([UNWRITTEN; 8]))
    }

    fn clobber(&mut self, register: PReg) {
        let width = self.target.vocabulary.register_bits(register);
        let value = self.any(width, clobbered(register, self.calls));
        self.set_full_register(register, value);
    }
}

impl<D: Numbers> SingleRun<'_, D> {
    /// Contents that nobody wrote: what the machine has there, the run's choice, or unconstrained bits.
    fn any(&mut self, width: u32, machine: u64) -> Value<D> {
        let free = self.domain.open(width);
        let bits = match (self.unwritten, self.choice) {
            (Unwritten::Known, _) => chosen(&free, machine),
            (Unwritten::Free, Some(choice)) => chosen(&free, choice),
            (Unwritten::Free, None) => free,
        };
        Value::new(bits, PartialBool::known(false))
    }
}

/// The contents of a full register.
fn full<D: Numbers>(target: &Target, register: PReg, value: u128) -> Value<D> {
    scalar(Bits::new(value, target.vocabulary.register_bits(register)))
}

fn ends_or_moves_stack(function: &Function, target: &Target) -> bool {
    [traps::has_traps, traps::moves_stack, traps::asks_for_frames].iter().any(|holds| holds(function, target))
}

fn types_of(function: &Function) -> Vec<Option<Typed>> {
    let mut types = vec![None; function.inst_bound()];
    for inst in function.all_insts() {
        types[inst.as_u32() as usize] = semantics::typed(function, function.inst(inst)).ok();
    }
    types
}

/// The contents of a virtual register.
fn value_of<D: Domain>(registers: &[Option<Value<D>>], register: VReg) -> Result<&Value<D>, Unsupported> {
    let value = registers.get(register.as_u32() as usize).and_then(Option::as_ref);
    value.ok_or_else(|| Unsupported::new("a register read before it is written"))
}

fn event<D: Numbers>(inst: Inst, register: Option<VReg>, value: &Value<D>, address: Option<u64>) -> Event {
    let poison = value.poison.value || value.poison.unknown;
    Event { inst, register, value: value.bits.value.bits(), unknown: value.bits.unknown.bits(), poison, address }
}
