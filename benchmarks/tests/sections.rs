//! Every section renders from the record of a short run, `docs/benchmarks.md` holds every section, and one that failed
//! or lacks its tool shows no figure.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tribunal_benchmarks::page::{self, Head, Standing};
use tribunal_benchmarks::record::{Measurement, Origin, Record};
use tribunal_benchmarks::section::{Budget, SECONDS_A_JOB, Section};
use tribunal_benchmarks::sections;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The record of a short run of the section.
fn sample(section: &Section) -> Record {
    let record = Record::read(&folder("tests/samples"), section.name).expect("samples can be read");
    record.unwrap_or_else(|| panic!("no sample of {}: a record of target/benchmarks is one", section.name))
}

fn elsewhere() -> Origin {
    Origin { date: "2001-01-01".to_string(), commit: "0123456789".to_string(), has_changes: false }
}

#[test]
fn every_section_renders_from_its_sample() {
    for section in sections::all() {
        let record = sample(section);
        let (text, standing) = page::section(section, Some(&record), &record.origin);
        let Measurement::Measured(runs) = &record.outcome else {
            panic!("the sample of {} is no measurement", section.name)
        };
        assert!(standing < Standing::Fault, "{}", text);
        assert!(text.starts_with(&format!("## {}\n\n", section.heading)), "{text}");
        for run in runs {
            assert!(text.contains(&format!("\n    {}", run.command)), "{} is not shown in\n{text}", run.command);
        }
        // A title, a rule, and at least one row of every table.
        let rows = text.lines().filter(|line| line.starts_with('|')).count();
        assert!(rows >= 3 * section.parts.len(), "{text}");
        assert!(!text.contains("| |") && !text.contains("NaN") && !text.contains("null"), "{text}");
        assert!(!text.contains(&record.origin.commit), "the head says it already:\n{text}");
    }
}

#[test]
fn samples_are_of_the_commands_that_run_today() {
    let effort = Budget { seconds_a_job: SECONDS_A_JOB, jobs: 2 };
    for section in sections::all() {
        let Measurement::Measured(runs) = sample(section).outcome else { panic!("no measurement") };
        // Durations and amounts are the sample's own.
        let shape = |command: &str| command.replace(|letter: char| letter.is_ascii_digit(), "");
        let ran: Vec<_> = runs.iter().map(|run| (run.label.clone(), shape(&run.command))).collect();
        let steps = (section.steps)(&effort);
        let asked: Vec<_> = steps.iter().map(|step| (step.label.to_string(), shape(&step.command))).collect();
        assert_eq!(ran, asked, "{}: measure it again, and keep its record", section.name);
    }
}

#[test]
fn figures_of_another_day_or_commit_say_so() {
    for section in sections::all() {
        let record = sample(section);
        let (text, _) = page::section(section, Some(&record), &elsewhere());
        assert!(text.contains(&record.origin.to_string()), "{text}");
    }
}

#[test]
fn what_failed_or_was_not_measured_shows_no_figures() {
    for section in sections::all() {
        let measured = sample(section);
        let with = |outcome: Measurement| {
            let record = Record { outcome, ..measured.clone() };
            page::section(section, Some(&record), &elsewhere())
        };
        let failed =
            with(Measurement::Failed { command: "false".to_string(), reason: "exit status: 9\nit said".to_string() });
        let missing = with(Measurement::Missing("csmith is missing".to_string()));
        // The command's output has another form than the tables ask for.
        let other = match measured.outcome.clone() {
            Measurement::Measured(mut runs) => {
                runs.iter_mut().for_each(|run| run.output = serde_json::json!({"other": 1}));
                with(Measurement::Measured(runs))
            }
            outcome => with(outcome),
        };
        let never = page::section(section, None, &elsewhere());
        for ((text, standing), expected, says) in [
            (failed, Standing::Fault, format!("**Failed** ({}): `false`: exit status: 9 it said", measured.origin)),
            (other, Standing::Fault, format!("**Failed** ({})", measured.origin)),
            (missing, Standing::Open, format!("**Not measured**: csmith is missing ({})", measured.origin)),
            (never, Standing::Open, "**Not measured yet**".to_string()),
        ] {
            assert_eq!(standing, expected, "{text}");
            assert!(text.contains(&says), "{says} is not in\n{text}");
            assert!(!text.lines().any(|line| line.starts_with('|')), "a table in\n{text}");
        }
    }
}

#[test]
fn a_fault_or_an_open_question_of_one_command_is_the_sections() {
    let section = sections::all().find(|section| section.name == "prove").unwrap();
    for (status, expected) in [(0, Standing::Well), (1, Standing::Fault), (3, Standing::Open)] {
        let mut record = sample(section);
        let Measurement::Measured(runs) = &mut record.outcome else { panic!("no measurement") };
        runs.iter_mut().for_each(|run| run.status = 0);
        runs[1].status = status;
        let (text, standing) = page::section(section, Some(&record), &elsewhere());
        assert_eq!(standing, expected);
        assert_eq!(text.contains(&format!("# exit status {status}")), status != 0, "{text}");
    }
}

#[test]
fn the_file_holds_every_section_and_nothing_by_hand() {
    let file = std::fs::read_to_string(folder("../docs/benchmarks.md")).unwrap();
    let headings: Vec<&str> = file.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, sections::all().map(|section| section.heading).collect::<Vec<_>>());
    let head = Head { origin: elsewhere(), facts: vec![("cores", "2".to_string())] };
    let all: Vec<_> = sections::all().map(|section| (section, None)).collect();
    let page = page::page(&head, &all, "");
    assert!(page.contains("| date | 2001-01-01 |") && page.contains("| commit | 0123456789 |"), "{page}");
    assert!(page.contains("| cores | 2 |"), "{page}");
    // Its prose is the tool's, line for line.
    let prose = |text: &str| -> BTreeSet<String> {
        let is_made = |line: &&str| !line.starts_with(['|', ' ', '*']) && !line.starts_with("Taken in ");
        text.lines().filter(is_made).map(str::to_string).collect()
    };
    assert_eq!(prose(&file).difference(&prose(&page)).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn a_section_without_a_record_is_kept_and_dated() {
    let head = |origin| Head { origin, facts: Vec::new() };
    let first: Vec<_> = sections::all().map(|section| (section, Some(sample(section)))).collect();
    let own = first[0].1.clone().unwrap().origin;
    let written = page::page(&head(own.clone()), &first, "");
    let nothing: Vec<_> = sections::all().map(|section| (section, None)).collect();
    let kept = page::page(&head(elsewhere()), &nothing, &written);
    // The same tables as where each record says its own day.
    let dated = page::page(&head(elsewhere()), &first, "");
    assert_eq!(kept.replace(" with uncommitted changes", ""), dated.replace(" with uncommitted changes", ""));
    assert!(kept.contains(&format!("builds included: {}, commit {}", own.date, own.commit)), "{kept}");
    let mended = page::page(&head(elsewhere()), &nothing, &kept);
    assert_eq!(mended, kept);
}

#[test]
fn records_are_read_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Record::read(folder.path(), "fuzz").unwrap(), None);
    let section = sections::all().next().unwrap();
    let record = sample(section);
    record.write(folder.path(), "fuzz").unwrap();
    assert_eq!(Record::read(folder.path(), "fuzz").unwrap(), Some(record));
    std::fs::write(folder.path().join("fuzz.json"), "{").unwrap();
    let error = Record::read(folder.path(), "fuzz").unwrap_err().to_string();
    assert!(error.contains("fuzz.json: not a record"), "{error}");
}

#[test]
fn sections_are_chosen_by_name_in_the_files_order() {
    let names = |asked: &[&str]| -> Vec<&str> {
        let asked: Vec<String> = asked.iter().map(|name| name.to_string()).collect();
        sections::chosen(&asked).unwrap().iter().map(|section| section.name).collect()
    };
    let all: Vec<&str> = sections::all().map(|section| section.name).collect();
    assert_eq!(names(&[]), all);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "two sections of one name");
    assert_eq!(names(&["prove", "fuzz"]), ["fuzz", "prove"]);
    let error = sections::chosen(&["prov".to_string()]).err().unwrap().to_string();
    assert!(error.starts_with("unknown section `prov`; known are fuzz, "), "{error}");
}

#[test]
fn bad_usage_ends_in_status_2_and_measures_nothing() {
    let tool = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_tribunal-benchmarks");
        let output = std::process::Command::new(program).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), text)
    };
    for bad in [&["prov"][..], &["--seconds-a-job", "0"], &["--jobs", "0"], &["--write", "fuzz"]] {
        let (status, [printed, error]) = tool(bad);
        assert_eq!((status, printed.as_str()), (Some(2), ""), "{bad:?}: {error}");
        assert!(error.starts_with("error: "), "{error}");
    }
    let (status, [list, _]) = tool(&["--list"]);
    assert_eq!((status, list.lines().count()), (Some(0), sections::all().count()));
}
