//! The emulator's own linker: it completes the relocations of code, and places constants, jump tables and the global
//! offset table after it. A thread's variables are at constant distances from the thread pointer. Sources: RISC-V
//! ELF psABI, "Relocations"; ELF for the Arm 64-bit Architecture, "Relocation".
//!
//! Invariant: it takes nothing from the tables of the backend but numbers of relocations, which the psABIs give.

use super::unwind::UnwindRow;
use super::{CODE, MachineError};
use crate::input::{THREAD_BLOCK, THREAD_POINTER};
use object::elf;
use std::collections::BTreeMap;
use std::ops::Range;
use tribunal_target::Target;

/// Code with all that a linker completes.
#[derive(Clone, Debug, Default)]
pub struct Unlinked<'a> {
    /// The instructions, and the data of an object after them.
    pub code: &'a [u8],
    /// Bytes of the instructions, if data follows them.
    pub text: Option<usize>,
    /// Its relocations.
    pub relocations: Vec<Unresolved<'a>>,
    /// Its jump tables.
    pub tables: Vec<UnlinkedTable<'a>>,
    /// The unwinder's table.
    pub unwind: Vec<UnwindRow>,
    /// The part of the code's data that is copied to the start of a thread's block.
    pub thread_data: Range<usize>,
    /// The addresses of symbols, by their names.
    pub symbols: BTreeMap<String, u64>,
    /// The functions in the code besides the one at its start, by their names: their offsets in bytes. Calls of them
    /// stay within the code.
    pub functions: BTreeMap<String, u32>,
}

impl Unlinked<'_> {
    /// The addresses that stand for functions in the code, each with the place of its instructions. A program may take
    /// them, and call through a register.
    pub(super) fn entries(&self) -> BTreeMap<u64, u64> {
        let entry = |(name, &offset): (&String, &u32)| {
            Some((*self.symbols.get(&format!("@{name}"))?, CODE + u64::from(offset)))
        };
        self.functions.iter().filter_map(entry).collect()
    }
}

/// A relocation.
#[derive(Clone, Debug)]
pub struct Unresolved<'a> {
    /// Of the word, in bytes.
    pub offset: u32,
    /// The psABI's number.
    pub kind: u32,
    /// The place that it names.
    pub to: LinkedPlace<'a>,
    /// Added to it.
    pub addend: i64,
}

/// A place that a relocation names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkedPlace<'a> {
    /// A symbol.
    Symbol(std::borrow::Cow<'a, str>),
    /// A byte of the code.
    Code(u32),
    /// A jump table.
    Table(u32),
    /// A byte of the thread's block.
    Thread(u32),
}

/// A jump table.
#[derive(Clone, Debug)]
pub struct UnlinkedTable<'a> {
    /// Bytes of an entry.
    pub entry: u32,
    /// Whether an entry is the distance of the block from the table.
    pub is_relative: bool,
    /// The offsets of the blocks in the code.
    pub blocks: &'a [u32],
}

/// Bytes between the code and the data after it: no target has an instruction of zeros.
const GAP: usize = 64;

/// Code and data at their addresses.
struct Linker<'u> {
    unlinked: &'u Unlinked<'u>,
    image: Vec<u8>,
    /// Addresses of the tables.
    tables: Vec<u64>,
    /// Addresses of entries of the global offset table.
    entries: BTreeMap<u64, u64>,
    pointer_bytes: usize,
}

/// The code and its data, as they lie from [`CODE`] on.
pub(super) fn link(target: &Target, unlinked: &Unlinked<'_>) -> Result<Vec<u8>, MachineError> {
    let image = unlinked.code.to_vec();
    let pointer_bytes = target.register_bytes() as usize;
    let mut linker = Linker { unlinked, image, tables: Vec::new(), entries: BTreeMap::new(), pointer_bytes };
    if !unlinked.tables.is_empty() {
        linker.tables();
    }
    let is_riscv = target.elf.as_ref().is_some_and(|elf| elf.architecture != object::Architecture::Aarch64);
    for relocation in &unlinked.relocations {
        let done = match is_riscv {
            true => linker.riscv(relocation),
            false => linker.aarch64(relocation),
        };
        done.ok_or_else(|| MachineError::Relocation(relocation.kind, format!("{:?}", relocation.to)))?;
    }
    Ok(linker.image)
}

impl Linker<'_> {
    /// Appends bytes, aligned to eight; returns their address.
    fn append(&mut self, bytes: &[u8]) -> u64 {
        let gap = if self.image.len() == self.unlinked.code.len() { GAP } else { 0 };
        let start = (self.image.len() + gap).next_multiple_of(8);
        self.image.resize(start, 0);
        self.image.extend_from_slice(bytes);
        CODE + start as u64
    }

    fn tables(&mut self) {
        for table in &self.unlinked.tables {
            let address = self.append(&vec![0; table.blocks.len() * table.entry as usize]);
            let base = if table.is_relative { address } else { 0 };
            for (index, &block) in table.blocks.iter().enumerate() {
                let entry = (CODE + u64::from(block)).wrapping_sub(base);
                let at = (address - CODE) as usize + index * table.entry as usize;
                self.image[at..at + table.entry as usize].copy_from_slice(&entry.to_le_bytes()[..table.entry as usize]);
            }
            self.tables.push(address);
        }
    }

    /// The address that a relocation names, with its addend.
    fn value(&self, relocation: &Unresolved<'_>) -> Option<u64> {
        let base = match &relocation.to {
            LinkedPlace::Symbol(name) => *self.unlinked.symbols.get(name.as_ref())?,
            LinkedPlace::Code(offset) => CODE + u64::from(*offset),
            LinkedPlace::Table(number) => *self.tables.get(*number as usize)?,
            LinkedPlace::Thread(offset) => THREAD_BLOCK + u64::from(*offset),
        };
        Some(base.wrapping_add_signed(relocation.addend))
    }

    /// The distance from the thread pointer that a relocation names, with its addend.
    fn thread_distance(&self, relocation: &Unresolved<'_>) -> Option<u64> {
        Some(self.value(relocation)?.wrapping_sub(THREAD_POINTER))
    }

    /// The entry of the global offset table that holds an address, or a distance.
    fn entry(&mut self, held: u64) -> u64 {
        if let Some(&entry) = self.entries.get(&held) {
            return entry;
        }
        let entry = self.append(&held.to_le_bytes()[..self.pointer_bytes]);
        self.entries.insert(held, entry);
        entry
    }

    fn word(&mut self, offset: u32, change: impl FnOnce(u32) -> u32) -> Option<()> {
        let place = self.image.get_mut(offset as usize..offset as usize + 4)?;
        let word = u32::from_le_bytes(place.try_into().ok()?);
        place.copy_from_slice(&change(word).to_le_bytes());
        Some(())
    }

    /// The distance that the relocation of the upper part at `offset` is about.
    fn distance(&mut self, offset: u32) -> Option<u64> {
        let unlinked = self.unlinked;
        let upper = unlinked.relocations.iter().find(|relocation| {
            relocation.offset == offset
                && [elf::R_RISCV_PCREL_HI20, elf::R_RISCV_GOT_HI20, elf::R_RISCV_TLS_GOT_HI20]
                    .contains(&elf::RelocationType(relocation.kind))
        })?;
        let address = match elf::RelocationType(upper.kind) {
            elf::R_RISCV_GOT_HI20 => self.entry(self.value(upper)?),
            elf::R_RISCV_TLS_GOT_HI20 => self.entry(self.thread_distance(upper)?),
            _ => self.value(upper)?,
        };
        Some(address.wrapping_sub(CODE + u64::from(offset)))
    }

    /// A number in data.
    fn number(&mut self, offset: u32, value: u64, bytes: usize) -> Option<()> {
        let place = self.image.get_mut(offset as usize..offset as usize + bytes)?;
        place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        Some(())
    }

    fn riscv(&mut self, relocation: &Unresolved<'_>) -> Option<()> {
        let Unresolved { offset, kind, .. } = *relocation;
        let place = CODE + u64::from(offset);
        let upper = |value: u64, word: u32| word & 0xfff | (value as u32).wrapping_add(0x800) & 0xffff_f000;
        let low = |value: u64, word: u32| word & 0x000f_ffff | (value as u32) << 20;
        let low_of_store =
            |value: u64, word: u32| word & 0x01ff_f07f | (value as u32 & 0xfe0) << 20 | (value as u32 & 0x1f) << 7;
        match elf::RelocationType(kind) {
            elf::R_RISCV_32 => self.number(offset, self.value(relocation)?, 4),
            elf::R_RISCV_64 => self.number(offset, self.value(relocation)?, 8),
            // A distance between two labels is their difference, which two relocations make.
            elf::R_RISCV_ADD32 => {
                let value = self.value(relocation)?;
                self.word(offset, |word| word.wrapping_add(value as u32))
            }
            elf::R_RISCV_SUB32 => {
                let value = self.value(relocation)?;
                self.word(offset, |word| word.wrapping_sub(value as u32))
            }
            elf::R_RISCV_32_PCREL => self.number(offset, self.value(relocation)?.wrapping_sub(place), 4),
            elf::R_RISCV_HI20 => {
                let value = self.value(relocation)?;
                self.word(offset, |word| upper(value, word))
            }
            elf::R_RISCV_LO12_I => {
                let value = self.value(relocation)?;
                self.word(offset, |word| low(value, word))
            }
            elf::R_RISCV_LO12_S => {
                let value = self.value(relocation)?;
                self.word(offset, |word| low_of_store(value, word))
            }
            elf::R_RISCV_TPREL_HI20 => {
                let value = self.thread_distance(relocation)?;
                self.word(offset, |word| upper(value, word))
            }
            elf::R_RISCV_TPREL_LO12_I => {
                let value = self.thread_distance(relocation)?;
                self.word(offset, |word| low(value, word))
            }
            elf::R_RISCV_TPREL_LO12_S => {
                let value = self.thread_distance(relocation)?;
                self.word(offset, |word| low_of_store(value, word))
            }
            // A hint for a linker that makes code shorter.
            elf::R_RISCV_TPREL_ADD => self.thread_distance(relocation).map(|_| ()),
            elf::R_RISCV_PCREL_HI20 | elf::R_RISCV_GOT_HI20 | elf::R_RISCV_TLS_GOT_HI20 => {
                let value = self.distance(offset)?;
                self.word(offset, |word| upper(value, word))
            }
            elf::R_RISCV_PCREL_LO12_I => {
                let LinkedPlace::Code(at) = relocation.to else { return None };
                let value = self.distance(at)?;
                self.word(offset, |word| low(value, word))
            }
            _ => None,
        }
    }

    fn aarch64(&mut self, relocation: &Unresolved<'_>) -> Option<()> {
        let Unresolved { offset, kind, .. } = *relocation;
        let kind = elf::RelocationType(kind);
        let value = match kind {
            elf::R_AARCH64_ADR_GOT_PAGE | elf::R_AARCH64_LD64_GOT_LO12_NC => self.entry(self.value(relocation)?),
            elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 | elf::R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC => {
                self.entry(self.thread_distance(relocation)?)
            }
            elf::R_AARCH64_TLSLE_ADD_TPREL_HI12 | elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC => {
                self.thread_distance(relocation)?
            }
            _ => self.value(relocation)?,
        };
        let place = CODE + u64::from(offset);
        match kind {
            elf::R_AARCH64_ABS64 => return self.number(offset, value, 8),
            elf::R_AARCH64_ABS32 => return self.number(offset, value, 4),
            elf::R_AARCH64_PREL64 => return self.number(offset, value.wrapping_sub(place), 8),
            elf::R_AARCH64_PREL32 => return self.number(offset, value.wrapping_sub(place), 4),
            _ => {}
        }
        let pages = ((value & !0xfff).wrapping_sub(place & !0xfff) >> 12) as u32;
        let imm12 = |scale: u32, word: u32| word & !(0xfff << 10) | ((value as u32 & 0xfff) >> scale) << 10;
        let scale = match kind {
            elf::R_AARCH64_ADR_PREL_PG_HI21
            | elf::R_AARCH64_ADR_GOT_PAGE
            | elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 => {
                let bits = (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5;
                return self.word(offset, |word| word & !(3 << 29 | 0x7_ffff << 5) | bits);
            }
            elf::R_AARCH64_TLSLE_ADD_TPREL_HI12 => {
                // A distance of more bits is one that no linker takes.
                let number = u32::try_from(value >> 12).ok().filter(|&number| number < 1 << 12)?;
                return self.word(offset, |word| word & !(0xfff << 10) | number << 10);
            }
            elf::R_AARCH64_ADD_ABS_LO12_NC
            | elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC
            | elf::R_AARCH64_LDST8_ABS_LO12_NC => 0,
            elf::R_AARCH64_LDST16_ABS_LO12_NC => 1,
            elf::R_AARCH64_LDST32_ABS_LO12_NC => 2,
            elf::R_AARCH64_LDST64_ABS_LO12_NC
            | elf::R_AARCH64_LD64_GOT_LO12_NC
            | elf::R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC => 3,
            _ => return None,
        };
        self.word(offset, |word| imm12(scale, word))
    }
}
