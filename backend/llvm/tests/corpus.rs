//! The IR block of every MIR file in the corpus is read whole.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use tribunal_llvm::parse;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The text between `--- |` and `...`; all of it for a file of LLVM IR.
fn module_text(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    match path.extension()?.to_str()? {
        "ll" => Some(text),
        "mir" => {
            let lines = text.lines().skip_while(|line| !line.starts_with("--- |")).skip(1);
            Some(lines.take_while(|line| !line.starts_with("...")).map(|line| format!("{line}\n")).collect())
        }
        _ => None,
    }
}

#[test]
fn every_module_of_the_corpus_is_read_whole() {
    let (mut paths, mut read) = (Vec::new(), 0);
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &mut paths);
    for path in paths {
        let Some(text) = module_text(&path) else { continue };
        let module = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(module.unread.is_empty(), "{}: {:?}", path.display(), module.unread);
        read += usize::from(!module.functions.is_empty());
    }
    assert_ne!(read, 0, "no file of the corpus has an IR block");
}
