//! The global mode: the banks of all values of a function whose copies cost least, by a minimum cut. LLVM has
//! announced such a mode of its RegBankSelect and not built it.
//!
//! **The cost.** A copy costs the frequency of its block ([`BlockFrequencies`]). With given banks, each value that is
//! read in the other bank needs copies such that one dominates each such read. A set of blocks will do that are under
//! that of the definition in the dominator tree, with one on every way up from a read. [`super::copies`] writes the
//! cheapest such set.
//!
//! **The graph.** The source is the bank of integers, the sink the other; a node on the side of the source is 0, on the
//! side of the sink 1. For each value `v`:
//!
//! - a node `v`, or the source or the sink if its definition leaves no choice;
//! - for each block `b` between a read and the definition a node `f(b)`: *`v` is in the bank of floating point there*.
//!   An edge to it comes from `f` of the block right above, or from `v` in the block of the definition, and has the
//!   frequency of `b`;
//! - a node `g(b)` likewise for the bank of integers, with the edges turned round.
//!
//! A read in block `b` for a value `r` that is in the bank of its result has an unlimited edge from `f(b)` to `r`, and
//! one from `r` to `g(b)`. A read that wants one bank has that of these edges that concerns it, with source or sink in
//! the place of `r`.
//!
//! **Why the cut is the cost.** Let the banks of all values be fixed. The least cut with these values on their sides
//! picks the sides of `f` and `g`. If `v` is 1, all its `f` are 1 at no cost; its reads bind `g` alone. If `v` is 0,
//! a read whose result is 1 needs `f(b) = 1`, and an edge into `f(b)` is cut where the block above is 0. Those are
//! the blocks of copies, and there is one on every way up from such a read. Turned round, any set of copies that
//! serves all reads is such a choice: `f(b)` is 1 where a copy dominates `b`. So the least cut is the least sum over
//! all banks and all places. Every way from source to sink has an edge of finite capacity, since each read ends at an
//! `f` or a `g`.
//!
//! Values pass their banks on within webs. A web all of whose ends want one bank takes it, at no cost, and is no part
//! of the graph; nor is a function without a dispute.

use super::copies::{defining_block, way_up};
use super::{GENERAL, Read, Want, bank_of};
use crate::frequencies::BlockFrequencies;
use petgraph::Direction;
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::{Block, Constraint, Function, RegBank, VReg};
use tribunal_target::Target;

/// Gives each of `choices` its bank in the cheapest code.
pub(super) fn choose(
    function: &mut Function,
    target: &Target,
    choices: &FxHashMap<VReg, [RegBank; 2]>,
    reads: &[Read],
) {
    let disputed = settle(function, target, choices, reads);
    if disputed.is_empty() {
        return;
    }
    let is_disputed = |read: &&Read| {
        disputed.contains(&read.value) || matches!(read.want, Want::Of(result) if disputed.contains(&result))
    };
    // A copy is shared with reads that are not in dispute.
    let shared: FxHashSet<VReg> = reads.iter().filter(is_disputed).map(|read| read.value).collect();
    let frequencies = BlockFrequencies::of(function);
    let mut network = Network::new(function, target, &frequencies, &disputed);
    reads.iter().filter(|read| shared.contains(&read.value)).for_each(|read| network.add(read));
    for (value, is_general) in network.cut() {
        let [general, other] = choices[&value];
        function.vregs[value].constraint = Constraint::Bank(if is_general { general } else { other });
    }
}

/// Gives the values of a web the bank that all around it want, and names those that are in dispute.
fn settle(
    function: &mut Function,
    target: &Target,
    choices: &FxHashMap<VReg, [RegBank; 2]>,
    reads: &[Read],
) -> FxHashSet<VReg> {
    let values: Vec<VReg> = choices.keys().copied().collect();
    let numbers: FxHashMap<VReg, usize> = values.iter().copied().zip(0..).collect();
    let mut webs = UnionFind::<usize>::new(values.len());
    let result = |read: &Read| match read.want {
        Want::Of(result) => numbers.get(&result).copied(),
        Want::Bank(_) => None,
    };
    for read in reads {
        if let (Some(&value), Some(result)) = (numbers.get(&read.value), result(read)) {
            webs.union(value, result);
        }
    }
    // Whether the bank of integers is wanted, and the other.
    let mut wishes = vec![[false; 2]; values.len()];
    for read in reads {
        let (web, bank) = match (numbers.get(&read.value), result(read)) {
            (Some(&value), None) => (value, read.bank(function, target)),
            (None, Some(result)) => (result, bank_of(function, target, read.value)),
            _ => continue,
        };
        wishes[webs.find_mut(web)][usize::from(bank != Some(GENERAL))] = true;
    }
    let mut disputed = FxHashSet::default();
    for (number, &value) in values.iter().enumerate() {
        let [general, other] = choices[&value];
        let bank = match wishes[webs.find_mut(number)] {
            [true, true] => {
                disputed.insert(value);
                continue;
            }
            [false, false] => continue,
            [true, false] => general,
            [false, true] => other,
        };
        function.vregs[value].constraint = Constraint::Bank(bank);
    }
    disputed
}

/// More than all frequencies together, which are at most a million for each of the copies.
const UNLIMITED: u64 = 1 << 56;

/// The graph.
struct Network<'f> {
    function: &'f Function,
    target: &'f Target,
    frequencies: &'f BlockFrequencies,
    graph: DiGraph<(), u64>,
    general: NodeIndex,
    other: NodeIndex,
    values: FxHashMap<VReg, NodeIndex>,
    /// `g` and `f` of a value in a block.
    places: FxHashMap<(VReg, Block, Side), NodeIndex>,
}

/// The bank in which a value is to be had by a copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    General,
    Other,
}

impl<'f> Network<'f> {
    fn new(
        function: &'f Function,
        target: &'f Target,
        frequencies: &'f BlockFrequencies,
        disputed: &FxHashSet<VReg>,
    ) -> Network<'f> {
        let mut graph = DiGraph::new();
        let (general, other) = (graph.add_node(()), graph.add_node(()));
        let values = disputed.iter().map(|&value| (value, graph.add_node(()))).collect();
        Network { function, target, frequencies, graph, general, other, values, places: FxHashMap::default() }
    }

    /// The node of a value.
    fn value(&self, value: VReg) -> NodeIndex {
        let fixed = || self.bank(bank_of(self.function, self.target, value));
        self.values.get(&value).copied().unwrap_or_else(fixed)
    }

    fn bank(&self, bank: Option<RegBank>) -> NodeIndex {
        if bank == Some(GENERAL) { self.general } else { self.other }
    }

    fn add(&mut self, read: &Read) {
        let from = self.value(read.value);
        let to = match read.want {
            Want::Bank(bank) => self.bank(Some(bank)),
            Want::Of(result) => self.value(result),
        };
        if from != self.other && to != self.general {
            let place = self.place(read, Side::Other);
            self.graph.update_edge(place, to, UNLIMITED);
        }
        if from != self.general && to != self.other {
            let place = self.place(read, Side::General);
            self.graph.update_edge(to, place, UNLIMITED);
        }
    }

    /// The node `f` or `g` of the read, with those above it.
    fn place(&mut self, read: &Read, side: Side) -> NodeIndex {
        let Some(own) = defining_block(self.function, read.value) else { return self.value(read.value) };
        let mut lower: Option<(Block, NodeIndex)> = None;
        let mut first = None;
        for block in way_up(self.frequencies, own, read.block) {
            let known = self.places.get(&(read.value, block, side)).copied();
            let node = known.unwrap_or_else(|| self.graph.add_node(()));
            first.get_or_insert(node);
            self.connect(node, lower, side);
            if known.is_some() {
                return first.unwrap_or(node);
            }
            self.places.insert((read.value, block, side), node);
            lower = Some((block, node));
        }
        let value = self.value(read.value);
        self.connect(value, lower, side);
        first.unwrap_or(value)
    }

    fn connect(&mut self, above: NodeIndex, lower: Option<(Block, NodeIndex)>, side: Side) {
        let Some((block, node)) = lower else { return };
        let frequency = self.frequencies.frequency(block);
        match side {
            Side::Other => self.graph.add_edge(above, node, frequency),
            Side::General => self.graph.add_edge(node, above, frequency),
        };
    }

    /// The values, and whether each is on the side of the source in a minimum cut.
    fn cut(self) -> Vec<(VReg, bool)> {
        let (_, flows) = dinics(&self.graph, self.general, self.other);
        let (mut reached, mut pending) = (vec![false; self.graph.node_count()], vec![self.general]);
        reached[self.general.index()] = true;
        while let Some(node) = pending.pop() {
            let forward = self.graph.edges_directed(node, Direction::Outgoing);
            let forward = forward.filter(|edge| flows[edge.id().index()] < *edge.weight()).map(|edge| edge.target());
            let back = self.graph.edges_directed(node, Direction::Incoming);
            let back = back.filter(|edge| flows[edge.id().index()] > 0).map(|edge| edge.source());
            for next in forward.chain(back) {
                if !std::mem::replace(&mut reached[next.index()], true) {
                    pending.push(next);
                }
            }
        }
        self.values.into_iter().map(|(value, node)| (value, reached[node.index()])).collect()
    }
}
