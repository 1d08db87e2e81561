//! Objects that `tribunal compile` writes link by GNU's linker as by LLVM's, without a warning, and a debugger finds
//! the callers of a function through our frames. The peers are part of `make test`: a missing one fails the test.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A target, the flags of clang and of llc, GNU's linker with its flags, and the emulator.
struct Machine {
    name: &'static str,
    clang: &'static [&'static str],
    llc: &'static [&'static str],
    gnu: &'static [&'static str],
    qemu: &'static str,
    architecture: &'static str,
}

const MACHINES: [Machine; 3] = [
    Machine {
        name: "riscv64",
        clang: &["-march=rv64im", "-mabi=lp64"],
        llc: &["-mattr=+m"],
        gnu: &["riscv64-linux-gnu-ld.bfd", "-m", "elf64lriscv"],
        qemu: "qemu-riscv64",
        architecture: "riscv:rv64",
    },
    Machine {
        name: "riscv32",
        clang: &["-march=rv32im", "-mabi=ilp32"],
        llc: &["-mattr=+m"],
        gnu: &["riscv64-linux-gnu-ld.bfd", "-m", "elf32lriscv"],
        qemu: "qemu-riscv32",
        architecture: "riscv:rv32",
    },
    Machine {
        name: "aarch64",
        clang: &[],
        llc: &[],
        gnu: &["aarch64-linux-gnu-ld.bfd", "-m", "aarch64linux"],
        qemu: "qemu-aarch64",
        architecture: "aarch64",
    },
];

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("warning"), "{command:?}: {errors}");
    output
}

fn clang(machine: &Machine) -> Command {
    let mut command = Command::new("clang-22");
    command.arg(format!("--target={}-linux-gnu", machine.name)).args(machine.clang);
    command.args(["-ffreestanding", "-fno-builtin", "-fno-vectorize", "-fno-slp-vectorize"]);
    command
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link").join(name)
}

/// The object of a C file by our backend, and those of the files that check it by clang, in the order of a link.
fn objects(machine: &Machine, folder: &Path, (functions, main): (&str, &str), model: &str) -> [PathBuf; 3] {
    let path = |name: &str| folder.join(name);
    let front = ["-O1", "-S", "-emit-llvm", model, "-o"];
    succeed(clang(machine).args(front).args([path("functions.ll"), source(functions)]));
    let relocation = if model == "-fno-pic" { "static" } else { "pic" };
    let mut llc = Command::new("llc-22");
    llc.args(machine.llc).args(["-O1", "-global-isel", "-stop-after=irtranslator", "-simplify-mir"]);
    succeed(llc.arg(format!("-relocation-model={relocation}")).arg(path("functions.ll")).arg("-o").arg(path("f.mir")));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    succeed(compile.arg("compile").arg(path("f.mir")).args(["--target", machine.name, "-o"]).arg(path("functions.o")));
    for (file, object) in [(main, "main.o"), ("runtime.c", "runtime.o")] {
        succeed(clang(machine).args(["-O1", "-c", model]).arg(source(file)).arg("-o").arg(path(object)));
    }
    ["main.o", "functions.o", "runtime.o"].map(path)
}

fn linked(linker: &[&str], objects: &[PathBuf], program: &Path) {
    let mut link = Command::new(linker[0]);
    succeed(link.args(&linker[1..]).args(["-static", "--fatal-warnings", "-o"]).arg(program).args(objects));
}

/// Every way to refer to a symbol, by both linkers; both programs find the same.
#[test]
fn both_linkers_link_and_the_programs_run() {
    for machine in &MACHINES {
        for model in ["-fno-pic", "-fPIE", "-fPIC"] {
            let folder = tempfile::tempdir().unwrap();
            let objects = objects(machine, folder.path(), ("globals.c", "globals_main.c"), model);
            for linker in [&["ld.lld-22"][..], machine.gnu] {
                let program = folder.path().join("program");
                linked(linker, &objects, &program);
                let status = Command::new(machine.qemu).arg(&program).status();
                let status = status.unwrap_or_else(|error| panic!("{}: {error}", machine.qemu));
                assert_eq!(status.code(), Some(42), "{} {model} {linker:?}", machine.name);
            }
        }
    }
}

/// GNU's tools read each of our objects without a complaint.
#[test]
fn gnu_tools_read_the_objects() {
    for machine in &MACHINES {
        let folder = tempfile::tempdir().unwrap();
        let [_, ours, _] = objects(machine, folder.path(), ("globals.c", "globals_main.c"), "-fPIE");
        let prefix = machine.gnu[0].trim_end_matches("ld.bfd");
        for (tool, flags) in [("readelf", &["--all", "--wide"][..]), ("objdump", &["--disassemble", "--reloc"])] {
            let output = succeed(Command::new(format!("{prefix}{tool}")).args(flags).arg(&ours));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(errors.is_empty(), "{} {tool}: {errors}", machine.name);
        }
    }
}

/// An emulator that waits for a debugger, ended with the test.
struct Waiting(Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn waiting(machine: &Machine, socket: &Path, program: &Path) -> Waiting {
    let mut command = Command::new(machine.qemu);
    command.arg("-g").arg(socket).arg(program).stdin(Stdio::null());
    let child = Waiting(command.spawn().unwrap_or_else(|error| panic!("{}: {error}", machine.qemu)));
    let start = Instant::now();
    while !socket.exists() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// The names of the functions of a backtrace, from the innermost on.
fn callers(text: &str) -> Vec<&str> {
    let frames = text.lines().filter(|line| line.starts_with('#'));
    frames.filter_map(|line| line.split(" (").next()?.split_whitespace().last()).collect()
}

/// No frame pointer leads there: frames are found by the unwind table alone.
#[test]
fn a_debugger_walks_through_our_frames() {
    for machine in &MACHINES {
        let folder = tempfile::tempdir().unwrap();
        let objects = objects(machine, folder.path(), ("frames.c", "frames_main.c"), "-fno-pic");
        let (program, socket) = (folder.path().join("program"), folder.path().join("gdb"));
        linked(&["ld.lld-22", "--eh-frame-hdr"], &objects, &program);
        let _emulator = waiting(machine, &socket, &program);
        let commands = [
            format!("set architecture {}", machine.architecture),
            format!("target remote {}", socket.display()),
            "break stop".to_string(),
            "continue".to_string(),
            "backtrace".to_string(),
            "finish".to_string(),
            "backtrace".to_string(),
            "kill".to_string(),
        ];
        let mut debugger = Command::new("gdb-multiarch");
        debugger.args(["-nx", "-batch"]).arg(&program).args(commands.iter().flat_map(|command| ["-ex", command]));
        let output = debugger.output().unwrap_or_else(|error| panic!("{debugger:?}: {error}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let [at_entry, in_third] = [&text[..text.find("Run till").unwrap_or(text.len())], &text]
            .map(|text| callers(text).windows(4).map(<[&str]>::to_vec).collect::<Vec<_>>());
        assert!(at_entry.contains(&vec!["stop", "third", "second", "first"]), "{}: {text}", machine.name);
        assert!(in_third.iter().any(|names| names[..3] == ["third", "second", "first"]), "{}: {text}", machine.name);
    }
}
