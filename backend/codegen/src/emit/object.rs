//! ELF relocatable objects.

use super::Code;
use crate::CompileError;
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, FileFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use tribunal_target::Target;

/// An object with the functions in `.text`, each a global symbol.
pub fn object(codes: &[Code], target: &'static Target) -> Result<Vec<u8>, CompileError> {
    let architecture = match (object::elf::Machine(target.elf_machine), target.pointer_bits) {
        (object::elf::EM_RISCV, 32) => Architecture::Riscv32,
        (object::elf::EM_RISCV, _) => Architecture::Riscv64,
        _ => Architecture::Aarch64,
    };
    let mut file = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    file.flags = FileFlags::Elf {
        os_abi: object::elf::ELFOSABI_NONE,
        abi_version: 0,
        e_flags: object::elf::FileFlags(target.elf_flags),
    };
    let text = file.section_id(StandardSection::Text);
    for code in codes {
        let offset = file.append_section_data(text, &code.bytes, code.align.into());
        file.add_symbol(Symbol {
            name: code.name.clone().into_bytes(),
            value: offset,
            size: code.bytes.len() as u64,
            kind: SymbolKind::Text,
            scope: SymbolScope::Dynamic,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    // No executable stack.
    file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    file.write().map_err(|error| CompileError::Internal {
        function: codes.first().map(|code| code.name.clone()).unwrap_or_default(),
        pass: "emit",
        reason: error.to_string(),
    })
}
