//! Markdown tables from the JSON of commands. A figure that is missing, or of another type, is an error and never a
//! blank.

use crate::record::CommandRun;
use serde_json::Value;

/// A table of a section.
pub enum Part {
    /// A column for each of these steps (by label), a row for each figure.
    Steps {
        /// Labels of steps: the titles of the columns.
        steps: &'static [&'static str],
        /// The rows.
        figures: &'static [Figure],
    },
    /// A row for each element of the array at `at` in the output of `step`, a column for each figure.
    Items {
        /// The label of a step.
        step: &'static str,
        /// The JSON pointer of the array.
        at: &'static str,
        /// The columns.
        figures: &'static [Figure],
    },
    /// A row for each entry of the object at `at` in the output of `step`, whose values are counts.
    Entries {
        /// The label of a step.
        step: &'static str,
        /// The JSON pointer of the object.
        at: &'static str,
        /// The titles of the keys' column and of the counts'.
        titles: [&'static str; 2],
    },
}

/// A number or a name in the output of a command.
pub struct Figure {
    /// The title of its row or column.
    pub title: &'static str,
    /// Its place in the output.
    pub at: At,
    /// Its format.
    pub unit: Unit,
}

/// The place of a figure, by JSON pointers.
pub enum At {
    /// One number or name.
    Key(&'static str),
    /// The first divided by the second.
    Per(&'static str, &'static str),
    /// The first less the second.
    Less(&'static str, &'static str),
}

/// The format of a figure.
pub enum Unit {
    /// A name, as it stands.
    Text,
    /// A whole number, with commas between thousands; fractions are rounded.
    Count,
    /// A number with this many digits after the point.
    Decimal(usize),
    /// A fraction of one, as a percentage with so many digits after the point.
    Percent(usize),
    /// Bytes, as megabytes of a million.
    Megabytes,
}

/// The reason why a table cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Gap {
    /// No command ran under this label.
    #[error("no command is labelled `{0}`")]
    Step(String),
    /// The figure is missing, or of another type.
    #[error("the output of `{step}` has no such figure as `{at}`")]
    Figure {
        /// The label of the command.
        step: String,
        /// The JSON pointer, or the figure's title.
        at: String,
    },
}

/// A figure at a JSON pointer.
pub const fn figure(title: &'static str, at: &'static str, unit: Unit) -> Figure {
    Figure { title, at: At::Key(at), unit }
}

/// A whole number at a JSON pointer.
pub const fn count(title: &'static str, at: &'static str) -> Figure {
    figure(title, at, Unit::Count)
}

/// A name at a JSON pointer.
pub const fn text(title: &'static str, at: &'static str) -> Figure {
    figure(title, at, Unit::Text)
}

impl Part {
    /// The table, with a line feed at its end.
    pub fn render(&self, runs: &[CommandRun]) -> Result<String, Gap> {
        Ok(match self {
            Part::Steps { steps, figures } => {
                let outputs = steps.iter().map(|step| run(runs, step)).collect::<Result<Vec<_>, _>>()?;
                let row = |figure: &Figure| {
                    let cells = outputs.iter().map(|run| figure.read(&run.output, &run.label));
                    std::iter::once(Ok(figure.title.to_string())).chain(cells).collect()
                };
                let titles = std::iter::once(&"").chain(*steps).copied();
                table(titles, &figures.iter().map(row).collect::<Result<Vec<_>, _>>()?)
            }
            Part::Items { step, at, figures } => {
                let items = pointed(run(runs, step)?, at)?.as_array().ok_or_else(|| gap(step, at))?;
                let row = |item: &Value| figures.iter().map(|figure| figure.read(item, step)).collect();
                let titles = figures.iter().map(|figure| figure.title);
                table(titles, &items.iter().map(row).collect::<Result<Vec<_>, _>>()?)
            }
            Part::Entries { step, at, titles } => {
                let entries = pointed(run(runs, step)?, at)?.as_object().ok_or_else(|| gap(step, at))?;
                let row = |(key, value): (&String, &Value)| {
                    let count = value.as_f64().ok_or_else(|| gap(step, at))?;
                    Ok(vec![key.clone(), Unit::Count.write(count)])
                };
                table(titles.iter().copied(), &entries.iter().map(row).collect::<Result<Vec<_>, _>>()?)
            }
        })
    }
}

fn gap(step: &str, at: &str) -> Gap {
    Gap::Figure { step: step.to_string(), at: at.to_string() }
}

fn run<'r>(runs: &'r [CommandRun], label: &str) -> Result<&'r CommandRun, Gap> {
    runs.iter().find(|run| run.label == label).ok_or_else(|| Gap::Step(label.to_string()))
}

fn pointed<'r>(run: &'r CommandRun, at: &str) -> Result<&'r Value, Gap> {
    run.output.pointer(at).ok_or_else(|| gap(&run.label, at))
}

impl Figure {
    /// The formatted figure from the output of `step`.
    fn read(&self, output: &Value, step: &str) -> Result<String, Gap> {
        let number = |at: &str| output.pointer(at).and_then(Value::as_f64).ok_or_else(|| gap(step, at));
        let number = match (&self.at, &self.unit) {
            (At::Key(at), Unit::Text) => {
                let text = output.pointer(at).and_then(Value::as_str).ok_or_else(|| gap(step, at))?;
                return Ok(text.replace('|', "\\|"));
            }
            (At::Key(at), _) => number(at)?,
            (At::Per(count, of), _) => number(count)? / number(of)?,
            (At::Less(from, less), _) => number(from)? - number(less)?,
        };
        // A division by zero.
        number.is_finite().then(|| self.unit.write(number)).ok_or_else(|| gap(step, self.title))
    }
}

impl Unit {
    fn write(&self, number: f64) -> String {
        match *self {
            Unit::Text | Unit::Count => grouped(&format!("{number:.0}")),
            Unit::Decimal(digits) => format!("{number:.digits$}"),
            Unit::Percent(digits) => format!("{:.digits$}%", 100.0 * number),
            Unit::Megabytes => format!("{:.1} MB", number / 1e6),
        }
    }
}

/// Digits with a comma between thousands: `12,857,017`.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join(","))
}

/// A Markdown table: names in the first column, figures to the right in the others.
fn table<'t>(titles: impl Iterator<Item = &'t str>, rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles: Vec<String> = titles.map(str::to_string).collect();
    let rule = format!("|---|{}\n", "---:|".repeat(titles.len().saturating_sub(1)));
    line(&titles) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ran(label: &str, output: Value) -> CommandRun {
        CommandRun { label: label.to_string(), command: "true".to_string(), status: 0, seconds: 1.0, output }
    }

    #[test]
    fn figures_are_written_by_their_units() {
        let output = json!({"n": 12857017, "small": 7, "s": 0.25, "name": "a|b", "zero": 0, "less": -1234.4});
        let written = |at: At, unit: Unit| Figure { title: "figure", at, unit }.read(&output, "step");
        assert_eq!(written(At::Key("/n"), Unit::Count).unwrap(), "12,857,017");
        assert_eq!(written(At::Key("/small"), Unit::Count).unwrap(), "7");
        assert_eq!(written(At::Key("/less"), Unit::Count).unwrap(), "-1,234");
        assert_eq!(written(At::Per("/n", "/s"), Unit::Count).unwrap(), "51,428,068");
        assert_eq!(written(At::Less("/n", "/small"), Unit::Count).unwrap(), "12,857,010");
        assert_eq!(written(At::Key("/s"), Unit::Percent(1)).unwrap(), "25.0%");
        assert_eq!(written(At::Key("/s"), Unit::Decimal(3)).unwrap(), "0.250");
        assert_eq!(written(At::Key("/n"), Unit::Megabytes).unwrap(), "12.9 MB");
        assert_eq!(written(At::Key("/name"), Unit::Text).unwrap(), "a\\|b");
        // A missing figure, one of another type, and a division by zero are errors, not a blank or a zero.
        for (at, unit) in [
            (At::Key("/gone"), Unit::Count),
            (At::Key("/name"), Unit::Count),
            (At::Key("/n"), Unit::Text),
            (At::Per("/n", "/zero"), Unit::Count),
        ] {
            assert!(written(at, unit).is_err());
        }
    }

    #[test]
    fn parts_are_tables() {
        let runs = [
            ran("cold", json!({"n": 1, "rows": [{"name": "x", "n": 2}], "by": {"z3": 3}})),
            ran("kept", json!({"n": 4000})),
        ];
        let rendered = |part: Part| part.render(&runs);
        const N: &[Figure] = &[count("programs", "/n")];
        const NAMED: &[Figure] = &[text("name", "/name"), count("programs", "/n")];
        let steps = Part::Steps { steps: &["cold", "kept"], figures: N };
        assert_eq!(rendered(steps).unwrap(), "|  | cold | kept |\n|---|---:|---:|\n| programs | 1 | 4,000 |\n");
        let items = Part::Items { step: "cold", at: "/rows", figures: NAMED };
        assert_eq!(rendered(items).unwrap(), "| name | programs |\n|---|---:|\n| x | 2 |\n");
        let entries = Part::Entries { step: "cold", at: "/by", titles: ["engine", "first"] };
        assert_eq!(rendered(entries).unwrap(), "| engine | first |\n|---|---:|\n| z3 | 3 |\n");
        let gone = Part::Steps { steps: &["cold", "warm"], figures: N };
        assert_eq!(rendered(gone), Err(Gap::Step("warm".to_string())));
        assert_eq!(rendered(Part::Items { step: "kept", at: "/rows", figures: N }), Err(gap("kept", "/rows")));
    }
}
