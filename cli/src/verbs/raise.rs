//! `tribunal raise IN.mir -o OUT.ll`: generic MIR as LLVM IR.

use crate::help::examples;
use crate::input::{self, CliError, Source};
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
    /// Write the draft of an issue about LLVM too: the case, the command, and the source of what is expected. The input
    /// is a crash file of `tribunal fuzz --backend`.
    #[arg(long, value_name = "FILE")]
    issue: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.as_deref().map(input::target_named).transpose()?)?;
    source.verified()?;
    output::unread(&source);
    match raise::module(&source.module.functions, source.target) {
        Ok(text) => {
            input::write(&arguments.output, text.as_bytes())?;
            if let Some(file) = &arguments.issue {
                input::write(file, issue(arguments, &source, &text)?.as_bytes())?;
            }
            say!("{} functions", source.module.functions.len());
            Ok(if source.module.unread.is_empty() { Status::Well } else { Status::Unknown })
        }
        Err(error) => {
            say!("unsupported: {error}");
            Ok(Status::Unknown)
        }
    }
}

/// The draft of an issue: nothing stands in it that the crash file does not say.
fn issue(arguments: &Arguments, source: &Source, ir: &str) -> Result<String, CliError> {
    let header = |key: &str| {
        let missing = || CliError::Usage(format!("{}: no `{key}:` in its comments", arguments.file.display()));
        source.module.header(key).ok_or_else(missing)
    };
    let (signature, level, backend) = (header("signature")?, header("level")?, header("backend")?);
    let features = source
        .target
        .features(header("features")?)
        .map_err(|name| CliError::Usage(format!("unknown feature `{name}`")))?;
    let sign = |on| if on { '+' } else { '-' };
    let options = source.target.options.iter();
    let options = options.map(|option| format!("{}{}", sign(features.contains(option.feature)), option.name));
    let options = options.collect::<Vec<_>>().join(",");
    let command = format!("{backend} -mattr={options} {level} -global-isel {}", arguments.output.display());
    let comments = source.module.comments.iter();
    let seen = comments.map(|line| line.trim()).filter(|line| line.contains("expected ") || line.starts_with("input:"));
    let seen = seen.map(|line| format!("    {line}\n")).collect::<String>();
    let sources = source.module.functions.iter().flat_map(raise::sources).collect::<Vec<_>>();
    let guilty = source.module.header("guilty").map_or(String::new(), |guilty| format!("Guilty: {guilty}.\n\n"));
    Ok(format!(
        "# [GlobalISel] {signature}\n\n```llvm\n{ir}```\n\n```sh\n{command}\n```\n\n{guilty}Seen, and expected:\n\n{seen}\n\
         What is expected follows from: {}.\n",
        sources.join("; ")
    ))
}
