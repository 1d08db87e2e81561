//! The loops that pseudo-instructions of atomic operations stand for do what their pseudo-instruction means: also where
//! a store fails to keep its reservation, which no emulator shows.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeMap;
use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{Bits, FixedSlot, InstData, MemOperand, Opcode, Operand, PReg, StackSlot};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::{ALL, Target, evaluate};

/// One word of memory.
struct OneWord(u64);

impl Memory<Concrete> for OneWord {
    fn load(&mut self, _: &mut Concrete, _: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        (Value { bits: Bits::new(self.0.into(), 8 * bytes), poison: false }, false)
    }

    fn store(&mut self, _: &mut Concrete, _: &Bits, value: &Value<Concrete>, _: &MemOperand) -> bool {
        let kept = if value.bits.width() == 64 { 0 } else { u64::MAX << value.bits.width() };
        self.0 = self.0 & kept | value.bits.low_u64();
        false
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// A machine of registers and one word.
struct LoopMachine {
    target: &'static Target,
    registers: BTreeMap<PReg, u64>,
    memory: OneWord,
}

impl LoopMachine {
    /// Takes one instruction; returns whether it branches.
    fn step(&mut self, data: &InstData, choice: Choice) -> bool {
        let vocabulary = self.target.vocabulary;
        let read = |register: PReg| {
            let value = self.registers.get(&vocabulary.full_register(register)).copied().unwrap_or(0);
            let value = if vocabulary.is_zero_register(register) { 0 } else { value };
            Value { bits: Bits::new(value.into(), vocabulary.register_bits(register)), poison: false }
        };
        let args: Vec<Value<Concrete>> =
            data.uses().filter_map(|operand| operand.reg.as_physical()).map(read).collect();
        let evaluation = evaluate(self.target, &mut Concrete { choice }, &mut self.memory, data, &args).unwrap();
        let defs = data.defs().filter_map(|operand| operand.reg.as_physical());
        for (register, value) in defs.zip(evaluation.results) {
            self.registers.insert(vocabulary.full_register(register), value.bits.low_u64());
        }
        evaluation.taken.unwrap_or(false)
    }
}

/// The operand's register, or an immediate that its row takes.
fn operand(target: &Target, desc: &OperandDesc, index: usize, ordering: i64) -> Operand {
    match (desc.class(), desc.is_def()) {
        (Some(class), true) => Operand::def(target.class(class).members[index + 4]),
        (Some(class), false) => Operand::used(target.class(class).members[index + 4]),
        (None, _) => Operand::Imm(ordering),
    }
}

#[test]
fn loops_repeat_until_their_store_keeps_its_reservation() {
    let mut seen = Vec::new();
    for &target in ALL {
        for (number, row) in (0u16..).zip(target.instructions) {
            if row.code.is_some()
                || row.access.is_none()
                || !target.default_features.contains(row.requires & target.base())
            {
                continue;
            }
            if row.access.is_some_and(|access| access.bits() > u32::from(target.pointer_bits)) {
                continue;
            }
            seen.push(format!("{} {}", target.name, row.name));
            for (ordering, [expected, new]) in
                [2, 4, 5, 6, 7].into_iter().flat_map(|ordering| [[7, 9], [8, 9]].map(|values| (ordering, values)))
            {
                let operands = row.operands.iter().enumerate();
                let operands = operands.map(|(index, desc)| operand(target, desc, index, ordering));
                let opcode = Opcode::Target(tribunal_ir::TargetOpcode(number));
                let mut pseudo = InstData::new(opcode, operands);
                pseudo.operands.extend(row.implicit_defs.iter().copied().map(Operand::implicit_def));
                let full = |index: usize| {
                    target.vocabulary.full_register(pseudo.operands[index].as_reg().unwrap().reg.as_physical().unwrap())
                };
                let mut registers = BTreeMap::from([(full(3), expected)]);
                if pseudo.operands.get(4).is_some_and(|operand| operand.as_reg().is_some()) {
                    registers.insert(full(4), new);
                }
                let mut meant = LoopMachine { target, registers: registers.clone(), memory: OneWord(7) };
                meant.step(&pseudo, Choice::Zeros);

                let code = target.machine.expand_pseudo(&pseudo).unwrap();
                assert_eq!(code.len() * 4, usize::from(row.size), "{}", row.name);
                let mut came = LoopMachine { target, registers, memory: OneWord(7) };
                let (mut place, mut taken) = (0, 0);
                while let Some(data) = code.get(place) {
                    // Its word says what it reads and writes besides its operands.
                    let data = &target.decode(target.encode(data).unwrap()).unwrap();
                    // The first rounds fail to store.
                    let choice = if taken < 12 { Choice::Ones } else { Choice::Zeros };
                    let distance = data.operands.iter().rev().find_map(Operand::as_imm).unwrap_or(0);
                    place = match came.step(data, choice) {
                        true => place.wrapping_add_signed(distance as isize / 4),
                        false => place + 1,
                    };
                    taken += 1;
                    assert!(taken < 100, "{} does not end", row.name);
                }
                assert_eq!(came.memory.0, meant.memory.0, "{} of {expected}", row.name);
                assert_eq!(came.registers[&full(0)], meant.registers[&full(0)], "{} of {expected}", row.name);
                assert!(taken > code.len() || meant.memory.0 == 7, "{} stores once", row.name);
            }
        }
    }
    assert!(seen.len() == 8, "{seen:?}");
}
