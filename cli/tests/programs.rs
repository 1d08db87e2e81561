//! A share of the C programs of `corpus/programs`: LLVM's backend passes them, so programs, runtime, linking and
//! comparison work; and ours refuses those that the list of known ones names, and no other. `make programs` runs all.
//! The peers are part of `make test`: a missing one fails the test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_corpus::programs::known::KnownUnsupported;
use tribunal_corpus::programs::platform::Platform;
use tribunal_corpus::programs::{
    CProgram, LEVELS, Maker, ProgramResult, ProgramVerdict, Share, Toolchain, native, source,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("corpus/programs")
}

fn toolchain(maker: Maker) -> Toolchain {
    let tribunal = env!("CARGO_BIN_EXE_tribunal").into();
    Toolchain { folder: folder(), tribunal, maker, limit: Duration::from_secs(120) }
}

fn named(names: &[&str]) -> Vec<CProgram> {
    let mut programs = source::all(&folder()).unwrap();
    programs.retain(|program| names.contains(&program.name.as_str()));
    assert_eq!(programs.len(), names.len());
    programs
}

fn can_run(program: &CProgram, platform: &Platform) -> bool {
    !program.requires.iter().any(|word| platform.lacks.contains(word))
}

#[test]
fn every_program_has_an_expectation() {
    let programs = source::all(&folder()).unwrap();
    let without: Vec<&str> =
        programs.iter().filter(|program| program.expected.is_empty()).map(|program| program.name.as_str()).collect();
    assert!(without.is_empty(), "{without:?}");
    assert_eq!(programs.len(), 62);
}

#[test]
fn the_peer_passes() {
    let tools = toolchain(Maker::Llc);
    for platform in Platform::all(&folder()).unwrap() {
        for program in named(&["checksums", "constructors", "failing", "globals", "inventory"]) {
            let result = tools.run(&program, &platform, "-O1", Share::Whole).unwrap();
            assert_eq!(result.verdict, ProgramVerdict::Passed, "{} {}", program.name, platform.name);
        }
    }
}

/// Each program for one target and at one level, so that all of both have their turn.
#[test]
fn ours_refuses_what_is_listed_and_nothing_else() {
    let (tools, platforms) = (toolchain(Maker::Tribunal), Platform::all(&folder()).unwrap());
    let run = |(number, program): (usize, &CProgram)| -> Option<ProgramResult> {
        let platform = &platforms[number % platforms.len()];
        let level = LEVELS[number / platforms.len() % LEVELS.len()];
        can_run(program, platform).then(|| tools.run(program, platform, level, Share::Whole).unwrap())
    };
    let results: Vec<ProgramResult> = source::all(&folder()).unwrap().iter().enumerate().filter_map(run).collect();
    let complaints = KnownUnsupported::read(&folder()).unwrap().complaints(&results);
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn a_mixture_links_both_ways() {
    let (program, platform) = (&named(&["inventory"])[0], &Platform::all(&folder()).unwrap()[0]);
    for share in Share::MIXTURES {
        let result = toolchain(Maker::Llc).run(program, platform, "-O1", share).unwrap();
        assert_eq!(result.verdict, ProgramVerdict::Passed);
        let ours = toolchain(Maker::Tribunal).run(program, platform, "-O1", share).unwrap();
        assert!(ours.functions.seen > 0, "{ours:?}");
    }
}

#[test]
fn a_wrong_output_and_a_wrong_status_are_seen() {
    let tools = toolchain(Maker::Llc);
    let platform = &Platform::all(&folder()).unwrap()[0];
    let verdict = |change: fn(&mut CProgram)| {
        let mut program = named(&["failing"]).remove(0);
        change(&mut program);
        tools.run(&program, platform, "-O1", Share::Whole).unwrap().verdict
    };
    assert_eq!(verdict(|_| {}), ProgramVerdict::Passed);
    let wrong = |change| matches!(verdict(change), ProgramVerdict::Wrong(_));
    assert!(wrong(|program| program.expected.push('\n')));
    assert!(wrong(|program| program.status = 0));
}

#[test]
fn this_machine_agrees_with_the_expectation() {
    for program in named(&["failing", "inventory"]) {
        let results = native::check(&program, &folder(), Duration::from_secs(120)).unwrap();
        let bad: Vec<&ProgramResult> =
            results.iter().filter(|result| result.verdict != ProgramVerdict::Passed).collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }
}
