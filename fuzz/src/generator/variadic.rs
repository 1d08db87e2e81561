//! Functions of variable arguments: the entry saves the argument registers that no parameter has, as call lowering
//! writes it, and the list that `va_start` makes is read.
//!
//! Invariant: a list is read no further than an execution passes arguments.

use super::{Entry, Generator};
use arbitrary::Result;
use tribunal_ir::function::LiveIn;
use tribunal_ir::tables::{FixedObject, SlotKind};
use tribunal_ir::{InstData, MemFlags, MemOperand, Opcode, Operand, PReg, Pointer, StackObject, Type, VReg};
use tribunal_target::variable_arguments::{VaListContent, is_pointer, list_words};

/// Arguments that are read at most: an execution passes eight words after those in registers.
const MOST: u32 = 6;

impl Generator<'_, '_, '_> {
    /// Saves the argument registers after the first `named`, makes a list, and reads it.
    pub(super) fn variable_arguments(&mut self, named: usize) -> Result<()> {
        let target = self.target;
        if target.abi.va_list.is_empty() {
            return Ok(());
        }
        let rest = target.abi.arguments().get(named..).unwrap_or_default();
        match is_pointer(target) {
            true => {
                self.saved_below_the_caller(rest);
                self.arguments_of_pointer()
            }
            false => {
                let rest = if self.u.ratio(1, 4)? { self.all_named(rest) } else { rest };
                self.saved_in_areas(rest)?;
                self.arguments_of_fields(!rest.is_empty())
            }
        }
    }

    /// The whole of an argument register, which the function is given.
    fn given(&mut self, register: PReg) -> VReg {
        let entry = self.current();
        self.builder.function.liveins.push(LiveIn { register, copy: None });
        self.builder.function.block_mut(entry).liveins.push((register, None));
        let ty = Type::scalar(self.target.vocabulary.register_bits(register));
        self.builder.build(ty, Opcode::COPY, [Operand::used(register)])
    }

    fn fixed_object(&mut self, offset: i64, size: u64, align: u32) -> VReg {
        let object =
            FixedObject { kind: SlotKind::Default, offset, size, align, immutable: true, aliased: false, saved: None };
        let slot = self.builder.function.fixed_stack.push(object);
        self.builder.build(self.pointer_type(), Opcode::G_FRAME_INDEX, [Operand::FixedStack(slot)])
    }

    /// Registers right below the arguments on the stack: one array of both.
    fn saved_below_the_caller(&mut self, rest: &[PReg]) {
        let word = self.target.register_bytes();
        let bytes = i64::from(word) * rest.len() as i64;
        if rest.is_empty() {
            self.fixed_object(0, word.into(), word);
            return;
        }
        let values: Vec<VReg> = rest.iter().map(|&register| self.given(register)).collect();
        let area = self.fixed_object(-bytes, bytes.unsigned_abs(), word);
        let ty = self.register_type();
        for (offset, value) in (0..).step_by(word as usize).zip(values) {
            let address = self.offset_by(area, offset);
            self.builder.store(value, address, MemOperand::new(MemFlags::STORE, ty, word));
        }
        if !rest.len().is_multiple_of(2) {
            // The area and this are as aligned as two registers.
            self.fixed_object(-bytes - i64::from(word), word.into(), 2 * word);
        }
    }

    /// Registers of each bank in an object of their own: of the numbers those of `rest`, of the others all.
    fn saved_in_areas(&mut self, rest: &[PReg]) -> Result<()> {
        let target = self.target;
        self.fixed_object(0, 4, target.abi.stack_align);
        for passing in target.abi.passing {
            let is_of_numbers = passing.arguments == target.abi.arguments();
            let saved = if is_of_numbers { rest } else { passing.arguments };
            let Some(&first) = saved.first() else { continue };
            let unit = target.vocabulary.register_bits(first) / 8;
            let values: Vec<VReg> = saved.iter().map(|&register| self.given(register)).collect();
            let bytes = unit * values.len() as u32;
            let object = StackObject::new(SlotKind::Default, bytes.into(), unit);
            let slot = self.builder.function.stack.push(object);
            let area = self.builder.build(self.pointer_type(), Opcode::G_FRAME_INDEX, [Operand::Stack(slot)]);
            if is_of_numbers && self.u.arbitrary()? {
                self.kept_beside_the_area(values[0]);
            }
            for (offset, value) in (0..).step_by(unit as usize).zip(values) {
                let address = self.offset_by(area, offset);
                let memory = MemOperand::new(MemFlags::STORE, Type::scalar(8 * unit), 1);
                let place = Some(Pointer::OutgoingArguments);
                let memory = MemOperand { pointer: place, offset: offset.into(), ..memory };
                self.builder.store(value, address, memory);
            }
        }
        Ok(())
    }

    /// Makes parameters of the registers that are left, and stores the last to an object of the program's own. None is
    /// left then.
    fn all_named<'r>(&mut self, rest: &'r [PReg]) -> &'r [PReg] {
        let values: Vec<VReg> = rest.iter().map(|&register| self.given(register)).collect();
        if let Some(&last) = values.last() {
            self.kept_beside_the_area(last);
        }
        let ty = self.register_type();
        self.scope.extend(values.into_iter().map(|register| Entry { register, ty, deterministic: true }));
        &[]
    }

    /// An argument's register stored to an object of the program's own, as unoptimised code does, and read again.
    fn kept_beside_the_area(&mut self, value: VReg) {
        let (ty, word) = (self.builder.type_of(value), self.target.register_bytes());
        let slot = self.builder.function.stack.push(StackObject::new(SlotKind::Default, word.into(), word));
        let place = self.builder.build(self.pointer_type(), Opcode::G_FRAME_INDEX, [Operand::Stack(slot)]);
        self.builder.store(value, place, MemOperand::new(MemFlags::STORE, ty, word));
        self.argument_at(place, ty);
    }

    /// A list, made.
    fn started(&mut self) -> VReg {
        let list = self.empty_list();
        let bits = list_words(self.target) * u32::from(self.target.pointer_bits);
        let memory = MemOperand::new(MemFlags::STORE, Type::scalar(bits), self.target.register_bytes());
        self.builder.push(InstData::new(Opcode::G_VASTART, [Operand::used(list)]).with_memory(memory));
        list
    }

    fn empty_list(&mut self) -> VReg {
        let word = self.target.register_bytes();
        let object = StackObject::new(SlotKind::Default, u64::from(list_words(self.target) * word), word);
        let slot = self.builder.function.stack.push(object);
        self.builder.build(self.pointer_type(), Opcode::G_FRAME_INDEX, [Operand::Stack(slot)])
    }

    fn list_intrinsic(&mut self, name: &str, lists: &[VReg]) {
        let name = Operand::Intrinsic(self.builder.function.intern(name));
        let operands = std::iter::once(name).chain(lists.iter().copied().map(Operand::used));
        self.builder.push(InstData::new(Opcode::G_INTRINSIC_W_SIDE_EFFECTS, operands));
    }

    /// The list, or a copy of it in its place.
    fn perhaps_copied(&mut self, list: VReg) -> Result<VReg> {
        if !self.u.ratio(1, 4)? {
            return Ok(list);
        }
        let copy = self.empty_list();
        self.list_intrinsic("llvm.va_copy", &[copy, list]);
        self.list_intrinsic("llvm.va_end", &[list]);
        Ok(copy)
    }

    /// Arguments of several sizes from a list that is one pointer, of which a copy may be read on.
    fn arguments_of_pointer(&mut self) -> Result<()> {
        let mut list = self.started();
        let sizes = [8, 32, self.register_type().bits()];
        for _ in 0..self.u.int_in_range(1..=MOST)? {
            list = self.perhaps_copied(list)?;
            let ty = Type::scalar(*self.u.choose(&sizes)?);
            let operands = [Operand::used(list), Operand::Imm(ty.bytes().into())];
            let register = self.builder.build(ty, Opcode::G_VAARG, operands);
            self.scope.push(Entry { register, ty, deterministic: true });
        }
        self.list_intrinsic("llvm.va_end", &[list]);
        Ok(())
    }

    /// The first argument on the stack, and the first of each save area, by the fields of the list.
    fn arguments_of_fields(&mut self, has_numbers: bool) -> Result<()> {
        let target = self.target;
        let list = self.started();
        let list = self.perhaps_copied(list)?;
        let (pointer, word) = (self.pointer_type(), self.register_type());
        let mut ends: Vec<(tribunal_ir::RegBank, VReg)> = Vec::new();
        for field in target.abi.va_list {
            match field.content {
                VaListContent::FirstArgument => {
                    let first = self.list_field(list, field.offset, pointer);
                    self.argument_at(first, word);
                }
                VaListContent::EndOfSaveArea(bank) => {
                    let end = self.list_field(list, field.offset, pointer);
                    ends.push((bank, end));
                }
                VaListContent::BelowEnd(bank) => {
                    let below = self.list_field(list, field.offset, Type::scalar(32));
                    let of_numbers = target
                        .abi
                        .passing
                        .iter()
                        .any(|passing| passing.bank == bank && passing.arguments == target.abi.arguments());
                    let end = ends.iter().find(|(own, _)| *own == bank).filter(|_| has_numbers || !of_numbers);
                    if let Some(&(_, end)) = end {
                        let distance = self.builder.op(word, Opcode::G_SEXT, &[below]);
                        let first = self.builder.op(pointer, Opcode::G_PTR_ADD, &[end, distance]);
                        self.argument_at(first, word);
                    }
                }
            }
        }
        self.list_intrinsic("llvm.va_end", &[list]);
        Ok(())
    }

    fn list_field(&mut self, list: VReg, offset: u32, ty: Type) -> VReg {
        let address = self.offset_by(list, offset);
        self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, ty.bytes()))
    }

    fn argument_at(&mut self, address: VReg, ty: Type) {
        let register = self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, ty.bytes()));
        self.scope.push(Entry { register, ty, deterministic: true });
    }
}
