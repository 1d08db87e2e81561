//! Builds the copy: faults that the compiler refuses are taken out, until the rest compiles.

use crate::MutantsError;
use crate::site::MutationSite;
use crate::weave::Mutant;
use crate::workspace::{Copy, PROGRAM, SourceTexts};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The binary and its faults.
pub struct Built {
    /// The program.
    pub program: PathBuf,
    /// Its faults, as many as were asked for if there are so many.
    pub mutants: Vec<Mutant>,
    /// Faults drawn that do not compile.
    pub refused: usize,
}

/// More are woven in than are wanted, since some do not compile: three for two.
fn drawn(count: usize) -> usize {
    count + count.div_ceil(2)
}

/// Builds one binary with the first `count` of these faults that compile. `say` is told of each round.
pub fn build(
    sources: &SourceTexts,
    order: &[MutationSite],
    count: usize,
    folder: &Path,
    mut say: impl FnMut(&str),
) -> Result<Built, MutantsError> {
    let memory = folder.join("refused.txt");
    let known = known(&memory)?;
    let mut refused: BTreeSet<u32> =
        (1..).zip(order).filter(|(_, site)| known.contains(&site.to_string())).map(|(number, _)| number).collect();
    loop {
        let numbered = (1..).zip(order).filter(|(number, _)| !refused.contains(number));
        let mutants: Vec<Mutant> =
            numbered.take(drawn(count)).map(|(number, site)| Mutant { number, site: site.clone() }).collect();
        let copy = Copy::write(sources, &folder.join("copy"), &mutants)?;
        say(&format!("compiling {} faults, {} refused so far", mutants.len(), refused.len()));
        let complaints = cargo(&copy.root, &sources.root, "check")?;
        if complaints.is_empty() {
            let failed = cargo(&copy.root, &sources.root, "rustc")?;
            if let Some(first) = failed.first() {
                return Err(MutantsError::Compile(first.text.clone()));
            }
            let program = sources.root.join("target/release").join(PROGRAM);
            let last = mutants.get(count.saturating_sub(1)).or(mutants.last()).map_or(0, |mutant| mutant.number);
            let mutants = mutants.into_iter().take(count).collect();
            return Ok(Built { program, mutants, refused: refused.range(..last).count() });
        }
        let before = refused.len();
        complaints.iter().for_each(|complaint| refused.extend(complaint.suspects(&copy)));
        if refused.len() == before {
            let texts: Vec<&str> = complaints.iter().take(3).map(|complaint| complaint.text.as_str()).collect();
            return Err(MutantsError::Compile(texts.join("\n")));
        }
        let sites = refused.iter().filter_map(|&number| order.get(number as usize - 1));
        let lines: BTreeSet<String> = sites.map(ToString::to_string).chain(known.iter().cloned()).collect();
        std::fs::write(&memory, lines.into_iter().collect::<Vec<String>>().join("\n"))
            .map_err(MutantsError::at(&memory))?;
    }
}

/// Faults that did not compile in an earlier run in this folder. Each costs a build, so none is tried again.
fn known(memory: &Path) -> Result<BTreeSet<String>, MutantsError> {
    match std::fs::read_to_string(memory) {
        Ok(text) => Ok(text.lines().map(str::to_string).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(MutantsError::at(memory)(error)),
    }
}

/// An error of the compiler.
struct Complaint {
    text: String,
    places: Vec<(String, Range<usize>)>,
}

impl Complaint {
    /// The faults that it may be about; all of a file if it points at none.
    fn suspects(&self, copy: &Copy) -> BTreeSet<u32> {
        let files = || self.places.iter().filter_map(|(file, bytes)| Some((copy.woven.get(file)?, bytes)));
        let pointed: BTreeSet<u32> = files().flat_map(|(file, bytes)| file.suspects(bytes)).collect();
        if !pointed.is_empty() {
            return pointed;
        }
        files().flat_map(|(file, _)| file.places.iter().map(|place| place.0)).collect()
    }
}

/// A line that cargo prints with `--message-format=json`; the fields that are read.
#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    rendered: Option<String>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// The place, and those of the macros around it.
fn places(span: &Span, found: &mut Vec<(String, Range<usize>)>) {
    found.push((span.file_name.clone(), span.byte_start..span.byte_end));
    if let Some(expansion) = &span.expansion {
        places(&expansion.span, found);
    }
}

/// The argument of a compiler that links: link-time optimization gives each crate that reads a table a copy of its own,
/// and a fault is written over one alone. Without functions of other crates no table is copied.
const ONE_TABLE: [&str; 3] = ["--", "-C", "llvm-args=-import-instr-limit=0"];

/// Runs cargo on the copy, beside the product's own artifacts: the crates of other people are built once. `rustc`
/// builds the program, `check` does not.
fn cargo(copy: &Path, root: &Path, verb: &str) -> Result<Vec<Complaint>, MutantsError> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&program)
        .args([verb, "--release", "--package", "tribunal", "--bin", PROGRAM, "--message-format=json", "--quiet"])
        .arg("--target-dir")
        .arg(root.join("target"))
        .args(if verb == "rustc" { ONE_TABLE.as_slice() } else { &[] })
        .current_dir(copy)
        .stdin(Stdio::null())
        .output()
        .map_err(MutantsError::at(PathBuf::from(program)))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let errors = lines.filter_map(|line| line.message).filter(|message| message.level == "error");
    let complaints: Vec<Complaint> = errors
        .map(|message| {
            let mut found = Vec::new();
            message.spans.iter().for_each(|span| places(span, &mut found));
            Complaint { text: message.rendered.unwrap_or_default(), places: found }
        })
        .filter(|complaint| !complaint.places.is_empty())
        .collect();
    if complaints.is_empty() && !output.status.success() {
        return Err(MutantsError::Compile(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(complaints)
}
