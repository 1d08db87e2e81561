//! Planted faults of floating point: of its recipes, its selection rules, and its calls of the library.

use super::site::{Site, more};
use super::{A64, BOTH, Fault, Plant, Programs, RISCV, RV32, RV64, Rules};
use tribunal_ir::Opcode::*;
use tribunal_ir::{AddressBase, AddressData, Inst, IntPredicate, Operand};

const LOWER: &[&str] = &["lower_for"];
const LIBCALL: &[&str] = &["libcall_for"];
const PROMOTE: &[&str] = &["promote"];
const SCALARIZE: &[&str] = &["scalarize"];
const REDUCE: &[&str] = &["lower"];
const PROMOTED: &[&str] = &["G_FADD", "G_FSUB", "G_FMUL", "G_FDIV"];

const REDUCTIONS: &[&str] = &["G_VECREDUCE_FADD", "G_VECREDUCE_SEQ_FADD"];

type Change = fn(&mut Site<'_>) -> Option<()>;

const fn fault(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    (rules, programs): (Rules, Programs),
    change: Change,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Rewrite(rules, change), programs }
}

/// Of legality rules of these opcodes and methods.
const fn legal(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    (opcodes, methods): (&'static [&'static str], &'static [&'static str]),
    change: Change,
) -> Fault {
    fault(name, model, targets, (Rules::Legality(opcodes, methods), Programs::Generated), change)
}

/// The same where there are instructions for numbers.
const fn legal_in_hardware(
    name: &'static str,
    model: &'static str,
    (opcodes, methods): (&'static [&'static str], &'static [&'static str]),
    change: Change,
) -> Fault {
    fault(name, model, RISCV, (Rules::Legality(opcodes, methods), Programs::GeneratedForFloats), change)
}

/// Of selection rules of these names.
const fn selected(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    rules: &'static [&'static str],
    change: Change,
) -> Fault {
    fault(name, model, targets, (Rules::Named(rules), Programs::GeneratedForFloats), change)
}

fn last(s: &Site<'_>) -> Option<Inst> {
    s.after.last().copied()
}

/// The call that the step writes gets another name.
fn renamed(s: &mut Site<'_>, change: impl Fn(&str) -> String) -> Option<()> {
    let call = s.after.iter().copied().find(|&inst| s.target.is_call(s.function.inst(inst)))?;
    let callee = *s.function.address_of(&s.function.inst(call).operands[0])?;
    let name = s.function.external(callee.base)?.to_string();
    let other = change(&name);
    (other != name).then_some(())?;
    let base = AddressBase::External(s.function.intern(&other));
    let operand = s.function.address(AddressData { base, ..callee });
    s.function.set_operand(call, 0, operand);
    Some(())
}

/// One of the objects of a call by reference becomes the first operand's. They are the result's, both operands', and
/// again the result's.
fn same_object(s: &mut Site<'_>, changed: usize) -> Option<()> {
    let addresses = s.after.iter().copied().filter(|&inst| s.function.inst(inst).opcode == G_FRAME_INDEX);
    let addresses: Vec<Inst> = addresses.collect();
    let (&[_, operand, _, _], &inst) = (addresses.as_slice(), addresses.get(changed)?) else { return None };
    let slot = s.function.inst(operand).operands[1];
    s.function.set_operand(inst, 1, slot);
    Some(())
}

pub(super) static FAULTS: &[Fault] = &[
    // Recipes
    legal("negation-of-more-than-the-sign", "wrong mask", RISCV, (&["G_FNEG"], LOWER), |s| {
        s.constant_of(s.first(G_XOR)?, 2, more)
    }),
    legal("magnitude-without-its-highest-bit", "wrong mask", RISCV, (&["G_FABS"], LOWER), |s| {
        s.constant_of(s.first(G_AND)?, 2, |mask| mask.lshr(1))
    }),
    legal("sign-of-more-than-a-bit", "wrong mask", BOTH, (&["G_FCOPYSIGN"], LOWER), |s| {
        s.constant_of(s.last(G_AND)?, 2, |mask| mask.or(mask.lshr(1)))
    }),
    legal("class-off-by-one", "boundary", BOTH, (&["G_IS_FPCLASS"], LOWER), |s| {
        s.constant_of(s.first(G_SUB)?, 2, more)
    }),
    legal("class-with-the-other-sign", "forgotten sign", BOTH, (&["G_IS_FPCLASS"], LOWER), |s| {
        let signed = |predicate| if predicate == IntPredicate::Slt { IntPredicate::Sge } else { predicate };
        let signs = |inst: &Inst| {
            s.function.inst(*inst).operands.get(1) == Some(&tribunal_ir::Operand::Predicate(IntPredicate::Slt))
        };
        let inst = s.after.iter().copied().find(signs)?;
        s.predicate(inst, signed)
    }),
    legal_in_hardware("nan-and-number-exchanged", "operands exchanged", (&["G_FMINIMUM", "G_FMAXIMUM"], LOWER), |s| {
        s.swap(s.first(G_SELECT)?, 2, 3)
    }),
    legal_in_hardware("greater-for-lesser-number", "wrong opcode", (&["G_FMINIMUM"], LOWER), |s| {
        s.turn(G_FMINIMUMNUM, G_FMAXIMUMNUM)
    }),
    legal("half-not-rounded-back", "skipped rounding", BOTH, (PROMOTED, PROMOTE), |s| s.turn(G_FPTRUNC, G_TRUNC)),
    legal("half-extended-as-an-integer", "wrong conversion", BOTH, (PROMOTED, PROMOTE), |s| s.turn(G_FPEXT, G_ZEXT)),
    // Vectors
    legal("elements-of-numbers-exchanged", "operands exchanged", A64, (PROMOTED, SCALARIZE), |s| {
        s.swap(s.first(G_BUILD_VECTOR)?, 1, 2)
    }),
    legal("sum-of-elements-without-the-last", "forgotten part", A64, (REDUCTIONS, REDUCE), |s| {
        s.skip(s.last(G_FADD)?, 1)
    }),
    // Calls of the library
    legal("arguments-of-numbers-exchanged", "operands exchanged", RISCV, (&["G_FSUB", "G_FDIV"], LIBCALL), |s| {
        let copies: Vec<_> = s.after.iter().copied().filter(|&inst| s.function.inst(inst).opcode == COPY).collect();
        let [one, other, ..] = copies[..] else { return None };
        let source = |inst| s.function.inst(inst).operands[1];
        let (first, second) = (source(one), source(other));
        (first != second).then_some(())?;
        s.function.set_operand(one, 1, second);
        s.function.set_operand(other, 1, first);
        Some(())
    }),
    legal("operands-in-one-object", "wrong object", RV32, (PROMOTED, LIBCALL), |s| same_object(s, 2)),
    legal("result-read-from-an-operand", "wrong object", RV32, (PROMOTED, LIBCALL), |s| same_object(s, 3)),
    legal("difference-for-a-sum", "wrong callee", RISCV, (&["G_FADD"], LIBCALL), |s| {
        renamed(s, |name| name.replace("add", "sub"))
    }),
    fault(
        "product-for-a-strict-quotient",
        "wrong callee",
        BOTH,
        (Rules::Legality(&["G_STRICT_FDIV"], LIBCALL), Programs::GeneratedForFloats),
        |s| renamed(s, |name| name.replace("div", "mul")),
    ),
    // Strict operations without an environment
    legal("sum-for-a-strict-difference", "wrong opcode", RISCV, (&["G_STRICT_FSUB"], LOWER), |s| {
        s.turn(G_FSUB, G_FADD)
    }),
    legal("mode-that-the-machine-lacks", "wrong constant", RISCV, (&["G_GET_ROUNDING"], REDUCE), |s| {
        s.constant(s.first(G_CONSTANT)?, more)
    }),
    legal("comparison-inverted", "wrong condition", RISCV, (&["G_FCMP"], LIBCALL), |s| {
        s.predicate(s.last(G_ICMP)?, IntPredicate::inverse)
    }),
    legal("zero-compared-with-the-other-sign", "boundary", RISCV, (&["G_FCMP"], LIBCALL), |s| {
        let strict = |predicate| match predicate {
            IntPredicate::Slt => IntPredicate::Sle,
            IntPredicate::Sgt => IntPredicate::Sge,
            IntPredicate::Sle => IntPredicate::Slt,
            IntPredicate::Sge => IntPredicate::Sgt,
            other => other,
        };
        s.predicate(s.last(G_ICMP)?, strict)
    }),
    legal("unsigned-call-for-signed", "wrong callee", RISCV, (&["G_FPTOSI"], LIBCALL), |s| {
        renamed(s, |name| name.replace("__fix", "__fixuns"))
    }),
    legal("signed-call-for-unsigned", "wrong callee", RISCV, (&["G_UITOFP"], LIBCALL), |s| {
        renamed(s, |name| name.replace("__floatun", "__float"))
    }),
    legal("floor-called-for-ceiling", "wrong callee", RISCV, (&["G_FCEIL"], LIBCALL), |s| {
        renamed(s, |name| name.replace("ceil", "floor"))
    }),
    // Arithmetic
    selected("sum-for-a-difference-of-numbers", "wrong opcode", BOTH, &["fsub_s", "fsub_d"], |s| {
        s.turn_machine(&[("FSUB_S", "FADD_S"), ("FSUB_D", "FADD_D"), ("FSUBSrr", "FADDSrr"), ("FSUBDrr", "FADDDrr")])
    }),
    selected("quotient-of-numbers-exchanged", "operands exchanged", BOTH, &["fdiv_s", "fdiv_d"], |s| {
        s.swap(last(s)?, 1, 2)
    }),
    selected("fused-difference-for-the-sum", "wrong opcode", BOTH, &["fmadd_s", "fmadd_d"], |s| {
        s.turn_machine(&[
            ("FMADD_S", "FMSUB_S"),
            ("FMADD_D", "FMSUB_D"),
            ("FMADDSrrr", "FMSUBSrrr"),
            ("FMADDDrrr", "FMSUBDrrr"),
        ])
    }),
    selected("sum-rounded-towards-zero", "rounding mode", RISCV, &["fadd_s", "fadd_d"], |s| {
        s.immediate(last(s)?, 3, |_| 1)
    }),
    selected("product-rounded-down", "rounding mode", RISCV, &["fmul_s", "fmul_d"], |s| {
        s.immediate(last(s)?, 3, |_| 2)
    }),
    // The environment
    selected("strict-sum-to-nearest", "rounding mode", RISCV, &["strict_fadd_s", "strict_fadd_d"], |s| {
        s.immediate(last(s)?, 3, |_| 0)
    }),
    selected("strict-root-to-nearest", "rounding mode", RISCV, &["strict_fsqrt_s", "strict_fsqrt_d"], |s| {
        s.immediate(last(s)?, 2, |_| 0)
    }),
    selected(
        "strict-quotient-of-numbers-exchanged",
        "operands exchanged",
        BOTH,
        &["strict_fdiv_s", "strict_fdiv_d"],
        |s| s.swap(last(s)?, 1, 2),
    ),
    selected("strict-operation-done-twice", "flags raised", BOTH, &["strict_fadd_s", "strict_fmul_d"], |s| {
        let mut data = s.function.inst(last(s)?).clone();
        let (dst, first) = (data.vreg(0)?, data.vreg(1)?);
        let other = s.function.push_vreg(s.function.vregs[dst].ty, s.function.vregs[dst].constraint);
        (dst != first).then_some(())?;
        data.operands[0] = Operand::def(other);
        data.operands[1] = Operand::used(dst);
        s.function.insert_after(last(s)?, data);
        Some(())
    }),
    selected("mode-of-another-number", "wrong constant", BOTH, &["get_rounding", "set_rounding"], |s| {
        let changed =
            s.after.iter().copied().find(|&inst| s.function.inst(inst).imm(2).is_some_and(|value| value > 2))?;
        s.immediate(changed, 2, |value| value ^ 0x401)
    }),
    selected("environment-without-its-flags", "forgotten part", A64, &["set_fpenv", "reset_fpenv"], |s| {
        let flags = s.machine("MSR_FPSR")?;
        let inst = s.first(flags)?;
        s.function.remove(inst);
        Some(())
    }),
    selected("narrowed-towards-zero", "rounding mode", RISCV, &["fptrunc"], |s| s.immediate(last(s)?, 2, |_| 1)),
    selected("magnitude-for-the-negated", "wrong opcode", BOTH, &["fneg_s", "fneg_d"], |s| {
        s.turn_machine(&[
            ("FSGNJN_S", "FSGNJX_S"),
            ("FSGNJN_D", "FSGNJX_D"),
            ("FNEGSr", "FABSSr"),
            ("FNEGDr", "FABSDr"),
        ])
    }),
    selected("sign-copied-and-negated", "forgotten sign", RISCV, &["fcopysign_s", "fcopysign_d"], |s| {
        s.turn_machine(&[("FSGNJ_S", "FSGNJN_S"), ("FSGNJ_D", "FSGNJN_D")])
    }),
    selected("greatest-for-least", "wrong opcode", RISCV, &["fminimumnum_s", "fminimumnum_d"], |s| {
        s.turn_machine(&[("FMIN_S", "FMAX_S"), ("FMIN_D", "FMAX_D")])
    }),
    selected("minimum-that-loses-nans", "NaN lost", A64, &["fminimum_s", "fminimum_d"], |s| {
        s.turn_machine(&[("FMINSrr", "FMINNMSrr"), ("FMINDrr", "FMINNMDrr")])
    }),
    // Comparisons
    selected("less-or-equal-for-less", "boundary", RISCV, &["fcmp_olt_s", "fcmp_olt_d"], |s| {
        s.turn_machine(&[("FLT_S", "FLE_S"), ("FLT_D", "FLE_D")])
    }),
    selected("unordered-half-forgotten", "fcmp's unordered half", RISCV, &["fcmp_uno_s", "fcmp_uno_d"], |s| {
        s.turn_machine(&[("XORI", "ORI")])
    }),
    selected("unordered-is-less", "fcmp's unordered half", A64, &["fcmp_olt_s", "fcmp_olt_d"], |s| {
        s.immediate(last(s)?, 3, |_| 10)
    }),
    selected("unordered-is-greater", "fcmp's unordered half", A64, &["fcmp_ogt_s", "fcmp_ogt_d"], |s| {
        s.immediate(last(s)?, 3, |_| 9)
    }),
    selected("class-of-another-bit", "wrong mask", RISCV, &["is_fpclass_s", "is_fpclass_d"], |s| {
        s.immediate(s.first(s.machine("ANDI")?)?, 2, |mask| mask ^ 1)
    }),
    selected("selected-numbers-exchanged", "operands exchanged", BOTH, &["select_s", "select_d"], |s| {
        let inst = last(s)?;
        let first =
            if s.function.inst(inst).imm(3).is_some_and(|_| s.function.inst(inst).operands.len() > 5) { 4 } else { 1 };
        s.swap(inst, first, first + 1)
    }),
    // Conversions
    selected(
        "conversion-rounds-to-nearest",
        "rounding mode",
        RISCV,
        &["fptosi_s", "fptosi_d", "fptosi_s_32", "fptosi_d_32"],
        |s| s.immediate(last(s)?, 2, |_| 0),
    ),
    selected(
        "converted-as-unsigned",
        "forgotten sign",
        BOTH,
        &["fptosi_s", "fptosi_d", "fptosi_64_s", "fptosi_64_d"],
        |s| {
            s.turn_machine(&[
                ("FCVT_L_S", "FCVT_LU_S"),
                ("FCVT_L_D", "FCVT_LU_D"),
                ("FCVTZSUXSr", "FCVTZUUXSr"),
                ("FCVTZSUXDr", "FCVTZUUXDr"),
            ])
        },
    ),
    selected(
        "number-of-the-unsigned",
        "forgotten sign",
        BOTH,
        &["sitofp_s", "sitofp_d", "sitofp_s_64", "sitofp_d_64"],
        |s| {
            s.turn_machine(&[
                ("FCVT_S_L", "FCVT_S_LU"),
                ("FCVT_D_L", "FCVT_D_LU"),
                ("SCVTFUXSri", "UCVTFUXSri"),
                ("SCVTFUXDri", "UCVTFUXDri"),
            ])
        },
    ),
    selected("number-of-the-low-word", "wrong width", RV64, &["sitofp_s", "sitofp_d"], |s| {
        s.turn_machine(&[("FCVT_S_L", "FCVT_S_W"), ("FCVT_D_L", "FCVT_D_W")])
    }),
    selected("floor-for-ceiling", "wrong opcode", A64, &["fceil_s", "fceil_d"], |s| {
        s.turn_machine(&[("FRINTPSr", "FRINTMSr"), ("FRINTPDr", "FRINTMDr")])
    }),
    selected("halves-to-even-for-away", "rounding mode", A64, &["intrinsic_round_s", "intrinsic_round_d"], |s| {
        s.turn_machine(&[("FRINTASr", "FRINTNSr"), ("FRINTADr", "FRINTNDr")])
    }),
    // Constants
    selected("number-off-by-its-last-bit", "off-by-one immediate", RISCV, &["fconstant_s"], |s| {
        s.immediate(s.first(s.machine("ADDI")?)?, 2, |low| low ^ 1)
    }),
    selected(
        "packed-number-of-another-sign",
        "off-by-one immediate",
        A64,
        &["fconstant_s_packed", "fconstant_d_packed"],
        |s| s.first_immediate(last(s)?, |packed| packed ^ 0x80),
    ),
];
