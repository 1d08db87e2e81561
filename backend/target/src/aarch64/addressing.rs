//! Addresses of symbols. Sources: ELF for the Arm 64-bit Architecture, "Relocation"; for the choice
//! `AArch64Subtarget::ClassifyGlobalReference`.

// Opcode constants are spelled as LLVM spells the opcodes.
#![allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]

use super::instructions::{ADDXri, ADRP, LOADgot, MOVaddr, MOVaddrBA, MOVaddrCP, MOVaddrJT};
use super::target_flags::{GOT, PAGE, PAGE_OFFSET, TLS, TPREL_HIGH, TPREL_LOW};
use crate::addressing::{AddressPart, Addressing, AddressingDesc, AddressingFacts, Fixup, FixupPart};
use object::elf::{
    R_AARCH64_ADD_ABS_LO12_NC, R_AARCH64_ADR_GOT_PAGE, R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_LD64_GOT_LO12_NC,
    R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC, R_AARCH64_TLSLE_ADD_TPREL_HI12,
    R_AARCH64_TLSLE_ADD_TPREL_LO12_NC,
};
use tribunal_ir::CodeModel;

/// Addresses on AArch64.
pub static ADDRESSING: AddressingDesc = AddressingDesc {
    choice,
    fixups: FIXUPS,
    parts: &[
        (PAGE, AddressPart::Page),
        (PAGE_OFFSET, AddressPart::Low),
        (TPREL_HIGH, AddressPart::Page),
        (TPREL_LOW, AddressPart::Low),
    ],
    modifiers: &[
        (PAGE_OFFSET, ":lo12:", ""),
        (GOT, ":got:", ""),
        (TLS, ":gottprel:", ""),
        (TPREL_HIGH, ":tprel_hi12:", ""),
        (TPREL_LOW, ":tprel_lo12_nc:", ""),
    ],
};

/// A page is found by its distance, which does not reach zero.
fn choice(AddressingFacts { symbol, code, .. }: AddressingFacts) -> Addressing {
    match code {
        CodeModel::Large => Addressing::Unsupported,
        CodeModel::Small | CodeModel::Medium if symbol.is_local && !symbol.may_be_null => Addressing::PcRelative,
        CodeModel::Small | CodeModel::Medium => Addressing::Got,
    }
}

/// A page, and the rest of the address.
const PAGE_AND_REST: &[FixupPart] =
    &[FixupPart::symbol(0, R_AARCH64_ADR_PREL_PG_HI21), FixupPart::symbol(4, R_AARCH64_ADD_ABS_LO12_NC)];

const FIXUPS: &[Fixup] = &[
    Fixup::of_address(MOVaddr, PAGE, PAGE_AND_REST),
    Fixup::of_address(MOVaddrJT, PAGE, PAGE_AND_REST),
    Fixup::of_address(MOVaddrCP, PAGE, PAGE_AND_REST),
    Fixup::of_address(MOVaddrBA, PAGE, PAGE_AND_REST),
    Fixup::of_address(
        LOADgot,
        GOT,
        &[FixupPart::symbol(0, R_AARCH64_ADR_GOT_PAGE), FixupPart::symbol(4, R_AARCH64_LD64_GOT_LO12_NC)],
    ),
    Fixup::of_loaded_distance(
        LOADgot,
        TLS,
        &[
            FixupPart::symbol(0, R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21),
            FixupPart::symbol(4, R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC),
        ],
    ),
    Fixup::of_distance(ADDXri, TPREL_HIGH, &[FixupPart::symbol(0, R_AARCH64_TLSLE_ADD_TPREL_HI12)]),
    Fixup::of_distance(ADDXri, TPREL_LOW, &[FixupPart::symbol(0, R_AARCH64_TLSLE_ADD_TPREL_LO12_NC)]),
    Fixup::of_address(ADRP, PAGE, &[FixupPart::symbol(0, R_AARCH64_ADR_PREL_PG_HI21)]),
    Fixup::of_address(ADDXri, PAGE_OFFSET, &[FixupPart::symbol(0, R_AARCH64_ADD_ABS_LO12_NC)]),
];
