//! The rule sets of one target, and the look-up of their answer for an instruction.

use super::rules::RuleSet;
use super::step::{LegalizeStep, UNSUPPORTED};
use super::{Action, LegalityQuery, type_source};
use crate::Features;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cell::{Cell, RefCell};
use std::hash::Hasher;
use std::sync::atomic::{AtomicU32, Ordering};
use tribunal_ir::{Function, InstData, Opcode, OpcodeInfo, Operand, Type};

/// The rule sets of one target under one set of features.
pub struct LegalizerInfo {
    sets: Vec<RuleSet>,
    /// The set whose rules an opcode has, and the place there of the opcode that names them.
    by_opcode: FxHashMap<Opcode, (usize, usize)>,
    /// The features of the machine that it is for.
    features: Features,
    /// The table's number, unique in the process. There are a few tables for each target; the one after 65,536 others
    /// has none.
    number: Option<u16>,
}

/// A fault of a table by itself, whatever the query (LLVM's `LegalizerInfo::verify`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IllDefined {
    /// No rule covers the type of this index.
    #[error("{opcode}: no rule is about type index {index}")]
    TypeIndex {
        /// The opcode.
        opcode: Opcode,
        /// The index, counted from 0.
        index: usize,
    },
    /// No rule covers the immediate of this index.
    #[error("{opcode}: no rule is about immediate index {index}")]
    ImmediateIndex {
        /// The opcode.
        opcode: Opcode,
        /// The index, counted from 0.
        index: usize,
    },
    /// Two rule sets name the opcode, so that one would be ignored.
    #[error("{opcode}: has two rule sets")]
    TwoSets {
        /// The opcode.
        opcode: Opcode,
    },
    /// The opcode is the alias of one without rules.
    #[error("{opcode}: has the rules of {of}, which has none")]
    AliasOfNothing {
        /// The alias.
        opcode: Opcode,
        /// The opcode that it takes its rules from.
        of: Opcode,
    },
    /// The opcode is the alias of an alias.
    #[error("{opcode}: has the rules of {of}, which has those of another")]
    AliasOfAlias {
        /// The alias.
        opcode: Opcode,
        /// The opcode that it takes its rules from.
        of: Opcode,
    },
    /// The opcode is an alias and has rules of its own, too.
    #[error("{opcode}: has the rules of {of}, and some of its own")]
    AliasWithRules {
        /// The alias.
        opcode: Opcode,
        /// The opcode that it takes its rules from.
        of: Opcode,
    },
}

impl LegalizerInfo {
    /// A table of these rule sets, for a machine with all features; [`LegalizerInfo::verify`] finds their faults.
    pub fn new(sets: Vec<RuleSet>) -> LegalizerInfo {
        let mut by_opcode: FxHashMap<Opcode, (usize, usize)> = FxHashMap::default();
        for (index, set) in sets.iter().enumerate().filter(|(_, set)| set.alias.is_none()) {
            by_opcode.extend(set.opcodes.iter().zip(0..).map(|(&opcode, place)| (opcode, (index, place))));
        }
        // Only sets that are no aliases are known so far, so aliases do not chain.
        let aliases = sets.iter().filter_map(|set| Some((set, *by_opcode.get(&set.alias?)?)));
        let aliases: Vec<(Opcode, (usize, usize))> =
            aliases.flat_map(|(set, found)| set.opcodes.iter().map(move |&opcode| (opcode, found))).collect();
        by_opcode.extend(aliases);
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = u16::try_from(NEXT.fetch_add(1, Ordering::Relaxed)).ok();
        LegalizerInfo { sets, by_opcode, features: Features::all(), number }
    }

    /// The same for a machine that has these features alone.
    pub fn for_features(self, features: Features) -> LegalizerInfo {
        LegalizerInfo { features, ..self }
    }

    /// The features of the machine that the table is for.
    pub fn features(&self) -> Features {
        self.features
    }

    /// The faults of the table. An opcode's rules must cover every type and immediate index of its row. An alias must
    /// stand for a set of rules. No opcode may have two sets.
    pub fn verify(&self) -> Vec<IllDefined> {
        let mut faults = Vec::new();
        let mut met = FxHashSet::default();
        for set in &self.sets {
            for &opcode in &set.opcodes {
                if !met.insert(opcode) {
                    faults.push(IllDefined::TwoSets { opcode });
                }
                match set.alias {
                    Some(of) => faults.extend(self.verify_alias(set, opcode, of)),
                    None => faults.extend(uncovered(set, opcode)),
                }
            }
        }
        faults
    }

    fn verify_alias(&self, set: &RuleSet, opcode: Opcode, of: Opcode) -> Vec<IllDefined> {
        let is_alias = |other: &&RuleSet| other.alias.is_some() && other.opcodes.contains(&of);
        if !set.rules.is_empty() {
            return vec![IllDefined::AliasWithRules { opcode, of }];
        }
        match self.sets.iter().find(|set| set.alias.is_none() && set.opcodes.contains(&of)) {
            Some(rules) => uncovered(rules, opcode).collect(),
            None if self.sets.iter().any(|set| is_alias(&set)) => vec![IllDefined::AliasOfAlias { opcode, of }],
            None => vec![IllDefined::AliasOfNothing { opcode, of }],
        }
    }

    /// True if another opcode's set is an alias of `opcode`.
    pub fn is_aliased_by_another(&self, opcode: Opcode) -> bool {
        self.sets.iter().any(|set| set.alias == Some(opcode))
    }

    /// The rules' answer for an instruction, cached by its query.
    pub fn legality(&self, function: &Function, data: &InstData) -> LegalizeStep {
        let decide = || LegalityQuery::of(function, data).map_or(UNSUPPORTED, |query| self.action(&query));
        if RECORDS.get() {
            return decide();
        }
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

    /// The rules' answer to a query.
    pub fn action(&self, query: &LegalityQuery) -> LegalizeStep {
        if RECORDS.get() {
            RECORDED.with_borrow_mut(|recorded| recorded.insert(query.clone()));
        }
        self.by_opcode.get(&query.opcode).map_or(UNSUPPORTED, |&(set, place)| self.sets[set].answer(query, place))
    }

    /// The rules, in table order: for each its names, one for each opcode that shares it.
    pub fn rules(&self) -> impl Iterator<Item = &[&'static str]> {
        self.sets.iter().flat_map(|set| set.rules.iter().map(|rule| rule.names.as_slice()))
    }

    /// Names of the rules whose action rewrites. A rule about vectors has none for an opcode that is of scalars alone.
    pub fn rewrites(&self) -> impl Iterator<Item = &'static str> + '_ {
        let rewrites = |opcode: Opcode, action| match action {
            Action::Legal | Action::Unsupported => false,
            Action::FewerElements | Action::MoreElements => opcode.info().is_some_and(OpcodeInfo::takes_vectors),
            _ => true,
        };
        let rules = self.sets.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
        rules.flat_map(move |(set, rule)| {
            let named = set.opcodes.iter().zip(&rule.names);
            named.filter(move |(opcode, _)| rewrites(**opcode, rule.action)).map(|(_, name)| *name)
        })
    }

    /// The table without its `index`-th rule, for checks that its absence is noticed.
    pub fn without(&self, mut index: usize) -> LegalizerInfo {
        let mut sets = self.sets.clone();
        for set in &mut sets {
            if index < set.rules.len() {
                set.rules.remove(index);
                break;
            }
            index -= set.rules.len();
        }
        LegalizerInfo::new(sets)
    }

    /// Opcodes that have a rule set.
    pub fn opcodes(&self) -> impl Iterator<Item = Opcode> + '_ {
        self.sets.iter().flat_map(|set| set.opcodes.iter().copied())
    }
}

/// Runs `run`, and returns the queries that it put to any table on this thread: the answers to them are all that it
/// learns of the rules.
pub fn recorded_queries<T>(run: impl FnOnce() -> T) -> (T, FxHashSet<LegalityQuery>) {
    RECORDED.take();
    RECORDS.set(true);
    let result = run();
    RECORDS.set(false);
    (result, RECORDED.take())
}

/// The indices of `opcode` that the rules of `set` do not cover.
fn uncovered(set: &RuleSet, opcode: Opcode) -> impl Iterator<Item = IllDefined> + use<> {
    let ty = set.verify_type_idxs_coverage(opcode.type_indices());
    let immediate = set.verify_imm_idxs_coverage(opcode.immediate_indices());
    let ty = ty.map(|index| IllDefined::TypeIndex { opcode, index });
    ty.into_iter().chain(immediate.map(|index| IllDefined::ImmediateIndex { opcode, index }))
}

/// The number of answers that a thread caches.
const KEPT: usize = 4096;

thread_local! {
    /// A cache of answers, each at the place that its key gives. Each thread has its own, so that no lock is taken, of
    /// [`KEPT`] entries however long it runs.
    static KNOWN: RefCell<Vec<(QueryKey, LegalizeStep)>> = RefCell::new(vec![(QueryKey::NONE, UNSUPPORTED); KEPT]);
    /// True while queries are recorded, and those so far.
    static RECORDS: Cell<bool> = const { Cell::new(false) };
    static RECORDED: RefCell<FxHashSet<LegalityQuery>> = RefCell::default();
}

/// The key of a query to one table: instructions of one key make the same query. Most instructions have a key; those
/// with vectors, atomic accesses and unusual immediates have none.
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

    /// The place of the answer in the cache.
    fn place(self) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.types);
        hasher.write_u64(self.rest);
        hasher.finish() as usize % KEPT
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
            [memory] if !memory.is_atomic() => {
                key_of_type(memory.ty?)? << 8 | u64::from(memory.align.trailing_zeros()) << 1
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
