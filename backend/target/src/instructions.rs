//! The shape of an instruction table, and the macro that makes one. The rows are in `<isa>/instructions.rs`, one
//! instruction a row, with every static fact about it. So encoder, decoder, verifier, allocator, frame pass and
//! emulator read each fact from one place.

use crate::Features;
use tribunal_ir::{AtomicOrdering, OpcodeFlags, PReg, RegClass};

/// One explicit operand of a machine instruction, in LLVM's operand order; definitions first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandDesc {
    /// A register of the class, written.
    Def(RegClass),
    /// The same, written before the sources are read for the last time: a register that none of them is in.
    EarlyDef(RegClass),
    /// A register of the class, read.
    Use(RegClass),
    /// A use that must share its register with explicit operand `to`.
    Tied {
        /// The class of both operands.
        class: RegClass,
        /// The index of the explicit operand that it shares a register with.
        to: u8,
    },
    /// A base address: a register of the class, or a stack object before the frame is laid out. An `Offset` follows.
    Base(RegClass),
    /// An immediate that fits.
    Imm(ImmRange),
    /// The offset from the base before it: a number of units of `scale` bytes.
    Offset {
        /// Of the number of units.
        range: ImmRange,
        /// Bytes of a unit.
        scale: u8,
    },
    /// A register that is added to the base before it. Two flags follow: it is extended as signed, and it counts units
    /// of the access.
    Index(RegClass),
    /// A branch destination: signed byte distance of `bits` bits, a multiple of `scale`.
    Label {
        /// Of the signed distance, in bits.
        bits: u8,
        /// In bytes; the distance is a multiple of it.
        scale: u8,
    },
    /// The callee of a call: a symbol, or in placed code the signed byte distance to it, as of a label.
    Callee {
        /// Of the signed distance, in bits.
        bits: u8,
        /// In bytes; the distance is a multiple of it.
        scale: u8,
    },
    /// The mask of the registers that a call preserves.
    RegisterMask,
    /// The address of a symbol, of a pseudo-instruction.
    Symbol,
}

/// The immediates that an operand accepts, as they stand in MIR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmRange {
    /// `-2^(bits-1) .. 2^(bits-1)`.
    Signed(u8),
    /// `0 .. 2^bits`.
    Unsigned(u8),
    /// AArch64's encoded bitmask of a 32-bit or 64-bit register, as LLVM writes it (N:immr:imms).
    LogicalMask(u8),
    /// A shift amount: less than the width of the instruction's first register. See [`crate::Target::range`].
    Amount,
    /// An amount less than `width`, in the low six bits, and above it the number of one of so many kinds of shifts.
    ShiftedBy {
        /// Of the register that is shifted, in bits.
        width: u8,
        /// From 0 on.
        kinds: u8,
    },
    /// AArch64's extension of a register and a shift of it by four bits at most, as LLVM writes both: bits 3 to 5 and
    /// the bits below.
    Extension,
    /// The same of a source of 32 bits, of which no 64 bits can be taken.
    ExtensionOfWord,
    /// RISC-V's number of a rounding mode: one of the five, or 7 for that of the register `frm`.
    RoundingMode,
    /// Exactly these; the word has the place in the list.
    OneOf(&'static [i64]),
}

/// The widest register that is shifted, as a number of bits of an amount.
const WIDEST_AMOUNT: u8 = 6;

impl ImmRange {
    /// True if `value` may stand in the operand on some machine. Bitmask encodings are checked for their form by the
    /// encoder.
    pub fn accepts(self, value: i64) -> bool {
        match self {
            ImmRange::Signed(bits) => {
                let most = i64::MAX >> (64 - bits);
                (!most..=most).contains(&value)
            }
            ImmRange::Unsigned(bits) => (0..1i64 << bits).contains(&value),
            ImmRange::LogicalMask(bits) => (0..if bits == 64 { 1 << 13 } else { 1 << 12 }).contains(&value),
            ImmRange::Amount => ImmRange::Unsigned(WIDEST_AMOUNT).accepts(value),
            ImmRange::ShiftedBy { width, kinds } => {
                (0..i64::from(width)).contains(&(value & 0x3f)) && (0..i64::from(kinds)).contains(&(value >> 6))
            }
            ImmRange::Extension => (0..64).contains(&value) && value & 7 <= 4,
            ImmRange::ExtensionOfWord => ImmRange::Extension.accepts(value) && value >> 3 & 3 != 3,
            ImmRange::RoundingMode => (0..=4).contains(&value) || value == 7,
            ImmRange::OneOf(values) => values.contains(&value),
        }
    }
}

/// The mask of a call.
pub const MASK: OperandDesc = OperandDesc::RegisterMask;
/// Bytes of the stack.
pub const SIZE: OperandDesc = OperandDesc::Imm(ImmRange::Unsigned(31));

impl OperandDesc {
    /// True for a register that is written.
    pub fn is_def(&self) -> bool {
        matches!(self, OperandDesc::Def(_) | OperandDesc::EarlyDef(_))
    }

    /// The class of a register operand.
    pub fn class(&self) -> Option<RegClass> {
        match *self {
            OperandDesc::Def(class) | OperandDesc::EarlyDef(class) => Some(class),
            OperandDesc::Use(class) | OperandDesc::Base(class) | OperandDesc::Index(class) => Some(class),
            OperandDesc::Tied { class, .. } => Some(class),
            OperandDesc::Imm(_) | OperandDesc::Offset { .. } | OperandDesc::Label { .. } => None,
            OperandDesc::Callee { .. } | OperandDesc::RegisterMask | OperandDesc::Symbol => None,
        }
    }

    /// The index of the definition that shares its register with this source.
    pub fn tied_to(&self) -> Option<usize> {
        match *self {
            OperandDesc::Tied { to, .. } => Some(usize::from(to)),
            _ => None,
        }
    }

    /// True for a branch destination or a callee.
    pub fn is_place(&self) -> bool {
        matches!(self, OperandDesc::Label { .. } | OperandDesc::Callee { .. })
    }

    /// The range of an immediate operand.
    pub fn range(&self) -> Option<ImmRange> {
        match *self {
            OperandDesc::Imm(range) | OperandDesc::Offset { range, .. } => Some(range),
            _ => None,
        }
    }
}

/// The extension of a value that is narrower than its register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extension {
    /// With zeros.
    Zero,
    /// With copies of its highest bit.
    Sign,
}

/// The access of a load or store. Its direction is in the row's flags, its address in `Base` and `Offset` or in a plain
/// register. The first operand is the value loaded or stored; what a row of both directions does is its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The number of bytes that it reads or writes.
    pub bytes: u8,
    /// Of the value that a load brings.
    pub extension: Extension,
    /// The required alignment of the address, in bytes.
    pub align: u8,
    /// How it orders other accesses where it is meant to be atomic: at its natural alignment every access is.
    pub ordering: AtomicOrdering,
}

impl Access {
    /// A store, or a load that fills the register with zeros.
    pub const fn unsigned(bytes: u8, align: u8) -> Access {
        Access { bytes, extension: Extension::Zero, align, ordering: AtomicOrdering::Monotonic }
    }

    /// A load that fills the register with copies of the sign.
    pub const fn signed(bytes: u8, align: u8) -> Access {
        Access { bytes, extension: Extension::Sign, align, ordering: AtomicOrdering::Monotonic }
    }

    /// The same access with another ordering.
    pub const fn ordered(self, ordering: AtomicOrdering) -> Access {
        Access { ordering, ..self }
    }

    /// The number of bits that it reads or writes.
    pub fn bits(&self) -> u32 {
        8 * u32::from(self.bytes)
    }
}

/// Bits `from .. from + bits` of an operand stand in the word from bit `to`. Of an operand that has fewer bits, those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The index of the explicit operand.
    pub operand: u8,
    /// The operand's lowest bit that the piece has.
    pub from: u8,
    /// The number of bits of the piece.
    pub bits: u8,
    /// The word's lowest bit that the piece has.
    pub to: u8,
}

impl Piece {
    /// The low `bits` bits of an operand.
    pub const fn low(operand: u8, bits: u8, to: u8) -> Piece {
        Piece { operand, from: 0, bits, to }
    }

    /// `bits` bits of an operand from bit `from` on.
    pub const fn part(operand: u8, from: u8, bits: u8, to: u8) -> Piece {
        Piece { operand, from, bits, to }
    }
}

/// The word of an instruction: its fixed bits, and the places of its operands. Encoder and decoder in `encoding.rs`
/// both read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordLayout {
    /// The fixed bits; 0 where operands stand.
    pub word: u32,
    /// The places of the operands.
    pub pieces: &'static [Piece],
}

/// One machine instruction.
pub struct InstrDesc {
    /// LLVM's opcode name.
    pub name: &'static str,
    /// Explicit operands, definitions first.
    pub operands: &'static [OperandDesc],
    /// Physical registers read and written besides the operands (flags).
    pub implicit_uses: &'static [PReg],
    /// Machine registers that it writes besides its operands.
    pub implicit_defs: &'static [PReg],
    /// Static properties.
    pub flags: OpcodeFlags,
    /// Of a load or store.
    pub access: Option<Access>,
    /// `None` for a pseudo-instruction.
    pub code: Option<WordLayout>,
    /// The assembler's text, operands by number (`%2`) in a form that the target knows; empty if it goes by the name.
    pub assembly: &'static str,
    /// The features that a machine needs to run it.
    pub requires: Features,
    /// Bytes of machine code once pseudos are expanded; 0 for an instruction that is gone by then.
    pub size: u8,
}

impl InstrDesc {
    /// The row of an instruction that takes these operands and does nothing else; four bytes if it has a word.
    pub const fn new(name: &'static str, operands: &'static [OperandDesc], code: Option<WordLayout>) -> InstrDesc {
        InstrDesc {
            name,
            operands,
            implicit_uses: &[],
            implicit_defs: &[],
            flags: OpcodeFlags::empty(),
            access: None,
            code,
            assembly: "",
            requires: Features::empty(),
            size: 4,
        }
    }

    /// False of a pseudo-instruction that becomes a loop on memory: of the registers that the loop changes LLVM names
    /// the operands alone, so a file may leave out the rest.
    pub fn names_all_writes(&self) -> bool {
        self.code.is_some() || self.access.is_none()
    }

    /// Index of the operand that is added to the base, if a register is.
    pub fn index(&self) -> Option<usize> {
        self.operands.iter().position(|desc| matches!(desc, OperandDesc::Index(_)))
    }

    /// Index of the base address operand, whatever is added to it.
    pub fn base(&self) -> Option<usize> {
        self.address().map(|(base, ..)| base).or(self.index().and_then(|index| index.checked_sub(1)))
    }

    /// Index of the register that holds the address of its access, whatever is added to it.
    pub fn address_register(&self) -> Option<usize> {
        let is_register = |desc: &OperandDesc| matches!(desc, OperandDesc::Use(_) | OperandDesc::Tied { .. });
        self.access?;
        self.base().or_else(|| self.operands.iter().rposition(is_register))
    }

    /// Index of the base address operand, the range of the offset after it, and the bytes of that offset's unit.
    pub fn address(&self) -> Option<(usize, ImmRange, i64)> {
        let base = self.operands.iter().position(|desc| matches!(desc, OperandDesc::Base(_)))?;
        match self.operands.get(base + 1)? {
            OperandDesc::Offset { range, scale } => Some((base, *range, i64::from(*scale))),
            _ => None,
        }
    }
}

/// Formats: functions from the fixed part of a word to its [`WordLayout`], each by the pieces that operands fill.
///
/// ```text
/// three [Piece::low(0, 5, 7), Piece::low(1, 5, 15), Piece::low(2, 5, 20)];
/// ```
#[macro_export]
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident [$($piece:expr),*];)*) => {$(
        $(#[$doc])*
        const fn $name(word: u32) -> Option<$crate::instructions::WordLayout> {
            const PIECES: &[$crate::instructions::Piece] = &[$($piece),*];
            Some($crate::instructions::WordLayout { word, pieces: PIECES })
        }
    )*};
}

/// An instruction table: the constant `NAME`, a [`tribunal_ir::TargetOpcode`], for each row, and `INSTRUCTIONS`. A row
/// is
///
/// ```text
/// NAME [operands] format(numbers) "assembly" {flags}
///     of ACCESS if [FEATURES] reads [registers] writes [registers] size 8;
/// ```
///
/// where `format` is a `const fn` that gives an `Option<WordLayout>`. All parts from the text on are optional, except
/// the flags.
#[macro_export]
macro_rules! instructions {
    ($($name:ident [$($operand:ident),*] $format:ident($($number:literal),*) $($assembly:literal)? {$($flag:ident),*}
        $(of $access:ident)? $(if [$($feature:ident),+])? $(reads [$($used:ident),*])? $(writes [$($written:ident),*])?
        $(size $size:literal)?;)*) => {
        #[allow(
            non_camel_case_types,
            clippy::upper_case_acronyms,
            reason = "an opcode is called what LLVM calls it"
        )]
        #[repr(u16)]
        enum Number { $($name),* }

        $(
            #[doc = concat!("The number of `", stringify!($name), "`.")]
            #[allow(non_upper_case_globals, reason = "an opcode is called what LLVM calls it")]
            pub const $name: ::tribunal_ir::TargetOpcode = ::tribunal_ir::TargetOpcode(Number::$name as u16);
        )*

        /// One row an instruction, at the place of its number.
        pub static INSTRUCTIONS: &[$crate::instructions::InstrDesc] = &[$($crate::instructions::InstrDesc {
            $(implicit_uses: &[$($used),*],)?
            $(implicit_defs: &[$($written),*],)?
            flags: ::tribunal_ir::OpcodeFlags::empty()$(.union(::tribunal_ir::OpcodeFlags::$flag))*,
            $(access: Some($access),)?
            $(assembly: $assembly,)?
            $(requires: $crate::Features::empty()$(.union($feature))+,)?
            $(size: $size,)?
            ..$crate::instructions::InstrDesc::new(stringify!($name), &[$($operand),*], $format($($number),*))
        }),*];
    };
}

/// The reason why an instruction has no machine code: always a fault of the stage before, never of the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// An operand is not of the row's kind.
    #[error("{name}: operand {index} is not what the instruction takes")]
    Operand {
        /// The instruction.
        name: &'static str,
        /// The operand, counted from 0.
        index: usize,
    },
    /// An immediate is out of the operand's range.
    #[error("{name}: {value} does not fit operand {index}")]
    Range {
        /// The instruction.
        name: &'static str,
        /// The operand, counted from 0.
        index: usize,
        /// The immediate.
        value: i64,
    },
    /// The table has no such instruction.
    #[error("{name} is not an instruction of this machine")]
    Missing {
        /// The instruction.
        name: &'static str,
    },
    /// It must be expanded first.
    #[error("{name} is a pseudo-instruction")]
    Pseudo {
        /// The instruction.
        name: &'static str,
    },
}
