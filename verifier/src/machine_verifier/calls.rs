//! Calls: each stands within its frame's set-up and tear-down, until the frame pass removes them; one in place of a
//! return has no frame. Each names every register that the callee reads or returns in.

use super::{Rule, Verifier};
use rustc_hash::FxHashSet;
use tribunal_ir::{Block, Function, Inst, Opcode, OpcodeFlags, Operand, PReg, Preserved, Properties, Reg, Stage};
use tribunal_target::abi::CallKind;
use tribunal_target::calls;
use tribunal_target::environment::Callee;
use tribunal_target::instructions::OperandDesc;

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let (mut calls, mut frames) = (false, false);
    for data in function.all_insts().map(|inst| function.inst(inst)) {
        calls |= verifier.target.is_call(data);
        frames |= verifier.target.is_call_frame(data);
    }
    let said = || function.layout().iter().any(|&block| size_at_head(function, block) != 0);
    if !calls && !frames && !said() {
        return;
    }
    if let (true, Some(entry)) = (frames, function.entry()) {
        let said = function.frame_info.adjusts_stack || !has_left_ssa(function);
        verifier.demand_of_block(Rule::FrameInformation, entry, said, || "`adjustsStack` is not set");
    }
    // Once LLVM's frame pass has run, by whatever way the function was selected.
    let lowered = function.stage >= Stage::FrameLowered || function.frame_info.is_callee_saved_info_valid;
    for &block in function.layout() {
        if !lowered {
            frames_of(verifier, block);
        }
        for inst in function.insts(block).filter(|&inst| verifier.target.is_call(function.inst(inst))) {
            registers(verifier, inst);
            mask(verifier, inst);
        }
    }
}

/// A function that does not say so itself has left SSA form with the second definition of a register, or that of a
/// part: so LLVM's reader decides. Without virtual registers it is in SSA form.
fn has_left_ssa(function: &Function) -> bool {
    if function.properties.intersects(Properties::IS_SSA | Properties::LEFT_SSA) {
        return function.properties.contains(Properties::LEFT_SSA);
    }
    let mut defined = FxHashSet::default();
    let mut definitions = function.all_insts().flat_map(|inst| function.inst(inst).defs());
    definitions.any(|operand| match operand.reg {
        Reg::Virtual(register) => operand.subregister.0 != 0 || !defined.insert(register),
        Reg::Physical(_) => false,
    })
}

/// Set-up, one call, tear-down; and over again.
fn frames_of(verifier: &mut Verifier<'_>, block: Block) {
    let (function, target) = (verifier.function, verifier.target);
    // A frame that is open at the head: its call may stand in a block before.
    let at_head = size_at_head(function, block);
    let entry = function.entry() == Some(block) && at_head != 0;
    verifier.demand_of_block(Rule::CallFrame, block, !entry, || "a frame is open on entry");
    let (mut open, mut called) = ((at_head != 0).then_some(at_head), false);
    let mut inherited = open.is_some();
    for inst in function.insts(block) {
        let data = function.inst(inst);
        // A call that no table has: only what it preserves tells it.
        called |= data.opcode == Opcode::OPAQUE && data.operands.iter().any(is_mask);
        if target.call_kind(data) == Some(CallKind::Tail) {
            verifier.demand(Rule::CallFrame, inst, open.is_none(), || "leaves the function within a frame");
        } else if target.is_call(data) {
            let alone = open.is_some() && !called;
            verifier.demand(Rule::CallFrame, inst, alone, || "is not alone between set-up and tear-down of a frame");
            called = true;
        } else if target.opens_call_frame(data) {
            verifier.demand(Rule::CallFrame, inst, open.is_none(), || "opens a frame within another");
            let bytes = |index: usize| data.imm(index).unwrap_or(0);
            (open, called, inherited) = (Some(bytes(0).saturating_add(bytes(1))), false, false);
        } else if target.is_call_frame(data) {
            let closes = open.is_some() && (called || inherited);
            verifier.demand(Rule::CallFrame, inst, closes, || "closes what is not open, or without a call");
            let balanced = open.is_none_or(|opened| opened == data.imm(0).unwrap_or(0));
            verifier.demand(Rule::CallFrame, inst, balanced, || "closes a frame of another size");
            open = None;
        }
    }
    left_open(verifier, block, open);
}

/// A frame is closed in its block, unless every block after this one says that it is open at its head.
fn left_open(verifier: &mut Verifier<'_>, block: Block, open: Option<i64>) {
    let function = verifier.function;
    let ends = open.is_some() && function.successors(block).next().is_none();
    let size = open.unwrap_or(0);
    let other = function.successors(block).find(|&to| size_at_head(function, to) != size);
    // A frame of no size is open where none is said to be.
    let is_lost = ends || other.is_some() || open == Some(0);
    verifier.demand_of_block(Rule::CallFrame, block, !is_lost, || match other {
        Some(to) => format!("bb.{} says another size of the frame that is open", function.block(to).number),
        None => "a frame is not closed in its block".to_string(),
    });
}

/// The bytes of the frame that a block says to be open at its head: `(call-frame-size 16)`.
fn size_at_head(function: &Function, block: Block) -> i64 {
    let attributes = function.block(block).attributes.as_deref().unwrap_or_default();
    let said = attributes.split(',').find_map(|attribute| attribute.trim().strip_prefix("call-frame-size "));
    said.and_then(|size| size.trim().parse().ok()).unwrap_or(0)
}

fn is_mask(operand: &Operand) -> bool {
    matches!(operand, Operand::RegisterMask(_) | Operand::RegisterList(_))
}

/// Liveness and the allocator see what an instruction names.
fn registers(verifier: &mut Verifier<'_>, inst: Inst) {
    let data = verifier.function.inst(inst);
    let (target, callee) = (verifier.target, Callee::of(verifier.function, data));
    let signature = match &callee {
        Callee::Runtime(callee) => target.signature(callee, calls::mask(data)),
        Callee::Atomic(callee) => target.atomic_signature(callee),
        Callee::Memory(_) | Callee::Unknown(_) => return,
    };
    let Some(signature) = signature else { return };
    let vocabulary = target.vocabulary;
    // A value narrower than a register may stand in a part of it.
    let is_in = |own: PReg, (register, bits): (PReg, u32)| {
        let full = |register| vocabulary.full_register(register);
        own == register || full(own) == full(register) && vocabulary.register_bits(own) >= bits
    };
    let names = |place: (PReg, u32), is_def: bool| {
        let mut named = data.operands.iter().filter(|operand| operand.is_def() == is_def).filter_map(Operand::as_reg);
        named.any(|operand| operand.reg.as_physical().is_some_and(|own| is_in(own, place)))
    };
    let missing = |registers: &[PReg], bits: u32, is_def: bool| {
        registers.iter().copied().find(|&register| !names((register, bits), is_def))
    };
    let not_passed = signature.passed().find_map(|value| missing(&value.registers, value.bits, false));
    // One in place of a return leaves the results to the caller's caller.
    let leaves = verifier.flags(data).contains(OpcodeFlags::RETURN);
    let missing =
        not_passed.or_else(|| (!leaves).then(|| missing(signature.returned(), signature.result.bits, true)).flatten());
    verifier.demand_named(Rule::CallRegisters, inst, missing);
}

fn mask(verifier: &mut Verifier<'_>, inst: Inst) {
    let (function, target) = (verifier.function, verifier.target);
    let Some(calls) = &target.abi.calls else { return };
    let preserves = |operand: &Operand| match operand {
        Operand::RegisterMask(mask) => target.vocabulary.preserved(*mask) != Preserved::Nothing,
        _ => false,
    };
    let data = function.inst(inst);
    let Opcode::Target(opcode) = data.opcode else { return };
    let wanted = target.instruction(opcode).operands.iter().position(|desc| *desc == OperandDesc::RegisterMask);
    let place = wanted.unwrap_or_default();
    let masked = data.operands.get(place).is_some_and(preserves);
    verifier.demand(Rule::CallMask, inst, masked, || {
        format!("operand {place} is not {}", target.vocabulary.register_mask_name(calls.preserved_mask))
    });
}
