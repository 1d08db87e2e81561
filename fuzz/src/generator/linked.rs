//! Programs that refer to what lies outside them: globals, calls of unknown functions, jump tables, addresses of
//! blocks.
//!
//! A callee gets deterministic values alone, and its result is one: what it does is the same in every run of an input.

use super::{Entry, Generator, Place};
use arbitrary::{Error, Result};
use tribunal_codegen::call_lowering::{ArgumentExtension, ArgumentType, CallLowering};
use tribunal_ir::{
    AddressBase, AddressData, Block, GlobalName, InstData, IntPredicate, JumpTableKind, Opcode, Operand, TargetFlags,
    Type, VReg,
};

/// Bytes of a global that programs touch: an execution gives each more.
const GLOBAL_BYTES: u32 = 64;
/// The alignment of a global, in bytes.
const GLOBAL_ALIGN: u32 = 8;
/// The functions that are called. Nothing is known of them.
const CALLEES: [&str; 3] = ["unknown0", "unknown1", "unknown2"];
/// Entries of a jump table.
const ENTRIES: [usize; 3] = [2, 4, 8];

impl Generator<'_, '_, '_> {
    /// Up to two globals, some with an offset, and in a module variables of its thread; now and then the thread
    /// pointer.
    pub(super) fn globals(&mut self) -> Result<()> {
        if !self.policy.linked || !self.policy.memory {
            return Ok(());
        }
        for index in 0..self.u.int_in_range(0..=2)? {
            let is_of_thread = self.u.arbitrary()?;
            self.global(index, is_of_thread)?;
        }
        match self.builder.function.ir.is_some() && self.u.ratio(1, 4)? {
            true => self.thread_pointer(),
            false => Ok(()),
        }
    }

    /// A global of the program, or in a module of each thread; it may be accessed.
    fn global(&mut self, index: u32, is_of_thread: bool) -> Result<Place> {
        let offset = i64::from(self.u.int_in_range(0..=3)? * GLOBAL_ALIGN);
        let is_of_thread = is_of_thread && self.builder.function.ir.is_some();
        let kind = if is_of_thread { "thread" } else { "global" };
        let base = self.address_of(&format!("{kind}{index}"), offset);
        let base = if is_of_thread && self.u.arbitrary()? { self.of_this_thread(base) } else { base };
        let place = Place { base, bytes: GLOBAL_BYTES, align: GLOBAL_ALIGN };
        self.pointers.push(place);
        Ok(place)
    }

    /// An access of a global of this kind.
    pub(super) fn global_of_kind(&mut self, is_of_thread: bool) -> Result<()> {
        let index = self.u.int_in_range(0..=1)?;
        let place = self.global(index, is_of_thread)?;
        self.access_in(place)
    }

    /// The address of a global, and so many bytes.
    pub(super) fn address_of(&mut self, name: &str, offset: i64) -> VReg {
        let name = GlobalName::Named(self.builder.function.intern(name));
        let address = AddressData { base: AddressBase::Global(name), offset, flags: TargetFlags::NONE };
        let operand = self.builder.function.address(address);
        let ty = self.pointer_type();
        self.builder.build(ty, Opcode::G_GLOBAL_VALUE, [operand])
    }

    /// A call of an unknown function: at most so many arguments that some lie on the stack.
    pub(super) fn call(&mut self) -> Result<()> {
        if !self.callees.is_empty() && self.u.ratio(3, 4)? {
            return self.call_defined();
        }
        // An execution has no place for arguments on a stack that moves.
        let most = if self.u.ratio(1, 4)? && !self.policy.frames { self.target.abi.arguments().len() + 4 } else { 3 };
        let mut arguments = Vec::new();
        for _ in 0..self.u.int_in_range(0..=most)? {
            arguments.push(self.argument()?);
        }
        let results: Vec<ArgumentType> = match self.u.ratio(3, 4)? {
            true => vec![self.passed_type()?.into()],
            false => Vec::new(),
        };
        let callee = *self.u.choose(&CALLEES)?;
        let lowering = CallLowering { target: self.target };
        let values = lowering.call(&mut self.builder, callee, &arguments, &results);
        // Nothing is passed that the convention passes by reference.
        let values = values.map_err(|_| Error::IncorrectFormat)?;
        let entries = values.into_iter().zip(&results);
        self.scope.extend(entries.map(|(register, result)| Entry { register, ty: result.ty, deterministic: true }));
        Ok(())
    }

    /// A pointer, or an integer of at most two registers.
    fn argument(&mut self) -> Result<(VReg, ArgumentExtension)> {
        if !self.pointers.is_empty() && self.u.ratio(1, 4)? {
            return Ok((self.u.choose(&self.pointers)?.base, ArgumentExtension::Any));
        }
        let ty = self.passed_type()?;
        let extensions = [ArgumentExtension::Any, ArgumentExtension::Sign, ArgumentExtension::Zero];
        let extension = *self.u.choose(&extensions)?;
        Ok((self.right_value(ty, true)?.register, extension))
    }

    /// A type that is passed by value.
    pub(super) fn passed_type(&mut self) -> Result<Type> {
        let ty = self.scalar()?;
        Ok(Type::scalar(ty.bits().min(2 * self.register_type().bits())))
    }

    /// A switch by a jump table, or by a computed jump.
    pub(super) fn table(&mut self, depth: u32) -> Result<()> {
        let is_by_address = self.u.ratio(1, 4)?;
        self.table_by(is_by_address, depth)
    }

    /// The same in this way. The index is masked: it is always one of an entry.
    pub(super) fn table_by(&mut self, is_by_address: bool, depth: u32) -> Result<()> {
        let entries = *self.u.choose(&ENTRIES)?;
        let arms: Vec<Block> = (0..self.u.int_in_range(1..=entries.min(3))?).map(|_| self.new_block()).collect();
        let join = self.new_block();
        // Each arm has an entry for certain.
        let more = (arms.len()..entries).map(|_| self.u.choose(&arms).copied());
        let more = more.collect::<Result<Vec<Block>>>()?;
        let word = self.register_type();
        let index = self.value(word, true)?;
        let mask = self.builder.constant_i64(word, entries as i64 - 1);
        let index = self.builder.op(word, Opcode::G_AND, &[index.register, mask]);
        match is_by_address {
            true => self.branch_by_address(index, &arms),
            false => self.branch_by_table(index, &arms, &more),
        }
        let merged = self.merge_types()?;
        let mut ways = Vec::new();
        for arm in arms {
            let values = self.arm(arm, depth, &merged)?;
            ways.push((self.current(), values));
            self.jump(join);
        }
        self.builder.position = tribunal_ir::Position::AtEnd(join);
        self.merge(&ways);
        Ok(())
    }

    /// Goes to the block of an entry: of those of `arms`, then of `more`, each of which is an arm.
    fn branch_by_table(&mut self, index: VReg, arms: &[Block], more: &[Block]) {
        let (from, pointer) = (self.current(), self.pointer_type());
        let function = &mut self.builder.function;
        // Every target has a kind of table in which an entry is a distance.
        function.jump_tables.kind = JumpTableKind::LabelDifference32;
        function.block_mut(from).successors = arms.iter().map(|&arm| (arm, None)).collect();
        let table = function.jump_tables.tables.push([arms, more].concat());
        let address = AddressData { base: AddressBase::JumpTable(table), offset: 0, flags: TargetFlags::NONE };
        let operand = function.address(address);
        let base = self.builder.build(pointer, Opcode::G_JUMP_TABLE, [operand]);
        self.builder.push(InstData::new(Opcode::G_BRJT, [Operand::used(base), operand, Operand::used(index)]));
    }

    /// Goes to the arm of this number, by its address; to the first one if there is none.
    fn branch_by_address(&mut self, index: VReg, arms: &[Block]) {
        let (from, pointer, word) = (self.current(), self.pointer_type(), self.register_type());
        self.builder.function.block_mut(from).successors = arms.iter().map(|&arm| (arm, None)).collect();
        let mut chosen = self.address_of_block(arms[0]);
        for (number, &arm) in (1..).zip(&arms[1..]) {
            let address = self.address_of_block(arm);
            let number = self.builder.constant_i64(word, number);
            let condition = self.builder.icmp(IntPredicate::Eq, index, number);
            chosen = self.builder.op(pointer, Opcode::G_SELECT, &[condition, address, chosen]);
        }
        self.builder.push(InstData::new(Opcode::G_BRINDIRECT, [Operand::used(chosen)]));
    }

    fn address_of_block(&mut self, block: Block) -> VReg {
        let (pointer, function) = (self.pointer_type(), &mut self.builder.function);
        let name = function.block(block).number.to_string();
        function.block_mut(block).attributes = Some(format!("ir-block-address-taken %ir-block.{name}"));
        let own = function.name.clone();
        let base =
            AddressBase::Block { function: GlobalName::Named(function.intern(&own)), block: function.intern(&name) };
        let operand = function.address(AddressData { base, offset: 0, flags: TargetFlags::NONE });
        self.builder.build(pointer, Opcode::G_BLOCK_ADDR, [operand])
    }
}
