//! Changes that make no difference, or that leave fewer behaviours: each with its argument. Names of instructions of a
//! machine stand without the machine's.

use crate::changes::Change;
use crate::specimens::Specimen;
use tribunal_ir::semantics::float::RoundingMode;
use tribunal_ir::{Family, Opcode, OpcodeFlags};

/// One kind of change of some instructions.
struct Row {
    kind: &'static str,
    /// The names of the instructions, without the machine's; none for those that `applies` picks.
    names: &'static [&'static str],
    /// Words that the change has in its detail; any for none.
    detail: &'static str,
    argument: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        kind: "order of operands",
        names: &["G_UAVGFLOOR", "G_UAVGCEIL", "G_SAVGFLOOR", "G_SAVGCEIL", "G_UADDE", "G_SADDE"],
        detail: "",
        argument: "Sums and means of two numbers commute, by their definitions.",
    },
    Row {
        kind: "order of operands",
        names: &[
            "ADD", "XOR", "OR", "AND", "ADDW", "MUL", "MULH", "MULHU", "MULW", "XNOR", "MIN", "MINU", "MAX", "MAXU",
            "ADDWrr", "ADDXrr", "ADDSWrr", "ADDSXrr", "ANDWrr", "ANDXrr", "ORRWrr", "ORRXrr", "EORWrr", "EORXrr",
            "MADDWrrr", "MADDXrrr", "MSUBWrrr", "MSUBXrrr", "UMULHrr", "SMULHrr", "ORRv16i8", "ANDSWrr", "ANDSXrr",
            "EONWrr", "EONXrr",
        ],
        detail: "1 and 2",
        argument: "The machine's sums, products, logic and extrema commute, by their definitions.",
    },
    Row {
        kind: "order of operands",
        names: &[
            "FADD_H", "FADD_S", "FADD_D", "FMUL_H", "FMUL_S", "FMUL_D", "FMADD_H", "FMADD_S", "FMADD_D", "FMSUB_H",
            "FMSUB_S", "FMSUB_D", "FMIN_H", "FMIN_S", "FMIN_D", "FMAX_H", "FMAX_S", "FMAX_D", "FEQ_H", "FEQ_S",
            "FEQ_D", "FMINM_H", "FMINM_S", "FMINM_D", "FMAXM_H", "FMAXM_S", "FMAXM_D",
        ],
        detail: "1 and 2",
        argument: "Sums, products, extrema and equality of numbers commute where every NaN is the canonical one.",
    },
    Row {
        kind: "order of operands",
        names: &["Select_FPR16_Using_CC_GPR", "Select_FPR32_Using_CC_GPR", "Select_FPR64_Using_CC_GPR"],
        detail: "1 and 2",
        argument: "The specimen compares for inequality, which is symmetric.",
    },
    Row {
        kind: "immediate",
        names: &["FCVT_D_S", "FCVT_S_H", "FCVT_D_H"],
        detail: "operand 2",
        argument: "Every number of a format is one of a wider format: nothing is rounded.",
    },
    Row {
        kind: "immediate",
        names: &["FSQRT_H"],
        detail: "operand 2",
        argument: "The specimen rounds towards zero and the change rounds down: a root is above zero, or a zero as it was.",
    },
    Row {
        kind: "order of operands",
        names: &["G_FMA", "G_FMAD", "G_STRICT_FMA"],
        detail: "1 and 2",
        argument: "The factors of a product commute.",
    },
    Row {
        kind: "opcode",
        names: &["G_FMINNUM"],
        detail: "G_FMINNUM_IEEE",
        argument: "A signalling NaN is one or counts as a quiet one, and zeros are in any order.",
    },
    Row {
        kind: "opcode",
        names: &["G_FMINNUM"],
        detail: "G_FMINIMUMNUM",
        argument: "A signalling NaN is one or counts as a quiet one, and zeros are in any order.",
    },
    Row {
        kind: "opcode",
        names: &["G_FMAXNUM"],
        detail: "G_FMAXNUM_IEEE",
        argument: "A signalling NaN is one or counts as a quiet one, and zeros are in any order.",
    },
    Row {
        kind: "opcode",
        names: &["G_FMAXNUM"],
        detail: "G_FMAXIMUMNUM",
        argument: "A signalling NaN is one or counts as a quiet one, and zeros are in any order.",
    },
    Row {
        kind: "opcode",
        names: &["G_FRINT", "G_INTRINSIC_ROUNDEVEN"],
        detail: "G_FNEARBYINT",
        argument: "The default environment rounds to nearest even, and nobody sees exceptions.",
    },
    Row {
        kind: "opcode",
        names: &["G_FNEARBYINT", "G_INTRINSIC_ROUNDEVEN"],
        detail: "G_FRINT",
        argument: "The default environment rounds to nearest even, and nobody sees exceptions.",
    },
    Row {
        kind: "opcode",
        names: &["G_FRINT", "G_FNEARBYINT"],
        detail: "G_INTRINSIC_ROUNDEVEN",
        argument: "The default environment rounds to nearest even, and nobody sees exceptions.",
    },
    Row {
        kind: "opcode",
        names: &["FLE_H", "FLE_S", "FLE_D"],
        detail: "FLEQ_",
        argument: "Quiet comparisons differ from others in the flags that they raise, and nobody sees those.",
    },
    Row {
        kind: "opcode",
        names: &["FLEQ_H", "FLEQ_S", "FLEQ_D"],
        detail: "FLE_",
        argument: "Quiet comparisons differ from others in the flags that they raise, and nobody sees those.",
    },
    Row {
        kind: "opcode",
        names: &["FLT_H", "FLT_S", "FLT_D"],
        detail: "FLTQ_",
        argument: "Quiet comparisons differ from others in the flags that they raise, and nobody sees those.",
    },
    Row {
        kind: "opcode",
        names: &["FLTQ_H", "FLTQ_S", "FLTQ_D"],
        detail: "FLT_",
        argument: "Quiet comparisons differ from others in the flags that they raise, and nobody sees those.",
    },
    Row {
        kind: "opcode",
        names: &["FROUND_H", "FROUND_S", "FROUND_D"],
        detail: "FROUNDNX_",
        argument: "One raises a flag that the other does not, and nobody sees it.",
    },
    Row {
        kind: "opcode",
        names: &["FROUNDNX_H", "FROUNDNX_S", "FROUNDNX_D"],
        detail: "FROUND_",
        argument: "One raises a flag that the other does not, and nobody sees it.",
    },
    Row {
        kind: "opcode",
        names: &["FMVP_D_X"],
        detail: "BuildPairF64Pseudo",
        argument: "Both make a number of the same two halves.",
    },
    Row {
        kind: "opcode",
        names: &["BuildPairF64Pseudo"],
        detail: "FMVP_D_X",
        argument: "Both make a number of the same two halves.",
    },
    Row {
        kind: "opcode",
        names: &["G_FPTOSI"],
        detail: "G_FPTOSI_SAT",
        argument: "A number out of range has a result where it was poison.",
    },
    Row {
        kind: "opcode",
        names: &["G_FPTOUI"],
        detail: "G_FPTOUI_SAT",
        argument: "A number out of range has a result where it was poison.",
    },
    Row {
        kind: "opcode",
        names: &["G_INTRINSIC_LRINT", "G_INTRINSIC_LLRINT"],
        detail: "LRINT",
        argument: "Both differ in the type that they have in C alone.",
    },
    Row {
        kind: "opcode",
        names: &["G_LROUND", "G_LLROUND"],
        detail: "LROUND",
        argument: "Both differ in the type that they have in C alone.",
    },
    Row {
        kind: "order of operands",
        names: &["SMADDLrrr", "UMADDLrrr", "SMSUBLrrr", "UMSUBLrrr"],
        detail: "1 and 2",
        argument: "The factors of a product commute.",
    },
    Row {
        kind: "instruction done twice",
        names: &[
            "G_SET_ROUNDING",
            "G_SET_FPENV",
            "G_RESET_FPENV",
            "G_SET_FPMODE",
            "G_RESET_FPMODE",
            "WriteFRM",
            "WriteFFLAGS",
            "WriteFCSR",
            "MSR_FPCR",
            "MSR_FPSR",
        ],
        detail: "",
        argument: "A second write of the same value to a register changes nothing.",
    },
    Row {
        kind: "instruction done twice",
        names: &[
            "G_STORE", "SB", "SH", "SW", "SD", "STRBBui", "STRHHui", "STRWui", "STRXui", "STURBBi", "STURHHi",
            "STURWi", "STURXi", "STRQui", "FSH", "FSW", "FSD", "STRSui", "STURSi", "STRDui", "STURDi", "STRBBroX",
            "STRHui", "STRBBroW", "STRHHroX", "STRHHroW", "STRWroX", "STRWroW", "STRXroX", "STRXroW", "STRHroX",
            "STRHroW", "STRSroX", "STRSroW", "STRDroX", "STRDroW", "STRQroX", "STRQroW", "STURHi", "STURQi",
        ],
        detail: "",
        argument: "A second plain store of the same value to the same place changes nothing.",
    },
    Row {
        kind: "immediate",
        names: &[
            "LDRBBroX",
            "LDRHHroX",
            "LDRWroX",
            "LDRXroX",
            "LDRSBWroX",
            "LDRSBXroX",
            "LDRSHWroX",
            "LDRSHXroX",
            "LDRSWroX",
            "LDRHroX",
            "LDRSroX",
            "LDRDroX",
            "LDRQroX",
            "STRBBroX",
            "STRHHroX",
            "STRWroX",
            "STRXroX",
            "STRHroX",
            "STRSroX",
            "STRDroX",
            "STRQroX",
        ],
        detail: "operand 3",
        argument: "An index of 64 bits is as wide as an address: its sign is not extended.",
    },
    Row {
        kind: "immediate",
        names: &["LDRBBroX", "LDRBBroW", "LDRSBWroX", "LDRSBWroW", "LDRSBXroX", "LDRSBXroW", "STRBBroX", "STRBBroW"],
        detail: "operand 4",
        argument: "A unit of one byte: scaled or not, the index counts bytes.",
    },
    Row {
        kind: "opcode",
        names: &["FCVT_WU_H"],
        detail: "FCVT_LU_H",
        argument: "A number of 16 bits is less than 65,536; what is no such integer is 0 or all ones in both.",
    },
    Row {
        kind: "opcode",
        names: &["FCVT_LU_H"],
        detail: "FCVT_WU_H",
        argument: "A number of 16 bits is less than 65,536; what is no such integer is 0 or all ones in both.",
    },
    Row {
        kind: "instruction done twice",
        names: &["G_VASTART"],
        detail: "",
        argument: "A second list in the same place is the same list.",
    },
    Row {
        kind: "instruction done twice",
        names: &["G_FENCE", "FENCE_TSO", "DMB", "MEMBARRIER"],
        detail: "",
        argument: "A fence right after the same fence keeps nothing more in order.",
    },
    Row {
        kind: "instruction left out",
        names: &["MEMBARRIER"],
        detail: "",
        argument: "It keeps a compiler from reordering, and is no code.",
    },
    Row {
        kind: "opcode",
        names: &["MEMBARRIER"],
        detail: "FENCE_TSO",
        argument: "A fence keeps more in order than none.",
    },
    Row {
        kind: "flag of an access",
        names: &[
            "SC_W",
            "SC_W_RL",
            "SC_W_AQ",
            "SC_W_AQRL",
            "SC_D",
            "SC_D_RL",
            "SC_D_AQ",
            "SC_D_AQRL",
            "STXRB",
            "STXRH",
            "STXRW",
            "STXRX",
            "STLXRB",
            "STLXRH",
            "STLXRW",
            "STLXRX",
            "STXPX",
            "STLXPX",
        ],
        detail: "VOLATILE",
        argument: "A conditional store has effects of its own: nothing moves it or drops it, volatile or not.",
    },
    Row {
        kind: "instruction left out",
        names: &["CLREX"],
        detail: "",
        argument: "By its meaning here a conditional store fails or not, whatever was reserved.",
    },
    Row {
        kind: "instruction done twice",
        names: &["CLREX"],
        detail: "",
        argument: "A reservation that was given up is none.",
    },
    Row { kind: "immediate", names: &["CLREX"], detail: "", argument: "The machine ignores the number." },
    Row { kind: "opcode", names: &["CLREX"], detail: "DMB", argument: "A barrier keeps more in order than none." },
    Row { kind: "order of operands", names: &["BEQ", "BNE"], detail: "", argument: "Equality is symmetric." },
    Row {
        kind: "instruction done twice",
        names: &[
            "BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU", "CBZW", "CBNZW", "CBZX", "CBNZX", "TBZW", "TBNZW", "TBZX",
            "TBNZX", "G_BRCOND",
        ],
        detail: "",
        argument: "Where the second branch is reached the first was not taken, and both have one condition.",
    },
    Row {
        kind: "opcode",
        names: &["COPY"],
        detail: "G_FREEZE",
        argument: "A frozen value is the value where that is not poison, and any value where it is.",
    },
    Row {
        kind: "opcode",
        names: &["G_CTLZ_ZERO_UNDEF", "G_CTTZ_ZERO_UNDEF"],
        detail: "",
        argument: "Zero has a count where it was poison.",
    },
    Row { kind: "opcode", names: &["G_ANYEXT"], detail: "EXT", argument: "The high bits were any bits." },
    Row {
        kind: "opcode",
        names: &["G_GLOBAL_VALUE", "G_BLOCK_ADDR"],
        detail: "",
        argument: "Both are the address of the entity that the operand names.",
    },
    Row {
        kind: "opcode",
        names: &["G_MEMCPY"],
        detail: "G_MEMMOVE",
        argument: "Both do the same on ranges that do not overlap, and on others G_MEMCPY is undefined.",
    },
    Row {
        kind: "opcode",
        names: &["ADDSWrr", "ADDSXrr", "SUBSWrr", "SUBSXrr", "ANDSWrr", "ANDSXrr"],
        detail: "rr",
        argument: "The sum is the same, and nothing reads the flags.",
    },
    Row {
        kind: "opcode",
        names: &["ADDSWrx", "ADDSXrx", "SUBSWrx", "SUBSXrx"],
        detail: "rx",
        argument: "The result is the same, and nothing reads the flags.",
    },
    Row {
        kind: "opcode",
        names: &["ADDSWrs", "ADDSXrs", "SUBSWrs", "SUBSXrs", "ANDSWrs", "ANDSXrs"],
        detail: "rs",
        argument: "The result is the same, and nothing reads the flags.",
    },
    Row {
        kind: "order of operands",
        names: &["Select_GPR_Using_CC_GPR"],
        detail: "1 and 2",
        argument: "The specimen compares for inequality, which is symmetric.",
    },
    Row {
        kind: "immediate",
        names: &["G_ASSERT_SEXT", "G_ASSERT_ZEXT"],
        detail: "",
        argument: "An extension from more bits promises less. One from fewer is not proved.",
    },
    Row {
        kind: "immediate",
        names: &["G_MEMCPY", "G_MEMMOVE", "G_MEMSET", "G_BZERO"],
        detail: "",
        argument: "Without the flag the call is no tail call. The flag is not proved where it was not.",
    },
    Row {
        kind: "size of an access",
        names: &[],
        detail: "ty: None",
        argument: "Unknown size: the memory operand claims less. Instructions of the machine have sizes of their own.",
    },
    Row {
        kind: "size of an access",
        names: &[],
        detail: "ty: Some(s4)",
        argument: "The machine's access touches the whole byte either way.",
    },
];

/// The ends of the names of the machine's instructions that are ordered by themselves, and of those that are ordered no
/// less: release, acquire, both.
const ORDERED: &[(&str, &str)] = &[("_RL", "_AQRL"), ("_AQ", "_AQRL"), ("_AQRL", "_AQRL")];

/// The same of AArch64's operations on memory, where letters before the size say it: `LDADDLB`, `LDADDAB`, `LDADDALB`.
const ORDERED_OPERATIONS: &[&str] =
    &["LDADD", "LDCLR", "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN", "SWP", "CAS"];

/// Instructions of AArch64 that are ordered, before their size.
const ORDERED_ACCESSES: &[&str] = &[
    "LDAR",
    "STLR",
    "LDAXR",
    "STLXR",
    "LDAXP",
    "STLXP",
    "CMP_SWAP_",
    "ATOMIC_LOAD_NAND_",
    "ATOMIC_LOAD_MAX_",
    "ATOMIC_LOAD_MIN_",
    "ATOMIC_LOAD_UMAX_",
    "ATOMIC_LOAD_UMIN_",
];

/// The name of what is ordered no less, for an instruction that is ordered by itself.
fn as_ordered(name: &str) -> Option<String> {
    let by_suffix = ORDERED.iter().find_map(|(own, all)| Some(format!("{}{all}", name.strip_suffix(own)?)));
    let by_letters = || {
        let operation = ORDERED_OPERATIONS.iter().find(|operation| name.starts_with(**operation))?;
        let (letters, size) = name[operation.len()..].split_at_checked(name.len() - operation.len() - 1)?;
        ["A", "L", "AL"].contains(&letters).then(|| format!("{operation}AL{size}"))
    };
    let is_size = |rest: &str| ["B", "H", "W", "X", "8", "16", "32", "64"].contains(&rest);
    let accesses = || ORDERED_ACCESSES.iter().any(|access| name.strip_prefix(access).is_some_and(is_size));
    by_suffix.or_else(by_letters).or_else(|| accesses().then(|| name.to_string()))
}

/// The reason why the changed function refines the first; `None` if there is none.
pub fn argument(specimen: &Specimen, change: &Change) -> Option<&'static str> {
    let opcode = specimen.function.inst(specimen.inst).opcode;
    let commutes = opcode.info().is_some_and(|info| info.flags.contains(OpcodeFlags::COMMUTABLE));
    if change.kind == "order of operands" && commutes {
        return Some("The row says that the first two operands commute.");
    }
    if opcode.family() == Some(Family::Prefetch) && change.kind != "opcode" {
        return Some("A prefetch is advice: no behaviour depends on what it names, or on whether it is there.");
    }
    let is_machine = matches!(opcode, Opcode::Target(_));
    let of_target = |word: &str| word != specimen.target.name;
    let name = specimen.name.split(' ').find(|word| of_target(word)).unwrap_or_default();
    let applies = |row: &&Row| {
        let named = if row.names.is_empty() { is_machine } else { row.names.contains(&name) };
        row.kind == change.kind && named && change.detail.contains(row.detail)
    };
    let is_unsigned = ["FCVT_WU_H", "FCVT_LU_H", "FCVT_WU_S", "FCVT_LU_S", "FCVT_WU_D", "FCVT_LU_D"].contains(&name);
    let rounds_down = || change.after.inst(specimen.inst).imm(2) == Some(RoundingMode::Down as i64);
    if change.kind == "immediate" && is_unsigned && rounds_down() {
        return Some("Of a negative number the nearest unsigned integer is 0, rounded down or towards zero.");
    }
    match (change.kind, as_ordered(name)) {
        ("ordering", Some(_)) => {
            return Some("The machine's row says how such an access is ordered, whatever its memory operand says.");
        }
        ("opcode", Some(all)) if change.detail == all => {
            return Some("An access that acquires and releases keeps more in order.");
        }
        _ => {}
    }
    ROWS.iter().find(applies).map(|row| row.argument)
}
