//! `docs/benchmarks.md` as text, whole: the head, then every section from its record.

use crate::record::{CommandRun, Measurement, Origin, Record};
use crate::section::Section;

/// The state that a section's figures show: worse ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Measured, and without a fault or an unknown.
    Well,
    /// Not measured, or a judge left something unknown or unsupported.
    Open,
    /// A command failed, or a judge found a fault.
    Fault,
}

/// The head of the file.
pub struct Head {
    /// The day and the commit of the run that writes it.
    pub origin: Origin,
    /// The machine and the peers: title and value.
    pub facts: Vec<(&'static str, String)>,
}

/// The file, from every section with its record. One without a record, as in a new clone, is as it was `before`.
pub fn page(head: &Head, sections: &[(&Section, Option<Record>)], before: &str) -> String {
    let text = |(section, record): &(&Section, Option<Record>)| match (record, kept(before, section.heading)) {
        (None, Some(body)) => titled(section, &body),
        _ => self::section(section, record.as_ref(), &head.origin).0,
    };
    std::iter::once(head.to_string()).chain(sections.iter().map(text)).collect::<Vec<_>>().join("\n")
}

/// The commands and tables under a heading of a file, with the day and the commit that stand in its head.
fn kept(file: &str, heading: &str) -> Option<String> {
    let fact =
        |title: &str| file.lines().find_map(|line| line.strip_prefix(&format!("| {title} | "))?.strip_suffix(" |"));
    let origin = format!("{}, commit {}", fact("date")?, fact("commit")?);
    let mut under = file.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading)).skip(1).peekable();
    let is_prose = |line: &str| !line.starts_with("    ") && !line.starts_with("**");
    while under.next_if(|line| is_prose(line) && !line.starts_with("## ")).is_some() {}
    let dated = |line: &str| match line.strip_suffix("builds included.") {
        Some(taken) if line.starts_with("Taken in ") => format!("{taken}builds included: {origin}."),
        _ => line.to_string(),
    };
    let body: Vec<String> = under.take_while(|line| !line.starts_with("## ")).map(dated).collect();
    (!body.is_empty()).then(|| format!("{}\n", body.join("\n").trim_end()))
}

fn titled(section: &Section, body: &str) -> String {
    format!("## {}\n\n{}\n\n{body}", section.heading, section.about)
}

impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Origin { date, commit, has_changes } = &self.origin;
        writeln!(f, "# Benchmarks\n")?;
        writeln!(f, "`make benchmarks` writes this file whole, from the commands that stand above each table.")?;
        writeln!(f, "To change a sentence of it, change `benchmarks/src/sections`.")?;
        writeln!(
            f,
            "`make benchmarks SECTIONS=\"fuzz prove\"` measures these two sections anew and keeps the others."
        )?;
        writeln!(f, "A section that stems from another day or commit says so.\n")?;
        writeln!(f, "| | |\n|---|---|\n| date | {date} |")?;
        writeln!(f, "| commit | {commit}{} |", if *has_changes { " with uncommitted changes" } else { "" })?;
        self.facts.iter().try_for_each(|(title, value)| writeln!(f, "| {title} | {value} |"))
    }
}

/// One section as text, and the state that it shows.
pub fn section(section: &Section, record: Option<&Record>, head: &Origin) -> (String, Standing) {
    let (body, standing) = match record {
        None => {
            let body = format!("**Not measured yet**: `make benchmarks SECTIONS={}`.\n", section.name);
            (body, Standing::Open)
        }
        Some(record) => outcome(section, record, head),
    };
    (titled(section, &body), standing)
}

fn outcome(section: &Section, record: &Record, head: &Origin) -> (String, Standing) {
    let origin = &record.origin;
    let runs = match &record.outcome {
        Measurement::Missing(reason) => return (format!("**Not measured**: {reason} ({origin}).\n"), Standing::Open),
        Measurement::Failed { command, reason } => {
            return (failed(origin, &format!("`{command}`: {reason}")), Standing::Fault);
        }
        Measurement::Measured(runs) => runs,
    };
    let tables = match section.parts.iter().map(|part| part.render(runs)).collect::<Result<Vec<_>, _>>() {
        Ok(tables) => tables.join("\n"),
        Err(gap) => return (failed(origin, &gap.to_string()), Standing::Fault),
    };
    let mut taken = format!("Taken in {:.0} s, builds included", record.seconds);
    if origin != head {
        taken += &format!(": {origin}");
    }
    (format!("{}\n{tables}\n{taken}.\n", commands(runs)), standing(runs))
}

fn failed(origin: &Origin, reason: &str) -> String {
    // One paragraph, whatever a command said.
    format!("**Failed** ({origin}): {}.\n", reason.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The commands as they were typed, and those among them that failed.
fn commands(runs: &[CommandRun]) -> String {
    let line = |run: &CommandRun| match run.status {
        0 => format!("    {}\n", run.command),
        status => format!("    {}  # exit status {status}\n", run.command),
    };
    runs.iter().map(line).collect()
}

fn standing(runs: &[CommandRun]) -> Standing {
    let of = |run: &CommandRun| match run.status {
        0 => Standing::Well,
        3 => Standing::Open,
        _ => Standing::Fault,
    };
    runs.iter().map(of).max().unwrap_or(Standing::Open)
}
