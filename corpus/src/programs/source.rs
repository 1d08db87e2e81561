//! The programs of the folder: `NAME.c`, or a folder NAME of C files, with `NAME.out` beside it.
//!
//! The first comment of a program may have lines `requires: WORD`, which leaves out the machines that lack it, and
//! `status: N`, the exit status. Invariant: a file of C that is no program is one of [`SUPPORT`].

use super::ProgramError;
use std::path::{Path, PathBuf};

/// Files that every program is linked with.
pub const SUPPORT: [&str; 1] = ["platform.c"];

/// A program and its expectation.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// Its name.
    pub name: String,
    /// Its C files, in order.
    pub files: Vec<PathBuf>,
    /// The expected output.
    pub expected: String,
    /// The expected exit status.
    pub status: i32,
    /// Words for what not every machine has.
    pub requires: Vec<String>,
    /// Flags of the compiler: where other headers are.
    pub flags: Vec<String>,
    /// True if it is linked with [`SUPPORT`].
    pub is_supported: bool,
}

impl CProgram {
    /// Reads the program of these files. An expectation that is missing is empty.
    pub fn read(name: &str, files: Vec<PathBuf>, expected: &Path) -> Result<CProgram, ProgramError> {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(ProgramError::file(path));
        let texts = files.iter().map(|path| read(path)).collect::<Result<Vec<String>, _>>()?;
        let heads = || texts.iter().filter_map(|text| text.split_once("*/").map(|(head, _)| head));
        let said = |word: &'static str| {
            heads()
                .flat_map(str::lines)
                .filter_map(move |line| Some(line.trim().strip_prefix(word)?.trim().to_string()))
        };
        let status = said("status:").next().and_then(|status| status.parse().ok()).unwrap_or(0);
        let expected = if expected.exists() { read(expected)? } else { String::new() };
        let requires = said("requires:").collect();
        Ok(CProgram {
            name: name.to_string(),
            files,
            expected,
            status,
            requires,
            flags: Vec::new(),
            is_supported: true,
        })
    }
}

/// The place of the expected output of a program.
pub fn expectation(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).with_extension("out")
}

/// Every program of the folder, by name.
pub fn all(folder: &Path) -> Result<Vec<CProgram>, ProgramError> {
    let mut programs = Vec::new();
    for path in entries(folder)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_support = path.file_name().is_some_and(|file| SUPPORT.iter().any(|support| file == *support));
        let files = match path.is_dir() {
            true => entries(&path)?.into_iter().filter(|file| is_c(file)).collect(),
            false if is_c(&path) && !is_support => vec![path],
            false => continue,
        };
        // The runtime of a machine is no program: its folder has no expectation.
        if !is_runtime(folder, &files) {
            programs.push(CProgram::read(&name, files, &expectation(folder, &name))?);
        }
    }
    Ok(programs)
}

fn is_runtime(folder: &Path, files: &[PathBuf]) -> bool {
    files.iter().any(|file| file.starts_with(folder.join("runtime")))
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}

/// The entries of a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ProgramError> {
    let listed = std::fs::read_dir(folder).map_err(ProgramError::file(folder))?;
    let paths = listed.map(|entry| Ok(entry.map_err(ProgramError::file(folder))?.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, ProgramError>>()?;
    paths.sort();
    Ok(paths)
}
