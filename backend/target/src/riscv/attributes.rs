//! What an object says of its code: the calling convention in `e_flags`, the instruction set in `.riscv.attributes`.
//! Source: RISC-V ELF psABI, "File Header" and "Attributes".

use super::features::{C, M, RV32, ZBA, ZBB, ZBS, ZICOND};
use crate::{AttributeSection, Features};
use object::elf::{
    EF_RISCV_FLOAT_ABI_DOUBLE, EF_RISCV_FLOAT_ABI_SINGLE, EF_RISCV_RVE, FileFlags, SHT_RISCV_ATTRIBUTES,
};

/// `e_flags` of each convention.
pub const ABIS: &[(&str, FileFlags)] = &[
    ("lp64", FileFlags(0)),
    ("lp64f", EF_RISCV_FLOAT_ABI_SINGLE),
    ("lp64d", EF_RISCV_FLOAT_ABI_DOUBLE),
    ("lp64e", EF_RISCV_RVE),
    ("ilp32", FileFlags(0)),
    ("ilp32f", EF_RISCV_FLOAT_ABI_SINGLE),
    ("ilp32d", EF_RISCV_FLOAT_ABI_DOUBLE),
    ("ilp32e", EF_RISCV_RVE),
];

/// Extensions that a convention passes values in, with those that they imply.
const OF_ABIS: [(char, &[&str]); 2] = [('f', &["f2p2", "zicsr2p0"]), ('d', &["f2p2", "d2p2", "zicsr2p0"])];
/// Extensions of a feature, with those that they imply.
const OF_FEATURES: [(Features, &[&str]); 6] = [
    (M, &["m2p0", "zmmul1p0"]),
    (C, &["c2p0", "zca1p0"]),
    (ZICOND, &["zicond1p0"]),
    (ZBA, &["zba1p0"]),
    (ZBB, &["zbb1p0"]),
    (ZBS, &["zbs1p0"]),
];
/// The canonical order.
const ORDER: [&str; 11] =
    ["m2p0", "f2p2", "d2p2", "c2p0", "zicond1p0", "zicsr2p0", "zmmul1p0", "zca1p0", "zba1p0", "zbb1p0", "zbs1p0"];

const TAG_FILE: u8 = 1;
const TAG_STACK_ALIGN: u8 = 4;
const TAG_ARCH: u8 = 5;
/// In bytes.
const STACK_ALIGN: u8 = 16;

/// The instruction set of code with these features, whose convention is `abi`: `rv64i2p1_m2p0`.
fn architecture(features: Features, abi: Option<&str>) -> String {
    let mut extensions: Vec<&str> = Vec::new();
    for (feature, names) in OF_FEATURES {
        if features.contains(feature) {
            extensions.extend(names);
        }
    }
    for (letter, names) in OF_ABIS {
        if abi.is_some_and(|abi| abi.ends_with(letter)) {
            extensions.extend(names);
        }
    }
    let base = if features.contains(RV32) { "rv32i2p1" } else { "rv64i2p1" };
    let named = ORDER.into_iter().filter(|name| extensions.contains(name));
    named.fold(base.to_string(), |text, name| format!("{text}_{name}"))
}

/// `.riscv.attributes`.
pub fn section(features: Features, abi: Option<&str>) -> AttributeSection {
    let mut attributes = vec![TAG_STACK_ALIGN, STACK_ALIGN, TAG_ARCH];
    attributes.extend(architecture(features, abi).bytes());
    attributes.push(0);
    // Each length counts its own bytes and those before it.
    let file_length = attributes.len() as u32 + 5;
    let vendor = b"riscv\0";
    let mut bytes = vec![b'A'];
    bytes.extend((file_length + vendor.len() as u32 + 4).to_le_bytes());
    bytes.extend(vendor);
    bytes.push(TAG_FILE);
    bytes.extend(file_length.to_le_bytes());
    bytes.extend(attributes);
    AttributeSection { name: ".riscv.attributes", kind: SHT_RISCV_ATTRIBUTES, bytes }
}
