//! Names of symbols, types, comdats and blocks, and LLVM's escapes in quoted text.
//!
//! Invariant: `@"a"` and `@a` are one name; `@"0"` and `@0` are two.

use std::fmt;

/// A name without its sigil.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// Bytes, escapes decoded: LLVM's names need not be UTF-8.
    Bytes(Box<[u8]>),
    /// The number of an unnamed entity.
    Number(u32),
}

impl Name {
    /// The name, if it has one and it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Name::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Name::Number(_) => None,
        }
    }

    /// The name that stands in `text` after its sigil: `x`, `"a b"`, `0`.
    pub fn from_text(text: &str) -> Name {
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(quoted) => Name::Bytes(unescape(quoted).into()),
            None => text.parse().map_or_else(|_| Name::from(text), Name::Number),
        }
    }
}

impl From<&str> for Name {
    /// The named entity, though `text` be digits.
    fn from(text: &str) -> Name {
        Name::Bytes(text.as_bytes().into())
    }
}

/// True for a byte that a plain name may hold after its first.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-$._".contains(&byte)
}

/// As LLVM prints it after the sigil, quoted where it must be.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Number(number) => write!(f, "{number}"),
            Name::Bytes(bytes) => {
                let plain = bytes.first().is_some_and(|first| !first.is_ascii_digit());
                match plain && bytes.iter().all(|&byte| is_name_byte(byte) && byte != b'$') {
                    true => f.write_str(&String::from_utf8_lossy(bytes)),
                    false => write!(f, "\"{}\"", Escaped(bytes)),
                }
            }
        }
    }
}

/// Bytes between quotes, as LLVM prints them.
pub(crate) struct Escaped<'b>(pub &'b [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&byte| match byte {
            b'\\' => f.write_str("\\\\"),
            b' '..=b'~' if byte != b'"' => write!(f, "{}", char::from(byte)),
            _ => write!(f, "\\{byte:02X}"),
        })
    }
}

/// Decodes `\\` and `\XX`. A backslash before anything else stands for itself, as in LLVM's lexer.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (b'\\', &rest[1..]),
            },
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_by_their_bytes() {
        assert_eq!(Name::from_text("\"a\""), Name::from_text("a"));
        assert_eq!(Name::from_text("\"a b\\22\\\\\\zz\""), Name::from("a b\"\\\\zz"));
        assert_eq!(Name::from_text("0"), Name::Number(0));
        assert_ne!(Name::from_text("\"0\""), Name::from_text("0"));
    }

    #[test]
    fn names_print_as_they_are_read() {
        for text in ["x", "0", "\"0\"", "a.b-c", "\"a$b\"", "\"a\\\\b\"", "\"a b\\22\"", "\"\\01_x\\FF\"", "\"\""] {
            assert_eq!(Name::from_text(text).to_string(), text);
        }
    }
}
