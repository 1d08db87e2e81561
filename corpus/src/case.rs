//! Cases that run: every function through every judge, and the calls that the head comments list. [`CaseFile`] is the
//! file of every kind of case.

use std::path::Path;
use tribunal_codegen::{Allocator, BankSelectMode, Options};
use tribunal_emulator::Input;
use tribunal_ir::{Function, Module, Unread, text};
use tribunal_target::Target;
use tribunal_trial::expectation::{self, Expectation};
use tribunal_trial::{Harness, crash, inputs};

/// Inputs of the usual kind on which each function runs besides those of its expectations.
const INPUTS: u32 = 16;

/// The reason why a case failed.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// It names no machine.
    #[error("no `; target:` comment and no target triple")]
    NoTarget,
    /// It names an unknown machine.
    #[error("unknown target `{0}`")]
    UnknownTarget(String),
    /// A head comment is malformed.
    #[error("{0}")]
    Header(#[from] crash::CrashHeaderError),
    /// It is not MIR.
    #[error("{0}")]
    Parse(#[from] text::ParseError),
    /// A function names something unknown.
    #[error("{0}")]
    Unread(Unread),
    /// An expectation is malformed, or does not hold.
    #[error("`{line}`: {reason}")]
    Expectation {
        /// The line of the file.
        line: String,
        /// The fault.
        reason: String,
    },
    /// The judges cannot work.
    #[error("{0}")]
    Harness(#[from] tribunal_trial::HarnessError),
    /// A judge found something, or did not come to an end.
    #[error("@{function}: {what}")]
    Judged {
        /// The function's name.
        function: String,
        /// The finding.
        what: String,
    },
    /// A golden case holds none or several.
    #[error("a golden case holds one function")]
    OneFunction,
    /// The folder is no pass.
    #[error("no pass is called `{0}`, as the folder is")]
    NoPass(String),
    /// The difference, as a unified diff.
    #[error("not as expected; `BLESS=1 cargo test --package tribunal-corpus` takes what came out\n{diff}")]
    Expectations {
        /// From the file's expectation to the output.
        diff: String,
    },
}

/// A case as it was read: its functions, the machine, and the features and the allocator that its head comments name.
pub struct CaseFile {
    /// The machine that it is for.
    pub target: &'static Target,
    /// Features and allocator.
    pub options: Options,
    /// Its functions.
    pub module: Module,
}

impl CaseFile {
    /// Reads the text of a case. Features are the target's usual ones, and the allocator is Ion, unless the head says
    /// otherwise.
    pub fn read(text: &str) -> Result<CaseFile, CaseError> {
        let name = text::architecture(text).ok_or(CaseError::NoTarget)?;
        let target = tribunal_target::by_name(&name).ok_or(CaseError::UnknownTarget(name))?;
        let mut module = text::parse_module(text, target.vocabulary)?.whole().map_err(CaseError::Unread)?;
        let said = crash::header(&module, target)?;
        let features = said.features.unwrap_or(target.default_features);
        let options = said.placed(Options::new(features));
        module.functions.iter_mut().for_each(|function| target.settle_environment(function, features));
        Ok(CaseFile { target, options, module })
    }
}

/// Reads the file and checks its expectations.
pub fn run(path: &Path) -> Result<(), CaseError> {
    let CaseFile { target, options, module } = CaseFile::read(&std::fs::read_to_string(path)?)?;
    let malformed = |(line, reason): (String, &str)| CaseError::Expectation { line, reason: reason.to_string() };
    let calls = expectation::calls(&module).map_err(malformed)?;
    let has_floats = target.has_float_registers(options.features);
    for (allocator, bank_select) in [
        (Allocator::Ion, options.bank_select),
        (Allocator::Fastalloc, BankSelectMode::Greedy),
        (Allocator::Fastalloc, BankSelectMode::Fast),
    ] {
        if !has_floats && bank_select == BankSelectMode::Fast && options.bank_select != bank_select {
            continue;
        }
        let mut harness = Harness::new(target, Options { allocator, bank_select, ..options })?;
        for call in &calls {
            hold(&mut harness, &module, call)?;
        }
        for function in &module.functions {
            let plan = inputs::Plan { count: INPUTS, seed: 1 };
            judge(&mut harness, function, &inputs::inputs(function, target, plan))?;
        }
    }
    Ok(())
}

/// The interpreter gives the expected answer, and the emitted code agrees with the interpreter.
fn hold(harness: &mut Harness, module: &Module, call: &Expectation) -> Result<(), CaseError> {
    let failed = |reason: String| CaseError::Expectation { line: format!("{call:?}"), reason };
    let function = module.functions.iter().find(|function| function.name == call.function);
    let function = function.ok_or_else(|| failed("no such function".into()))?;
    let input = call.input(function, harness.target());
    call.hold(function, harness.target(), &input).map_err(failed)?;
    // Code may do anything where the source is undefined.
    if call.results.is_none() { Ok(()) } else { judge(harness, function, &[input]) }
}

/// Runs every judge, and accepts no verdict left open.
fn judge(harness: &mut Harness, function: &Function, inputs: &[Input]) -> Result<(), CaseError> {
    let tally = harness.trial_on(function, inputs);
    let failed = |what: String| Err(CaseError::Judged { function: function.name.clone(), what });
    if let Some(finding) = tally.findings.first() {
        return failed(finding.to_string());
    }
    if tally.passed != 1 {
        return failed(format!("not passed: unsupported {:?}, unknown {}", tally.unsupported, tally.unknown));
    }
    if tally.executions == 0 {
        return failed(format!("nothing was executed: {} inputs were inconclusive", tally.inconclusive));
    }
    Ok(())
}
