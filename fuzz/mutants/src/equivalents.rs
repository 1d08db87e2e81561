//! The list of faults that change no behaviour that a program can show, each with its argument.
//!
//! A line names the fault as the tool prints it, and the lines that follow, indented, say why nobody can see it. The
//! list only grows: an entry whose code is gone is harmless.

use crate::MutantsError;
use crate::site::MutationSite;
use std::collections::BTreeMap;
use std::path::Path;

/// Faults shown equivalent, with their arguments.
#[derive(Default)]
pub struct Equivalents(BTreeMap<String, String>);

impl Equivalents {
    /// Reads the list.
    pub fn read(path: &Path) -> Result<Equivalents, MutantsError> {
        let text = std::fs::read_to_string(path).map_err(MutantsError::at(path))?;
        let mut found: Vec<(String, String, usize)> = Vec::new();
        let wrong = |line, message| MutantsError::Equivalents { path: path.to_path_buf(), line, message };
        for (number, line) in (1..).zip(text.lines()) {
            match (line.strip_prefix("    "), found.last_mut()) {
                _ if line.trim().is_empty() || line.starts_with('#') => {}
                (Some(argument), Some((_, whole, _))) => {
                    let gap = if whole.is_empty() { "" } else { " " };
                    whole.extend([gap, argument]);
                }
                (Some(_), None) => return Err(wrong(number, "an argument without a fault")),
                (None, _) if line.split(" | ").count() >= 5 => found.push((line.to_string(), String::new(), number)),
                (None, _) => return Err(wrong(number, "not `file | item | operator | before | after`")),
            }
        }
        match found.iter().find(|(_, argument, _)| argument.is_empty()) {
            Some(&(.., number)) => Err(wrong(number, "a fault without its argument")),
            None => Ok(Equivalents(found.into_iter().map(|(key, argument, _)| (key, argument)).collect())),
        }
    }

    /// The argument for this fault, if it is in the list.
    pub fn argument(&self, site: &MutationSite) -> Option<&str> {
        self.0.get(&site.key()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::SourceTexts;
    use std::collections::BTreeSet;

    fn read(text: &str) -> Result<Equivalents, MutantsError> {
        let file = tempfile::NamedTempFile::new().expect("a file for the list");
        std::fs::write(file.path(), text).expect("the list is written");
        Equivalents::read(file.path())
    }

    #[test]
    fn an_entry_has_five_parts_and_an_argument() {
        assert_eq!(read("# none\na.rs | f | op | x | y\n    It is dead.\n").expect("is well formed").0.len(), 1);
        for (text, line) in
            [("    It is dead.\n", 1), ("a.rs | f\n    It is dead.\n", 1), ("\na.rs | f | o | x | y\n", 2)]
        {
            let Err(MutantsError::Equivalents { line: found, .. }) = read(text) else { panic!("{text} was read") };
            assert_eq!(found, line);
        }
    }

    fn committed() -> Equivalents {
        Equivalents::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("equivalent.txt")).expect("the list is read")
    }

    /// Each argument with a number is for a place that there is.
    #[test]
    fn numbers_are_of_places_that_read_alike() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let sites = SourceTexts::read(&root).and_then(|sources| sources.sites()).expect("the sources are read");
        let keys: BTreeSet<String> = sites.iter().map(MutationSite::key).collect();
        let is_numbered = |key: &&String| key.rsplit(" | ").next().is_some_and(|last| last.contains(" of "));
        let list = committed();
        let gone: Vec<&String> = list.0.keys().filter(is_numbered).filter(|key| !keys.contains(*key)).collect();
        assert!(gone.is_empty(), "{gone:#?}");
    }
}
