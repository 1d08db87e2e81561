//! The YAML envelope: documents, and the keys of a function's document.
//!
//! A function's body is a block scalar. It is cut out before the YAML parser sees the document, so the parser reads few
//! lines whatever the size of the function.

use super::tables::{self, NamedBlocks};
use super::yaml::{YamlKind, YamlNode, boolean, by_id, error_at, field, number, required, scalar, sequence, tree};
use super::{Failure, ParseError, STAGE, STRICT, body, head_comments, operands};
use crate::IrBlock;
use crate::entities::{ConstantPoolIndex, FixedSlot, JumpTable, StackSlot, VReg};
use crate::function::{Constraint, FixedObject, Function, LiveIn, Properties, SlotKind, StackObject};
use crate::module::{Module, Unknown, UnknownKind, Unread};
use crate::stage::Stage;
use crate::vocabulary::{PReg, Vocabulary};
use rustc_hash::FxHashMap;

/// The entries of the envelope that a body refers to by number.
#[derive(Default)]
pub(super) struct Objects {
    pub stack: FxHashMap<u32, StackSlot>,
    pub fixed: FxHashMap<u32, FixedSlot>,
    pub constants: FxHashMap<u32, ConstantPoolIndex>,
    pub jump_tables: FxHashMap<u32, JumpTable>,
    /// Classes and banks of virtual registers, by number.
    pub constraints: FxHashMap<u32, Constraint>,
}

/// A function-level live-in register, by the names that the text gives.
struct NamedLiveIn {
    register: crate::PReg,
    copy: Option<String>,
}

/// The lines of one document, without its `---` and `...`.
struct Document<'t> {
    /// Line number of the first line, from 1.
    line: usize,
    /// The text after `---` on its line.
    tag: &'t str,
    lines: Vec<&'t str>,
}

pub(super) fn parse(text: &str, vocabulary: &dyn Vocabulary) -> Result<Module, ParseError> {
    let mut module = Module { comments: head_comments(text).map(str::to_string).collect(), ..Module::default() };
    for document in documents(text)? {
        if document.tag.starts_with('|') {
            module.ir = Some(ir_block(&document)?);
        } else if document.lines.iter().any(|line| !line.trim().is_empty()) {
            let read = function(&document, vocabulary)?;
            let name = read.as_ref().map_or_else(|unread| &unread.name, |function| &function.name);
            if module.entries().any(|other| other.name() == name) {
                return Err(error_at(document.line, 1, format!("a second function `{name}`")));
            }
            match read {
                Ok(mut function) => {
                    if let Some(ir) = &module.ir {
                        function.resolve_ranges(ir.module());
                        function.ir = Some(ir.shared());
                    }
                    module.functions.push(function);
                }
                Err(unread) => module.unread.push(Unread { position: module.functions.len(), ..unread }),
            }
        }
    }
    // A module may hold data alone, and clang writes one of a source that defines nothing.
    match module.entries().next().is_none() && module.ir.is_none() {
        true => Err(error_at(text.lines().count().max(1), 1, "the file holds no machine function")),
        false => Ok(module),
    }
}

fn ir_block(document: &Document<'_>) -> Result<IrBlock, ParseError> {
    IrBlock::read(document.lines.join("\n")).map_err(|error| ParseError {
        line: document.line + error.line - 1,
        column: error.column,
        length: error.length,
        message: error.kind.to_string(),
    })
}

/// The target triple of the IR block, if the file has one.
pub(super) fn target_triple(text: &str) -> Option<String> {
    let start = text.strip_prefix("--- |").or_else(|| Some(text.split_once("\n--- |")?.1))?;
    tribunal_llvm::target_triple(start.split_once("\n...").map_or(start, |(block, _)| block))
}

/// Splits at `---` and `...`, which block scalars, being indented, cannot hold at the start of a line.
fn documents(text: &str) -> Result<Vec<Document<'_>>, ParseError> {
    let mut documents: Vec<Document<'_>> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(tag) = line.strip_prefix("---") {
            documents.push(Document { line: index + 2, tag: tag.trim(), lines: Vec::new() });
            open = true;
        } else if line.starts_with("...") {
            open = false;
        } else if let (true, Some(document)) = (open, documents.last_mut()) {
            document.lines.push(line);
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            return Err(error_at(index + 1, 1, "expected `---`, the start of a document"));
        }
    }
    Ok(documents)
}

/// The function of one document; [`Unread`] if something in it is unknown.
fn function(document: &Document<'_>, vocabulary: &dyn Vocabulary) -> Result<Result<Function, Unread>, ParseError> {
    let body_at = document.lines.iter().position(|line| line.starts_with("body:"));
    let head = &document.lines[..body_at.unwrap_or(document.lines.len())];
    let mut header = Header::new(vocabulary);
    header.read(head, document.line)?;
    header.stage(head, document.line);
    if header.function.name.is_empty() {
        return Err(error_at(document.line, 1, "the function has no `name:`"));
    }
    let missing = || error_at(document.line, 1, format!("`{}` has no `body:`", header.function.name));
    let body_at = body_at.ok_or_else(missing)?;
    let body = &document.lines[body_at + 1..];
    if let Some(after) = body.iter().position(|line| !line.is_empty() && !line.starts_with([' ', '\t'])) {
        return Err(error_at(
            document.line + body_at + 1 + after,
            1,
            "expected an indented line of the body, or `...`",
        ));
    }
    let Header { mut function, objects, liveins, destinations, mut unknown, .. } = header;
    let names = match body::parse(body, document.line + body_at + 1, &mut function, &objects, vocabulary) {
        Ok(names) => names,
        Err(Failure::Malformed(error)) => return Err(error),
        Err(Failure::Unknown(thing)) => {
            unknown.get_or_insert(thing);
            RegisterNames::default()
        }
    };
    if let Some(unknown) = unknown {
        let text = document.lines.iter().map(|line| format!("{line}\n")).collect();
        return Ok(Err(Unread { name: function.name, position: 0, unknown, text }));
    }
    tables::place_blocks(&mut function, &destinations)?;
    let copy_of = |copy: &Option<String>| copy.as_deref().and_then(|name| names.get(name.strip_prefix('%')?).copied());
    function.liveins =
        liveins.iter().map(|livein| LiveIn { register: livein.register, copy: copy_of(&livein.copy) }).collect();
    Ok(Ok(function))
}

/// The keys before the body.
struct Header<'a> {
    vocabulary: &'a dyn Vocabulary,
    function: Function,
    objects: Objects,
    liveins: Vec<NamedLiveIn>,
    /// The blocks of each jump table.
    destinations: NamedBlocks,
    /// The first unknown name or form; the text after it is read.
    unknown: Option<Unknown>,
}

impl<'a> Header<'a> {
    fn new(vocabulary: &'a dyn Vocabulary) -> Header<'a> {
        let (function, objects) = (Function::default(), Objects::default());
        Header { vocabulary, function, objects, liveins: Vec::new(), destinations: Vec::new(), unknown: None }
    }

    fn read(&mut self, lines: &[&str], first: usize) -> Result<(), ParseError> {
        let text = lines.join("\n");
        let entries = match tree(&text, first)?.map(|node| (node.line, node.column, node.kind)) {
            Some((_, _, YamlKind::Mapping(entries))) => entries,
            None => Vec::new(),
            Some((line, column, _)) => return Err(error_at(line, column, "expected `key: value` lines")),
        };
        let starts: Vec<usize> = entries.iter().map(|(key, _)| key.line - first).collect();
        for (index, (key, value)) in entries.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(lines.len());
            self.entry(scalar(key)?, value, &lines[starts[index]..end])?;
        }
        Ok(())
    }

    /// The stage that a comment before the first key names; else the one that properties and frame information tell.
    /// Another comment there says that the function is strict.
    fn stage(&mut self, lines: &[&str], first: usize) {
        self.function.stage = Stage::of(self.function.properties);
        if self.function.stage == Stage::Allocated && self.function.frame_info.is_callee_saved_info_valid {
            self.function.stage = Stage::FrameLowered;
        }
        let mut comments = lines.iter().enumerate().take_while(|(_, line)| line.starts_with('#'));
        if comments.clone().any(|(_, line)| line.trim_end() == STRICT) {
            self.function.make_strict();
        }
        let Some((index, name)) = comments.find_map(|(index, line)| Some((index, line.strip_prefix(STAGE)?))) else {
            return;
        };
        match Stage::named(name.trim_end()) {
            Some(stage) => self.function.stage = stage,
            None => self.unknown_at(first + index, STAGE.len() + 1, UnknownKind::Stage, name),
        }
    }

    /// One key; `lines` is the text of it and its value.
    fn entry(&mut self, key: &str, value: &YamlNode, lines: &[&str]) -> Result<(), ParseError> {
        if let Some(property) = property(key) {
            let is_set = boolean(value)?;
            self.function.properties.set(property, is_set);
            if property == Properties::IS_SSA {
                self.function.properties.set(Properties::LEFT_SSA, !is_set);
            }
            return Ok(());
        }
        match key {
            "name" => self.function.name = scalar(value)?.to_string(),
            "alignment" => self.function.alignment = Some(number(value)?),
            "registers" => self.registers(value)?,
            "liveins" => self.liveins(value)?,
            "stack" => self.stack(value)?,
            "fixedStack" => self.fixed_stack(value)?,
            "constants" => tables::read_constants(value, &mut self.function, &mut self.objects)?,
            "jumpTable" => match tables::read_jump_tables(value, &mut self.function, &mut self.objects) {
                Ok(destinations) => self.destinations = destinations,
                Err(Failure::Malformed(error)) => return Err(error),
                Err(Failure::Unknown(unknown)) => drop(self.unknown.get_or_insert(unknown)),
            },
            "frameInfo" => {
                let unknown = tables::read_frame_info(value, &mut self.function.frame_info)?;
                self.unknown = self.unknown.take().or(unknown);
            }
            _ => self.function.extra.push((key.to_string(), lines.join("\n"))),
        }
        Ok(())
    }

    fn unknown(&mut self, node: &YamlNode, kind: UnknownKind, text: &str) {
        self.unknown_at(node.line, node.column, kind, text);
    }

    fn unknown_at(&mut self, line: usize, column: usize, kind: UnknownKind, text: &str) {
        self.unknown.get_or_insert_with(|| Unknown { line, column, kind, text: text.to_string() });
    }

    /// Classes stand in the body too, but for registers that a line of inline assembly defines.
    fn registers(&mut self, value: &YamlNode) -> Result<(), ParseError> {
        for entry in sequence(value)? {
            let (id, class) = (number(required(entry, "id")?)?, required(entry, "class")?);
            let name = scalar(class)?;
            match operands::constraint(self.vocabulary, name) {
                Some(constraint) => drop(self.objects.constraints.insert(id, constraint)),
                None => self.unknown(class, UnknownKind::ClassOrBank, name),
            }
        }
        Ok(())
    }

    fn liveins(&mut self, value: &YamlNode) -> Result<(), ParseError> {
        for entry in sequence(value)? {
            let register = required(entry, "reg")?;
            let copy = field(entry, "virtual-reg").map(scalar).transpose()?.map(str::to_string);
            let name = scalar(register)?;
            let plain = name.strip_prefix('$').filter(|plain| !plain.is_empty());
            let plain = plain.ok_or_else(|| error_at(register.line, register.column, "expected a register: `$x10`"))?;
            match self.vocabulary.register(plain) {
                Some(register) => self.liveins.push(NamedLiveIn { register, copy }),
                None => self.unknown(register, UnknownKind::Register, name),
            }
        }
        Ok(())
    }

    fn stack(&mut self, value: &YamlNode) -> Result<(), ParseError> {
        for (id, entry) in by_id(value)? {
            let kind = self.slot_kind(entry, &[SlotKind::Default, SlotKind::Spill, SlotKind::VariableSized])?;
            self.stack_id(entry)?;
            let object = StackObject {
                name: field(entry, "name").map(scalar).transpose()?.unwrap_or_default().to_string(),
                kind,
                size: field(entry, "size").map(number).transpose()?.unwrap_or(0),
                align: alignment(entry)?,
                offset: field(entry, "offset").map(number).transpose()?.unwrap_or(0),
                local_offset: field(entry, "local-offset").map(number).transpose()?,
                saved: self.saved(entry)?,
            };
            if self.objects.stack.insert(id, self.function.stack.push(object)).is_some() {
                return Err(error_at(entry.line, entry.column, format!("a second stack object {id}")));
            }
        }
        Ok(())
    }

    fn fixed_stack(&mut self, value: &YamlNode) -> Result<(), ParseError> {
        for (id, entry) in by_id(value)? {
            self.stack_id(entry)?;
            let object = FixedObject {
                kind: self.slot_kind(entry, &[SlotKind::Default, SlotKind::Spill])?,
                offset: field(entry, "offset").map(number).transpose()?.unwrap_or(0),
                size: field(entry, "size").map(number).transpose()?.unwrap_or(0),
                align: alignment(entry)?,
                immutable: field(entry, "isImmutable").map(boolean).transpose()?.unwrap_or(false),
                aliased: field(entry, "isAliased").map(boolean).transpose()?.unwrap_or(false),
                saved: self.saved(entry)?,
            };
            if self.objects.fixed.insert(id, self.function.fixed_stack.push(object)).is_some() {
                return Err(error_at(entry.line, entry.column, format!("a second fixed stack object {id}")));
            }
        }
        Ok(())
    }

    /// The purpose of an object, one of these.
    fn slot_kind(&mut self, entry: &YamlNode, kinds: &[SlotKind]) -> Result<SlotKind, ParseError> {
        let name = field(entry, "type").map(scalar).transpose()?.unwrap_or(SlotKind::Default.name());
        let kind = kinds.iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            self.unknown(entry, UnknownKind::StackObjectType, name);
        }
        Ok(kind.copied().unwrap_or(SlotKind::Default))
    }

    /// The callee-saved register that stands in an object.
    fn saved(&mut self, entry: &YamlNode) -> Result<Option<PReg>, ParseError> {
        let Some(node) = field(entry, "callee-saved-register") else { return Ok(None) };
        let name = scalar(node)?;
        if name.is_empty() {
            return Ok(None);
        }
        let register = name.strip_prefix('$').and_then(|name| self.vocabulary.register(name));
        if register.is_none() {
            self.unknown(node, UnknownKind::Register, name);
        }
        Ok(register)
    }

    /// Objects of a stack of another kind, such as that of scalable vectors, have sizes of another unit.
    fn stack_id(&mut self, entry: &YamlNode) -> Result<(), ParseError> {
        let Some(node) = field(entry, "stack-id") else { return Ok(()) };
        match scalar(node)? {
            "default" => {}
            other => self.unknown(node, UnknownKind::StackId, other),
        }
        Ok(())
    }
}

fn property(name: &str) -> Option<Properties> {
    super::print::PROPERTIES.iter().find(|(known, _)| *known == name).map(|&(_, property)| property)
}

/// Bytes, a power of two; 1 if not given.
fn alignment(entry: &YamlNode) -> Result<u32, ParseError> {
    let Some(node) = field(entry, "alignment") else { return Ok(1) };
    match number::<u32>(node)? {
        align if align.is_power_of_two() => Ok(align),
        _ => Err(error_at(node.line, node.column, "an alignment is a power of two")),
    }
}

/// Names of virtual registers in the text, without `%`.
pub(super) type RegisterNames = FxHashMap<String, VReg>;
