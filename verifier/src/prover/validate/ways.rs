//! The ways through one function from cut point to cut point. Every cycle holds a cut point, so each way is finite.
//!
//! The entry is a cut point, and so is a block of each loop: its header, or the block after the header's test. Where
//! one stage rotated a loop, the second choice in the other stage stands at the same moment. A way may pass a cut point
//! once and end at the second arrival: where one stage peeled an iteration off, or hoisted a part of the first one.
//!
//! A function may go without cut points where evaluation shows that its loops end: there ways are found as they are
//! evaluated, and each that is not shown to be impossible must come to its end.

use tribunal_ir::{Block, Function};

/// The block of a loop that is its cut point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CutChoice {
    /// The header.
    Header,
    /// The successor of the header in the loop, if the header leaves it too.
    AfterTest,
    /// The same in loops that hold no other loop; in others the header.
    AfterInnerTest,
    /// None.
    Nowhere,
}

/// The arrival at a cut point that ends a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CutArrival {
    First,
    /// The way passes each cut point once, unless it starts there.
    Second,
}

/// The cut points of a function beside its entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cuts {
    pub blocks: Vec<Block>,
    arrival: CutArrival,
    /// Whether every cycle holds one.
    pub is_closed: bool,
}

impl Cuts {
    /// Whether a way through these blocks ends where it goes on to `next`.
    pub fn end(&self, blocks: &[Block], next: Block) -> bool {
        self.blocks.contains(&next) && (self.arrival == CutArrival::First || blocks.contains(&next))
    }
}

/// The end of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WayEnd {
    /// A cut point.
    Cut(Block),
    /// A block without a successor.
    Out,
}

/// Blocks that are executed one after the other, the cut point first, and where the last one goes.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub blocks: Vec<Block>,
    pub end: WayEnd,
}

impl Way {
    /// Whether it passes no block again.
    pub fn is_simple(&self) -> bool {
        self.blocks.iter().enumerate().all(|(index, block)| !self.blocks[..index].contains(block))
    }
}

/// The cut points of this choice; `None` if they leave a cycle that they should not.
pub(super) fn cuts(function: &Function, choice: CutChoice, arrival: CutArrival) -> Option<Cuts> {
    let mut cuts: Vec<Block> = Vec::new();
    let loops = retreating(function);
    if choice == CutChoice::Nowhere {
        return Some(Cuts { blocks: cuts, arrival: CutArrival::First, is_closed: loops.is_empty() });
    }
    for &(latch, header) in &loops {
        let body = body(function, latch, header);
        let is_inner = || loops.iter().all(|&(_, other)| other == header || !body.contains(&other));
        let inside: Vec<Block> = function.successors(header).filter(|next| body.contains(next)).collect();
        let leaves = function.successors(header).any(|next| !body.contains(&next));
        let cut = match (choice, inside.as_slice()) {
            (CutChoice::AfterTest, &[next]) if leaves => next,
            (CutChoice::AfterInnerTest, &[next]) if leaves && is_inner() => next,
            _ => header,
        };
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts.sort_unstable();
    let entry = function.entry()?;
    let is_open = retreating_without(function, entry, &cuts).is_empty()
        && cuts.iter().all(|&cut| retreating_without(function, cut, &cuts).is_empty());
    let arrival = if cuts.is_empty() { CutArrival::First } else { arrival };
    is_open.then_some(Cuts { blocks: cuts, arrival, is_closed: true })
}

/// All ways from a block; `None` if there are more than `most`.
pub(super) fn ways(function: &Function, from: Block, cuts: &Cuts, most: usize) -> Option<Vec<Way>> {
    let mut ways = Vec::new();
    let mut pending = vec![vec![from]];
    while let Some(blocks) = pending.pop() {
        if ways.len() + pending.len() >= most {
            return None;
        }
        let Some(&last) = blocks.last() else { continue };
        let nexts = nexts(function, last);
        if nexts.is_empty() {
            ways.push(Way { blocks, end: WayEnd::Out });
            continue;
        }
        for next in nexts {
            if cuts.end(&blocks, next) {
                ways.push(Way { blocks: blocks.clone(), end: WayEnd::Cut(next) });
            } else {
                let further = blocks.iter().copied().chain([next]).collect();
                pending.push(further);
            }
        }
    }
    Some(ways)
}

/// The blocks that control may reach from a block, that block first.
pub(super) fn reached(function: &Function, from: Block) -> Vec<Block> {
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(&block) = reached.get(at) {
        for next in function.successors(block) {
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
        at += 1;
    }
    reached
}

/// The successors, each once.
pub(super) fn nexts(function: &Function, block: Block) -> Vec<Block> {
    let mut nexts: Vec<Block> = function.successors(block).collect();
    nexts.sort_unstable();
    nexts.dedup();
    nexts
}

/// The edges to a block that a depth-first walk from the entry is still below: every cycle holds one.
fn retreating(function: &Function) -> Vec<(Block, Block)> {
    function.entry().map_or_else(Vec::new, |entry| retreating_without(function, entry, &[]))
}

/// The same of a walk from `from` that does not enter the blocks `without`.
fn retreating_without(function: &Function, from: Block, without: &[Block]) -> Vec<(Block, Block)> {
    let mut edges = Vec::new();
    let (mut open, mut seen) = (vec![from], vec![from]);
    let mut left = vec![nexts(function, from)];
    while let (Some(&block), Some(rest)) = (open.last(), left.last_mut()) {
        match rest.pop() {
            Some(next) if without.contains(&next) => {}
            Some(next) if open.contains(&next) => edges.push((block, next)),
            Some(next) if seen.contains(&next) => {}
            Some(next) => {
                open.push(next);
                seen.push(next);
                left.push(nexts(function, next));
            }
            None => {
                open.pop();
                left.pop();
            }
        }
    }
    edges
}

/// The blocks of the loop that an edge closes: those that reach the latch without the header, and the header.
fn body(function: &Function, latch: Block, header: Block) -> Vec<Block> {
    let predecessors = function.predecessors();
    let (mut body, mut pending) = (vec![header], vec![latch]);
    while let Some(block) = pending.pop() {
        if !body.contains(&block) {
            body.push(block);
            pending.extend(&predecessors[block.as_u32() as usize]);
        }
    }
    body
}
