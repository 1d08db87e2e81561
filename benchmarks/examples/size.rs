//! Counts the workspace's own Rust: lines, functions and their lengths, by crate. `--json` prints the same as one
//! object on the last line.
//!
//! Functions and their lengths are those of the tidy test. Functions inside of functions count as themselves, and as
//! part of the outer one. Code that macros write does not count.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::Command;

#[path = "../../cli/tests/tidy/code.rs"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "the tidy test looks at more than lengths, and panics on what is no Rust"
)]
mod code;

/// The counts of one group of files.
#[derive(Default)]
struct Size {
    files: usize,
    lines: usize,
    /// Lines that are neither blank nor a comment alone.
    code: usize,
    /// The length of every function, in lines.
    functions: Vec<usize>,
}

impl Size {
    fn add(&mut self, text: &str, functions: &[usize]) {
        self.files += 1;
        self.lines += text.lines().count();
        self.code += text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
        self.functions.extend(functions);
    }

    /// A percentile of the functions' lengths.
    fn percentile(&self, percent: usize) -> usize {
        let mut sorted = self.functions.clone();
        sorted.sort_unstable();
        sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
    }

    fn object(&self, folder: &str) -> Value {
        json!({
            "folder": folder,
            "files": self.files,
            "lines": self.lines,
            "code": self.code,
            "functions": self.functions.len(),
            "median": self.percentile(50),
            "p90": self.percentile(90),
            "longest": self.percentile(100),
        })
    }
}

/// The workspace's root.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn main() -> Result<(), Box<dyn Error>> {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output()?;
    let (mut groups, mut sum) = (BTreeMap::<&str, Size>::new(), Size::default());
    let names = String::from_utf8(listed.stdout)?;
    for name in names.lines() {
        let source = code::Source::read(name);
        let functions: Vec<usize> = source.functions.iter().map(|function| function.lines).collect();
        // `verifier/src/lib.rs` is the crate's, `verifier/tests/rules.rs` is not.
        let folder = name.split_once("/src/").map_or("tests, benches, examples, fuzz targets", |(folder, _)| folder);
        groups.entry(folder).or_default().add(&source.text, &functions);
        sum.add(&source.text, &functions);
    }
    let groups = groups.iter().map(|(folder, size)| size.object(folder));
    let rows: Vec<Value> = groups.chain([sum.object("sum")]).collect();
    for row in &rows {
        let [files, lines, functions, median, p90, longest] =
            ["files", "lines", "functions", "median", "p90", "longest"].map(|key| &row[key]);
        let folder = row["folder"].as_str().unwrap_or_default();
        println!(
            "{folder}: {files} files, {lines} lines, {functions} functions: median {median}, p90 {p90}, longest {longest}"
        );
    }
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", json!({"rows": rows}));
    }
    Ok(())
}
