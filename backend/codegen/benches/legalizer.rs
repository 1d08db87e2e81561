//! How fast the legalizer is, beside LLVM's on the same functions: instructions a second, and the ratio.
//!
//! How it is measured. Input: every function of `corpus/real`, as clang wrote them (generic MIR behind the translator).
//! Counted: generic instructions of the input. Ours: wall time inside the pass alone, over all functions of a file;
//! text is parsed and functions are cloned before the clock starts. LLVM's: the row `Legalizer` of `llc-22
//! -run-pass=legalizer -time-passes`, wall time inside its pass alone. One file takes it less than the clock's tenth of
//! a millisecond, and the first function pays for the start, so llc-22 gets each function [`COPIES`] times under new
//! names, in one file; ours runs over as many clones. Of [`RUNS`] runs of each the fastest counts: on a shared machine
//! the others measure the neighbours. Both are single-threaded optimised builds (Debian's llc-22, without assertions).
//! A measurement, not a test.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tribunal_codegen::legalize::PASS;
use tribunal_codegen::{Allocator, Context, NoObserver, Options};
use tribunal_ir::{Function, Module, text};
use tribunal_target::Target;

const COPIES: usize = 20;
const RUNS: usize = 5;

type Failure = Box<dyn Error>;

/// Instructions, and seconds of both.
#[derive(Clone, Copy, Default)]
struct Measure {
    instructions: usize,
    ours: f64,
    llvm: f64,
}

impl Measure {
    fn add(&mut self, other: Measure) {
        self.instructions += other.instructions;
        self.ours += other.ours;
        self.llvm += other.llvm;
    }

    fn line(&self, name: &str) -> String {
        let rate = |seconds: f64| self.instructions as f64 / seconds;
        let (ours, llvm) = (rate(self.ours), rate(self.llvm));
        format!("{name:<12} {:>9} {ours:>14.0} {llvm:>14.0} {:>8.2}", self.instructions, ours / llvm)
    }
}

fn main() -> Result<(), Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "mir"));
    files.sort();
    let scratch = tempfile::tempdir()?;
    let mut by_kind: BTreeMap<String, Measure> = BTreeMap::new();
    for path in &files {
        let source = std::fs::read_to_string(path)?;
        let name = text::architecture(&source).ok_or("no target triple")?;
        let target = tribunal_target::by_name(&name).ok_or("unknown target")?;
        let module = text::parse_module(&source, target.vocabulary)?;
        let copies = scratch.path().join("copies.mir");
        std::fs::write(&copies, repeated(&source, &module))?;
        let measure = Measure {
            instructions: COPIES * module.functions.iter().map(generic_instructions).sum::<usize>(),
            ours: fastest(|| ours(target, &module))?,
            llvm: fastest(|| llvm(&copies))?,
        };
        // `name.target.level.mir`
        let level = path.file_stem().and_then(|stem| stem.to_str()?.rsplit('.').next()).unwrap_or("?");
        by_kind.entry(format!("{} {level}", target.name)).or_default().add(measure);
    }
    println!(
        "legalizer, generic instructions a second, {} files, each function {COPIES} times, best of {RUNS}",
        files.len()
    );
    println!("{:<12} {:>9} {:>14} {:>14} {:>8}", "", "G_", "tribunal", "llc-22", "ratio");
    let mut all = Measure::default();
    for (kind, measure) in &by_kind {
        println!("{}", measure.line(kind));
        all.add(*measure);
    }
    println!("{}", all.line("all"));
    Ok(())
}

fn fastest(mut run: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
    (0..RUNS).try_fold(f64::INFINITY, |best, _| Ok(best.min(run()?)))
}

fn generic_instructions(function: &Function) -> usize {
    let insts = function.all_insts();
    insts.filter(|&inst| function.inst(inst).opcode.is_generic()).count()
}

/// Seconds inside our pass.
fn ours(target: &'static Target, module: &Module) -> Result<f64, Failure> {
    let features = target.default_features;
    let options = Options { features, allocator: Allocator::Ion };
    let legalizer = (target.legality)(features);
    let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
    let mut functions: Vec<Function> = (0..COPIES).flat_map(|_| module.functions.iter().cloned()).collect();
    let started = Instant::now();
    for function in &mut functions {
        (PASS.run)(&mut context, function)?;
    }
    Ok(started.elapsed().as_secs_f64())
}

/// Seconds inside LLVM's pass, from its own report: the last number before a percentage is the wall time.
fn llvm(file: &Path) -> Result<f64, Failure> {
    let mut command = Command::new("llc-22");
    let output = command.args(["-run-pass=legalizer", "-time-passes", "-o", "/dev/null"]).arg(file).output()?;
    let report = String::from_utf8(output.stderr)?;
    let row = report.lines().find(|line| line.trim_end().ends_with(" Legalizer"));
    let row = row.ok_or_else(|| format!("llc-22 reports no time of its legalizer:\n{report}"))?;
    let times: Vec<f64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Ok(*times.last().ok_or("no time in llc-22's report")?)
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
