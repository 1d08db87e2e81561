//! The registers of integers and of floating point, and the moves between them and the stack.
//!
//! A floating-point register has 64 bits. One that holds a narrower number has ones above it (NaN boxing; volume I,
//! "NaN Boxing of Narrower Values"). The rounding mode `frm` reads as zero: to nearest, as LLVM assumes.

use super::features::{D, F};
use super::instructions::{
    ADDI, FLD, FLW, FMV_D_X, FMV_W_X, FMV_X_D, FMV_X_W, FSD, FSGNJ_D, FSGNJ_S, FSW, LD, LW, SD, SW,
};
use crate::Features;
use crate::moves::CopyDesc;
use crate::registers::{BankDesc, ClassDesc, NarrowerMoves, RegisterDesc, RegisterFile, SubRegDesc};
use crate::selection::{Emit, Out};
use tribunal_ir::{PReg, Preserved, RegBank, RegClass, RegMask, TargetOpcode};

macro_rules! registers {
    ($($number:literal $name:literal $abi:literal)*; $($float:literal $d:literal $f:literal $h:literal $float_abi:literal)*) => {
        /// `x0` to `x31` by number, `f0_d` to `f31_d`, their low parts of 32 and of 16 bits, and `frm`, `fflags`.
        pub static REGISTERS: &[RegisterDesc] = &[
            $(r($name, $abi, 64, $number, $number),)*
            $(r($d, $float_abi, 64, 32 + $float, $float),)*
            $(r($f, $float_abi, 32, 32 + $float, $float),)*
            $(r($h, $float_abi, 16, 32 + $float, $float),)*
            r("frm", "frm", 3, 128, 0),
            r("fflags", "fflags", 5, 129, 0),
        ];

        /// The same with general registers of 32 bits.
        pub static REGISTERS_32: &[RegisterDesc] = &[
            $(r($name, $abi, 32, $number, $number),)*
            $(r($d, $float_abi, 64, 32 + $float, $float),)*
            $(r($f, $float_abi, 32, 32 + $float, $float),)*
            $(r($h, $float_abi, 16, 32 + $float, $float),)*
            r("frm", "frm", 3, 128, 0),
            r("fflags", "fflags", 5, 129, 0),
        ];
    };
}

const fn r(name: &'static str, assembly: &'static str, bits: u32, full: u16, encoding: u8) -> RegisterDesc {
    RegisterDesc { name, assembly, bits, full: PReg(full), encoding }
}

registers! {
    0 "x0" "zero"   1 "x1" "ra"     2 "x2" "sp"     3 "x3" "gp"
    4 "x4" "tp"     5 "x5" "t0"     6 "x6" "t1"     7 "x7" "t2"
    8 "x8" "s0"     9 "x9" "s1"     10 "x10" "a0"   11 "x11" "a1"
    12 "x12" "a2"   13 "x13" "a3"   14 "x14" "a4"   15 "x15" "a5"
    16 "x16" "a6"   17 "x17" "a7"   18 "x18" "s2"   19 "x19" "s3"
    20 "x20" "s4"   21 "x21" "s5"   22 "x22" "s6"   23 "x23" "s7"
    24 "x24" "s8"   25 "x25" "s9"   26 "x26" "s10"  27 "x27" "s11"
    28 "x28" "t3"   29 "x29" "t4"   30 "x30" "t5"   31 "x31" "t6";
    0 "f0_d" "f0_f" "f0_h" "ft0"  1 "f1_d" "f1_f" "f1_h" "ft1"
    2 "f2_d" "f2_f" "f2_h" "ft2"  3 "f3_d" "f3_f" "f3_h" "ft3"
    4 "f4_d" "f4_f" "f4_h" "ft4"  5 "f5_d" "f5_f" "f5_h" "ft5"
    6 "f6_d" "f6_f" "f6_h" "ft6"  7 "f7_d" "f7_f" "f7_h" "ft7"
    8 "f8_d" "f8_f" "f8_h" "fs0"  9 "f9_d" "f9_f" "f9_h" "fs1"
    10 "f10_d" "f10_f" "f10_h" "fa0"  11 "f11_d" "f11_f" "f11_h" "fa1"
    12 "f12_d" "f12_f" "f12_h" "fa2"  13 "f13_d" "f13_f" "f13_h" "fa3"
    14 "f14_d" "f14_f" "f14_h" "fa4"  15 "f15_d" "f15_f" "f15_h" "fa5"
    16 "f16_d" "f16_f" "f16_h" "fa6"  17 "f17_d" "f17_f" "f17_h" "fa7"
    18 "f18_d" "f18_f" "f18_h" "fs2"  19 "f19_d" "f19_f" "f19_h" "fs3"
    20 "f20_d" "f20_f" "f20_h" "fs4"  21 "f21_d" "f21_f" "f21_h" "fs5"
    22 "f22_d" "f22_f" "f22_h" "fs6"  23 "f23_d" "f23_f" "f23_h" "fs7"
    24 "f24_d" "f24_f" "f24_h" "fs8"  25 "f25_d" "f25_f" "f25_h" "fs9"
    26 "f26_d" "f26_f" "f26_h" "fs10"  27 "f27_d" "f27_f" "f27_h" "fs11"
    28 "f28_d" "f28_f" "f28_h" "ft8"  29 "f29_d" "f29_f" "f29_h" "ft9"
    30 "f30_d" "f30_f" "f30_h" "ft10"  31 "f31_d" "f31_f" "f31_h" "ft11"
}

/// The register `xN`.
pub const fn x(number: u16) -> PReg {
    assert!(number < 32);
    PReg(number)
}

/// The floating-point register `fN`, all of it.
pub const fn f(number: u16) -> PReg {
    assert!(number < 32);
    PReg(32 + number)
}

/// The rounding mode.
pub const FRM: PReg = PReg(128);
/// The flags of exceptions.
pub const FFLAGS: PReg = PReg(129);

/// Hard-wired to zero.
pub const ZERO: PReg = x(0);
/// The return address.
pub const RA: PReg = x(1);
/// The stack pointer.
pub const SP: PReg = x(2);
/// The thread pointer.
pub const TP: PReg = x(4);
/// Left to the frame pass for far offsets.
pub const SCRATCH: PReg = x(31);

const ALL: &[PReg] = &{
    let mut all = [PReg(0); 32];
    let mut number = 0;
    while number < 32 {
        all[number as usize] = x(number);
        number += 1;
    }
    all
};

const NOT_ZERO: &[PReg] = ALL.split_at(1).1;

/// Arguments, temporaries and the return address first; callee-saved ones cost a save.
const ALLOCATABLE: &[PReg] = &[
    x(10),
    x(11),
    x(12),
    x(13),
    x(14),
    x(15),
    x(16),
    x(17),
    x(5),
    x(6),
    x(7),
    x(28),
    x(29),
    x(30),
    x(8),
    x(9),
    x(18),
    x(19),
    x(20),
    x(21),
    x(22),
    x(23),
    x(24),
    x(25),
    x(26),
    x(27),
];

/// All registers.
pub const GPR: RegClass = RegClass(0);

/// All registers but those by which a jump is taken for a return, or for a call.
pub const GPRJALR: RegClass = RegClass(2);
/// Those of `GPRJALR` that are not callee-saved.
pub const GPRTC: RegClass = RegClass(3);

const AFTER_T0: &[PReg] = ALL.split_at(6).1;
const TAIL: &[PReg] = &[x(6), x(7), x(10), x(11), x(12), x(13), x(14), x(15), x(16), x(17), x(28), x(29), x(30), x(31)];
/// Callees stand in registers that pass no argument.
const CALLEES: &[PReg] = &[x(7), x(28), x(29), x(30)];

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

/// The same in the order of allocation: arguments and temporaries first.
const fn given(first: u16) -> [PReg; 32] {
    let mut given = [PReg(first); 32];
    let order: [u16; 32] = [
        10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2, 3, 4, 5, 6, 7, 28, 29, 30, 31, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27,
    ];
    let mut place = 0;
    while place < 32 {
        given[place] = PReg(first + order[place]);
        place += 1;
    }
    given
}

/// The first of the registers of 64, 32 and 16 bits.
const D0: u16 = 32;
const F0: u16 = 64;
const H0: u16 = 96;

const ALL_D: &[PReg] = &all(D0);
const ALL_F: &[PReg] = &all(F0);
const ALL_H: &[PReg] = &all(H0);
const GIVEN_D: &[PReg] = &given(D0);
const GIVEN_F: &[PReg] = &given(F0);
const GIVEN_H: &[PReg] = &given(H0);

/// The floating-point registers of 64 bits.
pub const FPR64: RegClass = RegClass(4);
/// Their low parts of 32 bits.
pub const FPR32: RegClass = RegClass(5);
/// Their low parts of 16 bits.
pub const FPR16: RegClass = RegClass(6);

const fn classes(bits: u32) -> [ClassDesc; 7] {
    let bank = GPRB;
    [
        ClassDesc { name: "gpr", bits, bank, members: ALL, allocatable: ALLOCATABLE },
        ClassDesc { name: "gprnox0", bits, bank, members: NOT_ZERO, allocatable: ALLOCATABLE },
        ClassDesc { name: "gprjalr", bits, bank, members: AFTER_T0, allocatable: CALLEES },
        ClassDesc { name: "gprtc", bits, bank, members: TAIL, allocatable: CALLEES },
        ClassDesc { name: "fpr64", bits: 64, bank: FPRB, members: ALL_D, allocatable: GIVEN_D },
        ClassDesc { name: "fpr32", bits: 32, bank: FPRB, members: ALL_F, allocatable: GIVEN_F },
        ClassDesc { name: "fpr16", bits: 16, bank: FPRB, members: ALL_H, allocatable: GIVEN_H },
    ]
}

/// The ABIs differ in registers for floating point alone: that of integers preserves none of them, and that of `float`
/// none whole.
pub static REGISTER_MASKS: &[(&str, Preserved)] = &[
    ("csr_ilp32_lp64", Preserved::General),
    ("csr_ilp32f_lp64f", Preserved::General),
    ("csr_ilp32d_lp64d", Preserved::CalleeSaved),
    ("csr_noregs", Preserved::Nothing),
];

/// `csr_ilp32_lp64`: the mask of the integer calling convention.
pub const SOFT_FLOAT_MASK: RegMask = RegMask(0);
/// `csr_ilp32f_lp64f`: that of the convention that passes `float` in registers of floating point.
pub const SINGLE_FLOAT_MASK: RegMask = RegMask(1);
/// `csr_ilp32d_lp64d`: that of the convention that passes `double` in registers of floating point.
pub const DOUBLE_FLOAT_MASK: RegMask = RegMask(2);

/// One row a class of RV64, at the place of its number.
pub static CLASSES: &[ClassDesc] = &classes(64);
/// One row a class of RV32, at the place of its number.
pub static CLASSES_32: &[ClassDesc] = &classes(32);

/// Integers and pointers.
pub const GPRB: RegBank = RegBank(0);
/// Floating point.
pub const FPRB: RegBank = RegBank(1);

const DX: Out = Out::Def(GPR);

const fn bank(max_bits: u32, store: TargetOpcode, load: TargetOpcode) -> BankDesc {
    BankDesc {
        name: "gprb",
        max_bits,
        class: GPR,
        file: RegisterFile::General,
        spill: Emit::new(store, &[Out::Reg(0), Out::Address(0)]),
        reload: Emit::new(load, &[DX, Out::Address(0)]),
        requires: Features::empty(),
        narrower: None,
        boxes: false,
    }
}

const FLOATS: BankDesc = BankDesc {
    name: "fprb",
    max_bits: 64,
    class: FPR64,
    file: RegisterFile::Float,
    spill: Emit::new(FSD, &[Out::Reg(0), Out::Address(0)]),
    reload: Emit::new(FLD, &[Out::Def(FPR64), Out::Address(0)]),
    requires: F,
    narrower: Some(NarrowerMoves {
        without: D,
        class: FPR32,
        spill: Emit::new(FSW, &[Out::Reg(0), Out::Address(0)]),
        reload: Emit::new(FLW, &[Out::Def(FPR32), Out::Address(0)]),
    }),
    boxes: true,
};

/// The banks of RV64.
pub static BANKS: &[BankDesc] = &[bank(64, SD, LD), FLOATS];
/// The banks of RV32.
pub static BANKS_32: &[BankDesc] = &[bank(32, SW, LW), FLOATS];

const fn copy(name: &'static str, to: RegClass, from: RegClass, code: Emit) -> CopyDesc {
    CopyDesc { name, to, from, code }
}

const INTEGERS: CopyDesc = copy("riscv copy", GPR, GPR, Emit::new(ADDI, &[DX, Out::Reg(0), Out::Const(0)]));
const DOUBLES: CopyDesc =
    copy("riscv copy_double", FPR64, FPR64, Emit::new(FSGNJ_D, &[Out::Def(FPR64), Out::Reg(0), Out::Reg(0)]));
const FLOATS_ALONE: CopyDesc =
    copy("riscv copy_float", FPR32, FPR32, Emit::new(FSGNJ_S, &[Out::Def(FPR32), Out::Reg(0), Out::Reg(0)]));
/// One row a pair of classes between which values are copied.
pub static COPIES: &[CopyDesc] = &[
    INTEGERS,
    DOUBLES,
    FLOATS_ALONE,
    copy("riscv copy_double_from_integer", FPR64, GPR, Emit::new(FMV_D_X, &[Out::Def(FPR64), Out::Reg(0)])),
    copy("riscv copy_integer_from_double", GPR, FPR64, Emit::new(FMV_X_D, &[DX, Out::Reg(0)])),
];
/// The same of RV32, whose integers are as wide as `float`.
pub static COPIES_32: &[CopyDesc] = &[
    INTEGERS,
    DOUBLES,
    FLOATS_ALONE,
    copy("riscv copy_float_from_integer", FPR32, GPR, Emit::new(FMV_W_X, &[Out::Def(FPR32), Out::Reg(0)])),
    copy("riscv copy_integer_from_float", GPR, FPR32, Emit::new(FMV_X_W, &[DX, Out::Reg(0)])),
];
/// The row of the whole register: RISC-V has no subregisters.
pub static SUBREGISTERS: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 64 }];
/// RV32 has no subregisters.
pub static SUBREGISTERS_32: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 32 }];
