//! Entity references: the things that operands name, as indices. Their `Display` is the text format's.

use cranelift_entity::entity_impl;

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(u32);
entity_impl!(VReg, "%");

/// A basic block. Its number in text is [`crate::function::BlockData::number`], not this index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(u32);
entity_impl!(Block, "%bb.");

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A stack object of the function's own frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackSlot(u32);
entity_impl!(StackSlot, "%stack.");

/// A stack object at a fixed place in the caller's frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FixedSlot(u32);
entity_impl!(FixedSlot, "%fixed-stack.");

/// A constant that does not fit an operand; see [`crate::Function::constant`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WideConst(u32);
entity_impl!(WideConst, "const");

/// The address of something that the linker places, with offset and flags; see [`crate::address`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u32);
entity_impl!(Address, "address");

/// An entry of the function's constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantPoolIndex(u32);
entity_impl!(ConstantPoolIndex, "%const.");

/// A jump table of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JumpTable(u32);
entity_impl!(JumpTable, "%jump-table.");

/// The lanes that a shuffle takes; see [`crate::Function::shuffle_masks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShuffleMask(u32);
entity_impl!(ShuffleMask, "shuffle-mask");

/// Registers listed one by one; see [`crate::Function::register_lists`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterList(u32);
entity_impl!(RegisterList, "register-list");

/// An interned string: a name, or a piece of text kept as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);
entity_impl!(Symbol, "symbol");
