//! Every pair under `corpus/validate` has its known verdict. Each file is a test of its own.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use tribunal_trial::pairs;

/// Files in each folder, one for each family of wrong pairs: a case that is lost is a failure.
const FOLDERS: [(&str, usize); 18] = [
    ("environment", 26),
    ("control-flow", 27),
    ("simulation", 56),
    ("facts", 5),
    ("identity", 44),
    ("division", 12),
    ("volatile", 15),
    ("lifetime", 4),
    ("tables", 46),
    ("calls", 36),
    ("promises", 82),
    ("signalling-nan", 4),
    ("undefined", 22),
    ("memory", 69),
    ("arithmetic", 29),
    ("selected", 153),
    ("threads", 46),
    ("vectors", 39),
];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/validate");
    let mut trials = Vec::new();
    for (folder, count) in FOLDERS {
        let files = files(&root.join(folder));
        let found = files.len();
        trials.push(Trial::test(format!("{folder} has its cases"), move || match found == count {
            true => Ok(()),
            false => Err(Failed::from(format!("{found} files, {count} expected"))),
        }));
        for path in files {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            trials.push(Trial::test(name, move || Ok(pairs::hold(&std::fs::read_to_string(&path)?)?)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The `.mir` files of `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "mir")).collect();
    files.sort();
    files
}
