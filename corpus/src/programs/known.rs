//! The programs that are known not to compile, with the reason: `unsupported.txt` of the folder.
//!
//! Invariant: the list is exact for what ran. A program that is listed and passes fails, so the list becomes shorter;
//! one that is not listed and does not pass fails too. A reason that changed is no failure: it is news of `BLESS=1`.

use super::ProgramError;
use super::verdict::{ProgramResult, ProgramVerdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Program, target, level.
type Key = (String, String, String);

/// The list.
#[derive(Clone, Default, Debug)]
pub struct KnownUnsupported(BTreeMap<Key, String>);

/// The place of the list.
pub fn path(folder: &Path) -> PathBuf {
    folder.join("unsupported.txt")
}

impl KnownUnsupported {
    /// Reads lines `NAME TARGET LEVEL...: REASON`; `#` starts a comment.
    pub fn read(folder: &Path) -> Result<KnownUnsupported, ProgramError> {
        let path = path(folder);
        let text = std::fs::read_to_string(&path).map_err(ProgramError::file(&path))?;
        let mut known = KnownUnsupported::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let table = || ProgramError::Table {
                path: path.clone(),
                message: format!("no `NAME TARGET LEVEL: REASON`: {line}"),
            };
            let (place, reason) = line.split_once(": ").ok_or_else(table)?;
            let mut words = place.split_whitespace().map(str::to_string);
            let (Some(name), Some(target)) = (words.next(), words.next()) else { return Err(table()) };
            for level in words {
                known.0.insert((name.clone(), target.clone(), level), reason.to_string());
            }
        }
        Ok(known)
    }

    /// The results that do not agree with the list, as lines.
    pub fn complaints(&self, results: &[ProgramResult]) -> Vec<String> {
        let complaint = |result: &ProgramResult| {
            let ProgramResult { program, target, level, verdict, .. } = result;
            let key = (program.clone(), target.clone(), level.clone());
            let place = format!("{program} {target} {level}");
            match (verdict, self.0.get(&key)) {
                (ProgramVerdict::Passed, None) | (ProgramVerdict::Unsupported(_), Some(_)) => None,
                (ProgramVerdict::Passed, Some(_)) => Some(format!("{place} passes: BLESS=1 takes it off the list")),
                (verdict, _) => {
                    let (word, reason) = verdict.words();
                    Some(format!("{place} is {word}: {reason}"))
                }
            }
        };
        results.iter().filter_map(complaint).collect()
    }

    /// The list with these results in the place of what it said about them. A wrong program stays off it.
    pub fn updated(mut self, results: &[ProgramResult]) -> KnownUnsupported {
        for ProgramResult { program, target, level, verdict, .. } in results {
            let key = (program.clone(), target.clone(), level.clone());
            match verdict {
                ProgramVerdict::Unsupported(reason) => self.0.insert(key, reason.clone()),
                _ => self.0.remove(&key),
            };
        }
        self
    }

    /// Writes the file: levels with one reason share a line.
    pub fn write(&self, folder: &Path) -> Result<(), ProgramError> {
        let mut lines: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
        for ((name, target, level), reason) in &self.0 {
            lines.entry((name, target, reason)).or_default().push(level);
        }
        let mut text =
            "# Programs that do not compile yet: NAME TARGET LEVEL...: the commonest reason of its functions.\n\
             # `BLESS=1 make programs` writes this file; the test of the programs holds it.\n"
                .to_string();
        for ((name, target, reason), levels) in lines {
            text.push_str(&format!("{name} {target} {}: {reason}\n", levels.join(" ")));
        }
        let path = path(folder);
        std::fs::write(&path, text).map_err(ProgramError::file(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::verdict::Functions;

    fn result(program: &str, verdict: ProgramVerdict) -> ProgramResult {
        let (target, level) = ("some".to_string(), "-O1".to_string());
        ProgramResult { program: program.to_string(), target, level, verdict, functions: Functions::default() }
    }

    #[test]
    fn the_list_is_exact_and_shrinks() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let refused = || ProgramVerdict::Unsupported("legalize: G_OPCODE".to_string());
        let first = KnownUnsupported::default().updated(&[result("a", refused()), result("b", ProgramVerdict::Passed)]);
        first.write(folder.path()).expect("the folder is writable");
        let known = KnownUnsupported::read(folder.path()).expect("it was just written");
        let complaints = |verdicts: [(&str, ProgramVerdict); 1]| {
            known.complaints(&verdicts.map(|(name, verdict)| result(name, verdict))).len()
        };
        assert_eq!(complaints([("a", refused())]), 0);
        assert_eq!(complaints([("b", ProgramVerdict::Passed)]), 0);
        assert_eq!(complaints([("a", ProgramVerdict::Passed)]), 1);
        assert_eq!(complaints([("b", refused())]), 1);
        assert_eq!(complaints([("a", ProgramVerdict::Wrong(String::new()))]), 1);
        assert_eq!(complaints([("a", ProgramVerdict::Refused(String::new()))]), 1);
    }
}
