//! `make programs`: compiles the C programs of `corpus/programs`, links and runs them, and counts how that ended.

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tribunal_corpus::golden::Mode;
use tribunal_corpus::programs::bank_copies::{BankCopies, BankCopySums};
use tribunal_corpus::programs::known::KnownUnsupported;
use tribunal_corpus::programs::platform::Platform;
use tribunal_corpus::programs::trial::TrialTotals;
use tribunal_corpus::programs::verdict::ProgramTotals;
use tribunal_corpus::programs::{
    CProgram, LEVELS, Maker, ProgramError, ProgramResult, ProgramTrial, Share, Toolchain, csmith, native, source,
};

/// Compile C programs for every target and level, link them, run them under QEMU, and compare what they write.
///
/// Ends early at Ctrl-C, with what ran. With BLESS=1 the list of programs that do not compile yet is written anew; with
/// BLESS=1 and --native the expected output.
///
/// Exit status: 0 all as expected; 1 a program is wrong; 2 bad usage; 3 a program did not compile and is not listed, or
/// passes and is listed. With --trial: 1 a finding; 3 a function that not every judge could judge.
#[derive(Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// Programs by name; all if none is named.
    programs: Vec<String>,
    /// The backend that makes the objects.
    #[arg(long, value_enum, default_value_t = BackendName::Tribunal)]
    backend: BackendName,
    /// Only this machine of machines.json; several if repeated.
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Only this optimisation level: 0, 1 or 2; several if repeated.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    level: Vec<u8>,
    /// Let the backend compile one half of each program, and llc the other; both ways.
    #[arg(long)]
    mix: bool,
    /// Programs of csmith with these seeds, in the place of those of the repository.
    #[arg(long, value_name = "FIRST..LAST", value_parser = seeds, conflicts_with_all = ["programs", "native"])]
    csmith: Option<(u32, u32)>,
    /// Let the programs of csmith have numbers of floating point.
    #[arg(long, requires = "csmith")]
    float: bool,
    /// Put each function before every judge, in the place of running the programs.
    #[arg(long, conflicts_with_all = ["mix", "native", "backend"])]
    trial: bool,
    /// Count the copies from register bank to register bank that the programs execute, for each mode of bank selection.
    #[arg(long, conflicts_with_all = ["mix", "native", "backend", "trial", "csmith"])]
    bank_copies: bool,
    /// Hold the expected output to gcc and clang of this machine.
    #[arg(long, conflicts_with_all = ["mix", "target", "level"])]
    native: bool,
    /// The `tribunal` program; the one beside this program if left out.
    #[arg(long, value_name = "FILE")]
    tribunal: Option<PathBuf>,
    /// Time limit of each command, in seconds; a trial has twenty times as long.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    seconds: u64,
    /// Worker threads; one for each core if left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum BackendName {
    /// This project's backend.
    Tribunal,
    /// LLVM's own: the peer.
    Llc,
}

/// Seeds of csmith: `FIRST..LAST`, both of them included.
fn seeds(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once("..").ok_or("FIRST..LAST is wanted")?;
    let number = |text: &str| text.parse::<u32>().map_err(|error| error.to_string());
    let (first, last) = (number(first)?, number(last)?);
    if first > last { Err("the first is above the last".to_string()) } else { Ok((first, last)) }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// One thing to run.
enum Task<'t> {
    Emulated { program: &'t CProgram, platform: &'t Platform, level: &'static str, share: Share },
    Native(&'t CProgram),
    Csmith(u32),
}

/// Everything that all tasks share.
struct Plan {
    tools: Toolchain,
    platforms: Vec<Platform>,
    levels: Vec<&'static str>,
    shares: &'static [Share],
    /// The numbers of generated programs, and their folder.
    numbers: csmith::CsmithNumbers,
    kept: PathBuf,
}

impl Plan {
    /// A program on every machine that can run it, at every level.
    fn emulated<'t>(&'t self, program: &'t CProgram) -> Vec<Task<'t>> {
        let can = |platform: &&Platform| !program.requires.iter().any(|word| platform.lacks.contains(word));
        let mut tasks = Vec::new();
        for platform in self.platforms.iter().filter(can) {
            for &level in &self.levels {
                tasks.extend(self.shares.iter().map(|&share| Task::Emulated { program, platform, level, share }));
            }
        }
        tasks
    }

    fn results(&self, task: &Task<'_>) -> Result<Vec<ProgramResult>, ProgramError> {
        match task {
            Task::Emulated { program, platform, level, share } => {
                self.tools.run(program, platform, level, *share).map(|result| vec![result])
            }
            Task::Native(program) => native::check(program, &self.tools.folder, self.tools.limit),
            Task::Csmith(seed) => {
                let Some(program) = csmith::program(*seed, self.numbers, &self.kept)? else { return Ok(Vec::new()) };
                let results =
                    self.emulated(&program).iter().map(|task| self.results(task)).collect::<Result<Vec<_>, _>>();
                Ok(results?.concat())
            }
        }
    }

    /// The same before every judge. The expected output matters to no judge.
    fn trials(&self, task: &Task<'_>) -> Result<Vec<ProgramTrial>, ProgramError> {
        match task {
            Task::Emulated { program, platform, level, .. } => {
                self.tools.trial(program, platform, level).map(|trial| vec![trial])
            }
            Task::Native(_) => Ok(Vec::new()),
            Task::Csmith(seed) => {
                let Some(program) = csmith::program(*seed, self.numbers, &self.kept)? else { return Ok(Vec::new()) };
                let trials =
                    self.emulated(&program).iter().map(|task| self.trials(task)).collect::<Result<Vec<_>, _>>();
                Ok(trials?.concat())
            }
        }
    }

    /// The same with its copies from bank to bank counted.
    fn bank_copies(&self, task: &Task<'_>) -> Result<Vec<BankCopies>, ProgramError> {
        match task {
            Task::Emulated { program, platform, level, .. } => {
                self.tools.bank_copies(program, platform, level).map(|counted| vec![counted])
            }
            Task::Native(_) | Task::Csmith(_) => Ok(Vec::new()),
        }
    }
}

#[derive(Serialize)]
struct BankCopiesObject<'t> {
    rows: &'t [BankCopySums],
    seconds: f64,
    interrupted: bool,
}

#[derive(Serialize)]
struct Object<'t> {
    #[serde(flatten)]
    totals: &'t ProgramTotals,
    /// Programs whose end is not the listed one.
    unexpected: &'t [String],
    seconds: f64,
    interrupted: bool,
}

#[derive(Serialize)]
struct TrialObject<'t> {
    #[serde(flatten)]
    totals: &'t TrialTotals,
    seconds: f64,
    interrupted: bool,
}

fn run(arguments: &Arguments) -> Result<u8, ProgramError> {
    let started = Instant::now();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let kept = tempfile::tempdir().map_err(ProgramError::file(std::env::temp_dir()))?;
    let plan = plan(arguments, &folder, kept.path())?;
    let mut programs = programs(arguments, &folder)?;
    let mode = Mode::from_environment();
    if arguments.native && mode == Mode::Bless {
        programs.iter_mut().try_for_each(|program| native::bless(program, &folder, plan.tools.limit))?;
    }
    let tasks: Vec<Task<'_>> = match arguments.csmith {
        Some((first, last)) => (first..=last).map(Task::Csmith).collect(),
        None if arguments.native => programs.iter().map(Task::Native).collect(),
        None => programs.iter().flat_map(|program| plan.emulated(program)).collect(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the process at once; the loop still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    if arguments.trial {
        let trials = all(&tasks, arguments.jobs, &stop, |task| plan.trials(task))?;
        return trial_report(arguments, &trials, started, stop.load(Ordering::Relaxed));
    }
    if arguments.bank_copies {
        let counted = all(&tasks, arguments.jobs, &stop, |task| plan.bank_copies(task))?;
        return bank_copies_report(arguments, &counted, started, stop.load(Ordering::Relaxed));
    }
    let mut results = all(&tasks, arguments.jobs, &stop, |task| plan.results(task))?;
    results.sort_by(|a, b| (&a.program, &a.target, &a.level).cmp(&(&b.program, &b.target, &b.level)));
    let interrupted = stop.load(Ordering::Relaxed);
    let unexpected = unexpected(arguments, &folder, &results, mode)?;
    let totals = ProgramTotals::of(&results);
    totals.lines().iter().chain(&unexpected).try_for_each(|line| say(line))?;
    if arguments.json {
        let seconds = started.elapsed().as_secs_f64();
        let object = Object { totals: &totals, unexpected: &unexpected, seconds, interrupted };
        say(&serde_json::to_string(&object).expect("reports hold nothing but numbers, text and lists"))?;
    }
    Ok(match (totals.wrong(), unexpected.is_empty() && !interrupted && !results.is_empty()) {
        (1.., _) => 1,
        (0, true) => 0,
        (0, false) => 3,
    })
}

/// Writes the sums of trials. The status is that of `tribunal trial`.
fn trial_report(
    arguments: &Arguments,
    trials: &[ProgramTrial],
    started: Instant,
    interrupted: bool,
) -> Result<u8, ProgramError> {
    let totals = TrialTotals::of(trials);
    totals.lines().iter().try_for_each(|line| say(line))?;
    if arguments.json {
        let object = TrialObject { totals: &totals, seconds: started.elapsed().as_secs_f64(), interrupted };
        say(&serde_json::to_string(&object).expect("reports hold nothing but numbers, text and lists"))?;
    }
    Ok(match (totals.all.findings, totals.all.is_complete() && !interrupted && !trials.is_empty()) {
        (1.., _) => 1,
        (0, true) => 0,
        (0, false) => 3,
    })
}

/// Writes the copies that were executed. The status is 1 if the output of a program was not the expected one.
fn bank_copies_report(
    arguments: &Arguments,
    counted: &[BankCopies],
    started: Instant,
    interrupted: bool,
) -> Result<u8, ProgramError> {
    for BankCopies { program, target, level, counts } in counted {
        match counts {
            [Ok(0), Ok(0), Ok(0)] => {}
            [Ok(fast), Ok(greedy), Ok(global)] => {
                say(&format!("{program} {target} {level}: fast {fast}, greedy {greedy}, global {global}"))?;
            }
            counts => counts
                .iter()
                .filter_map(|count| count.as_ref().err())
                .try_for_each(|reason| say(&format!("{program} {target} {level}: not counted: {reason}")))?,
        }
    }
    let rows = BankCopySums::of(counted);
    for BankCopySums { target, level, programs, fast, greedy, global, above, .. } in &rows {
        say(&format!(
            "{target} {level}: {programs} programs, fast {fast}, greedy {greedy}, global {global}, {above} above"
        ))?;
    }
    if arguments.json {
        let object = BankCopiesObject { rows: &rows, seconds: started.elapsed().as_secs_f64(), interrupted };
        say(&serde_json::to_string(&object).expect("reports hold nothing but numbers, text and lists"))?;
    }
    let is_wrong = |reason: &String| reason.starts_with("wrong");
    let wrong = counted.iter().flat_map(|program| &program.counts).any(|count| count.as_ref().is_err_and(is_wrong));
    Ok(match (wrong, rows.iter().all(|row| row.uncounted.is_empty()) && !interrupted && !rows.is_empty()) {
        (true, _) => 1,
        (false, true) => 0,
        (false, false) => 3,
    })
}

fn say(line: &str) -> Result<(), ProgramError> {
    writeln!(std::io::stdout(), "{line}").map_err(ProgramError::file("standard output"))
}

fn toolchain(arguments: &Arguments, folder: &Path) -> Toolchain {
    let beside = || std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("tribunal")));
    let maker = match arguments.backend {
        BackendName::Tribunal => Maker::Tribunal,
        BackendName::Llc => Maker::Llc,
    };
    Toolchain {
        folder: folder.to_path_buf(),
        tribunal: arguments.tribunal.clone().or_else(beside).unwrap_or_else(|| "tribunal".into()),
        maker,
        limit: Duration::from_secs(arguments.seconds),
    }
}

fn plan(arguments: &Arguments, folder: &Path, kept: &Path) -> Result<Plan, ProgramError> {
    let chosen =
        |level: &usize| arguments.level.is_empty() || arguments.level.iter().any(|&n| usize::from(n) == *level);
    Ok(Plan {
        tools: toolchain(arguments, folder),
        platforms: platforms(arguments, folder)?,
        levels: (0..LEVELS.len()).filter(chosen).map(|level| LEVELS[level]).collect(),
        shares: if arguments.mix { &Share::MIXTURES } else { &[Share::Whole] },
        numbers: if arguments.float { csmith::CsmithNumbers::Floats } else { csmith::CsmithNumbers::Integers },
        kept: kept.to_path_buf(),
    })
}

fn programs(arguments: &Arguments, folder: &Path) -> Result<Vec<CProgram>, ProgramError> {
    let mut programs = source::all(folder)?;
    let is_named = |name: &String| programs.iter().any(|program| program.name == *name);
    if let Some(name) = arguments.programs.iter().find(|name| !is_named(name)) {
        return Err(ProgramError::NoSuch { kind: "program", name: name.clone() });
    }
    programs.retain(|program| arguments.programs.is_empty() || arguments.programs.contains(&program.name));
    Ok(programs)
}

fn platforms(arguments: &Arguments, folder: &Path) -> Result<Vec<Platform>, ProgramError> {
    let mut platforms = Platform::all(folder)?;
    let is_there = |name: &String| platforms.iter().any(|platform| platform.name == *name);
    if let Some(name) = arguments.target.iter().find(|name| !is_there(name)) {
        return Err(ProgramError::NoSuch { kind: "machine", name: name.clone() });
    }
    platforms.retain(|platform| arguments.target.is_empty() || arguments.target.contains(&platform.name));
    Ok(platforms)
}

/// Does the tasks on several threads. The first error ends all.
fn all<'t, T: Send>(
    tasks: &[Task<'t>],
    jobs: Option<u16>,
    stop: &AtomicBool,
    result: impl Fn(&Task<'t>) -> Result<Vec<T>, ProgramError> + Sync,
) -> Result<Vec<T>, ProgramError> {
    let bar = progress_bar(tasks.len());
    let (next, ended) = (AtomicUsize::new(0), Mutex::new((Vec::new(), None)));
    let work = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = result(task);
            // Ctrl-C reaches the commands too: what they said then is no verdict.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let Ok(mut ended) = ended.lock() else { return };
            match result {
                Ok(results) => ended.0.extend(results),
                Err(error) => {
                    ended.1 = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            bar.inc(1);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..jobs.map_or(cores, usize::from) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    let (results, error) = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    error.map_or(Ok(results), Err)
}

fn progress_bar(tasks: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} programs").ok();
    let bar = ProgressBar::new(tasks as u64);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// The results that do not agree with the list of known ones. A kind of run without a list has to pass whole.
fn unexpected(
    arguments: &Arguments,
    folder: &Path,
    results: &[ProgramResult],
    mode: Mode,
) -> Result<Vec<String>, ProgramError> {
    let is_listed =
        arguments.backend == BackendName::Tribunal && !arguments.mix && !arguments.native && arguments.csmith.is_none();
    if !is_listed {
        return Ok(KnownUnsupported::default().complaints(results));
    }
    let known = KnownUnsupported::read(folder)?;
    if mode == Mode::Check {
        return Ok(known.complaints(results));
    }
    let known = known.updated(results);
    known.write(folder)?;
    Ok(known.complaints(results))
}
