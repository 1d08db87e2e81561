//! Programs of csmith without floating point, by their seeds. The expected checksum is that of gcc of this machine.
//!
//! Invariant: a seed whose program does not end here, or on which gcc's levels differ, is no program.

use super::{CProgram, ProgramError, command, native};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The folder of csmith's headers.
const HEADERS: &str = "-I/usr/include/csmith";
/// Programs need a C library: they print by `printf`.
const REQUIRES: &str = "library";
/// A program that takes longer on this machine takes too long under emulation.
const LIMIT: Duration = Duration::from_secs(2);

/// The program of a seed, kept in `folder`; `None` if it is none.
pub fn program(seed: u32, folder: &Path) -> Result<Option<CProgram>, ProgramError> {
    let name = format!("csmith-{seed}");
    let scratch = super::toolchain::scratch()?;
    let path = folder.join(format!("{name}.c"));
    let mut csmith = Command::new("csmith");
    csmith.args(["--no-float", "--seed", &seed.to_string(), "-o"]).arg(&path);
    csmith.current_dir(scratch.path());
    command::succeed(&mut csmith, scratch.path(), Duration::from_secs(60))?;
    let mut program = CProgram::read(&name, vec![path], Path::new(""))?;
    program.flags.push(HEADERS.to_string());
    program.requires.push(REQUIRES.to_string());
    program.is_supported = false;
    let mut runs = Vec::new();
    for level in ["-O0", "-O2"] {
        match native::run(&program, folder, ("gcc", &[level]), LIMIT) {
            Ok((output, Some(0))) => runs.push(output),
            Ok(_) | Err(ProgramError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let Some(first) = runs.first().filter(|first| runs.iter().all(|run| run == *first)) else { return Ok(None) };
    program.expected = first.clone();
    Ok(Some(program))
}
