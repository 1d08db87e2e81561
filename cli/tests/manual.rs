//! What the program says of itself: `docs/verbs.md`, man pages and completions are made of the command tree, and the
//! examples of the help texts hold.
//!
//! `BLESS=1 cargo test -p tribunal --test manual` rewrites `docs/verbs.md`.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use clap::Command;
use std::path::Path;

/// The tree as a terminal of a hundred columns shows it.
fn tree() -> Command {
    let mut tree = tribunal::command().term_width(100).disable_help_subcommand(true);
    tree.build();
    tree
}

fn verbs() -> Vec<Command> {
    tree().get_subcommands().cloned().collect()
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// `docs/verbs.md` as it should be.
fn page() -> String {
    let help = |command: &mut Command| {
        let text = command.render_long_help().to_string();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        format!("```text\n{}\n```\n", lines.join("\n").trim_end())
    };
    let mut page = "# Verbs\n\nThis page is `tribunal --help`, and the help of each verb. After a change to a help text, write it anew: \
                    `BLESS=1 cargo test -p tribunal --test manual`.\n\n"
        .to_string();
    page.push_str(&help(&mut tree()));
    for mut verb in verbs() {
        let text = help(&mut verb);
        page.push_str(&format!("\n## tribunal {}\n\n{text}", verb.get_name()));
    }
    page
}

#[test]
fn the_page_of_verbs_is_what_help_says() {
    let path = repository().join("docs/verbs.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(repository().join("docs")).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = page.lines().zip(written.lines()).zip(1..);
    let first = lines.find(|((new, old), _)| new != old).map(|(_, number)| number);
    assert!(page == written, "docs/verbs.md is not what --help says, from line {first:?}; BLESS=1 rewrites it");
}

/// The examples of a verb's help, as words; quoted words are one.
fn examples(verb: &Command) -> Vec<Vec<String>> {
    let text = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let words = |line: &str| {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(String::from).collect::<Vec<_>>(),
            _ => vec![part.to_string()],
        });
        words.collect()
    };
    text.lines().filter(|line| line.trim_start().starts_with("tribunal ")).map(words).collect()
}

/// True for a file or a pattern (`*` in the file's name) of the repository.
fn exists(word: &str) -> bool {
    let path = repository().join(word);
    let Some((start, end)) = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('*'))
    else {
        return path.exists();
    };
    let files = path.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    files
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .any(|name| name.starts_with(start) && name.ends_with(end))
}

#[test]
fn every_example_parses_and_names_files_that_exist() {
    for verb in verbs() {
        let examples = examples(&verb);
        assert!(!examples.is_empty(), "{} has no example", verb.get_name());
        let is_of_verb = |example: &Vec<String>| example.get(1).is_some_and(|word| word == verb.get_name());
        assert!(examples.iter().any(is_of_verb), "{}: {examples:?}", verb.get_name());
        let mut written: Vec<String> = Vec::new();
        for example in examples {
            if let Err(error) = tribunal::command().try_get_matches_from(&example) {
                panic!("{example:?}: {error}");
            }
            for (before, word) in example.iter().zip(&example[1..]) {
                let is_file = before != "--check" && (word.contains('/') || word.contains(".mir"));
                match before.as_str() {
                    "-o" | "--out" => written.push(word.clone()),
                    _ if is_file => assert!(exists(word) || written.contains(word), "{example:?}: no file {word}"),
                    _ => {}
                }
            }
        }
    }
}

/// A line in the list of verbs is a short sentence, and every flag and file has a text.
#[test]
fn every_verb_and_every_flag_says_what_it_is() {
    for verb in verbs() {
        let summary = verb.get_about().map(ToString::to_string).unwrap_or_default();
        assert!((10..=90).contains(&summary.len()), "{}: `{summary}`", verb.get_name());
        assert!(summary.starts_with(char::is_uppercase) && !summary.ends_with('.'), "{}: `{summary}`", verb.get_name());
        for argument in verb.get_arguments() {
            let text = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!text.is_empty(), "{} {} has no help", verb.get_name(), argument.get_id());
        }
    }
}

fn tribunal_says(arguments: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tribunal")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn completions_of_every_shell_know_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = tribunal_says(&["completions", shell]);
        for verb in verbs() {
            assert!(text.contains(verb.get_name()), "{shell}: {}", verb.get_name());
        }
        assert!(text.contains("verify-each"), "{shell}");
    }
}

#[test]
fn every_verb_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    let said = tribunal_says(&["man", "-o", pages.to_str().unwrap()]);
    assert_eq!(said.lines().count(), verbs().len() + 1, "{said}");
    let read =
        |name: String| std::fs::read_to_string(pages.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(read("tribunal.1".to_string()).contains("Exit status:"));
    for verb in verbs() {
        let page = read(format!("tribunal-{}.1", verb.get_name()));
        assert!(page.contains(".SH SYNOPSIS") && page.contains("tribunal "), "{page}");
    }
}
