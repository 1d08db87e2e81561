//! Liveness, as a function that tracks it claims it: a register is read only where it is live.
//!
//! One forward scan of each block, over a set of physical registers of which the parts are members too. At the head of
//! a block these are live: its listed live-ins, the registers that no value is kept in, and those that the prologue
//! sets up. A write makes a register live with its parts; a kill, a dead write and a call's mask end that. So a scan
//! sees no other block. Instead a listed live-in must not have ended in a predecessor: LLVM lists too few live-ins of
//! some blocks, so one that the predecessor does not mention is no fault, unless it is a register of flags. A read
//! finds its register live if a part of it is, as in LLVM.
//!
//! Before allocation only the entry and landing pads have live-ins that could have been allocated. Virtual registers
//! stand in `kills.rs`.
//!
//! As in LLVM, the rules about physical registers apply only to a function that tracks liveness. Our allocator's code
//! does not: it may read any register where the source had an undefined value. The allocation checker has judged such
//! reads by then.

use super::{RegisterSet, Rule, Verifier, bit, structure};
use smallvec::SmallVec;
use tribunal_ir::function::RegisterListKind;
use tribunal_ir::{Block, Inst, InstData, InstFlags, Operand, PReg, Preserved, Properties, Reg, RegFlags, RegOperand};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    if verifier.has(Properties::TRACKS_REG_LIVENESS) {
        let live = Liveness::new(verifier);
        for &block in function.layout() {
            live_ins(verifier, block);
            live.through(verifier, block);
        }
    }
}

/// The facts that do not change from block to block.
struct Liveness {
    /// Of each register: itself and its parts.
    parts: SmallVec<[RegisterSet; 72]>,
    /// Live everywhere.
    always: RegisterSet,
    /// Undefined after a call with the convention's mask.
    caller_saved: RegisterSet,
    /// Never allocated: flags.
    rare: RegisterSet,
}

impl Liveness {
    fn new(verifier: &Verifier<'_>) -> Liveness {
        let (function, target) = (verifier.function, verifier.target);
        let mut parts: SmallVec<[RegisterSet; 72]> = (0..target.registers.len() as u16).map(|n| bit(PReg(n))).collect();
        for (number, row) in (0..).zip(target.registers) {
            parts[usize::from(row.full.0)] |= bit(PReg(number));
        }
        let mut liveness = Liveness { parts, always: 0, caller_saved: 0, rare: 0 };
        let abi = target.abi;
        let reserved = abi.reserved.iter().chain(target.zero).chain([&abi.stack_pointer]);
        liveness.always = reserved.fold(0, |set, &register| set | liveness.whole(register));
        liveness.caller_saved = abi.caller_saved.iter().fold(0, |set, &register| set | liveness.whole(register));
        liveness.rare = verifier.classes.iter().fold(RegisterSet::MAX, |set, members| set & !members);
        if function.frame_info.is_frame_address_taken {
            liveness.always |= liveness.whole(abi.frame_pointer);
        }
        if function.frame_info.is_callee_saved_info_valid {
            // The caller's values, which a prologue would have saved.
            liveness.always |= abi.callee_saved.iter().fold(0, |set, &register| set | liveness.whole(register));
        }
        liveness.always |= liveness.frame_registers(verifier);
        liveness
    }

    /// The register and its parts.
    fn whole(&self, register: PReg) -> RegisterSet {
        self.parts.get(usize::from(register.0)).copied().unwrap_or(0)
    }

    /// Registers that the prologue points into the frame: nothing lists them as live-in.
    fn frame_registers(&self, verifier: &Verifier<'_>) -> RegisterSet {
        let (function, target) = (verifier.function, verifier.target);
        let Some(entry) = function.entry() else { return 0 };
        let sets_up = |data: &&InstData| {
            data.flags.contains(InstFlags::FRAME_SETUP)
                && data.memory.is_empty()
                && data.uses().any(|operand| operand.reg == Reg::Physical(target.abi.stack_pointer))
        };
        let prologue = function.insts(entry).map(|inst| function.inst(inst)).filter(sets_up);
        prologue.flat_map(defined).fold(0, |set, (register, _)| set | self.whole(register))
    }

    fn live_at_head(&self, verifier: &Verifier<'_>, block: Block) -> RegisterSet {
        let listed = verifier.function.block(block).liveins.iter();
        listed.fold(self.always, |set, &(register, _)| set | self.whole(register))
    }

    fn through(&self, verifier: &mut Verifier<'_>, block: Block) {
        let function = verifier.function;
        let mut live = self.live_at_head(verifier, block);
        // What was live at some place of the block.
        let mut known = live;
        for inst in function.insts(block) {
            let data = function.inst(inst);
            let killed = self.reads(verifier, inst, live);
            live &= !killed | self.always;
            self.calls(verifier, data, &mut live);
            let (mut dead, mut written) = (0, 0);
            for (register, flags) in defined(data) {
                let ended = flags.contains(RegFlags::DEAD);
                *(if ended { &mut dead } else { &mut written }) |= self.whole(register);
            }
            // A part may be dead where the whole is not.
            live = live & (!dead | self.always) | written;
            known |= dead | written;
        }
        for successor in function.successors(block).filter(|&to| !structure::is_landing_pad(function, to)) {
            let listed = function.block(successor).liveins.iter().map(|&(register, _)| register);
            let is_lost = |register: PReg| {
                live & self.whole(register) == 0 && known & self.whole(register) | self.rare & bit(register) != 0
            };
            let lost = listed.into_iter().find(|&register| is_lost(register));
            verifier.demand_of_block(Rule::LiveInUndefined, block, lost.is_none(), || {
                let name = verifier.target.vocabulary.register_name(lost.unwrap_or(PReg(0)));
                format!("${name} is live-in of bb.{} and not live here", function.block(successor).number)
            });
        }
    }

    /// Demands that the registers read are live; gives those that are killed.
    fn reads(&self, verifier: &mut Verifier<'_>, inst: Inst, live: RegisterSet) -> RegisterSet {
        let (data, vocabulary) = (verifier.function.inst(inst), verifier.target.vocabulary);
        let mut killed = 0;
        for operand in data.uses().filter(|operand| !operand.flags.intersects(UNREAD)) {
            let Reg::Physical(register) = operand.reg else { continue };
            let of_whole = || self.is_part_of_implicit(data, register);
            let defined = live & self.whole(register) != 0 || of_whole();
            verifier.demand(Rule::PhysicalUndefined, inst, defined, || {
                format!("${} is not live here", vocabulary.register_name(register))
            });
            if operand.flags.contains(RegFlags::KILLED) {
                killed |= self.whole(register);
            }
        }
        killed
    }

    /// True if the instruction reads, implicitly, a register of which this is a part: that read is judged.
    fn is_part_of_implicit(&self, data: &InstData, part: PReg) -> bool {
        let is_whole = |operand: &RegOperand| match operand.reg {
            Reg::Physical(register) => register != part && self.whole(register) & bit(part) != 0,
            Reg::Virtual(_) => false,
        };
        data.uses().any(|operand| operand.flags.contains(RegFlags::IMPLICIT) && is_whole(operand))
    }

    /// Takes away what a call does not preserve.
    fn calls(&self, verifier: &Verifier<'_>, data: &InstData, live: &mut RegisterSet) {
        for operand in &data.operands {
            match operand {
                Operand::RegisterMask(mask) => match verifier.target.vocabulary.preserved(*mask) {
                    Preserved::CalleeSaved => *live &= !self.caller_saved | self.always,
                    Preserved::Nothing => *live &= self.always,
                    Preserved::More => {}
                },
                Operand::RegisterList(list) => {
                    let listed = verifier.function.register_lists.get(*list);
                    let Some(listed) = listed.filter(|list| list.kind == RegisterListKind::Preserved) else { continue };
                    let preserved = listed.registers.iter().fold(0, |set, &register| set | self.whole(register));
                    *live &= preserved | self.always;
                }
                _ => {}
            }
        }
    }
}

/// Reads that need no value: of an undefined one, within a bundle, or by a debugger.
const UNREAD: RegFlags = RegFlags::UNDEF.union(RegFlags::INTERNAL).union(RegFlags::DEBUG_USE);

/// The physical registers written, implicit ones included.
fn defined(data: &InstData) -> impl Iterator<Item = (PReg, RegFlags)> {
    data.defs().filter_map(|operand| Some((operand.reg.as_physical()?, operand.flags)))
}

/// While registers are still to be allocated, a value crosses from block to block in a virtual one.
fn live_ins(verifier: &mut Verifier<'_>, block: Block) {
    let (function, target) = (verifier.function, verifier.target);
    let enters = function.entry() == Some(block) || structure::is_landing_pad(function, block);
    if enters || verifier.has(Properties::NO_VREGS) {
        return;
    }
    let is_allocatable = |register: PReg| target.classes.iter().any(|class| class.allocatable.contains(&register));
    let listed = function.block(block).liveins.iter().map(|&(register, _)| register);
    let wrong = listed.into_iter().find(|&register| is_allocatable(register));
    verifier.demand_of_block(Rule::LiveInAllocatable, block, wrong.is_none(), || {
        format!("${} is live-in before allocation", target.vocabulary.register_name(wrong.unwrap_or(PReg(0))))
    });
}
