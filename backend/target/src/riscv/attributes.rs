//! What an object says of its code: the calling convention in `e_flags`, the instruction set in `.riscv.attributes`.
//! Source: RISC-V ELF psABI, "File Header" and "Attributes".
//!
//! A module says by a flag which extensions its source was compiled for. Code may use them by inline assembly, so they
//! stand in the section beside those of the features.

use super::features::{A, C, D, F, M, RV32, ZBA, ZBB, ZBS, ZFA, ZFH, ZFHMIN, ZICOND};
use crate::{AttributeSection, Features, ModuleIsa};
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
const OF_FEATURES: [(Features, &[&str]); 12] = [
    (M, &["m2p0", "zmmul1p0"]),
    (A, &["a2p1", "zaamo1p0", "zalrsc1p0"]),
    (F, &["f2p2", "zicsr2p0"]),
    (D, &["f2p2", "d2p2", "zicsr2p0"]),
    (ZFHMIN, &["f2p2", "zfhmin1p0", "zicsr2p0"]),
    (ZFH, &["f2p2", "zfh1p0", "zfhmin1p0", "zicsr2p0"]),
    (ZFA, &["f2p2", "zfa1p0", "zicsr2p0"]),
    (C, &["c2p0", "zca1p0"]),
    (ZICOND, &["zicond1p0"]),
    (ZBA, &["zba1p0"]),
    (ZBB, &["zbb1p0"]),
    (ZBS, &["zbs1p0"]),
];
/// Extensions that others imply together, on a machine with this base.
const TOGETHER: [(&str, &[&str], &str); 3] = [
    ("rv", &["zba1p0", "zbb1p0", "zbs1p0"], "b1p0"),
    ("rv", &["c2p0", "d2p2"], "zcd1p0"),
    ("rv32", &["c2p0", "f2p2"], "zcf1p0"),
];
/// The canonical order of letters.
const LETTERS: &str = "iemafdqlcbkjtpvnh";
/// Names of several letters stand after single letters, by their first letter.
const KINDS: &str = "zsx";

const TAG_FILE: u8 = 1;
const TAG_STACK_ALIGN: u8 = 4;
const TAG_ARCH: u8 = 5;
/// In bytes.
const STACK_ALIGN: u8 = 16;

/// The instruction set of code with these features, in a module that says this of itself: `rv64i2p1_m2p0`.
fn architecture(features: Features, module: &ModuleIsa<'_>) -> String {
    let mut extensions: Vec<&str> = module.isa.iter().flat_map(|isa| isa.split('_').skip(1)).collect();
    for (feature, names) in OF_FEATURES {
        if features.contains(feature) {
            extensions.extend(names);
        }
    }
    for (letter, names) in OF_ABIS {
        if module.abi.is_some_and(|abi| abi.ends_with(letter)) {
            extensions.extend(names);
        }
    }
    let base = if features.contains(RV32) { "rv32i2p1" } else { "rv64i2p1" };
    for (machine, names, implied) in TOGETHER {
        if base.starts_with(machine) && names.iter().all(|name| extensions.contains(name)) {
            extensions.push(implied);
        }
    }
    extensions.sort_by_key(|extension| rank(extension));
    extensions.dedup_by_key(|extension| name(extension));
    extensions.into_iter().fold(base.to_string(), |text, extension| format!("{text}_{extension}"))
}

/// The extension without its version, `2p0`.
fn name(extension: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let major = extension.trim_end_matches(is_digit);
    major.strip_suffix('p').unwrap_or(major).trim_end_matches(is_digit)
}

/// The place in the canonical order. A name of several letters that begins with `z` has its second letter's.
fn rank(extension: &str) -> (usize, usize, &str) {
    let name = name(extension);
    let letter = |place: usize| name.chars().nth(place).and_then(|c| LETTERS.find(c)).unwrap_or(LETTERS.len());
    match name.chars().next().and_then(|first| KINDS.find(first)) {
        Some(kind) if name.len() > 1 => (kind + 1, if kind == 0 { letter(1) } else { 0 }, name),
        _ => (0, letter(0), name),
    }
}

/// `.riscv.attributes`.
pub fn section(features: Features, module: &ModuleIsa<'_>) -> AttributeSection {
    let mut attributes = vec![TAG_STACK_ALIGN, STACK_ALIGN, TAG_ARCH];
    attributes.extend(architecture(features, module).bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(features: Features, abi: &str, isa: &[&str]) -> String {
        architecture(features, &ModuleIsa { abi: Some(abi), isa: isa.to_vec() })
    }

    #[test]
    fn extensions_stand_in_the_canonical_order_once() {
        let module = "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0_zmmul1p0_zaamo1p0_zalrsc1p0_zca1p0_zcd1p0";
        assert_eq!(of(M | A | C, "lp64d", &[module]), module);
        assert_eq!(of(M | A, "lp64", &[]), "rv64i2p1_m2p0_a2p1_zmmul1p0_zaamo1p0_zalrsc1p0");
        assert_eq!(of(C | RV32, "ilp32f", &[]), "rv32i2p1_f2p2_c2p0_zicsr2p0_zca1p0_zcf1p0");
        assert_eq!(of(M | F | D | C, "lp64", &[]), "rv64i2p1_m2p0_f2p2_d2p2_c2p0_zicsr2p0_zmmul1p0_zca1p0_zcd1p0");
        let several = of(ZBA | ZBB | ZBS | ZICOND, "lp64", &["rv64i2p1_zvl128b1p0_xventanacondops1p0_svinval1p0"]);
        let expected = "rv64i2p1_b1p0_zicond1p0_zba1p0_zbb1p0_zbs1p0_zvl128b1p0_svinval1p0_xventanacondops1p0";
        assert_eq!(several, expected);
    }
}
