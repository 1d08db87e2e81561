//! `tribunal completions SHELL`: completions, generated from the command tree.

use crate::help::examples;
use crate::input::{self, CliError};
use crate::output::Status;
use clap::Args;
use clap_complete::Shell;
use std::path::Path;

/// Print the completions of a shell.
///
/// Where they go is the shell's: for bash, a file in `~/.local/share/bash-completion/completions`.
#[derive(Args)]
#[command(after_help = examples(&["tribunal completions bash"]))]
pub struct Arguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "tribunal", &mut text);
    input::write(Path::new("-"), &text)?;
    Ok(Status::Well)
}
