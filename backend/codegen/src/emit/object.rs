//! ELF relocatable objects: the code of functions and the data of their module, with a relocation for each address that
//! a linker completes.
//!
//! Invariant: symbols are defined before anything names them, so a name without a definition is another object's.

use super::data;
use super::relocations::CodeReferent;
use super::sections::Contents;
use super::unwind::{self, Unwound};
use super::{Code, CodeRelocation};
use crate::CompileError;
use object::elf::{
    FileFlags, RelocationType, STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FUNC, STT_NOTYPE, STT_OBJECT, STT_TLS, STV_DEFAULT,
    STV_HIDDEN, STV_PROTECTED, SymbolBind, SymbolType, SymbolVisibility,
};
use object::write::{Comdat, Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    BinaryFormat, ComdatKind, Endianness, FileFlags as ObjectFlags, RelocationFlags, SectionFlags, SectionKind,
    SymbolFlags, SymbolKind, SymbolScope,
};
use rustc_hash::FxHashMap;
use tribunal_ir::RelocationModel;
use tribunal_llvm::{ComdatId, DataLayout, GlobalValue, IrFunction, IrModule, Layouts, Linkage, Name, Visibility};
use tribunal_target::abi::CallKind;
use tribunal_target::{AttributeDesc, AttributeSection, Elf, ModuleIsa, Target};

/// An object with the functions and, if there is a module, its data.
pub fn object(
    codes: &[Code],
    ir: Option<&IrModule>,
    model: RelocationModel,
    target: &'static Target,
) -> Result<Vec<u8>, CompileError> {
    let Some(elf) = &target.elf else {
        let function = codes.first().map(|code| code.name.clone()).unwrap_or_default();
        let feature = format!("object files of {}", target.name);
        return Err(CompileError::Unsupported { function, pass: "emit", feature });
    };
    let mut writer = Writer::new(ir, elf, model, target, flags(codes, ir, target, elf));
    let mut placed = Vec::with_capacity(codes.len());
    for code in codes {
        placed.push(writer.function(code)?);
    }
    let images = data::place(&mut writer)?;
    for (code, place) in codes.iter().zip(&placed) {
        writer.code_relocations(code, place)?;
    }
    data::complete(&mut writer, images)?;
    writer.unwind_table(codes, &placed)?;
    let features = codes.iter().fold(target.base(), |all, code| all | code.features);
    if let Some(AttributeDesc { flag, section }) = &elf.attributes {
        let isa = ir.map(|ir| ir.flags.list(flag).collect()).unwrap_or_default();
        writer.attributes(section(features, &ModuleIsa { abi: abi(ir), isa }));
    }
    writer.finish()
}

/// `e_flags`: of the convention that the module names, else of that of the features.
fn flags(codes: &[Code], ir: Option<&IrModule>, target: &Target, elf: &Elf) -> FileFlags {
    let features = codes.iter().fold(target.base(), |all, code| all | code.features);
    let convention = target.abi.calls.as_ref().and_then(|calls| calls.convention(None, features));
    let options = elf.options.iter().filter(|option| codes.iter().any(|code| code.features.contains(option.feature)));
    let name = abi(ir).or_else(|| convention.and_then(|convention| convention.names.first().copied()));
    let abi = name.and_then(|abi| elf.abis.iter().find(|(name, _)| *name == abi));
    let flags = elf.flags.0 | abi.map_or(0, |(_, flags)| flags.0);
    FileFlags(options.fold(flags, |flags, option| flags | option.flags.0))
}

/// The calling convention that the module names.
fn abi(ir: Option<&IrModule>) -> Option<&str> {
    ir.and_then(|ir| ir.flags.text("target-abi"))
}

/// A function's places in the object.
struct PlacedCode {
    section: SectionId,
    offset: u64,
    /// Its constants, by number.
    constants: Vec<(SectionId, u64)>,
    /// Its jump tables, by number.
    tables: Vec<(SectionId, u64)>,
}

/// A section by its name, its contents, and the comdat that it is of.
type SectionKey = (Vec<u8>, Contents, Option<ComdatId>);

/// An object under construction.
pub(super) struct Writer<'m> {
    pub file: Object<'static>,
    pub ir: Option<&'m IrModule>,
    pub layouts: Option<Layouts<'m>>,
    pub elf: &'static Elf,
    pub model: RelocationModel,
    target: &'static Target,
    sections: FxHashMap<SectionKey, SectionId>,
    symbols: FxHashMap<Name, SymbolId>,
    /// The section and the offset of each definition.
    pub places: FxHashMap<Name, (SectionId, u64)>,
    /// Blocks whose addresses are taken, by function and block.
    blocks: FxHashMap<(Name, Name), (SectionId, u64)>,
    /// Labels for relocations that name instructions.
    labels: u32,
}

impl<'m> Writer<'m> {
    fn new(
        ir: Option<&'m IrModule>,
        elf: &'static Elf,
        model: RelocationModel,
        target: &'static Target,
        e_flags: FileFlags,
    ) -> Writer<'m> {
        let mut file = Object::new(BinaryFormat::Elf, elf.architecture, Endianness::Little);
        file.flags = ObjectFlags::Elf { os_abi: object::elf::ELFOSABI_NONE, abi_version: 0, e_flags };
        if let Some(name) = ir.and_then(|ir| ir.source_filename.as_deref()) {
            let name = name.rsplit('/').next().unwrap_or(name);
            file.add_file_symbol(name.as_bytes().to_vec());
        }
        let pointers = DataLayout::with_pointers(target.pointer_bits.into());
        let layouts = ir.map(|ir| ir.layouts(&pointers));
        let (sections, symbols, places, blocks) = Default::default();
        Writer { file, ir, layouts, elf, model, target, sections, symbols, places, blocks, labels: 0 }
    }

    /// The section of a name, new or not.
    pub fn section(&mut self, name: &str, contents: Contents, comdat: Option<ComdatId>) -> SectionId {
        let key = (name.as_bytes().to_vec(), contents, comdat);
        if let Some(&section) = self.sections.get(&key) {
            return section;
        }
        let section = self.file.add_section(Vec::new(), key.0.clone(), contents.kind());
        if contents != Contents::String {
            let (sh_type, sh_flags) = contents.header(name);
            self.file.section_mut(section).flags = SectionFlags::Elf { sh_type, sh_flags };
        }
        self.sections.insert(key, section);
        section
    }

    /// The section of a definition: the one that the module names, one of its own in a comdat, or the usual one.
    pub fn section_of(
        &mut self,
        name: &Name,
        named: Option<&str>,
        comdat: Option<ComdatId>,
        contents: Contents,
    ) -> (SectionId, Contents) {
        match (named, comdat) {
            (Some(section), _) => {
                let contents = contents.in_named(section);
                (self.section(section, contents, comdat), contents)
            }
            (None, Some(_)) => {
                let contents = if contents == Contents::String { Contents::ReadOnly } else { contents };
                let section = format!("{}.{}", contents.section(), symbol_name(name));
                (self.section(&section, contents, comdat), contents)
            }
            (None, None) => (self.section(contents.section(), contents, None), contents),
        }
    }

    /// Appends a function and defines its symbol.
    fn function(&mut self, code: &Code) -> Result<PlacedCode, CompileError> {
        let name = Name::from(code.name.as_str());
        let declared: Option<&IrFunction> = self.ir.and_then(|ir| ir.function(&name));
        let (named, comdat) = declared.map_or((None, None), |f| (f.section.as_deref(), f.comdat));
        let align = declared.and_then(|function| function.alignment).unwrap_or(1).max(code.align.into());
        let (section, _) = self.section_of(&name, named, comdat, Contents::Code);
        let offset = self.file.append_section_data(section, &code.bytes, align);
        let size = code.bytes.len() as u64;
        self.define(&name, declared.map(|function| &function.value), STT_FUNC, (section, offset, size));
        for (block, at) in &code.blocks {
            self.blocks.insert((name.clone(), block.clone()), (section, offset + u64::from(*at)));
        }
        let constants = data::constants(self, code)?;
        let tables = data::tables(self, code, (section, offset))?;
        Ok(PlacedCode { section, offset, constants, tables })
    }

    /// Defines a symbol; one that is private has a place alone, unless it is a string.
    pub fn define(
        &mut self,
        name: &Name,
        value: Option<&GlobalValue>,
        st_type: SymbolType,
        (section, offset, size): (SectionId, u64, u64),
    ) {
        self.places.insert(name.clone(), (section, offset));
        let is_private = value.is_some_and(|value| value.linkage == Linkage::Private);
        // A linker moves the strings of a section that it merges: only a symbol says which one is meant.
        let strings = (Contents::String.section().as_bytes().to_vec(), Contents::String, None);
        if is_private && self.sections.get(&strings) != Some(&section) {
            return;
        }
        let shown = if is_private { Name::from(format!(".L{}", symbol_name(name)).as_str()) } else { name.clone() };
        let section = SymbolSection::Section(section);
        let symbol = Symbol { value: offset, size, section, ..symbol(&shown, value, st_type, binding(value)) };
        let id = self.file.add_symbol(symbol);
        self.symbols.insert(name.clone(), id);
    }

    /// Defines a symbol that the linker allocates.
    pub fn define_common(&mut self, name: &Name, value: &GlobalValue, size: u64, align: u64) {
        let symbol = symbol(name, Some(value), STT_OBJECT, STB_GLOBAL);
        let id = self.file.add_common_symbol(Symbol { kind: SymbolKind::Data, ..symbol }, size, align);
        self.symbols.insert(name.clone(), id);
    }

    /// The size of a symbol; `None` for a place without one.
    pub fn size(&self, name: &Name) -> Option<u64> {
        self.symbols.get(name).map(|&id| self.file.symbol(id).size)
    }

    /// The symbol of a name, with what is to be added to it.
    pub fn symbol(&mut self, name: &Name) -> (SymbolId, i64) {
        if let Some(&symbol) = self.symbols.get(name) {
            return (symbol, 0);
        }
        if let Some(&(section, offset)) = self.places.get(name) {
            return (self.file.section_symbol(section), offset as i64);
        }
        let value = self.ir.and_then(|ir| global_value(ir, name));
        let st_type = match value.and_then(|value| value.thread_local) {
            Some(_) => STT_TLS,
            None => STT_NOTYPE,
        };
        let bind = value.filter(|value| value.linkage == Linkage::ExternWeak).map_or(STB_GLOBAL, |_| STB_WEAK);
        let id = self.file.add_symbol(symbol(name, value, st_type, bind));
        self.symbols.insert(name.clone(), id);
        (id, 0)
    }

    /// The symbol of a block whose address is taken.
    pub fn block(&mut self, function: &Name, block: &Name) -> Option<(SymbolId, i64)> {
        let &(section, offset) = self.blocks.get(&(function.clone(), block.clone()))?;
        Some((self.file.section_symbol(section), offset as i64))
    }

    /// A label at an offset of a section.
    fn label(&mut self, section: SectionId, offset: u64) -> SymbolId {
        let name = Name::from(format!(".Lpcrel_hi{}", self.labels).as_str());
        self.labels += 1;
        let section = SymbolSection::Section(section);
        self.file.add_symbol(Symbol { value: offset, section, ..symbol(&name, None, STT_NOTYPE, STB_LOCAL) })
    }

    fn code_relocations(&mut self, code: &Code, place: &PlacedCode) -> Result<(), CompileError> {
        for call in &code.calls {
            let (symbol, addend) = self.symbol(&Name::from(call.symbol.as_str()));
            let offset = place.offset + u64::from(call.offset);
            let kind = match call.kind {
                CallKind::Returning => self.elf.call,
                CallKind::Tail => self.elf.tail_call,
            };
            self.relocate(place.section, offset, kind, (symbol, addend))?;
        }
        // Several relocations may name one instruction.
        let mut labels: FxHashMap<u32, SymbolId> = FxHashMap::default();
        for CodeRelocation { offset, kind, to, addend } in &code.relocations {
            let missing = || unsupported(&code.name, format!("the address of {to:?}"));
            let (symbol, more) = match to {
                CodeReferent::Symbol(name) => self.symbol(name),
                CodeReferent::Code(at) => {
                    let here = place.offset + u64::from(*at);
                    (*labels.entry(*at).or_insert_with(|| self.label(place.section, here)), 0)
                }
                CodeReferent::Constant(number) => {
                    self.local(place.constants.get(*number as usize)).ok_or_else(missing)?
                }
                CodeReferent::Table(number) => self.local(place.tables.get(*number as usize)).ok_or_else(missing)?,
                CodeReferent::Block(function, block) => self.block(function, block).ok_or_else(missing)?,
            };
            self.relocate(place.section, place.offset + u64::from(*offset), *kind, (symbol, addend + more))?;
        }
        Ok(())
    }

    /// The symbol of a section, with an offset in it.
    fn local(&mut self, place: Option<&(SectionId, u64)>) -> Option<(SymbolId, i64)> {
        place.map(|&(section, offset)| (self.file.section_symbol(section), offset as i64))
    }

    /// Adds a relocation.
    pub fn relocate(
        &mut self,
        section: SectionId,
        offset: u64,
        r_type: RelocationType,
        (symbol, addend): (SymbolId, i64),
    ) -> Result<(), CompileError> {
        let flags = RelocationFlags::Elf { r_type };
        let done = self.file.add_relocation(section, Relocation { offset, symbol, addend, flags });
        done.map_err(|error| internal(error.to_string()))
    }

    /// The bytes of the file. Its stack is not executable.
    fn finish(mut self) -> Result<Vec<u8>, CompileError> {
        self.comdats()?;
        self.file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
        self.file.write().map_err(|error| internal(error.to_string()))
    }

    fn comdats(&mut self) -> Result<(), CompileError> {
        let mut groups: FxHashMap<ComdatId, Vec<SectionId>> = FxHashMap::default();
        for ((.., comdat), section) in &self.sections {
            if let Some(comdat) = comdat {
                groups.entry(*comdat).or_default().push(*section);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable();
        for (comdat, mut sections) in groups {
            let Some(comdat) = self.ir.map(|ir| &ir.comdats[comdat]) else { continue };
            if comdat.selection != Some(tribunal_llvm::ComdatSelection::Any) {
                return Err(unsupported(&symbol_name(&comdat.name), format!("comdats of kind {:?}", comdat.selection)));
            }
            sections.sort_unstable();
            let (symbol, _) = self.symbol(&comdat.name);
            self.file.add_comdat(Comdat { kind: ComdatKind::Any, symbol, sections });
        }
        Ok(())
    }

    /// Writes `.eh_frame`.
    fn unwind_table(&mut self, codes: &[Code], placed: &[PlacedCode]) -> Result<(), CompileError> {
        let unwound = codes.iter().map(|code| Unwound { length: code.bytes.len() as u32, rules: &code.unwind });
        let Some(table) = unwind::table(&unwound.collect::<Vec<_>>(), self.target) else { return Ok(()) };
        let table = table.map_err(internal)?;
        let distance = self.elf.relative.iter().find(|(bytes, _)| *bytes == unwind::ADDRESS_BYTES);
        let Some(&(_, distance)) = distance else { return Ok(()) };
        let section = self.section(".eh_frame", Contents::ReadOnly, None);
        let start = self.file.append_section_data(section, &table.bytes, self.pointer_bytes());
        for (offset, function) in table.functions {
            let PlacedCode { section: code, offset: place, .. } = placed[function];
            let symbol = (self.file.section_symbol(code), place as i64);
            self.relocate(section, start + offset, distance, symbol)?;
        }
        Ok(())
    }

    fn attributes(&mut self, AttributeSection { name, kind, bytes }: AttributeSection) {
        let section = self.file.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::Other);
        self.file.section_mut(section).flags =
            SectionFlags::Elf { sh_type: kind, sh_flags: object::elf::SectionFlags(0) };
        self.file.append_section_data(section, &bytes, 1);
    }

    /// Bytes of an address.
    pub fn pointer_bytes(&self) -> u64 {
        self.target.register_bytes().into()
    }
}

/// A name as the object has it: LLVM numbers those without one.
pub(super) fn symbol_name(name: &Name) -> String {
    match name {
        Name::Bytes(bytes) => String::from_utf8_lossy(bytes.strip_prefix(b"\x01").unwrap_or(bytes)).into_owned(),
        Name::Number(number) => format!("__unnamed_{}", number + 1),
    }
}

/// A symbol without a place.
fn symbol(name: &Name, value: Option<&GlobalValue>, st_type: SymbolType, bind: SymbolBind) -> Symbol {
    let visibility: SymbolVisibility = match value.map(|value| value.visibility) {
        Some(Visibility::Hidden) => STV_HIDDEN,
        Some(Visibility::Protected) => STV_PROTECTED,
        Some(Visibility::Default) | None => STV_DEFAULT,
    };
    let scope = if bind == STB_LOCAL { SymbolScope::Compilation } else { SymbolScope::Dynamic };
    let name = match name {
        Name::Bytes(bytes) => bytes.strip_prefix(b"\x01").unwrap_or(bytes).to_vec(),
        Name::Number(_) => symbol_name(name).into_bytes(),
    };
    Symbol {
        name,
        value: 0,
        size: 0,
        kind: SymbolKind::Unknown,
        scope,
        weak: bind == STB_WEAK,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::Elf { st_info: bind | st_type, st_other: visibility.into() },
    }
}

/// The binding of a definition.
fn binding(value: Option<&GlobalValue>) -> SymbolBind {
    match value.map(|value| value.linkage) {
        Some(Linkage::Private | Linkage::Internal) => STB_LOCAL,
        Some(Linkage::LinkOnce | Linkage::LinkOnceOdr | Linkage::Weak | Linkage::WeakOdr | Linkage::ExternWeak) => {
            STB_WEAK
        }
        Some(Linkage::External | Linkage::AvailableExternally | Linkage::Common | Linkage::Appending) | None => {
            STB_GLOBAL
        }
    }
}

fn global_value<'m>(ir: &'m IrModule, name: &Name) -> Option<&'m GlobalValue> {
    ir.global(name).map(|global| &global.value).or_else(|| ir.function(name).map(|function| &function.value))
}

/// The module has something that no object of this project holds.
pub(super) fn unsupported(name: &str, feature: String) -> CompileError {
    CompileError::Unsupported { function: format!("@{name}"), pass: "emit", feature }
}

fn internal(reason: String) -> CompileError {
    CompileError::Internal { function: String::new(), pass: "emit", reason }
}
