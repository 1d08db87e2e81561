//! Addresses of symbols. Sources: RISC-V ELF psABI, "Relocations"; `RISCVTargetLowering::getAddr` for the choice.

#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::{ADDI, LUI, PseudoAddTPRel, PseudoLA_TLS_IE, PseudoLGA, PseudoLLA};
use super::target_flags::{HI, LO, TPREL_ADD, TPREL_HI, TPREL_LO};
use crate::addressing::{AddressPart, Addressing, AddressingDesc, AddressingFacts, Fixup, FixupPart};
use object::elf::{
    R_RISCV_GOT_HI20, R_RISCV_HI20, R_RISCV_LO12_I, R_RISCV_PCREL_HI20, R_RISCV_PCREL_LO12_I, R_RISCV_TLS_GOT_HI20,
    R_RISCV_TPREL_ADD, R_RISCV_TPREL_HI20, R_RISCV_TPREL_LO12_I, RelocationType,
};
use tribunal_ir::{CodeModel, RelocationModel, TargetFlags};

/// Addresses on RISC-V.
pub static ADDRESSING: AddressingDesc = AddressingDesc {
    choice,
    fixups: FIXUPS,
    parts: &[
        (LO, AddressPart::SignedLow),
        (HI, AddressPart::SignedHigh),
        (TPREL_LO, AddressPart::SignedLow),
        (TPREL_HI, AddressPart::SignedHigh),
        (TPREL_ADD, AddressPart::SignedHigh),
    ],
    modifiers: &[
        (LO, "%lo(", ")"),
        (HI, "%hi(", ")"),
        (TPREL_LO, "%tprel_lo(", ")"),
        (TPREL_HI, "%tprel_hi(", ")"),
        (TPREL_ADD, "%tprel_add(", ")"),
    ],
};

/// An address near zero needs no distance; a weak symbol of no definition is near zero alone.
fn choice(AddressingFacts { symbol, relocation, code }: AddressingFacts) -> Addressing {
    match (relocation, code) {
        (_, CodeModel::Large) => Addressing::Unsupported,
        (RelocationModel::Static, CodeModel::Small) => Addressing::Absolute,
        (RelocationModel::Static, CodeModel::Medium) if symbol.may_be_null => Addressing::Got,
        (RelocationModel::Static, CodeModel::Medium) => Addressing::PcRelative,
        (RelocationModel::Executable | RelocationModel::Library, _) if symbol.is_local => Addressing::PcRelative,
        (RelocationModel::Executable | RelocationModel::Library, _) => Addressing::Got,
    }
}

/// `AUIPC` and an instruction that adds the low bits of its distance.
const fn pair(high: RelocationType) -> [FixupPart; 2] {
    [FixupPart::symbol(0, high), FixupPart::start(4, R_RISCV_PCREL_LO12_I)]
}

const FIXUPS: &[Fixup] = &[
    Fixup::of_address(LUI, HI, &[FixupPart::symbol(0, R_RISCV_HI20)]),
    Fixup::of_address(ADDI, LO, &[FixupPart::symbol(0, R_RISCV_LO12_I)]),
    Fixup::of_address(PseudoLLA, TargetFlags::NONE, &pair(R_RISCV_PCREL_HI20)),
    Fixup::of_address(PseudoLGA, TargetFlags::NONE, &pair(R_RISCV_GOT_HI20)),
    Fixup::of_loaded_distance(PseudoLA_TLS_IE, TargetFlags::NONE, &pair(R_RISCV_TLS_GOT_HI20)),
    Fixup::of_distance(LUI, TPREL_HI, &[FixupPart::symbol(0, R_RISCV_TPREL_HI20)]),
    Fixup::of_distance(PseudoAddTPRel, TPREL_ADD, &[FixupPart::symbol(0, R_RISCV_TPREL_ADD)]),
    Fixup::of_distance(ADDI, TPREL_LO, &[FixupPart::symbol(0, R_RISCV_TPREL_LO12_I)]),
];
