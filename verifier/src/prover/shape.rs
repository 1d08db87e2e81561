//! The shape of a step: its content up to renaming of registers. It is the key of the proof cache.

use super::own_objects;
use smallvec::SmallVec;
use tribunal_ir::types::Element;
use tribunal_ir::{
    Address, AddressBase, AddressData, Bits, Block, InstData, Opcode, Operand, Reg, StackSlot, Stage, Step, Type, VReg,
    text,
};
use tribunal_target::Target;

/// Everything that the obligation depends on, as words. Equal words, equal obligation.
pub type Shape = Vec<u64>;

/// Writes the shape of `step` on `target` over `shape`, whose capacity is reused.
pub fn write(target: &Target, step: &Step<'_>, shape: &mut Shape) {
    shape.clear();
    let mut writer = Writer { step, words: shape, registers: SmallVec::new(), blocks: SmallVec::new() };
    // Generic instructions mean the same on every machine whose pointers are as wide: proofs are shared.
    let machine = step.function.stage >= Stage::BankSelected || step.before.iter().chain(step.after).any(names_machine);
    let strictness = step.function.strictness as u64;
    writer.words.push(u64::from(machine) | strictness << 1 | u64::from(target.pointer_bits) << 8);
    if machine {
        writer.words.push(target.name.bytes().fold(0, |hash: u64, byte| hash.rotate_left(8) ^ u64::from(byte)));
    }
    step.before.iter().for_each(|data| writer.inst(data));
    writer.words.push(u64::MAX);
    step.after.iter().for_each(|data| writer.inst(data));
}

/// True if the instruction names one machine's registers or instructions, or sees its environment of floating point.
fn names_machine(data: &InstData) -> bool {
    let physical =
        |operand: &Operand| matches!(operand, Operand::Reg(register) if register.reg.as_physical().is_some());
    matches!(data.opcode, Opcode::Target(_)) || data.opcode.sees_environment() || data.operands.iter().any(physical)
}

struct Writer<'s> {
    step: &'s Step<'s>,
    words: &'s mut Vec<u64>,
    /// By order of appearance. Steps have few: a linear search is faster than hashing.
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

/// Operands whose kinds fit one word.
const KINDS_IN_A_WORD: usize = 12;

/// Five bits.
fn kind(operand: &Operand) -> u64 {
    match operand {
        Operand::Reg(register) => u64::from(register.reg.as_physical().is_some()),
        Operand::Imm(_) => 2,
        Operand::Const { .. } => 3,
        Operand::WideConst(_) => 4,
        Operand::Block(_) => 5,
        Operand::Predicate(_) => 6,
        Operand::Stack(_) => 7,
        Operand::FixedStack(_) => 8,
        Operand::FloatPredicate(_) => 9,
        Operand::Float(_) => 10,
        Operand::Address(_) => 11,
        Operand::RegisterMask(_) => 12,
        Operand::RegisterList(_) => 13,
        Operand::Intrinsic(_) => 14,
        Operand::ShuffleMask(_) => 15,
        Operand::Metadata(_) => 16,
        Operand::NoRegister => 17,
        Operand::OpcodeName(_) => 18,
        Operand::Text(_) => 19,
        Operand::Cfi(_) => 20,
    }
}

/// 48 bits.
fn type_word(ty: Option<Type>) -> u64 {
    let sizes = |space: u8, bits: u16| u64::from(bits) << 8 | u64::from(space) << 24;
    match ty {
        None => 0,
        Some(Type::Scalar { bits }) => 1 | sizes(0, bits),
        Some(Type::Pointer { address_space, bits }) => 2 | sizes(address_space, bits),
        Some(Type::Vector { lanes, scalable, element }) => {
            let element = match element {
                Element::Scalar { bits } => sizes(0, bits),
                Element::Pointer { address_space, bits } => 1 << 3 | sizes(address_space, bits),
            };
            3 | u64::from(scalable) << 2 | element | u64::from(lanes) << 32
        }
    }
}

impl Writer<'_> {
    fn inst(&mut self, data: &InstData) {
        let opcode = match data.opcode {
            Opcode::Target(opcode) => 0x1_0000 | u64::from(opcode.0),
            generic => generic.info().map_or(0xffff, |info| u64::from(info.number)),
        };
        // From here on every count precedes its items: words are read in one way only.
        self.words.push(opcode | u64::from(data.flags.bits()) << 20);
        self.words.push(data.operands.len() as u64 | (data.memory.len() as u64) << 32);
        for operands in data.operands.chunks(KINDS_IN_A_WORD) {
            self.words.push(operands.iter().fold(0, |kinds, operand| kinds << 5 | kind(operand)));
        }
        for operand in &data.operands {
            self.operand(operand);
        }
        for memory in &data.memory {
            let (flags, align) = (u64::from(memory.flags.bits()), u64::from(memory.align.trailing_zeros()));
            let atomic = u64::from(memory.is_atomic());
            let ranges = self.step.function.range_of(memory).unwrap_or_default();
            let ranged = u64::from(!ranges.is_empty());
            self.words.push(type_word(memory.ty) | flags << 48 | align << 56 | ranged << 62 | atomic << 63);
            if !ranges.is_empty() {
                self.words.push(ranges.len() as u64);
            }
            for range in ranges {
                let halves = |value: i128| [value as u64, (value >> 64) as u64];
                self.words.push(range.width.into());
                self.words.extend(halves(range.first).into_iter().chain(halves(range.end)));
            }
            if memory.is_atomic() {
                let (scope, failure) = (memory.scope as u64, memory.failure_ordering as u64);
                self.words.push(memory.ordering as u64 | failure << 8 | scope << 16);
            }
        }
    }

    /// An operand of a known kind.
    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Reg(register) => {
                let flags = u64::from(register.flags.bits()) << 40 | u64::from(register.subregister.0) << 56;
                match register.reg {
                    Reg::Physical(register) => self.words.push(u64::from(register.0) | flags),
                    Reg::Virtual(register) => self.register(register, flags),
                }
            }
            Operand::Imm(value) => self.words.push(*value as u64),
            Operand::Const { width, value } => self.words.extend([u64::from(*width), value.0 as u64]),
            Operand::WideConst(_) => {
                let value = self.step.function.constant_value(operand).unwrap_or(Bits::zero(1));
                self.words.push(value.width().into());
                self.words.extend(value.limbs().into_iter().take(value.width().div_ceil(64) as usize));
            }
            Operand::Block(block) => {
                let number = number(&mut self.blocks, *block);
                self.words.push(number);
            }
            Operand::Predicate(predicate) => self.words.push(*predicate as u64),
            Operand::Stack(slot) => self.stack_object(*slot),
            Operand::FixedStack(slot) => {
                // What it overlaps depends on its place.
                let offset = self.step.function.fixed_stack.get(*slot).map_or(0, |object| object.offset);
                self.words.extend([u64::from(slot.as_u32()), offset as u64]);
            }
            Operand::FloatPredicate(predicate) => self.words.push(*predicate as u64),
            Operand::Float(constant) => {
                let bits = self.step.function.float_bits(*constant).unwrap_or(Bits::zero(1));
                self.words.push(constant.format as u64);
                self.words.extend(bits.limbs().into_iter().take(constant.format.bits().div_ceil(64) as usize));
            }
            Operand::Address(address) => self.address(*address),
            Operand::RegisterMask(mask) => self.words.push(mask.0.into()),
            Operand::RegisterList(list) => {
                let list = &self.step.function.register_lists[*list];
                self.words.push(list.kind as u64 | (list.registers.len() as u64) << 8);
                self.words.extend(list.registers.iter().map(|register| u64::from(register.0)));
            }
            Operand::ShuffleMask(mask) => {
                let lanes = &self.step.function.shuffle_masks[*mask];
                self.words.push(lanes.len() as u64);
                self.words.extend(lanes.iter().map(|lane| lane.map_or(u64::MAX, u64::from)));
            }
            Operand::Metadata(number) => self.words.push((*number).into()),
            Operand::Cfi(instruction) => {
                let (name, register, bytes) = instruction.parts();
                self.text(name);
                self.words.extend([register.map_or(u64::MAX, |register| register.0.into()), bytes.unwrap_or(0) as u64]);
            }
            Operand::NoRegister => {}
            Operand::Intrinsic(text) | Operand::OpcodeName(text) | Operand::Text(text) => {
                self.text(&self.step.function.symbols[*text]);
            }
        }
    }

    /// The number of an object that the function has, and of one that the step makes for itself its size.
    fn stack_object(&mut self, slot: StackSlot) {
        let object = self.step.function.stack.get(slot).filter(|_| own_objects::is_own(self.step, slot));
        self.words.push(u64::from(slot.as_u32()) | u64::from(object.is_some()) << 32);
        if let Some(object) = object {
            self.words.extend([object.size, object.align.into()]);
        }
    }

    /// By names and contents: numbers are the function's.
    fn address(&mut self, address: Address) {
        let function = self.step.function;
        let AddressData { base, offset, flags } = function.addresses[address];
        // Code finds a thread-local variable by its distance.
        let is_of_thread = u64::from(function.symbol_facts(base).thread_local.is_some());
        self.words.extend([offset as u64, u64::from(flags.0) | is_of_thread << 32]);
        self.text(&text::print_base(function, base));
        if let AddressBase::Constant(index) = base {
            self.text(&function.constants.get(index).map_or(String::new(), |constant| format!("{constant:?}")));
        }
        if let AddressBase::JumpTable(index) = base {
            let blocks = function.jump_tables.tables.get(index).map_or(&[][..], Vec::as_slice);
            // The form of an entry decides what a load of one gives.
            self.words.extend([function.jump_tables.kind as u64, blocks.len() as u64]);
            for &block in blocks {
                let number = number(&mut self.blocks, block);
                self.words.push(number);
            }
        }
    }

    /// The length, then eight bytes a word.
    fn text(&mut self, text: &str) {
        let text = text.as_bytes();
        self.words.push(text.len() as u64);
        let words = text.chunks(8).map(|bytes| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        self.words.extend(words);
    }

    /// The register's number by order of appearance. A new register, recognisable by that number, is followed by its
    /// attributes.
    fn register(&mut self, register: VReg, flags: u64) {
        let known = self.registers.len() as u64;
        let number = number(&mut self.registers, register);
        self.words.push(number | flags);
        if number == known {
            let data = &self.step.function.vregs[register];
            let class = match data.constraint {
                tribunal_ir::Constraint::Class(class) => u64::from(class.0) + 1,
                _ => 0,
            };
            self.words.push(type_word(data.ty) | class << 48);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::types::ElementCount;
    use tribunal_ir::{Function, types};

    /// Steps that would collide if an immediate were read as a type, and a register's number as an immediate.
    #[test]
    fn operands_of_other_kinds_are_never_the_same_words() {
        let mut function = Function::new("f");
        let (typed, untyped) = (function.new_vreg(types::S64), function.push_vreg(None, tribunal_ir::Constraint::None));
        let shape_of = |operands: [Operand; 2]| {
            let before = [InstData::new(Opcode::G_SEXT_INREG, operands)];
            let (mut shape, step) = (Shape::new(), Step { rule: "", function: &function, before: &before, after: &[] });
            write(tribunal_target::ALL[0], &step, &mut shape);
            shape
        };
        let s64 = type_word(Some(types::S64)) as i64;
        for tag in [0, 2 << 60] {
            let one = shape_of([Operand::used(typed), Operand::Imm(tag)]);
            let other = shape_of([Operand::Imm(s64 ^ tag), Operand::used(untyped)]);
            assert_ne!(one, other);
        }
    }

    #[test]
    fn every_type_has_a_word_of_its_own() {
        let scalars = (1..=u16::MAX).map(|bits| Type::Scalar { bits });
        let pointers = (0..=u8::MAX).map(|address_space| Type::Pointer { address_space, bits: 64 });
        let elements: Vec<Type> = scalars.step_by(97).chain(pointers).collect();
        let counts = [2, 3, u16::MAX].map(ElementCount::fixed);
        let counts = counts.iter().flat_map(|&count| [count, ElementCount { scalable: true, ..count }]);
        let vectors = counts.flat_map(|count| elements.iter().filter_map(move |element| element.times(count)));
        let types: Vec<Type> = elements.iter().copied().chain(vectors).collect();
        let words: std::collections::BTreeSet<u64> = types.iter().map(|&ty| type_word(Some(ty))).collect();
        assert_eq!(words.len(), types.len());
        assert!(!words.contains(&type_word(None)) && words.last() < Some(&(1 << 48)));
    }
}
