//! Compiled functions as the emulator takes them: one alone, or those of a module one after the other.
//!
//! Invariant: a symbol lies where the interpreter has it, by [`globals_of`].

use crate::module_data;
use std::collections::BTreeMap;
use tribunal_codegen::CompileError;
use tribunal_codegen::emit::{self, CallRelocation, CodeReferent};
use tribunal_codegen::pipeline::Code;
use tribunal_emulator::globals::{constant_name, globals_of};
use tribunal_emulator::machine::{
    CallSite, LinkedPlace, LoadedObject, ObjectLoadError, ObjectScope, Unlinked, UnlinkedTable, Unresolved,
};
use tribunal_ir::Function;
use tribunal_llvm::Name;
use tribunal_target::Target;

/// Functions begin at multiples of so many bytes.
const ALIGN: usize = 16;
/// Bytes between them, which are no instruction.
const PADDING: u8 = 0xff;

/// The calls of the code, for an emulator.
pub fn call_sites(code: &Code) -> Vec<CallSite<'_>> {
    sites_from(code, 0).collect()
}

fn sites_from(code: &Code, start: u32) -> impl Iterator<Item = CallSite<'_>> {
    code.calls.iter().map(move |CallRelocation { offset, symbol, kind, library }| CallSite {
        offset: start + offset,
        symbol,
        kind: *kind,
        library: *library,
    })
}

/// The code with what a linker completes, its symbols at the places of the function's own.
pub fn unlinked<'c>(code: &'c Code, function: &Function, target: &Target) -> Unlinked<'c> {
    let symbols = symbols(&[function], target);
    let start = Start { code: 0, table: 0, is_first: true };
    let relocations = relocations(code, function, &symbols, start);
    let (entry, is_relative) = code.tables.kind.entry(target.register_bytes()).unwrap_or_default();
    let tables = code.tables.tables.iter().map(|blocks| UnlinkedTable { entry, is_relative, blocks }).collect();
    Unlinked { code: &code.bytes, relocations, tables, symbols, ..Unlinked::default() }
}

/// The object of the code, read back by the emulator's loader; `None` for a target without objects. Every call of the
/// code is one of the object, and the object has no other.
///
/// # Errors
/// The object is not emitted, or is not what the code says.
pub fn loaded(code: &Code, function: &Function, target: &'static Target) -> Result<Option<LoadedObject>, ObjectError> {
    if target.elf.is_none() {
        return Ok(None);
    }
    let bytes = emit::object(std::slice::from_ref(code), None, function.relocation_model(), target)?;
    let object = LoadedObject::read(&bytes, symbols(&[function], target), ObjectScope::Alone);
    let object = object.map_err(|error| ObjectError::of_load(error, &[function]))?;
    for call in &code.calls {
        object.check_call(call.offset, &call.symbol)?;
    }
    match object.calls() == code.calls.len() {
        true => Ok(Some(object)),
        false => Err(ObjectError::Calls(object.calls(), code.calls.len())),
    }
}

/// A defect of the object that has the code and the data of its module, if the function stands for the module: it is
/// the first that the module defines.
///
/// # Errors
/// The object is not written: the module has something unsupported.
pub(crate) fn module_defect(
    code: &Code,
    function: &Function,
    target: &'static Target,
) -> Result<Option<String>, CompileError> {
    let Some(ir) = function.ir.as_deref() else { return Ok(None) };
    let first = ir.functions.values().find(|function| function.body.is_some());
    if first.is_none_or(|first| *ir.name(&first.value) != Name::from(function.name.as_str())) {
        return Ok(None);
    }
    let model = function.relocation_model();
    let bytes = emit::object(std::slice::from_ref(code), Some(ir), model, target)?;
    let of_machine = module_data::machine_defects(&bytes, Some(ir), target, code.features);
    Ok(module_data::defects(&bytes, ir, model, target).into_iter().chain(of_machine).next())
}

/// The same of functions that run together, the first of which runs: one object, and the calls of all its code.
///
/// # Errors
/// As for [`loaded`].
pub fn loaded_together<'c>(
    parts: &[(&Function, &'c Code)],
    target: &'static Target,
) -> Result<Option<(LoadedObject, Vec<CallSite<'c>>)>, ObjectError> {
    let (Some((first, _)), Some(_)) = (parts.first(), &target.elf) else { return Ok(None) };
    let codes: Vec<Code> = parts.iter().map(|&(_, code)| code.clone()).collect();
    let all: Vec<&Function> = parts.iter().map(|&(function, _)| function).collect();
    let bytes = emit::object(&codes, None, first.relocation_model(), target)?;
    let object = LoadedObject::read(&bytes, symbols(&all, target), ObjectScope::Together);
    let object = object.map_err(|error| ObjectError::of_load(error, &all))?;
    let mut sites = Vec::new();
    for (place, (_, code)) in parts.iter().enumerate() {
        let start = object.function(&code.name).filter(|&start| place > 0 || start == 0);
        let start = start.ok_or_else(|| ObjectError::Function(code.name.clone()))?;
        sites.extend(sites_from(code, start));
    }
    for site in &sites {
        object.check_call(site.offset, site.symbol)?;
    }
    match object.calls() == sites.len() {
        true => Ok(Some((object, sites))),
        false => Err(ObjectError::Calls(object.calls(), sites.len())),
    }
}

/// The reason why an object does not run.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The backend cannot write it.
    #[error(transparent)]
    Emission(#[from] CompileError),
    /// The source names this symbol, and an execution has no room for it.
    #[error("the address of `{0}`: too many symbols for an execution")]
    Unplaced(String),
    /// It is not what an object must be.
    #[error(transparent)]
    Load(#[from] ObjectLoadError),
    /// It lacks a function, or another one comes first.
    #[error("the object has no function `{0}` at its place")]
    Function(String),
    /// It has so many calls, and the code has so many.
    #[error("the object has {0} calls, and the code has {1}")]
    Calls(usize, usize),
}

impl ObjectError {
    /// A symbol that no source names is the object's fault.
    fn of_load(error: ObjectLoadError, sources: &[&Function]) -> ObjectError {
        let names = |source: &&Function, name: &str| {
            source.addresses.values().any(|address| source.symbol_name(address.base) == Some(name))
        };
        match error {
            ObjectLoadError::Symbol(name) if sources.iter().any(|source| names(source, &name)) => {
                ObjectError::Unplaced(name)
            }
            error => ObjectError::Load(error),
        }
    }

    /// True if nothing is wrong with the object, or there is none: it cannot be run here.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, ObjectError::Emission(_) | ObjectError::Unplaced(_))
    }
}

/// A jump table: bytes of an entry, whether it is a distance, offsets of blocks.
type Table = (u32, bool, Vec<u32>);

/// The code of functions that run together.
pub struct ModuleImage<'c> {
    bytes: Vec<u8>,
    parts: Vec<(&'c Function, &'c Code, Start)>,
    tables: Vec<Table>,
    symbols: BTreeMap<String, u64>,
}

/// The place of a function in an image.
#[derive(Clone, Copy)]
struct Start {
    /// The offset of its code, in bytes.
    code: u32,
    /// The number of its first jump table.
    table: u32,
    is_first: bool,
}

impl<'c> ModuleImage<'c> {
    /// The functions, each with its code; the first is the one that runs.
    pub fn new(functions: &[(&'c Function, &'c Code)], target: &Target) -> ModuleImage<'c> {
        let all: Vec<&Function> = functions.iter().map(|&(function, _)| function).collect();
        ModuleImage::placed(functions, target, symbols(&all, target))
    }

    /// The same with symbols at these addresses.
    pub fn placed(
        functions: &[(&'c Function, &'c Code)],
        target: &Target,
        symbols: BTreeMap<String, u64>,
    ) -> ModuleImage<'c> {
        let mut image = ModuleImage { bytes: Vec::new(), parts: Vec::new(), tables: Vec::new(), symbols };
        for &(function, code) in functions {
            image.bytes.resize(image.bytes.len().next_multiple_of(ALIGN), PADDING);
            let (at, table) = (image.bytes.len() as u32, image.tables.len() as u32);
            image.bytes.extend_from_slice(&code.bytes);
            image.parts.push((function, code, Start { code: at, table, is_first: image.parts.is_empty() }));
            let (entry, is_relative) = code.tables.kind.entry(target.register_bytes()).unwrap_or_default();
            let blocks = code.tables.tables.iter().map(|blocks| blocks.iter().map(|block| at + block).collect());
            image.tables.extend(blocks.map(|blocks| (entry, is_relative, blocks)));
        }
        image
    }

    /// The code with what a linker completes.
    pub fn unlinked(&self) -> Unlinked<'_> {
        let relocations =
            self.parts.iter().flat_map(|&(function, code, start)| relocations(code, function, &self.symbols, start));
        Unlinked {
            code: &self.bytes,
            relocations: relocations.collect(),
            tables: self.tables.iter().map(table).collect(),
            symbols: self.symbols.clone(),
            functions: self.parts.iter().map(|(function, _, start)| (function.name.clone(), start.code)).collect(),
            text: None,
            unwind: Vec::new(),
            thread_data: 0..0,
        }
    }

    /// The calls of all functions.
    pub fn call_sites(&self) -> Vec<CallSite<'_>> {
        self.parts.iter().flat_map(|&(_, code, start)| sites_from(code, start.code)).collect()
    }
}

fn table((entry, is_relative, blocks): &Table) -> UnlinkedTable<'_> {
    UnlinkedTable { entry: *entry, is_relative: *is_relative, blocks }
}

pub(crate) fn symbols(functions: &[&Function], target: &Target) -> BTreeMap<String, u64> {
    globals_of(functions, target).into_iter().map(|(name, memory)| (name, memory.address)).collect()
}

/// The relocations of a function's code.
fn relocations<'c>(
    code: &'c Code,
    function: &Function,
    symbols: &BTreeMap<String, u64>,
    start: Start,
) -> Vec<Unresolved<'c>> {
    let place = |to: &CodeReferent| match to {
        // A symbol that no module declares has another sigil.
        CodeReferent::Symbol(name) => [format!("@{name}"), format!("&{name}")]
            .into_iter()
            .find(|name| symbols.contains_key(name))
            .map(|name| LinkedPlace::Symbol(name.into())),
        CodeReferent::Code(offset) => Some(LinkedPlace::Code(start.code + offset)),
        CodeReferent::Constant(number) => {
            let name = format!("%const.{number}");
            let name = if start.is_first { name } else { constant_name(function, &name) };
            Some(LinkedPlace::Symbol(name.into()))
        }
        CodeReferent::Table(number) => Some(LinkedPlace::Table(start.table + number)),
        CodeReferent::Block(holder, block) => {
            let is_own = *holder == Name::from(code.name.as_str());
            let own = code.blocks.iter().find(|(name, _)| is_own && name == block);
            own.map(|(_, offset)| LinkedPlace::Code(start.code + offset))
        }
    };
    let resolved = |to: &CodeReferent| place(to).unwrap_or_else(|| LinkedPlace::Symbol(format!("{to:?}").into()));
    let relocation = |relocation: &'c tribunal_codegen::emit::CodeRelocation| Unresolved {
        offset: start.code + relocation.offset,
        kind: relocation.kind.0,
        to: resolved(&relocation.to),
        addend: relocation.addend,
    };
    code.relocations.iter().map(relocation).collect()
}
