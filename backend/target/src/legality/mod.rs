//! The legality rule language: LLVM's `LegalizerInfo`, with its names in snake case. The tables are in
//! `<isa>/legality.rs`; the engine that carries the actions out is in codegen.
//!
//! A rule set is an ordered list; the first rule that matches decides, and no match means [`Action::Unsupported`]. A rule
//! sees a [`LegalityQuery`] and nothing else, so what is legal cannot depend on context. Every rule has a name.

pub mod mutations;
pub mod predicates;
mod rules;
mod table;

pub use mutations::Mutation;
pub use predicates::Predicate;
pub use rules::{Alignment, RuleSet, rules_for};
pub use table::LegalizerInfo;

use smallvec::SmallVec;
use tribunal_ir::opcode::TypeSource;
use tribunal_ir::{Function, InstData, MemFlags, Opcode, Operand, Type, VReg};

/// What to do with an instruction that a rule matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Leave it.
    Legal,
    /// Split type `type_index` into parts of the new type.
    NarrowScalar,
    /// Do it in the wider new type, then truncate.
    WidenScalar,
    FewerElements,
    MoreElements,
    Bitcast,
    /// Expand to other operations.
    Lower,
    /// Call the runtime library.
    Libcall,
    /// The target's own expansion.
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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LegalityQuery {
    pub opcode: Opcode,
    /// One for each type index.
    pub types: SmallVec<[Type; 3]>,
    pub memory: SmallVec<[MemDescr; 1]>,
    /// How many low bits an in-register extension or an assertion speaks of.
    pub immediate: Option<i64>,
}

impl LegalityQuery {
    /// A query about types alone.
    pub fn new(opcode: Opcode, types: impl IntoIterator<Item = Type>) -> LegalityQuery {
        LegalityQuery { opcode, types: types.into_iter().collect(), memory: SmallVec::new(), immediate: None }
    }

    /// The query that an instruction makes; `None` if it has no types yet or no more.
    pub fn of(function: &Function, data: &InstData) -> Option<LegalityQuery> {
        let mut query = LegalityQuery::new(data.opcode, []);
        query.immediate = data.operands.get(2).and_then(Operand::as_imm);
        for source in data.opcode.info()?.types {
            let Some(operand) = type_source(data, source) else { break };
            query.types.push(function.type_of(operand?)?);
        }
        for memory in &data.memory {
            let atomic = memory.flags.contains(MemFlags::ATOMIC);
            query.memory.push(MemDescr { ty: memory.ty?, align_bits: memory.align * 8, atomic });
        }
        Some(query)
    }

    fn bits(&self, index: usize) -> u32 {
        self.types.get(index).map_or(0, |ty| ty.bits())
    }

    fn is_scalar(&self, index: usize) -> bool {
        self.types.get(index).is_some_and(|ty| ty.is_scalar())
    }

    fn mem_bits(&self) -> u32 {
        self.memory.first().map_or(0, |memory| memory.ty.bits())
    }
}

/// The register that tells a type; `None` if the opcode has no such type index, or no register stands there.
fn type_source(data: &InstData, source: TypeSource) -> Option<Option<VReg>> {
    match source {
        TypeSource::None => None,
        TypeSource::Operand(index) => Some(data.vreg(usize::from(index))),
        TypeSource::Last => Some(data.operands.last().and_then(Operand::as_vreg)),
    }
}

/// The answer: an action on one type index, with the new type where the action takes one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LegalizeStep {
    pub action: Action,
    pub type_index: usize,
    pub new_type: Option<Type>,
    /// Name of the rule that matched: `riscv64 G_ADD#2 clamp_scalar`; [`NO_RULE`] if none did.
    pub rule: &'static str,
}

/// What stands for the rule's name where none matches.
pub const NO_RULE: &str = "no rule matches";

const UNSUPPORTED: LegalizeStep =
    LegalizeStep { action: Action::Unsupported, type_index: 0, new_type: None, rule: NO_RULE };

/// Opcodes that no target here has an instruction for and that become others at the same width.
pub const EXPANDED: [Opcode; 37] = {
    use Opcode::*;
    [
        G_UADDSAT,
        G_USUBSAT,
        G_SADDSAT,
        G_SSUBSAT,
        G_USHLSAT,
        G_SSHLSAT,
        G_ABDS,
        G_ABDU,
        G_UAVGFLOOR,
        G_UAVGCEIL,
        G_SAVGFLOOR,
        G_SAVGCEIL,
        G_UADDO,
        G_USUBO,
        G_SADDO,
        G_SSUBO,
        G_UADDE,
        G_USUBE,
        G_SADDE,
        G_SSUBE,
        G_UMULO,
        G_SMULO,
        G_SMULFIX,
        G_UMULFIX,
        G_SMULFIXSAT,
        G_UMULFIXSAT,
        G_UDIVREM,
        G_SDIVREM,
        G_SCMP,
        G_UCMP,
        G_PTRMASK,
        G_CTLZ_ZERO_UNDEF,
        G_CTTZ_ZERO_UNDEF,
        G_UBFX,
        G_SBFX,
        G_EXTRACT,
        G_INSERT,
    ]
};
