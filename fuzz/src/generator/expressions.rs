//! Straight-line operations of generated programs: arithmetic, conversions, and operations that leave bits
//! unconstrained.

use super::{Entry, Generator};
use crate::{edit, opcodes};
use arbitrary::Result;
use tribunal_ir::opcode::Undefined;
use tribunal_ir::types::{S1, S8};
use tribunal_ir::{Bits, Family, InstFlags, Opcode, Operand, Type, VReg};

impl Generator<'_, '_, '_> {
    /// One operation; its result joins the scope.
    pub(super) fn expression(&mut self) -> Result<()> {
        if self.u.ratio(1, 5)?
            && let Some(entry) = self.directed()?
        {
            self.scope.push(entry);
            return Ok(());
        }
        if self.policy.strict && self.u.ratio(1, 4)? {
            return self.rounding();
        }
        if self.policy.floats
            && self.u.ratio(1, 2)?
            && let Some(entry) = self.on_numbers()?
        {
            self.scope.push(entry);
            return Ok(());
        }
        let ty = self.scalar()?;
        let entry = match self.u.int_in_range(0..=19)? {
            0..=4 => self.binary(ty)?,
            5..=6 => self.shift(ty)?,
            7 => self.division(ty)?,
            8 => self.comparison(ty)?,
            9 => self.selection(ty)?,
            10 => self.conversion(ty)?,
            11 => self.bit_operation(ty)?,
            12 => self.funnel(ty)?,
            13 => self.in_register(ty)?,
            14 => self.composition(ty)?,
            15..=18 if self.policy.families => self.family(ty)?,
            15..=18 => self.binary(ty)?,
            _ => self.maybe_poison(ty)?,
        };
        self.scope.push(entry);
        Ok(())
    }

    fn binary(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(&opcodes::PLAIN)?;
        let (mut left, mut right) = (self.value(ty, false)?, self.right_value(ty, false)?);
        if self.u.ratio(1, 8)? {
            std::mem::swap(&mut left, &mut right);
        }
        let flags = self.flags(opcode)?;
        let register = self.builder.op_with(ty, opcode, &[left.register, right.register], flags);
        Ok(Entry { register, ty, deterministic: left.deterministic && right.deterministic && flags.is_empty() })
    }

    fn shift(&mut self, ty: Type) -> Result<Entry> {
        let opcode = *self.u.choose(Family::Shift.opcodes())?;
        let value = self.value(ty, false)?;
        if self.u.arbitrary()? {
            let amount_ty = if ty.bits() > 8 && self.u.arbitrary()? { ty } else { self.register_type() };
            let amount = self.u.int_in_range(0..=i64::from(ty.bits()) - 1)?;
            let amount = self.builder.constant_i64(amount_ty, amount);
            let register = self.builder.op(ty, opcode, &[value.register, amount]);
            return Ok(Entry { register, ty, deterministic: value.deterministic });
        }
        let masked = self.u.ratio(7, 8)?;
        let amount_ty = match self.u.int_in_range(0..=15)? {
            // At the border between amounts that are cut and those that are extended.
            0 if ty.bits() < 128 => Type::scalar(ty.bits() + 1),
            1..=3 => self.scalar()?,
            _ => ty,
        };
        let amount = self.right_value(amount_ty, masked)?;
        let in_range = if masked { self.amount_below(amount, ty.bits()) } else { amount.register };
        let flags = if masked { InstFlags::empty() } else { self.flags(opcode)? };
        let register = self.builder.op_with(ty, opcode, &[value.register, in_range], flags);
        Ok(Entry { register, ty, deterministic: masked && value.deterministic && amount.deterministic })
    }

    /// `amount` masked below the greatest power of two that is at most `width`.
    pub(super) fn amount_below(&mut self, amount: Entry, width: u32) -> VReg {
        let mask = Bits::new(u128::from((1u32 << width.ilog2()) - 1), 32);
        let mask = self.builder.constant(amount.ty, mask);
        self.builder.op(amount.ty, Opcode::G_AND, &[amount.register, mask])
    }

    fn division(&mut self, ty: Type) -> Result<Entry> {
        if !(2..=self.widest_division().bits()).contains(&ty.bits()) {
            return self.binary(ty);
        }
        let opcode = *self.u.choose(Family::Division.opcodes())?;
        let operands = self.safe_division(ty, overflows(opcode))?;
        let register = self.builder.op(ty, opcode, &operands);
        Ok(Entry { register, ty, deterministic: true })
    }

    /// A dividend and a divisor whose quotient is defined.
    pub(super) fn safe_division(&mut self, ty: Type, signed: bool) -> Result<[VReg; 2]> {
        let dividend = self.value(ty, true)?;
        if self.u.ratio(1, 4)? {
            return Ok([dividend.register, self.constant_divisor(ty)?]);
        }
        let divisor = self.value(ty, true)?;
        let one = self.builder.constant_i64(ty, 1);
        let odd = self.builder.op(ty, Opcode::G_OR, &[divisor.register, one]);
        // Half the range of the dividend leaves out the least value, whose quotient by -1 overflows.
        let halved = match signed {
            true => self.builder.op(ty, Opcode::G_ASHR, &[dividend.register, one]),
            false => dividend.register,
        };
        Ok([halved, odd])
    }

    /// Neither zero nor minus one.
    pub(super) fn constant_divisor(&mut self, ty: Type) -> Result<VReg> {
        let constant = self.constant_value(ty.bits())?;
        let is_safe = !constant.is_zero() && constant != Bits::ones(ty.bits());
        let divisor = if is_safe { constant } else { Bits::new(1, ty.bits()) };
        Ok(self.builder.constant(ty, divisor))
    }

    fn comparison(&mut self, ty: Type) -> Result<Entry> {
        let predicate = *self.u.choose(&tribunal_ir::IntPredicate::ALL)?;
        let (left, right) = (self.value(ty, false)?, self.right_value(ty, false)?);
        let register = self.builder.icmp(predicate, left.register, right.register);
        Ok(Entry { register, ty: S1, deterministic: left.deterministic && right.deterministic })
    }

    fn selection(&mut self, ty: Type) -> Result<Entry> {
        let condition = self.condition()?;
        let (left, right) = (self.value(ty, false)?, self.value(ty, false)?);
        let register = self.builder.select(condition, left.register, right.register);
        Ok(Entry { register, ty, deterministic: left.deterministic && right.deterministic })
    }

    fn conversion(&mut self, ty: Type) -> Result<Entry> {
        let from = self.scalar()?;
        let source = self.value(from, false)?;
        let signed = self.u.arbitrary()?;
        Ok(Entry { register: self.converted(source, ty, signed), ty, deterministic: source.deterministic })
    }

    fn bit_operation(&mut self, ty: Type) -> Result<Entry> {
        let swappable = ty.bits().is_multiple_of(16);
        let opcode = *self.u.choose(&[Opcode::G_CTPOP, Opcode::G_ABS, Opcode::G_BSWAP])?;
        let opcode = if opcode == Opcode::G_BSWAP && !swappable { Opcode::G_CTPOP } else { opcode };
        // Real code mostly counts narrow values, and a count of N bits needs log2(N) + 1 bits to be right.
        let opcode = if opcode == Opcode::G_CTPOP && ty.bits() < 3 { Opcode::G_ABS } else { opcode };
        let source = self.value(ty, false)?;
        let result = if opcode == Opcode::G_CTPOP { self.count_type(ty)? } else { ty };
        Ok(Entry {
            register: self.builder.op(result, opcode, &[source.register]),
            ty: result,
            deterministic: source.deterministic,
        })
    }

    /// A type that can hold the number of bits of a `ty`: mostly `ty` itself, if it can.
    pub(super) fn count_type(&mut self, ty: Type) -> Result<Type> {
        let least = ty.bits().ilog2() + 1;
        let drawn = if self.u.ratio(1, 4)? { self.scalar()? } else { ty };
        Ok([drawn, ty].into_iter().find(|ty| ty.bits() >= least).unwrap_or(S8))
    }

    fn funnel(&mut self, ty: Type) -> Result<Entry> {
        let opcode = if self.u.arbitrary()? { Opcode::G_FSHL } else { Opcode::G_FSHR };
        let (high, low) = (self.value(ty, false)?, self.value(ty, false)?);
        let amount = self.value(ty, false)?;
        let register = self.builder.op(ty, opcode, &[high.register, low.register, amount.register]);
        Ok(Entry { register, ty, deterministic: high.deterministic && low.deterministic && amount.deterministic })
    }

    fn in_register(&mut self, ty: Type) -> Result<Entry> {
        if ty.bits() < 2 {
            return self.binary(ty);
        }
        let usual: Vec<u32> = [8, 16, 32, 64].into_iter().filter(|&bits| bits < ty.bits()).collect();
        let is_usual = !usual.is_empty() && self.u.arbitrary()?;
        let bits = if is_usual { *self.u.choose(&usual)? } else { self.u.int_in_range(1..=ty.bits() - 1)? };
        // The target may compute the narrow part of a result directly if nothing else reads it.
        let source = match self.u.int_in_range(0..=5)? {
            0..=1 => self.shift(ty)?,
            2 => self.binary(ty)?,
            _ => self.value(ty, false)?,
        };
        let operands = [Operand::used(source.register), Operand::Imm(i64::from(bits))];
        let register = self.builder.build(ty, Opcode::G_SEXT_INREG, operands);
        Ok(Entry { register, ty, deterministic: source.deterministic })
    }

    /// Two halves merged, or one half of a value taken.
    fn composition(&mut self, ty: Type) -> Result<Entry> {
        let bits = ty.bits();
        if self.u.arbitrary()? && bits <= 64 {
            let (low, high) = (self.value(ty, false)?, self.value(ty, false)?);
            let wide = Type::scalar(bits * 2);
            let register = self.builder.op(wide, Opcode::G_MERGE_VALUES, &[low.register, high.register]);
            return Ok(Entry { register, ty: wide, deterministic: low.deterministic && high.deterministic });
        }
        if bits.is_multiple_of(4) && self.u.ratio(1, 3)? {
            return self.parts(ty);
        }
        if !bits.is_multiple_of(2) {
            return self.conversion(ty);
        }
        let half = Type::scalar(bits / 2);
        // The upper half of an extension is known: zeros, or a sign.
        let source = if self.u.ratio(1, 3)? {
            let low = self.value(half, false)?;
            let signed = self.u.arbitrary()?;
            Entry { register: self.converted(low, ty, signed), ty, deterministic: low.deterministic }
        } else {
            self.value(ty, false)?
        };
        let parts = self.builder.unmerge(half, source.register);
        let (first, second) = (parts[0], parts[1]);
        self.scope.push(Entry { register: first, ty: half, deterministic: source.deterministic });
        Ok(Entry { register: second, ty: half, deterministic: source.deterministic })
    }

    /// Four parts of a value, or all of its bytes, put together in another order; perhaps bits of that, across their
    /// borders.
    fn parts(&mut self, ty: Type) -> Result<Entry> {
        let source = self.value(ty, false)?;
        let count = match ty.bits() {
            bits @ (64 | 128) if self.u.arbitrary()? => bits / 8,
            _ => 4,
        };
        let mut parts = self.builder.unmerge(Type::scalar(ty.bits() / count), source.register);
        let last = parts.len() - 1;
        let (one, other) = (self.u.int_in_range(0..=last)?, self.u.int_in_range(0..=last)?);
        parts.swap(one, other);
        let whole = Entry {
            register: self.builder.op(ty, Opcode::G_MERGE_VALUES, &parts),
            ty,
            deterministic: source.deterministic,
        };
        if self.u.ratio(1, 4)? { self.taken_out(whole) } else { Ok(whole) }
    }

    /// An operation with unconstrained bits: undefined high bits, an undefined value, a frozen one, a promise.
    fn maybe_poison(&mut self, ty: Type) -> Result<Entry> {
        let source = self.value(ty, false)?;
        let (register, ty) = match self.u.int_in_range(0..=4)? {
            0 if ty.bits() < 64 => {
                let wide = Type::scalar(self.u.int_in_range(ty.bits() + 1..=64)?);
                (self.builder.op(wide, Opcode::G_ANYEXT, &[source.register]), wide)
            }
            1 => (self.builder.build(ty, Opcode::G_IMPLICIT_DEF, []), ty),
            2 => (self.builder.op(ty, Opcode::G_CONSTANT_FOLD_BARRIER, &[source.register]), ty),
            3 if ty.bits() > 1 => return self.promise(source),
            _ => (self.builder.op(ty, Opcode::G_FREEZE, &[source.register]), ty),
        };
        Ok(Entry { register, ty, deterministic: false })
    }

    /// A value extended in place, or each element of a vector, then asserted to be so: the promise holds.
    pub(super) fn promise(&mut self, source: Entry) -> Result<Entry> {
        let assertion = *self.u.choose(Family::Assertion.opcodes())?;
        self.promise_by(assertion, source)
    }

    /// The same with this promise.
    pub(super) fn promise_by(&mut self, assertion: Opcode, source: Entry) -> Result<Entry> {
        let (ty, width) = (source.ty, source.ty.scalar_type().bits());
        let bits = self.u.int_in_range(1..=width - 1)?;
        let imm = Operand::Imm(i64::from(bits));
        let narrow = match assertion {
            Opcode::G_ASSERT_ALIGN => return self.aligned(source, bits.min(12)),
            Opcode::G_ASSERT_SEXT => {
                self.builder.build(ty, Opcode::G_SEXT_INREG, [Operand::used(source.register), imm])
            }
            _ => {
                let mask = self.everywhere(ty, Bits::ones(bits).zext_or_trunc(width));
                self.builder.op(ty, Opcode::G_AND, &[source.register, mask])
            }
        };
        let register = self.builder.build(ty, assertion, [Operand::used(narrow), imm]);
        Ok(Entry { register, ty, deterministic: source.deterministic })
    }

    /// A multiple of a power of two, asserted to be one.
    fn aligned(&mut self, source: Entry, bits: u32) -> Result<Entry> {
        let mask = Bits::ones(bits).zext_or_trunc(source.ty.scalar_type().bits()).not();
        let mask = self.everywhere(source.ty, mask);
        let masked = self.builder.op(source.ty, Opcode::G_AND, &[source.register, mask]);
        let operands = [Operand::used(masked), Operand::Imm(1 << bits)];
        Ok(Entry { register: self.builder.build(source.ty, Opcode::G_ASSERT_ALIGN, operands), ..source })
    }

    /// The constant, in each element of a vector.
    fn everywhere(&mut self, ty: Type, value: Bits) -> VReg {
        let element = self.builder.constant(ty.scalar_type(), value);
        match ty.element_count() {
            Some(count) => self.builder.op(ty, Opcode::G_BUILD_VECTOR, &vec![element; count.lanes.into()]),
            None => element,
        }
    }

    /// Poison flags that `opcode` may carry, by the policy's share.
    pub(super) fn flags(&mut self, opcode: Opcode) -> Result<InstFlags> {
        if self.policy.flags == 0 || !self.u.ratio(1, self.policy.flags)? {
            return Ok(InstFlags::empty());
        }
        let allowed = edit::flags_of(opcode);
        Ok(allowed & InstFlags::from_bits_truncate(self.u.arbitrary()?))
    }

    /// Small numbers, corners of the width, powers of two and their neighbours, encoding limits, anything.
    pub(super) fn constant_value(&mut self, bits: u32) -> Result<Bits> {
        Ok(match self.u.int_in_range(0..=6)? {
            6 => Bits::zero(bits),
            0 => Bits::from_i64(self.u.int_in_range(-8..=16)?, bits),
            1 => self.edge(bits)?,
            2 => {
                let less = Bits::new(self.u.int_in_range(0..=1)?, bits);
                Bits::one_bit(self.u.int_in_range(0..=bits - 1)?, bits).sub(less)
            }
            3 => Bits::signed_min(bits),
            4 => Bits::signed_min(bits).not(),
            _ => Bits::new(self.u.arbitrary()?, bits),
        })
    }
}

/// True for a division of which the least value by -1 is undefined.
pub(super) fn overflows(opcode: Opcode) -> bool {
    opcode.info().is_some_and(|info| info.undefined.contains(Undefined::QUOTIENT))
}
