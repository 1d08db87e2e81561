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

/// LLVM finds nothing wrong with the unwind table, which has an entry for each function. The result is the number of
/// places from which on a function has a frame of its own.
fn unwound(path: &Path) -> usize {
    succeed(Command::new("llvm-dwarfdump-22").arg("--verify").arg(path));
    let table = succeed(Command::new("llvm-dwarfdump-22").arg("--eh-frame").arg(path));
    let data = std::fs::read(path).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let functions: Vec<_> = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text).collect();
    for function in &functions {
        let (start, end) = (function.address(), function.address() + function.size());
        assert!(table.contains(&format!("pc={start:08x}...{end:08x}")), "{:?}: {table}", function.name());
    }
    assert!(!functions.is_empty(), "{table}");
    table.lines().filter(|line| line.contains("CFA=") && line.contains('+')).count()
}

/// `ours.o` in the folder, of a C file, and the commands of LLVM's backend for it.
fn compiled(
    folder: &Path,
    source: &str,
    (target, clang, llc): (&str, &[&str], &[&str]),
    (model, name): (&str, &str),
) -> Command {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link").join(source);
    let mut front = Command::new("clang-22");
    front.args([&format!("--target={target}-linux-gnu"), model, "-O1", "-S", "-emit-llvm"]).args(clang);
    succeed(front.args(["-fno-optimize-sibling-calls", "-o"]).arg(folder.join("module.ll")).arg(&source));
    let back = || {
        let mut back = Command::new("llc-22");
        back.args(llc).arg(format!("-relocation-model={name}")).arg("-O1").arg(folder.join("module.ll"));
        back
    };
    let stop = ["-global-isel", "-stop-after=irtranslator", "-simplify-mir", "-o"];
    succeed(back().args(stop).arg(folder.join("module.mir")));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
    compile.arg("compile").arg(folder.join("module.mir")).args(["--target", target, "-o"]).arg(folder.join("ours.o"));
    succeed(&mut compile);
    back()
}

#[test]
fn unwind_tables_cover_the_code() {
    for machine in MACHINES {
        let folder = tempfile::tempdir().unwrap();
        compiled(folder.path(), "callers.c", machine, ("-fno-pic", "static"));
        assert!(unwound(&folder.path().join("ours.o")) > 0, "{}", machine.0);
    }
}

#[test]
fn symbols_are_those_of_llvm() {
    for machine in MACHINES {
        for model in [("-fno-pic", "static"), ("-fPIE", "pic"), ("-fPIC", "pic")] {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            let mut llvm = compiled(folder.path(), "globals.c", machine, model);
            succeed(llvm.args(["-filetype=obj", "-o"]).arg(path("theirs.o")));
            let [ours, theirs] = ["ours.o", "theirs.o"].map(|name| symbols(&std::fs::read(path(name)).unwrap()));
            assert_eq!(ours, theirs, "{} {model:?}", machine.0);
            succeed(Command::new("llvm-readelf-22").arg("--all").arg(path("ours.o")));
            succeed(Command::new("llvm-objdump-22").args(["--disassemble", "--reloc"]).arg(path("ours.o")));
            unwound(&path("ours.o"));
        }
    }
}

/// The relocations of an object that find a variable of the thread: type, symbol and addend.
fn thread_relocations(path: &Path) -> Vec<String> {
    let text = succeed(Command::new("llvm-readobj-22").arg("-r").arg(path));
    let kinds = ["R_RISCV_TPREL_", "R_RISCV_TLS_", "R_AARCH64_TLS"];
    let of_threads = text.lines().filter(|line| kinds.iter().any(|kind| line.contains(kind)));
    let mut found: Vec<String> = of_threads
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(_, relocation)| relocation.to_string())
        .collect();
    found.sort();
    found
}

#[test]
fn variables_of_threads_are_those_of_llvm() {
    for machine in MACHINES {
        for model in [("-fno-pic", "static"), ("-fPIE", "pic")] {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            let mut llvm = compiled(folder.path(), "threads.c", machine, model);
            succeed(llvm.args(["-filetype=obj", "-o"]).arg(path("theirs.o")));
            let [ours, theirs] = ["ours.o", "theirs.o"].map(|name| symbols(&std::fs::read(path(name)).unwrap()));
            assert_eq!(ours, theirs, "{} {model:?}", machine.0);
            let [ours, theirs] = ["ours.o", "theirs.o"].map(|name| thread_relocations(&path(name)));
            assert_eq!(ours, theirs, "{} {model:?}", machine.0);
            assert!(!ours.is_empty(), "{} {model:?}", machine.0);
        }
    }
}

/// The flags of an object's header: the extension of compressed instructions, and where floating point is passed.
fn e_flags(path: &Path) -> object::elf::FileFlags {
    let data = std::fs::read(path).unwrap();
    match object::File::parse(&*data).unwrap().flags() {
        object::FileFlags::Elf { e_flags, .. } => e_flags,
        other => panic!("{other:?}"),
    }
}

/// No option names the features here: the attributes of the functions do.
#[test]
fn functions_name_the_features_of_the_machine() {
    for machine in [
        ("riscv64", &["-march=rv64gc", "-mabi=lp64d"][..], &[][..]),
        ("riscv64", &["-march=rv64imf_zfh", "-mabi=lp64f"], &[]),
        ("riscv64", &["-march=rv64i", "-mabi=lp64"], &[]),
        ("riscv32", &["-march=rv32imac", "-mabi=ilp32"], &[]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut llvm = compiled(folder.path(), "floats.c", machine, ("-fno-pic", "static"));
        succeed(llvm.args(["-filetype=obj", "-o"]).arg(path("theirs.o")));
        let [ours, theirs] = ["ours.o", "theirs.o"].map(|name| e_flags(&path(name)));
        assert_eq!(ours, theirs, "{machine:?}");
        let has_doubles = machine.1[0].ends_with("gc");
        let code = succeed(Command::new("llvm-objdump-22").arg("-d").arg(path("ours.o")));
        assert_eq!(code.contains("fmadd.d"), has_doubles, "{machine:?}: {code}");
    }
}

/// Functions of one module may differ: none gets an instruction that its attributes do not allow.
#[test]
fn a_module_has_the_features_that_its_functions_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let [source, object] = ["two.mir", "two.o"].map(|name| folder.path().join(name));
    let body = |name: &str| {
        format!(
            "---\nname: {name}\nbody: |\n  bb.0:\n    liveins: $x10, $x11\n    %0:_(s64) = COPY $x10\n    \
             %1:_(s64) = COPY $x11\n    %2:_(s64) = G_MUL %0, %1\n    $x10 = COPY %2(s64)\n    PseudoRET implicit $x10\n...\n"
        )
    };
    for (second, is_compressed) in [("+64bit,+c,+m,+zbb", true), ("+64bit,+m,-c", false), ("+64bit,+c", true)] {
        let ir = format!(
            "--- |\n  target triple = \"riscv64\"\n  define void @one() #0 {{\n    ret void\n  }}\n  \
             define void @two() #1 {{\n    ret void\n  }}\n  \
             attributes #0 = {{ \"target-features\"=\"+64bit,+c,+m\" }}\n  \
             attributes #1 = {{ \"target-features\"=\"{second}\" }}\n...\n"
        );
        std::fs::write(&source, ir + &body("one") + &body("two")).unwrap();
        let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        succeed(compile.arg("compile").arg(&source).arg("-o").arg(&object));
        assert_eq!(e_flags(&object).contains(object::elf::EF_RISCV_RVC), is_compressed, "{second}");
        let code = succeed(Command::new("llvm-objdump-22").args(["-d", "--mattr=+m"]).arg(&object));
        assert_eq!(code.contains("mul\t"), second.contains("+m"), "{second}: {code}");
    }
}
