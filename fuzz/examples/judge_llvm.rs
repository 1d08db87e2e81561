//! LLVM's GlobalISel on trial: every stage of many programs is made with `llc-22`, from its translator's output to
//! selected instructions, at each level. Every function of a stage is judged against the stage before, as
//! `tribunal validate` judges it. `make judge-llvm` runs it.
//!
//! Usage: judge_llvm [--jobs N] [--keep DIR] [--target NAME] [--level LEVEL] [--until STAGE] [--float] [--seconds N]
//! [--json] SOURCE...
//! A SOURCE is `real` (the files of corpus/real), `real=N` (those of its first N programs), `programs` (the C programs
//! of corpus/programs, through clang-22 -O1), `programs=NAME,...` (some of them), or `csmith=FIRST..LAST` (programs of
//! csmith with these seeds, through clang-22 -O1 -fno-inline). With `--float` C is compiled for machines with registers
//! of floating point, and csmith's programs have numbers.
//!
//! Prints each function that is not proved with its reason, then a table with one row for each target, level and stage;
//! with `--json` the same rows as one object on the last line. A file that a tool refuses is counted as refused and not
//! as judged. Each pair of stages is judged by a process of its own (`judge_llvm --pair BEFORE AFTER`), with a time
//! limit of `--seconds`. The functions that it did not reach before a crash or the limit are `unknown`.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tribunal_fuzz::peer::{Llc, OptLevel, PeerBackend, PeerMode};
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
    let mut jobs = Vec::new();
    for source in &options.sources {
        match self::jobs(source, &options) {
            Some(found) if !found.is_empty() => jobs.extend(found),
            _ => fail(&format!(
                "{source} names no program: real, real=N, programs, programs=NAME,... or csmith=FIRST..LAST"
            )),
        }
    }
    let (next, totals) = (AtomicUsize::new(0), Totals::default());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    judge(job, &options, &totals);
                }
            });
        }
    });
    let totals: BTreeMap<RowName, Total> = totals.into_inner().unwrap_or_default();
    print(&totals);
    if options.is_json {
        let rows: Vec<Value> = totals.iter().map(|(name, total)| total.object(*name)).collect();
        say!("{}", json!({"rows": rows}));
    }
}

/// A target, a level and a stage.
type RowName = (&'static str, &'static str, &'static str);

fn print(totals: &BTreeMap<RowName, Total>) {
    say!(
        "{:<10}{:<5}{:<34}{:>10}{:>8}{:>8}{:>8}{:>12}{:>8}{:>9}",
        "target",
        "level",
        "stage",
        "functions",
        "proved",
        "refuted",
        "unknown",
        "unsupported",
        "refused",
        "verdicts"
    );
    for (&(target, level, stage), total) in totals {
        let Total { functions, proved, refuted, unknown, unsupported, refused, .. } = total;
        say!(
            "{target:<10}{level:<5}{stage:<34}{functions:>10}{proved:>8}{refuted:>8}{unknown:>8}{unsupported:>12}{refused:>8}{:>8.1}%",
            100.0 * total.verdicts()
        );
    }
    for (&(target, level, stage), total) in totals {
        let mut reasons: Vec<_> = total.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        reasons.iter().for_each(|(reason, count)| say!("{target} {level} {stage}: {count} {reason}"));
    }
    if let Some(slowest) = totals.values().max_by_key(|total| total.slowest.0) {
        say!("slowest function {:.1} s ({})", slowest.slowest.0.as_secs_f64(), slowest.slowest.1);
    }
}

/// The options of the command line.
struct Options {
    jobs: usize,
    /// For one pair of files.
    limit: Duration,
    folder: PathBuf,
    targets: Vec<&'static Target>,
    levels: Vec<OptLevel>,
    /// The last stage.
    until: Option<String>,
    /// Machines have registers of floating point.
    has_floats: bool,
    is_json: bool,
    sources: Vec<String>,
}

fn options() -> Options {
    let mut arguments = std::env::args().skip(1);
    let folder = std::env::temp_dir().join(format!("judge-llvm-{}", std::process::id()));
    let limit = Duration::from_secs(3600);
    let targets = tribunal_target::ALL.to_vec();
    let mut options = Options {
        jobs: 1,
        limit,
        folder,
        targets,
        levels: OptLevel::ALL.to_vec(),
        until: None,
        has_floats: false,
        is_json: false,
        sources: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| fail(&format!("{argument} wants a value")));
        match argument.as_str() {
            "--jobs" => match value().parse() {
                Ok(jobs) if jobs > 0 => options.jobs = jobs,
                _ => fail("--jobs wants a number, at least 1"),
            },
            "--seconds" => {
                options.limit =
                    Duration::from_secs(value().parse().unwrap_or_else(|_| fail("--seconds wants a number")));
            }
            "--json" => options.is_json = true,
            "--float" => options.has_floats = true,
            "--until" => options.until = Some(value()),
            "--keep" => options.folder = value().into(),
            "--target" => match tribunal_target::by_name(&value()) {
                Some(target) => options.targets = vec![target],
                None => fail("no such target"),
            },
            "--level" => match OptLevel::named(&value()) {
                Some(level) => options.levels = vec![level],
                None => fail("the level is -O0 or -O2"),
            },
            source => options.sources.push(source.to_string()),
        }
    }
    if options.sources.is_empty() {
        options.sources.push("real".to_string());
    }
    if let Some(stage) = options.until.as_ref().filter(|stage| !is_stage(stage, &options)) {
        fail(&format!("{stage} is no stage of these targets and levels"));
    }
    // Tools run inside the folder.
    match std::fs::create_dir_all(&options.folder).and_then(|()| options.folder.canonicalize()) {
        Ok(folder) => options.folder = folder,
        Err(error) => fail(&format!("{}: {error}", options.folder.display())),
    }
    options
}

/// Whether llc has the stage for some target and level.
fn is_stage(stage: &str, options: &Options) -> bool {
    let Some(llc) = Llc::new("llc-22") else { return false };
    let modes = options.targets.iter().flat_map(|&target| {
        let mode = move |&level| PeerMode { target, features: target.default_features, level };
        options.levels.iter().map(mode)
    });
    modes.into_iter().any(|mode| llc.stages(mode).contains(&stage))
}

/// Ends the program for bad input.
fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    std::process::exit(2)
}

/// One program to judge for one target.
enum Job {
    /// Generic MIR.
    Mir(PathBuf, &'static Target),
    /// A C program.
    Source(PathBuf, &'static Target),
    /// A seed of csmith.
    Csmith(u32, &'static Target),
}

/// The programs of a SOURCE; `None` if it is none.
fn jobs(source: &str, options: &Options) -> Option<Vec<Job>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let target_of = |name: &str| options.targets.iter().copied().find(|target| name.contains(target.name));
    let of_real = |count: usize| {
        let job = |path: PathBuf| target_of(&path.to_string_lossy()).map(|target| Job::Mir(path.clone(), target));
        first_programs(files(&corpus.join("real"), "mir"), count).into_iter().filter_map(job).collect()
    };
    match source.split_once('=') {
        None if source == "real" => Some(of_real(usize::MAX)),
        None if source == "programs" => Some(of_programs(&corpus.join("programs"), None, options)),
        Some(("programs", names)) => Some(of_programs(&corpus.join("programs"), Some(names), options)),
        Some(("real", count)) => Some(of_real(count.parse().ok()?)),
        Some(("csmith", seeds)) => {
            let (first, last) = seeds.split_once("..")?;
            let seeds = first.parse().ok()?..=last.parse().ok()?;
            let each = |seed: u32| options.targets.iter().map(move |&target| Job::Csmith(seed, target));
            Some(seeds.flat_map(each).collect())
        }
        _ => None,
    }
}

/// The C programs of these names, between commas; all if none is named. A name that is no program is an error.
fn of_programs(folder: &Path, names: Option<&str>, options: &Options) -> Vec<Job> {
    let each = |path: PathBuf| options.targets.iter().map(move |&target| Job::Source(path.clone(), target));
    let Some(names) = names else { return files(folder, "c").into_iter().flat_map(each).collect() };
    let file = |name: &str| folder.join(name).with_extension("c");
    if let Some(name) = names.split(',').find(|name| !file(name).is_file()) {
        fail(&format!("{name} is no program of corpus/programs"));
    }
    names.split(',').map(file).flat_map(each).collect()
}

/// The files of the first programs. A name is the program's up to its first dot.
fn first_programs(files: Vec<PathBuf>, count: usize) -> Vec<PathBuf> {
    let program = |path: &PathBuf| path.file_name()?.to_str()?.split('.').next().map(str::to_string);
    let chosen: Vec<Option<String>> =
        files.iter().map(program).collect::<BTreeSet<_>>().into_iter().take(count).collect();
    files.into_iter().filter(|path| chosen.contains(&program(path))).collect()
}

/// The files of a folder with this extension, by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == extension));
    files.sort();
    files
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
    /// The time of all functions.
    took: Duration,
    slowest: (Duration, String),
}

type Totals = Mutex<BTreeMap<RowName, Total>>;

/// Judges every stage of one program at every level.
fn judge(job: &Job, options: &Options, totals: &Totals) {
    for &level in &options.levels {
        let (target, made) = match job {
            Job::Mir(path, target) => (*target, Ok(path.clone())),
            Job::Source(path, target) => (*target, from_source(path, (target, level), options)),
            Job::Csmith(seed, target) => (*target, from_csmith(*seed, (target, level), options)),
        };
        let attributes = machine(target, options).map_or("", |(_, attributes)| attributes);
        let features = target
            .changed(target.default_features, attributes)
            .unwrap_or_else(|name| fail(&format!("{name} is no feature")));
        let mode = PeerMode { target, features, level };
        match made {
            Ok(before) => stages(&before, mode, options, totals),
            Err(reason) => refuse(&reason, (target.name, level.flag(), "irtranslator"), totals),
        }
    }
}

fn refuse(reason: &str, row: RowName, totals: &Totals) {
    say!("refused: {reason}");
    if let Ok(mut totals) = totals.lock() {
        totals.entry(row).or_default().refused += 1;
    }
}

/// The LLVM IR that a file of the translator's output was made of, if it is at hand. Stages made of it keep what LLVM
/// does not write to MIR, such as the place of the variable arguments.
fn origin(source: &Path) -> Option<PathBuf> {
    let ir = PathBuf::from(format!("{}.ll", source.to_str()?.strip_suffix(".before.mir")?));
    ir.exists().then_some(ir)
}

/// Makes each stage of a file, and judges it against the one before.
fn stages(source: &Path, mode: PeerMode, options: &Options, totals: &Totals) {
    let Some(llc) = Llc::new("llc-22") else { return };
    let mut before = source.to_path_buf();
    let input = origin(source).unwrap_or_else(|| before.clone());
    for &stage in llc.stages(mode) {
        let row = (mode.target.name, mode.level.flag(), stage);
        let stem =
            source.file_name().unwrap_or_default().to_string_lossy().replace(".before.mir", "").replace(".mir", "");
        let after = options.folder.join(format!("{stem}{}.{stage}.mir", mode.level.flag()));
        let made = run(&mut llc.compile(mode, stage, &input, &after));
        match made.and_then(|()| supervised(mode.target, &before, &after, options)) {
            Ok(verdicts) => count(verdicts, &after, row, totals),
            // Later stages come from this one.
            Err(reason) => return refuse(&reason, row, totals),
        }
        if options.until.as_deref() == Some(stage) {
            return;
        }
        before = after;
    }
}

fn count(verdicts: Vec<Verdict>, path: &Path, row: RowName, totals: &Totals) {
    let Ok(mut totals) = totals.lock() else { return };
    let total = totals.entry(row).or_default();
    for Verdict { function, kind, took } in verdicts {
        let name = format!("{} {function}", path.display());
        if kind != Kind::Proved {
            say!("{name}: {kind:?} ({:.1} s)", took.as_secs_f64());
        }
        total.count(&kind);
        total.took += took;
        if took > total.slowest.0 {
            total.slowest = (took, name);
        }
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
    let stem = after.file_name().unwrap_or_default().to_string_lossy();
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
    /// The share of functions that are proved or refuted.
    fn verdicts(&self) -> f64 {
        (self.proved + self.refuted) as f64 / self.functions.max(1) as f64
    }

    fn object(&self, (target, level, stage): RowName) -> Value {
        let Total { functions, proved, refuted, unknown, unsupported, refused, reasons, took, slowest } = self;
        json!({
            "target": target,
            "level": level,
            "stage": stage,
            "verdicts": self.verdicts(),
            "mean_seconds": took.as_secs_f64() / (*functions).max(1) as f64,
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

/// clang's flags for a target besides its triple, and llc's: without and with registers of floating point.
const MACHINES: &[(&str, [Machine; 2])] = &[
    ("riscv64", [(["-march=rv64im", "-mabi=lp64"], "+m"), (["-march=rv64imfd", "-mabi=lp64d"], "+m,+f,+d")]),
    ("riscv32", [(["-march=rv32im", "-mabi=ilp32"], "+m"), (["-march=rv32imfd", "-mabi=ilp32d"], "+m,+f,+d")]),
];

type Machine = ([&'static str; 2], &'static str);

fn machine(target: &Target, options: &Options) -> Option<Machine> {
    let (_, machines) = MACHINES.iter().find(|(name, _)| *name == target.name)?;
    Some(machines[usize::from(options.has_floats)])
}

fn from_csmith(seed: u32, mode: (&Target, OptLevel), options: &Options) -> Result<PathBuf, String> {
    let folder = &options.folder;
    let source = folder.join(format!("csmith{seed}.{}.c", mode.0.name));
    let mut csmith = Command::new("csmith");
    csmith.args(["--seed", &seed.to_string(), "--no-argc", "-o"]).arg(&source).current_dir(folder);
    if seed <= PLAIN_SEEDS {
        csmith.args(["--no-packed-struct", "--no-volatiles", "--no-bitfields"]);
    }
    if options.has_floats {
        csmith.arg("--float");
    }
    run(&mut csmith)?;
    from_source(&source, mode, options)
}

/// The generic MIR that LLVM's translator makes of a C program.
fn from_source(source: &Path, (target, level): (&Target, OptLevel), options: &Options) -> Result<PathBuf, String> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().replace(&format!(".{}", target.name), "");
    let path = |end: &str| options.folder.join(format!("{stem}.{}{}.{end}", target.name, level.flag()));
    let (ir, before) = (path("ll"), path("before.mir"));
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/programs/runtime/csmith");
    let triple = format!("{}-unknown-linux-gnu", target.name);
    let mut clang = Command::new("clang-22");
    clang.arg(format!("--target={triple}"));
    let machine = machine(target, options);
    machine.into_iter().for_each(|(arguments, _)| _ = clang.args(arguments));
    clang.args(["-O1", "-fno-inline", "-fno-asynchronous-unwind-tables", "-ffreestanding", "-w", "-S", "-emit-llvm"]);
    // Pointers to `float` point to integers in programs of csmith.
    clang.args(["-Wno-incompatible-pointer-types", "-fno-strict-aliasing"].iter().filter(|_| options.has_floats));
    run(clang.arg("-I").arg(headers).args(["-I", "/usr/include/csmith"]).arg(source).arg("-o").arg(&ir))?;
    let mut llc = Command::new("llc-22");
    llc.arg(format!("-mtriple={triple}"))
        .args(machine.map(|(_, attributes)| format!("-mattr={attributes}")))
        .arg(level.flag());
    llc.args(["-global-isel", "-global-isel-abort=1", "-stop-after=irtranslator", "-simplify-mir"]);
    run(llc.arg(&ir).arg("-o").arg(&before))?;
    Ok(before)
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
