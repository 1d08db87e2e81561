//! Functions whose frame is laid out: no stack object is left, the stack pointer is where it must be, and branches
//! reach.
//!
//! Findings are about blocks: blame for what a pass leaves over is the pass's, not the rule's that once wrote the
//! instruction.

use super::{Rule, Verifier, frames};
use tribunal_ir::{Block, Inst, InstData, Opcode, Operand, Stage};
use tribunal_target::Target;
use tribunal_target::instructions::OperandDesc;

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let stage = verifier.function.stage;
    if stage >= Stage::FrameLowered {
        leftovers(verifier);
        frames::check(verifier);
    }
    if stage >= Stage::BranchesRelaxed {
        branches(verifier);
    }
}

/// Stack objects as operands, and the marks of a call's frame.
fn leftovers(verifier: &mut Verifier<'_>) {
    let (function, target) = (verifier.function, verifier.target);
    let is_object = |operand: &Operand| matches!(operand, Operand::Stack(_) | Operand::FixedStack(_));
    let is_left = |data: &InstData| data.operands.iter().any(is_object) || target.is_call_frame(data);
    for &block in function.layout() {
        let left = function.insts(block).find(|&inst| is_left(function.inst(inst)));
        verifier.demand_of_block(Rule::StageFrame, block, left.is_none(), || {
            let text = |inst| tribunal_ir::text::print_inst(function, function.inst(inst), target.vocabulary);
            format!("`{}` is left", left.map(text).unwrap_or_default())
        });
    }
}

/// Each branch against the distance that its instruction can state, in bytes.
fn branches(verifier: &mut Verifier<'_>) {
    let (function, target) = (verifier.function, verifier.target);
    let size = |inst: Inst| match function.inst(inst).opcode {
        Opcode::Target(opcode) => i64::from(target.instruction(opcode).size),
        _ => 0,
    };
    let (mut place, mut starts) = (0, vec![0; function.block_bound()]);
    for &block in function.layout() {
        starts[block.as_u32() as usize] = place;
        place += function.insts(block).map(size).sum::<i64>();
    }
    place = 0;
    for &block in function.layout() {
        for inst in function.insts(block) {
            for (bits, to) in labels(function.inst(inst), target) {
                let (distance, reach) = (starts[to.as_u32() as usize] - place, 1i64 << (bits - 1));
                verifier.demand_of_block(Rule::StageBranches, block, (-reach..reach).contains(&distance), || {
                    format!("bb.{} is {distance} bytes from its branch", function.block(to).number)
                });
            }
            place += size(inst);
        }
    }
}

/// The blocks that an instruction names, each with the bits of the distance that it can state.
fn labels(data: &InstData, target: &Target) -> impl Iterator<Item = (u8, Block)> {
    let row = match data.opcode {
        Opcode::Target(opcode) => Some(target.instruction(opcode)),
        _ => None,
    };
    let operands = row.into_iter().flat_map(|row| row.operands).zip(&data.operands);
    operands.filter_map(|pair| match pair {
        (OperandDesc::Label { bits, .. }, Operand::Block(to)) => Some((*bits, *to)),
        _ => None,
    })
}
