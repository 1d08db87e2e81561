//! The copy of the workspace that holds the faults, and the places where they may stand.
//!
//! Invariant: a file of the copy is written only if its text changed, so that cargo builds again what has to be.

use crate::site::MutationSite;
use crate::weave::{Mutant, Woven, weave};
use crate::{MutantsError, layer, operators, tables};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The source of the switch.
const SWITCH: &str = include_str!("../switch.rs.txt");
/// The crate that has the switch, below all others.
const SWITCH_CRATE: &str = "backend/ir/";
/// Top-level names that the copy does without.
const LEFT: [&str; 3] = ["target", "fuzz-out", "docs"];
/// The program of the copy: under a name of its own, it may stand beside the product.
pub const PROGRAM: &str = "tribunal-mutant";

/// The files of the workspace as they were at one time, by path from the root.
pub struct SourceTexts {
    /// The root of the workspace.
    pub root: PathBuf,
    /// Those that faults may stand in.
    texts: BTreeMap<String, String>,
    /// The others, as the copy has them.
    others: BTreeMap<String, Vec<u8>>,
}

impl SourceTexts {
    /// Reads the workspace at `root`: its user may go on editing while the copy is built.
    pub fn read(root: &Path) -> Result<SourceTexts, MutantsError> {
        let (mut texts, mut others) = (BTreeMap::new(), BTreeMap::new());
        for file in files(root, &LEFT)? {
            let name = relative(root, &file);
            let bytes = std::fs::read(&file).map_err(MutantsError::at(&file))?;
            match String::from_utf8(bytes) {
                Ok(text) if layer::has_faults(&name) => _ = texts.insert(name, text),
                Ok(text) => _ = others.insert(name.clone(), adapted(&name, text).into_bytes()),
                Err(other) => _ = others.insert(name, other.into_bytes()),
            }
        }
        others.insert(format!("{SWITCH_CRATE}src/mutant.rs"), SWITCH.as_bytes().to_vec());
        Ok(SourceTexts { root: root.to_path_buf(), texts, others })
    }

    /// Every place in them where an operator applies.
    pub fn sites(&self) -> Result<Vec<MutationSite>, MutantsError> {
        let mut syntax = BTreeMap::new();
        let mut macros = tables::Macros::default();
        for (name, text) in &self.texts {
            let file = syn::parse_file(text).map_err(|error| MutantsError::Syntax {
                path: PathBuf::from(name),
                line: error.span().start().line,
                message: error.to_string(),
            })?;
            macros.read(&file);
            syntax.insert(name, file);
        }
        let mut sites = Vec::new();
        for (name, text) in &self.texts {
            sites.extend(operators::sites(name, text, &syntax[name]));
            sites.extend(tables::sites(name, text, &syntax[name], &macros));
        }
        MutationSite::number(&mut sites);
        Ok(sites)
    }
}

/// Takes a folder, which is made, for as long as the result lives: two runs in one would remove each other's files.
///
/// # Errors
/// Another run has it, or it cannot be made.
pub fn take(folder: &Path) -> Result<File, MutantsError> {
    std::fs::create_dir_all(folder).map_err(MutantsError::at(folder))?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(MutantsError::at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(MutantsError::Taken(folder.to_path_buf())),
        Err(TryLockError::Error(error)) => Err(MutantsError::at(path)(error)),
    }
}

/// The copy on disk.
pub struct Copy {
    /// Its root.
    pub root: PathBuf,
    /// The files with faults.
    pub woven: BTreeMap<String, Woven>,
}

impl Copy {
    /// Makes the copy, or brings it up to date, with these faults.
    pub fn write(sources: &SourceTexts, root: &Path, mutants: &[Mutant]) -> Result<Copy, MutantsError> {
        for (name, bytes) in &sources.others {
            put(&root.join(name), bytes)?;
        }
        let mut woven = BTreeMap::new();
        for (name, text) in &sources.texts {
            let here: Vec<Mutant> = mutants.iter().filter(|mutant| mutant.site.file == *name).cloned().collect();
            let switch = if name.starts_with(SWITCH_CRATE) { "crate::mutant" } else { "::tribunal_ir::mutant" };
            let file = weave(text, &here, switch);
            put(&root.join(name), file.text.as_bytes())?;
            woven.insert(name.clone(), file);
        }
        for old in files(root, &LEFT)? {
            let name = relative(root, &old);
            if !woven.contains_key(&name) && !sources.others.contains_key(&name) {
                std::fs::remove_file(&old).map_err(MutantsError::at(&old))?;
            }
        }
        Ok(Copy { root: root.to_path_buf(), woven })
    }
}

/// The changes that the copy needs whatever its faults are: the switch is a module, `main` reads it first, unsafe code
/// may write tables, and the program has its own name.
fn adapted(name: &str, text: String) -> String {
    match name {
        "Cargo.toml" => {
            text.replace("unsafe_code = \"forbid\"", "unsafe_code = \"allow\"").replace("\"deny\"", "\"allow\"")
        }
        "backend/ir/src/lib.rs" => text + "\npub mod mutant;\n",
        "cli/src/main.rs" => {
            text.replace("fn main() -> ExitCode {", "fn main() -> ExitCode {\n    tribunal_ir::mutant::start();")
        }
        "cli/Cargo.toml" => text + &format!("\n[[bin]]\nname = \"{PROGRAM}\"\npath = \"src/main.rs\"\n"),
        _ => text,
    }
}

/// Writes a file, unless it has this text.
fn put(path: &Path, bytes: &[u8]) -> Result<(), MutantsError> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(MutantsError::at(folder))?;
    }
    std::fs::write(path, bytes).map_err(MutantsError::at(path))
}

/// All files below a folder but those in the top-level folders `left`, and hidden ones.
fn files(folder: &Path, left: &[&str]) -> Result<Vec<PathBuf>, MutantsError> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).map_err(MutantsError::at(&next))? {
            let path = entry.map_err(MutantsError::at(&next))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with('.') || next == folder && left.contains(&name) {
                continue;
            }
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

fn relative(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn a_folder_has_one_run_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder for the runs");
        let first = take(folder.path()).expect("nobody has the folder");
        assert!(matches!(take(folder.path()), Err(MutantsError::Taken(path)) if path == folder.path()));
        drop(first);
        take(folder.path()).expect("the first run is over");
    }

    #[test]
    fn a_copy_of_this_workspace_with_faults_is_still_rust() {
        let sources = SourceTexts::read(&root()).expect("the sources are here");
        let sites = draw::order(sources.sites().expect("the sources are Rust"), 1);
        let mutants: Vec<Mutant> = (1..).zip(sites).take(1000).map(|(number, site)| Mutant { number, site }).collect();
        let folder = tempfile::tempdir().expect("a folder for the copy");
        let copy = Copy::write(&sources, folder.path(), &mutants).expect("the copy is written");
        let woven: usize = copy.woven.values().map(|file| file.places.len()).sum();
        assert_eq!(woven, 1000);
        for (name, file) in &copy.woven {
            let read = syn::parse_file(&file.text).map(|_| ());
            read.unwrap_or_else(|error| panic!("{name} is no Rust any more: {error} at {:?}", error.span().start()));
        }
        assert!(folder.path().join("backend/ir/src/mutant.rs").exists());
    }
}
