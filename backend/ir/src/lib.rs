//! The language at every stage is LLVM's machine IR: types, opcodes, functions, text, and the meaning of every opcode.
//!
//! Architecture invariant: this crate knows no machine. The facts it needs to read, print or walk target instructions
//! come through [`Vocabulary`].

pub mod bits;
pub mod builder;
pub mod entities;
pub mod fragment;
pub mod function;
pub mod inst;
pub mod ir_block;
pub mod module;
pub mod opaque;
pub mod opcode;
pub mod ordering;
pub mod semantics;
pub mod stage;
pub mod text;
pub mod types;
pub mod vocabulary;

pub use bits::Bits;
pub use builder::{Builder, Position};
pub use entities::{Block, FixedSlot, Inst, StackSlot, Symbol, VReg};
pub use fragment::{Fragment, Step};
pub use function::{Constraint, Function, Properties, SlotKind};
pub use inst::{InstData, InstFlags, IntPredicate, MemFlags, MemOperand, Operand, Reg, RegFlags, RegOperand};
pub use ir_block::IrBlock;
pub use module::{Entry, Module, Unknown, UnknownKind, Unread};
pub use opcode::{Family, Opcode, OpcodeFlags, OpcodeInfo, OperandKind, TargetOpcode};
pub use ordering::AtomicOrdering;
pub use stage::Stage;
pub use types::Type;
pub use vocabulary::{PReg, RegBank, RegClass, RegisterMask, SubReg, Vocabulary};
