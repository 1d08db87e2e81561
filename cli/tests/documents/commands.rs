//! Commands in documents: a block of code marked `console` is a session with bash, and is run.
//!
//! A line that begins with `$ ` is a command, continued by lines that begin with `> `; the lines after it are what it
//! prints, standard error among it. `...` alone on a line stands for any lines, `[..]` for any text in a line, and
//! numbers with a decimal point for any other: times. So does the count of steps from the proof cache: two workers may
//! prove the same step before either has kept it. A document is one session in an empty folder that has `corpus` in it,
//! so a command finds the files and the exit status (`$?`) that earlier ones left. A block marked `sh` holds commands
//! that take minutes or the network; those are listed in [`NOT_RUN`], each with who runs it.

use super::{Document, root};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use snapbox::Assert;
use snapbox::report::Palette;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// First words of commands in `sh` blocks.
const NOT_RUN: [(&str, &str); 13] = [
    ("git clone", "a reader"),
    ("cd ", "a reader"),
    ("make fuzz", "make test"),
    ("make test", "CI"),
    ("make benchmarks", "who measures"),
    ("make programs", "who changes the backend"),
    ("make mutants", "who changes the judges"),
    ("cargo test --release --package tribunal --test peer_objects", "who changes the backend"),
    ("make judge-llvm", "make benchmarks"),
    ("tribunal fuzz --backend", "fuzz/tests/peer.rs, through the library"),
    ("make fuzzers", "make test"),
    ("mkdir -p fuzz/corpus/", "make fuzzers, in a folder of its own"),
    ("cargo +nightly fuzz run", "make fuzzers, by the same build"),
];

/// Separates what commands print; no tool prints it.
const MARK: char = '\u{1e}';

/// A command, and where in the document stands what it prints.
struct Shown {
    command: String,
    printed: Range<usize>,
}

/// Runs every command of a document. Panics with the differences, unless `BLESS` is set: then the document is
/// rewritten, unless a command lacks the file that an earlier one should have made.
pub fn check(document: &Document) {
    let shown = commands(&document.text);
    if shown.is_empty() {
        return;
    }
    let printed = run(&shown);
    let bless = std::env::var_os("BLESS").is_some();
    let mut text = document.text.clone();
    let mut complaints = vec![];
    for (shown, printed) in shown.iter().zip(&printed).rev() {
        // A later command of a story whose first one found nothing: no output to bless.
        if printed.contains("No such file or directory") {
            complaints.push(format!("$ {}\n{printed}", shown.command));
        }
        let expected = &document.text[shown.printed.clone()];
        match matches(expected, printed) {
            Ok(()) => {}
            Err(_) if bless => text.replace_range(shown.printed.clone(), printed),
            Err(difference) => complaints.push(format!("$ {}\n{difference}", shown.command)),
        }
    }
    if bless {
        std::fs::write(document.path(), text).expect("the document can be written");
    }
    assert!(
        complaints.is_empty(),
        "{}: {} commands differ:\n{}",
        document.name,
        complaints.len(),
        complaints.join("\n")
    );
}

/// The commands of all `console` blocks. Panics on a block that holds none, or on a command in an `sh` block that
/// nobody runs.
fn commands(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = vec![];
    let mut kind = String::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => kind = info.to_string(),
            Event::End(TagEnd::CodeBlock) => kind.clear(),
            Event::Text(_) if kind == "console" => session(text, range, &mut shown),
            Event::Text(lines) if kind == "sh" => lines.lines().for_each(is_run_elsewhere),
            _ => {}
        }
    }
    shown
}

fn is_run_elsewhere(line: &str) {
    let known = NOT_RUN.iter().any(|(command, _)| line.starts_with(command));
    assert!(
        known || line.starts_with('#') || line.is_empty(),
        "`{line}` is in a block that is not run, and not in NOT_RUN"
    );
}

fn session(text: &str, block: Range<usize>, shown: &mut Vec<Shown>) {
    let mut offset = block.start;
    for line in text[block].split_inclusive('\n') {
        let end = offset + line.len();
        if let Some(command) = line.strip_prefix("$ ") {
            shown.push(Shown { command: command.trim_end().to_string(), printed: end..end });
        } else if let Some(last) = shown.last_mut() {
            match line.strip_prefix("> ") {
                Some(more) if last.printed.is_empty() => {
                    last.command = format!("{}\n{}", last.command, more.trim_end());
                    last.printed = end..end;
                }
                _ => last.printed.end = end,
            }
        }
        offset = end;
    }
}

/// What each command prints, in one session with bash.
fn run(shown: &[Shown]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::os::unix::fs::symlink(root().join("corpus"), folder.path().join("corpus")).expect("a link can be made");
    // `$?` is the status of the command before, though a mark is printed between.
    let step = |shown: &Shown| format!("printf '{MARK}'; (exit $status)\n{}\nstatus=$?\n", shown.command);
    let script: String = std::iter::once("exec 2>&1; status=0\n".to_string()).chain(shown.iter().map(step)).collect();
    let program = Path::new(env!("CARGO_BIN_EXE_tribunal"));
    let tools = program.parent().expect("the program is in a folder").display().to_string();
    let path = format!("{tools}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("HOME", folder.path())
        .env_remove("XDG_CACHE_HOME")
        .env("NO_COLOR", "1")
        .output()
        .expect("bash is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let printed: Vec<String> = text.split(MARK).skip(1).map(str::to_string).collect();
    assert_eq!(printed.len(), shown.len(), "the session ended early:\n{text}");
    printed
}

/// The difference, as text. Numbers with a decimal point are one, and so are counts of steps from the proof cache.
fn matches(expected: &str, printed: &str) -> Result<(), String> {
    let assert = Assert::new().action_env("NONE").palette(Palette::plain());
    assert
        .try_eq(None, without_chance(printed).into(), without_chance(expected).into())
        .map_err(|error| error.to_string())
}

fn without_chance(text: &str) -> String {
    let end_of_number = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let (number, after) = number.split_at(end_of_number(number));
        let fraction = number.split_once('.').map_or("", |(_, fraction)| fraction);
        result.push_str(before);
        result.push_str(match fraction.starts_with(|c: char| c.is_ascii_digit()) {
            true => "0.0",
            false if after.starts_with(" from the proof cache") => "0",
            false => number,
        });
        rest = after;
    }
    result + rest
}
