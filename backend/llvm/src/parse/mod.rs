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
mod setting_aside;
mod tokens;
mod types;

use crate::attribute::Attribute;
use crate::data_layout::DataLayout;
use crate::error::{FormKind, IrError, IrErrorKind, ReadFailure, TextPlace};
use crate::lexer::{Lexer, Token};
use crate::module::{
    Comdat, ComdatId, ComdatSelection, Definition, FunctionId, GlobalId, IntegerRange, IrModule, IrSymbol, SymbolId,
};
use crate::name::Name;
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
    /// The place of the last unknown word.
    last_unknown: TextPlace,
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
    Function(FunctionId),
    Global(GlobalId),
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser {
            text,
            lexer: Lexer::new(text),
            token: Token::End,
            span: 0..0,
            end: 0,
            depth: 0,
            last_unknown: TextPlace::START,
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
        self.module.flags.resolve();
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
            Token::Metadata(name) if self.lexer.is_before(b'=') => self.metadata_node(name),
            Token::Summary(_) if self.lexer.is_before(b'=') => self.skip_entity(),
            _ => Err(self.expected("an entity of a module")),
        }
    }

    /// Keeps a node that is a list of ranges or a module flag, and steps over any other.
    fn metadata_node(&mut self, name: &str) -> Step<()> {
        let start = self.span.end;
        self.skip_entity()?;
        let node = self.text.get(start..self.end).and_then(|text| text.trim().strip_prefix('='));
        match (name.parse(), node) {
            (Ok(number), Some(node)) => {
                self.module.ranges.extend(IntegerRange::of_node(node).map(|ranges| (number, ranges)));
                self.module.flags.node(number, node);
            }
            (Err(_), Some(list)) if name == "llvm.module.flags" => self.module.flags.listed(list),
            _ => {}
        }
        Ok(())
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
}
