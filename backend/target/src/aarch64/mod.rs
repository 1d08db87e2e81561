//! AArch64.

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
    architecture: "aarch64",
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
pub static AARCH64: Target = Target {
    name: "aarch64",
    triple: "aarch64-unknown-linux-gnu",
    pointer_bits: 64,
    elf_machine: 183,
    elf_flags: 0,
    default_features: Features::empty(),
    options: Features::empty(),
    rule_options: Features::empty(),
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    subregisters: registers::SUBREGISTERS,
    instructions: instructions::INSTRUCTIONS,
    selection: selection::RULES,
    abi: &abi::ABI,
    zero: &[registers::XZR, registers::WZR],
    legality: legality::rules,
    encode: encoding::encode,
    decode: None,
    machine: &machine::MachineCode,
    vocabulary: &TABLES,
};
