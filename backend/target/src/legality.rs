//! The legality rule language: LLVM's `LegalizerInfo`, with its names in snake case. The tables are in
//! `<isa>/legality.rs`; the engine that carries the actions out is in codegen.
//!
//! A rule set is an ordered list; the first rule that matches decides, and no match means [`Action::Unsupported`]. A rule
//! sees a [`LegalityQuery`] and nothing else, so what is legal cannot depend on context. Every rule has a name.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
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

/// Answers that a thread keeps.
const KEPT: usize = 4096;

thread_local! {
    /// Answers to queries that were asked before, each at the place that its key gives: of a thread's own, so that no lock is
    /// taken, and no more than [`KEPT`], however long it runs.
    static KNOWN: RefCell<Vec<(QueryKey, LegalizeStep)>> = RefCell::new(vec![(QueryKey::NONE, UNSUPPORTED); KEPT]);
}

/// A query in few words, to one table: instructions of one key make the same query. Most have one; vectors and strange
/// immediates have not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct QueryKey {
    /// Opcode and types.
    types: u64,
    /// Table, memory operand and immediate.
    rest: u64,
}

impl QueryKey {
    /// The key of no query: no type has all bits of its key set.
    const NONE: QueryKey = QueryKey { types: u64::MAX, rest: u64::MAX };

    /// Where the answer is kept.
    fn place(self) -> usize {
        let mixed = (self.types ^ self.rest.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - KEPT.trailing_zeros())) as usize
    }

    fn new(table: u16, function: &Function, data: &InstData) -> Option<QueryKey> {
        let info = data.opcode.info()?;
        let mut types = u64::from(info.number);
        for source in info.types {
            let Some(operand) = type_source(data, source) else { break };
            types = types << 18 | key_of_type(function.type_of(operand?)?)?;
        }
        let memory = match data.memory.as_slice() {
            [] => 0,
            [memory] => {
                let atomic = u64::from(memory.flags.contains(MemFlags::ATOMIC));
                key_of_type(memory.ty?)? << 8 | u64::from(memory.align.trailing_zeros()) << 1 | atomic
            }
            _ => return None,
        };
        let immediate = match data.operands.get(2).and_then(Operand::as_imm) {
            Some(value) => u64::from(u16::try_from(value).ok()?) << 1 | 1,
            None => 0,
        };
        Some(QueryKey { types, rest: memory << 33 | immediate << 16 | u64::from(table) })
    }
}

/// Eighteen bits, never zero.
fn key_of_type(ty: Type) -> Option<u64> {
    match ty {
        Type::Scalar { bits } => Some(1 << 16 | u64::from(bits)),
        Type::Pointer { address_space: 0, bits } => Some(2 << 16 | u64::from(bits)),
        Type::Pointer { .. } | Type::Vector { .. } => None,
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

/// When a rule applies.
pub type Predicate = Box<dyn Fn(&LegalityQuery) -> bool + Send + Sync>;
/// Which type index changes, and to what.
pub type Mutation = Box<dyn Fn(&LegalityQuery) -> (usize, Type) + Send + Sync>;

/// One rule.
struct Rule {
    /// Names, one for each opcode of the set: `riscv64 G_ADD#2 clamp_scalar`.
    names: Vec<&'static str>,
    predicate: Predicate,
    action: Action,
    mutation: Option<Mutation>,
}

/// The rules of one opcode, or of several that share them.
pub struct RuleSet {
    target: &'static str,
    opcodes: Vec<Opcode>,
    rules: Vec<Arc<Rule>>,
}

/// The rule sets of one target under one set of features.
pub struct LegalizerInfo {
    sets: Vec<RuleSet>,
    /// The set of an opcode, and the opcode's place in it.
    by_opcode: FxHashMap<Opcode, (usize, usize)>,
    /// No other table of the process has it. There are a few tables for each target; the one after 65,536 others has none.
    number: Option<u16>,
}

impl LegalizerInfo {
    pub fn new(sets: Vec<RuleSet>) -> LegalizerInfo {
        let by_opcode = sets
            .iter()
            .enumerate()
            .flat_map(|(index, set)| {
                set.opcodes.iter().enumerate().map(move |(place, &opcode)| (opcode, (index, place)))
            })
            .collect();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = u16::try_from(NEXT.fetch_add(1, Ordering::Relaxed)).ok();
        LegalizerInfo { sets, by_opcode, number }
    }

    /// What the rules say of an instruction; looked up once asked.
    pub fn legality(&self, function: &Function, data: &InstData) -> LegalizeStep {
        let decide = || LegalityQuery::of(function, data).map_or(UNSUPPORTED, |query| self.action(&query));
        match self.number.and_then(|table| QueryKey::new(table, function, data)) {
            Some(key) => KNOWN.with_borrow_mut(|known| {
                let (known, step) = &mut known[key.place()];
                if *known != key {
                    (*known, *step) = (key, decide());
                }
                *step
            }),
            None => decide(),
        }
    }

    /// What the rules say of a query.
    pub fn action(&self, query: &LegalityQuery) -> LegalizeStep {
        let Some(&(set, place)) = self.by_opcode.get(&query.opcode) else { return UNSUPPORTED };
        let rule = self.sets[set].rules.iter().find(|rule| (rule.predicate)(query));
        let Some(rule) = rule else { return UNSUPPORTED };
        let change = rule.mutation.as_ref().map(|mutation| mutation(query));
        LegalizeStep {
            action: rule.action,
            type_index: change.map_or(0, |(index, _)| index),
            new_type: change.map(|(_, ty)| ty),
            rule: rule.names[place],
        }
    }

    /// The rules, in table order: for each its names, one for each opcode that shares it.
    pub fn rules(&self) -> impl Iterator<Item = &[&'static str]> {
        self.sets.iter().flat_map(|set| set.rules.iter().map(|rule| rule.names.as_slice()))
    }

    /// The table without its `index`-th rule, for those who ask whether that would be noticed.
    pub fn without(&self, mut index: usize) -> LegalizerInfo {
        let mut sets = Vec::new();
        for set in &self.sets {
            let mut set = RuleSet { target: set.target, opcodes: set.opcodes.clone(), rules: set.rules.clone() };
            if index < set.rules.len() {
                set.rules.remove(index);
                index = usize::MAX;
            } else if index != usize::MAX {
                index -= set.rules.len();
            }
            sets.push(set);
        }
        LegalizerInfo::new(sets)
    }

    /// Opcodes that have a rule set.
    pub fn opcodes(&self) -> impl Iterator<Item = Opcode> + '_ {
        self.sets.iter().flat_map(|set| set.opcodes.iter().copied())
    }
}

/// What stands for the rule's name where none matches.
pub const NO_RULE: &str = "no rule matches";

const UNSUPPORTED: LegalizeStep =
    LegalizeStep { action: Action::Unsupported, type_index: 0, new_type: None, rule: NO_RULE };

/// Rules for `opcodes` of the target called `target`.
pub fn rules_for(target: &'static str, opcodes: &[Opcode]) -> RuleSet {
    RuleSet { target, opcodes: opcodes.to_vec(), rules: Vec::new() }
}

// The methods. Type indices are those of the opcode table.
impl RuleSet {
    fn rule(mut self, method: &str, action: Action, predicate: Predicate, mutation: Option<Mutation>) -> RuleSet {
        let name = |opcode: &Opcode| -> &'static str {
            // Tables are made once for each target and feature set and live as long as the process.
            Box::leak(format!("{} {opcode}#{} {method}", self.target, self.rules.len()).into())
        };
        let names = self.opcodes.iter().map(name).collect();
        self.rules.push(Arc::new(Rule { names, predicate, action, mutation }));
        self
    }

    /// Legal whatever the types.
    pub fn always_legal(self) -> RuleSet {
        self.rule("always_legal", Action::Legal, Box::new(|_| true), None)
    }

    /// Legal if type 0 is one of these.
    pub fn legal_for(self, types: &[Type]) -> RuleSet {
        let types = types.to_vec();
        self.rule(
            "legal_for",
            Action::Legal,
            Box::new(move |q| q.types.first().is_some_and(|ty| types.contains(ty))),
            None,
        )
    }

    /// Legal if types 0 and 1 are one of these pairs.
    pub fn legal_for_pairs(self, pairs: &[(Type, Type)]) -> RuleSet {
        let pairs = pairs.to_vec();
        self.rule("legal_for", Action::Legal, Box::new(move |q| pairs_contain(&pairs, q)), None)
    }

    /// Legal if the predicate holds.
    pub fn legal_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("legal_if", Action::Legal, Box::new(predicate), None)
    }

    /// Legal if type 0 is `ty` and the immediate one of these; no rule if there are none.
    pub fn legal_for_immediates(self, ty: Type, immediates: &[i64]) -> RuleSet {
        if immediates.is_empty() {
            return self;
        }
        let immediates = immediates.to_vec();
        let listed = move |q: &LegalityQuery| {
            q.types.first() == Some(&ty) && q.immediate.is_some_and(|immediate| immediates.contains(&immediate))
        };
        self.rule("legal_for_immediates", Action::Legal, Box::new(listed), None)
    }

    /// Legal for these (type 0, memory bits) with an access aligned to at least `align(memory bits)` bits.
    pub fn legal_for_types_with_mem_desc(self, accesses: &[(Type, u32)], natural: Alignment) -> RuleSet {
        let accesses = accesses.to_vec();
        let fits = move |q: &LegalityQuery| {
            let aligned =
                natural == Alignment::Any || q.memory.iter().all(|memory| memory.align_bits >= memory.ty.bits());
            aligned && accesses.iter().any(|&(ty, bits)| q.types.first() == Some(&ty) && q.mem_bits() == bits)
        };
        self.rule("legal_for_types_with_mem_desc", Action::Legal, Box::new(fits), None)
    }

    /// Lower whatever the types.
    pub fn lower(self) -> RuleSet {
        self.rule("lower", Action::Lower, Box::new(|_| true), None)
    }

    pub fn lower_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("lower_if", Action::Lower, Box::new(predicate), None)
    }

    /// Lower accesses of a size that is not 1, 2, 4, 8, ... bytes.
    pub fn lower_if_mem_size_not_byte_size_pow2(self) -> RuleSet {
        let odd = |q: &LegalityQuery| q.mem_bits() < 8 || !q.mem_bits().is_power_of_two();
        self.rule("lower_if_mem_size_not_byte_size_pow2", Action::Lower, Box::new(odd), None)
    }

    /// The runtime library, if type 0 is one of these; no rule if there are none.
    pub fn libcall_for(self, types: &[Type]) -> RuleSet {
        if types.is_empty() {
            return self;
        }
        let types = types.to_vec();
        let listed = move |q: &LegalityQuery| q.types.first().is_some_and(|ty| types.contains(ty));
        self.rule("libcall_for", Action::Libcall, Box::new(listed), None)
    }

    /// The target's own expansion, if type 0 is one of these; no rule if there are none.
    pub fn custom_for(self, types: &[Type]) -> RuleSet {
        if types.is_empty() {
            return self;
        }
        let types = types.to_vec();
        let listed = move |q: &LegalityQuery| q.types.first().is_some_and(|ty| types.contains(ty));
        self.rule("custom_for", Action::Custom, Box::new(listed), None)
    }

    /// What no rule above decides is refused.
    pub fn unsupported(self) -> RuleSet {
        self.rule("unsupported", Action::Unsupported, Box::new(|_| true), None)
    }

    pub fn unsupported_if(self, predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static) -> RuleSet {
        self.rule("unsupported_if", Action::Unsupported, Box::new(predicate), None)
    }

    /// Vectors and atomic accesses, which nothing below handles.
    pub fn unsupported_if_not_scalar(self) -> RuleSet {
        let other =
            |q: &LegalityQuery| q.types.iter().any(|ty| ty.is_vector()) || q.memory.iter().any(|memory| memory.atomic);
        self.rule("unsupported_if_not_scalar", Action::Unsupported, Box::new(other), None)
    }

    pub fn widen_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
        ty: Type,
    ) -> RuleSet {
        self.rule("widen_scalar_if", Action::WidenScalar, Box::new(predicate), Some(Box::new(move |_| (index, ty))))
    }

    pub fn narrow_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
        ty: Type,
    ) -> RuleSet {
        self.rule("narrow_scalar_if", Action::NarrowScalar, Box::new(predicate), Some(Box::new(move |_| (index, ty))))
    }

    /// Round a scalar up to a power of two bits.
    pub fn widen_scalar_to_next_pow2(self, index: usize) -> RuleSet {
        let odd = move |q: &LegalityQuery| q.is_scalar(index) && !q.bits(index).is_power_of_two();
        let next = move |q: &LegalityQuery| (index, Type::scalar(q.bits(index).next_power_of_two()));
        self.rule("widen_scalar_to_next_pow2", Action::WidenScalar, Box::new(odd), Some(Box::new(next)))
    }

    /// Widen to at least `ty`.
    pub fn min_scalar(self, index: usize, ty: Type) -> RuleSet {
        let narrower = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) < ty.bits();
        self.rule("min_scalar", Action::WidenScalar, Box::new(narrower), Some(Box::new(move |_| (index, ty))))
    }

    /// Narrow to at most `ty`: by halves while a half is no narrower.
    pub fn max_scalar(self, index: usize, ty: Type) -> RuleSet {
        let wider = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) > ty.bits();
        let part = move |q: &LegalityQuery| match q.bits(index).is_power_of_two() {
            true => (index, Type::scalar((q.bits(index) / 2).max(ty.bits()))),
            false => (index, ty),
        };
        self.rule("max_scalar", Action::NarrowScalar, Box::new(wider), Some(Box::new(part)))
    }

    /// Narrow type `index` to half its size.
    pub fn halve_scalar_if(
        self,
        predicate: impl Fn(&LegalityQuery) -> bool + Send + Sync + 'static,
        index: usize,
    ) -> RuleSet {
        let half = move |q: &LegalityQuery| (index, Type::scalar(q.bits(index) / 2));
        self.rule("halve_scalar_if", Action::NarrowScalar, Box::new(predicate), Some(Box::new(half)))
    }

    /// Narrow a value wider than `ty` to what its narrower access needs, but not below `ty`.
    pub fn narrow_scalar_to_access(self, ty: Type) -> RuleSet {
        let needed = move |q: &LegalityQuery| q.mem_bits().next_power_of_two().max(ty.bits());
        let wider = move |q: &LegalityQuery| q.is_scalar(0) && q.bits(0) > needed(q);
        let part = move |q: &LegalityQuery| (0, Type::scalar(needed(q)));
        self.rule("narrow_scalar_to_access", Action::NarrowScalar, Box::new(wider), Some(Box::new(part)))
    }

    /// Widen to at least `least`, narrow to at most `most`.
    pub fn clamp_scalar(self, index: usize, least: Type, most: Type) -> RuleSet {
        self.min_scalar(index, least).max_scalar(index, most)
    }

    /// Make type `index` as wide as type `other`, by widening or narrowing it.
    pub fn scalar_same_size_as(self, index: usize, other: usize) -> RuleSet {
        let narrower = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) < q.bits(other);
        let wider = move |q: &LegalityQuery| q.is_scalar(index) && q.bits(index) > q.bits(other);
        let same = move |q: &LegalityQuery| (index, Type::scalar(q.bits(other)));
        self.rule("scalar_same_size_as", Action::WidenScalar, Box::new(narrower), Some(Box::new(same))).rule(
            "scalar_same_size_as",
            Action::NarrowScalar,
            Box::new(wider),
            Some(Box::new(same)),
        )
    }
}

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

/// What a load or store may rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alignment {
    /// At least the size of the access.
    Natural,
    /// Any.
    Any,
}

fn pairs_contain(pairs: &[(Type, Type)], query: &LegalityQuery) -> bool {
    matches!(query.types.as_slice(), [first, second, ..] if pairs.contains(&(*first, *second)))
}

/// Reads type and memory sizes for the predicates of tables.
pub mod predicates {
    use super::LegalityQuery;

    /// Type `index` is a scalar wider than `bits`.
    pub fn scalar_wider_than(index: usize, bits: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync + Copy {
        move |q| q.is_scalar(index) && q.bits(index) > bits
    }

    /// Type `whole` is wider than a register and twice type `part`.
    pub fn made_of_halves(whole: usize, part: usize, register: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync {
        move |q| are_bytes(q, whole, part, register) && q.bits(whole) == 2 * q.bits(part)
    }

    /// Type `whole` is wider than a register and more than twice type `part`.
    pub fn made_of_smaller_parts(
        whole: usize,
        part: usize,
        register: u32,
    ) -> impl Fn(&LegalityQuery) -> bool + Send + Sync {
        move |q| are_bytes(q, whole, part, register) && q.bits(whole) > 2 * q.bits(part)
    }

    fn are_bytes(q: &LegalityQuery, whole: usize, part: usize, register: u32) -> bool {
        let (whole, part) = (q.bits(whole), q.bits(part));
        whole > register && whole.is_power_of_two() && part.is_power_of_two() && part >= 8
    }

    /// A rotation by an amount, type 1, that must be divided by a width, type 0, and is wider than `bits`: too wide to divide.
    pub fn amount_needs_division(bits: u32) -> impl Fn(&LegalityQuery) -> bool + Send + Sync + Copy {
        move |q| !q.bits(0).is_power_of_two() && q.bits(1).next_power_of_two() > bits
    }

    /// The access is narrower than type 0.
    pub fn mem_narrower_than_value(q: &LegalityQuery) -> bool {
        q.mem_bits() < q.bits(0)
    }

    /// The access is less aligned than its size.
    pub fn misaligned(q: &LegalityQuery) -> bool {
        q.memory.iter().any(|memory| memory.align_bits < memory.ty.bits())
    }
}
