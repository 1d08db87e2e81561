//! Proofs kept between runs: the flags that name the store, and the proofs that one run reads and adds.

use crate::input::{self, CliError};
use crate::output::complain;
use crate::store::Store;
use clap::Args;
use std::path::PathBuf;
use tribunal_trial::harness::ProofCache;
use tribunal_verifier::prover::solver_version;

/// Where proofs are kept.
#[derive(Args, Clone, Debug)]
pub struct CacheFlags {
    /// Keep proofs in this folder and look steps up in it; in the user's cache folder if left out. Proofs of another
    /// build or another solver are not looked up.
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Prove every step anew, and keep no proofs.
    #[arg(long)]
    no_cache: bool,
}

/// The proofs of earlier runs, and the store for this run's.
pub struct Kept {
    pub proofs: ProofCache,
    place: Option<Place>,
}

struct Place {
    store: Store,
    /// A hash of the running program.
    program: String,
    /// A folder that was asked for must work.
    named: bool,
}

impl CacheFlags {
    /// Reads the proofs of earlier runs. Without `--cache`, a folder that does not work costs the proofs only; one that
    /// was named and does not work is an error now, before the long work.
    pub fn open(&self) -> Result<Kept, CliError> {
        let kept = |place| Kept { proofs: ProofCache::default(), place };
        if self.no_cache {
            return Ok(kept(None));
        }
        let (Some(folder), Some(program)) = (self.cache.clone().or_else(usual_folder), program()) else {
            return Ok(kept(None));
        };
        let named = self.cache.is_some();
        let kept = kept(Some(Place { store: Store::in_folder(&folder), program, named }));
        match input::make_folder(&folder).and_then(|()| kept.load()) {
            Err(error) if named => Err(error),
            _ => Ok(kept),
        }
    }
}

impl Kept {
    fn load(&self) -> Result<(), CliError> {
        let Some(place) = &self.place else { return Ok(()) };
        for segment in place.store.load(&place.prover()).map_err(|source| place.failed(source))? {
            // A segment that is damaged, or of another prover, counts as none.
            let _ = self.proofs.add_bytes(&segment, &place.program);
        }
        Ok(())
    }

    /// Adds the proofs that were made since the last call. Without `--cache`, a folder that does not work is a warning.
    pub fn save(&self) -> Result<(), CliError> {
        let Some(place) = &self.place else { return Ok(()) };
        let Some(unsaved) = self.proofs.take_unsaved(&place.program) else { return Ok(()) };
        let merge = |segments: &[Vec<u8>]| {
            let all = ProofCache::default();
            segments.iter().for_each(|segment| _ = all.add_bytes(segment, &place.program));
            all.to_bytes(&place.program)
        };
        match place.store.add(&place.prover(), &unsaved.bytes, merge) {
            Ok(()) => Ok(()),
            Err(source) => {
                self.proofs.put_back(unsaved);
                let error = place.failed(source);
                if place.named {
                    return Err(error);
                }
                complain!("warning: proofs are not kept: {error}");
                Ok(())
            }
        }
    }
}

impl Place {
    fn prover(&self) -> String {
        prover(&self.program)
    }

    fn failed(&self, source: redb::Error) -> CliError {
        CliError::Store { path: self.store.path().to_path_buf(), source }
    }
}

/// The name under which a program keeps its proofs.
fn prover(program: &str) -> String {
    format!("{program} {}", solver_version())
}

/// The running program's name there, if the program can be read.
pub fn this_prover() -> Option<String> {
    program().map(|program| prover(&program))
}

/// `$XDG_CACHE_HOME/tribunal`, or `~/.cache/tribunal`.
pub fn usual_folder() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(folder.join("tribunal"))
}

/// A hash of the running program.
fn program() -> Option<String> {
    let bytes = std::fs::read(std::env::current_exe().ok()?).ok()?;
    Some(blake3::hash(&bytes).to_hex().to_string())
}
