//! Moves that no selection rule writes: copies, spills and reloads of whole registers, by bank. The rows are in
//! `<isa>/registers.rs`, each one instruction in the language of selection rules. Allocator, frame pass and allocation
//! checker ask here, so a second register file takes only rows.
//!
//! Invariant: a move without a row is `None`; no bank takes the move of another.

use crate::Target;
use crate::registers::BankDesc;
use crate::selection::{Emit, Out};
use crate::variable_arguments::copied_register;
use tribunal_ir::{Function, InstData, Opcode, Operand, PReg, Reg, RegBank, RegClass, StackSlot, Type, VReg};

/// The instruction that copies a register of one class to one of another, or of the same. The classes are equally wide.
pub struct CopyDesc {
    /// Unique within the target, among its selection rules too.
    pub name: &'static str,
    /// The class of the copy.
    pub to: RegClass,
    /// The class of the source.
    pub from: RegClass,
    /// Defines the copy; slot 0 is the source.
    pub code: Emit,
}

impl Target {
    /// The row of a register bank.
    pub fn bank(&self, bank: RegBank) -> &'static BankDesc {
        &self.banks[usize::from(bank.0)]
    }

    /// The bank of a full register; `None` for one that no bank allocates or copies (flags).
    pub fn bank_of(&self, full: PReg) -> Option<RegBank> {
        let holds = |bank: &BankDesc| self.class(bank.class).members.contains(&full);
        self.banks.iter().position(holds).and_then(|index| u8::try_from(index).ok()).map(RegBank)
    }

    /// The bank of a value as wide as the whole register that it is a copy of; `None` for any other value.
    pub fn bank_of_copy(&self, function: &Function, value: VReg) -> Option<RegBank> {
        let register = copied_register(self, function, value)?;
        let bits = self.vocabulary.register_bits(register);
        let bank = self.bank_of(register)?;
        (function.type_of(value)?.bits() == bits).then_some(bank)
    }

    /// True for a store of a whole register of another bank than that of integers, just as it was copied, where the
    /// bank's instruction can store it. No type says in which bank a value lives, so no row of the legality tables can
    /// tell this store from one of a wide integer.
    pub fn stores_whole_copy(&self, function: &Function, data: &InstData) -> bool {
        let ([memory], Some(value)) = (data.memory.as_slice(), data.vreg(0)) else { return false };
        let ty = function.type_of(value);
        let is_whole = ty.is_some() && memory.ty.map(Type::bits) == ty.map(Type::bits) && !memory.is_atomic();
        let bank = self.bank_of_copy(function, value).filter(|&bank| bank != RegBank(0));
        let aligned = |bank| memory.align >= self.spill_align(bank).min(ty.map_or(1, Type::bytes));
        data.opcode == Opcode::G_STORE && is_whole && bank.is_some_and(aligned)
    }

    /// The alignment that the store of a bank's registers needs, in bytes.
    fn spill_align(&self, bank: RegBank) -> u32 {
        let Opcode::Target(opcode) = self.bank(bank).spill.opcode else { return 1 };
        self.instruction(opcode).access.map_or(1, |access| access.align.into())
    }

    /// Bytes of a full register as it is spilled.
    pub fn spill_bytes(&self, full: PReg) -> u32 {
        self.bank_of(full).map_or(self.register_bytes(), |bank| self.class(self.bank(bank).class).bits.div_ceil(8))
    }

    /// The row that copies a register of class `from`, or of another of its bank and width, to one of class `to`.
    pub fn copy_between(&self, to: RegClass, from: RegClass) -> Option<&'static CopyDesc> {
        let kind = |class: RegClass| (self.class(class).bank, self.class(class).bits);
        self.copies.iter().find(|row| kind(row.to) == kind(to) && kind(row.from) == kind(from))
    }

    /// `dst = src`, both full registers.
    pub fn copy(&self, dst: PReg, src: PReg) -> Option<InstData> {
        let class = |register| Some(self.bank(self.bank_of(register)?).class);
        let row = self.copy_between(class(dst)?, class(src)?)?;
        self.written(&row.code, Some(dst), Some(src), None)
    }

    /// Loads `dst` from `[base + offset]`; the offset must fit (see [`Target::offset_fits`]).
    pub fn reload(&self, dst: PReg, base: PReg, offset: i64) -> Option<InstData> {
        self.written(&self.bank(self.bank_of(dst)?).reload, Some(dst), None, Some((base, offset)))
    }

    /// Stores `src` to `[base + offset]`.
    pub fn spill(&self, src: PReg, base: PReg, offset: i64) -> Option<InstData> {
        self.written(&self.bank(self.bank_of(src)?).spill, None, Some(src), Some((base, offset)))
    }

    /// Stores `src` to a stack object, before frames are laid out.
    pub fn spill_to(&self, src: PReg, slot: StackSlot) -> Option<InstData> {
        self.spill(src, self.abi.stack_pointer, 0).map(|data| self.on_slot(data, slot))
    }

    /// Loads `dst` from a stack object, before frames are laid out.
    pub fn reload_from(&self, dst: PReg, slot: StackSlot) -> Option<InstData> {
        self.reload(dst, self.abi.stack_pointer, 0).map(|data| self.on_slot(data, slot))
    }

    /// The access with `slot` for its base, in place of the stack pointer.
    fn on_slot(&self, mut data: InstData, slot: StackSlot) -> InstData {
        let base = Reg::Physical(self.abi.stack_pointer);
        for operand in &mut data.operands {
            if operand.as_reg().is_some_and(|register| register.reg == base) {
                *operand = Operand::Stack(slot);
            }
        }
        data
    }

    /// The instruction of a row on physical registers; `None` if the row asks for an operand that a move does not have.
    fn written(
        &self,
        row: &Emit,
        dst: Option<PReg>,
        src: Option<PReg>,
        address: Option<(PReg, i64)>,
    ) -> Option<InstData> {
        let Opcode::Target(opcode) = row.opcode else { return None };
        let mut data = InstData::new(row.opcode, []);
        for out in row.operands {
            let operand = match *out {
                Out::Def(_) => Operand::def(dst?),
                Out::Reg(0) => Operand::used(src?),
                Out::Const(value) => Operand::Imm(value),
                Out::Phys(register) => Operand::used(register),
                Out::Address(0) => {
                    let (base, offset) = address?;
                    data.operands.push(Operand::used(base));
                    Operand::Imm(self.offset_operand(opcode, offset))
                }
                _ => return None,
            };
            data.operands.push(operand);
        }
        Some(data)
    }
}
