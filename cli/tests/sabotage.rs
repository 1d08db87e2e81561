//! The way from a planted fault to a case, by the commands that the README gives.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::Path;
use std::process::{Command, Output};

fn tribunal(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tribunal")).current_dir(folder).args(arguments).output().unwrap()
}

fn says(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A crash file of a planted fault, by the README's commands: `guilty` ends what replay says.
fn goes_through_replay_reduce_and_bless(fault: &str, target: &str, guilty: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| tribunal(folder.path(), arguments);
    let planted = run(&["sabotage", "--fault", fault, "--target", target, "--out", "crashes", "--json"]);
    assert_eq!(planted.status.code(), Some(0), "{}", says(&planted));
    let crash = format!("crashes/{fault}.{target}.mir");
    let replayed = run(&["replay", &crash]);
    assert_eq!(replayed.status.code(), Some(1), "{}", says(&replayed));
    assert!(says(&replayed).lines().last().is_some_and(|line| line.contains(guilty)), "{}", says(&replayed));
    let reduced = run(&["reduce", &crash, "-o", "small.mir"]);
    assert_eq!(reduced.status.code(), Some(0), "{}", says(&reduced));
    assert_eq!(run(&["replay", "small.mir"]).status.code(), Some(1), "the small program shows the fault");
    let kept = run(&["replay", "small.mir", "--bless", "--into", "cases"]);
    assert!(says(&kept).contains("not blessed"), "{}", says(&kept));
    let blessed = run(&["replay", "small.mir", "--unplanted", "--bless", "--into", "cases"]);
    assert_eq!(blessed.status.code(), Some(0), "{fault}: {}", says(&blessed));
    let case = format!("cases/small.{target}.mir");
    assert_eq!(run(&["trial", &case]).status.code(), Some(0), "every judge passes the case");
}

#[test]
fn crash_files_of_rules_and_of_bytes_go_through_replay_reduce_and_bless() {
    for (fault, target, guilty) in [
        ("carry-turned-over", "riscv64", "G_ADD#5 max_scalar"),
        ("difference-the-other-way", "aarch64", "aarch64 sub"),
        ("volatile-load-made-twice", "riscv64", "load"),
        ("immediate-without-its-sign", "riscv64", "emit"),
        ("conditional-branch-one-word-far", "aarch64", "emit"),
        ("call-linked-to-another-function", "riscv64", "emit"),
        // The machine has an option that is off by default.
        ("small-atomic-over-its-neighbours", "riscv64", "emit"),
    ] {
        goes_through_replay_reduce_and_bless(fault, target, guilty);
    }
}

#[test]
fn crash_files_of_allocation_frames_and_branches_go_through_replay_reduce_and_bless() {
    for (fault, target, guilty) in [
        ("copies-in-the-wrong-order", "riscv64", "allocate"),
        ("frame-not-allocated", "aarch64", "frame"),
        ("stack-misaligned-at-a-call", "riscv64", "frame"),
        ("condition-turned-over", "riscv64", "relax-branches"),
    ] {
        goes_through_replay_reduce_and_bless(fault, target, guilty);
    }
}

/// The head of a finding without its count.
fn head(line: &str) -> String {
    line.split_once(" (seen ").map_or(line, |(signature, _)| signature).to_string()
}

/// How often findings were seen, by their heads in all.
fn seen(text: &str) -> u64 {
    let heads = text.lines().filter(|line| !line.starts_with([' ', '{']) && line.contains(": guilty: "));
    let times = |line: &str| line.split_once(" (seen ")?.1.split(' ').next()?.parse::<u64>().ok();
    heads.map(|line| times(line).unwrap_or(1)).sum()
}

#[test]
fn known_findings_are_counted_and_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let fuzz = |more: &[&str]| {
        let planted = [
            "fuzz",
            "--fault",
            "carry-turned-over",
            "--target",
            "riscv64",
            "--runs",
            "3200",
            "--seconds",
            "600",
            "--json",
        ];
        tribunal(folder.path(), &[&planted, more].concat())
    };
    let json = |output: &Output| -> serde_json::Value {
        serde_json::from_str(says(output).lines().last().unwrap_or_default()).unwrap()
    };
    let found = fuzz(&[]);
    assert_eq!(found.status.code(), Some(1), "{}", says(&found));
    let lines: Vec<String> = says(&found)
        .lines()
        .filter_map(|line| line.trim().strip_prefix("line for --known: ").map(String::from))
        .collect();
    assert!(!lines.is_empty(), "{}", says(&found));
    // Each signature stands once, with how often it was seen.
    let is_head = |line: &&str| !line.starts_with([' ', '{']) && line.contains(": guilty: ");
    assert_eq!(says(&found).lines().filter(is_head).map(head).collect::<Vec<_>>(), lines, "{}", says(&found));
    assert_eq!(seen(&says(&found)), json(&found)["findings"].as_u64().unwrap());
    assert_eq!(lines.len() as u64, json(&found)["distinct"].as_u64().unwrap());
    for line in &lines {
        let files = std::fs::read_dir(folder.path().join("fuzz-out")).unwrap();
        let mut texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let comment = format!("# signature: {line}");
        assert!(texts.any(|text| text.lines().any(|line| line == comment)), "no crash file has {comment}");
    }
    let never = "verifier: cfg-entry: guilty: no such rule";
    std::fs::write(folder.path().join("known.txt"), format!("# planted\n{}\n{never}\n", lines.join("\n"))).unwrap();
    let again = fuzz(&["--known", "known.txt", "--out", "other"]);
    assert_eq!(again.status.code(), Some(0), "{}", says(&again));
    assert!(!folder.path().join("other").exists(), "nothing known has a crash file");
    let (first, second) = (json(&found), json(&again));
    assert_eq!(second["findings"], 0);
    assert_eq!(second["known"], first["findings"], "{}", says(&again));
    let seen: Vec<u64> =
        second["known_signatures"].as_array().unwrap().iter().map(|known| known["seen"].as_u64().unwrap()).collect();
    assert_eq!(seen.iter().sum::<u64>(), second["known"].as_u64().unwrap());
    assert_eq!(seen.iter().rposition(|&seen| seen == 0), Some(lines.len()));
    assert!(
        says(&again).contains(&format!("known and not seen: {never} (line {})", lines.len() + 2)),
        "{}",
        says(&again)
    );
    // What is not listed is found still.
    std::fs::write(folder.path().join("known.txt"), never).unwrap();
    assert_eq!(fuzz(&["--known", "known.txt"]).status.code(), Some(1));
    std::fs::write(folder.path().join("known.txt"), "prover: refuted: riscv64 G_ADD#5").unwrap();
    let bad = fuzz(&["--known", "known.txt"]);
    assert_eq!(bad.status.code(), Some(2));
    let error = String::from_utf8_lossy(&bad.stderr);
    assert!(error.contains("known.txt:1:1") && error.contains("^^^"), "{error}");
}

#[test]
fn faults_are_listed_and_bad_ones_refused() {
    let here = Path::new(".");
    let listed = says(&tribunal(here, &["sabotage", "--list"])).lines().count();
    assert_eq!(listed, tribunal_fuzz::sabotage::faults().map(|fault| fault.targets.len()).sum::<usize>());
    for arguments in
        [&["sabotage", "--fault", "no-such-fault"][..], &["sabotage", "--fault", "zext-left-out", "--target", "z80"]]
    {
        let output = tribunal(here, arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}
