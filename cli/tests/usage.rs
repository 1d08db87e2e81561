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
        // A folder that cannot be there is found before the proving, not after it.
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

/// What nobody means, on each flag that takes a number, a name or a place: one error that names the flag or the place,
/// exit status 2.
#[test]
fn odd_values_of_flags_end_in_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.txt");
    std::fs::write(&file, "text\n").unwrap();
    let (place, file) = (folder.path().to_str().unwrap(), file.to_str().unwrap());
    let (in_file, too_long) = (format!("{file}/x"), "a".repeat(5000));
    let huge = "99999999999999999999";
    let (mir, bug) = ("../corpus/run/riscv64/g_freeze.mir", "../corpus/bugs/wide_population.riscv64.mir");
    let numbers = ["", "-1", "1e3", " 1", "0x10", huge];
    let more_inputs = ["", "-1", huge, "65537", "4294967295"];
    let (names, targets) = (["no such", "*", "\u{e9}", too_long.as_str()], ["", "z80", "RISCV64"]);
    let folders = ["", file, in_file.as_str()];
    let files = ["", place, in_file.as_str(), too_long.as_str()];
    let prove = ["prove", "--opcode", "G_FREEZE", "--target", "riscv64", "--shard", "1/8", "--no-cache"];
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["compile", mir, "-o", "never.o"], "--target", &targets),
        (&["compile", mir, "-o", "never.o"], "--features", &names),
        (&["compile", mir, "-o", "never.o"], "--regalloc", &names),
        (&["compile", mir, "-o", "never.o"], "--stop-after", &names),
        (&["compile", mir, "-o", "never.o"], "--emit", &names),
        (&["compile", mir, "-o", "never.o", "--stop-after", "select"], "--emit", &["obj", "asm"]),
        (&["compile", mir, "-o", "never.o", "--prove-each"], "--cache", &folders),
        (&["compile", mir], "--output", &files),
        (&["trial", mir], "--inputs", &more_inputs),
        (&["trial", mir], "--seed", &numbers),
        (&["trial", mir], "--cache", &folders),
        (&["verify", mir], "--features", &names),
        (&["validate", mir, mir], "--features", &names),
        (&["validate", mir, mir], "--jobs", &["", "0", "-1", "257", huge]),
        (&["explain", mir], "--function", &names),
        (&["replay", bug], "--inputs", &more_inputs),
        (&["replay", bug, "--bless"], "--into", &folders),
        (&["reduce", bug], "--out", &files),
        (&["reduce", bug, "-o", "never.mir"], "--inputs", &more_inputs),
        (&["reduce", bug, "-o", "never.mir"], "--seconds", &numbers),
        (&["reduce", bug, "-o", "never.mir", "--check", "true"], "--check-seconds", &numbers),
        (&["prove", "--target", "riscv64"], "--opcode", &names),
        (&["prove", "--target", "riscv64"], "--shard", &["", "1", "/", "0/0", "0/8", "9/8", "-1/8", "1/2/3", huge]),
        (&prove, "--ledger", &files[..3]),
        (&prove, "--emit-smt2", &folders),
        (&prove, "--out", &folders),
        (&["fuzz", "--no-cache"], "--seconds", &numbers),
        (&["fuzz", "--no-cache"], "--runs", &numbers),
        (&["fuzz", "--no-cache"], "--seed", &numbers),
        (&["fuzz", "--no-cache"], "--inputs", &["", "0", "65537", huge]),
        (&["fuzz", "--no-cache"], "--target", &targets),
        (&["fuzz", "--no-cache"], "--out", &folders),
        (&["fuzz", "--no-cache"], "--corpus", &folders),
        (&["fuzz", "--no-cache"], "--known", &["", place, in_file.as_str()]),
        (&["fuzz"], "--cache", &folders),
        (&["sabotage"], "--fault", &names),
        (&["sabotage"], "--seconds", &["0", "-1", huge]),
        (&["sabotage"], "--reduce-seconds", &numbers),
        (&["sabotage"], "--inputs", &["0", "65537"]),
        (&["sabotage"], "--out", &folders),
        (&["man"], "--out", &folders),
    ];
    for (command, flag, values) in cases {
        for value in *values {
            let given = format!("{flag}={value}");
            let output = tribunal(&[command, &[given.as_str()][..]].concat());
            let error = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {given}: {error}");
            assert_eq!(error.matches("error: ").count(), 1, "{command:?} {given}: {error}");
            assert!(output.stdout.is_empty(), "{command:?} {given}: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
    assert!(!Path::new("never.o").exists() && !Path::new("never.mir").exists());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "text\n");
}

/// An output may be a link or a pipe: neither is replaced by a file.
#[test]
#[cfg(unix)]
fn links_are_followed_and_pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let compile = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.args(["compile", "../corpus/run/riscv64/g_freeze.mir", "--emit", "asm", "-o"]).arg(path(name));
        command
    };
    std::fs::write(path("file.s"), "old").unwrap();
    std::os::unix::fs::symlink("file.s", path("link.s")).unwrap();
    assert!(compile("link.s").status().unwrap().success());
    assert!(path("link.s").symlink_metadata().unwrap().is_symlink());
    let written = std::fs::read(path("file.s")).unwrap();
    assert!(String::from_utf8_lossy(&written).contains(".text"));
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let mut writer = compile("pipe").spawn().unwrap();
    assert_eq!(std::fs::read(path("pipe")).unwrap(), written);
    assert!(writer.wait().unwrap().success());
    assert!(path("pipe").symlink_metadata().unwrap().file_type().is_fifo());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside");
}
