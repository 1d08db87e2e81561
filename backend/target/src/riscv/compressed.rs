//! The compressed forms of RISC-V (extension C). Source: The RISC-V Instruction Set Manual, volume I,
//! chapter "C Standard Extension for Compressed Instructions"; names are LLVM's.
//!
//! Order matters: the assembler takes the first form that fits.

use super::features::{C, D, F, RV32, RV64};
use super::instructions::*;
use crate::Features;
use crate::compressed::{CompressedForm, Direction, FormImmediate, FormOperand, FormSign};
use crate::instructions::{Piece, WordLayout};
use FormOperand::{Immediate, Register, Same};

const ANY: FormOperand = Register(!0);
const NOT_ZERO: FormOperand = Register(!1);
const ZERO: FormOperand = Register(1);
const RA: FormOperand = Register(1 << 1);
const SP: FormOperand = Register(1 << 2);
const NEITHER_ZERO_NOR_SP: FormOperand = Register(!0b101);
/// The registers that three bits name: x8 to x15.
const POPULAR: FormOperand = Register(0xff00);
const FIRST: FormOperand = Same(0);
const NONE: FormOperand = Immediate(FormImmediate { bits: 1, scale: 1, sign: FormSign::Unsigned, zero: true });

const fn unsigned(bits: u8, scale: u8) -> FormOperand {
    Immediate(FormImmediate { bits, scale, sign: FormSign::Unsigned, zero: true })
}
const fn unsigned_not_zero(bits: u8, scale: u8) -> FormOperand {
    Immediate(FormImmediate { bits, scale, sign: FormSign::Unsigned, zero: false })
}
const fn signed(bits: u8, scale: u8) -> FormOperand {
    Immediate(FormImmediate { bits, scale, sign: FormSign::Signed, zero: true })
}
const fn signed_not_zero(bits: u8, scale: u8) -> FormOperand {
    Immediate(FormImmediate { bits, scale, sign: FormSign::Signed, zero: false })
}
/// The upper immediate of six bits, of an operand that is unsigned with twenty.
const UPPER: FormOperand =
    Immediate(FormImmediate { bits: 6, scale: 0, sign: FormSign::SignedWithin(20), zero: false });

// Places of registers: of five bits, and of three.
const fn at_7(operand: u8) -> Piece {
    Piece::low(operand, 5, 7)
}
const fn at_2(operand: u8) -> Piece {
    Piece::low(operand, 5, 2)
}
const fn short_at_7(operand: u8) -> Piece {
    Piece::low(operand, 3, 7)
}
const fn short_at_2(operand: u8) -> Piece {
    Piece::low(operand, 3, 2)
}

/// Six bits of the immediate at index 1: its highest at bit 12.
const SIX_1: [Piece; 2] = [Piece::part(1, 5, 1, 12), Piece::part(1, 0, 5, 2)];
/// The same at index 2.
const SIX_2: [Piece; 2] = [Piece::part(2, 5, 1, 12), Piece::part(2, 0, 5, 2)];
/// An offset at index 2 in units of four, and of eight.
const WORDS: [Piece; 3] = [Piece::part(2, 3, 3, 10), Piece::part(2, 2, 1, 6), Piece::part(2, 6, 1, 5)];
const DOUBLEWORDS: [Piece; 2] = [Piece::part(2, 3, 3, 10), Piece::part(2, 6, 2, 5)];
/// The offsets of jumps at index 1, and of branches at index 2.
const JUMP: &[Piece] = &[
    Piece::part(1, 11, 1, 12),
    Piece::part(1, 4, 1, 11),
    Piece::part(1, 8, 2, 9),
    Piece::part(1, 10, 1, 8),
    Piece::part(1, 6, 1, 7),
    Piece::part(1, 7, 1, 6),
    Piece::part(1, 1, 3, 3),
    Piece::part(1, 5, 1, 2),
];
const BRANCH: &[Piece] = &[
    short_at_7(0),
    Piece::part(2, 8, 1, 12),
    Piece::part(2, 3, 2, 10),
    Piece::part(2, 6, 2, 5),
    Piece::part(2, 1, 2, 3),
    Piece::part(2, 5, 1, 2),
];
const ADD_TO_SP: &[Piece] = &[
    Piece::part(2, 9, 1, 12),
    Piece::part(2, 4, 1, 6),
    Piece::part(2, 6, 1, 5),
    Piece::part(2, 7, 2, 3),
    Piece::part(2, 5, 1, 2),
];
const SP_PLUS: &[Piece] = &[
    short_at_2(0),
    Piece::part(2, 4, 2, 11),
    Piece::part(2, 6, 4, 7),
    Piece::part(2, 2, 1, 6),
    Piece::part(2, 3, 1, 5),
];
/// Loads and stores relative to the stack pointer, in units of four and of eight.
const LOAD_WORD_SP: &[Piece] = &[at_7(0), Piece::part(2, 5, 1, 12), Piece::part(2, 2, 3, 4), Piece::part(2, 6, 2, 2)];
const LOAD_DOUBLEWORD_SP: &[Piece] =
    &[at_7(0), Piece::part(2, 5, 1, 12), Piece::part(2, 3, 2, 5), Piece::part(2, 6, 3, 2)];
const STORE_WORD_SP: &[Piece] = &[at_2(0), Piece::part(2, 2, 4, 9), Piece::part(2, 6, 2, 7)];
const STORE_DOUBLEWORD_SP: &[Piece] = &[at_2(0), Piece::part(2, 3, 3, 10), Piece::part(2, 6, 3, 7)];
const MEMORY_WORD: &[Piece] = &[short_at_2(0), short_at_7(1), WORDS[0], WORDS[1], WORDS[2]];
const MEMORY_DOUBLEWORD: &[Piece] = &[short_at_2(0), short_at_7(1), DOUBLEWORDS[0], DOUBLEWORDS[1]];
const LONG_6: &[Piece] = &[at_7(0), SIX_2[0], SIX_2[1]];
const SHORT_6: &[Piece] = &[short_at_7(0), SIX_2[0], SIX_2[1]];
const LOAD_6: &[Piece] = &[at_7(0), SIX_1[0], SIX_1[1]];
const TWO: &[Piece] = &[short_at_7(0), short_at_2(2)];
/// Commuted: the other source is the first.
const COMMUTED: &[Piece] = &[short_at_7(0), short_at_2(1)];

const SHIFT: FormOperand = unsigned_not_zero(6, 0);

/// The quadrant and `funct3` of a form, with the fixed bits between.
const fn form(
    name: &'static str,
    of: tribunal_ir::TargetOpcode,
    operands: &'static [FormOperand],
    word: u32,
    pieces: &'static [Piece],
) -> CompressedForm {
    CompressedForm { name, of, operands, code: WordLayout { word, pieces }, requires: C, direction: Direction::Both }
}

impl CompressedForm {
    const fn on(mut self, machine: Features) -> CompressedForm {
        self.requires = self.requires.union(machine);
        self
    }

    const fn compress_only(mut self) -> CompressedForm {
        self.direction = Direction::CompressOnly;
        self
    }
}

/// One row a form.
pub static FORMS: &[CompressedForm] = &[
    form("C_UNIMP", UNIMP, &[], 0x0000, &[]),
    form("C_ADDI4SPN", ADDI, &[POPULAR, SP, unsigned_not_zero(10, 2)], 0x0000, SP_PLUS),
    form("C_LW", LW, &[POPULAR, POPULAR, unsigned(7, 2)], 0x4000, MEMORY_WORD),
    form("C_LD", LD, &[POPULAR, POPULAR, unsigned(8, 3)], 0x6000, MEMORY_DOUBLEWORD).on(RV64),
    form("C_FLD", FLD, &[POPULAR, POPULAR, unsigned(8, 3)], 0x2000, MEMORY_DOUBLEWORD).on(D),
    form("C_FLW", FLW, &[POPULAR, POPULAR, unsigned(7, 2)], 0x6000, MEMORY_WORD).on(RV32).on(F),
    form("C_SW", SW, &[POPULAR, POPULAR, unsigned(7, 2)], 0xc000, MEMORY_WORD),
    form("C_SD", SD, &[POPULAR, POPULAR, unsigned(8, 3)], 0xe000, MEMORY_DOUBLEWORD).on(RV64),
    form("C_FSD", FSD, &[POPULAR, POPULAR, unsigned(8, 3)], 0xa000, MEMORY_DOUBLEWORD).on(D),
    form("C_FSW", FSW, &[POPULAR, POPULAR, unsigned(7, 2)], 0xe000, MEMORY_WORD).on(RV32).on(F),
    form("C_NOP", ADDI, &[ZERO, ZERO, NONE], 0x0001, &[]),
    form("C_ADDI", ADDI, &[NOT_ZERO, FIRST, signed_not_zero(6, 0)], 0x0001, LONG_6),
    form("C_JAL", JAL, &[RA, signed(12, 1)], 0x2001, JUMP).on(RV32),
    form("C_ADDIW", ADDIW, &[NOT_ZERO, FIRST, signed(6, 0)], 0x2001, LONG_6).on(RV64),
    form("C_LI", ADDI, &[NOT_ZERO, ZERO, signed(6, 0)], 0x4001, LONG_6),
    form("C_ADDI16SP", ADDI, &[SP, SP, signed_not_zero(10, 4)], 0x6101, ADD_TO_SP),
    form("C_LUI", LUI, &[NEITHER_ZERO_NOR_SP, UPPER], 0x6001, LOAD_6),
    form("C_SRLI", SRLI, &[POPULAR, FIRST, SHIFT], 0x8001, SHORT_6),
    form("C_SRAI", SRAI, &[POPULAR, FIRST, SHIFT], 0x8401, SHORT_6),
    form("C_ANDI", ANDI, &[POPULAR, FIRST, signed(6, 0)], 0x8801, SHORT_6),
    form("C_SUB", SUB, &[POPULAR, FIRST, POPULAR], 0x8c01, TWO),
    form("C_XOR", XOR, &[POPULAR, FIRST, POPULAR], 0x8c21, TWO),
    form("C_XOR", XOR, &[POPULAR, POPULAR, FIRST], 0x8c21, COMMUTED).compress_only(),
    form("C_OR", OR, &[POPULAR, FIRST, POPULAR], 0x8c41, TWO),
    form("C_OR", OR, &[POPULAR, POPULAR, FIRST], 0x8c41, COMMUTED).compress_only(),
    form("C_AND", AND, &[POPULAR, FIRST, POPULAR], 0x8c61, TWO),
    form("C_AND", AND, &[POPULAR, POPULAR, FIRST], 0x8c61, COMMUTED).compress_only(),
    form("C_SUBW", SUBW, &[POPULAR, FIRST, POPULAR], 0x9c01, TWO).on(RV64),
    form("C_ADDW", ADDW, &[POPULAR, FIRST, POPULAR], 0x9c21, TWO).on(RV64),
    form("C_ADDW", ADDW, &[POPULAR, POPULAR, FIRST], 0x9c21, COMMUTED).on(RV64).compress_only(),
    form("C_J", JAL, &[ZERO, signed(12, 1)], 0xa001, JUMP),
    form("C_BEQZ", BEQ, &[POPULAR, ZERO, signed(9, 1)], 0xc001, BRANCH),
    form("C_BNEZ", BNE, &[POPULAR, ZERO, signed(9, 1)], 0xe001, BRANCH),
    form("C_SLLI", SLLI, &[NOT_ZERO, FIRST, SHIFT], 0x0002, LONG_6),
    form("C_LWSP", LW, &[NOT_ZERO, SP, unsigned(8, 2)], 0x4002, LOAD_WORD_SP),
    form("C_LDSP", LD, &[NOT_ZERO, SP, unsigned(9, 3)], 0x6002, LOAD_DOUBLEWORD_SP).on(RV64),
    form("C_FLDSP", FLD, &[ANY, SP, unsigned(9, 3)], 0x2002, LOAD_DOUBLEWORD_SP).on(D),
    form("C_FLWSP", FLW, &[ANY, SP, unsigned(8, 2)], 0x6002, LOAD_WORD_SP).on(RV32).on(F),
    form("C_JR", JALR, &[ZERO, NOT_ZERO, NONE], 0x8002, &[at_7(1)]),
    form("C_MV", ADD, &[NOT_ZERO, ZERO, NOT_ZERO], 0x8002, &[at_7(0), at_2(2)]),
    form("C_MV", ADD, &[NOT_ZERO, NOT_ZERO, ZERO], 0x8002, &[at_7(0), at_2(1)]).compress_only(),
    form("C_MV", ADDI, &[NOT_ZERO, NOT_ZERO, NONE], 0x8002, &[at_7(0), at_2(1)]).compress_only(),
    form("C_EBREAK", EBREAK, &[], 0x9002, &[]),
    form("C_JALR", JALR, &[RA, NOT_ZERO, NONE], 0x9002, &[at_7(1)]),
    form("C_ADD", ADD, &[NOT_ZERO, FIRST, NOT_ZERO], 0x9002, &[at_7(0), at_2(2)]),
    form("C_ADD", ADD, &[NOT_ZERO, NOT_ZERO, FIRST], 0x9002, &[at_7(0), at_2(1)]).compress_only(),
    form("C_SWSP", SW, &[ANY, SP, unsigned(8, 2)], 0xc002, STORE_WORD_SP),
    form("C_SDSP", SD, &[ANY, SP, unsigned(9, 3)], 0xe002, STORE_DOUBLEWORD_SP).on(RV64),
    form("C_FSDSP", FSD, &[ANY, SP, unsigned(9, 3)], 0xa002, STORE_DOUBLEWORD_SP).on(D),
    form("C_FSWSP", FSW, &[ANY, SP, unsigned(8, 2)], 0xe002, STORE_WORD_SP).on(RV32).on(F),
];
