//! `tribunal raise IN.mir -o OUT.ll`: generic MIR as LLVM IR.

use crate::help::examples;
use crate::input::{self, CliError};
use crate::output::{self, Status, say};
use clap::Args;
use std::path::PathBuf;
use tribunal_trial::raise;

/// Write generic MIR of scalars and memory as LLVM IR.
///
/// Any LLVM reads it, so it is the reproducer of a finding about LLVM. Arguments and results are those of the registers
/// that the function reads and leaves. A function with anything that has no counterpart writes nothing.
#[derive(Args)]
#[command(after_help = examples(&["tribunal raise corpus/llvm/rv64_bswap_mask_too_wide.before.mir -o bswap.ll"]))]
pub struct Arguments {
    /// Generic MIR, as LLVM's IR translator writes it.
    file: PathBuf,
    /// The target; from the file's comments or its target triple if left out.
    #[arg(long, value_parser = input::target_names())]
    target: Option<String>,
    /// The file of LLVM IR.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.as_deref().map(input::target_named).transpose()?)?;
    output::unread(&source);
    match raise::module(&source.module.functions, source.target) {
        Ok(text) => {
            input::write(&arguments.output, text.as_bytes())?;
            say!("{} functions", source.module.functions.len());
            Ok(if source.module.unread.is_empty() { Status::Well } else { Status::Unknown })
        }
        Err(error) => {
            say!("unsupported: {error}");
            Ok(Status::Unknown)
        }
    }
}
