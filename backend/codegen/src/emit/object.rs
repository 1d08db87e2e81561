//! ELF relocatable objects: the code of functions, with a relocation for each call that a linker completes.

use super::Code;
use crate::CompileError;
use object::elf::FileFlags;
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolId, SymbolSection};
use object::{
    BinaryFormat, Endianness, FileFlags as ObjectFlags, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope,
};
use rustc_hash::FxHashMap;
use tribunal_target::Target;
use tribunal_target::abi::CallKind;

/// An object with the functions in `.text`, each a global symbol; their callees are undefined symbols.
pub fn object(codes: &[Code], target: &'static Target) -> Result<Vec<u8>, CompileError> {
    let Some(elf) = &target.elf else {
        let feature = format!("object files of {}", target.name);
        return Err(CompileError::Unsupported { function: first(codes), pass: "emit", feature });
    };
    let mut file = Object::new(BinaryFormat::Elf, elf.architecture, Endianness::Little);
    let options = elf.options.iter().filter(|option| codes.iter().any(|code| code.features.contains(option.feature)));
    let e_flags = FileFlags(options.fold(elf.flags.0, |flags, option| flags | option.flags.0));
    file.flags = ObjectFlags::Elf { os_abi: object::elf::ELFOSABI_NONE, abi_version: 0, e_flags };
    let text = file.section_id(StandardSection::Text);
    let mut symbols: FxHashMap<&str, SymbolId> = FxHashMap::default();
    let mut offsets = Vec::with_capacity(codes.len());
    for code in codes {
        let offset = file.append_section_data(text, &code.bytes, code.align.into());
        let size = code.bytes.len() as u64;
        let section = SymbolSection::Section(text);
        let defined = Symbol { value: offset, size, kind: SymbolKind::Text, section, ..named(&code.name) };
        symbols.insert(&code.name, file.add_symbol(defined));
        offsets.push(offset);
    }
    for (code, base) in codes.iter().zip(offsets) {
        for call in &code.calls {
            let symbol = *symbols.entry(&call.symbol).or_insert_with(|| file.add_symbol(named(&call.symbol)));
            let r_type = match call.kind {
                CallKind::Returning => elf.call,
                CallKind::Tail => elf.tail_call,
            };
            let flags = RelocationFlags::Elf { r_type };
            let offset = base + u64::from(call.offset);
            file.add_relocation(text, Relocation { offset, symbol, addend: 0, flags }).map_err(failed(codes))?;
        }
    }
    // No executable stack.
    file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    file.write().map_err(failed(codes))
}

/// A symbol that some other object defines.
fn named(name: &str) -> Symbol {
    Symbol {
        name: name.as_bytes().to_vec(),
        value: 0,
        size: 0,
        kind: SymbolKind::Unknown,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    }
}

/// The name of the first function.
fn first(codes: &[Code]) -> String {
    codes.first().map(|code| code.name.clone()).unwrap_or_default()
}

fn failed(codes: &[Code]) -> impl Fn(object::write::Error) -> CompileError {
    let function = first(codes);
    move |error| CompileError::Internal { function: function.clone(), pass: "emit", reason: error.to_string() }
}
