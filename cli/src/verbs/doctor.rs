//! `tribunal doctor`: the tools that are installed, those that are missing, and their uses.
//!
//! Invariant: programs outside this one are rows of [`TOOLS`]; a test compares the rows with the Makefile.

use crate::cache;
use crate::help::examples;
use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use tribunal_fuzz::campaign;
use tribunal_target::Target;
use tribunal_trial::Harness;
use tribunal_trial::inputs::Plan;
use tribunal_verifier::prover;

/// Say what is installed and what is missing, and for which verb or make target.
///
/// One line each, with the Debian package that brings it. Every judge tries a small function on each target. Exit
/// status 0 if all verbs can work, though other programs may be missing; 3 if a verb cannot.
#[derive(Args)]
#[command(after_help = examples(&["tribunal doctor"]))]
pub struct Arguments {
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

/// A program that this one does without, and that something beside it needs.
struct Tool {
    name: &'static str,
    /// The command that prints its version.
    command: &'static [&'static str],
    /// The start of the answer's line, up to the version; empty for the first line that has one.
    answer: &'static str,
    needed_for: &'static str,
    /// The Debian package, or the command where there is none.
    brought_by: &'static str,
}

const TOOLS: [Tool; 16] = [
    Tool {
        name: "llc-22",
        command: &["llc-22", "--version"],
        answer: "",
        needed_for: "MIR of LLVM IR, `validate` on LLVM's passes, make test, make benchmarks, make judge-llvm",
        brought_by: "package llvm-22",
    },
    Tool {
        name: "llvm-mc-22",
        command: &["llvm-mc-22", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package llvm-22",
    },
    Tool {
        name: "llvm-objcopy-22",
        command: &["llvm-objcopy-22", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package llvm-22",
    },
    Tool {
        name: "clang-22",
        command: &["clang-22", "--version"],
        answer: "",
        needed_for: "MIR of C, make test, make judge-llvm",
        brought_by: "package clang-22",
    },
    Tool {
        name: "ld.lld-22",
        command: &["ld.lld-22", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package lld-22",
    },
    qemu("qemu-riscv64", &["qemu-riscv64", "--version"]),
    qemu("qemu-riscv32", &["qemu-riscv32", "--version"]),
    qemu("qemu-aarch64", &["qemu-aarch64", "--version"]),
    Tool {
        name: "csmith",
        command: &["csmith", "--version"],
        answer: "",
        needed_for: "make judge-llvm",
        brought_by: "packages csmith and libcsmith-dev",
    },
    Tool {
        name: "nightly toolchain",
        command: &["rustup", "toolchain", "list"],
        answer: "nightly",
        needed_for: "make fuzzers, make test",
        brought_by: "rustup toolchain install nightly",
    },
    Tool {
        name: "cargo-fuzz",
        command: &["cargo-fuzz", "--version"],
        answer: "",
        needed_for: "make fuzzers, make test",
        brought_by: "cargo install cargo-fuzz",
    },
    Tool {
        name: "zip",
        command: &["zip", "--version"],
        answer: "This is Zip",
        needed_for: "make fuzzers, make test",
        brought_by: "package zip",
    },
    Tool {
        name: "cvc5",
        command: &["cvc5", "--version"],
        answer: "",
        needed_for: "make test, `prove --confirm cvc5`",
        brought_by: "package cvc5",
    },
    Tool {
        name: "gdb-multiarch",
        command: &["gdb-multiarch", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package gdb-multiarch",
    },
    Tool {
        name: "GNU ld of RISC-V",
        command: &["riscv64-linux-gnu-ld.bfd", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package binutils-riscv64-linux-gnu",
    },
    Tool {
        name: "GNU ld of AArch64",
        command: &["aarch64-linux-gnu-ld.bfd", "--version"],
        answer: "",
        needed_for: "make test",
        brought_by: "package binutils-aarch64-linux-gnu",
    },
];

const fn qemu(name: &'static str, command: &'static [&'static str]) -> Tool {
    Tool { name, command, answer: "", needed_for: "make test", brought_by: "package qemu-user" }
}

#[derive(Serialize)]
struct Report {
    /// True if every verb can do its work.
    verbs: bool,
    missing: usize,
    checks: Vec<Check>,
}

/// One line.
#[derive(Serialize)]
struct Check {
    name: String,
    found: bool,
    /// Its version, or the fault.
    state: String,
    needed_for: &'static str,
    brought_by: Option<&'static str>,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let verbs: Vec<Check> = tribunal_target::ALL.iter().map(|target| judges(target)).collect();
    let works = verbs.iter().all(|check| check.found);
    let checks: Vec<Check> =
        [solver(), cores()].into_iter().chain(verbs).chain([cache()]).chain(TOOLS.iter().map(tool)).collect();
    let missing = checks.iter().filter(|check| !check.found).count();
    for Check { name, found, state, needed_for, brought_by } in &checks {
        let mark = if *found { "found" } else { "MISSING" };
        let brought_by = brought_by.map_or(String::new(), |by| format!(" ({by})"));
        say!("{mark:<7}  {name:<18} {state:<34} for {needed_for}{brought_by}");
    }
    let verdict = if works { "every verb can work" } else { "some verbs CANNOT work" };
    say!("{verdict}; {missing} of {} missing", checks.len());
    if arguments.json {
        output::json(&Report { verbs: works, missing, checks });
    }
    Ok(if works { Status::Well } else { Status::Unknown })
}

fn solver() -> Check {
    let (name, state) = ("solver".to_string(), prover::solver_version().to_string());
    Check {
        name,
        found: true,
        state,
        needed_for: "prove, trial, fuzz, validate",
        brought_by: Some("package libz3-dev"),
    }
}

/// Runs every judge on a small function of the generator.
fn judges(target: &'static Target) -> Check {
    let tried = || {
        let options = tribunal_codegen::Options::new(target.default_features);
        let mut harness = Harness::new(target, options).map_err(|error| error.to_string())?;
        let functions = (0..32).filter_map(|seed| campaign::generated(seed, target));
        let smallest = functions.min_by_key(|function| function.all_insts().count());
        let function = smallest.ok_or("the generator makes no function")?;
        let tally = harness.trial(&function, Plan { count: 4, seed: 1 });
        match (tally.passed, tally.executions) {
            (1, 1..) => Ok("work".to_string()),
            _ => Err("a function that should pass does not".to_string()),
        }
    };
    let tried: Result<String, String> = tried();
    let (found, state) = (tried.is_ok(), tried.unwrap_or_else(|error| error));
    Check {
        name: format!("judges of {}", target.name),
        found,
        state,
        needed_for: "every verb that judges",
        brought_by: None,
    }
}

fn cores() -> Check {
    let count = std::thread::available_parallelism().map_or(1, NonZero::get);
    let state = count.to_string();
    Check { name: "cores".to_string(), found: true, state, needed_for: "--jobs, one worker a core", brought_by: None }
}

/// The folder of proofs; it need not be there yet.
fn cache() -> Check {
    let folder = cache::usual_folder();
    let found = folder.as_deref().is_some_and(|folder| input::check_folder(folder).is_ok());
    let named = folder.as_deref().map_or("neither XDG_CACHE_HOME nor HOME is set".into(), Path::to_string_lossy);
    let state = if found { named.into_owned() } else { format!("{named}: not writable") };
    Check { name: "cache folder".to_string(), found, state, needed_for: "proofs kept between runs", brought_by: None }
}

fn tool(tool: &Tool) -> Check {
    let version = version(tool);
    Check {
        name: tool.name.to_string(),
        found: version.is_some(),
        state: version.unwrap_or_default(),
        needed_for: tool.needed_for,
        brought_by: Some(tool.brought_by),
    }
}

/// The tool's version in its own words; `None` where it does not run, or does not answer as expected.
fn version(tool: &Tool) -> Option<String> {
    let (program, arguments) = tool.command.split_first()?;
    // csmith writes a file into the folder that it runs in, whatever it is asked.
    let folder = tempfile::tempdir().ok()?;
    let output = Command::new(program).args(arguments).current_dir(&folder).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().filter(|_| output.status.success());
    if tool.answer.is_empty() {
        return Some(lines.find_map(number).unwrap_or_default().to_string());
    }
    let line = lines.find(|line| line.starts_with(tool.answer))?;
    Some(number(line).unwrap_or(line).to_string())
}

/// The first word that looks like `22.1`.
fn number(line: &str) -> Option<&str> {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    line.split_whitespace().find(is_number)
}
