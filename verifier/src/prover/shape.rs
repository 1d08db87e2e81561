//! The shape of a step: what is the same for all steps that are the same but for register numbers. The key of the proof
//! cache.

use smallvec::SmallVec;
use tribunal_ir::{Bits, Block, InstData, Opcode, Operand, Properties, Reg, Step, VReg};
use tribunal_target::Target;

/// Everything that the obligation depends on, as words. Equal words, equal obligation.
pub type Shape = Vec<u64>;

/// The shape of `step` on `target`.
pub fn shape(target: &Target, step: &Step<'_>) -> Shape {
    let mut writer =
        Writer { step, words: Vec::with_capacity(128), registers: SmallVec::new(), blocks: SmallVec::new() };
    // Generic instructions mean the same on every machine whose pointers are as wide: proofs are shared.
    let machine = step.function.properties.contains(Properties::REG_BANK_SELECTED)
        || step.before.iter().chain(step.after).any(names_machine);
    writer.words.push(u64::from(machine) | u64::from(target.pointer_bits) << 8);
    if machine {
        writer.words.push(target.name.bytes().fold(0, |hash: u64, byte| hash.rotate_left(8) ^ u64::from(byte)));
    }
    step.before.iter().for_each(|data| writer.inst(data));
    writer.words.push(u64::MAX);
    step.after.iter().for_each(|data| writer.inst(data));
    writer.words
}

/// True if the instruction speaks of one machine's registers or instructions.
fn names_machine(data: &InstData) -> bool {
    let physical =
        |operand: &Operand| matches!(operand, Operand::Reg(register) if register.reg.as_physical().is_some());
    matches!(data.opcode, Opcode::Target(_)) || data.operands.iter().any(physical)
}

struct Writer<'s> {
    step: &'s Step<'s>,
    words: Vec<u64>,
    /// By order of appearance. Steps have few: looking through them is faster than hashing.
    registers: SmallVec<[VReg; 32]>,
    blocks: SmallVec<[Block; 4]>,
}

/// The place of `entity` among those that appeared, as the next one if it is new.
fn number<E: PartialEq + Copy, A: smallvec::Array<Item = E>>(seen: &mut SmallVec<A>, entity: E) -> u64 {
    let place = seen.iter().position(|&other| other == entity).unwrap_or_else(|| {
        seen.push(entity);
        seen.len() - 1
    });
    place as u64
}

impl Writer<'_> {
    fn inst(&mut self, data: &InstData) {
        let opcode = match data.opcode {
            Opcode::Target(opcode) => 0x1_0000 | u64::from(opcode.0),
            generic => generic.info().map_or(0xffff, |info| u64::from(info.number)),
        };
        self.words.push(opcode | u64::from(data.flags.bits()) << 20 | (data.operands.len() as u64) << 48);
        for operand in &data.operands {
            self.operand(operand);
        }
        for memory in &data.memory {
            let bits = memory.ty.map_or(0, |ty| u64::from(ty.bits()));
            self.words.push(bits | u64::from(memory.align) << 16 | u64::from(memory.flags.bits()) << 56);
        }
    }

    fn operand(&mut self, operand: &Operand) {
        let word = match operand {
            Operand::Reg(register) => {
                let flags = u64::from(register.flags.bits()) << 40 | u64::from(register.subregister.0) << 56;
                match register.reg {
                    Reg::Physical(register) => 1 << 36 | u64::from(register.0) | flags,
                    Reg::Virtual(register) => self.register(register) | flags,
                }
            }
            Operand::Imm(value) => *value as u64 ^ 2 << 60,
            Operand::Const { width, value } => {
                self.words.push(value.0 as u64);
                u64::from(*width) | 1 << 59
            }
            Operand::WideConst(_) => {
                let value = self.step.function.constant_value(operand).unwrap_or(Bits::zero(1));
                self.words.extend(value.limbs().into_iter().take(value.width().div_ceil(64) as usize));
                u64::from(value.width()) | 3 << 59
            }
            Operand::Block(block) => number(&mut self.blocks, *block) | 3 << 60,
            Operand::Predicate(predicate) => *predicate as u64 | 4 << 60,
            Operand::Stack(slot) => u64::from(slot.as_u32()) | 5 << 60,
            Operand::FixedStack(slot) => u64::from(slot.as_u32()) | 6 << 60,
            Operand::Symbol(symbol) => {
                // By its text: numbers are the function's.
                let text = self.step.function.symbols[*symbol].as_bytes();
                let words = text.chunks(8).map(|bytes| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
                self.words.extend(words);
                text.len() as u64 | 7 << 60
            }
        };
        self.words.push(word);
    }

    /// The register's number by order of appearance, and what it is.
    fn register(&mut self, register: VReg) -> u64 {
        let number = number(&mut self.registers, register);
        let data = &self.step.function.vregs[register];
        let kind = |ty: tribunal_ir::Type| u64::from(ty.is_pointer()) << 15 | u64::from(ty.is_vector()) << 16;
        let ty = data.ty.map_or(0, |ty| u64::from(ty.bits()) | kind(ty));
        let class = match data.constraint {
            tribunal_ir::Constraint::Class(class) => u64::from(class.0) + 1,
            _ => 0,
        };
        self.words.push(ty | class << 20);
        number
    }
}
