//! `tribunal doctor`: what is there is found, what is not is missing, and its rows are the Makefile's.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn doctor(change: impl Fn(&mut Command)) -> (Option<i32>, String, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    command.args(["doctor", "--json"]).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    change(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap();
    (output.status.code(), text, report)
}

fn check<'r>(report: &'r Value, name: &str) -> &'r Value {
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks.find(|check| check["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {report}"))
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn what_is_there_is_found_with_its_version() {
    let (status, text, report) = doctor(|_| {});
    assert_eq!((status, &report["verbs"]), (Some(0), &Value::Bool(true)), "{text}");
    for (name, version) in [("solver", "4."), ("llc-22", "22."), ("clang-22", "22."), ("ld.lld-22", "22.")] {
        let state = check(&report, name)["state"].as_str().unwrap();
        assert!(check(&report, name)["found"] == true && state.starts_with(version), "{name}: {state}");
    }
    for target in ["riscv64", "riscv32", "aarch64"] {
        assert_eq!(check(&report, &format!("judges of {target}"))["found"], true, "{text}");
        assert_eq!(check(&report, &format!("qemu-{target}"))["found"], true, "{text}");
    }
    assert_eq!(check(&report, "cache folder")["state"], format!("{}/tribunal", env!("CARGO_TARGET_TMPDIR")));
}

#[test]
fn what_is_missing_is_named_with_its_package_and_the_verbs_work_without() {
    let (status, text, report) = doctor(|command| _ = command.env("PATH", "").env("XDG_CACHE_HOME", "/dev/null/cache"));
    assert_eq!((status, &report["verbs"]), (Some(0), &Value::Bool(true)), "{text}");
    for name in ["llc-22", "clang-22", "ld.lld-22", "qemu-riscv64", "csmith", "nightly toolchain", "cargo-fuzz"] {
        let check = check(&report, name);
        let brought_by = check["brought_by"].as_str().unwrap();
        assert_eq!(check["found"], false, "{check}");
        let line = text.lines().find(|line| line.starts_with("MISSING") && line.contains(&format!(" {name} ")));
        assert!(line.is_some_and(|line| line.contains(brought_by)), "{text}");
    }
    assert_eq!(check(&report, "cache folder")["found"], false, "{text}");
    let missing = text.lines().filter(|line| line.starts_with("MISSING")).count();
    assert_eq!(report["missing"].as_u64(), Some(missing as u64));
}

/// Not even by a program that it asks for its version: csmith leaves a file where it runs.
#[test]
#[cfg(unix)]
fn nothing_is_written_to_the_folder_in_which_it_runs() {
    use std::os::unix::fs::PermissionsExt;
    let (tools, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let csmith = tools.path().join("csmith");
    std::fs::write(&csmith, "#!/bin/sh\n: > platform.info\necho csmith 2.3.0\n").unwrap();
    std::fs::set_permissions(&csmith, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (_, text, report) = doctor(|command| _ = command.env("PATH", tools.path()).current_dir(folder.path()));
    assert_eq!(check(&report, "csmith")["state"], "2.3.0", "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Every peer that the Makefile installs is a row, and every make target that a row names is in the Makefile.
#[test]
fn rows_and_makefile_agree() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).unwrap();
    let (_, text, report) = doctor(|_| {});
    let peers = makefile.lines().find_map(|line| line.strip_prefix("PEER_PACKAGES := ")).unwrap();
    let csmith = makefile.lines().find_map(|line| line.trim().strip_prefix("@.ci/packages csmith ")).unwrap();
    for package in peers.split(' ').chain(csmith.split(' ')) {
        assert!(text.contains(package), "{package} is in the Makefile and not in:\n{text}");
    }
    for check in report["checks"].as_array().unwrap() {
        for named in check["needed_for"].as_str().unwrap().split(", ").filter_map(|part| part.strip_prefix("make ")) {
            assert!(makefile.contains(&format!("\n{named}:")), "no target `{named}` in the Makefile");
        }
    }
}
