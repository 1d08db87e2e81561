//! Errors with their place, and entities that are set aside.
//!
//! Invariant: text that is no LLVM IR is an [`IrError`] and refuses the module. A word that no table knows, where a
//! type, a constant or a property stands, sets aside one entity: an [`UnreadEntity`].

use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// The place where a text is not LLVM IR, and the reason.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}:{column}: {kind}")]
pub struct IrError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// In characters; at least 1.
    pub length: usize,
    /// The fault, without the place.
    pub kind: IrErrorKind,
}

/// The reasons why a text is not LLVM IR.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IrErrorKind {
    /// A character that begins no token.
    #[error("`{0}` begins no token")]
    Character(char),
    /// A string or a comment that runs into the end of the text.
    #[error("this {0} does not end")]
    Open(&'static str),
    /// A token in the place of another.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A number that does not fit its place.
    #[error("the number does not fit its place")]
    Number,
    /// A constant that its type does not have.
    #[error("this is no constant of type `{0}`")]
    Mismatch(String),
    /// A second definition of one name.
    #[error("a second definition of `{0}`")]
    Redefinition(String),
    /// A name that is used and never defined.
    #[error("`{0}` is not defined")]
    Undefined(String),
    /// Types or constants within one another beyond the limit.
    #[error("types or constants are nested too deep")]
    TooDeep,
    /// A specification that no data layout has.
    #[error("`{0}` is no specification of a data layout")]
    DataLayout(String),
}

/// An entity that is well-formed and holds something unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadEntity {
    /// As the text has it, with its sigil: `@x`, `%T`.
    pub name: String,
    /// The first thing in it that is unknown.
    pub unknown: UnknownForm,
    /// Its bytes in the module's text.
    pub text: Range<usize>,
}

/// `` `@x`: 3:9: type `b8` ``.
impl fmt::Display for UnreadEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownForm { line, column, kind, text } = &self.unknown;
        write!(f, "`{}`: {line}:{column}: {kind} `{text}`", self.name)
    }
}

/// A word that is well-formed and stands in no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownForm {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The table that does not have it.
    pub kind: FormKind,
    /// As it stands in the text.
    pub text: String,
}

/// The tables of words that a module may extend.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FormKind {
    /// A type, or a pointer to a type: LLVM before 17 has them.
    Type,
    /// A constant or a constant expression.
    Constant,
    /// A property of a global, a function or an alias.
    Property,
    /// The rule by which a comdat is selected.
    ComdatSelection,
}

impl fmt::Display for FormKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormKind::Type => "type",
            FormKind::Constant => "constant",
            FormKind::Property => "property",
            FormKind::ComdatSelection => "comdat selection",
        })
    }
}

/// The reason why a step of the reader fails, with the bytes of the token at fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ReadFailure {
    /// The module is refused.
    Malformed(Range<usize>, IrErrorKind),
    /// The entity is set aside.
    Unknown(Range<usize>, FormKind),
}

impl IrError {
    pub(crate) fn new(text: &str, span: Range<usize>, kind: IrErrorKind) -> IrError {
        let TextPlace { line, column, .. } = TextPlace::of(text, span.start);
        let marked = text.get(span).and_then(|marked| marked.lines().next());
        IrError { line, column, length: marked.map_or(1, |marked| marked.chars().count().max(1)), kind }
    }
}

/// The place of a byte.
#[derive(Clone, Copy)]
pub(crate) struct TextPlace {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The first byte of the line.
    start: usize,
}

impl TextPlace {
    pub(crate) const START: TextPlace = TextPlace { line: 1, column: 1, start: 0 };

    pub(crate) fn of(text: &str, offset: usize) -> TextPlace {
        TextPlace::START.next(text, offset)
    }

    /// The place of a byte after this one. Places in order cost one walk over the text.
    pub(crate) fn next(self, text: &str, offset: usize) -> TextPlace {
        let between = text.get(self.start..offset).unwrap_or_default();
        let newlines = between.bytes().filter(|&byte| byte == b'\n').count();
        let line_start = between.rfind('\n').map_or(0, |newline| newline + 1);
        let column = between[line_start..].chars().count() + 1;
        TextPlace { line: self.line + newlines, column, start: self.start + line_start }
    }
}
