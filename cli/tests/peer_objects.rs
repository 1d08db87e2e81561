//! Objects of C programs beside those of LLVM's backend, from the same LLVM IR: `e_flags` and attributes are the same
//! bytes. Sections have the same type, flags and alignment, symbols the same binding, type, visibility and size, and
//! each function reaches each symbol in the same way. The tables below name every difference that is allowed, with its
//! reason. The tools and linkers of GNU and of LLVM read each object and say nothing.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::elf;
use object::read::elf::{ElfFile, FileHeader};
use object::{Endianness, FileFlags, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};
use object::{SectionFlags, SectionKind, SymbolFlags, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use tribunal_corpus::programs::platform::Platform;
use tribunal_corpus::programs::{CProgram, LEVELS, source};

/// Beginnings of names of sections that one object may have and the other lack.
const SECTIONS: [(&str, &str); 6] = [
    (".rodata.cst", "LLVM places constants where the linker may merge them; here they stand in .rodata"),
    (".rodata", "LLVM has none if all its constants can be merged"),
    (".rela.rodata", "the linker completes a jump table here, and LLVM knows the distances of its own"),
    (".text.unlikely", "LLVM places cold functions apart"),
    (".rela.text.unlikely", "the relocations of these"),
    (".shstrtab", "LLVM keeps names of sections and of symbols in one table"),
];
/// The same that may differ in alignment.
const ALIGNMENTS: [(&str, &str); 1] =
    [(".rodata", "constants that can be merged stand there too, and constants that one backend alone drops")];
/// Beginnings of names of functions that one object may call and the other not.
const CALLEES: [(&str, &str); 2] = [
    ("mem", "each backend decides which copies it writes out"),
    ("__", "functions of the runtime library: each backend decides which operations it writes out"),
];
/// Beginnings of names of symbols that no linker looks at.
const LABELS: [(&str, &str); 2] =
    [(".L", "labels that stay in the object"), ("$", "marks of code and data, which LLVM sets at each section")];

fn is_allowed(table: &[(&str, &str)], name: &str) -> bool {
    table.iter().any(|(beginning, _)| name.starts_with(beginning))
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("warning"), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The output of a tool that succeeds and says nothing else.
fn silent(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The beginning of the names of GNU's tools: those for riscv64 know riscv32.
fn gnu(platform: &Platform) -> &'static str {
    if platform.target.starts_with("riscv") { "riscv64-linux-gnu-" } else { "aarch64-linux-gnu-" }
}

/// The linkers of LLVM and of GNU, which take warnings for errors.
fn linkers(platform: &Platform) -> [Command; 2] {
    ["ld.lld-22", &format!("{}ld.bfd", gnu(platform))].map(|name| {
        let mut linker = Command::new(name);
        linker.args(&platform.linker).arg("--fatal-warnings");
        linker
    })
}

/// All tools of the others read the object, and both linkers take it, alone and with LLVM's.
fn read_by_others(platform: &Platform, [ours, theirs]: &[PathBuf; 2]) {
    silent(Command::new("llvm-readelf-22").arg("--all").arg(ours));
    silent(Command::new(format!("{}readelf", gnu(platform))).args(["--all", "--wide"]).arg(ours));
    for tool in ["llvm-objdump-22", &format!("{}objdump", gnu(platform))] {
        let code = silent(Command::new(tool).args(["--disassemble", "--reloc"]).arg(ours));
        assert!(!code.contains("<unknown>") && !code.contains(".insn"), "{tool}: {code}");
    }
    for objects in [&[ours][..], &[ours, theirs]] {
        for mut linker in linkers(platform) {
            silent(linker.args(["-r", "-z", "muldefs", "-o"]).arg(ours.with_extension("linked")).args(objects));
        }
    }
}

/// Type and flags; the alignment.
type SectionShape = ((u32, u64), u64);
/// Binding and type, visibility, the kind of the section, and the size of data.
type SymbolShape = (u8, u8, Option<SectionKind>, u64);

/// An object as a linker sees it.
struct ObjectShape {
    flags: u32,
    attributes: Vec<u8>,
    sections: BTreeMap<String, SectionShape>,
    symbols: BTreeMap<String, SymbolShape>,
    /// The ways in which a function reaches a symbol.
    references: BTreeMap<(String, String), BTreeSet<&'static str>>,
}

impl ObjectShape {
    fn read(path: &Path) -> ObjectShape {
        let data = std::fs::read(path).unwrap();
        match object::FileKind::parse(&*data).unwrap() {
            object::FileKind::Elf32 => {
                ObjectShape::of(&ElfFile::<elf::FileHeader32<Endianness>>::parse(&*data).unwrap())
            }
            _ => ObjectShape::of(&ElfFile::<elf::FileHeader64<Endianness>>::parse(&*data).unwrap()),
        }
    }

    fn of<H: FileHeader>(file: &ElfFile<'_, H>) -> ObjectShape {
        let FileFlags::Elf { e_flags, .. } = file.flags() else { panic!("no ELF file") };
        let attributes = file.section_by_name(".riscv.attributes");
        let section = |section: &object::read::elf::ElfSection<'_, '_, H>| {
            let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else { panic!("no ELF section") };
            (section.name().unwrap().to_string(), ((sh_type.0, sh_flags.0), section.align()))
        };
        let filled = |section: &object::read::elf::ElfSection<'_, '_, H>| section.size() > 0;
        ObjectShape {
            flags: e_flags.0,
            attributes: attributes.map(|section| section.data().unwrap().to_vec()).unwrap_or_default(),
            sections: file.sections().filter(filled).map(|one| section(&one)).collect(),
            symbols: symbols(file),
            references: references(file),
        }
    }
}

fn symbols<H: FileHeader>(file: &ElfFile<'_, H>) -> BTreeMap<String, SymbolShape> {
    let mut symbols = BTreeMap::new();
    for symbol in file.symbols() {
        let name = symbol.name().unwrap();
        if symbol.kind() == SymbolKind::Section || name.is_empty() || is_allowed(&LABELS, name) {
            continue;
        }
        let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { panic!("no ELF symbol") };
        let kind = symbol.section_index().map(|index| file.section_by_index(index).unwrap().kind());
        let size = if kind == Some(SectionKind::Text) { 0 } else { symbol.size() };
        symbols.insert(name.to_string(), (st_info.0, st_other.0, kind, size));
    }
    symbols
}

/// The way of a relocation to its symbol; `None` if it is part of another.
fn way(kind: elf::RelocationType) -> Option<&'static str> {
    match kind {
        elf::R_RISCV_CALL_PLT | elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => Some("call"),
        elf::R_RISCV_PCREL_HI20 | elf::R_AARCH64_ADR_PREL_PG_HI21 => Some("distance"),
        elf::R_RISCV_GOT_HI20 | elf::R_AARCH64_ADR_GOT_PAGE => Some("offset table"),
        elf::R_RISCV_HI20 => Some("address"),
        elf::R_RISCV_TLS_GOT_HI20 | elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 => Some("offset table of the thread"),
        elf::R_RISCV_TPREL_HI20 | elf::R_AARCH64_TLSLE_ADD_TPREL_HI12 => Some("distance in the thread"),
        elf::R_RISCV_TLS_GD_HI20 | elf::R_AARCH64_TLSDESC_ADR_PAGE21 => Some("descriptor of the thread"),
        _ => None,
    }
}

fn references<H: FileHeader>(file: &ElfFile<'_, H>) -> BTreeMap<(String, String), BTreeSet<&'static str>> {
    let mut references: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let here = |symbol: &object::read::elf::ElfSymbol<'_, '_, H>| {
            symbol.kind() == SymbolKind::Text && symbol.section_index() == Some(section.index())
        };
        let functions: Vec<_> = file.symbols().filter(here).collect();
        for (offset, relocation) in section.relocations() {
            let (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(index)) =
                (relocation.flags(), relocation.target())
            else {
                continue;
            };
            let symbol = file.symbol_by_index(index).unwrap();
            let name = symbol.name().unwrap();
            let holds = |function: &&object::read::elf::ElfSymbol<'_, '_, H>| {
                (0..function.size()).contains(&offset.wrapping_sub(function.address()))
            };
            let function = functions.iter().find(holds).map(|function| function.name().unwrap().to_string());
            let is_named = symbol.kind() != SymbolKind::Section && !name.is_empty() && !is_allowed(&LABELS, name);
            if let (Some(way), Some(function), true) = (way(r_type), function, is_named) {
                references.entry((function, name.to_string())).or_default().insert(way);
            }
        }
    }
    references
}

/// What is in one alone, or differs.
fn differences<K: Ord + Clone, V: PartialEq>(ours: &BTreeMap<K, V>, theirs: &BTreeMap<K, V>) -> Vec<K> {
    let keys: BTreeSet<&K> = ours.keys().chain(theirs.keys()).collect();
    keys.into_iter().filter(|&key| ours.get(key) != theirs.get(key)).cloned().collect()
}

/// The differences that no table allows.
fn objections(ours: &ObjectShape, theirs: &ObjectShape) -> Vec<String> {
    let mut objections = Vec::new();
    if ours.flags != theirs.flags {
        objections.push(format!("e_flags {:#x} instead of {:#x}", ours.flags, theirs.flags));
    }
    if ours.attributes != theirs.attributes {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        objections.push(format!("attributes {} instead of {}", text(&ours.attributes), text(&theirs.attributes)));
    }
    for name in differences(&ours.sections, &theirs.sections) {
        let (one, other) = (ours.sections.get(&name), theirs.sections.get(&name));
        let allowed = match (one, other) {
            (Some(one), Some(other)) => one.0 == other.0 && is_allowed(&ALIGNMENTS, &name),
            _ => is_allowed(&SECTIONS, &name),
        };
        if !allowed {
            objections.push(format!("section {name}: {one:?} instead of {other:?}"));
        }
    }
    for name in differences(&ours.symbols, &theirs.symbols) {
        let (one, other) = (ours.symbols.get(&name), theirs.symbols.get(&name));
        let is_undefined = |shape: Option<&SymbolShape>| shape.is_none_or(|(_, _, section, _)| section.is_none());
        if !(is_undefined(one) && is_undefined(other) && is_allowed(&CALLEES, &name)) {
            objections.push(format!("symbol {name}: {one:?} instead of {other:?}"));
        }
    }
    // LLVM may name the section in the place of a local symbol.
    let is_global = |name: &str| ours.symbols.get(name).is_some_and(|(info, ..)| info >> 4 != elf::STB_LOCAL.0);
    for key in differences(&ours.references, &theirs.references) {
        // One backend may compute an address anew and the other keep it, but none reaches the symbol in another way.
        if let (Some(one), Some(other)) = (ours.references.get(&key), theirs.references.get(&key)) {
            objections.push(format!("@{} reaches {} by {one:?} instead of {other:?}", key.0, key.1));
        } else if is_global(&key.1) && !is_allowed(&CALLEES, &key.1) {
            objections.push(format!("@{} and {}: a reference in one object alone", key.0, key.1));
        }
    }
    objections
}

/// The objects of a program's files by both backends.
fn compiled(program: &CProgram, platform: &Platform, level: &str, folder: &Path) -> Vec<[PathBuf; 2]> {
    let mut objects = Vec::new();
    for (number, file) in program.files.iter().enumerate() {
        let path = |name: &str| folder.join(format!("{number}{name}"));
        let mut front = Command::new("clang-22");
        front.args(&platform.clang).args(["-std=gnu11", "-w", "-fno-vectorize", "-fno-slp-vectorize", "-fno-ident"]);
        if let Some(headers) = platform.library_headers() {
            front.arg("-isystem").arg(headers);
        }
        front.args([level, "-fPIE", "-S", "-emit-llvm"]).arg("-I").arg(programs()).args(&program.flags);
        succeed(front.arg(file).arg("-o").arg(path(".ll")));
        let back = || {
            let mut back = Command::new("llc-22");
            // Merged globals have no symbols of their own.
            back.args(&platform.llc)
                .args([level, "-relocation-model=pic", "-enable-global-merge=false"])
                .arg(path(".ll"));
            back
        };
        succeed(back().args(["-filetype=obj", "-o"]).arg(path("theirs.o")));
        let stop = ["-global-isel", "-global-isel-abort=2", "-stop-after=irtranslator", "-simplify-mir", "-o"];
        succeed(back().args(stop).arg(path(".mir")));
        let mut compile = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        compile.arg("compile").arg(path(".mir")).args(["--target", &platform.target]).args(&platform.tribunal);
        let ours = if level == "-O0" { "-O0" } else { "-O2" };
        succeed(compile.args([ours, "-o"]).arg(path("ours.o")));
        objects.push([path("ours.o"), path("theirs.o")]);
    }
    objects
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("corpus/programs")
}

/// The objects of one program in `share`, and of all if that is one, for each machine and level. The programs of a
/// share differ by machine and level. The result is the number of objects.
fn compare_objects(share: usize) -> usize {
    let (all, mut objections) = (source::all(&programs()).unwrap(), Vec::new());
    let platforms = Platform::all(&programs()).unwrap();
    let mut compared = 0;
    for (turn, (platform, level)) in
        platforms.iter().flat_map(|platform| LEVELS.map(|level| (platform, level))).enumerate()
    {
        let can = |program: &&CProgram| !program.requires.iter().any(|word| platform.lacks.contains(word));
        let chosen = all.iter().enumerate().filter(|(number, _)| number % share == turn % share);
        for program in chosen.map(|(_, program)| program).filter(can) {
            let folder = tempfile::tempdir().unwrap();
            for objects in compiled(program, platform, level, folder.path()) {
                read_by_others(platform, &objects);
                let [ours, theirs] = objects.map(|path| ObjectShape::read(&path));
                let place = format!("{} {} {level}", program.name, platform.name);
                objections.extend(self::objections(&ours, &theirs).into_iter().map(|one| format!("{place}: {one}")));
                compared += 1;
            }
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
    compared
}

/// One in nine programs for each machine and level, so that every program has its turn.
#[test]
fn objects_are_those_of_llvm() {
    assert_eq!(compare_objects(9), 103);
}

#[test]
#[ignore = "minutes: cargo test --release --package tribunal --test peer_objects -- --ignored"]
fn all_objects_are_those_of_llvm() {
    assert_eq!(compare_objects(1), 903);
}

/// Neither linker joins our object with one of another floating-point ABI.
#[test]
fn another_float_abi_does_not_link() {
    let platforms = Platform::all(&programs()).unwrap();
    let platform = platforms.iter().find(|platform| platform.name == "riscv64").unwrap();
    let all = source::all(&programs()).unwrap();
    let program = all.iter().find(|program| program.name == "checksums").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [[ours, _]] = compiled(program, platform, "-O1", folder.path()).try_into().unwrap();
    let (source, soft) = (folder.path().join("soft.c"), folder.path().join("soft.o"));
    std::fs::write(&source, "int soft;").unwrap();
    silent(Command::new("clang-22").args(&platform.clang).args(["-mabi=lp64", "-c", "-o"]).arg(&soft).arg(&source));
    for mut linker in linkers(platform) {
        let output = linker.args(["-r", "-o"]).arg(folder.path().join("linked")).args([&ours, &soft]).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains("float"), "{linker:?}: {errors}");
    }
}
