//! A campaign's corpus: a folder of MIR text that it starts from, mutates, and adds to what reached something new.
//!
//! Text outlives the generator: a file means the same program to every version.

use crate::edit;
use crate::harness::Harness;
use crate::mutate::{self, WIDEST};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tribunal_ir::text::{self, ParseError};
use tribunal_ir::{Function, Module};
use tribunal_target::{Features, Target};
use tribunal_verifier::machine_verifier;

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("{path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}: {error}", path = path.display())]
    Parse { path: PathBuf, text: String, error: ParseError },
}

/// Something that a campaign can reach.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// A rule fired.
    Rule(&'static str),
}

/// What a campaign has reached. The one place to extend: add a kind of feature, and say here when it is reached.
#[derive(Default)]
pub struct Coverage {
    reached: FxHashSet<Feature>,
}

impl Coverage {
    /// Adds what `harness` has reached so far; how many features are new.
    pub fn add(&mut self, harness: &Harness) -> usize {
        harness.rules_fired().map(Feature::Rule).filter(|&feature| self.reached.insert(feature)).count()
    }
}

/// Of one target.
#[derive(Default)]
struct Programs {
    functions: Vec<Function>,
    /// How many of them have been handed out as they are.
    started: usize,
}

struct State {
    /// By the target's name.
    programs: FxHashMap<&'static str, Programs>,
    coverage: Coverage,
    added: u64,
    /// Why the last program was not written.
    unwritten: Option<String>,
}

/// The programs, and what they have reached.
pub struct Corpus {
    folder: PathBuf,
    state: Mutex<State>,
    /// Functions read.
    pub read: u64,
    /// Functions set aside: of other targets, not accepted by the verifier, or of instructions that no mutator knows.
    pub set_aside: u64,
}

/// Edits of one mutant at most.
const EDITS: usize = 6;

impl Corpus {
    /// Reads every `.mir` file of the folder, which need not be there yet, for these targets.
    pub fn open(folder: &Path, targets: &[(&'static Target, Features)]) -> Result<Corpus, CorpusError> {
        let state = State { programs: FxHashMap::default(), coverage: Coverage::default(), added: 0, unwritten: None };
        let mut corpus = Corpus { folder: folder.to_path_buf(), state: Mutex::new(state), read: 0, set_aside: 0 };
        for path in files(folder)? {
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
        for function in module.functions {
            let mutable = edit::is_supported(&function, target, WIDEST)
                && function.all_insts().count() <= mutate::MOST_INSTRUCTIONS
                && machine_verifier::verify(&function, target, (target.legality)(features)).is_empty();
            match mutable {
                true => {
                    self.read += 1;
                    self.lock().programs.entry(target.name).or_default().functions.push(function);
                }
                false => self.set_aside += 1,
            }
        }
    }

    /// What stands behind a panic is whole: every change is one step.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program of the corpus that was not run yet, or most of the time a mutant; `None` where a new one is wanted.
    pub fn next(&self, target: &'static Target, seed: u64) -> Option<Function> {
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut function, other) = {
            let mut state = self.lock();
            let programs = state.programs.get_mut(target.name)?;
            if let Some(function) = programs.functions.get(programs.started) {
                programs.started += 1;
                return Some(function.clone());
            }
            if random.random_ratio(1, 4) {
                return None;
            }
            (programs.functions.choose(&mut random)?.clone(), programs.functions.choose(&mut random)?.clone())
        };
        let count = random.random_range(1..=EDITS);
        mutate::mutate(&mut function, Some(&other), target, count, &mut random);
        edit::compact(&function, target)
    }

    /// Keeps `function`, which was just judged, if something was reached that nothing had reached before. True if it was.
    pub fn keep(&self, function: &Function, harness: &Harness) -> bool {
        let mut state = self.lock();
        if state.coverage.add(harness) == 0 {
            return false;
        }
        let target = harness.target();
        let programs = state.programs.entry(target.name).or_default();
        // One that came from the corpus is there already.
        let known = programs.functions[..programs.started].iter().any(|known| same(known, function, target));
        if known {
            return false;
        }
        // Its turn has been.
        programs.functions.insert(programs.started, function.clone());
        programs.started += 1;
        state.added += 1;
        if let Err(error) = self.write(function, target) {
            state.unwritten = Some(error.to_string());
        }
        true
    }

    fn write(&self, function: &Function, target: &Target) -> std::io::Result<()> {
        let module =
            Module { comments: vec![format!("target: {}", target.name)], ir: None, functions: vec![function.clone()] };
        let text = text::print_module(&module, target.vocabulary);
        let mut hasher = FxHasher::default();
        hasher.write(text.as_bytes());
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(self.folder.join(format!("{}-{:016x}.mir", target.name, hasher.finish())), text)
    }

    /// Programs added, and why the last one was not written if it was not.
    pub fn added(&self) -> (u64, Option<String>) {
        let state = self.lock();
        (state.added, state.unwritten.clone())
    }
}

fn same(one: &Function, other: &Function, target: &Target) -> bool {
    let text = |function| text::print_function(function, target.vocabulary);
    one.all_insts().count() == other.all_insts().count() && text(one) == text(other)
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
