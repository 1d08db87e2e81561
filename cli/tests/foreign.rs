//! LLVM IR, bitcode and C where MIR is needed: the error says which commands make MIR of the file, and they do.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "#include <stdint.h>
uint32_t pick(uint32_t a, uint64_t b) {
    switch (a) {
    case 0: return b / 3;
    case 1: return b * a;
    case 2: return b % 10;
    case 3: return b ^ a;
    case 4: return b << 3;
    }
    return a;
}
";

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn tribunal(folder: &Path, arguments: &[&str]) -> Output {
    run(folder, env!("CARGO_BIN_EXE_tribunal"), arguments)
}

/// The command lines that the error on this file proposes.
fn proposed(folder: &Path, arguments: &[&str], language: &str) -> Vec<String> {
    let output = tribunal(folder, &[&["verify"], arguments].concat());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.starts_with("error: ") && text.contains(&format!("this is {language}, not MIR")), "{text}");
    let commands: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("    ")).map(String::from).collect();
    assert_eq!(commands.len() + 1, text.lines().count(), "{text}");
    commands
}

/// Follows the error; MIR is where it says, and holds the function.
fn makes_mir(folder: &Path, arguments: &[&str], language: &str, target: &str, mir: &str) {
    for command in proposed(folder, arguments, language) {
        let output = run(folder, "sh", &["-c", &command]);
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let verified = tribunal(folder, &["verify", mir, "--target", target]);
    assert_eq!(verified.status.code(), Some(0), "{}", String::from_utf8_lossy(&verified.stderr));
    let text = std::fs::read_to_string(folder.join(mir)).unwrap();
    assert!(text.contains("name:            pick") && text.contains("G_"), "{text}");
    std::fs::remove_file(folder.join(mir)).unwrap();
}

#[test]
fn the_commands_of_the_error_make_mir() {
    for target in ["riscv64", "riscv32", "aarch64"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("a function.c"), SOURCE).unwrap();
        makes_mir(folder, &["a function.c", "--target", target], "C", target, "a function.mir");
        // By the triple of the file, and by content where the name says nothing.
        makes_mir(folder, &["a function.ll"], "LLVM IR", target, "a function.mir");
        std::fs::copy(folder.join("a function.ll"), folder.join("copy")).unwrap();
        makes_mir(folder, &["copy"], "LLVM IR", target, "copy.mir");
        std::fs::copy(folder.join("a function.c"), folder.join("source")).unwrap();
        std::fs::copy(folder.join("a function.c"), folder.join("source.c")).unwrap();
        assert!(proposed(folder, &["source"], "C")[0].contains("--target=riscv64-linux-gnu"));
        let to_bitcode = ["--target=", target, "-linux-gnu"].concat();
        let bitcode = ["-ffreestanding", "-O1", "-fno-jump-tables", "-c", "-emit-llvm", "source.c", "-o", "code.bin"];
        assert!(run(folder, "clang-22", &[&[to_bitcode.as_str()], &bitcode[..]].concat()).status.success());
        makes_mir(folder, &["code.bin"], "LLVM bitcode", target, "code.mir");
        makes_mir(folder, &["code.bin", "--target", target], "LLVM bitcode", target, "code.mir");
    }
}

#[test]
fn cxx_is_compiled_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let source = "extern \"C\" unsigned pick(unsigned a) { return [](auto b) { return b + 1; }(a); }\n";
    std::fs::write(folder.path().join("a.cpp"), source).unwrap();
    makes_mir(folder.path(), &["a.cpp", "--target", "riscv64"], "C++", "riscv64", "a.mir");
}

/// IR of another architecture is of no use to `llc`, so its source is.
#[test]
fn ir_of_a_foreign_architecture_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ir = "target triple = \"x86_64-pc-linux-gnu\"\n\ndefine i32 @f(i32 %a) {\n  ret i32 %a\n}\n";
    std::fs::write(folder.path().join("a.ll"), ir).unwrap();
    let output = tribunal(folder.path(), &["trial", "a.ll"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("for `x86_64`, which is no target here") && text.contains("SOURCE.c -o SOURCE.ll"), "{text}");
}

#[test]
fn mir_is_never_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real/wide.riscv64.O1.mir");
    for name in ["wide.ll", "wide.c", "wide"] {
        std::fs::copy(&case, folder.path().join(name)).unwrap();
        let output = tribunal(folder.path(), &["verify", name]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
