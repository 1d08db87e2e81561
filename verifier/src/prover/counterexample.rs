//! Counterexamples: minimised, and expressed in registers and bytes, so that an engine can execute them.

use super::evaluate::{Assignment, Evaluator, operands};
use super::memory::{BYTES, POISON, VALID, is_usual, kind_of};
use super::query::Query;
use super::side;
use super::term::{MemNode, Node, Symbolic, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tribunal_ir::bits::Bits;
use tribunal_ir::{PReg, VReg};

/// A value as a report shows it: its bits, and whether it is poison.
pub type Shown = (Bits, bool);

/// A byte of memory that may be touched: its contents, and whether they are poison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Byte {
    /// Its address.
    pub address: u64,
    /// Its contents.
    pub value: u8,
    /// True if it is poison.
    pub poison: bool,
}

/// Values that refute a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// Registers that are read before they are written, or elements of them: value, and whether it is poison.
    pub inputs: Vec<(ValueName, Bits, bool)>,
    /// Machine registers that are read before they are written.
    pub physical: Vec<(PReg, Bits)>,
    /// The number of the block that control came from, where the step has PHIs.
    pub edge: Option<u32>,
    /// Memory that the step touches, by address.
    pub memory: Vec<Byte>,
    /// The outputs: value and poison before and after.
    pub outputs: Vec<(ValueName, Shown, Shown)>,
}

/// The name of a value of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueName {
    /// A register.
    Register(VReg),
    /// The element of this number of a register that holds a vector.
    Element(VReg, u32),
    /// `memory`, at one place; `branch`, the direction of control.
    Other(&'static str),
}

impl std::fmt::Display for ValueName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ValueName::Register(register) => write!(f, "{register}"),
            ValueName::Element(register, number) => write!(f, "{register}[{number}]"),
            ValueName::Other(name) => f.write_str(name),
        }
    }
}

/// The counterexample that `assignment` stands for, minimised.
pub(super) fn counterexample(query: &Query, assignment: &Assignment) -> Counterexample {
    let assignment = minimised(query, assignment.clone());
    let mut evaluator = Evaluator::new(&query.graph, &assignment);
    let inputs = query.inputs.order.iter().flat_map(|&register| {
        let value = &query.inputs.registers[&register];
        let (bits, elements) = (evaluator.value(value.bits), value.poison_of_elements());
        let width = bits.width() / elements.len() as u32;
        let name = |number| match elements.len() {
            1 => ValueName::Register(register),
            _ => ValueName::Element(register, number),
        };
        let part = |(number, &poison)| (name(number), bits.extract(number * width, width), evaluator.holds(poison));
        (0..).zip(elements).map(part).collect::<Vec<_>>()
    });
    let inputs = inputs.collect();
    let mut physical: Vec<(PReg, Bits)> =
        query.inputs.physical.iter().map(|(&register, &bits)| (register, evaluator.value(bits))).collect();
    physical.sort_unstable_by_key(|(register, _)| *register);
    let mut read = |value: &side::Scalar| (evaluator.value(value.bits), evaluator.holds(value.poison));
    let outputs = query.outputs.iter().map(|output| (output.name, read(&output.source), read(&output.target)));
    let outputs = outputs.collect();
    let edge = query.inputs.edge.map(|edge| evaluator.value(edge).low_u64() as u32);
    let memory = memory(&query.graph, query.wrong, &mut evaluator);
    Counterexample { inputs, physical, edge, memory, outputs }
}

/// Rounds of minimisation; the second seldom finds anything.
const ROUNDS: u32 = 3;
/// The most terms evaluated.
const BUDGET: usize = 20_000_000;

/// A minimal assignment on which the step is wrong too: no value is needlessly poison, each value that can be zero is,
/// and no set bit can be cleared by itself.
fn minimised(query: &Query, assignment: Assignment) -> Assignment {
    let mut smaller = Smaller { query, assignment: placed(query, assignment), budget: BUDGET };
    // Variables that nothing reads, and bytes as the seed had them, are dropped if the rest alone shows it.
    smaller.attempt(|assignment| assignment.seed = None);
    let is_poison =
        |term: Term| query.inputs.registers.values().any(|value| value.poison_of_elements().contains(&term));
    for _ in 0..ROUNDS {
        let mut variables: Vec<Term> = smaller.assignment.values.keys().copied().collect();
        variables.sort_by_key(|&term| (!is_poison(term), term));
        let shrunk = variables.into_iter().fold(false, |any, term| smaller.variable(term) | any);
        let mut places: Vec<(u32, u64)> = smaller.assignment.contents.keys().copied().collect();
        places.sort_unstable();
        let emptied = places.into_iter().fold(false, |any, place| smaller.place(place) | any);
        if !shrunk && !emptied {
            break;
        }
    }
    smaller.assignment
}

/// The values of reads of initial memory by place instead of by term, so that reads at other addresses have values too.
fn placed(query: &Query, mut assignment: Assignment) -> Assignment {
    let mut evaluator = Evaluator::new(&query.graph, &assignment);
    let contents: Vec<_> = reads(&query.graph, query.wrong)
        .into_iter()
        .map(|(number, term, address)| ((number, evaluator.value(address).low_u64()), evaluator.value(term)))
        .collect();
    assignment.contents.extend(contents);
    assignment.values.retain(|&term, _| matches!(query.graph.node(term), Node::Var(_)));
    assignment
}

/// Reads of initial memory under `root`: the memory's number, the read, the address.
fn reads(graph: &Symbolic, root: Term) -> Vec<(u32, Term, Term)> {
    let (mut pending, mut seen, mut reads) = (vec![root], FxHashSet::default(), Vec::new());
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Node::Select(memory, address) = graph.node(term)
            && let MemNode::Initial(number, _) = graph.memories[memory.0 as usize]
        {
            reads.push((number, term, address));
        }
        pending.extend(operands(graph, term));
    }
    reads
}

struct Smaller<'q> {
    query: &'q Query,
    assignment: Assignment,
    /// Terms that may yet be evaluated: a large question keeps its counterexample as it is found.
    budget: usize,
}

impl Smaller<'_> {
    /// Makes the change if the step is still wrong after it.
    fn attempt(&mut self, change: impl FnOnce(&mut Assignment)) -> bool {
        let Some(budget) = self.budget.checked_sub(self.query.graph.bound()) else { return false };
        self.budget = budget;
        let mut changed = self.assignment.clone();
        change(&mut changed);
        let wrong = Evaluator::new(&self.query.graph, &changed).holds(self.query.wrong);
        if wrong {
            self.assignment = changed;
        }
        wrong
    }

    fn variable(&mut self, term: Term) -> bool {
        let value = self.assignment.values[&term];
        if value.is_zero() || self.attempt(|a| a.set(term, Bits::zero(value.width()))) {
            return !value.is_zero();
        }
        self.clear(value, |assignment, value| assignment.set(term, value))
    }

    fn place(&mut self, place: (u32, u64)) -> bool {
        let value = self.assignment.contents[&place];
        let usual = Bits::new(u128::from(is_usual(place.0)), value.width());
        let put = |assignment: &mut Assignment, value| assignment.contents.extend([(place, value)]);
        if value == usual || self.attempt(|assignment| put(assignment, usual)) {
            return value != usual;
        }
        kind_of(place.0) == BYTES && self.clear(value, put)
    }

    /// Clears set bits one by one, from the top; true if any could be.
    fn clear(&mut self, mut value: Bits, mut put: impl FnMut(&mut Assignment, Bits)) -> bool {
        let before = value;
        for index in (0..value.width()).rev().filter(|&index| before.bit(index)) {
            let cleared = value.xor(Bits::one_bit(index, value.width()));
            if self.attempt(|assignment| put(assignment, cleared)) {
                value = cleared;
            }
        }
        value != before
    }
}

/// The bytes that may be touched.
fn memory(graph: &Symbolic, wrong: Term, evaluator: &mut Evaluator<'_>) -> Vec<Byte> {
    let mut places: BTreeMap<u64, [Option<Bits>; 3]> = BTreeMap::new();
    for (number, term, address) in reads(graph, wrong) {
        if let Some(kind) = [BYTES, POISON, VALID].iter().position(|&kind| kind == kind_of(number)) {
            places.entry(evaluator.value(address).low_u64()).or_default()[kind] = Some(evaluator.value(term));
        }
    }
    let bytes = places.into_iter().filter_map(|(address, [value, poison, valid])| {
        valid.filter(|valid| !valid.is_zero())?;
        let value = value.map_or(0, |value| value.low_u64() as u8);
        Some(Byte { address, value, poison: poison.is_some_and(|poison| !poison.is_zero()) })
    });
    bytes.collect()
}
