//! Two verifiers on damaged functions: LLVM's rejects none that this one accepts. `examples/damage_llvm.rs` does the
//! same for any source, after every pass and more than once.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

#[path = "damaged/compare.rs"]
mod compare;
#[path = "llvm_output/passes.rs"]
mod passes;
#[path = "damaged/text.rs"]
mod text;

use compare::Comparison;
use passes::{Choice, each_file};
use std::path::Path;

/// Of so many passes one is the last before the damage.
const SHARE: usize = 9;

#[test]
fn llvm_rejects_no_damaged_function_that_is_accepted() {
    let folder = std::env::temp_dir().join(format!("tribunal-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_output/variadic.c");
    let mut comparison = Comparison::default();
    each_file(&source, &folder, &[], Choice::Share(1, SHARE), |file| {
        let text = file.text.as_deref().unwrap_or_default();
        comparison.add(&file.name, text, file.target, 1, &folder);
    });
    std::fs::remove_dir_all(&folder).unwrap();
    let Comparison { tried, rejected, unsupported, refused, accepted, unreadable, missed } = comparison;
    let missed: Vec<&String> = missed.iter().map(|(message, _)| message).collect();
    eprintln!("{tried:?}\n{rejected} rejected, {unsupported} unsupported, {refused} no MIR, {accepted} accepted");
    eprintln!("not read by LLVM: {unreadable:?}");
    assert!(rejected > 20 && accepted > 20 && missed.is_empty(), "{missed:#?}");
}
