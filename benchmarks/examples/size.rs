//! Counts the workspace's own Rust: lines, functions and their lengths, by crate. `--json` prints the same as one
//! object on the last line.
//!
//! The length of a function is the number of lines from its signature to its closing brace, without attributes and
//! documentation. Functions inside of functions count as themselves, and as part of the outer one. Code that macros
//! write does not count.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

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

/// Collects the lengths of functions.
struct Functions(Vec<usize>);

impl Functions {
    fn push(&mut self, signature: &syn::Signature, block: &syn::Block) {
        self.0.push(block.span().end().line - signature.span().start().line + 1);
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.push(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.push(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.push(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(&root).output()?;
    let (mut groups, mut sum) = (BTreeMap::<&str, Size>::new(), Size::default());
    let names = String::from_utf8(listed.stdout)?;
    for name in names.lines() {
        let text = std::fs::read_to_string(root.join(name))?;
        let mut functions = Functions(Vec::new());
        functions.visit_file(&syn::parse_file(&text).map_err(|error| format!("{name}: {error}"))?);
        // `verifier/src/lib.rs` is the crate's, `verifier/tests/rules.rs` is not.
        let folder = name.split_once("/src/").map_or("tests, benches, examples, fuzz targets", |(folder, _)| folder);
        groups.entry(folder).or_default().add(&text, &functions.0);
        sum.add(&text, &functions.0);
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
