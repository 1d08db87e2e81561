//! Call frame information: the operand of `CFI_INSTRUCTION`, from which unwind tables are made. The names are those of
//! LLVM's MIR; the canonical frame address (CFA) is the stack pointer before the call.

use crate::vocabulary::PReg;

/// A rule for the unwinder, from its place in the code on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CfiInstruction {
    /// `def_cfa $x8, 16`: the CFA is the register plus so many bytes.
    DefCfa(PReg, i32),
    /// `def_cfa_register $x8`: the CFA is counted from another register.
    DefCfaRegister(PReg),
    /// `def_cfa_offset 16`: the CFA is so many bytes above its register.
    DefCfaOffset(i32),
    /// `offset $x1, -8`: the caller's contents of the register lie so many bytes above the CFA.
    Offset(PReg, i32),
    /// `restore $x1`: the register is as it was on entry.
    Restore(PReg),
    /// `same_value $x8`: the register holds what the caller left in it.
    SameValue(PReg),
    /// `undefined $x1`: the caller's contents are lost.
    Undefined(PReg),
    /// `remember_state`: pushes all rules.
    RememberState,
    /// `restore_state`: pops them.
    RestoreState,
}

impl CfiInstruction {
    /// The name, the register and the number of bytes, as far as it has them.
    pub const fn parts(self) -> (&'static str, Option<PReg>, Option<i32>) {
        match self {
            CfiInstruction::DefCfa(register, bytes) => ("def_cfa", Some(register), Some(bytes)),
            CfiInstruction::DefCfaRegister(register) => ("def_cfa_register", Some(register), None),
            CfiInstruction::DefCfaOffset(bytes) => ("def_cfa_offset", None, Some(bytes)),
            CfiInstruction::Offset(register, bytes) => ("offset", Some(register), Some(bytes)),
            CfiInstruction::Restore(register) => ("restore", Some(register), None),
            CfiInstruction::SameValue(register) => ("same_value", Some(register), None),
            CfiInstruction::Undefined(register) => ("undefined", Some(register), None),
            CfiInstruction::RememberState => ("remember_state", None, None),
            CfiInstruction::RestoreState => ("restore_state", None, None),
        }
    }

    /// One of every name, for readers.
    pub const EACH: [CfiInstruction; 9] = [
        CfiInstruction::DefCfa(PReg(0), 0),
        CfiInstruction::DefCfaRegister(PReg(0)),
        CfiInstruction::DefCfaOffset(0),
        CfiInstruction::Offset(PReg(0), 0),
        CfiInstruction::Restore(PReg(0)),
        CfiInstruction::SameValue(PReg(0)),
        CfiInstruction::Undefined(PReg(0)),
        CfiInstruction::RememberState,
        CfiInstruction::RestoreState,
    ];

    /// The same with another register and another number of bytes, where it has them.
    pub const fn with(self, register: PReg, bytes: i32) -> CfiInstruction {
        match self {
            CfiInstruction::DefCfa(..) => CfiInstruction::DefCfa(register, bytes),
            CfiInstruction::DefCfaRegister(_) => CfiInstruction::DefCfaRegister(register),
            CfiInstruction::DefCfaOffset(_) => CfiInstruction::DefCfaOffset(bytes),
            CfiInstruction::Offset(..) => CfiInstruction::Offset(register, bytes),
            CfiInstruction::Restore(_) => CfiInstruction::Restore(register),
            CfiInstruction::SameValue(_) => CfiInstruction::SameValue(register),
            CfiInstruction::Undefined(_) => CfiInstruction::Undefined(register),
            CfiInstruction::RememberState | CfiInstruction::RestoreState => self,
        }
    }
}
