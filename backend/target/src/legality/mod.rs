//! The legality rule language: LLVM's `LegalizerInfo`, with its names in snake case. The tables are in
//! `<isa>/legality.rs`; the engine that carries the actions out is in codegen.
//!
//! A rule set is an ordered list; the first rule that matches decides, and no match means [`Action::Unsupported`]. A
//! rule sees a [`LegalityQuery`] and nothing else, so legality cannot depend on context. Every rule has a name.
//!
//! | file | what |
//! |---|---|
//! | `rules.rs` | [`RuleSet`]: the parts of a rule, and the methods that ask for an action and change no type |
//! | `scalars.rs`, `vectors.rs` | its methods that widen and narrow, and that change the number of elements |
//! | `extensions.rs` | methods and predicates that LLVM does not have |
//! | `predicates.rs`, `mutations.rs` | the conditions of rules; the type that a rule changes, and its new type |
//! | `step.rs` | [`LegalizeStep`], the answer, and the invalid ones: LLVM's `mutationIsSane`, `hasNoSimpleLoops` |
//! | `table.rs` | [`LegalizerInfo`]: the sets of a target, aliases, coverage of indices; the look-up |
//!
//! An overloaded C++ method has one name here too. Lists are of [`Type`]s, of pairs or of triples ([`TypeTuple`]); a
//! type is given or read from another index ([`mutations::TypeOf`]). An argument that may be left out makes a second
//! method, `..._at_least`. A condition that C++ passes as the first argument is [`RuleSet::when`] here. Of LLVM's
//! methods `fallback` alone is missing: there are no older rules to fall back to.

mod custom;
mod extensions;
pub mod mutations;
pub mod predicates;
mod rules;
mod scalars;
mod step;
mod table;
mod vectors;

pub use custom::{CustomDesc, Expansion};
pub use extensions::EXPANDED;
pub use mutations::Mutation;
pub use predicates::Predicate;
pub use rules::{RuleSet, TypePairAndMemDesc, TypeTuple, rules_for};
pub use step::{InvalidStep, LegalizeStep, NO_RULE, StepFault};
pub use table::{IllDefined, LegalizerInfo, recorded_queries};
pub use vectors::{accesses_without_step, vectors_by_element};

use smallvec::SmallVec;
use tribunal_ir::opcode::TypeSource;
use tribunal_ir::types::{S16, S32, S64, S128};
use tribunal_ir::{AtomicOrdering, Family, Function, InstData, MemOperand, Opcode, Operand, Type, VReg};

/// The scalars that are as wide as a format of floating point.
pub const NUMBERS: [Type; 4] = [S16, S32, S64, S128];

/// Each of the first with each of the second.
pub fn pairs(first: &[Type], second: &[Type]) -> Vec<(Type, Type)> {
    first.iter().flat_map(|&one| second.iter().map(move |&other| (one, other))).collect()
}

/// The action for an instruction that a rule matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Leave it.
    Legal,
    /// Split type `type_index` into parts of the new type.
    NarrowScalar,
    /// Do it in the wider new type, then truncate.
    WidenScalar,
    /// Split vector type `type_index` into vectors of fewer elements, or into elements.
    FewerElements,
    /// Do it in a vector of more elements; those added are undefined.
    MoreElements,
    /// Do it in another type of the same size.
    Bitcast,
    /// Expand to other operations.
    Lower,
    /// Call the runtime library.
    Libcall,
    /// The target's own expansion.
    Custom,
    /// Refuse it.
    Unsupported,
}

/// One memory operand as a query shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemDescr {
    /// The type in memory.
    pub ty: Type,
    /// The alignment of the address, in bits.
    pub align_bits: u32,
    /// The ordering of the access among others.
    pub ordering: AtomicOrdering,
    /// Of a compare-and-exchange that fails; of anything else, none.
    pub failure_ordering: AtomicOrdering,
}

impl MemDescr {
    /// An access that is not atomic.
    pub fn plain(ty: Type, align_bits: u32) -> MemDescr {
        let none = AtomicOrdering::NotAtomic;
        MemDescr { ty, align_bits, ordering: none, failure_ordering: none }
    }

    /// `None` where the size is unknown.
    fn of(memory: &MemOperand) -> Option<MemDescr> {
        let MemOperand { ordering, failure_ordering, .. } = *memory;
        let plain = MemDescr::plain(memory.ty?, memory.align.saturating_mul(8));
        Some(MemDescr { ordering, failure_ordering, ..plain })
    }
}

/// All facts that legality may depend on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LegalityQuery {
    /// The opcode of the instruction.
    pub opcode: Opcode,
    /// One for each type index.
    pub types: SmallVec<[Type; 3]>,
    /// The accesses, in the order of its memory operands.
    pub memory: SmallVec<[MemDescr; 1]>,
    /// The number of low bits of an in-register extension or an assertion.
    pub immediate: Option<i64>,
}

impl LegalityQuery {
    /// A query about types alone.
    pub fn new(opcode: Opcode, types: impl IntoIterator<Item = Type>) -> LegalityQuery {
        LegalityQuery { opcode, types: types.into_iter().collect(), memory: SmallVec::new(), immediate: None }
    }

    /// The query of an instruction; `None` if it has no types yet or no more.
    pub fn of(function: &Function, data: &InstData) -> Option<LegalityQuery> {
        let mut query = LegalityQuery::new(data.opcode, []);
        query.immediate = data.operands.get(2).and_then(Operand::as_imm);
        for source in data.opcode.info()?.types {
            let Some(operand) = type_source(data, source) else { break };
            query.types.push(function.type_of(operand?)?);
        }
        // A prefetch accesses nothing, and says no size.
        let accessed = data.memory.iter().filter(|_| data.opcode.family() != Some(Family::Prefetch));
        for memory in accessed {
            query.memory.push(MemDescr::of(memory)?);
        }
        Some(query)
    }

    /// The type at a type index.
    pub fn type_at(&self, index: usize) -> Option<Type> {
        self.types.get(index).copied()
    }
}

/// The type at a type index of an instruction.
pub fn type_at(function: &Function, data: &InstData, index: usize) -> Option<Type> {
    let source = data.opcode.info()?.types.into_iter().nth(index)?;
    function.type_of(type_source(data, source)??)
}

/// The register that gives a type; `None` if the opcode has no such type index, or no register stands there.
fn type_source(data: &InstData, source: TypeSource) -> Option<Option<VReg>> {
    match source {
        TypeSource::None => None,
        TypeSource::Operand(index) => Some(data.vreg(usize::from(index))),
        TypeSource::Last => Some(data.operands.last().and_then(Operand::as_vreg)),
    }
}
