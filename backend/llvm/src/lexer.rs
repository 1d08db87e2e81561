//! Tokens of LLVM IR at module level. Source: LLVM 22's LLLexer.
//!
//! Invariant: a token borrows the text, and every step ends: it moves forward or is at the end.

use crate::error::{IrErrorKind, ReadFailure};
use crate::name::is_name_byte;
use std::ops::Range;

/// A token. A name stands as spelt, without its sigil: [`crate::Name::from_text`] reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    /// A keyword, a primitive type, an attribute.
    Word(&'t str),
    /// A number as spelt: `-1`, `u0xFF`, `1.5e+3`, `0xK3FFF8000000000000000`.
    Number(&'t str),
    /// `@x`
    Global(&'t str),
    /// `%x`
    Local(&'t str),
    /// `$x`
    Comdat(&'t str),
    /// `!x`, `!0`
    Metadata(&'t str),
    /// `#0`
    AttributeGroup(&'t str),
    /// `^0`
    Summary(&'t str),
    /// The text between quotes, escapes as spelt.
    Text(&'t str),
    /// One character of punctuation.
    Mark(u8),
    /// `...`
    Ellipsis,
    /// The end of the text.
    End,
}

/// A place in the text from which tokens are read.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    /// The offset of the next byte to read.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    fn fail(&self, start: usize, kind: IrErrorKind) -> ReadFailure {
        ReadFailure::Malformed(start..start + 1, kind)
    }

    /// The next token and its bytes.
    pub(crate) fn next(&mut self) -> Result<(Token<'t>, Range<usize>), ReadFailure> {
        self.skip_blanks()?;
        let start = self.at;
        let token = match self.rest() {
            [] => Token::End,
            [b'.', b'.', b'.', ..] => {
                self.at += 3;
                Token::Ellipsis
            }
            [b'"', ..] => Token::Text(self.quoted()?),
            [b'@', ..] => Token::Global(self.name()?.ok_or_else(|| self.nameless(start))?),
            [b'%', ..] => Token::Local(self.name()?.ok_or_else(|| self.nameless(start))?),
            [b'$', ..] => Token::Comdat(self.name()?.ok_or_else(|| self.nameless(start))?),
            [b'!', ..] => self.metadata(),
            [b'#', ..] => Token::AttributeGroup(self.numbered(start)?),
            [b'^', ..] => Token::Summary(self.numbered(start)?),
            [b'0'..=b'9', ..] | [b'-' | b'+', b'0'..=b'9', ..] => Token::Number(self.number()),
            [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => self.word(),
            [mark, ..] if b"=,*()[]{}<>:|".contains(mark) => {
                self.at += 1;
                Token::Mark(*mark)
            }
            _ => {
                let character = self.slice(start..self.text.len()).chars().next().unwrap_or_default();
                return Err(self.fail(start, IrErrorKind::Character(character)));
            }
        };
        Ok((token, start..self.at))
    }

    /// True if a byte is next after blanks.
    pub(crate) fn is_before(mut self, byte: u8) -> bool {
        self.skip_blanks().is_ok() && self.rest().first() == Some(&byte)
    }

    /// Steps over bytes while they are of a kind.
    fn take_while(&mut self, is_taken: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        self.at += self.rest().iter().take_while(|&&byte| is_taken(byte)).count();
        self.slice(start..self.at)
    }

    fn skip_blanks(&mut self) -> Result<(), ReadFailure> {
        loop {
            self.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0));
            match self.rest() {
                [b';', ..] => drop(self.take_while(|byte| byte != b'\n')),
                [b'/', b'*', ..] => {
                    let end = self.slice(self.at + 2..self.text.len()).find("*/");
                    let end = end.ok_or_else(|| self.fail(self.at, IrErrorKind::Open("comment")))?;
                    self.at += end + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The text of a string; the next byte is its first quote.
    fn quoted(&mut self) -> Result<&'t str, ReadFailure> {
        let start = self.at + 1;
        let length = self.slice(start..self.text.len()).find('"');
        let length = length.ok_or_else(|| self.fail(self.at, IrErrorKind::Open("string")))?;
        self.at = start + length + 1;
        Ok(self.slice(start..start + length))
    }

    /// The name after a sigil of one byte, with its quotes if it has them; `None` if there is none.
    fn name(&mut self) -> Result<Option<&'t str>, ReadFailure> {
        self.at += 1;
        let start = self.at;
        match self.rest() {
            [b'"', ..] => drop(self.quoted()?),
            [b'0'..=b'9', ..] => drop(self.take_while(|byte| byte.is_ascii_digit())),
            _ => drop(self.take_while(is_name_byte)),
        }
        Ok(Some(self.slice(start..self.at)).filter(|name| !name.is_empty()))
    }

    fn nameless(&self, start: usize) -> ReadFailure {
        self.fail(start, IrErrorKind::Expected("a name after the sigil"))
    }

    fn metadata(&mut self) -> Token<'t> {
        self.at += 1;
        match self.take_while(|byte| is_name_byte(byte) || byte == b'\\') {
            "" => Token::Mark(b'!'),
            name => Token::Metadata(name),
        }
    }

    /// The digits after a sigil of one byte.
    fn numbered(&mut self, start: usize) -> Result<&'t str, ReadFailure> {
        self.at += 1;
        match self.take_while(|byte| byte.is_ascii_digit()) {
            "" => Err(self.fail(start, IrErrorKind::Expected("a number after the sigil"))),
            digits => Ok(digits),
        }
    }

    fn number(&mut self) -> &'t str {
        let start = self.at;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        if let [b'0', b'x', ..] = self.rest() {
            self.at += 2;
            if let [b'K' | b'L' | b'M' | b'H' | b'R', ..] = self.rest() {
                self.at += 1;
            }
            self.take_while(|byte| byte.is_ascii_hexdigit());
            return self.slice(start..self.at);
        }
        self.at += 1;
        self.take_while(is_digit);
        if let [b'.', ..] = self.rest() {
            self.at += 1;
            self.take_while(is_digit);
            if let [b'e' | b'E', b'0'..=b'9', ..] | [b'e' | b'E', b'-' | b'+', b'0'..=b'9', ..] = self.rest() {
                self.at += 2;
                self.take_while(is_digit);
            }
        }
        self.slice(start..self.at)
    }

    fn word(&mut self) -> Token<'t> {
        let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let digits = word.strip_prefix("u0x").or_else(|| word.strip_prefix("s0x")).unwrap_or_default();
        match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Token::Number(word),
            false => Token::Word(word),
        }
    }

    /// Steps over a function's body, whose `{` was read; its text without the braces. Braces in strings and comments do
    /// not count, and tokens that only bodies have are not read.
    pub(crate) fn skip_body(&mut self, open: usize) -> Result<Range<usize>, ReadFailure> {
        let (start, mut depth) = (self.at, 1usize);
        loop {
            self.take_while(|byte| !matches!(byte, b'{' | b'}' | b'"' | b';' | b'/'));
            let here = self.at;
            match self.rest() {
                [] => return Err(self.fail(open, IrErrorKind::Open("body"))),
                [b'"', ..] => drop(self.quoted()?),
                [b';', ..] | [b'/', b'*', ..] => self.skip_blanks()?,
                [brace, ..] => {
                    self.at += 1;
                    match brace {
                        b'{' => depth += 1,
                        b'}' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return Ok(start..here);
                    }
                }
            }
        }
    }
}
