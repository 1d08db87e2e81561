//! Every `.mir` file under `corpus/run`, `corpus/real` and `corpus/bugs` runs, every one under a folder named as a pass
//! is golden; each is a test of its own. One more test holds the table of code sizes.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use tribunal_corpus::golden::{self, Mode};
use tribunal_corpus::{CaseError, sizes};
use tribunal_fuzz::costs;
use tribunal_fuzz::fixed_programs::programs;

/// Folders of cases that run, and how many files each has: a case that is lost is a failure, an added one a line here.
const RUN: [(&str, usize); 3] = [("run", 320), ("real", 135), ("bugs", 33)];

/// The same of golden cases: a folder for each pass, in the pipeline's order, and `emit`.
const GOLDEN: [(&str, usize); 8] = [
    ("legalize", 105),
    ("bank-select", 13),
    ("select", 61),
    ("split-edges", 9),
    ("allocate", 22),
    ("frame", 28),
    ("relax-branches", 9),
    ("emit", 27),
];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mode = Mode::from_environment();
    let mut trials = vec![Trial::test("every pass has golden cases", every_pass)];
    let mut sized = Vec::new();
    for (folder, count) in RUN {
        let files = add(&mut trials, root, folder, count, tribunal_corpus::run);
        sized.extend(files.into_iter().filter(|_| folder != "bugs"));
    }
    for (folder, count) in GOLDEN {
        add(&mut trials, root, folder, count, move |path| golden::run(path, mode));
    }
    trials.push(Trial::test("sizes.txt", move || {
        let table = sizes::table(root, &sized).map_err(Failed::from)?;
        golden::hold(&root.join("sizes.txt"), &table, mode).map_err(Failed::from)
    }));
    trials.push(Trial::test("costs.txt", move || {
        let measured = tribunal_target::ALL.iter().flat_map(|target| costs::measured(&programs(target), target));
        golden::hold(&root.join("costs.txt"), &costs::ledger(&measured.collect()), mode).map_err(Failed::from)
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test for each file of the folder, and one that holds their number. Returns the files.
fn add(
    trials: &mut Vec<Trial>,
    root: &Path,
    folder: &str,
    count: usize,
    run: impl Fn(&Path) -> Result<(), CaseError> + Copy + Send + 'static,
) -> Vec<PathBuf> {
    let files = files(&root.join(folder));
    let found = files.len();
    trials.push(Trial::test(format!("{folder} has its cases"), move || match found == count {
        true => Ok(()),
        false => Err(Failed::from(format!("{found} files, {count} expected"))),
    }));
    for path in &files {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let path = path.clone();
        trials.push(Trial::test(name, move || run(&path).map_err(Failed::from)));
    }
    files
}

/// The folders of golden cases are the passes of the pipeline, and `emit`.
fn every_pass() -> Result<(), Failed> {
    let passes = tribunal_codegen::pipeline::PIPELINE.iter().map(|pass| pass.name);
    match passes.chain(["emit"]).eq(GOLDEN.map(|(folder, _)| folder)) {
        true => Ok(()),
        false => Err(Failed::from("a pass has no folder, or a folder no pass")),
    }
}

/// The `.mir` files below `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let mut cases: Vec<PathBuf> =
        files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "mir")).collect();
    cases.extend(folders.iter().flat_map(|folder| self::files(folder)));
    cases.sort();
    cases
}
