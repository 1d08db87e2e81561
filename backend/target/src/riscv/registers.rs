//! The integer registers, and the moves between them and the stack.

use super::instructions::{ADDI, LD, LW, SD, SW};
use crate::moves::CopyDesc;
use crate::registers::{BankDesc, ClassDesc, RegisterDesc, RegisterFile, SubRegDesc};
use crate::selection::{Emit, Out};
use tribunal_ir::{PReg, Preserved, RegBank, RegClass, RegMask, TargetOpcode};

macro_rules! registers {
    ($($number:literal $name:literal $abi:literal)*) => {
        /// `x0` to `x31`, by number.
        pub static REGISTERS: &[RegisterDesc] = &[$(RegisterDesc {
            name: $name, assembly: $abi, bits: 64, full: PReg($number), encoding: $number,
        }),*];

        /// The same registers of 32 bits.
        pub static REGISTERS_32: &[RegisterDesc] = &[$(RegisterDesc {
            name: $name, assembly: $abi, bits: 32, full: PReg($number), encoding: $number,
        }),*];
    };
}

registers! {
    0 "x0" "zero"   1 "x1" "ra"     2 "x2" "sp"     3 "x3" "gp"
    4 "x4" "tp"     5 "x5" "t0"     6 "x6" "t1"     7 "x7" "t2"
    8 "x8" "s0"     9 "x9" "s1"     10 "x10" "a0"   11 "x11" "a1"
    12 "x12" "a2"   13 "x13" "a3"   14 "x14" "a4"   15 "x15" "a5"
    16 "x16" "a6"   17 "x17" "a7"   18 "x18" "s2"   19 "x19" "s3"
    20 "x20" "s4"   21 "x21" "s5"   22 "x22" "s6"   23 "x23" "s7"
    24 "x24" "s8"   25 "x25" "s9"   26 "x26" "s10"  27 "x27" "s11"
    28 "x28" "t3"   29 "x29" "t4"   30 "x30" "t5"   31 "x31" "t6"
}

/// The register `xN`.
pub const fn x(number: u16) -> PReg {
    assert!(number < 32);
    PReg(number)
}

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

const fn classes(bits: u32) -> [ClassDesc; 4] {
    let bank = GPRB;
    [
        ClassDesc { name: "gpr", bits, bank, members: ALL, allocatable: ALLOCATABLE },
        ClassDesc { name: "gprnox0", bits, bank, members: NOT_ZERO, allocatable: ALLOCATABLE },
        ClassDesc { name: "gprjalr", bits, bank, members: AFTER_T0, allocatable: CALLEES },
        ClassDesc { name: "gprtc", bits, bank, members: TAIL, allocatable: CALLEES },
    ]
}

/// The ABIs differ in registers for floating point alone.
pub static REGISTER_MASKS: &[(&str, Preserved)] = &[
    ("csr_ilp32_lp64", Preserved::CalleeSaved),
    ("csr_ilp32f_lp64f", Preserved::CalleeSaved),
    ("csr_ilp32d_lp64d", Preserved::CalleeSaved),
    ("csr_noregs", Preserved::Nothing),
];

/// `csr_ilp32_lp64`: the mask of the integer calling convention.
pub const SOFT_FLOAT_MASK: RegMask = RegMask(0);

/// One row a class of RV64, at the place of its number.
pub static CLASSES: &[ClassDesc] = &classes(64);
/// One row a class of RV32, at the place of its number.
pub static CLASSES_32: &[ClassDesc] = &classes(32);

/// Integers and pointers.
pub const GPRB: RegBank = RegBank(0);

const D: Out = Out::Def(GPR);

const fn bank(max_bits: u32, store: TargetOpcode, load: TargetOpcode) -> BankDesc {
    BankDesc {
        name: "gprb",
        max_bits,
        class: GPR,
        file: RegisterFile::General,
        spill: Emit::new(store, &[Out::Reg(0), Out::Address(0)]),
        reload: Emit::new(load, &[D, Out::Address(0)]),
    }
}

/// The one bank of RV64.
pub static BANKS: &[BankDesc] = &[bank(64, SD, LD)];
/// The one bank of RV32.
pub static BANKS_32: &[BankDesc] = &[bank(32, SW, LW)];
/// One row a pair of banks: here one.
pub static COPIES: &[CopyDesc] =
    &[CopyDesc { to: GPRB, from: GPRB, code: Emit::new(ADDI, &[D, Out::Reg(0), Out::Const(0)]) }];
/// The row of the whole register: RISC-V has no subregisters.
pub static SUBREGISTERS: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 64 }];
/// RV32 has no subregisters.
pub static SUBREGISTERS_32: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 32 }];
