//! RISC-V.

pub mod abi;
pub mod encoding;
pub mod instructions;
pub mod legality;
pub mod machine;
pub mod registers;
pub mod selection;
pub mod semantics;

use crate::{Features, Tables, Target};
use std::sync::OnceLock;

static TABLES: Tables = Tables {
    architecture: "riscv64",
    pointer_bits: 64,
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    subregisters: registers::SUBREGISTERS,
    instructions: instructions::INSTRUCTIONS,
    register_masks: registers::REGISTER_MASKS,
    index: OnceLock::new(),
};

/// The 64-bit machine.
pub static RISCV64: Target = Target {
    name: "riscv64",
    triple: "riscv64-unknown-linux-gnu",
    pointer_bits: 64,
    elf_machine: 243,
    elf_flags: 0,
    default_features: Features::RV64.union(Features::M),
    options: Features::all().difference(Features::BASE),
    rule_options: Features::M.union(Features::ZBB),
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    subregisters: registers::SUBREGISTERS,
    instructions: instructions::INSTRUCTIONS,
    selection: selection::RULES,
    abi: &abi::LP64,
    zero: &[registers::ZERO],
    legality: legality::rules,
    encode: encoding::encode_64,
    decode: Some(encoding::decode_64),
    machine: &machine::RV64,
    vocabulary: &TABLES,
};

static TABLES_32: Tables = Tables {
    architecture: "riscv32",
    pointer_bits: 32,
    registers: registers::REGISTERS_32,
    classes: registers::CLASSES_32,
    banks: registers::BANKS_32,
    subregisters: registers::SUBREGISTERS_32,
    instructions: instructions::INSTRUCTIONS,
    register_masks: registers::REGISTER_MASKS,
    index: OnceLock::new(),
};

/// The 32-bit machine: the same tables, of which it has the rows that do not ask for 64 bits.
pub static RISCV32: Target = Target {
    name: "riscv32",
    triple: "riscv32-unknown-linux-gnu",
    pointer_bits: 32,
    elf_machine: 243,
    elf_flags: 0,
    default_features: Features::RV32.union(Features::M),
    options: Features::all().difference(Features::BASE),
    rule_options: Features::M.union(Features::ZBB),
    registers: registers::REGISTERS_32,
    classes: registers::CLASSES_32,
    banks: registers::BANKS_32,
    subregisters: registers::SUBREGISTERS_32,
    instructions: instructions::INSTRUCTIONS,
    selection: selection::RULES,
    abi: &abi::ILP32,
    zero: &[registers::ZERO],
    legality: legality::rules,
    encode: encoding::encode_32,
    decode: Some(encoding::decode_32),
    machine: &machine::RV32,
    vocabulary: &TABLES_32,
};
