//! The way from a planted fault to a case, by the commands that the README gives.

use std::path::Path;
use std::process::{Command, Output};

fn tribunal(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tribunal")).current_dir(folder).args(arguments).output().unwrap()
}

fn says(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_crash_file_of_sabotage_goes_through_replay_reduce_and_bless() {
    for (fault, target, guilty) in [
        ("carry-turned-over", "riscv64", "G_ADD#5 max_scalar"),
        ("frame-not-allocated", "aarch64", "frame"),
        ("call-linked-to-another-function", "riscv64", "emit"),
    ] {
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
        assert_eq!(blessed.status.code(), Some(0), "{}", says(&blessed));
        let case = format!("cases/small.{target}.mir");
        assert_eq!(run(&["trial", &case]).status.code(), Some(0), "every judge passes the case");
    }
}

#[test]
fn faults_are_listed_and_bad_ones_refused() {
    let here = Path::new(".");
    assert!(says(&tribunal(here, &["sabotage", "--list"])).lines().count() >= 120);
    for arguments in
        [&["sabotage", "--fault", "no-such-fault"][..], &["sabotage", "--fault", "zext-left-out", "--target", "z80"]]
    {
        let output = tribunal(here, arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}
