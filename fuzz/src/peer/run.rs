//! The other compiler's runs: a batch of functions in one file and one process for each stage. Functions on which a run
//! fails are found by running each alone, and leave the batch.

use super::backend::{PeerBackend, PeerMode};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tribunal_ir::{Function, IrBlock, Module, text};
use wait_timeout::ChildExt;

/// The time limit of one process.
const LIMIT: Duration = Duration::from_secs(60);

/// The kind of a failed run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FailureKind {
    /// The process was ended by a signal, or said why it could not go on.
    Crash,
    /// It did not end in time.
    Hang,
    /// It does not read what it wrote.
    Unreadable,
}

impl FailureKind {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            FailureKind::Crash => "crash",
            FailureKind::Hang => "hang",
            FailureKind::Unreadable => "unreadable",
        }
    }
}

/// A failed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunFailure {
    /// Its kind.
    pub kind: FailureKind,
    /// What the compiler says.
    pub complaint: String,
}

/// The functions as a module of their own: with LLVM IR that declares what they name.
pub(super) fn module_of(functions: Vec<Function>) -> Module {
    let declared = ["global0", "global1"].map(|name| format!("  @{name} = external global [64 x i8], align 8\n"));
    let defined =
        functions.iter().map(|function| format!("  define void @{}() {{\n    ret void\n  }}\n", function.name));
    let ir = IrBlock::read(declared.into_iter().chain(defined).collect()).ok();
    Module { ir, functions, ..Module::default() }
}

/// A compiler with a folder of its own.
pub(super) struct Runner<'r> {
    pub backend: &'r dyn PeerBackend,
    pub folder: &'r Path,
}

impl Runner<'_> {
    /// The module after a stage, as text.
    pub fn compiled(&self, module: &Module, mode: PeerMode, stage: &str) -> Result<String, RunFailure> {
        self.compiled_with(module, mode, stage, None)
    }

    /// The same with one more argument.
    pub fn compiled_with(
        &self,
        module: &Module,
        mode: PeerMode,
        stage: &str,
        argument: Option<&str>,
    ) -> Result<String, RunFailure> {
        let output = self.folder.join("output.mir");
        // What an earlier run left is not this run's output.
        let _ = std::fs::remove_file(&output);
        let input = self.written(module, mode)?;
        let mut command = self.backend.compile(mode, stage, &input, &output);
        command.args(argument);
        self.run(command)?;
        std::fs::read_to_string(&output).map_err(|error| RunFailure::crash(error.to_string()))
    }

    /// The object of the module; `None` of a compiler that writes none.
    pub fn object(
        &self,
        module: &Module,
        mode: PeerMode,
        argument: Option<&str>,
    ) -> Option<Result<Vec<u8>, RunFailure>> {
        let output = self.folder.join("output.o");
        let _ = std::fs::remove_file(&output);
        let object = || {
            let input = self.written(module, mode)?;
            let Some(mut command) = self.backend.object(mode, &input, &output) else { return Ok(None) };
            command.args(argument);
            self.run(command)?;
            std::fs::read(&output).map(Some).map_err(|error| RunFailure::crash(error.to_string()))
        };
        object().transpose()
    }

    /// Whether it reads the module.
    pub fn reads(&self, module: &Module, mode: PeerMode) -> Result<(), RunFailure> {
        let input = self.written(module, mode)?;
        self.run(self.backend.read(mode, &input))
    }

    /// Whether it reads this text, which it wrote.
    pub fn reads_again(&self, text: &str, mode: PeerMode) -> Result<(), RunFailure> {
        let again = self.folder.join("again.mir");
        std::fs::write(&again, text).map_err(|error| RunFailure::crash(error.to_string()))?;
        let read = self.run(self.backend.read(mode, &again));
        read.map_err(|failure| RunFailure { kind: FailureKind::Unreadable, ..failure })
    }

    fn written(&self, module: &Module, mode: PeerMode) -> Result<std::path::PathBuf, RunFailure> {
        let input = self.folder.join("input.mir");
        let text = text::print_module(module, mode.target.vocabulary);
        std::fs::write(&input, text).map_err(|error| RunFailure::crash(error.to_string()))?;
        Ok(input)
    }

    fn run(&self, mut command: Command) -> Result<(), RunFailure> {
        let failed = |error: std::io::Error| RunFailure::crash(error.to_string());
        let messages = self.folder.join("messages");
        let stderr = std::fs::File::create(&messages).map_err(failed)?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().map_err(failed)?;
        match child.wait_timeout(LIMIT).map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(_) => {
                let mut said = Vec::new();
                std::fs::File::open(&messages).and_then(|mut file| file.read_to_end(&mut said)).map_err(failed)?;
                Err(RunFailure::crash(self.backend.complaint(&String::from_utf8_lossy(&said))))
            }
            None => {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                Err(RunFailure { kind: FailureKind::Hang, complaint: format!("no end in {} s", LIMIT.as_secs()) })
            }
        }
    }

    /// Takes out of the module each function on which `run` fails alone, and says how.
    pub fn take_failing(
        &self,
        module: &mut Module,
        run: impl Fn(&Runner<'_>, &Module) -> Result<(), RunFailure>,
    ) -> Vec<(Function, RunFailure)> {
        let (mut kept, mut failing) = (Vec::new(), Vec::new());
        for function in std::mem::take(&mut module.functions) {
            match run(self, &module_of(vec![function.clone()])) {
                Ok(()) => kept.push(function),
                Err(failure) => failing.push((function, failure)),
            }
        }
        *module = module_of(kept);
        failing
    }
}

impl RunFailure {
    fn crash(complaint: String) -> RunFailure {
        RunFailure { kind: FailureKind::Crash, complaint }
    }

    /// The complaint without numbers and places, so that failures of one cause are one.
    pub fn family(&self) -> String {
        let words = self.complaint.split_whitespace().map(|word| match word.contains(|c: char| c.is_ascii_digit()) {
            true => "_",
            false => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
