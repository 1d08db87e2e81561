//! LLVM's GlobalISel legalizer on trial: both stages of many programs are made with `llc-22`, and every function is
//! judged as `tribunal validate` judges it. `make judge-llvm` runs it.
//!
//! Usage: judge_llvm [--jobs N] [--keep DIR] [--target NAME] [--seconds N] [--json] SOURCE...
//! A SOURCE is `real` (the files of corpus/real), `csmith=FIRST..LAST` (programs of csmith with these seeds, through
//! clang-22 -O1 -fno-inline), or a file `NAME.before.mir` with `NAME.after.mir` beside it.
//!
//! Prints each function that is not proved with its reason, then a table with one row a target; with `--json` the same
//! rows as one object on the last line. A file that a tool refuses is counted as refused and not as judged. Each pair
//! of files is judged by a process of its own (`judge_llvm --pair BEFORE AFTER`), with a time limit of `--seconds`. The
//! functions that it did not reach before a crash or the limit are `unknown`.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tribunal_ir::{Entry, Module, text};
use tribunal_target::Target;
use tribunal_trial::validate::{self, Kind, Setting};

/// Prints a line. A reader that closes the pipe ends the program, without a message.
macro_rules! say {
    ($($argument:tt)*) => {
        if writeln!(std::io::stdout(), $($argument)*).is_err() {
            std::process::exit(0);
        }
    };
}

/// Seeds up to this one are programs without volatile objects, bit-fields and packed structs.
const PLAIN_SEEDS: u32 = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, pair, target, before, after] = arguments.as_slice()
        && pair == "--pair"
    {
        return judge_pair(target, Path::new(before), Path::new(after));
    }
    let options = options();
    let jobs = options.sources.iter().flat_map(|source| pairs(source, &options)).collect::<Vec<Job>>();
    let (next, totals) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    judge(job, &options, &totals);
                }
            });
        }
    });
    let totals: BTreeMap<&str, Total> = totals.into_inner().unwrap_or_default();
    say!(
        "{:<10}{:>11}{:>9}{:>9}{:>9}{:>13}{:>9}",
        "target",
        "functions",
        "proved",
        "refuted",
        "unknown",
        "unsupported",
        "refused"
    );
    for (target, total) in &totals {
        let Total { functions, proved, refuted, unknown, unsupported, refused, .. } = total;
        say!("{target:<10}{functions:>11}{proved:>9}{refuted:>9}{unknown:>9}{unsupported:>13}{refused:>9}");
    }
    for (target, total) in &totals {
        let mut reasons: Vec<_> = total.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        reasons.iter().for_each(|(reason, count)| say!("{target}: {count} {reason}"));
        say!("{target}: slowest function {:.1} s ({})", total.slowest.0.as_secs_f64(), total.slowest.1);
    }
    if options.is_json {
        let rows: Vec<Value> = totals.iter().map(|(target, total)| total.object(target)).collect();
        say!("{}", json!({"rows": rows}));
    }
}

/// The options of the command line.
struct Options {
    jobs: usize,
    /// For one pair of files.
    limit: Duration,
    folder: PathBuf,
    targets: Vec<&'static Target>,
    is_json: bool,
    sources: Vec<String>,
}

fn options() -> Options {
    let mut arguments = std::env::args().skip(1);
    let folder = std::env::temp_dir().join(format!("judge-llvm-{}", std::process::id()));
    let limit = Duration::from_secs(3600);
    let targets = tribunal_target::ALL.to_vec();
    let mut options = Options { jobs: 1, limit, folder, targets, is_json: false, sources: Vec::new() };
    let fail = |message: &str| -> ! {
        eprintln!("error: {message}");
        std::process::exit(2)
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| fail(&format!("{argument} wants a value")));
        match argument.as_str() {
            "--jobs" => options.jobs = value().parse().unwrap_or_else(|_| fail("--jobs wants a number")),
            "--seconds" => {
                options.limit =
                    Duration::from_secs(value().parse().unwrap_or_else(|_| fail("--seconds wants a number")));
            }
            "--json" => options.is_json = true,
            "--keep" => options.folder = value().into(),
            "--target" => match tribunal_target::by_name(&value()) {
                Some(target) => options.targets = vec![target],
                None => fail("no such target"),
            },
            source => options.sources.push(source.to_string()),
        }
    }
    if options.sources.is_empty() {
        options.sources.push("real".to_string());
    }
    // Tools run inside the folder.
    match std::fs::create_dir_all(&options.folder).and_then(|()| options.folder.canonicalize()) {
        Ok(folder) => options.folder = folder,
        Err(error) => fail(&format!("{}: {error}", options.folder.display())),
    }
    options
}

/// One pair of files to make and to judge.
enum Job {
    /// The stage before the legalizer.
    Before(PathBuf, &'static Target),
    Csmith(u32, &'static Target),
    /// Both stages are there.
    Made(PathBuf, &'static Target),
}

fn pairs(source: &str, options: &Options) -> Vec<Job> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real");
    let target_of = |name: &str| options.targets.iter().copied().find(|target| name.contains(target.name));
    if source == "real" {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "mir"));
        files.sort();
        let job = |path: PathBuf| target_of(&path.to_string_lossy()).map(|target| Job::Before(path.clone(), target));
        return files.into_iter().filter_map(job).collect();
    }
    if let Some((first, last)) = source.strip_prefix("csmith=").and_then(|range| range.split_once("..")) {
        let (first, last) = (first.parse().unwrap_or(1), last.parse().unwrap_or(0));
        let seeds = first..=last;
        return seeds.flat_map(|seed| options.targets.iter().map(move |&target| Job::Csmith(seed, target))).collect();
    }
    let name = source.rsplit('/').next().unwrap_or(source);
    target_of(name).map(|target| Job::Made(source.into(), target)).into_iter().collect()
}

#[derive(Default)]
struct Total {
    functions: u64,
    proved: u64,
    refuted: u64,
    unknown: u64,
    unsupported: u64,
    /// Files that csmith, clang, llc or the parser would not take.
    refused: u64,
    reasons: BTreeMap<String, u64>,
    slowest: (Duration, String),
}

type Totals<'t> = Mutex<BTreeMap<&'t str, Total>>;

fn judge<'t>(job: &Job, options: &Options, totals: &Totals<'t>) {
    let folder = &options.folder;
    let (target, made) = match job {
        Job::Before(path, target) => (*target, from_mir(path, target, folder)),
        Job::Csmith(seed, target) => (*target, from_csmith(*seed, target, folder)),
        Job::Made(path, target) => {
            let after = path.to_string_lossy().replace(".before.mir", ".after.mir");
            (*target, Ok((path.clone(), after.into())))
        }
    };
    let add = |count: &dyn Fn(&mut Total)| {
        if let Ok(mut totals) = totals.lock() {
            count(totals.entry(target.name).or_default());
        }
    };
    let judged = made.and_then(|(before, after)| Ok((supervised(target, &before, &after, options)?, before)));
    let (verdicts, path) = match judged {
        Ok(judged) => judged,
        Err(reason) => {
            say!("refused: {reason}");
            return add(&|total| total.refused += 1);
        }
    };
    for Verdict { function, kind, took } in verdicts {
        let name = format!("{} {function}", path.display());
        if kind != Kind::Proved {
            say!("{name}: {kind:?} ({:.1} s)", took.as_secs_f64());
        }
        add(&|total| {
            total.count(&kind);
            if took > total.slowest.0 {
                total.slowest = (took, name.clone());
            }
        });
    }
}

/// The verdict on one function.
struct Verdict {
    function: String,
    kind: Kind,
    took: Duration,
}

/// The verdicts of a process of its own, which may crash or run out of time.
fn supervised(target: &Target, before: &Path, after: &Path, options: &Options) -> Result<Vec<Verdict>, String> {
    let stem = before.file_name().unwrap_or_default().to_string_lossy();
    let (said, errors) =
        (options.folder.join(format!("{stem}.verdicts")), options.folder.join(format!("{stem}.errors")));
    let create = |path: &Path| std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program);
    child.arg("--pair").arg(target.name).args([before, after]).stdout(create(&said)?).stderr(create(&errors)?);
    let mut child = child.spawn().map_err(|error| error.to_string())?;
    let started = Instant::now();
    let failure = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => break None,
            Some(status) => break Some(format!("the judge ended with {status}")),
            None if started.elapsed() > options.limit => {
                let _ = child.kill().and_then(|()| child.wait());
                break Some(format!("the program's limit of {} s", options.limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = std::fs::read_to_string(&said).unwrap_or_default();
    let mut lines = text.lines();
    let Some(names) = lines.next() else {
        let errors = std::fs::read_to_string(&errors).unwrap_or_default();
        return Err(
            failure.map_or(String::new(), |failure| format!("{failure}: {}", errors.lines().next().unwrap_or("")))
        );
    };
    let mut verdicts: Vec<Verdict> = lines.filter_map(verdict).collect();
    for name in names.split('\t').skip(verdicts.len()) {
        let reason = failure.clone().unwrap_or_else(|| "no verdict was printed".to_string());
        verdicts.push(Verdict { function: name.to_string(), kind: Kind::Unknown(reason), took: started.elapsed() });
    }
    Ok(verdicts)
}

/// A line that [`judge_pair`] wrote.
fn verdict(line: &str) -> Option<Verdict> {
    let mut words = line.splitn(4, '\t');
    let (kind, function, took, reason) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let reason = reason.to_string();
    let kind = match kind {
        "proved" => Kind::Proved,
        "refuted" => Kind::Refuted(reason),
        "unknown" => Kind::Unknown(reason),
        "unsupported" => Kind::Unsupported(reason),
        _ => return None,
    };
    Some(Verdict { function: function.to_string(), kind, took: Duration::from_millis(took.parse().ok()?) })
}

/// Judges one pair of files: prints the names of all functions on one line, then a line for each as it is judged.
fn judge_pair(target: &str, before: &Path, after: &Path) {
    let pair = tribunal_target::by_name(target).ok_or("no such target".to_string());
    let pair = pair.and_then(|target| Ok((target, module(before, target)?, module(after, target)?)));
    let (target, before, after) = pair.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2)
    });
    let names: Vec<&str> = before.entries().map(|entry| entry.name()).collect();
    say!("{}", names.join("\t"));
    for entry in before.entries() {
        let started = Instant::now();
        let mut only = Module { ir: before.ir.clone(), ..Module::default() };
        match entry {
            Entry::Function(function) => only.functions.push(function.clone()),
            Entry::Unread(unread) => only.unread.push(unread.clone()),
        }
        for judged in validate::validate(&only, &after, target, Setting::default()) {
            let (kind, reason) = match judged.kind {
                Kind::Proved => ("proved", String::new()),
                Kind::Refuted(reason) => ("refuted", reason),
                Kind::Unknown(reason) => ("unknown", reason),
                Kind::Unsupported(reason) => ("unsupported", reason),
            };
            let reason = reason.replace('\n', " ");
            say!("{kind}\t{}\t{}\t{reason}", judged.function, started.elapsed().as_millis());
        }
    }
}

impl Total {
    fn object(&self, target: &str) -> Value {
        let Total { functions, proved, refuted, unknown, unsupported, refused, reasons, slowest } = self;
        json!({
            "target": target,
            "functions": functions,
            "proved": proved,
            "refuted": refuted,
            "unknown": unknown,
            "unsupported": unsupported,
            "refused": refused,
            "reasons": reasons,
            "slowest_seconds": slowest.0.as_secs_f64(),
        })
    }

    fn count(&mut self, kind: &Kind) {
        self.functions += 1;
        let (count, reason) = match kind {
            Kind::Proved => (&mut self.proved, None),
            Kind::Refuted(_) => (&mut self.refuted, None),
            Kind::Unknown(reason) => (&mut self.unknown, Some(format!("unknown: {}", summary(reason)))),
            Kind::Unsupported(reason) => (&mut self.unsupported, Some(format!("unsupported: {reason}"))),
        };
        *count += 1;
        if let Some(reason) = reason {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }
}

/// A reason without the block's number and the values, so that equal ones are counted together.
fn summary(reason: &str) -> String {
    reason
        .split_whitespace()
        .filter(|word| !word.starts_with("bb.") && !word.starts_with("0x"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn module(path: &Path, target: &Target) -> Result<Module, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text::parse_module(&text, target.vocabulary).map_err(|error| format!("{}:{error}", path.display()))
}

/// The stage after the legalizer, beside the one before it.
fn from_mir(before: &Path, target: &Target, folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    let stem = before.file_name().unwrap_or_default().to_string_lossy().replace(".mir", "").replace(".before", "");
    let after = folder.join(format!("{stem}.after.mir"));
    let mut llc = llc(target);
    run(llc.arg("-run-pass=legalizer").arg(before).arg("-o").arg(&after))?;
    Ok((before.to_path_buf(), after))
}

/// clang's flags for a target besides its triple.
const MACHINES: &[(&str, [&str; 2])] =
    &[("riscv64", ["-march=rv64im", "-mabi=lp64"]), ("riscv32", ["-march=rv32im", "-mabi=ilp32"])];

fn from_csmith(seed: u32, target: &Target, folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    let path = |end: &str| folder.join(format!("csmith{seed}.{}.{end}", target.name));
    let (source, ir, before) = (path("c"), path("ll"), path("before.mir"));
    let mut csmith = Command::new("csmith");
    csmith.args(["--seed", &seed.to_string(), "--no-argc", "-o"]).arg(&source).current_dir(folder);
    if seed <= PLAIN_SEEDS {
        csmith.args(["--no-packed-struct", "--no-volatiles", "--no-bitfields"]);
    }
    run(&mut csmith)?;
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("csmith");
    let mut clang = Command::new("clang-22");
    clang.arg(format!("--target={}", triple(target)));
    let machine = MACHINES.iter().find(|(name, _)| *name == target.name);
    machine.into_iter().for_each(|(_, arguments)| _ = clang.args(*arguments));
    clang.args(["-O1", "-fno-inline", "-fno-asynchronous-unwind-tables", "-ffreestanding", "-w", "-S", "-emit-llvm"]);
    run(clang.arg("-I").arg(headers).args(["-I", "/usr/include/csmith"]).arg(&source).arg("-o").arg(&ir))?;
    let mut llc = llc(target);
    run(llc
        .args(["-global-isel", "-global-isel-abort=1", "-stop-after=irtranslator"])
        .arg(&ir)
        .arg("-o")
        .arg(&before))?;
    from_mir(&before, target, folder)
}

fn triple(target: &Target) -> String {
    format!("{}-unknown-linux-gnu", target.name)
}

fn llc(target: &Target) -> Command {
    let mut llc = Command::new("llc-22");
    llc.arg(format!("-mtriple={}", triple(target))).arg("-simplify-mir");
    if target.name.starts_with("riscv") {
        llc.arg("-mattr=+m");
    }
    llc
}

/// Runs a tool; if it fails, the error is the first line of its message.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {}", said.lines().next().unwrap_or("failed"))),
    }
}
