//! The fixed programs: a backend that makes dearer code or other objects of them is found, and so is a wrong answer.

use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_fuzz::campaign::{self, Campaign};
use tribunal_fuzz::costs;
use tribunal_fuzz::fixed_programs::{programs, wrong_answers, wrong_verdicts};
use tribunal_target::riscv::RISCV64;
use tribunal_target::{ALL, Elf, Made, Target};
use tribunal_trial::finding::Finding;

/// The machine without short spellings.
static LONGER: Target = Target { compressed: &[], made: Made::new(), ..RISCV64 };

fn differences(target: &'static Target) -> Vec<Finding> {
    costs::differences(&costs::measured(&programs(target), target), target)
}

#[test]
fn longer_code_is_a_finding_of_the_first_pass_that_differs() {
    let measured = costs::measured(&programs(&RISCV64), &RISCV64);
    let none = costs::differences(&measured, &RISCV64);
    assert!(none.is_empty(), "{none:?}");
    assert!(costs::changed(&programs(&RISCV64), &measured, &RISCV64).is_empty());
    let findings = differences(&LONGER);
    let [finding] = findings.as_slice() else { panic!("one finding, not {findings:?}") };
    assert_eq!(finding.guilty, "emit", "{}", finding.details);
}

/// A campaign without programs of its own judges those of the corpus whose code is another. Longer code is right: this
/// holds the programs to their judges in each way, too.
#[test]
fn programs_of_other_code_are_judged_first() {
    let out = tempfile::tempdir().expect("a folder");
    let judged = |target: &'static Target| {
        let campaign = Campaign {
            time: Duration::from_secs(120),
            runs: Some(0),
            jobs: 2,
            inputs: 8,
            ..Campaign::new(vec![(target, target.default_features)], out.path().to_path_buf())
        };
        campaign::run(&campaign, &AtomicBool::new(false), |_, _, _| {}, |_| {}).expect("the emulator works")
    };
    assert_eq!(judged(&RISCV64).tally.functions, 0, "no code is another");
    let report = judged(&LONGER);
    let crashes: Vec<String> = report.crashes.iter().map(|(finding, _)| format!("{}", finding.signature())).collect();
    assert!(report.tally.passed > 0, "{crashes:?}");
    // The machine has no compressed forms, which is told too.
    let wanted = ["compiler: contract: guilty: emit", "emulator: contract: guilty: emit"];
    assert_eq!(crashes, wanted, "longer code, and nothing else");
}

/// Such a program that does not end is told as one of the campaign's own is, by its name.
#[test]
fn a_program_of_other_code_may_be_stuck() {
    let out = tempfile::tempdir().expect("a folder");
    let campaign = Campaign {
        runs: Some(0),
        // Any program takes longer.
        patience: Duration::ZERO,
        ..Campaign::new(vec![(&LONGER, LONGER.default_features)], out.path().to_path_buf())
    };
    let mut abandoned = None;
    let kept = |report| abandoned = Some(report);
    campaign::run(&campaign, &AtomicBool::new(false), |_, _, _| {}, kept).expect("the emulator works");
    let report = abandoned.expect("a worker is at some program");
    let (finding, path) = report.crashes.last().expect("the program that is stuck");
    assert_eq!(finding.signature().to_string(), "compiler: stuck: guilty: stuck");
    assert!(path.to_string_lossy().starts_with("(riscv64 "), "{path:?}");
}

/// The machine whose objects say nothing of their instruction set.
static OTHER_OBJECT: Target = Target { elf: without_attributes(), made: Made::new(), ..RISCV64 };

const fn without_attributes() -> Option<Elf> {
    match RISCV64.elf {
        Some(elf) => Some(Elf { attributes: None, ..elf }),
        None => None,
    }
}

#[test]
fn another_object_of_the_same_code_is_a_finding() {
    let findings = differences(&OTHER_OBJECT);
    let [finding] = findings.as_slice() else { panic!("one finding, not {findings:?}") };
    assert!(finding.details.starts_with("the object of "), "{}", finding.details);
}

#[test]
fn a_wrong_answer_is_a_finding() {
    for &target in ALL {
        let mut programs = programs(target);
        assert!(wrong_answers(&programs, target).is_empty(), "{}: {:?}", target.name, wrong_answers(&programs, target));
        let program = programs.iter_mut().find(|program| program.name == "g_add").expect("it is there");
        // One more digit.
        let answers = program.module.comments.iter_mut().filter(|line| line.contains("==") && !line.ends_with(')'));
        answers.for_each(|line| line.push('1'));
        let findings = wrong_answers(&programs, target);
        let [finding] = findings.as_slice() else { panic!("one finding, not {findings:?}") };
        assert_eq!(finding.guilty, "answers of g_add", "{}", finding.details);
    }
}

#[test]
fn verdicts_on_pairs_are_the_known_ones() {
    for &target in ALL {
        assert!(wrong_verdicts(target).is_empty(), "{}: {:?}", target.name, wrong_verdicts(target));
    }
}

/// A reader that loses a program, and a program that loses a function, lose no answer in silence.
#[test]
fn what_is_missing_is_a_finding() {
    let mut programs = programs(&RISCV64);
    programs.retain(|program| program.name != "g_add");
    let findings = costs::differences(&costs::measured(&programs, &RISCV64), &RISCV64);
    let [finding] = findings.as_slice() else { panic!("one finding, not {findings:?}") };
    assert!(finding.details.starts_with("riscv64 g_add "), "{}", finding.details);
    let other = programs.iter_mut().find(|program| program.name == "g_sub").expect("it is there");
    other.module.functions.clear();
    let findings = wrong_answers(&programs, &RISCV64);
    assert!(findings.iter().any(|finding| finding.details.ends_with("no such function")), "{findings:?}");
}
