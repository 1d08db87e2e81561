//! Many inputs in lock step (SIMT): an instruction is evaluated once for all the inputs that arrive at it together.
//! Where a branch splits them, each group runs on by itself; groups do not merge again.
//!
//! It knows no environment. A batch that it cannot run (an unknown call, a malformed instruction, numbers that are too
//! wide) falls back to runs of single inputs, which have the same meaning and report the fault.

use super::frames::StackShape;
use super::memory::ConcreteMemory;
use super::{Execution, Interpreter, KeptAccesses, Settings, Unwritten, known};
use crate::input::{Input, THREAD_POINTER, before_run};
use crate::observation::{Known, Observation, Outcome};
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::walk::{self, Edge, MachineState, Next, Transfer};
use tribunal_ir::semantics::{
    self, LaneBits, LaneBools, Lanes, Memory, Number, Partial, PartialBits, PartialBool, Unsupported, Value, Word,
    Words,
};
use tribunal_ir::{Block, FixedSlot, Function, Inst, InstData, MemOperand, Operand, PReg, StackSlot, VReg, Vocabulary};
use tribunal_target::Target;
use tribunal_target::environment::Environment;
use tribunal_target::promises::Promises;

/// Inputs that run in lock step.
struct Group {
    /// The input of each lane.
    inputs: Vec<usize>,
    /// Lanes that are still running, one bit each; the contents of the others mean nothing.
    active: u64,
    registers: Vec<Option<Value<Lanes>>>,
    physical: Vec<(PReg, Value<Lanes>)>,
    block: Block,
    /// The next instruction; `None` after the block's last one.
    next: Option<Inst>,
    executed: u64,
}

/// The group's continuation after an instruction.
enum Continuation {
    Following,
    To(Block),
    /// The lanes of the mask go to the block, the others follow.
    Split(u64, Block),
    /// Nowhere: all lanes have ended.
    Ended,
}

/// The memory of each lane, for those that are active.
struct LaneMemory<'m> {
    memories: &'m mut [ConcreteMemory],
    inputs: &'m [usize],
    active: u64,
}

impl LaneMemory<'_> {
    fn memory(&mut self, lane: usize) -> Option<&mut ConcreteMemory> {
        (self.active >> lane & 1 != 0).then(|| &mut self.memories[self.inputs[lane]])
    }
}

/// The effect of an access to memory in one lane.
type One = Partial<Words>;

impl Memory<Lanes> for LaneMemory<'_> {
    fn load(
        &mut self,
        domain: &mut Lanes,
        address: &LaneBits,
        bytes: u32,
        operand: &MemOperand,
    ) -> (Value<Lanes>, LaneBools) {
        let mut one = One::default();
        let (mut poison, mut outside) = (LaneBools::same(false), LaneBools::same(false));
        let nothing = PartialBits::known(Word::zero(8 * bytes));
        let bits = LaneBits::each(domain.count(), 8 * bytes, |lane| {
            let Some(memory) = self.memory(lane) else { return nothing };
            let (value, wrong): (Value<One>, PartialBool) = memory.load(&mut one, &address.lane(lane), bytes, operand);
            poison.set(lane, value.poison);
            outside.set(lane, wrong);
            value.bits
        });
        (Value::new(bits, poison), outside)
    }

    fn store(
        &mut self,
        domain: &mut Lanes,
        address: &LaneBits,
        value: &Value<Lanes>,
        operand: &MemOperand,
    ) -> LaneBools {
        let (mut one, mut outside) = (One::default(), LaneBools::same(false));
        for lane in 0..domain.count() {
            let Some(memory) = self.memory(lane) else { continue };
            let value: Value<One> = value.map(|bits| bits.lane(lane), |poison| poison.lane(lane));
            outside.set(lane, memory.store(&mut one, &address.lane(lane), &value, operand));
        }
        outside
    }

    fn reserve(&mut self, domain: &mut Lanes, place: Option<(&LaneBits, u32)>) {
        for lane in 0..domain.count() {
            let Some(memory) = self.memory(lane) else { continue };
            let place = place.map(|(address, bytes)| (address.lane(lane), bytes));
            memory.reserve(&mut One::default(), place.as_ref().map(|(address, bytes)| (address, *bytes)));
        }
    }

    fn loses_reservation(&mut self, domain: &mut Lanes, address: &LaneBits, bytes: u32) -> LaneBits {
        let mut one = One::default();
        LaneBits::each(domain.count(), 1, |lane| match self.memory(lane) {
            Some(memory) => memory.loses_reservation(&mut one, &address.lane(lane), bytes),
            None => PartialBits::known(Word::zero(1)),
        })
    }

    fn frame_address(&mut self, _: &mut Lanes, slot: StackSlot, bits: u32) -> LaneBits {
        // Objects lie at the same place whatever the input.
        let memory = &mut self.memories[self.inputs[0]];
        LaneBits::same(Memory::<One>::frame_address(memory, &mut One::default(), slot, bits))
    }

    fn fixed_address(&mut self, _: &mut Lanes, slot: FixedSlot, bits: u32) -> LaneBits {
        let memory = &mut self.memories[self.inputs[0]];
        LaneBits::same(Memory::<One>::fixed_address(memory, &mut One::default(), slot, bits))
    }
}

fn same(bits: Bits) -> Value<Lanes> {
    Value::new(LaneBits::same(PartialBits::known(Word::of_bits(bits))), LaneBools::same(false))
}

/// The state of a group: the registers are its own, memory and domain the batch's.
struct Lockstep<'a> {
    function: &'a Function,
    target: &'static Target,
    domain: &'a mut Lanes,
    memory: LaneMemory<'a>,
    registers: &'a mut [Option<Value<Lanes>>],
    physical: &'a mut Vec<(PReg, Value<Lanes>)>,
}

impl<'a> MachineState<Lanes> for Lockstep<'a> {
    type Memory = LaneMemory<'a>;

    fn function(&self) -> &Function {
        self.function
    }

    fn vocabulary(&self) -> &'static dyn Vocabulary {
        self.target.vocabulary
    }

    fn evaluator(&mut self) -> (&mut Lanes, &mut LaneMemory<'a>) {
        (self.domain, &mut self.memory)
    }

    fn virtual_register(&mut self, register: VReg) -> Result<Value<Lanes>, Unsupported> {
        super::value_of(self.registers, register).cloned()
    }

    fn set_virtual_register(&mut self, register: VReg, value: Value<Lanes>) {
        self.registers[register.as_u32() as usize] = Some(value);
    }

    fn full_register(&mut self, register: PReg) -> Value<Lanes> {
        let held = self.physical.iter().find(|(known, _)| *known == register);
        let bits = self.target.vocabulary.register_bits(register);
        let arbitrary = || same(Bits::new(before_run(self.target, register).into(), bits));
        held.map_or_else(arbitrary, |(_, value)| value.clone())
    }

    fn set_full_register(&mut self, register: PReg, value: Value<Lanes>) {
        match self.physical.iter_mut().find(|(known, _)| *known == register) {
            Some((_, held)) => *held = value,
            None => self.physical.push((register, value)),
        }
    }
}

/// Its thread alone: a run in an environment is a run of a single input.
impl Environment<Lanes> for Lockstep<'_> {
    fn thread_pointer(&mut self) -> Result<Value<Lanes>, Unsupported> {
        Ok(same(Bits::new(THREAD_POINTER.into(), self.target.pointer_bits.into())))
    }
}

/// A batch in progress.
pub(super) struct Batch<'f> {
    interpreter: &'f Interpreter<'f>,
    function: &'f Function,
    inputs: &'f [Input],
    settings: Settings,
    memories: Vec<ConcreteMemory>,
    domain: Lanes,
    args: Vec<Value<Lanes>>,
    waiting: Vec<Group>,
    done: Vec<Option<Execution>>,
}

impl<'f> Batch<'f> {
    /// Runs every input, [`Lanes::MOST`] at most, to its end; `None` where one of them needs a run of its own.
    pub fn run(interpreter: &'f Interpreter<'f>, inputs: &'f [Input], settings: Settings) -> Option<Vec<Execution>> {
        let Interpreter { function, frame, unwritten, choice, promises, is_volatile, .. } = *interpreter;
        let plain = interpreter.environment.is_none()
            && choice.is_none()
            && promises == Promises::Ignored
            && unwritten == Unwritten::Free
            && settings.events == 0;
        if !plain || !(2..=Lanes::MOST).contains(&inputs.len()) {
            return None;
        }
        let records = is_volatile || settings.accesses == KeptAccesses::All;
        let memory = |input| ConcreteMemory::new(function, input, frame, unwritten, (records, StackShape::default()));
        let mut batch = Batch {
            interpreter,
            function,
            inputs,
            settings,
            memories: inputs.iter().map(memory).collect(),
            domain: Lanes::new(inputs.len()),
            args: Vec::with_capacity(8),
            waiting: Vec::new(),
            done: inputs.iter().map(|_| None).collect(),
        };
        let first = batch.first()?;
        batch.waiting.push(first);
        while let Some(group) = batch.waiting.pop() {
            batch.domain.resize(group.inputs.len());
            batch.walk(group).ok()?;
            if batch.domain.exceeded() {
                return None;
            }
        }
        batch.done.into_iter().collect()
    }

    /// All inputs at the entry; `None` if they do not name the same registers.
    fn first(&self) -> Option<Group> {
        let registers = &self.inputs.first()?.registers;
        let names = |input: &'f Input| input.registers.iter().map(|(register, _)| *register);
        if !self.inputs.iter().all(|input| names(input).eq(names(&self.inputs[0]))) {
            return None;
        }
        let held = |place: usize| {
            let bits = self.interpreter.target.vocabulary.register_bits(registers[place].0);
            let value = |lane: usize| Word::of_bits(Bits::new(self.inputs[lane].registers[place].1, bits));
            let bits = LaneBits::each(self.inputs.len(), bits, |lane| PartialBits::known(value(lane)));
            Value::new(bits, LaneBools::same(false))
        };
        let physical = registers.iter().enumerate().map(|(place, (register, _))| (*register, held(place))).collect();
        let block = self.function.entry()?;
        Some(Group {
            inputs: (0..self.inputs.len()).collect(),
            active: u64::MAX >> (Lanes::MOST - self.inputs.len()),
            registers: vec![None; self.function.vregs.len()],
            physical,
            block,
            next: self.function.first_inst(block),
            executed: 0,
        })
    }

    /// Runs until no lane is left.
    fn walk(&mut self, mut group: Group) -> Result<(), Unsupported> {
        let function = self.function;
        loop {
            let Some(inst) = group.next else {
                // No defined run reaches the end of a block without a successor.
                let Some(next) = walk::fall_through(function, group.block) else {
                    let lanes = group.active;
                    self.end(&mut group, lanes, Outcome::Undefined);
                    return Ok(());
                };
                self.enter(&mut group, next)?;
                continue;
            };
            let data = function.inst(inst);
            group.next = function.next_inst(inst);
            if super::computes_nothing(data.opcode) {
                continue;
            }
            if group.executed == self.settings.fuel {
                let lanes = group.active;
                self.end(&mut group, lanes, Outcome::OutOfFuel);
                return Ok(());
            }
            group.executed += 1;
            match self.step(&mut group, inst, data)? {
                Continuation::Following => {}
                Continuation::To(block) => self.enter(&mut group, block)?,
                Continuation::Ended => return Ok(()),
                Continuation::Split(lanes, block) => {
                    let mut gone = group.part(lanes);
                    self.domain.resize(gone.inputs.len());
                    self.enter(&mut gone, block)?;
                    self.waiting.push(gone);
                    self.waiting.push(group);
                    return Ok(());
                }
            }
        }
    }

    fn state<'a>(&'a mut self, group: &'a mut Group) -> Lockstep<'a> {
        let memory = LaneMemory { memories: &mut self.memories, inputs: &group.inputs, active: group.active };
        Lockstep {
            function: self.function,
            target: self.interpreter.target,
            domain: &mut self.domain,
            memory,
            registers: &mut group.registers,
            physical: &mut group.physical,
        }
    }

    fn enter(&mut self, group: &mut Group, block: Block) -> Result<(), Unsupported> {
        let (function, from) = (self.function, group.block);
        let phis = function.insts(block).map(|inst| function.inst(inst)).take_while(|data| data.opcode.is_phi());
        walk::phis(&mut self.state(group), phis, &Edge::From(from))?;
        (group.block, group.next) = (block, function.first_inst(block));
        Ok(())
    }

    fn step(&mut self, group: &mut Group, inst: Inst, data: &InstData) -> Result<Continuation, Unsupported> {
        let target = self.interpreter.target;
        match tribunal_target::execute(target, &mut self.state(group), data)? {
            // Lanes may go to many blocks: they are run one by one.
            Some(Transfer { next: Next::Indirect(_), .. }) => Err(Unsupported::new("an indirect branch in lock step")),
            Some(transfer) => Ok(self.follow(group, data, transfer)),
            None => self.generic(group, inst, data),
        }
    }

    fn follow(&mut self, group: &mut Group, data: &InstData, Transfer { ub, next }: Transfer<Lanes>) -> Continuation {
        self.undefined(group, ub);
        match next {
            _ if group.active == 0 => Continuation::Ended,
            Next::Following => Continuation::Following,
            Next::To(block) => Continuation::To(block),
            Next::If(taken, block) => {
                let unknown = group.active & taken.unknown;
                self.end(group, unknown, Outcome::Unconstrained);
                match (group.active & taken.value, group.active) {
                    (_, 0) => Continuation::Ended,
                    (0, _) => Continuation::Following,
                    (taken, active) if taken == active => Continuation::To(block),
                    (taken, _) => Continuation::Split(taken, block),
                }
            }
            Next::Return | Next::Indirect(_) => {
                self.returned(group, data);
                Continuation::Ended
            }
        }
    }

    fn generic(&mut self, group: &mut Group, inst: Inst, data: &InstData) -> Result<Continuation, Unsupported> {
        let types = self.interpreter.types.get(inst.as_u32() as usize).and_then(Option::as_ref);
        let types = types.ok_or_else(|| Unsupported::new(data.opcode.to_string()))?;
        self.args.clear();
        for register in data.vreg_uses() {
            self.args.push(super::value_of(&group.registers, register)?.clone());
        }
        let mut memory = LaneMemory { memories: &mut self.memories, inputs: &group.inputs, active: group.active };
        let evaluation =
            semantics::evaluate_typed(&mut self.domain, &mut memory, self.function, data, types, &self.args)?;
        self.undefined(group, evaluation.ub);
        for (register, value) in data.vreg_defs().zip(evaluation.results) {
            group.registers[register.as_u32() as usize] = Some(value);
        }
        Ok(if group.active == 0 { Continuation::Ended } else { Continuation::Following })
    }

    /// Ends the lanes in which `ub` may hold.
    fn undefined(&mut self, group: &mut Group, ub: LaneBools) {
        if group.active & (ub.unknown | ub.value) != 0 {
            let (unknown, undefined) = (group.active & ub.unknown, group.active & ub.value & !ub.unknown);
            self.end(group, unknown, Outcome::Unconstrained);
            self.end(group, undefined, Outcome::Undefined);
        }
    }

    fn returned(&mut self, group: &mut Group, data: &InstData) {
        let environment = self.function.environment_registers(self.interpreter.target.vocabulary);
        let environment: SmallVec<[Operand; 2]> = environment.map(Operand::implicit_use).collect();
        let mut state = self.state(group);
        let results: SmallVec<[(PReg, Value<Lanes>); 2]> = data
            .uses()
            .chain(environment.iter().filter_map(Operand::as_reg))
            .filter_map(|operand| Some((operand.reg.as_physical()?, walk::read(&mut state, operand).ok()?)))
            .collect();
        let (lanes, executed) = (group.active, group.executed);
        for lane in lanes_of(lanes) {
            let returned = results.iter().map(|(register, value)| {
                let (bits, poison) = (value.bits.lane(lane), value.poison.lane(lane));
                (*register, bits.width(), known(&bits, poison))
            });
            let returned = returned.collect();
            self.done(group.inputs[lane], executed, Outcome::Returned, returned);
        }
    }

    fn end(&mut self, group: &mut Group, lanes: u64, outcome: Outcome) {
        group.active &= !lanes;
        for lane in lanes_of(lanes) {
            self.done(group.inputs[lane], group.executed, outcome, Vec::new());
        }
    }

    fn done(&mut self, input: usize, instructions: u64, outcome: Outcome, returned: Vec<(PReg, u32, Known)>) {
        let memory = &mut self.memories[input];
        let accesses = memory.accesses(self.interpreter.target, self.settings.accesses == KeptAccesses::Volatile);
        let buffers = memory.buffers(self.inputs[input].buffers.len());
        let stray = memory.stray(self.interpreter.target.register_bytes() as usize);
        let observation = Observation { outcome, returned, buffers, accesses, calls: Vec::new() };
        self.done[input] = Some(Execution { observation, instructions, events: Vec::new(), mismatch: None, stray });
    }
}

/// Lanes of a mask, lowest first.
fn lanes_of(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lane)
    })
}

impl Group {
    /// Splits these lanes off into a group of their own.
    fn part(&mut self, lanes: u64) -> Group {
        let gone = self.only(lanes);
        self.active &= !lanes;
        if self.active.count_ones() as usize <= self.inputs.len() / SPARSE {
            *self = self.only(self.active);
        }
        gone
    }

    /// These active lanes alone. Where they are few, the state of the others is dropped.
    fn only(&self, lanes: u64) -> Group {
        let dense = lanes.count_ones() as usize <= self.inputs.len() / SPARSE;
        let places: Vec<usize> = lanes_of(lanes).collect();
        let value = |value: &Value<Lanes>| match dense {
            true => value.map(|bits| bits.only(&places), |poison| poison.only(&places)),
            false => value.clone(),
        };
        Group {
            inputs: if dense { places.iter().map(|&lane| self.inputs[lane]).collect() } else { self.inputs.clone() },
            active: if dense { u64::MAX >> (Lanes::MOST - places.len()) } else { lanes },
            registers: self.registers.iter().map(|held| held.as_ref().map(value)).collect(),
            physical: self.physical.iter().map(|(register, held)| (*register, value(held))).collect(),
            ..*self
        }
    }
}

/// A group is compacted when at most one lane in this many is active: idle lanes cost as much as active ones.
const SPARSE: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::text;

    /// A loop that takes as many rounds as the argument says.
    const COUNTDOWN: &str = "---
name: countdown
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $x10
    successors: %bb.1

    %0:_(s64) = COPY $x10
    %1:_(s64) = G_CONSTANT i64 0
    %2:_(s64) = G_CONSTANT i64 1

  bb.1:
    successors: %bb.1, %bb.2

    %3:_(s64) = G_PHI %0(s64), %bb.0, %4(s64), %bb.1
    %5:_(s64) = G_PHI %1(s64), %bb.0, %6(s64), %bb.1
    %6:_(s64) = G_ADD %5, %3
    %4:_(s64) = G_SUB %3, %2
    %7:_(s1) = G_ICMP intpred(ne), %4(s64), %1
    G_BRCOND %7(s1), %bb.1

  bb.2:
    $x10 = COPY %6(s64)
    PseudoRET implicit $x10
...
";

    /// No run of a single input is needed: each input leaves the loop in a round of its own, and one never does.
    #[test]
    fn lanes_part_and_end_each_for_itself() {
        let target = tribunal_target::by_name("riscv64").unwrap();
        let module = text::parse_module(COUNTDOWN, target.vocabulary).unwrap();
        let interpreter = Interpreter::new(&module.functions[0], target);
        let argument = target.abi.arguments()[0];
        let inputs: Vec<Input> = (1..=40)
            .map(|rounds| Input { registers: vec![(argument, if rounds == 40 { 0 } else { rounds })], buffers: vec![] })
            .collect();
        let settings = Settings { fuel: 300, events: 0, accesses: KeptAccesses::Volatile };
        let executions = Batch::run(&interpreter, &inputs, settings).unwrap();
        for (execution, rounds) in executions.iter().zip(1u64..) {
            let Observation { outcome, returned, .. } = &execution.observation;
            if rounds == 40 {
                assert_eq!((*outcome, execution.instructions), (Outcome::OutOfFuel, 300));
                continue;
            }
            let value = Known { value: (rounds * (rounds + 1) / 2).into(), unknown: 0 };
            assert_eq!((*outcome, returned.as_slice()), (Outcome::Returned, [(argument, 64, value)].as_slice()));
            assert_eq!(execution.instructions, 3 + 4 * rounds + 2);
        }
    }
}
