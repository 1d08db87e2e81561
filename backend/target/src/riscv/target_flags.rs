//! Target flags of addresses (LLVM's `RISCVII::MO_*`), by name, each at the place of its bit.

use tribunal_ir::TargetFlags;

/// `getSerializableDirectMachineOperandTargetFlags` of RISCVInstrInfo.
pub static TARGET_FLAGS: &[&str] = &[
    "riscv-call",
    "riscv-lo",
    "riscv-hi",
    "riscv-pcrel-lo",
    "riscv-pcrel-hi",
    "riscv-got-hi",
    "riscv-tprel-lo",
    "riscv-tprel-hi",
    "riscv-tprel-add",
    "riscv-tls-got-hi",
    "riscv-tls-gd-hi",
    "riscv-tlsdesc-hi",
    "riscv-tlsdesc-load-lo",
    "riscv-tlsdesc-add-lo",
    "riscv-tlsdesc-call",
];

/// `riscv-call`: the callee of a call, which may go through the procedure linkage table.
pub const CALL: TargetFlags = TargetFlags(1 << 0);
/// `riscv-lo`: the low twelve bits, signed.
pub const LO: TargetFlags = TargetFlags(1 << 1);
/// `riscv-hi`: the upper bits, rounded so that the low ones complete them.
pub const HI: TargetFlags = TargetFlags(1 << 2);
/// `riscv-tprel-lo`: the low twelve bits, signed, of the distance from the thread pointer.
pub const TPREL_LO: TargetFlags = TargetFlags(1 << 6);
/// `riscv-tprel-hi`: the upper bits of that distance.
pub const TPREL_HI: TargetFlags = TargetFlags(1 << 7);
/// `riscv-tprel-add`: of the addition of the thread pointer, which a linker may remove.
pub const TPREL_ADD: TargetFlags = TargetFlags(1 << 8);
