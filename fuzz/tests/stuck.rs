//! A program that does not end is a finding, with its file, and the campaign reports what it found before.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_fuzz::campaign::{self, Campaign, FeatureMix};

#[test]
fn a_program_that_takes_too_long_ends_the_campaign() {
    let out = tempfile::tempdir().unwrap();
    let targets = tribunal_target::ALL.iter().map(|&target| (target, target.default_features)).collect();
    let campaign = Campaign {
        mix: FeatureMix::Drawn,
        time: Duration::from_secs(2),
        // Any program takes longer.
        patience: Duration::ZERO,
        inputs: 32,
        ..Campaign::new(targets, out.path().to_path_buf())
    };
    let mut abandoned = None;
    let kept = |report| abandoned = Some(report);
    campaign::run(&campaign, &AtomicBool::new(false), |_, _, _| {}, kept).unwrap();
    let report = abandoned.expect("a worker is at some program");
    let [(finding, path)] = report.crashes.as_slice() else { panic!("{:?}", report.crashes) };
    assert_eq!(finding.signature().to_string(), "compiler: stuck: guilty: stuck");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("# kind: stuck") && text.contains("name:            f"), "{text}");
}
