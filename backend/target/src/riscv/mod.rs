//! RISC-V: the two targets, RV64 and RV32, whose tables the files of this folder hold.

pub mod abi;
pub mod addressing;
mod atomics;
pub mod attributes;
pub mod compressed;
pub mod features;
mod float_legality;
mod floats;
pub mod instructions;
pub mod legality;
pub mod machine;
pub mod registers;
pub mod selection;
pub mod semantics;
pub mod target_flags;

use crate::{AttributeDesc, Elf, ElfOption, Made, Target};
use object::{Architecture, elf};

const COMPRESSED: ElfOption =
    ElfOption { feature: features::C, flags: elf::EF_RISCV_RVC, directive: "\t.option\trvc\n" };

/// With the integer calling convention.
const fn elf(architecture: Architecture) -> Elf {
    Elf {
        architecture,
        flags: elf::FileFlags(0),
        abis: attributes::ABIS,
        attributes: Some(AttributeDesc { flag: "riscv-isa", section: attributes::section }),
        options: &[COMPRESSED],
        call: elf::R_RISCV_CALL_PLT,
        tail_call: elf::R_RISCV_CALL_PLT,
        // The psABI, chapter "DWARF Register Numbers".
        dwarf_register: Some(|register| crate::dwarf_register(register, (registers::f(0), 32))),
        absolute: &[(8, elf::R_RISCV_64), (4, elf::R_RISCV_32)],
        relative: &[(4, elf::R_RISCV_32_PCREL)],
        sums: &[
            (8, elf::R_RISCV_ADD64, elf::R_RISCV_SUB64),
            (4, elf::R_RISCV_ADD32, elf::R_RISCV_SUB32),
            (2, elf::R_RISCV_ADD16, elf::R_RISCV_SUB16),
            (1, elf::R_RISCV_ADD8, elf::R_RISCV_SUB8),
        ],
    }
}

/// The 64-bit machine.
pub static RISCV64: Target = Target {
    name: "riscv64",
    triple: "riscv64-unknown-linux-gnu",
    pointer_bits: 64,
    elf: Some(elf(Architecture::Riscv64)),
    default_features: features::RV64.union(features::M),
    options: features::OPTIONS,
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    copies: registers::COPIES,
    subregisters: registers::SUBREGISTERS,
    register_masks: registers::REGISTER_MASKS,
    target_flags: target_flags::TARGET_FLAGS,
    instructions: instructions::INSTRUCTIONS,
    compressed: compressed::FORMS,
    selection: selection::RULES,
    abi: &abi::LP64,
    addressing: &addressing::ADDRESSING,
    zero: &[registers::ZERO, registers::FRM, registers::FFLAGS],
    customs: legality::CUSTOMS,
    legality: legality::rules,
    meaning: semantics::evaluate,
    machine: &machine::RV64,
    vocabulary: &RISCV64,
    made: Made::new(),
};

/// The 32-bit machine: the same tables, without the rows that require 64 bits.
pub static RISCV32: Target = Target {
    name: "riscv32",
    triple: "riscv32-unknown-linux-gnu",
    pointer_bits: 32,
    elf: Some(elf(Architecture::Riscv32)),
    default_features: features::RV32.union(features::M),
    options: features::OPTIONS,
    registers: registers::REGISTERS_32,
    classes: registers::CLASSES_32,
    banks: registers::BANKS_32,
    copies: registers::COPIES_32,
    subregisters: registers::SUBREGISTERS_32,
    register_masks: registers::REGISTER_MASKS,
    target_flags: target_flags::TARGET_FLAGS,
    instructions: instructions::INSTRUCTIONS,
    compressed: compressed::FORMS,
    selection: selection::RULES,
    abi: &abi::ILP32,
    addressing: &addressing::ADDRESSING,
    zero: &[registers::ZERO, registers::FRM, registers::FFLAGS],
    customs: legality::CUSTOMS,
    legality: legality::rules,
    meaning: semantics::evaluate,
    machine: &machine::RV32,
    vocabulary: &RISCV32,
    made: Made::new(),
};
