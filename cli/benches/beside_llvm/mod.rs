//! Shared by the benchmarks that run beside `llc-22` on the same functions: the files of `corpus/real`, each function
//! many times under new names, and a table of sums with a line for each target and level.
//!
//! One file takes both compilers less than their clocks can tell, and the start of a process more than all of its
//! functions. So each function stands [`COPIES`] times in one file. Of [`RUNS`] runs the fastest counts: on a shared
//! machine the others measure the neighbours.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;

pub const COPIES: usize = 20;
pub const RUNS: usize = 5;

pub type Failure = Box<dyn std::error::Error>;

/// A file of `corpus/real`.
pub struct Input {
    pub target: &'static Target,
    pub module: Module,
    /// Target and clang's level: `riscv64 O2`.
    pub kind: String,
    /// The text with each function [`COPIES`] times.
    pub repeated: String,
}

impl Input {
    fn read(path: &Path) -> Result<Input, Failure> {
        let source = std::fs::read_to_string(path)?;
        let name = text::architecture(&source).ok_or("no target triple")?;
        let target = tribunal_target::by_name(&name).ok_or("unknown target")?;
        let module = text::parse_module(&source, target.vocabulary)?;
        // `name.target.level.mir`
        let level = path.file_stem().and_then(|stem| stem.to_str()?.rsplit('.').next()).unwrap_or("?");
        let repeated = repeated(&source, &module);
        Ok(Input { target, module, kind: format!("{} {level}", target.name), repeated })
    }

    /// Generic instructions of all copies.
    pub fn instructions(&self) -> usize {
        COPIES * self.module.functions.iter().map(generic_instructions).sum::<usize>()
    }
}

/// Every file of `corpus/real`, in the order of their names.
pub fn inputs() -> Result<Vec<Input>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "mir"));
    files.sort();
    files.iter().map(|path| Input::read(path)).collect()
}

/// Seconds of the fastest of [`RUNS`] runs.
pub fn fastest(mut run: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
    (0..RUNS).try_fold(f64::INFINITY, |best, _| Ok(best.min(run()?)))
}

/// What a benchmark sums over files, and shows in one line.
pub trait Measure: Clone + Default {
    fn add(&mut self, other: &Self);
    /// The titles of the columns.
    fn titles() -> String;
    fn line(&self) -> String;
    /// The same figures by name.
    fn object(&self) -> Value;
}

/// Prints sums by kind of file, then of all; with `--json` the same as one object on the last line.
pub fn report<M: Measure>(title: &str, measures: &[(String, M)]) {
    let mut by_kind: BTreeMap<&str, M> = BTreeMap::new();
    for (kind, measure) in measures {
        by_kind.entry(kind).or_default().add(measure);
        by_kind.entry("sum").or_default().add(measure);
    }
    println!("{title}, {} files, each function {COPIES} times, best of {RUNS}", measures.len());
    println!("{:<12}{}", "", M::titles());
    by_kind.iter().for_each(|(kind, measure)| println!("{kind:<12}{}", measure.line()));
    if std::env::args().any(|argument| argument == "--json") {
        let row = |(kind, measure): (&&str, &M)| {
            let mut row = measure.object();
            row["kind"] = json!(kind);
            row
        };
        let rows: Vec<Value> = by_kind.iter().map(row).collect();
        println!("{}", json!({"files": measures.len(), "copies": COPIES, "runs": RUNS, "rows": rows}));
    }
}

fn generic_instructions(function: &Function) -> usize {
    let insts = function.all_insts();
    insts.filter(|&inst| function.inst(inst).opcode.is_generic()).count()
}

/// The file with each function [`COPIES`] times: its IR definition, which its blocks and memory operands refer to, and
/// its machine function.
fn repeated(source: &str, module: &Module) -> String {
    let (ir, machine) = source.split_once("\n...\n").unwrap_or((source, ""));
    let documents: Vec<&str> = machine.split_inclusive("\n...\n").filter(|text| text.contains("name:")).collect();
    let mut text = ir.to_string();
    let mut functions = String::new();
    for function in &module.functions {
        let name = function.name.as_str();
        let definition = definition(ir, name);
        let heading = |document: &&&str| document.lines().any(|line| named(line) == Some(name));
        let document = documents.iter().find(heading).copied().unwrap_or_default();
        functions += document;
        for copy in 1..COPIES {
            let copied = format!("{name}.copy{copy}");
            text += "\n\n";
            text += &definition.replacen(&format!("@{name}("), &format!("@{copied}("), 1);
            let rename = |line: &str| match named(line) {
                Some(_) => format!("name: {copied}\n"),
                None => format!("{line}\n"),
            };
            functions.extend(document.lines().map(rename));
        }
    }
    format!("{text}\n...\n{functions}")
}

/// The function that a line names, if it is the `name:` of a machine function.
fn named(line: &str) -> Option<&str> {
    line.strip_prefix("name:").map(str::trim)
}

/// The IR text of a function, from `define` to its closing brace.
fn definition<'s>(ir: &'s str, name: &str) -> &'s str {
    let call = format!("@{name}(");
    let mut offset = 0;
    for line in ir.split_inclusive('\n') {
        if line.trim_start().starts_with("define") && line.contains(&call) {
            let rest = &ir[offset..];
            return rest.find("\n  }").map_or(rest, |end| &rest[..end + "\n  }".len()]);
        }
        offset += line.len();
    }
    ""
}
