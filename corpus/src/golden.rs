//! Golden cases: one function before a pass and the exact output of the pass, in one file.
//!
//! `corpus/<pass>/NAME.mir` is MIR as the passes before leave it, so that a case tests one pass only. After the last
//! document comes the line `# check:`, and then the function after the pass, or the pass's error, each line commented
//! out: our reader and `llc-22` see the input alone. Under `emit` it is the assembly text, and below that the words of
//! the machine code.
//!
//! ```text
//! ---
//! name: f                          input
//! ...
//! # check:
//! # ---
//! # name:            f             what the pass wrote
//! # ...
//! ```
//!
//! Invariant: input and output satisfy the machine verifier, so that no expectation shows invalid MIR.

use crate::case::{CaseError, CaseFile};
use similar::TextDiff;
use std::fmt::Write;
use std::path::Path;
use tribunal_codegen::pipeline::{self, PIPELINE, Pass};
use tribunal_codegen::{Context, NoObserver, emit};
use tribunal_ir::{Function, Opcode, text};
use tribunal_target::abi::CallKind;
use tribunal_target::legality::LegalizerInfo;
use tribunal_verifier::machine_verifier;

/// The line before the expectation.
const CHECK: &str = "# check:\n";

/// The treatment of a file whose expectation differs from the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// It is an error, with a diff.
    Check,
    /// The file is rewritten.
    Bless,
}

impl Mode {
    /// [`Mode::Bless`] if the environment says `BLESS=1`.
    pub fn from_environment() -> Mode {
        match std::env::var_os("BLESS").is_some_and(|value| value == "1") {
            true => Mode::Bless,
            false => Mode::Check,
        }
    }
}

/// Compares the file at `path` with `wanted`, which it must equal exactly.
pub fn hold(path: &Path, wanted: &str, mode: Mode) -> Result<(), CaseError> {
    let found = match std::fs::read_to_string(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    match mode {
        _ if found == wanted => Ok(()),
        Mode::Bless => Ok(std::fs::write(path, wanted)?),
        Mode::Check => {
            let diff = TextDiff::from_lines(found.as_str(), wanted);
            let diff = diff.unified_diff().context_radius(3).header("expected", "found").to_string();
            Err(CaseError::Expectations { diff })
        }
    }
}

/// Runs the pass that the file's folder names on the file's one function, and compares the output with the expectation.
pub fn run(path: &Path, mode: Mode) -> Result<(), CaseError> {
    let source = std::fs::read_to_string(path)?;
    let input = source.split_once(CHECK).map_or(source.as_str(), |(input, _)| input);
    let stage = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let mut wanted = format!("{input}{CHECK}");
    for line in after(stage, &CaseFile::read(input)?)?.lines() {
        wanted.push_str("# ");
        wanted.push_str(line);
        wanted.truncate(wanted.trim_end().len());
        wanted.push('\n');
    }
    hold(path, &wanted, mode)
}

/// The output of `stage`.
fn after(stage: &str, source: &CaseFile) -> Result<String, CaseError> {
    let [function] = source.module.functions.as_slice() else { return Err(CaseError::OneFunction) };
    let legalizer = (source.target.legality)(source.options.features);
    valid(source, legalizer, function)?;
    if stage == "emit" {
        return listing(source, function);
    }
    let pass = PIPELINE.iter().find(|pass| pass.name == stage).ok_or_else(|| CaseError::NoPass(stage.to_string()))?;
    let mut function = function.clone();
    match run_pass(pass, source, legalizer, &mut function) {
        Ok(()) => {
            valid(source, legalizer, &function)?;
            Ok(text::print_function(&function, source.target.vocabulary))
        }
        Err(error) => Ok(format!("error: {error}")),
    }
}

fn run_pass(
    pass: &'static Pass,
    source: &CaseFile,
    legalizer: &'static LegalizerInfo,
    function: &mut Function,
) -> Result<(), tribunal_codegen::CompileError> {
    let mut context = Context { target: source.target, options: source.options, legalizer, observer: &mut NoObserver };
    pipeline::run_pass(pass, function, &mut context)
}

fn valid(source: &CaseFile, legalizer: &'static LegalizerInfo, function: &Function) -> Result<(), CaseError> {
    let finding = machine_verifier::verify(function, source.target, legalizer).into_iter().next();
    finding.map_or(Ok(()), |finding| {
        let what = finding.describe(function, source.target.vocabulary);
        Err(CaseError::Judged { function: function.name.clone(), what })
    })
}

/// The assembly text, then each instruction's offset (in bytes, hexadecimal), words and opcode.
fn listing(source: &CaseFile, function: &Function) -> Result<String, CaseError> {
    let code = match emit::code(function, source.target, source.options.features) {
        Ok(code) => code,
        Err(error) => return Ok(format!("error: {error}")),
    };
    let mut text = emit::assembly(std::slice::from_ref(function), source.target, source.options.features);
    let ends = code.map.iter().skip(1).map(|&(start, _)| start as usize).chain([code.bytes.len()]);
    for (&(start, inst), end) in code.map.iter().zip(ends) {
        let words = code.bytes[start as usize..end].chunks(4).map(|word| {
            word.iter().rev().fold(String::from(" "), |mut digits, byte| {
                let _ = write!(digits, "{byte:02x}");
                digits
            })
        });
        let name = match function.inst(inst).opcode {
            Opcode::Target(opcode) => source.target.vocabulary.opcode_name(opcode),
            _ => "",
        };
        let _ = writeln!(text, "{start:4x}:{} {name}", words.collect::<String>());
    }
    for call in &code.calls {
        let verb = match call.kind {
            CallKind::Returning => "calls",
            CallKind::Tail => "tail-calls",
        };
        let _ = writeln!(text, "{:4x}: {verb} {}", call.offset, call.symbol);
    }
    Ok(text)
}
