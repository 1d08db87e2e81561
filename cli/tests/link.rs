//! Objects that `tribunal compile` writes link with C and give the right answers under QEMU, for every target and both
//! allocators. The peers are part of `make test`: a missing one fails the test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use std::process::Command;

struct Machine {
    name: &'static str,
    triple: &'static str,
    clang: &'static [&'static str],
    llc: &'static [&'static str],
    /// What `tribunal compile` is told besides the target.
    tribunal: &'static [&'static str],
    qemu: &'static [&'static str],
}

const RISCV64: Machine = Machine {
    name: "riscv64",
    triple: "riscv64-unknown-linux-gnu",
    clang: &["-march=rv64im", "-mabi=lp64"],
    llc: &["-mattr=+m"],
    tribunal: &[],
    qemu: &["qemu-riscv64"],
};
/// The same code for a machine with more instructions; QEMU 7.2 has no Zicond.
const RISCV64_EXTENDED: Machine = Machine {
    tribunal: &["--features", "+zba,+zbb,+zbs"],
    qemu: &["qemu-riscv64", "-cpu", "rv64,zba=true,zbb=true,zbs=true"],
    ..RISCV64
};
/// Words of two bytes among those of four.
const RISCV64_COMPRESSED: Machine = Machine { tribunal: &["--features", "+c"], ..RISCV64 };
const RISCV32_COMPRESSED: Machine = Machine { tribunal: &["--features", "+c"], ..RISCV32 };
/// Multiplication and division are calls.
const RISCV64_WITHOUT_M: Machine =
    Machine { clang: &["-march=rv64i", "-mabi=lp64"], llc: &[], tribunal: &["--features", "-m"], ..RISCV64 };
const RISCV32: Machine = Machine {
    name: "riscv32",
    triple: "riscv32-unknown-linux-gnu",
    clang: &["-march=rv32im", "-mabi=ilp32"],
    llc: &["-mattr=+m"],
    tribunal: &[],
    qemu: &["qemu-riscv32"],
};
const RISCV32_WITHOUT_M: Machine =
    Machine { clang: &["-march=rv32i", "-mabi=ilp32"], llc: &[], tribunal: &["--features", "-m"], ..RISCV32 };
const AARCH64: Machine = Machine {
    name: "aarch64",
    triple: "aarch64-unknown-linux-gnu",
    clang: &[],
    llc: &[],
    tribunal: &[],
    qemu: &["qemu-aarch64"],
};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link").join(name)
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn clang(machine: &Machine) -> Command {
    let mut command = Command::new("clang-22");
    command.arg(format!("--target={}", machine.triple)).args(machine.clang).args(["-ffreestanding", "-fno-builtin"]);
    command
}

/// The functions of a C file as MIR after the IR translator.
fn translated(machine: &Machine, folder: &Path, file: &str, level: &str, model: &str) -> PathBuf {
    let (ir, mir) = (folder.join("functions.ll"), folder.join("functions.mir"));
    let optimisation = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-optimize-sibling-calls", "-S", "-emit-llvm"];
    succeed(clang(machine).arg(level).args(optimisation).arg(model).arg(source(file)).arg("-o").arg(&ir));
    let mut llc = Command::new("llc-22");
    llc.args(machine.llc).args([level, "-global-isel", "-stop-after=irtranslator", "-simplify-mir"]);
    llc.arg(if model == STATIC { "-relocation-model=static" } else { "-relocation-model=pic" });
    succeed(llc.arg(&ir).arg("-o").arg(&mir));
    mir
}

/// What tribunal compiles, and what checks it.
const PROGRAMS: [(&str, &str); 3] =
    [("functions.c", "main.c"), ("division.c", "division_main.c"), ("globals.c", "globals_main.c")];

// Where code may be placed: clang's names.
const STATIC: &str = "-fno-pic";
const EXECUTABLE: &str = "-fPIE";
const LIBRARY: &str = "-fPIC";

/// Both sides of calls, and what runs them: each is compiled by tribunal, with clang's of the other, and with its own.
const SIDES: [&str; 2] = ["callers.c", "callees.c"];

fn calls_agree(machine: &Machine, level: &str, allocator: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for file in SIDES {
        let mir = translated(machine, folder.path(), file, level, STATIC);
        let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        compile.arg("compile").arg(&mir).args(["--target", machine.name, "--regalloc", allocator]);
        succeed(compile.args(machine.tribunal).arg("-o").arg(path(&format!("{file}.tribunal.o"))));
        succeed(clang(machine).args([level, "-c"]).arg(source(file)).arg("-o").arg(path(&format!("{file}.clang.o"))));
    }
    for file in ["calls_main.c", "runtime.c"] {
        succeed(clang(machine).args(["-O1", "-c"]).arg(source(file)).arg("-o").arg(path(&format!("{file}.o"))));
    }
    for makers in [["tribunal", "clang"], ["clang", "tribunal"], ["tribunal", "tribunal"]] {
        let objects = SIDES.iter().zip(makers).map(|(file, maker)| path(&format!("{file}.{maker}.o")));
        let mut link = Command::new("ld.lld-22");
        link.args(["-static", "-o"])
            .arg(path("program"))
            .args(objects)
            .args(["calls_main.c.o", "runtime.c.o"].map(path));
        succeed(&mut link);
        let status = Command::new(machine.qemu[0]).args(&machine.qemu[1..]).arg(path("program")).status();
        let status = status.unwrap_or_else(|error| panic!("{}: {error}", machine.qemu[0]));
        assert_eq!(status.code(), Some(42), "{} {makers:?} {level} {allocator}", machine.name);
    }
}

fn right_answers(machine: &Machine, level: &str, allocator: &str) {
    PROGRAMS.iter().for_each(|program| right_answer(machine, *program, level, (allocator, STATIC)));
}

fn right_answer(
    machine: &Machine,
    (functions, main): (&str, &str),
    level: &str,
    (allocator, model): (&str, &'static str),
) {
    let folder = tempfile::tempdir().unwrap();
    let mir = translated(machine, folder.path(), functions, level, model);
    let path = |name: &str| folder.path().join(name);
    let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    compile.arg("compile").arg(&mir).args(["--target", machine.name, "--regalloc", allocator]);
    succeed(compile.args(machine.tribunal).arg("-o").arg(path("functions.o")));
    for (file, object) in [(main, "main.o"), ("runtime.c", "runtime.o")] {
        succeed(clang(machine).args(["-O1", "-c", model]).arg(source(file)).arg("-o").arg(path(object)));
    }
    let mut link = Command::new("ld.lld-22");
    let objects = ["main.o", "functions.o", "runtime.o"].map(path);
    succeed(link.args(["-static", "--fatal-warnings", "-o"]).arg(path("program")).args(objects));
    let status = Command::new(machine.qemu[0]).args(&machine.qemu[1..]).arg(path("program")).status();
    let status = status.unwrap_or_else(|error| panic!("{}: {error}", machine.qemu[0]));
    assert_eq!(status.code(), Some(42), "{} {functions} {level} {allocator}", machine.name);
}

#[test]
fn calls_agree_with_clang_s_on_both_sides() {
    for machine in [RISCV32, RISCV64, RISCV64_COMPRESSED, AARCH64] {
        for (level, allocator) in [("-O0", "fastalloc"), ("-O1", "ion"), ("-O2", "ion")] {
            calls_agree(&machine, level, allocator);
        }
    }
}

#[test]
fn riscv32_objects_run() {
    for (level, allocator) in [("-O0", "fastalloc"), ("-O1", "ion"), ("-O2", "ion")] {
        right_answers(&RISCV32, level, allocator);
    }
}

#[test]
fn riscv64_objects_run() {
    for (level, allocator) in [("-O0", "fastalloc"), ("-O1", "ion"), ("-O2", "ion")] {
        right_answers(&RISCV64, level, allocator);
    }
}

#[test]
fn riscv64_objects_run_with_zba_zbb_and_zbs() {
    for level in ["-O0", "-O1", "-O2"] {
        right_answers(&RISCV64_EXTENDED, level, "ion");
    }
}

#[test]
fn compressed_objects_run() {
    for machine in [RISCV32_COMPRESSED, RISCV64_COMPRESSED] {
        for (level, allocator) in [("-O0", "fastalloc"), ("-O2", "ion")] {
            right_answers(&machine, level, allocator);
        }
    }
}

#[test]
fn objects_run_without_m() {
    for machine in [RISCV32_WITHOUT_M, RISCV64_WITHOUT_M] {
        for (level, allocator) in [("-O0", "fastalloc"), ("-O1", "ion"), ("-O2", "ion")] {
            right_answers(&machine, level, allocator);
        }
    }
}

#[test]
fn aarch64_objects_run() {
    for (level, allocator) in [("-O0", "fastalloc"), ("-O1", "ion"), ("-O2", "ion")] {
        right_answers(&AARCH64, level, allocator);
    }
}

/// Code that may be placed anywhere finds its globals by distances and by the global offset table. Nobody relocates the
/// data of such a program here, so it is linked to run where the linker put it.
#[test]
fn position_independent_objects_run() {
    for machine in [RISCV64, RISCV32, AARCH64] {
        for model in [EXECUTABLE, LIBRARY] {
            for (level, allocator) in [("-O0", "fastalloc"), ("-O2", "ion")] {
                right_answer(&machine, ("globals.c", "globals_main.c"), level, (allocator, model));
            }
        }
    }
}
