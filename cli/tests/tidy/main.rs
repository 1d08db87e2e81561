//! House rules that a machine can hold: how long functions, files and comment lines are, that a path that is named
//! exists, that a type has a name of its own, and where facts must not stand a second time. `--nocapture` shows the
//! figures.
//!
//! Exemptions are exact: one that nothing needs any more fails too, so a list can only become shorter.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

mod code;
mod facts;
mod paths;

use code::Source;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Lines of a function, from its first to its last.
const LONGEST_FUNCTION: usize = 80;
/// Lines of a file.
const LONGEST_FILE: usize = 600;
/// Files that are longer, and what they are a table of.
const TABLES: [(&str, &str); 4] = [
    ("backend/ir/src/opcode.rs", "one opcode a row"),
    ("backend/target/src/aarch64/instructions.rs", "one instruction a row"),
    ("backend/target/src/aarch64/selection.rs", "one selection rule a row"),
    ("backend/target/src/riscv/selection.rs", "one selection rule a row"),
];
/// Columns of a line of a comment.
const WIDEST_COMMENT: usize = 120;

/// Bytes of a file.
const LARGEST: usize = 3 << 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in a folder of the workspace")
}

/// The files of the repository, from its root: those that git keeps, and those that it does not ignore.
fn files() -> Vec<String> {
    let listed =
        Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let mut files: Vec<String> = String::from_utf8(listed.stdout).unwrap().lines().map(str::to_string).collect();
    files.retain(|file| root().join(file).exists());
    files.sort();
    files.dedup();
    files
}

/// Every Rust file, parsed once.
fn sources() -> &'static [Source] {
    static PARSED: LazyLock<Vec<Source>> =
        LazyLock::new(|| files().iter().filter(|file| file.ends_with(".rs")).map(|file| Source::read(file)).collect());
    &PARSED
}

fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn functions_files_and_comments_are_short() {
    let mut complaints = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        let is_table = TABLES.iter().any(|(name, _)| *name == source.name);
        if (lines > LONGEST_FILE) != is_table {
            complaints.push(format!("{}: {lines} lines", source.name));
        }
        for function in source.functions.iter().filter(|function| function.lines > LONGEST_FUNCTION) {
            complaints
                .push(format!("{}:{}: {} has {} lines", source.name, function.line, function.name, function.lines));
        }
        for (index, line) in source.text.lines().enumerate() {
            if line.trim_start().starts_with("//") && line.chars().count() > WIDEST_COMMENT {
                complaints.push(format!("{}:{}: {} columns", source.name, index + 1, line.chars().count()));
            }
        }
    }
    none(complaints);
}

/// A program that was built, or data of another kind, is not kept by mistake.
#[test]
fn every_file_is_text_of_a_reasonable_size() {
    let mut complaints = Vec::new();
    for file in files() {
        match std::fs::read_to_string(root().join(&file)) {
            Ok(text) if text.len() <= LARGEST => {}
            Ok(text) => complaints.push(format!("{file}: {} bytes", text.len())),
            Err(error) => complaints.push(format!("{file}: {error}")),
        }
    }
    none(complaints);
}

#[test]
fn no_merge_left_its_markers() {
    let is_marker = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker));
    let mut complaints = Vec::new();
    for file in files() {
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        complaints.extend(text.lines().filter(|line| is_marker(line)).map(|line| format!("{file}: {line}")));
    }
    none(complaints);
}

#[test]
fn paths_that_are_named_exist() {
    none(paths::missing(&files(), sources()));
}

#[test]
fn a_type_has_a_name_of_its_own() {
    none(facts::shared_names(sources()));
}

#[test]
fn opcodes_are_listed_in_their_table_only() {
    none(facts::opcode_lists(sources()));
}

#[test]
fn no_target_is_named() {
    none(facts::target_names(sources()));
}

#[test]
fn a_test_counts_exactly() {
    none(facts::floors(sources()));
}

#[test]
fn figures() {
    println!("{}", code::figures(sources()));
}
