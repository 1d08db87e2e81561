//! `tribunal man -o DIR`: man pages, generated from the command tree.

use crate::help::examples;
use crate::input::{self, CliError};
use crate::output::{Status, say};
use clap::Args;
use clap_mangen::Man;
use std::path::PathBuf;

/// Write man pages: one for the program and one for each verb.
#[derive(Args)]
#[command(after_help = examples(&["tribunal man -o man1"]))]
pub struct Arguments {
    /// The folder of the pages; made if it is not there.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let mut root = crate::command().disable_help_subcommand(true);
    // Names become `tribunal-VERB`, as man pages are called.
    root.build();
    input::make_folder(&arguments.out)?;
    for page in [&root].into_iter().chain(root.get_subcommands()) {
        let man = Man::new(page.clone());
        let path = arguments.out.join(man.get_filename());
        let mut text = Vec::new();
        man.render(&mut text).map_err(|source| CliError::Write { path: path.clone(), source })?;
        input::write(&path, &text)?;
        say!("{}", path.display());
    }
    Ok(Status::Well)
}
