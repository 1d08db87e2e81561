//! `make mutants`: draws faults of the backend's source, builds them into one binary, and puts each before the judges.

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tribunal_mutants::MutantsError;
use tribunal_mutants::compile::{self, Built};
use tribunal_mutants::draw;
use tribunal_mutants::equivalents::Equivalents;
use tribunal_mutants::judge::{Court, Fate};
use tribunal_mutants::report::{JudgedMutant, Report};
use tribunal_mutants::workspace::{self, SourceTexts};

/// Draws faults of the backend's source by seed, builds all of them into one binary, and puts each before `fuzz`,
/// `trial` and `prove`.
///
/// Exit status: 0 all killed or shown equivalent; 1 a fault survived; 2 bad usage; 3 interrupted.
#[derive(Parser)]
#[command(max_term_width = 100, args_override_self = true)]
struct Arguments {
    /// Decides the sample; the week counted from 1970 if left out.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Faults to judge.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    faults: u32,
    /// Seconds that each command has for one fault.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Faults judged side by side, each on one core.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// The folder of crash files, and of `fates.txt`: one line a fault as soon as it is judged.
    #[arg(long, value_name = "DIR", default_value = "target/mutants")]
    out: PathBuf,
    /// Judge only the faults of these numbers; the sample stays the same.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    only: Vec<u32>,
    /// Draw only from files whose path has this part, such as `codegen/src/frame`.
    #[arg(long, value_name = "PART", default_value = "")]
    within: String,
    /// List the sample, and build nothing.
    #[arg(long)]
    list: bool,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let handler = std::sync::Arc::clone(&stop);
    // Without a handler Ctrl-C ends the process at once; the judging still works.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    match run(&Arguments::parse(), &stop) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments, stop: &AtomicBool) -> Result<u8, MutantsError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().map_err(MutantsError::at("."))?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.seed.unwrap_or_else(|| draw::seed_of_week(since_1970));
    let sources = SourceTexts::read(&root)?;
    let equivalents = Equivalents::read(&root.join("fuzz/mutants/equivalent.txt"))?;
    let mut sites = sources.sites()?;
    sites.retain(|site| site.file.contains(&arguments.within));
    if sites.is_empty() {
        return Err(MutantsError::NoPlace(arguments.within.clone()));
    }
    let places = sites.len();
    let order = draw::order(sites, seed);
    let count = arguments.faults as usize;
    if arguments.list {
        order.iter().take(count).for_each(|site| println!("{site}"));
        return Ok(0);
    }
    let out = root.join(&arguments.out);
    // The copy has one place: cargo takes another with the same artifacts for the same.
    let copies = root.join("target/mutants");
    let _taken = workspace::take(&copies)?;
    let built = compile::build(&sources, &order, count, &copies, |line| eprintln!("{line}"))?;
    let (program, folder) = (built.program.clone(), out.join("fates"));
    let mut court = Court { program, root, folder, seconds: arguments.seconds, reached: BTreeMap::new() };
    if court.folder.exists() {
        std::fs::remove_dir_all(&court.folder).map_err(MutantsError::at(&court.folder))?;
    }
    eprintln!("the program without a fault");
    court.check_baseline()?;
    let judged = hunt(arguments, &court, &built, &equivalents, &out, stop)?;
    let mut report = Report::new(&judged);
    (report.seed, report.places, report.refused) = (seed, places, built.refused);
    report.interrupted = stop.load(Ordering::Relaxed);
    println!("{}", report.text());
    if arguments.json {
        println!("{}", serde_json::to_string(&report).unwrap_or_default());
    }
    Ok(match (report.interrupted, report.alive.is_empty()) {
        (true, _) => 3,
        (false, true) => 0,
        (false, false) => 1,
    })
}

/// Judges the faults side by side, and writes each fate down at once.
fn hunt(
    arguments: &Arguments,
    court: &Court,
    built: &Built,
    equivalents: &Equivalents,
    out: &Path,
    stop: &AtomicBool,
) -> Result<Vec<JudgedMutant>, MutantsError> {
    let path = out.join("fates.txt");
    let log = Mutex::new(File::create(&path).map_err(MutantsError::at(&path))?);
    let bar = ProgressBar::new(built.mutants.len() as u64);
    let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let chosen =
        built.mutants.iter().filter(|mutant| arguments.only.is_empty() || arguments.only.contains(&mutant.number));
    let chosen: Vec<_> = chosen.collect();
    bar.set_length(chosen.len() as u64);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.into()).build();
    let judge = || {
        let one = |mutant: &&tribunal_mutants::weave::Mutant| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let fate = match court.judge(mutant) {
                Ok(fate) => fate,
                Err(error) => return Some(Err(error)),
            };
            let equivalent = equivalents.argument(&mutant.site).map(str::to_string);
            let judged = JudgedMutant { number: mutant.number, site: mutant.site.clone(), fate, equivalent };
            if let Ok(mut log) = log.lock() {
                // The table is printed all the same.
                let _ = writeln!(log, "{}", line(&judged));
            }
            bar.inc(1);
            Some(Ok(judged))
        };
        chosen.par_iter().with_max_len(1).filter_map(one).collect()
    };
    let all: Result<Vec<JudgedMutant>, MutantsError> = match pool {
        Ok(pool) => pool.install(judge),
        Err(_) => judge(),
    };
    bar.finish_and_clear();
    all
}

/// A fate as a line.
fn line(judged: &JudgedMutant) -> String {
    let fate = match &judged.fate {
        Fate::Killed(kill) => format!(
            "killed by {} in {:.1} s: {}: {}: guilty: {}{}",
            kill.verb.name(),
            kill.seconds,
            kill.judge,
            kill.kind,
            kill.guilty,
            kill.instructions.map(|count| format!(" ({count} instructions)")).unwrap_or_default()
        ),
        Fate::Alive(_) if judged.equivalent.is_some() => "equivalent".to_string(),
        Fate::Alive(survival) => format!("alive{survival}"),
    };
    format!("{} {}: {fate}", judged.number, judged.site)
}
