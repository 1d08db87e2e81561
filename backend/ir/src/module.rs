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
