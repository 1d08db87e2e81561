//! What `tribunal compile --stop-after` writes is LLVM's MIR at every stage: `llc-22` reads it, and goes on from it
//! with its own passes under its own machine verifier. The assembly text is what the object holds. The peers are part
//! of `make test`: a missing one fails the test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The passes of the pipeline, and the pass of LLVM that can follow.
const STAGES: [(&str, Option<&str>); 7] = [
    ("legalize", Some("regbankselect")),
    ("bank-select", Some("instruction-select")),
    ("select", Some("finalize-isel")),
    ("split-edges", Some("finalize-isel")),
    ("allocate", None),
    ("frame", None),
    ("relax-branches", None),
];

/// A case of `corpus/run`.
fn case(target: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/run").join(target).join(name)
}

/// Programs with data, which assembly text does not have, and with addresses of labels, which llc does not select.
const WITH_DATA: [&str; 4] = ["distances.", "names.", "sections.", "threaded."];

/// The real functions of one target, and calls of the runtime library.
fn files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "mir") && path.to_string_lossy().contains(target))
        .collect();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.retain(|path| !WITH_DATA.iter().any(|own| name(path).starts_with(own)));
    files.sort();
    assert_eq!(files.len(), 33, "files for {target}");
    files.push(case(target, "wide_division.mir"));
    files
}

/// What the command says if it fails.
fn failure(command: &mut Command) -> Option<String> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let first = |text: &[u8]| String::from_utf8_lossy(text).lines().take(4).collect::<Vec<_>>().join("\n");
    (!output.status.success()).then(|| first(&output.stderr))
}

fn llc(flags: &[&str]) -> Command {
    let mut command = Command::new("llc-22");
    command.args(flags).args(["-global-isel", "-verify-machineinstrs", "-o"]);
    command.arg("-");
    command.stdout(std::process::Stdio::null());
    command
}

fn accepted(files: Vec<PathBuf>, llc_flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let staged = folder.path().join("staged.mir");
    let mut refused = Vec::new();
    for file in files {
        for (pass, next) in STAGES {
            let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
            compile.arg("compile").arg(&file).args(["--stop-after", pass, "-o"]).arg(&staged);
            let read = || failure(llc(llc_flags).arg("-run-pass=none").arg(&staged));
            let go_on =
                || next.and_then(|next| failure(llc(llc_flags).arg(format!("-start-before={next}")).arg(&staged)));
            if let Some(reason) = failure(&mut compile).or_else(read).or_else(go_on) {
                refused.push(format!("{} after {pass}: {reason}", file.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{} refused, the first: {:#?}", refused.len(), &refused[..refused.len().min(5)]);
}

#[test]
fn llc_takes_every_stage_of_riscv64() {
    accepted(files("riscv64"), &["-mtriple=riscv64", "-mattr=+m"]);
}

#[test]
fn llc_takes_every_stage_of_aarch64() {
    accepted(files("aarch64"), &["-mtriple=aarch64", "-mattr=+neon"]);
}

#[test]
fn llc_takes_every_stage_without_m() {
    for target in ["riscv64", "riscv32"] {
        accepted(vec![case(target, "without_m.mir")], &[&format!("-mtriple={target}"), "-mattr=-m"]);
    }
}

/// Golden cases are MIR at every stage, with the expectation in comments.
#[test]
fn llc_reads_every_golden_case() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for (pass, _) in STAGES.into_iter().chain([("emit", None)]) {
        let files: Vec<PathBuf> =
            std::fs::read_dir(corpus.join(pass)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!files.is_empty(), "no case of {pass}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let said =
                |key: &str| text.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(key)).map(str::trim);
            let target = said("target:").unwrap();
            let features = said("features:").unwrap_or(if target == "aarch64" { "+neon" } else { "+m" });
            let mut read = llc(&[&format!("-mtriple={target}"), &format!("-mattr={features}")]);
            assert_eq!(failure(read.arg("-run-pass=none").arg(&file)), None, "{}", file.display());
        }
    }
}

/// A file may stand at any stage: what is left of the pipeline runs, and comes to the same code.
#[test]
fn every_verb_goes_on_from_every_stage() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.current_dir(&folder).args(arguments).output().unwrap()
    };
    for (target, name) in [("riscv64", "wide_division.mir"), ("riscv32", "g_add.mir"), ("aarch64", "g_brcond.mir")] {
        let file = case(target, name);
        let file = file.to_str().unwrap();
        assert!(run(&["compile", file, "-o", "whole.o"]).status.success(), "{file}");
        for (pass, _) in STAGES {
            assert!(
                run(&["compile", file, "--stop-after", pass, "-o", "staged.mir"]).status.success(),
                "{file} {pass}"
            );
            assert!(run(&["compile", "staged.mir", "--verify-each", "-o", "rest.o"]).status.success(), "{file} {pass}");
            let same = std::fs::read(path("whole.o")).unwrap() == std::fs::read(path("rest.o")).unwrap();
            assert!(same, "{file} from {pass} on");
            assert!(run(&["verify", "staged.mir"]).status.success(), "{file} {pass}");
            let judged = run(&["trial", "staged.mir", "--no-cache", "--json"]);
            let text = String::from_utf8(judged.stdout).unwrap();
            let report: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!((&report["findings"], &report["refuted"]), (&0.into(), &0.into()), "{file} {pass}: {text}");
            // A source with a frame of its own is not run.
            let runs = report["functions"].as_u64().unwrap() - report["unsupported"].as_u64().unwrap();
            assert!(report["passed"] == runs && (runs > 0 || ["frame", "relax-branches"].contains(&pass)), "{text}");
        }
    }
}

/// Assembly text put together by LLVM is the text section that is written as an object.
fn assembles(target: &str, features: &[&str], flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for file in files(target) {
        for (kind, name) in [("asm", "ours.s"), ("obj", "ours.o")] {
            let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
            compile.arg("compile").arg(&file).args(features).args(["--emit", kind, "-o"]).arg(path(name));
            assert_eq!(failure(&mut compile), None, "{}", file.display());
        }
        let mut assembler = Command::new("llvm-mc-22");
        assembler.args(flags).args(["-filetype=obj", "-o"]).args([path("theirs.o"), path("ours.s")]);
        assert_eq!(failure(&mut assembler), None, "{}", file.display());
        let text = |name: &str| {
            let mut copy = Command::new("llvm-objcopy-22");
            copy.args(["-O", "binary", "-j", ".text"]).args([path(name), path("text.bin")]);
            assert_eq!(failure(&mut copy), None);
            std::fs::read(path("text.bin")).unwrap()
        };
        assert!(!text("ours.o").is_empty() && text("ours.o") == text("theirs.o"), "{}", file.display());
    }
}

#[test]
fn riscv64_assembly_is_the_object() {
    assembles("riscv64", &[], &["-triple=riscv64", "-mattr=+m"]);
}

#[test]
fn compressed_assembly_is_the_object() {
    assembles("riscv64", &["--features=+c"], &["-triple=riscv64", "-mattr=+m,+c"]);
    assembles("riscv32", &["--features=+c"], &["-triple=riscv32", "-mattr=+m,+c"]);
}

#[test]
fn aarch64_assembly_is_the_object() {
    assembles("aarch64", &[], &["-triple=aarch64"]);
}
