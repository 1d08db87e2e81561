//! Physical registers: each read finds a register that is defined, by a write or on entry.
//!
//! A forward dataflow over sets of full registers; sets meet by intersection. On entry these are defined: the live-ins,
//! the stack pointer, the return address, and the callee-saved registers, which are the caller's and saved by a
//! prologue. After a call the caller-saved registers are undefined, except the call's results.
//!
//! As in LLVM, the rule applies only to a function that tracks liveness. Allocated code may read any register where the
//! source had an undefined value, and the allocation checker has judged such reads by then.

use super::{RegisterSet, Rule, Verifier};
use tribunal_ir::{Block, PReg, Properties, Reg, RegFlags};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let Some(entry) = function.entry() else { return };
    if !verifier.has(Properties::TRACKS_REG_LIVENESS) {
        return;
    }
    let order = function.reverse_post_order();
    // The full set (top of the lattice), until a predecessor removes registers.
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

/// The bit of the full register.
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

/// The set after `block`; with `report`, each read of a register outside the set is a finding.
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
