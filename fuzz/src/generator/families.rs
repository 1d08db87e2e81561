//! Families of operations beyond the plain ones: two results, saturation, high products, counts, parts of values.

use super::expressions::overflows;
use super::{Entry, Generator};
use crate::{edit, opcodes};
use arbitrary::Result;
use tribunal_ir::opcode::Poison;
use tribunal_ir::types::S1;
use tribunal_ir::{Family, InstData, InstFlags, Opcode, Operand, Type, VReg};

impl Generator<'_, '_, '_> {
    /// One operation of any family.
    pub(super) fn family(&mut self, ty: Type) -> Result<Entry> {
        match self.u.int_in_range(0..=11)? {
            0..=1 => self.other(ty),
            2 => self.overflow(ty),
            3 => self.carry(ty),
            4 => self.fixed_point(ty),
            5 => self.count(ty),
            6 => self.rotation(ty),
            7 => self.three_way(ty),
            8 => self.part(ty),
            9 => self.field(ty),
            10 => self.vector(ty),
            _ => self.both_divisions(ty),
        }
    }

    /// An operation that needs only its row to be drawn: operands of the types that it takes, immediates in their
    /// ranges.
    fn other(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(&opcodes::OTHERS)?;
        let Some(info) = opcode.info() else { return self.overflow(ty) };
        let types = [Some(ty), Some(ty), None];
        if !info.takes(&types) {
            return self.overflow(ty);
        }
        let (mut operands, mut deterministic) = (Vec::new(), info.poison.is_empty());
        for (index, kind) in info.operands().enumerate().skip(info.defs.len()) {
            match info.immediate_at(index).and_then(|immediate| immediate.range(&types)) {
                Some(range) => operands.push(Operand::Imm(self.u.int_in_range(range)?)),
                None if kind.type_index().is_some() => {
                    let value = self.value(ty, false)?;
                    operands.push(Operand::used(value.register));
                    deterministic &= value.deterministic;
                }
                None => {}
            }
        }
        let results: Vec<VReg> = info.defs.iter().map(|_| self.builder.function.new_vreg(ty)).collect();
        let defs = results.iter().copied().map(Operand::def);
        self.builder.push(InstData::new(opcode, defs.chain(operands)));
        let entries = results.into_iter().map(|register| Entry { register, ty, deterministic });
        let Some(first) = entries.clone().next() else { return self.overflow(ty) };
        self.scope.extend(entries.skip(1));
        Ok(first)
    }

    /// Defines two results, of which the second joins the scope here.
    fn two(&mut self, opcode: Opcode, types: [Type; 2], sources: &[VReg], deterministic: bool) -> Entry {
        let results = types.map(|ty| self.builder.function.new_vreg(ty));
        let defs = results.into_iter().map(Operand::def);
        self.builder.push(InstData::new(opcode, defs.chain(sources.iter().copied().map(Operand::used))));
        self.scope.push(Entry { register: results[1], ty: types[1], deterministic });
        Entry { register: results[0], ty: types[0], deterministic }
    }

    fn overflow(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::Overflow.opcodes())?;
        let (left, right) = (self.value(ty, false)?, self.value(ty, false)?);
        Ok(self.two(opcode, [ty, S1], &[left.register, right.register], left.deterministic && right.deterministic))
    }

    fn carry(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::Carry.opcodes())?;
        let (left, right, carry) = (self.value(ty, false)?, self.value(ty, false)?, self.value(S1, false)?);
        let deterministic = left.deterministic && right.deterministic && carry.deterministic;
        Ok(self.two(opcode, [ty, S1], &[left.register, right.register, carry.register], deterministic))
    }

    fn both_divisions(&mut self, ty: Type) -> Result<Entry> {
        if !(2..=self.widest_division().bits()).contains(&ty.bits()) {
            return self.overflow(ty);
        }
        let opcode = *self.u.choose(Family::DivisionRemainder.opcodes())?;
        let operands = self.safe_division(ty, overflows(opcode))?;
        Ok(self.two(opcode, [ty, ty], &operands, true))
    }

    fn fixed_point(&mut self, ty: Type) -> Result<Entry> {
        let signed: bool = self.u.arbitrary()?;
        let opcode = *self.u.choose(edit::siblings(if signed { Opcode::G_SMULFIX } else { Opcode::G_UMULFIX }))?;
        let scale = self.u.int_in_range(0..=ty.bits() - u32::from(signed))?;
        let (left, right) = (self.value(ty, false)?, self.value(ty, false)?);
        let operands = [Operand::used(left.register), Operand::used(right.register), Operand::Imm(scale.into())];
        let register = self.builder.build(ty, opcode, operands);
        Ok(Entry { register, ty, deterministic: left.deterministic && right.deterministic })
    }

    /// Zeros of a value, counted in a type that holds the count.
    fn count(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::ZeroCount.opcodes())?;
        let count = self.count_type(ty)?;
        let source = self.value(ty, false)?;
        let deterministic = source.deterministic && opcode.info().is_some_and(|info| info.poison.is_empty());
        Ok(Entry { register: self.builder.op(count, opcode, &[source.register]), ty: count, deterministic })
    }

    fn rotation(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(&opcodes::ROTATIONS)?;
        let (value, amount) = (self.value(ty, false)?, self.value(ty, false)?);
        let bounded = opcode.info().is_some_and(|info| info.poison.contains(Poison::AMOUNT));
        let amount = match bounded {
            true => Entry { register: self.amount_below(amount, ty.bits()), ..amount },
            false => amount,
        };
        let register = self.builder.op_with(ty, opcode, &[value.register, amount.register], InstFlags::empty());
        Ok(Entry { register, ty, deterministic: value.deterministic && amount.deterministic })
    }

    fn three_way(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::ThreeWay.opcodes())?;
        let (left, right) = (self.value(ty, false)?, self.value(ty, false)?);
        let result = Type::scalar(*self.u.choose(&[2, 8, 32, 64])?);
        let register = self.builder.op(result, opcode, &[left.register, right.register]);
        Ok(Entry { register, ty: result, deterministic: left.deterministic && right.deterministic })
    }

    /// Part of a value taken out, or put in its place; bits reversed.
    fn part(&mut self, ty: Type) -> Result<Entry> {
        let whole = self.value(ty, false)?;
        if ty.bits() < 2 || self.u.ratio(1, 3)? {
            let register = self.builder.op(ty, Opcode::G_BITREVERSE, &[whole.register]);
            return Ok(Entry { register, ..whole });
        }
        if self.u.arbitrary()? {
            return self.taken_out(whole);
        }
        let (bits, offset) = self.place(ty)?;
        let part = self.value(Type::scalar(bits), false)?;
        let (whole, part) = (self.maybe_pointer(whole)?, self.maybe_pointer(part)?);
        let operands = [Operand::used(whole.register), Operand::used(part.register), offset];
        let register = self.builder.build(whole.ty, Opcode::G_INSERT, operands);
        let deterministic = whole.deterministic && part.deterministic;
        Ok(self.number_of(Entry { register, ty: whole.ty, deterministic }))
    }

    /// A value as wide as a pointer as one, now and then.
    fn maybe_pointer(&mut self, value: Entry) -> Result<Entry> {
        let ty = self.pointer_type();
        if value.ty.bits() != ty.bits() || !self.u.ratio(1, 4)? {
            return Ok(value);
        }
        Ok(Entry { register: self.builder.op(ty, Opcode::G_INTTOPTR, &[value.register]), ty, ..value })
    }

    /// The bits of a pointer as a number.
    fn number_of(&mut self, value: Entry) -> Entry {
        if value.ty.is_pointer() { self.as_number(value) } else { value }
    }

    /// Some bits of a value of at least two bits.
    pub(super) fn taken_out(&mut self, whole: Entry) -> Result<Entry> {
        let (bits, offset) = self.place(whole.ty)?;
        let (whole, pointer) = (self.maybe_pointer(whole)?, self.pointer_type());
        let ty = if bits == pointer.bits() && self.u.arbitrary()? { pointer } else { Type::scalar(bits) };
        let register = self.builder.build(ty, Opcode::G_EXTRACT, [Operand::used(whole.register), offset]);
        Ok(self.number_of(Entry { register, ty, deterministic: whole.deterministic }))
    }

    /// The number of bits, not all, of a type of at least two, and the lowest of them.
    fn place(&mut self, ty: Type) -> Result<(u32, Operand)> {
        let bits = self.u.int_in_range(1..=ty.bits() - 1)?;
        Ok((bits, Operand::Imm(self.u.int_in_range(0..=ty.bits() - bits)?.into())))
    }

    /// A bit field at a constant place.
    fn field(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::BitField.opcodes())?;
        let offset = self.u.int_in_range(0..=ty.bits() - 1)?;
        let size = self.u.int_in_range(1..=ty.bits() - offset)?;
        let source = self.value(ty, false)?;
        let constant =
            |this: &mut Self, value: u32| this.builder.constant(ty, tribunal_ir::Bits::new(value.into(), ty.bits()));
        // A size equal to the width of one or two bits does not fit the type of that width.
        if ty.bits() < 3 {
            return Ok(source);
        }
        let (offset, size) = (constant(self, offset), constant(self, size));
        let register = self.builder.op(ty, opcode, &[source.register, offset, size]);
        Ok(Entry { register, ty, deterministic: source.deterministic })
    }
}
