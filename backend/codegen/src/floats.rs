//! The values that are numbers of floating point, as far as the operations around them tell: a type has a width and no
//! kind. Legalization leaves these in the types that registers of floating point hold; bank selection puts them there.
//!
//! Most operations fix the kind of what they define. Loads, PHIs, selections and the like move values of any kind:
//! those that pass a value on to each other form a web (LLVM's `anyUseOnlyUseFP` looks through PHIs in the same way).
//! The operations around a web vote.
//!
//! Invariant: an answer decides about the quality of code and never about its meaning.

use cranelift_entity::{EntityRef, SecondaryMap};
use tribunal_ir::{AtomicOrdering, Function, InstData, MemOperand, Opcode, Operand, PReg, Reg, RegBank, Type, VReg};
use tribunal_target::Target;

/// The kinds of a function's values.
pub(crate) struct FloatValues {
    is_float: SecondaryMap<VReg, bool>,
    /// Whether the function has any, or a register of those.
    any: bool,
    /// Registers from this one on did not exist.
    known: usize,
}

/// Votes about a web.
#[derive(Clone, Copy, Default)]
struct Votes {
    float: u32,
    integer: u32,
}

struct Webs<'f> {
    function: &'f Function,
    target: &'f Target,
    parent: SecondaryMap<VReg, Option<VReg>>,
    votes: SecondaryMap<VReg, Votes>,
}

/// True for an operation that passes on a value of any kind, or brings one from memory or from nowhere.
pub(crate) fn moves_any(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, G_LOAD | G_PHI | G_SELECT | G_FREEZE | G_CONSTANT_FOLD_BARRIER | G_IMPLICIT_DEF | COPY)
}

/// True for an operation that brings a value of any kind from memory or puts it there: a plain access to all of it.
/// Other accesses take integers alone.
pub(crate) fn accesses_any(function: &Function, data: &InstData) -> bool {
    let value = data.vreg(0).and_then(|value| function.type_of(value));
    let is_plain = |memory: &MemOperand| {
        memory.ordering == AtomicOrdering::NotAtomic && memory.ty.map(Type::bits) == value.map(Type::bits)
    };
    data.memory.first().is_some_and(is_plain)
}

/// True for a store of a value of any kind.
pub(crate) fn stores_any(function: &Function, data: &InstData) -> bool {
    data.opcode == Opcode::G_STORE && accesses_any(function, data)
}

/// The value operands that such an operation passes on.
fn passed_on(data: &InstData) -> impl Iterator<Item = VReg> {
    let skipped = match data.opcode {
        Opcode::G_LOAD | Opcode::G_IMPLICIT_DEF => usize::MAX,
        Opcode::G_SELECT => 2,
        _ => 1,
    };
    data.operands.iter().skip(skipped).filter_map(Operand::as_vreg)
}

/// True for a register of another bank than that of integers.
fn is_float_register(target: &Target, register: PReg) -> bool {
    target.bank_of(target.vocabulary.full_register(register)).is_some_and(|bank| bank != RegBank(0))
}

impl FloatValues {
    /// The kinds of all values.
    pub fn of(function: &Function, target: &Target) -> FloatValues {
        let known = function.vregs.len();
        let mut is_float = SecondaryMap::new();
        let any = target.banks.len() > 1 && function.all_insts().any(|inst| mentions(target, function.inst(inst)));
        if any {
            let webs = Webs { function, target, parent: SecondaryMap::new(), votes: SecondaryMap::new() };
            is_float = webs.decided();
        }
        FloatValues { is_float, any, known }
    }

    /// True if some operand is a number of floating point, or a register that holds one.
    pub fn any(&self) -> bool {
        self.any
    }

    /// True for a number of floating point.
    pub fn is_float(&self, function: &Function, register: VReg) -> bool {
        if register.index() < self.known {
            return self.is_float[register];
        }
        let inst = function.def_of(register);
        inst.is_some_and(|inst| defines(function.inst(inst), register))
    }
}

/// True if the operation defines this register as a number of floating point.
fn defines(data: &InstData, register: VReg) -> bool {
    let index = data.operands.iter().position(|operand| operand.is_def() && operand.as_vreg() == Some(register));
    index.is_some_and(|index| data.opcode.is_float_operand(index))
}

/// True if some operand is a number of floating point, or a register that holds one.
fn mentions(target: &Target, data: &InstData) -> bool {
    let is_float = |(index, operand): (usize, &Operand)| match operand.as_reg().map(|register| register.reg) {
        Some(Reg::Physical(register)) => is_float_register(target, register),
        Some(Reg::Virtual(_)) => data.opcode.is_float_operand(index),
        None => false,
    };
    data.operands.iter().enumerate().any(is_float)
}

impl Webs<'_> {
    fn decided(mut self) -> SecondaryMap<VReg, bool> {
        for inst in self.function.all_insts() {
            self.visit(self.function.inst(inst));
        }
        let mut is_float = SecondaryMap::new();
        for (register, data) in &self.function.vregs {
            let is_number = data.ty.is_none_or(|ty| ty.is_scalar());
            is_float[register] = is_number
                && match self.fixed(register) {
                    Some(is_float) => is_float,
                    None => {
                        let web = self.web(register);
                        let Votes { float, integer } = self.votes[web];
                        float > 0 && float >= integer
                    }
                };
        }
        is_float
    }

    /// Whether a value is a number of floating point, if the operation that defines it says so.
    fn fixed(&self, register: VReg) -> Option<bool> {
        let Some(inst) = self.function.def_of(register) else { return Some(false) };
        let data = self.function.inst(inst);
        match (data.opcode, data.operands.get(1).and_then(Operand::as_reg).map(|operand| operand.reg)) {
            (Opcode::COPY, Some(Reg::Physical(source))) => Some(is_float_register(self.target, source)),
            (Opcode::G_LOAD, _) if !accesses_any(self.function, data) => Some(false),
            (opcode, _) if moves_any(opcode) => None,
            _ => Some(defines(data, register)),
        }
    }

    /// The register that stands for the web.
    fn web(&mut self, register: VReg) -> VReg {
        let mut root = register;
        while let Some(parent) = self.parent[root] {
            root = parent;
        }
        let mut current = register;
        while let Some(parent) = self.parent[current].filter(|&parent| parent != root) {
            self.parent[current] = Some(root);
            current = parent;
        }
        root
    }

    fn vote(&mut self, register: VReg, is_float: bool) {
        let web = self.web(register);
        let votes = &mut self.votes[web];
        *(if is_float { &mut votes.float } else { &mut votes.integer }) += 1;
    }

    fn join(&mut self, one: VReg, other: VReg) {
        let (one, other) = (self.web(one), self.web(other));
        if one != other {
            self.parent[other] = Some(one);
            let Votes { float, integer } = self.votes[other];
            self.votes[one].float += float;
            self.votes[one].integer += integer;
        }
    }

    /// Notes what an instruction says of the values that it reads, and joins those that it passes on.
    fn visit(&mut self, data: &InstData) {
        if let (true, Some(result)) = (moves_any(data.opcode), data.vreg(0)) {
            for value in passed_on(data) {
                match self.fixed(value) {
                    Some(is_float) => self.vote(result, is_float),
                    None => self.join(result, value),
                }
            }
            return;
        }
        let to = data.operands.first().and_then(Operand::as_reg).and_then(|operand| operand.reg.as_physical());
        for (index, operand) in data.operands.iter().enumerate().filter(|(_, operand)| !operand.is_def()) {
            let Some(value) = operand.as_vreg() else { continue };
            match (data.opcode, to) {
                (Opcode::COPY, Some(register)) => self.vote(value, is_float_register(self.target, register)),
                (Opcode::G_STORE, _) if index == 0 && stores_any(self.function, data) => {}
                (opcode, _) => self.vote(value, opcode.is_float_operand(index)),
            }
        }
    }
}
