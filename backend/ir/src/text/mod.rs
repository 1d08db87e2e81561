//! LLVM's MIR text: reading, printing, and errors with their place.
//!
//! The envelope is YAML, read through a YAML parser; a function's body is lines of its own grammar. Text that is not
//! interpreted is kept as read and printed back. Source: LLVM 22's MIRParser and MIRPrinter.
//!
//! Invariant: printing is a fixed point, `print(parse(print(m))) == print(m)`.

mod addresses;
mod body;
mod cursor;
mod envelope;
mod floats;
mod memory;
mod names;
mod operands;
mod print;
mod tables;
mod yaml;

pub use print::{print_base, print_function, print_inst, print_memory, print_module, print_operand, print_pointer};

use crate::function::Function;
use crate::module::{Module, Unknown};
use crate::stage::Stage;
use crate::strictness::Strictness;
use crate::vocabulary::Vocabulary;
use std::fmt::{self, Write};

/// The place where a text is not MIR, and the reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// In characters; at least 1.
    pub length: usize,
    /// The fault, without the place.
    pub message: String,
}

/// The reason why a step of the reader fails: the text is malformed, or no table has its names.
enum Failure {
    /// The file is refused.
    Malformed(ParseError),
    /// The function is set aside.
    Unknown(Unknown),
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure::Malformed(error)
    }
}

/// The comment that says a stage, up to its name: at the head of a function's document, before the first key.
const STAGE: &str = "# stage: ";
/// The comment there that says of a function that its operations see the environment of floating point.
const STRICT: &str = "# strictfp";

/// Writes both, where the rest of the document does not say so.
fn write_comments(out: &mut String, function: &Function) -> fmt::Result {
    if function.strictness != Strictness::Default {
        writeln!(out, "{STRICT}")?;
    }
    if Stage::of(function.properties) != function.stage {
        writeln!(out, "{STAGE}{}", function.stage)?;
    }
    Ok(())
}

/// Reads a whole file. Text that is no MIR is an error. A function that names something unknown (a register, a class,
/// an opcode) is [`Module::unread`], and the others are read.
pub fn parse_module(text: &str, vocabulary: &dyn Vocabulary) -> Result<Module, ParseError> {
    envelope::parse(text, vocabulary)
}

/// The architecture that a file is for: from a head comment `# target: riscv64`, else the IR block's `target triple`.
pub fn architecture(text: &str) -> Option<String> {
    let comment = head_comments(text).find_map(|line| line.strip_prefix("target: ").map(str::trim));
    let name = comment.map(str::to_string).or_else(|| envelope::target_triple(text))?;
    name.split('-').next().filter(|name| !name.is_empty()).map(str::to_string)
}

/// The comment lines before the first document, without `#` and the space after it.
fn head_comments(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
    lines.filter_map(|line| line.strip_prefix('#')).map(|line| line.strip_prefix(' ').unwrap_or(line))
}
