//! The rule sets of one target, and the look-up of what they say of an instruction.

use super::rules::RuleSet;
use super::{LegalityQuery, LegalizeStep, UNSUPPORTED, type_source};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use tribunal_ir::{Function, InstData, MemFlags, Opcode, Operand, Type};

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
