//! One side of a rewrite step, evaluated symbolically.
//!
//! Registers that a side reads and does not define are inputs, shared by both sides. A fragment with PHIs is evaluated
//! for one arbitrary entry into the block: the edge taken is one more input. Machine code knows no poison: its inputs
//! are bits, even where the source's are poison.

use super::memory::SymbolicMemory;
use super::opaque::{Effect, Uninterpreted};
use super::term::{Symbolic, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tribunal_ir::bits::MAX_BITS;
use tribunal_ir::semantics::walk::{self, Edge, MachineState, Next, Transfer};
use tribunal_ir::semantics::{self, Domain, Unsupported, Value};
use tribunal_ir::{Block, Family, Function, InstData, Opcode, OpcodeFlags, PReg, StackSlot, VReg, Vocabulary};
use tribunal_target::Target;

pub(super) type Scalar = Value<Symbolic>;

/// Inputs of both sides.
#[derive(Default)]
pub(super) struct Inputs {
    pub registers: FxHashMap<VReg, Scalar>,
    /// Full registers.
    pub physical: FxHashMap<PReg, Term>,
    pub edge: Option<Term>,
    pub slots: FxHashMap<StackSlot, Term>,
    /// In order of appearance, for reports.
    pub order: Vec<VReg>,
}

/// The results of a side.
pub(super) struct Side {
    pub defined: FxHashMap<VReg, Scalar>,
    /// Full registers written.
    pub physical: FxHashMap<PReg, Scalar>,
    /// Full registers that hold anything since a call; the choice is made by the first read.
    clobbered: FxHashSet<PReg>,
    pub memory: SymbolicMemory,
    pub ub: Term,
    /// The conditional branches in order: control goes to the block of the first whose condition holds.
    pub branches: Vec<(Term, Block)>,
    /// The block that control goes to where none is taken; `None` for on from here.
    pub jump: Option<Block>,
    /// Choices that this side made.
    pub choices: Vec<Term>,
    /// Those of them from instructions of these opcodes, in order.
    pub chosen: Vec<(Opcode, Term)>,
    /// Operations with effects that no definition covers, and those without, in order.
    pub effects: Vec<Effect>,
    pub pure: Vec<Effect>,
}

impl Side {
    pub fn new(d: &mut Symbolic, defined: FxHashMap<VReg, Scalar>, memory: SymbolicMemory) -> Side {
        let ub = d.truth(false);
        Side {
            defined,
            physical: FxHashMap::default(),
            clobbered: FxHashSet::default(),
            memory,
            ub,
            branches: Vec::new(),
            jump: None,
            choices: Vec::new(),
            chosen: Vec::new(),
            effects: Vec::new(),
            pure: Vec::new(),
        }
    }
}

pub(super) struct SideEvaluation<'e> {
    pub d: &'e mut Symbolic,
    pub target: &'e Target,
    pub function: &'e Function,
    pub inputs: &'e mut Inputs,
    pub machine: bool,
    /// The definitions of the other side: one that was looked through still defines its register for other readers. The
    /// machine verifier checks that it does.
    pub standing: Option<&'e FxHashMap<VReg, Scalar>>,
    /// All instructions of this side: a register that one of them defines is not the other side's.
    pub own: &'e [InstData],
    /// For whole functions: the state of uninterpreted operations. Without it they are unsupported.
    pub opaque: Option<&'e mut Uninterpreted>,
}

/// The most terms of a block before it is given up.
const MOST_TERMS: usize = 4_000_000;

/// For a register beyond the numbers that terms have.
pub(super) fn too_wide() -> Unsupported {
    Unsupported::new(format!("a register wider than {MAX_BITS} bits"))
}

impl SideEvaluation<'_> {
    pub fn side(mut self) -> Result<Side, Unsupported> {
        let memory = SymbolicMemory::new(self.d, 0, self.inputs.slots.clone(), self.machine);
        let mut side = Side::new(self.d, FxHashMap::default(), memory);
        self.run(&mut side, self.own)?;
        Ok(side)
    }

    /// Evaluates more instructions.
    pub fn run(&mut self, side: &mut Side, insts: &[InstData]) -> Result<(), Unsupported> {
        self.d.choices.clear();
        if insts.iter().flat_map(|data| data.vreg_defs().chain(data.vreg_uses())).any(|reg| self.width(reg) > MAX_BITS)
        {
            return Err(too_wide());
        }
        // PHIs that follow each other read before any of them writes.
        for group in insts.chunk_by(|one, other| one.opcode.is_phi() && other.opcode.is_phi()) {
            match group {
                [data] if !data.opcode.is_phi() => self.step(side, data)?,
                phis => self.phis(side, phis)?,
            }
            if self.d.bound() > MOST_TERMS {
                return Err(Unsupported::new("a function of too many terms"));
            }
        }
        side.choices.append(&mut self.d.choices);
        self.inputs.slots = side.memory.slots();
        Ok(())
    }

    fn step(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        if self.uninterpreted(side, data)? {
            return Ok(());
        }
        if matches!(data.opcode, Opcode::G_IMPLICIT_DEF | Opcode::G_FREEZE) {
            return self.choice(side, data);
        }
        let target = self.target;
        match tribunal_target::execute(target, &mut SideState { evaluation: self, side }, data)? {
            Some(transfer) => {
                self.follow(side, transfer);
                Ok(())
            }
            None => self.generic(side, data),
        }
    }

    /// Notes the effect of an instruction on control.
    pub fn follow(&mut self, side: &mut Side, Transfer { ub, next }: Transfer<Symbolic>) {
        side.ub = self.d.bool_or(&side.ub, &ub);
        match next {
            Next::Following | Next::Return => {}
            Next::To(block) => side.jump = Some(block),
            Next::If(taken, block) => side.branches.push((taken, block)),
        }
    }

    /// The values from one arbitrary edge into the block.
    fn phis(&mut self, side: &mut Side, phis: &[InstData]) -> Result<(), Unsupported> {
        let edge = match self.inputs.edge {
            Some(edge) => edge,
            None => *self.inputs.edge.insert(self.d.variable(32)),
        };
        walk::phis(&mut SideState { evaluation: self, side }, phis.iter(), &Edge::Any(edge))
    }

    /// A nondeterministic choice: in a whole function, that of the earlier side, if one was kept for it.
    fn choice(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let of_opcode = |choices: &[(Opcode, Term)]| -> Vec<Term> {
            choices.iter().filter(|(opcode, _)| *opcode == data.opcode).map(|&(_, choice)| choice).collect()
        };
        let earlier = self.opaque.as_ref().and_then(|opaque| opaque.earlier.as_ref());
        let shared = earlier.map_or(Vec::new(), |earlier| of_opcode(&earlier.choices));
        self.d.offered = shared.get(of_opcode(&side.chosen).len()).copied();
        let made = self.d.choices.len();
        self.generic(side, data)?;
        self.d.offered = None;
        side.chosen.extend(self.d.choices[made..].iter().map(|&choice| (data.opcode, choice)));
        Ok(())
    }

    pub fn generic(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let args: SmallVec<[Scalar; 4]> = data.vreg_uses().map(|register| self.read(side, register)).collect();
        let is_address = |value: &Scalar| self.d.width_of(value.bits) == u32::from(self.target.pointer_bits);
        let accesses = data.opcode.info().is_some_and(|info| {
            matches!(info.family, Family::Load | Family::Store) && info.flags.contains(OpcodeFlags::DEFINED)
        });
        if accesses && !args.last().is_some_and(is_address) {
            return Err(Unsupported::new("an address that is no pointer's width"));
        }
        let evaluation = match semantics::evaluate(self.d, &mut side.memory, self.function, data, &args) {
            Err(_) if self.opaque.is_some() => return self.other(side, data),
            evaluation => evaluation?,
        };
        side.ub = self.d.bool_or(&side.ub, &evaluation.ub);
        for (register, value) in data.vreg_defs().zip(evaluation.results) {
            side.defined.insert(register, value);
        }
        Ok(())
    }

    pub fn width(&self, register: VReg) -> u32 {
        walk::register_bits(self.function, self.target.vocabulary, register)
    }

    pub fn read(&mut self, side: &Side, register: VReg) -> Scalar {
        if let Some(value) = side.defined.get(&register) {
            return value.clone();
        }
        let is_own = || self.own.iter().any(|data| data.vreg_defs().any(|own| own == register));
        // A PHI that reads what its own side defines below reads the value of the round before.
        if let Some(value) = self.standing.and_then(|standing| standing.get(&register)).filter(|_| !is_own()) {
            let poison = if self.machine { self.d.truth(false) } else { value.poison };
            return Value { bits: value.bits, poison };
        }
        if !self.inputs.registers.contains_key(&register) {
            let width = self.width(register);
            let value = Value { bits: self.d.variable(width), poison: self.d.variable(1) };
            self.inputs.registers.insert(register, value);
            self.inputs.order.push(register);
        }
        let mut value = self.inputs.registers[&register].clone();
        if self.machine {
            value.poison = self.d.truth(false);
        }
        value
    }
}

/// A side under evaluation: the registers of both, and the domain.
pub(super) struct SideState<'w, 'e> {
    pub evaluation: &'w mut SideEvaluation<'e>,
    pub side: &'w mut Side,
}

impl MachineState<Symbolic> for SideState<'_, '_> {
    type Memory = SymbolicMemory;

    fn function(&self) -> &Function {
        self.evaluation.function
    }

    fn vocabulary(&self) -> &'static dyn Vocabulary {
        self.evaluation.target.vocabulary
    }

    fn evaluator(&mut self) -> (&mut Symbolic, &mut SymbolicMemory) {
        (self.evaluation.d, &mut self.side.memory)
    }

    fn virtual_register(&mut self, register: VReg) -> Result<Scalar, Unsupported> {
        Ok(self.evaluation.read(self.side, register))
    }

    fn set_virtual_register(&mut self, register: VReg, value: Scalar) {
        self.side.defined.insert(register, value);
    }

    /// One that the side has not written is an input, without poison.
    fn full_register(&mut self, register: PReg) -> Scalar {
        if let Some(value) = self.side.physical.get(&register) {
            return value.clone();
        }
        let width = self.vocabulary().register_bits(register);
        if self.side.clobbered.remove(&register) {
            let value = self.unwritten(width);
            self.side.physical.insert(register, value.clone());
            return value;
        }
        let d = &mut *self.evaluation.d;
        let bits = *self.evaluation.inputs.physical.entry(register).or_insert_with(|| d.variable(width));
        Value { bits, poison: d.truth(false) }
    }

    fn set_full_register(&mut self, register: PReg, value: Scalar) {
        self.side.clobbered.remove(&register);
        self.side.physical.insert(register, value);
    }

    fn clobber(&mut self, register: PReg) {
        self.side.physical.remove(&register);
        self.side.clobbered.insert(register);
    }
}
