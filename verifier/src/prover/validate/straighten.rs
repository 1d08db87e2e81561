//! Blocks merged into the only block that leads to them, for the proof alone: two stages that cut a straight line in
//! other places have the same blocks then.
//!
//! A block is merged where its only predecessor goes nowhere else, by a jump or by falling through. What follows it in
//! the layout must not matter: either it stands right after its predecessor, or it ends in a barrier. So the function
//! does what it did. Blocks that nothing leads to are left out, unless a block may fall through into one.

use tribunal_ir::{Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Vocabulary};

/// The function with its straight lines in one block each.
pub(super) fn straightened(function: &Function, vocabulary: &dyn Vocabulary) -> Function {
    let mut function = function.clone();
    // A table of blocks names places that no branch says.
    if !function.jump_tables.tables.is_empty() {
        return function;
    }
    let mut reached = vec![false; function.block_bound()];
    function.reverse_post_order().into_iter().for_each(|block| reached[block.as_u32() as usize] = true);
    // What a block may fall through into stays, whether or not an edge says so.
    let falls_into = |index: usize| index > 0 && !ends(&function, vocabulary, function.layout()[index - 1]);
    let stays = |&(index, block): &(usize, &Block)| reached[block.as_u32() as usize] || falls_into(index);
    let layout = function.layout().iter().enumerate().filter(stays).map(|(_, &block)| block).collect();
    function.set_layout(layout);
    while let Some((block, next)) = straight(&function, vocabulary) {
        merge(&mut function, vocabulary, (block, next));
    }
    function
}

/// A block, and the one that may be merged into it.
fn straight(function: &Function, vocabulary: &dyn Vocabulary) -> Option<(Block, Block)> {
    let predecessors = function.predecessors();
    let layout = function.layout();
    let follows = |block: Block, next: Block| layout.windows(2).any(|pair| pair == [block, next]);
    let mergeable = |block: Block| {
        let mut successors = function.successors(block);
        let (next, other) = (successors.next()?, successors.next());
        let is_only = predecessors[next.as_u32() as usize].as_slice() == [block];
        let plain = function.entry() != Some(next) && next != block && is_plain(function, next);
        let stands = follows(block, next) || ends(function, vocabulary, next);
        let goes = match jump(function, vocabulary, block) {
            Some(jump) => function.inst(jump).operands.contains(&Operand::Block(next)),
            None => follows(block, next) && falls(function, vocabulary, block),
        };
        (other.is_none() && is_only && plain && stands && goes).then_some((block, next))
    };
    layout.iter().find_map(|&block| mergeable(block))
}

/// Whether nothing but branches leads to the block, and its values come in virtual registers.
fn is_plain(function: &Function, block: Block) -> bool {
    let data = function.block(block);
    let mut attributes = data.attributes.iter().flat_map(|attributes| attributes.split(", "));
    let is_name = |attribute: &str| attribute.starts_with("%ir-block.") || attribute.starts_with("align ");
    data.liveins.is_empty() && attributes.all(is_name)
}

/// Whether control does not go on from the block to the next in the layout.
fn ends(function: &Function, vocabulary: &dyn Vocabulary, block: Block) -> bool {
    let last = function.last_inst(block).map(|inst| function.opcode_flags(function.inst(inst), vocabulary));
    last.is_some_and(|flags| flags.contains(OpcodeFlags::BARRIER))
}

/// Whether the block has no terminator.
fn falls(function: &Function, vocabulary: &dyn Vocabulary, block: Block) -> bool {
    let last = function.last_inst(block).map(|inst| function.opcode_flags(function.inst(inst), vocabulary));
    last.is_none_or(|flags| !flags.contains(OpcodeFlags::TERMINATOR))
}

/// The jump that is the block's only terminator.
fn jump(function: &Function, vocabulary: &dyn Vocabulary, block: Block) -> Option<Inst> {
    let flags = |inst: Inst| function.opcode_flags(function.inst(inst), vocabulary);
    let mut terminators =
        function.insts_reversed(block).take_while(|&inst| flags(inst).contains(OpcodeFlags::TERMINATOR));
    let (last, other) = (terminators.next()?, terminators.next());
    let labels = function.inst(last).operands.iter().filter(|operand| matches!(operand, Operand::Block(_))).count();
    let is_jump = flags(last).contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER) && labels == 1;
    (other.is_none() && is_jump).then_some(last)
}

fn merge(function: &mut Function, vocabulary: &dyn Vocabulary, (block, next): (Block, Block)) {
    if let Some(jump) = jump(function, vocabulary, block) {
        function.remove(jump);
    }
    for inst in function.insts(next).collect::<Vec<Inst>>() {
        let data = function.inst(inst);
        // A PHI of one value is a copy of it.
        let input = data.phi_inputs().next().filter(|_| data.opcode.is_phi());
        let data = match (input, data.vreg(0)) {
            (Some((value, _)), Some(defined)) => {
                InstData::new(Opcode::COPY, [Operand::def(defined), Operand::used(value)])
            }
            _ => data.clone(),
        };
        function.remove(inst);
        function.append(block, data);
    }
    let successors = function.block(next).successors.clone();
    for &(after, _) in &successors {
        for phi in function.insts(after).collect::<Vec<Inst>>() {
            for index in 0..function.inst(phi).operands.len() {
                let is_phi = function.inst(phi).opcode.is_phi();
                if is_phi && function.inst(phi).operands[index] == Operand::Block(next) {
                    function.set_operand(phi, index, Operand::Block(block));
                }
            }
        }
    }
    function.block_mut(block).successors = successors;
    function.block_mut(next).successors.clear();
    let layout = function.layout().iter().copied().filter(|&other| other != next).collect();
    function.set_layout(layout);
}
