//! Steps over tokens: keywords, punctuation, strings, numbers, lists.

use super::{Parser, Step};
use crate::constant::DEEPEST;
use crate::error::{FormKind, IrErrorKind, ReadFailure};
use crate::lexer::Token;
use crate::name::unescape;

impl Parser<'_> {
    pub(super) fn advance(&mut self) -> Step<()> {
        self.end = self.lexer.offset();
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn fail(&self, kind: IrErrorKind) -> ReadFailure {
        ReadFailure::Malformed(self.span.clone(), kind)
    }

    pub(super) fn expected(&self, what: &'static str) -> ReadFailure {
        self.fail(IrErrorKind::Expected(what))
    }

    pub(super) fn unknown(&self, kind: FormKind) -> ReadFailure {
        ReadFailure::Unknown(self.span.clone(), kind)
    }

    /// Consumes a punctuation mark.
    pub(super) fn mark(&mut self, mark: u8, what: &'static str) -> Step<()> {
        match self.take_mark(mark)? {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    /// Consumes a punctuation mark if it is next.
    pub(super) fn take_mark(&mut self, mark: u8) -> Step<bool> {
        self.take(Token::Mark(mark))
    }

    /// Consumes a keyword.
    pub(super) fn word(&mut self, word: &'static str, what: &'static str) -> Step<()> {
        match self.take(Token::Word(word))? {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    /// Consumes a keyword if it is next.
    pub(super) fn take_word(&mut self, word: &'static str) -> Step<bool> {
        self.take(Token::Word(word))
    }

    pub(super) fn take(&mut self, token: Token<'static>) -> Step<bool> {
        let found = self.token == token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes a keyword of an enum if one is next.
    pub(super) fn take_keyword<T>(&mut self, from_keyword: impl Fn(&str) -> Option<T>) -> Step<Option<T>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let found = from_keyword(word);
        if found.is_some() {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes a string; its bytes with escapes decoded.
    pub(super) fn bytes(&mut self) -> Step<Vec<u8>> {
        let Token::Text(text) = self.token else { return Err(self.expected("a string")) };
        self.advance()?;
        Ok(unescape(text))
    }

    /// Consumes a string of words, which is UTF-8 wherever it matters.
    pub(super) fn string(&mut self) -> Step<String> {
        let bytes = self.bytes()?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Consumes an unsigned number.
    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Step<N> {
        let Token::Number(text) = self.token else { return Err(self.expected("a number")) };
        let number = text.parse().map_err(|_| self.fail(IrErrorKind::Number))?;
        self.advance()?;
        Ok(number)
    }

    /// Consumes items with commas between them, up to and with `close`.
    pub(super) fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Step<()>) -> Step<()> {
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
    pub(super) fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth == DEEPEST {
            return Err(self.fail(IrErrorKind::TooDeep));
        }
        self.depth += 1;
        let value = step(self)?;
        self.depth -= 1;
        Ok(value)
    }
}
