//! The general registers, their 32-bit parts, the flags, and the moves between registers and the stack.

use super::instructions::{LDRXui, ORRXrr, STRXui};
use crate::moves::CopyDesc;
use crate::registers::{BankDesc, ClassDesc, RegisterDesc, RegisterFile, SubRegDesc};
use crate::selection::{Emit, Out};
use tribunal_ir::{PReg, Preserved, RegBank, RegClass, RegMask, SubReg};

const fn r(name: &'static str, assembly: &'static str, bits: u32, full: u16, encoding: u8) -> RegisterDesc {
    RegisterDesc { name, assembly, bits, full: PReg(full), encoding }
}

/// X registers by number, the stack pointer, zero, the flags, then their lower halves.
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

/// The one bank: integers and pointers.
pub static BANKS: &[BankDesc] = &[BankDesc {
    name: "gpr",
    max_bits: 64,
    class: GPR64,
    file: RegisterFile::General,
    spill: Emit::new(STRXui, &[Out::Reg(0), Out::Address(0)]),
    reload: Emit::new(LDRXui, &[Out::Def(GPR64), Out::Address(0)]),
}];
/// One row a pair of banks: here one.
pub static COPIES: &[CopyDesc] =
    &[CopyDesc { to: GPR, from: GPR, code: Emit::new(ORRXrr, &[Out::Def(GPR64), Out::Phys(XZR), Out::Reg(0)]) }];

/// The low half of a 64-bit register.
pub const SUB_32: SubReg = SubReg(1);
/// The index of no subregister, then `sub_32`.
pub static SUBREGISTERS: &[SubRegDesc] = &[SubRegDesc { name: "", bits: 64 }, SubRegDesc { name: "sub_32", bits: 32 }];
