//! Pass `split-edges`: puts a block on every critical edge, so that the moves for PHIs have a place of that edge's own.
//! Register allocation needs it.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use rustc_hash::FxHashSet;
use tribunal_ir::entities::JumpTable;
use tribunal_ir::{AddressBase, Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, Properties, Stage};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "split-edges", from: Stage::Selected, to: Stage::EdgesSplit, drops: Properties::empty(), run };

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    make_fall_throughs_explicit(context, function);
    let mut predecessors = vec![0u32; function.block_bound()];
    for &block in function.layout() {
        function
            .successors(block)
            .for_each(|successor| predecessors[cranelift_entity::EntityRef::index(successor)] += 1);
    }
    if let Some(entry) = function.entry() {
        // The caller is one more way into the entry.
        predecessors[cranelift_entity::EntityRef::index(entry)] += 1;
    }
    for block in function.layout().to_vec() {
        let successors: Vec<Block> = function.successors(block).collect();
        if successors.len() < 2 {
            continue;
        }
        for to in successors {
            if predecessors[cranelift_entity::EntityRef::index(to)] > 1 {
                split(context, function, block, to)?;
            }
        }
    }
    Ok(())
}

fn is_terminator(context: &Context<'_>, data: &InstData) -> bool {
    flags(context, data).contains(OpcodeFlags::TERMINATOR)
}

fn flags(context: &Context<'_>, data: &InstData) -> OpcodeFlags {
    match data.opcode {
        Opcode::Target(opcode) => context.target.instruction(opcode).flags,
        _ => OpcodeFlags::empty(),
    }
}

/// Gives a block that falls through a jump; the last pass drops the jumps that are not needed.
fn make_fall_throughs_explicit(context: &Context<'_>, function: &mut Function) {
    let layout = function.layout().to_vec();
    for (index, &block) in layout.iter().enumerate() {
        // A trap of the program's own stands before the next block as any instruction may.
        let goes_on = function.successors(block).next().is_some();
        let ends = function.last_inst(block).map(|last| flags(context, function.inst(last)));
        let ends = ends.is_some_and(|flags| flags.contains(OpcodeFlags::BARRIER) && !(flags.is_trap() && goes_on));
        if !ends && function.successors(block).next().is_none() {
            // No defined execution comes here.
            function.append(block, context.target.machine.trap());
            continue;
        }
        let Some(&next) = layout.get(index + 1) else { continue };
        if !ends && function.successors(block).any(|successor| successor == next) {
            function.append(block, context.target.machine.jump(next));
        }
    }
}

/// Puts a block with a jump between `from` and `to`.
fn split(context: &Context<'_>, function: &mut Function, from: Block, to: Block) -> Result<(), CompileError> {
    let middle = function.new_block();
    function.append(middle, context.target.machine.jump(to));
    function.block_mut(middle).successors = vec![(to, None)];
    for successor in &mut function.block_mut(from).successors {
        if successor.0 == to {
            successor.0 = middle;
        }
    }
    let terminators: Vec<Inst> =
        function.insts_reversed(from).take_while(|&inst| is_terminator(context, function.inst(inst))).collect();
    let is_indirect =
        terminators.iter().any(|&inst| flags(context, function.inst(inst)).contains(OpcodeFlags::INDIRECT));
    if is_indirect {
        redirect_tables(context, function, from, to, middle)?;
    }
    terminators.into_iter().for_each(|inst| redirect(function, inst, to, middle));
    let phis: Vec<Inst> = function.insts(to).take_while(|&inst| function.inst(inst).opcode.is_phi()).collect();
    phis.into_iter().for_each(|inst| redirect(function, inst, from, middle));
    Ok(())
}

/// Replaces a destination of the jump table of a block: the one that its branch's address comes from, and that leads to
/// all its successors and to nothing else.
fn redirect_tables(
    context: &Context<'_>,
    function: &mut Function,
    from: Block,
    to: Block,
    middle: Block,
) -> Result<(), CompileError> {
    let mut after: Vec<Block> = function.successors(from).collect();
    after.sort_unstable();
    after.dedup();
    let is_own = |blocks: &Vec<Block>| {
        let mut blocks: Vec<Block> = blocks.iter().map(|&block| if block == to { middle } else { block }).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks == after
    };
    let table = match tables_read(function, from).as_slice() {
        &[table] if function.jump_tables.tables.get(table).is_some_and(is_own) => table,
        [] if move_taken_address(function, context, to, middle) => return Ok(()),
        _ => return Err(CompileError::unsupported(function, PASS.name, "critical edges of an indirect branch")),
    };
    let blocks = &mut function.jump_tables.tables[table];
    blocks.iter_mut().filter(|block| **block == to).for_each(|block| *block = middle);
    Ok(())
}

/// The jump tables that the operands of a block's last instruction are computed from.
fn tables_read(function: &Function, block: Block) -> Vec<JumpTable> {
    let (mut tables, mut seen) = (Vec::new(), FxHashSet::default());
    let mut left: Vec<Inst> = function.last_inst(block).into_iter().collect();
    while let Some(inst) = left.pop() {
        if !seen.insert(inst) {
            continue;
        }
        let data = function.inst(inst);
        tables.extend(data.operands.iter().filter_map(|operand| match function.address_of(operand)?.base {
            AddressBase::JumpTable(table) => Some(table),
            _ => None,
        }));
        left.extend(data.vreg_uses().filter_map(|register| function.def_of(register)));
    }
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// Replaces block operands.
fn redirect(function: &mut Function, inst: Inst, old: Block, new: Block) {
    for index in 0..function.inst(inst).operands.len() {
        if function.inst(inst).operands[index] == Operand::Block(old) {
            function.set_operand(inst, index, Operand::Block(new));
        }
    }
}

/// Whether the block in the middle can take the place of one whose address the module takes: one computed jump alone
/// may lead there. A table names its blocks by itself.
fn move_taken_address(function: &mut Function, context: &Context<'_>, to: Block, middle: Block) -> bool {
    const TAKEN: &str = "ir-block-address-taken";
    let leads_there = |block: &&Block| {
        let last = function.last_inst(**block).map(|inst| function.inst(inst));
        let is_indirect = last.is_some_and(|data| flags(context, data).contains(OpcodeFlags::INDIRECT));
        let leads = is_indirect && function.successors(**block).any(|next| next == to);
        leads && tables_read(function, **block).is_empty()
    };
    // The branch at hand leads to the middle already.
    if function.layout().iter().any(|block| leads_there(&block)) {
        return false;
    }
    let Some(attributes) = function.block_mut(to).attributes.take() else { return false };
    let (taken, rest): (Vec<&str>, Vec<&str>) =
        attributes.split(',').map(str::trim).partition(|part| part.starts_with(TAKEN));
    function.block_mut(to).attributes = (!rest.is_empty()).then(|| rest.join(", "));
    function.block_mut(middle).attributes = (!taken.is_empty()).then(|| taken.join(", "));
    !taken.is_empty()
}
