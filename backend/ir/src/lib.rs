//! The language at every stage is LLVM's machine IR: types, opcodes, functions, text, and the meaning of every opcode.
//!
//! Architecture invariant: this crate knows no machine. The facts it needs to read, print or walk target instructions
//! come through [`Vocabulary`].

pub mod address;
pub mod bits;
pub mod builder;
pub mod cfi;
mod contents;
mod derived_pointer;
pub mod entities;
pub mod float;
pub mod fragment;
pub mod function;
pub mod inline_assembly;
pub mod inst;
pub mod interned;
pub mod intrinsics;
pub mod ir_block;
mod linkage;
pub mod memory;
pub mod module;
pub mod opaque;
pub mod opcode;
pub mod operand;
pub mod ordering;
pub mod predicate;
mod ranges;
pub mod semantics;
pub mod stage;
mod strictness;
pub mod tables;
pub mod text;
pub mod types;
pub mod vocabulary;

pub use address::{AddressBase, AddressData, GlobalName};
pub use bits::Bits;
pub use builder::{Builder, Position};
pub use cfi::CfiInstruction;
pub use contents::FixedContents;
pub use entities::{Address, Block, FixedSlot, Inst, StackSlot, Symbol, VReg};
pub use float::{FloatConstant, FloatFormat};
pub use fragment::{Fragment, Step};
pub use function::{Constraint, Function, Properties, SlotKind};
pub use inst::{InstData, InstFlags};
pub use ir_block::IrBlock;
pub use linkage::{CodeModel, RelocationModel, SymbolFacts};
pub use memory::{MemFlags, MemOperand, Pointer};
pub use module::{Entry, Module, Unknown, UnknownKind, Unread};
pub use opcode::{Family, Opcode, OpcodeFlags, OpcodeInfo, OperandKind, TargetOpcode};
pub use operand::{Operand, Reg, RegFlags, RegOperand};
pub use ordering::{AtomicOrdering, FencedPairs, SyncScope};
pub use predicate::{FloatPredicate, IntPredicate};
pub use ranges::RangeUnknown;
pub use stage::Stage;
pub use strictness::Strictness;
pub use tables::{FrameInfo, JumpTableKind, PoolConstant, PoolValue, StackObject};
pub use tribunal_llvm::{DerivedPointer, ThreadLocalModel};
pub use types::Type;
pub use vocabulary::{PReg, Preserved, RegBank, RegClass, RegMask, SubReg, TargetFlags, Vocabulary};
