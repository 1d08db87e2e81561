//! Paths in backquotes, in documents and in comments, and all paths of the Makefile.

use super::code::Source;
use super::root;

/// Names of files that are not in this tree, and where they are.
const ELSEWHERE: [(&str, &str); 3] = [
    ("docs/benchmarks.md", "`make benchmarks` writes it"),
    ("fuzz/artifacts", "cargo-fuzz writes there, and git ignores it"),
    ("src/checker.rs", "regalloc2 has it"),
];

/// Paths that are named and do not exist.
pub fn missing(files: &[String], sources: &[Source]) -> Vec<String> {
    let documents = files.iter().filter(|file| file.ends_with(".md"));
    let documents: Vec<(String, String)> =
        documents.map(|file| (file.clone(), std::fs::read_to_string(root().join(file)).unwrap())).collect();
    let comments = sources.iter().map(|source| (source.name.clone(), comments(&source.text)));
    let mut missing = Vec::new();
    let mut seen = Vec::new();
    for (file, text) in documents.into_iter().chain(comments).chain([makefile()]) {
        for word in quoted(&text).filter(|word| is_path(word)) {
            seen.push(word.to_string());
            let spellings = match word.contains("<isa>") {
                true => vec![word.replace("<isa>", "riscv"), word.replace("<isa>", "aarch64")],
                false => vec![word.to_string()],
            };
            for path in spellings.iter().filter(|path| !is_elsewhere(path) && !exists(files, path)) {
                missing.push(format!("{file} names {path}"));
            }
        }
    }
    let needless = ELSEWHERE.iter().filter(|(word, _)| !seen.iter().any(|seen| seen == word));
    missing.extend(needless.map(|(word, _)| format!("nobody names {word}")));
    missing
}

/// The Makefile, with backquotes around each word.
fn makefile() -> (String, String) {
    let text = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let words = text.split_whitespace().map(|word| format!("`{}`", word.trim_end_matches(['.', ':', ','])));
    ("Makefile".to_string(), words.collect::<Vec<_>>().join(" "))
}

/// The comments of a file, one a line.
fn comments(text: &str) -> String {
    let lines = text.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("//"));
    lines.map(|line| line.trim_start_matches(['/', '!']).trim()).collect::<Vec<_>>().join(" ")
}

/// What stands in backquotes, without spaces in it.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('`').skip(1).step_by(2);
    words.filter(|word| !word.is_empty() && !word.contains(char::is_whitespace))
}

/// A folder or a file of this tree, or a name like one of its source files.
fn is_path(word: &str) -> bool {
    let folders = [
        "backend/",
        "verifier/",
        "emulator/",
        "fuzz/",
        "trial/",
        "corpus/",
        "cli/",
        "benchmarks/",
        "docs/",
        ".ci/",
        ".github/",
        ".clusterfuzzlite/",
    ];
    let pattern = word.contains(['*', '{', '$']) || word.contains("NAME");
    let ours = folders.iter().any(|folder| word.starts_with(folder));
    let source = [".rs", ".md", ".toml"].iter().any(|end| word.len() > end.len() && word.ends_with(end));
    (ours || source) && !pattern
}

/// A path from the root, or the end of one.
fn exists(files: &[String], path: &str) -> bool {
    let end = format!("/{path}");
    root().join(path).exists() || files.iter().any(|file| file.ends_with(&end))
}

fn is_elsewhere(path: &str) -> bool {
    ELSEWHERE.iter().any(|(word, _)| *word == path)
}
