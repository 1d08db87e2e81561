//! Data of modules on trial: objects of ours and of LLVM's are right for generated modules, and each difference between
//! an object and its module is told.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget, elf};
use std::process::Command;
use tribunal_codegen::{Context, NoObserver, Options, emit, pipeline};
use tribunal_fuzz::campaign;
use tribunal_fuzz::generator::data::{DATA_MODULES, definitions};
use tribunal_ir::{IrBlock, RelocationModel};
use tribunal_target::{Features, Target};
use tribunal_trial::module_data::{defects, machine_defects};
use tribunal_verifier::definitions::floats::operands::Xorshift;

/// What the data names.
const HEAD: &str = "define void @f() { ret void }\n  declare void @callee1()\n  ";

fn module(number: u32, target: &Target) -> String {
    format!("{HEAD}{}", definitions(number, target.pointer_bits.into()))
}

fn object(text: &str, model: RelocationModel, target: &'static Target) -> Vec<u8> {
    let block = IrBlock::read(text.to_string()).unwrap();
    emit::object(&[], Some(block.module()), model, target).unwrap()
}

fn told(bytes: &[u8], text: &str, model: RelocationModel, target: &Target) -> Vec<String> {
    let block = IrBlock::read(text.to_string()).unwrap();
    defects(bytes, block.module(), model, target)
}

#[test]
fn generated_data_is_right_in_our_objects() {
    for &target in tribunal_target::ALL {
        for number in 0..DATA_MODULES {
            for model in [RelocationModel::Static, RelocationModel::Library, RelocationModel::Executable] {
                let text = module(number, target);
                let found = told(&object(&text, model, target), &text, model, target);
                assert!(found.is_empty(), "{} {model:?}: {found:#?}\n{text}", target.name);
            }
        }
    }
}

#[test]
fn generated_data_is_right_in_objects_of_llvm() {
    let directory = tempfile::tempdir().unwrap();
    for &target in tribunal_target::ALL {
        for number in 0..DATA_MODULES {
            let (model, flag) = match number % 2 {
                0 => (RelocationModel::Static, "static"),
                _ => (RelocationModel::Library, "pic"),
            };
            let (text, path) = (module(number, target), directory.path().join("data.ll"));
            std::fs::write(&path, &text).unwrap();
            let output = Command::new("llc-22")
                .arg(format!("-mtriple={}-linux-gnu", target.name))
                .args(["-filetype=obj", "-o", "-", &format!("-relocation-model={flag}")])
                .arg(&path)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
            let found = told(&output.stdout, &text, model, target);
            assert!(found.is_empty(), "{} {model:?}: {found:#?}\n{text}", target.name);
        }
    }
}

/// Pairs of words that say different things of an object.
const WORDS: [[&str; 2]; 26] = [
    ["= internal ", "= weak "],
    ["= linkonce ", "= "],
    ["= weak ", "= "],
    ["= linkonce_odr ", "= internal "],
    [" hidden ", " "],
    [" protected ", " hidden "],
    ["thread_local(initialexec)", ""],
    ["extern_weak", "external"],
    [" constant i32 305419896", " constant i32 305419897"],
    ["i16 4660", "i16 4661"],
    ["align 64", "align 65536"],
    ["align 4096", "align 65536"],
    ["section \".data.own\"", "section \".data.other\""],
    ["section \"own_tls\"", "section \"other_tls\""],
    [", comdat", ""],
    ["\\00c\\00", "\\00d\\00"],
    ["i32 2, i16 3", "i32 2, i16 4"],
    ["ptr null]", "ptr @d0]"],
    ["i32 65535, ptr @f", "i32 7, ptr @f"],
    ["ptr @f, ptr null", "ptr @callee1, ptr null"],
    ["common global [5 x i16]", "common global [6 x i16]"],
    ["{ i8 5, ptr @f }", "{ i8 5, ptr @callee1 }"],
    ["alias i8, ptr @d1", "alias i8, ptr @d2"],
    ["sub (i64 ptrtoint (ptr @d1 to i64), ", "sub (i64 ptrtoint (ptr @d2 to i64), "],
    [", i64 8) to i64))]", ", i64 16) to i64))]"],
    ["[9 x i32] zeroinitializer", "[2 x double] [double 0.0, double 1.0]"],
];

#[test]
fn an_object_of_another_module_is_told() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    for [one, other] in WORDS {
        let mut met = 0;
        for text in (0..DATA_MODULES).map(|number| module(number, target)) {
            // The declaration is dropped if nothing names it.
            if !text.contains(one) || one == "extern_weak" && !text.contains("ptr @maybe") {
                continue;
            }
            let changed = text.replacen(one, other, 1);
            let Ok(block) = IrBlock::read(changed) else { continue };
            met += 1;
            let bytes = object(&text, RelocationModel::Static, target);
            let found = defects(&bytes, block.module(), RelocationModel::Static, target);
            assert!(!found.is_empty(), "`{one}` to `{other}` in\n{text}");
        }
        assert_ne!(met, 0, "no module has `{one}`");
    }
}

/// A place in a string that a linker merges is named by the string's symbol. One that is named by its section is told.
#[test]
fn a_place_in_a_merged_section_is_told() {
    let target = tribunal_target::by_name("riscv64").unwrap();
    let mut met = 0;
    for text in (0..DATA_MODULES).map(|number| module(number, target)) {
        let mut bytes = object(&text, RelocationModel::Static, target);
        let (at, info) = {
            let file = ElfFile64::<Endianness>::parse(&*bytes).unwrap();
            let strings = file.section_by_name(".rodata.str1.1").map(|section| section.index());
            let named = file.sections().flat_map(|section| section.relocations().collect::<Vec<_>>());
            let symbols = named.filter_map(|(_, relocation)| match relocation.target() {
                RelocationTarget::Symbol(index) if relocation.addend() != 0 => file.symbol_by_index(index).ok(),
                _ => None,
            });
            let mut merged = symbols.filter(|symbol| strings.is_some() && symbol.section_index() == strings);
            let Some(symbol) = merged.next() else { continue };
            let row = symbol.elf_symbol();
            (std::ptr::from_ref(row) as usize - bytes.as_ptr() as usize, row.st_info.0)
        };
        // The byte of binding and type stands behind the word of the name.
        assert_eq!(bytes[at + 4], info);
        bytes[at + 4] = (info & 0xf0) | elf::STT_SECTION.0;
        let found = told(&bytes, &text, RelocationModel::Static, target);
        assert!(found.iter().any(|defect| defect.contains("no string of a merged section")), "{found:?} in\n{text}");
        met += 1;
    }
    assert_ne!(met, 0, "no module names a place in a string");
}

/// Damage is told or does nothing, and is never a panic.
#[test]
fn a_damaged_object_makes_no_panic() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let mut random = Xorshift(0x0dd_ba11);
    for text in (0..DATA_MODULES).map(|number| module(number, target)) {
        let bytes = object(&text, RelocationModel::Library, target);
        for _ in 0..40 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len() as u64) as usize;
                damaged[place] = random.next() as u8;
            }
            told(&damaged, &text, RelocationModel::Library, target);
        }
        let end = random.below(bytes.len() as u64) as usize;
        assert!(!told(&bytes[..end], &text, RelocationModel::Library, target).is_empty(), "{end} bytes of\n{text}");
    }
}

/// What an object says of its machine is what its code was compiled for, and another machine is told.
#[test]
fn an_object_names_its_extensions() {
    for &target in tribunal_target::ALL.iter().filter(|target| target.name.starts_with("riscv")) {
        let function = campaign::generated(campaign::program_seed(3, 1), target).unwrap();
        let object = |features: Features| {
            let legalizer = (target.legality)(features);
            let mut observer = NoObserver;
            let mut context = Context { target, options: Options::new(features), legalizer, observer: &mut observer };
            let code = pipeline::compile(&mut function.clone(), &mut context).unwrap();
            emit::object(&[code], None, RelocationModel::Static, target).unwrap()
        };
        let bytes = object(target.default_features);
        assert_eq!(machine_defects(&bytes, None, target, target.default_features), [""; 0]);
        for option in target.options {
            let features = target.toggled(target.default_features, option);
            assert_eq!(machine_defects(&object(features), None, target, features), [""; 0], "{}", option.name);
            assert!(!machine_defects(&bytes, None, target, features).is_empty(), "{}", option.name);
        }
    }
}
