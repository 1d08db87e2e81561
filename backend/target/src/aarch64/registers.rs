//! The general registers, their 32-bit parts, the flags, the registers of floating point and vectors with their parts,
//! and the moves between registers and the stack.

use super::instructions::{FMOVDXr, FMOVSWr, FMOVWSr, FMOVXDr, LDRQui, LDRXui, ORRXrr, ORRv16i8, STRQui, STRXui};
use crate::Features;
use crate::moves::CopyDesc;
use crate::registers::{BankDesc, ClassDesc, RegisterDesc, RegisterFile, SubRegDesc};
use crate::selection::{Emit, Out};
use tribunal_ir::{PReg, Preserved, RegBank, RegClass, RegMask, SubReg, TargetOpcode};

const fn r(name: &'static str, assembly: &'static str, bits: u32, full: u16, encoding: u8) -> RegisterDesc {
    RegisterDesc { name, assembly, bits, full: PReg(full), encoding }
}

/// X registers by number, the stack pointer, zero, their lower halves, the flags, then Q registers by
/// number and their lower parts.
pub static REGISTERS: &[RegisterDesc] = &[
    r("x0", "x0", 64, 0, 0),
    r("x1", "x1", 64, 1, 1),
    r("x2", "x2", 64, 2, 2),
    r("x3", "x3", 64, 3, 3),
    r("x4", "x4", 64, 4, 4),
    r("x5", "x5", 64, 5, 5),
    r("x6", "x6", 64, 6, 6),
    r("x7", "x7", 64, 7, 7),
    r("x8", "x8", 64, 8, 8),
    r("x9", "x9", 64, 9, 9),
    r("x10", "x10", 64, 10, 10),
    r("x11", "x11", 64, 11, 11),
    r("x12", "x12", 64, 12, 12),
    r("x13", "x13", 64, 13, 13),
    r("x14", "x14", 64, 14, 14),
    r("x15", "x15", 64, 15, 15),
    r("x16", "x16", 64, 16, 16),
    r("x17", "x17", 64, 17, 17),
    r("x18", "x18", 64, 18, 18),
    r("x19", "x19", 64, 19, 19),
    r("x20", "x20", 64, 20, 20),
    r("x21", "x21", 64, 21, 21),
    r("x22", "x22", 64, 22, 22),
    r("x23", "x23", 64, 23, 23),
    r("x24", "x24", 64, 24, 24),
    r("x25", "x25", 64, 25, 25),
    r("x26", "x26", 64, 26, 26),
    r("x27", "x27", 64, 27, 27),
    r("x28", "x28", 64, 28, 28),
    r("fp", "x29", 64, 29, 29),
    r("lr", "x30", 64, 30, 30),
    r("sp", "sp", 64, 31, 31),
    r("xzr", "xzr", 64, 32, 31),
    r("w0", "w0", 32, 0, 0),
    r("w1", "w1", 32, 1, 1),
    r("w2", "w2", 32, 2, 2),
    r("w3", "w3", 32, 3, 3),
    r("w4", "w4", 32, 4, 4),
    r("w5", "w5", 32, 5, 5),
    r("w6", "w6", 32, 6, 6),
    r("w7", "w7", 32, 7, 7),
    r("w8", "w8", 32, 8, 8),
    r("w9", "w9", 32, 9, 9),
    r("w10", "w10", 32, 10, 10),
    r("w11", "w11", 32, 11, 11),
    r("w12", "w12", 32, 12, 12),
    r("w13", "w13", 32, 13, 13),
    r("w14", "w14", 32, 14, 14),
    r("w15", "w15", 32, 15, 15),
    r("w16", "w16", 32, 16, 16),
    r("w17", "w17", 32, 17, 17),
    r("w18", "w18", 32, 18, 18),
    r("w19", "w19", 32, 19, 19),
    r("w20", "w20", 32, 20, 20),
    r("w21", "w21", 32, 21, 21),
    r("w22", "w22", 32, 22, 22),
    r("w23", "w23", 32, 23, 23),
    r("w24", "w24", 32, 24, 24),
    r("w25", "w25", 32, 25, 25),
    r("w26", "w26", 32, 26, 26),
    r("w27", "w27", 32, 27, 27),
    r("w28", "w28", 32, 28, 28),
    r("w29", "w29", 32, 29, 29),
    r("w30", "w30", 32, 30, 30),
    r("wsp", "wsp", 32, 31, 31),
    r("wzr", "wzr", 32, 32, 31),
    r("nzcv", "nzcv", 4, 66, 0),
    r("q0", "q0", 128, 67, 0),
    r("q1", "q1", 128, 68, 1),
    r("q2", "q2", 128, 69, 2),
    r("q3", "q3", 128, 70, 3),
    r("q4", "q4", 128, 71, 4),
    r("q5", "q5", 128, 72, 5),
    r("q6", "q6", 128, 73, 6),
    r("q7", "q7", 128, 74, 7),
    r("q8", "q8", 128, 75, 8),
    r("q9", "q9", 128, 76, 9),
    r("q10", "q10", 128, 77, 10),
    r("q11", "q11", 128, 78, 11),
    r("q12", "q12", 128, 79, 12),
    r("q13", "q13", 128, 80, 13),
    r("q14", "q14", 128, 81, 14),
    r("q15", "q15", 128, 82, 15),
    r("q16", "q16", 128, 83, 16),
    r("q17", "q17", 128, 84, 17),
    r("q18", "q18", 128, 85, 18),
    r("q19", "q19", 128, 86, 19),
    r("q20", "q20", 128, 87, 20),
    r("q21", "q21", 128, 88, 21),
    r("q22", "q22", 128, 89, 22),
    r("q23", "q23", 128, 90, 23),
    r("q24", "q24", 128, 91, 24),
    r("q25", "q25", 128, 92, 25),
    r("q26", "q26", 128, 93, 26),
    r("q27", "q27", 128, 94, 27),
    r("q28", "q28", 128, 95, 28),
    r("q29", "q29", 128, 96, 29),
    r("q30", "q30", 128, 97, 30),
    r("q31", "q31", 128, 98, 31),
    r("d0", "d0", 64, 67, 0),
    r("d1", "d1", 64, 68, 1),
    r("d2", "d2", 64, 69, 2),
    r("d3", "d3", 64, 70, 3),
    r("d4", "d4", 64, 71, 4),
    r("d5", "d5", 64, 72, 5),
    r("d6", "d6", 64, 73, 6),
    r("d7", "d7", 64, 74, 7),
    r("d8", "d8", 64, 75, 8),
    r("d9", "d9", 64, 76, 9),
    r("d10", "d10", 64, 77, 10),
    r("d11", "d11", 64, 78, 11),
    r("d12", "d12", 64, 79, 12),
    r("d13", "d13", 64, 80, 13),
    r("d14", "d14", 64, 81, 14),
    r("d15", "d15", 64, 82, 15),
    r("d16", "d16", 64, 83, 16),
    r("d17", "d17", 64, 84, 17),
    r("d18", "d18", 64, 85, 18),
    r("d19", "d19", 64, 86, 19),
    r("d20", "d20", 64, 87, 20),
    r("d21", "d21", 64, 88, 21),
    r("d22", "d22", 64, 89, 22),
    r("d23", "d23", 64, 90, 23),
    r("d24", "d24", 64, 91, 24),
    r("d25", "d25", 64, 92, 25),
    r("d26", "d26", 64, 93, 26),
    r("d27", "d27", 64, 94, 27),
    r("d28", "d28", 64, 95, 28),
    r("d29", "d29", 64, 96, 29),
    r("d30", "d30", 64, 97, 30),
    r("d31", "d31", 64, 98, 31),
    r("s0", "s0", 32, 67, 0),
    r("s1", "s1", 32, 68, 1),
    r("s2", "s2", 32, 69, 2),
    r("s3", "s3", 32, 70, 3),
    r("s4", "s4", 32, 71, 4),
    r("s5", "s5", 32, 72, 5),
    r("s6", "s6", 32, 73, 6),
    r("s7", "s7", 32, 74, 7),
    r("s8", "s8", 32, 75, 8),
    r("s9", "s9", 32, 76, 9),
    r("s10", "s10", 32, 77, 10),
    r("s11", "s11", 32, 78, 11),
    r("s12", "s12", 32, 79, 12),
    r("s13", "s13", 32, 80, 13),
    r("s14", "s14", 32, 81, 14),
    r("s15", "s15", 32, 82, 15),
    r("s16", "s16", 32, 83, 16),
    r("s17", "s17", 32, 84, 17),
    r("s18", "s18", 32, 85, 18),
    r("s19", "s19", 32, 86, 19),
    r("s20", "s20", 32, 87, 20),
    r("s21", "s21", 32, 88, 21),
    r("s22", "s22", 32, 89, 22),
    r("s23", "s23", 32, 90, 23),
    r("s24", "s24", 32, 91, 24),
    r("s25", "s25", 32, 92, 25),
    r("s26", "s26", 32, 93, 26),
    r("s27", "s27", 32, 94, 27),
    r("s28", "s28", 32, 95, 28),
    r("s29", "s29", 32, 96, 29),
    r("s30", "s30", 32, 97, 30),
    r("s31", "s31", 32, 98, 31),
    r("h0", "h0", 16, 67, 0),
    r("h1", "h1", 16, 68, 1),
    r("h2", "h2", 16, 69, 2),
    r("h3", "h3", 16, 70, 3),
    r("h4", "h4", 16, 71, 4),
    r("h5", "h5", 16, 72, 5),
    r("h6", "h6", 16, 73, 6),
    r("h7", "h7", 16, 74, 7),
    r("h8", "h8", 16, 75, 8),
    r("h9", "h9", 16, 76, 9),
    r("h10", "h10", 16, 77, 10),
    r("h11", "h11", 16, 78, 11),
    r("h12", "h12", 16, 79, 12),
    r("h13", "h13", 16, 80, 13),
    r("h14", "h14", 16, 81, 14),
    r("h15", "h15", 16, 82, 15),
    r("h16", "h16", 16, 83, 16),
    r("h17", "h17", 16, 84, 17),
    r("h18", "h18", 16, 85, 18),
    r("h19", "h19", 16, 86, 19),
    r("h20", "h20", 16, 87, 20),
    r("h21", "h21", 16, 88, 21),
    r("h22", "h22", 16, 89, 22),
    r("h23", "h23", 16, 90, 23),
    r("h24", "h24", 16, 91, 24),
    r("h25", "h25", 16, 92, 25),
    r("h26", "h26", 16, 93, 26),
    r("h27", "h27", 16, 94, 27),
    r("h28", "h28", 16, 95, 28),
    r("h29", "h29", 16, 96, 29),
    r("h30", "h30", 16, 97, 30),
    r("h31", "h31", 16, 98, 31),
    r("fpcr", "fpcr", 32, 195, 0),
    r("fpsr", "fpsr", 32, 196, 0),
];

/// The register `xN`; 29 is the frame pointer, 30 the link register.
pub const fn x(number: u16) -> PReg {
    assert!(number < 31);
    PReg(number)
}

/// The register `wN`.
pub const fn w(number: u16) -> PReg {
    assert!(number < 31);
    PReg(33 + number)
}

/// The return address.
pub const LR: PReg = x(30);
/// The stack pointer.
pub const SP: PReg = PReg(31);
/// The zero register.
pub const XZR: PReg = PReg(32);
/// The lower half of the stack pointer.
pub const WSP: PReg = PReg(64);
/// The lower half of the zero register.
pub const WZR: PReg = PReg(65);
/// Negative, zero, carry, overflow: bits 3 to 0.
pub const NZCV: PReg = PReg(66);
/// The register `qN`, of floating point and vectors.
pub const fn q(number: u16) -> PReg {
    assert!(number < 32);
    PReg(67 + number)
}

/// The control register of floating point. In a function that is not strict it reads as zero, which is rounding to
/// nearest, as LLVM assumes.
pub const FPCR: PReg = PReg(195);
/// The status register of floating point.
pub const FPSR: PReg = PReg(196);
/// Left to the frame pass.
pub const SCRATCH: [PReg; 2] = [x(16), x(17)];

/// `first .. first + 31` and `more`: `N` in all.
const fn with<const N: usize>(first: u16, more: PReg) -> [PReg; N] {
    let mut all = [more; N];
    let mut number = 0;
    while number < 31 {
        all[number as usize] = PReg(first + number);
        number += 1;
    }
    all
}

const ALL64: &[PReg] = &with::<32>(0, XZR);
const SP64: &[PReg] = &with::<32>(0, SP);
/// With the stack pointer and the zero register, which share a number.
const BOTH64: &[PReg] = &{
    let mut both = with::<33>(0, SP);
    both[32] = XZR;
    both
};
const COMMON64: &[PReg] = ALL64.split_at(31).0;
const ALL32: &[PReg] = &with::<32>(33, WZR);
const SP32: &[PReg] = &with::<32>(33, WSP);
const BOTH32: &[PReg] = &{
    let mut both = with::<33>(33, WSP);
    both[32] = WZR;
    both
};
const COMMON32: &[PReg] = ALL32.split_at(31).0;

/// Arguments and temporaries first; x16 and x17 are scratch, x18 the platform's, fp and lr the frame's.
const GIVEN64: &[PReg] = &[
    x(0),
    x(1),
    x(2),
    x(3),
    x(4),
    x(5),
    x(6),
    x(7),
    x(8),
    x(9),
    x(10),
    x(11),
    x(12),
    x(13),
    x(14),
    x(15),
    x(19),
    x(20),
    x(21),
    x(22),
    x(23),
    x(24),
    x(25),
    x(26),
    x(27),
    x(28),
];
const GIVEN32: &[PReg] = &[
    w(0),
    w(1),
    w(2),
    w(3),
    w(4),
    w(5),
    w(6),
    w(7),
    w(8),
    w(9),
    w(10),
    w(11),
    w(12),
    w(13),
    w(14),
    w(15),
    w(19),
    w(20),
    w(21),
    w(22),
    w(23),
    w(24),
    w(25),
    w(26),
    w(27),
    w(28),
];

/// 32 registers from `first` on.
const fn all(first: u16) -> [PReg; 32] {
    let mut all = [PReg(first); 32];
    let mut number = 0;
    while number < 32 {
        all[number as usize] = PReg(first + number);
        number += 1;
    }
    all
}

/// Those of which a callee keeps no part: it keeps the lower halves of `q8` to `q15`.
const fn given(first: u16) -> [PReg; 24] {
    let mut given = [PReg(first); 24];
    let mut number = 0;
    while number < 24 {
        given[number as usize] = PReg(first + if number < 8 { number } else { number + 8 });
        number += 1;
    }
    given
}

/// The first of the lower halves, quarters and eighths of the Q registers.
const D0: u16 = 99;
const S0: u16 = 131;
const H0: u16 = 163;

/// The X registers and zero.
pub const GPR64: RegClass = RegClass(0);
/// The W registers and zero.
pub const GPR32: RegClass = RegClass(1);
/// The X registers and the stack pointer.
pub const GPR64SP: RegClass = RegClass(2);
/// The W registers and the lower half of the stack pointer.
pub const GPR32SP: RegClass = RegClass(3);
/// The X registers alone, which are in both classes of 64 bits.
pub const GPR64COMMON: RegClass = RegClass(4);
/// The X registers that are not callee-saved: a tail call goes through one of them.
pub const TCGPR64: RegClass = RegClass(8);
const TAIL64: &[PReg] = ALL64.split_at(19).0;
/// Those that pass no argument.
const CALLEES64: &[PReg] = &[x(9), x(10), x(11), x(12), x(13), x(14), x(15)];

/// The Q registers.
pub const FPR128: RegClass = RegClass(9);
/// Their lower halves.
pub const FPR64: RegClass = RegClass(10);
/// Their lower quarters.
pub const FPR32: RegClass = RegClass(11);
/// Their lowest 16 bits.
pub const FPR16: RegClass = RegClass(12);

const fn class(name: &'static str, bits: u32, members: &'static [PReg], allocatable: &'static [PReg]) -> ClassDesc {
    ClassDesc { name, bits, bank: GPR, members, allocatable }
}

/// One row a class, at the place of its number.
pub static CLASSES: &[ClassDesc] = &[
    class("gpr64", 64, ALL64, GIVEN64),
    class("gpr32", 32, ALL32, GIVEN32),
    class("gpr64sp", 64, SP64, GIVEN64),
    class("gpr32sp", 32, SP32, GIVEN32),
    class("gpr64common", 64, COMMON64, GIVEN64),
    class("gpr32common", 32, COMMON32, GIVEN32),
    class("gpr64all", 64, BOTH64, GIVEN64),
    class("gpr32all", 32, BOTH32, GIVEN32),
    class("tcgpr64", 64, TAIL64, CALLEES64),
    ClassDesc { name: "fpr128", bits: 128, bank: FPR, members: &all(67), allocatable: &given(67) },
    ClassDesc { name: "fpr64", bits: 64, bank: FPR, members: &all(D0), allocatable: &given(D0) },
    ClassDesc { name: "fpr32", bits: 32, bank: FPR, members: &all(S0), allocatable: &given(S0) },
    ClassDesc { name: "fpr16", bits: 16, bank: FPR, members: &all(H0), allocatable: &given(H0) },
];

/// Some preserve more than the usual convention: `thisreturn` the first argument, the others vectors or nearly all.
pub static REGISTER_MASKS: &[(&str, Preserved)] = &[
    ("csr_aarch64_aapcs", Preserved::CalleeSaved),
    ("csr_aarch64_aapcs_thisreturn", Preserved::More),
    ("csr_aarch64_aavpcs", Preserved::More),
    ("csr_aarch64_tls_elf", Preserved::More),
    ("csr_aarch64_noregs", Preserved::Nothing),
];

/// `csr_aarch64_aapcs`: the mask of the usual convention.
pub const AAPCS_MASK: RegMask = RegMask(0);

/// Integers and pointers.
pub const GPR: RegBank = RegBank(0);

/// Floating point and vectors.
pub const FPR: RegBank = RegBank(1);

/// One row a bank, at the place of its number.
pub static BANKS: &[BankDesc] = &[
    BankDesc {
        name: "gpr",
        max_bits: 64,
        class: GPR64,
        file: RegisterFile::General,
        spill: Emit::new(STRXui, &[Out::Reg(0), Out::Address(0)]),
        reload: Emit::new(LDRXui, &[Out::Def(GPR64), Out::Address(0)]),
        requires: Features::empty(),
        narrower: None,
        boxes: false,
    },
    BankDesc {
        name: "fpr",
        max_bits: 128,
        class: FPR128,
        file: RegisterFile::Float,
        spill: Emit::new(STRQui, &[Out::Reg(0), Out::Address(0)]),
        reload: Emit::new(LDRQui, &[Out::Def(FPR128), Out::Address(0)]),
        requires: Features::empty(),
        narrower: None,
        boxes: false,
    },
];
/// The move of a register of one class to one of another.
const fn moved(
    name: &'static str,
    to: RegClass,
    from: RegClass,
    opcode: TargetOpcode,
    code: &'static [Out],
) -> CopyDesc {
    CopyDesc { name, to, from, code: Emit::new(opcode, code) }
}

/// One row a pair of classes between which values are copied.
pub static COPIES: &[CopyDesc] = &[
    moved("aarch64 copy", GPR64, GPR64, ORRXrr, &[Out::Def(GPR64), Out::Phys(XZR), Out::Reg(0)]),
    moved("aarch64 copy_vector", FPR128, FPR128, ORRv16i8, &[Out::Def(FPR128), Out::Reg(0), Out::Reg(0)]),
    moved("aarch64 copy_double_from_integer", FPR64, GPR64, FMOVXDr, &[Out::Def(FPR64), Out::Reg(0)]),
    moved("aarch64 copy_integer_from_double", GPR64, FPR64, FMOVDXr, &[Out::Def(GPR64), Out::Reg(0)]),
    moved("aarch64 copy_float_from_integer", FPR32, GPR32, FMOVWSr, &[Out::Def(FPR32), Out::Reg(0)]),
    moved("aarch64 copy_integer_from_float", GPR32, FPR32, FMOVSWr, &[Out::Def(GPR32), Out::Reg(0)]),
];

/// The low half of a 64-bit register.
pub const SUB_32: SubReg = SubReg(1);
/// The lowest 16 bits of a register of floating point.
pub const HSUB: SubReg = SubReg(2);
/// The index of no subregister, then `sub_32` and the parts of a register of floating point.
pub static SUBREGISTERS: &[SubRegDesc] = &[
    SubRegDesc { name: "", bits: 64 },
    SubRegDesc { name: "sub_32", bits: 32 },
    SubRegDesc { name: "hsub", bits: 16 },
    SubRegDesc { name: "bsub", bits: 8 },
    SubRegDesc { name: "ssub", bits: 32 },
    SubRegDesc { name: "dsub", bits: 64 },
];
