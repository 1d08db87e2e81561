//! Reading MIR files, and the flags that direct it: bad input ends in one error with file, line and caret.

use crate::foreign::Foreign;
use crate::output::{self, FAULT};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use std::path::{Path, PathBuf};
use tribunal_codegen::{Allocator, BankSelectMode, Options};
use tribunal_fuzz::corpus::CorpusError;
use tribunal_fuzz::known::KnownFindings;
use tribunal_fuzz::sabotage::{self, Fault};
use tribunal_ir::Module;
use tribunal_ir::text::{self, ParseError};
use tribunal_target::{Features, Target};
use tribunal_verifier::machine_verifier;

/// The reason why a command did not run.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}", path = path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path}: this is {kind}, not text", path = path.display())]
    NotText { path: PathBuf, kind: &'static str },
    #[error("{path}: this is a folder, not a file", path = path.display())]
    Folder { path: PathBuf },
    #[error("{path}: this is a file, not a folder", path = path.display())]
    NoFolder { path: PathBuf },
    #[error("{path}: the file is empty", path = path.display())]
    Empty { path: PathBuf },
    #[error("{path}: the file holds no machine function, only data", path = path.display())]
    NoFunction { path: PathBuf },
    #[error("{path}: the file has more than {MOST_BYTES} bytes", path = path.display())]
    TooLong { path: PathBuf },
    #[error("{0}")]
    Foreign(Foreign),
    #[error("{path}: {error}", path = path.display())]
    Parse { path: PathBuf, text: String, error: ParseError },
    #[error("{path}: the machine verifier rejects @{function}: {finding}", path = path.display())]
    Rejected { path: PathBuf, function: String, finding: String },
    #[error("{path}: no target triple in the IR block; name the target with --target", path = path.display())]
    NoTarget { path: PathBuf },
    #[error("{path}: {source}", path = path.display())]
    Store { path: PathBuf, source: redb::Error },
    #[error("unknown target `{0}`; known are {known}", known = known_targets())]
    UnknownTarget(String),
    #[error("unknown feature `{name}` for {target}; known are: {known}")]
    UnknownFeature { name: String, target: &'static str, known: String },
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Harness(#[from] tribunal_trial::HarnessError),
    #[error("{0}")]
    Compile(#[from] tribunal_codegen::CompileError),
}

/// The most bytes of a file: a longer one is no intended input (`/dev/zero`).
const MOST_BYTES: u64 = 1 << 28;

/// The values of `--target`.
pub fn target_names() -> clap::builder::PossibleValuesParser {
    tribunal_target::ALL.iter().map(|target| target.name).collect::<Vec<_>>().into()
}

/// The values of `--inputs`. All inputs of a function are made before it runs.
pub fn input_counts(least: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(least..=1 << 16)
}

fn known_targets() -> String {
    tribunal_target::ALL.iter().map(|target| target.name).collect::<Vec<_>>().join(", ")
}

fn unknown_feature(name: &str, target: &'static Target) -> CliError {
    let names = target.option_names(target.all_options());
    let known = if names.is_empty() { "none".to_string() } else { names };
    CliError::UnknownFeature { name: name.to_string(), target: target.name, known }
}

impl CliError {
    /// The message for a person: a parse error shows its line with a caret.
    pub fn rendered(&self) -> String {
        match self {
            CliError::Parse { path, text, error } => caret(path, text, error),
            other => format!("{FAULT}error{FAULT:#}: {other}"),
        }
    }
}

impl From<CorpusError> for CliError {
    fn from(error: CorpusError) -> CliError {
        match error {
            CorpusError::Read { path, source } => CliError::Read { path, source },
            CorpusError::Parse { path, text, error } => CliError::Parse { path, text, error },
        }
    }
}

/// The source line under the error, with the place marked.
fn caret(path: &Path, text: &str, error: &ParseError) -> String {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
    let start = line.char_indices().nth(error.column.saturating_sub(1)).map_or(line.len(), |(offset, _)| offset);
    let end = line[start..].char_indices().nth(error.length.max(1)).map_or(line.len(), |(offset, _)| start + offset);
    let path = path.display().to_string();
    let snippet = Snippet::source(line)
        .line_start(error.line)
        .path(&path)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let report = &[Level::ERROR.primary_title(error.message.as_str()).element(snippet)];
    Renderer::styled().render(report)
}

/// A file that was read.
pub struct Source {
    pub path: PathBuf,
    pub target: &'static Target,
    pub module: Module,
}

impl Source {
    /// Its functions know the machine with these features.
    pub fn settled(mut self, features: Features) -> Source {
        self.module.functions.iter_mut().for_each(|function| self.target.settle_environment(function, features));
        self
    }

    /// An error for the first function that the machine verifier rejects, but for the flags and call frames of others:
    /// passes take for granted what it holds.
    pub fn verified(&self) -> Result<(), CliError> {
        let features = self.target.default_features | self.target.all_options();
        // What a compiler gave up on keeps no rules, and is refused by name.
        let whole = self.module.functions.iter().filter(|function| function.gave_up().is_none());
        let rejected = whole.into_iter().find_map(|function| {
            let rule = machine_verifier::unfit_for_proof(function, self.target)?;
            let findings = machine_verifier::verify_foreign(function, self.target, features);
            let broken = findings.iter().find(|finding| finding.rule == rule)?;
            let finding = broken.describe(function, self.target.vocabulary);
            Some(CliError::Rejected { path: self.path.clone(), function: function.name.clone(), finding })
        });
        rejected.map_or(Ok(()), Err)
    }
}

/// Which machine, and how it is compiled for.
#[derive(Args, Clone, Debug)]
pub struct TargetArguments {
    /// The target; from the file's comments or its target triple if left out.
    #[arg(long, value_parser = target_names())]
    pub target: Option<String>,
    /// Instruction set features to turn on (`+zbb`) or off (`-m`), separated by commas; beside those that the file
    /// names in a comment or as `target-features` of its functions.
    #[arg(long, value_name = "FEATURES", allow_hyphen_values = true, value_delimiter = ',')]
    pub features: Vec<String>,
    /// Register allocator of regalloc2: `ion` writes the better code, `fastalloc` is the faster one.
    #[arg(long, value_name = "NAME", default_value = Allocator::default().name(), value_parser = allocators())]
    pub regalloc: String,
    /// Register bank selection: each operation by itself, each as cheap as the ones before it allow, or the cheapest
    /// banks of the whole function.
    #[arg(long, value_name = "MODE", default_value = BankSelectMode::default().name(), value_parser = bank_select_modes())]
    pub bank_select: String,
}

impl TargetArguments {
    /// The target named, if one is.
    pub fn named(&self) -> Result<Option<&'static Target>, CliError> {
        self.target.as_deref().map(target_named).transpose()
    }

    /// The features that the file's comments name, or else the attributes of its functions, changed by the flags.
    /// Without either, the target's usual ones.
    fn options(&self, source: &Source) -> Result<Options, CliError> {
        let Source { target, module, .. } = source;
        let said = module.header("features").map(|names| target.features(names)).transpose();
        let said = said.map_err(|name| unknown_feature(name, target))?;
        let said = said.or_else(|| target.features_in_common(&module.functions));
        let features = changed(target, said.unwrap_or(target.default_features), &self.features)?;
        let allocator = Allocator::named(&self.regalloc).unwrap_or_default();
        let bank_select = BankSelectMode::named(&self.bank_select).unwrap_or_default();
        Ok(Options { features, allocator, bank_select })
    }

    /// Reads and parses a file with a function at least, for the machine that it and these arguments name.
    pub fn read(&self, path: &Path) -> Result<(Source, Options), CliError> {
        self.settled(read(path, self.named()?)?)
    }

    /// The same for a file that may hold data alone.
    pub fn read_module(&self, path: &Path) -> Result<(Source, Options), CliError> {
        self.settled(read_module(path, self.named()?)?)
    }

    fn settled(&self, source: Source) -> Result<(Source, Options), CliError> {
        let options = self.options(&source)?;
        Ok((source.settled(options.features), options))
    }

    /// The same features; all that the target can have if none are named.
    pub fn offered(&self, source: &Source) -> Result<Features, CliError> {
        let named = source.module.header("features").is_some() || !self.features.is_empty();
        let Options { features, .. } = self.options(source)?;
        Ok(if named { features } else { features | source.target.all_options() })
    }
}

/// The values of `--regalloc`.
pub fn allocators() -> clap::builder::PossibleValuesParser {
    Allocator::ALL.map(Allocator::name).into()
}

/// The values of `--bank-select`.
pub fn bank_select_modes() -> clap::builder::PossibleValuesParser {
    BankSelectMode::ALL.map(BankSelectMode::name).into()
}

fn changed(target: &'static Target, features: Features, changes: &[String]) -> Result<Features, CliError> {
    let unknown = |name: &str| unknown_feature(name, target);
    changes.iter().try_fold(features, |features, change| target.changed(features, change).map_err(unknown))
}

/// The target named with the changed features, or all targets that have them.
pub fn targets(name: Option<&str>, changes: &[String]) -> Result<Vec<(&'static Target, Features)>, CliError> {
    let with_changes = |target: &'static Target| Ok((target, changed(target, target.default_features, changes)?));
    if let Some(name) = name {
        return Ok(vec![with_changes(target_named(name)?)?]);
    }
    let (able, unable): (Vec<_>, Vec<_>) =
        tribunal_target::ALL.iter().map(|&target| with_changes(target)).partition(Result::is_ok);
    match (able.is_empty(), unable.into_iter().next()) {
        (true, Some(error)) => error.map(|target| vec![target]),
        _ => able.into_iter().collect(),
    }
}

/// The same for proofs of rules: unless features are named, every feature set that changes the rules.
pub fn rule_sets(name: Option<&str>, changes: &[String]) -> Result<Vec<(&'static Target, Features)>, CliError> {
    let targets = targets(name, changes)?;
    if !changes.is_empty() {
        return Ok(targets);
    }
    Ok(targets
        .into_iter()
        .flat_map(|(target, _)| target.rule_sets().into_iter().map(move |set| (target, set)))
        .collect())
}

/// The known miscompile of this name, which is planted on one of these targets at least.
pub fn fault(name: &str, mut targets: impl Iterator<Item = &'static Target>) -> Result<&'static Fault, CliError> {
    let unknown = || CliError::Usage(format!("unknown fault `{name}`; `tribunal sabotage --list` names them"));
    let fault = sabotage::named(name).ok_or_else(unknown)?;
    match targets.any(|target| fault.targets.contains(&target.name)) {
        true => Ok(fault),
        false => Err(CliError::Usage(format!("fault `{name}` is planted on {} only", fault.targets.join(" and ")))),
    }
}

pub fn target_named(name: &str) -> Result<&'static Target, CliError> {
    tribunal_target::by_name(name).ok_or_else(|| CliError::UnknownTarget(name.to_string()))
}

/// Reads a list of known findings.
pub fn known(path: &Path) -> Result<KnownFindings, CliError> {
    let text = read_text(path)?;
    KnownFindings::read(&text).map_err(|error| CliError::Parse { path: path.into(), text, error })
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    use std::io::Read;
    if path.is_dir() {
        return Err(CliError::Folder { path: path.into() });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(source) => Err(CliError::Read { path: path.into(), source }),
        Ok(count) if count as u64 > MOST_BYTES => Err(CliError::TooLong { path: path.into() }),
        Ok(_) => Ok(bytes),
    }
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, CliError> {
    let not_text = |kind| CliError::NotText { path: path.into(), kind };
    if bytes.starts_with(b"\x7fELF") {
        return Err(not_text("an ELF file"));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| not_text("a binary file"))
}

/// Reads a file of text.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    text_of(path, read_bytes(path)?)
}

/// Reads and parses one file with a function at least: without one there is nothing to judge.
pub fn read(path: &Path, target: Option<&'static Target>) -> Result<Source, CliError> {
    let source = read_module(path, target)?;
    let holds_function = source.module.entries().next().is_some();
    if holds_function { Ok(source) } else { Err(CliError::NoFunction { path: path.into() }) }
}

/// Reads and parses one file, which may hold data alone.
pub fn read_module(path: &Path, target: Option<&'static Target>) -> Result<Source, CliError> {
    let bytes = read_bytes(path)?;
    if let Some(foreign) = Foreign::of(path, &bytes, target) {
        return Err(CliError::Foreign(foreign));
    }
    let text = text_of(path, bytes)?;
    if text.trim().is_empty() {
        return Err(CliError::Empty { path: path.into() });
    }
    let target = match (target, text::architecture(&text)) {
        (Some(target), _) => target,
        (None, Some(name)) => target_named(&name)?,
        (None, None) => return Err(CliError::NoTarget { path: path.into() }),
    };
    match text::parse_module(&text, target.vocabulary) {
        Ok(module) => Ok(Source { path: path.into(), target, module }),
        Err(error) => Err(CliError::Parse { path: path.into(), text, error }),
    }
}

/// Makes the folder, and those around it, unless they are there. Files can be written to it.
pub fn make_folder(path: &Path) -> Result<(), CliError> {
    check_folder(path)?;
    std::fs::create_dir_all(path).map_err(|source| CliError::Write { path: path.to_path_buf(), source })
}

/// Checks before long work that files can be written to a folder, which need not exist yet; nothing is made.
pub fn check_folder(path: &Path) -> Result<(), CliError> {
    let there = path.ancestors().find(|place| place.exists()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(CliError::NoFolder { path: there.into() });
    }
    // An unnamed file, which disappears whatever happens.
    tempfile::tempfile_in(there).map(drop).map_err(|source| CliError::Write { path: there.into(), source })
}

/// Checks before long work that a file can be written; nothing is made.
pub fn check_file(path: &Path) -> Result<(), CliError> {
    match std::fs::metadata(path) {
        _ if path == Path::new("-") => return Ok(()),
        Ok(there) if there.is_dir() => return Err(CliError::Folder { path: path.into() }),
        Ok(there) if !there.is_file() => return Ok(()),
        _ => {}
    }
    match path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")) {
        folder if folder.exists() => check_folder(folder),
        folder => Err(CliError::Usage(format!("{}: no such folder", folder.display()))),
    }
}

/// Writes whole or not at all: to a file beside the destination, then renamed. `-` is standard output. A link is
/// followed, and anything but a plain file (a device, a pipe) is written to and never replaced.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), CliError> {
    let failed = |source| CliError::Write { path: path.into(), source };
    if path == Path::new("-") {
        output::bytes(contents);
        return Ok(());
    }
    let place = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(CliError::Folder { path: path.into() }),
        Ok(there) if !there.is_file() => return std::fs::write(path, contents).map_err(failed),
        Ok(_) => path.canonicalize().map_err(failed)?,
        Err(_) => path.to_path_buf(),
    };
    let mut name =
        place.file_name().ok_or_else(|| CliError::Usage(format!("{}: not a file", path.display())))?.to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = place.with_file_name(name);
    let written = std::fs::write(&partial, contents).and_then(|()| std::fs::rename(&partial, &place));
    if written.is_err() {
        // Best effort: the error that counts is the first.
        let _ = std::fs::remove_file(&partial);
    }
    written.map_err(failed)
}
