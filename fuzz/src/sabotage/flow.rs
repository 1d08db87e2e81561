//! Planted faults of control flow: branches, returns, edges, PHIs, and the order of blocks, after each pass.

use super::{ALL, Fault, Plant, each_pass};
use tribunal_ir::{Block, Function, Inst, OpcodeFlags, Operand};
use tribunal_target::Target;

pub(super) static FAULTS: &[Fault] = &each_pass! { Stage:
    "branch-labels-exchanged", "control flow", ALL,
        ["legalize", "bank-select", "select", "split-edges", "allocate", "frame", "relax-branches"],
        |f, t| {
            let TwoWay { branch, jump } = two_way(f, t)?;
            let [(index, taken), (other, not_taken)] = [label(f, branch)?, label(f, jump)?];
            f.set_operand(branch, index, Operand::Block(not_taken));
            f.set_operand(jump, other, Operand::Block(taken));
            Some(())
        };
    "branch-inverted", "control flow", ALL, ["select", "split-edges", "allocate", "frame"], |f, t| {
        let TwoWay { branch, .. } = two_way(f, t)?;
        let opposite = t.machine.invert_branch(f.inst(branch))?;
        f.replace(branch, opposite);
        Some(())
    };
    "second-branch-in-front", "control flow", ALL,
        ["select", "split-edges", "allocate", "frame", "relax-branches"],
        |f, t| {
            let TwoWay { branch, jump } = two_way(f, t)?;
            let (index, not_taken) = (label(f, branch)?.0, label(f, jump)?.1);
            let mut data = f.inst(branch).clone();
            data.operands[index] = Operand::Block(not_taken);
            f.insert_before(branch, data);
            Some(())
        };
    "branch-dropped", "control flow", ALL, ["split-edges", "allocate", "frame", "relax-branches"], |f, t| {
        let TwoWay { branch, .. } = two_way(f, t)?;
        f.remove(branch);
        Some(())
    };
    "branch-dropped-with-its-edge", "control flow", ALL, ["allocate", "frame", "relax-branches"], |f, t| {
        let TwoWay { branch, jump } = two_way(f, t)?;
        let (block, taken) = (f.block_of(jump)?, label(f, branch)?.1);
        f.remove(branch);
        f.block_mut(block).successors.retain(|(successor, _)| *successor != taken);
        Some(())
    };
    "jump-dropped", "control flow", ALL, ["split-edges", "allocate", "frame"], |f, t| {
        let jump = last_jump(f, t)?;
        f.remove(jump);
        Some(())
    };
    "jump-with-its-edge-to-another-block", "control flow", ALL, ["allocate", "frame", "relax-branches"], |f, t| {
        let jump = last_jump(f, t)?;
        let (index, old) = label(f, jump)?;
        let block = f.block_of(jump)?;
        let others = f.layout().get(1..)?.iter().copied();
        let new = others.rev().find(|&other| other != old && other != block)?;
        f.set_operand(jump, index, Operand::Block(new));
        let successors = &mut f.block_mut(block).successors;
        successors.retain(|(successor, _)| *successor != new);
        successors.iter_mut().filter(|(successor, _)| *successor == old).for_each(|edge| edge.0 = new);
        Some(())
    };
    "return-in-front-of-a-jump", "control flow", ALL,
        ["allocate", "frame", "relax-branches"],
        |f, t| {
            let (jump, data) = (last_jump(f, t)?, f.inst(last_return(f, t)?).clone());
            f.insert_before(jump, data);
            Some(())
        };
    "return-for-a-jump", "control flow", ALL, ["allocate", "frame", "relax-branches"], |f, t| {
        let (jump, data) = (last_jump(f, t)?, f.inst(last_return(f, t)?).clone());
        let (block, old) = (f.block_of(jump)?, label(f, jump)?.1);
        f.replace(jump, data);
        f.block_mut(block).successors.retain(|(successor, _)| *successor != old);
        Some(())
    };
    "return-dropped", "control flow", ALL, ["select", "split-edges", "allocate", "frame", "relax-branches"], |f, t| {
        let last = last_return(f, t)?;
        f.remove(last);
        Some(())
    };
    "another-block-entered-first", "control flow", ALL, ["allocate", "frame", "relax-branches"], |f, _| {
        let mut layout = f.layout().to_vec();
        (layout.len() > 1).then(|| layout.swap(0, 1))?;
        f.set_layout(layout);
        Some(())
    };
    "edge-not-listed", "control flow", ALL, ["allocate", "frame", "relax-branches"], |f, t| {
        let block = f.block_of(last_jump(f, t)?)?;
        f.block_mut(block).successors.pop().map(drop)
    };
    "phi-inputs-exchanged", "control flow", ALL, ["legalize", "bank-select", "select", "split-edges"], |f, _| {
        let phi = f.all_insts().find(|&inst| {
            let data = f.inst(inst);
            // Values of the entry dominate every block.
            let dominates = |value| f.def_of(value).and_then(|def| f.block_of(def)) == f.entry();
            let is_two_way = data.opcode.is_phi() && data.operands.len() == 5 && data.vreg(1) != data.vreg(3);
            is_two_way && data.phi_inputs().all(|(value, _)| dominates(value))
        })?;
        let [one, other] = [1, 3].map(|index| f.inst(phi).operands[index]);
        f.set_operand(phi, 1, other);
        f.set_operand(phi, 3, one);
        Some(())
    };
};

/// The end of a block that goes one way or the other.
struct TwoWay {
    branch: Inst,
    jump: Inst,
}

/// The last pair of a conditional branch and a jump to another block.
fn two_way(function: &Function, target: &Target) -> Option<TwoWay> {
    jumps(function, target).into_iter().rev().find_map(|jump| {
        let branch = function.previous_inst(jump)?;
        let is_branch = has(function, target, branch, OpcodeFlags::BRANCH);
        let differs = label(function, branch)?.1 != label(function, jump)?.1;
        (is_branch && differs).then_some(TwoWay { branch, jump })
    })
}

fn has(function: &Function, target: &Target, inst: Inst, flags: OpcodeFlags) -> bool {
    function.opcode_flags(function.inst(inst), target.vocabulary).contains(flags)
}

fn jumps(function: &Function, target: &Target) -> Vec<Inst> {
    let jumps = |&inst: &Inst| has(function, target, inst, OpcodeFlags::BRANCH | OpcodeFlags::BARRIER);
    function.all_insts().filter(jumps).collect()
}

fn last_jump(function: &Function, target: &Target) -> Option<Inst> {
    jumps(function, target).into_iter().rev().find(|&jump| label(function, jump).is_some())
}

fn last_return(function: &Function, target: &Target) -> Option<Inst> {
    function.all_insts().filter(|&inst| has(function, target, inst, OpcodeFlags::RETURN)).last()
}

/// The label of a branch, and its operand.
fn label(function: &Function, inst: Inst) -> Option<(usize, Block)> {
    function.inst(inst).operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::Block(block) => Some((index, *block)),
        _ => None,
    })
}
