//! `tribunal reduce`: by our judges, by a foreign program, and what it says when it cannot. What becomes of a crash
//! file once its fault is gone, and of a corpus.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name).display().to_string()
}

fn tribunal(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tribunal")).args(arguments).output().unwrap()
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(text.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("no JSON in:\n{text}{error}"))
}

/// A program that judges: `condition` is a shell command on the file `$1`.
fn script(folder: &Path, condition: &str) -> String {
    let path: PathBuf = folder.join("judge.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{condition}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_foreign_program_judges_a_module() {
    let folder = tempfile::tempdir().unwrap();
    let judge = script(folder.path(), "grep -q G_MUL \"$1\" && grep -q 'target: riscv64' \"$1\"");
    let out = folder.path().join("small.mir").display().to_string();
    let output = tribunal(&["reduce", &corpus("real/wide.riscv64.O1.mir"), "-o", &out, "--check", &judge, "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = report(&output);
    assert!(report["instructions_before"].as_u64().unwrap() > 100, "{report}");
    assert_eq!(report["finished"], true);
    assert!(report["guilty"].is_null());
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("G_MUL").count(), 1, "{text}");
    let body = text.lines().filter(|line| line.starts_with("    "));
    // A constant, the multiplication, and a return.
    assert_eq!((body.count(), report["instructions_after"].as_u64()), (3, Some(3)), "{text}");
    assert_eq!(tribunal(&["verify", &out]).status.code(), Some(0), "{text}");
}

#[test]
fn what_our_verifier_finds_stays_in_the_smallest_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("small.mir").display().to_string();
    let output = tribunal(&["reduce", &corpus("verifier/type-extension.mir"), "-o", &out, "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = report(&output);
    assert_eq!(report["guilty"], "input");
    assert!(report["instructions_after"].as_u64() <= report["instructions_before"].as_u64(), "{report}");
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.contains("# kind: type-extension"), "{text}");
    // A crash file: it shows the fault again.
    assert_eq!(tribunal(&["replay", &out]).status.code(), Some(1), "{text}");
}

#[test]
fn a_search_that_is_stopped_writes_the_best_so_far_and_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let judge = script(folder.path(), "grep -q G_MUL \"$1\"");
    let out = folder.path().join("small.mir").display().to_string();
    let file = corpus("real/wide.riscv64.O1.mir");
    let output = tribunal(&["reduce", &file, "-o", &out, "--check", &judge, "--seconds", "0", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report(&output)["finished"], false);
    assert!(std::fs::read_to_string(&out).unwrap().contains("G_MUL"));
}

#[test]
fn what_cannot_be_reduced_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("small.mir").display().to_string();
    let refused = |arguments: &[&str], reason: &str| {
        let file = corpus("bugs/wide_population.riscv64.mir");
        let output = tribunal(&[&["reduce", &file, "-o", &out], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(reason), "{error}");
        assert!(!Path::new(&out).exists());
    };
    refused(&[], "no judge finds anything");
    refused(&["--check", "false"], "does not end with exit status 0");
    refused(&["--check", "/nowhere/judge"], "/nowhere/judge: No such file");
    refused(&["--check", ""], "no command");
    let slow = script(folder.path(), "exec sleep 60");
    refused(&["--check", &slow, "--check-seconds", "1"], "does not end with exit status 0");
}

#[test]
fn a_crash_file_is_blessed_once_its_fault_is_gone_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("bugs");
    let bless = |file: &str| tribunal(&["replay", file, "--bless", "--into", into.to_str().unwrap(), "--json"]);
    let output = bless(&corpus("verifier/type-extension.mir"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("not blessed: the fault is still there"));
    assert!(report(&output)["blessed"].is_null() && !into.exists());

    let crash = folder.path().join("emulator-wrong-result-riscv.sub.mir");
    let bug = std::fs::read_to_string(corpus("bugs/dead_copy_keeps_truncation.riscv64.mir")).unwrap();
    let story =
        "# target: riscv64\n# judge: emulator\n# kind: wrong-result\n# guilty: select\n# input: $x10 = 0x100000005\n";
    std::fs::write(&crash, format!("{story}{}", &bug[bug.find("---").unwrap()..])).unwrap();
    let output = bless(crash.to_str().unwrap());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let case = into.join("emulator_wrong_result_riscv_sub.riscv64.mir");
    assert_eq!(report(&output)["blessed"].as_str(), case.to_str());
    let text = std::fs::read_to_string(case).unwrap();
    assert!(text.contains("# run: @low(0x100000005) == 0x5\n"), "{text}");
    assert_eq!(bless(crash.to_str().unwrap()).status.code(), Some(2), "cases are not replaced");
}

#[test]
fn a_campaign_starts_from_its_corpus_and_adds_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (programs, out) = (folder.path().join("programs"), folder.path().join("out"));
    let fuzz = |runs: &str| {
        let folders = ["--corpus", programs.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let output = tribunal(&[&["fuzz", "--runs", runs, "--target", "riscv64", "--json"], &folders[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        let count = |key: &str| report(&output)[key].as_u64().unwrap() as usize;
        // A program is gone again once smaller ones reach all of its features.
        (
            count("corpus_added") - count("corpus_replaced"),
            std::fs::read_dir(&programs).unwrap().count(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (added, files, _) = fuzz("24");
    assert!(added >= 2 && files == added, "{added} added, {files} files");
    let (more, all, said) = fuzz("40");
    assert!(said.contains(&format!("corpus: {files} functions read, 0 set aside")), "{said}");
    assert_eq!(all, files + more);
    std::fs::write(programs.join("bad.mir"), "# target: riscv64\n---\nname: [\n").unwrap();
    let output = tribunal(&["fuzz", "--runs", "1", "--corpus", programs.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("bad.mir"));
}
