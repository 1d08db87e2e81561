//! Functions whose frame is laid out: no stack object is left, the stack pointer is restored, and branches reach.
//!
//! The stack pointer's distance from its value on entry is a forward dataflow over blocks. A block's own share of it
//! comes from the meaning of the instructions that write the stack pointer, and of those in the block that they depend
//! on. These are executed twice, from different stack pointers and different contents of every other register. Where
//! both runs move the stack pointer by one number of bytes, that is the share; elsewhere it is unknown, as in a
//! function with a frame pointer, and nothing is demanded.
//!
//! Findings are about blocks: blame for what a pass leaves over is the pass's, not the rule's that once wrote the
//! instruction.

use super::register_set::{RegisterSet, bit};
use super::{Rule, Verifier};
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{Bits, Block, CfiInstruction, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Stage};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::{Target, evaluate};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let stage = verifier.function.stage;
    if stage >= Stage::FrameLowered {
        leftovers(verifier);
        stack_pointer(verifier);
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

/// Bytes from the stack pointer on entry; `None` if they are no constant.
type Distance = Option<i64>;

fn stack_pointer(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let order = function.reverse_post_order();
    let mut heads: Vec<Option<Distance>> = vec![None; function.block_bound()];
    for &block in &order {
        let head = heads[block.as_u32() as usize].unwrap_or(Some(0));
        let tail = head.zip(moved_by(function, verifier.target, block)).map(|(head, moved)| head + moved);
        let returns = function
            .last_inst(block)
            .is_some_and(|last| verifier.flags(function.inst(last)).contains(OpcodeFlags::RETURN));
        let restored = !returns || tail.is_none_or(|bytes| bytes == 0);
        verifier.demand_of_block(Rule::StageFrame, block, restored, || {
            format!("returns with the stack pointer {} bytes off", tail.unwrap_or_default())
        });
        for to in function.successors(block) {
            let known = *heads[to.as_u32() as usize].get_or_insert(tail);
            let agrees = known == tail || known.is_none() || tail.is_none();
            verifier.demand_of_block(Rule::StageFrame, block, agrees, || {
                format!("another way to bb.{} moves the stack pointer otherwise", function.block(to).number)
            });
        }
    }
    unwinding(verifier, &heads);
}

/// The distance of the caller's frame as the unwinder's rules have it: from block to block in the layout, whatever the
/// edges. Where it is counted from the stack pointer, it is the distance by which the code has moved that.
fn unwinding(verifier: &mut Verifier<'_>, heads: &[Option<Distance>]) {
    let (function, target) = (verifier.function, verifier.target);
    let (mut above, mut remembered): (Distance, Vec<Distance>) = (Some(0), Vec::new());
    for (index, &block) in function.layout().iter().enumerate() {
        let head = heads[block.as_u32() as usize].or((index == 0).then_some(Some(0))).flatten();
        let mut stated = Vec::new();
        for inst in function.insts(block).filter(|&inst| function.inst(inst).opcode == Opcode::CFI_INSTRUCTION) {
            match function.inst(inst).operands.first() {
                Some(Operand::Cfi(CfiInstruction::DefCfaOffset(bytes))) => above = above.map(|_| i64::from(*bytes)),
                Some(Operand::Cfi(CfiInstruction::DefCfa(register, bytes))) => {
                    let is_stack_pointer = target.vocabulary.full_register(*register) == target.abi.stack_pointer;
                    above = is_stack_pointer.then_some(i64::from(*bytes));
                }
                Some(Operand::Cfi(CfiInstruction::RememberState)) => remembered.push(above),
                Some(Operand::Cfi(CfiInstruction::RestoreState)) => above = remembered.pop().flatten(),
                Some(Operand::Cfi(
                    CfiInstruction::Offset(..)
                    | CfiInstruction::Restore(_)
                    | CfiInstruction::SameValue(_)
                    | CfiInstruction::Undefined(_),
                )) => continue,
                _ => above = None,
            }
            stated.push((inst, above));
        }
        for (inst, above) in stated {
            let before = function.insts(block).take_while(|&other| other != inst);
            let here = head.zip(moved(function, target, before.collect())).map(|(head, moved)| head + moved);
            let agrees = above.zip(here).is_none_or(|(above, here)| above == -here);
            verifier.demand_of_block(Rule::CallFrameInformation, block, agrees, || {
                let (above, here) = (above.unwrap_or_default(), here.unwrap_or_default());
                format!("the unwinder looks {above} bytes above a stack pointer that is {here} bytes off")
            });
        }
    }
}

/// The bytes by which a block moves the stack pointer.
fn moved_by(function: &Function, target: &Target, block: Block) -> Distance {
    moved(function, target, function.insts(block).collect())
}

/// The bytes by which instructions of a block move the stack pointer, from its first on.
fn moved(function: &Function, target: &Target, insts: Vec<Inst>) -> Distance {
    let insts = needed(function, target, insts, target.abi.stack_pointer);
    if insts.is_empty() {
        return Some(0);
    }
    let run = |start: u64| Some(executed(function, target, &insts, start)?.wrapping_sub(start));
    let (one, other) = (run(0x4000_0000)?, run(0x2345_6780)?);
    let signed = |bytes: u64| Bits::new(bytes.into(), target.pointer_bits.into()).to_i64();
    signed(one).filter(|_| signed(one) == signed(other))
}

/// The instructions of a block, from its first on, that the stack pointer after them depends on, last to first.
fn needed(function: &Function, target: &Target, all: Vec<Inst>, pointer: PReg) -> Vec<Inst> {
    let full = |register: PReg| bit(target.vocabulary.full_register(register));
    let mut wanted: RegisterSet = full(pointer);
    let mut insts = Vec::new();
    for inst in all.into_iter().rev() {
        let data = function.inst(inst);
        let written = RegisterSet::of(data.defs().filter_map(|operand| operand.reg.as_physical()).map(full));
        if written.meets(wanted) {
            let read = data.uses().filter_map(|operand| operand.reg.as_physical());
            wanted = read.fold(wanted & !written, |set, register| set | full(register));
            insts.push(inst);
        }
    }
    insts
}

/// The stack pointer after `insts`, last to first, if it was `start` before them. Every other register starts with
/// contents that depend on `start`.
fn executed(function: &Function, target: &Target, insts: &[Inst], start: u64) -> Option<u64> {
    let full = |register: PReg| target.vocabulary.full_register(register);
    let mut contents = FxHashMap::from_iter([(full(target.abi.stack_pointer), start)]);
    for &inst in insts.iter().rev() {
        let data = function.inst(inst);
        let value = |register: PReg| {
            let unknown = start.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(register.0) << 32;
            let bits = match target.zero.contains(&register) {
                true => 0,
                false => contents.get(&full(register)).copied().unwrap_or(unknown),
            };
            Value { bits: Bits::new(bits.into(), target.vocabulary.register_bits(register)), poison: false }
        };
        let args: Vec<Value<Concrete>> =
            data.uses().filter_map(|operand| operand.reg.as_physical()).map(value).collect();
        let mut domain = Concrete { choice: Choice::Seeded(start) };
        let evaluation = evaluate(target, &mut domain, &mut Pure, data, &args).ok().filter(|run| !run.ub)?;
        let defs = data.defs().filter_map(|operand| operand.reg.as_physical());
        contents.extend(defs.zip(&evaluation.results).map(|(def, value)| (full(def), value.bits.low_u64())));
    }
    contents.get(&full(target.abi.stack_pointer)).copied()
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
