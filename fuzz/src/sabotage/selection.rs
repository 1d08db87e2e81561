//! Planted faults of instruction selection rules.

use super::site::Site;
use super::{A64, ALL, BOTH, Fault, Plant, Programs, RISCV, RV64, Rules};
use tribunal_ir::Inst;

const fn row(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    rules: &'static [&'static str],
    change: fn(&mut Site<'_>) -> Option<()>,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Rewrite(Rules::Named(rules), change), programs: Programs::Generated }
}

fn last(s: &Site<'_>) -> Option<Inst> {
    s.after.last().copied()
}

/// The first condition code of AArch64 that the rule wrote, the opposite one instead.
fn other_condition(s: &mut Site<'_>, name: &str, index: usize) -> Option<()> {
    let inst = s.first(s.machine(name)?)?;
    s.immediate(inst, index, |condition| condition ^ 1)
}

pub(super) static FAULTS: &[Fault] = &[
    row("offset-of-a-symbol-dropped", "addend dropped", ALL, &["global_absolute", "global_pcrel", "global_got"], |s| {
        s.address(*s.after.first()?, |address| address.offset = 0)
    }),
    row("low-part-of-another-offset", "addend dropped", RISCV, &["global_absolute", "table_absolute"], |s| {
        s.address(last(s)?, |address| address.offset += 8)
    }),
    row("upper-part-of-the-low-one", "wrong relocation kind", RISCV, &["global_absolute", "table_absolute"], |s| {
        let low = s.function.inst(last(s)?).operands.clone();
        let flags = low.iter().find_map(|operand| s.function.address_of(operand)).map(|address| address.flags)?;
        s.address(*s.after.first()?, |address| address.flags = flags)
    }),
    row("difference-the-other-way", "operands exchanged", BOTH, &["sub", "sub32", "sub64", "subw"], |s| {
        s.swap(last(s)?, 1, 2)
    }),
    row(
        "shift-without-sign",
        "forgotten sign",
        BOTH,
        &["ashr", "ashr_imm6", "sraw", "sraw_imm", "ashr32", "ashr64"],
        |s| {
            s.turn_machine(&[
                ("SRA", "SRL"),
                ("SRAI", "SRLI"),
                ("SRAW", "SRLW"),
                ("SRAIW", "SRLIW"),
                ("ASRVWr", "LSRVWr"),
                ("ASRVXr", "LSRVXr"),
            ])
        },
    ),
    row(
        "shift-by-one-too-many",
        "off-by-one immediate",
        BOTH,
        &["shl_imm6", "lshr_imm6", "lshr32_imm", "lshr64_imm"],
        |s| {
            let bits = i64::from(s.target.pointer_bits).min(32);
            s.first_immediate(last(s)?, |amount| (amount + 1) % bits)
        },
    ),
    row("high-product-of-the-other-sign", "wrong sign", BOTH, &["umulh", "smulh"], |s| {
        s.turn_machine(&[("MULHU", "MULH"), ("UMULHrr", "SMULHrr")])
    }),
    row(
        "division-of-the-other-sign",
        "wrong sign",
        BOTH,
        &["udiv", "sdiv", "udiv32", "udiv64", "sdiv32", "sdiv64"],
        |s| s.turn_machine(&[("DIVU", "DIV"), ("UDIVWr", "SDIVWr"), ("UDIVXr", "SDIVXr")]),
    ),
    row("remainder-of-the-other-sign", "wrong sign", RISCV, &["urem", "srem"], |s| s.turn_machine(&[("REMU", "REM")])),
    row("order-of-the-other-sign", "wrong predicate", RISCV, &["icmp_ult", "icmp_slt", "icmp_ugt", "icmp_sgt"], |s| {
        s.turn_machine(&[("SLTU", "SLT")])
    }),
    row(
        "bound-not-raised",
        "off-by-one immediate range",
        RISCV,
        &["icmp_sle_imm", "icmp_ule_imm", "icmp_sgt_imm", "icmp_ugt_imm"],
        |s| s.first_immediate(*s.after.first()?, |bound| if bound > -2048 { bound - 1 } else { bound }),
    ),
    row(
        "difference-of-immediate-added",
        "off-by-one immediate range",
        BOTH,
        &["sub_imm12", "add32_negated", "add64_negated", "sub32_imm12", "sub64_imm12"],
        |s| {
            s.turn_machine(&[("SUBWri", "ADDWri"), ("SUBXri", "ADDXri")])
                .or_else(|| s.first_immediate(last(s)?, |value| if value == -2048 { value } else { -value }))
        },
    ),
    row(
        "greatest-immediate-wraps",
        "off-by-one immediate range",
        RISCV,
        &["add_imm12", "ptr_add_imm12", "and_imm12", "or_imm12", "xor_imm12", "const_simm12"],
        |s| s.first_immediate(last(s)?, |value| if value == 2047 { -2048 } else { value }),
    ),
    row("word-operation-at-full-width", "extension forgotten", RV64, &["addw", "addw_imm12", "subw", "mulw"], |s| {
        s.turn_machine(&[("ADDW", "ADD"), ("ADDIW", "ADDI"), ("SUBW", "SUB"), ("MULW", "MUL")])
    }),
    row("word-shift-at-full-width", "shift amount modulo", RV64, &["sllw", "srlw", "sllw_imm", "srlw_imm"], |s| {
        s.turn_machine(&[("SLLW", "SLL"), ("SRLW", "SRL"), ("SLLIW", "SLLI"), ("SRLIW", "SRLI")])
    }),
    row("low-mask-one-bit-wide", "wrong mask", RISCV, &["and_low_mask"], |s| {
        let shifts = [*s.after.first()?, last(s)?];
        shifts.map(|inst| s.first_immediate(inst, |amount| amount - 1))[0]
    }),
    row("upper-part-not-rounded", "off-by-one immediate", RISCV, &["const_32", "const_simm32"], |s| {
        let negative = s.function.inst(last(s)?).imm(2)? < 0;
        let upper = *s.after.first()?;
        s.first_immediate(upper, |upper| if negative { (upper - 1) & 0xf_ffff } else { upper })
    }),
    row("piece-of-a-constant-misplaced", "off-by-one immediate", A64, &["const32", "const64_imm32", "const64"], |s| {
        let moved = s.machine("MOVKXi").and_then(|opcode| s.first(opcode))?;
        s.immediate(moved, 3, |shift| if shift == 16 { 32 } else { shift })
    }),
    row(
        "select-the-other-way",
        "llvm#127804",
        BOTH,
        &[
            "select_or_zero",
            "select_zero_or",
            "select",
            "select32",
            "select64",
            "select64_eq64",
            "select64_ult64",
            "select32_slt32",
            "select32_eq32",
        ],
        // With a conditional select, and without one.
        |s| match s.machine("CSELXr") {
            Some(_) => s.swap(last(s)?, 1, 2),
            None => s.turn_machine(&[("SUB", "ADD")]).or_else(|| s.first_immediate(*s.after.first()?, |_| 0)),
        },
    ),
    row(
        "comparison-the-other-way",
        "wrong predicate",
        A64,
        &["icmp_ult32", "icmp_ult64", "icmp_slt64", "icmp_eq64", "icmp_eq32", "icmp_ne32", "icmp_slt32"],
        |s| other_condition(s, "CSINCWr", 3),
    ),
    row(
        "comparison-with-the-negated",
        "llvm#137254",
        A64,
        &["icmp_eq32", "icmp_eq64", "icmp_slt32", "icmp_slt64", "icmp_ult32", "icmp_ult64"],
        |s| s.turn_machine(&[("SUBSWrr", "ADDSWrr"), ("SUBSXrr", "ADDSXrr")]),
    ),
    row("sum-of-products-subtracted", "wrong operation", A64, &["madd32", "madd64", "msub32", "msub64"], |s| {
        s.turn_machine(&[("MADDWrrr", "MSUBWrrr"), ("MADDXrrr", "MSUBXrrr")])
    }),
    row("sign-from-one-bit-low", "llvm#61008", A64, &["sext_inreg32", "sext_inreg64"], |s| {
        s.immediate(last(s)?, 3, |bit| (bit - 1).max(0))
    }),
    row(
        "branch-the-other-way",
        "wrong predicate",
        BOTH,
        &[
            "brcond",
            "brcond_eq",
            "brcond_ne",
            "brcond_ult",
            "brcond_slt",
            "brcond_eq32",
            "brcond_ne32",
            "brcond_ult64",
            "brcond_ne64_zero",
            "brcond_eq64_zero",
            "brcond_ne32_zero",
            "brcond_eq32_zero",
            "brcond_eq_zero",
            "brcond_ne_zero",
        ],
        |s| {
            let branch = last(s)?;
            let opposite = s.target.machine.invert_branch(s.function.inst(branch))?;
            s.function.replace(branch, opposite);
            Some(())
        },
    ),
    row(
        "branch-on-the-other-sign",
        "wrong predicate",
        RISCV,
        &["brcond_ult", "brcond_slt", "brcond_uge", "brcond_sge", "brcond_ugt", "brcond_sgt"],
        |s| s.turn_machine(&[("BLTU", "BLT"), ("BGEU", "BGE")]),
    ),
    row(
        "load-of-the-other-sign",
        "load size or sign",
        BOTH,
        &[
            "sextload8",
            "sextload16",
            "sextload32",
            "zextload32",
            "zextload8",
            "zextload16",
            "sextload32_8",
            "sextload32_16",
            "zextload32_8",
            "zextload32_16",
        ],
        |s| {
            s.turn_machine(&[
                ("LB", "LBU"),
                ("LH", "LHU"),
                ("LW", "LWU"),
                ("LDRSBWui", "LDRBBui"),
                ("LDRSHWui", "LDRHHui"),
            ])
        },
    ),
    row("load-too-small", "load size or sign", RISCV, &["load16", "load32", "load64"], |s| {
        s.turn_machine(&[("LD", "LWU"), ("LHU", "LBU")]).or_else(|| s.turn_machine(&[("LW", "LH")]))
    }),
    row(
        "store-too-small",
        "load size or sign",
        BOTH,
        &["store16", "store32", "store64", "store32_16", "store64_64"],
        |s| {
            let name = [("SD", "SW"), ("SW", "SH"), ("SH", "SB"), ("STRXui", "STURXi"), ("STRHHui", "STURBBi")];
            let found = name.iter().find_map(|&(from, to)| Some((s.first(s.machine(from)?)?, s.machine(to)?)));
            let (inst, smaller) = found?;
            s.becomes(inst, smaller)
        },
    ),
    row(
        "offset-left-out",
        "wrong offset",
        BOTH,
        &[
            "load8",
            "load16",
            "load32",
            "load64",
            "store8",
            "store32",
            "store64",
            "load64_64",
            "store64_64",
            "load32_32",
            "store32_32",
            "load32_8",
            "store32_8",
        ],
        |s| s.first_immediate(last(s)?, |_| 0),
    ),
    row("address-of-another-offset", "wrong offset", BOTH, &["ptr_add_imm12", "ptr_add_stack_imm12"], |s| {
        s.first_immediate(last(s)?, |offset| if offset < 2047 { offset + 1 } else { offset - 1 })
    }),
    row(
        "bitwise-operation-with-itself",
        "or-of-and took the wrong operand, llvm#55284",
        BOTH,
        &["and", "or", "and32", "or32", "and64", "or64"],
        |s| {
            let inst = last(s)?;
            let operand = *s.function.inst(inst).operands.get(1)?;
            (s.function.inst(inst).operands.get(2)? != &operand).then(|| s.function.set_operand(inst, 2, operand))
        },
    ),
];
