//! The allocation checker: every use reads from its location the value that the program means, and nothing else
//! changed.
//!
//! The pair (selected, allocated) goes in; instructions keep their identity, so an instruction of `selected` is
//! *original* and any other is *inserted*. Two checks, which share no code with the allocator:
//!
//! 1. **Structure** (`structure.rs`), without any dataflow. Blocks, their order and their edges are those selected. So
//!    are stack objects and symbols. Original instructions stand in their blocks in their order, each whole: opcode,
//!    flags, memory operands, immediates, labels. In place of a virtual register stands a register of its class.
//! 2. **Values**, a forward dataflow over the allocated function.
//!
//! *Lattice* (`state.rs`): a state maps each location, a full register or a spill slot, to the set of values it holds.
//! A value is a register of the selected function: a virtual one, or a physical one (arguments, results, flags). Top is
//! "every value", for a block that is not reached yet; states meet by intersection, location by location.
//!
//! *Transfer functions*:
//! ```text
//! entry              R -> {R} for each physical register; slots hold nothing
//! inserted  L := M   L -> what M holds               M, L: registers, or a register and a spill slot
//! original  uses     require value(u) in location(u) unless the use is `undef` or of a register that is zero
//!           writes   W -> {} for each register written, and for each that a call does not preserve
//!           defs     no location holds value(d) any more; then location(d) -> {value(d)}
//!           D = COPY M of whole registers: D -> what M holds, and value(d)
//! edge B -> C        for each PHI p = .. x from B ..: first every location loses p, then those that held x gain p
//! ```
//! An inserted instruction is exactly one that the target writes for a move. It stands before the first terminator: a
//! branch taken before it would skip it, which the dataflow does not see.
//!
//! Like every such checker it trusts that an instruction's row says what it reads and writes.

mod fault;
mod state;
mod structure;

pub use fault::{AllocationFault, AllocationRule, InstPart};

use crate::Violation;
use smallvec::SmallVec;
use state::{Holds, Location, State, mark};
use structure::Structure;
use tribunal_ir::function::StackObject;
use tribunal_ir::{
    Block, Function, Inst, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegFlags, SlotKind, StackSlot, Stage,
};
use tribunal_target::instructions::OperandDesc;
use tribunal_target::moves::Moves;
use tribunal_target::{Features, Target, environment};

/// A move that the allocator inserted.
struct Move {
    to: Location,
    from: Location,
}

/// Whether a walk reports.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Report {
    Findings,
    Nothing,
}

/// All faults of an allocation for a machine with these features. `selected` is the function as the allocator received
/// it.
pub fn check(
    selected: &Function,
    allocated: &Function,
    target: &Target,
    features: Features,
) -> Vec<Violation<AllocationRule>> {
    if allocated.stage < Stage::Allocated {
        return Vec::new();
    }
    let findings = Structure { selected, allocated, target, findings: Vec::new() }.check();
    let moves = target.moves(features);
    let mut checker = Checker { selected, allocated, target, moves, registers: full_registers(target), findings };
    checker.placed();
    // Values flow along the edges and through the instructions that are compared above.
    if checker.findings.is_empty() {
        checker.values();
    }
    checker.findings
}

/// True for an instruction that was selected; any other is the allocator's.
fn is_original(selected: &Function, inst: Inst) -> bool {
    (inst.as_u32() as usize) < selected.inst_bound() && selected.block_of(inst).is_some()
}

/// The target's full registers, in order.
fn full_registers(target: &Target) -> Vec<PReg> {
    let registers = (0..target.registers.len() as u16).map(PReg);
    registers.filter(|&register| target.vocabulary.full_register(register) == register).collect()
}

struct Checker<'f> {
    selected: &'f Function,
    allocated: &'f Function,
    target: &'f Target,
    moves: Moves<'f>,
    registers: Vec<PReg>,
    findings: Vec<Violation<AllocationRule>>,
}

impl Checker<'_> {
    /// Every inserted instruction is a move, before the block's first terminator.
    fn placed(&mut self) {
        for &block in self.allocated.layout() {
            let mut ends = false;
            for inst in self.allocated.insts(block) {
                let data = self.allocated.inst(inst);
                ends |= self.allocated.opcode_flags(data, self.target.vocabulary).contains(OpcodeFlags::TERMINATOR);
                if is_original(self.selected, inst) {
                    continue;
                }
                let fault = match self.inserted(data) {
                    _ if ends => AllocationFault::AfterTerminator,
                    Err(fault) => fault,
                    Ok(_) => continue,
                };
                self.findings.push(fault.at(self.allocated, inst));
            }
        }
    }

    /// Every use reads its value.
    fn values(&mut self) {
        let entry_states = self.fixpoint();
        for &block in self.allocated.layout() {
            if let Some(state) = &entry_states[block.as_u32() as usize] {
                let mut state = state.clone();
                for inst in self.allocated.insts(block) {
                    self.transfer(&mut state, inst, Report::Findings);
                }
            }
        }
    }

    /// The state at the head of each block; `None` for one that is never reached.
    fn fixpoint(&mut self) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; self.allocated.block_bound()];
        let Some(entry) = self.allocated.entry() else { return states };
        states[entry.as_u32() as usize] = Some(self.on_entry());
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            let Some(mut state) = states[block.as_u32() as usize].clone() else { continue };
            for inst in self.allocated.insts(block) {
                self.transfer(&mut state, inst, Report::Nothing);
            }
            for to in self.allocated.successors(block) {
                let arriving = self.across(&state, block, to);
                let slot = &mut states[to.as_u32() as usize];
                let met = match slot {
                    Some(old) => old.common(&arriving),
                    None => arriving,
                };
                if slot.as_ref().is_none_or(|old| old.locations != met.locations) {
                    *slot = Some(met);
                    work.push(to);
                }
            }
        }
        states
    }

    /// Every physical register holds its own value, as in the selected function; no slot holds any.
    fn on_entry(&self) -> State {
        let registers = self.registers.iter().map(|&register| Holds::only(Reg::Physical(register)));
        let locations = registers.chain(self.allocated.stack.values().map(|_| Holds::default())).collect();
        State { locations, held: vec![0; self.selected.vregs.len().div_ceil(64)] }
    }

    /// The location's place in a state: the full registers in order, then the slots; `None` for a slot that is none.
    fn place(&self, location: Location) -> Option<usize> {
        match location {
            Location::Register(register) => self.registers.binary_search(&register).ok(),
            Location::Slot(slot) => Some(self.registers.len() + slot.as_u32() as usize),
        }
    }

    fn held<'s>(&self, state: &'s State, location: Location) -> Option<&'s Holds> {
        state.locations.get(self.place(location)?)
    }

    fn hold(&self, state: &mut State, location: Location, holds: Holds) {
        state.set(self.place(location), holds);
    }

    /// PHIs of `to` take their values on the edge: a location that holds an input then holds the PHI too.
    fn across(&self, state: &State, from: Block, to: Block) -> State {
        let mut renamed: SmallVec<[(Reg, Reg); 8]> = SmallVec::new();
        for inst in self.selected.insts(to) {
            let data = self.selected.inst(inst);
            if !data.opcode.is_phi() {
                break;
            }
            let input = data.phi_inputs().find(|&(_, block)| block == from).map(|(value, _)| value);
            if let (Some(phi), Some(input)) = (data.vreg(0), input) {
                renamed.push((phi.into(), input.into()));
            }
        }
        let mut arriving = state.clone();
        if renamed.is_empty() {
            return arriving;
        }
        renamed.iter().for_each(|&(phi, _)| mark(&mut arriving.held, phi));
        for holds in &mut arriving.locations {
            let added: SmallVec<[Reg; 4]> =
                renamed.iter().filter(|(_, input)| holds.contains(*input)).map(|&(phi, _)| phi).collect();
            // The old value of a PHI is gone once the edge is taken.
            renamed.iter().for_each(|&(phi, _)| holds.remove(phi));
            added.into_iter().for_each(|phi| holds.insert(phi));
        }
        arriving
    }

    fn transfer(&mut self, state: &mut State, inst: Inst, report: Report) {
        let data = self.allocated.inst(inst);
        if is_original(self.selected, inst) {
            self.original(state, inst, data, report);
        } else if let Ok(Move { to, from }) = self.inserted(data) {
            let holds = self.held(state, from).cloned().unwrap_or_default();
            self.hold(state, to, holds);
        }
    }

    fn original(&mut self, state: &mut State, inst: Inst, data: &InstData, report: Report) {
        let meant = self.selected.inst(inst);
        for (meant, operand) in meant.operands.iter().zip(&data.operands).filter(|(meant, _)| !meant.is_def()) {
            let (Some(value), Some(location)) = (self.value(meant), self.location(operand)) else { continue };
            if report == Report::Findings && !self.held(state, location).is_some_and(|holds| holds.contains(value)) {
                let fault = AllocationFault::Value { value: self.shown(value), location: self.name(location) };
                self.findings.push(fault.at(self.allocated, inst));
            }
        }
        if report == Report::Findings && self.overwrites_source(meant, data) {
            self.findings.push(AllocationFault::EarlyClobber.at(self.allocated, inst));
        }
        let copied = self.copied(data).and_then(|from| self.held(state, from)).cloned().unwrap_or_default();
        self.clobber(state, data);
        for (meant, operand) in meant.operands.iter().zip(&data.operands).filter(|(meant, _)| meant.is_def()) {
            let (Some(value), Some(location)) = (self.value(meant), self.location(operand)) else { continue };
            state.remove(value);
            let mut holds = copied.clone();
            holds.insert(value);
            self.hold(state, location, holds);
        }
    }

    /// The source of a copy of a whole register to another.
    fn copied(&self, data: &InstData) -> Option<Location> {
        let (Opcode::COPY, [to, from]) = (data.opcode, data.operands.as_slice()) else { return None };
        let is_whole = |operand: &Operand| {
            let physical = operand.as_reg().and_then(|operand| operand.reg.as_physical());
            physical.is_some_and(|register| self.target.vocabulary.full_register(register) == register)
        };
        self.location(from).filter(|_| is_whole(to) && is_whole(from))
    }

    /// True if a register that is written early is one of a source, or of another definition. The source that is tied
    /// to it shares its register.
    fn overwrites_source(&self, meant: &InstData, data: &InstData) -> bool {
        let descs = match meant.opcode {
            Opcode::Target(opcode) => self.target.instruction(opcode).operands,
            _ => &[],
        };
        let is_tied = |other: usize, index: usize| descs.get(other).and_then(OperandDesc::tied_to) == Some(index);
        let early = |operand: &Operand| {
            operand.as_reg().is_some_and(|register| register.flags.contains(RegFlags::EARLY_CLOBBER))
        };
        let mut written = meant.operands.iter().zip(&data.operands).enumerate().filter(|(_, (meant, _))| early(meant));
        written.any(|(index, (_, operand))| {
            let place = self.location(operand);
            let others = data.operands.iter().enumerate();
            let mut others = others.filter(|&(other, _)| other != index && !is_tied(other, index));
            place.is_some() && others.any(|(_, other)| self.location(other) == place)
        })
    }

    /// The register that an operand of the selected function names; `None` if it always reads as zero, or reads
    /// anything. A definition that is `undef` writes a part, and says that the rest may be anything.
    fn value(&self, operand: &Operand) -> Option<Reg> {
        let reads_any = |flags: RegFlags| flags.contains(RegFlags::UNDEF) && !flags.contains(RegFlags::DEF);
        let register = operand.as_reg().filter(|register| !reads_any(register.flags))?;
        match register.reg {
            Reg::Virtual(_) => Some(register.reg),
            Reg::Physical(register) if self.target.vocabulary.is_zero_register(register) => None,
            Reg::Physical(register) => Some(self.target.vocabulary.full_register(register).into()),
        }
    }

    /// Forgets the values of the locations that an instruction writes.
    fn clobber(&self, state: &mut State, data: &InstData) {
        let written = data.defs().filter_map(|operand| operand.reg.as_physical());
        let lost = if self.target.is_call(data) { environment::clobbered(self.target, data) } else { Vec::new() };
        for register in written.chain(lost) {
            let register = Location::Register(self.target.vocabulary.full_register(register));
            self.hold(state, register, Holds::default());
        }
    }

    fn location(&self, operand: &Operand) -> Option<Location> {
        match operand.as_reg()?.reg {
            Reg::Physical(register) => Some(Location::Register(self.target.vocabulary.full_register(register))),
            Reg::Virtual(_) => None,
        }
    }

    /// Reads an inserted instruction as a move: it must be exactly what the target writes for one.
    fn inserted(&self, data: &InstData) -> Result<Move, AllocationFault> {
        let (moves, vocabulary) = (self.moves, self.target.vocabulary);
        let first = data.operands.first().and_then(Operand::as_reg).and_then(|operand| operand.reg.as_physical());
        let first = vocabulary.full_register(first.ok_or(AllocationFault::Inserted)?);
        let slot = data.operands.iter().find_map(|operand| match operand {
            Operand::Stack(slot) => Some(*slot),
            _ => None,
        });
        let Some(slot) = slot else {
            let sources = data.uses().filter_map(|operand| operand.reg.as_physical());
            let mut sources = sources.map(|source| vocabulary.full_register(source));
            let source = sources.find(|&source| moves.copy(first, source).as_ref() == Some(data));
            let from = Location::Register(source.ok_or(AllocationFault::Inserted)?);
            return Ok(Move { to: Location::Register(first), from });
        };
        let (there, here) = (Location::Slot(slot), Location::Register(first));
        let moved = match () {
            () if moves.spill_to(first, slot).as_ref() == Some(data) => Move { to: there, from: here },
            () if moves.reload_from(first, slot).as_ref() == Some(data) => Move { to: here, from: there },
            () => return Err(AllocationFault::Inserted),
        };
        match self.is_spill_slot(slot, first) {
            true => Ok(moved),
            false => Err(AllocationFault::Slot),
        }
    }

    /// True if the object is the allocator's own, and holds the register.
    fn is_spill_slot(&self, slot: StackSlot, register: PReg) -> bool {
        let bytes = self.moves.spill_bytes(register);
        let fits = |object: &StackObject| {
            object.kind == SlotKind::Spill && object.size >= u64::from(bytes) && object.align.is_multiple_of(bytes)
        };
        slot.as_u32() as usize >= self.selected.stack.len() && self.allocated.stack.get(slot).is_some_and(fits)
    }

    fn shown(&self, value: Reg) -> String {
        match value {
            Reg::Virtual(register) => register.to_string(),
            Reg::Physical(register) => self.name(Location::Register(register)),
        }
    }

    fn name(&self, location: Location) -> String {
        match location {
            Location::Register(register) => format!("${}", self.target.vocabulary.register_name(register)),
            Location::Slot(slot) => slot.to_string(),
        }
    }
}
