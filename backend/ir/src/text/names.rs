//! Names after a sigil, as LLVM spells them: plain, or in quotes with `\XX` for other bytes.

use super::cursor::Cursor;
use crate::address::GlobalName;
use crate::function::Function;
use std::fmt::{self, Write};
use tribunal_llvm::Name;

/// The name that stands at the cursor, quotes and escapes included; empty if none does. Blanks after it are taken.
pub(super) fn spelled<'t>(cursor: &mut Cursor<'t>) -> &'t str {
    let rest = cursor.rest();
    let length = match rest.strip_prefix('"') {
        Some(quoted) => quoted.find('"').map_or(0, |length| length + 2),
        None => rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-$._".contains(c)).unwrap_or(rest.len()),
    };
    let name = cursor.take(length);
    cursor.skip_blanks();
    name
}

/// The name that `spelled` means; `None` if its bytes are no UTF-8, or if it is a number.
pub(super) fn meant(spelled: &str) -> Option<String> {
    Name::from_text(spelled).as_str().map(str::to_string)
}

/// The global whose name stands after `@`. `None`, with the cursor anywhere, if it is not to be read.
pub(super) fn global(function: &mut Function, cursor: &mut Cursor<'_>) -> Option<GlobalName> {
    let spelled = spelled(cursor);
    match Name::from_text(spelled) {
        Name::Number(number) => Some(GlobalName::Numbered(number)),
        name => name.as_str().filter(|_| !spelled.is_empty()).map(|name| GlobalName::Named(function.intern(name))),
    }
}

/// Writes a name as LLVM spells it.
pub(super) fn write(out: &mut String, name: &str) -> fmt::Result {
    write!(out, "{}", Name::from(name))
}

/// Writes `@g` or `@0`.
pub(super) fn write_global(out: &mut String, function: &Function, name: GlobalName) -> fmt::Result {
    out.write_char('@')?;
    match name {
        GlobalName::Named(symbol) => write(out, &function.symbols[symbol]),
        GlobalName::Numbered(number) => write!(out, "{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_llvm_spells_them() {
        for (name, spelled) in [
            ("memcpy", "memcpy"),
            (".str.1", ".str.1"),
            ("a b", "\"a b\""),
            ("a$", "\"a$\""),
            ("1st", "\"1st\""),
            ("", "\"\""),
            ("é\"\\\n", "\"\\C3\\A9\\22\\\\\\0A\""),
        ] {
            let mut text = String::new();
            write(&mut text, name).unwrap();
            assert_eq!(text, spelled);
            assert_eq!(meant(&text).as_deref(), Some(name));
        }
        assert_eq!(meant("\"\\FF\""), None);
    }

    #[test]
    fn a_name_ends_where_its_letters_or_its_quotes_do() {
        for (text, name, rest) in
            [("g + 8", "g", "+ 8"), ("\"a, b\" , c", "\"a, b\"", ", c"), ("f$1)", "f$1", ")"), ("\"open", "", "\"open")]
        {
            let mut cursor = Cursor::new(text, 1);
            assert_eq!((spelled(&mut cursor), cursor.rest()), (name, rest));
        }
    }
}
