//! `make benchmarks`: measures the sections asked for, and writes `docs/benchmarks.md` after each of them.

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tribunal_benchmarks::measure::{Place, measure};
use tribunal_benchmarks::page::{self, Head, Standing};
use tribunal_benchmarks::record::Record;
use tribunal_benchmarks::section::{Budget, SECONDS_A_JOB, Section};
use tribunal_benchmarks::{Failure, machine, sections};

/// Measures sections of docs/benchmarks.md, and writes that file whole: sections that are not measured now come from
/// the records of earlier runs in target/benchmarks.
///
/// Exit status: 0 all well; 1 a section failed, or a judge found a fault; 2 bad usage; 3 a section was not measured, or
/// a judge left something unknown or unsupported.
#[derive(Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// The sections to measure, by name; all if none is named.
    sections: Vec<String>,
    /// Name the sections, and measure none.
    #[arg(long)]
    list: bool,
    /// Measure none, and write the file from the records.
    #[arg(long, conflicts_with_all = ["sections", "list"])]
    write: bool,
    /// Seconds of the main fuzzing job; all other durations and amounts grow and shrink in proportion.
    #[arg(long, value_name = "N", default_value_t = SECONDS_A_JOB, value_parser = clap::value_parser!(u64).range(1..=86400))]
    seconds_a_job: u64,
    /// Threads of what can use several.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(Standing::Well) => ExitCode::SUCCESS,
        Ok(Standing::Fault) => ExitCode::from(1),
        Ok(Standing::Open) => ExitCode::from(3),
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Standing, Failure> {
    let chosen = sections::chosen(&arguments.sections)?;
    if arguments.list {
        chosen.iter().for_each(|section| println!("{:<12}{}", section.name, section.heading));
        return Ok(Standing::Well);
    }
    let place = place();
    let (records, document) = (place.root.join("target/benchmarks"), place.root.join("docs/benchmarks.md"));
    make_folder(&records)?;
    make_folder(&place.root.join("docs"))?;
    if arguments.write {
        return write(&document, &place, &records).map(|()| Standing::Well);
    }
    let effort = Budget { seconds_a_job: arguments.seconds_a_job, jobs: arguments.jobs.into() };
    let mut worst = Standing::Well;
    for (number, section) in chosen.iter().enumerate() {
        eprintln!("[{}/{}] {}", number + 1, chosen.len(), section.name);
        let record = measure(section, &effort, &place, |command| eprintln!("    {command}"));
        record.write(&records, section.name)?;
        let standing = page::section(section, Some(&record), &record.origin).1;
        eprintln!("    {} in {:.0} s", said(standing), record.seconds);
        worst = worst.max(standing);
        write(&document, &place, &records)?;
    }
    Ok(worst)
}

fn said(standing: Standing) -> &'static str {
    match standing {
        Standing::Well => "measured",
        Standing::Open => "not measured, or something is unknown or unsupported: see docs/benchmarks.md",
        Standing::Fault => "FAILED, or a judge found a fault: see docs/benchmarks.md",
    }
}

/// The workspace that this program was built in; `tribunal` stands beside it.
fn place() -> Place {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = std::env::current_exe().ok();
    Place {
        root: folder.parent().unwrap_or(folder).to_path_buf(),
        programs: program.as_deref().and_then(Path::parent).map(PathBuf::from).into_iter().collect(),
    }
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|source| Failure::File { path: path.to_path_buf(), source })
}

/// The whole file, from all records and from the file as it is.
fn write(document: &Path, place: &Place, records: &Path) -> Result<(), Failure> {
    let head = Head { origin: place.origin(), facts: machine::facts(place) };
    let read = |section: &'static Section| Ok((section, Record::read(records, section.name)?));
    let all = sections::all().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let before = std::fs::read_to_string(document).unwrap_or_default();
    std::fs::write(document, page::page(&head, &all, &before))
        .map_err(|source| Failure::File { path: document.to_path_buf(), source })
}
