//! The loader: the ELF object is what runs. Its sections are laid out one after the other, its symbols found, and its
//! relocations handed to the [`super::linker`].
//!
//! Invariant: nothing is known of the code but what the object says. The `object` crate reads it, and the psABIs say
//! what a relocation is.

use super::linker::{LinkedPlace, Unlinked, Unresolved};
use object::read::elf::ElfFile;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SymbolSection, elf,
};
use std::collections::BTreeMap;

/// Bytes between the code and the data after it: no target has an instruction of zeros.
const GAP: usize = 64;
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
    /// A relocation names something without a place.
    #[error("a relocation at offset {0:#x} names nothing")]
    Place(u64),
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
    /// The functions by their names, with their offsets in the code.
    functions: BTreeMap<String, u32>,
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
        let (image, relocations, calls, functions) = Default::default();
        let empty = LoadedObject { image, text: 0, relocations, calls, symbols, functions, scope };
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
        let (image, relocations, calls, functions) = Default::default();
        let empty = LoadedObject { image, text: 0, relocations, calls, symbols, functions, scope: ObjectScope::Alone };
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
        // Code first: it begins where a run does.
        for is_code in [true, false] {
            self.place(is_code)?;
            if is_code {
                self.loaded.text = self.loaded.image.len();
                self.tiled()?;
                self.loaded.image.resize(self.loaded.text + GAP, 0);
            }
        }
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
        self.loaded.image.resize(self.loaded.text + GAP, 0);
        self.place(false)?;
        if self.placed.len() == 1 {
            self.loaded.image.truncate(self.loaded.text);
        }
        self.relocate()?;
        Ok(self.loaded)
    }

    /// Lays out the sections that are code, or those that are not.
    fn place(&mut self, is_code: bool) -> Result<(), ObjectLoadError> {
        for section in self.file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let is_wanted = sh_flags.0 & elf::SHF_ALLOC.0 != 0 && (sh_flags.0 & elf::SHF_EXECINSTR.0 != 0) == is_code;
            // What an unwinder reads is nothing to a run.
            if !is_wanted || section.size() == 0 || section.name() == Ok(".eh_frame") {
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

    fn relocate(&mut self) -> Result<(), ObjectLoadError> {
        let mut found = Vec::new();
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
                let to = self.place_of(&symbol, relocation.addend());
                let is_own = matches!(symbol.section(), SymbolSection::Section(_));
                // Data of a function that is left out.
                if to.is_none() && is_own && offset >= self.loaded.text as u64 {
                    continue;
                }
                found.push((offset as u32, r_type.0, to, symbol.name()?.to_string(), relocation.addend()));
            }
        }
        for (offset, kind, start, name, addend) in found {
            if is_call(elf::RelocationType(kind)) {
                self.loaded.calls.push((offset, name));
                continue;
            }
            // A symbol that no module declares has another sigil.
            let known = || {
                [format!("@{name}"), format!("&{name}")].into_iter().find(|name| self.loaded.symbols.contains_key(name))
            };
            // The address of a function that the object defines is the source's choice too.
            let (to, addend) = match (known(), start) {
                (Some(name), _) => (LinkedPlace::Symbol(name.into()), addend),
                (None, Some(place)) => (LinkedPlace::Code(place as u32), 0),
                (None, None) => return Err(ObjectLoadError::Symbol(name)),
            };
            self.loaded.relocations.push(Unresolved { offset, kind, to, addend });
        }
        Ok(())
    }
}

/// True for the relocation of a call, on either machine: their numbers are apart.
fn is_call(kind: elf::RelocationType) -> bool {
    [elf::R_RISCV_CALL_PLT, elf::R_AARCH64_CALL26, elf::R_AARCH64_JUMP26].contains(&kind)
}
