//! YAML as a tree of nodes with their places in the file.

use super::ParseError;
use saphyr_parser::{Event, Parser, ScanError, Span};

/// A value of the envelope, with its place in the file.
pub(super) struct YamlNode {
    pub line: usize,
    pub column: usize,
    pub kind: YamlKind,
}

pub(super) enum YamlKind {
    Scalar(String),
    Sequence(Vec<YamlNode>),
    Mapping(Vec<(YamlNode, YamlNode)>),
}

pub(super) fn error_at(line: usize, column: usize, message: impl Into<String>) -> ParseError {
    ParseError { line, column, length: 1, message: message.into() }
}

pub(super) fn scalar(node: &YamlNode) -> Result<&str, ParseError> {
    match &node.kind {
        YamlKind::Scalar(text) => Ok(text),
        _ => Err(error_at(node.line, node.column, "expected a plain value")),
    }
}

pub(super) fn boolean(node: &YamlNode) -> Result<bool, ParseError> {
    match scalar(node)? {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(error_at(node.line, node.column, "expected `true` or `false`")),
    }
}

pub(super) fn number<N: std::str::FromStr>(node: &YamlNode) -> Result<N, ParseError> {
    scalar(node)?.parse().map_err(|_| error_at(node.line, node.column, "expected a number that fits"))
}

pub(super) fn sequence(node: &YamlNode) -> Result<&[YamlNode], ParseError> {
    match &node.kind {
        YamlKind::Sequence(nodes) => Ok(nodes),
        YamlKind::Scalar(text) if text.is_empty() => Ok(&[]),
        _ => Err(error_at(node.line, node.column, "expected a list")),
    }
}

/// The entries of a list with their numbers (`id:`), in the order of these.
pub(super) fn by_id(node: &YamlNode) -> Result<Vec<(u32, &YamlNode)>, ParseError> {
    let numbered = |entry| Ok((number(required(entry, "id")?)?, entry));
    let mut entries = sequence(node)?.iter().map(numbered).collect::<Result<Vec<_>, ParseError>>()?;
    entries.sort_by_key(|&(id, _)| id);
    Ok(entries)
}

pub(super) fn field<'n>(node: &'n YamlNode, name: &str) -> Option<&'n YamlNode> {
    let YamlKind::Mapping(entries) = &node.kind else { return None };
    entries.iter().find(|(key, _)| matches!(&key.kind, YamlKind::Scalar(text) if text == name)).map(|(_, value)| value)
}

pub(super) fn required<'n>(node: &'n YamlNode, name: &str) -> Result<&'n YamlNode, ParseError> {
    field(node, name).ok_or_else(|| error_at(node.line, node.column, format!("expected `{name}:` in this entry")))
}

/// Lists and mappings within one another at most: the envelope needs four, and the reader below recurses.
const DEEPEST: usize = 16;

/// The one value of the document; `None` if it is empty.
pub(super) fn tree(text: &str, first: usize) -> Result<Option<YamlNode>, ParseError> {
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

fn node(
    parser: &mut Events<'_>,
    (event, span): (Event<'_>, Span),
    first: usize,
    depth: usize,
) -> Result<YamlNode, ParseError> {
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
        Event::Scalar(text, ..) => YamlKind::Scalar(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut nodes = Vec::new();
            loop {
                match next(parser)? {
                    (Event::SequenceEnd, _) => break YamlKind::Sequence(nodes),
                    event => nodes.push(node(parser, event, first, depth - 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            loop {
                let key = match next(parser)? {
                    (Event::MappingEnd, _) => break YamlKind::Mapping(entries),
                    event => node(parser, event, first, depth - 1)?,
                };
                let event = next(parser)?;
                entries.push((key, node(parser, event, first, depth - 1)?));
            }
        }
        _ => return Err(error_at(line, column, "expected a value")),
    };
    Ok(YamlNode { line, column, kind })
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

impl YamlNode {
    /// The node in flow style: `[ { point: '%bb.1' } ]`.
    pub fn flow(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(", ");
        match &self.kind {
            YamlKind::Scalar(text) => quoted(text),
            YamlKind::Sequence(nodes) => format!("[ {} ]", joined(nodes.iter().map(YamlNode::flow).collect())),
            YamlKind::Mapping(entries) => {
                let entry = |(key, value): &(YamlNode, YamlNode)| format!("{}: {}", key.flow(), value.flow());
                format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
            }
        }
    }
}

/// A name as YAML wants it: quoted unless it is plain.
pub(super) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    // Words that YAML would read as something else.
    let reserved =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&name.to_lowercase().as_str());
    match starts_well && !reserved && name.chars().all(plain) {
        true => name.to_string(),
        false => format!("'{}'", name.replace('\'', "''")),
    }
}
