//! The sequences of machine code that no rule selects ([`Machine`](tribunal_target::Machine)), held to what they are
//! documented to do. Programs come to some of them only with frames of gigabytes, or code of megabytes.
//!
//! A sequence runs as its words decode, on registers of random contents. An offset or a distance is each power of two,
//! or near to one.

use crate::finding::Finding;
use crate::machine_meanings::{NumberedRow, instance};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{Bits, Block, InstData, Opcode, OpcodeFlags, Operand, PReg, TargetOpcode};
use tribunal_target::abi::CallKind;
use tribunal_target::instructions::{InstrDesc, OperandDesc};
use tribunal_target::{CodePlace, Target, evaluate_at};

/// Contents of registers on which a branch is tried.
const TRIES: u64 = 24;
/// Instructions that a sequence takes at most.
const STEPS: usize = 64;
/// The first of the conditions that always hold.
const ALWAYS: i64 = 14;
/// The address of a sequence's first instruction.
const HERE: u64 = 0x40_0000;

/// The first sequence of a kind that does something else, in words.
type Wrong = fn(&'static Target) -> Option<String>;

/// A finding for each kind of sequence that does something else.
pub fn wrong_sequences(target: &'static Target) -> Vec<Finding> {
    let kinds: [(&str, Wrong); 6] = [
        ("add_offset", wrong_offset),
        ("align_down", wrong_alignment),
        ("invert_branch", wrong_opposite),
        ("expand_pseudo", wrong_expansion),
        ("call", wrong_call),
        ("jump", wrong_jump),
    ];
    let wrong = kinds.into_iter().filter_map(|(kind, wrong)| Some((kind, wrong(target)?)));
    wrong.map(|(kind, details)| Finding::machine_sequence(kind, details)).collect()
}

/// Powers of two and their neighbours, of both signs, as far as a frame or a function reaches.
fn distances() -> impl Iterator<Item = i64> {
    let near = |power: i64| [-4097, -4096, -2049, -2048, -4, -1, 0, 1, 4, 2047, 2048, 4096].map(|d| power + d);
    (0..31).flat_map(move |bit| near(1 << bit)).flat_map(|distance| [distance, -distance])
}

/// Those that lead out of a sequence, to an instruction.
fn far_places() -> impl Iterator<Item = i64> {
    distances().filter(|distance| distance % 4 == 0 && distance.unsigned_abs() > 4 * STEPS as u64)
}

/// Registers of a machine at the first instruction of a sequence.
struct Registers<'t> {
    target: &'t Target,
    seed: u64,
    contents: BTreeMap<PReg, Bits>,
    /// Those that the sequence wrote.
    written: BTreeSet<PReg>,
}

impl<'t> Registers<'t> {
    fn new(target: &'t Target) -> Registers<'t> {
        Registers { target, seed: 0, contents: BTreeMap::new(), written: BTreeSet::new() }
    }

    /// The contents of a register: random, and the same for each machine, unless it was written.
    fn read(&mut self, register: PReg) -> Bits {
        let vocabulary = self.target.vocabulary;
        let bits = vocabulary.register_bits(register);
        if vocabulary.is_zero_register(register) {
            return Bits::zero(bits);
        }
        let full = vocabulary.full_register(register);
        let contents = self.contents.entry(full).or_insert_with(|| {
            let mut random = SmallRng::seed_from_u64(u64::from(full.0) + 1000 * self.seed);
            let number = u128::from(random.random::<u64>()) << 64 | u128::from(random.random::<u64>());
            Bits::new(number, u128::BITS).zext_or_trunc(vocabulary.register_bits(full))
        });
        contents.zext_or_trunc(bits)
    }

    fn write(&mut self, register: PReg, bits: Bits) {
        let vocabulary = self.target.vocabulary;
        if !vocabulary.is_zero_register(register) {
            let full = vocabulary.full_register(register);
            self.contents.insert(full, bits.zext_or_trunc(vocabulary.register_bits(full)));
            self.written.insert(full);
        }
    }

    /// True if it wrote a register that is none of these.
    fn clobbered(&self, allowed: &[PReg]) -> bool {
        let full: Vec<PReg> = allowed.iter().map(|&register| self.target.vocabulary.full_register(register)).collect();
        self.written.iter().any(|register| !full.contains(register))
    }

    /// Takes one instruction at `address`: where it goes, unless to the next one. `None` if it has no meaning without
    /// memory.
    fn step(&mut self, inst: &InstData, address: u64) -> Option<Option<Bits>> {
        let width = self.target.pointer_bits.into();
        let args = inst.uses().filter_map(|operand| operand.reg.as_physical());
        let args: Vec<Value<Concrete>> = args.map(|register| Value::new(self.read(register), false)).collect();
        let address = Bits::new(address.into(), width);
        let place = CodePlace { address, bytes: 4, thread_pointer: Bits::zero(width) };
        let mut domain = Concrete { choice: Choice::Zeros };
        let evaluation = evaluate_at(self.target, &mut domain, &mut Pure, inst, &args, Some(place)).ok()?;
        let defs: Vec<PReg> = inst.defs().filter_map(|operand| operand.reg.as_physical()).collect();
        for (register, value) in defs.into_iter().zip(evaluation.results) {
            self.write(register, value.bits);
        }
        let jumps = is_jump(self.target, inst) || self.target.is_call(inst);
        let label = || Some(address.add(Bits::from_i64(label(self.target, inst)?, width)));
        Some(match (evaluation.to, evaluation.taken) {
            (Some(to), _) => Some(to),
            (None, Some(taken)) => label().filter(|_| taken),
            (None, None) => label().filter(|_| jumps),
        })
    }

    /// Runs a sequence: the address at which the machine goes on. `None` if an instruction has no word, or no meaning
    /// without memory.
    fn run(&mut self, code: &[InstData]) -> Option<Bits> {
        let mut address = HERE;
        for _ in 0..STEPS {
            let place = address.checked_sub(HERE).map(|bytes| (bytes / 4) as usize);
            let Some(inst) = place.and_then(|place| code.get(place)) else { break };
            let decoded = self.target.decode(self.target.encode(inst).ok()?)?;
            address = self.step(&decoded, address)?.map_or(address + 4, Bits::low_u64);
        }
        Some(at(self.target, address as i64 - HERE as i64))
    }
}

/// The address so many bytes from the first instruction.
fn at(target: &Target, bytes: i64) -> Bits {
    Bits::from_i64(HERE as i64 + bytes, target.pointer_bits.into())
}

fn is_jump(target: &Target, inst: &InstData) -> bool {
    let Opcode::Target(opcode) = inst.opcode else { return false };
    target.instruction(opcode).flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER)
}

/// The distance that a placed branch or call names.
fn label(target: &Target, inst: &InstData) -> Option<i64> {
    let Opcode::Target(opcode) = inst.opcode else { return None };
    let mut operands = target.instruction(opcode).operands.iter().zip(&inst.operands);
    let is_label = |desc: &OperandDesc| matches!(desc, OperandDesc::Label { .. } | OperandDesc::Callee { .. });
    operands.find(|(desc, _)| is_label(desc)).and_then(|(_, operand)| operand.as_imm())
}

/// The registers that passes give to [`Machine::add_offset`](tribunal_target::Machine::add_offset): destination, source
/// and scratch.
fn places(target: &Target) -> [[PReg; 3]; 4] {
    let (sp, [one, other]) = (target.abi.stack_pointer, [target.abi.scratch[0], target.abi.caller_saved[0]]);
    [[sp, sp, one], [one, sp, one], [other, sp, one], [sp, other, one]]
}

fn wrong_offset(target: &'static Target) -> Option<String> {
    let (machine, sp) = (target.machine, target.abi.stack_pointer);
    let name = |register| target.vocabulary.register_name(register);
    distances().find_map(|offset| {
        let steps = machine.steps(offset);
        let writes_once = |&step: &i64| {
            let code = machine.add_offset(sp, sp, step, target.abi.scratch[0]);
            let writes = |inst: &&InstData| inst.defs().any(|operand| operand.reg.as_physical() == Some(sp));
            code.iter().filter(writes).count() == 1
        };
        if steps.iter().sum::<i64>() != offset || !steps.iter().all(writes_once) {
            return Some(format!("the steps of {offset}"));
        }
        places(target).into_iter().find_map(|[dst, src, scratch]| {
            let mut registers = Registers::new(target);
            let code = machine.add_offset(dst, src, offset, scratch);
            let wanted = registers.read(src).add(Bits::from_i64(offset, target.pointer_bits.into()));
            let is_right = registers.run(&code) == Some(at(target, 4 * code.len() as i64))
                && registers.read(dst) == wanted
                && !registers.clobbered(&[dst, scratch]);
            (!is_right).then(|| format!("{} = {} + {offset}", name(dst), name(src)))
        })
    })
}

fn wrong_alignment(target: &'static Target) -> Option<String> {
    let (sp, scratch) = (target.abi.stack_pointer, target.abi.scratch[0]);
    let aligned = |align| target.machine.align_down(sp, scratch, align);
    let mut alignments = (1..31).map(|bit| 1u32 << bit);
    // A machine aligns to any power of two, or to none.
    let any = alignments.clone().any(|align| aligned(align).is_some());
    alignments.find_map(|align| {
        let Some(code) = aligned(align) else { return any.then(|| format!("none to {align}")) };
        let mut registers = Registers::new(target);
        let mask = Bits::from_i64(-i64::from(align), target.pointer_bits.into());
        let wanted = registers.read(scratch).and(mask);
        let is_right = registers.run(&code) == Some(at(target, 4 * code.len() as i64))
            && registers.read(sp) == wanted
            && !registers.clobbered(&[sp, scratch]);
        (!is_right).then(|| format!("an address aligned to {align}"))
    })
}

/// Instances of a row with immediates from 0 to 15, as far as it takes them, and with this distance for a label.
fn instances(target: &'static Target, row: NumberedRow<'static>, distance: i64) -> Vec<InstData> {
    let mut instances: Vec<InstData> = (0..16).filter_map(|number| instance(target, row, number, distance)).collect();
    instances.dedup();
    instances
}

/// True if a row has no label, or its label takes this distance.
fn reaches(row: &InstrDesc, distance: i64) -> bool {
    row.operands.iter().all(|desc| match *desc {
        OperandDesc::Label { bits, .. } | OperandDesc::Callee { bits, .. } => {
            (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&distance)
        }
        _ => true,
    })
}

fn rows(target: &'static Target) -> impl Iterator<Item = NumberedRow<'static>> {
    (0..).map(TargetOpcode).zip(target.instructions).filter(move |(_, row)| target.has(row))
}

fn wrong_opposite(target: &'static Target) -> Option<String> {
    let has_label = |row: &InstrDesc| row.operands.iter().any(|desc| matches!(desc, OperandDesc::Label { .. }));
    let branches = rows(target).filter(|(_, row)| row.flags.contains(OpcodeFlags::BRANCH) && has_label(row));
    let mut conditional = branches.filter(|(_, row)| !row.flags.contains(OpcodeFlags::BARRIER));
    let (behind, away) = (at(target, 4), at(target, 8));
    conditional.find_map(|row| {
        // The two conditions of AArch64 that always hold have no opposites.
        let conditional = |inst: &InstData| inst.imm(0).is_none_or(|condition| condition < ALWAYS);
        instances(target, row, 8).into_iter().filter(conditional).find_map(|inst| {
            let Some(opposite) = target.machine.invert_branch(&inst) else {
                return Some(format!("{} has none", row.1.name));
            };
            (0..TRIES).find_map(|turn| {
                let mut registers = Registers { seed: turn, ..Registers::new(target) };
                // Equal numbers, and zero.
                for register in inst.uses().filter_map(|operand| operand.reg.as_physical()).filter(|_| turn % 3 == 0) {
                    registers.write(register, Bits::new(turn.into(), target.vocabulary.register_bits(register)));
                }
                let [one, other] = [&inst, &opposite].map(|inst| registers.run(std::slice::from_ref(inst)));
                let is_right = [(Some(behind), Some(away)), (Some(away), Some(behind))].contains(&(one, other));
                (!is_right).then(|| format!("of {}", row.1.name))
            })
        })
    })
}

/// A pseudo-instruction, as an instance, that computes or goes elsewhere than the instructions in its place.
fn wrong_expansion(target: &'static Target) -> Option<String> {
    let others = OpcodeFlags::CALL | OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS;
    let mut pseudos = rows(target).filter(|(_, row)| row.code.is_none() && !row.flags.intersects(others));
    pseudos.find_map(|row| {
        let distances = far_places().filter(|&distance| reaches(row.1, distance));
        // Without a label each distance gives the same instances.
        let has_label = row.1.operands.iter().any(|desc| matches!(desc, OperandDesc::Label { .. }));
        distances.take(if has_label { usize::MAX } else { 1 }).find_map(|distance| {
            instances(target, row, distance).into_iter().find_map(|inst| {
                let code = target.machine.expand_pseudo(&inst)?;
                let (mut meant, mut came) = (Registers::new(target), Registers::new(target));
                let Some(to) = meant.step(&inst, HERE) else { return Some(format!("{} has no meaning", row.1.name)) };
                let Some(end) = came.run(&code) else { return Some(format!("{} has no words", row.1.name)) };
                let to = to.unwrap_or_else(|| at(target, 4 * code.len() as i64));
                // Code lies at even addresses.
                let goes = end.lshr(1) == to.lshr(1);
                let written: Vec<PReg> = inst.defs().filter_map(|operand| operand.reg.as_physical()).collect();
                // A return goes to where its register says.
                let is_right = (goes || row.1.flags.contains(OpcodeFlags::RETURN))
                    && written.iter().all(|&register| meant.read(register) == came.read(register))
                    && !came.clobbered(&written);
                (!is_right).then(|| format!("{} by {distance} bytes", row.1.name))
            })
        })
    })
}

fn wrong_call(target: &'static Target) -> Option<String> {
    let kinds = [CallKind::Returning, CallKind::Tail];
    let mut cases = kinds.into_iter().flat_map(|kind| far_places().map(move |distance| (kind, distance)));
    cases.find_map(|(kind, distance)| {
        let code = target.machine.call(kind, distance);
        let mut registers = Registers::new(target);
        let before = registers.read(target.abi.return_address);
        let is_near = |inst: &InstData| {
            matches!(inst.opcode, Opcode::Target(opcode) if reaches(target.instruction(opcode), distance))
        };
        if !code.iter().all(is_near) {
            return None;
        }
        let end = registers.run(&code);
        let back = if kind == CallKind::Returning { at(target, 4 * code.len() as i64) } else { before };
        let is_right = end == Some(at(target, distance)) && registers.read(target.abi.return_address) == back;
        (!is_right).then(|| format!("{kind:?} by {distance} bytes"))
    })
}

/// A jump that does not name the block that it is asked for.
fn wrong_jump(target: &'static Target) -> Option<String> {
    let to = Block::from_u32(7);
    let scratch = target.abi.scratch[0];
    let jumps = [Some(target.machine.jump(to)), target.machine.far_jump(to, scratch)];
    jumps.into_iter().flatten().find_map(|jump| {
        let names = jump.operands.iter().any(|operand| matches!(operand, Operand::Block(block) if *block == to));
        let is_right = names && is_jump(target, &jump);
        (!is_right).then(|| "a jump that is none to its block".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_target::riscv::RISCV64;
    use tribunal_target::{ALL, Machine, Made, Sequence};

    #[test]
    fn sequences_do_as_they_are_documented() {
        for target in ALL {
            let wrong = wrong_sequences(target);
            assert!(wrong.is_empty(), "{}: {wrong:?}", target.name);
        }
    }

    /// A machine each of whose sequences is wrong for some operands.
    struct Careless;

    impl Machine for Careless {
        fn add_offset(&self, dst: PReg, src: PReg, offset: i64, scratch: PReg) -> Vec<InstData> {
            RISCV64.machine.add_offset(dst, src, offset ^ (offset >> 30), scratch)
        }
        fn align_down(&self, dst: PReg, src: PReg, align: u32) -> Option<Sequence> {
            RISCV64.machine.align_down(dst, src, align & 0xffff)
        }
        fn expand_pseudo(&self, inst: &InstData) -> Option<Sequence> {
            let mut code = RISCV64.machine.expand_pseudo(inst)?;
            let last = code.last_mut()?;
            let number = last.operands.last_mut()?;
            *number = Operand::Imm(number.as_imm()? ^ 4);
            Some(code)
        }
        fn call(&self, kind: CallKind, distance: i64) -> Sequence {
            RISCV64.machine.call(kind, distance ^ 1 << 12)
        }
        fn invert_branch(&self, inst: &InstData) -> Option<InstData> {
            Some(inst.clone())
        }
        fn jump(&self, _: Block) -> InstData {
            RISCV64.machine.jump(Block::from_u32(0))
        }
        fn trap(&self) -> InstData {
            RISCV64.machine.trap()
        }
        fn assembly(&self, inst: &InstData, name: &dyn Fn(&Operand) -> String) -> String {
            RISCV64.machine.assembly(inst, name)
        }
    }

    static WRONG: Target = Target { machine: &Careless, made: Made::new(), ..RISCV64 };

    #[test]
    fn each_kind_of_sequence_is_held() {
        let guilty: Vec<String> = wrong_sequences(&WRONG).into_iter().map(|finding| finding.guilty).collect();
        assert_eq!(guilty.len(), 6, "{guilty:?}");
    }
}
