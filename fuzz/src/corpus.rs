//! A campaign's corpus: a folder of MIR text. The campaign starts from it, mutates it, and adds programs that reach new
//! features.
//!
//! Text outlives the generator: a file means the same program to every version. The number of features (`features.rs`)
//! bounds the corpus: a program stays roughly as long as it is the smallest for one of them.

use crate::edit;
use crate::generator;
use crate::mutate::{self, WIDEST};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::{BTreeMap, VecDeque};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tribunal_ir::text::{self, ParseError};
use tribunal_ir::{Function, Module};
use tribunal_target::{Features, Target};
use tribunal_trial::features::SLOTS;
use tribunal_trial::harness::Harness;
use tribunal_verifier::machine_verifier;

/// The reason why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The folder or a file in it cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file is not MIR.
    #[error("{path}: {error}", path = path.display())]
    Parse {
        /// Its path.
        path: PathBuf,
        /// Its contents.
        text: String,
        /// The place and the fault.
        error: ParseError,
    },
}

/// A program to judge.
pub struct Drawn {
    /// The program.
    pub function: Function,
    /// It stands in the folder as it is.
    pub is_read: bool,
}

/// A program that is kept, and mutated.
struct Program {
    id: u32,
    function: Function,
    /// Its file, if this run wrote it; files that were read stay.
    file: Option<PathBuf>,
    /// The number of features for which it is the smallest.
    holds: u32,
}

/// The programs of one target.
#[derive(Default)]
struct Programs {
    /// Read, and not run yet.
    waiting: VecDeque<Function>,
    kept: Vec<Program>,
}

/// The smallest program for a feature.
#[derive(Clone, Copy)]
struct Holder {
    id: u32,
    /// In instructions.
    size: u32,
}

/// Nothing has reached the feature.
const NONE: Holder = Holder { id: u32::MAX, size: u32::MAX };

struct State {
    /// By the target's name.
    programs: FxHashMap<&'static str, Programs>,
    holders: Vec<Holder>,
    /// Of the next program.
    id: u32,
    added: u64,
    replaced: u64,
    /// The reason why the last program was not written.
    unwritten: Option<String>,
}

/// The programs, and the features that they reach.
pub struct Corpus {
    folder: PathBuf,
    state: Mutex<State>,
    /// Functions read.
    pub read: u64,
    /// Functions set aside: of other targets, not accepted by the verifier, or of instructions that no mutator knows.
    pub set_aside: u64,
    /// Of those, functions that were not read: the unknown names in them, with their counts.
    pub unknown: BTreeMap<String, u64>,
}

/// The growth of a corpus in a campaign.
pub struct Growth {
    /// Programs that reached a new feature.
    pub added: u64,
    /// Of those, evicted because smaller programs reach the same features.
    pub replaced: u64,
    /// The reason why the last program was not written, if it was not.
    pub unwritten: Option<String>,
}

/// Edits of one mutant at most.
const EDITS: usize = 6;

impl Corpus {
    /// Reads every `.mir` file of the folder, which need not be there yet, for these targets.
    pub fn open(folder: &Path, targets: &[(&'static Target, Features)]) -> Result<Corpus, CorpusError> {
        let (programs, holders) = (FxHashMap::default(), vec![NONE; SLOTS]);
        let state = State { programs, holders, id: 0, added: 0, replaced: 0, unwritten: None };
        let (folder, state) = (folder.to_path_buf(), Mutex::new(state));
        let mut corpus = Corpus { folder, state, read: 0, set_aside: 0, unknown: BTreeMap::new() };
        for path in files(&corpus.folder)? {
            let read = |source| CorpusError::Read { path: path.clone(), source };
            let source = std::fs::read_to_string(&path).map_err(read)?;
            let name = text::architecture(&source);
            let target = targets.iter().find(|(target, _)| name.as_deref() == Some(target.name));
            let Some(&(target, features)) = target else {
                corpus.set_aside += 1;
                continue;
            };
            match text::parse_module(&source, target.vocabulary) {
                Ok(module) => corpus.admit(target, features, module),
                Err(error) => return Err(CorpusError::Parse { path, text: source, error }),
            }
        }
        Ok(corpus)
    }

    fn admit(&mut self, target: &'static Target, features: Features, module: Module) {
        for unread in module.unread {
            self.set_aside += 1;
            *self.unknown.entry(unread.unknown.to_string()).or_default() += 1;
        }
        for function in module.functions {
            let mutable = edit::is_supported(&function, target, WIDEST)
                && function.all_insts().count() <= mutate::MOST_INSTRUCTIONS
                && machine_verifier::verify(&function, target, (target.legality)(features)).is_empty();
            match mutable {
                true => {
                    self.read += 1;
                    self.lock().programs.entry(target.name).or_default().waiting.push_back(function);
                }
                false => self.set_aside += 1,
            }
        }
    }

    /// The state after a panic is good enough: a count of features may be too high, so that a program stays.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program of the corpus that has not run yet, or else mostly a mutant; `None` where a new one is wanted.
    pub fn next(&self, target: &'static Target, seed: u64) -> Option<Drawn> {
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut function, other) = {
            let mut state = self.lock();
            let programs = state.programs.get_mut(target.name)?;
            if let Some(function) = programs.waiting.pop_front() {
                return Some(Drawn { function, is_read: true });
            }
            if random.random_ratio(1, 4) {
                return None;
            }
            let mut choose = || programs.kept.choose(&mut random).map(|program| program.function.clone());
            (choose()?, choose()?)
        };
        let count = random.random_range(1..=EDITS);
        mutate::mutate(&mut function, Some(&other), target, count, &mut random);
        edit::compact(&function, target).map(|function| Drawn { function, is_read: false })
    }

    /// Keeps `function`, which was just judged, if it reached a new feature, or is at most half as large as the
    /// smallest program so far for one. True if it is kept. One with instructions that no mutator knows is not: its
    /// mutants might need features that the target lacks.
    pub fn keep(&self, function: &Function, is_read: bool, harness: &Harness) -> bool {
        let target = harness.target();
        if !edit::is_supported(function, target, WIDEST) {
            return false;
        }
        let size = function.all_insts().count() as u32;
        let mut state = self.lock();
        let gained = |holder: &Holder| size <= holder.size / 2;
        let slots = harness.last_features().iter().map(|&slot| usize::from(slot));
        let slots: Vec<usize> = slots.filter(|&slot| gained(&state.holders[slot])).collect();
        if slots.is_empty() {
            return false;
        }
        let id = state.id;
        state.id += 1;
        let holds = slots.len() as u32;
        for slot in slots {
            let before = std::mem::replace(&mut state.holders[slot], Holder { id, size });
            state.release(before.id, target);
        }
        let mut program = Program { id, function: function.clone(), file: None, holds };
        if !is_read {
            match self.write(function, target) {
                Ok(file) => {
                    state.added += u64::from(file.is_some());
                    program.file = file;
                }
                Err(error) => state.unwritten = Some(error.to_string()),
            }
        }
        state.programs.entry(target.name).or_default().kept.push(program);
        true
    }

    /// Writes the program and returns its file; `None` if it is there already.
    fn write(&self, function: &Function, target: &Target) -> std::io::Result<Option<PathBuf>> {
        let module = Module {
            comments: vec![format!("target: {}", target.name)],
            ir: generator::block_of(function),
            functions: vec![function.clone()],
            ..Module::default()
        };
        let text = text::print_module(&module, target.vocabulary);
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(format!("{}-{:016x}.mir", target.name, hasher.finish()));
        if path.exists() {
            return Ok(None);
        }
        std::fs::write(&path, text)?;
        Ok(Some(path))
    }

    /// Its growth so far.
    pub fn growth(&self) -> Growth {
        let State { added, replaced, unwritten, .. } = &*self.lock();
        Growth { added: *added, replaced: *replaced, unwritten: unwritten.clone() }
    }
}

impl State {
    /// The program is the smallest for one feature less; after the last one it is evicted.
    fn release(&mut self, id: u32, target: &Target) {
        if id == NONE.id {
            return;
        }
        // A feature belongs to one target, except for hash collisions; the other target's program stays then.
        let Some(programs) = self.programs.get_mut(target.name) else { return };
        let Some(place) = programs.kept.iter().position(|program| program.id == id) else { return };
        let program = &mut programs.kept[place];
        program.holds -= 1;
        if program.holds > 0 {
            return;
        }
        if let Program { file: Some(path), .. } = programs.kept.swap_remove(place) {
            self.replaced += 1;
            if let Err(error) = std::fs::remove_file(&path) {
                self.unwritten = Some(format!("{}: {error}", path.display()));
            }
        }
    }
}

/// The MIR files of the folder, in order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let failed = |source| CorpusError::Read { path: folder.to_path_buf(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    files.retain(|path| path.extension().is_some_and(|end| end == "mir"));
    files.sort();
    Ok(files)
}
