//! Entities that hold something unknown: they are skipped by their tokens, and their names are kept.

use super::{Parser, Step};
use crate::error::{FormKind, TextPlace, UnknownForm, UnreadEntity};
use crate::lexer::Token;
use crate::module::{Definition, UnreadId};
use crate::name::Name;
use std::ops::Range;

/// Words that begin an entity.
const ENTITY_WORDS: [&str; 8] =
    ["define", "declare", "target", "module", "source_filename", "attributes", "uselistorder", "uselistorder_bb"];

impl<'t> Parser<'t> {
    /// Skips the entity that begins here and keeps its name.
    pub(super) fn set_aside(&mut self, unknown: Range<usize>, kind: FormKind) -> Step<()> {
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
        self.last_unknown = self.last_unknown.next(self.text, unknown.start);
        let TextPlace { line, column, .. } = self.last_unknown;
        let text = self.text.get(unknown).unwrap_or_default().to_string();
        let unknown = UnknownForm { line, column, kind, text };
        self.module.unread.push(UnreadEntity { name, unknown, text: span.start..self.end });
        Ok(())
    }

    pub(super) fn set_symbol_aside(&mut self, name: &'t str, span: Range<usize>, id: UnreadId) -> Step<()> {
        let symbol = self.symbol_named(name)?;
        self.define_symbol(symbol, span, Definition::Unread(id))
    }

    /// Steps over one entity.
    pub(super) fn skip_entity(&mut self) -> Step<()> {
        self.advance()?;
        self.skip_rest()
    }

    /// Steps to the beginning of the next entity. A function's body is stepped over without its tokens.
    pub(super) fn skip_rest(&mut self) -> Step<()> {
        while self.token != Token::End && !self.is_entity_start() {
            match self.token {
                Token::Mark(b'{') => {
                    self.skip_braces()?;
                }
                _ => self.advance()?,
            }
        }
        Ok(())
    }

    /// True before an entity, outside braces.
    pub(super) fn is_entity_start(&self) -> bool {
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
    pub(super) fn skip_braces(&mut self) -> Step<Range<usize>> {
        let body = self.lexer.skip_body(self.span.start)?;
        self.advance()?;
        Ok(body)
    }
}
