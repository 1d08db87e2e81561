//! The legality rule language: LLVM's `LegalizerInfo`, method names in snake case. The tables are in
//! `<isa>/legality.rs`; the engine that applies them is in codegen.
//! (Interface first; the builder methods follow.)

use tribunal_ir::{Opcode, Type};

/// What to do with an instruction that a rule matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Legal,
    NarrowScalar,
    WidenScalar,
    FewerElements,
    MoreElements,
    Bitcast,
    Lower,
    Libcall,
    Custom,
    Unsupported,
}

/// One memory operand as a query shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemDescr {
    pub ty: Type,
    pub align_bits: u32,
    pub atomic: bool,
}

/// All that legality may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LegalityQuery<'a> {
    pub opcode: Opcode,
    /// One for each type index.
    pub types: &'a [Type],
    pub memory: &'a [MemDescr],
}

/// The answer: an action on one type index, with the new type where the action takes one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LegalizeStep {
    pub action: Action,
    pub type_index: u8,
    pub new_type: Option<Type>,
    /// Name of the rule that matched, unique within the target: `G_ADD#2 clamp_scalar`.
    pub rule: &'static str,
}

/// The rule sets of one target under one set of features.
pub struct LegalizerInfo {}
