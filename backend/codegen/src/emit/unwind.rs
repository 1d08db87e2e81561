//! `.eh_frame`: how an unwinder finds the caller's frame at each instruction. The rules are the function's
//! `CFI_INSTRUCTION`s; `gimli` writes them.
//!
//! Invariant: an address is a relocation against the function's symbol, by its number in the list.

use gimli::constants::{DW_EH_PE_pcrel, DW_EH_PE_sdata4};
use gimli::write::{
    Address, CallFrameInstruction, CommonInformationEntry, EhFrame, EndianVec, FrameDescriptionEntry, FrameTable,
    RelocateWriter, Relocation, RelocationTarget,
};
use gimli::{Encoding, Format, LittleEndian, Register};
use tribunal_ir::{CfiInstruction, InstData, Opcode, Operand, PReg};
use tribunal_target::Target;

/// The rule that an instruction states.
pub(super) fn rule_of(data: &InstData) -> Option<CfiInstruction> {
    match (data.opcode, data.operands.as_slice()) {
        (Opcode::CFI_INSTRUCTION, [Operand::Cfi(rule)]) => Some(*rule),
        _ => None,
    }
}

/// The assembler's directive: `.cfi_offset 1, -8`.
pub(super) fn directive(rule: CfiInstruction, target: &Target) -> String {
    let (name, register, bytes) = rule.parts();
    let number = |register: PReg| target.elf.as_ref()?.dwarf_register?(target.vocabulary.full_register(register));
    let register = register.and_then(number).map(i32::from);
    let operands: Vec<String> = register.into_iter().chain(bytes).map(|operand| operand.to_string()).collect();
    format!(".cfi_{name} {}", operands.join(", ")).trim_end().to_string()
}

/// The code of one function, as the table describes it.
pub(super) struct Unwound<'c> {
    /// Bytes of code.
    pub length: u32,
    /// The rules, each with the offset in the code from which it holds.
    pub rules: &'c [(u32, CfiInstruction)],
}

/// Bytes of the distance from the section to a function.
pub(super) const ADDRESS_BYTES: u64 = 4;

/// The contents of the section.
pub(super) struct UnwindTable {
    pub bytes: Vec<u8>,
    /// Four bytes at this offset hold the distance to the function of this number.
    pub functions: Vec<(u64, usize)>,
}

/// The table of these functions; `None` for a machine whose registers have no DWARF numbers. The error is `gimli`'s, or
/// names the rule of a register without one.
pub(super) fn table(functions: &[Unwound<'_>], target: &Target) -> Option<Result<UnwindTable, String>> {
    let number = target.elf.as_ref()?.dwarf_register?;
    let number = |register: PReg| number(target.vocabulary.full_register(register)).map(Register);
    let (abi, word) = (target.abi, target.register_bytes() as u8);
    let encoding = Encoding { format: Format::Dwarf32, version: 1, address_size: word };
    let mut cie = CommonInformationEntry::new(encoding, 1, -(word as i8), number(abi.return_address)?);
    cie.fde_address_encoding = gimli::DwEhPe(DW_EH_PE_pcrel.0 | DW_EH_PE_sdata4.0);
    cie.add_instruction(CallFrameInstruction::Cfa(number(abi.stack_pointer)?, 0));
    let mut table = FrameTable::default();
    let cie = table.add_cie(cie);
    for (symbol, function) in functions.iter().enumerate() {
        let mut fde = FrameDescriptionEntry::new(Address::Symbol { symbol, addend: 0 }, function.length);
        for &(offset, rule) in function.rules {
            let Some(instruction) = instruction(rule, number) else {
                return Some(Err(format!("no DWARF number for {rule:?}")));
            };
            fde.add_instruction(offset, instruction);
        }
        table.add_fde(cie, fde);
    }
    let mut section = EhFrame(Relocated { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() });
    let written = table.write_eh_frame(&mut section);
    Some(written.map(|()| section.0.table()).map_err(|error| error.to_string()))
}

/// `None` if the register has no number.
fn instruction(rule: CfiInstruction, number: impl Fn(PReg) -> Option<Register>) -> Option<CallFrameInstruction> {
    Some(match rule {
        CfiInstruction::DefCfa(register, bytes) => CallFrameInstruction::Cfa(number(register)?, bytes),
        CfiInstruction::DefCfaRegister(register) => CallFrameInstruction::CfaRegister(number(register)?),
        CfiInstruction::DefCfaOffset(bytes) => CallFrameInstruction::CfaOffset(bytes),
        CfiInstruction::Offset(register, bytes) => CallFrameInstruction::Offset(number(register)?, bytes),
        CfiInstruction::Restore(register) => CallFrameInstruction::Restore(number(register)?),
        CfiInstruction::SameValue(register) => CallFrameInstruction::SameValue(number(register)?),
        CfiInstruction::Undefined(register) => CallFrameInstruction::Undefined(number(register)?),
        CfiInstruction::RememberState => CallFrameInstruction::RememberState,
        CfiInstruction::RestoreState => CallFrameInstruction::RestoreState,
    })
}

/// A section under construction.
#[derive(Clone)]
struct Relocated {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl Relocated {
    fn table(mut self) -> UnwindTable {
        let function = |relocation: Relocation| match relocation.target {
            RelocationTarget::Symbol(number) => Some((relocation.offset as u64, number)),
            RelocationTarget::Section(_) => None,
        };
        UnwindTable { bytes: self.bytes.take(), functions: self.relocations.into_iter().filter_map(function).collect() }
    }
}

impl RelocateWriter for Relocated {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &EndianVec<LittleEndian> {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut EndianVec<LittleEndian> {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}
