//! Physical registers: one is read only where something has been written to it, or where it holds something on entry.
//!
//! A forward dataflow over sets of full registers, met by intersection. On entry the live-ins hold something, and so do
//! the stack pointer, the return address and the callee-saved registers: they are the caller's, and a prologue saves
//! them. Behind a call the caller-saved registers hold nothing, its results apart.
//! As in LLVM, only a function that tracks liveness is held to it: allocated code reads any register where the source
//! had an undefined value, and the allocation checker has looked at it by then.

use super::{RegisterSet, Rule, Verifier};
use tribunal_ir::{Block, PReg, Properties, Reg, RegFlags};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let Some(entry) = function.entry() else { return };
    if !verifier.has(Properties::TRACKS_REG_LIVENESS) {
        return;
    }
    let order = function.reverse_post_order();
    // Everything, until a predecessor says less.
    let mut heads: Vec<RegisterSet> = vec![RegisterSet::MAX; function.block_bound()];
    heads[entry.as_u32() as usize] = on_entry(verifier, entry);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            let tail = through(verifier, block, heads[block.as_u32() as usize], false);
            for successor in function.successors(block) {
                let head = &mut heads[successor.as_u32() as usize];
                changed |= *head & tail != *head;
                *head &= tail;
            }
        }
    }
    for &block in &order {
        through(verifier, block, heads[block.as_u32() as usize], true);
    }
}

/// Of the full register.
fn bit(verifier: &Verifier<'_>, register: PReg) -> RegisterSet {
    super::bit(verifier.target.vocabulary.full_register(register))
}

fn on_entry(verifier: &Verifier<'_>, entry: Block) -> RegisterSet {
    let (function, abi) = (verifier.function, verifier.target.abi);
    let liveins = function.liveins.iter().map(|livein| livein.register);
    let listed = function.block(entry).liveins.iter().map(|&(register, _)| register);
    let callers = abi.callee_saved.iter().chain(verifier.target.zero).copied();
    let all = liveins.chain(listed).chain(callers).chain([abi.stack_pointer, abi.return_address]);
    all.fold(0, |set, register| set | bit(verifier, register))
}

/// The set behind `block`; with `report`, each read of a register outside of the set is a finding.
fn through(verifier: &mut Verifier<'_>, block: Block, mut set: RegisterSet, report: bool) -> RegisterSet {
    let function = verifier.function;
    for inst in function.insts(block) {
        let data = function.inst(inst);
        for operand in data.uses().filter(|operand| report && !operand.flags.contains(RegFlags::UNDEF)) {
            if let Reg::Physical(register) = operand.reg {
                let (written, vocabulary) = (set & bit(verifier, register) != 0, verifier.target.vocabulary);
                verifier.demand(Rule::PhysicalUndefined, inst, written, || {
                    format!("${} is not written on every way here", vocabulary.register_name(register))
                });
            }
        }
        if verifier.target.is_call(data) {
            set = verifier.target.abi.caller_saved.iter().fold(set, |set, &register| set & !bit(verifier, register));
        }
        for operand in data.defs() {
            if let Reg::Physical(register) = operand.reg {
                set |= bit(verifier, register);
            }
        }
    }
    set
}
