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
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    subregisters: registers::SUBREGISTERS,
    instructions: instructions::INSTRUCTIONS,
    selection: selection::RULES,
    abi: &abi::ABI,
    zero: &[registers::ZERO],
    legality: legality::rules,
    encode: encoding::encode,
    decode: Some(encoding::decode),
    machine: &machine::MachineCode,
    vocabulary: &TABLES,
};
