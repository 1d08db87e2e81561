//! No false alarm: what LLVM's own passes write breaks no rule. `examples/verify_llvm.rs` does the same for any source.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

#[path = "llvm_output/passes.rs"]
mod passes;

use passes::{Choice, Total};
use std::path::Path;

#[test]
fn what_llvm_writes_breaks_no_rule() {
    let folder = std::env::temp_dir().join(format!("tribunal-llvm-output-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut total = Total::default();
    for source in ["forms.c", "atomics.c", "variadic.c", "unwinding.cpp"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_output").join(source);
        total.add_source(&source, &folder, &[], Choice::Main);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let Total { functions, unread, refused, findings } = total;
    eprintln!("{functions} functions, {} findings, {unread} not read, {refused} files refused", findings.len());
    assert!(functions > 1000 && findings.is_empty(), "{findings:#?}");
}
