//! The allocation checker: every use reads from its location the value that the program means.
//!
//! A forward dataflow over the allocated function. The state maps a location (a full register or a spill slot) to the
//! set of registers of the selected function whose value it holds. These are virtual registers, and physical ones
//! (arguments, results, flags). At a join, sets meet by intersection.
//!
//! Transfer: original instructions pair with the selected function by identity; any other instruction between them is a
//! move of the allocator's. PHIs of the selected function rename on the edges. A call leaves nothing in the
//! caller-saved registers but its results.
//!
//! It shares no code with the allocator. Like every such checker it trusts that an instruction's row says what it reads
//! and writes.

use crate::Violation;
use smallvec::SmallVec;
use std::fmt;
use tribunal_ir::{Block, Function, Inst, InstData, Operand, PReg, Reg, RegFlags, StackSlot, Stage};
use tribunal_target::Target;

/// A place that can hold a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Location {
    Register(PReg),
    Slot(StackSlot),
}

/// Registers of the selected function, physical ones in full: a set of very few, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Holds(SmallVec<[Reg; 2]>);

impl Holds {
    fn only(value: Reg) -> Holds {
        Holds(SmallVec::from_slice(&[value]))
    }

    fn contains(&self, value: Reg) -> bool {
        self.0.contains(&value)
    }

    fn insert(&mut self, value: Reg) {
        if let Err(place) = self.0.binary_search(&value) {
            self.0.insert(place, value);
        }
    }

    fn remove(&mut self, value: Reg) {
        if let Some(place) = self.0.iter().position(|&held| held == value) {
            self.0.remove(place);
        }
    }

    /// The intersection of both.
    fn common(&self, other: &Holds) -> Holds {
        Holds(self.0.iter().copied().filter(|&value| other.contains(value)).collect())
    }
}

/// The contents of each location.
#[derive(Clone)]
struct State {
    /// By [`Checker::place`].
    locations: Vec<Holds>,
    /// Virtual registers that some location may hold, one bit each: others need no search.
    held: Vec<u64>,
}

impl State {
    /// Puts `holds` at a place, if it is one.
    fn set(&mut self, place: Option<usize>, holds: Holds) {
        if let Some(location) = place.and_then(|place| self.locations.get_mut(place)) {
            holds.0.iter().for_each(|&value| mark(&mut self.held, value));
            *location = holds;
        }
    }

    /// Takes the value out of every location.
    fn remove(&mut self, value: Reg) {
        if is_marked(&self.held, value) {
            self.locations.iter_mut().for_each(|holds| holds.remove(value));
        }
    }

    /// The intersection of both, location by location.
    fn common(&self, other: &State) -> State {
        let locations = self.locations.iter().zip(&other.locations).map(|(one, other)| one.common(other)).collect();
        let held = self.held.iter().zip(&other.held).map(|(one, other)| one & other).collect();
        State { locations, held }
    }
}

/// The position of a virtual register's bit; physical ones have none.
fn bit(value: Reg) -> Option<(usize, u64)> {
    let number = value.as_virtual()?.as_u32();
    Some((number as usize / 64, 1 << (number % 64)))
}

fn mark(held: &mut [u64], value: Reg) {
    if let Some((word, bit)) = bit(value) {
        held[word] |= bit;
    }
}

fn is_marked(held: &[u64], value: Reg) -> bool {
    bit(value).is_none_or(|(word, bit)| held[word] & bit != 0)
}

/// A move that the allocator inserted.
struct Move {
    to: Location,
    from: Location,
}

/// A rule of the allocation checker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocationRule {
    /// A use reads from its location the value that the program means.
    Value,
    /// The allocator inserts moves, spills and reloads, and nothing else.
    Inserted,
    /// The allocator leaves opcodes and the number of operands alone.
    Changed,
    /// Every instruction stays in its block.
    Lost,
}

impl AllocationRule {
    /// Every rule.
    pub const ALL: [AllocationRule; 4] =
        [AllocationRule::Value, AllocationRule::Inserted, AllocationRule::Changed, AllocationRule::Lost];

    /// Its name in findings.
    pub fn id(self) -> &'static str {
        match self {
            AllocationRule::Value => "allocation-value",
            AllocationRule::Inserted => "allocation-inserted",
            AllocationRule::Changed => "allocation-changed",
            AllocationRule::Lost => "allocation-lost",
        }
    }
}

impl fmt::Display for AllocationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// All faults of an allocation. `selected` is the function as the allocator received it.
pub fn check(selected: &Function, allocated: &Function, target: &Target) -> Vec<Violation<AllocationRule>> {
    let registers = full_registers(target);
    let mut checker = Checker { selected, allocated, target, registers, findings: Vec::new() };
    if allocated.stage < Stage::Allocated {
        return checker.findings;
    }
    let entry_states = checker.fixpoint();
    for &block in allocated.layout() {
        if let Some(state) = &entry_states[block.as_u32() as usize] {
            let mut state = state.clone();
            for inst in allocated.insts(block) {
                checker.transfer(&mut state, inst, true);
            }
        }
    }
    checker.missing_instructions();
    checker.findings
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
    registers: Vec<PReg>,
    findings: Vec<Violation<AllocationRule>>,
}

impl Checker<'_> {
    /// The state at the head of each block; `None` for one that is never reached.
    fn fixpoint(&mut self) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; self.allocated.block_bound()];
        let Some(entry) = self.allocated.entry() else { return states };
        states[entry.as_u32() as usize] = Some(self.on_entry());
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            let Some(mut state) = states[block.as_u32() as usize].clone() else { continue };
            for inst in self.allocated.insts(block) {
                self.transfer(&mut state, inst, false);
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

    fn transfer(&mut self, state: &mut State, inst: Inst, report: bool) {
        let data = self.allocated.inst(inst);
        let original = (inst.as_u32() as usize) < self.selected.inst_bound() && self.selected.block_of(inst).is_some();
        if original {
            self.original(state, inst, data, report);
            return;
        }
        match self.inserted(data) {
            Some(Move { to, from }) => {
                let holds = self.held(state, from).cloned().unwrap_or_default();
                self.hold(state, to, holds);
            }
            None => {
                self.clobber(state, data);
                let is_jump = data.operands.iter().any(|operand| matches!(operand, Operand::Block(_)));
                if report && !is_jump {
                    self.findings.push(Violation::at(
                        AllocationRule::Inserted,
                        self.allocated,
                        inst,
                        "is no move, spill or reload",
                    ));
                }
            }
        }
    }

    fn original(&mut self, state: &mut State, inst: Inst, data: &InstData, report: bool) {
        let meant = self.selected.inst(inst);
        if report && (meant.opcode != data.opcode || meant.operands.len() != data.operands.len()) {
            self.findings.push(Violation::at(
                AllocationRule::Changed,
                self.allocated,
                inst,
                "is not the instruction selected",
            ));
            return;
        }
        for (meant, operand) in meant.operands.iter().zip(&data.operands).filter(|(meant, _)| !meant.is_def()) {
            let (Some(value), Some(location)) = (self.value(meant), self.location(operand)) else { continue };
            if report && !self.held(state, location).is_some_and(|holds| holds.contains(value)) {
                let message = format!("{} is not in {}", self.shown(value), self.name(location));
                self.findings.push(Violation::at(AllocationRule::Value, self.allocated, inst, message));
            }
        }
        self.clobber(state, data);
        for (meant, operand) in meant.operands.iter().zip(&data.operands).filter(|(meant, _)| meant.is_def()) {
            let (Some(value), Some(location)) = (self.value(meant), self.location(operand)) else { continue };
            state.remove(value);
            self.hold(state, location, Holds::only(value));
        }
    }

    /// The register that an operand of the selected function names; `None` if it always reads as zero, or reads
    /// anything.
    fn value(&self, operand: &Operand) -> Option<Reg> {
        let register = operand.as_reg().filter(|register| !register.flags.contains(RegFlags::UNDEF))?;
        match register.reg {
            Reg::Virtual(_) => Some(register.reg),
            Reg::Physical(register) if self.target.is_zero_register(register) => None,
            Reg::Physical(register) => Some(self.target.vocabulary.full_register(register).into()),
        }
    }

    /// Forgets the values of the locations that an instruction writes.
    fn clobber(&self, state: &mut State, data: &InstData) {
        let written = data.defs().filter_map(|operand| operand.reg.as_physical());
        let lost = if self.target.is_call(data) { self.target.abi.caller_saved } else { &[] };
        for register in written.chain(lost.iter().copied()) {
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
    fn inserted(&self, data: &InstData) -> Option<Move> {
        let target = self.target;
        let register = |index: usize| data.operands.get(index)?.as_reg()?.reg.as_physical();
        let slot = data.operands.iter().find_map(|operand| match operand {
            Operand::Stack(slot) => Some(*slot),
            _ => None,
        });
        let first = register(0)?;
        match slot {
            Some(slot) => {
                let base = self.target.abi.stack_pointer;
                let on_slot = |mut data: InstData| {
                    for operand in &mut data.operands {
                        if operand.as_reg().is_some_and(|register| register.reg == Reg::Physical(base)) {
                            *operand = Operand::Stack(slot);
                        }
                    }
                    data
                };
                let (there, here) = (Location::Slot(slot), Location::Register(first));
                if target.spill(first, base, 0).map(on_slot).as_ref() == Some(data) {
                    Some(Move { to: there, from: here })
                } else if target.reload(first, base, 0).map(on_slot).as_ref() == Some(data) {
                    Some(Move { to: here, from: there })
                } else {
                    None
                }
            }
            None => {
                let mut sources = data.uses().filter_map(|operand| operand.reg.as_physical());
                let source = sources.find(|&source| target.copy(first, source).as_ref() == Some(data))?;
                Some(Move { to: Location::Register(first), from: Location::Register(source) })
            }
        }
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

    /// Every instruction selected is still there, but for PHIs.
    fn missing_instructions(&mut self) {
        for &block in self.selected.layout() {
            for inst in self.selected.insts(block) {
                if !self.selected.inst(inst).opcode.is_phi() && self.allocated.block_of(inst) != Some(block) {
                    self.findings.push(Violation::at(
                        AllocationRule::Lost,
                        self.selected,
                        inst,
                        "is gone or elsewhere",
                    ));
                }
            }
        }
    }
}
