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

/// A piece of text kept as it was read: a global's name, an IR value, a metadata reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);
entity_impl!(Symbol, "symbol");
