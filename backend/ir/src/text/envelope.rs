//! The YAML envelope: documents, and the keys of a function's document.
//!
//! A function's body is a block scalar; it is cut out before the YAML parser sees the document, which then is a handful
//! of lines whatever the size of the function.

use super::cursor::Parsed;
use super::{ParseError, body, head_comments};
use crate::entities::{FixedSlot, StackSlot, VReg};
use crate::function::{FixedObject, Function, LiveIn, Properties, SlotKind, StackObject};
use crate::module::Module;
use crate::vocabulary::Vocabulary;
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScanError, Span};

/// A value of the envelope, with its place in the file.
struct Node {
    line: usize,
    column: usize,
    kind: NodeKind,
}

enum NodeKind {
    Scalar(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
}

/// What a body refers to by number.
#[derive(Default)]
pub(super) struct Objects {
    pub stack: FxHashMap<u32, StackSlot>,
    pub fixed: FxHashMap<u32, FixedSlot>,
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
    /// What follows `---` on its line.
    tag: &'t str,
    lines: Vec<&'t str>,
}

pub(super) fn parse(text: &str, vocabulary: &dyn Vocabulary) -> Parsed<Module> {
    let mut module = Module { comments: head_comments(text).map(str::to_string).collect(), ..Module::default() };
    for document in documents(text)? {
        if document.tag.starts_with('|') {
            module.ir = Some(document.lines.join("\n"));
        } else if document.lines.iter().any(|line| !line.trim().is_empty()) {
            let function = function(&document, vocabulary)?;
            if module.functions.iter().any(|other| other.name == function.name) {
                return Err(error_at(document.line, 1, format!("a second function `{}`", function.name)));
            }
            module.functions.push(function);
        }
    }
    match module.functions.is_empty() {
        true => Err(error_at(text.lines().count().max(1), 1, "the file holds no machine function")),
        false => Ok(module),
    }
}

fn error_at(line: usize, column: usize, message: impl Into<String>) -> ParseError {
    ParseError { line, column, length: 1, message: message.into() }
}

/// Splits at `---` and `...`, which block scalars, being indented, cannot hold at the start of a line.
fn documents(text: &str) -> Parsed<Vec<Document<'_>>> {
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

fn function(document: &Document<'_>, vocabulary: &dyn Vocabulary) -> Parsed<Function> {
    let body_at = document.lines.iter().position(|line| line.starts_with("body:"));
    let head = &document.lines[..body_at.unwrap_or(document.lines.len())];
    let mut function = Function::default();
    let (objects, liveins) = header(head, document.line, &mut function, vocabulary)?;
    if function.name.is_empty() {
        return Err(error_at(document.line, 1, "the function has no `name:`"));
    }
    let body_at = body_at.ok_or_else(|| error_at(document.line, 1, format!("`{}` has no `body:`", function.name)))?;
    let body = &document.lines[body_at + 1..];
    if let Some(after) = body.iter().position(|line| !line.is_empty() && !line.starts_with([' ', '\t'])) {
        return Err(error_at(
            document.line + body_at + 1 + after,
            1,
            "expected an indented line of the body, or `...`",
        ));
    }
    let names = body::parse(body, document.line + body_at + 1, &mut function, &objects, vocabulary)?;
    let copy_of = |copy: &Option<String>| copy.as_deref().and_then(|name| names.get(name.strip_prefix('%')?).copied());
    function.liveins =
        liveins.iter().map(|livein| LiveIn { register: livein.register, copy: copy_of(&livein.copy) }).collect();
    Ok(function)
}

/// Reads the keys before the body.
fn header(
    lines: &[&str],
    first: usize,
    function: &mut Function,
    vocabulary: &dyn Vocabulary,
) -> Parsed<(Objects, Vec<NamedLiveIn>)> {
    let text = lines.join("\n");
    let mut objects = Objects::default();
    let mut liveins = Vec::new();
    let entries = match tree(&text, first)?.map(|node| (node.line, node.column, node.kind)) {
        Some((_, _, NodeKind::Mapping(entries))) => entries,
        None => Vec::new(),
        Some((line, column, _)) => return Err(error_at(line, column, "expected `key: value` lines")),
    };
    let starts: Vec<usize> = entries.iter().map(|(key, _)| key.line - first).collect();
    for (index, (key, value)) in entries.iter().enumerate() {
        let name = scalar(key)?;
        if let Some(property) = property(name) {
            function.properties.set(property, boolean(value)?);
            continue;
        }
        match name {
            "name" => function.name = scalar(value)?.to_string(),
            "alignment" => function.alignment = Some(number(value)?),
            // Classes and types stand in the body; the list repeats them.
            "registers" => {}
            "liveins" => liveins = named_liveins(value, vocabulary)?,
            "stack" => stack(value, function, &mut objects)?,
            "fixedStack" => fixed_stack(value, function, &mut objects)?,
            _ => {
                let end = starts.get(index + 1).copied().unwrap_or(lines.len());
                function.extra.push((name.to_string(), lines[starts[index]..end].join("\n")));
            }
        }
    }
    Ok((objects, liveins))
}

fn property(name: &str) -> Option<Properties> {
    super::print::PROPERTIES.iter().find(|(known, _)| *known == name).map(|&(_, property)| property)
}

fn named_liveins(value: &Node, vocabulary: &dyn Vocabulary) -> Parsed<Vec<NamedLiveIn>> {
    let mut liveins = Vec::new();
    for entry in sequence(value)? {
        let register = required(entry, "reg")?;
        let name = scalar(register)?;
        let found = name.strip_prefix('$').and_then(|name| vocabulary.register(name));
        let found =
            found.ok_or_else(|| error_at(register.line, register.column, format!("unknown register `{name}`")))?;
        let copy = field(entry, "virtual-reg").map(scalar).transpose()?.map(str::to_string);
        liveins.push(NamedLiveIn { register: found, copy });
    }
    Ok(liveins)
}

fn stack(value: &Node, function: &mut Function, objects: &mut Objects) -> Parsed<()> {
    for entry in sequence(value)? {
        let id = number(required(entry, "id")?)?;
        let kind = match field(entry, "type").map(scalar).transpose()?.unwrap_or("default") {
            "default" => SlotKind::Default,
            "spill-slot" => SlotKind::Spill,
            "variable-sized" => SlotKind::VariableSized,
            other => return Err(error_at(entry.line, entry.column, format!("unknown stack object type `{other}`"))),
        };
        let object = StackObject {
            name: field(entry, "name").map(scalar).transpose()?.unwrap_or_default().to_string(),
            kind,
            size: field(entry, "size").map(number).transpose()?.unwrap_or(0),
            align: alignment(entry)?,
            offset: field(entry, "offset").map(number).transpose()?.unwrap_or(0),
        };
        if objects.stack.insert(id, function.stack.push(object)).is_some() {
            return Err(error_at(entry.line, entry.column, format!("a second stack object {id}")));
        }
    }
    Ok(())
}

fn fixed_stack(value: &Node, function: &mut Function, objects: &mut Objects) -> Parsed<()> {
    for entry in sequence(value)? {
        let id = number(required(entry, "id")?)?;
        let object = FixedObject {
            offset: field(entry, "offset").map(number).transpose()?.unwrap_or(0),
            size: field(entry, "size").map(number).transpose()?.unwrap_or(0),
            align: alignment(entry)?,
            immutable: field(entry, "isImmutable").map(boolean).transpose()?.unwrap_or(false),
        };
        if objects.fixed.insert(id, function.fixed_stack.push(object)).is_some() {
            return Err(error_at(entry.line, entry.column, format!("a second fixed stack object {id}")));
        }
    }
    Ok(())
}

/// Bytes, a power of two; 1 if not given.
fn alignment(entry: &Node) -> Parsed<u32> {
    let Some(node) = field(entry, "alignment") else { return Ok(1) };
    match number::<u32>(node)? {
        align if align.is_power_of_two() => Ok(align),
        _ => Err(error_at(node.line, node.column, "an alignment is a power of two")),
    }
}

// The YAML tree.

fn scalar(node: &Node) -> Parsed<&str> {
    match &node.kind {
        NodeKind::Scalar(text) => Ok(text),
        _ => Err(error_at(node.line, node.column, "expected a plain value")),
    }
}

fn boolean(node: &Node) -> Parsed<bool> {
    match scalar(node)? {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(error_at(node.line, node.column, "expected `true` or `false`")),
    }
}

fn number<N: std::str::FromStr>(node: &Node) -> Parsed<N> {
    scalar(node)?.parse().map_err(|_| error_at(node.line, node.column, "expected a number that fits"))
}

fn sequence(node: &Node) -> Parsed<&[Node]> {
    match &node.kind {
        NodeKind::Sequence(nodes) => Ok(nodes),
        NodeKind::Scalar(text) if text.is_empty() => Ok(&[]),
        _ => Err(error_at(node.line, node.column, "expected a list")),
    }
}

fn field<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let NodeKind::Mapping(entries) = &node.kind else { return None };
    entries.iter().find(|(key, _)| matches!(&key.kind, NodeKind::Scalar(text) if text == name)).map(|(_, value)| value)
}

fn required<'n>(node: &'n Node, name: &str) -> Parsed<&'n Node> {
    field(node, name).ok_or_else(|| error_at(node.line, node.column, format!("expected `{name}:` in this entry")))
}

/// Lists and mappings within one another at most: the envelope needs four, and the reader below recurses.
const DEEPEST: usize = 16;

/// The one value of the document; `None` if it is empty.
fn tree(text: &str, first: usize) -> Parsed<Option<Node>> {
    let mut parser = Parser::new_from_str(text);
    let failed = |error: ScanError| {
        error_at(first + error.marker().line().saturating_sub(1), error.marker().col() + 1, error.info().to_string())
    };
    while let Some(event) = parser.next_event() {
        match event.map_err(failed)? {
            (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
            (Event::StreamEnd | Event::DocumentEnd, _) => break,
            event => return node(&mut parser, event, first, DEEPEST).map(Some),
        }
    }
    Ok(None)
}

type Events<'t> = Parser<'t, saphyr_parser::StrInput<'t>>;

fn node(parser: &mut Events<'_>, (event, span): (Event<'_>, Span), first: usize, depth: usize) -> Parsed<Node> {
    let (line, column) = (first + span.start.line().saturating_sub(1), span.start.col() + 1);
    if depth == 0 {
        return Err(error_at(line, column, "values are nested too deep"));
    }
    let next = |parser: &mut Events<'_>| match parser.next_event() {
        Some(Ok((event, span))) => Ok((own(event), span)),
        Some(Err(error)) => {
            let place = error.marker();
            Err(error_at(first + place.line().saturating_sub(1), place.col() + 1, error.info().to_string()))
        }
        None => Err(error_at(line, column, "the document ends within this value")),
    };
    let kind = match event {
        Event::Scalar(text, ..) => NodeKind::Scalar(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut nodes = Vec::new();
            loop {
                match next(parser)? {
                    (Event::SequenceEnd, _) => break NodeKind::Sequence(nodes),
                    event => nodes.push(node(parser, event, first, depth - 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            loop {
                let key = match next(parser)? {
                    (Event::MappingEnd, _) => break NodeKind::Mapping(entries),
                    event => node(parser, event, first, depth - 1)?,
                };
                let event = next(parser)?;
                entries.push((key, node(parser, event, first, depth - 1)?));
            }
        }
        _ => return Err(error_at(line, column, "expected a value")),
    };
    Ok(Node { line, column, kind })
}

/// An event that borrows nothing, so that the parser may go on.
fn own(event: Event<'_>) -> Event<'static> {
    match event {
        Event::Scalar(text, style, anchor, _) => Event::Scalar(text.into_owned().into(), style, anchor, None),
        Event::SequenceStart(anchor, _) => Event::SequenceStart(anchor, None),
        Event::MappingStart(anchor, _) => Event::MappingStart(anchor, None),
        Event::SequenceEnd => Event::SequenceEnd,
        Event::MappingEnd => Event::MappingEnd,
        Event::Alias(anchor) => Event::Alias(anchor),
        Event::DocumentStart(explicit) => Event::DocumentStart(explicit),
        Event::DocumentEnd => Event::DocumentEnd,
        Event::StreamStart => Event::StreamStart,
        Event::StreamEnd => Event::StreamEnd,
        Event::Nothing => Event::Nothing,
    }
}

/// Names of virtual registers in the text, without `%`.
pub(super) type RegisterNames = FxHashMap<String, VReg>;
