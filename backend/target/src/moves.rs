//! Moves that no selection rule writes: copies, spills and reloads of whole registers, by bank. The rows are in
//! `<isa>/registers.rs`, each one instruction in the language of selection rules. Allocator, frame pass and allocation
//! checker ask here, so a second register file takes only rows. A machine with fewer features may have but a part of
//! each register: RISC-V without D has 32 bits. So a move depends on the features ([`Moves`]).
//!
//! Invariant: a move without a row is `None`; no bank takes the move of another.

use crate::registers::{BankDesc, NarrowerMoves};
use crate::selection::{Emit, Out};
use crate::variable_arguments::copied_register;
use crate::{Features, Target};
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

    /// The features without which a machine lacks a register, or the part of it that `register` has beyond a narrower
    /// one.
    pub fn features_of(&self, register: PReg) -> Features {
        let Some(bank) = self.bank_of(self.vocabulary.full_register(register)) else { return Features::empty() };
        let BankDesc { requires, narrower, .. } = self.bank(bank);
        let bits = self.vocabulary.register_bits(register);
        let beyond = narrower.as_ref().filter(|narrower| bits > self.class(narrower.class).bits);
        beyond.map_or(*requires, |narrower| *requires | narrower.without)
    }

    /// The features without which a machine lacks a register that the function names.
    pub fn features_of_registers(&self, function: &Function) -> Features {
        let operands = function.all_insts().flat_map(|inst| &function.inst(inst).operands);
        let registers = operands.filter_map(|operand| operand.as_reg()).filter_map(|operand| operand.reg.as_physical());
        registers.fold(Features::empty(), |needed, register| needed | self.features_of(register))
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

    /// The row that copies a register of class `from`, or of another of its bank and width, to one of class `to`.
    pub fn copy_between(&self, to: RegClass, from: RegClass) -> Option<&'static CopyDesc> {
        let kind = |class: RegClass| (self.class(class).bank, self.class(class).bits);
        self.copies.iter().find(|row| kind(row.to) == kind(to) && kind(row.from) == kind(from))
    }

    /// The moves of a machine with these features.
    pub fn moves(&self, features: Features) -> Moves<'_> {
        Moves { target: self, features }
    }

    /// The class of the registers of a bank, or of the parts that a machine with these features has of them.
    pub fn whole_class(&self, bank: RegBank, features: Features) -> RegClass {
        let row = self.bank(bank);
        narrower(row, features).map_or(row.class, |narrower| narrower.class)
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

/// The moves of the parts of a bank's registers, where a machine with these features has no more of them.
fn narrower(bank: &BankDesc, features: Features) -> Option<&NarrowerMoves> {
    bank.narrower.as_ref().filter(|narrower| !features.contains(narrower.without))
}

/// The moves of a machine with some features. They take and define full registers, or the parts that it has of them.
#[derive(Clone, Copy)]
pub struct Moves<'t> {
    target: &'t Target,
    features: Features,
}

impl Moves<'_> {
    fn class(self, full: PReg) -> Option<RegClass> {
        self.target.bank_of(full).map(|bank| self.target.whole_class(bank, self.features))
    }

    /// The register as a move names it.
    fn named(self, full: PReg) -> PReg {
        let bits = self.class(full).map(|class| self.target.class(class).bits);
        bits.map_or(full, |bits| self.target.part_of(full, bits))
    }

    /// Bytes of a full register as it is spilled.
    pub fn spill_bytes(self, full: PReg) -> u32 {
        let class = self.class(full);
        class.map_or(self.target.register_bytes(), |class| self.target.class(class).bits.div_ceil(8))
    }

    /// `dst = src`, both full registers.
    pub fn copy(self, dst: PReg, src: PReg) -> Option<InstData> {
        let row = self.target.copy_between(self.class(dst)?, self.class(src)?)?;
        self.target.written(&row.code, Some(self.named(dst)), Some(self.named(src)), None)
    }

    /// Loads `dst` from `[base + offset]`; the offset must fit (see [`Target::offset_fits`]).
    pub fn reload(self, dst: PReg, base: PReg, offset: i64) -> Option<InstData> {
        let bank = self.target.bank(self.target.bank_of(dst)?);
        let row = narrower(bank, self.features).map_or(&bank.reload, |narrower| &narrower.reload);
        self.target.written(row, Some(self.named(dst)), None, Some((base, offset)))
    }

    /// Stores `src` to `[base + offset]`.
    pub fn spill(self, src: PReg, base: PReg, offset: i64) -> Option<InstData> {
        let bank = self.target.bank(self.target.bank_of(src)?);
        let row = narrower(bank, self.features).map_or(&bank.spill, |narrower| &narrower.spill);
        self.target.written(row, None, Some(self.named(src)), Some((base, offset)))
    }

    /// Stores `src` to a stack object, before frames are laid out.
    pub fn spill_to(self, src: PReg, slot: StackSlot) -> Option<InstData> {
        self.spill(src, self.target.abi.stack_pointer, 0).map(|data| self.target.on_slot(data, slot))
    }

    /// Loads `dst` from a stack object, before frames are laid out.
    pub fn reload_from(self, dst: PReg, slot: StackSlot) -> Option<InstData> {
        self.reload(dst, self.target.abi.stack_pointer, 0).map(|data| self.target.on_slot(data, slot))
    }
}
