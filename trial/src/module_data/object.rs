//! An object as a list of sections and symbols.

use object::read::elf::{ElfFile, FileHeader, Sym};
use object::read::{RelocationTarget, SymbolSection};
use object::{
    Endianness, FileKind, Object, ObjectComdat, ObjectSection, ObjectSymbol, RelocationFlags, SectionFlags,
    SymbolFlags, elf,
};

/// A symbol, with the fields of `Elf_Sym`.
pub(super) struct ReadSymbol {
    pub name: String,
    pub bind: elf::SymbolBind,
    pub kind: elf::SymbolType,
    pub visibility: elf::SymbolVisibility,
    /// Of a common symbol its alignment.
    pub value: u64,
    pub size: u64,
    /// The index of its section in the list; `None` if another object defines it or the linker places it.
    pub section: Option<usize>,
    pub is_common: bool,
}

/// A relocation: `r_offset`, `r_type`, the index of the symbol in the list, `r_addend`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReadRelocation {
    pub offset: u64,
    pub kind: u32,
    pub symbol: usize,
    pub addend: i64,
}

/// A section, with the fields of its header.
pub(super) struct ReadSection {
    pub name: String,
    pub kind: elf::SectionType,
    pub flags: elf::SectionFlags,
    pub align: u64,
    /// Of the contents, those that the file has; the others are zero.
    pub bytes: Vec<u8>,
    pub size: u64,
    pub relocations: Vec<ReadRelocation>,
    /// The name of the group that it is of.
    pub comdat: Option<String>,
}

/// An object. Lists are indexed as the file's tables.
pub(super) struct ReadObject {
    pub sections: Vec<ReadSection>,
    pub symbols: Vec<ReadSymbol>,
    pub is_aarch64: bool,
    /// `e_flags`
    pub flags: u32,
}

impl ReadObject {
    /// # Errors
    /// The file is no object, or has something that no object of a module has.
    pub fn read(bytes: &[u8]) -> object::Result<ReadObject> {
        match FileKind::parse(bytes)? {
            FileKind::Elf32 => ReadObject::of(&ElfFile::<elf::FileHeader32<Endianness>>::parse(bytes)?),
            _ => ReadObject::of(&ElfFile::<elf::FileHeader64<Endianness>>::parse(bytes)?),
        }
    }

    fn of<H: FileHeader<Endian = Endianness>>(file: &ElfFile<'_, H>) -> object::Result<ReadObject> {
        let mut object = ReadObject {
            sections: Vec::new(),
            symbols: Vec::new(),
            is_aarch64: file.architecture() == object::Architecture::Aarch64,
            flags: file.elf_header().e_flags(file.endian()).0,
        };
        for section in file.sections() {
            object.sections.resize_with(section.index().0 + 1, ReadSection::default);
            let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else { continue };
            let relocation = |(offset, relocation): (u64, object::read::Relocation)| {
                let (RelocationTarget::Symbol(symbol), RelocationFlags::Elf { r_type }) =
                    (relocation.target(), relocation.flags())
                else {
                    return None;
                };
                Some(ReadRelocation { offset, kind: r_type.0, symbol: symbol.0, addend: relocation.addend() })
            };
            object.sections[section.index().0] = ReadSection {
                name: section.name()?.to_string(),
                kind: sh_type,
                flags: sh_flags,
                align: section.align(),
                bytes: section.data()?.to_vec(),
                size: section.size(),
                relocations: section.relocations().filter_map(relocation).collect(),
                comdat: None,
            };
        }
        for comdat in file.comdats() {
            for section in comdat.sections() {
                if let Some(section) = object.sections.get_mut(section.0) {
                    section.comdat = Some(comdat.name()?.to_string());
                }
            }
        }
        for symbol in file.symbols() {
            object.symbols.resize_with(symbol.index().0 + 1, ReadSymbol::default);
            let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { continue };
            object.symbols[symbol.index().0] = ReadSymbol {
                name: symbol.name()?.to_string(),
                bind: st_info.st_bind(),
                kind: st_info.st_type(),
                visibility: st_other.visibility(),
                value: symbol.elf_symbol().st_value(file.endian()).into(),
                size: symbol.size(),
                section: match symbol.section() {
                    SymbolSection::Section(index) => Some(index.0).filter(|&index| index < object.sections.len()),
                    _ => None,
                },
                is_common: symbol.is_common(),
            };
        }
        Ok(object)
    }

    /// The symbol of a name.
    pub fn symbol(&self, name: &str) -> Option<&ReadSymbol> {
        self.symbols.iter().find(|symbol| symbol.name == name && symbol.kind != elf::STT_FILE)
    }
}

impl Default for ReadSection {
    fn default() -> ReadSection {
        let (name, bytes, relocations) = Default::default();
        let (kind, flags) = (elf::SHT_NULL, elf::SectionFlags(0));
        ReadSection { name, kind, flags, align: 0, bytes, size: 0, relocations, comdat: None }
    }
}

impl Default for ReadSymbol {
    fn default() -> ReadSymbol {
        ReadSymbol {
            name: String::new(),
            bind: elf::STB_LOCAL,
            kind: elf::STT_NOTYPE,
            visibility: elf::STV_DEFAULT,
            value: 0,
            size: 0,
            section: None,
            is_common: false,
        }
    }
}
