//! Target flags of addresses (LLVM's `AArch64II::MO_*`), by name, each at the place of its bit.

use tribunal_ir::TargetFlags;

/// Direct flags, of which an operand has one at most, then the bits that stand beside them: both lists of
/// AArch64InstrInfo (`getSerializable*MachineOperandTargetFlags`).
pub static TARGET_FLAGS: &[&str] = &[
    "aarch64-page",
    "aarch64-pageoff",
    "aarch64-g3",
    "aarch64-g2",
    "aarch64-g1",
    "aarch64-g0",
    "aarch64-hi12",
    "aarch64-coffstub",
    "aarch64-got",
    "aarch64-nc",
    "aarch64-s",
    "aarch64-tls",
    "aarch64-dllimport",
    "aarch64-prel",
    "aarch64-tagged",
    "aarch64-arm64ec-callmangle",
];

/// `aarch64-page`: the page of an address.
pub const PAGE: TargetFlags = TargetFlags(1 << 0);
/// `aarch64-pageoff, aarch64-nc`: the place in its page, which needs no check.
pub const PAGE_OFFSET: TargetFlags = TargetFlags(1 << 1 | 1 << 9);
/// `aarch64-got`: of an entry of the global offset table.
pub const GOT: TargetFlags = TargetFlags(1 << 8);
/// `aarch64-tls`: of an entry that holds a distance from the thread pointer.
pub const TLS: TargetFlags = TargetFlags(1 << 11);
/// `aarch64-hi12, aarch64-tls`: the upper twelve bits of such a distance.
pub const TPREL_HIGH: TargetFlags = TargetFlags(1 << 6 | 1 << 11);
/// `aarch64-pageoff, aarch64-nc, aarch64-tls`: its lower twelve bits.
pub const TPREL_LOW: TargetFlags = TargetFlags(1 << 1 | 1 << 9 | 1 << 11);
