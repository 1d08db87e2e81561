//! Liveness, as a function that tracks it claims it: a register is read only where it is live.
//!
//! One forward scan of each block, over a set of physical registers of which the parts are members too. At the head of
//! a block these are live: its listed live-ins, the registers that no value is kept in, and those that the prologue
//! sets up. A write makes a register live with its parts; a kill, a dead write and a call's mask end that. So a scan
//! sees no other block. Instead a listed live-in must not have ended in a predecessor: LLVM lists too few live-ins of
//! some blocks, so one that the predecessor does not mention is no fault, unless it is a register of flags. A read
//! finds its register live if a part of it is, as in LLVM.
//!
//! Before allocation only the entry and landing pads have live-ins that could have been allocated.
//!
//! As in LLVM, the rules about physical registers apply only to a function that tracks liveness. Our allocator's code
//! does not: it may read any register where the source had an undefined value. The allocation checker has judged such
//! reads by then.

use super::register_set::{RegisterSet, bit};
use super::target_sets::TargetSets;
use super::{Rule, Verifier, structure};
use tribunal_ir::function::RegisterListKind;
use tribunal_ir::{
    Block, Inst, InstData, InstFlags, Opcode, Operand, PReg, Preserved, Properties, Reg, RegFlags, RegOperand,
};

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
    sets: &'static TargetSets,
    /// Live everywhere.
    always: RegisterSet,
}

impl Liveness {
    fn new(verifier: &Verifier<'_>) -> Liveness {
        let (function, target, abi) = (verifier.function, verifier.target, verifier.target.abi);
        let mut liveness = Liveness { sets: verifier.sets, always: verifier.reserved };
        if function.frame_info.is_frame_address_taken {
            liveness.always |= liveness.whole(abi.frame_pointer);
        }
        if function.frame_info.is_callee_saved_info_valid {
            // The caller's values in registers that the prologue does not save.
            let full = |register: PReg| target.registers.get(usize::from(register.0)).map_or(register, |row| row.full);
            let stack = function.stack.values().filter_map(|object| object.saved);
            let saved = stack.chain(function.fixed_stack.values().filter_map(|object| object.saved)).map(full);
            let saved = RegisterSet::of(saved.map(|register| liveness.whole(register)));
            let pristine = RegisterSet::of(abi.callee_saved.iter().map(|&register| liveness.whole(register)));
            liveness.always |= pristine & !saved;
        }
        liveness.always |= liveness.frame_registers(verifier);
        liveness
    }

    fn whole(&self, register: PReg) -> RegisterSet {
        self.sets.whole(register)
    }

    /// Registers that the prologue points into the frame: nothing lists them as live-in. LLVM may put the prologue
    /// into a later block.
    fn frame_registers(&self, verifier: &Verifier<'_>) -> RegisterSet {
        let (function, target) = (verifier.function, verifier.target);
        let sets_up = |data: &&InstData| {
            data.flags.contains(InstFlags::FRAME_SETUP)
                && data.memory.is_empty()
                && data.uses().any(|operand| operand.reg == Reg::Physical(target.abi.stack_pointer))
        };
        let prologue = function.all_insts().map(|inst| function.inst(inst)).filter(sets_up);
        RegisterSet::of(prologue.flat_map(defined).map(|(register, _)| self.whole(register)))
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
            live &= !self.left_out(verifier, data) | self.always;
            let (mut dead, mut written) = (RegisterSet::EMPTY, RegisterSet::EMPTY);
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
            // One of no class, such as flags, is never allocated.
            let is_lost = |register: PReg| {
                !live.meets(self.whole(register))
                    && (known.meets(self.whole(register)) || !self.sets.held.meets(bit(register)))
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
        let mut killed = RegisterSet::EMPTY;
        for operand in data.uses().filter(|operand| !operand.flags.intersects(UNREAD)) {
            let Reg::Physical(register) = operand.reg else { continue };
            let of_whole = || self.is_part_of_implicit(data, register);
            let defined = live.meets(self.whole(register)) || of_whole();
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
            Reg::Physical(register) => register != part && self.whole(register).meets(bit(part)),
            Reg::Virtual(_) => false,
        };
        data.uses().any(|operand| operand.flags.contains(RegFlags::IMPLICIT) && is_whole(operand))
    }

    /// The registers that an instruction may change without a name.
    fn left_out(&self, verifier: &Verifier<'_>, data: &InstData) -> RegisterSet {
        let Opcode::Target(opcode) = data.opcode else { return RegisterSet::EMPTY };
        match verifier.target.instruction(opcode) {
            row if row.names_all_writes() => RegisterSet::EMPTY,
            row => RegisterSet::of(row.implicit_defs.iter().map(|&register| self.whole(register))),
        }
    }

    /// Takes away what a call does not preserve.
    fn calls(&self, verifier: &Verifier<'_>, data: &InstData, live: &mut RegisterSet) {
        for operand in &data.operands {
            match operand {
                Operand::RegisterMask(mask) => match verifier.target.vocabulary.preserved(*mask) {
                    Preserved::CalleeSaved => *live &= !self.sets.caller_saved | self.always,
                    Preserved::General => *live &= !self.sets.beside_general | self.always,
                    Preserved::Nothing => *live &= self.always,
                    Preserved::More => {}
                },
                Operand::RegisterList(list) => {
                    let listed = verifier.function.register_lists.get(*list);
                    let Some(listed) = listed.filter(|list| list.kind == RegisterListKind::Preserved) else { continue };
                    let preserved = RegisterSet::of(listed.registers.iter().map(|&register| self.whole(register)));
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
    if enters || verifier.has(Properties::NO_VREGS | Properties::NO_PHIS) {
        return;
    }
    let kept = verifier.reserved | bit(target.abi.frame_pointer);
    let held = verifier.sets.held & !kept;
    let is_allocatable = |register: PReg| held.meets(bit(register));
    let listed = function.block(block).liveins.iter().map(|&(register, _)| register);
    let wrong = listed.into_iter().find(|&register| is_allocatable(register));
    verifier.demand_of_block(Rule::LiveInAllocatable, block, wrong.is_none(), || {
        format!("${} is live-in before allocation", target.vocabulary.register_name(wrong.unwrap_or(PReg(0))))
    });
}
