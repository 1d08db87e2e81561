//! Known faults of the other compiler: a list in TOML, whose findings a campaign counts and sets aside.
//!
//! Each fault names its signatures as reports print them, says what it is, and names a reduced case beside the list. A
//! case that no longer shows a signature says so: the compiler was mended, or a judge no longer sees it.

use super::backend::{OptLevel, PeerBackend, PeerMode};
use super::families::PeerFinding;
use super::{PeerError, examine};
use serde::Deserialize;
use std::path::Path;
use tribunal_ir::{Module, text};

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFault {
    /// The signatures of its families; a `*` stands for any text.
    pub signatures: Vec<String>,
    /// A sentence that says what it is.
    pub what: String,
    /// The file of the reduced case, from the folder of the list.
    pub case: String,
    /// Why it is a fault of the compiler.
    pub argument: String,
    /// Its issue in the compiler's own list, if it has one.
    pub issue: Option<String>,
}

/// The list; empty by default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFaults {
    /// The faults in the order of the file.
    #[serde(default, rename = "fault")]
    pub faults: Vec<KnownFault>,
}

impl KnownFaults {
    /// Reads a list.
    ///
    /// # Errors
    /// In words, with the place: it is no list of faults, or two of them have one signature.
    pub fn read(text: &str) -> Result<KnownFaults, String> {
        let known: KnownFaults = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut signatures: Vec<&String> = known.faults.iter().flat_map(|fault| &fault.signatures).collect();
        signatures.sort_unstable();
        match signatures.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("two faults have the signature `{}`", pair[0])),
            None => Ok(known),
        }
    }

    /// The index of the fault that a finding shows.
    pub fn index_of(&self, finding: &PeerFinding) -> Option<usize> {
        self.faults.iter().position(|fault| fault.shows(finding))
    }
}

impl KnownFault {
    /// Whether a finding has one of its signatures.
    fn shows(&self, finding: &PeerFinding) -> bool {
        let family = finding.family();
        self.signatures.iter().any(|signature| matches(signature, &family))
    }

    /// Whether its case in this folder still shows it, at one level of effort at least.
    ///
    /// # Errors
    /// The case is not read, or names no machine; the compiler does not start.
    pub fn still_shows(&self, backend: &dyn PeerBackend, folder: &Path, scratch: &Path) -> Result<bool, PeerError> {
        let path = folder.join(&self.case);
        let setup = |error: String| PeerError::Setup(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| setup(error.to_string()))?;
        let (mode, module) = case(&text).map_err(setup)?;
        for level in OptLevel::ALL {
            for function in &module.functions {
                let report = examine(backend, PeerMode { level, ..mode }, function, scratch)?;
                if report.findings.iter().any(|finding| self.shows(finding)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether a text is of this form, in which a `*` stands for any.
fn matches(form: &str, text: &str) -> bool {
    let Some((start, rest)) = form.split_once('*') else { return form == text };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let within = text.strip_prefix(start).and_then(|text| text.strip_suffix(end));
    // The earliest place of each part leaves most to those behind it.
    let after = |text: &str, part: &str| text.find(part).map(|at| text[at + part.len()..].to_string());
    within.is_some_and(|text| middle.split('*').try_fold(text.to_string(), |text, part| after(&text, part)).is_some())
}

/// The module of a case and the machine that its comments name.
fn case(text: &str) -> Result<(PeerMode, Module), String> {
    let named = |key: &str| {
        let lines = text.lines().take_while(|line| line.starts_with('#'));
        let mut values = lines.filter_map(|line| line.trim_start_matches('#').trim().strip_prefix(key));
        values.find_map(|rest| rest.strip_prefix(':')).map(str::trim)
    };
    let target = named("target").and_then(tribunal_target::by_name).ok_or("its comments name no target")?;
    let module = text::parse_module(text, target.vocabulary).map_err(|error| error.message)?;
    let features = named("features").map(|names| target.features(names)).transpose();
    let features = features.map_err(|name| format!("unknown feature `{name}`"))?.unwrap_or(target.default_features);
    Ok((PeerMode { target, features, level: OptLevel::O0 }, module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asterisk_stands_for_any_text() {
        assert!(matches("crash: *: too small: *", "crash: regbankselect: too small: G_ADD"));
        assert!(matches("crash", "crash") && matches("a*", "a") && matches("*b", "ab"));
        assert!(matches("a*b*c", "a1b2b3c") && !matches("a*b*c", "acbc2") && !matches("ab*b", "ab"));
        assert!(!matches("crash: *: too small", "crash: x: too small: y") && !matches("a", "ab"));
    }
}
