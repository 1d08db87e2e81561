//! The loader: the ELF object is what runs. Its sections are laid out one after the other, its symbols found, and its
//! relocations handed to the [`super::linker`]. Sections of thread-local variables stand last: they are what the
//! thread's block begins with, as in a program header `PT_TLS`.
//!
//! Invariant: nothing is known of the code but what the object says. The `object` crate reads it, and the psABIs say
//! what a relocation is.

use super::linker::{LinkedPlace, Unlinked, Unresolved};
use super::unwind::{self, UnwindRow};
use crate::input::{PAGE, THREAD_BLOCK_BYTES};
use object::read::elf::{ElfFile, SectionHeader, Sym};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SymbolSection, elf,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes between the code and the data after it: no target has an instruction of zeros.
const GAP: usize = 64;
/// The name of the section that an unwinder reads.
const UNWIND_TABLE: &str = ".eh_frame";
/// Bytes of code and data at most.
const MOST_BYTES: u64 = super::CODE_BYTES;
/// The alignment of sections at least, in bytes.
const ALIGN: u64 = 16;

/// The reason why an object cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectLoadError {
    /// The file is no object.
    #[error("the object cannot be read: {0}")]
    Malformed(String),
    /// The functions do not fill the code, or lie over each other.
    #[error("the functions' symbols and sizes do not tile the code: {0}")]
    Untiled(String),
    /// A call stands where the object has none, or is of another symbol.
    #[error("the object has no call of `{0}` at offset {1:#x} of the code")]
    Call(String, u32),
    /// A relocation names a symbol that neither the object nor its environment places.
    #[error("a relocation names `{0}`, which has no address")]
    Symbol(String),
    /// A relocation of a thread-local variable names something else, or another relocation names one.
    #[error("relocations of thread-local variables and of other symbols name `{0}`")]
    ThreadLocal(String),
    /// A relocation names something without a place.
    #[error("a relocation at offset {0:#x} names nothing")]
    Place(u64),
    /// The object's own symbols do not come first, as a linker wants them, or others are among them.
    #[error("the symbol `{0}` is on the wrong side of the border between local symbols and others")]
    Binding(String),
    /// The object has no function of this name.
    #[error("the object has no function `{0}`")]
    Function(String),
}

impl From<object::Error> for ObjectLoadError {
    fn from(error: object::Error) -> ObjectLoadError {
        ObjectLoadError::Malformed(error.to_string())
    }
}

/// The functions that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectScope {
    /// The first alone: a call of any function leaves the code.
    Alone,
    /// All of the object: a call of one of them stays in the code.
    Together,
}

/// An object whose sections have places.
pub struct LoadedObject {
    image: Vec<u8>,
    /// Bytes of instructions, at the start of the image.
    text: usize,
    relocations: Vec<Unresolved<'static>>,
    /// Calls that a linker completes: the offset, and the symbol.
    calls: Vec<(u32, String)>,
    symbols: BTreeMap<String, u64>,
    /// The sections of thread-local variables, in the image: their bytes at the start of each thread's block.
    thread_data: Range<usize>,
    /// The functions by their names, with their offsets in the code.
    functions: BTreeMap<String, u32>,
    unwind: Vec<UnwindRow>,
    scope: ObjectScope,
}

impl LoadedObject {
    /// Reads an object whose first function runs. `symbols` are the addresses of what it does not define, with their
    /// sigils, and of functions that a program may call through a register.
    pub fn read(
        bytes: &[u8],
        symbols: BTreeMap<String, u64>,
        scope: ObjectScope,
    ) -> Result<LoadedObject, ObjectLoadError> {
        let kind = object::FileKind::parse(bytes)?;
        let empty = LoadedObject::empty(symbols, scope);
        match kind {
            object::FileKind::Elf64 => {
                Loader::new(ElfFile::<elf::FileHeader64<object::Endianness>>::parse(bytes)?, empty).load()
            }
            object::FileKind::Elf32 => {
                Loader::new(ElfFile::<elf::FileHeader32<object::Endianness>>::parse(bytes)?, empty).load()
            }
            _ => Err(ObjectLoadError::Malformed(format!("{kind:?}"))),
        }
    }

    /// Reads one function of an object with all data of the object, as if it held no other. `symbols` as for
    /// [`LoadedObject::read`].
    ///
    /// # Errors
    /// The object has no such function, or the function names another one that has no address.
    pub fn read_function(
        bytes: &[u8],
        name: &str,
        symbols: BTreeMap<String, u64>,
    ) -> Result<LoadedObject, ObjectLoadError> {
        let kind = object::FileKind::parse(bytes)?;
        let empty = LoadedObject::empty(symbols, ObjectScope::Alone);
        match kind {
            object::FileKind::Elf64 => {
                Loader::new(ElfFile::<elf::FileHeader64<object::Endianness>>::parse(bytes)?, empty).load_function(name)
            }
            object::FileKind::Elf32 => {
                Loader::new(ElfFile::<elf::FileHeader32<object::Endianness>>::parse(bytes)?, empty).load_function(name)
            }
            _ => Err(ObjectLoadError::Malformed(format!("{kind:?}"))),
        }
    }

    /// Nothing yet.
    fn empty(symbols: BTreeMap<String, u64>, scope: ObjectScope) -> LoadedObject {
        let (image, relocations, calls, thread_data, functions, unwind) = Default::default();
        LoadedObject { image, text: 0, relocations, calls, symbols, thread_data, functions, unwind, scope }
    }

    /// The instructions.
    pub fn text(&self) -> &[u8] {
        &self.image[..self.text]
    }

    /// The symbols that the code calls, with the offsets of the calls in the code.
    pub fn called(&self) -> impl Iterator<Item = (u32, &str)> {
        self.calls.iter().map(|(offset, name)| (*offset, name.as_str()))
    }

    /// The offset of a function in the code.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.functions.get(name).copied()
    }

    /// The call of this symbol at an offset of the code is the object's.
    pub fn check_call(&self, offset: u32, symbol: &str) -> Result<(), ObjectLoadError> {
        match self.calls.iter().any(|(at, name)| *at == offset && name == symbol) {
            true => Ok(()),
            false => Err(ObjectLoadError::Call(symbol.to_string(), offset)),
        }
    }

    /// The number of calls that a linker completes.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Code and data with what a linker completes.
    pub fn unlinked(&self) -> Unlinked<'_> {
        Unlinked {
            code: &self.image,
            text: Some(self.text),
            relocations: self.relocations.clone(),
            unwind: self.unwind.clone(),
            thread_data: self.thread_data.clone(),
            symbols: self.symbols.clone(),
            functions: match self.scope {
                ObjectScope::Alone => BTreeMap::new(),
                ObjectScope::Together => self.functions.clone(),
            },
            ..Unlinked::default()
        }
    }
}

/// Bytes of a section in the image.
struct Placed {
    index: object::SectionIndex,
    /// The place of the first of them in the image.
    start: u64,
    /// Its offset in the section.
    from: u64,
    bytes: u64,
    /// Whether the section has more.
    is_part: bool,
}

impl Placed {
    /// The place in the image of an offset in the section. The end is a place too.
    fn place(&self, offset: u64) -> Option<u64> {
        let within = offset.checked_sub(self.from).filter(|&within| within <= self.bytes)?;
        Some(self.start + within)
    }
}

/// The kinds of sections, in the order of their places: code begins where a run does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SectionContents {
    Code,
    Data,
    ThreadData,
}

impl SectionContents {
    /// Of a section that is loaded.
    fn of(flags: SectionFlags) -> Option<SectionContents> {
        let SectionFlags::Elf { sh_flags, .. } = flags else { return None };
        let has = |flag: elf::SectionFlags| sh_flags.0 & flag.0 != 0;
        has(elf::SHF_ALLOC).then(|| match (has(elf::SHF_EXECINSTR), has(elf::SHF_TLS)) {
            (true, _) => SectionContents::Code,
            (false, true) => SectionContents::ThreadData,
            (false, false) => SectionContents::Data,
        })
    }
}

struct Loader<'d, H: object::read::elf::FileHeader> {
    file: ElfFile<'d, H>,
    placed: Vec<Placed>,
    loaded: LoadedObject,
}

impl<'d, H: object::read::elf::FileHeader> Loader<'d, H> {
    fn new(file: ElfFile<'d, H>, empty: LoadedObject) -> Loader<'d, H> {
        Loader { file, placed: Vec::new(), loaded: empty }
    }

    fn load(mut self) -> Result<LoadedObject, ObjectLoadError> {
        self.bound()?;
        self.place(SectionContents::Code)?;
        self.loaded.text = self.loaded.image.len();
        self.tiled()?;
        self.read_unwind_table()?;
        self.with_data()
    }

    /// Local symbols stand before all others, and the table's header says where those begin (ELF, "Symbol Table").
    fn bound(&self) -> Result<(), ObjectLoadError> {
        let (endian, table) = (self.file.endian(), self.file.elf_symbol_table());
        let others = self.file.elf_section_table().section(table.section())?.sh_info(endian);
        for (index, symbol) in table.enumerate() {
            if (symbol.st_bind() == elf::STB_LOCAL) != (index.0 < others as usize) {
                let name = table.symbol_name(endian, symbol)?;
                return Err(ObjectLoadError::Binding(String::from_utf8_lossy(name).into_owned()));
            }
        }
        Ok(())
    }

    /// What the code needs behind it, and the relocations of all.
    fn with_data(mut self) -> Result<LoadedObject, ObjectLoadError> {
        self.loaded.image.resize(self.loaded.text + GAP, 0);
        self.place(SectionContents::Data)?;
        self.place_thread_data()?;
        if self.placed.iter().all(|placed| placed.start < self.loaded.text as u64) {
            self.loaded.image.truncate(self.loaded.text);
        }
        self.relocate()?;
        Ok(self.loaded)
    }

    /// One function alone, then the data.
    fn load_function(mut self, name: &str) -> Result<LoadedObject, ObjectLoadError> {
        let missing = || ObjectLoadError::Function(name.to_string());
        let mut functions = self.file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text);
        let symbol = functions.find(|symbol| symbol.name() == Ok(name)).ok_or_else(missing)?;
        let SymbolSection::Section(index) = symbol.section() else { return Err(missing()) };
        let (from, bytes) = (symbol.address(), symbol.size());
        let code = self.file.section_by_index(index)?.data_range(from, bytes)?.ok_or_else(missing)?;
        self.loaded.image.extend_from_slice(code);
        self.loaded.text = code.len();
        self.placed.push(Placed { index, start: 0, from, bytes, is_part: true });
        self.with_data()
    }

    /// Lays out what a thread's block begins with, aligned as the block is.
    fn place_thread_data(&mut self) -> Result<(), ObjectLoadError> {
        let (sections, end) = (self.placed.len(), self.loaded.image.len());
        let start = end.next_multiple_of(PAGE as usize);
        self.loaded.image.resize(start, 0);
        self.place(SectionContents::ThreadData)?;
        if self.placed.len() == sections {
            self.loaded.image.truncate(end);
            return Ok(());
        }
        self.loaded.thread_data = start..self.loaded.image.len();
        match self.loaded.thread_data.len() as u64 <= THREAD_BLOCK_BYTES {
            true => Ok(()),
            false => Err(ObjectLoadError::Malformed("a thread has too many variables".to_string())),
        }
    }

    /// Lays out the sections of one kind.
    fn place(&mut self, wanted: SectionContents) -> Result<(), ObjectLoadError> {
        for section in self.file.sections() {
            let is_wanted = SectionContents::of(section.flags()) == Some(wanted);
            // What an unwinder reads is nothing to a run.
            if !is_wanted || section.size() == 0 || section.name() == Ok(UNWIND_TABLE) {
                continue;
            }
            let align = section.align().clamp(ALIGN, 1 << 16) as usize;
            let start = self.loaded.image.len().next_multiple_of(align);
            let end = section.size().checked_add(start as u64).filter(|&end| end <= MOST_BYTES);
            let end = end.ok_or_else(|| ObjectLoadError::Malformed("a section is too large".to_string()))?;
            self.loaded.image.resize(start, 0);
            self.loaded.image.extend_from_slice(section.data()?);
            self.loaded.image.resize(end as usize, 0);
            self.placed.push(Placed {
                index: section.index(),
                start: start as u64,
                from: 0,
                bytes: section.size(),
                is_part: false,
            });
        }
        Ok(())
    }

    /// The unwinder's table, whose addresses are distances from themselves.
    fn read_unwind_table(&mut self) -> Result<(), ObjectLoadError> {
        let malformed = |error: String| ObjectLoadError::Malformed(format!("the unwinder's table: {error}"));
        // Code of no bytes has no place.
        let table = self.file.section_by_name(UNWIND_TABLE).filter(|_| self.loaded.text > 0);
        let Some(section) = table else { return Ok(()) };
        let mut bytes = section.data()?.to_vec();
        for (at, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return Err(ObjectLoadError::Place(at));
            };
            let place = self.place_of(&self.file.symbol_by_index(symbol)?, relocation.addend());
            let distance =
                place.ok_or(ObjectLoadError::Place(at))?.wrapping_sub(unwind::SECTION.wrapping_add(at)) as u32;
            let word = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at..)?.first_chunk_mut());
            *word.ok_or(ObjectLoadError::Place(at))? = distance.to_le_bytes();
        }
        let word = if self.file.is_64() { 8 } else { 4 };
        self.loaded.unwind = unwind::rows(&bytes, word).map_err(malformed)?;
        Ok(())
    }

    /// Functions have sizes, and together they are the code.
    fn tiled(&mut self) -> Result<(), ObjectLoadError> {
        let mut functions: Vec<(u64, u64, String)> = Vec::new();
        for symbol in self.file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text) {
            if let Some(start) = self.start_of(&symbol) {
                functions.push((start, symbol.size().min(MOST_BYTES), symbol.name()?.to_string()));
            }
        }
        functions.sort_unstable();
        let mut next = 0;
        for (start, size, name) in functions {
            if start < next || start - next >= ALIGN {
                return Err(ObjectLoadError::Untiled(format!("{name} begins at {start:#x}, not at {next:#x}")));
            }
            next = start + size;
            self.loaded.functions.insert(name, start as u32);
        }
        match next == self.loaded.text as u64 {
            true => Ok(()),
            false => Err(ObjectLoadError::Untiled(format!("{next:#x} of {:#x} bytes", self.loaded.text))),
        }
    }

    /// The place of a symbol in the image; `None` if another object defines it.
    fn start_of<'f>(&self, symbol: &impl ObjectSymbol<'f>) -> Option<u64> {
        self.place_of(symbol, 0)
    }

    /// The place so many bytes after a symbol.
    fn place_of<'f>(&self, symbol: &impl ObjectSymbol<'f>, addend: i64) -> Option<u64> {
        let SymbolSection::Section(index) = symbol.section() else { return None };
        let address = symbol.address().checked_add_signed(addend)?;
        self.placed.iter().filter(|placed| placed.index == index).find_map(|placed| placed.place(address))
    }

    /// The same with what is added to it, for one kind of relocation. A thread-local variable's place is in the
    /// thread's block.
    fn own_place<'f>(
        &self,
        symbol: &impl ObjectSymbol<'f>,
        kind: elf::RelocationType,
        addend: i64,
    ) -> Option<(LinkedPlace<'static>, i64)> {
        if is_of_entry(kind) {
            let SymbolSection::Section(index) = symbol.section() else { return None };
            let placed = self.placed.iter().find(|placed| placed.index == index)?;
            let start = placed.start.wrapping_sub(placed.from).wrapping_add(symbol.address());
            return Some((LinkedPlace::Code(0), addend.wrapping_add_unsigned(start)));
        }
        let start = self.place_of(symbol, addend)?;
        let place = match symbol.kind() {
            object::SymbolKind::Tls => {
                LinkedPlace::Thread(start.saturating_sub(self.loaded.thread_data.start as u64) as u32)
            }
            _ => LinkedPlace::Code(start as u32),
        };
        Some((place, 0))
    }

    fn relocate(&mut self) -> Result<(), ObjectLoadError> {
        let mut found = Vec::new();
        let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
        for placed in &self.placed {
            for (at, relocation) in self.file.section_by_index(placed.index)?.relocations() {
                let offset = match placed.place(at).filter(|&place| place < placed.start + placed.bytes) {
                    Some(offset) => offset,
                    None if placed.is_part => continue,
                    None => return Err(ObjectLoadError::Place(at)),
                };
                let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
                let RelocationTarget::Symbol(symbol) = relocation.target() else {
                    return Err(ObjectLoadError::Place(offset));
                };
                let symbol = self.file.symbol_by_index(symbol)?;
                let name = symbol.name()?.to_string();
                let kind = elf::RelocationType(r_type.0);
                let own = self.own_place(&symbol, kind, relocation.addend());
                // Data of a function that is left out.
                let is_here = matches!(symbol.section(), SymbolSection::Section(_));
                if own.is_none() && is_here && offset >= self.loaded.text as u64 {
                    continue;
                }
                let of_own = own.as_ref().map(|own| matches!(own, (LinkedPlace::Thread(_), _)));
                // All relocations of a symbol are of one kind, or no linker takes the object.
                let is_of_distance = is_of_distance(kind);
                let first = of_own.unwrap_or_else(|| *kinds.entry(name.clone()).or_insert(is_of_distance));
                if first != is_of_distance {
                    return Err(ObjectLoadError::ThreadLocal(name));
                }
                found.push((offset as u32, r_type.0, own, name, relocation.addend()));
            }
        }
        for (offset, kind, own, name, addend) in found {
            if is_call(elf::RelocationType(kind)) {
                self.loaded.calls.push((offset, name));
                continue;
            }
            // A symbol that no module declares has another sigil.
            let known = || {
                [format!("@{name}"), format!("&{name}")].into_iter().find(|name| self.loaded.symbols.contains_key(name))
            };
            // The address of a function that the object defines is the source's choice too.
            let (to, addend) = match (known(), own) {
                (Some(name), _) => (LinkedPlace::Symbol(name.into()), addend),
                (None, Some(own)) => own,
                (None, None) => return Err(ObjectLoadError::Symbol(name)),
            };
            self.loaded.relocations.push(Unresolved { offset, kind, to, addend });
        }
        Ok(())
    }
}

/// True for the relocation of a thread-local variable's distance from the thread pointer, on either machine.
fn is_of_distance(kind: elf::RelocationType) -> bool {
    [
        elf::R_RISCV_TPREL_HI20,
        elf::R_RISCV_TPREL_LO12_I,
        elf::R_RISCV_TPREL_LO12_S,
        elf::R_RISCV_TPREL_ADD,
        elf::R_RISCV_TLS_GOT_HI20,
        elf::R_AARCH64_TLSLE_ADD_TPREL_HI12,
        elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC,
        elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21,
        elf::R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC,
    ]
    .contains(&kind)
}

/// True for the relocation of a table's entry, on either machine. It is a distance from the table, and the linker knows
/// that from the entry: so what is added holds the entry's place in the table, and is no place in a section.
fn is_of_entry(kind: elf::RelocationType) -> bool {
    [elf::R_RISCV_32_PCREL, elf::R_AARCH64_PREL32].contains(&kind)
}

/// True for the relocation of a call, on either machine: their numbers are apart.
fn is_call(kind: elf::RelocationType) -> bool {
    [elf::R_RISCV_CALL_PLT, elf::R_AARCH64_CALL26, elf::R_AARCH64_JUMP26].contains(&kind)
}
