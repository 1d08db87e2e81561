//! Faults in tables: statics, and the macros whose rows become statics.
//!
//! A table is data that the compiler makes, so its fault is a second table with one field or one row changed. The
//! program writes it over the first when it starts. Constants that only tables use have no sites of their own: the
//! rows that use them do.

use crate::operators::flipped;
use crate::site::{Change, MutationSite, Operator, TableStatic};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::{Item, ItemMacro, ItemStatic, Lit};

/// The statics that each macro of the sources defines: found in the text of `macro_rules!`.
#[derive(Default)]
pub struct Macros(BTreeMap<String, Vec<TableStatic>>);

impl Macros {
    /// Notes the macros that a file defines.
    pub fn read(&mut self, syntax: &syn::File) {
        for item in &syntax.items {
            if let Item::Macro(item) = item
                && let Some(name) = &item.ident
            {
                let mut found = Vec::new();
                statics(item.mac.tokens.clone(), &mut found);
                if !found.is_empty() {
                    self.0.insert(name.to_string(), found);
                }
            }
        }
    }
}

/// `static NAME: &[...]` anywhere in these tokens.
fn statics(tokens: TokenStream, found: &mut Vec<TableStatic>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => statics(group.stream(), found),
            TokenTree::Ident(word) if word == "static" => {
                if let (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(and))) =
                    (trees.get(index + 1), trees.get(index + 3))
                    && and.as_char() == '&'
                {
                    found.push(TableStatic { name: name.to_string(), is_slice: true });
                }
            }
            _ => {}
        }
    }
}

/// Types of statics that are no tables: they hold what the program made.
const STATE: [&str; 6] = ["OnceLock", "Mutex", "Atomic", "RefCell", "Target", "Pass"];

/// The sites in the tables of one file.
pub fn sites(file: &str, text: &str, syntax: &syn::File, macros: &Macros) -> Vec<MutationSite> {
    let mut sites = Vec::new();
    for item in &syntax.items {
        match item {
            Item::Static(item) => of_static(file, text, item, &mut sites),
            Item::Macro(item) => of_macro(file, text, item, macros, &mut sites),
            _ => {}
        }
    }
    sites
}

fn of_static(file: &str, text: &str, item: &ItemStatic, sites: &mut Vec<MutationSite>) {
    let ty = &text[item.ty.span().byte_range()];
    if STATE.iter().any(|state| ty.contains(state)) {
        return;
    }
    let table = TableStatic { name: item.ident.to_string(), is_slice: ty.starts_with("&[") };
    let name = table.name.clone();
    let body = item.expr.span().byte_range();
    let whole = item.span().byte_range();
    let tokens: TokenStream = match text[body.clone()].parse() {
        Ok(tokens) => tokens,
        Err(_) => return,
    };
    // The comma parts the rows of a list in one group.
    let list = Table { file, text, whole, body, name, statics: vec![table], separator: ',' };
    list.sites(tokens, sites);
}

fn of_macro(file: &str, text: &str, item: &ItemMacro, macros: &Macros, sites: &mut Vec<MutationSite>) {
    let Some(name) = item.mac.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
    let Some(statics) = macros.0.get(&name) else { return };
    if item.ident.is_some() {
        return;
    }
    let group = match &item.mac.delimiter {
        syn::MacroDelimiter::Brace(brace) => brace.span,
        syn::MacroDelimiter::Paren(paren) => paren.span,
        syn::MacroDelimiter::Bracket(bracket) => bracket.span,
    };
    let body = group.open().byte_range().end..group.close().byte_range().start;
    let Ok(tokens) = text[body.clone()].parse() else { return };
    let whole = item.span().byte_range();
    let list = Table { file, text, whole, body, name, statics: statics.clone(), separator: ';' };
    list.sites(tokens, sites);
}

/// One table of a file, whose tokens were read from `body` alone: their places count from its start.
struct Table<'t> {
    file: &'t str,
    text: &'t str,
    whole: Range<usize>,
    body: Range<usize>,
    name: String,
    statics: Vec<TableStatic>,
    separator: char,
}

/// A name in a row, after this mark: names are exchanged with those that stand behind the same.
type Column = (char, bool);

impl Table<'_> {
    fn sites(&self, tokens: TokenStream, sites: &mut Vec<MutationSite>) {
        let mut columns = BTreeMap::new();
        names(tokens.clone(), &mut columns);
        self.fields(tokens.clone(), &columns, sites);
        self.rows(tokens, sites);
    }

    fn note(&self, at: Range<usize>, operator: Operator, with: &str, sites: &mut Vec<MutationSite>) {
        let (start, end) = (self.body.start + at.start, self.body.start + at.end);
        let line = self.text[..start].matches('\n').count() + 1;
        let short = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect();
        let row = self.row_of(start);
        sites.push(MutationSite {
            file: self.file.to_string(),
            line,
            item: format!("{} {row}", self.name),
            range: self.whole.clone(),
            operator,
            shown: (short(&self.text[start..end]), short(with)),
            change: Change::Table { at: start..end, with: with.to_string(), statics: self.statics.clone() },
            alike: (1, 1),
        });
    }

    /// The first word of the line: the name of the row as a rule.
    fn row_of(&self, place: usize) -> &str {
        let start = self.text[..place].rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[start..].lines().next().unwrap_or_default().trim_start();
        line.split([' ', ':', '[', '(']).next().unwrap_or_default()
    }

    fn fields(&self, tokens: TokenStream, columns: &BTreeMap<Column, BTreeSet<String>>, sites: &mut Vec<MutationSite>) {
        let mut before = ' ';
        for tree in tokens {
            match &tree {
                TokenTree::Group(group) => self.fields(group.stream(), columns, sites),
                TokenTree::Literal(literal) => {
                    if let Lit::Int(literal) = Lit::new(literal.clone()) {
                        for with in flipped(&literal) {
                            self.note(tree.span().byte_range(), Operator::TableField, &with, sites);
                        }
                    }
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    let column = columns.get(&(before, is_constant(&name)));
                    for other in column.into_iter().flat_map(|column| neighbours(column, &name)) {
                        self.note(tree.span().byte_range(), Operator::TableField, other, sites);
                    }
                }
                TokenTree::Punct(_) => {}
            }
            before = mark(&tree);
        }
    }

    /// Each row overwritten by the next, where rows are parted at the top of the table.
    fn rows(&self, tokens: TokenStream, sites: &mut Vec<MutationSite>) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let inner = match trees.as_slice() {
            // `&[ row, row ]`
            [TokenTree::Punct(_), TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                group.stream().into_iter().collect()
            }
            _ => trees,
        };
        let is_end = |tree: &TokenTree| matches!(tree, TokenTree::Punct(mark) if mark.as_char() == self.separator && mark.spacing() == Spacing::Alone);
        let rows: Vec<Range<usize>> = inner
            .split(is_end)
            .filter_map(|row| Some(row.first()?.span().byte_range().start..row.last()?.span().byte_range().end))
            .collect();
        for pair in rows.windows(2) {
            let next = self.text[self.body.start + pair[1].start..self.body.start + pair[1].end].to_string();
            self.note(pair[0].clone(), Operator::TableRow, &next, sites);
        }
    }
}

/// The names that one is exchanged with: those that follow it in its column, the first behind the last.
fn neighbours<'c>(column: &'c BTreeSet<String>, name: &str) -> Vec<&'c String> {
    const MOST: usize = 4;
    let (before, behind) = (
        column.iter().take_while(|other| other.as_str() < name),
        column.iter().skip_while(|other| other.as_str() <= name),
    );
    behind.chain(before).take(MOST).collect()
}

/// The names of a table by column.
fn names(tokens: TokenStream, columns: &mut BTreeMap<Column, BTreeSet<String>>) {
    let mut before = ' ';
    for tree in tokens {
        match &tree {
            TokenTree::Group(group) => names(group.stream(), columns),
            TokenTree::Ident(name) => {
                let name = name.to_string();
                columns.entry((before, is_constant(&name))).or_default().insert(name);
            }
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
        before = mark(&tree);
    }
}

/// The kind of a token, as the mark behind which a name stands.
fn mark(tree: &TokenTree) -> char {
    match tree {
        // A row starts like the table.
        TokenTree::Punct(mark) if mark.as_char() == ';' => ' ',
        TokenTree::Punct(mark) => mark.as_char(),
        TokenTree::Group(_) => ')',
        TokenTree::Ident(_) => 'a',
        TokenTree::Literal(_) => '0',
    }
}

/// `ADDI` and `G_ADD`, other than `Reg` and `upper20`.
fn is_constant(name: &str) -> bool {
    name.chars().all(|letter| !letter.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "macro_rules! rules { ($($a:ident $b:literal;)*) => { pub static RULES: &[u8] = &[$($b),*]; } }\n\
                          rules! {\n    ADD 1;\n    SUB 4;\n}\npub static KNOWN: &[u8] = &[2, 3];\n";

    #[test]
    fn fields_and_rows_of_macros_and_statics_are_sites() {
        let syntax = syn::parse_file(SOURCE).expect("the test's source is Rust");
        let mut macros = Macros::default();
        macros.read(&syntax);
        let found = sites("a.rs", SOURCE, &syntax, &macros);
        let shown: Vec<String> = found
            .iter()
            .map(|site| format!("{} {}: {} to {}", site.line, site.item, site.shown.0, site.shown.1))
            .collect();
        for expected in
            ["3 rules ADD: 1 to 0", "3 rules ADD: ADD 1 to SUB 4", "6 KNOWN pub: 2 to 3", "6 KNOWN pub: 2 to 0"]
        {
            assert!(shown.iter().any(|line| line == expected), "{expected} is missing of {shown:#?}");
        }
        let Change::Table { at, statics, .. } = &found[0].change else { panic!("a table is changed as a whole") };
        assert_eq!((&SOURCE[at.clone()], &SOURCE[found[0].range.clone()][..8]), ("ADD", "rules! {"));
        assert_eq!(statics, &[TableStatic { name: "RULES".to_string(), is_slice: true }]);
    }
}
