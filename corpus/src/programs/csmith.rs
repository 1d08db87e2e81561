//! Programs of csmith, with floating point or without, by their seeds. The expected checksum is that of gcc of this
//! machine.
//!
//! Invariant: a seed whose program does not end here, or on which gcc's builds differ, is no program.

use super::{CProgram, ProgramError, command, native};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The folder of csmith's headers.
const HEADERS: &str = "-I/usr/include/csmith";
/// The checksum is one for machines whose `long` has 64 bits: constants are as wide as it.
const REQUIRES: &str = "lp64";
/// Flags for programs with floating point. Fused operations round once where others round twice, and not every
/// machine of the comparison has them. Csmith lets pointers to `float` point to integers, which clang
/// refuses without a flag and which strict aliasing leaves undefined.
const FLOAT_FLAGS: [&str; 3] = ["-ffp-contract=off", "-fno-strict-aliasing", "-Wno-incompatible-pointer-types"];
/// A build that ends at a number which the integer type of its conversion does not hold: that is undefined, and csmith
/// writes it.
const CHECKED: &[&str] = &["-O1", "-fsanitize=float-cast-overflow", "-fno-sanitize-recover=all"];
/// A program that takes longer on this machine takes too long under emulation.
const LIMIT: Duration = Duration::from_secs(2);

/// The numbers of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsmithNumbers {
    /// Integers alone.
    Integers,
    /// Integers, and numbers of type `float`.
    Floats,
}

impl CsmithNumbers {
    /// The flag of csmith.
    fn flag(self) -> &'static str {
        match self {
            CsmithNumbers::Integers => "--no-float",
            CsmithNumbers::Floats => "--float",
        }
    }

    /// The flags of a C compiler.
    fn compiler_flags(self) -> &'static [&'static str] {
        match self {
            CsmithNumbers::Integers => &[],
            CsmithNumbers::Floats => &FLOAT_FLAGS,
        }
    }

    /// The builds of gcc that must agree.
    fn builds(self) -> &'static [&'static [&'static str]] {
        match self {
            CsmithNumbers::Integers => &[&["-O0"], &["-O2"]],
            CsmithNumbers::Floats => &[&["-O0"], &["-O2"], CHECKED],
        }
    }

    /// The name of the program of a seed.
    fn name(self, seed: u32) -> String {
        match self {
            CsmithNumbers::Integers => format!("csmith-{seed}"),
            CsmithNumbers::Floats => format!("csmith-float-{seed}"),
        }
    }
}

/// The program of a seed, kept in `folder`; `None` if it is none.
pub fn program(seed: u32, numbers: CsmithNumbers, folder: &Path) -> Result<Option<CProgram>, ProgramError> {
    let name = numbers.name(seed);
    let scratch = super::toolchain::scratch()?;
    let path = folder.join(format!("{name}.c"));
    let mut csmith = Command::new("csmith");
    csmith.args([numbers.flag(), "--seed", &seed.to_string(), "-o"]).arg(&path);
    csmith.current_dir(scratch.path());
    command::succeed(&mut csmith, scratch.path(), Duration::from_secs(60))?;
    let mut program = CProgram::read(&name, vec![path], Path::new(""))?;
    program.flags.push(HEADERS.to_string());
    program.flags.extend(numbers.compiler_flags().iter().map(ToString::to_string));
    program.requires.push(REQUIRES.to_string());
    program.is_supported = false;
    let mut runs = Vec::new();
    for flags in numbers.builds() {
        match native::run(&program, folder, ("gcc", flags), LIMIT) {
            Ok((output, Some(0))) => runs.push(output),
            Ok(_) | Err(ProgramError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let Some(first) = runs.first().filter(|first| runs.iter().all(|run| run == *first)) else { return Ok(None) };
    program.expected = first.clone();
    Ok(Some(program))
}
