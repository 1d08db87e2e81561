//! Encoder and decoder of instruction words, from the rows: the fixed bits of a word, and the place of each operand's
//! bits.
//!
//! Invariant: `decode(encode(x)) == x`, unless the row's words are also words of a row above it (`mov` and `orr` of
//! AArch64). The decoder takes the first row that has the word. `backend/target/tests/encodings.rs` checks both
//! directions, and checks the words against LLVM's assembler.

use crate::aarch64::bitmask::is_canonical_bitmask;
use crate::instructions::{EncodeError, ImmRange, InstrDesc, OperandDesc, Piece, WordLayout};
use crate::{Features, Target};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tribunal_ir::{InstData, Opcode, OpcodeFlags, Operand, Reg, RegClass, RegFlags, RegOperand, SubReg, TargetOpcode};

/// Rows by the fixed bits of their words: for each mask of a row, the opcodes by the words' bits under it.
#[derive(Default)]
pub(crate) struct Decoder {
    masks: Vec<(u32, FxHashMap<u32, Vec<TargetOpcode>>)>,
}

impl Decoder {
    pub fn new(target: &Target) -> Decoder {
        let mut decoder = Decoder::default();
        for (number, row) in (0..).zip(target.instructions).filter(|(_, row)| target.has(row)) {
            let Some(code) = row.code else { continue };
            let mask =
                code.pieces.iter().fold(u32::MAX, |mask, piece| mask & !(ones(bits(target, row, piece)) << piece.to));
            let place = decoder.masks.iter().position(|&(known, _)| known == mask).unwrap_or_else(|| {
                decoder.masks.push((mask, FxHashMap::default()));
                decoder.masks.len() - 1
            });
            decoder.masks[place].1.entry(code.word).or_default().push(TargetOpcode(number));
        }
        decoder
    }

    /// The opcodes whose fixed bits `word` has, in row order.
    fn candidates(&self, word: u32) -> SmallVec<[TargetOpcode; 4]> {
        let known = self.masks.iter().filter_map(|(mask, rows)| rows.get(&(word & mask)));
        let mut opcodes: SmallVec<[TargetOpcode; 4]> = known.flatten().copied().collect();
        opcodes.sort_unstable_by_key(|opcode| opcode.0);
        opcodes
    }
}

impl Target {
    /// Machine code of one instruction whose registers are physical, labels resolved to byte distances (as
    /// [`Operand::Imm`]) and pseudos expanded. The callee of a call and an immediate may be symbols: the linker inserts
    /// the number.
    pub fn encode(&self, inst: &InstData) -> Result<u32, EncodeError> {
        let Opcode::Target(opcode) = inst.opcode else {
            return Err(EncodeError::Pseudo { name: "a generic instruction" });
        };
        let unknown = EncodeError::Pseudo { name: "an unknown instruction" };
        let row = self.instructions.get(usize::from(opcode.0)).ok_or(unknown)?;
        let WordLayout { mut word, pieces } = row.code.ok_or(EncodeError::Pseudo { name: row.name })?;
        if !self.has(row) {
            return Err(EncodeError::Missing { name: row.name });
        }
        // Every operand is checked, also one that does not reach the word.
        for (index, desc) in row.operands.iter().enumerate() {
            let value = self.field(row, desc, inst, index)?;
            for piece in pieces.iter().filter(|piece| usize::from(piece.operand) == index) {
                word |= (value >> piece.from & ones(bits(self, row, piece))) << piece.to;
            }
        }
        Ok(word)
    }

    /// The instruction of `word`, with destinations of branches as byte distances, and with implicit operands; `None`
    /// if the table has no such instruction.
    pub fn decode(&self, word: u32) -> Option<InstData> {
        let decoder = self.made.decoder.get_or_init(|| Decoder::new(self));
        decoder.candidates(word).into_iter().find_map(|opcode| self.decoded(opcode, word))
    }

    /// `word` as an instance of this row.
    fn decoded(&self, opcode: TargetOpcode, word: u32) -> Option<InstData> {
        let row = self.instruction(opcode);
        let pieces = row.code?.pieces;
        let mut inst = InstData::new(Opcode::Target(opcode), []);
        for (index, desc) in row.operands.iter().enumerate() {
            let of_operand = pieces.iter().filter(|piece| usize::from(piece.operand) == index);
            let value = of_operand
                .fold(0, |value, piece| value | (word >> piece.to & ones(bits(self, row, piece))) << piece.from);
            let operand = self.operand(row, desc, value, &inst)?;
            inst.operands.push(operand);
        }
        self.add_implicit(&mut inst, opcode);
        Some(inst)
    }

    /// The bits of operand `index`: a register's number, or an immediate in two's complement.
    fn field(&self, row: &InstrDesc, desc: &OperandDesc, inst: &InstData, index: usize) -> Result<u32, EncodeError> {
        let wrong = EncodeError::Operand { name: row.name, index };
        let out_of_range = |value| EncodeError::Range { name: row.name, index, value };
        match (desc, inst.operands.get(index)) {
            (OperandDesc::Tied { to, .. }, Some(Operand::Reg(operand)))
                if inst.operands.get(usize::from(*to)).and_then(Operand::as_reg).map(|to| to.reg)
                    != Some(operand.reg) =>
            {
                Err(wrong)
            }
            (_, Some(Operand::Reg(operand))) => {
                let class = desc.class().ok_or_else(|| wrong.clone())?;
                self.number(class, operand).ok_or(wrong)
            }
            (OperandDesc::Imm(range) | OperandDesc::Offset { range, .. }, Some(&Operand::Imm(value))) => {
                place(self.range(row, *range), value).ok_or_else(|| out_of_range(value))
            }
            (OperandDesc::Label { bits, scale } | OperandDesc::Callee { bits, scale }, Some(&Operand::Imm(value))) => {
                let reached = ImmRange::Signed(*bits).accepts(value) && value % i64::from(*scale) == 0;
                reached.then_some(value as u32).ok_or_else(|| out_of_range(value))
            }
            (
                OperandDesc::Callee { .. } | OperandDesc::Imm(_) | OperandDesc::Offset { .. },
                Some(Operand::Address(_)),
            ) => Ok(0),
            (OperandDesc::RegisterMask, Some(Operand::RegisterMask(_) | Operand::Imm(_))) => Ok(0),
            _ => Err(wrong),
        }
    }

    /// A physical register's number in words. The class matters: one number may mean two registers.
    fn number(&self, class: RegClass, operand: &RegOperand) -> Option<u32> {
        let register = operand.reg.as_physical().filter(|register| self.class(class).members.contains(register))?;
        self.registers.get(usize::from(register.0)).map(|row| u32::from(row.encoding))
    }

    /// The operand whose bits are `value`; `before` holds the operands before it.
    fn operand(&self, row: &InstrDesc, desc: &OperandDesc, value: u32, before: &InstData) -> Option<Operand> {
        let signed = |bits: u8| i64::from((value << (32 - bits)) as i32 >> (32 - bits));
        Some(match *desc {
            OperandDesc::Tied { to, .. } => Operand::used(before.operands.get(usize::from(to))?.as_reg()?.reg),
            OperandDesc::Def(class)
            | OperandDesc::EarlyDef(class)
            | OperandDesc::Use(class)
            | OperandDesc::Base(class)
            | OperandDesc::Index(class) => {
                let mut members = self.class(class).members.iter().copied();
                let register =
                    members.find(|member| u32::from(self.registers[usize::from(member.0)].encoding) == value)?;
                let flags = if desc.is_def() { RegFlags::DEF } else { RegFlags::empty() };
                let reg = Reg::Physical(register);
                Operand::Reg(RegOperand { reg, flags, subregister: SubReg(0), tied_to: None })
            }
            OperandDesc::Label { bits, .. } | OperandDesc::Callee { bits, .. } => Operand::Imm(signed(bits)),
            OperandDesc::RegisterMask => Operand::Imm(0),
            OperandDesc::Symbol => return None,
            OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => Operand::Imm(match self.range(row, range) {
                ImmRange::Signed(bits) => signed(bits),
                ImmRange::OneOf(values) => *values.get(value as usize)?,
                range => Some(i64::from(value)).filter(|&value| place(range, value).is_some())?,
            }),
        })
    }

    /// A range of this row on this machine: a shift amount is less than its register's width.
    pub fn range(&self, row: &InstrDesc, range: ImmRange) -> ImmRange {
        let width = || row.operands.iter().find_map(OperandDesc::class).map_or(0, |class| self.class(class).bits);
        match range {
            ImmRange::Amount => ImmRange::Unsigned(width().max(1).ilog2() as u8),
            range => range,
        }
    }

    /// True if this machine, with some options, has the row.
    pub fn has(&self, row: &InstrDesc) -> bool {
        row.requires.is_empty() || self.offers(row.requires)
    }

    /// True if some row loads or stores, as `direction` says, so many bytes at this alignment in one access, whatever
    /// the options: a number wider than a general register goes in parts, as the pairs of AArch64's `ldaxp` do.
    pub fn accesses_whole(&self, direction: OpcodeFlags, bytes: u32, align: u32) -> bool {
        let known = self.made.whole_accesses.get_or_init(|| WholeAccesses::of(self));
        let accesses = if direction == OpcodeFlags::STORE { &known.stores } else { &known.loads };
        accesses.iter().any(|&(whole, least)| whole == bytes && least <= align)
    }

    /// True if this machine, with some options, has these features.
    pub(crate) fn offers(&self, features: Features) -> bool {
        self.default_features.contains(features - self.all_options())
    }
}

/// The accesses that some instruction makes whole, as bytes and alignment: an execution asks at every volatile one.
pub(crate) struct WholeAccesses {
    loads: Vec<(u32, u32)>,
    stores: Vec<(u32, u32)>,
}

impl WholeAccesses {
    fn of(target: &Target) -> WholeAccesses {
        let of = |direction| {
            let rows = target.instructions.iter().filter(|row| {
                let is_present = target.default_features.contains(row.requires);
                row.address().is_some() && row.flags.contains(direction) && is_present
            });
            let accesses = rows.filter_map(|row| row.access).map(|access| (access.bytes.into(), access.align.into()));
            let mut accesses: Vec<(u32, u32)> =
                accesses.filter(|&(bytes, _)| bytes <= target.register_bytes()).collect();
            accesses.sort_unstable();
            accesses.dedup();
            accesses
        };
        WholeAccesses { loads: of(OpcodeFlags::LOAD), stores: of(OpcodeFlags::STORE) }
    }
}

fn ones(bits: u8) -> u32 {
    ((1u64 << bits) - 1) as u32
}

/// The number of its operand's bits that a piece has in words of this row.
fn bits(target: &Target, row: &InstrDesc, piece: &Piece) -> u8 {
    let all = match row.operands[usize::from(piece.operand)] {
        OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => match target.range(row, range) {
            ImmRange::Signed(bits) | ImmRange::Unsigned(bits) => bits,
            ImmRange::ShiftedBy { .. } => 8,
            ImmRange::LogicalMask(64) => 13,
            ImmRange::LogicalMask(_) => 12,
            ImmRange::OneOf(values) => values.len().next_power_of_two().ilog2() as u8,
            ImmRange::Extension | ImmRange::ExtensionOfWord => 6,
            ImmRange::RoundingMode => 3,
            ImmRange::Amount => 0,
        },
        _ => u8::MAX,
    };
    piece.bits.min(all.saturating_sub(piece.from))
}

/// The word's bits for an immediate: its place in a list, or its own bits.
fn place(range: ImmRange, value: i64) -> Option<u32> {
    match range {
        ImmRange::OneOf(values) => values.iter().position(|&known| known == value).map(|place| place as u32),
        ImmRange::LogicalMask(width) => is_canonical_bitmask(value, width.into()).then_some(value as u32),
        range => range.accepts(value).then_some(value as u32),
    }
}
