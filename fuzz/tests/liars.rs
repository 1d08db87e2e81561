//! The campaign against the judges sees a judge that lies, one that panics, and none in this project's own.

use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_fuzz::liars::{self, Damages, Liars, Lie, StageQuestion};

/// Some programs on every target, with one judge's answers.
fn campaign(accepts: impl Fn(&StageQuestion<'_>) -> bool + Sync) -> (Damages, Vec<Lie>) {
    let targets = tribunal_target::ALL.iter().map(|&target| (target, target.default_features)).collect();
    let liars = Liars { targets, time: Duration::from_secs(4), seed: 7, jobs: 1 };
    liars::run(&liars, accepts, &AtomicBool::new(false), |_, _, _| {})
}

#[test]
fn judges_of_this_project_do_not_lie() {
    let (tally, lies) = campaign(liars::accepts);
    let pairs: Vec<&str> = lies.iter().map(|lie| lie.pair.as_str()).collect();
    assert!(pairs.is_empty(), "{}", pairs.join("\n"));
    assert!(tally.refuted > 0 && tally.rejected > 0 && tally.damaged > 0, "{tally:?}");
}

#[test]
fn a_judge_that_accepts_everything_lies_after_every_stage() {
    let (tally, lies) = campaign(|_| true);
    assert_eq!((tally.refuted, tally.unknown), (0, 0), "{tally:?}");
    for stage in liars::STAGES {
        assert!(lies.iter().any(|lie| lie.stage == stage.name), "no lie after {}: {tally:?}", stage.name);
    }
}

#[test]
fn the_panic_of_a_judge_is_a_finding() {
    let (_, lies) = campaign(|question| panic!("after {}", question.stage.name));
    assert!(lies.iter().any(|lie| lie.difference.starts_with("a panic: ")), "{} findings", lies.len());
}
