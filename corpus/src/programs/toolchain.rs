//! One program on one machine: clang's front end, the IR translator, a backend, the linker, QEMU.
//!
//! Invariant: with [`Maker::Llc`] and with [`Maker::Tribunal`] all steps but the backend's are the same, so what the
//! first passes and the second does not is the backend's.

use super::command::{self, Ended};
use super::platform::Platform;
use super::source::SUPPORT;
use super::trial::{ProgramTrial, TrialSums};
use super::verdict::{Functions, ProgramResult, ProgramVerdict};
use super::{CProgram, ProgramError};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The backend that makes the objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// This project's.
    Tribunal,
    /// LLVM's: the peer that shows that all other steps work.
    Llc,
}

/// The parts of a program that the backend compiles: the others are compiled by llc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// All of them.
    Whole,
    /// The first of two parts: files, or halves of the only file.
    First,
    /// The second.
    Second,
}

impl Share {
    /// The two mixtures of a program.
    pub const MIXTURES: [Share; 2] = [Share::First, Share::Second];

    fn has(self, part: usize) -> bool {
        match self {
            Share::Whole => true,
            Share::First => part.is_multiple_of(2),
            Share::Second => !part.is_multiple_of(2),
        }
    }

    /// The name of a program in a report.
    fn named(self, program: &str) -> String {
        match self {
            Share::Whole => program.to_string(),
            Share::First => format!("{program} (first part)"),
            Share::Second => format!("{program} (second part)"),
        }
    }
}

/// Where the tools are, and how long each may take.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The folder of programs.
    pub folder: PathBuf,
    /// The `tribunal` program.
    pub tribunal: PathBuf,
    /// The backend.
    pub maker: Maker,
    /// Of one command.
    pub limit: Duration,
}

/// Vectors are not of this backend.
const FRONT_END: [&str; 5] = ["-std=gnu11", "-w", "-fno-vectorize", "-fno-slp-vectorize", "-fno-ident"];
/// The runtime must not become calls of itself.
const RUNTIME: [&str; 2] = ["-O1", "-ffreestanding"];

/// A trial has so many times the limit of another command.
const TRIAL_LIMITS: u32 = 20;

/// The end of a build: an executable, or the reason why there is none.
type Built = Result<PathBuf, ProgramVerdict>;

impl Toolchain {
    /// Compiles, links and runs a program, in a folder of its own. Tools of others that fail are the verdict.
    pub fn run(
        &self,
        program: &CProgram,
        platform: &Platform,
        level: &str,
        share: Share,
    ) -> Result<ProgramResult, ProgramError> {
        let scratch = scratch()?;
        let mut functions = Functions::default();
        let task = Task { tools: self, platform, level, folder: scratch.path() };
        let verdict = match task.verdict(program, share, &mut functions) {
            Ok(verdict) => verdict,
            Err(error @ ProgramError::Failed { .. }) => ProgramVerdict::Refused(error.to_string()),
            Err(error) => return Err(error),
        };
        let (target, level) = (platform.name.clone(), level.to_string());
        Ok(ProgramResult { program: share.named(&program.name), target, level, verdict, functions })
    }
}

impl Toolchain {
    /// Puts a program's functions before every judge. The proofs of earlier runs are looked up.
    pub fn trial(&self, program: &CProgram, platform: &Platform, level: &str) -> Result<ProgramTrial, ProgramError> {
        let scratch = scratch()?;
        let sums = Task { tools: self, platform, level, folder: scratch.path() }.tried(program)?;
        let (program, target, level) = (program.name.clone(), platform.name.clone(), level.to_string());
        Ok(ProgramTrial { program, target, level, sums })
    }
}

/// A folder that is removed in the end.
pub(super) fn scratch() -> Result<tempfile::TempDir, ProgramError> {
    tempfile::tempdir().map_err(ProgramError::file(std::env::temp_dir()))
}

/// One program that is being compiled.
pub(super) struct Task<'t> {
    pub(super) tools: &'t Toolchain,
    pub(super) platform: &'t Platform,
    pub(super) level: &'t str,
    pub(super) folder: &'t Path,
}

impl Task<'_> {
    fn verdict(
        &self,
        program: &CProgram,
        share: Share,
        functions: &mut Functions,
    ) -> Result<ProgramVerdict, ProgramError> {
        match self.build(program, share, functions)? {
            Ok(executable) => Ok(self.emulated(program, &executable)?.0),
            Err(verdict) => Ok(verdict),
        }
    }

    /// The verdict on a run, and what the program wrote to its standard error.
    pub(super) fn emulated(
        &self,
        program: &CProgram,
        executable: &Path,
    ) -> Result<(ProgramVerdict, String), ProgramError> {
        let [emulator, flags @ ..] = self.platform.qemu.as_slice() else {
            return Ok((ProgramVerdict::Refused("no emulator".to_string()), String::new()));
        };
        let mut emulation = Command::new(emulator);
        let ended = command::run(emulation.args(flags).arg(executable), self.folder, self.tools.limit)?;
        Ok((judged(program, &ended), ended.errors))
    }

    fn build(&self, program: &CProgram, share: Share, functions: &mut Functions) -> Result<Built, ProgramError> {
        let mut objects = Vec::new();
        for (number, part) in self.parts(program, share)?.iter().enumerate() {
            let object = part.with_extension("o");
            match self.tools.maker {
                Maker::Tribunal if share.has(number) => functions.add(&self.compile(part, &object)?),
                _ => self.llc(part, &["-filetype=obj"], &object)?,
            }
            objects.push(object);
        }
        if let Some(reason) = functions.commonest() {
            return Ok(Err(ProgramVerdict::Unsupported(reason.to_string())));
        }
        self.linked(program, objects)
    }

    /// The executable of a program's objects, with the files that every program is linked with.
    pub(super) fn linked(
        &self,
        program: &CProgram,
        mut objects: Vec<PathBuf>,
    ) -> Result<Result<PathBuf, ProgramVerdict>, ProgramError> {
        let support = SUPPORT.iter().filter(|_| program.is_supported).map(|file| self.tools.folder.join(file));
        let runtime = self.platform.runtime.iter().map(|file| self.tools.folder.join(file));
        for file in support.chain(runtime) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().replace('.', "-");
            let object = self.folder.join(name).with_extension("o");
            self.tool(self.clang().args(RUNTIME).arg("-c").arg(&file).arg("-o").arg(&object))?;
            objects.push(object);
        }
        self.link(&objects)
    }

    /// The LLVM IR of each file. In a mixture the only file is split in two.
    pub(super) fn parts(&self, program: &CProgram, share: Share) -> Result<Vec<PathBuf>, ProgramError> {
        let mut parts = Vec::new();
        for (number, file) in program.files.iter().enumerate() {
            let part = self.folder.join(format!("part{number}.ll"));
            let flags = program.flags.iter();
            self.tool(
                self.clang().arg(self.level).args(flags).args(["-S", "-emit-llvm"]).arg(file).arg("-o").arg(&part),
            )?;
            parts.push(part);
        }
        let [only] = parts.as_slice() else { return Ok(parts) };
        if share == Share::Whole {
            return Ok(parts);
        }
        let prefix = self.folder.join("half");
        self.tool(Command::new("llvm-split-22").arg("-j2").arg("-o").arg(&prefix).arg(only))?;
        Ok(["half0", "half1"].map(|name| self.folder.join(name)).to_vec())
    }

    pub(super) fn clang(&self) -> Command {
        let mut clang = Command::new("clang-22");
        clang.args(&self.platform.clang).args(FRONT_END).arg("-I").arg(&self.tools.folder);
        for headers in &self.platform.headers {
            clang.arg("-I").arg(self.tools.folder.join(headers));
        }
        if let Some(headers) = self.platform.library_headers() {
            clang.arg("-isystem").arg(headers);
        }
        clang
    }

    fn llc(&self, part: &Path, flags: &[&str], to: &Path) -> Result<(), ProgramError> {
        let mut llc = Command::new("llc-22");
        self.tool(llc.args(&self.platform.llc).arg(self.level).args(flags).arg(part).arg("-o").arg(to)).map(|_| ())
    }

    /// What LLVM's IR translator writes of a part.
    pub(super) fn translated(&self, part: &Path) -> Result<PathBuf, ProgramError> {
        let mir = part.with_extension("mir");
        let flags = ["-global-isel", "-global-isel-abort=2", "-stop-after=irtranslator", "-simplify-mir"];
        self.llc(part, &flags, &mir)?;
        Ok(mir)
    }

    /// All parts of a program before every judge.
    fn tried(&self, program: &CProgram) -> Result<TrialSums, ProgramError> {
        let mut sums = TrialSums::default();
        for part in self.parts(program, Share::Whole)? {
            let mir = self.translated(&part)?;
            let mut trial = Command::new(&self.tools.tribunal);
            trial.arg("trial").arg(&mir).args(["--target", &self.platform.target]).args(&self.platform.tribunal);
            let limit = self.tools.limit * TRIAL_LIMITS;
            sums.add(&TrialSums::of(&command::run(trial.arg("--json"), self.folder, limit)?));
        }
        Ok(sums)
    }

    /// The object of a part by this backend, if all of its functions were compiled.
    fn compile(&self, part: &Path, object: &Path) -> Result<Functions, ProgramError> {
        let mir = self.translated(part)?;
        let text = std::fs::read_to_string(&mir).map_err(ProgramError::file(&mir))?;
        let ended =
            command::run(self.compiler(&mir).args(["--json", "-o"]).arg(object), self.folder, self.tools.limit)?;
        let fallbacks = text.lines().filter(|line| line.starts_with("failedISel:") && line.ends_with("true")).count();
        Ok(Functions { fallbacks: fallbacks as u64, ..counted(&ended) })
    }

    /// This backend on a file.
    pub(super) fn compiler(&self, mir: &Path) -> Command {
        let mut compile = Command::new(&self.tools.tribunal);
        compile.arg("compile").arg(mir).args(["--target", &self.platform.target]).args(&self.platform.tribunal);
        compile.arg(if self.level == "-O0" { "-O0" } else { "-O2" });
        compile
    }

    fn link(&self, objects: &[PathBuf]) -> Result<Built, ProgramError> {
        let (executable, folders) = (self.folder.join("program"), self.platform.library_folders());
        let start = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
        let mut linker = Command::new("ld.lld-22");
        linker
            .args(&self.platform.linker)
            .arg("-static")
            .args(["crt1.o", "crti.o"].iter().filter_map(|name| start(name)));
        linker.args(objects);
        if !folders.is_empty() {
            folders.iter().for_each(|folder| {
                linker.arg("-L").arg(folder);
            });
            let c: &[&str] = if self.platform.library.is_some() { &["-lc", "-lgcc_eh"] } else { &[] };
            linker.args(["--start-group", "-lgcc"]).args(c).arg("--end-group");
        }
        linker.args(start("crtn.o")).arg("-o").arg(&executable);
        let ended = command::run(&mut linker, self.folder, self.tools.limit)?;
        let reason = || format!("link: {}", without_places(&ended.complaint(), self.folder));
        Ok(match (ended.is_success(), self.tools.maker) {
            (true, _) => Ok(executable),
            (false, Maker::Tribunal) => Err(ProgramVerdict::Unsupported(reason())),
            (false, Maker::Llc) => Err(ProgramVerdict::Refused(reason())),
        })
    }

    pub(super) fn tool(&self, command: &mut Command) -> Result<Ended, ProgramError> {
        command::succeed(command, self.folder, self.tools.limit)
    }
}

/// Compares a run with the expectation.
fn judged(program: &CProgram, ended: &Ended) -> ProgramVerdict {
    let differs = ended.output.lines().zip(program.expected.lines()).position(|(found, wanted)| found != wanted);
    if ended.status.is_none() {
        return ProgramVerdict::Wrong("no end within the time".to_string());
    }
    if ended.output != program.expected {
        let line = differs.unwrap_or_else(|| ended.output.lines().count().min(program.expected.lines().count())) + 1;
        let of = |text: &str| text.lines().nth(line - 1).unwrap_or("the end").to_string();
        let (found, wanted) = (of(&ended.output), of(&program.expected));
        return ProgramVerdict::Wrong(format!("line {line}: `{found}` instead of `{wanted}`"));
    }
    match ended.code() {
        Some(code) if code == program.status => ProgramVerdict::Passed,
        code => ProgramVerdict::Wrong(format!("exit status {code:?} instead of {}", program.status)),
    }
}

/// The keys of `tribunal compile --json` that are read.
#[derive(Deserialize)]
struct CompileReport {
    functions: u64,
    refusals: Vec<CompileRefusal>,
}

#[derive(Deserialize)]
struct CompileRefusal {
    pass: String,
    reason: String,
}

/// The functions of a compilation. One that ended without a report is a reason of its own.
fn counted(ended: &Ended) -> Functions {
    let last = ended.output.lines().last().unwrap_or_default();
    let mut functions = Functions::default();
    match serde_json::from_str::<CompileReport>(last) {
        Ok(report) => {
            functions.seen = report.functions;
            functions.compiled = report.functions.saturating_sub(report.refusals.len() as u64);
            for CompileRefusal { pass, reason } in report.refusals {
                *functions.by_reason.entry(format!("{pass}: {}", kind(&reason))).or_default() += 1;
            }
        }
        Err(_) => {
            functions.by_reason.insert(format!("compile: {}", kind(&ended.complaint())), 1);
        }
    }
    functions
}

/// A reason without what belongs to one function: the opcode of an instruction, else the text without numbers.
fn kind(reason: &str) -> String {
    let word = |word: &&str| word.starts_with("G_") && word.len() > 2;
    let mut words = reason.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let opcode = words.find(word).map(str::to_string);
    let intrinsic = reason.split_once("intrinsic(@").and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    match (opcode, intrinsic) {
        (Some(opcode), Some(intrinsic)) => format!("{opcode} {intrinsic}"),
        (Some(opcode), None) => opcode,
        (None, _) => without_registers(reason),
    }
}

/// Virtual registers and stack objects lose their numbers.
fn without_registers(text: &str) -> String {
    let mut kept = String::new();
    let mut after_percent = false;
    for c in text.chars() {
        after_percent = c == '%' || (after_percent && c.is_ascii_digit());
        if !(after_percent && c.is_ascii_digit()) {
            kept.push(c);
        }
    }
    kept
}

/// A complaint of the linker without paths: they differ from run to run.
fn without_places(text: &str, folder: &Path) -> String {
    text.replace(&format!("{}/", folder.display()), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_an_opcode_or_a_text_without_numbers() {
        assert_eq!(kind("`%67:_(p0) = G_GLOBAL_VALUE @inverse`"), "G_GLOBAL_VALUE");
        assert_eq!(kind("`%1:_(p0) = G_INTRINSIC intrinsic(@llvm.x.y), %2`"), "G_INTRINSIC llvm.x.y");
        assert_eq!(kind("a copy of %12 in mid-function"), "a copy of % in mid-function");
        assert_eq!(kind("stack objects aligned to 32 bytes"), "stack objects aligned to 32 bytes");
    }

    #[test]
    fn a_mixture_has_two_parts() {
        assert!([0, 1, 2].map(|part| Share::First.has(part)) == [true, false, true]);
        assert!([0, 1, 2].map(|part| Share::Second.has(part)) == [false, true, false]);
    }
}
