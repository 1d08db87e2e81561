//! The loops that pseudo-instructions of atomic operations stand for do what their pseudo-instruction means: also where
//! a store fails to keep its reservation, which no emulator shows.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeMap;
use tribunal_ir::semantics::{Choice, Concrete, Memory, Value};
use tribunal_ir::{Bits, FixedSlot, InstData, MemOperand, Opcode, Operand, PReg, StackSlot};
use tribunal_target::instructions::{InstrDesc, OperandDesc};
use tribunal_target::{ALL, Target, evaluate};

/// One word of memory.
struct OneWord(u64);

impl Memory<Concrete> for OneWord {
    fn load(&mut self, _: &mut Concrete, _: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        (Value::new(Bits::new(self.0.into(), 8 * bytes), false), false)
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
            Value::new(Bits::new(value.into(), vocabulary.register_bits(register)), false)
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

    /// Runs the loop that a pseudo-instruction stands for: the number of its instructions, and of those taken.
    fn run(&mut self, pseudo: &InstData, row: &InstrDesc) -> (usize, usize) {
        let code = self.target.machine.expand_pseudo(pseudo).unwrap();
        assert_eq!(code.len() * 4, usize::from(row.size), "{}", row.name);
        let (mut place, mut taken) = (0, 0);
        while let Some(data) = code.get(place) {
            // Its word says what it reads and writes besides its operands.
            let data = &self.target.decode(self.target.encode(data).unwrap()).unwrap();
            // The first rounds fail to store.
            let choice = if taken < 12 { Choice::Ones } else { Choice::Zeros };
            let distance = data.operands.iter().rev().find_map(Operand::as_imm).unwrap_or(0);
            place = match self.step(data, choice) {
                true => place.wrapping_add_signed(distance as isize / 4),
                false => place + 1,
            };
            taken += 1;
            assert!(taken < 100, "{} does not end", row.name);
        }
        (code.len(), taken)
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
                || row.name.starts_with("PseudoMasked")
                || !target.default_features.contains(row.requires & target.base())
            {
                continue;
            }
            if row.access.is_some_and(|access| access.bits() > u32::from(target.pointer_bits)) {
                continue;
            }
            seen.push(format!("{} {}", target.name, row.name));
            for (ordering, [expected, new]) in [2, 4, 5, 6, 7].into_iter().flat_map(|ordering| {
                [[7, 9], [8, 9], [8, 5], [9, 0x8000_0000_8000_8080]].map(|values| (ordering, values))
            }) {
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

                let mut came = LoopMachine { target, registers, memory: OneWord(7) };
                let (code, taken) = came.run(&pseudo, row);
                assert_eq!(came.memory.0, meant.memory.0, "{} of {expected}", row.name);
                assert_eq!(came.registers[&full(0)], meant.registers[&full(0)], "{} of {expected}", row.name);
                assert!(taken > code || meant.memory.0 == 7, "{} stores once", row.name);
            }
        }
    }
    assert!(seen.len() == 30, "{seen:?}");
}

/// The word of a masked operation, and the place of the part that it changes.
const WORD: u32 = 0x8a7f_01fe;

/// The new part, of so many bits, by arithmetic on numbers of its width alone.
fn new_part(name: &str, bits: u32, old: u32, value: u32, expected: u32) -> u32 {
    let signed = |part: u32| ((part << (32 - bits)) as i32) >> (32 - bits);
    let new = match name.strip_prefix("PseudoMasked").unwrap() {
        "AtomicSwap32" => value,
        "AtomicLoadAdd32" => old.wrapping_add(value),
        "AtomicLoadSub32" => old.wrapping_sub(value),
        "AtomicLoadNand32" => !(old & value),
        "AtomicLoadMax32" => signed(old).max(signed(value)) as u32,
        "AtomicLoadMin32" => signed(old).min(signed(value)) as u32,
        "AtomicLoadUMax32" => old.max(value),
        "AtomicLoadUMin32" => old.min(value),
        "CmpXchg32" => {
            if old == expected {
                value
            } else {
                old
            }
        }
        other => panic!("{other}"),
    };
    new & u32::MAX >> (32 - bits)
}

/// The operands as LLVM's AtomicExpand passes them: parts at their place in the word, extended with the word's sign.
/// The value of a signed extremum is extended from its own width, and an amount brings its sign to the top of a
/// register.
fn masked_operands(name: &str, register_bits: u32, [bits, at]: [u32; 2], [expected, value]: [u32; 2]) -> Vec<u64> {
    let register = |word: i32| word as i64 as u64;
    let placed = |part: u32| register((part << at) as i32);
    let signed = ((value << (32 - bits)) as i32) >> (32 - bits);
    let mask = placed(u32::MAX >> (32 - bits));
    match name {
        "PseudoMaskedAtomicLoadMax32" | "PseudoMaskedAtomicLoadMin32" => {
            let amount = u64::from(register_bits - bits - at);
            vec![i64::from(signed).wrapping_shl(at) as u64, mask, amount]
        }
        "PseudoMaskedCmpXchg32" => vec![placed(expected), placed(value), mask],
        _ => vec![placed(value), mask],
    }
}

#[test]
fn masked_loops_change_their_part_of_the_word_alone() {
    let mut seen = 0;
    for &target in ALL {
        let masked = (0u16..).zip(target.instructions).filter(|(_, row)| row.name.starts_with("PseudoMasked"));
        for (number, row) in masked {
            seen += 1;
            let opcode = Opcode::Target(tribunal_ir::TargetOpcode(number));
            let operands = row.operands.iter().enumerate();
            let pseudo = InstData::new(opcode, operands.map(|(index, desc)| operand(target, desc, index, 7)));
            let register = |index: usize| pseudo.operands[index].as_reg().unwrap().reg.as_physical().unwrap();
            let first = row.operands.iter().filter(|desc| desc.is_def()).count() + 1;
            for [bits, at] in [[8, 0], [8, 8], [8, 16], [8, 24], [16, 0], [16, 16]] {
                let old = WORD >> at & u32::MAX >> (32 - bits);
                for [expected, value] in [[old, 0x7f], [old ^ 1, 0x80], [old, 1], [old, 0xff], [old, 0]] {
                    let passed = masked_operands(row.name, target.pointer_bits.into(), [bits, at], [expected, value]);
                    let registers: BTreeMap<PReg, u64> =
                        passed.into_iter().enumerate().map(|(index, value)| (register(first + index), value)).collect();
                    let memory = || OneWord(u64::MAX << 32 | u64::from(WORD));
                    let mut meant = LoopMachine { target, registers: registers.clone(), memory: memory() };
                    meant.step(&pseudo, Choice::Zeros);
                    let mut came = LoopMachine { target, registers, memory: memory() };
                    came.run(&pseudo, row);
                    let new = new_part(row.name, bits, old, value, expected);
                    let wanted = WORD & !(u32::MAX >> (32 - bits) << at) | new << at;
                    let place = format!("{} {} of {old:#x} and {value:#x}", target.name, row.name);
                    assert_eq!(meant.memory.0 as u32, wanted, "{place}");
                    assert_eq!(came.memory.0, meant.memory.0, "{place}");
                    assert_eq!(came.registers[&register(0)], meant.registers[&register(0)], "{place}");
                    assert_eq!(came.registers[&register(0)] as u32, WORD, "{place}");
                }
            }
        }
    }
    // RV64 and RV32 share their rows.
    assert_eq!(seen, 18);
}
