//! A position in one line of a body, and the primitive steps of the hand-written parser.

use super::{Failure, ParseError};
use crate::module::{Unknown, UnknownKind};

/// The result of a step, or the error that ends the parse.
pub(super) type Parsed<T> = Result<T, Failure>;

/// One line being read.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    position: usize,
    /// Line number in the file, from 1.
    line: usize,
}

/// Letters of a word: names, opcodes, numbers with a sign are read separately.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '$')
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str, line: usize) -> Cursor<'t> {
        let mut cursor = Cursor { text, position: 0, line };
        cursor.skip_blanks();
        cursor
    }

    pub fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    pub fn at_end(&self) -> bool {
        self.rest().is_empty() || self.rest().starts_with(';')
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Blanks, and comments within the line: `1 /* sideeffect */`.
    pub fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            let comment = rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/"));
            let left = comment.map_or(rest, |(_, after)| after);
            self.position = self.text.len() - left.len();
            if comment.is_none() {
                return;
            }
        }
    }

    /// Takes `token` if it stands here, and the blanks after it.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
            self.skip_blanks();
        }
        found
    }

    /// Takes `token` or fails.
    pub fn expect(&mut self, token: &str) -> Parsed<()> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{token}`"))),
        }
    }

    /// The word that stands here, possibly empty, without moving.
    pub fn peek_word(&self) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())]
    }

    /// Takes a word and the blanks after it; empty if none stands here.
    pub fn word(&mut self) -> &'t str {
        let word = self.peek_word();
        self.position += word.len();
        self.skip_blanks();
        word
    }

    /// Takes the word `word` if it stands here whole.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.word();
        }
        found
    }

    /// Takes letters up to a character for which `stop` holds; blanks after it stay.
    pub fn take_until(&mut self, stop: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(stop).unwrap_or(rest.len())];
        self.position += taken.len();
        taken
    }

    /// Takes `length` bytes, which end between letters; blanks after them stay.
    pub fn take(&mut self, length: usize) -> &'t str {
        let taken = &self.rest()[..length];
        self.position += taken.len();
        taken
    }

    /// An unsigned decimal number.
    pub fn number<N: std::str::FromStr>(&mut self) -> Parsed<N> {
        let start = self.clone();
        let digits = self.take_until(|c| !c.is_ascii_digit());
        let number = digits.parse().map_err(|_| start.error_over(digits.len(), "expected a number that fits"));
        self.skip_blanks();
        number
    }

    /// A signed decimal number.
    pub fn signed<N: std::str::FromStr>(&mut self) -> Parsed<N> {
        let start = self.clone();
        let length = usize::from(self.rest().starts_with('-'));
        let digits = self.rest()[length..].find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len() - length);
        let text = &self.rest()[..length + digits];
        self.position += text.len();
        self.skip_blanks();
        text.parse().map_err(|_| start.error_over(text.len(), "expected a number that fits"))
    }

    /// Everything up to a comma at this nesting level, a memory operand's `::`, or the end: text that is kept as it is.
    pub fn verbatim(&mut self) -> &'t str {
        let rest = self.rest();
        let (mut depth, mut quoted, mut end) = (0usize, None, rest.len());
        for (offset, c) in rest.char_indices() {
            match (quoted, c) {
                (Some(quote), c) if c == quote => quoted = None,
                (Some(_), _) => {}
                (None, '"' | '`' | '\'') => quoted = Some(c),
                (None, '(' | '<' | '[' | '{') => depth += 1,
                (None, ')' | '>' | ']' | '}') if depth > 0 => depth -= 1,
                (None, ',' | ')' | ';') if depth == 0 => {
                    end = offset;
                    break;
                }
                (None, ':') if depth == 0 && rest[offset..].starts_with("::") => {
                    end = offset;
                    break;
                }
                (None, _) => {}
            }
        }
        let text = rest[..end].trim_end();
        self.position += end;
        text
    }

    /// An error at this place, over the word that stands here.
    pub fn error(&self, message: impl Into<String>) -> Failure {
        self.error_over(self.peek_word().len(), message)
    }

    /// An error at this place, over `length` bytes of word characters.
    pub fn error_over(&self, length: usize, message: impl Into<String>) -> Failure {
        let column = self.column();
        Failure::Malformed(ParseError { line: self.line, column, length: length.max(1), message: message.into() })
    }

    /// The failure that `text` at this place is in no table.
    pub fn unknown(&self, kind: UnknownKind, text: impl Into<String>) -> Failure {
        Failure::Unknown(Unknown { line: self.line, column: self.column(), kind, text: text.into() })
    }

    fn column(&self) -> usize {
        self.text[..self.position].chars().count() + 1
    }

    /// Checks that the rest of the line is empty or a comment.
    pub fn expect_end(&self) -> Parsed<()> {
        match self.at_end() {
            true => Ok(()),
            false => Err(self.error("expected the end of the line")),
        }
    }
}
