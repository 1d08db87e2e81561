//! Pass `bank-select`: gives every generic register a bank. It is LLVM's fast mode: integers and pointers live in the
//! general registers. A value that is wider, and a copy of a machine register of another bank, lives in that bank: it
//! is copied and stored, and nothing else is done with it.

use crate::pipeline::Pass;
use crate::{CompileError, Context};
use tribunal_ir::{Constraint, Function, Properties, RegBank, Stage, VReg};

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
    Ok(())
}
