//! The common parts of help texts: examples, and the exit statuses.

/// The text after the verbs.
pub const STATUSES: &str = "\
Exit status:
  0  all well
  1  a judge found a fault
  2  bad input or usage
  3  something stayed unknown or unsupported, which is never success

Every verb that reports takes --json: one object, as the last line of standard output.
Colours follow NO_COLOR and CLICOLOR_FORCE.";

/// The text after a verb's flags: commands for the root of the repository.
pub fn examples(commands: &[&str]) -> String {
    let head = if commands.len() == 1 { "Example:" } else { "Examples:" };
    commands.iter().fold(head.to_string(), |text, command| format!("{text}\n  {command}"))
}
