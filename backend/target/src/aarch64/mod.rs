//! AArch64: the target whose tables the files of this folder hold.

pub mod abi;
pub mod addressing;
mod atomics;
pub mod bitmask;
pub mod features;
mod float_legality;
mod floats;
pub mod instructions;
pub mod legality;
pub mod machine;
pub mod registers;
pub mod selection;
pub mod semantics;
mod simd;
pub mod target_flags;

use crate::{Elf, Features, Made, Target};

/// The 64-bit machine.
pub static AARCH64: Target = Target {
    name: "aarch64",
    triple: "aarch64-unknown-linux-gnu",
    pointer_bits: 64,
    elf: Some(Elf {
        architecture: object::Architecture::Aarch64,
        flags: object::elf::FileFlags(0),
        abis: &[],
        attributes: None,
        options: &[],
        call: object::elf::R_AARCH64_CALL26,
        tail_call: object::elf::R_AARCH64_JUMP26,
        // DWARF for the Arm 64-bit Architecture, "DWARF register names".
        dwarf_register: Some(|register| crate::dwarf_register(register, (registers::q(0), 64))),
        absolute: &[
            (8, object::elf::R_AARCH64_ABS64),
            (4, object::elf::R_AARCH64_ABS32),
            (2, object::elf::R_AARCH64_ABS16),
        ],
        relative: &[
            (8, object::elf::R_AARCH64_PREL64),
            (4, object::elf::R_AARCH64_PREL32),
            (2, object::elf::R_AARCH64_PREL16),
        ],
        sums: &[],
    }),
    default_features: Features::empty(),
    options: features::OPTIONS,
    registers: registers::REGISTERS,
    classes: registers::CLASSES,
    banks: registers::BANKS,
    copies: registers::COPIES,
    subregisters: registers::SUBREGISTERS,
    register_masks: registers::REGISTER_MASKS,
    target_flags: target_flags::TARGET_FLAGS,
    instructions: instructions::INSTRUCTIONS,
    compressed: &[],
    selection: selection::RULES,
    abi: &abi::ABI,
    addressing: &addressing::ADDRESSING,
    zero: &[registers::XZR, registers::WZR, registers::FPCR, registers::FPSR],
    customs: legality::CUSTOMS,
    legality: legality::rules,
    meaning: semantics::evaluate,
    machine: &machine::MachineCode,
    vocabulary: &AARCH64,
    made: Made::new(),
};
