//! The expected output of the programs, by the compilers of this machine: gcc and clang at two levels agree on it, and
//! the address and undefined-behaviour sanitizers have nothing to say.
//!
//! Invariant: an expectation is never what this project's backend computed.

use super::command;
use super::source::{SUPPORT, expectation};
use super::toolchain::scratch;
use super::verdict::{Functions, ProgramResult, ProgramVerdict};
use super::{CProgram, ProgramError};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The name in the place of a target.
pub const NATIVE: &str = "native";

/// Compilers and flags that must agree. The first decides.
const BUILDS: [(&str, &[&str]); 5] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O2"]),
    ("clang-22", &["-O0"]),
    ("clang-22", &["-O2"]),
    ("gcc", &["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
];

/// Runs a program as this machine compiles it: what it wrote, and the exit status.
pub fn run(
    program: &CProgram,
    folder: &Path,
    (compiler, flags): (&str, &[&str]),
    limit: Duration,
) -> Result<(String, Option<i32>), ProgramError> {
    let scratch = scratch()?;
    let executable = scratch.path().join("program");
    let support = SUPPORT.iter().filter(|_| program.is_supported).map(|file| folder.join(file));
    let mut build = Command::new(compiler);
    build.args(["-std=gnu11", "-w"]).args(flags).args(&program.flags).arg("-I").arg(folder);
    build.args(&program.files).args(support).arg("-o").arg(&executable);
    command::succeed(&mut build, scratch.path(), limit)?;
    let ended = command::run(&mut Command::new(&executable), scratch.path(), limit)?;
    Ok((ended.output.clone(), ended.code()))
}

/// Holds a program's expectation to every build.
pub fn check(program: &CProgram, folder: &Path, limit: Duration) -> Result<Vec<ProgramResult>, ProgramError> {
    let result = |(compiler, flags): (&str, &[&str])| {
        let verdict = match run(program, folder, (compiler, flags), limit) {
            Ok((output, code)) if output == program.expected && code == Some(program.status) => ProgramVerdict::Passed,
            Ok((_, code)) => ProgramVerdict::Wrong(format!("another output, exit status {code:?}")),
            Err(error @ ProgramError::Failed { .. }) => ProgramVerdict::Refused(error.to_string()),
            Err(error) => return Err(error),
        };
        let (target, level) = (NATIVE.to_string(), format!("{compiler} {}", flags.join(" ")));
        Ok(ProgramResult { program: program.name.clone(), target, level, verdict, functions: Functions::default() })
    };
    BUILDS.into_iter().map(result).collect()
}

/// Writes the expectation that the first build gives; [`check`] holds the others to it.
pub fn bless(program: &mut CProgram, folder: &Path, limit: Duration) -> Result<(), ProgramError> {
    program.expected = run(program, folder, BUILDS[0], limit)?.0;
    let path = expectation(folder, &program.name);
    std::fs::write(&path, &program.expected).map_err(ProgramError::file(path))
}
