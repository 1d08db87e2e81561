//! Objects that `tribunal compile` writes have the symbols of those that LLVM writes of the same module, and its tools
//! read them without a warning.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const MACHINES: [(&str, &[&str], &[&str]); 3] = [
    ("riscv64", &["-march=rv64im", "-mabi=lp64"], &["-mattr=+m"]),
    ("riscv32", &["-march=rv32im", "-mabi=ilp32"], &["-mattr=+m"]),
    ("aarch64", &[], &[]),
];

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("warning"), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A symbol: type and binding, visibility, the kind of its section, and the size of data.
type Shape = (u8, u8, Option<SectionKind>, u64);

/// Every symbol that another object may see, and every one that it is to bring.
fn symbols(data: &[u8]) -> BTreeMap<String, Shape> {
    let file = object::File::parse(data).unwrap();
    let shape = |symbol: &object::Symbol<'_, '_>| -> Shape {
        let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { panic!("{symbol:?}") };
        let section = symbol.section_index().map(|index| file.section_by_index(index).unwrap());
        let is_code = section.as_ref().is_some_and(|section| section.kind() == SectionKind::Text);
        let size = if is_code { 0 } else { symbol.size() };
        (st_info.0, st_other.0, section.map(|section| section.kind()), size)
    };
    let shown = file.symbols().filter(|symbol| !symbol.is_local());
    shown.map(|symbol| (symbol.name().unwrap().to_string(), shape(&symbol))).collect()
}

/// LLVM finds nothing wrong with the unwind table. It has an entry for each function, whose frame is that of the caller
/// at its first instruction, and another one behind its prologue.
fn unwind_table_covers_the_code(path: &Path) {
    succeed(Command::new("llvm-dwarfdump-22").arg("--verify").arg(path));
    let table = succeed(Command::new("llvm-dwarfdump-22").arg("--eh-frame").arg(path));
    let data = std::fs::read(path).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let functions: Vec<_> = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text).collect();
    for function in &functions {
        let (start, end) = (function.address(), function.address() + function.size());
        assert!(table.contains(&format!("pc={start:08x}...{end:08x}")), "{:?}: {table}", function.name());
    }
    let rows = table.lines().filter(|line| line.contains("CFA=") && line.contains("+"));
    assert!(!functions.is_empty() && rows.count() > 0, "{table}");
}

#[test]
fn symbols_are_those_of_llvm() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link/globals.c");
    for (target, clang, llc) in MACHINES {
        for (model, name) in [("-fno-pic", "static"), ("-fPIE", "pic"), ("-fPIC", "pic")] {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            let mut front = Command::new("clang-22");
            front.args([&format!("--target={target}-linux-gnu"), model, "-O1", "-S", "-emit-llvm"]).args(clang);
            succeed(front.args(["-fno-optimize-sibling-calls", "-o"]).arg(path("module.ll")).arg(&source));
            let back = || {
                let mut back = Command::new("llc-22");
                back.args(llc).arg(format!("-relocation-model={name}")).arg("-O1").arg(path("module.ll"));
                back
            };
            let stop = ["-global-isel", "-stop-after=irtranslator", "-simplify-mir", "-o"];
            succeed(back().args(stop).arg(path("module.mir")));
            succeed(back().args(["-filetype=obj", "-o"]).arg(path("theirs.o")));
            let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
            compile.arg("compile").arg(path("module.mir")).args(["--target", target, "-o"]).arg(path("ours.o"));
            succeed(&mut compile);
            let [ours, theirs] = ["ours.o", "theirs.o"].map(|name| symbols(&std::fs::read(path(name)).unwrap()));
            assert_eq!(ours, theirs, "{target} {model}");
            succeed(Command::new("llvm-readelf-22").arg("--all").arg(path("ours.o")));
            succeed(Command::new("llvm-objdump-22").args(["--disassemble", "--reloc"]).arg(path("ours.o")));
            unwind_table_covers_the_code(&path("ours.o"));
        }
    }
}
