//! Every `.mir` file under `corpus/run`, `corpus/real` and `corpus/bugs` is a test of its own.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

/// Folders of cases that must pass, and the fewest files in each: an empty folder is a broken checkout, not a success.
const FOLDERS: [(&str, usize); 3] = [("run", 140), ("real", 81), ("bugs", 2)];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for (folder, fewest) in FOLDERS {
        let files = files(&root.join(folder));
        let count = files.len();
        trials.push(Trial::test(format!("{folder} has its cases"), move || match count >= fewest {
            true => Ok(()),
            false => Err(Failed::from(format!("{count} files, at least {fewest} expected"))),
        }));
        for path in files {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            trials.push(Trial::test(name, move || tribunal_corpus::run(&path).map_err(Failed::from)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
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
