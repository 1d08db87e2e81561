//! A module that holds data alone: it compiles, and no judge calls it well.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::{Object, ObjectSymbol};
use std::process::Command;

const TABLE: &str = "--- |\n  target triple = \"riscv64-unknown-linux-gnu\"\n  @table = dso_local constant [2 x i32] [i32 7, i32 9], align 4\n...\n";

#[test]
fn data_alone_compiles_and_is_nothing_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("table.mir"), folder.path().join("table.o"));
    std::fs::write(&source, TABLE).unwrap();
    let tribunal = || Command::new(env!("CARGO_BIN_EXE_tribunal"));
    let compiled = tribunal().arg("compile").arg(&source).arg("-o").arg(&object).output().unwrap();
    assert_eq!(compiled.status.code(), Some(0), "{}", String::from_utf8_lossy(&compiled.stderr));
    let bytes = std::fs::read(&object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    assert_eq!(file.symbol_by_name("table").map(|symbol| symbol.size()), Some(8));
    for verb in ["verify", "trial", "explain"] {
        let judged = tribunal().arg(verb).arg(&source).output().unwrap();
        assert_eq!(judged.status.code(), Some(2), "{verb}");
        let said = String::from_utf8_lossy(&judged.stderr);
        assert!(said.contains("the file holds no machine function, only data"), "{said}");
    }
}

/// Preprocessing may leave nothing of a source: clang writes such a module of it, and a program links its object.
#[test]
fn a_module_that_defines_nothing_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("nothing.mir"), folder.path().join("nothing.o"));
    std::fs::write(&source, "--- |\n  target triple = \"aarch64-unknown-linux-gnu\"\n...\n").unwrap();
    let compiled = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .arg("compile")
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .output()
        .unwrap();
    assert_eq!(compiled.status.code(), Some(0), "{}", String::from_utf8_lossy(&compiled.stderr));
    let bytes = std::fs::read(&object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    assert_eq!(file.architecture(), object::Architecture::Aarch64);
    assert_eq!(file.symbols().filter(|symbol| symbol.is_definition()).count(), 0);
}
