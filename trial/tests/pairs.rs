//! Every file under `corpus/validate` holds two functions, `before` and `after`, and says in its head whether the
//! second refines the first: `# verdict: proved`, or `# verdict: wrong` for one that must not be `proved`. Of one that
//! is `refuted` an execution shows that it is wrong. A pair that is right must not be refuted either. Each file is a
//! test of its own.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use tribunal_ir::{Module, text};
use tribunal_target::Target;
use tribunal_trial::validate::{self, Kind, Setting};

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
    ("tables", 36),
    ("calls", 32),
    ("promises", 53),
    ("signalling-nan", 4),
    ("undefined", 22),
    ("memory", 69),
    ("arithmetic", 29),
    ("selected", 106),
    ("threads", 28),
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
            trials.push(Trial::test(name, move || judge(&path)));
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

fn judge(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let target = text::architecture(&text).and_then(|name| tribunal_target::by_name(&name)).ok_or("no target")?;
    let [before, after] = ["before", "after"].map(|name| alone(&text, target, name));
    let judged = validate::validate(&before?, &after?, target, Setting::default());
    let [judged] = judged.as_slice() else { return Err("a case holds one pair".into()) };
    let wanted = text.lines().find_map(|line| line.strip_prefix("# verdict: ")).ok_or("no verdict")?;
    match (wanted, &judged.kind) {
        ("proved", Kind::Proved)
        | ("refuted", Kind::Refuted(_))
        | ("wrong", Kind::Refuted(_) | Kind::Unknown(_) | Kind::Unsupported(_)) => Ok(()),
        (wanted, came) => Err(format!("{wanted} expected, {came:?}").into()),
    }
}

/// The function of this name alone, as `f`.
fn alone(text: &str, target: &Target, name: &str) -> Result<Module, Failed> {
    let mut module = text::parse_module(text, target.vocabulary)?;
    module.functions.retain(|function| function.name == name);
    let function = module.functions.first_mut().ok_or_else(|| format!("no function `{name}`"))?;
    function.name = "f".to_string();
    Ok(module)
}
