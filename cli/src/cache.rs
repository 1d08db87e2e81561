//! Proofs kept between runs: one file in a folder, for this program only.

use crate::input::{self, CliError};
use crate::output::complain;
use clap::Args;
use std::path::{Path, PathBuf};
use tribunal_fuzz::harness::ProofCache;

/// Where proofs are kept.
#[derive(Args, Clone, Debug)]
pub struct CacheFlags {
    /// Keep proofs in this folder and look steps up in it; in the user's cache folder if left out. Proofs of another build or
    /// another solver are not looked up.
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Prove every step anew, and keep no proofs.
    #[arg(long)]
    no_cache: bool,
}

/// The proofs of earlier runs, and where this run's go.
pub struct Kept {
    pub proofs: ProofCache,
    place: Option<Place>,
}

struct Place {
    file: PathBuf,
    /// A hash of the running program.
    program: String,
    /// A folder that was asked for must work.
    named: bool,
    /// Proofs read.
    read: usize,
}

impl CacheFlags {
    /// Reads what earlier runs proved. A file that is not ours, or is damaged, counts as none; a folder that was named
    /// and cannot be made is an error now, before the long work.
    pub fn open(&self) -> Result<Kept, CliError> {
        let proofs = ProofCache::default();
        if let Some(named) = &self.cache {
            input::make_folder(named)?;
        }
        let folder = self.cache.clone().or_else(|| (!self.no_cache).then(usual_folder)?);
        let place = folder.and_then(|folder| {
            let (file, program) = (folder.join("proofs"), program()?);
            let read = std::fs::read(&file).ok().and_then(|bytes| proofs.add_bytes(&bytes, &program)).unwrap_or(0);
            Some(Place { file, program, named: self.cache.is_some(), read })
        });
        Ok(Kept { proofs, place })
    }
}

impl Kept {
    /// Writes what is proved now, if there is more of it than was read.
    pub fn save(&self) -> Result<(), CliError> {
        let Some(place) = self.place.as_ref().filter(|place| self.proofs.len() > place.read) else { return Ok(()) };
        let folder = place.file.parent().unwrap_or(Path::new("."));
        let written =
            input::make_folder(folder).and_then(|()| input::write(&place.file, &self.proofs.to_bytes(&place.program)));
        match written {
            Err(error) if !place.named => {
                complain!("warning: proofs are not kept: {error}");
                Ok(())
            }
            written => written,
        }
    }
}

/// `$XDG_CACHE_HOME/tribunal`, or `~/.cache/tribunal`.
pub fn usual_folder() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(folder.join("tribunal"))
}

fn program() -> Option<String> {
    let bytes = std::fs::read(std::env::current_exe().ok()?).ok()?;
    Some(blake3::hash(&bytes).to_hex().to_string())
}
