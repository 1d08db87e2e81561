//! Opaque instructions, of which only the name is known: LLVM writes them and no table here describes them. Examples
//! are calls, and generic opcodes of one target. They are read, printed and compared, and have no meaning here.
//!
//! The opcode is [`Opcode::OPAQUE`]; the name is an operand, which stands after the explicit definitions.

use crate::function::Function;
use crate::inst::InstData;
use crate::opcode::{Opcode, OpcodeFlags};
use crate::operand::{Operand, RegFlags};
use crate::vocabulary::Vocabulary;

/// Generic opcodes of single targets, of LLVM 22's AArch64InstrGISel.td and RISCVInstrGISel.td. A `G_` name outside of
/// this list and of the table of opcodes is an error of spelling.
const GENERIC: &[&str] = &[
    "G_AARCH64_PREFETCH",
    "G_AARCH64_RANGE_PREFETCH",
    "G_ADD_LOW",
    "G_BSP",
    "G_DUP",
    "G_DUPLANE16",
    "G_DUPLANE32",
    "G_DUPLANE64",
    "G_DUPLANE8",
    "G_EXT",
    "G_FCLASS",
    "G_FCMEQ",
    "G_FCMGE",
    "G_FCMGT",
    "G_FCVT_WU_RV64",
    "G_FCVT_W_RV64",
    "G_FPTRUNC_ODD",
    "G_PMULL",
    "G_READ_VLENB",
    "G_REV16",
    "G_REV32",
    "G_REV64",
    "G_SADDLP",
    "G_SADDLV",
    "G_SDOT",
    "G_SITOF",
    "G_SLI",
    "G_SMULL",
    "G_SPLAT_VECTOR_SPLIT_I64_VL",
    "G_SQSHLU_I",
    "G_SRI",
    "G_SRSHR_I",
    "G_TRN1",
    "G_TRN2",
    "G_UADDLP",
    "G_UADDLV",
    "G_UDOT",
    "G_UITOF",
    "G_UMULL",
    "G_URSHR_I",
    "G_USDOT",
    "G_UZP1",
    "G_UZP2",
    "G_VASHR",
    "G_VLSHR",
    "G_VMCLR_VL",
    "G_VMSET_VL",
    "G_VMV_V_V_VL",
    "G_VSLIDEDOWN_VL",
    "G_VSLIDEUP_VL",
    "G_ZIP1",
    "G_ZIP2",
];

/// True for letters, digits and underscores that begin like the name of an LLVM opcode.
pub fn is_spelled_as_opcode(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == 'c')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// True if `name` may be that of an instruction without a row: no `G_` that LLVM does not know.
pub fn may_be_opcode(name: &str) -> bool {
    is_spelled_as_opcode(name) && (!name.starts_with("G_") || GENERIC.contains(&name))
}

/// The properties known of an instruction: tail calls leave the function, a few names only compute, and all others may
/// do anything. A call has a mask of registers, and a branch a label.
fn flags_of(name: &str, data: &InstData) -> OpcodeFlags {
    let has = |is: fn(&Operand) -> bool| data.operands.iter().any(is);
    let mut flags = flags_of_name(name);
    if has(|operand| matches!(operand, Operand::RegisterMask(_))) {
        flags |= OpcodeFlags::CALL;
    }
    if has(|operand| matches!(operand, Operand::Block(_))) {
        flags |= OpcodeFlags::BRANCH | OpcodeFlags::TERMINATOR;
    }
    flags
}

fn flags_of_name(name: &str) -> OpcodeFlags {
    let leaves = OpcodeFlags::RETURN | OpcodeFlags::TERMINATOR | OpcodeFlags::BARRIER | OpcodeFlags::CALL;
    match name {
        "ADRP" => OpcodeFlags::empty(),
        "ADJCALLSTACKDOWN" | "ADJCALLSTACKUP" => OpcodeFlags::SIDE_EFFECTS,
        _ if name.starts_with("TCRETURN") || name.starts_with("PseudoTAIL") => leaves,
        _ if GENERIC.contains(&name) && !name.contains("PREFETCH") => OpcodeFlags::empty(),
        _ => OpcodeFlags::LOAD | OpcodeFlags::STORE | OpcodeFlags::SIDE_EFFECTS,
    }
}

impl Function {
    /// The name of an opaque instruction; `None` for all others.
    pub fn opaque_name(&self, data: &InstData) -> Option<&str> {
        let index = name_index(data)?;
        match data.operands.get(index) {
            Some(Operand::OpcodeName(name)) => self.symbols.get(*name).map(String::as_str),
            _ => None,
        }
    }

    /// The static properties of an instruction's opcode.
    pub fn opcode_flags(&self, data: &InstData, vocabulary: &dyn Vocabulary) -> OpcodeFlags {
        match data.opcode {
            Opcode::Target(opcode) => vocabulary.opcode_flags(opcode),
            Opcode::OPAQUE => self.opaque_name(data).map_or(OpcodeFlags::SIDE_EFFECTS, |name| flags_of(name, data)),
            generic => generic.info().map_or(OpcodeFlags::empty(), |info| info.flags),
        }
    }
}

/// The operand index of an opaque instruction's name.
pub(crate) fn name_index(data: &InstData) -> Option<usize> {
    let explicit = |operand: &&Operand| {
        operand.is_def() && operand.as_reg().is_some_and(|register| !register.flags.contains(RegFlags::IMPLICIT))
    };
    (data.opcode == Opcode::OPAQUE).then(|| data.operands.iter().take_while(explicit).count())
}
