//! Unicorn's description of each target: its machine, the options that it runs, and its number of each register.
//!
//! The numbers are Unicorn's, so the rows stand here and not with the targets. A target without a row has no engine:
//! its code runs in the machine stepper.

use crate::input::THREAD_POINTER;
use tribunal_ir::{Opcode, PReg};
use tribunal_target::aarch64::{self, AARCH64};
use tribunal_target::riscv::{self, RISCV32, RISCV64};
use tribunal_target::{Features, Target};
use unicorn_engine::{Arch, Arm64CpuModel, Mode, RegisterARM64, RegisterRISCV};

/// One machine of Unicorn.
pub(super) struct EngineDesc {
    target: &'static Target,
    pub arch: Arch,
    pub mode: Mode,
    /// Its model of the processor, unless the usual one will do.
    pub model: Option<Arm64CpuModel>,
    /// Options whose instructions it has.
    options: Features,
    /// Runs of registers that are consecutive in both numberings: the first, Unicorn's number of it, their count.
    registers: &'static [(PReg, i32, u16)],
    /// The same of registers that are wider than 64 bits, of which the former are the lower halves.
    wide: &'static [(PReg, i32, u16)],
    /// Unicorn's number and the contents of registers that are set once, before any code runs.
    pub set_up: &'static [(i32, u64)],
    /// Instructions that it computes wrongly: the bits that tell one, and their values.
    pub wrong: &'static [(u32, u32)],
    /// The same of instructions that leave wrong flags of floating point.
    pub wrong_flags: &'static [(u32, u32)],
}

/// Machine code, and what an engine must have to run it.
#[derive(Clone, Copy)]
pub struct CodeDesc<'a> {
    /// Options of the machine that it may rely on.
    pub features: Features,
    /// Its instructions; none of code that nobody has seen yet.
    pub bytes: &'a [u8],
    /// Whether somebody looks at the flags of floating point that it leaves.
    pub is_strict: bool,
}

/// `fmin` and `fmax` of both formats: those of QEMU 5 take a signalling NaN for a NaN, as before version 2.2 of F.
const EXTREMA: (u32, u32) = (0xfc00_607f, 0x2800_0053);

/// `fmadd`, `fmsub`, `fnmsub` and `fnmadd` of all formats: QEMU 5 raises nothing for an infinity by zero plus a quiet
/// NaN. The manual asks for the invalid flag, "even when the addend is a quiet NaN" (volume I, chapter "F").
const FUSED: (u32, u32) = (0x73, 0x43);

/// `ldsmax` and `ldsmin` of all sizes and orderings: QEMU 5 compares what it loads as if it had no sign.
const SIGNED_EXTREMA: (u32, u32) = (0x3f20_ec00, 0x3820_4000);

/// The bits of `mstatus` without which instructions of floating point are illegal (volume II, "Extension Context
/// Status").
const FLOATS_ON: u64 = 3 << 13;

/// Unicorn 2's RISC-V is QEMU 5's, older than Zba, Zbb, Zbs, Zicond, Zfhmin, Zfh and Zfa.
const RISCV: EngineDesc = EngineDesc {
    target: &RISCV64,
    arch: Arch::RISCV,
    mode: Mode::RISCV64,
    model: None,
    options: riscv::features::M
        .union(riscv::features::A)
        .union(riscv::features::C)
        .union(riscv::features::F)
        .union(riscv::features::D),
    registers: &[
        (riscv::registers::x(1), RegisterRISCV::X1 as i32, 31),
        (riscv::registers::f(0), RegisterRISCV::F0 as i32, 32),
        (riscv::registers::FRM, RegisterRISCV::FRM as i32, 1),
        (riscv::registers::FFLAGS, RegisterRISCV::FFLAGS as i32, 1),
    ],
    wide: &[],
    set_up: &[(RegisterRISCV::MSTATUS as i32, FLOATS_ON)],
    wrong: &[EXTREMA],
    wrong_flags: &[FUSED],
};

static ENGINES: &[EngineDesc] = &[
    RISCV,
    EngineDesc { target: &RISCV32, mode: Mode::RISCV32, ..RISCV },
    EngineDesc {
        target: &AARCH64,
        arch: Arch::ARM64,
        mode: Mode::LITTLE_ENDIAN,
        // The usual one is older than the operations on memory of Armv8.1, and those on halves of Armv8.2.
        model: Some(Arm64CpuModel::MAX),
        options: aarch64::features::LSE.union(aarch64::features::FULLFP16),
        registers: &[
            (aarch64::registers::x(0), RegisterARM64::X0 as i32, 29),
            (aarch64::registers::x(29), RegisterARM64::X29 as i32, 1),
            (aarch64::registers::LR, RegisterARM64::X30 as i32, 1),
            (aarch64::registers::SP, RegisterARM64::SP as i32, 1),
            (aarch64::registers::NZCV, RegisterARM64::NZCV as i32, 1),
            // Unicorn's numbers of the lower halves: many registers are set and read at once, as 64 bits each.
            (aarch64::registers::q(0), RegisterARM64::D0 as i32, 32),
            (aarch64::registers::FPCR, RegisterARM64::FPCR as i32, 1),
            (aarch64::registers::FPSR, RegisterARM64::FPSR as i32, 1),
        ],
        wide: &[(aarch64::registers::q(0), RegisterARM64::Q0 as i32, 32)],
        set_up: &[(RegisterARM64::TPIDR_EL0 as i32, THREAD_POINTER)],
        wrong: &[SIGNED_EXTREMA],
        wrong_flags: &[],
    },
];

impl EngineDesc {
    fn has(&self, features: Features) -> bool {
        (self.options | self.target.base()).contains(features)
    }

    /// The engine that runs this code rightly: it has all these features, or the code's instructions need no more than
    /// it has.
    pub fn for_code(target: &Target, code: CodeDesc<'_>) -> Option<&'static EngineDesc> {
        let CodeDesc { features, bytes, is_strict } = code;
        let row = ENGINES.iter().find(|row| row.target.name == target.name)?;
        let mut words =
            bytes.windows(4).step_by(2).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let has_all = row.has(features);
        // A word that merely looks like such an instruction counts too.
        let is_trouble = |word| row.is_wrong_about(word, is_strict) || !(has_all || row.knows(word));
        // Code that nobody has seen yet may have any instruction.
        let is_seen = has_all || !bytes.is_empty();
        (is_seen && !words.any(is_trouble)).then_some(row)
    }

    /// True if an instruction is computed wrongly, or its flags are where they count.
    fn is_wrong_about(&self, word: u32, is_strict: bool) -> bool {
        let flags = if is_strict { self.wrong_flags } else { &[] };
        self.wrong.iter().chain(flags).any(|&(mask, bits)| word & mask == bits)
    }

    /// False of an instruction that needs a feature that the engine lacks.
    fn knows(&self, word: u32) -> bool {
        let decoded = self.target.decode(word).map(|data| data.opcode);
        let Some(Opcode::Target(opcode)) = decoded else { return true };
        self.has(self.target.instruction(opcode).requires)
    }

    /// Its number of a full register, or of the lower half of a wide one.
    pub fn number(&self, register: PReg) -> Option<i32> {
        numbered(self.registers, register)
    }

    /// Its number of all of a register that is wider than 64 bits.
    pub fn wide_number(&self, register: PReg) -> Option<i32> {
        numbered(self.wide, register)
    }
}

fn numbered(runs: &[(PReg, i32, u16)], register: PReg) -> Option<i32> {
    runs.iter().find_map(|&(first, number, count)| {
        let offset = register.0.checked_sub(first.0).filter(|&offset| offset < count)?;
        Some(number + i32::from(offset))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_an_engine_that_has_its_registers() {
        for &target in tribunal_target::ALL {
            let unseen = CodeDesc { features: target.default_features, bytes: &[], is_strict: true };
            let engine = EngineDesc::for_code(target, unseen);
            let full = (0..).map(PReg).zip(target.registers).filter(|(register, row)| row.full == *register);
            for (register, row) in full.filter(|(register, _)| !target.vocabulary.is_zero_register(*register)) {
                let number = engine.and_then(|engine| engine.number(register));
                assert!(number.is_some(), "{} of {}", row.name, target.name);
            }
        }
    }

    /// Features that the engine lacks do not matter until an instruction needs one: `clz`, after `nop`.
    #[test]
    fn code_that_needs_no_missing_feature_runs_on_the_engine() {
        let (plain, special) = (0x0000_0013_u32, 0x6005_1513_u32);
        let features = RISCV64.default_features | riscv::features::ZBB;
        let has_engine = |words: &[u32]| has_engine(features, words, false);
        assert!(has_engine(&[plain, plain]) && !has_engine(&[plain, special]) && !has_engine(&[]));
    }

    /// Wrong flags matter where somebody looks: `fmadd.d`, `fmadd.s`, `fnmadd.s`, and `fadd.s`, whose flags are right.
    #[test]
    fn code_whose_flags_the_engine_gets_wrong_runs_elsewhere() {
        let features = RISCV64.default_features | riscv::features::F | riscv::features::D;
        for (word, is_right) in [(0x6ac5_f543, false), (0x68c5_f543, false), (0x68c5_f54f, false), (0x00b5_7553, true)]
        {
            assert!(has_engine(features, &[word], false), "{word:x}");
            assert_eq!(has_engine(features, &[word], true), is_right, "{word:x}");
        }
    }

    fn has_engine(features: Features, words: &[u32], is_strict: bool) -> bool {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        EngineDesc::for_code(&RISCV64, CodeDesc { features, bytes: &bytes, is_strict }).is_some()
    }
}
