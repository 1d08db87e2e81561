//! The sections of `docs/benchmarks.md`, in their order there.

mod judging;
mod peers;
mod tools;

use crate::Failure;
use crate::section::{Need, Section};

/// Every section. The documents' test may add one for their words: a command with `--json`, and a record of it for the
/// tests.
pub static ALL: &[&[Section]] = &[judging::SECTIONS, peers::SECTIONS, tools::SECTIONS];

/// LLVM's tools.
const LLC: Need = Need { command: "command -v llc-22", otherwise: "llc-22 is missing" };

/// Every section, in the file's order.
pub fn all() -> impl Iterator<Item = &'static Section> {
    ALL.iter().flat_map(|sections| sections.iter())
}

/// The sections of these names in the file's order; all if there is no name.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Section>, Failure> {
    let is_unknown = |name: &&String| !all().any(|section| section.name == name.as_str());
    match names.iter().find(is_unknown) {
        Some(unknown) => Err(Failure::UnknownSection(unknown.clone())),
        None => Ok(all().filter(|section| names.is_empty() || names.iter().any(|name| name == section.name)).collect()),
    }
}

/// The names, for a message.
pub fn names() -> String {
    all().map(|section| section.name).collect::<Vec<_>>().join(", ")
}

/// A scratch folder for the commands of a section, empty at their start.
fn scratch(section: &str) -> String {
    format!("target/benchmarks/scratch/{section}")
}

/// The command that makes a folder, empty.
fn emptied(folder: &str) -> String {
    format!("rm -rf {folder} && mkdir -p {folder}")
}
