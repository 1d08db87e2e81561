//! `tribunal explain IN.mir`: the way of a function through the pipeline.

use crate::input::{self, CliError, TargetFlags};
use crate::output::Status;
use clap::Args;
use std::path::PathBuf;
use tribunal_fuzz::Harness;

/// Prints every rewrite step with its rule, what it replaced, what it wrote and the prover's verdict, and the function
/// after every pass.
///
/// Example: tribunal explain corpus/run/riscv64/g_mul.mir --function s128
#[derive(Args)]
pub struct Arguments {
    file: PathBuf,
    #[command(flatten)]
    target: TargetFlags,
    /// Only this function.
    #[arg(long)]
    function: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let source = input::read(&arguments.file, arguments.target.named()?)?;
    let mut harness = Harness::new(source.target, arguments.target.options(source.target)?)?;
    let wanted = |name: &str| arguments.function.as_deref().is_none_or(|only| only == name);
    let functions: Vec<_> = source.module.functions.iter().filter(|function| wanted(&function.name)).collect();
    if functions.is_empty() {
        return Err(CliError::Usage(format!("{}: no function to explain", arguments.file.display())));
    }
    let mut status = Status::Well;
    for function in functions {
        let tally = harness.explain(function, &mut |text| println!("{text}"));
        for finding in &tally.findings {
            println!("{finding}");
        }
        if status != Status::Fault && Status::of(&tally) != Status::Well {
            status = Status::of(&tally);
        }
    }
    Ok(status)
}
