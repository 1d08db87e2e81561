//! Rules that no program makes fire, and why: they stay, since what keeps programs from them is not theirs to know.
//! `fuzz/tests/unreached.rs` holds the list to the rules that there are, and to programs.

/// Some rules of some targets.
pub struct Unreached {
    pub targets: &'static [&'static str],
    pub rules: &'static [&'static str],
    pub reason: &'static str,
}

pub static UNREACHED: &[Unreached] = &[
    Unreached {
        targets: &["riscv32"],
        rules: &[
            "riscv const_simm32",
            "riscv const_64",
            "riscv addw_imm12",
            "riscv subw_imm12",
            "riscv addw",
            "riscv subw",
            "riscv mulw",
            "riscv shlw_imm",
            "riscv sext_word",
            "riscv sllw_imm",
            "riscv srlw_imm",
            "riscv sraw_imm",
            "riscv sllw",
            "riscv srlw",
            "riscv sraw",
            "riscv divw",
            "riscv divuw",
            "riscv remuw",
            "riscv load64",
            "riscv zextload32",
            "riscv sextload32",
            "riscv store64_zero",
            "riscv store64",
        ],
        reason: "for registers of 64 bits; RV32 and RV64 share the table",
    },
    Unreached {
        targets: &["riscv64"],
        rules: &["riscv const_32"],
        reason: "for registers of 32 bits; RV32 and RV64 share the table",
    },
];

/// Why `rule` does not fire on `target`, if that is known.
pub fn reason(target: &str, rule: &str) -> Option<&'static str> {
    let holds = |unreached: &&Unreached| unreached.targets.contains(&target) && unreached.rules.contains(&rule);
    UNREACHED.iter().find(holds).map(|unreached| unreached.reason)
}
