//! The other compiler's runs: a batch of functions in one file and one process for each stage. Functions on which a run
//! fails are found by running each alone, and leave the batch.

use super::backend::{FailurePlace, PeerBackend, PeerMode};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tribunal_ir::{AddressBase, Function, IrBlock, Module, text};
use wait_timeout::ChildExt;

/// The time limit of one process that reads a small file.
const LIMIT: Duration = Duration::from_secs(5);
/// The same where a program that hangs is reduced: each candidate that hangs takes all of it.
const SHORT_LIMIT: Duration = Duration::from_secs(1);
/// What each KiB of the file adds; a compiler that does not hang needs a small part of it.
const LIMIT_OF_KIB: Duration = Duration::from_millis(20);

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
    /// The function on which it failed, if it says so: a hint, which a run of that function alone confirms.
    pub hint: Option<String>,
}

/// The functions as a module of their own: with LLVM IR that declares what they name.
pub(super) fn module_of(functions: Vec<Function>) -> Module {
    let objects = ["global0", "global1"].map(|name| format!("  @{name} = external global [64 x i8], align 8\n"));
    let called: BTreeSet<&str> = functions.iter().flat_map(called).collect();
    let called = called.iter().map(|name| format!("  declare void @{name}()\n"));
    let defined =
        functions.iter().map(|function| format!("  define void @{}() {{\n    ret void\n  }}\n", function.name));
    let ir = IrBlock::read(objects.into_iter().chain(called).chain(defined).collect()).ok();
    Module { ir, functions, ..Module::default() }
}

/// The names of the functions of the module that a function calls. The generator's globals are no functions.
fn called(function: &Function) -> impl Iterator<Item = &str> {
    let names = function.addresses.values().filter_map(|address| match address.base {
        AddressBase::Global(_) => function.symbol_name(address.base),
        _ => None,
    });
    names.filter(|name| name.starts_with(CALLEES))
}

/// The beginning of the names of functions that generated programs call, and do not define.
const CALLEES: &str = "unknown";

/// A compiler with a folder of its own.
#[derive(Clone, Copy)]
pub(super) struct Runner<'r> {
    pub backend: &'r dyn PeerBackend,
    pub folder: &'r Path,
    limit: Duration,
}

impl<'r> Runner<'r> {
    pub fn new(backend: &'r dyn PeerBackend, folder: &'r Path) -> Runner<'r> {
        Runner { backend, folder, limit: LIMIT }
    }

    /// The same that waits a short time only.
    pub fn impatient(self) -> Runner<'r> {
        Runner { limit: SHORT_LIMIT, ..self }
    }

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
        self.run(command, &input)?;
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
            self.run(command, &input)?;
            std::fs::read(&output).map(Some).map_err(|error| RunFailure::crash(error.to_string()))
        };
        object().transpose()
    }

    /// Whether it reads the module.
    pub fn reads(&self, module: &Module, mode: PeerMode) -> Result<(), RunFailure> {
        let input = self.written(module, mode)?;
        self.run(self.backend.read(mode, &input), &input)
    }

    /// Whether it reads this text, which it wrote.
    pub fn reads_again(&self, text: &str, mode: PeerMode) -> Result<(), RunFailure> {
        let again = self.folder.join("again.mir");
        std::fs::write(&again, text).map_err(|error| RunFailure::crash(error.to_string()))?;
        let read = self.run(self.backend.read(mode, &again), &again);
        read.map_err(|failure| RunFailure { kind: FailureKind::Unreadable, ..failure })
    }

    fn written(&self, module: &Module, mode: PeerMode) -> Result<std::path::PathBuf, RunFailure> {
        let input = self.folder.join("input.mir");
        let text = text::print_module(module, mode.target.vocabulary);
        std::fs::write(&input, text).map_err(|error| RunFailure::crash(error.to_string()))?;
        Ok(input)
    }

    /// Runs a command that reads this file.
    fn run(&self, mut command: Command, input: &Path) -> Result<(), RunFailure> {
        let failed = |error: std::io::Error| RunFailure::crash(error.to_string());
        let messages = self.folder.join("messages");
        let stderr = std::fs::File::create(&messages).map_err(failed)?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().map_err(failed)?;
        let kib = std::fs::metadata(input).map_or(0, |file| file.len() / 1024);
        let limit = self.limit + LIMIT_OF_KIB * u32::try_from(kib).unwrap_or(u32::MAX);
        match child.wait_timeout(limit).map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(_) => {
                let mut said = Vec::new();
                std::fs::File::open(&messages).and_then(|mut file| file.read_to_end(&mut said)).map_err(failed)?;
                let said = String::from_utf8_lossy(&said);
                let hint = self.backend.place(&said).and_then(|place| place.function(input));
                Err(RunFailure { hint, ..RunFailure::crash(self.backend.complaint(&said)) })
            }
            None => {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                let complaint = format!("no end in {} s", limit.as_secs());
                Err(RunFailure { kind: FailureKind::Hang, complaint, hint: None })
            }
        }
    }

    /// Takes out of the module each function on which `run` fails alone, and says how. All of them together fail so.
    pub fn take_failing(
        &self,
        module: &mut Module,
        failure: RunFailure,
        run: &dyn Fn(&Runner<'_>, &Module) -> Result<(), RunFailure>,
    ) -> Vec<(Function, RunFailure)> {
        let mut functions = std::mem::take(&mut module.functions);
        let mut search = FailureSearch { runner: self, run, failing: BTreeMap::new() };
        search.divide(functions.clone(), failure);
        let mut failing = search.failing;
        let taken = functions.extract_if(.., |function| failing.contains_key(&function.name)).collect::<Vec<_>>();
        *module = module_of(functions);
        taken
            .into_iter()
            .filter_map(|function| Some((failing.remove(&function.name)?, function)))
            .map(|(failure, function)| (function, failure))
            .collect()
    }
}

/// A search for the functions on which a run fails: first the one that the compiler names, else by halves.
struct FailureSearch<'s> {
    runner: &'s Runner<'s>,
    run: &'s dyn Fn(&Runner<'_>, &Module) -> Result<(), RunFailure>,
    /// By name.
    failing: BTreeMap<String, RunFailure>,
}

impl FailureSearch<'_> {
    /// The functions fail together in this way.
    fn divide(&mut self, mut functions: Vec<Function>, failure: RunFailure) {
        if let [one] = functions.as_slice() {
            // An impatient run may take for a hang what only takes long.
            let failure = match failure.kind {
                FailureKind::Hang => (self.run)(self.runner, &module_of(functions.clone())).err(),
                FailureKind::Crash | FailureKind::Unreadable => Some(failure),
            };
            self.failing.extend(failure.map(|failure| (one.name.clone(), failure)));
            return;
        }
        // Each part that hangs takes all of its time.
        let is_hang = failure.kind == FailureKind::Hang;
        let runner = if is_hang { self.runner.impatient() } else { *self.runner };
        let hinted =
            failure.hint.as_ref().and_then(|hint| functions.iter().position(|function| function.name == *hint));
        let rest = match hinted {
            Some(index) => {
                let one = functions.swap_remove(index);
                std::mem::replace(&mut functions, vec![one])
            }
            None => functions.split_off(functions.len() / 2),
        };
        for group in [functions, rest] {
            let module = module_of(group);
            if !module.functions.is_empty()
                && let Err(failure) = (self.run)(&runner, &module)
            {
                self.divide(module.functions, failure);
            }
        }
    }
}

impl FailurePlace {
    /// The name of the function there, in the file that was compiled.
    fn function(self, input: &Path) -> Option<String> {
        match self {
            FailurePlace::Function(name) => Some(name),
            FailurePlace::Line(line) => function_at(&std::fs::read_to_string(input).ok()?, line),
        }
    }
}

/// The name of the function of MIR text whose document holds this line, counted from 1.
pub(super) fn function_at(text: &str, line: usize) -> Option<String> {
    let before = text.lines().take(line).collect::<Vec<_>>();
    let own = before.iter().rev().take_while(|line| !line.starts_with("---"));
    own.filter_map(|line| line.strip_prefix("name:"))
        .map(|name| name.trim().trim_matches(['\'', '"']).to_string())
        .next()
}

impl RunFailure {
    fn crash(complaint: String) -> RunFailure {
        RunFailure { kind: FailureKind::Crash, complaint, hint: None }
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
