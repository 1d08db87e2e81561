//! A place in a source file, and the fault that an operator puts there.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// The kind of change: the rows of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A comparison moved to its neighbour: `<` for `<=`, `==` for `!=`.
    Comparison,
    /// An arithmetic or logical operator exchanged: `-` for `+`, `|` for `&`.
    Arithmetic,
    /// The two sides of an operator, or two arguments of a call, exchanged.
    Operands,
    /// One bit of a constant flipped.
    Constant,
    /// A boundary moved by one.
    Boundary,
    /// A statement left out.
    Statement,
    /// An arm of a match left out.
    Arm,
    /// The value of one arm of a match given by another.
    ArmValue,
    /// A condition negated.
    Condition,
    /// Signed for unsigned, or one kind of extension for another.
    Sign,
    /// One field of a table's row changed.
    TableField,
    /// A row of a table overwritten by its neighbour.
    TableRow,
}

impl Operator {
    /// All, in the order of the table.
    pub const ALL: [Operator; 12] = [
        Operator::Comparison,
        Operator::Arithmetic,
        Operator::Operands,
        Operator::Constant,
        Operator::Boundary,
        Operator::Statement,
        Operator::Arm,
        Operator::ArmValue,
        Operator::Condition,
        Operator::Sign,
        Operator::TableField,
        Operator::TableRow,
    ];

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Comparison => "comparison moved",
            Operator::Arithmetic => "operator exchanged",
            Operator::Operands => "operands exchanged",
            Operator::Constant => "bit of a constant flipped",
            Operator::Boundary => "boundary moved by one",
            Operator::Statement => "statement dropped",
            Operator::Arm => "match arm dropped",
            Operator::ArmValue => "value of another match arm",
            Operator::Condition => "condition negated",
            Operator::Sign => "sign or width of an extension",
            Operator::TableField => "field of a table's row",
            Operator::TableRow => "row of a table",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The way a fault is woven into its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// An expression: this one in its place.
    Expression(String),
    /// The body of an arm: this one in its place.
    Body(String),
    /// A statement: left out.
    Drop,
    /// The pattern of an arm, without a guard: it never matches.
    Never,
    /// The guard of an arm: it never holds.
    NeverIf,
    /// A table: the whole item a second time with this text at these bytes of the file.
    Table {
        /// The bytes of the field or the row.
        at: Range<usize>,
        /// The text in their place.
        with: String,
        /// The statics that the item defines.
        statics: Vec<TableStatic>,
    },
}

/// A static that holds a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableStatic {
    /// Its name.
    pub name: String,
    /// True for a slice, whose rows are overwritten; else the value itself is.
    pub is_slice: bool,
}

/// A place where one operator applies in one way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutationSite {
    /// The file, from the root of the workspace.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The function or the table that it stands in.
    pub item: String,
    /// The bytes of the file that the change is about.
    pub range: Range<usize>,
    /// The kind of change.
    pub operator: Operator,
    /// The text before and after, for the reader.
    pub shown: (String, String),
    /// The change.
    pub change: Change,
    /// Its number among the places of its function that read alike, from 1 on, and their count.
    pub alike: (usize, usize),
}

impl MutationSite {
    /// Its identity between runs: all but numbers of lines, which move.
    pub fn key(&self) -> String {
        match self.alike {
            (_, 1) => self.text(),
            (number, count) => format!("{} | {number} of {count}", self.text()),
        }
    }

    fn text(&self) -> String {
        let (before, after) = &self.shown;
        format!("{} | {} | {} | {before} | {after}", self.file, self.item, self.operator)
    }

    /// Tells those that read alike apart.
    pub fn number(sites: &mut [MutationSite]) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for site in &mut *sites {
            let count = counts.entry(site.text()).or_default();
            *count += 1;
            site.alike.0 = *count;
        }
        sites.iter_mut().for_each(|site| site.alike.1 = counts[&site.text()]);
    }
}

impl fmt::Display for MutationSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = &self.shown;
        write!(f, "{}:{} in {}: {}: `{before}` to `{after}`", self.file, self.line, self.item, self.operator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An argument about one place proves nothing of another that reads alike.
    #[test]
    fn places_that_read_alike_have_keys_of_their_own() {
        let site = |item: &str, start: usize| MutationSite {
            file: "a.rs".to_string(),
            line: 1,
            item: item.to_string(),
            range: start..start + 1,
            operator: Operator::Constant,
            shown: ("2".to_string(), "3".to_string()),
            change: Change::Drop,
            alike: (1, 1),
        };
        let mut sites = [site("f", 1), site("g", 3), site("f", 9)];
        MutationSite::number(&mut sites);
        let text = |item: &str| format!("a.rs | {item} | bit of a constant flipped | 2 | 3");
        let keys = sites.each_ref().map(MutationSite::key);
        assert_eq!(keys, [format!("{} | 1 of 2", text("f")), text("g"), format!("{} | 2 of 2", text("f"))]);
    }
}
