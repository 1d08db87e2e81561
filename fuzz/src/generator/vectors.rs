//! Vectors: some values put together, changed by operations on vectors, and taken apart again. No vector stays in
//! scope, so whatever a program does with the results is done with scalars.

use super::{Entry, Generator};
use crate::opcodes;
use arbitrary::Result;
use tribunal_ir::types::{ElementCount, S1};
use tribunal_ir::{Family, IntPredicate, Opcode, Operand, Type, VReg};

/// The widest vector, in bits.
const WIDEST: u32 = 128;

impl Generator<'_, '_, '_> {
    /// A vector of elements of `ty`, or of bytes if that is too wide, changed a few times; a value of it.
    pub(super) fn vector(&mut self, ty: Type) -> Result<Entry> {
        let element = if ty.bits() * 2 <= WIDEST { ty } else { Type::scalar(8) };
        let most = (WIDEST / element.bits()).min(8);
        let lanes = self.u.int_in_range(2..=most)? as u16;
        let mut vector = self.built(element, lanes)?;
        for _ in 0..self.u.int_in_range(1..=3)? {
            vector = self.changed(vector, element)?;
        }
        self.taken_from(vector, element)
    }

    /// An operation that makes, changes or reads a vector, on one of so many elements.
    pub(super) fn by_vector_opcode(&mut self, opcode: Opcode, element: Type, lanes: u16) -> Result<Entry> {
        let is_cut = opcode == Opcode::G_BUILD_VECTOR_TRUNC;
        // There must be halves to exchange.
        let lanes = if opcode == Opcode::G_CONCAT_VECTORS { 4 } else { lanes };
        let vector = self.built_of(element, lanes, is_cut)?;
        match opcode {
            Opcode::G_CONCAT_VECTORS => Ok(self.with_halves_exchanged(vector, element)),
            Opcode::G_SHUFFLE_VECTOR => self.shuffled_with_another(vector, element),
            Opcode::G_INSERT_VECTOR_ELT => self.with_another_element(vector, element),
            Opcode::G_EXTRACT_VECTOR_ELT => self.element_of(vector, element),
            _ => Ok(vector),
        }
    }

    /// A vector of values of `element`, or of wider ones cut to it.
    pub(super) fn built(&mut self, element: Type, lanes: u16) -> Result<Entry> {
        let is_cut = self.u.ratio(1, 4)?;
        self.built_of(element, lanes, is_cut)
    }

    fn built_of(&mut self, element: Type, lanes: u16, cut: bool) -> Result<Entry> {
        let Some(ty) = element.times(ElementCount::fixed(lanes)) else { return self.value(element, false) };
        let (mut sources, mut deterministic) = (Vec::new(), true);
        let source = if cut { Type::scalar(2 * element.bits()) } else { element };
        for _ in 0..lanes {
            let value = self.value(source, false)?;
            sources.push(value.register);
            deterministic &= value.deterministic;
        }
        let opcode = if cut { Opcode::G_BUILD_VECTOR_TRUNC } else { Opcode::G_BUILD_VECTOR };
        Ok(Entry { register: self.builder.op(ty, opcode, &sources), ty, deterministic })
    }

    /// An operation on each element, a comparison and a choice, other elements, its halves exchanged, a promise about
    /// each element, or one other element.
    fn changed(&mut self, vector: Entry, element: Type) -> Result<Entry> {
        let Entry { register, ty, deterministic } = vector;
        let lanes = lanes_of(vector);
        match self.u.int_in_range(0..=6)? {
            5 if lanes >= 4 && lanes.is_multiple_of(2) => Ok(self.with_halves_exchanged(vector, element)),
            6 if element.bits() > 1 => self.promise(vector),
            0..=1 => {
                let opcode = *self.u.choose(&opcodes::PLAIN)?;
                let (other, flags) = (self.built(element, lanes)?, self.flags(opcode)?);
                let result = self.builder.op_with(ty, opcode, &[register, other.register], flags);
                let deterministic = deterministic && other.deterministic && flags.is_empty();
                Ok(Entry { register: result, ty, deterministic })
            }
            2 => {
                let (other, predicate) = (self.built(element, lanes)?, *self.u.choose(&IntPredicate::ALL)?);
                let conditions = S1.times(ElementCount::fixed(lanes)).unwrap_or(S1);
                let sources = [Operand::Predicate(predicate), Operand::used(register), Operand::used(other.register)];
                let chosen = self.builder.build(conditions, Opcode::G_ICMP, sources);
                let result = self.builder.op(ty, Opcode::G_SELECT, &[chosen, register, other.register]);
                Ok(Entry { register: result, ty, deterministic: deterministic && other.deterministic })
            }
            3 => self.shuffled_with_another(vector, element),
            _ => self.with_another_element(vector, element),
        }
    }

    fn with_halves_exchanged(&mut self, vector: Entry, element: Type) -> Entry {
        let Some(half) = element.times(ElementCount::fixed(lanes_of(vector) / 2)) else { return vector };
        let halves: Vec<VReg> = self.builder.unmerge(half, vector.register).into_iter().rev().collect();
        Entry { register: self.builder.op(vector.ty, Opcode::G_CONCAT_VECTORS, &halves), ..vector }
    }

    fn shuffled_with_another(&mut self, vector: Entry, element: Type) -> Result<Entry> {
        let lanes = lanes_of(vector);
        let other = self.built(element, lanes)?;
        let register = self.shuffled([vector.register, other.register], vector.ty, lanes.into())?;
        Ok(Entry { register, ty: vector.ty, deterministic: vector.deterministic && other.deterministic })
    }

    fn with_another_element(&mut self, vector: Entry, element: Type) -> Result<Entry> {
        let (value, index) = (self.value(element, false)?, self.index(lanes_of(vector).into())?);
        let sources = [vector.register, value.register, index.register];
        let register = self.builder.op(vector.ty, Opcode::G_INSERT_VECTOR_ELT, &sources);
        let deterministic = [vector, value, index].iter().all(|entry| entry.deterministic);
        Ok(Entry { register, ty: vector.ty, deterministic })
    }

    fn element_of(&mut self, vector: Entry, element: Type) -> Result<Entry> {
        let index = self.index(lanes_of(vector).into())?;
        let sources = [vector.register, index.register];
        let register = self.builder.op(element, Opcode::G_EXTRACT_VECTOR_ELT, &sources);
        Ok(Entry { register, ty: element, deterministic: vector.deterministic && index.deterministic })
    }

    /// Elements of both vectors, or of the first and then the second put together.
    fn shuffled(&mut self, vectors: [VReg; 2], ty: Type, lanes: u32) -> Result<VReg> {
        let whole = ty.scalar_type().times(ElementCount::fixed(2 * lanes as u16));
        let mut mask = Vec::new();
        for _ in 0..lanes {
            mask.push(Some(self.u.int_in_range(0..=2 * lanes - 1)?));
        }
        let (sources, mask) = match whole.filter(|whole| whole.bits() <= WIDEST) {
            Some(whole) if self.u.arbitrary()? => {
                let both = self.builder.op(whole, Opcode::G_CONCAT_VECTORS, &vectors);
                ([both, both], mask)
            }
            _ => (vectors, mask),
        };
        let mask = Operand::ShuffleMask(self.builder.function.shuffle_masks.intern(&mask));
        let operands = sources.map(Operand::used).into_iter().chain([mask]);
        Ok(self.builder.build(ty, Opcode::G_SHUFFLE_VECTOR, operands))
    }

    /// An index below `lanes`: a constant, or a value cut to the power of two below. A constant may be just behind,
    /// where the result is poison.
    fn index(&mut self, lanes: u32) -> Result<Entry> {
        let ty = Type::scalar(self.pointer_type().bits());
        if self.u.arbitrary()? {
            let is_behind = self.u.ratio(1, 8)?;
            let index = if is_behind { lanes } else { self.u.int_in_range(0..=lanes - 1)? };
            let register = self.builder.constant_i64(ty, index.into());
            return Ok(Entry { register, ty, deterministic: !is_behind });
        }
        let index = self.value(ty, false)?;
        Ok(Entry { register: self.amount_below(index, lanes), ..index })
    }

    /// One element, all of them taken together by an operation, or the bits as a number.
    fn taken_from(&mut self, vector: Entry, element: Type) -> Result<Entry> {
        let Entry { register, ty, deterministic } = vector;
        match self.u.int_in_range(0..=2)? {
            0 => self.element_of(vector, element),
            1 => {
                let integers = Family::Reduction.opcodes().iter().copied().filter(|opcode| !opcode.is_float());
                let opcode = *self.u.choose(&integers.collect::<Vec<Opcode>>())?;
                Ok(Entry { register: self.builder.op(element, opcode, &[register]), ty: element, deterministic })
            }
            _ => {
                let ty = Type::scalar(ty.bits());
                Ok(Entry { register: self.builder.op(ty, Opcode::G_BITCAST, &[register]), ty, deterministic })
            }
        }
    }
}

fn lanes_of(vector: Entry) -> u16 {
    vector.ty.element_count().map_or(1, |count| count.lanes)
}
