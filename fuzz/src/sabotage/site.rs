//! A site: the instructions that one application of a rule wrote, and the ways to change them wrongly.

use tribunal_ir::{AddressData, Bits, Function, Inst, InstData, IntPredicate, Opcode, Operand};
use tribunal_target::Target;

/// One application of a rule. Every method that changes something returns `None` where it cannot.
pub struct Site<'s> {
    /// The function, with the rule's instructions in it.
    pub function: &'s mut Function,
    /// The instructions that were replaced, in execution order.
    pub before: &'s [InstData],
    /// The instructions that the rule wrote, in execution order.
    pub after: &'s mut Vec<Inst>,
    /// The machine that is compiled for.
    pub target: &'static Target,
}

impl Site<'_> {
    fn written<'a>(&'a self, opcode: Opcode) -> impl DoubleEndedIterator<Item = Inst> + 'a {
        self.after.iter().copied().filter(move |&inst| self.function.inst(inst).opcode == opcode)
    }

    /// The `index`-th instruction of `opcode` that the rule wrote.
    pub fn nth(&self, opcode: Opcode, index: usize) -> Option<Inst> {
        self.written(opcode).nth(index)
    }

    /// The first instruction of `opcode` that the rule wrote.
    pub fn first(&self, opcode: Opcode) -> Option<Inst> {
        self.nth(opcode, 0)
    }

    /// The last instruction of `opcode` that the rule wrote.
    pub fn last(&self, opcode: Opcode) -> Option<Inst> {
        self.written(opcode).next_back()
    }

    /// The target's opcode of this name.
    pub fn machine(&self, name: &str) -> Option<Opcode> {
        self.target.vocabulary.opcode(name).map(Opcode::Target)
    }

    /// `inst` becomes `opcode`, on the same operands.
    pub fn becomes(&mut self, inst: Inst, opcode: Opcode) -> Option<()> {
        let mut data = self.function.inst(inst).clone();
        (data.opcode != opcode).then_some(())?;
        data.opcode = opcode;
        self.function.replace(inst, data);
        Some(())
    }

    /// The first instruction of `from` becomes `to`.
    pub fn turn(&mut self, from: Opcode, to: Opcode) -> Option<()> {
        self.becomes(self.first(from)?, to)
    }

    /// The first machine instruction that one of these pairs turns is turned, both ways.
    pub fn turn_machine(&mut self, pairs: &[(&str, &str)]) -> Option<()> {
        for &(one, other) in pairs {
            for (from, to) in [(one, other), (other, one)] {
                if let (Some(from), Some(to)) = (self.machine(from), self.machine(to))
                    && let Some(inst) = self.first(from)
                {
                    return self.becomes(inst, to);
                }
            }
        }
        None
    }

    /// `inst` does nothing: its result is its operand `index`, which must have its type.
    pub fn skip(&mut self, inst: Inst, index: usize) -> Option<()> {
        let data = self.function.inst(inst);
        let (dst, source) = (data.vreg(0)?, data.vreg(index)?);
        (self.function.type_of(dst) == self.function.type_of(source)).then_some(())?;
        let copy = InstData::new(Opcode::COPY, [Operand::def(dst), Operand::used(source)]);
        self.function.replace(inst, copy);
        Some(())
    }

    /// Exchanges two operands of `inst`.
    pub fn swap(&mut self, inst: Inst, one: usize, other: usize) -> Option<()> {
        let mut data = self.function.inst(inst).clone();
        let (a, b) = (*data.operands.get(one)?, *data.operands.get(other)?);
        (a != b).then_some(())?;
        data.operands.swap(one, other);
        self.function.replace(inst, data);
        Some(())
    }

    /// The predicate of the comparison `inst` changes.
    pub fn predicate(&mut self, inst: Inst, change: fn(IntPredicate) -> IntPredicate) -> Option<()> {
        let Operand::Predicate(old) = self.function.inst(inst).operands.get(1)? else { return None };
        let new = change(*old);
        (new != *old).then(|| self.function.set_operand(inst, 1, Operand::Predicate(new)))
    }

    /// The value of the constant `inst` changes.
    pub fn constant(&mut self, inst: Inst, change: impl Fn(Bits) -> Bits) -> Option<()> {
        let old = self.function.constant_value(self.function.inst(inst).operands.get(1)?)?;
        let new = change(old);
        (new != old).then_some(())?;
        let operand = self.function.constant(new);
        self.function.set_operand(inst, 1, operand);
        Some(())
    }

    /// The constant that operand `index` of `inst` reads changes, if the rule wrote it.
    pub fn constant_of(&mut self, inst: Inst, index: usize, change: impl Fn(Bits) -> Bits) -> Option<()> {
        let source = self.function.inst(inst).vreg(index)?;
        let definition = self.function.def_of(source)?;
        (self.after.contains(&definition) && self.function.inst(definition).opcode == Opcode::G_CONSTANT)
            .then_some(())?;
        self.constant(definition, change)
    }

    /// The immediate at operand `index` of `inst` changes.
    pub fn immediate(&mut self, inst: Inst, index: usize, change: impl Fn(i64) -> i64) -> Option<()> {
        let old = self.function.inst(inst).imm(index)?;
        let new = change(old);
        (new != old).then(|| self.function.set_operand(inst, index, Operand::Imm(new)))
    }

    /// The first immediate of `inst` changes.
    pub fn first_immediate(&mut self, inst: Inst, change: impl Fn(i64) -> i64) -> Option<()> {
        let is_imm = |operand: &Operand| matches!(operand, Operand::Imm(_));
        let index = self.function.inst(inst).operands.iter().position(is_imm)?;
        self.immediate(inst, index, change)
    }

    /// The address that `inst` names changes.
    pub fn address(&mut self, inst: Inst, change: impl Fn(&mut AddressData)) -> Option<()> {
        let operands = self.function.inst(inst).operands.iter().enumerate();
        let (index, old) =
            operands.into_iter().find_map(|(index, operand)| Some((index, *self.function.address_of(operand)?)))?;
        let mut new = old;
        change(&mut new);
        let operand = self.function.address(new);
        self.function.set_operand(inst, index, operand);
        (old != new).then_some(())
    }

    /// The store takes the load's place, and the load its own, unless it stores what that load brings.
    pub fn exchange(&mut self, load: Inst, store: Inst) -> Option<()> {
        let (loads, stores) = (self.function.inst(load).clone(), self.function.inst(store).clone());
        (loads.vreg(0) != stores.vreg(0)).then_some(())?;
        self.function.replace(load, stores);
        self.function.replace(store, loads);
        Some(())
    }

    /// `inst` is not written at all.
    pub fn drop(&mut self, inst: Inst) -> Option<()> {
        self.function.remove(inst);
        self.after.retain(|&other| other != inst);
        Some(())
    }
}

/// One more.
pub fn more(value: Bits) -> Bits {
    value.add(Bits::new(1, value.width()))
}

/// One less.
pub fn less(value: Bits) -> Bits {
    value.sub(Bits::new(1, value.width()))
}
