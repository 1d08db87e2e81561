//! The data of a module in its object: globals, aliases, constructors, and the constants and jump tables of functions.
//!
//! Invariant: what cannot be written is an error by its name, never left out.

use super::Code;
use super::object::{Writer, symbol_name, unsupported};
use super::sections::Contents;
use crate::CompileError;
use object::elf::{RelocationType, STT_FUNC, STT_OBJECT, STT_TLS};
use object::write::{SectionId, SymbolId};
use tribunal_ir::PoolConstant;
use tribunal_llvm::{Alias, Constant, ConstantKind, Definition, Global, Image, Linkage, Name, Referent, Relocation};

/// An image at its place, its relocations to come.
pub(super) struct PlacedImage {
    name: Name,
    section: SectionId,
    offset: u64,
    image: Image,
}

/// The section of names that no object has.
const METADATA: &str = "llvm.metadata";

/// Places every definition of the module, and gives it its symbol.
pub(super) fn place(writer: &mut Writer<'_>) -> Result<Vec<PlacedImage>, CompileError> {
    let Some(ir) = writer.ir else { return Ok(Vec::new()) };
    if let Some(unread) = ir.unread.values().next() {
        return Err(unsupported(&unread.name, format!("{} `{}`", unread.unknown.kind, unread.unknown.text)));
    }
    if !ir.assembly.is_empty() {
        return Err(unsupported("", "assembly of a module".to_string()));
    }
    if let Some(ifunc) = ir.ifuncs.values().next() {
        return Err(unsupported(&symbol_name(ir.name(&ifunc.value)), "ifunc".to_string()));
    }
    let mut images = Vec::new();
    for global in ir.globals.values() {
        let name = ir.name(&global.value);
        match (&global.initialiser, global.value.linkage) {
            (None, _) | (_, Linkage::AvailableExternally) => {}
            (Some(_), _) if global.section.as_deref() == Some(METADATA) => {}
            (Some(initialiser), Linkage::Appending) => structors(writer, name, initialiser, &mut images)?,
            (Some(initialiser), _) => images.extend(placed(writer, name, global, initialiser)?),
        }
    }
    for alias in ir.aliases.values() {
        self::alias(writer, alias)?;
    }
    Ok(images)
}

/// Adds the relocations of the images.
pub(super) fn complete(writer: &mut Writer<'_>, images: Vec<PlacedImage>) -> Result<(), CompileError> {
    for PlacedImage { name, section, offset, image } in images {
        for relocation in &image.relocations {
            relocate(writer, &name, section, offset, relocation)?;
        }
    }
    Ok(())
}

/// One global. A common one has no image: the linker allocates it.
fn placed(
    writer: &mut Writer<'_>,
    name: &Name,
    global: &Global,
    initialiser: &Constant,
) -> Result<Option<PlacedImage>, CompileError> {
    let image = image(writer, name, initialiser)?;
    let align = alignment(writer, name, global)?;
    let size = image.bytes.len() as u64;
    if global.value.linkage == Linkage::Common {
        writer.define_common(name, &global.value, size.max(1), align);
        return Ok(None);
    }
    let contents = Contents::of(global, &image, writer.model);
    let (section, contents) = writer.section_of(name, global.section.as_deref(), global.comdat, contents);
    let offset = match contents.is_zero() {
        true => writer.file.append_section_bss(section, size, align),
        false => writer.file.append_section_data(section, &image.bytes, align),
    };
    let st_type = if global.value.thread_local.is_some() { STT_TLS } else { STT_OBJECT };
    writer.define(name, Some(&global.value), st_type, (section, offset, size));
    Ok(Some(PlacedImage { name: name.clone(), section, offset, image }))
}

fn image(writer: &Writer<'_>, name: &Name, initialiser: &Constant) -> Result<Image, CompileError> {
    let failed = |reason: String| unsupported(&symbol_name(name), reason);
    let layouts = writer.layouts.as_ref().ok_or_else(|| failed("data without a module".to_string()))?;
    layouts.image(initialiser).map_err(|error| failed(error.to_string()))
}

/// Of a global, in bytes: its own, else that of its type.
fn alignment(writer: &Writer<'_>, name: &Name, global: &Global) -> Result<u64, CompileError> {
    if let Some(align) = global.alignment {
        return Ok(align.max(1));
    }
    let layout = writer.layouts.as_ref().map(|layouts| layouts.get(global.ty));
    match layout {
        Some(Ok(layout)) => Ok(layout.alignment.preferred.max(layout.alignment.abi)),
        Some(Err(error)) => Err(unsupported(&symbol_name(name), error.to_string())),
        None => Ok(1),
    }
}

/// The lists of functions that run before and after the program: the names of the section, without a priority.
const STRUCTORS: [(&str, &str); 2] = [("llvm.global_ctors", ".init_array"), ("llvm.global_dtors", ".fini_array")];
/// The priority of those that have none.
const LAST: u64 = 65_535;

/// `{ i32 priority, ptr function, ptr data }`, one section for each priority. Names that the optimiser keeps have no
/// place.
fn structors(
    writer: &mut Writer<'_>,
    name: &Name,
    list: &Constant,
    images: &mut Vec<PlacedImage>,
) -> Result<(), CompileError> {
    let shown = symbol_name(name);
    let Some((_, array)) = STRUCTORS.iter().find(|(own, _)| *own == shown) else {
        return Err(unsupported(&shown, "a global of linkage `appending`".to_string()));
    };
    let ConstantKind::Aggregate(entries) = &list.kind else { return Ok(()) };
    for entry in entries {
        let ConstantKind::Aggregate(parts) = &entry.kind else {
            return Err(unsupported(&shown, "an entry that is no list".to_string()));
        };
        let [priority, function, ..] = &**parts else {
            return Err(unsupported(&shown, "an entry of one part".to_string()));
        };
        let priority = image(writer, name, priority)?;
        let priority = priority.bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let image = image(writer, name, function)?;
        let section = if priority == LAST { array.to_string() } else { format!("{array}.{priority}") };
        let section = writer.section(&section, Contents::Data, None);
        let offset = writer.file.append_section_data(section, &image.bytes, writer.pointer_bytes());
        images.push(PlacedImage { name: name.clone(), section, offset, image });
    }
    Ok(())
}

/// A second name of a place of this object.
fn alias(writer: &mut Writer<'_>, alias: &Alias) -> Result<(), CompileError> {
    let Some(ir) = writer.ir else { return Ok(()) };
    let name = ir.name(&alias.value);
    let image = image(writer, name, &alias.aliasee)?;
    let elsewhere = || unsupported(&symbol_name(name), "an alias of no place in this module".to_string());
    let [Relocation { symbol: Referent::Symbol(symbol), addend, subtracted: None, .. }] = image.relocations.as_slice()
    else {
        return Err(elsewhere());
    };
    let base = &ir.symbols[*symbol];
    let &(section, offset) = writer.places.get(&base.name).ok_or_else(elsewhere)?;
    let st_type = match base.definition {
        Some(Definition::Function(_)) => STT_FUNC,
        Some(Definition::Global(id)) if ir.globals[id].value.thread_local.is_some() => STT_TLS,
        _ => STT_OBJECT,
    };
    // A base without a symbol has no size that it could lend.
    let size = match writer.size(&base.name) {
        Some(size) => size,
        None => writer.layouts.as_ref().and_then(|layouts| layouts.alloc_size(alias.ty).ok()).unwrap_or(0),
    };
    let place = (section, offset.wrapping_add_signed(*addend), size);
    writer.define(name, Some(&alias.value), st_type, place);
    Ok(())
}

/// The number of a relocation that fills so many bytes.
fn of_size(rows: &[(u64, RelocationType)], size: u64) -> Option<RelocationType> {
    rows.iter().find(|(own, _)| *own == size).map(|&(_, number)| number)
}

/// One relocation of the image at `start`.
fn relocate(
    writer: &mut Writer<'_>,
    name: &Name,
    section: SectionId,
    start: u64,
    relocation: &Relocation,
) -> Result<(), CompileError> {
    let Relocation { offset, size, symbol, addend, subtracted } = relocation;
    let unsupported = |what: &str| unsupported(&symbol_name(name), format!("{what} of {size} bytes in data"));
    let (offset, elf) = (start + offset, writer.elf);
    let (to, more) = referent(writer, symbol).ok_or_else(|| unsupported("an address"))?;
    let Some(subtracted) = subtracted else {
        let number = of_size(elf.absolute, *size).ok_or_else(|| unsupported("an address"))?;
        return writer.relocate(section, offset, number, (to, addend + more));
    };
    let known = match subtracted {
        Referent::Symbol(symbol) => writer.ir.and_then(|ir| writer.places.get(&ir.symbols[*symbol].name)),
        Referent::Block { .. } | Referent::DsoLocalEquivalent(_) => None,
    };
    if let (Some(number), Some(&(_, base))) = (of_size(elf.relative, *size), known.filter(|(own, _)| *own == section)) {
        return writer.relocate(section, offset, number, (to, addend + more + (offset as i64 - base as i64)));
    }
    let (from, less) = referent(writer, subtracted).ok_or_else(|| unsupported("a difference"))?;
    if let Some((_, add, subtract)) = elf.sums.iter().find(|(own, ..)| own == size) {
        writer.relocate(section, offset, *add, (to, addend + more))?;
        return writer.relocate(section, offset, *subtract, (from, less));
    }
    let place = (offset as usize)..(offset + size) as usize;
    let bytes = writer.file.section_mut(section).data_mut().get_mut(place);
    let (number, bits) = (addend + more - less, 8 * *size as u32);
    let fits = bits >= 64 || (-1i64 << (bits - 1)..1i64 << bits).contains(&number);
    match bytes.zip(number.to_le_bytes().get(..*size as usize)) {
        // Both places are known, such as two labels of the code.
        Some((bytes, number)) if to == from && fits => bytes.copy_from_slice(number),
        _ => return Err(unsupported("a difference")),
    }
    Ok(())
}

fn referent(writer: &mut Writer<'_>, referent: &Referent) -> Option<(SymbolId, i64)> {
    let ir = writer.ir?;
    match referent {
        Referent::Symbol(symbol) => Some(writer.symbol(&ir.symbols[*symbol].name)),
        Referent::Block { function, block } => writer.block(&ir.symbols[*function].name, block),
        Referent::DsoLocalEquivalent(_) => None,
    }
}

/// Places the constant pool of a function.
pub(super) fn constants(writer: &mut Writer<'_>, code: &Code) -> Result<Vec<(SectionId, u64)>, CompileError> {
    let mut places = Vec::with_capacity(code.constants.len());
    for PoolConstant { value, align, .. } in &code.constants {
        let bits = value.bits().filter(|bits| bits.width() <= 128 && bits.width().is_multiple_of(8));
        let bits = bits.ok_or_else(|| unsupported(&code.name, format!("a constant in memory: {value:?}")))?;
        let section = writer.section(".rodata", Contents::ReadOnly, None);
        let bytes = &bits.unsigned().to_le_bytes()[..bits.width() as usize / 8];
        let align = align.map_or(bytes.len().next_power_of_two() as u64, u64::from);
        places.push((section, writer.file.append_section_data(section, bytes, align)));
    }
    Ok(places)
}

/// Places the jump tables of a function whose code is at `code_at`.
pub(super) fn tables(
    writer: &mut Writer<'_>,
    code: &Code,
    (text, start): (SectionId, u64),
) -> Result<Vec<(SectionId, u64)>, CompileError> {
    let mut places = Vec::with_capacity(code.tables.tables.len());
    let unsupported = || unsupported(&code.name, format!("jump tables of kind {}", code.tables.kind.name()));
    for table in &code.tables.tables {
        let entry = code.tables.kind.entry(writer.pointer_bytes() as u32);
        let (entry, is_relative) = entry.map(|(bytes, form)| (u64::from(bytes), form)).ok_or_else(unsupported)?;
        let section = writer.section(".rodata", Contents::ReadOnly, None);
        let bytes = vec![0; table.len() * entry as usize];
        let at = writer.file.append_section_data(section, &bytes, entry);
        for (index, &block) in (0..).zip(table) {
            let to = (writer.file.section_symbol(text), (start + u64::from(block)) as i64);
            let place = at + index * entry;
            if !is_relative {
                let number = of_size(writer.elf.absolute, entry).ok_or_else(unsupported)?;
                writer.relocate(section, place, number, to)?;
                continue;
            }
            let number = of_size(writer.elf.relative, entry).ok_or_else(unsupported)?;
            writer.relocate(section, place, number, (to.0, to.1 + (index * entry) as i64))?;
        }
        places.push((section, at));
    }
    Ok(places)
}
