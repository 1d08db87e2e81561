//! Pass `bank-select`: gives every generic register a bank. It is LLVM's fast mode, with the votes of [`FloatValues`]
//! for values that either bank holds.
//!
//! An operand of a number of floating point is in the bank of those, any other in the bank that is at home with its
//! width. Where a value lives in the other bank, a copy of it stands after its definition, for all such uses.
//!
//! ```text
//! %1:_(s64) = G_CONSTANT i64 0          %1:gprb(s64) = G_CONSTANT i64 0
//! %2:_(s64) = G_FADD %0, %1             %3:fprb(s64) = COPY %1(s64)
//!                                       %2:fprb(s64) = G_FADD %0, %3
//! ```

use crate::floats::{FloatValues, moves_any, stores_any};
use crate::pipeline::Pass;
use crate::{CompileError, Context};
use rustc_hash::FxHashMap;
use tribunal_ir::{Constraint, Function, Inst, InstData, Opcode, Operand, Properties, Reg, RegBank, Stage, Type, VReg};
use tribunal_target::registers::ClassDesc;
use tribunal_target::{Features, Target};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "bank-select", from: Stage::Legalized, to: Stage::BankSelected, drops: Properties::empty(), run };

const GENERAL: RegBank = RegBank(0);

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let banks = Banks { target: context.target, features: context.options.features };
    let floats = FloatValues::of(function, context.target);
    let registers: Vec<VReg> = function.vregs.keys().collect();
    for register in registers {
        let data = &function.vregs[register];
        let Some(ty) = data.ty.filter(|_| data.constraint == Constraint::None && data.def.is_some()) else { continue };
        let bank = banks.of_value(function, &floats, register, ty).filter(|_| !ty.is_vector());
        let bank =
            bank.ok_or_else(|| CompileError::unsupported(function, PASS.name, format!("{ty} in a register bank")))?;
        function.vregs[register].constraint = Constraint::Bank(bank);
    }
    cross(&banks, function);
    match function.all_insts().map(|inst| function.inst(inst)).find(|data| banks.crosses(function, data)) {
        None => Ok(()),
        Some(data) => {
            let text = tribunal_ir::text::print_inst(function, data, context.target.vocabulary);
            Err(CompileError::unsupported(function, PASS.name, format!("`{text}` from bank to bank")))
        }
    }
}

/// The function with each value in the bank that is at home with its type.
pub(crate) fn at_home(function: &Function, target: &Target, features: Features) -> Function {
    let (banks, mut function) = (Banks { target, features }, function.clone());
    for data in function.vregs.values_mut() {
        if let Some(bank) = data.ty.and_then(|ty| banks.home(ty)) {
            data.constraint = Constraint::Bank(bank);
        }
    }
    function
}

/// The banks of a machine with some options.
struct Banks<'t> {
    target: &'t Target,
    features: Features,
}

impl Banks<'_> {
    /// The banks in which values live, that of integers first.
    fn usable(&self) -> impl Iterator<Item = RegBank> {
        let banks = (0..).map(RegBank).zip(self.target.banks);
        banks.filter(|(_, bank)| self.features.contains(bank.requires)).map(|(bank, _)| bank)
    }

    fn has_class(&self, bank: RegBank, ty: Type) -> bool {
        let fits = |class: &ClassDesc| class.bank == bank && class.bits == ty.bits() && !class.allocatable.is_empty();
        self.target.classes.iter().any(fits)
    }

    /// The bank that is at home with a type: the first that has registers of just its width, or else that holds it.
    fn home(&self, ty: Type) -> Option<RegBank> {
        let exact = self.usable().find(|&bank| self.has_class(bank, ty));
        exact.or_else(|| (ty.bits() <= self.target.bank(GENERAL).max_bits).then_some(GENERAL))
    }

    /// The bank of numbers of floating point of this type.
    fn of_float(&self, ty: Type) -> Option<RegBank> {
        self.usable().find(|&bank| bank != GENERAL && self.has_class(bank, ty))
    }

    fn of_value(&self, function: &Function, floats: &FloatValues, register: VReg, ty: Type) -> Option<RegBank> {
        let wide = ty.bits() > self.target.bank(GENERAL).max_bits;
        let copied = || wide.then(|| self.target.bank_of_copy(function, register)).flatten();
        let float = || floats.is_float(function, register).then(|| self.of_float(ty)).flatten();
        copied().or_else(float).or_else(|| self.home(ty))
    }

    /// The bank in which an instruction wants the register at operand `index`; `None` if any will do.
    fn wanted(&self, function: &Function, data: &InstData, index: usize) -> Option<RegBank> {
        let ty = data.vreg(index).and_then(|register| function.type_of(register))?;
        match data.opcode {
            Opcode::COPY => {
                let to = data.operands.first().and_then(Operand::as_reg)?.reg.as_physical()?;
                self.target.bank_of(self.target.vocabulary.full_register(to))
            }
            Opcode::G_STORE if index == 0 && stores_any(function, data) => None,
            Opcode::G_SELECT if index == 1 => self.home(ty),
            Opcode::Target(opcode) => {
                let class = self.target.instruction(opcode).operands.get(index).and_then(|desc| desc.class());
                class.map(|class| self.target.class(class).bank)
            }
            opcode if moves_any(opcode) && opcode != Opcode::G_LOAD => bank_of(function, self.target, data.vreg(0)?),
            opcode if opcode.is_float_operand(index) => self.of_float(ty),
            _ => self.home(ty),
        }
    }

    /// True for a copy between a value and a machine register of another bank.
    fn crosses(&self, function: &Function, data: &InstData) -> bool {
        let (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src), ..]) = (data.opcode, data.operands.as_slice()) else {
            return false;
        };
        let (value, register) = match (dst.reg, src.reg) {
            (Reg::Virtual(value), Reg::Physical(register)) | (Reg::Physical(register), Reg::Virtual(value)) => {
                (value, register)
            }
            _ => return false,
        };
        let own = bank_of(function, self.target, value);
        let other = self.target.bank_of(self.target.vocabulary.full_register(register));
        own.zip(other).is_some_and(|(own, other)| own != other)
    }
}

/// The bank in which a value lives.
fn bank_of(function: &Function, target: &Target, value: VReg) -> Option<RegBank> {
    match function.vregs[value].constraint {
        Constraint::Bank(bank) => Some(bank),
        Constraint::Class(class) => Some(target.class(class).bank),
        Constraint::None => None,
    }
}

/// Gives each operand a value in the bank that it wants.
fn cross(banks: &Banks<'_>, function: &mut Function) {
    let mut copies: FxHashMap<(VReg, RegBank), VReg> = FxHashMap::default();
    for inst in function.all_insts().collect::<Vec<_>>() {
        for index in 0..function.inst(inst).operands.len() {
            let data = function.inst(inst);
            let Some(value) = data.vreg(index).filter(|_| !data.operands[index].is_def()) else { continue };
            let Some(wanted) = banks.wanted(function, data, index) else { continue };
            if bank_of(function, banks.target, value).is_none_or(|own| own == wanted) {
                continue;
            }
            let copy = match copies.get(&(value, wanted)) {
                Some(&copy) => copy,
                None => {
                    let copy = copied_to(function, value, wanted);
                    copies.insert((value, wanted), copy);
                    copy
                }
            };
            function.set_operand(inst, index, Operand::used(copy));
        }
    }
}

/// A copy of `value` in another bank, after its definition. PHIs, and copies of machine registers, stand together.
fn copied_to(function: &mut Function, value: VReg, bank: RegBank) -> VReg {
    let copy = function.push_vreg(function.type_of(value), Constraint::Bank(bank));
    let data = InstData::new(Opcode::COPY, [Operand::def(copy), Operand::used(value)]);
    let Some(mut after) = function.def_of(value) else { return copy };
    let is_boundary = |function: &Function, inst: Inst| {
        let data = function.inst(inst);
        let source = data.operands.get(1).and_then(Operand::as_reg).map(|operand| operand.reg);
        data.opcode.is_phi() || data.opcode == Opcode::COPY && matches!(source, Some(Reg::Physical(_)))
    };
    while let Some(next) =
        function.next_inst(after).filter(|&next| is_boundary(function, after) && is_boundary(function, next))
    {
        after = next;
    }
    function.insert_after(after, data);
    copy
}
