//! An operation of one opcode on vectors, with operands on which it is defined. The legalizer takes it apart into
//! elements.
//!
//! Invariant: the opcode's row says all that is written: the types, the immediates, the operands that must be guarded.

use super::{Entry, Generator};
use crate::edit;
use arbitrary::Result;
use tribunal_ir::opcode::{IndexTypes, Poison};
use tribunal_ir::types::{ElementCount, S1, S8};
use tribunal_ir::{
    Family, InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Opcode, OpcodeInfo, Operand, OperandKind,
    Position, Type, VReg,
};

/// Bits of elements.
const ELEMENT_BITS: [u32; 3] = [8, 16, 32];

/// The types of an operation on vectors of so many elements: the first of some choices that the row takes.
pub fn vector_types(info: &OpcodeInfo, element: Type, lanes: u16, pointer: Type) -> Option<IndexTypes> {
    let vector = |element: Type| element.times(ElementCount::fixed(lanes));
    let (same, word) = (vector(element)?, Type::scalar(pointer.bits()));
    let resized = |bits: u32| vector(Type::scalar(bits));
    let (truth, pointers, words) = (vector(S1)?, vector(pointer)?, vector(word)?);
    let is_condition = info.poison.contains(Poison::CONDITION) || info.family == Family::Overflow;
    let choices = match info.family {
        Family::Comparison => vec![(truth, same)],
        _ if is_condition => vec![(same, truth)],
        _ => vec![
            (same, same),
            (same, resized(element.bits() / 2)?),
            (same, resized(element.bits() * 2)?),
            (pointers, words),
            (words, pointers),
            (element, same),
        ],
    };
    let has = |index: usize| info.operands().any(|kind| kind.type_index() == Some(index));
    let types = choices.into_iter().map(|(first, second)| [Some(first), has(1).then_some(second), None]);
    types.into_iter().find(|types| info.takes(types) && types.iter().flatten().any(|ty| ty.is_vector()))
}

impl Generator<'_, '_, '_> {
    /// An operation on vectors of a few elements, or a store and a load of one.
    pub(super) fn on_vectors(&mut self, opcode: Opcode) -> Result<()> {
        // Every lane is code of its own, and a third one shows what two do.
        let lanes = if self.u.ratio(1, 8)? { 3 } else { 2 };
        let element = Type::scalar(*self.u.choose(&ELEMENT_BITS)?);
        let Some(info) = opcode.info() else { return self.expression() };
        if info.accesses.is_some() {
            return self.vector_in_memory(element);
        }
        if opcode.is_phi() {
            return self.vector_of_two_ways(element);
        }
        if info.family == Family::Vector {
            let entry = self.by_vector_opcode(opcode, element, lanes)?;
            self.show_vector(entry);
            return Ok(());
        }
        if info.family == Family::Assertion {
            let vector = self.built(element, lanes)?;
            let promised = self.promise_by(opcode, vector)?;
            self.show_vector(promised);
            return Ok(());
        }
        match vector_types(info, element, lanes, self.pointer_type()) {
            Some(types) => self.on_types(opcode, info, &types),
            None => self.expression(),
        }
    }

    /// The operation on operands of these types, vectors or not; all results are shown.
    pub(super) fn on_types(&mut self, opcode: Opcode, info: &OpcodeInfo, types: &IndexTypes) -> Result<()> {
        let harmless = Poison::AMOUNT | Poison::CONDITION;
        let flags = self.vector_flags(opcode)?;
        let mut deterministic = flags.is_empty()
            && harmless.contains(info.poison)
            && ![Opcode::G_ANYEXT, Opcode::G_IMPLICIT_DEF].contains(&opcode);
        let mut operands = Vec::new();
        for (index, kind) in info.operands().enumerate().skip(info.defs.len()) {
            let operand = match (kind, kind.type_index().and_then(|index| types[index])) {
                (OperandKind::PRED, _) => Operand::Predicate(*self.u.choose(&IntPredicate::ALL)?),
                (_, Some(ty)) => {
                    let entry = self.vector_operand(info, index, ty)?;
                    deterministic &= entry.deterministic;
                    Operand::used(entry.register)
                }
                _ => {
                    let range = info.immediate_at(index).and_then(|immediate| immediate.range(types));
                    Operand::Imm(self.u.int_in_range(range.unwrap_or(1..=1))?)
                }
            };
            operands.push(operand);
        }
        let results: Vec<(VReg, Type)> = info
            .defs
            .iter()
            .filter_map(|kind| types[kind.type_index()?])
            .map(|ty| (self.builder.function.new_vreg(ty), ty))
            .collect();
        let defs = results.iter().map(|&(register, _)| Operand::def(register));
        self.builder.push(InstData { flags, ..InstData::new(opcode, defs.chain(operands)) });
        for (register, ty) in results {
            self.show_vector(Entry { register, ty, deterministic });
        }
        Ok(())
    }

    /// Promises about every lane: at every other visit of the walk one of those that the opcode knows, else those of
    /// the program's mix.
    fn vector_flags(&mut self, opcode: Opcode) -> Result<InstFlags> {
        let known: Vec<InstFlags> = edit::flags_of(opcode).iter().collect();
        match self.visit {
            Some(visit) if visit.is_multiple_of(2) && !known.is_empty() => Ok(known[visit as usize / 2 % known.len()]),
            _ => self.flags(opcode),
        }
    }

    /// The operand at `index`: amounts below the width, divisors that divide, anything else.
    fn vector_operand(&mut self, info: &OpcodeInfo, index: usize, ty: Type) -> Result<Entry> {
        let (element, last) = (ty.scalar_type(), index + 1 == info.operands().count());
        let lanes = ty.element_count().map_or(1, |count| count.lanes);
        let (mut sources, mut deterministic) = (Vec::new(), true);
        for lane in 0..lanes {
            let entry = match element.is_pointer() {
                // One lane has a value of the program: what is before an operation is no matter here.
                false if lane > 0 && info.undefined.is_empty() && !info.poison.contains(Poison::AMOUNT) => {
                    let constant = self.constant_value(element.bits())?;
                    Entry { register: self.builder.constant(element, constant), ty: element, deterministic: true }
                }
                true => {
                    let number = self.value(Type::scalar(element.bits()), false)?;
                    Entry { register: self.builder.op(element, Opcode::G_INTTOPTR, &[number.register]), ..number }
                }
                false if last && info.poison.contains(Poison::AMOUNT) => {
                    let amount = self.u.int_in_range(0..=i64::from(element.bits()) - 1)?;
                    let register = self.builder.constant_i64(element, amount);
                    Entry { register, ty: element, deterministic: true }
                }
                false if last && !info.undefined.is_empty() => {
                    Entry { register: self.constant_divisor(element)?, ty: element, deterministic: true }
                }
                // A divisor of every value, and a dividend that is no choice.
                false => self.value(element, !info.undefined.is_empty())?,
            };
            sources.push(entry.register);
            deterministic &= entry.deterministic;
        }
        let register = match ty.is_vector() {
            true => self.builder.op(ty, Opcode::G_BUILD_VECTOR, &sources),
            false => sources[0],
        };
        Ok(Entry { register, ty, deterministic })
    }

    /// One of two vectors, by the way that was taken.
    fn vector_of_two_ways(&mut self, element: Type) -> Result<()> {
        let Some(ty) = element.times(ElementCount::fixed(2)) else { return self.expression() };
        let mut sources = Vec::new();
        for _ in 0..3 {
            sources.push(self.value(element, true)?.register);
        }
        let condition = self.condition()?;
        let before = self.builder.op(ty, Opcode::G_BUILD_VECTOR, &sources[..2]);
        let head = self.current();
        let (then, join) = (self.new_block(), self.new_block());
        self.branch_on(condition, then, join);
        self.builder.position = Position::AtEnd(then);
        let changed = self.builder.op(ty, Opcode::G_BUILD_VECTOR, &sources[1..]);
        self.jump(join);
        self.builder.position = Position::AtEnd(join);
        let register = self.phi(ty, &[(changed, then), (before, head)]);
        self.show_vector(Entry { register, ty, deterministic: true });
        Ok(())
    }

    /// A vector written to memory and read again.
    fn vector_in_memory(&mut self, element: Type) -> Result<()> {
        let place = *self.u.choose(&self.pointers)?;
        let lanes = *self.u.choose(&[2, 4])?;
        let Some(ty) = element.times(ElementCount::fixed(lanes)).filter(|ty| ty.bytes() <= place.bytes) else {
            return self.expression();
        };
        let mut sources = Vec::new();
        for _ in 0..lanes {
            sources.push(self.value(element, true)?.register);
        }
        let value = self.builder.op(ty, Opcode::G_BUILD_VECTOR, &sources);
        let (address, align) = self.address(place, ty.bytes())?;
        self.builder.store(value, address, MemOperand::new(MemFlags::STORE, ty, align));
        let register = self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, align));
        self.show_vector(Entry { register, ty, deterministic: true });
        Ok(())
    }

    /// All bits of a vector, or a scalar, as a number in scope.
    pub(super) fn show_vector(&mut self, entry: Entry) {
        let number = self.vector_as_number(entry);
        self.show(number);
    }

    /// All bits of a vector as a number; a scalar as it is.
    pub(super) fn vector_as_number(&mut self, entry: Entry) -> Entry {
        let Some(count) = entry.ty.element_count() else { return entry };
        let element = entry.ty.scalar_type();
        let (wider, opcode) = match element.is_pointer() {
            true => (Type::scalar(element.bits()), Opcode::G_PTRTOINT),
            false if element.bits() < S8.bits() => (S8, Opcode::G_ZEXT),
            false => (element, Opcode::COPY),
        };
        let register = match wider.times(count).filter(|_| opcode != Opcode::COPY) {
            Some(ty) => self.builder.op(ty, opcode, &[entry.register]),
            None => entry.register,
        };
        let ty = Type::scalar(wider.bits() * u32::from(count.lanes));
        let register = self.builder.op(ty, Opcode::G_BITCAST, &[register]);
        Entry { register, ty, ..entry }
    }
}
