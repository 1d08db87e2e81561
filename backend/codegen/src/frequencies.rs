//! Static block frequencies and the dominator tree, for passes that weigh one place of an instruction against another.
//!
//! The estimate: each loop around a block multiplies its frequency by [`TRIPS`]. Branches have no share in it: a block
//! that may be skipped counts like one that may not. An unreachable block has frequency 0.
//!
//! A loop is a strongly connected component of the control flow; its inner loops are those of what is left without the
//! edges to its entries (B. Steensgaard, Sequentializing Program Dependence Graphs for Irreducible Programs, 1993).
//! With one entry each, these are the natural loops.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use petgraph::Direction;
use petgraph::algo::{dominators, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use tribunal_ir::{Block, Function};

/// Executions of a loop's body for each time that it is entered.
pub const TRIPS: u64 = 10;
/// Loops deeper than this count no further, so that sums of frequencies fit 64 bits.
const DEEPEST: u32 = 6;

/// The dominator tree of a function, and the frequency of each block.
pub struct BlockFrequencies {
    frequency: SecondaryMap<Block, u64>,
    dominator: SecondaryMap<Block, PackedOption<Block>>,
    /// Dominators of each block.
    depth: SecondaryMap<Block, u32>,
}

impl BlockFrequencies {
    /// Those of a function with the control flow that it has now.
    pub fn of(function: &Function) -> BlockFrequencies {
        let order = function.reverse_post_order();
        let graph = graph(function, &order);
        let mut frequency = SecondaryMap::new();
        let (mut dominator, mut depth) = (SecondaryMap::new(), SecondaryMap::new());
        let tree = function.entry().map(|entry| dominators::simple_fast(&graph, node(entry)));
        let loops = loops(graph, function.entry());
        for &block in &order {
            let above = tree.as_ref().and_then(|tree| tree.immediate_dominator(node(block)));
            let above = above.map(|above| Block::new(above.index()));
            dominator[block] = above.into();
            depth[block] = above.map_or(0, |above: Block| depth[above] + 1);
            frequency[block] = TRIPS.pow(loops[block.index()]);
        }
        BlockFrequencies { frequency, dominator, depth }
    }

    /// Executions of a block for each of the function.
    pub fn frequency(&self, block: Block) -> u64 {
        self.frequency[block]
    }

    /// The blocks that dominate `block`, itself first, the entry last.
    pub fn dominators(&self, block: Block) -> impl Iterator<Item = Block> {
        std::iter::successors(Some(block), |&block| self.dominator[block].expand())
    }

    /// The number of blocks that dominate this one strictly.
    pub fn depth(&self, block: Block) -> u32 {
        self.depth[block]
    }
}

fn node(block: Block) -> NodeIndex {
    NodeIndex::new(block.index())
}

/// The edges between blocks that are reachable.
fn graph(function: &Function, reachable: &[Block]) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(function.block_bound(), 2 * reachable.len());
    (0..function.block_bound()).for_each(|_| _ = graph.add_node(()));
    for &block in reachable {
        function.successors(block).for_each(|successor| _ = graph.add_edge(node(block), node(successor), ()));
    }
    graph
}

/// The loops around each block, as far as they count.
fn loops(graph: DiGraph<(), ()>, entry: Option<Block>) -> Vec<u32> {
    let (mut loops, mut inner) = (vec![0; graph.node_count()], graph.clone());
    let mut component = vec![0; graph.node_count()];
    for _ in 0..DEEPEST {
        if inner.edge_count() == 0 {
            break;
        }
        let components = kosaraju_scc(&inner);
        for (number, blocks) in components.iter().enumerate() {
            blocks.iter().for_each(|block| component[block.index()] = number);
        }
        let is_loop = |blocks: &Vec<NodeIndex>| blocks.len() > 1 || inner.contains_edge(blocks[0], blocks[0]);
        for block in components.iter().filter(|blocks| is_loop(blocks)).flatten() {
            loops[block.index()] += 1;
        }
        let is_entry = |block: NodeIndex| {
            let mut before = graph.neighbors_directed(block, Direction::Incoming);
            Some(block) == entry.map(node) || before.any(|from| component[from.index()] != component[block.index()])
        };
        inner.retain_edges(|inner, edge| {
            let ends = inner.edge_endpoints(edge);
            ends.is_some_and(|(from, to)| component[from.index()] == component[to.index()] && !is_entry(to))
        });
    }
    loops
}
