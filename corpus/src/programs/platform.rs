//! A machine as the tools name it: flags of clang, llc, this backend and the linker, QEMU, and the libraries.
//!
//! Invariant: all of it is data, in `machines.json` of the folder of programs; no name of a target stands here.

use super::ProgramError;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A row of `machines.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Its name in reports.
    pub name: String,
    /// The target's name, as this backend has it.
    pub target: String,
    /// Flags of clang.
    pub clang: Vec<String>,
    /// Flags of llc.
    pub llc: Vec<String>,
    /// Flags of `tribunal compile`.
    pub tribunal: Vec<String>,
    /// The emulator and its flags.
    pub qemu: Vec<String>,
    /// Flags of the linker.
    pub linker: Vec<String>,
    /// The folder of the C library, if there is one.
    #[serde(default)]
    pub library: Option<PathBuf>,
    /// The folder whose folders are versions of the compiler's library.
    #[serde(default)]
    pub compiler_library: Option<PathBuf>,
    /// The folder of this machine's variant in there.
    #[serde(default)]
    pub variant: PathBuf,
    /// Our runtime in the place of a C library, from the folder of programs.
    #[serde(default)]
    pub runtime: Vec<PathBuf>,
    /// Folders of headers in the place of the C library's and csmith's, from the folder of programs.
    #[serde(default)]
    pub headers: Vec<PathBuf>,
    /// Words that a program may require and that this machine lacks.
    pub lacks: Vec<String>,
}

impl Platform {
    /// The table of the folder.
    pub fn all(folder: &Path) -> Result<Vec<Platform>, ProgramError> {
        let path = folder.join("machines.json");
        let text = std::fs::read_to_string(&path).map_err(ProgramError::file(&path))?;
        serde_json::from_str(&text).map_err(|error| ProgramError::Table { path, message: error.to_string() })
    }

    /// The folders in which the linker looks for libraries and for the files of the start.
    pub fn library_folders(&self) -> Vec<PathBuf> {
        let newest = self.compiler_library.as_deref().and_then(newest_version);
        self.library.clone().into_iter().chain(newest.map(|newest| newest.join(&self.variant))).collect()
    }

    /// Headers of the C library.
    pub fn library_headers(&self) -> Option<PathBuf> {
        Some(self.library.as_ref()?.parent()?.join("include"))
    }
}

/// The folder whose name is the greatest version: `12`, or `12.2.0`.
fn newest_version(folder: &Path) -> Option<PathBuf> {
    let paths = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let version = |path: &Path| -> Option<Vec<u32>> {
        path.file_name()?.to_str()?.split('.').map(|number| number.parse().ok()).collect()
    };
    let versions = paths.filter_map(|path| Some((version(&path)?, path)));
    Some(versions.max()?.1)
}
