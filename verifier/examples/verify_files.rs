//! The machine verifier on files that another compiler wrote, such as `llc-22 -stop-after=PASS`: every finding, then the
//! number of functions, findings and functions not read. `tests/llvm_output.rs` demands that there is no finding.
//!
//! Usage: verify_files FILE...

use std::io::Write;
use tribunal_ir::text;
use tribunal_verifier::machine_verifier::verify_foreign;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut functions, mut findings, mut unread) = (0, 0, 0);
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        let target = text::architecture(&source).and_then(|name| tribunal_target::by_name(&name));
        let Some(target) = target else {
            writeln!(out, "{path}: no target")?;
            continue;
        };
        let module = match text::parse_module(&source, target.vocabulary) {
            Ok(module) => module,
            Err(error) => {
                writeln!(out, "{path}:{error}")?;
                continue;
            }
        };
        for left in &module.unread {
            writeln!(out, "{path}: unread {left}")?;
        }
        unread += module.unread.len();
        for function in module.functions.iter().filter(|function| function.gave_up().is_none()) {
            functions += 1;
            for finding in verify_foreign(function, target, target.default_features | target.all_options()) {
                findings += 1;
                writeln!(out, "{path}: @{}: {}", function.name, finding.describe(function, target.vocabulary))?;
            }
        }
    }
    writeln!(out, "{functions} functions, {findings} findings, {unread} unread")
}
