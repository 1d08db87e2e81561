//! The command line: thin. Every verb reads its input, calls one library function, prints, and picks an exit status:
//! 0 all well; 1 a judge found a fault; 2 bad input or usage; 3 something stayed unknown or unsupported.

mod cache;
mod findings;
mod foreign;
mod help;
mod input;
mod jobs;
mod output;
mod store;
mod verbs;

use clap::{CommandFactory, Parser, Subcommand};
use output::{Status, complain};
use std::process::ExitCode;
use tribunal_verifier::prover;

/// A compiler backend on trial: compile LLVM's machine IR, and judge every step of it.
#[derive(Parser)]
#[command(name = "tribunal", version, max_term_width = 100, after_help = help::STATUSES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Compile(verbs::compile::Arguments),
    Verify(verbs::verify::Arguments),
    Trial(verbs::trial::Arguments),
    Prove(verbs::prove::Arguments),
    Fuzz(verbs::fuzz::Arguments),
    Replay(verbs::replay::Arguments),
    Reduce(verbs::reduce::Arguments),
    Sabotage(verbs::sabotage::Arguments),
    Explain(verbs::explain::Arguments),
    Run(verbs::run::Arguments),
    Validate(verbs::validate::Arguments),
    Raise(verbs::raise::Arguments),
    Cache(verbs::cache::Arguments),
    Doctor(verbs::doctor::Arguments),
    Completions(verbs::completions::Arguments),
    Man(verbs::man::Arguments),
}

/// Every verb with its flags and help texts: `docs/verbs.md`, man pages and completions are made of it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The argument of the processes that answer the solver's questions: no verb of the command line, since people have no
/// use for it.
const SOLVER: &str = "solve-questions";

/// Runs the verb that the command line names.
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == SOLVER) {
        prover::serve_solver();
        return Status::Well.into();
    }
    if let Ok(program) = std::env::current_exe() {
        prover::isolate_solver(program, SOLVER);
    }
    let arguments = Arguments::parse();
    let status = match &arguments.verb {
        Verb::Compile(arguments) => verbs::compile::run(arguments),
        Verb::Verify(arguments) => verbs::verify::run(arguments),
        Verb::Trial(arguments) => verbs::trial::run(arguments),
        Verb::Prove(arguments) => verbs::prove::run(arguments),
        Verb::Fuzz(arguments) => verbs::fuzz::run(arguments),
        Verb::Replay(arguments) => verbs::replay::run(arguments),
        Verb::Reduce(arguments) => verbs::reduce::run(arguments),
        Verb::Sabotage(arguments) => verbs::sabotage::run(arguments),
        Verb::Explain(arguments) => verbs::explain::run(arguments),
        Verb::Run(arguments) => verbs::run::run(arguments),
        Verb::Validate(arguments) => verbs::validate::run(arguments),
        Verb::Raise(arguments) => verbs::raise::run(arguments),
        Verb::Cache(arguments) => verbs::cache::run(arguments),
        Verb::Doctor(arguments) => verbs::doctor::run(arguments),
        Verb::Completions(arguments) => verbs::completions::run(arguments),
        Verb::Man(arguments) => verbs::man::run(arguments),
    };
    match status {
        Ok(status) => status.into(),
        Err(error) => {
            complain!("{}", error.rendered());
            Status::BadInput.into()
        }
    }
}
