//! The golden table of code sizes: instructions and bytes of every function of the cases that run, so that a change of
//! code size is a diff that a reviewer sees.

use crate::case::{CaseError, CaseFile};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tribunal_codegen::{Allocator, Context, NoObserver, Options, pipeline};
use tribunal_ir::Function;

/// The code of one function, or of many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Machine instructions as the last pass leaves them: a pseudo-instruction counts once.
    pub instructions: usize,
    /// Bytes of machine code.
    pub bytes: usize,
}

/// The table of the functions in `files`, below `root`: a line for each target, with the sum, then one for each
/// function. Code is that of the allocator Ion, under the features that a file's head asks for.
pub fn table(root: &Path, files: &[PathBuf]) -> Result<String, CaseError> {
    let mut rows = String::new();
    let mut sums: BTreeMap<&str, Size> = BTreeMap::new();
    for path in files {
        let source = CaseFile::read(&std::fs::read_to_string(path)?)?;
        let name = path.strip_prefix(root).unwrap_or(path).with_extension("");
        for function in &source.module.functions {
            let size = size(&source, function);
            let sum = sums.entry(source.target.name).or_default();
            let _ = match size {
                Some(Size { instructions, bytes }) => {
                    *sum = Size { instructions: sum.instructions + instructions, bytes: sum.bytes + bytes };
                    writeln!(rows, "{} @{}: {instructions} {bytes}", name.display(), function.name)
                }
                None => writeln!(rows, "{} @{}: refused", name.display(), function.name),
            };
        }
    }
    let mut text = String::from(
        "# function: machine instructions, bytes of code; `BLESS=1 cargo test --package tribunal-corpus` writes this\n",
    );
    for (target, Size { instructions, bytes }) in sums {
        let _ = writeln!(text, "# {target}: {instructions} {bytes}");
    }
    Ok(text + &rows)
}

/// `None` where the backend refuses the function.
fn size(source: &CaseFile, function: &Function) -> Option<Size> {
    let legalizer = (source.target.legality)(source.options.features);
    let options = Options { allocator: Allocator::Ion, ..source.options };
    let mut context = Context { target: source.target, options, legalizer, observer: &mut NoObserver };
    let code = pipeline::compile(&mut function.clone(), &mut context).ok()?;
    Some(Size { instructions: code.map.len(), bytes: code.bytes.len() })
}
