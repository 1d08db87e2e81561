//! Pass `bank-select`: gives every generic register a bank.
//!
//! An operand of a number of floating point is in the bank of those, any other in the bank that is at home with its
//! width. Loads, PHIs, selections, copies and the like take a value from either bank, if both have registers of its
//! width: their results are the *choices*. Where a value is read in the other bank, a copy of it stands.
//!
//! ```text
//! %1:_(s64) = G_CONSTANT i64 0          %1:gprb(s64) = G_CONSTANT i64 0
//! %2:_(s64) = G_FADD %0, %1             %3:fprb(s64) = COPY %1(s64)
//!                                       %2:fprb(s64) = G_FADD %0, %3
//! ```
//!
//! | mode | banks of choices | copies |
//! |---|---|---|
//! | `fast` | the default mapping, by the votes of [`FloatValues`] | one after the definition |
//! | `greedy` | the cheaper one of each operation, in reverse post-order ([`greedy`]) | one after the definition |
//! | `global` | the cheapest of the whole function, by a minimum cut ([`global`]) | the cheapest places |
//!
//! The default mapping of LLVM's `fast` looks at a few uses where the votes count all of a web.

mod copies;
mod global;
mod greedy;

use crate::floats::{FloatValues, accesses_any, moves_any, stores_any};
use crate::frequencies::BlockFrequencies;
use crate::pipeline::Pass;
use crate::{BankSelectMode, CompileError, Context};
use rustc_hash::FxHashMap;
use tribunal_ir::{
    Block, Constraint, Function, Inst, InstData, Opcode, Operand, Properties, Reg, RegBank, Stage, Type, VReg,
};
use tribunal_target::registers::ClassDesc;
use tribunal_target::{Features, Target};

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "bank-select", from: Stage::Legalized, to: Stage::BankSelected, drops: Properties::empty(), run };

const GENERAL: RegBank = RegBank(0);

/// The results that may live in either bank, each with the bank of integers and the other.
type Choices = FxHashMap<VReg, [RegBank; 2]>;

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let (target, mode) = (context.target, context.options.bank_select);
    let banks = Banks { target, features: context.options.features };
    let choices = banks.by_default(function)?;
    let reads = banks.reads(function, &choices);
    match mode {
        _ if choices.is_empty() => {}
        BankSelectMode::Fast => {}
        BankSelectMode::Greedy => greedy::choose(function, target, &choices, &reads),
        BankSelectMode::Global => global::choose(function, target, &choices, &reads),
    }
    let weighs = mode == BankSelectMode::Global;
    copies::write(function, target, &reads, |function| weighs.then(|| BlockFrequencies::of(function)));
    match function.all_insts().map(|inst| function.inst(inst)).find(|data| banks.crosses(function, data)) {
        None => Ok(()),
        Some(data) => {
            let text = tribunal_ir::text::print_inst(function, data, context.target.vocabulary);
            Err(CompileError::unsupported(function, PASS.name, format!("`{text}` from bank to bank")))
        }
    }
}

/// An operand that reads a value, where that may need a copy.
#[derive(Clone, Copy)]
struct Read {
    value: VReg,
    /// The block at whose end a PHI reads, or the block of the instruction.
    block: Block,
    inst: Inst,
    index: usize,
    want: Want,
}

/// The bank in which an operand wants its value.
#[derive(Clone, Copy)]
enum Want {
    Bank(RegBank),
    /// The bank of the instruction's result.
    Of(VReg),
}

impl Read {
    /// The bank that is wanted, with the banks as they are now.
    fn bank(&self, function: &Function, target: &Target) -> Option<RegBank> {
        match self.want {
            Want::Bank(bank) => Some(bank),
            Want::Of(result) => bank_of(function, target, result),
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
        let most = self.target.class(self.target.whole_class(bank, self.features)).bits;
        let fits = |class: &ClassDesc| class.bank == bank && class.bits == ty.bits() && !class.allocatable.is_empty();
        ty.bits() <= most && self.target.classes.iter().any(fits)
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

    /// Gives every value the bank of the default mapping, and names those that may live in another.
    fn by_default(&self, function: &mut Function) -> Result<Choices, CompileError> {
        let floats = FloatValues::of(function, self.target);
        let (mut choices, has_floats) = (Choices::default(), floats.any());
        let registers: Vec<VReg> = function.vregs.keys().collect();
        for register in registers {
            let data = &function.vregs[register];
            let Some(ty) = data.ty.filter(|_| data.constraint == Constraint::None && data.def.is_some()) else {
                continue;
            };
            let bank = self.of_value(function, &floats, register, ty).filter(|_| !ty.is_vector());
            let bank =
                bank.ok_or_else(|| CompileError::unsupported(function, PASS.name, format!("{ty} in a register bank")))?;
            if let Some(other) = self.of_float(ty).filter(|_| has_floats && self.home(ty) == Some(GENERAL))
                && is_choice(function, register, ty)
            {
                choices.insert(register, [GENERAL, other]);
            }
            function.vregs[register].constraint = Constraint::Bank(bank);
        }
        Ok(choices)
    }

    /// The reads that need a copy with these banks, or may with others of the choices.
    fn reads(&self, function: &Function, choices: &Choices) -> Vec<Read> {
        let mut reads = Vec::new();
        for &block in function.layout() {
            for inst in function.insts(block) {
                let data = function.inst(inst);
                for (index, operand) in data.operands.iter().enumerate().filter(|(_, operand)| !operand.is_def()) {
                    let Some(value) = operand.as_vreg() else { continue };
                    let Some(want) = self.want(function, data, index) else { continue };
                    let block = match data.operands.get(index + 1) {
                        Some(&Operand::Block(from)) if data.opcode.is_phi() => from,
                        _ => block,
                    };
                    let read = Read { value, block, inst, index, want };
                    let is_open =
                        choices.contains_key(&value) || matches!(want, Want::Of(of) if choices.contains_key(&of));
                    let (own, wanted) = (bank_of(function, self.target, value), read.bank(function, self.target));
                    if is_open || own.zip(wanted).is_some_and(|(own, wanted)| own != wanted) {
                        reads.push(read);
                    }
                }
            }
        }
        reads
    }

    /// The bank in which an instruction wants the register at operand `index`; `None` if any will do.
    fn want(&self, function: &Function, data: &InstData, index: usize) -> Option<Want> {
        match data.opcode {
            Opcode::G_SELECT if index == 1 => {}
            opcode if moves_any(opcode) && opcode != Opcode::G_LOAD => match data.vreg(0) {
                Some(result) => return Some(Want::Of(result)),
                None if opcode != Opcode::COPY => return None,
                None => {}
            },
            _ => {}
        }
        self.wanted(function, data, index).map(Want::Bank)
    }

    /// The same of an operand that wants one bank whatever the others are.
    fn wanted(&self, function: &Function, data: &InstData, index: usize) -> Option<RegBank> {
        let ty = data.vreg(index).and_then(|register| function.type_of(register))?;
        match data.opcode {
            Opcode::COPY => {
                let to = data.operands.first().and_then(Operand::as_reg)?.reg.as_physical()?;
                self.target.bank_of(self.target.vocabulary.full_register(to))
            }
            Opcode::G_STORE if index == 0 && stores_any(function, data) => None,
            Opcode::Target(opcode) => {
                let class = self.target.instruction(opcode).operands.get(index).and_then(|desc| desc.class());
                class.map(|class| self.target.class(class).bank)
            }
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

/// True for a number whose definition leaves its bank open.
fn is_choice(function: &Function, register: VReg, ty: Type) -> bool {
    let Some(inst) = function.def_of(register).filter(|_| ty.is_scalar()) else { return false };
    let data = function.inst(inst);
    match data.opcode {
        Opcode::COPY => data.vreg(1).is_some(),
        Opcode::G_LOAD => accesses_any(function, data),
        opcode => moves_any(opcode),
    }
}
