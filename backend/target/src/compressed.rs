//! Compressed forms: instruction words of 16 bits, each a shorter spelling of an instruction in the table.
//!
//! A form has no meaning of its own. It expands to an instance of its instruction, whose operands it restricts: a
//! register twice, a register out of eight, a small immediate. Encoder and decoder of forms both read the row.
//!
//! Invariant: `expand(compress(x)) == x`, unless the form is marked [`Direction::CompressOnly`]: then the two
//! instructions have one meaning. `backend/target/tests/encodings.rs` checks both, and compares the words with those of
//! LLVM's assembler.

use crate::instructions::{Piece, WordLayout};
use crate::{Features, Target};
use tribunal_ir::{InstData, Opcode, Operand, Reg, TargetOpcode};

/// One compressed form.
pub struct CompressedForm {
    /// LLVM's opcode name.
    pub name: &'static str,
    /// The instruction that it is short for.
    pub of: TargetOpcode,
    /// Of each explicit operand of that instruction, the instances that the form has.
    pub operands: &'static [FormOperand],
    /// The fixed bits, and the places of operands. A register's number stands in as many of its low bits as there are.
    pub code: WordLayout,
    /// The features that a machine needs besides the instruction's own.
    pub requires: Features,
    /// Whether the form also expands to this instruction.
    pub direction: Direction,
}

/// The ways in which a form is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The instruction becomes the form, and the form the instruction.
    Both,
    /// The form expands to another instruction with the same meaning.
    CompressOnly,
}

/// The instances of an operand that a form has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormOperand {
    /// Registers whose numbers are in this set: bit N for number N.
    Register(u32),
    /// The register of the operand with this index.
    Same(u8),
    /// A multiple of `1 << scale` in this many bits, signed or not, zero or not.
    Immediate(FormImmediate),
}

/// Immediates of a form, before they are scaled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormImmediate {
    /// Bits of the operand's value, the scaled-out zeros among them.
    pub bits: u8,
    /// The number of low bits that are zero.
    pub scale: u8,
    /// How the value's highest bit counts.
    pub sign: FormSign,
    /// False if zero has another form.
    pub zero: bool,
}

/// The reading of an immediate's highest bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormSign {
    /// As any other bit.
    Unsigned,
    /// As the sign.
    Signed,
    /// As the sign of an operand that the instruction itself reads as an unsigned number of this many bits.
    SignedWithin(u8),
}

impl FormImmediate {
    fn accepts(&self, value: i64) -> bool {
        let value = match self.sign {
            FormSign::SignedWithin(bits) => sign_extended(value, bits),
            FormSign::Signed | FormSign::Unsigned => value,
        };
        let range = match self.sign {
            FormSign::Unsigned => 0..1i64 << self.bits,
            _ => -(1i64 << (self.bits - 1))..1i64 << (self.bits - 1),
        };
        range.contains(&value) && value.trailing_zeros() >= u32::from(self.scale) && (self.zero || value != 0)
    }

    /// The operand whose low bits are these; `None` if the form does not have it.
    fn value(&self, bits: u32) -> Option<i64> {
        let value = match self.sign {
            FormSign::Unsigned => i64::from(bits),
            FormSign::Signed => sign_extended(bits.into(), self.bits),
            FormSign::SignedWithin(width) => sign_extended(bits.into(), self.bits) & ((1 << width) - 1),
        };
        self.accepts(value).then_some(value)
    }
}

fn sign_extended(value: i64, bits: u8) -> i64 {
    value << (64 - bits) >> (64 - bits)
}

impl Target {
    /// The compressed form of an instruction whose registers are physical and whose labels are byte distances; `None`
    /// if it has none on a machine with `features`.
    pub fn compress(&self, inst: &InstData, features: Features) -> Option<u16> {
        self.form(inst, features).map(|(_, word)| word)
    }

    /// The form with its word: see [`Target::compress`].
    pub fn form(&self, inst: &InstData, features: Features) -> Option<(&'static CompressedForm, u16)> {
        let Opcode::Target(opcode) = inst.opcode else { return None };
        let forms = self.compressed.iter().filter(|form| form.of == opcode && features.contains(form.requires));
        forms.filter_map(|form| Some((form, self.word_of_form(form, inst)?))).next()
    }

    fn word_of_form(&self, form: &CompressedForm, inst: &InstData) -> Option<u16> {
        let mut word = form.code.word;
        for (index, operand) in form.operands.iter().enumerate() {
            let value = match (*operand, inst.operands.get(index)?) {
                (FormOperand::Register(numbers), Operand::Reg(register)) => {
                    Some(self.register_number(register.reg)?).filter(|number| numbers >> number & 1 == 1)?
                }
                (FormOperand::Same(other), Operand::Reg(register)) => {
                    let same = inst.operands.get(usize::from(other))?.as_reg()?.reg == register.reg;
                    same.then_some(0)?
                }
                (FormOperand::Immediate(range), &Operand::Imm(value)) => {
                    range.accepts(value).then_some(value as u32)?
                }
                _ => return None,
            };
            word |=
                pieces_of(form, index).fold(0, |word, piece| word | (value >> piece.from & ones(piece)) << piece.to);
        }
        u16::try_from(word).ok()
    }

    /// The instruction that a compressed form is short for, with implicit operands; `None` if no form has these bits.
    pub fn expand(&self, word: u16) -> Option<InstData> {
        let both = |form: &&CompressedForm| form.direction == Direction::Both && self.offers(form.requires);
        self.compressed.iter().filter(both).filter_map(|form| self.expanded(form, word.into())).next()
    }

    /// `word` as an instance of this form.
    fn expanded(&self, form: &CompressedForm, word: u32) -> Option<InstData> {
        let places = form.code.pieces.iter().fold(0, |places, piece| places | ones(piece) << piece.to);
        if word & !places != form.code.word {
            return None;
        }
        let row = self.instruction(form.of);
        let mut inst = InstData::new(Opcode::Target(form.of), []);
        for (index, operand) in form.operands.iter().enumerate() {
            let pieces = pieces_of(form, index);
            let value = pieces.fold(0, |value, piece| value | (word >> piece.to & ones(piece)) << piece.from);
            let operand = match *operand {
                FormOperand::Immediate(range) => Operand::Imm(range.value(value)?),
                FormOperand::Same(other) => Operand::used(inst.operands.get(usize::from(other))?.as_reg()?.reg),
                FormOperand::Register(numbers) => {
                    let known = pieces_of(form, index).fold(0, |known, piece| known | ones(piece) << piece.from);
                    let number = (0..32).find(|number| numbers >> number & 1 == 1 && number & known == value)?;
                    let mut members = self.class(row.operands[index].class()?).members.iter().copied();
                    let register = members.find(|&member| self.register_number(member.into()) == Some(number))?;
                    if row.operands[index].is_def() { Operand::def(register) } else { Operand::used(register) }
                }
            };
            inst.operands.push(operand);
        }
        self.add_implicit(&mut inst, form.of);
        self.encode(&inst).is_ok().then_some(inst)
    }

    fn register_number(&self, register: Reg) -> Option<u32> {
        self.registers.get(usize::from(register.as_physical()?.0)).map(|row| u32::from(row.encoding))
    }
}

fn pieces_of(form: &CompressedForm, operand: usize) -> impl Iterator<Item = &'static Piece> {
    form.code.pieces.iter().filter(move |piece| usize::from(piece.operand) == operand)
}

fn ones(piece: &Piece) -> u32 {
    (1 << piece.bits) - 1
}
