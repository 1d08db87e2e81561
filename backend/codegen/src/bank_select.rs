//! Pass `bank-select`: gives every generic register a bank. It is LLVM's fast mode: integers and pointers live in the
//! general registers. A value that is wider, and a copy of a machine register of another bank, lives in that bank: it
//! is copied and stored, and nothing else is done with it.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{Constraint, Function, InstData, Opcode, Operand, Properties, Reg, RegBank, Stage, VReg};
use tribunal_target::Target;

/// The pass, as the pipeline lists it.
pub static PASS: Pass =
    Pass { name: "bank-select", from: Stage::Legalized, to: Stage::BankSelected, drops: Properties::empty(), run };

const GENERAL: RegBank = RegBank(0);

fn run(context: &mut Context<'_>, function: &mut Function) -> Result<(), CompileError> {
    let most = context.target.banks[usize::from(GENERAL.0)].max_bits;
    let registers: Vec<VReg> = function.vregs.keys().collect();
    for register in registers {
        let data = &function.vregs[register];
        let Some(ty) = data.ty.filter(|_| data.constraint == Constraint::None && data.def.is_some()) else { continue };
        let copied = (ty.bits() > most).then(|| context.target.bank_of_copy(function, register)).flatten();
        let bank = copied.unwrap_or(GENERAL);
        if ty.is_vector() || (ty.bits() > most && copied.is_none()) {
            return Err(CompileError::unsupported(function, PASS.name, format!("{ty} in a register bank")));
        }
        function.vregs[register].constraint = Constraint::Bank(bank);
    }
    match function.all_insts().map(|inst| function.inst(inst)).find(|data| crosses(context.target, function, data)) {
        None => Ok(()),
        Some(data) => {
            let text = tribunal_ir::text::print_inst(function, data, context.target.vocabulary);
            Err(CompileError::unsupported(function, PASS.name, format!("`{text}` from bank to bank")))
        }
    }
}

/// True for a copy between a value and a machine register of another bank.
fn crosses(target: &Target, function: &Function, data: &InstData) -> bool {
    let (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src), ..]) = (data.opcode, data.operands.as_slice()) else {
        return false;
    };
    let (value, register) = match (dst.reg, src.reg) {
        (Reg::Virtual(value), Reg::Physical(register)) | (Reg::Physical(register), Reg::Virtual(value)) => {
            (value, register)
        }
        _ => return false,
    };
    let own = match function.vregs[value].constraint {
        Constraint::Bank(bank) => Some(bank),
        Constraint::Class(class) => Some(target.class(class).bank),
        Constraint::None => None,
    };
    let other = target.bank_of(target.vocabulary.full_register(register));
    own.zip(other).is_some_and(|(own, other)| own != other)
}
