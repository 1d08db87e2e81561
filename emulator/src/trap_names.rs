//! The names of traps, as whoever gets the exception sees them.
//!
//! Each trap is a call that does not return, and its name tells the kind. Where a machine's code has no place for the
//! kind, the names are alike. Sources: the LLVM Language Reference, `llvm.trap`, `llvm.debugtrap` and
//! `llvm.ubsantrap`; Arm Architecture Reference Manual, "BRK"; the RISC-V Instruction Set Manual, Volume I, "EBREAK".
//! The numbers of BRK are those of LLVM, which debuggers know.
//!
//! Invariant: a word is read here without the tables of the target, so a wrong number of the backend is seen.

use tribunal_ir::{InstData, Opcode, Operand};
use tribunal_target::Target;
use tribunal_target::aarch64::AARCH64;

/// The usual trap.
pub const TRAP: &str = "llvm.trap";
/// A stop for a debugger.
const DEBUG_TRAP: &str = "llvm.debugtrap";
/// All names begin so.
const PREFIX: [&str; 3] = [TRAP, DEBUG_TRAP, "llvm.ubsantrap"];

/// BRK without its number, which stands from this bit on.
const BRK: u32 = 0xd420_0000;
const BRK_NUMBER: u32 = 5;
/// The numbers of a debugger's trap, and of undefined behaviour of kind zero.
const BRK_DEBUG: u32 = 0xf000;
const BRK_UNDEFINED: u32 = 0x5500;
/// EBREAK, and its compressed form.
const EBREAK: u32 = 0x0010_0073;
const C_EBREAK: u32 = 0x9002;

/// True for the name of a trap.
pub fn is_one(name: &str) -> bool {
    PREFIX.iter().any(|prefix| name.starts_with(prefix))
}

/// The name of a trap by its instruction, which [`crate::interpreter`] takes for one.
pub(crate) fn of_instruction(target: &Target, data: &InstData) -> String {
    match data.opcode {
        Opcode::G_DEBUGTRAP => DEBUG_TRAP.to_string(),
        Opcode::G_UBSANTRAP if target.name == AARCH64.name => match data.operands.first() {
            Some(&Operand::Imm(kind)) => undefined_behaviour(kind as u32),
            _ => TRAP.to_string(),
        },
        Opcode::Target(_) => target.encode(data).map_or(TRAP.to_string(), |word| of_word(target, word)),
        _ => TRAP.to_string(),
    }
}

/// The name of a trap by its code, which may be a compressed instruction and part of the next one.
pub(crate) fn of_word(target: &Target, word: u32) -> String {
    if target.name != AARCH64.name {
        let is_debug = word == EBREAK || word & 0xffff == C_EBREAK;
        return if is_debug { DEBUG_TRAP } else { TRAP }.to_string();
    }
    let number = word >> BRK_NUMBER & 0xffff;
    match number {
        _ if word & !(0xffff << BRK_NUMBER) != BRK => TRAP.to_string(),
        1 => TRAP.to_string(),
        BRK_DEBUG => DEBUG_TRAP.to_string(),
        _ if number & !0xff == BRK_UNDEFINED => undefined_behaviour(number & 0xff),
        _ => format!("{TRAP} {number:#x}"),
    }
}

fn undefined_behaviour(kind: u32) -> String {
    format!("{} {kind}", PREFIX[2])
}
