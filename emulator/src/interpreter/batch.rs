//! Many inputs in lock step (SIMT): an instruction is evaluated once for all the inputs that arrive at it together.
//! Where a branch splits them, each group runs on by itself; groups do not merge again.
//!
//! It handles only the instructions that sources are made of. Anything else (machine code, calls, a malformed
//! instruction, numbers that are too wide) falls back to the run of a single input, which has the same meaning and
//! reports the fault.

use super::memory::ConcreteMemory;
use super::{Execution, Interpreter, KeptAccesses, Settings, Unwritten, known, label, width_of};
use crate::input::{Input, unwritten_register};
use crate::observation::{Known, Observation, Outcome};
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{
    self, Domain, LaneBits, LaneBools, Lanes, Memory, Number, Partial, PartialBits, PartialBool, Value, Word, Words,
};
use tribunal_ir::{
    Block, Function, Inst, InstData, MemOperand, Opcode, OpcodeFlags, Operand, PReg, Reg, RegOperand, StackSlot, VReg,
};

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

/// The batch cannot go on: the run of a single input will give the reason.
struct Left;

/// The group's continuation after an instruction.
enum Next {
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
        (Value { bits, poison }, outside)
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
            let value: Value<One> = Value { bits: value.bits.lane(lane), poison: value.poison.lane(lane) };
            outside.set(lane, memory.store(&mut one, &address.lane(lane), &value, operand));
        }
        outside
    }

    fn frame_address(&mut self, _: &mut Lanes, slot: StackSlot, bits: u32) -> LaneBits {
        // Objects lie at the same place whatever the input.
        let memory = &mut self.memories[self.inputs[0]];
        LaneBits::same(Memory::<One>::frame_address(memory, &mut One::default(), slot, bits))
    }
}

fn same(bits: Bits) -> Value<Lanes> {
    Value { bits: LaneBits::same(PartialBits::known(Word::of_bits(bits))), poison: LaneBools::same(false) }
}

fn zext_or_trunc(value: &Value<Lanes>, domain: &mut Lanes, width: u32) -> Value<Lanes> {
    Value { bits: domain.zext_or_trunc(&value.bits, width), poison: value.poison }
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
        let Interpreter { function, world, frame, unwritten, frozen, is_volatile, .. } = *interpreter;
        let plain = world.is_none() && frozen.is_none() && unwritten == Unwritten::Free && settings.events == 0;
        if !plain || !(2..=Lanes::MOST).contains(&inputs.len()) {
            return None;
        }
        let records = is_volatile || settings.accesses == KeptAccesses::All;
        let memory = |input| ConcreteMemory::new(function, input, frame, unwritten, records);
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
        let bits = u32::from(self.interpreter.target.pointer_bits);
        let held = |place: usize| {
            let value = |lane: usize| Word::of_bits(Bits::new(self.inputs[lane].registers[place].1.into(), bits));
            let bits = LaneBits::each(self.inputs.len(), bits, |lane| PartialBits::known(value(lane)));
            Value { bits, poison: LaneBools::same(false) }
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
    fn walk(&mut self, mut group: Group) -> Result<(), Left> {
        let function = self.function;
        loop {
            let Some(inst) = group.next else {
                let layout = function.layout();
                let position = layout.iter().position(|&block| block == group.block);
                let next = position.and_then(|position| layout.get(position + 1).copied());
                match next.filter(|next| function.successors(group.block).any(|successor| successor == *next)) {
                    Some(next) => self.enter(&mut group, next)?,
                    // Without a successor the end of a block is not reached by any defined run.
                    None => {
                        let lanes = group.active;
                        self.end(&mut group, lanes, Outcome::Undefined);
                        return Ok(());
                    }
                }
                continue;
            };
            let data = function.inst(inst);
            group.next = function.next_inst(inst);
            if data.opcode.is_phi() {
                continue;
            }
            if group.executed == self.settings.fuel {
                let lanes = group.active;
                self.end(&mut group, lanes, Outcome::OutOfFuel);
                return Ok(());
            }
            group.executed += 1;
            match self.step(&mut group, inst, data)? {
                Next::Following => {}
                Next::To(block) => self.enter(&mut group, block)?,
                Next::Ended => return Ok(()),
                Next::Split(lanes, block) => {
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

    /// Enters `block`; all its PHIs read before any writes.
    fn enter(&mut self, group: &mut Group, block: Block) -> Result<(), Left> {
        let mut written: SmallVec<[(VReg, Value<Lanes>); 8]> = SmallVec::new();
        for inst in self.function.insts(block) {
            let data = self.function.inst(inst);
            if !data.opcode.is_phi() {
                break;
            }
            let input = data.phi_inputs().find(|&(_, from)| from == group.block).map(|(value, _)| value);
            let (Some(register), Some(input)) = (data.vreg(0), input) else { return Err(Left) };
            written.push((register, group.register(input)?.clone()));
        }
        written.into_iter().for_each(|(register, value)| group.write(register, value));
        (group.block, group.next) = (block, self.function.first_inst(block));
        Ok(())
    }

    fn step(&mut self, group: &mut Group, inst: Inst, data: &InstData) -> Result<Next, Left> {
        let target = self.interpreter.target;
        match data.opcode {
            Opcode::G_BR => label(data).map(Next::To).map_err(|_| Left),
            Opcode::G_BRCOND => {
                let condition = group.register(data.vreg(0).ok_or(Left)?)?.clone();
                let (taken, unconstrained) = semantics::condition_of(&mut self.domain, &condition.bits);
                let ub = self.domain.bool_or(&condition.poison, &unconstrained);
                self.undefined(group, ub);
                let open = group.active & taken.open;
                self.end(group, open, Outcome::Open);
                let block = label(data).map_err(|_| Left)?;
                Ok(match (group.active & taken.value, group.active) {
                    (_, 0) => Next::Ended,
                    (0, _) => Next::Following,
                    (taken, active) if taken == active => Next::To(block),
                    (taken, _) => Next::Split(taken, block),
                })
            }
            Opcode::COPY => {
                let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else { return Err(Left) };
                let value = self.read(group, src)?;
                match dst.reg {
                    Reg::Virtual(register) => {
                        let width = width_of(self.function, target, data, 0);
                        group.write(register, zext_or_trunc(&value, &mut self.domain, width));
                    }
                    Reg::Physical(register) => self.write_physical(group, register, &value),
                }
                Ok(Next::Following)
            }
            Opcode::LIFETIME_START | Opcode::LIFETIME_END | Opcode::KILL => Ok(Next::Following),
            Opcode::Target(opcode) if target.instruction(opcode).flags.contains(OpcodeFlags::RETURN) => {
                self.returned(group, data);
                Ok(Next::Ended)
            }
            _ => self.generic(group, inst, data),
        }
    }

    fn generic(&mut self, group: &mut Group, inst: Inst, data: &InstData) -> Result<Next, Left> {
        let Some(Some(types)) = self.interpreter.types.get(inst.as_u32() as usize) else { return Err(Left) };
        self.args.clear();
        for register in data.vreg_uses() {
            self.args.push(group.register(register)?.clone());
        }
        let mut memory = LaneMemory { memories: &mut self.memories, inputs: &group.inputs, active: group.active };
        let evaluation =
            semantics::evaluate_typed(&mut self.domain, &mut memory, self.function, data, types, &self.args)
                .map_err(|_| Left)?;
        self.undefined(group, evaluation.ub);
        for (register, value) in data.vreg_defs().zip(evaluation.results) {
            group.write(register, value);
        }
        Ok(if group.active == 0 { Next::Ended } else { Next::Following })
    }

    fn read(&mut self, group: &Group, operand: &RegOperand) -> Result<Value<Lanes>, Left> {
        if operand.subregister.0 != 0 {
            return Err(Left);
        }
        match operand.reg {
            Reg::Virtual(register) => group.register(register).cloned(),
            Reg::Physical(register) => Ok(self.read_physical(group, register)),
        }
    }

    fn read_physical(&mut self, group: &Group, register: PReg) -> Value<Lanes> {
        let target = self.interpreter.target;
        let bits = target.vocabulary.register_bits(register);
        if target.is_zero_register(register) {
            return same(Bits::zero(bits));
        }
        let full = target.vocabulary.full_register(register);
        let arbitrary = || same(Bits::new(unwritten_register(full).into(), target.pointer_bits.into()));
        let held = group.physical.iter().find(|(known, _)| *known == full);
        let value = held.map_or_else(arbitrary, |(_, value)| value.clone());
        zext_or_trunc(&value, &mut self.domain, bits)
    }

    /// Writing a part clears the rest of the register.
    fn write_physical(&mut self, group: &mut Group, register: PReg, value: &Value<Lanes>) {
        let vocabulary = self.interpreter.target.vocabulary;
        let full = vocabulary.full_register(register);
        let part = zext_or_trunc(value, &mut self.domain, vocabulary.register_bits(register));
        let value = zext_or_trunc(&part, &mut self.domain, vocabulary.register_bits(full));
        match group.physical.iter_mut().find(|(known, _)| *known == full) {
            Some((_, held)) => *held = value,
            None => group.physical.push((full, value)),
        }
    }

    /// Ends the lanes in which `ub` may hold.
    fn undefined(&mut self, group: &mut Group, ub: LaneBools) {
        if group.active & (ub.open | ub.value) != 0 {
            let (open, undefined) = (group.active & ub.open, group.active & ub.value & !ub.open);
            self.end(group, open, Outcome::Open);
            self.end(group, undefined, Outcome::Undefined);
        }
    }

    fn returned(&mut self, group: &mut Group, data: &InstData) {
        let registers = data.uses().filter_map(|operand| operand.reg.as_physical());
        let results: SmallVec<[(PReg, Value<Lanes>); 2]> =
            registers.map(|register| (register, self.read_physical(group, register))).collect();
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
        let accesses = memory.accesses(self.settings.accesses == KeptAccesses::Volatile);
        let buffers = memory.buffers(self.inputs[input].buffers.len());
        let observation = Observation { outcome, returned, buffers, accesses };
        self.done[input] = Some(Execution { observation, instructions, events: Vec::new(), calls: Vec::new() });
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
    fn register(&self, register: VReg) -> Result<&Value<Lanes>, Left> {
        self.registers.get(register.as_u32() as usize).and_then(Option::as_ref).ok_or(Left)
    }

    fn write(&mut self, register: VReg, value: Value<Lanes>) {
        self.registers[register.as_u32() as usize] = Some(value);
    }

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
            true => Value { bits: value.bits.only(&places), poison: value.poison.only(&places) },
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
            let value = Known { value: rounds * (rounds + 1) / 2, fixed: u64::MAX };
            assert_eq!((*outcome, returned.as_slice()), (Outcome::Returned, [(argument, 64, value)].as_slice()));
            assert_eq!(execution.instructions, 3 + 4 * rounds + 2);
        }
    }
}
