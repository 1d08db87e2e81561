//! A MIR file: the IR block as it was read, and the machine functions.

use crate::function::Function;

/// The functions of one file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Comment lines at the head of the file, without `;` or `#`: expectations, or the story of a crash.
    pub comments: Vec<String>,
    /// The LLVM IR of the first document, as it was read.
    pub ir: Option<String>,
    pub functions: Vec<Function>,
}

impl Module {
    /// What a head comment `key: value` says.
    pub fn said(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|line| Some(line.trim().strip_prefix(key)?.strip_prefix(':')?.trim()))
    }
}
