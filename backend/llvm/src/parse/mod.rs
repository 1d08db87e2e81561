//! The parser: entities in their order, and what is set aside.
//!
//! A step that meets a word that no table knows fails with [`ReadFailure::Unknown`]. The entity is then skipped by its
//! tokens, its name is kept, and the next one is read. Source: LLVM 22's LLParser.
//!
//! Invariant: every loop consumes a token in each turn, and nested types and constants count their depth.

mod attributes;
mod constants;
mod expressions;
mod functions;
mod globals;
mod numbers;
mod types;

use crate::attribute::Attribute;
use crate::constant::DEEPEST;
use crate::data_layout::DataLayout;
use crate::error::{FormKind, IrError, IrErrorKind, ReadFailure, UnknownForm, UnreadEntity, place};
use crate::lexer::{Lexer, Token};
use crate::module::{Comdat, ComdatId, ComdatSelection, Definition, IrModule, IrSymbol, SymbolId};
use crate::name::{Name, unescape};
use crate::types::TypeId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The result of a step.
type Step<T> = Result<T, ReadFailure>;

/// Reads a module. Text that is no LLVM IR is an error. An entity that holds something unknown is in
/// [`IrModule::unread`], and all others are read.
pub fn parse(text: &str) -> Result<IrModule, IrError> {
    let mut parser = Parser::new(text);
    match parser.module() {
        Ok(()) => Ok(parser.module),
        Err(ReadFailure::Malformed(span, kind)) => Err(IrError::new(text, span, kind)),
        Err(ReadFailure::Unknown(span, _)) => Err(IrError::new(text, span, IrErrorKind::Expected("an entity"))),
    }
}

/// The target triple of a module, without reading what stands after it.
pub fn target_triple(text: &str) -> Option<String> {
    let mut parser = Parser::new(text);
    parser.advance().ok()?;
    while parser.token != Token::End {
        if parser.token != Token::Word("target") {
            parser.skip_entity().ok()?;
            continue;
        }
        parser.target().ok()?;
        if parser.module.target_triple.is_some() {
            return parser.module.target_triple;
        }
    }
    None
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The next token, not consumed.
    token: Token<'t>,
    /// Its bytes.
    span: Range<usize>,
    /// The end of the token before it.
    end: usize,
    /// Types and constants around the next token.
    depth: u32,
    module: IrModule,
    type_names: FxHashMap<Name, NamedType>,
    comdat_names: FxHashMap<Name, ComdatId>,
    groups: FxHashMap<&'t str, Vec<Attribute>>,
    /// Groups by their users, which may stand before them.
    group_users: Vec<(GroupUser, &'t str)>,
    /// First mentions of symbols, by their number.
    mentions: Vec<Range<usize>>,
    /// First mentions of comdats, by their number.
    comdat_mentions: Vec<Range<usize>>,
}

/// The meaning of a type's name.
struct NamedType {
    ty: TypeId,
    /// It has its definition, or was set aside.
    defined: bool,
    mention: Range<usize>,
}

/// An entity with attributes.
#[derive(Clone, Copy)]
enum GroupUser {
    Function(crate::module::FunctionId),
    Global(crate::module::GlobalId),
}

/// Words that begin an entity.
const ENTITY_WORDS: [&str; 8] =
    ["define", "declare", "target", "module", "source_filename", "attributes", "uselistorder", "uselistorder_bb"];

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser {
            text,
            lexer: Lexer::new(text),
            token: Token::End,
            span: 0..0,
            end: 0,
            depth: 0,
            module: IrModule::default(),
            type_names: FxHashMap::default(),
            comdat_names: FxHashMap::default(),
            groups: FxHashMap::default(),
            group_users: Vec::new(),
            mentions: Vec::new(),
            comdat_mentions: Vec::new(),
        }
    }

    fn module(&mut self) -> Step<()> {
        self.advance()?;
        while self.token != Token::End {
            let (lexer, token, span, users) = (self.lexer, self.token, self.span.clone(), self.group_users.len());
            match self.entity() {
                Err(ReadFailure::Unknown(unknown, kind)) => {
                    (self.lexer, self.token, self.span, self.depth) = (lexer, token, span, 0);
                    self.group_users.truncate(users);
                    self.set_aside(unknown, kind)?;
                }
                done => done?,
            }
        }
        self.resolve_groups();
        self.check_mentions()
    }

    fn entity(&mut self) -> Step<()> {
        match self.token {
            Token::Global(name) => self.global_entity(name),
            Token::Local(name) => self.type_definition(name),
            Token::Comdat(name) => self.comdat_definition(name),
            Token::Word("define" | "declare") => self.function(),
            Token::Word("target") => self.target(),
            Token::Word("source_filename") => {
                self.advance()?;
                self.mark(b'=', "`=`")?;
                self.module.source_filename = Some(self.string()?);
                Ok(())
            }
            Token::Word("module") => {
                self.advance()?;
                self.word("asm", "`asm`")?;
                let line = self.string()?;
                self.module.assembly.push(line);
                Ok(())
            }
            Token::Word("attributes") => self.attribute_group(),
            Token::Word("uselistorder" | "uselistorder_bb") => self.skip_entity(),
            Token::Metadata(_) | Token::Summary(_) if self.lexer.is_before(b'=') => self.skip_entity(),
            _ => Err(self.expected("an entity of a module")),
        }
    }

    fn target(&mut self) -> Step<()> {
        self.advance()?;
        let property = self.token;
        self.advance()?;
        self.mark(b'=', "`=`")?;
        let span = self.span.clone();
        match property {
            Token::Word("triple") => self.module.target_triple = Some(self.string()?),
            Token::Word("datalayout") => {
                let layout = DataLayout::parse(&self.string()?);
                self.module.data_layout = Some(layout.map_err(|kind| ReadFailure::Malformed(span, kind))?);
            }
            _ => return Err(ReadFailure::Malformed(span, IrErrorKind::Expected("`triple` or `datalayout`"))),
        }
        Ok(())
    }

    fn comdat_definition(&mut self, name: &'t str) -> Step<()> {
        let span = self.span.clone();
        let id = self.comdat_named(name)?;
        self.mark(b'=', "`=`")?;
        self.word("comdat", "`comdat`")?;
        let Token::Word(word) = self.token else { return Err(self.expected("the selection of a comdat")) };
        let selection = ComdatSelection::from_keyword(word).ok_or_else(|| self.unknown(FormKind::ComdatSelection))?;
        self.advance()?;
        let comdat = &mut self.module.comdats[id];
        if comdat.selection.replace(selection).is_some() {
            return Err(ReadFailure::Malformed(span, IrErrorKind::Redefinition(format!("${name}"))));
        }
        Ok(())
    }

    /// The comdat of a name that stands here, new or not.
    fn comdat_named(&mut self, name: &'t str) -> Step<ComdatId> {
        let span = self.span.clone();
        self.advance()?;
        Ok(self.comdat(Name::from_text(name), span))
    }

    fn comdat(&mut self, name: Name, span: Range<usize>) -> ComdatId {
        *self.comdat_names.entry(name).or_insert_with_key(|name| {
            self.comdat_mentions.push(span);
            self.module.comdats.push(Comdat { name: name.clone(), selection: None })
        })
    }

    /// The symbol of a name that stands here, new or not.
    fn symbol_named(&mut self, name: &'t str) -> Step<SymbolId> {
        let (name, span) = (Name::from_text(name), self.span.clone());
        self.advance()?;
        let IrModule { by_name, symbols, .. } = &mut self.module;
        let id = *by_name.entry(name).or_insert_with_key(|name| {
            self.mentions.push(span);
            symbols.push(IrSymbol { name: name.clone(), definition: None })
        });
        Ok(id)
    }

    fn define_symbol(&mut self, symbol: SymbolId, span: Range<usize>, definition: Definition) -> Step<()> {
        let entry = &mut self.module.symbols[symbol];
        match entry.definition.replace(definition) {
            None => Ok(()),
            Some(_) => Err(ReadFailure::Malformed(span, IrErrorKind::Redefinition(format!("@{}", entry.name)))),
        }
    }

    // Setting aside.

    /// Skips the entity that begins here and keeps its name.
    fn set_aside(&mut self, unknown: Range<usize>, kind: FormKind) -> Step<()> {
        let (first, span) = (self.token, self.span.clone());
        let spelt = self.text.get(span.clone()).unwrap_or_default();
        let (sigil, rest) = spelt.split_at(spelt.len().min(1));
        let mut name = format!("{sigil}{}", Name::from_text(rest));
        let id = self.module.unread.next_key();
        match first {
            Token::Global(spelt) => self.set_symbol_aside(spelt, span.clone(), id)?,
            Token::Local(spelt) => {
                self.set_type_aside(spelt, span.clone());
                self.advance()?;
            }
            // The names of functions stand after their types.
            Token::Word("define" | "declare") => {
                while !matches!(self.token, Token::Global(_) | Token::End) {
                    self.advance()?;
                }
                if let Token::Global(spelt) = self.token {
                    name = format!("@{}", Name::from_text(spelt));
                    self.set_symbol_aside(spelt, self.span.clone(), id)?;
                }
            }
            _ => self.advance()?,
        }
        self.skip_rest()?;
        let (line, column) = place(self.text, unknown.start);
        let text = self.text.get(unknown).unwrap_or_default().to_string();
        let unknown = UnknownForm { line, column, kind, text };
        self.module.unread.push(UnreadEntity { name, unknown, text: span.start..self.end });
        Ok(())
    }

    fn set_symbol_aside(&mut self, name: &'t str, span: Range<usize>, id: crate::module::UnreadId) -> Step<()> {
        let symbol = self.symbol_named(name)?;
        self.define_symbol(symbol, span, Definition::Unread(id))
    }

    /// Steps over one entity.
    fn skip_entity(&mut self) -> Step<()> {
        self.advance()?;
        self.skip_rest()
    }

    /// Steps to the beginning of the next entity. A function's body is stepped over without its tokens.
    fn skip_rest(&mut self) -> Step<()> {
        while self.token != Token::End && !self.is_entity_start() {
            match self.token {
                Token::Mark(b'{') => drop(self.skip_braces()?),
                _ => self.advance()?,
            }
        }
        Ok(())
    }

    /// True before an entity, outside braces.
    fn is_entity_start(&self) -> bool {
        match self.token {
            // Before `:` the word is a field of metadata or of a summary; before `(` it is a target's type.
            Token::Word(word) => {
                ENTITY_WORDS.contains(&word) && !self.lexer.is_before(b':') && !self.lexer.is_before(b'(')
            }
            Token::Global(_) | Token::Local(_) | Token::Comdat(_) | Token::Metadata(_) | Token::Summary(_) => {
                self.lexer.is_before(b'=')
            }
            _ => false,
        }
    }

    /// Steps over braces and the text in them; the bytes of that text.
    fn skip_braces(&mut self) -> Step<Range<usize>> {
        let body = self.lexer.skip_body(self.span.start)?;
        self.advance()?;
        Ok(body)
    }

    fn check_mentions(&self) -> Step<()> {
        let undefined =
            |span: &Range<usize>, name: String| Err(ReadFailure::Malformed(span.clone(), IrErrorKind::Undefined(name)));
        for (symbol, span) in self.module.symbols.values().zip(&self.mentions) {
            if symbol.definition.is_none() {
                return undefined(span, format!("@{}", symbol.name));
            }
        }
        let mut types: Vec<_> = self.type_names.iter().filter(|(_, named)| !named.defined).collect();
        types.sort_by_key(|(_, named)| named.mention.start);
        if let Some((name, named)) = types.first() {
            return undefined(&named.mention, format!("%{name}"));
        }
        let unread = |name: &Name| self.module.unread.values().any(|unread| unread.name == format!("${name}"));
        for (comdat, span) in self.module.comdats.values().zip(&self.comdat_mentions) {
            if comdat.selection.is_none() && !unread(&comdat.name) {
                return undefined(span, format!("${}", comdat.name));
            }
        }
        Ok(())
    }

    // Tokens.

    fn advance(&mut self) -> Step<()> {
        self.end = self.lexer.offset();
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn fail(&self, kind: IrErrorKind) -> ReadFailure {
        ReadFailure::Malformed(self.span.clone(), kind)
    }

    fn expected(&self, what: &'static str) -> ReadFailure {
        self.fail(IrErrorKind::Expected(what))
    }

    fn unknown(&self, kind: FormKind) -> ReadFailure {
        ReadFailure::Unknown(self.span.clone(), kind)
    }

    /// Consumes a punctuation mark.
    fn mark(&mut self, mark: u8, what: &'static str) -> Step<()> {
        match self.take_mark(mark)? {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    /// Consumes a punctuation mark if it is next.
    fn take_mark(&mut self, mark: u8) -> Step<bool> {
        self.take(Token::Mark(mark))
    }

    /// Consumes a keyword.
    fn word(&mut self, word: &'static str, what: &'static str) -> Step<()> {
        match self.take(Token::Word(word))? {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    /// Consumes a keyword if it is next.
    fn take_word(&mut self, word: &'static str) -> Step<bool> {
        self.take(Token::Word(word))
    }

    fn take(&mut self, token: Token<'static>) -> Step<bool> {
        let found = self.token == token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes a keyword of an enum if one is next.
    fn take_keyword<T>(&mut self, from_keyword: impl Fn(&str) -> Option<T>) -> Step<Option<T>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let found = from_keyword(word);
        if found.is_some() {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes a string; its bytes with escapes decoded.
    fn bytes(&mut self) -> Step<Vec<u8>> {
        let Token::Text(text) = self.token else { return Err(self.expected("a string")) };
        self.advance()?;
        Ok(unescape(text))
    }

    /// Consumes a string of words, which is UTF-8 wherever it matters.
    fn string(&mut self) -> Step<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Consumes an unsigned number.
    fn number<N: std::str::FromStr>(&mut self) -> Step<N> {
        let Token::Number(text) = self.token else { return Err(self.expected("a number")) };
        let number = text.parse().map_err(|_| self.fail(IrErrorKind::Number))?;
        self.advance()?;
        Ok(number)
    }

    /// Consumes items with commas between them, up to and with `close`.
    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Step<()>) -> Step<()> {
        if self.take_mark(close)? {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.take_mark(b',')? {
                return self.mark(close, "`,` or the end of the list");
            }
        }
    }

    /// A step one level deeper.
    fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth == DEEPEST {
            return Err(self.fail(IrErrorKind::TooDeep));
        }
        self.depth += 1;
        let value = step(self)?;
        self.depth -= 1;
        Ok(value)
    }
}
