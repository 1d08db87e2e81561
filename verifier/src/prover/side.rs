//! One side of a rewrite step, evaluated symbolically.
//!
//! Registers that a side reads and does not define are inputs, shared by both sides. A fragment with PHIs is evaluated
//! for one arbitrary entry into the block: the edge taken is one more input. Machine code knows no poison: its inputs
//! are bits, even where the source's are poison.

use super::memory::SymbolicMemory;
use super::opaque::{Effect, Uninterpreted};
use super::term::{Symbolic, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{self, Domain, Unsupported, Value};
use tribunal_ir::{
    Block, Constraint, Function, InstData, Opcode, OpcodeFlags, Operand, PReg, Reg, RegOperand, StackSlot, VReg,
};
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
    pub physical: FxHashMap<PReg, Scalar>,
    pub memory: SymbolicMemory,
    pub ub: Term,
    /// The direction of control: the condition of the branch, if there is one.
    pub taken: Option<Term>,
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
            memory,
            ub,
            taken: None,
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
    /// For whole functions: the state of uninterpreted operations. Without it they are unsupported.
    pub opaque: Option<&'e mut Uninterpreted>,
}

/// The most terms of a block before it is given up.
const MOST_TERMS: usize = 4_000_000;

impl SideEvaluation<'_> {
    pub fn side(mut self, insts: &[InstData]) -> Result<Side, Unsupported> {
        let memory = SymbolicMemory::new(self.d, 0, self.inputs.slots.clone(), self.machine);
        let mut side = Side::new(self.d, FxHashMap::default(), memory);
        self.run(&mut side, insts)?;
        Ok(side)
    }

    /// Evaluates more instructions.
    pub fn run(&mut self, side: &mut Side, insts: &[InstData]) -> Result<(), Unsupported> {
        self.d.choices.clear();
        for data in insts {
            self.step(side, data)?;
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
        match data.opcode {
            opcode if opcode.is_phi() => self.phi(side, data),
            Opcode::G_BR => Ok(()),
            Opcode::G_BRCOND => self.branch(side, data),
            Opcode::COPY => self.copy(side, data),
            Opcode::IMPLICIT_DEF => {
                let Some(register) = data.vreg(0) else { return Ok(()) };
                let width = self.width(register);
                let bits = self.d.choose(width);
                let poison = self.d.truth(false);
                side.defined.insert(register, Value { bits, poison });
                Ok(())
            }
            Opcode::Target(_) if self.target.is_call(data) => self.call(side, data),
            Opcode::Target(_) => self.machine_inst(side, data),
            Opcode::G_IMPLICIT_DEF | Opcode::G_FREEZE => self.choice(side, data),
            _ => self.generic(side, data),
        }
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

    fn machine_inst(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let Opcode::Target(opcode) = data.opcode else { return Ok(()) };
        let flags = self.target.instruction(opcode).flags;
        if flags.contains(OpcodeFlags::BARRIER) {
            return Ok(());
        }
        let args: SmallVec<[Scalar; 4]> = data.uses().map(|operand| self.read_operand(side, operand)).collect();
        let evaluation = tribunal_target::evaluate(self.target, self.d, &mut side.memory, data, &args)?;
        side.ub = self.d.bool_or(&side.ub, &evaluation.ub);
        let defs: SmallVec<[Reg; 2]> = data.defs().map(|operand| operand.reg).collect();
        for (reg, value) in defs.into_iter().zip(evaluation.results) {
            match reg {
                Reg::Virtual(register) => {
                    side.defined.insert(register, value);
                }
                Reg::Physical(register) => self.write_physical(side, register, value),
            }
        }
        side.taken = evaluation.taken.or(side.taken);
        Ok(())
    }

    fn branch(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        if side.taken.is_some() {
            return Err(Unsupported::new("two conditional branches in one block"));
        }
        let register = data.vreg(0).ok_or_else(|| Unsupported::new("malformed G_BRCOND"))?;
        let condition = self.read(side, register);
        let (taken, unconstrained) = semantics::condition_of(self.d, &condition.bits);
        let ub = self.d.bool_or(&condition.poison, &unconstrained);
        side.ub = self.d.bool_or(&side.ub, &ub);
        side.taken = Some(taken);
        Ok(())
    }

    fn copy(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let [Operand::Reg(dst), Operand::Reg(src), ..] = data.operands.as_slice() else {
            return Err(Unsupported::new("malformed COPY"));
        };
        let mut value = self.read_operand(side, src);
        match dst.reg {
            Reg::Virtual(register) => {
                let width = self.width(register);
                value.bits = self.d.zext_or_trunc(&value.bits, width);
                side.defined.insert(register, value);
            }
            Reg::Physical(register) => self.write_physical(side, register, value),
        }
        Ok(())
    }

    pub fn call(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let (target, function) = (self.target, self.function);
        // The evaluation borrows the domain, so registers are read first.
        let before: FxHashMap<PReg, Scalar> =
            target.abi.arguments().iter().map(|&register| (register, self.read_physical(side, register))).collect();
        let evaluation = target.evaluate_call(self.d, function, data, |_, register| before[&register].clone())?;
        side.ub = self.d.bool_or(&side.ub, &evaluation.ub);
        for (register, value) in evaluation.registers {
            self.write_physical(side, register, value);
        }
        Ok(())
    }

    /// Writing a part clears the rest of the register.
    pub fn write_physical(&mut self, side: &mut Side, register: PReg, mut value: Scalar) {
        let vocabulary = self.target.vocabulary;
        let full = vocabulary.full_register(register);
        value.bits = self.d.zext_or_trunc(&value.bits, vocabulary.register_bits(full));
        side.physical.insert(full, value);
    }

    /// The value from the edge taken.
    fn phi(&mut self, side: &mut Side, data: &InstData) -> Result<(), Unsupported> {
        let inputs: Vec<(VReg, Block)> = data.phi_inputs().collect();
        let malformed = || Unsupported::new("malformed G_PHI");
        let register = data.vreg(0).ok_or_else(malformed)?;
        let edge = match self.inputs.edge {
            Some(edge) => edge,
            None => *self.inputs.edge.insert(self.d.variable(32)),
        };
        let mut value: Option<Scalar> = None;
        for (input, block) in inputs.into_iter().rev() {
            let arriving = self.read(side, input);
            value = Some(match value {
                None => arriving,
                Some(others) => {
                    let number = self.d.value(Bits::new(block.as_u32().into(), 32));
                    let here = self.d.equal(edge, number);
                    let bits = self.d.if_then_else(here, arriving.bits, others.bits);
                    Value { bits, poison: self.d.if_then_else(here, arriving.poison, others.poison) }
                }
            });
        }
        side.defined.insert(register, value.ok_or_else(malformed)?);
        Ok(())
    }

    pub fn width(&self, register: VReg) -> u32 {
        let data = &self.function.vregs[register];
        match (data.ty, data.constraint) {
            (Some(ty), _) => ty.bits(),
            (None, Constraint::Class(class)) => self.target.class(class).bits,
            (None, Constraint::Bank(_) | Constraint::None) => u32::from(self.target.pointer_bits),
        }
    }

    pub fn read(&mut self, side: &Side, register: VReg) -> Scalar {
        if let Some(value) = side.defined.get(&register) {
            return value.clone();
        }
        if let Some(value) = self.standing.and_then(|standing| standing.get(&register)) {
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

    pub fn read_operand(&mut self, side: &Side, operand: &RegOperand) -> Scalar {
        let mut value = match operand.reg {
            Reg::Virtual(register) => self.read(side, register),
            Reg::Physical(register) => self.read_physical(side, register),
        };
        if operand.subregister.0 != 0 {
            let bits = self.target.vocabulary.subregister_bits(operand.subregister);
            value.bits = self.d.zext_or_trunc(&value.bits, bits);
        }
        value
    }

    pub fn read_physical(&mut self, side: &Side, register: PReg) -> Scalar {
        let vocabulary = self.target.vocabulary;
        let (width, poison) = (vocabulary.register_bits(register), self.d.truth(false));
        if self.target.is_zero_register(register) {
            return Value { bits: self.d.value(Bits::zero(width)), poison };
        }
        let full = vocabulary.full_register(register);
        if let Some(value) = side.physical.get(&full) {
            return Value { bits: self.d.zext_or_trunc(&value.bits, width), poison: value.poison };
        }
        let bits = match self.inputs.physical.get(&full) {
            Some(&bits) => bits,
            None => {
                let bits = self.d.variable(vocabulary.register_bits(full));
                self.inputs.physical.insert(full, bits);
                bits
            }
        };
        Value { bits: self.d.zext_or_trunc(&bits, width), poison }
    }
}
