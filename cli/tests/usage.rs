//! Bad input and bad usage: one clear error, exit status 2, nothing half-written.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::Path;
use std::process::{Command, Output};

fn tribunal(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tribunal")).args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every verb that reads a file.
const READERS: [&[&str]; 7] = [
    &["verify"],
    &["trial"],
    &["replay"],
    &["explain"],
    &["compile", "-o", "never.o"],
    &["reduce", "-o", "never.mir"],
    &["validate", "../corpus/run/riscv64/g_mul.mir"],
];

#[test]
fn bad_files_end_in_status_2_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let head = "---\nname: f\nbody: |\n  bb.0:\n";
    let files = [
        file("wrong.mir", format!("# target: riscv64\n{head}    %0:_(s64) = frob\n...\n").as_bytes()),
        file("cut.mir", format!("# target: riscv64\n{head}    %0:_(s64) = G_ADD %1\n").as_bytes()),
    ];
    for verb in READERS {
        for path in &files {
            let output = tribunal(&[verb, &[path.as_str()]].concat());
            assert_eq!(output.status.code(), Some(2), "{verb:?} {path}: {}", stderr(&output));
            let text = stderr(&output);
            assert!(text.contains(path.as_str()) && text.contains('^'), "no place and caret in:\n{text}");
        }
        for (path, reason) in [
            (file("empty.mir", b""), "the file is empty"),
            (file("blank.mir", b"\n  \n"), "the file is empty"),
            (file("binary.mir", &[0xff, 0xfe, 0, 1, 2]), "this is a binary file, not text"),
            (file("zeros.mir", &[0; 64]), "this is a binary file, not text"),
            (file("object.mir", b"\x7fELF\x02\x01\x01"), "this is an ELF file, not text"),
            (folder.path().display().to_string(), "this is a folder, not a file"),
        ] {
            for target in [&[][..], &["--target", "riscv64"]] {
                let output = tribunal(&[verb, &[path.as_str()], target].concat());
                assert_eq!(output.status.code(), Some(2), "{verb:?} {path}: {}", stderr(&output));
                assert_eq!(stderr(&output), format!("error: {path}: {reason}\n"), "{verb:?}");
            }
        }
    }
    assert!(!Path::new("never.o").exists() && !Path::new("never.mir").exists());
}

#[test]
fn a_solver_that_is_not_there_is_bad_usage() {
    let folder = tempfile::tempdir().unwrap();
    let questions = folder.path().to_str().unwrap();
    let output = tribunal(&["prove", "--opcode", "G_ADD", "--emit-smt2", questions, "--confirm", "no-such-solver"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "error: the solver `no-such-solver` cannot be started\n");
}

#[test]
fn bad_usage_ends_in_status_2() {
    let bad: [&[&str]; 26] = [
        &[],
        &["frobnicate"],
        &["trial"],
        &["trial", "no-such-file.mir"],
        &["fuzz", "--target", "z80", "--seconds", "1"],
        &["fuzz", "--jobs", "0"],
        &["fuzz", "--fault", "no-such-fault"],
        // Nothing planted, or nothing run, is not nothing found.
        &["fuzz", "--fault", "stores-reordered", "--target", "riscv32"],
        &["sabotage", "--fault", "stores-reordered", "--target", "riscv32"],
        &["fuzz", "--inputs", "0"],
        &["sabotage", "--inputs", "0"],
        &["trial", "../corpus/run/riscv64/g_mul.mir", "--inputs", "0"],
        &["fuzz", "--known", "no-such-file.txt"],
        &["prove", "--shard", "9/8"],
        &["prove", "--target", "aarch64", "--features", "+zbb"],
        &["fuzz", "--seconds", "1", "--features", "+q"],
        &["prove", "--ledger", "no-such-folder/ledger.txt"],
        &["validate", "no-such-file.mir", "no-such-file.mir"],
        &["prove", "--tables", "--opcode", "G_ADD"],
        &["prove", "--check-ledger"],
        &["prove", "--ledger", "no-such-ledger.txt", "--check-ledger"],
        &["prove", "--confirm", "no-such-solver"],
        &["prove", "--tables", "--jobs", "2"],
        // A folder that cannot be there is found before the proving, not behind it.
        &["prove", "--cache", "Cargo.toml/cache"],
        &["prove", "--out", "Cargo.toml/out"],
        &["trial", "../corpus/run/riscv64/g_mul.mir", "--cache", "Cargo.toml"],
    ];
    for arguments in bad {
        let output = tribunal(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty(), "{arguments:?} says nothing");
    }
}
