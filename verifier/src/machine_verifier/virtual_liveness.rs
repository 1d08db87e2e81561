//! Liveness of virtual registers, as kill and dead flags and definitions claim it.
//!
//! A read wants its register live: written since, and neither killed nor written by a dead definition. One forward scan
//! of a block decides the reads that follow a write or a kill in it; the others are demands on all predecessors. A
//! demand is met where the register is live at a block's end, broken where the block kills it, and else goes on to the
//! block's own predecessors. One that comes to the entry is broken: some way leads around the definitions. This is the
//! calculation of LLVM's `calcRegsRequired`, and like it asks nothing of SSA form.
//!
//! A function that does not track liveness need not write every register; LLVM asks nothing of it. What its flags end
//! must not be read all the same, since a proof takes such a read for the value.
//!
//! In SSA form without such flags `dominance.rs` has said as much, and nothing is done here.

use super::{Rule, Verifier};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_ir::{Block, Function, InstData, Operand, Properties, Reg, RegFlags, RegOperand, VReg};

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    if function.vregs.is_empty() || (verifier.is_ssa() && !has_flags(function)) {
        return;
    }
    let predecessors = function.predecessors();
    let mut ends: Vec<Ends> = std::iter::repeat_with(Ends::default).take(function.block_bound()).collect();
    let mut demands = Vec::new();
    for &block in function.layout() {
        let place = block.as_u32() as usize;
        ends[place] = scan(verifier, block, &predecessors[place], &mut demands);
    }
    require(verifier, &ends, demands);
}

/// What a register is at a place of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    Killed,
    /// Written, and nothing was to read it.
    Dead,
}

/// The registers that a block names, at its end.
type Ends = FxHashMap<VReg, State>;

/// A register that must be live at the end of a block.
struct Demand {
    register: VReg,
    at_end_of: Block,
}

fn has_flags(function: &Function) -> bool {
    let flagged = |operand: &Operand| {
        let Operand::Reg(operand) = operand else { return false };
        operand.flags.intersects(RegFlags::KILLED.union(RegFlags::DEAD)) && operand.reg.as_virtual().is_some()
    };
    function.all_insts().any(|inst| function.inst(inst).operands.iter().any(flagged))
}

/// Reads that need no value.
const UNREAD: RegFlags = RegFlags::UNDEF.union(RegFlags::INTERNAL).union(RegFlags::DEBUG_USE);

/// The virtual registers read: those used, and those of which a part is written and the rest kept.
fn reads(data: &InstData) -> impl Iterator<Item = (VReg, RegFlags)> {
    let is_read = |operand: &&RegOperand| {
        let is_used = !operand.flags.contains(RegFlags::DEF) || operand.subregister.0 != 0;
        is_used && !operand.flags.intersects(UNREAD)
    };
    let registers = data.operands.iter().filter_map(Operand::as_reg).filter(is_read);
    registers.filter_map(|operand| Some((operand.reg.as_virtual()?, operand.flags)))
}

/// The states at the end of the block; finds reads after a kill, and adds the demands on its predecessors.
fn scan(verifier: &mut Verifier<'_>, block: Block, predecessors: &[Block], demands: &mut Vec<Demand>) -> Ends {
    let function = verifier.function;
    let (mut states, mut exposed) = (Ends::default(), FxHashSet::default());
    let is_tracked = verifier.has(Properties::TRACKS_REG_LIVENESS);
    for inst in function.insts(block) {
        let data = function.inst(inst);
        if data.opcode.is_phi() {
            let inputs = data.operands.get(1..).unwrap_or_default().chunks_exact(2);
            demands.extend(inputs.filter_map(phi_demand));
        } else {
            let mut killed = false;
            for (register, _) in reads(data) {
                match states.get(&register) {
                    Some(State::Live) => {}
                    Some(State::Killed) => killed = true,
                    Some(State::Dead) if !is_tracked => killed = true,
                    None | Some(State::Dead) => _ = exposed.insert(register),
                }
            }
            verifier.demand(Rule::VirtualKilled, inst, !killed, || "reads what was killed in this block");
            let ended = reads(data).filter(|(_, flags)| flags.contains(RegFlags::KILLED));
            ended.for_each(|(register, _)| _ = states.insert(register, State::Killed));
        }
        write(data, &mut states);
    }
    if function.entry() == Some(block) && is_tracked {
        let lost = exposed.iter().min().copied();
        verifier.demand_of_block(Rule::VirtualUndefined, block, lost.is_none(), || undefined(lost));
    }
    for &from in predecessors {
        demands.extend(exposed.iter().map(|&register| Demand { register, at_end_of: from }));
    }
    states
}

/// What one input of a PHI demands.
fn phi_demand(pair: &[Operand]) -> Option<Demand> {
    let [Operand::Reg(value), Operand::Block(from)] = pair else { return None };
    let register = value.reg.as_virtual().filter(|_| !value.flags.intersects(UNREAD))?;
    Some(Demand { register, at_end_of: *from })
}

/// A definition ends or begins what the register holds; a kill before a dead one is remembered.
fn write(data: &InstData, states: &mut Ends) {
    for is_dead in [true, false] {
        for operand in data.defs().filter(|operand| operand.flags.contains(RegFlags::DEAD) == is_dead) {
            let Reg::Virtual(register) = operand.reg else { continue };
            match (is_dead, states.get(&register)) {
                (true, Some(State::Killed)) => {}
                (true, _) => _ = states.insert(register, State::Dead),
                (false, _) => _ = states.insert(register, State::Live),
            }
        }
    }
}

/// Follows the demands against the edges.
fn require(verifier: &mut Verifier<'_>, ends: &[Ends], mut demands: Vec<Demand>) {
    let (function, is_tracked) = (verifier.function, verifier.has(Properties::TRACKS_REG_LIVENESS));
    let predecessors = function.predecessors();
    let mut seen: FxHashSet<(Block, VReg)> = FxHashSet::default();
    let mut said: FxHashSet<VReg> = FxHashSet::default();
    while let Some(Demand { register, at_end_of: block }) = demands.pop() {
        let state = ends[block.as_u32() as usize].get(&register).copied();
        if state == Some(State::Live) || !seen.insert((block, register)) {
            continue;
        }
        let is_ended = match state {
            Some(State::Killed) => true,
            Some(State::Dead) => !is_tracked,
            Some(State::Live) | None => false,
        };
        if is_ended && said.insert(register) {
            let message = || format!("kills {register}, which is read later");
            verifier.demand_of_block(Rule::VirtualKilled, block, false, message);
        } else if function.entry() == Some(block) && is_tracked && said.insert(register) {
            verifier.demand_of_block(Rule::VirtualUndefined, block, false, || undefined(Some(register)));
        }
        let from = predecessors[block.as_u32() as usize].iter();
        demands.extend(from.map(|&from| Demand { register, at_end_of: from }));
    }
}

fn undefined(register: Option<VReg>) -> String {
    let name = register.map(|register| register.to_string()).unwrap_or_default();
    format!("{name} is read where some way leads around its definitions, or where they are dead")
}
