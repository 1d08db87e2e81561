//! Sizes, alignments and initial bytes, against the object that LLVM makes of the same module.
//!
//! Both sides are linked to the same made-up addresses: the object's relocations by its machine's rules, the image's
//! by their definition. So it does not matter which of several relocations a target takes for a sum.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::{Endianness as Order, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationKind, elf};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use tribunal_llvm::{DataLayout, Endianness, Global, Image, IrModule, Linkage, Referent, parse};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources");

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().expect("LLVM 22 is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn clang(target: &str) -> Command {
    let mut clang = Command::new("clang-22");
    clang.args([&format!("--target={target}-linux-gnu"), "-S", "-emit-llvm", "-o", "-", "-Werror", "-Wall"]);
    clang
}

/// The object of a module.
fn object_of(text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("module.ll");
    std::fs::write(&input, text).unwrap();
    run(Command::new("llc-22").args(["-filetype=obj", "-relocation-model=static", "-o", "-"]).arg(input))
}

/// A name of the object and the place that it stands for.
struct Place {
    section: Option<object::SectionIndex>,
    offset: u64,
    size: u64,
    address: u64,
}

/// Sections are far from one another, and so are symbols of other files.
const GAP: u64 = 1 << 20;

struct Linked<'d> {
    file: object::File<'d>,
    places: BTreeMap<String, Place>,
}

impl<'d> Linked<'d> {
    fn new(data: &'d [u8]) -> Linked<'d> {
        let file = object::File::parse(data).unwrap();
        let mut places = BTreeMap::new();
        for symbol in file.symbols() {
            let section = symbol.section_index();
            let base = match section {
                Some(section) => section.0 as u64,
                None => 1000 + symbol.index().0 as u64,
            };
            // The value of a common symbol is its alignment.
            let offset = if section.is_some() { symbol.address() } else { 0 };
            let place = Place { section, offset, size: symbol.size(), address: base * GAP + offset };
            places.insert(symbol.name().unwrap().to_string(), place);
        }
        Linked { file, places }
    }

    /// The bytes of a name, relocated; `None` if they are not in the file, being zero.
    fn bytes(&self, place: &Place) -> Option<Vec<u8>> {
        let section = self.file.section_by_index(place.section?).unwrap();
        let range = place.offset as usize..(place.offset + place.size) as usize;
        let mut bytes = section.data().unwrap().get(range.clone())?.to_vec();
        for (offset, relocation) in section.relocations().filter(|(offset, _)| range.contains(&(*offset as usize))) {
            let object::RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
            let symbol = self.file.symbol_by_index(symbol).unwrap();
            let base = match symbol.section_index() {
                Some(section) => section.0 as u64 * GAP + symbol.address(),
                None => (1000 + symbol.index().0 as u64) * GAP,
            };
            let value = base.wrapping_add(relocation.addend() as u64);
            let here = place.address + offset - place.offset;
            let at = (offset - place.offset) as usize;
            self.relocate(&mut bytes[at..], &relocation, value, here);
        }
        Some(bytes)
    }

    fn relocate(&self, bytes: &mut [u8], relocation: &object::Relocation, value: u64, here: u64) {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("{relocation:?}") };
        let is_riscv = self.file.architecture() == object::Architecture::Riscv64
            || self.file.architecture() == object::Architecture::Riscv32;
        let (size, value) = match (r_type, relocation.kind()) {
            (elf::R_RISCV_ADD32, _) if is_riscv => (4, self.number(&bytes[..4]).wrapping_add(value)),
            (elf::R_RISCV_SUB32, _) if is_riscv => (4, self.number(&bytes[..4]).wrapping_sub(value)),
            (elf::R_RISCV_ADD64, _) if is_riscv => (8, self.number(&bytes[..8]).wrapping_add(value)),
            (elf::R_RISCV_SUB64, _) if is_riscv => (8, self.number(&bytes[..8]).wrapping_sub(value)),
            (elf::R_RISCV_32_PCREL, _) if is_riscv => (4, value.wrapping_sub(here)),
            (_, RelocationKind::Absolute) => (usize::from(relocation.size()) / 8, value),
            (_, RelocationKind::Relative) => (usize::from(relocation.size()) / 8, value.wrapping_sub(here)),
            _ => panic!("{relocation:?}"),
        };
        write(&mut bytes[..size], value, self.file.endianness() == Order::Big);
    }

    fn number(&self, bytes: &[u8]) -> u64 {
        assert_eq!(self.file.endianness(), Order::Little);
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

fn write(place: &mut [u8], value: u64, is_big: bool) {
    place.copy_from_slice(&value.to_le_bytes()[..place.len()]);
    if is_big {
        place.reverse();
    }
}

/// The bytes of an image at its address. Those of blocks, whose addresses only code knows, are left out of both.
fn link(image: &Image, module: &IrModule, linked: &Linked<'_>, other: &mut [u8], is_big: bool) -> Vec<u8> {
    let mut bytes = image.bytes.clone();
    for relocation in &image.relocations {
        let range = relocation.offset as usize..(relocation.offset + relocation.size) as usize;
        let address = |referent: &Referent| match referent {
            Referent::Symbol(id) => Some(linked.places[module.symbols[*id].name.as_str().unwrap()].address),
            Referent::Block { .. } | Referent::DsoLocalEquivalent(_) => None,
        };
        let subtracted = relocation.subtracted.as_ref().map_or(Some(0), address);
        match address(&relocation.symbol).zip(subtracted) {
            Some((symbol, subtracted)) => {
                let value = symbol.wrapping_add(relocation.addend as u64).wrapping_sub(subtracted);
                write(&mut bytes[range], value, is_big);
            }
            None => other[range].fill(0),
        }
    }
    bytes
}

/// Compares every global that the module defines with the object.
fn compare(text: &str) {
    // Private symbols do not reach the object.
    let text = text.replace("= private", "= internal");
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(module.unread.is_empty(), "{:?}", module.unread);
    let layout = module.data_layout.as_ref().unwrap();
    let layouts = module.layouts(&DataLayout::default());
    let data = object_of(&text);
    let linked = Linked::new(&data);
    let mut compared = 0;
    let defined = |global: &&Global| global.initialiser.is_some() && global.section.as_deref() != Some("llvm.metadata");
    for global in module.globals.values().filter(defined) {
        let name = module.name(&global.value).as_str().unwrap();
        if global.value.linkage == Linkage::Appending {
            continue;
        }
        let place = &linked.places[name];
        let image =
            layouts.image(global.initialiser.as_ref().unwrap()).unwrap_or_else(|error| panic!("@{name}: {error}"));
        assert_eq!(image.bytes.len() as u64, layouts.alloc_size(global.ty).unwrap(), "@{name}");
        assert_eq!(image.bytes.len() as u64, place.size, "the size of @{name}");
        let abi = layouts.get(global.ty).unwrap().alignment.abi;
        assert_eq!(place.offset % global.alignment.unwrap_or(abi), 0, "the alignment of @{name}");
        let mut theirs = linked.bytes(place).unwrap_or_else(|| vec![0; place.size as usize]);
        let is_big = layout.endianness == Endianness::Big;
        let ours = link(&image, &module, &linked, &mut theirs, is_big);
        assert_eq!(ours, theirs, "the bytes of @{name}");
        compared += 1;
    }
    assert_ne!(compared, 0, "no global is compared");
}

#[test]
fn globals_of_c_have_the_bytes_of_the_object() {
    for target in ["riscv64", "riscv32", "aarch64"] {
        for level in ["-O0", "-O1"] {
            let source = Path::new(SOURCES).join("globals.c");
            let text = run(clang(target).args([level, "-fcommon"]).arg(source));
            println!("{target} {level}");
            compare(std::str::from_utf8(&text).unwrap());
        }
    }
}

#[test]
fn globals_of_cpp_have_the_bytes_of_the_object() {
    for target in ["riscv64", "aarch64"] {
        let source = Path::new(SOURCES).join("classes.cpp");
        println!("{target}");
        compare(std::str::from_utf8(&run(clang(target).args(["-std=c++20", "-g"]).arg(source))).unwrap());
    }
}

#[test]
fn constants_that_c_does_not_make_have_the_bytes_of_the_object() {
    let constants = std::fs::read_to_string(Path::new(SOURCES).join("exotic.ll")).unwrap();
    for target in ["riscv64", "aarch64", "x86_64", "powerpc64", "aarch64_be"] {
        let head = String::from_utf8(run(clang(target).args(["-x", "c", "/dev/null"]))).unwrap();
        let head: String =
            head.lines().filter(|line| line.starts_with("target ")).map(|line| format!("{line}\n")).collect();
        println!("{target}");
        compare(&format!("{head}{constants}"));
    }
}
