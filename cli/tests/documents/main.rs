//! The documents are held to what they claim: their words to the house style, their links to what exists, and every
//! command that they show to what it prints.
//!
//! `BLESS=1 cargo test -p tribunal --test documents` writes anew what commands print.

mod commands;
mod prose;

use std::path::{Path, PathBuf};

/// Made by a command, whole: no prose of ours to hold to a style. Their words and links are checked all the same.
const GENERATED: [&str; 2] = ["docs/benchmarks.md", "docs/verbs.md"];

/// Documents at the root of the repository; those in `docs` come with them.
const ROOT_DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "TRUST.md", "CONTRIBUTING.md", "CHANGELOG.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in a folder of the workspace")
}

/// A document: its path from the root, and its text.
struct Document {
    name: String,
    text: String,
}

impl Document {
    fn read(name: &str) -> Document {
        let text = std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Document { name: name.to_string(), text }
    }

    fn path(&self) -> PathBuf {
        root().join(&self.name)
    }

    fn is_generated(&self) -> bool {
        GENERATED.contains(&self.name.as_str())
    }
}

fn documents() -> Vec<Document> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("docs"))
        .expect("the folder docs is there")
        .map(|entry| format!("docs/{}", entry.expect("docs can be listed").file_name().display()))
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    ROOT_DOCUMENTS.into_iter().map(Document::read).chain(names.iter().map(|name| Document::read(name))).collect()
}

#[test]
fn prose_is_in_house_style() {
    let complaints: Vec<String> = documents().iter().flat_map(prose::complaints).collect();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn links_resolve() {
    let documents = documents();
    let complaints: Vec<String> = documents.iter().flat_map(prose::broken_links).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn readme_is_short() {
    let lines = Document::read("README.md").text.lines().count();
    assert!((150..=200).contains(&lines), "README.md has {lines} lines");
}

#[test]
fn commands_of_the_readme_print_what_it_says() {
    commands::check(&Document::read("README.md"));
}

#[test]
fn commands_of_the_tutorial_print_what_it_says() {
    commands::check(&Document::read("docs/tutorial.md"));
}

#[test]
fn commands_of_the_other_documents_print_what_they_say() {
    let tried = ["README.md", "docs/tutorial.md"];
    documents().iter().filter(|document| !tried.contains(&document.name.as_str())).for_each(commands::check);
}
